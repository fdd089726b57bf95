"""How long kernels take to compile: for the log, and for the number of processes that compile them."""

_SECONDS = {
    "strang": 1.3,
    "held": 1.6,
    "table": 1.6,
    "passes": 0.6,
    "gather-held": 0.4,
    "push-run": 0.8,
    "begin-driven": 2.1,
    "end-driven": 1.0,
    "undo-driven": 0.5,
    "find-contacts": 3.6,
    "touch-cores": 3.2,
    "touch-terrain": 2.0,
    "part-cores": 1.6,
    "near-pairs": 1.0,
    "keep-contacts": 0.6,
    "point-rows": 0.6,
    "number-islands": 2.6,
    "joint-rows": 1.6,
    "follow-inertia": 1.6,
    "islands": 0.4,
    "islands-step": 1.6,
    "islands-passes": 1.6,
    "island": 0.4,
    "island-cones": 1.6,
    "island-bounded": 1.2,
    "island-sweeps": 1.0,
    "island-positions": 1.0,
    "island-point": 1.2,
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
