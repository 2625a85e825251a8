"""Orthogonal polynomials by their recurrences, for one degree at a time."""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operand knows the tensor class.)

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ...base import TensorBase
from ...errors import UnsupportedError
from ..arguments import checked
from ..call import call
from ..operands import filled
from ..table import elementwise as arithmetic
from . import elementwise
from .special import few_steps, finished, one, polynomial

T = TypeVar("T", bound=TensorBase)


def _chebyshev(input: T, n: Any, out: T | None, constant: float, factor: float, shifted: bool = False) -> T:
    """The four kinds differ in their polynomial of degree 1."""
    return _made(input, n, out, (constant, factor), lambda k: (0.0, 2.0, 1.0), shifted)


def _made(
    input: T,
    n: Any,
    out: T | None,
    linear: tuple[float, float],
    step: Callable[[int], tuple[float, float, float]],
    shifted: bool = False,
) -> T:
    """From degree 0 and 1 upwards: the next is (a + b x) times the last less c times the one before; 0 for negative degrees."""
    if isinstance(n, TensorBase):
        raise UnsupportedError("n is a tensor; a degree for each element is not there yet", advice="Call it once for each degree.")
    degree = few_steps(int(n), "n")
    x, dtype = one(input)
    x = polynomial(x, (-1.0, 2.0)) if shifted else x
    before: T = filled(x, x.desc.shape, 0.0 if degree < 0 else 1.0)
    if degree < 1:
        return finished(before, dtype, out)
    last: T = polynomial(x, linear)
    for k in range(1, degree):
        a, b, c = step(k)
        rest = elementwise.mul(before, -c)
        before, last = last, call(arithmetic.ADDCMUL, (rest, polynomial(x, (a, b)), last, 1.0))
    return finished(last, dtype, out)


@checked
def chebyshev_polynomial_t(input: T, n: int, *, out: T | None = None) -> T:
    """Chebyshev polynomial of the first kind, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.chebyshev_polynomial_t, scipy.special.eval_chebyt.

    Examples:
        >>> at.special.chebyshev_polynomial_t(at.tensor([0.5, 2.0]), 2)
        tensor([-0.5000,  7.0000], device='npu:0')
    """
    return _chebyshev(input, n, out, 0.0, 1.0)


@checked
def chebyshev_polynomial_u(input: T, n: int, *, out: T | None = None) -> T:
    """Chebyshev polynomial of the second kind, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.chebyshev_polynomial_u, scipy.special.eval_chebyu.

    Examples:
        >>> at.special.chebyshev_polynomial_u(at.tensor([0.5, 2.0]), 2)
        tensor([ 0., 15.], device='npu:0')
    """
    return _chebyshev(input, n, out, 0.0, 2.0)


@checked
def chebyshev_polynomial_v(input: T, n: int, *, out: T | None = None) -> T:
    """Chebyshev polynomial of the third kind, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.chebyshev_polynomial_v.

    Examples:
        >>> at.special.chebyshev_polynomial_v(at.tensor([0.5, 2.0]), 2)
        tensor([-1., 11.], device='npu:0')
    """
    return _chebyshev(input, n, out, -1.0, 2.0)


@checked
def chebyshev_polynomial_w(input: T, n: int, *, out: T | None = None) -> T:
    """Chebyshev polynomial of the fourth kind, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.chebyshev_polynomial_w.

    Examples:
        >>> at.special.chebyshev_polynomial_w(at.tensor([0.5, 2.0]), 2)
        tensor([ 1., 19.], device='npu:0')
    """
    return _chebyshev(input, n, out, 1.0, 2.0)


@checked
def hermite_polynomial_h(input: T, n: int, *, out: T | None = None) -> T:
    """Physicist's Hermite polynomial, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.hermite_polynomial_h, scipy.special.eval_hermite.

    Examples:
        >>> at.special.hermite_polynomial_h(at.tensor([0.5, 2.0]), 2)
        tensor([-1., 14.], device='npu:0')
    """
    return _made(input, n, out, (0.0, 2.0), lambda k: (0.0, 2.0, 2.0 * k))


