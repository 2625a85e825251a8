"""NPUTensor: the tensor that users hold. Properties, operators, conversions; the functions as methods come from `methods`."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, overload

import numpy as np

from . import absent, base, creation, display, dtypes, rendering, shapes
from .base import TensorBase
from .dtypes import DTypeLike, as_dtype
from .dtypes import dtype as DType
from .errors import AscendTensorError, AutogradError, DTypeError, IndexRangeError, ShapeError, ValueRangeError
from .interop import dlpack, functions, standard, ufuncs
from .interop import numpy as protocols
from .interop.functions import shaping
from .interop.host import HostArray
from .methods import Methods
from .ops import host, indexing, views
from .ops.arguments import require_tensor
from .ops.call import call
from .ops.host import Array
from .ops.linalg import matmul
from .ops.pointwise import comparison, elementwise, unary
from .ops.table.elementwise import CAST
from .options import check_format, contiguous_format, layout, memory_format, no_autograd, strided
from .runtime.device import Device, DeviceLike, as_device, device_count
from .runtime.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

_OPERANDS: Final = (TensorBase, int, float, complex)
N = TypeVar("N", bound="NPUTensor")
_Int: TypeAlias = int  # the class below has methods of these names
_Float: TypeAlias = float
_Bool: TypeAlias = bool
_OnDevice: TypeAlias = Literal["npu", "npu:0", "npu:1", "npu:2", "npu:3", "npu:4", "npu:5", "npu:6", "npu:7"]


class Size(int):
    """`t.size`: the number of elements, NumPy's way, that can also be called for the lengths, PyTorch's way."""

    shape: tuple[int, ...]

    def __new__(cls, numel: int, shape: tuple[int, ...]) -> Size:
        self = super().__new__(cls, numel)
        self.shape = shape
        return self

    @overload
    def __call__(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def __call__(self, dim: int) -> int: ...
    def __call__(self, dim: int | None = None) -> Any:
        if dim is None:
            return self.shape
        try:
            return self.shape[shapes.normalize_dim(dim, len(self.shape) or 1)]
        except IndexError:
            text = f"Dimension out of range, there are {len(self.shape)} of them: {dim}"
            raise IndexRangeError(text, where="size", advice="Ask ndim first.") from None

    def __reduce__(self) -> tuple[Any, ...]:
        return Size, (int(self), self.shape)


class NPUTensor(Methods):
    """A tensor on an Ascend NPU: device memory, a shape, a dtype.

    Tensors are made by `tensor`, `zeros` and the like; each operation on them is one Ascend IR operator, queued on the current stream.
    Results have the class of the first tensor operand. Views share memory, as in PyTorch.

    Examples:
        >>> x = at.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> x @ x.T + 1
        tensor([[ 6., 12.],
                [12., 26.]], device='npu:0')
        >>> x.size, x.size(), x.size(0), x.dim(), x.nelement()
        (4, (2, 2), 2, 2, 4)
        >>> x.itemsize, x.element_size(), x.get_device(), x.is_npu, x.is_cuda, x.is_leaf
        (4, 4, 0, True, False, True)
        >>> x.is_cpu, x.is_meta, x.is_sparse, x.is_quantized, x.layout
        (False, False, False, False, ascendtensor.strided)
        >>> x.is_signed(), x.is_floating_point(), x.is_complex(), x.requires_grad, x.grad
        (True, True, False, False, None)
        >>> x.data.data_ptr() == x.data_ptr()
        True
        >>> at.equal(x.mT, x.T), x.real is x, x.detach() is x
        (True, True, False)
        >>> x.long().dtype, x.int().dtype, x.short().dtype, x.char().dtype, x.byte().dtype, x.bool().dtype
        (ascendtensor.int64, ascendtensor.int32, ascendtensor.int16, ascendtensor.int8, ascendtensor.uint8, ascendtensor.bool)
        >>> x.half().dtype, x.bfloat16().dtype, x.float().dtype, x.double().dtype, x.cfloat().dtype
        (ascendtensor.float16, ascendtensor.bfloat16, ascendtensor.float32, ascendtensor.float64, ascendtensor.complex64)
        >>> x.new_ones(2), x.new_zeros(2), x.new_full((2,), 7)
        (tensor([1., 1.], device='npu:0'), tensor([0., 0.], device='npu:0'), tensor([7., 7.], device='npu:0'))
        >>> x.new_tensor([1, 2]).dtype, x.new_empty(2).shape, x.requires_grad_(False) is x.detach_(), x.cdouble().dtype
        (ascendtensor.float32, (2,), True, ascendtensor.complex128)
    """

    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise DTypeError(
            "the class makes no tensors", where="NPUTensor", advice="Use tensor(data), empty(shape), zeros(shape) and the like."
        )

    if not TYPE_CHECKING:  # else every name would be one for type checkers

        def __getattr__(self, name: str) -> Any:
            raise AttributeError(absent.about_tensors(type(self).__name__, name), name=name, obj=self)

    # Properties

    @property
    def size(self) -> Size:
        """Number of elements, an int; called, the shape or one length. Like: numpy.ndarray.size, torch.Tensor.size."""
        return Size(self.desc.numel, self.desc.shape)

    @property
    def itemsize(self) -> _Int:
        """Bytes of one element. Like: torch.Tensor.itemsize."""
        return self.desc.dtype.itemsize

    @property
    def T(self) -> Self:
        """All dimensions in reverse order, a view. Like: torch.Tensor.T."""
        return views.reverse_dims(self)

    @property
    def mT(self) -> Self:
        """The last two dimensions exchanged, a view. Like: torch.Tensor.mT."""
        if len(self.desc.shape) < 2:
            raise ShapeError("at least two dimensions are needed").with_context("mT", (self,))
        return views.transpose(self, -2, -1)

    @property
    def real(self) -> Self:
        """The real parts, a view; a real tensor itself. Like: torch.Tensor.real."""
        return views.real(self)

    @property
    def imag(self) -> Self:
        """The imaginary parts of a complex tensor, a view; of any other, zeros in one place of their own. Like: numpy.ndarray.imag.

        Examples:
            >>> at.tensor([1 + 2j]).imag, at.ones(2).imag
            (tensor([2.], device='npu:0'), tensor([0., 0.], device='npu:0'))
        """
        return views.imag(self) if self.desc.dtype.is_complex else views.expand(self.new_zeros(()), self.desc.shape)

    @property
    def is_npu(self) -> _Bool:
        """Always true."""
        return True

    @property
    def is_cuda(self) -> _Bool:
        """Always false."""
        return False

    @property
    def is_cpu(self) -> _Bool:
        """Always false: there are no tensors on the host."""
        return False

    @property
    def is_meta(self) -> _Bool:
        """Always false: every tensor has memory."""
        return False

    @property
    def is_sparse(self) -> _Bool:
        """Always false: there are dense tensors only."""
        return False

    @property
    def is_quantized(self) -> _Bool:
        """Always false: no dtype here carries a scale and a zero point."""
        return False

    @property
    def layout(self) -> layout:
        """Always `strided`: there are dense tensors only."""
        return strided

    @property
    def is_leaf(self) -> _Bool:
        """Always true: there is no autograd yet."""
        return True

    @property
    def grad(self) -> None:
        """Always None: there is no autograd yet. Setting it to anything else raises AutogradError."""
        return None

    @grad.setter
    def grad(self, value: None) -> None:
        no_autograd(value is not None, "grad")

    @property
    def requires_grad(self) -> _Bool:
        """Always false; setting it to true raises AutogradError."""
        return False

    @requires_grad.setter
    def requires_grad(self, value: _Bool) -> None:
        no_autograd(value, "requires_grad")

    @property
    def data(self) -> Self:
        """Another tensor over the same memory, as `detach` gives it; set, the tensor is one over other memory. Like: torch.Tensor.data.

        What is queued, and views of the tensor, keep the memory that it had. Set it while no other thread computes with the tensor.
        """
        return views.alias(self)

    @data.setter
    def data(self, value: TensorBase) -> None:
        given = require_tensor(value, "value", "data")
        self.desc, self.buffer = given.desc, given.buffer

    def requires_grad_(self, requires_grad: _Bool = True) -> Self:
        """Raises AutogradError, unless called with False."""
        no_autograd(requires_grad, "requires_grad_")
        return self

    def backward(self, *args: Any, **kwargs: Any) -> None:
        """Raises AutogradError.

        Examples:
            >>> at.ones(1).backward()
            Traceback (most recent call last):
                ...
            ascendtensor.errors.AutogradError: backward: autograd is not there yet
              Write the gradients by hand, as the demo does.
        """
        raise AutogradError("autograd is not there yet", where="backward", advice="Write the gradients by hand, as the demo does.")

    def dim(self) -> _Int:
        """Number of dimensions. Like: torch.Tensor.dim."""
        return len(self.desc.shape)

    ndimension = dim

    def nelement(self) -> _Int:
        """Number of elements. Like: torch.Tensor.nelement."""
        return self.desc.numel

    def element_size(self) -> _Int:
        """Bytes of one element. Like: torch.Tensor.element_size."""
        return self.desc.dtype.itemsize

    def data_ptr(self) -> _Int:
        """Device address of the first element; a ClosedError after `shutdown()`. Like: torch.Tensor.data_ptr.

        Examples:
            >>> x = at.ones(4)
            >>> x[1:].data_ptr() - x.data_ptr()
            4
        """
        return base.storage(base.reachable(self, "data_ptr")).address + base.element_offset(self) * self.desc.dtype.itemsize

    @property
    def data_buffer(self) -> _Int:
        """The aclDataBuffer, for pyACL calls of your own (`raw`); it lives as long as the tensor.

        Raises:
            ShapeError: The tensor is a view with gaps, or does not start on a multiple of 32 bytes: call `contiguous` or `clone` first.
            ClosedError: It is from before `shutdown()`.

        Examples:
            >>> at.ones(2).data_buffer > 0
            True
        """
        if not base.settle(base.reachable(self, "data_buffer")):
            raise ShapeError(
                "a view with gaps, or one that starts between multiples of 32 bytes, has no data buffer", advice="Use a .clone() of it."
            ).with_context("data_buffer", (self,))
        return self.buffer.data_buffer

    def record_stream(self, stream: Stream) -> None:
        """Let `stream` wait for the tensor's last write, and keep its memory until what is queued on `stream` when the last tensor over it
        goes has run. Only for pyACL calls of your own: operators see to it. Like: torch.Tensor.record_stream.

        Examples:
            >>> x, stream = at.ones(2), at.Stream()
            >>> x.record_stream(stream)
            >>> x
            tensor([1., 1.], device='npu:0')
        """
        if not isinstance(stream, Stream):
            raise DTypeError(f"a Stream is needed, not {type(stream).__name__}").with_context("record_stream", (self,))
        stream.ready()
        if self.buffer.stream is not stream:
            self.buffer.read_on(stream)

    def get_device(self) -> _Int:
        """Number of the device. Like: torch.Tensor.get_device."""
        return self.desc.device.index

    def is_floating_point(self) -> _Bool:
        """Whether the dtype is a floating type. Like: torch.Tensor.is_floating_point."""
        return self.desc.dtype.is_floating_point

    def is_complex(self) -> _Bool:
        """Whether the dtype is a complex type. Like: torch.Tensor.is_complex."""
        return self.desc.dtype.is_complex

    def is_signed(self) -> _Bool:
        """Whether the dtype has negative numbers. Like: torch.Tensor.is_signed."""
        return self.desc.dtype.is_signed

    # Text

    def __repr__(self) -> str:
        text = display.text(self)
        return f"Parameter containing:\n{text}" if base.is_marked(self) else text

    def _repr_html_(self) -> str:
        return rendering.tensor_html(self)

    def __format__(self, spec: str) -> str:
        if not self.desc.shape:  # as in PyTorch, a number is formatted like one
            return format(self.item(), spec)
        try:
            return format(repr(self), spec)
        except ValueError as error:
            raise DTypeError(f"{error}; format .item() or .numpy() of it").with_context("format", (self,)) from None

    # To the host

    def item(self, *args: Any) -> Any:
        """The one element as a Python number; waits for it.

        Args:
            *args: NumPy's: which element, as a place in the flattened tensor or one for each dim.

        Raises:
            ValueRangeError: There is not exactly one.

        Like: torch.Tensor.item, numpy.ndarray.item.

        Examples:
            >>> at.tensor([5.0]).item()
            5.0
        """
        return host.item(self) if not args else shaping.element(self, *args)

    def tolist(self) -> Any:
        """Nested lists of Python numbers. Like: torch.Tensor.tolist.

        Examples:
            >>> at.tensor([[1, 2], [3, 4]]).tolist()
            [[1, 2], [3, 4]]
        """
        return host.nested_lists(self)

    def numpy(self, *, force: _Bool = False) -> Array:
        """A copy as a NumPy array; waits for it. Like: torch.Tensor.numpy(force=True).

        Examples:
            >>> at.tensor([1, 2]).numpy()
            array([1, 2])
        """
        return host.download(self)

    def to_numpy(self) -> Array:
        """`numpy()` by the name that Matplotlib and other programs for tables of data ask for. Like: pandas.Series.to_numpy.

        Examples:
            >>> at.tensor([1, 2]).to_numpy()
            array([1, 2])
        """
        return host.download(self)

    def cpu(self, non_blocking: _Bool = False, *, memory_format: memory_format | None = None) -> HostArray:
        """A copy as a NumPy array that also has `numpy()`, `cpu()`, `detach()` and `npu()`. Like: torch.Tensor.cpu.

        Examples:
            >>> at.tensor([1, 2]).cpu()
            HostArray([1, 2])
            >>> at.tensor([1, 2]).detach().cpu().numpy()
            array([1, 2])
        """
        check_format(memory_format, "cpu")
        return host.download(self, non_blocking).view(HostArray)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The module `ascendtensor.array_api`. Like: numpy.ndarray.__array_namespace__."""
        return standard.namespace(api_version)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[_Int, _Int] | None = None,
        dl_device: tuple[Any, _Int] | None = None,
        copy: _Bool | None = None,
    ) -> Any:
        """A DLPack capsule over simulated memory itself, or over a copy of a chip's on the host. Like: torch.Tensor.__dlpack__."""
        return dlpack.capsule(self, max_version, dl_device, copy, stream)

    def __dlpack_device__(self) -> tuple[Any, _Int]:
        """DLPack's device kind and number: the host for simulated memory. Like: torch.Tensor.__dlpack_device__."""
        return dlpack.device_of(self)

    def to_device(self, device: DeviceLike, /, *, stream: Any = None) -> Self:
        """The tensor on another device; itself if it is there. Like: numpy.ndarray.to_device.

        Examples:
            >>> at.ones(2).to_device("npu:1").device
            npu:1
        """
        moved: Self = self.to(device)
        return moved

    def __array__(self, dtype: Any = None, copy: _Bool | None = None) -> Array:
        return protocols.array(self, dtype, copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return ufuncs.array_ufunc(self, ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return functions.array_function(self, func, types, args, kwargs)

    def __bool__(self) -> _Bool:
        if self.desc.numel != 1:
            text = f"the truth value of a tensor with {self.desc.numel} elements is ambiguous"
            raise ValueRangeError(text, advice="Use any() or all().").with_context("bool", (self,))
        return bool(host.item(self))

    def __int__(self) -> _Int:
        value = host.item(self)
        if isinstance(value, complex):
            raise DTypeError("a complex number is no int").with_context("int", (self,))
        return int(value)

    def __float__(self) -> _Float:
        value = host.item(self)
        if isinstance(value, complex):
            raise DTypeError("a complex number is no float").with_context("float", (self,))
        return float(value)

    def __complex__(self) -> complex:
        return complex(host.item(self))

    def __index__(self) -> _Int:
        if self.desc.numel != 1 or self.desc.dtype.category > dtypes.INTEGER:
            raise DTypeError("only an integer tensor of one element can be an index").with_context("index", (self,))
        return operator.index(host.item(self))

    # As a container

    def __len__(self) -> _Int:
        if not self.desc.shape:
            raise _NoLength("a 0-d tensor has no length", advice="item() gives its value, numel() is 1.").with_context("len", (self,))
        return self.desc.shape[0]

    def __iter__(self) -> Iterator[Self]:
        if not self.desc.shape:
            raise _NoLength("a 0-d tensor can't be iterated over", advice="item() gives its value.").with_context("iter", (self,))
        return iter(views.unbind(self))

    def __reversed__(self) -> Self:
        return self[::-1] if self.desc.shape else self

    def __contains__(self, element: Any) -> _Bool:
        if not isinstance(element, (*_OPERANDS, np.generic, np.ndarray)):
            raise DTypeError(f"{type(element).__name__} can't be in a tensor").with_context("in", (self,))
        found: Any = self == element
        if not isinstance(found, NPUTensor):  # neither side knows the other
            raise DTypeError(f"{type(element).__name__} can't be in a tensor").with_context("in", (self,))
        return bool(found.any())

    def __getitem__(self, index: Any) -> Self:
        return indexing.get(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        indexing.put(self, index, value)

    # Operators: the exact class is tested first, since that is what is met most

    def __add__(self, other: Any) -> Self:
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return elementwise.add(self, other)
        return _foreign(elementwise.add, self, other)

    def __radd__(self, other: Any) -> Self:
        return _reflected(elementwise.add, self, other)

    def __iadd__(self, other: Any) -> Self:
        return _in_place(elementwise.add, self, other)

    def __sub__(self, other: Any) -> Self:
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return elementwise.sub(self, other)
        return _foreign(elementwise.sub, self, other)

    def __rsub__(self, other: Any) -> Self:
        return _reflected(elementwise.sub, self, other)

    def __isub__(self, other: Any) -> Self:
        return _in_place(elementwise.sub, self, other)

    def __mul__(self, other: Any) -> Self:
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return elementwise.mul(self, other)
        return _foreign(elementwise.mul, self, other)

    def __rmul__(self, other: Any) -> Self:
        return _reflected(elementwise.mul, self, other)

    def __imul__(self, other: Any) -> Self:
        return _in_place(elementwise.mul, self, other)

    def __truediv__(self, other: Any) -> Self:
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return elementwise.div(self, other)
        return _foreign(elementwise.div, self, other)

    def __rtruediv__(self, other: Any) -> Self:
        return _reflected(elementwise.div, self, other)

    def __itruediv__(self, other: Any) -> Self:
        return _in_place(elementwise.div, self, other)

    def __floordiv__(self, other: Any) -> Self:
        return _foreign(elementwise.floor_divide, self, other)

    def __rfloordiv__(self, other: Any) -> Self:
        return _reflected(elementwise.floor_divide, self, other)

    def __ifloordiv__(self, other: Any) -> Self:
        return _in_place(elementwise.floor_divide, self, other)

    def __mod__(self, other: Any) -> Self:
        return _foreign(elementwise.remainder, self, other)

    def __rmod__(self, other: Any) -> Self:
        return _reflected(elementwise.remainder, self, other)

    def __imod__(self, other: Any) -> Self:
        return _in_place(elementwise.remainder, self, other)

    def __divmod__(self, other: Any) -> tuple[Self, Self]:
        quotient: Any = _foreign(elementwise.floor_divide, self, other)
        return quotient if quotient is NotImplemented else (quotient, self % other)

    def __rdivmod__(self, other: Any) -> tuple[Self, Self]:
        quotient: Any = _reflected(elementwise.floor_divide, self, other)
        return quotient if quotient is NotImplemented else (quotient, other % self)

    def __pow__(self, other: Any) -> Self:
        return _foreign(elementwise.pow, self, other)

    def __rpow__(self, other: Any) -> Self:
        return _reflected(elementwise.pow, self, other)

    def __ipow__(self, other: Any) -> Self:
        return _in_place(elementwise.pow, self, other)

    def __matmul__(self, other: Any) -> Self:
        if isinstance(other, np.ndarray):  # in the common dtype, as `other @ self`
            return np.matmul(self, other)  # type: ignore[no-any-return]
        return _foreign(matmul.matmul, self, other)

    def __rmatmul__(self, other: Any) -> Self:
        return _reflected(matmul.matmul, self, other)

    def __imatmul__(self, other: Any) -> Self:
        return _in_place(matmul.matmul, self, other)

    def __and__(self, other: Any) -> Self:
        return _foreign(comparison.bitwise_and, self, other)

    def __rand__(self, other: Any) -> Self:
        return _reflected(comparison.bitwise_and, self, other)

    def __iand__(self, other: Any) -> Self:
        return _in_place(comparison.bitwise_and, self, other)

    def __or__(self, other: Any) -> Self:
        return _foreign(comparison.bitwise_or, self, other)

    def __ror__(self, other: Any) -> Self:
        return _reflected(comparison.bitwise_or, self, other)

    def __ior__(self, other: Any) -> Self:
        return _in_place(comparison.bitwise_or, self, other)

    def __xor__(self, other: Any) -> Self:
        return _foreign(comparison.bitwise_xor, self, other)

    def __rxor__(self, other: Any) -> Self:
        return _reflected(comparison.bitwise_xor, self, other)

    def __ixor__(self, other: Any) -> Self:
        return _in_place(comparison.bitwise_xor, self, other)

    def __lshift__(self, other: Any) -> Self:
        return _foreign(comparison.bitwise_left_shift, self, other)

    def __rlshift__(self, other: Any) -> Self:
        return _reflected(comparison.bitwise_left_shift, self, other)

    def __ilshift__(self, other: Any) -> Self:
        return _in_place(comparison.bitwise_left_shift, self, other)

    def __rshift__(self, other: Any) -> Self:
        return _foreign(comparison.bitwise_right_shift, self, other)

    def __rrshift__(self, other: Any) -> Self:
        return _reflected(comparison.bitwise_right_shift, self, other)

    def __irshift__(self, other: Any) -> Self:
        return _in_place(comparison.bitwise_right_shift, self, other)

    def __neg__(self) -> Self:
        return unary.neg(self)

    def __pos__(self) -> Self:
        return unary.positive(self)

    def __abs__(self) -> Self:
        return unary.abs(self)

    def __invert__(self) -> Self:
        return comparison.bitwise_not(self)

    def __round__(self, ndigits: _Int | None = None) -> Self:
        return unary.round(self, decimals=ndigits or 0)

    def __eq__(self, other: object) -> Self:  # type: ignore[override]
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return comparison.eq(self, other)
        return _foreign(comparison.eq, self, other)

    def __ne__(self, other: object) -> Self:  # type: ignore[override]
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return comparison.ne(self, other)
        return _foreign(comparison.ne, self, other)

    def __lt__(self, other: Any) -> Self:
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return comparison.lt(self, other)
        return _foreign(comparison.lt, self, other)

    def __le__(self, other: Any) -> Self:
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return comparison.le(self, other)
        return _foreign(comparison.le, self, other)

    def __gt__(self, other: Any) -> Self:
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return comparison.gt(self, other)
        return _foreign(comparison.gt, self, other)

    def __ge__(self, other: Any) -> Self:
        if other.__class__ is NPUTensor or isinstance(other, _OPERANDS):
            return comparison.ge(self, other)
        return _foreign(comparison.ge, self, other)

    # Copies and conversions

    def detach(self) -> Self:
        """The same memory as another tensor. Like: torch.Tensor.detach."""
        return views.alias(self)

    def detach_(self) -> Self:
        """The tensor itself, which has no gradients. Like: torch.Tensor.detach_."""
        return self

    def as_subclass(self, cls: type[N]) -> N:
        """The same memory as a tensor of a class of your own, whose `__init__` is not called. Like: torch.Tensor.as_subclass.

        Examples:
            >>> class Length(at.Tensor):
            ...     unit = "m"
            >>> x = at.ones(2).as_subclass(Length)
            >>> type(x + 1).__name__, x.unit
            ('Length', 'm')
        """
        if not (isinstance(cls, type) and issubclass(cls, NPUTensor)):
            raise DTypeError(f"a subclass of NPUTensor is needed, not {cls!r}").with_context("as_subclass", (self,))
        return base.as_class(views.alias(self), cls)

    def __getstate__(self) -> Any:
        """What a class of your own has beside the values, for copies and pickles; None for nothing. Like: object.__getstate__."""
        return base.state(self)

    def __copy__(self) -> Self:
        return _restored(views.alias(self), self.__getstate__())

    def __deepcopy__(self, memo: dict[_Int, Any]) -> Self:
        copied = self.clone()
        if base.is_marked(self):
            base.marked(copied)
        memo[id(self)] = copied
        return _restored(copied, copy.deepcopy(self.__getstate__(), memo))

    def __reduce__(self) -> tuple[Any, ...]:
        given = (host.download(self), self.desc.device.name, self.__class__)
        return _unpickled, (*given, True) if base.is_marked(self) else given, self.__getstate__()

    @overload
    def to(self, dtype: DType, /, *, device: DeviceLike = None, non_blocking: _Bool = False, copy: _Bool = False) -> Self: ...
    @overload
    def to(self, *, dtype: DTypeLike, non_blocking: _Bool = False, copy: _Bool = False) -> Self: ...
    @overload
    def to(
        self,
        to: TensorBase | Device | _Int | _OnDevice,
        /,
        dtype: DTypeLike | None = None,
        non_blocking: _Bool = False,
        copy: _Bool = False,
    ) -> Self: ...
    @overload
    def to(
        self, *, device: Device | _Int | _OnDevice, dtype: DTypeLike | None = None, non_blocking: _Bool = False, copy: _Bool = False
    ) -> Self: ...
    @overload
    def to(self, to: Literal["cpu"], /, dtype: DTypeLike | None = None, non_blocking: _Bool = False, copy: _Bool = False) -> HostArray: ...
    @overload
    def to(
        self,
        *args: Any,
        tensor: TensorBase | None = None,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        non_blocking: _Bool = False,
        copy: _Bool = False,
        memory_format: memory_format | None = None,
    ) -> Any: ...
    def to(
        self,
        *args: Any,
        tensor: TensorBase | None = None,
        dtype: DTypeLike | None = None,
        device: DeviceLike = None,
        non_blocking: _Bool = False,
        copy: _Bool = False,
        memory_format: memory_format | None = None,
    ) -> Any:
        """The tensor in another dtype, on another device, or both; itself where nothing changes.

        Args:
            *args: A dtype, a device, a device and a dtype, or another tensor, whose dtype and device are taken; then `non_blocking` and
                `copy`. The device "cpu" gives what `cpu()` gives.
            tensor, dtype, device: The same by name.
            non_blocking: As in PyTorch; copies between devices wait anyway.
            copy: Always make a new tensor.
            memory_format: `contiguous_format` for a row-major tensor; `preserve_format` and None change nothing.

        Raises:
            DTypeError: There is no such conversion.
            DeviceIndexError: There is no such device.

        Ascend operator: Cast. Like: torch.Tensor.to.

        Examples:
            >>> at.tensor([1.9]).to(at.int32)
            tensor([1], device='npu:0', dtype=ascendtensor.int32)
            >>> at.tensor([1.0]).to("npu:1", at.float16).device
            npu:1
        """
        if memory_format is not None:
            check_format(memory_format, "to")
        if tensor is not None:
            args = (tensor, *args)
        device, dtype, non_blocking, copy = _targets(args, device, dtype, non_blocking, copy)
        try:
            wanted = None if dtype is None else as_dtype(dtype)
            if isinstance(device, str) and device == "cpu":
                return creation.convert(self, wanted, None, False).cpu(non_blocking)
            converted = creation.convert(self, wanted, device, copy)
            return converted.contiguous() if memory_format is contiguous_format else converted
        except AscendTensorError as error:
            raise error.with_context("to", (self,)) from None

    @overload
    def type(self, dtype: None = None) -> str: ...
    @overload
    def type(self, dtype: DTypeLike, non_blocking: _Bool = False) -> Self: ...
    def type(self, dtype: DTypeLike | None = None, non_blocking: _Bool = False) -> Any:
        """The tensor in another dtype; without one, the name of its own. Like: torch.Tensor.type.

        Examples:
            >>> at.tensor([1.9]).type()
            'ascendtensor.float32'
            >>> at.tensor([1.9]).type(at.int32)
            tensor([1], device='npu:0', dtype=ascendtensor.int32)
        """
        return self.to(as_dtype(dtype)) if dtype is not None else f"ascendtensor.{self.desc.dtype.name}"

    def type_as(self, other: TensorBase) -> Self:
        """The tensor in the dtype of another. Like: torch.Tensor.type_as.

        Examples:
            >>> at.tensor([1.9]).type_as(at.tensor([1]))
            tensor([1], device='npu:0')
        """
        return self._cast(require_tensor(other, "other", "type_as").desc.dtype)

    def npu(self, device: DeviceLike = None, non_blocking: _Bool = False) -> Self:
        """The tensor on a device, by default the current one; itself if it is there. Like: torch.Tensor.cuda.

        Examples:
            >>> at.ones(2).npu(1)
            tensor([1., 1.], device='npu:1')
        """
        result: Self = creation.convert(self, None, as_device(device), False)
        return result

    def _cast(self, dtype: DType) -> Self:
        result: Self = self if self.desc.dtype is dtype else call(CAST, (self,), (dtype,))
        return result

    def bfloat16(self) -> Self:
        """The tensor in bfloat16."""
        return self._cast(dtypes.bfloat16)

    def bool(self) -> Self:
        """The tensor as truth values: whether elements are not 0."""
        return self._cast(dtypes.bool_)

    def byte(self) -> Self:
        """The tensor in uint8."""
        return self._cast(dtypes.uint8)

    def cdouble(self) -> Self:
        """The tensor in complex128."""
        return self._cast(dtypes.complex128)

    def cfloat(self) -> Self:
        """The tensor in complex64."""
        return self._cast(dtypes.complex64)

    def char(self) -> Self:
        """The tensor in int8."""
        return self._cast(dtypes.int8)

    def double(self) -> Self:
        """The tensor in float64."""
        return self._cast(dtypes.float64)

    def float(self) -> Self:
        """The tensor in float32."""
        return self._cast(dtypes.float32)

    def half(self) -> Self:
        """The tensor in float16."""
        return self._cast(dtypes.float16)

    def int(self) -> Self:
        """The tensor in int32."""
        return self._cast(dtypes.int32)

    def long(self) -> Self:
        """The tensor in int64."""
        return self._cast(dtypes.int64)

    def short(self) -> Self:
        """The tensor in int16."""
        return self._cast(dtypes.int16)

    # Writing

    def copy_(self, other: Any, non_blocking: _Bool = False) -> Self:
        """Elements of `other`, broadcast and cast, into this tensor. Like: torch.Tensor.copy_.

        Examples:
            >>> at.zeros(2, 2).copy_(at.tensor([1, 2]))
            tensor([[1., 2.],
                    [1., 2.]], device='npu:0')
        """
        return indexing.assign(self, other, "copy_")

    def fill_(self, value: Any) -> Self:
        """One number into every element. Like: torch.Tensor.fill_.

        Examples:
            >>> at.empty(2).fill_(7)
            tensor([7., 7.], device='npu:0')
        """
        return indexing.fill(self, value)

    def zero_(self) -> Self:
        """0 into every element. Like: torch.Tensor.zero_.

        Examples:
            >>> at.ones(2).zero_()
            tensor([0., 0.], device='npu:0')
        """
        return indexing.fill(self, 0)


class _NoLength(ShapeError, TypeError):
    """What Python expects for `len` and `iter`: a TypeError."""


def _operand(function: Callable[..., Any], self: NPUTensor, other: Any) -> Any:
    """What is neither a tensor nor a Python number, as an operand."""
    try:
        return protocols.operand(other, self)
    except AscendTensorError as error:
        raise error.with_context(function.__name__, (self,)) from None


def _foreign(function: Callable[..., Any], self: N, other: Any) -> N:
    """`function(self, other)` for anything that may be an operand."""
    value = other if isinstance(other, _OPERANDS) else _operand(function, self, other)
    result: N = value if value is NotImplemented else function(self, value)
    return result


def _reflected(function: Callable[..., Any], self: N, other: Any) -> N:
    value = other if isinstance(other, _OPERANDS) else _operand(function, self, other)
    result: N = value if value is NotImplemented else function(value, self)
    return result


def _in_place(function: Callable[..., Any], self: N, other: Any) -> N:
    value = other if isinstance(other, _OPERANDS) else _operand(function, self, other)
    result: N = value if value is NotImplemented else function(self, value, out=self)
    return result


def _targets(args: tuple[Any, ...], device: Any, dtype: Any, non_blocking: bool, copy: bool) -> tuple[Any, Any, bool, bool]:
    """What the positional arguments of `to` mean: (dtype or device or tensor) [dtype] [non_blocking] [copy]."""
    rest = list(args)
    if rest and isinstance(rest[0], TensorBase):
        other = rest.pop(0)
        device, dtype = other.desc.device, other.desc.dtype
    else:
        if rest and not isinstance(rest[0], bool) and (rest[0] is None or _names_device(rest[0])):
            device = rest.pop(0)
        if rest and not isinstance(rest[0], bool):
            dtype = rest.pop(0)
    nothing = len(rest) == len(args) > 0
    if nothing or len(rest) > 2 or not all(isinstance(flag, bool) for flag in rest):
        advice = "Give a dtype, a device, a device, then a dtype, or a tensor; then non_blocking and copy, which are truth values."
        raise DTypeError(f"the arguments ({', '.join(map(_as_written, args))}) do not fit", where="to", advice=advice)
    if rest:
        non_blocking = rest.pop(0)
    if rest:
        copy = rest.pop(0)
    return device, dtype, non_blocking, copy


def _as_written(argument: Any) -> str:
    return argument.name if isinstance(argument, DType) else repr(argument)


def _names_device(value: Any) -> bool:
    if isinstance(value, str):
        return value.partition(":")[0] in _DEVICE_TYPES
    return isinstance(value, (Device, int))


_DEVICE_TYPES: Final = frozenset({"npu", "cpu", "cuda", "gpu", "meta", "mps", "xpu"})
"""Words that mean a device, of which most are refused; other words are dtypes."""


def _restored(tensor: N, state: Any) -> N:
    """With what `__getstate__` gave, as the module copy sets it."""
    if state is None:
        return tensor
    own = getattr(tensor, "__setstate__", None)
    if own is not None:
        own(state)
    else:
        named, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
        for values in filter(None, (named, slots)):
            for name, value in values.items():
                setattr(tensor, name, value)
    return tensor


def _unpickled(array: Array, device: str, cls: type[NPUTensor] = NPUTensor, parameter: bool = False) -> Any:
    """On the device that it came from; on the current one where this machine has no such device."""
    known = int(device.rpartition(":")[2]) < device_count()
    made = base.as_class(creation.tensor(array, device=device if known else None), cls)
    return base.marked(made) if parameter else made


base.set_default_class(NPUTensor)
