"""CANN's compiler inside the process, as the simulator has it: `aclopCompile`, `aclopCompileAndExecuteV2`, `aclSetCompileopt`.

pyACL has none of these (PY-9), so nothing here is part of the module `acl`. Whoever stands in for libacl_op_compiler.so calls them: a
library of a test, or the frontend's compiler "simulated-online". Rules OM-9 to OM-18, OP-3, K132 to K134.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final

from ascendtensor import facts
from ascendtensor.codes import ErrorCode, Placement

from .engine import AclFault, executing, memory
from .engine.arguments import function, invalid, null
from .engine.compile import CompileFailure, model_from
from .engine.executing import all_empty, attributes_for, buffers_for, descs_for
from .engine.matching import TABLE, query_of, spec_of
from .engine.models import Dims, OpModel, Ranges, TensorSpec
from .engine.process import State
from .engine.tables import ON_FINALIZE, ON_NEW_PROCESS, DataBuffer, TensorDesc

API_NOT_SUPPORT: Final = int(ErrorCode.API_NOT_SUPPORT)
FEATURE_UNSUPPORTED: Final = int(ErrorCode.FEATURE_UNSUPPORTED)
INTERNAL: Final = int(ErrorCode.INTERNAL_ERROR)
FAILURE: Final = int(ErrorCode.FAILURE)
GE_FAILURE: Final = int(ErrorCode.GE_FAILURE)

SYS: Final = 0
UNREGISTERED: Final = 1
UNKNOWN_RANK: Final = [-2]
OPTION_LENGTH: Final = 256
PREBUILT: Final = ("Ascend910B", "Ascend910_93")
"""Chips whose CANN comes with compiled kernels, so that JIT is off from the first compile on (OM-18)."""


class Option(IntEnum):
    """aclCompileOpt (acl/acl_op_compiler.h)."""

    PRECISION_MODE = 0
    AICORE_NUM = 1
    AUTO_TUNE_MODE = 2
    OP_SELECT_IMPL_MODE = 3
    OPTYPELIST_FOR_IMPLMODE = 4
    OP_DEBUG_LEVEL = 5
    DEBUG_DIR = 6
    OP_COMPILER_CACHE_MODE = 7
    OP_COMPILER_CACHE_DIR = 8
    OP_PERFORMANCE_MODE = 9
    OP_JIT_COMPILE = 10
    OP_DETERMINISTIC = 11
    CUSTOMIZE_DTYPES = 12
    OP_PRECISION_MODE = 13
    ALLOW_HF32 = 14
    PRECISION_MODE_V2 = 15
    OP_DEBUG_OPTION = 16


class Compiled:
    """What this process set and did."""

    options: Final[dict[int, str]] = {}
    count = 0
    """Models built so far; what matched already is not built (OM-14)."""
    begun = False
    """Whether the compiler was started, as the first call of any of these functions does."""
    ended = False
    """Whether acl.finalize ended it. It is started once a process (graph engine, OpCompileProcessor and LocalCompiler::Init), and
    acl.finalize ends the graph engine below it (AclOpCompilerFinalizeCallbackFunc), so another acl.init does not bring it back."""


def _forget() -> None:
    Compiled.options.clear()
    Compiled.count = 0
    Compiled.begun = Compiled.ended = False


def _end() -> None:
    Compiled.ended = Compiled.begun


ON_NEW_PROCESS.append(_forget)
ON_FINALIZE.append(_end)


@function("aclSetCompileopt", "iO")
def set_compile_option(option: int, value: str | None) -> int:
    """OM-17, K134."""
    if value is None:
        raise null("value")
    if option == Option.AUTO_TUNE_MODE:
        raise AclFault(FEATURE_UNSUPPORTED, "the auto-tune mode was discarded")
    if option not in list(Option):
        raise AclFault(INTERNAL, f"[{option}] is no compile option")
    Compiled.begun = True
    Compiled.options[option] = value
    if option == Option.OP_JIT_COMPILE:
        TABLE.dynamic_first = value == "disable"
    return 0


@function("aclGetCompileopt", "ii", None)
def get_compile_option(option: int, length: int) -> tuple[str | None, int]:
    """(value, code); only JIT can be read (OM-17)."""
    if option != Option.OP_JIT_COMPILE:
        raise AclFault(API_NOT_SUPPORT, f"option [{option}] can't be read")
    if length < OPTION_LENGTH:
        raise AclFault(FAILURE, f"the buffer has {length} bytes, {OPTION_LENGTH} are needed")
    return Compiled.options.get(option, "enable"), 0


def _checked_descs(
    op_type: str | None, counts: tuple[int, int], descs: tuple[Any, Any], flag: int
) -> tuple[list[TensorDesc], list[TensorDesc]]:
    """The first checks of both calls, in their order (OM-13, OP-3)."""
    for parameter, count in zip(("numInputs", "numOutputs"), counts, strict=True):
        if count < 0:
            raise invalid(parameter, count, "must not be negative")
    if flag not in (SYS, UNREGISTERED):
        raise AclFault(API_NOT_SUPPORT, f"compile flag [{flag}] is neither ACL_COMPILE_SYS nor ACL_COMPILE_UNREGISTERED")
    if op_type is None:
        raise null("opType")
    found = []
    for parameter, count, handles in zip(("inputDesc", "outputDesc"), counts, descs, strict=True):
        if handles is None and count:
            raise null(parameter)
        found.append(descs_for(parameter, handles or [], count))
    return found[0], found[1]


def _check_path(flag: int, path: str | None) -> None:
    if flag == UNREGISTERED and path is None:
        raise null("opPath")


@function("aclopCompile", "OiOiOKiiO")
def compile_operator(
    op_type: str | None,
    num_inputs: int,
    inputs: Sequence[int] | None,
    num_outputs: int,
    outputs: Sequence[int] | None,
    attr: int,
    engine: int,
    flag: int,
    path: str | None,
) -> int:
    """Builds and registers a model unless one matches (OM-13 to OM-15)."""
    given, results = _checked_descs(op_type, (num_inputs, num_outputs), (inputs, outputs), flag)
    for parameter, descs in (("inputDesc", given), ("outputDesc", results)):
        for index, desc in enumerate(descs):
            if desc.placement and desc.const is None:
                raise AclFault(API_NOT_SUPPORT, f"{parameter}[{index}] is placed on the host")
    _check_path(flag, path)
    assert op_type is not None
    _compile(op_type, given, results, attr)
    return 0


def _compile(op_type: str, inputs: list[TensorDesc], outputs: list[TensorDesc], attr: int) -> None:
    Compiled.begun = True
    if Option.OP_JIT_COMPILE not in Compiled.options and State.soc.startswith(PREBUILT):
        Compiled.options[Option.OP_JIT_COMPILE] = "disable"
        TABLE.dynamic_first = True
    attributes = attributes_for(attr)
    _check_ranges(inputs, outputs)
    if TABLE.find(query_of(op_type, inputs, outputs, attributes))[0] is not None:
        return
    if Compiled.ended:
        raise AclFault(GE_FAILURE, "E19999: Inner Error! Get GELib failed: acl.finalize ended the compiler, which starts once a process")
    members = [desc.dynamic_input for desc in inputs], [desc.dynamic_input for desc in outputs]
    try:
        model = model_from(op_type, tuple(map(spec_of, inputs)), tuple(map(spec_of, outputs)), attributes, members, State.soc)
    except CompileFailure as failure:
        raise AclFault(GE_FAILURE, failure.text) from failure
    operator = facts.operator(op_type)
    if operator is not None and operator.data_dependent_shape:
        model.dynamic = True  # OM-26: its outputs' dims are found by the run, however exact the descriptions are
    if TABLE.dynamic_first:
        model = _generalised(model)
    Compiled.count += TABLE.insert(model)


def _generalised(model: OpModel) -> OpModel:
    """What the compiler makes of a model where JIT is off: one for all dims of the ranks, with outputs of any rank.

    Graph engine: ge.shape_generalized (SetJitCompileDefaultValue, FEGraphOptimizer::ShapeAndValueGeneralize, CreateGeneralizedBuildAttrs).
    Constants stay; where there is nothing to be opened, the model stays as it is.
    """
    inputs = tuple([_opened(spec) for spec in model.inputs])
    if not any(spec.dynamic for spec in inputs):
        return model
    outputs = [spec if spec.ignored else _reshaped(spec, (-2,), ()) for spec in model.outputs]
    return OpModel(model.op_type, inputs, tuple(outputs), model.attrs, online=True)


def _opened(spec: TensorSpec) -> TensorSpec:
    rank = len(spec.dims)
    return spec if spec.ignored or spec.dynamic or not rank else _reshaped(spec, (-1,) * rank, ((1, -1),) * rank)


def _reshaped(spec: TensorSpec, dims: Dims, ranges: Ranges) -> TensorSpec:
    return TensorSpec(spec.dtype, spec.format, spec.storage_format, dims, ranges, spec.const, spec.placement)


def _check_ranges(inputs: list[TensorDesc], outputs: list[TensorDesc]) -> None:
    """OM-15, K133."""
    for parameter, descs in (("inputDesc", inputs), ("outputDesc", outputs)):
        for index, desc in enumerate(descs):
            if -2 in desc.dims and (desc.dims != UNKNOWN_RANK or desc.ranges):
                raise invalid(f"{parameter}[{index}]", desc.dims, "an unknown rank is a single -2 without ranges")
            if parameter == "inputDesc" and -1 in desc.dims and len(desc.ranges) != len(desc.dims):
                raise invalid(f"{parameter}[{index}]", desc.ranges, f"an unknown dim needs a range for each of the {len(desc.dims)} dims")


@function("aclopCompileAndExecuteV2", "OiOOiOOKiiOK")
def compile_and_execute_v2(
    op_type: str | None,
    num_inputs: int,
    inputs: Sequence[int] | None,
    input_buffers: Sequence[int] | None,
    num_outputs: int,
    outputs: Sequence[int] | None,
    output_buffers: Sequence[int] | None,
    attr: int,
    engine: int,
    flag: int,
    path: str | None,
    stream: int,
) -> int:
    """Builds what does not match yet and launches; real output dims are written back (OP-3, OP-13)."""
    given, results = _checked_descs(op_type, (num_inputs, num_outputs), (inputs, outputs), flag)
    for parameter, count, handles in (("inputs", num_inputs, input_buffers), ("outputs", num_outputs, output_buffers)):
        if handles is None and count:
            raise null(parameter)
    sources, targets = list(input_buffers or ())[:num_inputs], list(output_buffers or ())[:num_outputs]
    buffers = buffers_for("inputs", sources, True)
    buffers_for("outputs", targets, True)
    if all_empty(results):
        return 0
    _check_path(flag, path)
    assert op_type is not None
    _compile(op_type, _as_compiled(given, buffers), results, attr)
    return executing.run(op_type, (given, results), (sources, targets), attributes_for(attr), stream, True, False)


def _as_compiled(descs: list[TensorDesc], buffers: Sequence[DataBuffer]) -> list[TensorDesc]:
    """Inputs placed HOST are constants of the model where JIT is on; HOST_COMPILE_INDEPENDENT ones never are (OM-27)."""
    if Compiled.options.get(Option.OP_JIT_COMPILE, "disable" if State.soc.startswith(PREBUILT) else "enable") != "enable":
        return descs
    return [
        _constant(desc, buffer) if desc.placement == Placement.HOST and desc.const is None else desc
        for desc, buffer in zip(descs, buffers, strict=True)
    ]


def _constant(desc: TensorDesc, buffer: DataBuffer) -> TensorDesc:
    twin = TensorDesc(desc.dtype, desc.dims, desc.format)
    twin.storage_format, twin.ranges, twin.placement = desc.storage_format, desc.ranges, desc.placement
    twin.dynamic_input = desc.dynamic_input
    twin.const = memory.host_bytes(buffer.address, buffer.size)
    return twin
