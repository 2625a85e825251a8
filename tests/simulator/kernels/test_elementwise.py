"""Elementwise kernels against NumPy in float64: values, dtypes, edge values, shapes, aliasing."""

import math
import warnings

import ml_dtypes
import numpy as np
import pytest

from ascendtensor import facts
from ascendtensor.simulator.kernels import registry

BF16 = np.dtype(ml_dtypes.bfloat16)
F16, F32, F64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
FLOATS = [F16, BF16, F32, F64]
TOLERANCE = {F16: 1e-3, BF16: 8e-3, F32: 2e-6, F64: 1e-12}
SIZES = [(), (0,), (1,), (7,), (3, 5), (70000,), (33, 2100)]


def run(op_type, inputs, attrs=None, out=None):
    kernel = registry.lookup(op_type)
    rule = registry.infer_rule(op_type)
    attrs = attrs or {}
    if out is None:
        (expected,) = rule([registry.meta_of(x) for x in inputs], attrs, 1)
        out = np.full(expected.shape, 85, registry.NUMPY_OF[expected.dtype])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        fn, args = kernel.bind(list(inputs), [out], attrs)
        fn(*args)
    return out


def reference(function, *inputs):
    with np.errstate(all="ignore"):
        return np.asarray(function(*(x.astype(np.float64) if x.dtype != np.bool_ else x for x in inputs)))


def check(got, want, scale=1.0, atol=0.0):
    want = np.asarray(want)
    with np.errstate(all="ignore"):
        rounded = want.astype(got.dtype).astype(np.float64)
    assert got.shape == want.shape
    got64 = got.astype(np.float64)
    tiny = {F16: 6e-8, BF16: 1e-38, F32: 1e-38, F64: 1e-300}[got.dtype]
    np.testing.assert_allclose(got64, rounded, rtol=TOLERANCE[got.dtype] * scale, atol=tiny * 2 * scale + atol)


def erf64(x):
    return np.vectorize(math.erf, otypes=[float])(x)


def erfc64(x):
    return np.vectorize(math.erfc, otypes=[float])(x)


UNARY = {
    "Abs": np.abs, "Neg": np.negative, "Exp": np.exp, "Expm1": np.expm1, "Sin": np.sin, "Cos": np.cos, "Atan": np.arctan,
    "Tanh": np.tanh, "Asinh": np.arcsinh, "Square": np.square, "Floor": np.floor, "Ceil": np.ceil, "Rint": np.rint,
    "Round": np.rint, "Trunc": np.trunc, "Sign": np.sign, "Reciprocal": lambda x: 1 / x, "Inv": lambda x: 1 / x,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Relu": lambda x: np.maximum(x, 0), "Relu6": lambda x: np.clip(x, 0, 6),
    "Erf": erf64, "Erfc": erfc64, "GeluV2": lambda x: np.where(x == -np.inf, -0.0, x * 0.5 * erfc64(-x / math.sqrt(2))),
    "Gelu": lambda x: x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "Swish": lambda x: x / (1 + np.exp(-x)), "Softplus": lambda x: np.logaddexp(0, x),
    "SoftplusV2": lambda x: np.where(x > 20, x, np.logaddexp(0, x)), "LogSigmoid": lambda x: -np.logaddexp(0, -x),
    "Softsign": lambda x: x / (1 + np.abs(x)), "HardSwish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "HardSigmoid": lambda x: np.clip(x * 0.16666666 + 0.5, 0, 1), "Mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "Elu": lambda x: np.where(x > 0, x, np.expm1(x)), "LeakyRelu": lambda x: np.where(x > 0, x, 0.0 * x),
    "Selu": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    "Identity": lambda x: x, "TensorMove": lambda x: x, "ZerosLike": lambda x: 0 * np.where(np.isfinite(x), x, 0),
    "OnesLike": lambda x: np.ones_like(x), "Sinh": np.sinh, "Cosh": np.cosh, "Tan": np.tan,
}  # fmt: skip
POSITIVE = {
    "Log": np.log, "Log1p": np.log1p, "Sqrt": np.sqrt, "Rsqrt": lambda x: 1 / np.sqrt(x), "Acosh": lambda x: np.arccosh(x),
}  # fmt: skip
UNIT = {"Asin": np.arcsin, "Acos": np.arccos, "Atanh": np.arctanh}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op_type", sorted(UNARY | POSITIVE | UNIT))
def test_unary_agrees_with_float64(op_type, dtype):
    rng = np.random.default_rng(1)
    for shape in SIZES:
        x = rng.normal(0, 2, shape)
        if op_type in POSITIVE:
            x = np.abs(x) + 1
        if op_type in UNIT:
            x = rng.uniform(-0.99, 0.99, shape)
        x = np.asarray(x).astype(dtype)
        check(run(op_type, [x]), reference((UNARY | POSITIVE | UNIT)[op_type], x), scale=8 if op_type == "Gelu" else 2,
              atol=1e-7 if op_type == "HardSigmoid" else 0.0)  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op_type", sorted(UNARY))
