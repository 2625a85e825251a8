"""``acl.mdl``: whole models - loading, datasets, execution (MDL-1 to MDL-32)."""

from __future__ import annotations

from typing import Any

from .engine import model_runs, whole_models
from .engine.arguments import GIVEN, WORD, function, getter, invalid, null, public
from .engine.contexts import stream_for
from .engine.diagnostics import missing
from .engine.model_file import unpack
from .engine.tables import DESCS, TensorDesc, new_handle
from .engine.whole_models import DATASETS, Blob, Dataset, Model, buffer_for, dataset_for, model_for
from .mdl_aipp import *  # noqa: F403
from .mdl_bundle import *  # noqa: F403
from .mdl_config import *  # noqa: F403
from .mdl_config import exec_config_for
from .mdl_desc import *  # noqa: F403
from .mdl_dump import *  # noqa: F403

MAX_DIMS = 128
"""Room for dims in the record that the binding fills without asking."""


def __dir__() -> list[str]:
    return public(__name__)


# Loading


@function("acl.mdl.load_from_file", "s", 0)
def load_from_file(path: str) -> tuple[int, int]:
    """(model id, ret) (MDL-1, MDL-2)."""
    return whole_models.load(unpack(whole_models.read_file(path))).identifier, 0


@function("acl.mdl.load_from_mem", "KK", 0)
def load_from_mem(model_ptr: int, size: int) -> tuple[int, int]:
    """(model id, ret), from host memory (MDL-2, MDL-3)."""
    return whole_models.load(unpack(whole_models.read_memory(model_ptr, size))).identifier, 0


@function("acl.mdl.load_from_file_with_mem", "sKKKK", 0)
def load_from_file_with_mem(path: str, work_ptr: int, work_size: int, weight_ptr: int, weight_size: int) -> tuple[int, int]:
    """(model id, ret), with memory of the program's own; address 0 leaves a part to the system (MDL-4)."""
    file = unpack(whole_models.read_file(path))
    return whole_models.load(file, (work_ptr, work_size), (weight_ptr, weight_size)).identifier, 0


@function("acl.mdl.load_from_mem_with_mem", "KKKKKK", 0)
def load_from_mem_with_mem(model_ptr: int, size: int, work_ptr: int, work_size: int, weight_ptr: int, weight_size: int) -> tuple[int, int]:
    """(model id, ret), as ``load_from_file_with_mem`` (MDL-4)."""
    file = unpack(whole_models.read_memory(model_ptr, size))
    return whole_models.load(file, (work_ptr, work_size), (weight_ptr, weight_size)).identifier, 0


@function("acl.mdl.query_size", "s", 0, 0)
def query_size(path: str) -> tuple[int, int, int]:
    """(work bytes, weight bytes, ret); for a model of open shapes the work size is of no use (MDL-5)."""
    file = unpack(whole_models.read_file(path))
    return file.work, file.weight, 0


@function("acl.mdl.query_size_from_mem", "KK", 0, 0)
def query_size_from_mem(model_ptr: int, size: int) -> tuple[int, int, int]:
    """(work bytes, weight bytes, ret) (MDL-5)."""
    file = unpack(whole_models.read_memory(model_ptr, size))
    return file.work, file.weight, 0


@function("acl.mdl.unload", "I")
def unload(model_id: int) -> int:
    """145003 for an unknown id; a bundle's model goes with its bundle (MDL-30)."""
    model = model_for(model_id)
    if model.bundle:
        raise invalid("modelId", model_id, "the model belongs to a bundle; call acl.mdl.bundle_unload")
    whole_models.unload(model)
    return 0


# Datasets


@getter("acl.mdl.create_dataset", "", 0)
def create_dataset() -> int:
    """An empty dataset."""
    handle = new_handle()
    DATASETS[handle] = Dataset()
    return handle


@function("acl.mdl.destroy_dataset", "K")
def destroy_dataset(dataset: int) -> int:
    """Its buffers and their memory stay (MDL-17)."""
    found = dataset_for(dataset)
    whole_models.check_dataset(found)
    for blob in found.blobs:
        whole_models.set_desc(blob, None)
    DATASETS.pop(dataset, None)
    return 0


def _add_buffer(dataset: int, buffer: int) -> None:
    found = dataset_for(dataset)
    buffer_for(buffer)
    found.blobs.append(Blob(buffer))


@function("acl.mdl.add_dataset_buffer", "KK", GIVEN)
def add_dataset_buffer(dataset: int, buffer: int) -> tuple[int, int]:
    """(dataset, ret); the order of the calls is the order of the inputs or outputs (MDL-16)."""
    _add_buffer(dataset, buffer)
    return dataset, 0


@getter("acl.mdl.get_dataset_num_buffers", "K", 0)
def get_dataset_num_buffers(dataset: int) -> int:
    """0 for null (MDL-16)."""
    return len(dataset_for(dataset).blobs)


def _blob(dataset: int, index: int) -> Blob:
    blobs = dataset_for(dataset).blobs
    if index >= len(blobs):
        raise invalid("index", index, f"must be below the number of buffers, {len(blobs)}")
    return blobs[index]


@getter("acl.mdl.get_dataset_buffer", "KK", 0)
def get_dataset_buffer(dataset: int, index: int) -> int:
    """0 for null and for a bad index (MDL-16)."""
    return _blob(dataset, index).buffer


