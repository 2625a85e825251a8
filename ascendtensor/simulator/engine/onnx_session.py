"""Running an ONNX graph over given memory: the only module that knows ONNX Runtime.

Inputs and outputs are bound by address, so nothing is copied. Threads are bounded and none spins while it waits.
"""

from __future__ import annotations

import math
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime

Place = tuple[int, tuple[int, ...]]
"""Host address and dims."""
Tensor = tuple[str, int, int]
"""Name, element type as ONNX numbers it, and bytes of an element."""
Measured = tuple[tuple[int, ...], npt.NDArray[np.uint8]]
"""Dims and bytes."""

MAX_THREADS: Final = 4
_KEPT: Final = 16
"""Bindings kept for buffers that come back."""
_SILENT: Final = 4
"""ONNX Runtime's log level for fatal errors only: others come as exceptions."""


def _threads() -> int:
    count = getattr(os, "sched_getaffinity", None)
    return min(MAX_THREADS, len(count(0)) if count is not None else os.cpu_count() or 1)


class Session:
    """A graph ready to run. One run at a time: others wait."""

    def __init__(self, graph: bytes, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        """Prepares the graph.

        Args:
            graph: The ONNX file.
            inputs: The inputs that are given.
            outputs: The outputs that are asked for.

        Raises:
            Exception: Whatever ONNX Runtime raises for a graph that it cannot run.
        """
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = _threads()
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.log_severity_level = _SILENT
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry("session.inter_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._inputs = list(inputs)
        self._outputs = list(outputs)
        self._lock = threading.Lock()
        self._bound: OrderedDict[tuple[Place, ...], Any] = OrderedDict()

    def run(self, inputs: Sequence[Place], outputs: Sequence[Place]) -> None:
        """Runs the graph from memory into memory. The caller keeps both alive."""
        key = (*inputs, *outputs)
        with self._lock:
            binding = self._bound.get(key)
            if binding is None:
                binding = self._bind(inputs)
                for (name, element, _), (address, dims) in zip(self._outputs, outputs, strict=True):
                    binding.bind_output(name, "cpu", 0, element, dims, address)
                self._bound[key] = binding
                if len(self._bound) > _KEPT:
                    self._bound.popitem(last=False)
            else:
                self._bound.move_to_end(key)
            try:
                self._session.run_with_iobinding(binding)
            except BaseException:
                self._bound.pop(key, None)
                raise

    def run_measured(self, inputs: Sequence[Place]) -> list[Measured]:
        """Runs the graph where only the run tells the outputs' dims.

        Returns:
            Dims and bytes of each output, which lie in ONNX Runtime's memory.
        """
        with self._lock:
            binding = self._bind(inputs)
            for name, _, _ in self._outputs:
                binding.bind_output(name, "cpu")
            self._session.run_with_iobinding(binding)
            values = binding.get_outputs()
        return [_measured(value, size) for value, (_, _, size) in zip(values, self._outputs, strict=True)]

    def _bind(self, inputs: Sequence[Place]) -> Any:
        binding = self._session.io_binding()
        for (name, element, _), (address, dims) in zip(self._inputs, inputs, strict=True):
            binding.bind_input(name, "cpu", 0, element, dims, address)
        return binding


class _Owner:
    """Memory of an ONNX Runtime value, for ``np.asarray``."""

    def __init__(self, value: Any, nbytes: int) -> None:
        self._value = value
        self.__array_interface__ = {"data": (value.data_ptr(), False), "shape": (nbytes,), "typestr": "|u1", "version": 3}


def _measured(value: Any, size: int) -> Measured:
    dims = tuple(int(dim) for dim in value.shape())
    nbytes = math.prod(dims) * size
    return dims, np.asarray(_Owner(value, nbytes)) if nbytes else np.empty(0, np.uint8)


def output_dims(graph: bytes) -> dict[str, tuple[int, ...] | None]:
    """Dims of a graph's outputs as ONNX Runtime infers them, -1 where it cannot; None for no rank, which it does not tell from a scalar."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _SILENT
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return {each.name: tuple(dim if isinstance(dim, int) else -1 for dim in each.shape) or None for each in session.get_outputs()}
