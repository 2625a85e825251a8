"""A recording as a plain pyACL program.

Addresses of the recording become places in regions that the program allocates; what was copied from the host, and what launches found
in memory, lies in a file beside it. All is queued on one stream, in the order of the recording, which is an order that its streams kept.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ..codes import DataType
from ..dtypes import from_acl
from ..errors import CompileError, UnsupportedError
from ..launch.registry import handle_cache
from .recording import Bound, Called, Copied, Filled, Launched, Written

if TYPE_CHECKING:
    from ..compiler.description import Attribute, Description, TensorDescription

ALIGNMENT: Final = 512
"""Of the regions: addresses keep what pyACL asks of them (RT-29)."""

INLINE: Final = 64
"""Constants of up to this many bytes stand in the program itself."""

_ELSEWHERE: Final = ("acl.mdl.execute", "acl.blas.", "acl.op.cast", "acl.op.update_params", "acl.rt.launch_callback")
_PACKAGES_OWN: Final = {DataType.BF16: "uint16"}

_HEAD: Final = '''"""{title}

Made from a recording of AscendTensor. It needs numpy and CANN's acl:

    python {name}
    python -m ascendtensor.simulator {name}      without an NPU

For another chip or CANN version make the operator models anew: atc --singleop={models}/operators.json --output={models} --soc_version=...
"""

import pathlib

import acl
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
DATA = np.load(HERE / "{data}")
DEVICE_TO_DEVICE = 3
UNDEFINED, ND = -1, 2


def check(code, function):
    if code:
        raise RuntimeError(f"{{function}} answered {{code}}: {{acl.get_recent_err_msg()}}")


def allocate(size):
    address, code = acl.rt.malloc(size, 0)
    check(code, "acl.rt.malloc")
    return address


def download_or_upload(target, source, size, kind):
    """On a board (run mode 0) host and device share the memory, and every copy is inside the device."""
    check(acl.rt.memcpy(target, size, source, size, kind if run_mode else DEVICE_TO_DEVICE), "acl.rt.memcpy")


def pointer(array):
    return array.__array_interface__["data"][0]


def write(address, key):
    """Copy bytes of the data file to the device, behind everything that was queued."""
    check(acl.rt.synchronize_stream(stream), "acl.rt.synchronize_stream")
    array = DATA[key]
    download_or_upload(address, pointer(array), array.nbytes, 1)


def copy(target, source, size):
    check(acl.rt.synchronize_stream(stream), "acl.rt.synchronize_stream")
    check(acl.rt.memcpy(target, size, source, size, DEVICE_TO_DEVICE), "acl.rt.memcpy")


def fill(address, value, size):
    check(acl.rt.memset_async(address, size, value, size, stream), "acl.rt.memset_async")


def tensor(dtype, dims, address=0, size=0, form=ND, name="", repeated="", const=None):
    """A tensor description and the data buffer that goes with it."""
    desc = acl.create_tensor_desc(dtype, dims, form)
    if name:
        acl.set_tensor_desc_name(desc, name)
    if repeated:
        check(acl.set_tensor_dynamic_input(desc, repeated), "acl.set_tensor_dynamic_input")
    if const is not None:
        place = acl.util.bytes_to_ptr(const)
        if run_mode == 0:  # a board wants constants in device memory
            place = allocate(len(const))
            download_or_upload(place, acl.util.bytes_to_ptr(const), len(const), 1)
        check(acl.set_tensor_const(desc, place, len(const)), "acl.set_tensor_const")
        if run_mode == 0:
            check(acl.rt.free(place), "acl.rt.free")
    return desc, acl.create_data_buffer(address, size)


def launch(op_type, inputs, outputs, attrs=()):
    """Queue one operator."""
    attr = acl.op.create_attr()
    for kind, name, value in attrs:
        answer = getattr(acl.op, f"set_attr_{{kind}}")(attr, name, value)
        check(answer[-1] if isinstance(answer, tuple) else answer, f"acl.op.set_attr_{{kind}}")  # data types answer two values
    descs = [[desc for desc, _ in side] for side in (inputs, outputs)]
    buffers = [[buffer for _, buffer in side] for side in (inputs, outputs)]
    check(acl.op.execute_v2(op_type, descs[0], buffers[0], descs[1], buffers[1], attr, stream), f"acl.op.execute_v2({{op_type}})")
    for desc, buffer in inputs + outputs:
        acl.destroy_tensor_desc(desc)
        check(acl.destroy_data_buffer(buffer), "acl.destroy_data_buffer")
    acl.op.destroy_attr(attr)


def read(address, dims, dtype):
    array = np.empty(dims, dtype)
    if array.nbytes:
        download_or_upload(pointer(array), address, array.nbytes, 2)
    return array


check(acl.init(), "acl.init")
check(acl.rt.set_device(0), "acl.rt.set_device")
run_mode, code = acl.rt.get_run_mode()
check(code, "acl.rt.get_run_mode")
check(acl.op.set_model_dir(str(HERE / "{models}")), "acl.op.set_model_dir")
stream, code = acl.rt.create_stream()
check(code, "acl.rt.create_stream")
memory = [allocate(size) for size in {sizes}]
'''

_TAIL: Final = """
check(acl.rt.synchronize_stream(stream), "acl.rt.synchronize_stream")
results = {{
{results}
}}
np.savez(HERE / "{output}", **results)
for name, array in results.items():
    print(name, array.dtype, array.shape, array.reshape(-1)[:4].tolist())

