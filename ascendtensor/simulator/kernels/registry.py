"""Where kernels and shape rules are found by Ascend IR type.

A kernel reads its input arrays and writes *into* its output arrays. It is given in one of two forms:

* ``@kernel("Type")`` decorates ``run(inputs, outputs, attrs)``; it runs as it stands, when the stream does. It returns
  None, or the real output dims where the data decides them (outputs are then as large as the upper bound).
* ``@binder("Type")`` decorates ``bind(inputs, outputs, attrs) -> (fn, args)``, called once for given buffers; the stream
  then only calls ``fn(*args)``.

A binder runs *before* the queued work that fills its inputs, so it must not look at their elements. Inputs bound as
constants (or placed on the host) are known then and come as read-only arrays; everything in device memory is writeable.
A binder that needs elements (axes, sizes) says which with ``values=(1,)``: where one of them is not known yet, the
binding is put off until the task runs.

``@infer("Type")`` decorates the shape rule ``rule(inputs, attrs, num_outputs) -> list[Out]``, written from the operator's
prototype.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import ml_dtypes
import numpy as np
import numpy.typing as npt

from ascendtensor.codes import DataType

Array = npt.NDArray[Any]
Attrs = dict[str, Any]
Inputs = Sequence[Array | None]
Outputs = Sequence[Array]
Shape = tuple[int, ...]
Dims = list[Shape] | None
Task = tuple[Callable[..., Any], tuple[Any, ...]]

RunFunction = Callable[[Any, Any, Attrs], Any]
BindFunction = Callable[[Any, Any, Attrs], Task]

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

_PAIRS: tuple[tuple[DataType, Any], ...] = (
    (DataType.FLOAT, np.float32),
    (DataType.FLOAT16, np.float16),
    (DataType.INT8, np.int8),
    (DataType.INT32, np.int32),
    (DataType.UINT8, np.uint8),
    (DataType.INT16, np.int16),
    (DataType.UINT16, np.uint16),
    (DataType.UINT32, np.uint32),
    (DataType.INT64, np.int64),
    (DataType.UINT64, np.uint64),
    (DataType.DOUBLE, np.float64),
    (DataType.BOOL, np.bool_),
    (DataType.COMPLEX64, np.complex64),
    (DataType.COMPLEX128, np.complex128),
    (DataType.BF16, ml_dtypes.bfloat16),
)
NUMPY_OF: dict[int, np.dtype[Any]] = {int(code): np.dtype(kind) for code, kind in _PAIRS}
ACL_OF: dict[np.dtype[Any], int] = {dtype: code for code, dtype in NUMPY_OF.items()}

UNKNOWN_RANK: Shape = (-2,)
"""The shape whose rank is not known; a single -1 is a dim that is not known."""


class Meta(NamedTuple):
    """What a shape rule sees of one input.

    Attributes:
        dtype: ACL data type, -1 for an absent optional input.
        shape: Dims; -1 is a dim not known yet, ``(-2,)`` a rank not known yet.
        value: The elements, where they are known on the host, else None.
    """

    dtype: int
    shape: Shape
    value: Array | None = None

    @property
    def absent(self) -> bool:
        """True for an optional input that is not given."""
        return self.dtype == -1


class Out(NamedTuple):
    """What a shape rule says of one output.

    Attributes:
        dtype: ACL data type; -1 where the prototype leaves it to the output description.
        shape: Dims; -1 where the data or an unknown value decides, ``(-2,)`` if not even the rank is known.
        ranges: ``(low, high)`` per dim where dims are not known, ``high`` -1 for no bound; else None.
    """

    dtype: int
    shape: Shape
    ranges: tuple[tuple[int, int], ...] | None = None


InferRule = Callable[[list[Meta], Attrs, int], list[Out]]

ABSENT = Meta(-1, ())


class Kernel:
    """A kernel of one operator type."""

    __slots__ = ("_bind", "_values", "op_type")

    def __init__(self, op_type: str, bind: BindFunction, values: tuple[int, ...]) -> None:
        self.op_type = op_type
        self._bind = bind
        self._values = values

    def bind(self, inputs: Inputs, outputs: Outputs, attrs: Attrs, expected: list[Out] | None = None) -> Task:
        """Prepares one run on given buffers: returns ``(fn, args)``, to be called under ``np.errstate(all="ignore")``.

        Args:
            inputs: Arrays in prototype order, constants included (read-only arrays); None for an absent optional input.
            outputs: Arrays that are written.
            attrs: Every attribute of the prototype, defaults filled in.
            expected: What the shape rule has said of these inputs, where it was asked already.

        Raises:
            ValueError: Shapes or dtypes that the operator's shape rule contradicts.
            TypeError: A dtype the operator has no kernel for.
        """
        check(self.op_type, inputs, outputs, attrs, expected)
        for index in self._values:
            if index < len(inputs):
                array = inputs[index]
                if array is not None and array.flags.writeable:
                    return _run_late, (self, inputs, outputs, attrs)
        return self._bind(inputs, outputs, attrs)

    def __repr__(self) -> str:
        return f"Kernel({self.op_type!r})"


def _run_late(kernel: Kernel, inputs: Inputs, outputs: Outputs, attrs: Attrs) -> Any:
    """Binds with the elements of value inputs at hand, then runs."""
    known = list(inputs)
    for index in kernel._values:
        if index < len(known):
            array = known[index]
            if array is not None:
                known[index] = array = array.copy()
                array.flags.writeable = False
    check(kernel.op_type, known, outputs, attrs)
    fn, args = kernel._bind(known, outputs, attrs)
    return fn(*args)


class Contents:
    """What fills the tables at the first question, until it has."""

    load: Callable[[], None] | None = None


def _loaded() -> None:
    load = Contents.load
    if load is not None:
        load()


_KERNELS: dict[str, Kernel] = {}
_RULES: dict[str, InferRule] = {}
_LAYOUTS: dict[str, str] = {}

R = TypeVar("R", bound=RunFunction)
B = TypeVar("B", bound=BindFunction)
I = TypeVar("I", bound=InferRule)  # noqa: E741


def add(op_type: str, bind: BindFunction, values: tuple[int, ...] = ()) -> None:
    """Registers a binder under one operator type; two kernels of one type are a programming error."""
    if op_type in _KERNELS:
        raise ValueError(f"the simulator has two kernels of {op_type}")
    _KERNELS[op_type] = Kernel(op_type, bind, values)


def add_rule(op_type: str, rule: InferRule) -> None:
    """Registers a shape rule under one operator type."""
    if op_type in _RULES:
        raise ValueError(f"the simulator has two shape rules of {op_type}")
    _RULES[op_type] = rule


def replace(op_type: str, bind: BindFunction, rule: InferRule | None = None) -> None:
    """Registers a binder, and a shape rule, in the place of those of before, for operators of the user's own."""
    _KERNELS[op_type] = Kernel(op_type, bind, ())
    _RULES.pop(op_type, None)
    if rule is not None:
        _RULES[op_type] = rule


