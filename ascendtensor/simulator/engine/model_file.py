"""The simulator's own ``.om`` content of whole models: a checked header, then plain data (SIM-5).

======  =====  ===========================================================================
offset  bytes  meaning
======  =====  ===========================================================================
0       8      magic
8       4      version
12      4      length of this header (64)
16      8      length of the whole file
24      8      length of the JSON part
32      32     SHA-256 of everything after this header
64             JSON (UTF-8), then an ONNX graph, or the files of a bundle one after another
======  =====  ===========================================================================

All numbers are little-endian. Nothing in a file is ever executed but the graph, by ONNX Runtime.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ascendtensor.codes import DataType, ErrorCode, Format, data_type_size

from . import AclFault, aipp

MAGIC: Final = b"SIMMDLOM"
OPERATOR_MAGIC: Final = b"SIMACLOM"
BOARD_MAGIC: Final = b"IMOD"
"""The beginning of what CANN's ATC writes."""
VERSION: Final = 1
HEADER: Final = struct.Struct("<8sIIQQ32s")
GEAR_INPUT: Final = "ascend_mbatch_shape_data"
"""Name of the input that carries the chosen gear (MDL-13)."""
AIPP_INPUT: Final = "ascend_dynamic_aipp_data"
"""Name of the first input that carries the parameters of dynamic AIPP (ACL_DYNAMIC_AIPP_NAME)."""
GEAR_KINDS: Final = ("", "batch", "image", "dims")
DATA_SIZE_INVALID: Final = int(ErrorCode.GE_EXEC_MODEL_DATA_SIZE_INVALID)

Dims = tuple[int, ...]


class TensorInfo(NamedTuple):
    """An input or output of a model.

    Attributes:
        name: What pyACL calls it.
        feed: What the graph calls it.
        dtype: aclDataType.
        element: The element type's number in ONNX.
        format: aclFormat.
        dims: -1 for what a gear decides or what stays open.
        ranges: (low, high) for each dim of a model with open shapes, high -1 for no limit; else empty.
    """

    name: str
    feed: str
    dtype: int
    element: int
    format: int
    dims: Dims
    ranges: tuple[tuple[int, int], ...] = ()

    def nbytes(self, dims: Sequence[int]) -> int:
        """Bytes of a tensor of these dims, 0 while one is open."""
        return 0 if dims and min(dims) < 0 else math.prod(dims) * data_type_size(self.dtype)


class Aipp(NamedTuple):
    """Image preprocessing in front of an input.

    Attributes:
        place: The input's.
        config: The block of ``--insert_op_conf``.
        dims: Of the graph's own input, NCHW, -1 for what a gear decides.
        dtype: aclDataType of the graph's own input.
        node: Name of the input that carries the parameters, "" for static preprocessing.
    """

    place: int
    config: aipp.Config
    dims: Dims
    dtype: int
    node: str

    def shown(self) -> Dims:
        """Dims of the input as pyACL shows it: N, H, W, C of the source images.

        With dynamic preprocessing all but N are open, which GE notes as ``_dynamic_aipp_input_dims`` (`aipp_op.cc`, CreateAippData).
        """
        if self.node:
            return self.dims[0], -1, -1, -1
        batch, _, height, width = self.dims
        get = self.config.get
        channels = aipp.CHANNELS[aipp.FORMATS[self.config["input_format"]]]
        return batch, get("src_image_size_h") or height, get("src_image_size_w") or width, channels

    def bytes_shown(self, dims: Dims) -> Dims:
        """Dims whose product is the number of bytes (``aclmdlGetInputDimsV2``)."""
        if not self.node and aipp.FORMATS[self.config["input_format"]] == aipp.YUV420SP:
            batch, height, width, _ = dims
            return batch, height if height < 0 else height * 3 // 2, width, 1
        return dims


