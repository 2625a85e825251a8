"""Reductions, softmax, running sums against NumPy in float64."""

import warnings

import ml_dtypes
import numpy as np
import pytest

from ascendtensor.simulator.kernels import registry

BF16 = np.dtype(ml_dtypes.bfloat16)
F16, F32, F64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
FLOATS = [F16, BF16, F32, F64]
TOLERANCE = {F16: 1e-3, BF16: 8e-3, F32: 2e-6, F64: 1e-12}


def constant(values, dtype=np.int64):
    array = np.array(values, dtype)
    array.flags.writeable = False
    return array


def run(op_type, inputs, attrs=None, dtypes=None):
    attrs = attrs or {}
    count = len(dtypes) if dtypes else 1
    expected = registry.infer_rule(op_type)([registry.meta_of(x) for x in inputs], attrs, count)
    codes = [out.dtype if out.dtype != -1 else registry.ACL_OF[np.dtype(d)] for out, d in zip(expected, dtypes or [None], strict=True)]
    outputs = [np.full(out.shape, 85, registry.NUMPY_OF[code]) for out, code in zip(expected, codes, strict=True)]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        fn, args = registry.lookup(op_type).bind(list(inputs), outputs, attrs)
        fn(*args)
    return outputs[0] if count == 1 else outputs


def close(got, want, scale=1.0, atol=0.0):
    assert got.shape == np.shape(want)
    with np.errstate(all="ignore"):
        want = np.asarray(want).astype(got.dtype).astype(float)
    np.testing.assert_allclose(got.astype(float), want, rtol=TOLERANCE[got.dtype] * scale, atol=atol)


def logsumexp(x, axis, keepdims):
    top = np.max(x, axis=axis, keepdims=True)
    value = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return value if keepdims else np.squeeze(value, axis)


REFERENCES = {
    "ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceProd": np.prod, "ReduceMax": np.max, "ReduceMin": np.min,
    "ReduceLogSumExp": logsumexp, "ReduceNansum": np.nansum,
    "EuclideanNorm": lambda x, axis, keepdims: np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims)),
    "ReduceLogSum": lambda x, axis, keepdims: np.log(np.sum(x, axis=axis, keepdims=keepdims)),
}  # fmt: skip
SHAPES = [((6,), (0,)), ((3, 4, 5), (1,)), ((3, 4, 5), (0, 2)), ((3, 4, 5), (-1,)), ((2, 3), (0, 1)), ((60000,), (0,)), ((300, 700), (0,)),
          ((300, 700), (1,)), ((20, 30, 100), (1,)), ((20, 30, 100), (0, 2)), ((3, 40000), (1,)), ((6000, 20), (0,)),
          ((2, 5000, 3), (1,)), ((9000, 3), (1,)), ((9000, 3), (0,))]  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("op_type", sorted(REFERENCES))
def test_reductions_agree_with_float64(op_type, dtype):
    rng = np.random.default_rng(1)
    for shape, axes in SHAPES:
        x = rng.uniform(0.5, 1.5, shape)
        if op_type == "ReduceProd":
            x = 1 + (x - 1) / 1000
        x = x.astype(dtype)
        for keep in (False, True):
            want = REFERENCES[op_type](x.astype(float), axis=axes, keepdims=keep)
            if op_type == "ReduceProd" and dtype == F32 and x.size > 1000:
                np.testing.assert_allclose(run(op_type, [x, constant(axes)], {"keep_dims": keep}), want, rtol=2e-4)
                continue
            close(run(op_type, [x, constant(axes)], {"keep_dims": keep}), want, scale=4)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_no_axes_reduce_nothing(dtype):
    x = np.arange(6).reshape(2, 3).astype(dtype)
    for op_type in ("ReduceSum", "ReduceMax", "ReduceMean"):
        assert np.array_equal(run(op_type, [x, constant([])]), x)
    assert run("ReduceMean", [x, constant([])], {"noop_with_empty_axes": False}).tolist() == 2.5
    assert run("ReduceSum", [np.array(3, dtype), constant([])]).tolist() == 3
    assert run("ReduceSum", [np.array(3, dtype), constant([0])]).tolist() == 3


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_extremes_propagate_nan(dtype):
    for size in (5, 50000):
        x = np.linspace(-1, 1, size).astype(dtype)
        assert float(run("ReduceMax", [x, constant([0])])) == 1
        assert float(run("ReduceMin", [x, constant([0])])) == -1
        x[size // 2] = np.nan
        assert np.isnan(float(run("ReduceMax", [x, constant([0])])))
        assert np.isnan(float(run("ReduceMin", [x, constant([0])])))


@pytest.mark.parametrize("dtype", [F16, BF16], ids=str)
def test_halves_accumulate_in_float32(dtype):
    x = np.full(10000, 0.1).astype(dtype)
    exact = float(x[0]) * 10000
    assert abs(float(run("ReduceSum", [x, constant([0])])) / exact - 1) < TOLERANCE[dtype]
    assert abs(float(run("Cumsum", [x, constant(0)])[-1]) / exact - 1) < TOLERANCE[dtype]
    square = np.full((4, 20000), 1.0).astype(dtype)
    assert run("ReduceMean", [square, constant([1])]).astype(float).tolist() == [1.0] * 4


def test_long_float32_columns_are_summed_accurately():
    x = np.random.default_rng(2).uniform(0, 1, (200000, 3)).astype(np.float32)
    np.testing.assert_allclose(run("ReduceSum", [x, constant([0])]), x.astype(float).sum(0), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint8], ids=lambda d: np.dtype(d).name)
