"""Eigenvalues and eigenvectors of general matrices.

No Ascend operator computes them, so they are composed: reflections to Hessenberg form, then QR steps with Wilkinson's shift to a complex
Schur form, then back substitution. The matrices stay on the device, and how far each of a stack has come is known to masks; every few
steps one number is waited for, which says whether all are done.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeVar

from ... import dtypes as d
from ...base import TensorBase
from .. import gather, host, reduction, shape, views
from ..arguments import checked
from ..call import call, made
from ..operands import filled
from ..pointwise import comparison, elementwise, unary
from ..pointwise.complex_numbers import adjoint as conjugated
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
"""Steps between two questions whether all is done, each of which waits."""
_STUCK: Final = 8
"""After so many steps without an eigenvalue a shift is taken from elsewhere."""


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
        kept, below: Bool matrices: the upper triangle; the first subdiagonal.
        diagonal, before, left: For each row, where in a flat matrix its diagonal element is, the one before that on the diagonal, and
            the one to its left (for the first row, its own).
        window: Where a flat matrix of pairs has the 2 x 2 block that ends in row 0, to which `2 * (size + 1)` is added for each row.
    """

    one: Any
    numbers: Any
    kept: Any
    below: Any
    diagonal: Any
    before: Any
    left: Any
    window: Any


