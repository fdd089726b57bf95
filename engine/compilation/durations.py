"""How long kernels take to compile: for the log, and for the number of processes that compile them."""

_SECONDS = {
    "strang": 0.9,
    "held": 1.2,
    "table": 1.2,
    "passes": 0.8,
    "gather-held": 0.45,
    "push-run": 0.6,
    "begin-driven": 0.75,
    "end-driven": 0.4,
    "end-kicks": 0.3,
    "find-contacts": 2.1,
    "touch-cores": 3.2,
    "touch-directly": 1.7,
    "touch-terrain": 1.3,
    "part-cores": 1.3,
    "part-from-terrain": 0.4,
    "near-pairs": 0.7,
    "keep-contacts": 0.4,
    "leave-inner-points": 0.7,
    "advance-pair": 0.3,
    "cast-on-terrain": 0.6,
    "cast-shapes": 0.3,
    "compose": 0.4,
    "point-rows": 0.3,
    "number-islands": 1.9,
    "joint-rows": 1.0,
    "follow-inertia": 1.1,
    "islands": 0.3,
    "islands-step": 1.1,
    "islands-passes": 0.7,
    "island": 0.2,
    "island-cones": 1.6,
    "island-bounded": 0.8,
    "island-sweeps": 0.6,
    "island-positions": 0.6,
    "island-point": 1.6,
    "island-move": 0.5,
}
"""Processor time [s] to compile kernels whose names begin so, on a processor of 2023; others take a seventh of a second."""
_STORED = 1.8
"""How many times as long loops take that also move bodies with stored momentum."""


def expected_seconds(name: str) -> float:
    """The processor time [s] that compiling a kernel will take."""
    words = name.split("-")
    beginnings = ("-".join(words[:count]) for count in range(len(words), 0, -1))
    found = next((_SECONDS[each] for each in beginnings if each in _SECONDS), 0.15)
    return found * (_STORED if "stored" in words else 1.0)