@pytest.mark.parametrize("length", [9, 40000])
def test_unary_edge_values(op_type, dtype, length):
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-6, -1e-6, 1.0, -1.0], dtype)
    x = np.resize(edges, length)
    with np.errstate(all="ignore"):
        want = reference(UNARY[op_type], x)
    if op_type == "Sin" or op_type == "Cos" or op_type == "Tan":
        want[np.isinf(x.astype(float))] = np.nan
    if op_type in ("Gelu", "Swish", "Softsign", "HardSwish", "Mish"):  # inf / inf, inf * 0 have limits of no use here
        keep = np.isfinite(x.astype(float))
        x, want = x[keep], want[keep]
    check(run(op_type, [x]), want, scale=4)


@pytest.mark.parametrize("op_type", ["Abs", "Neg", "Round", "Rint", "Floor", "Ceil", "Trunc", "Sqrt", "Identity", "Erf", "GeluV2", "Tanh"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_sign_of_zero_is_kept(op_type, dtype):
    x = np.resize(np.array([-0.0, 0.0], dtype), 40000)
    want = np.signbit(x.astype(np.float32))
    if op_type == "Abs":
        want = np.zeros_like(want)
    if op_type == "Neg":
        want = ~want
    for part in (slice(0, 2), slice(None)):
        assert np.array_equal(np.signbit(run(op_type, [x[part].copy()]).astype(np.float32)), want[part])


@pytest.mark.parametrize("op_type", ["Round", "Rint"])
def test_round_half_to_even(op_type):
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5], np.float32)
    assert run(op_type, [x]).tolist() == [0.0, 2.0, 2.0, -0.0, -2.0, -2.0]


def test_round_decimals():
    x = np.array([1.2345, -2.555, 1234.5], np.float32)
    np.testing.assert_allclose(run("Round", [x], {"decimals": 2}), [1.23, -2.56, 1234.5], rtol=1e-6)
    np.testing.assert_allclose(run("Round", [x], {"decimals": -2}), [0, 0, 1200])
    assert run("Round", [np.array([1250, -149], np.int32)], {"decimals": -2}).tolist() == [1200, -100]


def test_exp_and_log_with_base_scale_and_shift():
    x = np.linspace(0.1, 3, 50).astype(np.float32)
    np.testing.assert_allclose(run("Exp", [x], {"base": 2.0, "scale": 0.5, "shift": 1.0}), 2 ** (0.5 * x.astype(float) + 1), rtol=1e-6)
    want = np.log(2 * x.astype(float) + 1) / math.log(3)
    np.testing.assert_allclose(run("Log", [x], {"base": 3.0, "scale": 2.0, "shift": 1.0}), want, rtol=1e-6)
    assert run("Log", [np.array([1, 8, 32], np.int32)], {"base": 2.0}).tolist() == [0, 3, 5]
    assert run("Log", [np.array([1, 1000], np.float32)], {"base": 10.0}).tolist() == [0, 3]


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_erf_and_erfc_keep_relative_accuracy_in_the_tails(dtype):
    limit = 9.0 if dtype == F32 else 26.0
    x = np.linspace(-limit, limit, 100001).astype(dtype)
    rtol = 1e-6 if dtype == F32 else 2e-13
    np.testing.assert_allclose(run("Erf", [x]).astype(float), erf64(x), rtol=rtol)
    np.testing.assert_allclose(run("Erfc", [x]).astype(float), erfc64(x), rtol=rtol)
    gelu = x.astype(float) * 0.5 * erfc64(-x.astype(float) / math.sqrt(2))
    np.testing.assert_allclose(run("GeluV2", [x]).astype(float), gelu, rtol=rtol)


@pytest.mark.parametrize(
    ("op_type", "function", "low", "high"),
    [
        ("Expm1", np.expm1, -20, 88),
        ("Log1p", np.log1p, -1, 3),
        ("Sinh", np.sinh, -89.4, 89.4),
        ("Cosh", np.cosh, -89.4, 89.4),
        ("Atanh", np.arctanh, -1, 1),
        ("Atan", np.arctan, -30, 30),
    ],
)
def test_long_float32_keeps_relative_accuracy(op_type, function, low, high):
    generator = np.random.default_rng(3)
    even, small = generator.uniform(low, high, 30_000), generator.choice([-1, 1], 30_000) * 10 ** generator.uniform(-37, 0, 30_000)
    edges = [0.0, -0.0, 1.0, -1.0, 88.7, -88.8, 89.4, 89.5, 1e38, -1e38, np.inf, -np.inf, np.nan]
    x = np.concatenate([even, small, edges]).astype(np.float32)
    got, want = run(op_type, [x]), reference(function, x)
    with np.errstate(over="ignore"):
        rounded = want.astype(np.float32)
    np.testing.assert_allclose(got, rounded, rtol=5e-7, atol=2e-45)
    np.testing.assert_array_equal(np.signbit(got[x == 0]), np.signbit(want[x == 0]))


