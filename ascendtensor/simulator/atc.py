"""The simulated compiler as a program, with ATC's options.

    python -m ascendtensor.simulator.atc --singleop=ops.json --output=DIR --soc_version=Ascend910B1
    python -m ascendtensor.simulator.atc --framework=5 --model=net.onnx --output=net --soc_version=Ascend910B1

The first form reads a JSON list of operators and writes one ``.om`` file each, which the simulator's ``acl.op.load`` and
``acl.op.set_model_dir`` accept; the second turns an ONNX file into ``net.om`` for ``acl.mdl.load_from_file``. Exits with 0, or with 1 and
a message in ATC's manner.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from ascendtensor.simulator import atc_options
from ascendtensor.simulator.engine import chips, model_file, optional, profiles
from ascendtensor.simulator.engine.compile import CompileFailure, build, file_name

USAGE = """usage: python -m ascendtensor.simulator.atc --singleop=FILE --output=DIR --soc_version=NAME [options]
       python -m ascendtensor.simulator.atc --framework=5 --model=FILE --output=PATH --soc_version=NAME [options]

Operators
  --singleop            JSON list of operators (op, input_desc, output_desc, attr)
  --output              directory for the .om files
  --soc_version         name of the chip, such as Ascend910B1
  --profile             any: operators' prototypes are checked (default, else ASCENDTENSOR_SIM_PROFILE); soc: the chip's kernels too;
                        or the path of a profile that `python -m ascendtensor compile` wrote on a board

Whole models
  --framework           5: ONNX
  --model               the ONNX file
  --output              path of the model without .om
  --input_shape         "name:1,3,224,224;other:-1,8~64": -1 is open or decided by gears, 8~64 a range
  --dynamic_batch_size  legal batch sizes, "1,2,4"
  --dynamic_image_size  legal heights and widths, "224,224;448,448"
  --dynamic_dims        legal values of all -1 axes, "1,16;1,32;2,32", with --input_format=ND
  --input_format        NCHW (default), NCDHW or ND
  --out_nodes           outputs instead of the graph's own, "node:0;node:1"
  --output_type         FP32, FP16, UINT8 or INT8 for all outputs, or "node:0:FP16"
  --input_fp16_nodes    inputs given as float16, "name;other"
  --insert_op_conf      file that configures AIPP, static or dynamic
Other options of ATC are taken and change nothing here, or are refused with the reason."""

IGNORED = frozenset(
    (
        "aicore_num",
        "buffer_optimize",
        "core_type",
        "customize_dtypes",
        "debug_dir",
        "deterministic",
        "display_model_info",
        "enable_single_stream",
        "enable_small_channel",
        "framework",
        "fusion_switch_file",
        "h",
        "host_env_cpu",
        "host_env_os",
        "jit_compile",
        "keep_dtype",
        "log",
        "mdl_bank_path",
        "mode",
        "modify_mixlist",
        "op_bank_path",
        "op_bank_update",
        "op_compiler_cache_dir",
        "op_compiler_cache_mode",
        "op_debug_config",
        "op_debug_level",
        "op_select_implmode",
        "optypelist_for_implmode",
        "precision_mode",
        "precision_mode_v2",
        "shape_generalized_build_mode",
        "status_check",
        "virtual_type",
    )
)
NEEDED = ("singleop", "output", "soc_version")
PROFILE = "profile"
"""Not ATC's."""
KNOWN = IGNORED | frozenset((*NEEDED, PROFILE)) | atc_options.UNDERSTOOD | atc_options.IGNORED | frozenset(atc_options.REFUSED)
CONVERTER = "ascendtensor.simulator.atc_model"
LIMIT = 10 << 20


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the program.

    Args:
        argv: Arguments without the program's name; those of the process by default.

    Returns:
        The exit code.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if any(argument in ("--help", "-h") for argument in arguments):
        print(USAGE)
        return 0
    print("ATC start working now, please wait for a moment.", flush=True)
    try:
        options = _options(arguments)
        if _whole(options):
            _convert(options)
        else:
            _compile(options)
    except CompileFailure as failure:
        print("ATC run failed, Please check the detail log, Try 'atc --help' for more information")
        print(failure.text, flush=True)
        return failure.exit_code
    print("ATC run success, welcome to the next use.", flush=True)
    return 0


