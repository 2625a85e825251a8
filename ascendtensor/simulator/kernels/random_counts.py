"""Random numbers of events: the Poisson and the binomial distribution, by NumPy's Philox with seed and counter as its key."""

from __future__ import annotations

from typing import Any

import numpy as np

from ascendtensor.simulator.kernels.importing import whole
from ascendtensor.simulator.kernels.operands import dims_of, needs, type_code
from ascendtensor.simulator.kernels.registry import Array, Attrs, Inputs, Meta, Out, Outputs, infer, kernel

_MASK64 = (1 << 64) - 1


def _generator(seed: Array | None) -> np.random.Generator:
    numbers = [int(item) & _MASK64 for item in needs(seed, "seed").reshape(-1)]
    if len(numbers) != 2:
        raise ValueError(f"seed has {len(numbers)} elements, not 2")
    random: Any = whole("numpy.random")
    generator: np.random.Generator = random.Generator(random.Philox(key=numbers[0] | numbers[1] << 64))
    return generator


def _fits(out: Array, *parameters: Array) -> None:
    if np.broadcast_shapes(*(each.shape for each in parameters), out.shape) != out.shape:
        raise ValueError(f"parameters of shapes {[list(each.shape) for each in parameters]} don't fit {list(out.shape)}")


@kernel("StatelessRandomPoisson")
def _poisson(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    rates, out = needs(inputs[2], "lam").astype(np.float64), outputs[0]
    _fits(out, rates)
    if rates.size and not (float(rates.min()) >= 0 and np.isfinite(rates).all()):
        raise ValueError("lam has an element that is negative or not finite")
    np.copyto(out, _generator(inputs[1]).poisson(rates, out.shape), casting="unsafe")


@kernel("StatelessRandomBinomial")
def _binomial(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    counts, chances = needs(inputs[2], "counts").astype(np.float64), needs(inputs[3], "probs").astype(np.float64)
    out = outputs[0]
    _fits(out, counts, chances)
    if counts.size and not (float(counts.min()) >= 0 and np.isfinite(counts).all()):
        raise ValueError("counts has an element that is negative or not finite")
    if chances.size and not (float(chances.min()) >= 0 and float(chances.max()) <= 1):
        raise ValueError("probs is not within [0, 1]")
    np.copyto(out, _generator(inputs[1]).binomial(counts.astype(np.int64), chances, out.shape), casting="unsafe")


@infer("StatelessRandomPoisson", "StatelessRandomBinomial")
def _counts_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    return [Out(type_code(attrs["dtype"]), dims_of(inputs[0]))]