def kernel(*op_types: str) -> Callable[[R], R]:
    """Registers ``run(inputs, outputs, attrs)`` as the kernel of operator types."""

    def register(run: R) -> R:
        def bind(inputs: Any, outputs: Any, attrs: Attrs) -> Task:
            return run, (inputs, outputs, attrs)

        for op_type in op_types:
            add(op_type, bind)
        return run

    return register


def binder(*op_types: str, values: tuple[int, ...] = ()) -> Callable[[B], B]:
    """Registers ``bind(inputs, outputs, attrs) -> (fn, args)`` as the kernel of operator types.

    Args:
        op_types: Ascend IR types.
        values: Positions of inputs whose elements the binder reads.
    """

    def register(bind: B) -> B:
        for op_type in op_types:
            add(op_type, bind, values)
        return bind

    return register


def infer(*op_types: str) -> Callable[[I], I]:
    """Registers the shape rule ``rule(inputs, attrs, num_outputs) -> list[Out]`` of operator types."""

    def register(rule: I) -> I:
        for op_type in op_types:
            add_rule(op_type, rule)
        return rule

    return register


def layout(name: str, *op_types: str) -> None:
    """Says that the first data operand and the first output of operator types are images of this layout, "NCHW" or "NCDHW".

    The chip's kernels of such types work on a private layout, which is only defined for images: descriptions that say ND are refused.
    """
    for op_type in op_types:
        _LAYOUTS[op_type] = name


def layout_of(op_type: str) -> str | None:
    """The layout that an operator type needs, None if any will do."""
    _loaded()
    return _LAYOUTS.get(op_type)


def lookup(op_type: str) -> Kernel | None:
    """The kernel of an operator type, None if the simulator has none."""
    _loaded()
    return _KERNELS.get(op_type)


def infer_rule(op_type: str) -> InferRule | None:
    """The shape rule of an operator type, None if the simulator has none."""
    _loaded()
    return _RULES.get(op_type)


def names() -> list[str]:
    """Every operator type that has a kernel, sorted."""
    _loaded()
    return sorted(_KERNELS)


def meta_of(array: Array | None) -> Meta:
    """Describes an input array; its elements count as known where it is read-only."""
    if array is None:
        return ABSENT
    return Meta(ACL_OF[array.dtype], array.shape, None if array.flags.writeable else array)


def check(op_type: str, inputs: Inputs, outputs: Outputs, attrs: Attrs, expected: list[Out] | None = None) -> None:
    """Compares output arrays with what the shape rule says, where the rule knows it.

    Raises:
        ValueError: A different dtype, rank or dim, or operands the rule refuses.
    """
    if expected is None:
        rule = _RULES.get(op_type)
        if rule is None:
            return
        expected = rule([meta_of(array) for array in inputs], attrs, len(outputs))
    if len(expected) != len(outputs):
        raise ValueError(f"{op_type} has {len(expected)} outputs, {len(outputs)} given")
    for index, (out, array) in enumerate(zip(expected, outputs, strict=True)):
        if out.dtype != -1 and ACL_OF[array.dtype] != out.dtype:
            raise ValueError(f"{op_type}: output {index} is {NUMPY_OF[out.dtype]}, the buffer given is {array.dtype}")
        if out.shape != array.shape and not fits(out.shape, array.shape):
            raise ValueError(f"{op_type}: output {index} has shape {list(out.shape)}, the buffer given has {list(array.shape)}")


def fits(rule: Shape, shape: Shape) -> bool:
    """True if a concrete shape is one of those a rule's shape stands for."""
    if rule == UNKNOWN_RANK:
        return True
    return len(rule) == len(shape) and all(want in (-1, have) for want, have in zip(rule, shape, strict=True))
