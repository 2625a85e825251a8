"""``acl.op``: operator models, attributes, handles and single-operator execution.

Everything but the launch itself lies in ``engine``; the functions here parse arguments in the binding's manner, keep CANN's
order of checks and return its codes.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from operator import is_
from typing import Any, Final

import numpy as np

from ascendtensor import facts
from ascendtensor.codes import ErrorCode, Format

from . import kernels
from .engine import AclFault, attrs, contexts, errors_log, hazards, memory, tiling
from .engine.arguments import GIVEN, function, invalid, null, pointer_list, public
from .engine.attr_values import values_of
from .engine.attrs import Attributes
from .engine.container import ContainerFault, unpack
from .engine.diagnostics import dead, missing
from .engine.executing import attr_for, attributes_for, buffers_for, descs_for, match_model, repeated, run
from .engine.handles import REPEATED, OpHandle, Prepared
from .engine.launching import GE_FAILURE
from .engine.matching import TABLE, spec_of
from .engine.models import UNDEFINED, complete
from .engine.process import State
from .engine.streams import drain
from .engine.tables import ATTRS, HANDLES, LOCAL, DataBuffer, Stream, Task, TensorDesc, new_handle
from .kernels.registry import NUMPY_OF, Meta, Out
from .op_kernels import *  # noqa: F403

API_NOT_SUPPORT: Final = int(ErrorCode.API_NOT_SUPPORT)
INPUT_NOT_MATCH: Final = int(ErrorCode.OP_INPUT_NOT_MATCH)
OUTPUT_NOT_MATCH: Final = int(ErrorCode.OP_OUTPUT_NOT_MATCH)
READ_MODEL_FAILURE: Final = int(ErrorCode.READ_MODEL_FAILURE)
REPEAT_INITIALIZE: Final = int(ErrorCode.REPEAT_INITIALIZE)
NAME: Final = "acl.op.execute_with_handle"
SUFFIX: Final = ".om"
LEVELS: Final = 3


def __dir__() -> list[str]:
    return public(__name__)


# Models


@function("acl.op.set_model_dir", "s")
def set_model_dir(model_dir: str) -> int:
    """Loads every ``.om`` of three directory levels, once a process (OM-1 to OM-3)."""
    if TABLE.directory is not None:
        raise AclFault(REPEAT_INITIALIZE, f"the model directory is [{TABLE.directory}] already")
    if not model_dir:
        raise AclFault(READ_MODEL_FAILURE, "an empty path cannot be resolved")
    try:
        found = _model_files(os.path.realpath(model_dir, strict=True), LEVELS)
        for path in found:
            with open(path, "rb") as file:
                data = file.read()
            _insert_file(path, data)
    except OSError as error:
        raise AclFault(READ_MODEL_FAILURE, f"[{model_dir}] cannot be read: {error}") from error
    TABLE.directory = model_dir
    return 0


def _model_files(directory: str, levels: int) -> list[str]:
    found: list[str] = []
    for entry in sorted(os.scandir(directory), key=lambda entry: entry.name):
        if entry.is_dir():
            if levels > 1:
                found += _model_files(entry.path, levels - 1)
        elif entry.is_file() and entry.name.endswith(SUFFIX):
            found.append(entry.path)
    return found


def _insert_file(path: str, data: bytes) -> None:
    """A file with unusable contents is only worth a warning (OM-3)."""
    try:
        TABLE.insert(unpack(data, State.soc))
    except ContainerFault as fault:
        errors_log.report("EW0001", f"acl.op.set_model_dir: [{path}] was skipped: {fault}")


@function("acl.op.load", "KK")
def load(model_ptr: int, size: int) -> int:
    """Loads one model from host memory, which is copied (OM-4 to OM-7)."""
    if model_ptr == 0:
        raise null("model_ptr")
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    try:
        data = memory.host_bytes(model_ptr, size)
    except AclFault as fault:
        raise invalid("model_ptr", hex(model_ptr), fault.text) from fault
    try:
        TABLE.insert(unpack(data, State.soc))
    except ContainerFault as fault:
        raise AclFault(fault.code, str(fault)) from fault
    return 0


@function("acl.op.set_max_op_queue_num", "K")
def set_max_op_queue_num(count: int) -> int:
    """Number of models above which compiled ones age (OM-9)."""
    if count == 0:
        raise invalid("count", count, "must be greater than 0")
    State.max_op_queue = count
    tiling.Limit.count = count  # OM-12
    return 0


# Attributes


@function("acl.op.create_attr")
def create_attr() -> int:
    """An empty attribute object (ATTR-2)."""
    handle = new_handle()
    ATTRS[handle] = Attributes()
    return handle


@function("acl.op.destroy_attr", "K")
def destroy_attr(attr_handle: int) -> None:
    """Null is a no-op (ATTR-2)."""
    if attr_handle not in ATTRS and attr_handle:
        dead("attr", attr_handle, "attribute object")
    ATTRS.pop(attr_handle, None)


def _set(handle: int, name: str, kind: str, value: Any) -> int:
    attr_for(handle).set(name, kind, value)
    return 0


@function("acl.op.set_attr_bool", "KsI")
def set_attr_bool(attr_handle: int, attr_name: str, value: int) -> int:
    """The value counts modulo 256 (PY-11, ATTR-5)."""
    return _set(attr_handle, attr_name, "bool", value & 0xFF != 0)


@function("acl.op.set_attr_int", "KsL")
def set_attr_int(attr_handle: int, attr_name: str, value: int) -> int:
    """64 bits."""
    return _set(attr_handle, attr_name, "int", value)


@function("acl.op.set_attr_float", "Ksf")
def set_attr_float(attr_handle: int, attr_name: str, value: float) -> int:
    """Stored as float32 (PY-11)."""
    return _set(attr_handle, attr_name, "float", attrs.round_float32(value))


@function("acl.op.set_attr_string", "Kss")
def set_attr_string(attr_handle: int, attr_name: str, value: str) -> int:
    """The text is copied."""
    return _set(attr_handle, attr_name, "string", value)


@function("acl.op.set_attr_data_type", "Ksi", GIVEN)
def set_attr_data_type(attr_handle: int, attr_name: str, data_type: int) -> tuple[int, int]:
    """Two results, unlike the others (PY-7)."""
    return attr_handle, _set(attr_handle, attr_name, "data_type", data_type)


@function("acl.op.set_attr_list_bool", "KsO")
def set_attr_list_bool(attr_handle: int, attr_name: str, values: Any) -> int:
    """Ints of 0 to 255 (PY-10)."""
    return _set(attr_handle, attr_name, "list_bool", values_of("acl.op.set_attr_list_bool", "list_bool", values))


@function("acl.op.set_attr_list_int", "KsO")
def set_attr_list_int(attr_handle: int, attr_name: str, values: Any) -> int:
    """Python ints (PY-10)."""
    return _set(attr_handle, attr_name, "list_int", values_of("acl.op.set_attr_list_int", "list_int", values))


@function("acl.op.set_attr_list_float", "KsO")
def set_attr_list_float(attr_handle: int, attr_name: str, values: Any) -> int:
    """Python floats, ints refused (PY-10)."""
    return _set(attr_handle, attr_name, "list_float", values_of("acl.op.set_attr_list_float", "list_float", values))


@function("acl.op.set_attr_list_string", "KsO")
def set_attr_list_string(attr_handle: int, attr_name: str, values: Any) -> int:
    """Strings."""
    return _set(attr_handle, attr_name, "list_string", values_of("acl.op.set_attr_list_string", "list_string", values))


@function("acl.op.set_attr_list_list_int", "KsO")
def set_attr_list_list_int(attr_handle: int, attr_name: str, values: Any) -> int:
    """A list of lists of ints, of any lengths (PY-11)."""
    return _set(attr_handle, attr_name, "list_list_int", values_of("acl.op.set_attr_list_list_int", "list_list_int", values))


@function("acl.op.set_attr_list_data_type", "KsO", GIVEN)
def set_attr_list_data_type(attr_handle: int, attr_name: str, values: Any) -> tuple[int, int]:
    """Two results, as ``set_attr_data_type`` (PY-7)."""
    converted = values_of("acl.op.set_attr_list_data_type", "list_data_type", values)
    return attr_handle, _set(attr_handle, attr_name, "list_data_type", converted)


def _execute(name: str, args: tuple[Any, ...], refresh: bool) -> int:
    op_type, in_desc_list, inputs, out_desc_list, outputs, attr_handle, stream = args
    in_descs, in_buffers = pointer_list(name, in_desc_list), pointer_list(name, inputs)
    out_descs, out_buffers = pointer_list(name, out_desc_list), pointer_list(name, outputs)
    descs = descs_for("in_desc_list", in_descs, len(in_buffers)), descs_for("out_desc_list", out_descs, len(out_buffers))
    return run(op_type, descs, (in_buffers, out_buffers), attributes_for(attr_handle), stream, refresh)


# Execution without a handle


@function("acl.op.execute", "sOOOOKK")
def execute(*args: Any) -> int:
    """The old call: buffers less checked, output descriptions never refreshed (OP-2)."""
    return _execute("acl.op.execute", args, False)


@function("acl.op.execute_v2", "sOOOOKK")
def _first_execute(*args: Any) -> int:
    """With every check, in CANN's order (OP-1, OP-12, OP-13)."""
    return _execute("acl.op.execute_v2", args, True)


