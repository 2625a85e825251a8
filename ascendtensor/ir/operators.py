"""Operators as callable objects: each goes the road of the table's rows, with a row made of its prototype."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np

from .. import base, facts
from ..base import TensorBase
from ..codes import DataType, Format
from ..compiler.description import ABSENT, Attribute, TensorDescription
from ..compiler.simulated import has_kernel
from ..dtypes import dtype as DType
from ..dtypes import float32, from_acl
from ..errors import AclError, CompileError, ShapeError, UnsupportedError, ValueRangeError
from ..launch.inference import infer_outputs
from ..ops.call import call as launch
from ..ops.call import find, launch_into
from ..ops.custom import made_row
from ..ops.schema import Attr, Input, Meta, Outcome, Row
from ..ops.writing import check_writable, copy_into, takes_outputs
from ..runtime.desc import TensorDesc
from ..runtime.device import DeviceLike, as_device, backend
from .binding import DTYPES, Attributes, Bound, Slot, bind, format_of, minus_zeros, specs
from .prototype import document, known, signature, wrong

CAPACITY: Final = 256
"""Forms of calls that are remembered for one operator."""
COUNTS: Final = ("num_split", "num")
"""Attributes that say how many members a repeated output has."""


class Operator:
    """One Ascend IR operator; call it with its inputs in order and its attributes by name.

    Its docstring and signature are those of the prototype. `ir.ops` has all of them, `ir.call` says what a call takes.

    Attributes:
        op_type: Its type.
        facts: Its prototype, and what a 910B accepts.

    Examples:
        >>> at.ir.ops.ReduceSum(at.ones(2, 3), [0])
        tensor([2., 2., 2.], device='npu:0')
        >>> at.ir.ops.ReduceSum.facts.outputs[0].name
        'y'
    """

    def __init__(self, found: facts.Operator) -> None:
        self.op_type = self.__name__ = self.__qualname__ = found.op_type
        self.facts = found
        self.__doc__ = document(found)
        self.__signature__ = signature(found)
        self._attributes = Attributes(found)
        self._rows: dict[Hashable, Row] = {}
        self._calls: dict[Hashable, _Known] = {}
        self._lists = any(each.kind == "dynamic" for each in found.inputs)
        self._several = len(found.outputs) != 1 or found.outputs[0].kind == "dynamic"

    def __repr__(self) -> str:
        return f"<Ascend IR operator {self.op_type}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _named, (self.op_type,)

    def __call__(self, *inputs: Any, outputs: Any = None, desc_format: str | None = None, device: DeviceLike = None, **attrs: Any) -> Any:
        """Launch it; see `ir.call`."""
        key = _call_key(inputs, outputs, desc_format, attrs)
        known = None if key is None else self._calls.get(key)
        try:
            if known is None:
                results = self._checked(key, inputs, outputs, desc_format, device, attrs)
            else:
                results = launch(known.row, known.operands(inputs), known.arguments)
        except CompileError as error:
            raise wrong(self.facts, error) from None
        return (results,) if self._several and not isinstance(results, tuple) else results

    def _checked(
        self, key: Hashable, inputs: tuple[Any, ...], outputs: Any, desc_format: str | None, device: DeviceLike, attrs: dict[str, Any]
    ) -> Any:
        """The first call of its form: all is checked, and what was decided is kept."""
        values = self._attributes.values(attrs, inputs)
        layout = format_of(self.facts, desc_format, values)
        bound = bind(self.facts, inputs, layout)
        count, wanted = specs(self.facts, outputs)
        described = None if wanted is None else tuple(_spec(entry) for entry in wanted)
        row = self._row(bound, tuple(values), self._count(count, values), layout)
        settled = tuple(values.values())
        arguments = (_lead(bound), settled, bound.constants, described, minus_zeros(settled))
        targets = self._targets(bound, row, wanted)
        placed = any(bound.tensors.values())
        where = None if placed else as_device(device)
        if targets is not None:
            results = self._into(row, targets, bound.operands, arguments, where)
        else:
            results = launch(row, bound.operands, arguments, where)
            if key is not None and placed:
                if len(self._calls) >= CAPACITY:
                    self._calls.clear()
                self._calls[key] = _Known(row, arguments, tuple(slot.kind != "const" for slot in bound.slots), self._lists)
        return results

    def _count(self, count: int | None, values: dict[str, Any]) -> int:
        """Members of the repeated output; 0 where there is none."""
        if all(each.kind != "dynamic" for each in self.facts.outputs):
            return 0
        if count is None:
            count = next((values[name] for name in COUNTS if values.get(name)), None)
        if count is None:
            name = next(each.name for each in self.facts.outputs if each.kind == "dynamic")
            text = f"the output {name} is repeated"
            raise wrong(self.facts, ValueRangeError(text, advice="outputs= says how many there are, or describes each."))
        return count

    def _row(self, bound: Bound, attrs: tuple[str, ...], count: int, layout: Format) -> Row:
        """Inputs keep their dtypes: there is one row for each combination of dtypes and of inputs that are there."""
        key = (bound.slots, attrs, count, layout)
        row = self._rows.get(key)
        if row is None:
            names = [
                name
                for each in self.facts.outputs
                for name in ([f"{each.name}{number}" for number in range(count)] if each.kind == "dynamic" else [each.name])
            ]
            rule = _Rule(self.facts, bound.slots, attrs, names)
            row = made_row(
                self.op_type,
                [_input(slot) for slot in bound.slots],
                names,
                [Attr(name, self._attributes.kinds[name]) for name in attrs],
                rule,
                layout,
                data_dependent=self.facts.data_dependent_shape,
                per_call=any(slot.tiling for slot in bound.slots),
            )
            row = self._rows.setdefault(key, row)
        return row

    def _targets(self, bound: Bound, row: Row, wanted: list[Any] | None) -> list[TensorBase | None] | None:
        """The tensor that each output is written into, None for a new one; None alone if all are new."""
        targets: list[TensorBase | None] = []
        for index, output in enumerate(row.outputs):
            entry = wanted[index] if wanted is not None and isinstance(wanted[index], TensorBase) else None
            own = self._updated(bound, output.name)
            if own is not None and entry is not None and entry is not own:
                raise wrong(self.facts, ValueRangeError(f"the output {output.name} is the input of that name, updated in place"))
            targets.append(own if own is not None else entry)
        if all(target is None for target in targets):
            return None
        if self.facts.data_dependent_shape:
            text = "the shape of the result depends on the data, so it can't go straight into a tensor"
            raise wrong(self.facts, ShapeError(text, advice="Describe it by (shape, dtype)."))
        for target in targets:
            if target is not None:
                check_writable(target, self.op_type)
        return targets

    def _updated(self, bound: Bound, name: str) -> TensorBase | None:
        """The input that an output of this name updates in place."""
        for stem in self.facts.ref_outputs:
            tensors = bound.tensors.get(stem, [])
            if name == stem and len(tensors) == 1:
                return tensors[0]
            number = name[len(stem) :]
            if name.startswith(stem) and number.isdecimal() and int(number) < len(tensors):
                return tensors[int(number)]
        return None

    def _into(
        self, row: Row, targets: Sequence[TensorBase | None], operands: tuple[Any, ...], arguments: tuple[Hashable, ...], where: Any
    ) -> tuple[TensorBase, ...] | TensorBase:
        """Launch with memory that is there as outputs; what can't serve as it is gets a copy of the result."""
        held = list(operands)
        direct: list[TensorBase | None] = []
        for target in targets:
            direct.append(target if target is None or _apart(target, targets, operands) else None)
            if target is not None and direct[-1] is None:
                for position, operand in enumerate(held):
                    if operand is target:  # updated in place: a copy is, and goes back
                        held[position] = direct[-1] = _copy_of(target)
        plan, ready = find(row, tuple(held), arguments, where)
        cls = next((type(target) for target in targets if target is not None), base.default_class())
        memory = [_fresh(desc, cls) if target is None else target for target, desc in zip(direct, plan.results, strict=True)]
        launch_into(row, plan, tuple(memory), ready)
        results = []
        for target, written in zip(targets, memory, strict=True):
            if target is not None and target is not written:
                copy_into(target, written)
            results.append(written if target is None else target)
        return results[0] if len(results) == 1 else tuple(results)


