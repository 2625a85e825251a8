"""Matrix products and what is made of them.

Roads by dtype, each exact to the dtype's own rounding:

* float32, float16, bfloat16: the cube unit (MatMulV2, BatchMatMulV2), which adds up in float32. A transposed view is multiplied where it
  lies: the operator's transpose attribute undoes the view.
* float32 where `set_float32_matmul_precision` asks for less: products of halves, added up in float32; see `ops.precision`.
* int8, int16, int32, uint8: the AI CPU kernel of BatchMatMul in int32, modulo 2**32; narrower ones wrap as PyTorch's do.
* float64, complex128, and complex64 where it is small: the same kernel. Its prototype does not list them, GE asks the kernel lists only
  (graph_metadef `SymDtype::Eval`, `AicpuOpsKernelInfoStore::CheckSupported`); a compiler that refuses one is not asked again.
* complex64 where it is large: one product of float32, of the parts.
* int64 and wide unsigned integers have no matrix kernel: products and sums (Mul, ReduceSum) in blocks of bounded size.
* bool is refused, as in PyTorch.
"""

# mypy: disable-error-code="no-any-return"
# (`call` gives Any: only the operands know the tensor class.)

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index as as_int
from typing import Any, Final, TypeVar

from ... import base, shapes
from ... import dtypes as d
from ...base import TensorBase
from ...dtypes import dtype as DType
from ...errors import AscendTensorError, CompileError, DTypeError, ShapeError
from .. import chips, views
from .. import shape as moves
from ..arguments import checked
from ..call import binary, call, made, plain
from ..operands import common_dtype, filled, in_dtype, integers
from ..pointwise import comparison, elementwise
from ..pointwise.complex_numbers import conj
from ..precision import DIRECT, parts_of_singles
from ..reduction import sum
from ..table import matrix as table
from ..table.creation import RANGE
from ..writing import copy_into, into, write

T = TypeVar("T", bound=TensorBase)

_CUBE: Final = frozenset(table.CUBE)
_CPU: Final = {*table.CPU_MATMUL.dtypes, *table.CPU_MATMUL.via}
"""Dtypes that the AI CPU multiplies; less those that a compiler refused."""
_BEYOND: Final = (d.float64, d.complex64, d.complex128)
"""Those of them that the prototype does not list."""
_BLOCK: Final = 1 << 22
"""Products that are held at once where there is no matrix kernel."""
_FEW: Final = 1 << 19
"""Up to so many products of complex numbers the AI CPU costs less than to lay out their parts."""


def matmul(input: T, other: T, *, out: T | None = None) -> T:
    """The matrix product; vectors and stacks of matrices as in NumPy, the stacks broadcast.

    Args:
        input: Tensor of at least one dim.
        other: Tensor of the same dtype.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the operands' dtype. A vector counts as a row on the left, as a column on the right, and its dim is dropped.

    Raises:
        ShapeError: Lengths or stacks do not fit; the text names both shapes.
        DTypeError: The dtypes differ, or are bool; the text names both.

    Ascend operator: MatMulV2, BatchMatMulV2; others for other dtypes, see the module. Like: torch.matmul, numpy.matmul.

    Examples:
        >>> at.matmul(at.tensor([[1.0, 2.0], [3.0, 4.0]]), at.tensor([1.0, 1.0]))
        tensor([3., 7.], device='npu:0')
        >>> at.matmul(at.ones(5, 2, 3), at.ones(3, 4)).shape
        (5, 2, 4)
    """
    try:
        left, right = input.desc, other.desc
    except AttributeError:
        raise _not_tensors("matmul", input, other) from None
    if out is None and left.plain and right.plain and 1 < len(left.shape) == len(right.shape) and left.dtype in DIRECT:
        return binary(table.MATMUL if len(left.shape) == 2 else table.BATCH_MATMUL, input, other)
    return _matmul(input, other, out, "matmul")


def _not_tensors(function: str, *operands: Any) -> DTypeError:
    names = " and ".join(type(operand).__name__ for operand in operands)
    advice = "Arrays and lists become tensors by tensor()" + ("; a number is multiplied with *." if function == "matmul" else ".")
    return DTypeError(f"{'a tensor is' if len(operands) == 1 else 'tensors are'} needed, not {names}", where=function, advice=advice)