def test_integers_keep_their_dtype(dtype):
    x = np.arange(1, 13).reshape(3, 4).astype(dtype)
    for op_type, function in {"ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min}.items():
        got = run(op_type, [x, constant([1])])
        assert got.dtype == dtype and got.tolist() == function(x, axis=1).tolist()
    assert run("ReduceMean", [x, constant([1])]).tolist() == [2, 6, 10]
    assert run("ReduceProd", [x[:1].copy(), constant([1])]).tolist() == [24]


def test_all_and_any():
    x = np.array([[True, False], [True, True]])
    assert run("ReduceAll", [x, constant([1])]).tolist() == [False, True]
    assert run("ReduceAny", [x, constant([0, 1])], {"keep_dims": True}).tolist() == [[True]]
    assert run("ReduceAll", [np.zeros((0,), bool), constant([0])]).tolist() is True


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_empty_reductions_give_the_identity_or_an_error(dtype):
    x = np.zeros((0, 3), dtype)
    assert run("ReduceSum", [x, constant([0])]).tolist() == [0] * 3
    assert run("ReduceProd", [x, constant([0])]).tolist() == [1] * 3
    assert run("ReduceMax", [x, constant([1])]).shape == (0,)
    assert np.isnan(run("ReduceMean", [x, constant([0])]).astype(float)).all()
    with pytest.raises(ValueError, match="empty axis"):
        run("ReduceMax", [x, constant([0])])
    with pytest.raises(ValueError, match="empty axis"):
        run("ArgMaxV2", [x, constant(0)], {"dtype": 9})


def test_axes_of_device_memory_are_read_when_the_task_runs():
    x, axes, out = np.ones((2, 3), np.float32), np.array([0]), np.zeros(2, np.float32)
    fn, args = registry.lookup("ReduceSum").bind([x, axes], [out], {})
    axes[0] = 1
    fn(*args)
    assert out.tolist() == [3, 3]
    axes[0] = 0
    with pytest.raises(ValueError, match="shape"):
        fn(*args)


def test_bad_axes_are_refused():
    x = np.ones((2, 3), np.float32)
    with pytest.raises(ValueError, match="outside"):
        run("ReduceSum", [x, constant([2])])
    with pytest.raises(ValueError, match="shape"):
        registry.lookup("ReduceSum").bind([x, constant([0])], [np.ones(2, np.float32)], {})


def test_sum_of_float32_is_one_ufunc_call():
    x, out = np.ones((2, 3), np.float32), np.ones(2, np.float32)
    fn, args = registry.lookup("ReduceSum").bind([x, constant([1])], [out], {"keep_dims": False})
    assert fn == np.add.reduce and args[1] == 1


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int32), np.dtype(np.int64)], ids=str)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_arguments_of_extremes(dtype, index):
    x = np.array([[1, 5, 5, 2], [7, 0, 0, 7]]).astype(dtype)
    attrs = {"dtype": registry.ACL_OF[np.dtype(index)]}
    assert run("ArgMaxV2", [x, constant(1)], attrs).tolist() == [1, 0]
    assert run("ArgMin", [x, constant(1)], attrs).tolist() == [0, 1]
    assert run("ArgMaxV2", [x, constant(0)], attrs).dtype == index
    assert run("ArgMaxV2", [np.array(3, dtype), constant(0)], attrs).tolist() == 0
    if dtype in FLOATS:
        x[0, 2:] = np.nan
        assert run("ArgMaxV2", [x, constant(-1)], attrs).tolist() == [2, 0]
        assert run("ArgMin", [x, constant(-1)], attrs).tolist() == [2, 1]
    for keep, shape in ((False, (2,)), (True, (2, 1))):
        indices, values = run("ArgMaxWithValue", [x], {"dimension": 1, "keep_dims": keep}, dtypes=[index, dtype])
        assert indices.shape == values.shape == shape and indices.reshape(-1)[1] == 0 and values.reshape(-1)[1] == 7
    indices, values = run("ArgMinWithValue", [x], {"dimension": 1}, dtypes=[index, dtype])
    assert indices[1] == 1 and values[1] == 0


