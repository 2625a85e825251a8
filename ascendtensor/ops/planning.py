"""What is worked out once per signature: promotion, shapes, descriptions, and whether an exact or a dynamic model serves it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast
from weakref import WeakKeyDictionary

import numpy as np

from .. import base, promotion
from ..base import TensorBase
from ..codes import Format
from ..compiler.description import ABSENT, Attribute, AttributeKind, Description, TensorDescription
from ..dtypes import INTEGER, bool_
from ..dtypes import dtype as DType
from ..errors import AscendTensorError, ClosedError, DeviceError, DTypeError, ShapeError
from ..interrupts import HeldInterrupts
from ..launch import operands as fetches
from ..launch.dynamic import BoundedPlan, DynamicPlan, EmptyPlan
from ..launch.each_run import each_run_plan
from ..launch.registry import HandleRegistry, Unbuilt
from ..launch.static import BinaryPlan, BlockingPlan, Fetch, Plan, Prepared, SinglePlan, StaticPlan, TensorsPlan, UnaryPlan, blocking
from ..launch.variants import dynamic_model, finished_model, variant_of
from ..runtime import copies
from ..runtime.desc import TensorDesc
from ..runtime.device import Device
from . import precision
from .arguments import unfit
from .moulds import Mould, kind_of, structural
from .schema import RESULT, Input, Meta, Outcome, Row

Call = Callable[..., Any]


class Decision:
    """What promotion and the row's rule say about one signature: dtypes and shapes, nothing of a device."""

    __slots__ = ("compute", "dtypes", "moved", "outcome", "places", "result", "working")

    def __init__(self, row: Row, operands: Sequence[Any], arguments: Sequence[Any]) -> None:
        self.places = layout(row, len(operands))[0]
        promoting = [
            _typed(operand) for (_, input), operand in zip(self.places, operands, strict=True) if input.promotes and operand is not None
        ]
        given = next((argument for argument in arguments if isinstance(argument, DType)), None)
        if given is not None and all(ndim < 0 for _, ndim in promoting):
            # Creation: the dtype is an argument of the rule, and numbers follow it.
            self.compute = self.result = given
        else:
            self.compute, self.result = promotion.resolve(row.promotion, promoting)
        self.working = _working(row, self.compute)
        self.moved = self.compute in row.bits
        kinds = (operand.desc.dtype if isinstance(operand, TensorBase) else operand.__class__ for operand in operands)
        metas = [Meta(_shape(operand), kind) for operand, kind in zip(operands, kinds, strict=True)]
        self.outcome = row.rule(metas, *arguments)
        self.dtypes = self.outcome.dtypes or tuple(self._fixed(output.dtype) for output in row.outputs)

    def _fixed(self, dtype: DType | str) -> DType:
        if isinstance(dtype, DType):
            return dtype
        return self.result if dtype == RESULT else self.compute

    def wanted(self, input: Input) -> DType:
        """Dtype that an operand is brought to for an input."""
        return input.dtype if isinstance(input.dtype, DType) else self.working


def _working(row: Row, compute: DType) -> DType:
    if compute in row.bits:
        return row.bits[compute]
    if not row.dtypes or compute in row.dtypes:
        return compute
    if compute in row.via:
        return row.via[compute]
    advice = _OF_MASKS.get(row.name) if compute is bool_ else None
    if advice is None:
        advice = f"It takes {', '.join(dtype.name for dtype in row.dtypes)}; convert with .to(dtype)."
    raise DTypeError(f"{compute.name} is not supported by the operator {row.op_type}", advice=advice)


_OF_MASKS: Final = {
    "neg": "A mask is inverted by ~x or logical_not(x).",
    "sub": "Where masks differ is told by ^, logical_xor(); to count with them, convert with .to(int64).",
}
"""What to do instead of arithmetic with truth values."""


def _typed(operand: Any) -> tuple[Any, int]:
    if isinstance(operand, TensorBase):
        return operand.desc.dtype, len(operand.desc.shape)
    return operand.__class__, -1


def _given(operands: Sequence[Any]) -> list[Any]:
    """The operands without absent ones, for the text of an error."""
    return [operand for operand in operands if operand is not None]


def _shape(operand: Any) -> tuple[int, ...]:
    return operand.desc.shape if isinstance(operand, TensorBase) else ()


