"""Modules: that they compute what their functions compute, and how they keep parameters, buffers, other modules and hooks."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import nn
from ascendtensor.nn import functional as F


def numbers(*shape: int) -> Any:
    return at.tensor(np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32))


SAME: list[tuple[Callable[[], Any], tuple[int, ...], Callable[[Any, Any], Any]]] = [
    (lambda: nn.Linear(4, 3, bias=False), (2, 4), lambda m, x: x @ m.weight.T),
    (lambda: nn.Conv1d(4, 6, 3, padding="same", groups=2), (2, 4, 7), lambda m, x: F.conv1d(x, m.weight, m.bias, padding=1, groups=2)),
    (
        lambda: nn.Conv2d(4, 6, 3, 2, padding=(1, 2), padding_mode="circular"),
        (2, 4, 7, 8),
        lambda m, x: F.conv2d(F.pad(x, (2, 2, 1, 1), "circular"), m.weight, m.bias, 2),
    ),
    (
        lambda: nn.Conv2d(4, 6, 4, dilation=2, padding="same", padding_mode="reflect"),
        (2, 4, 7, 8),
        lambda m, x: F.conv2d(F.pad(x, (3, 3, 3, 3), "reflect"), m.weight, m.bias, dilation=2),
    ),
    (
        lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, groups=2),
        (2, 4, 5, 5),
        lambda m, x: F.conv_transpose2d(x, m.weight, m.bias, 2, 1, 1, 2),
    ),
    (lambda: nn.InstanceNorm2d(3), (3, 4, 5), lambda m, x: F.instance_norm(x[None])[0]),
    (lambda: nn.BatchNorm2d(3, track_running_stats=False).eval(), (2, 3, 4, 4), lambda m, x: F.batch_norm(x, None, None, training=True)),
    (lambda: nn.GroupNorm(2, 4, affine=False), (2, 4, 5), lambda m, x: F.group_norm(x, 2)),
    (lambda: nn.RMSNorm(5), (2, 4, 5), lambda m, x: F.rms_norm(x, (5,))),
    (lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), (1, 2, 6, 6), lambda m, x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True)),
    (lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False), (1, 2, 6, 6), lambda m, x: F.avg_pool2d(x, 3, 2, 1, False, False)),
    (lambda: nn.PReLU(4, 0.3), (2, 4, 3), lambda m, x: F.prelu(x, at.full((4,), 0.3))),
    (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), (1, 1, 3, 3), lambda m, x: F.interpolate(x, None, 2.0, "bilinear")),
    (lambda: nn.ReplicationPad2d((1, 2, 0, 1)), (1, 1, 3, 3), lambda m, x: F.pad(x, (1, 2, 0, 1), "replicate")),
    (lambda: nn.RNN(3, 4, nonlinearity="relu"), (5, 3), lambda m, x: _relu_steps(m, x)),
]


def _relu_steps(m: Any, x: Any) -> Any:
    state, found = at.zeros(4), []
    for step in x:
        state = at.relu(m.weight_ih_l0 @ step + m.bias_ih_l0 + m.weight_hh_l0 @ state + m.bias_hh_l0)
        found.append(state)
    return at.stack(found), state[None]


@pytest.mark.parametrize("place", range(len(SAME)))
def test_modules_compute_what_their_functions_do(place: int) -> None:
    make, shape, function = SAME[place]
    module, x = make(), numbers(*shape)
    for found, expected in zip(_tuple(module(x)), _tuple(function(module, x)), strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def test_running_statistics_of_a_mean_over_all_batches() -> None:
    norm, batches = nn.BatchNorm1d(2, momentum=None), [numbers(5, 2), numbers(7, 2)]
    for batch in batches:
        norm(batch)
    np.testing.assert_allclose(norm.running_mean.numpy(), np.mean([each.numpy().mean(0) for each in batches], 0), rtol=1e-5)
    assert norm.num_batches_tracked.item() == 2


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.register_buffer("scale", at.tensor([2.0]))
        self.register_buffer("places", at.arange(3), persistent=False)
        self.shift = nn.Parameter(at.zeros(4))
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Sequential(OrderedDict(act=nn.ReLU(), drop=nn.Dropout(0.5)))])
        self.again = self.first

    def forward(self, x: Any, *, plus: float = 0.0) -> Any:
        x = self.first(x) * self.scale + self.shift
        for layer in self.layers:
            x = layer(x)
        return x + plus


def test_names_in_pytorchs_order() -> None:
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["shift", "first.weight", "first.bias", "layers.0.weight", "layers.0.bias"]
    assert list(net.state_dict()) == [
        *("shift", "scale", "first.weight", "first.bias", "layers.0.weight", "layers.0.bias", "again.weight", "again.bias"),
    ]
    assert [name for name, _ in net.named_buffers()] == ["scale", "places"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "layers", "layers.0", "layers.1", "layers.1.act", "layers.1.drop"]
    assert [name for name, _ in net.named_parameters("net", remove_duplicate=False)][-2:] == ["net.again.weight", "net.again.bias"]
    assert len(list(net.parameters(recurse=False))) == 1 and {"shift", "first", "scale"} <= set(dir(net))


def test_attributes_go_where_they_belong() -> None:
    net = Net()
    net.shift = nn.Parameter(at.ones(4))
    assert net.shift.tolist() == [1.0] * 4
    net.scale = at.tensor([3.0])
    assert net.get_buffer("scale").item() == 3.0
    with pytest.raises(TypeError, match="parameter 'shift' of Net"):
        net.shift = at.zeros(4)
    with pytest.raises(TypeError, match="module 'first' of Net"):
        net.first = 3
    with pytest.raises(TypeError, match="buffer 'scale' of Net"):
        net.scale = 3
    net.shift = None
    assert "shift" not in net.state_dict()
    net.first = nn.Identity()
    del net.layers
    assert not hasattr(net, "layers")
    net.plain = at.ones(1)
    assert "plain" not in net.state_dict()
    with pytest.raises(KeyError, match=r"'a\.b'"):
        net.register_buffer("a.b", None)
    with pytest.raises(KeyError, match="has an attribute 'forward'"):
        net.register_parameter("forward", None)
    with pytest.raises(AttributeError, match=r"super\(\).__init__\(\)"):
        type("Early", (nn.Module,), {"__init__": lambda self: setattr(self, "w", nn.Parameter(at.ones(1)))})()
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'cuda': the devices are NPUs"):
        net.cuda()
    with pytest.raises(NotImplementedError, match="has no forward"):
        nn.Module()(1)


def test_states_move_between_modules_and_files(tmp_path: Path) -> None:
    net, other = Net(), Net()
    at.save(net.state_dict(), tmp_path / "net.npz")
    assert other.load_state_dict(at.load(tmp_path / "net.npz")) == ([], [])
    for name, value in other.state_dict().items():
        assert at.equal(value, net.state_dict()[name]), name
    weight = other.first.weight
    state = {**net.state_dict(), "more": at.ones(1)}
    del state["scale"]
    with pytest.raises(RuntimeError, match=r"not in the module: 'more'[\s\S]*missing: 'scale'[\s\S]*strict=False"):
        other.load_state_dict(state)
    assert other.load_state_dict(state, strict=False) == (["scale"], ["more"])
    with pytest.raises(ValueError, match=r"'shift' has the shape \[2\], in the module \[4\]"):
        other.load_state_dict({**net.state_dict(), "shift": at.ones(2)}, strict=False)
    with pytest.raises(TypeError, match="a dict of tensors"):
        other.load_state_dict([1])
    with pytest.raises(TypeError, match="names are strings, not 0"):
        other.load_state_dict({0: at.ones(1)})  # type: ignore[dict-item]
    assert other.first.weight is weight
    other.load_state_dict({name: value.half() for name, value in net.state_dict().items()}, assign=True)
    assert other.first.weight.dtype == at.float16 and isinstance(other.first.weight, nn.Parameter)
    net.state_dict()["shift"].fill_(5.0)
    assert net.shift.tolist() == [5.0] * 4 and net.state_dict(keep_vars=True)["shift"] is net.shift


def test_copies_and_pickles_keep_what_is_shared() -> None:
    net = Net().eval()
    x = numbers(2, 3)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert at.equal(other(x), net(x)) and other.again is other.first and not other.training
        assert all(isinstance(each, nn.Parameter) for each in other.parameters())
        other.shift.fill_(1.0)
        assert net.shift.tolist() == [0.0] * 4
    assert not isinstance(net.shift.clone(), nn.Parameter) and not isinstance(net.shift[:2], nn.Parameter)
    assert isinstance(copy.copy(net.first).weight, nn.Parameter)


def test_devices_and_dtypes_keep_the_parameters_own() -> None:
    net = Net()
    weight = net.first.weight
    net.to(at.float16)
    assert net.first.weight is weight and weight.dtype == at.float16 and net.places.dtype == at.int64 and net.scale.dtype == at.float16
    net.to("npu:1", "float32")
    assert weight.device.index == 1 and net.places.device.index == 1 and weight.dtype == at.float32
    net.to(at.ones(1, dtype=at.bfloat16))
    assert (weight.device.index, weight.dtype) == (0, at.bfloat16)
    assert net.to(device="npu", dtype=at.float64).scale.dtype == at.float64 and net.float().again is net.first
    for arguments in ((at.int32,), (1.5,), ("npu", at.float32, at.float16)):
        with pytest.raises(TypeError):
            net.to(*arguments)
    with pytest.raises(RuntimeError, match="unknown device 'cpu'"):
        net.to("cpu")
    with pytest.raises(NotImplementedError, match="autograd"):
        net.requires_grad_()


def test_hooks_see_and_change_what_goes_in_and_out() -> None:
    net, seen = Net().eval(), []
    x = numbers(2, 3)
    plain = net(x)

    def before(module: Any, args: Any, kwargs: Any) -> Any:
        seen.append(("before", kwargs))
        return args, {"plus": 1.0}

    first = net.register_forward_pre_hook(before, with_kwargs=True)
    net.register_forward_hook(lambda module, args, output: output * 2)
    net.register_forward_hook(lambda module, args, output: seen.append(("first", output.shape)), prepend=True)
    np.testing.assert_allclose(net(x, plus=7.0).numpy(), (plain + 1).numpy() * 2, rtol=1e-6)
    assert seen == [("before", {"plus": 7.0}), ("first", (2, 4))]
    first.remove()
    np.testing.assert_allclose(net(x).numpy(), plain.numpy() * 2, rtol=1e-6)
    failing = nn.Linear(2, 2)
    failing.register_forward_hook(lambda module, args, output: seen.append(("always", output)), always_call=True)
    with pytest.raises(ValueError):
        failing(at.ones(3))
    assert seen[-1] == ("always", None)


def test_modes_reach_everything() -> None:
    net = Net()
    assert net.layers[1].drop.training and not net.eval().layers[1].drop.training and net.train().layers[1].training
    with pytest.raises(ValueError, match="mode must be a bool"):
        net.train(1)
    assert [type(each).__name__ for each in _applied(net)] == ["Linear", "Linear", "ReLU", "Dropout", "Sequential", "ModuleList", "Net"]


def _applied(net: nn.Module) -> list[nn.Module]:
    seen: list[nn.Module] = []
    net.apply(seen.append)
    return seen


def test_lists_and_dicts_of_modules() -> None:
    layers = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert [*layers][1] is layers[-2] and len(layers[:2]) == 2 and isinstance(layers[:2], nn.Sequential)
    layers[1] = nn.Tanh()
    del layers[0]
    assert list(layers.state_dict()) == ["1.weight", "1.bias"] and isinstance(layers[0], nn.Tanh)
    assert len(layers + nn.Sequential(nn.ReLU())) == 3
    for wrong in (5, -3):
        with pytest.raises(IndexError, match=f"index {wrong} is out of range for 2 modules"):
            layers[wrong]
    both = nn.ModuleList([nn.ReLU()]) + nn.ModuleList([nn.Tanh()])
    both += [nn.ReLU()]
    assert isinstance(both, nn.ModuleList) and len(both[1:]) == 2 and both[-1] in both
    table = nn.ModuleDict([("a", nn.ReLU())])
    table["b"] = nn.Linear(1, 1)
    del table["a"]
    assert list(table) == ["b"] and list(table.state_dict()) == ["b.weight", "b.bias"]
    weights = nn.ParameterList([at.ones(2), at.zeros(1)])
    weights[0] = at.ones(3)
    assert [each.shape for each in weights] == [(3,), (1,)] and isinstance(weights[-1], nn.Parameter) and len(weights[:1]) == 1
    assert list(nn.ParameterDict({"b": at.ones(2), "a": at.ones(1)})) == ["a", "b"] and len(nn.Sequential(nn.ReLU()) * 3) == 3
    named = nn.ParameterDict({"left": at.ones(2)})
    named["right"] = at.ones(1)
    del named["left"]
    assert list(named) == ["right"] and list(named.state_dict()) == ["right"]


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "groups=2 must be positive and divide the channels 3 and 4"),
    (lambda: nn.Conv2d(3, 4, 3, padding="all"), ValueError, "'same' or 'valid', not 'all'"),
    (lambda: nn.Conv2d(3, 4, 3, stride=2, padding="same"), ValueError, "stride of 1"),
    (lambda: nn.ConvTranspose2d(3, 4, 3, padding_mode="reflect"), ValueError, "padding_mode must be one of zeros"),
    (lambda: nn.ConvTranspose1d(3, 4, 3)(at.ones(1, 3, 4), output_size=(9,)), ValueError, r"from \[6\] to \[6\], not \[9\]"),
    (lambda: nn.BatchNorm2d(3)(at.ones(2, 3, 4)), ValueError, "BatchNorm2d: 4 dims are needed, not 3"),
    (lambda: nn.BatchNorm1d(3, eps=0.0)(at.ones(2, 3)), ValueError, "eps must be positive in training, not 0.0"),
    (lambda: nn.InstanceNorm1d(3)(at.ones(2, 3, 4, 4)), ValueError, "2 or 3 dims are needed"),
    (lambda: nn.GroupNorm(3, 4), ValueError, "3 groups don't divide 4 channels"),
    (lambda: nn.Dropout(1.5), ValueError, "p must be from 0 to 1, it is 1.5"),
    (lambda: nn.Embedding(3, 2, padding_idx=3), ValueError, "padding_idx 3 is out of range for 3 rows"),
    (lambda: nn.Embedding(3, 2, _weight=at.ones(2, 2)), ValueError, r"\[2, 2\] are not \[3, 2\]"),
    (lambda: nn.LSTM(3, 4, proj_size=4), ValueError, "proj_size=4 must be 0, or from 1 to hidden_size - 1 = 3"),
    (lambda: nn.LSTM(3, 4)(at.ones(2, 2, 5)), ValueError, "input_size=3"),
    (lambda: nn.GRU(3, 4)(at.ones(2, 2, 3), at.ones(1, 4)), ValueError, "states of 3 dims are needed, not 2"),
    (lambda: nn.LSTM(3, 4)(at.ones(2, 1, 3), (at.ones(1, 1, 4),)), ValueError, "LSTM: 2 states are needed, not 1"),
    (lambda: nn.GRU(3, 4)(at.ones(2, 1, 3), (at.ones(1, 1, 4),) * 2), TypeError, "GRU: hx must be a tensor, not tuple"),
    (lambda: nn.RNN(3, 4, nonlinearity="gelu"), ValueError, "'tanh' or 'relu', not 'gelu'"),
    (lambda: nn.MultiheadAttention(8, 3), ValueError, "3 heads don't divide the length 8"),
    (lambda: nn.Transformer(8, 2, 1, 1, 8)(at.ones(2, 1, 8), at.ones(2, 3, 8)), ValueError, "batches of different sizes"),
    (lambda: nn.Parameter([1.0]), TypeError, "a tensor is needed, not list"),
    (lambda: nn.DataParallel(3), AttributeError, "'DataParallel': there is no such module"),
]


@pytest.mark.parametrize("place", range(len(WRONG)))
def test_what_is_refused(place: int) -> None:
    function, error, text = WRONG[place]
    with pytest.raises(error, match=text):
        function()


def test_hooks_that_come_and_go_while_a_module_is_called() -> None:
    layer, seen = nn.ReLU(), []
    after = layer.register_forward_hook(lambda *_: seen.append("after"))

    def before(module: Any, args: Any) -> None:
        after.remove()
        module.register_forward_hook(lambda *_: seen.append("late"))

    layer.register_forward_pre_hook(before)
    layer(at.ones(1))
    assert seen == ["late"]


def test_a_copied_handle_removes_the_copys_hook() -> None:
    layer = nn.ReLU()
    layer.handle = layer.register_forward_hook(lambda module, args, output: output + 1)
    other = copy.deepcopy(layer)
    other.handle.remove()
    assert layer(at.ones(1)).item() == 2.0 and other(at.ones(1)).item() == 1.0
    other._forward_hooks[layer.register_forward_hook(print).id + 1] = "from another process"  # type: ignore[assignment]
    other.register_forward_hook(print)
    assert len(other._forward_hooks) == 2


class Renaming(nn.Module):
    """Takes the states of its first version, as public networks do."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 1)
        self._register_load_state_dict_pre_hook(self.renamed)

    def renamed(self, state: dict[str, Any], prefix: str, *others: Any) -> None:
        for name in ("weight", "bias"):
            if prefix + name in state:
                state[f"{prefix}inner.{name}"] = state.pop(prefix + name)


