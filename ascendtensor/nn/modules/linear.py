"""Modules of matrix products and of tables: Linear, Bilinear, Embedding; and those that only shape."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...dtypes import DTypeLike
from ...errors import ShapeError, ValueRangeError
from ...ops import views
from ...runtime.device import DeviceLike
from .. import functional, init
from .module import Module, Parameter, parameter

if TYPE_CHECKING:
    from ...tensor import NPUTensor


class Identity(Module):
    """Gives its input; takes arguments of any kind and ignores them. Like: torch.nn.Identity.

    Examples:
        >>> at.nn.Identity(54, unused=True)(at.ones(1))
        tensor([1.], device='npu:0')
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Module):
    """`linear`: `x @ weight.T + bias`.

    Args:
        in_features, out_features: Last length of the input and of the result.
        bias: Whether there is one.
        device, dtype: Of the parameters.

    Attributes:
        weight: (out_features, in_features) parameter, equally likely numbers up to `1 / sqrt(in_features)` at first, as is the bias.
        bias: (out_features) parameter, or None.

    Like: torch.nn.Linear.

    Examples:
        >>> at.nn.Linear(3, 2)(at.ones(4, 3)).shape
        (4, 2)
    """

    weight: NPUTensor
    bias: NPUTensor | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: DeviceLike = None, dtype: DTypeLike | None = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = parameter(out_features, in_features, device=device, dtype=dtype)
        self.register_parameter("bias", parameter(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.in_features:
            spread(self, self.in_features)

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


def spread(module: Module, fan: int) -> None:
    """Equally likely numbers up to `1 / sqrt(fan)` in weight and bias."""
    bound = 1 / math.sqrt(fan)
    for each in (module.weight, module.bias):
        if each is not None and each.desc.numel:
            init.uniform_(each, -bound, bound)


class Bilinear(Module):
    """`bilinear`: `x1 @ weight @ x2 + bias` for each feature of the result.

    Args:
        in1_features, in2_features, out_features: Last lengths of the inputs and of the result.
        bias: Whether there is one.
        device, dtype: Of the parameters.

    Like: torch.nn.Bilinear.

    Examples:
        >>> at.nn.Bilinear(3, 2, 5)(at.ones(4, 3), at.ones(4, 2)).shape
        (4, 5)
    """

    weight: NPUTensor
    bias: NPUTensor | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueRangeError(f"in1_features must be positive, it is {in1_features}", where="Bilinear")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = parameter(out_features, in1_features, in2_features, device=device, dtype=dtype)
        self.register_parameter("bias", parameter(out_features, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        spread(self, self.in1_features)

    def forward(self, input1: NPUTensor, input2: NPUTensor) -> NPUTensor:
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        sizes = f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class Flatten(Module):
    """`flatten` of the dims from `start_dim` to `end_dim`; by default of all but the batch. Like: torch.nn.Flatten.

    Examples:
        >>> at.nn.Flatten()(at.ones(2, 3, 4)).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: NPUTensor) -> NPUTensor:
        return views.flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """`unflatten` of a dim into several. Like: torch.nn.Unflatten.

    Examples:
        >>> at.nn.Unflatten(1, (3, 4))(at.ones(2, 12)).shape
        (2, 3, 4)
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input: NPUTensor) -> NPUTensor:
        return views.unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


def _padding_row(padding_idx: int | None, num_embeddings: int, function: str) -> int | None:
    if padding_idx is None:
        return None
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise ValueRangeError(f"padding_idx {padding_idx} is out of range for {num_embeddings} rows", where=function)
    return padding_idx % num_embeddings


class _Table(Module):
    """Rows that are looked up by number."""

    weight: NPUTensor

    def _rows(
        self, sizes: tuple[int, int], padding_idx: int | None, given: NPUTensor | None, freeze: bool, device: Any, dtype: Any
    ) -> None:
        self.num_embeddings, self.embedding_dim = sizes
        self.padding_idx = _padding_row(padding_idx, sizes[0], type(self).__name__)
        if given is None:
            self.weight = parameter(*sizes, device=device, dtype=dtype)
            self.reset_parameters()
        elif given.desc.shape != sizes:
            raise ShapeError(f"weights of shape {list(given.desc.shape)} are not {list(sizes)}", where=type(self).__name__)
        else:
            self.weight = Parameter(given)

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(views.select(self.weight, 0, self.padding_idx))


class Embedding(_Table):
    """`embedding`: rows of a table, by number.

    Args:
        num_embeddings, embedding_dim: Number and length of the rows.
        padding_idx: A row that is zeros at first.
        max_norm, norm_type: Rows that are looked up and whose norm is larger are scaled down to it, in the table.
        scale_grad_by_freq, sparse: Of no effect, since there are no gradients.
        device, dtype: Of the parameter.

    Attributes:
        weight: (num_embeddings, embedding_dim) parameter, normal numbers at first.

    Like: torch.nn.Embedding.

    Examples:
        >>> table = at.nn.Embedding.from_pretrained(at.tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> table(at.tensor([1, 0]))
        tensor([[3., 4.],
                [1., 2.]], device='npu:0')
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: NPUTensor | None = None,
        _freeze: bool = False,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self._rows((num_embeddings, embedding_dim), padding_idx, _weight, _freeze, device, dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: NPUTensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A module over a (rows, length) tensor; `freeze` changes nothing. Like: torch.nn.Embedding.from_pretrained."""
        rows, length = _matrix(embeddings, "Embedding.from_pretrained")
        return cls(rows, length, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)

    def forward(self, input: NPUTensor) -> NPUTensor:
        return functional.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type)

    def extra_repr(self) -> str:
        return _of_table(self)


class EmbeddingBag(_Table):
    """`embedding_bag`: sums, means or maxima of rows of a table.

    Args:
        num_embeddings, embedding_dim: Number and length of the rows.
        max_norm, norm_type: Rows that are looked up and whose norm is larger are scaled down to it, in the table.
        scale_grad_by_freq, sparse: Of no effect, since there are no gradients.
        mode: "sum", "mean" or "max".
        include_last_offset: Whether the number of indices is the last offset.
        padding_idx: A row that does not count.
        device, dtype: Of the parameter.

    Like: torch.nn.EmbeddingBag.

    Examples:
        >>> table = at.nn.EmbeddingBag.from_pretrained(at.tensor([[1.0, 2.0], [3.0, 4.0]]), mode="sum")
        >>> table(at.tensor([[1, 0]]))
        tensor([[4., 6.]], device='npu:0')
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: NPUTensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: DeviceLike = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.max_norm, self.norm_type, self.mode = max_norm, norm_type, mode
        self.scale_grad_by_freq, self.sparse, self.include_last_offset = scale_grad_by_freq, sparse, include_last_offset
        self._rows((num_embeddings, embedding_dim), padding_idx, _weight, False, device, dtype)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: NPUTensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """A module over a (rows, length) tensor; `freeze` changes nothing. Like: torch.nn.EmbeddingBag.from_pretrained."""
        rows, length = _matrix(embeddings, "EmbeddingBag.from_pretrained")
        return cls(rows, length, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset, padding_idx)

    def forward(self, input: NPUTensor, offsets: NPUTensor | None = None, per_sample_weights: NPUTensor | None = None) -> NPUTensor:
        return functional.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        text = f"{_of_table(self, mode=True)}, mode={self.mode!r}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


def _matrix(weights: NPUTensor, function: str) -> tuple[int, int]:
    if len(weights.desc.shape) != 2:
        raise ShapeError("(rows, length) is needed", where=function).with_context(function, (weights,))
    return weights.desc.shape


def _of_table(module: Any, mode: bool = False) -> str:
    text = f"{module.num_embeddings}, {module.embedding_dim}"
    names = ("max_norm", "norm_type", "scale_grad_by_freq") + (() if mode else ("sparse",))
    usual = {"padding_idx": None, "max_norm": None, "norm_type": 2, "scale_grad_by_freq": False, "sparse": False}
    for name in names if mode else ("padding_idx", *names):
        if getattr(module, name) != usual[name]:
            text += f", {name}={getattr(module, name)}"
    return text
