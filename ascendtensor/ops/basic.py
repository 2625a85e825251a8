"""The basic set: the eighty commonest operators as dynamic models, described from their rows without a device.

One model serves every shape of a rank and every value of a constant, so that programs whose shapes were never recorded run from finished
models too (`python -m ascendtensor compile --set basic`). What an attribute decides (the dim of a softmax, the number of tensors that are
joined) is there for its usual values.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple, cast

from .. import dtypes as d
from .. import facts
from ..base import TensorBase
from ..compiler.description import Description
from ..dtypes import dtype as DType
from ..errors import DTypeError
from ..launch.dynamic import generalize
from ..launch.variants import engine_of
from ..runtime.desc import TensorDesc
from ..runtime.device import Device
from .call import planner
from .schema import Row
from .table import (
    activation,
    comparison,
    creation,
    elementwise,
    gathering,
    indexing,
    losses,
    matrix,
    movement,
    nn,
    normalization,
    random,
    reduction,
    sorting,
)

Call = tuple[tuple[Any, ...], tuple[Any, ...]]
"""Operands and arguments, as `ops.call.call` takes them."""

SIZES: Final = (2, 3, 4, 5)
RANKS: Final = (1, 2, 3, 4)
FLOATS: Final = (d.float32, d.float16)
NUMBERS: Final = (*FLOATS, d.int64)
EVERYTHING: Final = (*NUMBERS, d.int32, d.bool_)


class Nowhere:
    """Stands for a device of which only the interned descriptions are needed."""

    def __init__(self) -> None:
        self.descs: dict[Any, TensorDesc] = {}
        self.recent_descs: list[TensorDesc] = []
        self.lock = threading.RLock()
        self.closed = False


class Samples:
    """Operands of one dtype."""

    def __init__(self, dtype: DType, device: Nowhere) -> None:
        self.dtype = dtype
        self.number: int | float = 1.5 if dtype.is_floating_point else 2
        self._device = device

    def tensor(self, rank: int, dtype: DType | None = None) -> TensorBase:
        return self.of(SIZES[:rank], dtype)

    def of(self, shape: tuple[int, ...], dtype: DType | None = None) -> TensorBase:
        tensor = TensorBase()
        tensor.desc = TensorDesc.of(shape, dtype or self.dtype, cast(Device, self._device))
        return tensor


class Group(NamedTuple):
    """Rows that are called in the same ways."""

    rows: tuple[Row, ...]
    dtypes: tuple[DType, ...]
    calls: Callable[[Samples], Iterator[Call]]


def _alone(*arguments: Any) -> Callable[[Samples], Iterator[Call]]:
    def calls(samples: Samples) -> Iterator[Call]:
        for rank in (0, *RANKS):
            yield (samples.tensor(rank),), arguments

    return calls


def _pairs(samples: Samples) -> Iterator[Call]:
    for rank in (0, *RANKS):
        tensor = samples.tensor(rank)
        for pair in ((tensor, tensor), (tensor, samples.number), (samples.number, tensor)):
            yield pair, ()
        for other in {0, 1} - {rank}:
            if rank:
                yield (tensor, samples.of(SIZES[rank - 1 : rank] if other else ())), ()


def _clip(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        yield (samples.tensor(rank), samples.number, samples.number), ()


def _where(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        mask, tensor = samples.tensor(rank, d.bool_), samples.tensor(rank)
        yield (mask, tensor, tensor), ()
        yield (mask, tensor, samples.number), ()
        yield (mask, samples.number, tensor), ()


def _masked_fill(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        yield (samples.tensor(rank), samples.tensor(rank, d.bool_), samples.number), ()


def _reduced(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        for count in range(1, rank + 1):
            for keepdim in (False, True):
                yield (samples.tensor(rank),), (tuple(range(count)), keepdim)


def _argument(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        yield (samples.tensor(rank),), (0, False)


def _each_dim_kept_or_not(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        for dim in range(rank):
            for keepdim in (False, True):
                yield (samples.tensor(rank),), (dim, keepdim)


def _each_dim(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        for dim in range(rank):
            yield (samples.tensor(rank),), (dim,)


def _products(samples: Samples) -> Iterator[Call]:
    square = samples.of((3, 3))
    for transposed in ((False, False), (False, True), (True, False)):
        yield (square, square), transposed


def _stacked_products(samples: Samples) -> Iterator[Call]:
    for stack in (samples.of((2, 3, 3)), samples.of((2, 2, 3, 3))):
        for transposed in ((False, False), (False, True), (True, False)):
            yield (stack, stack), transposed


def _layer_norm(samples: Samples) -> Iterator[Call]:
    for rank in RANKS[1:]:
        weight = samples.of(SIZES[rank - 1 : rank])
        yield (samples.tensor(rank), weight, weight), (1, 1e-5)


def _casts(samples: Samples) -> Iterator[Call]:
    for rank in (0, *RANKS):
        for dtype in EVERYTHING:
            if dtype is not samples.dtype:
                yield (samples.tensor(rank),), (dtype,)


def _filled(samples: Samples) -> Iterator[Call]:
    for rank in (0, *RANKS):
        yield (samples.number,), (SIZES[:rank], samples.dtype)


def _strided(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        values = SIZES[:rank]
        yield (samples.tensor(1), values, values, (0,)), (values,)


def _view_copies(samples: Samples) -> Iterator[Call]:
    for rank in (0, *RANKS):
        values = SIZES[: max(rank, 1)]
        yield (samples.tensor(1), values, values, (0,), samples.tensor(rank), values, values, (0,)), ()


def _joined(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        for dim in range(rank):
            for count in (2, 3):
                yield (samples.tensor(rank),) * count, (dim,)


def _stacked(samples: Samples) -> Iterator[Call]:
    for rank in (0, *RANKS[:-1]):
        for dim in range(rank + 1):
            for count in (2, 3):
                yield (samples.tensor(rank),) * count, (dim,)


def _taken(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        for places in (0, 1, 2):
            yield (samples.tensor(rank), samples.of((2, 2)[:places], d.int64)), (0,)


def _gathered(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        for dim in range(rank):
            yield (samples.tensor(rank), samples.tensor(rank, d.int64)), (dim,)


def _masked(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        yield (samples.tensor(rank), samples.tensor(rank, d.bool_)), ()


def _counted(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        yield (samples.tensor(rank),), (False,)


def _places(samples: Samples) -> Iterator[Call]:
    yield (samples.tensor(1),), ()


def _ordered(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        for descending in (False, True):
            yield (samples.tensor(rank),), (descending, False)


def _selected(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        for largest in (False, True):
            yield (samples.tensor(rank),), (1, largest, True)


def _class_loss(samples: Samples) -> Iterator[Call]:
    for kind in ("mean", "sum", "none"):
        yield (samples.of((3, 4)), samples.of((3,), d.int64), samples.of((4,))), (kind, -100)


def _ranges(samples: Samples) -> Iterator[Call]:
    yield (0, 5, 1), (5, samples.dtype)


def _drawn(samples: Samples) -> Iterator[Call]:
    for rank in RANKS:
        yield ((0,), (0, 0)), (SIZES[:rank], samples.dtype)


def _groups() -> tuple[Group, ...]:
    e, c, a, r = elementwise, comparison, activation, reduction
    unary = (
        *(e.ABS, e.NEG, e.SIGN, e.EXP, e.LOG, e.LOG1P, e.SQRT, e.RSQRT, e.RECIPROCAL, e.SIN, e.COS, e.TANH, e.ERF, e.ERFC),
        *(e.FLOOR, e.CEIL, e.RINT, a.SIGMOID, a.RELU, a.GELU_TANH, a.SILU, c.IS_NAN, c.IS_FINITE),
    )
    binary = (e.ADD, e.SUB, e.MUL, e.DIV, e.FLOOR_DIV, e.WHOLE_FLOOR_DIV, e.FLOAT_MOD, e.FLOOR_MOD, e.POW, e.MAXIMUM, e.MINIMUM)
    compared = (c.EQUAL, c.NOT_EQUAL, c.LESS, c.LESS_EQUAL, c.GREATER, c.GREATER_EQUAL)
    return (
        Group(unary, NUMBERS, _alone()),
        Group((a.LEAKY_RELU,), FLOATS, _alone(0.01)),
        Group((a.SOFTPLUS,), FLOATS, _alone(1.0, 20.0)),
        Group((*binary, *compared), NUMBERS, _pairs),
        Group((c.LOGICAL_AND, c.LOGICAL_OR), (d.bool_,), _pairs),
        Group((c.LOGICAL_NOT,), (d.bool_,), _alone()),
        Group((e.CLIP,), NUMBERS, _clip),
        Group((c.WHERE,), NUMBERS, _where),
        Group((c.MASKED_FILL,), NUMBERS, _masked_fill),
        Group((r.SUM, r.MEAN, r.PROD, r.AMAX, r.AMIN), NUMBERS, _reduced),
        Group((r.ALL, r.ANY), (d.bool_,), _reduced),
        Group((r.ARGMAX, r.ARGMIN), NUMBERS, _argument),
        Group((r.MAX_DIM, r.MIN_DIM), NUMBERS, _each_dim_kept_or_not),
        Group((r.CUMSUM,), NUMBERS, _each_dim),
        Group((matrix.MATMUL,), FLOATS, _products),
        Group((matrix.BATCH_MATMUL,), FLOATS, _stacked_products),
        Group((nn.SOFTMAX, nn.LOG_SOFTMAX), FLOATS, _each_dim),
        Group((normalization.LAYER_NORM,), FLOATS, _layer_norm),
        Group((losses.NLL_LOSS,), FLOATS, _class_loss),
        Group((e.CAST,), EVERYTHING, _casts),
        Group((movement.CLONE,), EVERYTHING, _alone()),
        Group((movement.FILL,), EVERYTHING, _filled),
        Group((movement.AS_STRIDED,), EVERYTHING, _strided),
        Group((movement.VIEW_COPY,), EVERYTHING, _view_copies),
        Group((movement.CONCAT,), NUMBERS, _joined),
        Group((movement.PACK,), NUMBERS, _stacked),
        Group((indexing.TAKE,), NUMBERS, _taken),
        Group((indexing.PLACES,), (d.bool_,), _places),
        Group((gathering.GATHER,), NUMBERS, _gathered),
        Group((gathering.NONZERO,), (*NUMBERS, d.bool_), _counted),
        Group((gathering.MASKED_SELECT,), NUMBERS, _masked),
        Group((sorting.SORT,), NUMBERS, _ordered),
        Group((sorting.TOPK,), FLOATS, _selected),
        Group((creation.RANGE,), (d.float32, d.int64), _ranges),
        Group((random.UNIFORM, random.NORMAL), FLOATS, _drawn),
    )


def rows() -> list[Row]:
    """The rows of the set."""
    return [row for group in _groups() for row in group.rows]


def descriptions(soc: str = "") -> list[Description]:
    """The dynamic models of the set, each once, in order of operator type and digest.

    Args:
        soc: For which chip: of one whose kernels are known, what it lacks is left out, and what is composed in its place is there.
    """
    nowhere = Nowhere()
    found: dict[str, Description] = {}
    chip = facts.family(soc)
    for group in (*_groups(), *(_in_their_place() if chip else ())):
        for dtype in group.dtypes:
            samples = Samples(dtype, nowhere)
            for row in group.rows:
                for operands, arguments in group.calls(samples):
                    try:
                        exact = planner.describe(row, operands, arguments, cast(Device, nowhere))
                    except DTypeError:  # this operator does not take this dtype
                        continue
                    model = generalize(exact, free_constants=not row.per_call)
                    if chip is None or engine_of(model, soc) is not None:
                        found[model.digest()] = model
    return sorted(found.values(), key=lambda model: (model.op_type, model.digest()))


def _in_their_place() -> tuple[Group, ...]:
    """What is launched on chips whose AI Core gives places in int32 only."""
    return (Group((reduction.SHORT_ARGMAX, reduction.SHORT_ARGMIN), NUMBERS, _each_dim_kept_or_not),)
