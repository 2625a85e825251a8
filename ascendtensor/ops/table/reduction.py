"""Rows of reductions and of running sums, and the rules that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from ... import dtypes as d
from ... import shapes
from ...errors import IndexRangeError, ShapeError
from ...promotion import Kind
from .. import rules
from ..schema import Attr, Input, Meta, Outcome, Output, Row, reducing
from .forms import COMPLEX, FLOATS, INTS, UNSIGNED, reduction

# Rules


@reducing
def extreme(operands: Sequence[Meta], dim: Any, keepdim: bool) -> Outcome:
    """A reduction that has no identity: an axis of length 0 is refused, as in PyTorch."""
    shape = operands[0].shape
    _refuse_empty(shape, None if dim.__class__ is tuple and not dim else dim)
    return rules.reduce(operands, dim, keepdim)


def _refuse_empty(shape: tuple[int, ...], dim: Any) -> None:
    if 0 not in shape:
        return
    if dim is None:
        what = "Expected reduction dim to be specified for input.numel() == 0"
        raise ShapeError(what, advice="Specify the reduction dim with the 'dim' argument.")
    for each in shapes.normalize_dims(dim, len(shape)):
        if shape[each] == 0:
            raise IndexRangeError(f"Expected reduction dim {each} to have non-zero size")


def argument(operands: Sequence[Meta], dim: int | None, keepdim: bool) -> Outcome:
    """The index of an extreme; without `dim` of the flattened operand. The operators drop the axis: a kept one is in our shape only."""
    shape = operands[0].shape
    _refuse_empty(shape, dim)
    if dim is None:
        kept = (1,) * len(shape) if keepdim else ()
        return Outcome((kept,), constants={"dimension": 0}, inputs=((shapes.numel(shape),),), outputs=((),))
    axis = shapes.normalize_dim(dim, len(shape))
    seen = shape or (1,)
    dims = (axis,) if shape else ()
    dropped = shapes.reduce_shape(seen, (axis,), False)
    return Outcome((shapes.reduce_shape(shape, dims, keepdim),), constants={"dimension": axis}, inputs=(seen,), outputs=(dropped,))


def short_argument(operands: Sequence[Meta], dim: int | None, keepdim: bool) -> Outcome:
    """As `argument`, in int32."""
    return argument(operands, dim, keepdim)._replace(attrs={"dtype": d.int32})


@reducing
def extreme_and_index(operands: Sequence[Meta], dim: int, keepdim: bool) -> Outcome:
    """Indices and values of an extreme along one dim."""
    shape = operands[0].shape
    axis = shapes.normalize_dim(dim, len(shape))
    _refuse_empty(shape, axis)
    seen = shape or (1,)
    given = shapes.reduce_shape(shape, (axis,) if shape else (), keepdim)
    described = shapes.reduce_shape(seen, (axis,), keepdim)
    return Outcome((given, given), attrs={"dimension": axis, "keep_dims": bool(keepdim)}, inputs=(seen,), outputs=(described, described))


def running(operands: Sequence[Meta], dim: int) -> Outcome:
    """A scan along one dim, given as a constant."""
    shape = operands[0].shape
    axis = shapes.normalize_dim(dim, len(shape))
    seen = shape or (1,)
    return Outcome((shape,), constants={"axis": axis}, inputs=(seen,), outputs=(seen,))


def running_max(operands: Sequence[Meta], dim: int) -> Outcome:
    """A running maximum and where it was met."""
    return _running_extreme(operands, dim, "dim")


def running_min(operands: Sequence[Meta], dim: int) -> Outcome:
    """A running minimum and where it was met."""
    return _running_extreme(operands, dim, "axis")


def _running_extreme(operands: Sequence[Meta], dim: int, attr: str) -> Outcome:
    shape = operands[0].shape
    axis = shapes.normalize_dim(dim, len(shape))
    seen = shape or (1,)
    return Outcome((shape, shape), attrs={attr: axis}, inputs=(seen,), outputs=(seen, seen))


@reducing
def p_norm(operands: Sequence[Meta], p: float, dim: Any, keepdim: bool) -> Outcome:
    """A vector norm; the axes are an attribute. No epsilon: the norm of zeros is 0."""
    reduced = rules.reduce(operands, dim, keepdim)
    return Outcome(
        reduced.shapes,
        attrs={"p": p, "axes": reduced.constants["axes"], "keepdim": bool(keepdim), "epsilon": 0.0},
        inputs=reduced.inputs,
        outputs=reduced.outputs,
    )


def histogram(operands: Sequence[Meta], bins: int) -> Outcome:
    """Counts of a flattened operand in equal bins between two limits."""
    return Outcome(((bins,),), attrs={"bins": bins}, inputs=((shapes.numel(operands[0].shape),), (1,), (1,)))


def counts(operands: Sequence[Meta], size: int) -> Outcome:
    """How often each number below `size` occurs, or the sum of its weights."""
    return Outcome(((size,),), constants={"size": size})


# Reductions

SUM: Final = reduction("sum", "ReduceSum", (*FLOATS, d.int32, d.int64, *COMPLEX), Kind.SUM, identity=0)
SUM_OF_WORDS: Final = reduction("sum", "ReduceSum", (d.int32,), Kind.SAME, identity=0)
"""Sums in the dtype of what is added up."""
PROD: Final = reduction("prod", "ReduceProd", (*FLOATS, d.int64, *COMPLEX), Kind.SUM, identity=1)
MEAN: Final = reduction("mean", "ReduceMean", (*FLOATS, *COMPLEX), Kind.FLOAT_ONLY, identity=float("nan"))
NANSUM: Final = reduction("nansum", "ReduceNansum", (d.float32, d.float16, d.bfloat16), Kind.FLOAT_ONLY, identity=0)
ALL: Final = reduction("all", "ReduceAll", (d.bool_,), Kind.LOGICAL, identity=True)
ANY: Final = reduction("any", "ReduceAny", (d.bool_,), Kind.LOGICAL, identity=False)


def _extreme(name: str, op_type: str) -> Row:
    return Row(
        name,
        op_type,
        (Input("x"), Input("axes", "const", d.int64)),
        (Output("y"),),
        extreme,
        (Attr("keep_dims", "bool", False),),
        Kind.SAME,
        (*FLOATS, *INTS, *UNSIGNED),
        {d.bool_: d.uint8},
    )


AMAX: Final = _extreme("amax", "ReduceMax")
AMIN: Final = _extreme("amin", "ReduceMin")


def _argument(name: str, op_type: str) -> Row:
    return Row(
        name,
        op_type,
        (Input("x"), Input("dimension", "const", d.int64)),
        (Output("y", d.int64),),
        argument,
        (Attr("dtype", "data_type", d.int64.acl),),
        Kind.SAME,
        (*FLOATS, *INTS, d.uint16),
        {d.bool_: d.uint8, d.uint32: d.int64},
    )


ARGMAX: Final = _argument("argmax", "ArgMaxV2")
ARGMIN: Final = _argument("argmin", "ArgMin")
SHORT_ARGMAX: Final = replace(ARGMAX, outputs=(Output("y", d.int32),), rule=short_argument, dtypes=(d.float32, d.float16, d.int32), via={})
SHORT_ARGMIN: Final = replace(SHORT_ARGMAX, name="argmin", op_type="ArgMin")
"""For chips whose AI Core gives int32 places only."""

_NARROW: Final = {d.bool_: d.int32, d.int8: d.int32, d.int16: d.int32, d.uint8: d.int32, d.uint16: d.int32, d.uint32: d.int64}


def _with_index(name: str, op_type: str) -> Row:
    return Row(
        name,
        op_type,
        (Input("x"),),
        (Output("indice", d.int64), Output("values")),
        extreme_and_index,
        (Attr("dimension", "int"), Attr("keep_dims", "bool", False)),
        Kind.SAME,
        (d.float32, d.float16, d.bfloat16, d.int64, d.int32),
        _NARROW,
    )


MAX_DIM: Final = _with_index("max", "ArgMaxWithValue")
MIN_DIM: Final = _with_index("min", "ArgMinWithValue")

NORM: Final = Row(
    "norm",
    "LpNormV2",
    (Input("x"),),
    (Output("y"),),
    p_norm,
    (Attr("p", "float", 2.0), Attr("axes", "list_int", ()), Attr("keepdim", "bool", False), Attr("epsilon", "float", 1e-12)),
    Kind.FLOAT_ONLY,
    (d.float32, d.float16, d.bfloat16),
    identity=0,
)

# Scans

_SCAN: Final = (Attr("exclusive", "bool", False), Attr("reverse", "bool", False))

CUMSUM: Final = Row(
    "cumsum",
    "Cumsum",
    (Input("x"), Input("axis", "const", d.int64)),
    (Output("y"),),
    running,
    _SCAN,
    Kind.SUM,
    (*FLOATS, d.int64, *COMPLEX),
)
CUMPROD: Final = Row(
    "cumprod",
    "Cumprod",
    (Input("x"), Input("axis", "const", d.int64)),
    (Output("y"),),
    running,
    _SCAN,
    Kind.SUM,
    (d.float32, d.float16, d.float64, d.int64, *COMPLEX),
    {d.bfloat16: d.float32},
)
CUMMAX: Final = Row(
    "cummax",
    "Cummax",
    (Input("x"),),
    (Output("y"), Output("indices", d.int64)),
    running_max,
    (Attr("dim", "int"),),
    Kind.SAME,
    (*FLOATS, *INTS, *UNSIGNED),
    {d.bool_: d.uint8},
)
FIRST_DIM_ONLY: Final = frozenset((d.float32, d.float16, d.bfloat16, d.int32, d.int8, d.uint8, d.bool_))
"""Dtypes that Cummin's AI Core kernel takes, which runs along the first dim whatever `axis` says (CANN 8.1.RC1, `impl/dynamic/cummin.py`);
op-plugin transposes before and after it (`CumminKernelNpu.cpp`)."""
CUMMIN: Final = Row(
    "cummin",
    "Cummin",
    (Input("x"),),
    (Output("y"), Output("indices", d.int32)),
    running_min,
    (Attr("axis", "int"),),
    Kind.SAME,
    (*FLOATS, *INTS, *UNSIGNED),
    {d.bool_: d.uint8},
)

# Counting

HISTC: Final = Row(
    "histc",
    "HistogramV2",
    (Input("x"), Input("min"), Input("max")),
    (Output("y", d.int32),),
    histogram,
    (Attr("bins", "int", 100),),
    Kind.SAME,
    (d.float32, d.float16, d.int64, d.int32, d.int16, d.int8, d.uint8),
    {d.bfloat16: d.float32},
    identity=0,
)
BINCOUNT: Final = Row(
    "bincount",
    "Bincount",
    (Input("array", dtype=d.int32, accepts=(*INTS, *UNSIGNED)), Input("size", "const", d.int32), Input("weights")),
    (Output("bins"),),
    counts,
    (),
    Kind.SAME,
    (d.float32, d.float64, d.int32, d.int64),
)
