"""Programs made of recordings give what the recordings gave, bit by bit: views, scalars, random draws, reductions, shapes that change."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ascendtensor as at
import ascendtensor.nn.functional as F

pytestmark = pytest.mark.slow

ROOT = Path(at.__file__).parents[1]


def views() -> tuple[at.Tensor, ...]:
    x = at.arange(24, dtype=at.float32).reshape(4, 6)
    return x[1:, ::2].T @ x[:3, :3], x[::-1] + 1, x.permute(1, 0).contiguous()


def scalars() -> tuple[at.Tensor, ...]:
    x = at.arange(5).to(at.float32)
    return x * 2.5 + True - 3, x**2 / 7, 1 - x


def random_draws() -> tuple[at.Tensor, ...]:
    at.manual_seed(3)
    return at.rand(3, 4) + 1, at.randn(5), at.randperm(6), F.dropout(at.ones(10), 0.5)


def reductions() -> tuple[at.Tensor, ...]:
    x = at.rand(6, 7)
    return x.sum(0), x.mean(), x.std(1), x.argmax(1), x.max(0).values, at.logsumexp(x, 1), x.cumsum(0)


def changing_shapes() -> tuple[at.Tensor, ...]:
    x = at.rand(40) - 0.5
    return x[x > 0] * 2, at.unique((x * 5).round()), *(at.ones(length, 3).exp() for length in range(1, 14))


def indices() -> tuple[at.Tensor, ...]:
    x = at.arange(20).reshape(4, 5)
    x[1:3] = 7
    x[x == 7] = 0
    x[[0, 1], [2, 3]] += 5
    return x.clone(), x[at.tensor([3, 0])], at.where(x > 3, x, -x), at.nonzero(x)


def networks() -> tuple[at.Tensor, ...]:
    x = at.rand(2, 3, 8, 8)
    pooled = F.max_pool2d(F.relu(F.conv2d(x, at.rand(4, 3, 3, 3), padding=1)), 2)
    return pooled, F.softmax(x.flatten(1), 1), F.layer_norm(x, (8, 8)), F.interpolate(x, scale_factor=2.0, mode="bilinear")


def matrices() -> tuple[at.Tensor, ...]:
    a = at.rand(4, 4) + at.eye(4) * 4
    return at.linalg.inv(a), at.linalg.svd(a).S, at.linalg.solve(a, at.ones(4)), at.einsum("ij,jk->ik", a, a), at.fft.fft(at.rand(16))


def dtypes() -> tuple[at.Tensor, ...]:
    x = at.rand(5)
    return x.half() * 2, x.to(at.bfloat16).float(), x.to(at.int8) + 3, (x > 0.5) & (x < 0.9), x.to(at.complex64) * 1j, x.double() + 1


@pytest.mark.parametrize(
    "program",
    [views, scalars, random_draws, reductions, changing_shapes, indices, networks, matrices, dtypes],
    ids=lambda each: each.__name__,
)
def test_the_program_gives_the_same(program: Callable[[], tuple[at.Tensor, ...]], tmp_path: Path) -> None:
    with at.trace() as t:
        outputs = program()
    path = t.to_pyacl(tmp_path / "again.py")
    command = [sys.executable, "-m", "ascendtensor.simulator", path.name]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "again_results.npz") as results:
        found = list(dict(results).values())
    for number, output in enumerate(outputs):
        wanted = output.numpy()
        # What depends on the data lies at the start of its upper bound.
        same = [each for each in found if each.dtype == wanted.dtype and each.tobytes().startswith(wanted.tobytes())]
        assert same, (number, wanted, found)
