"""Fourier transforms. The operators look along the last axis, or the last two; other dimensions are brought there.

Real input becomes complex by a cast, except for `rfft` and what is made of it. Double precision of the transforms from and to real
numbers goes through the complex ones, since RFFT and IRFFT exist in single precision only.
"""

# mypy: disable-error-code="no-any-return"
# (`unary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from operator import index as as_int
from typing import Any, TypeVar

from .. import dtypes as d
from .. import shapes
from ..base import TensorBase
from ..dtypes import get_default_dtype
from ..errors import AscendTensorError, DTypeError, IndexRangeError, ShapeError, ValueRangeError
from . import shape, views
from .arguments import checked
from .call import structured, unary
from .operands import filled, integers
from .pointwise.complex_numbers import conj
from .pointwise.elementwise import mul
from .table import fft as table
from .table.elementwise import CAST
from .writing import into

T = TypeVar("T", bound=TensorBase)

_POWERS: dict[str, tuple[float, float]] = {"backward": (0.0, 0.0), "ortho": (-0.5, 0.5), "forward": (-1.0, 1.0)}
"""The power of the length that a transform, and its inverse, is multiplied with; the operators of the inverse divide by the length."""

# One dimension


@checked
def fft(input: T, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: T | None = None) -> T:
    """The discrete Fourier transform along one dimension.

    Args:
        input: Tensor of at least one dimension; float32, float64, complex64, complex128, or bool and integers, which become the default
            floating dtype.
        n: Length to which the dimension is cut off or filled with zeros first; by default its own.
        dim: The dimension.
        norm: "backward" (the default) leaves the result as it is, "ortho" divides it by the square root of the length, "forward" by the
            length.
        out: Tensor of the result's shape to write into.

    Returns:
        Complex tensor.

    Raises:
        DTypeError: float16 or bfloat16.
        IndexRangeError: There is no such dimension.
        ValueRangeError: A length below 1, or another norm.

    Ascend operator: FFT. Like: torch.fft.fft, numpy.fft.fft.

    Examples:
        >>> at.fft.fft(at.tensor([1.0, 0.0, 0.0, 0.0]))
        tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], device='npu:0')
    """
    return into(_line(input, n, dim, norm, "fft", False), out)


@checked
def ifft(input: T, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: T | None = None) -> T:
    """The inverse of `fft`: "backward" divides by the length, "forward" does not.

    Args:
        input, n, dim, norm, out: As of `fft`.

    Returns:
        Complex tensor.

    Raises:
        DTypeError: float16 or bfloat16.
        IndexRangeError: There is no such dimension.
        ValueRangeError: A length below 1, or another norm.

    Ascend operator: IFFT. Like: torch.fft.ifft, numpy.fft.ifft.

    Examples:
        >>> at.fft.ifft(at.tensor([4.0, 0.0, 0.0, 0.0]))
        tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], device='npu:0')
    """
    return into(_line(input, n, dim, norm, "ifft", True), out)


@checked
def rfft(input: T, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: T | None = None) -> T:
    """The transform of real numbers: the first `n // 2 + 1` places of `fft`, of which the others are the conjugates.

    Args:
        input: Tensor of at least one dimension; float32, float64, or bool and integers, which become the default floating dtype.
        n, dim, norm, out: As of `fft`.

    Returns:
        Complex tensor.

    Raises:
        DTypeError: float16, bfloat16 or a complex dtype.
        IndexRangeError: There is no such dimension.
        ValueRangeError: A length below 1, or another norm.

    Ascend operator: RFFT; FFT for float64. Like: torch.fft.rfft, numpy.fft.rfft.

    Examples:
        >>> at.fft.rfft(at.tensor([1.0, 2.0, 1.0, 0.0]))
        tensor([4.+0.j, 0.-2.j, 0.+0.j], device='npu:0')
    """
    given = _real(input, "rfft")
    place = _place(given, dim, "rfft")
    length = _length(given, n, place, "rfft")
    spectrum = _scaled(_half(_to_end(given, place), length), _factor(norm, length, False, "rfft"))
    return into(_from_end(spectrum, place), out)


