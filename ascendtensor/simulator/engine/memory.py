"""Device memory, pinned host memory and foreign host memory: three kinds of address kept apart (SIM-1).

In run mode "host" a device address is a number in a window of its own and is never readable as host memory; the bytes lie
in a numpy array per allocation. Host addresses are real. In run mode "device" there is one address space, as on the small
boards: an allocation's address is that of its array, and any mapped memory counts as device memory (RT-15).
"""

from __future__ import annotations

import bisect
import mmap
import sys
import threading
from collections import defaultdict
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from . import AclFault, graveyard, hostmap
from .arguments import invalid

Bytes = npt.NDArray[np.uint8]

DEVICE_BASE: Final = 0x1000_0000_0000
DEVICE_SPAN: Final = 0x0100_0000_0000
ALIGNMENT: Final = 64
POISON: Final = 0x7B
"""Fresh memory: 1e36 as float32, 61e3 as float16, about 2e9 as int32; small enough in no type to be overlooked (RT-29)."""
POISON_WHOLE: Final = 64 << 20
POISON_ENDS: Final = 16 << 20
"""Larger allocations are poisoned at both ends only: filling the middle would make the host commit it all."""
HUGE_PAGE: Final = 2 << 20
HUGE_FROM: Final = 1 << 20
"""Larger allocations come of huge pages (hicann/runtime, ``npu_driver_mem.cc``, ``DevMemAllocOnline``; their size: ``aclrtMemAttr``)."""
HUGE_ONLY, NORMAL_ONLY, HUGE_ONLY_P2P, NORMAL_ONLY_P2P = 1, 2, 4, 5
RECYCLE_FROM: Final = 256 << 10
RECYCLE_LIMIT: Final = 512 << 20

PARAM_INVALID: Final = 107000
OUT_OF_MEMORY: Final = 207001
MAP_NORESERVE: Final = 0x4000
"""Linux; Python's module has the name from 3.13 on."""


class Block:
    """One live allocation.

    Attributes:
        address: What the program sees.
        data: Where the bytes really lie.
        size: Usable bytes, padding included (RT-29).
        huge: Whether it came of huge pages, which are taken whole.
        array: The bytes.
        device: Device index, or -1 for pinned host memory.
        tasks: Prepared tasks over this memory, (prepared, key) pairs dropped when it is freed.
        owner: "" for memory that ``free`` takes back, else what it belongs to: "physical" or "alias" (``adopt``).
        units: Whether the image units may use it: they take memory of ``acl.media.dvpp_malloc`` only.
    """

    __slots__ = ("address", "array", "data", "device", "huge", "owner", "raw", "size", "tasks", "units")

    def __init__(self, address: int, size: int, device: int, raw: Bytes) -> None:
        start = _pointer(raw)
        shift = -start % ALIGNMENT
        self.raw = raw
        self.array: Bytes = raw[shift : shift + size]
        self.data = start + shift
        self.address = address or self.data
        self.size = size
        self.device = device
        self.owner = ""
        self.huge = False
        self.units = False
        self.tasks: list[tuple[dict[Any, Any], Any]] = []


class Settings:
    """What ``configure`` chose for the address spaces."""

    devices = 2
    memory = 4 << 30
    one_space = False


_LOCK: Final = threading.Lock()
_BLOCKS: Final[dict[int, Block]] = {}
_starts: Final[list[int]] = []
_next: Final[dict[int, int]] = {}
_used: Final[defaultdict[int, int]] = defaultdict(int)
_spare: Final[dict[int, list[Bytes]]] = {}
_spare_bytes = 0


