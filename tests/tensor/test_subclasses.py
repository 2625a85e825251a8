"""Classes of the user's own: which class results have, what copies and pickles keep."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from harness import With, to_device
from records import RECORDS

import ascendtensor as at
import ascendtensor.array_api as xp


class Length(at.Tensor):
    """With attributes, in `__dict__` and in a slot of a name of its own."""

    __slots__ = ("__dict__", "__digits", "unit")

    def digits(self) -> int:
        return self.__digits

    def with_digits(self, digits: int) -> Length:
        self.__digits = digits
        return self


class Plain(at.Tensor):
    """With nothing of its own but what is put into its `__dict__`."""


class Slotted(at.Tensor):
    """With slots alone."""

    __slots__ = ("unit",)


class Counted(at.Tensor):
    """Which says itself what is kept."""

    def __getstate__(self) -> Any:
        return {"copies": getattr(self, "copies", 0)}

    def __setstate__(self, state: Any) -> None:
        self.copies = state["copies"] + 1


def _length() -> Any:
    x = at.tensor([[1.0, 2.0], [3.0, 4.0]]).as_subclass(Length).with_digits(3)
    x.unit, x.notes = "m", ["long"]
    return x


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, *(lambda x, p=p: pickle.loads(pickle.dumps(x, p)) for p in (0, 2, 5))])
def test_copies_keep_the_class_and_what_it_holds(way: Callable[[Any], Any]) -> None:
    x = _length()
    y = way(x)
    assert type(y) is Length and y is not x and y.tolist() == x.tolist()
    assert (y.unit, y.notes, y.digits()) == ("m", ["long"], 3)
    assert (y.notes is x.notes) == (way is copy.copy)
    y.fill_(0)
    assert x.sum().item() == (0 if way is copy.copy else 10)  # a shallow copy shares memory
    assert type(way(at.ones(2).as_subclass(Plain))) is Plain and type(way(xp.ones(2))) is xp.Array and type(way(at.ones(2))) is at.Tensor
    assert way(at.ones(2).as_subclass(Counted)).copies == 1
    for cls in (Plain, Slotted):
        z: Any = at.ones(2).as_subclass(cls)
        z.unit = "m"
        assert type(way(z)) is cls and way(z).unit == "m"


def test_an_attribute_may_lead_back_to_the_tensor() -> None:
    x = _length()
    x.itself = x
    for y in (copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y.itself is y and y is not x


def test_slots_that_hold_nothing_stay_empty() -> None:
    y = copy.copy(at.ones(2).as_subclass(Length))
    assert not hasattr(y, "unit") and vars(y) == {}


def test_as_subclass_shares_memory() -> None:
    x = at.zeros(2)
    x.as_subclass(Plain).fill_(7)
    assert x.tolist() == [7.0, 7.0] and type(x) is at.Tensor
    assert type(x.as_subclass(Plain).as_subclass(at.Tensor)) is at.Tensor
    for wrong in (int, at.ones(2), object):
        with pytest.raises(TypeError, match="as_subclass: a subclass of NPUTensor is needed"):
            x.as_subclass(wrong)  # type: ignore[type-var, arg-type]


@pytest.mark.parametrize(
    "made",
    [
        lambda x, p: x + p,
        lambda x, p: 1 - x,
        lambda x, p: x == p,
        lambda x, p: x @ p,
        lambda x, p: x[0],
        lambda x, p: x[x > 1],
        lambda x, p: x.T.reshape(-1),
        lambda x, p: x.max(0).values,
        lambda x, p: x.to(at.float64),
        lambda x, p: at.where(x > 1, x, p),
        lambda x, p: at.cat([x, p]),
        lambda x, p: at.zeros_like(x),
        lambda x, p: at.empty_like(x),
        lambda x, p: at.rand_like(x),
        lambda x, p: x.new_zeros(2),
        lambda x, p: x.new_tensor([1]),
        lambda x, p: at.isreal(x),
        lambda x, p: at.diag_embed(x),
        lambda x, p: at.linalg.eigvals(x),
        lambda x, p: at.linalg.matrix_exp(x),
        lambda x, p: at.linalg.lu(x)[0],
        lambda x, p: at.cholesky_solve(x, p),
        lambda x, p: at.normal(x),
        lambda x, p: x.sum((), keepdim=True),
        lambda x, p: x[:0].sum(),
        lambda x, p: x + np.ones((2, 2)),
        lambda x, p: np.ones((2, 2)) + x,
        lambda x, p: np.maximum([1.0, 2.0], x),
        lambda x, p: np.mean(x, axis=0),
        lambda x, p: np.where([True, False], x, 0),
        lambda x, p: np.concatenate([np.ones((1, 2)), x]),
        lambda x, p: np.full_like(x, 2),
        lambda x, p: np.zeros(2, like=x),
    ],
)
def test_results_have_the_class_of_the_first_tensor(made: Callable[[Any, Any], Any]) -> None:
    x, p = at.tensor([[2.0, 0.0], [0.0, 1.0]]), at.eye(2)
    assert type(made(x.as_subclass(Plain), p)) is Plain
    assert type(made(x, p)) is at.Tensor


def _kept(value: Any) -> Any:
    """Operands of a test record, tensors among them of a subclass."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_kept, value))
    return value.as_subclass(Plain) if isinstance(value, at.Tensor) else value


def _classes(found: Any) -> Iterator[type]:
    if isinstance(found, (list, tuple)):
        for part in found:
            yield from _classes(part)
    elif isinstance(found, at.Tensor):
        yield type(found)


def test_composed_functions_give_tensors_of_the_class_of_their_operands() -> None:
    lost, count = set(), 0
    for record in RECORDS:
        if len(record.rows) == 1:  # one launch, whose result is of the class of its first operand
            continue
        for sample in list(record.samples(record.dtypes[0]))[:1]:
            args, kwargs = (sample.args, sample.kwargs) if isinstance(sample, With) else (sample, {})
            operands = _kept(to_device(args))
            if operands and Plain in _classes(operands[0]):
                found = record.function(*operands, **{name: _kept(to_device(value)) for name, value in kwargs.items()})
                count += 1
                if at.Tensor in _classes(found):
                    lost.add(record.name)
    assert not lost and count > 200


def test_a_subclass_in_the_second_place() -> None:
    x, y = at.ones(2), at.ones(2).as_subclass(Plain)
    assert type(x + y) is type(x * y) is type(at.stack([x, y])) is at.Tensor and type(x.copy_(y)) is at.Tensor
    assert type(x == y) is type(x < y) is Plain  # Python asks a subclass first, here
    assert type(at.add(x, x, out=y)) is Plain
