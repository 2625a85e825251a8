"""``acl.mdl``: descriptions of models - numbers, names, dims, sizes, gears (MDL-10 to MDL-15)."""

from __future__ import annotations

import itertools
import string
from typing import Any, Final

from ascendtensor.codes import ErrorCode

from .engine import AclFault, whole_models
from .engine.arguments import function, getter, invalid
from .engine.diagnostics import missing
from .engine.model_file import ModelFile, TensorInfo, unpack
from .engine.tables import new_handle
from .engine.whole_models import DESCRIPTIONS, Description, model_for

__all__ = [
    "create_desc",
    "destroy_desc",
    "get_cur_output_dims",
    "get_desc",
    "get_desc_from_file",
    "get_desc_from_mem",
    "get_dynamic_batch",
    "get_dynamic_hw",
    "get_input_data_type",
    "get_input_dims",
    "get_input_dims_range",
    "get_input_dims_v2",
    "get_input_dynamic_dims",
    "get_input_dynamic_gear_count",
    "get_input_format",
    "get_input_index_by_name",
    "get_input_name_by_index",
    "get_input_size_by_index",
    "get_num_inputs",
    "get_num_outputs",
    "get_op_attr",
    "get_output_data_type",
    "get_output_dims",
    "get_output_format",
    "get_output_index_by_name",
    "get_output_name_by_index",
    "get_output_size_by_index",
    "get_tensor_real_name",
]

MAX_RANK: Final = 128
LONGEST_NAME: Final = 127
MAX_GEARS: Final = 4096
RESERVED_INDEX: Final = (1 << 64) - 1
"""-1 as the binding hands it on."""
STORAGE_OVER_LIMIT: Final = int(ErrorCode.STORAGE_OVER_LIMIT)
API_NOT_SUPPORT: Final = int(ErrorCode.API_NOT_SUPPORT)


@getter("acl.mdl.create_desc", "", 0)
def create_desc() -> int:
    """An empty description."""
    handle = new_handle()
    DESCRIPTIONS[handle] = Description()
    return handle


def _desc(handle: int) -> Description:
    found = DESCRIPTIONS.get(handle)
    if found is None:
        raise missing("modelDesc", handle, "model description")
    return found


@function("acl.mdl.destroy_desc", "K")
def destroy_desc(model_desc: int) -> int:
    """100000 for null (MDL-10)."""
    _desc(model_desc)
    DESCRIPTIONS.pop(model_desc, None)
    return 0


@function("acl.mdl.get_desc", "KI")
def get_desc(model_desc: int, model_id: int) -> int:
    """Fills the description anew (MDL-10)."""
    found = _desc(model_desc)
    model = model_for(model_id)
    found.file, found.identifier = model.file, model_id
    return 0


@function("acl.mdl.get_desc_from_file", "Ks")
def get_desc_from_file(model_desc: int, path: str) -> int:
    """Describes a model without loading it."""
    found = _desc(model_desc)
    found.file, found.identifier = unpack(whole_models.read_file(path)), 0
    return 0


@function("acl.mdl.get_desc_from_mem", "KKK")
def get_desc_from_mem(model_desc: int, model_ptr: int, size: int) -> int:
    """Describes a model without loading it."""
    found = _desc(model_desc)
    found.file, found.identifier = unpack(whole_models.read_memory(model_ptr, size)), 0
    return 0


# Tensors


def _inputs(handle: int) -> tuple[TensorInfo, ...]:
    file = _desc(handle).file
    if file is None:
        return ()
    return (*file.inputs, *file.carriers)


def _outputs(handle: int) -> tuple[TensorInfo, ...]:
    file = _desc(handle).file
    return () if file is None else file.outputs


def _at(infos: tuple[TensorInfo, ...], index: int) -> TensorInfo:
    if index >= len(infos):
        raise invalid("index", index, f"must be below the number of tensors, {len(infos)}")
    return infos[index]


def _file(handle: int) -> ModelFile:
    file = _desc(handle).file
    if file is None:
        raise invalid("modelDesc", hex(handle), "the description is empty; call acl.mdl.get_desc")
    return file


@getter("acl.mdl.get_num_inputs", "K", 0)
def get_num_inputs(model_desc: int) -> int:
    """With the input of the gears; 0 for null (MDL-11)."""
    return len(_inputs(model_desc))


@getter("acl.mdl.get_num_outputs", "K", 0)
def get_num_outputs(model_desc: int) -> int:
    """0 for null (MDL-11)."""
    return len(_outputs(model_desc))


@getter("acl.mdl.get_input_size_by_index", "KK", 0)
def get_input_size_by_index(model_desc: int, index: int) -> int:
    """Bytes, of the largest gear; 0 for a bad index and for open bounds (MDL-11)."""
    info = _at(_inputs(model_desc), index)
    file = _file(model_desc)
    return info.nbytes(info.dims) if index >= len(file.inputs) else file.input_sizes()[index]


