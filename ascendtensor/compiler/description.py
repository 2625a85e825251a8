"""What an operator model is made for: one operator with all its descriptions, constants and attributes, as plain data.

A `Description` is the compiler's input and the key of its output. `to_json` gives the object that ATC's `--singleop` file holds a list of
(CANN ATC guide, "Single-Operator Model Conversion"; read by single_op_parser.cc of the graph engine), `digest` a name for it that is the
same in every process and Python version.
"""

import hashlib
import json
import math
import operator
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

import numpy as np

from ascendtensor.codes import DataType, Format
from ascendtensor.errors import CompileError

ENCODING: Final = 1
"""Part of every digest; raised when `to_json` or the digest's form changes, so that models of before are not taken."""

AttributeKind = Literal[
    "bool",
    "int",
    "float",
    "string",
    "data_type",
    "list_bool",
    "list_int",
    "list_float",
    "list_string",
    "list_list_int",
    "list_data_type",
]
_KINDS: Final = frozenset(get_args(AttributeKind))

TYPE_NAMES: Final[dict[int, str]] = {
    DataType.FLOAT: "float",
    DataType.FLOAT16: "float16",
    DataType.INT8: "int8",
    DataType.INT32: "int32",
    DataType.UINT8: "uint8",
    DataType.INT16: "int16",
    DataType.UINT16: "uint16",
    DataType.UINT32: "uint32",
    DataType.INT64: "int64",
    DataType.UINT64: "uint64",
    DataType.DOUBLE: "double",
    DataType.BOOL: "bool",
    DataType.COMPLEX64: "complex64",
    DataType.COMPLEX128: "complex128",
    DataType.COMPLEX32: "complex32",
    DataType.BF16: "bfloat16",
    DataType.INT4: "int4",
    DataType.UINT1: "uint1",
    DataType.HIFLOAT8: "hifloat8",
    DataType.FLOAT8_E5M2: "float8_e5m2",
    DataType.FLOAT8_E4M3FN: "float8_e4m3fn",
}
"""Type names that ATC reads (single_op_parser.cc, kDataTypeDict); anything else is taken for UNDEFINED there."""

_FORMATS: Final = frozenset(
    ("NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1HWC0_C04", "HWCN", "NDHWC", "FRACTAL_NZ", "NCDHW", "NDC1HWC0", "FRACTAL_Z_3D", "NC")
)
"""Formats of `codes.Format` that ATC reads (single_op_parser.cc, kFormatDict)."""

CONSTANT_TYPES: Final[dict[int, np.dtype[Any]]] = {
    DataType.INT8: np.dtype("<i1"),
    DataType.UINT8: np.dtype("<u1"),
    DataType.INT16: np.dtype("<i2"),
    DataType.UINT16: np.dtype("<u2"),
    DataType.INT32: np.dtype("<i4"),
    DataType.UINT32: np.dtype("<u4"),
    DataType.INT64: np.dtype("<i8"),
    DataType.UINT64: np.dtype("<u8"),
    DataType.FLOAT16: np.dtype("<f2"),
    DataType.FLOAT: np.dtype("<f4"),
    DataType.DOUBLE: np.dtype("<f8"),
}
"""Types whose constants ATC reads (single_op_parser.cc, TransConstValue)."""


def _float32(value: float) -> float:
    """The double of the float32 that pyACL stores (PY-11)."""
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def _ints(values: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(operator.index, values))


_NORMAL: Final[dict[str, Callable[[Any], Any]]] = {
    "bool": bool,
    "int": operator.index,
    "float": _float32,
    "string": str,
    "data_type": operator.index,
    "list_bool": lambda values: tuple(map(bool, values)),
    "list_int": _ints,
    "list_float": lambda values: tuple(map(_float32, values)),
    "list_string": lambda values: tuple(map(str, values)),
    "list_list_int": lambda values: tuple(map(_ints, values)),
    "list_data_type": _ints,
}