for address in memory:
    check(acl.rt.free(address), "acl.rt.free")
check(acl.rt.destroy_stream(stream), "acl.rt.destroy_stream")
check(acl.rt.reset_device(0), "acl.rt.reset_device")
check(acl.finalize(), "acl.finalize")
"""


@dataclass
class Place:
    """Device memory of a step."""

    address: int
    size: int


@dataclass
class Step:
    """One line of the program, with places still to be given their names."""

    kind: str
    reads: list[Place | None] = field(default_factory=list)
    writes: list[Place | None] = field(default_factory=list)
    data: bytes = b""
    value: int = 0
    description: Description | None = None
    model: Description | None = None
    function: str = ""


def steps(events: Iterable[Any]) -> list[Step]:
    """What is to be done, in order.

    Raises:
        UnsupportedError: Something ran whose work the recording does not know.
    """
    places: dict[int, Place | None] = {}
    found: list[Step] = []
    for event in events:
        if isinstance(event, Bound):
            places[event.buffer] = Place(event.address, event.size) if event.address else None
        elif isinstance(event, Written):
            found.append(Step("write", writes=[Place(event.address, len(event.data))], data=event.data))
        elif isinstance(event, Copied):
            found.append(Step("copy", [Place(event.source, event.size)], [Place(event.target, event.size)]))
        elif isinstance(event, Filled):
            found.append(Step("fill", writes=[Place(event.address, event.size)], value=event.value))
        elif isinstance(event, Launched) and not event.code:
            found.append(_launch(event, places))
        elif isinstance(event, Called) and event.function.startswith(_ELSEWHERE):
            raise _unsupported(event.function)
    return found


def _launch(event: Launched, places: dict[int, Place | None]) -> Step:
    plan = getattr(event.plan, "core", event.plan)
    description = getattr(plan, "description", None)
    if description is None:
        raise _unsupported(str(getattr(plan, "op_type", plan)))
    model = getattr(plan, "model", description)
    if model is not description:  # constants that left the model are data
        inputs = [
            replace(tensor, const=None) if wanted.const is None else tensor
            for tensor, wanted in zip(description.inputs, model.inputs, strict=True)
        ]
        description = replace(description, inputs=tuple(inputs))
    given, made = ([places.get(buffer) for buffer in buffers] for buffers in (event.inputs, event.outputs))
    return Step("launch", given, made, description=description, model=model, function=plan.name)


def _unsupported(what: str) -> UnsupportedError:
    advice = "A program can repeat operators, copies and fills; leave the rest out of the recording."
    return UnsupportedError(f"the recording has {what}, which the program can't repeat", where="Trace.to_pyacl", advice=advice)


class Regions:
    """Which memory the program needs, and where in it an address of the recording lies."""

    def __init__(self, found: Sequence[Step]) -> None:
        spans = sorted((place.address, place.address + place.size) for step in found for place in (*step.reads, *step.writes) if place)
        self._starts: list[int] = []
        ends: list[int] = []
        for start, end in spans:
            start, end = start // ALIGNMENT * ALIGNMENT, -(-end // ALIGNMENT) * ALIGNMENT
            if ends and start <= ends[-1]:
                ends[-1] = max(ends[-1], end)
            else:
                self._starts.append(start)
                ends.append(end)
        self.sizes = [end - start for start, end in zip(self._starts, ends, strict=True)]

    def name(self, place: Place) -> str:
        region = bisect_right(self._starts, place.address) - 1
        offset = place.address - self._starts[region]
        return f"memory[{region}] + {offset}" if offset else f"memory[{region}]"


def write(path: Path, events: Sequence[Any]) -> Path:
    """Write the program and what it needs; see `Trace.to_pyacl`."""
    found = steps(events)
    launches = [step for step in found if step.kind == "launch"]
    if not launches:
        raise UnsupportedError("nothing was launched", where="Trace.to_pyacl", advice="Compute something inside the block.")
    stem = path.stem
    names = {"data": f"{stem}_data.npz", "models": f"{stem}_models", "output": f"{stem}_results.npz", "name": path.name}
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_models(path.parent / names["models"], dict.fromkeys(step.model for step in launches if step.model is not None))
    regions, data = Regions(found), dict[str, "np.ndarray[Any, np.dtype[np.uint8]]"]()
    lines = [_line(step, regions, data) for step in found]
    kept: dict[str, Any] = dict(data)
    np.savez(path.parent / names["data"], **kept)
    results = [f'    "result_{number}": {_read(place, tensor, regions)},' for number, (place, tensor) in enumerate(_results(found))]
    title = (
        f"Repeats {len(launches)} launches: {', '.join(dict.fromkeys(step.description.op_type for step in launches if step.description))}."
    )
    head = _HEAD.format(title=title, sizes=regions.sizes, **names)
    path.write_text("\n".join([head, *lines, _TAIL.format(results="\n".join(results), **names)]), encoding="utf-8")
    return path


def _write_models(folder: Path, models: Iterable[Description]) -> None:
    """The models as pyACL loads them, and their descriptions as ATC reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    described = []
    for model in models:
        if content := handle_cache.model(model):
            (folder / f"{model.file_name}.om").write_bytes(content)
        try:
            described.append(model.to_json())
        except CompileError:  # what no file of ATC's can say was compiled inside the process
            pass
    (folder / "operators.json").write_text(json.dumps(described, indent=1), encoding="utf-8")