@checked
def irfft(input: T, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: T | None = None) -> T:
    """The inverse of `rfft`: real numbers of the first half of their spectrum.

    Args:
        input: Tensor of at least one dimension, dtypes as of `fft`. Its first place counts as real, and for an even `n` the last one.
        n: Length of the result; by default an even one, `2 * (length - 1)`.
        dim, norm, out: As of `ifft`.

    Returns:
        Floating tensor.

    Raises:
        DTypeError: float16 or bfloat16.
        IndexRangeError: There is no such dimension.
        ValueRangeError: A length below 1, or another norm.

    Ascend operator: IRFFT; IFFT for complex128. Like: torch.fft.irfft, numpy.fft.irfft.

    Examples:
        >>> at.fft.irfft(at.tensor([4.0, 0.0, 0.0]))
        tensor([1., 1., 1., 1.], device='npu:0')
    """
    given = _complex(input, "irfft")
    place = _place(given, dim, "irfft")
    length = _whole_length(given, n, place, "irfft")
    result = _scaled(_whole(_to_end(given, place), length), _factor(norm, length, True, "irfft"))
    return into(_from_end(result, place), out)


@checked
def hfft(input: T, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: T | None = None) -> T:
    """The transform, which is real, of numbers whose second half is the conjugate of the first, of which the first half is given.

    Args:
        input: Tensor of at least one dimension, dtypes as of `fft`.
        n: Length of the result; by default an even one, `2 * (length - 1)`.
        dim, norm, out: As of `fft`.

    Returns:
        Floating tensor.

    Raises:
        DTypeError: float16 or bfloat16.
        IndexRangeError: There is no such dimension.
        ValueRangeError: A length below 1, or another norm.

    Ascend operator: IRFFT, Conj; IFFT for complex128. Like: torch.fft.hfft, numpy.fft.hfft.

    Examples:
        >>> at.fft.hfft(at.tensor([1.0, 2.0, 3.0]), n=4)
        tensor([ 8., -2.,  0., -2.], device='npu:0')
    """
    given = _complex(input, "hfft")
    place = _place(given, dim, "hfft")
    length = _whole_length(given, n, place, "hfft")
    result = _whole(conj(_to_end(given, place)), length)
    return into(_from_end(_scaled(result, length * _factor(norm, length, False, "hfft")), place), out)


@checked
def ihfft(input: T, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: T | None = None) -> T:
    """The inverse of `hfft`: the first half of the inverse transform of real numbers.

    Args:
        input: Tensor of at least one dimension, dtypes as of `rfft`.
        n: As of `fft`.
        dim, norm, out: As of `ifft`.

    Returns:
        Complex tensor.

    Raises:
        DTypeError: float16, bfloat16 or a complex dtype.
        IndexRangeError: There is no such dimension.
        ValueRangeError: A length below 1, or another norm.

    Ascend operator: RFFT, Conj; FFT for float64. Like: torch.fft.ihfft, numpy.fft.ihfft.

    Examples:
        >>> at.fft.ihfft(at.tensor([4.0, 0.0, 0.0, 0.0])).real
        tensor([1., 1., 1.], device='npu:0')
    """
    given = _real(input, "ihfft")
    place = _place(given, dim, "ihfft")
    length = _length(given, n, place, "ihfft")
    result = _scaled(conj(_half(_to_end(given, place), length)), _factor(norm, length, True, "ihfft") / length)
    return into(_from_end(result, place), out)


def _line(input: T, n: int | None, dim: int, norm: str | None, function: str, inverse: bool) -> T:
    given = _complex(input, function)
    place = _place(given, dim, function)
    length = _length(given, n, place, function)
    return _along(_resized(given, length, place), (place,), inverse, _factor(norm, length, inverse, function))


# Several dimensions


@checked
def fft2(input: T, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: T | None = None) -> T:
    """`fftn` over two dimensions, by default the last. Ascend operator: FFT2D. Like: torch.fft.fft2, numpy.fft.fft2.

    Examples:
        >>> at.fft.fft2(at.ones(2, 2))
        tensor([[4.+0.j, 0.+0.j],
                [0.+0.j, 0.+0.j]], device='npu:0')
    """
    return into(_space(input, s, dim, norm, "fft2", False), out)


@checked
def ifft2(input: T, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: T | None = None) -> T:
    """`ifftn` over two dimensions, by default the last. Ascend operator: IFFT2D. Like: torch.fft.ifft2, numpy.fft.ifft2.

    Examples:
        >>> at.fft.ifft2(at.tensor([[4.0, 0.0], [0.0, 0.0]]))
        tensor([[1.+0.j, 1.+0.j],
                [1.+0.j, 1.+0.j]], device='npu:0')
    """
    return into(_space(input, s, dim, norm, "ifft2", True), out)


