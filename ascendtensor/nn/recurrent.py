"""Recurrent networks: cells, and layers of them along a sequence.

A layer of LSTM cells is one operator in float32 and float16, where the chip has it. All else is composed of a product for each step;
the products with the input are made for all steps at once. Half gates are computed in float32.
"""

# mypy: disable-error-code="no-any-return"
# (the functions of `ops` give the class of their operand.)

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..base import TensorBase
from ..errors import ShapeError
from ..ops import chips, shape, views
from ..ops.arguments import checked
from ..ops.call import call
from ..ops.linalg.matmul import linear, matmul
from ..ops.nn.activation import relu, sigmoid
from ..ops.pointwise import elementwise, unary
from ..ops.reduction import narrowed, widened
from ..ops.table import recurrent as table
from ..random import dropout

T = TypeVar("T", bound=TensorBase)

States = tuple[Any, ...]
"""What a cell hands on: (h,), or (h, c)."""
Cell = Callable[[Any, Any, States, int], States]
"""Takes the parts of the gates that the input and the hidden state make, the states, and the axis along which gates follow each other."""


def _lstm(given: Any, past: Any, states: States, axis: int) -> States:
    hidden, memory = states
    i, f, g, o = views.chunk(elementwise.add(widened(given), widened(past)), 4, axis)
    kept = elementwise.mul(sigmoid(f), widened(memory))
    wide = elementwise.add(kept, elementwise.mul(sigmoid(i), unary.tanh(g)))
    return narrowed(elementwise.mul(sigmoid(o), unary.tanh(wide)), hidden), narrowed(wide, memory)


def _gru(given: Any, past: Any, states: States, axis: int) -> States:
    (hidden,) = states
    given, past = widened(given), widened(past)
    size = hidden.desc.shape[axis]
    first, second = (views.narrow(each, axis, 0, 2 * size) for each in (given, past))
    reset, update = views.chunk(sigmoid(elementwise.add(first, second)), 2, axis)
    first, second = (views.narrow(each, axis, 2 * size, size) for each in (given, past))
    new = unary.tanh(elementwise.addcmul(first, reset, second))
    return (narrowed(elementwise.lerp(new, widened(hidden), update), hidden),)


def _simple(activation: Callable[[Any], Any]) -> Cell:
    def step(given: Any, past: Any, states: States, axis: int) -> States:
        return (narrowed(activation(elementwise.add(widened(given), widened(past))), states[0]),)

    return step


_tanh = _simple(unary.tanh)
_relu = _simple(relu)


# Cells


def _cell(cell: Cell, count: int, input: TensorBase, states: States, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, function: str) -> States:
    size, hidden = input.desc.shape[-1:], w_hh.desc.shape[-1:]
    expected, rows = (*input.desc.shape[:-1], *hidden), tuple(count * each for each in hidden)
    if not size or not hidden or w_ih.desc.shape != rows + size or w_hh.desc.shape != rows + hidden:
        names = f"{list(w_ih.desc.shape)} and {list(w_hh.desc.shape)}"
        raise ShapeError(f"weights of shapes {names} do not fit input of shape {list(input.desc.shape)}").with_context(
            function, (input, w_ih, w_hh)
        )
    if any(each.desc.shape != expected for each in states):
        raise ShapeError(f"a state of shape {list(states[0].desc.shape)} is needed as {list(expected)}").with_context(
            function, (input, *states)
        )
    return cell(linear(input, w_ih, b_ih), linear(states[0], w_hh, b_hh), states, -1)


