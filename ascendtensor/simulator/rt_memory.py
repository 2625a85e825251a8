"""``acl.rt``: allocation by attributes, physical and virtual memory, registered host memory, and what an address belongs to."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from .engine import AclFault, contexts, memory
from .engine.absent import absent
from .engine.arguments import function, invalid, null
from .engine.tables import COUNTED, new_handle

__all__ = [
    "free_physical",
    "get_mem_uce_info",
    "host_get_device_pointer",
    "host_register",
    "host_register_v2",
    "host_unregister",
    "ipc_mem_close",
    "ipc_mem_get_export_key",
    "ipc_mem_import_by_key",
    "ipc_mem_set_import_pid",
    "malloc_for_task_scheduler",
    "malloc_host_with_cfg",
    "malloc_physical",
    "malloc_with_cfg",
    "map_mem",
    "mem_export_to_shareable_handle",
    "mem_get_allocation_granularity",
    "mem_import_from_shareable_handle",
    "mem_set_pid_to_shareable_handle",
    "mem_uce_repair",
    "pointer_get_attributes",
    "release_mem_address",
    "reserve_mem_address",
    "unmap_mem",
]

PARAM_INVALID: Final = 107000
GRANULARITY: Final = 2 << 20
DEVICE_PAGE: Final = 2 << 20
HOST_PAGE: Final = 4096
HOST, DEVICE, UNREGISTERED = 0, 1, 2  # aclrtMemLocationType
DEVICE_ID: Final = 2
"""aclrtMallocAttrType of the attribute that chooses a device."""
_PHYSICAL_ATTRIBUTES: Final = frozenset({1, 4, 5, 10, 12, 13, 14})
"""aclrtMemAttr that physical memory may have: HBM, or memory of any kind, huge or not."""


class _Registered(NamedTuple):
    """Host memory that the device sees."""

    host: memory.Block | None
    device: memory.Block | None
    address: int


class _Reserved:
    """A virtual address range."""

    __slots__ = ("device", "mapped", "size")

    def __init__(self, device: int, size: int) -> None:
        self.device = device
        self.size = size
        self.mapped: memory.Block | None = None


_REGISTERED: Final[dict[int, _Registered]] = {}
_RESERVED: Final[dict[int, _Reserved]] = {}
_PHYSICAL: Final[dict[int, memory.Block]] = {}
COUNTED.update({"registered_memory": _REGISTERED, "reserved_addresses": _RESERVED, "physical_memory": _PHYSICAL})


# Allocation by attributes


def _configured(cfg: Any) -> dict[int, Any]:
    """Attribute number to value out of ``{"numAttrs": n, "attrs": [{"attr": number, "value": {...}}]}``.

    Raises:
        TypeError: No dict, or no list of dicts in it.
        KeyError: Another number of attributes than it says, or a value of none of the three kinds, as the binding does.
    """
    if not isinstance(cfg, dict):
        raise TypeError("pyCfg is not dict!")
    if not cfg:
        return {}
    attrs = cfg.get("attrs")
    if not isinstance(attrs, list) or not all(isinstance(entry, dict) and isinstance(entry.get("value", {}), dict) for entry in attrs):
        raise TypeError("the aclrtMallocAttrValue argument is not dict")
    if cfg.get("numAttrs", 0) != len(attrs):
        raise KeyError("The numAttrs inputed does not match the expected numAttrs")
    found: dict[int, Any] = {}
    for entry in attrs:
        if "value" in entry:
            key = next((key for key in ("moduleId", "deviceId", "rsv") if key in entry["value"]), None)
            if key is None:
                raise KeyError("No valid key found in aclrtMallocAttrValue")
            found[entry.get("attr", 0)] = entry["value"][key]
    return found


def _malloc(size: int, policy: int, cfg: Any) -> tuple[int, int]:
    chosen = _configured(cfg)
    padded = memory.sized(size)
    device = contexts.current().device
    if DEVICE_ID in chosen:
        device = contexts.check_device(chosen[DEVICE_ID], "deviceId")
    return memory.allocate(device, padded, policy).address, 0


@function("acl.rt.malloc_with_cfg", "KiO", 0)
def malloc_with_cfg(size: int, policy: int, cfg: Any) -> tuple[int, int]:
    """(address, ret), as ``malloc``; of the attributes only the device has an effect (RT-28, RT-29)."""
    return _malloc(size, policy, cfg)


@function("acl.rt.malloc_for_task_scheduler", "KiO", 0)
def malloc_for_task_scheduler(size: int, policy: int, cfg: Any) -> tuple[int, int]:
    """(address, ret), as ``malloc_with_cfg``: no memory of the simulated devices is out of the scheduler's reach."""
    return _malloc(size, policy, cfg)


