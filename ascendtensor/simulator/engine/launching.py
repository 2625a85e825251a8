"""From a matched model and data buffers to a task on a stream (rules OP, HD-8 to HD-12).

A static model is bound once to views over the buffers. A dynamic model needs its output dims (OP-12). Where a shape rule can give them
(a), CANN takes the described ones for true and asks nobody: the call stays asynchronous, and dims that are not what the rule
says make the task fail here, since a board would write by them all the same. Where only the run can tell (b, c), the dims
are found while the task runs, and ``execute_v2`` waits for them.

What goes wrong on the device - an address that is not its memory, a dtype or shape the kernel refuses - is no return code of
the launch but a failed task (OP-18, RT-44).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from ascendtensor import facts
from ascendtensor.codes import ErrorCode
from ascendtensor.interrupts import of_handler
from ascendtensor.simulator.engine import AclFault, contexts, diagnostics, memory, streams
from ascendtensor.simulator.engine.models import Array, Dims, OpModel, Specs, TensorSpec
from ascendtensor.simulator.engine.tables import DataBuffer, Stream, Task
from ascendtensor.simulator.kernels.registry import ABSENT, Meta, Out

GE_PARAM_INVALID = int(ErrorCode.GE_PARAM_INVALID)
GE_FAILURE = int(ErrorCode.GE_FAILURE)

HOST_INPUT_LIMIT = 1 << 20
HOST_INPUT_STEP = 512

Buffers = Sequence[DataBuffer]
Hosted = dict[int, Array]
"""Inputs whose bytes lay on the host and were copied during the call, by position (OP-7)."""


def check_counts(model: OpModel, inputs: int, outputs: int) -> None:
    """Raises AclFault 145000 unless the numbers of buffers are the model's (OP-9, OP-10)."""
    if inputs != len(model.inputs):
        raise AclFault(GE_PARAM_INVALID, f"E10401: {model.op_type} takes {len(model.inputs)} input buffers, {inputs} given")
    if outputs != len(model.outputs):
        raise AclFault(GE_PARAM_INVALID, f"E10402: {model.op_type} takes {len(model.outputs)} output buffers, {outputs} given")


def check_sizes(model: OpModel, inputs: Buffers, outputs: Buffers) -> None:
    """Raises AclFault 145000 if a buffer of a static model is too small after rounding (OP-9)."""
    for number, (spec, buffer) in enumerate(zip(model.inputs, inputs, strict=True)):
        if not spec.ignored:
            _check_size("E10403", f"input {number} of {model.op_type}", spec, buffer)
    for number, (spec, buffer) in enumerate(zip(model.outputs, outputs, strict=True)):
        _check_size("E10404", f"output {number} of {model.op_type}", spec, buffer)


def _check_size(label: str, where: str, spec: TensorSpec, buffer: DataBuffer) -> None:
    if (buffer.size + 63) // 32 * 32 < spec.nbytes:
        raise AclFault(GE_PARAM_INVALID, f"{label}: {where} needs {spec.nbytes} bytes, its buffer has {buffer.size}")


def check_outputs(model: OpModel, specs: Specs, buffers: Buffers) -> None:
    """Notice outputs that are described larger than their buffers say: the rounding lets some of them pass (OP-9, OP-10)."""
    for number, (spec, buffer) in enumerate(zip(specs, buffers, strict=False)):
        if buffer.size < spec.nbytes:
            text = f"output {number} of {model.op_type} is described with {spec.nbytes} bytes, its buffer has {buffer.size}"
            diagnostics.notice("output larger than its buffer", text)


def check_updates(model: OpModel, inputs: Buffers, outputs: Buffers) -> None:
    """Notice an output that should be the input of its name, and lies elsewhere.

    The graph engine gives both one place in the model, and a call's buffers to the first that has it (SingleOpModel::SetInputsAndOutputs):
    what the kernel writes lands in the input, and the output may stay as it was.
    """
    for source, target in model.updates:
        if source < len(inputs) and target < len(outputs) and inputs[source].address != outputs[target].address:
            text = f"output {target} of {model.op_type} is its input {source}, updated in place, and has another buffer"
            diagnostics.notice("update in another buffer", text)


