"""What a row of the operator table says.

A row is data and one pure rule. PyTorch's words (left) and Ascend's (right) meet here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from ..codes import Format
from ..dtypes import dtype as DType
from ..promotion import Kind

COMPUTE: Final = "compute"
"""Stands for the dtype that the operands are promoted to."""
RESULT: Final = "result"
"""Stands for the result dtype of the row's promotion kind."""


class Meta(NamedTuple):
    """What a rule may know of an operand: shape, and dtype (the Python type of a scalar, None where the operand is absent)."""

    shape: tuple[int, ...]
    dtype: Any


_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Outcome(NamedTuple):
    """What a rule decides.

    Attributes:
        shapes: Shape of each output (upper bounds where the row is data-dependent).
        constants: Values of the row's constant inputs by name; None for an absent one.
        attrs: Values of the attributes that differ from the row's defaults, by name.
        dtypes: Output dtypes, where the arguments decide them (cast, argmax); else the row's.
        inputs: Shapes that the operands are described with, where they differ from the tensors' own (a number taken as a vector of one).
        outputs: The same for the outputs.
    """

    shapes: tuple[tuple[int, ...], ...]
    constants: Mapping[str, Any] = _NOTHING
    attrs: Mapping[str, Any] = _NOTHING
    dtypes: tuple[DType, ...] | None = None
    inputs: tuple[tuple[int, ...], ...] | None = None
    outputs: tuple[tuple[int, ...], ...] | None = None


Rule = Callable[..., Outcome]
"""`rule(operands: Sequence[Meta], *arguments) -> Outcome`: shapes and structure from shapes and structure, nothing else."""

R = TypeVar("R", bound=Rule)

POINTWISE: Final[set[Rule]] = set()
"""Rules of operators that compute an element of the result from the operands' elements at its place alone, so that the result may have the
memory of an operand (OP-17). Others, a product of matrices or a running sum, would read what they have written already."""


def pointwise(rule: R) -> R:
    """Marks a rule as one of `POINTWISE`."""
    POINTWISE.add(rule)
    return rule


ELEMENTWISE: Final[set[Rule]] = set()
"""Those of `POINTWISE` whose operators don't ask where in the operands an element lies, so that dims may be exchanged in all of them."""


def elementwise(rule: R) -> R:
    """Marks a rule as one of `ELEMENTWISE`, and of `POINTWISE`."""
    ELEMENTWISE.add(rule)
    return pointwise(rule)


REDUCING: Final[set[Rule]] = set()
"""Rules of operators that reduce dims and don't ask for their order; `dim` and `keepdim` are the last arguments."""


def reducing(rule: R) -> R:
    """Marks a rule as one of `REDUCING`."""
    REDUCING.add(rule)
    return rule


@dataclass(frozen=True)
class Input:
    """An input of the operator.

    Attributes:
        name: The prototype's name.
        kind: "device": a tensor or number operand; "optional": the same, may be None; "repeated": all remaining operands;
            "const": structure (axes, shape, k), bound from host memory when the plan is made; "value": integers that change with
            calls (sizes and steps of views), written to the device where they are not among the last ones; "counter": integers that
            never come again, written by each launch.
        dtype: COMPUTE, or the fixed dtype that the operand is brought to.
        accepts: For a fixed dtype: operand dtypes that are cast to it; empty means any.
        promotes: Whether the operand takes part in promotion.
        format: How the axes are to be understood: part of the description, where the operator's kernels are made for images.
        member: The repeated input that it is a member of, in rows that list members one by one, each with its number in its name.
    """

    name: str
    kind: str = "device"
    dtype: DType | str = COMPUTE
    accepts: tuple[DType, ...] = ()
    format: Format = Format.ND
    member: str = ""

    @property
    def promotes(self) -> bool:
        return self.dtype == COMPUTE and self.kind in ("device", "optional", "repeated")


@dataclass(frozen=True)
class Output:
    """An output: the prototype's name; RESULT, COMPUTE or a fixed dtype; the input whose memory it is, for in-place operators; format."""

    name: str
    dtype: DType | str = RESULT
    alias: str | None = None
    format: Format = Format.ND


@dataclass(frozen=True)
class Attr:
    """An attribute: the prototype's name, ACL's kind ("bool", "int", "float", "string", "list_int", "data_type"...), the row's value."""

    name: str
    kind: str
    default: Any = None


@dataclass(frozen=True, eq=False)
class Row:
    """One operator.

    Attributes:
        name: PyTorch's name of the function, for messages.
        op_type: Ascend IR operator type.
        inputs: Inputs in the prototype's order.
        outputs: Outputs in the prototype's order.
        rule: Pure rule from operand shapes and arguments to output shapes, constants and attributes.
        attrs: Attributes; every launch carries all of them, so that a model matches exactly (ATTR-7).
        promotion: How the operands' dtypes become the compute and the result dtype.
        dtypes: Compute dtypes that the operator takes.
        via: Compute dtypes that it does not take, and the one that they are cast to and back from without loss.
        bits: Compute dtypes whose elements it only moves, and the dtype of the same size that they are passed off as.
        identity: What a reduction over nothing gives; None where PyTorch refuses it.
        data_dependent: The output shape is known only after the run.
        per_call: A "value" input decides the tiling, so that the plan is dynamic from the first call (value_depend).
        numbers: Whether plain Python numbers are accepted as operands.
    """

    name: str
    op_type: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    rule: Rule
    attrs: tuple[Attr, ...] = ()
    promotion: Kind = Kind.DEFAULT
    dtypes: tuple[DType, ...] = ()
    via: Mapping[DType, DType] = field(default_factory=dict)
    bits: Mapping[DType, DType] = field(default_factory=dict)
    identity: Any = None
    data_dependent: bool = False
    per_call: bool = False
    numbers: bool = True

    def operand_inputs(self, count: int) -> Sequence[tuple[int, Input]]:
        """(position in the operator's input list, input) for each of `count` operands, in order; a repeated input takes all that remain."""
        places: list[tuple[int, Input]] = []
        position = 0
        for input in self.inputs:
            if input.kind == "repeated":
                others = sum(1 for later in self.inputs[self.inputs.index(input) + 1 :] if later.kind != "const")
                for _ in range(count - len(places) - others):
                    places.append((position, input))
                    position += 1
                continue
            if input.kind != "const":
                places.append((position, input))
            position += 1
        return places
