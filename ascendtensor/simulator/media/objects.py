"""``acl.media``: descriptions of channels, pictures and regions, and configurations - made, read, changed, destroyed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ..engine import contexts
from ..engine.arguments import function, getter, invalid
from ..engine.diagnostics import missing, notice
from ..engine.tables import COUNTED, ON_NEW_PROCESS, new_handle
from . import colours, units
from .tasks import in_flight

Array = npt.NDArray[Any]

CHANNEL_MODES: Final = {"VPC": 1, "JPEGD": 2, "JPEGE": 4, "PNGD": 8}
CSC_MATRIX: Final = 0
CSC_MATRIX_BYTES: Final = 4
MOST_IN_BATCH: Final = 256
BEST_LEVEL: Final = 100
BORDER_TYPES: Final = range(4)
BORDER_VALUES: Final = 4
VALUES: Final = 256
THREE: Final = 3


class Channel:
    """What ``acldvppChannelDesc`` holds.

    Attributes:
        mode: The units that it is for, bits of `acldvppChannelMode`, 0 for all.
        matrix: `acldvppCscMatrix`.
        identifier: Of the channel while there is one, else -1.
        device: Where that one was opened.
    """

    __slots__ = ("device", "identifier", "matrix", "mode")

    def __init__(self) -> None:
        self.mode = 0
        self.matrix = colours.BT601_WIDE
        self.identifier = self.device = -1


class Picture:
    """What ``acldvppPicDesc`` holds."""

    __slots__ = ("data", "format", "height", "height_stride", "ret_code", "size", "width", "width_stride")

    def __init__(self) -> None:
        self.data = self.size = self.format = self.width = self.height = 0
        self.width_stride = self.height_stride = self.ret_code = 0


class Batch:
    """What ``acldvppBatchPicDesc`` holds: handles of pictures that live with it."""

    __slots__ = ("pictures",)

    def __init__(self, pictures: list[int]) -> None:
        self.pictures = pictures


class Region:
    """What ``acldvppRoiConfig`` holds; right and bottom belong to the region."""

    __slots__ = ("bottom", "left", "right", "top")

    def __init__(self, left: int, right: int, top: int, bottom: int) -> None:
        self.left, self.right, self.top, self.bottom = left, right, top, bottom


class ResizeConfig:
    """What ``acldvppResizeConfig`` holds."""

    __slots__ = ("interpolation",)

    def __init__(self) -> None:
        self.interpolation = 0


class JpegeConfig:
    """What ``acldvppJpegeConfig`` holds."""

    __slots__ = ("level",)

    def __init__(self) -> None:
        self.level = BEST_LEVEL


class BorderConfig:
    """What ``acldvppBorderConfig`` holds."""

    __slots__ = ("bottom", "left", "right", "top", "type", "values")

    def __init__(self) -> None:
        self.top = self.bottom = self.left = self.right = self.type = 0
        self.values = [0.0] * BORDER_VALUES


class LutMap:
    """What ``acldvppLutMap`` holds: host memory of a table for each channel."""

    __slots__ = ("tables",)

    def __init__(self) -> None:
        self.tables = np.zeros((THREE, VALUES), np.uint8)


class Hist:
    """What ``acldvppHist`` holds: host memory of counts for each channel."""

    __slots__ = ("counts", "dims", "ret_code")

    def __init__(self) -> None:
        self.counts = np.zeros((THREE, VALUES), np.uint32)
        self.dims = THREE
        self.ret_code = 0


CHANNELS: Final[dict[int, Channel]] = {}
PICTURES: Final[dict[int, Picture]] = {}
BATCHES: Final[dict[int, Batch]] = {}
IN_BATCHES: Final[dict[int, Picture]] = {}
"""Pictures that live with a batch."""
REGIONS: Final[dict[int, Region]] = {}
RESIZES: Final[dict[int, ResizeConfig]] = {}
JPEGES: Final[dict[int, JpegeConfig]] = {}
BORDERS: Final[dict[int, BorderConfig]] = {}
LUT_MAPS: Final[dict[int, LutMap]] = {}
HISTS: Final[dict[int, Hist]] = {}
COUNTED.update(
    dvpp_channels=CHANNELS,
    dvpp_pictures=PICTURES,
    dvpp_batches=BATCHES,
    dvpp_regions=REGIONS,
    dvpp_resize_configs=RESIZES,
    dvpp_jpege_configs=JPEGES,
    dvpp_border_configs=BORDERS,
    dvpp_lut_maps=LUT_MAPS,
    dvpp_hists=HISTS,
)
ON_NEW_PROCESS.append(IN_BATCHES.clear)
_WHAT: Final[dict[int, tuple[str, str]]] = {
    id(CHANNELS): ("channelDesc", "channel description"),
    id(BATCHES): ("batchPicDesc", "batch of picture descriptions"),
    id(REGIONS): ("roiConfig", "region"),
    id(RESIZES): ("resizeConfig", "resize configuration"),
    id(JPEGES): ("jpegeConfig", "JPEGE configuration"),
    id(BORDERS): ("borderConfig", "border configuration"),
    id(LUT_MAPS): ("lutMap", "LUT map"),
    id(HISTS): ("hist", "histogram"),
}


def picture_for(handle: int, parameter: str = "picDesc") -> Picture:
    """A picture's description, of a batch or by itself."""
    found = PICTURES.get(handle) or IN_BATCHES.get(handle)
    if found is None:
        raise missing(parameter, handle, "picture description")
    return found


