"""`blas` and `acl_cast`: pyACL's own functions give what the ordinary road gives (BL-1 to BL-13)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.launch import direct
from ascendtensor.simulator.engine.matching import TABLE

Array = npt.NDArray[Any]
HANDLE = pytest.mark.parametrize("handle", [True, False], ids=["handle", "function"])
BLOCKS = {"N": 0, "T": 1, "NZ": 2}


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(-8, 8, shape).astype(dtype)


def put(array: Array, trans: str = "N", weights: bool = False) -> Any:
    """The tensor that stands for a matrix, stored as `trans` says."""
    if trans == "NZ":
        return at.blas.to_nz(at.from_numpy(array), weights=weights)
    return at.from_numpy(np.ascontiguousarray(array.T) if trans == "T" else array)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the functions of `acl.blas` and the casts of `acl.op` that are called."""
    called: list[str] = []

    def watch(module: Any, name: str) -> None:
        original: Callable[..., Any] = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args: (called.append(name), original(*args))[1])

    for name in dir(simulator.blas):
        watch(simulator.blas, name)
    for name in ("cast", "create_handle_for_cast"):
        watch(simulator.op, name)
    return called


# Products of matrices


@HANDLE
@pytest.mark.parametrize(("dtype", "out"), [("float16", "float16"), ("float16", "float32"), ("int8", "int32"), ("int8", "float32")])
def test_gemm_gives_what_the_ordinary_road_gives(dtype: str, out: str, handle: bool) -> None:  # BL-4, BL-5, BL-9
    a, b, c = numbers((5, 7), dtype, 1), numbers((7, 3), dtype, 2), numbers((5, 3), out, 3)
    target = at.from_numpy(c)
    result = at.blas.gemm(at.from_numpy(a), at.from_numpy(b), target, alpha=2, beta=3, handle=handle)
    assert result is target and result.dtype.name == out
    wide = at.from_numpy(a).to(at.float32) @ at.from_numpy(b).to(at.float32)
    assert np.array_equal(result.numpy(), (wide * 2.0 + at.from_numpy(c) * 3.0).to(out).numpy())


@HANDLE
@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_gemm_of_transposed_matrices_and_blocks(dtype: str, handle: bool) -> None:  # BL-6, BL-7
    out = {"float16": "float32", "int8": "int32"}[dtype]
    m, n, k = 18, 20, 37
    a, b = numbers((m, k), dtype, 1), numbers((k, n), dtype, 2)
    for trans in itertools.product(BLOCKS, BLOCKS, ("N", "NZ")):
        left, right = put(a, trans[0]), put(b, trans[1], weights=True)
        named = {"trans_a": trans[0], "trans_b": trans[1], "trans_c": trans[2]}
        result = at.blas.gemm(left, right, **named, sizes=(m, n, k), dtype=out, handle=handle)
        if trans[2] == "NZ":
            assert result.shape == (2, 2, 16, 16)
            result = at.blas.from_nz(result, (m, n))
        assert np.array_equal(result.numpy(), a.astype(out) @ b.astype(out)), trans


def test_sizes_come_from_the_operands_that_show_them() -> None:
    a, b = numbers((18, 37), "float16", 1), numbers((37, 20), "float16", 2)
    want = a.astype(np.float32) @ b.astype(np.float32)
    assert np.array_equal(at.blas.gemm(put(a, "NZ"), put(b), at.zeros(18, 20), trans_a="NZ").numpy(), want)
    assert np.array_equal(at.blas.gemm(put(a), put(b, "NZ"), at.zeros(18, 20), trans_b="NZ").numpy(), want)
    whole = at.blas.gemm(put(a, "NZ"), put(b, "NZ"), trans_a="NZ", trans_b="NZ", dtype=at.float32)
    assert whole.shape == (32, 32) and np.array_equal(whole.numpy()[:18, :20], want)


