"""What users of PyTorch and NumPy try first: each text says what happened, where, with what, and what to do instead."""

from __future__ import annotations

import math
import operator
import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

import ascendtensor as at
from ascendtensor import absent, errors
from ascendtensor.shapes import MAX_RANK

MISTAKES: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: at.enable_grad(), AttributeError, "no attribute 'enable_grad': there is no autograd"),
    (lambda x: at.set_grad_enabled(True), NotImplementedError, "set_grad_enabled: autograd is not there yet[\\s\\S]*by hand"),
    (lambda x: at.optim.SGD, AttributeError, "no attribute 'optim': there is no autograd.*by hand"),
    (lambda x: at.cuda.is_available(), AttributeError, r"'cuda': the devices are NPUs; ascendtensor\.npu"),
    (lambda x: at.linalg.polar(x), AttributeError, r"'polar': u, s, vh = svd\("),
    (lambda x: at.linalg.matrix_sqrth(x), AttributeError, r"'matrix_sqrth': w, q = eigh\("),
    (lambda x: at.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 255), AttributeError, r"\(x / scale\)\.round\(\)"),
    (lambda x: at.FloatTensor([1.0]), AttributeError, r"'FloatTensor': make tensors with tensor\("),
    (lambda x: at.nn.DataParallel(2), AttributeError, r"'DataParallel': there is no such module; ascendtensor\.nn\.functional"),
    (lambda x: at.Parameter(x), AttributeError, r"'Parameter': use ascendtensor\.nn\.Parameter"),
    (
        lambda x: at.nn.Linear(2, 3).zero_grad(),
        AttributeError,
        r"'Linear' object has no attribute 'zero_grad': there is no autograd.*by hand",
    ),
    (lambda x: x.cuda(), AttributeError, r"'NPUTensor' object has no attribute 'cuda'.*\.npu\(\)"),
    (lambda x: at.Tensor(2, 3), TypeError, r"NPUTensor: the class makes no tensors[\s\S]*empty\(shape\)"),
    (lambda x: x.backward(), NotImplementedError, "backward: autograd is not there yet[\\s\\S]*by hand"),
    (lambda x: x.to("cuda"), RuntimeError, r"to: unknown device 'cuda'\n  operands: float32\[2, 3\][\s\S]*\"npu:0\""),
    (lambda x: x.to("gpu"), RuntimeError, "to: unknown device 'gpu'"),
    (lambda x: x.to("float8"), TypeError, r"to: 'float8' is not a dtype\n  operands: float32[\s\S]*bfloat16"),
    (lambda x: at.ones(2, device=1.5), RuntimeError, r"ones: unknown device 1\.5"),
    (lambda x: x[1.0], IndexError, r"truth values, not float\n"),
    (lambda x: x @ 2, TypeError, r"matmul: tensors are needed[\s\S]*a number is multiplied with \*"),
    (lambda x: at.trace(5), TypeError, r"trace: a tensor is needed, not int\n  Arrays and lists become tensors by tensor\(\)\.$"),
    (lambda x: at.bucketize(x, [1, 2]), TypeError, r"bucketize: an operand of type list [\s\S]*by tensor\(\)"),
    (lambda x: at.exp(1.0), TypeError, r"exp: at least one operand has to be a tensor\n  operands: float 1\.0\n  .*tensor\(\)"),
    (lambda x: at.where(x, 1, 0), TypeError, r"where: .* has dtype float32; it must be bool\n[\s\S]*Convert with \.to\(bool\)"),
    (lambda x: x.to(at.int32).div_(2), TypeError, r"div_: .*can't be cast to the target's int32[\s\S]*x = x / y instead of x /= y"),
    (lambda x: x.add_(at.ones(4, 2, 3)), ValueError, r"add_: the result has shape \[4, 2, 3\][\s\S]*instead of x \+= y"),
    (lambda x: at.add(x, 1, out=at.ones(2, 3, device=1)), RuntimeError, r"npu:1 and npu:0[\s\S]*Move one of them"),
    (lambda x: x.to(at.float16, "npu:1"), TypeError, r"to: .*\(float16, 'npu:1'\)[\s\S]*a device, then a dtype"),
    (lambda x: x.to("npu:0", at.int8, False, False, 1), TypeError, "to: "),
    (lambda x: x.to(True), TypeError, "to: "),
    (lambda x: at.set_default_device("npu:1"), AttributeError, r"'set_default_device': use set_device\("),
    (lambda x: at.tensor({"a": 1}), TypeError, r"tensor: dict can't be taken for an array[\s\S]*list\("),
    (lambda x: at.tensor({1, 2}), TypeError, "tensor: set can't be taken for an array"),
    (lambda x: at.tensor([1.0, None]), TypeError, "tensor: lists of numbers are needed, not of NoneType, float"),
    (lambda x: at.nn.functional.interpolate(x, scale_factor=2), NotImplementedError, r"3 to 5 dimensions.*not of shape \[2, 3\]"),
    (lambda x: at.save({1: x}, "x.npz"), TypeError, "dict with names that are no str"),
    (lambda x: at.save(x, "x"), ValueError, "a name without suffix is no format"),
    (
        lambda x: x.long().__iadd__(0.5),
        TypeError,
        r"add: .*int64\n  operands: int64\[2, 3\] on npu:0, float 0\.5\n  .*x = x \+ y instead of x \+= y\.$",
    ),
    (lambda x: at.save("x.npz", {"x": x}), TypeError, r"save: a path or an open file is needed, not dict\n  .*then the file"),
    (lambda x: at.zeros((2, 3), at.int32), TypeError, r"zeros: a shape is made of integers[\s\S]*dtype=\.\.\."),
    (lambda x: x.reshape(6 / 2, -1), TypeError, r"reshape: integers are needed, not \(3\.0, -1\)"),
    (lambda x: at.zeros(2, size=(2,)), ValueError, r"zeros: the shape is given twice, as 2 and as size=\(2,\)"),
    (lambda x: x.reshape(6, shape=(3, 2)), ValueError, r"reshape: the shape is given twice"),
    (lambda x: x > 0 & x < 3, TypeError, r"bitwise_and: [\s\S]*Comparisons need parentheses: \(x > 0\) & \(x < 1\)"),
    (
        lambda x: at.nn.functional.layer_norm(x, 3),
        TypeError,
        r"must be a tuple of lengths, not the int 3[\s\S]*One length is \(3,\)",
    ),
    (lambda x: at.nn.functional.linear(x, at.ones(3, 4)), ValueError, r"linear: [\s\S]*weight is \[out, in\]"),
    (lambda x: at.nn.functional.cross_entropy(x, at.ones(2)), ValueError, r"cross_entropy: [\s\S]*Numbers of classes are integers"),
    (lambda x: at.nn.utils.clip_grad_norm_, AttributeError, r"'clip_grad_norm_': there is no autograd; write the gradients"),
    (lambda x: at.set_printoptions(precision="high"), TypeError, r"set_printoptions: precision must be an int, not the str 'high'"),
    (lambda x: at.einsum(x, x), ValueError, r"einsum: a tensor is no list of numbers from 0 to 51\n[\s\S]*First the equation"),
    (lambda x: at.Size((2, 3)), AttributeError, r"'Size': shapes are tuples"),
    (lambda x: at.array([1.0]), AttributeError, r"'array': use tensor\("),
    (lambda x: at.interp, AttributeError, r"'interp': numpy\.interp takes tensors"),
    (lambda x: at.device("npu", 7), RuntimeError, r"device number 7 is out of range"),
    (lambda x: at.device("npu:0", 1), RuntimeError, r"device: the number is given twice, in 'npu:0' and as 1"),
    (lambda x: at.device("cuda", 0), RuntimeError, r"unknown device 'cuda'"),
    (lambda x: at.cross_entropy, AttributeError, r"'cross_entropy': use ascendtensor\.nn\.functional\.cross_entropy$"),
    (lambda x: at.rfft, AttributeError, r"'rfft': use ascendtensor\.fft\.rfft$"),
    (lambda x: at.nms, AttributeError, r"'nms': use ascendtensor\.vision\.nms$"),
    (lambda x: x.mse_loss(x), AttributeError, r"'mse_loss': use ascendtensor\.nn\.functional\.mse_loss$"),
    (lambda x: x.eigvals(), AttributeError, r"'eigvals': use ascendtensor\.linalg\.eigvals$"),
    (lambda x: x.linspace(), AttributeError, r"'linspace': use ascendtensor\.linspace$"),
    (lambda x: at.vmap, AttributeError, r"'vmap': functions take batches themselves"),
    (lambda x: at.func.grad, AttributeError, r"'func': there is no autograd"),
    (lambda x: at.autocast("npu"), AttributeError, r"'autocast': dtypes change where you say so, by \.to\(float16\)"),
    (lambda x: at.distributed, AttributeError, r"'distributed': a process works with the devices"),
    (lambda x: x.pin_memory(), AttributeError, r"'pin_memory': there are no tensors on the host"),
    (lambda x: x.__array_interface__, AttributeError, r"'__array_interface__': use numpy\(\)"),
    (lambda x: x.cpu().cuda(), AttributeError, r"'HostArray' object has no attribute 'cuda': .*\.npu\(\)"),
    (lambda x: x.to("torch.float16"), TypeError, r"'torch.float16' is not a dtype[\s\S]*It is ascendtensor\.float16 here"),
    (lambda x: at.stack([x, Decimal(1)]), TypeError, r"stack: tensors must hold tensors, not decimal\.Decimal"),
    (lambda x: at.randint(10), ValueError, r"randint: no shape is given\n  Write randint\(10, \(2, 3\)\)"),
    (lambda x: at.conv1d(x.to(at.uint8), x[None]), TypeError, r"conv1d: [\s\S]*one dtype[\s\S]*\n  Cast one of them first, such as"),
    (lambda x: x.index_add(0, at.tensor([0]), at.ones(1, 3).half()), TypeError, r"index_add: [\s\S]*\n  Cast one of them first"),
    (lambda x: setattr(x, "grad", x), NotImplementedError, r"grad: autograd is not there yet"),
    (lambda x: at.fill_(x, 1), AttributeError, r"'fill_': it is a method, x\.fill_$"),
    (lambda x: at.permute_copy(x, (1, 0)), AttributeError, r"'permute_copy': use x\.permute\(\.\.\.\)\.clone\(\)$"),
    (lambda x: at.OutOfMemoryError, AttributeError, r"'OutOfMemoryError': see ascendtensor\.errors: OutOfDeviceMemoryError"),
    (lambda x: x.to(memory_format=at.channels_last), AttributeError, r"'channels_last': tensors are row-major; leave it away$"),
    (lambda x: x.is_sparse_csr, AttributeError, r"'is_sparse_csr': there are dense tensors only$"),
    (lambda x: x.set_(x), AttributeError, r"'set_': views share memory"),
    (lambda x: at.npu.set_default_device(1), AttributeError, r"'set_default_device': use set_device\("),
    (lambda x: x.sum(dim=[[0], [1]]), TypeError, r"sum: dim must be an int or several ints or None, not list\n  operands: float32\[2, 3\]"),
    (lambda x: x.cumsum({}), TypeError, r"cumsum: dim must be an int[^:]*, not dict"),
    (lambda x: at.roll(x, 1.5), TypeError, r"roll: an argument does not fit \(shifts=float 1\.5\): 'float'"),
    (lambda x: x.tile([1.5, 2]), TypeError, r"tile: dims must be an int or several ints, not list"),
    (lambda x: at.cat(5), TypeError, r"cat: tensors must be several tensors, not the int 5"),
    (lambda x: at.meshgrid(5), TypeError, r"meshgrid: tensors must be several tensors, not the int 5"),
    (lambda x: at.quantile(x, at.tensor([[0.5]])), ValueError, r"quantile: q has to be a number or a vector, not of shape \[1, 1\]"),
    (lambda x: at.bincount(at.tensor([1 << 40])), ValueError, r"bincount: the largest number is 1099511627776.* 2\*\*31 - 1"),
    (lambda x: at.add(x, x, out=at.ones(3)), ValueError, r"add: the result has shape \[2, 3\][\s\S]*Give an out of that shape, or none\.$"),
    (
        lambda x: at.sum(x, 0, out=at.ones(3).long()),
        TypeError,
        r"sum: the result has dtype float32[\s\S]*Give an out of float32, or none\.$",
    ),
    (lambda x: at.std(x, 0, out=at.ones(4)), ValueError, r"std: the result has shape \[3\][\s\S]*Give an out of that shape, or none\.$"),
    (
        lambda x: x.long().exp_(),
        TypeError,
        r"exp_: the result has dtype float32[\s\S]*The form without the underscore makes a new tensor\.$",
    ),
    (lambda x: x.__imatmul__(x.T), ValueError, r"matmul: [\s\S]*x = x @ y instead of x @= y\.$"),
    (lambda x: x.long().t()[::2].__ifloordiv__(0.5), TypeError, r"operands: int64\[2, 2\] on npu:0, float 0.5\n.* x = x // y"),
    (lambda x: x.__delitem__(0), TypeError, r"del: elements of a tensor can't be deleted\n  operands: float32\[2, 3\][\s\S]*cat\(\)"),
    (lambda x: x.squeeze(axis=1.5), TypeError, r"squeeze: axis must be an int or several ints or None, not the float 1\.5"),
    (lambda x: x.is_same_size([1]), TypeError, r"is_same_size: other must be a tensor, not list"),
    (lambda x: x.is_set_to(3), TypeError, r"is_set_to: tensor must be a tensor, not the int 3"),
    (lambda x: x.transpose("npu:0"), TypeError, r"transpose: axes must be an int or several ints, not the str 'npu:0'"),
    (lambda x: x.choose(5), TypeError, r"choose: choices must be several tensors, not the int 5"),
    (
        lambda x: at.ones(1).expand(1 << 40).sum(),
        MemoryError,
        r"sum: out of device memory[^\n]*\n  operands: float32\[1099511627776\] on npu:0\n",
    ),
    (lambda x: -(x > 0), TypeError, r"neg: bool [\s\S]*~x or logical_not\(x\)"),
    (lambda x: (x > 0) - (x > 1), TypeError, r"sub: bool [\s\S]*\^, logical_xor\(\)"),
]


