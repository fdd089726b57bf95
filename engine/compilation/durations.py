"""How long kernels take to compile: for the log, and for the number of processes that compile them."""

_SECONDS = {
    "strang": 1.2,
    "held": 1.6,
    "table": 1.6,
    "passes": 0.9,
    "gather-held": 0.5,
    "push-run": 0.8,
    "begin-driven": 1.3,
    "end-driven": 0.7,
    "undo-driven": 0.3,
    "end-kicks": 0.5,
    "find-contacts": 2.7,
    "touch-cores": 4.2,
    "touch-directly": 1.8,
    "touch-terrain": 1.9,
    "part-cores": 1.7,
    "part-from-terrain": 0.7,
    "near-pairs": 0.9,
    "keep-contacts": 0.6,
    "leave-inner-points": 1.1,
    "advance-pair": 0.5,
    "cast-on-terrain": 1.1,
    "cast-shapes": 0.5,
    "compose": 0.6,
    "point-rows": 0.5,
    "number-islands": 2.6,
    "joint-rows": 1.5,
    "follow-inertia": 1.3,
    "islands": 0.4,
    "islands-step": 1.4,
    "islands-passes": 0.8,
    "island": 0.4,
    "island-cones": 2.1,
    "island-bounded": 1.2,
    "island-sweeps": 0.8,
    "island-positions": 1.0,
    "island-point": 1.6,
    "island-move": 0.7,
}
"""Processor time [s] to compile kernels whose names begin so, on a processor of 2023; others take a sixth of a second."""
_STORED = 1.8
"""How many times as long loops take that also move bodies with stored momentum."""


def expected_seconds(name: str) -> float:
    """The processor time [s] that compiling a kernel will take."""
    words = name.split("-")
    beginnings = ("-".join(words[:count]) for count in range(len(words), 0, -1))
    found = next((_SECONDS[each] for each in beginnings if each in _SECONDS), 0.17)
    return found * (_STORED if "stored" in words else 1.0)