@getter("acl.mdl.get_output_size_by_index", "KK", 0)
def get_output_size_by_index(model_desc: int, index: int) -> int:
    """Bytes, of the largest gear; 0 for a bad index and for open bounds (MDL-11)."""
    _at(_outputs(model_desc), index)
    return _file(model_desc).output_sizes()[index]


def _shown(desc: Description, info: TensorInfo, kind: str, index: int) -> str:
    """A name that the dims record can hold, none of another tensor (MDL-14)."""
    if len(info.name.encode()) <= LONGEST_NAME or desc.file is None:
        return info.name
    made = f"acl_modelId_{desc.identifier}_{kind}_{index}"
    names = {each.name for each in (*desc.file.inputs, *desc.file.outputs)}
    endings = (f"_{''.join(letters)}" for count in range(1, 4) for letters in itertools.product(string.ascii_lowercase, repeat=count))
    return next((made + ending for ending in ("", *endings) if made + ending not in names), made)


def _record(desc: Description, info: TensorInfo, kind: str, index: int, dims: tuple[int, ...] | None = None) -> dict[str, Any]:
    values = info.dims if dims is None else dims
    if len(values) > MAX_RANK:
        raise AclFault(STORAGE_OVER_LIMIT, f"[{info.name}] has {len(values)} dims, {MAX_RANK} at most")
    return {"name": _shown(desc, info, kind, index), "dimCount": len(values), "dims": list(values)}


@function("acl.mdl.get_input_dims", "KK", {})
def get_input_dims(model_desc: int, index: int) -> tuple[dict[str, Any], int]:
    """(record, ret); dims that a gear decides, or that are open, are -1 (MDL-13, PY-13)."""
    return _record(_desc(model_desc), _at(_inputs(model_desc), index), "input", index), 0


@function("acl.mdl.get_input_dims_v2", "KK", {})
def get_input_dims_v2(model_desc: int, index: int) -> tuple[dict[str, Any], int]:
    """As ``get_input_dims`` but for inputs with static AIPP, whose dims give the size in bytes here."""
    desc, info = _desc(model_desc), _at(_inputs(model_desc), index)
    found = next((each for each in _file(model_desc).aipps if each.place == index), None)
    return _record(desc, info, "input", index, None if found is None else found.bytes_shown(info.dims)), 0


@function("acl.mdl.get_output_dims", "KK", {})
def get_output_dims(model_desc: int, index: int) -> tuple[dict[str, Any], int]:
    """(record, ret), of the largest gear."""
    return _record(_desc(model_desc), _at(_outputs(model_desc), index), "output", index), 0


@function("acl.mdl.get_cur_output_dims", "KK", {})
def get_cur_output_dims(model_desc: int, index: int) -> tuple[dict[str, Any], int]:
    """(record, ret), of the gear that was set last; 200001 for a model of open shapes (MDL-15)."""
    desc = _desc(model_desc)
    file = _file(model_desc)
    if file.open:
        raise AclFault(API_NOT_SUPPORT, "the model has open shapes: acl.mdl.get_dataset_tensor_desc tells the outputs' dims")
    info = _at(file.outputs, index)
    gear = model_for(desc.identifier).gear
    return _record(desc, info, "output", index, None if gear is None else file.gear_outputs[gear][index]), 0


@function("acl.mdl.get_input_dims_range", "KK", {})
def get_input_dims_range(model_desc: int, index: int) -> tuple[dict[str, Any], int]:
    """(record, ret): low and high of each dim, twice the dim for a fixed input; none for models with gears (PY-13).

    So does `GetDimsRange` of GE (`api/acl/acl_model/model/model_om2.cpp`), and its tests ask for it (`aclmdlGetInputDimsRange_*Scenario`).
    """
    info = _at(_inputs(model_desc), index)
    ranges = () if _file(model_desc).gears else info.ranges or tuple((size, size) for size in info.dims)
    return {"rangeCount": len(ranges), "range": [list(pair) for pair in ranges]}, 0


@getter("acl.mdl.get_input_name_by_index", "KK", "")
def get_input_name_by_index(model_desc: int, index: int) -> str:
    """ "" for a bad index (MDL-12)."""
    return _at(_inputs(model_desc), index).name


@getter("acl.mdl.get_output_name_by_index", "KK", "")
def get_output_name_by_index(model_desc: int, index: int) -> str:
    """ "" for a bad index (MDL-12)."""
    return _at(_outputs(model_desc), index).name


@getter("acl.mdl.get_input_format", "KK", -1)
def get_input_format(model_desc: int, index: int) -> int:
    """-1 for a bad index (MDL-12)."""
    return _at(_inputs(model_desc), index).format


