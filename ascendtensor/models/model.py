"""A loaded model: called with tensors, named tensors out."""

from __future__ import annotations

import itertools
import math
import operator
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from contextlib import suppress
from types import TracebackType
from typing import Any, Final
from weakref import WeakSet

import numpy as np

from .. import base, html
from ..acl import binding
from ..acl import models as calls
from ..base import TensorBase
from ..codes import MemcpyKind
from ..compiler.progress import Steps
from ..errors import AclError, ClosedError, DeviceError, DTypeError, ShapeError, ValueRangeError
from ..interrupts import HeldInterrupts
from ..ops import host
from ..ops.call import plain
from ..runtime import copies, process
from ..runtime import device as devices
from ..runtime.desc import TensorDesc
from ..runtime.device import Device
from ..runtime.memory import DeviceBuffer, size_class
from ..runtime.stream import Event, Stream
from .pending import Map, Pending
from .tensors import ModelTensor, ModelTensors, Shape, describe, shown

Cut = tuple[int, int] | None
"""Rows to keep of a padded batch, and all of its rows; None for a batch that fits."""

DATASETS_KEPT: Final = 32
MOST_STREAMS: Final = 4
"""Streams that the runs of `Model.map` go to, in turn."""
_live: Final[WeakSet[Model]] = WeakSet()
_dropped: Final[deque[tuple[Device, Held]]] = deque()
"""What models whose object went without `unload()` leave behind."""


class Held:
    """What a loaded model holds of ACL's, and the memory that it works in.

    Attributes:
        model: The model id.
        loaded: Whether the model is.
        desc: Its aclmdlDesc.
        datasets: Its datasets by the data buffers in them, the newest use last.
        memory: Work and weight memory of the library's own.
        gears: Memory that holds a gear, by its number.
    """

    def __init__(self, model: int, desc: int, memory: list[DeviceBuffer]) -> None:
        self.model = model
        self.loaded = True
        self.desc = desc
        self.datasets: OrderedDict[tuple[int, ...], int] = OrderedDict()
        self.memory = memory
        self.gears: dict[int, DeviceBuffer] = {}

    def release(self) -> None:
        """Gives it all back. Nothing of the model may be queued any more, and its device must be current in this thread.

        Where a step fails, the next call goes on from there.
        """
        while self.datasets:
            key = next(iter(self.datasets))
            calls.destroy_dataset(self.datasets[key])
            del self.datasets[key]
        if self.loaded:
            calls.unload(self.model)
            self.loaded = False
        if self.desc:
            calls.destroy_desc(self.desc)
            self.desc = 0
        self.memory.clear()
        self.gears.clear()


