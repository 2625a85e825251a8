"""One test record for each function: what it is compared with, on which samples, for which dtypes, how near.

A record's samples are NumPy arrays; the harness puts them on the device as they are, a strided or expanded array as the same view of the
same storage. The reference sees the same numbers: floating types widened to float64 (complex128), integers and bool in their own dtype.
Its result is brought to the dtype that the record expects and compared with what the device gives.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pytest

from ascendtensor import base
from ascendtensor import dtypes as d
from ascendtensor.base import TensorBase
from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops import call as calls
from ascendtensor.ops.schema import Row
from ascendtensor.runtime import copies
from ascendtensor.runtime import device as devices
from ascendtensor.runtime.desc import TensorDesc

Array = np.ndarray[Any, np.dtype[Any]]
Arguments = tuple[Any, ...]

HALVES = (d.float16, d.bfloat16)
FLOATS = (d.float32, d.float16, d.bfloat16, d.float64)
SIGNED = (d.int8, d.int16, d.int32, d.int64)
INTS = (*SIGNED, d.uint8)
COMPLEX = (d.complex64, d.complex128)

TOLERANCES: Mapping[DType, tuple[float, float]] = {
    d.float64: (1e-12, 1e-12),
    d.complex128: (1e-12, 1e-12),
    d.float32: (2e-6, 1e-6),
    d.complex64: (4e-6, 2e-6),
    d.float16: (2e-3, 1e-3),
    d.bfloat16: (1.6e-2, 1e-2),
}
"""(relative, absolute) by the dtype of the result; integers and bool are compared exactly."""

SHAPES: Sequence[tuple[int, ...]] = ((), (1,), (7,), (0,), (3, 5), (2, 0, 3), (2, 3, 4))
"""0-d, one element, odd, empty, and a few ranks."""


@dataclass(frozen=True)
class With:
    """A sample with keyword arguments: `With((a, b), alpha=2)`."""

    args: Arguments
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Refused:
    """Arguments that a function refuses.

    Attributes:
        args, kwargs: Arrays stand for tensors.
        error: The builtin class that users catch.
        match: Regular expression that the text holds.
    """

    args: Arguments
    error: type[Exception]
    match: str = ""
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """What is known of one function.

    Attributes:
        name: For the test's name.
        function: Takes tensors where the samples hold arrays.
        reference: Takes widened arrays and gives an array, a tuple of arrays, or a Python value.
        samples: Gives, for a dtype, argument tuples, or `With` where there are keywords.
        rows: Rows that the function launches.
        dtypes: Dtypes that samples are made of.
        result: Dtype of the results for a dtype: a function of it, or one of SAME, FLOAT, BOOL (below), or a tuple of such for several.
        tolerances: Replaces `TOLERANCES` for some dtypes.
        out: Whether the function takes `out=`; then that is tried too.
        refused: Arguments that it refuses.
        refuses: Dtypes for which it raises TypeError (with the first sample made for them).
    """

    name: str
    function: Callable[..., Any]
    reference: Callable[..., Any]
    samples: Callable[[DType], Iterable[Any]]
    rows: Sequence[Row] = ()
    dtypes: Sequence[DType] = FLOATS
    result: Any = None
    tolerances: Mapping[DType, tuple[float, float]] = field(default_factory=dict)
    out: bool = False
    refused: Callable[[], Iterable[Refused]] = tuple
    refuses: Sequence[DType] = ()

    def tolerance(self, dtype: DType) -> tuple[float, float]:
        return self.tolerances.get(dtype, TOLERANCES.get(dtype, (0.0, 0.0)))


# Dtypes of results


def SAME(dtype: DType) -> DType:
    """The result has the operands' dtype."""
    return dtype


def FLOAT(dtype: DType) -> DType:
    """Integers and bool become the default floating dtype."""
    return dtype if dtype.category >= 2 else d.float32


def BOOL(dtype: DType) -> DType:
    """The result is bool."""
    return d.bool_


def INT64(dtype: DType) -> DType:
    """The result is int64, as indices are."""
    return d.int64


# Samples


