"""What a call costs: small operators on 8x8 float32, interleaved with NumPy and, where it is installed, PyTorch on the CPU.

    python bench/dispatch.py [--repeats 15] [--json FILE]

Every figure is the median over the repeats; a ratio is taken inside each repeat, so that a machine that changes its speed does not
change it. Times are processor time and include running the queued kernels.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ascendtensor as at
from ascendtensor.acl import binding
from ascendtensor.compiler.description import Description, TensorDescription
from ascendtensor.launch.registry import handle_cache
from ascendtensor.runtime import desc as descs

try:
    import torch
except ImportError:
    torch = None

Body = Callable[..., Any]


def timed(body: Body, number: int) -> float:
    """Seconds of processor time a call, with the collector off; other programs on the machine don't count."""
    began = time.process_time()
    for _ in range(number):
        body()
    at.synchronize()
    return (time.process_time() - began) / number


def sample(body: Body, number: int) -> float:
    """`timed`, or what a body that times itself says."""
    return float(body(number)) if hasattr(body, "seconds") else timed(body, number)


def chain(a: Any, b: Any) -> Any:
    """Ten dependent operators."""
    x = a + b
    for _ in range(4):
        x = x * b
        x = x - a
    return x + a


def rows() -> dict[str, dict[str, Body]]:
    """Body of each row by library."""
    x = np.random.default_rng(0).random((8, 8), dtype=np.float32)
    y = np.random.default_rng(1).random((8, 8), dtype=np.float32)
    table: dict[str, dict[str, Body]] = {}
    libraries: dict[str, tuple[Any, Any, Any]] = {"numpy": (x, y, x.copy()), "ascendtensor": (at.tensor(x), at.tensor(y), at.tensor(x))}
    if torch is not None:
        torch.set_num_threads(1)
        libraries["torch"] = (torch.tensor(x), torch.tensor(y), torch.tensor(x))
    for name, (a, b, c) in libraries.items():
        relu = {"numpy": lambda a: np.maximum(a, 0), "ascendtensor": at.relu, "torch": getattr(torch, "relu", None)}[name]
        table.setdefault("a + b", {})[name] = lambda a=a, b=b: a + b
        table.setdefault("a + 2.0", {})[name] = lambda a=a: a + 2.0
        table.setdefault("a * b + c", {})[name] = lambda a=a, b=b, c=c: a * b + c
        table.setdefault("relu(a)", {})[name] = lambda a=a, relu=relu: relu(a)
        table.setdefault("a.sum()", {})[name] = lambda a=a: a.sum()
        table.setdefault("a @ b", {})[name] = lambda a=a, b=b: a @ b
        table.setdefault("a[2:6, ::2]", {})[name] = lambda a=a: a[2:6, ::2]
        table.setdefault("a[:, 1] + 2.0", {})[name] = lambda a=a: a[:, 1] + 2.0
        table.setdefault("c[...] = 1.0", {})[name] = lambda c=c: put(c, ..., 1.0)
        table.setdefault("c[2:4] = a[:2]", {})[name] = lambda a=a, c=c: put(c, slice(2, 4), a[:2])
        table.setdefault("chain of 10", {})[name] = lambda a=a, b=b: chain(a, b)
    return table


def put(target: Any, index: Any, value: Any) -> None:
    target[index] = value


