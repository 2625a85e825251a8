"""What a model says of its inputs and outputs, as tables."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple, overload

from ..acl import models as calls
from ..codes import Format
from ..dtypes import dtype as DType
from ..dtypes import from_acl
from ..errors import AscendTensorError, UnsupportedError, ValueRangeError

Shape = tuple[int, ...]


class ModelTensor(NamedTuple):
    """An input or output of a model.

    Attributes:
        name: What the model calls it.
        shape: Sizes of the dimensions; -1 for what a gear decides or what stays open.
        dtype: Element type.
        format: Layout by Ascend's name, such as "NCHW".
        nbytes: Size in bytes, of the largest gear, at the upper bounds; 0 where there are none.
        ranges: (low, high) of each dimension of an input of open shape, high -1 for no limit; else empty.

    Examples:
        >>> y = at.models.load("net.om").outputs[0]
        >>> y.short, y.shape, y.dtype, y.nbytes
        ('p', (2, 3), ascendtensor.float32, 24)
    """

    name: str
    shape: Shape
    dtype: DType
    format: str
    nbytes: int
    ranges: tuple[tuple[int, int], ...] = ()

    @property
    def short(self) -> str:
        """The name without the node and the number that ATC puts before an output's."""
        return self.name.rpartition(":")[2] or self.name


class ModelTensors(tuple[ModelTensor, ...]):
    """The inputs or the outputs of a model, by position or by name; shown as a table.

    Examples:
        >>> inputs = at.models.load("net.om").inputs
        >>> inputs.names, inputs.position("x"), inputs["x"].shape
        (('x',), 0, (2, 3))
    """

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(each.name for each in self)

    @overload  # type: ignore[override]
    def __getitem__(self, key: int | str) -> ModelTensor: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[ModelTensor, ...]: ...
    def __getitem__(self, key: int | str | slice) -> ModelTensor | tuple[ModelTensor, ...]:
        if isinstance(key, str):
            return tuple.__getitem__(self, self.position(key))
        return tuple.__getitem__(self, key)

    def position(self, name: str) -> int:
        """Where a name stands: the full one, or of an output also the tensor's alone.

        Raises:
            ValueRangeError: There is none of that name, or several.
        """
        found = [index for index, each in enumerate(self) if name == each.name]
        found = found or [index for index, each in enumerate(self) if name == each.short]
        if len(found) != 1:
            what = "no tensor" if not found else "several tensors"
            raise ValueRangeError(f"the model has {what} named {name!r}; names: {', '.join(self.names)}")
        return found[0]

    def _rows(self) -> list[tuple[str, ...]]:
        head = ("name", "shape", "dtype", "format", "bytes")
        return [head, *((each.name, shown(each), each.dtype.name, each.format, str(each.nbytes or "?")) for each in self)]

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        lines = ["".join(f"<th>{cell}</th>" for cell in head)]
        lines += ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
        return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def shown(tensor: ModelTensor) -> str:
    """A shape for people: ranges as 1~8, open dimensions as ?."""
    if tensor.ranges:
        return "[" + ", ".join(_range(low, high) for low, high in tensor.ranges) + "]"
    return "[" + ", ".join("?" if size < 0 else str(size) for size in tensor.shape) + "]"


def _range(low: int, high: int) -> str:
    if low == high:
        return str(low)
    return f"{low}~{'' if high < 0 else high}"


class Gears(NamedTuple):
    """The legal shapes of a model with gears.

    Attributes:
        kind: "batch", "image" (height and width) or "dims".
        shapes: For each gear the shapes of all inputs.
        values: For each gear what the model is told.

    Examples:
        >>> gears = at.models.load("gears.om").gears
        >>> gears.kind, gears.values
        ('batch', ((1,), (4,)))
    """

    kind: str
    shapes: tuple[tuple[Shape, ...], ...]
    values: tuple[Shape, ...]


