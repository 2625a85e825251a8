"""Tensors in files: .safetensors, and NumPy's .npy and .npz. None of them holds code that runs when it is read.

This is the one module that knows the package safetensors, which is optional.
"""

from __future__ import annotations

import io
import math
import os
import secrets
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import ml_dtypes
import numpy as np

from .base import TensorBase
from .errors import AscendTensorError, DTypeError, FileFormatError, ShapeError, UnsupportedError, ValueRangeError
from .ops import host
from .ops.arguments import checked, described
from .runtime.device import DeviceLike
from .shapes import MAX_RANK

_installed: Any = None
try:
    import safetensors.numpy
except ImportError:  # the extra
    pass
else:
    _installed = safetensors

if TYPE_CHECKING:
    from .tensor import NPUTensor

__all__ = ["load", "save"]

Array = np.ndarray[Any, np.dtype[Any]]

SUFFIXES: Final = (".safetensors", ".npz", ".npy")
_NPY: Final = b"\x93NUMPY"
_ZIP: Final = b"PK\x03\x04"
_EMPTY_ZIP: Final = b"PK\x05\x06"
_LONGEST_NAME: Final = 0xFFFF
_TYPES: Final[dict[str, Any]] = {
    "BOOL": np.bool_,
    "U8": np.uint8,
    "I8": np.int8,
    "U16": np.uint16,
    "I16": np.int16,
    "F16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "U32": np.uint32,
    "I32": np.int32,
    "F32": np.float32,
    "U64": np.uint64,
    "I64": np.int64,
    "F64": np.float64,
    "C64": np.complex64,
}
"""Dtypes as safetensors files name them."""


@checked
def save(obj: Any, f: Any, *, format: str | None = None) -> None:
    """Write a tensor, or a dict of tensors, into a file.

    A file that exists is replaced only once the new one is complete; pipes and devices are written to as they are. Views are written as
    contiguous values, memory that tensors share once for each of them.

    Args:
        obj: A tensor (.npy), or a dict of tensors by name (.safetensors, .npz).
        f: A path with one of these suffixes, or a file that is open for writing in binary mode.
        format: "safetensors", "npz" or "npy", in place of the suffix.

    Raises:
        FileFormatError: The suffix says no format.
        DTypeError: `obj` is something else, or holds something else; the format has no name for a dtype: .npy and .npz for bfloat16,
            .safetensors for complex128.
        ValueRangeError: Two names that the format can't tell apart.
        UnsupportedError: .safetensors without the package safetensors.
        OSError: The file can't be written.

    Like: torch.save, numpy.save, numpy.savez, safetensors.numpy.save_file.

    Examples:
        >>> at.save({"weight": at.ones(2)}, "model.npz")
        >>> at.load("model.npz")
        {'weight': tensor([1., 1.], device='npu:0')}
    """
    kind = _format(f, format, "save")
    if kind == "npy":
        content = _npy(_array(obj, "a .npy file holds one tensor", kind))
    else:
        if not isinstance(obj, Mapping) or not all(isinstance(name, str) for name in obj):
            given = f"{described(obj)} with names that are no str" if isinstance(obj, Mapping) else described(obj)
            advice = 'Give {"name": tensor}; of a module its state_dict(). A .npy file holds one tensor.'
            raise DTypeError(f"a .{kind} file holds a dict of tensors by name, not {given}", where="save", advice=advice)
        arrays = {name: _array(value, f"{name!r} must be a tensor", kind) for name, value in obj.items()}
        content = _npz(arrays) if kind == "npz" else _safetensors(arrays)
    if hasattr(f, "write"):
        _write_all(f, content)
    else:
        _replace(Path(os.fsdecode(f)), content)


