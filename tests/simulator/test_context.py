"""Devices and contexts (RT-10 .. RT-20, K21 .. K31)."""

from __future__ import annotations

import threading
from types import ModuleType

import pytest

from ascendtensor import simulator


def test_device_numbers_are_checked(acl: ModuleType) -> None:  # RT-10, K21, K23, K25
    for bad in (-1, 2):
        assert acl.rt.set_device(bad) == 107001
        assert acl.rt.reset_device(bad) == 107001
        assert acl.rt.create_context(bad) == (0, 107001)
    with pytest.raises(TypeError, match=r"acl\.rt\.set_device args parse failed"):
        acl.rt.set_device(1 << 31)


def test_set_device_counts_and_reset_releases_at_zero(acl: ModuleType) -> None:  # RT-12, K22
    rt = acl.rt
    rt.set_device(0)
    assert rt.reset_device(0) == 0
    assert rt.get_device() == (0, 0)
    assert rt.reset_device(0) == 0
    assert rt.get_device() == (0, 107002)
    assert rt.reset_device(0) == 507007
    assert rt.reset_device(1) == 507007
    rt.set_device(1)
    rt.set_device(1)
    assert rt.reset_device_force(1) == 0
    assert rt.reset_device(1) == 507007
    assert not any(acl.tables().values())


def test_reset_frees_what_the_device_still_holds(acl: ModuleType) -> None:  # RT-13
    acl.rt.malloc(100, 0)
    acl.rt.create_stream()
    acl.rt.reset_device(0)
    assert not any(acl.tables().values())


def test_create_context_is_current_at_once_and_set_device_goes_back(acl: ModuleType) -> None:  # RT-11, RT-16
    rt = acl.rt
    primary, _ = rt.get_context()
    context, ret = rt.create_context(1)
    assert ret == 0
    assert rt.get_context() == (context, 0)
    assert rt.get_device() == (1, 0)
    rt.set_device(0)
    assert rt.get_context() == (primary, 0)
    assert rt.get_primary_ctx_state(1) == (0, 0, 0)
    assert rt.get_primary_ctx_state(0) == (1, 0, 0)


def test_destroy_context(acl: ModuleType) -> None:  # RT-17, K26 .. K28
    rt = acl.rt
    primary, _ = rt.get_context()
    context, _ = rt.create_context(0)
    assert rt.destroy_context(0) == 100000
    assert rt.destroy_context(primary) == 107002
    assert rt.destroy_context(context) == 0
    assert rt.destroy_context(context) in (107002, 507007)
    assert rt.get_context() == (0, 107002)
    assert rt.malloc(8, 0) == (0, 107002)


def test_set_context(acl: ModuleType) -> None:  # RT-18, K29, K30
    rt = acl.rt
    context, _ = rt.create_context(0)
    rt.destroy_context(context)
    assert rt.set_context(0) == 100000
    assert rt.set_context(context) == 107000
    assert rt.get_context() == (0, 107002)


def test_context_belongs_to_the_thread(acl: ModuleType) -> None:  # RT-19, K31, SIM-3
    primary, _ = acl.rt.get_context()
    seen: list[object] = []

    def other() -> None:
        seen.append(acl.rt.get_context())
        seen.append(acl.rt.malloc(8, 0))
        seen.append(acl.rt.set_context(primary))
        seen.append(acl.rt.get_context())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert seen == [(0, 107002), (0, 107002), 0, (primary, 0)]


def test_context_destroyed_by_another_thread_is_gone(acl: ModuleType) -> None:  # RT-17
    context, _ = acl.rt.create_context(0)
    thread = threading.Thread(target=lambda: acl.rt.destroy_context(context))
    thread.start()
    thread.join()
    assert acl.rt.create_stream() == (0, 107002)
    assert acl.rt.synchronize_stream(0) == 107002


def test_calls_that_need_a_context_and_calls_that_do_not() -> None:  # RT-14, RT-20, K24, K32, K42, K53
    acl = simulator
    acl.rt.set_device(0)
    device, _ = acl.rt.malloc(64, 0)
    host, _ = acl.rt.malloc_host(64)
    context, _ = acl.rt.create_context(0)
    acl.rt.destroy_context(context)
    assert acl.rt.malloc(8, 0) == (0, 107002)
    assert acl.rt.malloc_host(8) == (0, 107002)
    assert acl.rt.memcpy(device, 64, host, 64, 1) == 107002
    assert acl.rt.memset(device, 64, 0, 64) == 107002
    assert acl.rt.create_stream() == (0, 107002)
    assert acl.rt.create_event() == (0, 107002)
    assert acl.rt.synchronize_device() == 107002
    assert acl.rt.get_mem_info(1) == (0, 0, 107002)
    assert acl.rt.free(device) == 0
    assert acl.rt.free_host(host) == 0
    assert acl.rt.get_device_count() == (2, 0)
    assert acl.rt.get_run_mode() == (1, 0)


def test_peer_access_is_needed_between_devices(acl: ModuleType) -> None:  # RT-42
    rt = acl.rt
    one, _ = rt.malloc(64, 0)
    rt.set_device(1)
    other, _ = rt.malloc(64, 0)
    assert rt.device_can_access_peer(0, 1) == (1, 0)
    assert rt.device_can_access_peer(0, 7) == (0, 107001)
    assert rt.device_can_access_peer(1, 1) == (0, 100000)
    assert rt.device_enable_peer_access(1, 0) == 100000
    assert rt.memcpy(other, 64, one, 64, 3) == 107000
    assert rt.device_enable_peer_access(0, 1) == 200006
    assert rt.device_enable_peer_access(0, 0) == 0
    assert rt.device_peer_access_status(1, 0) == (1, 0)
    assert rt.memcpy(other, 64, one, 64, 3) == 0
    assert rt.device_disable_peer_access(0) == 0
    assert rt.memcpy(other, 64, one, 64, 3) == 107000
