"""NASA's check cases 1 (dropped sphere) and 2 (tumbling brick), NASA/TM-2015-218675, against rows of a reference that meets its data.

The reference meets the position of the published SIM 05 to 5.7e-8 m and the velocity of SIM 04 to 1.5e-9 m/s over the whole 30 s
(data: github.com/nasa/simupy-flight, NESC_data). World axes are the inertial ones, which coincide with the Earth's at the start; the
body starts at rest on the turning Earth, 30 000 ft above the equator, with body x to the north, y to the east, z down.
"""

import numpy as np
import pytest

from engine import MassProperties, World, forces, integrators

from ..truth import point_motion, reference, rotations

GM = 3.986004418e14  # [m³/s²]
J2 = 0.00108262982
EARTH_RADIUS = 6378137.0  # [m]
EARTH_RATE = 7.292115e-5  # [rad/s], about +z
HEIGHT = 30000.0 * 0.3048  # [m]

POSITION = (EARTH_RADIUS + HEIGHT, 0.0, 0.0)
VELOCITY = (0.0, EARTH_RATE * (EARTH_RADIUS + HEIGHT), 0.0)
NORTH_EAST_DOWN = (0.0, -0.7071067811865475, 0.0, 0.7071067811865475)

SLUG_FOOT_SQUARED = 1.3558179483314004  # [kg·m²]
MASS = 2.2679617  # [kg], 0.155404754 slug
INERTIA = SLUG_FOOT_SQUARED * np.array([0.001894220, 0.006211019, 0.007194665])
RATES = np.radians([10.0, 20.0, 30.0])

# time: position [m], velocity [m/s], orientation (w, x, y, z), body rate [deg/s]
ROWS = {
    10.0: (
        (6386791.683941794, 4657.559816389041, 0.0),
        (-97.86570184052452, 465.7321916763316, 0.0),
        (-0.626704391687365, 0.3740255926665615, 0.5589805559556142, 0.3935571108923356),
        (-2.418902221693564, -23.55256951956369, 28.12859263004008),
    ),
    20.0: (
        (6385323.5863301065, 9314.40580299269, 0.0),
        (-195.76129528092576, 465.6250953863883, 0.0),
        (0.7286449104887686, 0.06750059562957131, -0.6814381446852714, -0.01274044649113225),
        (-5.422734680069863, 22.71593057646041, 28.6082817473136),
    ),
    30.0: (
        (6382876.258602481, 13969.823256757441, 0.0),
        (-293.71672218610144, 465.44645596132136, 0.0),
        (-0.6147720232060544, 0.2980419644592328, 0.6313582767067786, 0.3668965430992923),
        (12.61839077591327, -17.39747476161077, 31.1195888869439),
    ),
}

fine_methods = pytest.mark.parametrize(
    "method", [method for method in integrators.ALL_INTEGRATORS if method.order >= 4], ids=lambda method: method.name
)


def earth():
    return forces.PointGravity(GM, j2=J2, reference_radius=EARTH_RADIUS)


def test_start_is_where_the_check_case_puts_it():
    """The rows' own numbers for the start."""
    assert POSITION[0] == 6387281.0
    assert VELOCITY[1] == pytest.approx(465.76787589315, rel=1e-13)
    axes = rotations.matrix(NORTH_EAST_DOWN)
    assert np.allclose(axes, [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], atol=1e-15)


@fine_methods
def test_dropped_sphere_falls_as_in_check_case_1(method):
    """Position within 1e-4 m and velocity within 1e-6 m/s at 1/60 s. Measured 1.9e-9 m (two ulps of the position) and 5e-13 m/s."""
    world = World(1.0 / 60.0, integrator=method)
    world.add_force(earth())
    sphere = world.add_body(MassProperties.sphere(mass=14.5939, radius=0.0762), position=POSITION, velocity=VELOCITY)
    for time, (position, velocity, _quaternion, _rates) in ROWS.items():
        world.step(round(time * 60.0) - world.tick_count)
        assert np.linalg.norm(sphere.position - position) < 1e-4
        assert np.linalg.norm(sphere.velocity - velocity) < 1e-6
        assert not sphere.angular_velocity_body.any()


