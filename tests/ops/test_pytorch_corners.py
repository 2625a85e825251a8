"""What PyTorch does at the corners of single functions. Numbers in here are those of PyTorch 2.13 on the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from harness import host, tensor

import ascendtensor as at


def test_flip_takes_its_dims_by_name() -> None:
    x = at.arange(6).reshape(2, 3)
    assert at.equal(at.flip(x, dims=(0, 1)), x.flip(0, 1)) and at.equal(x.flip(dims=[1]), x.flip(1))
    assert at.equal(x.flip(), x.flip(0, 1)) and at.equal(x.flip(()), x)
    with pytest.raises(TypeError, match="twice"):
        x.flip(0, dims=(1,))


def test_no_differences_leave_the_operand_without_what_stands_beside_it() -> None:
    x = at.tensor([1.0, 4.0])
    assert at.diff(x, 0, prepend=x).tolist() == [1.0, 4.0]
    assert at.diff(x, 1, prepend=x).tolist() == [3.0, -3.0, 3.0]


@pytest.mark.parametrize("dtype", [at.int8, at.uint8, at.int16])
def test_neighbours_of_small_integers_are_added_without_wrapping(dtype: at.dtype) -> None:
    """PyTorch's wrap, so that the mean of 100 and 100 is -28 in int8."""
    y, x = at.tensor([100, 100, 100, 3], dtype=dtype), at.tensor([0, 100, 101, 103], dtype=dtype)
    assert at.trapezoid(y).item() == 251.5 and at.cumulative_trapezoid(y).tolist() == [100.0, 200.0, 251.5]
    assert at.trapezoid(y, x).item() == 10203.0 and at.trapezoid(y, dx=2).item() == 503.0
    nothing = at.cumulative_trapezoid(y[:0])
    assert nothing.dtype is at.float32 and nothing.shape == (0,)


def test_no_correction_is_that_of_one_observation() -> None:
    x = at.tensor([1.0, 2.0, 4.0])
    for function in (at.var, at.std):
        assert function(x, correction=None).item() == function(x).item()
    assert [part.item() for part in at.var_mean(x, correction=None)] == [part.item() for part in at.var_mean(x)]


def test_a_dim_of_one_element_meets_any_other_in_tensordot() -> None:
    one, many = at.tensor([[[2.0]]]), at.tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    assert at.tensordot(one, many, dims=([0, 1], [2, 0])).tolist() == [[20.0]]
    assert at.tensordot(many, one, dims=([2, 0], [0, 1])).tolist() == [[20.0]]
    with pytest.raises(ValueError, match="do not fit"):
        at.tensordot(many, at.ones(3), dims=([0], [0]))


def test_pairs_of_doubles_are_scattered_by_a_mask() -> None:
    x = at.zeros(2, 2, dtype=at.complex128)
    mask = at.tensor([[True, False], [False, True]])
    assert at.masked_scatter(x, mask, at.tensor([1j, 2.0], dtype=at.complex128)).tolist() == [[1j, 0], [0, 2]]


def test_complex_numbers_have_silu_and_softsign() -> None:
    values = np.array([1 + 2j, -3j, 0, -0.5 + 0.25j])
    np.testing.assert_allclose(host(at.nn.functional.silu(tensor(values))), values / (1 + np.exp(-values)), 1e-12)
    np.testing.assert_allclose(host(at.nn.functional.softsign(tensor(values))), values / (1 + abs(values)), 1e-12)


def test_a_real_signal_needs_half_of_a_whole_spectrum() -> None:
    spectrum = at.randn(8, 5, dtype=at.complex64)
    halved = at.istft(spectrum[:5], 8, window=at.ones(8))
    np.testing.assert_allclose(host(at.istft(spectrum, 8, window=at.ones(8))), host(halved), 1e-6, 1e-6)
    assert at.istft(spectrum, 8, window=at.ones(8), onesided=False, return_complex=True).is_complex()
    turned = at.full((8,), 1j)
    signal = at.istft(
        at.stft(at.ones(16), 8, 4, window=turned, onesided=False, return_complex=True), 8, 4, window=turned, return_complex=True
    )
    np.testing.assert_allclose(host(signal), np.ones(16), atol=1e-6)


