"""Writes the table of codes in docs/errors.md: `python docs/make_errors.py` (a test checks that it is up to date).

Names and meanings are the package's; what to do is what its errors say too, or is written here where they say nothing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ascendtensor import errors
from ascendtensor.acl import advice
from ascendtensor.codes import ErrorCode

BEGIN: Final = "<!-- codes: made by docs/make_errors.py -->\n"
END: Final = "<!-- end of codes -->\n"

CURES: Final[dict[int, str]] = {
    100000: "A handle is 0 or was destroyed, a size is 0, an index is out of range, or a description has an unknown dim.",
    100001: "AscendTensor calls `acl.init` at its first use. If another part of the program called `acl.finalize`, start a new process.",
    100002: "No error of yours: somebody else initialised ACL first. AscendTensor then uses it and never finalises it.",
    100014: "The directory given to `acl.op.set_model_dir` has to exist and hold `.om` files.",
    100024: "The compiler's model does not fit the call: see that `soc_name()` is the chip that models are compiled for, and clear the "
    "cache of models after an update of CANN.",
    107001: "See `at.device_count()`; ASCEND_RT_VISIBLE_DEVICES may hide some.",
    107002: "Another part of the program reset the device or destroyed its context. Tensors made before that are lost.",
    107003: "Use a stream only with the device that it was made on.",
    207000: "This device, driver or CANN version does not have the feature.",
    207001: "Drop tensors that are no longer needed, call `at.empty_cache()`, or work in smaller pieces. `at.memory_summary()` says what "
    "is held.",
    507011: "An operator that was queued before failed; set `ASCENDTENSOR_LAUNCH_BLOCKING=1` to see which one.",
    507015: "An operator that was queued before failed; set `ASCENDTENSOR_LAUNCH_BLOCKING=1` to see which one. Often a bad index.",
    507018: "An AI CPU operator that was queued before failed; set `ASCENDTENSOR_LAUNCH_BLOCKING=1` to see which one.",
    500000: "See CANN's own log (`~/ascend/log`).",
    507899: "See `dmesg` and `npu-smi info`; the driver and the firmware may not fit each other.",
}
"""What to do, where the advice of an error is about one call only or missing."""

CODES: Final = sorted({*CURES, *advice._BY_CODE})


def line(code: int) -> str:
    member = ErrorCode(code)
    cure = CURES.get(code) or advice._BY_CODE[code]
    return f"| {code} | `ACL_ERROR_{member.name}` | {member.meaning} | {cure} | {errors.from_acl('', code).__class__.__name__} |"


def table() -> str:
    """The table, one line for each code."""
    head = "| code | name | what ACL means | what to do | raised as |\n|---|---|---|---|---|\n"
    return head + "\n".join(map(line, CODES)) + "\n"


def text(page: str) -> str:
    """The page with its table made anew."""
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: BEGIN + "\n" + table() + "\n" + END, page, flags=re.DOTALL)


if __name__ == "__main__":
    path = Path(__file__).with_name("errors.md")
    path.write_text(text(path.read_text(encoding="utf-8")), encoding="utf-8")