def _pointer(array: npt.NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _references(value: object) -> int:
    """A count that grows with every reference; endless where Python has none, so that nothing counts as unreferenced."""
    counter = getattr(sys, "getrefcount", None)
    return 1 << 62 if counter is None else int(counter(value))


def _references_of_one_local() -> int:
    raw = np.empty(1, np.uint8)
    return _references(raw)


_LONE: Final = _references_of_one_local()
"""``_references`` of an array that one local variable holds; measured, since interpreters count calls differently."""


class _Foreign:
    """Host memory without owner, for ``np.asarray``."""

    def __init__(self, address: int, nbytes: int) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": (nbytes,), "typestr": "|u1", "version": 3}


def padded_size(size: int) -> int:
    """Bytes that ``malloc`` takes for ``size``: a multiple of 32 plus 32 bytes of slack (RT-29)."""
    return (size + 63) // 32 * 32


def sized(size: int, *, slack: bool = True) -> int:
    """Bytes that are taken for the size that a caller asks for: ``padded_size``, or without slack the next multiple of 32.

    Raises:
        AclFault: 0 bytes, or too many to be rounded up (K43).
    """
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    padded = padded_size(size) if slack else (size + 31) // 32 * 32
    if padded >= 1 << 64:
        raise invalid("size", size, "is too large to be rounded up to 32 bytes")
    return padded


def used(device: int) -> int:
    """Bytes allocated on a device."""
    return _used.get(device, 0)


def occupied(device: int) -> int:
    """Bytes of a device's pages that are taken. What the last huge page has no room for lies on normal pages (HUGE_FIRST)."""
    pages = sum(-block.size % HUGE_PAGE for block in blocks() if block.huge and block.device == device)
    return min(_used.get(device, 0) + pages, Settings.memory)


def blocks() -> list[Block]:
    """Every live allocation."""
    return list(_BLOCKS.values())


def counts() -> dict[str, int]:
    """Live allocations: ``device_memory`` and ``host_memory``; ``other_memory`` for physical, mapped and registered memory."""
    live = blocks()
    other = sum(1 for block in live if block.owner)
    device = sum(1 for block in live if block.device >= 0 and not block.owner)
    return {"device_memory": device, "host_memory": len(live) - device - other, "other_memory": other}


# Allocating


def allocate(device: int, size: int, policy: int = 0) -> Block:
    """Take ``size`` bytes (already padded) of a device's memory, poisoned, of pages as the policy says.

    Raises:
        AclFault: 207001 when the device is full.
    """
    with _LOCK:
        taken = _used.get(device, 0)
        if taken + size > Settings.memory:
            raise AclFault(OUT_OF_MEMORY, f"{size} bytes asked, {Settings.memory - taken} of {Settings.memory} free on device {device}")
        raw = _raw(size, Settings.one_space)
        address = 0 if Settings.one_space else _place(device, size)
        block = Block(address, size, device, raw)
        block.huge = policy in (HUGE_ONLY, HUGE_ONLY_P2P) or (size > HUGE_FROM and policy not in (NORMAL_ONLY, NORMAL_ONLY_P2P))
        _enter(block, size)
    _poison(block.array)
    return block


def allocate_host(size: int, device: int) -> Block:
    """Take pinned host memory; in run mode "device" that is device memory (RT-15, RT-30)."""
    if Settings.one_space:
        return allocate(device, size)
    with _LOCK:
        block = Block(0, size, -1, _raw(size, True, False))
        _enter(block)
    _poison(block.array)
    return block


def adopt(array: Bytes, device: int, address: int = 0) -> Block:
    """Make bytes that exist already visible at one more address, which ``free`` refuses and ``withdraw`` ends.

    Args:
        array: The bytes; they stay where they are.
        device: Whose memory it counts as, -1 for pinned host memory. It takes none of the device's.
        address: Where; 0 for any place of the device.
    """
    block = Block.__new__(Block)
    block.raw = block.array = array
    block.data = _pointer(array)
    block.size, block.device, block.owner, block.tasks = array.size, device, "alias", []
    block.huge = block.units = False
    with _LOCK:
        block.address = address or (block.data if device < 0 or Settings.one_space else _place(device, array.size))
        _enter(block)
    return block


def reserve(device: int, size: int) -> int:
    """A device address range that nothing else gets for a long time; nothing lies behind it yet."""
    with _LOCK:
        return _place(device, size)


def withdraw(block: Block) -> None:
    """End an allocation that does not belong to ``free``; one that went with its device is gone already."""
    with _LOCK:
        if _BLOCKS.get(block.address) is not block:
            return
        _remove(block)
    _drop_tasks(block)


def _raw(size: int, host: bool, within_device: bool = True) -> Bytes:
    global _spare_bytes
    if host and size >= RECYCLE_FROM and (kept := graveyard.take(size)) is not None:
        found: Bytes = kept
        return found
    spare = _spare.get(size)
    if spare:
        _spare_bytes -= size
        return spare.pop()
    try:
        return np.empty(size + ALIGNMENT, np.uint8)
    except (MemoryError, ValueError) as error:
        if within_device and (unreserved := _unreserved(size + ALIGNMENT)) is not None:
            return unreserved
        raise AclFault(OUT_OF_MEMORY, f"the host has no {size} bytes for the simulated device") from error


def _unreserved(size: int) -> Bytes | None:
    """Memory that is the host's only as it is touched: what a board has may be more than a laptop, and programs take pools of it."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        mapped = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
    except (OSError, OverflowError, ValueError):
        return None
    return np.frombuffer(mapped, np.uint8)


def _place(device: int, size: int) -> int:
    """A free address range, upwards and round again, so that a freed address comes back late."""
    base = DEVICE_BASE + device * DEVICE_SPAN
    step = (size + 2 * ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    address = _next.get(device, base + ALIGNMENT)
    if address + step > base + DEVICE_SPAN:
        address = base + ALIGNMENT
    while True:
        index = bisect.bisect_right(_starts, address)
        if index and (before := _BLOCKS[_starts[index - 1]]).address + before.size >= address:
            address = (before.address + before.size + 2 * ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
            continue
        if index < len(_starts) and _starts[index] < address + step:
            after = _BLOCKS[_starts[index]]
            address = (after.address + after.size + 2 * ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
            continue
        break
    _next[device] = address + step
    return address


def _enter(block: Block, taken: int = 0) -> None:
    """Book an allocation. No call between the three books: Ctrl-C comes at calls, and would leave them at odds."""
    address, device = block.address, block.device
    index = bisect.bisect_left(_starts, address)
    _BLOCKS[address] = block
    _starts[index:index] = [address]
    if taken:
        _used[device] += taken


def _poison(array: Bytes) -> None:
    if array.size <= POISON_WHOLE:
        array.fill(POISON)
    else:
        array[:POISON_ENDS].fill(POISON)
        array[-POISON_ENDS:].fill(POISON)


# Freeing


def release(address: int, host: bool = False) -> None:
    """Free an allocation. Queued tasks that still use it keep its bytes; nothing waits for them (RT-32, OP-15).

    Raises:
        AclFault: 107000 for a foreign, interior, freed or wrong-kind address (RT-31).
    """
    with _LOCK:
        block = _BLOCKS.get(address)
        if block is None:
            inside = find(address)
            reason = "is not the start of an allocation" if inside else "does not belong to a live allocation"
            raise AclFault(PARAM_INVALID, f"address [{address:#x}] {reason}")
        if not Settings.one_space and host != (block.device < 0):
            raise AclFault(PARAM_INVALID, f"address [{address:#x}] is {'host' if block.device < 0 else 'device'} memory")
        if block.owner:
            raise AclFault(PARAM_INVALID, f"address [{address:#x}] does not belong to malloc")
        _drop_tasks(block)
        _remove(block)
    _recycle(block)


def release_device(device: int) -> None:
    """Free all memory of a device, as the last ``reset_device`` does (RT-13)."""
    with _LOCK:
        lost = [block for block in _BLOCKS.values() if block.device == device]
        for block in lost:
            _remove(block)
    for block in lost:
        _drop_tasks(block)
        _recycle(block)


def _remove(block: Block) -> None:
    """Take an allocation out of the books, as ``_enter``."""
    index = bisect.bisect_left(_starts, block.address)
    del _BLOCKS[block.address]
    del _starts[index]
    if block.device >= 0 and block.owner != "alias":
        _used[block.device] -= block.size


def _drop_tasks(block: Block) -> None:
    tasks = block.tasks
    for prepared, key in tasks:
        prepared.pop(key, None)
    tasks.clear()


def _recycle(block: Block) -> None:
    """Keep large arrays that nothing refers to any more: faulting pages in again costs more than the work on them."""
    global _spare_bytes
    if block.owner:  # somebody else's bytes, or somebody still maps them
        return
    size = block.size
    if block.address == block.data:
        with _LOCK:
            graveyard.bury(block.data, size, block.raw)
        return
    del block.array
    raw = block.raw
    del block.raw
    if size < RECYCLE_FROM or _references(raw) > _LONE:
        return
    with _LOCK:
        if _spare_bytes + size <= RECYCLE_LIMIT:
            _spare.setdefault(size, []).append(raw)
            _spare_bytes += size


def clear() -> None:
    """Forget everything (``new_process``)."""
    global _spare_bytes
    with _LOCK:
        blocks = list(_BLOCKS.values())
        _BLOCKS.clear()
        _starts.clear()
        _next.clear()
        _used.clear()
        _spare.clear()
        _spare_bytes = 0
        graveyard.clear()
    for block in blocks:
        _drop_tasks(block)


# Looking


def find(address: int) -> Block | None:
    """The live allocation, device or pinned, that holds ``address``."""
    block = _BLOCKS.get(address)
    if block is not None:
        return block
    while True:
        index = bisect.bisect_right(_starts, address) - 1
        if index < 0:
            return None
        try:
            block = _BLOCKS[_starts[index]]
        except (KeyError, IndexError):  # another thread frees memory
            continue
        if block.address <= address < block.address + block.size:
            return block
        if block.address <= address and bisect.bisect_right(_starts, address) - 1 == index:  # else others moved the places meanwhile
            return None


def is_device(address: int) -> bool:
    """Whether an address lies in the devices' window or in device memory; the window holds for freed memory too."""
    if not Settings.one_space and DEVICE_BASE <= address < DEVICE_BASE + Settings.devices * DEVICE_SPAN:
        return True
    block = find(address)
    return block is not None and block.device >= 0


def block_of(address: int, nbytes: int) -> Block:
    """The allocation that holds the whole range.

    Raises:
        AclFault: 107000 if there is none or the range leaves it (RT-36).
    """
    block = find(address)
    if block is None:
        raise AclFault(PARAM_INVALID, f"address [{address:#x}] does not belong to a live allocation")
    view(block, address, nbytes)
    return block


def view(block: Block, address: int, nbytes: int) -> Bytes:
    """Bytes of a block that holds ``address``.

    Raises:
        AclFault: 107000 if the range leaves the block (RT-36).
    """
    start = address - block.address
    end = start + nbytes
    if end > block.size:
        raise AclFault(PARAM_INVALID, f"{nbytes} bytes from [{address:#x}] leave the allocation, which ends after {block.size - start}")
    return block.array[start:end]


def device_array(address: int, nbytes: int, device: int | None = None) -> Bytes:
    """The bytes of device memory as a writable view.

    Args:
        address: Start, anywhere inside one live allocation.
        nbytes: Length.
        device: Refuse memory of another device; None takes any.

    Raises:
        AclFault: 107000 if the range is not device memory.
    """
    block = find(address)
    if block is None:
        if Settings.one_space:
            return host_array(address, nbytes, write=True)
        raise AclFault(PARAM_INVALID, f"address [{address:#x}] does not belong to a live allocation")
    if block.device < 0:
        raise AclFault(PARAM_INVALID, f"address [{address:#x}] is host memory")
    if device is not None and block.device != device:
        raise AclFault(PARAM_INVALID, f"address [{address:#x}] belongs to device {block.device}, not to device {device}")
    return view(block, address, nbytes)


def host_array(address: int, nbytes: int, write: bool = False) -> Bytes:
    """Host bytes as a view without owner (pinned memory: with owner). Device memory is refused.

    Raises:
        AclFault: 107000 if the range is device memory, leaves its pinned block, or is not mapped.
    """
    block = find(address)
    if block is not None and (block.device < 0 or Settings.one_space):
        return view(block, address, nbytes)
    if is_device(address):
        raise AclFault(PARAM_INVALID, f"address [{address:#x}] is device memory, which the host can't read or write")
    if graveyard.holds(address, nbytes):
        raise AclFault(PARAM_INVALID, f"address [{address:#x}] belongs to memory that was freed")
    check_mapped(address, nbytes, write)
    return np.asarray(_Foreign(address, nbytes))


def host_bytes(address: int, nbytes: int) -> bytes:
    """A copy of host memory.

    Raises:
        AclFault: As ``host_array``.
    """
    return host_array(address, nbytes).tobytes()


def check_mapped(address: int, nbytes: int, write: bool = False) -> None:
    """Refuse a foreign host range that can't be touched, instead of crashing the interpreter.

    Raises:
        AclFault: 107000.
    """
    if not hostmap.accessible(address, nbytes, write):
        raise AclFault(PARAM_INVALID, f"{nbytes} bytes from [{address:#x}] are not mapped in this process")


def any_array(address: int, nbytes: int, write: bool = False) -> Bytes:
    """The bytes behind any address, as the synchronous copies see them: the address decides (RT-35).

    Raises:
        AclFault: 107000 if nothing valid is there.
    """
    block = find(address)
    return host_array(address, nbytes, write) if block is None else view(block, address, nbytes)
