"""ATC's options for whole models, and what their values mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, NoReturn

from ascendtensor.codes import Format
from ascendtensor.simulator.engine.compile import CompileFailure

ONNX: Final = "5"
FRAMEWORKS: Final = {"0": "Caffe", "1": "MindSpore", "3": "TensorFlow", "5": "ONNX"}
FORMATS: Final = {"NCHW": Format.NCHW, "ND": Format.ND, "NCDHW": Format.NCDHW}
RANKS: Final = {"NCHW": 4, "NCDHW": 5}
GEAR_OPTIONS: Final = {"dynamic_batch_size": "batch", "dynamic_image_size": "image", "dynamic_dims": "dims"}
UNKNOWN_RANK: Final = -2
FEWEST_GEARS, MOST_GEARS = 2, 100
OUTPUT_TYPES: Final = frozenset(("FP32", "FP16", "UINT8", "INT8"))
PRECISION_MODES: Final = frozenset(
    (
        "allow_fp32_to_bf16",
        "allow_fp32_to_fp16",
        "allow_mix_precision",
        "allow_mix_precision_bf16",
        "allow_mix_precision_fp16",
        "cube_fp16in_fp32out",
        "force_fp16",
        "force_fp32",
        "must_keep_origin_dtype",
    )
)
LOG_LEVELS: Final = frozenset(("debug", "info", "warning", "error", "null"))
UNDERSTOOD: Final = frozenset(
    (
        "allow_hf32",
        "dynamic_batch_size",
        "dynamic_dims",
        "dynamic_image_size",
        "framework",
        "input_format",
        "input_fp16_nodes",
        "input_shape",
        "input_shape_range",
        "insert_op_conf",
        "log",
        "mode",
        "model",
        "out_nodes",
        "output",
        "output_type",
        "precision_mode",
        "soc_version",
    )
)
IGNORED: Final = frozenset(
    (
        "ac_parallel_enable",
        "atomic_clean_policy",
        "auto_tune_mode",
        "check_report",
        "deterministic_level",
        "device_id",
        "disable_reuse_memory",
        "enable_scope_fusion_passes",
        "external_weight",
        "op_name_map",
        "op_precision_mode",
        "oo_level",
        "optimization_switch",
        "quant_dumpable",
        "save_original_model",
        "sparsity",
        "static_model_ops_lower_limit",
        "tiling_schedule_optimize",
        "weight",
    )
)
"""Taken beside those of single operators; they change nothing here."""
REFUSED: Final = {
    "compress_weight_conf": "the simulator does not compress weights; leave the option away",
    "compression_optimize_conf": "the simulator does not quantize models; quantize the ONNX file before",
    "is_input_adjust_hw_layout": "the simulator keeps the graph's layouts (NC1HWC0 inputs are for boards only)",
    "is_output_adjust_hw_layout": "the simulator keeps the graph's layouts (NC1HWC0 outputs are for boards only)",
    "om": "the simulator does not turn models into JSON; acl.mdl.get_desc_from_file describes them",
    "json": "the simulator does not turn models into JSON; acl.mdl.get_desc_from_file describes them",
    "cluster_config": "the simulated models run on one device",
}

Pair = tuple[int, int]


class Shape(NamedTuple):
    """An input's shape of ``--input_shape``: for each dim (low, high), high -1 for no limit; (-1, -1) for a bare -1."""

    name: str
    dims: tuple[Pair, ...]


class ModelOptions(NamedTuple):
    """What the options say.

    Attributes:
        shapes: Of the named inputs, in the order of the option.
        kind: "" without gears, "batch", "image" or "dims".
        gears: The legal gears.
        layout: ``--input_format``.
        output_types: By output's name (node:index) or "" for all.
        preprocessing: Path of ``--insert_op_conf``, or "".
        given: Every option as it was written.
    """

    model: str
    output: str
    soc: str
    shapes: tuple[Shape, ...]
    kind: str
    gears: tuple[tuple[int, ...], ...]
    layout: str
    out_nodes: tuple[str, ...]
    output_types: dict[str, str]
    half_inputs: tuple[str, ...]
    preprocessing: str
    given: dict[str, str]


def fail(text: str) -> NoReturn:
    """Ends the program with ATC's message."""
    raise CompileFailure(text)


def invalid(name: str, value: object, reason: str) -> NoReturn:
    """E10001."""
    fail(f"E10001: Value [{value}] for parameter [--{name}] is invalid. Reason: {reason}.")


