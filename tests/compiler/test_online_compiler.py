"""`aclopCompile` and `aclopCompileAndExecuteV2` through ctypes, against a library in C that stands in for libacl_op_compiler.so.

The library forwards to Python callbacks, which hand the calls to the simulator's counterpart: pointers, counts, texts and codes cross the
border between Python and C as they would on a board.
"""

from __future__ import annotations

import ctypes
import logging
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor import compiler, simulator
from ascendtensor.acl import binding
from ascendtensor.compiler import needs, online, progress
from ascendtensor.compiler.online import CompileOption, OnlineCompiler
from ascendtensor.launch.registry import HandleRegistry, handle_cache
from ascendtensor.runtime import device as devices
from ascendtensor.simulator import online as counterpart
from ascendtensor.simulator.engine import executing
from ascendtensor.simulator.engine.matching import TABLE
from ascendtensor.simulator.engine.process import State

SOURCE = r"""
typedef int (*compile_t)(const char *, int, void **, int, void **, void *, int, int, const char *);
typedef int (*execute_t)(const char *, int, void **, void **, int, void **, void **, void *, int, int, const char *, void *);
typedef int (*option_t)(int, const char *);
static compile_t compile; static execute_t execute; static option_t option;
void stand_in(compile_t c, execute_t e, option_t o) { compile = c; execute = e; option = o; }
int aclopCompile(const char *opType, int numInputs, void *inputDesc[], int numOutputs, void *outputDesc[], void *attr,
                 int engineType, int compileFlag, const char *opPath)
{ return compile(opType, numInputs, inputDesc, numOutputs, outputDesc, attr, engineType, compileFlag, opPath); }
int aclopCompileAndExecuteV2(const char *opType, int numInputs, void *inputDesc[], void *inputs[], int numOutputs, void *outputDesc[],
                             void *outputs[], void *attr, int engineType, int compileFlag, const char *opPath, void *stream)
{ return execute(opType, numInputs, inputDesc, inputs, numOutputs, outputDesc, outputs, attr, engineType, compileFlag, opPath, stream); }
int aclSetCompileopt(int opt, const char *value) { return option(opt, value); }
"""

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_c = pytest.mark.skipif(CC is None, reason="there is no C compiler here to build the stand-in for libacl_op_compiler.so")

Pointers = ctypes.POINTER(ctypes.c_void_p)
Text, Number, Pointer = ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p
COMPILE = ctypes.CFUNCTYPE(Number, Text, Number, Pointers, Number, Pointers, Pointer, Number, Number, Text)
EXECUTE = ctypes.CFUNCTYPE(Number, Text, Number, Pointers, Pointers, Number, Pointers, Pointers, Pointer, Number, Number, Text, Pointer)
OPTION = ctypes.CFUNCTYPE(Number, Number, Text)


def text(value: bytes | None) -> str | None:
    return None if value is None else value.decode()


