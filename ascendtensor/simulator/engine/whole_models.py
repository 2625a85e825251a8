"""Whole models: loading, their memory, and datasets (rules MDL-1 to MDL-9, MDL-16 to MDL-19, MDL-30 to MDL-32)."""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from ascendtensor.codes import ErrorCode, data_type_size

from . import AclFault, chips, contexts, hazards, memory, optional, process, streams
from .arguments import invalid, null
from .diagnostics import missing, notice
from .model_file import ModelFile, TensorInfo
from .tables import BUFFERS, COUNTED, DESCS, ON_FINALIZE, ON_NEW_PROCESS, STREAMS, DataBuffer, Stream, Task, TensorDesc, new_handle

PATH_INVALID: Final = int(ErrorCode.GE_EXEC_MODEL_PATH_INVALID)
ID_INVALID: Final = int(ErrorCode.GE_EXEC_MODEL_ID_INVALID)
GE_PARAM_INVALID: Final = int(ErrorCode.GE_PARAM_INVALID)
GE_MEMORY_ALLOCATION: Final = int(ErrorCode.GE_MEMORY_ALLOCATION)
GE_LOAD_MODEL: Final = int(ErrorCode.GE_LOAD_MODEL)
GE_FAILURE: Final = int(ErrorCode.GE_FAILURE)
FEATURE_UNSUPPORTED: Final = int(ErrorCode.FEATURE_UNSUPPORTED)
MEMORY_ALIGNMENT: Final = 32
OWNER: Final = "model"


class Ids:
    """Ids of models and bundles, which count from 1 in a process."""

    newest = 0


def new_id() -> int:
    """The next id."""
    Ids.newest += 1
    return Ids.newest


class Memory:
    """Work or weight memory of a model.

    Attributes:
        block: The allocation it lies in, None for no bytes at all.
        users: Whether the program owns it (MDL-4).
        start: Where it begins in the block.
        size: Bytes that the model uses of it.
    """

    __slots__ = ("block", "size", "start", "users")

    def __init__(self, block: memory.Block | None, start: int, size: int, users: bool) -> None:
        self.block = block
        self.start = start
        self.size = size
        self.users = users

    @property
    def alive(self) -> bool:
        """Whether nobody freed it."""
        return self.block is None or memory.find(self.block.address) is self.block

    def view(self) -> Any:
        """The bytes that the model uses."""
        return None if self.block is None else self.block.array[self.start : self.start + self.size]

    def release(self) -> None:
        """Give memory of the system's own back."""
        if self.block is not None and not self.users:
            memory.withdraw(self.block)


class Model:
    """A loaded model.

    Attributes:
        identifier: Its model id.
        file: What it was loaded from.
        session: Runs it.
        context: Where it was loaded (MDL-9).
        gear: Index of the gear that was set last, or None (MDL-15).
        sizes: Bytes of each input and of each output (MDL-11).
        dims: Dims of each input and of each output of a model without gears.
        bundle: Id of the bundle that it came with, or 0.
        newest: The stream that it was queued on last.
        known: Output dims by input dims, as runs of a model of open shapes showed them.
        varying: Whether equal input dims gave different output dims.
        waits: Whether its runs are waited for by the calls that make them, None before the first.
    """

    __slots__ = (
        "bundle",
        "context",
        "dims",
        "file",
        "gear",
        "identifier",
        "known",
        "newest",
        "session",
        "sizes",
        "varying",
        "waits",
        "weights",
        "work",
    )

    def __init__(self, file: ModelFile, session: Any, work: Memory, weights: Memory, bundle: int = 0) -> None:
        self.identifier = new_id()
        self.file = file
        self.session = session
        self.context = contexts.current()
        self.work = work
        self.weights = weights
        self.gear: int | None = None
        self.sizes = file.input_sizes(), file.output_sizes()
        self.dims = [info.dims for info in file.inputs], [info.dims for info in file.outputs]
        self.bundle = bundle
        self.newest: Stream | None = None
        self.known: dict[Any, tuple[tuple[int, ...], ...]] = {}
        self.varying = False
        self.waits: bool | None = None

    @property
    def label(self) -> str:
        """For texts."""
        return f"model {self.identifier} [{self.file.name}]"

    @property
    def device(self) -> int:
        """Whose memory it works on."""
        return self.context.device


class Blob:
    """One entry of a dataset.

    Attributes:
        buffer: Handle of a data buffer.
        desc: Handle of the dataset's own description, or 0 (MDL-19).
    """

    __slots__ = ("buffer", "desc")

    def __init__(self, buffer: int) -> None:
        self.buffer = buffer
        self.desc = 0


class Dataset:
    """What ``aclmdlDataset`` holds.

    Attributes:
        blobs: Buffers in the order of the model's inputs or outputs.
        gear: Whether one of the functions that choose a gear was called with it (MDL-22).
    """

    __slots__ = ("blobs", "gear")

    def __init__(self) -> None:
        self.blobs: list[Blob] = []
        self.gear = False


