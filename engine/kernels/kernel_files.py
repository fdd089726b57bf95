"""Compiled kernels on disk. Whatever goes wrong here is a kernel that has to be compiled again, and never an exception.

A file holds a mark, a SHA-256, the key of the kernel and its code. The hash covers all that follows it and is checked before anybody looks
at the code, so that a file that is empty, cut short or altered counts as missing. A new file is written under a temporary name in the same
folder and then renamed, so that no process ever reads half of one.
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
"""Files kept per kernel name and folder: one for each content, signature, processor and set of compiler flags."""
_ABANDONED = 3600.0  # seconds after which a temporary file belongs to a process that was killed


def stem(module: str, name: str) -> str:
    """The part of a file name that people recognise the kernel by; distinct for distinct long names too."""
    full = f"{module}.{name}"
    safe = re.sub(r"[^A-Za-z0-9_.-]+", "_", full)
    return safe if len(safe) <= 120 else f"{safe[:110]}-{hashlib.sha256(full.encode()).hexdigest()[:8]}"


def read(folders: Sequence[Path], name: str, key: bytes) -> tuple[bytes | None, bool]:
    """Look for a kernel in each folder.

    Args:
        folders: Where to look, in this order.
        name: What `stem` returned.
        key: 32 bytes that tell this kernel from every other.

    Returns:
        Its code or None, and whether a damaged file stood in its place.
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
                os.utime(path)  # the files used last are kept longest
            return body[_SHA:], False
        damaged = True
    return None, damaged


def exists(folders: Sequence[Path], name: str, key: bytes) -> bool:
    """Whether there is a file for a kernel in one of the folders, whole or not."""
    return any((folder / _file_name(name, key)).is_file() for folder in folders)


def write(folders: Sequence[Path], name: str, key: bytes, code: bytes) -> str | None:
    """Keep a kernel in the first folder that takes it, and remove what has long been unused there.

    Returns:
        None, or why no folder took it, without paths.
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
    """The first folder in which a file can be created."""
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
    """Keep the files of this kernel that were used last; drop temporary ones of processes that were killed."""
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
