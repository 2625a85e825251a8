"""Tensors in files, copied, and in other processes."""

from __future__ import annotations

import copy
import io
import multiprocessing
import os
import pickle
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ascendtensor as at
from ascendtensor import dtypes as d
from ascendtensor import saving

SHAPES = [(), (0,), (1,), (3, 5), (2, 0, 3)]


def made(dtype: d.dtype, shape: tuple[int, ...] = (3, 5)) -> Any:
    bits = np.random.default_rng(len(shape)).integers(0, 2, (*shape, dtype.itemsize), np.uint8)
    return at.tensor(np.ascontiguousarray(bits).view(dtype.numpy).reshape(shape))


def same(found: Any, wanted: Any) -> None:
    assert type(found) is type(wanted) and found.dtype is wanted.dtype and found.shape == wanted.shape
    assert found.numpy().tobytes() == wanted.numpy().tobytes()


@pytest.mark.parametrize("suffix", ["safetensors", "npz"])
def test_a_dict_of_every_dtype_and_shape_comes_back(tmp_path: Path, suffix: str) -> None:
    lost = d.complex128 if suffix == "safetensors" else d.bfloat16
    tensors = {f"{dtype.name} {shape}": made(dtype, shape) for dtype in d.ALL for shape in SHAPES if dtype is not lost}
    tensors["a/b.npy"] = made(d.float32).T[1:, ::2]
    path = tmp_path / f"file.{suffix}"
    at.save(tensors, path)
    found = at.load(str(path))
    assert isinstance(found, dict) and sorted(found) == sorted(tensors)
    for name, value in tensors.items():
        same(found[name], value)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    at.save({}, path)
    assert at.load(path) == {}


@pytest.mark.parametrize("dtype", [dtype for dtype in d.ALL if dtype is not d.bfloat16], ids=str)
def test_a_tensor_comes_back(tmp_path: Path, dtype: d.dtype) -> None:
    for shape in SHAPES:
        value = made(dtype, shape)
        at.save(value, tmp_path / "x.npy")
        same(at.load(tmp_path / "x.npy"), value)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), value.numpy())


def test_files_of_others_are_read(tmp_path: Path) -> None:
    numbers = np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3))
    np.save(tmp_path / "x.npy", numbers)
    np.savez(tmp_path / "x.npz", a=numbers, b=np.float16(2))
    np.savez_compressed(tmp_path / "y.npz", a=numbers)
    package = pytest.importorskip("safetensors.numpy")
    package.save_file({"a": np.ones(3, np.float32)}, tmp_path / "x.safetensors", metadata={"format": "np"})
    assert at.load(tmp_path / "x.npy").tolist() == numbers.tolist()  # type: ignore[union-attr]
    for name, keys in (("x.npz", ["a", "b"]), ("y.npz", ["a"]), ("x.safetensors", ["a"])):
        assert list(at.load(tmp_path / name)) == keys
    at.save({"a": at.ones(2)}, tmp_path / "z.safetensors")
    assert package.load_file(tmp_path / "z.safetensors")["a"].tolist() == [1, 1]
    at.save({"a": at.ones(2)}, tmp_path / "z.npz")
    assert np.load(tmp_path / "z.npz")["a"].tolist() == [1, 1]


def test_open_files_take_the_format_by_name() -> None:
    for kind, value in (("npy", at.ones(3)), ("npz", {"a": at.ones(3)}), ("safetensors", {"a": at.ones(3).bfloat16()})):
        file = io.BytesIO()
        at.save(value, file, format=kind)
        file.seek(0)
        found = at.load(file, device="npu:1")
        assert (found if kind == "npy" else found["a"]).device == "npu:1"  # type: ignore[union-attr, index, call-overload]


