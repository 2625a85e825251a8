"""PyTorch-style tensors and operators for Ascend NPUs over pyACL.

    import ascendtensor as at
    x = at.tensor([[1.0, 2.0], [3.0, 4.0]])
    (x @ x.T).sum()

Nothing is opened at import: the first use of a tensor chooses the backend and the device.
"""

from math import e, inf, nan, pi
from typing import TYPE_CHECKING

# First, since the module of this name gives its name up to the function.
from .tensor import NPUTensor

# isort: split
from . import deferred, linalg, nn
from .absent import in_module
from .borrowing import from_ptr
from .casting import acl_cast, can_cast, promote_types, result_type
from .compiler.progress import set_progress
from .creation import (
    arange,
    as_tensor,
    asarray,
    empty,
    empty_like,
    empty_strided,
    eye,
    from_numpy,
    frombuffer,
    full,
    full_like,
    linspace,
    logspace,
    ones,
    ones_like,
    range,
    scalar_tensor,
    tensor,
    tril_indices,
    triu_indices,
    zeros,
    zeros_like,
)
from .display import get_printoptions, set_printoptions
from .dtypes import (
    bfloat16,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .dtypes import bool_ as bool
from .duck_arrays import DuckArray
from .errors import (
    AclError,
    AscendTensorError,
    AutogradError,
    BackendError,
    ClosedError,
    CompileError,
    CompilerNotFoundError,
    DeviceError,
    DeviceIndexError,
    DTypeError,
    FileFormatError,
    Float64Warning,
    ForkError,
    IndexRangeError,
    LinAlgError,
    OperatorNotFoundError,
    OutOfDeviceMemoryError,
    ShapeError,
    StateError,
    UnsupportedError,
    ValueRangeError,
)
from .grad_mode import inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad, set_grad_enabled
from .interop.dlpack import from_dlpack
from .interop.host import HostArray
from .launch import op_models
from .launch.given_models import load_op_models
from .launch.registry import handle_cache
from .lowrank import pca_lowrank, svd_lowrank
from .nn.recurrent import gru, gru_cell, lstm, lstm_cell, rnn_relu, rnn_relu_cell, rnn_tanh, rnn_tanh_cell
from .nn.stochastic import alpha_dropout, dropout_, feature_alpha_dropout, feature_dropout, rrelu, rrelu_
from .ops.arguments import is_tensor
from .ops.combining import combinations, vander
from .ops.custom import CustomOp, register_op
from .ops.gather import (
    argwhere,
    gather,
    index_add,
    index_copy,
    index_fill,
    index_reduce,
    index_select,
    masked_scatter,
    masked_select,
    nonzero,
    put,
    scatter,
    scatter_add,
    scatter_reduce,
    take,
    take_along_dim,
    unravel_index,
    where,
)
from .ops.in_place import (
    abs_,
    acos_,
    acosh_,
    arccos_,
    arccosh_,
    arcsin_,
    arcsinh_,
    arctan_,
    arctanh_,
    asin_,
    asinh_,
    atan_,
    atanh_,
    ceil_,
    clamp_,
    clamp_max_,
    clamp_min_,
    clip_,
    cos_,
    cosh_,
    deg2rad_,
    erf_,
    erfc_,
    exp2_,
    exp_,
    expm1_,
    fix_,
    floor_,
    frac_,
    gcd_,
    i0_,
    lcm_,
    ldexp_,
    log1p_,
    log2_,
    log10_,
    log_,
    logit_,
    nan_to_num_,
    neg_,
    negative_,
    rad2deg_,
    reciprocal_,
    round_,
    rsqrt_,
    sigmoid_,
    sin_,
    sinc_,
    sinh_,
    sqrt_,
    square_,
    tan_,
    tanh_,
    trunc_,
    xlogy_,
)
from .ops.indexing import index_put
from .ops.linalg.einsum import einsum
from .ops.linalg.factors import lu_unpack
from .ops.linalg.legacy import cross, lu, lu_solve, norm, pinverse, qr, svd, triangular_solve
from .ops.linalg.matmul import (
    addbmm,
    addmm,
    addmv,
    addr,
    baddbmm,
    bmm,
    dot,
    ger,
    inner,
    kron,
    matmul,
    mm,
    mv,
    outer,
    tensordot,
    vdot,
    vecdot,
)
from .ops.linalg.products import chain_matmul, matrix_exp, matrix_power
from .ops.linalg.systems import cholesky, cholesky_inverse, cholesky_solve, det, inverse, logdet, slogdet
from .ops.linalg.vectors import cdist, corrcoef, cov, dist, pdist, renorm
from .ops.nn.activation import celu, celu_, hardshrink, prelu, relu, relu_, selu, selu_, sigmoid, threshold, threshold_
from .ops.nn.convolution import conv1d, conv2d, conv3d, conv_tbc, conv_transpose1d, conv_transpose2d, conv_transpose3d, convolution
from .ops.nn.embedding import bilinear, embedding_renorm_
from .ops.nn.folding import channel_shuffle, constant_pad_nd, native_channel_shuffle, pixel_shuffle, pixel_unshuffle
from .ops.nn.normalization import group_norm, layer_norm, native_batch_norm, native_group_norm, native_layer_norm, rms_norm
from .ops.nn.pooling import (
    adaptive_avg_pool1d,
    adaptive_max_pool1d,
    avg_pool1d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool3d,
)
from .ops.nn.resampling import affine_grid_generator, grid_sampler
from .ops.nn.softmax import cosine_similarity, log_softmax, pairwise_distance, softmax
from .ops.pointwise.aliases import (
    absolute,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctan2,
    arctanh,
    clip,
    divide,
    fix,
    greater,
    greater_equal,
    igamma,
    igammac,
    less,
    less_equal,
    multiply,
    negative,
    not_equal,
    subtract,
)
from .ops.pointwise.bessel import i0
from .ops.pointwise.comparison import (
    allclose,
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    eq,
    equal,
    ge,
    gt,
    isclose,
    isfinite,
    isinf,
    isnan,
    isneginf,
    isposinf,
    le,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    masked_fill,
    ne,
    signbit,
)
from .ops.pointwise.complex_numbers import (
    adjoint,
    angle,
    complex,
    conj,
    conj_physical,
    is_complex,
    is_conj,
    is_floating_point,
    is_neg,
    is_nonzero,
    isreal,
    numel,
    polar,
    resolve_conj,
    resolve_neg,
    sgn,
)
from .ops.pointwise.elementwise import (
    add,
    addcdiv,
    addcmul,
    atan2,
    clamp,
    clamp_max,
    clamp_min,
    div,
    floor_divide,
    fmod,
    frac,
    hypot,
    lerp,
    maximum,
    minimum,
    mul,
    pow,
    remainder,
    rsub,
    square,
    sub,
    true_divide,
    xlogy,
)
from .ops.pointwise.floats import (
    copysign,
    deg2rad,
    float_power,
    fma,
    fmax,
    fmin,
    frexp,
    gcd,
    heaviside,
    lcm,
    ldexp,
    logaddexp,
    logaddexp2,
    nextafter,
    rad2deg,
)
from .ops.pointwise.special import digamma, erfinv, lgamma, logit, mvlgamma, polygamma, sinc
from .ops.pointwise.unary import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    ceil,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    exp2,
    expm1,
    floor,
    log,
    log1p,
    log2,
    log10,
    nan_to_num,
    neg,
    positive,
    reciprocal,
    round,
    rsqrt,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    trunc,
)
from .ops.precision import get_float32_matmul_precision, set_float32_matmul_precision
from .ops.reduction import (
    all,
    amax,
    amin,
    aminmax,
    any,
    argmax,
    argmin,
    count_nonzero,
    cummax,
    cummin,
    cumprod,
    cumsum,
    logsumexp,
    max,
    mean,
    min,
    nanmean,
    nansum,
    prod,
    std,
    std_mean,
    sum,
    var,
    var_mean,
    vector_norm,
)
from .ops.sets import setdiff1d
from .ops.shape import (
    as_strided_scatter,
    block_diag,
    cartesian_prod,
    cat,
    clone,
    column_stack,
    concat,
    concatenate,
    diag,
    diag_embed,
    diagflat,
    diagonal_scatter,
    dstack,
    flip,
    fliplr,
    flipud,
    hstack,
    meshgrid,
    narrow_copy,
    repeat_interleave,
    roll,
    rot90,
    row_stack,
    select_scatter,
    slice_scatter,
    stack,
    tile,
    tril,
    triu,
    vstack,
)
from .ops.sorting import (
    argsort,
    bincount,
    bucketize,
    histc,
    isin,
    kthvalue,
    median,
    msort,
    quantile,
    searchsorted,
    sort,
    topk,
    unique,
    unique_consecutive,
)
from .ops.spectral import istft, stft
from .ops.statistics import (
    average,
    cumulative_trapezoid,
    diff,
    gradient,
    histogram,
    logcumsumexp,
    mode,
    nanmedian,
    nanquantile,
    ptp,
    segment_reduce,
    trapezoid,
    trapz,
)
from .ops.views import (
    as_strided,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_shapes,
    broadcast_tensors,
    broadcast_to,
    chunk,
    diagonal,
    dsplit,
    flatten,
    hsplit,
    imag,
    moveaxis,
    movedim,
    narrow,
    permute,
    ravel,
    real,
    reshape,
    select,
    split,
    split_with_sizes,
    squeeze,
    swapaxes,
    swapdims,
    t,
    tensor_split,
    transpose,
    unbind,
    unflatten,
    unsqueeze,
    view_as_complex,
    view_as_real,
    vsplit,
)
from .options import contiguous_format, layout, memory_format, preserve_format, strided
from .random import (
    Generator,
    bernoulli,
    binomial,
    default_generator,
    dropout,
    get_rng_state,
    initial_seed,
    manual_seed,
    multinomial,
    normal,
    poisson,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    seed,
    set_rng_state,
    shuffle,
)
from .runtime.context import Context
from .runtime.device import (
    Device,
    backend,
    current_device,
    current_stream,
    device,
    device_count,
    init,
    is_initialized,
    run_mode,
    set_device,
    shutdown,
    soc_name,
    synchronize,
)
from .runtime.raw import raw
from .runtime.stats import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_peak_memory_stats,
)
from .runtime.stream import Event, Stream, stream
from .windows import bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window