class Outputs(tuple[Any, ...]):
    """The outputs of a model with several: by position, by name (`y["boxes"]`), or to be unpacked.

    Examples:
        >>> with at.models.load("net.om") as model:  # outputs p and best
        ...     y = model(at.tensor([[0.0, 9.0, 0.0], [5.0, 0.0, 0.0]]))
        >>> y["best"]
        tensor([1, 0], device='npu:0')
        >>> y.keys()
        ('soft:0:p', 'top:0:best')
        >>> [(name, value.shape) for name, value in y.items()]
        [('soft:0:p', (2, 3)), ('top:0:best', (2,))]
    """

    tensors: ModelTensors

    def __new__(cls, values: Iterable[Any], tensors: ModelTensors) -> Outputs:
        made = super().__new__(cls, values)
        made.tensors = tensors
        return made

    def __getitem__(self, key: Any) -> Any:
        return tuple.__getitem__(self, self.tensors.position(key) if isinstance(key, str) else key)

    def keys(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return self.tensors.names

    def items(self) -> list[tuple[str, Any]]:
        """Pairs of name and tensor."""
        return list(zip(self.tensors.names, self, strict=True))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.tensors


class Model:
    """A model on a device; `load` gives it.

    Calling it queues a run on the current stream. Runs of one model follow each other, also on different streams and from different
    threads, since a model works in one memory (MDL-26).

    Attributes:
        name: Of the file.
        device: Where it runs.
        inputs, outputs: What it takes and gives, shown as tables.
        gears: The legal shapes of a model with gears, else None.
        open: Whether only a run tells the outputs' shapes.
        origin: What tells the source of a model in managed memory from others, else empty.
        closed: Whether it was unloaded.

    Examples:
        >>> model = at.models.load("net.om")
        >>> model.inputs["x"].shape
        (2, 3)
        >>> p, best = model(at.zeros(2, 3))
        >>> p.shape, best.dtype
        ((2, 3), ascendtensor.int64)
        >>> [y["p"].shape for y in model.map([np.zeros((2, 3), np.float32)] * 2)]
        [(2, 3), (2, 3)]
        >>> model.unload()
    """

    def __init__(
        self, identifier: int, desc: int, device: Device, name: str, memory: list[DeviceBuffer], origin: tuple[object, ...] = ()
    ) -> None:
        self.inputs, self.outputs, self.gears, (self._carrier, self._carrier_bytes) = describe(desc)
        self.open = any(each.ranges for each in self.inputs) or any(size < 0 for each in self.outputs for size in each.shape)
        if self.open and memory:
            raise ValueRangeError('a model of open shapes wants memory="system"', where="models.load")
        self.name = name
        self.device = device
        self.origin = origin
        self.closed = False
        self._held = Held(identifier, desc, memory)
        self._lock = threading.RLock()
        self._last: Stream | None = None
        self._streams: list[Stream] = []
        self._gear_outputs: dict[int, list[Shape]] = {}
        self._shapes = [each.shape for each in self.inputs] if self.gears is None else []
        self._out_shapes = [each.shape for each in self.outputs]
        self._label = f"model {name}"
        _live.add(self)

    def __repr__(self) -> str:
        if self.closed:
            return f"<Model {self.name}, unloaded>"
        gears = "" if self.gears is None else f"\ngears ({self.gears.kind})\n" + "\n".join(map(_shapes, self.gears.shapes))
        return f"<Model {self.name} on {self.device}>\ninputs\n{self.inputs!r}\noutputs\n{self.outputs!r}{gears}"

    def _repr_html_(self) -> str:
        head = f"<b>{html.escape(self.name)}</b>{', unloaded' if self.closed else f' on {self.device}'}<br>"
        gears = "" if self.gears is None else f"gears ({self.gears.kind})<br>{'<br>'.join(map(_shapes, self.gears.shapes))}"
        return html.block(f"{head}inputs{self.inputs._repr_html_()}outputs{self.outputs._repr_html_()}{gears}")

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a loaded model can't be copied or pickled; load it again from its file")

    def __del__(self) -> None:
        try:
            if not self.closed and not self.device.closed:
                _dropped.append((self.device, self._held))
        except AttributeError:  # making it had failed
            return

    def __enter__(self) -> Model:
        self._check_open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.unload()

    @property
    def memory(self) -> list[DeviceBuffer]:
        """Work and weight memory of the library's own, else empty.

        Examples:
            >>> len(at.models.load("net.om", memory="managed").memory)
            2
        """
        return self._held.memory

    # Running

    def __call__(self, *args: Any, out: Any = None, pad: bool = False, **named: Any) -> Any:
        """Queues a run on the current stream.

        Args:
            *args: The inputs: tensors, which are used in place, or arrays, which are copied to the device; in the model's order, or one
                list, tuple or dict of them.
            out: A tensor, or a list, tuple or dict of tensors, that the outputs are written into.
            pad: Fill a batch that is smaller than the model's (or than its next gear) with zeros, and cut the outputs.
            **named: Inputs by name.

        Returns:
            The output of a model with one, else `Outputs`.

        Raises:
            ShapeError: A shape that the model does not take; the text lists the legal ones.
            DTypeError: An input of another dtype.
            ValueRangeError: Too many, too few or unknown inputs.
            ClosedError: The model was unloaded.
            AclError: ACL refused the run. What fails while it runs shows at the next synchronising call.

        Like: torch.nn.Module.__call__.
        """
        self._check_open()
        if process.thread.attached is self.device:
            return self._call(args, named, out, pad)
        with self.device.current():
            return self._call(args, named, out, pad)

    def _call(self, args: tuple[Any, ...], named: Mapping[str, Any], out: Any, pad: bool) -> Any:
        """The device is current in this thread."""
        stream = self.device.current_stream()
        given = self._given(args, named)
        shapes, gear, cut = self._fit([each.shape for each in given], pad)
        buffers = [self._buffer(index, value, shape, stream) for index, (value, shape) in enumerate(zip(given, shapes, strict=True))]
        targets = self._targets(out)
        if out is not None:
            self._check_apart(buffers, shapes, targets)
        results = self._run(buffers, shapes, gear, targets, cut, stream)
        return results[0] if len(results) == 1 else Outputs(results, self.outputs)

    def run_async(self, *args: Any, stream: Stream | None = None, out: Any = None, pad: bool = False, **named: Any) -> Pending:
        """As a call, on a stream of choice, giving something to wait for.

        Args:
            *args: The inputs, as in a call.
            stream: Where to queue the run; the current stream if None.
            out, pad: As in a call.
            **named: Inputs by name.

        Raises:
            DeviceError: A stream of another device; else what a call raises.

        Examples:
            >>> model = at.models.load("net.om")
            >>> run = model.run_async(at.tensor([[0.0, 9.0, 0.0], [5.0, 0.0, 0.0]]))
            >>> run.result()["best"]
            tensor([1, 0], device='npu:0')
            >>> model.unload()
        """
        if stream is None:
            with self.device.current():
                return Pending(self(*args, out=out, pad=pad, **named), self.device.current_stream())
        if not isinstance(stream, Stream):
            raise DTypeError(f"a Stream is needed, not {type(stream).__name__}", where="Model.run_async")
        if stream.device is not self.device:
            raise DeviceError(f"the stream is of {stream.device}, the model on {self.device}", where="Model.run_async")
        with stream:
            return Pending(self(*args, out=out, pad=pad, **named), stream)

    def map(self, batches: Iterable[Any], *, in_flight: int = 2, pad: bool = True) -> Map:
        """Runs an iterable of batches, a bounded number of them queued ahead, on streams of its own.

        A loop of more than half a second shows how far it is, on a terminal or in a notebook; `ASCENDTENSOR_PROGRESS=off` silences it.

        Args:
            batches: Each what a call takes: a tensor or array, or a list, tuple or dict of them.
            in_flight: How many runs may be queued before the oldest is waited for.
            pad: As in a call; on by default, for the last batch.

        Returns:
            An iterator over the outputs in order, for `for` and for `async for`. An error of a batch, or of the iterable, comes behind the
            outputs of the batches before it.

        Raises:
            DTypeError: `batches` is no iterable, or `in_flight` no int.
            ValueRangeError: `in_flight` is below 1.
            ClosedError: The model was unloaded.
        """
        if not isinstance(batches, Iterable):
            raise DTypeError(f"an iterable of batches is needed, not {type(batches).__name__}", where="Model.map")
        limit = _count(in_flight, "in_flight", "Model.map")
        self._check_open()
        wanted = min(limit, MOST_STREAMS)
        with self._lock:
            while len(self._streams) < wanted:
                self._streams.append(Stream(self.device))
        steps = Steps(f"batches of {self.name}", len(batches) if isinstance(batches, Sized) else None)
        return Map(lambda batch, stream: self.run_async(batch, stream=stream, pad=pad), iter(batches), limit, self._streams[:wanted], steps)

    def for_each(self, batches: Iterable[Any], function: Callable[[Any], object], *, in_flight: int = 2, pad: bool = True) -> int:
        """Runs an iterable of batches as `map` does, and calls `function(outputs)` for each, in order, in this thread.

        Args:
            batches: Each what a call takes.
            function: Called with what a call gives, when it is there. The next batches run meanwhile.
            in_flight, pad: As in `map`.

        Returns:
            How many batches there were.

        Raises:
            DTypeError: `function` can't be called; else what `map` raises, and what the function does.

        Examples:
            >>> with at.models.load("net.om") as model:
            ...     model.for_each([np.eye(2, 3, dtype=np.float32)], lambda y: print(y["best"].tolist()))
            [0, 1]
            1
        """
        if not callable(function):
            raise DTypeError(f"a function is needed, not {type(function).__name__}", where="Model.for_each")
        count = 0
        for outputs in self.map(batches, in_flight=in_flight, pad=pad):
            function(outputs)
            count += 1
        return count

    def profile(self, *args: Any, repeat: int = 10, **named: Any) -> dict[str, float]:
        """Times of runs on the device.

        Args:
            *args: The inputs, as in a call. None at all stands for zeros, of the shapes of the largest gear.
            repeat: How many runs are timed, after one that is not.
            **named: Inputs by name.

        Returns:
            Milliseconds: "mean", "least" and "most".

        Raises:
            ValueRangeError: `repeat` is below 1; no inputs for a model of open shapes.

        Examples:
            >>> sorted(at.models.load("net.om").profile(repeat=2))
            ['least', 'mean', 'most']
        """
        repeat = _count(repeat, "repeat", "Model.profile")
        args = args if args or named else self._zeros()
        self(*args, **named)
        with self.device.current():
            stream = self.device.current_stream()
            marks = [Event(enable_timing=True) for _ in range(repeat + 1)]
            marks[0].record(stream)
            for mark in marks[1:]:
                self(*args, **named)
                mark.record(stream)
            stream.synchronize()
            times = [before.elapsed_time(after) for before, after in itertools.pairwise(marks)]
        return {"mean": sum(times) / len(times), "least": min(times), "most": max(times)}

    def unload(self) -> None:
        """Waits for the model's runs and gives it back. A second call does nothing.

        Examples:
            >>> model = at.models.load("net.om")
            >>> model.unload()
            >>> model(at.zeros(2, 4))
            Traceback (most recent call last):
                ...
            ascendtensor.errors.ClosedError: Model: the model net was unloaded
              Load it again.
        """
        with self._lock:
            if self.closed or self.device.closed:
                self.closed = True
                return
            with self.device.current():
                self.device.activate()
                error = self._wait()
                self._release()
        if error is not None:
            raise error

    def _zeros(self) -> tuple[Any, ...]:
        """Inputs of the model's own shapes."""
        shapes = [each.shape for each in self.inputs]
        if self.gears is not None:
            shapes = list(max(self.gears.shapes, key=lambda shapes: sum(map(math.prod, shapes))))
        if any(each.ranges for each in self.inputs):
            raise ValueRangeError("a model of open shapes is timed with inputs", where="Model.profile", advice="Give some.")
        return tuple(np.zeros(shape, each.dtype.numpy) for shape, each in zip(shapes, self.inputs, strict=True))

    def _wait(self) -> AclError | None:
        if self._last is None:
            return None
        try:
            self._last.synchronize()
        except AclError as error:
            return error
        return None

    def _release(self) -> None:
        self.closed = True
        _live.discard(self)
        self._streams.clear()
        try:
            self._held.release()
        except AclError:
            _dropped.append((self.device, self._held))  # the next load or the shutdown tries again
            raise

    def _check_open(self) -> None:
        if self.closed or self.device.closed:
            raise ClosedError(f"the model {self.name} was unloaded", where="Model", advice="Load it again.")

    # Inputs

    def _given(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        """The inputs in the model's order: tensors, or arrays of their dtypes."""
        if len(args) == 1 and isinstance(args[0], Mapping):
            named, args = {**args[0], **named}, ()
        elif len(args) == 1 and isinstance(args[0], (list, tuple)) and self._lists_inputs(args[0]):
            args = tuple(args[0])
        if not named and len(args) == len(self.inputs):
            return list(map(self._operand, self.inputs, args))
        if len(args) > len(self.inputs):
            raise self._wrong_count(len(args) + len(named))
        values: dict[int, Any] = dict(enumerate(args))
        for name, value in named.items():
            index = self.inputs.position(name)
            if index in values:
                raise ValueRangeError(f"input {self.inputs[index].name!r} is given twice", where=self.name)
            values[index] = value
        if len(values) != len(self.inputs):
            raise self._wrong_count(len(values))
        return [self._operand(self.inputs[index], values[index]) for index in range(len(self.inputs))]

    def _lists_inputs(self, value: Sequence[Any]) -> bool:
        """Whether a list is one of inputs, not nested numbers that are an input themselves."""
        if not value or len(value) != len(self.inputs):
            return False
        return isinstance(value[0], (TensorBase, np.ndarray)) or (len(value) > 1 and not _is_number(value[0]))

    def _wrong_count(self, given: int) -> ValueRangeError:
        return ValueRangeError(f"{given} inputs for a model with {len(self.inputs)}: {', '.join(self.inputs.names)}", where=self.name)

    def _operand(self, tensor: ModelTensor, value: Any) -> Any:
        if isinstance(value, TensorBase):
            if value.dtype is not tensor.dtype:
                raise self._wrong_dtype(tensor, value.dtype.name)
            if value.device is not self.device:
                raise DeviceError(f"input {tensor.name!r} is on {value.device}, the model on {self.device}", where=self.name)
            return value
        if isinstance(value, (np.ndarray, np.generic)):
            array = np.asarray(value)
            if array.dtype != tensor.dtype.numpy and array.dtype.newbyteorder("=") != tensor.dtype.numpy:
                raise self._wrong_dtype(tensor, str(array.dtype))
            return array
        try:
            return host.array_of(value, tensor.dtype)
        except (DTypeError, ShapeError, ValueRangeError) as error:
            raise type(error)(f"input {tensor.name!r}: {error.message}", where=self.name, advice=error.advice) from None

    def _wrong_dtype(self, tensor: ModelTensor, given: str) -> DTypeError:
        advice = f"Cast it: .to({tensor.dtype.name}) of a tensor, .astype of an array."
        return DTypeError(f"input {tensor.name!r} is {tensor.dtype.name}, not {given}", where=self.name, advice=advice)

    def _fit(self, given: list[Shape], pad: bool) -> tuple[list[Shape], int, Cut]:
        """The shapes to run, the gear (-1 for none), and how to cut the outputs."""
        if given == self._shapes:
            return given, -1, None
        if self.gears is not None:
            for gear, shapes in enumerate(self.gears.shapes):
                if list(shapes) == given:
                    return given, gear, None
            choices = list(enumerate(self.gears.shapes))
        elif all(_takes(tensor, shape) for tensor, shape in zip(self.inputs, given, strict=True)):
            return given, -1, None
        else:
            choices = [] if self.open else [(-1, tuple(each.shape for each in self.inputs))]
        if pad:
            fitting = [(batch, gear, shapes, size) for gear, shapes in choices for size, batch in (_padded(given, shapes),) if size > 0]
            if fitting:
                batch, gear, shapes, size = min(fitting)
                return list(shapes), gear, (size, batch)
        raise self._wrong_shape(given, any(_padded(given, shapes)[0] > 0 for _, shapes in choices))

    def _wrong_shape(self, given: Sequence[Shape], smaller: bool) -> ShapeError:
        gears = () if self.gears is None else self.gears.shapes
        legal = " or ".join(map(_shapes, gears)) or ", ".join(map(shown, self.inputs))
        advice = "pad=True fills a smaller batch." if smaller else ""
        if any(tensor.shape and len(tensor.shape) == len(shape) + 1 for tensor, shape in zip(self.inputs, given, strict=True)):
            advice = "One sample is a batch of one: x[None]."
        return ShapeError(f"the model takes {legal}, not {_shapes(given)}", where=self.name, advice=advice)

    def _buffer(self, index: int, value: Any, shape: Shape, stream: Stream) -> DeviceBuffer:
        """Device memory of an input, of the shape that is run."""
        if isinstance(value, TensorBase) and value.shape == shape:
            tensor = plain(value)
            buffer: DeviceBuffer = tensor.buffer
            if buffer.stream is not stream:
                buffer.read_on(stream)
            return buffer
        dtype = self.inputs[index].dtype
        desc = TensorDesc.of(shape, dtype, self.device)
        buffer = stream.pool.lend(desc.block_size, stream)
        if value.shape != shape:
            binding.memset_async(buffer.address, desc.nbytes, 0, desc.nbytes, stream.handle)
        part = TensorDesc.of(tuple(value.shape), dtype, self.device)
        if isinstance(value, TensorBase):
            copies.copy_device(buffer, plain(value).buffer, part.nbytes)
        else:
            copies.copy_into(buffer, np.asarray(value, dtype.numpy), part)
        return buffer

    # Outputs

    def _targets(self, out: Any) -> list[TensorBase | None]:
        """The tensors to write into, in the model's order."""
        if out is None:
            return [None] * len(self.outputs)
        if isinstance(out, TensorBase):
            out = [out]
        if not isinstance(out, (list, tuple, Mapping)):
            raise DTypeError(f"out must be a tensor, or a list, tuple or dict of them, not {type(out).__name__}", where=self.name)
        if isinstance(out, Mapping):
            found: list[TensorBase | None] = [None] * len(self.outputs)
            for name, tensor in out.items():
                found[self.outputs.position(name)] = self._target(tensor)
            return found
        if len(out) != len(self.outputs):
            raise ValueRangeError(f"out has {len(out)} tensors for {len(self.outputs)} outputs", where=self.name)
        return [self._target(tensor) for tensor in out]

    def _target(self, tensor: Any) -> TensorBase:
        if not isinstance(tensor, TensorBase):
            raise DTypeError(f"out must be a tensor, not {type(tensor).__name__}", where=self.name)
        if not base.settle(tensor):
            raise ValueRangeError("out must be contiguous and aligned to 32 bytes", where=self.name, advice="Give a tensor of empty().")
        return tensor

    def _check_apart(self, buffers: list[DeviceBuffer], shapes: list[Shape], targets: list[TensorBase | None]) -> None:
        """An operator of the model may read an input after an output was begun."""
        taken = [
            (buffer.address, buffer.address + math.prod(shape) * tensor.dtype.itemsize)
            for buffer, shape, tensor in zip(buffers, shapes, self.inputs, strict=True)
        ]
        for tensor, target in zip(self.outputs, targets, strict=True):
            if target is None:
                continue
            first = target.buffer.address
            last = first + target.desc.nbytes
            if any(first < end and start < last for start, end in taken):
                text = f"out of output {tensor.name!r} shares its memory with an input or another output"
                raise ValueRangeError(text, where=self.name, advice="Give a tensor of empty().")
            taken.append((first, last))

    def _run(
        self, buffers: list[DeviceBuffer], shapes: list[Shape], gear: int, targets: list[TensorBase | None], cut: Cut, stream: Stream
    ) -> list[Any]:
        with self._lock:
            self._check_open()
            if self._last is not None and self._last is not stream:
                stream.wait_stream(self._last)
            self._last = stream
            if gear >= 0:
                buffers = self._with_gear(buffers, gear, stream)
            if self.open:
                return self._run_open(buffers, shapes, targets, stream)
            results = []
            outputs = []
            made_shapes = self._out_shapes if gear < 0 else self._gear_outputs[gear]
            for tensor, target, shape in zip(self.outputs, targets, made_shapes, strict=True):
                made = self._result(tensor, target, shape, stream)
                outputs.append(made.buffer)
                results.append(made)
            calls.execute_async(self._held.model, self._dataset(buffers), self._dataset(outputs), stream.handle)
        stream.recent.append(self._label)
        return results if cut is None else [_first_rows(result, *cut) for result in results]

    def _result(self, tensor: ModelTensor, target: TensorBase | None, shape: Shape, stream: Stream) -> TensorBase:
        desc = TensorDesc.of(shape, tensor.dtype, self.device)
        if target is None:
            return base.make(base.default_class(), desc, stream.pool.lend(desc.block_size, stream))
        if target.shape != shape or target.dtype is not tensor.dtype or target.device is not self.device:
            text = f"{tensor.dtype.name}{list(shape)} on {self.device}, out is {target.dtype.name}{list(target.shape)} on {target.device}"
            raise ShapeError(f"output {tensor.name!r} is {text}", where=self.name)
        target.buffer.write_on(stream)
        return target

    def _run_open(
        self, buffers: list[DeviceBuffer], shapes: list[Shape], targets: list[TensorBase | None], stream: Stream
    ) -> list[TensorBase]:
        """A run whose output shapes ACL tells.

        The graph engine compares an output with its memory behind the kernel, which has written past the end then: so an output goes
        straight into a tensor of the caller's only where its upper bound fits, and one without a bound into memory of ACL's own.
        """
        inputs = self._dataset(buffers)
        for index, (tensor, shape) in enumerate(zip(self.inputs, shapes, strict=True)):
            calls.set_dataset_tensor_desc(inputs, TensorDesc.of(shape, tensor.dtype, self.device).handle(), index)
        if all(each.nbytes for each in self.outputs):
            made = [
                _written(target, stream)
                if target is not None and target.desc.nbytes >= tensor.nbytes
                else stream.pool.lend(size_class(tensor.nbytes), stream)
                for tensor, target in zip(self.outputs, targets, strict=True)
            ]
            outputs = self._dataset(made)
            calls.execute_async(self._held.model, inputs, outputs, stream.handle)
            found = [binding.get_tensor_desc_dims(calls.get_dataset_tensor_desc(outputs, index)) for index in range(len(made))]
        else:
            made, found = self._run_unbounded(inputs, stream)
        stream.recent.append(self._label)
        return [
            self._shaped(tensor, shape, buffer, target, stream)
            for tensor, shape, buffer, target in zip(self.outputs, found, made, targets, strict=True)
        ]

    def _run_unbounded(self, inputs: int, stream: Stream) -> tuple[list[DeviceBuffer], list[Shape]]:
        """A run into memory that ACL allocates, which only the call that waits does (MDL-24); and the outputs' shapes."""
        stream.synchronize()
        made: list[DeviceBuffer] = []
        handles: list[int] = []
        outputs = 0
        with HeldInterrupts():
            try:
                handles.extend(binding.create_data_buffer(0, 0) for _ in self.outputs)
                outputs = calls.create_dataset(handles)
                calls.execute(self._held.model, inputs, outputs)
                shapes = [binding.get_tensor_desc_dims(calls.get_dataset_tensor_desc(outputs, index)) for index in range(len(handles))]
                for tensor, shape, handle in zip(self.outputs, shapes, handles, strict=True):
                    desc = TensorDesc.of(shape, tensor.dtype, self.device)
                    buffer = stream.pool.lend(desc.block_size, stream)  # unused since the stream was waited for
                    if desc.nbytes:
                        address = binding.get_data_buffer_addr(handle)
                        binding.memcpy(buffer.address, desc.nbytes, address, desc.nbytes, int(MemcpyKind.DEVICE_TO_DEVICE))
                    made.append(buffer)
            finally:
                _give_back(outputs, handles)
        return made, shapes

    def _shaped(self, tensor: ModelTensor, shape: Shape, buffer: DeviceBuffer, target: TensorBase | None, stream: Stream) -> TensorBase:
        """An output of a shape that the run told: a new tensor over its memory, or the caller's."""
        desc = TensorDesc.of(shape, tensor.dtype, self.device)
        if target is None:
            return base.make(base.default_class(), desc, buffer)
        if target.shape != shape:
            raise ShapeError(f"output {tensor.name!r} has shape {list(shape)}, out {list(target.shape)}", where=self.name)
        if buffer is not target.buffer:
            copies.copy_device(_written(target, stream), buffer, desc.nbytes)
        return target

    def _dataset(self, buffers: list[DeviceBuffer]) -> int:
        """A dataset of these buffers, made once while they come back."""
        key = tuple(buffer.data_buffer for buffer in buffers)
        found = self._held.datasets.get(key)
        if found is not None:
            self._held.datasets.move_to_end(key)
            return found
        if len(self._held.datasets) >= DATASETS_KEPT:
            if self._last is not None:
                self._last.synchronize()
            oldest = next(iter(self._held.datasets))
            calls.destroy_dataset(self._held.datasets[oldest])
            del self._held.datasets[oldest]
        with HeldInterrupts():
            made = self._held.datasets[key] = calls.create_dataset(list(key))
        return made

    def _with_gear(self, buffers: list[DeviceBuffer], gear: int, stream: Stream) -> list[DeviceBuffer]:
        """The buffers with that of the gear, whose memory never changes: runs that are still queued read it."""
        assert self.gears is not None
        buffer = self._held.gears.get(gear)
        if buffer is None:
            # Exactly as long as the model says: the graph engine writes int64 where there is room, which a model of int32 misreads.
            buffer = stream.pool.buffer(self._carrier_bytes, stream).window(0, self._carrier_bytes)
            stream.synchronize()  # the value is written at once
            self._held.gears[gear] = buffer
        found = [*buffers[: self._carrier], buffer, *buffers[self._carrier :]]
        dataset = self._dataset(found)
        values = list(self.gears.values[gear])
        if self.gears.kind == "batch":
            calls.set_dynamic_batch_size(self._held.model, dataset, self._carrier, values[0])
        elif self.gears.kind == "image":
            calls.set_dynamic_hw_size(self._held.model, dataset, self._carrier, values[0], values[1])
        else:
            calls.set_input_dynamic_dims(self._held.model, dataset, self._carrier, values)
        if gear not in self._gear_outputs:
            self._gear_outputs[gear] = [tuple(calls.output_dims(self._held.desc, index)) for index in range(len(self.outputs))]
        return found


def _count(value: int, name: str, where: str) -> int:
    """An int of 1 or more."""
    try:
        number = operator.index(value)
    except TypeError:
        raise DTypeError(f"{name} is an int, not {type(value).__name__}", where=where) from None
    if number < 1:
        raise ValueRangeError(f"{name} must be 1 or more, not {number}", where=where)
    return number


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex))


