"""Profiles: what they count, what they write for Perfetto, that nothing of them stays; and IPython's magics."""

from __future__ import annotations

import itertools
import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.acl import binding
from ascendtensor.notebook import magics, timeline
from ascendtensor.notebook.profiling import Span
from ascendtensor.notebook.sessions import Session


def work(size: int = 64) -> at.Tensor:
    x = at.ones(size, size)
    for _ in range(3):
        x = x @ x * 0.5
    return x


def test_operators_copies_waits_and_compiles_are_counted() -> None:
    at.ones(61, 61)
    with at.profile() as p:
        with p.span("three steps"):
            x = work(61)  # a size that no other test of the process made models for
        x.numpy()
    rows = {row.name: row for row in p.by_operator()}
    assert rows["MatMulV2"].calls == 3 and rows["Mul"].calls == 3
    assert 0 < rows["MatMulV2"].device < 60 and 0 < rows["MatMulV2"].host < 60
    kinds = {each.kind for each in p.spans}
    assert {"launch", "device", "copy", "wait", "compile", "span"} <= kinds
    (step,) = [each for each in p.spans if each.kind == "span"]
    assert step.name == "three steps" and 0 < step.seconds < p.seconds
    (download,) = [each for each in p.spans if each.kind == "copy" and "to the host" in each.detail]
    assert download.nbytes == 61 * 61 * 4
    assert p.simulated and list(p.occupancy) == ["stream 1"] and 0 < p.occupancy["stream 1"] <= 1


def test_device_spans_of_a_stream_follow_each_other_after_their_launches() -> None:
    with at.profile() as p:
        work()
    found = [each for each in p.spans if each.kind == "device" and each.name in ("MatMulV2", "Mul")]
    assert [each.name for each in found] == ["MatMulV2", "Mul"] * 3
    for first, second in itertools.pairwise(found):
        assert first.began + first.seconds <= second.began + 1e-4
    launches = [each for each in p.spans if each.kind == "launch" and each.name in ("MatMulV2", "Mul")]
    for launch, run in zip(launches, found, strict=True):
        assert run.began > launch.began - 2e-3  # clocks of two threads


def test_the_summary_names_the_simulator_and_sorts() -> None:
    with at.profile() as p:
        work()
    assert "simulator" in p.summary() and "MatMulV2" in repr(p) and "at work: stream 1" in p.summary("host")
    assert p.by_operator("calls")[0].name in ("MatMulV2", "Mul")
    with pytest.raises(at.ValueRangeError, match="sort_by"):
        p.summary("colour")


def test_without_device_time_and_nothing_launched() -> None:
    with at.profile(device_time=False) as p:
        at.ones(2) + 1
    assert not [each for each in p.spans if each.kind == "device"] and p.by_operator()[0].device == 0
    with at.profile() as empty:
        pass
    assert "block" in empty.summary() and empty.by_operator() == []


def test_nothing_stays_behind() -> None:
    x = at.ones(2)
    module, tables = binding.module(), simulator.tables()
    with pytest.raises(ZeroDivisionError), at.profile():
        (x + 1) / 1
        raise ZeroDivisionError
    with at.profile(), at.trace() as t:
        x + 1
    assert len(t.launches) == 1 and binding.module() is module
    assert not {"load", "build"} & vars(at.handle_cache).keys()
    assert {name: count for name, count in simulator.tables().items() if "event" in name} == {
        name: count for name, count in tables.items() if "event" in name
    }


def test_shutdown_inside_a_profile() -> None:
    with at.profile(device_time=False) as p:
        at.ones(2) + 1
        at.shutdown()
    assert p.by_operator()[0].calls == 1


def test_threads_have_lanes_of_their_own() -> None:
    x = at.ones(2)
    with at.profile() as p:
        thread = threading.Thread(target=lambda: (x + 1).numpy())
        thread.start()
        thread.join()
        (x + 2).numpy()
    assert {each.lane for each in p.spans if each.kind == "launch"} == {"host", "host, thread 2"}
    assert len({each.lane for each in p.spans if each.kind == "device"}) == 2


def test_the_file_for_perfetto_keeps_its_schema(tmp_path: Path) -> None:
    with at.profile() as p:
        work()
    content = json.loads(p.export_chrome(tmp_path / "trace.json").read_text())
    assert set(content) == {"traceEvents", "displayTimeUnit", "otherData"} and content["otherData"] == {"simulated": True}
    threads = {(each["pid"], each["tid"]) for each in content["traceEvents"] if each["name"] == "thread_name"}
    complete = [each for each in content["traceEvents"] if each["ph"] == "X"]
    assert complete and {each["ph"] for each in content["traceEvents"]} == {"X", "M"}
    for each in complete:
        assert isinstance(each["name"], str) and isinstance(each["cat"], str) and isinstance(each["args"], dict)
        assert isinstance(each["ts"], float) and isinstance(each["dur"], float) and each["dur"] >= 0
        assert (each["pid"], each["tid"]) in threads
    names = {each["args"]["name"] for each in content["traceEvents"] if each["name"] == "process_name"}
    assert "host" in names and any("simulated" in name for name in names)


def test_the_timeline_is_bounded_and_escaped() -> None:
    spans = [Span(f"<op {place}>", "device", "stream 1", place * 1e-4, 1e-5 * place) for place in range(2000)]
    text = timeline.picture(spans, 0.3)
    assert text.count("<rect") == timeline.MOST and "&lt;op 1999&gt;" in text and "<op" not in text
    assert "the longest 1,500 of 2,000" in text


# acl.prof


