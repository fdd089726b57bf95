"""A ship approaches a docking port of a space station in six degrees of freedom, flown by you or by its autopilot.

    python -m demos approach [--case aside | straight | turning] [--pilot auto | hold | pulses] [--view chase | port | station] [--pace N]
                             [--integrator NAME] [--headless --frames N --out FILE.png]

Sixteen jets fire in pulses, which a linear programme allocates to the wanted force and torque, and drain a tank. The instrument in the
lower left corner shows the station's port as the pilot sees it: the cross is its position, the ring its direction, the mark at the rim
its roll. The flight ends when the two ports meet within the limits for contact, or when they touch outside these limits. The craft are not
joined, and only the two ports can touch.

W, S, A, D, E and X push the ship by 1 cm/s per pulse; I, K, J, L, U and O rotate it. P changes the pilot, V the view. Without a window
the autopilot flies, ten times as fast.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from . import running
from .drawing import FRAME
from .physics import World
from .scenes.claims import claim
from .scenes.docking_flight import CASES, FASTEST_PACE, PACE, PACE_UNSEEN, PORT, VIEWS, DockingFlight
from .scenes.docking_pilot import MODES, DockingPilot

TIME_LIMIT = 150.0
"""In which the autopilot has to arrive [s]."""


@dataclass(frozen=True, kw_only=True)
class ApproachOptions(running.SceneOptions):
    """The options of a flight to a port."""

    case: str
    pilot: str
    view: str
    pace: float | None
    """Simulated seconds per second; None for the usual pace."""


class Approach(DockingFlight):
    """The flight ends when the ports touch."""

    name, cases = "approach", CASES

    def check(self) -> list[str]:
        """Assert that the autopilot arrives within the limits in time, the flow of propellant, and the momentum of the station."""
        return [self._check_arrival(), self._check_propellant(), self._check_station()]

    def _check_arrival(self) -> str:
        seen, time = self.pilot.alignment(), self.world.time
        numbers = ", ".join(f"{limit.name} {limit.text()}" for limit in seen.limits())
        if self.pilot.touched or (not self.result and time < TIME_LIMIT):
            return f"{self.result or 'not yet at the port'} after {time:.1f} s ({numbers}); the claim is about the autopilot's arrival"
        text = f"{self.result or 'not at the port'} after {time:.1f} s, allowed {TIME_LIMIT:g} s ({numbers})"
        return claim(self.docked and time <= TIME_LIMIT, text)

    def _check_station(self) -> str:
        """The rotation of a free body about no principal axis is as exact as the method."""
        body, world = self.station, self.world
        moved = float(np.abs(body.velocity).max())
        spin = float(np.linalg.norm(self._station_rates))
        if world.game_mode or spin == 0.0:
            turned = float(np.abs(body.angular_velocity_body - self._station_rates).max())
            return claim(max(moved, turned) == 0.0, "velocity and rates of the station have not changed by a bit")
        change = float(np.linalg.norm(body.angular_momentum_world - self._station_momentum))
        change /= float(np.linalg.norm(self._station_momentum))
        order = min(world.integrator.order, 4)
        allowed = 1e-14 * (1 + world.tick_count) + spin * world.time * (spin * world.dt) ** order
        text = (
            f"the station has not moved by a bit, its angular momentum changed by {change:.1e}, allowed {allowed:.1e}"
        )
        return claim(moved == 0.0 and change <= allowed, text)

    def _prepare(self) -> None:
        self.docked = False
        self.pilot = DockingPilot(self.ship, self.station, PORT, self._wanted.pilot)

    def _judge(self, world: World) -> None:
        """Before each tick, end the flight if the ports are in touch."""
        if self.result:
            return
        seen = self.pilot.alignment()
        if seen.docks:
            self.docked = True
            self._end("ports within limits")
        elif seen.hits:
            self._end(self._contact(seen))


def read_flight(name: str, text: str, cases: Collection[str], arguments: Sequence[str] | None) -> ApproachOptions:
    """The command line of a flight to a port; the first case is the default."""
    reader = running.parser(name, text, ApproachOptions, dt="1/60")
    first = next(iter(cases))
    reader.add_argument("--case", choices=cases, default=first, help=f"where the flight begins (default {first})")
    reader.add_argument("--pilot", choices=MODES, default="auto", help="who flies at first (default auto)")
    reader.add_argument("--view", choices=VIEWS, default="chase", help="the camera (default chase)")
    running.add_pace(reader, PACE, PACE_UNSEEN, (0.1, FASTEST_PACE))
    return reader.parse(arguments)


def read_options(arguments: Sequence[str] | None = None) -> ApproachOptions:
    """The command line of this demo."""
    return read_flight("approach", __doc__.partition("\n")[0], CASES, arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("approach", Approach, read_options(arguments))


def check(case: str = "aside") -> list[str]:
    """Let the autopilot fly a case without drawing it, and check its arrival, the propellant and the momentum of the station."""
    scene = Approach(read_options(["--headless", "--case", case]))
    while not scene.result and scene.world.time < TIME_LIMIT:
        scene.world.advance(FRAME)
    return scene.check()
