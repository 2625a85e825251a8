"""A small call with a known answer for each behaviour that `tests/data/torch_functions.json` names and no record tests.

An answer is what `Tensor.tolist` gives; functions that draw numbers have a condition on the result instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import ascendtensor as at
from ascendtensor.nn import functional as F
from ascendtensor.nn import grad, init
from ascendtensor.ops.nn import embedding


def written(target: Any, *writes: tuple[Any, Any]) -> Any:
    """The tensor after assignments `target[index] = value`."""
    for index, value in writes:
        target[index] = value
    return target


def seeded(function: Callable[[], Any]) -> tuple[Any, Any]:
    """What a function draws twice, with the same seed."""
    at.manual_seed(7)
    first = function()
    at.manual_seed(7)
    return first, function()


def grid(rows: int = 2, columns: int = 3) -> Any:
    return at.arange(rows * columns, dtype=at.float32).reshape(rows, columns)


def image(side: int = 2, channels: int = 1) -> Any:
    return at.arange(channels * side * side, dtype=at.float32).reshape(1, channels, side, side)


def between(low: float, high: float) -> Callable[[Any], bool]:
    return lambda result: all(low <= value <= high for value in at.flatten(result).tolist())


def ints(*values: int) -> Any:
    return at.tensor(values)


def numbers(*values: float) -> Any:
    return at.tensor(values, dtype=at.float32)


def lstm_of_zeros() -> Any:
    weights = [at.zeros(4, 1), at.zeros(4, 1)]
    return at.lstm(at.ones(2, 1, 1), (at.zeros(1, 1, 1), at.ones(1, 1, 1)), weights, False, 1, 0.0, False, False, False)[2]


def gru_of_zeros() -> Any:
    weights = [at.zeros(3, 1), at.zeros(3, 1)]
    return at.gru(at.ones(2, 1, 1), at.ones(1, 1, 1), weights, False, 1, 0.0, False, False, False)[1]


MADE: Final = {
    "empty": (lambda: at.empty(2, 3).shape, (2, 3)),
    "zeros": (lambda: at.zeros(2, dtype=at.int8), [0, 0]),
    "ones": (lambda: at.ones((1, 2)), [[1.0, 1.0]]),
    "zeros_like": (lambda: at.zeros_like(ints(3, 4)), [0, 0]),
    "ones_like": (lambda: at.ones_like(ints(3, 4), dtype=at.bool), [True, True]),
    "full_like": (lambda: at.full_like(ints(3, 4), 9), [9, 9]),
    "tensor": (lambda: at.tensor([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    "rand": (lambda: at.rand(50), between(0, 1)),
    "randn": (lambda: at.randn(50), between(-9, 9)),
    "normal": (lambda: at.normal(at.tensor([100.0, -100.0]), 1.0).sign(), [1.0, -1.0]),
    "randint": (lambda: at.randint(3, 5, (50,)), between(3, 4)),
    "randperm": (lambda: at.randperm(5).sort().values, [0, 1, 2, 3, 4]),
    "bernoulli": (lambda: at.bernoulli(numbers(0, 1, 0)), [0.0, 1.0, 0.0]),
    "multinomial": (lambda: at.multinomial(numbers(0, 1, 0), 1), [1]),
    "exponential_": (lambda: at.empty(50).exponential_(), between(0, math.inf)),
    "nn.init.uniform_": (lambda: init.uniform_(at.empty(50), 2, 3), between(2, 3)),
    "nn.init.trunc_normal_": (lambda: init.trunc_normal_(at.empty(50), a=-1, b=1), between(-1, 1)),
    "manual_seed": (lambda: seeded(lambda: at.rand(4)), lambda drawn: at.equal(*drawn)),
    "shuffle": (lambda: at.shuffle(ints(4, 5, 6)).sort().values, [4, 5, 6]),
    "nn.functional.dropout": (lambda: F.dropout(at.ones(50)), lambda result: set(result.tolist()) <= {0.0, 2.0}),
    "nn.functional.alpha_dropout": (lambda: F.alpha_dropout(at.ones(50), 0.5, training=True).unique().numel(), 2),
    "nn.functional.rrelu": (lambda: F.rrelu(numbers(-1, 2), 0.25, 0.25), [-0.25, 2.0]),
}
"""Tensors that are made, and drawn."""

ELEMENTWISE: Final = {
    "special.expint_ei": (lambda: at.special.expint_ei(numbers(1)), [1.8951178]),
    "real": (lambda: at.real(at.tensor([1 + 2j])), [1.0]),
    "imag": (lambda: at.imag(at.tensor([1 + 2j])), [2.0]),
    "add.alpha": (lambda: at.add(ints(1, 2), ints(10, 20), alpha=2), [21, 42]),
    "add.scalar": (lambda: at.add(ints(1, 2), 2.5), [3.5, 4.5]),
    "mul.scalar": (lambda: at.mul(ints(1, 2), 3), [3, 6]),
    "div.trunc": (lambda: at.div(ints(-7, 7), 2, rounding_mode="trunc"), [-3, 3]),
    "div.floor": (lambda: at.div(ints(-7, 7), 2, rounding_mode="floor"), [-4, 3]),
    "pow.scalar_exp": (lambda: at.pow(ints(3, 4), 2), [9, 16]),
    "pow.scalar_base": (lambda: at.pow(2, ints(3, 4)), [8, 16]),
    "clamp_min": (lambda: at.clamp_min(ints(1, 5), 3), [3, 5]),
    "clamp_max": (lambda: at.clamp_max(ints(1, 5), 3), [1, 3]),
    "where": (lambda: at.where(ints(1, 0) > 0, ints(5, 6), ints(7, 8)), [5, 8]),
    "to": (lambda: ints(1, 0).to(at.bool), [True, False]),
    "float": (lambda: ints(1).float().dtype.name, "float32"),
    "half": (lambda: ints(1).half().dtype.name, "float16"),
    "bfloat16": (lambda: ints(1).bfloat16().dtype.name, "bfloat16"),
    "double": (lambda: ints(1).double().dtype.name, "float64"),
    "int": (lambda: numbers(-1.5).int(), [-1]),
    "long": (lambda: numbers(2.5).long(), [2]),
    "short": (lambda: numbers(2.5).short().dtype.name, "int16"),
    "char": (lambda: numbers(-2.5).char().dtype.name, "int8"),
    "byte": (lambda: numbers(2.5).byte().dtype.name, "uint8"),
    "bool": (lambda: numbers(0, 0.5).bool(), [False, True]),
    "cfloat": (lambda: numbers(2).cfloat(), [2 + 0j]),
    "view_as_real": (lambda: at.view_as_real(at.tensor([1 + 2j])), [[1.0, 2.0]]),
    "item": (lambda: ints(3).item(), 3),
}

REDUCED: Final = {
    "aminmax": (lambda: at.aminmax(ints(3, 1, 2)), [1, 3]),
    "max.dim": (lambda: at.max(grid(), dim=1).indices, [2, 2]),
    "min.dim": (lambda: at.min(grid(), dim=1).values, [0.0, 3.0]),
    "nanmedian": (lambda: at.nanmedian(numbers(math.nan, 3, 1, 2)), 2.0),
    "mode": (lambda: at.mode(ints(2, 1, 2)).values, 2),
    "ptp": (lambda: at.ptp(ints(3, 1, 9)), 8),
    "average": (lambda: at.average(numbers(1, 4), weights=numbers(2, 1)), 2.0),
    "logcumsumexp": (lambda: at.logcumsumexp(numbers(0, 0), 0), [0.0, math.log(2)]),
    "diff": (lambda: at.diff(ints(1, 4, 9)), [3, 5]),
    "trapezoid": (lambda: at.trapezoid(numbers(1, 2, 3)), 4.0),
    "segment_reduce": (lambda: at.segment_reduce(numbers(1, 2, 3), "sum", lengths=ints(2, 1)), [3.0, 3.0]),
    "unique.dim": (lambda: at.unique(at.tensor([[1, 2], [1, 2]]), dim=0), [[1, 2]]),
    "bucketize": (lambda: at.bucketize(ints(3, 0), ints(1, 3, 5)), [1, 0]),
}

MATRICES: Final = {
    "linalg.multi_dot": (lambda: at.linalg.multi_dot([grid(1, 2), grid(2, 2), grid(2, 1)]), [[3.0]]),
    "linalg.slogdet": (lambda: at.linalg.slogdet(at.diag(numbers(2, -3))).sign, -1.0),
    "linalg.lstsq": (lambda: at.linalg.lstsq(at.diag(numbers(2, 4)), numbers(2, 2)[:, None]).solution, [[1.0], [0.5]]),
    "cholesky_solve": (lambda: at.cholesky_solve(numbers(4, 9)[:, None], at.diag(numbers(2, 3))), [[1.0], [1.0]]),
    "linalg.qr": (lambda: at.linalg.qr(at.diag(numbers(2, 3))).R.abs(), [[2.0, 0.0], [0.0, 3.0]]),
    "linalg.svd": (lambda: at.linalg.svd(at.diag(numbers(2, 3))).S, [3.0, 2.0]),
    "linalg.eigh": (lambda: at.linalg.eigh(at.diag(numbers(2, 3))).eigenvalues, [2.0, 3.0]),
    "linalg.eig": (lambda: at.linalg.eig(at.diag(numbers(2, 3))).eigenvalues.real.sort().values, [2.0, 3.0]),
    "trace": (lambda: at.trace(at.diag(numbers(2, 3))), 5.0),
    "linalg.lu": (lambda: at.linalg.lu(at.tensor([[0.0, 1.0], [2.0, 0.0]])).U, [[2.0, 0.0], [0.0, 1.0]]),
    "diagonal": (lambda: at.diagonal(grid()), [0.0, 4.0]),
    "fft.fft2": (lambda: at.fft.fft2(grid(1, 2)), [[1 + 0j, -1 + 0j]]),
    "fft.ifft2": (lambda: at.fft.ifft2(grid(1, 2)), [[0.5 + 0j, -0.5 + 0j]]),
    "nn.LSTM": (lstm_of_zeros, [[[0.25]]]),
    "nn.GRU": (gru_of_zeros, [[[0.25]]]),
}

IMAGES: Final = {
    "nn.functional.conv2d.grad_input": (
        lambda: grad.conv2d_input((1, 1, 2, 2), at.ones(1, 1, 2, 2), numbers(3).reshape(1, 1, 1, 1)),
        [[[[3.0, 3.0], [3.0, 3.0]]]],
    ),
    "nn.functional.conv2d.grad_weight": (
        lambda: grad.conv2d_weight(image(), (1, 1, 2, 2), numbers(2).reshape(1, 1, 1, 1)),
        [[[[0.0, 2.0], [4.0, 6.0]]]],
    ),
    "nn.functional.conv2d.depthwise": (
        lambda: F.conv2d(image(1, 2) + 1, numbers(10, 100).reshape(2, 1, 1, 1), groups=2),
        [[[[10.0]], [[200.0]]]],
    ),
    "nn.functional.batch_norm.eval": (lambda: F.batch_norm(numbers(3)[None], numbers(1), numbers(4), eps=0.0), [[1.0]]),
    "nn.functional.embedding.grad": (
        lambda: embedding.embedding_dense_backward(numbers(1, 2)[:, None], ints(1, 1), 2, -1, False),
        [[0.0], [3.0]],
    ),
    "nn.functional.interpolate.nearest": (lambda: F.interpolate(grid(1, 2)[None], scale_factor=2), [[[0.0, 0.0, 1.0, 1.0]]]),
    "nn.functional.interpolate.bilinear": (lambda: F.interpolate(image(), size=1, mode="bilinear"), [[[[1.5]]]]),
    "nn.functional.interpolate.bicubic": (lambda: F.interpolate(at.ones(1, 1, 2, 2), size=(1, 3), mode="bicubic"), [[[[1.0, 1.0, 1.0]]]]),
    "nn.functional.interpolate.trilinear": (lambda: F.interpolate(at.ones(1, 1, 2, 2, 2), size=1, mode="trilinear"), [[[[[1.0]]]]]),
    "nn.functional.interpolate.linear": (lambda: F.interpolate(grid(1, 2)[None], size=1, mode="linear"), [[[0.5]]]),
    "nn.functional.interpolate.nearest3d": (lambda: F.interpolate(image()[None], size=1), [[[[[0.0]]]]]),
    "nn.functional.pad.constant": (lambda: F.pad(ints(1, 2), (1, 0), value=9), [9, 1, 2]),
    "nn.functional.pad.reflect": (lambda: F.pad(grid(1, 3), (1, 1), "reflect"), [[1.0, 0.0, 1.0, 2.0, 1.0]]),
    "nn.functional.pad.replicate": (lambda: F.pad(grid(1, 2), (1, 1), "replicate"), [[0.0, 0.0, 1.0, 1.0]]),
    "nn.functional.pad.circular": (lambda: F.pad(grid(1, 2), (1, 1), "circular"), [[1.0, 0.0, 1.0, 0.0]]),
    "nms": (lambda: at.vision.nms(at.tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9]]), numbers(0.5, 0.9), 0.5), [1]),
    "roi_align": (lambda: at.vision.roi_align(at.ones(1, 1, 4, 4), numbers(0, 0, 0, 2, 2)[None], 1), [[[[1.0]]]]),
}


SHAPED: Final = {
    "reshape": (lambda: at.reshape(ints(1, 2, 3, 4), (2, -1)), [[1, 2], [3, 4]]),
    "view": (lambda: ints(1, 2).view(2, 1), [[1], [2]]),
    "flatten": (lambda: at.flatten(grid(2, 2)), [0.0, 1.0, 2.0, 3.0]),
    "ravel": (lambda: at.ravel(grid(2, 1)), [0.0, 1.0]),
    "squeeze": (lambda: at.squeeze(grid(1, 2)), [0.0, 1.0]),
    "unsqueeze": (lambda: at.unsqueeze(ints(1, 2), -1), [[1], [2]]),
    "unflatten": (lambda: at.unflatten(ints(1, 2), 0, (1, -1)), [[1, 2]]),
    "permute": (lambda: at.permute(grid(1, 2), (1, 0)), [[0.0], [1.0]]),
    "contiguous": (lambda: grid(2, 2).T.contiguous().is_contiguous(), True),
    "as_strided": (lambda: at.as_strided(ints(1, 2, 3), (2, 2), (1, 1)), [[1, 2], [2, 3]]),
    "copy_": (lambda: at.zeros(2).copy_(ints(1, 2)), [1.0, 2.0]),
    "expand": (lambda: ints(1, 2).expand(2, -1), [[1, 2], [1, 2]]),
    "repeat": (lambda: ints(1, 2).repeat(2, 1), [[1, 2], [1, 2]]),
    "cat": (lambda: at.cat((ints(1), ints(2, 3))), [1, 2, 3]),
    "stack": (lambda: at.stack((ints(1), ints(2))), [[1], [2]]),
    "hstack": (lambda: at.hstack((ints(1), ints(2))), [1, 2]),
    "vstack": (lambda: at.vstack((ints(1), ints(2))), [[1], [2]]),
    "dstack": (lambda: at.dstack((ints(1), ints(2))), [[[1, 2]]]),
    "column_stack": (lambda: at.column_stack((ints(1), ints(2))), [[1, 2]]),
    "split": (lambda: at.split(ints(1, 2, 3, 4), 2), [[1, 2], [3, 4]]),
    "unbind": (lambda: at.unbind(ints(1, 2)), [1, 2]),
    "narrow": (lambda: at.narrow(ints(1, 2, 3), 0, 1, 2), [2, 3]),
    "select": (lambda: at.select(grid(), 1, -1), [2.0, 5.0]),
    "Tensor.unfold": (lambda: ints(1, 2, 3).unfold(0, 2, 1), [[1, 2], [2, 3]]),
    "atleast_2d": (lambda: at.atleast_2d(ints(1)), [[1]]),
}

INDEXED: Final = {
    "getitem.slice": (lambda: grid()[:, ::2], [[0.0, 2.0], [3.0, 5.0]]),
    "getitem.index_tensor": (lambda: grid()[ints(1, 0, 1), 0], [3.0, 0.0, 3.0]),
    "getitem.index_tensors": (lambda: grid()[ints(1, 0), ints(-1, 1)], [5.0, 1.0]),
    "getitem.bool_mask": (lambda: grid()[grid() > 3], [4.0, 5.0]),
    "setitem.slice": (lambda: written(ints(1, 2, 3), (slice(1, None), 9)), [1, 9, 9]),
    "setitem.index_tensors": (lambda: written(ints(1, 2, 3), (ints(2, 0), ints(7, 8))), [8, 2, 7]),
    "setitem.bool_mask_scalar": (lambda: written(ints(1, 2, 3), (ints(1, 0, 1) > 0, 9)), [9, 2, 9]),
    "setitem.bool_mask_tensor": (lambda: written(ints(1, 2, 3), (ints(1, 0, 1) > 0, ints(7, 8))), [7, 2, 8]),
    "scatter_reduce": (lambda: at.scatter_reduce(numbers(1, 2), 0, ints(0, 0), numbers(5, 3), "amax"), [5.0, 2.0]),
    "index_put_": (lambda: ints(1, 2).index_put_((ints(0, 0),), ints(5, 6), accumulate=True), [12, 2]),
    "put_": (lambda: grid(2, 2).put_(ints(3, 0), numbers(8, 9)), [[9.0, 1.0], [2.0, 8.0]]),
    "fill_diagonal_": (lambda: at.zeros(2, 2).fill_diagonal_(3), [[3.0, 0.0], [0.0, 3.0]]),
}

SAMPLES: Final[dict[str, tuple[Callable[[], Any], Any]]] = {**MADE, **ELEMENTWISE, **REDUCED, **MATRICES, **IMAGES, **SHAPED, **INDEXED}
