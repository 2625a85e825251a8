"""State of the process: who initialised ACL, which devices there are, whether this is a forked child.

The lowest part of the device floor: it holds devices without knowing what they are made of.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ..errors import AclError, ForkError

if TYPE_CHECKING:
    from ..acl.chooser import Backend
    from .device import Device
    from .staging import Staging
    from .stream import Stream


class State:
    """One object for the process.

    Attributes:
        lock: Held while ACL is initialised or torn down; never on the hot road.
        devices: The devices of this generation; empty until the first use.
        closing: Devices whose teardown has begun, so that an interrupted shutdown can be finished.
        generation: Number of shutdowns so far.
        begun_with: What `acl.init` of ours was given.
        config: What `init` was given: the path or the contents of acl.json.
        owned: Whether `acl.init` was ours (RT-4): only then we finalize.
        forked: Whether this is a child forked after the first use.
        callbacks: What upper floors want to be called before the devices go, in order of registration.
        orphans: Pinned memory of earlier generations that arrays of users still looked at.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.backend: Backend | None = None
        self.devices: list[Device] = []
        self.closing: list[Device] = []
        self.generation = 0
        self.initialized = False
        self.config: str | dict[str, Any] | None = None
        self.begun_with: str | dict[str, Any] | None = None
        self.owned = False
        self.forked = False
        self.host_mode = True
        self.soc = ""
        self.callbacks: list[Callable[[], None]] = []
        self.orphans: list[Staging] = []


class Thread(threading.local):
    """What a thread has chosen.

    Attributes:
        attached: The device whose context is current in ACL.
        chosen: Number of the device that new tensors go to.
        ends: Marks whose finalisers tell the devices that the thread has ended.
        entered: Numbers of devices to go back to at the end of `with device:`.
        streams: Of each `with stream:`, the stream and what `leave_stream` wants.
    """

    def __init__(self) -> None:
        self.attached: Device | None = None
        self.chosen = 0
        self.ends: list[ThreadEnd] = []
        self.entered: list[int] = []
        self.streams: list[tuple[Stream, Stream, int]] = []


class ThreadEnd:
    """Dies with its thread, and puts what the thread had on a device into the device's list; nothing else happens in the finaliser."""

    __slots__ = ("device", "what")

    def __init__(self, device: Device, what: tuple[Stream, int]) -> None:
        self.device = device
        self.what = what

    def __del__(self) -> None:
        self.device.ended_threads.append(self.what)


state: Final = State()
thread: Final = Thread()


def detach() -> None:
    """Leave this thread without a device, since ACL's context may not be the one that it takes it for; the next use puts that right."""
    device, thread.attached = thread.attached, None
    if device is not None:
        device.local.__dict__.pop("stream", None)


def refuse_fork() -> None:
    """
    Raises:
        ForkError: This process was forked from one that had used a device.
    """
    if state.forked:
        raise ForkError(
            "this process was forked after its parent had used a device, and ACL does not survive that",
            advice="Start workers with multiprocessing.get_context('spawn'), or fork before the first tensor is made.",
        )


def _in_child() -> None:
    state.lock = threading.RLock()
    if not state.initialized:
        return
    state.forked = True
    for device in state.devices:
        # The hot road asks only for this attribute, so without it every road meets the refusal.
        device.local.__dict__.pop("stream", None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


class Attempts:
    """Calls of a teardown that must go on: each is tried, once more if it fails, and the first error is kept."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __call__(self, function: Callable[..., Any], *args: Any) -> None:
        try:
            function(*args)
        except AclError as error:
            self.error = self.error or error
            try:
                function(*args)
            except AclError:
                return
