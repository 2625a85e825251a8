"""Joining, padding, rolling, gathering and scattering of any shape against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from harness import host, tensor
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ascendtensor.ops import gather, shape

KINDS = st.sampled_from([np.float32, np.int64, np.bool_, np.complex64, np.int16])
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def filled(lengths: Any, kind: Any, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, 50, lengths).astype(kind)


def layouts(values: Any, turned: bool, stepped: bool) -> tuple[Any, Any]:
    """An array and a tensor of it, both as the same view."""
    view = values[::2] if stepped and values.ndim else values
    view = view.T if turned else view
    return view, tensor(view)


SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=4)


@FEW
@given(st.data(), SHAPES, st.lists(st.integers(0, 4), min_size=1, max_size=5), KINDS)
def test_cat(data: st.DataObject, lengths: list[int], parts: list[int], kind: Any) -> None:
    dim = data.draw(st.integers(-len(lengths), len(lengths) - 1))
    arrays = []
    for seed, length in enumerate(parts):
        lengths[dim] = length
        arrays.append(filled(lengths, kind, seed))
    result = host(shape.cat([tensor(one) for one in arrays], dim))
    expected = np.concatenate(arrays, dim)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@FEW
@given(st.data(), SHAPES, KINDS, st.booleans(), st.booleans())
def test_roll(data: st.DataObject, lengths: list[int], kind: Any, turned: bool, stepped: bool) -> None:
    values, moved = layouts(filled(lengths, kind), turned, stepped)
    dims = data.draw(st.none() | st.lists(st.integers(-values.ndim, values.ndim - 1), min_size=1, max_size=3))
    shifts = (
        data.draw(st.integers(-9, 9)) if dims is None else data.draw(st.lists(st.integers(-9, 9), min_size=len(dims), max_size=len(dims)))
    )
    expected = np.roll(values, shifts, None if dims is None else tuple(dims))
    np.testing.assert_array_equal(host(shape.roll(moved, shifts, dims)), expected)


@FEW
@given(st.data(), SHAPES, KINDS, st.sampled_from(["constant", "reflect", "replicate", "circular"]), st.booleans())
def test_pad(data: st.DataObject, lengths: list[int], kind: Any, mode: str, turned: bool) -> None:
    values, moved = layouts(filled(lengths, kind), turned, False)
    pairs = []
    for length in values.shape:
        most = {"constant": 3, "reflect": length - 1, "replicate": 3 if length else 0, "circular": length}[mode]
        pairs.append(tuple(data.draw(st.integers(0, max(most, 0))) for _ in range(2)))
    flat = [number for pair in reversed(pairs) for number in pair]
    named = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    if mode == "reflect" and 0 in values.shape:
        return  # NumPy refuses what has nothing to mirror
    expected = (
        np.pad(values, pairs, mode=named)
        if values.size or mode == "constant"
        else np.zeros([a + n + b for n, (a, b) in zip(values.shape, pairs, strict=True)], kind)
    )
    np.testing.assert_array_equal(host(shape.pad(moved, flat, mode)), expected)


@FEW
@given(
    st.data(), st.lists(st.integers(1, 4), min_size=1, max_size=3), KINDS, st.booleans(), st.sampled_from([np.int64, np.int32, np.uint8])
)
def test_gather_and_scatter(data: st.DataObject, lengths: list[int], kind: Any, turned: bool, index_kind: Any) -> None:
    values, moved = layouts(filled(lengths, kind), turned, False)
    dim = data.draw(st.integers(-values.ndim, values.ndim - 1))
    room = [data.draw(st.integers(0, length)) for length in values.shape]
    room[dim] = data.draw(st.integers(0, 6))
    index = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, values.shape[dim], room).astype(index_kind)
    part = tuple(slice(None) if at == dim % values.ndim else slice(length) for at, length in enumerate(room))
    expected = np.take_along_axis(values[part], index.astype(np.int64), dim)
    np.testing.assert_array_equal(host(gather.gather(moved, dim, tensor(index))), expected)
    source = filled(room, kind, 1)
    target = values.copy()
    np.put_along_axis(target[part], index.astype(np.int64), source, dim)
    np.testing.assert_array_equal(host(gather.scatter(moved, dim, tensor(index), tensor(source))), target)
    if kind not in (np.bool_,):
        added = values.copy()
        for place in np.ndindex(*room):
            at = list(place)
            at[dim] = index[place]
            added[tuple(at)] += source[place]
        np.testing.assert_array_equal(host(gather.scatter_add(moved, dim, tensor(index), tensor(source))), added)


@FEW
@given(SHAPES, KINDS, st.integers(0, 99), st.booleans())
def test_masks(lengths: list[int], kind: Any, seed: int, turned: bool) -> None:
    values, moved = layouts(filled(lengths, kind), turned, False)
    mask = np.random.default_rng(seed).random(values.shape) < 0.4
    np.testing.assert_array_equal(host(gather.masked_select(moved, tensor(mask))), values[mask])
    np.testing.assert_array_equal(host(gather.nonzero(tensor(mask))), np.argwhere(mask))
    for one, other in zip(gather.nonzero(moved, as_tuple=True), np.nonzero(values), strict=True):
        np.testing.assert_array_equal(host(one), other)
