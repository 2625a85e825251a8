"""``acl.media``: only the memory of the image and video units, which programs use without these units too."""

from __future__ import annotations

from typing import Final, NoReturn

from .engine import contexts, hazards, memory
from .engine.arguments import function, null, public

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
            ": the simulator has no image and video units (DVPP). Decode and resize on the host, by Pillow or OpenCV for instance, and let "
            "the model convert colours and normalize (AIPP, atc --insert_op_conf)"
        )
    return AttributeError(text, name=name)


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