def raw_rows() -> dict[str, Body]:
    """The bare pyACL calls with everything prepared, as others would write them."""
    device = at.tensor(0.0).device
    stream = device.current_stream()
    a, b, c = (at.ones(8, 8) for _ in range(3))
    tensor = TensorDescription(dtype=0, shape=(8, 8))
    named = [TensorDescription(dtype=0, shape=(8, 8), name=name) for name in ("x1", "x2", "y")]
    handle = handle_cache.handle(Description("Add", tuple(named[:2]), (named[2],)), device)
    inputs, outputs = [a.buffer.data_buffer, b.buffer.data_buffer], [c.buffer.data_buffer]
    in_descs, out_descs = [descs.keep(device, tensor) for _ in range(2)], [descs.keep(device, tensor)]
    attr = binding.create_attr()
    acl = binding.module()
    with_handle, matched = acl.op.execute_with_handle, acl.op.execute_v2
    keep = (a, b, c, handle)
    return {
        "execute_with_handle": lambda keep=keep: with_handle(handle.value, inputs, outputs, stream.handle),
        "execute_v2": lambda: matched("Add", in_descs, inputs, out_descs, outputs, attr, stream.handle),
    }


def without_acl(plain: Body) -> dict[str, dict[str, Body]]:
    """Hops 1 to 4 by themselves: `a + b` while the pyACL call does nothing."""
    a, b = at.ones(8, 8), at.ones(8, 8)
    operators = binding.module().op
    real = operators.execute_with_handle

    def body() -> Any:
        return a + b

    def bare(number: int = 1000) -> float:
        operators.execute_with_handle = lambda *_: 0  # type: ignore[method-assign]
        try:
            return timed(body, number)
        finally:
            operators.execute_with_handle = real  # type: ignore[method-assign]

    bare.seconds = True  # type: ignore[attr-defined]
    return {"hops 1 to 4": {"numpy": plain, "ascendtensor": bare}}


def load_models(count: int) -> None:
    """More operator models, so that matching has something to look through."""
    device = at.tensor(0.0).device
    for size in range(1, count + 1):
        tensors = [TensorDescription(dtype=0, shape=(3, size), name=name) for name in ("x1", "x2", "y")]
        handle_cache.handle(Description("Add", tuple(tensors[:2]), (tensors[2],)), device)


def measure(table: dict[str, dict[str, Body]], repeats: int, number: int) -> dict[str, dict[str, tuple[float, float]]]:
    """(median seconds, median ratio to numpy's) by row and library."""
    result: dict[str, dict[str, tuple[float, float]]] = {}
    for row, bodies in table.items():
        for body in bodies.values():
            sample(body, 300)
        samples: dict[str, list[float]] = {name: [] for name in bodies}
        for _ in range(repeats):
            for name, body in bodies.items():
                samples[name].append(sample(body, number))
        result[row] = {
            name: (statistics.median(times), statistics.median(t / n for t, n in zip(times, samples["numpy"], strict=True)))
            for name, times in samples.items()
        }
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--number", type=int, default=2000)
    parser.add_argument("--models", type=int, default=1000, help="operator models loaded before execute_v2 is measured")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    table = rows()
    plain = table["a + b"]["numpy"]
    gc.collect()
    gc.disable()
    result = measure(table, options.repeats, options.number) | measure(without_acl(plain), options.repeats, options.number)
    load_models(options.models)
    raw = raw_rows()
    result |= measure({name: {"numpy": plain, "pyACL": body} for name, body in raw.items()}, options.repeats, options.number)
    pair = measure(
        {"execute_v2 / handle": {"numpy": raw["execute_with_handle"], "pyACL": raw["execute_v2"]}}, options.repeats, options.number
    )
    libraries = ["numpy", "ascendtensor", "torch", "pyACL"]
    print(f"{'':22}" + "".join(f"{name + ' ns':>18}{'x numpy':>9}" for name in libraries))
    for row, figures in result.items():
        cells = "".join(f"{figures[n][0] * 1e9:18.0f}{figures[n][1]:9.2f}" if n in figures else f"{'':27}" for n in libraries)
        print(f"{row:22}{cells}")
    print(f"execute_v2 with {options.models:,} models loaded costs {pair['execute_v2 / handle']['pyACL'][1]:.2f}x the handle call")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"ops": result, "execute_v2_over_handle": pair["execute_v2 / handle"]["pyACL"][1]}, file, indent=1)


if __name__ == "__main__":
    main()