def _fail(text: str) -> NoReturn:
    raise CompileFailure(text)


def _options(arguments: list[str]) -> dict[str, str]:
    """Options in either form, ``--name=value`` or ``--name value``."""
    found: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        if not argument.startswith("--"):
            _fail(f"E10001: Value [{argument}] is invalid. Reason: options are written --name=value.")
        name, equals, value = argument[2:].partition("=")
        if name not in KNOWN:
            _fail(f"E10016: unknown command line flag [--{name}].")
        found[name] = value if equals else next(rest, "")
    for name in NEEDED[1:] if _whole(found) else NEEDED:
        if name not in found:
            _fail(f"E10007: [--{name}] is required.")
        if not found[name]:
            _fail(f"E10004: Value for [--{name}] is empty.")
    if found.get("allow_hf32", "") not in ("", "true", "false"):
        _fail(f"E10005: Value [{found['allow_hf32']}] for parameter [--allow_hf32] is invalid. The value must be true or false.")
    soc = found["soc_version"]
    if not chips.known(soc):
        _fail(f"E20101: Value [{soc}] for parameter [--soc_version] is invalid. Reason: {chips.UNKNOWN}.")
    return found


def _whole(options: dict[str, str]) -> bool:
    """Whether a whole model is asked for, not operators."""
    return "singleop" not in options and ("model" in options or "framework" in options)


def _convert(options: dict[str, str]) -> None:
    """An ONNX file into a model."""
    chosen = atc_options.read(options)
    try:
        converter = optional.part(CONVERTER)
    except optional.ExtraMissing as error:
        raise CompileFailure(f"E10055: The operation is not supported. Reason: {error}") from error
    data = model_file.pack(converter.convert(chosen))
    output = Path(chosen.output if chosen.output.endswith(".om") else f"{chosen.output}.om")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _fail(f"E13004: Failed to write file [{output}]. Reason: {error}.")
    _write(output, data)


def _compile(options: dict[str, str]) -> None:
    try:
        profile = profiles.using(options.get(PROFILE) or profiles.Settings.name)
    except ValueError as error:
        _fail(f"E10001: Value [{options[PROFILE]}] for parameter [--profile] is invalid. Reason: {error}.")
    with profile:
        _build_all(options)


def _build_all(options: dict[str, str]) -> None:
    operators = _read(Path(options["singleop"]))
    output = Path(options["output"])
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _fail(f"E19001: Directory [{output}] cannot be made. Reason: {error}.")
    index = 0
    for description in operators:
        if isinstance(description, dict) and "compile_flag" in description and "op" not in description:
            continue  # a setting for those behind it, which means nothing here
        try:
            data = build(description, options["soc_version"])
        except CompileFailure as failure:
            where = f"op [{index}] of {options['singleop']}"
            raise CompileFailure(f"{failure.text} ({where})", failure.exit_code) from failure
        _write(output / file_name(description, index), data)
        index += 1


def _read(path: Path) -> list[Any]:
    try:
        if path.stat().st_size > LIMIT:
            _fail(f"E10023: File [{path}] is larger than {LIMIT} bytes.")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        _fail(f"E19000: File [{path}] cannot be read. Reason: {error}.")
    try:
        operators = json.loads(text)
    except (ValueError, RecursionError) as error:
        _fail(f"E10410: File [{path}] is not valid JSON. Reason: {error}.")
    if not isinstance(operators, list) or not operators:
        _fail(f"E10410: File [{path}] must hold a list with at least one operator.")
    return operators


def _write(path: Path, data: bytes) -> None:
    """Puts the file in place in one step, so that a reader never finds half of it."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except OSError:
            os.unlink(temporary)
            raise
    except OSError as error:
        _fail(f"E19001: File [{path}] cannot be written. Reason: {error}.")


if __name__ == "__main__":
    sys.exit(main())
