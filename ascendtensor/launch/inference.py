"""Shapes and dtypes of an operator's outputs by CANN's own rules (`acl.op.infer_shape`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .. import shapes
from ..acl import binding
from ..dtypes import from_acl
from ..interrupts import HeldInterrupts
from ..runtime import attrs, desc

if TYPE_CHECKING:
    from ..compiler.description import Attribute, TensorDescription

__all__ = ["infer_outputs"]


def infer_outputs(
    op_type: str, inputs: Sequence[TensorDescription], attributes: Sequence[Attribute], outputs: Sequence[TensorDescription]
) -> list[tuple[int, tuple[int, ...]]]:
    """ACL's dtype and the dims of each output; -1 for a dim that is not known, (-2,) for an unknown rank.

    Every input is read from host memory (INF-3). A constant is there; for any other one zeros stand in, so its values must not matter.

    Args:
        op_type: The operator.
        inputs: Its inputs, named (INF-6).
        attributes: Its attributes.
        outputs: One description for each output; dtypes stay where the rule says nothing of them.

    Raises:
        AclError: The rule refuses the inputs, or CANN has no such operator.
    """
    plain = [replace(tensor, const=None) for tensor in inputs]
    with (
        attrs.made(attributes) as attr,
        desc.made(plain) as described,
        desc.made(outputs) as results,
        _host_buffers(inputs) as buffers,
    ):
        binding.infer_shape(op_type, described, buffers, len(results), results, attr)
        return [(binding.get_tensor_desc_type(result), binding.get_tensor_desc_dims(result)) for result in results]


@contextmanager
def _host_buffers(inputs: Sequence[TensorDescription]) -> Iterator[list[int]]:
    """A data buffer over host memory for each input; those without values share one block of zeros, which no page is touched of."""
    sizes = [0 if tensor.absent else shapes.numel(tensor.shape) * from_acl(tensor.dtype).itemsize for tensor in inputs]
    zeros = np.zeros(max(1, *sizes) if sizes else 1, np.uint8)
    start: int = zeros.__array_interface__["data"][0]
    made: list[int] = []
    try:
        with HeldInterrupts():
            for tensor, size in zip(inputs, sizes, strict=True):
                address = start if tensor.const is None else binding.bytes_to_ptr(tensor.const)
                made.append(binding.create_data_buffer(address, max(1, size)))  # INF-2: also for one that is absent or empty
        yield made
    finally:
        with HeldInterrupts():
            for buffer in made:
                binding.destroy_data_buffer(buffer)
