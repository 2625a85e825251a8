"""Which model serves a signature: an exact one, or the dynamic one of its family.

A family is a signature without its sizes and without the values of its constants. Its first variants get exact models, which are the
fastest on a chip; a family that keeps changing gets one dynamic model. The limit is lower where compiling is slow.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final

from .. import facts
from ..codes import DataType
from .dynamic import generalize

if TYPE_CHECKING:
    from ..compiler.archive import Archive
    from ..compiler.description import Description, TensorDescription

STATIC_VARIANTS: Final = 8
SLOW_STATIC_VARIANTS: Final = 2
SLOW_COMPILE_SECONDS: Final = 1.0
FREE_CONSTANTS_AFTER: Final = 2
"""Distinct constants in a family up to which its dynamic models keep them, one model each."""
MAX_FAMILIES: Final = 4096
MAX_KINDS: Final = 256
"""Kinds of an operator that ran without handle; an operator with more of them is launched without handles from then on."""


class Family:
    """Variants seen of one family: its exact models by what tells them apart, its constants, its dynamic models by theirs."""

    __slots__ = ("constants", "dynamic", "exact", "slow")

    def __init__(self) -> None:
        self.exact: set[Hashable] = set()
        self.slow = False
        self.constants: set[Hashable] = set()
        self.dynamic: dict[Hashable, Description] = {}

    def loaded(self, variant: Hashable, seconds: float) -> None:
        """Note an exact model that was loaded just now, and what it took; one slow compile is enough to be called slow."""
        self.exact.add(variant)
        self.slow = self.slow or seconds > SLOW_COMPILE_SECONDS

    def wants_dynamic(self, variant: Hashable) -> bool:
        """Whether a variant is served by a dynamic model: it has no exact one, and there are enough of those."""
        return variant not in self.exact and len(self.exact) >= (SLOW_STATIC_VARIANTS if self.slow else STATIC_VARIANTS)


def variant_of(description: Description) -> Hashable:
    """What tells a description from the others of its family."""
    return (tuple([(tensor.shape, tensor.const) for tensor in description.inputs]), tuple([tensor.shape for tensor in description.outputs]))


LEAVES_CORE: Final = frozenset(
    {"FloorMod", "GatherElements", "GridSampler2D", "GridSampler3D", "Index", "IndexPutV2", "InplaceIndexAdd", "MaskedScatter",
     "ScatterElements", "Sort", "ViewCopy"}
)  # fmt: skip
"""What the AI Core has kernels for whose ``check_supported`` leaves some shapes or dtypes to the AI CPU (CANN 8.1.RC1,
``opp/built-in/op_impl/ai_core/tbe``, ``impl`` and ``impl/dynamic``): ScatterElements wherever they are known, FloorMod of float32 in high
precision, IndexPutV2 of whole numbers, Sort of lines of one element. Large Transposes and Casts of a 310 are not minded."""

_CASTS: Final = {
    "float16": "float32 int32 uint8 bfloat16 int8 bool int16 complex32 int64",
    "float32": "float16 int32 int64 bfloat16 bool uint8 complex64",
    "int8": "float32 float16 int32 uint8 int64 bfloat16 bool",
    "uint8": "float32 float16 int32 int64 bfloat16",
    "int32": "bool uint8 int8 float32 float16 int64 bfloat16",
    "int64": "float32 int32 float16 uint8 bool bfloat16",
    "bfloat16": "float32 int32 float16 int8 uint8 bool",
    "int16": "float16",
    "bool": "float32 float16 int32 uint8 int64 bfloat16 int8",
}
"""What the AI Core casts, by the ``check_supported`` of ``dynamic/cast.py``; its kernel lists more pairs, which go to the AI CPU."""

_NAMES: Final = {code: name for name, code in facts.ACL_TYPES.items()}


def engine_of(description: Description, soc: str) -> str | None:
    """Where a chip runs an operator: "aicore", "aicpu" and the like, None for nowhere. "aicore" where its kernels are not known."""
    operator, chip = facts.operator(description.op_type), facts.family(soc)
    if operator is None or (chip is None and not soc.startswith(facts.SINCE_910B)):
        return "aicore"
    if any(attr.name == "_exclude_engines" for attr in description.attrs):
        return "aicpu"
    members: set[str] = set()
    inputs = []
    for tensor in description.inputs:
        if not tensor.dynamic_input or tensor.dynamic_input not in members:  # of a repeated input the first
            inputs.append(_NAMES.get(DataType(tensor.dtype)))
        members.add(tensor.dynamic_input)
    outputs = [_NAMES.get(DataType(tensor.dtype)) for tensor in description.outputs]
    return operator.engine_for(inputs, outputs) if chip is None else operator.engine_on(chip, inputs, outputs)


def may_be_left(description: Description, soc: str) -> bool:
    """Whether the AI CPU may run an operator: `engine_of` says so, or a kernel of the AI Core that leaves some of its work."""
    if engine_of(description, soc) == "aicpu" or description.op_type in LEAVES_CORE:
        return True
    if description.op_type != "Cast":
        return False
    taken, given = (_NAMES.get(DataType(tensor.dtype), "") for tensor in (description.inputs[0], description.outputs[0]))
    return given not in _CASTS.get(taken, "").split()


class Variants:
    """The families of this process, bounded; guarded by the registry's lock."""

    def __init__(self) -> None:
        self._families: dict[Hashable, Family] = {}
        self._without_handle: dict[str, set[Hashable]] = {}

    def family(self, description: Description) -> Family:
        key = (description.op_type, tuple(map(_open, description.inputs)), tuple(map(_open, description.outputs)), description.attrs)
        found = self._families.get(key)
        if found is None:
            if len(self._families) >= MAX_FAMILIES:
                self._families.pop(next(iter(self._families)))
            found = self._families[key] = Family()
        return found

    def runs_without_handle(self, description: Description) -> None:
        """Note that something of a kind runs without handle.

        What CANN's compiler makes inside the process serves every shape on some chips, and what is made for the AI CPU does so everywhere,
        of every rank and of exact descriptions too. Such a model can't be loaded by handles that are made after its first run without one
        (graph engine, OpExecutor::PrepareRt2Execute).
        """
        kinds = self._without_handle.setdefault(description.op_type, set())
        if len(kinds) < MAX_KINDS:
            kinds.add(_kind(description))

    def ran_without_handle(self, description: Description) -> bool:
        """Whether something of a kind ran without handle, or so many kinds of the operator that they are not told apart any more."""
        kinds = self._without_handle.get(description.op_type, set())
        return len(kinds) >= MAX_KINDS or _kind(description) in kinds

    def clear(self) -> None:
        self._families.clear()
        self._without_handle.clear()


