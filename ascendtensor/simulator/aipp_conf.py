"""``--insert_op_conf``: the file that configures image preprocessing (AIPP), and what ATC and the operator's compiler refuse in it.

Sources: `graph_metadef/proto/insert_op.proto`, `compiler/graph/preprocess/insert_op/aipp_op.cc` and `insert_aipp_op_util.cc` of GE; the
operator's shape inference (`op_proto/aipp.cc`, AippInfer) and its checks (`aipp_comm.py`, check_aipp_static_config, CANN 8.1.RC1).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from ascendtensor.simulator.atc_options import fail, invalid
from ascendtensor.simulator.engine import aipp

_INTS: Final = frozenset(
    [f"matrix_r{row}c{column}" for row in range(3) for column in range(3)]
    + [f"{side}_bias_{index}" for side in ("output", "input") for index in range(3)]
    + [f"mean_chn_{index}" for index in range(4)]
    + [f"{side}_padding_size" for side in ("left", "right", "top", "bottom")]
    + ["src_image_size_w", "src_image_size_h", "load_start_pos_w", "load_start_pos_h", "crop_size_w", "crop_size_h"]
    + ["resize_output_w", "resize_output_h", "related_input_rank", "max_src_image_size", "input_edge_idx", "raw_rgbir_to_f16_n"]
)
_SIZES: Final = frozenset(
    name for name in _INTS if name.startswith(("src_image", "load_start", "crop_size", "resize_output")) or name.endswith("padding_size")
)
_FLOATS: Final = frozenset(
    [f"{kind}_chn_{index}" for kind in ("min", "var_reci") for index in range(4)] + ["cpadding_value", "padding_value"]
)
_SWITCHES: Final = frozenset(
    ["support_rotation", "csc_switch", "rbuv_swap_switch", "ax_swap_switch", "single_line_mode", "crop", "resize", "padding"]
)
MODES: Final = ("static", "dynamic")
_OTHERS: Final = (
    *("NC1HWC0DI_FP16", "NC1HWC0DI_S8", "ARGB8888_U8", "YUYV_U8", "YUV422SP_U8", "AYUV444_U8", "RAW10", "RAW12", "RAW16", "RAW24"),
    *("RGB16", "RGB20", "RGB24", "RGB8_IR", "RGB16_IR", "RGB24_IR"),
)
"""In the prototype, and on no chip here."""
_ODD_STARTS: Final = ("Ascend910B", "Ascend910_93", "Ascend310B")
_TOKEN: Final = re.compile(r"\s+|#[^\n]*|(?P<text>\"[^\"\n]*\"|'[^'\n]*')|(?P<word>[A-Za-z0-9_.+-]+)|(?P<mark>[{}<>:;,\[\]])")

Config = aipp.Config


def refuse(reason: str) -> NoReturn:
    """E10052."""
    fail(f"E10052: AIPP configuration is invalid. Reason: {reason}.")


def _broken(cause: str) -> NoReturn:
    """E81012, of the operator's compiler."""
    fail(f"E81012: Compile op[aipp] failed, cause: {cause}.")