@pytest.mark.parametrize(
    ("value", "name", "error", "match"),
    [
        (at.float32, "x.npy", TypeError, "holds one tensor"),
        ({"a": 1}, "x.npz", TypeError, "'a' must be a tensor"),
        ({1: None}, "x.safetensors", TypeError, "dict of tensors by name"),
        ("bfloat16", "x.npy", TypeError, "no bfloat16"),
        ("bfloat16", "x.npz", TypeError, "no bfloat16"),
        ("complex128", "x.safetensors", TypeError, "no complex128"),
        ({}, "x.pt", ValueError, r"\.pt is no format"),
        ({}, "x", ValueError, "a name without suffix is no format"),
        ({}, 3, TypeError, "a path or an open file"),
    ],
)
def test_what_can_not_be_saved_touches_no_file(tmp_path: Path, value: Any, name: Any, error: type[Exception], match: str) -> None:
    path = tmp_path / name if isinstance(name, str) else name
    if isinstance(name, str):
        path.write_bytes(b"before")
    if isinstance(value, str):
        value = at.ones(2, dtype=value) if name == "x.npy" else {"a": at.ones(2, dtype=value)}
    with pytest.raises(error, match=match):
        at.save(value, path)
    if isinstance(name, str):
        assert path.read_bytes() == b"before" and len(list(tmp_path.iterdir())) == 1


def test_names_that_a_format_can_not_hold() -> None:
    for kind, name in (("safetensors", "__metadata__"), ("npz", "a\0b"), ("npz", "a" * 65533)):
        with pytest.raises(ValueError, match="can't stand"):
            at.save({name: at.ones(1)}, io.BytesIO(), format=kind)


def test_a_write_that_fails_leaves_the_file_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.npy"
    at.save(at.ones(2), path)
    mode = path.stat().st_mode

    def full(*arguments: Any) -> None:
        raise OSError("no space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(saving.os, "replace", full)
        with pytest.raises(OSError, match="no space"):
            at.save(at.zeros(2), path)
    assert at.load(path).tolist() == [1, 1] and len(list(tmp_path.iterdir())) == 1  # type: ignore[union-attr]
    at.save(at.zeros(2), path)
    assert at.load(path).tolist() == [0, 0] and path.stat().st_mode == mode  # type: ignore[union-attr]


class InParts(io.RawIOBase):
    """A file that takes a few bytes at a time, as one without a buffer takes 2 GiB."""

    def __init__(self) -> None:
        super().__init__()
        self.content = b""

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        part = bytes(content[:10])
        self.content += part
        return len(part)


class BytePath(os.PathLike[bytes]):
    def __init__(self, path: Path) -> None:
        self.path = os.fsencode(path)

    def __fspath__(self) -> bytes:
        return self.path


def test_files_of_every_kind_are_written_whole(tmp_path: Path) -> None:
    x = at.arange(40)
    file = InParts()
    at.save(x, file, format="npy")
    same(at.load(io.BytesIO(file.content)), x)
    for path in (BytePath(tmp_path / "x.npy"), tmp_path / f"{'n' * 250}.npy"):
        at.save(x, path)
        same(at.load(path), x)


def test_a_pipe_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "pipe.npy"
    os.mkfifo(path)
    found: list[Any] = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    at.save(at.arange(3), path)
    reader.join(timeout=10)
    assert at.load(io.BytesIO(found[0])).tolist() == [0, 1, 2] and path.is_fifo()  # type: ignore[union-attr]


def test_saving_threads_leave_the_mask_of_the_process(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: at.save(at.ones(1), tmp_path / f"{number}.npy"), range(40)))
        assert os.umask(0o027) == 0o027
        assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o640}
    finally:
        os.umask(before)


def contents() -> dict[str, bytes]:
    found = {}
    for kind, value in (("npy", at.ones(3)), ("npz", {"a": at.ones(3), "b": at.ones((2, 2))}), ("safetensors", {"a": at.ones(3)})):
        file = io.BytesIO()
        at.save(value, file, format=kind)
        found[kind] = file.getvalue()
    return found


def test_truncated_files_are_errors_of_their_own() -> None:
    for content in contents().values():
        for length in range(len(content)):
            with pytest.raises(at.FileFormatError):
                at.load(io.BytesIO(content[:length]))
    with pytest.raises(at.FileFormatError):
        at.load(io.BytesIO(contents()["npy"] + b"more"))


@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(["npy", "npz", "safetensors"]), data=st.data())
def test_damaged_files_give_tensors_or_named_errors(kind: str, data: st.DataObject) -> None:
    content = bytearray(contents()[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        at.load(io.BytesIO(bytes(content)))
    except at.AscendTensorError as error:
        assert isinstance(error, (ValueError, TypeError))


class Bomb:
    def __reduce__(self) -> Any:
        return sys.exit, ("unpickled",)


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([Bomb()], object), allow_pickle=True)
    np.savez(tmp_path / "x.npz", a=np.array([Bomb()], object))
    (tmp_path / "x.pkl").write_bytes(pickle.dumps(Bomb()))
    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Bomb()))
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(at.FileFormatError, match="pickle"):
            at.load(path)


