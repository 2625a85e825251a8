"""Cast: every dtype to every other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import rules
from ascendtensor.simulator.kernels.blocks import bind_steps
from ascendtensor.simulator.kernels.halves import FLOAT32, HALVES, store, widen_all
from ascendtensor.simulator.kernels.registry import Array, Attrs, Meta, Out, Task, binder, infer

_BOOL = np.dtype(np.bool_)
_BY_FLOAT32 = 16384
"""Elements from which two conversions are quicker than NumPy's one from float16 to float64."""


@infer("Cast")
def cast_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """The input's shape in ``dst_type``."""
    return rules.of(rules.type_code(attrs["dst_type"]), inputs[0].shape)


@binder("Cast")
def cast(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
    """y = x in another dtype.

    Float to integer truncates and saturates, NaN gives 0; integers wrap; anything to bool is ``!= 0``; complex to real
    drops the imaginary part; float to a narrower float rounds to nearest, ties to even.
    """
    x, out = inputs[0], outputs[0]
    source, target = x.dtype, out.dtype
    if source == target:
        return np.copyto, (out, x)
    if target == _BOOL:
        # a half is zero if its bits without the sign are
        if source in HALVES:
            return bind_steps(_half_to_bool, [x.view(np.uint16)], out, result=_BOOL)
        return np.not_equal, (x, np.zeros((), source), out)
    if source.kind == "c" and target.kind != "c":
        x = x.real
        source = x.dtype
        if source == target:
            return np.copyto, (out, x)
    floating = source.kind == "f" or source in HALVES
    if floating and target.kind in "iu":
        work = FLOAT32 if source in HALVES else source
        return bind_steps(_Truncation(work, target), [x], out, work=work, result=target)
    if source in HALVES and target in HALVES:
        return bind_steps(_convert, [x], out, work=FLOAT32, result=FLOAT32)
    if source == FLOAT32 and target == np.float16:
        return store, (x, out)
    if source == np.float16 and target == FLOAT32:
        return widen_all, (x, out)
    if source == np.float16 and target == np.float64 and x.size >= _BY_FLOAT32:
        return bind_steps(_convert, [x], out, work=FLOAT32, result=target)
    if np.can_cast(source, target, "same_kind"):
        return np.copyto, (out, x)
    return _convert, (out, x)


def _convert(out: Array, x: Array) -> None:
    np.copyto(out, x, casting="unsafe")


def _half_to_bool(out: Array, bits: Array) -> None:
    np.not_equal(np.left_shift(bits, 1), 0, out)


class _Truncation:
    """Float to integer; what C leaves undefined (NaN, values out of range) is the same at every position."""

    __slots__ = ("high", "highest", "low", "lowest")

    def __init__(self, work: np.dtype[Any], target: np.dtype[Any]) -> None:
        limits = np.iinfo(target)
        self.lowest = limits.min
        self.highest = limits.max
        self.low = work.type(limits.min)  # a power of two, or 0: exact
        self.high = work.type(float(limits.max) + 1.0) if limits.bits > 16 else work.type(limits.max + 1)

    def __call__(self, out: Array, x: Array) -> None:
        if x.size == 0:
            return
        # Where the extremes are is found quicker than the extremes.
        if x.item(x.argmin()) >= self.low and x.item(x.argmax()) < self.high:  # False with a NaN
            np.copyto(out, x, casting="unsafe")
            return
        below, above = x < self.low, x >= self.high
        inside = np.logical_not(np.logical_or(below, above))
        inside &= x == x
        np.copyto(out, np.where(inside, x, 0), casting="unsafe")
        np.copyto(out, self.lowest, where=below)
        np.copyto(out, self.highest, where=above)
