"""The simulated stack below the functions of ``acl``: records, memory, streams, contexts and process state."""

from __future__ import annotations

__all__ = ["AclFault"]


class AclFault(Exception):
    """A return code on its way to the function of ``acl`` that will hand it to the caller.

    Attributes:
        code: The aclError number.
        text: What ``acl.get_recent_err_msg`` should say, or "" for nothing.
        label: The message's own code, such as EH0001 (RT-51).
    """

    def __init__(self, code: int, text: str = "", label: str = "EE9999") -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text
        self.label = label
