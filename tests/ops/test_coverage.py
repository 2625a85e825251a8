"""Every function that PyTorch users expect is here and works, or docs/differences.md says why not."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coverage_samples import SAMPLES
from records import RECORDS

import ascendtensor

ROOT = Path(__file__).parents[2]
LISTS = json.loads((ROOT / "tests" / "data" / "torch_functions.json").read_text(encoding="utf-8"))
HERE: dict[str, str] = {name: here for name, here in LISTS["functions"].items() if here is not None}
ABSENT: dict[str, str] = LISTS["absent"]
RECORDED = {id(record.function) for record in RECORDS}


def resolved(name: str) -> Any:
    """What `at.<name>` is; `Tensor.x` for a method, `x(keyword=)` for a behaviour that a keyword chooses."""
    path, _, keyword = name.partition("(")
    found: Any = ascendtensor
    for part in path.split("."):
        found = getattr(found, part)
    if keyword:
        assert keyword.removesuffix("=)") in inspect.signature(found).parameters, f"{path} takes no {keyword}"
    return found


def test_every_name_is_here() -> None:
    for name, here in {**HERE, **LISTS["aliases"]}.items():
        found = resolved(here)
        assert callable(found) or isinstance(found, property), name


def test_a_record_or_a_sample_calls_every_name() -> None:
    for name in HERE.keys() - SAMPLES.keys():
        assert HERE[name] in (name, f"Tensor.{name}"), f"{name} is a behaviour of a function and needs a sample"
        assert id(resolved(HERE[name])) in RECORDED, f"no record tests {HERE[name]}, and there is no sample of it"


@pytest.mark.parametrize("name", SAMPLES)
def test_the_sample_gives_the_known_answer(name: str) -> None:
    call, expected = SAMPLES[name]
    check(call(), expected)


def listed(found: Any) -> Any:
    if isinstance(found, ascendtensor.Tensor):
        return found.tolist()
    return [listed(part) for part in found] if isinstance(found, tuple) else found


def check(found: Any, expected: Any) -> None:
    if callable(expected):
        assert expected(found), found
        return
    value = listed(found)
    if isinstance(expected, (str, bool)):
        assert value == expected
        return
    assert np.shape(value) == np.shape(expected)
    np.testing.assert_allclose(value, expected, 1e-5)


def test_samples_belong_to_the_list() -> None:
    assert SAMPLES.keys() <= {*HERE, *LISTS["aliases"]}


def test_what_is_absent_is_said_with_its_reason() -> None:
    missing = {name for name, here in LISTS["functions"].items() if here is None}
    assert missing == set(ABSENT)
    for name in missing:
        with pytest.raises(AttributeError):
            resolved(name)
    text = " ".join((ROOT / "docs" / "differences.md").read_text(encoding="utf-8").split())
    unsaid = [name for name, words in ABSENT.items() if words not in text]
    assert not unsaid, f"docs/differences.md does not say why these are not here: {unsaid}"
