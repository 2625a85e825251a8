"""NumPy's words for PyTorch's keywords: understood where PyTorch does, never beside its own."""

from __future__ import annotations

from typing import Any

import pytest

import ascendtensor as at


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
