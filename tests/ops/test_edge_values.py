"""Every function with edge values, strided operands and small shapes, derived from its own samples: against NumPy, or declared."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import declared_edges
import declared_edges_of_networks
import numpy as np
import pytest
from edge_samples import SHAPES, Edge, derived, ends
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

COMPUTING = frozenset(
    {"activation", "comparison", "complex", "elementwise", "matmul", "reduction", "shape", "sorting", "special", "statistics", "unary"}
)
"""Families whose operands of integers are numbers, not places."""
WITHOUT_ENDS = {
    "bincount": "NumPy's own writes beyond its memory for the largest int64",
    "repeat_interleave-counts": "so many copies take gigabytes",
    "repeat_interleave-places": "so many copies take gigabytes",
}

RECORDS = [
    pytest.param(family, record, id=record.name) for family, records in FAMILIES.items() if family not in UNTRIAGED for record in records
]
SHARED = "share one place in memory"
"""What a function that writes into its operand says of an expanded one."""


def first_dtype(record: Record) -> DType:
    return next((dtype for dtype in record.dtypes if dtype.is_floating_point), record.dtypes[0])


def inexact_dtypes(record: Record) -> list[DType]:
    return [dtype for dtype in record.dtypes if dtype.category >= d.FLOATING] or [first_dtype(record)]


def integer_dtypes(family: str, record: Record) -> list[DType]:
    """Without those that indices have, where operands may be indices."""
    if record.name in WITHOUT_ENDS:
        return []
    return [dtype for dtype in record.dtypes if dtype.category == d.INTEGER and (family in COMPUTING or dtype not in (d.int32, d.int64))]


BY_LIBRARY = frozenset({"largest", "-0.0"})
"""Kinds that some builds of NumPy and its libraries agree on: in which order they add up, and which of two zeros they keep, is theirs."""


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
        if family in (SIGNED_ZEROS if dtype.is_floating_point else MOVING):
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


def sweep(family: str, record: Record, edges: Iterator[tuple[DType, Edge]], declared: Mapping[str, str], spared: Mapping[str, str]) -> None:
    """Runs edges. Of those that are declared one of each kind has to disagree, but for kinds that depend on NumPy's build; those that are
    spared need not."""
    needed: set[str] = set()
    failures: list[str] = []
    for dtype, edge in edges:
        try:
            run(family, record, dtype, edge)
        except Disagreement as error:
            if edge.kind in declared or edge.kind in spared:
                needed.add(edge.kind)
                is_sound(record, dtype, edge)
            else:
                failures.append(f"{edge.kind} {edge.words} of {dtype.name}, {described(edge.sample)}: {error}")
    assert not failures, "\n\n".join([f"{record.name}: {len(failures)} disagreements", *failures])
    needless = declared.keys() - needed - BY_LIBRARY
    assert not needless, f"declared without need: {sorted(needless)}"


def described(sample: With) -> str:
    def word(value: Any) -> str:
        if isinstance(value, np.ndarray):
            return f"{value.dtype}{list(value.shape)}"
        return f"[{', '.join(map(word, value))}]" if isinstance(value, (list, tuple)) else repr(value)

    return ", ".join([*map(word, sample.args), *(f"{name}={word(value)}" for name, value in sample.kwargs.items())])


@pytest.mark.parametrize(("family", "record"), RECORDS)
def test_edges_are_numpys(family: str, record: Record) -> None:
    dtype = first_dtype(record)
    sweep(family, record, ((dtype, edge) for edge in derived(record, dtype)), DECLARED.get(record.name, {}), {})


@pytest.mark.slow
@pytest.mark.parametrize(("family", "record"), RECORDS)
def test_more_edges_of_every_floating_dtype_are_numpys(family: str, record: Record) -> None:
    edges = ((dtype, edge) for dtype in inexact_dtypes(record) for edge in derived(record, dtype, quick=False))
    sweep(family, record, edges, DECLARED_FOR_OTHER_DTYPES.get(record.name, {}), DECLARED.get(record.name, {}))


@pytest.mark.slow
@pytest.mark.parametrize(("family", "record"), [pair for pair in RECORDS if integer_dtypes(*pair.values)])
def test_the_ends_of_integer_dtypes_are_numpys(family: str, record: Record) -> None:
    edges = ((dtype, edge) for dtype in integer_dtypes(family, record) for edge in ends(record, dtype))
    sweep(family, record, edges, declared_edges.OF_INTEGERS.get(record.name, {}), {})


def test_what_is_declared_has_a_record() -> None:
    names = {record.name for records in FAMILIES.values() for record in records}
    assert DECLARED.keys() | DECLARED_FOR_OTHER_DTYPES.keys() | declared_edges.OF_INTEGERS.keys() <= names