@pytest.mark.parametrize(("op_type", "ufunc"), [("Tan", np.tan), ("Asin", np.arcsin), ("Acosh", np.arccosh), ("Log", np.log2)])
@pytest.mark.parametrize("dtype", [F32, F64])
def test_what_several_threads_do_is_what_one_does(op_type, ufunc, dtype):
    x = np.random.default_rng(4).uniform(-2, 3, 300_001).astype(dtype)
    with np.errstate(all="ignore"):
        want = ufunc(x)
    attrs = {"base": 2.0, "scale": 1.0, "shift": 0.0} if op_type == "Log" else {}
    np.testing.assert_array_equal(run(op_type, [x], attrs), want)
    np.testing.assert_array_equal(run(op_type, [x], attrs, out=x), want)


def test_erfinv_inverts_erf():
    x = np.concatenate([np.linspace(-0.99999, 0.99999, 5001), [1 - 2.0**-24, 1e-20, 0.0]]).astype(np.float32)
    y = run("Erfinv", [x]).astype(float)
    # one Newton step in float64 says how far off the value is
    step = (np.where(np.abs(x) < 0.5, erf64(y) - x, np.sign(x) * ((1 - np.abs(x.astype(float))) - erfc64(np.abs(y))))) / (
        2 / math.sqrt(math.pi) * np.exp(-y * y)
    )
    np.testing.assert_allclose(y, y - step, rtol=1e-6, atol=1e-27)
    edges = run("Erfinv", [np.array([1, -1, 2, np.nan], np.float32)])
    assert edges[0] == np.inf and edges[1] == -np.inf and np.isnan(edges[2:]).all()


BINARY = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "RealDiv": np.divide, "Div": np.divide, "Maximum": np.maximum,
    "Minimum": np.minimum, "Atan2": np.arctan2, "FloorDiv": lambda a, b: np.floor(a / b), "FloorMod": np.remainder, "Mod": np.fmod,
    "TruncateMod": np.fmod, "SquaredDifference": lambda a, b: (a - b) ** 2,
    "DivNoNan": lambda a, b: np.where(b == 0, 0, a / b), "Xdivy": lambda a, b: np.where(a == 0, 0, a / b),
    "SigmoidGrad": lambda y, dy: dy * y * (1 - y), "TanhGrad": lambda y, dy: dy * (1 - y * y),
    "ReluGrad": lambda g, f: np.where(f > 0, g, 0),
}  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op_type", sorted(BINARY))
def test_binary_agrees_with_float64_and_broadcasts(op_type, dtype):
    rng = np.random.default_rng(2)
    large = [((70000,), (70000,)), ((70000,), ()), ((40, 2000), (2000,)), ((40, 2000), (40, 1))]
    for left, right in [((), ()), ((0, 3), (3,)), ((4, 1), (5,)), *large]:
        a = np.round(rng.normal(0, 4, left) * 4).astype(dtype)
        b = (np.round(rng.uniform(1, 5, right) * 4) / 2 * rng.choice([-1, 1], right)).astype(dtype)
        a, b = np.asarray(a), np.asarray(b)
        got = run(op_type, [a, b])
        want = reference(BINARY[op_type], a, b)
        if op_type in ("TanhGrad", "SigmoidGrad"):  # differences of large terms
            np.testing.assert_allclose(got.astype(float), want, rtol=TOLERANCE[dtype] * 8)
        else:
            check(got, want, scale=2)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "FloorDiv", "FloorMod", "TruncateMod"])
def test_binary_edge_values(op_type, dtype):
    edges = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 3.0], dtype)
    a, b = (np.ascontiguousarray(x) for x in np.broadcast_arrays(edges[:, None], edges[None, :]))
    want = reference(BINARY[op_type], a, b)
    check(run(op_type, [a, b]), want)
    tiled = [np.tile(x.reshape(-1), 1000) for x in (a, b)]
    check(run(op_type, tiled), np.tile(want.reshape(-1), 1000))


def test_half_arithmetic_is_the_float32_result_rounded():
    rng = np.random.default_rng(3)
    for dtype in (F16, BF16):
        a, b = (rng.normal(0, 3, 50001).astype(dtype) for _ in range(2))
        for ufunc, op_type in ((np.add, "Add"), (np.multiply, "Mul"), (np.divide, "RealDiv")):
            want = ufunc(a.astype(np.float32), b.astype(np.float32)).astype(dtype)
            assert np.array_equal(run(op_type, [a, b]), want)
            assert np.array_equal(run(op_type, [a[:100].copy(), b[:100].copy()]), want[:100])


