"""``acl.rt``: what a device is and can do, its modes and limits.

The answers are constants of an imagined board with the core counts of an Ascend 910B, but for what the simulator knows:
memory, and the modes and limits that the program set.
"""

from __future__ import annotations

import os
from typing import Final, NoReturn

import numpy as np

from .engine import AclFault, contexts, memory, streams
from .engine.absent import absent
from .engine.arguments import function, invalid, null
from .engine.tables import ON_NEW_PROCESS

__all__ = [
    "create_group_info",
    "ctx_get_sys_param_opt",
    "ctx_set_sys_param_opt",
    "destroy_group_info",
    "device_get_bare_tgid",
    "device_get_uuid",
    "device_task_abort",
    "get_all_group_info",
    "get_device_capability",
    "get_device_info",
    "get_device_res_limit",
    "get_device_sat_mode",
    "get_device_utilization_rate",
    "get_devices_topo",
    "get_group_count",
    "get_group_info_detail",
    "get_logic_dev_id_by_phy_dev_id",
    "get_logic_dev_id_by_user_dev_id",
    "get_overflow_status",
    "get_phy_dev_id_by_logic_dev_id",
    "get_sys_param_opt",
    "get_user_dev_id_by_logic_dev_id",
    "query_device_status",
    "reset_device_res_limit",
    "reset_overflow_status",
    "set_device_res_limit",
    "set_device_sat_mode",
    "set_group",
    "set_sys_param_opt",
    "set_ts_device",
]

PARAM_INVALID: Final = 107000
AICPU_CORES, CUBE_CORES, VECTOR_CORES = 6, 24, 48
L2_BYTES: Final = 192 << 20
OVERFLOW_BYTES: Final = 64
SATURATION, INFNAN = 0, 1
RESOURCES: Final[dict[int, int]] = {0: CUBE_CORES, 1: VECTOR_CORES}
"""aclrtDevResLimitType and how many a device has."""
SYS_PARAMS: Final = range(4)
_INFO: Final[dict[int, int]] = {
    1: AICPU_CORES,
    101: CUBE_CORES,
    102: CUBE_CORES,
    201: VECTOR_CORES,
    204: 192 << 10,
    302: L2_BYTES,
    403: 0,
    404: 0,
    405: 0,
    501: 0,
}


class _Chosen:
    """What the program set."""

    sat_modes: Final[dict[int, int]] = {}
    limits: Final[dict[tuple[int, int], int]] = {}
    parameters: Final[dict[int, int]] = {}
    context_parameters: Final[dict[tuple[int, int], int]] = {}


def _forget() -> None:
    for table in (_Chosen.sat_modes, _Chosen.limits, _Chosen.parameters, _Chosen.context_parameters):
        table.clear()


ON_NEW_PROCESS.append(_forget)


# What it is


@function("acl.rt.get_device_info", "II", 0)
def get_device_info(device_id: int, attr: int) -> tuple[int, int]:
    """(value, ret) of an aclrtDevAttr: cores, memory, caches; sizes are cut to 32 bits as the binding cuts them."""
    contexts.check_device(device_id)
    if attr == 301:
        return int(np.int64(memory.Settings.memory).astype(np.int32)), 0
    if attr == 402:
        return device_id, 0
    if attr not in _INFO:
        raise AclFault(207000, f"attribute {attr} is not known of the simulated device", "EH0006")
    return _INFO[attr], 0


@function("acl.rt.get_device_capability", "iI", 0)
def get_device_capability(device_id: int, feature: int) -> tuple[int, int]:
    """(0 lacks it or 1 has it, ret) of an aclrtDevFeatureType: the simulated device has neither."""
    contexts.check_device(device_id)
    if feature not in (1, 21):
        raise invalid("feature", feature, "must be 1 or 21", PARAM_INVALID)
    return 0, 0


_RATES: Final = ("cube_utilization", "vector_utilization", "aicpu_utilization", "memory_utilization", "utilization_extend")