def read(options: Mapping[str, str]) -> ModelOptions:
    """Checks the options of a whole model.

    Raises:
        CompileFailure: With ATC's number.
    """
    for name, reason in REFUSED.items():
        if options.get(name):
            fail(f"E10055: The operation is not supported. Reason: --{name}: {reason}.")
    for name in ("model", "output", "soc_version"):
        if not options.get(name):
            fail(f"E10004: Value for [--{name}] is empty.")
    _check_plain(options)
    if os_name_missing(options["output"]):
        fail(f"E10022: Path [{options['output']}] for parameter [--output] does not include the file name.")
    layout = options.get("input_format") or "NCHW"
    if layout not in FORMATS:
        invalid("input_format", layout, f"for ONNX it must be one of {', '.join(FORMATS)}")
    shapes = _shapes(options)
    kind, gears = _gears(options, shapes)
    if kind == "dims" and layout != "ND":
        invalid("input_format", layout, "with --dynamic_dims it must be ND")
    return ModelOptions(
        options["model"],
        options["output"],
        options["soc_version"],
        shapes,
        kind,
        gears,
        layout,
        tuple(part for part in options.get("out_nodes", "").split(";") if part),
        _output_types(options.get("output_type", "")),
        tuple(part for part in options.get("input_fp16_nodes", "").split(";") if part),
        options.get("insert_op_conf", ""),
        dict(options),
    )


def os_name_missing(path: str) -> bool:
    """Whether a path names a directory, not a file."""
    return path.endswith(("/", "\\"))


def _check_plain(options: Mapping[str, str]) -> None:
    framework = options.get("framework", "")
    if framework not in FRAMEWORKS:
        fail("E10007: [--framework] is required. The value must be 0(Caffe), 1(MindSpore), 3(TensorFlow) or 5(ONNX).")
    if framework != ONNX:
        text = f"the simulator reads ONNX (--framework=5), not {FRAMEWORKS[framework]}; export the model to ONNX"
        fail(f"E10055: The operation is not supported. Reason: {text}.")
    if options.get("mode", "0") != "0":
        fail("E10055: The operation is not supported. Reason: the simulator converts models only (--mode=0).")
    if options.get("log", "null") not in LOG_LEVELS:
        fail(f"E10010: Value [{options['log']}] for parameter [--log] is invalid.")
    if options.get("disable_reuse_memory", "0") not in ("0", "1"):
        value = options["disable_reuse_memory"]
        fail(f"E10006: Value [{value}] for parameter [--disable_reuse_memory] is invalid. The value must be either 1 or 0.")
    mode = options.get("precision_mode", "")
    if mode and mode not in PRECISION_MODES:
        invalid("precision_mode", mode, f"it must be one of {', '.join(sorted(PRECISION_MODES))}")


# Shapes

SAMPLE: Final = '"input_name1:n1,c1,h1,w1;input_name2:n2,c2,h2,w2"'
_DIM: Final = re.compile(r"(-?\d+)(?:~(-?\d+))?")


def _shapes(options: Mapping[str, str]) -> tuple[Shape, ...]:
    both = [name for name in ("input_shape", "input_shape_range") if options.get(name)]
    if len(both) == 2:
        fail("E10047: [--input_shape] and [--input_shape_range] are mutually exclusive.")
    if not both:
        return ()
    text = options[both[0]]
    found = [_shape(both[0], part) for part in text.split(";") if part.strip()]
    names = [shape.name for shape in found]
    for name in names:
        if names.count(name) > 1:
            invalid(both[0], text, f"input [{name}] is given twice")
    return tuple(found)


def _malformed(option: str, text: str, reason: str) -> NoReturn:
    number = "E10048" if option == "input_shape_range" else "E10002"
    fail(f"{number}: Value [{text}] for parameter [--{option}] is invalid. Reason: {reason}. The value must be formatted as {SAMPLE}.")


def _shape(option: str, text: str) -> Shape:
    name, colon, dims = text.strip().rpartition(":")
    if not colon or not name:
        _malformed(option, text, "no input is named")
    dims = dims.strip().removeprefix("[").removesuffix("]")
    return Shape(name, tuple(_dim(option, text, dim.strip()) for dim in dims.split(",") if dim.strip() or "," in dims))


def _dim(option: str, text: str, dim: str) -> Pair:
    match = _DIM.fullmatch(dim)
    if match is None:
        _malformed(option, text, f"[{dim}] is no integer or range")
    low = int(match[1])
    if match[2] is None:
        if low == -1:
            return -1, -1
        if low <= 0:
            rank = " An unknown rank can't be given to a whole model: convert it for each rank, with -1 or a range for an open dim."
            fail(
                f"E10011: Value [{text}] for parameter [--{option}] is invalid. Shape values must be positive integers. "
                f"The error value in the shape is [{dim}].{rank if low == UNKNOWN_RANK else ''}"
            )
        return low, low
    high = int(match[2])
    if low < 0 or (high != -1 and high < low):
        invalid(option, text, f"[{dim}] is no range")
    return low, high


# Gears


def _gears(options: Mapping[str, str], shapes: Sequence[Shape]) -> tuple[str, tuple[tuple[int, ...], ...]]:
    given = [name for name in (*GEAR_OPTIONS, "input_shape_range") if options.get(name)]
    if len(given) > 1:
        text = "--dynamic_batch_size, --dynamic_image_size, --input_shape_range, and --dynamic_dims are mutually exclusive."
        fail(f"E10009: {text}")
    if not given or given[0] not in GEAR_OPTIONS:
        return "", ()
    name = given[0]
    if not shapes:
        fail("E10058: Parameter [--input_shape] is not configured or is empty.")
    if not any(pair == (-1, -1) for shape in shapes for pair in shape.dims) and name != "dynamic_batch_size":
        _no_open_axis()
    if any(low != high for shape in shapes for low, high in shape.dims):
        _no_open_axis()
    return GEAR_OPTIONS[name], _profiles(name, options[name])


