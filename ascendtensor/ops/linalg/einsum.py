"""Sums of products in Einstein's notation, made of views, products and sums.

Each pair of operands is joined by one matrix product over the labels that appear nowhere else. The order of pairs is opt_einsum's, as in
PyTorch, if that package is installed; else the one that `numpy.einsum_path` finds greedily.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final, TypeVar, overload

import numpy as np

try:
    import opt_einsum
except ImportError:
    opt_einsum = None

from ... import shapes
from ...base import TensorBase
from ...errors import AscendTensorError, ShapeError, ValueRangeError
from .. import views
from ..arguments import checked
from ..pointwise import elementwise
from ..reduction import sum
from .matmul import matmul

T = TypeVar("T", bound=TensorBase)

Labels = tuple[str, ...]


@overload
def einsum(equation: str, *operands: T) -> T: ...
@overload
def einsum(equation: Any, *operands: Any) -> Any: ...
@checked
def einsum(equation: Any, *operands: Any) -> Any:
    """The sum of products that an equation such as "bij,bjk->bik" says.

    Args:
        equation: One letter for each dim, comma between operands; letters that are not behind "->" are summed over; a letter twice in one
            operand takes its diagonal; "..." stands for further dims, which broadcast. Without "->" the result has the letters that
            appear once, in alphabetical order, behind the further dims. Or, in place of an equation: each tensor followed by a list
            with a number from 0 to 51 (or ...) for each dim, and a list for the result.
        *operands: Tensors of one dtype, or one list of them.

    Returns:
        Tensor with the dims behind "->".

    Raises:
        ValueRangeError: The equation is not well formed or does not fit the number of operands.
        ShapeError: Ranks or lengths do not fit it.

    Ascend operator: MatMulV2, BatchMatMulV2, Mul and ReduceSum. Like: torch.einsum, numpy.einsum.

    Examples:
        >>> a, b = at.tensor([[1, 2], [3, 4]]), at.tensor([[1, 0], [0, 1]])
        >>> at.einsum("ij,jk->ik", a, b)
        tensor([[1, 2],
                [3, 4]], device='npu:0')
        >>> at.einsum("ii", a)
        tensor(5, device='npu:0')
    """
    if isinstance(equation, TensorBase):
        equation, operands = _spelled(equation, *operands)
    elif len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    try:
        inputs, output = _parsed(equation, operands)
        terms = [_diagonals(operand, labels, equation) for operand, labels in zip(operands, inputs, strict=True)]
        lengths = _lengths(terms, equation)
    except AscendTensorError as error:
        raise error.with_context("einsum", operands) from None
    for places in _order(terms, output, lengths):
        chosen = [terms[place] for place in places]
        terms = [term for place, term in enumerate(terms) if place not in places]
        result, labels = _reduced(*chosen[0], [*chosen[1:], *terms], output)
        for position, (other, its) in enumerate(chosen[1:], 1):
            later = [*chosen[position + 1 :], *terms]
            other, its = _reduced(other, its, [(result, labels), *later], output)
            result, labels = _joined(result, labels, other, its, later, output, lengths)
        terms.append((result, labels))
    result, labels = _reduced(*terms[0], [], output)
    return views.permute(result, *(labels.index(label) for label in output)) if labels != output else result


def _order(terms: Sequence[tuple[Any, Labels]], output: Labels, lengths: dict[str, int]) -> list[tuple[int, ...]]:
    """Which operands are joined one after another, by their places among those that are left; the result goes behind them."""
    if len(terms) > 2 and opt_einsum is not None:
        return [tuple(places) for places in opt_einsum.paths.auto([frozenset(its) for _, its in terms], frozenset(output), lengths)]
    if len(terms) > 2:
        return _greedy(tuple(its for _, its in terms), output, tuple(lengths.items()))
    return [tuple(range(len(terms)))] if len(terms) > 1 else []


@lru_cache(maxsize=256)
def _greedy(inputs: tuple[Labels, ...], output: Labels, lengths: tuple[tuple[str, int], ...]) -> list[tuple[int, ...]]:
    """NumPy's order. Its operands are numbers expanded to the shapes; without elements any order will do."""
    known = dict(lengths)
    if len(known) > len(string.ascii_letters) or 0 in known.values():
        return [tuple(range(len(inputs)))]
    letters = dict(zip(known, string.ascii_letters, strict=False))
    left, right = (",".join("".join(letters[label] for label in its) for its in side) for side in (inputs, (output,)))
    shapes_of = (tuple(known[label] for label in its) for its in inputs)
    found, _ = np.einsum_path(f"{left}->{right}", *(np.broadcast_to(_ONE, shape) for shape in shapes_of), optimize="greedy")
    return [tuple(places) for places in found[1:]]


_ONE: Final = np.ones(())


def _spelled(*parts: Any) -> tuple[str, tuple[Any, ...]]:
    """The equation and the operands of tensors that are each followed by a list of numbers."""
    letters = string.ascii_uppercase + string.ascii_lowercase

    def word(numbers: Any) -> str:
        try:
            return "".join("..." if number is Ellipsis else letters[range(len(letters))[number]] for number in numbers)
        except (IndexError, TypeError):
            raise ValueRangeError(f"{numbers!r} is no list of numbers from 0 to {len(letters) - 1}", where="einsum") from None

    count = len(parts) // 2 * 2
    equation = ",".join(word(numbers) for numbers in parts[1:count:2])
    return equation + ("->" + word(parts[-1]) if len(parts) % 2 else ""), parts[0:count:2]


