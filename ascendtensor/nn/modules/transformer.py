"""Modules of attention, and the transformer that is built of them."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ... import creation
from ...dtypes import DTypeLike
from ...errors import ShapeError, ValueRangeError
from ...ops import shape, views
from ...ops.arguments import require_tensor
from ...runtime.device import DeviceLike
from .. import functional, init
from .activation import Dropout
from .containers import ModuleList
from .linear import Linear
from .module import Module, parameter
from .normalization import LayerNorm

if TYPE_CHECKING:
    from ...tensor import NPUTensor


class NonDynamicallyQuantizableLinear(Linear):
    """`linear` under the name that PyTorch shows for the last projection of attention."""


class MultiheadAttention(Module):
    """`multi_head_attention_forward`: projections, attention of several heads, and a projection of what they found.

    Args:
        embed_dim, num_heads: Length of queries and results, and number of heads, which divides it.
        dropout: Probability with which weights are dropped in training.
        bias: Whether projections have one.
        add_bias_kv: Whether a key and a value that are parameters are added at the end.
        add_zero_attn: Whether a key and a value of zeros are added at the end.
        kdim, vdim: Lengths of keys and values; by default `embed_dim`.
        batch_first: Whether tensors are (batch, places, length) rather than (places, batch, length).
        device, dtype: Of the parameters.

    Called with query, key, value and, by name, `key_padding_mask`, `need_weights`, `attn_mask`, `average_attn_weights` and `is_causal`, it
    gives results and weights as the function does.

    Raises:
        ValueRangeError: Heads that don't divide the length.

    Like: torch.nn.MultiheadAttention.

    Examples:
        >>> x = at.ones(5, 2, 8)
        >>> result, weights = at.nn.MultiheadAttention(8, 2)(x, x, x)
        >>> result.shape, weights.shape
        ((5, 2, 8), (2, 5, 5))
    """

    in_proj_weight: NPUTensor | None
    q_proj_weight: NPUTensor | None
    k_proj_weight: NPUTensor | None
    v_proj_weight: NPUTensor | None
    in_proj_bias: NPUTensor | None
    bias_k: NPUTensor | None
    bias_v: NPUTensor | None
    out_proj: Linear

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ValueRangeError(f"{num_heads} heads don't divide the length {embed_dim}", where="MultiheadAttention")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn
        one = self.kdim == self.vdim == embed_dim
        shapes: dict[str, tuple[int, ...] | None] = {
            "q_proj_weight": None if one else (embed_dim, embed_dim),
            "k_proj_weight": None if one else (embed_dim, self.kdim),
            "v_proj_weight": None if one else (embed_dim, self.vdim),
            "in_proj_weight": (3 * embed_dim, embed_dim) if one else None,
            "in_proj_bias": (3 * embed_dim,) if bias else None,
            "bias_k": (1, 1, embed_dim) if add_bias_kv else None,
            "bias_v": (1, 1, embed_dim) if add_bias_kv else None,
        }
        order = ["in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias"]
        for name in (*(order if one else [*order[1:4], order[0], order[4]]), "bias_k", "bias_v"):
            lengths = shapes[name]
            self.register_parameter(name, None if lengths is None else parameter(*lengths, device=device, dtype=dtype))
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for each in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if each is not None:
                init.xavier_uniform_(each)
        for each in (self.in_proj_bias, self.out_proj.bias):
            if each is not None:
                init.zeros_(each)
        for each in (self.bias_k, self.bias_v):
            if each is not None:
                init.xavier_normal_(each)

    def forward(
        self,
        query: NPUTensor,
        key: NPUTensor,
        value: NPUTensor,
        key_padding_mask: NPUTensor | None = None,
        need_weights: bool = True,
        attn_mask: NPUTensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[NPUTensor, NPUTensor | None]:
        for word, each in (("query", query), ("key", key), ("value", value)):
            require_tensor(each, word, type(self).__name__)
        turned = self.batch_first and len(query.desc.shape) == 3
        q, k, v = (views.transpose(each, 0, 1) if turned else each for each in (query, key, value))
        result, weights = functional.multi_head_attention_forward(
            q,
            k,
            v,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            self.training,
            key_padding_mask,
            need_weights,
            attn_mask,
            self.in_proj_weight is None,
            self.q_proj_weight,
            self.k_proj_weight,
            self.v_proj_weight,
            None,
            None,
            average_attn_weights,
            is_causal,
        )
        return views.transpose(result, 0, 1) if turned else result, weights


_ACTIVATIONS = {"relu": functional.relu, "gelu": functional.gelu}


class _Layer(Module):
    """What layers of both kinds have."""

    def _forward_parts(self, d_model: int, wide: int, dropout: float, activation: Any, norms: int, options: dict[str, Any]) -> None:
        eps, bias, place = options["eps"], options["bias"], options["place"]
        self.linear1 = Linear(d_model, wide, bias, **place)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(wide, d_model, bias, **place)
        for number in range(1, norms + 1):
            setattr(self, f"norm{number}", LayerNorm(d_model, eps, True, bias, **place))
        for number in range(1, norms + 1):
            setattr(self, f"dropout{number}", Dropout(dropout))
        if isinstance(activation, str):
            if activation not in _ACTIVATIONS:
                raise ValueRangeError(f"activation must be 'relu', 'gelu' or a function, not {activation!r}", where=type(self).__name__)
            activation = _ACTIVATIONS[activation]
        self.activation: Callable[[Any], Any] = activation

    def _attended(self, attention: MultiheadAttention, drop: Any, x: Any, memory: Any, *masks: Any) -> Any:
        mask, padding, causal = masks
        return drop(attention(x, memory, memory, padding, need_weights=False, attn_mask=mask, is_causal=causal)[0])

    def _fed(self, x: Any, drop: Any) -> Any:
        return drop(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a network of two layers, each with a normalisation and what went in added.

    Args:
        d_model, nhead: Length of the elements, and number of heads.
        dim_feedforward: Width of the network.
        dropout: Probability with which elements are dropped in training.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: Of the normalisations.
        batch_first: Whether tensors are (batch, places, length).
        norm_first: Whether normalisation comes before, rather than after.
        bias: Whether products and normalisations have one.
        device, dtype: Of the parameters.

    Called with `src_mask`, `src_key_padding_mask` and `is_causal`, which says what the mask is, needs it, and changes nothing.

    Like: torch.nn.TransformerEncoderLayer.

    Examples:
        >>> at.nn.TransformerEncoderLayer(8, 2, 16).eval()(at.ones(5, 2, 8)).shape
        (5, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **place)
        self.norm_first = norm_first
        options = {"eps": layer_norm_eps, "bias": bias, "place": place}
        self._forward_parts(d_model, dim_feedforward, dropout, activation, 2, options)

    def forward(
        self, src: NPUTensor, src_mask: NPUTensor | None = None, src_key_padding_mask: NPUTensor | None = None, is_causal: bool = False
    ) -> NPUTensor:
        given: Any = src
        first, second = self.norm1, self.norm2
        x = first(given) if self.norm_first else given
        found = given + self._attended(self.self_attn, self.dropout1, x, x, src_mask, src_key_padding_mask, is_causal)
        if self.norm_first:
            return found + self._fed(second(found), self.dropout2)  # type: ignore[no-any-return]
        found = first(found)
        return second(found + self._fed(found, self.dropout2))  # type: ignore[no-any-return]


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to what an encoder gave, and a network of two layers. Arguments as for `TransformerEncoderLayer`.

    Called with what is decoded, the encoder's result, and masks: `tgt_mask`, `memory_mask`, `tgt_key_padding_mask`,
    `memory_key_padding_mask`.

    Like: torch.nn.TransformerDecoderLayer.

    Examples:
        >>> at.nn.TransformerDecoderLayer(8, 2, 16).eval()(at.ones(4, 2, 8), at.ones(5, 2, 8)).shape
        (4, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **place)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **place)
        self.norm_first = norm_first
        options = {"eps": layer_norm_eps, "bias": bias, "place": place}
        self._forward_parts(d_model, dim_feedforward, dropout, activation, 3, options)

    def forward(
        self,
        tgt: NPUTensor,
        memory: NPUTensor,
        tgt_mask: NPUTensor | None = None,
        memory_mask: NPUTensor | None = None,
        tgt_key_padding_mask: NPUTensor | None = None,
        memory_key_padding_mask: NPUTensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> NPUTensor:
        found: Any = tgt

        def own(x: Any) -> Any:
            return self._attended(self.self_attn, self.dropout1, x, x, tgt_mask, tgt_key_padding_mask, tgt_is_causal)

        def other(x: Any) -> Any:
            masks = memory_mask, memory_key_padding_mask, memory_is_causal
            return self._attended(self.multihead_attn, self.dropout2, x, memory, *masks)

        def fed(x: Any) -> Any:
            return self._fed(x, self.dropout3)

        for norm, part in ((self.norm1, own), (self.norm2, other), (self.norm3, fed)):
            found = found + part(norm(found)) if self.norm_first else norm(found + part(found))
        return found  # type: ignore[no-any-return]


def _copies(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other.

    Args:
        encoder_layer: The layer.
        num_layers: How many.
        norm: What comes at the end, or None.
        enable_nested_tensor, mask_check: Of no effect: places that are masked are computed as well.

    Like: torch.nn.TransformerEncoder.

    Examples:
        >>> layer = at.nn.TransformerEncoderLayer(8, 2, 16)
        >>> at.nn.TransformerEncoder(layer, 2).eval()(at.ones(5, 2, 8)).shape
        (5, 2, 8)
    """

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True, mask_check: bool = True
    ) -> None:
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: NPUTensor,
        mask: NPUTensor | None = None,
        src_key_padding_mask: NPUTensor | None = None,
        is_causal: bool | None = None,
    ) -> NPUTensor:
        found = src
        for layer in self.layers:
            found = layer(found, src_mask=mask, src_key_padding_mask=src_key_padding_mask, is_causal=bool(is_causal))
        return found if self.norm is None else self.norm(found)


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other.

    Args:
        decoder_layer: The layer.
        num_layers: How many.
        norm: What comes at the end, or None.

    Like: torch.nn.TransformerDecoder.

    Examples:
        >>> layer = at.nn.TransformerDecoderLayer(8, 2, 16)
        >>> at.nn.TransformerDecoder(layer, 2).eval()(at.ones(4, 2, 8), at.ones(5, 2, 8)).shape
        (4, 2, 8)
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: NPUTensor,
        memory: NPUTensor,
        tgt_mask: NPUTensor | None = None,
        memory_mask: NPUTensor | None = None,
        tgt_key_padding_mask: NPUTensor | None = None,
        memory_key_padding_mask: NPUTensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> NPUTensor:
        found = tgt
        for layer in self.layers:
            found = layer(
                found,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=bool(tgt_is_causal),
                memory_is_causal=memory_is_causal,
            )
        return found if self.norm is None else self.norm(found)