def _halves(dtype, nan):
    """Every half there is, in a random order, without the NaNs where they are not asked for."""
    values = np.random.default_rng(7).permutation(np.arange(1 << 16, dtype=np.uint16)).view(dtype)
    return values if nan else values[~np.isnan(values.astype(np.float32))]


def _size(x):
    return x.view(np.int16) & 0x7FFF


BY_BITS = {
    "Abs": np.absolute, "Neg": np.negative, "Sign": np.sign, "IsNan": np.isnan, "IsInf": np.isinf, "IsFinite": np.isfinite,
    "Equal": np.equal, "NotEqual": np.not_equal, "Less": np.less, "LessEqual": np.less_equal, "Greater": np.greater,
    "GreaterEqual": np.greater_equal, "Maximum": np.maximum, "Minimum": np.minimum,
}  # fmt: skip


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("dtype", [F16, BF16])
@pytest.mark.parametrize("op_type", BY_BITS)
def test_halves_by_their_bits_are_what_their_loops_give(op_type, dtype, nan):
    x = _halves(dtype, nan)
    operands = [x] if BY_BITS[op_type].nin == 1 else [x, np.concatenate([x[len(x) // 2 :: -1], x[len(x) // 2 + 1 :]])]
    got = run(op_type, operands)
    with np.errstate(all="ignore"):
        want = BY_BITS[op_type](*operands)
        nothing = np.isnan(want) if want.dtype != np.bool_ else False
    if want.dtype == np.bool_:
        np.testing.assert_array_equal(got, want)
        return
    with np.errstate(all="ignore"):
        assert (np.isnan(got) == nothing).all()
    same = (got.view(np.int16) == want.view(np.int16)) | (_size(got) == 0) & (_size(want) == 0) | nothing
    assert same.all()
    if op_type in ("Abs", "Neg"):  # zeros too
        zeros = _size(x) == 0
        assert (got.view(np.int16)[zeros] == want.view(np.int16)[zeros]).all()


def test_float16_conversion_agrees_with_numpy_bit_for_bit():
    every = np.arange(65536, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    exact = finite.astype(np.float32)
    between = (exact[1:] + exact[:-1]) / 2
    near = np.nextafter(between, np.float32(np.inf))
    extremes = np.array([np.inf, -np.inf, 65504, 65519.99, 65520, 65536, 1e30, -1e30, 1e-45, 2**-25, -0.0], np.float32)
    zero = np.zeros((), np.float32)
    for values in (exact, between, near, np.resize(extremes, 20000)):
        got = run("Add", [values.astype(np.float32), zero.copy()], out=None)
        assert got.dtype == F32
        half = run("Cast", [values], {"dst_type": 1})
        with np.errstate(all="ignore"):
            assert np.array_equal(half.view(np.uint16), values.astype(np.float16).view(np.uint16))
    assert np.array_equal(run("Cast", [every], {"dst_type": 0}), every.astype(np.float32), equal_nan=True)
    assert np.array_equal(run("Cast", [finite], {"dst_type": 0}).view(np.uint32), exact.view(np.uint32))


@pytest.mark.parametrize("op_type", ["Add", "Mul"])
def test_add_and_mul_mix_halves_with_float32(op_type):
    a, b = np.array([1.5, 2.0], F16), np.array([0.25, 4.0], F32)
    got = run(op_type, [a, b])
    assert got.dtype == F32
    assert np.array_equal(got, BINARY[op_type](a.astype(np.float32), b))


INTS = [np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64, np.uint8)]


@pytest.mark.parametrize("dtype", INTS, ids=str)
def test_integer_division_follows_c_and_python_and_never_traps(dtype):
    info = np.iinfo(dtype)
    values = np.array([info.min, info.max, 0, 1, 7, *([-7, -1] if info.min else [3])], dtype)
    a, b = (np.ascontiguousarray(x).reshape(-1) for x in np.broadcast_arrays(values[:, None], values[None, :]))
    wrap = lambda v: (v - info.min) % (info.max - info.min + 1) + info.min  # noqa: E731

    def trunc(p, q):
        return 0 if q == 0 else wrap(abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1))

    pairs = [(int(p), int(q)) for p, q in zip(a, b, strict=True)]
    exact = {"_exclude_engines": "AiCore"}
    assert run("FloorDiv", [a, b], exact).tolist() == [0 if q == 0 else wrap(p // q) for p, q in pairs]
    for op_type in ("RealDiv", "Div", "TruncateDiv", "DivNoNan"):
        assert run(op_type, [a, b], exact).tolist() == [trunc(p, q) for p, q in pairs]
    assert run("FloorMod", [a, b]).tolist() == [0 if q == 0 else p % q for p, q in pairs]
    assert run("Mod", [a, b], exact).tolist() == [0 if q == 0 else int(math.fmod(p, q)) if abs(p) < 2**52 else 0 if abs(q) == 1 else
                                           abs(p) % abs(q) * (1 if p >= 0 else -1) for p, q in pairs]  # fmt: skip


def test_integer_power_with_negative_exponents():
    base = np.array([0, 1, -1, -1, 2, 5, 3], np.int32)
    exponent = np.array([-1, -5, -2, -3, -1, 3, 40], np.int32)
    assert run("Pow", [base, exponent]).tolist() == [0, 1, 1, -1, 0, 125, (3**40 + 2**31) % 2**32 - 2**31]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_float_power(dtype):
    base = np.linspace(0.5, 3, 41000).astype(dtype)
    for exponent in (2.0, 0.5, -1.0, 3.0):
        check(run("Pow", [base, np.array(exponent, dtype)]), base.astype(float) ** exponent, scale=2)
    check(run("Pow", [base[:9].copy(), np.arange(9).astype(dtype)]), base[:9].astype(float) ** np.arange(9), scale=4)


def test_xlogy_is_zero_at_zero_and_nan_at_nan():
    x, y = np.array([0, 0, 2, 0], np.float32), np.array([0, -1, 3, np.nan], np.float32)
    got = run("Xlogy", [x, y])
    assert got[:2].tolist() == [0, 0] and np.isnan(got[3])
    np.testing.assert_allclose(got[2], 2 * math.log(3), rtol=1e-6)


def test_bits_and_shifts():
    a, b = np.array([1, -8, 7, 1, -1], np.int32), np.array([3, 1, 0, 32, 40], np.int32)
    assert run("LeftShift", [a, b]).tolist() == [8, -16, 7, 1, -256]  # 32 and 40 as 0 and 8
    assert run("RightShift", [a, b]).tolist() == [0, -4, 7, 0, -1]
    assert run("BitwiseAnd", [a, b]).tolist() == (a & b).tolist()
    assert run("BitwiseOr", [a, b]).tolist() == (a | b).tolist()
    assert run("BitwiseXor", [a, b]).tolist() == (a ^ b).tolist()
    assert run("Invert", [a]).tolist() == (~a).tolist()
    assert run("Gcd", [np.array([12, -18, 0], np.int64), np.array([18, 12, 5], np.int64)]).tolist() == [6, 6, 5]


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint8)], ids=str)
@pytest.mark.parametrize("op_type,ufunc", [("Equal", np.equal), ("NotEqual", np.not_equal), ("Less", np.less), ("LessEqual", np.less_equal),
                                           ("Greater", np.greater), ("GreaterEqual", np.greater_equal)])  # fmt: skip
def test_comparisons(op_type, ufunc, dtype):
    rng = np.random.default_rng(4)
    for size in (5, 50000):
        a, b = (rng.integers(0, 4, size).astype(dtype) for _ in range(2))
        if dtype in FLOATS:
            a[:2] = np.nan
        got = run(op_type, [a, b])
        assert got.dtype == np.bool_
        assert np.array_equal(got, ufunc(a.astype(float), b.astype(float)))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op_type,function", [("IsNan", np.isnan), ("IsInf", np.isinf), ("IsFinite", np.isfinite),
                                              ("IsPosInf", np.isposinf), ("IsNegInf", np.isneginf)])  # fmt: skip
