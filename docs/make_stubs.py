"""Writes ascendtensor/stubs/acl, the types of pyACL, from the list of its functions: `python docs/make_stubs.py` (a test checks them)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
API: Final = ROOT / "tests" / "data" / "pyacl_api.json"
STUBS: Final = ROOT / "ascendtensor" / "stubs" / "acl"

HEAD: Final = '''"""{about} Made by docs/make_stubs.py."""

{imports}
'''
TYPES: Final = {
    "callable": "Callable[..., Any]",
    "dict": "dict[str, Any]",
    "int|str": "int | str",
    "list": "list[int]",
    "list of list": "list[list[int]]",
    "numpy.ndarray": "Any",
    "object": "Any",
    "tuple": "tuple[int, ...]",
}
"""Of the list's words that Python's types have another name for. Arrays are Any: whoever reads the stubs need not have NumPy's."""

PARAMETERS: Final = {
    "acl.mdl.set_input_dynamic_dims dims": "dict[str, Any]",
    "acl.op.set_attr_list_float values": "list[float]",
    "acl.op.set_attr_list_string values": "list[str]",
    "acl.rt.binary_load_from_data opts": "list[Any]",
    "acl.rt.binary_load_from_file opts": "list[Any]",
    "acl.rt.launch_kernel_with_config cfg": "list[Any]",
    "acl.rt.mem_uce_repair records": "list[Any]",
    "acl.rt.launch_callback fn": "Callable[[Any], Any]",
    "acl.rt.set_exception_info_callback fn": "Callable[[int], Any] | None",
}
"""Where the list says less than the function takes."""

RESULTS: Final = {
    "acl.get_recent_err_msg": "str | None",  # PY-7
    "acl.get_soc_name": "str | None",
    "acl.get_tensor_desc_dim_range": "tuple[list[int] | None, int]",  # PY-12
    "acl.mdl.get_input_dynamic_dims": "tuple[list[dict[str, Any]], int]",  # PY-13
    "acl.op.destroy_attr": "None",
    "acl.op.destroy_handle": "None",
    "acl.rt.get_mem_uce_info": "tuple[list[Any], int]",
}


def _type(name: str, word: str) -> str:
    plain = word.removesuffix("?")
    found = TYPES.get(plain, plain)
    return f"{found} | None" if word == "callable?" else found


def _parameter(function: str, text: str) -> str:
    name, _, word = text.partition(":")
    kind = PARAMETERS.get(f"{function} {name}") or _type(function, word)
    return f"{name}: {kind}{' = ...' if word == 'str?' else ''}"


def _result(function: str, facts: dict[str, Any]) -> str:
    if function in RESULTS:
        return RESULTS[function]
    kinds = [_type(function, text.partition(":")[2]) for text in facts["returns"]]
    if facts["return_shape"] == "tuple":
        return f"tuple[{', '.join(kinds)}]"
    return kinds[0] if facts["return_shape"] == "scalar" else "None"


def _line(function: str, facts: dict[str, Any]) -> str:
    """One function; parameters are positional only (PY-2)."""
    parameters = [_parameter(function, text) for text in facts["params"]]
    name, result = function.rpartition(".")[2], _result(function, facts)
    line = f"def {name}({', '.join([*parameters, *'/'[: len(parameters)]])}) -> {result}: ..."
    if len(line) <= 140:
        return line
    return "\n".join([f"def {name}(", *(f"    {each}," for each in [*parameters, "/"]), f") -> {result}: ..."])


def texts() -> dict[str, str]:
    """File names and contents."""
    api: dict[str, dict[str, Any]] = json.loads(API.read_text(encoding="utf-8"))
    modules: dict[str, list[str]] = {}
    for function, facts in sorted(api.items()):
        modules.setdefault(function.rpartition(".")[0], []).append(_line(function, facts))
    chapters = sorted(module.removeprefix("acl.") for module in modules if module != "acl")
    found = {}
    for module, lines in modules.items():
        body = "\n".join(lines)
        imports = ["\n".join(f"from . import {name} as {name}" for name in chapters)] if module == "acl" else []
        if module == "acl.media":
            body += "\ndef __getattr__(name: str) -> Any: ...  # video"
        if "Any" in body:
            names = "from collections.abc import Callable\nfrom typing import Any" if "Callable" in body else "from typing import Any"
            imports.insert(0, names)
        about = f"Types of CANN's module `{module}`: handles and addresses are ints, arguments positional."
        head = HEAD.format(about=about, imports="\n\n".join(imports) + "\n" if imports else "")
        found["__init__.pyi" if module == "acl" else f"{module.removeprefix('acl.')}.pyi"] = head.rstrip("\n") + f"\n\n{body}\n"
    return found


if __name__ == "__main__":
    STUBS.mkdir(parents=True, exist_ok=True)
    for name, text in texts().items():
        (STUBS / name).write_text(text, encoding="utf-8")
