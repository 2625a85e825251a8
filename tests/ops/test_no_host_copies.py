"""Functions leave their numbers on the device: what is copied to the host, and why, is listed here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from coverage_samples import SAMPLES
from harness import Record, With, to_device
from records import RECORDS

import ascendtensor as at
from ascendtensor.acl import binding
from ascendtensor.codes import MemcpyKind
from ascendtensor.dtypes import dtype as DType

WAITING = {
    "allclose": "its result is a Python bool",
    "equal": "its result is a Python bool",
    "is_nonzero": "its result is a Python bool",
    "bincount": "the largest number decides the shape",
    "bincount.weights": "the largest number decides the shape",
    "repeat_interleave-counts": "the sum of the counts decides the shape",
    "repeat_interleave-places": "the sum of the counts decides the shape",
    "masked_scatter": "a source without elements is refused at once if the mask holds anywhere",
    "masked_scatter_": "a source without elements is refused at once if the mask holds anywhere",
    "index by several tensors": "a 0-d integer tensor is a number, which the offset of a view is made of",
    "lstsq": "ranks choose between the drivers' roads",
    "matrix_exp": "the largest norm decides how often the matrices are halved",
    "quantile": "fractions in a tensor become the places between which is interpolated",
}
WAITING_ELSEWHERE = {
    "linalg.eig": "whether all eigenvalues are found decides whether there is another step",
    "linalg.eigvals": "whether all eigenvalues are found decides whether there is another step",
    "istft": "the smallest weight tells whether windows leave gaps",
    "nn.functional.one_hot": "the largest class decides the shape, where the number of classes is not given",
}
"""Records whose function copies to the host, with the reason."""

FEW = 2
"""Samples of a record in the quick run."""


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The copies to the host since, by the name of the call."""
    found: list[str] = []

    def counted(name: str) -> Callable[..., Any]:
        copy = getattr(binding, name)

        def call(*args: Any) -> Any:
            if args[4] == MemcpyKind.DEVICE_TO_HOST:
                found.append(name)
            return copy(*args)

        return call

    for name in ("memcpy", "memcpy_async"):
        monkeypatch.setattr(binding, name, counted(name))
    return found


