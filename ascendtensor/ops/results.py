"""Named tuples that functions of several results give, with PyTorch's field names."""

from __future__ import annotations

from typing import Any, NamedTuple


class ValuesIndices(NamedTuple):
    """Elements found along a dim, and where. Like: torch.return_types.max, .sort, .topk, .median..."""

    values: Any
    indices: Any


class MinMax(NamedTuple):
    """Both extremes. Like: torch.return_types.aminmax."""

    min: Any
    max: Any


class MantissaExponent(NamedTuple):
    """The parts of floating-point numbers. Like: torch.return_types.frexp."""

    mantissa: Any
    exponent: Any


class HistogramEdges(NamedTuple):
    """Counts in bins, and the edges of the bins. Like: torch.return_types.histogram."""

    hist: Any
    bin_edges: Any