def _kind(description: Description) -> Hashable:
    """What models that one call can find have in common: of any shape, and with floats as attributes that are close (ATTR-8)."""
    tensors = tuple([(tensor.dtype, tensor.format, tensor.const is None) for tensor in (*description.inputs, *description.outputs)])
    attrs = tuple([attr.name if attr.kind in ("float", "list_float") else attr for attr in description.attrs])
    return tensors, attrs


def dynamic_model(description: Description, family: Family, per_call: bool) -> Description:
    """The dynamic model for a member of a family; constants leave the model once the family has shown more than a few of them."""
    constants = tuple([tensor.const for tensor in description.inputs if tensor.const is not None])
    if constants and len(family.constants) <= FREE_CONSTANTS_AFTER:
        family.constants.add(constants)
    free = not per_call and len(family.constants) > FREE_CONSTANTS_AFTER
    found = family.dynamic.get(() if free else constants)
    if found is None:
        found = family.dynamic[() if free else constants] = generalize(description, free_constants=free)
    return found


def finished_model(description: Description, finished: Archive, exact: bool, per_call: bool) -> Description:
    """The model that serves a description where models can only be loaded: an exact one, else a dynamic one, as far as there is one.

    Args:
        description: The operator with its exact shapes.
        finished: What there is.
        exact: Whether an exact model would do; it is named as the missing one then.
        per_call: Whether constants have to stay in the model.
    """
    candidates = [description] if exact else []
    candidates.append(generalize(description, free_constants=False))
    if not per_call:
        candidates.append(generalize(description, free_constants=True))
    return next((candidate for candidate in candidates if finished.holds(candidate)), candidates[0])


def _open(tensor: TensorDescription) -> Hashable:
    const = None if tensor.const is None else len(tensor.const)
    return (tensor.dtype, len(tensor.shape), tensor.format, const, tensor.name)
