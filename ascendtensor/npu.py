"""The names of `torch.npu` and `torch.cuda`, for programs that are written with them: `at.npu.synchronize()` is `at.synchronize()`.

What differs from the functions of the same name in `ascendtensor` itself: `current_device` gives a number, and `manual_seed` and `seed` are
those of the current device only, as in PyTorch. What PyTorch has and this library does not (graphs, memory fractions, autocast) is not here
either.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .absent import in_module
from .base import TensorBase
from .errors import BackendError, DTypeError
from .errors import OutOfDeviceMemoryError as OutOfMemoryError
from .ops.arguments import described
from .random import Generator, default_generator, get_rng_state, initial_seed, set_rng_state
from .random import manual_seed as _seed_all_devices
from .random import seed as _seed_all_anew
from .runtime.device import (
    Device,
    DeviceLike,
    as_device,
    current_stream,
    device,
    device_count,
    init,
    initialize,
    is_initialized,
    set_device,
    synchronize,
)
from .runtime.stats import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_peak_memory_stats,
)
from .runtime.stream import Event, Stream, StreamContext, stream

__all__ = [
    "DeviceProperties",
    "Event",
    "Generator",
    "OutOfMemoryError",
    "Stream",
    "StreamContext",
    "can_device_access_peer",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "init",
    "initial_seed",
    "is_available",
    "is_initialized",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "stream",
    "synchronize",
]
__dir__ = __all__.copy

__getattr__ = in_module(__name__)


class DeviceProperties(NamedTuple):
    """What `get_device_properties` tells.

    Attributes:
        name: Name of the chip, "Ascend910B1".
        total_memory: Bytes of the device's memory.

    Examples:
        >>> at.npu.get_device_properties(0).total_memory > 0
        True
    """

    name: str
    total_memory: int


def is_available() -> bool:
    """Whether there is a device to work on: an NPU, or the simulator's where that is the backend. Like: torch.cuda.is_available.

    Examples:
        >>> at.npu.is_available()
        True
    """
    try:
        initialize()
    except BackendError:
        return False
    return True


def current_device() -> int:
    """Number of the device that new tensors of this thread go to. Like: torch.cuda.current_device.

    Examples:
        >>> at.npu.current_device()
        0
    """
    return as_device(None).index


def device_of(obj: Any) -> Device:
    """The device of a tensor (the current one for anything else), for `with at.npu.device_of(x):`. Like: torch.cuda.device_of.

    Examples:
        >>> x = at.ones(2, device="npu:1")
        >>> with at.npu.device_of(x):
        ...     at.ones(2).device
        npu:1
    """
    return as_device(obj.device if isinstance(obj, TensorBase) else None)


def get_device_name(device: DeviceLike = None) -> str:
    """Name of the chip, such as "Ascend910B1"; all devices of a machine have the same. Like: torch.cuda.get_device_name.

    Examples:
        >>> isinstance(at.npu.get_device_name(), str)
        True
    """
    return as_device(device).soc


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """Name and memory of a device, which is opened for it. Like: torch.cuda.get_device_properties.

    Examples:
        >>> at.npu.get_device_properties(0).total_memory > 0
        True
    """
    found = as_device(device)
    return DeviceProperties(found.soc, mem_get_info(found)[1])


def can_device_access_peer(device: DeviceLike, peer_device: DeviceLike) -> bool:
    """Whether a device can reach the memory of another one. Like: torch.cuda.can_device_access_peer.

    Examples:
        >>> at.npu.can_device_access_peer(0, 1)
        True
    """
    return as_device(device).reaches(as_device(peer_device))


def default_stream(device: DeviceLike = None) -> Stream:
    """The stream that this thread's work on a device goes to while no other is chosen. Like: torch.cuda.default_stream.

    Examples:
        >>> at.npu.default_stream() == at.current_stream()
        True
    """
    return as_device(device).default_stream()


def set_stream(stream: Stream | None) -> None:
    """Send this thread's work to a stream, and new tensors to its device, from now on; None: no change. Like: torch.cuda.set_stream.

    Examples:
        >>> before = at.current_stream()
        >>> at.npu.set_stream(at.Stream())
        >>> at.current_stream() == before
        False
        >>> at.npu.set_stream(before)
    """
    if stream is None:
        return
    if not isinstance(stream, Stream):
        raise DTypeError(f"a Stream is needed, not {described(stream)}", where="set_stream")
    stream.ready()
    stream.device.enter_stream(stream)


def manual_seed(seed: int) -> None:
    """Start the current device's generator again from a seed; `at.manual_seed` does so for all. Like: torch.cuda.manual_seed.

    Examples:
        >>> at.npu.manual_seed(7)
        >>> at.npu.initial_seed()
        7
    """
    default_generator().manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Start the generators of all devices again from a seed. Like: torch.cuda.manual_seed_all.

    Examples:
        >>> at.npu.manual_seed_all(7)
        >>> at.npu.initial_seed()
        7
    """
    _seed_all_devices(seed)


def seed() -> None:
    """Start the current device's generator again from a seed that nobody can guess. Like: torch.cuda.seed.

    Examples:
        >>> at.npu.seed()
        >>> isinstance(at.npu.initial_seed(), int)
        True
    """
    default_generator().seed()


def seed_all() -> None:
    """Start the generators of all devices again from one seed that nobody can guess. Like: torch.cuda.seed_all.

    Examples:
        >>> at.npu.seed_all()
        >>> isinstance(at.npu.initial_seed(), int)
        True
    """
    _seed_all_anew()


def get_rng_state_all() -> list[Any]:
    """States of the generators of all devices. Like: torch.cuda.get_rng_state_all.

    Examples:
        >>> len(at.npu.get_rng_state_all()) == at.device_count()
        True
    """
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Set the states of the generators of all devices, in order. Like: torch.cuda.set_rng_state_all.

    Examples:
        >>> states = at.npu.get_rng_state_all()
        >>> first = at.rand(2)
        >>> at.npu.set_rng_state_all(states)
        >>> at.equal(at.rand(2), first)
        True
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)