def test_one_number_is_one_class() -> None:
    functional = at.nn.functional
    assert functional.multi_margin_loss(at.tensor(2.0), at.tensor(0)).item() == 0
    assert functional.multilabel_margin_loss(at.tensor(2.0), at.tensor(0)).item() == 0
    for dtype in (at.float32, at.float64):
        score, weight = at.tensor(2.0, dtype=dtype), at.tensor([3.0], dtype=dtype)
        assert functional.multi_margin_loss(score, at.tensor(0), weight=weight, reduction="none").shape == ()
        assert functional.multilabel_margin_loss(score, at.tensor(0), reduction="none").tolist() == 0.0
        assert functional.multilabel_margin_loss(score, at.tensor(-1), reduction="sum").tolist() == 0.0


def test_powers_of_one_number() -> None:
    assert at.linalg.vander(at.tensor(3.0), N=4).tolist() == [[1.0, 3.0, 9.0, 27.0]]
    with pytest.raises(ValueError, match="at least one dim"):
        at.linalg.vander(at.tensor(3.0))


@pytest.mark.parametrize("dtype", [at.complex64, at.complex128])
def test_complex_numbers_are_drawn(dtype: at.dtype) -> None:
    at.manual_seed(3)
    flat, bell = at.rand(4000, dtype=dtype), at.randn(4000, dtype=dtype)
    assert flat.dtype is dtype and bell.dtype is dtype and at.randn_like(bell).dtype is dtype and at.rand(0, dtype=dtype).shape == (0,)
    values = host(flat)
    assert values.real.min() >= 0 and values.imag.max() < 1 and abs(values.mean() - (0.5 + 0.5j)) < 0.03
    assert abs(np.mean(np.abs(host(bell)) ** 2) - 1) < 0.08 and abs(host(bell).mean()) < 0.05


@pytest.mark.parametrize("first", [0.0, -0.0])
def test_the_two_zeros_are_two_attributes(first: float) -> None:
    lost, negative = at.tensor([float("nan")]), at.tensor([-1.0])
    for zero in (first, -first):
        assert np.signbit(host(at.nan_to_num(lost, zero))) == np.signbit(zero)
        assert np.signbit(host(at.nn.functional.leaky_relu(negative, zero))) != np.signbit(zero)
        assert np.signbit(host(at.nn.functional.elu(negative, zero))) != np.signbit(zero)


@pytest.mark.parametrize("dtype", [at.uint16, at.uint32, at.uint64])
def test_wide_unsigned_integers_are_multiplied_and_added(dtype: at.dtype) -> None:
    x = at.tensor([1, 2, 3], dtype=dtype)
    found = at.addcmul(x, x, x, value=2)
    assert found.dtype is dtype and found.tolist() == [3, 10, 21]


def test_the_logarithm_of_gamma_is_infinite_at_the_lowest_numbers() -> None:
    assert at.lgamma(at.tensor([-1.7e308, -1e300, -3.0], dtype=at.float64)).tolist() == [float("inf")] * 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_ldexp_is_right_where_the_power_has_no_room(dtype: type) -> None:
    info = np.finfo(dtype)
    values = np.array([info.tiny, info.max, 0.0, -0.0, np.inf, np.nan, 1.0, -3.0, info.smallest_subnormal], dtype)[:, None]
    span = int(np.log2(float(info.max))) - int(np.log2(float(info.tiny)))
    exponents = np.array([0, 1, -7, 200, -200, span, -span, span + info.nmant, -span - info.nmant - 9, 10**6, -(10**6)], np.int32)
    with np.errstate(all="ignore"):
        expected = np.ldexp(values, exponents)
    np.testing.assert_array_equal(host(at.ldexp(tensor(values), tensor(exponents))), expected)
    for column, exponent in enumerate(exponents):
        np.testing.assert_array_equal(host(at.ldexp(tensor(values[:, 0]), int(exponent))), expected[:, column])
    assert at.ldexp(at.tensor(2.0), 0.5).item() == pytest.approx(2**1.5)
    assert at.ldexp(at.tensor(1j), at.tensor(2)).item() == 4j


