"""NumPy's protocols: its functions on tensors give what they give on arrays, on the device."""

from __future__ import annotations

import inspect
import operator
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import overrides

import ascendtensor as at
from ascendtensor.interop import functions, ufuncs

from .numpy_samples import OPERANDS, SAMPLES

PAGE = (Path(__file__).parents[2] / "docs" / "numpy.md").read_text(encoding="utf-8")

OF_2 = not np.__version__.startswith("1.")

MAKERS = {"array", "asarray", "asanyarray", "ascontiguousarray", "empty", "full", "ones", "zeros"}
"""Called with `like=`."""
ARRAY_FIRST = {"copyto", "full_like", "place", "put", "put_along_axis", "putmask", "repeat", "take"}
"""Which write into the array that they are given first, or whose tensors NumPy does not look for behind it."""
FILES = {"save", "savez", "savez_compressed", "savetxt"}
DECOMPOSED = {"linalg.eig", "linalg.eigvals"}
"""Whose order and phases are nobody's promise."""
APART = {"array_repr", "shares_memory", "may_share_memory"}
ON_HOST = {name for name in functions.questions.FUNCTIONS} - {
    "empty_like",
    "full_like",
    "ones_like",
    "ravel_multi_index",
    "zeros_like",
    "astype",
}


class Operands:
    """The operands by name; of those that a call takes, one after the other, the pattern says which are tensors."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.taken: list[str] = []

    def __getattr__(self, name: str) -> Any:
        value = OPERANDS["a"].copy() if name == "copy_of_a" else OPERANDS[name]
        kind = self.pattern[len(self.taken) % len(self.pattern)]
        self.taken.append(name)
        return at.tensor(value) if kind == "t" else value


def leaves(value: Any) -> Iterator[Any]:
    """Tensors, arrays and numbers of a result."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def agree(found: Any, expected: Any, tolerance: float = 2e-4) -> None:
    """Same structure, shapes, kinds of dtype and, within float32's precision, values."""
    ours, theirs = list(leaves(found)), list(leaves(expected))
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        value = mine.numpy() if isinstance(mine, at.Tensor) else mine
        assert np.shape(value) == np.shape(other)
        if isinstance(other, (np.ndarray, np.generic)):
            assert value.dtype.kind == other.dtype.kind
            np.testing.assert_allclose(value, other, rtol=tolerance, atol=tolerance / 10)
        else:
            assert value == other


def _is_there(name: str) -> bool:
    """Whether this NumPy has the function."""
    try:
        operator.attrgetter(name)(np)
    except AttributeError:
        return False
    return True


def cases() -> Iterator[tuple[str, int, str]]:
    """Each call on tensors; those of several operands also on tensors and arrays, in both orders."""
    for name, calls in SAMPLES.items():
        if not _is_there(name):
            continue
        for place, call in enumerate(calls):
            probe = Operands("h")
            with np.errstate(all="ignore"):
                call(probe)
            patterns = ("t", "th", "ht") if len(set(probe.taken)) > 1 else ("t",)
            yield from ((name, place, pattern) for pattern in patterns)


# Functions


@pytest.mark.parametrize(("name", "place", "pattern"), list(cases()))
def test_functions_give_what_they_give_on_arrays(name: str, place: int, pattern: str) -> None:
    call = SAMPLES[name][place]
    found = call(Operands(pattern))
    with np.errstate(all="ignore"):
        expected = call(Operands("h"))
    agree(found, expected)
    if name not in ON_HOST and (pattern != "ht" or name not in ARRAY_FIRST):
        arrays = [leaf for leaf in leaves(found) if not isinstance(leaf, at.Tensor)]
        assert not arrays or name == "empty_like"


def test_every_function_has_a_sample() -> None:
    assert (
        functions.NAMES.keys() - SAMPLES.keys()
        == MAKERS - set(functions.questions.LIKE) | FILES | DECOMPOSED & set(functions.NAMES) | APART
    )
    assert not SAMPLES.keys() - functions.NAMES.keys()


