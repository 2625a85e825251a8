"""The error tree: builtin bases, order of the text, fields, pickling."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from ascendtensor import dtypes, errors
from ascendtensor.errors import AclError, describe_operands, from_acl

BASES = {
    errors.ShapeError: ValueError,
    errors.ValueRangeError: ValueError,
    errors.StateError: RuntimeError,
    errors.FileFormatError: ValueError,
    errors.DTypeError: TypeError,
    errors.IndexRangeError: IndexError,
    errors.DeviceError: RuntimeError,
    errors.DeviceIndexError: ValueError,
    errors.BackendError: RuntimeError,
    errors.CompileError: RuntimeError,
    errors.CompilerNotFoundError: errors.CompileError,
    errors.ClosedError: RuntimeError,
    errors.ForkError: RuntimeError,
    errors.UnsupportedError: NotImplementedError,
    errors.AutogradError: NotImplementedError,
    errors.AclError: RuntimeError,
    errors.LinAlgError: np.linalg.LinAlgError,
    errors.OutOfDeviceMemoryError: MemoryError,
    errors.OperatorNotFoundError: NotImplementedError,
}


def tensor(*shape: int, dtype: object = dtypes.float32, device: str = "npu:0") -> SimpleNamespace:
    return SimpleNamespace(shape=shape, dtype=dtype, device=device)


def test_every_class_of_the_tree_is_listed_here() -> None:
    public = {getattr(errors, name) for name in errors.__all__ if name.endswith("Error")}
    assert public == {*BASES, errors.AscendTensorError}
    assert errors.__doc__ is not None and all(cls.__name__ in errors.__doc__ for cls in public)


@pytest.mark.parametrize("cls", BASES, ids=lambda cls: cls.__name__)
def test_a_plain_except_catches_it_and_it_pickles(cls: type[errors.AscendTensorError]) -> None:
    error = from_acl("acl.f", 100000) if cls is AclError else cls("acl.f", 100024) if issubclass(cls, AclError) else cls("what")
    assert isinstance(error, BASES[cls]) and isinstance(error, errors.AscendTensorError)
    error.with_context("f", [1])
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is type(error) and str(twin) == str(error) and twin.__dict__ == error.__dict__


def test_the_text_has_four_parts_in_order() -> None:
    error = from_acl("acl.op.create_handle", 107002, "EE1001:  no\ncontext\n", [tensor(2, 3), 2], "Try again.").with_context("add")
    assert str(error).split("\n  ") == [
        "add: no context on this thread, or the context is not valid any more",
        "operands: float32[2, 3] on npu:0, int 2",
        "acl.op.create_handle returned ACL_ERROR_RT_CONTEXT_NULL (107002): EE1001: no context",
        "Try again.",
    ]
    assert (error.function, error.code, error.name) == ("acl.op.create_handle", 107002, "ACL_ERROR_RT_CONTEXT_NULL")
    assert error.advice == "Try again." and error.where == "add" and error.acl_message.startswith("EE1001")


@pytest.mark.parametrize(
    ("code", "cls"),
    [
        (207001, errors.OutOfDeviceMemoryError),
        (245000, errors.OutOfDeviceMemoryError),
        (100024, errors.OperatorNotFoundError),
        (100000, AclError),
        (7, AclError),
    ],
)
def test_the_class_goes_by_the_code(code: int, cls: type[AclError]) -> None:
    error = from_acl("acl.rt.malloc", code)
    assert type(error) is cls and error.code == code and f"({code})" in str(error)


def test_known_codes_come_with_advice() -> None:
    assert "empty_cache" in str(from_acl("acl.rt.malloc", 207001))
    assert "device_count" in from_acl("acl.rt.set_device", 107001).advice


def test_out_of_memory_says_how_much() -> None:
    error = errors.OutOfDeviceMemoryError(requested=3 << 30, used=1 << 30, cached=512, free=5 << 20)
    assert (
        "asked for 3.0 GiB" in str(error)
        and "1.0 GiB are in use" in str(error)
        and "512 B cached" in str(error)
        and "5.0 MiB free" in str(error)
    )
    assert (error.requested, error.used, error.cached, error.free, error.code) == (3 << 30, 1 << 30, 512, 5 << 20, 207001)


def test_a_lower_floors_context_is_kept() -> None:
    error = errors.ShapeError("no", where="matmul").with_context("linear", [3])
    assert str(error) == "matmul: no\n  operands: int 3"
    assert str(errors.ShapeError("no")) == "no" and str(errors.ShapeError()) == ""


def test_compile_errors_show_the_end_of_the_log() -> None:
    error = errors.CompileError("atc failed", op_type="Add", log="E1\nE2\n", advice="Look.")
    assert str(error) == "atc failed\n  compiler log: E1\n    E2\n  Look."
    assert (error.op_type, error.log) == ("Add", "E1\nE2\n")


@pytest.mark.parametrize(
    ("operand", "text"),
    [
        (tensor(2, 3, dtype=dtypes.bfloat16, device="npu:1"), "bfloat16[2, 3] on npu:1"),
        (tensor(), "float32[] on npu:0"),
        (tensor(1, dtype="torch.float16", device="cpu"), "float16[1] on host"),
        (np.zeros((0, 4), np.int8), "int8[0, 4] on host"),
        (np.float64(2), "float64[] on host"),
        (True, "bool True"),
        (-3, "int -3"),
        (2.5, "float 2.5"),
        (1j, "complex 1j"),
        (None, "None"),
        ("mean", "'mean'"),
        (slice(1, None), "slice(1, None, None)"),
        (..., "Ellipsis"),
        ([tensor(2), 1], "(float32[2] on npu:0, int 1)"),
        ((), "()"),
        (list(range(9)), "(int 0, int 1, int 2, int 3, int 4, int 5, int 6, int 7, ...)"),
        (object(), "object"),
        (np.float32, "type"),
        (10**100, "int 1" + "0" * 56 + "..."),
    ],
)
def test_operands_in_words(operand: object, text: str) -> None:
    assert describe_operands(operand) == text


def test_a_number_too_long_to_print_is_described() -> None:
    assert len(describe_operands(10**5000)) < 80  # repr raises ValueError from Python 3.11 on


def test_a_list_that_holds_itself_is_described() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert describe_operands(endless, 1) == "((list)), int 1"


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (3 << 29, "1.5 GiB"), (1 << 42, "4.0 TiB")])
def test_bytes_in_words(count: int, text: str) -> None:
    assert errors.describe_bytes(count) == text
