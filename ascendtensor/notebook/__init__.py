"""Seeing what runs: recordings of launches, their time, the device's memory; and the magics of IPython."""

from .explaining import Explanation, explain
from .tracing import Launch, Trace, trace

__all__ = ["Explanation", "Launch", "Trace", "explain", "trace"]
