"""``acl.mdl``: configuration handles for loading and for execution (MDL-6 to MDL-8, MDL-27)."""

from __future__ import annotations

import operator
from typing import Any, Final, NoReturn

from ascendtensor.codes import ErrorCode

from .engine import AclFault, memory, whole_models
from .engine.arguments import WORD, function, getter, invalid, null
from .engine.diagnostics import missing
from .engine.model_file import unpack
from .engine.tables import new_handle
from .engine.whole_models import CONFIGS

__all__ = [
    "create_config_handle",
    "create_exec_config_handle",
    "destroy_config_handle",
    "destroy_exec_config_handle",
    "load_from_file_with_q",
    "load_from_mem_with_q",
    "load_with_config",
    "set_config_opt",
    "set_exec_config_opt",
]

PRIORITY, LOAD_TYPE, PATH, MEM_ADDR, MEM_SIZE, WEIGHT_ADDR, WEIGHT_SIZE, WORK_ADDR, WORK_SIZE = range(9)  # aclmdlConfigAttr
IN_QUEUES, IN_QUEUE_ADDR, OUT_QUEUES, OUT_QUEUE_ADDR, MEM_OPTIMIZE, WEIGHT_PATH = range(9, 15)
WITHOUT_GRAPH: Final = 28
FROM_FILE, FROM_FILE_WITH_MEM, FROM_MEM, FROM_MEM_WITH_MEM, FROM_FILE_WITH_Q, FROM_MEM_WITH_Q = range(1, 7)
HIGHEST_PRIORITY: Final = 7
NOT_NULL: Final = frozenset((PATH, MEM_ADDR, IN_QUEUE_ADDR, OUT_QUEUE_ADDR, WEIGHT_PATH))
SIZES: Final = frozenset((MEM_SIZE, WEIGHT_SIZE, WORK_SIZE, IN_QUEUES, OUT_QUEUES))
ADDRESSES: Final = frozenset((MEM_ADDR, WEIGHT_ADDR, WORK_ADDR, IN_QUEUE_ADDR, OUT_QUEUE_ADDR))
STREAM_TIMEOUT, EVENT_TIMEOUT = range(2)  # aclmdlExecConfigAttr
FEATURE_NOT_SUPPORT: Final = int(ErrorCode.RT_FEATURE_NOT_SUPPORT)
LONGEST_PATH: Final = 4096


class Config:
    """Attributes for loading, those that were set."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}


class ExecConfig:
    """Attributes for one execution."""

    __slots__ = ("event_timeout", "stream_timeout")

    def __init__(self) -> None:
        self.stream_timeout = -1
        self.event_timeout = -1


def _config(handle: int) -> Config:
    found = CONFIGS.get(handle)
    if not isinstance(found, Config):
        raise missing("handle", handle, "model configuration")
    return found


def exec_config_for(handle: int) -> ExecConfig:
    """The configuration of a handle.

    Raises:
        AclFault: 100000 for 0 and for one that was destroyed.
    """
    found = CONFIGS.get(handle)
    if not isinstance(found, ExecConfig):
        raise missing("handle", handle, "execution configuration")
    return found


def _make(config: Any) -> int:
    handle = new_handle()
    CONFIGS[handle] = config
    return handle


@getter("acl.mdl.create_config_handle", "", 0)
def create_config_handle() -> int:
    """A configuration without attributes."""
    return _make(Config())


@function("acl.mdl.destroy_config_handle", "K")
def destroy_config_handle(config_handle: int) -> int:
    """Allowed right after loading (MDL-8)."""
    _config(config_handle)
    CONFIGS.pop(config_handle, None)
    return 0


@getter("acl.mdl.create_exec_config_handle", "", 0)
def create_exec_config_handle() -> int:
    """A configuration without timeouts."""
    return _make(ExecConfig())


@function("acl.mdl.destroy_exec_config_handle", "K")
def destroy_exec_config_handle(exec_config: int) -> int:
    """100000 for null."""
    exec_config_for(exec_config)
    CONFIGS.pop(exec_config, None)
    return 0


def _refuse(name: str) -> NoReturn:
    """The binding's TypeError for a value, whatever that for the number of arguments is."""
    raise TypeError(f"{name} args parse failed!")


def _number(name: str, value: Any, bits: int) -> int:
    """An int as the binding hands it on: range-checked with 32 bits, wrapped with 64."""
    if bits == 64:
        if not isinstance(value, int):
            _refuse(name)
        return value & WORD
    try:
        number = operator.index(value)
    except TypeError:
        _refuse(name)
    if not -(1 << 31) <= number < 1 << 31:
        _refuse(name)
    return number


def _text_at(address: int) -> str:
    """A C string in host memory: what the binding makes of the weight path (PY-14)."""
    found = bytearray()
    while len(found) < LONGEST_PATH:
        byte = memory.host_bytes(address + len(found), 1)
        if byte == b"\0":
            break
        found += byte
    return found.decode("utf-8", "replace")


@function("acl.mdl.set_config_opt", "KiO")
def set_config_opt(config_handle: int, attr: int, value: Any) -> int:
    """One attribute; contradictions are found by ``load_with_config`` (MDL-6, MDL-7, PY-14)."""
    name = "acl.mdl.set_config_opt"
    if attr == PATH:
        if not isinstance(value, str) or "\0" in value:
            _refuse(name)
        given: Any = value
    else:
        given = _number(name, value, 32 if attr == PRIORITY else 64)
    config = _config(config_handle)
    _check(attr, given)
    config.values[attr] = _text_at(given) if attr == WEIGHT_PATH else given
    return 0