@HANDLE
def test_hgemm_and_s8gemm(handle: bool, calls: list[str]) -> None:  # BL-10
    a, b = numbers((4, 6), "float16", 1), numbers((6, 5), "float16", 2)
    half = at.blas.hgemm(at.from_numpy(a), put(b, "T"), trans_b="T", alpha=0.5, handle=handle)
    assert half.dtype is at.float16 and np.array_equal(half.numpy(), (0.5 * (a.astype(np.float32) @ b)).astype(np.float16))
    bytes_ = at.blas.s8gemm(at.from_numpy(a.astype(np.int8)), at.from_numpy(b.astype(np.int8)), alpha=3, handle=handle)
    assert bytes_.dtype is at.int32 and np.array_equal(bytes_.numpy(), 3 * (a.astype(np.int32) @ b.astype(np.int32)))
    assert calls == (["create_handle_for_hgemm", "create_handle_for_s8gemm"] if handle else ["hgemm", "s8gemm"])


# Products with a vector


@HANDLE
@pytest.mark.parametrize("trans", BLOCKS)
@pytest.mark.parametrize(
    ("function", "dtype", "out"), [("gemv", "float16", "float32"), ("hgemv", "float16", "float16"), ("s8gemv", "int8", "int32")]
)
def test_products_with_a_vector(function: str, dtype: str, out: str, trans: str, handle: bool, calls: list[str]) -> None:  # BL-11, BL-12
    a, x, y = numbers((6, 9), dtype, 1), numbers((9,), dtype, 2), numbers((6,), out, 3)
    target = at.from_numpy(y)
    result = getattr(at.blas, function)(
        put(a, trans), at.from_numpy(x), target, trans_a=trans, sizes=(6, 9), alpha=2, beta=-1, handle=handle
    )
    assert result is target
    assert np.array_equal(result.numpy(), (2 * (a.astype(np.float64) @ x) - y).astype(out))
    name = "gemv_ex" if function == "gemv" else function
    assert calls == [f"create_handle_for_{name}" if handle else name]


def test_a_vector_shows_the_sizes_of_blocks() -> None:
    a, x = numbers((6, 9), "int8", 1), numbers((9,), "int8", 2)
    y = at.zeros(6, dtype=at.float32)
    assert np.array_equal(at.blas.gemv(put(a, "NZ"), at.from_numpy(x), y, trans_a="NZ").numpy(), a.astype(np.float32) @ x)
    new = at.blas.gemv(put(a), at.from_numpy(x))
    assert new.dtype is at.int32 and new.shape == (6,) and np.array_equal(new.numpy(), a.astype(np.int32) @ x)


# Operands


@HANDLE
def test_views_serve_as_operands_and_as_the_result(handle: bool) -> None:
    a, b, c = numbers((5, 8), "float16", 1), numbers((8, 6), "float16", 2), numbers((7, 12), "float32", 3)
    storage = at.from_numpy(c)
    view = storage[1:6, ::2]
    assert at.blas.gemm(put(a, "T").T, at.from_numpy(b), view, beta=1.0, handle=handle) is view
    want = c.copy()
    want[1:6, ::2] += a.astype(np.float32) @ b
    assert np.array_equal(storage.numpy(), want)


@HANDLE
def test_a_result_may_be_an_operand_too(handle: bool) -> None:
    a = numbers((6, 6), "float16", 1)
    square = at.from_numpy(a)
    assert at.blas.gemm(square, square, square, beta=1.0, handle=handle) is square
    assert np.array_equal(square.numpy(), (a.astype(np.float32) @ a + a).astype(np.float16))


@HANDLE
def test_factors_may_lie_on_the_device(handle: bool) -> None:  # BL-8
    a, b = numbers((3, 4), "int8", 1), numbers((4, 2), "int8", 2)
    alpha, beta = at.tensor(5, dtype=at.int32), at.tensor([7], dtype=at.int32)
    c = at.ones(3, 2, dtype=at.int32)
    at.blas.gemm(at.from_numpy(a), at.from_numpy(b), c, alpha=alpha, beta=beta, handle=handle)
    assert np.array_equal(c.numpy(), 5 * (a.astype(np.int32) @ b) + 7)


def test_a_factor_makes_no_model() -> None:
    a, b = at.ones(3, 4, dtype=at.float16), at.ones(4, 2, dtype=at.float16)
    at.blas.gemm(a, b)
    loaded = at.handle_cache.info().loaded_models
    for number in range(5):
        at.blas.gemm(a, b, alpha=number + 0.25, beta=number)
    assert at.handle_cache.info().loaded_models == loaded


