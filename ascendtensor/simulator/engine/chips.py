"""Names of chips that CANN knows, and which of them run each other's models.

CANN reads a file of that name for each chip (hicann/runtime, ``src/platform/platform_config``); ``NpuArch`` in it says which
instructions the chip has, and a model runs on every chip of the same one (``aclrtCheckArchCompatibility``).
"""

from __future__ import annotations

from typing import Final

_950: Final = (
    "DT_950x DT_950y DT_9571 DT_9572 DT_9573 DT_9574 DT_9575 DT_9576 DT_9577 DT_9578 DT_9581 DT_9581x DT_9582 DT_9582x DT_9583 DT_9584 "
    "DT_9585 DT_9586 DT_9587 DT_9588 DT_9591 DT_9592 DT_9595 DT_9596 DT_95A1 DT_95A2 PR_950z PR_9579 PR_957b PR_957bx PR_957c PR_957d "
    "PR_9589 PR_958b PR_9599"
)
_FAMILIES: Final[tuple[tuple[int, str, str], ...]] = (
    (1001, "Ascend910", "A B PremiumA ProA ProB"),
    (2002, "Ascend310P", "1 3 5 7"),
    (2201, "Ascend910B", "1 2 2C 3 4 4-1"),
    (2201, "Ascend910_93", "62 63 72 81 82 91 92"),
    (3002, "Ascend310B", "1 2 3 4"),
    (3004, "Ascend031", ""),
    (3505, "Ascend035", " A B"),
    (3510, "Ascend350_35", "4f 5e"),
    (3510, "Ascend950", _950),
    # Of CANN before these files: the first Ascend310, whose number is not known, and the old name of the 910A.
    (0, "Ascend310", ""),
    (1001, "Ascend910", ""),
)
ARCHITECTURES: Final[dict[str, int]] = {f"{stem}{end}": number for number, stem, ends in _FAMILIES for end in ends.split(" ")}
"""NpuArch by the name of the chip."""

_STREAMS: Final = {0: 992, 1001: 2016, 2002: 992, 3002: 480}
"""Streams of a device by NpuArch (hicann/runtime, ``src/runtime/config``, ``maxAllocStreamNum``), where it is not 1984. The page of
aclrtCreateStream says 1024, 2048, 1024 and 512."""
_EVENTS: Final = {0: 1023, 1001: 65535, 2002: 1023}
"""Events (page of aclrtCreateEvent), where it is not 65536."""


def streams(chip: str) -> int:
    """How many streams a device has, default streams among them (RT-21)."""
    return _STREAMS.get(ARCHITECTURES[chip], 1984)


def events(chip: str) -> int:
    """How many events a device has."""
    return _EVENTS.get(ARCHITECTURES[chip], 65536)


UNKNOWN: Final = "The corresponding platform configuration file cannot be found based on the configured soc_version"
INCOMPATIBLE: Final = "Model soc version is not support in this device."


def known(name: str) -> bool:
    """Whether CANN has a chip of this name; upper and lower case differ."""
    return name in ARCHITECTURES


def runs(model: str, chip: str) -> bool:
    """Whether a chip runs the models of another one; a model that does not say its chip is taken everywhere."""
    return not model or ARCHITECTURES.get(model, -1) == ARCHITECTURES.get(chip, -2)