class ConvertingPlan:
    """A plan whose operator does not take the dtype: it runs in another one that holds every value, and the results are cast back."""

    __slots__ = ("cast", "inner", "results")
    direct = False

    def __init__(self, inner: Plan, dtypes: Sequence[DType], cast: Call) -> None:
        self.inner = inner
        self.results = tuple(TensorDesc.of(desc.shape, dtype, desc.device) for desc, dtype in zip(inner.results, dtypes, strict=True))
        self.cast = cast

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def launch(self, *operands: Any) -> Any:
        given = self.inner.launch(*operands)
        results = given if isinstance(given, tuple) else (given,)
        # An index output has its dtype already.
        final = tuple(
            result if result.desc.dtype is desc.dtype else self.cast(result, desc.dtype)
            for result, desc in zip(results, self.results, strict=True)
        )
        return final if len(final) > 1 else final[0]

    def launch_into(self, targets: Sequence[Any], *operands: Any) -> None:
        _copy(self.launch(*operands), targets)


def _copy(results: Any, targets: Sequence[Any]) -> None:
    """What a plan gave, into the memory of plain tensors of the same shapes and dtypes."""
    for result, target in zip(results if isinstance(results, tuple) else (results,), targets, strict=True):
        copies.copy_device(target.buffer, result.buffer, target.desc.nbytes)