def test_classes_of_floats(op_type, function, dtype):
    x = np.resize(np.array([0, 1, np.inf, -np.inf, np.nan], dtype), 40000)
    assert np.array_equal(run(op_type, [x]), function(x.astype(float)))
    assert np.array_equal(run(op_type, [x[:5].copy()]), function(x[:5].astype(float)))


def test_logic():
    a, b = np.array([True, True, False, False]), np.array([True, False, True, False])
    assert run("LogicalAnd", [a, b]).tolist() == [True, False, False, False]
    assert run("LogicalOr", [a, b]).tolist() == [True, True, True, False]
    assert run("LogicalNot", [a]).tolist() == [False, False, True, True]


def test_is_close():
    a = np.array([1.0, 1.0, np.inf, np.nan, np.inf, 0.0], np.float32)
    b = np.array([1.00001, 1.1, np.inf, np.nan, 1.0, 1e-9], np.float32)
    assert run("IsClose", [a, b], {"rtol": 1e-4}).tolist() == [True, False, True, False, False, True]
    assert run("IsClose", [a, b], {"rtol": 1e-4, "equal_nan": True}).tolist() == [True, False, True, True, False, True]
    assert run("IsClose", [np.array([100, 2**40]), np.array([101, 2**40])], {"rtol": 0.0, "atol": 0.0}).tolist() == [False, True]


