"""ONNX files: reading, changing and measuring graphs. The only module that knows the package onnx."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import onnx
from onnx import TensorProto, helper, shape_inference

from ascendtensor.codes import DataType
from ascendtensor.simulator.atc_options import fail, invalid

ACL_TYPES: Final[dict[int, DataType]] = {
    TensorProto.FLOAT: DataType.FLOAT,
    TensorProto.UINT8: DataType.UINT8,
    TensorProto.INT8: DataType.INT8,
    TensorProto.UINT16: DataType.UINT16,
    TensorProto.INT16: DataType.INT16,
    TensorProto.INT32: DataType.INT32,
    TensorProto.INT64: DataType.INT64,
    TensorProto.BOOL: DataType.BOOL,
    TensorProto.FLOAT16: DataType.FLOAT16,
    TensorProto.DOUBLE: DataType.DOUBLE,
    TensorProto.UINT32: DataType.UINT32,
    TensorProto.UINT64: DataType.UINT64,
    TensorProto.COMPLEX64: DataType.COMPLEX64,
    TensorProto.COMPLEX128: DataType.COMPLEX128,
    TensorProto.BFLOAT16: DataType.BF16,
    TensorProto.FLOAT8E4M3FN: DataType.FLOAT8_E4M3FN,
    TensorProto.FLOAT8E5M2: DataType.FLOAT8_E5M2,
}
OUTPUT_TYPES: Final = {
    "FP32": TensorProto.FLOAT,
    "FP16": TensorProto.FLOAT16,
    "UINT8": TensorProto.UINT8,
    "INT8": TensorProto.INT8,
}
ALIGNMENT: Final = 512
LARGE: Final = 1 << 12
"""Bytes above which an initializer's values are left out of shape inference."""
LONGEST: Final = (1 << 31) - 1
"""Bytes that one protocol buffer holds."""

Dims = tuple[int, ...]


