"""Attention: values by how well their keys fit queries."""

# mypy: disable-error-code="no-any-return"
# (the functions of `ops` give the class of their operand.)

from __future__ import annotations

import math
from typing import Any, TypeVar

from .. import dtypes as d
from ..base import TensorBase, as_class
from ..creation import ones, zeros
from ..errors import DTypeError, ShapeError, ValueRangeError
from ..ops import reduction, shape, views
from ..ops.arguments import checked
from ..ops.call import call
from ..ops.linalg.matmul import linear, matmul
from ..ops.nn.softmax import softmax
from ..ops.pointwise import comparison, elementwise
from ..ops.reduction import HALVES
from ..ops.table import attention as table
from ..random import dropout

T = TypeVar("T", bound=TensorBase)

_NAME = "scaled_dot_product_attention"


@checked
def scaled_dot_product_attention(
    query: T,
    key: T,
    value: T,
    attn_mask: T | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> T:
    """`softmax(query @ key.T * scale + mask) @ value`: for each query the values, weighted by how well their keys fit.

    Scores of half operands are float32, from the product to the softmax. Queries for which everything is masked give zeros.

    Args:
        query: (..., queries, length) tensor of floating dtype.
        key: (..., keys, length) tensor of the same dtype.
        value: (..., keys, size) tensor of the same dtype.
        attn_mask: Tensor that broadcasts to (..., queries, keys): true where a key takes part, or numbers to add; or None.
        dropout_p: Probability with which weights are dropped.
        is_causal: Whether the query at place i sees the keys up to i only.
        scale: Factor of the products; by default `1 / sqrt(length)`.
        enable_gqa: Whether several heads (dim -3) of `query` may share one of `key` and `value`.

    Returns:
        (..., queries, size) tensor.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ or are not floating, or the mask is neither bool nor floating.
        ValueRangeError: Both a mask and `is_causal`, or no probability.

    Ascend operator: BatchMatMulV2, Mul and SoftmaxV2. Like: torch.nn.functional.scaled_dot_product_attention.

    Examples:
        >>> q, k, v = at.ones(1, 1, 2), at.ones(1, 2, 2), at.tensor([[[0.0, 2.0], [2.0, 4.0]]])
        >>> at.nn.functional.scaled_dot_product_attention(q, k, v)
        tensor([[[1., 3.]]], device='npu:0')
    """
    _check(query, key, value, attn_mask, dropout_p, is_causal)
    batch = query.desc.shape[:-2]
    if enable_gqa:
        query, key, value = _grouped(query, key, value)
    scores = _scores(query, key, 1 / math.sqrt(query.desc.shape[-1] or 1) if scale is None else float(scale))
    if enable_gqa:
        scores = views.reshape(scores, (*batch, *scores.desc.shape[-2:]))
    weights = _weights(scores, attn_mask, is_causal)
    if weights.desc.dtype is not value.desc.dtype:
        weights = comparison.cast(weights, value.desc.dtype)
    if dropout_p:
        weights = dropout(weights, dropout_p)
    if enable_gqa:
        weights = views.reshape(weights, (*query.desc.shape[:-1], key.desc.shape[-2]))
    result = matmul(weights, value)
    return views.reshape(result, (*batch, *result.desc.shape[-2:])) if enable_gqa else result


def _check(query: TensorBase, key: TensorBase, value: TensorBase, mask: TensorBase | None, p: float, causal: bool) -> None:
    operands = (query, key, value)
    dtype = query.desc.dtype
    if any(each.desc.dtype is not dtype for each in operands):
        names = ", ".join(each.desc.dtype.name for each in operands)
        raise DTypeError(f"query, key and value have to have one dtype, not {names}").with_context(_NAME, operands)
    if not dtype.is_floating_point:
        raise DTypeError(f"a floating dtype is needed, not {dtype.name}").with_context(_NAME, operands)
    if any(len(each.desc.shape) < 2 for each in operands):
        names = ", ".join(str(list(each.desc.shape)) for each in operands)
        raise ShapeError(f"2 or more dims are needed, not shapes {names}").with_context(_NAME, operands)
    if mask is not None:
        if causal:
            raise ValueRangeError("a mask and is_causal exclude each other").with_context(_NAME, operands)
        if mask.desc.dtype is not d.bool_ and not mask.desc.dtype.is_floating_point:
            raise DTypeError(f"the mask must be bool or floating, not {mask.desc.dtype.name}").with_context(_NAME, (*operands, mask))
    if not 0 <= p <= 1:
        raise ValueRangeError(f"dropout_p must be from 0 to 1, it is {p}", where=_NAME)


def _grouped(query: T, key: T, value: T) -> tuple[T, T, T]:
    """Heads of `query` in groups that share a head of the others: a dim more, so that nothing is copied."""
    heads, shared = query.desc.shape[-3:-2], key.desc.shape[-3:-2]
    if not heads or not shared or key.desc.shape[-3] != value.desc.shape[-3] or heads[0] % shared[0]:
        names = ", ".join(str(list(each.desc.shape)) for each in (query, key, value))
        raise ShapeError(f"the heads of key and value must divide those of query: shapes {names}").with_context(_NAME, (query, key, value))
    grouped = (*query.desc.shape[:-3], shared[0], heads[0] // shared[0], *query.desc.shape[-2:])
    return views.reshape(query, grouped), views.unsqueeze(key, -3), views.unsqueeze(value, -3)


def _scores(query: T, key: T, scale: float) -> T:
    if query.desc.dtype in HALVES:
        return elementwise.mul(call(table.SCORES, (query, key), (False, True)), scale)
    return matmul(elementwise.mul(query, scale), views.transpose(key, -2, -1))


def _weights(scores: T, mask: T | None, causal: bool) -> T:
    """The softmax of scores; zeros for queries without a key."""
    if causal:
        sizes = scores.desc.shape[-2:]
        every = ones(sizes, dtype=d.bool_, device=scores.desc.device)
        seen: Any = shape.tril(as_class(every, scores.__class__))
        return softmax(comparison.where(seen, scores, -math.inf), -1)  # each query sees the first key
    if mask is None:
        return softmax(scores, -1)
    if mask.desc.dtype is d.bool_:
        scores = comparison.where(mask, scores, -math.inf)
    else:
        dtype = scores.desc.dtype
        scores = elementwise.add(scores, mask if mask.desc.dtype is dtype else comparison.cast(mask, dtype))
    if not scores.desc.numel:
        return scores
    blind = comparison.eq(reduction.amax(scores, -1, True), -math.inf)
    return comparison.masked_fill(softmax(scores, -1), blind, 0)


# Several heads


@checked
def multi_head_attention_forward(
    query: T,
    key: T,
    value: T,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: T | None,
    in_proj_bias: T | None,
    bias_k: T | None,
    bias_v: T | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: T,
    out_proj_bias: T | None,
    training: bool = True,
    key_padding_mask: T | None = None,
    need_weights: bool = True,
    attn_mask: T | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: T | None = None,
    k_proj_weight: T | None = None,
    v_proj_weight: T | None = None,
    static_k: T | None = None,
    static_v: T | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[T, T | None]:
    """Projections of queries, keys and values, attention of several heads, and a projection of what they found.

    Args:
        query: (queries, batch, size) or (queries, size) tensor.
        key, value: (keys, batch, size) or (keys, size) tensors.
        embed_dim_to_check: What the last length of `query` must be.
        num_heads: Number of heads, which divides it.
        in_proj_weight: (3 * size, size) weights of queries, keys and values one under the other.
        in_proj_bias: (3 * size) tensor, or None.
        bias_k, bias_v: (1, 1, size) key and value that are added at the end, or None.
        add_zero_attn: Whether a key and value of zeros are added at the end.
        dropout_p: Probability with which weights are dropped in training.
        out_proj_weight: (size, size) weights of the result.
        out_proj_bias: (size) tensor, or None.
        training: Whether weights are dropped.
        key_padding_mask: (batch, keys) or (keys): true for keys that do not count, or numbers to add; or None.
        need_weights: Whether the weights are returned.
        attn_mask: (queries, keys) or (batch * heads, queries, keys): true where a key does not count, or numbers to add; or None.
        use_separate_proj_weight: Whether the next three are used instead of `in_proj_weight`.
        q_proj_weight, k_proj_weight, v_proj_weight: (size, length) weights.
        static_k, static_v: Must be None.
        average_attn_weights: Whether the weights are averaged over heads.
        is_causal: Says that `attn_mask` is causal, which changes nothing; it needs that mask.

    Returns:
        A tensor of the shape of `query`; the weights (batch, queries, keys), (batch, heads, queries, keys) if not averaged, or None.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ or are not floating.
        ValueRangeError: `is_causal` without a mask, or a fixed key or value.

    Ascend operator: MatMulV2, BatchMatMulV2 and SoftmaxV2. Like: torch.nn.functional.multi_head_attention_forward.

    Examples:
        >>> x, eye = at.ones(2, 1, 4), at.eye(4)
        >>> result, weights = at.nn.functional.multi_head_attention_forward(
        ...     x, x, x, 4, 2, at.cat([eye, eye, eye]), None, None, None, False, 0.0, eye, None
        ... )
        >>> weights
        tensor([[[0.5000, 0.5000],
                 [0.5000, 0.5000]]], device='npu:0')
    """
    name = "multi_head_attention_forward"
    if static_k is not None or static_v is not None:
        raise ValueRangeError("static_k and static_v are not supported", where=name)
    if is_causal and attn_mask is None:
        raise ValueRangeError("attn_mask is needed where is_causal is true", where=name)
    single = len(query.desc.shape) == 2
    operands = tuple(views.unsqueeze(each, 1) if single else each for each in (query, key, value))
    size = embed_dim_to_check
    if len(operands[0].desc.shape) != 3 or size != operands[0].desc.shape[-1] or size % num_heads:
        raise ShapeError(
            f"query of shape {list(query.desc.shape)} has not size {embed_dim_to_check}, or {num_heads} heads don't divide it"
        ).with_context(name, (query, key, value))
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else _thirds(in_proj_weight)
    q, k, v = _projected(operands, weights, _thirds(in_proj_bias), (bias_k, bias_v), num_heads)
    if add_zero_attn:
        k, v = (shape.pad(each, (0, 0, 0, 1)) for each in (k, v))
    added = k.desc.shape[-2] - key.desc.shape[0]
    lengths = (*q.desc.shape[:3], key.desc.shape[0])
    _check_mask("attn_mask", attn_mask, (lengths[2:], (lengths[0] * num_heads, *lengths[2:])))
    _check_mask("key_padding_mask", key_padding_mask, (lengths[3:],) if single else ((lengths[0], lengths[3]),))
    mask = _masks(attn_mask, key_padding_mask, q.desc.shape[:2], added)
    shares = _weights(_scores(q, k, 1 / math.sqrt(size // num_heads)), mask, False)
    shares = shares if shares.desc.dtype is v.desc.dtype else comparison.cast(shares, v.desc.dtype)
    if training and dropout_p:
        shares = dropout(shares, dropout_p)
    heads = views.permute(matmul(shares, v), (2, 0, 1, 3))
    result = linear(views.reshape(heads, operands[0].desc.shape), out_proj_weight, out_proj_bias)
    return views.squeeze(result, 1) if single else result, _shown(shares, average_attn_weights, single) if need_weights else None


def _projected(operands: Any, weights: Any, biases: Any, extras: tuple[Any, Any], heads: int) -> tuple[Any, ...]:
    """Queries, keys and values by head, with a key and a value that are added at the end."""
    q, k, v = (linear(each, weight, bias) for each, weight, bias in zip(operands, weights, biases, strict=True))
    if extras[0] is not None and extras[1] is not None:
        k, v = (_with_last(each, extra) for each, extra in zip((k, v), extras, strict=True))
    return tuple(_by_head(each, heads) for each in (q, k, v))


def _shown(shares: T, average: bool, single: bool) -> T:
    if average:
        shares = reduction.mean(shares, 1)
    return views.squeeze(shares, 0) if single else shares


def _thirds(whole: T | None) -> tuple[T | None, ...]:
    if whole is None:
        return None, None, None
    return views.chunk(whole, 3, 0)


def _with_last(each: T, extra: T) -> T:
    return shape.cat((each, views.expand(extra, (1, *each.desc.shape[1:]))), 0)


def _by_head(each: T, heads: int) -> T:
    """(places, batch, size) as (batch, heads, places, size of a head)."""
    places, batch, size = each.desc.shape
    return views.permute(views.reshape(each, (places, batch, heads, size // heads)), (1, 2, 0, 3))


def _check_mask(name: str, mask: Any, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Refuse masks that would broadcast, and integers, which would be added as numbers."""
    if mask is None:
        return
    if mask.desc.dtype is not d.bool_ and not mask.desc.dtype.is_floating_point:
        raise DTypeError(
            f"{name} is of bools or floating, not {mask.desc.dtype.name}", where="multi_head_attention_forward", advice="Use mask.bool()."
        )
    if mask.desc.shape not in shapes:
        needed = " or ".join(str(list(each)) for each in shapes)
        raise ShapeError(f"{name} of shape {list(mask.desc.shape)} is needed as {needed}", where="multi_head_attention_forward")


def _masks(attn: Any, padding: Any, heads: tuple[int, ...], added: int) -> Any:
    """Both masks as one of numbers to add, with room for keys that were added; None where there is none."""
    found = None
    if attn is not None:
        whole = _numbers(attn)
        found = views.reshape(whole, (*heads, *whole.desc.shape[1:])) if len(whole.desc.shape) == 3 else whole
    if padding is not None:
        whole = _numbers(padding)
        rows = views.reshape(whole, (-1, 1, 1, whole.desc.shape[-1]))
        found = rows if found is None else elementwise.add(found, rows)
    return shape.pad(found, (0, added)) if found is not None and added else found


def _numbers(mask: Any) -> Any:
    """A mask of what does not count as numbers to add."""
    if mask.desc.dtype is not d.bool_:
        return mask if mask.desc.dtype is d.float64 or mask.desc.dtype is d.float32 else comparison.cast(mask, d.float32)
    return comparison.masked_fill(zeros(mask.desc.shape, dtype=d.float32, device=mask.desc.device), mask, -math.inf)
