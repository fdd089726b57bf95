"""The machine and date of a measurement."""

import datetime
import importlib.metadata
import os
import platform
from typing import Any

from .peers import versions


def described() -> dict[str, Any]:
    """Date, processor and versions."""
    libraries = [f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "numba")]
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "libraries": libraries,
        "peers": [version for version in versions() if version not in libraries],
    }


def processor() -> str:
    """Its name, as far as the system tells."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(
                line.split(":")[1].replace("(R)", "").strip() for line in lines if line.startswith("model name")
            )
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