def _results(found: Sequence[Step]) -> list[tuple[Place, TensorDescription]]:
    """What launches wrote and nothing read or wrote afterwards."""
    last: dict[int, tuple[Place, TensorDescription]] = {}
    for step in found:
        for place in (*step.reads, *step.writes):
            if place:
                for address in [each for each in last if place.address <= each < place.address + place.size]:
                    del last[address]
        if step.description is not None:
            for place, tensor in zip(step.writes, step.description.outputs, strict=True):
                if place and math.prod(tensor.shape):
                    last[place.address] = place, tensor
    return list(last.values())


def _line(step: Step, regions: Regions, data: dict[str, Any]) -> str:
    places = [regions.name(place) for place in (*step.writes, *step.reads) if place]
    if step.kind == "write":
        return f"write({places[0]}, {_stored(step.data, data)})"
    if step.kind == "copy":
        return f"copy({places[0]}, {places[1]}, {step.writes[0].size if step.writes[0] else 0})"
    if step.kind == "fill":
        return f"fill({places[0]}, {step.value}, {step.writes[0].size if step.writes[0] else 0})"
    description = step.description
    assert description is not None
    inputs, outputs = (
        "".join(f"\n        {_tensor(tensor, place, regions, data)}," for tensor, place in zip(tensors, given, strict=True))
        for tensors, given in ((description.inputs, step.reads), (description.outputs, step.writes))
    )
    attrs = "".join(f"\n        {_attribute(attr)}," for attr in description.attrs)
    return (
        f"# {step.function}: {description}\nlaunch(\n    {description.op_type!r},\n    [{inputs}\n    ],\n    [{outputs}\n    ],"
        + (f"\n    [{attrs}\n    ]," if attrs else "")
        + "\n)"
    )


def _stored(content: bytes, data: dict[str, Any]) -> str:
    key = f"d{len(data)}"
    data[key] = np.frombuffer(content, np.uint8)
    return repr(key)


def _tensor(tensor: TensorDescription, place: Place | None, regions: Regions, data: dict[str, Any]) -> str:
    if tensor.absent:
        return "tensor(UNDEFINED, [], form=UNDEFINED)"
    parts = [str(int(tensor.dtype)), str(list(tensor.shape))]
    if place:
        parts += [regions.name(place), str(place.size)]
    if tensor.format != 2:
        parts.append(f"form={int(tensor.format)}")
    if tensor.name and not tensor.dynamic_input:
        parts.append(f"name={tensor.name!r}")
    if tensor.dynamic_input:
        parts.append(f"name={tensor.name!r}, repeated={tensor.dynamic_input!r}")
    if tensor.const is not None:
        const = repr(tensor.const) if len(tensor.const) <= INLINE else f"DATA[{_stored(tensor.const, data)}].tobytes()"
        parts.append(f"const={const}")
    return f"tensor({', '.join(parts)})"


def _attribute(attr: Attribute) -> str:
    return f"({attr.kind!r}, {attr.name!r}, {_literal(attr.value, attr.kind)})"


def _literal(value: Any, kind: str) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_literal(item, kind) for item in value)}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(int(value)) if "bool" in kind else repr(value)


def _read(place: Place, tensor: TensorDescription, regions: Regions) -> str:
    name = _PACKAGES_OWN.get(DataType(tensor.dtype)) or from_acl(tensor.dtype).numpy.name
    return f"read({regions.name(place)}, {list(tensor.shape)}, {name!r})"
