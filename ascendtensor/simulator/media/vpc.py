"""``acl.media``: the VPC - pictures scaled, cropped, pasted, converted, framed, counted."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from ..engine import AclFault, errors_log
from ..engine.arguments import function, int_list, invalid
from . import formats, tasks
from .colours import converted, yuv_to_rgb
from .formats import FORMATS, Samples, gray
from .objects import (
    BATCHES,
    BORDERS,
    CHANNELS,
    HISTS,
    LUT_MAPS,
    REGIONS,
    RESIZES,
    Batch,
    BorderConfig,
    Channel,
    Hist,
    LutMap,
    Picture,
    Region,
    ResizeConfig,
    found_in,
    picture_for,
)
from .resampling import BILINEAR, HIGH_ORDER, pyramid_down, resized
from .tasks import VPC, Array, Info
from .units import (
    FEATURE_UNSUPPORTED,
    FORMAT_NOT_MATCH,
    LEAST,
    MOST_USUAL,
    PYRAMID,
    Units,
    check_size,
    check_strides,
    check_zoom,
    failed,
    units,
    up,
)

MOST_REGIONS: Final = 256
PADDINGS: Final = ("constant", "edge", "symmetric", "reflect")
"""NumPy's words for `acldvppBorderType`."""
COUNTED: Final = frozenset({*range(formats.BGR + 1), formats.YUV_440SP, formats.YVU_440SP})
PLANAR_INPUTS: Final = frozenset({formats.YUV_400, formats.YUV_440SP, formats.YVU_440SP})
VALUES: Final = 256


class Area(NamedTuple):
    """A region in pixels."""

    left: int
    top: int
    width: int
    height: int


class Shot(NamedTuple):
    """What a picture's description said when the task was queued.

    Attributes:
        number: The format.
        width, height: Of the picture.
        strides: In bytes and rows.
        data: Its memory.
    """

    number: int
    width: int
    height: int
    strides: tuple[int, int]
    data: Array

    @property
    def whole(self) -> Area:
        """All of it."""
        return Area(0, 0, self.width, self.height)


class Job(NamedTuple):
    """One picture out of another one.

    Attributes:
        source, target: The pictures.
        crop: What is taken.
        paste: Where it goes.
        algorithm: By which it is scaled.
        border: What is put around it, (top, bottom, left, right), or None.
        padding, values: How the border is filled.
    """

    source: Shot
    target: Shot
    crop: Area
    paste: Area
    algorithm: int
    border: tuple[int, int, int, int] | None = None
    padding: int = 0
    values: tuple[float, ...] = ()


# Looking at what was asked


def _format(what: str, number: int, known: frozenset[int]) -> None:
    if number not in known:
        name = FORMATS[number].name if number in FORMATS else "which the units do not know"
        raise AclFault(FORMAT_NOT_MATCH, f"format [{number}] ({name}) of the {what} picture is not one of {sorted(known)}", "EH0001")


def _shot(what: str, picture: Picture, width: int, height: int, strides: tuple[int, int], device: int) -> Shot:
    found = FORMATS[picture.format]
    check_size(what, picture.format, width, height)
    check_strides(what, picture.format, width, height, strides, max(width, height) > MOST_USUAL)
    needed = found.bytes(*strides)
    if picture.size < needed:
        raise failed(f"the {what} picture needs {needed} bytes, its description says {picture.size}")
    return Shot(picture.format, width, height, strides, tasks.memory_of(f"the {what} picture", picture.data, needed, device))


