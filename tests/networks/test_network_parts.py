"""What prepares networks, or surrounds them, gives PyTorch's numbers, names and texts: they are in the data, as PyTorch 2.13 gave them."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import network_parts
import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import nn
from ascendtensor.nn.utils import parametrizations, parametrize, rnn

FOUND = json.loads(network_parts.DATA.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", network_parts.PARTS)
def test_parts_give_what_pytorchs_do(name: str) -> None:
    close(network_parts.plain(network_parts.PARTS[name](at)), FOUND[name], name)


def close(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, dict):
        assert found["shape"] == expected["shape"], where
        np.testing.assert_allclose(found["values"], expected["values"], rtol=2e-4, atol=2e-5, err_msg=where)
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
            close(ours, theirs, f"{where}, {place}")
    else:
        assert found == expected, where


def test_every_recorded_part_is_tried() -> None:
    assert set(FOUND) == set(network_parts.PARTS)


@pytest.mark.parametrize("dtype", [at.float16, at.bfloat16, at.float64], ids=str)
def test_packed_sequences_of_every_dtype_end_where_each_ends(dtype: Any) -> None:
    net, parts = nn.LSTM(3, 4, bidirectional=True, dtype=dtype), [at.tensor(network_parts.numbers(n, 3)).to(dtype) for n in (2, 5, 1)]
    output, (hidden, memory) = net(rnn.pack_sequence(parts, enforce_sorted=False))
    for place, (part, outputs) in enumerate(zip(parts, rnn.unpack_sequence(output), strict=True)):
        alone, (last, kept) = net(part)
        for ours, theirs in ((outputs, alone), (hidden[:, place], last), (memory[:, place], kept)):
            tolerance = 1e-12 if dtype is at.float64 else 2e-2
            np.testing.assert_allclose(ours.double().numpy(), theirs.double().numpy(), rtol=tolerance, atol=tolerance)


def test_a_packed_sequence_keeps_its_parts_together() -> None:
    packed = rnn.pack_sequence([at.ones(1, 2), at.ones(3, 2)], enforce_sorted=False)
    assert isinstance(packed, rnn.PackedSequence) and packed.to(at.float16).data.dtype is at.float16
    moved = packed.npu(1)
    assert moved.data.device == moved.sorted_indices.device == at.Device("npu:1") and moved.batch_sizes.tolist() == [2, 1, 1]
    output, hidden = nn.GRU(2, 3, device="npu:1")(moved)
    assert output.data.device == hidden.device == at.Device("npu:1") and output.unsorted_indices is moved.unsorted_indices


def test_weights_of_other_modules_stay() -> None:
    net = parametrizations.weight_norm(nn.Linear(2, 3))
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert repr(twin) == repr(net)
        twin.weight = at.zeros(3, 2) + 1
        np.testing.assert_allclose(twin.weight.numpy(), 1, rtol=1e-6)
    assert not np.allclose(net.weight.numpy(), 1)
    hooked = nn.utils.weight_norm(nn.Linear(2, 3))
    twin = copy.deepcopy(hooked)
    nn.utils.remove_weight_norm(twin)
    assert list(hooked.state_dict()) == ["bias", "weight_g", "weight_v"] and list(twin.state_dict()) == ["bias", "weight"]


def test_lazy_modules_go_where_they_are_sent_and_keep_hooks() -> None:
    net = nn.Sequential(nn.LazyConv1d(6, 3), nn.LazyBatchNorm1d(), nn.LazyLinear(2)).to("npu:1", at.float16).eval()
    seen: list[str] = []
    net[2].register_forward_hook(lambda module, args, output: seen.append(type(module).__name__))
    copied = copy.deepcopy(net)
    assert net(at.ones(2, 4, 9, device=1, dtype=at.float16)).dtype is at.float16 and seen == ["Linear"]
    assert {each.device for each in net.parameters()} == {at.Device("npu:1")} and not net[1].training
    assert repr(copied[0]) == "LazyConv1d(0, 6, kernel_size=(3,), stride=(1,))"


def test_threads_that_come_first_together_get_one_module() -> None:
    for _ in range(5):
        net, x = nn.LazyLinear(8), at.ones(2, 5)
        with ThreadPoolExecutor(4) as pool:
            outputs = [each.numpy() for each in pool.map(lambda _, net=net, x=x: net(x), range(8))]
        assert type(net) is nn.Linear
        for each in outputs:
            np.testing.assert_array_equal(each, outputs[0])


def test_a_parametrised_module_keeps_members_of_every_name() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.plain, self.weight, self.weight_v = nn.Linear(2, 2), nn.Parameter(at.ones(3, 2)), nn.Parameter(at.ones(3))

    for norm in (parametrizations.spectral_norm, parametrizations.weight_norm):
        net = norm(Net())
        assert type(net.plain) is nn.Linear and net.weight_v.shape == (3,)
        net.load_state_dict({name: value * 2 for name, value in net.state_dict().items()})
        assert net.weight_v.tolist() == [2.0] * 3


def test_norms_are_put_on_each_other_and_on_buffers() -> None:
    net = parametrizations.spectral_norm(parametrizations.weight_norm(nn.Linear(4, 3)), n_power_iterations=50)
    kept = ["original0", "original1", "1._u", "1._v"]
    assert list(net.state_dict()) == ["bias", *(f"parametrizations.weight.{name}" for name in kept)]
    np.testing.assert_allclose(np.linalg.norm(net.weight.numpy(), 2), 1, rtol=1e-3)
    holder = nn.Module()
    holder.register_buffer("table", at.tensor(network_parts.numbers(3, 4)))
    assert next(name for name, _ in parametrizations.spectral_norm(holder, "table").named_buffers()) == "parametrizations.table.original"


def test_a_weight_is_what_it_was_until_the_first_forward() -> None:
    for norm in (nn.utils.weight_norm, nn.utils.spectral_norm):
        layer = nn.Linear(2, 3)
        before = layer.weight.numpy()
        np.testing.assert_allclose(norm(layer).weight.numpy(), before, rtol=1e-6)
    nn.init.constant_(layer.weight, 2.0)  # of a spectral norm it is the memory of weight_orig, as in PyTorch
    assert layer.weight_orig.tolist() == [[2.0, 2.0]] * 3


def test_padded_sequences_may_be_empty() -> None:
    parts = [at.ones(3, 2), at.ones(0, 2)]
    assert [each.shape for each in rnn.unpad_sequence(rnn.pad_sequence(parts), [3, 0])] == [(3, 2), (0, 2)]


ARRAY = np.ones((2, 3, 4), np.float32)
OF_TENSORS: list[Callable[[], Any]] = [
    lambda: nn.BatchNorm1d(3)(ARRAY),
    lambda: nn.InstanceNorm1d(3)(ARRAY),
    lambda: nn.Softmax2d()(ARRAY),
    lambda: nn.GRU(4, 2)(ARRAY),
    lambda: nn.LSTMCell(4, 2)(ARRAY[0]),
    lambda: nn.LazyLinear(3)(ARRAY),
    lambda: nn.LazyConv1d(3, 1)(ARRAY),
    lambda: nn.LazyBatchNorm1d()(ARRAY),
    lambda: nn.LazyInstanceNorm1d()(ARRAY),
    lambda: nn.Linear(4, 2)(ARRAY),
    lambda: nn.ConvTranspose1d(3, 2, 1)(ARRAY, [4]),
    lambda: nn.MultiheadAttention(4, 1, batch_first=True)(ARRAY, ARRAY, ARRAY),
]


@pytest.mark.parametrize("place", range(len(OF_TENSORS)))
def test_modules_say_that_an_array_is_no_tensor(place: int) -> None:
    with pytest.raises(TypeError, match=r"must be a tensor, not ndarray[\s\S]*Make one of host data"):
        OF_TENSORS[place]()


REFUSED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: rnn.pack_padded_sequence(at.ones(3, 2), [1, 2]), ValueError, r"lengths must fall .*\[1, 2\]\n[\s\S]*enforce_sorted=False"),
    (lambda: rnn.pack_padded_sequence(at.ones(3, 2), [4, 2]), ValueError, "2 lengths up to 4 do not fit 2 sequences of 3 steps"),
    (lambda: rnn.pack_padded_sequence(at.ones(3, 2), [3]), ValueError, "1 lengths up to 3 do not fit 2 sequences"),
    (lambda: rnn.pack_padded_sequence(at.ones(3, 2), [2, 0]), ValueError, "lengths must be positive, the least is 0"),
    (lambda: rnn.pack_padded_sequence(at.ones(3, 2), [2.0, 1.0]), TypeError, "lengths must be a vector of integers"),
    (lambda: rnn.pack_padded_sequence(at.ones(3), [3]), ValueError, "2 dims at least"),
    (lambda: rnn.pad_sequence([at.ones(2, 3), at.ones(3, 2)]), ValueError, "the same lengths behind the first"),
    (lambda: rnn.pad_sequence([]), ValueError, "one sequence at least"),
    (lambda: rnn.pad_sequence([[1, 2]]), TypeError, "pad_sequence: tensors are needed, not list"),
    (lambda: rnn.pad_sequence([at.ones(1)], padding_side="top"), ValueError, "padding_side must be"),
    (lambda: rnn.pad_packed_sequence(at.ones(3)), TypeError, "a PackedSequence is needed, not NPUTensor"),
    (
        lambda: rnn.pad_packed_sequence(rnn.pack_sequence([at.ones(3)]), total_length=2),
        ValueError,
        "total_length=2 is less than the 3 steps",
    ),
    (lambda: rnn.unpad_sequence(at.ones(3, 2), [4, 1]), ValueError, "2 lengths up to 4 do not fit"),
    (lambda: nn.GRU(3, 4)(rnn.PackedSequence(at.ones(3, 3), [1, 2])), ValueError, "batch_sizes must fall"),
    (lambda: nn.GRU(3, 4)(rnn.pack_sequence([at.ones(3, 2)])), ValueError, "GRU: the last length must be input_size=3"),
    (lambda: nn.GRU(3, 4, proj_size=2), ValueError, "proj_size is there for LSTM only"),
    (
        lambda: at.lstm(at.ones(2, 1, 3), (at.ones(1, 1, 2), at.ones(1, 1, 4)), [at.ones(16, 3)] * 4, True, 1, 0.0, False, False, False),
        ValueError,
        "5 parameters are needed, not 4",
    ),
    (lambda: nn.utils.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1)), RuntimeError, r"eval\(\) of both"),
    (
        lambda: nn.utils.fuse_conv_bn_eval(nn.Conv2d(1, 1, 1).eval(), nn.BatchNorm2d(1, 0, None, True, False).eval()),
        RuntimeError,
        "no stat",
    ),
    (
        lambda: nn.utils.fuse_linear_bn_eval(nn.Linear(2, 1).eval(), nn.BatchNorm1d(3).eval()),
        RuntimeError,
        "fuse_linear_bn_eval: 1 features are no 3 channels",
    ),
    (lambda: nn.utils.fuse_linear_bn_eval(nn.Linear(2, 3).eval(), nn.BatchNorm1d(4).eval()), RuntimeError, "3 features are no 4 channels"),
    (lambda: nn.utils.weight_norm(nn.utils.weight_norm(nn.Linear(2, 2))), RuntimeError, "'weight' of Linear is computed by a hook already"),
    (lambda: nn.utils.weight_norm(nn.LazyLinear(2)), RuntimeError, "weight_norm: LazyLinear does not know its features yet"),
    (lambda: parametrizations.weight_norm(nn.LazyLinear(2)), RuntimeError, "LazyLinear does not know its features yet"),
    (lambda: parametrizations.spectral_norm(nn.LazyConv1d(2, 1)), RuntimeError, "LazyConv1d does not know its features yet"),
    (lambda: nn.utils.remove_weight_norm(nn.Linear(1, 1)), RuntimeError, "'weight' of Linear has no weight_norm"),
    (lambda: nn.utils.weight_norm(nn.Linear(2, 2), "wieght"), RuntimeError, "Linear has no parameter 'wieght'"),
    (lambda: nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0), ValueError, "n_power_iterations must be positive"),
    (lambda: nn.utils.vector_to_parameters(at.ones(3), nn.Linear(1, 1).parameters()), ValueError, "a vector of the 2 elements"),
    (lambda: nn.utils.parameters_to_vector([]), ValueError, "one parameter at least"),
    (lambda: parametrize.register_parametrization(nn.Linear(2, 2), "weight", nn.Linear(2, 3)), ValueError, r"shape \[2, 3\] of one of"),
    (lambda: parametrize.register_parametrization(nn.Linear(2, 2), "width", nn.Identity()), RuntimeError, "no parameter or buffer 'width'"),
    (lambda: parametrize.remove_parametrizations(nn.Linear(2, 2), "weight"), RuntimeError, "is not parametrised"),
    (lambda: nn.LazyConv2d(6, 3)(at.ones(3)), ValueError, "LazyConv2d: 3 or 4 dims are needed, not 1"),
    (lambda: nn.LazyConv2d(6), TypeError, "kernel_size"),
]


@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_what_does_not_fit_is_told(place: int) -> None:
    call, kind, text = REFUSED[place]
    with pytest.raises(kind, match=text):
        call()
