"""CANN's module `acl.media`, whose functions are not listed here. Made by docs/make_stubs.py."""

from typing import Any

def __getattr__(name: str) -> Any: ...
