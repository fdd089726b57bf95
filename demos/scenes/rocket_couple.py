"""Two rockets at the ends of an axle that push in opposite directions, which is the couple of a heavy top without any weight."""

import numpy as np

from ..drawing import Array, Arrow, Plume, colours
from ..meshes.rocket_top import ARM, NOZZLES, SIDES
from ..physics import Body, World, forces, rotation

UP = np.array([0.0, 0.0, 1.0])
ARROW = 0.7  # length drawn at full thrust [m]


class RocketCouple:
    """The torque `strength` [N·m] times z × x₃ on a body with the nozzles of `meshes.rocket_top`, x₃ its axle, z the world's.

    The body spins and its rockets with it; so each is four jets round a collar, which fire in turn.
    """

    def __init__(self, body: Body, strength: float) -> None:
        self._body, self._strength = body, strength
        self.jets = forces.ThrusterBank(
            body,
            positions=[nozzle.position for nozzle in NOZZLES.values()],
            directions=[nozzle.force_direction for nozzle in NOZZLES.values()],
            max_forces=strength / (2.0 * ARM),
        )
        body.world.add_force(self.jets)
        body.world.on_tick(self._steer)

    def torque(self, axis: Array) -> Array:
        """In shares of the strength, for an axle along this unit vector (world)."""
        return np.cross(UP, axis)

    def potential(self, axis: Array) -> float:
        """Of the couple [J], for an axle along this unit vector (world)."""
        return self._strength * float(axis[2])

    def plumes(self, origin: Array, turn: Array) -> list[Plume]:
        """The exhaust of each jet, as the engine has its throttle."""
        return [
            nozzle.plume(origin, turn, share)
            for nozzle, share in zip(NOZZLES.values(), self.jets.throttle, strict=True)
        ]

    def arrows(self, origin: Array, turn: Array) -> list[Arrow]:
        """The push of each rocket, at its end of the axle."""
        pushes = self.jets.throttle.reshape(2, 4) @ -SIDES
        ends = zip((ARM, -ARM), pushes, strict=True)
        return [
            Arrow(origin + turn @ (z * UP), ARROW * turn @ push, colours.THRUST, "", 0.022, "thrust")
            for z, push in ends
        ]

    def _steer(self, world: World) -> None:
        """Set the jets for the middle of the tick over which they are held: there they push along ∓(z − x₃ cos θ), as hard as sin θ."""
        half_turn = rotation.from_rotation_vector(self._body.angular_velocity_body * (0.5 * world.dt))
        middle = rotation.multiply(self._body.orientation, half_turn)
        share = SIDES @ rotation.rotate_inverse(middle, UP)  # the upper jets' gas goes up, their force down
        self.jets.throttle = np.clip(np.concatenate([share, -share]), 0.0, 1.0)
