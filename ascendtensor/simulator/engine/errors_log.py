"""Error texts for ``acl.get_recent_err_msg`` and the runtime's last error of a thread (RT-49 .. RT-51)."""

from __future__ import annotations

from typing import Final

from ascendtensor.codes import error_name

from .tables import LOCAL, new_handle

LIMIT: Final = 64
"""Texts kept; older ones go."""


class Scope:
    """Whose texts are read: the thread's or the process's (init key ``err_msg_mode``)."""

    process_wide = False
    messages: Final[list[str]] = []


def _store() -> list[str]:
    return Scope.messages if Scope.process_wide else LOCAL.messages


def add(text: str) -> None:
    """Keep one finished text, newest first."""
    if text:
        store = _store()
        store.insert(0, text)
        del store[LIMIT:]


def report(label: str, text: str) -> None:
    """Keep a text under its label, such as EH0001."""
    add(f"{label}: {text}")


def recent() -> str | None:
    """All kept texts as one, newest first, or None; reading clears them (RT-50)."""
    store = _store()
    if not store:
        return None
    text = "\n".join(store)
    store.clear()
    return text


def clear() -> None:
    """Forget the texts and the last error of the process and of this thread."""
    Scope.messages.clear()
    Scope.process_wide = False
    LOCAL.messages.clear()
    LOCAL.last_error = 0


def left_pending(name: str) -> SystemError:
    """What CPython makes of an exception that a function of the binding left pending when it returned (PY-18, TIK-5)."""
    return SystemError(f"<built-in function {name}> returned a result with an exception set")


def info_handle() -> int:
    """A handle for an exception info."""
    return new_handle()


def invalid(function: str, parameter: str, value: object, reason: str, code: int = 100000) -> int:
    """EH0001: an argument has a value that is not allowed. Returns ``code``."""
    report("EH0001", f"{function}: value [{value}] of parameter [{parameter}] is invalid. Reason: {reason}. {_name(code)}")
    return _keep(code)


def null(function: str, parameter: str, code: int = 100000) -> int:
    """EH0002: an argument that must not be null is. Returns ``code``."""
    report("EH0002", f"{function}: parameter [{parameter}] must not be null, got [0]. {_name(code)}")
    return _keep(code)


def failed(function: str, code: int, text: str, label: str = "EE9999") -> int:
    """Any other failure of the runtime. Returns ``code``."""
    report(label, f"{function}: {text}. {_name(code)}")
    return _keep(code)


def _name(code: int) -> str:
    return f"{error_name(code)} [{code}]"


def _keep(code: int) -> int:
    # RT-49 speaks of the runtime's errors: 107xxx, 207xxx, 507xxx. The acl layer's own codes leave it alone.
    if (code // 1000) % 100 == 7:
        LOCAL.last_error = code
    return code
