"""Switches of gradient recording: code that was written for inference in PyTorch runs as it is."""

from __future__ import annotations

from typing import Any

import pytest

import ascendtensor as at


def test_contexts_and_decorators_leave_results_and_functions_as_they_are() -> None:
    x = at.arange(3)

    def doubled(y: Any) -> Any:
        """Twice y."""
        return y * 2

    for context in (at.no_grad(), at.inference_mode(), at.inference_mode(False), at.inference_mode(mode=True), at.set_grad_enabled(False)):
        with context, context:  # again, and inside itself
            assert (x * 2).tolist() == [0, 2, 4]
        assert context(doubled) is doubled
    assert at.no_grad(doubled) is doubled and at.inference_mode(doubled) is doubled
    assert not at.is_grad_enabled() and at.is_inference_mode_enabled()


def test_errors_leave_a_context_as_they_came() -> None:
    with pytest.raises(at.ShapeError, match="add"), at.no_grad():
        at.ones(2) + at.ones(3)


def test_nothing_switches_recording_on() -> None:
    with pytest.raises(at.AutogradError, match="set_grad_enabled: autograd is not there yet"):
        at.set_grad_enabled(True)
    with pytest.raises(AttributeError, match="enable_grad"):
        at.enable_grad()