def test_hooks_of_states_come_in_pytorchs_order_and_may_change_them() -> None:
    net, seen = nn.Sequential(nn.Linear(2, 1), nn.ReLU()), []
    net.register_state_dict_pre_hook(lambda module, prefix, keep_vars: seen.append(("before", prefix, keep_vars)))
    net[0].register_state_dict_post_hook(lambda module, state, prefix, metadata: seen.append((prefix, *state)))
    net.register_state_dict_post_hook(lambda module, state, prefix, metadata: state.pop("0.bias") and None)
    assert list(net.state_dict(prefix="net.", destination={"0.bias": at.ones(1)})) == ["net.0.weight", "net.0.bias"]
    assert seen == [("before", "net.", False), ("net.0.", "0.bias", "net.0.weight", "net.0.bias")]
    seen.clear()
    net.register_load_state_dict_pre_hook(lambda module, state, *given: seen.append((module is net, *state, *given[:3])))
    net[0].register_load_state_dict_post_hook(lambda module, keys: seen.append((type(module).__name__, *keys.missing_keys)))
    net.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
    assert net.load_state_dict({"0.weight": [[1.0, 2.0]]}) == ([], [])
    assert seen == [(True, "0.weight", "", {"assign_to_params_buffers": False}, True), ("Linear", "0.bias")]
    with (
        net.register_load_state_dict_post_hook(lambda module, keys: keys),
        pytest.raises(at.errors.StateError, match="gives None"),
    ):
        net.load_state_dict({"0.weight": [[1.0, 2.0]]})