@pytest.mark.parametrize("dtype", [*FLOATS, *map(np.dtype, (np.int8, np.int64, np.complex64, np.complex128))], ids=str)
def test_selection(dtype):
    rng = np.random.default_rng(5)
    for shape in ((), (0,), (6,), (50, 1000)):
        a, b = (np.asarray(rng.integers(-5, 5, shape)).astype(dtype) for _ in range(2))
        mask = np.asarray(rng.integers(0, 2, shape)).astype(bool)
        want = np.where(mask, a, b)
        assert np.array_equal(run("SelectV2", [mask, a, b]), want)
        assert np.array_equal(run("Select", [mask, a, b]), want)
        value = np.array(3, dtype)
        for held in (mask, mask[..., :1]) if shape else (mask,):
            assert np.array_equal(run("MaskedFill", [a, held, value]), np.where(held, value, a))
            in_place = a.copy()
            assert np.array_equal(run("MaskedFill", [in_place, held, value], out=in_place), np.where(held, value, a))
    assert run("SelectV2", [np.array([[True], [False]]), np.array(1, dtype), np.zeros(3, dtype)]).shape == (2, 3)
    rows = run("Select", [np.array([True, False]), np.ones((2, 3), dtype), np.zeros((2, 3), dtype)])
    assert np.array_equal(rows, np.array([[1] * 3, [0] * 3], dtype))


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32, np.complex64], ids=lambda dtype: dtype.__name__)
def test_masks_of_every_density_fill_in_place(dtype):
    chance = np.random.default_rng(6).random((300, 700))
    for density in (0, 0.001, 0.03, 0.5, 0.97, 0.999, 1):
        a, mask = (chance * 9).astype(dtype), chance < density
        want = np.where(mask, np.array(1, dtype), a)
        assert np.array_equal(run("MaskedFill", [a, mask, np.array([1], dtype)], out=a), want)
    for around in (False, True):  # what a look at some elements doesn't find
        a, mask = (chance * 9).astype(dtype), np.full(chance.shape, around)
        mask[100:103] = chance[100:103] < 0.5
        want = np.where(mask, np.array(1, dtype), a)
        assert np.array_equal(run("MaskedFill", [a, mask, np.array([1], dtype)], out=a), want)
    mask = chance < 0.001
    assert not run("MaskedFill", [mask, mask, np.array(False)], out=mask).any()


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int32)], ids=str)
def test_clip_lets_nan_through(dtype):
    x = np.resize(np.arange(-5, 6), 40000).astype(dtype)
    low, high = np.array(-2, dtype), np.array(3, dtype)
    assert np.array_equal(run("ClipByValueV2", [x, low, high]).astype(float), np.clip(x.astype(float), -2, 3))
    if dtype != np.int32:
        x[1] = np.nan
        assert np.isnan(run("ClipByValue", [x, low, high])[1].astype(float))


@pytest.mark.parametrize("dtype", [F16, BF16, F32], ids=str)
def test_fused_multiply_forms(dtype):
    rng = np.random.default_rng(6)
    base, a = (rng.uniform(1, 2, 33000).astype(dtype) for _ in range(2))
    b, value = rng.uniform(1, 2, 33000).astype(dtype), np.array(0.5, dtype)
    f = lambda x: x.astype(float)  # noqa: E731
    check(run("Addcmul", [base, a, b, value]), f(base) + 0.5 * f(a) * f(b), scale=2)
    check(run("Addcdiv", [base, a, b, value]), f(base) + 0.5 * f(a) / f(b), scale=2)
    check(run("AxpyV2", [base, a, value]), f(base) + 0.5 * f(a), scale=2)
    check(run("Axpy", [base, a], {"alpha": 0.5}), f(base) + 0.5 * f(a), scale=2)
    check(run("Adds", [a], {"value": 0.5}), f(a) + 0.5, scale=2)
    check(run("Muls", [a], {"value": 0.5}), f(a) * 0.5, scale=2)
    check(run("Lerp", [base, a, value]), f(base) + 0.5 * (f(a) - f(base)), scale=2)
    ends = run("Lerp", [base, a, np.array(1, dtype)])
    assert np.array_equal(ends, a)


def test_kernels_of_the_ai_cpu_that_do_not_broadcast():
    """hicann/ops-math: clip_by_value_v2_aicpu.cpp (GetInputAndCheck) and zeta_aicpu.cpp (ExtraCheckZeta)."""
    x, row, one = np.arange(6.0).reshape(2, 3), np.ones(3), np.array(4.0)
    with pytest.raises(ValueError, match="scalars or like x"):
        run("ClipByValueV2", [x, row, one])
    assert run("ClipByValueV2", [x, np.array(1.0), one]).tolist() == [[1, 1, 2], [3, 4, 4]]
    assert run("ClipByValueV2", [x, np.ones_like(x), np.full_like(x, 4)]).tolist() == [[1, 1, 2], [3, 4, 4]]
    single = x.astype(np.float32)
    assert run("ClipByValueV2", [single, row.astype(np.float32), one.astype(np.float32)]).tolist() == [[1, 1, 2], [3, 4, 4]]
    with pytest.raises(ValueError, match="the data size of x, 48, needs to be that of q, 8"):
        run("Zeta", [x + 2, np.array(1.0)])
    np.testing.assert_allclose(run("Zeta", [np.array([2.0]), np.array([1.0])]), np.pi**2 / 6)


