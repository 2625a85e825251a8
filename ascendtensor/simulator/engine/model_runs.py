"""From a loaded model and two datasets to a run over device memory (rules MDL-20 to MDL-29).

What the acl layer and the graph engine check comes out of the call. What the device would stumble over - memory that is not its own,
a graph that fails - is a failed run: the answer of the synchronous calls, and of the next synchronising call after an asynchronous one
(RT-44 to RT-48).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ascendtensor.codes import DataType, ErrorCode

from . import AclFault, aipp, contexts, hazards, memory, streams
from .arguments import invalid
from .diagnostics import notice
from .model_file import GEAR_INPUT, Dims, TensorInfo
from .tables import DESCS, STREAMS, DataBuffer, Stream, Task, TensorDesc
from .whole_models import Blob, Dataset, Model, buffer_for, queued, runs, set_desc

GE_FAILURE: Final = int(ErrorCode.GE_FAILURE)
GE_PARAM_INVALID: Final = int(ErrorCode.GE_PARAM_INVALID)
MODEL_EXECUTE: Final = int(ErrorCode.RT_MODEL_EXECUTE)
HOSTS: Final = {int(code): np.dtype(name) for code, name in ((DataType.FLOAT, "f4"), (DataType.FLOAT16, "f2"), (DataType.UINT8, "u1"))}
"""What AIPP gives, by the graph's own type."""
NO_CONTEXT: Final = 107002
SYNC_TIMEOUT: Final = 507046
TOLERANCE: Final = 64
"""Bytes by which a buffer may be too short (MDL-22)."""
MAX_KNOWN: Final = 1024
"""Shapes of a model of open shapes whose output dims are remembered."""