def test_functions_are_those_that_numpy_asks_about() -> None:
    assert len(functions.TABLE) >= 150
    if OF_2:
        assert functions.TABLE.keys() <= overrides.get_overridable_numpy_array_functions()


def test_the_page_lists_the_functions_and_ufuncs() -> None:
    listed = PAGE.partition("## What there is")[2]
    names = set(re.findall(r"`([\w.]+)`", listed))
    expected = set(functions.NAMES) | set(functions.questions.LIKE) | set(ufuncs.NAMED)
    assert names == expected
    count, of_ufuncs = (int(number) for number in re.findall(r"(\d+) (?:functions|ufuncs)", PAGE)[:2])
    assert (count, of_ufuncs) == (len(functions.NAMES) + len(functions.questions.LIKE), len(ufuncs.NAMED))


@pytest.mark.skipif(not OF_2, reason="the parameters are those of NumPy 2")
@pytest.mark.parametrize("name", sorted(filter(_is_there, functions.NAMES)))
def test_parameters_are_numpys(name: str) -> None:
    ours = functions.NAMES[name]
    target: Any = np
    for part in name.split("."):
        target = getattr(target, part)
    try:
        theirs = inspect.signature(target).parameters
    except ValueError:  # of functions in C before NumPy 2.4
        return
    mine = inspect.signature(ours).parameters
    if any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in [*mine.values(), *theirs.values()]):
        return
    places = {each for each, value in theirs.items() if value.kind is not value.KEYWORD_ONLY}
    missing = [each for each in theirs if each not in mine and each not in ("like", "ndmax")]
    positional = [each.name for each in mine.values() if each.kind is not each.KEYWORD_ONLY]
    assert not missing, missing
    assert positional[: len(places)] == [each for each in theirs if each in places][: len(positional)]


@pytest.mark.parametrize(
    "call",
    [
        lambda t: np.packbits(t > 0),
        lambda t: np.choose(t, [t, t]),
        lambda t: np.unpackbits(t),
        lambda t: np.emath.sqrt(t),
        lambda t: np.isnat(t),
        lambda t: np.add.reduceat(t, [0]),
        lambda t: np.subtract.reduce(t),
        lambda t: np.multiply.at(t, [0], 2.0),
        lambda t: np.add(t, "a"),
        lambda t: np.add(t, None),
        lambda t: np.add(t, np.array(["a", "b"])),
        lambda t: np.add(t, np.array([object(), 1], object)),
        lambda t: np.negative(t > 0),
        lambda t: np.add(t, t, where=t),
        lambda t: np.add(t, t, out=np.zeros((2, 2), int)),
        lambda t: np.add(t, t, out=at.zeros(2, 2, dtype=at.int32)),
        lambda t: np.equal(t, t, dtype=np.float32),
        lambda t: np.concatenate([t, t], dtype=object),
    ],
)
def test_what_is_not_there_is_a_type_error(call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"no implementation found for|NotImplemented|dtype|cast|bool|no Ascend type|integers"):
        call(at.tensor([[1.0, -2.0], [3.0, 4.0]]))


@pytest.mark.parametrize(
    "call",
    [
        lambda t: np.add(t, t, casting="safe"),
        lambda t: np.matmul(t, t, axes=[(0, 1)] * 3),
        lambda t: np.sort(t, order="x"),
        lambda t: np.polyfit(t[0], t[1], 1, full=True),
        lambda t: np.logspace(t[0], 2, 3, base=[2.0, 3.0]),
        lambda t: np.pad(t, 1, mode="linear_ramp"),
        lambda t: np.interp(t, [0.0, 1.0], [0.0, 1.0], period=2.0),
        lambda t: np.std(t, where=t > 0),
    ],
)
def test_arguments_that_are_not_there_are_refused_by_name(call: Callable[[Any], Any]) -> None:
    with pytest.raises(NotImplementedError, match=r"is not there for tensors"):
        call(at.tensor([[1.0, -2.0], [3.0, 4.0]]))


