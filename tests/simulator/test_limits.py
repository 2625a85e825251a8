"""What the AI Core's kernels ignore or refuse although they take the dtypes: the simulator refuses to compile it."""

from __future__ import annotations

from typing import Any

import pytest

from ascendtensor.simulator.engine.compile import CompileFailure, model_of
from ascendtensor.simulator.engine.models import OpModel

BOARD = "Ascend910B1"
GIVEN = {"float16": 1, "int8": 2, "int32": 3, "int16": 6}


def described(op_type: str, inputs: list[Any], outputs: list[Any], soc: str, **attrs: tuple[str, Any]) -> OpModel:
    """Compile an operator of (dtype, format, dims)."""

    def entries(tensors: list[Any]) -> list[dict[str, Any]]:
        return [
            {
                "type": kind,
                "format": layout,
                "shape": list(dims),
                **({"shape_range": [[1, -1]] * list(dims).count(-1)} if -1 in dims else {}),
            }
            for kind, layout, dims in tensors
        ]

    given = [{"name": name, "type": kind, "value": value} for name, (kind, value) in attrs.items()]
    return model_of({"op": op_type, "input_desc": entries(inputs), "output_desc": entries(outputs), "attr": given}, soc)


def running_minimum(dims: tuple[int, ...], axis: int, kind: str = "float", soc: str = BOARD) -> None:
    tensor = (kind, "ND", dims)
    described("Cummin", [tensor], [tensor, ("int32", "ND", dims)], soc, axis=("int", axis))


def test_cummin_of_the_ai_core_runs_along_the_first_axis() -> None:
    """CANN 8.1.RC1, tbe/impl/dynamic/cummin.py: the axis is not asked for; op-plugin's CumminKernelNpu.cpp transposes before it."""
    for axis in (1, -1):
        with pytest.raises(CompileFailure, match=r"EZ3002.*runs along the first axis"):
            running_minimum((3, 4), axis)
    running_minimum((3, 4), 0)
    running_minimum((3, 4), -2)
    running_minimum((4,), -1)
    running_minimum((3, 4), 1, "int64")  # the AI CPU's kernel asks for it
    running_minimum((3, 4), 1, "float", "Ascend310B4")  # which has none on its AI Core


def pooled(dims: tuple[int, ...], result: tuple[int, ...], layout: str, soc: str = BOARD) -> None:
    described(
        "AdaptiveAvgPool3d",
        [("float", layout, dims)],
        [("float", layout, result)],
        soc,
        output_size=("list_int", [1, 2, 2]),
        data_format=("string", layout),
    )


def test_adaptive_means_take_channels_last() -> None:
    """hicann/ops-nn, adaptive_avg_pool3d_tiling.cpp takes dim 4 for the channels; the kernel's attributes lack data_format."""
    with pytest.raises(CompileFailure, match=r"EZ3002.*channels to be last"):
        pooled((1, 3, 1, 4, 4), (1, 3, 1, 2, 2), "NCDHW")
    pooled((1, 1, 4, 4, 3), (1, 1, 2, 2, 3), "NDHWC")


def columns(kind: str, dims: tuple[int, ...], result: tuple[int, ...], layout: str = "NCHW") -> None:
    described("Im2col", [(kind, "NCHW", dims)], [(kind, layout, result)], BOARD, ksizes=("list_int", [2, 2]))


def test_columns_are_images_too() -> None:
    """hicann/ops-math, im2col_infershape.cpp: (batch, columns, height, width) of the image's format."""
    columns("float", (1, 3, 4, 5), (1, 12, 3, 4))
    with pytest.raises(CompileFailure, match="E19014"):
        columns("float", (1, 3, 4, 5), (1, 12, 12))
    with pytest.raises(CompileFailure, match="no kernel for format"):
        columns("float", (1, 3, 4, 5), (1, 12, 3, 4), "ND")


def test_bfloat16_columns_have_a_dynamic_kernel_only() -> None:
    """CANN 8.1.RC1, tbe/impl/im2col.py, op_select_format."""
    with pytest.raises(CompileFailure, match=r"EZ3002.*dynamic shapes only"):
        columns("bfloat16", (1, 3, 4, 5), (1, 12, 3, 4))
    columns("bfloat16", (-1, 3, 4, 5), (-1, 12, 3, 4))


