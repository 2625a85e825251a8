"""`out=`: results in memory that exists, which may be that of an operand."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import Record, With, host, tensor, to_device
from records import RECORDS

import ascendtensor as at
from ascendtensor.ops.pointwise import aliases

GENERATOR = np.random.default_rng(5)
A, B = GENERATOR.normal(size=(2, 3, 3)).astype(np.float32)
PLACES = np.array([[2, 0, 1], [1, 1, 0], [0, 2, 2]])
NOT_POINTWISE: dict[str, Callable[..., Any]] = {
    "cross": at.linalg.cross,
    "matmul": at.matmul,
    "inv": lambda a, b, out: at.linalg.inv(a, out=out),
    "cumsum": lambda a, b, out: at.cumsum(a, 0, out=out),
    "cumprod": lambda a, b, out: at.cumprod(a, -1, out=out),
    "gather": lambda a, b, out: at.gather(a, 0, at.tensor(PLACES), out=out),
    "index_select": lambda a, b, out: at.index_select(a, 0, at.tensor([2, 2, 0]), out=out),
}


@pytest.mark.parametrize("name", NOT_POINTWISE)
@pytest.mark.parametrize("shared", [0, 1])
def test_the_result_may_have_the_memory_of_an_operand(name: str, shared: int) -> None:
    expected = host(NOT_POINTWISE[name](tensor(A), tensor(B), out=None))
    operands = tensor(A), tensor(B)
    assert NOT_POINTWISE[name](*operands, out=operands[shared]) is operands[shared]
    np.testing.assert_array_equal(host(operands[shared]), expected)


@pytest.mark.parametrize("name", NOT_POINTWISE)
def test_an_operator_that_looks_around_never_writes_where_it_reads(name: str) -> None:
    """No kernel of a board says that it reads an operand of this kind before it writes: the result is copied."""
    operands = tensor(A), tensor(B)
    with at.trace() as shared:
        NOT_POINTWISE[name](*operands, out=operands[0])
    with at.trace() as apart:
        NOT_POINTWISE[name](*operands, out=at.empty_like(operands[0]))
    assert len(shared.launches) == len(apart.launches) + 1


def _takes_out(function: Callable[..., Any]) -> bool:
    out = inspect.signature(function).parameters.get("out")
    return out is not None and out.kind is out.KEYWORD_ONLY


UNTRIED = [record for record in RECORDS if not record.out and _takes_out(record.function)]


@pytest.mark.parametrize("record", [pytest.param(record, id=record.name) for record in UNTRIED])
def test_what_no_record_tries_with_out_writes_there(record: Record) -> None:
    for sample in record.samples(record.dtypes[0]):
        args, kwargs = (sample.args, sample.kwargs) if isinstance(sample, With) else (sample, {})
        operands, keywords = to_device(args), {name: to_device(value) for name, value in kwargs.items()}
        found = record.function(*operands, **keywords)
        if (found if isinstance(found, at.Tensor) else found[0]).numel():
            break
    wanted = found if isinstance(found, tuple) else (found,)
    given = tuple(at.empty_like(each) for each in wanted)
    result = record.function(*operands, **keywords, out=given if isinstance(found, tuple) else given[0])
    for out, part, each in zip(given, result if isinstance(found, tuple) else (result,), wanted, strict=True):
        assert part is out
        np.testing.assert_array_equal(host(out), host(each))


ALIASES = [name for name, found in vars(aliases).items() if inspect.isfunction(found) and found.__module__ == aliases.__name__]


@pytest.mark.parametrize("name", ALIASES)
def test_other_names_of_functions_write_there_too(name: str) -> None:
    function, more = getattr(aliases, name), (2,) if name == "multigammaln" else (0.25,)
    takes = len([each for each in inspect.signature(function).parameters.values() if each.kind is each.POSITIONAL_OR_KEYWORD])
    args = (tensor(A[0] ** 2 + 1), *(more if takes > 1 else ()))
    expected = function(*args)
    out = at.empty_like(expected)
    assert function(*args, out=out) is out
    np.testing.assert_array_equal(host(out), host(expected))


@pytest.mark.parametrize("function", [lambda x, out: at.max(x, 1, out=out), lambda x, out: at.sort(x, out=out), at.frexp])
def test_two_results_are_written_or_none(function: Callable[..., Any]) -> None:
    x = tensor(A)
    first, second = function(x, out=None)
    kept = at.full_like(first, 7)
    for wrong, error in ((at.zeros(second.shape, dtype=at.bool), TypeError), (at.zeros(5, dtype=at.int64), ValueError), (None, TypeError)):
        with pytest.raises(error):
            function(x, out=(kept, wrong))
    for number in ((kept,), (kept, at.empty_like(second), kept), kept):
        with pytest.raises(TypeError, match="out must hold 2 tensors"):
            function(x, out=number)
    assert at.equal(kept, at.full_like(first, 7))
    assert at.equal(function(x, out=(kept, at.empty_like(second)))[0], first) and at.equal(kept, first)


def test_coordinates_in_a_tuple_have_no_out() -> None:
    with pytest.raises(TypeError, match="no out with as_tuple"):
        at.nonzero(at.tensor([0, 3]), as_tuple=True, out=at.empty(1, 1, dtype=at.int64))  # type: ignore[call-overload]