def test_operands_of_other_streams_are_waited_for() -> None:
    streams = [at.Stream() for _ in range(3)]
    a, want = at.from_numpy(numbers((16, 16), "float16", 1)), numbers((16, 16), "float16", 1).astype(np.float32)
    c, total = at.zeros(16, 16), np.zeros((16, 16), np.float32)
    for number in range(12):
        with at.stream(streams[number % 3]):
            at.blas.gemm(a, a, c, beta=1.0, handle=number % 2 == 0)
        total += want @ want
    assert np.array_equal(c.numpy(), total)


@settings(max_examples=25)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 70), st.sampled_from(["N", "T", "NZ"]), st.sampled_from(["N", "T", "NZ"]))
def test_any_sizes(m: int, n: int, k: int, trans_a: str, trans_b: str) -> None:
    a, b = numbers((m, k), "int8", m), numbers((k, n), "int8", n)
    result = at.blas.s8gemm(put(a, trans_a), put(b, trans_b, weights=True), trans_a=trans_a, trans_b=trans_b, sizes=(m, n, k))
    assert np.array_equal(result.numpy(), a.astype(np.int32) @ b.astype(np.int32))


@pytest.mark.parametrize(("dtype", "weights"), [("float16", False), ("int8", False), ("int8", True), ("float32", True)])
def test_blocks_there_and_back(dtype: str, weights: bool) -> None:  # BL-7
    x = numbers((37, 50), dtype)
    blocks = at.blas.to_nz(at.from_numpy(x), weights=weights)
    rows, columns, inner = (2, 4, 32) if dtype == "int8" and weights else (3, 2, 32) if dtype == "int8" else (3, 4, 16)
    assert blocks.shape == ((rows, columns, 16, 32) if weights and dtype == "int8" else (columns, rows, 16, inner))
    assert np.array_equal(at.blas.from_nz(blocks, (37, 50), weights=weights).numpy(), x)


# Errors


def test_errors_say_what_does_not_fit() -> None:
    a, b = at.ones(3, 4, dtype=at.float16), at.ones(4, 2, dtype=at.float16)
    with pytest.raises(at.ShapeError, match=r"gemm: an operand has shape \[4, 2\], which is to be \[3, 2\]"):
        at.blas.gemm(a.T, b, trans_a="N")
    with pytest.raises(at.ShapeError, match=r"where a matrix in blocks of four dimensions is needed"):
        at.blas.gemm(a, b, trans_a="NZ")
    with pytest.raises(at.ShapeError, match="which is to be"):
        at.blas.gemm(a, b, at.zeros(2, 3, dtype=at.float16))
    with pytest.raises(at.ShapeError, match="sizes must be positive"):
        at.blas.gemm(at.ones(0, 4, dtype=at.float16), b)  # K120
    with pytest.raises(at.DTypeError, match="no product of the dtypes float32, float32 and float32"):
        at.blas.gemm(a.float(), b.float())  # K124
    with pytest.raises(at.DTypeError, match="hgemm has no product"):
        at.blas.hgemm(a, b, at.zeros(3, 2))
    with pytest.raises(at.DTypeError, match="s8gemm has no product"):
        at.blas.s8gemm(a, b)
    with pytest.raises(at.ValueRangeError, match='trans_a must be "N", "T" or "NZ", not the bool True'):
        at.blas.gemm(a, b, trans_a=True)  # type: ignore[arg-type]
    with pytest.raises(at.ValueRangeError, match='trans_c must be "N" or "NZ"'):
        at.blas.gemm(a, b, trans_c="T")  # K122
    with pytest.raises(at.ValueRangeError, match=r"are integers, not 0\.5"):
        at.blas.s8gemm(a.to(at.int8), b.to(at.int8), alpha=0.5)
    with pytest.raises(at.DTypeError, match="one element of float16"):
        at.blas.gemm(a, b, alpha=at.ones(2))
    with pytest.raises(at.DTypeError, match="a must be a tensor"):
        at.blas.gemm([[1.0]], b)  # type: ignore[type-var]
    with pytest.raises(at.DeviceError, match="different devices"):
        at.blas.gemm(a, b.to("npu:1"))
    with pytest.raises(at.ValueRangeError, match="share one place"):
        at.blas.gemm(a, b, at.zeros(1, 2, dtype=at.float16).expand(3, 2))
    with pytest.raises(at.ShapeError, match=r"hold 16 x 16 elements, not 17 x 1"):
        at.blas.from_nz(at.zeros(1, 1, 16, 16), (17, 1))
    with pytest.raises(at.ShapeError, match="a matrix is needed"):
        at.blas.to_nz(at.ones(3))