def test_what_pytorch_refuses_is_refused() -> None:
    x = at.ones(2)
    for tolerances in ({"rtol": -0.1}, {"atol": -1}):
        with pytest.raises(ValueError, match="must not be negative"):
            at.isclose(x, x, **tolerances)
    with pytest.raises(TypeError, match="complex64 can't be written into int64"):
        at.masked_fill(at.tensor([1, 2]), at.tensor(False), at.tensor(1j))
    with pytest.raises(TypeError, match="bitwise_left_shift: at least one operand has to be a tensor"):
        at.bitwise_left_shift(1, 2)
    for function in (at.fft.fft2, at.fft.irfftn):
        with pytest.raises(IndexError, match="a 0-d tensor has no dimensions"):
            function(at.tensor(1.0), dim=(0,))


@pytest.mark.parametrize("name", ["geomspace", "npu_format_cast", "quantize_per_tensor", "channels_last"])
def test_what_is_not_there_says_what_to_do(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}': ."):
        getattr(at, name)


def test_pads_take_their_places_from_what_is_cut_off() -> None:
    pad, x = at.nn.functional.pad, at.tensor([[1.0, 2.0, 3.0]])
    assert pad(x, (-2, 2), "reflect").tolist() == [[3.0, 2.0, 1.0]]
    assert pad(x, (1, -2), "reflect").tolist() == [[2.0, 1.0]]
    assert pad(x, (-3, 2), "replicate").tolist() == [[3.0, 3.0]]
    assert pad(x, (-1, -1), "reflect").tolist() == [[2.0]]
    assert pad(x, (2, -4), "replicate").tolist() == [[1.0]]
    assert pad(x, (-1, 2)).tolist() == [[2.0, 3.0, 0.0, 0.0]]
    with pytest.raises(ValueError, match="cuts off more"):
        pad(x, (-4, 0), "replicate")


@pytest.mark.parametrize("name", ["l1_loss", "mse_loss", "smooth_l1_loss"])
def test_one_number_counts_as_much_as_the_other_operand_of_a_loss(name: str) -> None:
    loss = getattr(at.nn.functional, name)
    x, one = at.tensor([0.1, 0.7], dtype=at.float16), at.tensor(0.3, dtype=at.float64)
    for how in ("none", "mean", "sum"):
        whole = loss(x.to(at.float64), at.full((2,), 0.3, dtype=at.float64), reduction=how)
        assert loss(x, one, reduction=how).dtype is at.float64 and at.allclose(loss(x, one, reduction=how), whole, rtol=1e-14)
        assert at.allclose(loss(one, x, reduction=how), whole, rtol=1e-14)
    found = loss(at.tensor([1, 2]), at.tensor([3.0, 2.0], dtype=at.float16))
    assert found.dtype is at.float16 and found.item() == {"l1_loss": 1.0, "mse_loss": 2.0, "smooth_l1_loss": 0.75}[name]


@pytest.mark.parametrize("end", [1e-20, 0.5, 1e20, 1e38, 1e39, float("inf")])
def test_parabolas_of_any_width(end: float) -> None:
    functional, x, zeros = at.nn.functional, at.tensor([1e-12, 1.0, -5.0]), at.zeros(3)
    far = np.abs(host(x).astype(np.float64))
    with np.errstate(invalid="ignore"):
        expected = np.where(far < end, far**2 / 2, end * (far - end / 2))
    np.testing.assert_allclose(host(functional.huber_loss(x, zeros, reduction="none", delta=end)), expected, 1e-6)
    np.testing.assert_allclose(host(functional.smooth_l1_loss(x, zeros, reduction="none", beta=end)), expected / end, 1e-6, 1e-37)