class Graph:
    """An ONNX model on its way to a simulated one.

    Attributes:
        model: The protocol buffer.
        labels: pyACL's name of each output, by the graph's name.
        declared: Dims of outputs as the file says them, where the inputs' dims are the file's too.
    """

    def __init__(self, path: str) -> None:
        """Reads a file, and the files that it keeps its weights in.

        Raises:
            CompileFailure: E10041 for anything that is no usable ONNX file.
        """
        try:
            self.model = onnx.load(path)
        except OSError as error:
            invalid("model", path, f"the file cannot be read: {error}")
        except Exception as error:  # protobuf's own classes
            fail(f"E10041: Failed to load the model from [{path}]. Reason: it is no ONNX file ({error}).")
        if not self.model.HasField("graph") or not (self.graph.output and self.model.opset_import):
            fail(f"E16004: ONNX model has no graph. File [{path}] is no ONNX file or an empty one.")
        self.labels: dict[str, str] = {}
        self.declared: dict[str, Dims | None] = {}
        self._name_nodes()

    @property
    def graph(self) -> Any:
        """The graph itself."""
        return self.model.graph

    def _name_nodes(self) -> None:
        """Nodes without a name get one, as ATC gives them."""
        for index, node in enumerate(self.graph.node):
            if not node.name:
                node.name = f"{node.op_type}_{index}"

    # Inputs and outputs

    def inputs(self) -> list[Any]:
        """The inputs that must be given: those without an initializer."""
        held = {each.name for each in self.graph.initializer} | {each.values.name for each in self.graph.sparse_initializer}
        return [each for each in self.graph.input if each.name not in held]

    def check_types(self) -> None:
        """Refuses what pyACL has no tensors for.

        Raises:
            CompileFailure: E10055 for strings, sequences, optionals, and types of less than a byte.
        """
        for what, infos in (("input", self.inputs()), ("output", self.graph.output)):
            for info in infos:
                kind = info.type.WhichOneof("value")
                if kind != "tensor_type":
                    _unsupported(f"{what} [{info.name}] is of type {kind or 'unknown'}; whole models take dense tensors only")
                if info.type.tensor_type.elem_type not in ACL_TYPES:
                    name = TensorProto.DataType.Name(info.type.tensor_type.elem_type)
                    _unsupported(f"{what} [{info.name}] holds elements of type {name}, which pyACL has no dense tensors of")

    def fill_types(self) -> None:
        """Element types of outputs that the file leaves out."""
        if all(info.type.WhichOneof("value") for info in self.graph.output):
            return
        found = {info.name: info for info in _infer(self.model).graph.output}
        for info in self.graph.output:
            info.type.CopyFrom(found[info.name].type)

    def choose_outputs(self, names: Sequence[str]) -> None:
        """``--out_nodes``: node_name:index, or names of tensors.

        Raises:
            CompileFailure: E11017 for an unknown node.
        """
        if not names:
            return
        tensors = [self._tensor(name) for name in names]
        inferred = _infer(self.model).graph
        known = {info.name: info for info in (*inferred.value_info, *inferred.output, *inferred.input)}
        chosen = []
        for tensor in tensors:
            if tensor not in known:
                _unsupported(f"the type of [{tensor}] of --out_nodes is not known")
            chosen.append(known[tensor])
        del self.graph.output[:]
        self.graph.output.extend(chosen)
        self._prune({info.name for info in chosen})

    def _tensor(self, name: str) -> str:
        node_name, _, index = name.rpartition(":")
        for node in self.graph.node:
            if node.name == node_name and index.isdigit():
                if int(index) >= len(node.output):
                    invalid("out_nodes", name, f"node [{node_name}] has {len(node.output)} outputs")
                return str(node.output[int(index)])
            if name in node.output:
                return name
        fail(f"E11017: Failed to find node [{name}] specified by --out_nodes.")

    def _prune(self, needed: set[str]) -> None:
        """Drops nodes that nothing needs any more, and the inputs of them alone."""
        kept = []
        for node in reversed(self.graph.node):
            if needed & set(node.output):
                kept.append(node)
                needed |= set(node.input) | set(_outer_names(node))
        kept.reverse()
        inputs = [info for info in self.graph.input if info.name in needed]
        initializers = [each for each in self.graph.initializer if each.name in needed]
        for field, values in (("node", kept), ("input", inputs), ("initializer", initializers)):
            copies = [type(each).FromString(each.SerializeToString()) for each in values]
            self.graph.ClearField(field)
            getattr(self.graph, field).extend(copies)

    def cast_outputs(self, types: dict[str, str]) -> None:
        """``--output_type``: a Cast behind outputs of other types.

        Raises:
            CompileFailure: E10001 for a name that is no output.
        """
        labels = self.label_outputs()
        prefixes = {label.rpartition(":")[0]: name for name, label in labels.items()}
        for name in types:
            if name and name not in prefixes:
                invalid("output_type", name, f"the model has no such output; it has {sorted(prefixes)}")
        for info in self.graph.output:
            dtype = types.get("") or types.get(labels[info.name].rpartition(":")[0])
            if dtype is None or info.type.tensor_type.elem_type == OUTPUT_TYPES[dtype]:
                continue
            label = labels[info.name]
            source, info.name = info.name, f"{info.name}__as_{dtype}"
            self.graph.node.append(helper.make_node("Cast", [source], [info.name], f"{info.name}_cast", to=OUTPUT_TYPES[dtype]))
            info.type.tensor_type.elem_type = OUTPUT_TYPES[dtype]
            self.labels[info.name] = label

    def halve_inputs(self, names: Sequence[str]) -> None:
        """``--input_fp16_nodes``: inputs that are given as float16.

        Raises:
            CompileFailure: E10016 or E10001.
        """
        inputs = {info.name: info for info in self.inputs()}
        for name in names:
            if name not in inputs:
                fail(f"E10016: Op name [{name}] specified in [--input_fp16_nodes] is not found in the model; inputs: {sorted(inputs)}.")
            tensor = inputs[name].type.tensor_type
            if tensor.elem_type != TensorProto.FLOAT:
                invalid("input_fp16_nodes", name, "the input is not of type float")
            tensor.elem_type = TensorProto.FLOAT16
            wide = f"{name}__as_float"
            for node in self.graph.node:
                node.input[:] = [wide if each == name else each for each in node.input]
            self.graph.node.insert(0, helper.make_node("Cast", [name], [wide], f"{name}_cast", to=TensorProto.FLOAT))

    def label_outputs(self) -> dict[str, str]:
        """pyACL's names of the outputs, node:index:tensor, by the graph's."""
        makers = {tensor: (node.name, index) for node in self.graph.node for index, tensor in enumerate(node.output)}
        for info in self.graph.output:
            node, index = makers.get(info.name, (info.name, 0))
            self.labels.setdefault(info.name, f"{node}:{index}:{info.name}")
        return self.labels

    # Shapes

    def set_dims(self, dims: Sequence[Dims]) -> None:
        """Gives the inputs these dims, -1 for open ones, and forgets what the file says of other shapes."""
        if [dims_of(info) for info in self.inputs()] == list(dims):
            self.declared.update({info.name: dims_of(info) for info in self.graph.output if dims_of(info) is not None})
        _set_dims(self.inputs(), dims)
        self.graph.ClearField("value_info")
        for info in self.graph.output:
            info.type.tensor_type.ClearField("shape")

    def measurer(self) -> Measurer:
        """What infers shapes, without the large weights."""
        return Measurer(self)

    # Sizes

    def weight_bytes(self) -> int:
        """Bytes of the weights, each aligned."""
        return sum(_aligned(_bytes(each.data_type, each.dims)) for each in self.graph.initializer)

    def save(self) -> bytes:
        """The graph as bytes.

        Raises:
            CompileFailure: E13023 above 2 GiB.
        """
        size = self.model.ByteSize()
        if size > LONGEST:
            fail(f"E13023: Model [{self.graph.name}] has a size of [{size}] bytes, which exceeds system limit of [{LONGEST}] bytes.")
        data: bytes = self.model.SerializeToString(deterministic=True)
        return data


