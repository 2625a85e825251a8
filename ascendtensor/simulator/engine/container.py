"""The simulator's own ``.om`` content: a checked header, then plain data (SIM-5).

======  =====  ==================================================================
offset  bytes  meaning
======  =====  ==================================================================
0       8      magic
8       4      version
12      4      length of this header (64)
16      8      length of the whole container
24      8      length of the JSON part
32      32     SHA-256 of everything after this header
64             JSON (UTF-8), then the raw bytes of the constants one after another
======  =====  ==================================================================

All numbers are little-endian. Nothing in a container is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

from ascendtensor.codes import ErrorCode
from ascendtensor.simulator.engine import attrs as attributes
from ascendtensor.simulator.engine import chips
from ascendtensor.simulator.engine.models import OpModel, TensorSpec

MAGIC = b"SIMACLOM"
VERSION = 1
HEADER = struct.Struct("<8sIIQQ32s")

PARSE = int(ErrorCode.PARSE_MODEL)
DESERIALIZE = int(ErrorCode.DESERIALIZE_MODEL)
MISSING = int(ErrorCode.MODEL_MISSING_ATTR)
UNSUPPORTED_DYNAMIC = int(ErrorCode.OP_UNSUPPORTED_DYNAMIC)


class ContainerFault(Exception):
    """Bytes that are no model of this simulator.

    Attributes:
        code: What ``acl.op.load`` answers (OM-4).
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def pack(model: OpModel, soc: str, *, unsupported_dynamic: bool = False) -> bytes:
    """Writes a model down; equal models give equal bytes.

    Args:
        model: The operator model.
        soc: Name of the chip it was built for.
        unsupported_dynamic: Flags a dynamic model whose operator has no dynamic kernel, which ``load`` refuses.
    """
    blobs: list[bytes] = []
    body = {
        "op": model.op_type,
        "soc": soc,
        "inputs": [_spec_to_json(spec, blobs) for spec in model.inputs],
        "outputs": [_spec_to_json(spec, blobs) for spec in model.outputs],
        "attrs": attributes.to_json(model.attrs.values.items()),
        "unsupported_dynamic": unsupported_dynamic,
    }
    return pack_parts(body, b"".join(blobs))


def pack_parts(body: dict[str, Any], constants: bytes) -> bytes:
    """Puts header, JSON and constant bytes together."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    payload = text + constants
    total = HEADER.size + len(payload)
    return HEADER.pack(MAGIC, VERSION, HEADER.size, total, len(text), hashlib.sha256(payload).digest()) + payload


def unpack(data: bytes, chip: str = "") -> OpModel:
    """Reads a model back.

    Args:
        data: The container.
        chip: Name of the chip that is to run it, "" not to ask.

    Raises:
        ContainerFault: 100013 for the header or the length, 100012 for the body and for a model of another chip, 100016 for a model without
            operator type, inputs or outputs, 148050 for a dynamic model flagged as having no dynamic kernel.
    """
    if len(data) < HEADER.size:
        raise ContainerFault(PARSE, f"{len(data)} bytes are shorter than the file header of {HEADER.size}")
    magic, version, header_size, total, text_size, checksum = HEADER.unpack_from(data)
    if magic != MAGIC or header_size != HEADER.size:
        raise ContainerFault(PARSE, "not an operator model of this simulator (a model made by ATC for a board runs on the board only)")
    if version != VERSION:
        raise ContainerFault(PARSE, f"container version {version}, this simulator reads version {VERSION}: compile the model again")
    if total != len(data) or HEADER.size + text_size > total:
        raise ContainerFault(PARSE, f"the header says {total} bytes, {len(data)} were given")
    payload = data[HEADER.size :]
    if hashlib.sha256(payload).digest() != checksum:
        raise ContainerFault(DESERIALIZE, "checksum mismatch: the model is damaged")
    try:
        body = json.loads(payload[:text_size].decode())
        _check_chip(body, chip)
        return _from_body(body, payload[text_size:])
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, struct.error) as error:
        raise ContainerFault(DESERIALIZE, f"the body cannot be decoded: {error!r}") from error


def _check_chip(body: Any, chip: str) -> None:
    model = str(body.get("soc", ""))
    if chip and not chips.runs(model, chip):
        raise ContainerFault(
            DESERIALIZE, f"E10001: Value [{model}] for parameter [soc_version] is invalid. Reason: {chips.INCOMPATIBLE} It is {chip}."
        )


def _from_body(body: Any, constants: bytes) -> OpModel:
    if not isinstance(body, dict):
        raise ValueError("not a JSON object")
    for key in ("op", "inputs", "outputs"):
        if key not in body or body[key] == "":
            raise ContainerFault(MISSING, f"the model does not say its {key}")
    model = OpModel(
        str(body["op"]),
        tuple(_spec_from_json(entry, constants) for entry in body["inputs"]),
        tuple(_spec_from_json(entry, constants) for entry in body["outputs"]),
        attributes.from_json(body.get("attrs", ())),
    )
    if model.dynamic and body.get("unsupported_dynamic"):
        raise ContainerFault(UNSUPPORTED_DYNAMIC, f"{model.op_type} does not support dynamic shapes")
    return model


def _spec_to_json(spec: TensorSpec, blobs: list[bytes]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "dtype": spec.dtype,
        "format": spec.format,
        "storage_format": spec.storage_format,
        "dims": list(spec.dims),
        "ranges": [list(pair) for pair in spec.ranges],
        "placement": spec.placement,
    }
    if spec.const is not None:
        entry["const"] = [sum(map(len, blobs)), len(spec.const)]
        blobs.append(spec.const)
    return entry


def _spec_from_json(entry: Any, constants: bytes) -> TensorSpec:
    const = None
    if "const" in entry:
        start, size = entry["const"]
        if start < 0 or size < 0 or start + size > len(constants):
            raise ValueError("a constant lies outside the model")
        const = constants[start : start + size]
    return TensorSpec(
        int(entry["dtype"]),
        int(entry["format"]),
        int(entry["storage_format"]),
        tuple(int(dim) for dim in entry["dims"]),
        tuple((int(low), int(high)) for low, high in entry["ranges"]),
        const,
        int(entry["placement"]),
    )
