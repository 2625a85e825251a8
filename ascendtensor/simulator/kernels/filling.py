"""Placing data among a fill: padding, triangles and diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ascendtensor.simulator.kernels.operands import as_is, count, ints, known_ints, needs, raw, static, unknown
from ascendtensor.simulator.kernels.registry import (
    UNKNOWN_RANK,
    Array,
    Attrs,
    Inputs,
    Meta,
    Out,
    Outputs,
    Task,
    binder,
    infer,
)

Pads = list[tuple[int, int]]

_PAD_MODES = {"edge": "edge", "reflect": "reflect", "symmetric": "symmetric", "circular": "wrap", "wrap": "wrap"}


# Padding


def _pads(items: Sequence[int], ndim: int, contiguous: bool = True) -> Pads:
    """Pairs per axis from ``[begin0, end0, begin1, ...]``, or from all begins before all ends."""
    if len(items) != 2 * ndim:
        raise ValueError(f"paddings has {len(items)} elements, {ndim} dims need {2 * ndim}")
    if min(items, default=0) < 0:
        raise ValueError(f"paddings {list(items)} has a negative element")
    return list(zip(items[::2], items[1::2], strict=True)) if contiguous else list(zip(items[:ndim], items[ndim:], strict=True))


def _flat(pairs: Sequence[Sequence[int]]) -> list[int]:
    return [int(item) for pair in pairs for item in pair]


def _padded(x: Meta, items: Sequence[int] | None, contiguous: bool = True) -> list[Out]:
    if unknown(x) or items is None:
        return [Out(x.dtype, UNKNOWN_RANK if unknown(x) else (-1,) * len(x.shape))]
    pads = _pads(items, len(x.shape), contiguous)
    return [Out(x.dtype, tuple(-1 if dim < 0 else before + dim + after for dim, (before, after) in zip(x.shape, pads, strict=True)))]


def _pad_constant(out: Array, x: Array, pads: Pads, value: Any) -> None:
    """Fills the border and copies the middle, each element written once."""
    region: list[slice] = [slice(None)] * out.ndim
    for axis, (before, after) in enumerate(pads):
        stop = out.shape[axis] - after
        for border in (slice(0, before), slice(stop, None)):
            region[axis] = border
            np.copyto(out[tuple(region)], value, casting="unsafe")
        region[axis] = slice(before, stop)
    np.copyto(out[tuple(region)], x)


def _constant_task(x: Array | None, out: Array, pads: Pads, value: Any) -> Task:
    source, target = raw(needs(x, "x")), raw(out)
    if target.shape != tuple(before + dim + after for dim, (before, after) in zip(source.shape, pads, strict=True)):
        raise ValueError(f"shape {list(source.shape)} padded by {pads} does not fill {list(target.shape)}")
    if isinstance(value, np.ndarray):
        if value.size != 1:
            raise ValueError(f"constant_values has {value.size} elements, one is needed")
        if value.dtype != out.dtype:
            raise ValueError(f"constant_values is {value.dtype}, the output {out.dtype}")
        value = raw(value).reshape(())
    return _pad_constant, (target, source, pads, value)


def _pad_mirror(out: Array, x: Array, pads: Pads, mode: str) -> None:
    """Copies the middle, then gathers the borders axis by axis with the indices that NumPy's own padding of an index gives."""
    region = [slice(before, before + dim) for dim, (before, _) in zip(x.shape, pads, strict=True)]
    as_is(out, np.broadcast_to(out, tuple(before + dim + after for dim, (before, after) in zip(x.shape, pads, strict=True))))
    np.copyto(out[tuple(region)], x)
    for axis, (before, after) in enumerate(pads):
        dim = x.shape[axis]
        if mode != "wrap" and mode != "edge" and max(before, after) > (dim - 1 if mode == "reflect" else dim):
            raise ValueError(f"padding {pads[axis]} is too much for a dim of {dim} (mode {mode})")
        if dim == 0 and (before or after):
            raise ValueError(f"axis {axis} has no element to pad with (mode {mode})")
        if before or after:
            index = np.pad(np.arange(dim), (before, after), mode=mode)  # type: ignore[call-overload]
            body = out[tuple(region)]
            for part in (slice(0, before), slice(before + dim, None)):
                region[axis] = part
                np.copyto(out[tuple(region)], body[(slice(None),) * axis + (index[part],)])  # take would copy all of it first
        region[axis] = slice(None)


