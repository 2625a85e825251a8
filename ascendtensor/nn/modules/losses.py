"""Modules of losses: each has the options of its function, and is called with what that takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import functional
from .module import Module
from .shaping import PairwiseDistance

if TYPE_CHECKING:
    from ...tensor import NPUTensor


class _Loss(Module):
    def __init__(self, reduction: str) -> None:
        super().__init__()
        self.reduction = reduction


class _Weighted(_Loss):
    weight: NPUTensor | None

    def __init__(self, weight: NPUTensor | None, reduction: str) -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """`l1_loss`: absolute differences. Like: torch.nn.L1Loss.

    Examples:
        >>> at.nn.L1Loss()(at.tensor([1.0, 2.0]), at.tensor([0.0, 4.0]))
        tensor(1.5000, device='npu:0')
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """`mse_loss`: squares of differences. Like: torch.nn.MSELoss.

    Examples:
        >>> at.nn.MSELoss()(at.tensor([1.0, 2.0]), at.tensor([0.0, 4.0]))
        tensor(2.5000, device='npu:0')
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """`smooth_l1_loss`: squares where differences are small. Like: torch.nn.SmoothL1Loss.

    Examples:
        >>> at.nn.SmoothL1Loss()(at.tensor([1.0, 2.0]), at.tensor([0.0, 4.0]))
        tensor(1., device='npu:0')
    """

    def __init__(self, *, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.smooth_l1_loss(input, target, beta=self.beta, reduction=self.reduction)


class HuberLoss(_Loss):
    """`huber_loss`: squares where differences are small. Like: torch.nn.HuberLoss.

    Examples:
        >>> at.nn.HuberLoss()(at.tensor([1.0, 2.0]), at.tensor([0.0, 4.0]))
        tensor(1., device='npu:0')
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.huber_loss(input, target, delta=self.delta, reduction=self.reduction)


