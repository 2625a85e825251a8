"""Sequences of different lengths in one tensor: padded to one length, or packed, step by step without the padding.

Which rows go where is worked out on the host, where lengths are; the device gathers them at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import TensorBase
from ..errors import DTypeError, ShapeError, ValueRangeError
from ..interop.host import HostArray
from ..interop.numpy import host
from ..ops import shape, views
from ..ops.arguments import checked
from ..ops.gather import index_select
from ..ops.host import Array, upload

if TYPE_CHECKING:
    from ..tensor import NPUTensor


class _Packed(NamedTuple):
    data: NPUTensor
    batch_sizes: HostArray
    sorted_indices: NPUTensor | None
    unsorted_indices: NPUTensor | None


class PackedSequence(_Packed):
    """Sequences of different lengths, step by step: the first step of all, the second of those that have one, and so on.

    `pack_padded_sequence` and `pack_sequence` make it, recurrent modules take and give it.

    Attributes:
        data: (steps of all sequences, ...) tensor.
        batch_sizes: How many sequences have each step: int64 numbers on the host.
        sorted_indices: Which of the sequences is the longest, the next one, and so on; None where they came in that order.
        unsorted_indices: The inverse.

    Like: torch.nn.utils.rnn.PackedSequence.

    Examples:
        >>> packed = at.nn.utils.rnn.pack_sequence([at.tensor([1.0, 2.0, 3.0]), at.tensor([4.0])])
        >>> packed.data, packed.batch_sizes.tolist()
        (tensor([1., 4., 2., 3.], device='npu:0'), [2, 1, 1])
        >>> packed.to(at.float16).data.dtype, packed.npu().data.device
        (ascendtensor.float16, npu:0)
    """

    __slots__ = ()

    def __new__(
        cls, data: NPUTensor, batch_sizes: Any, sorted_indices: NPUTensor | None = None, unsorted_indices: NPUTensor | None = None
    ) -> PackedSequence:
        if unsorted_indices is None and sorted_indices is not None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, _counts(batch_sizes, "batch_sizes"), sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The same with data of another dtype or on another device. Arguments as for `Tensor.to`."""
        data = self.data.to(*args, **kwargs)
        found = [None if each is None else each.to(data.device) for each in (self.sorted_indices, self.unsorted_indices)]
        return PackedSequence(data, self.batch_sizes, *found)

    def npu(self, device: Any = None) -> PackedSequence:
        """The same on a device, by default the current one."""
        return self.to(device=self.data.npu(device).device)


def _counts(values: Any, name: str, least: int = 1) -> HostArray:
    """Numbers of steps or of sequences on the host; those of a tensor are waited for."""
    found = np.asarray([host(each) for each in values] if isinstance(values, (list, tuple)) else host(values))
    if found.ndim != 1 or not found.size or found.dtype.kind not in "iu":
        raise DTypeError(f"{name} must be a vector of integers, not {values!r:.60}", advice="A list of them does, or an array.")
    if found.min() < least:
        rule, advice = ("positive", "Leave empty sequences out.") if least else ("0 or more", "")
        raise ValueRangeError(f"{name} must be {rule}, the least is {found.min()}", advice=advice)
    return found.astype(np.int64).view(HostArray)


def _there(lengths: Array, time: int) -> Array:
    """(time, batch) truth values: which sequences have which steps."""
    return np.arange(time)[:, None] < lengths[None, :]


def _rows(x: Any, places: Array) -> Any:
    """Rows of a tensor by their places, in the shape of these."""
    chosen = index_select(x, 0, upload(places.reshape(-1), device=x.desc.device))
    return views.reshape(chosen, (*places.shape, *x.desc.shape[1:]))


def _padded(x: Any, places: Array, value: float) -> Any:
    """`_rows`, where the place behind the last row holds a value."""
    return _rows(shape.cat((x, x.new_full((1, *x.desc.shape[1:]), value)), 0), places)


class Steps:
    """Where the steps of a packed sequence stand in its padded form, the longest sequence first."""

    def __init__(self, packed: PackedSequence) -> None:
        sizes = packed.batch_sizes
        if len(packed.data.desc.shape) < 1 or int(sizes.sum()) != packed.data.desc.shape[0] or np.any(np.diff(sizes) > 0):
            text = f"batch_sizes must fall, and their sum be the length of the data, they are {sizes.tolist()!r:.60}"
            raise ShapeError(text).with_context("PackedSequence", (packed.data,))
        self.lengths: Array = (np.arange(sizes[0])[:, None] < sizes[None, :]).sum(1)
        self._there = _there(self.lengths, len(sizes))

    def padded(self, data: Any, value: float = 0.0, order: Any = None) -> Any:
        """(time, batch, ...) tensor of packed data; `order` tells which sequence stands at each place of the batch."""
        places = np.where(self._there, np.cumsum(self._there).reshape(self._there.shape) - 1, data.desc.shape[0])
        return _padded(data, places if order is None else places[:, order], value)

    def packed(self, padded: Any) -> Any:
        """Packed data of a (time, batch, ...) tensor."""
        return _rows(views.reshape(padded, (-1, *padded.desc.shape[2:])), np.flatnonzero(self._there))

    def ends(self, like: Any) -> tuple[Any, Any]:
        """Rows of the padded form, as tensors: each sequence's last step, and its steps from the last to the first."""
        time, batch = self._there.shape
        steps, places = np.arange(time)[:, None], np.arange(batch)
        backwards = np.where(self._there, self.lengths - 1 - steps, steps) * batch + places
        rows = ((self.lengths - 1) * batch + places, backwards.reshape(-1))
        return tuple(upload(each, device=like.desc.device) for each in rows)


