"""A ship docks with a probe, turns the mated pair with its jets and undocks, flown by you or by its autopilot.

    python -m demos dock [--case near | turning | aside | straight] [--pilot auto | hold | pulses] [--view chase | port | station]
                         [--pace N] [--integrator NAME] [--headless --frames N --out FILE.png]

This demo continues where `approach` ends, with the same ship, station and pilot. A latch between the ports captures the ship when the tip
of its probe is in the drogue ("soft"). Springs hold the ship and pull the rings together. Then the two craft are one rigid body ("hard").
The autopilot lets them drift for some seconds and turns the pair by 8°, with a control law and an allocation for the mated pair
(`assembly=`). Then it undocks and backs away. The hulls have no shapes, so they pass through each other. Only the latch
and the limits for contact act between the craft.

W, S, A, D, E and X push the ship by 1 cm/s per pulse; I, K, J, L, U and O rotate it. P changes the pilot, V the view, and B undocks.
Without a window the autopilot flies, at fifteen times real time.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from . import running
from .approach import ApproachOptions, read_flight
from .drawing import FRAME, Array, Binding, Caption, Eye, Line, Model, turn_to
from .meshes import docking_probe
from .meshes.port import Port
from .physics import World, joints, rotation
from .scenes import docking_view
from .scenes.claims import claim
from .scenes.composite import Composite
from .scenes.docking import ANGLE, CLOSING, LATERAL, RATE, Alignment
from .scenes.docking_flight import CASES, PORT, Case, DockingFlight
from .scenes.mating_pilot import AWAY, PHASES, TURNED, MatingPilot
from .scenes.momentum_ledger import MomentumLedger

TIME_LIMIT = 400.0
"""Time within which the autopilot has to dock, undock and back away [s]."""
SOFT, RETRACT_TIME = (0.3, 1.0), 8.0  # frequency [Hz] and damping ratio, [s]
EYE = (0.0, 1.0, -0.25)
"""Position of a camera beside a port, in the axes of the port [m]."""
CLOSE = 6.0
"""Distance of the ports below which nothing is drawn between them [m]."""
SETTLED = 1.0
"""Time after locking at which the comparison with one rigid body starts [s]."""
GAP = 1e-10
"""Largest gap [m] and angle [rad] of the locked ports."""
DRIFTED, UNEXPLAINED = 1e-12, 1e-6
"""Largest changes of the momenta: without jets relative to the momenta, and with jets relative to the impulses."""
OFF_ANGLE, OFF_DISTANCE = 1e-6, 1e-5
"""Largest difference from one rigid body [rad], [m]."""
DOCK_CASES = {
    "near": Case("the last metres", (0.35, -0.25, 5.0), (3.0, -4.0, 6.0), (0.0, 0.01, -0.05), (0.0, 0.0, 0.0)),
    "turning": Case(
        "to a station that rotates slowly",
        (0.3, 0.4, 6.0),
        (-4.0, 5.0, -3.0),
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 0.0),
        (0.12, 0.04, -0.10),
    ),
    "aside": CASES["aside"],
    "straight": CASES["straight"],
}


class Dock(DockingFlight):
    """The flight ends when the ship has backed away from the port."""

    name, cases, reach = "dock", DOCK_CASES, docking_probe.STROKE
    pilot: MatingPilot
    views: ClassVar = {
        "chase": "beside the ship",
        "port": "beside the ship's port",
        "station": "beside the station's port",
    }
    camera_turn = 0.6
    radius = 2.2
    keys: Sequence[Binding] = (*DockingFlight.keys, ("b", "B", "undock", "undock"))

    @property
    def target(self) -> Array:
        """Between the two ports."""
        origin, orientation = self.ship.body.interpolated_pose()
        nose = origin + rotation.rotate(orientation, self.ship.port.position)
        return 0.5 * (nose + self._station_pose()[0])

    def undock(self) -> str:
        """Let go of the station."""
        return self.pilot.undock()

    # what is seen

    def _status(self) -> list[str]:
        first, *rest = super()._status()
        latch = f"latch {self.latch.state}"
        if self.latch.closing_energy:
            latch += f", closing energy {self.latch.closing_energy:.3g} J"
        left = f", {np.degrees(self.pilot.turn_error):.1f}° left" if self.pilot.phase == "turn" else ""
        return [f"{PHASES[self.pilot.phase]}{left}; {latch}", first, *rest]

    def _details(self, nose: Array, own: Array, middle: Array, axes: Array) -> list[Model]:
        """Probe and drogue; once caught, the tip of the probe is in the socket."""
        if self.latch.state != "open":
            tip = middle - docking_probe.SOCKET * axes[:, 2]
        else:
            drawn_in = self.pilot.phase == "leave"
            tip = nose + (docking_probe.SOCKET + (0.0 if drawn_in else docking_probe.STROKE)) * own[:, 2]
        collar = nose - docking_probe.COLLAR * own[:, 2]
        return [
            Model("drogue", middle, axes),
            Model("docking-mount", nose, own),
            Model("docking-probe", tip, turn_to(tip - collar)),
        ]

    def _lines(self, nose: Array, turn: Array, middle: Array, axes: Array) -> list[Line]:
        """The lines of the chase view; the cameras beside the ports show no cross, because they are off the axis."""
        if self.view == "port":
            return []
        lines = super()._lines(nose, turn, middle, axes)
        return lines if self._is_far else lines[-1:]

    def _captions(self, middle: Array, axes: Array) -> list[Caption]:
        return super()._captions(middle, axes) if self._is_far else []

    @property
    def _is_far(self) -> bool:
        """Whether there is room for the corridor between the craft."""
        return self.alignment().distance > CLOSE

    @property
    def torque_length(self) -> float:  # type: ignore[override]
        """Length of the arrow of a torque, a tenth for the mated pair, on which the jets have long lever arms [m/(N·m)]."""
        return docking_view.TORQUE_LENGTH * (0.1 if self.pilot.is_mated else 1.0)

    def _eye(self, nose: Array, turn: Array, middle: Array, axes: Array) -> Eye | None:
        """A camera beside one of the rings, which looks at the other one; on the axis, the probe or the drogue would block its view."""
        if self.view == "chase":
            return None
        own = turn @ self.ship.port.matrix
        place, port, other = (nose, own, middle) if self.view == "port" else (middle, axes, nose)
        at = place + port @ EYE
        reach = float(np.linalg.norm(other - at))
        forward = (other - at) / reach
        up = port[:, 1] - (port[:, 1] @ forward) * forward
        return Eye(at, forward, up / np.linalg.norm(up), max(reach, 2.0))

    # what is claimed

    def check(self) -> list[str]:
        """Check the autopilot's flight, the locked latch, the momenta, the motion of the pair as one body, and the propellant."""
        return [
            self._check_flight(),
            self._check_joint(),
            *self._check_momenta(),
            self._check_composite(),
            self._check_propellant(),
        ]

    def _check_flight(self) -> str:
        pilot, time = self.pilot, self.world.time
        steps = ", ".join(f"{name} at {when:.1f} s" for name, when in pilot.times.items()) or "not captured yet"
        if pilot.touched or (not self.result and time < TIME_LIMIT):
            return f"{steps}; the claim is about the autopilot's whole flight"
        turned = np.degrees(pilot.turned)
        text = f"{steps}; turned to within {turned:.3f}° of the target, allowed {np.degrees(TURNED):g}°; {self.result} after {time:.1f} s"
        return claim(self.away and time <= TIME_LIMIT and pilot.turned <= TURNED, text)

    def _check_joint(self) -> str:
        gap, angle = self._worst_gap
        text = f"the ports stayed within {gap:.0e} m and {angle:.0e} rad while they were locked"
        return claim(gap <= GAP and angle <= GAP, text)

    def _check_momenta(self) -> list[str]:
        ledger = self.ledger
        if not self._is_exact:
            return ["the momenta are not checked in game mode or with a method of order 1"]
        linear, angular = ledger.coasting_drift()
        coasting = f"total P and L changed by {linear:.0e} and {angular:.0e} in {ledger.coasted} ticks without jets"
        rest = max(ledger.unexplained())
        driven = f"the impulses of the jets explain the other changes of P and L to {rest:.0e}"
        return [claim(max(linear, angular) <= DRIFTED, coasting), claim(rest <= UNEXPLAINED, driven)]

    def _check_composite(self) -> str:
        if self._off is None or not self._is_exact:
            return "there is no mated pair to compare with one rigid body"
        angle, apart = self._off
        text = f"the mated pair was {angle:.0e} rad and {apart:.0e} m off one rigid body with the same jets"
        return claim(angle <= OFF_ANGLE and apart <= OFF_DISTANCE, text)

    @property
    def _is_exact(self) -> bool:
        """Whether the method conserves the momenta of the free craft and is at least as accurate as the step of the joints."""
        return not self.world.game_mode and self.world.integrator.order >= 2

    # the flight

    def _prepare(self) -> None:
        self.away = False
        capture = joints.Capture(self.reach, ANGLE, LATERAL, CLOSING, RATE)
        ports = (_port(self.ship.port), _port(PORT))
        self.latch = joints.Latch(
            self.ship.body,
            self.station,
            *ports,
            clocking=0.0,
            capture=capture,
            soft=SOFT,
            retract_time=RETRACT_TIME,
        )
        self.world.add_joint(self.latch)
        self.pilot = MatingPilot(self.ship, self.station, PORT, self.latch, self._wanted.pilot)
        self.ledger = MomentumLedger(self.world, self.ship)
        self._composite: Composite | None = None
        self._off: tuple[float, float] | None = None
        self._worst_gap = (0.0, 0.0)
        self.world.after_tick(self._step_composite)

    def _judge(self, world: World) -> None:
        """Before each tick, record the momenta, compare the mated pair with one body, and end the flight if it is over."""
        if self.result:
            return
        self.ledger.note()
        pilot, seen = self.pilot, self.alignment()
        if pilot.is_mated:
            self._watch(world, seen)
            return
        if self._composite is not None:
            self._composite.release()
            self._composite = None
        if pilot.phase == "leave":
            if pilot.mode == "auto" and seen.distance >= AWAY - 0.5:
                self.away = True
                self._end("undocked and back at a distance")
            elif pilot.mode != "auto" and seen.distance > 2.0 * self.reach:
                pilot.phase = "approach"
        elif pilot.phase == "approach" and seen.hits:
            self._end(self._contact(seen))

    def _watch(self, world: World, seen: Alignment) -> None:
        """Record the residual of the joint, and the deviation of the pair from one rigid body."""
        locked = world.time - self.pilot.times["drift"]
        if locked > 1.5 * world.dt:  # the first tick closes the last millimetre
            gap, angle = self._worst_gap
            here = float(np.linalg.norm(seen.offset)), max(seen.angle, abs(seen.roll))
            self._worst_gap = max(gap, here[0]), max(angle, here[1])
        if self._composite is not None:
            self._off = self._composite.off()
        elif locked >= SETTLED:
            self._composite = Composite(self.ship, self.station, self.pilot.jets)

    def _step_composite(self, _world: World) -> None:
        if self._composite is not None:
            self._composite.world.step()


def _port(port: Port) -> joints.Port:
    """A port of a mesh as one of a latch."""
    return joints.Port(port.position, port.axis, port.up)


def read_options(arguments: Sequence[str] | None = None) -> ApproachOptions:
    """The command line of this demo."""
    return read_flight("dock", __doc__.partition("\n")[0], Dock.cases, arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo."""
    return running.main("dock", Dock, read_options(arguments))


def check(case: str = "near") -> list[str]:
    """Let the autopilot fly a case without drawing it, and check what it did and the physics of the pair."""
    scene = Dock(read_options(["--headless", "--case", case]))
    while not scene.result and scene.world.time < TIME_LIMIT:
        scene.world.advance(FRAME)
    return scene.check()
