"""Recurrent networks: cells, and layers of them along a sequence.

A layer of LSTM cells is one operator in float32 and float16, where the chip has it. All else is composed of a product for each step;
the products with the input are made for all steps at once. Half gates are computed in float32.
"""

# mypy: disable-error-code="no-any-return"
# (the functions of `ops` give the class of their operand.)

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from ..base import TensorBase
from ..errors import AscendTensorError, ShapeError
from ..ops import chips, shape, views
from ..ops.arguments import checked
from ..ops.call import call
from ..ops.gather import index_select
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


class _Kind(NamedTuple):
    """A kind of network: what runs a layer along a sequence, what a step is, how many gates it has."""

    layer: Layer
    cell: Cell
    gates: int


class _Weights(NamedTuple):
    """Parameters of one layer in one direction."""

    ih: Any
    hh: Any
    bias_ih: Any
    bias_hh: Any
    projection: Any


Layer = Callable[[Cell, Any, States, _Weights], States]
"""Takes the input of all steps and the first states, and gives the states after each step, (time, batch, size) each."""


def _along(cell: Cell, input: Any, states: States, weights: _Weights) -> States:
    """A layer in one direction, step by step.

    Batches stand behind each other, so that the parts of gates are whole pieces of memory.
    """
    b_ih, b_hh = weights.bias_ih, weights.bias_hh
    states = tuple(shape.contiguous(views.t(each)) for each in states)
    if b_hh is not None and cell is not _gru:  # only the new state of a GRU keeps the two parts of a gate asunder
        b_ih, b_hh = elementwise.add(b_ih, b_hh), None
    bias = None if b_hh is None else views.unsqueeze(b_hh, 1)
    found = []
    for given in views.unbind(shape.contiguous(views.transpose(linear(input, weights.ih, b_ih), 1, 2)), 0):
        past = matmul(weights.hh, states[0])
        states = cell(given, past if bias is None else elementwise.add(past, bias), states, 0)
        if weights.projection is not None:
            states = (matmul(weights.projection, states[0]), *states[1:])
        found.append(states)
    return tuple(views.transpose(shape.stack(each, 0), 1, 2) for each in zip(*found, strict=True))


def _along_lstm(cell: Cell, input: Any, states: States, weights: _Weights) -> States:
    """The same by one operator, where it takes the dtype and there is no projection."""
    dtype = input.desc.dtype
    if dtype not in table.LSTM.dtypes or not input.desc.numel or chips.lacks(table.LSTM, dtype) or weights.projection is not None:
        return _along(cell, input, states, weights)
    weight = views.t(shape.cat((weights.ih, weights.hh), 1))
    with_bias = weights.bias_ih is not None
    bias = elementwise.add(weights.bias_ih, weights.bias_hh) if with_bias else elementwise.mul(views.select(weight, 0, 0), 0)
    first = tuple(views.unsqueeze(each, 0) for each in states)
    outputs, _, memories, *_ = call(table.LSTM, (input, weight, bias, None, *first))
    return outputs, memories


_KINDS: Final = {
    "LSTM": _Kind(_along_lstm, _lstm, 4),
    "GRU": _Kind(_along, _gru, 3),
    "RNN_TANH": _Kind(_along, _tanh, 1),
    "RNN_RELU": _Kind(_along, _relu, 1),
}
"""By PyTorch's names of modes."""


class Ends(NamedTuple):
    """Where sequences of different lengths end in a padded input: rows of it, steps after each other with a batch in each."""

    last: Any
    """Of each sequence its last step."""
    backwards: Any
    """Of each sequence its steps from the last to the first; padding stays."""

    def turned(self, x: Any) -> Any:
        """Sequences, each turned round within its length."""
        return views.reshape(self._rows(x, self.backwards), x.desc.shape)

    def states(self, x: Any) -> Any:
        """(batch, size) tensor of what is there after the last step of each sequence."""
        return self._rows(x, self.last)

    def _rows(self, x: Any, places: Any) -> Any:
        return index_select(views.reshape(x, (-1, x.desc.shape[-1])), 0, places)


class Options(NamedTuple):
    """What `lstm` and the others are asked for beside tensors."""

    has_biases: bool
    num_layers: int
    dropout: float
    train: bool
    bidirectional: bool
    batch_first: bool


def network(
    mode: str, input: TensorBase, states: States, params: Sequence[Any], options: Options, ends: Ends | None = None
) -> tuple[Any, ...]:
    """Layers in one or both directions: the last layer's hidden states, and the last states of all of them.

    Args:
        mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU".
        input, params: As for `lstm`.
        states: Hidden states, and memories where the mode has them.
        options: As for `lstm`.
        ends: Of padded sequences, where each ends; None where all have the same length.
    """
    try:
        return _network(_KINDS[mode], input, states, params, options, ends)
    except AscendTensorError as error:
        raise error.seen_from(mode.lower(), (input, *states)) from None


