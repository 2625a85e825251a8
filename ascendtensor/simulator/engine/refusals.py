"""What the binding says when it refuses arguments, where that is not ``<name> args parse failed`` (PY-2, PY-5).

Read in the wrappers' source, with their slips of the pen: programs and tests compare these texts.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

_PLAIN_MDL: Final = frozenset(
    f"acl.mdl.{name}"
    for name in (
        "load_with_config",
        "destroy_config_handle",
        "set_config_opt",
        "get_tensor_real_name",
        "set_dataset_tensor_desc",
        "get_dataset_tensor_desc",
        "get_op_attr",
        "get_aipp_data_size",
        "destroy_exec_config_handle",
    )
)
"""All others of ``acl.mdl`` have an exclamation mark."""

_PLAIN_MEDIA: Final = frozenset(
    [f"acl.media.dvpp_jpeg_{name}" for name in ("decode_async", "encode_async", "get_image_info", "get_image_info_v2")]
    + [f"acl.media.dvpp_jpeg_predict_{name}_size" for name in ("dec", "enc")]
    + [f"acl.media.dvpp_{name}_jpege_config" for name in ("create", "destroy")]
    + ["acl.media.dvpp_set_jpege_config_level"]
    + [f"acl.media.dvpp_vpc_{name}_async" for name in ("batch_crop", "batch_crop_and_paste", "crop_resize", "crop_resize_paste")]
    + [f"acl.media.dvpp_vpc_batch_crop_resize{name}_async" for name in ("", "_paste", "_make_border")]
)
"""All others of ``acl.media`` have an exclamation mark."""

_EXCLAIMED: Final = frozenset(
    [f"acl.set_tensor_{what}_{which}" for what in ("storage", "origin") for which in ("format", "shape")]
    + [f"acl.set_tensor_{what}" for what in ("format", "shape", "dynamic_input", "shape_range", "value_range")]
    + [f"acl.get_tensor_desc_{what}" for what in ("address", "by_index", "dim_range")]
    + [
        f"acl.rt.{name}"
        for name in (
            "binary_load_from_data",
            "binary_load_from_file",
            "cmo_async",
            "get_function_addr",
            "get_function_name",
            "get_last_error",
            "get_mem_uce_info",
            "get_overflow_status",
            "get_stream_attribute",
            "malloc_for_task_scheduler",
            "malloc_with_cfg",
            "mem_uce_repair",
            "peek_at_last_error",
            "register_cpu_func",
            "reset_overflow_status",
            "set_op_execute_timeout_v2",
            "set_op_wait_timeout",
            "set_stream_attribute",
            "set_stream_failure_mode",
            "stream_query",
            "synchronize_device_with_timeout",
            "synchronize_event_with_timeout",
        )
    ]
    + [
        f"acl.prof.{name}"
        for name in (
            "create_config",
            "destroy_config",
            "destroy_stamp",
            "mark",
            "mark_ex",
            "push",
            "range_start",
            "range_stop",
            "set_config",
            "set_stamp_trace_message",
            "start",
            "stop",
        )
    ]
)

_WITHOUT_ARGS: Final = (
    "get_res_in_current_thread",
    "get_stream_res_limit",
    "host_get_device_pointer",
    "reset_stream_res_limit",
    "set_stream_res_limit",
    "unuse_stream_res_in_current_thread",
    "use_stream_res_in_current_thread",
)
_OWN: Final[dict[str, str]] = {
    **{f"acl.rt.{name}": f"acl.rt.{name} parse failed" for name in _WITHOUT_ARGS},
    **{f"acl.rt.{name}": f"acl.rt.{name} args parse faild" for name in ("get_sys_param_opt", "set_sys_param_opt")},
    **{f"acl.prof.get_op_type{end}": "acl.prof.get_op_type args parse failed" for end in ("_len", "_v2")},
    **{f"acl.prof.get_op_name{end}": "acl.prof.get_op_name args parse failed" for end in ("_len", "_v2")},
    **{
        f"acl.media.dvpp_{verb}_border_config_top": f"acl.media.dvpp_{verb}_border_config_Top args parse failed!" for verb in ("get", "set")
    },
    "acl.prof.init": "acl.prof.Init args parse failed!",
    "acl.rt.set_op_execute_time_out": "acl.rt.set_op_execute_timeout args parse failed!",
    "acl.rt.get_devices_topo": "acl.rt.reset_device_res_limit args parse failed",
}
PYTHONS_OWN: Final = frozenset({"acl.op.register_compile_func", "acl.rt.get_event_id", "acl.util.start_thread"})
"""These leave the interpreter's text of a wrong number or type of arguments as it is."""

