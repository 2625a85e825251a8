"""Tensor descriptors and data buffers: functions of ``acl`` itself (TD-1 .. TD-24, DB-1 .. DB-3)."""

from __future__ import annotations

import math
from typing import Any, Final

from ascendtensor.codes import data_type_size as _type_size

from .engine import memory
from .engine.arguments import function, invalid, long_list, null
from .engine.diagnostics import dead, missing
from .engine.refusals import not_ints, not_list
from .engine.tables import BUFFERS, DESCS, DataBuffer, TensorDesc, new_handle

UNKNOWN_RANK: Final = 0xFFFF_FFFF_FFFF_FFFE
MAX_RANGE_NUMBERS: Final = 4096


def _desc(handle: int) -> TensorDesc:
    found = DESCS.get(handle)
    if found is None:
        raise missing("desc", handle, "tensor descriptor")
    return found


def _known(handle: int) -> TensorDesc | None:
    """As ``_desc``, for functions that have no code to answer."""
    found = DESCS.get(handle)
    if found is None and handle:
        dead("desc", handle, "tensor descriptor")
    return found


# Descriptors


@function("acl.create_tensor_desc", "iOi")
def create_tensor_desc(data_type: int, dims: Any, format: int) -> int:
    """A descriptor; nothing is validated (TD-1, PY-12)."""
    shape = long_list("acl.create_tensor_desc", dims)
    handle = new_handle()
    DESCS[handle] = TensorDesc(data_type, shape, format)
    return handle


@function("acl.destroy_tensor_desc", "K")
def destroy_tensor_desc(desc: int) -> None:
    """Null is a no-op (TD-3)."""
    _known(desc)
    DESCS.pop(desc, None)


@function("acl.get_tensor_desc_type", "K")
def get_tensor_desc_type(desc: int) -> int:
    """-1 for null (TD-4)."""
    found = _known(desc)
    return -1 if found is None else found.dtype


@function("acl.get_tensor_desc_format", "K")
def get_tensor_desc_format(desc: int) -> int:
    """The origin format (TD-5)."""
    found = _known(desc)
    return -1 if found is None else found.format


def _element_count(dims: list[int]) -> int:
    """TD-6."""
    if any(dim < 0 for dim in dims):
        return 0
    count = math.prod(dims)
    return count if count < 1 << 63 else 0


@function("acl.get_tensor_desc_element_count", "K")
def get_tensor_desc_element_count(desc: int) -> int:
    """Product of the origin dims; 0 if one is negative or the product overflows (TD-6)."""
    found = _known(desc)
    return 0 if found is None else _element_count(found.dims)


@function("acl.get_tensor_desc_size", "K")
def get_tensor_desc_size(desc: int) -> int:
    """Element count times type size (TD-6)."""
    found = _known(desc)
    return 0 if found is None else _element_count(found.dims) * _type_size(found.dtype)


@function("acl.get_tensor_desc_num_dims", "K")
def get_tensor_desc_num_dims(desc: int) -> int:
    """Rank, or 0xFFFFFFFFFFFFFFFE if unknown (TD-8)."""
    found = _known(desc)
    if found is None:
        return 0
    return UNKNOWN_RANK if found.dims == [-2] else len(found.dims)


@function("acl.get_tensor_desc_dim", "KK")
def get_tensor_desc_dim(desc: int, index: int) -> int:
    """-1 on any error (TD-9)."""
    found = _known(desc)
    return found.dims[index] if found is not None and index < len(found.dims) else -1


@function("acl.get_tensor_desc_dim_v2", "KK", 0)
def get_tensor_desc_dim_v2(desc: int, index: int) -> tuple[int, int]:
    """(dim, ret) (TD-9)."""
    dims = _desc(desc).dims
    if index >= len(dims):
        raise invalid("index", index, f"must be below the rank {len(dims)}")
    return dims[index], 0


@function("acl.get_tensor_desc_dim_range", "KKK", None)
def get_tensor_desc_dim_range(desc: int, index: int, dim_range_num: int) -> tuple[list[int] | None, int]:
    """(range, ret); the index counts ranges, not dims (TD-10)."""
    if dim_range_num > MAX_RANGE_NUMBERS or dim_range_num < 2:
        raise invalid("dim_range_num", dim_range_num, f"must be in [2, {MAX_RANGE_NUMBERS}]")
    ranges = _desc(desc).ranges
    if index >= len(ranges):
        raise invalid("index", index, f"must be below the number of ranges, {len(ranges)}")
    return [*ranges[index], *[0] * (dim_range_num - 2)], 0


@function("acl.get_tensor_desc_name", "K")
def get_tensor_desc_name(desc: int) -> str:
    """ "" for null (TD-4)."""
    found = _known(desc)
    return "" if found is None else found.name


@function("acl.set_tensor_desc_name", "Ks")
def set_tensor_desc_name(desc: int, name: str) -> None:
    """Ignored on null (TD-11)."""
    found = _known(desc)
    if found is not None:
        found.name = name


@function("acl.get_tensor_desc_address", "K")
def get_tensor_desc_address(desc: int) -> int:
    """0: only descriptors of the model-exception API have one (TD-23)."""
    _known(desc)
    return 0


@function("acl.get_tensor_desc_by_index", "KK")
def get_tensor_desc_by_index(desc: int, index: int) -> int:
    """Element 0 is the descriptor itself; beyond, a board gives a wild address and the simulator 0 (TD-23)."""
    return desc if _known(desc) is not None and index == 0 else 0


@function("acl.trans_tensor_desc_format", "Ki", 0)
def trans_tensor_desc_format(desc: int, format: int) -> tuple[int, int]:
    """Reserved (TD-22)."""
    return 0, 200001