def rng(*key: Any) -> np.random.Generator:
    """A generator that gives the same numbers for the same key, in every process."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def array(dtype: DType, shape: Sequence[int] = (7,), low: float = -4, high: float = 4, key: Any = 0) -> Array:
    """Numbers of a dtype between `low` and `high`; unsigned ones from 0."""
    generator = rng(dtype.name, tuple(shape), low, high, key)
    if dtype is d.bool_:
        return np.asarray(generator.integers(0, 2, shape)).astype(np.bool_)
    if dtype.category == 1:
        low = max(low, np.iinfo(dtype.numpy).min)
        high = min(high, np.iinfo(dtype.numpy).max)
        return np.asarray(generator.integers(int(np.ceil(low)), int(high), shape, endpoint=True)).astype(dtype.numpy)
    values = generator.uniform(low, high, shape)
    if dtype.is_complex:
        values = values + 1j * generator.uniform(low, high, shape)
    return np.asarray(values).astype(dtype.numpy)


def edges(dtype: DType) -> Array:
    """The values where functions go wrong: zeros, infinities, NaN, limits, ones."""
    if dtype is d.bool_:
        return np.array([False, True])
    if dtype.category == 1:
        limits = np.iinfo(dtype.numpy)
        return np.array([limits.min, limits.max, 0, 1, limits.max - 1, limits.min + 1], dtype.numpy)
    if dtype.is_complex:
        return np.array([0, 1, 1j, -1, -1j, 1 + 1j, -2.5 + 0.5j], dtype.numpy)
    return np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-3, 100.0], dtype.numpy)


def views(dtype: DType, low: float = -4, high: float = 4, key: Any = 0) -> Iterator[Array]:
    """Arrays that are not contiguous: transposed, stepped, reversed, offset by an odd number of elements, expanded."""
    whole = array(dtype, (6, 10), low, high, ("views", key))
    yield whole.T
    yield whole[1::2, ::3]
    yield whole[::-1, 1:8]
    yield whole[2, 3:8]
    yield np.broadcast_to(whole[0, :5], (3, 5))


def unary_samples(low: float = -4, high: float = 4, edge: bool = True) -> Callable[[DType], Iterator[Arguments]]:
    """Samples of one operand: every shape, views, edge values."""

    def samples(dtype: DType) -> Iterator[Arguments]:
        for shape in SHAPES:
            yield (array(dtype, shape, low, high),)
        for view in views(dtype, low, high):
            yield (view,)
        if edge:
            yield (edges(dtype),)

    return samples


BROADCASTS: Sequence[tuple[tuple[int, ...], tuple[int, ...]]] = (
    ((), ()),
    ((1,), ()),
    ((7,), (7,)),
    ((3, 5), (5,)),
    ((3, 1), (1, 5)),
    ((0,), (1,)),
    ((2, 3, 4), (3, 1)),
    ((4, 0), (1, 1)),
)


def binary_samples(
    low: float = -4, high: float = 4, other: tuple[float, float] | None = None, edge: bool = True
) -> Callable[[DType], Iterator[Arguments]]:
    """Samples of two operands: broadcast shapes, views, all pairs of edge values.

    Args:
        low, high: Range of the first operand.
        other: Range of the second; default the same.
        edge: Whether to add the pairs of edge values.
    """
    second = (low, high) if other is None else other

    def samples(dtype: DType) -> Iterator[Arguments]:
        for left, right in BROADCASTS:
            yield array(dtype, left, low, high, "left"), array(dtype, right, *second, "right")
        yield from zip(views(dtype, low, high, "left"), views(dtype, *second, "right"), strict=True)
        yield array(dtype, (10, 6), low, high, "left"), array(dtype, (6, 10), *second, "right").T
        if edge:
            values = edges(dtype)
            yield values[:, None], values[None, :]

    return samples


# To the device and back


def tensor(values: Any, device: Any = None) -> Any:
    """A tensor of an array: a strided one becomes the same view of the same storage."""
    values = np.asarray(values)
    root = values
    while isinstance(root.base, np.ndarray):
        root = root.base
    if values.flags.c_contiguous or not root.flags.c_contiguous:
        return _plain(np.ascontiguousarray(values), device).reshaped(values.shape)
    size = values.dtype.itemsize
    offset = (values.__array_interface__["data"][0] - root.__array_interface__["data"][0]) // size
    storage = _plain(root.reshape(-1), device).tensor
    return base.view(storage, values.shape, tuple(step // size for step in values.strides), offset)


@dataclass(frozen=True)
class _plain:
    values: Array
    device: Any

    @property
    def tensor(self) -> Any:
        return self.reshaped(self.values.shape)

    def reshaped(self, shape: tuple[int, ...]) -> Any:
        desc = TensorDesc.of(shape, d.from_numpy(self.values.dtype), devices.as_device(self.device))
        return base.make(base.default_class(), desc, copies.upload(self.values.reshape(shape), desc))


def host(result: TensorBase) -> Array:
    """The elements of any tensor as an array."""
    plain = calls.plain(result)
    assert isinstance(plain.desc, TensorDesc)
    return copies.download(plain.buffer, plain.desc)


def to_device(value: Any) -> Any:
    """Arrays, also inside lists and tuples, as tensors; all else as it is."""
    if isinstance(value, np.ndarray):
        return tensor(value)
    if isinstance(value, (list, tuple)) and any(isinstance(item, np.ndarray) for item in value):
        return type(value)(to_device(item) for item in value)
    return value


def widened(value: Any) -> Any:
    """The same numbers in the widest type of their kind."""
    if isinstance(value, (list, tuple)) and any(isinstance(item, np.ndarray) for item in value):
        return type(value)(widened(item) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    dtype = d.from_numpy(value.dtype)
    if dtype.is_complex:
        return value.astype(np.complex128)
    return value.astype(np.float64) if dtype.is_floating_point else value


# The check


def check(record: Record, dtype: DType) -> None:
    """Run a record's samples of a dtype: all for its first dtype and the common ones, of a long list every second one for the others."""
    samples = list(record.samples(dtype))
    assert samples, f"{record.name} has no samples for {dtype.name}"
    if len(samples) > 8 and dtype not in (record.dtypes[0], d.float32, d.int32, d.bool_):
        samples = samples[::2] if len(samples) % 2 else [*samples[::2], samples[-1]]
    for count, sample in enumerate(samples, 1):
        args, kwargs = (sample.args, sample.kwargs) if isinstance(sample, With) else (sample, {})
        operands = to_device(args)
        keywords = {name: to_device(value) for name, value in kwargs.items()}
        with np.errstate(all="ignore"):
            expected = record.reference(*widened(args), **{name: widened(value) for name, value in kwargs.items()})
        where = f"{record.name} of {_words(args)} {dict(kwargs) or ''}"
        result = record.function(*operands, **keywords)
        compare(record, dtype, result, expected, where)
        _check_memory(record, [*operands, *keywords.values()], result, where)
        if record.out and count % 4 == 1 and isinstance(result, TensorBase):  # some samples will do
            _check_out(record, dtype, operands, keywords, result, expected, where)


