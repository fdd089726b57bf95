"""What decides how ticks are run is known by one number, which grows where it is written and nowhere else."""

import warnings

import pytest

from engine import MassProperties, World, flight, forces, joints

SHAPE = MassProperties.sphere(10.0, 0.5)


def ship():
    """A ship with a jet, a wheel, a spring, a drag and a pod on a hinge with a motor."""
    world = World(1 / 64)
    hull, pod, far = world.add_bodies(SHAPE, [(0, 0, 0), (2, 0, 0), (9, 0, 0)])
    world.add_force(forces.Thruster(hull, position=(1, 0, 0), direction=(0, 1, 0), max_force=2.0))
    world.add_force(forces.LinearDrag(0.1, bodies=[hull]))
    world.add_force(forces.Spring(hull, far, stiffness=2.0, rest_length=9.0))
    world.add_part(flight.ReactionWheel(hull, axis=(0, 0, 1), inertia=0.1, max_torque=0.1, max_speed=100.0))
    motor = joints.Motor(target_angle=0.1, stiffness=5.0, damping=1.0, max_torque=3.0)
    world.add_joint(joints.Hinge(hull, pod, at_body=(1, 0, 0), axis_body=(0, 0, 1), motor=motor))
    world.add_joint(joints.Ball(pod, None, at_body=(0, 0, 0)))
    world.step(2)
    return world


def _throttle(world):
    world.forces[0].throttle = 0.5


def _drag(world):
    world.forces[1].coefficient = 0.2


def _stiffness(world):
    world.forces[2].stiffness = 3.0


def _torque(world):
    world.parts[0].torque = 0.05


def _velocity(world):
    world.bodies[0].velocity = (0.1, 0, 0)


def _mass(world):
    world.bodies[2].mass_properties = MassProperties.sphere(11.0, 0.5)


def _push(world):
    world.bodies[0].apply_force((1.0, 0, 0))


def _target(world):
    world.joints[0].motor = joints.Motor(target_angle=0.2, stiffness=6.0, damping=1.0, max_torque=3.0)


def _same(world):
    world.joints[0].enabled = True


def _restored(world):
    snapshot = world.snapshot()
    world.step(3)
    world.restore(snapshot)


@pytest.mark.parametrize(
    "change", [_throttle, _drag, _stiffness, _torque, _velocity, _mass, _push, _target, _same, _restored]
)
def test_other_numbers_leave_the_layout_as_it_is(change):
    world = ship()
    change(world)  # once, because the table of pushes may grow
    world.step(2)
    version, run = world._store.layout_version, world._plan.choose()
    change(world)
    world.step(2)
    assert world._store.layout_version == version
    assert world._plan.choose() is run


def _open(world):
    world.joints[1].enabled = False


def _without_motor(world):
    world.joints[0].motor = None


def _more(world):
    world.add_body(SHAPE, position=(20, 0, 0))


def _jet(world):
    world.add_force(forces.Thruster(world.bodies[0], position=(0, 1, 0), direction=(1, 0, 0), max_force=2.0))


def _no_spring(world):
    world.remove_force(world.forces[2])


def _method(world):
    world.integrator = "free-rotor-4"


def _called(world):
    """A Python force, which lets all bodies move by the step of islands."""
    with pytest.warns(UserWarning, match="moved by the step"):
        world.add_force(lambda wrench, bodies, time: None)
        world.step()


@pytest.mark.parametrize("change", [_open, _without_motor, _more, _jet, _no_spring, _method, _called])
def test_what_decides_how_ticks_are_run_gives_the_motion_of_a_world_that_was_made_so(change):
    """A copy chooses everything anew."""
    world = ship()
    version = world._store.layout_version
    change(world)
    assert world._store.layout_version > version
    other = world.fork()
    with warnings.catch_warnings(action="ignore"):  # of the step of islands, once per world
        for each in (world, other):
            each.step(5)
    assert other.state_hash() == world.state_hash()


def test_a_change_of_the_layout_that_is_undone_with_its_tick_is_undone_in_the_loops_too():
    world = ship()
    other = world.fork()

    @world.on_tick
    def open_and_fail(world):
        world.joints[1].enabled = False
        world.bodies[2].velocity = (1e300, 0, 0)

    with pytest.raises(ArithmeticError):
        world.step()
    world.remove_callback(open_and_fail)
    for each in (world, other):
        each.step(5)
    assert other.state_hash() == world.state_hash()


def test_a_force_of_once_per_tick_goes_on_when_another_force_needs_longer_arrays_of_stages():
    """The first force has seen the array that the second one replaces."""
    world = World(1 / 64, integrator="rk4-body-rates")
    body = world.add_body(MassProperties.sphere(2.0, 0.5))

    class Push:
        def __init__(self, evaluate, axis):
            self.evaluate, self.axis = evaluate, axis

        def __call__(self, wrench, bodies, time):
            wrench.force_world[:, self.axis] += 4.0

    world.add_force(Push("tick", 0))
    world.add_force(Push("stage", 1))
    world.step(8)
    assert body.velocity.tolist() == pytest.approx([0.25, 0.25, 0.0], abs=1e-15)