def _set_storage_format(desc: int, format: int) -> int:
    """Null succeeds (TD-13)."""
    if desc:
        found = _desc(desc)
        found.storage_format = format
        found.spec = None
    return 0


@function("acl.set_tensor_format", "Ki")
def set_tensor_format(desc: int, format: int) -> int:
    """Storage format (TD-13)."""
    return _set_storage_format(desc, format)


@function("acl.set_tensor_storage_format", "Ki")
def set_tensor_storage_format(desc: int, format: int) -> int:
    """Storage format (TD-13)."""
    return _set_storage_format(desc, format)


@function("acl.set_tensor_origin_format", "Ki")
def set_tensor_origin_format(desc: int, format: int) -> int:
    """Origin format; null succeeds (TD-13)."""
    if desc:
        found = _desc(desc)
        found.format = format
        found.spec = None
    return 0


@function("acl.set_tensor_shape", "KO")
def set_tensor_shape(desc: int, dims: Any) -> int:
    """Storage dims only (TD-12)."""
    shape = long_list("acl.set_tensor_shape", dims)
    _desc(desc).storage_dims = shape
    return 0


@function("acl.set_tensor_storage_shape", "KO")
def set_tensor_storage_shape(desc: int, dims: Any) -> int:
    """Storage dims only (TD-12)."""
    shape = long_list("acl.set_tensor_storage_shape", dims)
    _desc(desc).storage_dims = shape
    return 0


@function("acl.set_tensor_origin_shape", "KO")
def set_tensor_origin_shape(desc: int, dims: Any) -> int:
    """Origin dims only (TD-12)."""
    shape = long_list("acl.set_tensor_origin_shape", dims)
    found = _desc(desc)
    found.dims = shape
    found.spec = None
    return 0


def _pairs(name: str, ranges: Any) -> list[tuple[int, int]]:
    """A list of lists of at least two ints, of which two are read."""
    if not isinstance(ranges, list):
        not_list(name)
    pairs = []
    for element in ranges:
        if not isinstance(element, list):
            raise TypeError("the list argument is not list")
        numbers = long_list(name, element[:2])
        if len(numbers) < 2:
            not_ints(name)
        pairs.append((numbers[0], numbers[1]))
    return pairs


@function("acl.set_tensor_shape_range", "KO")
def set_tensor_shape_range(desc: int, ranges: Any) -> int:
    """Replaces the ranges; their number is not checked (TD-14)."""
    pairs = _pairs("acl.set_tensor_shape_range", ranges)
    found = _desc(desc)
    found.ranges = pairs
    found.spec = None
    return 0


@function("acl.set_tensor_value_range", "KO")
def set_tensor_value_range(desc: int, ranges: Any) -> int:
    """Replaces the value ranges (TD-14)."""
    pairs = _pairs("acl.set_tensor_value_range", ranges)
    _desc(desc).value_range = pairs
    return 0


@function("acl.set_tensor_dynamic_input", "Ks")
def set_tensor_dynamic_input(desc: int, name: str) -> int:
    """Member of a repeated input (TD-20)."""
    found = _desc(desc)
    found.dynamic_input = name
    found.spec = None
    return 0


@function("acl.set_tensor_const", "KKK")
def set_tensor_const(desc: int, data_ptr: int, size: int) -> int:
    """Copy ``size`` bytes of host memory into the descriptor at once (TD-17, TD-18)."""
    found = _desc(desc)
    if data_ptr == 0:
        raise null("data_ptr")
    if size == 0:
        raise invalid("size", size, "must be greater than 0")
    found.const = memory.host_bytes(data_ptr, size)
    found.spec = None
    return 0


@function("acl.set_tensor_place_ment", "Ki")
def set_tensor_place_ment(desc: int, mem_type: int) -> int:
    """Stored unchecked (TD-19)."""
    found = _desc(desc)
    found.placement = mem_type
    found.spec = None
    return 0


# Data buffers


@function("acl.create_data_buffer", "KK")
def create_data_buffer(data_ptr: int, size: int) -> int:
    """Anything goes (DB-1)."""
    handle = new_handle()
    BUFFERS[handle] = DataBuffer(handle, data_ptr, size)
    return handle


def _buffer(handle: int) -> DataBuffer:
    found = BUFFERS.get(handle)
    if found is None:
        raise missing("buffer", handle, "data buffer")
    return found


def _known_buffer(handle: int) -> DataBuffer | None:
    """As ``_buffer``, for functions that have no code to answer."""
    found = BUFFERS.get(handle)
    if found is None and handle:
        dead("buffer", handle, "data buffer")
    return found


@function("acl.destroy_data_buffer", "K")
def destroy_data_buffer(buffer: int) -> int:
    """The memory behind it stays (DB-3)."""
    _buffer(buffer).drop_tasks()
    BUFFERS.pop(buffer, None)
    return 0


@function("acl.update_data_buffer", "KKK")
def update_data_buffer(buffer: int, data_ptr: int, size: int) -> int:
    """New address and size (DB-1)."""
    found = _buffer(buffer)
    found.drop_tasks()
    found.address, found.size = data_ptr, size
    return 0


@function("acl.get_data_buffer_addr", "K")
def get_data_buffer_addr(buffer: int) -> int:
    """0 for null (DB-1)."""
    found = _known_buffer(buffer)
    return 0 if found is None else found.address


@function("acl.get_data_buffer_size", "K")
def get_data_buffer_size(buffer: int) -> int:
    """Cut to 32 bits (DB-2)."""
    found = _known_buffer(buffer)
    return 0 if found is None else found.size & 0xFFFFFFFF


@function("acl.get_data_buffer_size_v2", "K")
def get_data_buffer_size_v2(buffer: int) -> int:
    """Exact (DB-2)."""
    found = _known_buffer(buffer)
    return 0 if found is None else found.size
