"""On how many threads the matrix library works.

Its threads spin while they wait for each other, so on a busy machine a middling product takes many times longer on two of them than on
one, and burns both cores. Only products that are worth it get more than one thread.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import math
import os
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np
from threadpoolctl import ThreadpoolController

from ascendtensor.simulator.kernels.registry import Array, Task

SMALL: Final = 64**3
"""Up to this many multiplications OpenBLAS stays on one thread by itself."""
LARGE: Final = 640**3
"""From here on a single product is left to as many threads as the library is set to."""
SMALL_VECTOR: Final = 9216
LARGE_VECTOR: Final = 4_000_000
"""The same for products with a vector, which are bound by memory."""
_PARTS: Final = 4
"""Parts of a large work for each thread."""


class _OneThread:
    """Holds the matrix library at one thread while any product asks for it; what it was set to comes back afterwards."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before: list[tuple[Callable[[int], object], int]] = []

    def __enter__(self) -> None:
        with self._lock:
            self._users += 1
            if self._users == 1:
                for get, set_ in _libraries():
                    number = get()
                    if number != 1:
                        self._before.append((set_, number))
                        set_(1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                while self._before:
                    set_, number = self._before.pop()
                    set_(number)


@lru_cache(maxsize=1)
def _libraries() -> tuple[tuple[Callable[[], int], Callable[[int], object]], ...]:
    """What asks for and sets the number of threads of each matrix library.

    Those of OpenBLAS are called without threadpoolctl: they take a fifth of the time, and it lets the first thread that sets a number be
    the only one to do so. Python's lock is kept meanwhile, since nothing waits in them.
    """
    found = []
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        calls = (
            None if library.internal_api != "openblas" or library.threading_layer == "openmp" else _calls(ctypes.PyDLL(library.filepath))
        )
        found.append(calls or (library.get_num_threads, library.set_num_threads))
    return tuple(found)


def _calls(library: ctypes.PyDLL) -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """The functions of an OpenBLAS, under whichever of its names they have."""
    for prefix, suffix in itertools.product(("", "scipy_"), ("", "64_", "_64")):
        with contextlib.suppress(AttributeError):
            return getattr(library, f"{prefix}openblas_get_num_threads{suffix}"), getattr(
                library, f"{prefix}openblas_set_num_threads{suffix}"
            )
    return None


one_thread: Final = _OneThread()


def product(a: Array, b: Array, out: Array) -> None:
    """`out[...] = a @ b` on as many threads as it is worth."""
    fn, args = product_task(a, b, out)
    fn(*args)


def product_task(a: Array, b: Array, out: Array) -> Task:
    """The same as a task of a stream; what needs no care is the bare call."""
    return (_held_product if _size(a, out) == "middling" else np.matmul), (a, b, out)


def _held_product(a: Array, b: Array, out: Array | None) -> Array:
    with one_thread:
        result: Array = np.matmul(a, b, out)
    return result


def _size(a: Array, out: Array) -> str:
    """Of one matrix of the stack, since the library works on them one after another."""
    sizes = out.shape[-2:]
    multiplications = math.prod(sizes) * a.shape[-1]
    small, large = (SMALL, LARGE) if len(sizes) == 2 and 1 not in sizes else (SMALL_VECTOR, LARGE_VECTOR)
    return "small" if multiplications <= small else "middling" if multiplications < large else "large"


def shared(number: int, work: Callable[[int, int], None], large: bool, products: bool = False) -> None:
    """Runs `work(start, stop)` over all of `number` pieces, where it is large on as many threads as there are cores.

    Each thread takes a part and comes back for the next, so that one whose core has other work does less. The threads live for this work
    only, so none waits for the next.

    Args:
        number: Of pieces.
        work: Does the pieces from one to another.
        large: Whether it is worth several threads.
        products: Whether there are matrix products in it of a size that the library would spread itself: it keeps to one thread then.
    """
    together = min(_cores(), number) if large else 1
    if together <= 1:
        if products:
            with one_thread:
                work(0, number)
        else:
            work(0, number)
        return
    failures: list[BaseException] = []
    parts = min(together * _PARTS, number)
    left = iter(range(parts))  # whose next one is given to one thread alone

    def some() -> None:
        try:
            with np.errstate(all="ignore"):
                for part in left:
                    work(number * part // parts, number * (part + 1) // parts)
        except BaseException as error:
            failures.append(error)

    held = one_thread if products else contextlib.nullcontext()
    others = [threading.Thread(target=some, name="kernel part", daemon=True) for _ in range(1, together)]
    with held:
        for thread in others:
            thread.start()
        some()
        for thread in others:
            thread.join()
    if failures:
        raise failures[0]


@lru_cache(maxsize=1)
def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
