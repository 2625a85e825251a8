"""Plans of sizes that were never seen, from one that differs by nothing else.

Promotion, casts, attributes and the model to launch depend on dtypes, ranks and arguments. So of a call of a kind that is known, only the
row's rule is asked again, and the plan of before is copied with other dims.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from ..base import TensorBase
from ..errors import AscendTensorError
from ..launch.dynamic import Dims, DynamicPlan
from ..runtime.desc import TensorDesc
from ..runtime.device import Device
from .schema import Input, Meta, Outcome, Row

Sizes = tuple[Dims, Dims, tuple[TensorDesc, ...]]


def kind_of(row: Row, operands: Sequence[Any], arguments: Sequence[Hashable], device: Device | None) -> Hashable:
    """All that a call's key says but the sizes: dtype, rank and device of each tensor, the type of a number, the length of a tuple."""
    kind: list[Hashable] = [row, device]
    for operand in operands:
        if isinstance(operand, TensorBase):
            desc = operand.desc
            kind += (desc.dtype, len(desc.shape), desc.device)
        else:
            kind.append(operand.__class__ if operand.__class__ is not tuple else len(operand))
    kind.extend(arguments)
    return tuple(kind)


def structural(outcome: Outcome) -> bool:
    """Whether what a rule decided beside the shapes can be compared."""
    return all(isinstance(value, (int, tuple, str, float, type(None))) for value in (*outcome.constants.values(), *outcome.attrs.values()))


class Mould:
    """What calls of one kind have in common.

    Attributes:
        plan: The plan that others are copied from.
        device: Where they run.
        exact: Variants of the family that have a model of their own (`launch.variants`).
    """

    __slots__ = ("_constants", "_dtypes", "_outcome", "_places", "_ranks", "_row", "device", "exact", "plan")

    def __init__(
        self,
        row: Row,
        operands: Sequence[Any],
        places: Sequence[tuple[int, Input]],
        outcome: Outcome,
        plan: DynamicPlan,
        exact: set[Hashable],
    ) -> None:
        self._row = row
        self._outcome = outcome
        self.plan = plan
        self.device = plan.device
        self.exact = exact
        self._dtypes = tuple([desc.dtype for desc in plan.results])
        inputs = plan.description.inputs
        self._ranks = [len(tensor.shape) for tensor in plan.description.outputs]
        # Of each input: the operand that gives its dims and their number; -1 where they stay.
        self._places = [
            (index, len(tensor.shape)) if index >= 0 and operands[index] is not None and input.kind not in ("value", "counter") else (-1, 0)
            for (index, input), tensor in zip(places, inputs, strict=False)
        ]
        self._constants = [(tensor.shape, tensor.const) for tensor in inputs]

    def sizes(self, operands: Sequence[Any], arguments: Sequence[Hashable]) -> Sizes | None:
        """The dims of inputs and outputs and the results of a call of this kind; None where it isn't one after all.

        Args:
            operands: Tensors, plain, and whatever else the row takes.
            arguments: The other arguments.
        """
        known = self._outcome
        metas = []
        for operand in operands:
            if isinstance(operand, TensorBase):
                desc = operand.desc
                if not desc.numel:
                    return None
                metas.append(Meta(desc.shape, desc.dtype))
            else:
                metas.append(Meta((), operand.__class__))
        try:
            outcome = self._row.rule(metas, *arguments)
            if outcome.constants != known.constants or outcome.attrs != known.attrs or outcome.dtypes != known.dtypes:
                return None
        except (AscendTensorError, TypeError, ValueError, OverflowError):
            return None
        given = outcome.inputs or [meta.shape for meta in metas]
        inputs = [None if index < 0 else given[index] for index, _ in self._places]
        outputs = outcome.outputs or outcome.shapes
        if not self._fits(inputs, outputs):
            return None
        results = tuple([TensorDesc.of(shape, dtype, self.device) for shape, dtype in zip(outcome.shapes, self._dtypes, strict=True)])
        return (inputs, outputs, results) if all([desc.numel for desc in results]) else None

    def _fits(self, inputs: Dims, outputs: Sequence[tuple[int, ...]]) -> bool:
        """Whether the ranks are those of the model, and no model of its own serves these dims."""
        for dims, (_, rank) in zip(inputs, self._places, strict=True):
            if dims is not None and len(dims) != rank:
                return False
        if [len(dims) for dims in outputs] != self._ranks:
            return False
        if not self.exact:
            return True
        shapes = [fixed if dims is None else (dims, None) for dims, fixed in zip(inputs, self._constants, strict=True)]
        return (tuple(shapes), tuple(outputs)) not in self.exact
