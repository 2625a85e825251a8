"""Cast: every dtype to every other."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels import half_tables, rules
from ascendtensor.simulator.kernels.blocks import bind_steps
from ascendtensor.simulator.kernels.halves import EVERY, FLOAT16, FLOAT32, HALVES, PIECE, store, widen_all
from ascendtensor.simulator.kernels.masks import clear
from ascendtensor.simulator.kernels.registry import Array, Attrs, Meta, Out, Task, binder, infer

_BOOL = np.dtype(np.bool_)
_BY_FLOAT32 = 16384
"""Elements from which two conversions are quicker than NumPy's one from float16 to float64, and from integers to float16."""


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
        if source == FLOAT16:
            return bind_steps(_half_to_bool, [x.view(np.uint16)], out, result=_BOOL)
        return (_convert, (out, x)) if source in HALVES else (np.not_equal, (x, np.zeros((), source), out))
    if source.kind == "c" and target.kind != "c":
        x = x.real
        source = x.dtype
        if source == target:
            return np.copyto, (out, x)
    floating = source.kind == "f" or source in HALVES
    if floating and target.kind in "iu":
        work = FLOAT32 if source in HALVES else source
        if source in HALVES and x.size >= half_tables.WORTH:
            if source == FLOAT16 and (x.size <= PIECE or target.itemsize == 8):
                return _looked_up(x, out)
            plain = bind_steps(_convert, [x], out, work=work, result=target) if source == FLOAT16 else (_convert, (out, x))
            return _truncate, (x, out, *_fitting(source, target), plain)
        return bind_steps(_Truncation(work, target), [x], out, work=work, result=target)
    if source in HALVES and target in HALVES:
        return bind_steps(_convert, [x], out, work=FLOAT32, result=FLOAT32)
    if source == FLOAT32 and target == np.float16:
        return store, (x, out)
    if target == np.float16 and source == _BOOL:
        return np.multiply, (x.view(np.uint8), np.ones((), target).view(np.uint16), out.view(np.uint16))
    if target == np.float16 and source.kind in "iu" and x.size >= _BY_FLOAT32:
        return bind_steps(_convert, [x], out, work=source, result=FLOAT32)
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


@lru_cache(maxsize=32)
def _fitting(source: np.dtype[Any], target: np.dtype[Any]) -> tuple[int, int]:
    """The bits of the largest and of the lowest half that fit an integer type after truncation."""
    with np.errstate(invalid="ignore"):
        values = EVERY.view(source).astype(np.float64)
    limits = np.iinfo(target)
    fit = (values > limits.min - 1.0) & (values < limits.max + 1.0)
    return int(EVERY[: 1 << 15][fit[: 1 << 15]].max()), int(EVERY[fit].max())


def _truncate(x: Array, out: Array, largest: int, lowest: int, plain: Task) -> None:
    """NumPy's or ml_dtypes' conversion, which leaves undefined what does not fit."""
    bits, values = x.view(np.uint16), x.view(np.int16)
    last = bits.item(bits.argmax())
    fits = last <= largest or (0x8000 <= last <= lowest and values.item(values.argmax()) <= largest)
    fn, args = plain if fits else _looked_up(x, out)
    fn(*args)


def _looked_up(x: Array, out: Array) -> Task:
    return half_tables.bind((_Truncation, out.dtype), _Truncation(FLOAT32, out.dtype), 0, x, out)


class _Truncation:
    """Float to integer; what C leaves undefined (NaN, values out of range) is the same at every position."""

    __slots__ = ("high", "highest", "low")

    def __init__(self, work: np.dtype[Any], target: np.dtype[Any]) -> None:
        limits = np.iinfo(target)
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
        near = np.clip(x, self.low, np.nextafter(self.high, self.low))
        clear(near, near != near)
        np.copyto(out, near, casting="unsafe")
        np.copyto(out, self.highest, where=x >= self.high)