class Planner:
    """Makes plans; `call` is the road itself, for the casts and fills that a plan needs."""

    def __init__(self, registry: HandleRegistry, call: Call, cast_row: Row, fill_row: Row, cast_complex: Call) -> None:
        self._registry = registry
        self._call = call
        self._cast_row = cast_row
        self._fill_row = fill_row
        self._cast_complex = cast_complex

    def decide(self, row: Row, operands: Sequence[Any], arguments: Sequence[Any]) -> Decision:
        """Result shapes and dtypes of a call; nothing is launched.

        Raises:
            ShapeError, DTypeError, IndexRangeError: They do not fit, with the function and the operands in the text.
        """
        try:
            return Decision(row, operands, arguments)
        except AscendTensorError as error:
            raise error.with_context(row.name, _given(operands)) from None
        except (TypeError, ValueError, OverflowError) as error:  # rules look at arguments without asking first
            raise unfit(error).with_context(row.name, _given(operands)) from error

    def describe(self, row: Row, operands: Sequence[Any], arguments: Sequence[Any], device: Device) -> Description:
        """What a call would launch; nothing is made, so the tensors need no memory and the device need not exist.

        Raises:
            ShapeError, DTypeError, IndexRangeError: As `decide`.
        """
        return self._prepare(row, tuple(operands), self.decide(row, operands, arguments), device).description

    def resized(self, key: Hashable, row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...], device: Device | None) -> Any:
        """A plan for plain operands that differs from one before by sizes alone; None where there is nothing of the kind.

        What doesn't fit gives None too, so that the ordinary way says what is wrong.
        """
        registry = self._registry
        mould = registry.moulds.get(kind_of(row, operands, arguments, device))
        if mould is None or registry.recorders or mould.device.closed:
            return None
        mould.device.current_stream()
        sizes = mould.sizes(operands, arguments)
        if sizes is None:
            return None
        try:
            with registry.lock, HeldInterrupts():
                found = registry.plans.get(key)
                if found is None:
                    found = mould.plan.resized(*sizes)
                    registry.add(key, found)
                return found
        except AscendTensorError as error:
            raise error.with_context(row.name, _given(operands)) from None

    def plan(self, key: Hashable, row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...], device: Device | None) -> Any:
        """The plan for plain operands, made and kept if it is not at hand."""
        found = self._registry.plans.get(key)
        if found is not None:
            return found
        where = _device(row, operands, device)
        where.current_stream()  # makes the context current, which constants of a board need (TD-18); refuses a forked child
        decision = self.decide(row, operands, arguments)
        if decision.compute in precision.WIDE and not decision.moved:
            precision.warn_of_wide(decision.compute)
        try:
            return self._planned(key, row, operands, arguments, device, decision, where)
        except AscendTensorError as error:
            raise error.with_context(row.name, _given(operands)) from None

    def _keep_mould(
        self, row: Row, operands: tuple[Any, ...], arguments: tuple[Any, ...], device: Device | None, decision: Decision, plan: Any
    ) -> None:
        registry = self._registry
        if (
            type(plan) is not DynamicPlan
            or not plan.model.dynamic
            or plan.lead < 0
            or registry.finished() is not None
            or not structural(decision.outcome)
        ):
            return
        family = registry.variants.family(plan.description)
        exact = set() if row.per_call else family.exact
        mould = Mould(row, operands, layout(row, len(operands))[1], decision.outcome, plan, exact)
        registry.keep_mould(kind_of(row, operands, arguments, device), mould)

    def _planned(
        self,
        key: Hashable,
        row: Row,
        operands: tuple[Any, ...],
        arguments: tuple[Any, ...],
        device: Device | None,
        decision: Decision,
        where: Device,
    ) -> Any:
        while True:
            with self._registry.lock:
                found = self._registry.plans.get(key)
                if found is not None:
                    return found
                try:
                    plan = self._make(row, operands, decision, where)
                except Unbuilt as missing:
                    description = missing.description
                else:
                    self._registry.add(key, plan)
                    self._keep_mould(row, operands, arguments, device, decision, plan)
                    return plan
            self._registry.build(description)

    def _make(self, row: Row, operands: tuple[Any, ...], decision: Decision, device: Device) -> Any:
        call = self._prepare(row, operands, decision, device)
        if any(isinstance(operand, TensorBase) and operand.desc.numel == 0 for operand in operands) or all(
            desc.numel == 0 for desc in call.results
        ):
            # Nothing runs, so nothing is computed in another dtype and cast back.
            call = replace(
                call,
                results=tuple(TensorDesc.of(desc.shape, dtype, device) for desc, dtype in zip(call.results, decision.dtypes, strict=True)),
            )
            return EmptyPlan(call) if all(desc.numel == 0 for desc in call.results) else self._over_nothing(row, call)
        if row is self._cast_row and decision.compute.is_complex:
            return PartsPlan(call, self._cast_complex)
        plan: Any = self._model(row, call)
        if blocking():
            plan = BlockingPlan(plan)
        if (
            decision.working != decision.compute
            and not decision.moved
            and any(dtype != desc.dtype for dtype, desc in zip(decision.dtypes, call.results, strict=True))
        ):
            return ConvertingPlan(plan, decision.dtypes, lambda tensor, dtype: self._call(self._cast_row, (tensor,), (dtype,)))
        return plan

    def _over_nothing(self, row: Row, call: Prepared) -> Plan:
        """A reduction over nothing: a fill with its identity, since an empty input never reaches pyACL."""
        if row.identity is None:
            raise ShapeError("the operand has no elements and the operation has no identity")
        return FilledPlan(
            call, row.identity, lambda desc: self._call(self._fill_row, (row.identity,), (desc.shape, desc.dtype), desc.device)
        )

    def _model(self, row: Row, call: Prepared) -> Plan:
        registry, description = self._registry, call.description
        if registry.each_run is not None:
            registry.note(description)
            registry.runs_without_handle(description)
            return each_run_plan(call, registry.each_run, row.data_dependent, row.per_call)
        family = registry.variants.family(description)
        variant = variant_of(description)
        moving = row.data_dependent or row.per_call
        finished = registry.finished()
        if finished is not None:
            model = finished_model(description, finished, not moving, row.per_call)
        elif moving or family.wants_dynamic(variant):
            model = dynamic_model(description, family, row.per_call)
        else:
            model = description
        seconds = registry.load(model, later=True)
        if model is not description:
            registry.runs_without_handle(description)
            return (BoundedPlan if row.data_dependent else DynamicPlan)(call, model, registry.reload)
        family.loaded(variant, seconds)
        if registry.too_late(description, call.device):
            return DynamicPlan(call, description, registry.reload)
        handle = registry.handle(description, call.device)
        if not call.simple or not call.fetches:
            return SinglePlan(call, handle) if len(call.results) == 1 else StaticPlan(call, handle)
        if len(call.fetches) == 1:
            return UnaryPlan(call, handle)
        return BinaryPlan(call, handle) if len(call.fetches) == 2 == len(description.inputs) else TensorsPlan(call, handle)

    def _prepare(self, row: Row, operands: tuple[Any, ...], decision: Decision, device: Device) -> Prepared:
        inputs: list[TensorDescription] = []
        fetch: list[tuple[int, int, Fetch]] = []
        outcome = decision.outcome
        for position, (index, input) in enumerate(layout(row, len(operands))[1]):
            if index < 0:
                inputs.append(_constant(input, outcome.constants.get(input.name)))
                continue
            described, how = self._operand(input, operands[index], decision, device, outcome.inputs[index] if outcome.inputs else None)
            inputs.append(described)
            if how is not None:
                fetch.append((position, index, how))
        while inputs and inputs[-1].absent:
            inputs.pop()
        running = [self._runs_in(output.dtype, dtype, decision) for output, dtype in zip(row.outputs, decision.dtypes, strict=True)]
        held = decision.dtypes if decision.moved else running
        results = tuple(TensorDesc.of(shape, dtype, device) for shape, dtype in zip(outcome.shapes, held, strict=True))
        description = Description(
            op_type=row.op_type,
            inputs=tuple(_numbered(inputs, decision.places)),
            outputs=tuple(
                TensorDescription(dtype=dtype.acl, shape=shape, format=int(fitting(output.format, len(shape))), name=output.name)
                for output, dtype, shape in zip(row.outputs, running, outcome.outputs or outcome.shapes, strict=True)
            ),
            attrs=_attributes(row, outcome),
        )
        tensors = [index for index, operand in enumerate(operands) if isinstance(operand, TensorBase)]
        simple = (
            len(results) == 1
            and all(how is fetches.tensor and position == index for position, index, how in fetch)
            and len(tensors) == len(operands)
        )
        return Prepared(row.name, description, device, results, tuple(fetch), tensors[0] if tensors else -1, base.default_class(), simple)

    @staticmethod
    def _runs_in(declared: DType | str, dtype: DType, decision: Decision) -> DType:
        """Dtype that an output has while the operator runs in another dtype than the compute dtype."""
        return decision.working if isinstance(declared, str) and dtype == decision.compute else dtype

    def _operand(
        self, input: Input, operand: Any, decision: Decision, device: Device, shape: tuple[int, ...] | None
    ) -> tuple[TensorDescription, Fetch | None]:
        if operand is None:
            return ABSENT, None
        wanted = decision.wanted(input)
        if input.kind in ("value", "counter"):
            values = fetches.Values(device, wanted) if input.kind == "value" else fetches.Counter(device, wanted)
            return TensorDescription(dtype=wanted.acl, shape=(len(operand),), name=input.name), values
        if not isinstance(operand, TensorBase):
            held = decision.compute if decision.moved and input.promotes else wanted
            detour = input.promotes and decision.compute.category == INTEGER and held != decision.compute
            number = fetches.FittingNumber(device, held, decision.compute) if detour else fetches.Number(device, held)
            return TensorDescription(dtype=wanted.acl, shape=shape or (), name=input.name, dynamic_input=input.member), number
        dims = operand.desc.shape if shape is None else shape
        described = TensorDescription(dtype=wanted.acl, shape=dims, format=int(input.format), name=input.name, dynamic_input=input.member)
        steps = [decision.compute if decision.moved and input.promotes else wanted]
        if input.promotes and decision.compute.category == INTEGER and steps[0] != decision.compute:
            # A 0-d operand may hold more than the compute dtype: it wraps there first, as it does where there is no detour.
            steps.insert(0, decision.compute)
        steps = steps[steps.index(operand.desc.dtype) + 1 :] if operand.desc.dtype in steps[:-1] else steps
        if not steps or steps == [operand.desc.dtype]:
            return described, fetches.tensor
        if input.accepts and operand.desc.dtype not in input.accepts:
            known = ("one of " if len(input.accepts) > 1 else "") + ", ".join(dtype.name for dtype in input.accepts)
            text = f"the operand {input.name} has dtype {operand.desc.dtype.name}; it must be {known}"
            raise DTypeError(text, advice="Convert with .to(dtype)." if len(input.accepts) > 1 else f"Convert with .to({known}).")
        if not decision.moved:
            promotion.keep_imaginary(operand.desc.dtype, wanted)
        return described, self._casting(steps)

    def _casting(self, steps: Sequence[DType]) -> Fetch:
        call, row = self._call, self._cast_row

        def fetch(operand: Any, stream: Any) -> Any:
            for dtype in steps:
                operand = call(row, (operand,), (dtype,))
            return fetches.tensor(operand, stream)

        return fetch


