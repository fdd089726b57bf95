"""Files of compiled kernels; an error here never raises an exception and only means that a kernel is compiled again.

A file consists of a mark, a SHA-256 hash, the key of the kernel and its code. The hash covers everything after it. It is checked before the
code is used, so that an empty, truncated or altered file counts as missing. A new file is written under a temporary name in the same folder
and then renamed, so that no process reads an incomplete file.

The hash protects from damage and not from malice: whoever can write to the folder can run code in every program that uses it. The folder is
therefore made for its owner alone, and a file of another user, other than the superuser, counts as damaged. So does anything that is not a
plain file of reasonable size, because reading it might never end.
"""

import hashlib
import os
import re
import stat
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .locks import Lock

_MARK = b"polhode kernel 1\n"
_SHA = 32
_SUFFIX = ".kernel"
_MOST_FILES = 32
"""Number of files kept per kernel name and folder; each content, signature, processor and set of compiler flags has its own file."""
_MOST_BYTES = 2**26
"""The largest file that is read; the largest kernel takes about 2**19 bytes."""
_ABANDONED = 3600.0  # age [s] above which a temporary file is assumed to be from a process that was killed


def stem(module: str, name: str) -> str:
    """Return the readable part of a kernel's file name; long names are shortened and stay distinct."""
    full = f"{module}.{name}"
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "_", full)
    return safe if len(safe) <= 120 else f"{safe[:110]}-{hashlib.sha256(full.encode()).hexdigest()[:8]}"


def read(folders: Sequence[Path], name: str, key: bytes) -> tuple[bytes | None, bool]:
    """Look for a kernel in each folder.

    Args:
        folders: The folders to search, in this order.
        name: The name returned by `stem`.
        key: 32 bytes that identify the kernel.

    Returns:
        Its code or None, and whether a damaged file was found.
    """
    damaged = False
    for folder in folders:
        path = folder / _file_name(name, key)
        content = _content(path)
        if content is None:
            continue
        start = len(_MARK) + _SHA
        body = content[start:]
        if content[:start] == _MARK + hashlib.sha256(body).digest() and body[:_SHA] == key:
            with suppress(OSError):
                os.utime(path)  # the most recently used files are kept
            return body[_SHA:], False
        damaged = True
    return None, damaged


def _content(path: Path) -> bytes | None:
    """Return what is in a file; nothing if it is not to be read, and None if there is none."""
    try:
        # without waiting for somebody who writes to it, if it is a pipe
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
            return file.read(_MOST_BYTES) if _is_to_be_read(os.fstat(file.fileno())) else b""
    except OSError:
        return None


def _is_to_be_read(status: os.stat_result) -> bool:
    """Whether a file is plain, of reasonable size, and of this user or the superuser."""
    owners = (os.getuid(), 0) if hasattr(os, "getuid") else (status.st_uid,)
    return stat.S_ISREG(status.st_mode) and status.st_size <= _MOST_BYTES and status.st_uid in owners


def exists(folders: Sequence[Path], name: str, key: bytes) -> bool:
    """Return whether one of the folders has a file for a kernel, intact or damaged."""
    for folder in folders:
        with suppress(OSError):
            if _is_to_be_read(os.stat(folder / _file_name(name, key))):
                return True
    return False


def lock(folders: Sequence[Path], key: bytes) -> Lock | None:
    """Return the lock of a kernel, which is held while it is compiled; None if it cannot be kept in any of the folders."""
    folder = writable(folders)
    return None if folder is None else Lock(folder, int.from_bytes(key[:8], "big"))


def write(folders: Sequence[Path], name: str, key: bytes, code: bytes) -> str | None:
    """Write a kernel to the first writable folder, and remove the least recently used files there.

    Returns:
        None, or the reason why no folder was writable, without paths.
    """
    body = key + code
    reason = "there is no folder for it"
    for folder in folders:
        try:
            _make(folder)
            _replace(folder / _file_name(name, key), _MARK + hashlib.sha256(body).digest() + body)
        except OSError as error:
            reason = error.strerror or type(error).__name__
        else:
            _remove_old(folder, name)
            return None
    return reason


def writable(folders: Sequence[Path]) -> Path | None:
    """Return the first folder in which a file can be created, or None."""
    for folder in folders:
        with suppress(OSError):
            _make(folder)
            _replace(folder / f"probe{_SUFFIX}", _MARK, keep=False)
            return folder
    return None


def write_note(folders: Sequence[Path], name: str, content: bytes | None) -> None:
    """Write a note of a program to the first writable folder, or remove it."""
    folder = writable(folders)
    if folder is not None:
        with suppress(OSError):
            if content is None:
                _note(folder, name).unlink(missing_ok=True)
            else:
                _replace(_note(folder, name), content)


def read_note(folders: Sequence[Path], name: str) -> bytes | None:
    """Return the note of a program, or None."""
    return next(filter(None, (_content(_note(folder, name)) for folder in folders)), None)


def _note(folder: Path, name: str) -> Path:
    return folder / f"requested-{name}"


def _make(folder: Path) -> None:
    """Make a folder for this user alone, unless it exists."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)


def _file_name(name: str, key: bytes) -> str:
    return f"{name}-{key.hex()[:32]}{_SUFFIX}"


def _replace(path: Path, content: bytes, keep: bool = True) -> None:
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
        if keep:
            os.replace(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _remove_old(folder: Path, name: str) -> None:
    """Keep the most recently used files of this kernel, and remove temporary files of processes that were killed."""
    own = re.compile(re.escape(name) + r"-[0-9a-f]{32}" + re.escape(_SUFFIX) + r"(\.[0-9a-f]{16}\.tmp)?")
    kept = []
    with suppress(OSError):
        for entry in os.scandir(folder):
            match = own.fullmatch(entry.name)
            with suppress(OSError):
                if match and not match[1]:
                    kept.append((entry.stat().st_mtime, entry.path))
                elif match and entry.stat().st_mtime < time.time() - _ABANDONED:
                    os.unlink(entry.path)
        for _, path in sorted(kept, reverse=True)[_MOST_FILES:]:
            with suppress(OSError):
                os.unlink(path)