__version__ = "0.1.0"

Tensor = NPUTensor
"""PyTorch's name of the class."""

cdouble = complex128
cfloat = complex64
double = float64
float = float32
half = float16
int = int32
long = int64
newaxis = None
short = int16

# fmt: off
# fmt: off
__all__ = [
    "AclError", "AscendTensorError", "AutogradError", "BackendError", "ClosedError", "CompileError", "CompilerNotFoundError", "Context",
    "CustomOp", "DTypeError", "Device", "DeviceError", "DeviceIndexError", "DuckArray", "Event", "FileFormatError", "Float64Warning",
    "ForkError", "Generator", "HostArray", "IndexRangeError", "LinAlgError", "NPUTensor", "OperatorNotFoundError", "OutOfDeviceMemoryError",
    "ShapeError", "StateError", "Stream", "Tensor", "UnsupportedError", "ValueRangeError", "__version__", "abs", "abs_", "absolute",
    "acl_cast", "acos", "acos_", "acosh", "acosh_", "adaptive_avg_pool1d", "adaptive_max_pool1d", "add", "addbmm", "addcdiv", "addcmul",
    "addmm", "addmv", "addr", "adjoint", "affine_grid_generator", "all", "allclose", "alpha_dropout", "amax", "amin", "aminmax", "angle",
    "any", "arange", "arccos", "arccos_", "arccosh", "arccosh_", "arcsin", "arcsin_", "arcsinh", "arcsinh_", "arctan", "arctan2", "arctan_",
    "arctanh", "arctanh_", "argmax", "argmin", "argsort", "argwhere", "array_api", "as_strided", "as_strided_scatter", "as_tensor",
    "asarray", "asin", "asin_", "asinh", "asinh_", "atan", "atan2", "atan_", "atanh", "atanh_", "atleast_1d", "atleast_2d", "atleast_3d",
    "average", "avg_pool1d", "backend", "baddbmm", "bartlett_window", "bernoulli", "bfloat16", "bilinear", "bincount", "binomial",
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "blackman_window", "blas",
    "block_diag", "bmm", "bool", "broadcast_shapes", "broadcast_tensors", "broadcast_to", "bucketize", "can_cast", "cartesian_prod", "cat",
    "cdist", "cdouble", "ceil", "ceil_", "celu", "celu_", "cfloat", "chain_matmul", "channel_shuffle", "cholesky", "cholesky_inverse",
    "cholesky_solve", "chunk", "clamp", "clamp_", "clamp_max", "clamp_max_", "clamp_min", "clamp_min_", "clip", "clip_", "clone",
    "column_stack", "combinations", "complex", "complex64", "complex128", "concat", "concatenate", "conj", "conj_physical",
    "constant_pad_nd", "contiguous_format", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d",
    "conv_transpose3d", "convolution", "copysign", "corrcoef", "cos", "cos_", "cosh", "cosh_", "cosine_similarity", "count_nonzero", "cov",
    "cross", "cummax", "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "current_device", "current_stream", "custom",
    "default_generator", "deg2rad", "deg2rad_", "det", "device", "device_count", "diag", "diag_embed", "diagflat", "diagonal",
    "diagonal_scatter", "diff", "digamma", "dist", "div", "divide", "dot", "double", "dropout", "dropout_", "dsplit", "dstack", "dtype",
    "e", "einsum", "embedding_renorm_", "empty", "empty_cache", "empty_like", "empty_strided", "eq", "equal", "erf", "erf_", "erfc",
    "erfc_", "erfinv", "exp", "exp2", "exp2_", "exp_", "explain", "expm1", "expm1_", "eye", "feature_alpha_dropout", "feature_dropout",
    "fft", "finfo", "fix", "fix_", "flatten", "flip", "fliplr", "flipud", "float", "float16", "float32", "float64", "float_power", "floor",
    "floor_", "floor_divide", "fma", "fmax", "fmin", "fmod", "frac", "frac_", "frexp", "from_dlpack", "from_numpy", "from_ptr",
    "frombuffer", "full", "full_like", "gather", "gcd", "gcd_", "ge", "ger", "get_default_dtype", "get_float32_matmul_precision",
    "get_printoptions", "get_rng_state", "gradient", "greater", "greater_equal", "grid_sampler", "group_norm", "gru", "gru_cell", "gt",
    "half", "hamming_window", "handle_cache", "hann_window", "hardshrink", "heaviside", "histc", "histogram", "hsplit", "hstack", "hypot",
    "i0", "i0_", "igamma", "igammac", "iinfo", "imag", "index_add", "index_copy", "index_fill", "index_put", "index_reduce", "index_select",
    "inf", "inference_mode", "init", "initial_seed", "inner", "int", "int8", "int16", "int32", "int64", "inverse", "ir", "is_complex",
    "is_conj", "is_floating_point", "is_grad_enabled", "is_inference_mode_enabled", "is_initialized", "is_neg", "is_nonzero", "is_tensor",
    "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "istft", "kaiser_window", "kron", "kthvalue",
    "layer_norm", "layout", "lcm", "lcm_", "ldexp", "ldexp_", "le", "lerp", "less", "less_equal", "lgamma", "linalg", "linspace", "load",
    "load_ipython_extension", "load_op_models", "log", "log1p", "log1p_", "log2", "log2_", "log10", "log10_", "log_", "log_softmax",
    "logaddexp", "logaddexp2", "logcumsumexp", "logdet", "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logit_",
    "logspace", "logsumexp", "long", "lstm", "lstm_cell", "lt", "lu", "lu_solve", "lu_unpack", "manual_seed", "masked_fill",
    "masked_scatter", "masked_select", "matmul", "matrix_exp", "matrix_power", "max", "max_memory_allocated", "max_memory_reserved",
    "max_pool1d", "max_pool1d_with_indices", "max_pool2d", "max_pool3d", "maximum", "mean", "median", "mem_get_info", "memory_allocated",
    "memory_cached", "memory_format", "memory_reserved", "memory_snapshot", "memory_stats", "memory_summary", "meshgrid", "min", "minimum",
    "mm", "mode", "models", "moveaxis", "movedim", "msort", "mul", "multinomial", "multiply", "mv", "mvlgamma", "nan", "nan_to_num",
    "nan_to_num_", "nanmean", "nanmedian", "nanquantile", "nansum", "narrow", "narrow_copy", "native_batch_norm", "native_channel_shuffle",
    "native_group_norm", "native_layer_norm", "ne", "neg", "neg_", "negative", "negative_", "newaxis", "nextafter", "nn", "no_grad",
    "nonzero", "norm", "normal", "not_equal", "notebook", "npu", "numel", "ones", "ones_like", "op_models", "outer", "pairwise_distance",
    "pca_lowrank", "pdist", "permute", "pi", "pinverse", "pixel_shuffle", "pixel_unshuffle", "poisson", "polar", "polygamma", "positive",
    "pow", "prelu", "preserve_format", "prod", "profile", "promote_types", "ptp", "put", "qr", "quantile", "rad2deg", "rad2deg_", "rand",
    "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "range", "ravel", "raw", "real", "reciprocal", "reciprocal_",
    "register_op", "relu", "relu_", "remainder", "renorm", "repeat_interleave", "reset_peak_memory_stats", "reshape", "resolve_conj",
    "resolve_neg", "result_type", "rms_norm", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell", "roll", "rot90", "round", "round_",
    "row_stack", "rrelu", "rrelu_", "rsqrt", "rsqrt_", "rsub", "run_mode", "save", "scalar_tensor", "scatter", "scatter_add",
    "scatter_reduce", "searchsorted", "seed", "segment_reduce", "select", "select_scatter", "selu", "selu_", "set_default_dtype",
    "set_device", "set_float32_matmul_precision", "set_grad_enabled", "set_printoptions", "set_progress", "set_rng_state", "setdiff1d",
    "sgn", "short", "shuffle", "shutdown", "sigmoid", "sigmoid_", "sign", "signbit", "sin", "sin_", "sinc", "sinc_", "sinh", "sinh_",
    "slice_scatter", "slogdet", "soc_name", "softmax", "sort", "special", "split", "split_with_sizes", "sqrt", "sqrt_", "square", "square_",
    "squeeze", "stack", "std", "std_mean", "stft", "stream", "strided", "sub", "subtract", "sum", "svd", "svd_lowrank", "swapaxes",
    "swapdims", "synchronize", "t", "take", "take_along_dim", "tan", "tan_", "tanh", "tanh_", "tensor", "tensor_split", "tensordot",
    "threshold", "threshold_", "tile", "topk", "trace", "transpose", "trapezoid", "trapz", "triangular_solve", "tril", "tril_indices",
    "triu", "triu_indices", "true_divide", "trunc", "trunc_", "uint8", "uint16", "uint32", "uint64", "unbind", "unflatten", "unique",
    "unique_consecutive", "unravel_index", "unsqueeze", "vander", "var", "var_mean", "vdot", "vecdot", "vector_norm", "view_as_complex",
    "view_as_real", "vision", "vsplit", "vstack", "where", "xlogy", "xlogy_", "zeros", "zeros_like",
]
# fmt: on


__dir__ = __all__.copy

if TYPE_CHECKING:
    from . import array_api, blas, custom, fft, ir, models, notebook, npu, special, vision
    from .notebook import explain, load_ipython_extension, memory_snapshot, profile, trace
    from .saving import load, save
else:  # for type checkers, every name would be one
    __getattr__ = deferred.in_module(
        "ascendtensor",
        ("array_api", "blas", "custom", "fft", "ir", "models", "notebook", "npu", "simulator", "special", "vision"),
        {
            **dict.fromkeys(("explain", "load_ipython_extension", "memory_snapshot", "profile", "trace"), "notebook"),
            **dict.fromkeys(("load", "save"), "saving"),
        },
        in_module("ascendtensor"),
    )
del TYPE_CHECKING, deferred, in_module