@pytest.mark.parametrize("dtype", [F16, BF16, F32], ids=str)
@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, 3.0, np.inf, -np.inf])
def test_lp_norm(p, dtype):
    x = np.random.default_rng(3).normal(size=(4, 50)).astype(dtype)
    close(run("LpNormV2", [x], {"p": p, "axes": [1], "epsilon": 0.0}), np.linalg.norm(x.astype(float), p, axis=1), scale=4)
    assert run("LpNormV2", [np.zeros((2, 3), dtype)], {"p": 2.0, "axes": [], "keepdim": True, "epsilon": 0.5}).tolist() == [[0.5]]


def test_standard_deviation():
    x = np.random.default_rng(4).normal(size=(5, 40)).astype(np.float32)
    std, mean = run("ReduceStd", [x], {"dim": [1], "unbiased": True, "keepdim": False}, dtypes=[F32, F32])
    np.testing.assert_allclose(std, x.astype(float).std(1, ddof=1), rtol=1e-5)
    np.testing.assert_allclose(mean, x.astype(float).mean(1), rtol=1e-4, atol=1e-7)
    given = np.broadcast_to(mean[:, None], x.shape).copy()
    attrs = {"dim": [1], "unbiased": False, "keepdim": True, "invert": True, "epsilon": 0.1}
    want = 1 / np.sqrt(x.astype(float).var(1, keepdims=True) + 0.1)
    np.testing.assert_allclose(run("ReduceStdWithMean", [x, given], attrs), want, rtol=1e-5)


SCANS = [((5,), 0), ((3, 4), 1), ((3, 4), 0), ((2, 3, 4), 1), ((20000,), 0), ((2, 9000), 1), ((9000, 2), 0)]


@pytest.mark.parametrize("dtype", [*FLOATS, np.dtype(np.int32), np.dtype(np.int8)], ids=str)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_running_sums_and_products(dtype, exclusive, reverse):
    rng = np.random.default_rng(5)
    for shape, axis in SCANS:
        x = rng.integers(0, 2, shape).astype(dtype)
        attrs = {"exclusive": exclusive, "reverse": reverse}
        for op_type, function, first in (("Cumsum", np.cumsum, 0), ("Cumprod", np.cumprod, 1)):
            wide = np.moveaxis(x.astype(float), axis, -1)
            wide = wide[..., ::-1] if reverse else wide
            want = function(wide, axis=-1)
            if exclusive:
                want = np.concatenate([np.full_like(want[..., :1], first), want[..., :-1]], -1)
            want = np.moveaxis(want[..., ::-1] if reverse else want, -1, axis)
            if dtype == np.int8:
                want = want.astype(np.int64).astype(np.int8)
            got = run(op_type, [x, constant(axis)], attrs)
            assert np.array_equal(got, want.astype(dtype)), (op_type, shape)
    assert run("Cumsum", [np.array(3, dtype), constant(0)], {}).tolist() == 3


def test_long_float32_running_sum_stays_accurate():
    x = np.full(1000000, 0.1, np.float32)
    want = np.cumsum(x.astype(float))
    np.testing.assert_allclose(run("Cumsum", [x, constant(0)]), want, rtol=1e-6)
    for shape, axis in (((3000, 40), 0), ((2, 3000, 40), 1), ((40, 3000), 1)):
        x = np.random.default_rng(7).uniform(0, 1, shape).astype(np.float32)
        for reverse in (False, True):
            flipped = np.flip(x, axis) if reverse else x
            want = np.cumsum(flipped.astype(float), axis)
            want = np.flip(want, axis) if reverse else want
            np.testing.assert_allclose(run("Cumsum", [x, constant(axis)], {"reverse": reverse}), want, rtol=1e-6)


