"""ACL's numbers."""

from __future__ import annotations

import pickle

import pytest

from ascendtensor import codes
from ascendtensor.codes import DataType, ErrorCode


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (0, "ACL_ERROR_NONE"),
        (100000, "ACL_ERROR_INVALID_PARAM"),
        (100024, "ACL_ERROR_OP_NOT_FOUND"),
        (107002, "ACL_ERROR_RT_CONTEXT_NULL"),
        (207001, "ACL_ERROR_RT_MEMORY_ALLOCATION"),
        (145000, "ACL_ERROR_GE_PARAM_INVALID"),
        (500002, "ACL_ERROR_GE_FAILURE"),
    ],
)
def test_codes_have_their_c_names(code: int, name: str) -> None:
    """GEN-3."""
    assert codes.error_name(code) == name
    assert ErrorCode(code) == code and codes.error_meaning(code) == ErrorCode(code).meaning != ""


def test_all_251_codes_are_there_once_with_a_meaning() -> None:
    assert len(ErrorCode.__members__) == len({int(code) for code in ErrorCode}) == 251
    assert all(code.meaning for code in ErrorCode)
    assert pickle.loads(pickle.dumps(ErrorCode.RT_INVALID_DEVICEID)) is ErrorCode.RT_INVALID_DEVICEID


@pytest.mark.parametrize(
    ("code", "words"), [(199999, "caller"), (299999, "resource"), (599999, "internal"), (7, "not a code"), (-1, "not a code")]
)
def test_unknown_codes_are_said_to_be_unknown(code: int, words: str) -> None:
    """GEN-1: the first digit tells whose fault it was."""
    assert codes.error_name(code) == "unknown code"
    assert words in codes.error_meaning(code)


@pytest.mark.parametrize(
    ("types", "size"),
    [
        ([DataType.BOOL, DataType.INT8, DataType.UINT8, DataType.INT4, DataType.UINT1], 1),
        ([DataType.FLOAT16, DataType.BF16, DataType.INT16, DataType.UINT16], 2),
        ([DataType.FLOAT, DataType.INT32, DataType.UINT32, DataType.COMPLEX32], 4),
        ([DataType.DOUBLE, DataType.INT64, DataType.UINT64, DataType.COMPLEX64, 5, 999, -7], 8),
        ([DataType.COMPLEX128], 16),
        ([DataType.UNDEFINED, DataType.STRING], 0),
    ],
)
def test_type_sizes(types: list[int], size: int) -> None:
    """TD-7, also its answer 8 for numbers it does not know."""
    assert {codes.data_type_size(code) for code in types} == {size}


def test_the_enums_of_gen_4() -> None:
    assert [int(kind) for kind in codes.MemcpyKind] == list(range(8))
    assert (codes.MallocPolicy.HUGE_FIRST, codes.MallocPolicy.NORMAL_ONLY, codes.MallocPolicy.HUGE1G_ONLY) == (0, 2, 6)
    assert (codes.RunMode.DEVICE, codes.RunMode.HOST) == (0, 1)
    assert [int(place) for place in codes.Placement] == [0, 1, 2]
    assert (codes.StreamStatus.COMPLETE, codes.StreamStatus.NOT_READY, codes.StreamStatus.RESERVED) == (0, 1, 0xFFFF)
    assert codes.EventStatus.COMPLETE == codes.EventRecordedStatus.NOT_READY == 0
    assert codes.EventFlag.SYNC | codes.EventFlag.TIME_LINE == 9
    assert (codes.Format.ND, codes.Format.NCHW, codes.Format.UNDEFINED, DataType.BF16, DataType.UNDEFINED) == (2, 0, -1, 27, -1)
