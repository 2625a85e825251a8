"""Random numbers on the device: Philox, counted on the host.

Each draw is one operator whose numbers follow from a seed and a counter alone. The generator of a device owns both and moves the counter
on with every draw, so the same seed gives the same numbers in every run and on every device of a kind. Numbers of another dtype are
other numbers, not roundings of the same: float16 has 11 random bits, float32 24, float64 53. bfloat16 is drawn in float32 and cut to 8.
Seed and counter are values that are written to the device, so no draw ever needs another operator model than the first of its shape.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Final, TypeVar

from . import base, shapes
from . import dtypes as d
from .base import TensorBase
from .creation import of_target
from .dtypes import DTypeLike, as_dtype, get_default_dtype
from .dtypes import dtype as DType
from .errors import DTypeError, ShapeError, ValueRangeError
from .generators import (
    Generator,
    default_generator,
    fork_rng,
    generator_of,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .ops import gather, views
from .ops.arguments import checked
from .ops.call import call
from .ops.operands import in_dtype
from .ops.pointwise import comparison, elementwise, unary
from .ops.table import random as table
from .ops.table.elementwise import CAST
from .ops.writing import check_writable, copy_into, into
from .options import LikeOptions, TensorOptions, check_options
from .runtime.device import Device, DeviceLike, as_device

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .tensor import NPUTensor

__all__ = [
    "Generator",
    "bernoulli",
    "binomial",
    "default_generator",
    "dropout",
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "multinomial",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
    "shuffle",
]
__dir__ = __all__.copy

T = TypeVar("T", bound=TensorBase)

_SHORT: Final = 1 << 22
"""The longest range of integers that is drawn from 32 bits, and from 64 without parts."""
_LONG: Final = 1 << 54


# One draw


def _source(generator: Generator | None, device: DeviceLike) -> tuple[Device, Generator]:
    if generator is None:
        where = as_device(device)
        return where, generator_of(where.index)
    where = generator.device if device is None else as_device(device)
    if generator._device is not None and where is not generator.device:
        raise ValueRangeError(f"the generator draws on {generator.device}, not on {where}", where="random")
    return where, generator


def _signed(seed: int) -> int:
    return seed - (1 << 64) if seed >> 63 else seed


def _uniform(shape: tuple[int, ...], dtype: DType, generator: Generator | None, device: DeviceLike) -> Any:
    """Numbers in [0, 1)."""
    if dtype.is_complex:
        return views.view_as_complex(_uniform((*shape, 2), dtype.to_real(), generator, device))
    where, source = _source(generator, device)
    key, offset = source.draw()
    if dtype is not d.bfloat16:
        return call(table.UNIFORM, ((key,), (0, offset)), (shape, dtype), where)
    # Rounding could give 1: the eight bits that bfloat16 has room for are cut off first.
    wide = call(table.UNIFORM, ((key,), (0, offset)), (shape, d.float32), where)
    cut = elementwise.mul(unary.floor(elementwise.mul(wide, 256.0)), 1 / 256)
    return call(CAST, (cut,), (dtype,))


def _normal(shape: tuple[int, ...], dtype: DType, generator: Generator | None, device: DeviceLike) -> Any:
    if dtype.is_complex:
        parts = _normal((*shape, 2), dtype.to_real(), generator, device)
        return views.view_as_complex(elementwise.mul(parts, math.sqrt(0.5)))
    where, source = _source(generator, device)
    key, offset = source.draw()
    return call(table.NORMAL, ((key,), (0, offset)), (shape, dtype), where)


def truncated_normal(shape: tuple[int, ...], dtype: DType, generator: Generator | None, device: DeviceLike) -> Any:
    """Numbers of the normal distribution of mean 0 and deviation 1 that lie within two deviations."""
    where, source = _source(generator, device)
    key, offset = source.draw()
    return call(table.TRUNCATED_NORMAL, ((key,), (0, offset)), (shape, dtype), where)


def _integers(low: int, high: int, shape: tuple[int, ...], dtype: DType, generator: Generator | None, device: DeviceLike) -> Any:
    """Drawn with as many bits as the range needs, whatever the dtype, so that the dtype does not change the numbers.

    The operator takes random bits modulo the range, which makes low numbers likelier by up to range / 2**bits: a thousandth at most here.
    """
    low, high = operator.index(low), operator.index(high)  # the difference of NumPy's integers has no more bits than they
    where, source = _source(generator, device)
    if high - low > _LONG:
        drawn = _in_parts(low, high, shape, source, where)
        working = d.int64
    else:
        working = d.int32 if high - low <= _SHORT and low >= -(1 << 31) and high < 1 << 31 else d.int64
        drawn = _operator_integers(low, high, shape, working, source, where)
    return drawn if dtype is working else call(CAST, (drawn,), (dtype,))


def _operator_integers(low: int, high: int, shape: tuple[int, ...], dtype: DType, source: Generator, where: Device) -> Any:
    key, offset = source.draw()
    return call(table.UNIFORM_INT, ((key,), (0, offset), low, high), (shape, dtype), where)


def _in_parts(low: int, high: int, shape: tuple[int, ...], source: Generator, where: Device) -> Any:
    """Upper and lower 32 bits by themselves; the few numbers that are beyond the end are drawn again, as the operator does."""
    start, below = divmod(low, 1 << 32)
    last, rest = divmod(high - low - 1, 1 << 32)
    upper = _operator_integers(0, last + 1, shape, d.int64, source, where)
    lower = _operator_integers(0, 1 << 32, shape, d.int64, source, where)
    again = _operator_integers(low, high, shape, d.int64, source, where)
    beyond = comparison.logical_and(comparison.eq(upper, last), comparison.gt(lower, rest))
    made = elementwise.add(elementwise.mul(elementwise.add(upper, start), 1 << 32), elementwise.add(lower, below))
    return comparison.where(beyond, again, made)


def _trials(shape: tuple[int, ...], prob: Any, dtype: DType, generator: Generator | None, device: DeviceLike) -> Any:
    where, source = _source(generator, device)
    key, offset = source.draw()
    working = dtype if dtype.is_floating_point else d.float32
    drawn = call(table.BERNOULLI, (prob, (_signed(key),), (offset,)), (shape, working), where)
    return drawn if dtype is working else call(CAST, (drawn,), (dtype,))


def _floating(dtype: DTypeLike | None, function: str) -> DType:
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    if not wanted.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {wanted.name}", where=function)
    return wanted


def _inexact(dtype: DTypeLike | None, function: str) -> DType:
    wanted = get_default_dtype() if dtype is None else as_dtype(dtype)
    return wanted if wanted.is_complex else _floating(wanted, function)


def _real(dtype: DType, function: str) -> DType:
    if dtype.is_complex:
        raise DTypeError(f"a real dtype is needed, not {dtype.name}", where=function)
    return dtype


def _probability(p: float, function: str) -> float:
    if not 0 <= p <= 1:
        raise ValueRangeError(f"p must be from 0 to 1, it is {p}", where=function)
    return p


# Tensors


@checked
def rand(
    *lengths: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """Numbers that are equally likely anywhere in [0, 1); of complex numbers both parts.

    Args:
        *lengths: The shape, as numbers or as one tuple.
        size: The same by name.
        generator: Where seed and counter come from; by default the device's own.
        out: Tensor of that shape to write into; `dtype` and `device` are its own then, where not given.
        dtype: A floating or complex dtype; by default the default dtype.
        device: Where; by default the current device.
        **options: `layout`, `pin_memory` and `requires_grad`, each of which leaves one choice here (`TensorOptions`).

    Raises:
        DTypeError: bool or integers.
        ShapeError: A negative length.

    Ascend operator: StatelessRandomUniformV2. Like: torch.rand, numpy.random.rand.

    Examples:
        >>> at.rand(2, 3).shape
        (2, 3)
        >>> bool((at.rand(100) < 1).all())
        True
    """
    check_options(options, "rand")
    dtype, device = of_target(out, dtype, device)
    return into(_uniform(shapes.as_shape(*lengths, size=size), _inexact(dtype, "rand"), generator, device), out)


@checked
def randn(
    *lengths: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """Numbers of the normal distribution of mean 0 and deviation 1; the parts of complex numbers have the variance 1 / 2.

    Args:
        *lengths: The shape, as numbers or as one tuple.
        size: The same by name.
        generator, out, dtype, device, **options: As for `rand`.

    Raises:
        DTypeError: bool or integers.
        ShapeError: A negative length.

    Ascend operator: StatelessRandomNormalV2. Like: torch.randn, numpy.random.randn.

    Examples:
        >>> at.randn(2, 3).shape
        (2, 3)
    """
    check_options(options, "randn")
    dtype, device = of_target(out, dtype, device)
    return into(_normal(shapes.as_shape(*lengths, size=size), _inexact(dtype, "randn"), generator, device), out)


@checked
def randint(
    low: Any = None,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """Integers from `low` up to, without, `high`; `randint(high, size)` starts at 0. The numbers are the same in every dtype.

    Args:
        low, high: Integers.
        size: The shape.
        generator, out, device, **options: As for `rand`.
        dtype: Any real dtype that holds the numbers; by default int64.

    Raises:
        ValueRangeError: `low` is not below `high`, or the dtype does not hold them.

    Ascend operator: StatelessRandomUniformIntV2; three of them, Mul, Add and SelectV2 for ranges of more than 54 bits.
    Like: torch.randint, numpy.random.randint.

    Examples:
        >>> bool((at.randint(3, 5, (100,)) < 5).all())
        True
    """
    check_options(options, "randint")
    dtype, device = of_target(out, dtype, device)
    if low is None:
        low = 0
    elif size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if high is None:
        raise DTypeError("high is needed", where="randint", advice="Write randint(5, (2, 3)) for numbers from 0 to 4.")
    if size is None:
        raise ShapeError("no shape is given", where="randint", advice=f"Write randint({high}, (2, 3)), or randint(0, {high}, (2, 3)).")
    wanted = d.int64 if dtype is None else as_dtype(dtype)
    _check_range(low, high, wanted, "randint")
    return into(_integers(low, high, shapes.as_shape(size), wanted, generator, device), out)


def _check_range(low: int, high: int, dtype: DType, function: str) -> None:
    if low >= high:
        raise ValueRangeError(f"low, {low}, must be below high, {high}", where=function)
    if dtype.is_complex:
        raise DTypeError(f"there are no random integers of {dtype.name}", where=function)
    least, most = _limits(dtype)
    if low < least or high - 1 > most:
        raise ValueRangeError(f"numbers from {low} to {high - 1} don't fit {dtype.name}", where=function)


def _limits(dtype: DType) -> tuple[int, int]:
    if dtype is d.bool_:
        return 0, 1
    if dtype.is_floating_point:
        most = 1 << {d.float16: 11, d.bfloat16: 8, d.float32: 24}.get(dtype, 53)
        return -most, most
    limits = d.iinfo(dtype)
    return limits.min, min(limits.max, (1 << 63) - 2)  # drawn as int64, and high must fit too


@checked
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """The integers from 0 to `n - 1` in random order. The order is the same in every dtype.

    Args:
        n: How many.
        generator, out, device, **options: As for `rand`.
        dtype: Any real dtype that holds them; by default int64.

    Raises:
        ValueRangeError: `n` is negative, or the dtype does not hold the numbers.

    Ascend operator: StatelessRandperm. Like: torch.randperm, numpy.random.permutation.

    Examples:
        >>> at.sort(at.randperm(4)).values
        tensor([0, 1, 2, 3], device='npu:0')
    """
    check_options(options, "randperm")
    dtype, device = of_target(out, dtype, device)
    if n < 0:
        raise ValueRangeError(f"n must not be negative, it is {n}", where="randperm")
    wanted = d.int64 if dtype is None else as_dtype(dtype)
    _check_range(0, max(n, 1), wanted, "randperm")
    where, source = _source(generator, device)
    key, offset = source.draw()
    order = call(table.RANDPERM, ((_signed(key),), (offset,)), (n, d.int64), where)
    return into(order if wanted is d.int64 else call(CAST, (order,), (wanted,)), out)


def _like(drawn: TensorBase, input: TensorBase) -> NPUTensor:
    made: Any = base.as_class(drawn, input.__class__)
    return made


@checked
def rand_like(
    input: TensorBase,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    generator: Generator | None = None,
    **options: Unpack[LikeOptions],
) -> NPUTensor:
    """`rand` with shape, dtype and device of `input`, where not given. Like: torch.rand_like.

    Examples:
        >>> at.rand_like(at.ones(2, 3)).shape
        (2, 3)
    """
    check_options(options, "rand_like", LikeOptions)
    drawn = rand(input.desc.shape, dtype=dtype or input.desc.dtype, device=device or input.desc.device, generator=generator)
    return _like(drawn, input)


@checked
def randn_like(
    input: TensorBase,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    generator: Generator | None = None,
    **options: Unpack[LikeOptions],
) -> NPUTensor:
    """`randn` with shape, dtype and device of `input`, where not given. Like: torch.randn_like.

    Examples:
        >>> at.randn_like(at.ones(2, 3)).shape
        (2, 3)
    """
    check_options(options, "randn_like", LikeOptions)
    drawn = randn(input.desc.shape, dtype=dtype or input.desc.dtype, device=device or input.desc.device, generator=generator)
    return _like(drawn, input)


@checked
def randint_like(
    input: TensorBase,
    low: int | None = None,
    high: int | None = None,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    generator: Generator | None = None,
    **options: Unpack[LikeOptions],
) -> NPUTensor:
    """`randint` with shape, dtype and device of `input`, where not given. Like: torch.randint_like.

    Examples:
        >>> at.randint_like(at.ones(2), 1)
        tensor([0., 0.], device='npu:0')
    """
    check_options(options, "randint_like", LikeOptions)
    wanted = dtype or input.desc.dtype
    drawn = randint(low, high, input.desc.shape, dtype=wanted, device=device or input.desc.device, generator=generator)
    return _like(drawn, input)


@checked
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: TensorBase | None = None,
    dtype: DTypeLike | None = None,
    device: DeviceLike = None,
    **options: Unpack[TensorOptions],
) -> NPUTensor:
    """Numbers of normal distributions.

    Args:
        mean, std: Means and deviations: numbers, or floating tensors that broadcast.
        size: The shape, where both are numbers.
        generator, out, device, **options: As for `rand`.
        dtype: A floating dtype, where both are numbers.

    Raises:
        ValueRangeError: A negative deviation.
        ShapeError: The shapes don't broadcast, or there is none.

    Ascend operator: StatelessRandomNormalV2, Mul, Add. Like: torch.normal, numpy.random.normal.

    Examples:
        >>> at.normal(at.tensor([1.0, 2.0]), 0.0)
        tensor([1., 2.], device='npu:0')
    """
    check_options(options, "normal")
    if not isinstance(std, TensorBase) and not std >= 0:
        raise ValueRangeError(f"the deviation must not be negative, it is {std}", where="normal")
    tensors = [operand for operand in (mean, std) if isinstance(operand, TensorBase)]
    if tensors:
        shape = shapes.broadcast_shapes(*(tensor.desc.shape for tensor in tensors))
        like = tensors[0].desc
        drawn = base.as_class(_normal(shape, _floating(like.dtype, "normal"), generator, like.device), tensors[0].__class__)
    elif size is None:
        raise ShapeError("a size is needed where mean and std are numbers", where="normal")
    else:
        dtype, device = of_target(out, dtype, device)
        drawn = _normal(shapes.as_shape(size), _floating(dtype, "normal"), generator, device)
    found: Any = elementwise.add(elementwise.mul(drawn, std), mean)
    return into(found, out)


@checked
def bernoulli(input: T, p: float | None = None, *, generator: Generator | None = None, out: T | None = None) -> T:
    """Ones, each with the probability that its element gives, or with probability `p`, else zeros.

    Args:
        input: Probabilities from 0 to 1, of a floating dtype; with `p` a tensor of any real dtype, which gives shape and dtype.
        p: One probability for all.
        generator: Where seed and counter come from; by default the device's own.
        out: Tensor of the same shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: Not a floating dtype, without `p`; a complex one with it.
        ValueRangeError: `p` is no probability.
        AclError: A number is no probability; shows at the next synchronising call.

    Ascend operator: StatelessBernoulli. Like: torch.bernoulli.

    Examples:
        >>> at.bernoulli(at.tensor([0.0, 1.0]))
        tensor([0., 1.], device='npu:0')
    """
    if p is not None:
        drawn = _trials(input.desc.shape, _probability(p, "bernoulli"), _real(input.desc.dtype, "bernoulli"), generator, input.desc.device)
        return into(drawn, out)
    dtype = _floating(input.desc.dtype, "bernoulli")
    return into(_trials(input.desc.shape, input, dtype, generator, input.desc.device), out)


@checked
def multinomial(input: T, num_samples: int, replacement: bool = False, *, generator: Generator | None = None, out: T | None = None) -> T:
    """Numbers of categories, drawn with the weights of a vector or of each row of a matrix.

    Args:
        input: Weights, not negative, of a floating dtype.
        num_samples: How many to draw.
        replacement: Whether a category may be drawn again.
        generator: Where seed and counter come from; by default the device's own.
        out: int64 tensor of the result's shape to write into.

    Returns:
        int64 tensor [num_samples] or [rows, num_samples].

    Raises:
        ShapeError: Neither a vector nor a matrix, or no categories.
        ValueRangeError: No samples, or more than categories without replacement.
        AclError: Weights that are negative, infinite or all zero; shows at the next synchronising call.

    Ascend operator: MultinomialWithReplacement. Like: torch.multinomial, numpy.random.choice.

    Examples:
        >>> at.multinomial(at.tensor([0.0, 1.0, 0.0]), 2, replacement=True)
        tensor([1, 1], device='npu:0')
    """
    _floating(input.desc.dtype, "multinomial")
    shape = input.desc.shape
    if len(shape) not in (1, 2) or not shape[-1]:
        raise ShapeError(f"a vector or a matrix of weights is needed, not shape {list(shape)}").with_context("multinomial", (input,))
    if num_samples < 1 or (not replacement and num_samples > shape[-1]):
        raise ValueRangeError(f"{num_samples} samples can't be drawn from {shape[-1]} categories").with_context("multinomial", (input,))
    _, source = _source(generator, input.desc.device)
    key, offset = source.draw()
    return into(call(table.MULTINOMIAL, (input, (_signed(key),), (offset,)), (num_samples, bool(replacement))), out)


def _wide(dtype: DType) -> DType:
    return d.float64 if dtype is d.float64 else d.float32


@checked
def poisson(input: T, generator: Generator | None = None) -> T:
    """Numbers of events, each of the Poisson distribution whose rate its element gives.

    Args:
        input: Rates, not negative, of a floating dtype.
        generator: Where seed and counter come from; by default the device's own.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        DTypeError: Not a floating dtype.
        AclError: A rate is negative or NaN; shows at the next synchronising call.

    Ascend operator: StatelessRandomPoisson. Like: torch.poisson, numpy.random.poisson.

    Examples:
        >>> at.poisson(at.zeros(3))
        tensor([0., 0., 0.], device='npu:0')
    """
    dtype = _floating(input.desc.dtype, "poisson")
    _, source = _source(generator, input.desc.device)
    key, offset = source.draw()
    rates = input if dtype is _wide(dtype) else comparison.cast(input, d.float32)
    if not input.desc.numel:
        return elementwise.mul(input, 0)
    drawn: T = call(table.POISSON, ((_signed(key), offset), rates), (_wide(dtype),))
    return comparison.cast(drawn, dtype)


@checked
def binomial(count: T, prob: T, generator: Generator | None = None) -> T:
    """Numbers of successes in `count` trials that succeed with probability `prob` each.

    Args:
        count: Whole numbers, not negative, of a floating dtype.
        prob: Probabilities from 0 to 1, of the same dtype; shapes broadcast.
        generator: Where seed and counter come from; by default the device's own.

    Returns:
        Tensor of the common shape and the same dtype.

    Raises:
        DTypeError: Not a floating dtype, or two.
        ShapeError: The shapes don't broadcast.
        AclError: A number is no count or no probability; shows at the next synchronising call.

    Ascend operator: StatelessRandomBinomial. Like: torch.binomial, numpy.random.binomial.

    Examples:
        >>> at.binomial(at.tensor([3.0]), at.tensor([1.0]))
        tensor([3.], device='npu:0')
    """
    dtype = _floating(count.desc.dtype, "binomial")
    if prob.desc.dtype is not dtype:
        raise DTypeError("count and prob need one dtype").with_context("binomial", (count, prob))
    _, source = _source(generator, count.desc.device)
    key, offset = source.draw()
    if not count.desc.numel or not prob.desc.numel:
        return elementwise.mul(count, prob)
    counts, chances = (each if dtype is _wide(dtype) else comparison.cast(each, d.float32) for each in (count, prob))
    drawn: T = call(table.BINOMIAL, ((_signed(key), offset), counts, chances), (_wide(dtype),))
    return comparison.cast(drawn, dtype)


@checked
def shuffle(input: T, *, generator: Generator | None = None) -> T:
    """A copy with the slices of the first dim in random order.

    Args:
        input: Tensor of at least one dim and any dtype.
        generator: Where seed and counter come from; by default the device's own.

    Raises:
        ShapeError: A 0-d tensor.

    Ascend operator: StatelessRandperm and GatherV2. Like: numpy.random.permutation (numpy.random.shuffle works in place).

    Examples:
        >>> x = at.tensor([1, 2, 3])
        >>> at.sort(at.random.shuffle(x)).values
        tensor([1, 2, 3], device='npu:0')
    """
    if not input.desc.shape:
        raise ShapeError("a 0-d tensor has no slices").with_context("shuffle", (input,))
    order = randperm(input.desc.shape[0], generator=generator, device=input.desc.device)
    return gather.index_select(input, 0, order)


@checked
def dropout(input: T, p: float = 0.5, training: bool = True, inplace: bool = False, *, generator: Generator | None = None) -> T:
    """Elements set to zero with probability `p`, the others times `1 / (1 - p)`.

    Args:
        input: Tensor of a floating dtype.
        p: Probability from 0 to 1.
        training: If false, `input` is returned as it is.
        inplace: Whether the result is written into `input`.
        generator: Where seed and counter come from; by default the device's own.

    Returns:
        Tensor of the same shape and dtype.

    Raises:
        ValueRangeError: `p` is no probability.
        DTypeError: Not a floating dtype.

    Ascend operator: StatelessBernoulli, Mul. Like: torch.nn.functional.dropout.

    Examples:
        >>> at.dropout(at.ones(4), 0.5, train=False)
        tensor([1., 1., 1., 1.], device='npu:0')
    """
    if not 0 <= p <= 1:
        raise ValueRangeError(f"p must be from 0 to 1, it is {p}", where="dropout")
    if not training:
        return input
    dtype = _floating(input.desc.dtype, "dropout")
    if p == 0:
        return input
    if p == 1:
        return elementwise.mul(input, 0, out=input if inplace else None)
    kept = elementwise.mul(_trials(input.desc.shape, 1 - p, dtype, generator, input.desc.device), 1 / (1 - p))
    return elementwise.mul(input, kept, out=input if inplace else None)


# In place


@checked
def uniform_(input: T, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None) -> T:
    """Fill with numbers that are equally likely anywhere in [from_, to). Like: torch.Tensor.uniform_."""
    check_writable(input, "uniform_")
    if not to >= from_:
        raise ValueRangeError(f"from {from_} to {to} leads downwards", where="uniform_")
    dtype = _floating(input.desc.dtype, "uniform_")
    most = float(d.finfo(dtype).max)
    if not (-most <= from_ and to <= most and to - from_ <= most):
        raise ValueRangeError(f"from {from_} to {to} is more than {dtype.name} holds", where="uniform_")
    if (from_, to) == (0.0, 1.0):
        return copy_into(input, _uniform(input.desc.shape, dtype, generator, input.desc.device))
    drawn = _uniform(input.desc.shape, _wide(dtype), generator, input.desc.device)
    scaled = in_dtype(elementwise.add(elementwise.mul(drawn, to - from_), from_), dtype)
    return copy_into(input, elementwise.clamp(scaled, max=max(_below(to, dtype), from_)))


def _below(end: float, dtype: DType) -> float:
    """The largest number of a dtype that is below another: what is rounded up to the end of a range becomes it."""
    info = d.finfo(dtype)
    digits = 1 - round(math.log2(info.eps))
    mantissa, exponent = math.frexp(end)
    if mantissa == 0.5:
        exponent -= 1
    unit = 2.0 ** max(exponent - digits if end else -1074, round(math.log2(info.smallest_normal)) - digits + 1)
    return (math.ceil(end / unit) - 1) * unit


@checked
def normal_(input: T, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> T:
    """Fill with numbers of a normal distribution. Like: torch.Tensor.normal_."""
    check_writable(input, "normal_")
    dtype = _floating(input.desc.dtype, "normal_")
    copy_into(input, normal(mean, std, input.desc.shape, generator=generator, dtype=dtype, device=input.desc.device))
    return input


@checked
def random_(input: T, from_: int | None = None, to: int | None = None, *, generator: Generator | None = None) -> T:
    """Fill with integers from `from_` up to, without, `to`; one number alone is the end.

    Without any, from 0 up to the most that the dtype counts to without a gap.

    Like: torch.Tensor.random_.
    """
    check_writable(input, "random_")
    dtype = input.desc.dtype
    if to is None:
        from_, to = 0, _limits(dtype)[1] + 1 if from_ is None else from_
    least = 0 if from_ is None else from_
    _check_range(least, to, dtype, "random_")
    return copy_into(input, _integers(least, to, input.desc.shape, dtype, generator, input.desc.device))


@checked
def bernoulli_(input: T, p: Any = 0.5, *, generator: Generator | None = None) -> T:
    """Fill with ones, each with probability `p` (a number, or a floating tensor of a shape that broadcasts to this
    one), else zeros.

    Like: torch.Tensor.bernoulli_.
    """
    check_writable(input, "bernoulli_")
    if not isinstance(p, TensorBase):
        p = _probability(p, "bernoulli_")
    elif p.desc.shape not in ((), input.desc.shape):
        p = views.expand(p, input.desc.shape)
    return copy_into(input, _trials(input.desc.shape, p, input.desc.dtype, generator, input.desc.device))


@checked
def exponential_(input: T, lambd: float = 1.0, *, generator: Generator | None = None) -> T:
    """Fill with numbers of the exponential distribution of rate `lambd`. Like: torch.Tensor.exponential_, numpy.random.exponential."""
    check_writable(input, "exponential_")
    if not lambd > 0:
        raise ValueRangeError(f"the rate must be positive, it is {lambd}", where="exponential_")
    dtype = _floating(input.desc.dtype, "exponential_")
    drawn = _uniform(input.desc.shape, _wide(dtype), generator, input.desc.device)
    return copy_into(input, elementwise.mul(unary.log1p(unary.neg(drawn)), -1 / lambd))


@checked
def geometric_(input: T, p: float, *, generator: Generator | None = None) -> T:
    """Fill with numbers of trials up to the first success, each of which has the probability `p`.

    Like: torch.Tensor.geometric_, numpy.random.geometric.
    """
    check_writable(input, "geometric_")
    if not 0 < p < 1:
        raise ValueRangeError(f"p must be between 0 and 1, it is {p}", where="geometric_")
    drawn = unary.log1p(unary.neg(_uniform(input.desc.shape, _wide(input.desc.dtype), generator, input.desc.device)))
    return copy_into(input, elementwise.clamp(unary.ceil(elementwise.div(drawn, math.log1p(-p))), 1))


@checked
def cauchy_(input: T, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None) -> T:
    """Fill with numbers of the Cauchy distribution. Like: torch.Tensor.cauchy_, numpy.random.standard_cauchy."""
    check_writable(input, "cauchy_")
    if not sigma > 0:
        raise ValueRangeError(f"sigma must be positive, it is {sigma}", where="cauchy_")
    dtype = _wide(_floating(input.desc.dtype, "cauchy_"))
    turn = elementwise.mul(elementwise.sub(_uniform(input.desc.shape, dtype, generator, input.desc.device), 0.5), math.pi)
    return copy_into(input, elementwise.add(elementwise.mul(unary.tan(turn), sigma), median))


@checked
def log_normal_(input: T, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None) -> T:
    """Fill with numbers whose logarithms are of a normal distribution. Like: torch.Tensor.log_normal_, numpy.random.lognormal."""
    check_writable(input, "log_normal_")
    if not std > 0:
        raise ValueRangeError(f"std must be positive, it is {std}", where="log_normal_")
    dtype = _wide(_floating(input.desc.dtype, "log_normal_"))
    drawn = _normal(input.desc.shape, dtype, generator, input.desc.device)
    return copy_into(input, unary.exp(elementwise.add(elementwise.mul(drawn, std), mean)))