def test_addcdiv_takes_an_int32_value():
    one = np.ones(3, np.float32)
    assert run("Addcdiv", [one, one, one, np.array(2, np.int32)]).tolist() == [3.0, 3.0, 3.0]
    half = np.ones(3, np.float16)
    assert run("Addcdiv", [half, half, half, np.array(2, np.int32)]).tolist() == [3.0, 3.0, 3.0]


def test_prelu_weights_go_along_channels():
    x = -np.ones((2, 3, 2), np.float32)
    got = run("PRelu", [x, np.array([1, 2, 3], np.float32)])
    assert got[0, :, 0].tolist() == [-1, -2, -3]
    assert run("PRelu", [x, np.array([0.5], np.float32)]).min() == -0.5
    with pytest.raises(ValueError, match="channels"):
        run("PRelu", [x, np.ones(5, np.float32)])


def test_activation_attributes():
    x = np.linspace(-3, 3, 100).astype(np.float32)
    f = x.astype(float)
    np.testing.assert_allclose(run("LeakyRelu", [x], {"negative_slope": 0.1}), np.where(f > 0, f, 0.1 * f), rtol=1e-6)
    got = run("Elu", [x], {"alpha": 2.0, "scale": 3.0, "input_scale": 0.5})
    np.testing.assert_allclose(got, np.where(f > 0, 3 * f, 6 * np.expm1(0.5 * f)), rtol=1e-6)
    want = np.where(2 * f > 4, f, np.logaddexp(0, 2 * f) / 2)
    np.testing.assert_allclose(run("SoftplusV2", [x], {"beta": 2.0, "threshold": 4.0}), want, rtol=1e-6)
    np.testing.assert_allclose(run("Swish", [x], {"scale": 2.0}), f / (1 + np.exp(-2 * f)), rtol=1e-6)
    tanh = run("GeluV2", [x], {"approximate": "tanh"})
    np.testing.assert_allclose(tanh, 0.5 * f * (1 + np.tanh(math.sqrt(2 / math.pi) * (f + 0.044715 * f**3))), rtol=1e-4, atol=1e-7)
    with pytest.raises(ValueError, match="approximate"):
        run("GeluV2", [x], {"approximate": "fast"})


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex(dtype):
    rng = np.random.default_rng(7)
    a, b = ((rng.normal(size=200) + 1j * rng.normal(size=200)).astype(dtype) for _ in range(2))
    rtol = 1e-5 if dtype == np.complex64 else 1e-12
    for op_type, function in {"Add": np.add, "Mul": np.multiply, "RealDiv": np.divide, "Pow": np.power}.items():
        np.testing.assert_allclose(run(op_type, [a, b]), function(a.astype(complex), b), rtol=rtol * 10)
    for op_type, function in {"Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
                              "Sign": lambda x: x / np.abs(x), "Reciprocal": lambda x: 1 / x}.items():  # fmt: skip
        np.testing.assert_allclose(run(op_type, [a]), function(a.astype(complex)), rtol=rtol)


@pytest.mark.parametrize("op_type", ["Sigmoid", "GeluV2", "Relu", "Mish", "Rsqrt", "Exp"])
@pytest.mark.parametrize("dtype", [F16, BF16, F32], ids=str)
@pytest.mark.parametrize("size", [5, 70000])
def test_output_may_be_the_input(op_type, dtype, size):
    x = np.linspace(0.1, 4, size).astype(dtype)
    want = run(op_type, [x])
    run(op_type, [x], out=x)
    assert np.array_equal(x, want)


@pytest.mark.parametrize("dtype", [F16, F32], ids=str)
def test_strided_and_scalar_outputs(dtype):
    base = np.arange(120).reshape(10, 12).astype(dtype)
    view = base[::2, 1::3]
    out = np.zeros((10, 8), dtype)[::2, ::2]
    run("Add", [view, view], out=out)
    assert np.array_equal(out, view + view)


def test_wrong_shapes_and_dtypes_are_refused_when_bound():
    x = np.ones(3, np.float32)
    with pytest.raises(ValueError, match="do not broadcast"):
        run("Add", [x, np.ones(2, np.float32)])
    with pytest.raises(ValueError, match="shape"):
        run("Add", [x, x], out=np.ones(4, np.float32))
    with pytest.raises(ValueError, match="float16"):
        run("Add", [x, x], out=np.ones(3, np.float16))
    with pytest.raises(ValueError, match="differ"):
        run("Sub", [x, np.ones(3, np.float64)])


