"""Gathering and scattering: elements by index tensors along a dimension, and by masks. `t[...]` is in `indexing`.

Indices lie on the device, so one that is out of range is an error of queued work: it surfaces at the next synchronising call.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, Literal, TypeVar, overload

import numpy as np

from .. import base, shapes
from .. import dtypes as d
from ..base import TensorBase
from ..dtypes import dtype as DType
from ..errors import AscendTensorError, DTypeError, IndexRangeError, ShapeError, ValueRangeError
from . import host, views
from .arguments import ONE_DTYPE, checked, require_tensor
from .call import binary, call, call_into, made, structured
from .indexing import index_put_, trimmed
from .operands import dim_of, filled, in_dtype, number_in
from .pointwise import comparison, elementwise
from .reduction import any as any_
from .rules.gather import check_index
from .schema import Row
from .shape import as_pairs, clone, contiguous, from_pairs, stack
from .table import gathering as table
from .table.creation import RANGE
from .table.indexing import TAKE
from .writing import check_writable, copy_into, into, takes_outputs, write

T = TypeVar("T", bound=TensorBase)


def _wrapped(index: T, size: int) -> T:
    """Negative indices counted from the end."""
    return comparison.where(comparison.lt(index, 0), elementwise.add(index, size), index)


def _apart(target: TensorBase, *others: TensorBase) -> bool:
    """Whether an operator may write the target while it reads the others: they lie in other memory, or will be copied before."""
    return all(base.storage(other) is not base.storage(target) or not base.settle(other) for other in others)


def _replaced(target: T, row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...]) -> T:
    """A row's result in the memory of `target`, which is its first operand."""
    check_writable(target, row.name)
    if _apart(target, *(operand for operand in operands[1:] if isinstance(operand, TensorBase))):
        return write(row, target, operands, arguments)
    return copy_into(target, call(row, operands, arguments))


def _update(target: T, row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...]) -> T:
    """A row that updates its first input in place, run on `target`."""
    check_writable(target, row.name)
    others = tuple(operand for operand in operands if isinstance(operand, TensorBase))
    if takes_outputs(target, others) and _apart(target, *others):
        call_into(row, (target,), (target, *operands), arguments)
        return target
    copy = clone(target)
    call_into(row, (copy,), (copy, *operands), arguments)
    return copy_into(target, copy)


def _result(row: Row, operands: tuple[TensorBase, ...], arguments: tuple[Any, ...], out: T | None) -> T:
    """A row's result, in `out` where that is given; by way of other memory where the row reads its operands there, in any order."""
    if out is None:
        return call(row, operands, arguments)
    require_tensor(out, "out", row.name)
    return write(row, out, operands, arguments) if _apart(out, *operands) else into(call(row, operands, arguments), out)


# Reading along a dimension


@checked
def gather(input: T, dim: int, index: TensorBase, *, sparse_grad: bool = False, out: T | None = None) -> T:
    """For each element of `index`, the element at the same place but with the index along `dim`.

    Args:
        input: Tensor of any dtype but complex128.
        dim: The dimension.
        index: Integer tensor of as many dimensions, not longer than `input` in any other than `dim`.
        sparse_grad: Changes nothing, since there are no gradients.
        out: Tensor of the index's shape to write into.

    Returns:
        Tensor of the index's shape and the input's dtype.

    Raises:
        ShapeError: The index does not fit.
        AclError: An index is out of range; shows at the next synchronising call.

    Ascend operator: GatherElements. Like: torch.gather, numpy.take_along_axis.

    Examples:
        >>> at.gather(at.tensor([[1, 2], [3, 4]]), 1, at.tensor([[0, 0], [1, 0]]))
        tensor([[1, 1],
                [4, 3]], device='npu:0')
    """
    if input.desc.dtype is d.complex128:  # the operator takes no pairs either
        return into(views.view_as_complex(stack([gather(part, dim, index) for part in (views.real(input), views.imag(input))], -1)), out)
    if not index.desc.numel:
        dim_of(input, dim, "gather")
        return into(filled(input, index.desc.shape, 0), out)
    return _result(table.GATHER, (input, index), (dim,), out)