REFUSED_SHAPES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: np.vsplit(x[0], 3), "vsplit: at least 2 dimensions needed"),
    (lambda x: np.hsplit(x[0, 0], 1), "hsplit: at least 1 dimension needed"),
    (lambda x: np.dsplit(x, 3), "dsplit: at least 3 dimensions needed"),
    (lambda x: np.triu_indices_from(x[0]), "triu_indices_from: a matrix"),
    (lambda x: np.tril_indices_from(x[0]), "tril_indices_from: a matrix"),
]


@pytest.mark.parametrize("place", range(len(REFUSED_SHAPES)))
def test_shapes_that_do_not_fit_are_refused_in_the_name_of_the_function(place: int) -> None:
    call, text = REFUSED_SHAPES[place]
    with pytest.raises(ValueError, match=text):
        call(at.ones(3, 3))
    with pytest.raises(ValueError):
        call(np.ones((3, 3)))


def test_foreign_classes_answer_for_themselves() -> None:
    class Other:
        def __array_ufunc__(self, *arguments: Any, **options: Any) -> str:
            return "ufunc"

        def __array_function__(self, *arguments: Any) -> str:
            return "function"

    x: Any = at.ones(2)
    assert np.add(x, Other()) == "ufunc" and np.concatenate([x, Other()]) == "function"


def test_files_take_tensors(tmp_path: Path) -> None:
    x: Any = at.tensor([[1.0, 2.0]])
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", x, b=x)
    np.savetxt(tmp_path / "x.txt", x)
    assert np.load(tmp_path / "x.npy").tolist() == np.load(tmp_path / "x.npz")["b"].tolist() == [[1.0, 2.0]]
    assert np.loadtxt(tmp_path / "x.txt").tolist() == [1.0, 2.0]


def test_like_makes_tensors_on_its_device() -> None:
    x: Any = at.ones(2, device="npu:1")
    made = [np.zeros(3, like=x), np.ones((2, 2), np.int32, like=x), np.full(2, 7, like=x), np.empty(2, like=x)]
    assert all(isinstance(each, at.Tensor) and each.device == "npu:1" for each in made)
    assert made[2].tolist() == [7, 7] and made[1].dtype is at.int32 and made[0].dtype is at.float32
    assert np.asarray([1, 2], like=x).tolist() == [1, 2] and np.array(x, like=x) is not x and np.asarray(x, like=x) is x


def test_memory_that_is_shared() -> None:
    x: Any = at.zeros(4, 4)
    assert np.shares_memory(x, x[1:]) and np.may_share_memory(x.T, x)
    assert not np.shares_memory(x[:2], x[2:]) and not np.shares_memory(x, x.clone()) and not np.shares_memory(x, np.zeros(4))


def test_of_two_devices() -> None:
    with pytest.raises(RuntimeError, match=r"npu:0.*npu:1"):
        np.concatenate([at.ones(2), at.ones(2, device="npu:1")])  # type: ignore[call-overload]
    assert np.hypot(np.ones(2, np.float32), at.ones(2, device="npu:1")).device == "npu:1"


# Ufuncs

_A = np.array([[0.5, -0.25, 0.75], [0.1, -0.9, 0.3]], np.float32)
_POSITIVE = np.abs(_A) + 0.5
_INTS = np.array([[5, 3, 12], [7, 1, 0]])
_OTHERS = np.array([2, 4, 3])


def _inputs(ufunc: np.ufunc) -> tuple[Any, ...]:
    name = ufunc.__name__
    if name in ("gcd", "lcm", "left_shift", "right_shift", "bitwise_and", "bitwise_or", "bitwise_xor", "invert"):
        return (_INTS, _OTHERS)[: ufunc.nin]
    if name == "ldexp":
        return _A, _OTHERS
    if name in ("arccosh",):
        return (_POSITIVE + 1,)
    if name in ("matmul", "vecdot", "matvec", "vecmat"):
        return {"matmul": (_A, _A.T), "vecdot": (_A, _A), "matvec": (_A, _A[0]), "vecmat": (_A[:, 0], _A)}[name]
    if name in ("log", "log2", "log10", "log1p", "sqrt", "power", "float_power", "reciprocal"):
        return (_POSITIVE, _A[0])[: ufunc.nin]
    return (_A, _POSITIVE[0])[: ufunc.nin]


