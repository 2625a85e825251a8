"""Products by pyACL's own functions for them, `acl.blas`, on tensors: C = alpha * op(A) * op(B) + beta * C.

Each is one run of the operator GEMM. `at.matmul` and its kin are the ordinary road; these are here for programs that were written for
`acl.blas`, for its fused alpha and beta, and for matrices in fractal layout ("NZ"). CANN has no kernel of GEMM for the Ascend910B
and the Ascend310B: there use the ordinary road.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from . import base, creation
from .base import T, TensorBase
from .dtypes import DType, DTypeLike, as_dtype, float16, float32, int8, int32
from .errors import DeviceError, DTypeError, ShapeError, ValueRangeError
from .launch import direct
from .launch.direct import BLOCK, INT8_BLOCK, NZ, Product
from .ops.arguments import checked, described, require_tensor
from .ops.call import plain
from .ops.shape import clone, contiguous
from .ops.views import narrow, permute, reshape
from .ops.writing import check_writable, copy_into, takes_outputs

if TYPE_CHECKING:
    from .runtime.device import Device
    from .runtime.memory import DeviceBuffer
    from .runtime.stream import Stream

__all__ = ["from_nz", "gemm", "gemv", "hgemm", "hgemv", "s8gemm", "s8gemv", "to_nz"]
__dir__ = __all__.copy

_TRANS: Final = {"N": direct.N, "T": direct.T, "NZ": direct.NZ}
_RESULTS: Final[dict[DType, tuple[DType, ...]]] = {float16: (float16, float32), int8: (int32, float32)}
"""Dtypes of C by that of A and B, the usual one first (BL-9)."""


@checked
def gemm(
    a: T,
    b: TensorBase,
    c: T | None = None,
    *,
    alpha: float | TensorBase = 1.0,
    beta: float | TensorBase = 0.0,
    trans_a: str = "N",
    trans_b: str = "N",
    trans_c: str = "N",
    sizes: tuple[int, int, int] | None = None,
    dtype: DTypeLike | None = None,
    handle: bool = True,
) -> T:
    """alpha * op(a) @ op(b) + beta * c by `acl.blas.gemm_ex`.

    Args:
        a: float16 or int8 matrix: (m, k), stored as (k, m) where `trans_a` is "T", in blocks where it is "NZ" (`to_nz`).
        b: Matrix of the same dtype: (k, n), (n, k), or blocks.
        c: Tensor (m, n), float16 or float32 for float16, int32 or float32 for int8. It is written, also where beta is 0; then it must
            hold finite values all the same. A new tensor if None.
        alpha, beta: Factors of C's dtype: numbers, or tensors with one element.
        trans_a, trans_b: "N" as it is, "T" transposed, "NZ" in fractal blocks.
        trans_c: "N", or "NZ" for a result in blocks, which CANN's documents do not promise.
        sizes: (m, n, k), needed where matrices in blocks hide them; else they count as whole blocks.
        dtype: Dtype of a new C; float16 for float16 operands, int32 for int8 ones.
        handle: Launch through a handle (`acl.blas.create_handle_for_gemm_ex`), which looks the model up once, or by the function.

    Returns:
        `c`, or the new tensor.

    Raises:
        ShapeError: The operands do not fit each other or `sizes`.
        DTypeError: They are of no combination that `acl.blas` knows (BL-9).

    Ascend operator: GEMM. Like: scipy.linalg.blas.dgemm, torch.addmm.

    Examples:
        >>> a = at.ones(2, 2, dtype=at.float16)
        >>> at.blas.gemm(a, a, alpha=0.5)
        tensor([[1., 1.],
                [1., 1.]], device='npu:0', dtype=ascendtensor.float16)
    """
    trans = _transposed(trans_a, "trans_a"), _transposed(trans_b, "trans_b"), _transposed(trans_c, "trans_c")
    return _matrices("gemm_ex", (a, b, c), trans, (alpha, beta), sizes, dtype, handle)


@checked
def hgemm(
    a: T,
    b: TensorBase,
    c: T | None = None,
    *,
    alpha: float | TensorBase = 1.0,
    beta: float | TensorBase = 0.0,
    trans_a: str = "N",
    trans_b: str = "N",
    trans_c: str = "N",
    sizes: tuple[int, int, int] | None = None,
    handle: bool = True,
) -> T:
    """`gemm` of float16 tensors only, by `acl.blas.hgemm` (BL-10).

    Ascend operator: GEMM. Like: scipy.linalg.blas.sgemm.

    Examples:
        >>> a = at.ones(2, 2, dtype=at.float16)
        >>> at.blas.hgemm(a, a)
        tensor([[2., 2.],
                [2., 2.]], device='npu:0', dtype=ascendtensor.float16)
    """
    trans = _transposed(trans_a, "trans_a"), _transposed(trans_b, "trans_b"), _transposed(trans_c, "trans_c")
    return _matrices("hgemm", (a, b, c), trans, (alpha, beta), sizes, float16, handle)


@checked
def s8gemm(
    a: T,
    b: TensorBase,
    c: T | None = None,
    *,
    alpha: float | TensorBase = 1,
    beta: float | TensorBase = 0,
    trans_a: str = "N",
    trans_b: str = "N",
    trans_c: str = "N",
    sizes: tuple[int, int, int] | None = None,
    handle: bool = True,
) -> T:
    """`gemm` of int8 tensors with an int32 result, by `acl.blas.s8gemm` (BL-10); alpha and beta are integers.

    Ascend operator: GEMM. Like: torch._int_mm.

    Examples:
        >>> a = at.ones(2, 2, dtype=at.int8)
        >>> at.blas.s8gemm(a, a)
        tensor([[2, 2],
                [2, 2]], device='npu:0', dtype=ascendtensor.int32)
    """
    trans = _transposed(trans_a, "trans_a"), _transposed(trans_b, "trans_b"), _transposed(trans_c, "trans_c")
    return _matrices("s8gemm", (a, b, c), trans, (alpha, beta), sizes, int32, handle)


@checked
def gemv(
    a: T,
    x: TensorBase,
    y: T | None = None,
    *,
    alpha: float | TensorBase = 1.0,
    beta: float | TensorBase = 0.0,
    trans_a: str = "N",
    sizes: tuple[int, int] | None = None,
    dtype: DTypeLike | None = None,
    handle: bool = True,
) -> T:
    """alpha * op(a) @ x + beta * y by `acl.blas.gemv_ex` (BL-11).

    Args:
        a: float16 or int8 matrix: (m, n), stored as (n, m) where `trans_a` is "T", in blocks where it is "NZ".
        x: Tensor (n,) of the same dtype.
        y: Tensor (m,), float16 or float32 for float16, int32 or float32 for int8; written, also where beta is 0. A new one if None.
        alpha, beta: Factors of y's dtype: numbers, or tensors with one element.
        trans_a: "N", "T" or "NZ".
        sizes: (m, n), for a matrix in blocks.
        dtype: Dtype of a new y.
        handle: Launch through a handle, or by the function.

    Returns:
        `y`, or the new tensor.

    Raises:
        ShapeError, DTypeError: As `gemm`.

    Ascend operator: GEMM. Like: scipy.linalg.blas.dgemv, torch.addmv.

    Examples:
        >>> a = at.ones(2, 2, dtype=at.float16)
        >>> at.blas.gemv(a, a[0])
        tensor([2., 2.], device='npu:0', dtype=ascendtensor.float16)
    """
    return _vector("gemv_ex", (a, x, y), trans_a, (alpha, beta), sizes, dtype, handle)


@checked
def hgemv(
    a: T,
    x: TensorBase,
    y: T | None = None,
    *,
    alpha: float | TensorBase = 1.0,
    beta: float | TensorBase = 0.0,
    trans_a: str = "N",
    sizes: tuple[int, int] | None = None,
    handle: bool = True,
) -> T:
    """`gemv` of float16 tensors only, by `acl.blas.hgemv` (BL-10, BL-11).

    Ascend operator: GEMM. Like: scipy.linalg.blas.sgemv.

    Examples:
        >>> a = at.ones(2, 2, dtype=at.float16)
        >>> at.blas.hgemv(a, a[0])
        tensor([2., 2.], device='npu:0', dtype=ascendtensor.float16)
    """
    return _vector("hgemv", (a, x, y), trans_a, (alpha, beta), sizes, float16, handle)


@checked
def s8gemv(
    a: T,
    x: TensorBase,
    y: T | None = None,
    *,
    alpha: float | TensorBase = 1,
    beta: float | TensorBase = 0,
    trans_a: str = "N",
    sizes: tuple[int, int] | None = None,
    handle: bool = True,
) -> T:
    """`gemv` of int8 tensors with an int32 result, by `acl.blas.s8gemv` (BL-10, BL-11).

    Ascend operator: GEMM. Like: torch._int_mm.

    Examples:
        >>> a = at.ones(2, 2, dtype=at.int8)
        >>> at.blas.s8gemv(a, a[0])
        tensor([2, 2], device='npu:0', dtype=ascendtensor.int32)
    """
    return _vector("s8gemv", (a, x, y), trans_a, (alpha, beta), sizes, int32, handle)


@checked
def to_nz(input: T, *, weights: bool = False) -> T:
    """A matrix in fractal blocks, padded with zeros (BL-7).

    Args:
        input: Tensor of two dimensions.
        weights: Whether it is to be the `b` of a product, whose blocks of 8-bit integers are laid out differently.

    Returns:
        Tensor (columns / w, rows / 16, 16, w) with w = 32 for int8, else 16; of int8 weights (rows / 32, columns / 16, 16, 32).

    Ascend operator: Fill, ViewCopy, AsStrided. Like: torch_npu.npu_format_cast to FRACTAL_NZ.

    Examples:
        >>> a = at.ones(20, 20, dtype=at.float16)
        >>> at.blas.to_nz(a).shape
        (2, 2, 16, 16)
    """
    if len(input.shape) != 2:
        raise ShapeError(f"a matrix is needed, not a tensor of shape {list(input.shape)}")
    rows, columns = input.shape
    turned = weights and input.dtype is int8
    tall, wide = (INT8_BLOCK, BLOCK) if turned else (BLOCK, INT8_BLOCK if input.dtype is int8 else BLOCK)
    high, broad = -(-rows // tall), -(-columns // wide)
    padded: Any = creation.zeros((high * tall, broad * wide), dtype=input.dtype, device=input.device)
    copy_into(narrow(narrow(padded, 0, 0, rows), 1, 0, columns), input)
    blocks = reshape(padded, (high, tall, broad, wide))
    return cast("T", contiguous(permute(blocks, (0, 2, 3, 1) if turned else (2, 0, 1, 3))))


@checked
def from_nz(input: T, shape: Sequence[int], *, weights: bool = False) -> T:
    """The matrix in fractal blocks; undoes `to_nz`.

    Args:
        input: Tensor of four dimensions.
        shape: Rows and columns of the matrix.
        weights: As of `to_nz`.

    Ascend operator: AsStrided. Like: torch_npu.npu_format_cast to ND.

    Examples:
        >>> a = at.ones(20, 20, dtype=at.float16)
        >>> at.equal(at.blas.from_nz(at.blas.to_nz(a), (20, 20)), a)
        True
    """
    if len(input.shape) != 4 or len(shape) != 2:
        raise ShapeError(f"blocks of shape {list(input.shape)} are no matrix of shape {list(shape)}")
    turned = weights and input.dtype is int8
    outer, strips, block, inner = input.shape
    flat = permute(input, (0, 3, 1, 2) if turned else (1, 2, 0, 3))
    rows, columns = (outer * inner, strips * block) if turned else (strips * block, outer * inner)
    if shape[0] > rows or shape[1] > columns:
        raise ShapeError(f"blocks of shape {list(input.shape)} hold {rows} x {columns} elements, not {shape[0]} x {shape[1]}")
    return contiguous(narrow(narrow(reshape(flat, (rows, columns)), 0, 0, shape[0]), 1, 0, shape[1]))


# What they have in common


def _transposed(value: str, parameter: str) -> int:
    try:
        return _TRANS[value]
    except (KeyError, TypeError):
        raise ValueRangeError(f'{parameter} must be "N", "T" or "NZ", not {described(value)}') from None


Operands = tuple[T, TensorBase, "T | None"]
Factors = tuple[Any, Any]


def _matrices(
    function: str,
    operands: Operands[T],
    trans: tuple[int, int, int],
    factors: Factors,
    sizes: Sequence[int] | None,
    dtype: DTypeLike | None,
    handle: bool,
) -> T:
    a, b, c = operands
    given, result = _dtypes(a, b, c, dtype, function)
    if trans[2] == direct.T:
        raise ValueRangeError('trans_c must be "N" or "NZ"')
    m, n, k = _sizes(operands, trans) if sizes is None else sizes
    product = Product(function, trans, (m, n, k), (given.acl, result.acl))
    _check_shapes(product.shapes(), (a, b, c), product.sizes)
    return _run(product, operands, factors, result, product.shapes()[2], handle)


def _vector(
    function: str,
    operands: Operands[T],
    trans_a: str,
    factors: Factors,
    sizes: Sequence[int] | None,
    dtype: DTypeLike | None,
    handle: bool,
) -> T:
    a, x, y = operands
    given, result = _dtypes(a, x, y, dtype, function)
    trans = _transposed(trans_a, "trans_a"), direct.N, direct.N
    m, n = _rows_and_columns(a, trans[0]) if sizes is None else sizes
    if sizes is None and trans[0] == NZ:
        m, n = m if y is None else y.desc.numel, x.desc.numel
    product = Product(function, trans, (m, 1, n), (given.acl, result.acl))
    _check_shapes([product.shapes()[0], (n,), (m,)], (a, x, y), (m, n))
    return _run(product, operands, factors, result, (m,), handle)


def _dtypes(a: TensorBase, b: TensorBase, c: TensorBase | None, dtype: DTypeLike | None, function: str) -> tuple[DType, DType]:
    """Dtypes of the operands and of the result."""
    given = require_tensor(a, "a", function).dtype
    require_tensor(b, "b", function)
    known = _RESULTS.get(given, ())
    if function[0] != "g":  # hgemm, s8gemm and their kin
        known = tuple(each for each in known if each is dtype)
    if c is not None:
        result = require_tensor(c, "c", function).dtype
    else:
        result = as_dtype(dtype) if dtype is not None else known[0] if known else given
    if given is not b.dtype or result not in known:
        names = f"{given.name}, {b.dtype.name} and {result.name}"
        raise DTypeError(
            f"acl.blas.{function} has no product of the dtypes {names}",
            advice="float16 gives float16 or float32, int8 gives int32 or float32; at.matmul takes the others.",
        )
    return given, result


def _rows_and_columns(matrix: TensorBase, trans: int, weights: bool = False) -> tuple[int, int]:
    """Of a matrix as it lies in memory; of blocks, all of them."""
    shape = matrix.shape
    if len(shape) != (4 if trans == NZ else 2):
        raise ShapeError(f"an operand has shape {list(shape)}, where a matrix{' in blocks of four dimensions' * (trans == NZ)} is needed")
    if trans == NZ:
        outer, strips, block, inner = shape
        return (outer * inner, strips * block) if weights and matrix.dtype is int8 else (strips * block, outer * inner)
    return (shape[1], shape[0]) if trans == direct.T else (shape[0], shape[1])


def _sizes(operands: tuple[TensorBase, TensorBase, TensorBase | None], trans: tuple[int, int, int]) -> tuple[int, int, int]:
    """m, n and k by the operands that are not in blocks, else by whole blocks."""
    a, b, c = operands
    m, k = _rows_and_columns(a, trans[0])
    other_k, n = _rows_and_columns(b, trans[1], True)
    if c is not None and trans[2] != NZ:
        rows, columns = _rows_and_columns(c, trans[2])
        m, n = rows if trans[0] == NZ else m, columns if trans[1] == NZ else n
    return m, n, other_k if trans[0] == NZ else k


def _check_shapes(wanted: Sequence[tuple[int, ...]], given: Sequence[TensorBase | None], sizes: Sequence[int]) -> None:
    if min(sizes) < 1:
        raise ShapeError(f"sizes must be positive, not {tuple(sizes)}")
    for shape, operand in zip(wanted, given, strict=True):
        if operand is not None and operand.shape != shape:
            raise ShapeError(
                f"an operand has shape {list(operand.shape)}, which is to be {list(shape)} where the sizes are {tuple(sizes)}",
                advice='Matrices in blocks need sizes=, transposed ones trans="T".',
            )


def _factor(value: Any, dtype: DType, device: Device, stream: Stream) -> DeviceBuffer:
    """alpha or beta on the device (BL-8)."""
    if isinstance(value, TensorBase):
        if value.desc.numel != 1 or value.dtype is not dtype:
            raise DTypeError(f"alpha and beta are numbers or one element of {dtype.name}, not {value.dtype.name}{list(value.shape)}")
        return cast("DeviceBuffer", plain(value).buffer)
    if dtype is int32 and int(value) != value:
        raise ValueRangeError(f"alpha and beta of an int32 product are integers, not {value!r}")
    return device.scalar(dtype, value)


def _run(product: Product, operands: Operands[T], factors: Factors, dtype: DType, shape: tuple[int, ...], handle: bool) -> T:
    a, b, c = operands
    device = a.desc.device
    tensors: list[TensorBase] = [a, b, *(each for each in (c, *factors) if isinstance(each, TensorBase))]
    for operand in tensors:
        if operand.desc.device is not device:
            raise DeviceError(f"the operands are on different devices, {device} and {operand.desc.device}")
    left, right = plain(a), plain(b)
    target: Any = creation.zeros(shape, dtype=dtype, device=device) if c is None else c
    if c is not None:
        check_writable(c, product.function)
        shared = any(base.storage(each) is base.storage(c) for each in (left, right, *factors) if isinstance(each, TensorBase))
        if shared or not takes_outputs(c, ()):
            target = clone(c)
    stream = device.current_stream()
    scalars = [_factor(factor, dtype, device, stream) for factor in factors]
    inputs = [left.buffer, right.buffer, *scalars]
    direct.multiply(product, device, inputs, target.buffer, stream, handle)
    return cast("T", target) if c is None or target is c else copy_into(c, target)