def found_in(table: dict[int, Any], handle: int) -> Any:
    """A record of one of the other tables."""
    found = table.get(handle)
    if found is None:
        parameter, what = _WHAT[id(table)]
        raise missing(parameter, handle, what)
    return found


def _new(table: dict[int, Any], record: Any) -> int:
    handle = new_handle()
    table[handle] = record
    return handle


def _end(table: dict[int, Any], handle: int) -> int:
    record = picture_for(handle) if table is PICTURES else found_in(table, handle)
    if table is PICTURES and handle in IN_BATCHES:
        raise invalid("picDesc", hex(handle), "lives with its batch; destroy that one by acl.media.dvpp_destroy_batch_pic_desc")
    work = in_flight(record)
    if work:
        notice("handle destroyed in flight", f"[{handle:#x}] is still used by {work}")
    table.pop(handle, None)
    return 0


def _pair(name: str, table: dict[int, Any], make: Callable[[], Any], what: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The functions that make and destroy records without arguments."""

    def create() -> int:
        return _new(table, make())

    def destroy(handle: int) -> int:
        return _end(table, handle)

    create.__doc__ = f"The handle of a new {what}."
    destroy.__doc__ = "100000 for null and for what is not there."
    made = getter(f"acl.media.dvpp_create_{name}", "", 0)(_called(create, f"dvpp_create_{name}"))
    return made, function(f"acl.media.dvpp_destroy_{name}", "K")(_called(destroy, f"dvpp_destroy_{name}"))


def _called(call: Callable[..., Any], name: str) -> Callable[..., Any]:
    call.__name__ = call.__qualname__ = name
    return call


def _attribute(name: str, attribute: str, find: Callable[[int], Any], letter: str = "I") -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The functions that set and get one attribute of a record, `dvpp_set_<name>` and `dvpp_get_<name>`."""

    def change(handle: int, value: Any) -> int:
        setattr(find(handle), attribute, value)
        return 0

    def tell(handle: int) -> Any:
        return getattr(find(handle), attribute)

    change.__doc__ = "Kept; tasks that were queued before have what was set then."
    tell.__doc__ = "What was set, 0 for null."
    setting = function(f"acl.media.dvpp_set_{name}", "K" + letter)(_called(change, f"dvpp_set_{name}"))
    return setting, getter(f"acl.media.dvpp_get_{name}", "K", 0)(_called(tell, f"dvpp_get_{name}"))


# Channels


_channel_numbers: Final = iter(range(1 << 62))
dvpp_create_channel_desc, _destroy_channel_desc = _pair("channel_desc", CHANNELS, Channel, "channel description")


@function("acl.media.dvpp_destroy_channel_desc", "K")
def dvpp_destroy_channel_desc(dvpp_channel_desc: int) -> int:
    """After its channel; destroyed before it, the channel is lost, which is a finding."""
    channel: Channel = found_in(CHANNELS, dvpp_channel_desc)
    if channel.identifier >= 0:
        notice("leak", f"channel {channel.identifier} is open while its description [{dvpp_channel_desc:#x}] is destroyed")
    return _end(CHANNELS, dvpp_channel_desc)


@function("acl.media.dvpp_create_channel", "K")
def dvpp_create_channel(dvpp_channel_desc: int) -> int:
    """Opens the channel, on the device of the current context; 200001 on chips without these units."""
    channel: Channel = found_in(CHANNELS, dvpp_channel_desc)
    units.units()
    device = contexts.current().device
    if channel.identifier >= 0:
        raise invalid("channelDesc", hex(dvpp_channel_desc), "has an open channel already")
    channel.identifier, channel.device = next(_channel_numbers), device
    return 0


@function("acl.media.dvpp_destroy_channel", "K")
def dvpp_destroy_channel(dvpp_channel_desc: int) -> int:
    """Closes the channel."""
    channel: Channel = found_in(CHANNELS, dvpp_channel_desc)
    if channel.identifier < 0:
        raise invalid("channelDesc", hex(dvpp_channel_desc), "has no open channel; call acl.media.dvpp_create_channel first")
    work = in_flight(channel)
    if work:
        notice("handle destroyed in flight", f"channel {channel.identifier} is still used by {work}")
    channel.identifier = -1
    return 0


@getter("acl.media.dvpp_get_channel_desc_channel_id", "K", 0)
def dvpp_get_channel_desc_channel_id(dvpp_channel_desc: int) -> int:
    """Number of the open channel; 0 before there is one."""
    channel: Channel = found_in(CHANNELS, dvpp_channel_desc)
    return max(0, channel.identifier)


@function("acl.media.dvpp_set_channel_desc_mode", "KI")
def dvpp_set_channel_desc_mode(dvpp_channel_desc: int, mode: int) -> int:
    """Which units the channel is for, before it is opened: 1 VPC, 2 JPEGD, 4 JPEGE, 8 PNGD."""
    channel: Channel = found_in(CHANNELS, dvpp_channel_desc)
    units.units("dvpp_set_channel_desc_mode")
    if not 0 < mode <= sum(CHANNEL_MODES.values()):
        raise invalid("mode", mode, "must be 1 (VPC), 2 (JPEGD), 4 (JPEGE) or 8 (PNGD)")
    if channel.identifier >= 0:
        raise invalid("mode", mode, "must be set before acl.media.dvpp_create_channel")
    channel.mode = mode
    return 0


def _check_param(param_type: int) -> None:
    if param_type != CSC_MATRIX:
        raise invalid("paramType", param_type, "must be 0, ACL_DVPP_CSC_MATRIX_UINT32")


@function("acl.media.dvpp_set_channel_desc_param", "KiK", 0)
def dvpp_set_channel_desc_param(dvpp_channel_desc: int, param_type: int, param: int) -> tuple[int, int]:
    """(the description, ret): 0 is the one parameter there is, the matrix of colours."""
    channel: Channel = found_in(CHANNELS, dvpp_channel_desc)
    units.units("dvpp_set_channel_desc_param")
    _check_param(param_type)
    if param not in colours.MATRICES:
        raise invalid("param", param, "must be in [0, 5], acldvppCscMatrix")
    channel.matrix = param
    return dvpp_channel_desc, 0


@function("acl.media.dvpp_get_channel_desc_param", "Ki", 0, 0)
def dvpp_get_channel_desc_param(dvpp_channel_desc: int, param_type: int) -> tuple[int, int, int]:
    """(bytes of the parameter, its value, ret)."""
    channel: Channel = found_in(CHANNELS, dvpp_channel_desc)
    units.units("dvpp_get_channel_desc_param")
    _check_param(param_type)
    return CSC_MATRIX_BYTES, channel.matrix, 0


# Pictures


dvpp_create_pic_desc, dvpp_destroy_pic_desc = _pair("pic_desc", PICTURES, Picture, "picture description")
dvpp_set_pic_desc_data, dvpp_get_pic_desc_data = _attribute("pic_desc_data", "data", picture_for, "K")
dvpp_set_pic_desc_size, dvpp_get_pic_desc_size = _attribute("pic_desc_size", "size", picture_for)
dvpp_set_pic_desc_format, dvpp_get_pic_desc_format = _attribute("pic_desc_format", "format", picture_for, "i")
dvpp_set_pic_desc_width, dvpp_get_pic_desc_width = _attribute("pic_desc_width", "width", picture_for)
dvpp_set_pic_desc_height, dvpp_get_pic_desc_height = _attribute("pic_desc_height", "height", picture_for)
dvpp_set_pic_desc_width_stride, dvpp_get_pic_desc_width_stride = _attribute("pic_desc_width_stride", "width_stride", picture_for)
dvpp_set_pic_desc_height_stride, dvpp_get_pic_desc_height_stride = _attribute("pic_desc_height_stride", "height_stride", picture_for)
dvpp_set_pic_desc_ret_code, dvpp_get_pic_desc_ret_code = _attribute("pic_desc_ret_code", "ret_code", picture_for)


@getter("acl.media.dvpp_create_batch_pic_desc", "I", 0)
def dvpp_create_batch_pic_desc(batch_size: int) -> int:
    """The handle of a batch of 1 to 256 descriptions, 0 for any other number."""
    if not 0 < batch_size <= MOST_IN_BATCH:
        raise invalid("batchSize", batch_size, f"must be in [1, {MOST_IN_BATCH}]")
    return _new(BATCHES, Batch([_new(IN_BATCHES, Picture()) for _ in range(batch_size)]))


@function("acl.media.dvpp_destroy_batch_pic_desc", "K")
def dvpp_destroy_batch_pic_desc(batch_pic_desc: int) -> int:
    """Destroys the batch with its descriptions."""
    batch: Batch = found_in(BATCHES, batch_pic_desc)
    for handle in batch.pictures:
        work = in_flight(IN_BATCHES[handle])
        if work:
            notice("handle destroyed in flight", f"[{handle:#x}] of a batch is still used by {work}")
    for handle in batch.pictures:
        IN_BATCHES.pop(handle, None)
    BATCHES.pop(batch_pic_desc, None)
    return 0


@getter("acl.media.dvpp_get_pic_desc", "KI", 0)
def dvpp_get_pic_desc(batch_pic_desc: int, index: int) -> int:
    """The handle of one description, which lives with the batch."""
    batch: Batch = found_in(BATCHES, batch_pic_desc)
    if index >= len(batch.pictures):
        raise invalid("index", index, f"must be below the batch size {len(batch.pictures)}")
    return batch.pictures[index]


# Regions


@getter("acl.media.dvpp_create_roi_config", "IIII", 0)
def dvpp_create_roi_config(left: int, right: int, top: int, bottom: int) -> int:
    """The handle of a region, whose edges are looked at when it is used."""
    return _new(REGIONS, Region(left, right, top, bottom))


@function("acl.media.dvpp_destroy_roi_config", "K")
def dvpp_destroy_roi_config(roi_config: int) -> int:
    """100000 for null and for what is not there."""
    return _end(REGIONS, roi_config)


@function("acl.media.dvpp_set_roi_config", "KIIII")
def dvpp_set_roi_config(roi_config: int, left: int, right: int, top: int, bottom: int) -> int:
    """All four edges."""
    region: Region = found_in(REGIONS, roi_config)
    region.left, region.right, region.top, region.bottom = left, right, top, bottom
    return 0


def _region(handle: int) -> Any:
    return found_in(REGIONS, handle)


dvpp_set_roi_config_left, _ = _attribute("roi_config_left", "left", _region)
dvpp_set_roi_config_right, _ = _attribute("roi_config_right", "right", _region)
dvpp_set_roi_config_top, _ = _attribute("roi_config_top", "top", _region)
dvpp_set_roi_config_bottom, _ = _attribute("roi_config_bottom", "bottom", _region)


# Configurations


def _resize(handle: int) -> Any:
    return found_in(RESIZES, handle)


dvpp_create_resize_config, dvpp_destroy_resize_config = _pair("resize_config", RESIZES, ResizeConfig, "resize configuration")
dvpp_set_resize_config_interpolation, dvpp_get_resize_config_interpolation = _attribute(
    "resize_config_interpolation", "interpolation", _resize
)
dvpp_create_jpege_config, dvpp_destroy_jpege_config = _pair("jpege_config", JPEGES, JpegeConfig, "JPEGE configuration")


@function("acl.media.dvpp_set_jpege_config_level", "KI")
def dvpp_set_jpege_config_level(jpege_config: int, level: int) -> int:
    """Quality from 1 to 100; 0 is about that of 100, which is the default."""
    config: JpegeConfig = found_in(JPEGES, jpege_config)
    if level > BEST_LEVEL:
        raise invalid("level", level, f"must be in [0, {BEST_LEVEL}]")
    config.level = level
    return 0


@getter("acl.media.dvpp_get_jpege_config_level", "K", 0)
def dvpp_get_jpege_config_level(jpege_config: int) -> int:
    """What was set, 100 before, 0 for null."""
    level: int = found_in(JPEGES, jpege_config).level
    return level


def _border(handle: int) -> Any:
    return found_in(BORDERS, handle)


dvpp_create_border_config, dvpp_destroy_border_config = _pair("border_config", BORDERS, BorderConfig, "border configuration")
dvpp_set_border_config_top, dvpp_get_border_config_top = _attribute("border_config_top", "top", _border)
dvpp_set_border_config_bottom, dvpp_get_border_config_bottom = _attribute("border_config_bottom", "bottom", _border)
dvpp_set_border_config_left, dvpp_get_border_config_left = _attribute("border_config_left", "left", _border)
dvpp_set_border_config_right, dvpp_get_border_config_right = _attribute("border_config_right", "right", _border)


@function("acl.media.dvpp_set_border_config_border_type", "Ki")
def dvpp_set_border_config_border_type(border_config: int, border_type: int) -> int:
    """0 constant, 1 replicated, 2 reflected with the edge, 3 without it."""
    config: BorderConfig = found_in(BORDERS, border_config)
    if border_type not in BORDER_TYPES:
        raise invalid("borderType", border_type, "must be in [0, 3]")
    config.type = border_type
    return 0


@getter("acl.media.dvpp_get_border_config_border_type", "K", 0)
def dvpp_get_border_config_border_type(border_config: int) -> int:
    """What was set, 0 for null."""
    found: int = found_in(BORDERS, border_config).type
    return found


@function("acl.media.dvpp_set_border_config_value", "KIf")
def dvpp_set_border_config_value(border_config: int, index: int, value: float) -> int:
    """The constant of a channel of the picture's format: 0 to 3."""
    config: BorderConfig = found_in(BORDERS, border_config)
    if index >= BORDER_VALUES:
        raise invalid("index", index, f"must be in [0, {BORDER_VALUES})")
    config.values[index] = value
    return 0


@getter("acl.media.dvpp_get_border_config_value", "KI", 0.0)
def dvpp_get_border_config_value(border_config: int, index: int) -> float:
    """What was set, 0.0 for null."""
    config: BorderConfig = found_in(BORDERS, border_config)
    if index >= BORDER_VALUES:
        raise invalid("index", index, f"must be in [0, {BORDER_VALUES})")
    return config.values[index]


# Tables of values


dvpp_create_lut_map, dvpp_destroy_lut_map = _pair("lut_map", LUT_MAPS, LutMap, "LUT map")
dvpp_create_hist, dvpp_destroy_hist = _pair("hist", HISTS, Hist, "histogram")


def _line(table: Array, dim: int) -> tuple[int, int, int]:
    if dim >= len(table):
        raise invalid("dim", dim, f"must be in [0, {len(table)})")
    return int(table[dim].__array_interface__["data"][0]), VALUES, 0


@getter("acl.media.dvpp_get_lut_map_dims", "K", 0)
def dvpp_get_lut_map_dims(lut_map: int) -> int:
    """How many channels have a table: 3."""
    return len(found_in(LUT_MAPS, lut_map).tables)


@function("acl.media.dvpp_get_lut_map_data", "KI", 0, 0)
def dvpp_get_lut_map_data(lut_map: int, dim: int) -> tuple[int, int, int]:
    """(host address of a channel's 256 bytes, 256, ret); the program writes there what each value becomes."""
    return _line(found_in(LUT_MAPS, lut_map).tables, dim)


@getter("acl.media.dvpp_get_hist_dims", "K", 0)
def dvpp_get_hist_dims(hist: int) -> int:
    """How many channels were counted, 3 before."""
    dims: int = found_in(HISTS, hist).dims
    return dims


@function("acl.media.dvpp_get_hist_data", "KI", 0, 0)
def dvpp_get_hist_data(hist: int, dim: int) -> tuple[int, int, int]:
    """(host address of a channel's 256 counts of 32 bits, 256, ret)."""
    return _line(found_in(HISTS, hist).counts, dim)


@getter("acl.media.dvpp_get_hist_ret_code", "K", 0)
def dvpp_get_hist_ret_code(hist: int) -> int:
    """0 unless the unit failed."""
    code: int = found_in(HISTS, hist).ret_code
    return code


@function("acl.media.dvpp_clear_hist", "K")
def dvpp_clear_hist(hist: int) -> int:
    """Counts of 0."""
    found: Hist = found_in(HISTS, hist)
    found.counts[...] = 0
    found.ret_code = 0
    return 0
