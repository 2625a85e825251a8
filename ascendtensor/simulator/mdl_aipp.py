"""``acl.mdl``: image preprocessing (AIPP). Its records exist; no simulated model has it, and the answers are those of a model without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ascendtensor.codes import ErrorCode

from .engine import AclFault
from .engine.arguments import function, getter, invalid
from .engine.diagnostics import missing
from .engine.tables import new_handle
from .engine.whole_models import AIPPS, Model, dataset_for, model_for

__all__ = [
    "create_aipp",
    "destroy_aipp",
    "get_aipp_data_size",
    "get_aipp_type",
    "get_first_aipp_info",
    "set_aipp_ax_swap_switch",
    "set_aipp_by_input_index",
    "set_aipp_crop_params",
    "set_aipp_csc_params",
    "set_aipp_dtc_pixel_mean",
    "set_aipp_dtc_pixel_min",
    "set_aipp_input_format",
    "set_aipp_padding_params",
    "set_aipp_pixel_var_reci",
    "set_aipp_rbuv_swap_switch",
    "set_aipp_scf_params",
    "set_aipp_src_image_size",
    "set_input_aipp",
]

NOT_EXIST: Final = int(ErrorCode.GE_AIPP_NOT_EXIST)
MAX_BATCH: Final = 127
WITHOUT_AIPP: Final = 0
NOT_ATTACHED: Final = (1 << 64) - 1
HEAD_BYTES, BATCH_BYTES = 64, 96
"""What a record takes on the device: a common part, and one for each image."""
ADVICE: Final = "the model has no AIPP; preprocess the images before they go to the model"


def _check_batch(batch_size: int) -> None:
    if not 0 < batch_size <= MAX_BATCH:
        raise invalid("batchSize", batch_size, f"must be in [1, {MAX_BATCH}]")


@function("acl.mdl.get_aipp_data_size", "K", 0)
def get_aipp_data_size(batch_size: int) -> tuple[int, int]:
    """(bytes, ret)."""
    _check_batch(batch_size)
    return HEAD_BYTES + BATCH_BYTES * batch_size, 0


@getter("acl.mdl.create_aipp", "K", 0)
def create_aipp(batch_size: int) -> int:
    """A record for that many images, 0 for a bad number."""
    _check_batch(batch_size)
    handle = new_handle()
    AIPPS[handle] = batch_size
    return handle


def _batch(aipp: int) -> int:
    found = AIPPS.get(aipp)
    if found is None:
        raise missing("aippParmsSet", aipp, "AIPP record")
    return found


@function("acl.mdl.destroy_aipp", "K")
def destroy_aipp(aipp: int) -> int:
    """100000 for null."""
    _batch(aipp)
    AIPPS.pop(aipp, None)
    return 0


def _input(model_id: int, index: int) -> Model:
    model = model_for(model_id)
    if index >= len(model.file.inputs):
        raise invalid("index", index, f"must be below the number of inputs, {len(model.file.inputs)}")
    return model


@function("acl.mdl.get_first_aipp_info", "IK", None)
def get_first_aipp_info(model_id: int, index: int) -> tuple[None, int]:
    """145015: the model has none."""
    _input(model_id, index)
    raise AclFault(NOT_EXIST, ADVICE)


@function("acl.mdl.get_aipp_type", "IK", 0, 0)
def get_aipp_type(model_id: int, index: int) -> tuple[int, int, int]:
    """(0 for an input without AIPP, no attached input, ret)."""
    _input(model_id, index)
    return WITHOUT_AIPP, NOT_ATTACHED, 0


def _set_input(model_id: int, dataset: int, index: int, aipp: int) -> int:
    dataset_for(dataset)
    _batch(aipp)
    _input(model_id, index)
    raise AclFault(NOT_EXIST, ADVICE)


@function("acl.mdl.set_input_aipp", "IKKK")
def set_input_aipp(model_id: int, dataset: int, index: int, aipp: int) -> int:
    """145015: the model has no input for it."""
    return _set_input(model_id, dataset, index, aipp)


@function("acl.mdl.set_aipp_by_input_index", "IKKK")
def set_aipp_by_input_index(model_id: int, dataset: int, index: int, aipp: int) -> int:
    """145015: the model has no input for it."""
    return _set_input(model_id, dataset, index, aipp)


def _setter(name: str, letters: str, batched: bool = False) -> Callable[..., Any]:
    """A function that stores parameters in a record, where nothing reads them; the last one may be the image's number."""

    def call(aipp: int, *values: Any) -> int:
        size = _batch(aipp)
        if batched and values[-1] >= size:
            raise invalid("batchIndex", values[-1], f"must be below the batch size {size}")
        return 0

    call.__name__ = call.__qualname__ = name
    call.__doc__ = "Stored; a simulated model has no AIPP that would read it."
    return function(f"acl.mdl.{name}", letters)(call)


set_aipp_input_format = _setter("set_aipp_input_format", "Ki")
set_aipp_csc_params = _setter("set_aipp_csc_params", "K" + "I" * 16)
set_aipp_rbuv_swap_switch = _setter("set_aipp_rbuv_swap_switch", "KI")
set_aipp_ax_swap_switch = _setter("set_aipp_ax_swap_switch", "KI")
set_aipp_src_image_size = _setter("set_aipp_src_image_size", "KII")
set_aipp_crop_params = _setter("set_aipp_crop_params", "KIIIIIK", batched=True)
set_aipp_padding_params = _setter("set_aipp_padding_params", "KIIIIIK", batched=True)
set_aipp_dtc_pixel_mean = _setter("set_aipp_dtc_pixel_mean", "KIIIIK", batched=True)
set_aipp_dtc_pixel_min = _setter("set_aipp_dtc_pixel_min", "KffffK", batched=True)
set_aipp_pixel_var_reci = _setter("set_aipp_pixel_var_reci", "KffffK", batched=True)
set_aipp_scf_params = _setter("set_aipp_scf_params", "KIIIIIK", batched=True)
