"""Functions that write into their first tensor, by PyTorch's names; the methods of these names do the same."""

from __future__ import annotations

from typing import Any, TypeVar

from ..base import TensorBase
from .arguments import checked
from .nn import activation
from .pointwise import bessel, elementwise, floats, special, unary

T = TypeVar("T", bound=TensorBase)


@checked
def abs_(input: T) -> T:
    """`abs`, written into the tensor. Like: torch.abs_."""
    return unary.abs(input, out=input)


@checked
def acos_(input: T) -> T:
    """`acos`, written into the tensor. Like: torch.acos_."""
    return unary.acos(input, out=input)


@checked
def acosh_(input: T) -> T:
    """`acosh`, written into the tensor. Like: torch.acosh_."""
    return unary.acosh(input, out=input)


@checked
def arccos_(input: T) -> T:
    """`acos`, written into the tensor. Like: torch.arccos_."""
    return unary.acos(input, out=input)


@checked
def arccosh_(input: T) -> T:
    """`acosh`, written into the tensor. Like: torch.arccosh_."""
    return unary.acosh(input, out=input)


@checked
def arcsin_(input: T) -> T:
    """`asin`, written into the tensor. Like: torch.arcsin_."""
    return unary.asin(input, out=input)


@checked
def arcsinh_(input: T) -> T:
    """`asinh`, written into the tensor. Like: torch.arcsinh_."""
    return unary.asinh(input, out=input)


@checked
def arctan_(input: T) -> T:
    """`atan`, written into the tensor. Like: torch.arctan_."""
    return unary.atan(input, out=input)


@checked
def arctanh_(input: T) -> T:
    """`atanh`, written into the tensor. Like: torch.arctanh_."""
    return unary.atanh(input, out=input)


@checked
def asin_(input: T) -> T:
    """`asin`, written into the tensor. Like: torch.asin_."""
    return unary.asin(input, out=input)


@checked
def asinh_(input: T) -> T:
    """`asinh`, written into the tensor. Like: torch.asinh_."""
    return unary.asinh(input, out=input)


@checked
def atan_(input: T) -> T:
    """`atan`, written into the tensor. Like: torch.atan_."""
    return unary.atan(input, out=input)


@checked
def atanh_(input: T) -> T:
    """`atanh`, written into the tensor. Like: torch.atanh_."""
    return unary.atanh(input, out=input)


@checked
def ceil_(input: T) -> T:
    """`ceil`, written into the tensor. Like: torch.ceil_."""
    return unary.ceil(input, out=input)


@checked
def clamp_(input: T, min: Any = None, max: Any = None) -> T:
    """`clamp`, written into the tensor. Like: torch.clamp_."""
    return elementwise.clamp(input, min, max, out=input)


@checked
def clamp_max_(input: T, max: Any) -> T:
    """`clamp_max`, written into the tensor. Like: torch.clamp_max_."""
    return elementwise.clamp_max(input, max, out=input)


@checked
def clamp_min_(input: T, min: Any) -> T:
    """`clamp_min`, written into the tensor. Like: torch.clamp_min_."""
    return elementwise.clamp_min(input, min, out=input)


@checked
def clip_(input: T, min: Any = None, max: Any = None) -> T:
    """`clamp`, written into the tensor. Like: torch.clip_."""
    return elementwise.clamp(input, min, max, out=input)


@checked
def cos_(input: T) -> T:
    """`cos`, written into the tensor. Like: torch.cos_."""
    return unary.cos(input, out=input)


@checked
def cosh_(input: T) -> T:
    """`cosh`, written into the tensor. Like: torch.cosh_."""
    return unary.cosh(input, out=input)


@checked
def deg2rad_(input: T) -> T:
    """`deg2rad`, written into the tensor. Like: torch.deg2rad_."""
    return floats.deg2rad(input, out=input)


@checked
def erf_(input: T) -> T:
    """`erf`, written into the tensor. Like: torch.erf_."""
    return unary.erf(input, out=input)


@checked
def erfc_(input: T) -> T:
    """`erfc`, written into the tensor. Like: torch.erfc_."""
    return unary.erfc(input, out=input)


@checked
def exp2_(input: T) -> T:
    """`exp2`, written into the tensor. Like: torch.exp2_."""
    return unary.exp2(input, out=input)


@checked
def exp_(input: T) -> T:
    """`exp`, written into the tensor. Like: torch.exp_."""
    return unary.exp(input, out=input)


@checked
def expm1_(input: T) -> T:
    """`expm1`, written into the tensor. Like: torch.expm1_."""
    return unary.expm1(input, out=input)


@checked
def fix_(input: T) -> T:
    """`trunc`, written into the tensor. Like: torch.fix_."""
    return unary.trunc(input, out=input)


