"""The process-wide table of operator models and how a call finds its model (rules OM-6 to OM-29, ATTR-6 to ATTR-10).

Static models lie in a hash index: operator type, descriptions, attribute digest and constant bytes are hashed into a
bucket, whose few members are then compared exactly. Dynamic models are tried in the order in which they were registered,
only those of the operator type asked for. The table belongs to the process: neither ``finalize`` nor ``reset_device``
empties it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

from ascendtensor.codes import ErrorCode
from ascendtensor.simulator.engine.attrs import Attributes
from ascendtensor.simulator.engine.models import OpModel, Ranges, Specs, TensorSpec
from ascendtensor.simulator.engine.process import State
from ascendtensor.simulator.engine.tables import HANDLES, ON_NEW_PROCESS, TensorDesc

NOT_FOUND = int(ErrorCode.OP_NOT_FOUND)
INVALID = int(ErrorCode.INVALID_PARAM)
Consts = tuple[bytes | None, ...]


_SPECS: Final[dict[tuple[Any, ...], TensorSpec]] = {}
"""The newest copies of descriptions without constants, so that a description which says the same again is the same object."""
_SPECS_KEPT: Final = 1024


def spec_of(desc: TensorDesc) -> TensorSpec:
    """An immutable copy of a caller's description, made once for as long as nobody changes it."""
    spec: TensorSpec | None = desc.spec
    if spec is None:
        said = (desc.dtype, desc.format, desc.storage_format, tuple(desc.dims), tuple(desc.ranges), desc.const, desc.placement)
        if desc.const is not None:
            spec = TensorSpec(*said)
        else:
            key = (*said, desc.dynamic_input)
            spec = _SPECS.get(key)
            if spec is None:
                if len(_SPECS) >= _SPECS_KEPT:
                    _SPECS.clear()
                spec = _SPECS[key] = TensorSpec(*said)
        desc.spec = spec
    return spec


class Query:
    """What is looked for: the identity of one call. Hashing it is the price of every launch without a handle (OM-28).

    Attributes:
        specs: The descriptions of inputs and outputs.
        inputs, outputs: What matching compares of them (OM-22).
        consts: Constant bytes, const inputs first, then const outputs (ATTR-10).
        digest: The bucket's number.
    """

    __slots__ = ("attrs", "consts", "digest", "inputs", "op_type", "outputs", "specs")

    def __init__(self, op_type: str, inputs: Specs, outputs: Specs, attrs: Attributes) -> None:
        self.op_type = op_type
        self.specs = inputs, outputs
        self.inputs = tuple([spec.key for spec in inputs])
        self.outputs = tuple([spec.key for spec in outputs])
        self.consts: Consts = tuple([spec.const for spec in (*inputs, *outputs) if spec.const is not None])
        self.attrs = attrs
        self.digest = hash((op_type, self.inputs, self.outputs, self.consts, attrs.digest()))

    @property
    def static(self) -> bool:
        """False if a dim or rank is left open."""
        inputs, outputs = self.specs
        return True not in [spec.dynamic for spec in inputs] and True not in [spec.dynamic for spec in outputs]


def query_of(op_type: str, inputs: Sequence[TensorDesc], outputs: Sequence[TensorDesc], attrs: Attributes) -> Query:
    """The identity of a call."""
    given, wanted = [desc.spec or spec_of(desc) for desc in inputs], [desc.spec or spec_of(desc) for desc in outputs]
    return Query(op_type, tuple(given), tuple(wanted), attrs)


class _Entry:
    """A model with the identity it is stored under."""

    __slots__ = ("free", "model", "query")

    def __init__(self, model: OpModel, query: Query) -> None:
        self.model = model
        self.query = query
        # The rank of every input and output that takes any dims of it, -1 where their dims are looked at one by one.
        self.free = tuple([_free_rank(spec) for spec in (*model.inputs, *model.outputs)])

    def same(self, query: Query) -> bool:
        mine = self.query
        return (
            mine.op_type == query.op_type
            and mine.inputs == query.inputs
            and mine.outputs == query.outputs
            and mine.consts == query.consts
            and mine.attrs.equals(query.attrs)
        )

    def accepts(self, query: Query) -> bool:
        """True if a dynamic model covers the call (OM-25)."""
        (inputs, outputs), (given, wanted) = self.query.specs, query.specs
        if len(inputs) != len(given) or len(outputs) != len(wanted):
            return False
        for spec, other, free in zip(inputs + outputs, given + wanted, self.free, strict=True):
            if spec.kind != other.kind:
                return False
            dims = other.dims
            if spec.dims != dims and not (len(dims) == free and min(dims) > 0) and not dims_fit(spec.dims, spec.ranges, dims):
                return False
        return self.query.consts == query.consts and self.query.attrs.equals(query.attrs)


def _free_rank(spec: TensorSpec) -> int:
    """The rank of a description that takes all dims from 1 on, else -1."""
    dims = spec.dims
    known = not dims or max(dims) >= 0 or dims == (-2,)
    return -1 if known or any(low > 1 or high != -1 for low, high in spec.ranges) else len(dims)


