"""What type checkers make of expressions that users write. Checked by mypy and pyright, and run, out of `test_types.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from typing_extensions import assert_type

import ascendtensor as at
from ascendtensor import NPUTensor
from ascendtensor import array_api as xp
from ascendtensor.array_api.array import Array
from ascendtensor.runtime.device import Device


def operators(x: NPUTensor, y: NPUTensor) -> None:
    assert_type(x + y, NPUTensor)
    assert_type(x - 1, NPUTensor)
    assert_type(2 * x, NPUTensor)
    assert_type(1.0 / x, NPUTensor)
    assert_type(x @ y, NPUTensor)
    assert_type(x**2, NPUTensor)
    assert_type(-x, NPUTensor)
    assert_type(x == y, NPUTensor)
    assert_type(x < 1, NPUTensor)
    assert_type((x > 0) & (y > 0), NPUTensor)
    assert_type(x[0], NPUTensor)
    assert_type(x[0, 1:], NPUTensor)
    assert_type(x[x > 0], NPUTensor)
    x += 1
    assert_type(x, NPUTensor)


def members(x: NPUTensor) -> None:
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.size(), tuple[int, ...])
    assert_type(x.size(0), int)
    assert_type(x.ndim, int)
    assert_type(x.numel(), int)
    assert_type(x.dtype, at.dtype)
    assert_type(x.device, Device)
    assert_type(x.T, NPUTensor)
    assert_type(x.sum(), NPUTensor)
    assert_type(x.sum(dim=0, keepdim=True), NPUTensor)
    assert_type(x.max(), NPUTensor)
    assert_type(x.max(0).values, NPUTensor)
    assert_type(x.sort().indices, NPUTensor)
    assert_type(x.to(at.float16), NPUTensor)
    assert_type(x.reshape(-1), NPUTensor)
    assert_type(x.clone().add_(1), NPUTensor)
    assert_type(x.split(1), tuple[NPUTensor, ...])
    assert_type(x.nonzero(), NPUTensor)
    assert_type(x.nonzero(as_tuple=True), tuple[NPUTensor, ...])
    assert_type(x.numpy(), np.ndarray[Any, np.dtype[Any]])
    assert_type(x.cpu(), at.HostArray)
    assert_type(x.sum().item(), Any)  # a bool, int, float or complex, which the dtype decides; as of NumPy's arrays
    assert_type(float(x.sum()), float)
    assert_type(len(x), int)


def creation(x: NPUTensor) -> None:
    assert_type(at.tensor([1, 2]), NPUTensor)
    assert_type(at.zeros(2), NPUTensor)
    assert_type(at.zeros((2, 3), dtype=at.int64), NPUTensor)
    assert_type(at.arange(3), NPUTensor)
    assert_type(at.eye(2), NPUTensor)
    assert_type(at.randn(2, 3), NPUTensor)
    assert_type(at.from_numpy(np.zeros(2)), NPUTensor)
    assert_type(at.ones_like(x), NPUTensor)


def functions(x: NPUTensor, y: NPUTensor, i: NPUTensor) -> None:
    assert_type(at.add(x, y), NPUTensor)
    assert_type(at.exp(x), NPUTensor)
    assert_type(at.where(x > 0, x, 0.0), NPUTensor)
    assert_type(at.where(x > 0), tuple[NPUTensor, ...])
    assert_type(at.cat([x, y]), NPUTensor)
    assert_type(at.sort(x).values, NPUTensor)
    assert_type(at.topk(x, 1).indices, NPUTensor)
    assert_type(at.max(x), NPUTensor)
    assert_type(at.max(x, y), NPUTensor)
    assert_type(at.median(x, 0).values, NPUTensor)
    assert_type(at.unique(x), NPUTensor)
    assert_type(at.meshgrid(i, i, indexing="ij"), tuple[NPUTensor, ...])
    assert_type(at.einsum("ij,jk->ik", x, y), NPUTensor)
    assert_type(at.std_mean(x), tuple[NPUTensor, NPUTensor])
    assert_type(at.atleast_2d(x), NPUTensor)
    assert_type(at.atleast_2d(x, y), tuple[NPUTensor, ...])
    assert_type(at.average(x), NPUTensor)
    assert_type(at.isin(x, y), NPUTensor)
    assert_type(at.from_dlpack(np.zeros(2)), NPUTensor)
    assert_type(at.allclose(x, y), bool)
    assert_type(at.result_type(x, 1), at.dtype)
    assert_type(at.finfo(at.float32).eps, float)
    assert_type(at.linalg.svd(x).S, NPUTensor)
    assert_type(at.linalg.qr(x).Q, NPUTensor)
    assert_type(at.linalg.inv(x), NPUTensor)
    assert_type(at.fft.fft(x), NPUTensor)
    assert_type(at.special.erf(x), NPUTensor)
    assert_type(at.nn.functional.relu(x), NPUTensor)
    assert_type(at.nn.functional.cross_entropy(x, i), NPUTensor)
    assert_type(at.nn.functional.max_pool1d(x, 2), NPUTensor)
    assert_type(at.nn.functional.max_pool1d(x, 2, return_indices=True), tuple[NPUTensor, NPUTensor])


def conversions(x: NPUTensor, y: NPUTensor) -> None:
    assert_type(x.to("npu"), NPUTensor)
    assert_type(x.to("npu:0"), NPUTensor)
    assert_type(x.to(x.device), NPUTensor)
    assert_type(x.to(y), NPUTensor)
    assert_type(x.to("npu:0", at.float16), NPUTensor)
    assert_type(x.to(device="npu:0", dtype=at.float16), NPUTensor)
    assert_type(x.to("cpu"), at.HostArray)
    assert_type(x.type(), str)
    assert_type(x.type(at.int32), NPUTensor)
    assert_type(x.stride(), tuple[int, ...])
    assert_type(x.stride(0), int)
    assert_type(divmod(x, 2), tuple[NPUTensor, NPUTensor])
    assert_type(x.tolist(), Any)  # nested lists as deep as there are dimensions, a number where there are none


def standard() -> None:
    a = xp.ones((2, 2))
    assert_type(a, Array)
    assert_type(xp.asarray([1.0]), Array)
    assert_type(xp.sum(a, axis=0), Array)
    assert_type(xp.reshape(a, (4,)), Array)
    assert_type(xp.concat([a, a]), Array)
    assert_type(xp.astype(a, xp.float64), Array)
    assert_type(xp.unique_all(a).counts, Array)
    assert_type(xp.fft.fft(a), Array)
    assert_type(xp.add(a, 1), Array)
    assert_type(xp.pow(2.0, a), Array)
    assert_type(xp.maximum(a, a), Array)
    assert_type(xp.exp(a), Array)
    assert_type(xp.where(a > 0, a, 0.0), Array)
    assert_type(xp.meshgrid(a[0], a[0]), tuple[Array, ...])
    assert_type(xp.tril(a), Array)
    assert_type(xp.searchsorted(a[0], a[1]), Array)
    assert_type(xp.finfo(xp.float32), at.finfo)
    assert_type(xp.isdtype(xp.float32, "integral"), bool)
    assert_type(xp.__array_namespace_info__().devices(), tuple[Device, ...])


def array_operators(a: Array) -> None:
    assert_type(a + a, Array)
    assert_type(1 - a, Array)
    assert_type(a @ a, Array)
    assert_type(a**2, Array)
    assert_type(-a, Array)
    assert_type(a < 1, Array)
    assert_type(a == a, Array)
    assert_type(a[0], Array)
    assert_type(a.mT, Array)
    assert_type(a.to_device("npu:0"), Array)
    assert_type(float(a[0, 0]), float)


def array_algebra(a: Array, v: Array) -> None:
    linalg = xp.linalg
    assert_type(linalg.cholesky(a), Array)
    assert_type(linalg.cross(v, v), Array)
    assert_type(linalg.det(a), Array)
    assert_type(linalg.diagonal(a), Array)
    assert_type(linalg.eigh(a).eigenvalues, Array)
    assert_type(linalg.eig(a).eigenvectors, Array)
    assert_type(linalg.eigvals(a), Array)
    assert_type(linalg.inv(a), Array)
    assert_type(linalg.matmul(a, a), Array)
    assert_type(linalg.matrix_norm(a), Array)
    assert_type(linalg.matrix_power(a, 2), Array)
    assert_type(linalg.matrix_rank(a), Array)
    assert_type(linalg.outer(v, v), Array)
    assert_type(linalg.pinv(a), Array)
    assert_type(linalg.qr(a).Q, Array)
    assert_type(linalg.slogdet(a).logabsdet, Array)
    assert_type(linalg.solve(a, a), Array)
    assert_type(linalg.svd(a).S, Array)
    assert_type(linalg.trace(a), Array)
    assert_type(linalg.vector_norm(v), Array)


def everything() -> None:
    """Run it all."""
    x, y = at.tensor([[1.0, 2.0], [3.0, 4.0]]), at.ones(2, 2)
    operators(x.clone(), y)
    members(x)
    creation(x)
    functions(x, y, at.tensor([0, 1]))
    conversions(x, y)
    standard()
    matrix = xp.asarray([[4.0, 1.0], [1.0, 3.0]])
    array_operators(matrix)
    array_algebra(matrix, xp.asarray([1.0, 2.0, 3.0]))
