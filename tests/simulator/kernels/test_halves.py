"""float16 and bfloat16: conversions, tables and work on bits, on both sides of every size from which another way is taken."""

import itertools

import ml_dtypes
import numpy as np
import pytest

from ascendtensor import simulator
from ascendtensor.simulator.kernels import half_bits, half_tables, halves, lookup, scan
from ascendtensor.simulator.kernels.registry import ACL_OF

F16, BF16, F32 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), np.dtype(np.float32)
EVERY = np.arange(1 << 16, dtype=np.uint16)


def run(op_type, inputs, out, attrs=None):
    fn, args = lookup(op_type).bind(inputs, [out], attrs or {})
    with np.errstate(all="ignore"):
        fn(*args)
    return out


def axes(*numbers):
    array = np.array(numbers, np.int64)
    array.flags.writeable = False
    return array


def every(dtype, size, seed=0):
    """Halves in a random order, every one where there is room for all."""
    order = np.random.default_rng(seed).permutation(1 << 16)
    return np.resize(EVERY[order], size).view(dtype)


def same(got, want):
    """The same bits, or both NaN."""
    kind = np.dtype(f"u{got.itemsize}")
    with np.errstate(all="ignore"):
        nothing = np.isnan(got.astype(np.float32)) & np.isnan(want.astype(np.float32))
    return got.dtype == want.dtype and bool(((got.view(kind) == want.view(kind)) | nothing).all())


