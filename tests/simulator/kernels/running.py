"""Runs one kernel of the simulator on plain arrays, as a stream would."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import settings

from ascendtensor import facts
from ascendtensor.simulator.kernels import Meta, infer_rule, lookup
from ascendtensor.simulator.kernels.registry import ACL_OF, meta_of

UNTIMED = settings(deadline=None, max_examples=60)
"""For searches on a machine that others use too."""

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(kind) for kind in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]
TOLERANCE = {np.dtype(np.float16): 2e-3, BFLOAT16: 1.6e-2, np.dtype(np.float32): 2e-6, np.dtype(np.float64): 1e-14}
MOVED = [
    np.dtype(kind) for kind in (np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64, np.complex64)
] + [BFLOAT16]


def const(*items: Any, dtype: Any = np.int64) -> np.ndarray:
    """A constant operand: such arrays are read-only."""
    array = np.array(items[0] if len(items) == 1 and not np.isscalar(items[0]) else items, dtype)
    array.flags.writeable = False
    return array


def scalar(item: Any, dtype: Any = np.int64) -> np.ndarray:
    """A constant 0-d operand."""
    array = np.array(item, dtype)
    array.flags.writeable = False
    return array


def defaults(op_type: str, given: dict[str, Any]) -> dict[str, Any]:
    """Attributes with the prototype's defaults, under the prototype's names only."""
    prototype = facts.operator(op_type)
    assert prototype is not None
    names = {attr.name: attr.default for attr in prototype.attrs}
    unknown = {name for name in set(given) - set(names) if not name.startswith("_")}  # those are the graph engine's
    assert not unknown, f"{op_type} has no attribute {unknown}"
    merged = {**names, **given}
    assert facts.REQUIRED not in merged.values(), f"{op_type} needs {[name for name, value in merged.items() if value is facts.REQUIRED]}"
    return merged


def run(op_type: str, inputs: list[Any], outputs: list[np.ndarray], /, **attrs: Any) -> Any:
    """Binds and runs; returns what the kernel returns."""
    kernel = lookup(op_type)
    assert kernel is not None
    fn, args = kernel.bind(inputs, outputs, defaults(op_type, attrs))
    with np.errstate(all="ignore"):
        return fn(*args)


def made(op_type: str, inputs: list[Any], shape: Any, kind: Any, /, **attrs: Any) -> np.ndarray:
    """The one output of an operator, in a buffer that held garbage."""
    out = np.empty(shape, kind)
    out.view(np.uint8).fill(0xA5) if out.ndim else out.reshape(1).view(np.uint8).fill(0xA5)
    run(op_type, inputs, [out], **attrs)
    return out


def late(*arrays: np.ndarray) -> list[np.ndarray]:
    """Operands as they lie in device memory: known when the task runs."""
    return [array.copy() for array in arrays]


def ruled(op_type: str, inputs: list[Any], num_outputs: int = 1, /, **attrs: Any) -> list[tuple[int, ...]]:
    """Shapes that the rule gives for arrays or Metas."""
    rule = infer_rule(op_type)
    assert rule is not None
    metas = [item if isinstance(item, Meta) else meta_of(item) for item in inputs]
    return [out.shape for out in rule(metas, defaults(op_type, attrs), num_outputs)]


def meta(dtype: Any, *shape: int) -> Meta:
    """An operand of which only dtype and (partly known) shape are known."""
    return Meta(ACL_OF[np.dtype(dtype)], shape)


def sample(shape: Any, dtype: Any, seed: int = 0) -> np.ndarray:
    """Arbitrary elements of a dtype."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.integers(0, 2, shape).astype(kind)
    if kind.kind in "iu":
        return rng.integers(0, 100, shape).astype(kind)
    if kind.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(kind)
    return np.asarray(rng.standard_normal(shape)).astype(kind)


def same(have: np.ndarray, want: Any) -> None:
    """Equal element by element, NaN to NaN."""
    wanted = np.asarray(want)
    assert have.shape == wanted.shape
    if have.dtype == BFLOAT16:
        have, wanted = have.astype(np.float32), wanted.astype(np.float32)
    np.testing.assert_array_equal(have, wanted)


def close(have: np.ndarray, want: Any, scale: float = 1.0) -> None:
    """Within the tolerance of the output's dtype."""
    wanted = np.asarray(want, np.float64)
    assert have.shape == wanted.shape
    tolerance = TOLERANCE[have.dtype] * scale
    np.testing.assert_allclose(have.astype(np.float64), wanted, rtol=tolerance, atol=tolerance)