def _matmul(input: T, other: T, out: T | None, function: str) -> T:
    left, right = input.desc, other.desc
    dtype = left.dtype
    if dtype is not right.dtype:
        wanted = right.dtype if right.dtype.is_floating_point and not dtype.is_floating_point else dtype
        raise DTypeError(
            f"the operands have to have one dtype, not {dtype.name} and {right.dtype.name}", advice=f"Cast with .to({wanted.name}) first."
        ).with_context(function, (input, other))
    if dtype is d.bool_:
        raise DTypeError("bool matrices can't be multiplied", advice="Cast with .to(float32) first.").with_context(function, (input, other))
    if dtype is d.complex64 and left.numel * (right.shape[-1] if len(right.shape) > 1 else 1) > _FEW:
        return into(_by_pairs(input, other, function), out)
    if dtype not in _CUBE:
        return _on_cpu(input, other, out, function)
    if dtype is d.float32 and dtype not in DIRECT and (lower := parts_of_singles()) is not None:
        return into(_by_halves(input, other, *lower), out)
    input, turn_input = _untransposed(input)
    other, turn_other = _untransposed(other)
    tall = len(right.shape) < 3 and not (turn_input and len(left.shape) > 2)
    row = table.MATMUL if tall else table.BATCH_MATMUL
    operands, arguments = (input, other), (turn_input, turn_other)
    return call(row, operands, arguments) if out is None else write(row, out, operands, arguments)


def _on_cpu(input: T, other: T, out: T | None, function: str) -> T:
    """The AI CPU's product where it has a kernel, which takes equal stacks and conjugates the complex numbers that it turns."""
    dtype = input.desc.dtype
    if dtype not in _CPU or chips.lacks(table.CPU_MATMUL, table.CPU_MATMUL.via.get(dtype, dtype)):
        return into(_by_products(input, other, function), out)
    try:
        shape = shapes.matmul_shape(input.desc.shape, other.desc.shape)
    except AscendTensorError as error:
        raise error.with_context(function, (input, other)) from None
    left, right = _with_equal_stacks(input, other)
    turn_left = turn_right = False
    if not dtype.is_complex:
        if len(left.desc.shape) == 2 or len(right.desc.shape) > 2:  # the rows of a stack times one matrix lie one below another
            left, turn_left = _untransposed(left)
        right, turn_right = _untransposed(right)
    operands, arguments = (left, right), (turn_left, turn_right)
    try:
        if out is not None and len(input.desc.shape) == len(left.desc.shape):
            return write(table.CPU_MATMUL, out, operands, arguments)
        product = call(table.CPU_MATMUL, operands, arguments)
    except CompileError:
        if dtype not in _BEYOND:
            raise
        _CPU.discard(dtype)
        return into(_by_products(input, other, function), out)
    return into(product if product.desc.shape == shape else views.reshape(product, shape), out)


def _with_equal_stacks(left: T, right: T) -> tuple[T, T]:
    """The operands with their stacks broadcast, unless one matrix is on the right."""
    rows, columns = left.desc.shape, right.desc.shape
    if len(columns) < 3 or rows[:-2] == columns[:-2]:
        return left, right
    if len(rows) >= len(columns) and prod(columns[:-2]) == 1:
        return left, views.reshape(right, columns[-2:])
    stack = shapes.broadcast_shapes(rows[:-2], columns[:-2])
    tall = left if len(rows) > 1 else views.unsqueeze(left, 0)
    return views.expand(tall, (*stack, *tall.desc.shape[-2:])), views.expand(right, (*stack, *columns[-2:]))


def _by_halves(input: T, other: T, dtype: DType, count: int) -> T:
    """The product of float32 operands as products of their parts in a half type, which the cube adds up in float32."""
    left, right = comparison.cast(input, dtype), comparison.cast(other, dtype)
    product = _in_singles(left, right)
    if count == 1:
        return product
    # What rounding left, scaled out of float16's subnormal numbers. The product of both rests is below float32's own rounding.
    rests = []
    for whole, part in ((input, left), (other, right)):
        rest = elementwise.sub(whole, comparison.cast(part, d.float32))
        rests.append(comparison.cast(elementwise.mul(rest, _REST), dtype))
    small = elementwise.add(_in_singles(left, rests[1]), _in_singles(rests[0], right))
    return elementwise.add(product, elementwise.mul(small, 1 / _REST))


