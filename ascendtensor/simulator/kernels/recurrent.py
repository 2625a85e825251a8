"""Recurrent networks, step by step, in float32."""

from __future__ import annotations

import numpy as np

from ascendtensor.simulator.kernels.halves import store
from ascendtensor.simulator.kernels.operands import needs, same, unknown, wide
from ascendtensor.simulator.kernels.registry import UNKNOWN_RANK, Array, Attrs, Inputs, Meta, Out, Outputs, infer, kernel
from ascendtensor.simulator.kernels.threads import product

_FIXED = {
    "cell_type": "LSTM",
    "direction": "UNIDIRECTIONAL",
    "cell_depth": 1,
    "use_peephole": False,
    "keep_prob": 1.0,
    "num_proj": 0,
    "time_major": True,
    "activation": "tanh",
}
"""Attributes that have one value here."""


@kernel("DynamicRNN")
def _dynamic_rnn(inputs: Inputs, outputs: Outputs, attrs: Attrs) -> None:
    """A layer of LSTM cells: states and gates of every step. Blocks of w stand in ``gate_order``."""
    for name, value in _FIXED.items():
        if attrs[name] != value:
            raise ValueError(f"DynamicRNN with {name} {attrs[name]!r} has no kernel here, {value!r} has")
    if attrs["cell_clip"] >= 0:
        raise ValueError("DynamicRNN that clips its cells has no kernel here")
    if any(array is not None for array in (*inputs[3:4], *inputs[6:])):
        raise ValueError("DynamicRNN with lengths, peepholes or a mask has no kernel here")
    x, w, b = (wide(needs(array, "an input")) for array in inputs[:3])
    time, batch, size = x.shape
    hidden = b.shape[0] // 4
    states = [_first(inputs[index] if len(inputs) > index else None, (batch, hidden), x) for index in (4, 5)]
    given = np.empty((time * batch, 4 * hidden), x.dtype)
    product(x.reshape(time * batch, size), w[:size], given)
    given += b
    past = np.empty((batch, 4 * hidden), x.dtype)
    order = _order(attrs["gate_order"])
    for step in range(time):
        product(states[0], np.ascontiguousarray(w[size:]), past)
        past += given[step * batch : (step + 1) * batch]
        gates = {name: past[:, place * hidden : (place + 1) * hidden] for place, name in enumerate(order)}
        i, j, f, o = (_gate(gates[name], name, attrs["forget_bias"]) for name in "ijfo")
        memory = f * states[1] + i * j
        tanhc = np.tanh(memory)
        states = [o * tanhc, memory]
        for out, value in zip(outputs, (states[0], *states, i, j, f, o, tanhc), strict=True):
            store(value, out[step])


def _first(array: Array | None, shape: tuple[int, int], like: Array) -> Array:
    return np.zeros(shape, like.dtype) if array is None else wide(array).reshape(shape)


def _order(order: str) -> str:
    if sorted(order) != sorted("ijfo"):
        raise ValueError(f"gate_order {order!r} is no order of i, j, f and o")
    return order


def _gate(values: Array, name: str, forget_bias: float) -> Array:
    if name == "j":
        new: Array = np.tanh(values)
        return new
    shifted = values + values.dtype.type(forget_bias) if name == "f" else values
    opened: Array = 1 / (1 + np.exp(-shifted))
    return opened


@infer("DynamicRNN")
def _dynamic_rnn_rule(inputs: list[Meta], attrs: Attrs, num_outputs: int) -> list[Out]:
    x, w, b = inputs[:3]
    if w.dtype != x.dtype:
        raise ValueError("x and w differ in dtype")
    if any(unknown(meta) for meta in (x, w, b)):
        return [Out(b.dtype, UNKNOWN_RANK)] * 8
    if len(x.shape) != 3 or len(w.shape) != 2 or len(b.shape) != 1:
        raise ValueError(f"shapes {list(x.shape)}, {list(w.shape)} and {list(b.shape)} are not (time, batch, size), a matrix and a vector")
    columns = same(w.shape[1], b.shape[0], "the columns of w and b")
    hidden = columns // 4 if columns >= 0 else -1
    if min(w.shape[0], x.shape[2], hidden) >= 0 and w.shape[0] != x.shape[2] + hidden:
        raise ValueError(f"w has {w.shape[0]} rows, not {x.shape[2]} + {hidden}")
    return [Out(b.dtype, (*x.shape[:2], hidden))] * 8