def _check(attr: int, value: Any) -> None:
    """MDL-7."""
    if attr == PRIORITY:
        if not 0 <= value <= HIGHEST_PRIORITY:
            raise invalid("priority", value, f"must be in [0, {HIGHEST_PRIORITY}]")
    elif attr == LOAD_TYPE:
        if not FROM_FILE <= value <= FROM_MEM_WITH_Q:
            raise invalid("*attrValue", value, f"it should be in [{FROM_FILE}, {FROM_MEM_WITH_Q}]")
    elif attr == MEM_OPTIMIZE:
        if value not in (0, 1):
            raise invalid("*attrValue", value, "it should be in [0, 1]")
    elif attr == WITHOUT_GRAPH:
        raise invalid("valueSize", 8, "it should be 4")  # PY-14: the binding always hands over 8 bytes
    elif attr not in NOT_NULL | SIZES | ADDRESSES:
        raise invalid("attr", attr, f"it should be in [{PRIORITY}, {WEIGHT_PATH}]")
    elif attr in NOT_NULL - {PATH} and value == 0:
        raise null("*attrValue")


def _needed(config: Config, attr: int, what: str) -> Any:
    if attr not in config.values:
        raise invalid("handle", what, f"{what} is not set in the configuration")
    return config.values[attr]


@function("acl.mdl.load_with_config", "K", 0)
def load_with_config(config_handle: int) -> tuple[int, int]:
    """(model id, ret) by the attributes (MDL-6)."""
    config = _config(config_handle)
    values = config.values
    load_type = _needed(config, LOAD_TYPE, "ACL_MDL_LOAD_TYPE_SIZET")
    if load_type in (FROM_FILE, FROM_FILE_WITH_MEM, FROM_FILE_WITH_Q):
        path = _needed(config, PATH, "ACL_MDL_PATH_PTR")
        if WEIGHT_PATH in values:
            raise invalid("handle", "ACL_MDL_WEIGHT_PATH_PTR", "must not be set for a model that is loaded from a file")
        _check_queues(config, load_type == FROM_FILE_WITH_Q)
        file = unpack(whole_models.read_file(path))
    else:
        address = _needed(config, MEM_ADDR, "ACL_MDL_MEM_ADDR_PTR")
        size = _needed(config, MEM_SIZE, "ACL_MDL_MEM_SIZET")
        _check_queues(config, load_type == FROM_MEM_WITH_Q)
        file = unpack(whole_models.read_memory(address, size))
    if load_type not in (FROM_FILE_WITH_MEM, FROM_MEM_WITH_MEM):
        return whole_models.load(file).identifier, 0
    work = values.get(WORK_ADDR, 0), values.get(WORK_SIZE, 0)
    weight = values.get(WEIGHT_ADDR, 0), values.get(WEIGHT_SIZE, 0)
    return whole_models.load(file, work, weight).identifier, 0


# Queues, which only other products have


def _no_queues() -> AclFault:
    return AclFault(
        FEATURE_NOT_SUPPORT, "the simulated product has no queues; load by acl.mdl.load_from_file and run by acl.mdl.execute", "EH0006"
    )


def _check_queues(config: Config, wanted: bool) -> None:
    if not wanted:
        return
    for attr in (IN_QUEUES, IN_QUEUE_ADDR, OUT_QUEUES, OUT_QUEUE_ADDR):
        if not config.values.get(attr, 0):
            raise invalid("handle", attr, "numbers and addresses of both queues must be set")
    raise _no_queues()


def _refuse_queues(in_q_ptr: int, in_q_num: int, out_q_ptr: int, out_q_num: int) -> None:
    for name, value in (("inputQ", in_q_ptr), ("inputQNum", in_q_num), ("outputQ", out_q_ptr), ("outputQNum", out_q_num)):
        if value == 0:
            raise invalid(name, value, "must not be 0")
    raise _no_queues()


@function("acl.mdl.load_from_file_with_q", "sKKKK", 0)
def load_from_file_with_q(path: str, in_q_ptr: int, in_q_num: int, out_q_ptr: int, out_q_num: int) -> tuple[int, int]:
    """Queues are a feature of other products."""
    _refuse_queues(in_q_ptr, in_q_num, out_q_ptr, out_q_num)
    return 0, 0


@function("acl.mdl.load_from_mem_with_q", "KKKKKK", 0)
def load_from_mem_with_q(model_ptr: int, size: int, in_q_ptr: int, in_q_num: int, out_q_ptr: int, out_q_num: int) -> tuple[int, int]:
    """Queues are a feature of other products."""
    _refuse_queues(in_q_ptr, in_q_num, out_q_ptr, out_q_num)
    return 0, 0


# Execution


@function("acl.mdl.set_exec_config_opt", "KiO")
def set_exec_config_opt(exec_config: int, attr: int, value: Any) -> int:
    """Milliseconds that the stream (0) or an event (1) may take, -1 for ever (MDL-27)."""
    timeouts = attr in (STREAM_TIMEOUT, EVENT_TIMEOUT)
    number = _number("acl.mdl.set_exec_config_opt", value, 32 if timeouts else 64)
    config = exec_config_for(exec_config)
    if not timeouts:
        raise invalid("attr", attr, f"it should be in [{STREAM_TIMEOUT}, {EVENT_TIMEOUT}]")
    if number < -1:
        raise invalid("*attrValue", number, "must be -1 or more")
    if attr == STREAM_TIMEOUT:
        config.stream_timeout = number
    else:
        config.event_timeout = number
    return 0
