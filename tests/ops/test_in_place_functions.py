"""Functions of nn.functional that write into their operand: the same numbers as without, in the same tensor, also through a view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import array, d, host, tensor

from ascendtensor.nn import functional as F

KEYWORD: dict[str, tuple[Any, ...]] = {
    "relu": (),
    "relu6": (),
    "elu": (0.5,),
    "selu": (),
    "celu": (0.5,),
    "leaky_relu": (0.2,),
    "hardtanh": (-0.5, 0.5),
    "hardswish": (),
    "hardsigmoid": (),
    "silu": (),
    "mish": (),
    "threshold": (0.25, 2.0),
    "rrelu": (0.1, 0.3),
}
UNDERSCORED = ["relu_", "elu_", "selu_", "celu_", "leaky_relu_", "hardtanh_", "threshold_", "rrelu_"]


@pytest.mark.parametrize("dtype", [d.float32, d.bfloat16, d.float64], ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("name", [*KEYWORD, *UNDERSCORED])
def test_the_operand_takes_the_result(name: str, dtype: Any) -> None:
    arguments = KEYWORD[name.rstrip("_")]
    keyword = {} if name.endswith("_") else {"inplace": True}
    plain: Callable[..., Any] = getattr(F, name.rstrip("_"))
    for values in (array(dtype, (4, 5)), array(dtype, (6, 8))[1::2, ::3]):
        expected = host(plain(tensor(values), *arguments))
        target = tensor(values)
        assert getattr(F, name)(target, *arguments, **keyword) is target
        np.testing.assert_array_equal(host(target), expected)
