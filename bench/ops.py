"""Throughput of representative operators on 1e4 to 1e7 elements, beside NumPy and, where it is installed, PyTorch on the CPU.

    python bench/ops.py [--dtype float32|float16|bfloat16] [--sizes 10000 1000000 10000000] [--only NAME ...] [--repeats 5] [--json FILE]

Wall-clock medians; ratios are taken inside each repeat. Each library keeps its own number of threads. The result of each call replaces
the one before, as in a program. First the limits of the machine: what a copy moves and what a matrix product computes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

import ascendtensor as at

try:
    import torch
except ImportError:
    torch = None

Body = Callable[[], Any]
DTYPES = {"float32": np.dtype(np.float32), "float16": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
NUMPY, OURS, TORCH = "numpy", "ascendtensor", "torch"


class Operands:
    """The operands of one size for one library.

    Attributes:
        lib: The library's namespace.
        x, y: Flat.
        m, n: Square, of about as many elements.
        small: Square, for products that would take too long.
        images, filters: A batch of 16-channel images of about as many elements, and 32 filters of 3x3.
        mask: Every other element or so.
        index: A permutation of the rows of `m`.
    """

    def __init__(self, library: str, size: int, dtype: np.dtype[Any]) -> None:
        generator = np.random.default_rng(0)
        side = int(size**0.5)
        edge = max(4, min(56, int((size / 16) ** 0.5)))
        product = min(side, 1000)

        def made(*shape: int) -> Any:
            return convert(library, generator.random(shape, dtype=np.float32).astype(dtype) + dtype.type(0.5))

        self.library = library
        self.lib: Any = {NUMPY: np, OURS: at, TORCH: torch}[library]
        self.x, self.y = made(size), made(size)
        self.m, self.n = made(side, side), made(side, side)
        self.small = made(product, product)
        self.batch = made(max(1, size // 4096), 64, 64)
        self.images = made(max(1, size // (16 * edge * edge)), 16, edge, edge)
        self.filters = made(32, 16, 3, 3)
        self.mask = convert(library, generator.random(size) > 0.5)
        self.index = convert(library, generator.permutation(side))


def convert(library: str, array: np.ndarray[Any, Any]) -> Any:
    if library == NUMPY:
        return array
    if library == OURS:
        return at.tensor(array)
    if array.dtype == DTYPES["bfloat16"]:
        return torch.from_numpy(array.astype(np.float32)).bfloat16()
    return torch.from_numpy(array)


def softmax(x: Any) -> Any:
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    return shifted / shifted.sum(axis=1, keepdims=True)


def layer_norm(x: Any) -> Any:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + x.dtype.type(1e-5))


def gelu(x: Any) -> Any:
    return x * (1 + np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x))) * np.float32(0.5)


def conv2d(x: Any, w: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.moveaxis(np.tensordot(windows, w, ((1, 4, 5), (1, 2, 3))), 3, 1)


def max_pool2d(x: Any) -> Any:
    rows, columns = x.shape[2] // 2 * 2, x.shape[3] // 2 * 2
    x = x[:, :, :rows, :columns]
    return np.maximum(np.maximum(x[:, :, ::2, ::2], x[:, :, 1::2, ::2]), np.maximum(x[:, :, ::2, 1::2], x[:, :, 1::2, 1::2]))


def sort(x: Any) -> Any:
    order = np.argsort(x, kind="stable")
    return x[order], order


def topk(x: Any) -> Any:
    found = np.argpartition(x, x.shape[0] - 64)[-64:]
    found = found[np.argsort(x[found])[::-1]]
    return x[found], found


ROWS: dict[str, tuple[Callable[[Operands], Any], Callable[[Operands], Any]]] = {
    # name: (in NumPy's words, in PyTorch's, which are ours)
    "add": (lambda o: o.x + o.y, lambda o: o.x + o.y),
    "mul by a number": (lambda o: o.x * 2.0, lambda o: o.x * 2.0),
    "div": (lambda o: o.x / o.y, lambda o: o.x / o.y),
    "add, broadcast row": (lambda o: o.m + o.n[0], lambda o: o.m + o.n[0]),
    "exp": (lambda o: np.exp(o.x), lambda o: o.lib.exp(o.x)),
    "log": (lambda o: np.log(o.x), lambda o: o.lib.log(o.x)),
    "sqrt": (lambda o: np.sqrt(o.x), lambda o: o.lib.sqrt(o.x)),
    "tanh": (lambda o: np.tanh(o.x), lambda o: o.lib.tanh(o.x)),
    "sin": (lambda o: np.sin(o.x), lambda o: o.lib.sin(o.x)),
    "gt": (lambda o: o.x > o.y, lambda o: o.x > o.y),
    "where": (lambda o: np.where(o.mask, o.x, o.y), lambda o: o.lib.where(o.mask, o.x, o.y)),
    "clamp": (lambda o: np.clip(o.x, 0.7, 1.2), lambda o: o.lib.clamp(o.x, 0.7, 1.2)),
    "cast to float64": (lambda o: o.x.astype(np.float64), lambda o: o.x.double()),
    "sum": (lambda o: o.x.sum(), lambda o: o.x.sum()),
    "sum, dim 0": (lambda o: o.m.sum(axis=0), lambda o: o.m.sum(0)),
    "mean, dim 1": (lambda o: o.m.mean(axis=1), lambda o: o.m.mean(1)),
    "max": (lambda o: o.x.max(), lambda o: o.x.max()),
    "argmax": (lambda o: o.x.argmax(), lambda o: o.x.argmax()),
    "cumsum": (lambda o: o.x.cumsum(), lambda o: o.x.cumsum(0)),
    "sort": (lambda o: sort(o.x), lambda o: o.lib.sort(o.x)),
    "topk, 64": (lambda o: topk(o.x), lambda o: o.lib.topk(o.x, 64)),
    "matmul": (lambda o: o.small @ o.small, lambda o: o.small @ o.small),
    "bmm": (lambda o: o.batch @ o.batch, lambda o: o.lib.bmm(o.batch, o.batch)),
    "softmax, dim 1": (lambda o: softmax(o.m), lambda o: o.lib.softmax(o.m, 1)),
    "layer_norm": (lambda o: layer_norm(o.m), lambda o: functional(o).layer_norm(o.m, o.m.shape[1:])),
    "gelu, tanh": (lambda o: gelu(o.x), lambda o: functional(o).gelu(o.x, approximate="tanh")),
    "transpose, copied": (lambda o: np.ascontiguousarray(o.m.T), lambda o: o.m.T.contiguous()),
    "cat": (lambda o: np.concatenate([o.x, o.y]), lambda o: o.lib.cat([o.x, o.y])),
    "index_select, rows": (lambda o: o.m[o.index], lambda o: o.lib.index_select(o.m, 0, o.index)),
    "x[mask]": (lambda o: o.x[o.mask], lambda o: o.x[o.mask]),
    "masked_fill": (lambda o: np.where(o.mask, o.x.dtype.type(0), o.x), lambda o: o.x.masked_fill(o.mask, 0.0)),
    "conv2d, 3x3": (lambda o: conv2d(o.images, o.filters), lambda o: functional(o).conv2d(o.images, o.filters)),
    "max_pool2d, 2x2": (lambda o: max_pool2d(o.images), lambda o: functional(o).max_pool2d(o.images, 2)),
}


def functional(operands: Operands) -> Any:
    return operands.lib.nn.functional


def timed(body: Body, number: int, ours: bool) -> float:
    result = None
    began = time.perf_counter()
    for _ in range(number):
        result = body()
    if ours:
        at.synchronize()
    spent = time.perf_counter() - began
    del result
    return spent / number


def limits() -> None:
    source = np.ones(1 << 24, np.float32)
    target = np.empty_like(source)
    copy = min(timed(lambda: np.copyto(target, source), 1, False) for _ in range(7))
    m = np.ones((1024, 1024), np.float32)
    product = np.empty_like(m)
    gemm = min(timed(lambda: np.matmul(m, m, out=product), 1, False) for _ in range(7))
    moved, computed = 2 * source.nbytes / copy / 1e9, 2 * 1024**3 / gemm / 1e9
    print(f"the machine: a copy moves {moved:.1f} GB/s, a float32 product of 1024 does {computed:.0f} GFLOP/s")


def measured(name: str, operands: dict[str, Operands], repeats: int) -> dict[str, float]:
    """Median milliseconds of each library, and the ratios "ascendtensor/numpy" and "ascendtensor/torch"."""
    numpy_words, torch_words = ROWS[name]
    bodies = {
        library: (lambda words=numpy_words if library == NUMPY else torch_words, given=given: words(given))
        for library, given in operands.items()
    }
    once = timed(bodies[NUMPY], 1, False)
    number = max(1, min(200, int(0.02 / max(once, 1e-7))))
    for library, body in bodies.items():
        timed(body, 2, library == OURS)
    times: dict[str, list[float]] = {library: [] for library in bodies}
    for _ in range(repeats):
        for library, body in bodies.items():
            times[library].append(timed(body, number, library == OURS) * 1e3)
    found = {library: statistics.median(values) for library, values in times.items()}
    for other in (NUMPY, TORCH):
        if other in times:
            found[f"{OURS}/{other}"] = statistics.median(a / b for a, b in zip(times[OURS], times[other], strict=True))
    return found


def table(options: argparse.Namespace) -> Iterator[tuple[str, int, dict[str, float]]]:
    libraries = [NUMPY, OURS] + ([TORCH] if torch is not None else [])
    for size in options.sizes:
        operands = {library: Operands(library, size, DTYPES[options.dtype]) for library in libraries}
        for name in options.only or ROWS:
            yield name, size, measured(name, operands, options.repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", choices=list(DTYPES), default="float32")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 1_000_000, 10_000_000])
    parser.add_argument("--only", nargs="+", choices=list(ROWS), metavar="NAME", help=", ".join(ROWS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    limits()
    print(f"{options.dtype:22}{'elements':>10}{'numpy ms':>11}{'ours ms':>11}{'torch ms':>11}{'to numpy':>10}{'to torch':>10}")
    rows = []
    for name, size, found in table(options):
        rows.append({"operator": name, "elements": size, **found})
        cells = [f"{found[library]:11.3f}" if library in found else f"{'':11}" for library in (NUMPY, OURS, TORCH)]
        ratios = [f"{found[key]:10.2f}" if key in found else f"{'':10}" for key in (f"{OURS}/{NUMPY}", f"{OURS}/{TORCH}")]
        print(f"{name:22}{size:10.0e}{''.join(cells)}{''.join(ratios)}", flush=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
