"""The row of recurrent networks, and its rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ... import dtypes as d
from ...promotion import Kind
from ..schema import Attr, Input, Meta, Outcome, Output, Row


def sequence(operands: Sequence[Meta]) -> Outcome:
    """States after each step, (time, batch, hidden), and the gates that led to them. Blocks of w stand in PyTorch's order."""
    time, batch, _ = operands[0].shape
    states = (time, batch, operands[2].shape[0] // 4)
    return Outcome((states,) * 8, attrs={"gate_order": "ifjo"})


LSTM: Final = Row(
    "lstm",
    "DynamicRNN",
    (
        Input("x"),
        Input("w"),
        Input("b"),
        Input("seq_length", "optional"),
        Input("init_h", "optional"),
        Input("init_c", "optional"),
    ),
    tuple(Output(name) for name in ("y", "output_h", "output_c", "i", "j", "f", "o", "tanhc")),
    sequence,
    (
        Attr("cell_type", "string", "LSTM"),
        Attr("direction", "string", "UNIDIRECTIONAL"),
        Attr("cell_depth", "int", 1),
        Attr("use_peephole", "bool", False),
        Attr("keep_prob", "float", 1.0),
        Attr("cell_clip", "float", -1.0),
        Attr("num_proj", "int", 0),
        Attr("time_major", "bool", True),
        Attr("activation", "string", "tanh"),
        Attr("forget_bias", "float", 0.0),
        Attr("gate_order", "string", "ijfo"),
        Attr("is_training", "bool", True),
    ),
    Kind.SAME,
    (d.float32, d.float16),
)
