"""``acl.mdl``: image preprocessing (AIPP) - what inputs have of it, and the parameters of the dynamic kind.

Codes and checks are those of GE's `api/acl/acl_model/model/acl_aipp.cpp` and `aipp_param_check.cpp`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ascendtensor.codes import DataType, ErrorCode, Format, data_type_size

from .engine import AclFault, aipp, chips, memory, model_runs, process
from .engine.arguments import function, getter, invalid
from .engine.diagnostics import missing
from .engine.model_file import Aipp
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
FAILURE: Final = int(ErrorCode.FAILURE)
LENGTH_INVALID: Final = int(ErrorCode.GE_DYNAMIC_INPUT_LENGTH_INVALID)
WITHOUT, STATIC, DYNAMIC, NODE = range(4)
"""aclmdlInputAippType."""
NOT_ATTACHED: Final = 0xFFFFFFFF
"""ACL_INVALID_NODE_INDEX."""
MOST_IMAGES: Final = 1 << 20
"""Images that there is memory for in a record."""
LARGEST: Final = 4096
MOST_PADDING: Final = 32
WIDEST_PADDED: Final = 1080
NARROW: Final = (0, 1001, 2002, 2201, 3510)
"""NpuArch of the chips with that limit; 0 stands for the first Ascend310."""
DYNAMIC_CHIPS: Final = (*NARROW, 3002)
"""NpuArch of the chips that have dynamic AIPP."""
KNOWN_FORMATS: Final = range(1, 15)
ADVICE: Final = "convert the model with --insert_op_conf and aipp_mode: dynamic"


class Parameters:
    """What ``aclmdlAIPP`` holds.

    Attributes:
        common: What holds for all images.
        images: What is done to each.
    """

    __slots__ = ("common", "images")

    def __init__(self, count: int) -> None:
        self.common = aipp.Common()
        self.images = [aipp.Image() for _ in range(count)]


@function("acl.mdl.get_aipp_data_size", "K", 0)
def get_aipp_data_size(batch_size: int) -> tuple[int, int]:
    """(bytes, ret)."""
    if batch_size == 0:
        raise invalid("batchSize", batch_size, "must not be 0")
    return aipp.data_bytes(batch_size), 0


@getter("acl.mdl.create_aipp", "K", 0)
def create_aipp(batch_size: int) -> int:
    """A record for that many images, 0 for none and for more than memory holds."""
    if not 0 < batch_size <= MOST_IMAGES:
        raise invalid("batchSize", batch_size, "must be the batch size of the model")
    handle = new_handle()
    AIPPS[handle] = Parameters(batch_size)
    return handle


def _parameters(handle: int) -> Parameters:
    found: Parameters | None = AIPPS.get(handle)
    if found is None:
        raise missing("aippParmsSet", handle, "AIPP record")
    return found


@function("acl.mdl.destroy_aipp", "K")
def destroy_aipp(aipp_set: int) -> int:
    """100000 for null."""
    _parameters(aipp_set)
    AIPPS.pop(aipp_set, None)
    return 0


# What a model has


def _verified(model_id: int, index: int) -> Model:
    model = model_for(model_id)
    count = len(model.file.inputs) + len(model.file.carriers)
    if index >= count:
        raise invalid("index", index, f"must be below the number of inputs, {count}")
    return model


def _kind(model: Model, index: int) -> tuple[int, int]:
    """The kind of an input, and where the parameters of a dynamic one are."""
    names = [info.name for info in (*model.file.inputs, *model.file.carriers)]
    for each in model.file.aipps:
        if each.place == index:
            return (DYNAMIC, names.index(each.node)) if each.node else (STATIC, NOT_ATTACHED)
        if each.node == names[index]:
            return NODE, NOT_ATTACHED
    return WITHOUT, NOT_ATTACHED


@function("acl.mdl.get_aipp_type", "IK", 0, 0)
def get_aipp_type(model_id: int, index: int) -> tuple[int, int, int]:
    """(aclmdlInputAippType, index of the input that carries the parameters or 0xFFFFFFFF, ret)."""
    return (*_kind(_verified(model_id, index), index), 0)


@function("acl.mdl.get_first_aipp_info", "IK", None)
def get_first_aipp_info(model_id: int, index: int) -> tuple[dict[str, Any], int]:
    """(the members of aclAippInfo by name, ret); 145015 for an input without AIPP. Of dynamic AIPP only the last five mean something."""
    model = _verified(model_id, index)
    found = next((each for each in model.file.aipps if each.place == index), None)
    if found is None:
        raise AclFault(NOT_EXIST, f"input [{index}] has no AIPP; convert the model with --insert_op_conf")
    return {**_static_info(found), **_dims_info(model, found)}, 0


def _static_info(each: Aipp) -> dict[str, Any]:
    config = {} if each.node else each.config
    get = config.get
    common, image = aipp.static({"input_format": "YUV420SP_U8", **config}, 0, 0)
    crop = image.crop or (0, 0, 0, 0)
    padding = image.padding or (0, 0, 0, 0)
    found: dict[str, Any] = {
        "inputFormat": common.format if config else 0,
        "srcImageSizeW": common.width,
        "srcImageSizeH": common.height,
        "cropSwitch": get("crop", 0),
        **dict(zip(("loadStartPosW", "loadStartPosH", "cropSizeW", "cropSizeH"), crop, strict=True)),
        "resizeSwitch": 0,
        "resizeOutputW": 0,
        "resizeOutputH": 0,
        "paddingSwitch": get("padding", 0),
        **{f"{side}PaddingSize": padding[place] for side, place in (("left", 2), ("right", 3), ("top", 0), ("bottom", 1))},
        "cscSwitch": common.csc,
        "rbuvSwapSwitch": common.swap,
        "axSwapSwitch": common.ax,
        "singleLineMode": get("single_line_mode", 0),
        **{f"matrixR{place // 3}C{place % 3}": value for place, value in enumerate(common.matrix)},
        **{f"outputBias{place}": value for place, value in enumerate(common.out_bias)},
        **{f"inputBias{place}": value for place, value in enumerate(common.in_bias)},
    }
    for name, values in (("meanChn", image.mean), ("minChn", image.least), ("varReciChn", image.factor)):
        found.update({f"{name}{place}": value for place, value in enumerate(values)})
    return found


def _dims_info(model: Model, each: Aipp) -> dict[str, Any]:
    name = model.file.inputs[each.place].name
    shapes = [model.file.graph_dims(each, gear) for gear in model.file.gears or (None,)]
    return {
        "srcFormat": int(Format.NCHW),
        "srcDatatype": each.dtype,
        "srcDimNum": len(each.dims),
        "shapeCount": len(shapes),
        "outDims": [_out_dims(name, each.dtype, *dims) for dims in shapes],
    }


def _out_dims(name: str, dtype: int, batch: int, channels: int, height: int, width: int) -> dict[str, Any]:
    inner = 32 if dtype == DataType.UINT8 else 16
    return {
        "srcDims": {"name": name, "dimCount": 4, "dims": [batch, channels, height, width]},
        "srcSize": batch * channels * height * width * data_type_size(dtype),
        "aippOutdims": {"name": "features", "dimCount": 5, "dims": [batch, 1, height, width, inner]},
        "aippOutSize": batch * height * width * 32,
    }


# Parameters of dynamic AIPP


@function("acl.mdl.set_input_aipp", "IKKK")
def set_input_aipp(model_id: int, dataset: int, index: int, aipp_set: int) -> int:
    """Checks the parameters and writes them into the buffer at that index, which is the one of the parameters themselves."""
    found, parameters = dataset_for(dataset), _parameters(aipp_set)
    _write(_verified(model_id, index), found, index, parameters)
    return 0


@function("acl.mdl.set_aipp_by_input_index", "IKKK")
def set_aipp_by_input_index(model_id: int, dataset: int, index: int, aipp_set: int) -> int:
    """The same by the index of the images; 500001 for an input without dynamic AIPP."""
    parameters, found = _parameters(aipp_set), dataset_for(dataset)
    if index >= len(found.blobs):
        raise invalid("index", index, f"the dataset has {len(found.blobs)} buffers")
    model = _verified(model_id, index)
    kind, carrier = _kind(model, index)
    if kind != DYNAMIC:
        raise AclFault(FAILURE, f"input [{index}] has no dynamic AIPP; {ADVICE}")
    _write(model, found, carrier, parameters)
    return 0


def _write(model: Model, dataset: Any, index: int, parameters: Parameters) -> None:
    if _kind(model, index)[0] != NODE:
        raise invalid("index", index, f"it must be the input that carries the parameters of dynamic AIPP; {ADVICE}")
    names = [info.name for info in model.file.carriers]
    node = names[index - len(model.file.inputs)]
    _check_model(model, next(each for each in model.file.aipps if each.node == node), parameters)
    _check_common(parameters.common)
    for number, image in enumerate(parameters.images):
        _check_image(parameters.common, image, number)
    if len({aipp.output_size(parameters.common, image) for image in parameters.images}) > 1:
        raise _refused("all images of a batch must come out in one size")
    buffer = model_runs.gear_buffer(dataset, index)
    data = aipp.pack(parameters.common, parameters.images)
    if buffer.size < len(data):
        raise AclFault(LENGTH_INVALID, f"the parameters need {len(data)} bytes, their buffer has {buffer.size}")
    memory.any_array(buffer.address, len(data), write=True)[:] = memoryview(data)


def _refused(text: str) -> AclFault:
    return AclFault(100000, text, "EH0005")


def _check_model(model: Model, each: Aipp, parameters: Parameters) -> None:
    common = parameters.common
    size = aipp.source_bytes(common.format, common.width, common.height, len(parameters.images))
    if size > each.config["max_src_image_size"]:
        raise _refused(f"the dynamic aipp size[{size}] is bigger than max_src_image_size[{each.config['max_src_image_size']}]")
    width, height = _checked_size(common, parameters.images[0])
    file = model.file
    batch, _, rows, columns = file.graph_dims(each, file.gears[file.largest] if file.gears else None)
    if (len(parameters.images), width, height) != (batch, columns, rows):
        raise _refused(
            "aipp output shape set by ACL must be equal to aipp output shape in the model! "
            f"AclAippBatchSize = {len(parameters.images)}, AclAippOutputW = {width}, AclAippOutputH = {height}, "
            f"ModelAippBatchSize = {batch}, ModelAippOutputW = {columns}, ModelAippOutputH = {rows}"
        )


def _checked_size(common: aipp.Common, image: aipp.Image) -> tuple[int, int]:
    width, height = aipp.output_size(common, image)
    if image.padding is not None and width > WIDEST_PADDED and _architecture() in NARROW:
        raise _refused(f"after padding, aipp output W[{width}] should be less than or equal to {WIDEST_PADDED}")
    return width, height


def _architecture() -> int:
    return chips.ARCHITECTURES.get(process.State.soc, -1)


def _check_common(common: aipp.Common) -> None:
    if _architecture() not in DYNAMIC_CHIPS:
        raise _refused(f"dynamic aipp not support arch[{_architecture()}], which is that of the {process.State.soc}")
    if common.format not in aipp.CHANNELS:
        text = "inputFormat must be set" if common.format == 0 else f"inputFormat {common.format} is not supported"
        raise _refused(f"{text}: acl.mdl.set_aipp_input_format takes 1 YUV420SP_U8, 2 XRGB8888_U8, 3 RGB888_U8, 4 YUV400_U8")
    if common.format == aipp.YUV400 and common.csc:
        raise _refused("YUV400 or raw not support csc switch")
    if not (common.width and common.height):
        raise _refused("srcImageSizeW and srcImageSizeH must be set: acl.mdl.set_aipp_src_image_size")
    if common.format == aipp.YUV420SP and (common.width % 2 or common.height % 2):
        raise _refused(f"srcImageSizeH[{common.height}] and srcImageSizeW[{common.width}] must be even for YUV420SP_U8")


def _check_image(common: aipp.Common, image: aipp.Image, number: int) -> None:
    if image.scale is not None:
        raise _refused(f"image {number}: the chips here do not scale; leave acl.mdl.set_aipp_scf_params away")
    if image.crop is not None:
        left, top, width, height = image.crop
        if left + width > common.width or top + height > common.height:
            raise _refused(f"image {number}: the area {list(image.crop)} goes beyond {common.width} x {common.height}")
        if common.format == aipp.YUV420SP and (left % 2 or top % 2):
            raise _refused(f"image {number}: cropStartPosW[{left}], cropStartPosH[{top}] must be even for YUV420SP_U8")
    _checked_size(common, image)


# Setters


def _signed(value: int, bits: int) -> int:
    """As the binding hands an unsigned number to a signed parameter of the library."""
    return ((value + (1 << bits - 1)) & ((1 << bits) - 1)) - (1 << bits - 1)


def _ranged(low: float, high: float, *values: float) -> None:
    for value in values:
        if not low <= value <= high:
            raise invalid("value", value, f"must be in [{low}, {high}]")


def _set_common(name: str, letters: str, change: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    def call(aipp_set: int, *values: Any) -> int:
        found = _parameters(aipp_set)
        found.common = found.common._replace(**change(*values))
        return 0

    return _named(call, name, letters)


def _set_image(name: str, letters: str, change: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    def call(aipp_set: int, *values: Any) -> int:
        *given, index = values
        images = _parameters(aipp_set).images
        if index >= len(images):
            raise invalid("batchIndex", index, f"must be below the batch size {len(images)}")
        images[index] = images[index]._replace(**change(*given))
        return 0

    return _named(call, name, letters)


def _named(call: Callable[..., int], name: str, letters: str) -> Callable[..., Any]:
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "Stored for `set_input_aipp`; 100000 for a value that is out of range."
    return function(f"acl.mdl.{name}", letters)(call)


def _switch(value: int) -> int:
    number = _signed(value, 8)
    _ranged(0, 1, number)
    return number


def _format(value: int) -> dict[str, Any]:
    if value not in KNOWN_FORMATS:
        raise invalid("inputFormat", value, "is no aclAippInputFormat")
    return {"format": value}


def _csc(switch: int, *values: int) -> dict[str, Any]:
    if not _switch(switch):
        return {"csc": 0}
    matrix = tuple(_signed(value, 16) for value in values[:9])
    _ranged(-32677, 32676, *matrix)
    biases = tuple(value & 0xFF for value in values[9:])
    return {"csc": 1, "matrix": matrix, "out_bias": biases[:3], "in_bias": biases[3:]}


def _source_size(width: int, height: int) -> dict[str, Any]:
    size = _signed(width, 32), _signed(height, 32)
    _ranged(2, LARGEST, size[0])
    _ranged(1, LARGEST, size[1])
    return {"width": size[0], "height": size[1]}


def _crop(switch: int, *values: int) -> dict[str, Any]:
    if not _switch(switch):
        return {"crop": None}
    left, top, width, height = (_signed(value, 32) for value in values)
    _ranged(0, LARGEST - 1, left, top)
    _ranged(1, LARGEST, width, height)
    return {"crop": (left, top, width, height)}


def _padding(switch: int, *values: int) -> dict[str, Any]:
    if not _switch(switch):
        return {"padding": None}
    sizes = tuple(_signed(value, 32) for value in values)
    _ranged(0, MOST_PADDING, *sizes)
    return {"padding": sizes}


def _scale(switch: int, *values: int) -> dict[str, Any]:
    if not _switch(switch):
        return {"scale": None}
    sizes = tuple(_signed(value, 32) for value in values)
    _ranged(16, LARGEST, sizes[0], sizes[1], sizes[3])
    _ranged(16, 1920, sizes[2])
    return {"scale": sizes}


def _mean(*values: int) -> dict[str, Any]:
    found = tuple(_signed(value, 16) for value in values)
    _ranged(0, 255, *found)
    return {"mean": found}


def _least(*values: float) -> dict[str, Any]:
    _ranged(0.0, 255.0, *values)
    return {"least": values}


def _factor(*values: float) -> dict[str, Any]:
    _ranged(-65504.0, 65504.0, *values)
    return {"factor": values}


set_aipp_input_format = _set_common("set_aipp_input_format", "Ki", _format)
set_aipp_csc_params = _set_common("set_aipp_csc_params", "K" + "I" * 16, _csc)
set_aipp_rbuv_swap_switch = _set_common("set_aipp_rbuv_swap_switch", "KI", lambda value: {"swap": _switch(value)})
set_aipp_ax_swap_switch = _set_common("set_aipp_ax_swap_switch", "KI", lambda value: {"ax": _switch(value)})
set_aipp_src_image_size = _set_common("set_aipp_src_image_size", "KII", _source_size)
set_aipp_crop_params = _set_image("set_aipp_crop_params", "KIIIIIK", _crop)
set_aipp_padding_params = _set_image("set_aipp_padding_params", "KIIIIIK", _padding)
set_aipp_dtc_pixel_mean = _set_image("set_aipp_dtc_pixel_mean", "KIIIIK", _mean)
set_aipp_dtc_pixel_min = _set_image("set_aipp_dtc_pixel_min", "KffffK", _least)
set_aipp_pixel_var_reci = _set_image("set_aipp_pixel_var_reci", "KffffK", _factor)
set_aipp_scf_params = _set_image("set_aipp_scf_params", "KIIIIIK", _scale)
