"""Recordings of launches: what they show, that nothing of them stays, and that the program made of one gives the same numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import types
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.acl import binding
from ascendtensor.notebook import Trace
from ascendtensor.notebook.recording import Ranges

ROOT = Path(at.__file__).parents[1]


def recorder(**options: object) -> Trace:
    return at.trace(**options)  # type: ignore[no-any-return, call-overload]


def test_a_launch_is_recorded_with_what_was_decided() -> None:
    x, w = at.ones(2, 3), at.ones(3, 4)
    with at.trace() as t:
        for _ in range(2):
            y = x @ w + 1
    assert [(each.function, each.op_type, each.hit) for each in t.launches] == [
        ("matmul", "MatMulV2", False),
        ("add", "Add", False),
        ("matmul", "MatMulV2", True),
        ("add", "Add", True),
    ]
    first = t.launches[0]
    assert first.shapes == "float[2, 3], float[3, 4] -> float[2, 4]" and first.nbytes == 4 * (6 + 12 + 8)
    assert not first.dynamic and first.code == 0 and 0 < first.seconds < 60
    assert y.tolist() == [[4.0] * 4] * 2


def test_dynamic_launches_are_marked() -> None:
    x = at.tensor([1, 0, 2])
    with at.trace() as t:
        x.nonzero()
    assert [(each.op_type, each.dynamic) for each in t.launches][-1] == ("NonZero", True)


def test_other_calls_are_recorded_too() -> None:
    with at.trace() as t:
        at.tensor([1.0, 2.0]).numpy()
    names = [name for name, _, _ in t.calls]
    assert "acl.rt.memcpy_async" in names and "acl.rt.synchronize_stream" in names and t.launches == []


def test_nothing_stays_behind() -> None:
    x = at.ones(2)
    module = binding.module()
    with at.trace(), at.trace():
        assert binding.module() is not module
        x + 1
    assert binding.module() is module
    with pytest.raises(ZeroDivisionError), at.trace():
        x + 1 / 0
    assert binding.module() is module


def test_recordings_may_end_in_any_order() -> None:
    x = at.ones(2)
    module = binding.module()
    first, second = at.trace(), at.trace()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    x + 1
    second.__exit__(None, None, None)
    x + 1
    assert binding.module() is module and len(second.launches) == 1


@pytest.mark.parametrize("make", [at.profile, recorder])
def test_a_recording_is_begun_once_and_ended_once(make: Callable[[], Any]) -> None:
    module, recording = binding.module(), make()
    with pytest.raises(at.ValueRangeError, match="is not recording"):
        recording.__exit__(None, None, None)
    with recording:
        with pytest.raises(at.ValueRangeError, match="is recording already"), recording:
            pass
        at.ones(2) + 1
    with pytest.raises(at.ValueRangeError, match="is not recording"):
        recording.__exit__(None, None, None)
    assert binding.module() is module
    with recording:
        at.ones(2) + 1
    assert binding.module() is module and "Add" in str(recording)


def test_what_is_forgotten_before_it_is_noted_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgotten(deque[Any]):
        """As where another thread waits for the device between the note of a launch and the launch."""

        def append(self, item: Any) -> None:
            pass

    x, stream = at.ones(2), at.Stream()
    monkeypatch.setattr(stream, "recent", Forgotten())
    monkeypatch.setattr(stream.lane, "recent", stream.recent)
    with at.trace() as t, at.profile() as p, stream:
        y = x + 1
    assert y.tolist() == [2.0, 2.0]
    assert [launch.op_type for launch in t.launches] == ["?"] and "?" in p.summary()


def test_shutdown_inside_a_recording() -> None:
    with at.trace() as t:
        at.ones(2) + 1
        at.shutdown()
        at.ones(2) + 1
    assert len(t.launches) >= 2
    with pytest.raises(at.UnsupportedError, match="not kept"):
        t.to_pyacl("never.py")


def test_launches_of_other_threads_are_recorded() -> None:
    x = at.ones(2)
    with at.trace() as t:
        thread = threading.Thread(target=lambda: (x + 1).numpy())
        thread.start()
        thread.join()
    assert [each.op_type for each in t.launches] == ["Add"]


def test_with_a_matrix_it_is_the_sum_of_the_diagonal() -> None:
    assert at.trace(at.eye(3)).item() == 3.0
    with pytest.raises(at.ShapeError):
        at.trace(at.ones(3))


def test_prints_as_a_table_and_as_html() -> None:
    x = at.ones(2)
    with at.trace() as t:
        x + 1
    assert "Add" in repr(t) and "miss" in repr(t) and "1 launches" in repr(t)
    assert "<table>" in t._repr_html_() and "&gt; float[2]" in t._repr_html_() and "<script" not in t._repr_html_()


def test_a_launch_costs_under_3_microseconds_more() -> None:
    x = at.ones(8, 8)

    def spent() -> float:
        began = time.process_time()
        for _ in range(300):
            x + x
        at.synchronize()
        return (time.process_time() - began) / 300

    spent()
    found = []
    for _ in range(9):
        off = spent()
        with at.trace(data=False):
            found.append(spent() - off)
    assert sorted(found)[2] < 3e-6, found


# Files


def test_descriptions_are_what_atc_reads(tmp_path: Path) -> None:
    x = at.ones(2, 3)
    with at.trace() as t:
        x + x
        x + x
        x.sum(1)
    files = t.to_singleop_json(tmp_path / "operators")
    assert [json.loads(path.read_text())[0]["op"] for path in files] == ["Add", "ReduceSum"]


def run(program: Path) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "ascendtensor.simulator", program.name]
    subprocess.run(command, cwd=program.parent, env=environment, check=True, capture_output=True, timeout=120)
    with np.load(program.parent / f"{program.stem}_results.npz") as results:
        return dict(results)


def test_the_program_gives_the_same_numbers(tmp_path: Path) -> None:
    x, w, b = at.rand(5, 4), at.rand(4, 3), at.rand(3)
    with at.trace() as t:
        y = (x @ w + b).relu()
        summed = at.cat([y, y * 2, y - 1.5]).sum(0)
        turned = at.tensor(np.arange(12, dtype=np.float32).reshape(3, 4)).T + 1
        largest = turned.topk(2).values
        half = (turned + 3).to(at.bfloat16)
        w.add_(1)  # what was read before has to be kept before
        w[1:3].mul_(2)
        copied = w.clone()
        places = (turned > 5).nonzero()
    program = t.to_pyacl(tmp_path / "again.py")
    results = list(run(program).values())
    wanted = [each.numpy() for each in (summed, largest, half.T.view(at.int16), copied)]  # half lies in memory as turned does
    (bound,) = [each for each in results if each.dtype == np.int64]  # its shape depends on the data
    assert np.array_equal(bound[: len(places)], places.numpy())
    for array in wanted:
        found = [each for each in results if each.tobytes() == array.tobytes()]
        assert found, (array, results)


def test_a_recording_of_a_board_is_repeated_on_one(tmp_path: Path, machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    machine(run_mode="device")
    monkeypatch.setenv("ASCENDTENSOR_SIM_RUN_MODE", "device")
    x = at.rand(3, 4)
    with at.trace() as t:
        y = (x + at.tensor([1.0, 2.0, 3.0, 4.0])).sum(0).clone()
    (found,) = run(t.to_pyacl(tmp_path / "board.py")).values()
    assert np.array_equal(found, y.numpy())


def test_launches_that_compile_each_time_are_recorded_but_not_repeated(tmp_path: Path) -> None:
    x = at.ones(3)
    with at.op_models.mode("each-run"):
        with at.trace() as t:
            x * 7
        x * 8
    assert [(each.function, each.op_type) for each in t.launches] == [("mul", "Mul")]
    with pytest.raises(at.UnsupportedError):
        t.to_pyacl(tmp_path / "never.py")


def test_what_no_program_can_repeat_is_refused(tmp_path: Path) -> None:
    with recorder() as nothing:
        pass
    with pytest.raises(at.UnsupportedError, match="nothing was launched"):
        nothing.to_pyacl(tmp_path / "nothing.py")
    x = at.ones(1000)
    for options in ({"data": False}, {"limit": 100}):
        with recorder(**options) as t:
            x + 1
        with pytest.raises(at.UnsupportedError, match="not kept"):
            t.to_pyacl(tmp_path / "never.py")
    with at.trace() as t:
        at.acl_cast(x, at.float16)
    with pytest.raises(at.UnsupportedError, match="can't repeat"):
        t.to_pyacl(tmp_path / "never.py")
    assert list(tmp_path.iterdir()) == []


def test_ranges() -> None:
    ranges = Ranges()
    for start, size in ((10, 5), (20, 5), (14, 6), (40, 1)):
        ranges.add(start, size)
    assert ranges.holds(10, 15) and ranges.holds(12, 3) and ranges.holds(40, 1)
    assert not ranges.holds(9, 3) and not ranges.holds(24, 2) and not ranges.holds(39, 2) and not ranges.holds(0, 1)


# Explanations


def test_explain_tells_the_hops_and_decisions() -> None:
    x, w, b = at.ones(2, 3), at.ones(3, 2, dtype=at.int64), at.ones(2)
    found = at.explain(lambda: (w + b).sum(0) * 2 + x[0, 0])
    text = repr(found)
    assert "hop 1  tensor: NPUTensor.__add__" in text and "hop 2  ops.pointwise.elementwise: add" in text
    assert "cast     x1: to float32 by Cast, before this launch" in text
    assert "constant axes = [0]" in text and "number   x2: a float32 of one element" in text
    assert "int64, float32: computes in float32, gives float32" in text and "static, of exactly these shapes" in text
    assert "acl.op.execute_with_handle" in text and found.result.tolist() == [13.0, 13.0]
    assert "plan at hand" in repr(at.explain(lambda: w + b)) and "<pre>" in found._repr_html_()
    assert "nothing was launched" in repr(at.explain(lambda: x.T))


def test_explain_takes_a_function() -> None:
    with pytest.raises(at.DTypeError, match="not NPUTensor") as caught:
        at.explain(at.ones(2) + 1)  # type: ignore[arg-type]
    assert "lambda" in caught.value.advice


def test_explain_leaves_the_registry_as_it_was() -> None:
    before = dict(vars(at.handle_cache))
    with pytest.raises(ZeroDivisionError):
        at.explain(lambda: 1 / 0)
    assert vars(at.handle_cache).keys() == before.keys()


def test_off_a_recorder_adds_no_hop() -> None:
    x = at.ones(8, 8)

    def calls() -> list[str]:
        found: list[str] = []

        def note(frame: types.FrameType, event: str, argument: object) -> None:
            if event == "call":
                found.append(frame.f_code.co_qualname if sys.version_info >= (3, 11) else frame.f_code.co_name)

        sys.setprofile(note)
        try:
            x + x
        finally:
            sys.setprofile(None)
        return found

    x + x
    before = calls()
    with at.trace(), at.profile():
        during = calls()
    assert calls() == before and len(during) > len(before)