class ModelFile(NamedTuple):
    """A whole model as the simulated compiler wrote it.

    Attributes:
        name: Of the model.
        soc: Name of the chip it was built for.
        inputs: In the graph's order, without the one of the gears.
        outputs: With concrete dims, those of the largest gear, or -1 in a model of open shapes.
        kind: "" for no gears, "batch", "image" or "dims".
        gears: The legal gears, each as the values of all -1 dims of the inputs, in order: (batch,), (height, width), or the dims.
        gear_outputs: For each gear the dims of each output.
        open: Whether shapes are only known when the model runs.
        limits: Bytes of each output at the upper bounds of an open model, 0 where there are none.
        work: Bytes of work memory.
        weight: Bytes of weight memory.
        options: What the compiler was told.
        graph: The ONNX file.
        order: Positions of the inputs in the order in which a gear of kind "dims" lists them.
        aipps: The preprocessing of inputs that have it; `inputs` has these as pyACL shows them.
    """

    name: str
    soc: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    kind: str
    gears: tuple[Dims, ...]
    gear_outputs: tuple[tuple[Dims, ...], ...]
    open: bool
    limits: tuple[int, ...]
    work: int
    weight: int
    options: dict[str, str]
    graph: bytes
    order: tuple[int, ...]
    aipps: tuple[Aipp, ...] = ()

    def input_dims(self, gear: Sequence[int] | None) -> list[Dims]:
        """Dims of the inputs, those of a gear filled in."""
        found = [info.dims for info in self.inputs]
        if gear is None:
            return found
        for each in self.aipps:
            if each.node:  # open whatever the gear
                found[each.place] = ()
        found = self._filled(found, gear)
        for each in self.aipps:
            if each.node:
                found[each.place] = self.graph_dims(each, gear)[0], -1, -1, -1
        return found

    def _filled(self, found: list[Dims], gear: Sequence[int]) -> list[Dims]:
        if self.kind == "batch":
            return [tuple(gear[0] if dim < 0 else dim for dim in dims) for dims in found]
        values = list(gear)
        for index in self.order:
            if self.kind == "image" and -1 in found[index]:
                values = list(gear)  # every image input has its own pair
            found[index] = tuple(values.pop(0) if dim < 0 else dim for dim in found[index])
        return found

    def graph_dims(self, each: Aipp, gear: Sequence[int] | None) -> Dims:
        """Dims that the graph takes behind the preprocessing of an input."""
        values = list(gear or ())
        return tuple((values[0] if self.kind == "batch" else values.pop(0)) if dim < 0 else dim for dim in each.dims)

    @property
    def carriers(self) -> tuple[TensorInfo, ...]:
        """The inputs behind the graph's own: that of the gear, and those of the parameters of dynamic preprocessing."""
        found = []
        if self.kind:
            # int32: hicann/ge, multi_batch_clone_pass.cc, CreateIndexDataNode
            found.append(TensorInfo(GEAR_INPUT, "", int(DataType.INT32), 0, int(Format.ND), (len(self.gears[0]),)))
        for each in self.aipps:
            if each.node:
                size = aipp.data_bytes(max(self.graph_dims(each, gear)[0] for gear in self.gears or (None,)))
                found.append(TensorInfo(each.node, "", int(DataType.UINT8), 0, int(Format.ND), (size,)))
        return tuple(found)

    def input_bytes(self, dims: Sequence[Dims]) -> list[int]:
        """Bytes of inputs of these dims."""
        sizes = [info.nbytes(shape) for info, shape in zip(self.inputs, dims, strict=True)]
        for each in self.aipps:
            shown = (int(each.config["max_src_image_size"]),) if each.node else each.bytes_shown(dims[each.place])
            sizes[each.place] = self.inputs[each.place].nbytes(shown)
        return sizes

    @property
    def largest(self) -> int:
        """Index of the largest gear, -1 without gears."""
        if not self.gears:
            return -1
        return max(range(len(self.gears)), key=lambda index: math.prod(self.gears[index]))

    def input_sizes(self) -> list[int]:
        """Bytes of each input, of the largest gear, at the upper bounds (MDL-11)."""
        if self.open:
            return self.input_bytes([tuple(high for _, high in info.ranges) for info in self.inputs])
        sizes = self.input_bytes(self.input_dims(self.gears[self.largest] if self.gears else None))
        return (
            [max(size, *others) for size, *others in zip(sizes, *map(self._gear_sizes, self.gears), strict=True)] if self.gears else sizes
        )

    def _gear_sizes(self, gear: Dims) -> list[int]:
        return self.input_bytes(self.input_dims(gear))

    def output_sizes(self) -> list[int]:
        """Bytes of each output, of the largest gear, at the upper bounds (MDL-11)."""
        if self.open:
            return list(self.limits)
        if not self.gears:
            return [info.nbytes(info.dims) for info in self.outputs]
        return [max(info.nbytes(dims[index]) for dims in self.gear_outputs) for index, info in enumerate(self.outputs)]


