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
from collections.abc import Hashable
from typing import TYPE_CHECKING, Final, NamedTuple

from .. import compiler
from ..acl import binding
from ..codes import ErrorCode
from ..errors import AclError
from ..runtime import attrs, desc, device
from .variants import Variants

if TYPE_CHECKING:
    from ..compiler.description import Description
    from ..compiler.store import ModelStore
    from .static import Plan

logger = logging.getLogger("ascendtensor")

DEFAULT_CAPACITY: Final = 1024


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


class OpHandle:
    """An op handle, destroyed some time after its last plan is gone.

    The finaliser only queues it (it may run in any thread, in the middle of anything); the registry destroys it once the work that was
    queued before has run.
    """

    __slots__ = ("__weakref__", "_graveyard", "value")

    def __init__(self, value: int, graveyard: deque[int]) -> None:
        self.value = value
        self._graveyard = graveyard

    def __del__(self) -> None:
        self._graveyard.append(self.value)


class HandleRegistry:
    """Bounded cache of plans and the op handles that they hold, second-chance eviction, safe under threads."""

    def __init__(self, capacity: int = DEFAULT_CAPACITY) -> None:
        self.plans: dict[Hashable, Plan] = {}
        self.lock = threading.RLock()
        self._capacity = capacity
        self._handles: weakref.WeakValueDictionary[tuple[Description, device.Device], OpHandle] = weakref.WeakValueDictionary()
        self._graveyard: deque[int] = deque()
        self._dying: list[tuple[int, list[int]]] = []
        # Bytes given to acl.op.load stay alive: the documentation says the user manages that memory (OM-5).
        self._loaded: dict[Description, bytes] = {}
        self._store: ModelStore | None = None
        self.variants = Variants()
        self.last_compile_seconds = 0.0
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
                compile_seconds=self._compile_seconds,
                dynamic_launches=self._retired_dynamic + sum(plan.hits for plan in plans if plan.dynamic),
            )

    def launches(self) -> Counter[str]:
        """Number of launches so far by Ascend IR operator type."""
        with self.lock:
            total = Counter(self._retired_by_type)
            for entry in self.plans.values():
                plan = entry.core
                total[plan.op_type] += plan.hits
            return +total

    def clear(self) -> None:
        """Forget all plans and counters. Handles are destroyed once the work that uses them has run; loaded models stay (they can't be unloaded)."""
        with self.lock:
            self.plans.clear()
            self._forget_counters()
            self.bury()

    def resize(self, capacity: int) -> None:
        """Change the number of plans kept.

        Raises:
            ValueError: `capacity` is not positive.
        """
        if capacity < 1:
            raise ValueError(f"handle_cache.resize: the capacity must be at least 1, got {capacity}")
        with self.lock:
            self._capacity = capacity
            self._evict()

    # On a miss

    def add(self, key: Hashable, plan: Plan) -> None:
        """Keep a plan that was just made, and evict others above the capacity."""
        with self.lock:
            self._misses += 1
            self.plans[key] = plan
            self._evict()
            self.bury()

    def _evict(self) -> None:
        """Second chance: plans in order of insertion; one that was launched since the last sweep is moved to the end instead."""
        plans = self.plans
        while len(plans) > self._capacity:
            key = next(iter(plans))
            entry = plans.pop(key)
            plan = entry.core
            if plan.hits > plan.seen:
                plan.seen = plan.hits
                plans[key] = entry
                continue
            self._evictions += 1
            self._retired_hits += plan.hits
            self._retired_dynamic += plan.hits if plan.dynamic else 0
            self._retired_by_type[plan.op_type] += plan.hits

    def handle(self, description: Description, on: device.Device) -> OpHandle:
        """The op handle for a description on a device: one that lives, or a new one from a loaded, cached or newly built model."""
        with self.lock:
            found = self._handles.get((description, on))
            if found is not None:
                return found
            self.load(description)
            handle = OpHandle(self._create(description), self._graveyard)
            self._handles[(description, on)] = handle
            return handle

    def _create(self, description: Description) -> int:
        try:
            return _create_handle(description)
        except AclError as error:
            if error.code != ErrorCode.OP_NOT_FOUND:
                raise
        # The process that had loaded the model is gone (a restarted simulator): load it once more before it is an error.
        self._loaded.pop(description, None)
        self.load(description)
        return _create_handle(description)

    def is_loaded(self, description: Description) -> bool:
        return description in self._loaded

    def load(self, description: Description) -> None:
        """Make sure that the operator model of a description is loaded."""
        with self.lock:
            if description in self._loaded:
                return
            if self._store is None:
                self._store = compiler.choose(device.backend().name, device.soc_name())
            began = time.perf_counter()
            (model,) = self._store.get([description])
            spent = time.perf_counter() - began
            self._compile_seconds += spent
            logger.info("operator model for %s: %.1f ms, %d bytes", description.op_type, spent * 1e3, len(model))
            binding.op_load(binding.bytes_to_ptr(model), len(model))
            self._loaded[description] = model
            self.last_compile_seconds = spent

    def bury(self) -> None:
        """Destroy the handles whose plans are gone and whose work has run."""
        while self._graveyard:
            self._dying.append((self._graveyard.popleft(), device.mark_all()))
        if self._dying:
            self._dying = [(handle, events) for handle, events in self._dying if not _destroy_if_done(handle, events)]

    def shut_down(self) -> None:
        """Release every handle; the device floor calls this when all streams have drained."""
        with self.lock:
            self.plans.clear()
            self._forget_counters()
            for handle, events in self._dying:
                device.forget_marks(events)
                binding.destroy_handle(handle)
            self._dying = []
            while self._graveyard:
                binding.destroy_handle(self._graveyard.popleft())
            self._store = None


def _destroy_if_done(handle: int, events: list[int]) -> bool:
    if not device.marks_done(events):
        return False
    device.forget_marks(events)
    binding.destroy_handle(handle)
    return True


def _create_handle(description: Description) -> int:
    with attrs.made(description.attrs) as attr, desc.made(description.inputs) as inputs, desc.made(description.outputs) as outputs:
        return binding.create_handle(description.op_type, inputs, outputs, attr)


handle_cache: Final[HandleRegistry] = HandleRegistry()
"""The process's registry."""


def _shut_down() -> None:
    handle_cache.shut_down()


device.on_shutdown(_shut_down)
