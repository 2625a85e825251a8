"""Networks written for PyTorch give PyTorch's numbers once their imports are changed: its outputs for the same weights are in the data."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import ported_programs
import pytest

import ascendtensor as at

FOUND = json.loads((Path(__file__).parents[1] / "data" / "ported_programs.json").read_text(encoding="utf-8"))
"""What PyTorch 2.13 gives: for each output its shape, the sum of its numbers and the first of them; and the text of the network."""

QUICK = ("GPT", "ResNet", "TransformerModel")


def numbers(shape: tuple[int, ...], start: int) -> Any:
    """Numbers from -1 to 1 that look like random ones."""
    return np.sin(np.arange(math.prod(shape)) * 12.9898 + start * 78.233).astype(np.float32).reshape(shape)


def classes(count: int, *shape: int) -> Any:
    return (np.arange(math.prod(shape)) * 7919 % count).reshape(shape)


def given(name: str) -> tuple[Any, ...]:
    return {
        "ResNet": (numbers((2, 3, 32, 32), 1),),
        "UNet": (numbers((2, 1, 20, 24), 2), np.array([3, 7])),
        "Tagger": (classes(50, 3, 9),),
        "TransformerModel": (classes(40, 11, 3), np.arange(33).reshape(3, 11) % 11 > 8),
        "GPT": (classes(60, 2, 10), classes(60, 2, 10)),
        "ViT": (numbers((2, 3, 16, 16), 3),),
        "MobileNet": (numbers((2, 3, 32, 32), 4),),
        "VAE": (np.abs(numbers((3, 1, 16, 16), 5)),),
    }[name]


def weights(state: dict[str, Any]) -> dict[str, Any]:
    """Values for the floating ones of a state: positive where they scale."""
    found = {}
    for number, (name, value) in enumerate(state.items()):
        if name.rpartition(".")[2] in ("num_batches_tracked", "pe") or name.endswith("attn.bias"):
            continue
        values = numbers(tuple(value.shape), number)
        scales = name.endswith("running_var") or (len(values.shape) == 1 and name.endswith("weight"))
        found[name] = 1 + values / 2 if scales else values / math.sqrt(max(values[0].size, 4) if values.ndim > 1 else 16)
    return found


def flat(outputs: Any) -> list[Any]:
    if isinstance(outputs, (tuple, list)):
        return [each for output in outputs for each in flat(output)]
    return [] if outputs is None else [outputs]


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in sorted(FOUND)])
def test_pytorchs_numbers(name: str) -> None:
    network = getattr(ported_programs, name)().eval()
    result = network.load_state_dict(weights(network.state_dict()), strict=False)
    assert not result.unexpected_keys
    assert list(network.state_dict()) == FOUND[name]["state"]
    assert repr(network) == FOUND[name]["text"]
    outputs = flat(network(*map(at.from_numpy, given(name))))
    assert len(outputs) == len(FOUND[name]["outputs"])
    for output, expected in zip(outputs, FOUND[name]["outputs"], strict=True):
        values = output.numpy().astype(np.float64)
        assert list(values.shape) == expected["shape"]
        finite = values[np.isfinite(values)]
        np.testing.assert_allclose(finite.ravel()[:8], expected["first"], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(finite.sum(), expected["sum"], rtol=1e-4, atol=1e-4 * max(1.0, math.sqrt(finite.size)))


def test_text_is_generated_from_kept_keys_and_values() -> None:
    network = ported_programs.GPT().eval()
    network.load_state_dict(weights(network.state_dict()), strict=False)
    start = at.from_numpy(classes(60, 1, 4))
    assert network.generate(start, 3).tolist() == [row[:7] for row in FOUND["GPT"]["generated"]]
    assert network.lm_head.weight is network.transformer.wte.weight


def test_a_network_trains_by_hand() -> None:
    """Statistics of batches, dropout and steps without gradients; the optimiser is what the program writes itself."""
    network = ported_programs.ResNet().train()
    before = network.stem.bn.running_mean.clone()
    network(at.from_numpy(given("ResNet")[0]))
    assert not at.equal(before, network.stem.bn.running_mean) and network.stem.bn.num_batches_tracked.item() == 1
    for param in network.parameters():
        param -= 0.1 * at.ones_like(param)
    network.fc.bias.data.zero_()
    assert network.fc.bias.tolist() == [0.0] * 10
