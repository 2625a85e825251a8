"""The cases of ONNX's own test suite, through ``atc`` and ``acl.mdl``, with results equal to ONNX Runtime's (MDL-21, MDL-25)."""

from __future__ import annotations

import ctypes
import math
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from model_program import SOC, Program
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

from ascendtensor.simulator import atc_model, atc_options
from ascendtensor.simulator.engine import model_file, whole_models
from ascendtensor.simulator.engine.compile import CompileFailure

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"
Tensor = tuple[tuple[int, ...], bytes]


def node_cases() -> list[tuple[str, Any, Sequence[Any]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(case.name, case.model, case.data_sets[0][0]) for case in collect_testcases(None)]


def folder_cases() -> list[tuple[str, Any, Sequence[Any]]]:
    found: list[tuple[str, Any, Sequence[Any]]] = []
    for path in sorted(DATA.glob("*/*/model.onnx")):
        inputs = [onnx.load_tensor(path.parent / "test_data_set_0" / f"input_{number}.pb") for number in range(len(inputs_of(path)))]
        found.append((path.parent.name, onnx.load(path), inputs))
    return found


def inputs_of(path: Path) -> list[Path]:
    return sorted((path.parent / "test_data_set_0").glob("input_*.pb"))


def dense(given: Any) -> Tensor | None:
    """Dims and bytes of an input; None for what is no dense tensor of whole bytes."""
    if isinstance(given, onnx.TensorProto):
        if given.data_type == onnx.TensorProto.STRING or given.data_type in range(onnx.TensorProto.UINT4, onnx.TensorProto.INT4 + 1):
            return None
        given = numpy_helper.to_array(given)
    if not isinstance(given, (np.ndarray, np.generic)) or given.dtype.kind in "OUS":
        return None
    array = np.asarray(given, order="C")
    return array.shape, array.tobytes()


class Reference:
    """ONNX Runtime, called directly."""

    def __init__(self, model: bytes) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(self, inputs: Sequence[Tensor], elements: dict[str, int]) -> list[Tensor]:
        kept = [np.frombuffer(data or b"\0", np.uint8).copy() for _, data in inputs]
        binding = self.session.io_binding()
        for info, (dims, _), array in zip(self.session.get_inputs(), inputs, kept, strict=True):
            binding.bind_input(info.name, "cpu", 0, elements[info.name], dims, array.ctypes.data)
        for info in self.session.get_outputs():
            binding.bind_output(info.name, "cpu")
        self.session.run_with_iobinding(binding)
        return [self.tensor(value) for value in binding.get_outputs()]

    @staticmethod
    def tensor(value: Any) -> Tensor:
        dims = tuple(value.shape())
        item = onnx.helper.tensor_dtype_to_np_dtype(value.element_type()).itemsize
        nbytes = math.prod(dims) * item
        return dims, ctypes.string_at(value.data_ptr(), nbytes) if nbytes else b""


def simulate(program: Program, path: Path, inputs: Sequence[Tensor], expected: Sequence[Tensor]) -> list[Tensor]:
    """Dims and bytes of the outputs."""
    acl = program.acl
    options = {"framework": "5", "model": str(path), "output": "model", "soc_version": SOC}
    data = model_file.pack(atc_model.convert(atc_options.read(options)))
    model, ret = acl.mdl.load_from_mem(acl.util.bytes_to_ptr(data), len(data))
    assert ret == 0, acl.get_recent_err_msg()
    file = whole_models.MODELS[model].file
    arrays = [np.frombuffer(raw, np.uint8) for _, raw in inputs]
    source = program.dataset(*[(program.upload(array) if array.size else program.room(0), array.size) for array in arrays])
    places = [(program.room(len(raw)), len(raw)) for _, raw in expected]
    target = program.dataset(*places)
    if file.open:
        for index, (dims, _) in enumerate(inputs):
            program.shape(source, index, list(dims))
    assert acl.mdl.execute(model, source, target) == 0, acl.get_recent_err_msg()
    found = []
    for index, (address, size) in enumerate(places):
        dims = tuple(program.dims(target, index)) if file.open else file.outputs[index].dims
        found.append((dims, program.download(address, np.empty(size, np.uint8)).tobytes() if size else b""))
    assert acl.mdl.unload(model) == 0
    return found


def check(acl: ModuleType, cases: list[tuple[str, Any, Sequence[Any]]], path: Path) -> Counter[str]:
    """Runs them all.

    Returns:
        How many were equal, refused by name, or can't be run by ONNX Runtime itself.
    """
    counts: Counter[str] = Counter()
    wrong = []
    for name, model, given in cases:
        data = model.SerializeToString()
        inputs = [dense(each) for each in given]
        elements = {info.name: info.type.tensor_type.elem_type for info in model.graph.input}
        try:
            expected = Reference(data).run([each for each in inputs if each is not None], elements) if None not in inputs else []
        except Exception:  # newer operators, or outputs that are no tensors
            expected = None
        path.write_bytes(data)
        program = Program(acl)
        try:
            if expected is None:
                counts["not run by ONNX Runtime"] += 1
            elif None in inputs:
                atc_model.convert(atc_options.read({"framework": "5", "model": str(path), "output": "model", "soc_version": SOC}))
                wrong.append(name)  # no tensor of pyACL's, yet not refused
            elif simulate(program, path, [each for each in inputs if each is not None], expected) == expected:
                counts["equal"] += 1
            else:
                wrong.append(name)
        except CompileFailure as failure:
            assert failure.text.startswith("E10055"), (name, failure.text)
            counts["refused"] += 1
        finally:
            program.close()
    assert wrong == []
    return counts


@pytest.mark.slow
def test_every_node_case_equals_onnx_runtime(acl: ModuleType, tmp_path: Path) -> None:
    counts = check(acl, node_cases(), tmp_path / "case.onnx")  # 1,617 equal, 151 refused where ONNX Runtime knows the newest operators
    assert counts["equal"] > 1100 and counts["refused"] > 100 and sum(counts.values()) > 1700, counts
    assert acl.tables()["models"] == acl.tables()["device_memory"] == acl.tables()["datasets"] == 0


@pytest.mark.slow
def test_every_model_of_the_folders_equals_onnx_runtime(acl: ModuleType, tmp_path: Path) -> None:
    counts = check(acl, folder_cases(), tmp_path / "case.onnx")
    assert counts["equal"] > 90, counts


def test_some_node_cases_equal_onnx_runtime(acl: ModuleType, tmp_path: Path) -> None:
    names = {"test_AvgPool2d", "test_BatchNorm2d_eval", "test_Conv2d", "test_Softmax", "test_operator_conv"}
    folders = [case for case in folder_cases() if case[0] in names]
    counts = check(acl, folders, tmp_path / "case.onnx")  # the oldest operators are none of ONNX Runtime's
    assert counts["equal"] >= 3, counts