@pytest.mark.parametrize("ufunc", list(ufuncs.UFUNCS), ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_give_what_they_give_on_arrays(ufunc: np.ufunc) -> None:
    inputs = _inputs(ufunc)
    expected = ufunc(*inputs)
    tensors = [at.tensor(each) for each in inputs]
    for operands in [tensors, [tensors[0], *inputs[1:]], [*inputs[:-1], tensors[-1]]]:
        found = ufunc(*operands)
        assert all(isinstance(leaf, at.Tensor) for leaf in leaves(found))
        agree(found, expected, 1e-5)
    if ufunc.nout == 1:
        shape, dtype = expected.shape, expected.dtype
        out, host = at.zeros(shape, dtype=dtype), np.zeros(shape, dtype)
        assert ufunc(*tensors, out=(out,)) is out and ufunc(*tensors, out=host) is host
        agree(out, expected, 1e-5)
        agree(host, expected, 1e-5)


def test_ufuncs_of_scipy_run_on_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    # As they are public where SciPy's array API support is off, which is decided once a process.
    special = pytest.importorskip("scipy.special._ufuncs")
    monkeypatch.setitem(sys.modules, "scipy.special", special)
    x = np.array([0.1, 0.5, 0.9], np.float32)
    other = np.array([0.3, 1.5, 2.5], np.float32)
    for name in ufuncs.OF_SCIPY:
        ufunc = getattr(special, name)
        operands = (x, other)[: ufunc.nin]
        for found in (ufunc(*map(at.tensor, operands)), ufunc(at.tensor(x), *operands[1:])):
            assert isinstance(found, at.Tensor) and found.dtype is at.float32
            np.testing.assert_allclose(found.numpy(), ufunc(*operands), rtol=2e-5, atol=1e-6)
    with pytest.raises(TypeError, match="NotImplemented"):
        special.betaln(at.tensor(x), at.tensor(x))


def test_a_ufunc_that_has_a_name_of_scipys_is_not_taken_for_it() -> None:
    class Imposter:
        __name__ = "expit"

    assert ufuncs._of_scipy(Imposter()) is None  # type: ignore[arg-type]


_NOT_OF_INTEGERS = {"arccos", "arcsin", "arctanh", "ceil", "floor", "power", "reciprocal", "trunc"}
"""Without values for these integers, or of another dtype here or in NumPy before 2.1."""


@pytest.mark.parametrize(
    "ufunc",
    [ufunc for ufunc in ufuncs.UFUNCS if ufunc.signature is None and ufunc.__name__ not in _NOT_OF_INTEGERS],
    ids=lambda ufunc: ufunc.__name__,
)
def test_ufuncs_of_integers_and_numbers(ufunc: np.ufunc) -> None:
    ints = _INTS + 1
    with np.errstate(all="ignore"):
        expected = ufunc(ints, 2) if ufunc.nin == 2 else ufunc(ints)
        turned = ufunc(2, ints) if ufunc.nin == 2 else expected
    agree(ufunc(at.tensor(ints), 2) if ufunc.nin == 2 else ufunc(at.tensor(ints)), expected, 1e-5)
    if ufunc.nin == 2:
        agree(ufunc(2, at.tensor(ints)), turned, 1e-5)


@pytest.mark.parametrize(
    "name", ["heaviside", "maximum", "fmax", "sign", "hypot", "copysign", "remainder", "logaddexp", "isinf", "spacing", "modf", "cbrt"]
)
def test_ufuncs_of_nan_infinities_and_zeros(name: str) -> None:
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 2.5], np.float32)
    ufunc = getattr(np, name)
    inputs = (special,) if ufunc.nin == 1 else (special[:, None], special)
    with np.errstate(all="ignore"):
        expected = ufunc(*inputs)
    agree(ufunc(*map(at.tensor, inputs)), expected)


