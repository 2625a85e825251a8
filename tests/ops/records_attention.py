"""Records of attention."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from harness import Array, Refused, With, array, d
from records_nn import of

from ascendtensor.dtypes import dtype as DType
from ascendtensor.nn import attention
from ascendtensor.ops.table import attention as table


def weights(scores: Array, mask: Any) -> Array:
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == np.bool_ else scores + mask
    most = scores.max(-1, keepdims=True, initial=-np.inf)
    shares = np.exp(scores - np.where(np.isinf(most), 0, most))
    total = shares.sum(-1, keepdims=True)
    return np.where(total == 0, 0, shares / np.where(total == 0, 1, total))


def dot_product(
    q: Array, k: Array, v: Array, attn_mask: Any = None, is_causal: bool = False, scale: Any = None, enable_gqa: bool = False
) -> Array:
    if enable_gqa:
        k, v = (np.repeat(each, q.shape[-3] // each.shape[-3], -3) for each in (k, v))
    if is_causal:
        attn_mask = np.tril(np.ones((q.shape[-2], k.shape[-2]), np.bool_))
    scores = q @ np.swapaxes(k, -1, -2) * (1 / np.sqrt(max(q.shape[-1], 1)) if scale is None else scale)
    return weights(scores, attn_mask) @ v


def attended(dtype: DType) -> Iterator[Any]:
    q, k, v = array(dtype, (2, 3, 4, 8), key="q"), array(dtype, (2, 3, 6, 8), key="k"), array(dtype, (2, 3, 6, 5), key="v")
    yield q, k, v
    yield With((q[0, 0], k[0, 0], v[0, 0]), {"scale": 0.3})
    yield With((q, k, v), {"is_causal": True})
    seen = array(d.bool_, (4, 6), key="mask")
    seen[1] = False  # a query without a key
    yield With((q, k, v), {"attn_mask": seen})
    yield With((q, k, v), {"attn_mask": array(dtype, (2, 1, 4, 6), key="mask")})
    yield With((array(dtype, (2, 6, 4, 8)), k, v), {"enable_gqa": True, "attn_mask": seen})
    yield With((np.swapaxes(array(dtype, (2, 4, 3, 8)), 1, 2), k[:1], v), {})
    yield q[:, :, :0], k, v
    yield q, k[:, :, :0], v[:, :, :0]
    yield q * dtype.numpy.type(20), k * dtype.numpy.type(20), v


def attention_refused() -> list[Refused]:
    q = np.zeros((2, 3, 4), np.float32)
    return [
        Refused((q, q.astype(np.float16), q), TypeError, "one dtype"),
        Refused((q, q[..., :3], q), ValueError, r"\[2, 3, 4\]"),
        Refused((q, q, q[:, :2]), ValueError, "shapes"),
        Refused((q[0, 0], q, q), ValueError, "2 or more dims"),
        Refused((q, q, q, np.ones((3, 3), np.int64)), TypeError, "mask"),
        Refused((q, q, q, np.ones((3, 3), np.bool_), 0.0, True), ValueError, "exclude"),
        Refused((q, q, q, None, 1.5), ValueError, "dropout_p"),
        Refused((np.zeros((5, 3, 4), np.float32), q, q), ValueError, "heads", {"enable_gqa": True}),
        Refused((q.astype(np.int64),) * 3, TypeError, "floating"),
    ]


def of_heads(q: Array, k: Array, v: Array, w: Array, b: Array, out: Array, mask: Any = None, padding: Any = None) -> tuple[Array, Array]:
    """Two heads of eight numbers; masks say what does not count."""
    size = q.shape[-1]
    if size != 8:
        raise ValueError(f"{size} numbers")
    rows = [each @ w[part * size : (part + 1) * size].T + b[part * size : (part + 1) * size] for part, each in enumerate((q, k, v))]
    heads = [np.transpose(each.reshape(*each.shape[:2], 2, size // 2), (1, 2, 0, 3)) for each in rows]
    scores = heads[0] @ np.swapaxes(heads[1], -1, -2) / np.sqrt(size // 2)
    kept = np.ones(scores.shape, np.bool_)
    if mask is not None:
        kept &= ~mask
    if padding is not None:
        kept &= ~padding[:, None, None]
    shares = weights(scores, kept)
    return np.transpose(shares @ heads[2], (2, 0, 1, 3)).reshape(q.shape) @ out.T, shares.mean(1)


def several_heads(q: Any, k: Any, v: Any, w: Any, b: Any, out: Any, mask: Any = None, padding: Any = None) -> Any:
    return attention.multi_head_attention_forward(
        q, k, v, 8, 2, w, b, None, None, False, 0.0, out, None, attn_mask=mask, key_padding_mask=padding
    )


def head_samples(dtype: DType) -> Iterator[Any]:
    operands = (*(array(dtype, shape, -1, 1, shape) for shape in ((4, 3, 8), (6, 3, 8))), array(dtype, (6, 3, 8), -1, 1, "v"))
    params = (array(dtype, (24, 8), -0.5, 0.5, "w"), array(dtype, (24,), -0.5, 0.5, "b"), array(dtype, (8, 8), -0.5, 0.5, "o"))
    yield (*operands, *params)
    mask, padding = array(d.bool_, (4, 6), key="mask"), array(d.bool_, (3, 6), key="padding")
    mask[:, 0] = padding[:, 0] = False
    yield (*operands, *params, mask, padding)


RECORDS = [
    of(
        "scaled_dot_product_attention",
        attention.scaled_dot_product_attention,
        dot_product,
        attended,
        table.SCORES,
        refused=attention_refused,
    ),
    of(
        "multi_head_attention_forward",
        several_heads,
        of_heads,
        head_samples,
        refused=lambda: [Refused((np.zeros((2, 3, 7), np.float32),) * 6, ValueError, "size 8")],
    ),
]
