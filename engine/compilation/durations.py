"""How long kernels take to compile: for the log, and for the number of processes that compile them."""

_SECONDS = {
    "strang": 2.0,
    "held": 2.5,
    "table": 2.5,
    "passes": 0.9,
    "gather-held": 0.6,
    "push-run": 1.2,
    "begin-driven": 3.3,
    "end-driven": 1.6,
    "undo-driven": 0.8,
    "find-contacts": 5.5,
    "touch-cores": 5.0,
    "touch-terrain": 3.0,
    "part-cores": 2.5,
    "near-pairs": 1.5,
    "keep-contacts": 0.9,
    "point-rows": 0.9,
    "number-islands": 4.0,
    "joint-rows": 2.4,
    "follow-inertia": 2.4,
    "islands": 0.6,
    "islands-step": 2.4,
    "islands-passes": 2.4,
    "island": 0.6,
    "island-cones": 2.5,
    "island-bounded": 1.8,
    "island-sweeps": 1.5,
    "island-positions": 1.5,
    "island-point": 1.8,
}
"""Processor time [s] to compile kernels whose names begin so, on a processor of 2023; others take a quarter of a second."""
_STORED = 1.8
"""How many times as long loops take that also move bodies with stored momentum."""


def expected_seconds(name: str) -> float:
    """The processor time [s] that compiling a kernel will take."""
    words = name.split("-")
    beginnings = ("-".join(words[:count]) for count in range(len(words), 0, -1))
    found = next((_SECONDS[each] for each in beginnings if each in _SECONDS), 0.25)
    return found * (_STORED if "stored" in words else 1.0)
