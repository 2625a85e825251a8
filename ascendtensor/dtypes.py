"""Element types.

The words are PyTorch's: ``float32``, ``bfloat16``, ``bool`` (here ``bool_``, so that the builtin stays usable). Each type is one object, so
``is`` and ``==`` say the same. On the host ``bfloat16`` is held in arrays of ``ml_dtypes.bfloat16``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import ml_dtypes
import numpy as np

from . import absent
from .codes import DataType
from .errors import DTypeError

__all__ = [
    "ALL",
    "BY_NAME",
    "DType",
    "DTypeLike",
    "as_dtype",
    "bfloat16",
    "bool_",
    "complex64",
    "complex128",
    "dtype",
    "finfo",
    "float16",
    "float32",
    "float64",
    "from_acl",
    "from_numpy",
    "get_default_dtype",
    "iinfo",
    "int8",
    "int16",
    "int32",
    "int64",
    "on_default_change",
    "set_default_dtype",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

BOOL, INTEGER, FLOATING, COMPLEX = range(4)
"""Values of ``dtype.category``, in the order in which they win in promotion."""


class dtype:
    """The type of a tensor's elements.

    There is one object per type and no way to make more; ``as_dtype`` finds one by name, NumPy type or Python type. They are hashable,
    pickle to themselves, and can be handed to NumPy (``np.zeros(3, at.float32)``).

    Attributes:
        name: ``"float32"``.
        acl: ACL's number of the type, a member of ``codes.DataType``.
        numpy: The NumPy dtype of host arrays of this type.
        itemsize: Bytes an element.
        category: 0 bool, 1 integer, 2 floating, 3 complex.
        is_floating_point, is_complex: As in PyTorch, complex types are not floating.
        is_signed: Whether there are negative values.

    Like: ``torch.dtype``.

    Examples:
        >>> at.float32.itemsize, at.float32.is_floating_point, at.int8.is_signed, at.complex64.is_complex
        (4, True, True, True)
        >>> at.float32.to_complex(), at.complex128.to_real()
        (ascendtensor.complex64, ascendtensor.float64)
    """

    __slots__ = ("acl", "category", "is_complex", "is_floating_point", "is_signed", "itemsize", "name", "numpy")

    name: str
    acl: DataType
    numpy: np.dtype[Any]
    itemsize: int
    category: int
    is_floating_point: bool
    is_complex: bool
    is_signed: bool

    def __new__(cls, *args: object) -> dtype:
        raise TypeError("dtypes cannot be made; use as_dtype() to find one")

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype again: the attribute by which ``np.dtype(x)`` understands other objects.

        Examples:
            >>> at.float16.dtype
            dtype('float16')
            >>> np.zeros(2, at.float16).dtype
            dtype('float16')
        """
        return self.numpy

    @property
    def kind(self) -> str:
        """NumPy's letter for the category: ``"b"``, ``"u"``, ``"i"``, ``"f"`` (of bfloat16 too) or ``"c"``. Like: numpy.dtype.kind.

        Examples:
            >>> at.float16.kind, at.uint8.kind
            ('f', 'u')
        """
        return "b" if self.category == BOOL else "f" if self.category == FLOATING else self.numpy.kind

    @property
    def type(self) -> Any:
        """NumPy's class of one element. Like: numpy.dtype.type.

        Examples:
            >>> at.int8.type is np.int8
            True
        """
        return self.numpy.type

    def to_real(self) -> DType:
        """The type of a complex type's parts; any other type itself."""
        return {complex64: float32, complex128: float64}.get(self, self)

    def to_complex(self) -> DType:
        """The complex type whose parts hold this type's values; complex64 for all but float64 (there is no complex32)."""
        return self if self.is_complex else complex128 if self is float64 else complex64

    def __repr__(self) -> str:
        return f"ascendtensor.{self.name}"

    if not TYPE_CHECKING:  # else every name would be one for type checkers

        def __getattr__(self, name: str) -> Any:
            advice = {name: "its .numpy has it"} if hasattr(np.dtype, name) else {}
            raise absent.attribute_error("'dtype' object", name, self, advice)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


DType: TypeAlias = dtype
"""The same class under a name for annotations inside classes that have a ``dtype`` of their own."""


def _make(name: str, acl: DataType, scalar: type[Any], category: int, is_signed: bool) -> dtype:
    self = object.__new__(dtype)
    self.name, self.acl, self.numpy, self.category, self.is_signed = name, acl, np.dtype(scalar), category, is_signed
    self.itemsize = self.numpy.itemsize
    self.is_floating_point = category == FLOATING
    self.is_complex = category == COMPLEX
    return self


