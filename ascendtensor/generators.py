"""Generators: where the seed and the counter of each device's random numbers are kept.

The generator of a device owns both and moves the counter on with every draw, so the same seed gives the same numbers in every run. Without
a seed the generators of devices begin where nobody can guess, so that processes draw different numbers.
"""

from __future__ import annotations

import operator
import secrets
import struct
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from .errors import ValueRangeError
from .ops.arguments import checked
from .runtime.counters import STEP as OFFSET_STEP
from .runtime.device import Device, DeviceLike, as_device

__all__ = [
    "DEFAULT_SEED",
    "OFFSET_STEP",
    "Generator",
    "default_generator",
    "fork_rng",
    "generator_of",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

Array = np.ndarray[Any, np.dtype[Any]]

DEFAULT_SEED: Final = 67280421310721
"""Seed of a `Generator()` until it is given another (PyTorch's number)."""
_MASK64: Final = (1 << 64) - 1


class Generator:
    """Seed and counter of one device's random numbers. Safe under threads; two threads never get the same numbers.

    Args:
        device: The device that it draws on; by default the thread's current device at each draw.

    Raises:
        DeviceError: No such device.

    Like: torch.Generator.

    Examples:
        >>> a, b = at.Generator(), at.Generator()
        >>> a.manual_seed(7).initial_seed(), b.manual_seed(7).initial_seed()
        (7, 7)
        >>> at.equal(at.rand(3, generator=a), at.rand(3, generator=b))
        True
    """

    def __init__(self, device: DeviceLike = None) -> None:
        self._device = device if device is None else as_device(device)
        self._lock = threading.Lock()
        self._seed = DEFAULT_SEED
        self._offset = 0

    @property
    def device(self) -> Device:
        """The device that it draws on.

        Examples:
            >>> at.Generator().device
            npu:0
        """
        return as_device(self._device)

    def manual_seed(self, seed: int) -> Generator:
        """Start again from a seed.

        Args:
            seed: Any integer of 64 bits, signed or not.

        Raises:
            ValueRangeError: It has more bits.
        """
        number = _seed_of(seed)
        with self._lock:
            self._seed, self._offset = number, 0
        return self

    def seed(self) -> int:
        """Start again from a seed that nobody can guess, and return it.

        Examples:
            >>> isinstance(at.Generator().seed(), int)
            True
        """
        return self.manual_seed(secrets.randbits(64)).initial_seed()

    def initial_seed(self) -> int:
        """The seed that it started from."""
        return self._seed

    def get_state(self) -> Array:
        """Seed and counter as 16 bytes, for `set_state`.

        Examples:
            >>> generator = at.Generator()
            >>> state = generator.get_state()
            >>> first = at.rand(2, generator=generator)
            >>> generator.set_state(state)
            >>> at.equal(at.rand(2, generator=generator), first)
            True
        """
        with self._lock:
            state: Array = np.frombuffer(struct.pack("<QQ", self._seed, self._offset), np.uint8).copy()
            return state

    def set_state(self, new_state: Any) -> None:
        """Go on from where `get_state` was called.

        Raises:
            ValueRangeError: It is not the state of a generator.
        """
        state = np.asarray(new_state)
        if state.dtype != np.uint8 or state.shape != (16,):
            raise ValueRangeError(
                "this is not the state of a generator", where="Generator.set_state", advice="Give what get_state() returned."
            )
        with self._lock:
            self._seed, self._offset = struct.unpack("<QQ", state.tobytes())

    def clone_state(self) -> Generator:
        """Another generator with the same seed and counter, which goes on by itself. Like: torch.Generator.clone_state.

        Examples:
            >>> one = at.Generator().manual_seed(7)
            >>> other = one.clone_state()
            >>> at.equal(at.rand(2, generator=one), at.rand(2, generator=other))
            True
        """
        other = Generator(self._device)
        other.set_state(self.get_state())
        return other

    def __copy__(self) -> Generator:
        return self.clone_state()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (None if self._device is None else str(self._device), self.get_state().tobytes())

    def draw(self) -> tuple[int, int]:
        """Seed and counter for one draw; the counter moves on.

        Examples:
            >>> generator = at.Generator().manual_seed(7)
            >>> generator.draw(), generator.draw()
            ((7, 0), (7, 10))
        """
        with self._lock:
            offset = self._offset
            self._offset = (offset + OFFSET_STEP) & (_MASK64 >> 1)
            return self._seed, offset

    def __repr__(self) -> str:
        return f"Generator(device={'current' if self._device is None else self._device!r}, seed={self._seed}, offset={self._offset})"


def _restored(device: str | None, state: bytes) -> Generator:
    """A pickled generator."""
    generator = Generator(device)
    generator.set_state(np.frombuffer(state, np.uint8))
    return generator


class _Generators:
    """The generator of each device, by its number; they live on through `shutdown()`."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.first_seed: int | None = None
        self.by_index: dict[int, Generator] = {}

    def of(self, index: int) -> Generator:
        found = self.by_index.get(index)
        if found is None:
            with self.lock:
                found = self.by_index.get(index)
                if found is None:
                    found = Generator(index)
                    self._begin(found)
                    self.by_index[index] = found
        return found

    def _begin(self, generator: Generator) -> None:
        if self.first_seed is None:
            generator.seed()
        else:
            generator.manual_seed(self.first_seed)

    def states(self, indices: Iterable[int] | None) -> tuple[int | None, dict[int, Array]]:
        """The seed of generators that are not there yet (None: one that nobody can guess), and the states of some or all that are."""
        if indices is not None:
            return self.first_seed, {index: self.of(index).get_state() for index in indices}
        with self.lock:
            return self.first_seed, {index: generator.get_state() for index, generator in self.by_index.items()}

    def put_back(self, first_seed: int | None, states: dict[int, Array], others: bool) -> None:
        """Undo what happened since `states`, with `others` to the generators that were not there, too."""
        with self.lock:
            if others:
                self.first_seed = first_seed
            for index, generator in self.by_index.items():
                if index in states:
                    generator.set_state(states[index])
                elif others:
                    self._begin(generator)

    def seed_all(self, seed: int) -> None:
        with self.lock:
            self.first_seed = seed
            for generator in self.by_index.values():
                generator.manual_seed(seed)


_generators: Final = _Generators()


def _seed_of(seed: int) -> int:
    number = operator.index(seed)  # NumPy's integers have no room for the mask
    if not -(1 << 63) <= number <= _MASK64:
        raise ValueRangeError(f"a seed is an integer of 64 bits, not {number}", where="manual_seed")
    return number & _MASK64


def generator_of(index: int) -> Generator:
    """The generator of the device with a number."""
    return _generators.of(index)


@checked
def default_generator(device: DeviceLike = None) -> Generator:
    """The generator that draws on a device use where none is given. Like: torch.npu.default_generators[i].

    Examples:
        >>> at.manual_seed(7) is at.default_generator("npu:0")
        True
    """
    return _generators.of(as_device(device).index)


@checked
def manual_seed(seed: int) -> Generator:
    """Start the generators of all devices again from a seed.

    Args:
        seed: Any integer of 64 bits, signed or not.

    Returns:
        The generator of device 0.

    Raises:
        ValueRangeError: It has more bits.

    Like: torch.manual_seed, numpy.random.seed.

    Examples:
        >>> _ = at.manual_seed(7)
        >>> first = at.rand(2)
        >>> _ = at.manual_seed(7)
        >>> at.equal(at.rand(2), first)
        True
    """
    _generators.seed_all(_seed_of(seed))
    return _generators.of(0)


@checked
def seed() -> int:
    """Start the generators of all devices again from a seed that nobody can guess, and return it. Like: torch.seed.

    Examples:
        >>> isinstance(at.seed(), int)
        True
    """
    number = secrets.randbits(64)
    _generators.seed_all(number)
    return number


@checked
def initial_seed() -> int:
    """The seed that the current device's generator started from. Like: torch.initial_seed.

    Examples:
        >>> at.manual_seed(7).initial_seed(), at.initial_seed()
        (7, 7)
    """
    return default_generator().initial_seed()


@checked
def get_rng_state(device: DeviceLike = None) -> Array:
    """State of a device's generator. Like: torch.npu.get_rng_state.

    Examples:
        >>> state = at.get_rng_state()
        >>> first = at.rand(2)
        >>> at.set_rng_state(state)
        >>> at.equal(at.rand(2), first)
        True
    """
    return default_generator(device).get_state()


def set_rng_state(new_state: Any, device: DeviceLike = None) -> None:
    """Put a device's generator into a state. Like: torch.npu.set_rng_state.

    Examples:
        >>> state = at.get_rng_state()
        >>> first = at.rand(2)
        >>> at.set_rng_state(state)
        >>> at.equal(at.rand(2), first)
        True
    """
    default_generator(device).set_state(new_state)


@contextmanager
def fork_rng(devices: Iterable[DeviceLike] | None = None, enabled: bool = True) -> Iterator[None]:
    """A block behind which generators go on from where they were before it.

    Args:
        devices: The devices whose generators do; by default all.
        enabled: If false, nothing is put back.

    Like: torch.random.fork_rng.

    Examples:
        >>> _ = at.manual_seed(7)
        >>> with at.random.fork_rng():
        ...     first = at.rand(2)
        >>> at.equal(at.rand(2), first)
        True
    """
    if not enabled:
        yield
        return
    first_seed, states = _generators.states(None if devices is None else [as_device(each).index for each in devices])
    try:
        yield
    finally:
        _generators.put_back(first_seed, states, devices is None)
