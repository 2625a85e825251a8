"""Writes the table of codes in docs/errors.md: `python docs/make_errors.py` (a test checks that it is up to date).

Names and meanings are the package's; what to do is what its errors say too, or is written here where they say nothing. No code is left out.
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

_YOURS: Final = "Only pyACL calls of your own meet it; AscendTensor does not use the feature."
_CAPTURE: Final = f"Capturing graphs: end or repair the capture that the program began. {_YOURS}"
_FIELDS: Final = "Compare the keys and values of acl.json with CANN's page on `aclInit`."
_CALLBACK: Final = (
    "Subscribe a thread that calls `acl.rt.process_report` (`acl.rt.subscribe_report`) before `launch_callback`, once for each stream."
)
_GROUP: Final = f"Choose a compute group with `acl.rt.set_group` first, on chips that have them. {_YOURS}"
_ON_DEVICE: Final = (
    "Set `ASCENDTENSOR_LAUNCH_BLOCKING=1` to see which operator it was. Of a kernel of your own: look at its tiling and addresses."
)
_TOO_LONG: Final = (
    "An operator hangs or needs longer: `ASCENDTENSOR_LAUNCH_BLOCKING=1` shows which, `acl.rt.set_op_execute_time_out` gives it more time."
)
_HARDWARE: Final = "The device itself: see `npu-smi info` and `dmesg`, reset it (`npu-smi set -t reset`), and report it if it stays."
_AGAIN: Final = "Convert the model again with the `atc` of this machine."
_SESSION: Final = "One profiling or dump session runs at a time, and is ended by the call that belongs to its beginning."
_HANDLE: Final = "The object was destroyed, or belongs to another context or device."
_KERNEL: Final = (
    "Kernels of your own: register each id and each compile function once and before its use, as `at.custom.dynamic_kernel` does."
)
_RESOURCE: Final = "The device has no more of them: destroy what is no longer needed, or end other processes on it."
_LOGS: Final = "See CANN's own log (`~/ascend/log`) for the first error before it."
_SNAPSHOT: Final = f"Snapshots of processes. {_YOURS}"
_OVERFLOW: Final = "Overflow detection is on and numbers ran over: scale them, or compute in bfloat16 or float32."
_NO_DEVICE: Final = "No NPU can be used: see `npu-smi info`, ASCEND_RT_VISIBLE_DEVICES, and that a container was given /dev/davinci*."
_QUEUE: Final = f"Queues between processes. {_YOURS}"
_AIPP: Final = "Image preprocessing (AIPP): the model was converted without it, or with another kind, by `atc --insert_op_conf`."

GROUPS: Final[tuple[tuple[tuple[int, ...], str], ...]] = (
    ((100004, 107010), "Look for free space and for the rights on the folder."),
    ((100005, 107009), "Check that the file exists, can be read and is a regular file."),
    ((100007, 100008, 100009, 100010, 148048), _FIELDS),
    ((100011,), "The model was unloaded, or belongs to another process."),
    (
        (100015, 100025, 145007, 145008, 145009, 145017, 145018, *range(545001, 545007)),
        f"The model is damaged or of another CANN version. {_AGAIN}",
    ),
    ((100017, 100018, 145020, 145021, 145022), "Compare number, dtypes and shapes with `m.inputs` and `m.outputs` of the model."),
    ((100019, 145011), "The model has fixed shapes; convert it with gears or open dims for others."),
    ((100020, 100023, 100027), "Call and model differ: clear the cache of models ([environment.md](environment.md))."),
    ((100026,), "Cast to a dtype that [operators.md](operators.md) lists."),
    ((100028, 100029, 100030, 100031, 507024, *range(507027, 507031), 507032, 107042, 107043, 107044), _KERNEL),
    ((100032, 207013, 207014), _QUEUE),
    ((100034, 100035, 100036, 107011, 107012, 107015, 507012), _CALLBACK),
    ((100033, 100042, 100043, 100044, 100045, 148046, 148047), _SESSION),
    ((100038, 145014, 145015, 145016), _AIPP),
    ((100039,), "The toolkit's stub libraries are found before the driver's: source `set_env.sh` anew, and look at LD_LIBRARY_PATH."),
    ((100040, 100041, 107013, 107014), _GROUP),
    ((107004, 107005, 200004, 200005, 207002, 507031, 148051), _HANDLE),
    ((107007,), "Exchange the two events."),
    ((107008, 200003, 345104), "Give an address as `acl.rt.malloc` gave it, or a part of it at a multiple of 32 bytes."),
    ((107016, 107018), "See the constants of `acl.rt.malloc` and of the copy's direction."),
    ((107019, 107020, 207020, 507014, 507017, 507034, 507048, 507915, 545601), _TOO_LONG),
    ((107021,), "Set the option before it is read."),
    ((107022, 107023, 107035, 507023), "Another part of the program aborted the work; queue it again."),
    ((*range(107024, 107035), *range(107036, 107039), 107040, 107045, 207019, 507903), _CAPTURE),
    ((107039,), "Give the call an array with more room."),
    ((145001, 145019, 245001, 245002, 500001, 500003, 500004, 507000, 507001, 507900, 545000, 545007, 545008, 545009), _LOGS),
    ((148052,), "Save the picture as baseline JPEG."),
    ((148053,), "The bundle was unloaded; a bundle's models go with it."),
    ((200002, 207004), _NO_DEVICE),
    ((200007,), "Ask for fewer modules of profiling."),
    ((207003, 207016, 207017), _OVERFLOW),
    ((207005, 207007, 207009, 207010, 207011, 207012, 300000), _RESOURCE),
    ((207006,), "The user has to be in the driver's group, and allowed to use /dev/davinci* ([board.md](board.md))."),
    ((207015,), "Another part of the program did it before; leave it away."),
    ((207018,), "Drop tensors that are no longer needed, call `at.empty_cache()`, or work in smaller pieces."),
    ((207021,), "These two devices have no such link: copy through the host."),
    ((345102, 345103, 545602), f"Models that are deployed over several devices. {_YOURS}"),
    ((500005, 507021), "Profiling failed: see that its folder has room, and end other sessions."),
    ((507002,), "More work is queued than the stream holds: synchronise now and then."),
    ((507003, 507004, 507006), "No error of yours: wait, and ask again."),
    ((507005,), "The data set given to the model has ended."),
    ((507008,), "Compile for the chip that `at.soc_name()` names."),
    ((507009,), "This chip does not have the kind of task."),
    ((507010, 507013, *range(507053, 507058), 507901, 507914), _HARDWARE),
    ((507016, 507035, 507036, *range(507042, 507046), 507049, 507050, 507916), _ON_DEVICE),
    ((507019, 507020, 507902), "An AI CPU operator of before failed; set `ASCENDTENSOR_LAUNCH_BLOCKING=1` to see which one."),
    ((507022, 507051), "The other process ended or was not allowed; let both run as one user and in one container."),
    ((507025, 507026), "Nothing was recorded yet."),
    ((507037,), _QUEUE),
    ((507038, 507039, 507040, 507041), f"Choosing the die of a chip with two. {_YOURS}"),
    ((507052,), "See that both addresses are of live allocations and long enough."),
    ((507904,), "Communication between devices failed: see the network of the devices (`hccn_tool`)."),
    ((*range(507905, 507910), 507912, 507913), _SNAPSHOT),
    ((507910, 507911), "Register a block of host memory once, and before it is used."),
)
"""What to do about the codes for which the errors of the library say nothing of their own."""

COMMON: Final = {code: cure for codes, cure in GROUPS for code in codes}
CODES: Final = sorted(code for code in ErrorCode if code)


def cure(code: int) -> str:
    return CURES.get(code) or advice._BY_CODE.get(code) or COMMON[code]


def line(code: int) -> str:
    member = ErrorCode(code)
    return f"| {code} | `ACL_ERROR_{member.name}` | {member.meaning} | {cure(code)} | {errors.from_acl('', code).__class__.__name__} |"


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
