"""`at.explain()`: the five hops of each launch of an expression, with what was decided on the way."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, Final

from .. import html, promotion
from ..compiler.description import Description
from ..dtypes import dtype as DType
from ..errors import DTypeError
from ..launch import operands as fetches
from ..launch.registry import handle_cache
from ..ops.schema import Row
from ..runtime.desc import TensorDesc
from .models_made import watched
from .tracing import Launch, Trace

_BELOW: Final = ("ops.call:", "ops.planning:", "launch", "acl", "compiler")
"""Modules of hops 3 to 5."""


class Explanation:
    """What `explain` found: prints as text.

    Attributes:
        result: What the function gave.
        launches: Its launches, as in a `Trace`.

    Examples:
        >>> explanation = at.explain(lambda: at.ones(2) + 1)
        >>> explanation.result
        tensor([2., 2.], device='npu:0')
        >>> [launch.op_type for launch in explanation.launches]
        ['Fill', 'Add']
    """

    def __init__(self, result: Any, launches: list[Launch], sources: dict[Description, str]) -> None:
        self.result = result
        self.launches = launches
        keys = {id(plan.core): key for key, plan in list(handle_cache.plans.items())}
        parts = ["\n".join(_lines(number, each, keys.get(id(each.plan)), sources)) for number, each in enumerate(launches, 1)]
        self._text = "\n\n".join(parts) if parts else "nothing was launched: views and sizes cost no launch"

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return html.block(f"<pre>{html.escape(self._text)}</pre>")


def explain(function: Callable[[], Any]) -> Explanation:
    """Run a function and tell of each of its launches how it came about, hop by hop.

    Hop 1 is the method, hop 2 the function, hop 3 the look-up of the plan (promotion, casts, constants, numbers), hop 4 the plan and its
    operator model, hop 5 the pyACL call. The function runs once; a second run of the same shapes shows plans that are at hand.

    Args:
        function: Called without arguments, `lambda: x @ w + b`.

    Returns:
        An `Explanation`, which prints as text and has the `result`.

    Raises:
        DTypeError: No function was given, but perhaps the result of one.

    Examples:
        >>> print(at.explain(lambda: at.ones(2) + 1))
        1  Fill...

    Like: torch has none.
    """
    if not callable(function):
        raise DTypeError(
            f"a function without arguments is needed, not {type(function).__name__}",
            where="explain",
            advice="Put the expression into one: explain(lambda: a + b).",
        )
    recording = Trace(data=False, stacks=True)
    with watched() as models, recording:
        result = function()
    return Explanation(result, recording.launches, {each.description: each.source for each in models})


def _lines(number: int, launch: Launch, key: Any, sources: dict[Description, str]) -> Iterator[str]:
    yield f"{number}  {launch.op_type}  {launch.shapes}"
    *above, _ = launch.stack or ("",)
    outer = [name for name in above if name.partition(":")[0].endswith(("tensor", "methods"))]
    inner = [name for name in above if name not in outer and not name.startswith(_BELOW)]
    yield f"   hop 1  {', '.join(outer) or 'called as a function'}"
    yield f"   hop 2  {', '.join(inner) or launch.function}"
    yield f"   hop 3  plan {'at hand' if launch.hit else 'made now'}{f', key {_key(key)}' if key else ''}"
    for line in _decisions(launch, key):
        yield f"          {line}"
    kind = type(launch.plan).__name__ if launch.plan is not None else "no plan"
    handle = getattr(launch.plan, "handle_value", 0)
    yield f"   hop 4  {kind}: {f'op handle {handle:#x}' if handle else 'matched by descriptions'}"
    if launch.model is not None:
        shape = f"dynamic, {launch.model}" if launch.dynamic else "static, of exactly these shapes"
        yield f"          operator model {shape}; {sources.get(launch.model, 'loaded before')}"
    call = "execute_with_handle" if handle else "execute_v2"
    yield f"   hop 5  acl.op.{call}: {launch.seconds * 1e6:.1f} us, answered {launch.code}"


def _key(key: Any) -> str:
    return f"({', '.join(part.name if isinstance(part, (Row, DType)) else getattr(part, '__name__', repr(part)) for part in key)})"


def _decisions(launch: Launch, key: Any) -> Iterator[str]:
    plan, description = launch.plan, launch.description
    if plan is None or description is None:
        return
    if key:
        yield from _promoted(key[0], key[1:], max((index for _, index, _ in plan.fetches), default=-1) + 1)
    for position, _, fetch in plan.fetches:
        name = description.inputs[position].name
        if isinstance(fetch, fetches.Number):
            yield f"number   {name}: a {fetch.dtype.name} of one element on the device, in no key and no model"
        elif isinstance(fetch, fetches.Values):
            yield f"values   {name}: written to the device by each launch"
        elif fetch is not fetches.tensor:
            steps = inspect.getclosurevars(fetch).nonlocals.get("steps", ())
            yield f"cast     {name}: to {', '.join(step.name for step in steps)} by Cast, before this launch"
    for tensor in description.inputs:
        if tensor.const is not None:
            yield f"constant {tensor.name} = {str(tensor).partition('=')[2]}, bound from the host when the plan was made"
    if description.attrs:
        yield f"attrs    {', '.join(map(str, description.attrs))}"


def _promoted(row: Row, parts: tuple[Any, ...], count: int) -> Iterator[str]:
    given = [
        (part.dtype, len(part.shape)) if isinstance(part, TensorDesc) else (part, -1)
        for part, (_, input) in zip(parts, row.operand_inputs(count), strict=False)
        if input.promotes and (isinstance(part, TensorDesc) or part in (bool, int, float, complex))
    ]
    if any(isinstance(part, DType) for part, _ in given):
        compute, result = promotion.resolve(row.promotion, given)
        names = ", ".join(part.name if isinstance(part, DType) else f"a Python {part.__name__}" for part, _ in given)
        yield f"dtypes   {names}: computes in {compute.name}, gives {result.name}"