def compare(record: Record, dtype: DType, result: Any, expected: Any, where: str = "") -> None:
    """Compare one result, or a tuple of them, with the reference's."""
    if isinstance(expected, (tuple, list)):
        assert len(result) == len(expected), where
        wanted = record.result if isinstance(record.result, (tuple, list)) else (record.result,) * len(expected)
        for one, other, rule in zip(result, expected, wanted, strict=True):
            _compare_one(record, dtype, one, other, rule, where)
        return
    _compare_one(record, dtype, result, expected, record.result, where)


def _compare_one(record: Record, dtype: DType, result: Any, expected: Any, rule: Any, where: str) -> None:
    if not isinstance(result, TensorBase):
        assert not isinstance(expected, np.ndarray), f"{where}: a tensor was expected, not {result!r}"
        assert type(result) is type(expected), f"{where}: {result!r} instead of {expected!r}"
        assert result == expected or result == pytest.approx(expected, rel=1e-5, nan_ok=True), where
        return
    expected = np.asarray(expected)
    wanted = result.dtype if rule is None else rule if isinstance(rule, DType) else rule(dtype)
    assert result.dtype is wanted, f"{where}: dtype {result.dtype.name} instead of {wanted.name}"
    assert result.shape == expected.shape, f"{where}: shape {result.shape} instead of {expected.shape}"
    close(host(result), expected, *record.tolerance(wanted), where)