def _takes(tensor: ModelTensor, shape: Shape) -> bool:
    if not tensor.ranges:
        return tuple(shape) == tensor.shape
    return len(shape) == len(tensor.ranges) and all(
        low <= size and (size <= high or high < 0) for size, (low, high) in zip(shape, tensor.ranges, strict=True)
    )


def _padded(given: Sequence[Shape], shapes: Sequence[Shape]) -> tuple[int, int]:
    """Rows that are given and rows that are wanted, where some inputs lack rows, all as many, and the others fit; else (-1, -1)."""
    sizes: set[tuple[int, int]] = set()
    for mine, wanted in zip(given, shapes, strict=True):
        if mine != wanted:
            if not mine or not wanted or mine[1:] != wanted[1:]:
                return -1, -1
            sizes.add((mine[0], wanted[0]))
    size, batch = sizes.pop() if len(sizes) == 1 else (-1, -1)
    return (size, batch) if 0 < size < batch else (-1, -1)


def _shapes(shapes: Iterable[Shape]) -> str:
    return ", ".join(str(list(shape)) for shape in shapes)


def _first_rows(result: TensorBase, size: int, batch: int) -> TensorBase:
    """What a padded batch gives of an output with a row for each."""
    if not result.shape or result.shape[0] != batch:
        return result
    shape = (size, *result.shape[1:])
    return base.view(result, shape, base.element_strides(result), base.element_offset(result))


