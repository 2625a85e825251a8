"""Parts of networks, written for PyTorch; the module `torch` is what they are given.

Run by PyTorch itself, `python network_parts.py`, it writes what PyTorch gives to the data of the tests.
"""

from __future__ import annotations

import importlib
import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).parents[1] / "data" / "network_parts.json"


def numbers(*shape: int, start: int = 1) -> Any:
    """Numbers from -1 to 1 that look like random ones."""
    return np.sin(np.arange(math.prod(shape)) * 12.9898 + start * 78.233).astype(np.float32).reshape(shape)


def filled(torch: Any, module: Any, positive: tuple[str, ...] = ()) -> Any:
    """A module with such numbers in its state."""
    state = {}
    for number, (name, value) in enumerate(module.state_dict().items()):
        if name.rpartition(".")[2] != "num_batches_tracked":
            values = numbers(*value.shape, start=number + 2)
            scales = name.endswith(("running_var", "weight_g", "original0", *positive))
            state[name] = torch.tensor(1 + values / 2 if scales else values)
    module.load_state_dict(state, strict=False)
    return module


def sequences(kind: str, sorted_lengths: bool, first: bool, **options: Any) -> Callable[[Any], Any]:
    """A recurrent network over padded sequences, with and without states of its own."""

    def run(torch: Any) -> Any:
        rnn = torch.nn.utils.rnn
        net = filled(torch, getattr(torch.nn, kind)(4, 5, batch_first=first, **options))
        x = torch.tensor(numbers(3, 6, 4) if first else numbers(6, 3, 4))
        lengths = [6, 4, 1] if sorted_lengths else [2, 6, 3]
        packed = rnn.pack_padded_sequence(x, torch.tensor(lengths), batch_first=first, enforce_sorted=sorted_lengths)
        output, last = net(packed)
        again, _ = net(rnn.pack_padded_sequence(x, lengths, first, sorted_lengths), last)
        plain, _ = net(x)
        padded, counts = rnn.pad_packed_sequence(output, batch_first=first, padding_value=-1.0, total_length=8)
        return repr(net), counts.tolist(), output.batch_sizes.tolist(), output.data, padded, last, again.data, plain

    return run


def padding(torch: Any) -> Any:
    rnn = torch.nn.utils.rnn
    parts = [torch.tensor(numbers(length, 2, start=length)) for length in (2, 4, 1)]
    packed = rnn.pack_sequence(parts, enforce_sorted=False)
    whole = torch.tensor(np.arange(6).reshape(3, 2))
    return (
        *(rnn.pad_sequence(parts, first, 9.0, padding_side=side) for first in (False, True) for side in ("left", "right")),
        *rnn.unpack_sequence(packed),
        *rnn.unpad_sequence(rnn.pad_sequence(parts), torch.tensor([2, 4, 1])),
        packed.data,
        packed.sorted_indices,
        packed.unsorted_indices,
        rnn.pad_sequence([whole, whole[:1]]),
    )


def normed(name: str, kind: str, current: bool, **options: Any) -> Callable[[Any], Any]:
    """A convolution whose weight is computed of others, in training, in inference, and with its weight as a parameter again."""

    def run(torch: Any) -> Any:
        u = torch.nn.utils
        made = getattr(u.parametrizations if current else u, name)(getattr(torch.nn, kind)(4, 6, 3), **options)
        net, x = filled(torch, made), torch.tensor(numbers(2, 4, 5, 5))
        text, names = repr(net), list(net.state_dict())
        trained, state = net(x), [value.clone() for value in net.state_dict().values()]
        computed, shapes = net.eval()(x), [list(value.shape) for value in state]
        u.parametrize.remove_parametrizations(net, "weight") if current else getattr(u, f"remove_{name}")(net)
        return text, names, shapes, trained, state, computed, net(x), net.weight, sorted(net.state_dict())

    return run


def old_state(torch: Any) -> Any:
    u = torch.nn.utils
    before = filled(torch, u.weight_norm(torch.nn.Linear(3, 4)))
    after = torch.nn.Sequential(u.parametrizations.weight_norm(torch.nn.Linear(3, 4)))
    after.load_state_dict({f"0.{name}": value for name, value in before.state_dict().items()})
    return after[0].weight, list(after.state_dict())


