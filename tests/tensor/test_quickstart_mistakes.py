"""What goes wrong in the quickstart's cells is told with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ascendtensor as at

MISTAKES: dict[str, tuple[Callable[[at.Tensor], Any], str]] = {
    "rows of two lengths": (lambda x: at.tensor([[1, 2], [3]]), "need the same length"),
    "nothing among numbers": (lambda x: at.tensor([1, None]), r"float\('nan'\)"),
    "a dtype that is none": (lambda x: at.zeros(2, dtype="float31"), "The dtypes are bool, uint8"),
    "another device": (lambda x: at.ones(2, device="cuda"), 'named "npu"'),
    "a device too many": (lambda x: at.ones(2, device="npu:9"), "npu:0 to npu:1"),
    "elements that are too many": (lambda x: x.reshape(4, 2), "one of them may be -1"),
    "a view that is none": (lambda x: x.T.view(6), "Use reshape"),
    "many as one": (lambda x: x.item(), r"tolist\(\) or numpy\(\)"),
    "many as a truth": (lambda x: bool(x), r"any\(\) or all\(\)"),
    "shapes that don't multiply": (lambda x: x @ x, "last but one of the second"),
    "shapes that don't broadcast": (lambda x: x + at.ones(4), "equal or 1"),
    "a value that is too long": (lambda x: x.__setitem__(0, at.ones(2)), "lengths of the value"),
    "values of a mask": (lambda x: x.__setitem__(x > 2, at.ones(3)), "lengths of the value"),
    "half an integer": (lambda x: at.arange(3).__iadd__(0.5), r"x = x \+ y instead of x \+= y"),
    "a mean of integers": (lambda x: at.arange(3).mean(), r"\.to\(float32\) first"),
    "truths of floats": (lambda x: ~x, r"Cast with \.to\(int64\)"),
    "tensors to be joined as two": (lambda x: at.cat(x, x), r"one list: \[a, b\]"),
    "a list for an index": (lambda x: at.gather(at.arange(3), 0, [1]), r"tensor\(\)"),
    "a list in a function": (lambda x: at.sqrt([1.0, 4.0]), r"becomes a tensor by tensor\(\)"),
    "the class as a function": (lambda x: at.Tensor([1, 2]), r"tensor\(data\)"),
    "gradients": (lambda x: x.backward(), "by hand"),
    "cuda": (lambda x: x.cuda(), r"\.npu\(\)"),
    "what NumPy alone has": (lambda x: np.packbits(x > 0), r"np\.asarray\(t\)"),
    "the length of a number": (lambda x: len(x.sum()), r"item\(\) gives its value"),
    "a loop over a number": (lambda x: list(x.sum()), r"item\(\) gives its value"),
    "no timing": (lambda x: at.Event().elapsed_time(at.Event()), "enable_timing=True"),
    "a device that is full": (lambda x: at.zeros(10**7, 10**6), r"empty_cache\(\)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_the_text_says_what_to_do(name: str) -> None:
    mistake, advice = MISTAKES[name]
    with pytest.raises(Exception, match=advice):
        mistake(at.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
