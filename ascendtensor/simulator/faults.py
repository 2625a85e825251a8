"""Planned failures: the n-th call of a function of ``acl``, or the n-th run of a kernel, fails with a code of choice.

A plan replaces the function in its module while it lasts, so that nothing is paid when there is none. Code that looks
functions up in the module at each call sees it; a name bound earlier does not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any, Final

from .engine import AclFault, errors_log, filters
from .engine.tables import Task
from .installed import replace

_ROOT: Final = __name__.rpartition(".")[0]
_CREATORS: Final = frozenset(
    f"acl.op.{name}" for name in ("create_handle", "create_handle_for_cast", "set_attr_data_type", "set_attr_list_data_type")
)
_NO_FAILURE: Final = frozenset(
    f"acl.{name}"
    for name in (
        "app_log",
        "data_type_size",
        "destroy_tensor_desc",
        "float16_to_float",
        "float_to_float16",
        "mdl.dump_unreg_callback",
        "op.destroy_attr",
        "op.destroy_handle",
        "prof.destroy_stamp",
        "prof.destroy_step_info",
        "set_tensor_desc_name",
    )
)
_NOTHING: Final[dict[str, Any]] = {
    **dict.fromkeys(
        [f"acl.create_{name}" for name in ("data_buffer", "tensor_desc")]
        + [f"acl.get_data_buffer_{name}" for name in ("addr", "size", "size_v2")]
        + [f"acl.get_tensor_desc_{name}" for name in ("address", "by_index", "element_count", "num_dims", "size")]
        + [f"acl.mdl.create_{name}" for name in ("dataset", "desc")]
        + [f"acl.prof.create_{name}" for name in ("config", "stamp", "step_info", "subscribe_config")]
        + [f"acl.prof.get_{name}" for name in ("model_id", "op_duration", "op_end", "op_start")]
        + [f"acl.rt.{name}" for name in ("allocator_create_desc", "create_binary", "create_group_info")]
        + ["acl.op.create_attr"],
        0,
    ),
    **dict.fromkeys([f"acl.get_tensor_desc_{name}" for name in ("dim", "format", "type")], -1),
    **dict.fromkeys(
        [f"acl.rt.get_{name}_from_exception_info" for name in ("device_id", "error_code", "stream_id", "task_id", "thread_id")], 0xFFFFFFFF
    ),
    "acl.get_recent_err_msg": None,
    "acl.get_soc_name": None,
    "acl.get_tensor_desc_name": "",
}
"""What functions without a code answer when they fail (TD-4, PY-6, PY-7)."""
_RAISING: Final = {
    "acl.util.bytes_to_ptr": "convert bytes to c pointer failed",
    "acl.util.numpy_contiguous_to_ptr": "convert input to a contiguous ndarray failed",
    "acl.util.numpy_to_ptr": "convert numpy object to c pointer failed",
    "acl.util.ptr_to_bytes": "convert c pointer to bytes failed",
    "acl.util.ptr_to_numpy": "convert c pointer to numpy object failed",
}
"""What these raise as a ValueError: they have no other way to fail."""


class Plan:
    """One planned failure; also a context manager that ends it.

    Attributes:
        name: Function, or operator type for a kernel.
        nth: Which call from now on fails, 1 for the next one.
        code: What it answers.
        repeat: Whether every later call fails too.
        calls: Calls seen so far.
        fired: Failures made so far.

    Examples:
        >>> planned = simulator.faults.plan("acl.rt.get_device_count", nth=2)
        >>> [simulator.rt.get_device_count()[1] for _ in range(3)]
        [0, 500000, 0]
        >>> planned.calls, planned.fired
        (3, 1)
        >>> planned.cancel()
    """

    def __init__(self, name: str, nth: int, code: int, repeat: bool, end: Callable[[Plan], None]) -> None:
        if nth < 1:
            raise ValueError(f"nth must be 1 or more, got {nth}")
        self.name = name
        self.nth = nth
        self.code = code
        self.repeat = repeat
        self.calls = 0
        self.fired = 0
        self._end = end

    def due(self) -> bool:
        """Count a call; whether it is the one to fail."""
        self.calls += 1
        due = self.calls == self.nth or (self.repeat and self.calls > self.nth)
        self.fired += due
        return due

    def cancel(self) -> None:
        """End the plan."""
        self._end(self)

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.cancel()


_functions: Final[dict[str, tuple[ModuleType, str, Callable[..., Any], list[Plan]]]] = {}
_kernels: Final[dict[str, list[Plan]]] = {}


def plan(name: str, nth: int = 1, code: int = 500000, repeat: bool = False) -> Plan:
    """Make the ``nth`` call of a function fail, without its doing anything.

    Args:
        name: Full name, such as "acl.rt.malloc".
        nth: 1 for the next call.
        code: The aclError that it answers, in the shape that this function has on failure. A function that returns no code answers what it
            answers when it fails (0, -1, "" or None), or raises the binding's ValueError.
        repeat: Fail from then on, not once.

    Returns:
        The plan, a context manager too.

    Raises:
        ValueError: No such function, or one that has no way to fail.

    Examples:
        >>> with simulator.faults.plan("acl.rt.malloc", code=207001) as planned:
        ...     simulator.rt.malloc(64, 0)
        (0, 207001)
        >>> planned.fired
        1
    """
    if name in _NO_FAILURE:
        raise ValueError(f"{name} returns nothing, or always something, and can't fail")
    made = Plan(name, nth, code, repeat, _end_function)
    if name not in _functions:
        prefix, _, attribute = name.rpartition(".")
        module = sys.modules.get(_ROOT + prefix[len("acl") :]) if prefix == "acl" or prefix.startswith("acl.") else None
        original = getattr(module, attribute, None)
        if module is None or not callable(original):
            raise ValueError(f"the simulator has no function {name}")
        plans: list[Plan] = []
        _functions[name] = (module, attribute, original, plans)
        replace(module, attribute, _failing(name, original, plans))
    _functions[name][3].append(made)
    return made


def _failing(name: str, original: Callable[..., Any], plans: list[Plan]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        due = [each for each in list(plans) if each.due()]
        if not due:
            return original(*args)
        code = due[0].code
        errors_log.failed(name, code, "planned fault")
        return _failure(name, original, code)

    call.__name__ = call.__qualname__ = original.__name__
    vars(call)["failure"] = vars(original).get("failure")
    return call


def _failure(name: str, original: Callable[..., Any], code: int) -> Any:
    if name in _RAISING:
        raise ValueError(_RAISING[name])
    if name in _NOTHING:
        return _NOTHING[name]
    if name == "acl.rt.get_stream_attribute":
        return {"reserved": [0, 0, 0, 0]}, code
    shape = getattr(original, "failure", None)
    if shape is not None:
        return shape(code)
    return (0, code) if name in _CREATORS else code


def _end_function(made: Plan) -> None:
    entry = _functions.get(made.name)
    if entry is None or made not in entry[3]:
        return
    module, attribute, original, plans = entry
    plans.remove(made)
    if not plans:
        replace(module, attribute, original)
        del _functions[made.name]


def kernel(op_type: str, nth: int = 1, code: int = 507015, repeat: bool = False) -> Plan:
    """Make the ``nth`` run of an operator type fail on its stream; the code comes out at the next synchronising call (RT-48).

    Returns:
        The plan, a context manager too.

    Examples:
        >>> y = at.relu(at.ones(2))
        >>> with simulator.faults.kernel("Relu"):
        ...     y = at.relu(at.ones(2))
        ...     at.synchronize()
        Traceback (most recent call last):
            ...
        ascendtensor.errors.AclError: AI Core task failed...
    """
    made = Plan(op_type, nth, code, repeat, _end_kernel)
    _kernels.setdefault(op_type, []).append(made)
    filters.add(_filter)
    filters.drop_prepared()  # of this type's earlier plans too
    return made


def _filter(op_type: str, task: Task) -> Task:
    return (_run, (op_type, *task)) if op_type in _kernels else task


def _run(op_type: str, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
    for each in [found for found in list(_kernels.get(op_type, ())) if found.due()]:
        raise AclFault(each.code, f"planned fault of operator {op_type}")
    fn(*args)


def _end_kernel(made: Plan) -> None:
    plans = _kernels.get(made.name, [])
    if made in plans:
        plans.remove(made)
    if not plans:
        _kernels.pop(made.name, None)
    if not _kernels:
        filters.remove(_filter)
    filters.drop_prepared()


def clear() -> None:
    """End every plan.

    Examples:
        >>> planned = simulator.faults.plan("acl.rt.malloc")
        >>> simulator.faults.clear()
        >>> planned.fired
        0
    """
    for _, _, _, plans in list(_functions.values()):
        for made in list(plans):
            made.cancel()
    for kernels in list(_kernels.values()):
        for made in list(kernels):
            made.cancel()
