"""HandleRegistry: which plans are at hand, which op handles they hold, which operator models are loaded.

`plans` is read on every launch by one dictionary look-up without a lock (hop 3). Everything else here happens on a miss,
under the registry's lock.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Hashable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .. import compiler, dtypes, html
from ..acl import binding
from ..compiler import progress
from ..errors import OperatorNotFoundError
from ..interrupts import HeldInterrupts
from ..runtime import attrs, desc, device
from .variants import Variants, may_be_left

if TYPE_CHECKING:
    from ..compiler.archive import Archive
    from ..compiler.description import Description
    from ..compiler.protocol import Registrar
    from ..compiler.store import ModelStore
    from .static import Plan

logger = logging.getLogger("ascendtensor")

DEFAULT_CAPACITY: Final = 1024
MAX_MOULDS: Final = 512
MOST_MODELS: Final = 2_000_000
"""Operator models that a process may hold on every product (OM-8)."""


class CacheInfo(NamedTuple):
    """Counters of the handle cache since the last `clear()`; sizes are of now.

    `hits` and `misses` count launches whose plan was at hand and launches that had to make one. `loaded_models` counts the
    operator models that this process has loaded; they can't be unloaded, so `clear()` does not lower it.
    """

    hits: int
    misses: int
    evictions: int
    size: int
    capacity: int
    handles: int
    loaded_models: int
    compile_seconds: float
    dynamic_launches: int

    def _repr_html_(self) -> str:
        return html.block(html.facts([(name.replace("_", " "), value) for name, value in self._asdict().items()], "handle cache"))


class Unbuilt(Exception):
    """A model has to be made first, which others need not wait for.

    Attributes:
        description: Of which operator.
    """

    def __init__(self, description: Description) -> None:
        super().__init__(description)
        self.description = description


class OpHandle:
    """An op handle, destroyed some time after its last plan is gone.

    The finaliser only queues it (it may run in any thread, in the middle of anything); the registry destroys it once the work that was
    queued before has run.
    """

    __slots__ = ("__weakref__", "_bury", "value")

    def __init__(self, value: int, graveyard: deque[int]) -> None:
        self.value = value
        self._bury = partial(graveyard.append, value)

    __del__ = property(attrgetter("_bury"))


class HandleRegistry:
    """Bounded cache of plans and the op handles that they hold, second-chance eviction, safe under threads.

    Examples:
        >>> at.handle_cache.clear()
        >>> x = at.ones(3) + at.ones(3)
        >>> info = at.handle_cache.info()
        >>> info.misses >= 2
        True
        >>> sum(at.handle_cache.launches().values()) >= 3
        True
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self.plans: dict[Hashable, Plan] = {}
        self.lock = threading.RLock()
        self._capacity = capacity
        self._handles: weakref.WeakValueDictionary[tuple[Description, device.Device], OpHandle] = weakref.WeakValueDictionary()
        # Every handle that pyACL has for us lies in `_live` until it is destroyed. On its way there: the graveyard (its plans are gone),
        # then `_dying`, together with marks behind the work that may use it.
        self._live: set[int] = set()
        self._graveyard: deque[int] = deque()
        self._dying: deque[tuple[list[int], list[int]]] = deque()
        # Bytes given to acl.op.load stay alive: the documentation says the user manages that memory (OM-5).
        self._loaded: dict[Description, bytes] = {}
        # Models that `build` made and that nobody has loaded yet, with the seconds that they took; no bytes of those that stay in pyACL.
        self._built: dict[Description, tuple[bytes, float]] = {}
        # CANN's library is asked by one thread at a time: nothing says that it can do more.
        self._registering = threading.Lock()
        self._source: ModelStore | Archive | Registrar | None = None
        self._process = 0
        # Called with the description of every model that a new plan launches (`op_models.record`).
        self.recorders: list[Callable[[Description], None]] = []
        # Models that the user has loaded (`load_op_models`), which are to be looked for before anything is compiled.
        self.given: list[bytes] = []
        # What launches are compiled with, each anew (`op_models.mode`), instead of through handles.
        self.each_run: Registrar | None = None
        self.variants = Variants()
        # What makes plans of sizes that were never seen (`ops.moulds`), by everything else about a call.
        self.moulds: dict[Hashable, Any] = {}
        self._forget_counters()

    def _forget_counters(self) -> None:
        self._misses = 0
        self._evictions = 0
        self._retired_hits = 0
        self._retired_dynamic = 0
        self._retired_by_type: Counter[str] = Counter()
        self._compile_seconds = 0.0

    # What users see

    def info(self) -> CacheInfo:
        """Hits, misses, evictions, sizes, loaded models, compile time.

        Returns:
            A `CacheInfo` named tuple.
        """
        with self.lock:
            plans = [plan.core for plan in self.plans.values()]
            launches = self._retired_hits + sum(plan.hits for plan in plans)
            return CacheInfo(
                hits=max(launches - self._misses, 0),
                misses=self._misses,
                evictions=self._evictions,
                size=len(plans),
                capacity=self._capacity,
                handles=len(self._handles),
                loaded_models=len(self._loaded),
                compile_seconds=round(self._compile_seconds, 6),
                dynamic_launches=self._retired_dynamic + sum(plan.hits for plan in plans if plan.dynamic),
            )

    def _repr_html_(self) -> str:
        return self.info()._repr_html_()

    def launches(self) -> Counter[str]:
        """Number of launches so far by Ascend IR operator type."""
        with self.lock:
            total = Counter(self._retired_by_type)
            for entry in self.plans.values():
                plan = entry.core
                if plan.queues:
                    total[plan.op_type] += plan.hits
            return +total

    def clear(self) -> None:
        """Forget all plans and counters.

        Handles are destroyed once the work that uses them has run; loaded models stay (they can't be unloaded).
        """
        with self.lock:
            self.plans.clear()
            self.moulds.clear()
            self._forget_counters()
            self.bury()

    def resize(self, capacity: int) -> None:
        """Change the number of plans kept.

        Raises:
            ValueError: `capacity` is not positive.

        Examples:
            >>> at.handle_cache.resize(1024)
            >>> at.handle_cache.info().capacity
            1024
        """
        if capacity < 1:
            raise ValueError(f"handle_cache.resize: the capacity must be at least 1, got {capacity}")
        with self.lock:
            self._capacity = capacity
            self._evict(capacity)
            self.bury()

    # On a miss

    def add(self, key: Hashable, plan: Plan) -> None:
        """Keep a plan that was just made, and evict others above the capacity."""
        with self.lock:
            with HeldInterrupts():
                self._misses += 1
                self._evict(self._capacity - 1)  # first, so that the new one is never the one to go
                self.plans[key] = plan
            self.bury()

    def keep_mould(self, kind: Hashable, mould: Any) -> None:
        """Keep what makes further plans of a kind, and forget the oldest above the bound. The caller holds the lock."""
        if len(self.moulds) >= MAX_MOULDS:
            self.moulds.pop(next(iter(self.moulds)))
        self.moulds[kind] = mould

    def _evict(self, room: int) -> None:
        """Second chance: plans in order of insertion; one that was launched since the last sweep is moved to the end instead."""
        plans = self.plans
        while len(plans) > room:
            key = next(iter(plans))
            entry = plans.pop(key)
            plan = entry.core
            if plan.hits > plan.seen:
                plan.seen = plan.hits
                plans[key] = entry
                continue
            self._evictions += 1
            self._retire(plan)

    def _retire(self, plan: Plan) -> None:
        """Keep a plan's counters when it goes."""
        self._retired_hits += plan.hits
        self._retired_dynamic += plan.hits if plan.dynamic else 0
        self._retired_by_type[plan.op_type] += plan.hits if plan.queues else 0

    def forget_plans(self) -> None:
        """Drop every plan, because something changed that all of them depend on (the default dtype); loaded models stay."""
        with self.lock, HeldInterrupts():
            for entry in self.plans.values():
                self._retire(entry.core)
            self.plans.clear()
            self.moulds.clear()

    def handle(self, description: Description, on: device.Device) -> OpHandle:
        """The op handle for a description on a device: one that lives, or a new one from a loaded, cached or newly built model."""
        with self.lock:
            found = self._handles.get((description, on))
            if found is None:
                self.load(description)
                try:
                    found = self._create(description)
                except OperatorNotFoundError:
                    # The model aged (OM-11), or the process that had loaded it is gone (a restarted simulator).
                    self.reload(description)
                    found = self._create(description)
                self._handles[(description, on)] = found
            return found

    def runs_without_handle(self, description: Description) -> None:
        """`Variants.runs_without_handle`, not between `too_late` and the making of a handle."""
        with self.lock:
            self._notice_process()
            self.variants.runs_without_handle(description)

    def too_late(self, description: Description, on: device.Device | None = None) -> bool:
        """Whether the model of a handle made now may have no bytes (`Variants.runs_without_handle`); one that lives on it has them."""
        with self.lock:
            if not self.variants.ran_without_handle(description) or (description, on) in self._handles:
                return False
            # Once a compiler works inside the process, dynamic models are matched first, whoever made them (OM-20).
            inside = isinstance(self._models(), compiler.Registrar) or compiler.works_inside()
            return inside or may_be_left(description, device.soc_name())

    def _notice_process(self) -> None:
        """Forget what was loaded and run in a process that the simulator has ended."""
        process = compiler.process_number()
        if process != self._process:
            self._loaded.clear()
            self.variants.clear()
            self._process = process  # at last: an interrupt between would leave models that are gone

    def _create(self, description: Description) -> OpHandle:
        return self.adopt(lambda: _create_handle(description))

    def adopt(self, create: Callable[[], int]) -> OpHandle:
        """The op handle that a call of pyACL makes, which is destroyed like those of plans."""
        with self.lock, HeldInterrupts():
            value = create()
            self._live.add(value)
            return OpHandle(value, self._graveyard)

    def load(self, description: Description, *, later: bool = False) -> float:
        """Make sure that the operator model of a description is loaded.

        Args:
            description: Of which operator.
            later: Leave the making of a model to `build`, which the caller calls without the lock.

        Returns:
            Seconds that it took to get the model from the store or the compiler, 0.0 if it was loaded already.

        Raises:
            Unbuilt: The model has to be made first, and `later` is set.
        """
        with self.lock:
            self.note(description)
            self._notice_process()
            if description in self._loaded:
                return 0.0
            if self.given and self._is_given(description):
                self._loaded[description] = b""
                return 0.0
            source = self._models()
            built = self._built.pop(description, None)
            if later and built is None and isinstance(source, compiler.ModelStore | compiler.Registrar):
                raise Unbuilt(description)
            model, spent = built or (b"", 0.0)
            began = time.perf_counter()
            if built is None:
                if isinstance(source, compiler.Registrar):
                    self._register(source, description)
                else:
                    (model,) = source.get([description])
            spent += time.perf_counter() - began
            self._compile_seconds += spent
            logger.info("operator model for %s: %.1f ms, %d bytes", description.op_type, spent * 1e3, len(model))
            with HeldInterrupts():
                if model:
                    binding.op_load(binding.bytes_to_ptr(model), len(model))
                self._loaded[description] = model
            return spent

    def model(self, description: Description) -> bytes:
        """The bytes of a loaded model; none where it stays in pyACL, or was loaded by the user."""
        with self.lock:
            return self._loaded.get(description, b"")

    def is_loaded(self, description: Description) -> bool:
        """Whether the model of a description is loaded."""
        return description in self._loaded

    def source(self) -> ModelStore | Archive | Registrar:
        """Where models come from."""
        return self._models()

    def build(self, description: Description) -> None:
        """Make a model, without the lock, so that other threads' launches and misses go on; two that want the same one make it once.

        Raises:
            CompileError: It can't be made.
        """
        source = self._models()
        began = time.perf_counter()
        model = b""
        if isinstance(source, compiler.Registrar):
            with self._registering:
                if description not in self._built and not self.is_loaded(description):
                    self._register(source, description)
        elif isinstance(source, compiler.ModelStore):
            (model,) = source.get([description])
        else:
            return
        spent = time.perf_counter() - began
        with self.lock:
            if description not in self._loaded and source is self._source:
                self._built.setdefault(description, (model, spent))

    @staticmethod
    def _register(source: Registrar, description: Description) -> None:
        with (
            progress.shown(f"{description} with {source.name} for {source.soc}"),
            attrs.made(description.attrs) as attr,
            desc.made(description.inputs) as inputs,
            desc.made(description.outputs) as outputs,
        ):
            source.register(description.op_type, inputs, outputs, attr)

    def _is_given(self, description: Description) -> bool:
        """Whether pyACL holds a model already, one that the user loaded."""
        try:
            binding.destroy_handle(_create_handle(description))
        except OperatorNotFoundError:
            return False
        return True

    def note(self, description: Description) -> None:
        """Tell those who record that a new plan launches this."""
        for record in self.recorders:
            record(description)

    def _models(self) -> ModelStore | Archive | Registrar:
        with self.lock:
            if self._source is None:
                source = compiler.choose(device.backend().name, device.soc_name())
                if isinstance(source, compiler.Registrar) and not device.configured("max_opqueue_num"):
                    # Handles are matched once, so their models would age first, and ageing frees what they launch by (OM-11).
                    binding.set_max_op_queue_num(MOST_MODELS)
                self._source = source
            return self._source

    def finished(self) -> Archive | None:
        """The finished models (`ASCENDTENSOR_OP_MODELS`) that are all there is, None where models are compiled."""
        with self.lock:
            source = self._models()
            return source if isinstance(source, compiler.Archive) else None

    def reload(self, description: Description) -> None:
        """Load a model once more that is not found any longer (100024), before that is an error."""
        with self.lock:
            self._loaded.pop(description, None)
            self.load(description)

    def bury(self) -> None:
        """Destroy the handles whose plans are gone and whose work has run."""
        if not (self._graveyard or self._dying):
            return
        with self.lock, HeldInterrupts():
            if self._graveyard:
                dead = len(self._graveyard)
                marks = device.mark_all()  # if it fails, nothing was taken yet
                self._dying.append(([self._graveyard.popleft() for _ in range(dead)], marks))
            while self._dying and device.marks_done(self._dying[0][1]):  # later marks lie behind earlier ones
                handles, marks = self._dying.popleft()
                device.forget_marks(marks)
                for handle in handles:
                    self._destroy(handle)

    def _destroy(self, handle: int) -> None:
        self._live.discard(handle)
        binding.destroy_handle(handle)

    def shut_down(self) -> None:
        """Release every handle; the device floor calls this when all streams have drained."""
        with self.lock, HeldInterrupts():
            self.plans.clear()
            self.moulds.clear()
            self._forget_counters()
            while self._dying:
                device.forget_marks(self._dying.pop()[1])
            # Whoever still holds a plan (a traceback, a stream's list of launches) can launch it no more, and what it returns goes nowhere.
            self._handles.clear()
            self._graveyard = deque()
            while self._live:
                binding.destroy_handle(self._live.pop())
            self._built.clear()
            self._source = None


def _create_handle(description: Description) -> int:
    with attrs.made(description.attrs) as attr, desc.made(description.inputs) as inputs, desc.made(description.outputs) as outputs:
        return binding.create_handle(description.op_type, inputs, outputs, attr)


handle_cache: Final[HandleRegistry] = HandleRegistry()
"""The process's registry."""


def _shut_down() -> None:
    handle_cache.shut_down()


device.on_shutdown(_shut_down)
dtypes.on_default_change(handle_cache.forget_plans)
