"""The array API standard: names and signatures of its namespace, its promotion, DLPack, libraries that speak it."""

from __future__ import annotations

import cmath
import gc
import inspect
import itertools
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import array_api_suite
import numpy as np
import pytest

import ascendtensor as at
import ascendtensor.array_api as xp
from ascendtensor import capsules

STANDARD: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "array_api.json").read_text())


def member(name: str) -> Any:
    found: Any = xp
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("name", STANDARD["functions"])
def test_every_function_takes_the_standard_s_arguments(name: str) -> None:
    given = inspect.signature(member(name)).parameters
    positional = [
        parameter for parameter in given.values() if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    names = STANDARD["functions"][name].split()
    by_position = names[: names.index("/")] if "/" in names else []
    rest = names[len(by_position) + bool(by_position) :]
    if rest and rest[0].startswith("*") and len(rest[0]) > 1:
        assert any(parameter.kind is parameter.VAR_POSITIONAL for parameter in given.values())
    else:
        assert len(positional) >= len(by_position)
    for one in rest:
        if not one.startswith("*"):
            assert one in given and given[one].kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY), one
    required = [parameter for parameter in positional[len(by_position) :] if parameter.default is parameter.empty]
    assert {parameter.name for parameter in required} <= set(rest)


def test_constants_dtypes_and_members_are_there() -> None:
    assert xp.__array_api_version__ == "2025.12" and xp.newaxis is None
    for name in (*STANDARD["constants"], *STANDARD["dtypes"]):
        assert hasattr(xp, name), name
    array = xp.asarray([[1.0]])
    for name in STANDARD["array"]:
        assert hasattr(array, name), name
    assert sorted(xp.__all__) == sorted(set(xp.__all__)) and all(hasattr(xp, name) for name in xp.__all__)


@pytest.mark.parametrize("module", [xp, xp.linalg, xp.fft, at.ir], ids=lambda module: module.__name__)
def test_completion_offers_names_of_the_namespace_alone(module: Any) -> None:
    assert dir(module) == sorted(module.__all__)


def test_tensors_and_arrays_name_the_namespace() -> None:
    for array in (at.ones(2), xp.ones(2)):
        assert array.__array_namespace__() is xp
        assert array.__array_namespace__(api_version="2023.12") is xp
        with pytest.raises(ValueError, match="1999"):
            array.__array_namespace__(api_version="1999.01")


def test_the_inspection_answers() -> None:
    info = xp.__array_namespace_info__()
    assert info.default_device() == "npu:0" and [str(device) for device in info.devices()] == ["npu:0", "npu:1"]
    assert info.default_dtypes()["real floating"] is xp.float32 and info.default_dtypes()["integral"] is xp.int64
    assert set(info.dtypes()) == set(STANDARD["dtypes"])
    assert set(info.dtypes(kind="unsigned integer")) == {"uint8", "uint16", "uint32", "uint64"}
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", "complex64", "complex128"}
    assert info.capabilities()["boolean indexing"] is True
    with pytest.raises(ValueError, match="kind"):
        info.dtypes(kind="numbers")


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")


@pytest.mark.parametrize(("first", "second"), list(itertools.product(INTEGERS, INTEGERS)))
def test_a_0d_array_counts_as_much_as_any_other(first: str, second: str) -> None:
    wanted = np.result_type(np.dtype(first), np.dtype(second)).name
    x, y = xp.asarray([1, 2], dtype=getattr(xp, first)), xp.asarray(3, dtype=getattr(xp, second))
    for result in (x + y, y + x, xp.add(x, y), xp.maximum(y, x), xp.where(x > 1, x, y)):
        assert result.dtype.name == wanted and isinstance(result, xp.Array)
    assert xp.result_type(x, y).name == wanted
    assert (x < y).tolist() == [True, True] and (xp.asarray(257) == xp.asarray([1], dtype=xp.int8)).tolist() == [False]


@pytest.mark.parametrize(("first", "second"), [("int8", "int16"), ("uint8", "int32"), ("float32", "float64"), ("int64", "float64")])
def test_products_of_matrices_promote_too(first: str, second: str) -> None:
    x, y = xp.asarray([[1, 2]], dtype=getattr(xp, first)), xp.asarray([[3], [4]], dtype=getattr(xp, second))
    for result in (x @ y, xp.matmul(x, y), xp.linalg.matmul(x, y), xp.tensordot(x, y, axes=1)):
        assert result.dtype.name == second and result.tolist() == [[11]] and isinstance(result, xp.Array)


def test_tensors_keep_pytorch_s_promotion_and_their_class() -> None:
    x, y = at.tensor([1, 2], dtype=at.int8), at.tensor(3)
    assert (x + y).dtype is at.int8 and type(x + y) is at.NPUTensor
    assert xp.add(x, y).dtype is at.int64 and type(xp.add(x, y)) is at.NPUTensor
    assert type(xp.asarray(x)) is xp.Array and xp.asarray(x).buffer is x.buffer