def test_the_data_of_acl_prof(tmp_path: Path) -> None:
    at.ones(2)
    with at.profile(acl_prof=tmp_path / "prof") as p, p.span("three steps"):
        work()
    assert p.acl_prof is not None and p.acl_prof.folder is not None and p.acl_prof.folder.parent == tmp_path / "prof"
    tasks = p.acl_prof.tasks()
    assert [task.op_type for task in tasks] == [each.name for each in p.spans if each.kind == "device"]
    assert all(0 <= task.seconds < 60 for task in tasks)
    assert "three steps" in (p.acl_prof.folder / "stamps.csv").read_text()
    assert f"acl.prof: {len(tasks)} tasks" in p.summary() and "times of the simulator" in p.summary() and "acl.prof" in p._repr_html_()
    with at.profile(acl_prof=tmp_path / "prof") as again:
        at.ones(3) + 1
    assert again.acl_prof is not None and again.acl_prof.folder not in (None, p.acl_prof.folder)


def test_tables_of_msprof_are_read_and_raw_data_is_named(tmp_path: Path) -> None:
    session = Session(tmp_path, simulated=False)
    assert "nothing was written" in repr(session)
    session.folder = tmp_path / "PROF_000001"
    assert "msprof --export=on" in repr(session) and session.tasks() == []
    table = session.folder / "mindstudio_profiler_output" / "op_summary_20260101.csv"
    table.parent.mkdir(parents=True)
    head = "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,Task Start Time(us),Task Duration(us),Task Wait Time(us)"
    rows = ["0,1,2,3,Add_1,Add,1718180039211.5\t,12.5,0", "0,1,2,3,Cast_1,Cast,1718180039205.5\t,2.5,0", "0,1,2,3,x,N/A,,,"]
    table.write_text("\n".join([head, *rows]))
    assert [(task.op_type, round(task.seconds * 1e6, 3)) for task in session.tasks()] == [("Cast", 2.5), ("Add", 12.5)]
    assert "2 tasks, 0.015 ms on the device; data in" in repr(session)


def test_a_session_that_cannot_begin_leaves_nothing(tmp_path: Path) -> None:
    x = at.ones(2)
    module = binding.module()
    with at.profile(acl_prof=tmp_path) as p:
        with pytest.raises(at.AclError, match="One session of profiling"), at.profile(acl_prof=tmp_path):
            pass
        x + 1
    assert len([each for each in p.spans if each.kind == "launch"]) == 1 and binding.module() is module
    with pytest.raises(ZeroDivisionError), at.profile(acl_prof=tmp_path) as broken:
        (x + 1) / 1
        raise ZeroDivisionError
    assert broken.acl_prof is not None and broken.acl_prof.folder is not None
    with at.profile(acl_prof=tmp_path, device_time=False), pytest.raises(at.AscendTensorError):
        at.shutdown()
        at.ones(2) @ at.ones(3)
    with at.profile(acl_prof=tmp_path, device_time=False) as shut:
        at.shutdown()
    assert shut.acl_prof is not None and shut.acl_prof.folder is not None


# Magics


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    interactive = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is not installed")
    config = pytest.importorskip("traitlets.config", reason="IPython is not installed").Config()
    config.HistoryManager.enabled = False
    shell = interactive.InteractiveShell(config=config)
    shell.run_line_magic("load_ext", "ascendtensor")
    shell.user_ns["at"] = at
    return shell


def test_magics(shell: Any, tmp_path: Path) -> None:
    found = shell.run_cell_magic("npu_profile", str(tmp_path / "trace.json"), "y = at.ones(4) + 1")
    assert [row.name for row in found.by_operator("calls")][-1] == "Add" and shell.user_ns["y"].tolist() == [2.0] * 4
    assert json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    traced = shell.run_cell_magic("npu_trace", "", "z = y * 2")
    assert [each.op_type for each in traced.launches] == ["Mul"]
    assert shell.run_line_magic("npu_memory", "")["allocated"] > 0 and "memory" in shell.run_line_magic("npu_memory", "npu:0")._repr_html_()
    timed = shell.run_line_magic("npu_timeit", "-n 3 -r2 y + 1")
    assert timed.number == 3 and len(timed.seconds) == 2 and "the device waited for" in repr(timed)
    with pytest.raises(at.ValueRangeError, match="-n takes a number"):
        shell.run_line_magic("npu_timeit", "-n none y")
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("npu_profile", "", "1 / 0")


def test_magics_say_how_they_are_used_and_refuse_what_they_do_not_know(shell: Any) -> None:
    for kind, name in (
        ("cell", "npu_profile"),
        ("cell", "npu_trace"),
        ("line", "npu_memory"),
        ("line", "npu_timeit"),
        ("cell", "npu_timeit"),
    ):
        assert f"%{name}" in (shell.find_magic(name, kind).__doc__ or ""), name
    with pytest.raises(at.ValueRangeError, match="the only option is --data"):
        shell.run_cell_magic("npu_trace", "--date", "z = 1")
    with pytest.raises(at.ValueRangeError, match="no statement"):
        shell.run_line_magic("npu_timeit", "-n 3")
    assert shell.run_cell_magic("npu_timeit", "-n 3 before = at.ones(3)", "before + 1").number == 3 and shell.user_ns["before"].shape == (
        3,
    )


def test_a_statement_is_timed_with_the_wait_for_the_device() -> None:
    simulated = at.ones(300, 300)
    simulated @ simulated
    at.synchronize()
    began = time.perf_counter()
    simulated @ simulated
    at.synchronize()
    spent = time.perf_counter() - began
    timed = magics.time_statement("x @ x", {"x": simulated}, 2, 3)
    assert max(timed.seconds) > spent / 20
