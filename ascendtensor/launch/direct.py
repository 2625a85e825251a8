"""Launches by the functions of pyACL that wrap one operator: `acl.op.cast`, and the products of `acl.blas`.

They find a loaded model like any launch (BL-1, BL-5), so the model comes from the registry, like all others. With a handle the model is
looked up once; handles are kept here by what they were made of.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..acl import binding
from ..codes import DataType, Format
from ..compiler.description import Attribute, Description, TensorDescription
from ..errors import OperatorNotFoundError
from ..runtime import device
from .registry import HandleRegistry, OpHandle, Unbuilt, handle_cache
from .static import blocking

if TYPE_CHECKING:
    from ..runtime.desc import TensorDesc
    from ..runtime.device import Device
    from ..runtime.memory import DeviceBuffer
    from ..runtime.stream import Stream

__all__ = ["NZ", "N", "Product", "T", "cast", "multiply"]

CAPACITY: Final = 256

N, T, NZ = 0, 1, 2
"""aclTransType: as it is, transposed, in fractal blocks."""

HIGH_PRECISION: Final = 0
FULL: Final = -1
"""The only leading dimension and increment that there is (BL-4, BL-11)."""

BLOCK: Final = 16
INT8_BLOCK: Final = 32


class Handles:
    """Op handles by key, at most `CAPACITY`; the one made first goes first."""

    def __init__(self, registry: HandleRegistry) -> None:
        self._registry = registry
        self._handles: dict[Hashable, OpHandle] = {}

    def get(self, key: Hashable, description: Description, create: Callable[[], int]) -> OpHandle | None:
        """The handle of a key; made by `create` of the model of a description, None where it would come too late."""
        registry = self._registry
        found = self._handles.get(key)
        if found is not None:
            registry.note(description)
            return found
        loaded(description)
        with registry.lock:
            found = self._handles.get(key)
            if found is None:
                if registry.too_late(description):
                    return None
                found = with_model(description, lambda: registry.adopt(create))
                while len(self._handles) >= CAPACITY:
                    del self._handles[next(iter(self._handles))]
                self._handles[key] = found
                registry.bury()
            return found

    def clear(self) -> None:
        """Forget all, at shutdown."""
        self._handles.clear()


_handles: Final = Handles(handle_cache)


def with_model(description: Description, launch: Callable[[], Any]) -> Any:
    """Run `launch` with the model of a description loaded; once more with it loaded anew if it was not found (OM-11)."""
    loaded(description)
    try:
        return launch()
    except OperatorNotFoundError:
        handle_cache.reload(description)
        return launch()


def loaded(description: Description) -> None:
    """Load the model of a description; where it has to be made, that happens without the registry's lock."""
    try:
        handle_cache.load(description, later=True)
    except Unbuilt:
        handle_cache.build(description)
        handle_cache.load(description)


def ordered(reads: Sequence[DeviceBuffer], writes: Sequence[DeviceBuffer], stream: Stream) -> None:
    """Order a stream behind the last writes of what it reads, and the last uses of what it writes."""
    for buffer in reads:
        if buffer.stream is not stream:
            buffer.read_on(stream)
    for buffer in writes:
        buffer.write_on(stream)


def queued(stream: Stream, op_type: str, launch: Callable[[], None]) -> None:
    """Queue something under the name of an operator; wait for it where ASCENDTENSOR_LAUNCH_BLOCKING asks for that."""
    stream.recent.append(op_type)
    launch()
    if blocking():
        stream.synchronize()


def execute_handle(handle: OpHandle, inputs: list[int], outputs: list[int], stream: Stream) -> None:
    """`execute_with_handle` with data buffers."""
    binding.execute_with_handle(handle.value, inputs, outputs, stream.handle)


# Cast


def cast(descs: tuple[TensorDesc, TensorDesc], read: DeviceBuffer, written: DeviceBuffer, stream: Stream, with_handle: bool) -> None:
    """Queue `acl.op.cast`, or `execute_with_handle` of `acl.op.create_handle_for_cast` (BL-1, BL-3).

    Args:
        descs: Descriptions of a plain tensor and of the result.
        read: Memory of the tensor.
        written: That of the result.
        stream: This thread's.
        with_handle: Whether through a handle.
    """
    given, wanted = descs
    tensors = (TensorDescription(given.dtype.acl, given.shape, name="x"),), (TensorDescription(wanted.dtype.acl, wanted.shape, name="y"),)
    description = Description("Cast", *tensors, (Attribute("dst_type", "int", int(wanted.dtype.acl)),))  # and nothing else (BL-1)
    ordered([read], [written], stream)
    handles = given.handle(), wanted.handle()
    handle = _handles.get((given, wanted), description, lambda: binding.create_handle_for_cast(*handles, 0)) if with_handle else None
    if handle is not None:
        queued(stream, "Cast", lambda: execute_handle(handle, [read.data_buffer], [written.data_buffer], stream))
        return
    buffers = read.data_buffer, written.data_buffer

    def launch() -> None:
        handle_cache.runs_without_handle(description)
        binding.op_cast(handles[0], buffers[0], handles[1], buffers[1], 0, stream.handle)

    queued(stream, "Cast", lambda: with_model(description, launch))


