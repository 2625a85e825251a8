"""Throughput of representative operators on 1e4 to 1e7 elements, beside NumPy and, where it is installed, PyTorch on the CPU.

    python bench/ops.py [--dtype float32 float16 bfloat16] [--sizes 10000 1000000 10000000] [--only NAME ...] [--clock wall|cpu]
                        [--repeats 15] [--seconds 1.5] [--json FILE] [--markdown FILE]

The least of the repeats, libraries in turn, each repeat a few milliseconds long where a call is shorter; ratios of those times (the JSON
has the medians of the ratios inside a repeat too). Of ours also what the kernels take by themselves: the time of the synchronising call
behind a queue of launches. Each library keeps its own number of threads by the clock on the wall; `--clock cpu` adds up the processor
time of all threads, with PyTorch and the matrix library on one, which says more on a busy machine. The result of each call replaces the
one before, as in a program. First the limits of the machine: what a copy moves and what a matrix product computes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import textwrap
import time
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
from threadpoolctl import threadpool_limits

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
        room: Flat, to be written into.
        m, n: Square, of about as many elements.
        small: Square, for products that would take too long.
        images, filters, depthwise: A batch of 16-channel images of about as many elements, 32 filters of 3x3, and one for each channel.
        mask, rare, common: Every other element or so, every tenth, nine of ten.
        rows: Every other row of `m` or so.
        values: Some of the values of `x`, and others.
        classes: A class for each row of `m`.
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
        self.x, self.y, self.room = made(size), made(size), made(size)
        self.m, self.n = made(side, side), made(side, side)
        self.small = made(product, product)
        self.batch = made(max(1, size // 4096), 64, 64)
        self.images = made(max(1, size // (16 * edge * edge)), 16, edge, edge)
        self.filters = made(32, 16, 3, 3)
        self.depthwise = made(16, 1, 3, 3)
        self.index = convert(library, generator.permutation(side))
        chance = generator.random(size)
        self.mask, self.rare, self.common = (convert(library, chance < share) for share in (0.5, 0.1, 0.9))
        self.rows = convert(library, chance[:side] < 0.5)
        self.classes = convert(library, generator.integers(0, side, side))
        self.gamma, self.beta = made(side), made(side)


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


def layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=1, keepdims=True) + x.dtype.type(1e-5)) * gamma + beta


def rms_norm(x: Any, gamma: Any) -> Any:
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + x.dtype.type(1e-5)) * gamma


def cross_entropy(x: Any, classes: Any) -> Any:
    shifted = x - x.max(axis=1, keepdims=True)
    return (np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(classes)), classes]).mean()


def gelu(x: Any) -> Any:
    kind = x.dtype.type
    return x * (kind(1) + np.tanh(kind(0.7978845608) * (x + kind(0.044715) * x * x * x))) * kind(0.5)


def conv2d(x: Any, w: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.moveaxis(np.tensordot(windows, w, ((1, 4, 5), (1, 2, 3))), 3, 1)


def depthwise(x: Any, w: Any) -> Any:
    rows, columns = x.shape[2] - 2, x.shape[3] - 2
    out = x[:, :, :rows, :columns] * w[:, 0, 0, 0, None, None]
    for place in range(1, 9):
        out += x[:, :, place // 3 : place // 3 + rows, place % 3 : place % 3 + columns] * w[:, 0, place // 3, place % 3, None, None]
    return out


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
    "mul by a number": (lambda o: o.x * o.x.dtype.type(2.0), lambda o: o.x * 2.0),
    "div": (lambda o: o.x / o.y, lambda o: o.x / o.y),
    "add, broadcast row": (lambda o: o.m + o.n[0], lambda o: o.m + o.n[0]),
    "exp": (lambda o: np.exp(o.x), lambda o: o.lib.exp(o.x)),
    "log": (lambda o: np.log(o.x), lambda o: o.lib.log(o.x)),
    "sqrt": (lambda o: np.sqrt(o.x), lambda o: o.lib.sqrt(o.x)),
    "tanh": (lambda o: np.tanh(o.x), lambda o: o.lib.tanh(o.x)),
    "sin": (lambda o: np.sin(o.x), lambda o: o.lib.sin(o.x)),
    "gt": (lambda o: o.x > o.y, lambda o: o.x > o.y),
    "where": (lambda o: np.where(o.mask, o.x, o.y), lambda o: o.lib.where(o.mask, o.x, o.y)),
    "clamp": (
        lambda o: np.clip(o.x, o.x.dtype.type(0.7), o.x.dtype.type(1.2)).astype(o.x.dtype, copy=False),  # float32 of bfloat16
        lambda o: o.lib.clamp(o.x, 0.7, 1.2),
    ),
    "cast to float64": (lambda o: o.x.astype(np.float64), lambda o: o.x.double()),
    "sum": (lambda o: o.x.sum(), lambda o: o.x.sum()),
    "sum, dim 0": (lambda o: o.m.sum(axis=0), lambda o: o.m.sum(0)),
    "mean, dim 1": (lambda o: o.m.mean(axis=1), lambda o: o.m.mean(1)),
    "max": (lambda o: o.x.max(), lambda o: o.x.max()),
    "argmax": (lambda o: o.x.argmax(), lambda o: o.x.argmax()),
    "cumsum": (lambda o: o.x.cumsum(), lambda o: o.x.cumsum(0)),
    "sort": (lambda o: sort(o.x), lambda o: o.lib.sort(o.x)),
    "topk, 64": (lambda o: topk(o.x), lambda o: o.lib.topk(o.x, 64)),
    "matmul": (lambda o: (o.small @ o.small).astype(o.x.dtype, copy=False), lambda o: o.small @ o.small),
    "bmm": (lambda o: (o.batch @ o.batch).astype(o.x.dtype, copy=False), lambda o: o.lib.bmm(o.batch, o.batch)),
    "softmax, dim 1": (lambda o: softmax(o.m), lambda o: o.lib.softmax(o.m, 1)),
    "layer_norm": (lambda o: layer_norm(o.m, o.gamma, o.beta), lambda o: functional(o).layer_norm(o.m, o.m.shape[1:], o.gamma, o.beta)),
    "rms_norm": (lambda o: rms_norm(o.m, o.gamma), lambda o: functional(o).rms_norm(o.m, o.m.shape[1:], o.gamma)),
    "cross_entropy": (lambda o: cross_entropy(o.m, o.classes), lambda o: functional(o).cross_entropy(o.m, o.classes)),
    "gelu, tanh": (lambda o: gelu(o.x), lambda o: functional(o).gelu(o.x, approximate="tanh")),
    "transpose, copied": (lambda o: np.ascontiguousarray(o.m.T), lambda o: o.m.T.contiguous()),
    "cat": (lambda o: np.concatenate([o.x, o.y]), lambda o: o.lib.cat([o.x, o.y])),
    "fill_": (lambda o: o.room.fill(2.0), lambda o: o.room.fill_(2.0)),
    "copy_": (lambda o: np.copyto(o.room, o.x), lambda o: o.room.copy_(o.x)),
    "index_select, rows": (lambda o: o.m[o.index], lambda o: o.lib.index_select(o.m, 0, o.index)),
    "x[mask]": (lambda o: o.x[o.mask], lambda o: o.x[o.mask]),
    "x[mask], one of ten": (lambda o: o.x[o.rare], lambda o: o.x[o.rare]),
    "x[mask], nine of ten": (lambda o: o.x[o.common], lambda o: o.x[o.common]),
    "m[mask of rows]": (lambda o: o.m[o.rows], lambda o: o.m[o.rows]),
    "nonzero": (lambda o: np.stack(np.nonzero(o.mask), 1), lambda o: o.lib.nonzero(o.mask)),
    "masked_fill": (lambda o: np.where(o.mask, o.x.dtype.type(0), o.x), lambda o: o.x.masked_fill(o.mask, 0.0)),
    "conv2d, 3x3": (lambda o: conv2d(o.images, o.filters), lambda o: functional(o).conv2d(o.images, o.filters)),
    "conv2d, depthwise": (
        lambda o: depthwise(o.images, o.depthwise),
        lambda o: functional(o).conv2d(o.images, o.depthwise, groups=16),
    ),
    "max_pool2d, 2x2": (lambda o: max_pool2d(o.images), lambda o: functional(o).max_pool2d(o.images, 2)),
}


RANDOM: dict[str, tuple[Callable[[Operands], Any], Callable[[Operands], Any]]] = {
    "rand": (
        lambda o: GENERATOR.random(o.x.shape[0], dtype=np.float32),
        lambda o: o.lib.rand(o.x.shape[0], dtype=o.x.dtype),
    ),
    "randn": (
        lambda o: GENERATOR.standard_normal(o.x.shape[0], dtype=np.float32),
        lambda o: o.lib.randn(o.x.shape[0], dtype=o.x.dtype),
    ),
}
GENERATOR = np.random.default_rng(0)
ROWS.update(RANDOM)


def functional(operands: Operands) -> Any:
    return operands.lib.nn.functional


WAITING = {"x[mask]", "x[mask], one of ten", "x[mask], nine of ten", "m[mask of rows]", "nonzero"}
"""Whose calls wait for the shape of their result, so that nothing is queued."""
KERNEL = "kernel"
QUEUED, ALONE = 32, 8


class Clock:
    """What is timed: the wall's clock, or the processor time of all threads."""

    read: Callable[[], float] = time.perf_counter