def _parsed(equation: str, operands: Sequence[TensorBase]) -> tuple[list[Labels], Labels]:
    """The labels of each operand and of the result; a further dim's label is its distance from the right, as a number."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(operands) or not operands:
        raise ValueRangeError(f"the equation {equation!r} is for {len(parts)} operands, not {len(operands)}")
    inputs = []
    for part, operand in zip(parts, operands, strict=True):
        rank = len(operand.desc.shape)
        further = rank - len(part.replace("...", ""))
        if further < 0 or (further and "..." not in part):
            raise ShapeError(f"{part!r} of the equation {equation!r} does not fit a tensor of {rank} dims")
        inputs.append(_labels(part, further, equation))
    most = max((label for labels in inputs for label in labels if label.isdigit()), key=int, default=None)
    count = 0 if most is None else int(most) + 1
    if arrow:
        output = _labels(right, count if "..." in right else 0, equation)
        every = {label for labels in inputs for label in labels}
        if len(set(output)) != len(output) or not set(output) <= every:
            raise ValueRangeError(f"the result of the equation {equation!r} has a label twice, or one that no operand has")
        return inputs, output
    letters = [label for labels in inputs for label in labels if not label.isdigit()]
    return inputs, (*_labels("...", count, equation), *sorted(label for label in set(letters) if letters.count(label) == 1))


def _labels(part: str, further: int, equation: str) -> Labels:
    head, dots, tail = part.partition("...")
    for label in head + tail:
        if not (label.isascii() and label.isalpha()):
            raise ValueRangeError(f"the equation {equation!r} holds {label!r}, which is no letter")
    return (*head, *(str(place) for place in reversed(range(further if dots else 0))), *tail)


def _diagonals(operand: T, labels: Labels, equation: str) -> tuple[T, Labels]:
    """The operand with each label once."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if operand.desc.shape[first] != operand.desc.shape[second]:
                raise ShapeError(f"{label!r} stands for different lengths in shape {list(operand.desc.shape)} ({equation!r})")
            operand = views.diagonal(operand, 0, first, second)
            labels = (*(each for place, each in enumerate(labels) if place not in (first, second)), label)
    return operand, labels


def _lengths(terms: Sequence[tuple[TensorBase, Labels]], equation: str) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for operand, labels in terms:
        for label, length in zip(labels, operand.desc.shape, strict=True):
            known = lengths.setdefault(label, length)
            if known == 1:
                lengths[label] = length
            elif length not in (1, known):
                what = "a further dim" if label.isdigit() else repr(label)
                raise ShapeError(f"{what} of the equation {equation!r} stands for lengths {known} and {length}")
    return lengths


def _needed(terms: Sequence[tuple[TensorBase, Labels]], output: Labels) -> set[str]:
    return {*output, *(label for _, labels in terms for label in labels)}


def _reduced(operand: T, labels: Labels, others: Sequence[tuple[TensorBase, Labels]], output: Labels) -> tuple[T, Labels]:
    """The operand summed over the labels that nobody else needs."""
    needed = _needed(others, output)
    idle = tuple(place for place, label in enumerate(labels) if label not in needed)
    if not idle:
        return operand, labels
    total = sum(operand, idle, dtype=operand.desc.dtype)
    return total, tuple(label for label in labels if label in needed)


def _joined(
    left: T, its: Labels, right: T, others: Labels, later: Sequence[tuple[TensorBase, Labels]], output: Labels, lengths: dict[str, int]
) -> tuple[T, Labels]:
    """Two operands made one: their product, summed over the shared labels that nobody else needs, in the result's order if that is free."""
    needed = _needed(later, output)
    shared = [label for label in its if label in others]
    over = [label for label in shared if label not in needed]
    stacked = [label for label in shared if label in needed]
    rows = [label for label in its if label not in others]
    columns = [label for label in others if label not in its]
    if not over:
        labels = (*its, *columns) if later else output
        return elementwise.mul(_aligned(left, its, labels), _aligned(right, others, labels)), labels
    if rows and columns and columns[0] in output and rows[0] in output and output.index(columns[0]) < output.index(rows[0]):
        left, its, rows, right, others, columns = right, others, columns, left, its, rows
    labels = (*stacked, *rows, *columns)
    stack, inner = [lengths[label] for label in stacked], [lengths[label] for label in over]
    a = _grouped(left, its, (stacked, rows, over), lengths)
    b = _grouped(right, others, (stacked, over, columns), lengths)
    if prod(stack) == 1:
        a, b = views.reshape(a, a.desc.shape[1:]), views.reshape(b, b.desc.shape[1:])
    product = matmul(a, b)
    assert prod(inner) == a.desc.shape[-1]
    return views.reshape(product, [lengths[label] for label in labels]), labels


def _aligned(operand: T, labels: Labels, wanted: Labels) -> T:
    """The operand with its dims in the wanted order, of length 1 where it has none."""
    found = [label for label in wanted if label in labels]
    ordered = views.permute(operand, *(labels.index(label) for label in found))
    shape = iter(ordered.desc.shape)
    return views.reshape(ordered, [next(shape) if label in labels else 1 for label in wanted])


def _grouped(operand: T, labels: Labels, groups: Sequence[Sequence[str]], lengths: dict[str, int]) -> T:
    """The operand as three dims, one for each group of labels; lengths of 1 are expanded."""
    order = [label for group in groups for label in group]
    ordered = views.permute(operand, *(labels.index(label) for label in order))
    full = tuple(lengths[label] for label in order)
    if ordered.desc.shape != full:
        ordered = views.expand(ordered, full)
    return views.reshape(ordered, [shapes.numel([lengths[label] for label in group]) for group in groups])
