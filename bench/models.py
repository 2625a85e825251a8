"""Whole models on the simulator, beside ONNX Runtime called directly on the same arrays; needs the extra `onnx`.

    python bench/models.py [--repeats 15] [--batches 200]

Each figure is the median over the repeats, a ratio the median of the ratios inside each repeat, so that a machine that changes its speed
does not change it. Times are given by the clock and as processor time of all threads.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import ascendtensor as at
from ascendtensor.simulator import atc

Body = Callable[[], Any]
rng = np.random.default_rng(0)


def weights(name: str, *shape: int) -> Any:
    return numpy_helper.from_array((rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32), name)


def save(path: Path, nodes: list[Any], initializers: list[Any], shape: list[int]) -> Path:
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return path


def tiny(path: Path) -> Path:
    """A product of 2x4 with 4x3, and relu."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "mul"), helper.make_node("Relu", ["h"], ["y"], "act")]
    return save(path, nodes, [weights("w", 4, 3)], [2, 4])


def images(path: Path) -> Path:
    """A small network of convolutions on eight images of 3x64x64."""
    nodes, initializers, before, channels = [], [], "x", 3
    for layer, after in enumerate((32, 64, 64, 128)):
        nodes.append(helper.make_node("Conv", [before, f"w{layer}"], [f"c{layer}"], strides=[1 + layer % 2] * 2, pads=[1] * 4))
        nodes.append(helper.make_node("Relu", [f"c{layer}"], [f"r{layer}"]))
        initializers.append(weights(f"w{layer}", after, channels, 3, 3))
        before, channels = f"r{layer}", after
    nodes += [helper.make_node("GlobalAveragePool", [before], ["p"]), helper.make_node("Flatten", ["p"], ["f"])]
    nodes.append(helper.make_node("MatMul", ["f", "head"], ["y"]))
    return save(path, nodes, [*initializers, weights("head", channels, 1000)], [8, 3, 64, 64])


def converted(path: Path) -> Path:
    """The simulator's model of an ONNX file."""
    said = io.StringIO()
    arguments = ["--framework=5", f"--model={path}", f"--output={path.with_suffix('')}", "--soc_version=Ascend910B1"]
    with contextlib.redirect_stdout(said):
        if atc.main(arguments):
            raise SystemExit(said.getvalue())
    return path.with_suffix(".om")


def session(path: Path) -> Any:
    """ONNX Runtime with the threads that the simulator gives it."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(4, len(os.sched_getaffinity(0)))
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def timed(body: Body) -> tuple[float, float]:
    """Seconds by the clock and of processor time."""
    began = time.perf_counter(), time.process_time()
    body()
    return time.perf_counter() - began[0], time.process_time() - began[1]


def pairs(repeats: int, theirs: Body, ours: Body) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Their and our times, one after the other, in turns the other way round."""
    found = []
    for number in range(repeats + 1):
        if number % 2:
            mine, other = timed(ours), timed(theirs)
        else:
            other, mine = timed(theirs), timed(ours)
        found.append((other, mine))
    return found[1:]


def median(values: Any) -> float:
    return statistics.median(list(values))


def calls(folder: Path, repeats: int) -> None:
    """What one call of a tiny model costs more than ONNX Runtime's."""
    path = tiny(folder / "tiny.onnx")
    direct = session(path)
    array = rng.standard_normal((2, 4)).astype(np.float32)
    number = 500
    with at.models.load(converted(path)) as model:
        x, out = at.tensor(array), at.empty(2, 3)

        def theirs() -> None:
            for _ in range(number):
                direct.run(None, {"x": array})

        def queued() -> None:
            for _ in range(number):
                model(x)
            at.synchronize()

        def written() -> None:
            for _ in range(number):
                model(x, out=out)
            at.synchronize()

        def whole() -> None:
            for _ in range(number):
                model(array).numpy()

        print(f"{'one call of a tiny model, us':40}{'clock':>10}{'processor':>12}")
        for name, body in (("m(tensor)", queued), ("m(tensor, out=)", written), ("m(array).numpy()", whole)):
            found = pairs(repeats, theirs, body)
            more = [median((mine[kind] - other[kind]) / number * 1e6 for other, mine in found) for kind in (0, 1)]
            print(f"{name + ' beyond ONNX Runtime':40}{more[0]:10.1f}{more[1]:12.1f}")
        clock, processor = (median(other[kind] for other, _ in found) / number * 1e6 for kind in (0, 1))
        print(f"{'ONNX Runtime':40}{clock:10.1f}{processor:12.1f}")


def batches(folder: Path, repeats: int, count: int) -> None:
    """`Model.map` over arrays, beside a loop over ONNX Runtime, in turns of so many batches."""
    path = images(folder / "images.onnx")
    direct = session(path)
    arrays = [rng.standard_normal((8, 3, 64, 64)).astype(np.float32) for _ in range(4)]
    with at.models.load(converted(path)) as model:

        def theirs() -> None:
            for number in range(count):
                direct.run(None, {"x": arrays[number % 4]})

        def ours() -> None:
            for y in model.map(arrays[number % 4] for number in range(count)):
                y.numpy()

        expected = direct.run(None, {"x": arrays[0]})[0]
        assert np.array_equal(model(arrays[0]).numpy(), expected)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found = pairs(repeats, theirs, ours)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        ratios = [median(mine[kind] / other[kind] for other, mine in found) for kind in (0, 1)]
        print(f"{f'{count * repeats} batches of 8 images, ratio':40}{ratios[0]:10.3f}{ratios[1]:12.3f}")
        print(
            f"{'ONNX Runtime, ms a batch':40}" + "".join(f"{median(o[k] for o, _ in found) / count * 1e3:{10 + 2 * k}.2f}" for k in (0, 1))
        )
        print(f"peak of host memory: {before / 1024:.0f} MiB before, {after / 1024:.0f} MiB after {(repeats + 1) * count} batches")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--batches", type=int, default=200)
    options = parser.parse_args()
    gc.disable()
    with tempfile.TemporaryDirectory() as folder:
        calls(Path(folder), options.repeats)
        batches(Path(folder), options.repeats, -(-options.batches // options.repeats))


if __name__ == "__main__":
    main()