def timed(body: Body, number: int, ours: bool) -> float:
    result = None
    read = Clock.read
    began = read()
    for _ in range(number):
        result = body()
    if ours:
        at.synchronize()
    spent = read() - began
    del result
    return spent / number


def run_alone(body: Body) -> float:
    """Least seconds that the kernels of one call take."""
    times = []
    for _ in range(ALONE):
        for _ in range(QUEUED):
            result = body()
        began = Clock.read()
        at.synchronize()
        times.append(Clock.read() - began)
        del result
    return min(times) / QUEUED


def limits() -> str:
    source = np.ones(1 << 24, np.float32)
    target = np.empty_like(source)
    copy = min(timed(lambda: np.copyto(target, source), 1, False) for _ in range(7))
    m = np.ones((1024, 1024), np.float32)
    product = np.empty_like(m)
    gemm = min(timed(lambda: np.matmul(m, m, out=product), 1, False) for _ in range(7))
    moved, computed = 2 * source.nbytes / copy / 1e9, 2 * 1024**3 / gemm / 1e9
    return f"a copy moves {moved:.1f} GB/s, a float32 product of 1024 does {computed:.0f} GFLOP/s"


SAMPLE = 0.003
"""Seconds that a repeat takes at least: less than the time slice of a busy machine."""
FEWEST = 3
PAUSE = 0.01
"""Seconds between two libraries: the threads of some spin on for a while after their last call, which would fall to the next one."""