@checked
def floor_(input: T) -> T:
    """`floor`, written into the tensor. Like: torch.floor_."""
    return unary.floor(input, out=input)


@checked
def frac_(input: T) -> T:
    """`frac`, written into the tensor. Like: torch.frac_."""
    return elementwise.frac(input, out=input)


@checked
def gcd_(input: T, other: Any) -> T:
    """`gcd`, written into the first tensor. Like: torch.gcd_."""
    return floats.gcd(input, other, out=input)


@checked
def i0_(input: T) -> T:
    """`i0`, written into the tensor. Like: torch.i0_."""
    return bessel.i0(input, out=input)


@checked
def lcm_(input: T, other: Any) -> T:
    """`lcm`, written into the first tensor. Like: torch.lcm_."""
    return floats.lcm(input, other, out=input)


@checked
def ldexp_(input: T, other: Any) -> T:
    """`ldexp`, written into the first tensor. Like: torch.ldexp_."""
    return floats.ldexp(input, other, out=input)


@checked
def log10_(input: T) -> T:
    """`log10`, written into the tensor. Like: torch.log10_."""
    return unary.log10(input, out=input)


@checked
def log1p_(input: T) -> T:
    """`log1p`, written into the tensor. Like: torch.log1p_."""
    return unary.log1p(input, out=input)


@checked
def log2_(input: T) -> T:
    """`log2`, written into the tensor. Like: torch.log2_."""
    return unary.log2(input, out=input)


@checked
def log_(input: T) -> T:
    """`log`, written into the tensor. Like: torch.log_."""
    return unary.log(input, out=input)


@checked
def logit_(input: T, eps: float | None = None) -> T:
    """`logit`, written into the tensor. Like: torch.logit_."""
    return special.logit(input, eps, out=input)


@checked
def nan_to_num_(input: T, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None) -> T:
    """`nan_to_num`, written into the tensor. Like: torch.nan_to_num_."""
    return unary.nan_to_num(input, nan, posinf, neginf, out=input)


@checked
def neg_(input: T) -> T:
    """`neg`, written into the tensor. Like: torch.neg_."""
    return unary.neg(input, out=input)


@checked
def negative_(input: T) -> T:
    """`neg`, written into the tensor. Like: torch.negative_."""
    return unary.neg(input, out=input)


@checked
def rad2deg_(input: T) -> T:
    """`rad2deg`, written into the tensor. Like: torch.rad2deg_."""
    return floats.rad2deg(input, out=input)


@checked
def reciprocal_(input: T) -> T:
    """`reciprocal`, written into the tensor. Like: torch.reciprocal_."""
    return unary.reciprocal(input, out=input)


@checked
def round_(input: T, *, decimals: int = 0) -> T:
    """`round`, written into the tensor. Like: torch.round_."""
    return unary.round(input, decimals=decimals, out=input)


@checked
def rsqrt_(input: T) -> T:
    """`rsqrt`, written into the tensor. Like: torch.rsqrt_."""
    return unary.rsqrt(input, out=input)


@checked
def sigmoid_(input: T) -> T:
    """`sigmoid`, written into the tensor. Like: torch.sigmoid_."""
    return activation.sigmoid(input, out=input)


@checked
def sin_(input: T) -> T:
    """`sin`, written into the tensor. Like: torch.sin_."""
    return unary.sin(input, out=input)


@checked
def sinc_(input: T) -> T:
    """`sinc`, written into the tensor. Like: torch.sinc_."""
    return special.sinc(input, out=input)


@checked
def sinh_(input: T) -> T:
    """`sinh`, written into the tensor. Like: torch.sinh_."""
    return unary.sinh(input, out=input)


@checked
def sqrt_(input: T) -> T:
    """`sqrt`, written into the tensor. Like: torch.sqrt_."""
    return unary.sqrt(input, out=input)


@checked
def square_(input: T) -> T:
    """`square`, written into the tensor. Like: torch.square_."""
    return elementwise.square(input, out=input)


@checked
def tan_(input: T) -> T:
    """`tan`, written into the tensor. Like: torch.tan_."""
    return unary.tan(input, out=input)


@checked
def tanh_(input: T) -> T:
    """`tanh`, written into the tensor. Like: torch.tanh_."""
    return unary.tanh(input, out=input)


@checked
def trunc_(input: T) -> T:
    """`trunc`, written into the tensor. Like: torch.trunc_."""
    return unary.trunc(input, out=input)


@checked
def xlogy_(input: T, other: Any) -> T:
    """`xlogy`, written into the first tensor. Like: torch.xlogy_."""
    return elementwise.xlogy(input, other, out=input)
