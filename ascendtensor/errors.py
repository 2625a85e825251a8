"""Every error AscendTensor raises, and how its text is made.

::

    AscendTensorError (Exception)
    ├── AclError (RuntimeError)                a pyACL call answered with a code
    │   ├── LinAlgError (numpy.linalg.LinAlgError) queued linear algebra met a matrix without an answer
    │   ├── OutOfDeviceMemoryError (MemoryError)
    │   └── OperatorNotFoundError (NotImplementedError)
    ├── ShapeError (ValueError)                shapes that do not fit each other or the function
    ├── ValueRangeError (ValueError)           an argument outside its range
    │   └── StateError (RuntimeError)          a state that does not fit the module
    ├── FileFormatError (ValueError)           a file that is damaged, or of another format
    ├── DTypeError (TypeError)                 a dtype that is not supported or cannot be promoted
    ├── IndexRangeError (IndexError)           an index or a dimension number out of range
    ├── DeviceError (RuntimeError)             operands on different devices, no device
    │   └── DeviceIndexError (ValueError)      a device number that does not exist
    ├── BackendError (RuntimeError)            the backend that was asked for is not there
    ├── CompileError (RuntimeError)            an operator could not be compiled
    │   └── CompilerNotFoundError
    ├── ClosedError (RuntimeError)             a tensor, stream or event from before shutdown()
    ├── ForkError (RuntimeError)               use of a device in a forked child
    ├── UnsupportedError (NotImplementedError) what no Ascend operator computes
    └── AutogradError (NotImplementedError)    gradients, which are not there yet

The builtin bases let a plain ``except ValueError`` work. A text has up to four parts, always in this order: the function and what
happened; the operands; the ACL call with its code; what to do. It is put together when it is read, so that a higher floor can still
say which function was called and with what (``with_context``). Errors hold text, never tensors, and they pickle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Final, TypeVar

import numpy as np

from .codes import ErrorCode, error_meaning, error_name

__all__ = [
    "AclError",
    "AscendTensorError",
    "AutogradError",
    "BackendError",
    "ClosedError",
    "CompileError",
    "CompilerNotFoundError",
    "DTypeError",
    "DeviceError",
    "DeviceIndexError",
    "FileFormatError",
    "Float64Warning",
    "ForkError",
    "IndexRangeError",
    "LinAlgError",
    "OperatorNotFoundError",
    "OutOfDeviceMemoryError",
    "ShapeError",
    "StateError",
    "UnsupportedError",
    "ValueRangeError",
    "describe_bytes",
    "describe_operands",
    "from_acl",
    "of_queued_work",
]
__dir__ = __all__.copy

ErrorT = TypeVar("ErrorT", bound="AscendTensorError")  # typing.Self is newer than Python 3.10


class AscendTensorError(Exception):
    """Base of all errors of this package.

    Args:
        message: What happened, without the name of the function.
        where: The function the user called (``"add"``), put in front of the text.
        operands: Its operands in words, as ``describe_operands`` gives them.
        advice: What to do about it.

    Attributes:
        message, operands, advice: The arguments.
        of_argument: Whether some argument led to the error of Python's that is the cause; the function that was called finds out which.
    """

    of_argument = False

    def __init__(self, message: str = "", *, where: str = "", operands: str = "", advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self._where = where
        self.operands = operands
        self.advice = advice

    @property
    def where(self) -> str:
        """The function that the user called. Functions are made of others: the outermost one that the error went through has the say."""
        return (self._where and _outermost(self.__traceback__)) or self._where

    @where.setter
    def where(self, name: str) -> None:
        self._where = name

    def with_context(self: ErrorT, where: str, operands: Iterable[object] = ()) -> ErrorT:
        """Add the function and its operands where they are not known yet, and return the same error to be raised."""
        self._where = self._where or where
        self.operands = self.operands or describe_operands(*operands)
        return self

    def seen_from(self: ErrorT, where: str, operands: Iterable[object]) -> ErrorT:
        """As `with_context`; where the error comes of another function, which this one is made of, its operands are replaced by these."""
        if self._where not in ("", where) and self._replaceable:
            self.operands = ""
        return self.with_context(where, operands)

    _replaceable = True
    """Whether the operands of a function say more than those of the operator in it that failed."""

    def _acl_part(self) -> str:
        return ""

    def __str__(self) -> str:
        where = self.where
        head = f"{where}: {self.message}" if where else self.message
        operands = f"operands: {self.operands}" if self.operands else ""
        return "\n  ".join(part for part in (head, operands, self._acl_part(), self.advice) if part)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__ | {"_where": self.where})


_PUBLIC: Final = frozenset(
    {"casting", "creation", "elementwise_methods", "fft", "linalg", "methods", "nn", "ops", "random", "saving", "special", "tensor"}
)
"""Parts of the package whose functions users call."""
_CHECKING: Final = f"{__package__}.ops.arguments"


def _outermost(trace: TracebackType | None) -> str:
    """Name of the outermost of the package's functions in a traceback; "" where that is an operator or a function of another floor."""
    while trace is not None:
        package, _, module = trace.tb_frame.f_globals.get("__name__", "").partition(".")
        if package == __package__ and f"{package}.{module}" != _CHECKING:
            name = trace.tb_frame.f_code.co_name
            return name if module.partition(".")[0] in _PUBLIC and name[0].isalpha() else ""
        trace = trace.tb_next
    return ""


