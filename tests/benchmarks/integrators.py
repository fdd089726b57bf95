"""Measure every integrator on bodies whose motion is known, draw the pictures and print the table.

    python -m tests.benchmarks.integrators
    python -m tests.benchmarks.integrators --draw    # measures nothing: draws the pictures again from tests/benchmarks/methods.json

Errors are against the closed forms of `engine.solutions`; times are of one body on one thread, compiling left out, the medians of rounds in
which everything takes turns. Pictures go to `demos/pictures/`: work-precision.svg, drift.svg, game-mode.svg.
"""

import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from engine import Body, NonFiniteStateError, World, forces
from engine.integrators import Integrator, by_name
from engine.solutions import FreeAsymmetricTop, HeavySymmetricTop

from ..helpers import angular_momentum, fly, one_body, rotational_energy
from ..truth import rotations
from . import charts

Array = npt.NDArray[np.float64]

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "demos" / "pictures"
KEPT = Path(__file__).with_name("methods.json")
"""The figures that the pictures show."""

SECONDS = np.arange(1.0, 11.0)
"""When the error is looked at. The largest counts: a single time can be a lucky zero."""
LOST = 1.0
"""An error [rad] above which a flight says nothing about its method."""
FINE_ENOUGH = 1e-11
"""An error [rad] next to rounding: smaller ticks only cost more. So they do where an error below `NEAR_ROUNDING` has stopped falling."""
NEAR_ROUNDING = 1e-8
COARSE_TICKS_A_SECOND = 16
"""Up to this rate a method is shown however good it is: the exact ones are so at one tick per second."""

ROUNDS, TABLE_ROUNDS = 25, 101

DRIFT_SECONDS, DRIFT_TICKS_A_SECOND = 1000, 60
TABLE_SECONDS, TABLE_TICKS_A_SECOND = 60.0, 240

GAME_MODE_SECONDS, GAME_MODE_TICKS_A_SECOND = 32, 240


@dataclass(frozen=True)
class Problem:
    """A body whose orientations are known at `SECONDS`."""

    title: str
    subtitle: str
    setup: Mapping[str, Any]
    """What `one_body` takes."""
    orientations: Callable[[Array], Array]
    finest: int
    """The most ticks per second that are tried: what the least accurate method needs, or patience allows."""
    timed_ticks: int
    """So many that the call itself does not count, and take no longer than a millisecond: what interrupts a few of them moves no median."""


def tumbling_body() -> Problem:
    """Case D of the seeds: I = (1, 2, 3) spun about its middle axis, which it leaves every 3.4 s."""
    moments, rates = (1.0, 2.0, 3.0), (0.1, 5.0, 0.1)
    setup = {"inertia_body": moments, "angular_velocity_body": rates}
    subtitle = "I = (1, 2, 3) kg·m², ω = (0.1, 5, 0.1) rad/s; no force"
    return Problem("Freely tumbling body", subtitle, setup, FreeAsymmetricTop(moments, rates).orientations, 2**18, 4000)


def heavy_top() -> Problem:
    """Case G of the seeds: a fast top, its torque k z × x₃ from a weight at the tip of the axis and its opposite at the mass centre.

    The weight is a built-in force that is evaluated at each stage; so nothing but the engine is timed.
    """
    strength, rates = 3.0, (0.3, -0.5, 9.0)
    orientation = rotations.from_axis_angle((0.6, -0.8, 0.0), 0.7)

    def couple(body: Body) -> list[forces.ConstantForce]:
        weight = forces.ConstantForce(body, force_world=(0.0, 0.0, -strength), at_body=(0.0, 0.0, 1.0))
        return [weight, forces.ConstantForce(body, force_world=(0.0, 0.0, strength))]

    setup = {
        "inertia_body": (1.0, 1.0, 0.6),
        "angular_velocity_body": rates,
        "orientation": orientation,
        "forces": couple,
    }
    subtitle = "I = (1, 1, 0.6) kg·m², ω = (0.3, −0.5, 9) rad/s; 3 N at 1 m"
    truth = HeavySymmetricTop(1.0, 0.6, strength, rates, orientation).orientations
    return Problem("Heavy top", subtitle, setup, truth, 2**13, 100)


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table in Markdown, and write the figures and the pictures."""
    begin = time.perf_counter()
    if "--draw" not in arguments:
        print(f"Python {platform.python_version()}, numpy {np.__version__}; {len(by_name)} integrators\n", flush=True)
        methods = {name: make() for name, make in by_name.items()}
        drifts = {name: drift(name) for name in methods}
        print(f"{table(methods, drifts)}\n", flush=True)
        figures = {problem.title: work_precision(list(methods), problem) for problem in (tumbling_body(), heavy_top())}
        KEPT.write_text(as_json({"drift": drifts, **figures}), encoding="utf-8")
        print(f"wrote {KEPT.relative_to(ROOT).as_posix()}")
    for name, picture in pictures(json.loads(KEPT.read_text(encoding="utf-8"))).items():
        path = PICTURES / f"{name}.svg"
        charts.save(picture, path)
        print(f"wrote {path.relative_to(ROOT).as_posix()}")
    print(f"{time.perf_counter() - begin:.0f} s")


def as_json(figures: Mapping[str, Mapping[str, Array]]) -> str:
    """The figures as text: of each picture the rows of each method, with three digits, one method per line."""
    parts = []
    for title, curves in figures.items():
        rows = (
            f"{json.dumps(name)}: {json.dumps([[float(f'{x:.3g}') for x in row] for row in curve])}"
            for name, curve in curves.items()
        )
        parts.append(f"{json.dumps(title)}: {{\n {f',{chr(10)} '.join(rows)}}}")
    return f"{{{f',{chr(10)}'.join(parts)}}}\n"


def pictures(kept: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The pictures of kept figures by the names of their files."""
    curves = {
        title: {name: np.array(rows).reshape(len(rows), -1) for name, rows in held.items()}
        for title, held in kept.items()
    }
    panels = [(problem.title, problem.subtitle, curves[problem.title]) for problem in (tumbling_body(), heavy_top())]
    return {
        "work-precision": charts.work_precision(panels),
        "drift": charts.drift(curves["drift"]),
        "game-mode": charts.game_mode(*(tumbling_with(game_mode) for game_mode in (False, True))),
    }


