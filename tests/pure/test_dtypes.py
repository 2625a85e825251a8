"""Dtypes: one object each, found by every name people use, and refused with words."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from ascendtensor import codes, dtypes, errors
from ascendtensor.dtypes import ALL, as_dtype, from_acl, from_numpy


@pytest.fixture
def restored_default() -> Iterator[None]:
    yield
    dtypes.set_default_dtype(dtypes.float32)


@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_every_way_to_a_dtype_leads_to_the_same_object(each: dtypes.dtype) -> None:
    assert as_dtype(each) is each
    assert as_dtype(each.name) is each
    assert as_dtype(each.numpy) is each
    assert as_dtype(each.numpy.type) is each
    assert from_numpy(each.numpy) is each
    assert from_acl(each.acl) is each
    assert from_acl(int(each.acl)) is each
    assert np.dtype(each) == each.numpy
    assert np.zeros(2, each).dtype == each.numpy
    assert copy.deepcopy(each) is each
    assert pickle.loads(pickle.dumps(each)) is each
    assert repr(each) == f"ascendtensor.{each.name}"


@pytest.mark.parametrize("each", ALL, ids=lambda each: each.name)
def test_facts_agree_with_numpy_and_acl(each: dtypes.dtype) -> None:
    assert each.itemsize == each.numpy.itemsize == codes.data_type_size(each.acl)
    if each is not dtypes.bfloat16:
        kind = each.numpy.kind
        assert each.category == {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}[kind]
        assert (each.is_floating_point, each.is_complex) == (kind == "f", kind == "c")
        assert each.is_signed == (kind in "ifc")
        assert getattr(np, each.name if each is not dtypes.bool_ else "bool_") is each.numpy.type


def test_bfloat16_is_held_in_ml_dtypes_arrays() -> None:
    assert dtypes.bfloat16.numpy.type is ml_dtypes.bfloat16
    assert dtypes.bfloat16.is_floating_point and dtypes.bfloat16.is_signed


def test_python_types_and_other_names() -> None:
    assert [as_dtype(kind) for kind in (bool, int, float, complex)] == [dtypes.bool_, dtypes.int64, dtypes.float32, dtypes.complex64]
    assert [as_dtype(name) for name in ("bool", "int", "float", "complex")] == [as_dtype(kind) for kind in (bool, int, float, complex)]
    assert as_dtype("half") is dtypes.float16 and as_dtype("double") is dtypes.float64 and as_dtype("long") is dtypes.int64
    assert as_dtype("f4") is dtypes.float32 and as_dtype("i8") is dtypes.int64
    for scalar in (np.longlong, np.intc, np.byte, np.uintc, np.ulonglong):
        assert as_dtype(scalar).numpy == np.dtype(scalar)


@pytest.mark.parametrize(
    "value", [object, "O", "nope", None, 3, [], np.floating, np.longdouble, "datetime64[s]", str, np.dtype([("a", "f4")])]
)
def test_other_types_are_refused(value: object) -> None:
    with pytest.raises(errors.DTypeError, match=r"float32, float64"):
        as_dtype(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [">f4", np.dtype(">i8"), np.dtype("f4").newbyteorder("S")])
def test_foreign_byte_order_is_refused_with_the_way_out(value: object) -> None:
    with pytest.raises(TypeError, match="newbyteorder"):
        as_dtype(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("code", [29, -1, 13, 5, 999])
def test_acl_types_without_a_dtype_are_refused(code: int) -> None:
    with pytest.raises(errors.DTypeError, match=str(code)):
        from_acl(code)


def test_the_default_dtype_changes_what_floats_mean(restored_default: None) -> None:
    assert dtypes.get_default_dtype() is dtypes.float32
    dtypes.set_default_dtype("float64")
    assert as_dtype(float) is dtypes.float64 and as_dtype(complex) is dtypes.complex128
    dtypes.set_default_dtype(dtypes.bfloat16)
    assert as_dtype("float") is dtypes.bfloat16 and as_dtype(complex) is dtypes.complex64
    with pytest.raises(errors.DTypeError, match="int32"):
        dtypes.set_default_dtype(dtypes.int32)
    assert dtypes.get_default_dtype() is dtypes.bfloat16


@pytest.mark.parametrize("each", [each for each in ALL if each.category >= dtypes.FLOATING], ids=lambda each: each.name)
def test_finfo_gives_numpys_limits(each: dtypes.dtype) -> None:
    ours, theirs = dtypes.finfo(each), ml_dtypes.finfo(each.to_real().numpy)
    for name in ("bits", "eps", "max", "min", "tiny", "smallest_normal"):
        assert getattr(ours, name) == float(getattr(theirs, name))
        assert type(getattr(ours, name)) in (int, float)
    assert ours.resolution == {"bfloat16": 0.01, "float16": 0.001, "float32": 1e-6, "float64": 1e-15}[ours.dtype.name]
    assert ours.dtype is each.to_real()
    assert each.name in repr(ours) or each.is_complex


@pytest.mark.parametrize("each", [each for each in ALL if each.category == dtypes.INTEGER], ids=lambda each: each.name)
def test_iinfo_gives_numpys_limits(each: dtypes.dtype) -> None:
    ours, theirs = dtypes.iinfo(each), np.iinfo(each.numpy)
    assert (ours.bits, ours.min, ours.max, ours.dtype) == (theirs.bits, theirs.min, theirs.max, each)


def test_limits_of_the_wrong_category_are_refused() -> None:
    assert dtypes.finfo().dtype is dtypes.float32
    with pytest.raises(errors.DTypeError, match="iinfo"):
        dtypes.finfo("int32")
    for name in ("float32", "bool"):
        with pytest.raises(errors.DTypeError, match="finfo"):
            dtypes.iinfo(name)


def test_complex_types_and_their_parts() -> None:
    assert dtypes.complex128.to_real() is dtypes.float64 and dtypes.int8.to_real() is dtypes.int8
    assert dtypes.float64.to_complex() is dtypes.complex128 and dtypes.float16.to_complex() is dtypes.complex64
    assert dtypes.complex128.to_complex() is dtypes.complex128


def test_no_dtype_can_be_made() -> None:
    with pytest.raises(TypeError, match="as_dtype"):
        dtypes.dtype("float8")


def test_kinds_are_numpys_letters() -> None:
    found = {each.name: each.kind for each in ALL}
    letters = {"bool": "b", "int": "i", "uint": "u", "float": "f", "bfloat": "f", "complex": "c"}
    assert found == {name: letters[name.rstrip("0123456789")] for name in found} and len(found) == 15