def execute_v2(*args: Any, **keywords: Any) -> int:
    """Matches and launches; of a dynamic model the output dims are written back (OP-1, OP-12, OP-13)."""
    if REPEATED and not keywords and repeated(args):
        return 0
    return _first_execute(*args, **keywords)


vars(execute_v2)["failure"] = vars(_first_execute).pop("failure")
execute_v2.__module__ = "acl.op"


# Handles


def make_handle(op_type: str, inputs: list[TensorDesc], outputs: list[TensorDesc], attributes: Attributes) -> int:
    """HD-1 to HD-5."""
    for parameter, descs in (("in_desc_list", inputs), ("out_desc_list", outputs)):
        for index, desc in enumerate(descs):
            if desc.placement and desc.const is None:
                raise AclFault(API_NOT_SUPPORT, f"{parameter}[{index}] is placed on the host, which a handle does not support")
    model = match_model(op_type, inputs, outputs, attributes)
    handle = new_handle()
    kind = tiling.TilingHandle if isinstance(model.kernel, tiling.TilingKernel) else OpHandle
    HANDLES[handle] = kind(model, tuple(map(spec_of, inputs)), tuple(map(spec_of, outputs)), handle)
    return handle


@function("acl.op.create_handle", "sOOK", 0)
def create_handle(op_type: str, in_desc_list: Any, out_desc_list: Any, attr_handle: int) -> tuple[int, int]:
    """(handle, ret); the model is resolved here (HD-1 to HD-5)."""
    name = "acl.op.create_handle"
    in_descs, out_descs = pointer_list(name, in_desc_list), pointer_list(name, out_desc_list)
    inputs = descs_for("in_desc_list", in_descs, len(in_descs))
    outputs = descs_for("out_desc_list", out_descs, len(out_descs))
    return make_handle(op_type, inputs, outputs, attributes_for(attr_handle)), 0