@checked
def lstm_cell(input: T, hx: Sequence[T], w_ih: T, w_hh: T, b_ih: T | None = None, b_hh: T | None = None) -> tuple[T, T]:
    """One step of a long short-term memory.

    Args:
        input: (batch, size) or (size) tensor.
        hx: Hidden state and memory, (batch, hidden) or (hidden) each.
        w_ih, w_hh: (4 * hidden, size) and (4 * hidden, hidden) weights of the gates i, f, g and o.
        b_ih, b_hh: (4 * hidden) tensors, or None.

    Returns:
        The new hidden state and memory.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2, Sigmoid, Tanh and Mul. Like: torch.lstm_cell.

    Examples:
        >>> x, h, w = at.zeros(1, 1), at.zeros(1, 1), at.zeros(4, 1)
        >>> hidden, cell = at.lstm_cell(x, (h, h + 1), w, w)
        >>> cell
        tensor([[0.5000]], device='npu:0')
    """
    if len(hx) != 2:
        raise ShapeError(f"two states are needed, not {len(hx)}").with_context("lstm_cell", (input,))
    hidden, memory = _cell(_lstm, 4, input, tuple(hx), w_ih, w_hh, b_ih, b_hh, "lstm_cell")
    return hidden, memory


@checked
def gru_cell(input: T, hx: T, w_ih: T, w_hh: T, b_ih: T | None = None, b_hh: T | None = None) -> T:
    """One step of a gated recurrent unit.

    Args:
        input: (batch, size) or (size) tensor.
        hx: Hidden state, (batch, hidden) or (hidden).
        w_ih, w_hh: (3 * hidden, size) and (3 * hidden, hidden) weights of the gates r, z and n.
        b_ih, b_hh: (3 * hidden) tensors, or None.

    Returns:
        The new hidden state.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2, Sigmoid, Tanh and Mul. Like: torch.gru_cell.

    Examples:
        >>> x, h, w = at.zeros(1, 1), at.ones(1, 1), at.zeros(3, 1)
        >>> at.gru_cell(x, h, w, w)
        tensor([[0.5000]], device='npu:0')
    """
    return _cell(_gru, 3, input, (hx,), w_ih, w_hh, b_ih, b_hh, "gru_cell")[0]


@checked
def rnn_tanh_cell(input: T, hx: T, w_ih: T, w_hh: T, b_ih: T | None = None, b_hh: T | None = None) -> T:
    """`tanh(w_ih @ input + b_ih + w_hh @ hx + b_hh)`. Arguments as for `gru_cell`, with one gate. Like: torch.rnn_tanh_cell.

    Examples:
        >>> x, h, w = at.ones(1, 1), at.zeros(1, 1), at.ones(1, 1)
        >>> at.rnn_tanh_cell(x, h, w, w)
        tensor([[0.7616]], device='npu:0')
    """
    return _cell(_tanh, 1, input, (hx,), w_ih, w_hh, b_ih, b_hh, "rnn_tanh_cell")[0]


@checked
def rnn_relu_cell(input: T, hx: T, w_ih: T, w_hh: T, b_ih: T | None = None, b_hh: T | None = None) -> T:
    """`relu(w_ih @ input + b_ih + w_hh @ hx + b_hh)`. Arguments as for `gru_cell`, with one gate. Like: torch.rnn_relu_cell.

    Examples:
        >>> x, h, w = at.ones(1, 1), at.ones(1, 1), at.ones(1, 1)
        >>> at.rnn_relu_cell(x, h, w, w)
        tensor([[2.]], device='npu:0')
    """
    return _cell(_relu, 1, input, (hx,), w_ih, w_hh, b_ih, b_hh, "rnn_relu_cell")[0]


# Sequences


def _along(cell: Cell, input: Any, states: States, params: Sequence[Any]) -> tuple[Any, States]:
    """A layer in one direction, step by step: the hidden states of all steps, and the last states.

    Batches stand behind each other, so that the parts of gates are whole pieces of memory.
    """
    w_ih, w_hh, b_ih, b_hh = params
    states = tuple(shape.contiguous(views.t(each)) for each in states)
    if b_hh is not None and cell is not _gru:  # only the new state of a GRU keeps the two parts of a gate asunder
        b_ih, b_hh = elementwise.add(b_ih, b_hh), None
    bias = None if b_hh is None else views.unsqueeze(b_hh, 1)
    found = []
    for given in views.unbind(shape.contiguous(views.transpose(linear(input, w_ih, b_ih), 1, 2)), 0):
        past = matmul(w_hh, states[0])
        states = cell(given, past if bias is None else elementwise.add(past, bias), states, 0)
        found.append(states[0])
    return views.transpose(shape.stack(found, 0), 1, 2), tuple(views.t(each) for each in states)


