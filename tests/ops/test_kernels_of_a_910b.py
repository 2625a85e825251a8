"""Whatever a function launches, a 910B has a kernel of: each operator model's dtypes against CANN's lists (`facts`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pytest
import test_every_dtype as every
from harness import Record, With, d, to_device
from records import RECORDS

from ascendtensor import facts, simulator
from ascendtensor.compiler.description import Description
from ascendtensor.errors import CompileError
from ascendtensor.launch.registry import handle_cache
from ascendtensor.ops import planning
from ascendtensor.runtime import device as devices

Launched = dict[Description, str]


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> Iterator[Launched]:
    """What was launched, with the function's name."""
    found: Launched = {}
    model = planning.Planner._model

    def note(self: planning.Planner, row: Any, call: Any) -> Any:
        found[call.description] = row.name
        return model(self, row, call)

    monkeypatch.setattr(planning.Planner, "_model", note)
    handle_cache.clear()
    yield found


def check(launched: Launched) -> None:
    missing = {f"{name}: {_words(each)}" for each, name in launched.items() if not _has_kernel(each)}
    assert launched and not missing, "\n".join(sorted(missing))


def _has_kernel(description: Description) -> bool:
    operator = facts.operator(description.op_type)
    assert operator is not None
    inputs = list(_names(description.inputs))
    return operator.engine_910b != "none" and operator.engine_for(inputs, list(_names(description.outputs))) is not None


def _names(tensors: Any) -> Iterator[str | None]:
    """Names of dtypes; a repeated input counts once."""
    repeated: set[str] = set()
    for tensor in tensors:
        if tensor.dynamic_input in repeated:
            continue
        if tensor.dynamic_input:
            repeated.add(tensor.dynamic_input)
        yield None if tensor.absent else d.from_acl(tensor.dtype).name


def _words(description: Description) -> str:
    return f"{description.op_type} of {', '.join(map(str, _names(description.inputs)))}"


def test_functions_of_every_dtype_have_kernels(launched: Launched) -> None:
    for name in every.UNARY:
        every.test_every_dtype_works_in_functions_of_its_kind(name)
    check(launched)


@pytest.fixture
def strict() -> Iterator[None]:
    """A simulated 910B that compiles nothing that its tables lack."""
    devices.shutdown()
    simulator.configure(profile="soc")
    yield
    devices.shutdown()
    simulator.configure()


def _refused(records: Iterable[Record], every: int) -> dict[str, str]:
    """What the compiler said of records that it refused, by function and dtype."""
    found: dict[str, str] = {}
    for record in records:
        for dtype in record.dtypes:
            try:
                _run(record, [dtype], every)
            except CompileError as error:
                found[f"{record.name} of {dtype.name}"] = error.log
    return found


def test_a_strict_910b_compiles_what_common_functions_launch(strict: None) -> None:
    refused = _refused(RECORDS[::40], 20)
    assert not refused, "\n".join(f"{name}: {said}" for name, said in refused.items())


@pytest.mark.slow
def test_a_strict_910b_compiles_what_all_records_launch(strict: None) -> None:
    refused = _refused(RECORDS, 1)
    assert not refused, "\n".join(f"{name}: {said}" for name, said in refused.items())


def _run(record: Record, dtypes: Iterable[Any], every: int = 3) -> None:
    for dtype in dtypes:
        for sample in islice(record.samples(dtype), 0, 40, every):
            args, kwargs = (sample.args, sample.kwargs) if isinstance(sample, With) else (sample, {})
            record.function(*to_device(args), **{name: to_device(value) for name, value in kwargs.items()})


@pytest.mark.slow
def test_functions_of_every_pair_of_dtypes_have_kernels(launched: Launched) -> None:
    for name in every.PAIRS:
        every.check_pairs(name, every.PAIRS[name][2])
    for dtype in d.ALL:
        every.test_casts_are_numpys_where_those_are_defined(dtype)
    check(launched)


@pytest.mark.slow
def test_functions_of_all_records_have_kernels(launched: Launched) -> None:
    for record in RECORDS:
        _run(record, record.dtypes)
    check(launched)
