"""Core functions with random numbers, handles and addresses of any kind: a code or the binding's error, never a crash (K1, SIM-1)."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ascendtensor import simulator as acl

API: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "data" / "pyacl_api.json").read_text(encoding="utf-8"))
CREATORS = ("create_tensor_desc", "create_data_buffer", "create_attr", "malloc", "malloc_host", "create_stream", "create_event")
BLOCKING = {"acl.rt.process_report", "acl.util.start_thread", "acl.util.stop_thread"}
WHOLE = {"acl.init", "acl.finalize", "acl.finalize_reference", "acl.rt.reset_device", "acl.rt.reset_device_force", "acl.op.set_model_dir"}
DATA = bytes(4096)


def functions() -> list[tuple[str, Callable[..., Any]]]:
    found = []
    for name, facts in API.items():
        module, _, attribute = name.rpartition(".")
        owner: Any = {"acl": acl, "acl.rt": acl.rt, "acl.op": acl.op, "acl.util": acl.util}.get(module)
        if facts["tier"] == "core" and owner is not None and name not in BLOCKING | WHOLE:
            found.append((name, getattr(owner, attribute)))
    return found


class Caller:
    def __init__(self, seed: int) -> None:
        self.source = random.Random(seed)
        self.numbers = [0, 1, 2, 3, 8, 64, -1, 1 << 31, (1 << 64) - 1, 1 << 63, 0x1000_0000_0040, 0x0B00_0000_0040, 4096]
        self.fixed = len(self.numbers)
        self.numbers.append(acl.util.bytes_to_ptr(DATA))

    def value(self, kind: str) -> Any:
        if self.source.random() < 0.03:
            return self.source.choice([None, "x", 1.5, [], (), {}, b"", np.int64(3), object()])
        if kind == "int":
            return self.source.choice(self.numbers)
        if kind == "list":
            return [self.source.choice(self.numbers) for _ in range(self.source.randrange(4))]
        if kind == "list of list":
            return [[self.source.choice([-1, 0, 5]) for _ in range(self.source.randrange(4))] for _ in range(self.source.randrange(3))]
        fixed: dict[str, Any] = {
            "str": "Add",
            "float": 1e300,
            "callable": print,
            "bytes": DATA,
            "tuple": (2,),
            "numpy.ndarray": np.zeros(2),
        }
        return fixed.get(kind)

    def call(self, name: str, fn: Callable[..., Any]) -> None:
        try:
            result = fn(*[self.value(parameter.partition(":")[2].rstrip("?")) for parameter in API[name]["params"]])
        except (TypeError, ValueError, RuntimeError):
            return
        handle = result[0] if isinstance(result, tuple) else result
        if name.rpartition(".")[2] in CREATORS and handle:
            self.numbers.append(handle)
            if len(self.numbers) > 60:
                self.numbers.pop(self.source.randrange(self.fixed + 1, len(self.numbers)))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("run_mode", ["host", "device"])
@pytest.mark.parametrize("seed", range(3))
def test_random_calls(seed: int, run_mode: str) -> None:
    acl.configure(run_mode=run_mode, memory=1 << 26)
    acl.init()
    caller = Caller(seed)
    chosen = functions()
    assert len(chosen) > 90
    for number in range(4000):
        if number % 200 == 0:
            assert acl.rt.set_device(0) == 0
        caller.call(*caller.source.choice(chosen))
    assert acl.rt.set_device(0) == 0
    block, ret = acl.rt.malloc(64, 0)
    assert ret in (0, 207001)
    if ret == 0:
        assert acl.rt.memset(block, 64, 0, 64) == 0