@function("acl.op.destroy_handle", "K")
def destroy_handle(handle: int) -> None:
    """Null is a no-op; queued work goes on (HD-13)."""
    record: OpHandle | None = HANDLES.get(handle)
    if record is not None:
        hazards.check_handle(record.prepared, record.model.op_type)
        HANDLES.pop(handle, None)
        record.prepared.close()
    elif handle:
        dead("handle", handle, "operator handle")


def execute_with_handle(handle: Any, inputs: Any, outputs: Any, stream: Any, /) -> int:
    """Launches on buffers; a task prepared for these very buffers is only put on the stream (HD-7 to HD-11).

    What reaches a prepared task has passed every check before: the lookups here are the price of a launch. A number is taken for
    granted only if it is the very object seen before: an equal one may be a float or of NumPy, which the binding refuses (PY-3,
    PY-5). A parameter for extra arguments would cost a tenth of it; see below how a wrong number of them is answered.
    """
    try:
        target = LOCAL.streams[stream]
        head = outputs[0]
        known_inputs, known_outputs, first, last, end, out, known, wide, task = target.launches[handle][head]
        if (
            (stream is not target.handle and stream is not _ZERO)
            or handle is not known
            or head is not out
            or inputs[0] is not first
            or inputs[end] is not last
            or (known_inputs == inputs) is not True
            or (known_outputs == outputs) is not True
            or (wide and not (all(map(is_, known_inputs, inputs)) and all(map(is_, known_outputs, outputs))))
        ):
            task = _known_task(handle, inputs, outputs, stream, target)
    except (LookupError, TypeError, ValueError):
        return _first_launch(handle, inputs, outputs, stream)
    queue = target.queue
    queue.append(task)
    if len(queue) > target.limit:
        drain(target)
    return 0


_ZERO: Final = 0


