"""Functions leave their numbers on the device: what is copied to the host, and why, is listed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from coverage_samples import SAMPLES
from harness import Record, With, to_device
from records import RECORDS

from ascendtensor.acl import binding
from ascendtensor.codes import MemcpyKind
from ascendtensor.dtypes import dtype as DType

WAITING = {
    "allclose": "its result is a Python bool",
    "equal": "its result is a Python bool",
    "is_nonzero": "its result is a Python bool",
    "bincount": "the largest number decides the shape",
    "bincount.weights": "the largest number decides the shape",
    "repeat_interleave-counts": "the sum of the counts decides the shape",
    "repeat_interleave-places": "the sum of the counts decides the shape",
    "masked_scatter": "a source without elements is refused at once if the mask holds anywhere",
    "masked_scatter_": "a source without elements is refused at once if the mask holds anywhere",
    "index by several tensors": "a 0-d integer tensor is a number, which the offset of a view is made of",
    "lstsq": "ranks choose between the drivers' roads",
    "matrix_exp": "the largest norm decides how often the matrices are halved",
    "quantile": "fractions in a tensor become the places between which is interpolated",
}
"""Records whose function copies to the host, with the reason."""

FEW = 2
"""Samples of a record in the quick run."""


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The copies to the host since, by the name of the call."""
    found: list[str] = []

    def counted(name: str) -> Callable[..., Any]:
        copy = getattr(binding, name)

        def call(*args: Any) -> Any:
            if args[4] == MemcpyKind.DEVICE_TO_HOST:
                found.append(name)
            return copy(*args)

        return call

    for name in ("memcpy", "memcpy_async"):
        monkeypatch.setattr(binding, name, counted(name))
    return found


def calls(record: Record, dtype: DType, few: bool) -> Iterator[Callable[[], Any]]:
    """Calls of a record's function, with operands that are on the device already."""
    samples = list(record.samples(dtype))
    for sample in samples[:: max(1, -(-len(samples) // FEW))] if few else samples:
        args, kwargs = (sample.args, sample.kwargs) if isinstance(sample, With) else (sample, {})
        operands, keywords = to_device(args), {name: to_device(value) for name, value in kwargs.items()}
        yield lambda operands=operands, keywords=keywords: record.function(*operands, **keywords)


def sweep(record: Record, dtypes: Any, copies: list[str], few: bool) -> None:
    for dtype in dtypes:
        for call in calls(record, dtype, few):
            copies.clear()
            with np.errstate(all="ignore"):
                call()
            assert not copies or record.name in WAITING, f"{record.name} of {dtype.name} copies to the host: {copies}"


def test_nothing_is_copied_to_the_host(copies: list[str]) -> None:
    for record in RECORDS:
        sweep(record, record.dtypes[:1], copies, few=True)


@pytest.mark.slow
@pytest.mark.parametrize("record", [pytest.param(record, id=record.name) for record in RECORDS])
def test_nothing_of_any_dtype_is_copied_to_the_host(record: Record, copies: list[str]) -> None:
    sweep(record, record.dtypes, copies, few=False)


def test_samples_copy_nothing_to_the_host(copies: list[str]) -> None:
    for name in SAMPLES.keys() - {"item"}:
        SAMPLES[name][0]()
        assert not copies, f"{name} copies to the host: {copies}"


def test_the_list_holds_those_that_do_copy(copies: list[str]) -> None:
    by_name = {record.name: record for record in RECORDS}
    for name in WAITING:
        record = by_name[name]
        copied = 0
        for call in calls(record, record.dtypes[0], few=False):
            copies.clear()
            call()
            copied += bool(copies)
        assert copied, f"{name} copies nothing to the host any more"
