"""DLPack's capsules from inside: bfloat16, which NumPy neither exports nor takes, and capsules that come without their owner.

The structures are those of dlpack.h (DLTensor, DLManagedTensor, DLManagedTensorVersioned). A capsule just made may be written to:
nobody else has seen it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final

import ml_dtypes
import numpy as np

from .errors import DTypeError

Array = np.ndarray[Any, np.dtype[Any]]


class DeviceKind(IntEnum):
    """DLPack's numbers of kinds of devices (dlpack.h, DLDeviceType)."""

    CPU = 1
    CUDA_HOST = 3
    ROCM_HOST = 11
    EXTENSION = 12
    CUDA_MANAGED = 13


READABLE: Final = (DeviceKind.CPU, DeviceKind.CUDA_HOST, DeviceKind.ROCM_HOST, DeviceKind.CUDA_MANAGED)
"""Kinds of memory that the host can read."""
INTEGERS, UNSIGNED, FLOATS, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6
"""Codes of dtypes (DLDataTypeCode)."""
COPIED: Final = 2
"""The flag that says that the memory is a copy (DLPACK_FLAG_BITMASK_IS_COPIED)."""


class _Header(ctypes.Structure):
    """DLTensor."""

    kind: int
    number: int
    code: int
    bits: int
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("kind", ctypes.c_int32),
        ("number", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned; the unversioned one begins with the header."""

    flags: int
    header: _Header
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("header", _Header),
    )


_is_valid: Final[Callable[[Any, bytes], int]] = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_pointer: Final[Callable[[Any, bytes], int]] = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def header(capsule: Any) -> tuple[_Header, _Versioned | None] | None:
    """What a capsule describes, and the versioned structure around it; None for what is no capsule, or was taken before."""
    if _is_valid(capsule, b"dltensor_versioned"):
        whole = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        return whole.header, whole
    if _is_valid(capsule, b"dltensor"):
        return _Header.from_address(_pointer(capsule, b"dltensor")), None
    return None


def exported(array: Array, max_version: tuple[int, int] | None, copied: bool) -> Any:
    """A capsule over an array of any dtype that tensors have."""
    short = array.dtype == ml_dtypes.bfloat16
    export: Any = (array.view(np.uint16) if short else array).__dlpack__
    try:
        capsule = export(max_version=max_version)
    except TypeError:  # NumPy before 2.1
        capsule = export()
    found = header(capsule)
    assert found is not None
    if short:
        found[0].code = BFLOAT
    if copied and found[1] is not None:
        found[1].flags |= COPIED
    return capsule


class _NoExporter(DTypeError, AttributeError):
    """What the array API standard expects for an object without the methods: an AttributeError."""


class Exporter:
    """Another library's array as NumPy can take it: bfloat16 as uint16.

    Attributes:
        device: DLPack's kind and number of its device.
    """

    def __init__(self, x: Any) -> None:
        bare = header(x)
        if bare is not None:
            self.export: Callable[..., Any] = lambda **options: x
            self.device = bare[0].kind, bare[0].number
        elif type(x).__name__ == "PyCapsule":
            text = "the capsule is none of DLPack's, or somebody took its memory before"
            raise DTypeError(text, where="from_dlpack", advice="A capsule serves once: export again, or give the array itself.")
        elif not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
            raise _NoExporter(f"{type(x).__name__} has no __dlpack__", where="from_dlpack", advice="tensor() takes any array-like.")
        else:
            self.export = x.__dlpack__
            kind, number = x.__dlpack_device__()
            self.device = int(kind), number
        self.short = False

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.export(**options)
        found = header(capsule)
        if found is not None:
            code, bits = found[0].code, found[0].bits
            if code == BFLOAT and bits == 16:
                found[0].code = UNSIGNED
                self.short = True
            elif code not in (INTEGERS, UNSIGNED, FLOATS, COMPLEX, BOOL):
                text = f"tensors can't have DLPack's dtype of code {code} with {bits} bits"
                raise DTypeError(text, where="from_dlpack", advice="Convert it first, to float32 for instance.")
        return capsule

    def array(self) -> Array:
        """The memory as an array; a view of it."""
        seen: Array = np.from_dlpack(self)
        return seen.view(ml_dtypes.bfloat16) if self.short else seen


def array(data: Any) -> Array | None:
    """What an object of another library shows by DLPack on the host, None where it shows nothing that tensors can have."""
    if not hasattr(data, "__dlpack__"):
        return None
    try:
        exporter = Exporter(data)
        return exporter.array() if exporter.device[0] in READABLE else None
    except (BufferError, DTypeError, RuntimeError):
        return None
