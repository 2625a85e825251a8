"""Tensors made of numbers and bytes: memory, defaults, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from harness import d, host

import ascendtensor as at


def test_a_strided_tensor_has_the_steps_that_were_asked_for() -> None:
    tensor = at.empty_strided((2, 3), (1, 2), dtype=d.int32)
    assert (tensor.shape, tensor.stride(), tensor.dtype) == ((2, 3), (1, 2), d.int32)
    tensor.copy_(at.tensor(np.arange(6).reshape(2, 3)))
    np.testing.assert_array_equal(host(tensor), np.arange(6).reshape(2, 3))
    assert at.empty_strided((0, 3), (7, 9)).shape == (0, 3) and at.empty_strided((), ()).shape == ()
    assert at.empty_strided((3, 4), (0, 1)).stride() == (0, 1)
    with pytest.raises(ValueError, match="1 steps for 2 dimensions"):
        at.empty_strided((2, 3), (1,))
    with pytest.raises(ValueError, match="negative"):
        at.empty_strided((2,), (-1,))


def test_ranges_of_integers_are_counted_in_integers() -> None:
    np.testing.assert_array_equal(host(at.arange(1.5, 5.9, 2.9, dtype=d.int64)), [1, 3])
    with pytest.raises(ValueError, match="a step of 0"):
        at.arange(0, 1, 0.1, dtype=d.int64)
    assert at.range(0, 4).dtype is d.float32 and at.range(5).shape == (6,)


def test_a_number_of_combinations_that_is_known_makes_no_dynamic_shape() -> None:
    choices = at.combinations(at.arange(60), 3)
    assert choices.shape == (34220, 3)
    assert host(choices[-1]).tolist() == [57, 58, 59]
    assert at.combinations(at.arange(3), 0).shape == (0,)


def test_places_of_a_triangle_are_its_indices() -> None:
    whole = np.arange(20).reshape(4, 5)
    rows, columns = at.tril_indices(4, 5, -1)
    np.testing.assert_array_equal(host(at.tensor(whole)[rows, columns]), whole[np.tril_indices(4, -1, 5)])


def test_a_copy_of_a_tensor_is_made_of_every_dtype() -> None:
    for dtype in d.ALL:
        source = at.ones(3, dtype=dtype)
        copy = at.asarray(source, copy=True)
        source.fill_(0)
        np.testing.assert_array_equal(host(copy), np.ones(3, dtype.numpy))
        assert at.asarray(source) is source and at.asarray(source, copy=False) is source


def test_tensors_are_made_in_others() -> None:
    made = {
        "zeros": (lambda out: at.zeros(4, out=out), np.zeros(4)),
        "ones": (lambda out: at.ones((4,), out=out), np.ones(4)),
        "full": (lambda out: at.full((4,), 2, out=out), np.full(4, 2)),
        "arange": (lambda out: at.arange(2, 6, out=out), np.arange(2, 6)),
        "range": (lambda out: at.range(2, 5, out=out), np.arange(2, 6)),
        "linspace": (lambda out: at.linspace(0, 6, 4, out=out), np.linspace(0, 6, 4)),
        "logspace": (lambda out: at.logspace(0, 3, 4, out=out), np.logspace(0, 3, 4)),
    }
    for dtype in (d.float32, d.int64, d.float16):
        for name, (make, expected) in made.items():
            whole = at.full((4, 2), 9, dtype=dtype)
            target = whole[:, 1]
            assert make(target) is target, name
            np.testing.assert_array_equal(host(target), expected.astype(dtype.numpy), name)
            assert (host(whole)[:, 0] == 9).all(), name
    target = at.empty(2, 3, dtype=d.complex64)
    np.testing.assert_array_equal(host(at.eye(2, 3, out=target)), np.eye(2, 3))
    with pytest.raises(ValueError, match="shape"):
        at.zeros(5, out=at.ones(4))
    with pytest.raises(TypeError, match="out"):
        at.ones(4, out=3)