def regions(kind: str, mode: int, soc: str) -> None:
    described(
        "ROIAlign",
        [(kind, "NCHW", (1, 3, 8, 8)), (kind, "ND", (2, 5))],
        [(kind, "NCHW", (2, 3, 2, 2))],
        soc,
        spatial_scale=("float", 0.5),
        pooled_height=("int", 2),
        pooled_width=("int", 2),
        roi_end_mode=("int", mode),
    )


def test_aligned_regions_are_known_to_some_chips() -> None:
    """CANN 8.1.RC1, tbe/impl/roi_align.py, roi_align: a RuntimeError for halves; other chips' kernels do not know the mode."""
    regions("float", 2, BOARD)
    regions("float16", 0, BOARD)
    with pytest.raises(CompileFailure, match=r"EZ3002.*for float32 only"):
        regions("float16", 2, BOARD)
    for soc in ("Ascend310B4", "Ascend310P3"):
        regions("float", 1, soc)
        with pytest.raises(CompileFailure, match=r"EZ3002.*no kernel on"):
            regions("float", 2, soc)


def resized(sizes: list[int], scales: list[float], mode: str, result: tuple[int, ...]) -> None:
    described(
        "ResizeD",
        [("float", "NCHW", (1, 3, 1, 8))],
        [("float", "NCHW", result)],
        BOARD,
        sizes=("list_int", sizes),
        scales=("list_float", scales),
        mode=("string", mode),
    )


def test_one_size_makes_an_image_longer() -> None:
    """canndev, image_ops.cc, ResizeDInferShape; tbe/impl/resize_d.py; op-plugin, UpsampleLinear1dKernelNpu.cpp."""
    resized([16], [2.0], "linear", (1, 3, 1, 16))
    resized([2, 16], [0.0, 0.0], "cubic", (1, 3, 2, 16))
    with pytest.raises(CompileFailure, match=r"E19014.*one positive value"):
        resized([1, 16], [1.0, 2.0], "linear", (1, 3, 1, 16))
    with pytest.raises(CompileFailure, match=r"EZ3002.*0 scales for 1 sizes"):
        resized([16], [], "linear", (1, 3, 1, 16))


def test_lines_of_one_bfloat16_are_not_sorted() -> None:
    """CANN 8.1.RC1, tbe/impl/sort.py, check_supported; the AI CPU's Sort lists no DT_BF16."""

    def ordered(kind: str, dims: tuple[int, ...]) -> None:
        tensor = (kind, "ND", dims)
        described("Sort", [tensor], [tensor, ("int32", "ND", dims)], BOARD)

    ordered("bfloat16", (3, 2))
    ordered("float16", (3, 1))
    with pytest.raises(CompileFailure, match=r"EZ3002.*no bfloat16"):
        ordered("bfloat16", (3, 1))


def test_what_kernels_of_the_ai_core_leave_to_the_ai_cpu_is_of_any_shape() -> None:
    """CANN 8.1.RC1, tbe: check_supported of dynamic/scatter_elements.py, masked_scatter.py, index_put_v2.py and cast.py, and of sort.py.

    The graph engine asks the kernel of known shapes behind that of open ones (fe_ops_kernel_info_store.cc, CheckIsStaticShape).
    """

    def scattered(rows: int, soc: str = BOARD) -> bool:
        x, indices = ("float", "ND", (rows, 3)), ("int64", "ND", (1, 3))
        return described("ScatterElements", [x, indices, ("float", "ND", (1, 3))], [x], soc, axis=("int", 0)).dynamic

    def masked(*mask: int) -> bool:
        x = ("float", "ND", (2, 3))
        return described("MaskedScatter", [x, ("bool", "ND", mask), ("float", "ND", (6,))], [x], BOARD).dynamic

    def ordered(*dims: int) -> bool:
        x = ("float16", "ND", dims)
        return described("Sort", [x], [x, ("int32", "ND", dims)], BOARD, axis=("int", -1)).dynamic

    assert scattered(2) and scattered(-1) and scattered(2, "Ascend310B4") and not scattered(2, "Ascend950PR_9599")
    assert [masked(2, 3), masked(1, 3)] == [False, True]
    assert [ordered(2, 3), ordered(2, 1)] == [False, True]

    def cast(taken: str, given: str) -> bool:
        return described("Cast", [(taken, "ND", (2,))], [(given, "ND", (2,))], BOARD, dst_type=("int", GIVEN[given])).dynamic

    pairs = [("float", "float16"), ("bool", "int32"), ("float", "int8"), ("int32", "int16"), ("int16", "int32"), ("uint16", "int32")]
    assert [cast(*pair) for pair in pairs] == [False, False, True, True, True, True]
