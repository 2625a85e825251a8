"""Products of tensors of any shapes and layouts against NumPy's."""

from __future__ import annotations

from collections import Counter
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from harness import host, tensor
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor.ops.linalg import matmul as products_of_ours
from ascendtensor.simulator.engine import compile

UNTIMED = settings(deadline=None, max_examples=40)
KINDS = (np.float32, np.float16, ml_dtypes.bfloat16, np.float64, np.complex64, np.int8, np.int32, np.int64, np.uint8)
sizes = st.integers(0, 5)


@st.composite
def products(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Two operands that `matmul` takes: vectors, matrices, stacks that broadcast, in several layouts; small whole numbers."""
    rows, inner, columns = draw(sizes), draw(sizes), draw(sizes)
    stack = draw(st.lists(st.integers(0, 3), max_size=2))
    kind = draw(st.sampled_from(KINDS))
    rng = np.random.default_rng(draw(st.integers(0, 99)))

    def operand(vector: tuple[int, ...], matrix: tuple[int, ...]) -> np.ndarray[Any, Any]:
        if draw(st.booleans()) and draw(st.booleans()):
            return rng.integers(0, 4, vector).astype(kind)
        lead = [length if draw(st.booleans()) else 1 for length in stack][draw(st.integers(0, len(stack))) :]
        shape = (*lead, *matrix)
        layout = draw(st.sampled_from(["plain", "turned", "stepped", "backwards"]))
        if layout == "turned":
            return rng.integers(0, 4, (*lead, *matrix[::-1])).astype(kind).swapaxes(-1, -2)
        if layout == "stepped":
            return rng.integers(0, 4, (*lead, matrix[0], 2 * matrix[1] + 1)).astype(kind)[..., 1::2]
        values = rng.integers(0, 4, shape).astype(kind)
        return values[..., ::-1, :] if layout == "backwards" else values

    return operand((inner,), (rows, inner)), operand((inner,), (inner, columns))


@given(products())
@UNTIMED
def test_products_are_numpys(operands: tuple[Any, Any]) -> None:
    left, right = operands
    expected = np.matmul(left.astype(np.complex128), right.astype(np.complex128))
    found = at.matmul(tensor(left), tensor(right))
    assert found.shape == expected.shape and host(found).dtype == left.dtype
    np.testing.assert_array_equal(host(found).astype(np.complex128), expected)  # whole numbers below 256 are exact in every dtype
    out = at.zeros(found.shape, dtype=found.dtype)
    assert at.matmul(tensor(left), tensor(right), out=out) is out
    np.testing.assert_array_equal(host(out), host(found))


@given(data=st.data(), count=st.integers(1, 3))
@UNTIMED
def test_sums_of_products_are_numpys(data: st.DataObject, count: int) -> None:
    lengths = {letter: data.draw(st.integers(1, 3)) for letter in "abcd"}
    parts = ["".join(data.draw(st.lists(st.sampled_from("abcd"), max_size=3))) for _ in range(count)]
    known = sorted(set("".join(parts)))
    result = "".join(data.draw(st.permutations(known))[: data.draw(st.integers(0, len(known)))])
    operands = [np.random.default_rng(place).integers(-3, 4, [lengths[letter] for letter in part]) for place, part in enumerate(parts)]
    for equation in (f"{','.join(parts)}->{result}", ",".join(parts)):
        found = at.einsum(equation, *map(at.tensor, operands))
        expected = np.einsum(equation, *operands)
        assert found.shape == expected.shape, equation
        np.testing.assert_array_equal(found.numpy(), expected, equation)


@given(data=st.data(), dims=st.integers(0, 3))
@UNTIMED
def test_products_over_chosen_dims_are_numpys(data: st.DataObject, dims: int) -> None:
    shared = data.draw(st.lists(st.integers(0, 3), min_size=dims, max_size=dims))
    left = (*data.draw(st.lists(st.integers(0, 3), max_size=2)), *shared)
    right = (*shared, *data.draw(st.lists(st.integers(0, 3), max_size=2)))
    a, b = (np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float64) for seed, shape in enumerate((left, right)))
    np.testing.assert_array_equal(at.tensordot(at.tensor(a), at.tensor(b), dims).numpy(), np.tensordot(a, b, dims))
    order = data.draw(st.permutations(range(len(left))))
    places = [order.index(len(left) - dims + place) for place in range(dims)]
    turned = at.tensordot(at.tensor(a).permute(*order), at.tensor(b), (places, list(range(dims))))
    assert turned.shape[len(left) - dims :] == b.shape[dims:]


@pytest.mark.parametrize("dtype", [at.float16, at.bfloat16])
@pytest.mark.parametrize("factors", [(1, 1), (0.7, 1.3), (0, 1.3), (0, 1)])
def test_sums_with_products_of_halves_are_rounded_once(dtype: at.dtype, factors: tuple[float, float]) -> None:
    beta, alpha = factors
    generator = np.random.default_rng(2)
    shapes = {"addmm": ((9, 7), (9, 5), (5, 7)), "addmv": ((9,), (9, 5), (5,)), "baddbmm": ((2, 1, 7), (2, 9, 5), (2, 5, 7))}
    shapes["addbmm"] = ((7,), (2, 9, 5), (2, 5, 7))
    for name, parts in shapes.items():
        operands = [at.tensor(generator.normal(size=shape)).to(dtype) for shape in parts]
        if name == "addmm":
            operands[2] = operands[2].T.contiguous().T  # a view that the operator reads transposed
        first, left, right = (host(each.to(at.float64)) for each in operands)
        product = left @ right if name != "addbmm" else (left @ right).sum(0)
        exact = beta * first + alpha * product
        found = getattr(at, name)(*operands, beta=beta, alpha=alpha)
        assert found.dtype is dtype and found.shape == exact.shape
        error = np.abs(host(found.to(at.float64)) - exact)
        assert np.all(error <= np.abs(exact) * (2.0**-11 if dtype is at.float16 else 2.0**-8) * 1.001 + 2e-6)
        target = at.empty(exact.shape, dtype=dtype)
        assert getattr(at, name)(*operands, beta=beta, alpha=alpha, out=target) is target and at.equal(target, found)


def launched(function: Any) -> Counter[str]:
    """What a call launches, at its second time: the first one makes plans."""
    function()
    before = at.handle_cache.launches()
    function()
    return at.handle_cache.launches() - before


@pytest.mark.parametrize("kind", [np.float64, np.complex64, np.complex128, np.int32])
@pytest.mark.parametrize(
    "shapes",
    [((3, 4), (4, 2)), ((4,), (4, 2)), ((2, 3, 4), (4,)), ((5, 3, 4), (4, 2)), ((5, 3, 4), (1, 4, 2)), ((2, 5, 3, 4), (2, 5, 4, 2))],
)
def test_a_product_on_the_ai_cpu_is_one_launch(kind: Any, shapes: Any) -> None:
    rng = np.random.default_rng(0)
    left, right = (at.tensor((rng.integers(-4, 5, shape) * (1j if np.dtype(kind).kind == "c" else 1)).astype(kind)) for shape in shapes)
    assert launched(lambda: at.matmul(left, right)) == {"BatchMatMul": 1}
    np.testing.assert_array_equal(host(at.matmul(left, right)), host(left) @ host(right))


@pytest.mark.parametrize("kind", [np.float64, np.complex64, np.int32])
def test_the_ai_cpu_gets_equal_stacks_and_turned_matrices_as_they_are(kind: Any) -> None:
    rng = np.random.default_rng(1)
    values = [(rng.integers(-4, 5, (2, 3, 4)) * (1 + (1j if np.dtype(kind).kind == "c" else 0))).astype(kind) for _ in range(2)]
    left, right = (at.tensor(each) for each in values)
    np.testing.assert_array_equal(host(left[0] @ right.mT), values[0][0] @ values[1].swapaxes(-1, -2))
    np.testing.assert_array_equal(host(left.mT @ right[0]), values[0].swapaxes(-1, -2) @ values[1][0])
    np.testing.assert_array_equal(host(left.mT[:, None] @ right), values[0].swapaxes(-1, -2)[:, None] @ values[1])
    np.testing.assert_array_equal(host(left[0, 0] @ right.mT), values[0][0, 0] @ values[1].swapaxes(-1, -2))


def test_a_compiler_that_refuses_doubles_leaves_products_and_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "BEYOND", {})
    monkeypatch.setattr(products_of_ours, "_CPU", set(products_of_ours._CPU))
    left, right = (np.arange(35.0).reshape(1, 1, 1, *shape) for shape in ((5, 7), (7, 5)))  # a rank without a dynamic model
    assert launched(lambda: at.tensor(left) @ at.tensor(right)).keys() >= {"Mul", "ReduceSum"}
    np.testing.assert_array_equal(host(at.tensor(left) @ at.tensor(right)), left @ right)
    with pytest.raises(at.ShapeError):
        at.tensor(left) @ at.tensor(left)


@pytest.mark.parametrize(
    "shapes",
    [((3, 4), (4, 2)), ((4,), (4, 9)), ((9, 4), (4,)), ((4,), (4,)), ((2, 1, 3, 4), (5, 4, 2)), ((2, 9, 4), (4, 3)), ((2, 0), (0, 3))],
)
def test_large_complex_products_are_one_of_their_parts(shapes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products_of_ours, "_FEW", -1)
    rng = np.random.default_rng(0)
    left, right = ((rng.integers(-9, 9, shape) + 1j * rng.integers(-9, 9, shape)).astype(np.complex64) for shape in shapes)
    made = launched(lambda: at.tensor(left) @ at.tensor(right))
    assert made["MatMulV2"] + made["BatchMatMulV2"] == (1 if left.size else 0)
    np.testing.assert_array_equal(host(at.tensor(left) @ at.tensor(right)), left @ right)
    if left.ndim > 1 and left.size:
        turned = at.tensor(np.ascontiguousarray(left.swapaxes(-1, -2))).mT
        np.testing.assert_array_equal(host(turned @ at.tensor(right)), left @ right)
        left.flat[0] = np.inf
        assert (np.isinf(host(at.tensor(left) @ at.tensor(right)).real) | np.isnan(host(at.tensor(left) @ at.tensor(right)).real)).any()
    with pytest.raises(at.ShapeError):
        at.tensor(left) @ at.ones(77, 2).to(at.complex64)
