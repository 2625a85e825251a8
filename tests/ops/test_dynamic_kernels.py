"""`custom.dynamic_kernel`: pyACL's flow of kernels with dynamic tiling, on tensors (TIK-1 to TIK-10)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import custom, simulator
from ascendtensor.simulator.engine import custom as registered

HANDLE = pytest.mark.parametrize("handle", [True, False], ids=["handle", "execute_v2"])


def scale(launch: simulator.KernelLaunch) -> None:
    """y = factor * x for the number of elements that the tiling says."""
    count, factor = struct.unpack("<If", launch.tiling)
    x, y = launch.inputs[0], launch.outputs[0]
    assert x is not None and x.size == count
    np.multiply(x, np.float32(factor), y)


def add(launch: simulator.KernelLaunch) -> None:
    """y = x + the other inputs that are there, and how it was launched."""
    total = sum(each for each in launch.inputs if each is not None)
    launch.outputs[0][...] = total
    launch.outputs[1][...] = [launch.block_dim, *(each.size for each in launch.workspaces)]


def broken(launch: simulator.KernelLaunch) -> None:
    raise ValueError("the kernel broke")


FUNCTIONS = {"test_scale": scale, "test_add": add, "test_broken": broken}


@pytest.fixture(autouse=True)
def functions(new_process: None) -> Iterator[None]:
    for name, function in FUNCTIONS.items():
        simulator.register_kernel(name, function)
    yield
    for name in FUNCTIONS:
        registered._KERNELS.pop(name, None)
    custom.kernels._flow.dispatchers.clear()
    custom.kernels._flow.created.clear()
    custom.kernels._flow.ready.clear()


def kernel(name: str) -> custom.Kernel:
    return custom.Kernel(simulator.kernel_binary(name), name)


class Chooser:
    """A `select` that counts its calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __call__(self, inputs: list[Any], outputs: list[Any], attrs: dict[str, Any]) -> custom.Launch:
        self.calls.append((inputs, outputs, attrs))
        return custom.Launch("any", 8, struct.pack("<If", int(np.prod(inputs[0].shape)), attrs["factor"]))


def scaled(chooser: Any, handle: bool = True, name: str = "test_scale", op_type: str = "ScaleBy") -> custom.DynamicKernel:
    return custom.dynamic_kernel(op_type, attrs={"factor": 2.0}, kernels={"any": kernel(name)}, select=chooser, handle=handle)


@HANDLE
def test_the_flow(handle: bool) -> None:  # TIK-1, TIK-8, TIK-9
    chooser = Chooser()
    by = scaled(chooser, handle)
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for _ in range(3):
        assert np.array_equal(by(at.from_numpy(x)).numpy(), 2 * x)
    operand = custom.Operand((3, 4), at.float32)
    assert chooser.calls == [([operand], [operand], {"factor": 2.0})]  # once for a combination
    assert np.array_equal(by(at.from_numpy(x[:2])).numpy(), 2 * x[:2])  # another shape
    assert np.array_equal(by(at.from_numpy(x), factor=0.5).numpy(), 0.5 * x)  # another attribute
    assert len(chooser.calls) == 3
    assert np.array_equal(by(at.from_numpy(x)).numpy(), 2 * x)
    assert len(chooser.calls) == 3
    assert repr(by) == "<kernel ScaleBy(x)>"


@HANDLE
def test_views_streams_and_nothing(handle: bool) -> None:
    by = scaled(Chooser(), handle)
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    tensor = at.from_numpy(x)
    with at.Stream():
        result = by(tensor[1:, ::2].T)
    assert np.array_equal((result + 1).numpy(), 2 * x[1:, ::2].T + 1)
    assert by(tensor[:0]).shape == (0, 6)


@HANDLE
def test_optional_inputs_several_outputs_and_workspaces(handle: bool) -> None:  # TIK-7
    def choose(inputs: list[Any], outputs: list[Any], attrs: dict[str, Any]) -> custom.Launch:
        return custom.Launch("add", block_dim=len([each for each in inputs if each]), workspaces=(64, 128))

    adds = custom.dynamic_kernel(
        "AddSome",
        ["x", "bias?", "z?"],
        ["y", "how"],
        kernels={"add": kernel("test_add"), "other": kernel("test_broken")},
        select=choose,
        shape=lambda x, *rest: [x, (3,)],
        dtype=lambda x, *rest: [x, at.int32],
        handle=handle,
    )
    x, z = at.ones(2, 3), at.full((2, 3), 5.0)
    y, how = adds(x, None, z)
    assert y.tolist() == [[6.0] * 3] * 2 and how.tolist() == [2, 64, 128]
    y, how = adds(x)
    assert y.tolist() == [[1.0] * 3] * 2 and how.tolist() == [1, 64, 128]


