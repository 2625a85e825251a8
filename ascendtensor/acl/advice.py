"""What to do about the return codes that users meet, where the function says more than the code (`errors` knows the general advice)."""

from typing import Final

_BLOCKING: Final = "set ASCENDTENSOR_LAUNCH_BLOCKING=1 to see which one"
_LIVE: Final = "The address is not of a live allocation, or the copy is longer than its destination."
_BAD_MODEL: Final = "The model file is damaged or made for another CANN version: remove it and compile it again."

_BY_FUNCTION: Final[dict[tuple[int, str], str]] = {
    (100000, "acl.op.execute_v2"): "A description still has an unknown dim (-1, -2), or a buffer with a size has no address.",
    (100000, "acl.op.create_handle"): "A description still has an unknown dim (-1, -2) or was destroyed.",
    (100000, "acl.op.infer_shape"): "Every description needs a name, every input a non-empty host buffer, and CANN must know the operator.",
    (
        100000,
        "acl.init",
    ): "A value in acl.json is illegal, or differs from the configuration that this process initialised ACL with before.",
    (100000, "acl.rt.malloc"): "Ask for at least one byte.",
    (100000, "acl.rt.malloc_host"): "Ask for at least one byte.",
    (100002, "acl.prof.init"): "One session of profiling runs at a time: end the other one first.",
    (100003, "acl.prof.init"): "The folder has to exist, and this user has to be allowed to write to it.",
    (100042, "acl.prof.init"): "acl.json began profiling for the whole run: remove its key profiler.",
    (148047, "acl.prof.init"): "A model is subscribed: end that with acl.prof.model_unsubscribe first.",
    (107000, "acl.rt.memcpy"): _LIVE,
    (107000, "acl.rt.memcpy_async"): _LIVE,
    (107000, "acl.rt.free"): "The address is not the start of a live device allocation: freed twice, or the address of a view.",
    (107000, "acl.rt.stream_wait_event"): "Record the event before a stream waits for it.",
    (107000, "acl.rt.set_context"): "The context was destroyed, perhaps by a reset of its device.",
    (507000, "acl.rt.event_elapsed_time"): "Record both events first.",
}

_BY_CODE: Final[dict[int, str]] = {
    100000: "A handle is 0 or was destroyed, a size is 0, or an index is out of range.",
    100003: "Check that the file exists, can be read and is a regular file below 10 MB.",
    100006: "The file is not valid JSON, or nested deeper than ten levels.",
    100012: _BAD_MODEL,
    100013: _BAD_MODEL,
    100016: "The file is no single-operator model; atc --singleop makes those.",
    100021: "Pass one buffer for every input, also for constant and absent ones.",
    100022: "Pass one buffer for every output.",
    100037: "Another part of the program called acl.finalize before.",
    107000: "An argument is out of range, or an address is not of a live allocation.",
    107006: "Create both events with timing, and synchronise them first.",
    107017: "The stream or event was destroyed before.",
    145002: "See that the model file exists, is not empty and can be read.",
    145003: "The model was unloaded, or has open shapes, for which a gear can't be set.",
    145006: "The file is damaged, or made for something else: convert the model again with the atc of this machine.",
    145012: "The dims given for a gear don't fit the model's inputs, or the buffer of its gear input is too small.",
    145013: "The text lists the legal gears; convert the model again for others.",
    145000: "A buffer is smaller than the padded size of its tensor, or the dims do not fit the model.",
    148049: "No operator package was found: source CANN's set_env.sh, which sets ASCEND_OPP_PATH.",
    148050: "The operator has no dynamic-shape implementation on this chip; use static shapes.",
    200000: "The host is out of memory.",
    200006: "The feature is not there; on the simulator whole models need the extra onnx, files of pictures the extra media: "
    "pip install 'ascendtensor[onnx,media]'.",
    200001: "CANN does not offer this here; host-placed inputs need a model compiled for them.",
    207008: "Destroy streams that are no longer needed.",
    245000: "The device is full: unload models, drop tensors and call at.empty_cache().",
    500002: "The graph engine failed; its logs are under ~/ascend/log or ASCEND_PROCESS_LOG_PATH.",
    507007: "The device was reset more often than it was set.",
    507011: f"An operator that was queued before failed; {_BLOCKING}.",
    507015: f"An operator that was queued before failed on the device; {_BLOCKING}.",
    507018: f"An AI CPU operator that was queued before failed on the device; {_BLOCKING}.",
    507033: "The device could not be opened: see npu-smi info, the driver, and the rights on /dev/davinci*.",
    507046: "The work takes longer than the timeout and goes on; wait again.",
    507047: "The work takes longer than the timeout and goes on; wait again.",
}


def advice_for(code: int, function: str) -> str:
    """Advice for a return code of a function, "" where `errors` knows best or there is none."""
    return _BY_FUNCTION.get((code, function)) or _BY_CODE.get(code, "")
