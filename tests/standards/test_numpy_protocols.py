"""NumPy's protocols: its functions on tensors give what they give on arrays, on the device."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.interop import functions, ufuncs

from .numpy_samples import OPERANDS, SAMPLES

HOST_ANSWERS = set(functions.questions.FUNCTIONS) - {"array", "asarray", "asanyarray", "ascontiguousarray", "astype"}

CASES = [(name, place) for name, calls in SAMPLES.items() for place in range(len(calls))]


class Operands:
    """The operands by name; of those that a call takes, one after the other, the pattern says which are tensors."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.taken = 0

    def __getattr__(self, name: str) -> Any:
        value = OPERANDS["a"].copy() if name == "copy_of_a" else OPERANDS[name]
        kind = self.pattern[self.taken % len(self.pattern)]
        if not (self.pattern == "ht" and name == "copy_of_a"):
            self.taken += 1
        return at.tensor(value) if kind == "t" else value


def leaves(value: Any) -> Iterator[Any]:
    """Tensors, arrays and numbers of a result."""
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def agree(found: Any, expected: Any) -> None:
    """Same structure, shapes, kinds of dtype and, within float32's precision, values."""
    ours, theirs = list(leaves(found)), list(leaves(expected))
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        if isinstance(mine, at.Tensor):
            mine = mine.numpy()
        assert np.shape(mine) == np.shape(other)
        if isinstance(other, (np.ndarray, np.generic)):
            assert mine.dtype.kind == other.dtype.kind or {mine.dtype.kind, other.dtype.kind} == {"i", "u"}
            np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-5)
        else:
            assert mine == other


@pytest.mark.parametrize("pattern", ["t", "th", "ht"])
@pytest.mark.parametrize(("name", "place"), CASES)
def test_functions_give_what_they_give_on_arrays(name: str, place: int, pattern: str) -> None:
    call = SAMPLES[name][place]
    operands = Operands(pattern)
    found = call(operands)
    with np.errstate(all="ignore"):
        expected = call(Operands("h"))
    agree(found, expected)
    if name not in HOST_ANSWERS and pattern == "t" and "shape" not in str(found):
        assert all(isinstance(leaf, at.Tensor) for leaf in leaves(found)) or name == "empty_like"


_ = operator, ufuncs