def measured(name: str, operands: dict[str, Operands], repeats: int, seconds: float) -> dict[str, float]:
    """Least milliseconds of each library and of our "kernel"; the ratios "ascendtensor/numpy" and "ascendtensor/torch", their medians."""
    numpy_words, torch_words = ROWS[name]
    bodies = {
        library: (lambda words=numpy_words if library == NUMPY else torch_words, given=given: words(given))
        for library, given in operands.items()
    }
    numbers = {}
    for library, body in bodies.items():
        numbers[library] = 1
        for _ in range(4):  # the first calls take longer, and those that are waited for one by one
            spent = timed(body, numbers[library], library == OURS)
            numbers[library] = max(1, min(1000, int(SAMPLE / max(spent, 1e-7))))
    times: dict[str, list[float]] = {library: [] for library in bodies}
    alone: list[float] = []
    until = time.perf_counter() + seconds
    for repeat in range(repeats):
        if repeat >= FEWEST and time.perf_counter() > until:
            break
        for library, body in bodies.items():
            time.sleep(PAUSE)
            timed(body, 1, library == OURS)  # wakes the processors and fills the caches
            times[library].append(timed(body, numbers[library], library == OURS) * 1e3)
            if library == OURS and name not in WAITING and numbers[OURS] >= QUEUED:
                alone.append(run_alone(body) * 1e3)
    found = {library: min(values) for library, values in times.items()}
    if alone:
        found[KERNEL] = min(alone)
    for other in (NUMPY, TORCH):
        if other in times:
            found[f"{OURS}/{other}"] = found[OURS] / found[other]
            found[f"median {OURS}/{other}"] = statistics.median(a / b for a, b in zip(times[OURS], times[other], strict=True))
    return found


