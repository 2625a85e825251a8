"""Matrices with NaN or infinities, and of sizes at the ends of a dtype's range: no kernel hangs, others of the stack are as they were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import dtypes as d

linalg = at.linalg
DTYPES = pytest.mark.parametrize("dtype", [d.float32, d.complex128], ids=str)
BAD = (np.nan, np.inf, -np.inf)


def stack(dtype: d.dtype, size: int = 4) -> np.ndarray[Any, Any]:
    """A positive definite matrix, and three of them that have something else below the diagonal."""
    values = np.random.default_rng(7).standard_normal((size, size))
    matrices = np.stack([values @ values.T + np.eye(size)] * 4).astype(dtype.numpy)
    for place, bad in enumerate(BAD, 1):
        matrices[place, 2, 1] = bad
    return matrices


@DTYPES
@pytest.mark.parametrize(
    "function",
    [
        linalg.svdvals,
        lambda A: linalg.svd(A).U,
        lambda A: linalg.svd(A, False).Vh,
        linalg.pinv,
        linalg.cond,
        lambda A: linalg.matrix_norm(A, 2),
        lambda A: linalg.matrix_norm(A, "nuc"),
        lambda A: linalg.lstsq(A, A).solution,
        linalg.matrix_exp,
        lambda A: linalg.cholesky_ex(A).L,
    ],
)
def test_what_is_not_finite_has_no_finite_result_and_the_other_matrix_is_as_alone(function: Callable[[Any], Any], dtype: d.dtype) -> None:
    A = stack(dtype)
    found, alone = function(at.tensor(A)).numpy(), function(at.tensor(A[:1])).numpy()
    np.testing.assert_allclose(found[0], alone[0], 1e-5)
    assert not np.isfinite(found[1:]).any()


@DTYPES
def test_what_is_not_finite_has_rank_0_and_no_cholesky_factor(dtype: d.dtype) -> None:
    A = at.tensor(stack(dtype))
    assert linalg.matrix_rank(A).tolist() == [4, 0, 0, 0]
    assert linalg.cholesky_ex(A).info.tolist() == [0, 1, 1, 1]
    assert linalg.cholesky_ex(A.mT, upper=True).info.tolist() == [0, 1, 1, 1]
    assert linalg.cholesky_ex(A.mT).info.tolist() == [0, 0, 0, 0]  # the upper triangle does not count


@DTYPES
@pytest.mark.parametrize("function", [linalg.eigh, linalg.eigvalsh, lambda A: linalg.pinv(A, hermitian=True)])
def test_eigenvalues_of_what_is_not_finite_are_an_error_of_the_queued_work(function: Callable[[Any], Any], dtype: d.dtype) -> None:
    for matrix in stack(dtype)[1:]:
        with pytest.raises(RuntimeError, match="eigen decomposition was not successful"):
            function(at.tensor(matrix))
            at.synchronize()
    assert (at.ones(2) + 1).tolist() == [2, 2]


@pytest.mark.parametrize("upper", [False, True])
def test_substitution_does_not_carry_an_infinity_to_the_rows_before_it(upper: bool) -> None:
    A = np.eye(60, dtype=np.float32)
    row, column = (40, 55) if upper else (55, 40)
    A[row, column] = np.inf
    found = linalg.solve_triangular(at.tensor(A), at.ones(60, 1), upper=upper).numpy()[:, 0]
    assert found[row] == -np.inf and (found[row + 1 :] if upper else found[:row]).tolist() == [1] * (19 if upper else 55)


@pytest.mark.parametrize("scale", [1e30, 1e-30])
def test_matrices_at_the_ends_of_the_range_have_the_results_of_others(scale: float) -> None:
    A = stack(d.float32)[0].astype(np.float64)
    scaled = at.tensor((A * scale).astype(np.float32))
    values = np.linalg.eigvalsh(A)
    for function in (linalg.eigvalsh, lambda A: linalg.svdvals(A).flip(0), lambda A: linalg.eigvals(A).real.sort()[0]):
        np.testing.assert_allclose(function(scaled).numpy() / scale, values, 1e-5)
    for inverse in (linalg.inv, linalg.pinv, lambda A: linalg.solve(A, at.eye(4)), lambda A: linalg.lstsq(A, at.eye(4)).solution):
        np.testing.assert_allclose(inverse(scaled).numpy() * scale, np.linalg.inv(A), 1e-4, 1e-5)
    q, r = linalg.qr(scaled)
    np.testing.assert_allclose((q @ r).numpy() / scale, A, 1e-5, 1e-5)
    np.testing.assert_allclose(linalg.cholesky(scaled).numpy() / scale**0.5, np.linalg.cholesky(A), 1e-4, 1e-5)
    np.testing.assert_allclose(linalg.slogdet(scaled).logabsdet.numpy(), np.linalg.slogdet(A * scale)[1], 1e-5)
    np.testing.assert_allclose(linalg.cond(scaled).numpy(), np.linalg.cond(A), 1e-4)


def test_a_cell_and_attention_of_tensors_without_dims_say_what_is_wrong() -> None:
    one = at.tensor(1.0)
    with pytest.raises(ValueError, match=r"lstm_cell.*\[\]"):
        at.lstm_cell(one, (one, one), one, one)
    with pytest.raises(ValueError, match=r"query of shape \[\]"):
        at.nn.functional.multi_head_attention_forward(one, one, one, 4, 2, one, None, None, None, False, 0.0, one, None)
    with pytest.raises(ValueError, match=r"classes.*\[\]"):
        at.nn.functional.multilabel_soft_margin_loss(one, one)
