"""The drivers as state machines of Hypothesis."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from .interpreter import OPERATIONS, TICKS

ROOT = Path(__file__).parents[2]
PLAIN = {"NUMBA_DISABLE_JIT": "1"}
COMPILED = {"NUMBA_DISABLE_JIT": "0"}
WITH_BOUNDS_CHECKS = {"NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "1"}


class Peer:
    """Another process that interprets the same script.

    Args:
        environment: What differs in its environment.
        arriving: Whether kernels arrive at random, as on a machine that compiles them for the first time.
        options: The largest number of bodies, the methods, and whether to build each world afresh.
    """

    def __init__(self, environment: dict[str, str], arriving: bool = False, **options: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.operations.peer"],
            cwd=ROOT,
            env={**os.environ, "POLHODE_BACKGROUND": "0", **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._write({**options, "arriving": arriving})

    def _write(self, order: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def ask(self, *order: Any) -> None:
        """Have an operation applied; `answer` waits for what was seen."""
        self._write(order)

    def answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process that interprets operations has died"
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()


_GROWING = "add_body", "add_force", "add_part", "add_joint", "add_shape", "add_shape", "resize"


def machine(peers: list[Peer]) -> type[RuleBasedStateMachine]:
    """A state machine that applies random operations in all these processes and compares what they see."""

    class Operations(RuleBasedStateMachine):
        applied = 0
        """The number of operations applied so far, in all scripts."""

        def everyone(self, *order: Any) -> None:
            for peer in peers:
                peer.ask(*order)
            answers = [peer.answer() for peer in peers]
            assert all(answer == answers[0] for answer in answers), answers
            assert not isinstance(answers[0], str) or not answers[0].startswith("FAILED"), answers[0]
            assert isinstance(answers[0], str) or answers[0][-1] == "", f"built afresh, {answers[0][-1]} differs"

        @initialize()
        def start(self) -> None:
            self.everyone("new")

        @rule(name=st.sampled_from(sorted(OPERATIONS)), a=NUMBER, b=NUMBER)
        def change(self, name: str, a: int, b: int) -> None:
            type(self).applied += 1
            self.everyone(name, a, b)

        @rule(name=st.sampled_from(sorted(TICKS)), a=NUMBER, b=NUMBER)
        def tick(self, name: str, a: int, b: int) -> None:
            type(self).applied += 1
            self.everyone(name, a, b)

        @rule(name=st.sampled_from(_GROWING), a=NUMBER, b=NUMBER)
        def grow(self, name: str, a: int, b: int) -> None:
            type(self).applied += 1
            self.everyone(name, a, b)

    return Operations


NUMBER = st.integers(0, 65535)