def _network(kind: _Kind, input: TensorBase, states: States, params: Sequence[Any], options: Options, ends: Ends | None) -> States:
    directions = 2 if options.bidirectional else 1
    weights = _checked_weights(kind.gates, input, states, params, options)
    x: Any = views.transpose(input, 0, 1) if options.batch_first else input
    last: list[States] = []
    for number in range(options.num_layers):
        found = []
        for direction in range(directions):
            place = number * directions + direction
            start = tuple(views.select(each, 0, place) for each in states)
            after = kind.layer(kind.cell, _turned(x, ends) if direction else x, start, weights[place])
            found.append(_turned(after[0], ends) if direction else after[0])
            last.append(tuple(views.select(each, 0, -1) if ends is None else ends.states(each) for each in after))
        x = shape.cat(found, -1) if directions == 2 else found[0]
        if options.dropout and options.train and number + 1 < options.num_layers:
            x = dropout(x, options.dropout)
    x = views.transpose(x, 0, 1) if options.batch_first else x
    return x, *(shape.stack(each, 0) for each in zip(*last, strict=True))


def _turned(x: Any, ends: Ends | None) -> Any:
    return shape.flip(x, (0,)) if ends is None else ends.turned(x)


def _checked_weights(gates: int, input: TensorBase, states: States, params: Sequence[Any], options: Options) -> list[_Weights]:
    """The parameters of each layer and direction, which fit together."""
    lengths = input.desc.shape
    if len(lengths) != 3 or not lengths[1 if options.batch_first else 0]:
        raise ShapeError(f"(time, batch, size) with one step at least is needed, not shape {list(lengths)}")
    layers = options.num_layers * (2 if options.bidirectional else 1)
    projected = states[0].desc.shape[-1:] != states[-1].desc.shape[-1:]  # as PyTorch tells it
    each = 2 + 2 * options.has_biases + projected
    if len(params) != each * layers:
        raise ShapeError(f"{each * layers} parameters are needed, not {len(params)}")
    rows, *size = params[1].desc.shape
    hidden = rows // gates
    if rows % gates or len(size) != 1 or (size != [hidden] and not projected):
        raise ShapeError(f"weights of shape {list(params[1].desc.shape)} are not ({gates} * hidden, hidden)")
    for state, width in zip(states, (*size, hidden), strict=False):
        expected = (layers, lengths[0 if options.batch_first else 1], width)
        if state.desc.shape != expected:
            raise ShapeError(f"a state of shape {list(state.desc.shape)} is needed as {list(expected)}")
    found = []
    for place in range(0, len(params), each):
        w_ih, w_hh, *rest = params[place : place + each]
        projection = rest.pop() if projected else None
        b_ih, b_hh = rest or (None, None)
        found.append(_Weights(w_ih, w_hh, b_ih, b_hh, projection))
    return found


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
        hx: Hidden states and memories, (layers * directions, batch, hidden) each; shorter hidden states are projected ones.
        params: For each layer and direction w_ih, w_hh and, with biases, b_ih and b_hh, as `lstm_cell` takes them; where hidden states
            are projected, (projected, hidden) weights behind them.
        has_biases: Whether there are biases.
        num_layers: Number of layers.
        dropout: Probability with which elements between layers are dropped in training.
        train: Whether they are.
        bidirectional: Whether each layer runs in both directions.
        batch_first: Whether the batch is the first dim.

    Returns:
        The last layer's hidden states (time, batch, directions * hidden); last hidden states and memories of all layers.

    Raises:
        ShapeError: The shapes or the number of parameters do not fit.
        DTypeError: The dtypes differ.

    Ascend operator: DynamicRNN for each layer and direction; composed for bfloat16 and float64, and with projections. Like: torch.lstm.

    Examples:
        >>> x, h, w = at.zeros(2, 1, 1), at.zeros(1, 1, 1), at.zeros(4, 1)
        >>> output, hidden, cell = at.lstm(x, (h, h + 1), [w, w], False, 1, 0.0, False, False, False)
        >>> cell.flatten()
        tensor([0.2500], device='npu:0')
    """
    if len(hx) != 2:
        raise ShapeError(f"two states are needed, not {len(hx)}").with_context("lstm", (input,))
    options = Options(has_biases, num_layers, dropout, train, bidirectional, batch_first)
    outputs, hidden, memory = network("LSTM", input, tuple(hx), params, options)
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
    options = Options(has_biases, num_layers, dropout, train, bidirectional, batch_first)
    outputs, hidden = network("GRU", input, (hx,), params, options)
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
    options = Options(has_biases, num_layers, dropout, train, bidirectional, batch_first)
    outputs, hidden = network("RNN_TANH", input, (hx,), params, options)
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
    options = Options(has_biases, num_layers, dropout, train, bidirectional, batch_first)
    outputs, hidden = network("RNN_RELU", input, (hx,), params, options)
    return outputs, hidden
