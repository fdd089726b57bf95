"""Other processes, for what must have the same bits there: one in which nothing is compiled, and those with another environment.

Each is started once per process of tests, because a start takes longer than most of what is asked of it.
"""

import atexit
import json
import os
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from engine import World
from engine.compilation import compiler

ROOT = Path(__file__).resolve().parents[1]


def in_plain_python(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of a test module returns where nothing is compiled; see `elsewhere`."""
    return elsewhere({"NUMBA_DISABLE_JIT": "1"}, function, *arguments)


def elsewhere(environment: dict[str, str], function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function of a test module returns in another process.

    Args:
        environment: What differs in the environment of that process.
        function: A function at the top of a module, which leaves nothing changed behind.
        arguments: Its arguments, plain data.

    Returns:
        What it returns, plain data too: numbers, text and lists.

    Raises:
        AssertionError: If it raises; the message has the traceback.
    """
    process = _started(frozenset(environment.items()))
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(json.dumps([function.__module__, function.__qualname__, arguments]) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    assert line, f"the process with {environment} has ended"
    kind, answer = json.loads(line)
    assert kind == "returned", answer
    return answer


def calls_of_kernels(world: World, ticks: int, names: Sequence[str]) -> list[int]:
    """How often kernels of these names are called in so many ticks, where nothing is compiled and the world has taken some already."""
    counts, kernels = Counter[str](), dict(compiler._CALLED)

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            counts[function.__qualname__] += 1
            return function(*arguments)

        return run

    compiler._CALLED.update({address: counted(function) for address, function in kernels.items()})
    try:
        world.step(ticks)
    finally:
        compiler._CALLED.update(kernels)
    return [counts[name] for name in names]


@cache
def _started(environment: frozenset[tuple[str, str]]) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.plain_python"],
        cwd=ROOT,
        env={**os.environ, **dict(environment)},
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
