"""``acl.mdl``: several models in one file (MDL-30)."""

from __future__ import annotations

from .engine import AclFault, whole_models
from .engine.arguments import function, invalid
from .engine.diagnostics import notice
from .engine.model_file import unpack_bundle
from .engine.whole_models import BUNDLES, MODELS

__all__ = ["bundle_get_model_id", "bundle_get_model_num", "bundle_load_from_file", "bundle_load_from_mem", "bundle_unload"]


def _load(data: bytes) -> int:
    """All of a bundle's models, or none."""
    files = unpack_bundle(data)
    identifier = whole_models.new_id()
    loaded: list[int] = []
    try:
        for file in files:
            loaded.append(whole_models.load(file, bundle=identifier).identifier)
        BUNDLES[identifier] = loaded
    except BaseException:
        for each in loaded:
            whole_models.unload(MODELS[each])
        raise
    return identifier


def _bundle(identifier: int) -> list[int]:
    found = BUNDLES.get(identifier)
    if found is None:
        if 0 < identifier <= whole_models.Ids.newest and identifier not in MODELS:
            notice("use after destroy", f"bundle id {identifier} was unloaded")
        raise AclFault(whole_models.ID_INVALID, f"bundle id [{identifier}] is invalid: no such bundle is loaded")
    return found


@function("acl.mdl.bundle_load_from_file", "s", 0)
def bundle_load_from_file(path: str) -> tuple[int, int]:
    """(bundle id, ret)."""
    return _load(whole_models.read_file(path)), 0


@function("acl.mdl.bundle_load_from_mem", "KK", 0)
def bundle_load_from_mem(model_ptr: int, size: int) -> tuple[int, int]:
    """(bundle id, ret)."""
    return _load(whole_models.read_memory(model_ptr, size)), 0


@function("acl.mdl.bundle_unload", "I")
def bundle_unload(bundle_id: int) -> int:
    """All models of the bundle go."""
    for identifier in list(_bundle(bundle_id)):
        model = MODELS.get(identifier)
        if model is not None:
            whole_models.unload(model)
    BUNDLES.pop(bundle_id, None)
    return 0


@function("acl.mdl.bundle_get_model_num", "I", 0)
def bundle_get_model_num(bundle_id: int) -> tuple[int, int]:
    """(number of models, ret)."""
    return len(_bundle(bundle_id)), 0


@function("acl.mdl.bundle_get_model_id", "IK", 0)
def bundle_get_model_id(bundle_id: int, index: int) -> tuple[int, int]:
    """(model id, ret)."""
    models = _bundle(bundle_id)
    if index >= len(models):
        raise invalid("index", index, f"must be below the number of models, {len(models)}")
    return models[index], 0
