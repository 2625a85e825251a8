"""``acl.mdl``: dumping what operators of a model compute. Switched as on a board; the simulator has nothing to write."""

from __future__ import annotations

from typing import Any, Final

from ascendtensor.codes import ErrorCode

from .engine import AclFault, process
from .engine.arguments import function, refuse
from .engine.tables import ON_FINALIZE, ON_NEW_PROCESS

__all__ = ["create_and_get_op_desc", "dump_reg_callback", "dump_unreg_callback", "finalize_dump", "init_dump", "set_dump"]

MAX_NAME: Final = 4096
GE_FAILURE: Final = int(ErrorCode.GE_FAILURE)


class State:
    """Whether dumping was started."""

    on = False


def _forget() -> None:
    State.on = False


ON_NEW_PROCESS.append(_forget)
ON_FINALIZE.append(_forget)


@function("acl.mdl.init_dump")
def init_dump() -> int:
    """Starts; 100044 if it was started."""
    if not process.State.count:
        raise AclFault(int(ErrorCode.UNINITIALIZE), "acl.init was not called")
    if State.on:
        raise AclFault(int(ErrorCode.DUMP_ALREADY_RUN), "dumping was started already")
    State.on = True
    return 0


@function("acl.mdl.set_dump", "|s")
def set_dump(path: str = "") -> int:
    """Reads what to dump from a JSON file; 100045 before ``init_dump``."""
    _check_started()
    config = process.read(path)
    if not isinstance(config.get("dump", {}), dict):
        raise AclFault(int(ErrorCode.INVALID_DUMP_CONFIG), f"key [dump] of file [{path}] must be an object")
    return 0


@function("acl.mdl.finalize_dump")
def finalize_dump() -> int:
    """Ends; 100045 if it was not started."""
    _check_started()
    State.on = False
    return 0


def _check_started() -> None:
    if not State.on:
        raise AclFault(int(ErrorCode.DUMP_NOT_RUN), "dumping was not started; call acl.mdl.init_dump")


@function("acl.mdl.dump_reg_callback", "Oi")
def dump_reg_callback(fn: Any, flag: int) -> int:
    """Handing dumps to a function is a feature of other products."""
    if not callable(fn):
        refuse("acl.mdl.dump_reg_callback")
    raise AclFault(int(ErrorCode.RT_FEATURE_NOT_SUPPORT), "the simulated product hands no dumps to functions", "EH0006")


@function("acl.mdl.dump_unreg_callback")
def dump_unreg_callback() -> None:
    """Nothing was registered."""


@function("acl.mdl.create_and_get_op_desc", "IIII", "", 0, 0, 0, 0)
def create_and_get_op_desc(device_id: int, stream_id: int, task_id: int, name_len: int) -> tuple[str, int, int, int, int, int]:
    """(operator, inputs, their number, outputs, their number, ret) of a failed task: a simulated model keeps none."""
    if name_len > MAX_NAME:
        raise AclFault(int(ErrorCode.INVALID_PARAM), f"name_len {name_len} is above {MAX_NAME}")
    raise AclFault(GE_FAILURE, f"no operator is known of task {task_id} on stream {stream_id} of device {device_id}")
