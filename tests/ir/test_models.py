"""What functions launch, launched by name: the same model, with the outputs that `infer_shape` finds."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import With, to_device
from records import RECORDS

import ascendtensor as at
from ascendtensor import dtypes, facts
from ascendtensor.codes import Format
from ascendtensor.compiler import Description
from ascendtensor.launch.registry import handle_cache

F = at.nn.functional

UNKNOWN = {"ArgMaxWithValue", "ArgMinWithValue", "Cummax", "Cummin", "LinSpace", "PadV3"}
"""Operators whose outputs have to be described: dtypes that the simulator's rules leave open, values that tiling reads."""


def launched(function: Callable[[], Any]) -> list[Description]:
    """What new plans launch while a function runs, each once; dynamic models stand for others and are left out."""
    found: list[Description] = []
    handle_cache.forget_plans()
    handle_cache.recorders.append(found.append)
    try:
        function()
    finally:
        handle_cache.recorders.remove(found.append)
    return [each for each in dict.fromkeys(found) if not each.dynamic]


def arguments(made: Description) -> tuple[list[Any], dict[str, Any]]:
    """Inputs and attributes of a call that should launch a description."""
    inputs: list[Any] = []
    members: dict[str, list[Any]] = {}
    for each in made.inputs:
        value: Any = None
        if not each.absent:
            dtype = dtypes.from_acl(each.dtype)
            value = at.zeros(each.shape, dtype=dtype) if each.const is None else np.frombuffer(each.const, dtype.numpy).reshape(each.shape)
        if not each.dynamic_input:
            inputs.append(value)
        elif each.dynamic_input in members:
            members[each.dynamic_input].append(value)
        else:
            inputs.append(members.setdefault(each.dynamic_input, [value]))
    attrs: dict[str, Any] = {attr.name: attr.value for attr in made.attrs}
    formats = [Format(each.format).name for each in (*made.inputs, *made.outputs) if each.format not in (Format.ND, Format.UNDEFINED)]
    return inputs, {**attrs, "desc_format": formats[0] if formats else None}


def replayed(made: Description) -> list[str]:
    """Launch a description by name; what came out otherwise, in words."""
    found = facts.operator(made.op_type)
    assert found is not None
    inputs, attrs = arguments(made)
    wanted = [(each.shape, dtypes.from_acl(each.dtype)) for each in made.outputs]
    outputs: Any = len(wanted) - len(found.outputs) + 1 if any(each.kind == "dynamic" for each in found.outputs) else None
    depends = any(
        isinstance(value, at.Tensor) and each.name in found.const_inputs for each, value in zip(found.inputs, inputs, strict=False)
    )
    if depends or found.data_dependent_shape or made.op_type in UNKNOWN:
        outputs = wanted
    results: Any = ()

    def run() -> None:
        nonlocal results
        results = at.ir.call(made.op_type, *inputs, outputs=outputs, **attrs)

    (again, *_) = launched(run)
    results = results if isinstance(results, tuple) else (results,)
    faults = []
    if [(each.shape, each.dtype) for each in results] != wanted and not found.data_dependent_shape:
        faults.append(f"{made}: {results}")
    if simplified(again, made) != simplified(made, made):
        faults.append(f"{made}: {again}")
    return faults


def simplified(made: Description, like: Description) -> Any:
    """A description without formats of axes, and with the attributes that the other one has: rows leave some defaults away."""
    names = {attr.name for attr in like.attrs}
    tensors = [(each.dtype, each.shape, each.const, each.dynamic_input) for each in (*made.inputs, *made.outputs)]
    return made.op_type, tensors, [(attr.name, attr.kind, attr.value) for attr in made.attrs if attr.name in names]


def test_functions_and_calls_by_name_make_the_same_models() -> None:
    x, image, index = at.ones(3, 4), at.ones(1, 2, 6, 6), at.tensor([[0, 1, 2, 0]])

    def functions() -> None:
        x + x, x * 2, x @ x.T, x > 0, x.to(at.int32), -x
        x.sum(1), x.mean(), x.amax(0, keepdim=True), x.std(), x.cumsum(1), x.argmax(1), x.norm(), x.any()
        at.cat([x, x], 1), at.stack([x, x]), x.tile((2, 1)), x.T.contiguous(), x.flip(0), x.tril(), at.where(x > 0, x, 0.0)
        x.sort(1), x.topk(2), x.gather(0, index), x.index_select(1, index[0]), x.split([1, 3], 1), at.eye(3), at.arange(5)
        F.softmax(x, 1), F.gelu(x), F.layer_norm(x, (4,)), F.one_hot(index, 3), F.conv2d(image, at.ones(3, 2, 3, 3)), F.max_pool2d(image, 2)
        F.interpolate(image, scale_factor=2.0), F.pad(x, (1, 1)), F.nll_loss(x, index[0, :3])

    made = launched(functions)
    assert len({each.op_type for each in made}) >= 35
    faults = [fault for each in made if each.op_type not in {"AsStrided", "LinSpace", "PadV3"} for fault in replayed(each)]
    assert not faults


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_whatever_functions_launch_can_be_called_by_name() -> None:
    samples = []
    for record in RECORDS:
        first = next(iter(record.samples(record.dtypes[0])))
        args, kwargs = (first.args, first.kwargs) if isinstance(first, With) else (first, {})
        samples.append((record.function, to_device(args), {name: to_device(value) for name, value in kwargs.items()}))
    made = launched(lambda: [function(*args, **kwargs) for function, args, kwargs in samples])
    of_type: dict[str, list[Description]] = {}
    for each in made:
        of_type.setdefault(each.op_type, []).append(each)
    assert len(of_type) > 150
    faults = [fault for kind in of_type.values() for each in kind[:2] if exact(each) for fault in replayed(each)]
    with contextlib.suppress(at.AclError):  # a matrix of zeros has no decomposition, weights of zero choose nothing
        at.synchronize()
    assert not faults


def exact(made: Description) -> bool:
    """Whether a call of it has an exact model: one that tiling reads values of is dynamic from the start."""
    found = facts.operator(made.op_type)
    assert found is not None
    names = {each.dynamic_input or each.name for each in made.inputs if each.const is None}
    return not (found.data_dependent_shape or names & set(found.value_depend))