def test_hooks_of_states_are_copied_and_pickled() -> None:
    net = Renaming()
    for each in (net, copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert each.load_state_dict({"weight": [[1.0, 2.0]], "bias": [3.0]}) == ([], [])
        assert each.inner(at.ones(1, 2)).item() == 6.0
    lazy = nn.Sequential(nn.LazyLinear(1))
    lazy[0].register_load_state_dict_post_hook(lambda module, keys: seen.append(module.in_features))
    seen: list[int] = []
    lazy.load_state_dict({"0.weight": [[1.0, 2.0]], "0.bias": [0.0]})
    assert seen == [2]


def test_sums_in_place_keep_the_object() -> None:
    layers = known = nn.Sequential(nn.ReLU())
    layers += nn.Sequential(nn.Tanh())
    layers *= 2
    assert layers is known and [type(each).__name__ for each in known] == ["ReLU", "Tanh"] * 2
    weights = listed = nn.ParameterList([at.ones(1)])
    weights += [at.ones(2)]
    with pytest.raises(TypeError, match="a module is no parameter"):
        weights.append(nn.ReLU())
    assert weights is listed and [each.shape for each in weights] == [(1,), (2,)]
    named = nn.ParameterDict({"a": at.ones(1)})
    assert named.get("b") is None and named.get("a") is named["a"] and named.setdefault("b", at.ones(2)).shape == (2,)
    assert named.popitem()[0] == "b" and list(named.state_dict()) == ["a"]
    named.clear()
    assert len(named) == 0 and not list(named.parameters())


class Counted(nn.Module):
    """Reads a state's older name for its weight, and a number that is no tensor of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(at.zeros(2))
        self.seen = 0

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        state_dict[prefix + "weight"] = state_dict.pop(prefix + "kernel")
        self.seen = state_dict.pop(prefix + "seen")
        super()._load_from_state_dict(state_dict, prefix, *args)


def test_states_that_modules_read_in_their_own_way() -> None:
    net = nn.Sequential(Counted(), nn.BatchNorm1d(2))
    state = {"0.kernel": np.ones(2), "0.seen": 7, "1.extra": 1, "2.weight": 1, **nn.Sequential(nn.Identity(), net[1]).state_dict()}
    kept = dict(state)
    state["1.num_batches_tracked"] = kept["1.num_batches_tracked"] = np.array([5])
    assert net.load_state_dict(state, strict=False) == ([], ["2.weight", "1.extra"])
    assert net[0].seen == 7 and net[0].weight.tolist() == [1.0, 1.0] and list(state) == list(kept)
    assert net[1].num_batches_tracked.item() == 5


class Foreign:
    """An array of a library with autograd, which is read once it is detached."""

    def detach(self) -> Any:
        return np.full(2, 3.0, np.float32)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("detach it first")


def test_states_come_from_other_devices() -> None:
    layer = nn.Linear(2, 2).to("npu:1")
    layer.load_state_dict({"weight": at.eye(2), "bias": Foreign()})
    assert layer.weight.device.index == 1 and layer.weight.tolist() == [[1.0, 0.0], [0.0, 1.0]] and layer.bias.tolist() == [3.0, 3.0]
    layer.load_state_dict({"weight": np.ones((2, 2)), "bias": [0.0, 0.0]})
    assert layer(at.ones(1, 2, device="npu:1")).tolist() == [[2.0, 2.0]]


def test_statistics_that_are_no_longer_tracked_do_not_count() -> None:
    norm = nn.BatchNorm1d(2)
    norm.track_running_stats = False
    norm(numbers(3, 2))
    assert norm.num_batches_tracked.item() == 0 and norm.running_mean.tolist() == [0.0, 0.0]
    assert nn.LayerNorm(np.int64(3)).weight.shape == nn.RMSNorm(np.int32(3)).weight.shape == (3,)


CAUSAL: list[Callable[[Any], Any]] = [
    lambda x: nn.TransformerEncoderLayer(8, 2, 8)(x, is_causal=True),
    lambda x: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8), 1)(x, is_causal=True),
    lambda x: nn.TransformerDecoderLayer(8, 2, 8)(x, x, tgt_is_causal=True),
    lambda x: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 8), 1)(x, x, memory_is_causal=True),
    lambda x: nn.Transformer(8, 2, 1, 1, 8)(x, x, src_is_causal=True),
    lambda x: nn.Transformer(8, 2, 1, 1, 8)(x, x, tgt_is_causal=True),
]


@pytest.mark.parametrize("place", range(len(CAUSAL)))
def test_causal_without_a_mask_is_refused(place: int) -> None:
    with pytest.raises(ValueError, match="attn_mask is needed where is_causal is true"):
        CAUSAL[place](at.ones(3, 1, 8))


def test_masks_that_would_count_otherwise_than_meant_are_refused() -> None:
    attention, x = nn.MultiheadAttention(8, 2), at.ones(3, 2, 8)
    for name, mask, text in (
        ("attn_mask", at.ones(3, 3, dtype=at.uint8), "attn_mask is of bools or floating, not uint8"),
        ("key_padding_mask", at.ones(2, 3, dtype=at.int64), "key_padding_mask is of bools or floating, not int64"),
        ("attn_mask", at.ones(1, 3) > 0, r"attn_mask of shape \[1, 3\] is needed as \[3, 3\] or \[4, 3, 3\]"),
        ("attn_mask", at.ones(2, 3, 3), r"attn_mask of shape \[2, 3, 3\] is needed as"),
        ("key_padding_mask", at.ones(3, 2) > 0, r"key_padding_mask of shape \[3, 2\] is needed as \[2, 3\]"),
        ("key_padding_mask", at.ones(3) > 0, r"key_padding_mask of shape \[3\] is needed as \[2, 3\]"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            attention(x, x, x, **{name: mask})


def test_text_of_a_table_says_what_was_asked_for() -> None:
    text = "Embedding(5, 3, max_norm=1, scale_grad_by_freq=True, sparse=True)"
    assert repr(nn.Embedding(5, 3, max_norm=1, scale_grad_by_freq=True, sparse=True)) == text


def test_a_forgotten_start_is_named_wherever_it_shows() -> None:
    forgotten = type("Forgotten", (nn.Module,), {"__init__": lambda self: None, "forward": lambda self, x: x})()
    for use in (lambda: forgotten(1), lambda: repr(forgotten), lambda: forgotten.state_dict(), lambda: forgotten.eval()):
        with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) in Forgotten"):
            use()


def test_what_pytorchs_modules_tell_of_themselves() -> None:
    modes = [nn.LSTM(2, 3).mode, nn.GRU(2, 3).mode, nn.RNN(2, 3).mode, nn.RNN(2, 3, nonlinearity="relu").mode]
    assert modes == ["LSTM", "GRU", "RNN_TANH", "RNN_RELU"]
    net = nn.GRU(2, 3, bidirectional=True)
    assert [len(layer) for layer in net.all_weights] == [4, 4] and net.all_weights[1][0] is net.weight_ih_l0_reverse
    assert [len(layer) for layer in nn.LSTM(2, 3, 2, bias=False).all_weights] == [2, 2]
    assert nn.BatchNorm1d(3, eps=0.0).eval()(at.ones(2, 3)).shape == (2, 3)
    assert (nn.ReLU6().min_val, nn.ReLU6().max_val) == (0.0, 6.0)
    assert at.scalar_tensor(3, requires_grad=False).item() == 3.0


def test_integers_meet_weights_with_advice_that_helps() -> None:
    with pytest.raises(TypeError, match=r"int64 and float32[\s\S]*\.to\(float32\) first"):
        nn.Linear(2, 2)(at.ones(1, 2, dtype=at.int64))


def test_other_memory_for_a_weight_leaves_queued_work_and_views_alone() -> None:
    side, layer = at.Stream(), nn.Linear(256, 256, bias=False)
    layer.weight.fill_(1.0)
    x, view = at.ones(256, 256), layer.weight.data[:2]
    with side:
        for _ in range(4):
            x = layer(x) / 256
    layer.half()
    taken = [at.full((256, 256), 9.0) for _ in range(3)]
    assert x.sum().item() == 256 * 256 and view.sum().item() == 512 and layer.weight.dtype == at.float16 and len(taken) == 3


def test_one_network_serves_threads_in_flat_memory() -> None:
    net = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.LSTM(8, 4, bidirectional=True)).eval()
    given = [numbers(5 + place, 3) for place in range(8)]
    expected = [net(x)[0].numpy() for x in given]
    at.npu.synchronize()
    before = at.npu.memory_allocated()

    def serve(place: int) -> bool:
        return all(np.allclose(net(given[place])[0].numpy(), expected[place], atol=1e-6) for _ in range(12))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(serve, range(8)))
    at.npu.synchronize()
    assert at.npu.memory_allocated() <= before


class Dated(nn.Module):
    """Has a state that is no tensor."""

    def __init__(self, date: str) -> None:
        super().__init__()
        self.date = date

    def get_extra_state(self) -> Any:
        return {"date": self.date}

    def set_extra_state(self, state: Any) -> None:
        self.date = state["date"]


def test_extra_states_are_kept_and_loaded() -> None:
    net, other = nn.Sequential(Dated("today"), nn.Linear(1, 1)), nn.Sequential(Dated("never"), nn.Linear(1, 1))
    state = net.state_dict()
    assert list(state) == ["0._extra_state", "1.weight", "1.bias"]
    assert other.load_state_dict(state) == ([], []) and other[0].date == "today"
    assert other.load_state_dict({"1._extra_state": 1}, strict=False) == (["0._extra_state", "1.weight", "1.bias"], ["1._extra_state"])


class Nothing(nn.Module):
    def __len__(self) -> int:
        return 0

    def forward(self, src: Any, **_: Any) -> Any:
        return src


def test_an_encoder_of_ones_own_that_is_empty_is_taken() -> None:
    assert isinstance(nn.Transformer(8, 2, 1, 1, 8, custom_encoder=Nothing()).encoder, Nothing)