def _no_open_axis() -> NoReturn:
    fail(
        "E10040: As the --dynamic_batch_size, --dynamic_image_size, or --dynamic_dims argument is included, the corresponding nodes "
        "specified in --input_shape must have -1 axes and cannot have '~'."
    )


def _profiles(name: str, text: str) -> tuple[tuple[int, ...], ...]:
    parts = text.rstrip(";,").split("," if name == "dynamic_batch_size" else ";")
    gears = []
    for part in parts:
        try:
            gears.append(tuple(int(value) for value in part.split(",")))
        except ValueError:
            invalid(name, text, f"[{part}] is no list of integers")
    names = "--dynamic_batch_size, --dynamic_image_size, or --dynamic_dims"
    if len(gears) < FEWEST_GEARS:
        fail(f"E10035: {names} has [{len(gears)}] profiles, which is less than the minimum [{FEWEST_GEARS}].")
    if len(gears) > MOST_GEARS:
        fail(f"E10036: {names} has [{len(gears)}] profiles, which is greater than the maximum [{MOST_GEARS}].")
    for gear in gears:
        if len(gear) != len(gears[0]):
            fail(
                "E10037: The profiles configured in --dynamic_batch_size, --dynamic_image_size, or --dynamic_dims have inconsistent "
                f"dimension counts. A profile has [{len(gears[0])}] dimensions while another has [{len(gear)}] dimensions."
            )
        for value in gear:
            if value <= 0:
                fail(f"E10038: Dimension size [{value}] is invalid. The value must be greater than 0.")
    if len(set(gears)) != len(gears):
        fail(f"E10039: The {names} argument has duplicate profiles.")
    if name == "dynamic_image_size" and len(gears[0]) != 2:
        fail(f"E10020: Value [{text}] for parameter [--dynamic_image_size] is invalid.")
    return tuple(gears)


def check_ranges(options: ModelOptions, shapes: Sequence[Sequence[Pair]]) -> None:
    """Shape ranges, which the Atlas 200I/500 A2 and the Atlas 200/300/500 lack by the pages of ``--input_shape`` and of dynamic shapes.

    Raises:
        CompileFailure: E10055.
    """
    without = options.soc == "Ascend310" or options.soc.startswith("Ascend310B")
    if without and not options.kind and any(low != high or low < 0 for shape in shapes for low, high in shape):
        fail(
            f"E10055: The operation is not supported. Reason: [{options.soc}] takes no shape ranges; give fixed dims, or gears by "
            "--dynamic_batch_size, --dynamic_image_size or --dynamic_dims."
        )


def check_axes(options: ModelOptions) -> None:
    """Whether the -1 axes are those that the kind of gears decides.

    Raises:
        CompileFailure: E10018, E10019, E10031, E10045 or E10046.
    """
    marked = [(shape, [axis for axis, pair in enumerate(shape.dims) if pair == (-1, -1)]) for shape in options.shapes]
    if options.kind == "batch":
        for shape, axes in marked:
            if axes not in ([], [0]):
                dims = [low for low, _ in shape.dims]
                fail(
                    f"E10018: Value [{axes[-1]}] for shape {dims} is invalid. When --dynamic_batch_size is included, only batch size N "
                    "can be -1 in --input_shape."
                )
        if not any(axes for _, axes in marked):
            fail("E10031: --dynamic_batch_size is included, but none of the nodes specified in --input_shape has a batch size equaling -1.")
    elif options.kind == "image":
        if options.layout != "NCHW" or any(axes not in ([], [2, 3]) or (axes and len(shape.dims) != 4) for shape, axes in marked):
            fail("E10019: When --dynamic_image_size is included, only the height and width axes can be -1 in --input_shape.")
    elif options.kind == "dims":
        total = sum(len(axes) for _, axes in marked)
        if total != len(options.gears[0]):
            number = "E10045" if total > len(options.gears[0]) else "E10046"
            fail(
                f"{number}: The number of -1 axes in the --input_shape argument, [{total}], is not the dimension count per profile in "
                f"--dynamic_dims, [{len(options.gears[0])}]."
            )


# Outputs


def _output_types(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split(";") if text else ():
        name, _, dtype = part.strip().rpartition(":")
        if dtype not in OUTPUT_TYPES or (name and not name.rpartition(":")[2].isdigit()):
            invalid("output_type", text, f"it must be one of {', '.join(sorted(OUTPUT_TYPES))}, or node_name:index:type")
        found[name] = dtype
    if "" in found and len(found) > 1:
        invalid("output_type", text, "a type for all outputs and types of single ones exclude each other")
    return found
