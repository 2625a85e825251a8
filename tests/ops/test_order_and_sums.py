"""Reductions, sorting and searching: what the records of single functions leave out."""

from __future__ import annotations

import numpy as np
import pytest

import ascendtensor as at


def test_one_truth_value_alone_is_unbiased() -> None:
    x = at.tensor([1.0, 2.0, 2.0, 5.0])
    assert at.std(x, False).item() == 1.5 and x.var(False).item() == 2.25
    assert at.var_mean(x, True)[0].item() == x.var().item()


def test_no_dims_give_the_truth_of_each_element() -> None:
    x = at.tensor([[0.0, np.nan], [1.0, 0.0]])
    assert at.any(x, ()).tolist() == at.all(x, ()).tolist() == [[False, True], [True, False]]


def test_logsumexp_of_complex_numbers() -> None:
    x = np.array([[1 + 2j, 3], [800, 801j], [-np.inf, 1]])
    found = at.logsumexp(at.tensor(x), 1).numpy()
    np.testing.assert_allclose(found, [np.log(np.exp(1 + 2j) + np.exp(3)), 800, 1], atol=1e-12)


def test_a_number_is_looked_for_among_elements() -> None:
    x = at.tensor([1, 2, 2])
    assert at.isin(2, x).item() and not at.isin(3, x).item() and at.isin(3, x, invert=True).item()
    assert at.isin(1, at.tensor([])).shape == () and not at.isin(1, at.tensor([])).item()


def test_unsorted_rows_are_searched_by_their_order() -> None:
    rows = at.tensor([[3.0, 1.0, 2.0], [0.0, 9.0, 4.0]])
    values = at.tensor([[2.0, 2.5], [9.0, -1.0]])
    found = at.searchsorted(rows, values, sorter=rows.argsort(), right=True)
    assert found.tolist() == [[2, 2], [3, 0]]
    out = at.empty((2, 2), dtype=at.int64)
    assert at.searchsorted(rows.sort().values, values, out=out) is out and out.tolist() == [[1, 2], [2, 0]]
    with pytest.raises(ValueError, match="shape of the rows"):
        at.searchsorted(rows, values, sorter=at.arange(3))


@pytest.mark.parametrize("dtype", [at.float32, at.float64])
def test_equal_limits_of_histc_mean_those_of_the_data(dtype: at.dtype) -> None:
    x = at.tensor([1.0, 2.0, 2.0, 5.0], dtype=dtype)
    assert at.histc(x, 4).tolist() == [1, 2, 0, 1] and at.histc(x, 3, 1, 1).tolist() == [3, 0, 1]
    assert at.histc(x, 2, 2, 5).tolist() == [2, 1] and at.histc(x[:0], 2).tolist() == [0, 0]
    assert at.histc(x[:1], 2).tolist() == [0, 1]


def test_the_first_of_a_long_line_are_those_of_a_stable_sort() -> None:
    rng = np.random.default_rng(0)
    for x in (rng.integers(0, 50, 3000), rng.integers(0, 50, 3000).astype(np.float32), np.where(rng.random(3000) < 0.01, np.nan, 1.0)):
        for k in (1, 40, 700):
            for largest in (False, True):
                values, places = at.topk(at.tensor(x), k, largest=largest)
                wanted = at.sort(at.tensor(x), descending=largest, stable=True)
                assert values.equal(wanted.values[:k]) or np.isnan(x).any()
                np.testing.assert_array_equal(places.numpy(), wanted.indices.numpy()[:k])


def test_a_long_running_sum_is_exact_to_rounding() -> None:
    x = np.random.default_rng(1).random(20_000, np.float32)
    np.testing.assert_allclose(at.cumsum(at.tensor(x), 0).numpy(), np.cumsum(x, dtype=np.float64), rtol=1e-7)


def test_nothing_has_no_rank() -> None:
    with pytest.raises(IndexError, match="non-zero"):
        at.kthvalue(at.zeros(0), 1)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128], ids=str)
def test_unique_complex_numbers_are_numpys(dtype: type) -> None:
    rng = np.random.default_rng(3)
    for shape in ((), (1,), (0,), (40,), (6, 5)):
        x = np.asarray(rng.integers(-1, 2, shape) + 1j * rng.integers(-1, 2, shape)).astype(dtype)
        values, inverse, counts = at.unique(at.tensor(x), return_inverse=True, return_counts=True)
        wanted = np.unique(x, return_inverse=True, return_counts=True)
        np.testing.assert_array_equal(values.numpy(), wanted[0])
        np.testing.assert_array_equal(inverse.numpy(), wanted[1].reshape(shape))
        np.testing.assert_array_equal(counts.numpy(), wanted[2])
        assert values.dtype.numpy == dtype and inverse.dtype is at.int64
    assert at.unique(at.tensor(np.array([np.nan, np.nan, 1 + 0j], dtype))).shape == (3,)
