"""From an ONNX file and ATC's options to a model of the simulator."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from ascendtensor.codes import DataType, Format, data_type_size
from ascendtensor.simulator import aipp_conf
from ascendtensor.simulator.atc_options import FORMATS, RANKS, ModelOptions, Pair, check_axes, check_ranges, fail, invalid
from ascendtensor.simulator.engine import onnx_session
from ascendtensor.simulator.engine.model_file import AIPP_INPUT, Aipp, ModelFile, TensorInfo
from ascendtensor.simulator.onnx_graph import ACL_TYPES, Dims, Graph, Measurer, dims_of

NO_LIMIT: Final = -1


def convert(options: ModelOptions) -> ModelFile:
    """Reads the ONNX file and makes the model.

    Raises:
        CompileFailure: With ATC's number for this kind of mistake.
    """
    if not os.path.isfile(options.model):
        invalid("model", options.model, "the file does not exist")
    graph = Graph(options.model)
    graph.fill_types()
    graph.choose_outputs(options.out_nodes)
    graph.halve_inputs(options.half_inputs)
    graph.cast_outputs(options.output_types)
    graph.check_types()
    check_axes(options)
    shapes = _shapes(graph, options)
    check_ranges(options, shapes)
    dims = [tuple(low if low == high else -1 for low, high in shape) for shape in shapes]
    graph.set_dims(dims)
    measurer = graph.measurer()
    names = graph.label_outputs()
    order = _order(graph, options)
    inputs = [
        TensorInfo(info.name, info.name, int(ACL_TYPES[element]), element, _format(options.layout, len(shape)), shape)
        for info, shape in zip(graph.inputs(), dims, strict=True)
        for element in (info.type.tensor_type.elem_type,)
    ]
    outputs = [
        TensorInfo(names[info.name], info.name, int(ACL_TYPES[element]), element, int(Format.ND), ())
        for info in graph.graph.output
        for element in (info.type.tensor_type.elem_type,)
    ]
    name = os.path.splitext(os.path.basename(options.output))[0]
    given = {key: value for key, value in options.given.items() if key not in ("model", "output", "insert_op_conf")}
    file = ModelFile(
        name,
        options.soc,
        tuple(inputs),
        tuple(outputs),
        options.kind,
        options.gears,
        (),
        False,
        (0,) * len(outputs),
        0,
        graph.weight_bytes(),
        given,
        b"",
        order,
    )
    file = _with_shapes(file, graph, measurer, shapes)._replace(graph=graph.save())
    _try(file)
    return _with_images(file, options) if options.preprocessing else file


def _shapes(graph: Graph, options: ModelOptions) -> list[tuple[Pair, ...]]:
    """For each input the bounds of its dims; (-1, -1) where a gear decides."""
    given = {shape.name: shape.dims for shape in options.shapes}
    infos = graph.inputs()
    names = [info.name for info in infos]
    for name in given:
        if name not in names:
            fail(f"E10016: Op name [{name}] specified in [--input_shape] is not found in the model. The model's inputs are {names}.")
    found = []
    for info in infos:
        own = dims_of(info)
        pairs = given.get(info.name)
        if pairs is None:
            if own is None:
                fail(f"E11005: The shape is not defined by using --input_shape for input [{info.name}].")
            pairs = tuple((dim, dim) for dim in own)
            if options.kind and -1 in own:
                fail(f"E11005: The shape is not defined by using --input_shape for input [{info.name}].")
        elif own is not None and len(own) != len(pairs):
            fail(
                f"E10049: Dimension count [{len(pairs)}] configured in --input_shape does not match dimension count [{len(own)}] of node "
                f"[{info.name}]."
            )
        found.append(pairs)
    return found


def _order(graph: Graph, options: ModelOptions) -> tuple[int, ...]:
    """The inputs in the order of ``--input_shape``, in which the values of ``--dynamic_dims`` stand."""
    names = [info.name for info in graph.inputs()]
    first = [names.index(shape.name) for shape in options.shapes]
    return (*first, *(index for index in range(len(names)) if index not in first))


def _format(layout: str, rank: int) -> int:
    return int(FORMATS[layout]) if RANKS.get(layout) == rank else int(Format.ND)


def _with_shapes(file: ModelFile, graph: Graph, measurer: Measurer, shapes: Sequence[Sequence[Pair]]) -> ModelFile:
    """Outputs, gears and sizes."""
    if file.kind:
        return _with_gears(file, graph, measurer)
    dims = [info.dims for info in file.inputs]
    found = measurer.outputs(dims)
    if all(-1 not in shape for shape in dims):
        if not _complete(found):
            found = _by_runtime(graph, dims, found)
        if _complete(found):
            outputs = tuple(info._replace(dims=shape) for info, shape in zip(file.outputs, found, strict=True) if shape is not None)
            return file._replace(outputs=outputs, work=measurer.work_bytes())
    ranges = [tuple((max(low, 0), NO_LIMIT if low < 0 else high) for low, high in shape) for shape in shapes]
    inputs = tuple(info._replace(ranges=pairs) for info, pairs in zip(file.inputs, ranges, strict=True))
    outputs = tuple(info._replace(dims=(-2,) if shape is None else shape) for info, shape in zip(file.outputs, found, strict=True))
    limits = (0,) * len(outputs)
    if all(high >= 0 for pairs in ranges for _, high in pairs):
        most = measurer.outputs([tuple(high for _, high in pairs) for pairs in ranges])
        limits = tuple(0 if shape is None else info.nbytes(shape) for info, shape in zip(outputs, most, strict=True))
    return file._replace(inputs=inputs, outputs=outputs, open=True, limits=limits)


def _complete(found: Sequence[Dims | None]) -> bool:
    return all(shape is not None and -1 not in shape for shape in found)


def _by_runtime(graph: Graph, dims: Sequence[Dims], found: Sequence[Dims | None]) -> list[Dims | None]:
    """What ONNX Runtime infers where onnx does not."""
    graph.set_dims(dims)
    try:
        told = onnx_session.output_dims(graph.save())
    except Exception as error:  # ONNX Runtime has a class of its own for each kind of failure
        fail(f"E10041: Failed to load the model from [{graph.graph.name}]. Reason: ONNX Runtime can't run it ({error}).")
    return [
        next((each for each in (shape, told[info.name], graph.declared.get(info.name)) if _complete([each])), shape)
        for info, shape in zip(graph.graph.output, found, strict=True)
    ]


def _with_gears(file: ModelFile, graph: Graph, measurer: Measurer) -> ModelFile:
    found: list[tuple[Dims, ...]] = []
    work = 0
    for gear in file.gears:
        dims = file.input_dims(gear)
        outputs = measurer.outputs(dims)
        if not _complete(outputs):
            outputs = _by_runtime(graph, dims, outputs)
        if not _complete(outputs):
            fail(f"E10055: The operation is not supported. Reason: the dims of an output depend on values, not on gear {list(gear)}.")
        work = max(work, measurer.work_bytes())
        found.append(tuple(shape for shape in outputs if shape is not None))
    graph.set_dims([info.dims for info in file.inputs])
    file = file._replace(gear_outputs=tuple(found), work=work)
    largest = found[file.largest]
    return file._replace(outputs=tuple(info._replace(dims=shape) for info, shape in zip(file.outputs, largest, strict=True)))


def _with_images(file: ModelFile, options: ModelOptions) -> ModelFile:
    """``--insert_op_conf``: inputs with AIPP, and those that carry the parameters of dynamic AIPP."""
    inputs = list(file.inputs)
    found: list[Aipp] = []
    for config in aipp_conf.read(options.preprocessing):
        index = config.get("related_input_rank", 0)
        if index >= len(inputs):
            aipp_conf.refuse(f"Cannot find the data node by aipp parameter related_input_rank {index}")
        info = inputs[index]
        dynamic = config["aipp_mode"] == "dynamic"
        _check_images(info, file, options, dynamic)
        aipp_conf.check_gears(config, file.kind)
        node = ""
        if dynamic:
            node = f"{AIPP_INPUT}_{info.name}_0_aipp" if found else AIPP_INPUT
        each = Aipp(index, config, info.dims, info.dtype, node)
        if not node:
            for gear in file.gears or (None,):
                aipp_conf.check_static(config, file.graph_dims(each, gear), info.dtype != DataType.UINT8, options.soc)
        found.append(each)
        dims = each.shown()
        ranges = tuple((dim, dim) for dim in dims) if file.open else ()
        inputs[index] = info._replace(dims=dims, dtype=int(DataType.UINT8), format=int(Format.NHWC), ranges=ranges)
    return file._replace(inputs=tuple(inputs), aipps=tuple(found))


def _check_images(info: TensorInfo, file: ModelFile, options: ModelOptions, dynamic: bool) -> None:
    if options.layout != "NCHW" or len(info.dims) != RANKS["NCHW"]:
        invalid("input_format", options.layout, f"AIPP needs an input of NCHW, [{info.name}] has dims {list(info.dims)}")
    if info.name in options.half_inputs:
        fail(f"E10034: Nodes (for example, [{info.name}]) connected to AIPP must not be of type fp16.")
    if file.open and (-1 in info.dims or dynamic):
        reason = "AIPP is for inputs of fixed shape, and dynamic AIPP for models of these; use --dynamic_batch_size or --dynamic_image_size"
        fail(f"E10055: The operation is not supported. Reason: --insert_op_conf: input [{info.name}]: {reason}.")
    if info.dtype not in (DataType.FLOAT, DataType.FLOAT16, DataType.UINT8):
        aipp_conf.refuse(f"AIPP gives float16 or uint8, input [{info.name}] is of type {DataType(info.dtype).name}")


def _try(file: ModelFile) -> None:
    """Lets ONNX Runtime prepare the graph, so that what it can't run is found now."""
    tensors = [[(info.feed, info.element, data_type_size(info.dtype)) for info in infos] for infos in (file.inputs, file.outputs)]
    try:
        onnx_session.Session(file.graph, *tensors)
    except Exception as error:  # ONNX Runtime has a class of its own for each kind of failure
        fail(f"E16002: No ONNX parser is registered for an operator of the model, or it is used wrongly. Reason: {error}.")
