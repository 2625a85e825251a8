"""Parameters of PyTorch's functions are taken by name and at their places (tests/data/torch_signatures.json), but for those named here."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import ascendtensor as at
from ascendtensor.ops.arguments import in_pytorchs_words
from ascendtensor.options import LikeOptions, TensorOptions

DATA: Final = Path(__file__).parents[1] / "data" / "torch_signatures.json"
SIGNATURES: Final[dict[str, Any]] = json.loads(DATA.read_text(encoding="utf-8"))
NAMES: Final = sorted(name for name in SIGNATURES if name != "about")

NOT_TAKEN: Final[dict[str, str]] = {
    "size_average": "deprecated, as docs/differences.md says; what follows it has no place of its own",
    "_stacklevel": "of PyTorch's warnings",
    "align_to_window": "as docs/differences.md says",
    "cudnn_enable": "a switch of another device",
    "cudnn_enabled": "a switch of another device",
    "out_dtype": "of the kernels of another device",
    "batch_sizes": "packed sequences, which docs/differences.md names",
    "implicit": "of PyTorch's tracer",
    "pickle_module": "files are no pickles",
    "pickle_protocol": "files are no pickles",
    "_use_new_zipfile_serialization": "files are no pickles",
    "_disable_byteorder_record": "files are no pickles",
    "mmap": "files are no pickles",
    "the_template": "of resize_as_, which raises",
}
"""Parameters that no function has, with the reason."""
EXCEPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "Tensor.cdouble": ("memory_format",),  # conversions by name leave the order as it is
    "Tensor.cfloat": ("memory_format",),
    "Tensor.record_stream": ("s",),  # PyTorch's documents say `stream`
    "Tensor.resize_": ("size", "memory_format"),  # it raises
    "Tensor.resize_as_": ("memory_format",),
    "nn.functional.linear_cross_entropy": ("options",),  # as docs/differences.md says
    "nn.functional.rrelu_": ("generator",),  # by name only
    "torch.rrelu_": ("generator",),
    "torch.native_batch_norm": ("out",),  # not in PyTorch's documents
    "torch.result_type": ("tensor", "other", "scalar", "scalar1", "scalar2"),  # operands of any kind, by place
}


class Overload(NamedTuple):
    """Parameters by place, those that are needed, those by name only, and whether any number of lengths may come."""

    places: list[str]
    needed: list[str]
    words: list[str]
    starred: bool


def overloads(name: str) -> Iterator[Overload]:
    for text in SIGNATURES[name]:
        places, _, words = text.partition("*")
        first, *named = [word.strip() for word in words.split(",")]
        every = [word.strip() for word in places.split(",") if word.strip()]
        own = [word.rstrip("=") for word in every]
        if {"batch_sizes", "out_dtype"} & set(own):
            continue
        yield Overload(own, [w for w in (*every, *named) if not w.endswith("=")], [w.rstrip("=") for w in named], bool(first))


def function_of(name: str) -> Any:
    home, _, word = name.rpartition(".")
    return getattr(at.Tensor if home == "Tensor" else reduce(getattr, home.split(".") if home != "torch" else [], at), word)


def takes(signature: inspect.Signature, places: int, words: list[str]) -> bool:
    """Whether a call with so many arguments by place and these by name would be one, with the words that are taken for others."""
    starred = next((each for each in signature.parameters.values() if each.kind is inspect.Parameter.VAR_KEYWORD), None)
    if starred is not None and "Options" in str(starred.annotation):
        options: Any = LikeOptions if "LikeOptions" in str(starred.annotation) else TensorOptions
        words = [word for word in words if word not in options.__annotations__]
        signature = signature.replace(parameters=[each for each in signature.parameters.values() if each is not starred])
    given: dict[str, Any] = dict.fromkeys(words)
    for kwargs in (given, in_pytorchs_words(signature, given)):
        try:
            signature.bind(*(None,) * places, **(given if kwargs is None else kwargs))
        except TypeError:
            continue
        return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_parameters_have_pytorchs_names_and_places(name: str) -> None:
    function = function_of(name)
    if not inspect.isroutine(function):  # a property that is also called, `size`
        return
    signature, itself = inspect.signature(function), int(name.startswith("Tensor."))
    for overload in overloads(name):
        left_out = {*NOT_TAKEN, *EXCEPTIONS.get(name, ()), *(("reduce",) if "size_average" in overload.places else ())}
        by_name = [word for word in (*overload.places, *overload.words) if word not in left_out]
        needed = [word for word in overload.needed if word not in left_out]
        wrong = [word for word in by_name if not takes(signature, itself, [word, *(each for each in needed if each != word)])]
        assert not wrong, f"{name}{signature} does not take {wrong} by name"
        if overload.starred:
            assert takes(signature, itself + 2, [each for each in needed if each in overload.words])
        upto = next((at for at, word in enumerate(overload.places) if word in left_out), len(overload.places))
        first = max(sum(word in overload.needed for word in overload.places), int(overload.starred))
        for count in range(first, upto + 1):
            text = f"{name}{signature} does not take {overload.places[:count]} by place"
            assert takes(signature, itself + count, [each for each in needed if each in overload.words]), text


def test_what_is_left_out_is_not_taken() -> None:
    for name, words in EXCEPTIONS.items():
        signature, itself = inspect.signature(function_of(name)), int(name.startswith("Tensor."))
        for word in words:
            needed = [each.needed for each in overloads(name) if word in (*each.places, *each.words)]
            taken = all(takes(signature, itself, [*{word, *each}]) for each in needed)
            assert (needed and not taken) or word == "generator", name  # by place alone it is not
    words = {word for name in NAMES for each in overloads(name) for word in (*each.places, *each.words)}
    assert NOT_TAKEN.keys() - words <= {"batch_sizes", "out_dtype"}
