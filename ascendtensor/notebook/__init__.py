"""Seeing what runs: recordings of launches, their time, the device's memory; and the magics of IPython."""

from .explaining import Explanation, explain
from .magics import load_ipython_extension
from .profiling import Profile, profile
from .snapshots import MemorySnapshot, memory_snapshot
from .tracing import Launch, Trace, trace

__all__ = [
    "Explanation",
    "Launch",
    "MemorySnapshot",
    "Profile",
    "Trace",
    "explain",
    "load_ipython_extension",
    "memory_snapshot",
    "profile",
    "trace",
]
__dir__ = __all__.copy
