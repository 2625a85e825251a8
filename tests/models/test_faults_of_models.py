"""Every function of `acl.mdl` that the library calls is made to fail: the error is named, nothing is lost, the next run works."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_program import convert, linear, linear_reference, save, value
from onnx import TensorProto, helper

import ascendtensor as at
from ascendtensor import simulator

CODE = 507899
NAMES = (
    "acl.mdl.add_dataset_buffer",
    "acl.mdl.create_dataset",
    "acl.mdl.create_desc",
    "acl.mdl.destroy_dataset",
    "acl.mdl.destroy_desc",
    "acl.mdl.execute",
    "acl.mdl.execute_async",
    "acl.mdl.get_cur_output_dims",
    "acl.mdl.get_dataset_tensor_desc",
    "acl.mdl.get_desc",
    "acl.mdl.get_dynamic_batch",
    "acl.mdl.get_dynamic_hw",
    "acl.mdl.get_input_dims",
    "acl.mdl.get_input_dims_range",
    "acl.mdl.get_input_dims_v2",
    "acl.mdl.get_input_dynamic_dims",
    "acl.mdl.get_input_dynamic_gear_count",
    "acl.mdl.get_output_dims",
    "acl.mdl.load_from_file",
    "acl.mdl.load_from_file_with_mem",
    "acl.mdl.load_from_mem",
    "acl.mdl.load_from_mem_with_mem",
    "acl.mdl.query_size",
    "acl.mdl.query_size_from_mem",
    "acl.mdl.set_dataset_tensor_desc",
    "acl.mdl.set_dynamic_batch_size",
    "acl.mdl.set_dynamic_hw_size",
    "acl.mdl.set_input_dynamic_dims",
    "acl.mdl.unload",
    "acl.rt.memset_async",
)
NO_HANDLE = {"acl.mdl.create_dataset", "acl.mdl.create_desc", "acl.mdl.get_dataset_tensor_desc"}  # answer 0 instead of a code


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("faults")
    image = save(folder / "i.onnx", [helper.make_node("Neg", ["x"], ["y"], "n")], [value("x", [1, 1, "h", "w"])], [value("y", None)])
    product = [helper.make_node("MatMul", ["a", "b"], ["y"], "mul")]
    dims = save(folder / "d.onnx", product, [value("a", ["n", 3]), value("b", [3, "m"])], [value("y", None)])
    net = linear(folder / "net.onnx")
    (folder / "aipp.cfg").write_text("aipp_op {\naipp_mode: static\ninput_format: RGB888_U8\nsrc_image_size_w: 6\nsrc_image_size_h: 4\n}\n")
    same = save(folder / "s.onnx", [helper.make_node("Identity", ["x"], ["y"], "same")], [value("x", [1, 3, 4, 6])], [value("y", None)])
    places = save(
        folder / "p.onnx", [helper.make_node("NonZero", ["x"], ["y"], "nz")], [value("x", ["n"])], [value("y", None, TensorProto.INT64)]
    )
    return {
        "places": convert(places, folder / "places"),
        "fixed": convert(net, folder / "fixed", input_shape="x:2,4"),
        "batches": convert(net, folder / "batches", input_shape="x:-1,4", dynamic_batch_size="1,4"),
        "open": convert(net, folder / "open", input_shape="x:1~64,4"),
        "images": convert(image, folder / "images", input_shape="x:1,1,-1,-1", dynamic_image_size="2,3;4,2"),
        "bytes": convert(same, folder / "bytes", insert_op_conf=str(folder / "aipp.cfg"), input_shape="x:1,3,4,6"),
        "dims": convert(dims, folder / "dims", input_shape="b:3,-1;a:-1,3", dynamic_dims="1,2;2,4", input_format="ND"),
    }


def session(files: dict[str, Path]) -> None:
    """Models of every kind, loaded by every road, run once or twice."""
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    for name in ("fixed", "batches", "open"):
        for memory in ("system", "managed") if name == "fixed" else ("system",):
            with at.models.load(files[name], memory=memory) as model:
                for rows in (1, 2):
                    y = model(x[:rows], pad=name != "open")
                    np.testing.assert_allclose(y.numpy(), linear_reference(x[:rows]), rtol=1e-5)
    for memory in ("system", "managed"):
        with at.models.load(files["fixed"].read_bytes(), memory=memory) as model:
            np.testing.assert_allclose(model(x).numpy(), linear_reference(x), rtol=1e-5)
    with at.models.load(files["images"]) as model:
        np.testing.assert_array_equal(model(np.ones((1, 1, 2, 3), np.float32)).numpy(), -np.ones((1, 1, 2, 3)))
    with at.models.load(files["bytes"]) as model:
        assert model(np.full(model.inputs[0].shape, 9, np.uint8)).shape == (1, 3, 4, 6)
    with at.models.load(files["places"]) as model:
        assert model(np.ones(3, np.float32)).tolist() == [[0, 1, 2]]
    with at.models.load(files["dims"]) as model:
        a, b = np.ones((2, 3), np.float32), np.ones((3, 1), np.float32)
        np.testing.assert_array_equal(model(a, b).numpy(), a @ b)


def counted(files: dict[str, Path]) -> Counter[str]:
    """How often a session calls each function."""
    calls: Counter[str] = Counter()
    functions = {f"acl.mdl.{name}": getattr(simulator.mdl, name) for name in dir(simulator.mdl)}
    functions["acl.rt.memset_async"] = simulator.rt.memset_async

    def counting(name: str, original: Any) -> Any:
        def call(*args: Any) -> Any:
            calls[name] += 1
            return original(*args)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name, original in functions.items():
            module = simulator.rt if name.startswith("acl.rt.") else simulator.mdl
            patch.setattr(module, name.rpartition(".")[2], counting(name, original))
        session(files)
    return calls


@pytest.fixture(scope="module")
def calls(files: dict[str, Path]) -> Counter[str]:
    return counted(files)


def test_the_list_is_complete(calls: Counter[str]) -> None:
    assert {name for name in calls if simulator_can_fail(name)} == set(NAMES)


def simulator_can_fail(name: str) -> bool:
    """Whether it answers a code, or no handle."""
    module = simulator.rt if name.startswith("acl.rt.") else simulator.mdl
    failure = vars(getattr(module, name.rpartition(".")[2]))["failure"](CODE)
    return name in NO_HANDLE or failure == CODE or (isinstance(failure, tuple) and failure[-1] == CODE)


@pytest.mark.parametrize("name", NAMES)
def test_a_function_that_fails_once(name: str, calls: Counter[str], files: dict[str, Path]) -> None:
    for nth in sorted({1, (calls[name] + 2) // 2} & set(range(1, calls[name] + 1))):
        with simulator.faults.plan(name, nth, CODE) as fault:
            errors = []
            for step in (lambda: session(files), at.shutdown):
                try:
                    step()
                except Exception as error:
                    errors.append(error)
        assert fault.fired == 1, f"call {nth} of {calls[name]} was not reached"
        assert len(errors) <= 1, errors
        for error in errors:
            assert isinstance(error, at.AclError), repr(error)
            assert error.function == name and (name in NO_HANDLE or error.code == CODE)
            assert name in str(error)
        del errors
        session(files)
        at.shutdown()
        assert not any(simulator.tables().values()), f"call {nth} left {simulator.tables()}"


@pytest.mark.parametrize("name", ["acl.mdl.destroy_dataset", "acl.mdl.unload", "acl.mdl.destroy_desc"])
def test_a_shutdown_whose_first_try_fails_gives_everything_back(name: str, files: dict[str, Path]) -> None:
    one, two = (at.models.load(files["fixed"]) for _ in range(2))
    for model in (one, two):
        model(np.ones((2, 4), np.float32)).numpy()
    with simulator.faults.plan(name, code=CODE) as fault:
        at.shutdown()
    assert fault.fired == 1 and one.closed and two.closed
    assert not any(simulator.tables().values())
    at.models.load(files["fixed"])(np.ones((2, 4), np.float32))
    with simulator.faults.plan(name, code=CODE, repeat=True), pytest.raises(at.AclError, match=name):
        at.shutdown()
    simulator.new_process()
