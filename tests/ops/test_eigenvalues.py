"""Eigenvalues and eigenvectors of general matrices, which are composed: what they have to fulfil."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import dtypes as d


def matrices(size: int, dtype: d.dtype) -> np.ndarray[Any, Any]:
    """Random, symmetric, orthogonal, cyclic, defective, companion, singular and badly scaled ones."""
    rng = np.random.default_rng(size)
    some, shifted = rng.standard_normal((6, size, size)), np.eye(size, k=1)
    companions = np.stack([np.eye(size, k=-1)] * 2)
    companions[0, 0], companions[1, 0] = -rng.standard_normal(size), -np.poly(np.ones(size))[1:]
    given = [
        *some,
        some[0] + some[0].T,
        np.linalg.qr(some[1])[0],
        np.roll(np.eye(size), 1, 0),
        2 * np.eye(size) + shifted,
        2 * np.eye(size) + shifted.T,
        shifted,
        shifted.T,
        shifted - shifted.T,
        *companions,
        np.zeros((size, size)),
        np.ones((size, size)),
        np.eye(size),
        np.tril(some[2]),
        np.outer(some[3, 0], some[4, 0]),
        1e-30 * some[5],
        1e30 * some[5],
        float(np.finfo(dtype.numpy).tiny) / 16 * some[5],
    ]
    found = np.stack(given).astype(np.complex128)
    if dtype.is_complex:
        found[:6] += 1j * rng.standard_normal((6, size, size))
    return (found if dtype.is_complex else found.real).astype(dtype.numpy)


SIZES = [(1, d.float64), (2, d.complex64), (3, d.float32), (4, d.complex128)]
LARGE = [pytest.param(size, dtype, marks=pytest.mark.slow) for size, dtype in ((5, d.complex128), (8, d.float64))]


@pytest.mark.parametrize(("size", "dtype"), [*SIZES, *LARGE], ids=str)
def test_a_matrix_times_its_vectors_is_its_values_times_them(size: int, dtype: d.dtype) -> None:
    A = matrices(size, dtype)
    values, vectors = (each.numpy().astype(np.complex128) for each in at.linalg.eig(at.tensor(A)))
    least = 40 * size * np.finfo(dtype.numpy).eps
    scale = np.maximum(np.abs(A).max((1, 2)), np.finfo(dtype.numpy).tiny)[:, None, None]
    assert (np.abs(A @ vectors - vectors * values[:, None]) / scale).max() < least
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=least)
    # Sums and products of eigenvalues, whatever their order.
    np.testing.assert_allclose(values.sum(1) / scale[:, 0, 0], np.trace(A / scale, axis1=1, axis2=2), atol=least)
    alone = at.linalg.eigvals(at.tensor(A)).numpy()
    np.testing.assert_allclose(alone / scale[:, :, 0], values / scale[:, :, 0], atol=least)


def test_values_of_well_separated_matrices_are_numpys() -> None:
    A = np.diag(np.arange(1.0, 7.0)) + 0.1 * np.random.default_rng(0).standard_normal((2, 3, 6, 6))
    found = np.sort(at.linalg.eigvals(at.tensor(A)).numpy().real, -1)
    np.testing.assert_allclose(found, np.sort(np.linalg.eigvals(A).real, -1), atol=1e-12)


def test_steps_end_where_all_values_are_found() -> None:
    A = at.tensor(np.random.default_rng(1).standard_normal((20, 20)))
    at.linalg.eigvals(A)
    with at.trace() as steps:
        found = at.linalg.eigvals(A)
    factors = [launch.op_type for launch in steps.launches].count("Qr")
    assert factors < 4 * 20  # less than four steps for each value
    with at.trace() as none:
        at.linalg.eigvals(at.eye(20, dtype=at.float64))
    assert [launch.op_type for launch in none.launches].count("Qr") == 0
    wanted = np.linalg.eigvals(A.numpy())
    assert np.abs(found.numpy()[:, None] - wanted).min(0).max() < 1e-12


def test_a_rotation_has_conjugate_values() -> None:
    values, vectors = at.linalg.eig(at.tensor([[0.0, -1.0], [1.0, 0.0]]))
    assert values.dtype is at.complex64 and vectors.dtype is at.complex64
    np.testing.assert_allclose(sorted(values.numpy().imag), [-1, 1], atol=1e-6)


@pytest.mark.parametrize("dtype", [d.float32, d.complex128], ids=str)
def test_empty_stacks_and_matrices(dtype: d.dtype) -> None:
    for shape in ((0, 0), (3, 0, 0), (0, 3, 3)):
        values, vectors = at.linalg.eig(at.zeros(shape, dtype=dtype))
        assert values.shape == shape[:-1] and vectors.shape == shape and values.dtype is dtype.to_complex()
        assert at.linalg.eigvals(at.zeros(shape, dtype=dtype)).shape == shape[:-1]


def test_nan_gives_nan_for_its_own_matrix() -> None:
    A = np.stack([np.full((3, 3), np.nan), np.eye(3)])
    found = at.linalg.eigvals(at.tensor(A)).numpy()
    assert np.isnan(found[0]).all() and (found[1] == 1).all()


def test_results_go_where_they_are_wanted_and_bad_operands_are_refused() -> None:
    A = at.tensor([[2.0, 1.0], [0.0, 3.0]])
    out = at.empty(2, dtype=at.complex64)
    assert at.linalg.eigvals(A, out=out) is out and sorted(out.numpy().real) == [2, 3]
    pair = (at.empty(2, dtype=at.complex64), at.empty((2, 2), dtype=at.complex64))
    assert at.linalg.eig(A, out=pair).eigenvectors is pair[1]
    for function in (at.linalg.eig, at.linalg.eigvals):
        with pytest.raises(ValueError):
            function(at.ones((2, 3)))
        with pytest.raises(TypeError):
            function(at.ones((2, 2), dtype=at.int32))


@pytest.mark.parametrize("dtype", [d.float32, d.complex64, d.float64])
def test_elements_whose_squares_are_nothing(dtype: d.dtype) -> None:
    """Reflections stay unitary, whatever lies below the diagonal."""
    size = 6
    some = np.random.default_rng(3).standard_normal((12, size, size))
    powers = np.array([1e-12, 1e-15, 1e-17, 1e-19, 1e-21, 1e-24, 1e-36, 1e-38, 1e-40, 1e-44, 1e-160, 0.0])
    A = (np.triu(some) + np.tril(some, -1) * powers[:, None, None]).astype(dtype.numpy)
    values, vectors = (each.numpy().astype(np.complex128) for each in at.linalg.eig(at.tensor(A)))
    least = 100 * size * np.finfo(dtype.numpy).eps
    assert np.abs(A @ vectors - vectors * values[:, None]).max() < least * np.abs(A).max()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=least)


def test_a_matrix_that_is_not_finite_takes_no_more_steps_than_the_others() -> None:
    values = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    bad = values.copy()
    bad[2, 3] = np.nan
    counts = []
    for matrix in (values, bad):
        operand = at.tensor(matrix)
        before = at.handle_cache.launches()
        found = at.linalg.eig(operand)
        counts.append((at.handle_cache.launches() - before).total())
        assert found.eigenvalues.isnan().all().item() == found.eigenvectors.isnan().all().item() == (matrix is bad)
    assert counts[1] <= counts[0]
    both = at.linalg.eigvals(at.tensor(np.stack([bad, values])))
    assert both[0].isnan().all() and not both[1].isnan().any()
