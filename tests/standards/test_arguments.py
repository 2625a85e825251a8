"""Arguments as libraries write them, to NumPy's functions of tensors and to the standard's: axes, orders, paddings, what is no array."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, Final

import numpy as np
import pytest
from numpy_samples import OPERANDS, SAMPLES

import ascendtensor as at
import ascendtensor.array_api as xp
from ascendtensor.interop import functions

OF_2_2: Final = np.lib.NumpyVersion(np.__version__) >= "2.2.0"
_random = np.random.default_rng(3)
A: Final = _random.normal(size=(2, 3, 4))
M: Final = A[0]


def leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from leaves(part)
    else:
        yield value.numpy() if isinstance(value, at.Tensor) else np.asarray(value)


def assert_same(call: Callable[[Any], Any], values: Any) -> None:
    expected, found = list(leaves(call(values))), list(leaves(call(at.tensor(values))))
    assert [x.shape for x in found] == [x.shape for x in expected]
    for mine, other in zip(found, expected, strict=True):
        assert mine.dtype.kind == other.dtype.kind
        np.testing.assert_allclose(mine, other, rtol=1e-5, atol=1e-6)


# Tensors behind arrays


BEHIND: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "tile": lambda x, t: np.tile(x, t([2, 1])),
    "quantile": lambda x, t: np.quantile(x, t([0.1, 0.6]), axis=1),
    "nanpercentile": lambda x, t: np.nanpercentile(x, t([10.0, 60.0])),
    "delete": lambda x, t: np.delete(x, t([0, 2])),
    "split": lambda x, t: np.split(x, t([1])),
    "take": lambda x, t: np.take(x, [0, 5], out=t([0.0, 0.0])),
    "round": lambda x, t: np.round(x[0], 1, out=t(np.zeros(4))),
    "median": lambda x, t: np.median(x, 0, out=t(np.zeros(4))),
    "nanmean": lambda x, t: np.nanmean(x, 0, out=t(np.zeros(4))),
    "argmax": lambda x, t: np.argmax(x, 0, out=t(np.zeros(4, np.int64))),
    "trace": lambda x, t: np.trace(x, out=t(np.zeros(()))),
    "fix": lambda x, t: np.fix(x[0], out=t(np.zeros(4))),
    "isposinf": lambda x, t: np.isposinf(x[0], out=t(np.zeros(4, bool))),
}


@pytest.mark.parametrize("name", BEHIND)
def test_an_array_before_a_tensor_is_uploaded(name: str) -> None:
    expected, found = BEHIND[name](M, np.asarray), BEHIND[name](M, at.tensor)
    for mine, other in zip(leaves(found), leaves(expected), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-5)
    assert all(isinstance(part, at.Tensor) for part in (found if isinstance(found, (list, tuple)) else [found]))


def test_sorting_downwards_is_refused_by_name() -> None:
    t = at.tensor([2.0, 1.0])
    for function in (functions.NAMES["sort"], functions.NAMES["argsort"]):  # NumPy has the word from 2.5 on
        assert function(t, descending=False).shape == (2,)
        with pytest.raises(at.UnsupportedError, match="descending"):
            function(t, descending=True)


def test_an_array_that_is_written_to_or_asked_about_stays_on_the_host() -> None:
    x = np.zeros(3)
    np.put(x, at.tensor([0]), at.tensor([7.0]))
    np.copyto(x[1:], at.tensor([8.0, 9.0]))
    assert x.tolist() == [7.0, 8.0, 9.0] and np.array_equal(x, at.tensor(x))
    assert np.result_type(x, at.ones(2)) == np.float64 and not np.shares_memory(x, at.ones(2))


# NumPy's integers


def _with_numpys_integers(function: Callable[..., Any]) -> Callable[..., Any]:
    def cast(value: Any) -> Any:
        if type(value) is int:
            return np.int64(value)
        return tuple(map(cast, value)) if type(value) is tuple and all(type(part) is int for part in value) else value

    return lambda *args, **options: function(*map(cast, args), **{name: cast(value) for name, value in options.items()})


class _Tensors:
    """The operands of the samples as tensors."""

    def __getattr__(self, name: str) -> Any:
        return at.tensor(OPERANDS["a" if name == "copy_of_a" else name])


@pytest.mark.parametrize("name", sorted(name for name, function in functions.NAMES.items() if function in functions.TABLE.values()))
def test_functions_take_numpys_integers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = SAMPLES.get(name, [])
    expected = [list(leaves(call(_Tensors()))) for call in calls if not name.startswith("empty")]
    for function, ours in list(functions.TABLE.items()):
        monkeypatch.setitem(functions.TABLE, function, _with_numpys_integers(ours))
    for call, others in zip(calls, expected, strict=False):
        for mine, other in zip(leaves(call(_Tensors())), others, strict=True):
            assert mine.dtype == other.dtype
            np.testing.assert_array_equal(mine, other)


def test_new_tensors_take_numpys_integers() -> None:
    x = at.ones(2)
    assert np.zeros(np.int64(3), like=x).shape == np.zeros_like(x, shape=np.int64(3)).shape == (3,)
    assert np.full(np.int64(3), 2.0, like=x).tolist() == np.full_like(x, 2.0, shape=np.int32(3)).tolist() == [2.0] * 3
    assert np.lib.stride_tricks.sliding_window_view(at.ones(3), np.int64(2), axis=np.int64(0)).shape == (2, 2)


AXES: Final = ["sum", "prod", "max", "min", "mean", "std", "var", "all", "any", "count_nonzero"]


@pytest.mark.parametrize("name", AXES)
def test_the_standards_reductions_take_numpys_integers(name: str) -> None:
    function, x = getattr(xp, name), xp.asarray(A)
    for axis in (np.int64(1), np.int32(-1), (np.int64(0), np.int8(2))):
        plain = tuple(map(int, axis)) if isinstance(axis, tuple) else int(axis)
        np.testing.assert_array_equal(function(x, axis=axis).numpy(), function(x, axis=plain).numpy())
    assert function(x, axis=()).shape == x.shape


def test_the_standards_functions_take_numpys_numbers() -> None:
    x = xp.asarray([1, 2, 3], dtype=xp.int8)
    for one in (np.int64(1), np.uint8(1)):
        assert xp.add(one, x).dtype is xp.add(x, one).dtype is xp.result_type(x, one) is xp.int8
        assert xp.isin(x, one).tolist() == [True, False, False] and xp.isin(one, x).item() is True
    assert xp.result_type(x, np.float32(1)) is xp.result_type(x, np.float64(1)) is xp.multiply(np.float32(0.5), x).dtype is xp.float32
    assert xp.result_type(x, np.bool_(True)) is xp.int8
    assert xp.expand_dims(x, np.int64(0)).shape == (1, 3) and xp.squeeze(xp.expand_dims(x, 0), np.int64(0)).shape == (3,)
    with pytest.raises(TypeError, match="datetime64 is no number"):
        xp.result_type(x, np.datetime64("2020"))


# Axes in any order, from the end, none


SEVERAL: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "gradient": lambda x, axes: np.gradient(x, axis=axes),
    "gradient with distances": lambda x, axes: np.gradient(x, *range(1, len(axes) + 1), axis=axes),
    "windows": lambda x, axes: np.lib.stride_tricks.sliding_window_view(x, (2,) * len(axes), axis=axes),
    "roll": lambda x, axes: np.roll(x, 1, axis=axes),
    "roll by several": lambda x, axes: np.roll(x, tuple(range(1, len(axes) + 1)), axis=axes),
    "median": lambda x, axes: np.median(x, axis=axes, keepdims=True),
    "quantile": lambda x, axes: np.quantile(x, [0.1, 0.6], axis=axes),
    "expand_dims": lambda x, axes: np.expand_dims(x[..., 0], axes) if axes != (-3, 2) else x,
    "moveaxis": lambda x, axes: np.moveaxis(x, axes, tuple(range(len(axes)))),
    "flip": lambda x, axes: np.flip(x, axes),
    "fftn": lambda x, axes: np.fft.fftn(x, axes=axes),
    "fftshift": lambda x, axes: np.fft.fftshift(x, axes),
    "norm": lambda x, axes: np.linalg.norm(x, axis=axes),
    "tensordot": lambda x, axes: np.tensordot(x, x, axes=(axes, axes)),
    "max": lambda x, axes: np.max(x, axis=axes, keepdims=True),
    "nanstd": lambda x, axes: np.nanstd(x, axis=axes),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_axes_in_any_order_and_from_the_end(name: str) -> None:
    for axes in (*itertools.permutations(range(3), 2), *itertools.permutations(range(-3, 0), 2), (0, -1), (-3, 2)):
        assert_same(lambda x, axes=axes: SEVERAL[name](x, axes), A)  # type: ignore[misc]


def test_at_gradient_answers_in_the_order_of_its_dims() -> None:
    x = at.tensor(A)
    rows, columns = at.gradient(x, dim=(1, 2))
    assert [y.tolist() for y in at.gradient(x, dim=(2, 1))] == [columns.tolist(), rows.tolist()]
    coordinates = at.tensor([0.0, 1.0, 3.0])
    (slopes, _) = at.gradient(x, spacing=[coordinates, 2.0], dim=[1, 0])
    np.testing.assert_allclose(slopes.numpy(), np.gradient(A, coordinates.numpy(), axis=1), rtol=1e-6)
    with pytest.raises(ValueError, match="more than once"):
        at.gradient(x, dim=(1, 1))


@pytest.mark.parametrize(
    "name",
    ["sum", "prod", "max", "mean", "std", "var", "all", "any", "nansum", "nanmean", "nanstd", "nanvar", "nanmax", "median", "ptp", "roll"],
)
def test_no_axis_leaves_each_element_by_itself(name: str) -> None:
    options = (1,) if name == "roll" else ()
    assert_same(lambda x: getattr(np, name)(x, *options, axis=()), M)
    assert_same(lambda x: getattr(np, name)(x, *options, axis=()), np.abs(M) > 0.5) if name not in ("median", "ptp") else None


def test_no_axis_of_means_and_norms() -> None:
    assert_same(lambda x: np.mean(x, axis=(), where=np.asarray(x) > -9), M)
    if hasattr(np.linalg, "vector_norm"):
        assert_same(lambda x: np.linalg.vector_norm(x, axis=()), M)
    x = xp.asarray([-3.0, 0.0, 1e30])
    for order in (1, 2.5, float("inf")):
        assert xp.linalg.vector_norm(x, axis=(), ord=order).tolist() == abs(x).tolist()
    assert xp.linalg.vector_norm(x, axis=(), ord=0).tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("weights", [None, np.abs(M)])
def test_no_axis_of_averages(weights: Any) -> None:
    assert_same(lambda x: np.average(x, axis=(), weights=weights, returned=True), M)
    assert np.average(at.tensor(M), axis=(), keepdims=True).shape == M.shape


def test_paddings_of_named_axes() -> None:
    assert np.pad(at.tensor(A), {0: 2, -3: (0, 1), -1: np.int64(1)}).shape == (3, 3, 6)  # the last one counts
    for axis in (3, -4):
        with pytest.raises(IndexError, match="out of range"):
            np.pad(at.tensor(A), {axis: 1})


@pytest.mark.parametrize("name", ["max", "median", "quantile", "nanmedian"])
def test_axes_that_come_twice_or_are_not_there_are_refused(name: str) -> None:
    def call(x: Any, axis: Any) -> Any:
        return getattr(np, name)(x, *([0.5] if name == "quantile" else []), axis=axis)

    for x in (at.tensor(M), at.tensor(M[:0]), at.tensor(1.0)):
        with pytest.raises(ValueError, match="more than once"):
            call(x, (0, 0))
        with pytest.raises(IndexError, match="out of range"):
            call(x, 2)


def test_roll_of_the_standard_moves_several_axes_by_one_number() -> None:
    x = xp.asarray(M)
    assert xp.roll(x, 1, axis=(0, 1)).tolist() == xp.roll(x, (1, 1), axis=(0, 1)).tolist() == np.roll(M, 1, axis=(0, 1)).tolist()
    assert xp.roll(x, -2).tolist() == np.roll(M, -2).tolist()


def test_a_complex_exponent_makes_complex_numbers() -> None:
    assert (at.ones(2) ** (2 + 0j)).dtype is (at.ones(2) ** np.complex64(2)).dtype is at.complex64
    assert (at.ones(2) ** 2).dtype is (at.ones(2) ** np.float64(2)).dtype is at.float32


def test_a_dtype_takes_no_operands_of_a_higher_kind() -> None:
    x, n = at.tensor([1.5, 2.5]), at.tensor([1, 2])
    for call in (lambda x: np.add(x, x, dtype=np.int64), lambda x: np.multiply(2, x, dtype=bool), lambda x: np.add(x + 1j, 1, dtype=float)):
        with pytest.raises(TypeError):
            call(x.numpy())
        with pytest.raises(TypeError, match="can't be cast to dtype="):
            call(x)
    assert np.add(x, x, dtype=np.int64, casting="unsafe").tolist() == [2, 4]
    assert np.add(n, n, dtype=np.float64).dtype is at.float64 and np.add(n, n, dtype=np.int8).dtype is at.int8
    assert np.sum(x, dtype=np.int64).item() == np.sum(x.numpy(), dtype=np.int64) == 3


# Orders


TURNS: Final[list[Callable[[Any], Any]]] = [
    lambda x: x,
    lambda x: x.T,
    lambda x: np.swapaxes(x, 0, 1),
    lambda x: np.moveaxis(x, -1, 0),
    lambda x: x[:, ::2],
    lambda x: x[:1].T,
    lambda x: x[0, 0, 0],
]


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("turn", range(len(TURNS)))
def test_orders_are_those_in_which_elements_lie(order: str, turn: int) -> None:
    def flat(x: Any) -> Any:
        x = TURNS[turn](x)
        return np.ravel(x, order), x.ravel(order), x.flatten(order)

    def shaped(x: Any) -> Any:
        x = TURNS[turn](x)
        bytes_ = np.frombuffer(x.tobytes(order), np.float64)
        return bytes_, np.reshape(x, (1, -1), order=order), *([x.reshape((-1, 2), order=order)] if x.ndim else [])

    assert_same(flat, A)
    if order != "K":
        assert_same(shaped, A)


def test_elements_are_not_reshaped_in_the_order_of_memory() -> None:
    with pytest.raises(ValueError, match='order="K" is not permitted'):
        np.reshape(at.tensor(M), (4, 3), order="K")


# Values


def test_differences_have_the_kind_of_what_is_put_before_and_behind() -> None:
    truth, whole = M > 0, np.array([3, 1, 7])
    for values in (truth, whole, M):
        assert_same(lambda x: np.diff(x, prepend=0), values)
        assert_same(lambda x: np.diff(x, 2, prepend=0, append=1, axis=0), values)
        assert_same(lambda x: np.diff(x, append=0.5), values)
    assert np.diff(at.tensor(M).float(), prepend=0).dtype is at.float32


@pytest.mark.parametrize("bins", [[2.0, 1.0, 0.0], [0.0, 1.0, 2.0], [1.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]])
@pytest.mark.parametrize("right", [False, True])
def test_bins_may_fall(bins: Any, right: bool) -> None:
    values = np.array([[-1.0, 0.0, 0.5], [1.0, 2.0, 7.0]])
    assert_same(lambda x: np.digitize(x, bins, right), values)
    assert np.digitize(values, at.tensor(bins), right).tolist() == np.digitize(values, bins, right).tolist()  # type: ignore[call-overload]


def test_bins_are_a_vector() -> None:
    with pytest.raises(ValueError, match="bins must be a vector"):
        np.digitize(at.tensor(M), at.tensor(M))


@pytest.mark.parametrize("width", [-1, 1.5, [[1, -1], [0, 0]], "1"])
def test_paddings_are_integers_from_0_on(width: Any) -> None:
    with pytest.raises(ValueError, match="pad_width must be integers from 0 on"):
        np.pad(at.tensor(M), width)


def test_what_is_reflected_is_not_turned_over() -> None:
    for mode in ("reflect", "symmetric"):
        assert_same(lambda x, mode=mode: np.pad(x, 2, mode=mode, reflect_type="even"), M)  # type: ignore[misc]
        with pytest.raises(NotImplementedError, match="reflect_type"):
            np.pad(at.tensor(M), 2, mode=mode, reflect_type="odd")  # type: ignore[call-overload]


@pytest.mark.filterwarnings("ignore")  # of one observation
@pytest.mark.skipif(not OF_2_2, reason="NumPy before 2.2 takes a row for a column")
def test_a_row_of_variables() -> None:
    for call in (np.cov, np.corrcoef):
        assert call(at.tensor(M[:1]), rowvar=False).shape == call(M[:1], rowvar=False).shape == (4, 4)


def test_rows_without_elements() -> None:
    assert_same(lambda x: np.apply_along_axis(lambda row: row * 2, 0, x), np.zeros((0, 3)))
    assert_same(lambda x: np.apply_along_axis(lambda row: row.sum(), 1, x), np.zeros((3, 0)))


def test_elements_one_by_one_are_numpys_scalars() -> None:
    assert [type(y) for y in at.tensor([[1.5], [2.5]]).flat] == [np.float32] * 2
    assert list(at.tensor([[1, 2], [3, 4]]).T.flat) == [1, 3, 2, 4] and list(at.tensor(7).flat) == [7]


# What is no array


def _functions() -> Iterator[Any]:
    made = ["arange", "asarray", "empty", "eye", "full", "linspace", "ones", "zeros", "from_dlpack", "fft.fftfreq", "fft.rfftfreq"]
    asking = ["broadcast_shapes", "finfo", "iinfo", "isdtype", "can_cast", "result_type", "__array_namespace_info__"]
    for prefix, module in (("", xp), ("linalg.", xp.linalg), ("fft.", xp.fft)):
        for name in module.__all__:
            function = getattr(module, name)
            if callable(function) and not isinstance(function, (type, at.dtype)) and prefix + name not in (*made, *asking):
                yield prefix + name


_MORE: Final[dict[str, tuple[Any, ...]]] = {
    "astype": (xp.float64,),
    "broadcast_to": ((2, 2, 2),),
    "expand_dims": (0,),
    "full_like": (1,),
    "linalg.matrix_power": (2,),
    "moveaxis": (0, 1),
    "permute_dims": ((1, 0),),
    "repeat": (2,),
    "reshape": ((4,),),
    "roll": (1,),
    "squeeze": (0,),
    "take": (xp.asarray([0]),),
    "take_along_axis": (xp.asarray([[0]]),),
    "tile": ((2,),),
}
_OF_HOST: Final = ("empty_like", "full_like", "ones_like", "zeros_like", "meshgrid", "broadcast_arrays")


@pytest.mark.parametrize("name", list(_functions()))
def test_what_is_no_array_is_a_type_error_that_names_it(name: str) -> None:
    for value in ([1.0, 2.0], np.ones((2, 2)), None, "text"):
        _is_refused(name, value)


def _is_refused(name: str, value: Any) -> None:
    function = attrgetter(name)(xp)
    needed = [p for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_ONLY and p.default is p.empty]
    calls = [(value, *_MORE.get(name, ()))]
    if len(needed) >= 2 and name not in _MORE:
        array = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
        calls = [(value, array), (array, value)]
    for args in calls:
        if name.startswith("cumulative") or (name in ("take", "squeeze") and isinstance(value, np.ndarray)):
            continue  # the axis is looked at first
        try:
            function(*args)
        except TypeError as error:
            assert "has no attribute" not in str(error) and len(str(error)) < 500