@checked
def take_along_dim(input: T, indices: TensorBase, dim: int | None = None, *, out: T | None = None) -> T:
    """`gather` after broadcasting `input` and `indices` in all other dimensions; negative indices count from the end.

    Args:
        input: Tensor.
        indices: Integer tensor of as many dimensions.
        dim: The dimension; by default both are flattened first.
        out: Tensor of the result's shape to write into.

    Raises:
        ShapeError: They don't broadcast.

    Ascend operator: GatherElements. Like: torch.take_along_dim, numpy.take_along_axis.

    Examples:
        >>> x = at.tensor([[3, 1, 2]])
        >>> at.take_along_dim(x, at.argsort(x, dim=1), dim=1)
        tensor([[1, 2, 3]], device='npu:0')
    """
    if dim is None:
        input, indices, dim = views.reshape(input, -1), views.reshape(indices, -1), 0
    at = dim_of(input, dim, "take_along_dim")
    indices = _places(indices)
    here, there = list(input.desc.shape), list(indices.desc.shape)
    if len(here) != len(there) or not here:
        raise ShapeError("as many dimensions are needed, at least one").with_context("take_along_dim", (input, indices))
    length, picked = here[at], there[at]
    here[at] = there[at] = 1
    common = list(shapes.broadcast_shapes(here, there))
    spread = views.expand(input, (*common[:at], length, *common[at + 1 :]))
    places = views.expand(_wrapped(indices, length), (*common[:at], picked, *common[at + 1 :]))
    return gather(spread, at, places, out=out)


@checked
def index_select(input: T, dim: int, index: TensorBase, *, out: T | None = None) -> T:
    """Places of a dimension in the order of `index`; negative ones count from the end.

    Args:
        input: Tensor of any dtype.
        dim: The dimension.
        index: Integer vector, or one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the input's dtype, as long along `dim` as the index.

    Raises:
        IndexRangeError: The index has more than one dimension.
        AclError: An index is out of range; shows at the next synchronising call.

    Ascend operator: GatherV2. Like: torch.index_select, numpy.take.

    Examples:
        >>> at.index_select(at.tensor([[1, 2], [3, 4], [5, 6]]), 0, at.tensor([2, 0]))
        tensor([[5, 6],
                [1, 2]], device='npu:0')
    """
    at = dim_of(input, dim, "index_select")
    if len(index.desc.shape) > 1:
        raise IndexRangeError("the index must be a vector").with_context("index_select", (input, index))
    if not index.desc.shape:
        index = views.reshape(index, 1)
    if not input.desc.shape:
        return into(views.reshape(index_select(views.reshape(input, 1), 0, index), ()), out)
    return _taken(input, index, at, out)


def _taken(input: T, index: TensorBase, axis: int, out: T | None = None) -> T:
    """Places of an axis by an index tensor of any shape."""
    index = _places(index)
    if not input.desc.shape[axis] and index.desc.numel:
        raise IndexRangeError(f"index out of range: dimension {axis} has no places").with_context("index_select", (input, index))
    return _result(TAKE, (input, index), (axis,), out)


def _places(index: TensorBase) -> TensorBase:
    if index.desc.dtype.category != d.INTEGER:
        raise DTypeError(f"an index is of an integer dtype, not {index.desc.dtype.name}")
    return index if index.desc.dtype.name in ("int64", "int32") else in_dtype(index, d.int64)


@checked
def take(input: T, index: TensorBase, *, out: T | None = None) -> T:
    """Elements of the flattened tensor; negative indices count from the end.

    Args:
        input: Tensor of any shape and dtype.
        index: Integer tensor.
        out: Tensor of the index's shape to write into.

    Returns:
        Tensor of the index's shape and the input's dtype.

    Ascend operator: GatherV2. Like: torch.take, numpy.take.

    Examples:
        >>> at.take(at.tensor([[1, 2], [3, 4]]), at.tensor([3, 0]))
        tensor([4, 1], device='npu:0')
    """
    return _taken(views.reshape(input, input.desc.numel), index, 0, out)


def embedding_rows(weight: T, indices: TensorBase) -> T:
    """Rows of a matrix by an index tensor of any shape. Ascend operator: GatherV2. Like: torch.nn.functional.embedding."""
    if not weight.desc.shape:
        raise ShapeError("a 0-d tensor has no rows").with_context("embedding", (indices, weight))
    return _taken(weight, indices, 0)


# Writing along a dimension

_REDUCTIONS = {"add": "add", "sum": "add", "multiply": "mul", "prod": "mul"}