@binder("PadV3", values=(1,))
def _pad_v3(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, value = needs(inputs[0], "x"), inputs[2] if len(inputs) > 2 else None
    pads = _pads(ints(inputs[1], "paddings"), x.ndim, attrs["paddings_contiguous"])
    return _by_mode(x, outputs[0], pads, attrs["mode"], 0 if value is None else value)


@binder("PadV3D")
def _pad_v3d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x = needs(inputs[0], "x")
    pads = _pads(_flat(attrs["paddings"]), x.ndim, attrs["paddings_contiguous"])
    return _by_mode(x, outputs[0], pads, attrs["mode"], np.full(1, attrs["constant_values"], outputs[0].dtype))


def _by_mode(x: Array, out: Array, pads: Pads, mode: str, value: Any) -> Task:
    if mode == "constant":
        return _constant_task(x, out, pads, value)
    if mode not in _PAD_MODES:
        raise ValueError(f"mode {mode!r} is none of constant, {', '.join(_PAD_MODES)}")
    return _pad_mirror, (raw(out), raw(x), pads, _PAD_MODES[mode])


@binder("Pad", values=(1,))
def _pad(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _constant_task(inputs[0], outputs[0], _pads(ints(inputs[1], "paddings"), outputs[0].ndim), 0)


@binder("PadD")
def _pad_d(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _constant_task(inputs[0], outputs[0], _pads(_flat(attrs["paddings"]), outputs[0].ndim), 0)


@binder("PadV2", values=(1,))
def _pad_v2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _constant_task(inputs[0], outputs[0], _pads(ints(inputs[1], "paddings"), outputs[0].ndim), needs(inputs[2], "constant_values"))


@binder("MirrorPad", values=(1,))
def _mirror_pad(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, mode = needs(inputs[0], "x"), attrs["mode"].lower()
    if mode not in ("reflect", "symmetric"):
        raise ValueError(f"mode {attrs['mode']!r} is neither REFLECT nor SYMMETRIC")
    return _pad_mirror, (raw(outputs[0]), raw(x), _pads(ints(inputs[1], "paddings"), x.ndim), mode)


@infer("Pad", "PadV2", "MirrorPad")
def _pad_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _padded(inputs[0], known_ints(inputs[1]))


@infer("PadV3")
def _pad_v3_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _padded(inputs[0], known_ints(inputs[1]), attrs["paddings_contiguous"])


@infer("PadD")
def _pad_d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _padded(inputs[0], _flat(attrs["paddings"]))


@infer("PadV3D")
def _pad_v3d_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _padded(inputs[0], _flat(attrs["paddings"]), attrs["paddings_contiguous"])


# Triangles


def _matrix(x: Array) -> Array:
    if x.ndim < 2:
        raise ValueError(f"shape {list(x.shape)} has no matrix")
    return x


def _lower(out: Array, x: Array, diagonal: int) -> None:
    np.copyto(out, x)
    np.copyto(out, out.dtype.type(0), where=~np.tri(x.shape[-2], x.shape[-1], diagonal, bool))


def _upper(out: Array, x: Array, diagonal: int) -> None:
    np.copyto(out, x)
    np.copyto(out, out.dtype.type(0), where=np.tri(x.shape[-2], x.shape[-1], diagonal - 1, bool))


@binder("Tril")
def _tril(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _lower, (raw(outputs[0]), _matrix(raw(needs(inputs[0], "x"))), attrs["diagonal"])


@binder("Triu")
def _triu(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _upper, (raw(outputs[0]), _matrix(raw(needs(inputs[0], "x"))), attrs["diagonal"])


# Diagonals


def _diagonal(matrix: Array, diagonal: int = 0) -> Array:
    """The diagonal of the last two dims, as a view that can be written."""
    rows, cols = matrix.shape[-2:]
    row, col = max(-diagonal, 0), max(diagonal, 0)
    length = max(min(rows - row, cols - col), 0)
    strides = (*matrix.strides[:-2], matrix.strides[-2] + matrix.strides[-1])
    corner = matrix[..., row:, col:] if length else matrix[..., :0, :0]
    return np.lib.stride_tricks.as_strided(corner, (*matrix.shape[:-2], length), strides)


def _embed(out: Array, diagonal: Array, x: Array) -> None:
    out.fill(0)
    np.copyto(diagonal, x)


def _embedded(x: Array, matrix: Array, out: Array, diagonal: int = 0) -> Task:
    """Writes a vector as the diagonal of a zero matrix; ``matrix`` is a view of ``out``."""
    place = _diagonal(matrix, diagonal)
    return _embed, (out, place, as_is(place, x))


@binder("DiagV2")
def _diag_v2(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, out = raw(needs(inputs[0], "x")), raw(outputs[0])
    if x.ndim == 1:
        return _embedded(x, out, out, attrs["diagonal"])
    return np.copyto, (out, as_is(out, _diagonal(x, attrs["diagonal"])))


@infer("DiagV2")
def _diag_v2_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, diagonal = inputs[0], attrs["diagonal"]
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if len(x.shape) == 1:
        size = x.shape[0] + abs(diagonal) if x.shape[0] >= 0 else -1
        return [Out(x.dtype, (size, size))]
    if len(x.shape) != 2:
        raise ValueError(f"shape {list(x.shape)} is neither a vector nor a matrix")
    if not static(x.shape):
        return [Out(x.dtype, (-1,))]
    rows, cols = x.shape
    return [Out(x.dtype, (max(min(rows - max(-diagonal, 0), cols - max(diagonal, 0)), 0),))]


@binder("DiagFlat")
def _diag_flat(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _embedded(raw(needs(inputs[0], "x")).reshape(-1), raw(outputs[0]), raw(outputs[0]), attrs["diagonal"])


@infer("DiagFlat")
def _diag_flat_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    size = -1 if unknown(inputs[0]) else count(inputs[0].shape)
    size = size + abs(attrs["diagonal"]) if size >= 0 else -1
    return [Out(inputs[0].dtype, (size, size))]


@binder("Diag")
def _diag(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, out = raw(needs(inputs[0], "x")), raw(outputs[0])
    return _embedded(x.reshape(-1), out.reshape(x.size, x.size), out)


@infer("Diag")
def _diag_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    shape = inputs[0].shape
    return [Out(inputs[0].dtype, UNKNOWN_RANK if unknown(inputs[0]) else shape + shape)]


@binder("DiagPart")
def _diag_part(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    x, out = raw(needs(inputs[0], "x")), raw(outputs[0]).reshape(-1)
    size = out.size
    return np.copyto, (out, as_is(out, _diagonal(x.reshape(size, size))))


@infer("DiagPart")
def _diag_part_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    half = len(x.shape) // 2
    if len(x.shape) % 2 or not half or any(a != b and min(a, b) >= 0 for a, b in zip(x.shape[:half], x.shape[half:], strict=True)):
        raise ValueError(f"shape {list(x.shape)} does not consist of two equal halves")
    return [Out(x.dtype, tuple(max(a, b) for a, b in zip(x.shape[:half], x.shape[half:], strict=True)))]


@binder("MatrixDiag")
def _matrix_diag(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _embedded(raw(needs(inputs[0], "x")), raw(outputs[0]), raw(outputs[0]))


@infer("MatrixDiag")
def _matrix_diag_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    if not x.shape:
        raise ValueError("a 0-d input is no diagonal")
    return [Out(x.dtype, UNKNOWN_RANK if unknown(x) else (*x.shape, x.shape[-1]))]


@binder("MatrixDiagPart")
def _matrix_diag_part(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    out = raw(outputs[0])
    return np.copyto, (out, as_is(out, _diagonal(_matrix(raw(needs(inputs[0], "x"))))))


@infer("MatrixDiagPart")
def _matrix_diag_part_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x = inputs[0]
    if unknown(x):
        return [Out(x.dtype, UNKNOWN_RANK)]
    if len(x.shape) < 2:
        raise ValueError(f"shape {list(x.shape)} has no matrix")
    rows, cols = x.shape[-2:]
    return [Out(x.dtype, (*x.shape[:-2], -1 if min(rows, cols) < 0 else min(rows, cols)))]


def _fill_diagonal(x: Array, out: Array, value: float, wrap: bool) -> None:
    np.copyto(out, x)
    np.fill_diagonal(out, np.asarray(value).astype(out.dtype), wrap)


@binder("FillDiagonal")
def _bind_fill_diagonal(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _fill_diagonal, (_matrix(needs(inputs[0], "x")), outputs[0], attrs["fill_value"], attrs["wrap"])
