"""Edges at which a result is not the reference's, with the reason: records of operators and of moving, sorting and counting.

A name and a kind of edge (`edge_samples.KINDS`) stand here as long as there is a disagreement: `test_edge_values.py` fails for one that is
not needed any more, kinds aside that depend on NumPy's build. What is declared still has to give a result of the right shape and
dtype, or an error of the package.
"""

from __future__ import annotations

from collections.abc import Mapping

SQUARES = "squares of the largest numbers are infinite; docs/differences.md says so of var and std, and PyTorch's norm is infinite, too"
NEIGHBOURS = "neighbours are added before they are halved, as in PyTorch: the sum of the largest numbers is infinite"
HALVED = "half of the smallest number is 0, where the function has a pole, as in PyTorch (whose k0 has a limit there)"
RUNNING = "a running product that has become infinite stays so; float64, which the reference has, holds it"
NO_WAIT = "the limits of the data stay on the device: edges that are NaN or infinite show it, where NumPy and PyTorch raise"
TIMES_PI = "pi times the largest numbers is infinite and has no sine: NaN, as in PyTorch"
ALONE = "a letter of one operand alone is summed before the product, as in PyTorch: NumPy adds products with both signs"
WEIGHED = "elements times weights are infinite before they are divided, as NumPy's are in the same dtype"

DECLARED: Mapping[str, Mapping[str, str]] = {
    "addmv": {"largest": "partial sums are infinite, with both signs, where float64 holds them"},
    "average": {"largest": WEIGHED},
    "cumprod": {"largest": RUNNING},
    "cumulative_trapezoid": {"largest": NEIGHBOURS},
    "einsum": {"inf": ALONE, "-inf": ALONE},
    "fma": {"largest": "the product overflows before the sum; nothing says that FusedMulAdd rounds once"},
    "gradient": {"largest": "products of a slope and a distance overflow for coordinates, as in PyTorch"},
    "hardswish": {"largest": "x * 6 overflows before it is divided by 6, as in PyTorch"},
    "histogram": {"nan": NO_WAIT, "inf": NO_WAIT, "-inf": NO_WAIT},
    "k0": {"subnormal": HALVED},
    "k0e": {"subnormal": HALVED},
    "k1": {"subnormal": HALVED},
    "k1e": {"subnormal": HALVED},
    "relu6": {"-0.0": "0.0 and -0.0 are equal to a clamp, which may give either; docs/differences.md says so"},
    "roi_align": {
        "largest": "sums of the largest elements overflow before they are divided by their number",
        "empty": "images without places are refused: there is nothing to interpolate",
    },
    "round": {"largest": "the number times 10 to the decimals is infinite, as in PyTorch"},
    "scatter_reduce-prod": {"largest": RUNNING},
    "scatter_reduce-prod-new": {"largest": RUNNING},
    "sinc": {"largest": TIMES_PI},
    "std": {"largest": SQUARES},
    "std_mean": {"largest": SQUARES},
    "tensordot": {"one": "a contracted dim of length 1 stands for any length, as in PyTorch"},
    "trapezoid": {"largest": NEIGHBOURS},
    "trapz": {"largest": NEIGHBOURS},
    "vector_norm": {"largest": SQUARES},
}

OVERFLOWING = "products of parts are infinite with both signs, NaN in sum, where complex128, which the reference has, holds them"
LIBRARY = "which parts of a sum with infinite products are NaN differs between BLAS libraries and loops, NumPy's own too"

FOR_OTHER_DTYPES: Mapping[str, Mapping[str, str]] = {
    "average": {"empty": "weights without elements have the sum 0, which stays on the device: NaN, where NumPy raises"},
    "einsum": {"largest": ALONE},
    "gradient": {"expanded": "coordinates that coincide: NaN and infinities as PyTorch's, where NumPy sees equal distances"},
    "matmul": {"largest": OVERFLOWING},
    "ndtri": {"subnormal": "subnormal chances have few digits, and the steps in float64 as few"},
    "poisson": {"largest": "65504 of float16 is a rate to draw from, and chance has its say"},
    "pow": {"largest": OVERFLOWING},
    "prod": {"largest": OVERFLOWING},
    "segment_reduce": {"expanded": "offsets that don't reach the end of the dim are an error of the queued work; docs say so"},
    "vander": {"largest": OVERFLOWING},
    "vdot": {"largest": OVERFLOWING},
    "vecdot": {"largest": OVERFLOWING},
}
"""Disagreements that only the slow sweep sees: of halves, float64 and complex numbers, and of more samples."""

OF_INTEGERS: Mapping[str, Mapping[str, str]] = {
    "lcm": {"most": "a multiple that the dtype does not hold wraps before its sign is dropped, or after it, as in PyTorch"},
    "pow": {"least": "a tensor of negative exponents gives what 1 / power is cut to, as in PyTorch; NumPy raises"},
    "unravel_index": {"most": "numbers out of range are not looked for on the device, as in PyTorch; NumPy raises"},
}
"""Disagreements at the ends of an integer dtype."""