class FilledPlan(EmptyPlan):
    """A plan that gives a constant: reductions over an empty axis."""

    __slots__ = ("fill", "identity")

    def __init__(self, call: Prepared, identity: Any, fill: Callable[[TensorDesc], Any]) -> None:
        super().__init__(call)
        self.identity = identity
        self.fill = fill

    def launch(self, *operands: Any) -> Any:
        self.hits += 1
        cls = self.cls if self.lead < 0 else operands[self.lead].__class__
        filled = tuple(base.as_class(self.fill(desc), cls) for desc in self.results)
        return filled[0] if len(filled) == 1 else filled

    def launch_into(self, targets: Sequence[Any], *operands: Any) -> None:
        _copy(self.launch(*operands), targets)


class PartsPlan(EmptyPlan):
    """A cast of complex numbers, part by part: Cast has no 910B kernel that takes them."""

    __slots__ = ("cast",)

    def __init__(self, call: Prepared, cast: Call) -> None:
        super().__init__(call)
        self.cast = cast

    def launch(self, *operands: Any) -> Any:
        self.hits += 1
        return self.cast(operands[0], self.results[0].dtype)

    def launch_into(self, targets: Sequence[Any], *operands: Any) -> None:
        _copy(self.launch(*operands), targets)


def _device(row: Row, operands: Sequence[Any], device: Device | None) -> Device:
    """The one device of all operands, open."""
    devices = {operand.desc.device: None for operand in operands if isinstance(operand, TensorBase)}
    if device is not None:
        devices[device] = None
    for found in devices:
        if found.closed:
            raise ClosedError(f"an operand is from before shutdown() of {found}", advice="Make it again from host data.").with_context(
                row.name
            )
    if len(devices) > 1:
        names = " and ".join(str(found) for found in devices)
        raise DeviceError(f"the operands are on different devices, {names}", advice='Move one of them with .to("npu:N").').with_context(
            row.name, _given(operands)
        )
    if not devices:
        advice = "Numbers and lists become tensors by tensor()."
        raise DTypeError("at least one operand has to be a tensor", advice=advice).with_context(row.name, operands)
    (found,) = devices
    return found


