"""``acl.blas``: products by operator "GEMM" (BL-4 to BL-13, K119 to K125)."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from op_program import download, empty, load, operator, tensor, upload

from ascendtensor import simulator
from ascendtensor.simulator.engine.compile import CompileFailure, build

Array = npt.NDArray[Any]
CODES = {"float32": 0, "float16": 1, "int8": 2, "int32": 3}
COMBINATIONS = [("float16", "float16"), ("float16", "float32"), ("int8", "float32"), ("int8", "int32")]
INT8_BLOCK, BLOCK = 32, 16


def gemm(a: Any, b: Any, c: Any, turn_a: bool, turn_b: bool) -> dict[str, Any]:
    scalar = tensor([], c["type"])
    attrs = ("transpose_a", "bool", turn_a), ("transpose_b", "bool", turn_b)
    return operator("GEMM", [a, b, c, scalar, scalar], [c], *attrs)


def fractal(matrix: Array, inner: int) -> Array:
    """(columns / inner, rows / 16, 16, inner), padded with zeros (BL-7)."""
    rows, columns = -(-matrix.shape[0] // BLOCK), -(-matrix.shape[1] // inner)
    padded = np.zeros((rows * BLOCK, columns * inner), matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return np.ascontiguousarray(padded.reshape(rows, BLOCK, columns, inner).transpose(2, 0, 1, 3))


def plain(blocks: Array) -> Array:
    outer, strips, block, inner = blocks.shape
    return blocks.transpose(1, 2, 0, 3).reshape(strips * block, outer * inner)


def numbers(shape: tuple[int, ...], dtype: str, seed: int) -> Array:
    generator = np.random.default_rng(seed)
    return generator.integers(-8, 8, shape).astype(dtype)


class Product:
    """Operands on the device, the loaded model and the arguments of ``gemm_ex``."""

    def __init__(self, acl: ModuleType, dtype: str, out: str, m: int, n: int, k: int, trans: tuple[int, int, int] = (0, 0, 0)) -> None:
        self.acl, self.out_dtype, self.trans, self.sizes = acl, out, trans, (m, n, k)
        self.a, self.b, self.c = numbers((m, k), dtype, 1), numbers((k, n), dtype, 2), numbers((m, n), out, 3)
        self.stored = [self._store(self.a, trans[0]), self._store(self.b, trans[1], weights=True), self._store(self.c, trans[2], out=True)]
        forms = [self._form(value, code, index == 1) for index, (value, code) in enumerate(zip(self.stored, trans, strict=True))]
        load(acl, gemm(*forms, trans[0] == 1, trans[1] == 1))
        self.types = [CODES[dtype], CODES[dtype], CODES[out]]
        self.addresses = [upload(acl, value)[1] for value in self.stored]
        self.alpha, self.beta = upload(acl, np.array(2, out))[1], upload(acl, np.array(3, out))[1]

    @staticmethod
    def _store(matrix: Array, trans: int, weights: bool = False, out: bool = False) -> Array:
        if trans == 2:
            if matrix.dtype == np.int8 and weights:  # BL-7: rows in blocks of 32, columns of 16
                return np.ascontiguousarray(fractal(np.ascontiguousarray(matrix.T), INT8_BLOCK))
            return fractal(matrix, INT8_BLOCK if matrix.dtype == np.int8 and not out else BLOCK)
        return np.ascontiguousarray(matrix.T) if trans == 1 else matrix

    @staticmethod
    def _form(value: Array, trans: int, weights: bool) -> dict[str, Any]:
        layout = "ND" if trans != 2 else "FRACTAL_Z" if weights and value.dtype == np.int8 else "FRACTAL_NZ"
        return tensor(value.shape, str(value.dtype), format=layout)

    def arguments(self, **changed: Any) -> list[Any]:
        (a, b, c), (ta, tb, tc), (m, n, k) = self.addresses, self.trans, self.sizes
        operands = {"alpha": self.alpha, "A": a, "lda": -1, "dtA": self.types[0], "B": b, "ldb": -1, "dtB": self.types[1]}
        result = {"beta": self.beta, "C": c, "ldc": -1, "dtC": self.types[2], "type": 0, "stream": 0}
        return list(({"transA": ta, "transB": tb, "transC": tc, "m": m, "n": n, "k": k} | operands | result | changed).values())

    @property
    def expected(self) -> Array:
        wide = np.int64 if self.out_dtype == "int32" else np.float64
        return (2 * (self.a.astype(wide) @ self.b.astype(wide)) + 3 * self.c.astype(wide)).astype(self.out_dtype)

    def result(self) -> Array:
        value = download(self.acl, self.addresses[2], self.stored[2].shape, self.out_dtype)
        return plain(value)[: self.sizes[0], : self.sizes[1]] if self.trans[2] == 2 else value

    def check(self) -> None:
        assert self.acl.rt.synchronize_stream(0) == 0
        assert np.array_equal(self.result(), self.expected)


@pytest.mark.parametrize(("dtype", "out"), COMBINATIONS)
@pytest.mark.parametrize("trans", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (2, 2, 2), (2, 0, 0), (0, 2, 2), (1, 2, 0), (2, 1, 2)])
def test_gemm_ex(acl: ModuleType, dtype: str, out: str, trans: tuple[int, int, int]) -> None:  # BL-4 to BL-9
    product = Product(acl, dtype, out, 20, 7, 35, trans)
    assert acl.blas.gemm_ex(*product.arguments()) == 0
    product.check()


def test_it_is_queued(acl: ModuleType) -> None:  # BL-13
    product = Product(acl, "float16", "float16", 4, 4, 4)
    assert acl.blas.gemm_ex(*product.arguments()) == 0
    assert np.array_equal(product.result(), product.c)
    product.check()


def test_hgemm_and_its_handle(acl: ModuleType) -> None:  # BL-10, BL-12
    product = Product(acl, "float16", "float16", 5, 6, 7, (1, 0, 0))
    a, b, c = product.addresses
    assert acl.blas.hgemm(1, 0, 0, 5, 6, 7, product.alpha, a, -1, b, -1, product.beta, c, -1, 0, 0) == 0
    product.check()
    handle, ret = acl.blas.create_handle_for_hgemm(1, 0, 0, 5, 6, 7, 0)
    assert ret == 0
    fresh = empty(acl, 60)
    inputs = [acl.create_data_buffer(address, size) for address, size in ((a, 70), (b, 84), (c, 60), (product.alpha, 4), (product.beta, 4))]
    assert acl.op.execute_with_handle(handle, inputs, [fresh[0]], 0) == 0  # C may also be another buffer here
    assert acl.rt.synchronize_stream(0) == 0
    again = 2 * (product.a.astype(np.float64) @ product.b.astype(np.float64)) + 3 * product.expected.astype(np.float64)
    assert np.array_equal(download(acl, fresh[1], (5, 6), "float16"), again.astype(np.float16))
    assert acl.op.execute_with_handle(handle, inputs[:4], [fresh[0]], 0) == 100021
    acl.op.destroy_handle(handle)


def test_s8gemm_and_its_handle(acl: ModuleType) -> None:  # BL-10, BL-12
    product = Product(acl, "int8", "int32", 5, 6, 7, (0, 1, 0))
    a, b, c = product.addresses
    assert acl.blas.s8gemm(0, 1, 0, 5, 6, 7, product.alpha, a, -1, b, -1, product.beta, c, -1, 0, 0) == 0
    product.check()
    handle, ret = acl.blas.create_handle_for_s8gemm(0, 1, 0, 5, 6, 7, 0)
    assert (ret, handle != 0) == (0, True)
    assert acl.blas.create_handle_for_gemm_ex(0, 1, 0, 5, 6, 7, 2, 2, 3, 0)[1] == 0


@pytest.mark.parametrize(("dtype", "out"), COMBINATIONS)
@pytest.mark.parametrize("trans", [0, 1])
def test_gemv_ex(acl: ModuleType, dtype: str, out: str, trans: int) -> None:  # BL-11: A is (m, n), or (n, m) when T
    product = Product(acl, dtype, out, 9, 1, 12, (trans, 0, 0))
    a, x, y = product.addresses
    types = product.types
    assert acl.blas.gemv_ex(trans, 9, 12, product.alpha, a, -1, types[0], x, -1, types[1], product.beta, y, -1, types[2], 0, 0) == 0
    product.check()
    assert acl.blas.create_handle_for_gemv_ex(trans, 9, 12, *types, 0)[1] == 0


@pytest.mark.parametrize(("name", "dtype", "out"), [("hgemv", "float16", "float16"), ("s8gemv", "int8", "int32")])
def test_hgemv_and_s8gemv(acl: ModuleType, name: str, dtype: str, out: str) -> None:  # BL-10, BL-11
    product = Product(acl, dtype, out, 9, 1, 12)
    a, x, y = product.addresses
    assert getattr(acl.blas, name)(0, 9, 12, product.alpha, a, -1, x, -1, product.beta, y, -1, 0, 0) == 0
    product.check()
    handle, ret = getattr(acl.blas, f"create_handle_for_{name}")(0, 9, 12, 0)
    assert (ret, handle != 0) == (0, True)
    for incx, incy in ((1, -1), (-1, 1)):  # K125
        assert getattr(acl.blas, name)(0, 9, 12, product.alpha, a, -1, x, incx, product.beta, y, incy, 0, 0) == 100000


def test_misuse(acl: ModuleType) -> None:  # K119 to K124
    product = Product(acl, "float16", "float16", 4, 4, 4)
    call = acl.blas.gemm_ex
    for name in ("alpha", "beta", "A", "B", "C"):  # K119
        assert call(*product.arguments(**{name: 0})) == 100000
    for name in ("m", "n", "k"):  # K120
        assert call(*product.arguments(**{name: 0})) == 100000
        assert call(*product.arguments(**{name: -4})) == 100000
    for name in ("lda", "ldb", "ldc"):  # K121
        assert call(*product.arguments(**{name: 4})) == 100000
    for changed in ({"transC": 1}, {"transA": 3}, {"transB": 3}, {"transC": 3}, {"transA": -1}):  # K122
        assert call(*product.arguments(**changed)) == 100000
    assert call(*product.arguments(type=1)) == 100000  # K123
    assert call(*product.arguments(dtC=0)) == 100024  # K124: no model loaded
    assert call(*product.arguments(dtA=2)) == 100024
    assert call(*product.arguments(stream=12345)) == 107017
    assert "GEMM" in acl.get_recent_err_msg()


def test_handles_check_the_same(acl: ModuleType) -> None:  # BL-12
    assert acl.blas.create_handle_for_gemm_ex(0, 0, 0, 4, 4, 4, 1, 1, 1, 0) == (0, 100024)
    assert acl.blas.create_handle_for_gemm_ex(0, 0, 0, 4, 0, 4, 1, 1, 1, 0) == (0, 100000)
    assert acl.blas.create_handle_for_gemm_ex(3, 0, 0, 4, 4, 4, 1, 1, 1, 0) == (0, 100000)
    assert acl.blas.create_handle_for_gemm_ex(0, 0, 1, 4, 4, 4, 1, 1, 1, 0) == (0, 100000)
    assert acl.blas.create_handle_for_hgemm(0, 0, 0, 4, 4, 4, 1) == (0, 100000)
    assert acl.blas.create_handle_for_hgemv(0, 4, 4, 0) == (0, 100024)


def test_arguments(acl: ModuleType) -> None:  # PY-2
    for name, count in (("gemm_ex", 19), ("hgemm", 16), ("s8gemm", 16), ("gemv_ex", 16), ("hgemv", 13), ("s8gemv", 13)):
        with pytest.raises(TypeError, match=rf"acl\.blas\.{name} args parse failed"):
            getattr(acl.blas, name)(*[0] * (count - 1))
        assert getattr(acl.blas, name)(*[0] * count) == 100000
    with pytest.raises(TypeError, match=r"acl\.blas\.hgemm args parse failed"):
        acl.blas.hgemm(*[None] * 16)


def test_incx_is_incy_with_the_bindings_defects(acl: ModuleType) -> None:  # PY-20
    product = Product(acl, "float16", "float16", 9, 1, 12)
    a, x, y = product.addresses
    args = 0, 9, 12, product.alpha, a, -1, 1, x, 7, 1, product.beta, y, -1, 1, 0, 0
    assert acl.blas.gemv_ex(*args) == 100000
    simulator.engine.process.State.binding_defects = True
    try:
        assert acl.blas.gemv_ex(*args) == 0
    finally:
        simulator.engine.process.State.binding_defects = False
    product.check()


@pytest.mark.parametrize(("a", "c"), [("float32", "float32"), ("float16", "int32"), ("int32", "int32")])
def test_other_combinations_have_no_model(a: str, c: str) -> None:  # BL-9
    with pytest.raises(CompileFailure, match="combination"):
        build(gemm(tensor([4, 4], a), tensor([4, 4], a), tensor([4, 4], c), False, False), "Ascend910B1")
    with pytest.raises(CompileFailure, match="inner sizes"):
        build(gemm(tensor([4, 4], "float16"), tensor([5, 4], "float16"), tensor([4, 4], "float16"), False, False), "Ascend910B1")