@checked
def scatter(
    input: T, dim: int, index: TensorBase, src: Any = None, *, value: Any = None, reduce: str | None = None, out: T | None = None
) -> T:
    """A copy of `input` with elements of `src` at the places that `index` names along `dim`.

    Args:
        input: Tensor.
        dim: The dimension.
        index: Integer tensor of as many dimensions, not longer than `input` in any other than `dim`.
        src: Tensor of the input's dtype, at least as long as the index everywhere, or a number.
        value: A number instead of `src`.
        reduce: "add" or "multiply" to combine with what is there. Without it, the last of several values for one place stays on the
            simulator; on a device any of them.
        out: Tensor of the input's shape to write into.

    Raises:
        ShapeError: The shapes don't fit.
        DTypeError: The dtypes differ.
        ValueRangeError: Another `reduce`.

    Ascend operator: ScatterElements. Like: torch.scatter, numpy.put_along_axis.

    Examples:
        >>> at.scatter(at.zeros(2, 3), 1, at.tensor([[2], [0]]), 1.0)
        tensor([[0., 0., 1.],
                [1., 0., 0.]], device='npu:0')
    """
    row, operands, arguments = _scattering(input, dim, index, _source(src, value), reduce)
    if row is None:
        return into(clone(input), out)
    if row is table.SCATTER_REDUCE and input.desc.dtype is d.bool_:
        return into(_scattered_truth(*operands, *arguments), out)
    return call(row, operands, arguments) if out is None else into(call(row, operands, arguments), out)


@checked
def scatter_(input: T, dim: int, index: TensorBase, src: Any = None, *, value: Any = None, reduce: str | None = None) -> T:
    """`scatter` into `input` itself. Like: torch.Tensor.scatter_."""
    row, operands, arguments = _scattering(input, dim, index, _source(src, value), reduce)
    if row is table.SCATTER_REDUCE and input.desc.dtype is d.bool_:
        check_writable(input, "scatter_")
        return copy_into(input, _scattered_truth(*operands, *arguments))
    return input if row is None else _replaced(input, row, operands, arguments)


def _scattered_truth(input: T, index: TensorBase, src: TensorBase, dim: int, reduction: str) -> T:
    """A sum of truth values is true if one of them is, a product if all are."""
    return _scattered_extreme(input, dim, index, src, table.SCATTER_MAX if reduction == "add" else table.SCATTER_MIN)


@checked
def scatter_add(input: T, dim: int, index: TensorBase, src: TensorBase, *, out: T | None = None) -> T:
    """`scatter` that adds; several values for one place add up. Ascend operator: ScatterElements. Like: torch.scatter_add.

    Examples:
        >>> at.scatter_add(at.zeros(3), 0, at.tensor([0, 2, 0]), at.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.], device='npu:0')
    """
    return scatter(input, dim, index, src, reduce="add", out=out)


@checked
def scatter_add_(input: T, dim: int, index: TensorBase, src: TensorBase) -> T:
    """`scatter_add` into `input` itself. Like: torch.Tensor.scatter_add_."""
    return scatter_(input, dim, index, src, reduce="add")


def _source(src: Any, value: Any) -> Any:
    """What is scattered: PyTorch calls a number `value`."""
    if (src is None) == (value is None):
        raise DTypeError("scatter takes either src or value")
    return value if src is None else src


def _scattering(
    input: TensorBase, dim: int, index: TensorBase, src: Any, reduce: str | None
) -> tuple[Row | None, tuple[Any, ...], tuple[Any, ...]]:
    """Row, operands and arguments of a scatter; no row where there is nothing to write."""
    if reduce is not None and reduce not in _REDUCTIONS:
        raise ValueRangeError(f'reduce must be "add" or "multiply", not {reduce!r}').with_context("scatter", (input, index, src))
    dim = dim_of(input, dim, "scatter")
    if isinstance(src, TensorBase) and src.desc.dtype is not input.desc.dtype:
        names = f"{input.desc.dtype.name} and {src.desc.dtype.name}"
        raise DTypeError(f"input and src must have one dtype, not {names}", advice=ONE_DTYPE).with_context("scatter", (input, index, src))
    if not index.desc.numel:
        return None, (), ()
    _require_places(input, dim, index, "scatter")
    arguments = (dim, "none" if reduce is None else _REDUCTIONS[reduce])
    row = table.SCATTER if reduce is None else table.SCATTER_REDUCE
    return row, (input, index, _updates(input, index, src, "scatter")), arguments


def _require_places(input: TensorBase, dim: int, index: TensorBase, function: str) -> None:
    """Nothing is launched for a result without elements, so that no kernel would find the index wrong."""
    if input.desc.shape and not input.desc.shape[dim]:
        raise IndexRangeError(f"index out of range: dimension {dim} has no places").with_context(function, (input, index))


def _updates(input: TensorBase, index: TensorBase, src: Any, function: str) -> TensorBase:
    """One update for each element of the index."""
    if not isinstance(src, TensorBase):
        return filled(input, index.desc.shape, src)
    here, there = index.desc.shape, src.desc.shape
    if len(here) != len(there) or any(size > room for size, room in zip(here, there, strict=True)):
        raise ShapeError("src must be at least as long as the index in every dimension").with_context(function, (input, index, src))
    return src if here == there else base.view(src, here, base.element_strides(src), base.element_offset(src))


