"""Every pyACL function that the library calls is made to fail: the error is named, nothing is lost, the next call works."""

from __future__ import annotations

import ast
import os
import pickle
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import session

import ascendtensor as at
from ascendtensor import simulator
from ascendtensor.acl import binding
from ascendtensor.acl import models as acl_models
from ascendtensor.launch.registry import handle_cache
from ascendtensor.simulator import kernels

CODE = 507899  # ACL_ERROR_RT_INTERNAL_ERROR-like: nothing is written for it alone
CANT_FAIL = {  # they return nothing, or a plain value (GEN-3, PY-6)
    "acl.destroy_tensor_desc",
    "acl.set_tensor_desc_name",
    "acl.op.destroy_attr",
    "acl.op.destroy_handle",
    "acl.util.bytes_to_ptr",
    "acl.get_soc_name",
    "acl.get_recent_err_msg",
    "acl.get_tensor_desc_num_dims",
}
BARE = {"acl.create_tensor_desc", "acl.create_data_buffer", "acl.op.create_attr"}  # answer 0 instead of a code


@pytest.fixture
def fresh(new_process: None) -> Iterator[None]:
    session.forget()
    yield
    session.forget()


@pytest.fixture(scope="module")
def calls() -> dict[str, int]:
    """How often the session calls each function."""
    at.shutdown()
    simulator.new_process()
    session.forget()
    with session.recorded() as found:
        session.run()
        session.close()
    session.forget()
    return dict(found)


TESTED_ALONE = {  # a thread of their own, a compiler or whole models call them, or the error is of another class
    "acl.rt.launch_callback": "tests/runtime/test_callbacks.py",
    "acl.rt.process_report": "tests/runtime/test_callbacks.py",
    "acl.rt.subscribe_report": "tests/runtime/test_callbacks.py",
    "acl.rt.unsubscribe_report": "tests/runtime/test_callbacks.py",
    "acl.set_tensor_place_ment": "tests/launch/test_op_models.py",
    "acl.op.infer_shape": "tests/process/test_faults.py",
    "acl.op.set_max_op_queue_num": "tests/compiler/test_online_compiler.py",
    "acl.rt.memcpy2d": "tests/inspection/test_rendering.py",
    "acl.rt.memset_async": "tests/models/test_faults_of_models.py",
}
"""Functions outside the session, and the file whose tests make each of them fail."""


def _functions_of_models() -> set[str]:
    """The functions of `acl.mdl` that the package names; tests/models makes each fail."""
    text = Path(acl_models.__file__).read_text()
    named = {f"acl.mdl.{name}" for name in re.findall(r"_mdl\(\)\.(\w+)\(", text)}
    return named | {f"acl.mdl.get_{kind}_dims" for kind in ("input", "output")}


def _functions_of_the_binding() -> dict[str, set[str]]:
    """The pyACL functions that each function of the binding names."""
    tree = ast.parse(Path(binding.__file__).read_text())
    return {
        function.name: {
            node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"acl(\.\w+)+", node.value)
        }
        for function in tree.body
        if isinstance(function, ast.FunctionDef)
    }


def _functions_that_the_package_calls() -> set[str]:
    named = _functions_of_the_binding()
    used: set[str] = set()
    root = Path(at.__file__).parent
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] in ("acl", "simulator", "selfcheck"):  # a self-check reports what fails
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "binding":
                used |= named.get(node.attr, set())
            elif isinstance(node, ast.ImportFrom) and (node.module or "").endswith("acl.binding"):
                used |= set().union(*(named.get(name.name, set()) for name in node.names))
    return used


def test_every_function_that_the_package_calls_is_made_to_fail(calls: dict[str, int]) -> None:
    used = _functions_that_the_package_calls()
    assert len(used) >= 50 and {"acl.init", "acl.rt.malloc", "acl.op.execute_v2", "acl.rt.launch_callback"} <= used
    assert used - set(calls) - CANT_FAIL == set(TESTED_ALONE)
    root = Path(__file__).parents[2]
    of_models = (root / "tests" / "models" / "test_faults_of_models.py").read_text()
    assert {name for name in _functions_of_models() if f'"{name}"' not in of_models} == set()
    for name, path in TESTED_ALONE.items():
        assert f'"{name}"' in (root / path).read_text(), f"{path} should make {name} fail"


def attempt(body: Callable[[], None]) -> BaseException | None:
    try:
        body()
    except Exception as error:
        return error
    return None