@pytest.mark.parametrize(("mistake", "error", "text"), MISTAKES, ids=[text[:30] for _, _, text in MISTAKES])
def test_the_text_says_what_to_do(mistake: Callable[[Any], Any], error: type[Exception], text: str) -> None:
    x = at.ones(2, 3)
    with pytest.raises(error, match=text):
        mistake(x)
    assert x.sum().item() == 6.0


def test_names_that_are_not_there_are_pythons_own_errors() -> None:
    x = at.ones(2)
    assert not hasattr(at, "optim") and not hasattr(at.nn, "DataParallel") and not hasattr(x, "cuda")
    assert getattr(x, "grad_fn", None) is None
    x.grad = None  # as loops for training have it
    for owner, name in ((at, "summ"), (at.nn, "functionl"), (x, "reshap")):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'$") as caught:
            getattr(owner, name)
        assert caught.value.name == name and caught.value.obj is owner, "for Python's own suggestions"
    assert pickle.loads(pickle.dumps(x)).tolist() == [1.0, 1.0]


def test_lengths_and_dims_by_name_as_in_pytorch() -> None:
    for make in (at.empty, at.zeros, at.ones, at.rand, at.randn):
        assert make(size=(2, 3)).shape == (2, 3) and make(size=[4], dtype=at.float16).shape == (4,)
    x = at.arange(6).reshape(shape=(2, 3))
    for made in (x.new_empty(size=(2,)), x.new_zeros(size=(2,)), x.new_ones(size=(2,))):
        assert made.shape == (2,) and made.dtype is at.int64
    assert at.reshape(x, shape=(3, 2)).tolist() == x.view(size=(3, 2)).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert at.permute(x, dims=(1, 0)).tolist() == x.permute(dims=(1, 0)).tolist() == [[0, 3], [1, 4], [2, 5]]
    assert x.expand(size=(4, 2, 3)).shape == (4, 2, 3)
    assert x.repeat(repeats=(2, 1)).tolist() == x.tile(dims=(2, 1)).tolist() == x.tolist() * 2


