"""Kernels of the user's own: Python functions that a kernel binary names (TIK-3, TIK-9).

Nothing is ever executed out of a binary's bytes. A binary of the simulator (:func:`kernel_binary`) lists names of functions
that were registered before; in a binary of a real compiler only the name of the kernel that the program asks for counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from . import AclFault, memory
from .arguments import invalid

MAGIC: Final = b"ascendtensor simulated kernels 1\n"
Array = npt.NDArray[Any]


class KernelLaunch:
    """What a kernel written in Python is given.

    Attributes:
        inputs: Input arrays over device memory, in the order of the descriptions; empty where only ``args`` are known.
        outputs: Output arrays, to be written.
        workspaces: Scratch memory as bytes, one for each size that the selector asked for.
        tiling: Bytes of ``set_kernel_args``.
        args: The argument block of ``launch_kernel`` and its kin.
        block_dim: Number of cores that the launch names.

    Examples:
        >>> from ascendtensor import simulator
        >>> def scale(launch):
        ...     np.multiply(launch.inputs[0], launch.tiling[0], launch.outputs[0])
        >>> simulator.register_kernel("scale", scale)
        >>> kernel = at.custom.Kernel(simulator.kernel_binary("scale"), "scale")
        >>> choose = lambda inputs, outputs, attrs: at.custom.Launch("any", block_dim=1, tiling=bytes([3]))
        >>> at.custom.dynamic_kernel("Scale", kernels={"any": kernel}, select=choose)(at.ones(2))
        tensor([3., 3.], device='npu:0')
    """

    __slots__ = ("_device", "args", "block_dim", "inputs", "outputs", "tiling", "workspaces")

    def __init__(
        self,
        device: int | None,
        block_dim: int,
        inputs: list[Array | None] | None = None,
        outputs: list[Array] | None = None,
        workspaces: list[memory.Bytes] | None = None,
        tiling: bytes = b"",
        args: bytes = b"",
    ) -> None:
        self._device = device
        self.block_dim = block_dim
        self.inputs = inputs or []
        self.outputs = outputs or []
        self.workspaces = workspaces or []
        self.tiling = tiling
        self.args = args

    def words(self) -> list[int]:
        """``args`` as unsigned numbers of 64 bits, such as addresses; a shorter rest is left out.

        Examples:
            >>> from ascendtensor import simulator
            >>> launch = simulator.KernelLaunch(0, block_dim=1, args=(7).to_bytes(8, "little") + (9).to_bytes(8, "little"))
            >>> launch.words()
            [7, 9]
        """
        usable = len(self.args) // 8 * 8
        return [int(word) for word in np.frombuffer(self.args[:usable], "<u8")]

    def memory(self, address: int, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Device memory as an array.

        Raises:
            AclFault: 107000 for an address that is not device memory.

        Examples:
            >>> from ascendtensor import simulator
            >>> x = at.tensor([1.0, 2.0])
            >>> at.synchronize()
            >>> launch = simulator.KernelLaunch(0, block_dim=1)
            >>> launch.memory(x.data_ptr(), (2,), np.float32).tolist()
            [1.0, 2.0]
        """
        kind = np.dtype(dtype)
        nbytes = kind.itemsize
        for dim in shape:
            nbytes *= dim
        found: Array = memory.device_array(address, nbytes, self._device).view(kind).reshape(shape)
        return found


Kernel = Callable[[KernelLaunch], Any]
_KERNELS: Final[dict[str, Kernel]] = {}


def register_kernel(name: str, fn: Kernel) -> None:
    """Let a kernel binary name a Python function; the same name again replaces it. It outlives ``new_process``.

    Args:
        name: The kernel's name.
        fn: Called with one :class:`KernelLaunch` when the stream reaches the launch. What it raises fails the launch (507015).

    Raises:
        TypeError: ``name`` is no text, or ``fn`` not callable.

    Examples:
        >>> from ascendtensor import simulator
        >>> simulator.register_kernel("triple", lambda launch: np.multiply(launch.inputs[0], 3, launch.outputs[0]))
        >>> at.custom.Kernel(simulator.kernel_binary("triple"), "triple")
        <Kernel triple of ... bytes on aicore>
    """
    if not isinstance(name, str) or not callable(fn):
        raise TypeError("register_kernel(name, fn) takes a str and a callable")
    _KERNELS[name] = fn


def kernel_binary(*names: str) -> bytes:
    """Bytes that stand for a compiled kernel file with these kernels in it.

    Examples:
        >>> from ascendtensor import simulator
        >>> simulator.kernel_binary("scale").splitlines()[0]
        b'ascendtensor simulated kernels 1'
    """
    return MAGIC + json.dumps(list(names)).encode()


def names_in(data: bytes) -> list[str] | None:
    """The kernels that a binary of the simulator names, None for any other binary.

    Raises:
        AclFault: 100000 for a damaged binary of the simulator.
    """
    if not data.startswith(MAGIC):
        return None
    try:
        names = json.loads(data[len(MAGIC) :])
    except ValueError:
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise invalid("binary", f"{len(data)} bytes", "it is a damaged kernel binary of the simulator")
    return names


def find(name: str, data: bytes, code: int) -> Kernel:
    """The function behind one kernel of a binary: of that name, or the only one that the binary names.

    Raises:
        AclFault: ``code`` if there is none.
    """
    names = names_in(data)
    if names is not None and name not in names:
        if len(names) != 1:
            raise AclFault(code, f"the kernel binary holds {', '.join(names) or 'nothing'}, not [{name}]")
        name = names[0]
    found = _KERNELS.get(name)
    if found is None:
        raise AclFault(code, f"no Python function is registered for kernel [{name}]; see ascendtensor.simulator.register_kernel")
    return found