NAMES = (
    "acl.blas.create_handle_for_gemm_ex",
    "acl.blas.gemm_ex",
    "acl.create_data_buffer",
    "acl.create_tensor_desc",
    "acl.destroy_data_buffer",
    "acl.finalize",
    "acl.get_tensor_desc_dim_v2",
    "acl.init",
    "acl.op.cast",
    "acl.op.create_attr",
    "acl.op.create_handle",
    "acl.op.create_handle_for_cast",
    "acl.op.create_kernel",
    "acl.op.execute_v2",
    "acl.op.execute_with_handle",
    "acl.op.load",
    "acl.op.register_compile_func",
    "acl.op.set_attr_bool",
    "acl.op.set_attr_data_type",
    "acl.op.set_attr_float",
    "acl.op.set_attr_int",
    "acl.op.set_attr_list_bool",
    "acl.op.set_attr_list_data_type",
    "acl.op.set_attr_list_float",
    "acl.op.set_attr_list_int",
    "acl.op.set_attr_list_list_int",
    "acl.op.set_attr_list_string",
    "acl.op.set_attr_string",
    "acl.op.set_kernel_args",
    "acl.op.set_kernel_workspace_sizes",
    "acl.op.update_params",
    "acl.rt.create_context",
    "acl.rt.create_event_ex_with_flag",
    "acl.rt.create_stream",
    "acl.rt.create_stream_with_config",
    "acl.rt.destroy_context",
    "acl.rt.destroy_event",
    "acl.rt.destroy_stream",
    "acl.rt.device_can_access_peer",
    "acl.rt.device_get_stream_priority_range",
    "acl.rt.event_elapsed_time",
    "acl.rt.free",
    "acl.rt.free_host",
    "acl.rt.get_context",
    "acl.rt.get_device_count",
    "acl.rt.get_mem_info",
    "acl.rt.get_run_mode",
    "acl.rt.malloc",
    "acl.rt.malloc_host",
    "acl.rt.memcpy",
    "acl.rt.memcpy_async",
    "acl.rt.query_event_status",
    "acl.rt.record_event",
    "acl.rt.reset_device",
    "acl.rt.set_context",
    "acl.rt.set_device",
    "acl.rt.stream_query",
    "acl.rt.stream_wait_event",
    "acl.rt.synchronize_device",
    "acl.rt.synchronize_event",
    "acl.rt.synchronize_stream",
    "acl.set_tensor_const",
    "acl.set_tensor_dynamic_input",
    "acl.set_tensor_origin_shape",
    "acl.set_tensor_shape_range",
)


