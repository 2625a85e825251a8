"""Operator models: what one loaded ``.om`` of a single operator says, and how its kernel is found.

A ``TensorSpec`` is an immutable copy of a tensor description as far as matching and execution need it. Names, storage
dims and value ranges are not compared (OM-23) and so are not kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ascendtensor import facts
from ascendtensor.codes import DataType, ErrorCode, data_type_size
from ascendtensor.simulator import kernels
from ascendtensor.simulator.engine.attrs import Attributes
from ascendtensor.simulator.kernels.registry import ABSENT, NUMPY_OF, Meta

Array = npt.NDArray[Any]
Dims = tuple[int, ...]
Ranges = tuple[tuple[int, int], ...]
SpecKey = tuple[int, int, int, Dims, Ranges, bool, int]

UNDEFINED = int(DataType.UNDEFINED)
ALIGNMENT = 32
_TYPE_NAMES = {int(code): name for name, code in facts.ACL_TYPES.items()}

_DTYPES: dict[str, int] = {
    "float": int(DataType.FLOAT),
    "float32": int(DataType.FLOAT),
    "double": int(DataType.DOUBLE),
    "float64": int(DataType.DOUBLE),
    "half": int(DataType.FLOAT16),
    "fp16": int(DataType.FLOAT16),
    "bfloat16": int(DataType.BF16),
    "bf16": int(DataType.BF16),
    **{member.name.lower(): int(member) for member in DataType if member is not DataType.UNDEFINED},
}


class TensorSpec:
    """One input or output of a model, a handle or a call.

    Attributes:
        key: Everything that a static match compares besides const bytes (OM-22).
        kind: The part of it that a dynamic match compares exactly (OM-25).
        const: Bytes of a constant, else None.
        nbytes: Size of the data, 0 while a dim is not known.
        numpy: NumPy's type of the elements, None where the simulator does not compute with it.
        absent: True for an unused optional input (TD-21).
        ignored: True where the buffer given at a call is not looked at (HD-9).
        dynamic: True if a dim or the rank is not known (OM-26).
    """

    __slots__ = (
        "_meta",
        "absent",
        "const",
        "dims",
        "dtype",
        "dynamic",
        "format",
        "ignored",
        "key",
        "kind",
        "nbytes",
        "numpy",
        "placement",
        "ranges",
        "storage_format",
    )

    def __init__(
        self, dtype: int, format: int, storage_format: int, dims: Dims, ranges: Ranges, const: bytes | None, placement: int
    ) -> None:
        self.dtype = dtype
        self.format = format
        self.storage_format = storage_format
        self.dims = dims
        self.ranges = ranges
        self.const = const
        self.placement = placement
        self.key: SpecKey = (dtype, format, storage_format, dims, ranges, const is not None, placement)
        self.kind = (dtype, format, storage_format, const is not None, placement)
        self.absent = dtype == UNDEFINED and not dims
        self.ignored = self.absent or const is not None
        self.dynamic = bool(dims) and min(dims) < 0
        self.nbytes = 0 if self.dynamic else math.prod(dims) * data_type_size(dtype)
        self.numpy = NUMPY_OF.get(dtype)
        self._meta: Meta | None = None

    def numpy_dtype(self) -> np.dtype[Any]:
        """NumPy's type of the elements.

        Raises:
            ValueError: A data type the simulator does not compute with.
        """
        if self.numpy is None:
            raise ValueError(f"the simulator does not compute with data type {self.dtype}")
        return self.numpy

    def constant(self) -> Array:
        """The constant as a read-only array of the spec's dims.

        Raises:
            ValueError: The number of bytes does not fit the dims.
        """
        assert self.const is not None
        return np.frombuffer(self.const, self.numpy_dtype()).reshape(self.dims)

    def meta(self) -> Meta:
        """What a shape rule sees of it: the elements too, if it is a constant."""
        if self._meta is None:
            value = self.constant() if self.const is not None and self.numpy is not None else None
            self._meta = ABSENT if self.absent else Meta(self.dtype, self.dims, value)
        return self._meta

    def with_const(self, const: bytes) -> TensorSpec:
        """The same description bound to constant bytes."""
        return TensorSpec(self.dtype, self.format, self.storage_format, self.dims, self.ranges, const, self.placement)

    def of_any_shape(self) -> TensorSpec:
        """The same description of any rank; an absent one stays absent."""
        if self.absent:
            return self
        return TensorSpec(self.dtype, self.format, self.storage_format, (-2,), (), None, self.placement)

    def __repr__(self) -> str:
        return f"TensorSpec{self.key}"


Specs = tuple[TensorSpec, ...]


class OpModel:
    """A loaded single-operator model.

    Attributes:
        dynamic: Built with a dim or rank that is not known.
        online: Compiled in the process; only such models age (OM-10).
        last_match: Counter value of its last match, for ageing.
        executor: The prepared tasks of launches without a handle (``handles.OpHandle``), made at the first one.
        aged: Whether it was evicted (OM-11).
        believes: Whether runs take the described output dims for true; None before the first one, which decides it.
        kernel: The simulator's kernel, None if it has none.
        arguments: What kernels and shape rules get: the attributes with the prototype's defaults filled in.
        told: Whether the kernel tells the dims of its outputs, since only the run finds them.
        updates: Which input each output that has its name updates in place, as pairs of places.
        unloaded: Whether a run without handle has let go of the model's bytes, as those of dynamic models do.
    """

    __slots__ = (
        "aged",
        "arguments",
        "attrs",
        "believes",
        "dynamic",
        "executor",
        "inputs",
        "kernel",
        "last_match",
        "online",
        "op_type",
        "outputs",
        "rule",
        "told",
        "unloaded",
        "updates",
    )

    def __init__(self, op_type: str, inputs: Specs, outputs: Specs, attrs: Attributes, *, online: bool = False) -> None:
        self.op_type = op_type
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.online = online
        self.last_match = 0
        self.executor: Any = None
        self.believes: bool | None = None
        self.aged = self.unloaded = False
        self.dynamic = any(spec.dynamic for spec in inputs) or any(spec.dynamic for spec in outputs)
        self.bind()

    def bind(self) -> None:
        """Looks up what is registered for the type now."""
        self.kernel = kernels.lookup(self.op_type)
        self.rule = kernels.infer_rule(self.op_type)
        self.arguments = complete(self.op_type, self.attrs)
        operator = facts.operator(self.op_type)
        self.told = operator is not None and operator.data_dependent_shape
        self.updates = () if operator is None else tuple(_updates(operator))

    def failure_code(self) -> int:
        """What a failed run of it gives: the code of the processor that a 910B runs it on (RT-47)."""
        operator = facts.operator(self.op_type)
        if operator is None:
            return int(ErrorCode.RT_AICORE_EXCEPTION)
        engine = operator.engine_for(_types(operator.inputs, self.inputs), _types(operator.outputs, self.outputs))
        on_cpu = (engine or operator.engine_910b) == "aicpu"
        return int(ErrorCode.RT_AICPU_EXCEPTION if on_cpu else ErrorCode.RT_AICORE_EXCEPTION)

    def __repr__(self) -> str:
        return f"OpModel({self.op_type!r}, inputs={list(self.inputs)}, outputs={list(self.outputs)}, attrs={self.attrs.values})"


def _types(parameters: tuple[facts.Parameter, ...], specs: Specs) -> list[str | None]:
    """The dtype of each parameter; one that repeats takes all there are more."""
    found: list[str | None] = []
    rest = list(specs)
    more = len(specs) - len(parameters)
    for parameter in parameters:
        taken, rest = (rest[: 1 + more], rest[1 + more :]) if parameter.kind == "dynamic" else (rest[:1], rest[1:])
        found.append(_TYPE_NAMES.get(taken[0].dtype) if taken and not taken[0].absent else None)
    return found


def _updates(operator: facts.Operator) -> Iterator[tuple[int, int]]:
    """Places of the inputs and outputs that share a name; those behind a repeated one have no place of their own."""
    for source, taken in enumerate(operator.inputs):
        if taken.kind == "dynamic":
            return
        for target, given in enumerate(operator.outputs):
            if given.name == taken.name and given.name in operator.ref_outputs:
                yield source, target


def complete(op_type: str, attrs: Attributes) -> dict[str, Any]:
    """Attribute values for a kernel: those given, and the prototype's defaults for the others."""
    values: dict[str, Any] = {}
    operator = facts.operator(op_type)
    if operator is not None:
        for attr in operator.attrs:
            if attr.default is not facts.REQUIRED:
                values[attr.name] = default_value(attr.type, attr.default)
    values.update(attrs.plain())
    return values


def default_value(kind: str, default: Any) -> Any:
    """A prototype's default in the form a kernel takes: data types as ACL numbers, lists as lists."""
    if kind == "Type" and isinstance(default, str):
        return dtype_code(default)
    if kind == "ListType":
        return [dtype_code(item) if isinstance(item, str) else item for item in default or ()]
    if isinstance(default, (list, tuple)):
        return [default_value("", item) for item in default]
    return default


def dtype_code(name: str) -> int:
    """ACL number of a data type by any of ATC's names for it, -1 for a name it does not know."""
    text = name.lower()
    return _DTYPES.get(text[3:] if text.startswith("dt_") else text, UNDEFINED)