@pytest.mark.parametrize("x", [0.0, 1.0, 0.25, 1.75, 3.5, 5.0, 6.0, [-1.0, 0.0, 0.5, 2.0, 4.5]], ids=str)
def test_interpolation_next_to_infinities_and_nan(x: Any) -> None:
    places = np.array([0.0, 1.0, 2.0, 5.0], np.float32)
    for heights in ([np.inf, 1.0, -2.0, np.inf], [1.0, np.inf, np.inf, 2.0], [np.nan, 0.0, -np.inf, np.inf], [-np.inf, np.nan, 3.0, 3.0]):
        theirs = np.interp(x, places, np.array(heights, np.float32))
        ours = np.interp(at.tensor(x), places, np.array(heights, np.float32))
        assert ours.dtype is at.float32
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-6)
        double = np.interp(at.tensor([x], dtype=at.float64), places, np.array(heights, np.float32))
        assert double.dtype is at.float64
        np.testing.assert_allclose(double.numpy()[0], theirs, rtol=1e-14)


@pytest.mark.parametrize("ufunc", [np.hypot, np.copysign, np.heaviside, np.nextafter, np.maximum], ids=lambda ufunc: ufunc.__name__)
def test_numbers_leave_the_dtype_of_a_scalar_as_it_is(ufunc: Any) -> None:
    for x in (at.tensor(1.5, dtype=at.float16), at.tensor([1.5, 2.0], dtype=at.float16), at.tensor(1.5, dtype=at.float64)):
        for left, right in ((0.5, x), (x, 0.5), (x, 2)):
            found, wanted = ufunc(left, right), ufunc(*(y.numpy() if isinstance(y, at.Tensor) else y for y in (left, right)))
            assert found.dtype is x.dtype and np.allclose(found.numpy(), wanted, rtol=2e-3)


def test_clip_ignores_limits_beyond_the_dtype() -> None:
    x = at.tensor([5, 200], dtype=at.uint8)
    for low, high, values in ((-9, 9, [5, 9]), (-9, 300, [5, 200]), (100, 300, [100, 200]), (None, 300, [5, 200]), (-9, None, [5, 200])):
        clipped = np.clip(x, low, high)
        assert clipped.dtype is at.uint8 and clipped.tolist() == values
    for low, high in ((300, None), (None, -4), (-5, -4)):
        with pytest.raises(at.ValueRangeError, match="does not fit uint8"):
            np.clip(x, low, high)


def test_reductions_of_ufuncs() -> None:
    for ufunc in ufuncs.REDUCTIONS:
        for options in ({}, {"axis": None}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}):
            agree(ufunc.reduce(at.tensor(_A), **options), ufunc.reduce(_A, **options))
    agree(np.add.reduce(at.tensor(_A), 1, initial=2.0), np.add.reduce(_A, 1, initial=2.0))
    agree(np.maximum.reduce(at.zeros(0, 2), initial=3.0), np.full(2, 3, np.float32))
    mask = np.array([True, False, True])
    agree(np.multiply.reduce(at.tensor(_A), 1, where=mask), np.multiply.reduce(_A, 1, where=mask))
    out = np.zeros(2)
    assert np.add.reduce(at.tensor(_A), 1, None, out) is out and np.allclose(out, _A.sum(1))
    with pytest.raises(ValueError, match="initial="):
        np.minimum.reduce(at.tensor(_A), where=mask)
    with pytest.raises(ValueError, match="zero-size"):
        np.maximum.reduce(at.zeros(0))


def test_running_and_outer_ufuncs() -> None:
    for ufunc in ufuncs.RUNNING:
        for axis in (0, 1, -1):
            agree(ufunc.accumulate(at.tensor(_A), axis), ufunc.accumulate(_A, axis))
    for left, right in [(_A, _OTHERS), (_OTHERS, 2), (2.0, _OTHERS)]:
        ours = [at.tensor(each) if isinstance(each, np.ndarray) else each for each in (left, right)]
        agree(np.less.outer(*ours), np.less.outer(left, right))
    agree(np.subtract.outer(at.tensor(_A), _A), np.subtract.outer(_A, _A))


