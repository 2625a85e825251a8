"""How exactly float32 matrices are multiplied, on chips whose matrix unit has float32 and on others; the warning about float64."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import ascendtensor as at
from ascendtensor.ops import precision

COMPLETE, POOR = "Ascend910B1", "Ascend310P3"


@pytest.fixture(autouse=True)
def highest_again() -> Iterator[None]:
    yield
    at.set_float32_matmul_precision("highest")


def operands(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    return [np.random.default_rng(seed).standard_normal(shape).astype(np.float32) for seed, shape in enumerate(shapes)]


def error(precision: str, left: np.ndarray, right: np.ndarray) -> float:
    """The largest error of a product, beside the largest element."""
    at.set_float32_matmul_precision(precision)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    found = at.matmul(at.tensor(left), at.tensor(right))
    assert found.dtype is at.float32
    return float(np.abs(found.numpy() - exact).max() / np.abs(exact).max())


@pytest.mark.parametrize("shapes", [((40, 100), (100, 30)), ((3, 40, 100), (3, 100, 30)), ((100,), (100, 30)), ((40, 100), (100,))])
def test_a_chip_with_float32_matrices_rounds_operands_only_for_medium(shapes: tuple[tuple[int, ...], ...]) -> None:
    left, right = operands(*shapes)
    assert error("highest", left, right) == error("high", left, right) < 1e-6
    assert 1e-4 < error("medium", left, right) < 1e-2  # bfloat16 keeps 8 bits


@pytest.mark.parametrize("shapes", [((40, 100), (100, 30)), ((3, 40, 100), (3, 100, 30)), ((100,), (100, 30)), ((40, 0), (0, 30))])
def test_a_chip_without_multiplies_halves(shapes: tuple[tuple[int, ...], ...], machine: Callable[..., None]) -> None:
    machine(soc=POOR)
    left, right = operands(*shapes)
    if not left.size:
        at.set_float32_matmul_precision("high")
        assert not at.matmul(at.tensor(left), at.tensor(right)).any()
        return
    assert error("high", left, right) < 1e-6  # three products: 22 bits
    assert 1e-5 < error("medium", left, right) < 1e-3  # float16 keeps 11 bits


def test_a_310b_multiplies_float32_and_has_no_bfloat16(machine: Callable[..., None]) -> None:
    """platform_config/Ascend310B4.ini of CANN 8.1.RC1: Intrinsic_mmad has f322f32; its MatMulV2 lists float32 in ND."""
    machine(soc="Ascend310B4")
    left, right = operands((40, 100), (100, 30))
    assert error("highest", left, right) == error("high", left, right) < 1e-6
    assert 1e-5 < error("medium", left, right) < 1e-3  # float16 keeps 11 bits


def test_a_chip_without_says_so_unless_it_is_told_what_is_accepted(machine: Callable[..., None]) -> None:
    machine(soc=POOR)
    left, right = (at.tensor(each) for each in operands((4, 5), (5, 3)))
    with pytest.raises(at.CompileError, match=r"EZ300[23](.|\n)*float32"):
        left @ right
    image, weight = at.ones(1, 3, 8, 8), at.ones(4, 3, 3, 3)
    with pytest.raises(at.CompileError, match="EZ300"):
        at.nn.functional.conv2d(image, weight)
    at.set_float32_matmul_precision("high")
    assert (left @ right).shape == (4, 3)
    assert at.nn.functional.conv2d(image.half(), weight.half()).dtype is at.float16


def test_the_choice_reaches_what_is_made_of_products_and_may_change_at_any_time() -> None:
    left, right = (at.tensor(each) for each in operands((20, 30), (30, 10)))
    bias = at.zeros(10)
    calls = {
        "mm": lambda: at.mm(left, right),
        "linear": lambda: at.nn.functional.linear(left, right.T, bias),
        "addmm": lambda: at.addmm(bias, left, right),
        "einsum": lambda: at.einsum("ij,jk->ik", left, right),
        "transposed": lambda: left.T.contiguous().T @ right,
        "out": lambda: at.matmul(left, right, out=at.zeros(20, 10)),
    }
    for name, call in calls.items():
        exact = call().numpy()
        at.set_float32_matmul_precision("medium")
        assert at.get_float32_matmul_precision() == "medium"
        assert (call().numpy() != exact).any(), name
        at.set_float32_matmul_precision("highest")
        assert (call().numpy() == exact).all(), name


def test_other_dtypes_are_multiplied_as_ever() -> None:
    for dtype in (at.float16, at.bfloat16, at.float64, at.int32):
        left, right = at.ones(3, 4, dtype=dtype), at.ones(4, 2, dtype=dtype)
        at.set_float32_matmul_precision("medium")
        assert (left @ right).dtype is dtype and (left @ right == 4).all()


def test_other_words_are_refused() -> None:
    with pytest.raises(ValueError, match="'lowest'"):
        at.set_float32_matmul_precision("lowest")
    assert at.get_float32_matmul_precision() == "highest"


def test_float64_is_warned_of_once_and_on_a_real_chip_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "_warned", False)
    at.ones(2, dtype=at.float64) + 1  # the simulator says nothing
    monkeypatch.setattr(precision, "device", SimpleNamespace(backend=lambda: SimpleNamespace(name="npu"), soc_name=lambda: COMPLETE))
    values = at.ones(3, dtype=at.float64)
    values.clone()  # moved only, which every chip does
    with pytest.warns(at.Float64Warning, match=r"float64 .*Ascend910B1") as caught:
        values.exp()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values.sin()


def test_the_warning_names_the_line_of_the_program() -> None:
    program = """
import ascendtensor as at
from types import SimpleNamespace
from ascendtensor.ops import precision
precision.device = SimpleNamespace(backend=lambda: SimpleNamespace(name="npu"), soc_name=lambda: "Ascend910B1")
x = at.ones(2, dtype=at.float64)
y = x.exp()
z = x.sin()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count("Float64Warning") == 1 + done.stderr.count("'ignore', Float64Warning") and "<string>:7" in done.stderr
