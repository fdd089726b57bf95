"""Random free bodies, with and without wheels, by every method, against what the docstrings and `docs/integrators.md` say is conserved.

The principal moments are up to a million apart, ``dt·|ω|`` is between 0.01 and 1000, and the momentum of the wheels is between a thousandth
and a hundred times that of the body. Momentum and energy are computed from the state by NumPy and SciPy.

A rounding is ``2**-52``. What accumulates is divided by the number of ticks.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from engine import MassProperties, World
from engine.integrators import RungeKutta4

from .report import Figure

Array = Any

DT = 1.0 / 64.0
TICKS = 1000
"""Ticks of each body. The docstrings give changes in so many ticks."""
FEWEST = 8
"""Bodies of the shortest runs, whose bodies have fewer ticks."""
ROUNDING = 2.0**-52


@dataclass(frozen=True)
class Population:
    """Random bodies; principal moments [kg·m²] sorted, shape (n, 3), and `turn` is ``dt·|ω|``."""

    moments: Array
    inertia_body: Array
    orientation: Array
    angular_velocity_body: Array
    stored_momentum_body: Array
    turn: Array

    @property
    def count(self) -> int:
        return len(self.turn)

    @property
    def ratio(self) -> Array:
        """Largest principal moment over the smallest one."""
        return self.moments[:, 2] / self.moments[:, 0]


def population(count: int, seed: int, wheels: bool) -> Population:
    """Bodies in every class of shape: compact, flat, slender and flat and slender."""
    rng = np.random.default_rng((count, seed))
    # sums of mass times distance squared along three axes, of which any may vanish
    span = rng.choice((0.3, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0), count)
    parts = 10.0 ** (-span[:, np.newaxis] * np.sort(rng.uniform(size=(count, 3)), axis=1))
    parts[:, 0] = 1.0
    least = rng.uniform(size=count) < 0.5
    parts[least, 2] = 10.0 ** -span[least]
    moments = np.sort(parts.sum(axis=1, keepdims=True) - parts, axis=1)
    axes = Rotation.random(count, random_state=rng).as_matrix()
    tensors = np.einsum("nij,nj,nkj->nik", axes, moments, axes)
    tensors = 0.5 * (tensors + tensors.transpose(0, 2, 1))
    turn = 10.0 ** rng.uniform(-2.0, 3.0, count)
    rates = rng.normal(size=(count, 3))
    # some spin within 1e-6 to 0.1 of a principal axis
    near = rng.uniform(size=count) < 0.25
    chosen = axes[np.arange(count), :, rng.integers(0, 3, count)]
    close = 10.0 ** rng.uniform(-6.0, -1.0, (count, 1))
    rates[near] = (chosen + close * rates)[near]
    rates *= (turn / DT / np.linalg.norm(rates, axis=1))[:, np.newaxis]
    stored = np.zeros((count, 3))
    if wheels:
        own = np.linalg.norm(np.einsum("nij,nj->ni", tensors, rates), axis=1)
        stored = rng.normal(size=(count, 3))
        stored *= (own * 10.0 ** rng.uniform(-3.0, 2.0, count) / np.linalg.norm(stored, axis=1))[:, np.newaxis]
    orientation = Rotation.random(count, random_state=rng).as_quat()
    return Population(moments, tensors, orientation, rates, stored, turn)


@dataclass(frozen=True)
class Found:
    """What became of a population.

    Attributes:
        momentum: |ΔL| over |L|, of each body.
        energy: T/T₀ − 1.
        twice_energy: 2T [J] at the end.
        size: |L| [N·m·s] at the start.
        stopped: Whether the state overflowed, so that the body was frozen.
    """

    start: Population
    ticks: int
    momentum: Array
    energy: Array
    twice_energy: Array
    size: Array
    stopped: Array

    def worst(self, values: Array, chosen: Any = True) -> float:
        """The largest size among the chosen bodies that did not stop; NaN counts as the largest."""
        chosen = np.logical_and(chosen, ~self.stopped)
        return float(np.abs(values[chosen]).max()) if chosen.any() else 0.0


def fly(method: Any, start: Population, ticks: int) -> Found:
    """Run a population by one method."""
    world = World(DT, integrator=method, on_non_finite="freeze")
    world.add_bodies(
        [MassProperties(1.0, tensor) for tensor in start.inertia_body],
        np.zeros((start.count, 3)),
        orientation=start.orientation,
        angular_velocity_body=start.angular_velocity_body,
    )
    world.state.stored_momentum_body = start.stored_momentum_body

    def measured() -> tuple[Array, Array]:
        state = world.state
        rates = np.array(state.angular_velocity_body)
        own = np.einsum("nij,nj->ni", start.inertia_body, rates)
        total = Rotation.from_quat(np.array(state.orientation)).apply(own + np.array(state.stored_momentum_body))
        return total, (rates * own).sum(axis=1)

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        momentum, twice_energy = measured()
        world.step(ticks)
        stopped = np.zeros(start.count, dtype=bool)
        stopped[[frozen.body.index for frozen in world.frozen]] = True
        end, twice_end = measured()
        size = np.linalg.norm(momentum, axis=1)
        lost = np.linalg.norm(end - momentum, axis=1) / size
        return Found(start, ticks, lost, twice_end / twice_energy - 1.0, twice_end, size, stopped)


@dataclass(frozen=True)
class Claim:
    """What a method conserves. A number of roundings is per tick, and is multiplied by the ratio of the principal moments.

    Attributes:
        momentum: Roundings of the momentum.
        momentum_with_wheels: The same with wheels.
        energy: Roundings of the energy; None if it is not conserved.
        energy_with_wheels: The same with wheels.
        slow: Largest change of momentum or energy in 1000 ticks at ``dt·|ω|`` up to 0.1 without wheels, for a method whose order determines
            it; None for others.
        stops_from: The least ``dt·|ω|`` from which the rates of a body without wheels may overflow; infinite if they never do, with wheels
            or without.
        loses_below: The least ``dt·|ω|`` from which a body without wheels may gain energy; None if it may at any.
    """

    momentum: float | None = None
    momentum_with_wheels: float | None = None
    energy: float | None = None
    energy_with_wheels: float | None = None
    slow: float | None = None
    stops_from: float = math.inf
    loses_below: float | None = None


def kept(variables: str) -> RungeKutta4:
    return RungeKutta4(variables=variables, keep_momentum=True)


CLAIMS: dict[str, tuple[Any, Claim]] = {
    "free-rotor-2": ("free-rotor-2", Claim(momentum=6.0, momentum_with_wheels=20.0, energy=12.0)),
    "free-rotor-4": ("free-rotor-4", Claim(momentum=20.0, momentum_with_wheels=150.0, energy=30.0)),
    "saba4": ("saba4", Claim(momentum=20.0, momentum_with_wheels=150.0, energy=30.0)),
    "axis-splitting-2": ("axis-splitting-2", Claim(momentum=4.0, momentum_with_wheels=4.0)),
    "axis-splitting-4": ("axis-splitting-4", Claim(momentum=20.0, momentum_with_wheels=20.0)),
    "midpoint": ("midpoint", Claim(momentum=1.0, momentum_with_wheels=1.0, energy=1.0, energy_with_wheels=30.0)),
    "rk4": ("rk4", Claim(momentum=4.0, momentum_with_wheels=15.0)),
    "semi-implicit-euler": ("semi-implicit-euler", Claim(momentum=4.0, momentum_with_wheels=15.0)),
    "rk4-body-rates, momentum kept": (kept("body_rates"), Claim(momentum=4.0, momentum_with_wheels=15.0)),
    "rk4-world-rates, momentum kept": (kept("world_rates"), Claim(momentum=4.0, momentum_with_wheels=15.0)),
    "rk4-body-rates": ("rk4-body-rates", Claim(slow=2e-4, stops_from=1.4)),
    "rk4-world-rates": ("rk4-world-rates", Claim(slow=2e-4, stops_from=1.2)),
    "lie-rk4": ("lie-rk4", Claim(slow=2e-4, stops_from=1.4)),
    "rk5": ("rk5", Claim(slow=1e-6, stops_from=1.0)),
    "nystrom": ("nystrom", Claim(slow=2e-4)),
    "predictor-corrector": ("predictor-corrector", Claim(slow=0.5, stops_from=0.2)),
    "implicit-gyro-euler": ("implicit-gyro-euler", Claim(loses_below=1.0)),
}
"""The methods and their claims, with bounds three times what was measured."""


def figures_without_wheels(name: str, claim: Claim, found: Found) -> list[Figure]:
    """What holds for free bodies."""
    ratio, turn, per_tick = found.start.ratio, found.start.turn, ROUNDING * found.ticks
    figures = []
    if claim.momentum is not None:
        roundings = found.worst(found.momentum / ratio) / per_tick
        figures.append(
            Figure(f"{name}: momentum, roundings per tick over the ratio of the moments", roundings, claim.momentum)
        )
        # 2T lies between L²/I₃ and L²/I₁, but for the rounding of the momentum
        least, most = found.size**2 / found.start.moments[:, 2], found.size**2 / found.start.moments[:, 0]
        beyond = np.maximum(1.0 - found.twice_energy / least, found.twice_energy / most - 1.0)
        allowed = 4.0 * claim.momentum * per_tick * ratio
        figures.append(
            Figure(f"{name}: 2T beyond the bounds that the momentum sets", float((beyond / allowed).max()), 1.0)
        )
    if claim.energy is not None:
        roundings = found.worst(found.energy / ratio) / per_tick
        figures.append(
            Figure(f"{name}: energy, roundings per tick over the ratio of the moments", roundings, claim.energy)
        )
    if claim.slow is not None:
        worst = max(found.worst(found.momentum, turn <= 0.1), found.worst(found.energy, turn <= 0.1))
        figures.append(Figure(f"{name}: change at dt·|ω| up to 0.1", worst * TICKS / found.ticks, claim.slow))
    if claim.loses_below is not None:
        gained = float(found.energy[turn <= claim.loses_below].max())
        figures.append(Figure(f"{name}: gain of energy at dt·|ω| up to {claim.loses_below:g}", gained, per_tick))
    stopped = int((found.stopped & (turn < claim.stops_from)).sum())
    figures.append(Figure(f"{name}: bodies that stop at dt·|ω| below {claim.stops_from:g}", stopped, 0))
    return figures


def figures_with_wheels(name: str, claim: Claim, found: Found) -> list[Figure]:
    """What holds for bodies with wheels that turn freely."""
    ratio, per_tick = found.start.ratio, ROUNDING * found.ticks
    figures = []
    if claim.momentum_with_wheels is not None:
        roundings = found.worst(found.momentum / ratio) / per_tick
        what = f"{name}: momentum with wheels, roundings per tick over the ratio of the moments"
        figures.append(Figure(what, roundings, claim.momentum_with_wheels))
    if claim.energy_with_wheels is not None:
        roundings = found.worst(found.energy / ratio) / per_tick
        what = f"{name}: energy with wheels, roundings per tick over the ratio of the moments"
        figures.append(Figure(what, roundings, claim.energy_with_wheels))
    if claim.stops_from == math.inf:
        figures.append(Figure(f"{name}: bodies with wheels that stop", int(found.stopped.sum()), 0))
    return figures


def run(ticks: int, seed: int) -> list[Figure]:
    """So many ticks of bodies by each method without wheels, and as many with wheels."""
    each = min(TICKS, max(1, ticks // FEWEST))
    count = ticks // each
    figures = []
    for wheels, figures_of in ((False, figures_without_wheels), (True, figures_with_wheels)):
        start = population(count, seed, wheels)
        for name, (method, claim) in CLAIMS.items():
            figures += figures_of(name, claim, fly(method, start, each))
    return figures