class _Known(NamedTuple):
    """What was decided about calls of one form."""

    row: Row
    arguments: tuple[Hashable, ...]
    launched: tuple[bool, ...]
    lists: bool

    def operands(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """What is launched with: all but constants, repeated inputs one by one, None for absent ones."""
        if self.lists:
            parts = [each if _holds_tensors(each) else (each,) for each in inputs]
            inputs = tuple([member for part in parts for member in part])
        missing = (None,) * (len(self.launched) - len(inputs))
        return tuple(compress((*inputs, *missing), self.launched))


def _holds_tensors(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and (not value or isinstance(value[0], TensorBase))


def _call_key(inputs: Sequence[Any], outputs: Any, desc_format: str | None, attrs: Mapping[str, Any]) -> Hashable:
    """What calls of one form have in common; None where it can't be said in short."""
    try:
        return tuple(map(_frozen, inputs)), _described(outputs), desc_format, tuple([(name, _frozen(attrs[name])) for name in attrs])
    except TypeError:
        return None


def _frozen(value: Any) -> Hashable:
    kind: type = value.__class__
    if kind is list or kind is tuple:
        return kind, tuple(map(_frozen, value))
    if isinstance(value, TensorBase):
        return value.desc.dtype, len(value.desc.shape)
    if kind is float:
        return kind, repr(value)
    if kind is int or kind is bool or kind is str or value is None or kind is DType:
        return kind, value
    raise TypeError


def _described(outputs: Any) -> Hashable:
    if isinstance(outputs, TensorBase) or (isinstance(outputs, (list, tuple)) and any(isinstance(each, TensorBase) for each in outputs)):
        raise TypeError
    return _frozen(outputs)


def _apart(target: TensorBase, targets: Sequence[TensorBase | None], operands: Sequence[Any]) -> bool:
    """Whether an operator may write to a target's memory: no other tensor of the call shares it."""
    others = [each for each in (*operands, *targets) if isinstance(each, TensorBase) and each is not target]
    alone = all(base.storage(each) is not base.storage(target) for each in others)
    return alone and sum(each is target for each in operands) <= 1 and takes_outputs(target, ())


def _fresh(desc: TensorDesc, cls: type[TensorBase]) -> TensorBase:
    stream = desc.device.current_stream()
    return base.make(cls, desc, stream.pool.lend(desc.block_size, stream))


def _copy_of(tensor: TensorBase) -> TensorBase:
    copy = _fresh(TensorDesc.of(tensor.desc.shape, tensor.desc.dtype, tensor.desc.device), type(tensor))
    return copy_into(copy, tensor)


def _input(slot: Slot) -> Input:
    kind = {"absent": "optional"}.get(slot.kind, slot.kind)
    return Input(slot.name, kind, slot.dtype or float32, format=slot.format, member=slot.member)


def _spec(entry: Any) -> tuple[tuple[int, ...], DType]:
    if isinstance(entry, TensorBase):
        return entry.desc.shape, entry.desc.dtype
    return tuple(map(int, entry[0])), entry[1]


def _lead(bound: Bound) -> DType:
    """A dtype to call the launch's own: rows are asked for one."""
    return next((slot.dtype for slot in bound.slots if slot.dtype is not None), float32)


class _Rule:
    """The rule of a row: what the outputs are, as was said or by `acl.op.infer_shape`. It is asked once for each signature."""

    def __init__(self, operator: facts.Operator, slots: tuple[Slot, ...], attrs: tuple[str, ...], outputs: list[str]) -> None:
        self._operator = operator
        self._slots = slots
        self._attrs = attrs
        self._outputs = outputs
        self._kinds = Attributes(operator).kinds

    def __call__(
        self,
        operands: Sequence[Meta],
        lead: DType,
        values: tuple[Any, ...],
        constants: tuple[tuple[tuple[int, ...], bytes], ...],
        described: tuple[tuple[tuple[int, ...], DType], ...] | None,
        minus_zeros: Hashable,
    ) -> Outcome:
        self._check_kernel()
        named = dict(zip(self._attrs, values, strict=True))
        bytes_of = iter(constants)
        arrays = {slot.name: _array(slot, *next(bytes_of)) for slot in self._slots if slot.kind == "const"}
        if described is None:
            described = self._inferred(operands, named, constants)
        return Outcome(tuple(shape for shape, _ in described), arrays, named, tuple(dtype for _, dtype in described))

    def _check_kernel(self) -> None:
        operator = self._operator
        if has_kernel(operator.op_type) or backend().name != "simulator":
            return
        there = operator.engine_910b != "none" or operator.runs_in
        advice = "A board would run it." if there else "A 910B has no kernel of it either."
        raise UnsupportedError(f"the simulator has no kernel of {operator.op_type}", where=operator.op_type, advice=advice)

    def _inferred(
        self, operands: Sequence[Meta], attrs: dict[str, Any], constants: Sequence[tuple[tuple[int, ...], bytes]]
    ) -> tuple[tuple[tuple[int, ...], DType], ...]:
        operator = self._operator
        advice = "Describe the outputs: outputs=[(shape, dtype), ...]."
        if operator.data_dependent_shape:
            text = "the shape of an output depends on the data"
            raise wrong(
                operator, ValueRangeError(text, advice="Describe the outputs, with their largest shape: outputs=[(shape, dtype), ...].")
            )
        unread = next((slot.name for slot in self._slots if slot.depended), None)
        if unread is not None:
            text = f"shapes of outputs may depend on the values of {unread}, which is a tensor on a device: they are not downloaded"
            raise wrong(operator, ValueRangeError(text, advice=f"Give {unread} as a number or a list, or describe the outputs."))
        tensors = self._tensors(operands, constants)
        kinds = [Attribute(name, self._kinds[name], value) for name, value in attrs.items()]  # type: ignore[arg-type]
        empty = [TensorDescription(int(DataType.UNDEFINED), (), name=name) for name in self._outputs]
        try:
            found = infer_outputs(operator.op_type, tensors, kinds, empty)
        except AclError as error:
            text = f"acl.op.infer_shape finds no outputs for these inputs: {' '.join(error.acl_message.split()) or error.name}"
            raise wrong(operator, ShapeError(text, advice=advice)) from error
        return tuple(self._known(index, code, shape, advice) for index, (code, shape) in enumerate(found))

    def _tensors(self, operands: Sequence[Meta], constants: Sequence[tuple[tuple[int, ...], bytes]]) -> list[TensorDescription]:
        metas, values = iter(operands), iter(constants)
        tensors = []
        for slot in self._slots:
            if slot.kind == "const":
                shape, data = next(values)
                tensors.append(TensorDescription(_acl(slot), shape, const=data, name=slot.name))
                continue
            meta = next(metas)
            if slot.kind == "absent":
                tensors.append(ABSENT)
            else:
                tensors.append(TensorDescription(_acl(slot), meta.shape, int(slot.format), name=slot.name, dynamic_input=slot.member))
        while tensors and tensors[-1].absent:
            tensors.pop()
        return tensors

    def _known(self, index: int, code: int, shape: tuple[int, ...], advice: str) -> tuple[tuple[int, ...], DType]:
        name = self._outputs[index]
        if any(size < 0 for size in shape):
            raise wrong(self._operator, ShapeError(f"acl.op.infer_shape does not know the shape of {name}", advice=advice))
        if code != DataType.UNDEFINED:
            return shape, from_acl(code)
        chosen = self._declared(index)
        if chosen is None:
            raise wrong(self._operator, ShapeError(f"acl.op.infer_shape does not know the dtype of {name}", advice=advice))
        return shape, chosen

    def _declared(self, index: int) -> DType | None:
        """The output's dtype where the facts leave one only."""
        operator = self._operator
        given: dict[str, str | None] = {}
        for slot in self._slots:
            given.setdefault(slot.member or slot.name, None if slot.dtype is None else slot.dtype.name)
        names = tuple(given.get(each.name) for each in operator.inputs)
        position = min(index, len(operator.outputs) - 1)
        rows = {combo[1][position] for combo in operator.combos_910b if combo[0] == names}
        if len(rows) != 1:
            output = operator.outputs[position]
            runs = operator.dtypes_910b or operator.aicpu_dtypes or {}
            rows = set(runs.get(f"out:{output.name}", runs.get(output.name, output.dtypes)))
            if len(rows) != 1:
                rows &= {next((name for name in names if name is not None), None)}
        (name,) = rows if len(rows) == 1 else (None,)
        return None if name is None else DTYPES.get(name)


def _array(slot: Slot, shape: tuple[int, ...], data: bytes) -> Any:
    assert slot.dtype is not None
    return np.frombuffer(data, slot.dtype.numpy).reshape(shape)


def _acl(slot: Slot) -> int:
    assert slot.dtype is not None
    return int(slot.dtype.acl)


class Operators:
    """All Ascend IR operators as attributes: `ir.ops.Conv2D`. `in`, `len` and a loop over their names work too.

    Examples:
        >>> "ReduceSum" in at.ir.ops, len(at.ir.ops) > 1800
        (True, True)
        >>> at.ir.ops.Add(at.ones(2), at.ones(2))
        tensor([2., 2.], device='npu:0')
    """

    def __init__(self) -> None:
        self._made: dict[str, Operator] = {}

    def __getattr__(self, name: str) -> Operator:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except ValueRangeError as error:
            raise AttributeError(f"{error.message}. {error.advice}") from None

    def __getitem__(self, op_type: str) -> Operator:
        found = self._made.get(op_type)
        current = known(op_type)
        if found is None or found.facts is not current:  # an operator of the user's own may be declared once more
            found = self._made[op_type] = Operator(current)
        return found

    def __dir__(self) -> list[str]:
        return facts.names()

    def _ipython_key_completions_(self) -> list[str]:
        return facts.names()

    def __contains__(self, op_type: object) -> bool:
        return isinstance(op_type, str) and facts.operator(op_type) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(facts.names())

    def __len__(self) -> int:
        return len(facts.names())

    def __repr__(self) -> str:
        return f"<{len(self)} Ascend IR operators>"


ops: Final = Operators()


def _named(op_type: str) -> Operator:
    return ops[op_type]