class Run:
    """One run of a model, from device memory into device memory.

    Attributes:
        model: The model.
        dims: The outputs' dims after the run of a model of open shapes.
        fault: What kept it from running, to be answered by a call that waits.
        begun: It runs in the call that made it, so that it holds the model (MDL-31): an unload beside it lets it finish.
        datasets: What it was given.
    """

    __slots__ = (
        "_arrays",
        "_blobs",
        "_dims",
        "_empty",
        "_from",
        "_gear",
        "_parameters",
        "_results",
        "_to",
        "begun",
        "datasets",
        "dims",
        "fault",
        "model",
    )

    def __init__(self, model: Model, inputs: list[DataBuffer], outputs: list[DataBuffer], dims: list[Dims], blobs: list[Blob]) -> None:
        """Takes the memory as it is described now.

        Args:
            model: The model.
            inputs: Input buffers, the one of the gear last.
            outputs: Output buffers.
            dims: Dims of the inputs of a model of open shapes.
            blobs: Entries of the output dataset that are given descriptions, for a model of open shapes.
        """
        self.model = model
        self.begun = False
        self.datasets: tuple[Dataset, ...] = ()
        self.fault: AclFault | None = None
        self.dims: tuple[Dims, ...] | None = None
        self._dims = dims
        self._blobs = blobs
        self._arrays: list[memory.Bytes] = []
        self._results: list[memory.Bytes] = []
        self._empty: dict[int, DataBuffer] = {}
        self._from: list[int] = []
        self._to: list[int] = []
        self._gear: memory.Bytes | None = None
        self._parameters: list[memory.Bytes] = []
        try:
            self._take(inputs, outputs)
        except AclFault as fault:
            self.fault = AclFault(MODEL_EXECUTE, f"{model.label}: {fault.text}")

    def _take(self, inputs: list[DataBuffer], outputs: list[DataBuffer]) -> None:
        model = self.model
        sizes, out_sizes = model.sizes
        if model.file.open:
            sizes = model.file.input_bytes(self._dims)
            out_sizes = [buffer.size for buffer in outputs]
        device = model.device
        for arrays, hosts, buffers, needed in (
            (self._arrays, self._from, inputs, sizes),
            (self._results, self._to, outputs, out_sizes),
        ):
            for buffer, size in zip(buffers, needed, strict=False):
                array, host = _bytes(buffer, size, device)
                arrays.append(array)
                hosts.append(host)
        own = len(model.file.inputs)
        if model.file.kind:
            self._gear, _ = _bytes(inputs[own], inputs[own].size, device)
        if model.file.aipps:
            carriers = inputs[own + bool(model.file.kind) :]
            self._parameters = [_bytes(buffer, buffer.size, device)[0] for buffer in carriers]

    def task(self) -> Task:
        """It, as a stream runs it."""
        return streams.undivided((self.run, ()), self._arrays, self._results)

    def run(self) -> None:
        """Runs it.

        Raises:
            AclFault: 507011, or 145000 for an output that is too small.
        """
        if self.fault is not None:
            raise self.fault
        try:
            self._run()
        except AclFault as fault:
            self.fault = fault
            raise

    def _run(self) -> None:
        model = self.model
        for each in (model.work, model.weights):
            if not each.alive and (each.users or not self.begun):
                raise AclFault(MODEL_EXECUTE, f"memory of {model.label} was freed")
        if model.file.open:
            self._run_open()
            return
        inputs, outputs = model.dims
        sizes: tuple[list[int], list[int] | None] = model.sizes
        gear = None
        if self._gear is not None:
            index = self._read_gear(self._gear)
            gear = model.file.gears[index]
            inputs, outputs = model.file.input_dims(gear), list(model.file.gear_outputs[index])
            sizes = model.file.input_bytes(inputs), None
        places = _places(model.file.inputs, inputs, self._arrays, self._from, sizes[0])
        images = self._preprocess(places, gear) if model.file.aipps else []
        self._call(places, _places(model.file.outputs, outputs, self._results, self._to, sizes[1]))
        images.clear()  # alive until here

    def _preprocess(self, places: list[tuple[int, Dims]], gear: Dims | None) -> list[Any]:
        """Puts images that went through AIPP in the place of the inputs; gives them, to be kept while the graph runs."""
        file = self.model.file
        parameters = iter(self._parameters)
        kept = []
        for each in file.aipps:
            dims = file.graph_dims(each, gear)
            count, channels, height, width = dims
            try:
                if each.node:
                    common, images = aipp.unpack(next(parameters).tobytes(), count)
                else:
                    common, image = aipp.static(each.config, height, width)
                    images = [image] * count
                made = aipp.features(self._arrays[each.place], common, images, channels, HOSTS[each.dtype])
                if made.shape != dims:
                    raise ValueError(f"the images come out as {list(made.shape)}, the model takes {list(dims)}")
            except ValueError as error:
                advice = "; acl.mdl.set_input_aipp sets the parameters before each run that needs others" if each.node else ""
                raise AclFault(
                    MODEL_EXECUTE, f"AIPP of input [{file.inputs[each.place].name}] of {self.model.label}: {error}{advice}"
                ) from None
            kept.append(made)
            places[each.place] = _address(made), dims
        return kept

    def _read_gear(self, array: memory.Bytes) -> int:
        """Index of the gear that lies in device memory now (MDL-20). The model reads int32, whatever was written (`write_gear`)."""
        gears = self.model.file.gears
        chosen = tuple(int(value) for value in array[: len(gears[0]) * 4].view(np.int32))
        if chosen not in gears:
            raise AclFault(
                MODEL_EXECUTE,
                f"input [{GEAR_INPUT}] of {self.model.label} holds {list(chosen)}, none of the gears {_listed(gears)}; "
                "set one with acl.mdl.set_dynamic_batch_size, set_dynamic_hw_size or set_input_dynamic_dims",
            )
        return gears.index(chosen)

    def _run_open(self) -> None:
        model = self.model
        key = tuple(self._dims)
        places = _places(model.file.inputs, self._dims, self._arrays, self._from, model.file.input_bytes(self._dims))
        images = self._preprocess(places, None) if model.file.aipps else []
        known = model.known.get(key)
        if known is not None and self._fits(known):
            try:
                self._call(places, _places(model.file.outputs, known, self._results, self._to))
            except AclFault:  # perhaps other values gave other dims: the measured run tells
                model.known.pop(key, None)
                model.varying = True
            else:
                self._found(known)
                return
        try:
            found = model.session.run_measured(places)
        except Exception as error:
            raise self._failure(error) from error
        images.clear()  # alive until here
        dims = tuple(shape for shape, _ in found)
        for index, (_, data) in enumerate(found):
            if index in self._empty:
                self._allocate(index, data.size)
            if data.size > self._results[index].size:
                raise self._too_small(index, data.size)
            self._results[index][: data.size] = data
        if not model.varying and len(model.known) < MAX_KNOWN:
            model.known[key] = dims
        self._found(dims)

    def _fits(self, dims: Sequence[Dims]) -> bool:
        return all(
            info.nbytes(shape) <= result.size for info, shape, result in zip(self.model.file.outputs, dims, self._results, strict=True)
        )

    def _allocate(self, index: int, size: int) -> None:
        """Memory for an output of unknown size that was given none, which the program frees (MDL-24)."""
        block = memory.allocate(self.model.device, memory.padded_size(max(size, 1)))
        self._empty[index].address, self._empty[index].size = block.address, size
        self._results[index] = memory.view(block, block.address, size)

    def _too_small(self, index: int, needed: int) -> AclFault:
        """The graph engine looks behind the kernel (hicann/ge, ``model_outputs.cc``, ``AllocMemoryIfNeed``, and ``memory_copy.cc``)."""
        text = f"output {index} [{self.model.file.outputs[index].name}] needs {needed} bytes, its buffer has {self._results[index].size}"
        notice("output larger than its buffer", f"{self.model.label}: {text}; a board finds out when the kernel has written past its end")
        return AclFault(GE_FAILURE, text)

    def _found(self, dims: tuple[Dims, ...]) -> None:
        self.dims = dims
        describe(self.model, self._blobs, dims)

    def _call(self, inputs: list[tuple[int, Dims]], outputs: list[tuple[int, Dims]]) -> None:
        try:
            self.model.session.run(inputs, outputs)
        except Exception as error:  # ONNX Runtime has a class of its own for each kind of failure
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> AclFault:
        return AclFault(MODEL_EXECUTE, f"model [{self.model.file.name}]: {error}")

    def foretold(self) -> bool:
        """Whether the output dims of a model of open shapes are known before it runs; they are written into the dataset then (MDL-25)."""
        if self.fault is not None:
            return True  # it never runs
        known = self.model.known.get(tuple(self._dims))
        if known is None:
            return False
        for index, (info, shape) in enumerate(zip(self.model.file.outputs, known, strict=True)):
            if info.nbytes(shape) > self._results[index].size:
                raise self._too_small(index, info.nbytes(shape))
        self._found(known)
        return True