def test_constants_and_devices_as_pytorch_has_them() -> None:
    assert (at.pi, at.e, at.inf, at.newaxis) == (math.pi, math.e, math.inf, None) and math.isnan(at.nan)
    assert at.device("npu", 1) is at.device("npu:1") is at.device(type="npu", index=1) and at.device("npu", 0).index == 0


def test_an_error_of_queued_work_counts_launches_that_follow_each_other() -> None:
    at.synchronize()
    x = at.ones(2)
    for _ in range(3):
        x + 1
    at.gather(at.arange(3), 0, at.tensor([7]))
    with pytest.raises(at.AclError, match=r"Launched before it: (Fill, )?Add \(3 times\), Range, GatherElements\."):
        at.synchronize()


def test_lists_of_unsigned_integers_beyond_int64() -> None:
    assert at.tensor([2**64 - 1, 0], dtype=at.uint64).tolist() == [2**64 - 1, 0]
    assert at.tensor([[2**63, 1]], dtype=at.float64).tolist() == [[2.0**63, 1.0]]
    for dtype, most in ((None, "int64"), (at.uint64, "uint64")):
        with pytest.raises(ValueError, match=f"{most} does not hold all"):
            at.tensor([2**64, 0], dtype=dtype)


def test_what_another_library_does_not_turn_into_an_array_comes_with_advice() -> None:
    class Foreign:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise TypeError("Got unsupported ScalarType BFloat16")

    with pytest.raises(TypeError, match=r"tensor: Foreign can't be taken for an array: Got unsupported[\s\S]*NumPy array"):
        at.tensor(Foreign())