Layout: TypeAlias = tuple[Sequence[tuple[int, Input]], tuple[tuple[int, Input], ...]]
_layouts: Final[WeakKeyDictionary[Row, dict[int, Layout]]] = WeakKeyDictionary()
"""By row, which a custom operator takes along when it goes, and by number of operands."""


def layout(row: Row, count: int) -> Layout:
    """Where the operands of a row go, and of each input in the operator's order: its operand, -1 for a constant, and what the row says."""
    known = _layouts.get(row)
    if known is None:
        known = _layouts[row] = {}
    found = known.get(count)
    if found is None:
        places = row.operand_inputs(count)
        by_position = {position: (index, input) for index, (position, input) in enumerate(places)}
        constants = [input for input in row.inputs if input.kind == "const"]
        given = iter(constants)
        every = range(len(places) + len(constants))
        found = known[count] = (places, tuple([by_position[at] if at in by_position else (-1, next(given)) for at in every]))
    return found


def fitting(format: Format, rank: int) -> Format:
    """A format of images where there is an axis for each of its letters, else ND."""
    return format if len(format.name) == rank else Format.ND


def _constant(input: Input, value: Any) -> TensorDescription:
    if value is None:
        return ABSENT
    assert isinstance(input.dtype, DType)
    array = np.asarray(value, dtype=input.dtype.numpy)
    return TensorDescription(dtype=input.dtype.acl, shape=array.shape, const=array.tobytes(), name=input.name)


def _numbered(inputs: Sequence[TensorDescription], places: Sequence[tuple[int, Input]]) -> list[TensorDescription]:
    """Members of a repeated input are named by its name and a number from 0 (INF-6)."""
    repeated = [position for position, input in places if input.kind == "repeated"]
    if not repeated:
        return list(inputs)
    return [
        replace(tensor, name=f"{tensor.name}{position - repeated[0]}", dynamic_input=tensor.name) if position in repeated else tensor
        for position, tensor in enumerate(inputs)
    ]


def _attributes(row: Row, outcome: Outcome) -> tuple[Attribute, ...]:
    if not row.attrs:
        return ()
    values = {attr.name: attr.default for attr in row.attrs} | dict(outcome.attrs)
    return tuple(Attribute(attr.name, cast(AttributeKind, attr.kind), _attribute(attr.kind, values[attr.name])) for attr in row.attrs)


def _attribute(kind: str, value: Any) -> Any:
    if isinstance(value, DType):
        return value.acl
    if kind == "float":
        return float(value)
    return tuple(value) if kind.startswith("list") else value