def calls(record: Record, dtype: DType, few: bool) -> Iterator[Callable[[], Any]]:
    """Calls of a record's function, with operands that are on the device already."""
    samples = list(record.samples(dtype))
    for sample in samples[:: max(1, -(-len(samples) // FEW))] if few else samples:
        args, kwargs = (sample.args, sample.kwargs) if isinstance(sample, With) else (sample, {})
        operands, keywords = to_device(args), {name: to_device(value) for name, value in kwargs.items()}
        yield lambda operands=operands, keywords=keywords: record.function(*operands, **keywords)


def sweep(record: Record, dtypes: Any, copies: list[str], few: bool) -> None:
    for dtype in dtypes:
        for call in calls(record, dtype, few):
            copies.clear()
            with np.errstate(all="ignore"):
                call()
            assert not copies or record.name in WAITING, f"{record.name} of {dtype.name} copies to the host: {copies}"


def test_nothing_is_copied_to_the_host(copies: list[str]) -> None:
    for record in RECORDS:
        sweep(record, record.dtypes[:1], copies, few=True)


@pytest.mark.slow
@pytest.mark.parametrize("record", [pytest.param(record, id=record.name) for record in RECORDS])
def test_nothing_of_any_dtype_is_copied_to_the_host(record: Record, copies: list[str]) -> None:
    sweep(record, record.dtypes, copies, few=False)


def test_samples_copy_nothing_to_the_host(copies: list[str]) -> None:
    for name in SAMPLES.keys() - {"item"} - WAITING_ELSEWHERE.keys():
        SAMPLES[name][0]()
        assert not copies, f"{name} copies to the host: {copies}"


def test_the_list_holds_those_that_do_copy(copies: list[str]) -> None:
    by_name = {record.name: record for record in RECORDS}
    for name in WAITING:
        record = by_name[name]
        copied = 0
        for call in calls(record, record.dtypes[0], few=False):
            copies.clear()
            call()
            copied += bool(copies)
        assert copied, f"{name} copies nothing to the host any more"


# Functions that neither a record nor a sample calls: aliases, in-place forms, views, random numbers

NAMESPACES = {
    "": at,
    "nn.functional.": at.nn.functional,
    "linalg.": at.linalg,
    "fft.": at.fft,
    "special.": at.special,
    "random.": at.random,
}
COMPUTING = ("ops", "casting", "nn", "linalg", "fft", "special", "random", "creation", "windows", "vision")
NO_TENSORS = frozenset(
    [
        "broadcast_shapes",
        "can_cast",
        "default_generator",
        "fork_rng",
        "get_float32_matmul_precision",
        "get_rng_state",
        "initial_seed",
        "manual_seed",
        "promote_types",
        "register_op",
        "result_type",
        "seed",
        "set_float32_matmul_precision",
        "set_rng_state",
    ]
)
OF_THE_HOST = frozenset(("from_numpy", "frombuffer", "from_ptr", "scalar_tensor"))
REFUSED = frozenset(("linalg.ldl_factor", "linalg.ldl_factor_ex", "linalg.ldl_solve", "special.airy_ai"))


def operands() -> dict[str, Any]:
    """Small tensors by the letters that the calls below use."""
    x = at.tensor([[0.75, 0.25], [0.25, 0.5]])
    return {"at": at, "x": x, "i": at.tensor([1, 0]), "v": at.tensor([1.0, 2.0, 3.0]), "c": at.ones(1, 2, 2, 2)}


OTHERS = {
    "acl_cast": "x, at.float16",
    "alpha_dropout": "x, 0.5, True",
    "broadcast_tensors": "x, x",
    "broadcast_to": "x, (2, 2, 2)",
    "chunk": "x, 2",
    "clamp_": "x, 0.0, 0.5",
    "clip": "x, 0.0, 0.5",
    "clip_": "x, 0.0, 0.5",
    "concat": "[x, x]",
    "concatenate": "[x, x]",
    "cross": "v, v",
    "dsplit": "c, 2",
    "embedding_renorm_": "x, i, 0.1, 2.0",
    "empty_strided": "(2, 2), (1, 2)",
    "feature_alpha_dropout": "c, 0.5, True",
    "feature_dropout": "c",
    "gcd_": "i, i",
    "hsplit": "x, 2",
    "index_reduce": "x, 0, i, x, 'amax'",
    "lcm_": "i, i",
    "ldexp_": "x, i",
    "linalg.lu_solve": "*at.linalg.lu_factor(x), x",
    "lu_solve": "x, *at.linalg.lu_factor(x)",
    "lu_unpack": "*at.linalg.lu_factor(x)",
    "moveaxis": "x, 0, 1",
    "movedim": "x, 0, 1",
    "native_group_norm": "c, None, None, 1, 2, 4, 1, 1e-5",
    "nn.functional.dropout1d": "c[0]",
    "nn.functional.dropout2d": "c",
    "nn.functional.dropout3d": "c",
    "nn.functional.multi_head_attention_forward": (
        "x, x, x, 2, 1, at.ones(6, 2), at.ones(6), None, None, False, 0.0, at.ones(2, 2), at.ones(2)"
    ),
    "randint_like": "x, 5",
    "random.multinomial": "x, 1",
    "random.rand": "2, 2",
    "random.randint": "0, 5, (2,)",
    "random.randn": "2, 2",
    "random.randperm": "4",
    "row_stack": "[x, x]",
    "slice_scatter": "x, x",
    "special.multigammaln": "v, 1",
    "split_with_sizes": "x, [1, 1]",
    "swapaxes": "x, 0, 1",
    "swapdims": "x, 0, 1",
    "tensor_split": "x, 2",
    "threshold_": "x, 0.5, 0.0",
    "transpose": "x, 0, 1",
    "vsplit": "x, 2",
}
"""Arguments of those that take more than one or two tensors."""


def elsewhere() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public functions on tensors that neither a record nor a sample calls."""
    met = {id(record.function) for record in RECORDS}
    for prefix, namespace in NAMESPACES.items():
        for name in namespace.__all__:
            function = getattr(namespace, name)
            if inspect.isfunction(function) and id(function) not in met and prefix + name not in SAMPLES:
                met.add(id(function))
                if function.__module__.split(".")[1] in COMPUTING and name not in NO_TENSORS | OF_THE_HOST:
                    yield prefix + name, function


def test_no_other_function_copies_to_the_host(copies: list[str]) -> None:
    met = set()
    for name, function in elsewhere():
        met.add(name)
        if name in REFUSED or name in WAITING_ELSEWHERE:
            continue
        given = operands()
        parameters = inspect.signature(function).parameters.values()
        needed = sum(parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters)
        assert name in OTHERS or needed in (1, 2), f"OTHERS has no arguments for {name}"
        arguments = eval(f"({OTHERS.get(name, ', '.join('x' * needed))},)", given)
        copies.clear()
        with np.errstate(all="ignore"):
            function(*arguments)
        assert not copies, f"{name} copies to the host: {copies}"
    assert OTHERS.keys() <= met


def test_the_others_that_wait_do_copy(copies: list[str]) -> None:
    spectrum = at.stft(at.ones(32), 8, return_complex=True)
    at.istft(spectrum, 8)
    assert copies
    copies.clear()
    at.nn.functional.one_hot(at.tensor([1, 2]))
    assert copies