def copy_hosted(model: OpModel, specs: Specs, buffers: Buffers) -> Hosted:
    """Copies host-placed inputs during the call (OP-7).

    Raises:
        AclFault: 500002 above 1 MiB in total for a static model (OP-8); 145000 for a buffer that is too small.
    """
    copies: Hosted = {}
    total = 0
    for index, (spec, buffer) in enumerate(zip(specs, buffers, strict=True)):
        if not spec.placement or spec.ignored:
            continue
        total += (buffer.size + HOST_INPUT_STEP - 1) // HOST_INPUT_STEP * HOST_INPUT_STEP
        if buffer.size < spec.nbytes:
            raise AclFault(GE_PARAM_INVALID, f"input {index} of {model.op_type} needs {spec.nbytes} bytes, its buffer has {buffer.size}")
        data = memory.host_bytes(buffer.address, spec.nbytes) if spec.nbytes else b""
        copies[index] = np.frombuffer(data, spec.numpy_dtype()).reshape(spec.dims)
    if total > HOST_INPUT_LIMIT and not model.dynamic:
        raise AclFault(GE_FAILURE, f"host-placed inputs of {model.op_type} take {total} bytes, {HOST_INPUT_LIMIT} at most")
    return copies


def task_of(
    model: OpModel,
    specs: tuple[Specs, Specs],
    inputs: Buffers,
    outputs: Buffers,
    device: int,
    hosted: Hosted | None = None,
    expected: list[Out] | None = None,
) -> Task:
    """Binds the kernel to the buffers; what the device would stumble over becomes a task that fails.

    Args:
        model: The matched model.
        specs: Concrete descriptions of inputs and outputs.
        inputs: Input buffers, also for constant and absent ones (HD-9).
        outputs: Output buffers.
        device: Whose memory they must be.
        hosted: Inputs that were copied from the host.
        expected: What the shape rule has said of the inputs, if it was asked.
    """
    check_outputs(model, specs[1], outputs)
    if model.updates:
        check_updates(model, inputs, outputs)
    try:
        kernel = _kernel(model)
        arrays = _inputs(specs[0], inputs, device, hosted)
        results = [view(spec, spec.dims, buffer, device) for spec, buffer in zip(specs[1], outputs, strict=True)]
        task = streams.undivided(kernel.bind(arrays, results, model.arguments, expected), arrays, results)
    except Exception as error:  # a kernel may stumble in any way over what it is given, here as when it runs
        return _failing(model, error)
    return streams.task_for(model, *task)


def _kernel(model: OpModel) -> Any:
    if model.kernel is None:
        raise ValueError(f"the simulator has no kernel of {model.op_type}; simulator.kernel() registers one")
    return model.kernel


def _inputs(specs: Specs, buffers: Buffers, device: int, hosted: Hosted | None) -> list[Array | None]:
    arrays: list[Array | None] = []
    for index, (spec, buffer) in enumerate(zip(specs, buffers, strict=True)):
        if spec.absent:
            arrays.append(None)
        elif spec.const is not None:
            arrays.append(spec.constant())
        elif hosted and index in hosted:
            arrays.append(hosted[index])
        else:
            arrays.append(view(spec, spec.dims, buffer, device))
    return arrays


def view(spec: TensorSpec, dims: Dims, buffer: DataBuffer, device: int) -> Array:
    """An array of the given dims over a buffer's device memory.

    Raises:
        AclFault: The memory is not the device's, or ends before the array does.
    """
    dtype = spec.numpy if spec.numpy is not None else spec.numpy_dtype()
    nbytes = spec.nbytes if dims == spec.dims else math.prod(dims) * dtype.itemsize
    if not nbytes:
        return np.empty(dims, dtype)
    address = buffer.address
    block = memory.find(address)
    if block is not None and block.device >= 0 and (block.device == device or contexts.peers(device, block.device)):  # RT-42
        start = address - block.address
        if start + nbytes <= block.size:
            array: Array = np.ndarray(dims, dtype, block.array, start)
            return array
    return memory.device_array(address, nbytes, device).view(dtype).reshape(dims)


def _failing(model: OpModel, error: Exception) -> Task:
    signalled = of_handler(error)
    if signalled is not None:
        raise signalled
    text = f"{model.op_type}: {error.text if isinstance(error, AclFault) else error}"
    return streams.named(model, (fail, (text, model.failure_code())))


def fail(text: str, code: int) -> NoReturn:
    """The task of a run that the device cannot do; it is never kept for later launches."""
    raise AclFault(code, text)


# dynamic models


def output_rule(model: OpModel, specs: Specs, hosted: Hosted | None = None) -> list[Out] | None:
    """What the shape rule says before the task runs; None where there is no rule.

    Raises:
        AclFault: 500002 if the rule refuses the inputs.
    """
    if model.rule is None:
        return None
    metas = [spec.meta() for spec in specs]
    for index, array in (hosted or {}).items():
        metas[index] = Meta(metas[index].dtype, metas[index].shape, array)
    try:
        return model.rule(metas, model.arguments, len(model.outputs))
    except (ValueError, TypeError, IndexError, KeyError) as error:
        raise AclFault(GE_FAILURE, f"shape inference of {model.op_type} failed: {error}") from error


