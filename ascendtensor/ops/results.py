"""Named tuples that functions of several results give, with PyTorch's field names."""

from __future__ import annotations

import sys
from typing import Generic, TypeVar

if sys.version_info >= (3, 11):
    from typing import NamedTuple as NamedTuple
else:  # typing's takes no type variables there
    from typing_extensions import NamedTuple as NamedTuple

R = TypeVar("R")


class ValuesIndices(NamedTuple, Generic[R]):
    """Elements found along a dim, and where. Like: torch.return_types.max, .sort, .topk, .median..."""

    values: R
    indices: R


class MinMax(NamedTuple, Generic[R]):
    """Both extremes. Like: torch.return_types.aminmax."""

    min: R
    max: R


class MantissaExponent(NamedTuple, Generic[R]):
    """The parts of floating-point numbers. Like: torch.return_types.frexp."""

    mantissa: R
    exponent: R


class HistogramEdges(NamedTuple, Generic[R]):
    """Counts in bins, and the edges of the bins. Like: torch.return_types.histogram."""

    hist: R
    bin_edges: R
