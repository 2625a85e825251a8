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
        inputs, output, lengths = _read(equation, tuple([operand.desc.shape for operand in operands]))
    except AscendTensorError as error:
        raise error.with_context("einsum", operands) from None
    terms = [_diagonals(operand, labels) for operand, labels in zip(operands, inputs, strict=True)]
    for places in _order(tuple([its for _, its in terms]), output, tuple(lengths.items()), opt_einsum):
        chosen = [terms[place] for place in places]
        terms = [term for place, term in enumerate(terms) if place not in places]
        result, labels = _reduced(*chosen[0], [*chosen[1:], *terms], output)
        for position, (other, its) in enumerate(chosen[1:], 1):
            later = [*chosen[position + 1 :], *terms]
            other, its = _reduced(other, its, [(result, labels), *later], output)
            result, labels = _joined(result, labels, other, its, later, output, lengths)
        terms.append((result, labels))
    return _ordered(*_reduced(*terms[0], [], output), output)


@lru_cache(maxsize=256)
def _order(inputs: tuple[Labels, ...], output: Labels, lengths: tuple[tuple[str, int], ...], optimizer: Any) -> list[tuple[int, ...]]:
    """Which operands are joined one after another, by their places among those that are left; the result goes behind them.

    NumPy, if it is asked, gets numbers expanded to the shapes; without elements any order will do.
    """
    if len(inputs) < 3:
        return [tuple(range(len(inputs)))] if len(inputs) > 1 else []
    known = dict(lengths)
    if optimizer is not None:
        return [tuple(places) for places in optimizer.paths.auto([frozenset(its) for its in inputs], frozenset(output), known)]
    if len(known) > len(string.ascii_letters) or 0 in known.values():
        return [tuple(range(len(inputs)))]
    letters = dict(zip(known, string.ascii_letters, strict=False))
    left, right = (",".join("".join(letters[label] for label in its) for its in side) for side in (inputs, (output,)))
    numbers = (np.broadcast_to(_ONE, tuple(known[label] for label in its)) for its in inputs)
    found, _ = np.einsum_path(f"{left}->{right}", *numbers, optimize="greedy")
    return [tuple(places) for places in found[1:]]


_ONE: Final = np.ones(())


def _spelled(*parts: Any) -> tuple[str, tuple[Any, ...]]:
    """The equation and the operands of tensors that are each followed by a list of numbers."""
    letters = string.ascii_uppercase + string.ascii_lowercase

    def word(numbers: Any) -> str:
        try:
            return "".join("..." if number is Ellipsis else letters[range(len(letters))[number]] for number in numbers)
        except (IndexError, TypeError):
            kind = "a tensor" if isinstance(numbers, TensorBase) else repr(numbers)
            raise ValueRangeError(
                f"{kind} is no list of numbers from 0 to {len(letters) - 1}",
                where="einsum",
                advice="First the equation, einsum('ij,jk->ik', a, b), or behind each tensor its dims, einsum(a, [0, 1], b, [1, 2]).",
            ) from None

    count = len(parts) // 2 * 2
    equation = ",".join(word(numbers) for numbers in parts[1:count:2])
    return equation + ("->" + word(parts[-1]) if len(parts) % 2 else ""), parts[0:count:2]


@lru_cache(maxsize=256)
def _read(equation: str, shapes_of: tuple[tuple[int, ...], ...]) -> tuple[list[Labels], Labels, dict[str, int]]:
    """The labels of each operand and of the result, and their lengths; a further dim is labelled by its distance from the right."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(shapes_of) or not shapes_of:
        raise ValueRangeError(f"the equation {equation!r} is for {len(parts)} operands, not {len(shapes_of)}")
    inputs = []
    for part, shape in zip(parts, shapes_of, strict=True):
        further = len(shape) - len(part.replace("...", ""))
        if further < 0 or (further and "..." not in part):
            raise ShapeError(f"{part!r} of the equation {equation!r} does not fit a tensor of {len(shape)} dims")
        inputs.append(_labels(part, further, equation))
    lengths = _lengths(inputs, shapes_of, equation)
    most = max((label for labels in inputs for label in labels if label.isdigit()), key=int, default=None)
    count = 0 if most is None else int(most) + 1
    if arrow:
        output = _labels(right, count if "..." in right else 0, equation)
        every = {label for labels in inputs for label in labels}
        if len(set(output)) != len(output) or not set(output) <= every:
            raise ValueRangeError(f"the result of the equation {equation!r} has a label twice, or one that no operand has")
        return inputs, output, lengths
    letters = [label for labels in inputs for label in labels if not label.isdigit()]
    return inputs, (*_labels("...", count, equation), *sorted(label for label in set(letters) if letters.count(label) == 1)), lengths


def _labels(part: str, further: int, equation: str) -> Labels:
    head, dots, tail = part.partition("...")
    for label in head + tail:
        if not (label.isascii() and label.isalpha()):
            raise ValueRangeError(f"the equation {equation!r} holds {label!r}, which is no letter")
    return (*head, *(str(place) for place in reversed(range(further if dots else 0))), *tail)


def _diagonals(operand: T, labels: Labels) -> tuple[T, Labels]:
    """The operand with each label once."""
    if len(set(labels)) == len(labels):
        return operand, labels
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            operand = views.diagonal(operand, 0, first, second)
            labels = (*(each for place, each in enumerate(labels) if place not in (first, second)), label)
    return operand, labels


def _lengths(inputs: Sequence[Labels], shapes_of: Sequence[tuple[int, ...]], equation: str) -> dict[str, int]:
    lengths: dict[str, int] = {}
    for labels, shape in zip(inputs, shapes_of, strict=True):
        own: dict[str, int] = {}
        for label, length in zip(labels, shape, strict=True):
            if own.setdefault(label, length) != length:
                raise ShapeError(f"{label!r} stands for different lengths in shape {list(shape)} ({equation!r})")
        for label, length in own.items():
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
    if stacked:
        product = matmul(_grouped(left, its, (stacked, rows, over), lengths), _grouped(right, others, (stacked, over, columns), lengths))
    else:  # vectors stay what they are
        product = matmul(
            _grouped(left, its, (rows, over) if rows else (over,), lengths),
            _grouped(right, others, (over, columns) if columns else (over,), lengths),
        )
    shape = tuple([lengths[label] for label in labels])
    return product if product.desc.shape == shape else views.reshape(product, shape), labels


def _aligned(operand: T, labels: Labels, wanted: Labels) -> T:
    """The operand with its dims in the wanted order, of length 1 where it has none."""
    if labels == wanted:
        return operand
    ordered = _ordered(operand, labels, tuple([label for label in wanted if label in labels]))
    shape = iter(ordered.desc.shape)
    return views.reshape(ordered, [next(shape) if label in labels else 1 for label in wanted])


def _ordered(operand: T, labels: Labels, wanted: Labels) -> T:
    return operand if labels == wanted else views.permute(operand, *(labels.index(label) for label in wanted))


def _grouped(operand: T, labels: Labels, groups: Sequence[Sequence[str]], lengths: dict[str, int]) -> T:
    """The operand with one dim for each group of labels; lengths of 1 are expanded."""
    order = tuple([label for group in groups for label in group])
    ordered = _ordered(operand, labels, order)
    full = tuple([lengths[label] for label in order])
    if ordered.desc.shape != full:
        ordered = views.expand(ordered, full)
    shape = tuple([prod([lengths[label] for label in group]) for group in groups])
    return ordered if shape == full else views.reshape(ordered, shape)
