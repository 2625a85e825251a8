"""Chebyshev interpolation of functions that are known by a slow formula: fitted in float64 at the first use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ascendtensor.simulator.kernels.registry import Array

SLOWLY = Callable[[Array], Array]


class Fit:
    """A polynomial through the values of a function at Chebyshev points between two ends, evaluated by Clenshaw's recurrence."""

    __slots__ = ("_coefficients", "_degree", "_function", "_high", "_low")

    def __init__(self, function: SLOWLY, low: float, high: float, degree: int) -> None:
        self._function = function
        self._low = low
        self._high = high
        self._degree = degree
        self._coefficients: list[float] | None = None

    def _known(self) -> list[float]:
        if self._coefficients is None:
            count = self._degree + 1
            angles = (np.arange(count) + 0.5) * (np.pi / count)
            values = self._function((self._high + self._low) / 2 + (self._high - self._low) / 2 * np.cos(angles))
            found = 2 / count * (np.cos(np.outer(np.arange(count), angles)) @ values)
            found[0] /= 2
            self._coefficients = found.tolist()
        return self._coefficients

    def __call__(self, x: Array) -> Array:
        """The values at points between the ends."""
        first, *rest = self._known()
        twice = x * (4 / (self._high - self._low))
        twice -= 2 * (self._high + self._low) / (self._high - self._low)
        last, before, spare = np.zeros_like(x), np.zeros_like(x), np.empty_like(x)
        for coefficient in reversed(rest):
            np.multiply(twice, last, spare)
            np.subtract(spare, before, spare)
            np.add(spare, coefficient, spare)
            last, before, spare = spare, last, before
        np.multiply(twice, last, spare)
        spare *= 0.5
        spare -= before
        spare += first
        return spare


def pick(out: Array, condition: Array, function: Callable[[Array], Array], x: Array) -> None:
    """Writes a function of the elements for which a condition holds."""
    if condition.all():
        out[...] = function(x)
    elif condition.any():
        out[condition] = function(x[condition])