def _rebuild(cls: type[AscendTensorError], args: tuple[object, ...], fields: dict[str, object]) -> AscendTensorError:
    # Not cls(*args): subclasses have required arguments that Exception.args does not hold.
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


class AclError(AscendTensorError, RuntimeError):
    """A pyACL call answered with an error code.

    Args:
        function: The pyACL function, ``"acl.rt.malloc"``.
        code: The number it returned.
        acl_message: What ``acl.get_recent_err_msg`` said right after it.
        message: What that means for the caller; by default what the code says.
        where, operands, advice: As in ``AscendTensorError``.

    Attributes:
        name: The code's C name, ``"ACL_ERROR_INVALID_PARAM"``.
    """

    _replaceable = False

    def __init__(
        self,
        function: str,
        code: int,
        acl_message: str = "",
        *,
        message: str = "",
        where: str = "",
        operands: str = "",
        advice: str = "",
    ) -> None:
        super().__init__(message or error_meaning(code), where=where, operands=operands, advice=advice or _ADVICE.get(code, ""))
        self.function = function
        self.code = int(code)
        self.name = error_name(code)
        self.acl_message = acl_message

    def _acl_part(self) -> str:
        said = " ".join(self.acl_message.split())
        return f"{self.function} returned {self.name} ({self.code})" + (f": {said}" if said else "")


class LinAlgError(AclError, np.linalg.LinAlgError):
    """A matrix is singular, not positive definite or not finite, which an operator of queued linear algebra found when it ran.

    Raised by the call that waits, not by the one that queued it. Like: torch.linalg.LinAlgError, numpy.linalg.LinAlgError.

    Attributes:
        op_type: The Ascend IR operator that failed.
    """

    op_type = ""


class OutOfDeviceMemoryError(AclError, MemoryError):
    """The device has no room for an allocation, also after the cache was released.

    Attributes:
        requested: Bytes asked for.
        used: Bytes that live tensors hold.
        cached: Bytes the allocator keeps for reuse.
        free: Bytes the device still has.
    """

    _replaceable = True

    def __init__(
        self,
        function: str = "acl.rt.malloc",
        code: int = ErrorCode.RT_MEMORY_ALLOCATION,
        acl_message: str = "",
        *,
        requested: int = 0,
        used: int = 0,
        cached: int = 0,
        free: int = 0,
        message: str = "",
        where: str = "",
        operands: str = "",
        advice: str = "",
    ) -> None:
        if not message:
            message = "out of device memory"
            if requested:
                asked, held, kept, left = (describe_bytes(count) for count in (requested, used, cached, free))
                message += f": asked for {asked}, while {held} are in use by tensors, {kept} cached and {left} free"
        super().__init__(function, code, acl_message, message=message, where=where, operands=operands, advice=advice)
        self.requested = requested
        self.used = used
        self.cached = cached
        self.free = free


class OperatorNotFoundError(AclError, NotImplementedError):
    """No operator model fits the call even after compiling, or no kernel exists for the operator."""


class ShapeError(AscendTensorError, ValueError):
    """Shapes that do not fit each other, or a shape the function cannot take."""