class Measurer:
    """Shape inference of one graph for many input dims."""

    def __init__(self, graph: Graph) -> None:
        source = graph.model
        light = onnx.ModelProto()
        light.ir_version = max(source.ir_version, 4)
        light.opset_import.extend(source.opset_import)
        light.functions.extend(source.functions)
        light.graph.name = "shapes"
        light.graph.node.extend(source.graph.node)
        light.graph.input.extend(graph.inputs())
        light.graph.output.extend(source.graph.output)
        for each in source.graph.initializer:
            if _bytes(each.data_type, each.dims) > LARGE:
                light.graph.input.append(helper.make_tensor_value_info(each.name, each.data_type, list(each.dims)))
            else:
                light.graph.initializer.append(each)
        self._light = light
        self._inputs = len(graph.inputs())
        self._held = {each.name for each in source.graph.initializer}

    def outputs(self, dims: Sequence[Dims]) -> list[Dims | None]:
        """Dims of the outputs, -1 where they are not known, None without a rank.

        Raises:
            CompileFailure: E10001 for dims that the graph refuses.
        """
        self._infer(dims)
        return [dims_of(info) for info in self._inferred.output]

    def work_bytes(self) -> int:
        """Bytes that the tensors of the last inference take, at most, at one time."""
        sizes = {
            info.name: _aligned(_bytes(info.type.tensor_type.elem_type, dims_of(info) or ()))
            for info in (*self._inferred.value_info, *self._inferred.output)
            if info.type.HasField("tensor_type")
        }
        last = {name: step for step, node in enumerate(self._light.graph.node) for name in node.input}
        alive = peak = 0
        for step, node in enumerate(self._light.graph.node):
            alive += sum(sizes.get(name, 0) for name in node.output)
            peak = max(peak, alive)
            alive -= sum(sizes.get(name, 0) for name in set(node.input) if last[name] == step and name not in self._held)
        return peak

    def _infer(self, dims: Sequence[Dims]) -> None:
        _set_dims(self._light.graph.input[: self._inputs], dims)
        try:
            self._inferred = _infer(self._light, strict=True).graph
        except Exception:  # strict inference stumbles over operators of other domains too
            try:
                self._inferred = _infer(self._light).graph
            except Exception as error:
                fail(f"E10059: Shape inference failed. Reason: {error}.")


def _infer(model: Any, strict: bool = False) -> Any:
    return shape_inference.infer_shapes(model, data_prop=True, strict_mode=strict)


def _set_dims(infos: Iterable[Any], dims: Sequence[Dims]) -> None:
    for number, (info, values) in enumerate(zip(infos, dims, strict=True)):
        shape = info.type.tensor_type.shape
        shape.ClearField("dim")
        info.type.tensor_type.shape.SetInParent()
        for axis, value in enumerate(values):
            dim = shape.dim.add()
            if value < 0:
                dim.dim_param = f"open_{number}_{axis}"
            else:
                dim.dim_value = value


def dims_of(info: Any) -> Dims | None:
    """Dims of an input or output, -1 for those that are open; None without a rank."""
    tensor = info.type.tensor_type
    if not tensor.HasField("shape"):
        return None
    return tuple(dim.dim_value if dim.HasField("dim_value") else -1 for dim in tensor.shape.dim)


def _outer_names(node: Any) -> Iterable[str]:
    """Names that the subgraphs of a node may take from outside."""
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                yield from inner.input
                yield from _outer_names(inner)
            yield from (info.name for info in graph.output)


def _bytes(element: int, dims: Iterable[int]) -> int:
    count = math.prod(dims)
    if count <= 0 or element in (TensorProto.STRING, TensorProto.UNDEFINED):
        return 0
    return int(count * helper.tensor_dtype_to_np_dtype(element).itemsize)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def _unsupported(reason: str) -> None:
    fail(f"E10055: The operation is not supported. Reason: {reason}.")
