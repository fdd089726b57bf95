"""A second process in which nothing is compiled, for what must have the same bits in plain Python.

It is started once per process of tests, because each start takes longer than most of what is asked of it.
"""

import atexit
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def in_plain_python(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of a test module returns there.

    Args:
        function: A function at the top of a module, which leaves nothing changed behind.
        arguments: Its arguments, plain data.

    Returns:
        What it returns, plain data too: numbers, text and lists.

    Raises:
        AssertionError: If it raises; the message has the traceback.
    """
    process = _started()
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps([function.__module__, function.__qualname__, arguments]) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    assert line, "the process in plain Python has ended"
    kind, answer = json.loads(line)
    assert kind == "returned", answer
    return answer


@cache
def _started() -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.plain_python"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(process.communicate)  # which closes its input, so that it ends
    return process


def _serve() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a function prints is no answer
    for line in sys.stdin:
        module, name, arguments = json.loads(line)
        try:
            answer = ["returned", getattr(import_module(module), name)(*arguments)]
        except Exception:
            answer = ["raised", traceback.format_exc()]
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
