"""The demo: scanned handwritten digits, classified by two small networks trained with hand-written gradients.

Everything between the upload of the images and the printed figures is NPU tensors. The same algorithm runs in NumPy float64 beside it,
and the losses of the two are compared.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import creation, deferred, dtypes, errors, runtime
from ..dtypes import dtype as DType
from ..errors import AscendTensorError, ValueRangeError
from ..launch.registry import handle_cache

Array: TypeAlias = "npt.NDArray[Any]"

CLASSES: Final = 10
HIDDEN: Final = 64
BATCH: Final = 48
RATE: Final = 0.3
DTYPES: Final = ("float16", "float32", "bfloat16")
TOLERANCE: Final = {"float32": 1e-3, "float16": 2e-2, "bfloat16": 0.2}
"""Largest relative difference to the float64 losses."""


@dataclass
class Digits:
    """Images as rows of 64 brightnesses in 0..1, and their digits; a quarter held out."""

    train: Array
    train_digits: Array
    test: Array
    test_digits: Array


def load(samples: int | None = None) -> Digits:
    """The scanned digits that scikit-learn ships, in a fixed random order.

    Args:
        samples: How many of the 1,797 to use; all by default.

    Raises:
        ValueRangeError: Fewer than 100 samples, or more than there are.
        AscendTensorError: The extra `demo` is not installed.
    """
    images, digits = _extra("sklearn.datasets").load_digits(return_X_y=True)
    count = len(images) if samples is None else samples
    if not 100 <= count <= len(images):
        raise ValueRangeError(f"--samples must lie between 100 and {len(images)}, got {count}").with_context("demo")
    order = np.random.default_rng(0).permutation(len(images))[:count]
    images, digits = images[order] / 16.0, digits[order]
    held_out = count // 4
    return Digits(images[held_out:], digits[held_out:], images[:held_out], digits[:held_out])


def _extra(module: str) -> Any:
    """A module of the extra "demo", which takes longer to import than other commands take in all."""
    try:
        return deferred.load(module)
    except ImportError as missing:
        raise AscendTensorError(f"demo: {missing.name} is not installed", advice="pip install 'ascendtensor[demo]'") from None


def initial_weights(layers: Sequence[int]) -> list[Array]:
    """Weights and biases, alternating, the same for both backends."""
    generator = np.random.default_rng(1)
    parameters: list[Array] = []
    for size, following in itertools.pairwise(layers):
        parameters += [generator.normal(0.0, (2.0 / size) ** 0.5, (size, following)), np.zeros(following)]
    return parameters


def train_on_npu(
    digits: Digits, layers: Sequence[int], epochs: int, dtype: DType, device: str, tick: Callable[[], None]
) -> tuple[list[float], float]:
    """Mean loss of each epoch and accuracy on the held-out digits, computed with NPU tensors.

    The weights are kept in float32 and used in `dtype`, as is usual for half precision.
    """
    images = creation.tensor(digits.train, dtype=dtype, device=device)
    labels = creation.tensor(digits.train_digits, dtype=dtypes.int64, device=device)
    classes = creation.arange(CLASSES, device=device)
    one_hot = (labels.unsqueeze(1) == classes).to(dtype)
    parameters = [creation.tensor(each, dtype=dtypes.float32, device=device) for each in initial_weights(layers)]
    losses = []
    for _ in range(epochs):
        parts = []
        for start in range(0, len(images), BATCH):
            x, wanted = images[start : start + BATCH], one_hot[start : start + BATCH]
            weights = [each.to(dtype) for each in parameters]
            loss, gradients = _step(x, wanted, weights)
            parts.append(loss)
            scale = RATE / len(x)
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= gradient.to(dtypes.float32) * scale
            tick()
        losses.append(sum(part.item() for part in parts) / len(images))
    weights = [each.to(dtype) for each in parameters]
    scores = _scores(creation.tensor(digits.test, dtype=dtype, device=device), weights)[-1]
    expected = creation.tensor(digits.test_digits, dtype=dtypes.int64, device=device)
    right = (scores.argmax(dim=1) == expected).to(dtypes.float32).mean().item()
    return losses, float(right)


def _scores(x: Any, weights: Sequence[Any]) -> list[Any]:
    """Input of each layer, and last the scores."""
    flow = [x]
    for index in range(0, len(weights), 2):
        x = x @ weights[index] + weights[index + 1]
        if index + 2 < len(weights):
            x = x.where(x > 0, 0.0)  # ReLU
        flow.append(x)
    return flow


def _step(x: Any, wanted: Any, weights: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Summed cross-entropy of a batch, and its gradient by every weight and bias."""
    flow = _scores(x, weights)
    scores = flow[-1]
    shifted = scores - scores.max(dim=1, keepdim=True).values
    grown = shifted.exp()
    total = grown.sum(dim=1, keepdim=True)
    loss = (total.log() - (shifted * wanted).sum(dim=1, keepdim=True)).to(dtypes.float32).sum()
    error = grown / total - wanted
    gradients: list[Any] = []
    for index in range(len(weights) - 2, -1, -2):
        below = flow[index // 2]
        gradients = [below.T @ error, error.sum(dim=0), *gradients]
        if index:
            back = error @ weights[index].T
            error = back.where(below > 0, 0.0)
    return loss, gradients


def train_in_float64(digits: Digits, layers: Sequence[int], epochs: int) -> list[float]:
    """Mean loss of each epoch, by the same algorithm in NumPy float64."""
    parameters = initial_weights(layers)
    one_hot = (digits.train_digits[:, None] == np.arange(CLASSES)).astype(np.float64)
    losses = []
    for _ in range(epochs):
        spent = 0.0
        for start in range(0, len(digits.train), BATCH):
            x, wanted = digits.train[start : start + BATCH], one_hot[start : start + BATCH]
            loss, gradients = _step_in_float64(x, wanted, parameters)
            spent += loss
            parameters = [each - RATE / len(x) * gradient for each, gradient in zip(parameters, gradients, strict=True)]
        losses.append(spent / len(digits.train))
    return losses


def _step_in_float64(x: Array, wanted: Array, weights: Sequence[Array]) -> tuple[float, list[Array]]:
    flow = [x]
    for index in range(0, len(weights), 2):
        x = x @ weights[index] + weights[index + 1]
        flow.append(np.maximum(x, 0.0) if index + 2 < len(weights) else x)
        x = flow[-1]
    shifted = x - x.max(axis=1, keepdims=True)
    grown = np.exp(shifted)
    total = grown.sum(axis=1, keepdims=True)
    loss = float((np.log(total) - (shifted * wanted).sum(axis=1, keepdims=True)).sum())
    error = grown / total - wanted
    gradients: list[Array] = []
    for index in range(len(weights) - 2, -1, -2):
        below = flow[index // 2]
        gradients = [below.T @ error, error.sum(axis=0), *gradients]
        if index:
            error = np.where(below > 0, error @ weights[index].T, 0.0)
    return loss, gradients


# The command


@dataclass
class Report:
    """What is printed at the end."""

    losses: dict[str, float] = field(default_factory=dict)
    accuracies: dict[str, float] = field(default_factory=dict)
    differences: dict[str, float] = field(default_factory=dict)


MODELS: Final = {"softmax": (64, CLASSES), "hidden layer": (64, HIDDEN, CLASSES)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `python -m ascendtensor demo`."""
    parser.add_argument("--samples", type=int, help="how many of the 1,797 digits to use (default: all)")
    parser.add_argument("--epochs", type=int, default=30, help="passes over the training digits (default: 30)")
    parser.add_argument("--device", default="npu", help='device, such as "npu:1" or 1 (default: the current one)')
    parser.add_argument("--dtype", choices=DTYPES, default="float32", help="dtype of the arithmetic (default: float32)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Train both models, compare them with NumPy float64, print what happened. Gives 1 where a loss is off by more than the tolerance."""
    if options.epochs < 1:
        raise ValueRangeError(f"--epochs must be at least 1, got {options.epochs}").with_context("demo")
    progress_bars, console = _extra("rich.progress"), _extra("rich.console").Console(stderr=True)
    digits = load(options.samples)
    device = f"npu:{options.device}" if options.device.isdecimal() else options.device
    dtype = dtypes.as_dtype(options.dtype)
    began = time.perf_counter()
    report = Report()
    batches = -(-len(digits.train) // BATCH)
    with progress_bars.Progress(transient=True, console=console, disable=not sys.stderr.isatty()) as progress:
        for name, layers in MODELS.items():
            task = progress.add_task(f"{name}, {dtype.name}", total=options.epochs * batches)
            losses, accuracy = train_on_npu(digits, layers, options.epochs, dtype, device, functools.partial(progress.advance, task))
            expected = train_in_float64(digits, layers, options.epochs)
            report.losses[name], report.accuracies[name] = losses[-1], accuracy
            report.differences[name] = max(abs(loss - wanted) / wanted for loss, wanted in zip(losses, expected, strict=True))
    elapsed = time.perf_counter() - began
    for line in lines(report, digits, dtype, device, elapsed):
        print(line)
    return int(any(difference > TOLERANCE[dtype.name] for difference in report.differences.values()))


def lines(report: Report, digits: Digits, dtype: DType, device: str, elapsed: float) -> Iterator[str]:
    """The report, line by line; the last one is the accuracy of the hidden-layer model."""
    cache, memory = handle_cache.info(), runtime.memory_stats(device)
    yield f"backend: {runtime.backend()}, SoC {runtime.soc_name()}"
    yield f"digits: {len(digits.train):,} to train on, {len(digits.test):,} held out; arithmetic in {dtype.name}"
    yield f"  {'model':14}{'last loss':>11}{'held out, right':>18}{'off NumPy float64':>20}{'allowed':>10}"
    for name, loss in report.losses.items():
        right = f"{100 * report.accuracies[name]:.1f} %"
        yield f"  {name:14}{loss:11.4f}{right:>18}{report.differences[name]:20.1e}{TOLERANCE[dtype.name]:10g}"
    yield "  (off: the largest relative difference between the losses here and the same training in NumPy)"
    launches = handle_cache.launches()
    yield f"operators launched: {sum(launches.values()):,}"
    yield from _table(sorted(launches.items(), key=lambda item: -item[1]))
    yield (
        f"op handles: {cache.hits:,} hits, {cache.misses:,} misses, {cache.loaded_models:,} models loaded, "
        f"{1e3 * cache.compile_seconds:.0f} ms compiling"
    )
    yield f"dynamic launches: {cache.dynamic_launches:,}"
    yield f"device memory: {_size(memory['allocated'])} used, {_size(memory['peak_allocated'])} peak, {_size(memory['cached'])} cached"
    yield f"copied: {_size(memory['to_device'])} to the device, {_size(memory['to_host'])} back"
    yield f"elapsed: {elapsed:.1f} s"
    yield f"held-out accuracy: {100 * report.accuracies['hidden layer']:.1f} %"


def _table(counts: Sequence[tuple[str, int]], columns: int = 4) -> Iterator[str]:
    width = max((len(name) for name, _ in counts), default=0)
    for start in range(0, len(counts), columns):
        yield "  " + "   ".join(f"{name:{width}} {count:>7,}" for name, count in counts[start : start + columns])


def _size(count: int) -> str:
    return errors.describe_bytes(count)
