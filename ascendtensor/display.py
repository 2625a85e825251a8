"""Text of tensors, in PyTorch's layout. Nothing is compiled or launched, and no more is copied to the host than is printed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from . import base
from .base import TensorBase
from .dtypes import bool_, get_default_dtype, int64
from .errors import DTypeError, ValueRangeError
from .runtime import copies

__all__ = ["get_printoptions", "set_printoptions"]

Array = np.ndarray[Any, np.dtype[Any]]

GAP: Final = 32
"""Elements at most this many bytes apart are copied together."""


@dataclass(frozen=True)
class PrintOptions:
    """How tensors are printed: see `set_printoptions`."""

    precision: int = 4
    threshold: int = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_ALL: Final = 1 << 62
_PROFILES: Final = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=_ALL),
}
_options = _PROFILES["default"]


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors are printed, for the whole process.

    Args:
        precision: Digits behind the point (4).
        threshold: Number of elements above which only the edges are printed (1000); infinity prints all.
        edgeitems: How many places of each dimension count as an edge (3).
        linewidth: Characters in a line (80).
        profile: "default", "short" or "full", taken as the start for the others.
        sci_mode: Always or never use exponents; by default where numbers differ by more than a thousand.

    Raises:
        ValueRangeError: There is no such profile, or a number is negative.
        DTypeError: A number is none.

    Like: torch.set_printoptions.

    Examples:
        >>> at.set_printoptions(precision=2)
        >>> at.tensor([1 / 3])
        tensor([0.33], device='npu:0')
        >>> at.set_printoptions(profile="default")
    """
    global _options
    if profile is not None and profile not in _PROFILES:
        raise ValueRangeError(f"there is no profile {profile!r}, but {', '.join(_PROFILES)}", where="set_printoptions")
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    options = _options if profile is None else _PROFILES[profile]
    _options = replace(options, sci_mode=sci_mode, **{name: _number(name, value) for name, value in given.items() if value is not None})


def _number(name: str, value: float) -> int:
    if not isinstance(value, (int, float, np.number)) or value != value:
        raise DTypeError(f"{name} must be an int, not the {type(value).__name__} {value!r}", where="set_printoptions")
    if value < 0:
        raise ValueRangeError(f"{name} can't be {value}", where="set_printoptions")
    return int(min(value, _ALL))


def get_printoptions() -> dict[str, Any]:
    """The choices of `set_printoptions`, by name. Like: torch.get_printoptions.

    Examples:
        >>> at.get_printoptions()["precision"]
        4
    """
    return dict(vars(_options))


# What is read


def _places(length: int, cut: bool) -> Array:
    """The places of a dimension that are printed."""
    edge = _options.edgeitems
    if cut and length > 2 * edge:
        return np.concatenate([np.arange(edge), np.arange(length - edge, length)])
    return np.arange(length)


def printed(tensor: TensorBase) -> int:
    """How many elements `text` prints."""
    cut = tensor.desc.numel > _options.threshold
    return math.prod(min(length, 2 * _options.edgeitems) if cut else length for length in tensor.desc.shape)


def read(tensor: TensorBase, places: Sequence[Array]) -> Array:
    """Copy the elements at given places of each dimension, together where they lie close to each other."""
    dtype = tensor.desc.dtype
    offsets = np.array(base.element_offset(tensor), np.int64)
    for chosen, stride in zip(places, base.element_strides(tensor), strict=True):
        offsets = offsets[..., None] + chosen * stride
    result = np.empty(offsets.shape, dtype.numpy)
    if not offsets.size:
        return result
    flat = np.unique(offsets)
    breaks = np.flatnonzero(np.diff(flat) * dtype.itemsize > GAP + dtype.itemsize) + 1
    runs = np.split(flat, breaks)
    parts = [(int(run[0]) * dtype.itemsize, int(run[-1] - run[0] + 1) * dtype.itemsize) for run in runs]
    found = np.empty(flat.shape, dtype.numpy)
    position = 0
    for run, data in zip(runs, copies.download_parts(base.storage(tensor), parts), strict=True):
        found[position : position + run.size] = data.view(dtype.numpy)[run - run[0]]
        position += run.size
    result[...] = found[np.searchsorted(flat, offsets)]
    return result