def test_files_that_are_not_there_or_of_text(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        at.load(tmp_path / "x.npy")
    with pytest.raises(FileNotFoundError) as caught:
        at.save(at.ones(1), tmp_path / "nowhere" / "x.npy")
    assert caught.value.filename == str(tmp_path / "nowhere" / "x.npy")
    at.save(at.ones(1), tmp_path / "x.npy")
    with (tmp_path / "x.npy").open() as file, (tmp_path / "text.npy").open("w") as text:
        for call in (lambda: at.load(io.StringIO("text")), lambda: at.load(file), lambda: at.save(at.ones(1), text)):
            with pytest.raises(TypeError, match="text mode"):
                call()
    with pytest.raises(TypeError, match="a path or an open file"):
        at.load(3)
    with pytest.raises(at.FileFormatError, match="empty"):
        at.load(io.BytesIO())


def test_dtypes_that_tensors_do_not_have(tmp_path: Path) -> None:
    for array in (np.array(["text"]), np.array([(1, 2.0)], "i4,f4"), np.zeros(2, "M8[s]")):
        np.save(tmp_path / "x.npy", array)
        with pytest.raises(TypeError, match=r"the \.npy file can't become a tensor"):
            at.load(tmp_path / "x.npy")
        np.savez(tmp_path / "x.npz", good=np.ones(2), bad=array)
        with pytest.raises(TypeError, match="'bad' can't become a tensor"):
            at.load(tmp_path / "x.npz")
    for shape in ((1,) * 33, (1,) * 70):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n".encode()
        content = b"\x93NUMPY\x01\0" + len(header).to_bytes(2, "little") + header + bytes(4)
        with pytest.raises(at.FileFormatError, match="dimensions, tensors have at most 32"):
            at.load(io.BytesIO(content))


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    content = contents()["safetensors"]
    monkeypatch.setattr(saving, "_installed", None)
    with pytest.raises(NotImplementedError, match=r"ascendtensor\[safetensors\]"):
        at.save({}, io.BytesIO(), format="safetensors")
    with pytest.raises(NotImplementedError, match="not installed"):
        at.load(io.BytesIO(content))


# Copies, other processes


def test_a_shallow_copy_shares_memory_and_a_deep_one_does_not() -> None:
    x = at.arange(6).reshape(2, 3)
    shallow, deep = copy.copy(x.T), copy.deepcopy([x, x])
    x[0, 0] = 9
    assert shallow.tolist()[0][0] == 9 and shallow.shape == (3, 2)
    assert deep[0].tolist()[0][0] == 0 and deep[0] is deep[1]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_tensors_have_dtype_shape_and_device(protocol: int) -> None:
    for x in (made(d.bfloat16).T[1:, ::2], made(d.float64, ()), made(d.int8, (0, 3)), at.ones(2, device="npu:1")):
        found = pickle.loads(pickle.dumps(x, protocol))
        same(found, x)
        assert found.device == x.device and found.is_contiguous()


def test_a_pickle_of_a_device_that_is_not_here_lands_on_the_current_one(monkeypatch: pytest.MonkeyPatch) -> None:
    content = pickle.dumps(at.ones(2, device="npu:1"))
    monkeypatch.setattr(sys.modules["ascendtensor.tensor"], "device_count", lambda: 1)
    assert pickle.loads(content).device == at.current_device()


def test_tensors_go_to_spawned_processes_and_back() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply_async(at.add, (at.arange(3), at.ones(3, dtype=at.int64))).get(timeout=60)
    assert found.tolist() == [1, 2, 3]


def test_load_takes_pytorchs_words(tmp_path: Path) -> None:
    at.save({"x": at.ones(2)}, tmp_path / "x.npz")
    for found in (
        at.load(tmp_path / "x.npz", "npu:1"),
        at.load(tmp_path / "x.npz", map_location=at.device("npu:1"), weights_only=True),
        at.load(tmp_path / "x.npz", device="npu:1", weights_only=False),
    ):
        assert isinstance(found, dict) and found["x"].device == "npu:1"
    with pytest.raises(at.DeviceError, match="unknown device 'cpu'"):
        at.load(tmp_path / "x.npz", map_location="cpu")
