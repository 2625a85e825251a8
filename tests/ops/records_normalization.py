"""Records of normalisations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import FLOATS, SAME, Array, Record, Refused, With, array, d
from records_nn import STEPS, X, of, shape_refused

from ascendtensor.dtypes import dtype as DType
from ascendtensor.ops.nn import normalization as functions
from ascendtensor.ops.table import normalization as table


def standard(x: Array, dims: tuple[int, ...], eps: float) -> tuple[Array, Array, Array]:
    mean, inverse = x.mean(dims, keepdims=True), 1 / np.sqrt(x.var(dims, keepdims=True) + eps)
    return (x - mean) * inverse, mean, inverse


def affine(x: Array, weight: Any, bias: Any) -> Array:
    return x * (1 if weight is None else weight) + (0 if bias is None else bias)


def native_layer_norm(x: Array, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> tuple[Array, Array, Array]:
    result, mean, inverse = standard(x, ending(x, shape), eps)
    return affine(result, weight, bias), mean, inverse


def ending(x: Array, shape: Any) -> tuple[int, ...]:
    """The last dims, which have to have that shape."""
    if x.shape[-len(shape) :] != tuple(shape):
        raise ValueError(f"{x.shape} does not end with {shape}")
    return tuple(range(-len(shape), 0))


def layer_norm(*args: Any, **kwargs: Any) -> Array:
    return native_layer_norm(*args, **kwargs)[0]


def layer_norms(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (4, 6)), (6,)
    yield array(dtype, (2, 4, 6)), [4, 6], array(dtype, (4, 6)), array(dtype, (4, 6), key=1)
    yield With((array(dtype, (3, 6)), (6,), array(dtype, (6,))), {"eps": 0.1})
    yield With((array(dtype, (3, 6)), (6,)), {"bias": array(dtype, (6,))})
    yield array(dtype, (3, 8))[:, ::2], (4,), array(d.float32, (4,)), None
    yield array(dtype, (0, 4)), (4,), array(dtype, (4,)), None
    yield array(dtype, (300, 301)), (301,), array(dtype, (301,)), array(dtype, (301,), key=1)


def native_layer_norms(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (4, 6)), (6,), None, None, 1e-5
    yield array(dtype, (2, 4, 6)), (4, 6), array(dtype, (4, 6)), array(dtype, (4, 6), key=1), 0.1


def rms_norm(x: Array, shape: Any, weight: Any = None, eps: float = 1e-7) -> Array:
    dims = ending(x, shape)
    return affine(x / np.sqrt((x * x).mean(dims, keepdims=True) + eps), weight, None)


def rms_norms(dtype: DType) -> Iterator[Any]:
    yield With((array(dtype, (4, 6)), (6,)), {} if dtype is not d.float64 else {"eps": 1e-7})
    yield With((array(dtype, (2, 4, 6)), (4, 6), array(dtype, (4, 6))), {"eps": 1e-3})
    yield With((array(dtype, (6, 4)).T, (6,), array(d.float32, (6,))), {"eps": 1e-3})
    yield array(dtype, (0, 4)), (4,)


def by_channel(param: Any, rank: int) -> Any:
    return None if param is None else param.reshape(-1, *(1,) * (rank - 2))


def native_group_norm(x: Array, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> tuple[Array, Array, Array]:
    result, mean, inverse = standard(x.reshape(x.shape[0], groups, x[0:1].size // groups), (-1,), eps)
    whole = affine(result.reshape(x.shape), by_channel(weight, x.ndim), by_channel(bias, x.ndim))
    return whole, mean[..., 0], inverse[..., 0]


def group_norm(x: Array, groups: int, *args: Any, **kwargs: Any) -> Array:
    several(x.size // groups)
    return native_group_norm(x, groups, *args, **kwargs)[0]


def several(count: int) -> None:
    if count == 1:
        raise ValueError("one value has no variance")


def group_norms(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (2, 6, 5)), 3
    yield array(dtype, (2, 4, 3, 3)), 2, array(dtype, (4,)), array(dtype, (4,), key=1)
    yield array(dtype, (3, 4)), 1
    yield With((array(dtype, (3, 4)), 4), {"bias": array(d.float32, (4,))}) if dtype is not d.float64 else (array(dtype, (3, 4)), 2)
    yield With((array(dtype, (2, 6, 4))[:, ::2], 3, array(dtype, (3,))), {"eps": 0.1})


def batch_norm(
    x: Array, mean: Any, variance: Any, weight: Any = None, bias: Any = None, training: bool = False, momentum: float = 0.1
) -> Array:
    channels(x)
    weight, bias = by_channel(weight, x.ndim), by_channel(bias, x.ndim)
    if training:
        return affine(standard(x, tuple(dim for dim in range(x.ndim) if dim != 1), 1e-5)[0], weight, bias)
    return affine((x - by_channel(mean, x.ndim)) / np.sqrt(by_channel(variance, x.ndim) + 1e-5), weight, bias)


def batch_norms(dtype: DType) -> Iterator[Any]:
    mean, variance = array(dtype, (4,)), array(dtype, (4,), 1, 2)
    yield array(dtype, (3, 4, 5)), mean, variance, array(dtype, (4,)), array(dtype, (4,), key=1)
    yield array(dtype, (3, 4)), mean, variance
    yield With((array(dtype, (3, 4, 2, 3)), mean, variance), {"bias": array(dtype, (4,))})
    yield array(dtype, (3, 4, 5)), None, None, None, None, True
    yield array(dtype, (8, 3)).T, array(dtype, (8,)), array(dtype, (8,), 1, 2), array(dtype, (8,)), None, True
    yield array(dtype, (3, 4, 2, 1, 3)), mean, variance, None, array(dtype, (4,)), True, 0.3
    yield array(dtype, (3, 300, 301)), None, None, None, None, True
    yield array(dtype, (0, 4, 3)), mean, variance, array(dtype, (4,))


def channels(x: Array) -> int:
    return x.shape[1]


def native_batch_norm(
    x: Array, weight: Any, bias: Any, mean: Any, variance: Any, training: bool, momentum: float, eps: float
) -> tuple[Array, Array, Array]:
    channels(x)
    dims = tuple(dim for dim in range(x.ndim) if dim != 1)
    result, center, inverse = standard(x, dims, eps)
    return affine(result, by_channel(weight, x.ndim), by_channel(bias, x.ndim)), center.reshape(-1), inverse.reshape(-1)


def native_batch_norms(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (3, 4, 5)), array(dtype, (4,)), array(dtype, (4,), key=1), None, None, True, 0.1, 1e-3
    yield array(dtype, (6, 4)), None, None, array(dtype, (4,)), array(dtype, (4,), 1, 2), True, 0.5, 1e-5


def instance_norm(x: Array, mean: Any = None, variance: Any = None, weight: Any = None, bias: Any = None, own: bool = True) -> Array:
    several(x.size // max(x.shape[0] * channels(x), 1) if own else 0)
    if not own:
        return batch_norm(x, mean, variance, weight, bias)
    return affine(standard(x, tuple(range(2, x.ndim)), 1e-5)[0], by_channel(weight, x.ndim), by_channel(bias, x.ndim))


def instance_norms(dtype: DType) -> Iterator[Any]:
    yield (array(dtype, (2, 3, 5)),)
    yield array(dtype, (2, 3, 4, 2)), None, None, array(dtype, (3,)), array(dtype, (3,), key=1)
    yield array(dtype, (2, 3, 4)), array(dtype, (3,)), array(dtype, (3,), 1, 2), None, None, False


def response_norm(x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Array:
    around = np.pad(x * x, ((0, 0), (size // 2, (size - 1) // 2), *((0, 0),) * (x.ndim - 2)))
    sums = sum(around[:, start : start + x.shape[1]] for start in range(size))
    return x / (k + alpha * np.asarray(sums) / size) ** beta


def response_norms(dtype: DType) -> Iterator[Any]:
    yield array(dtype, (2, 7, 3)), 5
    yield array(dtype, (2, 4, 3, 2)), 2, 0.5, 0.6, 2.0
    yield array(dtype, (1, 3, 2, 2, 2)), 1
    yield array(dtype, (2, 3, 4))[:, :, ::2], 9, 1.0
    yield array(dtype, (0, 3, 4)), 2


def normalized(x: Array, p: float = 2.0, dim: Any = 1) -> Array:
    if p == np.inf:
        return x / np.maximum(np.abs(x).max(axis=dim, keepdims=True), 1e-12)
    return x / np.maximum(np.sum(np.abs(x) ** p, axis=dim, keepdims=True) ** (1 / p), 1e-12)


def normalizations(dtype: DType) -> Iterator[Any]:
    yield (array(dtype, (3, 4)),)
    yield array(dtype, (3, 4)), 1.0, 0
    yield array(dtype, (3, 4)), np.inf, (0, 1)
    yield array(dtype, (2, 3, 4)), 3.0, -1
    yield array(dtype, (2, 3)) * 0, 2.0, 1


def batch_refused() -> list[Refused]:
    one = np.zeros((1, 3), np.float32)
    return [
        Refused((X, None, None), ValueError, "running_mean and running_var are needed"),
        Refused((X, X[0, :2], X[0]), ValueError, r"running_mean of shape \[2\] does not fit 3 channels"),
        Refused((X, X[0], X[0], X[0], X[0, :1]), ValueError, "bias"),
        Refused((one, None, None), ValueError, "more than one value", {"training": True}),
        Refused((X[0], None, None), ValueError, "no channels"),
        Refused((X.astype(np.int64), X[0], X[0]), TypeError, "batch_norm: a floating dtype"),
    ]


def instance_refused() -> list[Refused]:
    return [
        Refused((X,), ValueError, "more than one value"),
        Refused((X[:, :, None] + X[0],), ValueError, "use_input_stats", {"use_input_stats": False}),
        Refused((X[0],), ValueError, "no channels"),
    ]


def wider(dtype: DType) -> DType:
    return d.float64 if dtype is d.float64 else d.float32


RECORDS = [
    of(
        "layer_norm",
        functions.layer_norm,
        layer_norm,
        layer_norms,
        table.LAYER_NORM,
        table.LAYER_NORM_MIXED,
        refused=shape_refused(X, (4,)),
    ),
    of("native_layer_norm", functions.native_layer_norm, native_layer_norm, native_layer_norms, table.LAYER_NORM),
    of("rms_norm", functions.rms_norm, rms_norm, rms_norms, table.RMS_NORM, table.RMS_NORM_MIXED, refused=shape_refused(X, (4,))),
    of("group_norm", functions.group_norm, group_norm, group_norms, table.GROUP_NORM, table.GROUP_NORM_MIXED, refused=shape_refused(X, 2)),
    of(
        "native_group_norm",
        lambda x, groups, weight, bias: functions.native_group_norm(x, weight, bias, 2, 6, 5, groups, 1e-5),
        native_group_norm,
        lambda dtype: [(array(dtype, (2, 6, 5)), 3, array(dtype, (6,)), array(dtype, (6,), key=1))],
    ),
    of(
        "batch_norm",
        functions.batch_norm,
        batch_norm,
        batch_norms,
        table.BATCH_NORM,
        table.BATCH_NORM_EVAL,
        refused=batch_refused,
    ),
    Record(
        "native_batch_norm",
        functions.native_batch_norm,
        native_batch_norm,
        native_batch_norms,
        (table.BATCH_NORM,),
        FLOATS,
        (SAME, wider, wider),
        STEPS,
    ),
    of("instance_norm", functions.instance_norm, instance_norm, instance_norms, refused=instance_refused),
    of("local_response_norm", functions.local_response_norm, response_norm, response_norms, refused=shape_refused(X, 2)),
    of("normalize", functions.normalize, normalized, normalizations, out=True, refuses=(d.int64,)),
]