def pack(model: ModelFile) -> bytes:
    """Writes a model down; equal models give equal bytes."""
    body = {
        "name": model.name,
        "soc": model.soc,
        "inputs": [_to_json(info) for info in model.inputs],
        "outputs": [_to_json(info) for info in model.outputs],
        "kind": model.kind,
        "gears": model.gears,
        "gear_outputs": model.gear_outputs,
        "open": model.open,
        "limits": model.limits,
        "work": model.work,
        "weight": model.weight,
        "options": model.options,
        "order": model.order,
    }
    if model.aipps:
        body["aipps"] = [list(each) for each in model.aipps]
    return _assemble(body, model.graph)


def pack_bundle(models: Sequence[bytes]) -> bytes:
    """Puts several models into one file for ``acl.mdl.bundle_load_from_file``.

    Raises:
        AclFault: One of them is no model.

    Examples:
        >>> with open("net.om", "rb") as file:
        ...     model = file.read()
        >>> len(simulator.model_bundle([model, model])) > 2 * len(model)
        True
    """
    for data in models:
        unpack(data)
    return _assemble({"bundle": [len(data) for data in models]}, b"".join(models))


def _assemble(body: dict[str, Any], tail: bytes) -> bytes:
    text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    digest = hashlib.sha256(text)
    digest.update(tail)
    total = HEADER.size + len(text) + len(tail)
    return b"".join((HEADER.pack(MAGIC, VERSION, HEADER.size, total, len(text), digest.digest()), text, tail))


def _to_json(info: TensorInfo) -> list[Any]:
    return [info.name, info.feed, info.dtype, info.element, info.format, list(info.dims), [list(pair) for pair in info.ranges]]


def _refuse(text: str) -> AclFault:
    return AclFault(DATA_SIZE_INVALID, text, "E10001")


def unpack(data: bytes) -> ModelFile:
    """Reads a model.

    Raises:
        AclFault: 145006 for bytes that are no model, are damaged, or hold a bundle (MDL-2).
    """
    body, tail = _open(data)
    if "bundle" in body:
        raise _refuse("the file is a bundle of models; load it with acl.mdl.bundle_load_from_file")
    try:
        return _from_body(body, bytes(tail))
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise _refuse(f"the body of the model cannot be decoded: {error!r}") from error


def unpack_bundle(data: bytes) -> list[ModelFile]:
    """Reads the models of a bundle.

    Raises:
        AclFault: 145006 for anything else.
    """
    body, tail = _open(data)
    sizes = body.get("bundle")
    if not isinstance(sizes, list) or not all(isinstance(size, int) and size > 0 for size in sizes) or sum(sizes) != len(tail):
        raise _refuse("the file is no bundle of models; load a single model with acl.mdl.load_from_file")
    found = []
    start = 0
    for size in sizes:
        found.append(unpack(bytes(tail[start : start + size])))
        start += size
    return found


