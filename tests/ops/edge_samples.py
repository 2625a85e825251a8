"""Edges derived from the samples of a record: values, layouts in memory, and small shapes, each with the same arguments else.

Values are placed in the arrays of floating and complex numbers, layouts and shapes are those of every array. What a sample has none of
(no array of floats, no dimension to cut) is not derived.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from harness import Array, Record, With, d

from ascendtensor.dtypes import dtype as DType

VALUES = ("nan", "inf", "-inf", "-0.0", "largest", "subnormal")
LAYOUTS = ("transposed", "stepped", "reversed", "expanded")
SHAPES = ("0-d", "one", "empty")
ENDS = ("least", "most")
"""Of an integer dtype."""
KINDS = (*VALUES, *LAYOUTS, *SHAPES, *ENDS)

MOST_ELEMENTS = 2000
"""Larger samples show nothing more."""
BASES = 3
"""Samples of a record that are derived from; in the quick run layouts and small shapes are those of one."""

Change = Callable[[int, Array], Array]


@dataclass(frozen=True)
class Edge:
    """A sample with an edge.

    Attributes:
        kind: One of `KINDS`.
        sample: The arguments.
        base: Those that it was derived from.
        words: What was changed.
    """

    kind: str
    sample: With
    base: With
    words: str


def derived(record: Record, dtype: DType, quick: bool = True) -> Iterator[Edge]:
    """The edges of a record for a dtype, kind by kind."""
    found = bases(record, dtype)
    if not found:
        return
    for kind in VALUES:
        yield from _with_values(kind, found, dtype)
    for kind in LAYOUTS:
        for base in found[:1] if quick else found:
            sample = changed(base, lambda _, values, kind=kind: _LAYOUTS[kind](values))
            if any(one is not other for one, other in zip(arrays(sample), arrays(base), strict=True)):
                yield Edge(kind, sample, base, "")
    seen: set[str] = set()
    for kind in SHAPES:
        for base in found[:1] if quick else found[:2]:
            for words, change in _cuts(kind, base):
                sample = changed(base, change)
                shapes = repr([values.shape for values in arrays(sample)])
                if shapes not in seen and any(one.shape != other.shape for one, other in zip(arrays(sample), arrays(base), strict=True)):
                    seen.add(shapes)
                    yield Edge(kind, sample, base, words)


def bases(record: Record, dtype: DType) -> list[With]:
    """A few samples with elements, of different ranks or with different arguments."""
    forms: dict[str, With] = {}
    for given in record.samples(dtype):
        sample = given if isinstance(given, With) else With(given)
        operands = arrays(sample)
        if not operands or not all(values.size for values in operands) or sum(values.size for values in operands) > MOST_ELEMENTS:
            continue
        if max(values.size for values in operands) > 1:
            forms.setdefault(repr(([values.ndim for values in operands], sorted(sample.kwargs))), sample)
    found = list(forms.values())
    return found if len(found) <= BASES else [found[at * (len(found) - 1) // (BASES - 1)] for at in range(BASES)]


# Arrays of a sample


def arrays(sample: With) -> list[Array]:
    """Also those in lists, in the order of `changed`."""
    found: list[Array] = []
    changed(sample, lambda _, values: found.append(values) or values)  # type: ignore[func-returns-value]
    return found


def changed(sample: With, change: Change) -> With:
    """The sample with each array replaced by what `change` gives for its number and the array."""
    count = iter(range(1000))

    def each(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return change(next(count), value)
        if isinstance(value, (list, tuple)) and any(isinstance(item, np.ndarray) for item in value):
            return type(value)(each(item) for item in value)
        return value

    return With(tuple(each(value) for value in sample.args), {name: each(value) for name, value in sample.kwargs.items()})


def is_inexact(values: Array) -> bool:
    return d.from_numpy(values.dtype).category >= d.FLOATING


# Values


def ends(record: Record, dtype: DType) -> Iterator[Edge]:
    """The ends of an integer dtype in all operands of it."""
    limits = np.iinfo(dtype.numpy)
    for kind, number in zip(ENDS, (limits.min, limits.max), strict=True):
        for base in bases(record, dtype):
            sample = changed(base, lambda at, values, number=number: _ended(at, values, number) if values.dtype == dtype.numpy else values)
            yield Edge(kind, sample, base, "")


def _ended(number: int, values: Array, end: int) -> Array:
    result = np.array(values, order="C")
    result.reshape(-1)[_place(number, result)] = end
    return result


def _place(number: int, values: Array) -> int:
    return zlib.crc32(f"{number} {values.shape}".encode()) % values.size


def _with_values(kind: str, found: list[With], dtype: DType) -> Iterator[Edge]:
    """In all floating operands of one base, in the first and the last alone of others."""
    most = max(len(found), min(3, 1 + max(len(_floating(base)) for base in found)))
    for at in range(most):
        base = found[at % len(found)]
        numbers = _floating(base)
        if not numbers:
            continue
        chosen = (numbers, numbers[:1], numbers[-1:])[at % 3]
        sample = changed(base, lambda number, values, chosen=chosen: _placed(kind, number, values) if number in chosen else values)
        yield Edge(kind, sample, base, "" if chosen == numbers else f"in operand {chosen[0]}")


def _floating(sample: With) -> list[int]:
    return [number for number, values in enumerate(arrays(sample)) if is_inexact(values)]


def _placed(kind: str, number: int, values: Array) -> Array:
    """A copy with the value in one place; of complex numbers in a real part and in the imaginary part of the next one."""
    result = np.array(values, order="C")
    flat = result.reshape(-1)
    at = _place(number, result)
    if result.dtype.kind == "c":
        flat.real[at] = value(kind, result.real.dtype)
        flat.imag[(at + 1) % flat.size] = value(kind, result.real.dtype)
    else:
        flat[at] = value(kind, result.dtype)
    return result


def value(kind: str, dtype: np.dtype[Any]) -> Any:
    """A number of a floating type by its name."""
    if kind == "largest":
        return dtype.type(d.finfo(d.from_numpy(dtype)).max)
    if kind == "subnormal":
        return np.nextafter(dtype.type(0), dtype.type(1))
    return dtype.type(float(kind))


# Layouts


def _transposed(values: Array) -> Array:
    return values if values.ndim < 2 else np.array(values.T, order="C").T


def _stepped(values: Array) -> Array:
    """Every second element of its last dimension; between them what no result may show."""
    gap = np.nan if is_inexact(values) else True if values.dtype.kind == "b" else np.iinfo(values.dtype).max
    storage = np.full((*values.shape[:-1], 2 * (values.shape[-1] if values.ndim else 1) + 1), gap, values.dtype)
    view = storage[..., 1::2] if values.ndim else storage[1, ...]
    view[...] = values
    return view


def _reversed(values: Array) -> Array:
    backwards = (slice(None, None, -1),) * values.ndim
    return np.array(values[backwards], order="C")[backwards] if values.ndim else values


def _expanded(values: Array) -> Array:
    """Its first row in each row."""
    return np.broadcast_to(np.array(values[:1], order="C"), values.shape) if values.ndim and len(values) > 1 else values


_LAYOUTS = {"transposed": _transposed, "stepped": _stepped, "reversed": _reversed, "expanded": _expanded}


# Shapes


def _cuts(kind: str, base: With) -> Iterator[tuple[str, Change]]:
    """Dimensions cut to one place or to none: the first ones or the last ones of one length, or every one of that length."""
    if kind == "0-d":
        yield "", lambda _, values: values.reshape(-1)[:1].reshape(())
        return
    size = 1 if kind == "one" else 0
    if size:
        yield "every dim", lambda _, values: values[(slice(1),) * values.ndim] if values.ndim else values
    shape = next((values.shape for values in arrays(base) if values.ndim), ())
    if not shape:
        return
    for where in (0, -1):
        yield f"dim {where}", lambda _, values, where=where: _cut(values, [where], shape[where], size)
    yield f"dims of length {shape[-1]}", lambda _, values: _cut(values, list(range(values.ndim)), shape[-1], size)


def _cut(values: Array, dims: list[int], length: int, size: int) -> Array:
    for dim in dims:
        if values.ndim and values.shape[dim] == length:
            values = values[(slice(None),) * (dim % values.ndim) + (slice(size),)]
    return values