def _input(chip: Units, picture: Picture, device: int) -> Shot:
    """The older chips leave an odd column or row away."""
    width, height = (picture.width // 2 * 2, picture.height // 2 * 2) if chip.even else (picture.width, picture.height)
    return _shot("input", picture, width, height, (picture.width_stride, picture.height_stride), device)


def _output(picture: Picture, device: int) -> Shot:
    return _shot("output", picture, picture.width, picture.height, (picture.width_stride, picture.height_stride), device)


def _area(chip: Units, what: str, region: Region, shot: Shot) -> Area:
    """A region of a picture; its right and bottom belong to it."""
    edges = f"[left {region.left}, right {region.right}, top {region.top}, bottom {region.bottom}]"
    if not (region.left <= region.right < shot.width and region.top <= region.bottom < shot.height):
        raise failed(f"the {what} region {edges} must lie within {shot.width} x {shot.height}")
    if chip.even and (region.left % 2 or region.top % 2 or not (region.right % 2 and region.bottom % 2)):
        raise failed(f"the {what} region {edges} must have even left and top, odd right and bottom")
    if what == "paste" and region.left % chip.paste:
        raise failed(f"the {what} region {edges} must have a left that is a multiple of {chip.paste}")
    found = Area(region.left, region.top, region.right - region.left + 1, region.bottom - region.top + 1)
    if found.width < LEAST[0] or found.height < LEAST[1]:
        raise failed(f"the {what} region {edges} must be {LEAST[0]} x {LEAST[1]} or larger")
    return found


def _algorithm(chip: Units, config: ResizeConfig | None) -> int:
    number = 0 if config is None else config.interpolation
    if number not in chip.interpolations:
        text = f"interpolation [{number}] is not one of this chip: {sorted(chip.interpolations)}"
        raise AclFault(FEATURE_UNSUPPORTED, text, "EH0001")
    return chip.interpolations[number]


def _job(chip: Units, source: Shot, target: Shot, crop: Area, paste: Area, algorithm: int) -> Job:
    check_zoom(crop[2:], paste[2:])
    if algorithm == HIGH_ORDER and not chip.even:
        planar = source.number > formats.YUV_PACKED or source.number in PLANAR_INPUTS
        if planar or target.number not in (formats.NV12, formats.NV21):  # as its page says
            raise failed("this interpolation takes YUV420SP, YUV422 and YUV444 pictures and gives YUV420SP")
    return Job(source, target, crop, paste, algorithm)


# Queueing


class Request(NamedTuple):
    """The pictures of a call, with what is to be done to each pair.

    Attributes:
        channel: The channel's description.
        handle: Its handle.
        uses: Records beside pictures that must live until the task is done.
    """

    channel: Channel
    handle: int
    uses: tuple[Any, ...]


def _request(channel: int, *uses: Any) -> Request:
    return Request(found_in(CHANNELS, channel), channel, uses)


def _queue(
    name: str,
    request: Request,
    pairs: Sequence[tuple[Picture, Picture]],
    stream: int,
    plan: Callable[[Units, Shot, Shot, int], Job],
) -> int:
    """Queues one task for all pairs.

    Args:
        name: Of the function.
        request: What came with it.
        pairs: Inputs and outputs.
        stream: The handle.
        plan: Makes the job of a pair, by its place.
    """
    chip = units(name)
    found = tasks.stream_for(request.channel, request.handle, VPC, stream)
    for source, target in pairs:
        _format("input", source.format, chip.inputs)
        _format("output", target.format, chip.outputs)

    def make() -> tuple[list[Array], list[Array], Info]:
        device = found.device
        jobs = []
        for place, (source, target) in enumerate(pairs):
            jobs.append(plan(chip, _input(chip, source, device), _output(target, device), place))
        info: Info = {"jobs": jobs, "matrix": request.channel.matrix}
        return [job.source.data for job in jobs], [job.target.data for job in jobs], info

    uses = (request.channel, *request.uses, *(source for source, _ in pairs))
    tasks.queue(VPC, found, _work, (uses, [target for _, target in pairs]), make)
    return 0


def _regions(crops: Sequence[Region] | None, pastes: Sequence[Region] | None, algorithm: int) -> Callable[[Units, Shot, Shot, int], Job]:
    """A plan: crop, scale, paste; without regions all of a picture."""

    def plan(chip: Units, source: Shot, target: Shot, place: int) -> Job:
        crop = source.whole if crops is None else _area(chip, "crop", crops[place], source)
        paste = target.whole if pastes is None else _area(chip, "paste", pastes[place], target)
        return _job(chip, source, target, crop, paste, algorithm)

    return plan


# Computing


def _work(inputs: list[Array], outputs: list[Array], info: Info) -> None:
    for job in info["jobs"]:
        samples = _rendered(job, info["matrix"])
        if job.border is not None:
            samples = _framed(samples, job)
        target = job.target
        formats.write(target.number, target.data, target.strides, (job.paste.left, job.paste.top), samples)


def _rendered(job: Job, matrix: int) -> Samples:
    """The cropped picture, in the size and with the channels that it is written with."""
    source, (_, _, width, height) = job.source, job.paste
    samples = formats.read(source.number, source.data, source.strides, job.crop)
    found = FORMATS[job.target.number]
    scale = functools.partial(resized, algorithm=job.algorithm)
    if samples.rgb:
        alpha = None if samples.alpha is None else scale(samples.alpha, height, width)
        scaled = Samples(tuple(scale(each, height, width) for each in samples.channels), True, alpha=alpha)
        return converted(scaled, job.target.number, matrix)
    across, down = (1, 1) if found.kind == "rgb" else (found.across, found.down)
    size = -(-height // down), -(-width // across)
    luma = scale(samples.channels[0], height, width)
    if found.kind == "gray":
        return Samples((luma,))
    chroma = [scale(each, *size) for each in samples.channels[1:]] or [gray(*size), gray(*size)]
    if found.kind == "rgb":
        return Samples(yuv_to_rgb((luma, *chroma), matrix), True)
    return Samples((luma, *chroma), False, across, down)


def _framed(samples: Samples, job: Job) -> Samples:
    """With a border around it."""
    assert job.border is not None
    found = FORMATS[job.target.number]
    top, bottom, left, right = job.border
    mode, channels = PADDINGS[job.padding], []
    for place, channel in enumerate(samples.channels):
        across, down = (found.across, found.down) if place and not samples.rgb else (1, 1)
        value = job.values[found.order[place] if found.kind == "rgb" else place]
        widths = ((top // down, bottom // down), (left // across, right // across))
        if mode == "constant":
            channels.append(np.pad(channel, widths, constant_values=int(np.clip(round(value), 0, 255))))
        else:
            channels.append(np.pad(channel, widths, mode=mode))  # type: ignore[call-overload]
    return samples._replace(channels=tuple(channels), alpha=None)


# Scaling, cropping, pasting


def _one(name: str, channel: int, pictures: tuple[int, int], stream: int, resize: int | None, *regions: int) -> int:
    """Queues one picture out of another one.

    Args:
        name: Of the function.
        channel: Handle of the channel's description.
        pictures: Handles of input and output.
        stream: The handle.
        resize: Handle of a resize configuration, None for the chip's own algorithm.
        regions: Handles of what is taken, and of where it goes; all of a picture where there is none.
    """
    config = None if resize is None else found_in(RESIZES, resize)
    found = [found_in(REGIONS, region) for region in regions]
    request = _request(channel, *found, *([] if config is None else [config]))
    pair = picture_for(pictures[0], "inputDesc"), picture_for(pictures[1], "outputDesc")
    return _queue(name, request, [pair], stream, _regions(found[:1] or None, found[1:] or None, _algorithm(units(), config)))


@function("acl.media.dvpp_vpc_resize_async", "KKKKK")
def dvpp_vpc_resize_async(
    dvpp_channel_desc: int, input_dvpp_pic_desc: int, output_dvpp_pic_desc: int, dvpp_resize_config: int, stream: int
) -> int:
    """Queues scaling to the size of the output."""
    pictures = input_dvpp_pic_desc, output_dvpp_pic_desc
    return _one("dvpp_vpc_resize_async", dvpp_channel_desc, pictures, stream, dvpp_resize_config)


@function("acl.media.dvpp_vpc_crop_async", "KKKKK")
def dvpp_vpc_crop_async(dvpp_channel_desc: int, input_dvpp_pic_desc: int, output_dvpp_pic_desc: int, crop_area: int, stream: int) -> int:
    """Queues the copy of a region, scaled to the size of the output where that is another one."""
    pictures = input_dvpp_pic_desc, output_dvpp_pic_desc
    return _one("dvpp_vpc_crop_async", dvpp_channel_desc, pictures, stream, None, crop_area)


@function("acl.media.dvpp_vpc_crop_resize_async", "KKKKKK")
def dvpp_vpc_crop_resize_async(
    dvpp_channel_desc: int, input_dvpp_pic_desc: int, output_dvpp_pic_desc: int, crop_area: int, resize_config: int, stream: int
) -> int:
    """The same by an algorithm of choice."""
    pictures = input_dvpp_pic_desc, output_dvpp_pic_desc
    return _one("dvpp_vpc_crop_resize_async", dvpp_channel_desc, pictures, stream, resize_config, crop_area)


@function("acl.media.dvpp_vpc_crop_and_paste_async", "KKKKKK")
def dvpp_vpc_crop_and_paste_async(
    dvpp_channel_desc: int, input_dvpp_pic_desc: int, output_dvpp_pic_desc: int, crop_area: int, paste_area: int, stream: int
) -> int:
    """Queues the copy of a region into a region of the output; what lies around that one stays as it is."""
    pictures = input_dvpp_pic_desc, output_dvpp_pic_desc
    return _one("dvpp_vpc_crop_and_paste_async", dvpp_channel_desc, pictures, stream, None, crop_area, paste_area)


@function("acl.media.dvpp_vpc_crop_resize_paste_async", "KKKKKKK")
def dvpp_vpc_crop_resize_paste_async(
    dvpp_channel_desc: int,
    input_dvpp_pic_desc: int,
    output_dvpp_pic_desc: int,
    crop_area: int,
    paste_area: int,
    resize_config: int,
    stream: int,
) -> int:
    """The same by an algorithm of choice."""
    pictures = input_dvpp_pic_desc, output_dvpp_pic_desc
    return _one("dvpp_vpc_crop_resize_paste_async", dvpp_channel_desc, pictures, stream, resize_config, crop_area, paste_area)


# Batches


def _lists(text: str, *given: Any) -> None:
    """The binding's check of what must be lists."""
    if not all(isinstance(each, list) for each in given):
        raise TypeError(text)


def _bounded(roi_nums: list[Any], *areas: list[Any]) -> None:
    """The binding's checks of the two older functions: how many regions there are."""
    lengths = [len(each) for each in (roi_nums, *areas)]
    numbers_fit = all(not isinstance(each, int) or 0 <= each <= MOST_REGIONS for each in roi_nums)
    if not all(0 < length <= MOST_REGIONS for length in lengths) or len(set(lengths[1:])) > 1 or not numbers_fit:
        raise ValueError("number of crop areas must be between 1 and 256")


def _pairs(name: str, source: int, roi_nums: list[Any], target: int, *areas: list[Any]) -> list[tuple[Picture, Picture]]:
    """Inputs and outputs: so many regions of each input, an output for each of them."""
    sources: Batch = found_in(BATCHES, source)
    targets: Batch = found_in(BATCHES, target)
    counts = int_list(name, roi_nums)
    total = sum(counts)
    if len(counts) != len(sources.pictures):
        raise invalid("roiNums", counts, f"there must be one for each of the {len(sources.pictures)} input pictures")
    if total != len(targets.pictures) or not 0 < total <= MOST_REGIONS:
        raise invalid("roiNums", counts, f"their sum must be the number of output pictures, {len(targets.pictures)}")
    for each in areas:
        if len(each) < total:
            raise invalid("cropAreas", len(each), f"there must be a region for each of the {total} output pictures")
    order = [picture for picture, count in zip(sources.pictures, counts, strict=True) for _ in range(count)]
    return [(picture_for(one), picture_for(other)) for one, other in zip(order, targets.pictures, strict=True)]


def _all(table: dict[int, Any], name: str, handles: Any) -> list[Any]:
    return [found_in(table, handle) for handle in int_list(name, handles)]


def _with_target(name: str, target: int, call: Callable[[], int]) -> tuple[int, int]:
    """(the batch of outputs, ret): these functions hand it back whatever comes out."""
    try:
        return target, call()
    except AclFault as fault:
        errors_log.failed(name, fault.code, fault.text, fault.label)
        return target, fault.code


@function("acl.media.dvpp_vpc_batch_crop_async", "KKOKOK", 0)
def dvpp_vpc_batch_crop_async(
    dvpp_channel_desc: int, src_batch_pic_desc: int, roi_nums: Any, dst_batch_pic_desc: int, crop_areas: Any, stream: int
) -> tuple[int, int]:
    """(the batch of outputs, ret) of `roi_nums[i]` regions of picture i, an output for each."""
    name = "dvpp_vpc_batch_crop_async"
    _lists("argument 3 or 5 is not list", roi_nums, crop_areas)
    _bounded(roi_nums, crop_areas)

    def call() -> int:
        crops = _all(REGIONS, name, crop_areas)
        pairs = _pairs(name, src_batch_pic_desc, roi_nums, dst_batch_pic_desc, crops)
        return _queue(name, _request(dvpp_channel_desc, *crops), pairs, stream, _regions(crops, None, _algorithm(units(), None)))

    return _with_target(f"acl.media.{name}", dst_batch_pic_desc, call)


@function("acl.media.dvpp_vpc_batch_crop_and_paste_async", "KKOKOOK", 0)
def dvpp_vpc_batch_crop_and_paste_async(
    dvpp_channel_desc: int,
    src_batch_pic_desc: int,
    roi_nums: Any,
    dst_batch_pic_desc: int,
    crop_areas: Any,
    paste_areas: Any,
    stream: int,
) -> tuple[int, int]:
    """The same into regions of the outputs."""
    name = "dvpp_vpc_batch_crop_and_paste_async"
    _lists("argument 3, 5 or 6 is not list", roi_nums, crop_areas, paste_areas)
    _bounded(roi_nums, crop_areas, paste_areas)

    def call() -> int:
        crops, pastes = _all(REGIONS, name, crop_areas), _all(REGIONS, name, paste_areas)
        pairs = _pairs(name, src_batch_pic_desc, roi_nums, dst_batch_pic_desc, crops, pastes)
        plan = _regions(crops, pastes, _algorithm(units(), None))
        return _queue(name, _request(dvpp_channel_desc, *crops, *pastes), pairs, stream, plan)

    return _with_target(f"acl.media.{name}", dst_batch_pic_desc, call)


@function("acl.media.dvpp_vpc_batch_crop_resize_async", "KKOKOKK")
def dvpp_vpc_batch_crop_resize_async(
    dvpp_channel_desc: int,
    src_batch_pic_desc: int,
    roi_nums: Any,
    dst_batch_pic_desc: int,
    crop_areas: Any,
    resize_config: int,
    stream: int,
) -> int:
    """As `dvpp_vpc_batch_crop_async`, by an algorithm of choice; the code alone comes back."""
    name = "dvpp_vpc_batch_crop_resize_async"
    _lists("argument 3 is not list", roi_nums)
    _lists("argument 5 is not list", crop_areas)
    crops, config = _all(REGIONS, name, crop_areas), found_in(RESIZES, resize_config)
    pairs = _pairs(name, src_batch_pic_desc, roi_nums, dst_batch_pic_desc, crops)
    return _queue(name, _request(dvpp_channel_desc, config, *crops), pairs, stream, _regions(crops, None, _algorithm(units(), config)))


@function("acl.media.dvpp_vpc_batch_crop_resize_paste_async", "KKOKOOKK")
def dvpp_vpc_batch_crop_resize_paste_async(
    dvpp_channel_desc: int,
    src_batch_pic_desc: int,
    roi_nums: Any,
    dst_batch_pic_desc: int,
    crop_areas: Any,
    paste_areas: Any,
    resize_config: int,
    stream: int,
) -> int:
    """The same into regions of the outputs."""
    name = "dvpp_vpc_batch_crop_resize_paste_async"
    for number, given in ((3, roi_nums), (5, crop_areas), (6, paste_areas)):
        _lists(f"argument {number} is not list", given)
    crops, pastes, config = _all(REGIONS, name, crop_areas), _all(REGIONS, name, paste_areas), found_in(RESIZES, resize_config)
    pairs = _pairs(name, src_batch_pic_desc, roi_nums, dst_batch_pic_desc, crops, pastes)
    plan = _regions(crops, pastes, _algorithm(units(), config))
    return _queue(name, _request(dvpp_channel_desc, config, *crops, *pastes), pairs, stream, plan)


@function("acl.media.dvpp_vpc_batch_crop_resize_make_border_async", "KKOKOOKK")
def dvpp_vpc_batch_crop_resize_make_border_async(
    dvpp_channel_desc: int,
    src_batch_pic_desc: int,
    roi_nums: Any,
    dst_batch_pic_desc: int,
    crop_areas: Any,
    border_configs: Any,
    resize_config: int,
    stream: int,
) -> int:
    """Regions scaled to what the borders leave of the outputs, and the borders around them."""
    name = "dvpp_vpc_batch_crop_resize_make_border_async"
    for number, given in (("third", roi_nums), ("fifth", crop_areas), ("sixth", border_configs)):
        _lists(f"the {number} argument is not list", given)
    units(name)
    crops, borders, config = _all(REGIONS, name, crop_areas), _all(BORDERS, name, border_configs), found_in(RESIZES, resize_config)
    pairs = _pairs(name, src_batch_pic_desc, roi_nums, dst_batch_pic_desc, crops, borders)
    algorithm = _algorithm(units(), config)

    def plan(chip: Units, source: Shot, target: Shot, place: int) -> Job:
        return _bordered(chip, source, target, _area(chip, "crop", crops[place], source), borders[place], algorithm)

    return _queue(name, _request(dvpp_channel_desc, config, *crops, *borders), pairs, stream, plan)


# Borders, colours, tables


def _bordered(chip: Units, source: Shot, target: Shot, crop: Area, border: BorderConfig, algorithm: int) -> Job:
    found, edges = FORMATS[target.number], (border.top, border.bottom, border.left, border.right)
    if any(edge % found.down for edge in edges[:2]) or any(edge % found.across for edge in edges[2:]):
        raise failed(f"borders {list(edges)} of a picture in {found.name} must be multiples of {found.across} x {found.down}")
    inside = Area(0, 0, target.width - border.left - border.right, target.height - border.top - border.bottom)
    if inside.width < LEAST[0] or inside.height < LEAST[1]:
        raise failed(f"borders {list(edges)} leave less than {LEAST[0]} x {LEAST[1]} of {target.width} x {target.height}")
    if PADDINGS[border.type] in ("symmetric", "reflect") and (max(edges[:2]) >= inside.height or max(edges[2:]) >= inside.width):
        raise failed(f"borders {list(edges)} are wider than the picture of {inside.width} x {inside.height} that they reflect")
    job = _job(chip, source, target, crop, inside, algorithm)
    return job._replace(border=edges, padding=border.type, values=tuple(border.values))


@function("acl.media.dvpp_vpc_make_border_async", "KKKKK")
def dvpp_vpc_make_border_async(
    dvpp_channel_desc: int, input_dvpp_pic_desc: int, output_dvpp_pic_desc: int, border_config: int, stream: int
) -> int:
    """Queues the picture with a border around it; the output is larger by just that."""
    name = "dvpp_vpc_make_border_async"
    border: BorderConfig = found_in(BORDERS, border_config)
    pair = picture_for(input_dvpp_pic_desc, "inputDesc"), picture_for(output_dvpp_pic_desc, "outputDesc")

    def plan(chip: Units, source: Shot, target: Shot, place: int) -> Job:
        job = _bordered(chip, source, target, source.whole, border, BILINEAR)
        if job.paste[2:] != job.crop[2:]:
            sizes = f"{source.width} x {source.height} with its borders, not {target.width} x {target.height}"
            raise failed(f"the output picture must be {sizes}")
        return job

    return _queue(name, _request(dvpp_channel_desc, border), [pair], stream, plan)


def _sized(chip: Units, picture: Picture, width: int, height: int) -> None:
    """Width, height and strides where a description leaves them open."""
    if picture.width and picture.height:
        return
    found = FORMATS[picture.format]
    picture.width, picture.height = width, height
    picture.width_stride = max(up(width, chip.stride) * found.pixel, up(chip.least_stride, chip.stride))
    picture.height_stride = up(height, found.down)


def _check_same_size(one: Shot, other: Shot) -> None:
    if (one.width, one.height) != (other.width, other.height):
        raise failed(f"the output picture must be {one.width} x {one.height} as the input, not {other.width} x {other.height}")


@function("acl.media.dvpp_vpc_convert_color_async", "KKKK")
def dvpp_vpc_convert_color_async(dvpp_channel_desc: int, input_dvpp_pic_desc: int, output_dvpp_pic_desc: int, stream: int) -> int:
    """Queues the picture in another format; a width or height of 0 in the output's description is that of the input."""
    name = "dvpp_vpc_convert_color_async"
    chip = units(name)
    source, target = picture_for(input_dvpp_pic_desc, "inputDesc"), picture_for(output_dvpp_pic_desc, "outputDesc")
    _format("output", target.format, chip.outputs)
    _sized(chip, target, source.width, source.height)

    def plan(chip: Units, one: Shot, other: Shot, place: int) -> Job:
        _check_same_size(one, other)
        if max(one.width, one.height) > MOST_USUAL:
            raise failed(f"the picture of {one.width} x {one.height} must be {MOST_USUAL} x {MOST_USUAL} or smaller")
        if chip.stride > 1 and one.number == formats.YUV_400 != other.number:  # said of the Ascend310P
            raise failed("YUV400 is converted to YUV400 only")
        return _job(chip, one, other, one.whole, other.whole, BILINEAR)

    return _queue(name, _request(dvpp_channel_desc), [(source, target)], stream, plan)


@function("acl.media.dvpp_vpc_pyr_down_async", "KKKKK")
def dvpp_vpc_pyr_down_async(dvpp_channel_desc: int, input_dvpp_pic_desc: int, output_dvpp_pic_desc: int, reserve: int, stream: int) -> int:
    """Queues a gray picture in half its size, smoothed before."""
    name = "dvpp_vpc_pyr_down_async"
    request = _request(dvpp_channel_desc)
    source, target = picture_for(input_dvpp_pic_desc, "inputDesc"), picture_for(output_dvpp_pic_desc, "outputDesc")
    if reserve:
        raise invalid("reserve", hex(reserve), "must be 0")
    chip = units(name)
    found = tasks.stream_for(request.channel, dvpp_channel_desc, VPC, stream)
    for what, picture in (("input", source), ("output", target)):
        _format(what, picture.format, frozenset({formats.YUV_400}))
    _sized(chip, target, source.width // 2, source.height // 2)

    def make() -> tuple[list[Array], list[Array], Info]:
        one, other = _input(chip, source, found.device), _output(target, found.device)
        (least, most) = PYRAMID
        if not (least[0] <= one.width <= most[0] and least[1] <= one.height <= most[1]):
            raise failed(f"the input picture of {one.width} x {one.height} must be from {least[0]} x {least[1]} to {most[0]} x {most[1]}")
        if (other.width, other.height) != (one.width // 2, one.height // 2):
            raise failed(f"the output picture must be {one.width // 2} x {one.height // 2}, not {other.width} x {other.height}")
        return [one.data], [other.data], {"shots": (one, other)}

    tasks.queue(VPC, found, _pyramid, ((request.channel, source), (target,)), make)
    return 0


def _pyramid(inputs: list[Array], outputs: list[Array], info: Info) -> None:
    one, other = info["shots"]
    (luma,) = formats.read(one.number, one.data, one.strides, one.whole).channels
    formats.write(other.number, other.data, other.strides, (0, 0), Samples((pyramid_down(luma),)))


@function("acl.media.dvpp_vpc_equalize_hist_async", "KKKKK")
def dvpp_vpc_equalize_hist_async(
    dvpp_channel_desc: int, input_dvpp_pic_desc: int, output_dvpp_pic_desc: int, lut_map: int, stream: int
) -> int:
    """Queues the picture with each value replaced by what the table of its channel says."""
    name = "dvpp_vpc_equalize_hist_async"
    request, chip = _request(dvpp_channel_desc), units(name)
    tables: LutMap = found_in(LUT_MAPS, lut_map)
    source, target = picture_for(input_dvpp_pic_desc, "inputDesc"), picture_for(output_dvpp_pic_desc, "outputDesc")
    found = tasks.stream_for(request.channel, dvpp_channel_desc, VPC, stream)
    _format("input", source.format, chip.outputs)
    _format("output", target.format, frozenset({source.format}))

    def make() -> tuple[list[Array], list[Array], Info]:
        one, other = _input(chip, source, found.device), _output(target, found.device)
        _check_same_size(one, other)
        return [one.data], [other.data], {"shots": (one, other), "tables": tables.tables.copy()}

    tasks.queue(VPC, found, _replace_values, ((request.channel, source, tables), (target,)), make)
    return 0


def _table_places(number: int) -> tuple[int, ...]:
    """Which table belongs to which channel of `formats.read`: tables follow the bytes of a pixel, alpha left out."""
    order = FORMATS[number].order
    return tuple(sorted(order).index(place) for place in order) if FORMATS[number].kind == "rgb" else (0, 1, 2)


def _replace_values(inputs: list[Array], outputs: list[Array], info: Info) -> None:
    one, other = info["shots"]
    samples = formats.read(one.number, one.data, one.strides, one.whole)
    places = _table_places(one.number)
    channels = tuple(info["tables"][place][each] for place, each in zip(places, samples.channels, strict=False))
    formats.write(other.number, other.data, other.strides, (0, 0), samples._replace(channels=channels))


@function("acl.media.dvpp_vpc_calc_hist_async", "KKKKK")
def dvpp_vpc_calc_hist_async(dvpp_channel_desc: int, src_pic_desc: int, hist: int, reserve: int, stream: int) -> int:
    """Queues counting how often each value occurs in each channel."""
    name = "dvpp_vpc_calc_hist_async"
    request, chip = _request(dvpp_channel_desc), units(name)
    source = picture_for(src_pic_desc, "srcPicDesc")
    counts: Hist = found_in(HISTS, hist)
    if reserve:
        raise invalid("reserve", hex(reserve), "must be 0")
    found = tasks.stream_for(request.channel, dvpp_channel_desc, VPC, stream)
    _format("input", source.format, COUNTED)

    def make() -> tuple[list[Array], list[Array], Info]:
        shot = _input(chip, source, found.device)
        return [shot.data], [counts.counts], {"shot": shot, "hist": counts}

    tasks.queue(VPC, found, _count, ((request.channel, source), (counts,)), make)
    return 0


def _count(inputs: list[Array], outputs: list[Array], info: Info) -> None:
    shot, hist = info["shot"], info["hist"]
    samples = formats.read(shot.number, shot.data, shot.strides, shot.whole)
    hist.dims = len(samples.channels)
    hist.counts[...] = 0
    for place, channel in zip(_table_places(shot.number), samples.channels, strict=False):
        hist.counts[place] = np.bincount(channel.ravel(), minlength=VALUES)