def _listed(gears: Sequence[Dims]) -> list[Any]:
    return [gear[0] if len(gear) == 1 else list(gear) for gear in gears]


def _bytes(buffer: DataBuffer, nbytes: int, device: int) -> tuple[memory.Bytes, int]:
    """Device memory behind a buffer, up to 64 bytes beyond its stated length (MDL-22), and where it really lies."""
    if not nbytes:
        return np.empty(0, np.uint8), _NOWHERE
    block = memory.find(buffer.address)
    if block is not None and block.device >= 0 and (block.device == device or contexts.peers(device, block.device)):
        offset = buffer.address - block.address
        return memory.view(block, buffer.address, min(nbytes, block.size - offset)), block.data + offset
    array = memory.device_array(buffer.address, nbytes, device)
    return array, _address(array)


def _places(
    infos: Sequence[TensorInfo],
    dims: Sequence[Dims],
    arrays: Sequence[memory.Bytes],
    hosts: Sequence[int],
    sizes: Sequence[int] | None = None,
) -> list[tuple[int, Dims]]:
    """Host addresses and dims, for ONNX Runtime.

    Raises:
        AclFault: 507011 where the memory ends before the tensor does.
    """
    if sizes is None:
        sizes = [info.nbytes(shape) for info, shape in zip(infos, dims, strict=True)]
    for info, array, needed in zip(infos, arrays, sizes, strict=True):
        if needed > array.size:
            raise AclFault(MODEL_EXECUTE, f"[{info.name}] needs {needed} bytes, its memory ends after {array.size}")
    return [(host if needed else _NOWHERE, shape) for host, shape, needed in zip(hosts, dims, sizes, strict=True)]


def _address(array: memory.Bytes) -> int:
    return int(array.__array_interface__["data"][0])


_NOTHING: Final = np.zeros(64, np.uint8)
_NOWHERE: Final = _address(_NOTHING)
"""Where tensors without elements lie."""