Row = dict[str, Any]


def table(options: argparse.Namespace) -> Iterator[Row]:
    libraries = [NUMPY, OURS] + ([TORCH] if torch is not None else [])
    for dtype in options.dtype:
        for size in options.sizes:
            operands = {library: Operands(library, size, DTYPES[dtype]) for library in libraries}
            for name in options.only or ROWS:
                yield {"operator": name, "dtype": dtype, "elements": size, **measured(name, operands, options.repeats, options.seconds)}


_PASSES = "several passes over memory that stays in the cache, where PyTorch has one loop that does all"
_SHAPES = "the data decide the shape: the call waits, and the model is found by its description, 0.02 to 0.04 ms whatever the size"
_HALVES = "NumPy has no vector loop that converts float16: whole-array integer steps do it, where PyTorch uses the processor's instructions"
_PARTS = "five to ten calls of NumPy and the launches of its parts count for more than the work"
REASONS = {
    "where": "choosing by bits, whose steps on a few elements are calls more than work",
    "masked_fill": "choosing by bits, whose steps on a few elements are calls more than work",
    "cumsum": "float32 and halves are summed up in float64, so that no error grows, and NumPy's loop waits for each sum of two halves",
    "sum": "NumPy adds in one thread and pairwise, PyTorch with as many sums as a register holds",
    "mean, dim 1": "as for sum",
    "softmax, dim 1": f"{_PASSES}, and whose exponential is quicker than NumPy's",
    "layer_norm": _PASSES,
    "rms_norm": _PASSES,
    "cross_entropy": f"log_softmax and nll_loss, two operators; {_PASSES}",
    "exp": "NumPy's loop, PyTorch has a quicker one",
    "log": "NumPy's loop, PyTorch has a quicker one",
    "topk, 64": _PARTS,
    "matmul": "middling products are held to one thread, since those of the matrix library spin: 2 microseconds to say so",
    "bmm": "NumPy gives the library one matrix after the other",
    "transpose, copied": "a view is made in Python first",
    "index_select, rows": "checking the indices is a pass of its own",
    "x[mask]": _SHAPES,
    "x[mask], one of ten": _SHAPES,
    "x[mask], nine of ten": _SHAPES,
    "m[mask of rows]": f"{_SHAPES}; the rows are gathered by a second operator",
    "nonzero": _SHAPES,
    "conv2d, 3x3": "windows are gathered into columns, which PyTorch's convolutions do without",
    "fill_": "memory is written by one core; before that, Python looks at what is written where for 3 microseconds",
    "copy_": "memory is written by one core; before that, Python looks at what is written where for 3 microseconds",
    "conv2d, depthwise": "few products stand behind each element that is gathered, and a second core hardly gathers faster",
    "max_pool2d, 2x2": _PARTS,
    "rand": "Philox, as on the chip, by randomgen in C: twice NumPy's PCG64; eight draws share the copy of their counters",
    "randn": "as for rand, then Box-Muller",
}
"""Why PyTorch is more than twice as fast, or NumPy more than 1.3 times, where it is not the launch of a small call."""

LAUNCH = 0.008
"""Milliseconds more than NumPy that a small call of one operator may cost: launch, plan and queue."""


def ratio(row: Row, other: str) -> str:
    value = row.get(f"{OURS}/{other}")
    return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def slow(row: Row) -> bool:
    """Whether a row needs a reason: behind NumPy or far behind PyTorch, by more than a launch."""
    behind = [other for other, limit in ((NUMPY, 1.3), (TORCH, 2.0)) if row.get(f"{OURS}/{other}", 0) > limit]
    return any(row[OURS] - row[other] > LAUNCH for other in behind)


def reason(name: str, dtype: str) -> str:
    if dtype == "float16" and name not in (*RANDOM, "nonzero", "fill_", "copy_") and "mask" not in name:
        return _HALVES
    if dtype == "bfloat16" and name not in REASONS:
        return "computed in float32, with a conversion on the way in and out"
    return REASONS.get(name, "the kernel is NumPy's own loop; what is left is the launch, or a busy machine")