@checked
def scatter_reduce(
    input: T, dim: int, index: TensorBase, src: TensorBase, reduce: str, *, include_self: bool = True, out: T | None = None
) -> T:
    """A copy of `input` where all values for one place are reduced, with or without the one that is there.

    Args:
        input: Tensor.
        dim: The dimension.
        index: Integer tensor of as many dimensions, not longer than `input` in any other than `dim`.
        src: Tensor of the input's dtype, at least as long as the index everywhere.
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: Whether the values of `input` count too.
        out: Tensor of the input's shape to write into.

    Raises:
        ShapeError: The shapes don't fit.
        DTypeError: The dtypes differ, or are not supported.
        ValueRangeError: Another `reduce`.

    Ascend operator: ScatterElements; ScatterNdMax, ScatterNdMin, with ScatterElements for NaN. Like: torch.scatter_reduce.

    Examples:
        >>> at.scatter_reduce(at.tensor([1.0, 2.0]), 0, at.tensor([0, 0]), at.tensor([5.0, 3.0]), "amax")
        tensor([5., 2.], device='npu:0')
    """
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise ValueRangeError(f'reduce must be "sum", "prod", "mean", "amax" or "amin", not {reduce!r}', where="scatter_reduce")
    return into(_scatter_reduced(input, dim, index, src, reduce, include_self), out)


def _scatter_reduced(input: T, dim: int, index: TensorBase, src: TensorBase, reduce: str, include_self: bool) -> T:
    at = dim_of(input, dim, "scatter_reduce")
    if not index.desc.numel:
        return clone(input)
    _require_places(input, at, index, "scatter_reduce")
    if not include_self:
        input = scatter(input, dim, index, _identity(reduce, input.desc.dtype))
    if reduce in ("sum", "prod"):
        return scatter(input, dim, index, src, reduce=reduce)
    if reduce == "mean":
        return _scattered_mean(input, dim, index, src, include_self)
    return _scattered_extreme(input, dim, index, src, table.SCATTER_MAX if reduce == "amax" else table.SCATTER_MIN)


@checked
def scatter_reduce_(input: T, dim: int, index: TensorBase, src: TensorBase, reduce: str, *, include_self: bool = True) -> T:
    """`scatter_reduce` into `input` itself. Like: torch.Tensor.scatter_reduce_."""
    check_writable(input, "scatter_reduce_")
    return copy_into(input, scatter_reduce(input, dim, index, src, reduce, include_self=include_self))


def _identity(reduce: str, dtype: DType) -> Any:
    if reduce == "prod":
        return 1
    if reduce in ("sum", "mean"):
        return 0
    least = reduce == "amax"
    if dtype.is_floating_point:
        return float("-inf" if least else "inf")
    if dtype.category != d.INTEGER:
        return not least
    limits = d.iinfo(dtype)
    return limits.min if least else limits.max


def _scattered_mean(input: T, dim: int, index: TensorBase, src: TensorBase, include_self: bool) -> T:
    """Sum through number of values; where there are none, the sum is what was there."""
    dtype = input.desc.dtype
    if dtype is d.bool_:
        raise DTypeError("bool has no mean").with_context("scatter_reduce", (input, index, src))
    total = scatter(input, dim, index, src, reduce="add")
    # Halves stop counting at 2048 and 256.
    counting = d.float32 if dtype.itemsize == 2 and dtype.is_floating_point else dtype.to_real()
    one = filled(total, index.desc.shape, 1, counting)
    count = scatter(filled(total, total.desc.shape, int(include_self), counting), dim, index, one, reduce="add")
    count = elementwise.maximum(count, 1)
    return in_dtype(elementwise.div(total, count), dtype) if dtype.category > d.INTEGER else elementwise.floor_divide(total, count)


def _scattered_extreme(input: T, dim: int, index: TensorBase, src: TensorBase, row: Row) -> T:
    """By coordinates in the flattened tensor: no operator that scatters along a dimension takes the larger or smaller value."""
    dtype = input.desc.dtype
    if dtype.is_complex:
        raise DTypeError("complex numbers have no order").with_context("scatter_reduce", (input, index, src))
    working = {d.bfloat16: d.float32, d.bool_: d.uint8}.get(dtype, dtype)
    updates = _updates(input, index, src, "scatter_reduce")
    if updates.desc.dtype is not dtype:
        raise DTypeError("input and src must have one dtype", advice=ONE_DTYPE).with_context("scatter_reduce", (input, index, src))
    at = dim_of(input, dim, "scatter_reduce")
    try:
        check_index(input.desc.shape, index.desc.shape, at)
    except ShapeError as error:
        raise error.with_context("scatter_reduce", (input, index)) from None
    places = views.reshape(_flat_places(input.desc.shape, _places(index), at), (index.desc.numel, 1))
    flat = views.reshape(in_dtype(clone(input), working), input.desc.numel)
    line = views.reshape(in_dtype(updates, working), updates.desc.numel)
    call_into(row, (flat,), (flat, places, line))
    if dtype.is_floating_point:  # no NaN is larger or smaller, so the operator left them out; -0.0 changes nothing it is added to
        scatter_(flat, 0, views.reshape(places, index.desc.numel), comparison.where(comparison.isnan(line), line, -0.0), reduce="add")
    return in_dtype(views.reshape(flat, input.desc.shape), dtype)


