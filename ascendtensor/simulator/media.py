"""``acl.media``: only the memory of the image and video units, which programs use without these units too."""

from __future__ import annotations

from .engine import contexts, hazards, memory
from .engine.arguments import function, null, public


def __dir__() -> list[str]:
    return public(__name__)


@function("acl.media.dvpp_malloc", "K", 0)
def dvpp_malloc(size: int) -> tuple[int, int]:
    """(address, ret) of device memory, as ``acl.rt.malloc`` (RT-28, RT-29)."""
    padded = memory.sized(size)
    return memory.allocate(contexts.current().device, padded).address, 0


@function("acl.media.dvpp_free", "K")
def dvpp_free(dev_ptr: int) -> int:
    """Waits for nothing, as ``acl.rt.free`` (RT-31, RT-32)."""
    if dev_ptr == 0:
        raise null("dev_ptr")
    hazards.check_freed(dev_ptr)
    memory.release(dev_ptr)
    return 0