@checked
def eig(A: T, *, out: Any = None) -> Eigen[T]:
    """Eigenvalues and eigenvectors of any square matrices.

    Made of some 60 launches for each QR step, with products and factors of n x n matrices: meant for small matrices and stacks of them.
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
    schur = _schur(comparison.cast(A, dtype), True)
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
    schur = _schur(comparison.cast(A, dtype), False)
    return into(elementwise.mul(views.diagonal(schur.form, 0, -2, -1), views.squeeze(schur.scale, -1)), out)


# To Schur form


def _schur(matrix: T, wanted: bool) -> _Schur:
    size = matrix.desc.shape[-1]
    largest = reduction.amax(unary.abs(matrix), (-2, -1), True)
    # Not less than what can be divided by.
    scale = elementwise.clamp(largest, min=d.finfo(largest.desc.dtype).tiny)
    form, vectors = _hessenberg(elementwise.div(matrix, scale), wanted)
    if size == 1:
        return _Schur(form, vectors, scale)
    places = _places(form, size)
    before, stuck = None, None
    form, last = _deflated(form, places)
    for step in range(_EACH * size + _MORE):
        if step % _ASKED == 0 and not host.item(reduction.amax(last)):
            break
        same = comparison.cast(comparison.eq(last, before), d.int32) if before is not None else elementwise.mul(last, 0)
        stuck = elementwise.mul(elementwise.add(stuck, 1), same) if stuck is not None else same
        before = last
        form, vectors = _step(form, vectors, places, last, stuck)
        form, last = _deflated(form, places)
    # What is left below the diagonal says that there were too few steps.
    done = comparison.eq(views.unsqueeze(last, -1), 0)
    lost = comparison.where(done, 0.0, float("nan"))
    return _Schur(elementwise.add(upper(form), comparison.cast(lost, matrix.desc.dtype.to_real())), vectors, scale)


def _places(form: T, size: int) -> _Places:
    row = made(RANGE, (0, size, 1), (size, d.int64), form)
    numbers, rows = comparison.cast(row, d.int32), views.unsqueeze(row, -1)
    diagonal = elementwise.mul(row, size + 1)
    first = comparison.eq(row, 0)
    block = elementwise.mul(views.unsqueeze(made(RANGE, (-1, 1, 1), (2, d.int64), form), -1), size)
    columns = made(RANGE, (-2, 2, 1), (4, d.int64), form)
    return _Places(
        identity(form, size),
        numbers,
        comparison.ge(row, rows),
        comparison.eq(elementwise.add(row, 1), rows),
        diagonal,
        comparison.where(first, diagonal, elementwise.sub(diagonal, size + 1)),
        comparison.where(first, diagonal, elementwise.sub(diagonal, 1)),
        views.reshape(elementwise.add(elementwise.mul(block, 2), columns), (8,)),
    )


def _hessenberg(matrix: T, wanted: bool) -> tuple[T, Any]:
    """Nothing below the first subdiagonal, by one reflection for each column, and what was reflected."""
    size = matrix.desc.shape[-1]
    vectors = identity(matrix, size, matrix.desc.shape[:-2]) if wanted else None
    for column in range(size - 2):
        rest = size - column - 1
        part = views.narrow(views.narrow(matrix, -1, column, 1), -2, column + 1, rest)
        reflection, _ = call(table.QR, (shape.contiguous(part),), (True,))
        lower = matmul(conjugated(reflection), views.narrow(matrix, -2, column + 1, rest))
        matrix = shape.cat((views.narrow(matrix, -2, 0, column + 1), lower), -2)
        matrix = _right(matrix, reflection, column + 1)
        vectors = _right(vectors, reflection, column + 1) if vectors is not None else None
    return upper(matrix, -1) if size > 2 else matrix, vectors


def _right(matrix: T, reflection: T, start: int) -> T:
    """The columns from one on times a matrix."""
    length = reflection.desc.shape[-1]
    return shape.cat((views.narrow(matrix, -1, 0, start), matmul(views.narrow(matrix, -1, start, length), reflection)), -1)


def _deflated(form: T, places: _Places) -> tuple[T, T]:
    """The form with what is negligible below the diagonal made 0, and the last row where something is not (0 where all is)."""
    size = form.desc.shape[-1]
    sizes = views.reshape(unary.abs(form), (*form.desc.shape[:-2], size * size))
    diagonal, before, left = (gather.index_select(sizes, -1, place) for place in (places.diagonal, places.before, places.left))
    least = epsilon(form.desc.dtype.to_real())
    # Rows of zeros are judged by the whole matrix, whose largest element was 1.
    small = comparison.le(left, elementwise.mul(elementwise.add(elementwise.add(diagonal, before), least), least))
    last = reduction.amax(comparison.where(small, 0, places.numbers), -1, True)
    kept = comparison.logical_or(places.kept, comparison.logical_and(places.below, comparison.logical_not(views.unsqueeze(small, -1))))
    return comparison.where(kept, form, 0.0), last


def _shift(form: T, places: _Places, last: T, stuck: T) -> T:
    """The eigenvalue of the last two rows and columns that is nearer to the last element."""
    *stack, size, _ = form.desc.shape
    end = elementwise.maximum(comparison.cast(last, d.int64), 1)
    pairs = views.reshape(views.view_as_real(form), (*stack, 2 * size * size))
    parts = gather.gather(pairs, -1, elementwise.add(elementwise.mul(end, 2 * (size + 1)), places.window))
    window = views.view_as_complex(views.reshape(parts, (*stack, 4, 2)))
    first, above, left, second = (views.narrow(window, -1, place, 1) for place in range(4))
    both = elementwise.mul(left, above)
    half = elementwise.mul(elementwise.sub(first, second), 0.5)
    root = unary.sqrt(elementwise.add(elementwise.mul(half, half), both))
    plus, minus = elementwise.add(half, root), elementwise.sub(half, root)
    divisor = comparison.where(comparison.ge(unary.abs(plus), unary.abs(minus)), plus, minus)
    none = comparison.eq(unary.abs(divisor), 0)
    usual = elementwise.sub(second, elementwise.div(both, comparison.where(none, elementwise.add(divisor, 1), divisor)))
    other = elementwise.add(second, elementwise.mul(unary.abs(left), complex(0.75, 0.4)))
    now = comparison.eq(elementwise.remainder(stuck, _STUCK), _STUCK - 1)
    return comparison.where(now, other, usual)


def _step(form: T, vectors: Any, places: _Places, last: T, stuck: T) -> tuple[T, Any]:
    """A QR step of the rows and columns up to the last one; the others meet the identity."""
    shift = views.unsqueeze(_shift(form, places, last, stuck), -1)
    inside = comparison.le(places.numbers, last)
    block = comparison.logical_and(views.unsqueeze(inside, -1), views.unsqueeze(inside, -2))
    moved = elementwise.sub(form, elementwise.mul(places.one, shift))
    turn, _ = call(table.QR, (comparison.where(block, moved, places.one),), (False,))
    # What rounding leaves below the first subdiagonal is cut off with what is negligible there.
    return matmul(matmul(conjugated(turn), form), turn), matmul(vectors, turn) if vectors is not None else None


# Vectors


def _vectors(schur: _Schur) -> Any:
    """Solutions of `(form - value) x = 0` for all values at once, from the last row up, times the unitary factor."""
    form = schur.form
    size = form.desc.shape[-1]
    least = epsilon(form.desc.dtype.to_real())
    diagonal = views.diagonal(form, 0, -2, -1)
    one = identity(form, size, form.desc.shape[:-2])
    solved = views.narrow(one, -2, size - 1, 1)
    for row in range(size - 2, -1, -1):
        known = views.narrow(views.narrow(form, -2, row, 1), -1, row + 1, size - row - 1)
        gap = elementwise.sub(views.narrow(diagonal, -1, row, 1), diagonal)
        # Equal values would divide by 0: the vectors of a defective matrix then come out parallel.
        far = comparison.ge(unary.abs(gap), least)
        divisor = comparison.where(far, gap, elementwise.add(elementwise.mul(gap, 0), least))
        line = elementwise.div(unary.neg(matmul(known, solved)), views.unsqueeze(divisor, -2))
        # Columns up to the row's own have nothing there yet, and 1 in their own row.
        line = elementwise.add(
            shape.cat((elementwise.mul(views.narrow(line, -1, 0, row + 1), 0), views.narrow(line, -1, row + 1, size - row - 1)), -1),
            views.narrow(one, -2, row, 1),
        )
        longest = elementwise.maximum(unary.abs(line), 1.0)
        solved = elementwise.div(shape.cat((line, solved), -2), longest)
    found = matmul(schur.vectors, solved)
    return elementwise.div(found, reduction.vector_norm(found, 2, -2, True))