class CrossEntropyLoss(_Weighted):
    """`cross_entropy` of scores and classes, or probabilities. Like: torch.nn.CrossEntropyLoss.

    Examples:
        >>> at.nn.CrossEntropyLoss()(at.zeros(1, 2), at.tensor([1]))
        tensor(0.6931, device='npu:0')
    """

    def __init__(
        self, weight: NPUTensor | None = None, *, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        super().__init__(weight, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            reduction=self.reduction,
        )


class NLLLoss(_Weighted):
    """`nll_loss` of logarithms of probabilities and classes. Like: torch.nn.NLLLoss.

    Examples:
        >>> at.nn.NLLLoss()(at.tensor([[-1.0, -2.0]]), at.tensor([1]))
        tensor(2., device='npu:0')
    """

    def __init__(self, weight: NPUTensor | None = None, *, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class BCELoss(_Weighted):
    """`binary_cross_entropy` of probabilities. Like: torch.nn.BCELoss.

    Examples:
        >>> at.nn.BCELoss()(at.tensor([0.5]), at.tensor([1.0]))
        tensor(0.6931, device='npu:0')
    """

    def __init__(self, weight: NPUTensor | None = None, *, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Weighted):
    """`binary_cross_entropy_with_logits` of scores. Like: torch.nn.BCEWithLogitsLoss.

    Examples:
        >>> at.nn.BCEWithLogitsLoss()(at.tensor([0.0]), at.tensor([1.0]))
        tensor(0.6931, device='npu:0')
    """

    pos_weight: NPUTensor | None

    def __init__(self, weight: NPUTensor | None = None, *, reduction: str = "mean", pos_weight: NPUTensor | None = None) -> None:
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.binary_cross_entropy_with_logits(input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight)


class KLDivLoss(_Loss):
    """`kl_div`: how far distributions are from each other. Like: torch.nn.KLDivLoss.

    Examples:
        >>> at.nn.KLDivLoss(reduction='sum')(at.tensor([0.5]).log(), at.tensor([1.0]))
        tensor(0.6931, device='npu:0')
    """

    def __init__(self, *, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.kl_div(input, target, log_target=self.log_target, reduction=self.reduction)


class PoissonNLLLoss(_Loss):
    """`poisson_nll_loss` of rates. Like: torch.nn.PoissonNLLLoss.

    Examples:
        >>> at.nn.PoissonNLLLoss()(at.tensor([0.0]), at.tensor([1.0]))
        tensor(1., device='npu:0')
    """

    def __init__(self, log_input: bool = True, full: bool = False, *, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """`gaussian_nll_loss` of means and variances. Like: torch.nn.GaussianNLLLoss.

    Examples:
        >>> at.nn.GaussianNLLLoss()(at.zeros(1), at.ones(1), at.ones(1))
        tensor(0.5000, device='npu:0')
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def forward(self, input: NPUTensor, target: NPUTensor, var: NPUTensor) -> NPUTensor:
        return functional.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """`hinge_embedding_loss` of distances. Like: torch.nn.HingeEmbeddingLoss.

    Examples:
        >>> at.nn.HingeEmbeddingLoss()(at.tensor([0.5]), at.tensor([-1.0]))
        tensor(0.5000, device='npu:0')
    """

    def __init__(self, margin: float = 1.0, *, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """`soft_margin_loss` of scores and signs. Like: torch.nn.SoftMarginLoss.

    Examples:
        >>> at.nn.SoftMarginLoss()(at.tensor([0.0]), at.tensor([1.0]))
        tensor(0.6931, device='npu:0')
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_Weighted):
    """`multilabel_soft_margin_loss` of scores and flags. Like: torch.nn.MultiLabelSoftMarginLoss.

    Examples:
        >>> at.nn.MultiLabelSoftMarginLoss()(at.zeros(1, 2), at.ones(1, 2))
        tensor(0.6931, device='npu:0')
    """

    def __init__(self, weight: NPUTensor | None = None, *, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """`multilabel_margin_loss` of scores and classes. Like: torch.nn.MultiLabelMarginLoss.

    Examples:
        >>> at.nn.MultiLabelMarginLoss()(at.zeros(1, 2), at.tensor([[0, -1]]))
        tensor(0.5000, device='npu:0')
    """

    def __init__(self, *, reduction: str = "mean") -> None:
        super().__init__(reduction)

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiMarginLoss(_Weighted):
    """`multi_margin_loss` of scores and classes. Like: torch.nn.MultiMarginLoss.

    Examples:
        >>> at.nn.MultiMarginLoss()(at.zeros(1, 2), at.tensor([0]))
        tensor(0.5000, device='npu:0')
    """

    def __init__(self, p: int = 1, margin: float = 1.0, weight: NPUTensor | None = None, *, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)
        self.p, self.margin = p, margin

    def forward(self, input: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.multi_margin_loss(input, target, weight=self.weight, p=self.p, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """`margin_ranking_loss`: which of two is to be larger. Like: torch.nn.MarginRankingLoss.

    Examples:
        >>> at.nn.MarginRankingLoss()(at.tensor([1.0]), at.tensor([3.0]), at.tensor([1.0]))
        tensor(2., device='npu:0')
    """

    def __init__(self, margin: float = 0.0, *, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: NPUTensor, input2: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """`cosine_embedding_loss` of vectors that are alike or not. Like: torch.nn.CosineEmbeddingLoss.

    Examples:
        >>> at.nn.CosineEmbeddingLoss()(at.ones(1, 2), at.ones(1, 2), at.tensor([-1.0]))
        tensor(1., device='npu:0')
    """

    def __init__(self, margin: float = 0.0, *, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: NPUTensor, input2: NPUTensor, target: NPUTensor) -> NPUTensor:
        return functional.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """`triplet_margin_loss` of anchors, what is near and what is far. Like: torch.nn.TripletMarginLoss.

    Examples:
        >>> at.nn.TripletMarginLoss(margin=3.0)(at.zeros(1, 1), at.zeros(1, 1), at.ones(1, 1))
        tensor(2.0000, device='npu:0')
    """

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, *, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin, self.p, self.eps, self.swap = margin, p, eps, swap

    def forward(self, anchor: NPUTensor, positive: NPUTensor, negative: NPUTensor) -> NPUTensor:
        return functional.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap, reduction=self.reduction
        )


class TripletMarginWithDistanceLoss(_Loss):
    """`triplet_margin_with_distance_loss`, by a distance of your own. Like: torch.nn.TripletMarginWithDistanceLoss.

    Examples:
        >>> at.nn.TripletMarginWithDistanceLoss(margin=3.0)(at.zeros(1, 1), at.zeros(1, 1), at.ones(1, 1))
        tensor(2.0000, device='npu:0')
    """

    def __init__(
        self,
        *,
        distance_function: Callable[..., Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: NPUTensor, positive: NPUTensor, negative: NPUTensor) -> NPUTensor:
        return functional.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


class CTCLoss(_Loss):
    """`ctc_loss` of scores along time and labels without times. Like: torch.nn.CTCLoss.

    Examples:
        >>> scores = at.zeros(2, 1, 2).log_softmax(2)
        >>> at.nn.CTCLoss()(scores, at.tensor([[1]]), at.tensor([2]), at.tensor([1]))
        tensor(0.2877, device='npu:0')
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: NPUTensor, targets: NPUTensor, input_lengths: Any, target_lengths: Any) -> NPUTensor:
        return functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)
