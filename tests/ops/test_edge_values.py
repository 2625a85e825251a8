"""Every function with edge values, strided operands and small shapes, derived from its own samples: against NumPy, or declared."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import declared_edges
import declared_edges_of_networks
import numpy as np
import pytest
from edge_samples import SHAPES, Edge, derived
from harness import Array, Record, With, compare, d, host, tensor, to_device, widened
from records import FAMILIES

import ascendtensor as at
from ascendtensor.base import TensorBase
from ascendtensor.dtypes import dtype as DType
from ascendtensor.errors import AscendTensorError

UNTRIAGED: frozenset[str] = frozenset()
"""Families whose disagreements are not looked at yet."""

DECLARED: Mapping[str, Mapping[str, str]] = {**declared_edges.DECLARED, **declared_edges_of_networks.DECLARED}
DECLARED_FOR_OTHER_DTYPES: Mapping[str, Mapping[str, str]] = {
    **declared_edges.FOR_OTHER_DTYPES,
    **declared_edges_of_networks.FOR_OTHER_DTYPES,
}

MOVING = frozenset({"shape", "gather", "indexing", "sorting"})
SIGNED_ZEROS = MOVING | {"elementwise", "unary", "activation", "special"}
"""Families in which a zero's sign is looked at; of complex numbers only where they are moved."""

RECORDS = [
    pytest.param(family, record, id=record.name) for family, records in FAMILIES.items() if family not in UNTRIAGED for record in records
]
SHARED = "share one place in memory"
"""What a function that writes into its operand says of an expanded one."""


def first_dtype(record: Record) -> DType:
    return next((dtype for dtype in record.dtypes if dtype.is_floating_point), record.dtypes[0])


def inexact_dtypes(record: Record) -> list[DType]:
    return [dtype for dtype in record.dtypes if dtype.category >= d.FLOATING] or [first_dtype(record)]


class Disagreement(AssertionError):
    """What a function does is not what its reference does."""


def run(family: str, record: Record, dtype: DType, edge: Edge) -> None:
    """Raises `Disagreement`."""
    wanted, refusal = referred(record, edge.sample)
    try:
        result = called(record, edge.sample)
        arrays = [host(one) for one in tensors(result)]
    except Exception as error:
        recovered()
        # The package's errors have builtin bases and say what happened in which function; what Python itself says of a slip does not.
        if not isinstance(error, AscendTensorError) or (refusal is None and not (edge.kind == "expanded" and SHARED in str(error))):
            raise Disagreement(f"raises {type(error).__name__}: {error}") from error
        return
    if refusal is not None:
        raise Disagreement(f"gives {[(one.shape, one.tolist()) for one in arrays]} where the reference raises {refusal!r}")
    try:
        compare(record, dtype, result, wanted)
        if family in (MOVING if dtype.is_complex else SIGNED_ZEROS):
            same_zeros(arrays, wanted)
    except AssertionError as error:
        raise Disagreement(str(error)) from error


def referred(record: Record, sample: With) -> tuple[Any, Exception | None]:
    """The reference's result, or the error that it raised."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns of empty slices, of degrees of freedom, of casts
        try:
            return record.reference(*widened(sample.args), **{name: widened(value) for name, value in sample.kwargs.items()}), None
        except Exception as error:
            return None, error


def called(record: Record, sample: With) -> Any:
    """What the function gives for the sample."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of degrees of freedom, as PyTorch warns
        return record.function(*to_device(sample.args), **{name: to_device(value) for name, value in sample.kwargs.items()})


def tensors(result: Any) -> Iterator[TensorBase]:
    if isinstance(result, TensorBase):
        yield result
    elif isinstance(result, (tuple, list)):
        for one in result:
            yield from tensors(one)


def recovered() -> None:
    """Waits for the queued work, whose errors belong to the call that has failed."""
    try:
        at.synchronize()
    except RuntimeError:
        pass


def same_zeros(found: list[Array], wanted: Any) -> None:
    for one, other in zip(found, wanted if isinstance(wanted, (tuple, list)) else [wanted], strict=True):
        if one.dtype.kind in "iub":
            continue
        with np.errstate(all="ignore"):
            other = np.asarray(other).astype(one.dtype)
        for part, expected in ((one.real, other.real), (one.imag, other.imag)) if one.dtype.kind == "c" else ((one, other),):
            zero = (part == 0) & (expected == 0)
            np.testing.assert_array_equal(np.signbit(part)[zero], np.signbit(expected)[zero], "signs of zeros")


def is_sound(record: Record, dtype: DType, edge: Edge) -> None:
    """What a declared edge has to keep: a result of the right shape and dtype, or an error of the package, and a session that goes on."""
    wanted, refusal = referred(record, edge.sample)
    if refusal is not None and edge.kind not in SHAPES:
        wanted, refusal = referred(record, edge.base)
    try:
        result = called(record, edge.sample)
        found = [host(one) for one in tensors(result)]
    except AscendTensorError:
        recovered()
    else:
        if refusal is None:
            several = wanted if isinstance(wanted, (tuple, list)) else [wanted]
            rules = record.result if isinstance(record.result, (tuple, list)) else [record.result] * len(several)
            assert [one.shape for one in found] == [np.shape(one) for one in several]
            for one, rule in zip(tensors(result), rules, strict=True):
                assert rule is None or one.dtype is (rule if isinstance(rule, DType) else rule(dtype))
    one = tensor(np.ones(2, np.float32))
    np.testing.assert_array_equal(host(at.add(one, one)), [2, 2])


def sweep(
    family: str, record: Record, dtypes: Sequence[DType], declared: Mapping[str, str], spared: Mapping[str, str], quick: bool
) -> None:
    """Runs all edges of some dtypes; those that are declared have to disagree in one of them, those that are spared need not."""
    needed: set[str] = set()
    failures: list[str] = []
    for dtype in dtypes:
        for edge in derived(record, dtype, quick):
            try:
                run(family, record, dtype, edge)
            except Disagreement as error:
                if edge.kind in declared or edge.kind in spared:
                    needed.add(edge.kind)
                    is_sound(record, dtype, edge)
                else:
                    failures.append(f"{edge.kind} {edge.words} of {dtype.name}, {described(edge.sample)}: {error}")
    assert not failures, "\n\n".join([f"{record.name}: {len(failures)} disagreements", *failures])
    assert declared.keys() <= needed, f"declared without need: {sorted(declared.keys() - needed)}"


def described(sample: With) -> str:
    def word(value: Any) -> str:
        if isinstance(value, np.ndarray):
            return f"{value.dtype}{list(value.shape)}"
        return f"[{', '.join(map(word, value))}]" if isinstance(value, (list, tuple)) else repr(value)

    return ", ".join([*map(word, sample.args), *(f"{name}={word(value)}" for name, value in sample.kwargs.items())])


@pytest.mark.parametrize(("family", "record"), RECORDS)
def test_edges_are_numpys(family: str, record: Record) -> None:
    sweep(family, record, [first_dtype(record)], DECLARED.get(record.name, {}), {}, quick=True)


@pytest.mark.slow
@pytest.mark.parametrize(("family", "record"), RECORDS)
def test_more_edges_of_every_floating_dtype_are_numpys(family: str, record: Record) -> None:
    declared = DECLARED_FOR_OTHER_DTYPES.get(record.name, {})
    sweep(family, record, inexact_dtypes(record), declared, DECLARED.get(record.name, {}), quick=False)


def test_what_is_declared_has_a_record() -> None:
    names = {record.name for records in FAMILIES.values() for record in records}
    assert DECLARED.keys() | DECLARED_FOR_OTHER_DTYPES.keys() <= names
