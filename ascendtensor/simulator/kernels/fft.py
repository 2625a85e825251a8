"""Fourier transforms along the last axis, or the last two (spectral_ops.h; the operators of TensorFlow by the same names)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels import registry, rules
from ascendtensor.simulator.kernels.operands import known_ints, needs, one_int
from ascendtensor.simulator.kernels.registry import Array, Attrs, Meta, Out, Outputs, Shape, Task, binder, infer
from ascendtensor.simulator.kernels.threads import shared

_BLOCK = 1 << 16
"""Elements transformed at a time, so that what NumPy makes on the way stays in the cache."""
_SHARED = 1 << 18
"""Elements that are worth several threads."""
_COLUMNS = 32
"""Columns that are transformed at a time: what a line of the cache holds of them is used before it goes."""
_WRITES = np.lib.NumpyVersion(np.__version__) >= "2.0.0"
"""Whether NumPy's transforms write into arrays, and keep single precision."""

Transform = Callable[..., Any]


def _put(transform: Transform, x: Array, out: Array, axis: int = -1) -> None:
    if _WRITES:
        transform(x, axis=axis, out=out)
    else:
        np.copyto(out, transform(x, axis=axis), casting="same_kind")


def _by_lines(transform: Transform, x: Array, out: Array) -> None:
    """Transforms of the last axis, several at a time."""
    x, out = x.reshape(-1, x.shape[-1]), out.reshape(-1, out.shape[-1])
    several = max(1, _BLOCK // max(1, out.shape[-1]))

    def some(first: int, last: int) -> None:
        for block in range(first, last):
            at = slice(block * several, (block + 1) * several)
            _put(transform, x[at], out[at])

    shared(-(-len(out) // several), some, out.size > _SHARED)


def _by_images(transform: Transform, x: Array, out: Array) -> None:
    """Transforms of the last two axes: of their rows, then of their columns."""
    rows, columns = out.shape[-2:]
    images = out.reshape(-1, rows, columns)
    if rows * columns <= _BLOCK:
        given, several = x.reshape(images.shape), max(1, _BLOCK // max(1, rows * columns))

        def whole(first: int, last: int) -> None:
            for block in range(first, last):
                at = images[block * several : (block + 1) * several]
                _put(transform, given[block * several : (block + 1) * several], at)
                _put(transform, at, at, -2)

        shared(-(-len(images) // several), whole, images.size > _SHARED)
        return
    _by_lines(transform, x, out)
    strips = -(-columns // _COLUMNS)

    def some(first: int, last: int) -> None:
        for place in range(first, last):
            image, strip = divmod(place, strips)
            at = images[image, :, strip * _COLUMNS : (strip + 1) * _COLUMNS]
            _put(transform, at, at, 0)

    shared(len(images) * strips, some, images.size > _SHARED)


def _binder(op_type: str, dims: int, transform: Transform) -> registry.BindFunction:
    def bind(inputs: list[Array], outputs: list[Array], attrs: Attrs) -> Task:
        (x,) = inputs
        if x.dtype.kind != "c":
            raise TypeError(f"{op_type} has no kernel for {x.dtype}")
        return (_by_lines if dims == 1 else _by_images), (transform, x, outputs[0])

    return bind


def _rule(op_type: str, dims: int) -> registry.InferRule:
    def rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
        if inputs[0].shape != registry.UNKNOWN_RANK and len(inputs[0].shape) < dims:
            raise ValueError(f"{op_type} needs {dims} axes, the operand has shape {list(inputs[0].shape)}")
        return rules.of(inputs[0].dtype, inputs[0].shape)

    return rule


_TRANSFORMS: dict[str, tuple[int, Transform]] = {
    "FFT": (1, np.fft.fft),
    "IFFT": (1, np.fft.ifft),
    "FFT2D": (2, np.fft.fft),
    "IFFT2D": (2, np.fft.ifft),
}
for _name, (_dims, _transform) in _TRANSFORMS.items():
    registry.add(_name, _binder(_name, _dims, _transform))
    registry.add_rule(_name, _rule(_name, _dims))


def _last(shape: Shape, length: int, op_type: str) -> Shape:
    if shape == registry.UNKNOWN_RANK:
        return shape
    if not shape:
        raise ValueError(f"{op_type} needs an axis, the operand has none")
    return (*shape[:-1], length)


def _length(meta: Meta, op_type: str) -> int | None:
    """The one element of fft_length, None where it is not known.

    Raises:
        ValueError: It has another number of elements, or is not positive.
    """
    if meta.shape not in ((1,), (-1,), registry.UNKNOWN_RANK):
        raise ValueError(f"{op_type}: fft_length has shape {list(meta.shape)}, [1] is needed")
    found = known_ints(meta)
    if found is None:
        return None
    if found[0] < 1:
        raise ValueError(f"{op_type}: fft_length {found[0]} is not positive")
    return found[0]


@infer("RFFT")
def _rfft_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """fft_length // 2 + 1 numbers in the place of the last axis."""
    length = _length(inputs[1], "RFFT")
    return rules.of(DataType.COMPLEX64, _last(inputs[0].shape, -1 if length is None else length // 2 + 1, "RFFT"))


@infer("IRFFT")
def _irfft_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    """fft_length numbers in the place of the last axis."""
    length = _length(inputs[1], "IRFFT")
    return rules.of(DataType.FLOAT, _last(inputs[0].shape, -1 if length is None else length, "IRFFT"))


@binder("RFFT", values=(1,))
def _rfft(inputs: list[Array], outputs: Outputs, attrs: Attrs) -> Task:
    """The first half of the spectrum of the last axis, which is cut off or filled with zeros to fft_length."""
    x, length = inputs[0], one_int(needs(inputs[1], "fft_length"), "fft_length")
    if x.dtype != np.float32:
        raise TypeError(f"RFFT has no kernel for {x.dtype}")
    return _by_lines, (partial(np.fft.rfft, n=length), x, outputs[0])


@binder("IRFFT", values=(1,))
def _irfft(inputs: list[Array], outputs: Outputs, attrs: Attrs) -> Task:
    """fft_length real numbers of the first half of their spectrum, which is cut off or filled with zeros to fft_length // 2 + 1."""
    x, length = inputs[0], one_int(needs(inputs[1], "fft_length"), "fft_length")
    if x.dtype != np.complex64:
        raise TypeError(f"IRFFT has no kernel for {x.dtype}")
    return _by_lines, (partial(np.fft.irfft, n=length), x, outputs[0])
