"""Functions as methods, one alphabetical block for each family; each calls the function of its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from . import random
from .base import TensorBase
from .complex_methods import ComplexMethods
from .dtypes import DTypeLike, as_dtype
from .elementwise_methods import ElementwiseMethods
from .interop import reducing
from .interop.functions import choosing, shaping
from .linalg_methods import LinalgMethods
from .new_methods import NewMethods
from .numpy_methods import NumpyMethods
from .ops import gather, indexing, reduction, shape, sorting, statistics, views
from .ops.arguments import require_tensor, worded_methods
from .ops.nn import softmax as nn
from .options import contiguous_format, memory_format
from .shapes import named
from .special_methods import SpecialMethods

if TYPE_CHECKING:
    from typing_extensions import Self

    from .ops.results import HistogramEdges, MinMax, ValuesIndices
    from .random import Generator

_Int: TypeAlias = int  # the tensor class has methods of these names
_Float: TypeAlias = float
_Bool: TypeAlias = bool


@worded_methods
class Methods(ElementwiseMethods, SpecialMethods, ComplexMethods, LinalgMethods, NewMethods, NumpyMethods):
    """All functions as methods."""

    __slots__ = ()

    # Reductions and scans

    def all(self, dim: Any = None, keepdim: _Bool = False, *, axis: Any = None, keepdims: _Bool = False) -> Self:
        """See `all`; `axis` and `keepdims` are NumPy's words."""
        if axis is not None or keepdims:
            return reducing.worded(reducing.ALL, self, dim, axis, keepdim or keepdims)
        return reduction.all(self, dim, keepdim)

    def amax(self, dim: Any = None, keepdim: _Bool = False) -> Self:
        """See `amax`."""
        return reduction.amax(self, dim, keepdim)

    def amin(self, dim: Any = None, keepdim: _Bool = False) -> Self:
        """See `amin`."""
        return reduction.amin(self, dim, keepdim)

    def aminmax(self, *, dim: _Int | None = None, keepdim: _Bool = False) -> MinMax[Self]:
        """See `aminmax`."""
        return reduction.aminmax(self, dim=dim, keepdim=keepdim)

    def any(self, dim: Any = None, keepdim: _Bool = False, *, axis: Any = None, keepdims: _Bool = False) -> Self:
        """See `any`; `axis` and `keepdims` are NumPy's words."""
        if axis is not None or keepdims:
            return reducing.worded(reducing.ANY, self, dim, axis, keepdim or keepdims)
        return reduction.any(self, dim, keepdim)

    def argmax(self, dim: _Int | None = None, keepdim: _Bool = False, *, axis: _Int | None = None, keepdims: _Bool = False) -> Self:
        """See `argmax`; `axis` and `keepdims` are NumPy's words."""
        if axis is not None or keepdims:
            return reduction.argmax(self, reducing.one_word("argmax", dim, axis), keepdim or keepdims)
        return reduction.argmax(self, dim, keepdim)

    def argmin(self, dim: _Int | None = None, keepdim: _Bool = False, *, axis: _Int | None = None, keepdims: _Bool = False) -> Self:
        """See `argmin`; `axis` and `keepdims` are NumPy's words."""
        if axis is not None or keepdims:
            return reduction.argmin(self, reducing.one_word("argmin", dim, axis), keepdim or keepdims)
        return reduction.argmin(self, dim, keepdim)

    def count_nonzero(self, dim: Any = None, *others: _Int) -> Self:
        """See `count_nonzero`."""
        return reduction.count_nonzero(self, (dim, *others) if others else dim)

    def cummax(self, dim: _Int) -> ValuesIndices[Self]:
        """See `cummax`."""
        return reduction.cummax(self, dim)

    def cummin(self, dim: _Int) -> ValuesIndices[Self]:
        """See `cummin`."""
        return reduction.cummin(self, dim)

    def cumprod(self, dim: _Int | None = None, *, dtype: Any = None, axis: _Int | None = None) -> Self:
        """See `cumprod`; `axis` is NumPy's word; without one, of all elements in one row."""
        if dim is None:
            found: Self = reducing.running(reduction.cumprod, self, axis, dtype)
            return found
        return reduction.cumprod(self, dim, dtype=dtype)

    def cumprod_(self, dim: _Int, *, dtype: Any = None) -> Self:
        """`cumprod`, written into the tensor. Like: torch.Tensor.cumprod_."""
        return reduction.cumprod(self, dim, dtype=self.desc.dtype if dtype is None else dtype, out=self)

    def cumsum(self, dim: _Int | None = None, *, dtype: Any = None, axis: _Int | None = None) -> Self:
        """See `cumsum`; `axis` is NumPy's word; without one, of all elements in one row."""
        if dim is None:
            found: Self = reducing.running(reduction.cumsum, self, axis, dtype)
            return found
        return reduction.cumsum(self, dim, dtype=dtype)

    def cumsum_(self, dim: _Int, *, dtype: Any = None) -> Self:
        """`cumsum`, written into the tensor. Like: torch.Tensor.cumsum_."""
        return reduction.cumsum(self, dim, dtype=self.desc.dtype if dtype is None else dtype, out=self)

    def diff(self, n: _Int = 1, dim: _Int = -1, prepend: Self | None = None, append: Self | None = None) -> Self:
        """See `diff`."""
        return statistics.diff(self, n, dim, prepend, append)

    def logcumsumexp(self, dim: _Int) -> Self:
        """See `logcumsumexp`."""
        return statistics.logcumsumexp(self, dim)

    def logsumexp(self, dim: Any, keepdim: _Bool = False) -> Self:
        """See `logsumexp`."""
        return reduction.logsumexp(self, dim, keepdim)

    @overload
    def max(self, dim: _Int, keepdim: _Bool = False) -> ValuesIndices[Self]: ...
    @overload
    def max(self, dim: TensorBase | None = None, keepdim: _Bool = False) -> Self: ...
    @overload
    def max(self, *, axis: Any = None, keepdims: _Bool = False) -> Self: ...
    @overload
    def max(self, *, other: TensorBase) -> Self: ...
    def max(
        self, dim: Any = None, keepdim: _Bool = False, *, other: TensorBase | None = None, axis: Any = None, keepdims: _Bool = False
    ) -> Any:
        """See `max`; with NumPy's words `axis` and `keepdims` the values alone."""
        if other is not None:
            return reduction.max(self, dim if axis is None else axis, keepdim or keepdims, other=other)
        if axis is not None or keepdims:
            return reducing.worded(reducing.MAX, self, dim, axis, keepdim or keepdims)
        return reduction.max(self, dim, keepdim)

    def mean(self, dim: Any = None, keepdim: _Bool = False, *, dtype: Any = None, axis: Any = None, keepdims: _Bool = False) -> Self:
        """See `mean`; `axis` and `keepdims` are NumPy's words."""
        if axis is not None or keepdims:
            found: Self = reducing.mean(self, reducing.one_word("mean", dim, axis), dtype, None, keepdim or keepdims)
            return found
        return reduction.mean(self, dim, keepdim, dtype=dtype)

    @overload
    def min(self, dim: _Int, keepdim: _Bool = False) -> ValuesIndices[Self]: ...
    @overload
    def min(self, dim: TensorBase | None = None, keepdim: _Bool = False) -> Self: ...
    @overload
    def min(self, *, axis: Any = None, keepdims: _Bool = False) -> Self: ...
    @overload
    def min(self, *, other: TensorBase) -> Self: ...
    def min(
        self, dim: Any = None, keepdim: _Bool = False, *, other: TensorBase | None = None, axis: Any = None, keepdims: _Bool = False
    ) -> Any:
        """See `min`; with NumPy's words `axis` and `keepdims` the values alone."""
        if other is not None:
            return reduction.min(self, dim if axis is None else axis, keepdim or keepdims, other=other)
        if axis is not None or keepdims:
            return reducing.worded(reducing.MIN, self, dim, axis, keepdim or keepdims)
        return reduction.min(self, dim, keepdim)

    def nanmean(self, dim: Any = None, keepdim: _Bool = False, *, dtype: Any = None) -> Self:
        """See `nanmean`."""
        return reduction.nanmean(self, dim, keepdim, dtype=dtype)

    def nansum(self, dim: Any = None, keepdim: _Bool = False, *, dtype: Any = None) -> Self:
        """See `nansum`."""
        return reduction.nansum(self, dim, keepdim, dtype=dtype)

    def prod(self, dim: Any = None, keepdim: _Bool = False, *, dtype: Any = None, axis: Any = None, keepdims: _Bool = False) -> Self:
        """See `prod`; `axis` and `keepdims` are NumPy's words."""
        if axis is not None or keepdims:
            return reducing.worded(reducing.PROD, self, dim, axis, keepdim or keepdims, dtype)
        return reduction.prod(self, dim, keepdim, dtype=dtype)

    def std(
        self,
        dim: Any = None,
        unbiased: _Bool | None = None,
        keepdim: _Bool = False,
        *,
        correction: _Float = 1,
        axis: Any = None,
        keepdims: _Bool = False,
        ddof: _Float | None = None,
    ) -> Self:
        """See `std`; `axis`, `keepdims` and `ddof` are NumPy's words, but one is taken off the number of elements by default."""
        if axis is not None or keepdims or ddof is not None:
            dim, keepdim, correction = reducing.one_word("std", dim, axis), keepdim or keepdims, correction if ddof is None else ddof
        return reduction.std(self, dim, unbiased, keepdim, correction=correction)

    def sum(self, dim: Any = None, keepdim: _Bool = False, *, dtype: Any = None, axis: Any = None, keepdims: _Bool = False) -> Self:
        """See `sum`; `axis` and `keepdims` are NumPy's words."""
        if axis is not None or keepdims:
            return reducing.worded(reducing.SUM, self, dim, axis, keepdim or keepdims, dtype)
        return reduction.sum(self, dim, keepdim, dtype=dtype)

    def var(
        self,
        dim: Any = None,
        unbiased: _Bool | None = None,
        keepdim: _Bool = False,
        *,
        correction: _Float = 1,
        axis: Any = None,
        keepdims: _Bool = False,
        ddof: _Float | None = None,
    ) -> Self:
        """See `var`; `axis`, `keepdims` and `ddof` are NumPy's words, but one is taken off the number of elements by default."""
        if axis is not None or keepdims or ddof is not None:
            dim, keepdim, correction = reducing.one_word("var", dim, axis), keepdim or keepdims, correction if ddof is None else ddof
        return reduction.var(self, dim, unbiased, keepdim, correction=correction)

    # Sorting, counting

    def argsort(
        self, dim: _Int = -1, descending: _Bool = False, stable: _Bool = False, *, axis: _Int = -1, kind: str | None = None
    ) -> Self:
        """See `argsort`; `axis` and `kind` are NumPy's words."""
        if axis != -1 or kind is not None:
            dim, stable = axis if dim == -1 else dim, stable or kind in ("stable", "mergesort")
        return sorting.argsort(self, dim, descending, stable)

    def bincount(self, weights: Self | None = None, minlength: _Int = 0) -> Self:
        """See `bincount`."""
        return sorting.bincount(self, weights, minlength)

    def histc(self, bins: _Int = 100, min: _Float = 0, max: _Float = 0) -> Self:
        """See `histc`."""
        return sorting.histc(self, bins, min, max)

    def histogram(self, bins: Any = 100, *, range: Any = None, weight: Self | None = None, density: _Bool = False) -> HistogramEdges[Self]:
        """See `histogram`."""
        return statistics.histogram(self, bins, range=range, weight=weight, density=density)

    def isin(self, test_elements: Any, *, assume_unique: _Bool = False, invert: _Bool = False) -> Self:
        """See `isin`."""
        return sorting.isin(self, test_elements, assume_unique=assume_unique, invert=invert)

    def kthvalue(self, k: _Int, dim: _Int = -1, keepdim: _Bool = False) -> ValuesIndices[Self]:
        """See `kthvalue`."""
        return sorting.kthvalue(self, k, dim, keepdim)

    @overload
    def median(self, dim: None = None, keepdim: _Bool = False) -> Self: ...
    @overload
    def median(self, dim: _Int, keepdim: _Bool = False) -> ValuesIndices[Self]: ...
    def median(self, dim: _Int | None = None, keepdim: _Bool = False) -> Any:
        """See `median`."""
        return sorting.median(self, dim, keepdim)

    def mode(self, dim: _Int = -1, keepdim: _Bool = False) -> ValuesIndices[Self]:
        """See `mode`."""
        return statistics.mode(self, dim, keepdim)

    def msort(self) -> Self:
        """See `msort`."""
        return sorting.msort(self)

    @overload
    def nanmedian(self, dim: None = None, keepdim: _Bool = False) -> Self: ...
    @overload
    def nanmedian(self, dim: _Int, keepdim: _Bool = False) -> ValuesIndices[Self]: ...
    def nanmedian(self, dim: _Int | None = None, keepdim: _Bool = False) -> Any:
        """See `nanmedian`."""
        return statistics.nanmedian(self, dim, keepdim)

    def nanquantile(self, q: Any, dim: _Int | None = None, keepdim: _Bool = False, *, interpolation: str = "linear") -> Self:
        """See `nanquantile`."""
        return statistics.nanquantile(self, q, dim, keepdim, interpolation=interpolation)

    def quantile(self, q: Any, dim: _Int | None = None, keepdim: _Bool = False, *, interpolation: str = "linear") -> Self:
        """See `quantile`."""
        return sorting.quantile(self, q, dim, keepdim, interpolation=interpolation)

    def sort(self, dim: _Int = -1, descending: _Bool = False, stable: _Bool | None = False) -> ValuesIndices[Self]:
        """See `sort`."""
        return sorting.sort(self, dim, descending, stable)

    def topk(self, k: _Int, dim: _Int = -1, largest: _Bool = True, sorted: _Bool = True) -> ValuesIndices[Self]:
        """See `topk`."""
        return sorting.topk(self, k, dim, largest, sorted)

    @overload
    def unique(
        self,
        sorted: _Bool = True,
        return_inverse: Literal[False] = False,
        return_counts: Literal[False] = False,
        dim: _Int | None = None,
    ) -> Self: ...
    @overload
    def unique(self, sorted: _Bool = True, return_inverse: _Bool = False, return_counts: _Bool = False, dim: _Int | None = None) -> Any: ...
    def unique(self, sorted: _Bool = True, return_inverse: _Bool = False, return_counts: _Bool = False, dim: _Int | None = None) -> Any:
        """See `unique`."""
        return sorting.unique(self, sorted, return_inverse, return_counts, dim)

    def unique_consecutive(self, return_inverse: _Bool = False, return_counts: _Bool = False, dim: _Int | None = None) -> Any:
        """See `unique_consecutive`."""
        return sorting.unique_consecutive(self, return_inverse, return_counts, dim)

    # Gathering, scattering

    def argwhere(self) -> Self:
        """See `argwhere`."""
        return gather.argwhere(self)

    def gather(self, dim: _Int, index: TensorBase, *, sparse_grad: _Bool = False) -> Self:
        """See `gather`."""
        return gather.gather(self, dim, index, sparse_grad=sparse_grad)

    def index_add(self, dim: _Int, index: TensorBase, source: TensorBase, *, alpha: Any = 1) -> Self:
        """See `index_add`."""
        return gather.index_add(self, dim, index, source, alpha=alpha)

    def index_add_(self, dim: _Int, index: TensorBase, source: TensorBase, *, alpha: Any = 1) -> Self:
        """`index_add`, written into this tensor. Like: torch.Tensor.index_add_."""
        return gather.index_add_(self, dim, index, source, alpha=alpha)

    def index_copy(self, dim: _Int, index: TensorBase, source: TensorBase) -> Self:
        """See `index_copy`."""
        return gather.index_copy(self, dim, index, source)

    def index_copy_(self, dim: _Int, index: TensorBase, source: TensorBase) -> Self:
        """`index_copy`, written into this tensor. Like: torch.Tensor.index_copy_."""
        return gather.index_copy_(self, dim, index, source)

    def index_fill(self, dim: _Int, index: TensorBase, value: Any) -> Self:
        """See `index_fill`."""
        return gather.index_fill(self, dim, index, value)

    def index_fill_(self, dim: _Int, index: TensorBase, value: Any) -> Self:
        """`index_fill`, written into this tensor. Like: torch.Tensor.index_fill_."""
        return gather.index_fill_(self, dim, index, value)

    def index_reduce(self, dim: _Int, index: TensorBase, source: TensorBase, reduce: str, *, include_self: _Bool = True) -> Self:
        """See `index_reduce`."""
        return gather.index_reduce(self, dim, index, source, reduce, include_self=include_self)

    def index_reduce_(self, dim: _Int, index: TensorBase, source: TensorBase, reduce: str, *, include_self: _Bool = True) -> Self:
        """`index_reduce`, written into this tensor. Like: torch.Tensor.index_reduce_."""
        return gather.index_reduce_(self, dim, index, source, reduce, include_self=include_self)

    def index_select(self, dim: _Int, index: TensorBase) -> Self:
        """See `index_select`."""
        return gather.index_select(self, dim, index)

    def masked_scatter(self, mask: TensorBase, source: TensorBase) -> Self:
        """See `masked_scatter`."""
        return gather.masked_scatter(self, mask, source)

    def masked_scatter_(self, mask: TensorBase, source: TensorBase) -> Self:
        """`masked_scatter`, written into this tensor. Like: torch.Tensor.masked_scatter_."""
        return gather.masked_scatter_(self, mask, source)

    def masked_select(self, mask: TensorBase) -> Self:
        """See `masked_select`."""
        return gather.masked_select(self, mask)

    @overload
    def nonzero(self, *, as_tuple: Literal[False] = False) -> Self: ...
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Self, ...]: ...
    def nonzero(self, *, as_tuple: _Bool = False) -> Any:
        """See `nonzero`."""
        return gather.nonzero(self, as_tuple=as_tuple)

    def put(self, index: TensorBase, source: TensorBase, accumulate: _Bool = False) -> Self:
        """See `put`."""
        return gather.put(self, index, source, accumulate)

    def put_(self, index: TensorBase, source: TensorBase, accumulate: _Bool = False) -> Self:
        """`put`, written into this tensor. Like: torch.Tensor.put_."""
        return gather.put_(self, index, source, accumulate)

    def scatter(self, dim: _Int, index: TensorBase, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Self:
        """See `scatter`."""
        return gather.scatter(self, dim, index, src, value=value, reduce=reduce)

    def scatter_(self, dim: _Int, index: TensorBase, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Self:
        """`scatter`, written into this tensor. Like: torch.Tensor.scatter_."""
        return gather.scatter_(self, dim, index, src, value=value, reduce=reduce)

    def scatter_add(self, dim: _Int, index: TensorBase, src: TensorBase) -> Self:
        """See `scatter_add`."""
        return gather.scatter_add(self, dim, index, src)

    def scatter_add_(self, dim: _Int, index: TensorBase, src: TensorBase) -> Self:
        """`scatter_add`, written into this tensor. Like: torch.Tensor.scatter_add_."""
        return gather.scatter_add_(self, dim, index, src)

    def scatter_reduce(self, dim: _Int, index: TensorBase, src: TensorBase, reduce: str, *, include_self: _Bool = True) -> Self:
        """See `scatter_reduce`."""
        return gather.scatter_reduce(self, dim, index, src, reduce, include_self=include_self)

    def scatter_reduce_(self, dim: _Int, index: TensorBase, src: TensorBase, reduce: str, *, include_self: _Bool = True) -> Self:
        """`scatter_reduce`, written into this tensor. Like: torch.Tensor.scatter_reduce_."""
        return gather.scatter_reduce_(self, dim, index, src, reduce, include_self=include_self)

    def take(self, index: Any, axis: _Int | None = None, *, mode: str = "raise") -> Self:
        """See `take`; along an `axis`, and by lists and arrays, as in NumPy."""
        if axis is not None or mode != "raise" or not isinstance(index, TensorBase):
            found: Self = choosing.take(self, index, axis, mode=mode)
            return found
        return gather.take(self, index)

    def take_along_dim(self, indices: TensorBase, dim: _Int | None = None) -> Self:
        """See `take_along_dim`."""
        return gather.take_along_dim(self, indices, dim)

    # Moving elements

    def as_strided_scatter(self, src: TensorBase, size: Sequence[_Int], stride: Sequence[_Int], storage_offset: _Int | None = None) -> Self:
        """See `as_strided_scatter`."""
        return shape.as_strided_scatter(self, src, size, stride, storage_offset)

    def clone(self, *, memory_format: memory_format | None = None) -> Self:
        """See `clone`."""
        return shape.clone(self) if memory_format is None else shape.clone(self, memory_format=memory_format)

    def contiguous(self, memory_format: memory_format = contiguous_format) -> Self:
        """The tensor itself where its elements lie in order without gaps, else a copy that does. Like: torch.Tensor.contiguous.

        Examples:
            >>> x = at.tensor([[1, 2], [3, 4]]).T
            >>> x.is_contiguous(), x.contiguous().is_contiguous()
            (False, True)
        """
        return shape.contiguous(self, memory_format)

    def diag(self, diagonal: _Int = 0) -> Self:
        """See `diag`."""
        return shape.diag(self, diagonal)

    def diag_embed(self, offset: _Int = 0, dim1: _Int = -2, dim2: _Int = -1) -> Self:
        """See `diag_embed`."""
        return shape.diag_embed(self, offset, dim1, dim2)

    def diagflat(self, offset: _Int = 0) -> Self:
        """See `diagflat`."""
        return shape.diagflat(self, offset)

    def diagonal_scatter(self, src: TensorBase, offset: _Int = 0, dim1: _Int = 0, dim2: _Int = 1) -> Self:
        """See `diagonal_scatter`."""
        return shape.diagonal_scatter(self, src, offset, dim1, dim2)

    def fill_diagonal_(self, fill_value: Any, wrap: _Bool = False) -> Self:
        """One number into the main diagonal; with `wrap` again after each block of a tall matrix. Like: torch.Tensor.fill_diagonal_.

        Examples:
            >>> at.zeros(2, 2).fill_diagonal_(5)
            tensor([[5., 0.],
                    [0., 5.]], device='npu:0')
        """
        return shape.fill_diagonal_(self, fill_value, wrap)

    def flip(self, *numbers: Any, dims: Any = None) -> Self:
        """See `flip`."""
        return shape.flip(self, *numbers, dims=dims)

    def fliplr(self) -> Self:
        """See `fliplr`."""
        return shape.fliplr(self)

    def flipud(self) -> Self:
        """See `flipud`."""
        return shape.flipud(self)

    def narrow_copy(self, dim: _Int, start: _Int, length: _Int) -> Self:
        """See `narrow_copy`."""
        return shape.narrow_copy(self, dim, start, length)

    def repeat(self, *counts: Any, repeats: Any = None, axis: _Int | None = None) -> Self:
        """Copies side by side: how many along each dimension; along an `axis` of each element, as in NumPy. Like: torch.Tensor.repeat.

        Examples:
            >>> at.tensor([1, 2]).repeat(2, 2)
            tensor([[1, 2, 1, 2],
                    [1, 2, 1, 2]], device='npu:0')
        """
        counts = named(counts, repeats, "repeats")
        if axis is not None:
            found: Self = shaping.repeat(self, counts[0] if len(counts) == 1 else list(counts), axis)
            return found
        return shape.repeat(self, *counts)

    def repeat_interleave(self, repeats: Any = None, dim: _Int | None = None, *, output_size: _Int | None = None) -> Self:
        """See `repeat_interleave`."""
        return shape.repeat_interleave(self, repeats, dim, output_size=output_size)

    def roll(self, shifts: Any, dims: Any = None) -> Self:
        """See `roll`."""
        return shape.roll(self, shifts, dims)

    def rot90(self, k: _Int = 1, dims: Sequence[_Int] = (0, 1)) -> Self:
        """See `rot90`."""
        return shape.rot90(self, k, dims)

    def select_scatter(self, src: TensorBase, dim: _Int, index: _Int) -> Self:
        """See `select_scatter`."""
        return shape.select_scatter(self, src, dim, index)

    def slice_scatter(self, src: TensorBase, dim: _Int = 0, start: _Int | None = None, end: _Int | None = None, step: _Int = 1) -> Self:
        """See `slice_scatter`."""
        return shape.slice_scatter(self, src, dim, start, end, step)

    def sum_to_size(self, *sizes: Any, size: Any = None) -> Self:
        """Sums over the dimensions that broadcasting from `size` would have repeated. Like: torch.Tensor.sum_to_size.

        Examples:
            >>> at.ones(2, 3).sum_to_size(1, 3)
            tensor([[2., 2., 2.]], device='npu:0')
        """
        return shape.sum_to_size(self, *sizes, size=size)

    def tile(self, *repeats: Any, dims: Any = None) -> Self:
        """See `tile`."""
        counts = named(repeats, dims, "dims")
        return shape.tile(self, counts[0] if len(counts) == 1 else counts)

    def tril(self, diagonal: _Int = 0) -> Self:
        """See `tril`."""
        return shape.tril(self, diagonal)

    def tril_(self, diagonal: _Int = 0) -> Self:
        """`tril`, written into this tensor. Like: torch.Tensor.tril_.

        Examples:
            >>> at.ones(2, 2).tril_()
            tensor([[1., 0.],
                    [1., 1.]], device='npu:0')
        """
        return shape.tril_(self, diagonal)

    def triu(self, diagonal: _Int = 0) -> Self:
        """See `triu`."""
        return shape.triu(self, diagonal)

    def triu_(self, diagonal: _Int = 0) -> Self:
        """`triu`, written into this tensor. Like: torch.Tensor.triu_.

        Examples:
            >>> at.ones(2, 2).triu_()
            tensor([[1., 1.],
                    [0., 1.]], device='npu:0')
        """
        return shape.triu_(self, diagonal)

    # Neural networks

    def log_softmax(self, dim: _Int | None = None, dtype: Any = None) -> Self:
        """See `log_softmax`."""
        return nn.log_softmax(self, dim, dtype)

    def softmax(self, dim: _Int | None = None, dtype: Any = None) -> Self:
        """See `softmax`."""
        return nn.softmax(self, dim, dtype)

    # Random numbers

    def bernoulli(self, p: _Float | None = None, *, generator: Generator | None = None) -> Self:
        """See `bernoulli`.

        Examples:
            >>> at.tensor([0.0, 1.0]).bernoulli()
            tensor([0., 1.], device='npu:0')
        """
        return random.bernoulli(self, p, generator=generator)

    def bernoulli_(self, p: Any = 0.5, *, generator: Generator | None = None) -> Self:
        """Zeros and ones drawn into this tensor, ones with probability `p`. Like: torch.Tensor.bernoulli_.

        Examples:
            >>> at.empty(3).bernoulli_(1.0)
            tensor([1., 1., 1.], device='npu:0')
        """
        return random.bernoulli_(self, p, generator=generator)

    def cauchy_(self, median: _Float = 0.0, sigma: _Float = 1.0, *, generator: Generator | None = None) -> Self:
        """Draws from a Cauchy distribution into this tensor. Like: torch.Tensor.cauchy_.

        Examples:
            >>> at.empty(3).cauchy_(median=5.0).shape
            (3,)
        """
        return random.cauchy_(self, median, sigma, generator=generator)

    def exponential_(self, lambd: _Float = 1.0, *, generator: Generator | None = None) -> Self:
        """Draws from an exponential distribution into this tensor. Like: torch.Tensor.exponential_.

        Examples:
            >>> bool((at.empty(100).exponential_() >= 0).all())
            True
        """
        return random.exponential_(self, lambd, generator=generator)

    def geometric_(self, p: _Float, *, generator: Generator | None = None) -> Self:
        """Numbers of trials until the first success, drawn into this tensor. Like: torch.Tensor.geometric_.

        Examples:
            >>> bool((at.empty(100).geometric_(0.5) >= 1).all())
            True
        """
        return random.geometric_(self, p, generator=generator)

    def log_normal_(self, mean: _Float = 1.0, std: _Float = 2.0, *, generator: Generator | None = None) -> Self:
        """Draws whose logarithm is normal into this tensor. Like: torch.Tensor.log_normal_.

        Examples:
            >>> bool((at.empty(100).log_normal_() > 0).all())
            True
        """
        return random.log_normal_(self, mean, std, generator=generator)

    def multinomial(self, num_samples: _Int, replacement: _Bool = False, *, generator: Generator | None = None) -> Self:
        """See `multinomial`.

        Examples:
            >>> at.tensor([0.0, 0.0, 1.0]).multinomial(1)
            tensor([2], device='npu:0')
        """
        return random.multinomial(self, num_samples, replacement, generator=generator)

    def normal_(self, mean: _Float = 0.0, std: _Float = 1.0, *, generator: Generator | None = None) -> Self:
        """Draws from a normal distribution into this tensor. Like: torch.Tensor.normal_.

        Examples:
            >>> at.empty(2).normal_(5.0, 0.0)
            tensor([5., 5.], device='npu:0')
        """
        return random.normal_(self, mean, std, generator=generator)

    def random_(self, from_: _Int | None = None, to: _Int | None = None, *, generator: Generator | None = None) -> Self:
        """Whole numbers drawn into this tensor: from `from_` up to `to`, that one left out. Like: torch.Tensor.random_.

        Examples:
            >>> bool((at.empty(100).random_(3, 5) < 5).all())
            True
        """
        return random.random_(self, from_, to, generator=generator)

    def uniform_(self, from_: _Float = 0.0, to: _Float = 1.0, *, generator: Generator | None = None) -> Self:
        """Draws between `from_` and `to` into this tensor. Like: torch.Tensor.uniform_.

        Examples:
            >>> bool((at.empty(100).uniform_(2.0, 3.0) >= 2).all())
            True
        """
        return random.uniform_(self, from_, to, generator=generator)

    # Indexing

    def index_put(self, indices: tuple[Any, ...], values: Any, accumulate: _Bool = False) -> Self:
        """See `index_put`."""
        return indexing.index_put(self, indices, values, accumulate)

    def index_put_(self, indices: tuple[Any, ...], values: Any, accumulate: _Bool = False) -> Self:
        """`index_put`, written into this tensor. Like: torch.Tensor.index_put_.

        Examples:
            >>> at.zeros(3).index_put_((at.tensor([0, 2]),), at.tensor([1.0, 2.0]))
            tensor([1., 0., 2.], device='npu:0')
        """
        return indexing.index_put_(self, indices, values, accumulate)

    # Views

    def as_strided(self, size: Sequence[_Int], stride: Sequence[_Int], storage_offset: _Int | None = None) -> Self:
        """See `as_strided`."""
        return views.as_strided(self, size, stride, storage_offset)

    def as_strided_(self, size: Sequence[_Int], stride: Sequence[_Int], storage_offset: _Int | None = None) -> Self:
        """`as_strided`, made of this tensor itself. Like: torch.Tensor.as_strided_.

        Examples:
            >>> x = at.tensor([1, 2, 3, 4])
            >>> x.as_strided_((2, 2), (1, 2))
            tensor([[1, 3],
                    [2, 4]], device='npu:0')
        """
        return views.as_strided_(self, size, stride, storage_offset)

    def broadcast_to(self, *sizes: Any, size: Any = None) -> Self:
        """See `broadcast_to`."""
        return views.expand(self, *sizes, size=size)

    def chunk(self, chunks: _Int, dim: _Int = 0) -> tuple[Self, ...]:
        """See `chunk`."""
        return views.chunk(self, chunks, dim)

    def diagonal(self, offset: _Int = 0, dim1: _Int = 0, dim2: _Int = 1, *, axis1: _Int | None = None, axis2: _Int | None = None) -> Self:
        """See `diagonal`; `axis1` and `axis2` are NumPy's words."""
        if axis1 is not None or axis2 is not None:
            dim1, dim2 = dim1 if axis1 is None else axis1, dim2 if axis2 is None else axis2
        return views.diagonal(self, offset, dim1, dim2)

    def dsplit(self, indices_or_sections: Any, *others: _Int) -> tuple[Self, ...]:
        """See `dsplit`."""
        return views.dsplit(self, (indices_or_sections, *others) if others else indices_or_sections)

    def expand(self, *sizes: Any, size: Any = None) -> Self:
        """A view in which dimensions of size 1 are repeated without a copy; -1 leaves a dimension as it is. Like: torch.Tensor.expand.

        Examples:
            >>> at.tensor([[1], [2]]).expand(-1, 3)
            tensor([[1, 1, 1],
                    [2, 2, 2]], device='npu:0')
        """
        return views.expand(self, *sizes, size=size)

    def expand_as(self, other: TensorBase) -> Self:
        """`expand` to the shape of another tensor. Like: torch.Tensor.expand_as.

        Examples:
            >>> at.tensor([[1], [2]]).expand_as(at.ones(2, 3))
            tensor([[1, 1, 1],
                    [2, 2, 2]], device='npu:0')
        """
        return views.expand_as(self, other)

    def flatten(self, start_dim: Any = 0, end_dim: _Int = -1, *, order: str | None = None) -> Self:
        """See `flatten`; in an `order` ("C" or "F"), as in NumPy."""
        if order is not None or isinstance(start_dim, str):
            found: Self = shaping.flatten(self, order or start_dim)
            return found
        return views.flatten(self, start_dim, end_dim)

    def hsplit(self, indices_or_sections: Any, *others: _Int) -> tuple[Self, ...]:
        """See `hsplit`."""
        return views.hsplit(self, (indices_or_sections, *others) if others else indices_or_sections)

    def is_same_size(self, other: TensorBase) -> _Bool:
        """Whether both have the same shape. Like: torch.Tensor.is_same_size.

        Examples:
            >>> at.ones(2).is_same_size(at.zeros(2))
            True
        """
        return self.desc.shape == require_tensor(other, "other", "is_same_size").desc.shape

    def is_set_to(self, tensor: TensorBase) -> _Bool:
        """Whether both are the same view of the same memory. Like: torch.Tensor.is_set_to.

        Examples:
            >>> x = at.ones(4)
            >>> x.is_set_to(x.view(4)), x.is_set_to(x[1:])
            (True, False)
        """
        return views.is_set_to(self, tensor)

    def moveaxis(self, source: Any, destination: Any) -> Self:
        """See `moveaxis`."""
        return views.moveaxis(self, source, destination)

    def movedim(self, source: Any, destination: Any) -> Self:
        """See `movedim`."""
        return views.movedim(self, source, destination)

    def narrow(self, dim: _Int, start: _Int, length: _Int) -> Self:
        """See `narrow`."""
        return views.narrow(self, dim, start, length)

    def permute(self, *order: Any, dims: Any = None) -> Self:
        """See `permute`."""
        return views.permute(self, *order, dims=dims)

    def ravel(self, order: str = "C") -> Self:
        """See `ravel`; in an `order` ("C" or "F"), as in NumPy."""
        if order != "C":
            found: Self = shaping.ravel(self, order)
            return found
        return views.ravel(self)

    def reshape(self, *lengths: Any, shape: Any = None, order: str = "C") -> Self:
        """See `reshape`."""
        if order != "C":
            given = lengths if shape is None else (shape,)
            found: Self = shaping.reshape(self, given[0] if len(given) == 1 else given, order)
            return found
        return views.reshape(self, *lengths, shape=shape)

    def reshape_as(self, other: TensorBase) -> Self:
        """`reshape` to the shape of another tensor. Like: torch.Tensor.reshape_as.

        Examples:
            >>> at.tensor([1, 2, 3, 4]).reshape_as(at.ones(2, 2))
            tensor([[1, 2],
                    [3, 4]], device='npu:0')
        """
        return views.reshape_as(self, other)

    def resize_(self, *size: Any) -> Self:
        """Raises UnsupportedError: the memory of a tensor can't be changed. Like: torch.Tensor.resize_.

        Examples:
            >>> at.ones(2).resize_(3)
            Traceback (most recent call last):
                ...
            ascendtensor.errors.UnsupportedError: resize_: the memory of a tensor can't be changed
              operands: float32[2] on npu:0
              Make a new tensor: reshape, pad, or empty and copy_.
        """
        return views.resize_(self, *size)

    def resize_as_(self, other: TensorBase) -> Self:
        """Raises UnsupportedError: the memory of a tensor can't be changed. Like: torch.Tensor.resize_as_.

        Examples:
            >>> at.ones(2).resize_as_(at.ones(3))
            Traceback (most recent call last):
                ...
            ascendtensor.errors.UnsupportedError: resize_as_: the memory of a tensor can't be changed
              operands: float32[2] on npu:0
              Make a new tensor: reshape, pad, or empty and copy_.
        """
        return views.resize_as_(self, other)

    def select(self, dim: _Int, index: _Int) -> Self:
        """See `select`."""
        return views.select(self, dim, index)

    def split(self, split_size: Any, dim: _Int = 0) -> tuple[Self, ...]:
        """See `split`."""
        return views.split(self, split_size, dim)

    def split_with_sizes(self, split_sizes: Sequence[_Int], dim: _Int = 0) -> tuple[Self, ...]:
        """See `split_with_sizes`."""
        return views.split_with_sizes(self, split_sizes, dim)

    def squeeze(self, dim: Any = None, *others: _Int, axis: Any = None) -> Self:
        """See `squeeze`; an `axis`, NumPy's word, must have length 1."""
        if axis is not None:
            found: Self = shaping.squeeze(self, axis)
            return found
        return views.squeeze(self, (dim, *others) if others else dim)

    def squeeze_(self, dim: Any = None, *others: _Int) -> Self:
        """`squeeze`, made of this tensor itself. Like: torch.Tensor.squeeze_.

        Examples:
            >>> at.ones(1, 2).squeeze_().shape
            (2,)
        """
        return views.squeeze_(self, (dim, *others) if others else dim)

    def swapaxes(self, axis0: _Int, axis1: _Int) -> Self:
        """See `swapaxes`."""
        return views.swapaxes(self, axis0, axis1)

    def swapaxes_(self, axis0: _Int, axis1: _Int) -> Self:
        """`swapaxes`, made of this tensor itself. Like: torch.Tensor.swapaxes_.

        Examples:
            >>> at.ones(2, 3).swapaxes_(0, 1).shape
            (3, 2)
        """
        return views.swapaxes_(self, axis0, axis1)

    def swapdims(self, dim0: _Int, dim1: _Int) -> Self:
        """See `swapdims`."""
        return views.swapdims(self, dim0, dim1)

    def swapdims_(self, dim0: _Int, dim1: _Int) -> Self:
        """`swapdims`, made of this tensor itself. Like: torch.Tensor.swapdims_.

        Examples:
            >>> at.ones(2, 3).swapdims_(0, 1).shape
            (3, 2)
        """
        return views.swapdims_(self, dim0, dim1)

    def t(self) -> Self:
        """See `t`."""
        return views.t(self)

    def t_(self) -> Self:
        """`t`, made of this tensor itself. Like: torch.Tensor.t_.

        Examples:
            >>> at.tensor([[1, 2], [3, 4]]).t_()
            tensor([[1, 3],
                    [2, 4]], device='npu:0')
        """
        return views.t_(self)

    def tensor_split(self, indices_or_sections: Any, dim: _Int = 0) -> tuple[Self, ...]:
        """See `tensor_split`."""
        return views.tensor_split(self, indices_or_sections, dim)

    def transpose(self, dim0: Any = None, dim1: Any = None, *axes: _Int) -> Self:
        """See `transpose`; of none, or with a tuple or another number of axes than two, as in NumPy."""
        if dim1 is None or axes:
            found: Self = shaping.transposed(self, dim0, dim1, *axes)
            return found
        return views.transpose(self, dim0, dim1)

    def transpose_(self, dim0: _Int, dim1: _Int) -> Self:
        """`transpose`, made of this tensor itself. Like: torch.Tensor.transpose_.

        Examples:
            >>> at.ones(2, 3).transpose_(0, 1).shape
            (3, 2)
        """
        return views.transpose_(self, dim0, dim1)

    def unbind(self, dim: _Int = 0) -> tuple[Self, ...]:
        """See `unbind`."""
        return views.unbind(self, dim)

    def unflatten(self, dim: _Int, sizes: Sequence[_Int]) -> Self:
        """See `unflatten`."""
        return views.unflatten(self, dim, sizes)

    def unfold(self, dimension: _Int, size: _Int, step: _Int) -> Self:
        """See `unfold`."""
        return views.unfold(self, dimension, size, step)

    def unsqueeze(self, dim: _Int) -> Self:
        """See `unsqueeze`."""
        return views.unsqueeze(self, dim)

    def unsqueeze_(self, dim: _Int) -> Self:
        """`unsqueeze`, made of this tensor itself. Like: torch.Tensor.unsqueeze_.

        Examples:
            >>> at.ones(2).unsqueeze_(0).shape
            (1, 2)
        """
        return views.unsqueeze_(self, dim)

    def view(self, *lengths: Any, size: Any = None, dtype: DTypeLike | None = None) -> Self:
        """The same memory in another shape (one size may be -1), or read as another dtype. Like: torch.Tensor.view.

        Examples:
            >>> at.tensor([1, 2, 3, 4]).view(2, -1)
            tensor([[1, 2],
                    [3, 4]], device='npu:0')
            >>> at.tensor([1.0]).view(at.int32)
            tensor([1065353216], device='npu:0', dtype=ascendtensor.int32)
        """
        if dtype is not None:
            lengths = named(lengths, as_dtype(dtype), "dtype")
        if len(lengths) == 1 and lengths[0].__class__ is not int and isinstance(lengths[0], (np.dtype, type)):
            lengths = (as_dtype(lengths[0]),)
        return views.view(self, *lengths, size=size)

    def view_as(self, other: TensorBase) -> Self:
        """`view` in the shape of another tensor. Like: torch.Tensor.view_as.

        Examples:
            >>> at.tensor([1, 2, 3, 4]).view_as(at.ones(2, 2))
            tensor([[1, 2],
                    [3, 4]], device='npu:0')
        """
        return views.view_as(self, other)

    def vsplit(self, indices_or_sections: Any, *others: _Int) -> tuple[Self, ...]:
        """See `vsplit`."""
        return views.vsplit(self, (indices_or_sections, *others) if others else indices_or_sections)
