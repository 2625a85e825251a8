"""NumPy's words for PyTorch's keywords: understood where PyTorch does, never beside its own."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.errors import AscendTensorError
from ascendtensor.launch.registry import handle_cache
from ascendtensor.ops.arguments import checked


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "argmin", "cumsum", "softmax", "squeeze", "unsqueeze", "std", "all", "logsumexp"])
def test_axis_is_dim(name: str) -> None:
    x = at.arange(6.0).reshape(2, 3)
    function = getattr(at, name)
    assert at.equal(function(x, axis=0), function(x, dim=0))


def test_keepdims_is_keepdim() -> None:
    assert at.mean(at.ones(2, 3), axis=1, keepdims=True).shape == (2, 1)


def test_tensors_are_joined_along_an_axis() -> None:
    x = at.ones(2, 3)
    assert at.concatenate((x, x), axis=1).shape == (2, 6)
    assert at.stack((x, x), axis=-1).shape == (2, 3, 2)


@pytest.mark.parametrize("words", [{"axis": 0, "dim": 0}, {"axes": 0}, {"keepdim": True, "keepdims": True}])
def test_other_words_are_refused(words: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="unexpected keyword"):
        at.mean(at.ones(2), **words)


def test_errors_of_the_second_try_name_the_function() -> None:
    with pytest.raises(IndexError, match="mean: Dimension out of range"):
        at.mean(at.ones(2), axis=3)


def test_methods_take_axis_as_pytorchs_do() -> None:
    x = at.arange(6.0).reshape(2, 3)
    assert at.equal(x.softmax(axis=1), x.softmax(1)) and at.equal(x.amax(axis=0, keepdims=True), x.amax(0, True))
    assert at.equal(x.topk(2, axis=0).values, x.topk(2, 0).values) and len(at.unbind(x, axis=1)) == 3
    assert at.equal(x.median(axis=1).values, x.median(1).values)
    with pytest.raises(TypeError, match="multiple values"):
        x.softmax(0, axis=1)
    with pytest.raises(TypeError, match="axes"):
        x.softmax(axes=1)


def test_words_of_single_functions() -> None:
    x = at.ones(4)
    assert at.dropout(x, p=0.5, train=False) is x and at.equal(at.feature_dropout(x.reshape(1, 4), 0.0, train=True), x.reshape(1, 4))
    assert at.det(input=at.eye(2)).item() == 1.0


def test_parts_are_sections_or_indices() -> None:
    x = at.arange(64.0).reshape(4, 4, 4)
    for name in ("tensor_split", "hsplit", "vsplit", "dsplit"):
        for split in (lambda n=name, **words: getattr(at, n)(x, **words), getattr(x, name)):
            for words in ({"sections": 2}, {"indices": [1, 3]}):
                parts = getattr(at, name)(x, *words.values())
                assert all(at.equal(*pair) for pair in zip(split(**words), parts, strict=True))
            with pytest.raises(TypeError, match="parts"):
                split(parts=2)


def test_words_that_stand_alone() -> None:
    x = at.ones(2, 2)
    assert at.randint(high=1, size=(2, 2)).tolist() == [[0, 0], [0, 0]] and at.randint_like(x, high=1).tolist() == [[0.0, 0.0]] * 2
    assert at.equal(x.view(dtype=at.int32), x.view(at.int32)) and x.sum_to_size(size=(1, 2)).tolist() == [[2.0, 2.0]]
    with pytest.raises(TypeError, match="high"):
        at.randint(size=(2,))
    with pytest.raises(ValueError, match="twice"):
        x.view(4, dtype=at.int32)


def test_the_ends_of_ranges_have_names() -> None:
    assert at.arange(end=3).tolist() == [0, 1, 2] and at.arange(start=1, end=3).tolist() == [1, 2]
    assert at.arange(end=-3, step=-1).tolist() == [0, -1, -2] and at.range(end=2).tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(TypeError, match="arange"):
        at.arange()


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_numpys_integers_are_integers(kind: Any) -> None:
    functional, x = at.nn.functional, at.arange(24.0).reshape(2, 4, 3)
    for call in (
        lambda n: at.randperm(n(7)).sort().values,
        lambda n: functional.one_hot(at.tensor([1, 0]), n(5)),
        lambda n: functional.group_norm(x, n(2)),
        lambda n: at.multinomial(at.tensor([0.0, 1.0]), n(3), True),
        lambda n: at.tensordot(x, x.permute(1, 2, 0), n(2)),
        lambda n: at.tensordot(x, x, (n(1), n(1))),
        lambda n: functional.pad(x, (n(1), n(2)), value=n(1)),
        lambda n: at.linalg.matrix_power(x[:, :3], n(3)),
        lambda n: at.fft.fft(x, n(5), n(1)),
        lambda n: functional.interpolate(x, n(5)),
    ):
        handle_cache.clear()
        found = call(kind)
        handle_cache.clear()  # what was planned for the one would serve the other, since they are equal
        assert at.equal(found, call(int)) and all(type(length) is int for length in found.shape)


@pytest.mark.parametrize("wrong", [None, "x", 1.5, np.ones(2), np.array(2), [1.5], object()], ids=lambda it: type(it).__name__)
def test_wrong_arguments_of_pads_and_spectra_are_refused_by_name(wrong: Any) -> None:
    functional, x = at.nn.functional, at.ones(2, 3)
    with pytest.raises(AscendTensorError, match="pad: "):
        functional.pad(wrong, (1, 1))
    with pytest.raises(AscendTensorError, match="pad: "):
        functional.pad(x, wrong, value=None if wrong is None else 1)
    with pytest.raises(AscendTensorError, match="pad: "):
        functional.pad(x, (1, 1), wrong)
    if wrong is not None:
        with pytest.raises(AscendTensorError, match="fftn: "):
            at.fft.fftn(x, dim=wrong)


def test_two_results_are_written_into_two_tensors() -> None:
    x = at.tensor([[3.0, 1.0], [2.0, 4.0]])
    low, high = at.empty(2), at.empty(2)
    assert at.aminmax(x, dim=0, out=(low, high)) == (low, high)
    assert (low.tolist(), high.tolist()) == ([2.0, 1.0], [3.0, 4.0])
    values, indices = at.empty(2), at.empty(2, dtype=at.int64)
    assert at.median(x, 1, out=(values, indices)).indices is indices
    assert (values.tolist(), indices.tolist()) == ([1.0, 2.0], [1, 0])
    whole = at.empty(())
    assert at.median(x, out=whole) is whole and whole.item() == 2.0
    counts, ordered = at.empty(3), at.empty(2, 2)
    assert at.histc(x, 3, out=counts) is counts and counts.tolist() == [1.0, 1.0, 2.0]
    assert at.msort(x, out=ordered) is ordered and ordered.tolist() == [[2.0, 1.0], [3.0, 4.0]]


def test_flags_are_bools() -> None:
    """A number or a word would be true: PyTorch refuses them. NumPy's bools are some, which PyTorch refuses too."""
    homes = (at, at.nn.functional, at.linalg, at.fft, at.special)
    functions = {each for home in homes for name in home.__all__ if inspect.isfunction(each := getattr(home, name))}
    functions = {each for each in functions if each.__code__.co_filename == checked.__code__.co_filename}
    flagged = 0
    for function in sorted(functions, key=lambda each: f"{each.__module__}.{each.__name__}"):
        parameters = inspect.signature(function).parameters.values()
        for place, parameter in enumerate(parameters):
            if parameter.annotation not in ("bool", "bool | None") or parameter.name in _TRUTHS:
                continue
            flagged += 1
            for wrong in (2, 0, "yes", [], 1.0) if parameter.annotation != "bool" else (1, "", None):
                with pytest.raises(TypeError, match=f"{function.__name__}: {parameter.name} must be a bool"):
                    function(**{parameter.name: wrong})
                if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
                    with pytest.raises(TypeError, match=f"{function.__name__}: {parameter.name} must be a bool"):
                        function(*(True,) * place, wrong)
    assert flagged > 150
    x = at.ones(2, 3)
    for flag in (True, np.True_):
        assert x.sum(0, flag).shape == at.sum(x, 0, keepdim=flag).shape == (1, 3)
    with pytest.raises(TypeError, match="sum: keepdim must be a bool, not the int 2"):
        x.sum(0, 2)
    with pytest.raises(TypeError, match="mean: keepdim must be a bool, not the str 'no'"):
        at.mean(x, axis=0, keepdims="no")
    with pytest.raises(TypeError, match="std: unbiased must be a bool or None, not the int 1"):
        x.std(0, 1)