def _written(target: TensorBase, stream: Stream) -> DeviceBuffer:
    target.buffer.write_on(stream)
    return target.buffer


def _give_back(dataset: int, handles: Sequence[int]) -> None:
    """A dataset, its data buffers, and the memory that ACL put into them."""
    if dataset:
        calls.destroy_dataset(dataset)
    for handle in handles:
        address = binding.get_data_buffer_addr(handle)
        if address:
            binding.free(address)
        binding.destroy_data_buffer(handle)


def describe_loaded(identifier: int, device: Device, name: str, memory: list[DeviceBuffer], origin: tuple[object, ...] = ()) -> Model:
    """The model of an id.

    Raises:
        ValueRangeError: A model of open shapes in managed memory (MDL-5).
    """
    desc = calls.create_desc()
    try:
        calls.get_desc(desc, identifier)
        return Model(identifier, desc, device, name, memory, origin)
    except BaseException:
        calls.destroy_desc(desc)
        raise


def collect() -> None:
    """Give back the models whose objects are gone."""
    while _dropped:
        owner, held = _dropped.popleft()
        if not owner.closed:
            with owner.current():
                owner.synchronize()
                try:
                    held.release()
                except AclError:
                    _dropped.append((owner, held))
                    raise


def _unload_all() -> None:
    for model in list(_live):
        if not model.closed and not model.device.closed:
            with model.device.current():
                model.device.activate()
                with suppress(AclError):  # tried again below
                    model._release()
    failed: AclError | None = None
    while _dropped:
        owner, held = _dropped.popleft()
        if not owner.closed:
            with owner.current():
                owner.activate()
                try:
                    held.release()
                except AclError as error:
                    failed = failed or error
    if failed is not None:
        raise failed


devices.on_shutdown(_unload_all)
