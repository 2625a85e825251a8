"""Tensors made of numbers and bytes: memory, defaults, what is refused."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any, Final

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


_X: Final = at.arange(4.0)
MAKERS: Final[dict[str, Callable[..., Any]]] = {
    "tensor": lambda **options: at.tensor([1.0], **options),
    "scalar_tensor": lambda **options: at.scalar_tensor(1.0, **options),
    "frombuffer": lambda **options: at.frombuffer(b"1", dtype=at.uint8, **options),
    "empty": lambda **options: at.empty(2, **options),
    "empty_strided": lambda **options: at.empty_strided((2,), (1,), **options),
    "zeros": lambda **options: at.zeros(2, **options),
    "ones": lambda **options: at.ones(2, **options),
    "full": lambda **options: at.full((2,), 1, **options),
    "arange": lambda **options: at.arange(2, **options),
    "range": lambda **options: at.range(2, **options),
    "linspace": lambda **options: at.linspace(0, 1, 2, **options),
    "logspace": lambda **options: at.logspace(0, 1, 2, **options),
    "eye": lambda **options: at.eye(2, **options),
    "tril_indices": lambda **options: at.tril_indices(2, 2, **options),
    "triu_indices": lambda **options: at.triu_indices(2, 2, **options),
    "empty_like": lambda **options: at.empty_like(_X, **options),
    "zeros_like": lambda **options: at.zeros_like(_X, **options),
    "ones_like": lambda **options: at.ones_like(_X, **options),
    "full_like": lambda **options: at.full_like(_X, 1, **options),
    "rand": lambda **options: at.rand(2, **options),
    "randn": lambda **options: at.randn(2, **options),
    "randint": lambda **options: at.randint(2, (2,), **options),
    "randperm": lambda **options: at.randperm(2, **options),
    "normal": lambda **options: at.normal(0.0, 1.0, (2,), **options),
    "rand_like": lambda **options: at.rand_like(_X, **options),
    "randn_like": lambda **options: at.randn_like(_X, **options),
    "randint_like": lambda **options: at.randint_like(_X, 2, **options),
    "hann_window": lambda **options: at.hann_window(3, **options),
    "hamming_window": lambda **options: at.hamming_window(3, **options),
    "kaiser_window": lambda **options: at.kaiser_window(3, **options),
    "fftfreq": lambda **options: at.fft.fftfreq(3, **options),
    "new_zeros": lambda **options: _X.new_zeros(2, **options),
    "new_full": lambda **options: _X.new_full((2,), 1, **options),
    "new_tensor": lambda **options: _X.new_tensor([1.0], **options),
}


@pytest.mark.parametrize("name", MAKERS)
def test_what_makes_tensors_takes_pytorchs_options_by_name(name: str) -> None:
    make = MAKERS[name]
    plain = make(layout=at.strided, pin_memory=False, requires_grad=False)
    assert plain.is_contiguous() and plain.layout is at.strided
    assert make(layout=None, pin_memory=None, requires_grad=None).shape == plain.shape
    with pytest.raises(NotImplementedError, match="no memory is pinned"):
        make(pin_memory=True)
    with pytest.raises(NotImplementedError, match="autograd is not there yet"):
        make(requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"layout can be ascendtensor\.strided, not 'csr'"):
        make(layout="csr")
    with pytest.raises(TypeError, match="requires_grad must be a bool, not the int 1"):
        make(requires_grad=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'names'"):
        make(names=None)
    if name == "empty" or name.endswith("_like"):
        assert make(memory_format=at.preserve_format).shape == make().shape
        with pytest.raises(NotImplementedError, match="memory_format can be"):
            make(memory_format="channels_last")
    else:
        with pytest.raises(TypeError, match="unexpected keyword argument 'memory_format'"):
            make(memory_format=at.contiguous_format)


def test_copies_are_row_major_by_every_word() -> None:
    turned = at.arange(6).reshape(2, 3).T
    for made in (
        turned.contiguous(memory_format=at.contiguous_format),
        turned.clone(memory_format=at.preserve_format),
        turned.to(at.int32, memory_format=at.contiguous_format),
    ):
        assert made.is_contiguous(memory_format=at.contiguous_format) and made.tolist() == turned.tolist()
    for call in (turned.contiguous, turned.clone, turned.to, turned.is_contiguous, turned.cpu):
        with pytest.raises(NotImplementedError, match="memory_format can be"):
            call(memory_format="channels_last")
    for word in (at.strided, at.contiguous_format, at.preserve_format):
        assert copy.deepcopy(word) is word and pickle.loads(pickle.dumps(word)) is word


def test_an_empty_tensor_can_be_one_that_is_there() -> None:
    out = at.ones(2, 3, dtype=at.float16)
    assert at.empty(2, 3, out=out) is out and out.dtype is at.float16
    with pytest.raises(ValueError, match="shape"):
        at.empty(3, out=out)
