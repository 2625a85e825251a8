"""What the chips' AI Core kernels cannot do although they take the dtypes: attributes that they ignore, values that they refuse.

Read in CANN 8.1.RC1 (``opp/built-in/op_impl/ai_core/tbe``, "tbe" below) and in the repositories of its operators. Where a board would
compute something else without a word, the simulator refuses to compile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ascendtensor.codes import DataType
from ascendtensor.simulator.engine import chips
from ascendtensor.simulator.engine.models import OpModel

ATLAS_950: Final = 3510
"""Chips whose kernels were written anew (``arch35`` in hicann/ops-nn)."""

Limit = Callable[[OpModel, Mapping[str, Any], str], "str | None"]


def limit(model: OpModel, soc: str) -> str | None:
    """Why the AI Core kernel of an operator does not do what its description says; None if nothing is known against it."""
    found = _LIMITS.get(model.op_type)
    if found is None or chips.ARCHITECTURES.get(soc) == ATLAS_950:
        return None
    return found(model, model.arguments, soc)


def _cummin(model: OpModel, attrs: Mapping[str, Any], soc: str) -> str | None:
    """The kernel steps through the first axis and never asks for ``axis`` (tbe, ``impl/dynamic/cummin.py``, ``cummin_compute``); CANN's own
    interface transposes before it (hicann/ops-math, ``aclnn_cummin.cpp``, ``ExecCummin``), and op-plugin too."""
    dims, axis = model.inputs[0].dims, attrs["axis"]
    if axis in (0, -len(dims)) or (len(dims) == 1 and dims != (-2,)):
        return None
    return f"the kernel runs along the first axis, whatever axis says ({axis}): transpose x"


def _adaptive_means(model: OpModel, attrs: Mapping[str, Any], soc: str) -> str | None:
    """The kernel's attributes lack ``data_format`` (tbe, ``aic-ascend910b-ops-info.json``), and its tiling takes the channels to be last
    (hicann/ops-nn, ``adaptive_avg_pool3d_tiling.cpp``, ``Tiling4AdaptiveAvgPool3d``)."""
    if attrs["data_format"] == "NDHWC":
        return None
    return f"the kernel takes the channels to be last, whatever data_format says ({attrs['data_format']}): transpose x"


def _im2col(model: OpModel, attrs: Mapping[str, Any], soc: str) -> str | None:
    """Static shapes go to the static kernel, whose list lacks bfloat16 (tbe, ``impl/im2col.py``, ``op_select_format``)."""
    if model.inputs[0].dtype == DataType.BF16 and all(dim >= 0 for dim in model.inputs[0].dims):
        return "x bfloat16 has a kernel for dynamic shapes only"
    return None


def _roi_align(model: OpModel, attrs: Mapping[str, Any], soc: str) -> str | None:
    """Modes above 1 have a kernel on the 910 and the 910B only, and for float32; elsewhere they are not told from 0 (tbe,
    ``impl/roi_align.py``, ``roi_align``)."""
    if attrs["roi_end_mode"] < 2:
        return None
    if not soc.startswith("Ascend910") or soc.startswith("Ascend910_93"):
        return f"roi_end_mode {attrs['roi_end_mode']} has no kernel on {soc}"
    if model.inputs[0].dtype != DataType.FLOAT:
        return f"roi_end_mode {attrs['roi_end_mode']} has a kernel for float32 only"
    return None


def _resize_d(model: OpModel, attrs: Mapping[str, Any], soc: str) -> str | None:
    """Of one size the kernel takes one scale, which it divides by (tbe, ``impl/resize_d.py``, ``ResizeLinear.check_param2``); op-plugin
    gives one for each size (``UpsampleLinear1dKernelNpu.cpp``, ``UpsampleBicubic2dKernelNpu.cpp``)."""
    if len(attrs["scales"]) != len(attrs["sizes"]):
        return f"{len(attrs['scales'])} scales for {len(attrs['sizes'])} sizes"
    return None


def _sort(model: OpModel, attrs: Mapping[str, Any], soc: str) -> str | None:
    """Lines of one element go to the AI CPU (tbe, ``impl/sort.py``, ``check_supported``); ``aicpu_kernel.json`` lists no bfloat16."""
    if model.inputs[0].dtype == DataType.BF16 and model.inputs[0].dims[-1:] == (1,):
        return "The data of sort axis is 1, and the AI CPU takes no bfloat16"
    return None


def leaves_core(model: OpModel, soc: str) -> bool:
    """Whether what the AI Core has a kernel for goes to the AI CPU all the same: the kernel's own ``check_supported`` says so."""
    found = _LEAVES.get(model.op_type)
    if found is None or chips.ARCHITECTURES.get(soc) == ATLAS_950:
        return False
    return all(dim >= 0 for dim in model.inputs[0].dims) and found(model)


def _always(model: OpModel) -> bool:
    """tbe, ``impl/dynamic/scatter_elements.py``: False for all shapes that are known."""
    return True


def _mask_spread(model: OpModel) -> bool:
    """tbe, ``impl/dynamic/masked_scatter.py``: False if the mask's shape is another."""
    return model.inputs[0].dims != model.inputs[1].dims


def _no_floats(model: OpModel) -> bool:
    """tbe, ``impl/dynamic/index_put_v2.py``: False for all but floats of two or four bytes, and for some shapes of those."""
    return model.inputs[0].dtype not in (DataType.FLOAT, DataType.FLOAT16, DataType.BF16)


def _single(model: OpModel) -> bool:
    """tbe, ``impl/sort.py``: False for lines of one element."""
    return model.inputs[0].dims[-1:] == (1,)


_CASTS: Final[Mapping[int, tuple[int, ...]]] = {
    DataType.FLOAT16: (0, 1, 2, 3, 4, 6, 9, 12, 27, 33),
    DataType.FLOAT: (1, 3, 4, 9, 12, 16, 27),
    DataType.INT8: (0, 1, 2, 3, 4, 9, 12, 27),
    DataType.UINT8: (0, 1, 3, 9, 27),
    DataType.INT32: (0, 1, 2, 4, 9, 12, 27),
    DataType.INT64: (0, 1, 3, 4, 12, 27),
    DataType.BF16: (0, 1, 2, 3, 4, 12),
    DataType.INT16: (1,),
    DataType.UINT1: (1,),
}


def _cast(model: OpModel) -> bool:
    """tbe, ``impl/dynamic/cast.py`` and ``impl/cast.py``: fewer pairs than are listed for the kernel; bool counts as int8."""
    taken = DataType.INT8 if model.inputs[0].dtype == DataType.BOOL else model.inputs[0].dtype
    return model.outputs[0].dtype not in _CASTS.get(taken, ())


_LEAVES: Final[Mapping[str, Callable[[OpModel], bool]]] = {
    "Cast": _cast,
    "ScatterElements": _always,
    "MaskedScatter": _mask_spread,
    "IndexPutV2": _no_floats,
    "Sort": _single,
}

_LIMITS: Final[Mapping[str, Limit]] = {
    "Cummin": _cummin,
    "AdaptiveAvgPool3d": _adaptive_means,
    "Im2col": _im2col,
    "ROIAlign": _roi_align,
    "ResizeD": _resize_d,
    "Sort": _sort,
}
