"""Configuration handles of models (MDL-6 to MDL-8, MDL-27, PY-14)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from model_program import Program, convert, linear

PRIORITY, LOAD_TYPE, PATH, MEM_ADDR, MEM_SIZE, WEIGHT_ADDR, WEIGHT_SIZE, WORK_ADDR, WORK_SIZE = range(9)
OPTIMIZE, WEIGHT_PATH, WITHOUT_GRAPH = 13, 14, 28


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    return convert(linear(folder / "net.onnx"), folder / "net", input_shape="x:2,4")


@pytest.fixture
def program(acl: ModuleType) -> Iterator[Program]:
    made = Program(acl)
    yield made
    made.close()


def load(acl: ModuleType, options: dict[int, object]) -> tuple[int, int]:
    """(model id, ret) by a configuration with these attributes, which is destroyed at once (MDL-8)."""
    config = acl.mdl.create_config_handle()
    for attr, value in options.items():
        assert acl.mdl.set_config_opt(config, attr, value) == 0, attr
    found: tuple[int, int] = acl.mdl.load_with_config(config)
    assert acl.mdl.destroy_config_handle(config) == 0
    return found


def test_every_load_type(program: Program, net: Path) -> None:  # MDL-1, MDL-8
    acl = program.acl
    data = net.read_bytes()
    work, weight, _ = acl.mdl.query_size(str(net))
    own = {WORK_ADDR: program.room(work), WORK_SIZE: work, WEIGHT_ADDR: program.room(weight), WEIGHT_SIZE: weight}
    from_file: dict[int, object] = {PATH: str(net)}
    from_memory: dict[int, object] = {MEM_ADDR: acl.util.bytes_to_ptr(data), MEM_SIZE: len(data)}
    for options in (
        {LOAD_TYPE: 1, **from_file, PRIORITY: 0},
        {LOAD_TYPE: 2, **from_file, **own, OPTIMIZE: 1},
        {LOAD_TYPE: 3, **from_memory, PRIORITY: 7},
        {LOAD_TYPE: 4, **from_memory, **own},
        {LOAD_TYPE: 4, **from_memory},  # address 0: the system's
    ):
        model, ret = load(acl, options)
        assert (ret, acl.mdl.unload(model)) == (0, 0)
    assert load(acl, {LOAD_TYPE: 2, **from_file, **own, WORK_SIZE: work - 1}) == (0, 145000)


def test_what_is_missing_or_contradicts(acl: ModuleType, net: Path) -> None:  # MDL-6, K139
    path = acl.util.bytes_to_ptr(b"weights\0")
    for options in (
        {},
        {PATH: str(net)},
        {LOAD_TYPE: 1},
        {LOAD_TYPE: 2, MEM_ADDR: 64, MEM_SIZE: 1},
        {LOAD_TYPE: 3, MEM_ADDR: 64},
        {LOAD_TYPE: 4, MEM_SIZE: 1},
        {LOAD_TYPE: 1, PATH: str(net), WEIGHT_PATH: path},
        {LOAD_TYPE: 5, PATH: str(net)},
        {LOAD_TYPE: 6, MEM_ADDR: 64, MEM_SIZE: 1, 9: 1},
    ):
        assert load(acl, options) == (0, 100000), options
    assert acl.mdl.load_with_config(0) == (0, 100000)
    assert load(acl, {LOAD_TYPE: 1, PATH: ""}) == (0, 145002)


def test_attributes_are_checked_when_they_are_set(acl: ModuleType) -> None:  # MDL-7, PY-14, K140
    set_opt = acl.mdl.set_config_opt
    config = acl.mdl.create_config_handle()
    for attr, value in (
        (PRIORITY, 8),
        (PRIORITY, -1),
        (LOAD_TYPE, 0),
        (LOAD_TYPE, 7),
        (MEM_ADDR, 0),
        (WEIGHT_PATH, 0),
        (10, 0),
        (OPTIMIZE, 2),
        (WITHOUT_GRAPH, 0),  # eight bytes instead of four
        (29, 0),
        (-1, 0),
        (15, 1),
    ):
        assert set_opt(config, attr, value) == 100000, attr
    for attr in (WEIGHT_ADDR, WORK_ADDR, MEM_SIZE, WEIGHT_SIZE, WORK_SIZE, 9, 11):
        assert set_opt(config, attr, 0) == 0
    assert set_opt(0, PRIORITY, 0) == 100000
    for attr, value in ((PRIORITY, "0"), (PRIORITY, 1 << 31), (PATH, 5), (PATH, b"x"), (MEM_ADDR, "x"), (MEM_SIZE, 1.0), (LOAD_TYPE, None)):
        with pytest.raises(TypeError, match="args parse failed"):
            set_opt(config, attr, value)
    assert set_opt(config, PRIORITY, np.int32(3)) == 0
    acl.mdl.destroy_config_handle(config)


def test_queues_are_of_other_products(acl: ModuleType, net: Path) -> None:
    assert acl.mdl.load_from_file_with_q(str(net), 0, 1, 64, 1) == (0, 100000)
    assert acl.mdl.load_from_file_with_q(str(net), 64, 1, 64, 1) == (0, 207000)
    assert acl.mdl.load_from_mem_with_q(64, 1, 64, 1, 64, 1) == (0, 207000)
    assert load(acl, {LOAD_TYPE: 5, PATH: str(net), 9: 1, 10: 64, 11: 1, 12: 64}) == (0, 207000)


def test_handles_that_are_none(acl: ModuleType) -> None:  # K149
    config = acl.mdl.create_config_handle()
    assert acl.mdl.destroy_config_handle(config) == 0
    assert acl.mdl.destroy_config_handle(config) == acl.mdl.destroy_config_handle(0) == 100000
    assert acl.mdl.load_with_config(config) == (0, 100000)
    assert [finding.kind for finding in acl.findings()] == ["use after destroy"] * 2
    run = acl.mdl.create_exec_config_handle()
    assert acl.mdl.destroy_config_handle(run) == 100000  # of another kind
    assert acl.mdl.destroy_exec_config_handle(run) == 0
    assert acl.mdl.destroy_exec_config_handle(0) == 100000


def test_timeouts_are_checked_when_they_are_set(acl: ModuleType) -> None:  # MDL-27
    config = acl.mdl.create_exec_config_handle()
    for attr in (0, 1):
        assert acl.mdl.set_exec_config_opt(config, attr, -1) == acl.mdl.set_exec_config_opt(config, attr, 5000) == 0
        assert acl.mdl.set_exec_config_opt(config, attr, -2) == 100000
        with pytest.raises(TypeError):
            acl.mdl.set_exec_config_opt(config, attr, 1 << 31)
    assert acl.mdl.set_exec_config_opt(config, 2, 64) == acl.mdl.set_exec_config_opt(0, 0, 1) == 100000
    acl.mdl.destroy_exec_config_handle(config)