def test_a_number_is_weak() -> None:
    assert (xp.asarray([1], dtype=xp.uint8) + 1).dtype is xp.uint8
    assert xp.multiply(2, xp.asarray([1.0])).dtype is xp.float32
    assert xp.result_type(xp.float32, 1.0) is xp.float32 and xp.result_type(xp.asarray([1]), 1j) is xp.complex64
    with pytest.raises(at.DTypeError):
        xp.asarray([1], dtype=xp.uint64) + xp.asarray([1])


@pytest.mark.parametrize("dtype", [xp.complex64, xp.complex128])
def test_tanh_at_infinity_has_the_standard_s_zero(dtype: Any) -> None:
    heights = [2.0, -2.0, 1.0, 1e30, -0.0, 0.0]
    found = xp.tanh(xp.asarray([complex(math.inf, height) for height in heights] + [0.5 + 1j], dtype=dtype)).tolist()
    assert [(z.real, math.copysign(1, z.imag), abs(z.imag)) for z in found[:-1]] == [(1.0, math.copysign(1, y), 0.0) for y in heights]
    assert abs(found[-1] - cmath.tanh(0.5 + 1j)) < 1e-6


def test_dlpack_gives_numpy_the_simulated_memory_itself() -> None:
    tensor = at.arange(12, dtype=at.float32).reshape(3, 4)
    assert [int(part) for part in tensor.__dlpack_device__()] == [1, 0]
    array = np.from_dlpack(tensor[:, 1:3])
    np.testing.assert_array_equal(array, np.arange(12, dtype=np.float32).reshape(3, 4)[:, 1:3])
    tensor += 1
    at.synchronize()
    assert array[0, 0] == 2
    del tensor
    gc.collect()
    at.ones(100)
    assert array[2, 1] == 11