# work and precision


def work_precision(names: list[str], problem: Problem) -> dict[str, Array]:
    """For each method one row per tick length: µs of computing per second of motion, and the error [rad] within ten."""
    truth = problem.orientations(SECONDS)
    found = [(name, rate, error) for name in names for rate, error in _useful_errors(name, problem, truth)]
    costs = _microseconds_a_tick([_timed(name, rate, problem) for name, rate, _ in found], ROUNDS)
    rows: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for (name, rate, error), cost in zip(found, costs, strict=True):
        rows[name].append((cost * rate, error))
    return {name: np.array(row).reshape(-1, 2) for name, row in rows.items()}


def _useful_errors(name: str, problem: Problem, truth: Array) -> list[tuple[int, float]]:
    """Ticks per second, from few to many, and the error [rad] that they give; without those that are lost, ending near rounding."""
    useful, previous, rate = [], np.inf, 1  # powers of two: every whole second is a whole tick
    while rate <= problem.finest:
        error = largest_error(name, rate, SECONDS, problem.setup, truth)
        if error <= LOST:
            useful.append((rate, error))
        at_its_best = error < FINE_ENOUGH or (error < NEAR_ROUNDING and error > 0.5 * previous)
        if at_its_best and rate >= COARSE_TICKS_A_SECOND:
            break
        previous, rate = error, 2 * rate
    return useful


def largest_error(name: str, rate: int, times: Array, setup: Mapping[str, Any], truth: Array) -> float:
    """Largest error of the orientation [rad] at the times; infinite for a flight that did not stay finite."""
    try:
        return float(rotations.angle(fly(name, 1.0 / rate, times, **setup).orientation, truth).max())
    except NonFiniteStateError:
        return np.inf


