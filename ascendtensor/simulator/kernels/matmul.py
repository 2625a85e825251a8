"""Matrix products.

Half types are multiplied as float32 and rounded once. Integers stay integers, but for 8-bit ones: sums of their products
are exact in float64, whose products are far faster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ascendtensor.codes import DataType
from ascendtensor.simulator.kernels.halves import FLOAT16, FLOAT32, HALVES, float32_of, store
from ascendtensor.simulator.kernels.operands import broadcast, needs, same, unknown
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Array, Attrs, Inputs, Meta, Out, Outputs, Shape, Task, binder, infer
from ascendtensor.simulator.kernels.threads import product, product_task

_PLAIN = tuple(np.dtype(kind) for kind in (np.float32, np.float64, np.complex64, np.complex128))

_EXACT_LENGTH = 1 << 16
"""Up to this many products of 8-bit integers add up to less than 2**31, and of 16-bit ones to less than 2**53."""
_WORTH_SPLITTING = 1 << 12
"""Elements of a matrix from which on integers are multiplied as floats."""


def _turned(array: Array, turn: bool) -> Array:
    return array.swapaxes(-1, -2) if turn else array


def _working_dtype(a: Array, b: Array, out: Array) -> np.dtype[Any]:
    """The dtype of the sums."""
    if out.dtype in _PLAIN and a.dtype == b.dtype == out.dtype:
        return out.dtype
    if a.dtype.itemsize == 1 and out.dtype == np.int32 and a.shape[-1] <= _EXACT_LENGTH:
        return np.dtype(np.float64)
    if a.dtype.kind in "iub":
        return np.dtype(np.int64) if out.dtype.itemsize == 8 else np.dtype(np.int32)
    return np.dtype(np.float32)


def _product(a: Array, b: Array, bias: Array | None, out: Array, dtype: np.dtype[Any]) -> None:
    """The product for operands that need another dtype, or a bias, before the result is rounded into the output."""
    result = out if out.dtype == dtype else np.empty(out.shape, dtype)
    if dtype == np.int32 and a.shape[-1] <= _EXACT_LENGTH and math.prod(a.shape[-2:]) >= _WORTH_SPLITTING:
        _product_of_words(a, b, result)
    else:
        left = _as(a, dtype)
        product(left, left if b is a else _as(b, dtype), result)
    if bias is not None:
        np.add(result, _as(bias, dtype), result)
    if result is not out:
        store(result, out)


def _product_of_words(a: Array, b: Array, out: Array) -> None:
    """Modulo 2**32, by three float64 products of 16-bit halves, whose sums are exact; NumPy's own of integers is many times slower."""
    a, b = a.astype(np.int32, copy=False), b.astype(np.int32, copy=False)
    (a_low, a_high), (b_low, b_high) = (((each & 0xFFFF).astype(np.float64), (each >> 16).astype(np.float64)) for each in (a, b))
    sums = np.empty(out.shape, np.float64)
    whole = np.zeros(out.shape, np.int64)
    for left, right in ((a_high, b_low), (a_low, b_high)):
        product(left, right, sums)
        whole += sums.astype(np.int64)
    whole <<= 16
    product(a_low, b_low, sums)
    whole += sums.astype(np.int64)
    np.copyto(out, whole, casting="unsafe")


def _as(array: Array, dtype: np.dtype[Any]) -> Array:
    """The array in the dtype of the sums; halves keep their strides, so that a transposed view stays one."""
    if array.dtype in HALVES and array.ndim > 1 and not array.flags.c_contiguous:
        turned: Array = float32_of(array.swapaxes(-1, -2)).swapaxes(-1, -2)
        return turned
    wide: Array = float32_of(array).astype(dtype, copy=False)
    return wide


def _half_product(a: Array, b: Array, out: Array) -> Task:
    return _float16_product if a.dtype == FLOAT16 else _bfloat16_product, (a, b, out, product_task(a, b, out)[0])


def _float16_product(a: Array, b: Array, out: Array, matmul: Callable[..., Array]) -> None:
    """The same without a bias, prepared: to find out what to do would take a tenth of the time of a small product."""
    left = _as(a, FLOAT32)
    store(matmul(left, left if b is a else _as(b, FLOAT32), None), out)


def _bfloat16_product(a: Array, b: Array, out: Array, matmul: Callable[..., Array]) -> None:
    left = a.astype(FLOAT32)
    np.copyto(out, matmul(left, left if b is a else b.astype(FLOAT32), None), "unsafe")


def _less(array: Array, offset: int) -> Array:
    """Quantised operands less their offset."""
    return array.astype(np.int32) - np.int32(offset) if offset else array


def _product_less(a: Array, offset: int, *rest: Any) -> None:
    _product(_less(a, offset), *rest)


def _bind(inputs: Inputs, out: Array, turn_a: bool, turn_b: bool, offset: int) -> Task:
    a, b = _turned(needs(inputs[0], "x1"), turn_a), _turned(needs(inputs[1], "x2"), turn_b)
    bias = inputs[2] if len(inputs) > 2 else None
    if len(inputs) > 3 and inputs[3] is not None:
        raise ValueError("offset_w is reserved")
    dtype = _working_dtype(a, b, out)
    if a.dtype in HALVES and a.__array_interface__ == b.__array_interface__:
        b = a  # converted once
    if bias is None and not offset and a.dtype == b.dtype == out.dtype == dtype and out.dtype in _PLAIN:
        return product_task(a, b, out)
    if bias is None and a.dtype == b.dtype == out.dtype and a.dtype in HALVES:
        return _half_product(a, b, out)
    return (_product_less, (a, offset, b, bias, out, dtype)) if offset else (_product, (a, b, bias, out, dtype))


