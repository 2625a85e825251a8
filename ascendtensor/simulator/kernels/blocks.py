"""Elementwise work in pieces that stay in the cache.

``bind_steps`` prepares a function ``steps(out, *inputs, *temps)`` for given arrays. Inputs of another dtype (float16 and
bfloat16 compute in float32) are converted piece by piece, so that no intermediate array leaves the cache. What is one
ufunc call on small arrays stays one ufunc call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import half_bits, half_tables
from ascendtensor.simulator.kernels.halves import FLOAT16, FLOAT32, HALVES, float32_of, lend, narrow, widen
from ascendtensor.simulator.kernels.registry import Array, Shape, Task

BLOCK = 65536
WIDE_BLOCK = 2 * BLOCK  # where nothing is converted, fewer and longer pieces cost less
_KEPT = 1024  # temporaries up to this many elements are allocated once, when the task is bound

Steps = Callable[..., Any]
Index = tuple[Any, ...]

_BOOL = np.dtype(np.bool_)


def pieces(shape: Shape, block: int = BLOCK) -> Iterator[Index]:
    """Index tuples that cut an array into C-ordered pieces of at most ``block`` elements."""
    inner = 1
    axis = len(shape)
    while axis > 0 and inner * shape[axis - 1] <= block:
        axis -= 1
        inner *= shape[axis]
    if axis == 0:
        yield ()
        return
    step = max(1, block // inner)
    for outer in np.ndindex(*shape[: axis - 1]):
        for start in range(0, shape[axis - 1], step):
            yield (*outer, slice(start, start + step))


def divisor(number: int, most: int) -> int:
    """The largest divisor of a number up to `most`: how many of so many alike are worked on together."""
    return next(each for each in range(max(min(number, most), 1), 0, -1) if number % each == 0)


def ufunc_steps(ufunc: np.ufunc) -> Steps:
    """A ufunc as steps: output first."""

    def steps(out: Array, *operands: Array) -> None:
        ufunc(*operands, out=out)

    return steps


def ufunc_task(ufunc: np.ufunc, operands: Sequence[Array], out: Array) -> Task:
    """One ufunc call as a task; NumPy 2.4 wants ``out`` of maximum and minimum by keyword."""
    if ufunc in (np.maximum, np.minimum, np.fmax, np.fmin):
        return partial(ufunc, out=out), tuple(operands)
    return ufunc, (*operands, out)


def bind_ufunc(ufunc: np.ufunc, operands: Sequence[Array], out: Array, *, half_loop: bool = True) -> Task:
    """Prepares one ufunc over arrays of one dtype.

    Args:
        ufunc: The function.
        operands: Input arrays, broadcastable to the output.
        out: Output array.
        half_loop: Whether the ufunc has correct loops of its own for float16 and bfloat16, to be used on short arrays.
    """
    dtype = operands[0].dtype
    if all(x.dtype not in HALVES for x in operands):
        return ufunc_task(ufunc, operands, out)
    task = _bind_halves(ufunc, operands, out, half_loop)
    worth = _WORTH.get(ufunc) or (_WORTH_OF_FLOAT16.get(ufunc) if dtype == FLOAT16 else None)
    if worth is None or out.dtype != dtype or not one_dtype(operands):
        return task
    return half_tables.bind_with_numbers(ufunc_steps(ufunc), operands, out, task, worth)


_WORTH: dict[np.ufunc, int] = {ufunc: BLOCK for ufunc in (np.remainder, np.fmod, np.floor_divide, np.arctan2)}
_WORTH_OF_FLOAT16: dict[np.ufunc, int] = {ufunc: 4 * BLOCK for ufunc in (np.add, np.subtract, np.multiply, np.divide)}
"""Functions that take longer than to look a result up where one operand is a number, and the elements that are worth a new table."""


def _bind_halves(ufunc: np.ufunc, operands: Sequence[Array], out: Array, half_loop: bool) -> Task:
    dtype = operands[0].dtype
    if one_dtype(operands):
        if ufunc in (np.equal, np.not_equal) and out.size >= half_bits.WORTH:
            for x, number in (operands, (operands[1], operands[0])):
                if number.size == 1 and x.shape == out.shape:
                    return half_bits.equality_task(ufunc, x, number, out)
        if half_loop and out.size <= half_bits.loop_limit(ufunc, dtype):
            return ufunc_task(ufunc, operands, out)
        steps = half_bits.steps_of(ufunc, dtype)
        if steps is not None:
            return bind_steps(
                steps, [half_bits.bits(x) for x in operands], half_bits.bits(out), result=_BOOL if out.dtype == _BOOL else None
            )
        if len(operands) == 1 and out.size >= half_tables.WORTH and out.dtype == dtype:
            return half_tables.bind(ufunc, ufunc_steps(ufunc), 0, operands[0], out)
        if len(operands) == 2 and 1 < out.size <= BLOCK:
            a, b = operands
            if _flat_alike(operands, out):
                a, b, out = (x.reshape(()) if x.size == 1 else x.reshape(-1) for x in (a, b, out))
            return _pair, (ufunc, a, a if a.__array_interface__ == b.__array_interface__ else b, out)
    return bind_steps(ufunc_steps(ufunc), operands, out, result=_BOOL if out.dtype == _BOOL else None)


def _flat_alike(inputs: Sequence[Array], out: Array) -> bool:
    """Whether an output and its inputs, but for single numbers, can be seen as flat arrays of one length."""
    return out.flags.c_contiguous and all(x.size == 1 or (x.shape == out.shape and x.flags.c_contiguous) for x in inputs)


def _pair(ufunc: np.ufunc, a: Array, b: Array, out: Array) -> None:
    """A ufunc of two halves in one piece; an operand that is given twice is converted once."""
    shape = out.shape
    room = lend(out.size, 4)
    left, right, *spare = room.arrays
    if out.ndim != 1:
        left, right = left.reshape(shape), right.reshape(shape)
    result = left
    if a.shape == shape:
        widen(a, left)
    else:
        left = _small(a)
    if b is a:
        right = left
    elif b.shape == shape:
        widen(b, right)
    else:
        right = _small(b)
    if out.dtype == _BOOL:
        ufunc(left, right, out=out)
    else:
        ufunc(left, right, out=result)
        narrow(result, out, (spare[0], spare[1]))
    room.give_back()


def _small(x: Array) -> Array:
    """A half operand that is broadcast, as float32."""
    return x.astype(FLOAT32) if x.size <= _KEPT else float32_of(x)


def one_dtype(arrays: Sequence[Array]) -> bool:
    """True if all arrays have one dtype."""
    return all(x.dtype == arrays[0].dtype for x in arrays)


def work_dtype(*dtypes: np.dtype[Any]) -> np.dtype[Any]:
    """Where operands of these dtypes compute: float32 for halves, else their own."""
    widest = dtypes[0]
    for dtype in dtypes:
        if dtype in HALVES:
            dtype = FLOAT32
        widest = dtype if widest in HALVES else np.promote_types(widest, dtype)
    return widest


def bind_steps(
    steps: Steps,
    inputs: Sequence[Array],
    out: Array,
    *,
    temps: int = 0,
    work: np.dtype[Any] | None = None,
    result: np.dtype[Any] | None = None,
) -> Task:
    """Prepares ``steps(out, *inputs, *temps)``, elementwise, on arrays of any size.

    Args:
        steps: Writes ``out``; may use the temporaries, must not write the inputs; ``out`` is never one of the inputs.
        inputs: Arrays broadcastable to the output; boolean ones are handed over as they are.
        out: Output array.
        temps: Number of temporaries (dtype ``work``) the steps want.
        work: Dtype of computation; default float32 for halves, else the inputs' own.
        result: Dtype the steps write; default ``work``, converted to the output's where it differs.
    """
    numeric = [x.dtype for x in inputs if x.dtype != _BOOL]
    if work is None:
        work = work_dtype(*numeric) if numeric else out.dtype
    if result is None:
        result = work
    if out.size == 0:
        return _nothing, ()
    if out.dtype in HALVES and len(inputs) == 1 and out.size >= half_tables.WORTH and work == result == FLOAT32:
        key, x = half_tables.key_of(steps), inputs[0]
        if key is not None and x.dtype == out.dtype and x.shape == out.shape:
            return half_tables.bind(key, steps, temps, x, out)
    if out.ndim == 0:  # steps make temporaries, and NumPy turns those of rank 0 into scalars
        out, inputs = out.reshape(1), [x.reshape(1) for x in inputs]
    shared = any(np.may_share_memory(x, out) for x in inputs)
    direct = out.dtype == result and not shared and all(x.dtype in (work, _BOOL) for x in inputs)
    if direct and (out.size <= _KEPT or (temps == 0 and out.size <= BLOCK)):
        return steps, (out, *inputs, *(np.empty(out.shape, work) for _ in range(temps)))
    return Blocked(steps, inputs, out, temps, work, result, direct).run, ()


def _nothing() -> None:
    """The work of an empty output."""


class Blocked:
    """Steps bound to arrays that are worked through piece by piece."""

    __slots__ = ("_writes", "conversions", "converts", "indices", "inputs", "lends", "length", "out", "result", "steps", "temps", "work")

    def __init__(
        self, steps: Steps, inputs: Sequence[Array], out: Array, temps: int, work: np.dtype[Any], result: np.dtype[Any], direct: bool
    ) -> None:
        self._writes = not direct and (out.dtype != result or any(np.may_share_memory(x, out) for x in inputs))
        if _flat_alike(inputs, out):
            out = out.reshape(-1)
            inputs = [x.reshape(-1) for x in inputs]
        self.steps = steps
        self.inputs = inputs
        self.out = out
        self.temps = temps
        self.work = work
        self.result = result
        self.converts = [x.dtype != work and x.dtype != _BOOL for x in inputs]
        self.conversions = _distinct(inputs, self.converts)
        self.lends = 0 if not self._writes or result != work else 3 if out.dtype == FLOAT16 and work == FLOAT32 else 1
        block = BLOCK if any(self.converts) or self._writes else WIDE_BLOCK
        self.indices = list(pieces(out.shape, block))
        self.length = min(out.size, block)

    def run(self) -> None:
        """Does the work; scratch lives only as long as the run."""
        if len(self.indices) == 1:
            self._run_at_once()
            return
        work, steps, length, whole = self.work, self.steps, self.length, self.out
        inputs = [self._spread(x, converts) for x, converts in zip(self.inputs, self.converts, strict=True)]
        room = lend(length, sum(self.converts) + self.temps + self.lends, work)
        free = iter(room.arrays)
        scratch = [next(free) if converts else None for converts in self.converts]
        temps = list(islice(free, self.temps))
        written = (next(free) if self.lends else np.empty(length, self.result)) if self._writes else None
        spare = (next(free), next(free)) if self.lends == 3 else None
        for index in self.indices:
            out = whole[index]
            size, shape = out.size, None if whole.ndim == 1 else out.shape
            operands = []
            for array, wide in zip(inputs, scratch, strict=True):
                piece = array[index]
                if wide is not None:
                    target = _part(wide, size, shape)
                    widen(piece, target)
                    piece = target
                operands.append(piece)
            for temp in temps:
                operands.append(_part(temp, size, shape))
            if written is None:
                steps(out, *operands)
            else:
                target = _part(written, size, shape)
                steps(target, *operands)
                narrow(target, out, spare)
        room.give_back()

    def _run_at_once(self) -> None:
        """The same for arrays of one piece."""
        out, size, work = self.out, self.out.size, self.work
        flat = out.ndim == 1
        room = lend(size, len(self.conversions) + self.temps + self.lends, work)
        operands, free = list(self.inputs), iter(room.arrays)
        for x, places in self.conversions:
            wide = next(free)
            if not flat or x.size != size:
                wide = wide[: x.size].reshape(x.shape)
            widen(x, wide)
            for place in places:
                operands[place] = wide
        for _ in range(self.temps):
            operands.append(next(free) if flat else next(free).reshape(out.shape))
        if self._writes:
            target = next(free) if self.lends else np.empty(size, self.result)
            self.steps(target if flat else target.reshape(out.shape), *operands)
            narrow(target if flat else target.reshape(out.shape), out, (next(free), next(free)) if self.lends == 3 else None)
        else:
            self.steps(out, *operands)
        room.give_back()

    def _spread(self, x: Array, converts: bool) -> Array:
        """An input in the output's shape; a smaller one that needs conversion is converted once, not in every piece."""
        if x.shape == self.out.shape:
            return x
        if converts and x.size <= BLOCK:
            wide = np.empty(x.shape, self.work)
            widen(x, wide)
            x = wide
        return np.broadcast_to(x, self.out.shape)


def _distinct(inputs: Sequence[Array], converts: Sequence[bool]) -> list[tuple[Array, list[int]]]:
    """The arrays to convert, each once, and the places where each is an input."""
    places: dict[tuple[int, Shape, tuple[int, ...], str], tuple[Array, list[int]]] = {}
    for place, (x, wanted) in enumerate(zip(inputs, converts, strict=True)):
        if wanted:
            key = x.__array_interface__["data"][0], x.shape, x.strides, x.dtype.str
            places.setdefault(key, (x, []))[1].append(place)
    return list(places.values())


def _part(scratch: Array, size: int, shape: Shape | None) -> Array:
    """The beginning of a scratch array, in a shape where it is not flat."""
    part = scratch[:size]
    return part if shape is None else part.reshape(shape)


def prod(dims: Sequence[int]) -> int:
    """The product of dims, 1 for none."""
    return math.prod(dims)
