"""Further names that PyTorch has for functions element by element: NumPy's, and the long ones of comparisons."""

from __future__ import annotations

from typing import Final

from . import comparison, elementwise, special, unary

__all__ = [
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "clip",
    "divide",
    "fix",
    "greater",
    "greater_equal",
    "igamma",
    "igammac",
    "less",
    "less_equal",
    "multiply",
    "negative",
    "not_equal",
    "subtract",
]

absolute: Final = unary.abs
arccos: Final = unary.acos
arccosh: Final = unary.acosh
arcsin: Final = unary.asin
arcsinh: Final = unary.asinh
arctan: Final = unary.atan
arctan2: Final = elementwise.atan2
arctanh: Final = unary.atanh
clip: Final = elementwise.clamp
divide: Final = elementwise.div
fix: Final = unary.trunc
greater: Final = comparison.gt
greater_equal: Final = comparison.ge
igamma: Final = special.gammainc
igammac: Final = special.gammaincc
less: Final = comparison.lt
less_equal: Final = comparison.le
multiply: Final = elementwise.mul
negative: Final = unary.neg
not_equal: Final = comparison.ne
subtract: Final = elementwise.sub
