"""Complex numbers: made of parts, their conjugates and angles, what is real and what is not. Views of their parts are in `views`."""

# mypy: disable-error-code="no-any-return"
# (`unary` and `call` give Any: only the operands know the tensor class.)

from __future__ import annotations

import math
from typing import TypeVar

from ... import dtypes as d
from ...base import TensorBase
from ...dtypes import get_default_dtype
from ...errors import DTypeError, ShapeError
from .. import chips, views
from ..arguments import checked, require_tensor
from ..call import call, unary
from ..operands import filled
from ..table import complex_numbers as table
from ..table.elementwise import CAST
from ..writing import into, write
from . import comparison, elementwise
from . import unary as functions

T = TypeVar("T", bound=TensorBase)


@checked
def complex(real: T, imag: T, *, out: T | None = None) -> T:
    """Complex numbers of their real and imaginary parts.

    Args:
        real: Tensor of any shape, float32 or float64.
        imag: Tensor of the same dtype that broadcasts with it.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape; complex64 of float32, complex128 of float64.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Another dtype, or two different ones.

    Ascend operator: Complex. Like: torch.complex.

    Examples:
        >>> at.complex(at.tensor([1.0, 2.0]), at.tensor([3.0, 4.0]))
        tensor([1.+3.j, 2.+4.j], device='npu:0')
    """
    if real.desc.dtype not in (d.float32, d.float64):
        text = f"the parts are float32 or float64, not {real.desc.dtype.name}"
        raise DTypeError(text, advice="Cast the parts with .to(float32); there is no complex32.").with_context("complex", (real, imag))
    row = table.COMPLEX_OF_SINGLES if real.desc.dtype is d.float32 else table.COMPLEX_OF_DOUBLES
    return call(row, (real, imag)) if out is None else write(row, out, (real, imag))


@checked
def polar(abs: T, angle: T, *, out: T | None = None) -> T:
    """Complex numbers of their lengths and angles in radians.

    Args:
        abs: Tensor of any shape, float32 or float64.
        angle: Tensor of the same dtype that broadcasts with it.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape; complex64 of float32, complex128 of float64.

    Raises:
        ShapeError: The shapes don't broadcast.
        DTypeError: Another dtype, or two different ones.

    Ascend operator: composed of Cos, Sin, Mul and Complex. Like: torch.polar.

    Examples:
        >>> at.polar(at.tensor([2.0]), at.tensor([0.0]))
        tensor([2.+0.j], device='npu:0')
    """
    if abs.desc.dtype is not angle.desc.dtype or abs.desc.dtype not in (d.float32, d.float64):
        text = f"lengths and angles are both float32 or both float64, not {abs.desc.dtype.name} and {angle.desc.dtype.name}"
        raise DTypeError(text).with_context("polar", (abs, angle))
    return complex(elementwise.mul(abs, functions.cos(angle)), elementwise.mul(abs, functions.sin(angle)), out=out)


@checked
def conj(input: T) -> T:
    """The conjugates of complex numbers, in new memory; a real tensor itself.

    Args:
        input: Tensor of any shape and dtype.

    Returns:
        Tensor of the same shape and dtype.

    Ascend operator: Conj. Like: torch.conj, numpy.conj. PyTorch's is a view that conjugates when it is read.

    Examples:
        >>> at.conj(at.tensor([1 + 2j]))
        tensor([1.-2.j], device='npu:0')
    """
    return unary(table.CONJ, input) if input.desc.dtype.is_complex else input


@checked
def conj_physical(input: T, *, out: T | None = None) -> T:
    """The conjugates of complex numbers; a real tensor itself where there is no `out`.

    Args:
        input: Tensor of any shape and dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Ascend operator: Conj. Like: torch.conj_physical, numpy.conj.

    Examples:
        >>> at.conj_physical(at.tensor([1 + 2j]))
        tensor([1.-2.j], device='npu:0')
    """
    if out is not None and input.desc.dtype.is_complex:
        return write(table.CONJ, out, (input,))
    return into(conj(input), out)


@checked
def resolve_conj(input: T) -> T:
    """The tensor itself: conjugates are computed at once here. Like: torch.resolve_conj.

    Examples:
        >>> at.resolve_conj(at.conj(at.tensor([1 + 2j])))
        tensor([1.-2.j], device='npu:0')
    """
    require_tensor(input, "input", "resolve_conj")
    return input


@checked
def resolve_neg(input: T) -> T:
    """The tensor itself: negatives are computed at once here. Like: torch.resolve_neg.

    Examples:
        >>> at.resolve_neg(at.tensor([-1.0]))
        tensor([-1.], device='npu:0')
    """
    require_tensor(input, "input", "resolve_neg")
    return input


