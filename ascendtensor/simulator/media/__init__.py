"""``acl.media``: the image units (DVPP V1) - memory, descriptions, JPEG and PNG files, the VPC. Video units are not there."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from .. import rt_memory
from ..engine import contexts, hazards, memory
from ..engine.arguments import function, null, public
from .jpeg import *  # noqa: F403
from .objects import *  # noqa: F403
from .png import *  # noqa: F403
from .vpc import *  # noqa: F403

UNITS: Final = ("dvpp_", "vdec_", "venc_", "himpi", "fv")
"""How the names of functions of the image, video and retrieval units begin, in `acl.media` and `acl` (chapters of pyACL's reference)."""


def __dir__() -> list[str]:
    return public(__name__)


def __getattr__(name: str) -> NoReturn:
    """What is missing, and what to do instead; invented names get the text that they get on a board."""
    raise lacking("acl.media", name)


def lacking(module: str, name: str) -> AttributeError:
    """The error for a name that a module of the simulator does not have."""
    text = f"module '{module}' has no attribute '{name}'"
    if name.startswith(UNITS):
        text += (
            ": of the image and video units (DVPP) the simulator has those for pictures, acl.media.dvpp_..., neither video nor acl.himpi. "
            "Decode video on the host, by OpenCV for instance, and let the model convert colours and normalize (AIPP, atc --insert_op_conf)"
        )
    return AttributeError(text, name=name)


@function("acl.media.dvpp_malloc", "K", 0)
def dvpp_malloc(size: int) -> tuple[int, int]:
    """(address, ret) of device memory, as ``acl.rt.malloc`` (RT-28, RT-29); the image units take no other."""
    padded = memory.sized(size)
    block = memory.allocate(contexts.current().device, padded)
    block.units = True
    return block.address, 0


@function("acl.media.dvpp_malloc_with_cfg", "KiO", 0)
def dvpp_malloc_with_cfg(size: int, policy: int, cfg: Any) -> tuple[int, int]:
    """(address, ret), as ``acl.rt.malloc_with_cfg``, of memory for the image units."""
    address, ret = rt_memory.malloc_with_cfg(size, policy, cfg)
    block = memory.find(address)
    if block is not None:
        block.units = True
    return address, ret


@function("acl.media.dvpp_free", "K")
def dvpp_free(dev_ptr: int) -> int:
    """Waits for nothing, as ``acl.rt.free`` (RT-31, RT-32)."""
    if dev_ptr == 0:
        raise null("dev_ptr")
    hazards.check_freed(dev_ptr, units=True)
    memory.release(dev_ptr)
    return 0