@checked
def fftn(input: T, s: Any = None, dim: Any = None, norm: str | None = None, *, out: T | None = None) -> T:
    """The discrete Fourier transform along several dimensions.

    Args:
        input: Tensor, dtypes as of `fft`.
        s: Lengths to which the dimensions are cut off or filled with zeros first, -1 for their own; by default all their own.
        dim: The dimensions; by default the last ones, as many as `s` has numbers, or all.
        norm: As of `fft`, with the product of the lengths.
        out: Tensor of the result's shape to write into.

    Returns:
        Complex tensor.

    Raises:
        DTypeError: float16 or bfloat16.
        IndexRangeError: There is no such dimension.
        ShapeError: A dimension comes twice, or `s` and `dim` have different counts.
        ValueRangeError: A length below 1, or another norm.

    Ascend operator: FFT2D, FFT. Like: torch.fft.fftn, numpy.fft.fftn.

    Examples:
        >>> at.fft.fftn(at.ones(2, 2), dim=0)
        tensor([[2.+0.j, 2.+0.j],
                [0.+0.j, 0.+0.j]], device='npu:0')
    """
    return into(_space(input, s, dim, norm, "fftn", False), out)


@checked
def ifftn(input: T, s: Any = None, dim: Any = None, norm: str | None = None, *, out: T | None = None) -> T:
    """The inverse of `fftn`; arguments as there. Ascend operator: IFFT2D, IFFT. Like: torch.fft.ifftn, numpy.fft.ifftn.

    Examples:
        >>> at.fft.ifftn(at.tensor([[4.0, 0.0], [0.0, 0.0]]))
        tensor([[1.+0.j, 1.+0.j],
                [1.+0.j, 1.+0.j]], device='npu:0')
    """
    return into(_space(input, s, dim, norm, "ifftn", True), out)


@checked
def rfft2(input: T, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: T | None = None) -> T:
    """`rfftn` over two dimensions, by default the last. Ascend operator: RFFT, FFT. Like: torch.fft.rfft2, numpy.fft.rfft2.

    Examples:
        >>> at.fft.rfft2(at.ones(2, 2))
        tensor([[4.+0.j, 0.+0.j],
                [0.+0.j, 0.+0.j]], device='npu:0')
    """
    return into(_half_space(input, s, dim, norm, "rfft2", False), out)


@checked
def irfft2(input: T, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: T | None = None) -> T:
    """`irfftn` over two dimensions, by default the last. Ascend operator: IFFT, IRFFT. Like: torch.fft.irfft2, numpy.fft.irfft2.

    Examples:
        >>> at.fft.irfft2(at.tensor([[4.0, 0.0], [0.0, 0.0]]))
        tensor([[1., 1.],
                [1., 1.]], device='npu:0')
    """
    return into(_whole_space(input, s, dim, norm, "irfft2", True), out)


@checked
def rfftn(input: T, s: Any = None, dim: Any = None, norm: str | None = None, *, out: T | None = None) -> T:
    """`fftn` of real numbers: of the last of the dimensions the first half, of which the other is the conjugate.

    Args:
        input: Tensor, dtypes as of `rfft`.
        s, dim, norm, out: As of `fftn`.

    Returns:
        Complex tensor.

    Raises:
        DTypeError: float16, bfloat16 or a complex dtype.
        IndexRangeError, ShapeError, ValueRangeError: As of `fftn`; also ShapeError where there is no dimension.

    Ascend operator: RFFT, FFT2D, FFT. Like: torch.fft.rfftn, numpy.fft.rfftn.

    Examples:
        >>> at.fft.rfftn(at.ones(2, 2))
        tensor([[4.+0.j, 0.+0.j],
                [0.+0.j, 0.+0.j]], device='npu:0')
    """
    return into(_half_space(input, s, dim, norm, "rfftn", False), out)