@checked
def adjoint(input: T) -> T:
    """The conjugate transposes of matrices in the last two dimensions; of real ones a view.

    Args:
        input: Tensor of at least two dimensions and any dtype; one without dimensions is conjugated.

    Raises:
        IndexRangeError: One dimension.

    Ascend operator: Conj. Like: torch.adjoint.

    Examples:
        >>> at.adjoint(at.tensor([[1 + 2j, 3.0]]))
        tensor([[1.-2.j],
                [3.-0.j]], device='npu:0')
    """
    return views.transpose(conj(input), -2, -1) if input.desc.shape else conj(input)


def conjugate_transpose(input: T) -> T:
    """`H`: of a matrix, or of a tensor without dimensions, which stays as it is. Like: torch.Tensor.H."""
    if len(input.desc.shape) not in (0, 2):
        text = f"a matrix is needed, not a tensor of {len(input.desc.shape)} dimensions"
        raise ShapeError(text, advice="Take .mH for matrices in the last two dimensions.").with_context("H", (input,))
    return adjoint(input)


@checked
def angle(input: T, *, out: T | None = None) -> T:
    """Angles in radians, between -pi and pi: of real numbers 0, or pi where they are negative; NaN stays NaN.

    Args:
        input: Tensor of any shape and dtype; integers and bool are computed in the default floating dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape, floating.

    Ascend operator: AngleV2; Angle for complex128; Less and SelectV2 for float64. Like: torch.angle, numpy.angle.

    Examples:
        >>> at.angle(at.tensor([1j, -1.0]))
        tensor([1.5708, 3.1416], device='npu:0')
    """
    if input.desc.dtype.category < d.FLOATING:
        input = call(CAST, (input,), (get_default_dtype(),))
    if input.desc.dtype is d.float64 or (not input.desc.dtype.is_complex and chips.lacks(table.ANGLE, input.desc.dtype)):
        turned = comparison.where(comparison.lt(input, 0), math.pi, _zero(input))
        return comparison.where(comparison.isnan(input), input, turned, out=out)
    row = table.ANGLE_OF_DOUBLES if input.desc.dtype is d.complex128 else table.ANGLE
    return unary(row, input) if out is None else write(row, out, (input,))


def _zero(like: T) -> T:
    return filled(like, (), 0)


@checked
def isreal(input: T) -> T:
    """Whether each number has no imaginary part; true everywhere for real dtypes.

    Args:
        input: Tensor of any shape and dtype.

    Returns:
        bool tensor of the same shape.

    Ascend operator: Equal. Like: torch.isreal, numpy.isreal.

    Examples:
        >>> at.isreal(at.tensor([1 + 0j, 1j]))
        tensor([ True, False], device='npu:0')
    """
    if input.desc.dtype.is_complex:
        return comparison.eq(views.imag(input), 0)
    return filled(input, input.desc.shape, True, d.bool_)


@checked
def sgn(input: T, *, out: T | None = None) -> T:
    """Complex numbers divided by their lengths, 0 for 0; the sign of real ones.

    Args:
        input: Tensor of any shape and dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape and dtype.

    Ascend operator: Sign. Like: torch.sgn, numpy.sign.

    Examples:
        >>> at.sgn(at.tensor([3 + 4j, 0j]))
        tensor([0.6000+0.8000j, 0.0000+0.0000j], device='npu:0')
    """
    return functions.sign(input, out=out)


@checked
def is_complex(input: TensorBase) -> bool:
    """Whether the dtype is complex. Like: torch.is_complex, numpy.iscomplexobj.

    Examples:
        >>> at.is_complex(at.tensor([1j]))
        True
        >>> at.is_complex(at.tensor([1.0]))
        False
    """
    return input.desc.dtype.is_complex


@checked
def is_floating_point(input: TensorBase) -> bool:
    """Whether the dtype is floating; complex ones are not. Like: torch.is_floating_point.

    Examples:
        >>> at.is_floating_point(at.tensor([1.0]))
        True
        >>> at.is_floating_point(at.tensor([1]))
        False
    """
    return input.desc.dtype.is_floating_point


@checked
def is_conj(input: TensorBase) -> bool:
    """False: conjugates are computed at once here. Like: torch.is_conj.

    Examples:
        >>> at.is_conj(at.conj(at.tensor([1j])))
        False
    """
    require_tensor(input, "input", "is_conj")
    return False


@checked
def is_neg(input: TensorBase) -> bool:
    """False: negatives are computed at once here. Like: torch.is_neg.

    Examples:
        >>> at.is_neg(at.tensor([-1.0]))
        False
    """
    require_tensor(input, "input", "is_neg")
    return False


@checked
def numel(input: TensorBase) -> int:
    """Number of elements. Like: torch.numel, numpy.size.

    Examples:
        >>> at.numel(at.ones(2, 3))
        6
    """
    return require_tensor(input, "input", "numel").desc.numel


@checked
def is_nonzero(input: TensorBase) -> bool:
    """Whether the one element is not 0.

    Raises:
        ShapeError: There is none, or several.

    Like: torch.is_nonzero.

    Examples:
        >>> at.is_nonzero(at.tensor([0.0]))
        False
        >>> at.is_nonzero(at.tensor(5))
        True
    """
    return bool(require_tensor(input, "input", "is_nonzero"))
