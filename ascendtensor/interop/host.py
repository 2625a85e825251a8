"""What comes back to the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.host import Array, upload
from ..runtime.device import DeviceLike


class HostArray(np.ndarray[Any, np.dtype[Any]]):
    """What `t.cpu()` gives: a NumPy array that also answers PyTorch's words `numpy()`, `cpu()`, `detach()` and `npu()`."""

    def numpy(self) -> Array:
        """The same memory as a plain `numpy.ndarray`."""
        return self.view(np.ndarray)

    def cpu(self) -> HostArray:
        """The array itself."""
        return self

    def detach(self) -> HostArray:
        """The array itself."""
        return self

    def npu(self, device: DeviceLike = None) -> Any:
        """A copy in device memory. Like: torch.Tensor.cuda."""
        return upload(self, device=device)
