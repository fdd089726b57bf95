"""A complete small campaign: detumblings with reaction wheels, a noisy gyro and a jet that sticks open.

A craft of 90 kg tumbles at about 0.1 rad/s. Four wheels in a pyramid stop it. Twice per second, a law that damps the rates of a noisy gyro
commands them. Mass, moments of inertia, attitude and rates are dispersed. In every fourth run, one of four jets leaks: its torque goes into
the wheels until the run ends, or until one of them is at its largest speed, which makes the run a failed one.

The claims at the end are checked: without a leak, the angular momentum of craft and wheels is constant to the error of the method and the
craft is at rest; and repeated runs have the same bits.
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ..body import Body
from ..checks import FloatArray
from ..flight import Controlled, Gyro, ReactionWheel, WheelAllocator
from ..flight.control import RateDamping
from ..flight.reference import Reference
from ..forces import ThrusterBank
from ..rotation import rotate
from ..solids.mass_properties import MassProperties
from ..world import World
from .campaign import Campaign
from .draws import Choice, Normal, NormalVector, RandomAttitude, Uniform
from .run import Run
from .statistics import required_runs

RUNS, SEED = 200, 2026
DT, DURATION = 0.1, 60.0  # [s]
_PYRAMID = ((1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1))
_WHEEL = {"inertia": 0.01, "max_torque": 0.3, "max_speed": 400.0}  # [kg·m²], [N·m], [rad/s]
_BOX = (1.0, 1.0, 1.5)  # [m]
_JETS = (((0, 0.5, 0), (0, 0, 1)), ((0, -0.5, 0), (0, 0, 1)), ((0.5, 0, 0), (0, 1, 0)), ((0, 0, 0.75), (1, 0, 0)))
"""Places [m] and directions of the jets, body frame."""
_THRUST = 1.0  # [N]
COLUMNS = {"final_rate": "rad/s", "settling_time": "s", "wheel_use": "-", "momentum_change": "-"}
_SETTLED = 2e-3  # [rad/s]
_DRIFT = 1e-9
"""Allowed relative change of the angular momentum in 600 ticks of a Runge-Kutta method of order 4; 1.7e-10 was measured."""
_FASTEST = 0.999
"""Share of the largest speed above which a wheel has no torque left."""


class _Rates:
    """The rates that the gyro measures, for the control loop."""

    def __init__(self, gyro: Gyro) -> None:
        self._gyro = gyro

    @property
    def angular_velocity_body(self) -> FloatArray:
        return self._gyro.read().angular_velocity_body


def simulate(run: Run) -> dict[str, float]:
    """Simulate one detumbling."""
    draws = run.draws
    box = MassProperties.box(draws["mass"], _BOX)
    world = World(dt=DT, integrator="rk4-body-rates")
    ship = world.add_body(
        MassProperties(box.mass, np.diag(box.inertia_body) * draws["inertia"]),
        name="ship",
        orientation=draws["attitude"],
        angular_velocity_body=draws["rate"],
    )
    wheels = [world.add_part(ReactionWheel(ship, axis=axis, **_WHEEL)) for axis in _PYRAMID]
    places, directions = zip(*_JETS, strict=True)
    jets = world.add_force(ThrusterBank(ship, positions=places, directions=directions, max_forces=_THRUST))
    if draws["stuck_jet"] >= 0:
        jets.throttle = np.eye(len(_JETS))[draws["stuck_jet"]] * draws["leak"]
    gyro = world.add_part(Gyro(ship, noise_density=1e-5, seed=run.seed("gyro"), every=5))
    law = RateDamping.tuned(ship.inertia_body, decay_rate=0.2)
    world.add_part(Controlled(ship, law, Reference(), WheelAllocator(wheels), every=5, measured=_Rates(gyro)))
    before, settled, step = _momentum(ship), 0.0, round(1.0 / DT)
    for _ in range(round(DURATION / DT) // step):
        world.step(step)
        rate, use = float(np.linalg.norm(ship.angular_velocity_body)), _use(wheels)
        run.trace(world.time, rate=rate, wheel_use=use)
        if use > _FASTEST:
            raise RuntimeError(
                f"a wheel is at its largest speed after {world.time:.1f} s, at a rate of {rate:.2g} rad/s"
            )
        if rate > _SETTLED:
            settled = world.time
    change = float(np.linalg.norm(_momentum(ship) - before) / np.linalg.norm(before))
    return {"final_rate": rate, "settling_time": settled, "wheel_use": use, "momentum_change": change}


def _momentum(ship: Body) -> FloatArray:
    """Angular momentum of craft and wheels about the mass centre [N·m·s], world frame."""
    return rotate(ship.orientation, ship.inertia_body @ ship.angular_velocity_body + ship.stored_momentum_body)


def _use(wheels: list[ReactionWheel]) -> float:
    """The largest share of its largest speed that a wheel has."""
    return max(abs(wheel.speed) for wheel in wheels) / _WHEEL["max_speed"]


def campaign(folder: object, runs: int = RUNS) -> Campaign:
    """The campaign, in a folder.

    Example:
        >>> campaign("out/example", 10)
        <Campaign 'out/example' with 10 runs of engine.campaign.example.simulate>
    """
    return Campaign(
        folder,
        simulate,
        runs=runs,
        seed=SEED,
        columns=COLUMNS,
        draws={
            "mass": Normal(90.0, 3.0),
            "inertia": NormalVector(size=3, deviation=0.02, mean=1.0),
            "attitude": RandomAttitude(),
            "rate": NormalVector(size=3, deviation=0.06),
            "stuck_jet": Choice([-1, 0, 1, 2, 3], [0.75, 0.0625, 0.0625, 0.0625, 0.0625]),
            "leak": Uniform(0.05, 0.5),
        },
    )


def run(folder: object, runs: int = RUNS, processes: int | None = None, progress: bool = True) -> Iterator[str]:
    """Run the campaign, draw its picture and check its claims; yields the lines of its table.

    Raises:
        AssertionError: If a claim is wrong.
    """
    made = campaign(folder, runs)
    made.run(processes=processes, progress=progress)
    table = made.results()
    yield f"{'column':18}{'unit':>7}{'smallest':>13}{'median':>13}{'99 %':>13}{'largest':>13}"
    for name, unit in COLUMNS.items():
        values = table[name].drop_null().to_numpy()
        if len(values):
            shown = (np.min(values), np.median(values), np.quantile(values, 0.99), np.max(values))
            yield f"{name:18}{unit:>7}" + "".join(f"{value:13.4g}" for value in shown)
    rate, status = made.success_rate(), made.status()
    yield (
        f"{status.done - status.failed} of {status.done} runs succeeded: {100 * rate.rate:.1f} %, "
        f"95 % interval {100 * rate.low:.1f} to {100 * rate.high:.1f} %"
    )
    yield f"99 % of success with 95 % confidence needs {required_runs(0.99, 0.95)} runs without a failure"
    yield from _claims(made, table)
    if runs > 1:
        yield f"picture: {_picture(made, folder)}"


def _claims(made: Campaign, table: pa.Table) -> Iterator[str]:
    """The claims of the example, each checked."""
    free = table.filter(np.array(table["draw.stuck_jet"].to_numpy() < 0))
    drift = max(free["momentum_change"].drop_null().to_pylist(), default=0.0)
    _claim(drift <= _DRIFT, f"without a leak, the angular momentum changes by {drift:.1e} of it, allowed {_DRIFT:g}")
    yield f"without a leak, the angular momentum is constant to {drift:.1e} of it, allowed {_DRIFT:g}"
    rest = max(free["final_rate"].drop_null().to_pylist(), default=0.0)
    _claim(rest <= _SETTLED, f"without a leak, a rate of {rest:.1e} rad/s is left, allowed {_SETTLED:g}")
    _claim(free["error"].null_count == free.num_rows, "without a leak, no run fails")
    yield f"without a leak, every craft is at rest, to {rest:.1e} rad/s, allowed {_SETTLED:g}"
    yield f"{len(made.verify(8))} runs were repeated, with the same bits"


def _claim(holds: bool, text: str) -> None:
    if not holds:
        raise AssertionError(text)


def _picture(made: Campaign, folder: object) -> str:
    try:
        made.plot(path := f"{folder}/plot.png")
    except ImportError as error:
        return str(error)
    return path
