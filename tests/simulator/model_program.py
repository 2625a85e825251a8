"""Small ONNX files, their models, and the pyACL calls that every program with a model makes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from ascendtensor.simulator import atc

Array = npt.NDArray[Any]
FLOAT = TensorProto.FLOAT
WEIGHTS = np.arange(12, dtype=np.float32).reshape(4, 3) / 8
SOC = "Ascend910B1"


def value(name: str, dims: Sequence[int | str | None] | None, dtype: int = FLOAT) -> Any:
    return helper.make_tensor_value_info(name, dtype, dims)


def save(path: Path, nodes: list[Any], inputs: list[Any], outputs: list[Any], initializers: Sequence[tuple[str, Array]] = ()) -> Path:
    graph = helper.make_graph(nodes, "graph", inputs, outputs, [numpy_helper.from_array(array, name) for name, array in initializers])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def linear(path: Path, batch: int | str = "n") -> Path:
    """y = relu(x @ w), x of [batch, 4]."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "mul"), helper.make_node("Relu", ["h"], ["y"], "act")]
    return save(path, nodes, [value("x", [batch, 4])], [value("y", [batch, 3])], [("w", WEIGHTS)])


def linear_reference(x: Array) -> Array:
    found: Array = np.maximum(x @ WEIGHTS, 0)
    return found


X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3
Y = linear_reference(X)


def convert(model: Path, output: Path, **options: str) -> Path:
    """``atc`` with these options; fails the test if it fails."""
    arguments = {"framework": "5", "model": str(model), "output": str(output), "soc_version": SOC, **options}
    assert atc.main([f"--{name}={text}" for name, text in arguments.items()]) == 0
    return output.with_name(f"{output.name}.om")


def refusal(capsys: Any, model: Path | str, **options: str) -> str:
    """What ``atc`` says when it refuses."""
    arguments = {"framework": "5", "model": str(model), "output": "never", "soc_version": SOC, **options}
    capsys.readouterr()
    assert atc.main([f"--{name}={text}" for name, text in arguments.items()]) == 1
    text: str = capsys.readouterr().out
    assert "ATC run failed" in text
    return text


class Program:
    """Device memory, buffers and datasets of one test, released at its end."""

    def __init__(self, acl: ModuleType) -> None:
        self.acl = acl
        self.memory: list[int] = []
        self.datasets: list[int] = []

    def room(self, nbytes: int) -> int:
        address, ret = self.acl.rt.malloc(max(nbytes, 1), 0)
        assert ret == 0
        self.memory.append(address)
        return int(address)

    def upload(self, array: Array) -> int:
        address = self.room(array.nbytes)
        self.write(address, array)
        return address

    def write(self, address: int, array: Array) -> None:
        data = array.tobytes()
        assert self.acl.rt.memcpy(address, len(data), self.acl.util.bytes_to_ptr(data), len(data), 1) == 0

    def download(self, address: int, like: Array) -> Array:
        data = bytes(bytearray(like.nbytes))
        assert self.acl.rt.memcpy(self.acl.util.bytes_to_ptr(data), like.nbytes, address, like.nbytes, 2) == 0
        return np.frombuffer(data, like.dtype).reshape(like.shape)

    def dataset(self, *pairs: tuple[int, int]) -> int:
        """A dataset of buffers of (address, size)."""
        dataset = self.acl.mdl.create_dataset()
        for address, size in pairs:
            buffer = self.acl.create_data_buffer(address, size)
            assert self.acl.mdl.add_dataset_buffer(dataset, buffer) == (dataset, 0)
        self.datasets.append(dataset)
        return int(dataset)

    def given(self, *arrays: Array) -> int:
        """A dataset of these arrays on the device."""
        return self.dataset(*[(self.upload(array), array.nbytes) for array in arrays])

    def load(self, path: Path) -> int:
        model, ret = self.acl.mdl.load_from_file(str(path))
        assert ret == 0, self.acl.get_recent_err_msg()
        return int(model)

    def desc(self, model: int) -> int:
        desc = self.acl.mdl.create_desc()
        assert self.acl.mdl.get_desc(desc, model) == 0
        return int(desc)

    def shape(self, dataset: int, index: int, dims: list[int], dtype: int = 0) -> None:
        """Gives an input of open shape its dims."""
        desc = self.acl.create_tensor_desc(dtype, dims, 2)
        assert self.acl.mdl.set_dataset_tensor_desc(dataset, desc, index) == (dataset, 0)
        self.acl.destroy_tensor_desc(desc)

    def dims(self, dataset: int, index: int) -> list[int]:
        """Dims in a dataset's own description."""
        desc = self.acl.mdl.get_dataset_tensor_desc(dataset, index)
        assert desc
        return [self.acl.get_tensor_desc_dim_v2(desc, axis)[0] for axis in range(self.acl.get_tensor_desc_num_dims(desc))]

    def close(self) -> None:
        for dataset in self.datasets:
            for index in range(self.acl.mdl.get_dataset_num_buffers(dataset)):
                self.acl.destroy_data_buffer(self.acl.mdl.get_dataset_buffer(dataset, index))
            self.acl.mdl.destroy_dataset(dataset)
        for address in self.memory:
            self.acl.rt.free(address)
