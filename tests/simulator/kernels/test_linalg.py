"""Kernels of linear algebra: what factors make again, what has no answer, shapes as CANN's own rules give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import UNTIMED, made, meta, ruled, run, sample

KINDS = [np.dtype(kind) for kind in (np.float32, np.float64, np.complex64, np.complex128)]
EACH = pytest.mark.parametrize("kind", KINDS, ids=str)
NEAR = {np.dtype(np.float32): 2e-4, np.dtype(np.complex64): 2e-4, np.dtype(np.float64): 1e-10, np.dtype(np.complex128): 1e-10}


def regular(kind: Any, *shape: int, seed: int = 0) -> np.ndarray:
    """Matrices that are far from singular."""
    return (sample(shape, kind, seed) + 4 * np.eye(*shape[-2:])).astype(kind)


def positive(kind: Any, *shape: int) -> np.ndarray:
    values = sample(shape, kind)
    return (values @ values.swapaxes(-1, -2).conj() + np.eye(shape[-1])).astype(kind)


def near(found: np.ndarray, expected: Any) -> None:
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found, expected, NEAR[found.dtype], NEAR[found.dtype])


def outputs(kind: Any, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    return [np.full(shape, 77, kind) for shape in shapes]


@EACH
def test_determinants(kind: Any) -> None:
    x = regular(kind, 3, 4, 4)
    near(made("MatrixDeterminant", [x], (3,), kind), np.linalg.det(x))
    sign, logarithm = outputs(kind, (3,), (3,))
    run("LogMatrixDeterminant", [x], [sign, logarithm])
    near(sign * np.exp(logarithm), np.linalg.det(x))
    sign, logarithm = outputs(kind, (1,), (1,))  # of a single matrix: one element, as the operator's rule says
    run("LogMatrixDeterminant", [np.zeros((2, 2), kind)], [sign, logarithm])
    assert sign == 0 and logarithm.real == -np.inf


@EACH
@pytest.mark.parametrize("adjoint", [False, True])
def test_inverses_and_solutions(kind: Any, adjoint: bool) -> None:
    x, b = regular(kind, 2, 5, 5), sample((2, 5, 3), kind, 1)
    matrix = x.swapaxes(-1, -2).conj() if adjoint else x
    near(made("MatrixInverse", [x], x.shape, kind, adjoint=adjoint), np.linalg.inv(matrix))
    near(made("MatrixSolve", [x, b], b.shape, kind, adjoint=adjoint), np.linalg.solve(matrix, b))


@EACH
@pytest.mark.parametrize("size", [1, 5, 48, 49, 130])
@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_triangular_systems_never_look_at_the_other_triangle(kind: Any, size: int, lower: bool, adjoint: bool) -> None:
    x, b = (sample((2, size, size), kind) / size + 2 * np.eye(size)).astype(kind), sample((2, size, 3), kind, 1)
    triangle = np.tril(x) if lower else np.triu(x)
    blind = np.where(np.tril(np.ones((size, size))) if lower else np.triu(np.ones((size, size))), x, np.nan).astype(kind)
    matrix = triangle.swapaxes(-1, -2).conj() if adjoint else triangle
    near(made("MatrixTriangularSolve", [blind, b], b.shape, kind, lower=lower, adjoint=adjoint), np.linalg.solve(matrix, b))


@EACH
@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4)])
@pytest.mark.parametrize("fast", [False, True])
def test_least_squares(kind: Any, shape: tuple[int, int], fast: bool) -> None:
    x, b = regular(kind, 2, *shape), sample((2, shape[0], 2), kind, 1)
    found = made("MatrixSolveLs", [x, b, np.array(0.0)], (2, shape[1], 2), kind, fast=fast)
    near(found, np.linalg.pinv(x) @ b)


def test_least_squares_takes_a_penalty_where_it_is_fast_and_any_rank_where_not() -> None:
    x, b = np.ones((4, 2)), np.ones((4, 1))
    near(made("MatrixSolveLs", [x, b, np.array(2.0)], (2, 1), np.float64), np.linalg.solve(x.T @ x + 2 * np.eye(2), x.T @ b))
    near(made("MatrixSolveLs", [x, b, np.array(0.0)], (2, 1), np.float64, fast=False), np.full((2, 1), 0.5))
    with pytest.raises(ValueError, match="rank deficient"):
        made("MatrixSolveLs", [x, b, np.array(0.0)], (2, 1), np.float64)


@EACH
def test_cholesky_looks_at_the_lower_triangle(kind: Any) -> None:
    x = positive(kind, 2, 4, 4)
    near(made("Cholesky", [np.tril(x)], x.shape, kind), np.linalg.cholesky(x))


@EACH
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
def test_factors_make_the_operand_again(kind: Any, shape: tuple[int, int], full: bool) -> None:
    x, least = sample((2, *shape), kind), min(shape)
    size = shape[0] if full else least
    q, r = outputs(kind, (2, shape[0], size), (2, size, shape[1]))
    run("Qr", [x], [q, r], full_matrices=full)
    near(q @ r, x)
    near(q.swapaxes(-1, -2).conj() @ q, np.broadcast_to(np.eye(size, dtype=kind), (2, size, size)))
    assert not np.tril(r, -1).any()
    columns = shape[1] if full else least
    sigma, u, v = outputs(kind, (2, least), (2, shape[0], size), (2, shape[1], columns))
    run("Svd", [x], [sigma, u, v], full_matrices=full)
    near(u[..., :least] * sigma[:, None] @ v[..., :least].swapaxes(-1, -2).conj(), x)
    assert (np.diff(sigma.real) <= 0).all() and not sigma.imag.any()


@EACH
def test_vectors_that_are_not_asked_for_are_left_alone(kind: Any) -> None:
    x = positive(kind, 2, 3, 3)
    sigma, u, v = outputs(kind, (2, 3), (), ())
    run("Svd", [x], [sigma, u, v], compute_uv=False)
    near(sigma, np.linalg.svd(x, compute_uv=False).astype(kind))
    values, vectors = outputs(kind, (2, 3), ())
    run("SelfAdjointEig", [x], [values, vectors], compute_v=False)
    near(values, np.linalg.eigvalsh(x).astype(kind))
    assert u == v == vectors == 77


@EACH
def test_eigenvalues_are_of_the_lower_triangle(kind: Any) -> None:
    x = positive(kind, 2, 4, 4)
    values, vectors = outputs(kind, (2, 4), x.shape)
    run("SelfAdjointEig", [np.tril(x)], [values, vectors])
    near(vectors * values[:, None] @ vectors.swapaxes(-1, -2).conj(), x)
    assert (np.diff(values.real) >= 0).all()


@given(size=st.integers(1, 80), stack=st.integers(0, 3), kind=st.sampled_from(KINDS), index=st.sampled_from([3, 9]))
@UNTIMED
def test_rows_of_the_operand_in_their_order_are_the_product_of_its_factors(size: int, stack: int, kind: Any, index: int) -> None:
    x = sample((stack, size, size), kind)
    packed, order = np.empty_like(x), np.empty((stack, size), np.int32 if index == 3 else np.int64)
    run("Lu", [x], [packed, order], output_idx_type=index)
    lower, upper = np.tril(packed, -1) + np.eye(size), np.triu(packed)
    np.testing.assert_allclose(
        lower @ upper, np.take_along_axis(x, order[..., None].astype(np.int64), 1), atol=2e-3 if kind.itemsize % 8 else 1e-8, rtol=1e-3
    )
    assert (np.abs(np.tril(packed, -1)) <= 1 + 1e-6).all()  # pivots are the largest


@pytest.mark.parametrize("kind", KINDS[:2], ids=str)
def test_pseudo_inverses_drop_small_singular_values(kind: Any) -> None:
    x = sample((5, 3), kind)
    near(made("Pinverse", [x], (3, 5), kind, rcond=1e-6), np.linalg.pinv(x))
    near(made("Pinverse", [x], (3, 5), kind, rcond=0.9), np.linalg.pinv(x, 0.9))


@pytest.mark.parametrize(
    ("op_type", "inputs", "shapes", "attrs"),
    [
        ("MatrixInverse", 1, [(2, 2)], {}),
        ("MatrixSolve", 2, [(2, 2)], {}),
        ("MatrixTriangularSolve", 2, [(2, 2)], {}),
        ("Cholesky", 1, [(2, 2)], {}),
        ("Lu", 1, [(2, 2), (2,)], {"output_idx_type": 9}),
    ],
)
def test_what_has_no_answer_is_an_error_of_the_run(op_type: str, inputs: int, shapes: list[tuple[int, ...]], attrs: dict[str, Any]) -> None:
    targets = [np.empty(shape, np.int64 if len(shape) == 1 else np.float32) for shape in shapes]
    with pytest.raises(ValueError, match=r"not invertible|not successful"):
        run(op_type, [np.zeros((2, 2), np.float32)] * inputs, targets, **attrs)


def test_shapes_are_those_of_the_operators_own_rules() -> None:
    f = np.float32
    assert ruled("LogMatrixDeterminant", [meta(f, 3, 3)], 2) == [(1,), (1,)]
    assert ruled("LogMatrixDeterminant", [meta(f, 2, 3, 3)], 2) == [(2,), (2,)]
    assert ruled("MatrixDeterminant", [meta(f, 3, -1)]) == [()]
    assert ruled("MatrixInverse", [meta(f, -1, 3, -1)]) == [(-1, 3, 3)]
    assert ruled("Svd", [meta(f, 2, 5, 3)], 3) == [(2, 3), (2, 5, 3), (2, 3, 3)]
    assert ruled("Svd", [meta(f, 2, 5, 3)], 3, full_matrices=True) == [(2, 3), (2, 5, 5), (2, 3, 3)]
    assert ruled("Svd", [meta(f, 5, -1)], 3, compute_uv=False) == [(-1,), (), ()]
    assert ruled("Qr", [meta(f, 5, 3)], 2, full_matrices=True) == [(5, 5), (5, 3)]
    assert ruled("SelfAdjointEig", [meta(f, 3, 3)], 2, compute_v=False) == [(3,), ()]
    assert ruled("Pinverse", [meta(f, 5, 3)]) == [(3, 5)]
    assert ruled("MatrixSolveLs", [meta(f, 5, 3), meta(f, 5, 2), meta(np.float64)]) == [(3, 2)]
    for op_type, count in (
        ("MatrixInverse", 1),
        ("Lu", 2),
        ("Qr", 2),
        ("Svd", 3),
        ("SelfAdjointEig", 2),
        ("Pinverse", 1),
        ("LogMatrixDeterminant", 2),
    ):
        attrs = {"output_idx_type": 9} if op_type == "Lu" else {}
        assert ruled(op_type, [meta(f, -2)], count, **attrs) == [(-2,)] * count
    assert ruled("MatrixSolve", [meta(f, -2), meta(f, 3, 3)]) == [(-2,)]


@pytest.mark.parametrize(
    ("op_type", "metas", "match"),
    [
        ("MatrixInverse", [(2, 3)], "differ"),
        ("Cholesky", [(3,)], "two dims"),
        ("Svd", [(3,)], "two dims"),
        ("MatrixSolve", [(3, 3), (4, 2)], "rows"),
        ("MatrixSolve", [(2, 3, 3), (4, 3, 2)], "stacks"),
        ("MatrixSolve", [(2, 3, 3), (3, 2)], "one rank"),
        ("MatrixSolveLs", [(3, 3), (3, 2), (1,)], "0-d"),
    ],
)
def test_shapes_that_the_operators_refuse(op_type: str, metas: list[tuple[int, ...]], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        ruled(op_type, [meta(np.float64, *shape) for shape in metas])


# Vectors


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, np.uint8, np.int64, np.complex128], ids=str)
@pytest.mark.parametrize(("shape", "dim"), [((3,), 0), ((4, 3), -1), ((3, 4), 0), ((3, 3), -65530)])
def test_cross_products(kind: Any, shape: tuple[int, ...], dim: int) -> None:
    a, b = sample(shape, kind), sample(shape, kind, 1)
    wide = np.float32 if np.dtype(kind) == np.float16 else kind
    axis = 0 if dim == -65530 else dim
    found = made("Cross", [a, b], shape, kind, dim=dim)
    expected = np.cross(a.astype(wide), b.astype(wide), axis=axis).astype(kind)
    np.testing.assert_allclose(found, expected, rtol=2e-3 if wide is not kind else 1e-5, atol=1e-3 if wide is not kind else 1e-5)


def test_cross_products_refuse_other_shapes() -> None:
    f = np.float32
    for shapes, attrs in (((2, 4), {}), ((2, 3), {"dim": 0}), ((3,), {"dim": 1})):
        with pytest.raises(ValueError, match="axis"):
            ruled("Cross", [meta(f, *shapes)] * 2, **attrs)
    with pytest.raises(ValueError, match="shapes"):
        ruled("Cross", [meta(f, 3), meta(f, 1)])


@pytest.mark.parametrize("kind", [np.float16, np.float32], ids=str)
@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, np.inf])
def test_distances_of_pairs(kind: Any, p: float) -> None:
    x = sample((6, 4), kind)
    first, second = np.triu_indices(6, 1)
    difference = np.abs(x[first].astype(float) - x[second])
    expected = (difference != 0).sum(1) if p == 0 else np.linalg.norm(difference, p, 1)
    np.testing.assert_allclose(made("Pdist", [x], (15,), kind, p=p), expected, rtol=2e-3 if kind is np.float16 else 1e-5)
    assert ruled("Pdist", [meta(kind, 1, 4)]) == [(0,)] and ruled("Pdist", [meta(kind, -1, 4)]) == [(-1,)]
    with pytest.raises(ValueError, match="negative"):
        made("Pdist", [x], (15,), kind, p=-1.0)
    with pytest.raises(ValueError, match="matrix"):
        ruled("Pdist", [meta(kind, 4)])