def test_a_generator_that_is_none_is_not_asked_to_become_a_tensor() -> None:
    with pytest.raises(TypeError, match="generator can't be the int 5") as caught:
        at.rand(2, generator=5)
    assert "tensor()" not in str(caught.value)


def test_a_name_that_is_asked_for_again_is_not_looked_for_again() -> None:
    x = at.ones(2)
    assert not hasattr(x, "pinv") and not hasattr(x, "frobnicate")
    before = absent.about_tensors.cache_info().misses
    assert not hasattr(x, "pinv") and not hasattr(at.zeros(3), "frobnicate")
    assert absent.about_tensors.cache_info().misses == before
    with pytest.raises(AttributeError, match=r"'NPUTensor' object has no attribute 'pinv': use ascendtensor\.linalg\.pinv$"):
        x.pinv()


def test_what_is_advised_is_there() -> None:
    texts = [*absent.IN_MODULES.values(), *absent.IN_TENSORS.values(), *absent.IN_NETWORKS.values(), *absent.IN_ARRAYS.values()]
    paths = {path for text in texts for path in re.findall(r"ascendtensor\.([\w.]*\w)", text)}
    assert {"random.fork_rng", "npu", "testing"} <= paths
    for path in sorted(paths - {"testing"}):  # a plugin, which is imported by its name
        operator.attrgetter(path)(at)