def test_the_list_is_complete(calls: dict[str, int]) -> None:
    assert set(calls) - CANT_FAIL == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_function_that_fails_once(name: str, calls: dict[str, int], fresh: None) -> None:
    fails_once(name, calls[name], {1, (calls[name] + 2) // 2})


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_function_that_fails_at_any_call(name: str, calls: dict[str, int], fresh: None) -> None:
    count = calls[name]
    fails_once(name, count, set(range(1, 12)) | set(range(1, count, max(1, count // 12))) | {count - 1, count})


def fails_once(name: str, count: int, calls: set[int]) -> None:
    planned = sorted(calls & set(range(1, count + 1)))
    reached = 0
    for nth in planned:
        session.forget()
        with simulator.faults.plan(name, nth, CODE) as fault:
            errors = [found for found in (attempt(session.run), attempt(session.close)) if found is not None]
        # How many events a program needs depends on what an earlier run left loaded and alive: some make fewer calls than the one counted.
        assert fault.fired == (fault.calls >= nth), f"call {nth} of {fault.calls} did not fail"
        assert fault.fired or not errors, errors
        reached += fault.fired
        for error in errors:
            assert isinstance(error, at.AclError), repr(error)
            assert error.function == name and (name in BARE or error.code == CODE)
            assert name in str(error) and error.name in str(error)
            assert str(pickle.loads(pickle.dumps(error))) == str(error)
        # What is not reported was made good: a second try of a teardown, a handle that is found by reloading.
        assert len(errors) <= 1, errors
        session.run()
        session.close()
        assert not any(simulator.tables().values()), f"call {nth} of {count} left {simulator.tables()}"
    assert planned and 2 * reached >= len(planned), f"{reached} of the calls {planned} were reached"


@pytest.mark.parametrize(
    "name", ["acl.rt.malloc", "acl.op.execute_with_handle", "acl.op.execute_v2", "acl.rt.memcpy_async", "acl.create_data_buffer"]
)
def test_failures_of_a_warm_program_give_the_output_back(name: str, fresh: None) -> None:
    session.run()
    a = at.ones(1000)
    (a + a, a * 3)
    at.synchronize()
    at.empty_cache()
    before = at.memory_allocated()
    bodies: dict[str, Callable[[], Any]] = {
        "acl.rt.malloc": lambda: at.full((3 << 20,), 1.0),
        "acl.create_data_buffer": lambda: at.full((3 << 20,), 1.0),
        "acl.op.execute_with_handle": lambda: a + a,
        "acl.op.execute_v2": lambda: a[a > 0],
        "acl.rt.memcpy_async": lambda: at.tensor([1.0, 5.0, 7.0]),
    }
    body = bodies[name]
    body()
    at.empty_cache()
    for _ in range(3):
        with simulator.faults.plan(name, 1, CODE), pytest.raises(at.AclError) as caught:
            body()
        assert caught.value.function == name
        del caught
    at.synchronize()
    at.empty_cache()
    assert at.memory_allocated() <= before + 4096
    body()


def test_an_error_says_function_operands_call_code_and_advice(fresh: None) -> None:
    a, b = at.ones(2, 3), at.ones(2, 3)
    a + b
    with simulator.faults.plan("acl.op.execute_with_handle", code=207001), pytest.raises(MemoryError) as caught:
        a + b
    lines = str(caught.value).splitlines()
    assert lines[0].startswith("add: ")
    assert "operands: float32[2, 3] on npu:0, float32[2, 3] on npu:0" in lines[1]
    assert "acl.op.execute_with_handle returned ACL_ERROR_RT_MEMORY_ALLOCATION (207001): " in lines[2] and "planned fault" in lines[2]
    assert "empty_cache()" in lines[3]


@pytest.mark.parametrize(
    "body",
    [lambda a: a + a, lambda a: at.sum(a, 0), lambda a: a * 2, lambda a: a @ a],
    ids=["add", "sum", "number", "matmul"],
)
def test_the_first_call_shows_no_other_error_as_its_cause(body: Callable[[Any], Any], fresh: None) -> None:
    a = at.ones(3, 3)
    with simulator.faults.plan("acl.op.create_handle", code=CODE), pytest.raises(at.AclError) as caught:
        body(a)
    error: BaseException | None = caught.value
    while error is not None:
        assert not isinstance(error, KeyError)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def test_a_shape_that_cannot_be_inferred_is_a_shape_error(fresh: None) -> None:
    a = at.ones(3)
    with simulator.faults.plan("acl.op.infer_shape", code=CODE), pytest.raises(at.ShapeError, match=rf"acl\.op\.infer_shape [\s\S]*{CODE}"):
        at.ir.call("Relu", a)
    assert at.ir.call("Relu", a - 2).tolist() == [0.0] * 3


# Kernels


def test_a_kernel_that_fails_shows_at_the_next_synchronising_call(fresh: None) -> None:
    # RT-45, RT-47, RT-48: the launch has long returned; the error names what was launched, then the stream goes on.
    a = at.ones(4)
    a + a
    at.synchronize()
    with simulator.faults.kernel("Mul") as fault:
        b = a + a
        c = b * b
        d = c - a  # queued behind it, runs nevertheless
        with pytest.raises(at.AclError) as caught:
            at.synchronize()
    assert fault.fired == 1 and caught.value.code == 507015
    assert "Launched before it: Add, Mul, Sub." in str(caught.value) and "ASCENDTENSOR_LAUNCH_BLOCKING=1" in str(caught.value)
    assert b.tolist() == [2.0] * 4
    assert (b * b).tolist() == [4.0] * 4
    assert d.shape == (4,)
    at.synchronize()


@pytest.mark.parametrize("how", ["item", "numpy", "stream", "event"])
def test_every_call_that_waits_shows_it(how: str, fresh: None) -> None:
    a = at.ones(4)
    with simulator.faults.kernel("Exp"), pytest.raises(at.AclError, match="Exp"):
        b = at.exp(a)
        if how == "item":
            b[0].item()
        elif how == "numpy":
            b.numpy()
        elif how == "stream":
            at.current_stream().synchronize()
        else:
            event = at.current_stream().record_event()
            event.synchronize()
            at.synchronize()
    assert at.exp(a * 0).tolist() == [1.0] * 4


def test_an_error_names_what_was_launched_since_the_one_before(fresh: None) -> None:
    a = at.ones(4)
    for function, op_type in ((at.exp, "Exp"), (at.neg, "Neg")):
        with simulator.faults.kernel(op_type), pytest.raises(at.AclError) as caught:
            function(a)
            at.current_stream().synchronize()
    assert str(caught.value).endswith("Launched before it: Neg.")


def test_blocking_launches_point_at_the_call(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCENDTENSOR_LAUNCH_BLOCKING", "1")
    a = at.ones(4)
    with simulator.faults.kernel("Mul"):
        b = a + a
        said = r"mul: [\s\S]*operands: float32\[4\] on npu:0, float32\[4\] on npu:0[\s\S]*Launched before it: Mul"
        with pytest.raises(at.AclError, match=said) as caught:
            b * b
    assert caught.traceback[-1].name != "synchronize_device"
    with simulator.faults.kernel("Exp"), pytest.raises(at.AclError, match="exp: "):
        at.exp(a, out=at.empty(4))
    a += 1
    at.sum(a, 0, out=at.empty(()))
    assert a[a > 1].tolist() == [2.0] * 4
    assert handle_cache.info().hits >= 0 and handle_cache.launches()["Mul"] == 1


def test_a_kernel_that_fails_at_shutdown_is_reported_and_all_is_given_back(fresh: None) -> None:
    a = at.ones(4)
    with simulator.faults.kernel("Exp"):
        at.exp(a)
        with pytest.raises(at.AclError, match="Exp"):
            at.shutdown()
    assert not any(simulator.tables().values())


def test_an_error_of_queued_work_names_the_operator_not_the_kernels_function(fresh: None) -> None:
    x = at.ones(4)
    for _ in range(2):  # the second time the task was prepared before
        with pytest.raises(at.AclError, match=r"task \[GatherElements\] on stream"):
            at.gather(x, 0, at.tensor([9])).cpu()
    with pytest.raises(at.AclError, match=r"task \[Exp\]"), simulator.faults.kernel("Exp"):
        at.exp(x).cpu()
    # A task that a handle has kept for long.
    index = at.tensor([1])
    at.gather(x, 0, index).cpu()
    for number in range(300):
        at.full((number + 1,), 1.0)
    index += 8
    with pytest.raises(at.AclError, match=r"task \[GatherElements\]"):
        at.gather(x, 0, index).cpu()


# Bad input


def test_out_of_memory_and_then_the_same_tensor_still_works(machine: Callable[..., None]) -> None:
    machine(memory=64 << 20)
    a = at.ones(1 << 20)  # 4 MiB
    kept = []
    with pytest.raises(at.OutOfDeviceMemoryError, match=r"asked for .* in use by tensors, .* cached and .* free") as caught:
        for _ in range(64):
            kept.append(a + 1)
    assert isinstance(caught.value, MemoryError) and caught.value.requested >= 4 << 20 and caught.value.used > 32 << 20
    assert "add: " in str(caught.value)
    assert a[5].item() == 1.0
    del caught
    kept.pop()
    assert (a + 1)[7].item() == 2.0
    with pytest.raises(MemoryError):
        at.empty(1 << 30)
    a += 1
    assert a[0].item() == 2.0


def test_a_missing_compiler_is_named(fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    at.shutdown()
    for variable, value in (("COMPILER", "atc"), ("CACHE", "off"), ("ATC", "")):
        monkeypatch.setenv(f"ASCENDTENSOR_{variable}", value)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ASCEND_TOOLKIT_HOME", raising=False)
    a = at.tensor([1.0])
    with pytest.raises(at.CompilerNotFoundError, match=r"add: [\s\S]*ASCENDTENSOR_ATC"):
        a + a
    assert a.tolist() == [1.0]
    at.shutdown()
    monkeypatch.undo()
    b = at.tensor([1.0])
    assert (b + b).tolist() == [2.0]


def test_an_operator_without_a_simulator_kernel_is_named(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCENDTENSOR_CACHE", "off")
    monkeypatch.setattr(kernels, "lookup", lambda op_type, real=kernels.lookup: None if op_type == "Tanh" else real(op_type))
    a = at.tensor([0.0])
    with pytest.raises(RuntimeError, match=r"tanh: [\s\S]*Tanh"):
        at.tanh(a)
    assert (a + 1).tolist() == [1.0]


@pytest.mark.parametrize("number", [2, 4096, -1])
def test_device_numbers_out_of_range(number: int) -> None:
    # vllm-project/vllm-ascend#800
    for name in (number, f"npu:{number}"):
        with pytest.raises(at.DeviceIndexError, match=rf"{number}\b.*2 devices"):
            at.ones(2, device=name)
    assert at.ones(2, device=0).sum().item() == 2.0
    assert at.current_device().index == 0


def test_operands_on_two_devices_name_both() -> None:
    # pytorch/pytorch#13717, #39227
    a, b = at.ones(2, device="npu:0"), at.ones(2, device="npu:1")
    for body in (lambda: a + b, lambda: at.cat([a, b]), lambda: a.add_(b), lambda: at.where(a > 0, a, b), lambda: at.matmul(a, b)):
        with pytest.raises(at.DeviceError, match=r"npu:0[\s\S]*npu:1"):
            body()
    np.testing.assert_array_equal((a + np.float32(1)).numpy(), [2, 2])
    np.testing.assert_array_equal((a + np.array(1, np.float32)).numpy(), [2, 2])
    np.testing.assert_array_equal((b + b).numpy(), [2, 2])


def test_dtypes_that_do_not_multiply_are_both_named() -> None:
    # pytorch/pytorch#13717
    with pytest.raises(TypeError, match=r"float32[\s\S]*int64"):
        at.ones(2, 2) @ at.ones(2, 2, dtype=at.int64)
    np.testing.assert_array_equal((at.ones(2, 2) @ at.ones(2, 2)).numpy(), np.full((2, 2), 2))
    assert (at.ones(2) + at.ones(2, dtype=at.int64)).dtype is at.float32


def test_tensors_from_before_a_shutdown_raise_everywhere() -> None:
    values = np.arange(64, dtype=np.float32)
    old = at.from_numpy(values)
    view, odd, strided = old[8:16], old[3:5], old[::2]
    side, event = at.Stream(), at.Event()
    event.record()
    at.shutdown()
    new = at.ones(64)
    bodies: list[Callable[[], Any]] = [
        lambda: old + old,
        lambda: old + 1,
        lambda: 1 - old,
        lambda: old + new,
        lambda: new + old,
        lambda: at.sum(old),
        lambda: view + 1,
        lambda: odd + 1,
        lambda: strided + 1,
        lambda: old.numpy(),
        lambda: view.numpy(),
        lambda: odd.tolist(),
        lambda: old[3].item(),
        lambda: new.copy_(old),
        lambda: new.add_(old),
        lambda: old.add_(1),
        lambda: old.zero_(),
        lambda: old.to("npu:1"),
        lambda: old @ old,
        lambda: new[old > 0],
        lambda: at.cat([old, new]),
        lambda: side.synchronize(),
        lambda: event.synchronize(),
        lambda: at.stream(side).__enter__(),
    ]
    for number, body in enumerate(bodies):
        with pytest.raises(at.ClosedError, match="shutdown"):
            body()
            raise AssertionError(f"body {number} worked")
    assert old.shape == (64,) and old[3:5].shape == (2,) and repr(old.device) == "npu:0"
    assert new.sum().item() == 64.0


def test_acl_that_somebody_else_initialised_is_not_finalised() -> None:
    # RT-4: 100002 means that it is theirs.
    at.shutdown()
    simulator.new_process()
    assert simulator.init() == 0
    with session.recorded() as calls:
        assert at.ones(3).sum().item() == 3.0
        at.shutdown()
    assert calls["acl.init"] == 1 and calls["acl.finalize"] == 0
    assert simulator.finalize() == 0, "still initialised, and theirs to end"
    simulator.new_process()


def child(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_is_refused_with_advice() -> None:
    done = child(
        """
        import os, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        import ascendtensor as at
        a = at.ones(3)
        a + a
        at.synchronize()
        child = os.fork()
        if not child:
            said = []
            uses = (lambda: a + a, lambda: a * a, lambda: at.ones(2), lambda: a.tolist(), lambda: a[0:2] + 1, at.synchronize)
            for body in uses:
                try:
                    body()
                except at.ForkError as error:
                    said.append("spawn" in str(error))
            print("child", said, flush=True)
            os._exit(0 if said == [True] * 6 else 1)
        _, status = os.waitpid(child, 0)
        print("parent", status, (a + a).tolist())
        """
    )
    assert done.stdout.splitlines() == ["child [True, True, True, True, True, True]", "parent 0 [2.0, 2.0, 2.0]"], done.stderr
    assert done.returncode == 0 and not done.stderr


def test_a_process_forked_before_the_first_use_works() -> None:
    done = child(
        """
        import os, sys
        import ascendtensor as at
        child = os.fork()
        os.write(1, f"{at.ones(3).sum().item()}\\n".encode())
        if child:
            os.waitpid(child, 0)
        """
    )
    assert done.stdout.split() == ["3.0", "3.0"] and not done.stderr
