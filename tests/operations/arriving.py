"""A background that delivers kernels one by one at random, so that scripts meet every mixture of compiled kernels and plain Python."""

import random
from typing import Any

import engine.world
from engine.compilation import background, choice

SHARE = 0.15
"""The share of the missing kernels that arrive each time they are asked for."""


class Arrivals:
    """Kernels count as missing until they have arrived, whether they are on disk or not."""

    def __init__(self) -> None:
        self._random = random.Random(0)
        self._here: set[Any] = set()
        self._answered = 0
        self._can_run, self._is_loaded = choice.can_run, choice.is_loaded

    def install(self) -> None:
        """Take the place of the background of this process."""
        choice.runs_frames = True
        vars(engine.world).update(perf_counter=float)  # a clock that stands still: no frame skips ticks
        vars(choice).update(can_run=self._has_arrived, is_loaded=self._is_here)
        vars(background).update(
            ask=lambda wanted, urgent=True: True,
            is_usable=lambda: True,
            pending=lambda: 1,
            arrivals=lambda: self._answered,
            answered=lambda: self._answered,
        )

    def begin(self, number: int) -> None:
        """Start a script without any kernel."""
        self._random.seed(number)
        self._here.clear()
        self.go_on()

    def go_on(self) -> None:
        """Have everything that is missing asked for again."""
        self._answered += 1

    def _has_arrived(self, function: Any, types: Any) -> bool:
        key = function, types
        if key not in self._here and self._random.random() < SHARE:
            self._here.add(key)
        return key in self._here and self._can_run(function, types)

    def _is_here(self, function: Any, types: Any) -> bool:
        return (function, types) in self._here and self._is_loaded(function, types)