bool_: Final = _make("bool", DataType.BOOL, np.bool_, BOOL, False)
uint8: Final = _make("uint8", DataType.UINT8, np.uint8, INTEGER, False)
uint16: Final = _make("uint16", DataType.UINT16, np.uint16, INTEGER, False)
uint32: Final = _make("uint32", DataType.UINT32, np.uint32, INTEGER, False)
uint64: Final = _make("uint64", DataType.UINT64, np.uint64, INTEGER, False)
int8: Final = _make("int8", DataType.INT8, np.int8, INTEGER, True)
int16: Final = _make("int16", DataType.INT16, np.int16, INTEGER, True)
int32: Final = _make("int32", DataType.INT32, np.int32, INTEGER, True)
int64: Final = _make("int64", DataType.INT64, np.int64, INTEGER, True)
float16: Final = _make("float16", DataType.FLOAT16, np.float16, FLOATING, True)
bfloat16: Final = _make("bfloat16", DataType.BF16, ml_dtypes.bfloat16, FLOATING, True)
float32: Final = _make("float32", DataType.FLOAT, np.float32, FLOATING, True)
float64: Final = _make("float64", DataType.DOUBLE, np.float64, FLOATING, True)
complex64: Final = _make("complex64", DataType.COMPLEX64, np.complex64, COMPLEX, True)
complex128: Final = _make("complex128", DataType.COMPLEX128, np.complex128, COMPLEX, True)

ALL: Final[tuple[dtype, ...]] = (
    *(bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64),
    *(float16, bfloat16, float32, float64, complex64, complex128),
)
"""Every dtype, by category and then by size."""

BY_NAME: Final[dict[str, dtype]] = {each.name: each for each in ALL}

DTypeLike: TypeAlias = "dtype | np.dtype[Any] | type[Any] | str"

_BY_ACL: Final[dict[int, dtype]] = {each.acl: each for each in ALL}
_BY_NUMPY: Final[dict[Any, dtype]] = {each.numpy: each for each in ALL}
_KNOWN: Final[dict[Any, dtype]] = {
    **{each: each for each in ALL},
    **BY_NAME,
    **_BY_NUMPY,
    **{each.numpy.type: each for each in ALL},
    # C's names: on each platform two of them are the same size, yet different scalar types.
    **{np.dtype(code).type: _BY_NUMPY[np.dtype(code)] for code in "bBhHiIlLqQ"},
    bool: bool_,
    int: int64,
    # PyTorch's other names; NumPy means other types by "float" and, on Windows, by "long".
    **{"half": float16, "double": float64, "short": int16, "int": int64, "long": int64, "cfloat": complex64, "cdouble": complex128},
}

_default: dtype = float32
_limits: Any = ml_dtypes.finfo  # np.finfo does not know bfloat16


def as_dtype(value: DTypeLike) -> dtype:
    """Find a dtype.

    Args:
        value: A dtype, a NumPy dtype or scalar type, a name, or a Python type: ``bool``, ``int`` (int64), ``float`` (the default dtype) or
            ``complex`` (the complex type of the default dtype).

    Raises:
        DTypeError: For any other type, and for byte orders other than the machine's.
    """
    try:
        return _KNOWN[value]
    except (KeyError, TypeError):
        pass
    if value is float or (isinstance(value, str) and value == "float"):
        return _default
    if value is complex or (isinstance(value, str) and value == "complex"):
        return _default.to_complex()
    if isinstance(value, np.dtype):
        return from_numpy(value)
    if isinstance(value, str):
        try:
            with warnings.catch_warnings():  # of aliases that NumPy gives up
                warnings.simplefilter("ignore")
                numpy = np.dtype(value)
        except (TypeError, ValueError):
            pass
        else:
            return from_numpy(numpy)
    name = str(value).rpartition(".")[2]  # of another library, such as torch.float16
    advice = f"It is ascendtensor.{_KNOWN[name].name} here." if name in _KNOWN else f"The dtypes are {', '.join(BY_NAME)}."
    raise DTypeError(f"{value!r:.60} is not a dtype", advice=advice)


def from_numpy(numpy: np.dtype[Any]) -> dtype:
    """The dtype of host arrays of a NumPy dtype.

    Raises:
        DTypeError: If there is none: objects, strings, structures, extended precision, foreign byte order.
    """
    found = _BY_NUMPY.get(numpy)
    if found is not None:
        return found
    if not numpy.isnative and numpy.newbyteorder("=") in _BY_NUMPY:
        raise DTypeError(
            f"numpy {numpy.str} is not in this machine's byte order", advice="Convert with a.astype(a.dtype.newbyteorder('='))."
        )
    raise DTypeError(f"numpy {numpy} has no Ascend type", advice=f"Convert to one of {', '.join(BY_NAME)}.")


