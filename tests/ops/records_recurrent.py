"""Records of recurrent networks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from harness import Array, Refused, array, d
from records_nn import of

from ascendtensor.dtypes import dtype as DType
from ascendtensor.nn import recurrent
from ascendtensor.ops.table import recurrent as table

Cell = Callable[..., tuple[Array, ...]]


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def given(x: Array, weight: Array, bias: Any) -> Array:
    return np.asarray(x @ weight.T + (0 if bias is None else bias))


def lstm_cell(x: Array, states: Sequence[Array], w: Array, u: Array, b: Any = None, e: Any = None) -> tuple[Array, Array]:
    i, f, g, o = np.split(given(x, w, b) + given(states[0], u, e), 4, -1)
    memory = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(memory), memory


def gru_cell(x: Array, states: Sequence[Array], w: Array, u: Array, b: Any = None, e: Any = None) -> tuple[Array]:
    one, other = np.split(given(x, w, b), 3, -1), np.split(given(states[0], u, e), 3, -1)
    reset, update = sigmoid(one[0] + other[0]), sigmoid(one[1] + other[1])
    return ((1 - update) * np.tanh(one[2] + reset * other[2]) + update * states[0],)


def simple(activation: Callable[[Array], Array]) -> Cell:
    return lambda x, states, w, u, b=None, e=None: (activation(given(x, w, b) + given(states[0], u, e)),)


def network(cell: Cell) -> Callable[..., Any]:
    def run(
        x: Array, hx: Any, params: Any, biases: bool, layers: int, dropout: float, train: bool, both: bool, batch_first: bool
    ) -> tuple[Array, ...]:
        starts = hx if isinstance(hx, tuple) else (hx,)
        count, ends = 4 if biases else 2, []
        x = np.swapaxes(x, 0, 1) if batch_first else x
        for layer in range(layers):
            found = []
            for direction in range(1 + both):
                place = layer * (1 + both) + direction
                states, outputs = tuple(each[place] for each in starts), []
                for row in x[::-1] if direction else x:
                    states = cell(row, states, *params[place * count : (place + 1) * count])
                    outputs.append(states[0])
                found.append(np.stack(outputs[::-1] if direction else outputs))
                ends.append(states)
            x = np.concatenate(found, -1)
        return np.swapaxes(x, 0, 1) if batch_first else x, *(np.stack(each) for each in zip(*ends, strict=True))

    return run


def weights(dtype: DType, gates: int, size: int, biases: bool, key: Any) -> list[Array]:
    shapes = [(gates * 4, size), (gates * 4, 4), *([(gates * 4,), (gates * 4,)] if biases else [])]
    return [array(dtype, shape, -0.5, 0.5, (key, number)) for number, shape in enumerate(shapes)]


def cells(gates: int) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for batch in ((2,), ()):
            state = array(dtype, (*batch, 4), -1, 1, "h")
            states = (state, array(dtype, (*batch, 4), -1, 1, "c")) if gates == 4 else state
            for biases in (True, False):
                yield array(dtype, (*batch, 3), -1, 1), states, *weights(dtype, gates, 3, biases, "w")

    return samples


def sequences(gates: int) -> Callable[[DType], Iterator[Any]]:
    def samples(dtype: DType) -> Iterator[Any]:
        for layers, both, biases, first in ((1, False, True, False), (2, True, True, False), (2, False, False, True)):
            places = layers * (1 + both)
            state = array(dtype, (places, 2, 4), -1, 1, "h")
            states = (state, array(dtype, (places, 2, 4), -1, 1, "c")) if gates == 4 else state
            sizes = [3 if place <= both else 4 * (1 + both) for place in range(places)]
            params = [each for place, size in enumerate(sizes) for each in weights(dtype, gates, size, biases, place)]
            yield array(dtype, (2, 5, 3) if first else (5, 2, 3), -1, 1), states, params, biases, layers, 0.0, False, both, first

    return samples


X, H = np.zeros((5, 2, 3), np.float32), np.zeros((1, 2, 4), np.float32)
PARAMS = [np.zeros((16, 3), np.float32), np.zeros((16, 4), np.float32)]


def lstm_refused() -> list[Refused]:
    options = (False, 1, 0.0, False, False, False)
    return [
        Refused((X, (H,), PARAMS, *options), ValueError, "two states"),
        Refused((X[0], (H, H), PARAMS, *options), ValueError, "time, batch, size"),
        Refused((X[:0], (H, H), PARAMS, *options), ValueError, "one step"),
        Refused((X, (H, H), PARAMS[:1], *options), ValueError, "2 parameters are needed"),
        Refused((X, (H, H[:, :1]), PARAMS, *options), ValueError, "state of shape"),
        Refused((X, (H, H), PARAMS[::-1], *options), ValueError, "hidden"),
    ]


def cell_refused(gates: int) -> list[Refused]:
    state = (H[0], H[0]) if gates == 4 else H[0]
    w, u = np.zeros((gates * 4, 3), np.float32), np.zeros((gates * 4, 4), np.float32)
    return [
        Refused((X[0, :, :2], state, w, u), ValueError, "weights of shapes"),
        Refused((X[0, :1], state, w, u), ValueError, "state of shape"),
    ]


def loose(name: str, *rest: Any, **more: Any) -> Any:
    """Half results carry the roundings of several steps."""
    record = of(name, *rest, **more)
    return type(record)(**{**vars(record), "tolerances": {**record.tolerances, d.float16: (1e-2, 1e-2), d.bfloat16: (6e-2, 6e-2)}})


RECORDS = [
    loose("lstm_cell", recurrent.lstm_cell, lstm_cell, cells(4), refused=lambda: cell_refused(4)),
    loose("gru_cell", recurrent.gru_cell, lambda x, h, *p: gru_cell(x, (h,), *p)[0], cells(3), refused=lambda: cell_refused(3)),
    loose("rnn_tanh_cell", recurrent.rnn_tanh_cell, lambda x, h, *p: simple(np.tanh)(x, (h,), *p)[0], cells(1)),
    loose("rnn_relu_cell", recurrent.rnn_relu_cell, lambda x, h, *p: simple(lambda v: np.maximum(v, 0))(x, (h,), *p)[0], cells(1)),
    loose("lstm", recurrent.lstm, network(lstm_cell), sequences(4), table.LSTM, refused=lstm_refused),
    loose("gru", recurrent.gru, network(gru_cell), sequences(3)),
    loose("rnn_tanh", recurrent.rnn_tanh, network(simple(np.tanh)), sequences(1)),
    loose("rnn_relu", recurrent.rnn_relu, network(simple(lambda v: np.maximum(v, 0))), sequences(1)),
]