@binder("MatMul", "MatMulV2", "MatMulV3")
def _matmul(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _bind(inputs, outputs[0], attrs["transpose_x1"], attrs["transpose_x2"], attrs.get("offset_x", 0))


_CUBE = (*HALVES, FLOAT32)


@binder("BatchMatMul")
def _first_batch_matmul(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """Of dtypes that the cube has not it is TensorFlow's BatchMatMul (ir2tf_op_mapping_lib.json): equal stacks, and turning conjugates."""
    a, b = needs(inputs[0], "x1"), needs(inputs[1], "x2")
    if a.dtype in _CUBE:
        return _batch_matmul(inputs, outputs, attrs)
    if a.shape[:-2] != b.shape[:-2]:
        return _unequal, (a.shape, b.shape)
    turns = bool(attrs["adj_x1"]), bool(attrs["adj_x2"])
    if a.dtype.kind == "c" and any(turns):
        return _adjoint_product, (a, b, *turns, outputs[0])
    return _bind(inputs, outputs[0], *turns, 0)


def _unequal(a: Shape, b: Shape) -> None:
    raise ValueError(f"In[0] and In[1] must have compatible batch dimensions: {list(a)} vs. {list(b)}")


def _adjoint_product(a: Array, b: Array, turn_a: bool, turn_b: bool, out: Array) -> None:
    left, right = (np.conjugate(each.swapaxes(-1, -2)) if turn else each for each, turn in ((a, turn_a), (b, turn_b)))
    product(left, right, out)


@binder("BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return _bind(inputs, outputs[0], attrs["adj_x1"], attrs["adj_x2"], attrs.get("offset_x", 0))


def _result_dtype(inputs: list[Meta]) -> int:
    """The output's dtype; -1 where the caller chooses, as for half operands, whose product may stay float32."""
    a, b = inputs[0].dtype, inputs[1].dtype
    if a != b:
        raise ValueError("x1 and x2 differ in dtype")
    if a in (DataType.FLOAT16, DataType.BF16):
        return -1
    return int(DataType.INT32) if a in (DataType.INT8, DataType.INT4) else a


def _product_shape(a: Shape, b: Shape, turn_a: bool, turn_b: bool) -> Shape:
    """The shape of a product of (stacks of) matrices.

    Raises:
        ValueError: They do not fit.
    """
    if min(len(a), len(b)) < 2:
        raise ValueError(f"shapes {list(a)} and {list(b)} are not all matrices")
    rows, inner = (a[-1], a[-2]) if turn_a else (a[-2], a[-1])
    inner_b, cols = (b[-1], b[-2]) if turn_b else (b[-2], b[-1])
    same(inner, inner_b, f"the inner dims of {list(a)} and {list(b)}")
    return (*broadcast(a[:-2], b[:-2]), rows, cols)


def _rule(inputs: list[Meta], turn_a: bool, turn_b: bool, only_matrices: bool) -> list[Out]:
    dtype = _result_dtype(inputs)
    a, b = inputs[:2]
    if unknown(a) or unknown(b):
        return [Out(dtype, UNKNOWN_RANK)]
    if only_matrices and (len(a.shape) != 2 or len(b.shape) != 2):
        raise ValueError(f"shapes {list(a.shape)} and {list(b.shape)} are not two matrices")
    shape = _product_shape(a.shape, b.shape, turn_a, turn_b)
    if len(inputs) > 2 and not inputs[2].absent and not unknown(inputs[2]):
        whole = broadcast(shape, inputs[2].shape)
        if len(whole) != len(shape) or any(have >= 0 and have != dim for have, dim in zip(shape, whole, strict=True)):
            raise ValueError(f"a bias of shape {list(inputs[2].shape)} does not fit a product of shape {list(shape)}")
    return [Out(dtype, shape)]


@infer("MatMul", "MatMulV2", "MatMulV3")
def _matmul_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _rule(inputs, attrs["transpose_x1"], attrs["transpose_x2"], only_matrices=True)


@infer("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return _rule(inputs, attrs["adj_x1"], attrs["adj_x2"], only_matrices=False)


@binder("Dot")
def _dot(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    """A product of two vectors; integers wrap around in the output's own dtype, as a sum modulo 2**n does."""
    a, b, out = needs(inputs[0], "input_x"), needs(inputs[1], "input_y"), outputs[0]
    if a.dtype in HALVES and a.dtype == out.dtype:
        return _half_product(a, b, out.reshape(()))
    return _product, (a, b, None, out.reshape(()), _working_dtype(a, b, out))


@infer("Dot")
def _dot_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    a, b = inputs
    if a.dtype != b.dtype:
        raise ValueError("input_x and input_y differ in dtype")
    if any(not unknown(meta) and len(meta.shape) != 1 for meta in inputs):
        raise ValueError(f"shapes {list(a.shape)} and {list(b.shape)} are not two vectors")
    if not unknown(a) and not unknown(b):
        same(a.shape[0], b.shape[0], "the lengths of the vectors")
    return [Out(a.dtype, ())]


@binder("Ger")
def _ger(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Task:
    return np.multiply, (needs(inputs[0], "x1")[:, None], needs(inputs[1], "x2"), outputs[0])


@infer("Ger")
def _ger_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    a, b = inputs
    if any(not unknown(meta) and len(meta.shape) != 1 for meta in inputs):
        raise ValueError(f"shapes {list(a.shape)} and {list(b.shape)} are not two vectors")
    return [Out(a.dtype, (-1 if unknown(a) else a.shape[0], -1 if unknown(b) else b.shape[0]))]