@checked
def load(
    f: Any, map_location: DeviceLike = None, *, device: DeviceLike = None, weights_only: bool = True
) -> NPUTensor | dict[str, NPUTensor]:
    """Read what `save` has written, or a file of these formats by others. The content says which one it is, not the suffix.

    Args:
        f: A path, or a file that is open for reading in binary mode, which is read to its end.
        map_location: PyTorch's word for `device`.
        device: Where the tensors go; by default the thread's current device.
        weights_only: Accepted as in PyTorch: nothing but tensors is ever read.

    Returns:
        A tensor for .npy, a dict of tensors for .npz and .safetensors.

    Raises:
        FileFormatError: The file is truncated or damaged, of another format, or holds Python objects, which are never unpickled.
        DTypeError: It holds a dtype that tensors don't have.
        UnsupportedError: .safetensors without the package safetensors.
        OSError: The file can't be read.

    Like: torch.load, numpy.load, safetensors.numpy.load_file.

    Examples:
        >>> at.save(at.tensor([1, 2]), "values.npy")
        >>> at.load("values.npy")
        tensor([1, 2], device='npu:0')
    """
    device = map_location if device is None else device
    content = _content(f)
    if content.startswith(_NPY):
        return _upload(_from_npy(content, ".npy file"), "the .npy file", device)
    if content.startswith((_ZIP, _EMPTY_ZIP)):
        arrays = _from_npz(content)
    elif len(content) >= 9 and content[8:9] == b"{":
        arrays = _from_safetensors(content)
    else:
        raise _foreign(content)
    return {name: _upload(array, repr(name), device) for name, array in arrays.items()}


def _upload(array: Array, what: str, device: DeviceLike) -> NPUTensor:
    try:
        return host.upload(array, None, device)  # type: ignore[no-any-return]
    except (DTypeError, ShapeError) as error:
        raise type(error)(f"{what} can't become a tensor: {error.message}", where="load", advice=error.advice) from None


def _foreign(content: bytes) -> AscendTensorError:
    if content[:1] == b"\x80":
        what = "this is a pickle, which could run any code when it is read"
    else:
        what = "the file is empty" if not content else "the file is truncated, or is none of .npy, .npz and .safetensors"
    return FileFormatError(what, where="load", advice="Write files with save(), numpy.save, numpy.savez or safetensors.")


def _format(f: Any, format: str | None, function: str) -> str:
    if not hasattr(f, "write") and not isinstance(f, (str, os.PathLike)):
        advice = "First the tensor or the dict of tensors, then the file." if function == "save" else ""
        raise DTypeError(f"a path or an open file is needed, not {described(f)}", where=function, advice=advice)
    if isinstance(f, io.TextIOBase):
        raise DTypeError("the file is open in text mode", where=function, advice="Open it in binary mode.")
    name = getattr(f, "name", "") if hasattr(f, "write") else os.fsdecode(f)
    suffix = "." + format.lstrip(".") if format is not None else os.path.splitext(name if isinstance(name, str) else "")[1].lower()
    if suffix not in SUFFIXES:
        raise FileFormatError(
            f"{suffix or 'a name without suffix'} is no format: there are {', '.join(SUFFIXES)}",
            where=function,
            advice="Give the file's name one of these endings, or format=.",
        )
    return suffix[1:]


def _content(f: Any) -> bytes:
    if hasattr(f, "read"):
        content = None if isinstance(f, io.TextIOBase) else f.read()
        if not isinstance(content, (bytes, bytearray, memoryview)):
            raise DTypeError("the file is open in text mode", where="load", advice="Open it in binary mode.")
        return bytes(content)
    if not isinstance(f, (str, os.PathLike)):
        raise DTypeError(f"a path or an open file is needed, not {described(f)}", where="load")
    return Path(os.fsdecode(f)).read_bytes()


def _write_all(file: Any, content: bytes) -> None:
    """All of the content, where a file without a buffer may take it in parts: Linux writes at most 2 GiB at once."""
    rest = memoryview(content)
    while rest:
        written = file.write(rest)
        if not isinstance(written, int) or written >= len(rest):  # what gives no number takes all
            return
        rest = rest[written:]


def _replace(path: Path, content: bytes) -> None:
    """Write beside the file, then put the new one in its place."""
    target = path.resolve()  # a link stays one
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            file.write(content)
        return
    beside = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:  # less what the user's mask takes
            file.write(content)
        if target.exists():
            os.chmod(beside, target.stat().st_mode & 0o777)
        os.replace(beside, target)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:  # its names are those of the file beside
            raise type(error)(error.errno, error.strerror, str(path)) from None
        raise


# Arrays into bytes


def _array(value: Any, needed: str, kind: str) -> Array:
    if not isinstance(value, TensorBase):
        raise DTypeError(f"{needed}, not {described(value)}", where="save")
    dtype = value.desc.dtype
    lost = "bfloat16" if kind in ("npy", "npz") else "complex128"
    if dtype.name == lost:
        advice = "Use .safetensors, or convert with .float()." if lost == "bfloat16" else "Use .npz, or view_as_real()."
        raise DTypeError(f".{kind} files have no {lost}", where="save", advice=advice)
    return host.download(value)