def read(path: str) -> list[Config]:
    """The blocks ``aipp_op`` of a file, with GE's own checks done and its defaults filled in.

    Raises:
        CompileFailure: E10001 for a file that can't be read, E10052 for what is wrong in it.
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        invalid("insert_op_conf", path, f"the file cannot be read: {error}")
    configs = _parse(text)
    if not configs:
        refuse("the file has no aipp_op")
    for config in configs:
        _check_mode(config)
    ranks = [config.get("related_input_rank", 0) for config in configs]
    if len(set(ranks)) != len(ranks):
        refuse("Cannot insert aipp to the same position! Please ensure related_input_rank param is different in different aipp config")
    if len({config["aipp_mode"] for config in configs}) > 1:
        refuse("static and dynamic AIPP cannot be configured at a time")
    return configs


def _parse(text: str) -> list[Config]:
    tokens = _tokens(text)
    found: list[Config] = []
    position = 0
    while position < len(tokens):
        if tokens[position] in (";", ","):
            position += 1
            continue
        if tokens[position] != "aipp_op":
            refuse(f"[{tokens[position]}] stands where aipp_op is expected")
        position += 1
        if tokens[position : position + 1] == [":"]:
            position += 1
        if tokens[position : position + 1] not in (["{"], ["<"]):
            refuse("aipp_op is followed by no block")
        position = _block(tokens, position + 1, found)
    return found


def _block(tokens: Sequence[str], position: int, found: list[Config]) -> int:
    """One block; gives the position behind it."""
    config: Config = {}
    while position < len(tokens):
        token = tokens[position]
        if token in ("}", ">"):
            found.append(config)
            return position + 1
        if token in (";", ","):
            position += 1
            continue
        if tokens[position + 1 : position + 2] != [":"] or position + 2 >= len(tokens):
            refuse(f"field [{token}] has no value")
        if token in config:
            refuse(f"The parameter {token} cannot be configured repeatedly")
        config[token] = _value(token, tokens[position + 2])
        position += 3
    refuse("a block aipp_op is not closed")


def _tokens(text: str) -> list[str]:
    found = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            line = text.count("\n", 0, position) + 1
            refuse(f"line {line} can't be read at [{text[position : position + 20].splitlines()[0]}]")
        position = match.end()
        if match.lastgroup is not None:
            found.append(match.group())
    return found


def _value(name: str, text: str) -> Any:
    if name == "aipp_mode" and text in MODES:
        return text
    if name == "input_format" and text in (*aipp.FORMATS, *_OTHERS):
        return text
    if name == "related_input_name":
        return text.strip("\"'")
    try:
        if name in _INTS:
            return int(text, 0)
        if name in _FLOATS:
            return float(text.removesuffix("f"))
    except ValueError:
        pass
    if name in _SWITCHES and text in ("true", "false", "True", "False", "t", "f", "1", "0"):
        return int(text in ("true", "True", "t", "1"))
    if name not in ("aipp_mode", "input_format") and name not in _INTS | _FLOATS | _SWITCHES:
        refuse(f'Message type "domi.AippOpParams" has no field named "{name}"')
    refuse(f"value [{text}] of field [{name}] is not of its type")


def _check_mode(config: Config) -> None:
    """What GE refuses before it looks at the graph (ValidateParams)."""
    mode = config.get("aipp_mode")
    if mode is None:
        refuse("When insert AIPP op, aipp_mode must be configured as static or dynamic")
    if config.get("related_input_name"):
        refuse("related_input_name is for Caffe models only; use related_input_rank")
    if config.get("related_input_rank", 0) < 0:
        refuse("related_input_rank must not be below 0")
    if mode == "dynamic":
        if config.get("max_src_image_size", 0) <= 0:
            refuse("For dynamic AIPP params, max_src_image_size must be set which number should be greater than 0")
        return
    if "input_format" not in config:
        refuse("Input format of AIPP conf must be set in static aipp")
    for name in sorted(_SIZES & config.keys()):
        if config[name] < 0:
            refuse(f"{name.capitalize()} must not be configured smaller than 0")
    if config["input_format"] in _OTHERS:
        _broken(f"input_format {config['input_format']} is not supported by the chips here, which have {', '.join(aipp.FORMATS)}")


def check_gears(config: Config, kind: str) -> None:
    """What can't stand beside gears of image sizes."""
    if kind != "image":
        return
    if config.get("crop") or config.get("padding"):
        refuse("When --dynamic_image_size is set, crop and padding cannot be set to 'true'")
    if config.get("src_image_size_w") or config.get("src_image_size_h"):
        refuse("When --dynamic_image_size is set, src_image_size_w and src_image_size_h must be set to '0'")


