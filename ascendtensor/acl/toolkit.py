"""Where CANN is installed and which version it is, read from its files; nothing of it is imported or run."""

import os
import platform
import re
from pathlib import Path

_USUAL = (
    "/usr/local/Ascend/ascend-toolkit/latest",
    "/usr/local/Ascend/cann",
    "~/Ascend/ascend-toolkit/latest",
    "~/Ascend/cann",
    "/usr/local/Ascend/nnae/latest",
    "/usr/local/Ascend/nnrt/latest",
)
"""CANN's default directories for root and for a user, before and since 8.5 (CANN installation guide, "File Paths", 8.0 and 8.5)."""

_INSTALL_INFO = re.compile(r"^version=(\S+)", re.MULTILINE)
_VERSION_INFO = re.compile(r"^Version=(\S+)", re.MULTILINE)
_RUNNING = re.compile(r"^(?:toolkit|runtime|nnrt|nnae)_running_version=.*\[[^\]:]*:([^\]]+)\]\s*$", re.MULTILINE)
_INSTALLED = re.compile(r"^(?:toolkit|runtime|nnrt|nnae)_installed_version=.*\[[^\]:]*:([^\]]+)\]\s*$", re.MULTILINE)


def homes() -> list[Path]:
    """Directories that hold a CANN installation: those that set_env.sh names, else the usual ones; only existing ones."""
    named = [os.environ[name] for name in ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH") if os.environ.get(name)]
    found = [Path(name).expanduser() for name in (named or _USUAL)]
    return [path for path in dict.fromkeys(found) if path.is_dir()]


def cann_version() -> str:
    """The installed CANN version such as "8.1.RC1", "" where none is found. Read anew each time."""
    return next((version for home in homes() if (version := _version_of(home))), "")


def _version_of(home: Path) -> str:
    arch = platform.machine()
    places = [
        (home / f"{arch}-linux" / "ascend_toolkit_install.info", (_INSTALL_INFO,)),
        (home / "ascend_toolkit_install.info", (_INSTALL_INFO,)),
        (home / "ascend_nnae_install.info", (_INSTALL_INFO,)),
        (home / "ascend_nnrt_install.info", (_INSTALL_INFO,)),
        (home / "version.cfg", (_RUNNING, _INSTALLED)),
        (home.parent / "latest" / "version.cfg", (_RUNNING, _INSTALLED)),
        (home / "compiler" / "version.info", (_VERSION_INFO,)),
        (home / "runtime" / "version.info", (_VERSION_INFO,)),
    ]
    for path, patterns in places:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        for pattern in patterns:
            if found := pattern.search(text):
                return found.group(1)
    return ""
