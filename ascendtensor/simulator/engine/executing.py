"""From what a call of ``acl.op`` is given by handles to an operator on a stream: its descriptions and buffers, its model, its task.

CANN's order of checks is kept (OP-1, OP-2, OM-21). Launches through handles are in ``handles``; this is the way without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ascendtensor.codes import DataType, ErrorCode, Format, Placement

from . import AclFault, attrs, contexts, memory, tiling
from .arguments import invalid
from .attrs import Attributes
from .diagnostics import missing
from .handles import REPEATED, OpHandle, Repeated, keep_repeated
from .launching import check_counts, fail, launch
from .matching import TABLE, Query, query_of, spec_of
from .models import OpModel, TensorSpec
from .streams import Hooks, enqueue, finish, named
from .tables import ATTRS, BUFFERS, DESCS, LOCAL, DataBuffer, TensorDesc

HOST: Final = int(Placement.HOST)


# What is given


def attr_for(handle: int) -> Attributes:
    found: Attributes | None = ATTRS.get(handle)
    if found is None:
        raise missing("attr", handle, "attribute object")
    return found


def descs_for(parameter: str, handles: Sequence[int], count: int) -> list[TensorDesc]:
    """Descriptors as far as the buffer list reaches; a missing one is null (PY-8)."""
    plain = [DESCS.get(handle) for handle in handles[:count]]
    if len(plain) == count and all([desc is not None and not desc.dynamic_input for desc in plain]):
        return plain  # type: ignore[return-value]
    found: list[TensorDesc] = []
    for index in range(count):
        handle = handles[index] if index < len(handles) else 0
        desc = DESCS.get(handle)
        if desc is None:
            raise missing(f"{parameter}[{index}]", handle, "tensor descriptor")
        name = desc.dynamic_input
        if name and found and found[-1].dynamic_input != name and any(other.dynamic_input == name for other in found):
            raise invalid(f"{parameter}[{index}]", name, "the members of a repeated input must follow each other")  # TD-20
        found.append(desc)
    return found


def buffers_for(parameter: str, handles: Sequence[int], addressed: bool) -> list[DataBuffer]:
    found: list[DataBuffer] = []
    for index, handle in enumerate(handles):
        buffer = BUFFERS.get(handle)
        if buffer is None:
            raise missing(f"{parameter}[{index}]", handle, "data buffer")
        if addressed and buffer.address == 0 and buffer.size > 0:
            raise invalid(f"{parameter}[{index}]", 0, f"a buffer of {buffer.size} bytes has no address")
        found.append(buffer)
    return found


def attributes_for(handle: int) -> Attributes:
    """Null and an empty object are the same (ATTR-9)."""
    return attrs.EMPTY if handle == 0 else attr_for(handle)


# Its model


def match_model(op_type: str, inputs: Sequence[TensorDesc], outputs: Sequence[TensorDesc], attributes: Attributes) -> OpModel:
    """The model of a call.

    Raises:
        AclFault: 100024 or 100000 (OM-21).
    """
    return _matched(query_of(op_type, inputs, outputs, attributes))


def _matched(query: Query) -> OpModel:
    prepared = tiling.find(query)
    if prepared is not None:
        return prepared
    model, code = TABLE.find(query)
    if model is None:
        raise AclFault(code, _miss(query, code))
    return model


def _miss(query: Query, code: int) -> str:
    op_type = query.op_type
    given = _said(*query.specs, query.attrs)
    if code != int(ErrorCode.OP_NOT_FOUND):
        return f"a description of {op_type} leaves a dim open: {given}"
    known = TABLE.of_type(op_type)
    there = "".join(f"; loaded: {_said(model.inputs, model.outputs, model.attrs)}" for model in known[:3])
    return f"no operator model matches {op_type} with {given}; {len(known)} models of {op_type} are loaded, {TABLE.count} in all{there}"


def _said(inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec], attributes: Attributes) -> str:
    """A call's or a model's descriptions in words, for messages."""
    values = {name: value for name, (_, value) in attributes.values.items()}
    return f"inputs {', '.join(map(_spec, inputs)) or 'none'}, outputs {', '.join(map(_spec, outputs)) or 'none'}, attrs {values}"


def _spec(spec: TensorSpec) -> str:
    if spec.absent:
        return "nothing"
    layouts = [
        Format(number).name if number in set(Format) else str(number) for number in dict.fromkeys((spec.format, spec.storage_format))
    ]
    kind = DataType(spec.dtype).name.lower() if spec.dtype in set(DataType) else f"dtype {spec.dtype}"
    constant = "" if spec.const is None else f" constant of {len(spec.const)} bytes"
    placed = " in host memory" if spec.placement == Placement.HOST and spec.const is None else ""
    ranges = f" within {[list(each) for each in spec.ranges]}" if spec.ranges else ""
    return f"{kind}{list(spec.dims)} {'/'.join(name for name in layouts if name != 'UNDEFINED')}{ranges}{constant}{placed}"


def _match_hosted(query: Query, buffers: Sequence[DataBuffer]) -> OpModel:
    """As ``match_model``, host-placed inputs first taken as constants of the bytes they hold now (OM-27)."""
    prepared = tiling.find(query)
    if prepared is not None:
        return prepared
    inputs, outputs = query.specs
    pretended = tuple(
        [
            spec.with_const(memory.host_bytes(buffer.address, buffer.size))
            if spec.placement == HOST and spec.const is None and buffer.size
            else spec
            for spec, buffer in zip(inputs, buffers, strict=True)
        ]
    )
    model = TABLE.find_static(Query(query.op_type, pretended, outputs, query.attrs))
    return model if model is not None else _matched(query)


# Its launch


def all_empty(descs: Sequence[TensorDesc]) -> bool:
    """At least one output, and a zero dim in each (OP-1, OP-4)."""
    return bool(descs) and False not in [0 in desc.dims for desc in descs]


def run(
    op_type: str,
    descs: tuple[list[TensorDesc], list[TensorDesc]],
    handles: tuple[Sequence[int], Sequence[int]],
    attributes: Attributes,
    stream: int,
    refresh: bool,
    believes: bool = True,
) -> int:
    """Checks in CANN's order, matches and launches (OP-1, OP-2); ``believes`` as of ``launching.launch``."""
    inputs, outputs = descs
    if all_empty(outputs):
        return 0
    in_buffers = buffers_for("inputs", handles[0], refresh)
    out_buffers = buffers_for("outputs", handles[1], refresh)
    query = query_of(op_type, inputs, outputs, attributes)
    hosted = any([desc.placement for desc in inputs])
    model = _match_hosted(query, in_buffers) if hosted else _matched(query)
    target = contexts.stream_for(stream)
    if not model.dynamic and Hooks.task_filter is None and not hosted:
        check_counts(model, len(in_buffers), len(out_buffers))
        enqueue(target, *_executor(model).task(in_buffers, out_buffers, target.device))
        return 0
    dims, task, measured = launch(model, query.specs, in_buffers, out_buffers, target, refresh, believes)
    if refresh and dims is not None:
        _write_back(outputs, query.specs[1], dims)
        if task is not None and task[0] is not fail and not hosted and Hooks.task_filter is None:
            specs, found = [*query.specs[0], *query.specs[1]], (TABLE.changes, TABLE.dynamic_first)
            told = None if measured else dims
            repeated = Repeated(specs, dict(attributes.values), found, model, target.device, told, task)
            keep_repeated((op_type, *inputs, *handles[0], attributes, *outputs, *handles[1]), repeated, in_buffers + out_buffers)
    return 0