@pytest.mark.parametrize("name", [name for name in STANDARD["dtypes"] if name != "bool"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_dlpack_brings_every_dtype_there_and_back(name: str, shape: tuple[int, ...]) -> None:
    values = np.arange(int(np.prod(shape))).reshape(shape).astype(name)
    tensor = at.from_dlpack(values)
    assert tensor.dtype.name == name and tensor.shape == shape
    np.testing.assert_array_equal(np.from_dlpack(tensor), values)


def test_dlpack_refuses_by_name() -> None:
    with pytest.raises((RuntimeError, BufferError), match="Unsupported dtype"):  # NumPy's own words, and NumPy 2.5's class
        np.from_dlpack(at.ones(2, dtype=at.bfloat16))
    for device in ((2, 0), (1, 1), "cpu"):
        with pytest.raises(BufferError, match="host only"):
            at.ones(2).__dlpack__(dl_device=device)  # type: ignore[arg-type]
    with pytest.raises(BufferError, match="no streams"):
        at.ones(2).__dlpack__(stream=1)
    with pytest.raises(at.DTypeError, match="__dlpack__"):
        at.from_dlpack([1])
    with pytest.raises(ValueError, match="copy"):
        at.from_dlpack(np.ones(2), copy=False)
    used = np.ones(2).__dlpack__()
    assert at.from_dlpack(used).tolist() == [1, 1]
    with pytest.raises(at.DTypeError, match="before"):
        at.from_dlpack(used)
    x = at.ones(2)
    assert at.from_dlpack(x) is x and at.from_dlpack(x, copy=True) is not x
    assert xp.from_dlpack(x, device="npu:1").device == "npu:1"


class Exported:
    """Memory of the host that another library exports, of any kind of device, dtype code and version."""

    def __init__(self, array: Any, kind: int = 1, code: int | None = None) -> None:
        self.array, self.kind, self.code = array, kind, code

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.array.__dlpack__()
        found = capsules.header(capsule)
        assert found is not None
        if self.code is not None:
            found[0].code = self.code
        return capsule


def test_dlpack_takes_what_numpy_does_not() -> None:
    bits = at.tensor([1.0, -2.5], dtype=at.bfloat16).numpy().view(np.uint16)
    found = at.from_dlpack(Exported(bits, code=capsules.BFLOAT))
    assert found.dtype is at.bfloat16 and found.tolist() == [1.0, -2.5]
    assert at.from_dlpack(Exported(np.arange(3), kind=3)).tolist() == [0, 1, 2]  # pinned memory
    assert at.from_dlpack(np.arange(6).reshape(2, 3)[:, ::-2].__dlpack__()).tolist() == [[2, 0], [5, 3]]
    frozen = np.arange(3)
    frozen.flags.writeable = False
    if not np.__version__.startswith(("1.", "2.0")):
        assert at.from_dlpack(frozen).tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="kind 2"):
        at.from_dlpack(Exported(np.arange(3), kind=2))
    with pytest.raises(at.DTypeError, match="code 10 with 8 bits"):
        at.from_dlpack(Exported(np.zeros(3, np.uint8), code=10))


def test_tensor_takes_what_comes_by_dlpack_alone() -> None:
    bits = at.tensor([1.0, -2.5], dtype=at.bfloat16).numpy().view(np.uint16)
    found = at.tensor(Exported(bits, code=capsules.BFLOAT))
    assert found.dtype is at.bfloat16 and found.tolist() == [1.0, -2.5]
    assert at.tensor(Exported(np.arange(3)), dtype=at.float32).tolist() == [0.0, 1.0, 2.0]
    x = at.zeros(2)
    x[:] = Exported(bits, code=capsules.BFLOAT)
    assert x.tolist() == [1.0, -2.5]
    for refused in (Exported(np.arange(3), kind=2), Exported(np.zeros(3, np.uint8), code=10)):
        with pytest.raises(at.DTypeError, match="can't be taken for an array"):
            at.tensor(refused)


def test_dlpack_says_what_it_exports() -> None:
    x = at.tensor([[1.0, -2.5]], dtype=at.bfloat16)
    for version, copied in ((None, None), ((1, 0), True), ((1, 0), None)):
        capsule = x.__dlpack__(max_version=version, copy=copied)
        found = capsules.header(capsule)
        assert found is not None and (found[0].code, found[0].bits) == (capsules.BFLOAT, 16)
        assert found[1] is None or found[1].flags & capsules.COPIED == (capsules.COPIED if copied else 0)
        back = at.from_dlpack(capsule)
        assert back.dtype is at.bfloat16 and back.tolist() == [[1.0, -2.5]]


def test_pytorch_takes_tensors_and_gives_them() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    assert torch.from_dlpack(at.arange(5)).tolist() == [0, 1, 2, 3, 4]
    assert at.from_dlpack(torch.arange(3.0)).tolist() == [0, 1, 2]
    assert torch.from_dlpack(at.ones(2, dtype=at.bfloat16)).dtype is torch.bfloat16
    assert at.from_dlpack(torch.full((2,), 0.5, dtype=torch.bfloat16)).dtype is at.bfloat16
    assert at.tensor(torch.full((2,), 0.5, dtype=torch.bfloat16)).dtype is at.bfloat16
    assert at.from_dlpack(torch.utils.dlpack.to_dlpack(torch.arange(3))).tolist() == [0, 1, 2]


def test_a_scikit_learn_estimator_runs_on_arrays() -> None:
    program = """
import numpy as np
import ascendtensor.array_api as xp
from sklearn import config_context
from sklearn.decomposition import PCA
from sklearn.metrics import roc_curve
from sklearn.preprocessing import StandardScaler
x = np.random.default_rng(0).random((60, 5)).astype(np.float32)
with config_context(array_api_dispatch=True):
    for estimator in (StandardScaler(), PCA(2, svd_solver="full")):
        ours = estimator.fit_transform(xp.asarray(x))
        assert isinstance(ours, xp.Array)
        wanted = type(estimator)(**estimator.get_params()).fit_transform(x)
        np.testing.assert_allclose(np.abs(np.asarray(ours)), np.abs(wanted), rtol=1e-3, atol=1e-4)
    truth, scores = (x[:, 0] > 0.5).astype(np.int64), x[:, 0] + x[:, 1]
    for found, wanted in zip(roc_curve(xp.asarray(truth), xp.asarray(scores)), roc_curve(truth, scores)):
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-5)
from scipy.special import logsumexp
summed = logsumexp(xp.asarray(x), axis=0)
assert isinstance(summed, xp.Array)
np.testing.assert_allclose(np.asarray(summed), logsumexp(x, axis=0), rtol=1e-5)
print("ran")
"""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.strip() == "ran", done.stderr


def test_array_api_compat_knows_the_arrays() -> None:
    compat = pytest.importorskip("array_api_compat", reason="array-api-compat is not installed")
    x = xp.ones((2, 3))
    assert compat.is_array_api_obj(x) and compat.array_namespace(x) is xp and compat.size(x) == 6
    assert compat.device(x) == "npu:0" and compat.to_device(x, "npu:1").device == "npu:1"


def test_the_list_of_failures_is_of_the_known_kinds() -> None:
    names = [line for line in array_api_suite.FAILURES.read_text().splitlines() if line and not line.startswith("#")]
    assert len(names) == 25 and all("floor_divide" in name or "floordiv" in name or "expm1" in name for name in names)


@pytest.mark.slow
def test_the_public_suite_passes() -> None:
    checkout = os.environ.get("ARRAY_API_TESTS_DIR")
    if not checkout:
        pytest.skip("ARRAY_API_TESTS_DIR names no clone of data-apis/array-api-tests")
    status, found = array_api_suite.run(Path(checkout), 100, [])
    assert status == 0 and found["failed"] == 0 and found["passed"] >= 1354, found