def _open(data: bytes) -> tuple[dict[str, Any], memoryview]:
    """The JSON part and what follows it."""
    _check_magic(data)
    _, version, header_size, total, text_size, checksum = HEADER.unpack_from(data)
    if header_size != HEADER.size:
        raise _refuse("the file header is damaged")
    if version != VERSION:
        raise _refuse(f"the file has version {version}, this simulator reads version {VERSION}: convert the model again")
    if total != len(data) or HEADER.size + text_size > total:
        raise _refuse(f"the header says {total} bytes, {len(data)} were given")
    payload = memoryview(data)[HEADER.size :]
    if hashlib.sha256(payload).digest() != checksum:
        raise _refuse("checksum mismatch: the model is damaged")
    try:
        body = json.loads(bytes(payload[:text_size]).decode())
    except (ValueError, RecursionError) as error:
        raise _refuse(f"the body of the model cannot be decoded: {error!r}") from error
    if not isinstance(body, dict):
        raise _refuse("the body of the model cannot be decoded: not a JSON object")
    return body, payload[text_size:]


def _check_magic(data: bytes) -> None:
    if data[:4] == BOARD_MAGIC:
        raise _refuse(
            "the file was made by CANN's ATC and holds code of the NPU, which runs on a board only; "
            "for the simulator convert the ONNX file again: "
            "python -m ascendtensor.simulator.atc --framework=5 --model=net.onnx --output=net --soc_version=..."
        )
    if data[:8] == OPERATOR_MAGIC:
        raise _refuse("the file is an operator model, which acl.op.load and acl.op.set_model_dir read")
    if data[:8] != MAGIC[: len(data)] or not data:
        raise _refuse("not a model file; convert an ONNX file with python -m ascendtensor.simulator.atc --framework=5")
    if len(data) < HEADER.size:
        raise _refuse(f"{len(data)} bytes are shorter than the file header of {HEADER.size}")


def _from_body(body: dict[str, Any], graph: bytes) -> ModelFile:
    model = ModelFile(
        str(body["name"]),
        str(body["soc"]),
        tuple(map(_from_json, body["inputs"])),
        tuple(map(_from_json, body["outputs"])),
        str(body["kind"]),
        tuple(map(_dims, body["gears"])),
        tuple(tuple(map(_dims, outputs)) for outputs in body["gear_outputs"]),
        bool(body["open"]),
        _dims(body["limits"]),
        int(body["work"]),
        int(body["weight"]),
        {str(name): str(value) for name, value in body["options"].items()},
        graph,
        _dims(body["order"]),
        tuple(map(_aipp_from_json, body.get("aipps", ()))),
    )
    _check(model)
    return model


def _check(model: ModelFile) -> None:
    """Raises ValueError where the parts do not belong together."""
    if model.kind not in GEAR_KINDS or bool(model.kind) != bool(model.gears):
        raise ValueError(f"gears of kind {model.kind!r}")
    if len(model.gear_outputs) != len(model.gears) or len(model.limits) != len(model.outputs):
        raise ValueError("the numbers of gears or outputs differ")
    if any(len(outputs) != len(model.outputs) for outputs in model.gear_outputs):
        raise ValueError("a gear without dims of every output")
    if sorted(model.order) != list(range(len(model.inputs))):
        raise ValueError("the order of the inputs is wrong")
    for gear in model.gears:
        try:
            model.input_dims(gear)
        except IndexError:
            raise ValueError(f"gear {gear} has too few values") from None
    if model.open and any(len(info.ranges) != len(info.dims) for info in model.inputs):
        raise ValueError("an input of open shape without ranges")
    for each in model.aipps:
        if not 0 <= each.place < len(model.inputs) or len(each.dims) != 4 or (model.open and (each.node or -1 in each.dims)):
            raise ValueError("preprocessing of no input")
        each.shown()
        aipp.static({"input_format": "RGB888_U8", **each.config}, 1, 1)
    if min((model.work, model.weight)) < 0:
        raise ValueError("a negative size of memory")


def _dims(values: Any) -> Dims:
    return tuple(int(value) for value in values)


def _aipp_from_json(entry: Any) -> Aipp:
    place, config, dims, dtype, node = entry
    return Aipp(int(place), dict(config), _dims(dims), int(dtype), str(node))


def _from_json(entry: Any) -> TensorInfo:
    name, feed, dtype, element, layout, dims, ranges = entry
    pairs = tuple((int(low), int(high)) for low, high in ranges)
    return TensorInfo(str(name), str(feed), int(dtype), int(element), int(layout), _dims(dims), pairs)