_TRUTHS = ("antialias", "get_infos", "hard", "include_last_offset", "inplace", "recompute_scale_factor", "return_indices", "sym")
"""What PyTorch takes by its truth."""


def test_words_of_pytorchs_overloads() -> None:
    x, y = at.tensor([[4.0, 1.0], [2.0, 3.0]]), at.full((2, 2), 2.0)
    assert at.equal(x.max(other=y), at.maximum(x, y)) and at.equal(x.min(other=y), at.minimum(x, y))
    assert at.equal(at.where(condition=x > 2, self=0.0, other=y), at.where(x > 2, 0.0, y)) and at.xlogy(self=2, other=y).shape == (2, 2)
    assert at.isin(element=4.0, test_elements=x).item() is True and at.isin(elements=x, test_element=4.0).sum() == 1
    assert at.repeat_interleave(repeats=at.tensor([1, 2])).tolist() == [0, 1, 1]
    assert x.to(tensor=at.ones(1, dtype=at.float16)).dtype is at.float16 and at.zeros(2).copy_(other=1).tolist() == [1.0, 1.0]
    assert bool((at.empty(9).uniform_(from_=2, to=3) >= 2).all()) and at.empty(9).random_(to=1).sum() == 0
    factor = at.tensor([[2.0, 0.0], [1.0, 1.0]])
    assert at.equal(at.cholesky_solve(input=y, input2=factor), y.cholesky_solve(input2=factor))
    assert at.cholesky_inverse(input=factor).shape == at.triangular_solve(input=y, A=factor).solution.shape == (2, 2)
    assert at.tensordot(x, y, 2, at.empty(())).item() == 20.0 and at.histogram(x).hist.shape == (100,)