@function("acl.rt.get_device_utilization_rate", "i", dict.fromkeys(_RATES, 0))
def get_device_utilization_rate(device_id: int) -> tuple[dict[str, int], int]:
    """(percentages, ret): cores idle between calls, memory as it is used."""
    contexts.check_device(device_id)
    used = 100 * memory.used(device_id) // memory.Settings.memory
    return dict(zip(_RATES, (0, 0, 0, used, 0), strict=True)), 0


@function("acl.rt.query_device_status", "i", 0xFFFF)
def query_device_status(device_id: int) -> tuple[int, int]:
    """(0, ret): simulated devices are always in order."""
    contexts.check_device(device_id)
    return 0, 0


@function("acl.rt.get_devices_topo", "II", 0)
def get_devices_topo(device_id: int, other_device_id: int) -> tuple[int, int]:
    """(kind of link, ret): 1 between two devices, 0 of one with itself."""
    contexts.check_device(device_id)
    contexts.check_device(other_device_id, "other_device_id")
    return int(device_id != other_device_id), 0


@function("acl.rt.get_logic_dev_id_by_user_dev_id", "i", 0)
def get_logic_dev_id_by_user_dev_id(device_id: int) -> tuple[int, int]:
    """(id, ret): all numberings are the same."""
    return contexts.check_device(device_id), 0


@function("acl.rt.get_user_dev_id_by_logic_dev_id", "i", 0)
def get_user_dev_id_by_logic_dev_id(device_id: int) -> tuple[int, int]:
    """(id, ret): all numberings are the same."""
    return contexts.check_device(device_id), 0


@function("acl.rt.get_logic_dev_id_by_phy_dev_id", "i", 0)
def get_logic_dev_id_by_phy_dev_id(device_id: int) -> tuple[int, int]:
    """(id, ret): all numberings are the same."""
    return contexts.check_device(device_id), 0


@function("acl.rt.get_phy_dev_id_by_logic_dev_id", "i", 0)
def get_phy_dev_id_by_logic_dev_id(device_id: int) -> tuple[int, int]:
    """(id, ret): all numberings are the same."""
    return contexts.check_device(device_id), 0


@function("acl.rt.device_get_uuid", "i", {"bytes": [0] * 16})
def device_get_uuid(device_id: int) -> tuple[dict[str, list[int]], int]:
    """(``{"bytes": 16 numbers}``, ret): the text "ascendtensor", then the device's number."""
    contexts.check_device(device_id)
    return {"bytes": [*b"ascendtensor", 0, 0, 0, device_id]}, 0


@function("acl.rt.device_get_bare_tgid", "", 0)
def device_get_bare_tgid() -> tuple[int, int]:
    """(process id, ret)."""
    return os.getpid(), 0


# What it does


@function("acl.rt.device_task_abort", "iI")
def device_task_abort(device_id: int, timeout_ms: int) -> int:
    """Drops what is queued on every stream of the device."""
    contexts.check_device(device_id)
    for stream in streams.of_device(device_id):
        streams.discard(stream)
    return 0


@function("acl.rt.set_device_sat_mode", "i")
def set_device_sat_mode(mode: int) -> int:
    """Kept and handed out; the kernels always compute with infinities and NaN."""
    if mode not in (SATURATION, INFNAN):
        raise invalid("mode", mode, "must be 0 or 1", PARAM_INVALID)
    _Chosen.sat_modes[contexts.current().device] = mode
    return 0


@function("acl.rt.get_device_sat_mode", "", 0)
def get_device_sat_mode() -> tuple[int, int]:
    """(0 saturation or 1 infinities and NaN, ret)."""
    return _Chosen.sat_modes.get(contexts.current().device, INFNAN), 0


def _clear(target: memory.Bytes) -> None:
    target.fill(0)


@function("acl.rt.get_overflow_status", "KKK")
def get_overflow_status(out_addr: int, size: int, stream: int) -> int:
    """Queues 64 bytes of zeros to device memory: with infinities and NaN nothing overflows."""
    if out_addr == 0:
        raise null("out_addr")
    if size != OVERFLOW_BYTES:
        raise invalid("size", size, f"must be {OVERFLOW_BYTES}", PARAM_INVALID)
    found = contexts.stream_for(stream)
    streams.enqueue(found, _clear, (memory.device_array(out_addr, size),))
    return 0


