"""From a description to numbers: compile, load, match, execute, through the binding and the simulator."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ascendtensor import errors, simulator
from ascendtensor.acl import binding, module
from ascendtensor.codes import DataType, MemcpyKind
from ascendtensor.compiler import Attribute, Description, ModelStore, TensorDescription, choose_compiler
from ascendtensor.compiler.description import ABSENT


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("_acl", "_rt", "_op", "_util", "_logged"):
        monkeypatch.setattr(binding, name, getattr(binding, name))
    simulator.new_process()
    binding.use(simulator)
    assert binding.init()
    binding.set_device(0)
    yield
    binding.reset_device(0)
    binding.finalize()
    simulator.new_process()


def describe(tensor: TensorDescription, shape: tuple[int, ...] | None = None) -> int:
    handle = binding.create_tensor_desc(int(tensor.dtype), list(shape or tensor.shape), int(tensor.format))
    if tensor.const is not None:
        binding.set_tensor_const(handle, binding.bytes_to_ptr(tensor.const), len(tensor.const))
    return handle


def attributes(description: Description) -> int:
    handle = binding.create_attr()
    for attr in description.attrs:
        value = list(attr.value) if isinstance(attr.value, tuple) else attr.value
        getattr(binding, f"set_attr_{attr.kind}")(handle, attr.name, value)
    return handle


def transpose(perm: list[int], shape: tuple[int, ...], out: tuple[int, ...]) -> Description:
    order = np.array(perm, "i8")
    return Description(
        "Transpose",
        (TensorDescription(DataType.FLOAT, shape), TensorDescription(DataType.INT64, order.shape, const=order.tobytes())),
        (TensorDescription(DataType.FLOAT, out),),
    )


def run_with_handle(description: Description, array: np.ndarray) -> bytes:
    handle = binding.create_handle(
        description.op_type, [*map(describe, description.inputs)], [*map(describe, description.outputs)], attributes(description)
    )
    data = array.tobytes()
    source, target = binding.malloc(len(data), 0), binding.malloc(len(data), 0)
    binding.memcpy(source, len(data), binding.bytes_to_ptr(data), len(data), MemcpyKind.HOST_TO_DEVICE)
    buffers = [binding.create_data_buffer(address, len(data)) for address in (source, source, target)]
    binding.execute_with_handle(handle, buffers[:2], buffers[2:], 0)
    binding.synchronize_stream(0)
    host = bytes(bytearray(len(data)))
    binding.memcpy(binding.bytes_to_ptr(host), len(data), target, len(data), MemcpyKind.DEVICE_TO_HOST)
    result = binding.ptr_to_bytes(binding.bytes_to_ptr(host), len(data))
    for buffer in buffers:
        binding.destroy_data_buffer(buffer)
    binding.free(source)
    binding.free(target)
    binding.destroy_handle(handle)
    return result


@pytest.mark.parametrize("compiler", ["simulated", "simulated-program"])
def test_a_model_from_each_compiler_runs(device: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compiler: str) -> None:
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", compiler)
    description = transpose([1, 0], (2, 3), (3, 2))
    with pytest.raises(errors.OperatorNotFoundError):  # OM-21: nothing is loaded yet
        run_with_handle(description, np.zeros((2, 3), "f4"))
    for keeper in [ModelStore(choose_compiler("simulator", binding.get_soc_name()), tmp_path) for _ in range(2)]:
        (model,) = keeper.get([description])
        binding.op_load(binding.bytes_to_ptr(model), len(model))
    array = np.arange(6, dtype="f4").reshape(2, 3)
    assert run_with_handle(description, array) == array.T.tobytes()
    assert keeper.info().disk_hits == 1
    with pytest.raises(errors.OperatorNotFoundError):  # the constant's bytes take part in the match (OM-19)
        run_with_handle(transpose([0, 1], (2, 3), (2, 3)), array)


def test_attributes_and_dynamic_dims_match(device: None, tmp_path: Path) -> None:
    any_rows = TensorDescription(DataType.FLOAT, (-1, 2), ranges=((1, 64), (2, 2)))
    attrs = (Attribute("transpose_x1", "bool", False), Attribute("transpose_x2", "bool", True))
    square = TensorDescription(DataType.FLOAT, (2, 2))
    description = Description("MatMulV2", (any_rows, square, ABSENT, ABSENT), (any_rows,), attrs)
    (model,) = ModelStore(choose_compiler("simulator", binding.get_soc_name()), tmp_path).get([description])
    binding.op_load(binding.bytes_to_ptr(model), len(model))
    for rows in (1, 5, 64):
        descs = [describe(any_rows, (rows, 2)), describe(square), describe(ABSENT), describe(ABSENT)]
        binding.destroy_handle(binding.create_handle("MatMulV2", descs, [describe(any_rows, (rows, 2))], attributes(description)))
    with pytest.raises(errors.OperatorNotFoundError):
        descs = [describe(any_rows, (65, 2)), describe(square), describe(ABSENT), describe(ABSENT)]
        binding.create_handle("MatMulV2", descs, [describe(any_rows, (65, 2))], attributes(description))


def test_the_simulator_has_every_function_the_binding_calls() -> None:
    for prefix, protocol in (("", module.Acl), ("rt", module.AclRt), ("op", module.AclOp), ("util", module.AclUtil)):
        owner = getattr(simulator, prefix) if prefix else simulator
        missing = [name for name in vars(protocol) if not name.startswith("_") and not hasattr(owner, name)]
        assert missing == []