def _flat_places(shape: tuple[int, ...], index: TensorBase, dim: int) -> TensorBase:
    """Where in the flattened tensor each index points."""
    if not shape:
        return in_dtype(index, d.int64)
    steps = shapes.contiguous_strides(shape)
    places = elementwise.mul(in_dtype(index, d.int64), steps[dim])
    for at, length in enumerate(index.desc.shape):
        if at != dim and length > 1:
            along = made(RANGE, (0, length * steps[at], steps[at]), (length, d.int64), index)
            places = elementwise.add(places, views.reshape(along, (length,) + (1,) * (len(shape) - 1 - at)))
    return places


# Whole slices along a dimension


def _slices(function: str, input: T, dim: int, index: TensorBase) -> tuple[T, int, TensorBase]:
    """The tensor with at least one dimension, the dimension, and the index as a vector."""
    if len(index.desc.shape) > 1:
        raise IndexRangeError("the index must be a vector").with_context(function, (input, index))
    at = dim_of(input, dim, function)
    whole = input if input.desc.shape else views.reshape(input, 1)
    if index.desc.numel and not whole.desc.shape[at]:
        raise IndexRangeError(f"index out of range: dimension {at} has no places").with_context(function, (input, index))
    return whole, at, _places(index if index.desc.shape else views.reshape(index, 1))


@checked
def index_add(input: T, dim: int, index: TensorBase, source: TensorBase, *, alpha: Any = 1, out: T | None = None) -> T:
    """A copy of `input` with slices of `source`, times `alpha`, added at the places of a dimension; places that repeat add up.

    Args:
        input: Tensor of any dtype.
        dim: The dimension.
        index: Integer vector.
        source: Tensor of the input's dtype and shape, but as long along `dim` as the index.
        alpha: Number.
        out: Tensor of the input's shape to write into.

    Raises:
        ShapeError: The shapes don't fit.
        DTypeError: The dtypes differ, or are not supported.

    Ascend operator: InplaceIndexAdd; IndexPutV2, ScatterNdAdd for bool and complex numbers. Like: torch.index_add, numpy.add.at.

    Examples:
        >>> at.index_add(at.zeros(3), 0, at.tensor([0, 2, 0]), at.tensor([1.0, 2.0, 3.0]))
        tensor([4., 0., 2.], device='npu:0')
    """
    return into(index_add_(clone(input), dim, index, source, alpha=alpha), out)


@checked
def index_add_(input: T, dim: int, index: TensorBase, source: TensorBase, *, alpha: Any = 1) -> T:
    """`index_add` into `input` itself. Like: torch.Tensor.index_add_."""
    whole, at, places = _slices("index_add", input, dim, index)
    if len(source.desc.shape) < len(whole.desc.shape):
        source = views.reshape(source, (1,))
    if source.desc.dtype is not input.desc.dtype:
        raise DTypeError("input and source must have one dtype", advice=ONE_DTYPE).with_context("index_add", (input, source))
    wanted = (*whole.desc.shape[:at], places.desc.numel, *whole.desc.shape[at + 1 :])
    if source.desc.shape != wanted:
        raise ShapeError(f"source must have shape {list(wanted)}").with_context("index_add", (input, index, source))
    if input.desc.dtype is d.bool_ or input.desc.dtype.is_complex:
        added = source if isinstance(alpha, (int, np.integer)) and alpha == 1 else elementwise.mul(source, alpha)
        index_put_(whole, (None,) * at + (places,), in_dtype(added, input.desc.dtype), True)
    elif places.desc.numel and source.desc.numel:
        _update(whole, table.INPLACE_INDEX_ADD, (places, source, number_in(alpha, source.desc.dtype)), (at,))
    return input