def check_static(config: Config, dims: Sequence[int], half: bool, soc: str) -> None:
    """What the operator refuses for the model's input.

    Args:
        config: One block.
        dims: The model's: images, channels, height, width.
        half: Whether the operator gives float16, not uint8.
        soc: Name of the chip.

    Raises:
        CompileFailure: E10052 for sizes that do not become the model's, E81012 for the others.
    """
    _, channels, height, width = dims
    most = 16 if half else 32
    if config["input_format"] == "YUV400_U8" and config.get("csc_switch"):
        _broken("when input format is YUV400_U8, it doesn't make sense to convert to RGB, csc_switch[1]")
    if channels > most:
        _broken(f"network input c[{channels}] should be less than or equal to {most}")
    if config.get("resize"):
        _broken("resize only support Hi3796CV300ES, Hi3796CV300CS and SD3403")
    _check_ranges(config)
    common, image = aipp.static(config, height, width)
    wide, high = aipp.output_size(common, image)
    if (wide, high) != (width, height):
        refuse(
            "the data output H and W is not equal with aipp output H and W. "
            f"aipp output_height:{high}, aipp output_width:{wide}, data's height:{height}, data's width:{width}"
        )
    _check_sizes(config, common, image, width, soc)


def _check_sizes(config: Config, common: aipp.Common, image: aipp.Image, width: int, soc: str) -> None:
    where = f"src_image_size_w[{common.width}] and src_image_size_h[{common.height}]"
    if (image.crop or image.padding) and not (config.get("src_image_size_w") and config.get("src_image_size_h")):
        switches = f"crop[{config.get('crop', 0)}] or resize[0] or padding[{config.get('padding', 0)}]"
        _broken(f"when {switches} is enable, src_image_size_w and src_image_size_h should be greater than 0")
    if common.format == aipp.YUV420SP and (common.width % 2 or common.height % 2):
        _broken(f"{where} should be even for YUV420SP_U8")
    if not (2 <= common.width <= 4096 and 1 <= common.height <= 4096):
        _broken(f"{where} should be within [2, 4096] and [1, 4096]")
    if image.crop is not None:
        left, top, wide, high = image.crop
        if image.padding and not (config.get("crop_size_w") and config.get("crop_size_h")):
            _broken("when crop_size_h or crop_size_w is equal to 0, resize[0] and padding[1] should be not enable")
        for axis, start, size, all_of in (("h", top, high, common.height), ("w", left, wide, common.width)):
            if start + size > all_of:
                _broken(
                    f"when crop is enable, load_start_pos_{axis}[{start}] + crop_size_{axis}[{size}] should be less than or equal to "
                    f"src_image_size_{axis}[{all_of}]"
                )
        if common.format == aipp.YUV420SP and (left % 2 or top % 2) and not soc.startswith(_ODD_STARTS):
            _broken(f"when input_format is YUV420SP_U8, load_start_pos_h[{top}], load_start_pos_w[{left}] must be even")
    if image.padding is not None:
        if width > 1080:
            _broken(f"after padding, aipp output w[{width}] should be less than or eaqual to 1080")
        if max(image.padding) > 32:
            _broken(f"The max padding size is 32, and top, bottom, left, right are {list(image.padding)}")


def _check_ranges(config: Config) -> None:
    limits = [(f"mean_chn_{index}", 0, 255) for index in range(4)] + [(f"min_chn_{index}", 0, 255) for index in range(4)]
    limits += [(f"var_reci_chn_{index}", -65504, 65504) for index in range(4)]
    if config.get("csc_switch"):
        limits += [(name, -32768, 32767) for name in sorted(_INTS) if name.startswith("matrix")]
        limits += [(name, 0, 255) for name in sorted(_INTS) if "_bias_" in name]
    for name, low, high in limits:
        if not low <= config.get(name, 0) <= high:
            _broken(f"{name}[{config[name]}] should be within[{low}, {high}]")
