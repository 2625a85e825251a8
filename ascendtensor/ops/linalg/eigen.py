"""Eigenvalues and eigenvectors of general matrices.

No Ascend operator computes them, so they are composed: reflections to Hessenberg form, then QR steps with Wilkinson's shift to a complex
Schur form, then back substitution. The matrices stay on the device, and how far each of a stack has come is known to masks; every few
steps one number is waited for, which says whether all are done.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from math import prod
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from ... import dtypes as d
from ...base import TensorBase
from .. import gather, host, reduction, shape, views
from ..arguments import checked
from ..call import call, made, plain
from ..operands import counted, filled
from ..pointwise import comparison, elementwise, unary
from ..pointwise.complex_numbers import adjoint as conjugated
from ..pointwise.complex_numbers import conj
from ..precision import singles_are_whole
from ..table import linalg as table
from ..table.creation import RANGE
from ..writing import into
from .forms import Eigen, epsilon, identity, linear, put, stack_of, upper
from .matmul import matmul

T = TypeVar("T", bound=TensorBase)

_EACH: Final = 6
"""QR steps for each eigenvalue; LAPACK allows 30, and 3 are usual."""
_MORE: Final = 24
_ASKED: Final = 8
"""Steps between two questions whether all is done, each of which waits. Without a new value since the last one, one shift is another."""
_LANE: Final = 8
"""So many elements of any dtype are a multiple of the bytes that operands are aligned to."""


class _Schur(NamedTuple):
    """`A = Z @ form @ Z^H * scale`: upper triangular, unitary, and a number for each matrix."""

    form: Any
    vectors: Any
    scale: Any


class _Places(NamedTuple):
    """What depends on the size alone.

    Attributes:
        one: The identity.
        numbers: 0, 1, ... as int32.
        under, below: Bool matrices: what lies below the first subdiagonal; the first subdiagonal.
        beside, left: For each row, where in a flat matrix its diagonal element and the one before that on the diagonal are, and the one to
            its left (for the first row, its own).
        least: The square of the dtype's epsilon for each row.
        windows: For each row, where a flat matrix of pairs has the 2 x 2 block that ends there.
        units: 1 and i in a column, where products of float32 are exact; None elsewhere.
    """

    one: Any
    numbers: Any
    under: Any
    below: Any
    beside: Any
    left: Any
    least: Any
    windows: Any
    units: Any


@checked
def eig(A: T, *, out: Any = None) -> Eigen[T]:
    """Eigenvalues and eigenvectors of any square matrices.

    Made of some 45 launches for each QR step, with products and factors of n x n matrices: meant for small matrices and stacks of them.
    Two or three steps for each eigenvalue are usual, `6 * n + 24` are the most; every eighth waits to see whether all are found. `eigh`
    is one operator for symmetric and Hermitian matrices.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        out: Two complex tensors of the results' shapes to write into.

    Returns:
        `eigenvalues` (..., n), in no order, and `eigenvectors` (..., n, n) as columns of length 1 whose phase is not defined: complex also
        for real matrices, whose real eigenvalues have imaginary parts of rounding's size. A defective matrix has columns that are nearly
        parallel. NaN for a matrix that holds NaN or infinities, and where the steps did not suffice.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: composed of Qr, BatchMatMulV2, Sqrt, RealDiv and others. Like: torch.linalg.eig, numpy.linalg.eig.

    Examples:
        >>> values, vectors = at.linalg.eig(at.tensor([[2.0, 0.0], [0.0, 3.0]]))
        >>> values
        tensor([2.+0.j, 3.+0.j], device='npu:0')
    """
    linear("eig", A)
    stack, size, _ = stack_of("eig", A)
    dtype = A.desc.dtype.to_complex()
    if not A.desc.numel:
        return put(Eigen(filled(A, (*stack, size), 0, dtype), filled(A, A.desc.shape, 0, dtype)), out)
    schur = _schur(A, True)
    values = elementwise.mul(views.diagonal(schur.form, 0, -2, -1), views.squeeze(schur.scale, -1))
    return put(Eigen(values, _vectors(schur)), out)


@checked
def eigvals(A: T, *, out: T | None = None) -> T:
    """Eigenvalues of any square matrices. Made as those of `eig`, which says what that costs and how exact they are.

    Args:
        A: (..., n, n) tensor of float32, float64, complex64 or complex128.
        out: (..., n) complex tensor to write into.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.

    Ascend operator: composed of Qr, BatchMatMulV2, Sqrt, RealDiv and others. Like: torch.linalg.eigvals, numpy.linalg.eigvals.

    Examples:
        >>> at.linalg.eigvals(at.tensor([[2.0, 0.0], [0.0, 3.0]]))
        tensor([2.+0.j, 3.+0.j], device='npu:0')
    """
    linear("eigvals", A)
    stack, size, _ = stack_of("eigvals", A)
    dtype = A.desc.dtype.to_complex()
    if not A.desc.numel:
        return into(filled(A, (*stack, size), 0, dtype), out)
    schur = _schur(A, False)
    return into(elementwise.mul(views.diagonal(schur.form, 0, -2, -1), views.squeeze(schur.scale, -1)), out)


# To Schur form


def _schur(matrix: T, wanted: bool) -> _Schur:
    size = matrix.desc.shape[-1]
    largest = reduction.amax(unary.abs(matrix), (-2, -1), True)
    # What is not finite would take all steps and end as NaN, which it is made at the end.
    whole = comparison.isfinite(largest)
    matrix, largest = comparison.where(whole, matrix, 0), comparison.where(whole, largest, 0)
    # Not less than what can be divided by.
    scale = elementwise.clamp(largest, min=d.finfo(largest.desc.dtype).tiny)
    form, vectors = _hessenberg(elementwise.div(matrix, scale), wanted)
    dtype = matrix.desc.dtype.to_complex()
    form, vectors = comparison.cast(form, dtype), comparison.cast(vectors, dtype) if wanted else None
    if size == 1:
        return _Schur(elementwise.add(form, comparison.where(whole, 0.0, float("nan"))), vectors, scale)
    places = _places(form, size)
    before: Any = None
    form, last = _deflated(form, places)
    for step in range(_EACH * size + _MORE):
        other = None
        if step % _ASKED == 0:
            rows = host.download(last)
            if not rows.any():
                break
            if before is not None and np.any((rows == before[0]) & (rows > 0)):
                other = comparison.eq(last, before[1])
            before = rows, last
        form, vectors = _step(form, vectors, places, last, other)
        form, last = _deflated(form, places)
    # What is left below the diagonal says that there were too few steps.
    done = comparison.logical_and(comparison.eq(views.unsqueeze(last, -1), 0), whole)
    lost = comparison.where(done, 0.0, float("nan"))
    return _Schur(elementwise.add(upper(form), comparison.cast(lost, matrix.desc.dtype.to_real())), vectors, scale)


def _places(form: T, size: int) -> _Places:
    row = counted(form, size)
    numbers, rows = comparison.cast(row, d.int32), views.unsqueeze(row, -1)
    diagonal = elementwise.mul(row, size + 1)
    first = comparison.eq(row, 0)
    block = views.reshape(elementwise.mul(made(RANGE, (-1, 1, 1), (2, d.int64), form), 2 * size), (2, 1, 1, 1))
    # Each number of the block four times, so that the next one begins where operators read from.
    columns = views.reshape(made(RANGE, (-2, 2, 1), (4, d.int64), form), (2, 1, 2))
    columns = elementwise.add(columns, filled(form, (4, 1), 0, d.int64))
    before = comparison.where(first, diagonal, elementwise.sub(diagonal, size + 1))
    ends = views.unsqueeze(elementwise.mul(elementwise.maximum(row, 1), 2 * (size + 1)), -1)
    least = epsilon(form.desc.dtype)
    return _Places(
        identity(form, size),
        numbers,
        comparison.lt(elementwise.add(row, 1), rows),
        comparison.eq(elementwise.add(row, 1), rows),
        shape.cat((diagonal, before)),
        comparison.where(first, diagonal, elementwise.sub(diagonal, 1)),
        filled(form, (size,), least * least, form.desc.dtype.to_real()),
        elementwise.add(ends, views.reshape(elementwise.add(block, columns), (32,))),
        shape.cat((filled(form, (1, 1), 1), filled(form, (1, 1), 1j)), 0)
        if form.desc.dtype is d.complex64 and singles_are_whole()
        else None,
    )


def _hessenberg(matrix: T, wanted: bool) -> tuple[T, Any]:
    """Nothing below the first subdiagonal, by one reflection for each column, and what was reflected.

    All shapes stay the same, so that few models serve. The transposed matrix is worked on: a column of the matrix is a row of it, which
    lies together.
    """
    size = matrix.desc.shape[-1]
    wide = -(-size // _LANE) * _LANE
    one = identity(matrix, wide)
    vectors: Any = identity(matrix, size, matrix.desc.shape[:-2]) if wanted else None
    rest = upper(filled(matrix, (wide, wide), 1), 1)
    rows = _rows(matrix, size)
    turned = shape.contiguous(views.transpose(matrix, -2, -1))
    for column in range(size - 2):
        row = elementwise.mul(gather.index_select(turned, -2, _line(rows, column, 1)), _line(rest, column, size))
        across = _reflector(row, _line(one, column + 1, size))
        mirrored = conj(across)
        turned = elementwise.sub(turned, elementwise.mul(_along(turned, mirrored, -1), across))
        turned = elementwise.sub(turned, elementwise.mul(_upright(mirrored), _along(turned, _upright(across), -2)))
        vectors = elementwise.sub(vectors, elementwise.mul(_along(vectors, across, -1), mirrored)) if wanted else None
    found = shape.contiguous(views.transpose(turned, -2, -1))
    return upper(found, -1) if size > 2 else found, vectors


def _rows(like: T, size: int) -> T:
    """Row numbers, each at a place that operators read from."""
    numbers = counted(like, size * _LANE)
    return views.reshape(elementwise.floor_divide(numbers, _LANE), (size, _LANE))


def _line(table: T, row: int, length: int) -> T:
    """The begin of a row of a table whose rows are multiples of `_LANE` long, so that nothing is copied."""
    line = views.narrow(views.narrow(table, 0, row, 1), 1, 0, length)
    return views.reshape(line, (1, length)) if length > 1 else views.reshape(line, (1,))


def _upright(row: T) -> T:
    """Rows of one as columns."""
    *stack, _, size = row.desc.shape
    return views.reshape(row, (*stack, size, 1))


def _along(matrix: T, vector: T, dim: int) -> T:
    """Rows or columns times a vector that lies along them."""
    return reduction.sum(elementwise.mul(matrix, vector), dim, True)


def _reflector(row: T, place: T) -> T:
    """The w of `I - w w^H` that brings a vector to one place; zeros for a vector of nearly nothing."""
    first = _along(row, place, -1)
    absolute = unary.abs(first)
    sizes = unary.abs(row)
    length = unary.sqrt(_along(sizes, sizes, -1))
    # Where squares lose their digits, the vector is far below the rounding of the matrix, whose largest element was 1.
    least = float(np.finfo(row.desc.dtype.to_real().numpy).tiny) ** 0.75
    none = comparison.le(absolute, least)
    sign = comparison.where(none, 1.0, elementwise.div(first, comparison.where(none, 1.0, absolute)))
    square = elementwise.mul(length, elementwise.add(length, absolute))
    factor = comparison.where(comparison.gt(square, least), unary.rsqrt(elementwise.maximum(square, least)), 0.0)
    return elementwise.mul(elementwise.add(row, elementwise.mul(place, elementwise.mul(sign, length))), factor)


def _deflated(form: T, places: _Places) -> tuple[T, T]:
    """The form with what is negligible below the diagonal made 0, and the last row where something is not (0 where all is)."""
    size = form.desc.shape[-1]
    sizes = views.reshape(unary.abs(form), (*form.desc.shape[:-2], size * size))
    left = gather.index_select(sizes, -1, places.left)
    beside = views.reshape(gather.index_select(sizes, -1, places.beside), (*form.desc.shape[:-2], 2, size))
    # Rows of zeros are judged by the whole matrix, whose largest element was 1.
    small = comparison.le(left, elementwise.add(places.least, reduction.sum(beside, -2), alpha=epsilon(form.desc.dtype)))
    last = reduction.amax(comparison.where(small, 0, places.numbers), -1, True)
    gone = comparison.logical_or(places.under, comparison.logical_and(places.below, views.unsqueeze(small, -1)))
    return comparison.where(gone, 0.0, form), last


def _shift(form: T, places: _Places, last: T, other: T | None) -> T:
    """The eigenvalue of the last two rows and columns that is nearer to the last element."""
    *stack, size, _ = form.desc.shape
    window = views.reshape(gather.index_select(places.windows, 0, views.reshape(last, (prod(stack),))), (*stack, 32))
    pairs = views.reshape(views.view_as_real(form), (*stack, 2 * size * size))
    parts = gather.gather(pairs, -1, window)
    window = views.view_as_complex(views.reshape(parts, (*stack, 16, 2)))
    first, above, left, second = (views.narrow(window, -1, place, 1) for place in range(0, 16, 4))
    both = elementwise.mul(left, above)
    half = elementwise.mul(elementwise.sub(first, second), 0.5)
    root = unary.sqrt(elementwise.add(elementwise.mul(half, half), both))
    plus, minus = elementwise.add(half, root), elementwise.sub(half, root)
    nearer = comparison.where(comparison.lt(unary.abs(plus), unary.abs(minus)), plus, minus)
    shift = elementwise.add(second, nearer)
    if other is None:
        return shift
    return comparison.where(other, elementwise.add(second, elementwise.mul(unary.abs(left), complex(0.75, 0.4))), shift)


def _step(form: T, vectors: Any, places: _Places, last: T, other: T | None) -> tuple[T, Any]:
    """A QR step of the rows and columns up to the last one; the others meet the identity."""
    shift = views.unsqueeze(_shift(form, places, last, other), -1)
    inside = comparison.le(places.numbers, last)
    block = comparison.logical_and(views.unsqueeze(inside, -1), views.unsqueeze(inside, -2))
    moved = elementwise.sub(form, elementwise.mul(places.one, shift))
    turn, _ = call(table.QR, (comparison.where(block, moved, places.one),), (False,))
    # What rounding leaves below the first subdiagonal is cut off with what is negligible there.
    if places.units is None:
        return matmul(matmul(conjugated(turn), form), turn), matmul(vectors, turn) if vectors is not None else None
    pairs = _pairs(turn, places.units)
    form = _of_pairs(conjugated(turn), _pairs(_of_pairs(form, pairs), places.units))
    return form, _of_pairs(vectors, pairs) if vectors is not None else None


def _pairs(matrix: T, units: T) -> T:
    """The real matrix of twice the size that multiplies the parts of complex numbers, which lie beside each other."""
    *stack, rows, columns = matrix.desc.shape
    both = elementwise.mul(views.unsqueeze(matrix, -2), units)
    return views.reshape(views.view_as_real(both), (*stack, 2 * rows, 2 * columns))


def _of_pairs(matrix: T, pairs: T) -> T:
    """A complex matrix times another one, of which `_pairs` made a real matrix: one product of float32."""
    *stack, rows, columns = matrix.desc.shape
    product = matmul(views.reshape(views.view_as_real(plain(matrix)), (*stack, rows, 2 * columns)), pairs)
    return views.view_as_complex(views.reshape(product, (*stack, rows, product.desc.shape[-1] // 2, 2)))


# Vectors


def _vectors(schur: _Schur) -> Any:
    """Solutions of `(form - value) x = 0` for all values at once, from the last row up, times the unitary factor."""
    form = schur.form
    size = form.desc.shape[-1]
    least_of = form.desc.dtype.to_real()
    least = epsilon(least_of)
    diagonal = views.diagonal(form, 0, -2, -1)
    above = upper(filled(form, (size, size), 1, least_of), 1)
    wide = -(-size // _LANE) * _LANE
    one, rows = identity(form, wide), _rows(form, size)
    # Equal values would divide by 0: the vectors of a defective matrix then come out parallel.
    gaps = elementwise.sub(views.unsqueeze(diagonal, -2), views.unsqueeze(diagonal, -1))
    far = comparison.ge(unary.abs(gaps), least)
    factors = elementwise.div(above, comparison.where(far, gaps, elementwise.sub(elementwise.mul(gaps, 0), least)))
    known = elementwise.mul(form, above)
    solved = identity(form, size)
    for row in range(size - 2, -1, -1):
        # Columns up to the row's own have nothing there yet, and 1 in their own row.
        place = _line(rows, row, 1)
        column = _upright(gather.index_select(known, -2, place))
        line = elementwise.mul(_along(solved, column, -2), gather.index_select(factors, -2, place))
        longest = elementwise.maximum(unary.abs(line), 1.0)
        solved = elementwise.div(elementwise.add(solved, elementwise.mul(_upright(_line(one, row, size)), line)), longest)
    found = matmul(schur.vectors, solved)
    return elementwise.div(found, reduction.vector_norm(found, 2, -2, True))