class ValueRangeError(AscendTensorError, ValueError):
    """An argument outside its range."""


class StateError(ValueRangeError, RuntimeError):
    """What `load_state_dict` was given does not fit the module. A RuntimeError too, as PyTorch's is."""


class FileFormatError(AscendTensorError, ValueError):
    """A file that is truncated or damaged, of another format, or that would have to be unpickled."""


class DTypeError(AscendTensorError, TypeError):
    """A dtype that the function does not support, that is not known, or that has no common type with another."""


class IndexRangeError(AscendTensorError, IndexError):
    """An index outside its axis, or a dimension number outside the tensor's rank."""


class DeviceError(AscendTensorError, RuntimeError):
    """Operands on different devices, or a device that cannot be used."""


class DeviceIndexError(DeviceError, ValueError):
    """A device number that does not exist."""


class BackendError(AscendTensorError, RuntimeError):
    """The backend that was asked for (CANN's ``acl`` or the simulator) cannot be used."""


class CompileError(AscendTensorError, RuntimeError):
    """The operator compiler failed.

    Attributes:
        op_type: The Ascend IR operator, if only one was being compiled.
        log: The end of what the compiler wrote.
    """

    _replaceable = False

    def __init__(
        self,
        message: str = "",
        *,
        op_type: str = "",
        log: str = "",
        where: str = "",
        operands: str = "",
        advice: str = "",
    ) -> None:
        super().__init__(message, where=where, operands=operands, advice=advice)
        self.op_type = op_type
        self.log = log

    def _acl_part(self) -> str:
        return "compiler log: " + self.log.strip().replace("\n", "\n    ") if self.log.strip() else ""


class CompilerNotFoundError(CompileError):
    """No operator compiler was found."""


class ClosedError(AscendTensorError, RuntimeError):
    """Something made before ``shutdown()`` was used after it."""


class ForkError(AscendTensorError, RuntimeError):
    """A device was used in a process forked after it had been initialised."""


class UnsupportedError(AscendTensorError, NotImplementedError):
    """A function, or a case of one, that no Ascend operator computes."""


class Float64Warning(UserWarning):
    """float64 is computed on a real chip, where the slow AI CPU does it, or nothing. Said once a process."""


class AutogradError(AscendTensorError, NotImplementedError):
    """Gradients were asked for, which AscendTensor does not have yet."""


_CLASSES: Final[dict[int, type[AclError]]] = {
    ErrorCode.RT_MEMORY_ALLOCATION: OutOfDeviceMemoryError,
    ErrorCode.RT_DEVICE_OOM: OutOfDeviceMemoryError,
    ErrorCode.GE_MEMORY_ALLOCATION: OutOfDeviceMemoryError,
    ErrorCode.OP_NOT_FOUND: OperatorNotFoundError,
    ErrorCode.KERNEL_NOT_FOUND: OperatorNotFoundError,
}

_ADVICE: Final[dict[int, str]] = {
    ErrorCode.RT_MEMORY_ALLOCATION: "Drop tensors that are no longer needed, call empty_cache(), or work in smaller pieces.",
    ErrorCode.GE_MEMORY_ALLOCATION: "Drop tensors that are no longer needed, call empty_cache(), or work in smaller pieces.",
    ErrorCode.UNINITIALIZE: "Call acl.init first; AscendTensor does so at its first use, unless acl.finalize was called meanwhile.",
    ErrorCode.OP_NOT_FOUND: "The operator may not support these dtypes or this SoC; python -m ascendtensor info names the compiler.",
    ErrorCode.RT_INVALID_DEVICEID: "See device_count() for how many devices there are; ASCEND_RT_VISIBLE_DEVICES may hide some.",
    ErrorCode.RT_CONTEXT_NULL: "Another part of the program may have reset the device or destroyed its context.",
    ErrorCode.RT_STREAM_CONTEXT: "Use a stream only with the device that it was made on.",
    ErrorCode.RT_FEATURE_NOT_SUPPORT: "This device, driver or CANN version does not have the feature.",
}