def describe(model: Model, blobs: Sequence[Blob], dims: Sequence[Dims]) -> None:
    """Fresh descriptions of a model's outputs (MDL-25)."""
    for blob, info, shape in zip(blobs, model.file.outputs, dims, strict=False):
        set_desc(blob, TensorDesc(info.dtype, list(shape), info.format))


# Checks


def prepare(model: Model, inputs: Dataset, outputs: Dataset, waits: bool) -> Run:
    """Checks the datasets in the order of the layers (MDL-21), and takes their memory.

    Args:
        model: The model.
        inputs: Input dataset.
        outputs: Output dataset.
        waits: The call blocks: outputs without memory are allocated (MDL-24).

    Raises:
        AclFault: 100000, or 500002 (MDL-22, MDL-23).
    """
    sources = [buffer_for(blob.buffer) for blob in inputs.blobs]
    targets = [buffer_for(blob.buffer) for blob in outputs.blobs]
    if not model.context.alive:
        raise AclFault(NO_CONTEXT, f"the context in which model {model.identifier} was loaded does not exist any more")
    if contexts.current() is not model.context:
        notice("model of another context", f"{model.label} was loaded in another context")
    dims = _open_dims(model, inputs) if model.file.open else []
    if not model.file.open:
        _check_way(model, waits)
        _check_counts(model, len(sources), len(targets))
    if waits:
        _allocate(model, targets)
    if not model.file.open:
        _check_sizes(model, inputs.gear, sources, targets)
    elif len(targets) != len(model.file.outputs):
        raise _unequal("output", len(targets), len(model.file.outputs))
    run = Run(model, sources, targets, dims, outputs.blobs if model.file.open else [])
    if waits and model.file.open:
        run._empty = {index: buffer for index, buffer in enumerate(targets) if not buffer.address}
    run.datasets = inputs, outputs
    return run


def _check_way(model: Model, waits: bool) -> None:
    """The first run decides for good whether a model's runs wait or are queued (hicann/ge, ``davinci_model.cc``, ``InitModelStream``)."""
    if model.waits not in (None, waits):
        ways = "acl.mdl.execute and execute_v2", "acl.mdl.execute_async"
        before, now = ways if model.waits else ways[::-1]
        raise AclFault(GE_FAILURE, f"{model.label} is run by {before}; {now} can't run it too: load it once more for that")
    model.waits = waits


def _unequal(what: str, given: int, needed: int) -> AclFault:
    number = "E10405" if what == "input" else "E10406"
    return AclFault(
        GE_FAILURE, f"{number}: The number of {what} buffers is [{given}], which does not match the number of tensors [{needed}]"
    )


def _check_counts(model: Model, inputs: int, outputs: int) -> None:
    """Exactly the model's numbers, the input of the gear included (MDL-22)."""
    needed = len(model.file.inputs) + len(model.file.carriers)
    if inputs != needed:
        raise _unequal("input", inputs, needed)
    if outputs != len(model.file.outputs):
        raise _unequal("output", outputs, len(model.file.outputs))


def _check_sizes(model: Model, gear: bool, inputs: list[DataBuffer], outputs: list[DataBuffer]) -> None:
    """Up to 64 bytes short passes; nothing is checked while a gear is active (MDL-22)."""
    if gear and model.file.kind:
        return
    parts = (("Input", model.sizes[0], inputs), ("Output", model.sizes[1], outputs))
    for what, sizes, buffers in parts:
        for index, (size, buffer) in enumerate(zip(sizes, buffers, strict=False)):
            if buffer.size + TOLERANCE < size:
                raise AclFault(GE_FAILURE, f"{what} indexed [{index}] requires a buffer of [{size}] bytes, but [{buffer.size}] are given")


