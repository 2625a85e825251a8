"""Image preprocessing of whole models (AIPP): ``--insert_op_conf``, and the parameters of the dynamic kind.

Sources: the pages of the ATC documents on AIPP (configuration file template, CSC, crop and padding, normalization; CANN 8.0 and later),
`acl_aipp.cpp`, `aipp_param_check.cpp` and `dynamic_aipp.h` of GE, `aipp.cc` and `aipp_comm.py` of the operator (CANN 8.1.RC1), the pages of
`aclmdlGetInputDims` and `aclmdlGetInputDimsV2`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from model_program import Array, Program, convert, refusal, save, value
from onnx import TensorProto, helper

from ascendtensor import simulator

NAMES = {"YUV420SP_U8": 1, "XRGB8888_U8": 2, "RGB888_U8": 3, "YUV400_U8": 4}
JPEG = {"matrix_r0c0": 256, "matrix_r0c1": 0, "matrix_r0c2": 359, "matrix_r1c0": 256, "matrix_r1c1": -88, "matrix_r1c2": -183}
JPEG |= {"matrix_r2c0": 256, "matrix_r2c1": 454, "matrix_r2c2": 0, "input_bias_0": 0, "input_bias_1": 128, "input_bias_2": 128}


@pytest.fixture
def program(acl: ModuleType) -> Iterator[Program]:
    made = Program(acl)
    yield made
    made.close()


def net(path: Path, dims: list[Any], dtype: int = TensorProto.FLOAT) -> Path:
    """A model that gives its input, so that what AIPP made is seen."""
    return save(
        path / "net.onnx", [helper.make_node("Identity", ["x"], ["y"], "same")], [value("x", dims, dtype)], [value("y", None, dtype)]
    )


def conf(path: Path, *blocks: dict[str, Any], text: str = "") -> str:
    for block in blocks:
        fields = {"aipp_mode": "static", **block}
        text += "aipp_op {\n" + "".join(f"    {name}: {given}\n" for name, given in fields.items()) + "}\n"
    file = path / "aipp.cfg"
    file.write_text(text)
    return str(file)


def om(path: Path, dims: list[Any], *blocks: dict[str, Any], dtype: int = TensorProto.FLOAT, **options: str) -> Path:
    return convert(net(path, dims, dtype), path / "net", insert_op_conf=conf(path, *blocks), **options)


def pixels(*shape: int) -> Array:
    found: Array = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    return found


def run(program: Program, model: int, source: int, like: Array) -> Array:
    out = program.room(like.nbytes)
    assert program.acl.mdl.execute(model, source, program.dataset((out, like.nbytes))) == 0, program.acl.get_recent_err_msg()
    return program.download(out, like)


def normalized(image: Array, mean: list[int], least: list[float], factor: list[float]) -> Array:
    """float64, (channels, height, width) of an image (height, width, channels)."""
    moved = image.astype(np.float64).transpose(2, 0, 1)
    lower, by = np.float16(least).astype(np.float64), np.float16(factor).astype(np.float64)
    return (moved - np.float64(mean)[:, None, None] - lower[:, None, None]) * by[:, None, None]


# Static


def test_crop_normalization_and_padding_of_an_rgb_image(program: Program, tmp_path: Path) -> None:
    block = {
        "input_format": "RGB888_U8",
        **{"src_image_size_w": 20, "src_image_size_h": 16, "crop": "true"},
        **{"load_start_pos_w": 3, "load_start_pos_h": 5, "crop_size_w": 10, "crop_size_h": 8},
        **{"padding": "true", "left_padding_size": 1, "right_padding_size": 2, "top_padding_size": 3, "bottom_padding_size": 4},
        **{"padding_value": 7.5, "mean_chn_0": 104, "mean_chn_1": 117, "mean_chn_2": 123},
        **{"min_chn_0": 0.5, "var_reci_chn_0": 0.0039, "var_reci_chn_1": 0.5, "var_reci_chn_2": 2},
    }
    model = program.load(om(tmp_path, [2, 3, 15, 13], block))
    images = pixels(2, 16, 20, 3)
    found = run(program, model, program.given(images), np.zeros((2, 3, 15, 13), np.float32))
    for image, got in zip(images, found, strict=True):
        inner = normalized(image[5:13, 3:13], [104, 117, 123], [0.5, 0, 0], [0.0039, 0.5, 2])
        np.testing.assert_allclose(got, np.pad(inner, ((0, 0), (3, 4), (1, 2)), constant_values=7.5), rtol=1e-3)


def by_hand(y: int, u: int, v: int, matrix: list[list[int]], bias: list[int]) -> list[int]:
    """The formula of the page, on Python's ints."""
    moved = [y - bias[0], u - bias[1], v - bias[2]]
    return [min(max(sum(m * x for m, x in zip(row, moved, strict=True)) >> 8, 0), 255) for row in matrix]


