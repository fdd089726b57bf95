"""Locks between processes, which the operating system releases when their owner ends, however it ends.

A lock is one byte of a file. All kernels of a cache folder share one lock file, so that no file has to be removed after a lock: a lock file
that is removed while another process waits for it excludes nobody any more.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LAST_BYTE = 2**31 - 1
"""Windows locks bytes up to here. A file need not be as long as the bytes that are locked."""


class Lock:
    """A lock on a number in a folder, which one process at a time can have.

    A process has at most one lock of a folder at a time, because POSIX releases all of them when one is released. Threads of one process
    do not exclude each other. Where nothing can be locked, such as in a folder that cannot be written, everybody gets the lock.
    """

    def __init__(self, folder: Path, number: int) -> None:
        """Describe a lock, without taking it.

        Args:
            folder: The folder of the lock file.
            number: What is locked; two numbers share a lock with a probability of 5e-10.
        """
        self._path = folder / "locks"
        self._byte = number % _LAST_BYTE
        self._file = -1

    def take(self) -> bool:
        """Take the lock unless another process has it; return whether this process may go on."""
        self.release()
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return True
        if _lock_byte(self._file, self._byte):
            return True
        self.release()
        return False

    def release(self) -> None:
        """Let another process take the lock; without it, do nothing."""
        file, self._file = self._file, -1
        if file >= 0:
            with suppress(OSError):
                os.close(file)


def _lock_byte(file: int, byte: int) -> bool:
    """Lock one byte of a file until it is closed; return False if another process has locked it."""
    try:
        if sys.platform == "win32":
            os.lseek(file, byte, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        return True
    return True


class Slot:
    """One of a limited number of places for processes, which a process keeps from before it starts until it has ended.

    Where the system allows it, the place belongs to the process that was started, and outlives the one that started it.
    """

    def __init__(self, file: int) -> None:
        """Keep an open file that is locked; negative if nothing can be locked."""
        self._file = file
        self.inherited: tuple[int, ...] = (file,) if file >= 0 and sys.platform != "win32" else ()
        """Files that the process has to inherit."""

    @classmethod
    def take(cls, folder: Path, count: int) -> "Slot | None":
        """Take one of this many places of a folder; None if all of them are taken."""
        for number in range(count):
            try:
                file = os.open(folder / f"compiler-{number}", os.O_RDWR | os.O_CREAT, 0o600)
            except OSError:
                return cls(-1)
            if lock_file(file):
                return cls(file)
            os.close(file)
        return None

    def hand_over(self) -> None:
        """Leave the place to the process that has inherited it."""
        if self.inherited:
            self.release()

    def release(self) -> None:
        """Close the file here; the place is free once no process has the file open."""
        file, self._file = self._file, -1
        if file >= 0:
            with suppress(OSError):
                os.close(file)


def lock_file(file: int) -> bool:
    """Lock a file until it is closed, for all processes that inherit it, and on Windows for this process.

    Returns:
        False if another process, or another opening of the file in this one, has the lock.
    """
    if sys.platform == "win32":
        return _lock_byte(file, _LAST_BYTE)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