def _along_lstm(cell: Cell, input: Any, states: States, params: Sequence[Any]) -> tuple[Any, States]:
    """The same by one operator, where it takes the dtype."""
    dtype = input.desc.dtype
    if dtype not in table.LSTM.dtypes or not input.desc.numel or chips.lacks(table.LSTM, dtype):
        return _along(cell, input, states, params)
    w_ih, w_hh, b_ih, b_hh = params
    weight = views.t(shape.cat((w_ih, w_hh), 1))
    bias = elementwise.add(b_ih, b_hh) if b_ih is not None else elementwise.mul(views.select(weight, 0, 0), 0)
    first = tuple(views.unsqueeze(each, 0) for each in states)
    found = call(table.LSTM, (input, weight, bias, None, *first))
    return found[0], tuple(views.select(each, 0, -1) for each in found[1:3])


Layer = Callable[[Cell, Any, States, Sequence[Any]], "tuple[Any, States]"]


def _network(
    layer: Layer,
    cell: Cell,
    count: int,
    input: TensorBase,
    states: States,
    params: Sequence[Any],
    options: tuple[bool, int, float, bool, bool, bool],
    function: str,
) -> States:
    """Layers in one or both directions: the last layer's hidden states, and the last states of all of them."""
    biases, layers, drop, train, both, batch_first = options
    directions = 2 if both else 1
    _check(input, states, params, count, 4 if biases else 2, layers * directions, batch_first, function)
    x: Any = views.transpose(input, 0, 1) if batch_first else input
    last: list[States] = []
    for number in range(layers):
        found = []
        for direction in range(directions):
            place = number * directions + direction
            given = tuple(params[place * 4 : place * 4 + 4]) if biases else (*params[place * 2 : place * 2 + 2], None, None)
            start = tuple(views.select(each, 0, place) for each in states)
            outputs, end = layer(cell, shape.flip(x, (0,)) if direction else x, start, given)
            found.append(shape.flip(outputs, (0,)) if direction else outputs)
            last.append(end)
        x = shape.cat(found, -1) if both else found[0]
        if drop and train and number + 1 < layers:
            x = dropout(x, drop)
    x = views.transpose(x, 0, 1) if batch_first else x
    return x, *(shape.stack([each[index] for each in last], 0) for index in range(len(states)))


def _check(
    input: TensorBase, states: States, params: Sequence[Any], count: int, each: int, layers: int, batch_first: bool, function: str
) -> None:
    shape = input.desc.shape
    if len(shape) != 3 or not shape[1 if batch_first else 0]:
        raise ShapeError(f"(time, batch, size) with one step at least is needed, not shape {list(shape)}").with_context(function, (input,))
    if len(params) != each * layers:
        advice = "Projections of the hidden state are not supported."
        raise ShapeError(f"{each * layers} parameters are needed, not {len(params)}", advice=advice).with_context(function, (input,))
    hidden = params[1].desc.shape[-1]
    if params[1].desc.shape != (count * hidden, hidden):
        raise ShapeError(f"weights of shape {list(params[1].desc.shape)} are not ({count} * hidden, hidden)").with_context(
            function, (params[1],)
        )
    expected = (layers, shape[0 if batch_first else 1], hidden)
    for state in states:
        if state.desc.shape != expected:
            raise ShapeError(f"a state of shape {list(state.desc.shape)} is needed as {list(expected)}").with_context(
                function, (input, state)
            )