@dataclass(frozen=True)
class TensorDescription:
    """One input or output of an operator.

    Attributes:
        dtype: `codes.DataType` as an int; UNDEFINED only in `ABSENT`.
        shape: Dims; -1 for one that varies, (-2,) for unknown rank.
        format: `codes.Format` as an int.
        ranges: One (low, high) for every dim, high -1 for no limit (TD-15); read only where the dim is -1. None means (1, -1).
        const: The little-endian bytes of a constant input, in row-major order.
        name: Name in the operator's prototype, where the compiler needs it.
        dynamic_input: The repeated input this is a member of; members follow each other (TD-20).
    """

    dtype: int
    shape: tuple[int, ...]
    format: int = 2
    ranges: tuple[tuple[int, int], ...] | None = None
    const: bytes | None = None
    name: str = ""
    dynamic_input: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _ints(self.shape))  # NumPy's integers are equal to Python's, but pyACL refuses them (PY-12)
        if self.const is not None and not self.const:
            # TD-17: set_tensor_const refuses 0 bytes, so such an input could never match.
            raise ValueError("an empty tensor can't be a constant; describe it as a plain input with a dim of 0")
        if self.ranges is not None and len(self.ranges) != len(self.shape):
            raise ValueError(f"{len(self.ranges)} ranges for {len(self.shape)} dims; one for each dim is needed")
        dtype = CONSTANT_TYPES.get(self.dtype)
        if self.const is not None and dtype is not None and len(self.const) != dtype.itemsize * math.prod(self.shape):
            raise ValueError(f"{len(self.const)} bytes for a constant of {TYPE_NAMES[self.dtype]}{list(self.shape)}")

    @property
    def absent(self) -> bool:
        """An optional input that is not given (TD-21)."""
        return self.dtype == DataType.UNDEFINED

    @property
    def dynamic(self) -> bool:
        """Some dim is only known at execution (TD-24)."""
        return any(dim < 0 for dim in self.shape)

    def values(self) -> "np.ndarray[Any, np.dtype[Any]] | None":
        """The constant as an array of its shape, None without a constant or for a type that NumPy lacks."""
        dtype = CONSTANT_TYPES.get(self.dtype)
        return None if self.const is None or dtype is None else np.frombuffer(self.const, dtype).reshape(self.shape)

    def __str__(self) -> str:
        if self.absent:
            return "absent"
        text = f"{TYPE_NAMES.get(self.dtype, self.dtype)}[{', '.join('?' if dim == -1 else str(dim) for dim in self.shape)}]"
        return text if self.const is None else f"{text}={self._constant_text()}"

    def _constant_text(self) -> str:
        values = self.values()
        if values is None:
            return "?"
        flat = values.reshape(-1)
        return f"[{', '.join(map(repr, flat[:8].tolist()))}{', ...' if flat.size > 8 else ''}]"


ABSENT: Final = TensorDescription(int(DataType.UNDEFINED), (), int(Format.UNDEFINED))
"""An optional input that is not given, in its position."""


@dataclass(frozen=True)
class Attribute:
    """One attribute; its kind takes part in the match (ATTR-7).

    Attributes:
        name: Name in the operator's prototype.
        kind: `bool int float string data_type` or a list of these (`list_list_int` too); data types are `codes.DataType` ints.
        value: Given as any fitting value, kept as plain Python values, tuples for lists, floats rounded to float32.
    """

    name: str
    kind: AttributeKind
    value: Any

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise ValueError(f"unknown attribute kind {self.kind!r}; one of {', '.join(sorted(_KINDS))}")
        object.__setattr__(self, "value", _NORMAL[self.kind](self.value))

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}"


