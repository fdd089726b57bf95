"""The satellites that the arm of the demo catches, and their motion."""

import math
from dataclasses import dataclass

import numpy as np

from ..physics import Body, MassProperties, World, rotation
from . import masses

MEETING = 32.0
"""Time after which a satellite has the attitude of its case [s]."""
PLACE = (4.0, 0.1, 1.1)
"""Of its mass centre in the axes of the craft [m]."""


@dataclass(frozen=True)
class Case:
    """A satellite, and its motion at the time `MEETING`."""

    text: str
    turned: tuple[float, float, float]
    """Rotation vector from the attitude in which its fixture faces the arm [degree], in the axes of the craft."""
    rates: tuple[float, float, float]
    """[degree/s], body frame."""
    times_mass: float = 1.0
    """Its mass over that of the satellite as it is drawn."""


CASES = {
    "tumble": Case("a tumbling satellite", (0.0, 8.0, 5.0), (1.2, 3.0, 0.5)),
    "spin": Case("a satellite that spins about its fixture", (0.0, 8.0, 5.0), (0.6, 1.5, -6.0)),
    "heavy": Case("a satellite that is heavier than the craft", (0.0, 8.0, 5.0), (0.8, 2.0, 0.4), 4.0),
}


def add_client(world: World, craft: Body, case: Case) -> Body:
    """The satellite at the start. Free rotation is reversible, so it is where a body gets in the same time with its rates reversed."""
    drawn, times = masses.client(), case.times_mass
    properties = MassProperties(times * drawn.mass, times * drawn.inertia_body, drawn.center_of_mass_body)
    facing = rotation.from_axis_angle((0.0, 1.0, 0.0), -0.5 * math.pi)  # its top towards −x of the craft
    turned = rotation.multiply(rotation.from_rotation_vector(np.radians(case.turned)), facing)
    back = World(0.25)
    body = back.add_body(
        properties,
        orientation=rotation.multiply(craft.orientation, turned),
        angular_velocity_body=-np.radians(case.rates),
    )
    back.step(round(MEETING / back.dt))
    return world.add_body(
        properties,
        name="satellite",
        position=craft.to_world(PLACE),
        orientation=body.orientation,
        angular_velocity_body=-body.angular_velocity_body,
    )
