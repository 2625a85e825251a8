"""What a program reads that calls pyACL wrongly: classes and texts of the binding (PY-2 to PY-5, PY-10 to PY-18, K1 to K10)."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

Call = Callable[[Any], Any]

TEXTS: list[tuple[Call, type[BaseException], str]] = [
    # names and constants from imagination
    (lambda acl: acl.ACL_SUCCESS, AttributeError, "module 'acl' has no attribute 'ACL_SUCCESS'"),
    (lambda acl: acl.rt.MEMCPY_HOST_TO_DEVICE, AttributeError, "module 'acl.rt' has no attribute 'MEMCPY_HOST_TO_DEVICE'"),
    (lambda acl: acl.op.compile("Add"), AttributeError, "module 'acl.op' has no attribute 'compile'"),
    (lambda acl: acl.rt.get_current_context(), AttributeError, "module 'acl.rt' has no attribute 'get_current_context'"),
    (lambda acl: acl.mdl.load("net.om"), AttributeError, "module 'acl.mdl' has no attribute 'load'"),
    (lambda acl: acl.util.ptr_to_array(1), AttributeError, "module 'acl.util' has no attribute 'ptr_to_array'"),
    (lambda acl: acl.blas.gemm(), AttributeError, "module 'acl.blas' has no attribute 'gemm'"),
    # numbers of arguments
    (lambda acl: acl.rt.set_device(), TypeError, "acl.rt.set_device args parse failed"),
    (lambda acl: acl.rt.malloc(64), TypeError, "acl.rt.malloc args parse failed"),
    (lambda acl: acl.rt.memcpy(1, 2, 3, 4), TypeError, "acl.rt.memcpy args parse failed"),
    (lambda acl: acl.rt.stream_query(), TypeError, "acl.rt.stream_query args parse failed!"),
    (lambda acl: acl.rt.synchronize_event_with_timeout(0), TypeError, "acl.rt.synchronize_event_with_timeout args parse failed!"),
    (lambda acl: acl.rt.get_stream_res_limit(0), TypeError, "acl.rt.get_stream_res_limit parse failed"),
    (lambda acl: acl.rt.set_sys_param_opt(0), TypeError, "acl.rt.set_sys_param_opt args parse faild"),
    (lambda acl: acl.rt.get_devices_topo(0), TypeError, "acl.rt.reset_device_res_limit args parse failed"),
    (lambda acl: acl.mdl.load_from_file(), TypeError, "acl.mdl.load_from_file args parse failed!"),
    (lambda acl: acl.mdl.load_with_config(), TypeError, "acl.mdl.load_with_config args parse failed"),
    (lambda acl: acl.prof.init(), TypeError, "acl.prof.Init args parse failed!"),
    (lambda acl: acl.prof.get_op_type_len(0), TypeError, "acl.prof.get_op_type args parse failed"),
    (lambda acl: acl.set_tensor_format(0), TypeError, "acl.set_tensor_format args parse failed!"),
    (lambda acl: acl.blas.gemm_ex(1), TypeError, "acl.blas.gemm_ex args parse failed"),
    (lambda acl: acl.op.register_compile_func("Add"), TypeError, "function takes exactly 2 arguments (1 given)"),
    (lambda acl: acl.util.start_thread(), TypeError, "function takes exactly 2 arguments (0 given)"),
    (lambda acl: acl.rt.get_event_id(), TypeError, "function takes exactly 1 argument (0 given)"),
    # types
    (lambda acl: acl.rt.free(None), TypeError, "acl.rt.free args parse failed"),
    (lambda acl: acl.rt.free(1.0), TypeError, "acl.rt.free args parse failed"),
    (lambda acl: acl.rt.set_device(1 << 31), TypeError, "acl.rt.set_device args parse failed"),
    (lambda acl: acl.op.register_compile_func(1, print), TypeError, "argument 1 must be str, not int"),
    (lambda acl: acl.rt.get_event_id(None), TypeError, "argument 1 must be int, not None"),
    (lambda acl: acl.util.start_thread("", ""), TypeError, "parameter must be callable"),
    (lambda acl: acl.rt.launch_callback("", [], 0, 0), TypeError, "parameter must be callable"),
    (lambda acl: acl.op.register_compile_func("Add", 1), TypeError, "argument 2 must be a callback function."),
    (lambda acl: acl.mdl.set_input_dynamic_dims(1, 1, 0, []), TypeError, "argument 4 is not dict"),
    (lambda acl: acl.mdl.set_input_dynamic_dims(1, 1, 0, {"dimCount": 1}), TypeError, "The dims of parameter 4 is not a list."),
    (lambda acl: acl.util.ptr_to_bytes(acl.rt.malloc_host(8)[0], -1), ValueError, "convert c pointer to bytes failed"),
    *[
        (lambda acl, dims=dims: acl.mdl.set_input_dynamic_dims(1, 1, 0, dims), error, text)
        for dims, error, text in (
            ({"dimCount": 2, "dims": [1]}, TypeError, "the dims of fourth parameter is not list of int"),
            ({"dimCount": 1, "dims": ["1"]}, TypeError, "the dims of fourth parameter is not list of int"),
            ({"dims": []}, TypeError, "the dims of fourth parameter is not list of int"),
            ({"dims": [1]}, ValueError, "PyLong_AsLongLong failed"),
            ({"dimCount": "1", "dims": [1]}, ValueError, "PyLong_AsLongLong failed"),
            ({"dimCount": 1, "dims": [1 << 63]}, ValueError, "PyLong_AsLongLong failed"),
            ({"dimCount": 1, "dims": [1], "name": None}, RuntimeError, "PyUnicode_AsUTF8String failed"),
        )
    ],
    (lambda acl: acl.mdl.set_config_opt(1, 0, "x"), TypeError, "acl.mdl.set_config_opt args parse failed!"),
    (lambda acl: acl.rt.set_stream_attribute(0, 1, 1), TypeError, "the aclrtStreamAttrValue argument is not dict"),
    (lambda acl: acl.rt.malloc_with_cfg(8, 0, None), TypeError, "pyCfg is not dict!"),
    # lists
    (lambda acl: acl.create_tensor_desc(0, (1, 2), 2), TypeError, "argument 2 is not list"),
    (lambda acl: acl.create_tensor_desc(0, [1.0], 2), TypeError, "invalid data type"),
    (lambda acl: acl.create_tensor_desc(0, [1 << 63], 2), ValueError, "PyLong_AsLongLong failed"),
    (lambda acl: acl.set_tensor_shape_range(0, ((1, 2),)), TypeError, "argument 2 is not list"),
    (lambda acl: acl.set_tensor_shape_range(0, [(1, 2)]), TypeError, "the list argument is not list"),
    (lambda acl: acl.set_tensor_shape_range(0, [[1]]), TypeError, "the list argument is not list of int"),
    (lambda acl: acl.set_tensor_value_range(0, 1), TypeError, "int64_t argument is not list"),
    (lambda acl: acl.op.create_handle("Add", (), [], 0), TypeError, "argument 2 or 3 is not list"),
    (lambda acl: acl.op.execute_with_handle(0, (), [], 0), TypeError, "argument 2 or 3 is not list"),
    (lambda acl: acl.op.execute_v2("Add", [], (), [], [], 0, 0), TypeError, "argument 2, 3, 4, or 5 is not list"),
    (lambda acl: acl.op.execute_v2("Add", [None], [], [], [], 0, 0), TypeError, "the list argument is not list of int"),
    (lambda acl: acl.op.execute_v2("Add", [1 << 64], [], [], [], 0, 0), ValueError, "PyLong_AsVoidPtr failed"),
    (lambda acl: acl.op.infer_shape("Add", [], [], 1, (), 0), TypeError, "argument 2, 3, or 5 is not list"),
    (lambda acl: acl.prof.create_config((0,), 0, 0, 0), TypeError, "argument 1 is not list"),
    (lambda acl: acl.prof.create_config(["0"], 0, 0, 0), TypeError, "the first argument is not list of int"),
    (lambda acl: acl.rt.notify_batch_reset(()), ValueError, "argument only support the format of list"),
    (lambda acl: acl.rt.notify_set_import_pid(1, ()), ValueError, "argument 2 only support the format of list"),
    (lambda acl: acl.rt.mem_uce_repair(0, ()), TypeError, "aclrtMemUceInfo argument is not list"),
    # attributes
    (lambda acl: acl.op.set_attr_list_string(0, "x", "ab"), TypeError, "argument 3 is not list"),
    (lambda acl: acl.op.set_attr_list_string(0, "x", [1]), RuntimeError, "PyUnicode_AsUTF8String failed"),
    (lambda acl: acl.op.set_attr_list_float(0, "x", [1]), ValueError, "get values from PyList failed"),
    (lambda acl: acl.op.set_attr_list_data_type(0, "x", (0,)), TypeError, "the third argument is not list"),
    (lambda acl: acl.op.set_attr_list_data_type(0, "x", [0.5]), TypeError, "the list argument is not list of int"),
    (lambda acl: acl.op.set_attr_list_list_int(0, "x", [[1], [0.5]]), ValueError, "parse argument 3 failed"),
    # host memory
    (lambda acl: acl.util.bytes_to_ptr(bytearray(1)), ValueError, "needs an byte as argument"),
]


@pytest.mark.parametrize(("call", "error", "text"), TEXTS, ids=[f"{number}-{text[:30]}" for number, (_, _, text) in enumerate(TEXTS)])
def test_mistakes(acl: ModuleType, call: Call, error: type[BaseException], text: str) -> None:
    with pytest.raises(error) as caught:
        call(acl)
    said = str(caught.value).replace("ascendtensor.simulator", "acl")
    assert type(caught.value) is error
    assert said == text


@pytest.mark.parametrize("name", ["numpy_to_ptr", "numpy_contiguous_to_ptr"])
def test_what_is_no_array(acl: ModuleType, name: str) -> None:
    with pytest.warns(Warning, match="will be deprecated"), pytest.raises(ValueError, match=r"^needs an ndarray as argument$"):
        getattr(acl.util, name)([1])


def test_shapes_that_are_no_tuples_of_ints(acl: ModuleType) -> None:
    data = np.zeros(4)
    address = data.ctypes.data
    for shape, error, text in (([4], ValueError, "shape is empty"), ((4.0,), TypeError, "the second argument is not list of int")):
        with pytest.warns(Warning, match="ptr_to_bytes instead"), pytest.raises(error, match=f"^{text}$"):
            acl.util.ptr_to_numpy(address, shape, 12)


def test_keywords_are_refused_by_name(acl: ModuleType) -> None:
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        acl.rt.malloc(size=64, policy=0)


def test_a_list_of_a_class_of_its_own_is_a_list(acl: ModuleType) -> None:
    class Dims(list[int]):
        pass

    desc = acl.create_tensor_desc(0, Dims([2, 3]), 2)
    assert acl.get_tensor_desc_num_dims(desc) == 2