@checked
def index_copy(input: T, dim: int, index: TensorBase, source: TensorBase, *, out: T | None = None) -> T:
    """A copy of `input` with slices of `source` at the places of a dimension.

    Args:
        input: Tensor of any dtype.
        dim: The dimension.
        index: Integer vector.
        source: Tensor of the input's dtype and shape, but as long along `dim` as the index.
        out: Tensor of the input's shape to write into.

    Raises:
        ShapeError: The shapes don't fit.
        DTypeError: The dtypes differ.

    Ascend operator: IndexPutV2. Like: torch.index_copy.

    Examples:
        >>> at.index_copy(at.zeros(3), 0, at.tensor([2, 0]), at.tensor([5.0, 6.0]))
        tensor([6., 0., 5.], device='npu:0')
    """
    return into(index_copy_(clone(input), dim, index, source), out)


@checked
def index_copy_(input: T, dim: int, index: TensorBase, source: TensorBase) -> T:
    """`index_copy` into `input` itself. Like: torch.Tensor.index_copy_."""
    whole, at, places = _slices("index_copy", input, dim, index)
    shape = whole.desc.shape
    wanted = (*shape[:at], places.desc.numel, *shape[at + 1 :])
    if source.desc.shape != wanted and input.desc.shape:
        raise ShapeError(f"source must have shape {list(wanted)}").with_context("index_copy", (input, index, source))
    if source.desc.dtype is not input.desc.dtype:
        raise DTypeError("input and source must have one dtype", advice=ONE_DTYPE).with_context("index_copy", (input, source))
    index_put_(whole, (None,) * at + (places,), source)
    return input