def _nothing() -> None:
    """The flag is always down."""


@function("acl.rt.reset_overflow_status", "K")
def reset_overflow_status(stream: int) -> int:
    """Queued."""
    streams.enqueue(contexts.stream_for(stream), _nothing, ())
    return 0


# System parameters


def _check_parameter(opt: int) -> None:
    if opt not in SYS_PARAMS:
        raise invalid("opt", opt, "must be in [0, 3]", PARAM_INVALID)


@function("acl.rt.set_sys_param_opt", "iL")
def set_sys_param_opt(opt: int, value: int) -> int:
    """For the process; kept and handed out, the kernels are deterministic anyway."""
    _check_parameter(opt)
    _Chosen.parameters[opt] = value
    return 0


@function("acl.rt.get_sys_param_opt", "i", 0)
def get_sys_param_opt(opt: int) -> tuple[int, int]:
    """(value, ret), 0 until it is set."""
    _check_parameter(opt)
    return _Chosen.parameters.get(opt, 0), 0


@function("acl.rt.ctx_set_sys_param_opt", "iL")
def ctx_set_sys_param_opt(opt: int, value: int) -> int:
    """For the current context."""
    _check_parameter(opt)
    _Chosen.context_parameters[contexts.current().handle, opt] = value
    return 0


@function("acl.rt.ctx_get_sys_param_opt", "i", 0)
def ctx_get_sys_param_opt(opt: int) -> tuple[int, int]:
    """(value, ret) of the current context, 0 until it is set there."""
    _check_parameter(opt)
    return _Chosen.context_parameters.get((contexts.current().handle, opt), 0), 0


# Core limits


def _check_resource(device_id: int, res_type: int) -> None:
    contexts.check_device(device_id)
    if res_type not in RESOURCES:
        raise invalid("res_type", res_type, "must be 0 (cube cores) or 1 (vector cores)", PARAM_INVALID)


def device_limit(device: int, res_type: int) -> int:
    """How many cores of a kind a device may use."""
    return _Chosen.limits.get((device, res_type), RESOURCES[res_type])


@function("acl.rt.get_device_res_limit", "iI", 0)
def get_device_res_limit(device_id: int, res_type: int) -> tuple[int, int]:
    """(cores, ret): all of them until a limit is set."""
    _check_resource(device_id, res_type)
    return device_limit(device_id, res_type), 0


@function("acl.rt.set_device_res_limit", "iII")
def set_device_res_limit(device_id: int, res_type: int, value: int) -> int:
    """Kept and handed out; the simulator has no cores to save."""
    _check_resource(device_id, res_type)
    if not 0 < value <= RESOURCES[res_type]:
        raise invalid("value", value, f"must be in [1, {RESOURCES[res_type]}]", PARAM_INVALID)
    _Chosen.limits[device_id, res_type] = value
    return 0


@function("acl.rt.reset_device_res_limit", "i")
def reset_device_res_limit(device_id: int) -> int:
    """All cores again."""
    contexts.check_device(device_id)
    for res_type in RESOURCES:
        _Chosen.limits.pop((device_id, res_type), None)
    return 0


# Groups of cores and other schedulers: the simulated product has one of each


set_ts_device = absent("acl.rt.set_ts_device", "i")
set_group = absent("acl.rt.set_group", "I")
destroy_group_info = absent("acl.rt.destroy_group_info", "K")
get_all_group_info = absent("acl.rt.get_all_group_info", "K")


@function("acl.rt.get_group_count", "I", 0)
def get_group_count(unused: int) -> tuple[int, int]:
    """(0, ret); the argument is needed and not looked at."""
    return 0, 0


@function("acl.rt.create_group_info")
def create_group_info() -> int:
    """0: there are no groups to describe."""
    return 0


@function("acl.rt.get_group_info_detail", "Kii", None)
def get_group_info_detail(group_info: int, group_id: int, attr: int) -> NoReturn:
    """Always fails, which the binding turns into an exception.

    Raises:
        RuntimeError: There are no groups.
    """
    raise RuntimeError("acl.rt.get_group_info_detail failed: the simulated product has no groups")
