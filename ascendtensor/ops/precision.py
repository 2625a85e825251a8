"""How exactly float32 matrices are multiplied, and what is said of float64, which no AI Core computes.

What each choice does depends on the chip's matrix unit (cube):

| precision | Ascend910B, Ascend910_93, Ascend950, Ascend310B | other chips, whose cube has no float32 |
|---|---|---|
| "highest" | float32 | a CompileError: nothing is lowered quietly |
| "high" | float32 | three products of float16 parts, about 22 bits, numbers up to 65504 |
| "medium" | bfloat16 operands (Ascend310B: float16), float32 sums | float16 operands, float32 sums |

CANN's own way to less exact products, HF32 (`ACL_ALLOW_HF32`, `--allow_hf32`), is "reserved and not supported in the current version" by
its documentation (CANN 8.5 and 9.0, "aclCompileOpt", ATC guide), and models made with and without it match the same calls. So the compiler
is told to do without it, also in convolutions, which have it by default, and operands are cast instead: such a product is another call with
another model, and the choice can be changed at any time.
"""

from __future__ import annotations

import sys
import warnings
from typing import Final

from .. import dtypes as d
from .. import facts
from ..dtypes import dtype as DType
from ..errors import Float64Warning, ValueRangeError
from ..runtime import device

_NO_BFLOAT16: Final = "Ascend310B"
"""Of the chips with float32 matrices the one without bfloat16: its table of kernels has no Cast to it."""
_SINGLES: Final = (*facts.SINCE_910B, _NO_BFLOAT16)
"""Chips whose matrix unit takes float32: ``Intrinsic_mmad`` has f322f32 (CANN 8.1.RC1, ``platform_config/<chip>.ini``)."""
HIGHEST, HIGH, MEDIUM = "highest", "high", "medium"
DIRECT: Final[set[DType]] = {d.float32, d.float16, d.bfloat16}
"""Dtypes that go to the cube as they are; float32 is missing while another precision than "highest" is set."""
WIDE: Final = frozenset((d.float64, d.complex128))

_precision = HIGHEST
_warned = False


def set_float32_matmul_precision(precision: str) -> None:
    """How exactly `matmul` and what is made of it multiply float32 matrices, for the whole process.

    Args:
        precision: "highest" (float32, the default), "high" (float32, or three float16 products on chips without float32 matrices) or
            "medium" (operands rounded to bfloat16, or to float16 on chips without it; sums stay float32).

    Raises:
        ValueRangeError: Another word.

    Like: torch.set_float32_matmul_precision.

    Examples:
        >>> before = at.get_float32_matmul_precision()
        >>> at.set_float32_matmul_precision("high")
        >>> at.get_float32_matmul_precision()
        'high'
        >>> at.set_float32_matmul_precision(before)
    """
    global _precision
    if precision not in (HIGHEST, HIGH, MEDIUM):
        raise ValueRangeError(f"the precision is 'highest', 'high' or 'medium', not {precision!r}", where="set_float32_matmul_precision")
    _precision = precision
    (DIRECT.add if precision == HIGHEST else DIRECT.discard)(d.float32)


def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` chose. Like: torch.get_float32_matmul_precision.

    Examples:
        >>> at.get_float32_matmul_precision()
        'highest'
    """
    return _precision


def parts_of_singles() -> tuple[DType, int] | None:
    """The dtype that float32 operands are multiplied in and how many products make one; None: as they are."""
    soc = device.soc_name()
    complete = soc.startswith(_SINGLES)
    if _precision == MEDIUM:
        return (d.bfloat16 if complete and not soc.startswith(_NO_BFLOAT16) else d.float16), 1
    return None if complete or _precision == HIGHEST else (d.float16, 3)


def singles_are_whole() -> bool:
    """Whether products of float32 matrices are made as they are, on a chip that can."""
    return _precision != MEDIUM and device.soc_name().startswith(_SINGLES)


def warn_of_wide(dtype: DType) -> None:
    """Once a process, on a real chip, that float64 is slow there or missing; the simulator computes it like any other dtype."""
    global _warned
    if _warned or device.backend().name != "npu":
        return
    _warned = True
    text = (
        f"{dtype.name} has no AI Core kernels: the AI CPU of {device.soc_name()} computes it, far slower than float32, or nothing does "
        "(CompileError). Cast with .to(float32); warnings.simplefilter('ignore', Float64Warning) silences this, which is said once."
    )
    warnings.warn(text, Float64Warning, stacklevel=_depth())


def _depth() -> int:
    """How many frames up the first one outside the package is, counted from the caller."""
    depth, frame = 1, sys._getframe(1)
    package = __name__.partition(".")[0]
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        depth, frame = depth + 1, frame.f_back
    return depth