_REST: Final = 2048.0
"""float16 keeps 11 bits; the next ones are as much smaller."""


def _in_singles(left: T, right: T) -> T:
    row = table.HALVES_MATMUL if len(right.desc.shape) < 3 else table.HALVES_BATCH_MATMUL
    return call(row, (left, right), (False, False))


def _untransposed(operand: T) -> tuple[T, bool]:
    """The operand, or the plain (stack of) matrices that it shows transposed."""
    desc = operand.desc
    if not isinstance(desc, base.StridedDesc) or len(desc.shape) < 2 or base.settle(operand):
        return operand, False
    *stack, rows, columns = desc.shape
    *steps, row_step, column_step = desc.strides
    turned = base.view(operand, (*stack, columns, rows), (*steps, column_step, row_step), desc.offset)
    return (turned, True) if base.settle(turned) else (operand, False)


def _by_pairs(input: T, other: T, function: str) -> T:
    """The product of complex64 operands as one of float32. What is smaller is laid out twice: the right operand, or the result."""
    try:
        shape = shapes.matmul_shape(input.desc.shape, other.desc.shape)
    except AscendTensorError as error:
        raise error.with_context(function, (input, other)) from None
    left = views.view_as_real(plain(input if len(input.desc.shape) > 1 else views.unsqueeze(input, 0)))
    right = views.view_as_real(plain(other if len(other.desc.shape) > 1 else views.unsqueeze(other, 1)))
    *stack, rows, inner, _ = left.desc.shape
    *stacks, _, columns, _ = right.desc.shape
    if prod(shape) >= other.desc.numel:
        pairs = moves.stack((right, _times_i(right)), -3)
        tall = views.reshape(left, (*stack, rows, 2 * inner))
        product = _matmul(tall, views.reshape(pairs, (*stacks, 2 * inner, 2 * columns)), None, function)
        return views.view_as_complex(views.reshape(product, (*shape, 2)))
    tall = views.reshape(views.movedim(left, -1, -3), (*stack, 2 * rows, inner))
    product = _matmul(tall, views.reshape(right, (*stacks, inner, 2 * columns)), None, function)
    both = views.reshape(product, (*product.desc.shape[:-2], 2, rows, columns, 2))
    found = elementwise.add(views.select(both, -4, 0), _times_i(views.select(both, -4, 1)))
    return views.view_as_complex(views.reshape(found, (*shape, 2)))


def _times_i(parts: T) -> T:
    """Numbers times i, as their parts: the product with i itself would be NaN for infinities."""
    return elementwise.mul(moves.flip(parts, -1), made(RANGE, (-1, 2, 2), (2, d.float32), parts))


