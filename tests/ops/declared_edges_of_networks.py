"""Edges at which a result is not the reference's, with the reason: records of linear algebra, transforms and networks.

A name and a kind of edge (`edge_samples.KINDS`) stand here as long as there is a disagreement: `test_edge_values.py` fails for one that is
not needed any more. What is declared still has to give a result of the right shape and dtype, or an error of the package.

"PyTorch too" says that PyTorch 2 gives the same on a CPU.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

OVERFLOW = "a sum, product or square on the way is beyond the dtype's range, which the reference's float64 holds; PyTorch too"
SPREAD = "the squared distance from the mean is beyond the dtype's range: the kernel divides by infinity; PyTorch gives NaN"
TRANSFORM = "the sums of a transform are beyond the dtype's range before they are divided by the length; PyTorch divides first"
REBUILT = "the record multiplies the factors again, whose largest numbers swallow the others or are beyond the dtype's range"
FACTORS = "the record multiplies the factors again: those of a matrix that is not finite are NaN"
SUBSTITUTION = "a substitution goes on with infinities and NaN where the reference has solved for the whole matrix, or refused it"
ZEROS_AROUND = "the operator multiplies the zeros around and between the image's elements, and 0 times an infinity or NaN is NaN"
CHOSEN = "classes that are not the target's don't count, PyTorch too; the reference multiplies them by 0"
OUTSIDE = "a place that is not finite is outside of the image, where it is 0; PyTorch's CPU kernels give NaN"
SINGULAR = "the operator Lu refuses a singular matrix, as the docstring says; PyTorch gives its factors"
COMPLEX = "an infinity has a part of 0 or is multiplied by one, which is NaN in one order of the sums and not in another"
ROOT = "the root of a number at an end of the dtype's range, by which others are divided: whether what is left is positive is rounding"
UNSEEN = "float64 is composed of operators that do not look for what is out of range, which the kernel of the other dtypes refuses"

NOT_FINITE = ("nan", "inf", "-inf")
INFINITE = ("inf", "-inf")


def each(kinds: Iterable[str], reason: str) -> dict[str, str]:
    return dict.fromkeys(kinds, reason)


def overflowing(*names: str) -> dict[str, dict[str, str]]:
    return {name: {"largest": OVERFLOW} for name in names}


LINEAR: Mapping[str, Mapping[str, str]] = {
    "cholesky_solve": each(INFINITE, SUBSTITUTION),
    "cholesky_inverse": each(NOT_FINITE, SUBSTITUTION),
    "qr": {**each(NOT_FINITE, FACTORS), "largest": REBUILT},
    "householder_product": each((*INFINITE, "largest"), "reflections are matrix products, in which an infinity is multiplied by 0"),
    "svd": {**each(NOT_FINITE, FACTORS), "largest": REBUILT},
    "eigh": {"largest": REBUILT},
    "lu": {**each(NOT_FINITE, FACTORS), "expanded": SINGULAR},
    "lu_unpack": {**each(NOT_FINITE, FACTORS), "expanded": SINGULAR},
    "cov": {"-inf": "nobody looks for negative weights, which would wait for the device", "largest": OVERFLOW},
    "lu_solve": {**each(INFINITE, SUBSTITUTION), "largest": REBUILT},
    **overflowing("matrix_norm", "linalg_norm", "multi_dot", "chain_matmul", "cdist", "renorm", "corrcoef"),
    "matrix_exp": {"largest": "a norm beyond the dtype's range is no measure for how often to halve: the series itself overflows"},
}

NETWORKS: Mapping[str, Mapping[str, str]] = {
    **{name: {"largest": TRANSFORM} for name in ("irfft", "hfft", "ifftn", "irfftn", "hfftn")},
    **{name: {"0-d": "has no dim to be shifted: the tensor itself; NumPy and PyTorch refuse it"} for name in ("fftshift", "ifftshift")},
    **overflowing("conv1d", "conv3d", "conv2d_weight", "conv_tbc", "lp_pool1d", "lp_pool2d", "lp_pool3d", "normalize", "batch_norm"),
    **{name: {**each(INFINITE, ZEROS_AROUND), "largest": OVERFLOW} for name in ("conv_transpose1d", "conv_transpose3d")},
    **{name: {**each(NOT_FINITE, ZEROS_AROUND), "largest": OVERFLOW} for name in ("conv_transpose2d", "conv1d_input", "conv3d_input")},
    "conv2d_input": {**each(NOT_FINITE, ZEROS_AROUND), "largest": OVERFLOW},
    "convolution": each(NOT_FINITE, ZEROS_AROUND),
    **{
        f"adaptive_avg_pool{rank}d": {"empty": "an image without elements is refused; PyTorch gives NaN for an output of one element"}
        for rank in (1, 2, 3)
    },
    **{name: {"largest": SPREAD} for name in ("layer_norm", "native_layer_norm", "group_norm", "native_batch_norm", "instance_norm")},
    "rms_norm": {"largest": OVERFLOW},
    "native_group_norm": {"largest": SPREAD, **each(("one", "empty"), "the record names the sizes, which are not those of the image")},
    **overflowing(
        "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits", "nll_loss",
        "poisson_nll_loss", "multilabel_soft_margin_loss", "margin_ranking_loss", "cosine_embedding_loss", "triplet_margin_loss",
        "triplet_margin_with_distance_loss", "l1_loss", "smooth_l1_loss",
        "cosine_similarity", "pairwise_distance", "rnn_relu_cell", "rnn_tanh", "rnn_relu",
        "interpolate.bicubic2d",
    ),
    "cross_entropy": {"-inf": CHOSEN, "largest": OVERFLOW},
    "embedding_bag": {"largest": OVERFLOW},
    "linear_cross_entropy": {"-inf": CHOSEN, "largest": OVERFLOW},
    "multilabel_margin_loss": {"nan": "NaN shows in the loss; in the reference, as in PyTorch, a comparison with it is false"},
    "multi_head_attention_forward": {
        **each(INFINITE, "the weights of all heads are NaN where a projection has infinities of both signs"), "largest": OVERFLOW,
    },
    **{name: each(NOT_FINITE, OUTSIDE) for name in ("grid_sample", "grid_sample.volume")},
    "grid_sampler": {"nan": OUTSIDE},
    "bilinear": each(INFINITE, "infinity times 0 or minus infinity is NaN in one order of the products and not in another; PyTorch too"),
}  # fmt: skip

DECLARED: Mapping[str, Mapping[str, str]] = {**LINEAR, **NETWORKS}

FOR_OTHER_DTYPES: Mapping[str, Mapping[str, str]] = {
    **overflowing("solve_triangular", "triangular_solve"),
    **{name: each(INFINITE, COMPLEX) for name in ("rfft", "ihfft", "stft", "conv1d", "conv3d")},
    "cholesky_upper": each(("largest", "subnormal"), ROOT),
    "cholesky_ex": {"subnormal": ROOT},
    "cholesky_inverse": {"subnormal": ROOT},
    "cholesky_solve": {"largest": "the reference's own float64 is exceeded on the way"},
    **overflowing("matrix_rank", "cross"),
    "conv2d": {**each(INFINITE, COMPLEX), "largest": OVERFLOW},
    "corrcoef": {"expanded": "equal numbers differ from their mean by a rounding error or not at all, so that the quotient is 1 or NaN"},
    "ifft": {"largest": TRANSFORM},
    "binary_cross_entropy": each(NOT_FINITE, UNSEEN),
    **{name: {"one": UNSEEN} for name in ("nll_loss", "linear_cross_entropy")},
    "scaled_dot_product_attention": {
        "inf": "scores that are all -inf without a mask give NaN; PyTorch gives 0, which would take two launches more",
        "largest": OVERFLOW,
    },
    **{name: {"largest": "the reference's own float64 is exceeded on the way"} for name in ("grid_sample", "grid_sample.volume")},
    "cross_entropy": {"one": UNSEEN},
    "embedding_bag": {
        "one": UNSEEN,
        "expanded": "the operator needs the number of indices as the last offset, where it is given; PyTorch takes any number for it",
    },
}
"""Disagreements of halves, float64 or complex numbers, or of more samples, which the quick run has not."""