@checked
def hermite_polynomial_he(input: T, n: int, *, out: T | None = None) -> T:
    """Probabilist's Hermite polynomial, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.hermite_polynomial_he, scipy.special.eval_hermitenorm.

    Examples:
        >>> at.special.hermite_polynomial_he(at.tensor([0.5, 2.0]), 2)
        tensor([-0.7500,  3.0000], device='npu:0')
    """
    return _made(input, n, out, (0.0, 1.0), lambda k: (0.0, 1.0, float(k)))


@checked
def laguerre_polynomial_l(input: T, n: int, *, out: T | None = None) -> T:
    """Laguerre polynomial, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.laguerre_polynomial_l, scipy.special.eval_laguerre.

    Examples:
        >>> at.special.laguerre_polynomial_l(at.tensor([0.5, 2.0]), 2)
        tensor([ 0.1250, -1.0000], device='npu:0')
    """
    return _made(input, n, out, (1.0, -1.0), lambda k: ((2 * k + 1) / (k + 1), -1 / (k + 1), k / (k + 1)))


@checked
def legendre_polynomial_p(input: T, n: int, *, out: T | None = None) -> T:
    """Legendre polynomial, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.legendre_polynomial_p, scipy.special.eval_legendre.

    Examples:
        >>> at.special.legendre_polynomial_p(at.tensor([0.5, 2.0]), 2)
        tensor([-0.1250,  5.5000], device='npu:0')
    """
    return _made(input, n, out, (0.0, 1.0), lambda k: (0.0, (2 * k + 1) / (k + 1), k / (k + 1)))


@checked
def shifted_chebyshev_polynomial_t(input: T, n: int, *, out: T | None = None) -> T:
    """Chebyshev polynomial of the first kind, of `2 * input - 1`, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.shifted_chebyshev_polynomial_t, scipy.special.eval_sh_chebyt.

    Examples:
        >>> at.special.shifted_chebyshev_polynomial_t(at.tensor([0.0, 1.5]), 2)
        tensor([1., 7.], device='npu:0')
    """
    return _chebyshev(input, n, out, 0.0, 1.0, shifted=True)


@checked
def shifted_chebyshev_polynomial_u(input: T, n: int, *, out: T | None = None) -> T:
    """Chebyshev polynomial of the second kind, of `2 * input - 1`, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.shifted_chebyshev_polynomial_u, scipy.special.eval_sh_chebyu.

    Examples:
        >>> at.special.shifted_chebyshev_polynomial_u(at.tensor([0.0, 1.5]), 2)
        tensor([ 3., 15.], device='npu:0')
    """
    return _chebyshev(input, n, out, 0.0, 2.0, shifted=True)


@checked
def shifted_chebyshev_polynomial_v(input: T, n: int, *, out: T | None = None) -> T:
    """Chebyshev polynomial of the third kind, of `2 * input - 1`, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.shifted_chebyshev_polynomial_v.

    Examples:
        >>> at.special.shifted_chebyshev_polynomial_v(at.tensor([0.0, 1.5]), 2)
        tensor([ 5., 11.], device='npu:0')
    """
    return _chebyshev(input, n, out, -1.0, 2.0, shifted=True)


@checked
def shifted_chebyshev_polynomial_w(input: T, n: int, *, out: T | None = None) -> T:
    """Chebyshev polynomial of the fourth kind, of `2 * input - 1`, of degree `n`; 0 where that is negative.

    Args:
        input: Tensor of any shape and real dtype; integers and bool are computed in the default floating dtype.
        n: Degree, one number.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the same shape.

    Raises:
        UnsupportedError: `n` is a tensor, or more than 10,000.
        DTypeError: `input` is complex.

    Ascend operator: Addcmul and Mul. Like: torch.special.shifted_chebyshev_polynomial_w.

    Examples:
        >>> at.special.shifted_chebyshev_polynomial_w(at.tensor([0.0, 1.5]), 2)
        tensor([ 1., 19.], device='npu:0')
    """
    return _chebyshev(input, n, out, 1.0, 2.0, shifted=True)