def from_acl(function: str, code: int, acl_message: str = "", operands: Iterable[object] = (), advice: str = "") -> AclError:
    """Make the error for a code that a pyACL call returned; the class goes by the code.

    Args:
        function: The pyACL function, ``"acl.op.create_handle"``.
        code: The number it returned, not 0.
        acl_message: ACL's own recent message, or "".
        operands: What the call was about, described in the text.
        advice: What to do, in place of the usual advice for this code.
    """
    return _CLASSES.get(code, AclError)(function, code, acl_message or "", operands=describe_operands(*operands), advice=advice)


# An AI CPU kernel tells that a matrix has no answer by failing (those of TensorFlow do): the code is the one of any failure there, and
# ACL's message names the operator, if anything does (CANN runtime, GetFirstExtendInfoForAicpuTask).
_WITHOUT_ANSWER: Final = {
    "Cholesky": "a matrix is not positive definite",
    "Lu": "a matrix is singular",
    "MatrixInverse": "a matrix is singular",
    "MatrixSolve": "a matrix is singular",
    "MatrixSolveLs": "a matrix has not full rank",
    "MatrixTriangularSolve": "a matrix has a zero on its diagonal",
    "SelfAdjointEig": "a matrix holds NaN or an infinity, or its eigenvalues were not found",
    "Svd": "the singular values of a matrix were not found",
}
_ANSWERED: Final = {
    "Cholesky": "cholesky_ex answers on the device instead.",
    "MatrixInverse": "inv_ex answers on the device instead; pinv takes singular matrices.",
    "MatrixSolve": "solve_ex answers on the device instead; lstsq takes singular matrices.",
}
_NAMED: Final = re.compile(rf"(?<![A-Za-z])({'|'.join(_WITHOUT_ANSWER)})(?![A-Za-z])")


def of_queued_work(error: AclError, launched: Sequence[str]) -> AclError:
    """The error to be raised for one that a wait answered: a `LinAlgError` where an operator of linear algebra failed on the AI CPU.

    Args:
        error: What the wait answered.
        launched: The operators launched before. Where ACL's message names none, one of them has to be of linear algebra.
    """
    if error.code != ErrorCode.RT_AICPU_EXCEPTION:
        return error
    named = _NAMED.search(error.acl_message)
    op_type = named[1] if named else next((name for name in reversed(launched) if name in _WITHOUT_ANSWER), "")
    if not op_type or (not named and any(name in error.acl_message for name in launched)):
        return error
    cause = _WITHOUT_ANSWER[op_type]
    message = f"{cause} ({op_type} failed)" if named else f"an AI CPU operator failed, likely {op_type}: {cause}"
    advice = f"{_ANSWERED.get(op_type, '')} {error.advice}".strip()
    found = LinAlgError(error.function, error.code, error.acl_message, message=message, operands=error.operands, advice=advice)
    found.op_type = op_type
    return found.with_traceback(error.__traceback__)


def describe_bytes(count: int) -> str:
    """A number of bytes for people: ``"512 B"``, ``"1.5 GiB"``."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024:
            return f"{amount:.0f} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} TiB"


def describe_operands(*operands: object) -> str:
    """Operands in words for an error text: ``"float32[2, 3] on npu:0, int 2"``.

    Anything with ``shape`` and ``dtype`` counts as a tensor; without a ``device``, or on ``cpu``, it lies on the host.
    """
    return ", ".join(_describe(operand, depth=0) for operand in operands)


def _describe(operand: object, depth: int) -> str:
    shape, dtype = getattr(operand, "shape", None), getattr(operand, "dtype", None)
    if shape is not None and dtype is not None and not isinstance(operand, type):
        name = getattr(dtype, "name", None) or str(dtype).rpartition(".")[2]
        device = getattr(operand, "device", None)
        place = "host" if device is None or str(device) == "cpu" else str(device)
        return f"{name}[{', '.join(str(length) for length in shape)}] on {place}"
    if isinstance(operand, (list, tuple)) and depth < 2:
        inside = [_describe(element, depth + 1) for element in operand[:8]] + ["..."] * (len(operand) > 8)
        return f"({', '.join(inside)})"
    if isinstance(operand, (bool, int, float, complex)):
        return f"{type(operand).__name__} {_short(operand)}"
    if operand is None or isinstance(operand, (str, slice, type(Ellipsis))):
        return _short(operand)
    return type(operand).__name__


def _short(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an int beyond sys.get_int_max_str_digits
        return "(a very long number)"
    return text if len(text) <= 60 else text[:57] + "..."