@dataclass(frozen=True, eq=False)
class Description:
    """One operator to be compiled. Equal where the digests are, so bit for bit: 0.0 is not -0.0, and a NaN equals itself.

    Attributes:
        op_type: Ascend IR type, "Add".
        inputs, outputs: Descriptions in the prototype's order, `ABSENT` for an optional input not given.
        attrs: Attributes; their order means nothing.
    """

    op_type: str
    inputs: tuple[TensorDescription, ...]
    outputs: tuple[TensorDescription, ...]
    attrs: tuple[Attribute, ...] = ()
    _digest: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "attrs", tuple(sorted(self.attrs, key=lambda attr: attr.name)))

    def digest(self) -> str:
        """64 hexadecimal digits: SHA-256 over a canonical form of everything above."""
        if not self._digest:
            object.__setattr__(self, "_digest", hashlib.sha256(self._canonical().encode()).hexdigest())
        return self._digest

    def __eq__(self, other: object) -> bool:
        return self.digest() == other.digest() if isinstance(other, Description) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest())

    def __str__(self) -> str:
        attrs = "".join(f", {attr}" for attr in self.attrs)
        return f"{self.op_type}({', '.join(map(str, self.inputs))}{attrs}) -> {', '.join(map(str, self.outputs))}"

    @property
    def dynamic(self) -> bool:
        """The model takes more than one shape (OM-26)."""
        return any(desc.dynamic for desc in (*self.inputs, *self.outputs))

    @property
    def file_name(self) -> str:
        """Name for ATC's `name` key, which names the .om file: letters, digits and _ . - only, at most 128."""
        return f"{''.join(c for c in self.op_type if c.isascii() and c.isalnum())[:60]}_{self.digest()}"

    def _canonical(self) -> str:
        tensors = [
            [
                [int(d.dtype), _ints(d.shape), int(d.format), d.ranges, None if d.const is None else d.const.hex(), d.name, d.dynamic_input]
                for d in descs
            ]
            for descs in (self.inputs, self.outputs)
        ]
        attrs = [[attr.name, attr.kind, _exact(attr.value)] for attr in self.attrs]
        return json.dumps([ENCODING, self.op_type, *tensors, attrs], separators=(",", ":"), ensure_ascii=True, allow_nan=False)

    def to_json(self) -> dict[str, Any]:
        """The object for ATC's single-operator file.

        Raises:
            CompileError: ATC's file can't say this: a constant of a type such as bool, a value that is not finite, an unknown format.
        """
        return {
            "op": self.op_type,
            "name": self.file_name,
            "input_desc": [self._tensor_json(desc, f"input {i}") for i, desc in enumerate(self.inputs)],
            "output_desc": [self._tensor_json(desc, f"output {i}") for i, desc in enumerate(self.outputs)],
            "attr": [self._attribute_json(attr) for attr in self.attrs],
        }

    def _refuse(self, what: str, advice: str = "") -> CompileError:
        return CompileError(f"{self.op_type}: {what}", op_type=self.op_type, operands=str(self), advice=advice)

    def _tensor_json(self, desc: TensorDescription, place: str) -> dict[str, Any]:
        if desc.absent:
            return {"format": "RESERVED", "type": "UNDEFINED", "shape": []}
        if desc.dtype not in TYPE_NAMES:
            raise self._refuse(f"{place} has a data type ATC's description does not know ({desc.dtype})")
        form = Format(desc.format).name if desc.format in Format.__members__.values() else str(desc.format)
        if form not in _FORMATS:
            raise self._refuse(f"{place} has a format ATC's description does not know ({form})")
        result: dict[str, Any] = {"format": form, "type": TYPE_NAMES[desc.dtype], "shape": list(_ints(desc.shape))}
        ranges = desc.ranges or ((1, -1),) * len(desc.shape)
        if -1 in desc.shape:  # one pair per unknown dim, also for outputs (single_op_parser.cc, SetShapeRange)
            result["shape_range"] = [list(_ints(pair)) for dim, pair in zip(desc.shape, ranges, strict=True) if dim == -1]
        if desc.const is not None:
            result |= {"is_const": True, "const_value": self._constant_json(desc, place)}
        if desc.dynamic_input:
            result["dynamic_input"] = desc.dynamic_input
        elif desc.name:
            result["name"] = desc.name
        return result

    def _constant_json(self, desc: TensorDescription, place: str) -> list[int] | list[float]:
        if desc.dtype not in CONSTANT_TYPES:
            raise self._refuse(
                f"{place} is a {TYPE_NAMES[desc.dtype]} constant, which ATC's description can't hold",
                "Pass it as a tensor on the device, or as an integer constant where the operator takes one.",
            )
        values = desc.values()
        assert values is not None
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise self._refuse(f"{place} is a constant that is not finite, which JSON can't hold", "Pass it as a tensor on the device.")
        flat: list[int] | list[float] = values.reshape(-1).tolist()
        return flat

    def _attribute_json(self, attr: Attribute) -> dict[str, Any]:
        if attr.kind == "list_data_type":
            raise self._refuse(f"attribute {attr.name} is a list of data types, which ATC's description can't hold")
        value = attr.value
        floats = value if attr.kind == "list_float" else (value,) if attr.kind == "float" else ()
        if not all(map(math.isfinite, floats)):
            raise self._refuse(f"attribute {attr.name} is not finite, which JSON can't hold")
        if attr.kind == "data_type":
            known = value in DataType.__members__.values()
            value = f"DT_{DataType(value).name}" if known else value
        return {"name": attr.name, "type": attr.kind, "value": _plain(value)}


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _exact(value: Any) -> Any:
    """The value with floats spelled bit for bit."""
    if isinstance(value, tuple):
        return [_exact(item) for item in value]
    return struct.pack("<f", value).hex() if isinstance(value, float) else value
