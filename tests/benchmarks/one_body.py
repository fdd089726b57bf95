"""The cost of one body that is stepped from Python."""

from collections.abc import Callable

from engine import Body, World, integrators

from .measure import Contestant, Effort, Figure, each_call, figures, value
from .scenes import DT, put_back, ships, world_of

TABLE, CALLS = "one body", "calls"

STEP, THROTTLED, MANY_TICKS = "world.step()", "throttle set, world.step()", "world.step(1000), per tick"


def measured(effort: Effort) -> list[Figure]:
    """A ship under gravity with one thruster, by every method; then the calls that a game makes in each frame."""
    contestants = [contestant for name in integrators.by_name for contestant in _ticks_of(name)]
    return figures(TABLE, "µs", contestants, effort) + _calls(effort)


def _ticks_of(integrator: str) -> list[Contestant]:
    bodies = ships(1)
    world = world_of(bodies, integrator)

    def prepare() -> None:
        put_back(world, bodies)
        world.step()  # leaves out what is worked out anew after a change by hand

    return [
        Contestant(integrator, STEP, each_call(world.step), prepare),
        Contestant(integrator, THROTTLED, _throttled(world), prepare),
        Contestant(integrator, MANY_TICKS, each_call(lambda: world.step(1000)), prepare, share=1000),
    ]


def _throttled(world: World) -> Callable[[int], None]:
    thruster = world.forces[-1]

    def run(times: int) -> None:
        for tick in range(times):
            thruster.throttle = tick / times
            world.step()

    return run


def _calls(effort: Effort) -> list[Figure]:
    world, advanced, crowd = (world_of(ships(count), "free-rotor-2") for count in (1, 1, 10_000))
    for made in (world, advanced, crowd):
        made.step()
    ship: Body = world.bodies[0]
    calls: dict[str, Callable[[], object]] = {
        "world.step()": world.step,
        "world.advance(dt), one tick": lambda: advanced.advance(DT),
        "body.position": lambda: ship.position,
        "body.interpolated_pose()": ship.interpolated_pose,
        "world.interpolated_poses(), 10 000 bodies": crowd.interpolated_poses,
    }
    contestants = [Contestant(row, "a call", each_call(call)) for row, call in calls.items()]
    found = figures(CALLS, "µs", contestants, effort)
    step, advance = found[0], found[1]
    return [*found, value(CALLS, "world.advance(dt) above world.step()", "a call", "µs", advance.median - step.median)]
