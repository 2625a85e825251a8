"""Fixtures of the device floor's tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from placement import describe

from ascendtensor.runtime import copies
from ascendtensor.runtime.desc import TensorDesc
from ascendtensor.runtime.device import Device, as_device
from ascendtensor.runtime.memory import DeviceBuffer


@pytest.fixture
def npu() -> Device:
    """The first device."""
    return as_device(0)


@pytest.fixture
def put() -> Callable[..., tuple[DeviceBuffer, TensorDesc]]:
    """`put(array, device)` uploads and gives (buffer, description)."""

    def upload(array: np.ndarray[Any, Any], device: Device | None = None) -> tuple[DeviceBuffer, TensorDesc]:
        desc = describe(array, device or as_device(0))
        return copies.upload(array, desc), desc

    return upload


@pytest.fixture
def allocate() -> Callable[..., DeviceBuffer]:
    """`allocate(nbytes, stream)` gives a buffer, as launches do on a miss."""

    def take(nbytes: int, stream: Any = None) -> DeviceBuffer:
        where = stream or as_device(0).current_stream()
        return where.pool.buffer(nbytes, where)

    return take
