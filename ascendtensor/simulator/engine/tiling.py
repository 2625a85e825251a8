"""Kernels with dynamic tiling: selectors, kernels and the parameters prepared for given descriptions (rules TIK).

A selector is a function of the program; ``update_params`` calls it, and what it chose is kept under the exact descriptions
and attributes as one more operator model, whose kernel is the Python function that the kernel binary names. So whatever
launches models launches these too: ``execute_v2`` and handles look here before they look among the loaded models (OP-5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from . import AclFault, custom, errors_log, memory
from .arguments import invalid
from .attrs import Attributes
from .handles import OpHandle
from .launching import Buffers, fail, task_of
from .matching import Query
from .models import Array, OpModel, Specs
from .tables import ON_NEW_PROCESS, Task, new_handle

MAX_WORKSPACES: Final = 16
ALREADY_REGISTERED: Final = 100030
KERNEL_EXISTS: Final = 100031
NO_SELECTOR: Final = 100028
NO_KERNEL: Final = 100029
Selector = Callable[..., Any]


class Chosen:
    """What a selector sets: ``aclopKernelDesc`` while it runs."""

    __slots__ = ("args", "block_dim", "kernel_id", "workspaces")

    def __init__(self) -> None:
        self.kernel_id = ""
        self.block_dim = 0
        self.args = b""
        self.workspaces: list[int] = []


class TilingKernel:
    """The kernel of a prepared model, in the form of ``kernels.registry.Kernel``."""

    __slots__ = ("chosen", "function")

    def __init__(self, function: custom.Kernel, chosen: Chosen) -> None:
        self.function = function
        self.chosen = chosen

    def bind(self, inputs: Any, outputs: Any, attrs: dict[str, Any], expected: Any = None) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Inputs, outputs, workspaces and tiling bytes, in this order (TIK-9)."""
        return self.run, (list(inputs), list(outputs))

    def run(self, inputs: list[Array | None], outputs: list[Array]) -> None:
        """One launch; the workspaces hold garbage, as device memory does."""
        chosen = self.chosen
        workspaces = [np.full(size, memory.POISON, np.uint8) for size in chosen.workspaces]
        self.function(custom.KernelLaunch(None, chosen.block_dim, inputs, outputs, workspaces, chosen.args))


class TilingHandle(OpHandle):
    """An operator handle or executor bound to a prepared kernel. Buffer sizes are not compared with the descriptions'."""

    __slots__ = ()

    def prepare(self, inputs: Buffers, outputs: Buffers, device: int) -> Task:
        """As for a model.

        Raises:
            AclFault: 100000 for more than 16 workspaces (TIK-7).
        """
        kernel: Any = self.model.kernel
        wanted = len(kernel.chosen.workspaces)
        if wanted > MAX_WORKSPACES:
            raise invalid("workspace count", wanted, f"must not exceed {MAX_WORKSPACES}")
        task = task_of(self.model, (self.inputs, self.outputs), inputs, outputs, device)
        if task[0] is not fail:
            self._keep(task, inputs, outputs, device)
        return task


class _Prepared:
    """A query and the model that was prepared for it."""

    __slots__ = ("model", "query")

    def __init__(self, query: Query, model: OpModel) -> None:
        self.query = query
        self.model = model


SELECTORS: Final[dict[str, Selector]] = {}
KERNELS: Final[dict[tuple[str, str], custom.Kernel]] = {}
CHOOSING: Final[dict[int, Chosen]] = {}
"""Kernel descriptions by handle, only while their selector runs (TIK-6)."""
_PARAMETERS: Final[dict[int, list[_Prepared]]] = {}
"""By digest, as the static models."""


class Limit:
    """How many prepared parameters are kept; None for no bound (OM-12)."""

    count: int | None = None


def _forget() -> None:
    for table in (SELECTORS, KERNELS, CHOOSING, _PARAMETERS):
        table.clear()
    Limit.count = None


ON_NEW_PROCESS.append(_forget)


def _same(one: Query, other: Query) -> bool:
    return (one.op_type, one.inputs, one.outputs, one.consts) == (other.op_type, other.inputs, other.outputs, other.consts) and (
        one.attrs.equals(other.attrs)
    )


def find(query: Query) -> OpModel | None:
    """The model prepared for exactly this call, None without one or without a selector (OP-5, TIK-8)."""
    if query.op_type not in SELECTORS:
        return None
    for entry in _PARAMETERS.get(query.digest, ()):
        if _same(entry.query, query):
            return entry.model
    return None


def choose(op_type: str, arguments: tuple[Any, ...]) -> Chosen:
    """Call the selector; what it returns is ignored, what it raises is left pending (TIK-5).

    Raises:
        SystemError: It raised, which is the cause.
        AclFault: 100028 no selector, 100029 it chose a kernel that was not created (TIK-4).
    """
    selector = SELECTORS.get(op_type)
    if selector is None:
        raise AclFault(NO_SELECTOR, f"no compile function is registered for operator [{op_type}]")
    chosen, handle = Chosen(), new_handle()
    CHOOSING[handle] = chosen
    try:
        selector(*arguments, handle)
    except BaseException as error:
        raise errors_log.left_pending("update_params") from error
    finally:
        CHOOSING.pop(handle, None)
    if (op_type, chosen.kernel_id) not in KERNELS:
        raise AclFault(NO_KERNEL, f"the compile function of [{op_type}] chose kernel [{chosen.kernel_id}], which was not created")
    return chosen


def keep(query: Query, chosen: Chosen, inputs: Specs, outputs: Specs, attrs: Attributes) -> None:
    """Store parameters for these descriptions, in place of older ones; beyond the bound the oldest go (OM-12, TIK-8)."""
    model = OpModel(query.op_type, inputs, outputs, attrs.copy())
    model.kernel = TilingKernel(KERNELS[query.op_type, chosen.kernel_id], chosen)  # type: ignore[assignment]
    model.rule = None
    model.executor = TilingHandle(model, inputs, outputs)
    bucket = [entry for entry in _PARAMETERS.get(query.digest, ()) if not _same(entry.query, query)]
    _PARAMETERS[query.digest] = [*bucket, _Prepared(query, model)]
    while Limit.count is not None and len(_PARAMETERS) > Limit.count:
        del _PARAMETERS[next(iter(_PARAMETERS))]