_TWO_OR_THREE: Final = "argument 2 or 3 is not list"
_FOUR_LISTS: Final = "argument 2, 3, 4, or 5 is not list"
_NOT_LIST: Final[dict[str, str]] = {
    "acl.create_tensor_desc": "argument 2 is not list",
    "acl.op.create_handle": _TWO_OR_THREE,
    "acl.op.execute": _FOUR_LISTS,
    "acl.op.execute_v2": _FOUR_LISTS,
    "acl.op.execute_with_handle": _TWO_OR_THREE,
    "acl.op.infer_shape": "argument 2, 3, or 5 is not list",
    "acl.op.set_attr_list_bool": "argument 3 is not list or numpy array",
    "acl.op.set_attr_list_data_type": "the third argument is not list",
    "acl.op.set_attr_list_float": "argument 3 is not list or numpy array",
    "acl.op.set_attr_list_int": "argument 3 is not list or numpy array",
    "acl.op.set_attr_list_list_int": "argument 3 is not list",
    "acl.op.set_attr_list_string": "argument 3 is not list",
    "acl.op.update_params": _TWO_OR_THREE,
    "acl.prof.create_config": "argument 1 is not list",
    "acl.set_tensor_origin_shape": "argument 2 is not list",
    "acl.set_tensor_shape": "argument 2 is not list",
    "acl.set_tensor_shape_range": "argument 2 is not list",
    "acl.set_tensor_storage_shape": "argument 2 is not list",
    "acl.set_tensor_value_range": "int64_t argument is not list",
}
_NOT_INTS: Final[dict[str, str]] = {
    "acl.create_tensor_desc": "invalid data type",
    "acl.prof.create_config": "the first argument is not list of int",
    "acl.set_tensor_origin_shape": "invalid data type",
    "acl.set_tensor_shape": "invalid data type",
    "acl.set_tensor_storage_shape": "invalid data type",
}


def refusal(name: str) -> str:
    """The text of a TypeError for a wrong number or type of arguments."""
    own = _OWN.get(name)
    if own is not None:
        return own
    exclaimed = name in _EXCLAIMED or (name.startswith(("acl.mdl.", "acl.media.")) and name not in _PLAIN_MDL | _PLAIN_MEDIA)
    return f"{name} args parse failed" + "!" * exclaimed


def not_list(name: str) -> NoReturn:
    """Raise the TypeError for an argument that should be a list."""
    raise TypeError(_NOT_LIST.get(name) or refusal(name))


def not_ints(name: str) -> NoReturn:
    """Raise the TypeError for a list with something else than ints in it."""
    raise TypeError(_NOT_INTS.get(name, "the list argument is not list of int"))


_WANTED: Final = {"K": "int", "i": "int", "I": "int", "s": "str"}


def pythons_own(letters: str, args: tuple[Any, ...]) -> str:
    """What the interpreter itself says of arguments that do not fit ``letters``."""
    if len(args) != len(letters):
        return f"function takes exactly {len(letters)} argument{'s' * (len(letters) != 1)} ({len(args)} given)"
    for number, (letter, value) in enumerate(zip(letters, args, strict=True), 1):
        wanted = _WANTED.get(letter, "object")
        if wanted != "object" and not isinstance(value, int if wanted == "int" else str):
            found = "None" if value is None else type(value).__name__
            return f"argument {number} must be {wanted}, not {found}"
    return "embedded null character"
