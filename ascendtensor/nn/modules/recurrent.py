"""Modules of recurrent networks: layers along sequences, and their single steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ... import creation
from ...dtypes import DTypeLike
from ...errors import ShapeError, UnsupportedError, ValueRangeError
from ...ops import views
from ...ops.arguments import require_tensor
from ...ops.gather import index_select
from ...runtime.device import DeviceLike
from .. import init, recurrent
from ..sequences import PackedSequence, Steps
from .module import Module, check_rank, parameter

if TYPE_CHECKING:
    from ...tensor import NPUTensor

    S = TypeVar("S", NPUTensor, PackedSequence)


def _spread(module: Module, hidden: int) -> None:
    """Equally likely numbers up to `1 / sqrt(hidden)` in all parameters."""
    bound = 1 / math.sqrt(hidden) if hidden > 0 else 0
    for each in module.parameters():
        init.uniform_(each, -bound, bound)


class _Recurrent(Module):
    """Layers in one or both directions, with the names of parameters that PyTorch gives them."""

    gates: ClassVar[int]
    states: ClassVar[int] = 1
    mode: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if hidden_size <= 0 or num_layers <= 0:
            raise ValueRangeError(f"hidden_size={hidden_size} and num_layers={num_layers} must be positive", where=name)
        if not 0 <= dropout <= 1:
            raise ValueRangeError(f"dropout must be from 0 to 1, it is {dropout}", where=name)
        if proj_size and self.states == 1:
            raise ValueRangeError("proj_size is there for LSTM only, whose memory keeps hidden_size", where=name)
        if not 0 <= proj_size < hidden_size:
            raise ValueRangeError(f"proj_size={proj_size} must be 0, or from 1 to hidden_size - 1 = {hidden_size - 1}", where=name)
        self.input_size, self.hidden_size, self.num_layers, self.bias = input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional, self.proj_size = batch_first, float(dropout), bidirectional, proj_size
        rows, size = self.gates * hidden_size, proj_size or hidden_size
        self._names: list[str] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: 1 + bidirectional]:
                shapes = {
                    "weight_ih": (rows, input_size if layer == 0 else size * (1 + bidirectional)),
                    "weight_hh": (rows, size),
                    **({"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}),
                    **({"weight_hr": (proj_size, hidden_size)} if proj_size else {}),
                }
                for kind, shape in shapes.items():
                    self._names.append(f"{kind}_l{layer}{suffix}")
                    setattr(self, self._names[-1], parameter(*shape, device=device, dtype=dtype))
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[NPUTensor]]:
        """The parameters of each layer and direction. Like: torch.nn.RNNBase.

        Examples:
            >>> [weight.shape for weight in at.nn.GRU(2, 3).all_weights[0]]
            [(9, 2), (9, 3), (9,), (9,)]
        """
        count = len(self._names) // (self.num_layers * (1 + self.bidirectional))
        return [[getattr(self, name) for name in self._names[at : at + count]] for at in range(0, len(self._names), count)]

    def reset_parameters(self) -> None:
        _spread(self, self.hidden_size)

    def flatten_parameters(self) -> None:
        """Changes nothing: where the parameters lie makes no difference. Like: torch.nn.RNNBase.flatten_parameters.

        Examples:
            >>> at.nn.LSTM(1, 1).flatten_parameters() is None
            True
        """

    def _start(self, batch: int, like: NPUTensor) -> tuple[NPUTensor, ...]:
        """States of zeros."""
        layers, sizes = self.num_layers * (1 + self.bidirectional), (self.proj_size or self.hidden_size, self.hidden_size)
        dtype, device = like.desc.dtype, like.desc.device
        return tuple(creation.zeros((layers, batch, size), dtype=dtype, device=device) for size in sizes[: self.states])

    def _checked(self, input: NPUTensor, hx: Any, state_rank: int) -> tuple[Any, ...] | None:
        """The states that are given, if the input and they fit."""
        name = type(self).__name__
        if input.desc.shape[-1] != self.input_size:
            raise ShapeError(f"the last length must be input_size={self.input_size}").with_context(name, (input,))
        if hx is None:
            return None
        states = tuple(hx) if self.states > 1 else (hx,)
        if len(states) != self.states:
            raise ShapeError(f"{self.states} states are needed, not {len(states)}").with_context(name, (input,))
        for each in states:
            if len(require_tensor(each, "hx", name).desc.shape) != state_rank:
                raise ShapeError(f"states of {state_rank} dims are needed, not {len(each.desc.shape)}").with_context(name, (input, each))
        return states

    def _run(self, input: NPUTensor, states: tuple[Any, ...], batch_first: bool, ends: recurrent.Ends | None = None) -> Any:
        options = recurrent.Options(self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, batch_first)
        return recurrent.network(self.mode, input, states, [getattr(self, name) for name in self._names], options, ends)

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            return self._of_packed(input, hx)
        rank = check_rank(input, (2, 3), self)
        states = self._checked(input, hx, rank)
        alone, batch = rank == 2, 0 if self.batch_first else 1
        if alone:
            input = views.unsqueeze(input, batch)
            states = states and tuple(views.unsqueeze(each, 1) for each in states)
        output, *last = self._run(input, states or self._start(input.desc.shape[batch], input), self.batch_first)
        if alone:
            output, last = views.squeeze(output, batch), [views.squeeze(each, 1) for each in last]
        return output, tuple(last) if self.states > 1 else last[0]

    def _of_packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        """The sequences of a packed one run padded: all steps have one shape, for which there is one model of each operator."""
        check_rank(input.data, (2,), self)
        states = self._checked(input.data, hx, 3)
        if states is None:
            states = self._start(int(input.batch_sizes[0]), input.data)
        elif input.sorted_indices is not None:
            states = tuple(index_select(each, 1, input.sorted_indices) for each in states)
        steps = Steps(input)
        output, *last = self._run(steps.padded(input.data), states, False, recurrent.Ends(*steps.ends(input.data)))
        if input.unsorted_indices is not None:
            last = [index_select(each, 1, input.unsorted_indices) for each in last]
        return input._replace(data=steps.packed(output)), tuple(last) if self.states > 1 else last[0]

    def extra_repr(self) -> str:
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        text = f"{self.input_size}, {self.hidden_size}"
        return text + "".join(f", {name}={getattr(self, name)}" for name, each in usual.items() if getattr(self, name) != each)


class LSTM(_Recurrent):
    """`lstm`: layers of long short-term memory along a sequence.

    Args:
        input_size, hidden_size: Lengths of the inputs and of the hidden states.
        num_layers: Number of layers.
        bias: Whether there are biases.
        batch_first: Whether inputs are (batch, time, size) rather than (time, batch, size); without a batch they are (time, size). A
            `PackedSequence` gives one.
        dropout: Probability with which elements between layers are dropped in training.
        bidirectional: Whether each layer runs in both directions.
        proj_size: Length that hidden states are projected to; 0 for hidden_size, without a projection.
        device, dtype: Of the parameters.

    Raises:
        ValueRangeError: Sizes that are not positive, or no probability.
        ShapeError: An input or a state does not fit.

    Like: torch.nn.LSTM.

    Examples:
        >>> output, (hidden, cell) = at.nn.LSTM(3, 4, bidirectional=True)(at.ones(5, 2, 3))
        >>> output.shape, hidden.shape, cell.shape
        ((5, 2, 8), (2, 2, 4), (2, 2, 4))
    """

    gates = 4
    states = 2
    mode = "LSTM"

    if TYPE_CHECKING:

        def __call__(self, input: S, hx: tuple[NPUTensor, NPUTensor] | None = None) -> tuple[S, tuple[NPUTensor, NPUTensor]]: ...


class GRU(_Recurrent):
    """`gru`: layers of gated recurrent units along a sequence. Arguments as for `LSTM`; one state. Like: torch.nn.GRU.

    Examples:
        >>> output, hidden = at.nn.GRU(3, 4)(at.ones(5, 2, 3))
        >>> output.shape, hidden.shape
        ((5, 2, 4), (1, 2, 4))
    """

    gates = 3
    mode = "GRU"


class RNN(_Recurrent):
    """`rnn_tanh` or, with `nonlinearity="relu"`, `rnn_relu` along a sequence. Arguments as for `LSTM`; one state. Like: torch.nn.RNN.

    Examples:
        >>> output, hidden = at.nn.RNN(3, 4, nonlinearity="relu")(at.ones(5, 2, 3))
        >>> output.shape, hidden.shape
        ((5, 2, 4), (1, 2, 4))
    """

    gates = 1

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", *args: Any, **kwargs: Any
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueRangeError(f"nonlinearity must be 'tanh' or 'relu', not {nonlinearity!r}", where="RNN")
        super().__init__(input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity, self.mode = nonlinearity, f"RNN_{nonlinearity.upper()}"


# Steps


class _Cell(Module):
    gates: ClassVar[int]
    states: ClassVar[int] = 1
    weight_ih: NPUTensor
    weight_hh: NPUTensor
    bias_ih: NPUTensor | None
    bias_hh: NPUTensor | None

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: DeviceLike = None, dtype: DTypeLike | None = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self.gates * hidden_size
        self.weight_ih = parameter(rows, input_size, device=device, dtype=dtype)
        self.weight_hh = parameter(rows, hidden_size, device=device, dtype=dtype)
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, parameter(rows, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        _spread(self, self.hidden_size)

    def _step(self, *args: Any) -> Any:
        raise UnsupportedError("a cell without a step", where=type(self).__name__)

    def forward(self, input: NPUTensor, hx: Any = None) -> Any:
        check_rank(input, (1, 2), self)
        if hx is None:
            start = creation.zeros((*input.desc.shape[:-1], self.hidden_size), dtype=input.desc.dtype, device=input.desc.device)
            hx = (start, start) if self.states > 1 else start
        return self._step(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class LSTMCell(_Cell):
    """`lstm_cell`: one step of a long short-term memory, which gives its hidden state and its memory. Like: torch.nn.LSTMCell.

    Examples:
        >>> hidden, cell = at.nn.LSTMCell(3, 4)(at.ones(2, 3))
        >>> hidden.shape, cell.shape
        ((2, 4), (2, 4))
    """

    gates = 4
    states = 2
    _step = staticmethod(recurrent.lstm_cell)


class GRUCell(_Cell):
    """`gru_cell`: one step of a gated recurrent unit. Like: torch.nn.GRUCell.

    Examples:
        >>> at.nn.GRUCell(3, 4)(at.ones(2, 3)).shape
        (2, 4)
    """

    gates = 3
    _step = staticmethod(recurrent.gru_cell)


class RNNCell(_Cell):
    """`rnn_tanh_cell` or, with `nonlinearity="relu"`, `rnn_relu_cell`. Like: torch.nn.RNNCell.

    Examples:
        >>> at.nn.RNNCell(3, 4)(at.ones(2, 3)).shape
        (2, 4)
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueRangeError(f"nonlinearity must be 'tanh' or 'relu', not {nonlinearity!r}", where="RNNCell")
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def _step(self, *args: Any) -> Any:
        return (recurrent.rnn_tanh_cell if self.nonlinearity == "tanh" else recurrent.rnn_relu_cell)(*args)

    def extra_repr(self) -> str:
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")