@function("acl.mdl.set_dataset_tensor_desc", "KKK", GIVEN)
def set_dataset_tensor_desc(dataset: int, desc: int, index: int) -> tuple[int, int]:
    """(dataset, ret); the description is copied, 0 takes it away (MDL-19)."""
    blob = _blob(dataset, index)
    if desc == 0:
        whole_models.set_desc(blob, None)
        return dataset, 0
    found = DESCS.get(desc)
    if found is None:
        raise missing("tensorDesc", desc, "tensor descriptor")
    whole_models.set_desc(blob, TensorDesc(found.dtype, list(found.dims), found.format))
    return dataset, 0


@getter("acl.mdl.get_dataset_tensor_desc", "KK", 0)
def get_dataset_tensor_desc(dataset: int, index: int) -> int:
    """The dataset's own description, 0 where there is none (MDL-25)."""
    return _blob(dataset, index).desc


# Execution


def _datasets(in_dataset: int, out_dataset: int) -> tuple[Dataset, Dataset]:
    return dataset_for(in_dataset, "input"), dataset_for(out_dataset, "output")


@function("acl.mdl.execute", "IKK")
def execute(model_id: int, in_dataset: int, out_dataset: int) -> int:
    """Blocks until the results are there (MDL-21 to MDL-24)."""
    inputs, outputs = _datasets(in_dataset, out_dataset)
    model_runs.execute(model_for(model_id), inputs, outputs)
    return 0


@function("acl.mdl.execute_async", "IKKK")
def execute_async(model_id: int, in_dataset: int, out_dataset: int, stream: int) -> int:
    """Queues a run (MDL-26)."""
    inputs, outputs = _datasets(in_dataset, out_dataset)
    model = model_for(model_id)
    model_runs.execute_async(model, inputs, outputs, stream_for(stream))
    return 0


@function("acl.mdl.execute_v2", "IKKKK")
def execute_v2(model_id: int, in_dataset: int, out_dataset: int, stream: int, exec_config: int) -> int:
    """Runs in the stream's order and waits for it, at most as long as the configuration says (MDL-27)."""
    config = exec_config_for(exec_config)
    inputs, outputs = _datasets(in_dataset, out_dataset)
    model = model_for(model_id)
    if stream == 0:
        model_runs.execute(model, inputs, outputs)
        return 0
    return model_runs.execute_on(model, inputs, outputs, stream_for(stream), config.stream_timeout)


# Gears


def _gear_model(model_id: int) -> Model:
    """Models of open shapes are unknown to the executor that has gears."""
    model = model_for(model_id)
    if model.file.open:
        raise whole_models.unknown(model_id, "it has open shapes: acl.mdl.set_dataset_tensor_desc gives the shape")
    return model


@function("acl.mdl.set_dynamic_batch_size", "IKKK")
def set_dynamic_batch_size(model_id: int, dataset: int, index: int, batch_size: int) -> int:
    """Chooses a gear and writes it into the buffer at that index (MDL-20)."""
    found = dataset_for(dataset)
    if batch_size == 0:
        raise invalid("batchSize", batch_size, "must not be 0")
    buffer = model_runs.gear_buffer(found, index)
    model_runs.write_gear(_gear_model(model_id), found, buffer, "batch", [batch_size])
    return 0


@function("acl.mdl.set_dynamic_hw_size", "IKKKK")
def set_dynamic_hw_size(model_id: int, dataset: int, index: int, height: int, width: int) -> int:
    """Chooses a gear and writes it into the buffer at that index (MDL-20)."""
    found = dataset_for(dataset)
    if height == 0 or width == 0:
        raise invalid("height, width", (height, width), "must not be 0")
    buffer = model_runs.gear_buffer(found, index)
    model_runs.write_gear(_gear_model(model_id), found, buffer, "image", [height, width])
    return 0


@function("acl.mdl.set_input_dynamic_dims", "IKKO")
def set_input_dynamic_dims(model_id: int, dataset: int, index: int, dims: Any) -> int:
    """Chooses a gear by the dims of all inputs, one after another (MDL-20)."""
    if not isinstance(dims, dict):
        raise TypeError("argument 4 is not dict")
    values = _gear_dims(dims)
    if dataset == 0:
        raise null("dataset")
    found = dataset_for(dataset)
    if not 0 < len(values) <= MAX_DIMS:
        raise invalid("dimCount", len(values), f"must be in [1, {MAX_DIMS}]")
    buffer = model_runs.gear_buffer(found, index)
    model = _gear_model(model_id)
    model_runs.write_gear(model, found, buffer, "dims", model_runs.flat_gear(model, values))
    return 0


def _gear_dims(dims: dict[str, Any]) -> list[int]:
    """The first ``dimCount`` dims, with the binding's refusals in its order (PY-2)."""
    count, values = dims.get("dimCount"), dims.get("dims")
    if "name" in dims and not isinstance(dims["name"], str):
        raise RuntimeError("PyUnicode_AsUTF8String failed")
    if not isinstance(values, list):
        raise TypeError("The dims of parameter 4 is not a list.")
    counted = isinstance(count, int) and 0 <= count <= WORD
    last: int = count if counted else len(values) + 1  # type: ignore[assignment]
    for index in range(last):
        if index >= len(values) or not isinstance(values[index], int):
            raise TypeError("the dims of fourth parameter is not list of int")
        if not counted or not -(1 << 63) <= values[index] < 1 << 63:  # a count that is no number stays pending until here
            raise ValueError("PyLong_AsLongLong failed")
    return values[:count]