def test_at_counts_each_place() -> None:
    x, host = at.zeros(4), np.zeros(4, np.float32)
    for target in (x, host):
        np.add.at(target, [0, 0, 2], np.array([1.0, 2.0, 3.0], np.float32))
        np.subtract.at(target, at.tensor([3]), 1.0) if target is x else np.subtract.at(target, [3], 1.0)
    assert x.tolist() == host.tolist() == [3.0, 0.0, 3.0, -1.0]
    np.add.at(host, [1], at.tensor([5.0]))
    assert host[1] == 5.0
    square = at.zeros(2, 2)
    np.add.at(square, ([0, 0], [1, 1]), 1.0)
    assert square.tolist() == [[0.0, 2.0], [0.0, 0.0]]


def test_where_leaves_what_out_holds() -> None:
    x = at.tensor([1.0, 2.0, 3.0])
    for mask in (np.array([True, False, True]), at.tensor([True, False, True]), [True, False, True]):
        out, host = at.full((3,), 9.0), np.full(3, 9.0)
        np.add(x, 1, out=out, where=mask)
        np.add(x, 1, out=host, where=mask)
        assert out.tolist() == host.tolist() == [2.0, 9.0, 4.0]
        assert np.add(x, 1, where=mask).tolist() == [2.0, 0.0, 4.0]


def test_out_is_broadcast_to_and_cast_into() -> None:
    x = at.tensor([1.5, 2.5])
    out = at.zeros(2, 2, dtype=at.float16)
    assert np.add(x, x, out=out) is out and out.tolist() == [[3.0, 5.0]] * 2
    whole = np.zeros(2, int)
    np.add(x, x, out=whole, casting="unsafe")
    assert whole.tolist() == [3, 5]
    with pytest.raises(ValueError, match="shape"):
        np.add(x, at.zeros(2, 1), out=at.zeros(2))
    first, second = at.zeros(2), at.zeros(2)
    np.modf(x, out=(first, second))
    assert first.tolist() == [0.5, 0.5] and second.tolist() == [1.0, 2.0]


def test_an_array_that_is_added_to_stays_an_array() -> None:
    host = same = np.ones(3)
    host += at.tensor([1.0, 2.0, 3.0])
    assert host is same and host.tolist() == [2.0, 3.0, 4.0]
    with pytest.raises(TypeError, match="cast"):
        host = np.ones(3, int)
        host += at.tensor([1.0, 2.0, 3.0])


def test_dtypes_follow_our_promotion() -> None:
    half, ints = at.ones(2, dtype=at.float16), at.ones(2, dtype=at.int64)
    assert np.add(half, ints).dtype is at.float16  # NumPy: float64
    assert np.sin(ints).dtype is np.mean(ints).dtype is at.float32  # NumPy: float64
    assert np.add(half, np.float64(1)).dtype is at.float16 and np.add(half, np.array(1.0)).dtype is at.float16
    assert np.add(half, np.ones(2)).dtype is at.float64
    assert np.add(half, half, dtype=np.float32).dtype is at.float32
    assert np.sum(at.ones(2, dtype=at.uint8)).dtype is at.int64  # NumPy: uint64
    assert np.result_type(half, ints) == np.float16
    assert np.sin(at.ones(2, dtype=at.bfloat16)).dtype is at.bfloat16


def test_subclasses_and_priority() -> None:
    x = at.ones(2)
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([1.0, 2.0])
    assert x.__array_priority__ > matrix.__array_priority__
    assert isinstance(x.cpu() + x, at.Tensor) and isinstance(matrix + x, at.Tensor)
    with pytest.raises(TypeError, match="masked"):
        x + np.ma.masked_array([1.0, 2.0], [True, False])
    array = at.array_api.asarray([1.0, 2.0])
    assert isinstance(np.exp(array), type(array)) and isinstance(np.concatenate([array, np.ones(2, np.float32)]), type(array))