def python_number(scalar: Any) -> Any:
    """A NumPy scalar, or what else has one element and `item()`, as a Python number.

    Raises:
        DTypeError: It is a date or a duration, which `item()` may give as a count of nanoseconds.
    """
    if isinstance(scalar, (np.datetime64, np.timedelta64)):
        raise DTypeError(f"{type(scalar).__name__} is no number", advice="Divide by a unit first, or take .astype(np.int64) of it.")
    return scalar.item()


def from_acl(code: int) -> dtype:
    """The dtype with ACL's number ``code``.

    Raises:
        DTypeError: For numbers of types that tensors here cannot have, such as INT4.
    """
    try:
        return _BY_ACL[code]
    except KeyError:
        name = DataType(code).name if code in DataType.__members__.values() else "no type"
        raise DTypeError(f"ACL data type {code} ({name}) has no dtype here") from None


def get_default_dtype() -> dtype:
    """The floating type of Python floats and of functions that make floats of integers.

    Like: ``torch.get_default_dtype``.

    Examples:
        >>> at.get_default_dtype()
        ascendtensor.float32
    """
    return _default


def set_default_dtype(d: DTypeLike) -> None:
    """Change the default floating type, for the whole process.

    Raises:
        DTypeError: If it is not a floating type.

    Like: ``torch.set_default_dtype``.

    Examples:
        >>> at.set_default_dtype(at.float16)
        >>> at.ones(2).dtype
        ascendtensor.float16
        >>> at.set_default_dtype(at.float32)
    """
    global _default
    found = as_dtype(d)
    if not found.is_floating_point:
        raise DTypeError(f"the default dtype has to be a floating type, not {found.name}", where="set_default_dtype")
    if found is not _default:
        _default = found
        for changed in _listeners:
            changed()


def on_default_change(callback: Callable[[], None]) -> None:
    """Have `callback` called whenever the default dtype changes, for what was worked out with the one before."""
    _listeners.append(callback)


_listeners: Final[list[Callable[[], None]]] = []


class finfo:
    """Limits of a floating type, or of the parts of a complex one, as Python floats.

    Args:
        type: The dtype; the default dtype if left out.

    Attributes:
        bits, eps, max, min, tiny, smallest_normal, resolution: As in NumPy.
        dtype: The floating type that they belong to.

    Raises:
        DTypeError: For bool and integers.

    Like: ``torch.finfo``.

    Examples:
        >>> at.finfo(at.float16).max
        65504.0
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: DTypeLike | None = None) -> None:
        self.dtype: DType = (_default if type is None else as_dtype(type)).to_real()
        if not self.dtype.is_floating_point:
            raise DTypeError(f"{self.dtype.name} is not a floating type", where="finfo", advice="Use iinfo for integers.")
        limits = _limits(self.dtype.numpy)
        self.bits = int(limits.bits)
        self.eps, self.max, self.min = float(limits.eps), float(limits.max), float(limits.min)
        self.tiny = self.smallest_normal = float(limits.smallest_normal)
        self.resolution = 10.0**-limits.precision  # of the number of decimals, not rounded to the type

    def __repr__(self) -> str:
        return f"finfo({self.dtype.name}: min={self.min:g}, max={self.max:g}, eps={self.eps:g}, smallest_normal={self.smallest_normal:g})"


class iinfo:
    """Limits of an integer type.

    Args:
        type: The dtype.

    Attributes:
        bits, max, min: Python ints.
        dtype: The dtype.

    Raises:
        DTypeError: For types that are not integers.

    Like: ``torch.iinfo``.

    Examples:
        >>> at.iinfo(at.int8).min, at.iinfo(at.int8).max
        (-128, 127)
    """

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: DTypeLike) -> None:
        self.dtype: DType = as_dtype(type)
        if self.dtype.category != INTEGER:
            raise DTypeError(f"{self.dtype.name} is not an integer type", where="iinfo", advice="Use finfo for floating types.")
        self.bits = self.dtype.itemsize * 8
        self.min = -(1 << (self.bits - 1)) if self.dtype.is_signed else 0
        self.max = (1 << (self.bits - self.dtype.is_signed)) - 1

    def __repr__(self) -> str:
        return f"iinfo({self.dtype.name}: min={self.min}, max={self.max})"