TICKS_A_SECOND = {"rk4": 125, "rk4-world-rates": 125, "nystrom": 80}
"""Where the goal is not met at 60. These read body rates off through the orientation and share its error: at 1/60 s
1.9e-7 and 8.7e-8 degrees, 1.6e-7 and 8.6e-8 degrees per second for the two of RK4, 1.4e-8 degrees per second for Nyström's."""


@fine_methods
def test_tumbling_brick_flies_as_in_check_case_2(method):
    """Position within 1e-4 m, attitude within 1e-7 degrees, body rates within 1e-8 degrees per second: at 1/60 s, or 1/125 s for two.

    Measured, the worst of the rows: 1e-8 m, 1.1e-8 degrees and 2.5e-9 degrees per second for RK4 in body rates at 1/60 s; 1.0e-8 and 8e-9
    for RK4 in angular momentum, 5e-9 and 5e-9 in world rates at 1/125 s.
    """
    ticks_a_second = TICKS_A_SECOND.get(method.name, 60)
    world = World(1.0 / ticks_a_second, integrator=method)
    world.add_force(earth())
    brick = world.add_body(
        MassProperties(MASS, INERTIA),
        position=POSITION,
        velocity=VELOCITY,
        orientation=NORTH_EAST_DOWN,
        angular_velocity_body=RATES,
    )
    for time, (position, velocity, (w, x, y, z), rates) in ROWS.items():
        world.step(round(time * ticks_a_second) - world.tick_count)
        assert np.linalg.norm(brick.position - position) < 1e-4
        assert np.linalg.norm(brick.velocity - velocity) < 1e-6
        assert np.degrees(rotations.angle(brick.orientation, (x, y, z, w))) < 1e-7
        assert np.linalg.norm(np.degrees(brick.angular_velocity_body) - rates) < 1e-8


def test_rows_are_those_of_the_reference_of_this_folder():
    """Euler's and Newton's equations integrated here give the rows: 1e-6 m, 1e-9 degrees, 1e-9 degrees per second."""

    def wrench(time, position, rotation, velocity, rates):
        return MASS * point_motion.oblate_gravity(GM, J2, EARTH_RADIUS, (0.0, 0.0, 1.0), position), np.zeros(3)

    motion = reference.solve(
        list(ROWS),
        mass=MASS,
        inertia_body=INERTIA,
        position=POSITION,
        velocity=VELOCITY,
        orientation=NORTH_EAST_DOWN,
        angular_velocity_body=RATES,
        wrench=wrench,
    )
    for row, (position, velocity, (w, x, y, z), rates) in enumerate(ROWS.values()):
        assert np.linalg.norm(motion.position[row] - position) < 1e-6
        assert np.linalg.norm(motion.velocity[row] - velocity) < 1e-8
        assert np.degrees(rotations.angle(motion.orientation[row], (x, y, z, w))) < 1e-9
        assert np.linalg.norm(np.degrees(motion.angular_velocity_body[row]) - rates) < 1e-9


def test_without_oblateness_the_fall_is_seen_to_be_wrong():
    """J2 moves the landing point by 7 m in 30 s, and its sign by 14 m: what the position tolerance above tells apart."""
    falls = []
    for j2 in (J2, 0.0, -J2):
        world = World(1.0 / 10.0, integrator="rk4")
        world.add_force(forces.PointGravity(GM, j2=j2, reference_radius=EARTH_RADIUS))
        sphere = world.add_body(MassProperties.sphere(mass=1.0, radius=0.1), position=POSITION, velocity=VELOCITY)
        world.step(300)
        falls.append(sphere.position[0])
    assert falls[1] - falls[0] == pytest.approx(7.1, abs=0.2)
    assert falls[2] - falls[0] == pytest.approx(14.2, abs=0.4)
