"""acl.init, finalize, versions and error texts (RT-1 .. RT-9, RT-49 .. RT-51, PY-2, K11 .. K20)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ascendtensor import simulator as acl


def config(tmp_path: Path, text: str, name: str = "acl.json") -> str:
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_no_argument_empty_text_and_empty_object_mean_defaults(tmp_path: Path) -> None:  # RT-1
    assert acl.init() == 0
    assert acl.finalize() == 0
    assert acl.init("") == 0
    assert acl.finalize() == 0
    assert acl.init(config(tmp_path, "{}")) == 0
    assert acl.finalize() == 0
    assert acl.init(config(tmp_path, "")) == 0


def test_unusable_paths_give_100003(tmp_path: Path) -> None:  # RT-2, K11, K14
    assert acl.init(str(tmp_path / "missing.json")) == 100003
    assert "EH0003" in (acl.get_recent_err_msg() or "")
    assert acl.init(str(tmp_path)) == 100003
    big = tmp_path / "big.json"
    big.write_bytes(b" " * ((10 << 20) + 1))
    assert acl.init(str(big)) == 100003


def test_malformed_and_deeply_nested_files_give_100006(tmp_path: Path) -> None:  # RT-2, K12, K13
    assert acl.init(config(tmp_path, "{not json")) == 100006
    deep = '{"a":' * 11 + "1" + "}" * 11
    assert acl.init(config(tmp_path, deep)) == 100006
    assert acl.init(config(tmp_path, '{"a": ' + "[" * 11 + "]" * 11 + "}")) == 100006
    fine = '{"a":' * 10 + '"{{{{[[[["' + "}" * 10
    assert acl.init(config(tmp_path, fine)) == 0


@pytest.mark.parametrize(
    "content",
    [
        {"err_msg_mode": "2"},  # K15
        {"max_opqueue_num": "0"},  # K16
        {"max_opqueue_num": "many"},
        {"StackSize": {"aicore_stack_size": 100}},
        {"acl_graph": {"event_mode": "5"}},
        {"defaultDevice": {"default_device": "first"}},
    ],
)
def test_illegal_values_give_100000_and_leave_acl_uninitialised(tmp_path: Path, content: dict[str, object]) -> None:  # RT-3
    assert acl.init(config(tmp_path, json.dumps(content))) == 100000
    assert "EH0001" in (acl.get_recent_err_msg() or "")
    assert acl.init() == 0


def test_unknown_keys_are_ignored(tmp_path: Path) -> None:  # RT-3
    assert acl.init(config(tmp_path, '{"anything": [1, 2]}')) == 0


def test_second_init_answers_100002_and_still_counts() -> None:  # RT-4, RT-7, K17, K20
    assert acl.init() == 0
    assert acl.init() == 100002
    assert acl.finalize_reference() == (1, 0)
    assert acl.finalize_reference() == (0, 0)
    assert acl.finalize_reference() == (0, 100037)


def test_finalize_ignores_the_count_and_can_be_done_once() -> None:  # RT-6, K19
    assert acl.init() == 0
    assert acl.init() == 100002
    assert acl.finalize() == 0
    assert acl.finalize() == 100037
    assert acl.init() == 0


def test_contents_are_remembered_for_the_process(tmp_path: Path) -> None:  # RT-5, K18
    first = config(tmp_path, '{"err_msg_mode": "1"}')
    same = config(tmp_path, '{ "err_msg_mode" : "1" }', "same.json")
    assert acl.init(first) == 0
    assert acl.finalize() == 0
    assert acl.init() == 100000
    assert acl.init(same) == 0
    acl.new_process()
    assert acl.init() == 0


def test_wrong_arguments_raise_the_bindings_type_error() -> None:  # PY-2, K1
    for arguments in ((None,), (1,), ("", "")):
        with pytest.raises(TypeError, match=r"acl\.init args parse failed"):
            acl.init(*arguments)
    with pytest.raises(TypeError, match="keyword"):
        acl.init(config_path="")


def test_functions_without_parameters_ignore_extra_arguments() -> None:
    assert acl.finalize(1, "x") == 0
    assert acl.rt.get_device_count(None) == (2, 0)


def test_versions_and_chip() -> None:  # RT-14
    assert acl.get_version() == (1, 13, 0, 0)
    assert acl.get_soc_name() == "Ascend910B1"
    acl.configure(soc="Ascend310B4")
    assert acl.get_soc_name() == "Ascend310B4"


def test_error_texts_name_function_parameter_and_value_newest_first_and_are_cleared() -> None:  # RT-50, RT-51
    assert acl.get_recent_err_msg() is None
    acl.rt.set_device(9)
    acl.rt.free(0)
    text = acl.get_recent_err_msg() or ""
    newest, older = text.splitlines()
    assert newest.startswith("EH0002") and "acl.rt.free" in newest and "dev_ptr" in newest
    assert older.startswith("EH0001") and "[9]" in older and "device_id" in older and "107001" in older
    assert acl.get_recent_err_msg() is None


def test_error_texts_belong_to_the_thread_unless_configured(tmp_path: Path) -> None:  # RT-50
    def other_thread() -> None:
        acl.rt.free(0)

    thread, _ = acl.util.start_thread(other_thread, None)
    acl.util.stop_thread(thread)
    assert acl.get_recent_err_msg() is None
    acl.init(config(tmp_path, '{"err_msg_mode": "1"}'))
    thread, _ = acl.util.start_thread(other_thread, None)
    acl.util.stop_thread(thread)
    assert "acl.rt.free" in (acl.get_recent_err_msg() or "")


def test_last_error_is_kept_until_read() -> None:  # RT-49
    assert acl.rt.peek_at_last_error(0) == 0
    acl.rt.set_device(9)
    assert acl.rt.peek_at_last_error(0) == 107001
    assert acl.rt.get_last_error(0) == 107001
    assert acl.rt.get_last_error(0) == 0


def test_the_simulator_can_stand_in_for_acl_and_reads_its_machine_from_the_environment() -> None:
    program = (
        "from ascendtensor import simulator; simulator.install(); import acl; import acl.rt;"
        "print(acl.rt.get_device_count(), acl.get_soc_name(), acl.rt.get_run_mode(), hasattr(acl, 'ACL_FLOAT'))"
    )
    environment = {"ASCENDTENSOR_SIM_DEVICES": "3", "ASCENDTENSOR_SIM_SOC": "Ascend310P3", "ASCENDTENSOR_SIM_RUN_MODE": "device"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.stdout.strip() == "(3, 0) Ascend310P3 (0, 0) False", done.stderr


def test_a_machine_in_use_can_not_be_changed() -> None:
    acl.rt.set_device(0)
    with pytest.raises(RuntimeError, match="alive"):
        acl.configure(devices=1)
    with pytest.raises(ValueError, match="run_mode"):
        acl.new_process()
        acl.configure(run_mode="both")


def test_small_conversions_and_log(caplog: pytest.LogCaptureFixture) -> None:
    assert acl.float_to_float16(1.5) == 0x3E00
    assert acl.float16_to_float(0x3E00) == 1.5
    assert acl.float_to_float16(1e9) == 0x7C00
    with caplog.at_level("INFO", logger="ascendtensor.simulator.app"):
        acl.app_log(1, "x" * 2000)
    assert len(caplog.records[-1].getMessage()) == 1024
