"""What programs written straight against pyACL rely on: each case names the program or report that it is taken from."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import simulator

MIB = 1 << 20
HBM, DDR = 1, 0
DEVICE_TO_HOST = 2
NPY_INT = 5


@pytest.fixture
def acl() -> Iterator[ModuleType]:
    """The module as in a new process."""
    at.shutdown()
    simulator.new_process()
    yield simulator
    simulator.faults.clear()
    simulator.new_process()


@pytest.fixture
def ready(acl: ModuleType) -> ModuleType:
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    return acl


def in_thread(body: Any) -> Any:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(body()))
    thread.start()
    thread.join(20)
    return results[0]


def test_init_twice_and_finalize_twice(acl: ModuleType) -> None:
    # mindspore-lab/mindnlp _backends/npu/runtime.py; CANN error codes 100002, 100037
    assert [acl.init(), acl.init(), acl.finalize(), acl.finalize()] == [0, 100002, 0, 100037]


def test_a_program_that_has_called_init_can_use_tensors_and_finalize_itself(acl: ModuleType) -> None:
    assert acl.init() == 0
    assert at.ones(3, 3).sum().item() == 9.0
    at.shutdown()
    assert acl.finalize() == 0


def test_a_new_thread_has_no_context(acl: ModuleType) -> None:
    # vllm-project/vllm-ascend#800; hiyouga/LlamaFactory#2385; PaddlePaddle/PaddleCustomDevice#813
    assert acl.init() == 0 and acl.rt.set_device(0) == 0
    context, code = acl.rt.create_context(0)
    assert code == 0

    def second() -> list[int]:
        return [acl.rt.malloc(64, 0)[1], acl.rt.set_context(context), acl.rt.malloc(64, 0)[1]]

    assert in_thread(second) == [107002, 0, 0]


def test_a_callback_needs_a_thread_that_serves_the_stream(ready: ModuleType) -> None:
    # openEuler certification test of pyACL events (test_event_006_callback); CANN error code 107015
    acl = ready
    stream, _ = acl.rt.create_stream()
    context, _ = acl.rt.get_context()
    seen: list[Any] = []
    idle: list[int] = []
    stop = threading.Event()

    def serve() -> None:
        acl.rt.set_context(context)
        while not stop.is_set():
            code = acl.rt.process_report(100)
            if code:
                idle.append(code)

    assert acl.rt.launch_callback(seen.append, [1], 1, stream) == 107015
    server = threading.Thread(target=serve)
    server.start()
    assert acl.rt.subscribe_report(server.ident, stream) == 0
    try:
        assert acl.rt.launch_callback(seen.append, [1], 1, stream) == 0
        assert acl.rt.synchronize_stream(stream) == 0
        assert seen == [[1]]
        stop.wait(0.3)
    finally:
        assert acl.rt.unsubscribe_report(server.ident, stream) == 0
        stop.set()
        server.join(20)
    assert idle and idle[-1] != 0, "100 ms without work give a code other than 0"
    assert acl.rt.destroy_stream(stream) == 0


def test_the_argument_parser(ready: ModuleType) -> None:
    # hicann/runtime python/pyACL: PyArg_ParseTuple formats ki, iOi, sOOOOkk; METH_VARARGS
    acl = ready
    with pytest.raises(TypeError, match=r"acl\.rt\.malloc args parse failed"):
        acl.rt.malloc(64.0, 0)
    if sys.version_info < (3, 14):
        with pytest.raises(TypeError, match=r"acl\.rt\.malloc args parse failed"):
            acl.rt.malloc(np.int64(64), 0)
    with pytest.raises(TypeError):
        acl.rt.malloc(size=64, policy=0)
    with pytest.raises(TypeError, match="argument 2 is not list"):
        acl.create_tensor_desc(0, (2, 3), 2)
    with pytest.raises(TypeError, match=r"acl\.op\.execute_v2 args parse failed"):
        acl.op.execute_v2("Add", [], [], [], [], None, 0)
    stream, code = acl.rt.create_stream(123)
    assert stream and code == 0 and acl.rt.destroy_stream(stream) == 0
    assert acl.rt.synchronize_device(0) == 0
    attr = acl.op.create_attr()
    assert acl.op.set_attr_bool(attr, "a", True) == 0
    acl.op.destroy_attr(attr)
    desc = acl.mdl.create_desc()
    for arguments in ((desc, 0, 0), (desc,), ("desc", 0), (desc, 0.0)):
        with pytest.raises(TypeError, match=r"acl\.mdl\.get_input_size_by_index args parse failed!$"):
            acl.mdl.get_input_size_by_index(*arguments)
    assert acl.mdl.destroy_desc(desc) == 0


def test_pointers_of_host_objects_are_real(ready: ModuleType) -> None:
    # Ascend/samples python/level1_single_api memcpy_host_device writes into a bytes object
    acl = ready
    address, _ = acl.rt.malloc(8, 0)
    assert acl.rt.memset(address, 8, 7, 8) == 0
    target = bytes(bytearray(8))
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(target), 8, address, 8, DEVICE_TO_HOST) == 0
    assert list(target) == [7] * 8
    assert acl.rt.free(address) == 0
    array = np.arange(6, dtype=np.int32)
    view = array[::-1]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert acl.util.numpy_to_ptr(view) == view.__array_interface__["data"][0] == array.__array_interface__["data"][0] + 20
    assert any("contiguous" in str(warning.message) for warning in said)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="needs an ndarray as argument"):
            acl.util.numpy_to_ptr([1, 2])
    with pytest.raises(ValueError, match="needs an byte as argument"):
        acl.util.bytes_to_ptr(bytearray(8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shared = acl.util.ptr_to_numpy(array.__array_interface__["data"][0], (2,), NPY_INT)
    assert shared.dtype == np.int32 and shared.tolist() == [0, 1]
    shared[0] = 9
    assert array[0] == 9


def test_free_memory_returns_to_where_it_was(ready: ModuleType) -> None:
    # Ascend/samples python/level1_single_api memcpy_host_device
    acl = ready
    before = {kind: acl.rt.get_mem_info(kind) for kind in (DDR, HBM)}
    for free, total, code in before.values():
        assert code == 0 and 0 <= free <= total
    kind = HBM if before[HBM][1] else DDR
    blocks = [acl.rt.malloc(10 * MIB, 0)[0] for _ in range(2)]
    assert acl.rt.get_mem_info(kind)[0] <= before[kind][0] - 20 * MIB
    for block in blocks:
        assert acl.rt.free(block) == 0
    assert acl.rt.get_mem_info(kind) == before[kind]
    assert acl.rt.free(blocks[0]) != 0
    assert acl.rt.malloc(64, 0)[1] == 0, "the process goes on"


def test_a_device_number_that_does_not_exist(acl: ModuleType) -> None:
    # openEuler certification test of pyACL devices (test_device_010_peek_at_last_error)
    assert acl.init() == 0
    code = acl.rt.set_device(-1)
    assert code != 0
    assert acl.rt.peek_at_last_error(0) == acl.rt.peek_at_last_error(0) != 0


@pytest.mark.parametrize("number", [at.device_count(), 4096, -1])
def test_a_device_that_does_not_exist_is_refused_with_the_count_everywhere(number: int) -> None:
    # vllm-project/vllm-ascend#800
    text = rf"{number} is out of range: there are {at.device_count()} devices"
    before = at.current_device()
    for call in (
        lambda: at.ones(1, device=number),
        lambda: at.tensor([1], device=f"npu:{number}"),
        lambda: at.ones(1).to(f"npu:{number}"),
        lambda: at.ones(1).npu(number),
        lambda: at.set_device(number),
        lambda: at.synchronize(number),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    assert at.current_device() == before
    assert (at.ones(1, device=0) + 1).tolist() == [2.0]


def test_operands_on_two_devices_are_refused_with_both_names() -> None:
    # pytorch/pytorch#13717, #39227
    near, far = at.ones(1, 1), at.ones(1, 1, device=1)
    for call in (
        lambda: near + far,
        lambda: near @ far,
        lambda: at.cat([near, far]),
        lambda: at.where(near > 0, near, far),
        lambda: at.add(near, 1, out=far),
        lambda: near.clone().mul_(far),
        lambda: near[at.tensor([0], device=1)],
        lambda: at.conv2d(near[None, None], far[None, None]),
        lambda: at.einsum("ij,jk->ik", near, far),
    ):
        with pytest.raises(RuntimeError, match=r"npu:[01].*npu:[01]"):
            call()
    assert (near + np.float32(1) + np.array(2.0)).tolist() == [[4.0]], "numbers and 0-d arrays of the host may"
    assert near.clone().copy_(far * 2).tolist() == [[2.0]], "copy_ goes between devices"
