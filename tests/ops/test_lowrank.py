"""The largest singular values by random projections, against NumPy's decompositions of the same matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from harness import host, tensor

import ascendtensor as at

KINDS = (np.float32, np.float64, np.complex64, np.complex128)


def low(kind: type, shape: tuple[int, ...], rank: int, rest: float = 0.0, key: int = 0) -> np.ndarray[Any, Any]:
    """A matrix of a rank, and as much noise beside it."""
    generator = np.random.default_rng(key)

    def normal(*sizes: int) -> Any:
        real = generator.normal(size=sizes)
        return real + 1j * generator.normal(size=sizes) if np.issubdtype(kind, np.complexfloating) else real

    *stack, rows, columns = shape
    return (normal(*stack, rows, rank) @ normal(*stack, rank, columns) + rest * normal(*shape)).astype(kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(40, 24), (24, 40), (3, 20, 12), (2, 3, 9, 9)])
def test_a_matrix_of_low_rank_is_found_whole(kind: type, shape: tuple[int, ...]) -> None:
    at.manual_seed(1)
    x = low(kind, shape, 4)
    left, values, right = map(host, at.svd_lowrank(tensor(x), q=6))
    *stack, rows, columns = shape
    assert (left.shape, values.shape, right.shape) == ((*stack, rows, 6), (*stack, 6), (*stack, columns, 6))
    assert left.dtype == right.dtype == x.dtype and values.dtype == x.real.dtype
    exact = 1e-4 if x.real.dtype == np.float32 else 1e-11
    largest = np.linalg.svd(x.astype(np.complex128), compute_uv=False)[..., :6]
    np.testing.assert_allclose(values, largest, rtol=exact, atol=exact * largest.max())
    adjoint = np.conj(np.swapaxes(right, -1, -2))
    np.testing.assert_allclose((left * values[..., None, :]) @ adjoint, x, rtol=0, atol=exact * largest.max())
    for basis in (left, right):
        product = np.conj(np.swapaxes(basis, -1, -2)) @ basis
        np.testing.assert_allclose(product[..., :4, :4], np.broadcast_to(np.eye(4), (*stack, 4, 4)), atol=100 * exact)


def test_powers_bring_out_what_noise_hides() -> None:
    x = low(np.float64, (120, 80), 5, 0.3)
    largest = np.linalg.svd(x, compute_uv=False)[:5]
    errors = []
    for count in (0, 4):
        at.manual_seed(4)
        found = host(at.svd_lowrank(tensor(x), q=5, niter=count)[1])
        assert np.all(found <= largest * (1 + 1e-12))
        errors.append(float(np.max((largest - found) / largest)))
    assert errors[1] < 1e-4 < errors[0]
    at.manual_seed(4)
    again = host(at.svd_lowrank(tensor(x), q=5, niter=4)[1])
    assert np.array_equal(again, found)


def test_what_is_subtracted_first_broadcasts() -> None:
    x = low(np.float64, (30, 10), 3) + np.arange(10.0)
    mean = x.mean(0)
    exact = np.linalg.svd(x - mean, compute_uv=False)[:4]
    for given in (mean, mean[None], np.broadcast_to(mean, x.shape).copy()):
        np.testing.assert_allclose(host(at.svd_lowrank(tensor(x), 4, M=tensor(given))[1]), exact, rtol=1e-10, atol=1e-10)
    with pytest.raises(ValueError, match=r"\[3\]"):
        at.svd_lowrank(tensor(x), M=at.ones(3, dtype=at.float64))


def test_principal_components() -> None:
    x = low(np.float32, (50, 8), 3) + np.float32(7)
    centred = x - x.mean(0)
    exact = np.linalg.svd(centred.astype(np.float64))
    left, values, right = map(host, at.pca_lowrank(tensor(x), 3))
    np.testing.assert_allclose(values, exact.S[:3], rtol=1e-4)
    np.testing.assert_allclose(np.abs(np.sum(right * exact.Vh[:3].T, 0)), 1, rtol=1e-4)
    np.testing.assert_allclose(centred @ right, left * values, atol=1e-3)
    assert [part.shape for part in at.pca_lowrank(tensor(x[:2]))] == [(2, 2), (2,), (8, 2)]
    whole = host(at.pca_lowrank(tensor(x), 4, center=False)[1])
    np.testing.assert_allclose(whole, np.linalg.svd(x, compute_uv=False)[:4], rtol=1e-4)


def test_few_and_none() -> None:
    x = at.ones(5, 4)
    assert [part.shape for part in at.svd_lowrank(x, 0)] == [(5, 0), (0,), (4, 0)]
    assert [part.shape for part in at.svd_lowrank(x, 9)] == [(5, 4), (4,), (4, 4)]
    assert [part.shape for part in at.svd_lowrank(x[:0], 2)] == [(0, 0), (0,), (4, 0)]
    assert at.svd_lowrank(x, None)[1].shape == (4,)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: at.svd_lowrank(x, -1), ValueError, "svd_lowrank: q must not be negative"),
        (lambda x: at.svd_lowrank(x, 2.0), TypeError, "svd_lowrank: q must be an int"),
        (lambda x: at.svd_lowrank(x[0]), ValueError, "svd_lowrank: a tensor of at least two dims"),
        (lambda x: at.svd_lowrank(x.half()), TypeError, "svd_lowrank: low precision"),
        (lambda x: at.svd_lowrank(x, M=x.double()), TypeError, "svd_lowrank: .*float64"),
        (lambda x: at.pca_lowrank(x, 5), ValueError, r"pca_lowrank: q must be from 0 to min\(m, n\) = 4, not 5"),
        (lambda x: at.pca_lowrank(x, niter=-1), ValueError, "pca_lowrank: niter must not be negative"),
        (lambda x: at.pca_lowrank(x.int()), TypeError, "pca_lowrank: a floating or complex dtype"),
    ],
)
def test_wrong_arguments_are_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(at.ones(5, 4))
