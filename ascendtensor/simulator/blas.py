"""``acl.blas``: matrix products, each of them one run of operator "GEMM" (BL-4 .. BL-13)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ascendtensor.codes import DataType, Format, data_type_size

from .engine import contexts
from .engine.arguments import function, invalid, null, public
from .engine.attrs import Attributes
from .engine.executing import match_model
from .engine.launching import launch
from .engine.matching import spec_of
from .engine.process import State
from .engine.tables import DataBuffer, TensorDesc
from .op import make_handle

OP_TYPE: Final = "GEMM"
N, T, NZ = 0, 1, 2  # aclTransType; NZ_T, 3, is refused everywhere
HIGH_PRECISION: Final = 0
FLOAT16: Final = int(DataType.FLOAT16)
INT8: Final = int(DataType.INT8)
INT32: Final = int(DataType.INT32)
BLOCK: Final = 16
INT8_BLOCK: Final = 32
SCALAR_BYTES: Final = 4
"""Declared length of alpha and beta, whatever their type (BL-8)."""


def __dir__() -> list[str]:
    return public(__name__)


class _Types(NamedTuple):
    """Data types of A, B and C."""

    a: int
    b: int
    c: int


_HALF: Final = _Types(FLOAT16, FLOAT16, FLOAT16)
_INT8: Final = _Types(INT8, INT8, INT32)


class _Product(NamedTuple):
    """What is multiplied: transpose types and sizes."""

    trans_a: int
    trans_b: int
    trans_c: int
    m: int
    n: int
    k: int


def _ceil(size: int, block: int) -> int:
    return -(-size // block)


def _check(product: _Product, leading: Sequence[int], compute_type: int) -> None:
    """In CBLAS's order (BL-4)."""
    trans_a, trans_b, trans_c, m, n, k = product
    if min(m, n, k) <= 0:
        raise invalid("m, n, k", (m, n, k), "must be greater than 0")
    for name, trans in (("transA", trans_a), ("transB", trans_b)):
        if trans not in (N, T, NZ):
            raise invalid(name, trans, "must be 0 (N), 1 (T) or 2 (NZ)")
    if trans_c not in (N, NZ):
        raise invalid("transC", trans_c, "must be 0 (N) or 2 (NZ)")
    if any(stride != -1 for stride in leading):
        raise invalid("lda, ldb (incx), ldc (incy)", tuple(leading), "only -1 is supported")
    if compute_type != HIGH_PRECISION:
        raise invalid("compute_type", compute_type, "must be 0 (high precision)")


def _matrix(dtype: int, rows: int, columns: int, trans: int, weights: bool = False) -> TensorDesc:
    """Description of one operand (BL-6, BL-7); ``weights`` for B, whose 8-bit fractal layout is its own."""
    if trans == T:
        return TensorDesc(dtype, [columns, rows], int(Format.ND))
    if trans == N:
        return TensorDesc(dtype, [rows, columns], int(Format.ND))
    if weights and dtype == INT8:
        return TensorDesc(dtype, [_ceil(rows, INT8_BLOCK), _ceil(columns, BLOCK), BLOCK, INT8_BLOCK], int(Format.FRACTAL_Z))
    inner = INT8_BLOCK if dtype == INT8 else BLOCK
    return TensorDesc(dtype, [_ceil(columns, inner), _ceil(rows, BLOCK), BLOCK, inner], int(Format.FRACTAL_NZ))


def _descs(product: _Product, types: _Types) -> tuple[list[TensorDesc], list[TensorDesc]]:
    """Inputs A, B, C, alpha, beta and output C (BL-5)."""
    trans_a, trans_b, trans_c, m, n, k = product
    a = _matrix(types.a, m, k, trans_a)
    b = _matrix(types.b, k, n, trans_b, weights=True)
    c = TensorDesc(types.c, [m, n], int(Format.ND))
    if trans_c == NZ:  # blocks of 16 whatever the type
        c = TensorDesc(types.c, [_ceil(n, BLOCK), _ceil(m, BLOCK), BLOCK, BLOCK], int(Format.FRACTAL_NZ))
    scalar = TensorDesc(types.c, [], int(Format.ND))
    return [a, b, c, scalar, scalar], [c]