def _known_task(handle: Any, inputs: Any, outputs: Any, stream: Any, target: Stream) -> Task:
    """The prepared task of buffers that were not the newest ones, or came as other objects of the same value.

    Raises:
        LookupError: There is none.
        TypeError: The arguments may be of a wrong type.
    """
    if type(inputs) is not list or type(outputs) is not list:
        raise TypeError
    if not all([type(number) is int for number in [handle, stream, *inputs, *outputs]]):
        raise TypeError
    prepared: Prepared = HANDLES[handle].prepared
    task: Task = prepared[tuple([*inputs, target.device, *outputs])][-1]
    prepared.keep(inputs[:], target.device, outputs[:], task)
    return task


@function(NAME, "KOOK")
def _first_launch(handle: int, inputs: Any, outputs: Any, stream: int) -> int:
    """The same with every check, in CANN's order (HD-7 to HD-10); the prepared task is kept."""
    in_handles, out_handles = pointer_list(NAME, inputs), pointer_list(NAME, outputs)
    record: OpHandle | None = HANDLES.get(handle)
    if record is None:
        raise missing("handle", handle, "operator handle")
    in_buffers = buffers_for("inputs", in_handles, False)
    out_buffers = buffers_for("outputs", out_handles, False)
    if out_buffers and not any(buffer.size for buffer in out_buffers):
        return 0
    if len(in_buffers) != len(record.inputs):
        raise AclFault(INPUT_NOT_MATCH, f"{record.model.op_type}: the handle has {len(record.inputs)} inputs, {len(in_buffers)} given")
    if len(out_buffers) != len(record.outputs):
        raise AclFault(OUTPUT_NOT_MATCH, f"{record.model.op_type}: the handle has {len(record.outputs)} outputs, {len(out_buffers)} given")
    target = contexts.stream_for(stream)
    task = record.task(in_buffers, out_buffers, target.device)
    target.queue.append(task)
    if len(target.queue) > target.limit:
        drain(target)
    return 0


vars(execute_with_handle)["failure"] = vars(_first_launch).pop("failure")
execute_with_handle.__module__ = "acl.op"
execute_with_handle.__qualname__ = f"{NAME} args parse failed: execute_with_handle"
"""What Python's TypeError for a wrong number of arguments starts with (PY-2)."""


# Cast


def _cast_attrs(truncate: int, dst: TensorDesc) -> Attributes:
    """``dst_type``, and ``truncate`` only if some loaded Cast model declares it (BL-1, BL-2)."""
    found = Attributes()
    found.set("dst_type", "int", dst.dtype)
    if TABLE.cast_truncates:
        found.set("truncate", "bool", truncate != 0)
    return found


@function("acl.op.cast", "KKKKIK")
def cast(src_desc: int, src_buffer: int, dst_desc: int, dst_buffer: int, truncate: int, stream: int) -> int:
    """``execute_v2`` of "Cast" with attribute ``dst_type`` (BL-1)."""
    if dst_desc == 0:
        raise null("dst_desc")
    inputs, outputs = descs_for("src_desc", [src_desc], 1), descs_for("dst_desc", [dst_desc], 1)
    attributes = _cast_attrs(truncate & 0xFF, outputs[0])
    return run("Cast", (inputs, outputs), ([src_buffer], [dst_buffer]), attributes, stream, True)


@function("acl.op.create_handle_for_cast", "KKI", 0)
def create_handle_for_cast(src_desc: int, dst_desc: int, truncate: int) -> tuple[int, int]:
    """(handle, ret) of the same operator (BL-3)."""
    if dst_desc == 0:
        raise null("dst_desc")
    inputs, outputs = descs_for("src_desc", [src_desc], 1), descs_for("dst_desc", [dst_desc], 1)
    return make_handle("Cast", inputs, outputs, _cast_attrs(truncate & 0xFF, outputs[0])), 0


# Shape inference