class StandIn:
    """The library, and what was asked of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.compiled: list[str] = []
        self.executed: list[str] = []
        self.options: list[tuple[int, str]] = []
        self.refused: dict[int, int] = {}
        self.flags: set[tuple[int, int, Any]] = set()
        self._callbacks = COMPILE(self._compile), EXECUTE(self._execute), OPTION(self._option)
        ctypes.CDLL(str(path)).stand_in(*self._callbacks)

    def _compile(self, op_type: bytes, n: int, inputs: Any, m: int, outputs: Any, attr: int | None, *rest: Any) -> int:
        self.compiled.append(op_type.decode())
        self.flags.add(rest)
        engine, flag, path = rest
        return int(counterpart.compile_operator(text(op_type), n, inputs[:n], m, outputs[:m], attr or 0, engine, flag, text(path)))

    def _execute(self, op_type: bytes, n: int, inputs: Any, sources: Any, m: int, outputs: Any, results: Any, *rest: Any) -> int:
        self.executed.append(op_type.decode())
        attr, engine, flag, path, stream = rest
        given, made = (inputs[:n], sources[:n]), (outputs[:m], results[:m])
        return int(counterpart.compile_and_execute_v2(text(op_type), n, *given, m, *made, attr or 0, engine, flag, text(path), stream or 0))

    def _option(self, option: int, value: bytes) -> int:
        self.options.append((option, value.decode()))
        return self.refused.get(option) or int(counterpart.set_compile_option(option, value.decode()))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("stand-in")
    source, path = directory / "stand_in.c", directory / "libacl_op_compiler.so"
    source.write_text(SOURCE)
    assert CC is not None
    subprocess.run([CC, "-shared", "-fPIC", "-o", str(path), str(source)], check=True)
    return path


@pytest.fixture
def cann(library: Path, new_process: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[StandIn]:
    """The stand-in, as the compiler of everything that is launched."""
    stand_in = StandIn(library)
    monkeypatch.setenv("ASCENDTENSOR_OP_COMPILER", str(library))
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "online")
    monkeypatch.setenv("ASCENDTENSOR_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiler, "registrar", lambda backend, soc: OnlineCompiler(soc))
    monkeypatch.setattr(online._Process, "begun", False)
    forget(handle_cache)
    yield stand_in
    forget(handle_cache)
    online._load.cache_clear()


def forget(cache: HandleRegistry) -> None:
    devices.shutdown()
    cache.clear()
    cache._loaded.clear()
    cache.variants.clear()


# Compiling


@needs_c
def test_launches_go_through_the_library(cann: StandIn) -> None:
    x = at.ones(2, 3)
    assert ((x + x).sum(1) * 0.5).tolist() == [3, 3]
    assert cann.compiled == ["Fill", "Add", "ReduceSum", "Mul"]
    assert cann.flags == {(0, 0, None)}, "ACL_ENGINE_SYS, ACL_COMPILE_SYS, no path"
    x + x
    at.ones(2, 3)
    assert len(cann.compiled) == 4, "each once"
    assert {model.op_type for kind in set(cann.compiled) for model in TABLE.of_type(kind) if model.online} == set(cann.compiled)


@needs_c
def test_absent_inputs_constants_and_attributes_cross_the_border(cann: StandIn) -> None:
    x = at.arange(6.0).reshape(2, 3)
    target, weight = at.tensor([0, 2]), at.tensor([1.0, 1.0, 1.0])
    assert at.nn.functional.softmax(x, -1).sum().item() == pytest.approx(2)
    assert at.nn.functional.cross_entropy(x, target).shape == () and at.cat([x, x, x], 1).shape == (2, 9)
    assert at.nn.functional.nll_loss(x, target, weight).shape == () and x.topk(2)[1].tolist() == [[2, 1], [2, 1]]
    assert at.nonzero(x).shape == (5, 2)


@needs_c
def test_dynamic_models_are_compiled_too(cann: StandIn) -> None:
    for length in range(1, 30):
        assert (at.ones(length) + at.ones(length)).sum().item() == 2 * length
    dynamic = [model for model in TABLE.of_type("Add") if model.dynamic]
    assert len(dynamic) == 1 and dynamic[0].inputs[0].ranges == ((1, -1),)


@needs_c
def test_precision_and_cache_are_set_before_the_first_operator(cann: StandIn, tmp_path: Path) -> None:
    assert cann.options == []
    at.ones(2) + 1
    directory = str(tmp_path / "Ascend910B1" / f"cann-{OnlineCompiler('').version}")
    assert cann.options == [
        (CompileOption.PRECISION_MODE, "must_keep_origin_dtype"),
        (CompileOption.ALLOW_HF32, "00"),  # else convolutions of float32 keep 11 bits (aclCompileOpt, ACL_ALLOW_HF32)
        (CompileOption.CACHE_DIR, directory),
        (CompileOption.CACHE_MODE, "enable"),
    ]
    assert Path(directory).is_dir()


@needs_c
def test_a_compile_that_takes_long_is_mentioned(cann: StandIn, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    real = OnlineCompiler.register
    monkeypatch.setattr(OnlineCompiler, "register", lambda *args: (time.sleep(0.1), real(*args))[1])
    with caplog.at_level(logging.INFO, logger="ascendtensor"):
        at.ones(2)
    assert "compiling Fill(int64[1]=[2], float[]) -> float[2] with online for Ascend910B1" in caplog.messages


def test_a_compile_keeps_nobody_waiting_whose_model_is_there(cann: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    x = at.ones(3, 5)
    (x * 2).tolist()
    reached, opened = threading.Event(), threading.Event()
    original = OnlineCompiler.register

    def slow(self: OnlineCompiler, op_type: str, *rest: Any) -> None:
        if op_type == "Erf":
            reached.set()
            assert opened.wait(30)
        original(self, op_type, *rest)

    monkeypatch.setattr(OnlineCompiler, "register", slow)
    workers = [threading.Thread(target=lambda: at.erf(x).tolist()) for _ in range(3)]
    for worker in workers:
        worker.start()
    assert reached.wait(30)
    handle_cache.forget_plans()
    assert (x * 2).tolist() == [[2.0] * 5] * 3  # a miss, of a model that is loaded
    assert all(worker.is_alive() for worker in workers)
    opened.set()
    for worker in workers:
        worker.join(30)
    assert cann.compiled.count("Erf") == 1


@needs_c
def test_without_a_disk_cache_cann_keeps_none(cann: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCENDTENSOR_CACHE", "off")
    at.ones(2)
    assert cann.options[2:] == [(CompileOption.CACHE_MODE, "disable")]


@needs_c
def test_a_refused_precision_mode_is_an_error(cann: StandIn) -> None:
    # Without it float32 matrix products would silently run in float16.
    cann.refused[CompileOption.PRECISION_MODE] = 500001
    with pytest.raises(at.CompileError, match=r"aclSetCompileopt\(ACL_PRECISION_MODE, must_keep_origin_dtype\) failed.*500001"):
        at.ones(2)
    cann.refused.clear()
    assert at.ones(2).tolist() == [1, 1]


@needs_c
def test_a_compiler_that_does_not_start_may_miss_its_packages(cann: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    # CANN starts its compiler at the first call, once a process: without Python packages of its own that call answers 500001 (EC0010).
    cann.refused[CompileOption.PRECISION_MODE] = 500001
    monkeypatch.setattr(needs, "PACKAGES", ("a-package-that-nobody-has",))
    with pytest.raises(at.CompileError, match=r"may miss the packages a-package-that-nobody-has: pip install"):
        at.ones(2)


@needs_c
def test_a_refused_cache_is_only_mentioned(cann: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    cann.refused[CompileOption.CACHE_MODE] = 500001
    assert at.ones(2).tolist() == [1, 1]
    assert "aclSetCompileopt(CACHE_MODE, enable) gave 500001" in caplog.text


@needs_c
def test_a_version_without_hf32_is_only_mentioned(cann: StandIn, caplog: pytest.LogCaptureFixture) -> None:
    cann.refused[CompileOption.ALLOW_HF32] = 500000
    assert at.ones(2).tolist() == [1, 1]
    assert "aclSetCompileopt(ACL_ALLOW_HF32, 00) gave 500000: convolutions of float32 may keep 11 bits only" in caplog.text


@needs_c
def test_what_cann_refuses_is_an_error_with_its_words(cann: StandIn) -> None:
    at.ones(2)
    with pytest.raises(at.CompileError) as raised:
        handle_cache.load(compiler.Description("Nope", (), (compiler.TensorDescription(0, (2,)),)))
    assert "aclopCompile failed for Nope: ACL_ERROR_GE_FAILURE (500002)" in str(raised.value)
    assert "IR for Op [Nope] is not registered" in raised.value.log and raised.value.op_type == "Nope"


@needs_c
def test_the_compiler_outlives_a_shutdown(cann: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    """Graph engine: OpCompileProcessor starts the compiler once a process, and acl.finalize ends the graph engine that it stands on."""
    assert at.ones(2).tolist() == [1, 1]
    at.shutdown()
    assert simulator.init() == 100002, "still initialised"
    assert (at.ones(3).exp() > 2).all(), "two operators that were not compiled before"
    with pytest.raises(at.BackendError, match="another configuration does not hold"):
        at.shutdown()
        at.init({"max_opqueue_num": "7"})
    devices._shut_down(last=True)  # as at the end of the program
    assert simulator.finalize() == 100037
    assert not devices.state.owned


@needs_c
def test_a_program_that_finalizes_by_itself_ends_the_compiler(cann: StandIn) -> None:
    x = at.ones(2)
    at.shutdown()
    assert simulator.finalize() == 0
    assert at.ones(2).tolist() == [1, 1], "what is compiled stays"
    with pytest.raises(at.CompileError, match="500002"):
        at.ones(2).exp()
    del x


# Ageing


@needs_c
def test_an_operator_that_aged_is_compiled_once_more(cann: StandIn) -> None:
    # OM-11: create_handle answers 100024.
    x = at.ones(3)
    binding.set_max_op_queue_num(2)
    assert (x + x).tolist() == [2, 2, 2] and (x - x).tolist() == [0, 0, 0] and (x * x).tolist() == [1, 1, 1]
    assert not [model for model in TABLE.of_type("Add")]
    handle_cache.clear()  # the handles go, and with them what kept the models
    at.synchronize()
    handle_cache.bury()
    assert (x + x).tolist() == [2, 2, 2]
    assert cann.compiled.count("Add") == 2


@needs_c
def test_models_do_not_age_under_their_handles(cann: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:  # OM-9, OM-11, HD-5
    # A handle is matched once, so the model that is launched most ages first, and its executor goes while the handle has it.
    monkeypatch.setattr(State, "max_op_queue", 2)  # 20,000 by default
    at.shutdown()
    x = at.ones(3)
    for _ in range(2):
        for op in (at.add, at.mul, at.sub, at.maximum):
            op(x, x)
        at.synchronize()
    assert State.max_op_queue == 2_000_000 and cann.compiled.count("Add") == 1


@needs_c
def test_a_maximum_that_is_refused_is_an_error_and_the_next_launch_asks_again(cann: StandIn) -> None:
    at.shutdown()
    refused = pytest.raises(at.AclError, match=r"acl\.op\.set_max_op_queue_num")
    with simulator.faults.plan("acl.op.set_max_op_queue_num"), refused:
        at.ones(3)
    assert (at.ones(3) + 1).tolist() == [2.0] * 3


@needs_c
def test_a_maximum_of_the_users_own_stays(cann: StandIn, new_process: None) -> None:  # OM-9
    at.init({"max_opqueue_num": "30000"})
    assert at.ones(2).tolist() == [1, 1]
    assert State.max_op_queue == 30000


@needs_c
def test_a_dynamic_model_that_aged_is_compiled_once_more(cann: StandIn) -> None:
    x = at.tensor([[1.0, 0.0], [0.0, 2.0]])
    assert x.nonzero().tolist() == [[0, 0], [1, 1]]
    binding.set_max_op_queue_num(1)
    x - x
    assert not TABLE.of_type("NonZero")
    assert x.nonzero().tolist() == [[0, 0], [1, 1]]
    assert cann.compiled.count("NonZero") == 2


@needs_c
def test_an_operator_that_can_t_be_found_at_all_is_an_error_after_one_more_try(cann: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    at.ones(3)
    monkeypatch.setattr(TABLE, "insert", lambda model: False)  # as if others pushed it out at once
    with pytest.raises(at.OperatorNotFoundError, match="100024"):
        at.ones(3).exp()
    assert cann.compiled.count("Exp") == 2


# Each run


@needs_c
def test_each_run_is_one_call(cann: StandIn) -> None:
    with at.op_models.mode("each-run"):
        x = at.arange(6.0).reshape(2, 3)
        assert (x * 2.5 + 1)[1:, ::2].tolist() == [[8.5, 13.5]]
        assert x[x > 2].tolist() == [3, 4, 5]
        assert cann.compiled == []
        assert cann.executed[:3] == ["Range", "Mul", "Add"] and "MaskedSelect" in cann.executed
    assert cann.options[0] == (CompileOption.PRECISION_MODE, "must_keep_origin_dtype")


@needs_c
def test_each_run_threads_are_in_the_library_one_at_a_time(cann: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    # A call through ctypes lets other threads run, and writes into the plan's descriptions and attributes (OP-13, ATTR-10).
    inside, most = [0], [0]
    real = counterpart.compile_and_execute_v2

    def watched(*args: Any) -> int:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.01)
        try:
            return int(real(*args))
        finally:
            inside[0] -= 1

    monkeypatch.setattr(counterpart, "compile_and_execute_v2", watched)
    with at.op_models.mode("each-run"):
        x = at.ones(3)
        threads = [threading.Thread(target=lambda: (x + x).tolist()) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
    assert most == [1]


@needs_c
def test_each_run_errors_keep_their_class(cann: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    with at.op_models.mode("each-run"):
        x = at.ones(3)
        with monkeypatch.context() as patched:
            patched.setattr(executing, "run", lambda *args: (_ for _ in ()).throw(simulator.engine.AclFault(207001, "full")))
            with pytest.raises(at.OutOfDeviceMemoryError, match="exp"):
                x.exp()
        assert x.exp().shape == (3,)


# Where it is not there


@pytest.fixture
def no_cann(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Path]:
    monkeypatch.setattr("ascendtensor.acl.toolkit._USUAL", ())
    for name in ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH", "LD_LIBRARY_PATH", "ASCENDTENSOR_OP_COMPILER", "ASCENDTENSOR_COMPILER"):
        monkeypatch.delenv(name, raising=False)

    def install(*places: str) -> Path:
        for place in places:
            (tmp_path / place).mkdir(parents=True, exist_ok=True)
        return tmp_path

    return install


def test_what_is_missing_is_named(no_cann: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(at.CompilerNotFoundError) as raised:
        OnlineCompiler("Ascend910B1").prepare()
    said = str(raised.value)
    assert "libacl_op_compiler.so was not found (looked in LD_LIBRARY_PATH; no CANN toolkit is in its usual places)" in said
    assert "set_env.sh" in said and "ASCENDTENSOR_COMPILER=atc" in said and "ASCENDTENSOR_OP_MODELS" in said
    monkeypatch.setenv("ASCEND_HOME_PATH", str(no_cann("home")))
    with pytest.raises(at.CompilerNotFoundError, match=f"LD_LIBRARY_PATH and {no_cann()}"):
        online.find_library()
    monkeypatch.setenv("ASCENDTENSOR_OP_COMPILER", "/nothing.so")
    with pytest.raises(at.CompilerNotFoundError, match=r"/nothing\.so is not a file"):
        online.find_library()


@pytest.mark.parametrize("place", ["lib64", "compiler/lib64"])
def test_the_library_is_found_in_the_toolkit(no_cann: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    home = no_cann(place)
    (home / place / online.LIBRARY).write_bytes(b"")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(home))
    assert online.find_library() == str(home / place / online.LIBRARY)
    monkeypatch.delenv("ASCEND_HOME_PATH")
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/nothing:{home / place}")
    assert online.find_library() == str(home / place / online.LIBRARY)


def test_a_file_that_is_no_library_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "x.so").write_bytes(b"no library")
    with pytest.raises(at.CompilerNotFoundError, match=r"x\.so does not load"):
        OnlineCompiler("", str(tmp_path / "x.so")).prepare()


@needs_c
def test_a_library_without_the_functions_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "old.c").write_text("int aclopCompile(void) { return 0; }")
    assert CC is not None
    subprocess.run([CC, "-shared", "-fPIC", "-o", str(tmp_path / "old.so"), str(tmp_path / "old.c")], check=True)
    with pytest.raises(at.CompilerNotFoundError, match="has no function aclopCompileAndExecuteV2"):
        OnlineCompiler("", str(tmp_path / "old.so")).prepare()


def names(chosen: Sequence[Any]) -> list[str]:
    return [type(item).__name__ for item in chosen]


def test_an_npu_takes_it_where_it_is_found(no_cann: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    home = no_cann("lib64")
    before = compiler.choose_compiler("npu", "X")
    (home / "lib64" / online.LIBRARY).write_bytes(b"")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(home))
    after = compiler.choose_compiler("npu", "X")
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "atc")
    asked = compiler.choose_compiler("npu", "X")
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "online")
    simulated = compiler.choose_compiler("simulator", "X")
    assert names([before, after, asked, simulated]) == ["AtcCompiler", "OnlineCompiler", "AtcCompiler", "SimulatedOnline"]


def test_each_run_needs_it(no_cann: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "registrar", lambda backend, soc: OnlineCompiler(soc))
    with pytest.raises(at.CompilerNotFoundError, match="was not found"):
        at.op_models.mode("each-run")
    assert at.op_models.get_mode() == "compiled"


def test_the_simulator_has_its_own(new_process: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCENDTENSOR_COMPILER", "online")
    forget(handle_cache)
    assert (at.ones(3) + 1).tolist() == [2, 2, 2]
    assert counterpart.Compiled.count == 2 and all(model.online for model in TABLE.of_type("Add"))
    with pytest.raises(at.CompileError, match="does not build Nope"):
        handle_cache.load(compiler.Description("Nope", (), (compiler.TensorDescription(0, (2,)),)))
    forget(handle_cache)


# Handles of generalised models


@needs_c
def test_no_handle_is_made_once_a_model_ran_without(cann: StandIn) -> None:  # HD-6, HD-10, OM-18
    # On a 910B what is compiled of exact descriptions serves every shape, and a handle that is made after the model's first run without one
    # finds no bytes to load (graph engine, OpExecutor::PrepareRt2Execute).
    def run(*sizes: int) -> None:
        for size in sizes:
            x = at.from_numpy(np.full((size, 2), size, np.float32))
            assert (x + x).tolist() == [[2 * size] * 2] * size

    built = counterpart.Compiled.count
    run(*range(1, 12))  # the last ones without handle
    assert counterpart.Compiled.count == built + 1 and handle_cache.info().dynamic_launches == 3
    handle_cache.clear()  # handles go, as those that were evicted
    run(3, 2, 20, 1)
    assert handle_cache.info().dynamic_launches == 4
    with at.op_models.mode("each-run"):
        x = at.from_numpy(np.ones((3, 3), np.float32))
        assert (x * x).sum().item() == 9
    assert (x * x).tolist() == [[1, 1, 1]] * 3


@needs_c
def test_no_handle_of_a_product_or_a_cast_is_made_too_late(cann: StandIn) -> None:  # BL-1, BL-12, HD-6
    a = at.from_numpy(np.ones((2, 2), np.float16))
    for handle in (False, True):
        assert at.blas.gemm(a, a, handle=handle).tolist() == [[2.0] * 2] * 2
        assert at.acl_cast(a, at.int32, handle=handle).tolist() == [[1] * 2] * 2