@checked
def irfftn(input: T, s: Any = None, dim: Any = None, norm: str | None = None, *, out: T | None = None) -> T:
    """The inverse of `rfftn`: real numbers.

    Args:
        input: Tensor, dtypes as of `fft`.
        s: Lengths of the result; by default those of `input`, in the last dimension `2 * (length - 1)`.
        dim, norm, out: As of `ifftn`.

    Returns:
        Floating tensor.

    Raises:
        DTypeError: float16 or bfloat16.
        IndexRangeError, ShapeError, ValueRangeError: As of `rfftn`.

    Ascend operator: IFFT2D, IFFT, IRFFT. Like: torch.fft.irfftn, numpy.fft.irfftn.

    Examples:
        >>> at.fft.irfftn(at.tensor([[4.0, 0.0], [0.0, 0.0]]))
        tensor([[1., 1.],
                [1., 1.]], device='npu:0')
    """
    return into(_whole_space(input, s, dim, norm, "irfftn", True), out)


@checked
def hfft2(input: T, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: T | None = None) -> T:
    """`hfftn` over two dimensions, by default the last. Ascend operator: FFT, IRFFT. Like: torch.fft.hfft2.

    Examples:
        >>> at.fft.hfft2(at.ones(2, 2), s=(2, 2))
        tensor([[4., 0.],
                [0., 0.]], device='npu:0')
    """
    return into(_whole_space(input, s, dim, norm, "hfft2", False), out)


@checked
def ihfft2(input: T, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: T | None = None) -> T:
    """`ihfftn` over two dimensions, by default the last. Ascend operator: RFFT, IFFT. Like: torch.fft.ihfft2.

    Examples:
        >>> at.fft.ihfft2(at.ones(2, 2)).real
        tensor([[1., 0.],
                [0., 0.]], device='npu:0')
    """
    return into(_half_space(input, s, dim, norm, "ihfft2", True), out)


@checked
def hfftn(input: T, s: Any = None, dim: Any = None, norm: str | None = None, *, out: T | None = None) -> T:
    """`fft` along several dimensions and `hfft` along the last of them; arguments as of `irfftn`.

    Ascend operator: FFT2D, FFT, Conj, IRFFT. Like: torch.fft.hfftn.

    Examples:
        >>> at.fft.hfftn(at.ones(2, 2), s=(2, 2))
        tensor([[4., 0.],
                [0., 0.]], device='npu:0')
    """
    return into(_whole_space(input, s, dim, norm, "hfftn", False), out)


@checked
def ihfftn(input: T, s: Any = None, dim: Any = None, norm: str | None = None, *, out: T | None = None) -> T:
    """`ihfft` along the last of several dimensions and `ifft` along the others; arguments as of `rfftn`.

    Ascend operator: RFFT, Conj, IFFT2D, IFFT. Like: torch.fft.ihfftn.

    Examples:
        >>> at.fft.ihfftn(at.ones(2, 2)).real
        tensor([[1., 0.],
                [0., 0.]], device='npu:0')
    """
    return into(_half_space(input, s, dim, norm, "ihfftn", True), out)


def _space(input: T, s: Any, dim: Any, norm: str | None, function: str, inverse: bool) -> T:
    given = _complex(input, function)
    places, lengths = _places(given, s, dim, function)
    if not places:
        return shape.clone(given)
    for place, length in zip(places, lengths, strict=True):
        given = _resized(given, length, place)
    return _along(given, places, inverse, _factor(norm, math.prod(lengths), inverse, function))


def _half_space(input: T, s: Any, dim: Any, norm: str | None, function: str, inverse: bool) -> T:
    """Real numbers to half of their spectrum, forward (`rfftn`) or backward (`ihfftn`)."""
    given = _real(input, function)
    places, lengths = _places(given, s, dim, function)
    if not places:
        raise ShapeError("at least one dimension is needed").with_context(function, (input,))
    for place, length in zip(places[:-1], lengths[:-1], strict=True):
        given = _resized(given, length, place)
    spectrum = _half(_to_end(given, places[-1]), lengths[-1])
    if inverse:
        spectrum = conj(spectrum)
    factor = _factor(norm, math.prod(lengths), inverse, function)
    factor = factor / lengths[-1] if inverse else factor
    if len(places) == 1:
        spectrum = _scaled(spectrum, factor)
    return _along(_from_end(spectrum, places[-1]), places[:-1], inverse, factor)