def markdown(rows: list[Row], machine: str) -> Iterator[str]:
    """The lines of a table for each dtype, and the reasons that they need."""
    yield f"The machine: {machine}."
    sizes = sorted({row["elements"] for row in rows})
    small = sizes[:1]  # where launches count
    heads = " | ".join(
        f"{size:.0e}: ms | to NumPy | {'its kernel | ' if size in small else ''}to PyTorch".replace("e+0", "e") for size in sizes
    )
    for dtype in dict.fromkeys(row["dtype"] for row in rows):
        yield from ("", f"### {dtype}", "", f"| | {heads} |", "|---" * (1 + 3 * len(sizes) + len(small)) + "|")
        mine = [row for row in rows if row["dtype"] == dtype]
        for name in dict.fromkeys(row["operator"] for row in mine):
            cells = []
            for size in sizes:
                row = next((row for row in mine if row["operator"] == name and row["elements"] == size), None)
                alone = [""] * (size in small)
                if row is None:
                    cells += ["", "", *alone, ""]
                    continue
                if alone and KERNEL in row:
                    alone = [f"{row[KERNEL] / row[NUMPY]:.2f}"]
                cells += [f"{row[OURS]:.3g}", ratio(row, NUMPY), *alone, ratio(row, TORCH)]
            yield f"| {name} | {' | '.join(cells)} |"
        needed: dict[str, list[str]] = {}
        for row in filter(slow, mine):
            needed.setdefault(row["operator"], []).append(f"{row['elements']:.0e}".replace("e+0", "e"))
        if needed:
            yield from ("", "Slower than 1.3 times NumPy or twice PyTorch, by more than a launch:", "")
            reasons: dict[str, list[str]] = {}
            for name, places in needed.items():
                reasons.setdefault(reason(name, dtype), []).append(f"{name} ({', '.join(places)})")
            for why, names in reasons.items():
                yield from textwrap.wrap(f"- {'; '.join(names)}: {why}.", 140, subsequent_indent="  ", break_on_hyphens=False)


def printed(rows: Iterator[Row]) -> Iterator[Row]:
    dtype = ""
    for row in rows:
        if dtype != row["dtype"]:
            dtype = row["dtype"]
            print(f"{dtype:22}{'elements':>10}{'numpy ms':>11}{'ours ms':>11}{'torch ms':>11}{'to numpy':>10}{'to torch':>10}")
        cells = [f"{row[library]:11.4f}" if library in row else f"{'':11}" for library in (NUMPY, OURS, TORCH)]
        ratios = [f"{ratio(row, other):>10}" for other in (NUMPY, TORCH)]
        print(f"{row['operator']:22}{row['elements']:10.0e}{''.join(cells)}{''.join(ratios)}", flush=True)
        yield row


def kept(files: list[str]) -> list[Row]:
    """Rows of earlier runs; of one measured twice the later."""
    found: dict[tuple[str, int, str], Row] = {}
    for name in files:
        with open(name) as file:
            found.update(((row["dtype"], row["elements"], row["operator"]), row) for row in json.load(file))
    return list(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dtype", choices=list(DTYPES), nargs="+", default=["float32"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 1_000_000, 10_000_000])
    parser.add_argument("--only", nargs="+", choices=list(ROWS), metavar="NAME", help=", ".join(ROWS))
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=1.5, help="after so many a row ends, with three repeats at least")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    parser.add_argument("--markdown", metavar="FILE", help="write them there as the tables of docs/performance.md")
    parser.add_argument("--measured", metavar="FILE", nargs="+", help="measure nothing, take what --json has written")
    options = parser.parse_args()
    if options.clock == "cpu":
        Clock.read = time.process_time
        threadpool_limits(1)
        if torch is not None:
            torch.set_num_threads(1)
    machine = limits()
    print(f"the machine: {machine}")
    rows = kept(options.measured) if options.measured else list(printed(table(options)))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.writelines(f"{line}\n" for line in markdown(rows, machine))


if __name__ == "__main__":
    main()