class Description:
    """What ``aclmdlDesc`` holds: a model's file and the id it was asked for with, 0 for a file that is not loaded."""

    __slots__ = ("file", "identifier")

    def __init__(self) -> None:
        self.file: ModelFile | None = None
        self.identifier = 0


MODELS: Final[dict[int, Model]] = {}
BUNDLES: Final[dict[int, list[int]]] = {}
"""Bundle id to the ids of its models."""
DATASETS: Final[dict[int, Dataset]] = {}
DESCRIPTIONS: Final[dict[int, Description]] = {}
CONFIGS: Final[dict[int, Any]] = {}
AIPPS: Final[dict[int, Any]] = {}
"""Handle to batch size."""
COUNTED.update(models=MODELS, bundles=BUNDLES, datasets=DATASETS, model_descs=DESCRIPTIONS, model_configs=CONFIGS, aipps=AIPPS)


# Loading


def read_file(path: str) -> bytes:
    """A model's bytes.

    Raises:
        AclFault: 145002 for a missing, empty or unreadable file (MDL-2).
    """
    if not path:
        raise AclFault(PATH_INVALID, "the path of the model file is empty", "E13026")
    if not os.path.isfile(path):
        raise AclFault(PATH_INVALID, f"model file [{path}] does not exist or is not a regular file", "E13026")
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise AclFault(PATH_INVALID, f"model file [{path}] cannot be opened: {error}", "E13001") from error
    if not data:
        raise AclFault(PATH_INVALID, f"model file [{path}] is empty", "E13015")
    return data


def read_memory(address: int, size: int) -> bytes:
    """A model's bytes from host memory (MDL-3).

    Raises:
        AclFault: 100000 for null or size 0 (MDL-2); 107000 for memory that the host can't read.
    """
    if address == 0:
        raise null("model")
    if size == 0:
        raise invalid("modelSize", size, "must be greater than 0")
    return memory.host_bytes(address, size)


def _check_chip(model: str, chip: str) -> None:
    """The graph engine's plain failure, which acl makes 500002 of (GEN-2; hicann/ge, ``OmFileLoadHelper::CheckModelCompatibility``)."""
    if not chips.runs(model, chip):
        raise AclFault(
            GE_FAILURE,
            f"E10001: Value [{model}] for parameter [soc_version] is invalid. Reason: {chips.INCOMPATIBLE} It is {chip}: convert the model "
            f"with --soc_version={chip}, or simulate its own chip with ASCENDTENSOR_SIM_SOC={model}",
        )


def load(file: ModelFile, work: tuple[int, int] = (0, 0), weight: tuple[int, int] = (0, 0), bundle: int = 0) -> Model:
    """Makes a model ready to run.

    Args:
        file: The model.
        work: Address and size of the program's own work memory, address 0 for the system's (MDL-4).
        weight: The same for the weights.
        bundle: Id of the bundle that it belongs to.

    Raises:
        AclFault: 107002 without context; 500002 for a model of another chip; 145000 for memory that is too small; 245000 when the device is
            full; 200006 without ONNX Runtime.
    """
    context = contexts.current()
    _check_chip(file.soc, process.State.soc)
    if file.open:
        work = (0, 0)  # MDL-5: supplied work memory is ignored
    session = _session(file)
    taken: list[Memory] = []
    try:
        for name, (address, size), needed in (("work", work, file.work), ("weight", weight, file.weight)):
            taken.append(_users(name, address, size, needed, context.device) if address else _systems(name, needed, context.device))
        _fill_weights(taken[1], file.graph)
        model = Model(file, session, taken[0], taken[1], bundle)
        MODELS[model.identifier] = model
    except BaseException:
        for each in taken:
            each.release()
        raise
    return model


def _session(file: ModelFile) -> Any:
    try:
        runner = optional.part("ascendtensor.simulator.engine.onnx_session")
    except optional.ExtraMissing as error:
        raise AclFault(FEATURE_UNSUPPORTED, str(error)) from error
    try:
        return runner.Session(file.graph, _tensors(file.inputs), _tensors(file.outputs))
    except Exception as error:  # ONNX Runtime has a class of its own for each kind of failure
        raise AclFault(GE_LOAD_MODEL, f"ONNX Runtime can't run model [{file.name}]: {error}") from error


def _tensors(infos: tuple[TensorInfo, ...]) -> list[tuple[str, int, int]]:
    return [(info.feed, info.element, data_type_size(info.dtype)) for info in infos]


def _users(name: str, address: int, size: int, needed: int, device: int) -> Memory:
    """Memory that the program gives (MDL-4)."""
    if size < needed:
        raise AclFault(GE_PARAM_INVALID, f"{name} memory has {size} bytes, the model needs {needed}")
    if address % MEMORY_ALIGNMENT:
        raise AclFault(GE_PARAM_INVALID, f"{name} memory at [{address:#x}] is not aligned to {MEMORY_ALIGNMENT} bytes")
    memory.device_array(address, size, device)
    block = memory.find(address)
    return Memory(block, 0 if block is None else address - block.address, needed, users=True)