def _whole_space(input: T, s: Any, dim: Any, norm: str | None, function: str, inverse: bool) -> T:
    """Half of a spectrum to real numbers, backward (`irfftn`) or forward (`hfftn`)."""
    given = _complex(input, function)
    places, lengths = _places(given, s, dim, function, halved=True)
    if not places:
        raise ShapeError("at least one dimension is needed").with_context(function, (input,))
    last, length = places[-1], lengths[-1]
    given = _resized(given, length // 2 + 1, last)
    for place, wanted in zip(places[:-1], lengths[:-1], strict=True):
        given = _resized(given, wanted, place)
    spectrum = _to_end(_along(given, places[:-1], inverse), last)
    result = _whole(spectrum if inverse else conj(spectrum), length)
    factor = _factor(norm, math.prod(lengths), inverse, function)
    return _from_end(_scaled(result, factor if inverse else factor * length), last)


# Places


@checked
def fftshift(input: T, dim: Any = None) -> T:
    """The zero frequency from the front to the middle.

    Args:
        input: Tensor of any dtype.
        dim: The dimensions that are rolled; by default all.

    Raises:
        IndexRangeError: There is no such dimension.

    Ascend operator: composed of `roll`. Like: torch.fft.fftshift, numpy.fft.fftshift.

    Examples:
        >>> at.fft.fftshift(at.tensor([0, 1, 2, -2, -1]))
        tensor([-2, -1,  0,  1,  2], device='npu:0')
    """
    return _shifted(input, dim, 0)


@checked
def ifftshift(input: T, dim: Any = None) -> T:
    """The zero frequency from the middle back to the front; arguments as of `fftshift`.

    Ascend operator: composed of `roll`. Like: torch.fft.ifftshift, numpy.fft.ifftshift.

    Examples:
        >>> at.fft.ifftshift(at.tensor([-2, -1, 0, 1, 2]))
        tensor([ 0,  1,  2, -2, -1], device='npu:0')
    """
    return _shifted(input, dim, 1)


def _shifted(input: T, dim: Any, up: int) -> T:
    places = tuple(range(len(input.desc.shape))) if dim is None else integers(dim)
    if not places:
        return input
    lengths = [input.desc.shape[_place(input, place, "ifftshift" if up else "fftshift")] for place in places]
    return shape.roll(input, tuple((length + up) // 2 for length in lengths), places)


# Steps that the transforms share


def _floating(input: T, function: str) -> T:
    if input.desc.dtype.category < d.FLOATING:
        input = structured(CAST, input, get_default_dtype())
    if input.desc.dtype in (d.float16, d.bfloat16):
        text = f"there is no transform of {input.desc.dtype.name}"
        raise DTypeError(text, advice="Cast with .to(float32) first.").with_context(function, (input,))
    return input


def _complex(input: T, function: str) -> T:
    given = _floating(input, function)
    return given if given.desc.dtype.is_complex else structured(CAST, given, given.desc.dtype.to_complex())


def _real(input: T, function: str) -> T:
    if input.desc.dtype.is_complex:
        text = f"a real tensor is needed, not {input.desc.dtype.name}"
        raise DTypeError(text, advice="Take fft of complex numbers, or .real of them.").with_context(function, (input,))
    return _floating(input, function)


def _place(input: TensorBase, dim: int, function: str) -> int:
    try:
        if not input.desc.shape:
            raise IndexRangeError(f"Dimension specified as {dim} but tensor has no dimensions")
        return shapes.normalize_dim(dim, len(input.desc.shape))
    except AscendTensorError as error:
        raise error.with_context(function, (input,)) from None


def _length(input: TensorBase, n: int | None, place: int, function: str) -> int:
    length = input.desc.shape[place] if n is None else as_int(n)
    if length < 1:
        raise ValueRangeError(f"Invalid number of data points ({length}) specified").with_context(function, (input,))
    return length


def _whole_length(input: TensorBase, n: int | None, place: int, function: str) -> int:
    return _length(input, 2 * (input.desc.shape[place] - 1) if n is None else n, place, function)


def _places(input: TensorBase, s: Any, dim: Any, function: str, halved: bool = False) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Dimensions, counted from the front, and their lengths; of half a spectrum the last length is that of the whole."""
    ndim = len(input.desc.shape)
    given = None if s is None else integers(s)
    dims = tuple(range(ndim) if given is None else range(-len(given), 0)) if dim is None else integers(dim)
    try:
        if dims and not ndim:
            raise IndexRangeError("a 0-d tensor has no dimensions")
        if dim is None and given is not None and len(given) > ndim:
            raise ShapeError(f"{len(given)} lengths for {ndim} dimensions")
        places = tuple(shapes.normalize_dim(each, ndim) for each in dims)
        if len(set(places)) != len(places):
            raise ShapeError(f"a dimension comes twice in {list(dims)}")
        if given is not None and len(given) != len(places):
            raise ShapeError(f"{len(given)} lengths for the dimensions {list(dims)}")
    except AscendTensorError as error:
        raise error.with_context(function, (input,)) from None
    wanted = [None if length == -1 else length for length in given or (-1,) * len(places)]
    lengths = [_length(input, length, place, function) for length, place in zip(wanted[:-1], places[:-1], strict=True)]
    if places:
        lengths.append((_whole_length if halved else _length)(input, wanted[-1], places[-1], function))
    return places, tuple(lengths)


def _factor(norm: str | None, length: int, inverse: bool, function: str) -> float:
    try:
        power = _POWERS["backward" if norm is None else norm][inverse]
    except KeyError:
        raise ValueRangeError(f"norm is {norm!r}; it is 'backward', 'ortho' or 'forward'", where=function) from None
    return float(length) ** power


def _scaled(input: T, factor: float) -> T:
    """Complex numbers are scaled part by part, which is half the work."""
    if factor == 1:
        return input
    if not input.desc.dtype.is_complex:
        return mul(input, factor)
    return views.view_as_complex(mul(views.view_as_real(input), factor))


def _resized(input: T, length: int, place: int) -> T:
    """A dimension cut off, or filled with zeros at its end."""
    shape_now = input.desc.shape
    if length <= shape_now[place]:
        return input if length == shape_now[place] else views.narrow(input, place, 0, length)
    if not input.desc.numel:
        lengths = (*shape_now[:place], length, *shape_now[place + 1 :])
        return filled(input, lengths, 0)
    return shape.pad(input, (0, 0) * (len(shape_now) - 1 - place) + (0, length - shape_now[place]))


def _to_end(input: T, place: int) -> T:
    return input if place == len(input.desc.shape) - 1 else views.movedim(input, place, -1)


def _from_end(input: T, place: int) -> T:
    return input if place == len(input.desc.shape) - 1 else views.movedim(input, -1, place)


def _along(input: T, places: tuple[int, ...], inverse: bool, factor: float = 1.0) -> T:
    """The transform along several dimensions, two by two, times a factor: of the last result while it lies as it was made."""
    rest, end = list(places), len(input.desc.shape)
    while len(rest) > 1:
        pair, rest = rest[-2:], rest[:-2]
        last = pair == [end - 2, end - 1]
        moved = unary(table.IFFT2D if inverse else table.FFT2D, input if last else views.movedim(input, pair, (-2, -1)))
        moved = moved if rest else _scaled(moved, factor)
        input = moved if last else views.movedim(moved, (-2, -1), pair)
    for place in rest:
        input = _from_end(_scaled(unary(table.IFFT if inverse else table.FFT, _to_end(input, place)), factor), place)
    return input


def _half(input: T, length: int) -> T:
    """The first half of the spectrum of real numbers along the last dimension, of any length, cut off or filled to `length`."""
    if input.desc.dtype is d.float32:
        return structured(table.RFFT, input if input.desc.numel else _resized(input, length, len(input.desc.shape) - 1), length)
    resized = _resized(input, length, len(input.desc.shape) - 1)
    spectrum = unary(table.FFT, structured(CAST, resized, d.complex128))
    return shape.contiguous(views.narrow(spectrum, -1, 0, length // 2 + 1))


def _whole(input: T, length: int) -> T:
    """`length` real numbers of the first half of their spectrum along the last dimension, undoing `_half`."""
    last, half = len(input.desc.shape) - 1, length // 2 + 1
    if input.desc.dtype is d.complex64:
        return structured(table.IRFFT, input if input.desc.numel else _resized(input, half, last), length)
    first = _resized(input, half, last)
    mirrored = (length - 1) // 2
    if mirrored:
        first = shape.cat([first, conj(shape.flip(views.narrow(first, -1, 1, mirrored), -1))], -1)
    return shape.contiguous(views.real(unary(table.IFFT, first)))