def _open_dims(model: Model, inputs: Dataset) -> list[Dims]:
    """Dims of the inputs of a model of open shapes, from the dataset's descriptions where it has them (MDL-23)."""
    needed = len(model.file.inputs)
    if len(inputs.blobs) < needed:
        raise invalid("input", len(inputs.blobs), f"the dataset must hold at least {needed} buffers")
    found = []
    for index, info in enumerate(model.file.inputs):
        desc = DESCS.get(inputs.blobs[index].desc)
        dims = info.dims if desc is None else tuple(desc.dims)
        if not _in_range(dims, info):
            raise invalid(
                "input shape",
                list(dims),
                f"input {index} [{info.name}] must be in the ranges {[list(pair) for pair in info.ranges]}; "
                "acl.mdl.set_dataset_tensor_desc gives a shape",
            )
        found.append(dims)
    for index, (size, dims) in enumerate(zip(model.file.input_bytes(found), found, strict=True)):
        if buffer_for(inputs.blobs[index].buffer).size + TOLERANCE < size:
            name = model.file.inputs[index].name
            raise AclFault(GE_PARAM_INVALID, f"input {index} [{name}] needs {size} bytes for dims {list(dims)}")
    return found


def _in_range(dims: Dims, info: TensorInfo) -> bool:
    if len(dims) != len(info.ranges):
        return False
    return all(dim >= max(low, 0) and (dim <= high or high < 0) for dim, (low, high) in zip(dims, info.ranges, strict=True))


def _allocate(model: Model, outputs: list[DataBuffer]) -> None:
    """Memory for outputs that have none, which the program frees (MDL-24)."""
    for buffer, size in zip(outputs, model.sizes[1], strict=False):
        if buffer.address == 0 and size:
            block = memory.allocate(model.device, memory.padded_size(size))
            buffer.drop_tasks()
            buffer.address, buffer.size = block.address, size


# Running


def execute(model: Model, inputs: Dataset, outputs: Dataset) -> None:
    """Runs at once, past every stream (MDL-21).

    Raises:
        AclFault: What the checks or the run answer.
    """
    run = prepare(model, inputs, outputs, waits=True)
    run.begun = True
    _check_streams(model, None)
    _check_hazards(run)
    fn, args = streams.task_for(model.file.name, run.run, ())
    fn(*args)


def _check_hazards(run: Run) -> None:
    """Notice inputs that queued work still writes, and outputs that it still uses: a synchronous run waits for no stream."""
    if not any(stream.queue for stream in list(STREAMS.values())):
        return
    for arrays, check in ((run._arrays, hazards.check_read), (run._results, hazards.check_write)):
        for array in arrays:
            block = _block_of(array)
            if block is not None:
                check(block, block.address + _address(array) - block.data, array.size)


def _block_of(array: memory.Bytes) -> memory.Block | None:
    for block in memory.blocks():
        if array.size and block.data <= _address(array) < block.data + block.size:
            return block
    return None


def _check_streams(model: Model, stream: Stream | None) -> None:
    """Notice a model that runs on two streams at once (MDL-26)."""
    newest, model.newest = model.newest, stream
    if newest is None or newest is stream or not newest.queue or _follows(stream, newest):
        return
    awaited = _awaited(stream)  # first: a wait that passed meanwhile leaves no run behind
    others = [each for each in queued(model) if each is not stream and not any(id(mark) in awaited for mark in _marks(each, model))]
    if others:
        notice("model on two streams", f"{model.label} is still queued on stream {others[0].identifier}")


def _follows(stream: Stream | None, newest: Stream) -> bool:
    """Whether the last that was queued on a stream is a wait for the last of the newest one: the usual way, which is quick to see."""
    if stream is None:
        return False
    try:
        (fn, args), (other, waits) = newest.queue[-1], stream.queue[-1]
    except IndexError:  # another thread runs one at this moment
        return False
    return fn is streams.RECORD and other is streams.WAIT and waits[0] is args[0]


def _marks(stream: Stream, model: Model) -> list[Any]:
    """Records of events behind the model's runs on a stream."""
    found: list[Any] = []
    for task in _tasks(stream):
        if runs(task, model):
            found = []
        elif task[0] is streams.RECORD:
            found.append(task[1][0])
    return found


def _awaited(stream: Stream | None) -> set[int]:
    """``id`` of the records that a stream's queued work waits for, directly or through other streams."""
    found: set[int] = set()
    pending: list[tuple[Stream, Any]] = [] if stream is None else [(stream, None)]
    while pending:
        current, limit = pending.pop()
        for fn, args in _tasks(current):
            if fn is streams.WAIT and id(args[0]) not in found:
                found.add(id(args[0]))
                pending.append((args[0].stream, args[0]))
            elif fn is streams.RECORD and args[0] is limit:
                break
    return found