def symmetric(torch: Any) -> Any:
    class Symmetric(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return x.triu() + x.triu(1).T

        def right_inverse(self, x: Any) -> Any:
            return x.triu()

    parametrize = torch.nn.utils.parametrize
    net = parametrize.register_parametrization(filled(torch, torch.nn.Linear(3, 3)), "weight", Symmetric())
    found = [repr(net), list(net.state_dict()), net.weight, parametrize.is_parametrized(net), parametrize.is_parametrized(net, "bias")]
    net.weight = torch.tensor(numbers(3, 3, start=7))
    parametrize.register_parametrization(net, "bias", torch.nn.Softplus())
    found += [net.weight, net.bias, list(net.state_dict()), type(net).__name__]
    parametrize.remove_parametrizations(net, "weight", leave_parametrized=False)
    return *found, net.weight, type(net).__name__, parametrize.is_parametrized(net)


def fused(transpose: bool, bias: bool, affine: bool) -> Callable[[Any], Any]:
    def run(torch: Any) -> Any:
        conv = getattr(torch.nn, "ConvTranspose2d" if transpose else "Conv2d")(4, 6, 3, bias=bias)
        conv, norm = filled(torch, conv).eval(), filled(torch, torch.nn.BatchNorm2d(6, affine=affine)).eval()
        one = torch.nn.utils.fuse_conv_bn_eval(conv, norm, transpose)
        linear = filled(torch, torch.nn.Linear(4, 6)).eval()
        linear = torch.nn.utils.fuse_linear_bn_eval(linear, norm) if affine else linear  # PyTorch's own takes no other
        vector = torch.nn.utils.parameters_to_vector(one.parameters())
        torch.nn.utils.vector_to_parameters(vector * 2, conv.parameters() if bias else one.parameters())
        return vector, *linear.parameters(), *conv.parameters(), one(torch.tensor(numbers(2, 4, 5, 5)))

    return run


def lazy(kind: str, arguments: tuple[Any, ...], shape: tuple[int, ...], loaded: bool = True, **options: Any) -> Callable[[Any], Any]:
    def run(torch: Any) -> Any:
        x, net = torch.tensor(numbers(*shape)), torch.nn.Sequential(getattr(torch.nn, kind)(*arguments, **options))
        before = repr(net)
        net(x)
        again = torch.nn.Sequential(getattr(torch.nn, kind)(*arguments, **options))
        filled(torch, net)
        if loaded:
            again.load_state_dict(net.state_dict())
        again(x)
        net.eval(), again.eval()
        return before, repr(net), list(net.state_dict()), net(x), again(x) if loaded else None, type(again[0]).__name__

    return run


PARTS: dict[str, Callable[[Any], Any]] = {
    "lstm": sequences("LSTM", True, True, num_layers=2, bidirectional=True),
    "lstm, unsorted": sequences("LSTM", False, False, bias=False),
    "lstm, projected": sequences("LSTM", False, True, num_layers=2, proj_size=3, bidirectional=True),
    "lstm, projected without biases": sequences("LSTM", True, False, proj_size=2, bias=False),
    "gru": sequences("GRU", False, True, bidirectional=True),
    "rnn": sequences("RNN", True, False, num_layers=2, nonlinearity="relu"),
    "padding": padding,
    **{
        f"{name} of {kind}, {current}, {options}": normed(name, kind, current, **options)
        for kind in ("Conv2d", "ConvTranspose2d")
        for current in (True, False)
        for name, options in (
            ("weight_norm", {}),
            ("weight_norm", {"dim": 1}),
            ("weight_norm", {"dim": None}),
            ("spectral_norm", {}),
            ("spectral_norm", {"n_power_iterations": 3, "dim": 1}),
        )
    },
    "old state": old_state,
    "symmetric": symmetric,
    "fused": fused(False, True, True),
    "fused without bias": fused(False, False, False),
    "fused, transposed": fused(True, True, True),
    "lazy linear": lazy("LazyLinear", (3,), (2, 5), bias=False),
    "lazy convolution": lazy("LazyConv2d", (6, 3), (2, 4, 7, 7), groups=2),
    "lazy transposed convolution": lazy("LazyConvTranspose1d", (6, 3), (2, 4, 7), groups=2),
    "lazy batch norm": lazy("LazyBatchNorm1d", (), (5, 3)),
    "lazy instance norm": lazy("LazyInstanceNorm2d", (), (2, 3, 4, 4), loaded=False),  # PyTorch's own does not run once it was loaded
}


def plain(value: Any) -> Any:
    """Outputs as JSON has them: of tensors the first numbers, and the sum of all by other weights."""
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    found = np.asarray(value.detach().numpy()).reshape(-1)
    values = [*found[:24].tolist(), float(found.astype(np.float64) @ np.cos(np.arange(found.size)))]
    return {"shape": list(value.shape), "values": [float(f"{each:.7g}") for each in values]}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    pytorch: Any = importlib.import_module("torch")
    found = {name: plain(part(pytorch)) for name, part in PARTS.items()}
    DATA.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
