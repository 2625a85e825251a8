"""Filling new tensors: constants, ranges, identity matrices."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, floor
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels.operands import as_is, dims_of, known_ints, needs, one_int, raw
from ascendtensor.simulator.kernels.registry import NUMPY_OF, Array, Attrs, Inputs, Meta, Out, Outputs, Shape, Task, binder, infer, kernel

_BLOCK = 1 << 15
"""Elements computed at a time, so that temporaries stay in the cache."""


def _filled(dims: Meta) -> Shape:
    shape = dims_of(dims)
    if dims.value is not None and min(shape, default=0) < 0:
        raise ValueError(f"dims {list(shape)} has a negative element")
    return shape


def _scalar(value: Array | None, what: str) -> Array:
    array = raw(needs(value, what))
    if array.size != 1:
        raise ValueError(f"{what} has {array.size} elements, one is needed")
    return array.reshape(())


@binder("Fill")
def _fill(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return np.ndarray.fill, (raw(outputs[0]), _scalar(inputs[1], "value"))  # a fifth of a microsecond less than np.copyto


@infer("Fill")
def _fill_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[1].dtype, _filled(inputs[0]))]


@binder("FillD")
def _fill_d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return np.ndarray.fill, (raw(outputs[0]), _scalar(inputs[0], "value"))


@infer("FillD")
def _fill_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, tuple(attrs["dims"]))]


@binder("FillV2", "Fills")
def _fill_attr(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return outputs[0].fill, (outputs[0].dtype.type(attrs["value"]),)


@infer("FillV2")
def _fill_v2_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(-1, _filled(inputs[0]))]


@infer("Fills")
def _fills_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(inputs[0].dtype, inputs[0].shape)]


def _eye(out: Array) -> None:
    out.fill(0)
    rows, cols = out.shape[-2:]
    length = min(rows, cols)
    out.reshape(-1, rows * cols)[:, : length * cols : cols + 1] = 1


@binder("Eye")
def _bind_eye(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    out = outputs[0]
    return (_eye, (out,)) if out.size else (out.fill, (0,))


@infer("Eye")
def _eye_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    rows, cols = attrs["num_rows"], attrs["num_columns"] or attrs["num_rows"]
    if rows < 0 or cols < 0:
        raise ValueError(f"{rows} rows and {cols} columns")
    return [Out(attrs["dtype"], (*attrs["batch_shape"], rows, cols))]


# Ranges


def _number(array: Array) -> Any:
    """One element as a Python int or float."""
    item = array.item()
    return item if array.dtype.kind in "iu" else float(item)


def _length(start: Any, limit: Any, delta: Any, closed: bool) -> int:
    """Elements of a range; integers are counted exactly.

    Raises:
        ValueError: The step is 0 or leads away from the limit.
    """
    if delta == 0 or (limit - start) * delta < 0:
        raise ValueError(f"a step of {delta} does not lead from {start} to {limit}")
    if isinstance(start, int) and isinstance(limit, int) and isinstance(delta, int):
        return int((limit - start) // delta + 1 if closed else -((start - limit) // delta))
    steps = (limit - start) / delta
    return int(floor(steps) + 1 if closed else ceil(steps))


def _range(start: Array, limit: Array, delta: Array, closed: bool, out: Array) -> None:
    """Every element is start + i * delta, rounded once; sums of steps would drift."""
    first, last, step = _number(start), _number(limit), _number(delta)
    length = _length(first, last, step, closed)
    if length != out.size:
        raise ValueError(f"range({first}, {last}, {step}) has {length} elements, the output {out.size}")
    _progression(out, first, step)


def _progression(out: Array, first: Any, step: Any) -> None:
    whole = isinstance(first, int) and isinstance(step, int)
    kind = np.dtype(np.int64 if whole else np.float64)
    for begin in range(0, out.size, _BLOCK):
        block = out[begin : begin + _BLOCK]
        index: Array = np.arange(begin, begin + block.size, dtype=kind)
        index *= kind.type(step)
        index += kind.type(first)
        np.copyto(block, index, casting="unsafe")


@binder("Range")
def _bind_range(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    start, limit, delta = (needs(array, "start, limit and delta") for array in inputs)
    if max(start.size, limit.size, delta.size) != 1 or outputs[0].ndim != 1:
        raise ValueError("start, limit and delta have one element each, the output one dim")
    return _range, (start, limit, delta, attrs["is_closed"], outputs[0])


@infer("Range")
def _range_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    length = -1
    numbers = [_number(value) for value in [meta.value for meta in inputs] if value is not None and value.size == 1]
    if len(numbers) == len(inputs):
        start, limit, delta = numbers
        length = _length(start, limit, delta, attrs["is_closed"])
    return [Out(_range_dtype(*[meta.dtype for meta in inputs]), (length,))]


@lru_cache(maxsize=64)
def _range_dtype(*dtypes: int) -> int:
    """Operands may mix integers and floats; the output then has the wider dtype (legal rows of the 910B), -1 of two of one width."""
    kinds = [NUMPY_OF[dtype] for dtype in dtypes]
    floating = {dtype for dtype, kind in zip(dtypes, kinds, strict=True) if kind.kind not in "iu"}
    found = floating or {dtype for dtype, kind in zip(dtypes, kinds, strict=True) if kind == max(kinds, key=_width)}
    return found.pop() if len(found) == 1 else -1


def _width(kind: np.dtype[Any]) -> int:
    return int(kind.itemsize)


def _lin_space(start: Array, stop: Array, num: Array, out: Array) -> None:
    """Both halves count from their own end, so that both ends are exact."""
    first, last, number = float(_number(start)), float(_number(stop)), one_int(num, "num")
    as_is(out, np.broadcast_to(out, (number,)))
    if number == 1:
        out[0] = first
        return
    step = (last - first) / (number - 1) if number else 0.0
    half = number // 2
    _progression(out[:half], first, step)
    _progression(out[half:][::-1], last, -step)


@binder("LinSpace")
def _bind_lin_space(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    start, stop, num = (needs(array, "start, stop and num") for array in inputs)
    if max(start.size, stop.size, num.size) != 1 or outputs[0].ndim != 1:
        raise ValueError("start, stop and num have one element each, the output one dim")
    return _lin_space, (start, stop, num, outputs[0])


@infer("LinSpace")
def _lin_space_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    if inputs[0].dtype != inputs[1].dtype:
        raise ValueError("start and stop differ in dtype")
    number = known_ints(inputs[2])
    if number and number[0] < 0:
        raise ValueError(f"num {number[0]} is negative")
    return [Out(inputs[0].dtype, (number[0] if number else -1,))]


@kernel("LogSpaceD")
def _log_space(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    exponents = np.linspace(attrs["start"], attrs["end"], attrs["steps"])
    np.copyto(outputs[0], as_is(outputs[0], np.power(float(attrs["base"]), exponents)), casting="unsafe")


@infer("LogSpaceD")
def _log_space_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(-1, (attrs["steps"],))]
