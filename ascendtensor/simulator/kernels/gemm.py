"""The product that ``acl.blas`` runs: y = alpha * a * b + beta * c, operands row-major or in fractal layout.

A fractal operand has four dims. Blocks lie one after another: of ``a``, ``c`` and ``y`` (and of ``b``, but for 8-bit
integers) as (columns / block, rows / 16, 16, block), of an 8-bit ``b`` as (rows / 32, columns / 16, 16, 32). A fractal
matrix is as large as its blocks, so what lies beyond the real matrix must be zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.halves import float32_of, store
from ascendtensor.simulator.kernels.operands import needs, unknown
from ascendtensor.simulator.kernels.registry import Array, Attrs, Inputs, Meta, Out, Outputs, Shape, infer, kernel

_COMBINATIONS = frozenset(
    (int(operand), int(result))
    for operand, result in (
        (DataType.FLOAT16, DataType.FLOAT16),
        (DataType.FLOAT16, DataType.FLOAT),
        (DataType.INT8, DataType.FLOAT),
        (DataType.INT8, DataType.INT32),
    )
)
_EXACT_LENGTH = 1 << 16
"""Up to this many products of 8-bit integers add up to less than 2**31, so that float64 holds every sum."""


def _matrix(array: Array, turn: bool, weights: bool = False) -> Array:
    """The operand as a plain matrix; ``weights`` for an 8-bit fractal ``b``."""
    if array.ndim == 2:
        return array.T if turn else array
    outer, blocks, block, inner = array.shape
    # For weights (rows, columns, columns within, rows within).
    matrix: Array = array.transpose(0, 3, 1, 2) if weights else array.transpose(1, 2, 0, 3)
    return matrix.reshape((outer * inner, blocks * block) if weights else (blocks * block, outer * inner))


def _product(a: Array, b: Array, out_dtype: np.dtype[Any]) -> Array:
    length = min(a.shape[1], b.shape[0])  # one of them may be padded to whole blocks
    a, b = a[:, :length], b[:length]
    if a.dtype.kind == "i":
        exact = np.dtype(np.float64) if length <= _EXACT_LENGTH else np.dtype(np.int32)
        sums: Array = np.matmul(a.astype(exact), b.astype(exact))
        return sums.astype(np.int32 if out_dtype.kind == "i" else np.float32)
    product: Array = np.matmul(float32_of(np.ascontiguousarray(a)), float32_of(np.ascontiguousarray(b)))
    return product


@kernel("GEMM")
def _gemm(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    a, b, c, alpha, beta = (needs(array, name) for array, name in zip(inputs, ("a", "b", "c", "alpha", "beta"), strict=True))
    out = outputs[0]
    product = _product(_matrix(a, attrs["transpose_a"]), _matrix(b, attrs["transpose_b"], b.dtype.itemsize == 1), out.dtype)
    addend = _matrix(c, False)
    rows, columns = min(product.shape[0], addend.shape[0]), min(product.shape[1], addend.shape[1])
    result = np.zeros(addend.shape, product.dtype)
    result[:rows, :columns] = product[:rows, :columns]
    result *= _scalar(alpha, product.dtype)
    result += float32_of(np.ascontiguousarray(addend)).astype(product.dtype, copy=False) * _scalar(beta, product.dtype)
    if out.ndim == 4:
        blocks, strips, block, inner = out.shape
        result = np.ascontiguousarray(result.reshape(strips, block, blocks, inner).transpose(2, 0, 1, 3))
    store(result, out)


def _scalar(array: Array, dtype: np.dtype[Any]) -> Any:
    return array.astype(dtype).reshape(())[()]


def _size(meta: Meta, turn: bool, weights: bool = False) -> tuple[Shape, bool]:
    """Rows and columns, -1 where not known, and whether they are rounded up to blocks.

    Raises:
        ValueError: Neither two nor four dims.
    """
    shape = meta.shape
    if unknown(meta):
        return (-1, -1), False
    if len(shape) == 2:
        return (shape[1], shape[0]) if turn else (shape[0], shape[1]), False
    if len(shape) != 4:
        raise ValueError(f"shape {list(shape)} is neither a matrix nor a fractal one of four dims")
    if turn:
        raise ValueError("a fractal operand can't be transposed")
    outer, blocks, block, inner = (-1 if dim < 0 else dim for dim in shape)
    strips, columns = (-1 if min(pair) < 0 else pair[0] * pair[1] for pair in ((blocks, block), (outer, inner)))
    return ((columns, strips) if weights else (strips, columns)), True


def _agree(one: int, other: int, rounded: tuple[bool, bool], what: str) -> None:
    """Equal sizes, or one of them rounded up to whole blocks of at most 32."""
    if one < 0 or other < 0 or one == other:
        return
    low, high = sorted((one, other))
    if not any(rounded) or high - low >= 32:
        raise ValueError(f"{what} differ: {one} and {other}")


@infer("GEMM")
def _gemm_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    a, b, c, alpha, beta = inputs
    if a.dtype != b.dtype or (a.dtype, c.dtype) not in _COMBINATIONS:
        raise ValueError(f"data types {a.dtype}, {b.dtype} and {c.dtype} are no combination of a, b and c")
    if alpha.dtype != c.dtype or beta.dtype != c.dtype:
        raise ValueError("alpha and beta are of the data type of c")
    (rows, inner), fractal_a = _size(a, attrs["transpose_a"])
    (inner_b, columns), fractal_b = _size(b, attrs["transpose_b"], b.dtype == DataType.INT8)
    (rows_c, columns_c), fractal_c = _size(c, False)
    _agree(inner, inner_b, (fractal_a, fractal_b), "the inner sizes of a and b")
    _agree(rows, rows_c, (fractal_a, fractal_c), "the rows of a and c")
    _agree(columns, columns_c, (fractal_b, fractal_c), "the columns of b and c")
    return [Out(c.dtype, c.shape)]