@pytest.mark.parametrize("name", ["linalg", "fft", "special", "random", "nn.functional"])
def test_a_name_of_a_namespace_is_never_said_to_be_nowhere(name: str) -> None:
    for each in operator.attrgetter(name)(at).__all__:
        advice = absent.IN_MODULES.get(each, "")
        assert not advice or hasattr(at, each) or f"{name}.{each}" in advice, each


def lists_that_hold_themselves() -> list[Any]:
    one: list[Any] = [1.0]
    one.append(one)
    twice: list[Any] = []
    twice += [twice, twice]
    ring: list[Any] = [[]]
    ring[0].append(ring)
    deep: Any = 1.0
    for _ in range(5000):
        deep = [deep]
    return [one, twice, ring, deep]


@pytest.mark.parametrize("which", range(4))
def test_lists_that_hold_themselves(which: int) -> None:
    data = lists_that_hold_themselves()[which]
    x = at.zeros(2)
    for take in (at.tensor, at.as_tensor, at.asarray, x.new_tensor):
        with pytest.raises(errors.ShapeError, match="at most so many dimensions"):
            take(data)


def test_lists_may_be_nested_as_deep_as_a_tensor_has_dimensions() -> None:
    deep: Any = 1.0
    for _ in range(MAX_RANK):
        deep = [deep]
    assert at.tensor(deep).shape == (1,) * MAX_RANK
    with pytest.raises(errors.ShapeError):
        at.tensor([deep])


@pytest.mark.parametrize("shape", [(2**31, 2**31, 2**31), (2**61 + 1, 8), (2**62,)])
@pytest.mark.parametrize("make", [at.empty, at.zeros, at.rand, lambda *shape: at.ones(1).expand(*shape).contiguous()])
def test_more_bytes_than_any_address_has_are_no_memory_left(make: Callable[..., Any], shape: tuple[int, ...]) -> None:
    """pyACL takes sizes modulo 2**64: a block of a few bytes would be the memory of a huge tensor (RT-29)."""
    with pytest.raises(at.OutOfDeviceMemoryError, match=r"asked for \d+\.\d TiB"):
        make(*shape)
    assert at.ones(2).tolist() == [1.0, 1.0]
