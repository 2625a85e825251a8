"""Linear algebra beside its records: singular matrices, exchanges of rows, results of several parts, methods."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor.errors import AclError, of_queued_work
from ascendtensor.ops.linalg import einsum as einsums

UNTIMED = settings(deadline=None, max_examples=15)


def uploaded(values: object, dtype: object = np.float32) -> at.NPUTensor:
    return at.tensor(np.asarray(values, dtype))


SINGULAR = [[1.0, 2.0], [2.0, 4.0]]


@pytest.mark.parametrize("function", [at.linalg.inv, lambda A: at.linalg.solve(A, A), at.linalg.cholesky, at.linalg.lu_factor])
def test_a_matrix_without_an_answer_is_an_error_of_the_queued_work(function: object) -> None:
    result = function(uploaded([[0.0, 0.0], [0.0, 0.0]]))  # type: ignore[operator]
    with pytest.raises(RuntimeError, match=r"not invertible|not successful"):
        (result[0] if isinstance(result, tuple) else result).numpy()


OPERATORS = {"inv": "MatrixInverse", "cholesky": "Cholesky", "lu_factor": "Lu", "eigvalsh": "SelfAdjointEig"}


@pytest.mark.parametrize("name", OPERATORS)
def test_a_matrix_without_an_answer_is_the_error_that_users_of_pytorch_and_numpy_catch(name: str) -> None:
    result = getattr(at.linalg, name)(uploaded([[np.nan, 0.0], [0.0, 0.0]] if name == "eigvalsh" else np.zeros((2, 2))))
    with pytest.raises(at.linalg.LinAlgError, match=OPERATORS[name]) as caught:
        (result[0] if isinstance(result, tuple) else result).numpy()
    assert isinstance(caught.value, (np.linalg.LinAlgError, RuntimeError)) and isinstance(caught.value, at.AclError)
    assert caught.value.op_type == OPERATORS[name] and caught.value.code == 507018
    assert pickle.loads(pickle.dumps(caught.value)).op_type == OPERATORS[name]


def test_other_errors_of_queued_work_are_none_of_linear_algebra() -> None:
    at.linalg.inv(uploaded(np.eye(2)))
    picked = at.gather(at.arange(3), 0, at.tensor([7]))
    with pytest.raises(at.AclError) as caught:
        picked.numpy()
    assert not isinstance(caught.value, at.linalg.LinAlgError)


def test_a_message_that_names_no_operator_leaves_the_last_launches() -> None:
    error = AclError("acl.rt.synchronize_stream", 507018, "E39999: AI CPU task failed, task_id=7.")
    found = of_queued_work(error, ["Fill", "Cholesky", "Add"])
    assert isinstance(found, at.LinAlgError) and found.op_type == "Cholesky" and "likely" in str(found)
    assert of_queued_work(error, ["Fill", "Add"]) is error
    assert of_queued_work(AclError("acl.rt.synchronize_stream", 507018, "fault op_name=Unique"), ["Lu", "Unique"]).__class__ is AclError


def test_functions_with_info_raise_nothing() -> None:
    A = uploaded([SINGULAR, [[4.0, 1.0], [1.0, 3.0]], [[-1.0, 0.0], [0.0, 1.0]]])
    inverse, info = at.linalg.inv_ex(A)
    assert info.dtype is at.int32 and info.tolist() == [1, 0, 0]
    assert inverse[0].isnan().all() and not inverse[1:].isnan().any()
    result, info = at.linalg.solve_ex(A, uploaded([1.0, 2.0]))
    assert info.tolist() == [1, 0, 0] and result[0].isnan().all() and not result[1:].isnan().any()
    factor, info = at.linalg.cholesky_ex(A)
    assert info.tolist() == [1, 0, 1] or info.tolist() == [0, 0, 1]  # the first one is positive semidefinite
    assert factor[2].isnan().all() and not factor[1].isnan().any()


@pytest.mark.parametrize("name", ["inv_ex", "cholesky_ex", "lu_factor_ex", "solve_ex"])
def test_checking_errors_raises_them_at_once(name: str) -> None:
    A = uploaded(np.zeros((2, 2)))
    operands = (A, A) if name == "solve_ex" else (A,)
    with pytest.raises(RuntimeError, match=r"not invertible|not successful"):
        getattr(at.linalg, name)(*operands, check_errors=True)
    good = tuple(uploaded(np.eye(2)) for _ in operands)
    assert not getattr(at.linalg, name)(*good, check_errors=True).info.item()


def test_a_singular_matrix_has_determinant_0_and_logarithm_minus_infinity() -> None:
    sign, logarithm = at.linalg.slogdet(uploaded(np.zeros((2, 2))))
    assert at.linalg.det(uploaded(np.zeros((2, 2)))).item() == 0 and sign.item() == 0 and logarithm.item() == -np.inf
    assert at.logdet(uploaded([[0.0, 1.0], [1.0, 0.0]])).isnan().item()


def test_factors_without_an_operator_are_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match="cholesky"):
        at.linalg.ldl_factor(uploaded(np.eye(2)))
    with pytest.raises(NotImplementedError, match="pivot"):
        at.linalg.lu(uploaded(np.eye(2)), pivot=False)


# Exchanges of rows


def exchanged(pivots: np.ndarray, rows: int) -> list[int]:
    """One after another, as LAPACK means them."""
    order = list(range(rows))
    for place, other in enumerate(pivots):
        order[place], order[other - 1] = order[other - 1], order[place]
    return order


@given(rows=st.integers(1, 20), columns=st.integers(1, 20), seed=st.integers(0, 2**16))
@UNTIMED
def test_exchanges_are_those_that_lead_to_the_factors(rows: int, columns: int, seed: int) -> None:
    A = np.random.default_rng(seed).standard_normal((rows, columns))
    packed, pivots = (each.numpy() for each in at.linalg.lu_factor(at.tensor(A)))
    least = min(rows, columns)
    assert pivots.dtype == np.int32 and pivots.shape == (least,) and (pivots > np.arange(least)).all() and (pivots <= rows).all()
    lower = np.tril(packed[:, :least], -1) + np.eye(rows, least)
    np.testing.assert_allclose(lower @ np.triu(packed[:least]), A[exchanged(pivots, rows)], atol=1e-9)


@given(rows=st.integers(1, 17), count=st.integers(0, 17), seed=st.integers(0, 2**16))
@UNTIMED
def test_any_exchanges_unpack_to_their_permutation(rows: int, count: int, seed: int) -> None:
    count = min(rows, count)
    pivots = np.random.default_rng(seed).integers(np.arange(count), rows, count, dtype=np.int64).astype(np.int32) + np.int32(1)
    P, L, U = at.lu_unpack(at.zeros(rows, count, dtype=at.float64), at.tensor(pivots), unpack_data=False)
    expected = np.zeros((rows, rows))
    expected[exchanged(pivots, rows), range(rows)] = 1
    assert P.shape == (rows, rows) and (P.numpy() == expected).all()
    assert L.shape == (0,) and U.shape == (0,)


def test_pivots_of_another_shape_or_dtype_are_refused() -> None:
    packed, pivots = at.linalg.lu_factor(uploaded(np.eye(3)))
    with pytest.raises(ValueError, match=r"\[2\] and \[3, 3\]"):
        at.linalg.lu_solve(packed, pivots[:2], packed)
    with pytest.raises(TypeError, match="int32"):
        at.lu_unpack(packed, pivots.to(at.int64))


# Results of several parts


@given(
    shape=st.tuples(st.integers(0, 3), st.integers(1, 6), st.integers(1, 6)),
    full=st.booleans(),
    kind=st.sampled_from([np.float32, np.float64, np.complex64, np.complex128]),
)
@UNTIMED
def test_factors_have_numpys_shapes(shape: tuple[int, int, int], full: bool, kind: type) -> None:
    A = np.ones(shape, kind)
    for found, expected in zip(at.linalg.svd(at.tensor(A), full), np.linalg.svd(A, full), strict=True):
        assert found.shape == expected.shape and found.numpy().dtype == expected.dtype
    mode = "complete" if full else "reduced"
    for found, expected in zip(at.linalg.qr(at.tensor(A), mode), np.linalg.qr(A, mode), strict=True):
        assert found.shape == expected.shape and found.numpy().dtype == expected.dtype


def test_factors_of_nothing_are_identities() -> None:
    empty = at.zeros(3, 0)
    u, s, vh = at.linalg.svd(empty)
    assert (u == at.eye(3)).all() and s.shape == (0,) and vh.shape == (0, 0)
    q, r = at.linalg.qr(empty, "complete")
    assert (q == at.eye(3)).all() and r.shape == (3, 0)
    assert at.linalg.qr(empty).Q.shape == (3, 0) and at.linalg.qr(at.ones(2, 2), "r").Q.shape == (0,)
    P, _, U = at.linalg.lu(empty)
    assert (at.eye(3) == P).all() and U.shape == (0, 0)
    assert at.linalg.eigvalsh(at.zeros(2, 0, 0)).shape == (2, 0) and at.linalg.pinv(empty).shape == (0, 3)


def test_results_of_several_parts_have_pytorchs_names_and_go_into_out() -> None:
    A = uploaded([[4.0, 1.0], [1.0, 3.0]])
    found = at.linalg.eigh(A)
    values, vectors = at.zeros(2), at.zeros(2, 2)
    written = at.linalg.eigh(A, out=(values, vectors))
    assert written.eigenvalues is values and written.eigenvectors is vectors
    assert (values == found.eigenvalues).all() and (vectors == found.eigenvectors).all()
    assert at.linalg.slogdet(A)._fields == ("sign", "logabsdet") and at.linalg.qr(A)._fields == ("Q", "R")
    assert at.linalg.svd(A)._fields == ("U", "S", "Vh") and at.svd(A)._fields == ("U", "S", "V")
    assert at.linalg.lstsq(A, A)._fields == ("solution", "residuals", "rank", "singular_values")
    assert at.linalg.lu_factor_ex(A)._fields == ("LU", "pivots", "info") and at.lu(A, get_infos=True).info.item() == 0
    with pytest.raises(TypeError, match="2 tensors"):
        at.linalg.qr(A, out=(A,))
    with pytest.raises(ValueError, match="shape"):
        at.linalg.qr(A, out=(A, at.zeros(3)))


def test_older_functions_differ_from_those_of_linalg() -> None:
    A = uploaded([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    u, s, v = at.svd(A)
    np.testing.assert_allclose((u @ at.diag(s) @ v.T).numpy(), A.numpy(), rtol=1e-5)
    u, s, v = at.svd(A, compute_uv=False)
    assert u.shape == (3, 3) and v.shape == (2, 2) and not u.any() and not v.any()
    assert at.qr(A).Q.shape == (3, 2) and at.qr(A, some=False).Q.shape == (3, 3)
    a, b = uploaded([[1.0, 0.0, 0.0]]).T, uploaded([[0.0, 1.0, 0.0]]).T
    assert at.cross(a, b).T.tolist() == [[0.0, 0.0, 1.0]]  # the first dim of length 3, not the last one
    with pytest.raises(ValueError, match="length 3"):
        at.cross(at.ones(2), at.ones(2))
    assert at.cholesky_inverse(at.eye(2) * 2).tolist() == [[0.25, 0.0], [0.0, 0.25]]
    with pytest.raises(ValueError, match="driver"):
        at.linalg.svd(A, driver="magma")
    with pytest.raises(ValueError, match="mode"):
        at.linalg.qr(A, "full")
    with pytest.raises(ValueError, match="UPLO"):
        at.linalg.eigh(A[:2], "X")


def test_ranks_are_there_but_for_the_driver_that_assumes_them() -> None:
    A, B = at.ones(4, 2), at.ones(4, 1)
    found = at.linalg.lstsq(A, B)
    assert found.rank.item() == 1 and found.residuals.shape == (0,) and found.singular_values.shape == (0,)
    np.testing.assert_allclose(found.solution.numpy(), [[0.5], [0.5]], rtol=1e-5)  # the shortest one
    found = at.linalg.lstsq(A, B, driver="gelsd")
    assert found.rank.item() == 1 and found.singular_values.shape == (2,) and found.residuals.shape == (0,)
    assert at.linalg.lstsq(at.eye(3)[:, :2], at.ones(3), driver="gels").rank.shape == (0,)


def test_least_squares_of_nothing_have_their_shapes() -> None:
    for A, B, shapes in (
        (at.ones(2, 0, 7, 3), at.ones(2, 0, 7, 4), ((2, 0, 3, 4), (2, 0, 4), (2, 0), (2, 0, 3))),
        (at.ones(1, 2, 0), at.ones(1, 2), ((1, 0), (1, 1), (1,), (1, 0))),
        (at.ones(0, 2, 5), at.ones(0, 2, 1), ((0, 5, 1), (0,), (0,), (0, 2))),
    ):
        for driver in ("gelsd", "gelss"):
            assert tuple(part.shape for part in at.linalg.lstsq(A, B, driver=driver)) == shapes


@pytest.mark.parametrize(
    "norm",
    [at.norm, at.linalg.norm, at.linalg.vector_norm, at.linalg.matrix_norm, lambda A, dtype: at.linalg.matrix_norm(A, "nuc", dtype=dtype)],
)
def test_the_dtype_of_a_norm_loses_nothing_of_its_operand(norm: Any) -> None:
    assert norm(at.ones(2, 2), dtype=at.float64).dtype is at.float64
    assert norm(at.ones(2, 2, dtype=at.complex64), dtype=at.complex128).dtype is at.float64
    for own, wanted in (
        (at.complex64, at.float64),
        (at.float32, at.complex64),
        (at.float64, at.float32),
        (at.bfloat16, at.float16),
        (at.int64, at.float64),
    ):
        with pytest.raises(TypeError, match=own.name):
            norm(at.ones(2, 2, dtype=own), dtype=wanted)


@pytest.mark.parametrize("order", [np.inf, -np.inf, -1])
def test_there_is_no_least_or_largest_of_nothing(order: float) -> None:
    with pytest.raises(ValueError, match="no elements"):
        at.linalg.vector_norm(at.ones(2, 0), order, dim=1)
    assert at.linalg.vector_norm(at.ones(0, 2), order, dim=1).shape == (0,)


# Methods


def test_methods_are_the_functions() -> None:
    A = uploaded([[4.0, 1.0], [1.0, 3.0]])
    v = uploaded([1.0, 2.0])
    for method, function in (
        (A.det(), at.det(A)),
        (A.inverse(), at.inverse(A)),
        (A.logdet(), at.logdet(A)),
        (A.slogdet()[1], at.slogdet(A)[1]),
        (A.cholesky(), at.cholesky(A)),
        (v.unsqueeze(1).cholesky_solve(A.cholesky()), at.cholesky_solve(v.unsqueeze(1), at.cholesky(A))),
        (A.cholesky().cholesky_inverse(), at.inverse(A)),
        (A.qr()[1], at.qr(A)[1]),
        (A.svd()[1], at.svd(A)[1]),
        (A.lu()[0], at.lu(A)[0]),
        (v.unsqueeze(1).lu_solve(*at.linalg.lu_factor(A)), at.linalg.solve(A, v.unsqueeze(1))),
        (A.matrix_exp(), at.matrix_exp(A)),
        (A.matrix_power(3), A @ A @ A),
        (A.pinverse(), at.inverse(A)),
        (A.dist(v), at.dist(A, v)),
        (A.renorm(2, 0, 1.0), at.renorm(A, 2, 0, 1.0)),
        (A.clone().renorm_(2, 0, 1.0), at.renorm(A, 2, 0, 1.0)),
        (A.cov(), at.cov(A)),
        (A.corrcoef(), at.corrcoef(A)),
        (A.kron(v), at.kron(A, v)),
        (v.ger(v), at.outer(v, v)),
        (A.triangular_solve(A)[0], at.triangular_solve(A, A)[0]),
        (at.eye(3).cross(at.ones(3, 3)), at.cross(at.eye(3), at.ones(3, 3))),
        (A.addbmm(A.expand(3, 2, 2), A.expand(3, 2, 2)), A + 3 * (A @ A)),
    ):
        np.testing.assert_allclose(method.numpy(), function.numpy(), rtol=2e-5)


@pytest.mark.parametrize("name", ["addmm_", "addbmm_", "baddbmm_", "addmv_", "addr_"])
def test_sums_of_products_are_written_in_place(name: str) -> None:
    A, v = uploaded([[4.0, 1.0], [1.0, 3.0]]), uploaded([1.0, 2.0])
    start, operands = {
        "addmm_": (A, (A, A)),
        "addbmm_": (A, (A.expand(3, 2, 2), A.expand(3, 2, 2))),
        "baddbmm_": (A.expand(3, 2, 2), (A.expand(3, 2, 2), A.expand(3, 2, 2))),
        "addmv_": (v, (A, v)),
        "addr_": (A, (v, v)),
    }[name]
    target = start.clone()
    expected = getattr(at, name[:-1])(start, *operands, beta=2, alpha=3)
    assert getattr(target, name)(*operands, beta=2, alpha=3) is target
    assert (target == expected).all()


def test_sums_of_products_refuse_other_dtypes() -> None:
    one = at.ones(2, 2, dtype=at.int64)
    with pytest.raises(TypeError, match="beta and alpha"):
        at.addmm(one, one, one, alpha=0.5)
    with pytest.raises(TypeError, match="must be real"):
        at.addmv(at.ones(2), at.ones(2, 2), at.ones(2), beta=1j)
    with pytest.raises(TypeError, match="float64 can't be added to a product of int64"):
        at.addmm(one.to(at.float64), one, one)
    assert at.addr(one.to(at.float64), at.ones(2), at.ones(2)).dtype is at.float64


# Einstein's notation


def test_operands_may_be_followed_by_numbers() -> None:
    a, b = at.arange(6.0).reshape(2, 3), at.arange(12.0).reshape(3, 4)
    assert (at.einsum(a, [0, 1], b, [1, 2], [2, 0]) == at.einsum("ij,jk->ki", a, b)).all()
    assert (at.einsum(a, [..., 30], b, [30, 31]) == a @ b).all()
    with pytest.raises(ValueError, match="numbers from 0 to 51"):
        at.einsum(a, [0, 52], [0])


def test_the_order_of_pairs_changes_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    operands = [
        at.tensor(np.random.default_rng(seed).standard_normal(shape)) for seed, shape in enumerate(((2, 9), (9, 3), (3, 8), (8, 2)))
    ]
    expected = at.einsum("ij,jk,kl,lm->im", *operands).numpy()

    class Backwards:
        class paths:
            @staticmethod
            def auto(inputs: list[object], output: object, lengths: object) -> list[tuple[int, ...]]:
                assert lengths == {"i": 2, "j": 9, "k": 3, "l": 8, "m": 2} and output == frozenset("im")
                return [(count - 1, count - 2) for count in range(len(inputs), 1, -1)]

    monkeypatch.setattr(einsums, "opt_einsum", Backwards)
    np.testing.assert_allclose(at.einsum("ij,jk,kl,lm->im", *operands).numpy(), expected)
    monkeypatch.setattr(einsums, "opt_einsum", None)
    np.testing.assert_allclose(at.einsum("ij,jk,kl,lm->im", *operands).numpy(), expected)


def test_einsum_finds_an_order_without_opt_einsum_and_writes_products_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(einsums, "opt_einsum", None)
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal((6, 6)) for _ in range(3))
    operands = [at.tensor(each.astype(np.float32)) for each in (a, b, c)]
    for equation, count in (("ab,cd,bc->ad", 2), ("ij,j...->ij", 1), ("ij,kj->ikj", 1), ("ij,jk->ki", 1)):
        used = operands if equation.count(",") > 1 else [operands[0], operands[1][0] if "..." in equation else operands[1]]
        assert launches(lambda: at.einsum(equation, *used)) == count  # noqa: B023
        found = at.einsum(equation, *used)
        assert found.is_contiguous()
        np.testing.assert_allclose(found.numpy(), np.einsum(equation, *(each.numpy() for each in used)), rtol=1e-4, atol=1e-4)
    assert at.einsum("ab,bc,cd->ad", at.ones(2, 0), at.ones(0, 3), at.ones(3, 2)).tolist() == [[0.0, 0.0], [0.0, 0.0]]


# Distances and covariances


@given(rows=st.integers(0, 9), length=st.integers(0, 5), p=st.sampled_from([0.0, 1.0, 2.0, 2.5, np.inf]))
@UNTIMED
def test_pair_distances_are_the_upper_triangle_of_all(rows: int, length: int, p: float) -> None:
    x = at.tensor(np.random.default_rng(rows).standard_normal((rows, length)).astype(np.float32))
    whole = at.cdist(x, x, p, "donot_use_mm_for_euclid_dist").numpy()
    np.testing.assert_allclose(at.pdist(x, p).numpy(), whole[np.triu_indices(rows, 1)], rtol=1e-5, atol=1e-6)


def test_many_rows_are_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = (at.tensor(np.random.default_rng(seed).standard_normal((13, 4))) for seed in (0, 1))
    expected = at.cdist(x, y, 1.0).numpy()
    monkeypatch.setattr("ascendtensor.ops.linalg.vectors._BLOCK", 13 * 4 * 3)
    np.testing.assert_array_equal(at.cdist(x, y, 1.0).numpy(), expected)


def test_distances_refuse_what_has_none() -> None:
    x = at.ones(3, 2)
    with pytest.raises(ValueError, match="compute_mode"):
        at.cdist(x, x, compute_mode="x")
    with pytest.raises(ValueError, match="negative"):
        at.cdist(x, x, -1.0)
    with pytest.raises(ValueError, match="one length"):
        at.cdist(x, at.ones(3, 4))
    with pytest.raises(ValueError, match="matrix"):
        at.pdist(at.ones(3))


def test_too_few_observations_are_warned_of() -> None:
    with pytest.warns(UserWarning, match="degrees of freedom"):
        found = at.cov(at.ones(2, 1))
    assert found.isnan().all()
    with pytest.raises(ValueError, match="add up to 0"):
        at.cov(at.ones(2, 0), fweights=at.ones(0, dtype=at.int64))
    with pytest.raises(TypeError, match="fweights must be integers"):
        at.cov(at.ones(2, 3), fweights=at.ones(3))
    with pytest.raises(ValueError, match="3 observations"):
        at.cov(at.ones(2, 3), aweights=at.ones(2))


def test_an_exponential_of_what_is_not_finite_is_nan_in_its_own_matrix_alone() -> None:
    found = at.linalg.matrix_exp(uploaded([[[np.inf, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])).numpy()
    assert np.isnan(found[0]).all()
    assert found[1].tolist() == [[1, 0], [0, 1]]


def test_matrices_of_a_stack_are_halved_as_often_as_each_needs() -> None:
    small, large = np.diag([1e-3, 2e-3]), np.diag([-40.0, 3.0])
    found = at.linalg.matrix_exp(at.tensor(np.stack([small, large]))).numpy()
    np.testing.assert_allclose(found, [np.diag(np.exp(np.diag(each))) for each in (small, large)], rtol=1e-12, atol=1e-16)


def launches(function: Any) -> int:
    """How many operators a call launches at its second time."""
    function()
    before = at.handle_cache.launches()
    function()
    return (at.handle_cache.launches() - before).total()


def test_powers_and_reflections_take_few_launches_whatever_their_number() -> None:
    numbers, square = at.arange(40.0), at.tensor(np.random.default_rng(0).standard_normal((40, 40)).astype(np.float32))
    assert launches(lambda: at.linalg.vander(numbers)) <= 4
    assert launches(lambda: at.linalg.householder_product(square, numbers)) <= 20


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128])
def test_a_product_of_many_reflections_is_orthonormal(kind: Any) -> None:
    rng = np.random.default_rng(2)
    whole = rng.standard_normal((3, 60, 40)) + (1j * rng.standard_normal((3, 60, 40)) if np.dtype(kind).kind == "c" else 0)
    vectors = np.tril(whole, -1) + np.eye(60, 40)
    tau = 2 / (np.abs(vectors) ** 2).sum(-2)
    tau[0, 5] = 0
    expected = np.broadcast_to(np.eye(60, 60, dtype=whole.dtype), (3, 60, 60))
    for place in range(40):
        v = vectors[..., place, None]
        expected = expected - (expected @ v) * tau[:, place, None, None] @ v.conj().swapaxes(-1, -2)
    found = at.linalg.householder_product(at.tensor(whole.astype(kind)), at.tensor(tau.astype(kind))).numpy()
    tolerance = 1e-5 if kind in (np.float32, np.complex64) else 1e-13
    np.testing.assert_allclose(found, expected[..., :40], atol=tolerance)
    np.testing.assert_allclose(found.conj().swapaxes(-1, -2) @ found, np.broadcast_to(np.eye(40), (3, 40, 40)), atol=tolerance)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.complex128])
@pytest.mark.parametrize("order", [2, 3, -2, 0.5, np.inf])
def test_the_norm_of_one_number_is_its_size(kind: Any, order: float) -> None:
    tiny = np.finfo(kind).tiny
    x = at.tensor(np.array([[-tiny], [2 * tiny]], kind))
    assert at.linalg.vector_norm(x, order, dim=1).tolist() == [tiny, 2 * tiny]
    assert at.linalg.vector_norm(x[0], order).shape == () and at.linalg.vector_norm(x[0], order).item() == tiny
    assert at.linalg.vector_norm(x, order, dim=(1,), keepdim=True).shape == (2, 1)
    assert at.linalg.vector_norm(x, 0, dim=1).tolist() == [1, 1]