@function("acl.rt.malloc_host_with_cfg", "KO", 0)
def malloc_host_with_cfg(size: int, cfg: Any) -> tuple[int, int]:
    """(address, ret) of pinned memory, as ``malloc_host`` (RT-30)."""
    _configured(cfg)
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    device = contexts.current().device
    return memory.allocate_host(memory.padded_size(size) if memory.Settings.one_space else size, device).address, 0


# Physical and virtual memory


def _properties(prop: Any) -> int:
    """The device of ``{"handleType", "allocationType", "memAttr", "location": {"id", "type"}, "reserve"}``.

    What is missing counts as 0.

    Raises:
        TypeError: No dict.
        AclFault: 100000 for values that name no device memory.
    """
    if not isinstance(prop, dict):
        raise TypeError("the aclrtPhysicalMemProp argument is not dict")
    if not isinstance(prop.get("location", {}), dict):
        raise TypeError("the aclrtMemLocation argument is not dict")
    location = prop.get("location", {})
    pinned = prop.get("allocationType", 0) == prop.get("handleType", 0) == 0
    if not pinned or prop.get("memAttr", 0) not in _PHYSICAL_ATTRIBUTES or location.get("type", 0) != DEVICE:
        raise invalid("prop", prop, "only pinned HBM of a device is supported")
    return contexts.check_device(location.get("id", 0), "location.id")


def _check_granular(size: int) -> None:
    if size == 0 or size % GRANULARITY:
        raise invalid("size", size, f"must be a multiple of {GRANULARITY}", 100000 if size == 0 else PARAM_INVALID)


@function("acl.rt.mem_get_allocation_granularity", "Oi", 0)
def mem_get_allocation_granularity(prop: Any, option: int) -> tuple[int, int]:
    """(bytes, ret): 2 MiB, smallest and recommended."""
    _properties(prop)
    if option not in (0, 1):
        raise invalid("option", option, "must be 0 or 1")
    return GRANULARITY, 0


@function("acl.rt.malloc_physical", "KOK", 0)
def malloc_physical(size: int, prop: Any, flags: int) -> tuple[int, int]:
    """(handle, ret) of memory that is reached through ``map_mem`` only."""
    device = _properties(prop)
    if flags:
        raise invalid("flags", flags, "must be 0")
    _check_granular(size)
    block = memory.allocate(device, size)
    block.owner = "physical"
    handle = new_handle()
    _PHYSICAL[handle] = block
    return handle, 0


def _physical(handle: int) -> memory.Block:
    if handle == 0:
        raise null("handle")
    block = _PHYSICAL.get(handle)
    if block is None:
        raise invalid("handle", hex(handle), "is no live physical memory", PARAM_INVALID)
    return block


@function("acl.rt.free_physical", "K")
def free_physical(handle: int) -> int:
    """The memory stays where it is mapped until ``unmap_mem``."""
    memory.withdraw(_physical(handle))
    del _PHYSICAL[handle]
    return 0


@function("acl.rt.reserve_mem_address", "KKKK", 0)
def reserve_mem_address(size: int, alignment: int, expect_ptr: int, flags: int) -> tuple[int, int]:
    """(address, ret) of a range behind which there is nothing yet; a wished-for address is not granted."""
    if size == 0 or alignment or flags:
        raise invalid("size, alignment, flags", (size, alignment, flags), "size must not be 0, the others must be")
    _check_granular(size)
    device = contexts.current().device
    if memory.Settings.one_space:
        raise AclFault(207000, "one address space has no virtual addresses of its own", "EH0006")
    address = memory.reserve(device, size)
    _RESERVED[address] = _Reserved(device, size)
    return address, 0


def _reserved(address: int) -> _Reserved:
    if address == 0:
        raise null("vir_ptr")
    found = _RESERVED.get(address)
    if found is None:
        raise invalid("vir_ptr", hex(address), "is not the start of a reserved range", PARAM_INVALID)
    return found


@function("acl.rt.release_mem_address", "K")
def release_mem_address(vir_ptr: int) -> int:
    """Only a range that nothing is mapped into."""
    if _reserved(vir_ptr).mapped is not None:
        raise invalid("vir_ptr", hex(vir_ptr), "memory is mapped there", PARAM_INVALID)
    del _RESERVED[vir_ptr]
    return 0


@function("acl.rt.map_mem", "KKKKK")
def map_mem(vir_ptr: int, size: int, offset: int, handle: int, flags: int) -> int:
    """Physical memory becomes reachable at a reserved address."""
    if offset or flags:
        raise invalid("offset, flags", (offset, flags), "must be 0")
    reserved, block = _reserved(vir_ptr), _physical(handle)
    if reserved.mapped is not None or not 0 < size <= min(reserved.size, block.size):
        raise invalid("size", size, "the range is mapped already, or smaller than that, or the memory is", PARAM_INVALID)
    reserved.mapped = memory.adopt(block.array[:size], block.device, vir_ptr)
    return 0