@pytest.mark.parametrize("swapped", [False, True])
def test_colours_of_nv12_and_nv21(program: Program, tmp_path: Path, swapped: bool) -> None:
    block = {"input_format": "YUV420SP_U8", "csc_switch": "true", "rbuv_swap_switch": str(swapped).lower(), **JPEG}
    model = program.load(om(tmp_path, [1, 3, 4, 6], block))
    source = pixels(4 * 6 * 3 // 2)
    found = run(program, model, program.given(source), np.zeros((1, 3, 4, 6), np.float32))
    matrix = [[JPEG[f"matrix_r{row}c{column}"] for column in range(3)] for row in range(3)]
    for row in range(4):
        for column in range(6):
            pair = 24 + row // 2 * 6 + column // 2 * 2
            first, second = int(source[pair]), int(source[pair + 1])
            u, v = (second, first) if swapped else (first, second)
            assert found[0, :, row, column].tolist() == by_hand(int(source[row * 6 + column]), u, v, matrix, [0, 128, 128])


def test_the_usual_matrix_gives_bgr(program: Program, tmp_path: Path) -> None:
    """GE fills in what is left out: SetCscDefaultValue."""
    model = program.load(om(tmp_path, [1, 3, 2, 2], {"input_format": "YUV420SP_U8", "csc_switch": "true"}))
    found = run(program, model, program.given(np.array([81, 81, 81, 81, 90, 240], np.uint8)), np.zeros((1, 3, 2, 2), np.float32))
    assert found[0, :, 0, 0].tolist() == by_hand(81, 90, 240, [[298, 516, 0], [298, -100, -208], [298, 0, 409]], [16, 128, 128])
    assert found[0, 2, 0, 0] > 250  # red, in blue's place there is none
    assert found[0, 0, 0, 0] < 5


@pytest.mark.parametrize(
    ("name", "switches", "order"),
    [
        ("RGB888_U8", {}, [0, 1, 2]),
        ("RGB888_U8", {"rbuv_swap_switch": "true"}, [2, 1, 0]),
        ("XRGB8888_U8", {}, [0, 1, 2]),  # RGBX
        ("XRGB8888_U8", {"rbuv_swap_switch": "true"}, [2, 1, 0]),  # BGRX
        ("XRGB8888_U8", {"ax_swap_switch": "true"}, [1, 2, 3]),  # XRGB
        ("XRGB8888_U8", {"ax_swap_switch": "true", "rbuv_swap_switch": "true"}, [3, 2, 1]),  # XBGR
        ("YUV400_U8", {"rbuv_swap_switch": "true"}, [0]),
    ],
)
def test_order_of_channels(program: Program, tmp_path: Path, name: str, switches: dict[str, str], order: list[int]) -> None:
    """The table of typical configurations in the template's page; uint8 in the model leaves normalization away."""
    channels = {"RGB888_U8": 3, "XRGB8888_U8": 4, "YUV400_U8": 1}[name]
    block = {"input_format": name, **switches, "mean_chn_0": 9}
    model = program.load(om(tmp_path, [1, len(order), 3, 5], block, dtype=TensorProto.UINT8))
    image = pixels(1, 3, 5, channels)
    found = run(program, model, program.given(image), np.zeros((1, len(order), 3, 5), np.uint8))
    np.testing.assert_array_equal(found, image[..., order].transpose(0, 3, 1, 2))


def test_rgb_to_luma_has_the_output_bias(program: Program, tmp_path: Path) -> None:
    block = {"input_format": "RGB888_U8", "csc_switch": "true"}
    model = program.load(om(tmp_path, [1, 1, 1, 2], block, dtype=TensorProto.FLOAT16))
    found = run(program, model, program.given(np.array([255, 255, 255, 0, 0, 0], np.uint8)), np.zeros((1, 1, 1, 2), np.float16))
    assert found.ravel().tolist() == [(66 + 129 + 25) * 255 // 256 + 16, 16]


@pytest.mark.parametrize(
    ("name", "dims", "bytes_dims"),
    [
        ("YUV420SP_U8", [2, 6, 8, 3], [2, 9, 8, 1]),
        ("XRGB8888_U8", [2, 6, 8, 4], [2, 6, 8, 4]),
        ("RGB888_U8", [2, 6, 8, 3], [2, 6, 8, 3]),
        ("YUV400_U8", [2, 6, 8, 1], [2, 6, 8, 1]),
    ],
)
def test_the_input_is_described_as_the_images_are(
    program: Program, tmp_path: Path, name: str, dims: list[int], bytes_dims: list[int]
) -> None:
    mdl = program.acl.mdl
    block = {"input_format": name, "src_image_size_w": 8, "src_image_size_h": 6, "crop": "true", "crop_size_w": 4, "crop_size_h": 2}
    model = program.load(om(tmp_path, [2, 3, 2, 4], block))
    desc = program.desc(model)
    assert mdl.get_num_inputs(desc) == 1
    assert mdl.get_input_dims(desc, 0) == ({"name": "x", "dimCount": 4, "dims": dims}, 0)
    assert mdl.get_input_dims_v2(desc, 0) == ({"name": "x", "dimCount": 4, "dims": bytes_dims}, 0)
    assert mdl.get_input_size_by_index(desc, 0) == np.prod(bytes_dims)
    assert (mdl.get_input_data_type(desc, 0), mdl.get_input_format(desc, 0)) == (4, 1)  # uint8, NHWC
    assert mdl.get_aipp_type(model, 0) == (1, 0xFFFFFFFF, 0)
    info, ret = mdl.get_first_aipp_info(model, 0)
    assert ret == 0
    assert (info["inputFormat"], info["srcImageSizeW"], info["srcImageSizeH"]) == (NAMES[name], 8, 6)
    assert (info["cropSwitch"], info["cropSizeW"], info["cropSizeH"], info["varReciChn2"]) == (1, 4, 2, 1.0)
    assert (info["srcFormat"], info["srcDatatype"], info["srcDimNum"], info["shapeCount"]) == (0, 0, 4, 1)
    assert info["outDims"][0]["srcDims"]["dims"] == [2, 3, 2, 4]
    assert info["outDims"][0]["aippOutdims"]["dims"] == [2, 1, 2, 4, 16]


def test_gears_of_batches_and_sizes(program: Program, tmp_path: Path) -> None:
    mdl = program.acl.mdl
    path = om(tmp_path, ["n", 3, 2, 4], {"input_format": "YUV420SP_U8"}, input_shape="x:-1,3,2,4", dynamic_batch_size="1,3")
    model = program.load(path)
    desc = program.desc(model)
    assert mdl.get_input_dims(desc, 0)[0]["dims"] == [-1, 2, 4, 3]
    assert mdl.get_input_dims_v2(desc, 0)[0]["dims"] == [-1, 3, 4, 1]
    assert [mdl.get_input_size_by_index(desc, index) for index in range(2)] == [36, 4]
    source = pixels(36)
    inputs = program.dataset((program.upload(source), 36), (program.room(8), 8))
    for batch in (3, 1):
        assert mdl.set_dynamic_batch_size(model, inputs, 1, batch) == 0
        found = run(program, model, inputs, np.zeros((batch, 3, 2, 4), np.float32))
        np.testing.assert_array_equal(found[:, 0].reshape(batch, 8), source.reshape(3, 12)[:batch, :8])
    path = om(tmp_path, [1, 3, "h", "w"], {"input_format": "RGB888_U8"}, input_shape="x:1,3,-1,-1", dynamic_image_size="2,4;4,6")
    model = program.load(path)
    image = pixels(4, 6, 3)
    inputs = program.dataset((program.upload(image), image.nbytes), (program.room(8), 8))
    for height, width in ((4, 6), (2, 4)):
        assert mdl.set_dynamic_hw_size(model, inputs, 1, height, width) == 0
        found = run(program, model, inputs, np.zeros((1, 3, height, width), np.float32))
        expected = image.reshape(-1)[: height * width * 3].reshape(height, width, 3)
        np.testing.assert_array_equal(found[0], expected.transpose(2, 0, 1))


def test_images_beside_an_input_of_open_shape(program: Program, tmp_path: Path) -> None:
    """ "Static AIPP + dynamic shape" of the configuration's page: on different inputs."""
    mdl = program.acl.mdl
    nodes = [helper.make_node("ReduceMax", ["image"], ["m"], keepdims=0), helper.make_node("Add", ["x", "m"], ["y"], "add")]
    tensors = [value("image", [1, 3, 4, 6]), value("x", ["n"])]
    graph = save(tmp_path / "net.onnx", nodes, tensors, [value("y", None)])
    options = {"input_shape": "image:1,3,4,6;x:1~8", "insert_op_conf": conf(tmp_path, {"input_format": "YUV420SP_U8"})}
    model = program.load(convert(graph, tmp_path / "net", **options))
    desc = program.desc(model)
    assert [mdl.get_input_size_by_index(desc, index) for index in range(2)] == [36, 32]
    assert mdl.get_input_dims_v2(desc, 0)[0]["dims"] == [1, 6, 6, 1]
    assert mdl.get_input_dims_range(desc, 0)[0]["range"] == [[1, 1], [4, 4], [6, 6], [3, 3]]
    inputs = program.given(pixels(36) // 2, np.arange(8, dtype=np.float32))
    for count in (5, 3, 5):
        program.shape(inputs, 1, [count])
        found = run(program, model, inputs, np.zeros(count, np.float32))
        np.testing.assert_array_equal(found, np.arange(count) + (pixels(36) // 2).max())


# What atc refuses

RGB = {"input_format": "RGB888_U8"}
CROP = {"crop": "true", "src_image_size_w": 8, "src_image_size_h": 8}


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({}, ["E10052", "Input format of AIPP conf must be set in static aipp"]),
        ({"aipp_mode": "dynamic"}, ["E10052", "max_src_image_size must be set"]),
        ({"aipp_mode": "both", **RGB}, ["E10052", "[both]", "aipp_mode"]),
        ({**RGB, "cropp": "true"}, ["E10052", 'no field named "cropp"']),
        ({**RGB, "crop": "maybe"}, ["E10052", "[maybe]"]),
        ({**RGB, "mean_chn_0": 1.5}, ["E10052", "[1.5]"]),
        ({**RGB, "related_input_rank": 1}, ["E10052", "related_input_rank 1"]),
        ({**RGB, "related_input_name": '"x"'}, ["E10052", "Caffe"]),
        ({**RGB, "src_image_size_w": 10}, ["E10052", "aipp output_width:10", "data's width:6"]),
        ({"input_format": "YUYV_U8"}, ["E81012", "YUYV_U8", "YUV420SP_U8"]),
        ({"input_format": "YUV400_U8", "csc_switch": "true"}, ["E81012", "YUV400_U8", "csc_switch[1]"]),
        ({**RGB, "resize": "true"}, ["E81012", "resize only support"]),
        ({**RGB, "crop": "true"}, ["E81012", "src_image_size_w and src_image_size_h should be greater than 0"]),
        ({**RGB, **CROP, "load_start_pos_w": 3}, ["E81012", "load_start_pos_w[3] + crop_size_w[6]", "src_image_size_w[8]"]),
        ({**RGB, **CROP, "crop_size_w": -1}, ["E10052", "Crop_size_w must not be configured smaller than 0"]),
        ({**RGB, "mean_chn_1": 256}, ["E81012", "mean_chn_1[256] should be within[0, 255]"]),
        ({**RGB, "var_reci_chn_0": 1e6}, ["E81012", "var_reci_chn_0"]),
        ({**RGB, "csc_switch": "true", "matrix_r0c0": 40000}, ["E81012", "matrix_r0c0[40000]"]),
    ],
)
def test_refused_configurations(tmp_path: Path, capsys: Any, block: dict[str, Any], words: list[str]) -> None:
    text = refusal(capsys, net(tmp_path, [1, 3, 4, 6]), insert_op_conf=conf(tmp_path, block))
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no aipp_op"),
        ("aipp_op { aipp_mode: static input_format: RGB888_U8", "not closed"),
        ("aipp_op { aipp_mode }", "[aipp_mode] has no value"),
        ("conv { }", "[conv]"),
        ("aipp_op { aipp_mode: static aipp_mode: static }", "cannot be configured repeatedly"),
        ("aipp_op { aipp_mode: ! }", "line 1"),
        ("aipp_op { aipp_mode: static input_format: RGB888_U8 } aipp_op { aipp_mode: static input_format: RGB888_U8 }", "same position"),
    ],
)
def test_refused_files(tmp_path: Path, capsys: Any, text: str, words: str) -> None:
    assert words in refusal(capsys, net(tmp_path, [1, 3, 4, 6]), insert_op_conf=conf(tmp_path, text=text))


def test_comments_commas_and_one_line(program: Program, tmp_path: Path) -> None:
    text = "# first\naipp_op: { aipp_mode : static; input_format:RGB888_U8, # of the camera\n"
    text += ' related_input_name: "" max_src_image_size: 0x10 }'
    path = convert(net(tmp_path, [1, 3, 4, 6]), tmp_path / "net", insert_op_conf=conf(tmp_path, text=text))
    assert program.load(path)


def test_refused_combinations(tmp_path: Path, capsys: Any) -> None:
    images = net(tmp_path, ["n", 3, "h", "w"])
    sizes = {"input_shape": "x:1,3,-1,-1", "dynamic_image_size": "4,6;8,8"}
    for block, options, words in (
        ({**RGB, **CROP}, sizes, "crop and padding cannot be set to 'true'"),
        ({**RGB, "src_image_size_w": 6, "src_image_size_h": 4}, sizes, "must be set to '0'"),
        (RGB, {"input_shape": "x:1~4,3,4,6"}, "E10055"),
        ({"aipp_mode": "dynamic", "max_src_image_size": 99}, {"input_shape": "x:1~4,3,4,6"}, "E10055"),
        (RGB, {"input_shape": "x:1,3,4,6", "input_fp16_nodes": "x"}, "E10034"),
        (RGB, {"input_shape": "x:1,3,4,6", "input_format": "ND"}, "AIPP needs an input of NCHW"),
        ({"input_format": "YUV420SP_U8"}, {"input_shape": "x:1,3,3,6"}, "should be even for YUV420SP_U8"),
        (RGB, {"input_shape": "x:1,3,4,5000"}, "[2, 4096]"),
    ):
        assert words in refusal(capsys, images, insert_op_conf=conf(tmp_path, block), **options)
    many = net(tmp_path, [1, 17, 4, 6])
    assert "network input c[17]" in refusal(capsys, many, insert_op_conf=conf(tmp_path, RGB))
    odd = {"input_format": "YUV420SP_U8", **CROP, "load_start_pos_w": 1}
    text = refusal(capsys, net(tmp_path, [1, 3, 4, 6]), insert_op_conf=conf(tmp_path, odd), soc_version="Ascend310P3")
    assert "load_start_pos_w[1] must be even" in text
    convert(net(tmp_path, [1, 3, 4, 6]), tmp_path / "net", insert_op_conf=conf(tmp_path, odd))  # a 910B may


# Dynamic


@pytest.fixture
def dynamic(program: Program, tmp_path: Path) -> int:
    return program.load(om(tmp_path, [2, 3, 4, 6], {"aipp_mode": "dynamic", "max_src_image_size": 2 * 8 * 10 * 3}))


def described(program: Program, width: int = 6, height: int = 4, form: int = 3, count: int = 2) -> int:
    mdl = program.acl.mdl
    aipp = mdl.create_aipp(count)
    assert mdl.set_aipp_input_format(aipp, form) == 0
    assert mdl.set_aipp_src_image_size(aipp, width, height) == 0
    return int(aipp)


def test_dynamic_parameters_have_an_input_of_their_own(program: Program, dynamic: int) -> None:
    mdl = program.acl.mdl
    desc = program.desc(dynamic)
    assert [mdl.get_input_name_by_index(desc, index) for index in range(2)] == ["x", "ascend_dynamic_aipp_data"]
    assert mdl.get_input_index_by_name(desc, "ascend_dynamic_aipp_data") == (1, 0)
    for ask in (mdl.get_input_dims, mdl.get_input_dims_v2):  # GE, aipp_op.cc: ATTR_DYNAMIC_AIPP_INPUT_DIMS
        assert ask(desc, 0)[0]["dims"] == [2, -1, -1, -1]
    assert [mdl.get_input_size_by_index(desc, index) for index in range(2)] == [480, 64 + 2 * 96]
    assert mdl.get_aipp_data_size(2) == (64 + 2 * 96, 0)
    assert [mdl.get_aipp_type(dynamic, index) for index in range(2)] == [(2, 1, 0), (3, 0xFFFFFFFF, 0)]
    info, ret = mdl.get_first_aipp_info(dynamic, 0)
    assert (ret, info["srcDimNum"], info["outDims"][0]["srcDims"]["dims"]) == (0, 4, [2, 3, 4, 6])


def test_each_image_has_its_own_crop(program: Program, dynamic: int) -> None:
    mdl = program.acl.mdl
    images = pixels(2, 8, 10, 3)
    inputs = program.dataset((program.upload(images), images.nbytes), (program.room(256), 256))
    aipp = described(program, 10, 8)
    starts = ((1, 2), (4, 0))
    for index, (left, top) in enumerate(starts):
        assert mdl.set_aipp_crop_params(aipp, 1, left, top, 4, 3, index) == 0
        assert mdl.set_aipp_padding_params(aipp, 1, 1, 0, 0, 2, index) == 0
    assert mdl.set_aipp_dtc_pixel_mean(aipp, 10, 20, 30, 0, 1) == mdl.set_aipp_dtc_pixel_min(aipp, 0.5, 0, 0, 0, 1) == 0
    assert mdl.set_aipp_pixel_var_reci(aipp, 0.5, 0.25, 2, 1, 1) == mdl.set_aipp_rbuv_swap_switch(aipp, 1) == 0
    assert mdl.set_input_aipp(dynamic, inputs, 1, aipp) == 0
    found = run(program, dynamic, inputs, np.zeros((2, 3, 4, 6), np.float32))
    rules = ([0, 0, 0], [0, 0, 0], [1, 1, 1]), ([10, 20, 30], [0.5, 0, 0], [0.5, 0.25, 2])
    for image, got, (left, top), rule in zip(images, found, starts, rules, strict=True):
        inner = normalized(image[top : top + 3, left : left + 4, ::-1], *rule)
        np.testing.assert_allclose(got, np.pad(inner, ((0, 0), (1, 0), (0, 2))), rtol=1e-3)
    assert mdl.destroy_aipp(aipp) == 0  # what was written stays
    np.testing.assert_array_equal(run(program, dynamic, inputs, found), found)


def test_another_format_for_the_next_run(program: Program, dynamic: int) -> None:
    mdl = program.acl.mdl
    source = pixels(480)
    inputs = program.dataset((program.upload(source), 480), (program.room(256), 256))
    for form in (1, 4):
        aipp = described(program, form=form)
        if form == 1:
            assert mdl.set_aipp_csc_params(aipp, 1, 256, 0, 359, 256, -88, -183, 256, 454, 0, 0, 0, 0, 0, 128, 128) == 0
        assert mdl.set_aipp_by_input_index(dynamic, inputs, 0, aipp) == 0
        found = run(program, dynamic, inputs, np.zeros((2, 3, 4, 6), np.float32))
        if form == 4:
            np.testing.assert_array_equal(found[:, 0].ravel(), source[:48])
            assert not found[:, 1:].any()
        else:
            y, u, v = int(source[36]), int(source[60]), int(source[61])
            matrix = [[256, 0, 359], [256, -88, -183], [256, 454, 0]]
            assert found[1, :, 0, 0].tolist() == by_hand(y, u, v, matrix, [0, 128, 128])


def test_a_run_without_parameters_fails(program: Program, dynamic: int) -> None:
    inputs = program.dataset((program.upload(pixels(480)), 480), (program.room(256), 256))
    outputs = program.dataset((program.room(576), 576))
    assert program.acl.mdl.execute(dynamic, inputs, outputs) == 507011
    assert "acl.mdl.set_input_aipp" in (program.acl.get_recent_err_msg() or "")
    short = program.dataset((program.upload(pixels(480)), 480))
    assert program.acl.mdl.execute(dynamic, short, outputs) == 500002


def test_refused_parameters(program: Program, dynamic: int) -> None:
    mdl = program.acl.mdl
    inputs = program.dataset((program.room(480), 480), (program.room(256), 256))
    good = described(program)
    assert mdl.set_input_aipp(dynamic, inputs, 1, good) == 0
    for index in (0, 2):
        assert mdl.set_input_aipp(dynamic, inputs, index, good) == 100000
    assert mdl.set_aipp_by_input_index(dynamic, inputs, 1, good) == 500001
    assert mdl.set_input_aipp(dynamic, inputs, 1, 0) == mdl.set_input_aipp(dynamic, 0, 1, good) == 100000
    short = program.dataset((program.room(480), 480), (program.room(256), 255))
    assert mdl.set_input_aipp(dynamic, short, 1, good) == 145012
    no_size, no_format = mdl.create_aipp(2), mdl.create_aipp(2)
    mdl.set_aipp_input_format(no_size, 3)
    mdl.set_aipp_src_image_size(no_format, 6, 4)
    for aipp, words in (
        (no_size, "AclAippOutputW = 0"),
        (no_format, "inputFormat must be set"),
        (described(program, count=1), "AclAippBatchSize = 1"),
        (described(program, width=8), "AclAippOutputW = 8"),
        (described(program, width=100, height=100), "max_src_image_size[480]"),
        (described(program, form=9), "inputFormat 9 is not supported"),
    ):
        assert mdl.set_input_aipp(dynamic, inputs, 1, aipp) == 100000
        assert words in (program.acl.get_recent_err_msg() or "")
    gray = described(program, form=4)
    mdl.set_aipp_csc_params(gray, 1, *[0] * 15)
    assert mdl.set_input_aipp(dynamic, inputs, 1, gray) == 100000
    for call, values in (
        (mdl.set_aipp_crop_params, (1, 5, 0, 6, 4, 1)),
        (mdl.set_aipp_crop_params, (1, 0, 0, 4, 4, 1)),
        (mdl.set_aipp_scf_params, (1, 16, 16, 16, 16, 1)),
        (mdl.set_aipp_padding_params, (1, 1, 0, 0, 0, 1)),
    ):
        aipp = described(program)
        assert call(aipp, *values) == 0
        assert mdl.set_input_aipp(dynamic, inputs, 1, aipp) == 100000, (call, values)


def test_ranges_of_parameters(program: Program) -> None:
    """The constants of GE's model_common.h."""
    mdl = program.acl.mdl
    aipp = mdl.create_aipp(1)
    for call, values in (
        (mdl.set_aipp_input_format, (0,)),
        (mdl.set_aipp_input_format, (15,)),
        (mdl.set_aipp_src_image_size, (1, 1)),
        (mdl.set_aipp_src_image_size, (2, 4097)),
        (mdl.set_aipp_csc_params, (2, *[0] * 15)),
        (mdl.set_aipp_csc_params, (1, 32677, *[0] * 14)),
        (mdl.set_aipp_rbuv_swap_switch, (2,)),
        (mdl.set_aipp_crop_params, (1, 4096, 0, 1, 1, 0)),
        (mdl.set_aipp_crop_params, (1, 0, 0, 0, 1, 0)),
        (mdl.set_aipp_crop_params, (1, 0, 0, 1, 1, 1)),
        (mdl.set_aipp_padding_params, (1, 33, 0, 0, 0, 0)),
        (mdl.set_aipp_scf_params, (1, 16, 16, 1921, 16, 0)),
        (mdl.set_aipp_dtc_pixel_mean, (256, 0, 0, 0, 0)),
        (mdl.set_aipp_dtc_pixel_min, (255.5, 0, 0, 0, 0)),
        (mdl.set_aipp_pixel_var_reci, (0, 0, 0, -65505, 0)),
    ):
        assert call(aipp, *values) == 100000, (call, values)
    assert mdl.set_aipp_csc_params(aipp, 0, 40000, *[0] * 14) == 0  # switched off: nothing else is looked at
    assert mdl.set_aipp_crop_params(aipp, 0, 9999, 0, 0, 0, 0) == 0


def test_dynamic_parameters_and_gears(program: Program, tmp_path: Path) -> None:
    """The parameters are always those of the largest batch ("Dynamic AIPP" of the ATC documents)."""
    mdl = program.acl.mdl
    block = {"aipp_mode": "dynamic", "max_src_image_size": 3 * 72}
    path = om(tmp_path, ["n", 3, 4, 6], block, input_shape="x:-1,3,4,6", dynamic_batch_size="1,3")
    model = program.load(path)
    desc = program.desc(model)
    names = [mdl.get_input_name_by_index(desc, index) for index in range(mdl.get_num_inputs(desc))]
    assert names == ["x", "ascend_mbatch_shape_data", "ascend_dynamic_aipp_data"]
    assert mdl.get_input_dims(desc, 0)[0]["dims"] == [-1, -1, -1, -1]
    assert [mdl.get_input_size_by_index(desc, index) for index in range(3)] == [216, 4, 352]
    images = pixels(3, 4, 6, 3)
    inputs = program.dataset((program.upload(images), images.nbytes), (program.room(8), 8), (program.room(352), 352))
    assert mdl.set_dynamic_batch_size(model, inputs, 1, 1) == 0
    assert mdl.set_input_aipp(model, inputs, 2, described(program, count=1)) == 100000
    assert mdl.set_input_aipp(model, inputs, 2, described(program, count=3)) == 0
    found = run(program, model, inputs, np.zeros((1, 3, 4, 6), np.float32))
    np.testing.assert_array_equal(found[0], images[0].transpose(2, 0, 1))


@pytest.mark.parametrize(("soc", "code"), [("Ascend910B1", 100000), ("Ascend310B4", 0), ("Ascend035", 100000)])
def test_what_a_chip_may_pad(tmp_path: Path, soc: str, code: int) -> None:
    """GE, aipp_param_check.cpp: a width of 1080 behind padding, but on the 310B; no dynamic AIPP on other chips."""
    simulator.configure(soc=soc)
    assert (simulator.init(), simulator.rt.set_device(0)) == (0, 0)
    acl, program = simulator, Program(simulator)
    block = {"aipp_mode": "dynamic", "max_src_image_size": 1 << 14}
    model = program.load(om(tmp_path, [1, 3, 4, 1081], block, soc_version=soc))
    inputs = program.dataset((program.room(1 << 14), 1 << 14), (program.room(160), 160))
    aipp = described(program, 1080, count=1)
    assert acl.mdl.set_aipp_padding_params(aipp, 1, 0, 0, 1, 0, 0) == 0
    assert acl.mdl.set_input_aipp(model, inputs, 1, aipp) == code
    program.close()


def test_dynamic_parameters_and_gears_of_sizes(program: Program, tmp_path: Path) -> None:
    """Two inputs with parameters of their own; those of the images are of the largest size, so that no other one runs."""
    mdl = program.acl.mdl
    nodes = [helper.make_node("Identity", ["a"], ["y"], "same"), helper.make_node("Identity", ["b"], ["z"], "other")]
    tensors = [value("a", [1, 3, "h", "w"]), value("b", [1, 3, 2, 2])]
    graph = save(tmp_path / "net.onnx", nodes, tensors, [value("y", None), value("z", None)])
    blocks = [{"aipp_mode": "dynamic", "max_src_image_size": 300, "related_input_rank": rank} for rank in (0, 1)]
    options = {"input_shape": "a:1,3,-1,-1;b:1,3,2,2", "dynamic_image_size": "2,4;4,6"}
    model = program.load(convert(graph, tmp_path / "net", insert_op_conf=conf(tmp_path, *blocks), **options))
    desc = program.desc(model)
    names = [mdl.get_input_name_by_index(desc, index) for index in range(mdl.get_num_inputs(desc))]
    assert names[2:] == ["ascend_mbatch_shape_data", "ascend_dynamic_aipp_data", "ascend_dynamic_aipp_data_b_0_aipp"]
    assert [mdl.get_aipp_type(model, index)[:2] for index in (0, 1)] == [(2, 3), (2, 4)]
    a, b = pixels(4, 6, 3), pixels(2, 2, 3)
    rooms = [(program.upload(each), 300) for each in (np.resize(a, 300), np.resize(b, 300))]
    inputs = program.dataset(*rooms, (program.room(8), 8), (program.room(160), 160), (program.room(160), 160))
    assert mdl.set_dynamic_hw_size(model, inputs, 2, 4, 6) == 0
    assert mdl.set_aipp_by_input_index(model, inputs, 0, described(program, count=1)) == 0
    assert mdl.set_input_aipp(model, inputs, 4, described(program, 2, 2, count=1)) == 0
    y, z = np.zeros((1, 3, 4, 6), np.float32), np.zeros((1, 3, 2, 2), np.float32)
    outputs = program.dataset((program.room(y.nbytes), y.nbytes), (program.room(z.nbytes), z.nbytes))
    assert mdl.execute(model, inputs, outputs) == 0, program.acl.get_recent_err_msg()
    for index, (image, like) in enumerate(((a, y), (b, z))):
        address = program.acl.get_data_buffer_addr(mdl.get_dataset_buffer(outputs, index))
        np.testing.assert_array_equal(program.download(address, like)[0], image.transpose(2, 0, 1))
    assert mdl.set_dynamic_hw_size(model, inputs, 2, 2, 4) == 0
    assert mdl.execute(model, inputs, outputs) == 507011
    assert "the model takes [1, 3, 2, 4]" in (program.acl.get_recent_err_msg() or "")