LIMITS = sorted({1, 2047, 2048, 2559, 2560, 5119, 5120, 10000, 65535, 65536, 65537, 140000})
KINDS = {
    "all": lambda x: x,
    "finite": lambda x: np.where(np.isfinite(x), x, F16.type(-0.0)),
    "positive": lambda x: np.abs(np.where(np.isfinite(x), x, F16.type(0.0))),
    "one infinity": lambda x: np.concatenate([KINDS["positive"](x)[1:], [F16.type(np.inf)]]),
    "one negative NaN": lambda x: np.concatenate([KINDS["positive"](x)[1:], [-F16.type(np.nan)]]),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", LIMITS)
def test_every_float16_is_the_same_as_float32_and_back(size, kind):
    x = KINDS[kind](every(F16, size)).astype(F16)
    wide = np.empty(size, F32)
    halves.widen_all(x, wide)
    assert same(wide, x.astype(F32))
    back, again = np.empty(size, F16), np.empty(size, F16)
    halves.narrow(wide, back)
    halves.store(wide, again)
    assert same(back, x) and same(again, x)


@pytest.mark.parametrize("positive", [True, False])
@pytest.mark.parametrize("step", [-1, 0, 1])
def test_float32_is_rounded_to_the_nearest_float16_at_every_exponent(step, positive):
    """Mantissas on halves' steps, in their middles, and next to both, from below the smallest half to what overflows."""
    exponents, mantissas = np.arange(90, 147)[:, None] << 23, np.arange(1 << 12) << 11
    bits = ((exponents | mantissas).reshape(-1) + step).astype(np.uint32)
    values = bits.view(F32) if positive else (bits | np.uint32(1 << 31)).view(F32)
    got = np.empty(values.size, F16)
    halves.store(values, got)
    with np.errstate(over="ignore"):
        want = values.astype(F16)
    np.testing.assert_array_equal(got.view(np.uint16), want.view(np.uint16))


@pytest.mark.parametrize("extremes", [[np.inf], [-np.inf], [1e38, -1e38], [65519.99, -65520.0], [np.nan, -1e30]])
@pytest.mark.parametrize("size", [2559, 2560, 65536])
def test_what_overflows_becomes_infinity_and_nan_stays(size, extremes):
    values = np.resize(np.array([0.0, -0.0, 1e-8, 2**-24, 3e-5, 1.5, -2.25, *extremes], F32), size)
    got = np.empty(size, F16)
    with np.errstate(all="ignore"):
        halves.narrow(values, got)
        assert same(got, values.astype(F16))


def test_the_source_of_a_conversion_is_left_alone():
    for values in (np.linspace(0.5, 9e4, 9000, dtype=F32), np.linspace(-9e4, 9e4, 9000, dtype=F32)):
        before = values.copy()
        halves.narrow(values, np.empty(9000, F16))
        np.testing.assert_array_equal(values, before)


UNARY = {"Exp": np.exp, "Sqrt": np.sqrt, "Tanh": np.tanh, "Rint": np.rint, "Sign": np.sign, "Reciprocal": np.reciprocal}


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize("op_type", UNARY)
def test_functions_of_one_half_are_the_float32_result_rounded(op_type, dtype):
    for size in (half_tables.WORTH, halves.PIECE, halves.PIECE + 1):
        x = every(dtype, size, 1)
        with np.errstate(all="ignore"):
            want = UNARY[op_type](x.astype(F32)).astype(dtype)
        assert same(run(op_type, [x], np.empty(size, dtype)), want)
        in_place = x.copy()
        assert same(run(op_type, [in_place], in_place), want)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize("op_type", ["Gelu", "Sigmoid", "Softplus", "Rsqrt", "Erf", "Sign"])
def test_kernels_of_one_half_are_those_of_float32_rounded(op_type, dtype):
    x = every(dtype, 1 << 16, 4)
    with np.errstate(all="ignore"):
        want = run(op_type, [x.astype(F32)], np.empty(x.size, F32)).astype(dtype)
    assert same(run(op_type, [x], np.empty_like(x)), want)


def test_a_function_with_another_number_is_another_function():
    x = np.linspace(-2, 2, 9000).astype(F16)
    for value in (2.0, 3.0):
        assert same(run("Muls", [x], np.empty_like(x), {"value": value}), (x.astype(F32) * F32.type(value)).astype(F16))
    x[::2] = -0.0
    for value in (-0.0, 0.0):
        assert same(run("Adds", [x], np.empty_like(x), {"value": value}), x + F16.type(value))
    x[:3] = np.nan, np.inf, -np.inf
    for high in (2.0, 3.0):
        got = run("NanToNum", [x], np.empty_like(x), {"nan": 1.0, "posinf": high, "neginf": -2.0})
        assert same(got, np.nan_to_num(x, nan=1.0, posinf=high, neginf=-2.0))


WITH_NUMBER = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "RealDiv": np.divide,
    "Pow": np.power,
    "FloorMod": np.remainder,
    "TruncateMod": np.fmod,
    "Atan2": np.arctan2,
    "Equal": np.equal,
    "NotEqual": np.not_equal,
}


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize("op_type", WITH_NUMBER)
def test_functions_of_halves_and_one_number(op_type, dtype):
    """By conversion, then by a table of that number; also when the number in its buffer changes."""
    function, x = WITH_NUMBER[op_type], every(dtype, 9000, 5)
    x[(x.view(np.int16) & 0x7FFF) > half_bits._INFINITY[dtype]] = np.nan  # the power of 0 of a signalling one depends on the library
    kind = np.dtype(np.bool_) if op_type in ("Equal", "NotEqual") else dtype
    number, out = np.empty((1,), dtype), np.empty(x.size, kind)
    for operands in ([x, number], [number, x]):
        fn, args = lookup(op_type).bind(operands, [out], {})
        for value in (2.0, 3.0, 0.0, -0.0, 1.5, np.nan, np.inf, -1.0):
            number[0] = value
            for _ in range(2):
                with np.errstate(all="ignore"):
                    fn(*args)
                    want = function(*(v.astype(F32) for v in operands)).astype(kind)
                assert same(out, want)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_limits_of_halves_are_read_when_they_are_used(dtype):
    x = every(dtype, 9000, 7)
    low, high, out = np.empty((), dtype), np.empty((), dtype), np.empty_like(x)
    fn, args = lookup("ClipByValueV2").bind([x, low, high], [out], {})
    for limits in ((-1.0, 2.0), (-1.0, 3.0), (0.5, 0.25), (-1.0, 2.0)):
        low[...], high[...] = limits
        for _ in range(2):
            with np.errstate(all="ignore"):
                fn(*args)
                want = np.minimum(np.maximum(x.astype(F32), F32.type(limits[0])), F32.type(limits[1])).astype(dtype)
            assert same(out, want)


