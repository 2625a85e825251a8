"""Dynamic plans: one model for every shape of a signature, launched by `execute_v2` with concrete dims.

A signature whose shapes or constants keep changing is given one dynamic model (-1 dims and ranges live in the model only; a
-1 in a description at execute is refused, OM-21). Situation (a) of OP-12, output shape known, is the rule; situation (b), an upper
bound, serves data-dependent outputs: the call blocks and the exact dims are read from a fresh description (OP-13).
Situation (c) is reserved in CANN and never relied on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..acl import binding
from ..errors import OperatorNotFoundError, ShapeError
from ..interrupts import HeldInterrupts
from ..runtime import attrs, desc
from ..runtime.attrs import KeptAttr
from ..runtime.desc import KeptDesc, TensorDesc
from .static import Plan, Prepared

if TYPE_CHECKING:
    from ..compiler.description import Description, TensorDescription
    from ..runtime.stream import Stream


Dims = Sequence["tuple[int, ...] | None"]

_new = object.__new__


def generalize(description: Description, free_constants: bool) -> Description:
    """The description of the dynamic model that serves every shape of `description`.

    Args:
        description: The operator with its exact shapes.
        free_constants: Turn constants into device inputs, so that their values leave the model too.
    """
    return replace(
        description,
        inputs=tuple(_opened(tensor, free_constants) for tensor in description.inputs),
        outputs=tuple(_opened(tensor, False) for tensor in description.outputs),
    )


def _opened(tensor: TensorDescription, free_constants: bool) -> TensorDescription:
    if tensor.absent or (tensor.const is not None and not free_constants):
        return tensor
    if tensor.const is not None:
        # The number of axes, of sizes... decides the rank of the result, so it stays part of the model.
        return replace(tensor, const=None)
    if not tensor.shape:
        return tensor
    return replace(tensor, shape=(-1,) * len(tensor.shape), ranges=((1, -1),) * len(tensor.shape))


class DynamicPlan(Plan):
    """A plan that launches by matching a dynamic model.

    The descriptions of the operands' exact shapes are made once; `execute_v2` consumes them during the call (OP-16). Plans share them,
    as they share attributes: a shape that was never seen should cost little more than its look-up.
    """

    __slots__ = ("attr", "bounds", "constants", "dims", "inputs", "kept", "model", "outputs", "pattern", "reload", "tensors_only")
    dynamic: ClassVar[bool] = True
    dims: tuple[Dims, Dims]
    pattern: DynamicPlan

    def __init__(self, call: Prepared, model: Description, reload: Callable[[Description], None]) -> None:
        super().__init__(call)
        self.model = model
        self.reload = reload
        free: list[tuple[int, bytes]] = []
        inputs = []
        with HeldInterrupts():
            for position, (tensor, wanted) in enumerate(zip(call.description.inputs, model.inputs, strict=True)):
                if tensor.const is not None and wanted.const is None:
                    free.append((position, tensor.const))
                    tensor = replace(tensor, const=None)
                inputs.append(self.describe(tensor))
            outputs = [self.describe(tensor) for tensor in call.description.outputs]
            attr = self.attributes(call.description)
        # Constants that left the model are written to the device by each launch, like other values that change with every call.
        self.constants = tuple(free)
        self.tensors_only = call.simple and len(call.fetches) == len(call.description.inputs)  # in the operator's order
        self.kept = (inputs, outputs, attr)
        self.inputs = [kept.handle for kept in inputs]
        self.outputs = [kept.handle for kept in outputs]
        self.attr = attr.handle
        self.bounds = desc.Bounds(self.device, call.description.outputs)

    def resized(self, inputs: Dims, outputs: Dims, results: tuple[TensorDesc, ...]) -> DynamicPlan:
        """This plan for other sizes, with everything else shared. The caller holds the registry's lock and interrupts.

        Args:
            inputs, outputs: By position, the dims where they differ, else None; of the ranks that there are.
            results: What the outputs are as tensors.
        """
        plan = _new(DynamicPlan)
        plan.name, plan.op_type, plan.device, plan.local = self.name, self.op_type, self.device, self.local
        plan.lead, plan.cls, plan.fetches, plan.template = self.lead, self.cls, self.fetches, self.template
        plan.model, plan.reload, plan.constants, plan.tensors_only = self.model, self.reload, self.constants, self.tensors_only
        plan.hits, plan.seen = 0, 1
        plan.results = results
        plan.sizes = tuple([desc.block_size for desc in results])
        plan.pattern, plan.dims = self, (inputs, outputs)
        kept, made, plan.attr = self.kept[0].copy(), self.kept[1].copy(), self.attr
        description = self.description
        for all_kept, described, sizes in ((kept, description.inputs, inputs), (made, description.outputs, outputs)):
            for position, dims in enumerate(sizes):
                if dims is not None:
                    all_kept[position] = desc.shared_as(self.device, described[position], dims)
        plan.kept = (kept, made, self.kept[2])
        plan.inputs = [each.handle for each in kept]
        plan.outputs = [each.handle for each in made]
        return plan

    def __getattr__(self, name: str) -> Any:
        """The description of a resized plan is made when somebody asks."""
        if name != "description":
            raise AttributeError(name)
        inputs, outputs = self.dims
        whole = self.pattern.description
        self.description = replace(whole, inputs=_with_dims(whole.inputs, inputs), outputs=_with_dims(whole.outputs, outputs))
        return self.description

    def describe(self, tensor: TensorDescription) -> KeptDesc:
        return desc.shared(self.device, tensor)

    def attributes(self, description: Description) -> KeptAttr:
        return attrs.shared(self.device, description.attrs)

    def gather(self, operands: Sequence[Any], stream: Stream) -> tuple[list[int], list[Any]]:
        if self.tensors_only:
            for operand in operands:
                if operand.buffer.stream is not stream:
                    operand.buffer.read_on(stream)
            return [operand.buffer.data_buffer for operand in operands], []
        inputs, alive = super().gather(operands, stream)
        for position, data in self.constants:
            buffer = self.device.upload_bytes(data, stream)
            alive.append(buffer)
            inputs[position] = buffer.data_buffer
        return inputs, alive

    def run(self, operands: Sequence[Any], outputs: list[int], stream: Stream) -> None:
        self.execute(operands, self.outputs, outputs, stream)

    def execute(self, operands: Sequence[Any], descs: list[int], outputs: list[int], stream: Stream) -> None:
        inputs, _alive = self.gather(operands, stream)
        stream.recent.append(self)
        self.hits += 1
        try:
            binding.execute_v2(self.op_type, self.inputs, inputs, descs, outputs, self.attr, stream.handle)
        except OperatorNotFoundError:
            self.reload(self.model)  # see HandleRegistry.reload
            binding.execute_v2(self.op_type, self.inputs, inputs, descs, outputs, self.attr, stream.handle)


def _with_dims(tensors: Sequence[TensorDescription], dims: Dims) -> tuple[TensorDescription, ...]:
    return tuple([tensor if shape is None else replace(tensor, shape=shape) for tensor, shape in zip(tensors, dims, strict=True)])


class BoundedPlan(DynamicPlan):
    """A dynamic plan whose output shapes depend on the data: allocated for their upper bounds, read back after the (blocking) call."""

    __slots__ = ()

    def launch(self, *operands: Any) -> Any:
        stream = self.current_stream()
        buffers = self.allocate(stream)
        outputs = self.bounds.take()
        try:
            self.execute(operands, outputs, [buffer.data_buffer for buffer in buffers], stream)
            shapes = self.bounds.dims(outputs)
        except BaseException:
            desc.drop(self.device, outputs)
            raise
        self.bounds.give_back(outputs)  # the device owns them: what an interrupt keeps from coming back goes at shutdown
        cls = self.cls if self.lead < 0 else operands[self.lead].__class__
        tensors = []
        for bound, buffer, shape in zip(self.results, buffers, shapes, strict=True):
            tensor = _new(cls)
            tensor.buffer = buffer
            leading = len(shape) - len(bound.shape)  # dims of 1 that the operator has and the result not
            tensor.desc = TensorDesc.of(shape[leading:] if leading else shape, bound.dtype, self.device)
            tensors.append(tensor)
        return tensors[0] if len(tensors) == 1 else tuple(tensors)

    def launch_into(self, targets: Sequence[Any], *operands: Any) -> None:
        error = ShapeError("the shape of the result depends on the data, so it can't go straight into a tensor")
        raise error.with_context(self.name, operands)


class EmptyPlan(Plan):
    """Every output is empty: nothing reaches pyACL (OP-1 would return at once)."""

    __slots__ = ()
    queues: ClassVar[bool] = False

    def launch(self, *operands: Any) -> Any:
        stream = self.current_stream()
        self.hits += 1
        return self.wrap(operands, self.allocate(stream))

    def launch_into(self, targets: Sequence[Any], *operands: Any) -> None:
        self.hits += 1
