"""What the image units of each chip take: formats, alignments, sizes.

Sources: the reference's pages "Restrictions" of VPC, "Functions and Restrictions" of JPEGD, JPEGE and PNGD, and those of the functions
`dvpp_create_roi_config`, `dvpp_set_resize_config_interpolation`, `dvpp_set_channel_desc_mode` and `dvpp_vpc_...` (CANN 5.0.4 to 9.0).
Where they leave something open the narrower reading stands here: one range of zoom for all chips, PNG files of 8 bits that are not
interlaced, interpolations that are named for a chip.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ..engine import AclFault, chips, process
from . import formats
from .formats import FORMATS
from .resampling import BILINEAR, HIGH_ORDER, NEAREST, TF_BILINEAR, TF_NEAREST

API_NOT_SUPPORT: Final = 200001
FEATURE_UNSUPPORTED: Final = 200006
FORMAT_NOT_MATCH: Final = 100027
UNIT_FAILED: Final = 507018
"""What a task of the units answers: the AI CPU drives them."""

LEAST: Final = (10, 6)
"""Width and height of the smallest picture of the VPC."""
MOST: Final = 8192
MOST_USUAL: Final = 4096
"""Above it, on the input side, is what the reference calls 8K."""
ZOOM: Final = (1 / 32, 16)
WIDEST_STRIDE: Final = 16384
SMALLEST_FILE: Final = 32
"""Width and height of pictures that are decoded and encoded."""
LARGEST_PNG: Final = 4096
PYRAMID: Final = ((20, 12), (2048, 2048))


class Units(NamedTuple):
    """The image units of a chip.

    Attributes:
        jpeg_stride: Multiple of the width stride of decoded JPEG files.
        jpeg_most: Largest width and height of JPEG files.
        stride: Multiple of the VPC's width strides, in pixels.
        least_stride: Smallest width stride.
        highest: Largest height of the VPC's output.
        inputs, outputs: Formats of the VPC.
        inputs_8k: The same for inputs above 4096.
        even: Whether pictures are even in width and height, and regions begin even and end odd.
        paste: Multiple of the left offset of regions that are pasted to.
        interpolations: What a number of the resize configuration means.
        absent: Functions that the chip does not have.
    """

    jpeg_stride: int
    jpeg_most: int
    stride: int
    least_stride: int
    highest: int
    inputs: frozenset[int]
    outputs: frozenset[int]
    inputs_8k: frozenset[int]
    even: bool
    paste: int
    interpolations: dict[int, int]
    absent: frozenset[str] = frozenset()


_NV: Final = frozenset({formats.NV12, formats.NV21})
_OLD_INPUTS: Final = frozenset(range(formats.BGRA + 1))
_INPUTS: Final = _OLD_INPUTS | {formats.YUV_440SP, formats.YVU_440SP}
_OUTPUTS: Final = frozenset({formats.YUV_400, *_NV, formats.YUV_422SP, formats.YVU_422SP, *range(formats.YUV_PACKED, formats.BGRA + 1)})
_INPUTS_8K: Final = frozenset(range(formats.VYUY + 1))
_FIVE: Final = {0: HIGH_ORDER, 1: BILINEAR, 2: NEAREST, 3: TF_BILINEAR, 4: TF_NEAREST}
_TWO: Final = {0: BILINEAR, 1: BILINEAR, 2: NEAREST}
_LATER: Final = frozenset(
    {
        "dvpp_set_channel_desc_mode",
        "dvpp_set_channel_desc_param",
        "dvpp_get_channel_desc_param",
        "dvpp_vpc_batch_crop_resize_make_border_async",
        "dvpp_vpc_calc_hist_async",
        "dvpp_vpc_convert_color_async",
        "dvpp_vpc_equalize_hist_async",
        "dvpp_vpc_make_border_async",
        "dvpp_vpc_pyr_down_async",
    }
)
_PYRAMID: Final = frozenset({"dvpp_vpc_pyr_down_async"})
_FIRST: Final = Units(128, MOST, 16, 32, MOST_USUAL, _OLD_INPUTS, _NV, _NV, True, 16, _FIVE, _LATER)
_UNITS: Final[dict[int, Units]] = {
    0: _FIRST,  # Ascend310
    1001: _FIRST,  # Ascend910
    2002: Units(64, MOST, 16, 32, MOST_USUAL, _INPUTS, _OUTPUTS, _INPUTS_8K, False, 16, _TWO),
    2201: Units(64, MOST, 1, 10, MOST, _INPUTS, _OUTPUTS, _INPUTS_8K, False, 1, _TWO, _PYRAMID),
    3002: Units(
        *(64, 16384, 1, 10, MOST, _INPUTS, _OUTPUTS, _INPUTS_8K, False, 1),
        {**_TWO, 3: BILINEAR, 4: NEAREST, 5: HIGH_ORDER},
        _PYRAMID,
    ),
}
"""By NpuArch."""


def units(function: str = "") -> Units:
    """Those of the simulated chip.

    Args:
        function: Of `acl.media`, refused where the chip does not have it.

    Raises:
        AclFault: 200001 for a chip without them, or without the function.
    """
    soc = process.State.soc
    found = _UNITS.get(chips.ARCHITECTURES.get(soc, -1))
    if found is None:
        raise AclFault(API_NOT_SUPPORT, f"{soc} has no image units of this kind (DVPP V1)", "EH0006")
    if function in found.absent:
        raise AclFault(API_NOT_SUPPORT, f"{soc} does not support acl.media.{function}", "EH0006")
    return found


def failed(text: str) -> AclFault:
    """What the unit says of a task that it does not do."""
    return AclFault(UNIT_FAILED, text)


def up(value: int, multiple: int) -> int:
    """The next multiple."""
    return -(-value // multiple) * multiple


def check_strides(what: str, number: int, width: int, height: int, strides: tuple[int, int], large: bool = False) -> None:
    """Strides of a picture of the VPC.

    Args:
        what: "input" or "output".
        number: The format.
        width, height: Of the picture.
        strides: In bytes and in rows.
        large: Whether the picture is wider or higher than 4096, where two is the multiple on every chip.

    Raises:
        AclFault: 507018.
    """
    chip, found = units(), FORMATS[number]
    across, down = strides
    multiple = min(chip.stride, 2) if large else chip.stride
    least = up(width, multiple) * found.pixel
    if across < max(least, chip.least_stride) or across % multiple or across > WIDEST_STRIDE:
        raise failed(
            f"width stride [{across}] of the {what} picture must be a multiple of {multiple} from {max(least, chip.least_stride)} to "
            f"{WIDEST_STRIDE}: {found.name}, {width} pixels wide"
        )
    step = 2 if found.down == 2 or chip.even else 1
    if down < max(height, LEAST[1]) or down % step or down > WIDEST_STRIDE:
        raise failed(
            f"height stride [{down}] of the {what} picture must be a multiple of {step} from {max(height, LEAST[1])} to {WIDEST_STRIDE}: "
            f"{found.name}, {height} pixels high"
        )


def check_size(what: str, number: int, width: int, height: int) -> None:
    """Width and height of a picture of the VPC.

    Raises:
        AclFault: 507018.
    """
    chip, found = units(), FORMATS[number]
    most = (MOST, MOST) if what == "input" else (MOST_USUAL, chip.highest)
    if found.down == 2 and found.across == 1:
        most = (MOST_USUAL, most[1])
    if not (LEAST[0] <= width <= most[0] and LEAST[1] <= height <= most[1]):
        raise failed(f"the {what} picture of {width} x {height} must be from {LEAST[0]} x {LEAST[1]} to {most[0]} x {most[1]}")
    if what == "input" and max(width, height) > MOST_USUAL and number not in chip.inputs_8k:
        raise failed(f"an input picture of {width} x {height} must not be {found.name}: above {MOST_USUAL} fewer formats are taken")
    across, down = (2, 2) if chip.even else (found.across, found.down)
    if width % across or height % down:
        raise failed(f"the {what} picture of {width} x {height} must be a multiple of {across} x {down}: {found.name}")


def check_zoom(source: tuple[int, int], target: tuple[int, int]) -> None:
    """How much a picture is scaled (width, height).

    Raises:
        AclFault: 507018.
    """
    for word, before, after in zip(("width", "height"), source, target, strict=True):
        if not ZOOM[0] <= after / before <= ZOOM[1]:
            raise failed(f"the {word} is scaled from {before} to {after}, which must be in [1/32, 16]")
