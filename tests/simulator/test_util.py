"""acl.util (PY-15, PY-16, K8, K9)."""

from __future__ import annotations

import threading
from types import ModuleType

import numpy as np
import pytest


def test_bytes_round_trip(acl: ModuleType) -> None:  # PY-15, K8
    data = bytes(range(200))
    address = acl.util.bytes_to_ptr(data)
    assert acl.util.ptr_to_bytes(address, 200) == data
    assert acl.util.ptr_to_bytes(address + 10, 5) == data[10:15]
    for bad in (bytearray(b"x"), memoryview(b"x"), "x", 1):
        with pytest.raises(ValueError):
            acl.util.bytes_to_ptr(bad)
    with pytest.raises(TypeError, match=r"acl\.util\.bytes_to_ptr args parse failed"):
        acl.util.bytes_to_ptr()
    with pytest.raises(ValueError):
        acl.util.ptr_to_bytes(0, 5)
    with pytest.raises(TypeError):
        acl.util.ptr_to_bytes(np.int64(address), 5)


def test_writing_through_bytes_to_ptr_reaches_the_object(acl: ModuleType) -> None:
    target = bytes(64)
    device, _ = acl.rt.malloc(64, 0)
    acl.rt.memset(device, 64, 3, 64)
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(target), 64, device, 64, 2) == 0
    assert target == b"\x03" * 64


def test_numpy_functions_warn_and_refuse_what_is_no_array(acl: ModuleType) -> None:  # PY-15, K9
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    with pytest.warns(Warning, match="will be deprecated"):
        address = acl.util.numpy_to_ptr(array)
    assert acl.util.ptr_to_bytes(address, 24) == array.tobytes()
    with pytest.warns() as caught:
        assert acl.util.numpy_to_ptr(array.T) == address
    assert len(caught) == 2
    with pytest.warns(Warning, match="will be deprecated"):
        address, owner = acl.util.numpy_contiguous_to_ptr(array.T)
    assert acl.util.ptr_to_bytes(address, 24) == array.T.tobytes()
    assert owner is not array
    for function in (acl.util.numpy_to_ptr, acl.util.numpy_contiguous_to_ptr):
        with pytest.warns(Warning, match="will be deprecated"), pytest.raises(ValueError, match=r"^needs an ndarray as argument$"):
            function([1, 2])


def test_ptr_to_numpy_is_a_writable_view(acl: ModuleType) -> None:  # PY-15
    host, _ = acl.rt.malloc_host(24)
    acl.rt.memset(host, 24, 0, 24)
    with pytest.warns(Warning, match="will be deprecated"):
        view = acl.util.ptr_to_numpy(host, (2, 3), 5)
    assert view.dtype == np.int32 and view.shape == (2, 3)
    view[1, 2] = 7
    assert acl.util.ptr_to_bytes(host, 24)[-4:] == b"\x07\0\0\0"
    device, _ = acl.rt.malloc(24, 0)
    for address, shape, number in ((host, [2, 3], 5), (host, (2, 3), 99), (device, (2, 3), 5), (0, (1,), 5), (host, (-1,), 5)):
        with pytest.warns(Warning, match="will be deprecated"), pytest.raises(ValueError):
            acl.util.ptr_to_numpy(address, shape, number)


def test_threads_take_one_argument_and_have_the_pthread_id(acl: ModuleType) -> None:  # PY-16
    seen: list[object] = []
    thread, errno = acl.util.start_thread(lambda data: seen.append((data, threading.get_ident())), [1, 2])
    assert errno == 0
    assert acl.util.stop_thread(thread) == 0
    assert seen == [([1, 2], thread)]
    thread, _ = acl.util.start_thread(lambda: seen.append("no argument"), None)
    assert acl.util.stop_thread(thread) == 0
    assert seen[-1] == "no argument"
    assert acl.util.stop_thread(thread) != 0
    with pytest.raises(TypeError, match=r"^parameter must be callable$"):
        acl.util.start_thread(1, None)
    with pytest.raises(TypeError, match=r"^function takes exactly 2 arguments \(1 given\)$"):
        acl.util.start_thread(print)


def test_stop_thread_raises_what_the_thread_raised(acl: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:  # PY-16
    thread, _ = acl.util.start_thread(lambda data: 1 / data, 0)
    with pytest.raises(RuntimeError, match=r"^exception=ZeroDivisionError,msg=thread call failed;$"):
        acl.util.stop_thread(thread)
    assert "ZeroDivisionError: division by zero" in capsys.readouterr().err


def test_dir_lists_the_functions(acl: ModuleType) -> None:
    assert "bytes_to_ptr" in dir(acl.util)
    assert "np" not in dir(acl.util) and "contexts" not in dir(acl.rt)


def test_the_number_of_a_thread_is_its_own_until_it_is_joined(acl: ModuleType) -> None:  # PY-16
    seen: list[int] = []
    threads = [acl.util.start_thread(seen.append, number)[0] for number in range(20)]
    assert len(set(threads)) == 20
    for thread in reversed(threads):
        assert acl.util.stop_thread(thread) == 0
        assert acl.util.stop_thread(thread) != 0
    assert sorted(seen) == list(range(20))
