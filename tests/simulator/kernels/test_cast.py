"""Cast between all dtypes: saturation, rounding, the same answer at every position."""

import warnings

import ml_dtypes
import numpy as np
import pytest

from ascendtensor.simulator.kernels import registry

BF16 = np.dtype(ml_dtypes.bfloat16)
CODES = registry.ACL_OF
INTS = [np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)]
FLOATS = [np.dtype(np.float16), BF16, np.dtype(np.float32), np.dtype(np.float64)]


def cast(x, dtype):
    dtype = np.dtype(dtype)
    out = np.full(x.shape, 1, dtype)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        fn, args = registry.lookup("Cast").bind([x], [out], {"dst_type": CODES[dtype]})
        fn(*args)
    return out


@pytest.mark.parametrize("target", INTS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
@pytest.mark.parametrize("length", [1, 3, 9, 17, 40000])
def test_float_to_integer_truncates_and_saturates_at_every_position(source, target, length):
    info = np.iinfo(target)
    for value in (np.inf, -np.inf, np.nan, 1e30, -1e30, 2.0**31, 2.0**63, 2.0**64, 300.0, -129.0, 2.9, -2.9, -0.5, 255.0, 65504.0):
        with np.errstate(all="ignore"):
            x = np.full(length, value).astype(source)
        exact = float(x[0])
        clipped = info.max if exact >= info.max else info.min if exact <= info.min else exact
        want = 0 if np.isnan(exact) else int(clipped)
        assert set(cast(x, target).tolist()) == {want}, (value, want)
    mixed = np.resize(np.array([1.5, np.nan, -1.5, np.inf], source), length)
    low = 0 if info.min == 0 else -1
    assert cast(mixed, target).tolist() == np.resize(np.array([1, 0, low, info.max], object), length).tolist()


@pytest.mark.parametrize("source", [*INTS, *FLOATS], ids=str)
@pytest.mark.parametrize("target", [*INTS, *FLOATS], ids=str)
def test_small_numbers_survive_every_cast(source, target):
    for size in (4, 40000):
        x = np.resize(np.array([0, 1, 5, 100]), size).astype(source)
        assert cast(x, target).astype(int).tolist() == x.astype(int).tolist()
    assert cast(np.array(7).astype(source), target).shape == ()
    assert cast(np.zeros((0, 3), source), target).shape == (0, 3)


def test_integers_wrap():
    assert cast(np.array([300, -1], np.int32), np.uint8).tolist() == [44, 255]
    assert cast(np.array([2**40 + 5], np.int64), np.int32).tolist() == [5]


@pytest.mark.parametrize("source", [*INTS, *FLOATS, np.dtype(np.complex64)], ids=str)
def test_bool_is_not_zero(source):
    x = np.resize(np.array([0, 1, 2, 0]), 40000).astype(source)
    assert np.array_equal(cast(x, np.bool_), x.astype(int) != 0 if source.kind != "c" else x != 0)
    assert cast(np.array([True, False]), source).astype(source).tolist() == np.array([1, 0]).astype(source).tolist()
    if source in FLOATS:
        assert cast(np.array([np.nan, -0.0, 0.0, 1e-7], source), np.bool_).tolist() == [True, False, False, True]


def test_float32_to_halves_rounds_to_even():
    x = np.array([1 + 2**-11, 1 + 3 * 2**-11, 65519.0, 65520.0, 2.0**-25, -0.0], np.float32)
    half = cast(x, np.float16)
    assert half.tolist() == [1.0, 1 + 2**-9, 65504.0, np.inf, 0.0, -0.0] and np.signbit(half[-1])
    x = np.array([1 + 2**-8, 1 + 3 * 2**-8, -0.0, np.nan], np.float32)
    brain = cast(x, BF16).astype(np.float32)
    assert brain[:3].tolist() == [1.0, 1 + 2**-6, -0.0] and np.isnan(brain[3])
    assert np.signbit(brain[2])


def test_complex_to_real_drops_the_imaginary_part_quietly():
    assert cast(np.array([1 + 2j, 3 - 1j], np.complex64), np.float32).tolist() == [1.0, 3.0]
    assert cast(np.array([1.7 + 2j], np.complex128), np.int32).tolist() == [1]
    assert cast(np.array([2.5], np.float32), np.complex64).tolist() == [2.5 + 0j]


def test_rule_reads_the_type_attribute():
    rule = registry.infer_rule("Cast")
    assert rule([registry.Meta(0, (2, -1))], {"dst_type": 9}, 1)[0] == (9, (2, -1), ((2, 2), (1, -1)))
