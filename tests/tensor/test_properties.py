"""Shape, dtype, device and other facts about tensors; views as methods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ascendtensor as at


def test_facts() -> None:
    x = at.zeros(2, 3, dtype=at.float16)
    assert x.shape == (2, 3) and x.ndim == x.dim() == 2 and x.dtype is at.float16
    assert x.size == 6 and x.size() == (2, 3) and x.size(0) == 2 and x.size(-1) == 3
    assert isinstance(x.size, int) and x.numel() == x.nelement() == 6
    assert x.nbytes == 12 and x.itemsize == x.element_size() == 2
    assert x.stride() == (3, 1) and x.stride(0) == 3 and x.storage_offset() == 0
    assert x.is_npu and not x.is_cuda and not x.requires_grad and x.is_leaf
    assert not (x.is_cpu or x.is_meta or x.is_sparse or x.is_quantized)
    assert x.is_floating_point() and not x.is_complex() and x.is_signed()
    assert x.data_ptr() + 6 == x[1].data_ptr()
    assert len(x) == 2
    with pytest.raises(IndexError):
        x.size(2)


def test_device_names() -> None:
    x = at.zeros(2)
    assert str(x.device) == "npu:0" and x.device == "npu:0" and x.device != "npu:1" and x.device != "cpu"
    assert x.device.type == "npu" and x.device.index == x.get_device() == 0
    assert {x.device: 1}["npu:0"] == 1
    assert at.zeros(1, device="npu").device == at.current_device()
    assert at.zeros(1, device=1).device == "npu:1"
    with at.device(1):
        assert at.zeros(1).device == "npu:1"
    with pytest.raises(RuntimeError, match="cuda"):
        at.zeros(1, device="cuda")


def test_transposes_are_views() -> None:
    host = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    x = at.tensor(host)
    np.testing.assert_array_equal(x.T.numpy(), host.T)
    np.testing.assert_array_equal(x.mT.numpy(), host.swapaxes(-1, -2))
    assert not x.T.is_contiguous() and x.T.T.is_contiguous()
    assert x.T.data_ptr() == x.data_ptr()
    with pytest.raises(ValueError, match="two dimensions"):
        at.ones(3).mT  # noqa: B018


VIEWS: list[tuple[str, tuple[Any, ...], Any]] = [
    ("reshape", (4, 6), lambda a: a.reshape(4, 6)),
    ("reshape", ((-1, 2),), lambda a: a.reshape(-1, 2)),
    ("view", (6, -1), lambda a: a.reshape(6, -1)),
    ("flatten", (), lambda a: a.reshape(-1)),
    ("flatten", (1,), lambda a: a.reshape(2, 12)),
    ("ravel", (), lambda a: a.ravel()),
    ("unflatten", (2, (2, -1)), lambda a: a.reshape(2, 3, 2, 2)),
    ("permute", (2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    ("transpose", (0, -1), lambda a: a.swapaxes(0, -1)),
    ("swapaxes", (0, 1), lambda a: a.swapaxes(0, 1)),
    ("swapdims", (1, 2), lambda a: a.swapaxes(1, 2)),
    ("movedim", (0, 2), lambda a: np.moveaxis(a, 0, 2)),
    ("movedim", ((0, 1), (2, 0)), lambda a: np.moveaxis(a, (0, 1), (2, 0))),
    ("moveaxis", (-1, 0), lambda a: np.moveaxis(a, -1, 0)),
    ("unsqueeze", (1,), lambda a: np.expand_dims(a, 1)),
    ("unsqueeze", (-1,), lambda a: np.expand_dims(a, -1)),
    ("narrow", (1, 1, 2), lambda a: a[:, 1:3]),
    ("narrow", (1, -2, 1), lambda a: a[:, 1:2]),
    ("select", (2, -1), lambda a: a[:, :, -1]),
    ("diagonal", (), lambda a: np.diagonal(a)),
    ("diagonal", (1, 1, 2), lambda a: np.diagonal(a, 1, 1, 2)),
    ("diagonal", (-2, 0, 2), lambda a: np.diagonal(a, -2, 0, 2)),
    ("unfold", (2, 3, 1), lambda a: np.lib.stride_tricks.sliding_window_view(a, 3, 2)),
    ("unfold", (2, 2, 2), lambda a: a.reshape(2, 3, 2, 2)),
    ("expand", (5, 2, 3, 4), lambda a: np.broadcast_to(a, (5, 2, 3, 4))),
    ("expand", (-1, -1, 4), lambda a: a),
    ("broadcast_to", ((1, 2, 3, 4),), lambda a: a[None]),
    ("as_strided", ((2, 2), (1, 4), 3), lambda a: np.lib.stride_tricks.as_strided(a.ravel()[3:], (2, 2), (4, 16))),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), VIEWS, ids=[f"{name}{arguments}" for name, arguments, _ in VIEWS])
def test_views_as_methods_and_functions(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    host = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    x = at.tensor(host)
    launched = sum(at.handle_cache.launches().values())
    view = getattr(x, name)(*arguments)
    assert sum(at.handle_cache.launches().values()) == launched
    assert view.shape == expected(host).shape
    np.testing.assert_array_equal(view.numpy(), expected(host))
    if name not in ("expand", "unfold"):
        view += 1
        assert x.numpy().sum() == host.sum() + view.numel()
    turned = host.transpose(2, 1, 0).copy().transpose(2, 1, 0)
    if name not in ("view", "as_strided"):
        strided = at.tensor(host.transpose(2, 1, 0).copy()).permute(2, 1, 0)
        np.testing.assert_array_equal(getattr(strided, name)(*arguments).numpy(), expected(turned))


def test_parts() -> None:
    host = np.arange(14.0, dtype=np.float32).reshape(7, 2)
    x = at.tensor(host)

    def lengths(parts: Any, dim: int = 0) -> list[int]:
        assert np.array_equal(np.concatenate([part.numpy() for part in parts], dim), host)
        return [part.shape[dim] for part in parts]

    assert lengths(x.split(3)) == [3, 3, 1]
    assert lengths(x.split([1, 6])) == [1, 6]
    assert lengths(x.chunk(3)) == [3, 3, 1] and lengths(x.chunk(2, 1), 1) == [1, 1]
    assert lengths(x.tensor_split(3)) == [3, 2, 2] and lengths(x.tensor_split([2, 5])) == [2, 3, 2]
    assert [part.tolist() for part in x.unbind(1)] == [host[:, 0].tolist(), host[:, 1].tolist()]
    assert at.chunk(at.zeros(0, 2), 3)[2].shape == (0, 2)
    with pytest.raises(ValueError, match="add up"):
        x.split([1, 2])
    with pytest.raises(ValueError, match="chunks"):
        x.chunk(0)


def test_squeeze() -> None:
    x = at.zeros(1, 3, 1)
    assert x.squeeze().shape == (3,) and x.squeeze(0).shape == (3, 1) and x.squeeze(1).shape == (1, 3, 1)
    assert x.squeeze((0, 2)).shape == (3,)
    with pytest.raises(IndexError, match="out of range"):
        x.squeeze(3)


def test_views_of_other_dtypes() -> None:
    host = np.arange(8, dtype=np.int32).reshape(2, 4)
    x = at.tensor(host)
    for dtype, numpy in [(at.float32, np.float32), (at.uint8, np.uint8), (at.int64, np.int64), (at.float16, np.float16)]:
        np.testing.assert_array_equal(x.view(dtype).numpy(), host.view(numpy))
    x.view(at.int16)[0, 2] = 300
    assert x[0, 1].item() == 300
    with pytest.raises(ValueError, match="last dimension"):
        x.T.view(at.int64)
    with pytest.raises(ValueError, match="multiples of 2"):
        x[:, 1:].view(at.int64)


def test_what_views_refuse() -> None:
    x = at.zeros(2, 3)
    for call, error, text in [
        (lambda: x.view(4), ValueError, "view: .*size 6"),
        (lambda: x.T.view(6), ValueError, "Use reshape"),
        (lambda: x.reshape(-1, -1), ValueError, "reshape: "),
        (lambda: x.expand(2, 4), ValueError, "expand: "),
        (lambda: x.permute(0, 0), ValueError, "permutation"),
        (lambda: x.narrow(1, 2, 2), IndexError, "narrow: "),
        (lambda: x.select(0, 2), IndexError, "select: "),
        (lambda: x.transpose(0, 2), IndexError, "transpose: "),
        (lambda: x.diagonal(0, 1, 1), ValueError, "diagonal: "),
        (lambda: x.unfold(1, 4, 1), ValueError, "unfold: "),
        (lambda: x.as_strided((3, 3), (3, 1)), IndexError, "as_strided: .*memory of 6"),
        (lambda: at.t(at.zeros(1, 1, 1)), ValueError, "t: "),
    ]:
        with pytest.raises(error, match=text):
            call()


def test_detach_shares_and_clone_does_not() -> None:
    x = at.zeros(3)
    same, copy = x.detach(), x.clone()
    x += 1
    assert same.tolist() == [1.0] * 3 and copy.tolist() == [0.0] * 3
    assert x.contiguous() is x and x[::2].contiguous().is_contiguous()


def test_new_tensors_like_this_one() -> None:
    x = at.zeros(2, dtype=at.int8, device="npu:1")
    for y in (
        x.new_zeros(3),
        x.new_ones((3,)),
        x.new_full((3,), 7),
        x.new_empty(3),
        x.new_tensor([1, 2, 3]),
        at.zeros_like(x),
        at.full_like(x, 2),
    ):
        assert y.dtype is at.int8 and y.device == "npu:1"
    assert at.ones_like(x, dtype=at.float32).dtype is at.float32
    assert x.new_full((3,), 7).tolist() == [7] * 3


def test_parts_of_complex_numbers() -> None:
    for dtype in (at.complex64, at.complex128):
        host = np.array([[1 + 2j, 3 - 4j], [5j, 6]], dtype.numpy)
        x = at.tensor(host)
        assert x.real.tolist() == host.real.tolist() and x.T.imag.tolist() == host.T.imag.tolist()
        x.imag.zero_()
        x.real[0] += 1
        assert x.tolist() == [[2, 4], [0, 6]]
        assert at.view_as_complex(at.view_as_real(x)).data_ptr() == x.data_ptr()
    y = at.ones(2)
    assert y.real is y
    assert hasattr(y, "imag") and y.imag.tolist() == [0.0, 0.0]  # as of an array
    with pytest.raises(ValueError, match="share one place"):
        y.imag.fill_(1)
    with pytest.raises(TypeError, match="imag: "):
        at.imag(y)
    with pytest.raises(ValueError, match="view_as_complex: "):
        at.view_as_complex(at.ones(3))


def test_memory_of_a_tensor_from_before_shutdown_is_not_handed_out() -> None:
    x = at.full((4,), 7.0)
    at.shutdown()
    y = at.full((4,), 9.0)  # may lie where x lay
    for give in (x.data_ptr, lambda: x.data_buffer, x.__dlpack__, lambda: np.from_dlpack(x)):
        with pytest.raises(at.ClosedError, match=r"from before shutdown\(\)"):
            give()
    assert y.tolist() == [9.0] * 4
