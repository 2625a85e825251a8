"""NumPy kernels of the simulator: one Ascend IR operator type, one function.

Importing the package imports every module in it, and each module puts its kernels and shape rules into
``registry``; a new file of kernels needs no entry anywhere.
"""

from __future__ import annotations

import importlib
import pkgutil

from ascendtensor.simulator.kernels.registry import Kernel, Meta, Out, infer_rule, layout_of, lookup, names

__all__ = ["Kernel", "Meta", "Out", "infer_rule", "layout_of", "lookup", "names"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
del _module