def exact_outputs(model: OpModel, outputs: Specs, expected: list[Out] | None) -> Specs | None:
    """Output descriptions with their exact dims, or None where only the running task knows them (OP-12).

    Args:
        model: The matched model.
        outputs: The caller's descriptions.
        expected: What the shape rule says.
    """
    if expected is None:
        operator = facts.operator(model.op_type)
        return None if operator is not None and operator.data_dependent_shape else outputs
    if [out.shape for out in expected] == [spec.dims for spec in outputs]:
        return outputs
    if len(expected) != len(outputs) or any(out.shape and min(out.shape) < 0 for out in expected):
        return None
    return tuple([spec if spec.dims == out.shape else _resized(spec, out.shape) for spec, out in zip(outputs, expected, strict=True)])


def _resized(spec: TensorSpec, dims: Dims) -> TensorSpec:
    return TensorSpec(spec.dtype, spec.format, spec.storage_format, dims, spec.ranges, spec.const, spec.placement)


class Asked(Meta):
    """What a shape rule sees of an input, noting whether it asks for the elements."""

    __slots__ = ()
    newest: ClassVar[object] = object()
    """Another one after each question."""

    @property
    def value(self) -> Array | None:
        """The elements."""
        Asked.newest = object()
        elements: Array | None = super().__getitem__(2)  # type: ignore[assignment]
        return elements

    def __iter__(self) -> Iterator[Any]:
        Asked.newest = object()
        return super().__iter__()

    def __getitem__(self, index: Any) -> Any:
        Asked.newest = object()
        return super().__getitem__(index)


Answer = list[Dims]
"""Where one launch finds the outputs' dims when its task has run; empty before, and where it failed."""


class MeasuredRun:
    """What runs of a dynamic model on the same buffers share, whose output dims are found while they run.

    Attributes:
        operator: The model.
    """

    __slots__ = ("_arrays", "_bound", "_device", "_fixed", "_results", "_specs", "operator")

    def __init__(
        self, model: OpModel, specs: tuple[Specs, Specs], inputs: Buffers, outputs: Buffers, device: int, hosted: Hosted | None
    ) -> None:
        _kernel(model)
        self.operator = model
        self._specs = specs
        self._device = device
        self._arrays = _inputs(specs[0], inputs, device, hosted)
        # The views keep the memory alive until the task has run, whatever is freed meanwhile.
        self._results = [
            (view(spec, spec.dims, buffer, device), DataBuffer(0, buffer.address, buffer.size))  # OP-16: as it is now
            for spec, buffer in zip(specs[1], outputs, strict=True)
        ]
        self._bound: tuple[Task, Answer, list[Out] | None] | None = None
        self._fixed = model.rule is None  # what the rule says does not depend on the elements

    def task(self, answer: Answer) -> Task:
        """One launch."""
        return streams.undivided((self.run, (answer,)), self._arrays, [result for result, _ in self._results])

    def run(self, answer: Answer) -> None:
        """Finds the dims from the values that are there now, and runs the kernel, bound as before if the rule says the same as before.

        Several threads may launch it at once: what one launch finds is in its answer alone.
        """
        bound = self._bound
        if bound is None or not self._fixed:
            bound = self._bind(bound)
        (fn, args), shapes, _ = bound
        found: Any = fn(*args)
        answer[:] = found if found.__class__ is list else shapes

    def _bind(self, before: tuple[Task, Answer, list[Out] | None] | None) -> tuple[Task, Answer, list[Out] | None]:
        model, arrays, expected = self.operator, self._arrays, None
        if model.rule is not None:
            question = Asked.newest
            metas = [
                ABSENT if array is None else Asked(spec.dtype, array.shape, array)
                for spec, array in zip(self._specs[0], arrays, strict=True)
            ]
            expected = model.rule(metas, model.arguments, len(self._results))
            self._fixed = Asked.newest is question
        if before is None or expected != before[2]:
            if expected is None:
                results = [result for result, _ in self._results]
            else:
                results = [self._sized(index, out.shape) for index, out in enumerate(expected)]
            task = _kernel(model).bind(arrays, results, model.arguments, expected)
            before = self._bound = task, [result.shape for result in results], expected
        return before

    def _sized(self, index: int, dims: Dims) -> Array:
        """The output with exact dims if they are known, else as large as its description says."""
        result, buffer = self._results[index]
        if any(dim < 0 for dim in dims) or dims == result.shape:
            return result
        count = 1
        for dim in dims:
            count *= dim
        if count <= result.size:
            return result.reshape(-1)[:count].reshape(dims)
        try:
            return view(self._specs[1][index], dims, buffer, self._device)
        except AclFault as fault:
            raise AclFault(self.operator.failure_code(), f"output {index} needs dims {list(dims)}: {fault.text}") from fault


