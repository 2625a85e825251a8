"""What to do about the return codes that users meet most often, by code and, where it matters, by function."""

from typing import Final

_BY_FUNCTION: Final[dict[tuple[int, str], str]] = {
    (100000, "acl.op.execute_v2"): "a description still has an unknown dim (-1 or -2), or a non-empty buffer has no address; give concrete dims",
    (100000, "acl.op.create_handle"): "a description still has an unknown dim (-1 or -2) or is not a live handle",
    (100000, "acl.op.infer_shape"): "give every description its prototype name, every input a non-empty host buffer, and an operator CANN knows",
    (100000, "acl.init"): "ACL was initialised before in this process with another configuration; use the same one or a new process",
    (100000, "acl.rt.malloc"): "ask for at least one byte",
    (100000, "acl.rt.malloc_host"): "ask for at least one byte",
    (107000, "acl.rt.memcpy"): "the copy is longer than the destination, or an address is outside its allocation",
    (107000, "acl.rt.memcpy_async"): "the copy is longer than the destination, an address is outside its allocation, or the kind does not fit them",
    (107000, "acl.rt.free"): "the address is not the start of a live device allocation (freed twice, or a view's address)",
    (107000, "acl.rt.stream_wait_event"): "record the event before a stream waits for it",
    (107000, "acl.rt.set_context"): "the context was destroyed, perhaps by a reset of its device",
    (100024, "acl.op.create_handle"): "no loaded model has exactly this type, descriptions, attributes and constants; compile and load one for them",
}

_BY_CODE: Final[dict[int, str]] = {
    100000: "a handle is 0 or no longer alive, a size is 0, or an index is out of range",
    100001: "call acl.init first",
    100003: "check that the file exists, can be read and is a regular file below 10 MB",
    100006: "the file is not valid JSON, or nested deeper than ten levels",
    100012: "the model file is damaged or made for another CANN version; remove it from the cache directory and compile again",
    100013: "the model file is damaged or cut off; remove it from the cache directory and compile again",
    100016: "the file is no single-operator model; compile it with atc --singleop",
    100021: "pass one buffer for every input of the handle, also for constant and absent ones",
    100022: "pass one buffer for every output of the handle",
    100024: "no loaded model matches: type, dtypes, formats, dims, attributes (with their exact types), constants and outputs must all agree",
    100037: "acl.finalize ran already; somebody else in this process finalised ACL",
    107000: "an argument is outside its range or an address is not of a live allocation",
    107001: "the device number is out of range; see ascendtensor.device_count() and ASCEND_RT_VISIBLE_DEVICES",
    107002: "this thread has no current context, or the device was reset; call acl.rt.set_device in the thread that works",
    107003: "the stream belongs to another device or context; use it with its own device current",
    107006: "synchronise both events first, and create them with timing",
    107017: "the stream or event was destroyed before",
    145000: "a buffer is smaller than the padded size of its tensor, or the dims do not fit the model",
    148049: "no operator package was found; source CANN's set_env.sh so that ASCEND_OPP_PATH is set",
    148050: "the operator has no dynamic-shape implementation on this chip; use static shapes",
    200000: "the host is out of memory",
    200001: "CANN does not offer this here: host-placed inputs need a model compiled for them",
    207000: "this chip or driver does not support the call",
    207001: "free tensors, call ascendtensor.empty_cache(), use smaller batches, or see with `npu-smi info` who else uses the device",
    207008: "destroy streams that are no longer needed",
    500002: "the graph engine failed; its log is under ~/ascend/log (ASCEND_PROCESS_LOG_PATH)",
    507000: "the runtime failed; an event that was never recorded gives this too",
    507007: "the device was reset more often than it was set",
    507011: "an operator of the queue failed; set ASCENDTENSOR_LAUNCH_BLOCKING=1 to see which one",
    507015: "an operator failed on the device (values out of range, or memory of freed tensors); set ASCENDTENSOR_LAUNCH_BLOCKING=1 to see which",
    507018: "an AI CPU operator failed on the device; set ASCENDTENSOR_LAUNCH_BLOCKING=1 to see which one",
    507033: "the device could not be opened: check `npu-smi info`, the driver, and the rights on /dev/davinci*",
    507046: "the work takes longer than the timeout and goes on; wait again",
    507047: "the work takes longer than the timeout and goes on; wait again",
}


def advice_for(code: int, function: str) -> str:
    """Advice for a return code, "" where there is none worth giving."""
    return _BY_FUNCTION.get((code, function)) or _BY_CODE.get(code, "")
