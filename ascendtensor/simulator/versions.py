"""``acl``: which release this is, and what it can do. The answers are those of CANN 8.1.RC1 on a board with an Ascend 910B."""

from __future__ import annotations

from typing import Any, Final

from .engine import contexts
from .engine.absent import absent
from .engine.arguments import function, invalid
from .rt_device import CUBE_CORES, L2_BYTES, VECTOR_CORES

__all__ = ["get_cann_attribute", "get_cann_attribute_list", "get_cann_version", "get_device_capability", "get_version_str"]

PACKAGES: Final = range(8)
INF_NAN, BF16, JIT_COMPILE = range(3)
_ATTRIBUTES: Final = {INF_NAN: 1, BF16: 1, JIT_COMPILE: 1}
_INFO: Final = {0: CUBE_CORES, 1: VECTOR_CORES, 2: L2_BYTES}

get_version_str = absent("acl.get_version_str", "s", "", code=200001)


_VERSION: Final = {"version": "8.1.RC1", "major_version": "8", "minor_version": "1", "release_version": "RC1", "patch_version": ""}


@function("acl.get_cann_version", "I", dict.fromkeys([*_VERSION, "reserved"], ""))
def get_cann_version(package: int) -> tuple[dict[str, Any], int]:
    """(version of a package, all in texts, ret)."""
    if package not in PACKAGES:
        raise invalid("package", package, "must be in [0, 7]")
    return {**_VERSION, "reserved": ""}, 0


@function("acl.get_cann_attribute_list", "", [], 0)
def get_cann_attribute_list() -> tuple[list[int], int, int]:
    """(attributes, their number, ret)."""
    return list(_ATTRIBUTES), len(_ATTRIBUTES), 0


@function("acl.get_cann_attribute", "i", 0)
def get_cann_attribute(attr: int) -> tuple[int, int]:
    """(1 if the release can do it, ret)."""
    if attr not in _ATTRIBUTES:
        raise invalid("attr", attr, "must be in [0, 2]")
    return _ATTRIBUTES[attr], 0


@function("acl.get_device_capability", "Ii", 0)
def get_device_capability(device_id: int, device_info: int) -> tuple[int, int]:
    """(cores or bytes of second-level cache, ret)."""
    contexts.check_device(device_id)
    if device_info not in _INFO:
        raise invalid("device_info", device_info, "must be in [0, 2]")
    return _INFO[device_info], 0