@pytest.mark.parametrize("source", [np.bool_, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
@pytest.mark.parametrize("size", [7, 16384, 65537])
def test_integers_become_the_nearest_float16(source, size):
    limits = np.iinfo(source) if source is not np.bool_ else None
    x = np.random.default_rng(size).integers(0, 2 if limits is None else 1 << 17, size).astype(source)
    if limits is not None:
        x[:4], x[4:7] = [0, 1, limits.min, limits.max], np.array([2049, 2051, 65519]).astype(source)
    with np.errstate(over="ignore"):
        assert same(run("Cast", [x], np.empty(size, F16), {"dst_type": 1}), x.astype(F16))


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize("target", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.bool_])
def test_halves_become_integers_that_are_cut_off_and_saturate(dtype, target):
    kind = np.dtype(target)
    for size in (2047, 2048, 65537):
        for x in (every(dtype, size, 6), np.linspace(-0.9, 127, size).astype(dtype), np.linspace(0, 127, size).astype(dtype)):
            got = run("Cast", [x], np.empty(size, kind), {"dst_type": int(ACL_OF[kind])})
            with np.errstate(invalid="ignore"):
                wide = x.astype(np.float64)
            if kind == np.bool_:
                want = wide != 0
            else:
                limits = np.iinfo(kind)
                high, low = wide >= 2.0**63, wide < -(2.0**63)
                whole = np.where(high | low | np.isnan(wide), 0.0, wide).astype(np.int64)
                want = np.where(high, limits.max, np.where(low, limits.min, np.clip(whole, limits.min, limits.max)))
            np.testing.assert_array_equal(got, want.astype(kind))


BINARY = {"Add": np.add, "Mul": np.multiply, "Greater": np.greater, "Equal": np.equal, "NotEqual": np.not_equal, "LessEqual": np.less_equal,
          "Maximum": np.maximum, "Minimum": np.minimum}  # fmt: skip


def one_zero(x):
    return np.where(x.view(np.uint16) == 0x8000, x.dtype.type(0), x)


@pytest.mark.parametrize("signs", ["both", "none"])
@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize("op_type", BINARY)
def test_the_loops_of_halves_and_what_replaces_them_agree(op_type, dtype, signs):
    ufunc = BINARY[op_type]
    limit = half_bits.loop_limit(ufunc, dtype)
    for size in (limit, limit + 1):
        x, y = every(dtype, size, 2), every(dtype, size, 3)
        if signs == "none":
            x, y = (np.nan_to_num(np.abs(v.astype(F32)), posinf=9.0).astype(dtype) for v in (x, y))
        with np.errstate(all="ignore"):
            want = ufunc(x.astype(F32), y.astype(F32))
            want = want if want.dtype == np.bool_ else want.astype(dtype)
        got = run(op_type, [x, y], np.empty(size, want.dtype))
        if want.dtype == np.bool_:
            np.testing.assert_array_equal(got, want)
        else:
            assert same(one_zero(got), one_zero(want))  # either zero is the larger one


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_an_operand_that_is_given_twice_or_is_one_number(dtype):
    x = np.linspace(-3, 3, 10000).astype(dtype)
    assert same(run("Add", [x, x], np.empty_like(x)), (x.astype(F32) * 2).astype(dtype))
    square = x.reshape(100, 100)
    want = (square.astype(F32) + square[0].astype(F32)).astype(dtype)
    assert same(run("Add", [square, square[0]], np.empty_like(square)), want)  # one address, two shapes
    one = dtype.type(-1.5)
    for operands in ([x, np.array(one)], [np.array(one), x], [x, np.full((1,), one)]):
        assert same(run("Mul", operands, np.empty_like(x)), (x.astype(F32) * F32.type(-1.5)).astype(dtype))
        np.testing.assert_array_equal(run("Less", operands, np.empty(x.size, np.bool_)), np.less(*operands))
    assert same(run("Mul", [x, x], x), (np.linspace(-3, 3, 10000).astype(dtype).astype(F32) ** 2).astype(dtype))


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize(
    "shapes", [((100, 100), (1, 100)), ((100, 1), (100, 100)), ((100, 1), (1, 100)), ((2, 6000), (1, 6000)), ((), (3, 3000))]
)
def test_operands_that_are_broadcast(dtype, shapes):
    x, y = (np.random.default_rng(len(shape)).normal(0, 2, shape).astype(dtype) for shape in shapes)
    want = x.astype(F32) - y.astype(F32)
    assert same(run("Sub", [x, y], np.empty(want.shape, dtype)), want.astype(dtype))
    turned = [v.T for v in (x, y)]
    assert same(run("Sub", turned, np.empty(want.T.shape, dtype)), want.T.astype(dtype))
    assert (run("Greater", [x, y], np.empty(want.shape, np.bool_)) == (x.astype(F32) > y.astype(F32))).all()
    if x.shape == want.shape:
        assert same(run("Sub", [x, y], x), want.astype(dtype))


def test_float16_of_any_length_becomes_float64_exactly():
    for size in (16383, 16384, 1 << 16, 70000):
        x = every(F16, size)
        assert same(run("Cast", [x], np.empty(size), {"dst_type": 11}), x.astype(np.float64))


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_a_matrix_times_itself_and_times_another(dtype, turned):
    m = np.random.default_rng(8).normal(0, 1, (70, 70)).astype(dtype)
    for other in (m, m.copy()):
        got = run("BatchMatMulV2", [m, other], np.empty_like(m), {"adj_x1": False, "adj_x2": turned})
        want = m.astype(np.float64) @ (m.T if turned else m).astype(np.float64)
        np.testing.assert_allclose(got.astype(float), want, rtol=8e-3, atol=2e-3)


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize("op_type,function", [("ArgMaxV2", np.argmax), ("ArgMin", np.argmin)])
@pytest.mark.parametrize("values", [[0.0, 0.5, 2.0, 2.0, 1.0], [-0.0, 0.0, -3.0, -3.0], [0.0, -0.0, 4.0],
                                    [1.0, -np.inf, np.inf, np.inf, -np.inf],
                                    [1.0, np.nan, 3.0, -np.nan]])  # fmt: skip
def test_the_place_of_an_extreme_is_the_first_one(op_type, function, dtype, values):
    x = np.resize(np.array(values, dtype), (300, 7))
    for axis in (0, 1):
        got = run(op_type, [x, axes(axis).reshape(())], np.empty(x.shape[1 - axis], np.int32), {"dtype": "int32"})
        np.testing.assert_array_equal(got, function(x.astype(F32), axis))
    for start in range(len(values)):
        line = x.reshape(-1)[start:]
        got = run(op_type, [line, axes(0).reshape(())], np.empty((), np.int32), {"dtype": "int32"})
        assert got == function(line.astype(F32))


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize("size", [512, 513, scan._RUN, scan._RUN + 1, 2 * scan._SEGMENT + 3])
def test_running_sums_of_halves_are_rounded_once(size, dtype):
    x = np.random.default_rng(5).normal(0, 1, size).astype(dtype)
    got = run("Cumsum", [x, axes(0).reshape(())], np.empty_like(x))
    want = np.cumsum(x.astype(np.float64))
    scale = 2.0**-11 if dtype == F16 else 2.0**-8
    assert (np.abs(got.astype(np.float64) - want) <= scale * 1.001 * np.abs(want) + 1e-4).all()


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
@pytest.mark.parametrize("shape", [(256, 256), (257, 256), (1, 65536)])
def test_reductions_of_one_piece_and_of_several(shape, dtype):
    x = np.random.default_rng(6).normal(0, 1, shape).astype(dtype)
    for numbers in ((0,), (1,), (0, 1)):
        for op_type, function in (("ReduceSum", np.sum), ("ReduceMean", np.mean), ("ReduceMax", np.max)):
            for keep in (False, True):
                want = np.asarray(function(x.astype(np.float64), numbers, keepdims=keep))
                got = run(op_type, [x, axes(*numbers)], np.empty(want.shape, dtype), {"keep_dims": keep})
                np.testing.assert_allclose(got.astype(float), want, rtol=1e-3 if dtype == F16 else 8e-3, atol=1e-3)


def test_rooms_of_kernels_are_used_again_and_few_are_kept():
    halves.free_rooms()
    first = halves.lend(3000, 2)
    pages = first.arrays[0]
    first.give_back()
    second, third = halves.lend(100, 3), halves.lend(100, 3)
    assert second is first and third is not first and np.shares_memory(second.arrays[0], pages)
    arrays = [*second.arrays, *third.arrays]
    assert [array.shape for array in arrays] == [(100,)] * 6
    assert not any(np.shares_memory(a, b) for a, b in itertools.combinations(arrays, 2))
    for room in [second, third, *(halves.lend(10, 1) for _ in range(30))]:
        room.give_back()
    assert len(halves._FREE) == halves._MOST_FREE
    large, double = halves.lend(halves.PIECE + 1, 1), halves.lend(10, 1, np.dtype(np.float64))
    assert large.arrays[0].size == halves.PIECE + 1 and double.arrays[0].dtype == np.float64
    halves.free_rooms()
    for room in (large, double):
        room.give_back()
    assert not halves._FREE


def test_finalize_gives_the_rooms_of_kernels_up():
    simulator.init()
    halves.lend(10, 1).give_back()
    assert halves._FREE
    simulator.finalize()
    assert not halves._FREE