def test_beside_a_second_tensor_there_is_no_dim() -> None:
    x, y = at.ones(2, 2), at.zeros(2, 2)
    for extreme in (at.max, at.min, at.Tensor.max, at.Tensor.min):
        for args, options in (((y, True), {}), ((0,), {"other": y}), ((y,), {"other": y}), ((), {"keepdim": True, "other": y})):
            with pytest.raises(TypeError, match="beside a second tensor"):
                extreme(x, *args, **options)
    for word, value in (("axis", 0), ("keepdims", True)):
        with pytest.raises(TypeError, match="beside a second tensor"):
            x.max(other=y, **{word: value})


def test_lengths_and_dims_come_one_by_one() -> None:
    x = at.arange(24.0).reshape(1, 4, 6, 1)
    assert x.squeeze(0, 3).shape == (4, 6) and at.ones(1, 4, 1).squeeze_(0, 2).shape == (4,)
    assert x.count_nonzero(0, 1).tolist() == x.count_nonzero((0, 1)).tolist()
    assert at.ones(2).broadcast_to(3, 2).shape == at.ones(2).broadcast_to((3, 2)).shape == (3, 2)
    square = at.arange(16.0).reshape(4, 4)
    for name in ("hsplit", "vsplit"):
        assert [part.shape for part in getattr(square, name)(1, 3)] == [part.shape for part in getattr(square, name)((1, 3))]


def test_none_means_what_is_left_out() -> None:
    x = at.tensor([2.0, float("nan"), 1.0])
    assert at.nan_to_num(x, None).tolist() == [2.0, 0.0, 1.0] and at.sort(x[::2], stable=None).values.tolist() == [1.0, 2.0]
    assert at.roll(x[::2], 1, dims=()).tolist() == [1.0, 2.0] and at.tril_indices(1, 1, dtype=None).dtype is at.int64
    assert at.asarray(x, requires_grad=None) is x
    loss = at.nn.functional.linear_cross_entropy
    operands = at.ones(1, 2), at.ones(3, 2), at.tensor([0])
    assert loss(*operands, ignore_index=None).item() == loss(*operands).item()


def test_results_of_single_operators_are_written_too() -> None:
    x = at.tensor([[3.0, 1.0], [-2.0, 4.0]])
    for name, arguments in {
        "argmax": (0,),
        "argmin": (1,),
        "argsort": (0,),
        "softmax": (0,),
        "log_softmax": (1,),
        "hardshrink": (2.5,),
        "threshold": (0.0, 7.0),
        "isin": (at.tensor([1.0, 4.0]),),
        "slice_scatter": (at.zeros(2, 2),),
    }.items():
        found = getattr(at, name)(x, *arguments)
        out = at.empty_like(found)
        assert getattr(at, name)(x, *arguments, out=out) is out and at.equal(out, found)
        with pytest.raises(ValueError, match="shape"):
            getattr(at, name)(x, *arguments, out=at.empty(7, dtype=found.dtype))


def test_an_array_without_dimensions_is_the_number_that_it_is() -> None:
    x = at.arange(12.0).reshape(3, 4)
    handle_cache.clear()
    for array in (np.array(1), np.array(-1, np.int8)):
        assert at.equal(x.sum(array), x.sum(1)) and at.equal(np.sum(x, axis=array), x.sum(1)) and at.equal(x.T.amax(array), x.T.amax(1))
    with pytest.raises(TypeError, match="sum: dim must be an int"):
        x.sum(np.array(1.5))