def _attributes(product: _Product) -> Attributes:
    """Only T turns an operand (BL-5)."""
    return Attributes({"transpose_a": ("bool", product.trans_a == T), "transpose_b": ("bool", product.trans_b == T)})


def _nbytes(desc: TensorDesc) -> int:
    size = data_type_size(desc.dtype)
    for dim in desc.dims:
        size *= dim
    return size


def _run(
    product: _Product, types: _Types, addresses: tuple[int, int, int, int, int], leading: Sequence[int], compute_type: int, stream: int
) -> int:
    """C = alpha * A * B + beta * C on the stream (BL-4 .. BL-8, BL-13); addresses are alpha, A, B, beta, C."""
    alpha, a, b, beta, c = addresses
    for name, address in (("alpha", alpha), ("beta", beta), ("matrixA", a), ("matrixB", b), ("matrixC", c)):
        if address == 0:
            raise null(name)
    _check(product, leading, compute_type)
    inputs, outputs = _descs(product, types)
    model = match_model(OP_TYPE, inputs, outputs, _attributes(product))
    target = contexts.stream_for(stream)
    matrices = [DataBuffer(0, address, _nbytes(desc)) for address, desc in zip((a, b, c), inputs, strict=False)]
    scalars = [DataBuffer(0, address, SCALAR_BYTES) for address in (alpha, beta)]
    specs = tuple(map(spec_of, inputs)), tuple(map(spec_of, outputs))
    launch(model, specs, [*matrices, *scalars], [matrices[2]], target, False)
    return 0


def _handle(product: _Product, types: _Types, compute_type: int) -> tuple[int, int]:
    """(handle, ret) for ``execute_with_handle`` with five inputs and one output (BL-12)."""
    _check(product, (), compute_type)
    return make_handle(OP_TYPE, *_descs(product, types), _attributes(product)), 0


def _vector(trans_a: int, m: int, n: int) -> _Product:
    """A matrix by a vector: a product with one column and k = n (BL-11)."""
    return _Product(trans_a, N, N, m, 1, n)


def _increments(incx: int, incy: int) -> tuple[int, int]:
    """incx and incy; the binding of 2026 passes incy for both (PY-20)."""
    return (incy if State.binding_defects else incx), incy


# Matrix by matrix


@function("acl.blas.gemm_ex", "iiiiiiKKiiKiiKKiiiK")
def gemm_ex(
    trans_a: int,
    trans_b: int,
    trans_c: int,
    m: int,
    n: int,
    k: int,
    alpha: int,
    a: int,
    lda: int,
    data_type_a: int,
    b: int,
    ldb: int,
    data_type_b: int,
    beta: int,
    c: int,
    ldc: int,
    data_type_c: int,
    compute_type: int,
    stream: int,
) -> int:
    """C = alpha * A * B + beta * C for any of the supported combinations of data types (BL-4 .. BL-9)."""
    product, types = _Product(trans_a, trans_b, trans_c, m, n, k), _Types(data_type_a, data_type_b, data_type_c)
    return _run(product, types, (alpha, a, b, beta, c), (lda, ldb, ldc), compute_type, stream)


@function("acl.blas.create_handle_for_gemm_ex", "iiiiiiiiii", 0)
def create_handle_for_gemm_ex(
    trans_a: int,
    trans_b: int,
    trans_c: int,
    m: int,
    n: int,
    k: int,
    data_type_a: int,
    data_type_b: int,
    data_type_c: int,
    compute_type: int,
) -> tuple[int, int]:
    """(handle, ret) (BL-12)."""
    product, types = _Product(trans_a, trans_b, trans_c, m, n, k), _Types(data_type_a, data_type_b, data_type_c)
    return _handle(product, types, compute_type)


def _simple(types: _Types, args: tuple[int, ...]) -> int:
    """The arguments of hgemm and s8gemm, which leave out the data types (BL-10)."""
    trans_a, trans_b, trans_c, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, compute_type, stream = args
    product = _Product(trans_a, trans_b, trans_c, m, n, k)
    return _run(product, types, (alpha, a, b, beta, c), (lda, ldb, ldc), compute_type, stream)


