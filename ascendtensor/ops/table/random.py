"""Rows that draw random numbers: Philox, counted by the frontend, so that the same seed gives the same numbers."""

from __future__ import annotations

from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from ..rules import random as rules
from ..schema import Attr, Input, Output, Row
from .forms import FLOATS

_STATE: Final = (
    Input("shape", "const", d.int64),
    Input("key", "value", d.uint64),
    Input("counter", "counter", d.uint64),
    Input("alg", "const", d.int32),
)
_SEEDED: Final = (Input("seed", "value", d.int64), Input("offset", "counter", d.int64))

UNIFORM: Final = Row(
    "rand",
    "StatelessRandomUniformV2",
    _STATE,
    (Output("y"),),
    rules.drawn,
    (Attr("dtype", "data_type", d.float32.acl),),
    dtypes=(d.float32, d.float16, d.float64),
)
NORMAL: Final = Row(
    "randn",
    "StatelessRandomNormalV2",
    _STATE,
    (Output("y"),),
    rules.drawn,
    (Attr("dtype", "data_type", d.float32.acl),),
    dtypes=FLOATS,
)
TRUNCATED_NORMAL: Final = Row(
    "trunc_normal_",
    "StatelessTruncatedNormalV2",
    _STATE,
    (Output("y"),),
    rules.drawn,
    (Attr("dtype", "data_type", d.float32.acl),),
    dtypes=FLOATS,
)
UNIFORM_INT: Final = Row(
    "randint",
    "StatelessRandomUniformIntV2",
    (*_STATE, Input("minval"), Input("maxval")),
    (Output("y"),),
    rules.drawn_between,
    dtypes=(d.int64, d.int32, d.uint32, d.uint64),
)
RANDPERM: Final = Row(
    "randperm",
    "StatelessRandperm",
    (Input("n", "const", d.int64), *_SEEDED),
    (Output("y"),),
    rules.permutation,
    (Attr("layout", "int", 0), Attr("dtype", "data_type", d.int64.acl)),
    dtypes=(d.int64,),
)
BERNOULLI: Final = Row(
    "bernoulli",
    "StatelessBernoulli",
    (Input("shape", "const", d.int64), Input("prob"), *_SEEDED),
    (Output("y"),),
    rules.trials,
    (Attr("dtype", "data_type", d.float32.acl),),
    Kind.FLOAT_ONLY,
    FLOATS,
)
MULTINOMIAL: Final = Row(
    "multinomial",
    "MultinomialWithReplacement",
    (Input("x"), *_SEEDED),
    (Output("y", d.int64),),
    rules.chosen,
    (Attr("numsamples", "int"), Attr("replacement", "bool", False)),
    Kind.FLOAT_ONLY,
    FLOATS,
)
_COUNTS: Final = (Input("shape", "const", d.int64), Input("seed", "value", d.int64))

POISSON: Final = Row(
    "poisson",
    "StatelessRandomPoisson",
    (*_COUNTS, Input("lam")),
    (Output("y"),),
    rules.counted,
    (Attr("dtype", "data_type"),),
    Kind.FLOAT_ONLY,
    (d.float32, d.float16, d.float64),
)
BINOMIAL: Final = Row(
    "binomial",
    "StatelessRandomBinomial",
    (*_COUNTS, Input("counts"), Input("probs")),
    (Output("y"),),
    rules.counted,
    (Attr("dtype", "data_type", d.int32.acl),),
    Kind.FLOAT_ONLY,
    (d.float32, d.float16, d.float64),
)
