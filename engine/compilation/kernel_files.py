"""Files of compiled kernels; an error here never raises an exception and only means that a kernel is compiled again.

A file consists of a mark, a SHA-256 hash, the key of the kernel and its code. The hash covers everything after it. It is checked before the
code is used, so that an empty, truncated or altered file counts as missing. A new file is written under a temporary name in the same folder
and then renamed, so that no process reads an incomplete file.
"""

import hashlib
import os
import re
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

_MARK = b"polhode kernel 1\n"
_SHA = 32
_SUFFIX = ".kernel"
_MOST_FILES = 32
"""Number of files kept per kernel name and folder; each content, signature, processor and set of compiler flags has its own file."""
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
        try:
            content = path.read_bytes()
        except OSError:
            continue
        start = len(_MARK) + _SHA
        body = content[start:]
        if content[:start] == _MARK + hashlib.sha256(body).digest() and body[:_SHA] == key:
            with suppress(OSError):
                os.utime(path)  # the most recently used files are kept
            return body[_SHA:], False
        damaged = True
    return None, damaged


def exists(folders: Sequence[Path], name: str, key: bytes) -> bool:
    """Return whether one of the folders has a file for a kernel, intact or damaged."""
    return any((folder / _file_name(name, key)).is_file() for folder in folders)


def write(folders: Sequence[Path], name: str, key: bytes, code: bytes) -> str | None:
    """Write a kernel to the first writable folder, and remove the least recently used files there.

    Returns:
        None, or the reason why no folder was writable, without paths.
    """
    body = key + code
    reason = "there is no folder for it"
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
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
            folder.mkdir(parents=True, exist_ok=True)
            _replace(folder / f"probe{_SUFFIX}", _MARK, keep=False)
            return folder
    return None


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