_FORMAT: Final[Any] = np.lib.format  # without types before NumPy 2


def _npy(array: Array) -> bytes:
    file = io.BytesIO()
    _FORMAT.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def _npz(arrays: Mapping[str, Array]) -> bytes:
    file = io.BytesIO()
    members: set[str] = set()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")  # of a fixed date, so that equal tensors give equal files
            if member.filename != f"{name}.npy" or member.filename in members or len(os.fsencode(member.filename)) > _LONGEST_NAME:
                raise ValueRangeError(f"the name {name!r} can't stand in a .npz file", where="save")
            members.add(member.filename)
            with archive.open(member, "w", force_zip64=True) as entry:
                entry.write(_npy(array))
    return file.getvalue()


def _package() -> Any:
    if _installed is None:
        raise UnsupportedError("the package safetensors is not installed", advice="pip install 'ascendtensor[safetensors]'.")
    return _installed


def _safetensors(arrays: Mapping[str, Array]) -> bytes:
    package = _package()
    if "__metadata__" in arrays:
        raise ValueRangeError("the name '__metadata__' can't stand in a .safetensors file", where="save")
    content: bytes = package.numpy.save(dict(arrays))
    return content


# Bytes into arrays


def _from_npy(content: bytes, what: str) -> Array:
    file: BinaryIO = io.BytesIO(content)
    try:
        version = _FORMAT.read_magic(file)
        if version == (3, 0):
            raise DTypeError(f"the {what} holds structures, a dtype that tensors don't have", where="load")
        read = {(1, 0): _FORMAT.read_array_header_1_0, (2, 0): _FORMAT.read_array_header_2_0}[version]
        shape, columns_first, dtype = read(file)
    except (ValueError, KeyError, TypeError, SyntaxError, EOFError, OverflowError, MemoryError, RecursionError, TokenError) as error:
        raise FileFormatError(f"the header of the {what} is damaged: {error}", where="load") from None
    if dtype.hasobject:
        raise FileFormatError(f"the {what} holds Python objects, which would have to be unpickled", where="load")
    there, needed = len(content) - file.tell(), math.prod(shape) * dtype.itemsize
    if there != needed or any(length < 0 for length in shape):
        raise FileFormatError(
            f"the {what} is truncated or damaged: {needed} bytes of {list(shape)} are needed, {there} are there", where="load"
        )
    if len(shape) > MAX_RANK:
        raise FileFormatError(f"the {what} has {len(shape)} dimensions, tensors have at most {MAX_RANK}", where="load")
    flat = np.frombuffer(content, dtype, math.prod(shape), file.tell()) if needed else np.empty(math.prod(shape), dtype)
    found: Array = flat.reshape(tuple(map(int, shape)), order="F" if columns_first else "C")
    return found


def _from_npz(content: bytes) -> dict[str, Array]:
    arrays = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                name = member.filename
                if not name.endswith(".npy"):
                    what = "this is a file of torch.save, which holds a pickle" if name.endswith(".pkl") else f"{name!r} is no array"
                    raise FileFormatError(what, where="load", advice="Read it where it was made, and write its tensors with save().")
                arrays[name.removesuffix(".npy")] = _from_npy(archive.read(member), f"array {name!r}")
    except AscendTensorError:
        raise
    except Exception as error:  # zipfile has no one class for what can be wrong with an archive
        raise FileFormatError(f"the .npz file is truncated or damaged: {error}", where="load") from None
    return arrays


def _from_safetensors(content: bytes) -> dict[str, Array]:
    package = _package()
    try:
        found = package.deserialize(content)
    except package.SafetensorError as error:
        raise FileFormatError(f"the .safetensors file is truncated or damaged: {error}", where="load") from None
    arrays = {}
    for name, value in found:
        if value["dtype"] not in _TYPES:
            raise DTypeError(f"{name!r} is of {value['dtype']}, a dtype that tensors don't have", where="load")
        dtype = np.dtype(_TYPES[value["dtype"]])
        arrays[name] = np.frombuffer(bytes(value["data"]), dtype).reshape(value["shape"])
    return arrays