# Products


class Product(NamedTuple):
    """One product of `acl.blas`: C = alpha * A * B + beta * C.

    Attributes:
        function: "gemm_ex", "hgemm", "s8gemm", "gemv_ex", "hgemv" or "s8gemv".
        trans: aclTransType of A, B and C.
        sizes: m, n, k.
        dtypes: ACL's types of A (and B), and C.
    """

    function: str
    trans: tuple[int, int, int]
    sizes: tuple[int, int, int]
    dtypes: tuple[int, int]

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of A, B and C as they lie in memory (BL-6, BL-7)."""
        m, n, k = self.sizes
        operand = self.dtypes[0]
        return [
            _stored(m, k, self.trans[0], INT8_BLOCK if operand == DataType.INT8 else BLOCK),
            _weights(k, n) if self.trans[1] == NZ and operand == DataType.INT8 else _stored(k, n, self.trans[1], BLOCK),
            _stored(m, n, self.trans[2], BLOCK),
        ]

    def description(self) -> Description:
        """The operator that it runs (BL-5)."""
        (a, b, c), (operand, result) = self.shapes(), self.dtypes
        weights = Format.FRACTAL_Z if operand == DataType.INT8 else Format.FRACTAL_NZ
        forms = [weights if index == 1 else Format.FRACTAL_NZ for index in range(3)]
        a_form, b_form, c_form = (int(form if trans == NZ else Format.ND) for form, trans in zip(forms, self.trans, strict=True))
        scalars = (TensorDescription(result, (), name=name) for name in ("alpha", "beta"))
        return Description(
            "GEMM",
            (
                TensorDescription(operand, a, a_form, name="a"),
                TensorDescription(operand, b, b_form, name="b"),
                TensorDescription(result, c, c_form, name="c"),
                *scalars,
            ),
            (TensorDescription(result, c, c_form, name="y"),),
            (Attribute("transpose_a", "bool", self.trans[0] == T), Attribute("transpose_b", "bool", self.trans[1] == T)),
        )

    def _head(self) -> tuple[int, ...]:
        """What all its functions begin with: how A, and B where there is one, are stored, and the sizes."""
        (trans_a, *rest), (m, n, k) = self.trans, self.sizes
        return (trans_a, m, k) if "gemv" in self.function else (trans_a, *rest, m, n, k)

    def create_handle(self) -> int:
        """The handle that pyACL makes for it (BL-12)."""
        operand, result = self.dtypes
        types = (operand, operand, result) if self.function.endswith("_ex") else ()
        return binding.create_blas_handle(self.function, *self._head(), *types, HIGH_PRECISION)

    def call(self, alpha: int, a: int, b: int, beta: int, c: int, stream: int) -> None:
        """Queue it by its function (BL-4, BL-10, BL-11)."""
        operand, result = self.dtypes
        typed = self.function.endswith("_ex")
        types = ((operand,), (operand,), (result,)) if typed else ((), (), ())
        left, right, out = (a, FULL, *types[0]), (b, FULL, *types[1]), (c, FULL, *types[2])
        binding.blas(self.function, *self._head(), alpha, *left, *right, beta, *out, HIGH_PRECISION, stream)


def _ceil(size: int, block: int) -> int:
    return -(-size // block)


def _stored(rows: int, columns: int, trans: int, inner: int) -> tuple[int, ...]:
    if trans == NZ:
        return (_ceil(columns, inner), _ceil(rows, BLOCK), BLOCK, inner)
    return (columns, rows) if trans == T else (rows, columns)


def _weights(rows: int, columns: int) -> tuple[int, ...]:
    """Blocks of a B of 8-bit integers (BL-7)."""
    return (_ceil(rows, INT8_BLOCK), _ceil(columns, BLOCK), BLOCK, INT8_BLOCK)


def multiply(product: Product, on: Device, inputs: Sequence[DeviceBuffer], result: DeviceBuffer, stream: Stream, with_handle: bool) -> None:
    """Queue a product on this thread's stream.

    Args:
        product: Which.
        on: The device.
        inputs: Memory of A, B, alpha and beta.
        result: That of C, which is read and written.
        stream: This thread's.
        with_handle: Whether through a handle.
    """
    description = product.description()
    ordered(inputs, [result], stream)
    a, b, alpha, beta = inputs
    handle = _handles.get((product, on), description, product.create_handle) if with_handle else None
    if handle is not None:
        given = [a.data_buffer, b.data_buffer, result.data_buffer, alpha.data_buffer, beta.data_buffer]
        queued(stream, "GEMM", lambda: execute_handle(handle, given, [result.data_buffer], stream))
        return

    def launch() -> None:
        handle_cache.runs_without_handle(description)
        product.call(alpha.address, a.address, b.address, beta.address, result.address, stream.handle)

    queued(stream, "GEMM", lambda: with_model(description, launch))


device.on_shutdown(_handles.clear)
