"""A body that turns fast on a hinge of a tumbling hull: how wrong the attitude is, and that the log says so once."""

import logging

import numpy as np
import pytest

from engine import MassProperties, World
from engine.joints import Hinge, Motor

TUMBLE = np.array([0.3, 0.2, 0.1])


def spinning(dt, rate, method="free-rotor-2", tumble=TUMBLE):
    """A hull that tumbles and carries a rotor on a hinge."""
    world = World(dt, integrator=method)
    hull = world.add_body(MassProperties.box(100.0, (1.0, 1.2, 0.8)), angular_velocity_body=tumble)
    rotor = world.add_body(
        MassProperties.cylinder(5.0, 0.3, 0.1),
        position=(0, 0, 0.6),
        velocity=np.cross(tumble, (0, 0, 0.6)),
        angular_velocity_body=tumble + np.array([0, 0, rate]),
    )
    world.add_joint(Hinge(rotor, hull, at_body=(0, 0, 0), axis_body=(0, 0, 1)))
    return world, hull


def said(caplog):
    return [record.getMessage() for record in caplog.records if "against each other" in record.getMessage()]


@pytest.mark.parametrize(
    ("rate", "method", "warns", "error"),
    [
        (20.0, "free-rotor-2", False, 6e-4),
        (60.0, "free-rotor-2", True, 6e-3),
        (180.0, "free-rotor-2", True, 0.1),
        (60.0, "free-rotor-4", False, 3e-5),
        (-180.0, "free-rotor-4", True, 4e-3),
    ],
)
def test_the_log_names_a_rotor_where_the_attitude_drifts(rate, method, warns, error, caplog):
    """The reference takes 8 ticks of order 4 for each; without a warning the error in 5 s is below a mrad."""
    world, hull = spinning(1 / 60, rate, method)
    finer, fine_hull = spinning(1 / 480, rate, "free-rotor-4")
    finer.step(8 * 300)
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="polhode"):
        for _ in range(300):
            world.step()
    wanted = fine_hull.orientation * np.sign(hull.orientation @ fine_hull.orientation)
    assert 0.1 * error < 2.0 * np.linalg.norm(hull.orientation - wanted) < error
    found = said(caplog)
    assert len(found) == int(warns)
    if warns:
        assert "Hinge(body 'body 1', body 'body 0') turn by more than 0.7 rad per tick" in found[0]


def test_a_rotor_that_spins_up_in_ticks_that_call_no_python_is_named(caplog):
    world, _hull = spinning(1 / 60, 0.0)
    world.joints[0].motor = Motor(target_rate=100.0, max_torque=0.5)
    with caplog.at_level(logging.WARNING, logger="polhode"):
        for _ in range(2500):
            world.step()
    assert len(said(caplog)) == 1


def test_a_rotor_on_a_base_that_stands_still_is_exact_and_not_named(caplog):
    world, _hull = spinning(1 / 60, 180.0, tumble=np.zeros(3))
    alone = World(1 / 60)
    rotor = alone.add_body(MassProperties.cylinder(5.0, 0.3, 0.1), angular_velocity_body=(0, 0, 180.0))
    alone.add_joint(Hinge(rotor, at_body=(0, 0, 0), axis_body=(0, 0, 1)))
    with caplog.at_level(logging.WARNING, logger="polhode"):
        world.step(50)
        alone.step(50)
    assert said(caplog) == []
