"""Functions of the binding that exist, parse their arguments, and answer as a product without the feature does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from . import AclFault
from .arguments import function

FEATURE_NOT_SUPPORTED: Final = 207000
API_NOT_SUPPORTED: Final = 200001
ADVICE: Final = {
    "acl.get_version_str": "acl.get_version and acl.get_cann_version tell versions",
    "acl.op.": "acl.mdl.init_dump and acl.mdl.set_dump write inputs and outputs of models",
    "acl.rt.allocator_": "take memory by acl.rt.malloc",
    "acl.rt.ipc_": "share memory between the threads of one process, or copy through the host",
    "acl.rt.kernel_args_": "acl.rt.kernel_args_init, kernel_args_append and kernel_args_finalize pass arguments that the simulator keeps",
    "acl.rt.mem_": "share memory between the threads of one process, or copy through the host",
    "acl.rt.notify_": "order streams by events: acl.rt.create_event, record_event, stream_wait_event",
    "acl.rt.value_": "order streams by events: acl.rt.record_event, acl.rt.stream_wait_event",
    "acl.rt.memcpy_async_with_desc": "copy by acl.rt.memcpy_async",
    "acl.rt.get_function_addr": "kernels are Python functions here: simulator.register_kernel, acl.rt.binary_load_from_data",
    "acl.rt.register_cpu_func": "kernels are Python functions here: simulator.register_kernel, acl.rt.binary_load_from_data",
    "acl.rt.get_thread_last_task_id": "record events to see how far a stream is: acl.rt.record_event, acl.rt.query_event_status",
    "acl.rt.set_ts_device": "leave the call away: there is one task scheduler",
    "acl.rt.get_memcpy_desc_size": "copy by acl.rt.memcpy_async",
    "acl.rt.set_memcpy_desc": "copy by acl.rt.memcpy_async",
}
"""What to do instead, by the beginning of a function's name."""


def absent(
    name: str, letters: str = "", *empty: object, code: int = FEATURE_NOT_SUPPORTED, refusal: Exception | None = None
) -> Callable[..., Any]:
    """A function of that name and those arguments whose every call fails with ``code``.

    Args:
        name: Full name.
        letters: As for ``arguments.function``, and "l" for a real list.
        empty: Results beside the code.
        code: 207000 of the runtime, or 200001 of the acl layer.
        refusal: What the binding raises for anything but a list, if that is not the usual ValueError.
    """

    advice = next((each for beginning, each in ADVICE.items() if name.startswith(beginning)), "")
    if name.endswith("_notify"):
        advice = ADVICE["acl.rt.notify_"]
    text = f"the simulated product has no such feature{advice and f'; {advice}'}"
    lists = [index for index, letter in enumerate(letters) if letter == "l"]

    def call(*args: Any) -> Any:
        for index in lists:
            if not isinstance(args[index], list):
                usual = ValueError(f"argument {index + 1} only support the format of list")
                raise usual if refusal is None else type(refusal)(*refusal.args)
        raise AclFault(code, text, "EH0006")

    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    call.__doc__ = "A feature that the simulated product lacks."
    return function(name, letters.replace("l", "O"), *empty)(call)