def close(found: Array, expected: Any, rtol: float = 0.0, atol: float = 0.0, where: str = "") -> None:
    """Compare arrays; the expected one is rounded to the found one's dtype first, so that both overflow alike."""
    with np.errstate(all="ignore"):
        expected = np.asarray(expected).astype(found.dtype)
    if found.dtype.kind in "iub":
        np.testing.assert_array_equal(found, expected, where)
        return
    wide = np.complex128 if found.dtype.kind == "c" else np.float64
    one, other = np.array(found, wide), np.array(expected, wide)
    if wide is np.complex128:  # NumPy wants a number with an infinite part to be equal in the other part, too
        for mine, its in ((one.real, other.real), (one.imag, other.imag)):
            mine[...], its[...] = (np.where(np.isinf(mine) & (mine == its), 0, part) for part in (mine, its))
    with np.errstate(all="ignore"):  # NumPy 1.26 multiplies complex infinities while it compares
        np.testing.assert_allclose(one, other, rtol, atol, equal_nan=True, err_msg=where)


SHARING: Final = frozenset(
    {"adjoint", "atleast_3d", "conj", "conj_physical", "contiguous", "einsum", "meshgrid", "positive", "resolve_conj", "sum_to_size"}
)
"""Functions that may give a view or the operand itself, as in PyTorch; written to, any other one's result leaves the operands alone."""


def _check_memory(record: Record, operands: Any, result: Any, where: str) -> None:
    if re.split("[,-]", record.name)[0] in SHARING or record.name.endswith("_"):
        return
    used = {id(base.storage(tensor)) for tensor in _tensors(operands)}
    assert not any(id(base.storage(tensor)) in used for tensor in _tensors(result) if tensor.numel()), f"{where} shares memory"


def _tensors(values: Any) -> Iterator[TensorBase]:
    if isinstance(values, TensorBase):
        yield values
    elif isinstance(values, (list, tuple)):
        for value in values:
            yield from _tensors(value)


def _check_out(record: Record, dtype: DType, operands: Any, keywords: Mapping[str, Any], result: Any, expected: Any, where: str) -> None:
    """`out=`: a plain target, and a view whose neighbours must stay as they are."""
    kind = result.dtype.numpy
    plain = tensor(np.zeros(result.shape, kind))
    assert record.function(*operands, **keywords, out=plain) is plain, where
    _compare_one(record, dtype, plain, expected, record.result, f"{where} with out=")
    if not result.numel():
        return
    around = np.ones((*result.shape, 3), kind)
    whole = tensor(around)
    strides = base.element_strides(whole)
    target = base.view(whole, result.shape, strides[:-1], 1)
    record.function(*operands, **keywords, out=target)
    _compare_one(record, dtype, target, expected, record.result, f"{where} with out= a view")
    kept = host(whole)
    assert (kept[..., 0] == 1).all() and (kept[..., 2] == 1).all(), f"{where}: out= wrote beside its view"


def check_refused(record: Record) -> None:
    """What a record's function refuses, with builtin error classes and a text that names what is wrong."""
    for refused in record.refused():
        keywords = {name: to_device(value) for name, value in refused.kwargs.items()}
        with pytest.raises(refused.error, match=refused.match or None):
            record.function(*to_device(refused.args), **keywords)
    for dtype in record.refuses:
        sample = next(iter(record.samples(dtype)))
        args, kwargs = (sample.args, sample.kwargs) if isinstance(sample, With) else (sample, {})
        with pytest.raises(TypeError):
            record.function(*to_device(args), **{name: to_device(value) for name, value in kwargs.items()})


def _words(args: Arguments) -> str:
    return ", ".join(f"{arg.dtype}{list(arg.shape)}" if isinstance(arg, np.ndarray) else repr(arg) for arg in args)