def test_comparisons_of_numpys_testing_look_at_values() -> None:
    x: Any = at.tensor([1.0, 2.0])
    for same in (x, x.numpy(), [1.0, 2.0]):
        np.testing.assert_allclose(x, same)
        np.testing.assert_allclose(same, x)
        np.testing.assert_array_equal(x, same)
        np.testing.assert_array_almost_equal(x, same)
    np.testing.assert_array_less(x, x + 1)
    np.testing.assert_almost_equal(at.tensor(2.5), 2.5)  # type: ignore[arg-type]
    for compare in (np.testing.assert_allclose, np.testing.assert_array_equal):
        with pytest.raises(AssertionError, match="Mismatched elements: 1 / 2"):
            compare(x, [1.0, 3.0])


# Methods by NumPy's words


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.sum(axis=0),
        lambda a: a.sum(axis=(0, 1), keepdims=True),
        lambda a: a.sum(axis=()),
        lambda a: a.prod(axis=1, keepdims=True),
        lambda a: a.mean(axis=-1),
        lambda a: a.max(axis=0),
        lambda a: a.min(axis=1, keepdims=True),
        lambda a: a.max(),
        lambda a: a.max(keepdims=True),
        lambda a: a.all(axis=0),
        lambda a: a.any(axis=1, keepdims=True),
        lambda a: a.std(axis=0, ddof=0),
        lambda a: a.var(ddof=0),
        lambda a: a.var(axis=1, ddof=1, keepdims=True),
        lambda a: a.argmax(axis=1),
        lambda a: a.argmin(),
        lambda a: a.argmax(axis=0, keepdims=True),
        lambda a: a.argsort(axis=0),
        lambda a: a.argsort(axis=1, kind="stable"),
        lambda a: a.cumsum(),
        lambda a: a.cumsum(axis=1),
        lambda a: a.cumsum(0),
        lambda a: a.cumprod(axis=0),
        lambda a: a.transpose(),
        lambda a: a.transpose((1, 0)),
        lambda a: a[None].transpose(2, 0, 1),
        lambda a: a.swapaxes(0, 1),
        lambda a: a.ravel(),
        lambda a: a.ravel("F"),
        lambda a: a.flatten(),
        lambda a: a.flatten("F"),
        lambda a: a.flatten(order="F"),
        lambda a: a.reshape(2, 3),
        lambda a: a.reshape((3, 2)),
        lambda a: a[None].squeeze(axis=0),
        lambda a: a.copy(),
        lambda a: a.astype(np.int32),
        lambda a: a.astype("float64", copy=False),
        lambda a: a.round(1),
        lambda a: a.round(decimals=2),
        lambda a: a.clip(-0.5, 0.5),
        lambda a: a.clip(min=0.0, max=1.0),
        lambda a: a.repeat(2, axis=1),
        lambda a: a.take([0, 2, -1]),
        lambda a: a.take([1, 0], axis=1),
        lambda a: a.take(1, axis=0),
        lambda a: a.dot(a.T),
        lambda a: a[0].dot(a[1]),
        lambda a: a.dot(2.0),
        lambda a: a.diagonal(),
        lambda a: a.diagonal(1, axis1=1, axis2=0),
        lambda a: a.trace(),
        lambda a: a.trace(1),
        lambda a: a.conj(),
        lambda a: a.conjugate(),
        lambda a: a.real,
        lambda a: a[0].searchsorted([0.0, 0.6]),
        lambda a: a.item(4),
        lambda a: a.item(1, 2),
        lambda a: a.item((0, 1)),
        lambda a: a.tolist(),
        lambda a: a.tobytes(),
        lambda a: a.T.tobytes("F"),
        lambda a: a.size + a.ndim + a.nbytes + a.itemsize,
        lambda a: a.shape,
    ],
    ids=lambda call: re.sub(r".*lambda a: |,\s*$", "", inspect.getsource(call).strip())[:40],
)
def test_methods_by_numpys_words(call: Callable[[Any], Any]) -> None:
    agree(call(at.tensor(_A)), call(_A))