def test_many_channels_are_one_convolution() -> None:
    x, weight = at.ones(1, 300, 3, 3), at.ones(1, 300, 2, 2)
    with at.trace() as steps:
        assert at.nn.functional.conv2d(x, weight).flatten().tolist() == [1200.0] * 4
    assert [launch.op_type for launch in steps.launches] == ["Conv2D"]


@pytest.mark.parametrize("dtype", [at.float16, at.bfloat16])
def test_wide_parabolas_of_halves_keep_small_differences(dtype: at.dtype) -> None:
    x = at.tensor([0.01, 3.0, -600.0]).to(dtype)
    far = np.abs(host(x).astype(np.float64))
    expected = np.where(far < 500, far**2 / 2, 500 * (far - 250))
    expected[far > 500] = np.inf if dtype is at.float16 else expected[far > 500]
    found = host(at.nn.functional.huber_loss(x, at.zeros(3, dtype=dtype), reduction="none", delta=500.0)).astype(np.float64)
    np.testing.assert_allclose(found, expected, 2**-8)


def test_parabolas_that_end_nowhere() -> None:
    functional, x = at.nn.functional, at.ones(2)
    with pytest.raises(at.errors.ValueRangeError, match="delta must be positive, but is nan"):
        functional.huber_loss(x, x, delta=float("nan"))
    with pytest.raises(at.errors.ValueRangeError, match="beta must not be negative, but is nan"):
        functional.smooth_l1_loss(x, x, beta=float("nan"))


def test_losses_of_integers() -> None:
    functional, x, y = at.nn.functional, at.tensor([1, 5]), at.tensor([3, 2])
    assert functional.l1_loss(x, y, reduction="none").tolist() == [2, 3]
    small = functional.l1_loss(x.to(at.int8), y.to(at.int8), reduction="sum")
    assert (small.dtype, small.item()) == (at.int64, 5)
    for loss in (functional.l1_loss, functional.mse_loss, functional.smooth_l1_loss):
        with pytest.raises(TypeError, match="floating"):
            loss(x, y)
    found = functional.margin_ranking_loss(x, y, at.tensor([1, 1]))
    assert (found.dtype, found.item()) == (at.float32, 1.0)
    pairs = at.tensor([[1, 2], [3, 4]]), at.tensor([[2, 1], [0, 1]], dtype=at.float16), at.tensor([1, -1])
    found = functional.cosine_embedding_loss(*pairs, reduction="none")
    assert found.dtype is at.float32 and np.allclose(host(found), [0.2, 0.8], 1e-6)
    assert functional.poisson_nll_loss(at.tensor([0, 1]), at.tensor([1, 2], dtype=at.float16)).dtype is at.float32
    assert functional.poisson_nll_loss(at.tensor([0, 1]), at.tensor(2.0, dtype=at.float64)).dtype is at.float64


def test_logits_give_a_loss_of_the_targets_dtype() -> None:
    loss = at.nn.functional.binary_cross_entropy_with_logits
    for dtype in (at.float16, at.float64):
        assert loss(at.ones(3), at.ones(3, dtype=dtype)).dtype is dtype


@pytest.mark.parametrize("name", ["nll_loss", "cross_entropy"])
def test_no_class_is_needed_where_there_is_no_target(name: str) -> None:
    loss = getattr(at.nn.functional, name)
    rows, targets = at.zeros(0, 0), at.zeros(0, dtype=at.int64)
    assert loss(rows, targets, reduction="none").shape == (0,) and loss(rows, targets, reduction="sum").item() == 0
    assert np.isnan(loss(rows, targets, at.zeros(0)).item()) and loss(at.zeros(2, 0, 0), at.zeros(2, 0, dtype=at.int64)).isnan().item()
    with pytest.raises(ValueError, match="number of classes"):
        loss(at.zeros(2, 0), at.zeros(2, dtype=at.int64))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_images_without_channels_or_without_a_place(rank: int) -> None:
    functional, size = at.nn.functional, (5,) * rank
    spread = getattr(functional, f"conv_transpose{rank}d")
    for dtype in (at.float32, at.float16, at.float64):
        image, weight = at.ones(2, 2, *(1,) * rank, dtype=dtype), at.ones(2, 3, *(2,) * rank, dtype=dtype)
        assert spread(image, weight, at.ones(3, dtype=dtype), padding=1).shape == (2, 3, *(0,) * rank)
        with pytest.raises(ValueError, match="nothing is left"):
            spread(image, weight, padding=2)
        for kind in ("avg", "max"):
            pool = getattr(functional, f"adaptive_{kind}_pool{rank}d")
            assert pool(at.ones(2, 0, *size, dtype=dtype), 3).shape == (2, 0, *(3,) * rank)
            assert pool(at.ones(0, *size, dtype=dtype), 0).shape == (0, *(0,) * rank)
            with pytest.raises(ValueError, match="no elements"):
                pool(at.ones(2, 3, *size[1:], 0, dtype=dtype), 3)
        assert functional.instance_norm(at.ones(2, 0, *size, dtype=dtype)).shape == (2, 0, *size)