@getter("acl.mdl.get_output_format", "KK", -1)
def get_output_format(model_desc: int, index: int) -> int:
    """-1 for a bad index (MDL-12)."""
    return _at(_outputs(model_desc), index).format


@getter("acl.mdl.get_input_data_type", "KK", -1)
def get_input_data_type(model_desc: int, index: int) -> int:
    """-1 for a bad index (MDL-12)."""
    return _at(_inputs(model_desc), index).dtype


@getter("acl.mdl.get_output_data_type", "KK", -1)
def get_output_data_type(model_desc: int, index: int) -> int:
    """-1 for a bad index (MDL-12)."""
    return _at(_outputs(model_desc), index).dtype


def _index(desc: Description, infos: tuple[TensorInfo, ...], name: str, kind: str) -> int:
    for index, info in enumerate(infos):
        if name in (info.name, _shown(desc, info, kind, index)):
            return index
    raise invalid("name", name, f"the model has no such {kind}; it has {[info.name for info in infos]}")


@function("acl.mdl.get_input_index_by_name", "Ks", 0)
def get_input_index_by_name(model_desc: int, name: str) -> tuple[int, int]:
    """(index, ret); 100000 for an unknown name (MDL-12)."""
    return _index(_desc(model_desc), _inputs(model_desc), name, "input"), 0


@function("acl.mdl.get_output_index_by_name", "Ks", 0)
def get_output_index_by_name(model_desc: int, name: str) -> tuple[int, int]:
    """(index, ret); 100000 for an unknown name (MDL-12)."""
    return _index(_desc(model_desc), _outputs(model_desc), name, "output"), 0


@getter("acl.mdl.get_tensor_real_name", "Ks", "")
def get_tensor_real_name(model_desc: int, name: str) -> str:
    """The name behind one that was too long for the dims record (MDL-14)."""
    desc = _desc(model_desc)
    for kind, infos in (("input", _inputs(model_desc)), ("output", _outputs(model_desc))):
        for index, info in enumerate(infos):
            if name in (info.name, _shown(desc, info, kind, index)):
                return info.name
    raise invalid("name", name, "the model has no such tensor")


@getter("acl.mdl.get_op_attr", "Kss", "")
def get_op_attr(model_desc: int, op_name: str, attr_name: str) -> str:
    """ "": a simulated model keeps no attributes of operators."""
    _desc(model_desc)
    return ""


# Gears


def _gears(handle: int, kind: str) -> tuple[tuple[int, ...], ...]:
    file = _desc(handle).file
    return file.gears if file is not None and file.kind == kind else ()


@function("acl.mdl.get_dynamic_batch", "K", {})
def get_dynamic_batch(model_desc: int) -> tuple[dict[str, Any], int]:
    """(record, ret); none for other models (PY-13)."""
    gears = _gears(model_desc, "batch")
    return {"batchCount": len(gears), "batch": [batch for (batch,) in gears]}, 0


@function("acl.mdl.get_dynamic_hw", "KK", {})
def get_dynamic_hw(model_desc: int, index: int) -> tuple[dict[str, Any], int]:
    """(record, ret); the index is not looked at (PY-13)."""
    gears = _gears(model_desc, "image")
    return {"hwCount": len(gears), "hw": [list(pair) for pair in gears]}, 0


def _check_reserved(index: int) -> None:
    if index != RESERVED_INDEX:
        raise invalid("index", index, "is reserved and must be -1")


@function("acl.mdl.get_input_dynamic_gear_count", "KK", 0)
def get_input_dynamic_gear_count(model_desc: int, index: int) -> tuple[int, int]:
    """(gears of ``--dynamic_dims``, ret); the index must be -1."""
    _desc(model_desc)
    _check_reserved(index)
    return len(_gears(model_desc, "dims")), 0


@function("acl.mdl.get_input_dynamic_dims", "KKK", None)
def get_input_dynamic_dims(model_desc: int, index: int, gear_count: int) -> tuple[list[dict[str, Any]] | None, int]:
    """(records with the dims of all inputs, one after another, ret) (PY-13)."""
    if gear_count > MAX_GEARS:
        raise invalid("gear_count", gear_count, f"must not be above {MAX_GEARS}")
    file = _desc(model_desc).file
    _check_reserved(index)
    gears = _gears(model_desc, "dims")
    if gear_count < len(gears):
        raise invalid("gear_count", gear_count, f"must be at least the number of gears, {len(gears)}")
    records = []
    for gear in gears:
        shapes = file.input_dims(gear) if file is not None else []
        dims = [dim for position in (file.order if file is not None else ()) for dim in shapes[position]]
        records.append({"name": "", "dimCount": len(dims), "dims": dims})
    empty = {"name": "", "dimCount": 0, "dims": []}
    return [*records, *(dict(empty) for _ in range(gear_count - len(records)))], 0
