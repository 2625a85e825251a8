"""NumPy kernels of the simulator: one Ascend IR operator type, one function.

The first question imports every module in the package, and each module puts its kernels and shape rules into ``registry``; a new file
of kernels needs no entry anywhere.
"""

from __future__ import annotations

import importlib
import pkgutil
import threading

from ascendtensor.simulator.kernels import registry
from ascendtensor.simulator.kernels.registry import Kernel, Meta, Out, infer_rule, layout_of, lookup, names

__all__ = ["Kernel", "Meta", "Out", "infer_rule", "layout_of", "lookup", "names"]


class _Loading(threading.Thread):
    """Imports the modules in a thread of its own: Ctrl-C reaches the main thread only, and none of them may be left half executed."""

    failure: BaseException | None = None

    def run(self) -> None:
        try:
            for module in pkgutil.iter_modules(__path__):
                importlib.import_module(f"{__name__}.{module.name}")
        except BaseException as error:
            self.failure = error


class _State:
    loading: _Loading | None = None
    lock = threading.Lock()


def _load() -> None:
    if threading.current_thread() is _State.loading:
        return
    with _State.lock:
        if _State.loading is None:
            _State.loading = _Loading(name="ascendtensor-kernels", daemon=True)
            _State.loading.start()
        _State.loading.join()
        if _State.loading.failure is not None:
            raise _State.loading.failure
        registry.Contents.load = None


registry.Contents.load = _load