def test_attention_of_vectors_without_elements() -> None:
    x = at.ones(2, 3, 0)
    assert at.nn.functional.scaled_dot_product_attention(x, x, x).shape == (2, 3, 0)
    found = at.nn.functional.scaled_dot_product_attention(x, x, at.tensor([[[1.0], [2.0], [6.0]]] * 2))
    assert np.allclose(host(found), 3.0)


def test_bool_tensors_to_the_power_of_true_and_false() -> None:
    x = at.tensor([True, False])
    for exponent in (True, np.True_):
        assert (x**exponent).dtype is at.bool and (x**exponent).tolist() == [True, False]
    assert (x**False).tolist() == at.pow(x, False, out=at.empty(2, dtype=at.bool)).tolist() == [True, True]
    assert x.clone().pow_(False).tolist() == [True, True] and (x**2).tolist() == [1, 0] and (x**0.0).tolist() == [1.0, 1.0]
    for left, right in ((x, x), (x, at.tensor(True)), (True, x)):  # as in PyTorch
        with pytest.raises(TypeError, match="bool is not supported"):
            left**right


def test_integers_may_be_0d_tensors() -> None:
    functional, x, image = at.nn.functional, at.arange(24.0).reshape(2, 3, 4), at.arange(16.0).reshape(1, 1, 4, 4)
    for call in (
        lambda n: at.zeros(n(2)) + at.ones(n(2)),
        lambda n: x.new_zeros(n(2)) + at.full((2,), n(1)),
        lambda n: at.stack([at.eye(n(2)), at.ones(n(2), 2)]),
        lambda n: x.roll(n(1)) + x.roll(n(1), n(0)),
        lambda n: x.view(n(24)).view((n(6), 4)),
        lambda n: x.sum(n(1)) + x.amax(n(1)) + x.mean((n(1),)) + x.std(n(1)) + x.logsumexp(n(1)) + x.norm(2, n(1)),
        lambda n: x.all(n(1)) | x.any(n(1)),
        lambda n: image.squeeze(n(0)).movedim(n(0), n(1)),
        lambda n: x.flip(n(0)) + x.chunk(n(2))[1] + x.split(n(1))[0],
        lambda n: x.tile(n(2)) + x.repeat(1, 1, n(2)),
        lambda n: at.tensordot(at.eye(3), at.eye(3), n(1)) + at.tensordot(at.eye(3), at.eye(3), ([n(0)], [n(1)])),
        lambda n: at.fft.fftshift(x, n(1)),
        lambda n: at.fft.fftfreq(n(4)),
        lambda n: functional.normalize(x, dim=n(2)) + at.count_nonzero(x, n(2))[..., None],
        lambda n: functional.pad(x, (n(1), 0), value=n(2)),
        lambda n: functional.threshold(x, n(4), n(2)),
        lambda n: at.index_add(x, 0, at.tensor([0, 1]), x, alpha=n(3)),
        lambda n: at.histc(x, 4, n(2), n(9)),
        lambda n: functional.layer_norm(x, (n(4),)),
        lambda n: functional.avg_pool2d(image, n(2)) + functional.max_pool2d(image, (n(2), 2)),
    ):
        expected = call(int)
        for kind in (at.tensor, lambda value: at.tensor(value, dtype=at.uint8)):
            assert at.equal(call(kind), expected)
    with pytest.raises(ValueError, match="equal parts"):
        at.hsplit(at.ones(2, 3), at.tensor(2))


