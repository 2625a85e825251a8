"""Sizes of windows that slide over images: how many there are, and errors that say why there are none. Numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from ...errors import DTypeError, ShapeError, ValueRangeError

Ints = tuple[int, ...]


def ints(value: Any, rank: int, name: str) -> Ints:
    """An int for each spatial dimension: one for all, or as many as there are.

    Raises:
        DTypeError: Not ints.
        ShapeError: Another number of them.
    """
    if value.__class__ is int:
        return (value,) * rank
    try:
        if hasattr(value, "__index__"):
            return (index(value),) * rank
        given = tuple(map(index, value))
    except TypeError:
        raise DTypeError(f"{name} must be an int or {rank} ints, not {value!r}") from None
    if len(given) == 1:
        return given * rank
    if len(given) != rank:
        raise ShapeError(f"{name} {list(given)} must be one int or {rank}, one for each spatial dimension")
    return given


def one(value: Any, name: str) -> int:
    """An int.

    Raises:
        DTypeError: It is none.
    """
    try:
        return index(value)
    except TypeError:
        raise DTypeError(f"{name} must be an int, not {value!r}") from None


def positive(values: Ints, name: str) -> None:
    """Refuse zero and negative numbers.

    Raises:
        ValueRangeError: One is there.
    """
    if min(values, default=1) < 1:
        raise ValueRangeError(f"{name} {list(values)} must be positive")


def both_sides(padding: Ints) -> Ints:
    """The same padding before and after each dimension: (before, after) of the first, of the second..."""
    return tuple(each for side in padding for each in (side, side))


def reach(kernel: Ints, dilation: Ints) -> Ints:
    """Places that a window spans."""
    return tuple((size - 1) * step + 1 for size, step in zip(kernel, dilation, strict=True))


def counts(size: Ints, kernel: Ints, stride: Ints, pads: Ints, dilation: Ints, ceil: bool = False) -> Ints:
    """Number of windows along each dimension.

    Args:
        size, kernel, stride, dilation: An int for each dimension.
        pads: (before, after) for each dimension, flat.
        ceil: A last window may hang over the end, if it starts in the image or in the padding before it.

    Raises:
        ValueRangeError: A number that must be positive is not.
        ShapeError: There is not even one window; the text has the whole geometry.
    """
    positive(kernel, "kernel_size")
    positive(stride, "stride")
    positive(dilation, "dilation")
    found = []
    for at, (length, span) in enumerate(zip(size, reach(kernel, dilation), strict=True)):
        room = length + pads[2 * at] + pads[2 * at + 1] - span
        number = (-(-room // stride[at]) if ceil else room // stride[at]) + 1
        if ceil and (number - 1) * stride[at] >= length + pads[2 * at]:
            number -= 1
        found.append(number)
    if min(found, default=1) < 1:
        raise ShapeError(
            f"no window fits: input {list(size)}, kernel {list(kernel)}, stride {list(stride)}, padding {_sides(pads)}, dilation "
            f"{list(dilation)} would give an output of size {[max(number, 0) for number in found]}",
            advice="Make the padding larger, or the kernel or its dilation smaller.",
        )
    return tuple(found)


def _sides(pads: Ints) -> str:
    """Padding as it was given: a number for each dimension where both sides have the same."""
    before, after = pads[::2], pads[1::2]
    return str(list(before)) if before == after else str([list(pair) for pair in zip(before, after, strict=True)])


def spread_sizes(size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, output_padding: Ints) -> Ints:
    """Sizes of a transposed convolution's result.

    Raises:
        ValueRangeError: A number that must be positive is not, or `output_padding` is not below stride or dilation.
        ShapeError: Less than nothing is left.
    """
    positive(kernel, "kernel_size")
    positive(stride, "stride")
    positive(dilation, "dilation")
    for extra, step, spacing in zip(output_padding, stride, dilation, strict=True):
        if not 0 <= extra < max(step, spacing):
            raise ValueRangeError(
                f"output_padding {list(output_padding)} must be smaller than stride {list(stride)} or dilation {list(dilation)}"
            )
    found = tuple(
        (length - 1) * step - 2 * side + span + extra
        for length, step, side, span, extra in zip(size, stride, padding, reach(kernel, dilation), output_padding, strict=True)
    )
    if min(found, default=0) < 0:
        raise ShapeError(
            f"nothing is left: input {list(size)}, kernel {list(kernel)}, stride {list(stride)}, padding {list(padding)}, dilation "
            f"{list(dilation)}, output_padding {list(output_padding)} would give an output of size {list(found)}"
        )
    return found


def batched(shape: Sequence[int], rank: int, name: str) -> bool:
    """Whether there is a batch dimension: (batch, channels, ...) or (channels, ...).

    Raises:
        ShapeError: Neither.
    """
    if len(shape) not in (rank + 1, rank + 2):
        wanted = f"{rank + 1} (unbatched) or {rank + 2} (batched) dimensions"
        raise ShapeError(f"an input of {wanted} is needed, not of shape {list(shape)}").with_context(name)
    return len(shape) == rank + 2
