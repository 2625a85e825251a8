"""Rows of linear algebra, and their rules: determinants, solutions, factorisations, cross products, distances.

All but Cross and Pdist run on the AI CPU. Shapes of outputs are those of CANN's own rules (`linalg_ops`): vectors that are not asked for
are 0-d, the logarithm of a single determinant has one element. Singular values and eigenvalues of complex matrices come as complex
numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ... import shapes
from ...errors import ShapeError
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row, Rule
from .forms import COMPLEX, INTS, UNSIGNED

Shape = tuple[int, ...]
LINEAR: Final = (d.float32, d.float64, d.complex64, d.complex128)


def matrix_shape(shape: Shape, square: bool = True) -> tuple[Shape, int, int]:
    """Stack, rows and columns of (a stack of) matrices.

    Raises:
        ShapeError: Less than two dims, or not square.
    """
    if len(shape) < 2:
        raise ShapeError(f"a tensor of at least two dims is needed, not of shape {list(shape)}")
    if square and shape[-1] != shape[-2]:
        raise ShapeError(f"square matrices are needed, not of shape {list(shape)}")
    return shape[:-2], shape[-2], shape[-1]


def square(operands: Sequence[Meta]) -> Outcome:
    """A matrix of a square matrix."""
    matrix_shape(operands[0].shape)
    return Outcome((operands[0].shape,))


def determinant(operands: Sequence[Meta]) -> Outcome:
    """A number of a square matrix."""
    return Outcome((matrix_shape(operands[0].shape)[0],))


def log_determinant(operands: Sequence[Meta]) -> Outcome:
    """Sign and logarithm; those of a single matrix are described as vectors of one."""
    stack = matrix_shape(operands[0].shape)[0]
    seen = stack or (1,)
    return Outcome((stack, stack), outputs=(seen, seen))


def solution(operands: Sequence[Meta]) -> Outcome:
    """Of a system with square matrices; the stacks are equal."""
    return _solution(operands, True)


def least_squares(operands: Sequence[Meta], fast: bool) -> Outcome:
    """Of a system with any matrices; the stacks are equal."""
    return Outcome(_solution(operands, False).shapes, attrs={"fast": fast})


def _solution(operands: Sequence[Meta], square: bool) -> Outcome:
    left, right = operands[0].shape, operands[1].shape
    stack, rows, columns = matrix_shape(left, square)
    if len(right) != len(left) or right[:-2] != stack or right[-2] != rows:
        raise ShapeError(f"a matrix of shape {list(left)} and a right side of shape {list(right)} do not fit")
    return Outcome(((*stack, columns, right[-1]),))


def triangular(operands: Sequence[Meta], lower: bool, adjoint: bool) -> Outcome:
    """Of a system with triangular matrices."""
    return Outcome(solution(operands).shapes, attrs={"lower": lower, "adjoint": adjoint})


def qr(operands: Sequence[Meta], full: bool) -> Outcome:
    """Orthogonal and upper factor."""
    stack, rows, columns = matrix_shape(operands[0].shape, False)
    size = rows if full else min(rows, columns)
    return Outcome(((*stack, rows, size), (*stack, size, columns)), attrs={"full_matrices": full})


def singular(operands: Sequence[Meta], vectors: bool, full: bool) -> Outcome:
    """Singular values, and left and right vectors as columns."""
    stack, rows, columns = matrix_shape(operands[0].shape, False)
    least = min(rows, columns)
    left, right = (rows, columns) if full else (least, least)
    sides = ((*stack, rows, left), (*stack, columns, right)) if vectors else ((), ())
    return Outcome(((*stack, least), *sides), attrs={"compute_uv": vectors, "full_matrices": full})


def eigen(operands: Sequence[Meta], vectors: bool) -> Outcome:
    """Eigenvalues, and eigenvectors as columns."""
    shape = operands[0].shape
    matrix_shape(shape)
    return Outcome((shape[:-1], shape if vectors else ()), attrs={"compute_v": vectors})


def lu(operands: Sequence[Meta]) -> Outcome:
    """Both factors in one matrix, and the order of the rows."""
    shape = operands[0].shape
    matrix_shape(shape)
    return Outcome((shape, shape[:-1]), attrs={"output_idx_type": d.int64})


def pseudo_inverse(operands: Sequence[Meta], rcond: float) -> Outcome:
    """A matrix of the transposed shape."""
    stack, rows, columns = matrix_shape(operands[0].shape, False)
    return Outcome(((*stack, columns, rows),), attrs={"rcond": rcond})


def cross(operands: Sequence[Meta], dim: int) -> Outcome:
    """A cross product along one dim."""
    shape = operands[0].shape
    return Outcome((shape,), attrs={"dim": shapes.normalize_dim(dim, len(shape))})


def pairs(operands: Sequence[Meta], p: float) -> Outcome:
    """Distances of all pairs of rows."""
    rows = operands[0].shape[0]
    return Outcome(((rows * (rows - 1) // 2,),), attrs={"p": p})


def _of_one(name: str, op_type: str, outputs: tuple[str, ...], rule: Rule, attrs: tuple[Attr, ...] = ()) -> Row:
    return Row(name, op_type, (Input("x"),), tuple(map(Output, outputs)), rule, attrs, Kind.FLOAT_ONLY, LINEAR)


# A determinant of nothing is 1; factors of nothing are nothing.
DETERMINANT: Final = Row(
    "det", "MatrixDeterminant", (Input("x"),), (Output("y"),), determinant, promotion=Kind.FLOAT_ONLY, dtypes=LINEAR, identity=1
)
LOG_DETERMINANT: Final = _of_one("slogdet", "LogMatrixDeterminant", ("sign", "y"), log_determinant)
INVERSE: Final = _of_one("inv", "MatrixInverse", ("y",), square, (Attr("adjoint", "bool", False),))
CHOLESKY: Final = _of_one("cholesky", "Cholesky", ("y",), square)
QR: Final = _of_one("qr", "Qr", ("q", "r"), qr, (Attr("full_matrices", "bool", False),))
SVD: Final = _of_one("svd", "Svd", ("sigma", "u", "v"), singular, (Attr("compute_uv", "bool", True), Attr("full_matrices", "bool", False)))
EIGEN: Final = _of_one("eigh", "SelfAdjointEig", ("eigen_value", "eigen_vector"), eigen, (Attr("compute_v", "bool", True),))
LU: Final = Row(
    "lu_factor",
    "Lu",
    (Input("input"),),
    (Output("lu"), Output("p", d.int64)),
    lu,
    (Attr("output_idx_type", "data_type"),),
    Kind.FLOAT_ONLY,
    LINEAR,
)
PSEUDO_INVERSE: Final = Row(
    "pinv",
    "Pinverse",
    (Input("x"),),
    (Output("y"),),
    pseudo_inverse,
    (Attr("rcond", "float", 1e-15),),
    Kind.FLOAT_ONLY,
    (d.float32, d.float64),
)

_SYSTEM: Final = (Input("matrix"), Input("rhs"))
SOLVE: Final = Row("solve", "MatrixSolve", _SYSTEM, (Output("y"),), solution, (Attr("adjoint", "bool", False),), Kind.FLOAT_ONLY, LINEAR)
TRIANGULAR_SOLVE: Final = Row(
    "solve_triangular",
    "MatrixTriangularSolve",
    _SYSTEM,
    (Output("y"),),
    triangular,
    (Attr("lower", "bool", True), Attr("adjoint", "bool", False)),
    Kind.FLOAT_ONLY,
    LINEAR,
)
# The prototype has no complex result, so complex systems go through singular values.
LEAST_SQUARES: Final = Row(
    "lstsq",
    "MatrixSolveLs",
    (*_SYSTEM, Input("l2", dtype=d.float64)),
    (Output("y"),),
    least_squares,
    (Attr("fast", "bool", True),),
    Kind.FLOAT_ONLY,
    (d.float32, d.float64),
)

CROSS: Final = Row(
    "cross",
    "Cross",
    (Input("x1"), Input("x2")),
    (Output("y"),),
    cross,
    (Attr("dim", "int", -65530),),
    dtypes=(d.float32, d.float16, d.float64, *INTS, *UNSIGNED, *COMPLEX),
    via={d.bfloat16: d.float32},
)
PAIR_DISTANCES: Final = Row(
    "pdist",
    "Pdist",
    (Input("x"),),
    (Output("y"),),
    pairs,
    (Attr("p", "float", 2.0),),
    Kind.FLOAT_ONLY,
    (d.float32, d.float16),
    {d.bfloat16: d.float32},
    identity=0,
)