def _systems(name: str, needed: int, device: int) -> Memory:
    if not needed:
        return Memory(None, 0, 0, users=False)
    try:
        block = memory.allocate(device, memory.padded_size(needed))
    except AclFault as fault:
        raise AclFault(GE_MEMORY_ALLOCATION, f"no {name} memory for the model: {fault.text}") from fault
    block.owner = OWNER
    return Memory(block, 0, needed, users=False)


def _fill_weights(weights: Memory, graph: bytes) -> None:
    """The program's weight memory holds bytes of the model from now on, so that a change of them can be noticed.

    They are copied there past every stream (MDL-4).
    """
    view = weights.view()
    if view is not None and weights.users and weights.block is not None:
        hazards.check_write(weights.block, weights.block.address + weights.start, weights.size)
        size = min(view.size, len(graph))
        view[:size] = np.frombuffer(graph, np.uint8, size)


def check_memory(model: Model) -> None:
    """Notice work or weight memory that the program freed, or weights that it changed, while the model was loaded (MDL-4)."""
    for name, each in (("work", model.work), ("weight", model.weights)):
        if each.users and not each.alive:
            notice("freed in flight", f"{name} memory of {model.label} was freed before the model was unloaded")
            return
    view = model.weights.view()
    if view is not None and model.weights.users:
        size = min(view.size, len(model.file.graph))
        if not np.array_equal(view[:size], np.frombuffer(model.file.graph, np.uint8, size)):
            notice("overwritten in flight", f"weight memory of {model.label} was changed while it was loaded")


# Looking


def model_for(identifier: int) -> Model:
    """The model of an id.

    Raises:
        AclFault: 145003 for an unknown one; one that was unloaded is a finding too (MDL-9).
    """
    model = MODELS.get(identifier)
    if model is None:
        if 0 < identifier <= Ids.newest and identifier not in BUNDLES:
            notice("use after destroy", f"model id {identifier} was unloaded")
        raise unknown(identifier, "no such model is loaded")
    return model


def unknown(identifier: int, reason: str) -> AclFault:
    """145003."""
    return AclFault(ID_INVALID, f"model id [{identifier}] is invalid: {reason}")


def dataset_for(handle: int, parameter: str = "dataset") -> Dataset:
    """The dataset of a handle.

    Raises:
        AclFault: 100000 for 0 and for one that was destroyed.
    """
    dataset = DATASETS.get(handle)
    if dataset is None:
        raise missing(parameter, handle, "dataset")
    return dataset


def buffer_for(handle: int) -> DataBuffer:
    """The data buffer of a handle.

    Raises:
        AclFault: 100000 for 0 and for one that was destroyed.
    """
    buffer = BUFFERS.get(handle)
    if buffer is None:
        raise missing("dataBuffer", handle, "data buffer")
    return buffer


def set_desc(blob: Blob, desc: TensorDesc | None) -> None:
    """Give a dataset's entry a description of its own, or none (MDL-19, MDL-25)."""
    DESCS.pop(blob.desc, None)
    blob.desc = 0
    if desc is not None:
        blob.desc = new_handle()
        DESCS[blob.desc] = desc


# Unloading


def queued(model: Model) -> list[Stream]:
    """Streams on which runs of a model wait."""
    found = []
    for stream in list(STREAMS.values()):
        try:
            if any(runs(task, model) for task in list(stream.queue)):
                found.append(stream)
        except RuntimeError:  # another thread runs it at this moment
            continue
    return found


def runs(task: Task, model: Model) -> bool:
    """Whether a queued task is a run of a model."""
    return any(getattr(owner, "model", None) is model for owner in _owners(task))


def _owners(task: Task) -> list[Any]:
    """What a task is a method of: its function, or the second argument where a plan of faults stands before it."""
    fn, args = task
    return [getattr(each, "__self__", None) for each in (fn, *args[:2])]


def check_dataset(dataset: Dataset) -> None:
    """Notice a dataset that is destroyed although a run that was given it is still queued (MDL-17)."""
    for stream in list(STREAMS.values()):
        try:
            users = [run for task in list(stream.queue) for run in _owners(task) if dataset in getattr(run, "datasets", ())]
        except RuntimeError:  # another thread runs it at this moment
            continue
        if users:
            notice("dataset destroyed in flight", f"a run of {users[0].model.label} with it is queued on stream {stream.identifier}")
            return


def unload(model: Model) -> None:
    """Ends a model. Work that is still queued is finished first, which a board does not do (MDL-31)."""
    waiting = queued(model)
    if waiting:
        notice("model unloaded in flight", f"{model.label} is still queued on stream {waiting[0].identifier}")
        for stream in waiting:
            streams.drain(stream)
    check_memory(model)
    MODELS.pop(model.identifier, None)
    model.work.release()
    model.weights.release()


def _release_all() -> None:
    """``acl.finalize`` ends every model, after they were reported."""
    for model in list(MODELS.values()):
        MODELS.pop(model.identifier, None)
        model.work.release()
        model.weights.release()
    BUNDLES.clear()


def _forget() -> None:
    Ids.newest = 0


ON_FINALIZE.append(_release_all)
ON_NEW_PROCESS.append(_forget)
