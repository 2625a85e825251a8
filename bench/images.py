"""Convolutions, pools and resizes on the simulator, beside PyTorch's on one CPU thread; needs torch.

    python bench/images.py [--repeats 15]

The least CPU time of the repeats, of all threads together: on a busy machine it says more than the clock.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as theirs

import ascendtensor as at

ours: Any = at.nn.functional
Body = Callable[[], Any]


def pair(function: str, *arrays: Any, **options: Any) -> tuple[Body, Body]:
    """(PyTorch's body, ours) of one function on the same numbers."""
    tensors = [at.tensor(array.numpy()) for array in arrays]
    return (lambda: getattr(theirs, function)(*arrays, **options)), (lambda: getattr(ours, function)(*tensors, **options))


def bodies() -> Iterator[tuple[str, tuple[Body, Body]]]:
    x, bias = torch.rand(8, 32, 56, 56), torch.rand(64)
    yield "conv 3x3", pair("conv2d", x, torch.rand(64, 32, 3, 3), bias, padding=1)
    yield "conv 3x3, float16", pair("conv2d", x.half(), torch.rand(64, 32, 3, 3).half(), padding=1)
    yield "conv 1x1", pair("conv2d", x, torch.rand(64, 32, 1, 1))
    yield "conv 7x7, steps of 2", pair("conv2d", torch.rand(1, 3, 224, 224), torch.rand(64, 3, 7, 7), stride=2, padding=3)
    yield "conv 3x3, 256 channels", pair("conv2d", torch.rand(1, 256, 14, 14), torch.rand(256, 256, 3, 3), padding=1)
    yield "conv depthwise", pair("conv2d", x, torch.rand(32, 1, 3, 3), padding=1, groups=32)
    yield "conv1d", pair("conv1d", torch.rand(8, 64, 4000), torch.rand(64, 64, 5), padding=2)
    yield "conv_transpose", pair("conv_transpose2d", torch.rand(8, 64, 28, 28), torch.rand(64, 32, 2, 2), stride=2)
    yield "max_pool 3x3, steps of 2", pair("max_pool2d", x, kernel_size=3, stride=2, padding=1)
    yield "max_pool, indices", pair("max_pool2d", x, kernel_size=3, stride=2, padding=1, return_indices=True)
    yield "avg_pool 2x2", pair("avg_pool2d", x, kernel_size=2)
    yield "adaptive_avg_pool", pair("adaptive_avg_pool2d", x, output_size=7)
    yield "bilinear", pair("interpolate", x, scale_factor=2, mode="bilinear")
    yield "bicubic", pair("interpolate", x, scale_factor=2, mode="bicubic")
    yield "grid_sample", pair("grid_sample", x, torch.rand(8, 56, 56, 2) * 2 - 1, align_corners=False)


def least(body: Body, repeats: int) -> float:
    spent = []
    for _ in range(repeats):
        began = time.process_time()
        body()
        at.synchronize()
        spent.append(time.process_time() - began)
    return min(spent[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    torch.set_num_threads(1)
    print(f"{'':26}{'torch ms':>10}{'ours ms':>10}{'ratio':>8}")
    with torch.no_grad():
        for name, (their_body, our_body) in bodies():
            other, own = least(their_body, repeats), least(our_body, repeats)
            print(f"{name:26}{other * 1e3:10.2f}{own * 1e3:10.2f}{own / other:8.2f}")


if __name__ == "__main__":
    main()
