"""Description of a host array on a device, for the tests of this directory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ascendtensor import dtypes
from ascendtensor.runtime.desc import TensorDesc
from ascendtensor.runtime.device import Device


def describe(array: np.ndarray[Any, Any], device: Device) -> TensorDesc:
    return TensorDesc.of(array.shape, dtypes.from_numpy(array.dtype), device)
