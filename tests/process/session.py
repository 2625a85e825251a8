"""A short program that touches every part of the library that calls pyACL, and the list of what it calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.codes import DataType
from ascendtensor.compiler import Attribute, TensorDescription
from ascendtensor.launch.registry import DEFAULT_CAPACITY, handle_cache
from ascendtensor.runtime import attrs, desc
from ascendtensor.simulator.engine import tiling

_PUBLIC = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text())


def forget() -> None:
    """No plans, families and loaded models, as in a new process, so that the session compiles and loads.

    What ran without handle stays known: pyACL's models know it too, where no new process of the simulator follows.
    """
    handle_cache.clear()
    handle_cache._loaded.clear()
    handle_cache.variants._families.clear()
    tiling._PARAMETERS.clear()


def run() -> None:
    """Creation, uploads, static, dynamic and data-dependent operators, views, copies, streams, events, two devices, figures."""
    for step in (_creation, _operators, _views, _dynamic, _descriptions, _streams, _contexts, _direct, _kernels, _devices, _figures):
        step()


def close() -> None:
    at.handle_cache.clear()
    at.shutdown()


def _equal(tensor: Any, expected: Any) -> None:
    np.testing.assert_array_equal(tensor.numpy(), np.asarray(expected))


def _creation() -> None:
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    _equal(at.tensor(values), values)
    large = np.ones(1 << 19, np.float32)
    _equal(at.from_numpy(large) + 1, large + 1)
    _equal(at.full((2, 2), 1.5), [[1.5, 1.5], [1.5, 1.5]])
    _equal(at.arange(5), [0, 1, 2, 3, 4])


def _operators() -> None:
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    a = at.tensor(values)
    _equal(a + a, values * 2)
    _equal(a * 2.5, values * np.float32(2.5))
    _equal(a @ a.T, values @ values.T)
    _equal(at.sum(a, 1), values.sum(1))
    _equal(at.tensor([1, 2]) / 2, np.array([0.5, 1], np.float32))
    a += 1
    _equal(a, values + 1)


def _views() -> None:
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    a = at.tensor(values)
    _equal(a[:, 1:3] + 1, values[:, 1:3] + 1)
    _equal(at.tensor(np.arange(32, dtype=np.float32))[8:16] + 1, np.arange(9, 17, dtype=np.float32))
    a[0, 1:3] = 5.0
    values[0, 1:3] = 5
    _equal(a, values)


def _dynamic() -> None:
    for rows in range(1, 11):
        _equal(at.tensor(np.ones((rows, 3), np.float32)) * 3, np.full((rows, 3), 3, np.float32))
        _equal(at.full((rows, 2), 1.0), np.ones((rows, 2), np.float32))
    a = at.tensor([1.0, 2.0, 3.0])
    _equal(a[a > 1.5], np.array([2, 3], np.float32))


_ATTRIBUTES = (
    Attribute("a", "bool", True),
    Attribute("b", "int", 1),
    Attribute("c", "float", 0.5),
    Attribute("d", "string", "x"),
    Attribute("e", "data_type", 0),
    Attribute("f", "list_bool", (True,)),
    Attribute("g", "list_int", (1, 2)),
    Attribute("h", "list_float", (0.5,)),
    Attribute("i", "list_string", ("x", "y")),
    Attribute("j", "list_list_int", ((1,), (2, 3))),
    Attribute("k", "list_data_type", (0, 1)),
)


def _descriptions() -> None:
    """Repeated inputs, and the kinds of attributes and descriptions that few operators have."""
    _equal(at.cat([at.ones(2), at.zeros(1)]), np.array([1, 1, 0], np.float32))
    with attrs.made(_ATTRIBUTES) as attr:
        assert attr
    with desc.made([TensorDescription(dtype=DataType.FLOAT, shape=(-1, 2), ranges=((1, 8), (2, 2)), name="x")]) as (handle,):
        assert handle


def _streams() -> None:
    side = at.Stream()
    a = at.ones(8)
    start, end = at.Event(enable_timing=True), at.Event(enable_timing=True)
    start.record()
    with at.stream(side):
        b = a + 1
        end.record()
    side.query()
    side.wait_stream(at.current_stream())
    at.current_stream().wait_event(end)
    _equal(b - 1, np.ones(8, np.float32))
    end.synchronize()
    end.query()
    start.elapsed_time(end)
    del b
    for _ in range(3):  # memory that two streams used comes back behind events
        c = at.ones(8)
        with at.stream(side):
            c + 1
        del c
    side.synchronize()


def _contexts() -> None:
    assert at.Stream.priority_range()
    a = at.ones(4)
    with at.Context() as context:
        b = a + 1
        with at.Stream(priority=0, flags=1), at.Event() as event:
            c = b + a
            event.record()
            event.wait(context.current_stream())
    _equal(b + c, np.full(4, 5, np.float32))
    context.synchronize()


def _direct() -> None:
    """The functions of pyACL that wrap one operator."""
    a = at.tensor([[1.0, 2.0], [3.0, 4.0]])
    half = at.acl_cast(a, at.float16)
    _equal(at.acl_cast(half, at.int32, handle=False), [[1, 2], [3, 4]])
    _equal(at.blas.gemm(half, half), np.array([[7, 10], [15, 22]], np.float16))
    _equal(at.blas.gemm(half, half, alpha=2.0, handle=False), np.array([[14, 20], [30, 44]], np.float16))


def _scale(launch: simulator.KernelLaunch) -> None:
    np.multiply(launch.inputs[0], np.float32(launch.tiling[0]), launch.outputs[0])


def _kernels() -> None:
    simulator.register_kernel("session_scale", _scale)
    kernels = {"any": at.custom.Kernel(simulator.kernel_binary("session_scale"), "session_scale")}
    for handle in (True, False):
        scale = at.custom.dynamic_kernel(
            "SessionScale", kernels=kernels, select=lambda *_: at.custom.Launch("any", 1, b"\3", workspaces=[8]), handle=handle
        )
        _equal(scale(at.ones(3 + handle)), np.full(3 + handle, 3, np.float32))


def _devices() -> None:
    a = at.tensor([1.0, 2.0], device="npu:1")
    _equal(a + a, np.array([2, 4], np.float32))
    _equal(a.to("npu:0"), np.array([1, 2], np.float32))
    assert at.npu.can_device_access_peer(0, 1)


def _figures() -> None:
    at.mem_get_info()
    at.handle_cache.resize(2)
    at.synchronize()
    at.handle_cache.resize(DEFAULT_CAPACITY)
    at.ones(3) + 2
    at.empty_cache()
    at.synchronize()


def functions() -> Iterator[tuple[ModuleType, str, str]]:
    modules = {"acl": simulator, **{f"acl.{name}": getattr(simulator, name) for name in ("rt", "op", "blas", "util")}}
    for prefix, module in modules.items():
        for name, value in list(vars(module).items()):
            if f"{prefix}.{name}" in _PUBLIC and callable(value):
                yield module, name, f"{prefix}.{name}"


@contextmanager
def recorded() -> Iterator[Counter[str]]:
    """Counts the calls of each pyACL function meanwhile."""
    calls: Counter[str] = Counter()

    def counting(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            calls[name] += 1
            return original(*args)

        return call

    replaced = []
    for module, name, full in functions():
        original = getattr(module, name)
        replaced.append((module, name, original))
        setattr(module, name, counting(full, original))
    try:
        yield calls
    finally:
        for module, name, original in replaced:
            setattr(module, name, original)