def dims_fit(model: tuple[int, ...], ranges: Ranges, dims: tuple[int, ...]) -> bool:
    """True if concrete dims lie in what a model was built for (OM-25)."""
    if model == (-2,):
        return True
    if len(model) != len(dims):
        return False
    for index, (want, have) in enumerate(zip(model, dims, strict=True)):
        if want >= 0:
            if want != have:
                return False
        elif index < len(ranges):
            low, high = ranges[index]
            if have < low or (high != -1 and have > high):
                return False
    return True


class ModelTable:
    """All operator models of the process.

    Attributes:
        dynamic_first: The other match order, of JIT off or the fuzzy flag (OM-20).
        directory: What ``set_model_dir`` took, once a process (OM-1).
        cast_truncates: Some loaded Cast model declares ``truncate`` (BL-2).
        changes: Grows with every change of what is found; what was found is found again while it and ``dynamic_first`` stay.
    """

    def __init__(self) -> None:
        self._static: dict[int, list[_Entry]] = {}
        self._dynamic: dict[str, list[_Entry]] = {}
        self._lock = threading.Lock()
        self._clock = 0
        self.changes = 0
        self.count = 0
        self.dynamic_first = False
        self.directory: str | None = None
        self.cast_truncates = False

    def clear(self) -> None:
        """Forgets everything, as a new process does."""
        with self._lock:
            self._static.clear()
            self._dynamic.clear()
            self.changes += 1
            self._clock = self.count = 0
            self.dynamic_first = self.cast_truncates = False
            self.directory = None

    def insert(self, model: OpModel) -> bool:
        """Adds a model; one equal to an existing one is left out and the first stays (OM-7).

        Returns:
            True if it was added.
        """
        entry = _Entry(model, Query(model.op_type, model.inputs, model.outputs, model.attrs))
        with self._lock:
            bucket = self._bucket(entry)
            if any(other.same(entry.query) for other in bucket):
                return False
            bucket.append(entry)
            self.changes += 1
            self.count += 1
            self._clock += 1
            model.last_match = self._clock
            if model.op_type == "Cast" and "truncate" in model.attrs.values:
                self.cast_truncates = True
            if model.online and self.count > State.max_op_queue:
                self._evict()
        return True

    def find(self, query: Query) -> tuple[OpModel | None, int]:
        """Finds the model of a call.

        Returns:
            The model and 0, or None and the code of the last table tried (OM-20, OM-21).
        """
        if self.dynamic_first:
            model = (self._find_dynamic(query) if query.static else None) or self.find_static(query)
            code = NOT_FOUND
        else:
            model = self.find_static(query)
            code = NOT_FOUND
            if model is None:
                if query.static:
                    model = self._find_dynamic(query)
                else:
                    code = INVALID
        if model is None:
            return None, code
        self.matched(model)
        return model, 0

    def matched(self, model: OpModel) -> None:
        """Note that a call has found a model, for ageing (OM-11)."""
        if model.online:
            self._clock += 1
            model.last_match = self._clock

    def of_type(self, op_type: str) -> list[OpModel]:
        """Every model of an operator type, for messages."""
        static = [entry.model for bucket in self._static.values() for entry in bucket if entry.model.op_type == op_type]
        return static + [entry.model for entry in self._dynamic.get(op_type, ())]

    def _bucket(self, entry: _Entry) -> list[_Entry]:
        if entry.model.dynamic:
            return self._dynamic.setdefault(entry.model.op_type, [])
        return self._static.setdefault(entry.query.digest, [])

    def find_static(self, query: Query) -> OpModel | None:
        """The static model of exactly this identity."""
        for entry in self._static.get(query.digest, ()):
            if entry.same(query):
                return entry.model
        return None

    def _find_dynamic(self, query: Query) -> OpModel | None:
        for entry in self._dynamic.get(query.op_type, ()):
            if entry.accepts(query):
                return entry.model
        return None

    def _evict(self) -> None:
        """Drops the compiled entry that was matched longest ago (OM-11), and lets handles of its model know."""
        buckets: list[tuple[dict[Any, list[_Entry]], Any, _Entry]] = []
        tables: tuple[dict[Any, list[_Entry]], ...] = (self._static, self._dynamic)
        for table in tables:
            for key, bucket in table.items():
                buckets.extend((table, key, entry) for entry in bucket if entry.model.online)
        if not buckets:
            return
        table, key, oldest = min(buckets, key=lambda found: found[2].model.last_match)
        kept = [entry for entry in table[key] if entry is not oldest]
        if kept:
            table[key] = kept
        else:
            del table[key]
        self.changes += 1
        self.count -= 1
        oldest.model.aged = True
        for record in list(HANDLES.values()):
            if record.model is oldest.model:
                record.prepared.clear()


TABLE = ModelTable()
ON_NEW_PROCESS.append(TABLE.clear)
