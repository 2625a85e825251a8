"""Special functions, by PyTorch's names; `expi` and `spence`, which PyTorch lacks, by SciPy's. Like: torch.special."""

from __future__ import annotations

from .ops.activation import sigmoid as expit
from .ops.bessel import (
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    i0,
    i1,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
    spherical_bessel_j0,
)
from .ops.bessel import i0 as modified_bessel_i0
from .ops.bessel import i1 as modified_bessel_i1
from .ops.elementwise import xlogy
from .ops.nn import log_softmax, softmax
from .ops.reduction import logsumexp
from .ops.special import (
    digamma,
    entr,
    erfcx,
    erfinv,
    expi,
    gammainc,
    gammaincc,
    i0e,
    i1e,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    polygamma,
    sinc,
    spence,
    xlog1py,
    zeta,
)
from .ops.special import digamma as psi
from .ops.special import expi as expint_ei
from .ops.special import lgamma as gammaln
from .ops.special import mvlgamma as multigammaln
from .ops.unary import erf, erfc, exp2, expm1, log1p, round

__all__ = [
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcx",
    "erfinv",
    "exp2",
    "expi",
    "expint_ei",
    "expit",
    "expm1",
    "gammainc",
    "gammaincc",
    "gammaln",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "log1p",
    "log_ndtr",
    "log_softmax",
    "logit",
    "logsumexp",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "multigammaln",
    "ndtr",
    "ndtri",
    "polygamma",
    "psi",
    "round",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "sinc",
    "softmax",
    "spence",
    "spherical_bessel_j0",
    "xlog1py",
    "xlogy",
    "zeta",
]
