"""New shapes against the same shape again: an add, a matrix product and a sum on shapes never seen before must not be compiled one by one.

    python bench/shapes.py [--calls 100] [--side 256] [--limit 3]

Every new shape has the number of elements of the warm one to within 2 per cent. The figure is (time of `calls` steps on new shapes) /
(time of as many on the warm shape), the median of five rounds; beyond `--limit` the exit status is 1. Also: operator models loaded
meanwhile, what a new shape costs each operator by itself (processor time until it is queued, and in additions of 8x8 by NumPy, so that
the machine's speed does not count), and the first call of a process.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import ascendtensor as at

FIRST = """
import time
began = time.perf_counter()
import ascendtensor as at
(at.ones(8, 8) + 1).numpy()
print(time.perf_counter() - began)
"""


def step(x: Any, y: Any) -> Any:
    """The three operators."""
    return at.sum((x + x) @ y)


def operands(rows: int, columns: int) -> tuple[Any, Any]:
    """A tensor of the shape, and what it is multiplied with."""
    return at.from_numpy(np.ones((rows, columns), np.float32)), at.from_numpy(np.ones((columns, rows), np.float32))


def shapes(side: int) -> Iterator[tuple[int, int]]:
    """Different shapes whose number of elements is that of a square to within 2 per cent."""
    for distance in itertools.count(1):
        for rows in (side + distance, side - distance):
            if rows < 1:
                continue
            columns = round(side * side / rows)
            if abs(rows * columns - side * side) <= 0.02 * side * side:
                yield rows, columns


def timed(pairs: list[tuple[Any, Any]]) -> float:
    at.synchronize()
    began = time.perf_counter()
    for x, y in pairs:
        step(x, y)
    at.synchronize()
    return time.perf_counter() - began


ALONE: dict[str, Callable[[Any, Any], Any]] = {"x + x": lambda x, y: x + x, "x @ y": lambda x, y: x @ y, "sum(x)": lambda x, y: at.sum(x)}


def alone(unseen: Iterator[tuple[int, int]]) -> None:
    """One operator at a time, on small tensors: 20 shapes that make it dynamic, then rounds of 20 new ones."""
    small = np.ones((8, 8), np.float32)
    for name, body in ALONE.items():
        rounds = []
        for number in range(6):
            fresh = [operands(*shape) for shape in itertools.islice(unseen, 20)]
            began = time.thread_time()
            for _ in range(200):
                small + small
            unit = (time.thread_time() - began) / 200
            began = time.thread_time()
            for x, y in fresh:
                body(x, y)
            seconds = (time.thread_time() - began) / len(fresh)
            at.synchronize()
            if number:
                rounds.append((seconds, seconds / unit))
        seconds, ratio = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"a new shape of {name:6} alone {seconds * 1e6:6.0f} us, {ratio:4.0f} small additions of NumPy")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--side", type=int, default=256)
    parser.add_argument("--limit", type=float, default=3.0)
    arguments = parser.parse_args()
    count, side = arguments.calls, arguments.side
    unseen = shapes(side)
    warm = operands(side, side)
    for _ in range(10):
        timed([warm] * 5)
    for shape in itertools.islice(unseen, 20):  # the signature becomes dynamic here
        timed([operands(*shape)])
    same, new = [], []
    before = at.handle_cache.info()
    for _ in range(5):
        fresh = [operands(*shape) for shape in itertools.islice(unseen, max(1, count // 5))]
        same.append(timed([warm] * len(fresh)))
        new.append(timed(fresh))
    after = at.handle_cache.info()
    ratio = statistics.median(n / s for n, s in zip(new, same, strict=True))
    calls = 5 * max(1, count // 5)
    print(f"same shape {sum(same) / calls * 1e6:8.0f} us a step of three operators on about {side * side} elements")
    print(f"new shapes {sum(new) / calls * 1e6:8.0f} us")
    print(f"ratio new/same {ratio:.2f} (at most {arguments.limit})")
    print(f"operator models loaded for {calls} new shapes: {after.loaded_models - before.loaded_models}")
    alone(itertools.product(range(3, 60), range(5, 60)))
    first = float(subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True).stdout)
    print(f"first call in a process, with the import: {first:.2f} s")
    return int(ratio > arguments.limit)


if __name__ == "__main__":
    sys.exit(main())