@checked
def lstm(
    input: T,
    hx: Sequence[T],
    params: Sequence[T],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[T, T, T]:
    """Layers of long short-term memory along a sequence.

    Args:
        input: (time, batch, size) tensor, (batch, time, size) with `batch_first`.
        hx: Hidden states and memories, (layers * directions, batch, hidden) each.
        params: For each layer and direction w_ih, w_hh and, with biases, b_ih and b_hh, as `lstm_cell` takes them.
        has_biases: Whether there are biases.
        num_layers: Number of layers.
        dropout: Probability with which elements between layers are dropped in training.
        train: Whether they are.
        bidirectional: Whether each layer runs in both directions.
        batch_first: Whether the batch is the first dim.

    Returns:
        The last layer's hidden states (time, batch, directions * hidden); last hidden states and memories of all layers.

    Raises:
        ShapeError: The shapes or the number of parameters do not fit; projections are not supported.
        DTypeError: The dtypes differ.

    Ascend operator: DynamicRNN for each layer and direction; composed for bfloat16 and float64. Like: torch.lstm.

    Examples:
        >>> x, h, w = at.zeros(2, 1, 1), at.zeros(1, 1, 1), at.zeros(4, 1)
        >>> output, hidden, cell = at.lstm(x, (h, h + 1), [w, w], False, 1, 0.0, False, False, False)
        >>> cell.flatten()
        tensor([0.2500], device='npu:0')
    """
    if len(hx) != 2:
        raise ShapeError(f"two states are needed, not {len(hx)}").with_context("lstm", (input,))
    options = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
    outputs, hidden, memory = _network(_along_lstm, _lstm, 4, input, tuple(hx), params, options, "lstm")
    return outputs, hidden, memory


@checked
def gru(
    input: T,
    hx: T,
    params: Sequence[T],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[T, T]:
    """Layers of gated recurrent units along a sequence.

    Args:
        input, params, has_biases, num_layers, dropout, train, bidirectional, batch_first: As for `lstm`, with weights as for `gru_cell`.
        hx: Hidden states, (layers * directions, batch, hidden).

    Returns:
        The last layer's hidden states (time, batch, directions * hidden), and the last ones of all layers.

    Raises:
        ShapeError: The shapes or the number of parameters do not fit.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2, Sigmoid, Addcmul, Tanh and Lerp for each step (DynamicGRUV2 takes float16 only). Like: torch.gru.

    Examples:
        >>> x, h, w = at.zeros(2, 1, 1), at.ones(1, 1, 1), at.zeros(3, 1)
        >>> output, last = at.gru(x, h, [w, w], False, 1, 0.0, False, False, False)
        >>> output.flatten()
        tensor([0.5000, 0.2500], device='npu:0')
    """
    options = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
    outputs, hidden = _network(_along, _gru, 3, input, (hx,), params, options, "gru")
    return outputs, hidden


@checked
def rnn_tanh(
    input: T,
    hx: T,
    params: Sequence[T],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[T, T]:
    """Layers of `rnn_tanh_cell` along a sequence. Arguments, result and errors as for `gru`. Like: torch.rnn_tanh.

    Examples:
        >>> x, h, w = at.ones(2, 1, 1), at.zeros(1, 1, 1), at.ones(1, 1)
        >>> output, last = at.rnn_tanh(x, h, [w, w], False, 1, 0.0, False, False, False)
        >>> output.flatten()
        tensor([0.7616, 0.9427], device='npu:0')
    """
    options = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
    outputs, hidden = _network(_along, _tanh, 1, input, (hx,), params, options, "rnn_tanh")
    return outputs, hidden


@checked
def rnn_relu(
    input: T,
    hx: T,
    params: Sequence[T],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> tuple[T, T]:
    """Layers of `rnn_relu_cell` along a sequence. Arguments, result and errors as for `gru`. Like: torch.rnn_relu.

    Examples:
        >>> x, h, w = at.ones(2, 1, 1), at.zeros(1, 1, 1), at.ones(1, 1)
        >>> output, last = at.rnn_relu(x, h, [w, w], False, 1, 0.0, False, False, False)
        >>> output.flatten()
        tensor([1., 2.], device='npu:0')
    """
    options = (has_biases, num_layers, dropout, train, bidirectional, batch_first)
    outputs, hidden = _network(_along, _relu, 1, input, (hx,), params, options, "rnn_relu")
    return outputs, hidden