class Transformer(Module):
    """An encoder and a decoder.

    Args:
        d_model, nhead: Length of the elements, and number of heads.
        num_encoder_layers, num_decoder_layers: How many layers each has.
        dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype: Of the layers.
        custom_encoder, custom_decoder: Modules to take instead.

    Like: torch.nn.Transformer.

    Examples:
        >>> net = at.nn.Transformer(8, 2, 1, 1, 16).eval()
        >>> net(at.ones(5, 2, 8), at.ones(4, 2, 8)).shape
        (4, 2, 8)
        >>> net.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]], device='npu:0')
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        given = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, **place)

        self.encoder = custom_encoder
        if custom_encoder is None:
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*given, **place), num_encoder_layers, norm())
        self.decoder = custom_decoder
        if custom_decoder is None:
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*given, **place), num_decoder_layers, norm())
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        for each in self.parameters():
            if len(each.desc.shape) > 1:
                init.xavier_uniform_(each)

    def forward(
        self,
        src: NPUTensor,
        tgt: NPUTensor,
        src_mask: NPUTensor | None = None,
        tgt_mask: NPUTensor | None = None,
        memory_mask: NPUTensor | None = None,
        src_key_padding_mask: NPUTensor | None = None,
        tgt_key_padding_mask: NPUTensor | None = None,
        memory_key_padding_mask: NPUTensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> NPUTensor:
        require_tensor(src, "src", "Transformer"), require_tensor(tgt, "tgt", "Transformer")
        lengths, batch = (src.desc.shape, tgt.desc.shape), 0 if self.batch_first else 1
        if len(lengths[0]) == 3 and lengths[0][batch] != lengths[1][batch]:
            raise ShapeError("src and tgt have batches of different sizes").with_context("Transformer", (src, tgt))
        if lengths[0][-1] != self.d_model or lengths[1][-1] != self.d_model:
            raise ShapeError(f"the last length of src and tgt must be d_model={self.d_model}").with_context("Transformer", (src, tgt))
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(  # type: ignore[no-any-return]
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: DeviceLike = None, dtype: DTypeLike | None = None) -> NPUTensor:
        """Numbers to add so that each place sees those up to its own. Like: torch.nn.Transformer.generate_square_subsequent_mask."""
        return shape.triu(creation.full((sz, sz), -math.inf, dtype=dtype, device=device), 1)
