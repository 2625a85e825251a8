"""PyTorch's names that are not here: what an AttributeError says about them beyond Python's own text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

_BY_HAND: Final = "there is no autograd; write the gradients and the steps by hand, as `python -m ascendtensor demo` does"
_NO_MODULES: Final = "there are no modules; ascendtensor.nn.functional has the functions, and weights are tensors of your own"
_ONLY_NPUS: Final = "the devices are NPUs; ascendtensor.npu has the functions of torch.cuda"
_COMPILED: Final = "operators are compiled as they are needed; for whole models there is ascendtensor.models"
_BY_DTYPE: Final = "make tensors with tensor(data, dtype=...) or empty(shape, dtype=...)"
_DENSE: Final = "there are dense tensors only"
_CLASSES: Final = ("Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")

IN_MODULES: Final[dict[str, str]] = {
    **dict.fromkeys(("autograd", "optim", "enable_grad"), _BY_HAND),
    **dict.fromkeys(("Module", "ModuleDict", "ModuleList", "Parameter", "ParameterDict", "ParameterList"), _NO_MODULES),
    "cuda": _ONLY_NPUS,
    "set_default_device": "use set_device()",
    "get_default_device": "use current_device()",
    **dict.fromkeys(("compile", "jit", "export", "onnx"), _COMPILED),
    **{f"{name}Tensor": _BY_DTYPE for name in _CLASSES},
    **dict.fromkeys(("sparse_coo_tensor", "sparse_csr_tensor"), _DENSE),
    "geomspace": "logspace(log10(start), log10(end), steps) gives the same numbers",
    "array": "use tensor(data)",
    "ndarray": "the class is Tensor",
    "Size": "shapes are tuples; x.numel() counts the elements",
    "expand_dims": "use unsqueeze(x, dim)",
    "power": "use pow(x, exponent)",
    **{name: f"numpy.{name} takes tensors" for name in ("convolve", "correlate", "interp", "polyval")},
    "npu_format_cast": "tensors are of the format ND always; operators choose the layout that they compute in",
    **dict.fromkeys(("quantize_per_tensor", "quantize_per_channel", "dequantize"), "no dtype here carries a scale and a zero point"),
    **dict.fromkeys(("channels_last", "channels_last_3d", "contiguous_format", "preserve_format"), "tensors are row-major; leave it away"),
    "utils": "batches are slices of tensors or arrays; there is no DataLoader",
}
IN_TENSORS: Final[dict[str, str]] = {
    "cuda": 'the devices are NPUs; use .npu() or .to("npu:0")',
    "data": "there is no autograd; the tensor itself will do",
    **dict.fromkeys(("grad_fn", "retain_grad", "register_hook", "register_post_accumulate_grad_hook"), _BY_HAND),
    **dict.fromkeys(("storage", "untyped_storage"), "data_ptr() and data_buffer tell where the memory lies"),
    **dict.fromkeys(("to_sparse", "to_dense"), _DENSE),
}


def attribute_error(owner: str, name: str, obj: object, advice: dict[str, str]) -> AttributeError:
    """Python's own error, with advice where there is some; names that are close by are still suggested in tracebacks."""
    text = f"{owner} has no attribute {name!r}"
    known = advice.get(name)
    return AttributeError(f"{text}: {known}" if known else text, name=name, obj=obj)


def in_module(module: str, classes: bool = False) -> Callable[[str], Any]:
    """The `__getattr__` of a module.

    Args:
        module: Its name.
        classes: Whether every name in capitals is a class of neural networks and `utils` is about them, as in `torch.nn`.
    """

    def __getattr__(name: str) -> Any:
        advice = {name: _NO_MODULES} if classes and (name[:1].isupper() or name == "utils") else IN_MODULES
        raise attribute_error(f"module {module!r}", name, sys.modules[module], advice)

    return __getattr__
