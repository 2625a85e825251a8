"""Cross products, distances of vectors, and covariances."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
import warnings
from operator import index as as_int
from typing import Any, Final, TypeVar

import numpy as np

from ... import dtypes as d
from ... import promotion, shapes
from ...base import TensorBase
from ...errors import AscendTensorError, DTypeError, ShapeError, ValueRangeError
from .. import chips, gather, host, shape, views
from ..arguments import checked, require_tensor
from ..call import call, structured
from ..operands import filled, in_dtype
from ..pointwise import comparison, elementwise, unary
from ..pointwise.complex_numbers import conj
from ..reduction import floating, mean, narrowed, sum, vector_norm, widened
from ..table import linalg as table
from ..writing import into, write
from .forms import real, turned
from .matmul import matmul

T = TypeVar("T", bound=TensorBase)

_BLOCK: Final = 1 << 22
"""Differences that are held at once."""
_FEW: Final = 25
"""Up to so many vectors on both sides distances are taken from differences; beyond, Euclidean ones from a product (PyTorch's rule)."""


# Cross products


@checked
def cross(input: T, other: T, *, dim: int = -1, out: T | None = None) -> T:
    """The cross product of vectors of three numbers.

    Args:
        input: Tensor of any dtype but bool.
        other: Tensor of the same dtype; both broadcast.
        dim: The dim of the vectors, of length 3.
        out: Tensor of the broadcast shape to write into.

    Returns:
        Tensor of the broadcast shape.

    Raises:
        ShapeError: The shapes do not fit, or another length.
        DTypeError: bool.
        IndexRangeError: There is no such dim.

    Ascend operator: Cross. Like: torch.linalg.cross, numpy.linalg.cross.

    Examples:
        >>> at.linalg.cross(at.tensor([1.0, 0.0, 0.0]), at.tensor([0.0, 1.0, 0.0]))
        tensor([0., 0., 1.], device='npu:0')
    """
    left, right = input.desc.shape, other.desc.shape
    if len(left) != len(right):
        raise ShapeError(f"shapes {list(left)} and {list(right)} have not the same number of dims").with_context("cross", (input, other))
    axis = shapes.normalize_dim(dim, len(left))
    if not left or left[axis] != 3 or right[axis] != 3:
        raise ShapeError(f"dim {dim} of shapes {list(left)} and {list(right)} has not length 3").with_context("cross", (input, other))
    common = shapes.broadcast_shapes(left, right)
    operands = tuple(each if each.desc.shape == common else views.expand(each, common) for each in (input, other))
    return call(table.CROSS, operands, (axis,)) if out is None else write(table.CROSS, out, operands, (axis,))


# Distances


@checked
def dist(input: T, other: T, p: float = 2) -> T:
    """The p-norm of the difference, a 0-d tensor.

    Args:
        input: Tensor of floating or complex dtype.
        other: Tensor that broadcasts with it.
        p: The order, as for `linalg.vector_norm`.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: bool or integers.

    Ascend operator: Sub and LpNormV2. Like: torch.dist.

    Examples:
        >>> at.dist(at.tensor([0.0, 0.0]), at.tensor([3.0, 4.0]))
        tensor(5., device='npu:0')
    """
    return vector_norm(elementwise.sub(input, require_tensor(other, "other", "dist")), p)


_MODES: Final = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


@checked
def cdist(x1: T, x2: T, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> T:
    """The p-norm distances of every vector of one stack from every one of another.

    Args:
        x1: (..., P, M) tensor of floating dtype.
        x2: (..., R, M) tensor of the same dtype; stacks broadcast.
        p: The order, 0 or more.
        compute_mode: Whether Euclidean distances come from a matrix product, which is faster and loses small ones; by default of more
            than 25 vectors.

    Returns:
        (..., P, R) tensor of the same dtype.

    Raises:
        ShapeError: The shapes do not fit.
        ValueRangeError: A negative order, another mode.
        DTypeError: The dtype is not floating, or there are two.

    Ascend operator: Sub and LpNormV2; MatMulV2 for many vectors. Cdist itself has no prebuilt kernel, and makes a model for each order.
    Like: torch.cdist, scipy.spatial.distance.cdist.

    Examples:
        >>> at.cdist(at.tensor([[0.0, 0.0]]), at.tensor([[3.0, 4.0], [0.0, 1.0]]))
        tensor([[5., 1.]], device='npu:0')
    """
    if compute_mode not in _MODES:
        raise ValueRangeError(f"compute_mode must be one of {', '.join(map(repr, _MODES))}, not {compute_mode!r}", where="cdist")
    left, right = x1.desc.shape, x2.desc.shape
    _real("cdist", x1, x2)
    if p < 0:
        raise ValueRangeError(f"p is {p}, which is negative").with_context("cdist", (x1, x2))
    if min(len(left), len(right)) < 2 or left[-1] != right[-1]:
        raise ShapeError(f"shapes {list(left)} and {list(right)} are not two stacks of vectors of one length").with_context(
            "cdist", (x1, x2)
        )
    try:
        stack = shapes.broadcast_shapes(left[:-2], right[:-2])
    except AscendTensorError as error:
        raise error.with_context("cdist", (x1, x2)) from None
    product = compute_mode == _MODES[1] or (compute_mode == _MODES[0] and max(left[-2], right[-2]) > _FEW)
    if p == 2 and product and left[-1]:
        return _by_product(x1, x2)
    rows = left[-2]
    size = max(math.prod(stack) * right[-2] * left[-1], 1)
    step = max(_BLOCK // size, 1)
    others = views.unsqueeze(x2, -3)
    parts = [
        _norm(elementwise.sub(views.unsqueeze(views.narrow(x1, -2, start, min(step, rows - start)), -2), others), p)
        for start in range(0, rows, step)
    ]
    if not parts:
        return filled(x1, (*stack, rows, right[-2]), 0)
    return parts[0] if len(parts) == 1 else shape.cat(parts, -2)


def _real(function: str, *operands: TensorBase) -> None:
    for operand in operands:
        dtype = operand.desc.dtype
        if not dtype.is_floating_point or dtype is not operands[0].desc.dtype:
            names = " and ".join(each.desc.dtype.name for each in operands)
            raise DTypeError(f"operands of one floating dtype are needed, not {names}").with_context(function, operands)


def _norm(difference: T, p: float) -> T:
    """Norms over the last dim; 0 over nothing."""
    if not difference.desc.shape[-1]:
        return filled(difference, difference.desc.shape[:-1], 0)
    return vector_norm(difference, p, -1)


def _by_product(x1: T, x2: T) -> T:
    """Euclidean distances as the roots of |a|**2 + |b|**2 - 2 a.b, in float32 for half types."""
    left, right = widened(x1), widened(x2)
    lengths = sum(elementwise.mul(left, left), -1, True)
    others = turned(sum(elementwise.mul(right, right), -1, True))
    products = elementwise.mul(matmul(left, turned(right)), -2)
    squares = elementwise.add(elementwise.add(products, lengths), others)
    return narrowed(unary.sqrt(elementwise.clamp(squares, min=0)), x1)


@checked
def pdist(input: T, p: float = 2.0) -> T:
    """The p-norm distances of every row from the later ones, as one vector.

    Args:
        input: (n, m) tensor of floating dtype.
        p: The order, 0 or more.

    Returns:
        (n * (n - 1) / 2) tensor of the same dtype: of rows (0, 1), (0, 2), ... (1, 2) and so on.

    Raises:
        ShapeError: It is not a matrix.
        ValueRangeError: A negative order.
        DTypeError: The dtype is not floating.

    Ascend operator: Pdist; Sub and reductions for float64 and for p = inf. Like: torch.pdist, scipy.spatial.distance.pdist.

    Examples:
        >>> at.nn.functional.pdist(at.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
        tensor([5.0000, 1.0000, 4.2426], device='npu:0')
    """
    _real("pdist", input)
    if len(input.desc.shape) != 2:
        raise ShapeError(f"a matrix is needed, not shape {list(input.desc.shape)}").with_context("pdist", (input,))
    if p < 0:
        raise ValueRangeError(f"p is {p}, which is negative").with_context("pdist", (input,))
    rows = input.desc.shape[0]
    count = rows * (rows - 1) // 2
    if not input.desc.numel or not count:
        return filled(input, (count,), 0)
    known = input.desc.dtype is not d.float64 and not chips.lacks(table.PAIR_DISTANCES, input.desc.dtype)
    if known and not math.isinf(p):  # JSON can't carry infinities to a compiler
        return structured(table.PAIR_DISTANCES, input, float(p))
    first, second = np.triu_indices(rows, 1)
    whole = cdist(input, input, p, _MODES[2])
    return gather.take(whole, host.upload(first * rows + second, d.int64, input.desc.device))


@checked
def renorm(input: T, p: float, dim: int, maxnorm: float, *, out: T | None = None) -> T:
    """Each slice along a dim scaled down to the norm `maxnorm`, where its norm is larger.

    Args:
        input: Tensor of at least two dims, of floating or complex dtype.
        p: The order of the norm, above 0.
        dim: The dim whose slices are looked at one by one.
        maxnorm: The largest norm, not negative.
        out: Tensor of the same shape to write into; `input` itself for the in-place form.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        ShapeError: Less than two dims.
        ValueRangeError: `p` or `maxnorm` is outside its range.
        IndexRangeError: There is no such dim.
        DTypeError: bool or integers.

    Ascend operator: LpNormV2, SelectV2 and Mul: Renorm itself makes a model for each `maxnorm`. Like: torch.renorm.

    Examples:
        >>> at.renorm(at.tensor([[3.0, 4.0], [0.0, 1.0]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.0000, 1.0000]], device='npu:0')
    """
    floating(input, "renorm")
    rank = len(input.desc.shape)
    if rank < 2:
        raise ShapeError(f"at least two dims are needed, not shape {list(input.desc.shape)}").with_context("renorm", (input,))
    if not p > 0 or not maxnorm >= 0:
        raise ValueRangeError(f"p is {p} and maxnorm {maxnorm}; they must be above 0 and not negative").with_context("renorm", (input,))
    axis = shapes.normalize_dim(dim, rank)
    wide = widened(input)
    norms = vector_norm(wide, p, tuple(each for each in range(rank) if each != axis), True)
    scale = comparison.where(comparison.gt(norms, maxnorm), elementwise.mul(unary.reciprocal(elementwise.add(norms, 1e-7)), maxnorm), 1.0)
    return into(narrowed(elementwise.mul(wide, in_dtype(scale, wide.desc.dtype)), input), out)


# Covariances


@checked
def cov(input: T, *, correction: int = 1, fweights: T | None = None, aweights: T | None = None) -> T:
    """The covariances of variables.

    Args:
        input: (D, N) tensor of N observations of D variables, or (N) or 0-d of one; not bool.
        correction: What the number of observations is lessened by.
        fweights: (N) integer tensor: how often each observation counts.
        aweights: (N) floating tensor: how much each observation counts.

    Returns:
        (D, D) tensor, 0-d of one variable; of the default dtype for integers.

    Raises:
        ShapeError: More than two dims, weights of another length.
        DTypeError: bool; weights of another kind.

    Ascend operator: ReduceMean, Sub, MatMulV2 and RealDiv. Like: torch.cov, numpy.cov.

    Examples:
        >>> at.cov(at.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]], device='npu:0')
    """
    if len(input.desc.shape) > 2 or input.desc.dtype is d.bool_:
        kind = ShapeError if len(input.desc.shape) > 2 else DTypeError
        raise kind(f"at most two dims of numbers are needed, not {input.desc.dtype.name}{list(input.desc.shape)}").with_context(
            "cov", (input,)
        )
    data = views.reshape(input, (1, -1)) if len(input.desc.shape) < 2 else input
    count = data.desc.shape[1]
    if input.desc.dtype.category < d.FLOATING:
        data = comparison.cast(data, d.get_default_dtype())
    weights, correction = _weights(data, count, fweights, aweights), as_int(correction)
    if weights is not None:
        if not count:
            raise ValueRangeError("the weights of no observations add up to 0").with_context("cov", (input,))
        data = in_dtype(data, weights.desc.dtype)
    if weights is None:
        centred = elementwise.sub(data, mean(data, 1, True))
        weighted: T = centred
        freedom: Any = count - correction
        if freedom <= 0:
            warnings.warn("cov(): degrees of freedom is <= 0", UserWarning, stacklevel=3)
        freedom = max(freedom, 0)
    else:
        total = sum(weights)
        centred = elementwise.sub(data, elementwise.div(sum(elementwise.mul(data, weights), 1, True), total))
        weighted = elementwise.mul(centred, weights)
        lost: Any = correction
        if aweights is not None:
            own = in_dtype(aweights, weights.desc.dtype)
            lost = elementwise.div(elementwise.mul(sum(elementwise.mul(weights, own)), correction), total)
        freedom = elementwise.clamp(elementwise.sub(real(total), real(lost) if aweights is not None else lost), min=0)
    products = matmul(weighted, turned(conj(centred)))
    return views.squeeze(elementwise.div(products, freedom))


def _weights(data: T, count: int, fweights: T | None, aweights: T | None) -> T | None:
    result = None
    for weights, integral, name in ((fweights, True, "fweights"), (aweights, False, "aweights")):
        if weights is None:
            continue
        dtype = require_tensor(weights, name, "cov").desc.dtype
        if (dtype.category == d.INTEGER) is not integral or dtype.is_complex or dtype is d.bool_:
            raise DTypeError(f"{name} must be {'integers' if integral else 'floating'}, not {dtype.name}").with_context("cov", (data,))
        if weights.desc.shape not in ((count,), ()) or (not weights.desc.shape and count != 1):
            raise ShapeError(f"{name} of shape {list(weights.desc.shape)} do not fit {count} observations").with_context("cov", (data,))
        found = views.reshape(weights, (count,))
        result = found if result is None else elementwise.mul(result, found)
    if result is None:
        return None
    dtype = promotion.promote_types(result.desc.dtype, data.desc.dtype)
    return in_dtype(result, dtype)


@checked
def corrcoef(input: T) -> T:
    """The correlations (Pearson's) of variables.

    Args:
        input: (D, N) tensor of N observations of D variables, or (N) or 0-d of one; not bool.

    Returns:
        (D, D) tensor of numbers between -1 and 1, 0-d of one variable.

    Raises:
        ShapeError: More than two dims.
        DTypeError: bool.

    Ascend operator: those of `cov`, Sqrt, RealDiv and ClipByValueV2. Like: torch.corrcoef, numpy.corrcoef.

    Examples:
        >>> at.corrcoef(at.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]], device='npu:0')
    """
    products = cov(input)
    if not products.desc.shape:
        return elementwise.div(products, products)
    deviations = unary.sqrt(real(views.diagonal(products)))
    deviations = in_dtype(deviations, products.desc.dtype)
    result = elementwise.div(elementwise.div(products, views.unsqueeze(deviations, -1)), deviations)
    if not result.desc.dtype.is_complex:
        return elementwise.clamp(result, -1, 1)
    parts = views.view_as_real(result)
    return views.view_as_complex(elementwise.clamp(parts, -1, 1))