@function("acl.op.infer_shape", "sOOiOK")
def infer_shape(op_type: str, in_desc_list: Any, inputs: Any, num_outputs: int, out_desc_list: Any, attr_handle: int) -> int:
    """Writes the outputs' types, dims and ranges into their descriptions; input values are read from host memory (INF)."""
    name = "acl.op.infer_shape"
    in_descs, in_buffers = pointer_list(name, in_desc_list), pointer_list(name, inputs)
    out_descs = pointer_list(name, out_desc_list)
    if num_outputs < 0:
        raise invalid("num_outputs", num_outputs, "must not be negative")
    descs = descs_for("in_desc_list", in_descs, len(in_buffers))
    targets = descs_for("out_desc_list", out_descs, num_outputs)
    buffers = buffers_for("inputs", in_buffers, True)
    for index, buffer in enumerate(buffers):
        if buffer.size == 0:
            raise invalid(f"inputs[{index}]", 0, "every input needs a buffer with a length greater than 0")
    operator = facts.operator(op_type)
    if operator is None:
        raise invalid("op_type", op_type, "no such operator type")
    _check_names(operator, descs)
    metas = [_meta(index, desc, buffer) for index, (desc, buffer) in enumerate(zip(descs, buffers, strict=True))]
    results = _infer(op_type, metas, complete(op_type, attributes_for(attr_handle)), num_outputs)
    layout = descs[0].format if descs and descs[0].format != int(Format.UNDEFINED) else int(Format.ND)
    for index, (desc, out) in enumerate(zip(targets, results, strict=True)):
        _overwrite(desc, out, layout, _output_name(operator, index))
    return 0


def _infer(op_type: str, metas: list[Meta], arguments: dict[str, Any], num_outputs: int) -> list[Out]:
    rule = kernels.infer_rule(op_type)
    if rule is None:
        raise AclFault(GE_FAILURE, f"the simulator has no shape rule of {op_type}")
    try:
        results = rule(metas, arguments, num_outputs)
    except (ValueError, TypeError, IndexError, KeyError) as error:
        raise AclFault(GE_FAILURE, f"shape inference of {op_type} failed: {error}") from error
    if len(results) != num_outputs:
        raise AclFault(GE_FAILURE, f"{op_type} has {len(results)} outputs here, num_outputs is {num_outputs}")
    return results


def _meta(index: int, desc: TensorDesc, buffer: DataBuffer) -> Meta:
    """An input with its values, read where they lie on the host (INF-3)."""
    dims = tuple(desc.dims)
    dtype = NUMPY_OF.get(desc.dtype)
    if dtype is None or any(dim < 0 for dim in dims):
        return Meta(desc.dtype, dims)
    count = 1
    for dim in dims:
        count *= dim
    nbytes = count * dtype.itemsize
    if buffer.size < nbytes:
        raise AclFault(GE_FAILURE, f"input {index} needs {nbytes} bytes, its buffer has {buffer.size}")
    try:
        data = memory.host_array(buffer.address, nbytes)
    except AclFault as fault:
        raise invalid(f"inputs[{index}]", hex(buffer.address), f"infer_shape reads host memory: {fault.text}") from fault
    value: Any = np.ndarray(dims, dtype, data)
    value.flags.writeable = False
    return Meta(desc.dtype, dims, value)


def _check_names(operator: facts.Operator, descs: Sequence[TensorDesc]) -> None:
    """With a repeated input, every input needs its IR name, a repeated one with its index behind (INF-6)."""
    if all(parameter.kind != "dynamic" for parameter in operator.inputs):
        return
    plain = {parameter.name for parameter in operator.inputs if parameter.kind != "dynamic"}
    repeated = [parameter.name for parameter in operator.inputs if parameter.kind == "dynamic"]
    for index, desc in enumerate(descs):
        stem = desc.name.rstrip("0123456789")
        if desc.name not in plain and not (desc.name != stem and stem in repeated):
            names = ", ".join([*plain, *(f"{name}0.." for name in repeated)])
            raise AclFault(GE_FAILURE, f"input {index} of {operator.op_type} has name [{desc.name}], set_tensor_desc_name takes {names}")


def _output_name(operator: facts.Operator, index: int) -> str:
    """IR name of an output; the last, repeated one with its index."""
    for position, parameter in enumerate(operator.outputs):
        if parameter.kind == "dynamic":
            return f"{parameter.name}{index - position}"
        if position == index:
            return parameter.name
    return ""


def _overwrite(desc: TensorDesc, out: Out, layout: int, name: str) -> None:
    """INF-7."""
    if out.dtype != UNDEFINED:
        desc.dtype = out.dtype
    desc.spec = None
    desc.format = layout
    desc.name = name
    desc.dims = list(out.shape)
    desc.storage_dims = list(out.shape)
    desc.ranges = []
    if out.shape != (-2,) and any(dim < 0 for dim in out.shape):
        bounds = out.ranges or tuple((0, -1) for _ in out.shape)
        desc.ranges = [(dim, dim) if dim >= 0 else (low, high) for dim, (low, high) in zip(out.shape, bounds, strict=True)]