@function("acl.rt.unmap_mem", "K")
def unmap_mem(vir_ptr: int) -> int:
    """The address range stays reserved."""
    reserved = _reserved(vir_ptr)
    if reserved.mapped is None:
        raise invalid("vir_ptr", hex(vir_ptr), "nothing is mapped there", PARAM_INVALID)
    memory.withdraw(reserved.mapped)
    reserved.mapped = None
    return 0


# Registered host memory


def _register(host_ptr: int, size: int) -> int:
    """Pin host memory and give it a device address: in one address space its own."""
    if host_ptr == 0:
        raise null("host_ptr")
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    device = contexts.current().device
    if host_ptr in _REGISTERED:
        raise invalid("host_ptr", hex(host_ptr), "is registered already", PARAM_INVALID)
    known = memory.find(host_ptr)
    array = memory.host_array(host_ptr, size, write=True)
    host = memory.adopt(array, -1, host_ptr) if known is None and not memory.Settings.one_space else None
    mapped = None if memory.Settings.one_space else memory.adopt(array, device)
    address = host_ptr if mapped is None else mapped.address
    _REGISTERED[host_ptr] = _Registered(host, mapped, address)
    return address


@function("acl.rt.host_register", "KKi", 0)
def host_register(host_ptr: int, size: int, reg_type: int) -> tuple[int, int]:
    """(device address, ret): the device reads and writes the host memory itself; copies take it for pinned (RT-39)."""
    if reg_type != 0:
        raise invalid("reg_type", reg_type, "must be 0")
    return _register(host_ptr, size), 0


@function("acl.rt.host_register_v2", "KKI")
def host_register_v2(host_ptr: int, size: int, flag: int) -> int:
    """As ``host_register``; the address comes from ``host_get_device_pointer``."""
    _register(host_ptr, size)
    return 0


def _registered(host_ptr: int) -> _Registered:
    if host_ptr == 0:
        raise null("host_ptr")
    found = _REGISTERED.get(host_ptr)
    if found is None:
        raise invalid("host_ptr", hex(host_ptr), "is not registered", PARAM_INVALID)
    return found


@function("acl.rt.host_get_device_pointer", "KI", 0)
def host_get_device_pointer(host_ptr: int, flag: int) -> tuple[int, int]:
    """(device address, ret) of registered host memory."""
    if flag:
        raise invalid("flag", flag, "must be 0")
    return _registered(host_ptr).address, 0


@function("acl.rt.host_unregister", "K")
def host_unregister(host_ptr: int) -> int:
    """The host memory itself stays the program's."""
    for block in _registered(host_ptr)[:2]:
        if block is not None:
            memory.withdraw(block)
    del _REGISTERED[host_ptr]
    return 0


# What an address is


_NOTHING_KNOWN: Final = {"location": {"id": 0, "type": 0}, "page_size": 0, "rsv": [0, 0, 0, 0]}


@function("acl.rt.pointer_get_attributes", "K", _NOTHING_KNOWN)
def pointer_get_attributes(ptr: int) -> tuple[dict[str, Any], int]:
    """(``{"location": {"id", "type"}, "page_size", "rsv"}``, ret); type 0 host, 1 device, 2 unknown to the runtime."""
    if ptr == 0:
        raise null("ptr")
    contexts.current()
    block = memory.find(ptr)
    if block is None:
        location, page = {"id": 0, "type": UNREGISTERED}, 0
    elif block.device < 0:
        location, page = {"id": 0, "type": HOST}, HOST_PAGE
    else:
        location, page = {"id": block.device, "type": DEVICE}, DEVICE_PAGE
    return {"location": location, "page_size": page, "rsv": [0, 0, 0, 0]}, 0


# What one process alone on simulated devices has no use for

mem_export_to_shareable_handle = absent("acl.rt.mem_export_to_shareable_handle", "KiK", 0)
mem_set_pid_to_shareable_handle = absent("acl.rt.mem_set_pid_to_shareable_handle", "Kl")
mem_import_from_shareable_handle = absent("acl.rt.mem_import_from_shareable_handle", "Ki", 0)
ipc_mem_get_export_key = absent("acl.rt.ipc_mem_get_export_key", "KKKK", "")
ipc_mem_set_import_pid = absent("acl.rt.ipc_mem_set_import_pid", "sl")
ipc_mem_import_by_key = absent("acl.rt.ipc_mem_import_by_key", "sK", 0)
ipc_mem_close = absent("acl.rt.ipc_mem_close", "s")
get_mem_uce_info = absent("acl.rt.get_mem_uce_info", "iI", [])
mem_uce_repair = absent("acl.rt.mem_uce_repair", "il", refusal=TypeError("aclrtMemUceInfo argument is not list"))