def test_a_dim_that_changed_is_read_again() -> None:
    x, dim = at.arange(6.0).reshape(2, 3), at.tensor(0)
    assert x.sum((dim,)).shape == x.amax(dim).shape == (3,) and x.logsumexp((dim,)).shape == (3,)
    dim += 1
    assert x.sum((dim,)).shape == x.amax(dim).shape == (2,) and x.logsumexp((dim,)).shape == (2,)


def test_numbers_beside_0d_tensors_in_lists() -> None:
    single, half, whole = at.tensor(1.0), at.tensor(1.0, dtype=at.float16), at.tensor(1, dtype=at.int32)
    for data, dtype in (
        ([single, 2], at.float32),
        ([[single], [2.5]], at.float32),
        ([half, 2], at.float16),
        ([half, 2.5], at.float32),
        ([whole, 2], at.int64),
        ([single, 2j], at.complex64),
        ([whole, np.float64(2)], at.float64),
        ([whole, True], at.int32),
    ):
        assert at.tensor(data).dtype is dtype and at.tensor(data, dtype=at.float64 if dtype is not at.complex64 else dtype).shape[0] == 2


@pytest.mark.parametrize("dtype", [at.float16, at.float32, at.float64])
def test_integers_lie_between_by_a_0d_weight(dtype: at.dtype) -> None:
    low, high = at.tensor([1, 5, 3], dtype=at.uint8), at.tensor([4, 9, 0], dtype=at.uint8)
    found = at.lerp(low, high, at.tensor(0.5, dtype=dtype))
    assert found.dtype is dtype and found.tolist() == [2.5, 7.0, 1.5]
    assert at.lerp(low > 3, high > 3, at.tensor(0.5, dtype=dtype)).tolist() == [0.5, 1.0, 0.0]
    for weight in (0.5, at.tensor([0.5], dtype=dtype), at.tensor(1)):  # as in PyTorch
        with pytest.raises(TypeError, match="a floating dtype is needed"):
            at.lerp(low, high, weight)


def test_a_bias_adds_no_dims_to_what_linear_gives() -> None:
    x, weight = at.ones(3, 2), at.ones(2)
    assert at.nn.functional.linear(x, weight, at.tensor(1.0)).tolist() == [3.0] * 3
    for bias in (at.ones(2, 3), at.ones(1, 1)):
        with pytest.raises(ValueError, match=r"a bias of shape \[.*\] does not fit a result of shape \[3\]"):
            at.nn.functional.linear(x, weight, bias)


def test_norms_of_windows_of_integers_are_floats() -> None:
    x = at.tensor([[[3, 4, 0, 2]]])
    found = at.nn.functional.lp_pool1d(x, 2.0, 2)
    assert found.dtype is at.float32 and found.tolist() == [[[5.0, 2.0]]]


COUNTS = {
    "upscale_factor": lambda: at.nn.functional.pixel_shuffle(at.ones(1, 4, 2, 2), 1.5),
    "downscale_factor": lambda: at.nn.functional.pixel_unshuffle(at.ones(1, 2, 2), 2.0),
    "N": lambda: at.linalg.vander(at.ones(2), N=2.5),
    "minlength": lambda: at.bincount(at.tensor([1]), minlength=1.5),
    "window_length": lambda: at.hann_window(4.5),
    "padding_idx": lambda: at.nn.functional.embedding(at.tensor([0]), at.ones(2, 2), 1.0),
    "correction": lambda: at.cov(at.ones(2, 3), correction=0.5),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_integers(name: str) -> None:
    """They were cut off, or taken as they are."""
    with pytest.raises(TypeError, match=name):
        COUNTS[name]()