@checked
def invert_permutation(permutation: Any) -> Any:
    """Where each number stands in a vector of 0, 1 and so on in any order; None for None. Like: torch.nn.utils.rnn.invert_permutation.

    Examples:
        >>> at.nn.utils.rnn.invert_permutation(at.tensor([2, 0, 1]))
        tensor([1, 2, 0], device='npu:0')
    """
    return None if permutation is None else permutation.argsort()


@checked
def pad_sequence(
    sequences: Iterable[NPUTensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> NPUTensor:
    """Sequences in one tensor, as long as the longest of them.

    Args:
        sequences: (length, ...) tensors of one dtype, whose other lengths are the same.
        batch_first: Whether the result is (batch, time, ...) rather than (time, batch, ...).
        padding_value: What stands where a sequence has no step.
        padding_side: "right" for behind the sequences, "left" for before them.

    Raises:
        ShapeError: No sequence, one without dims, or lengths that differ behind the first.
        ValueRangeError: Another side.

    Ascend operator: Concat and GatherV2. Like: torch.nn.utils.rnn.pad_sequence.

    Examples:
        >>> x = [at.tensor([1.0, 2.0]), at.tensor([3.0])]
        >>> at.nn.utils.rnn.pad_sequence(x, batch_first=True)
        tensor([[1., 2.],
                [3., 0.]], device='npu:0')
        >>> at.nn.utils.rnn.pad_sequence(x, padding_value=9.0, padding_side="left")
        tensor([[1., 9.],
                [2., 3.]], device='npu:0')
    """
    if padding_side not in ("right", "left"):
        raise ValueRangeError(f'padding_side must be "right" or "left", not {padding_side!r}')
    found = list(sequences)
    wrong = next((each for each in found if not isinstance(each, TensorBase)), None)
    if wrong is not None:
        raise DTypeError(f"tensors are needed, not {type(wrong).__name__}")
    if not found or any(not each.desc.shape or each.desc.shape[1:] != found[0].desc.shape[1:] for each in found):
        raise ShapeError("one sequence at least is needed, and all of them with the same lengths behind the first")
    lengths = np.array([each.desc.shape[0] for each in found])
    time = int(lengths.max())
    steps = np.arange(time) - (time - lengths[:, None] if padding_side == "left" else 0)
    first, total = np.cumsum(lengths) - lengths, int(lengths.sum())
    places = np.where((steps >= 0) & (steps < lengths[:, None]), steps + first[:, None], total)
    result: NPUTensor = _padded(shape.cat(found, 0), places if batch_first else places.T, padding_value)
    return result


@checked
def unpad_sequence(padded_sequences: NPUTensor, lengths: Any, batch_first: bool = False) -> list[NPUTensor]:
    """The sequences of a padded tensor: views of it.

    Args:
        padded_sequences: (time, batch, ...) tensor, (batch, time, ...) with `batch_first`.
        lengths: Of each sequence; a tensor is waited for.
        batch_first: See above.

    Raises:
        ShapeError: Not one length for each sequence.
        ValueRangeError: A negative length.

    Like: torch.nn.utils.rnn.unpad_sequence.

    Examples:
        >>> at.nn.utils.rnn.unpad_sequence(at.tensor([[1.0, 2.0], [3.0, 0.0]]), [2, 1], batch_first=True)
        [tensor([1., 2.], device='npu:0'), tensor([3.], device='npu:0')]
    """
    counts = _counts(lengths, "lengths", 0)
    rows = views.unbind(padded_sequences, 0 if batch_first else 1)
    if len(rows) != len(counts) or counts.max() > padded_sequences.desc.shape[1 if batch_first else 0]:
        raise ShapeError(f"{len(counts)} lengths up to {counts.max()} do not fit")
    return [views.narrow(row, 0, 0, int(count)) for row, count in zip(rows, counts, strict=True)]


@checked
def pack_padded_sequence(input: NPUTensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> PackedSequence:
    """A padded tensor packed: without the padding, as recurrent modules take it.

    Args:
        input: (time, batch, ...) tensor, (batch, time, ...) with `batch_first`.
        lengths: Of each sequence, from 1 on; a tensor is waited for.
        batch_first: See above.
        enforce_sorted: Whether the sequences must come from the longest to the shortest; otherwise they are put in that order.

    Raises:
        ShapeError: Not one length for each sequence, or one longer than the tensor.
        ValueRangeError: A length of 0, or no order.

    Ascend operator: GatherV2. Like: torch.nn.utils.rnn.pack_padded_sequence.

    Examples:
        >>> x = at.tensor([[1.0, 0.0], [2.0, 3.0]])
        >>> packed = at.nn.utils.rnn.pack_padded_sequence(x, [1, 2], batch_first=True, enforce_sorted=False)
        >>> packed.data, packed.batch_sizes.tolist(), packed.sorted_indices
        (tensor([2., 1., 3.], device='npu:0'), [2, 1], tensor([1, 0], device='npu:0'))
    """
    counts: Array = _counts(lengths, "lengths").numpy()
    if len(input.desc.shape) < 2:
        raise ShapeError("2 dims at least are needed: steps and sequences")
    x: Any = views.transpose(input, 0, 1) if batch_first else input
    time, batch = x.desc.shape[:2]
    if len(counts) != batch or counts.max() > time:
        raise ShapeError(f"{len(counts)} lengths up to {counts.max()} do not fit {batch} sequences of {time} steps")
    order = np.argsort(-counts, kind="stable")
    if enforce_sorted and np.any(np.diff(counts) > 0):
        text = f"the lengths must fall from sequence to sequence, they are {counts.tolist()!r:.60}"
        raise ValueRangeError(text, advice="enforce_sorted=False puts the sequences in that order.")
    there = _there(counts[order], int(counts.max()))
    rows = (np.arange(len(there))[:, None] * batch + order)[there]
    data = _rows(views.reshape(x, (time * batch, *x.desc.shape[2:])), rows)
    return PackedSequence(data, there.sum(1), None if enforce_sorted else upload(order, device=data.desc.device))


@checked
def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[NPUTensor, HostArray]:
    """A packed sequence padded, the sequences in the order that they had at first.

    Args:
        sequence: The packed sequence.
        batch_first: Whether the result is (batch, time, ...) rather than (time, batch, ...).
        padding_value: What stands where a sequence has no step.
        total_length: Number of steps of the result, by default that of the longest sequence.

    Returns:
        The tensor, and the length of each sequence as int64 numbers on the host.

    Raises:
        DTypeError: No packed sequence.
        ValueRangeError: `total_length` is less than the longest sequence.

    Ascend operator: Concat and GatherV2. Like: torch.nn.utils.rnn.pad_packed_sequence.

    Examples:
        >>> packed = at.nn.utils.rnn.pack_sequence([at.tensor([1.0]), at.tensor([2.0, 3.0])], enforce_sorted=False)
        >>> x, lengths = at.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
        >>> x, lengths.tolist()
        (tensor([[1., 0.],
                [2., 3.]], device='npu:0'), [1, 2])
    """
    if not isinstance(sequence, PackedSequence):
        raise DTypeError(f"a PackedSequence is needed, not {type(sequence).__name__}", advice="pack_padded_sequence() makes one.")
    steps = Steps(sequence)
    order = None if sequence.unsorted_indices is None else host(sequence.unsorted_indices)
    x = steps.padded(sequence.data, padding_value, order)
    lengths = steps.lengths if order is None else steps.lengths[order]
    if total_length is not None:
        missing = total_length - len(sequence.batch_sizes)
        if missing < 0:
            raise ValueRangeError(f"total_length={total_length} is less than the {len(sequence.batch_sizes)} steps of the longest sequence")
        x = shape.cat((x, x.new_full((missing, *x.desc.shape[1:]), padding_value)), 0) if missing else x
    return views.transpose(x, 0, 1) if batch_first else x, lengths.view(HostArray)


@checked
def pack_sequence(sequences: Sequence[NPUTensor], enforce_sorted: bool = True) -> PackedSequence:
    """Sequences packed: `pad_sequence` and `pack_padded_sequence`. Like: torch.nn.utils.rnn.pack_sequence.

    Examples:
        >>> at.nn.utils.rnn.pack_sequence([at.tensor([1, 2]), at.tensor([3])]).data
        tensor([1, 3, 2], device='npu:0')
    """
    found = list(sequences)
    return pack_padded_sequence(pad_sequence(found), [each.desc.shape[0] for each in found], enforce_sorted=enforce_sorted)


@checked
def unpack_sequence(packed_sequences: PackedSequence) -> list[NPUTensor]:
    """The sequences of a packed one, in the order that they had at first. Like: torch.nn.utils.rnn.unpack_sequence.

    Examples:
        >>> at.nn.utils.rnn.unpack_sequence(at.nn.utils.rnn.pack_sequence([at.tensor([1, 2]), at.tensor([3])]))
        [tensor([1, 2], device='npu:0'), tensor([3], device='npu:0')]
    """
    return unpad_sequence(*pad_packed_sequence(packed_sequences))