def measured_task(
    model: OpModel, specs: tuple[Specs, Specs], inputs: Buffers, outputs: Buffers, device: int, hosted: Hosted | None = None
) -> tuple[Task, Answer]:
    """The task of a run whose output dims are not known yet, and where they will be found."""
    check_outputs(model, specs[1], outputs)
    answer: Answer = []
    try:
        run = MeasuredRun(model, specs, inputs, outputs, device, hosted)
    except Exception as error:  # see task_of
        return _failing(model, error), answer
    return streams.task_for(model, *run.task(answer)), answer


def believed(model: OpModel) -> bool:
    """Whether the described output dims of a run are taken for true.

    CANN deletes the InferShape of a dynamic model whose first run is not that of ``aclopCompileAndExecuteV2``
    (trust_shape_on_out_tensor: graph engine, OpExecutor::PrepareRt2Execute, TrustOutTensor::Run). What the kernel itself tells stays.
    """
    return model.believes is not False and not model.told


class BelievedRun(MeasuredRun):
    """Runs whose output dims the rule finds from values that lie on the device, and which have to be the described ones."""

    __slots__ = ()

    def run(self, answer: Answer) -> None:
        """As of ``MeasuredRun``.

        Raises:
            AclFault: The dims are others.
        """
        super().run(answer)
        _check_believed(self.operator, self._specs[1], answer)


def _check_believed(model: OpModel, outputs: Specs, dims: Sequence[Sequence[int]]) -> None:
    for index, (spec, shape) in enumerate(zip(outputs, dims, strict=False)):
        if spec.dims != tuple(shape):
            text = f"output {index} is described with dims {list(spec.dims)}, which CANN believes; they are {list(shape)}"
            raise AclFault(model.failure_code(), text)


def believed_task(
    model: OpModel, specs: tuple[Specs, Specs], inputs: Buffers, outputs: Buffers, device: int, hosted: Hosted | None = None
) -> Task:
    """The task of a run of a dynamic model whose described output dims are taken for true."""
    expected = output_rule(model, specs[0], hosted)
    if expected is None or [out.shape for out in expected] == [spec.dims for spec in specs[1]]:
        return task_of(model, specs, inputs, outputs, device, hosted, expected)
    check_outputs(model, specs[1], outputs)
    try:
        if not any(out.shape and min(out.shape) < 0 for out in expected):
            _check_believed(model, specs[1], [out.shape for out in expected])
        run = BelievedRun(model, specs, inputs, outputs, device, hosted)
    except Exception as error:  # see task_of
        return _failing(model, error)
    return streams.task_for(model, *run.task([]))


def queue(stream: Stream, task: Task) -> None:
    """Puts a task on a stream."""
    streams.enqueue(stream, *task)


def launch(
    model: OpModel, specs: tuple[Specs, Specs], inputs: Buffers, outputs: Buffers, stream: Stream, refresh: bool, believes: bool = True
) -> tuple[list[Dims] | None, Task | None, bool]:
    """Runs a matched model without a handle.

    Args:
        model: The matched model.
        specs: The caller's descriptions.
        inputs: Input buffers.
        outputs: Output buffers.
        stream: Where to queue it.
        refresh: Wait for output dims that only the run can tell (``execute_v2``).
        believes: What the model's first run is to decide, see ``believed``.

    Returns:
        Dims to write back into the output descriptions, None to leave them alone (OP-13); the task of a dynamic model; whether only the
        task could tell the dims.

    Raises:
        AclFault: A code for the caller.
    """
    check_counts(model, len(inputs), len(outputs))
    hosted = copy_hosted(model, specs[0], inputs) if any(spec.placement for spec in specs[0]) else None
    if not model.dynamic:
        check_sizes(model, inputs, outputs)
        queue(stream, task_of(model, (model.inputs, model.outputs), inputs, outputs, stream.device, hosted))
        return None, None, False
    model.unloaded = True
    if model.believes is None:
        model.believes = believes
    if believed(model):
        task = believed_task(model, specs, inputs, outputs, stream.device, hosted)
        queue(stream, task)
        return [spec.dims for spec in specs[1]], task, False
    expected = output_rule(model, specs[0], hosted)
    exact = exact_outputs(model, specs[1], expected)
    if exact is not None:
        task = task_of(model, (specs[0], exact), inputs, outputs, stream.device, hosted, expected)
        queue(stream, task)
        return [spec.dims for spec in exact], task, False
    task, answer = measured_task(model, specs, inputs, outputs, stream.device, hosted)
    queue(stream, task)
    if not refresh:
        return None, task, True
    streams.wait_for(stream)
    return answer or None, task, True
