"""Operands of one number that a function fills in are made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.launch import static
from ascendtensor.ops import operands

F = at.nn.functional


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The operators that are launched."""
    names: list[str] = []
    run = static.StaticPlan.run

    def noted(self: static.StaticPlan, *arguments: object) -> None:
        names.append(self.op_type)
        run(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(static.StaticPlan, "run", noted)
    yield names


CALLS: dict[str, tuple[Callable[[at.NPUTensor], at.NPUTensor], str]] = {
    "layer_norm": (lambda x: F.layer_norm(x, (7,)), "LayerNormV3"),
    "rms_norm": (lambda x: F.rms_norm(x, (7,)), "RmsNorm"),
    "nll_loss": (lambda x: F.nll_loss(x, at.tensor([1, 2, 3])), "NLLLoss"),
}


@pytest.mark.parametrize("name", CALLS)
def test_absent_operands_are_filled_in_once(name: str, launches: list[str]) -> None:
    function, op_type = CALLS[name]
    x = at.tensor(np.arange(21, dtype=np.float32).reshape(3, 7))
    first = function(x).numpy()
    launches.clear()
    assert np.array_equal(function(x).numpy(), first)
    assert launches == [op_type]


def test_few_are_kept_and_no_large_ones() -> None:
    x = at.ones(2)
    fills = x.desc.device.fills
    small, large = operands.lasting(x, (3,), 1, at.float32), operands.lasting(x, (1 << 17,), 1, at.float32)
    assert operands.lasting(x, (3,), 1, at.float32) is small
    assert operands.lasting(x, (1 << 17,), 1, at.float32) is not large
    for length in range(40):
        operands.lasting(x, (length,), 0, at.float32)
    assert len(fills) == 16
    assert operands.lasting(x, (3,), 1, at.float32) is not small
    assert operands.lasting(x, (3,), 1, at.float32).numpy().tolist() == [1, 1, 1]
    assert operands.lasting(x, (3,), 0, at.float32).numpy().tolist() == [0, 0, 0]
