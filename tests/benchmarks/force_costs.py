"""The cost of forces: built-in ones that depend on the state, a user-defined function, and a thousand thrusters."""

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from engine import Body, World, forces

from .measure import Contestant, Effort, Figure, figures, ratio, rounds, value
from .scenes import put_back, ships, world_of

TABLE, USER, BANK = "forces", "a force of the user's", "thrusters"

METHODS = ("rk4", "free-rotor-2")
COUNTS = (1, 1000)

EARTH = {"gm": 3.986004418e14, "center": (-7e6, 0.0, 0.0)}  # GM [m³/s²], WGS 84
OBLATE = {"j2": 0.00108262982, "reference_radius": 6378137.0}

FIELDS: dict[str, Callable[[], forces.Force]] = {
    "PointGravity": lambda: forces.PointGravity(**EARTH),
    "PointGravity with J2": lambda: forces.PointGravity(**EARTH, **OBLATE),
    "GravityGradient": lambda: forces.GravityGradient(**EARTH),
    "LinearDrag": lambda: forces.LinearDrag(0.1),
    "QuadraticDrag": lambda: forces.QuadraticDrag(0.1),
    "AngularDamping": lambda: forces.AngularDamping(0.1),
    "Lorentz": lambda: forces.Lorentz(1e-3, electric_field=(1.0, 2.0, 3.0), magnetic_field=(3e-5, 0.0, 4e-5)),
}

USER_COUNT = 10_000
THRUSTERS = 1000


def measured(effort: Effort) -> list[Figure]:
    """Everything about forces."""
    found = [figure for name in METHODS for count in COUNTS for figure in _fields(name, count, effort)]
    return found + _user(effort) + _bank(effort)


def _fields(integrator: str, count: int, effort: Effort) -> list[Figure]:
    """Ticks of `world.step(n)` with a force evaluated at each stage, in those with held forces alone."""
    bodies = ships(count)
    worlds = {"held": world_of(bodies, integrator)}
    for name, make in FIELDS.items():
        worlds[name] = world_of(bodies, integrator)
        worlds[name].add_force(make())
    worlds["springs between neighbours"] = _chained(world_of(bodies, integrator))

    def contestant(world: World) -> Contestant:
        world.prepare()
        return Contestant("", "", world.step, lambda: put_back(world, bodies))

    held, *others = rounds([contestant(world) for world in worlds.values()], effort)
    column = f"{integrator}, {count} {'body' if count == 1 else 'bodies'}"
    return [ratio(TABLE, row, column, times, held) for row, times in zip(list(worlds)[1:], others, strict=True)]


def _chained(world: World) -> World:
    """A weak spring from each body to the next; one body alone hangs on the world's origin."""
    ends: list[Body | None] = [*world.bodies[1:]] or [None]
    for body, other in zip(world.bodies, ends, strict=False):
        world.add_force(forces.Spring(body, other, stiffness=1.0, damping=0.1, rest_length=1.0))
    return world


def _drag(wrench, bodies, time: float) -> None:
    wrench.force_world -= 0.1 * bodies.velocity


def _user(effort: Effort) -> list[Figure]:
    """What a call of a force in NumPy costs above its own time: the ticks divided by the calls, less the function by itself."""
    overheads = []
    for count in (1, USER_COUNT):
        world = world_of(ships(count), "rk4")
        world.add_force(_drag)
        calls = world.integrator.evaluations_per_tick
        contestants = [Contestant("", "", world.step, share=calls), Contestant("", "", _alone(count))]
        tick, own = figures(USER, "ns", contestants, effort)
        overheads.append(tick.median - own.median)
    one, many = overheads
    row = "rk4, NumPy drag, above its own time"
    return [
        value(USER, row, "a call [µs]", "µs", 1e-3 * one),
        value(USER, row, "a body and call [ns]", "ns", (many - one) / (USER_COUNT - 1)),
    ]


def _alone(count: int) -> Callable[[int], None]:
    """The function on arrays that lie in memory as those of a world do."""
    wrench = SimpleNamespace(force_world=np.zeros((3, count)).T)
    bodies = SimpleNamespace(velocity=np.ones((3, count)).T)

    def run(times: int) -> None:
        for _ in range(times):
            _drag(wrench, bodies, 0.0)

    return run


def _bank(effort: Effort) -> list[Figure]:
    """A bank of a thousand, its throttles written as one array before each tick; the tick without them taken off."""
    rng = np.random.default_rng(1000)
    bare, driven = (world_of(ships(1), "rk4") for _ in range(2))
    bank = driven.add_force(
        forces.ThrusterBank(
            driven.bodies[0],
            positions=rng.normal(size=(THRUSTERS, 3)),
            directions=rng.normal(size=(THRUSTERS, 3)),
            max_forces=1e-3,
        )
    )
    throttles = rng.random((8, THRUSTERS))

    def run_driven(times: int) -> None:
        for tick in range(times):
            bank.throttle = throttles[tick % 8]
            driven.step()

    def run_bare(times: int) -> None:
        for _ in range(times):
            bare.step()

    contestants = [Contestant("", "", run_driven), Contestant("", "", run_bare)]
    whole, without = figures(BANK, "ns", contestants, effort)
    row = f"ThrusterBank of {THRUSTERS}, all throttles set in each tick"
    return [value(BANK, row, "a thruster and tick [ns]", "ns", (whole.median - without.median) / THRUSTERS)]