def _by_products(input: T, other: T, function: str) -> T:
    """Products and their sums, for dtypes without a matrix kernel: rows of the left one at a time, as many as fit in a block."""
    try:
        shape = shapes.matmul_shape(input.desc.shape, other.desc.shape)
    except AscendTensorError as error:
        raise error.with_context(function, (input, other)) from None
    left = input if len(input.desc.shape) > 1 else views.unsqueeze(input, 0)
    right = other if len(other.desc.shape) > 1 else views.unsqueeze(other, 1)
    columns = plain(views.unsqueeze(views.transpose(right, -2, -1), -3))  # (..., 1, n, k): sums run along memory
    rows, batch = left.desc.shape[-2], prod(shapes.broadcast_shapes(left.desc.shape[:-2], right.desc.shape[:-2]))
    step = max(_BLOCK // max(batch * columns.desc.shape[-2] * columns.desc.shape[-1], 1), 1)
    if step >= rows:
        return views.reshape(_sums(left, columns, input), shape)
    whole = (*shapes.matmul_shape(left.desc.shape, right.desc.shape),)
    result = filled(input, whole, 0)
    for start in range(0, rows, step):
        count = min(step, rows - start)
        copy_into(views.narrow(result, -2, start, count), _sums(views.narrow(left, -2, start, count), columns, input))
    return views.reshape(result, shape)


def _sums(rows: T, columns: T, like: TensorBase) -> T:
    total = sum(elementwise.mul(views.unsqueeze(rows, -2), columns), -1)
    return in_dtype(total, like.desc.dtype)


# Products of given ranks


def _ranks(function: str, operands: Sequence[TensorBase], ranks: Sequence[int]) -> None:
    for operand, rank in zip(operands, ranks, strict=True):
        if not isinstance(operand, TensorBase):
            raise _not_tensors(function, *operands)
        if len(operand.desc.shape) != rank:
            names = " and ".join(str(list(each.desc.shape)) for each in operands)
            wanted = " and ".join(f"{each}-d" for each in ranks)
            raise ShapeError(f"{wanted} tensors are needed, not shapes {names}").with_context(function, operands)


@checked
def mm(input: T, mat2: T, *, out: T | None = None) -> T:
    """The product of two matrices.

    Args:
        input: (n, m) tensor.
        mat2: (m, p) tensor of the same dtype.
        out: (n, p) tensor to write into.

    Raises:
        ShapeError: They are not two matrices that fit.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2. Like: torch.mm.

    Examples:
        >>> at.mm(at.tensor([[1.0, 2.0]]), at.tensor([[3.0], [4.0]]))
        tensor([[11.]], device='npu:0')
    """
    _ranks("mm", (input, mat2), (2, 2))
    return matmul(input, mat2, out=out)


@checked
def bmm(input: T, mat2: T, *, out: T | None = None) -> T:
    """The products of two stacks of matrices, (b, n, m) and (b, m, p), without broadcasting.

    Raises:
        ShapeError: They are not two stacks of equal length that fit.
        DTypeError: The dtypes differ.

    Ascend operator: BatchMatMulV2. Like: torch.bmm.

    Examples:
        >>> at.bmm(at.ones(2, 1, 3), at.ones(2, 3, 1)).flatten()
        tensor([3., 3.], device='npu:0')
    """
    _stacks("bmm", input, mat2)
    return matmul(input, mat2, out=out)


def _stacks(function: str, input: TensorBase, mat2: TensorBase) -> None:
    _ranks(function, (input, mat2), (3, 3))
    if input.desc.shape[0] != mat2.desc.shape[0]:
        names = f"{list(input.desc.shape)} and {list(mat2.desc.shape)}"
        raise ShapeError(f"shapes {names} have stacks of different length").with_context(function, (input, mat2))


@checked
def mv(input: T, vec: T, *, out: T | None = None) -> T:
    """The product of a matrix and a vector, (n, m) and (m).

    Raises:
        ShapeError: They are not a matrix and a vector that fit.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2. Like: torch.mv.

    Examples:
        >>> at.mv(at.tensor([[1.0, 2.0], [3.0, 4.0]]), at.tensor([1.0, 1.0]))
        tensor([3., 7.], device='npu:0')
    """
    _ranks("mv", (input, vec), (2, 1))
    return matmul(input, vec, out=out)


@checked
def dot(input: T, tensor: T, *, out: T | None = None) -> T:
    """The sum of the products of two vectors, a 0-d tensor.

    Raises:
        ShapeError: They are not two vectors of one length.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2. Like: torch.dot, numpy.dot of vectors.

    Examples:
        >>> at.dot(at.tensor([1.0, 2.0]), at.tensor([3.0, 4.0]))
        tensor(11., device='npu:0')
    """
    _ranks("dot", (input, tensor), (1, 1))
    return matmul(input, tensor, out=out)


@checked
def vdot(input: T, other: T, *, out: T | None = None) -> T:
    """`dot`, with the numbers of the first vector conjugated.

    Raises:
        ShapeError: They are not two vectors of one length.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2; Conj of complex numbers. Like: torch.vdot, numpy.vdot of vectors.

    Examples:
        >>> at.vdot(at.tensor([1j]), at.tensor([1j]))
        tensor(1.+0.j, device='npu:0')
    """
    _ranks("vdot", (input, other), (1, 1))
    return matmul(conj(input), other, out=out)


@checked
def inner(input: T, other: T, *, out: T | None = None) -> T:
    """The sum of products over the last dims: shapes (..., k) and (***, k) give (..., ***). With a 0-d operand, the product.

    Raises:
        ShapeError: The last lengths differ.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2. Like: torch.inner, numpy.inner.

    Examples:
        >>> at.inner(at.tensor([[1.0, 2.0], [3.0, 4.0]]), at.tensor([1.0, 1.0]))
        tensor([3., 7.], device='npu:0')
    """
    left, right = input.desc.shape, other.desc.shape
    if not left or not right:
        return elementwise.mul(input, other, out=out)
    if left[-1] != right[-1]:
        raise ShapeError(f"shapes {list(left)} and {list(right)} differ in their last length").with_context("inner", (input, other))
    columns = views.t(views.reshape(other, (-1, right[-1]) if other.desc.numel else (prod(right[:-1]), right[-1])))
    return into(views.reshape(matmul(input, columns), (*left[:-1], *right[:-1])), out)


@checked
def outer(input: T, vec2: T, *, out: T | None = None) -> T:
    """Every product of an element of one vector with one of the other, (n, m).

    Raises:
        ShapeError: They are not two vectors.

    Ascend operator: Mul. Like: torch.outer, numpy.outer.

    Examples:
        >>> at.outer(at.tensor([1.0, 2.0]), at.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]], device='npu:0')
    """
    _ranks("outer", (input, vec2), (1, 1))
    return elementwise.mul(views.unsqueeze(input, 1), vec2, out=out)


@checked
def ger(input: T, vec2: T, *, out: T | None = None) -> T:
    """See `outer`. Ascend operator: Mul. Like: torch.ger.

    Examples:
        >>> at.ger(at.tensor([1.0, 2.0]), at.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]], device='npu:0')
    """
    return outer(input, vec2, out=out)


@checked
def vecdot(x: T, y: T, *, dim: int = -1, out: T | None = None) -> T:
    """The sums of the products along one dim of tensors that broadcast; the numbers of the first are conjugated.

    Args:
        x: Tensor of any dtype but bool.
        y: Tensor of the same dtype, which broadcasts with it.
        dim: The dim that is added up.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the broadcast shape without `dim`, of the operands' dtype.

    Raises:
        ShapeError: The shapes don't broadcast.
        IndexRangeError: There is no such dim.
        DTypeError: The dtypes differ, or are bool.

    Ascend operator: Mul and ReduceSum, Conj. Like: torch.linalg.vecdot, numpy.vecdot.

    Examples:
        >>> at.linalg.vecdot(at.tensor([[1.0, 2.0], [3.0, 4.0]]), at.tensor([[1.0, 1.0], [1.0, 1.0]]))
        tensor([3., 7.], device='npu:0')
    """
    dtype = x.desc.dtype
    if dtype is not y.desc.dtype or dtype is d.bool_:
        names = f"{dtype.name} and {y.desc.dtype.name}"
        raise DTypeError(f"the operands have to have one dtype of numbers, not {names}").with_context("vecdot", (x, y))
    if dtype in table.HALVES:
        total = sum(elementwise.mul(comparison.cast(x, d.float32), comparison.cast(y, d.float32)), dim)
    else:
        total = sum(elementwise.mul(conj(x), y), dim)
    return into(in_dtype(total, dtype), out)


# Products and sums in one


def _to_add(left: T, right: T, beta: Any, alpha: Any) -> T:
    """A product that is scaled or added to: of halves in float32, so that the result is rounded once."""
    dtype = left.desc.dtype
    if dtype not in table.HALVES or right.desc.dtype is not dtype or (beta == 0 and alpha == 1):
        return matmul(left, right)
    row = table.HALVES_MATMUL if len(left.desc.shape) < 3 else table.HALVES_BATCH_MATMUL
    left, turn_left = _untransposed(left)
    right, turn_right = _untransposed(right)
    return call(row, (left, right), (turn_left, turn_right))


def _added(input: T, product: T, beta: Any, alpha: Any, out: T | None, function: str, dtype: DType | None = None) -> T:
    """`beta * input + alpha * product` in a dtype; a `beta` of 0 keeps what is in `input` (NaN also) out."""
    shape, dtype = product.desc.shape, product.desc.dtype if dtype is None else dtype
    if input.desc.dtype is not dtype:
        names = f"{input.desc.dtype.name} can't be added to a product of {dtype.name}"
        raise DTypeError(names, advice=f"Cast with .to({dtype.name}) first.").with_context(function, (input,))
    kinds = () if dtype.is_complex else (complex,) if dtype.category >= d.FLOATING else (float, complex)
    if isinstance(beta, kinds) or isinstance(alpha, kinds):
        words = "real" if dtype.category >= d.FLOATING else "integers"
        raise DTypeError(f"beta and alpha of {dtype.name} products must be {words}").with_context(function, (input,))
    if shapes.broadcast_shapes(input.desc.shape, shape) != shape:
        names = f"input of shape {list(input.desc.shape)} can't be added to a product of shape {list(shape)}"
        raise ShapeError(names).with_context(function, (input,))
    if alpha != 1:
        product = elementwise.mul(product, alpha)
    if beta != 0 and beta != 1:
        input = elementwise.mul(in_dtype(input, product.desc.dtype), beta)
    if dtype is product.desc.dtype:
        return into(product, out) if beta == 0 else elementwise.add(product, input, out=out)
    return into(in_dtype(product if beta == 0 else elementwise.add(product, input), dtype), out)


@checked
def addmm(input: T, mat1: T, mat2: T, *, beta: Any = 1, alpha: Any = 1, out: T | None = None) -> T:
    """`beta * input + alpha * (mat1 @ mat2)`.

    Args:
        input: Tensor that broadcasts to (n, p).
        mat1, mat2: (n, m) and (m, p) tensors.
        beta, alpha: Numbers. With a `beta` of 0 `input` is not looked at.
        out: (n, p) tensor to write into.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2, Mul and Add; of float16 and bfloat16 with a float32 product, and a Cast of the sum. Like: torch.addmm.

    Examples:
        >>> at.addmm(at.tensor([1.0, 2.0]), at.ones(2, 3), at.ones(3, 2), beta=10)
        tensor([[13., 23.],
                [13., 23.]], device='npu:0')
    """
    _ranks("addmm", (mat1, mat2), (2, 2))
    return _added(input, _to_add(mat1, mat2, beta, alpha), beta, alpha, out, "addmm", mat1.desc.dtype)


@checked
def addmv(input: T, mat: T, vec: T, *, beta: Any = 1, alpha: Any = 1, out: T | None = None) -> T:
    """`beta * input + alpha * (mat @ vec)`. Arguments as for `addmm`. Like: torch.addmv.

    Examples:
        >>> at.addmv(at.tensor([1.0, 2.0]), at.ones(2, 3), at.ones(3))
        tensor([4., 5.], device='npu:0')
    """
    _ranks("addmv", (mat, vec), (2, 1))
    return _added(input, _to_add(mat, vec, beta, alpha), beta, alpha, out, "addmv", mat.desc.dtype)


@checked
def addr(input: T, vec1: T, vec2: T, *, beta: Any = 1, alpha: Any = 1, out: T | None = None) -> T:
    """`beta * input + alpha * outer(vec1, vec2)`, in the promoted dtype. Arguments as for `addmm`. Like: torch.addr.

    Examples:
        >>> at.addr(at.zeros(2, 2), at.tensor([1.0, 2.0]), at.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]], device='npu:0')
    """
    dtype = common_dtype(input, vec1, vec2)
    input, vec1, vec2 = (in_dtype(each, dtype) for each in (input, vec1, vec2))
    return _added(input, outer(vec1, vec2), beta, alpha, out, "addr")


@checked
def baddbmm(input: T, batch1: T, batch2: T, *, beta: Any = 1, alpha: Any = 1, out: T | None = None) -> T:
    """`beta * input + alpha * bmm(batch1, batch2)`. Arguments as for `addmm`. Like: torch.baddbmm.

    Examples:
        >>> at.baddbmm(at.ones(1, 1, 1), at.ones(2, 1, 3), at.ones(2, 3, 1)).flatten()
        tensor([4., 4.], device='npu:0')
    """
    _stacks("baddbmm", batch1, batch2)
    return _added(input, _to_add(batch1, batch2, beta, alpha), beta, alpha, out, "baddbmm", batch1.desc.dtype)


@checked
def addbmm(input: T, batch1: T, batch2: T, *, beta: Any = 1, alpha: Any = 1, out: T | None = None) -> T:
    """`beta * input + alpha * bmm(batch1, batch2).sum(0)`: all products of the stack added up.

    Args:
        input: Tensor that broadcasts to (n, p).
        batch1, batch2: (b, n, m) and (b, m, p) tensors.
        beta, alpha: As for `addmm`.
        out: (n, p) tensor to write into.

    Ascend operator: MatMulV2: the sum over the stack is part of one product. Like: torch.addbmm.

    Examples:
        >>> at.addbmm(at.zeros(1, 1), at.ones(2, 1, 3), at.ones(2, 3, 1))
        tensor([[6.]], device='npu:0')
    """
    _ranks("addbmm", (batch1, batch2), (3, 3))
    (count, rows, inner), (other, length, columns) = batch1.desc.shape, batch2.desc.shape
    if (count, inner) != (other, length):
        names = f"{list(batch1.desc.shape)} and {list(batch2.desc.shape)}"
        raise ShapeError(f"stacks of shapes {names} do not fit").with_context("addbmm", (input, batch1, batch2))
    tall = views.reshape(views.permute(batch1, 1, 0, 2), (rows, count * inner))
    product = _to_add(tall, views.reshape(batch2, (count * inner, columns)), beta, alpha)
    return _added(input, product, beta, alpha, out, "addbmm", batch1.desc.dtype)


_LINEAR: Final = "weight is [out, in] and bias [out]; give weight.T where it is [in, out]."


@checked
def linear(input: T, weight: T, bias: T | None = None) -> T:
    """`input @ weight.T + bias`.

    Args:
        input: (..., in) tensor.
        weight: (out, in) tensor, or a vector (in).
        bias: (out) tensor, or None.

    Returns:
        (..., out) tensor, or (...) for a vector.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The dtypes differ.

    Ascend operator: MatMulV2 with a bias, else MatMulV2 and Add. Like: torch.nn.functional.linear.

    Examples:
        >>> at.nn.functional.linear(at.tensor([[1.0, 2.0]]), at.tensor([[3.0, 4.0]]), at.tensor([0.5]))
        tensor([[11.5000]], device='npu:0')
    """
    try:
        if len(weight.desc.shape) == 2 and weight.desc.plain and input.desc.plain and input.desc.dtype in DIRECT:
            fused = bias is not None and bias.desc.dtype is input.desc.dtype and bias.desc.shape == weight.desc.shape[:1]
            if fused and input.desc.numel and weight.desc.numel:
                row = table.LINEAR_BFLOAT16 if input.desc.dtype is d.bfloat16 else table.LINEAR
                return call(row, (input, weight, bias), (False, True))
            result: T = call(table.MATMUL, (input, weight), (False, True))
        else:
            result = matmul(input, views.t(weight))
        if bias is None:
            return result
        found = elementwise.add(result, bias)
        if found.desc.shape != result.desc.shape:
            raise ShapeError(f"a bias of shape {list(bias.desc.shape)} does not fit a result of shape {list(result.desc.shape)}")
        return found
    except ShapeError as error:
        error.advice = _LINEAR
        raise


# Sums of products over chosen dims


@checked
def tensordot(a: T, b: T, dims: Any = 2, out: T | None = None) -> T:
    """The sums of products over several dims of both.

    Args:
        a, b: Tensors of one dtype.
        dims: A number n (the last n dims of `a` with the first n of `b`), or two lists of dims.
        out: Tensor of the result's shape to write into.

    Returns:
        Tensor of the dims that are left, those of `a` first.

    Raises:
        ShapeError: The lengths differ and neither is 1, or the lists do.
        IndexRangeError: There is no such dim.

    Ascend operator: MatMulV2. Like: torch.tensordot, numpy.tensordot.

    Examples:
        >>> at.tensordot(at.tensor([[1.0, 2.0], [3.0, 4.0]]), at.tensor([[1.0, 0.0], [0.0, 1.0]]), dims=2)
        tensor(5., device='npu:0')
    """
    left, right = a.desc.shape, b.desc.shape
    if not shapes.several(dims):
        dims = as_int(dims)
        if not 0 <= dims <= min(len(left), len(right)):
            names = f"{list(left)} and {list(right)}"
            raise ShapeError(f"tensors of shapes {names} have no {dims} dims to add up over").with_context("tensordot", (a, b))
        over_a, over_b = list(range(len(left) - dims, len(left))), list(range(dims))
    else:
        over_a, over_b = (list(integers(each)) for each in dims)
    over_a = [shapes.normalize_dim(dim, len(left)) for dim in over_a]
    over_b = [shapes.normalize_dim(dim, len(right)) for dim in over_b]
    a, b = _added_up(a, over_a, b, over_b)
    left, right = a.desc.shape, b.desc.shape
    lengths = [left[dim] for dim in over_a]
    if lengths != [right[dim] for dim in over_b]:
        what = f"shapes {list(left)} and {list(right)} do not fit over dims {over_a} and {over_b}"
        raise ShapeError(what).with_context("tensordot", (a, b))
    kept_a = [dim for dim in range(len(left)) if dim not in over_a]
    kept_b = [dim for dim in range(len(right)) if dim not in over_b]
    rows, columns = [left[dim] for dim in kept_a], [right[dim] for dim in kept_b]
    tall = _arranged(a, [*kept_a, *over_a], (prod(rows), prod(lengths)))
    wide = _arranged(b, [*over_b, *kept_b], (prod(lengths), prod(columns)))
    return into(_arranged(matmul(tall, wide), [0, 1], (*rows, *columns)), out)


def _arranged(operand: T, order: list[int], shape: tuple[int, ...]) -> T:
    """The operand with its dims in an order, in a shape; views that change nothing are left out."""
    if order != list(range(len(order))):
        operand = views.permute(operand, *order)
    return operand if operand.desc.shape == shape else views.reshape(operand, shape)


def _added_up(a: T, over_a: list[int], b: T, over_b: list[int]) -> tuple[T, T]:
    """Operands of `tensordot`: a dim that meets one of length 1 is added up first, since that one is the same for all of it."""
    for dim_a, dim_b in zip(over_a, over_b, strict=False):
        one, other = a.desc.shape[dim_a], b.desc.shape[dim_b]
        if one == 1 and other != 1:
            b = sum(b, dim_b, True, dtype=b.desc.dtype)
        elif other == 1 and one != 1:
            a = sum(a, dim_a, True, dtype=a.desc.dtype)
    return a, b


@checked
def trace(input: T) -> T:
    """The sum of a matrix's diagonal, a 0-d tensor; int64 for bool and integers.

    Raises:
        ShapeError: It is not a matrix.

    Ascend operator: AsStrided and ReduceSum. Like: torch.trace, numpy.trace.
    """
    _ranks("trace", (input,), (2,))
    return sum(views.diagonal(input))


@checked
def kron(input: T, other: T, *, out: T | None = None) -> T:
    """Every element of `input` times the whole of `other`, in its place; the shorter shape is filled up with ones in front.

    Ascend operator: Mul. Like: torch.kron, numpy.kron.

    Examples:
        >>> at.kron(at.tensor([1, 10]), at.tensor([1, 2]))
        tensor([ 1,  2, 10, 20], device='npu:0')
    """
    rank = max(len(input.desc.shape), len(other.desc.shape))
    left = (*(1,) * (rank - len(input.desc.shape)), *input.desc.shape)
    right = (*(1,) * (rank - len(other.desc.shape)), *other.desc.shape)
    spread = views.reshape(input, tuple(length for each in left for length in (each, 1)))
    inside = views.reshape(other, tuple(length for each in right for length in (1, each)))
    product = elementwise.mul(spread, inside)
    return into(views.reshape(product, tuple(a * b for a, b in zip(left, right, strict=True))), out)