def test_small_arrays_run_as_one_ufunc_call():
    x, out = np.ones(8, np.float32), np.empty(8, np.float32)
    for op_type, ufunc in {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "RealDiv": np.divide}.items():
        assert registry.lookup(op_type).bind([x, x], [out], {})[0] is ufunc
    assert registry.lookup("Exp").bind([x], [out], {})[0] is np.exp
    assert registry.lookup("Less").bind([x, x], [np.empty(8, bool)], {})[0] is np.less


def test_every_kernel_is_an_operator_of_the_prototypes_and_has_a_rule():
    known = set(facts.names())
    assert [name for name in registry.names() if name not in known] == []
    assert [name for name in registry.names() if registry.infer_rule(name) is None] == []


def test_rules_pass_dims_that_are_not_known():
    rule = registry.infer_rule("Add")
    meta = registry.Meta
    assert rule([meta(0, (-1, 4)), meta(0, (1, 4))], {}, 1)[0].shape == (-1, 4)
    assert rule([meta(0, (-1, 4)), meta(0, (7, 1))], {}, 1)[0].shape == (7, 4)
    assert rule([meta(0, (-2,)), meta(0, (7, 1))], {}, 1)[0].shape == (-2,)


def test_the_ai_core_divides_as_float32() -> None:
    """CANN 8.1.RC1, tbe: dynamic/floor_div.py, dynamic/truncate_div.py (no truncation of floats), dynamic/mod.py."""
    a, b = np.array([16777217, -16777217, 7, -7], np.int32), np.array([1, 1, 2, 2], np.int32)
    assert run("FloorDiv", [a, b]).tolist() == [16777216, -16777216, 3, -4]
    assert run("TruncateDiv", [a, b]).tolist() == [16777216, -16777216, 3, -3]
    assert run("Mod", [a, b]).tolist() == [0, 0, 1, -1]
    x, y = np.array([1.0, 7.0, -7.0], F32), np.array([0.1, 2.0, 2.0], F32)
    assert run("FloorDiv", [x, y]).tolist() == [10.0, 3.0, -4.0]
    assert run("TruncateDiv", [x, y]).tolist() == [10.0, 3.5, -3.5]
    assert run("Mod", [x, y]).tolist() == [0.0, 1.0, -1.0]
    assert run("Mod", [x, y], {"_exclude_engines": "AiCore"}).tolist() == np.fmod(x, y).tolist()


@pytest.mark.parametrize("op_type", ["FloorMod", "Mod"])
@pytest.mark.parametrize("operands", ["any bits", "near multiples", "one divisor"])
def test_divisions_with_remainder_have_numpys_bits(op_type, operands):
    generator = np.random.default_rng(3)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -3e38, 0.1], F32)
    if operands == "any bits":
        a, b = (generator.integers(0, 2**32, 40000, np.uint32).view(F32) for _ in range(2))
    else:
        b = (generator.integers(1, 50, 40000) / np.float32(8)).astype(F32)
        a = np.nextafter(b * generator.integers(-4000, 4000, 40000).astype(F32), generator.choice([-np.inf, 0, np.inf], 40000).astype(F32))
        b[:800] = np.tile(special, 100)
    a[:64] = np.repeat(special, 8)
    b = np.array([0.7], F32) if operands == "one divisor" else b
    function = {"FloorMod": np.remainder, "Mod": np.fmod}[op_type]
    with np.errstate(all="ignore"):
        want = function(a, b)
    got = run(op_type, [a, b], {"_exclude_engines": "AiCore"})
    same = (got.view(np.uint32) == want.view(np.uint32)) | (np.isnan(got) & np.isnan(want))
    assert same.all(), (a[~same][:3], np.broadcast_to(b, a.shape)[~same][:3])


@pytest.mark.parametrize("op_type", ["Elu", "Softplus", "LogSigmoid", "GeluV2", "LeakyRelu"])
def test_long_activations_are_those_of_short_pieces_and_accurate(op_type):
    x = np.random.default_rng(8).normal(size=300000).astype(F32) * 9
    x[:5] = [np.nan, np.inf, -np.inf, -0.0, -1e-30]
    attrs = {"LeakyRelu": {"negative_slope": 0.2}}.get(op_type)
    got = run(op_type, [x], attrs)
    np.testing.assert_array_equal(got[:3000], run(op_type, [x[:3000]], attrs))
    wide = x.astype(F64)
    with np.errstate(all="ignore"):
        want = {
            "Elu": lambda: np.where(wide > 0, wide, np.expm1(wide)),
            "Softplus": lambda: np.logaddexp(0, wide),
            "LogSigmoid": lambda: -np.logaddexp(0, -wide),
            "GeluV2": lambda: run("GeluV2", [wide]),
            "LeakyRelu": lambda: np.where(wide > 0, wide, 0.2 * wide),
        }[op_type]()
    np.testing.assert_allclose(got[3:], want[3:], rtol=2e-6, atol=1e-37)
