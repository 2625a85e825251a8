"""One typed function per call of `acl.mdl` that the library makes; codes become errors as in `binding`.

As there, what is returned is the result without the code, and the module is looked up at each call.
"""

from typing import Any

from ascendtensor.acl import binding
from ascendtensor.acl.module import AclMdl, Ints
from ascendtensor.codes import DataType

GEAR_INPUT = "ascend_mbatch_shape_data"
"""Name of the input that carries the gear of a model with gears (MDL-13)."""
BAD_ALLOC = 200000
"""What is meant where pyACL answers no handle and no code."""


def _mdl() -> AclMdl:
    return binding.module().mdl


def _check(code: int, function: str) -> None:
    if code:
        binding.fail(code, f"acl.mdl.{function}")


def _handle(handle: int, function: str) -> int:
    if not handle:
        binding.fail(BAD_ALLOC, f"acl.mdl.{function}")
    return handle


# Loading


def load_from_file(path: str) -> int:
    """Loads a model; everything it needs on the device is the system's (MDL-1)."""
    model, code = _mdl().load_from_file(path)
    _check(code, "load_from_file")
    return model


def load_from_file_with_mem(path: str, work: int, work_size: int, weights: int, weights_size: int) -> int:
    """Loads a model with work and weight memory of the caller's (MDL-4)."""
    model, code = _mdl().load_from_file_with_mem(path, work, work_size, weights, weights_size)
    _check(code, "load_from_file_with_mem")
    return model


def query_size(path: str) -> tuple[int, int]:
    """Bytes of work and of weight memory (MDL-5)."""
    work, weights, code = _mdl().query_size(path)
    _check(code, "query_size")
    return work, weights


def load_from_mem(address: int, size: int) -> int:
    """Loads a model from host memory; everything it needs on the device is the system's (MDL-1)."""
    model, code = _mdl().load_from_mem(address, size)
    _check(code, "load_from_mem")
    return model


def load_from_mem_with_mem(address: int, size: int, work: int, work_size: int, weights: int, weights_size: int) -> int:
    """Loads a model from host memory with work and weight memory of the caller's (MDL-4)."""
    model, code = _mdl().load_from_mem_with_mem(address, size, work, work_size, weights, weights_size)
    _check(code, "load_from_mem_with_mem")
    return model


def query_size_from_mem(address: int, size: int) -> tuple[int, int]:
    """Bytes of work and of weight memory (MDL-5)."""
    work, weights, code = _mdl().query_size_from_mem(address, size)
    _check(code, "query_size_from_mem")
    return work, weights


def unload(model: int) -> None:
    """Ends a model; nothing of it may be queued any more (MDL-31)."""
    _check(_mdl().unload(model), "unload")


# Descriptions


def create_desc() -> int:
    return _handle(_mdl().create_desc(), "create_desc")


def destroy_desc(desc: int) -> None:
    _check(_mdl().destroy_desc(desc), "destroy_desc")


def get_desc(desc: int, model: int) -> None:
    """Fills a description with a loaded model's (MDL-10)."""
    _check(_mdl().get_desc(desc, model), "get_desc")


AIPP_INPUT = "ascend_dynamic_aipp_data"
"""How the names of inputs begin that carry the parameters of dynamic AIPP (ACL_DYNAMIC_AIPP_NAME)."""


def tensors(desc: int, kind: str) -> list[tuple[str, int, int, int, Ints]]:
    """Name, data type, format, bytes and dims of each input or output ("input", "output")."""
    mdl: Any = _mdl()
    found = []
    for index in range(getattr(mdl, f"get_num_{kind}s")(desc)):
        dims, code = getattr(mdl, f"get_{kind}_dims")(desc, index)
        _check(code, f"get_{kind}_dims")
        name = getattr(mdl, f"get_{kind}_name_by_index")(desc, index)
        dtype, layout = getattr(mdl, f"get_{kind}_data_type")(desc, index), getattr(mdl, f"get_{kind}_format")(desc, index)
        shape = list(dims["dims"])
        if kind == "input" and dtype == DataType.UINT8 and hasattr(mdl, "get_input_dims_v2"):
            shape = _dims_of_bytes(desc, index, shape)
        found.append((name, dtype, layout, getattr(mdl, f"get_{kind}_size_by_index")(desc, index), shape))
    return found


def _dims_of_bytes(desc: int, index: int, shape: Ints) -> Ints:
    """An input with static AIPP has dims that do not give its size in the first form (page of aclmdlGetInputDims)."""
    dims, code = _mdl().get_input_dims_v2(desc, index)
    _check(code, "get_input_dims_v2")
    return list(dims["dims"]) if len(dims["dims"]) == len(shape) else shape


