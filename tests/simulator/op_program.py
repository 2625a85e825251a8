"""What the tests of ``acl.op`` share: short ways to write plain pyACL programs."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from ascendtensor.simulator.engine.compile import build

CODES = {"float32": 0, "float16": 1, "int32": 3, "int64": 9, "bool": 12, "float64": 11, "uint8": 4}


def tensor(shape: Sequence[int], dtype: str = "float32", **more: Any) -> dict[str, Any]:
    """A tensor of a single-operator description."""
    return {"type": dtype, "format": "ND", "shape": list(shape), **more}


def const(values: Sequence[int | float], dtype: str = "int64", shape: Sequence[int] | None = None) -> dict[str, Any]:
    return tensor([len(values)] if shape is None else shape, dtype, is_const=True, const_value=list(values))


def operator(op_type: str, inputs: Sequence[Any], outputs: Sequence[Any], *attrs: tuple[str, str, Any]) -> dict[str, Any]:
    """One object of the list ATC reads."""
    named = [{"name": name, "type": kind, "value": value} for name, kind, value in attrs]
    return {"op": op_type, "input_desc": list(inputs), "output_desc": list(outputs), "attr": named}


ABSENT = {"type": "UNDEFINED", "format": "RESERVED", "shape": []}


def add_operator(*shape: int, dtype: str = "float32") -> dict[str, Any]:
    return operator("Add", [tensor(shape, dtype)] * 2, [tensor(shape, dtype)])


def load_bytes(acl: ModuleType, data: bytes) -> int:
    code: int = acl.op.load(acl.util.bytes_to_ptr(data), len(data))
    return code


def load(acl: ModuleType, description: dict[str, Any]) -> None:
    assert load_bytes(acl, build(description, "Ascend910B1")) == 0


def desc(acl: ModuleType, shape: Sequence[int], dtype: str = "float32", form: int = 2) -> int:
    handle: int = acl.create_tensor_desc(CODES[dtype], list(shape), form)
    return handle


def const_desc(acl: ModuleType, values: Any, dtype: str = "int64", shape: Sequence[int] | None = None) -> int:
    array = np.array(values, dtype)
    handle = desc(acl, array.shape if shape is None else shape, dtype)
    data = array.tobytes()
    assert acl.set_tensor_const(handle, acl.util.bytes_to_ptr(data), len(data)) == 0
    return handle


def absent(acl: ModuleType) -> tuple[int, int]:
    """Description and buffer of an optional input that is not given (TD-21)."""
    return acl.create_tensor_desc(-1, [], -1), acl.create_data_buffer(0, 0)


def upload(acl: ModuleType, array: npt.NDArray[Any]) -> tuple[int, int]:
    """A data buffer with the array's bytes in device memory, and its address."""
    data = array.tobytes()
    address, ret = acl.rt.malloc(max(len(data), 1), 0)
    assert ret == 0
    assert acl.rt.memcpy(address, len(data), acl.util.bytes_to_ptr(data), len(data), 1) == 0
    return acl.create_data_buffer(address, len(data)), address


def empty(acl: ModuleType, nbytes: int) -> tuple[int, int]:
    address, ret = acl.rt.malloc(max(nbytes, 1), 0)
    assert ret == 0
    return acl.create_data_buffer(address, nbytes), address


def download(acl: ModuleType, address: int, shape: Sequence[int], dtype: str = "float32") -> npt.NDArray[Any]:
    kind = np.dtype(dtype)
    nbytes = int(np.prod(shape, dtype=int)) * kind.itemsize
    host, ret = acl.rt.malloc_host(max(nbytes, 1))
    assert ret == 0
    assert acl.rt.memcpy(host, nbytes, address, nbytes, 2) == 0
    data: bytes = acl.util.ptr_to_bytes(host, nbytes)
    acl.rt.free_host(host)
    return np.frombuffer(data, kind).reshape(shape)


def dims_of(acl: ModuleType, handle: int) -> list[int]:
    return [acl.get_tensor_desc_dim_v2(handle, index)[0] for index in range(acl.get_tensor_desc_num_dims(handle))]


class Add:
    """A prepared addition of two float32 arrays: descriptions, buffers and what they hold."""

    def __init__(self, acl: ModuleType, *shape: int, model: bool = True) -> None:
        if model:
            load(acl, add_operator(*shape))
        self.acl = acl
        self.shape = shape
        self.left = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        self.right = np.full(shape, 0.5, np.float32)
        self.in_descs = [desc(acl, shape), desc(acl, shape)]
        self.out_descs = [desc(acl, shape)]
        pairs = [upload(acl, self.left), upload(acl, self.right)]
        out = empty(acl, self.left.nbytes)
        self.inputs = [buffer for buffer, _ in pairs]
        self.addresses = [address for _, address in pairs]
        self.outputs = [out[0]]
        self.out_address = out[1]

    def execute(self, stream: int = 0, attr: int = 0) -> int:
        code: int = self.acl.op.execute_v2("Add", self.in_descs, self.inputs, self.out_descs, self.outputs, attr, stream)
        return code

    def handle(self) -> int:
        handle, ret = self.acl.op.create_handle("Add", self.in_descs, self.out_descs, 0)
        assert ret == 0
        return int(handle)

    def result(self) -> npt.NDArray[Any]:
        return download(self.acl, self.out_address, self.shape)

    @property
    def expected(self) -> npt.NDArray[Any]:
        return self.left + self.right