@pytest.mark.parametrize("dtype", [F16, BF16, F32, np.dtype(np.int32)], ids=str)
def test_running_extremes_point_at_the_last_of_equals(dtype):
    x = np.array([1, 3, 2, 3, 5, 0]).astype(dtype)
    values, indices = run("Cummax", [x], {"dim": 0}, dtypes=[dtype, np.int32])
    assert values.astype(int).tolist() == [1, 3, 3, 3, 5, 5] and indices.tolist() == [0, 1, 1, 3, 4, 4]
    values, indices = run("Cummin", [x], {"axis": -1}, dtypes=[dtype, np.int64])
    assert values.astype(int).tolist() == [1, 1, 1, 1, 1, 0] and indices.tolist() == [0, 0, 0, 0, 0, 5]
    if dtype != np.int32:
        x[2] = np.nan
        values, indices = run("Cummax", [x], {"dim": 0}, dtypes=[dtype, np.int32])
        assert np.isnan(values[2:].astype(float)).all() and indices.tolist() == [0, 1, 2, 2, 2, 2]


SOFTMAXES = [
    ((7,), [-1]), ((3, 5), [1]), ((3, 5), [0]), ((2, 3, 4), [1]), ((2, 3, 4), [0, 2]), ((2, 3, 4), [1, 2]), ((70, 1000), [-1]),
    ((40, 50000), [1]), ((1000, 70), [0]), ((), [-1]), ((0, 3), [1]),
]  # fmt: skip


def softmax(x, axes):
    e = np.exp(x - np.max(x, axis=axes, keepdims=True))
    return e / np.sum(e, axis=axes, keepdims=True)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(("shape", "axes"), SOFTMAXES)
def test_softmax_family(shape, axes, dtype):
    rng = np.random.default_rng(6)
    x, dy = (np.asarray(rng.normal(0, 3, shape)).astype(dtype) for _ in range(2))
    along = tuple(axes) if shape else ()
    if 0 in shape:
        assert run("SoftmaxV2", [x], {"axes": axes}).shape == shape
        return
    want = softmax(x.astype(float), along)
    tiny = {F16: 6e-8, BF16: 1e-38, F32: 1e-30, F64: 1e-200}[dtype]
    y = run("SoftmaxV2", [x], {"axes": axes})
    close(y, want, scale=4, atol=tiny)
    close(run("LogSoftmaxV2", [x], {"axes": axes}), np.log(want), scale=8, atol=TOLERANCE[dtype])
    f, g = y.astype(float), dy.astype(float)
    close(run("SoftmaxGrad", [y, dy], {"axes": axes}), f * (g - np.sum(f * g, axis=along, keepdims=True)), scale=8, atol=TOLERANCE[dtype])
    log = np.log(want).astype(dtype)
    grad = g - np.exp(log.astype(float)) * np.sum(g, axis=along, keepdims=True)
    close(run("LogSoftmaxGrad", [dy, log], {"axis": axes}), grad, scale=8, atol=TOLERANCE[dtype] * 20)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_reductions_of_rank_0(dtype):
    x = np.array(2, dtype)
    want = {"ReduceSum": 2, "ReduceMean": 2, "ReduceProd": 2, "ReduceMax": 2, "ReduceMin": 2, "ReduceLogSumExp": 2, "ReduceNansum": 2,
            "EuclideanNorm": 2, "ReduceLogSum": np.log(2)}  # fmt: skip
    for op_type, value in want.items():
        for axes in ([], [0]):
            close(run(op_type, [x, constant(axes)]), value)
    assert float(run("LpNormV2", [x], {"p": 3.0, "axes": []})) == pytest.approx(2, rel=1e-2)
    std, mean = run("ReduceStd", [x], {"dim": [], "unbiased": False}, dtypes=[dtype, dtype])
    assert float(std) == 0 and float(mean) == 2


def test_softmax_of_large_and_infinite_rows():
    x = np.array([[1e4, 1e4], [-np.inf, 0], [np.nan, 1]], np.float32)
    y = run("SoftmaxV2", [x], {"axes": [-1]})
    assert y[:2].tolist() == [[0.5, 0.5], [0, 1]] and np.isnan(y[2]).all()
    assert run("SoftmaxV2", [x.astype(np.float16)], {"half_to_float": True}).dtype == np.float32