@checked
def index_reduce(
    input: T, dim: int, index: TensorBase, source: TensorBase, reduce: str, *, include_self: bool = True, out: T | None = None
) -> T:
    """A copy of `input` where slices of `source` are reduced into the places of a dimension that a vector names.

    Args:
        input: Tensor of a real dtype but bool.
        dim: The dimension.
        index: Integer vector.
        source: Tensor of the input's dtype and shape, but as long along `dim` as the index.
        reduce: "prod", "mean", "amax" or "amin".
        include_self: Whether the values of `input` count too.
        out: Tensor of the input's shape to write into.

    Raises:
        ShapeError: The shapes don't fit.
        DTypeError: The dtypes differ, or are not supported.
        ValueRangeError: Another `reduce`.

    Ascend operator: as `scatter_reduce`. Like: torch.index_reduce.

    Examples:
        >>> at.index_reduce(at.tensor([1.0, 2.0]), 0, at.tensor([0, 0]), at.tensor([5.0, 3.0]), "amax")
        tensor([5., 2.], device='npu:0')
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise ValueRangeError(f'reduce must be "prod", "mean", "amax" or "amin", not {reduce!r}')
    whole, at, places = _slices("index_reduce", input, dim, index)
    if len(source.desc.shape) < len(whole.desc.shape):
        source = views.reshape(source, (1,))
    shape = whole.desc.shape
    wanted = (*shape[:at], places.desc.numel, *shape[at + 1 :])
    if source.desc.shape != wanted:
        raise ShapeError(f"source must have shape {list(wanted)}")
    if source.desc.dtype is not input.desc.dtype:
        raise DTypeError("input and source must have one dtype", advice=ONE_DTYPE)
    spread = views.expand(views.reshape(places, (1,) * at + (-1,) + (1,) * (len(shape) - 1 - at)), wanted)
    result = scatter_reduce(whole, at, spread, source, reduce, include_self=include_self)
    return into(views.reshape(result, input.desc.shape), out)


@checked
def index_reduce_(input: T, dim: int, index: TensorBase, source: TensorBase, reduce: str, *, include_self: bool = True) -> T:
    """`index_reduce` into `input` itself. Like: torch.Tensor.index_reduce_."""
    check_writable(input, "index_reduce_")
    return copy_into(input, index_reduce(input, dim, index, source, reduce, include_self=include_self))


@checked
def index_fill(input: T, dim: int, index: TensorBase, value: Any) -> T:
    """A copy of `input` with one number at the places of a dimension.

    Args:
        input: Tensor of any dtype.
        dim: The dimension.
        index: Integer vector.
        value: Number, or 0-d tensor.

    Ascend operator: IndexPutV2. Like: torch.index_fill.

    Examples:
        >>> at.index_fill(at.tensor([1, 2, 3]), 0, at.tensor([0, 2]), -1)
        tensor([-1,  2, -1], device='npu:0')
    """
    return index_fill_(clone(input), dim, index, value)


@checked
def index_fill_(input: T, dim: int, index: TensorBase, value: Any) -> T:
    """`index_fill` into `input` itself. Like: torch.Tensor.index_fill_."""
    whole, at, places = _slices("index_fill", input, dim, index)
    if isinstance(value, TensorBase) and value.desc.shape:
        raise ShapeError("value must be a number or a 0-d tensor").with_context("index_fill", (input, index, value))
    index_put_(whole, (None,) * at + (places,), value)
    return input


def put(input: T, index: TensorBase, source: TensorBase, accumulate: bool = False) -> T:
    """A copy of `input` with elements of `source` at places of it flattened. Ascend operator: IndexPutV2. Like: torch.put, numpy.put.

    Examples:
        >>> at.put(at.tensor([[1, 2], [3, 4]]), at.tensor([0, 3]), at.tensor([9, 8]))
        tensor([[9, 2],
                [3, 8]], device='npu:0')
    """
    return put_(clone(input), index, source, accumulate)


@checked
def put_(input: T, index: TensorBase, source: TensorBase, accumulate: bool = False) -> T:
    """`put` into `input` itself. Like: torch.Tensor.put_."""
    if index.desc.numel != source.desc.numel:
        raise ShapeError("index and source must have as many elements").with_context("put_", (input, index, source))
    check_writable(input, "put_")
    whole = contiguous(input)
    flat = views.reshape(whole, whole.desc.numel)
    index_put_(flat, (views.reshape(_places(index), index.desc.numel),), views.reshape(source, source.desc.numel), accumulate)
    return input if whole is input else copy_into(input, whole)


# Masks


@overload
def nonzero(input: T, *, as_tuple: Literal[False] = False, out: T | None = None) -> T: ...
@overload
def nonzero(input: T, *, as_tuple: Literal[True]) -> tuple[T, ...]: ...
@overload
def nonzero(input: T, *, as_tuple: bool) -> Any: ...
@checked
def nonzero(input: T, *, as_tuple: bool = False, out: T | None = None) -> Any:
    """Coordinates of the elements that are not zero, in row-major order. Waits for the device, since their number decides the shape.

    Args:
        input: Tensor of any shape and dtype.
        as_tuple: Give a vector of each dimension's coordinates instead of a row for each element.
        out: int64 tensor of the result's shape to write into; not with `as_tuple`.

    Returns:
        int64 tensor [number, dimensions], or a tuple of int64 vectors.

    Ascend operator: NonZero. Like: torch.nonzero, numpy.argwhere.

    Examples:
        >>> at.nonzero(at.tensor([[0, 1], [2, 0]]))
        tensor([[0, 1],
                [1, 0]], device='npu:0')
        >>> at.nonzero(at.tensor([0, 5, 6]), as_tuple=True)
        (tensor([1, 2], device='npu:0'),)
    """
    if as_tuple and out is not None:
        raise DTypeError("there is no out with as_tuple").with_context("nonzero", (input,))
    shape = input.desc.shape
    if input.desc.dtype.is_complex:
        input = in_dtype(input, d.bool_)
    if not shape:
        count = nonzero(views.reshape(input, 1)).desc.shape[0]
        if as_tuple:
            return (filled(input, (count,), 0, d.int64),)
        return into(filled(input, (count, 0), 0, d.int64), out)
    if not as_tuple:
        return into(structured(table.NONZERO, input, False), out)
    return views.unbind(structured(table.NONZERO, input, True), 0)


@overload
def where(condition: T) -> tuple[T, ...]: ...
@overload
def where(condition: T, input: Any, other: Any, *, out: Any = None) -> T: ...
@checked
def where(condition: TensorBase, input: Any = None, other: Any = None, *, out: Any = None) -> Any:
    """`input` where `condition` holds, else `other`; of the condition alone, the coordinates where it holds, as by `nonzero`.

    Args:
        condition: bool tensor; alone, of any dtype.
        input: Tensor or Python number.
        other: Tensor or Python number; all three broadcast.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape and the promoted dtype of `input` and `other`; or a tuple of int64 vectors.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: `condition` is not bool, or only one of the two others is given.

    Ascend operator: SelectV2, NonZero. Like: torch.where, numpy.where.

    Examples:
        >>> x = at.tensor([-1.0, 2.0])
        >>> at.where(x > 0, x, 0.0)
        tensor([0., 2.], device='npu:0')
    """
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if input is None or other is None:
        raise DTypeError("both input and other are needed, or none of them").with_context("where", (condition,))
    return comparison.where(condition, input, other, out=out)


@checked
def unravel_index(indices: T, shape: Any) -> tuple[T, ...]:
    """Coordinates in a tensor of a shape of places in it flattened.

    Args:
        indices: Integer tensor of any shape.
        shape: The lengths of the dimensions, or one length.

    Returns:
        An int64 tensor of the indices' shape for each dimension.

    Raises:
        DTypeError: Not an integer dtype.
        ShapeError: A length is negative.

    Ascend operator: FloorDiv, FloorMod. Like: torch.unravel_index, numpy.unravel_index.

    Examples:
        >>> at.unravel_index(at.tensor([3, 5]), (2, 3))
        (tensor([1, 1], device='npu:0'), tensor([0, 2], device='npu:0'))
    """
    if indices.desc.dtype.category != d.INTEGER:
        raise DTypeError(f"indices must be of an integer dtype, not {indices.desc.dtype.name}")
    lengths = shapes.as_shape(shape)
    places = in_dtype(indices, d.int64)
    steps = shapes.contiguous_strides(lengths)
    return tuple(
        elementwise.remainder(places if step == 1 else elementwise.floor_divide(places, step), length)
        for step, length in zip(steps, lengths, strict=True)
    )


@checked
def argwhere(input: T) -> T:
    """`nonzero` as one tensor. Like: torch.argwhere, numpy.argwhere.

    Examples:
        >>> at.argwhere(at.tensor([[0, 1], [2, 0]]))
        tensor([[0, 1],
                [1, 0]], device='npu:0')
    """
    return nonzero(input)


@checked
def masked_select(input: T, mask: TensorBase, *, out: T | None = None) -> T:
    """The elements where a mask holds, as a vector. Waits for the device, since their number decides the shape.

    Args:
        input: Tensor of any dtype.
        mask: bool tensor that broadcasts with it.
        out: Vector of the result's length to write into.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: `mask` is not bool.

    Ascend operator: MaskedSelect. Like: torch.masked_select.

    Examples:
        >>> at.masked_select(at.tensor([1, 2, 3]), at.tensor([True, False, True]))
        tensor([1, 3], device='npu:0')
    """
    if input.desc.shape != mask.desc.shape:
        try:
            common = shapes.broadcast_shapes(input.desc.shape, mask.desc.shape)
        except AscendTensorError as error:
            raise error.with_context("masked_select", (input, mask)) from None
        input, mask = views.expand(input, common), views.expand(mask, common)
    found = binary(table.MASKED_SELECT, input, mask)
    return into(trimmed(found, input.desc.numel), out)


@checked
def masked_scatter(input: T, mask: TensorBase, source: TensorBase) -> T:
    """`input` with elements of `source`, in order, where a mask holds.

    Args:
        input: Tensor.
        mask: bool tensor that broadcasts with it.
        source: Tensor of the input's dtype with at least as many elements as the mask holds.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: The dtypes differ, or `mask` is not bool.
        AclError: `source` has too few elements; shows at the next synchronising call.

    Ascend operator: MaskedScatter. Like: torch.masked_scatter, numpy.place.

    Examples:
        >>> at.masked_scatter(at.tensor([0, 0, 0]), at.tensor([True, False, True]), at.tensor([7, 8, 9]))
        tensor([7, 0, 8], device='npu:0')
    """
    common = shapes.broadcast_shapes(input.desc.shape, mask.desc.shape)
    something = _masked(input, mask, source, common)
    input, mask = views.expand(input, common), views.expand(mask, common)
    if not something:
        return clone(input)
    if input.desc.dtype is d.complex128:  # in pairs, which the mask counts twice
        pairs = views.expand(views.unsqueeze(mask, -1), (*common, 2))
        return from_pairs(call(table.MASKED_SCATTER, (as_pairs(input), pairs, as_pairs(source))))
    return call(table.MASKED_SCATTER, (input, mask, source))


def _masked(input: TensorBase, mask: TensorBase, source: TensorBase, shape: tuple[int, ...]) -> bool:
    """Whether a mask spread over a shape may put anything there; refuses what does not fit."""
    if mask.desc.dtype is not d.bool_:
        raise DTypeError(f"the mask must be bool, not {mask.desc.dtype.name}")
    if source.desc.dtype is not input.desc.dtype:
        raise DTypeError("input and source must have one dtype", advice=ONE_DTYPE)
    spread = views.expand(mask, shape)
    if not source.desc.numel and host.item(any_(spread)):
        raise ValueRangeError("source has no elements, but the mask holds somewhere")
    return bool(input.desc.numel and source.desc.numel and spread.desc.numel)


@checked
def masked_scatter_(input: T, mask: TensorBase, source: TensorBase) -> T:
    """`masked_scatter` into `input` itself, which stays as it is where `source` is too short. Like: torch.Tensor.masked_scatter_."""
    check_writable(input, "masked_scatter_")
    if not _masked(input, mask, source, input.desc.shape):
        return input
    if input.desc.dtype is d.complex128:
        pairs = views.expand(views.unsqueeze(mask, -1), (*input.desc.shape, 2))
        masked_scatter_(views.view_as_real(input), pairs, views.view_as_real(source))
        return input
    return _update(input, table.MASKED_SCATTER, (views.expand(mask, input.desc.shape), source), ())