def _timed(name: str, rate: int, problem: Problem, step_by_step: bool = False) -> Callable[[], float]:
    """A function that flies from the start and returns the seconds that a tick took, in one call of `step` or a call each."""
    world, body = one_body(name, 1.0 / rate, **problem.setup)
    orientation, rates = body.orientation, body.angular_velocity_body
    ticks = min(problem.timed_ticks, 500 if step_by_step else problem.timed_ticks, rate * len(SECONDS))
    flights = max(1, 100 // ticks)
    world.step()  # compiles

    def measure() -> float:
        taken = 0.0
        for _ in range(flights):
            body.orientation, body.angular_velocity_body = orientation, rates
            world.step()  # leaves out what is worked out anew after a change by hand
            begin = time.perf_counter()
            if step_by_step:
                for _ in range(ticks):
                    world.step()
            else:
                world.step(ticks)
            taken += time.perf_counter() - begin
        return taken / (flights * ticks)

    return measure


def _microseconds_a_tick(measures: list[Callable[[], float]], count: int) -> list[float]:
    rounds = [[measure() for measure in measures] for _ in range(count)]
    return [1e6 * statistics.median(times) for times in zip(*rounds, strict=True)]


# drift


def drift(name: str) -> Array:
    """Time [s], energy and momentum drift of the tumbling body so far, relative, one row a sample; ends where the flight does."""
    setup = tumbling_body().setup
    world, body = one_body(name, 1.0 / DRIFT_TICKS_A_SECOND, **setup)
    energy, momentum = rotational_energy(body.inertia_body, body.angular_velocity_body), angular_momentum(body)
    samples = np.unique(np.geomspace(1, DRIFT_SECONDS * DRIFT_TICKS_A_SECOND, 160).round().astype(int))
    rows = []
    for tick in samples:
        try:
            world.step(int(tick) - world.tick_count)
        except NonFiniteStateError:
            break
        energy_now = rotational_energy(body.inertia_body, body.angular_velocity_body)
        off = np.linalg.norm(angular_momentum(body) - momentum) / np.linalg.norm(momentum)
        rows.append((world.time, abs(energy_now / energy - 1.0), off))
    table = np.array(rows).reshape(-1, 3)
    table[:, 1:] = np.maximum.accumulate(table[:, 1:])
    return table


# the table


def table(methods: Mapping[str, Integrator], drifts: Mapping[str, Array]) -> str:
    """What each method keeps, how wrong it is and what it costs, in Markdown."""
    free, top = tumbling_body(), heavy_top()
    rate, times = TABLE_TICKS_A_SECOND, np.arange(1.0, TABLE_SECONDS + 1.0)
    truth = free.orientations(times)
    costs = [
        _microseconds_a_tick([_timed(name, rate, problem, step_by_step) for name in methods], TABLE_ROUNDS)
        for problem, step_by_step in ((free, True), (top, True), (free, False))
    ]
    lines = [
        "| method | order | evaluations per tick | momentum drift | energy drift | orientation error [rad]"
        " | µs per tick | with a stage force | in one call |",
        "| --- | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for (name, method), single, staged, many in zip(methods.items(), *costs, strict=True):
        cells = [f'`"{name}"`', f"{method.order}", f"{method.evaluations_per_tick}", *_drift_cells(drifts[name])]
        error = largest_error(name, rate, times, free.setup, truth)
        cells += [_number(error, 1) if np.isfinite(error) else "not finite"]
        lines.append(f"| {' | '.join([*cells, f'{single:.2f}', f'{staged:.2f}', f'{many:.3f}'])} |")
    return "\n".join(
        [
            *lines,
            "",
            f"Drifts: relative, the largest in {DRIFT_SECONDS} s of free tumbling at 1/{DRIFT_TICKS_A_SECOND} s. Error: the largest in"
            f" {TABLE_SECONDS:.0f} s at 1/{rate} s.",
            "Both: I = (1, 2, 3) kg·m², ω = (0.1, 5, 0.1) rad/s. Times: one body, `world.step()` each tick, free and with one force"
            " evaluated at",
            "each stage; and `world.step(n)`, free.",
        ]
    )


def _drift_cells(drifts: Array) -> list[str]:
    """Momentum drift, energy drift."""
    if len(drifts) == 0 or drifts[-1, 0] < DRIFT_SECONDS - 1.0:
        end = drifts[-1, 0] if len(drifts) else 0.0
        return [f"not finite after {end:.0f} s"] * 2
    return [_number(drifts[-1, column], 0) for column in (2, 1)]


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}e}" if value < 0.1 else f"{value:.1f}"


# game mode


def tumbling_with(game_mode: bool) -> charts.Tumbling:
    """Case B of the seeds, I = (2, 8, 4) and ω = (0, 0.1, 1), in the default method of the world."""
    world, body = one_body(
        None,
        1.0 / GAME_MODE_TICKS_A_SECOND,
        inertia_body=(2.0, 8.0, 4.0),
        physical=False,  # no real body has this tensor; the seeds' figure does
        game_mode=game_mode,
        angular_velocity_body=(0.0, 0.1, 1.0),
    )
    every = GAME_MODE_TICKS_A_SECOND // 24
    rows = [_sample(world, body)]
    for _ in range(GAME_MODE_SECONDS * GAME_MODE_TICKS_A_SECOND // every):
        world.step(every)
        rows.append(_sample(world, body))
    times, axes, rates, momenta, energies = (np.array(column) for column in zip(*rows, strict=True))
    return charts.Tumbling(times, axes, rates, momenta, energies)


def _sample(world: World, body: Body) -> tuple[float, Array, Array, Array, float]:
    rates_body = body.angular_velocity_body.copy()  # SciPy turns only what it might write to
    axis, rates = (rotations.to_world(body.orientation, vector) for vector in ((0.0, 0.0, 1.0), rates_body))
    return world.time, axis, rates, angular_momentum(body), float(rotational_energy(body.inertia_body, rates_body))


if __name__ == "__main__":
    main(sys.argv[1:])
