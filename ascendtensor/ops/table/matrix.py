"""Rows of matrix products, and their rules.

On a 910B the cube unit multiplies float16, bfloat16 and float32 (MatMulV2, BatchMatMulV2). The AI CPU kernel of BatchMatMul, which is
TensorFlow's, multiplies int32 (modulo 2**32, which for narrower integers is PyTorch's result too: they are cast there and back), float64,
complex64 and complex128. Its prototype does not list the last three; GE asks the kernel lists. Other dtypes have no kernel; see
`ops.linalg.matmul`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ... import dtypes as d
from ... import shapes
from ...errors import ShapeError
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row, Rule

Shape = tuple[int, ...]


def _turned(shape: Shape, turn: bool) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if turn else shape


def matrices(operands: Sequence[Meta], transpose_input: bool = False, transpose_other: bool = False) -> Outcome:
    """A product with a vector or one matrix on the right: vectors are described as matrices, a stack on the left as one tall matrix.

    Args:
        operands: Left and right; the right one has one or two dims.
        transpose_input, transpose_other: The matrices as given are to be transposed.
    """
    left, right = _turned(operands[0].shape, transpose_input), _turned(operands[1].shape, transpose_other)
    shape = shapes.matmul_shape(left, right)
    rows = shapes.numel(left[:-1])
    inner = left[-1]
    columns = right[1] if len(right) == 2 else 1
    seen_left = (inner, rows) if transpose_input else (rows, inner)
    seen_right = (columns, inner) if transpose_other else (inner, columns)
    return Outcome(
        (shape,),
        attrs={"transpose_x1": transpose_input, "transpose_x2": transpose_other},
        inputs=(seen_left, seen_right),
        outputs=((rows, columns),),
    )


def with_bias(operands: Sequence[Meta], transpose_input: bool = False, transpose_other: bool = False) -> Outcome:
    """The product of rows and a matrix, and a bias that is added to each row."""
    found = matrices(operands[:2], transpose_input, transpose_other)
    return found._replace(inputs=(*(found.inputs or ()), operands[2].shape))


def stacks(operands: Sequence[Meta], transpose_input: bool = False, transpose_other: bool = False) -> Outcome:
    """A product of stacks of matrices; vectors are described as matrices, and the shorter batch is filled up with ones."""
    left, right = _turned(operands[0].shape, transpose_input), _turned(operands[1].shape, transpose_other)
    shape = shapes.matmul_shape(left, right)
    rank = max(len(left), len(right), 2)
    whole_left = left if len(left) > 1 else (1, *left)
    whole_right = right if len(right) > 1 else (*right, 1)
    whole_left = (*(1,) * (rank - len(whole_left)), *whole_left)
    whole_right = (*(1,) * (rank - len(whole_right)), *whole_right)
    batch = shapes.broadcast_shapes(whole_left[:-2], whole_right[:-2])
    return Outcome(
        (shape,),
        attrs={"adj_x1": transpose_input, "adj_x2": transpose_other},
        inputs=(_turned(whole_left, transpose_input), _turned(whole_right, transpose_other)),
        outputs=((*batch, whole_left[-2], whole_right[-1]),),
    )


def equal_stacks(operands: Sequence[Meta], transpose_input: bool = False, transpose_other: bool = False) -> Outcome:
    """A product with a vector or one matrix on the right, or of stacks of one shape: TensorFlow's kernel does not broadcast them."""
    left, right = operands[0].shape, operands[1].shape
    if len(right) < 3:
        found = matrices(operands, transpose_input, transpose_other)
        return found._replace(attrs={"adj_x1": transpose_input, "adj_x2": transpose_other})
    if left[:-2] != right[:-2]:
        raise ShapeError(f"stacks of shapes {list(left)} and {list(right)} are not equal")
    return stacks(operands, transpose_input, transpose_other)


_OPERANDS: Final = (Input("x1"), Input("x2"))
_ADJOINTS: Final = (Attr("adj_x1", "bool", False), Attr("adj_x2", "bool", False))
CUBE: Final = (d.float32, d.float16, d.bfloat16)
HALVES: Final = (d.float16, d.bfloat16)

MATMUL: Final = Row(
    "matmul",
    "MatMulV2",
    _OPERANDS,
    (Output("y"),),
    matrices,
    (Attr("transpose_x1", "bool", False), Attr("transpose_x2", "bool", False), Attr("offset_x", "int", 0)),
    Kind.SAME,
    CUBE,
    identity=0,
    numbers=False,
)
LINEAR: Final = replace(MATMUL, name="linear", inputs=(*_OPERANDS, Input("bias")), rule=with_bias, dtypes=(d.float32, d.float16))
LINEAR_BFLOAT16: Final = replace(LINEAR, inputs=(*_OPERANDS, Input("bias", dtype=d.float32, accepts=(d.bfloat16,))), dtypes=(d.bfloat16,))
BATCH_MATMUL: Final = Row(
    "matmul",
    "BatchMatMulV2",
    _OPERANDS,
    (Output("y"),),
    stacks,
    (*_ADJOINTS, Attr("offset_x", "int", 0)),
    Kind.SAME,
    CUBE,
    identity=0,
    numbers=False,
)
CPU_MATMUL: Final = Row(
    "matmul",
    "BatchMatMul",
    _OPERANDS,
    (Output("y"),),
    equal_stacks,
    _ADJOINTS,
    Kind.SAME,
    (d.int32, d.float64, d.complex64, d.complex128),
    {d.int8: d.int32, d.int16: d.int32, d.uint8: d.int32},
    identity=0,
    numbers=False,
)


def _of_halves(op_type: str, rule: Rule, attrs: tuple[Attr, ...]) -> Row:
    """A product of halves whose sums are not rounded to them."""
    attrs = (*attrs, Attr("offset_x", "int", 0))
    return Row("matmul", op_type, _OPERANDS, (Output("y", d.float32),), rule, attrs, Kind.SAME, HALVES, identity=0, numbers=False)


HALVES_MATMUL: Final = _of_halves("MatMulV2", matrices, (Attr("transpose_x1", "bool", False), Attr("transpose_x2", "bool", False)))
HALVES_BATCH_MATMUL: Final = _of_halves("BatchMatMulV2", stacks, _ADJOINTS)
