"""Functions with a trailing underscore do what the methods of their names do."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.ops import in_place

NAMES = [name for name, value in vars(in_place).items() if name.endswith("_") and inspect.isfunction(value)]
MORE: dict[str, tuple[Any, ...]] = {
    "clamp_": (0.4, 0.6),
    "clip_": (0.4,),
    "clamp_min_": (0.4,),
    "clamp_max_": (0.4,),
    "xlogy_": (2.0,),
    "ldexp_": (3,),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_function_writes_what_the_method_writes(name: str) -> None:
    more = MORE.get(name, ())
    values = np.array([1.25, 1.5, 2.75]) if "acosh" in name or "arccosh" in name else np.array([0.25, 0.5, 0.75])
    if name in ("gcd_", "lcm_"):
        values, more = np.array([4, 6, 9]), (6,)
    by_function, by_method = at.tensor(values), at.tensor(values)
    assert getattr(at, name)(by_function, *more) is by_function
    assert getattr(by_method, name)(*more) is by_method
    np.testing.assert_array_equal(by_function.numpy(), by_method.numpy())
    np.testing.assert_array_equal(by_function.numpy(), getattr(at, name[:-1])(at.tensor(values), *more).numpy())


def test_they_cover_most_of_what_pytorch_has() -> None:
    assert len(NAMES) > 50 and set(NAMES) <= set(at.__all__)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_totals_keep_the_dtype_that_they_are_written_into(name: str) -> None:
    values = np.array([[1, 2, 3], [4, 5, 6]], np.int32)
    target = at.tensor(values)
    assert getattr(target, name + "_")(1) is target
    assert target.dtype is at.int32
    np.testing.assert_array_equal(target.numpy(), getattr(np, name)(values, 1))