@HANDLE
def test_what_select_raises_reaches_the_caller(handle: bool) -> None:  # TIK-5: pyACL swallows it
    def choose(inputs: list[Any], outputs: list[Any], attrs: dict[str, Any]) -> custom.Launch:
        raise KeyError("no tiling for this")

    by = scaled(choose, handle)
    with pytest.raises(KeyError, match="no tiling for this"):
        by(at.ones(3))
    good = scaled(Chooser(), handle)  # the same operator type again
    assert good(at.ones(3)).tolist() == [2.0] * 3


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (None, at.DTypeError, "select must answer a custom.Launch with tiling bytes, not None"),
        (custom.Launch("any", tiling="x"), at.DTypeError, "must answer a custom.Launch with tiling bytes"),  # type: ignore[arg-type]
        (custom.Launch("fast"), at.ValueRangeError, "select chose the kernel 'fast'; there are 'any'"),  # TIK-4
        (custom.Launch("any", 0), at.ValueRangeError, "block_dim 0"),
        (custom.Launch("any", 1, workspaces=[1] * 17), at.ValueRangeError, "at most 16 workspaces"),  # TIK-7
        (custom.Launch("any", 1, workspaces=[-1]), at.ValueRangeError, "at most 16 workspaces"),
    ],
)
def test_wrong_answers_of_select_are_refused(answer: Any, error: type[Exception], text: str) -> None:
    by = scaled(lambda *_: answer)
    with pytest.raises(error) as caught:
        by(at.ones(3))
    assert text in str(caught.value)


@HANDLE
def test_a_kernel_that_fails_shows_at_the_next_synchronising_call(handle: bool) -> None:  # OP-18
    by = scaled(Chooser(), handle, "test_broken")
    result = by(at.ones(3))
    with pytest.raises(at.AclError, match=r"(?s)the kernel broke.*Launched before it: .*ScaleBy"):
        result.cpu()


@HANDLE
def test_another_binary_under_the_same_names_is_used(handle: bool) -> None:  # TIK-3: pyACL itself keeps the first
    assert scaled(Chooser(), handle)(at.ones(2)).tolist() == [2.0, 2.0]

    def tenfold(launch: simulator.KernelLaunch) -> None:
        np.multiply(launch.inputs[0], np.float32(10), launch.outputs[0])

    simulator.register_kernel("test_tenfold", tenfold)
    try:
        by = scaled(Chooser(), handle, "test_tenfold")
        assert by(at.ones(3)).tolist() == [10.0] * 3
    finally:
        registered._KERNELS.pop("test_tenfold", None)


@HANDLE
def test_it_works_after_a_shutdown(handle: bool) -> None:
    by = scaled(Chooser(), handle)
    assert by(at.ones(2)).tolist() == [2.0, 2.0]
    at.shutdown()
    assert by(at.ones(2)).tolist() == [2.0, 2.0]  # pyACL has the kernels still, which is no error (TIK-2, TIK-3)


def test_prepared_parameters_that_went_are_prepared_again(new_process: None) -> None:  # OM-12
    chooser = Chooser()
    by = scaled(chooser, handle=False)
    at.init()
    assert simulator.op.set_max_op_queue_num(2) == 0
    for size in (2, 3, 4, 5, 2):
        assert by(at.ones(size)).tolist() == [2.0] * size
    assert len(chooser.calls) == 5


def test_somebody_elses_compile_function_is_left_alone() -> None:  # K126
    at.init()
    assert simulator.op.register_compile_func("Taken", print) == 0
    with pytest.raises(at.AclError) as caught:
        scaled(Chooser(), op_type="Taken")(at.ones(2))
    assert caught.value.code == 100030


def test_a_binary_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "test_scale.o"
    path.write_bytes(simulator.kernel_binary("test_scale"))
    given = custom.Kernel(path, engine="vector")
    assert repr(given).startswith("<Kernel test_scale of ")
    by = custom.dynamic_kernel("ScaleBy", attrs={"factor": 3.0}, kernels={"any": given}, select=Chooser())
    assert by(at.ones(2)).tolist() == [3.0, 3.0]


def test_a_kernel_that_the_simulator_does_not_know() -> None:
    by = custom.dynamic_kernel("ScaleBy", attrs={"factor": 3.0}, kernels={"any": kernel("test_nobody")}, select=Chooser())
    with pytest.raises(at.AclError, match="no Python function is registered for kernel"):
        by(at.ones(2))


def test_wrong_arguments() -> None:
    binary = simulator.kernel_binary("test_scale")
    with pytest.raises(at.ValueRangeError, match="engine must be 'aicore' or 'vector', not the str 'sys'"):  # K128
        custom.Kernel(binary, "x", engine="sys")
    with pytest.raises(at.ValueRangeError, match="needs its name"):
        custom.Kernel(binary)
    with pytest.raises(FileNotFoundError):
        custom.Kernel("nowhere.o")
    with pytest.raises(at.DTypeError, match=r"must be a custom\.Kernel, not the bytes"):
        custom.dynamic_kernel("X", kernels={"any": binary}, select=print)  # type: ignore[dict-item, arg-type]
    with pytest.raises(at.ValueRangeError, match="at least one kernel"):
        custom.dynamic_kernel("X", kernels={}, select=print)  # type: ignore[arg-type]
    by = scaled(Chooser())
    with pytest.raises(at.DTypeError, match="is no tensor"):
        by([1.0])
    with pytest.raises(at.ValueRangeError, match="has no attribute other"):
        by(at.ones(2), other=1)
