"""Large work: element-wise operators, reductions and products on 1e6 to 1e7 float32 elements, beside NumPy in the same run.

    python bench/throughput.py [--repeats 7] [--sizes 1000000 10000000]

Medians of the repeats; the ratio is taken inside each repeat. The result of each call replaces the one before, as in a program.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ascendtensor as at

Body = Callable[[], Any]


def rows(size: int) -> dict[str, tuple[Body, Body]]:
    """(NumPy's body, ours) by name."""
    generator = np.random.default_rng(0)
    x, y = (generator.random(size, dtype=np.float32) for _ in range(2))
    a, b = at.tensor(x), at.tensor(y)
    side = int(size**0.5)
    m, n = x[: side * side].reshape(side, side), y[: side * side].reshape(side, side)
    p, q = at.tensor(m), at.tensor(n)
    table: dict[str, tuple[Body, Body]] = {
        "a + b": (lambda: x + y, lambda: a + b),
        "a * 2.0": (lambda: x * np.float32(2), lambda: a * 2.0),
        "exp": (lambda: np.exp(x), lambda: at.exp(a)),
        "a > b": (lambda: x > y, lambda: a > b),
        "where": (lambda: np.where(x > y, x, y), lambda: at.where(a > b, a, b)),
        "sum": (lambda: x.sum(), lambda: a.sum()),
        "sum dim 0": (lambda: m.sum(axis=0), lambda: p.sum(dim=0)),
        "sum dim 1": (lambda: m.sum(axis=1), lambda: p.sum(dim=1)),
        "max": (lambda: x.max(), lambda: a.max()),
        "mean": (lambda: x.mean(), lambda: a.mean()),
    }
    if side <= 1024:
        table["m @ n"] = (lambda: m @ n, lambda: p @ q)
    return table


def timed(body: Body, synchronize: bool, number: int) -> float:
    result = None
    began = time.perf_counter()
    for _ in range(number):
        result = body()
    if synchronize:
        at.synchronize()
    spent = time.perf_counter() - began
    del result
    return spent / number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000, 10_000_000])
    options = parser.parse_args()
    print(f"{'':22}{'numpy ms':>10}{'ours ms':>10}{'ratio':>8}")
    for size in options.sizes:
        number = max(1, 4_000_000 // size)
        for name, (numpy_body, our_body) in rows(size).items():
            timed(numpy_body, False, 1)
            timed(our_body, True, 2)
            theirs, ours = [], []
            for _ in range(options.repeats):
                theirs.append(timed(numpy_body, False, number))
                ours.append(timed(our_body, True, number))
            ratio = statistics.median(o / t for o, t in zip(ours, theirs, strict=True))
            print(f"{f'{name}, {size:.0e}':22}{statistics.median(theirs) * 1e3:10.3f}{statistics.median(ours) * 1e3:10.3f}{ratio:8.2f}")


if __name__ == "__main__":
    main()
