"""What libraries for arrays call and look at, without the libraries: xarray, Dask, opt_einsum, einops, SciPy, pandas, Matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pytest
from numpy_samples import OPERANDS, SAMPLES

import ascendtensor as at
import ascendtensor.array_api as xp
from ascendtensor.interop import functions

A = np.array([[3.0, np.nan, 1.0], [2.0, 4.0, -1.0]], np.float32)


def duck(values: Any) -> Any:
    return at.tensor(values).as_subclass(at.DuckArray)


@runtime_checkable
class Arrayish(Protocol):
    """Attributes by which xarray knows an array."""

    @property
    def dtype(self) -> Any: ...
    @property
    def shape(self) -> Any: ...
    @property
    def real(self) -> Any: ...
    @property
    def imag(self) -> Any: ...
    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __array_function__(self, *args: Any, **kwargs: Any) -> Any: ...


@pytest.mark.parametrize("make", [at.tensor, duck, xp.asarray])
@pytest.mark.parametrize("values", [A, A > 1, np.arange(3), A + 1j])
def test_tensors_are_known_by_their_attributes(make: Any, values: Any) -> None:
    x = make(values)
    assert isinstance(x, Arrayish)
    np.testing.assert_array_equal(x.imag.numpy(), values.imag)
    assert x.dtype.kind == values.dtype.kind and x.dtype.type is values.dtype.type and x.strides == values.strides


def test_what_numpys_dtypes_have_beyond_is_theirs() -> None:
    with pytest.raises(AttributeError, match=r"'dtype' object has no attribute 'byteorder': its \.numpy has it"):
        at.float32.byteorder  # type: ignore[attr-defined]  # noqa: B018
    assert at.float32.numpy.isnative and not hasattr(at.float32, "lanes")


def test_dtypes_of_bfloat16_are_floating() -> None:
    assert at.bfloat16.kind == "f" and at.bfloat16.type(1.5) == 1.5


def test_a_duck_array_has_a_dtype_of_numpys_and_no_namespace() -> None:
    x = duck(A)
    assert (
        type(x.dtype) is type(np.dtype("float32")) and not hasattr(x, "__array_namespace__") and hasattr(at.ones(2), "__array_namespace__")
    )
    assert np.issubdtype(x.dtype, np.floating) and x.dtype == np.float32
    host = np.multiply([1.0, 2.0, 3.0], x)  # uploaded beside it, and so of its class
    for found in (x + 1, np.add(A, x), A - x, host, np.where(x > 1, x, np.nan), np.nanmean(x, axis=0), np.zeros_like(x), x[x > 1], x[0, 0]):
        assert type(found) is at.DuckArray and isinstance(found.dtype, np.dtype)
    np.testing.assert_allclose(np.nanstd(x), np.nanstd(A), rtol=1e-6)


class Ducks:
    """The operands of the samples as duck arrays."""

    def __getattr__(self, name: str) -> Any:
        return duck(OPERANDS["a" if name == "copy_of_a" else name])


def _classes(found: Any) -> Iterator[type]:
    if isinstance(found, (tuple, list)):
        for part in found:
            yield from _classes(part)
    elif isinstance(found, at.Tensor):
        yield type(found)


def test_numpys_functions_keep_the_class_of_duck_arrays() -> None:
    there = {name: calls for name, calls in SAMPLES.items() if functions.NAMES[name] in functions.TABLE.values()}
    assert len(there) > 200
    lost = [name for name, calls in there.items() if set(_classes(calls[0](Ducks()))) - {at.DuckArray}]
    assert not lost


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.std(),
        lambda x: x.var(1, ddof=1),
        lambda x: x.max(0),
        lambda x: x.max(axis=1, initial=3.5),
        lambda x: x.sum(axis=0, dtype=np.float64),
        lambda x: x.sum(where=x > 1),
        lambda x: x.transpose(1, 0),
        lambda x: x.transpose(),
        lambda x: x.repeat(2),
        lambda x: x.nonzero(),
        lambda x: x.flatten("F"),
        lambda x: x.reshape((3, 2), order="F"),
        lambda x: x.take([7, -9], mode="clip"),
        lambda x: x.compress([True, False], axis=0),
        lambda x: x.view(np.int32),
        lambda x: x.mean(axis=(0, 1), keepdims=True),
        lambda x: (x.sort(), x)[1],
        lambda x: (x.sort(axis=0), x)[1],
        lambda x: (x.put([0, 4], [7.0, 8.0]), x)[1],
    ],
)
def test_methods_of_duck_arrays_are_numpys(call: Any) -> None:
    values = np.array([[3.0, 5.0, 1.0], [2.0, 0.0, -1.0]], np.float32)
    found, expected = call(duck(values)), call(values.copy())
    for mine, other in zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]:
        np.testing.assert_allclose(mine.numpy(), other, rtol=1e-6)


def test_flat_reads_and_writes_views_too() -> None:
    for turn in (lambda x: x, lambda x: x.T, lambda x: x[:, ::2], lambda x: x[::-1]):
        x, values = at.arange(16.0).reshape(4, 4), np.arange(16.0).reshape(4, 4)
        mine, other = turn(x), turn(values)
        assert mine.flat[3].item() == other.flat[3] and mine.flat[[0, -1]].tolist() == other.flat[[0, -1]].tolist()
        assert [float(y) for y in mine.flat] == list(other.flat) and len(mine.flat) == len(other.flat)
        for each in (mine, other):
            each.flat[:: other.shape[1] + 1] = 0  # the diagonal
            each.flat[2] = -1
        assert x.tolist() == values.tolist()
        mine.flat, other.flat = 7, 7
        assert x.tolist() == values.tolist() and np.asarray(mine.flat).tolist() == list(other.flat)


def test_opt_einsum_calls_by_numpys_words() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    a, b = at.tensor(x), at.tensor(y)
    assert at.tensordot(a, b, axes=((1,), (0,))).tolist() == np.tensordot(x, y, axes=((1,), (0,))).tolist()
    assert at.transpose(a, (1, 0)).tolist() == x.T.tolist()
    assert at.einsum("ij,jk->ki", a, b).tolist() == (x @ y).T.tolist()
    with pytest.raises(TypeError, match="two dims"):
        at.transpose(a, 0)


def test_nothing_to_reduce_is_numpys_error() -> None:
    for function in (np.max, np.min, np.maximum.reduce):
        with pytest.raises(ValueError, match="zero-size array to reduction operation"):
            function(at.zeros(2, 0), axis=1)
    assert np.max(at.zeros(0, 3), axis=1).shape == (0,)


def test_means_of_integers_in_the_standards_namespace() -> None:
    values = np.array([[1, 2], [3, 5]])
    for function in ("mean", "std", "var"):
        for axis in (None, 0, ()):
            found = getattr(xp, function)(xp.asarray(values), axis=axis)
            assert found.dtype is xp.float32
            np.testing.assert_allclose(found.numpy(), getattr(np, function)(values, axis=axis), rtol=1e-6)


@pytest.mark.parametrize("name", ["base", "flags", "ctypes", "itemset", "newbyteorder", "__array_interface__", "dumps", "tostring"])
def test_what_arrays_have_beyond_is_answered_with_advice(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}': (use|views|is_|assign|tensors)"):
        getattr(at.ones(2), name)


def test_memory_of_negative_steps_is_exported_as_a_copy() -> None:
    x = at.arange(6).reshape(2, 3)
    backwards = x[:, ::-1]
    array = np.from_dlpack(backwards)
    assert array.tolist() == [[2, 1, 0], [5, 4, 3]] and array.strides[1] > 0
    with pytest.raises(BufferError, match="negative steps"):
        backwards.__dlpack__(copy=False)
    with pytest.raises(AttributeError, match="__dlpack__"):
        xp.from_dlpack(object())