def test_rules_with_axes_that_are_not_known():
    rule, meta = registry.infer_rule("ReduceSum"), registry.Meta
    assert rule([meta(0, (2, 3)), meta(3, (1,))], {"keep_dims": False}, 1)[0].shape == (-2,)
    out = rule([meta(0, (2, -1)), meta(3, (1,))], {"keep_dims": True}, 1)[0]
    assert out.shape == (-1, -1) and out.ranges == ((1, 2), (0, -1))
    assert rule([meta(0, (2, -1)), meta(3, (1,), np.array([0]))], {}, 1)[0].shape == (-1,)


def test_a_long_running_sum_is_as_exact_as_float64() -> None:
    x = np.random.default_rng(1).standard_normal(2_100_001).astype(np.float32)
    x[-1] = np.inf
    want = np.cumsum(x, dtype=np.float64).astype(np.float32)
    np.testing.assert_allclose(run("Cumsum", [x, constant(0)]), want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("length", [513, 4096, 4097, 32767, 32768, 32769, 65537])
def test_both_halves_of_a_running_sum_are_as_exact(length: int) -> None:
    half = (length + 1) // 2
    x = np.random.default_rng(1).standard_normal(length).astype(np.float32)
    x[: half + 3] = -0.0
    finite = run("Cumsum", [x, constant(0)])
    want = np.cumsum(x, dtype=np.float64)
    np.testing.assert_allclose(finite, want, rtol=1e-6, atol=1e-6)
    assert np.signbit(finite[: half + 3]).all()  # NumPy: -0.0 and -0.0 is -0.0
    for place in (0, half - 1, half, length - 1):
        x[place] = np.inf
        infinite = run("Cumsum", [x, constant(0)])
        assert np.isfinite(infinite[:place]).all() and (infinite[place:] == np.inf).all()
        x[place] = 1


@pytest.mark.parametrize("dtype", [F32, BF16, np.dtype(np.int32)], ids=str)
@pytest.mark.parametrize(("shape", "axis"), [((4096, 3), 1), ((4097, 3), 1), ((2, 3, 2048), 1), ((2, 3, 2049), 1), ((3, 7), 0)], ids=str)
def test_extremes_of_few_and_many_lines(dtype: np.dtype, shape: tuple[int, ...], axis: int) -> None:
    x = np.random.default_rng(3).permutation(np.arange(np.prod(shape)) % 200).reshape(shape).astype(dtype)
    for op_type, find, extreme in (("ArgMaxWithValue", np.argmax, np.max), ("ArgMinWithValue", np.argmin, np.min)):
        wide = x.astype(float)
        want = find(wide, axis)
        outputs = [np.empty(want.shape, np.int32), np.empty(want.shape, dtype)]
        kernel = registry.lookup(op_type)
        fn, args = kernel.bind([x], outputs, {"dimension": axis, "keep_dims": False})
        fn(*args)
        assert np.array_equal(outputs[0], want) and np.array_equal(outputs[1].astype(float), extreme(wide, axis))


@pytest.mark.parametrize("rows", [256, 257])
def test_norm_of_what_fits_the_cache_and_more(rows: int) -> None:
    x = np.random.default_rng(3).standard_normal((rows, 256)).astype(F32)
    for axes, keep in (([], False), ([1], True), ([0], False)):
        got = run("LpNormV2", [x], {"axes": axes, "keepdim": keep})
        np.testing.assert_allclose(got, np.sqrt((x.astype(float) ** 2).sum(tuple(axes) or None, keepdims=keep)), rtol=1e-6)


@pytest.mark.parametrize("shape", [(1000, 100), (7, 600, 80), (600, 3, 70), (2, 40000), (5, 1000)])
@pytest.mark.parametrize("reverse", [False, True])
def test_sums_of_many_lines_are_those_of_float64_rounded_once(shape, reverse):
    """Lines side by side, and rows two at a time: no error grows."""
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    for axis in range(x.ndim):
        if shape[axis] <= 512:  # these are summed up in float32
            continue
        turned = np.flip(x, axis) if reverse else x
        want = np.add.accumulate(turned, axis, np.float64).astype(np.float32)
        np.testing.assert_array_equal(run("Cumsum", [x, constant(axis)], {"reverse": reverse}), np.flip(want, axis) if reverse else want)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float32, np.float64])
def test_running_products_of_lines_side_by_side(dtype):
    x = np.random.default_rng(2).integers(1, 3, (2, 5, 70)).astype(dtype)
    np.testing.assert_array_equal(run("Cumprod", [x, constant(1)]), np.multiply.accumulate(x, 1, dtype))
    np.testing.assert_array_equal(run("Cumsum", [x, constant(1)]), np.add.accumulate(x, 1, dtype))