def _write_back(outputs: Sequence[TensorDesc], specs: Sequence[TensorSpec], dims: Sequence[Sequence[int]]) -> None:
    """The exact dims into the caller's descriptions; constants are skipped (OP-13)."""
    for desc, spec, shape in zip(outputs, specs, dims, strict=True):
        if desc.const is None:
            if spec.dims != shape:
                desc.dims = [*map(int, shape)]
                desc.spec = None
            desc.storage_dims = desc.dims


def repeated(args: tuple[Any, ...]) -> bool:
    """Launch once more what was launched before, if all of it is in order and nothing has changed what the call would find.

    Returns:
        False where nothing was done: the long road does it, or says what is wrong.
    """
    try:
        op_type, in_desc_list, inputs, out_desc_list, outputs, attr_handle, stream = args
        if {*map(type, (*in_desc_list, *inputs, *out_desc_list, *outputs, attr_handle, stream))} != _INTS:
            return False
        descs, results = [*map(_desc_of, in_desc_list)], [*map(_desc_of, out_desc_list)]
        attributes = ATTRS[attr_handle] if attr_handle else attrs.EMPTY
        key = (op_type, *descs, *inputs, attributes, *results, *outputs)
        specs, said, found, model, device, dims, (fn, arguments) = REPEATED[key]
        target = LOCAL.streams[stream]
    except (LookupError, TypeError, ValueError):
        return False
    if (
        not in_desc_list.__class__ is inputs.__class__ is out_desc_list.__class__ is outputs.__class__ is list
        or [desc.spec or spec_of(desc) for desc in (*descs, *results)] != specs
        or said != attributes.values
        or found != (TABLE.changes, TABLE.dynamic_first)
        or device != target.device
        or Hooks.task_filter is not None
        or op_type in tiling.SELECTORS
    ):
        return False
    TABLE.matched(model)
    if dims is None:
        dims = []  # of this launch alone: other threads may launch the same run
        finish(target, fn, (dims,))
    else:
        enqueue(target, *named(model, (fn, arguments)))
    if dims:
        _write_back(results, specs[len(descs) :], dims)
    return True


_INTS: Final = {int}
_desc_of: Final = DESCS.__getitem__


def _executor(model: OpModel) -> OpHandle:
    """The prepared tasks of a static model's launches without handle, as CANN keeps an executor per model (HD-10)."""
    executor: OpHandle | None = model.executor
    if executor is None:
        executor = model.executor = OpHandle(model, model.inputs, model.outputs)
    return executor