def test_words_that_mean_the_same() -> None:
    x = at.tensor(_A)
    with pytest.raises(TypeError, match="dim and axis"):
        x.sum(0, axis=1)
    with pytest.raises(ValueError, match="is not 1"):
        x.squeeze(axis=0)
    with pytest.raises(ValueError, match="order"):
        x.flatten("X")
    y = x.astype(np.float32, copy=False)
    assert y is x and x.astype(np.float32) is not x
    assert x.fill(3) is None and x.unique().tolist() == [3.0]
    assert at.tensor([1, 2]).mean(axis=0).item() == 1.5


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.interp(0.3, x, x * 3),
        lambda x: np.interp(x, [0.1, 0.3], [0.1, 0.7]),
        lambda x: np.isin(x, [0.1, 0.3]),
        lambda x: np.digitize(x, [0.1, 0.3]),
        lambda x: np.concatenate([x, [0.1]]),
        lambda x: np.append(x, 0.1),
        lambda x: np.add(x, [0.1, 0.2, 0.3]),
        lambda x: np.add.outer(x, [0.1, 0.2]),
        lambda x: np.add(x, [0.1, 0.2j, 0.3]),
        lambda x: np.polyval([0.1, 0.7], x),
        lambda x: np.einsum("i,i->", x, [0.1, 0.2, 0.3]),
        lambda x: np.average(x, weights=[0.1, 0.2, 0.3]),
        lambda x: np.clip(x, [0.1, 0.2, 0.3], 0.7),
        lambda x: np.meshgrid(x, [0.1, 0.2])[1],
        lambda x: np.linalg.solve(np.diag(x), [0.1, 0.2, 0.3]),
        lambda x: np.histogram(x, bins=[0.1, 0.2, 0.3])[1],
    ],
)
def test_lists_and_numbers_have_the_precision_of_what_they_stand_beside(call: Callable[[Any], Any]) -> None:
    x = np.array([0.1, 0.3, 0.9])
    expected, found = call(x), call(at.tensor(x))
    assert found.numpy().dtype == expected.dtype
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-14)
    assert call(at.tensor(x).float()).dtype in (at.float32, at.complex64, at.bool, at.int64)  # else the default dtype


def test_the_precision_of_an_array_beside_a_tensor_counts_too() -> None:
    found = np.interp(0.3, np.array([0.1, 0.3, 0.9]), at.tensor([1.0, 2.0, 3.0]))
    assert found.dtype is at.float64 and found.item() == 2.0


@pytest.mark.parametrize(
    "call",
    [
        lambda stamps, x: np.interp(stamps[0] + np.cumsum(x), stamps, x),
        lambda stamps, x: np.interp(x, x, stamps),
        lambda stamps, x: np.average(stamps, weights=x),
        lambda stamps, x: np.cov(stamps, x),
        lambda stamps, x: np.corrcoef(x, stamps),
        lambda stamps, x: getattr(np, "trapezoid", np.interp)(x, stamps, *([] if hasattr(np, "trapezoid") else [x])),
        lambda stamps, x: np.gradient(x, stamps),
        lambda stamps, x: np.histogram(stamps, bins=stamps[0] + np.cumsum(x))[0],
        lambda stamps, x: np.linalg.solve(stamps[0] - np.diag(x), x),
    ],
)
def test_integers_beside_float64_keep_all_of_their_digits(call: Callable[[Any, Any], Any]) -> None:
    stamps, x = np.array([1_790_000_001, 1_790_000_004, 1_790_000_009, 1_790_000_011]), np.array([0.1, 0.4, 0.5, 0.9])
    np.testing.assert_allclose(np.asarray(call(at.tensor(stamps), at.tensor(x))), call(stamps, x), rtol=1e-9)


def test_what_no_tensor_holds_is_broadcast_beside_tensors() -> None:
    x, nothing, words, y = np.broadcast_arrays(at.tensor([1, 2]), None, ["/", "x"], at.tensor(3.0))
    assert isinstance(x, at.Tensor) and x.tolist() == [1, 2] and y.tolist() == [3.0, 3.0]
    assert nothing.tolist() == [None, None] and words.tolist() == ["/", "x"]
