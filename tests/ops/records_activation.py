"""Records of activation functions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import COMPLEX, FLOAT, FLOATS, INTS, SAME, Array, Record, Refused, With, array, d, unary_samples
from records_unary import floating

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import activation
from ascendtensor.ops.table import activation as table
from ascendtensor.ops.table import elementwise as arithmetic

erfc = np.vectorize(math.erfc, otypes=[np.float64])


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def softplus(x: Array, beta: float = 1.0, threshold: float = 20.0) -> Array:
    return np.asarray(np.where(beta * x > threshold, x, np.logaddexp(0, beta * x) / beta))


def gelu(x: Array, approximate: str = "none") -> Array:
    if approximate == "tanh":
        return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))
    return np.asarray(0.5 * x * erfc(-x / math.sqrt(2)))


def with_options(*options: dict[str, Any], low: float = -8, high: float = 8) -> Any:
    """The usual samples without edge values, and one with each set of options."""

    def samples(dtype: DType) -> Iterator[Any]:
        yield from unary_samples(low, high, edge=False)(dtype)
        for kwargs in options:
            yield With((array(dtype, (5, 7), low, high),), kwargs)

    return samples


def gelu_samples(dtype: DType) -> Iterator[Any]:
    yield from with_options({})(dtype)
    yield With((array(dtype, (5, 7)),), {"approximate": "tanh"})


def prelu(x: Array, weight: Array) -> Array:
    by_channel = weight.reshape(-1, *(1,) * (x.ndim - 2)) if weight.size != 1 else weight.reshape(())
    return np.asarray(np.where(x > 0, x, by_channel * x))


def weights(dtype: DType) -> Iterator[Any]:
    for shape, count in (((2, 3, 4), (3,)), ((5, 4), (4,)), ((2, 3), (1,)), ((7,), ()), ((), (1,)), ((2, 0, 3), (0,))):
        yield array(dtype, shape), array(dtype, count, -1, 1, "weight")
    yield array(dtype, (4, 3)).T, array(dtype, (4,), -1, 1)
    yield np.array([np.nan, np.inf, -np.inf, 0.0], dtype.numpy), np.array(0.25, dtype.numpy)


def limited(dtype: DType) -> Iterator[Any]:
    for sample in unary_samples()(dtype):
        yield (*sample, 1, 2)
    yield array(dtype, (5, 7), -3, 3), 0.5 if dtype.is_floating_point else 0, 9


def shrunk(dtype: DType) -> Iterator[Any]:
    yield from unary_samples(-2, 2)(dtype)
    yield array(dtype, (5, 7)), 1.5
    yield array(dtype, (5, 7)), 0.0


def halved(dtype: DType) -> Iterator[Any]:
    yield (array(dtype, (3, 8)),)
    yield array(dtype, (4, 3, 5)), 0
    yield array(dtype, (3, 6, 2)), -2
    yield (array(dtype, (8, 3)).T,)
    yield (array(dtype, (0, 4)),)


INTEGERS = (d.int32, d.bool_)
# A few roundings to the dtype, of numbers up to 8.
STEPS = {d.float32: (1e-5, 4e-6), d.float16: (4e-3, 4e-3), d.bfloat16: (3e-2, 3e-2)}

RECORDS = [
    Record(
        "relu",
        activation.relu,
        lambda x: np.maximum(x, 0).astype(x.dtype),
        unary_samples(),
        (table.RELU,),
        (*FLOATS, *INTS),
        SAME,
        refuses=(d.bool_, *COMPLEX),
    ),
    Record(
        "relu6",
        activation.relu6,
        lambda x: np.clip(x, 0, 6),
        unary_samples(-9, 9),
        (table.RELU6,),
        (*FLOATS, *INTS),
        SAME,
        refuses=(d.bool_,),
    ),
    Record(
        "sigmoid",
        activation.sigmoid,
        floating(sigmoid),
        unary_samples(),
        (table.SIGMOID,),
        (*FLOATS, *INTEGERS, *COMPLEX),
        FLOAT,
        tolerances={d.complex64: (1e-5, 1e-5)},
        out=True,
    ),
    Record(
        "gelu",
        activation.gelu,
        gelu,
        gelu_samples,
        (table.GELU_TANH, arithmetic.MUL, arithmetic.ERFC),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refused=lambda: [Refused((np.ones(2, np.float32), "erf"), ValueError, "approximate")],
        refuses=(*INTEGERS, *COMPLEX),
    ),
    Record(
        "silu",
        activation.silu,
        lambda x: x * sigmoid(x),
        with_options(),
        (table.SILU,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
    ),
    Record(
        "softplus",
        activation.softplus,
        softplus,
        with_options({"beta": 2.0}, {"beta": 0.5, "threshold": 1.0}),
        (table.SOFTPLUS,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
    ),
    Record(
        "leaky_relu",
        activation.leaky_relu,
        lambda x, negative_slope=0.01: np.where(x > 0, x, negative_slope * x),
        with_options({"negative_slope": 0.25}),
        (table.LEAKY_RELU,),
        FLOATS,
        SAME,
        refuses=INTEGERS,
    ),
    Record(
        "elu",
        activation.elu,
        lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(x)),
        with_options({"alpha": 0.5}),
        (table.ELU,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
    ),
    Record(
        "hardtanh",
        activation.hardtanh,
        lambda x, low=-1.0, high=1.0: np.clip(x, low, high),
        unary_samples(),
        (arithmetic.CLIP,),
        FLOATS,
        SAME,
    ),
    Record(
        "hardswish",
        activation.hardswish,
        lambda x: x * np.clip(x + 3, 0, 6) / 6,
        with_options(),
        (table.HARD_SWISH,),
        FLOATS,
        SAME,
        tolerances=STEPS,
    ),
    Record(
        "hardsigmoid",
        activation.hardsigmoid,
        lambda x: np.clip(x / 6 + 0.5, 0, 1),
        with_options(),
        (table.HARD_SIGMOID,),
        FLOATS,
        SAME,
        tolerances=STEPS,
    ),
    Record(
        "mish",
        activation.mish,
        lambda x: x * np.tanh(softplus(x)),
        with_options(),
        (table.MISH,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
    ),
    Record(
        "logsigmoid",
        activation.logsigmoid,
        lambda x: 0 - np.logaddexp(0, -x),
        with_options(),
        (table.LOG_SIGMOID,),
        FLOATS,
        SAME,
        tolerances=STEPS,
    ),
    Record(
        "selu",
        activation.selu,
        lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.where(x > 0, 0, x))),
        unary_samples(-8, 8),
        (table.SELU,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
    ),
    Record(
        "celu",
        activation.celu,
        lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0, x) / alpha)),
        with_options({"alpha": 0.5}, {"alpha": 3.0}),
        (table.CELU,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
        refused=lambda: [Refused((np.ones(2, np.float32), 0.0), ValueError, "alpha")],
    ),
    Record(
        "prelu",
        activation.prelu,
        prelu,
        weights,
        (table.PRELU,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
        refused=lambda: [
            Refused((np.ones((2, 3), np.float32), np.ones(2, np.float32)), ValueError, "2 weights do not fit 3 channels"),
            Refused((np.ones((2, 3)), np.ones((1, 3))), ValueError, r"not of shape \[1, 3\]"),
            Refused((np.ones(2, np.float32), np.ones(1, np.float16)), TypeError, "one dtype"),
        ],
    ),
    Record(
        "threshold",
        activation.threshold,
        lambda x, threshold, value: np.where(x <= threshold, value, x).astype(x.dtype),
        limited,
        (table.THRESHOLD,),
        (*FLOATS, *INTS),
        SAME,
        refuses=(d.bool_, *COMPLEX),
    ),
    Record(
        "hardshrink",
        activation.hardshrink,
        lambda x, lambd=0.5: np.where(np.abs(x) <= lambd, 0, x),
        shrunk,
        (table.HARD_SHRINK,),
        FLOATS,
        SAME,
        refuses=INTEGERS,
    ),
    Record(
        "softshrink",
        activation.softshrink,
        lambda x, lambd=0.5: x - np.clip(x, -lambd, lambd),
        shrunk,
        (table.SOFT_SHRINK,),
        FLOATS,
        SAME,
        refuses=INTEGERS,
        refused=lambda: [Refused((np.ones(2, np.float32), -1.0), ValueError, "lambd")],
    ),
    Record(
        "softsign",
        activation.softsign,
        lambda x: x / (1 + np.abs(x.astype(np.float64))),
        unary_samples(),
        (table.SOFTSIGN,),
        (*FLOATS, *INTEGERS),
        FLOAT,
    ),
    Record(
        "tanhshrink",
        activation.tanhshrink,
        lambda x: x - np.tanh(x.astype(np.float64)),
        unary_samples(),
        (),
        (*FLOATS, d.int32),
        FLOAT,
        tolerances=STEPS,
    ),
    Record(
        "glu",
        activation.glu,
        lambda x, dim=-1: np.split(x, 2, dim)[0] * sigmoid(np.split(x, 2, dim)[1]),
        halved,
        (table.SIGMOID,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
        refused=lambda: [
            Refused((np.ones((2, 3), np.float32),), ValueError, "length 3"),
            Refused((np.ones((), np.float32),), ValueError, "0-d"),
            Refused((np.ones((2, 2), np.float32), 2), IndexError, "Dimension out of range"),
        ],
    ),
    Record(
        "swiglu",
        activation.swiglu,
        lambda x, dim=-1: np.split(x, 2, dim)[0] * sigmoid(np.split(x, 2, dim)[0]) * np.split(x, 2, dim)[1],
        halved,
        (table.SWIGLU,),
        FLOATS,
        SAME,
        tolerances=STEPS,
        refuses=INTEGERS,
        refused=lambda: [Refused((np.ones((2, 3), np.float32),), ValueError, "length 3")],
    ),
]
