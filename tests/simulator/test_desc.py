"""Tensor descriptors and data buffers (TD-1 .. TD-24, DB-1 .. DB-3, K5, K75 .. K84)."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from ascendtensor.simulator.engine.tables import BUFFERS, DESCS


def test_creation_validates_nothing_and_returns_the_handle_alone(acl: ModuleType) -> None:  # TD-1, PY-6, PY-12
    desc = acl.create_tensor_desc(-77, [1, -5, 0], 99)
    assert isinstance(desc, int) and desc
    assert acl.get_tensor_desc_type(desc) == -77
    assert acl.get_tensor_desc_format(desc) == 99
    assert acl.get_tensor_desc_num_dims(desc) == 3
    assert acl.destroy_tensor_desc(desc) is None
    assert acl.destroy_tensor_desc(0) is None  # TD-3


@pytest.mark.parametrize("dims", [(1, 2), None, 3, [1.0], [np.int64(3)], ["2"]])
def test_dims_must_be_a_list_of_real_ints(acl: ModuleType, dims: object) -> None:  # PY-5, PY-12, K5
    with pytest.raises(TypeError):
        acl.create_tensor_desc(0, dims, 2)
    desc = acl.create_tensor_desc(0, [1], 2)
    for setter in (acl.set_tensor_shape, acl.set_tensor_storage_shape, acl.set_tensor_origin_shape):
        with pytest.raises(TypeError):
            setter(desc, dims)


def test_numpy_integers_are_fine_for_c_ints(acl: ModuleType) -> None:  # PY-3
    desc = acl.create_tensor_desc(np.int32(3), [2], np.int64(2))
    assert acl.get_tensor_desc_type(desc) == 3
    with pytest.raises(TypeError, match=r"acl\.create_tensor_desc args parse failed"):
        acl.create_tensor_desc(1 << 31, [2], 2)
    with pytest.raises(TypeError, match=r"acl\.create_tensor_desc args parse failed"):
        acl.create_tensor_desc(0, [2])


def test_a_new_desc_has_the_defaults(acl: ModuleType) -> None:  # TD-2
    record = DESCS[acl.create_tensor_desc(0, [2, 3], 2)]
    assert (record.storage_format, record.storage_dims, record.ranges) == (-1, [2, 3], [])
    assert (record.const, record.placement, record.name) == (None, 0, "")


def test_getters_on_null(acl: ModuleType) -> None:  # TD-4
    assert acl.get_tensor_desc_type(0) == acl.get_tensor_desc_format(0) == acl.get_tensor_desc_dim(0, 0) == -1
    assert acl.get_tensor_desc_element_count(0) == acl.get_tensor_desc_size(0) == acl.get_tensor_desc_num_dims(0) == 0
    assert acl.get_tensor_desc_name(0) == ""
    assert acl.get_tensor_desc_address(0) == acl.get_tensor_desc_by_index(0, 3) == 0  # TD-23


@pytest.mark.parametrize(
    ("dtype", "dims", "count", "size"),
    [
        (0, [], 1, 4),
        (1, [2, 3], 6, 12),
        (0, [2, -1], 0, 0),
        (0, [2, 0], 0, 0),
        (0, [1 << 40, 1 << 40], 0, 0),
        (17, [3], 3, 48),
        (13, [3], 3, 0),
        (-1, [3], 3, 0),
        (29, [3], 3, 3),
        (12, [3], 3, 3),
    ],
)
def test_counts_and_sizes(acl: ModuleType, dtype: int, dims: list[int], count: int, size: int) -> None:  # TD-6, TD-7
    desc = acl.create_tensor_desc(dtype, dims, 2)
    assert acl.get_tensor_desc_element_count(desc) == count
    assert acl.get_tensor_desc_size(desc) == size


def test_unknown_rank(acl: ModuleType) -> None:  # TD-8
    assert acl.get_tensor_desc_num_dims(acl.create_tensor_desc(0, [-2], 2)) == 0xFFFFFFFFFFFFFFFE


def test_dims_by_index(acl: ModuleType) -> None:  # TD-9, K76, K77
    desc = acl.create_tensor_desc(0, [4, -1], 2)
    assert [acl.get_tensor_desc_dim(desc, index) for index in (0, 1, 2)] == [4, -1, -1]
    assert [acl.get_tensor_desc_dim_v2(desc, index) for index in (0, 1, 2)] == [(4, 0), (-1, 0), (0, 100000)]
    assert acl.get_tensor_desc_dim_v2(0, 0) == (0, 100000)


def test_ranges(acl: ModuleType) -> None:  # TD-10, TD-14, PY-12, K78, K79
    desc = acl.create_tensor_desc(0, [-1, 4], 2)
    assert acl.get_tensor_desc_dim_range(desc, 0, 2) == (None, 100000)
    assert acl.set_tensor_shape_range(desc, [[1, -1], [4, 4, 9]]) == 0
    assert acl.get_tensor_desc_dim_range(desc, 0, 2) == ([1, -1], 0)
    assert acl.get_tensor_desc_dim_range(desc, 1, 2) == ([4, 4], 0)
    assert acl.get_tensor_desc_dim_range(desc, 2, 2) == (None, 100000)
    for count in (0, 1, 4097):
        assert acl.get_tensor_desc_dim_range(desc, 0, count) == (None, 100000)
    assert acl.set_tensor_shape_range(desc, [[2, 3]]) == 0
    assert DESCS[desc].ranges == [(2, 3)]
    assert acl.set_tensor_shape_range(0, [[1, 2]]) == acl.set_tensor_value_range(0, [[1, 2]]) == 100000  # K81
    for bad in ([(1, 2)], [[1]], [1, 2], ((1, 2),)):
        with pytest.raises(TypeError):
            acl.set_tensor_shape_range(desc, bad)


def test_storage_and_origin_views(acl: ModuleType) -> None:  # TD-5, TD-12, TD-13, K82, K83
    desc = acl.create_tensor_desc(0, [2, 3], 2)
    assert acl.set_tensor_shape(desc, [9]) == acl.set_tensor_storage_shape(desc, [6]) == 0
    assert acl.get_tensor_desc_num_dims(desc) == 2
    assert DESCS[desc].storage_dims == [6]
    assert acl.set_tensor_origin_shape(desc, [5, 5, 5]) == 0
    assert acl.get_tensor_desc_num_dims(desc) == 3
    assert DESCS[desc].storage_dims == [6]
    assert acl.set_tensor_format(desc, 3) == acl.set_tensor_storage_format(desc, 29) == 0
    assert acl.get_tensor_desc_format(desc) == 2
    assert acl.set_tensor_origin_format(desc, 0) == 0
    assert acl.get_tensor_desc_format(desc) == 0
    assert acl.set_tensor_format(0, 3) == acl.set_tensor_storage_format(0, 3) == acl.set_tensor_origin_format(0, 3) == 0
    assert acl.set_tensor_shape(0, [1]) == acl.set_tensor_storage_shape(0, [1]) == acl.set_tensor_origin_shape(0, [1]) == 100000


def test_names_and_repeated_inputs(acl: ModuleType) -> None:  # TD-11, TD-20, PY-7
    desc = acl.create_tensor_desc(0, [1], 2)
    assert acl.set_tensor_desc_name(desc, "x") is None
    assert acl.set_tensor_desc_name(0, "x") is None
    assert acl.get_tensor_desc_name(desc) == "x"
    assert acl.set_tensor_dynamic_input(desc, "y") == 0
    assert acl.set_tensor_dynamic_input(0, "y") == 100000


def test_constants_are_copied_at_once(acl: ModuleType) -> None:  # TD-17, TD-18, K80
    desc = acl.create_tensor_desc(3, [2], 2)
    array = np.array([1, 2], np.int32)
    address = int(array.__array_interface__["data"][0])
    assert acl.set_tensor_const(0, address, 8) == acl.set_tensor_const(desc, 0, 8) == acl.set_tensor_const(desc, address, 0) == 100000
    assert DESCS[desc].const is None
    assert acl.set_tensor_const(desc, address, 8) == 0
    array[:] = 0
    assert DESCS[desc].const == np.array([1, 2], np.int32).tobytes()


def test_placement_is_stored_unchecked(acl: ModuleType) -> None:  # TD-19, K81
    desc = acl.create_tensor_desc(3, [2], 2)
    assert acl.set_tensor_place_ment(desc, 77) == 0
    assert DESCS[desc].placement == 77
    assert acl.set_tensor_place_ment(0, 1) == 100000


def test_reserved_transformation(acl: ModuleType) -> None:  # TD-22, K84
    assert acl.trans_tensor_desc_format(acl.create_tensor_desc(0, [1], 2), 3) == (0, 200001)


def test_use_after_destroy_is_refused(acl: ModuleType) -> None:
    desc = acl.create_tensor_desc(0, [1], 2)
    acl.destroy_tensor_desc(desc)
    assert acl.set_tensor_shape(desc, [2]) == 100000
    assert "not a live" in (acl.get_recent_err_msg() or "")


def test_data_buffers(acl: ModuleType) -> None:  # DB-1 .. DB-3, K75
    address, _ = acl.rt.malloc(64, 0)
    buffer = acl.create_data_buffer(address, (1 << 32) + 5)
    assert acl.get_data_buffer_addr(buffer) == address
    assert acl.get_data_buffer_size(buffer) == 5
    assert acl.get_data_buffer_size_v2(buffer) == (1 << 32) + 5
    assert acl.update_data_buffer(buffer, 0, 0) == 0
    assert acl.get_data_buffer_addr(buffer) == acl.get_data_buffer_size_v2(buffer) == 0
    assert acl.destroy_data_buffer(buffer) == 0
    assert acl.destroy_data_buffer(buffer) == acl.destroy_data_buffer(0) == acl.update_data_buffer(0, 0, 0) == 100000
    assert acl.get_data_buffer_addr(0) == acl.get_data_buffer_size(0) == acl.get_data_buffer_size_v2(0) == 0
    assert acl.rt.free(address) == 0


def test_prepared_tasks_go_with_buffer_and_memory(acl: ModuleType) -> None:
    from_update: dict[str, object] = {"key": 1}
    from_destroy: dict[str, object] = {"key": 1}
    buffer = acl.create_data_buffer(0, 0)
    BUFFERS[buffer].tasks.append((from_update, "key"))
    acl.update_data_buffer(buffer, 64, 64)
    BUFFERS[buffer].tasks.append((from_destroy, "key"))
    acl.destroy_data_buffer(buffer)
    assert from_update == from_destroy == {}


def test_type_sizes(acl: ModuleType) -> None:  # TD-7
    assert [acl.data_type_size(code) for code in (0, 1, 2, 12, 27, 9, 11, 16, 17, 13, -1, 500)] == [4, 2, 1, 1, 2, 8, 8, 8, 16, 0, 0, 8]
