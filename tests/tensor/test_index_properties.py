"""`t[...]` by random indices of every kind, on random shapes and views, against NumPy and, where it is installed, PyTorch."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ascendtensor as at

FEW = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SWEEP = settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
KINDS = st.sampled_from([np.float32, np.int64, np.bool_, np.int16, np.complex128, np.float16])


@st.composite
def integers_into(draw: st.DrawFn, length: int, outside: bool) -> Any:
    shape = draw(st.sampled_from([(0,), (1,), (2,), (3,), (2, 1), (1, 3)]))
    edge = 1 if outside and draw(st.integers(0, 9)) == 0 else 0
    low, high = (-length - edge, length - 1 + edge) if length else (0, 0)
    values = draw(st.lists(st.integers(low, high), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    return np.array(values, draw(st.sampled_from([np.int64, np.int32]))).reshape(shape)


@st.composite
def indices(draw: st.DrawFn, shape: tuple[int, ...], outside: bool = True, backwards: bool = False) -> tuple[Any, ...]:
    """The parts of an index: ints, slices, arrays, lists, masks over one or two dimensions, `...`, None; sometimes out of range."""
    parts: list[Any] = []
    dim = 0
    steps = st.sampled_from([None, 1, 2, 3, *([-1, -2] if backwards else [])])
    while dim < len(shape) and draw(st.integers(0, 4)):
        length = shape[dim]
        kind = draw(st.sampled_from(["int", "slice", "slice", "array", "list", "mask", "block"]))
        if kind == "int":
            parts.append(draw(st.integers(-length - int(outside), length - 1 + int(outside) if length or outside else 0)))
        elif kind == "slice":
            ends = st.none() | st.integers(-length - 2, length + 2)
            parts.append(slice(draw(ends), draw(ends), draw(steps)))
        elif kind == "array":
            parts.append(draw(integers_into(length, outside)))
        elif kind == "list":
            parts.append(draw(integers_into(length, outside)).reshape(-1).tolist())
        else:
            span = 2 if kind == "block" and dim + 1 < len(shape) else 1
            block = shape[dim : dim + span]
            size = int(np.prod(block))
            parts.append(np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)), np.bool_).reshape(block))
            dim += span - 1
        dim += 1
    if draw(st.integers(0, 2)) == 0:
        parts.insert(draw(st.integers(0, len(parts))) if dim == len(shape) else len(parts), Ellipsis)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        parts.insert(draw(st.integers(0, len(parts))), None)
    return tuple(parts)


def on_device(draw: Any, index: tuple[Any, ...]) -> Any:
    """The same index with some arrays as tensors; a single part sometimes without a tuple."""
    parts = tuple(at.tensor(part) if isinstance(part, np.ndarray) and draw(st.booleans()) else part for part in index)
    return parts[0] if len(parts) == 1 and draw(st.booleans()) else parts


def _otherwise_in_pytorch(shape: tuple[int, ...], index: tuple[Any, ...]) -> bool:
    """An int beside arrays is an array for NumPy, a view for PyTorch; a `...` of no dims parts arrays for NumPy alone."""
    arrays = [place for place, part in enumerate(index) if isinstance(part, (list, np.ndarray))]
    if not arrays or any(isinstance(part, int) for part in index):
        return bool(arrays)
    masks = (part.ndim for part in index if isinstance(part, np.ndarray) and part.dtype == np.bool_)
    dims = sum(part is not None and part is not Ellipsis for part in index) + sum(ndim - 1 for ndim in masks)
    return dims == len(shape) and any(part is Ellipsis and arrays[0] < place < arrays[-1] for place, part in enumerate(index))


@st.composite
def tensors(draw: st.DrawFn) -> tuple[Any, Any]:
    """An array and a tensor over the same numbers, some as the same view of a larger one."""
    shape = draw(SHAPES)
    whole = np.arange(int(np.prod(shape)) * 2).reshape(*shape, 2).astype(draw(KINDS))
    tensor = at.tensor(whole)
    array, view = (whole[..., 0].copy(), tensor[..., 0].clone()) if draw(st.booleans()) else (whole[..., 0], tensor[..., 0])
    order = draw(st.permutations(range(len(shape)))) if shape else []
    return (array.transpose(order), view.permute(*order)) if shape else (array, view)


def _error(action: Any) -> tuple[Any, Exception | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            return action(), None
    except DeprecationWarning as warning:  # NumPy before 2 only warns of places out of range where nothing is picked
        return None, IndexError(str(warning))
    except (IndexError, ValueError, TypeError) as error:  # NumPy: TypeError where a 0-d array is given several elements
        return None, error


def read(data: Any) -> None:
    array, tensor = data.draw(tensors())
    index = data.draw(indices(array.shape, backwards=True))
    if _otherwise_in_pytorch(array.shape, index):
        return
    expected, refused = _error(lambda: array[index])
    if refused is not None:
        with pytest.raises(type(refused)):
            tensor[index].numpy()  # out of range in a tensor is an error of the queued work
        return
    found = tensor[on_device(data.draw, index)]
    assert found.shape == np.shape(expected)
    np.testing.assert_array_equal(found.numpy(), expected)


def written(data: Any) -> None:
    array, tensor = data.draw(tensors())
    index = data.draw(indices(array.shape, outside=False, backwards=True))
    if _otherwise_in_pytorch(array.shape, index):
        return
    expected, refused = _error(lambda: array[index])
    if refused is not None:
        return
    shape = np.shape(expected)
    kept = shape[data.draw(st.integers(0, len(shape))) :]
    spread = tuple(1 if data.draw(st.integers(0, 3)) == 0 else length for length in kept)
    if data.draw(st.integers(0, 9)) == 0:
        spread = (*spread[:-1], spread[-1] + 2) if spread else (2,)
    value: Any = (np.arange(int(np.prod(spread))) % 7 + 1).reshape(spread).astype(array.dtype)
    value = value if data.draw(st.booleans()) else 1
    _, refused = _error(lambda: array.__setitem__(index, value))
    given = at.tensor(value) if isinstance(value, np.ndarray) and data.draw(st.booleans()) else value
    if refused is not None:
        with pytest.raises(ValueError, match=r"broadcast"):
            tensor[on_device(data.draw, index)] = given
        return
    tensor[on_device(data.draw, index)] = given
    if _named_twice(array.shape, index):
        return  # which of several values stays is not said
    np.testing.assert_array_equal(tensor.numpy(), array)


def _named_twice(shape: tuple[int, ...], index: tuple[Any, ...]) -> bool:
    places = np.arange(int(np.prod(shape))).reshape(shape)[index]
    return bool(np.unique(places).size != places.size)


@FEW
@given(st.data())
def test_reads_as_numpy(data: Any) -> None:
    read(data)


@FEW
@given(st.data())
def test_writes_as_numpy(data: Any) -> None:
    written(data)


@pytest.mark.slow
@SWEEP
@given(st.data())
def test_reads_and_writes_as_numpy_at_length(data: Any) -> None:
    read(data)
    written(data)


def _in_torch(torch: Any, index: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(torch.tensor(np.array(part)) if isinstance(part, (list, np.ndarray)) else part for part in index)


@FEW
@given(st.data())
def test_reads_as_pytorch(data: Any) -> None:
    torch = pytest.importorskip("torch")
    array, tensor = data.draw(tensors())
    index = data.draw(indices(array.shape))
    index = tuple(np.array(part, np.int64) if isinstance(part, list) else part for part in index)
    try:
        expected = torch.tensor(np.array(array))[_in_torch(torch, index)].numpy()
    except IndexError:
        with pytest.raises(IndexError):
            tensor[index].numpy()
        return
    if not expected.size and _error(lambda: array[index])[1] is not None:
        return  # PyTorch does not look at the indices of nothing, NumPy does
    found = tensor[on_device(data.draw, index)].numpy()
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


@FEW
@given(st.data())
def test_index_put_accumulates_as_numpy(data: Any) -> None:
    array, tensor = data.draw(tensors())
    if array.dtype == np.bool_ or not array.ndim:
        return
    count = data.draw(st.integers(1, array.ndim))
    if 0 in array.shape[:count]:
        return
    picked = data.draw(st.integers(0, 4))
    parts = tuple(
        np.array(data.draw(st.lists(st.integers(-length, length - 1), min_size=picked, max_size=picked)), np.int64)
        for length in array.shape[:count]
    )
    values = (np.arange(picked * int(np.prod(array.shape[count:]))) % 5).reshape(picked, *array.shape[count:]).astype(array.dtype)
    np.add.at(array, parts, values)
    assert tensor.index_put_(tuple(map(at.tensor, parts)), at.tensor(values), accumulate=True) is tensor
    np.testing.assert_array_equal(tensor.numpy(), array)