@function("acl.blas.hgemm", "iiiiiiKKiKiKKiiK")
def hgemm(*args: int) -> int:
    """float16 everywhere (BL-10)."""
    return _simple(_HALF, args)


@function("acl.blas.create_handle_for_hgemm", "iiiiiii", 0)
def create_handle_for_hgemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, compute_type: int) -> tuple[int, int]:
    """(handle, ret) (BL-10, BL-12)."""
    return _handle(_Product(trans_a, trans_b, trans_c, m, n, k), _HALF, compute_type)


@function("acl.blas.s8gemm", "iiiiiiKKiKiKKiiK")
def s8gemm(*args: int) -> int:
    """int8 operands; C, alpha and beta int32 (BL-10)."""
    return _simple(_INT8, args)


@function("acl.blas.create_handle_for_s8gemm", "iiiiiii", 0)
def create_handle_for_s8gemm(trans_a: int, trans_b: int, trans_c: int, m: int, n: int, k: int, compute_type: int) -> tuple[int, int]:
    """(handle, ret) (BL-10, BL-12)."""
    return _handle(_Product(trans_a, trans_b, trans_c, m, n, k), _INT8, compute_type)


# Matrix by vector


@function("acl.blas.gemv_ex", "iiiKKiiKiiKKiiiK")
def gemv_ex(
    trans_a: int,
    m: int,
    n: int,
    alpha: int,
    a: int,
    lda: int,
    data_type_a: int,
    x: int,
    incx: int,
    data_type_x: int,
    beta: int,
    y: int,
    incy: int,
    data_type_y: int,
    compute_type: int,
    stream: int,
) -> int:
    """y = alpha * A * x + beta * y (BL-11)."""
    types = _Types(data_type_a, data_type_x, data_type_y)
    return _run(_vector(trans_a, m, n), types, (alpha, a, x, beta, y), (lda, *_increments(incx, incy)), compute_type, stream)


@function("acl.blas.create_handle_for_gemv_ex", "iiiiiii", 0)
def create_handle_for_gemv_ex(
    trans_a: int, m: int, n: int, data_type_a: int, data_type_x: int, data_type_y: int, compute_type: int
) -> tuple[int, int]:
    """(handle, ret) (BL-11, BL-12)."""
    return _handle(_vector(trans_a, m, n), _Types(data_type_a, data_type_x, data_type_y), compute_type)


def _simple_vector(types: _Types, args: tuple[int, ...]) -> int:
    """The arguments of hgemv and s8gemv, which leave out the data types (BL-10, BL-11)."""
    trans_a, m, n, alpha, a, lda, x, incx, beta, y, incy, compute_type, stream = args
    return _run(_vector(trans_a, m, n), types, (alpha, a, x, beta, y), (lda, incx, incy), compute_type, stream)


@function("acl.blas.hgemv", "iiiKKiKiKKiiK")
def hgemv(*args: int) -> int:
    """float16 everywhere (BL-10, BL-11)."""
    return _simple_vector(_HALF, args)


@function("acl.blas.create_handle_for_hgemv", "iiii", 0)
def create_handle_for_hgemv(trans_a: int, m: int, n: int, compute_type: int) -> tuple[int, int]:
    """(handle, ret) (BL-10 .. BL-12)."""
    return _handle(_vector(trans_a, m, n), _HALF, compute_type)


@function("acl.blas.s8gemv", "iiiKKiKiKKiiK")
def s8gemv(*args: int) -> int:
    """int8 operands; y, alpha and beta int32 (BL-10, BL-11)."""
    return _simple_vector(_INT8, args)


@function("acl.blas.create_handle_for_s8gemv", "iiii", 0)
def create_handle_for_s8gemv(trans_a: int, m: int, n: int, compute_type: int) -> tuple[int, int]:
    """(handle, ret) (BL-10 .. BL-12)."""
    return _handle(_vector(trans_a, m, n), _INT8, compute_type)