# Numbers


class _Numbers:
    """Format of real numbers, of one width; chosen by looking at all of them."""

    def __init__(self, values: Array, floating: bool) -> None:
        self.floating = floating
        self.whole = True
        self.exponents = False
        self.width = 1
        listed = values.reshape(-1).tolist()
        if not floating:
            self.width = max((len(str(value)) for value in listed), default=1)
            return
        finite = [value for value in listed if value and math.isfinite(value)]
        if not finite:
            return
        sizes = [abs(value) for value in finite]
        least, most = min(sizes), max(sizes)
        self.whole = all(value == math.ceil(value) for value in finite)
        self.exponents = most / least > 1000.0 or most > 1.0e8 or (not self.whole and least < 1.0e-4)
        if _options.sci_mode is not None:
            self.exponents = _options.sci_mode
        self.width = max(len(self(value)) for value in finite)

    def __call__(self, value: Any) -> str:
        if not self.floating:
            text = str(value)
        elif self.exponents:
            text = f"{value:.{_options.precision}e}"
        elif self.whole:
            text = f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        else:
            text = f"{value:.{_options.precision}f}"
        return text.rjust(self.width)


def _formatter(values: Array) -> tuple[Callable[[Any], str], int]:
    """A function that formats one element of `values`, and the width of what it gives."""
    if values.dtype.kind == "c":
        real, imaginary = _Numbers(values.real, True), _Numbers(values.imag, True)

        def both(value: complex) -> str:
            part = imaginary(value.imag).lstrip()
            return f"{real(value.real)}{'' if part.startswith('-') else '+'}{part}j"

        return both, real.width + imaginary.width + 1
    if values.dtype.kind in "biu":
        numbers = _Numbers(values, False)
        return numbers, numbers.width
    numbers = _Numbers(values.astype(np.float64), True)
    return numbers, numbers.width


# Layout


def _rows(values: Any, shape: Sequence[int], cut: bool, indent: int, form: Callable[[Any], str], width: int) -> str:
    """Nested brackets of nested lists; `shape` are the tensor's real lengths."""
    if not shape:
        return form(values)
    edge = _options.edgeitems
    shortened = cut and shape[0] > 2 * edge
    if len(shape) == 1:
        texts = [form(value) for value in values]
        if shortened:
            texts.insert(edge, " ...")
        count = max(1, (_options.linewidth - indent) // (width + 2))
        lines = [", ".join(texts[start : start + count]) for start in range(0, len(texts), count)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    inner = [_rows(value, shape[1:], cut, indent + 1, form, width) for value in values]
    if shortened:
        inner.insert(edge, "...")
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(inner) + "]"


def _suffixes(tensor: TensorBase) -> list[str]:
    desc = tensor.desc
    default = get_default_dtype()
    found = [f"device='{desc.device}'"]
    known = {default} if not desc.numel else {default, default.to_complex(), int64, bool_}
    if not desc.numel and len(desc.shape) != 1:
        found.append(f"size={desc.shape}")
    if desc.dtype not in known:
        found.append(f"dtype={desc.dtype!r}")
    return found


def text(tensor: TensorBase, prefix: str = "tensor(") -> str:
    """What `repr` gives: the elements, above `threshold` of them only the edges, and device and dtype.

    Raises:
        AclError: Work queued before had failed; a repr is no place to lose that.
    """
    desc = tensor.desc
    if desc.device.closed:
        return "<tensor from before shutdown()>"
    indent = len(prefix)
    if desc.numel:
        cut = desc.numel > _options.threshold
        values = read(tensor, [_places(length, cut) for length in desc.shape])
        listed = values.astype(np.float64) if desc.dtype.is_floating_point else values
        form, width = _formatter(values)
        body = _rows(listed.tolist(), desc.shape, cut, indent, form, width)
    else:
        body = "[]"
    pieces = [prefix + body]
    used = len(body) - body.rfind("\n") + 1
    for suffix in _suffixes(tensor):
        if used + len(suffix) + 2 > _options.linewidth:
            pieces.append(",\n" + " " * indent + suffix)
            used = indent + len(suffix)
        else:
            pieces.append(", " + suffix)
            used += len(suffix) + 2
    return "".join(pieces) + ")"
