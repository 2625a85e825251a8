"""PyTorch's names that are not here: what an AttributeError says about them beyond Python's own text."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

_ROOT: Final = __name__.partition(".")[0]
_BY_HAND: Final = "there is no autograd; write the gradients and the steps by hand, as `python -m ascendtensor demo` does"
_NO_SUCH: Final = (
    "there is no such module; ascendtensor.nn.functional has the functions, and a class of your own is an ascendtensor.nn.Module"
)
_ONLY_NPUS: Final = "the devices are NPUs; ascendtensor.npu has the functions of torch.cuda"
_COMPILED: Final = "operators are compiled as they are needed; for whole models there is ascendtensor.models"
_BY_DTYPE: Final = "make tensors with tensor(data, dtype=...) or empty(shape, dtype=...)"
_DENSE: Final = "there are dense tensors only"
_CLASSES: Final = ("Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")

IN_MODULES: Final[dict[str, str]] = {
    **dict.fromkeys(("autograd", "optim", "enable_grad", "func", "grad"), _BY_HAND),
    **dict.fromkeys(("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm", "get_total_norm", "clip_grads_with_norm_"), _BY_HAND),
    "vmap": "functions take batches themselves: most have dims for them, or broadcast",
    **dict.fromkeys(("amp", "autocast"), "dtypes change where you say so, by .to(float16)"),
    "distributed": "a process works with the devices that it sees; several processes know nothing of each other",
    "backends": "see set_float32_matmul_precision() and docs/environment.md",
    "profiler": "use profile() or trace()",
    "set_default_tensor_type": "use set_default_dtype()",
    **{
        name: f"use ascendtensor.nn.{name}"
        for name in ("Module", "ModuleDict", "ModuleList", "Parameter", "ParameterDict", "ParameterList")
    },
    "cuda": _ONLY_NPUS,
    "set_default_device": "use set_device()",
    "get_default_device": "use current_device()",
    **dict.fromkeys(("compile", "jit", "export", "fx", "onnx"), _COMPILED),
    **{f"{name}Tensor": _BY_DTYPE for name in _CLASSES},
    **dict.fromkeys(("sparse_coo_tensor", "sparse_csr_tensor", "sparse_coo", "sparse_csr"), _DENSE),
    **dict.fromkeys(("float8_e4m3fn", "float8_e5m2"), "the smallest floating dtypes are float16 and bfloat16"),
    **dict.fromkeys(("qint8", "quint8", "qint32"), "no dtype here carries a scale and a zero point"),
    **dict.fromkeys(("set_num_threads", "get_num_threads"), "operators run on the NPU"),
    "signal": "the windows are hann_window, hamming_window, blackman_window, bartlett_window and kaiser_window",
    "to_dlpack": "from_dlpack() of the other library takes the tensor itself",
    "geomspace": "logspace(log10(start), log10(end), steps) gives the same numbers",
    "array": "use tensor(data)",
    "ndarray": "the class is Tensor",
    "Size": "shapes are tuples; x.numel() counts the elements",
    "expand_dims": "use unsqueeze(x, dim)",
    "power": "use pow(x, exponent)",
    **{name: f"numpy.{name} takes tensors" for name in ("convolve", "correlate", "interp", "polyval")},
    "npu_format_cast": "tensors are of the format ND always; operators choose the layout that they compute in",
    **dict.fromkeys(("quantize_per_tensor", "quantize_per_channel", "dequantize"), "no dtype here carries a scale and a zero point"),
    **dict.fromkeys(("channels_last", "channels_last_3d"), "tensors are row-major; leave it away"),
    "utils": "batches are slices of tensors or arrays, there is no DataLoader; from_dlpack() takes what other libraries have",
    **dict.fromkeys(("OutOfMemoryError", "AcceleratorError"), "see ascendtensor.errors: OutOfDeviceMemoryError, AclError"),
    **dict.fromkeys(("accelerator", "xpu", "mps", "mtia"), _ONLY_NPUS),
    "distributions": "ascendtensor.random and the functions of tensors (normal, bernoulli, poisson, binomial, x.exponential_()...) draw",
    "fork_rng": "use ascendtensor.random.fork_rng",
    "testing": "numpy.testing takes tensors; `import ascendtensor.testing` is the plugin of pytest",
    "multiprocessing": "tensors pickle by value: Python's own multiprocessing takes them, by the start method spawn",
    **dict.fromkeys(("use_deterministic_algorithms", "are_deterministic_algorithms_enabled"), "there is no switch for it; leave it away"),
    "get_num_interop_threads": "operators run on the NPU",
    "matrix_sqrth": "w, q = eigh(A), then (q * w.sqrt().unsqueeze(-2)) @ q.mH is the root",
    "polar": "u, s, vh = svd(A, full_matrices=False), then u @ vh and (vh.mH * s.unsqueeze(-2)) @ vh are the factors",
    "fake_quantize_per_tensor_affine": "(((x / scale).round() + zero_point).clamp(low, high) - zero_point) * scale gives the same numbers",
    "version": "it is __version__",
    **dict.fromkeys(("int1", "int2", "int4", "uint1", "uint2", "uint4", "bits8"), "the smallest integer dtypes are int8 and uint8"),
}
IN_TENSORS: Final[dict[str, str]] = {
    "cuda": 'the devices are NPUs; use .npu() or .to("npu:0")',
    **dict.fromkeys(("grad_fn", "retain_grad", "register_hook", "register_post_accumulate_grad_hook"), _BY_HAND),
    **dict.fromkeys(("storage", "untyped_storage"), "data_ptr() and data_buffer tell where the memory lies"),
    **dict.fromkeys(("to_sparse", "to_dense"), _DENSE),
    **dict.fromkeys(("pin_memory", "share_memory_"), "there are no tensors on the host; copies to the device are staged in pinned memory"),
    **dict.fromkeys(("__array_interface__", "__array_struct__", "ctypes"), "use numpy()"),
    "base": "views share memory with what they are of; data_ptr() tells where",
    **dict.fromkeys(("flags", "setflags"), "is_contiguous() tells the layout, and every tensor can be written to"),
    "itemset": "assign to x[index]",
    **dict.fromkeys(("newbyteorder", "byteswap"), "tensors are in the byte order of the machine"),
    **dict.fromkeys(("getfield", "setfield"), "no dtype here has fields; view(dtype) shows the same bytes"),
    "tostring": "use tobytes()",
    **dict.fromkeys(("dump", "dumps"), "use the module pickle, or ascendtensor.save"),
    "resize": "numpy.resize takes tensors; resize_() is PyTorch's",
    "partition": "use sort(), or numpy.partition, which takes tensors",
    **dict.fromkeys(("is_nested", "is_mkldnn", "is_sparse_csr", "sparse_dim", "dense_dim", "coalesce", "is_coalesced"), _DENSE),
    **dict.fromkeys(("indices", "values", "crow_indices", "col_indices", "to_sparse_coo", "to_sparse_csr", "to_mkldnn"), _DENSE),
    **dict.fromkeys(("is_pinned", "is_shared"), "there are no tensors on the host"),
    **dict.fromkeys(("is_inference", "output_nr", "retains_grad", "grad_dtype"), "there is no autograd"),
    **dict.fromkeys(("xpu", "ipu", "mtia", "is_xpu", "is_mps"), 'the devices are NPUs; use .npu() or .to("npu:0")'),
    **dict.fromkeys(("apply_", "map_", "map2_"), "no function of Python runs on the device; use functions of tensors, or numpy()"),
    **dict.fromkeys(("dequantize", "q_scale", "q_zero_point", "qscheme", "int_repr"), "no dtype here carries a scale and a zero point"),
    **dict.fromkeys(("unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"), "chunk(), split() and split_with_sizes() do the same"),
    "set_": "views share memory, which can't be exchanged; copy_() takes another tensor's values",
    "new": "use new_tensor(), new_empty() or new_zeros()",
    "new_empty_strided": "use empty_strided(size, stride, dtype=x.dtype)",
    "const_data_ptr": "use data_ptr()",
    "chalf": "there is no complex32; use cfloat()",
    "index": "write x[indices]",
    "dim_order": "tensors are row-major; stride() tells the steps of a view",
}
IN_NETWORKS: Final[dict[str, str]] = {
    **dict.fromkeys(("zero_grad", "register_full_backward_hook", "register_full_backward_pre_hook", "register_backward_hook"), _BY_HAND),
    "cuda": 'the devices are NPUs; use .npu() or .to("npu:0")',
    "cpu": "there are no tensors on the host; the values of state_dict() have .cpu(), which gives arrays",
    "share_memory": "there are no tensors on the host",
    "compile": _COMPILED,
}
IN_ARRAYS: Final[dict[str, str]] = {"cuda": 'the devices are NPUs; .npu() makes a tensor of it, .npu("npu:1") on another one'}

_HOMES: Final = ("nn.functional", "linalg", "fft", "special", "vision")
_HOMES_OF_METHODS: Final = ("", "nn.functional", "linalg", "fft")


def elsewhere(name: str, homes: tuple[str, ...] = _HOMES_OF_METHODS) -> dict[str, str]:
    """Advice about a name that is one of another module of ours; functions of tensors, where a method was asked for."""
    if name.startswith("_"):
        return {}
    for home in homes:
        path = f"{_ROOT}.{home}".rstrip(".")
        module = operator.attrgetter(home)(sys.modules[_ROOT]) if home else sys.modules[_ROOT]
        if name in vars(module) and name in module.__all__ and not isinstance(getattr(module, name), type):
            return {name: f"use {path}.{name}"}
    methods = sys.modules[_ROOT].Tensor
    if hasattr(methods, name) and "" not in homes:
        return {name: f"it is a method, x.{name}"}
    view = name.removesuffix("_copy")
    return {name: f"use x.{view}(...).clone()"} if view != name and hasattr(methods, view) else {}


@lru_cache(maxsize=512)
def about_tensors(kind: str, name: str) -> str:
    """What the error says about a name that a class of tensors does not have; kept, since `hasattr` asks often and never shows it."""
    return _text(f"{kind!r} object", name, IN_TENSORS if name in IN_TENSORS else elsewhere(name))


def attribute_error(owner: str, name: str, obj: object, advice: dict[str, str]) -> AttributeError:
    """Python's own error, with advice where there is some; names that are close by are still suggested in tracebacks."""
    return AttributeError(_text(owner, name, advice), name=name, obj=obj)


def _text(owner: str, name: str, advice: dict[str, str]) -> str:
    text = f"{owner} has no attribute {name!r}"
    known = advice.get(name)
    return f"{text}: {known}" if known else text


def in_module(module: str, classes: bool = False) -> Callable[[str], Any]:
    """The `__getattr__` of a module.

    Args:
        module: Its name.
        classes: Whether every name in capitals is a class of neural networks, as in `torch.nn`.
    """

    @lru_cache(maxsize=512)
    def text(name: str) -> str:
        advice = {name: _NO_SUCH} if classes and name[:1].isupper() else IN_MODULES
        if module == _ROOT and name not in advice:
            advice = elsewhere(name, _HOMES)
        return _text(f"module {module!r}", name, advice)

    def __getattr__(name: str) -> Any:
        raise AttributeError(text(name), name=name, obj=sys.modules[module])

    return __getattr__