def test_a_product_that_fails_on_the_device_names_itself() -> None:
    a = at.ones(3, 3, dtype=at.float16)
    with simulator.faults.kernel("GEMM"), pytest.raises(at.AclError, match=r"Launched before it: .*GEMM"):
        at.blas.gemm(a, a)
        at.synchronize()


# Where the models come from


@HANDLE
def test_products_and_casts_are_recorded(handle: bool, tmp_path: Path) -> None:
    a = at.ones(3, 3, dtype=at.float16)
    at.blas.gemm(a, a, handle=handle), at.acl_cast(a, at.float32, handle=handle)
    with at.op_models.record(tmp_path) as recording:
        at.blas.gemm(a, a, handle=handle)
        at.acl_cast(a, at.float32, handle=handle)
    assert [text for text in recording.signatures if text.startswith("GEMM(")] and [
        t for t in recording.signatures if t.startswith("Cast(")
    ]


@HANDLE
def test_a_model_that_aged_is_made_again(handle: bool, new_process: None, monkeypatch: pytest.MonkeyPatch) -> None:  # OM-11
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "online")
    a = at.ones(3, 3, dtype=at.float16)
    assert at.blas.gemm(a, a, handle=handle).tolist() == [[3.0] * 3] * 3
    direct._handles.clear()
    at.handle_cache.clear()  # handles that were launched would die with their models (HD-5)
    for _ in range(TABLE.count):
        TABLE._evict()
    assert at.blas.gemm(a, a, alpha=2.0, handle=handle).tolist() == [[6.0] * 3] * 3
    assert at.acl_cast(a, at.int32, handle=handle).tolist() == [[1] * 3] * 3


def test_handles_are_bounded_and_go_at_shutdown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "CAPACITY", 3)
    for size in range(1, 8):
        at.acl_cast(at.from_numpy(np.ones(size, np.float32)), at.float16)
    assert len(direct._handles._handles) == 3
    at.handle_cache.clear()
    at.synchronize()
    at.handle_cache.clear()  # what lay behind the work of before goes
    assert simulator.tables()["handles"] == 3
    at.shutdown()
    assert not direct._handles._handles
    assert at.acl_cast(at.ones(2), at.float16).tolist() == [1.0, 1.0]


# Casts


@HANDLE
@pytest.mark.parametrize("of", ["float16", "float32", "int32", "uint8", "bool"])
def test_acl_cast_gives_what_to_gives(of: str, handle: bool) -> None:  # BL-1, BL-3
    x = at.from_numpy(numbers((3, 5), "float32")).abs().to(of)
    for to in ("float16", "float32", "int32", "int64", "uint8", "bool", "bfloat16"):
        result = at.acl_cast(x, to, handle=handle)
        want = x.to(to)
        assert result.dtype is want.dtype and result.shape == want.shape
        assert result.tolist() == want.tolist()


@HANDLE
def test_acl_cast_uses_the_function_of_that_name(handle: bool, calls: list[str]) -> None:
    x = at.from_numpy(numbers((6, 4), "float32"))[::2].T
    assert at.acl_cast(x, at.int32, handle=handle).tolist() == x.to(at.int32).tolist()
    assert at.acl_cast(x, at.int32, handle=handle).shape == (4, 3)
    assert calls == (["create_handle_for_cast"] if handle else ["cast", "cast"])


def test_acl_cast_finds_the_models_of_the_ordinary_road(new_process: None) -> None:  # BL-1: exactly dst_type
    x = at.ones(3, 3)
    x.to(at.int32)
    loaded = at.handle_cache.info().loaded_models
    at.acl_cast(x, at.int32, handle=False), at.acl_cast(x, at.int32)
    assert at.handle_cache.info().loaded_models == loaded


def test_acl_cast_of_nothing_and_of_no_tensor() -> None:
    assert at.acl_cast(at.ones(0, 3), at.float16).shape == (0, 3)
    assert at.acl_cast(at.tensor(2.5), at.int32).item() == 2
    with pytest.raises(at.DTypeError, match="input must be a tensor"):
        at.acl_cast([1.0], at.int32)  # type: ignore[type-var]