def rows_of_image(desc: int, index: int, height: int) -> int:
    """Rows of an input that a gear of that height takes: half as many again where static AIPP reads YUV420SP_U8.

    Its channels are 3 in the first form of the dims and 1 in the second (pages of aclmdlGetInputDims and aclmdlGetInputDimsV2).
    """
    found = []
    for ask in ("get_input_dims", "get_input_dims_v2"):
        dims, code = getattr(_mdl(), ask)(desc, index)
        _check(code, ask)
        found.append(dims["dims"][-1])
    return height * 3 // 2 if found == [3, 1] else height


def ranges(desc: int, index: int) -> list[tuple[int, int]]:
    """Low and high of each dim of an input, high -1 for no limit; empty where the model has gears, or pyACL is older than the question."""
    ask = getattr(_mdl(), "get_input_dims_range", None)
    if ask is None:
        return []
    record, code = ask(desc, index)
    _check(code, "get_input_dims_range")
    return [(pair[0], pair[1]) for pair in record["range"]]


def dynamic_batch(desc: int) -> Ints:
    """Legal batch sizes, none for other models."""
    record, code = _mdl().get_dynamic_batch(desc)
    _check(code, "get_dynamic_batch")
    return list(record["batch"])


def dynamic_hw(desc: int) -> list[Ints]:
    """Legal heights and widths, none for other models."""
    record, code = _mdl().get_dynamic_hw(desc, -1)
    _check(code, "get_dynamic_hw")
    return [list(pair) for pair in record["hw"]]


def dynamic_dims(desc: int) -> list[Ints]:
    """Legal dims of all inputs one after another, none for other models."""
    count, code = _mdl().get_input_dynamic_gear_count(desc, -1)
    _check(code, "get_input_dynamic_gear_count")
    if not count:
        return []
    records, code = _mdl().get_input_dynamic_dims(desc, -1, count)
    _check(code, "get_input_dynamic_dims")
    return [list(record["dims"]) for record in records or ()]


def output_dims(desc: int, index: int) -> Ints:
    """Dims of an output, of the gear that was chosen last (MDL-15)."""
    record, code = _mdl().get_cur_output_dims(desc, index)
    _check(code, "get_cur_output_dims")
    return list(record["dims"])


# Datasets


def create_dataset(buffers: Ints) -> int:
    """A dataset of data buffers (MDL-16)."""
    dataset = _handle(_mdl().create_dataset(), "create_dataset")
    try:
        for buffer in buffers:
            _, code = _mdl().add_dataset_buffer(dataset, buffer)
            _check(code, "add_dataset_buffer")
    except BaseException:
        _mdl().destroy_dataset(dataset)
        raise
    return dataset


def destroy_dataset(dataset: int) -> None:
    """The buffers stay (MDL-17)."""
    _check(_mdl().destroy_dataset(dataset), "destroy_dataset")


def set_dataset_tensor_desc(dataset: int, desc: int, index: int) -> None:
    """Gives an input of open shape its dims; the description is copied (MDL-19)."""
    _, code = _mdl().set_dataset_tensor_desc(dataset, desc, index)
    _check(code, "set_dataset_tensor_desc")


def get_dataset_tensor_desc(dataset: int, index: int) -> int:
    """What a run of open shapes says of an output (MDL-25)."""
    return _handle(_mdl().get_dataset_tensor_desc(dataset, index), "get_dataset_tensor_desc")


# Running


def set_dynamic_batch_size(model: int, dataset: int, index: int, batch: int) -> None:
    """Chooses a gear and writes it into the buffer at the index (MDL-20)."""
    _check(_mdl().set_dynamic_batch_size(model, dataset, index, batch), "set_dynamic_batch_size")


def set_dynamic_hw_size(model: int, dataset: int, index: int, height: int, width: int) -> None:
    """Chooses a gear and writes it into the buffer at the index (MDL-20)."""
    _check(_mdl().set_dynamic_hw_size(model, dataset, index, height, width), "set_dynamic_hw_size")


def set_input_dynamic_dims(model: int, dataset: int, index: int, dims: Ints) -> None:
    """Chooses a gear by the dims of all inputs one after another (MDL-20)."""
    record = {"name": "", "dimCount": len(dims), "dims": dims}
    _check(_mdl().set_input_dynamic_dims(model, dataset, index, record), "set_input_dynamic_dims")


def execute(model: int, inputs: int, outputs: int) -> None:
    """Runs past every stream and waits; allocates memory for outputs whose data buffer has none (MDL-21, MDL-24)."""
    code = _mdl().execute(model, inputs, outputs)
    if code:
        binding.fail(code, "acl.mdl.execute")


def execute_async(model: int, inputs: int, outputs: int, stream: int) -> None:
    """Queues a run (MDL-26)."""
    code = _mdl().execute_async(model, inputs, outputs, stream)
    if code:
        binding.fail(code, "acl.mdl.execute_async")