def describe(desc: int) -> tuple[ModelTensors, ModelTensors, Gears | None, tuple[int, int]]:
    """Inputs, outputs, gears, and position and bytes of the input that carries the gear (-1 and 0 without gears).

    Raises:
        UnsupportedError: A tensor of a dtype that tensors of the library can't have, or dynamic AIPP.
    """
    found = calls.tensors(desc, "input")
    if any(each[0].startswith(calls.AIPP_INPUT) for each in found):
        raise UnsupportedError(
            "the model has dynamic AIPP, whose parameters only acl.mdl.set_input_aipp sets",
            advice="Run it by acl.mdl itself, or convert it with aipp_mode: static.",
        )
    carrier = next((index for index, each in enumerate(found) if each[0] == calls.GEAR_INPUT), -1)
    inputs = ModelTensors(_tensor(each) for index, each in enumerate(found) if index != carrier)
    outputs = ModelTensors(map(_tensor, calls.tensors(desc, "output")))
    gears = _gears(desc, inputs)
    if gears is None and any(size < 0 for each in inputs for size in each.shape):
        inputs = ModelTensors(each._replace(ranges=_ranges(each.shape, calls.ranges(desc, index))) for index, each in enumerate(inputs))
    return inputs, outputs, gears, (carrier, found[carrier][3] if carrier >= 0 else 0)


def _ranges(shape: Shape, said: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Those of an input of open shape. ACL has them for fixed inputs too, and gives -1 twice for an open dimension that has none."""
    if min(shape, default=0) >= 0:
        return ()
    if len(said) != len(shape):
        said = [(size, size) for size in shape]
    return tuple((max(low, 0), high if high > 0 else -1) for low, high in said)


def _tensor(found: tuple[str, int, int, int, list[int]]) -> ModelTensor:
    name, number, layout, nbytes, dims = found
    try:
        dtype = from_acl(number)
    except AscendTensorError as error:
        raise UnsupportedError(
            f"tensor {name!r} of the model has the ACL data type {number}", advice="Cast it inside the model."
        ) from error
    try:
        written = Format(layout).name
    except ValueError:
        written = str(layout)
    return ModelTensor(name, tuple(dims), dtype, written, nbytes)


def _gears(desc: int, inputs: ModelTensors) -> Gears | None:
    batches = calls.dynamic_batch(desc)
    if batches:
        shapes = [tuple(tuple(batch if size < 0 else size for size in each.shape) for each in inputs) for batch in batches]
        return Gears("batch", tuple(shapes), tuple((batch,) for batch in batches))
    pairs = calls.dynamic_hw(desc)
    if pairs:
        shapes = [tuple(_of_size(desc, index, each, *pair) for index, each in enumerate(inputs)) for pair in pairs]
        return Gears("image", tuple(shapes), tuple(map(tuple, pairs)))
    dims = calls.dynamic_dims(desc)
    if dims:
        return Gears("dims", tuple(_split(inputs, each) for each in dims), tuple(map(tuple, dims)))
    return None


def _of_size(desc: int, index: int, tensor: ModelTensor, height: int, width: int) -> Shape:
    if tensor.format == Format.NHWC.name and min(tensor.shape, default=0) < 0:
        height = calls.rows_of_image(desc, index, height)
    return _filled(tensor.shape, (height, width))


def _filled(shape: Shape, values: Sequence[int]) -> Shape:
    rest = list(values)
    return tuple(rest.pop(0) if size < 0 else size for size in shape)


def _split(inputs: ModelTensors, dims: Sequence[int]) -> tuple[Shape, ...]:
    """The dims of all inputs one after another, as shapes. They stand in the order in which the fixed ones fit."""
    rest = list(dims)
    found: dict[int, Shape] = {}
    for index in _order(inputs, dims):
        size = len(inputs[index].shape)
        found[index], rest = tuple(rest[:size]), rest[size:]
    return tuple(found[index] for index in range(len(inputs)))


def _order(inputs: ModelTensors, dims: Sequence[int]) -> list[int]:
    """ATC lists the inputs as `--input_shape` named them, and no call tells that order: the first that the fixed sizes allow is taken."""

    def fits(index: int, rest: Sequence[int]) -> bool:
        shape = inputs[index].shape
        return len(rest) >= len(shape) and all(size in (-1, given) for size, given in zip(shape, rest, strict=False))

    def search(left: list[int], rest: Sequence[int]) -> list[int] | None:
        if not left:
            return []
        for index in left:
            if fits(index, rest):
                found = search([each for each in left if each != index], rest[len(inputs[index].shape) :])
                if found is not None:
                    return [index, *found]
        return None

    found = search(list(range(len(inputs))), dims)
    return list(range(len(inputs))) if found is None else found
