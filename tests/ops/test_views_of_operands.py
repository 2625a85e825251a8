"""Every function gives the same for operands that are views with gaps, steps backwards or other orders as for their copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from harness import Array, Record, With
from records import RECORDS

import ascendtensor as at
from ascendtensor.dtypes import dtype as DType
from ascendtensor.dtypes import from_numpy


def as_view(values: Array, kind: int) -> Any:
    """The numbers as a view: every second element, a part of something longer, backwards, in another order of dims."""
    if not values.ndim:
        return at.tensor(np.stack([values] * 3))[1]
    if kind == 0:
        return at.tensor(np.stack([values, values], -1))[..., 1]
    if kind == 1:
        longer = np.concatenate([values[:1], values, values[:1]]) if len(values) else np.stack([values, values], -1)
        return at.tensor(longer)[1 : 1 + len(values)] if len(values) else at.tensor(longer)[..., 1]
    if kind == 2:
        return at.tensor(np.ascontiguousarray(values[::-1]))[::-1]
    return at.tensor(np.ascontiguousarray(values.T)).T


def replaced(arguments: Any, made: Callable[[Array], Any]) -> Any:
    """Arguments with tensors in place of arrays, also in lists, tuples and dicts."""
    if isinstance(arguments, np.ndarray):
        return made(arguments)
    if type(arguments) in (list, tuple):
        return type(arguments)(replaced(each, made) for each in arguments)
    return {name: replaced(value, made) for name, value in arguments.items()} if isinstance(arguments, dict) else arguments


def results(found: Any) -> list[Array]:
    if isinstance(found, at.Tensor):
        return [found.numpy()]
    if isinstance(found, (tuple, list)):
        return [array for each in found for array in results(each)]
    return [] if found is None else [np.asarray(found)]


def compare(record: Record, dtype: DType, samples: Iterable[Any], kind: int) -> None:
    for number, sample in enumerate(samples, kind):
        args, kwargs = (sample.args, dict(sample.kwargs)) if isinstance(sample, With) else (sample, {})
        called = []
        for made in (at.tensor, lambda values, number=number: as_view(values, number % 4)):
            operands, keywords = replaced(tuple(args), made), replaced(kwargs, made)  # those that are written to are not the sample's
            at.manual_seed(0)
            with np.errstate(all="ignore"):
                called.append(results(record.function(*operands, **keywords)))
        for plain, view in zip(*called, strict=True):
            assert plain.dtype == view.dtype and plain.shape == view.shape
            if plain.tobytes() != view.tobytes():  # products of other layouts may round otherwise
                rtol, atol = record.tolerance(from_numpy(plain.dtype))
                wide = np.complex128 if plain.dtype.kind == "c" else np.float64
                text = f"{record.name} of {dtype.name} differs on a view of kind {number % 4}"
                np.testing.assert_allclose(view.astype(wide), plain.astype(wide), rtol, atol, err_msg=text)


def test_views_that_begin_where_no_operator_reads_from_give_what_their_copies_give() -> None:
    # Gaps, steps backwards and other orders are edges of every function (`test_edge_values.py`).
    for record in RECORDS[1::4]:
        samples = list(record.samples(record.dtypes[0]))
        compare(record, record.dtypes[0], samples[len(samples) // 2 :][:1], 1)


@pytest.mark.slow
@pytest.mark.parametrize("record", [pytest.param(record, id=record.name) for record in RECORDS])
def test_views_of_every_shape_give_what_their_copies_give(record: Record) -> None:
    dtype = record.dtypes[-1]
    compare(record, dtype, record.samples(dtype), 0)
