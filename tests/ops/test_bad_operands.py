"""What functions refuse before anything is launched, where no record says it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ascendtensor as at

X = [[1.0, 2.0], [3.0, 4.0]]
BY_INDEX: dict[str, Callable[[Any, Any], Any]] = {
    "gather": lambda x, index: at.gather(x, 0, index[None]),
    "index_add": lambda x, index: at.index_add(x, 0, index, x),
    "index_copy": lambda x, index: at.index_copy(x, 0, index, x),
    "index_fill": lambda x, index: at.index_fill(x, 0, index, 1.0),
    "index_reduce": lambda x, index: at.index_reduce(x, 0, index, x, "amax"),
    "index_select": lambda x, index: at.index_select(x, 0, index),
    "put": lambda x, index: at.put(x, index, x[0]),
    "scatter": lambda x, index: at.scatter(x, 0, index[None], 1.0),
    "scatter_reduce": lambda x, index: at.scatter_reduce(x, 0, index[None], x, "amax"),
    "take": at.take,
    "take_along_dim": lambda x, index: at.take_along_dim(x, index[None], 0),
}


@pytest.mark.parametrize("dtype", [at.float32, at.bool])
@pytest.mark.parametrize("name", BY_INDEX)
def test_places_are_integers(name: str, dtype: at.dtype) -> None:
    with pytest.raises(TypeError, match=f"not {dtype.name}|has dtype {dtype.name}"):
        BY_INDEX[name](at.tensor(X), at.tensor([0, 1]).to(dtype))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_bool_has_no_convolution(rank: int) -> None:
    x = at.ones(1, 1, *[4] * rank, dtype=at.bool)
    with pytest.raises(TypeError, match="no convolution"):
        getattr(at.nn.functional, f"conv{rank}d")(x, x)


def test_rows_that_are_scaled_down_are_those_of_a_matrix_by_integers() -> None:
    with pytest.raises(ValueError, match=r"embedding_renorm_: the table has to be a matrix, not of shape \[2\]"):
        at.embedding_renorm_(at.ones(2), at.tensor([0]), 1.0, 2.0)
    with pytest.raises(TypeError, match="embedding_renorm_: integers are needed, not float32"):
        at.embedding_renorm_(at.ones(2, 2), at.ones(1), 1.0, 2.0)