def _tasks(stream: Stream) -> list[Task]:
    try:
        return list(stream.queue)
    except RuntimeError:  # another thread runs it at this moment
        return []


def execute_async(model: Model, inputs: Dataset, outputs: Dataset, stream: Stream) -> None:
    """Queues a run. Where only the run tells the outputs' dims it is waited for, as on a board (MDL-25).

    Raises:
        AclFault: What the checks answer.
    """
    run = prepare(model, inputs, outputs, waits=False)
    _check_streams(model, stream)
    foretold = not model.file.open or run.foretold()
    streams.enqueue(stream, *streams.task_for(model.file.name, *run.task()))
    if not foretold:
        streams.wait_for(stream)
        if run.fault is not None:  # found out during the call
            if stream.error == run.fault.code:
                streams.take_error(stream)
            raise run.fault


def execute_on(model: Model, inputs: Dataset, outputs: Dataset, stream: Stream, timeout_ms: int) -> int:
    """Runs in a stream's order and waits for it (MDL-27).

    Returns:
        The stream's code.

    Raises:
        AclFault: What the checks answer; 507046 when the time is over first.
    """
    run = prepare(model, inputs, outputs, waits=True)
    _check_streams(model, stream)
    streams.enqueue(stream, *streams.task_for(model.file.name, *run.task()))
    if not streams.wait_for(stream, timeout_ms=timeout_ms):
        raise AclFault(SYNC_TIMEOUT, f"the stream did not finish within {timeout_ms} ms")
    return streams.take_error(stream)


# Gears


def gear_buffer(dataset: Dataset, index: int) -> DataBuffer:
    """Where a gear is to be written.

    Raises:
        AclFault: 100000 for a bad index or a buffer without address (MDL-20).
    """
    if index >= len(dataset.blobs):
        raise invalid("index", index, f"the dataset has {len(dataset.blobs)} buffers")
    buffer = buffer_for(dataset.blobs[index].buffer)
    if buffer.address == 0:
        raise invalid("index", index, "the buffer at this index has no memory")
    return buffer


def write_gear(model: Model, dataset: Dataset, buffer: DataBuffer, kind: str, values: Sequence[int]) -> None:
    """Chooses a gear: it is written into device memory and remembered (MDL-15, MDL-20).

    Into a buffer that is long enough for them it goes as int64 (hicann/ge, ``ge_executor.cc``, ``SetDynamicImageSize``), which a model
    that reads int32 takes for [height, 0]: the buffer has to be as long as ``get_input_size_by_index`` says.

    Raises:
        AclFault: 145012 for a buffer that is too small; 145013 for no gear of the model; 107000 for memory that is not the device's.
    """
    if buffer.size < 4 * len(values):
        raise AclFault(
            int(ErrorCode.GE_DYNAMIC_INPUT_LENGTH_INVALID), f"the gear needs {4 * len(values)} bytes, its buffer has {buffer.size}"
        )
    file = model.file
    if file.kind != kind or tuple(values) not in file.gears:
        text = f"gears of kind {file.kind}: {_listed(file.gears)}" if file.kind else "no gears"
        raise AclFault(int(ErrorCode.GE_DYNAMIC_BATCH_SIZE_INVALID), f"{list(values)} is no gear of model [{file.name}], which has {text}")
    word = np.dtype(np.int64 if buffer.size >= 8 * len(values) else np.int32)
    target = memory.any_array(buffer.address, word.itemsize * len(values), write=True)
    target.view(word)[:] = values
    model.gear = file.gears.index(tuple(values))
    dataset.gear = True


def flat_gear(model: Model, dims: Sequence[int]) -> list[int]:
    """The dims of all inputs, one after another, reduced to a gear's values (MDL-20).

    Raises:
        AclFault: 145012 where the count, or a fixed dim, is not the model's.
    """
    own = [dim for index in model.file.order for dim in model.file.inputs[index].dims]
    if len(dims) != len(own) or any(mine >= 0 and mine != given for mine, given in zip(own, dims, strict=False)):
        text = f"dims {list(dims)} do not fit the inputs' dims {own}"
        raise AclFault(int(ErrorCode.GE_DYNAMIC_INPUT_LENGTH_INVALID), text)
    return [given for mine, given in zip(own, dims, strict=True) if mine < 0]
