"""Laws and allocation for what is rigidly joined: against the composite body, written with matrices, and in the motion of mated craft."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, rotation
from engine.flight import (
    AttitudeHold,
    BodyTorque,
    Controlled,
    Gimbal,
    GimbalAllocator,
    Jets,
    ReactionWheel,
    Reference,
    Tank,
    Thruster,
    ThrusterAllocator,
    ThrusterBank,
)
from engine.flight.control import MRPFeedback, QuaternionPD, RateDamping
from engine.joints import Ball, Capture, Latch, Port, Weld

from ..helpers import SKEW_AXES, SKEW_ORIENTATION, skew_tensor

SHIP = MassProperties(800.0, skew_tensor((600.0, 900.0, 1100.0)), (0.1, -0.05, 0.2))
STATION = MassProperties(3000.0, skew_tensor((5000.0, 8000.0, 9000.0)), (-0.3, 0.4, 0.1))
TURNED = Rotation.from_rotvec((0.7, -1.1, 0.4))
"""Of the station's axes in those of the ship."""
PLACE = np.array([1.0, 2.0, 6.0])
"""Of the station's origin in the ship's axes [m]."""
SECONDS = 0.1


def mated(dt=0.02, wheels=True, **start):
    """Two craft at odd angles with wheels and a tank, one weld between them."""
    world = World(dt)
    start = {"orientation": SKEW_ORIENTATION, **start}
    ship = world.add_body(SHIP, name="ship", origin=(3.0, -5.0, 8.0), **start)
    there = rotation.multiply(ship.orientation, TURNED.as_quat())
    station = world.add_body(STATION, name="station", origin=ship.to_world(PLACE), orientation=there)
    if wheels:
        world.add_part(Tank.ball(station, (0.5, 0.2, -0.4), 0.4, 100.0, capacity=200.0))
        for body, axis in ((ship, (0.6, 0.0, 0.8)), (station, (0.0, 0.8, -0.6)), (station, (1.0, 0.0, 0.0))):
            wheel = world.add_part(ReactionWheel(body, axis=axis, inertia=3.0, max_torque=5.0, max_speed=500.0))
            wheel.speed = 40.0
    weld = world.add_joint(Weld(ship, station, at_body=(0.0, 0.0, 3.0)))
    spin = ship.angular_velocity_world
    station.angular_velocity_world = spin
    station.velocity = ship.velocity + np.cross(spin, station.position - ship.position)
    return world, ship, station, weld


def composite(ship, station):
    """Mass centre, tensor of the equation of motion and stored momentum of both in the ship's axes, with matrices of NumPy."""
    turn = TURNED.as_matrix()
    centers = ship.center_of_mass_body, PLACE + turn @ station.center_of_mass_body
    masses = float(ship.mass), float(station.mass)
    tensors = ship.inertia_body, turn @ station.inertia_body @ turn.T
    middle = (masses[0] * centers[0] + masses[1] * centers[1]) / sum(masses)
    whole = np.zeros((3, 3))
    for mass, center, tensor in zip(masses, centers, tensors, strict=True):
        arm = center - middle
        whole += tensor + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return middle, whole, ship.stored_momentum_body + turn @ station.stored_momentum_body


def sixteen_jets(world, ship, max_force=40.0):
    positions, directions = [], []
    for x, y in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        for z in (1.2, -1.2):
            positions += 4 * [(x, y, z)]
            directions += [(-y, x, 0.0), (y, -x, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)]
    return world.add_force(ThrusterBank(ship, positions=positions, directions=directions, max_forces=max_force))


def close(found, wanted, relative=1e-12):
    return float(np.linalg.norm(np.asarray(found) - wanted)) <= relative * float(np.linalg.norm(wanted))


def test_an_assembly_reads_mass_centre_inertia_and_momentum_of_the_mated_craft():
    world, ship, station, _weld = mated(angular_velocity_body=(0.02, -0.05, 0.03))
    stack = world.assembly(ship)
    for exact in (1e-14, 1e-11):
        middle, tensor, stored = composite(ship, station)
        assert stack.bodies == (ship, station)
        assert stack.body is ship
        assert stack.mass == ship.mass + station.mass == pytest.approx(stack.mass_properties.mass, rel=1e-15)
        assert close(stack.center_of_mass_body, middle, exact)
        assert close(stack.inertia_body, tensor, exact)
        assert close(stack.stored_momentum_body, stored, exact)
        world.step(50)  # the weld keeps the pose within 1e-11 m


LAWS = {
    "MRPFeedback": (lambda **given: MRPFeedback(30.0, 200.0, **given)),
    "QuaternionPD": (lambda **given: QuaternionPD(30.0, 200.0, gyroscopic=True, max_torque_body=20.0, **given)),
    "QuaternionPD.tuned": (
        lambda inertia_body=None, assembly=None: QuaternionPD.tuned(inertia_body, 20.0, 0.3, assembly=assembly)
    ),
    "RateDamping.tuned": (
        lambda inertia_body=None, assembly=None: RateDamping.tuned(inertia_body, 0.4, assembly=assembly)
    ),
}


@pytest.mark.parametrize("new_law", LAWS.values(), ids=LAWS)
def test_a_law_with_an_assembly_gives_the_torque_of_the_composite_body(new_law):
    """Before and after the weld lets go, by one law object."""
    world, ship, station, weld = mated(angular_velocity_body=(0.2, -0.5, 0.3))
    reference = Reference(rotation.from_axis_angle((0.2, 0.5, -0.6), 1.1), (0.03, -0.02, 0.05), (0.01, 0.02, -0.01))
    law = new_law(assembly=world.assembly(ship))
    _middle, tensor, stored = composite(ship, station)
    seen = {"orientation": ship.orientation, "angular_velocity_body": ship.angular_velocity_body}
    whole = SimpleNamespace(**seen, stored_momentum_body=stored)
    assert close(
        law.torque_body(ship, reference, SECONDS),
        new_law(inertia_body=tensor).torque_body(whole, reference, SECONDS),
    )
    weld.enabled = False
    alone = new_law(inertia_body=ship.inertia_body).torque_body(ship, reference, SECONDS)
    assert law.torque_body(ship, reference, SECONDS).tolist() == alone.tolist()


def test_the_gains_of_a_tuned_law_are_those_of_the_present_assembly():
    world, ship, station, weld = mated()
    law = QuaternionPD.tuned(None, 20.0, 0.3, assembly=world.assembly(ship))
    damping = RateDamping.tuned(None, 0.5, assembly=world.assembly(ship))
    for tensor in (composite(ship, station)[1], ship.inertia_body):
        assert close(law.stiffness, 0.09 * tensor)
        assert close(law.damping, 0.6 * tensor)
        assert close(damping.damping, 0.5 * tensor)
        weld.enabled = False


@pytest.mark.parametrize("method", ["least propellant", "even"])
def test_allocation_with_an_assembly_makes_the_wanted_force_and_torque_on_the_mated_pair(method):
    """Against the change of P, and of L about the common mass centre, in a short tick of the world."""
    world, ship, station, weld = mated(
        1e-3
    )  # in a tick much shorter, a weld that is open by 1e-11 m shows in the rates
    bank = sixteen_jets(world, ship)
    allocator = ThrusterAllocator([bank], method=method, assembly=world.assembly(ship))
    force, torque = np.array([4.0, -3.0, 5.0]), np.array([20.0, 15.0, -10.0])
    found = allocator.allocate(torque, force)
    assert not found.saturated
    assert close(allocator.wrench_of(found.shares)[1], torque)
    about_ship = allocator.wrench_of(found.shares, ship.center_of_mass_body)[1]
    assert np.linalg.norm(about_ship - torque) > 0.5 * np.linalg.norm(torque)
    bank.throttle = found.shares
    center = ship.to_world(composite(ship, station)[0])
    before = world.linear_momentum(), world.angular_momentum(center)
    world.step()
    assert close((world.linear_momentum() - before[0]) / world.dt, ship.direction_to_world(force), 1e-8)
    assert close((world.angular_momentum(center) - before[1]) / world.dt, ship.direction_to_world(torque), 1e-6)
    rates = ship.angular_velocity_body / world.dt
    assert close(rates, np.linalg.solve(composite(ship, station)[1], torque), 1e-4)
    weld.enabled = False
    assert close(
        allocator.allocate(torque, force).shares,
        ThrusterAllocator([bank], method=method).allocate(torque, force).shares,
    )


@pytest.mark.parametrize("direction", [(0.0, 1.0, 0.0), (0.5, -0.7, 0.2)])
def test_the_reach_of_jets_that_push_as_they_turn_is_that_about_the_common_mass_centre(direction):
    """Against SciPy's linear programme."""
    world, ship, station, _weld = mated(wheels=False)
    bank = sixteen_jets(world, ship)
    arms, thrusts = bank.positions - composite(ship, station)[0], 40.0 * bank.directions
    unit = np.array(direction) / np.linalg.norm(direction)
    matrix = np.column_stack([np.cross(arms, thrusts).T, -unit])
    cost = np.eye(len(arms) + 1)[-1]
    best = linprog(-cost, A_eq=matrix, b_eq=np.zeros(3), bounds=[(0, 1)] * len(arms) + [(0, None)])
    reach = ThrusterAllocator([bank], assembly=world.assembly(ship)).reachable_torques(direction, force_is_free=True)
    alone = ThrusterAllocator([bank]).reachable_torques(direction, force_is_free=True)
    assert reach == pytest.approx(best.x[-1], rel=1e-9)
    assert reach > 1.1 * alone


def test_a_gimbal_with_an_assembly_points_the_thrust_beside_the_common_mass_centre():
    world, ship, station, _weld = mated(1e-4, wheels=False)
    mount = Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.6, max_rate=1e4)
    main = world.add_force(Thruster(ship, position=(0, 0, -2), direction=(0, 0, 1), max_force=600.0, gimbal=mount))
    main.throttle = 1.0
    actuator = GimbalAllocator(main, assembly=world.assembly(ship))
    actuator.command((50.0, -80.0, 0.0), None, 0.1)
    world.step()  # the gimbal reaches its angles
    center = ship.to_world(composite(ship, station)[0])
    before = world.angular_momentum(center)
    world.step()
    made = ship.direction_to_body(world.angular_momentum(center) - before) / world.dt
    lever = np.array([0.0, 0.0, -2.0]) - composite(ship, station)[0]
    across = np.array([50.0, -80.0, 0.0])
    across -= (across @ lever) / (lever @ lever) * lever
    assert close(made, across, 1e-3)


def settled(assembly_of):
    """Largest and last attitude error [rad] of the mated pair that keeps its attitude while it pushes for 20 s, and then 40 s more."""
    world, ship, _station, _weld = mated(0.05, wheels=False)
    bank = sixteen_jets(world, ship)
    hold = world.add_part(AttitudeHold(ship, [bank], assembly=assembly_of(world, ship)))
    start = ship.orientation
    hold.force_body = (30.0, 0.0, 0.0)
    errors = []
    for tick in range(1200):
        if tick == 400:
            hold.force_body = (0.0, 0.0, 0.0)
        world.step()
        errors.append(float(rotation.angle_between(ship.orientation, start)))
    return max(errors), max(errors[-200:])


def test_the_autopilot_of_the_ship_keeps_the_attitude_of_the_mated_pair_and_without_the_assembly_it_does_not():
    largest, last = settled(lambda world, ship: world.assembly(ship))
    worse, _ = settled(lambda world, ship: None)
    assert largest < 1e-3
    assert last < 1e-4
    assert worse > 0.05


def overshoot(when_made, *, follows):
    """How far a craft turns past an attitude 0.3 rad away, and the error after 60 s, with a law tuned while it was free or mated."""
    world, ship, _station, weld = mated(0.05, wheels=False)
    motor = world.add_part(BodyTorque(ship, max_torque=2e4))
    weld.enabled = when_made == "mated"
    stack = world.assembly(ship)
    given = {"inertia_body": None, "assembly": stack} if follows else {"inertia_body": stack.inertia_body}
    law = QuaternionPD.tuned(max_torque_body=2e4, bandwidth=2.0, **given)
    weld.enabled = when_made == "free"
    axis = np.array(SKEW_AXES[0]) / np.linalg.norm(SKEW_AXES[0])
    wanted = rotation.multiply(ship.orientation, rotation.from_rotation_vector(0.3 * axis))
    world.add_part(Controlled(ship, law, Reference(wanted), motor, every=2))
    past = 0.0
    for _ in range(1200):
        world.step()
        error = rotation.multiply(rotation.conjugate(wanted), ship.orientation)
        past = max(past, 2.0 * float(error[:3] @ axis) * np.sign(error[3]))
    return past, float(rotation.angle_between(ship.orientation, wanted))


@pytest.mark.parametrize("when_made", ["free", "mated"])
def test_a_law_tuned_before_docking_or_undocking_is_critically_damped_after_it(when_made):
    """The gains of the free ship ring on the stack, and those of the stack are unstable on the free ship."""
    past, error = overshoot(when_made, follows=True)
    assert past < 1e-6
    assert error < 1e-9
    worse, last = overshoot(when_made, follows=False)
    assert worse > 0.1
    assert last > (1e-3 if when_made == "free" else 0.1)


def test_an_assembly_follows_a_latch_that_locks_and_lets_go():
    world = World(0.02)
    ship = world.add_body(SHIP, name="ship")
    station = world.add_body(STATION, name="station", origin=(0.0, 0.0, 2.05), velocity=(0.0, 0.0, -0.05))
    ports = Port((0, 0, 1.0), (0, 0, 1.0), (0, 1.0, 0)), Port((0, 0, -1.0), (0, 0, -1.0), (0, 1.0, 0))
    latch = world.add_joint(Latch(ship, station, *ports, capture=Capture(0.2, 0.2, 0.2, 0.2, 0.2)))
    stack = world.assembly(ship)
    seen = []
    world.on_joint(lambda world, joint: seen.append((joint.state, len(stack.bodies))), "captured")
    world.on_joint(lambda world, joint: seen.append((joint.state, len(stack.bodies))), "locked")
    world.on_joint(lambda world, joint: seen.append((joint.state, len(stack.bodies))), "released")
    world.step(500)
    latch.release(push=10.0)
    world.step()
    assert seen == [("soft", 1), ("hard", 2), ("open", 1)]
    assert stack.mass_properties == ship.mass_properties


def test_a_joint_that_leaves_a_freedom_or_leads_to_the_world_joins_nothing():
    world, ship, station, weld = mated(wheels=False)
    world.remove_joint(weld)
    world.add_joint(Ball(ship, station, at_body=(0.0, 0.0, 3.0)))
    world.add_joint(Weld(ship, at_body=(0.0, 0.0, 0.0)))
    assert world.assembly(ship).bodies == (ship,)


def test_a_copy_of_a_world_has_loops_of_its_own_assembly():
    world, ship, _station, weld = mated(0.05, angular_velocity_body=(0.02, -0.01, 0.03))
    bank = sixteen_jets(world, ship)
    hold = world.add_part(AttitudeHold(ship, [bank], assembly=world.assembly(ship)))
    world.step(3)
    twin = copy.deepcopy(world)
    own = next(part for part in twin.parts if isinstance(part, AttitudeHold))
    assert own.law.assembly.body is own.actuators.allocator.assembly.body is twin.body("ship")
    weld.enabled = False  # the twin stays mated
    assert len(own.law.assembly.bodies) == 2
    assert len(hold.law.assembly.bodies) == 1
    weld.enabled = True
    twin.joints[0].enabled = False  # a weld that holds anew starts without the impulses of the tick before
    twin.joints[0].enabled = True
    world.step(20)
    twin.step(20)
    assert twin.state_hash() == world.state_hash()


def test_what_is_no_assembly_of_the_body_is_rejected():
    world, ship, station, _weld = mated(wheels=False)
    bank, motor = sixteen_jets(world, ship), world.add_part(BodyTorque(ship, max_torque=5.0))
    own, others = world.assembly(ship), world.assembly(station)
    for wrong in (True, ship, SHIP, "ship"):
        for make in (
            lambda wrong: MRPFeedback(1.0, 1.0, assembly=wrong),
            lambda wrong: QuaternionPD(1.0, 1.0, assembly=wrong),
            lambda wrong: QuaternionPD.tuned(None, 1.0, 1.0, assembly=wrong),
            lambda wrong: RateDamping.tuned(None, 1.0, assembly=wrong),
            lambda wrong: ThrusterAllocator([bank], assembly=wrong),
            lambda wrong: AttitudeHold(ship, motor, assembly=wrong),
        ):
            with pytest.raises(TypeError, match=r"assembly must be None, or an Assembly that World\.assembly returned"):
                make(wrong)
    for make in (
        lambda: ThrusterAllocator([bank], assembly=others),
        lambda: AttitudeHold(ship, motor, assembly=others),
        lambda: Controlled(ship, MRPFeedback(1.0, 1.0, assembly=others), Reference(), motor, every=5),
        lambda: setattr(
            world.add_part(Controlled(ship, RateDamping(1.0), Reference(), motor, every=5)),
            "law",
            RateDamping.tuned(None, 1.0, assembly=others),
        ),
    ):
        with pytest.raises(
            ValueError, match=r"assembly must be the assembly of .*ship.*the given one is that of .*station"
        ):
            make()
    for make in (
        lambda: MRPFeedback(1.0, 1.0, inertia_body=(1.0, 1.0, 1.0), assembly=own),
        lambda: QuaternionPD(1.0, 1.0, inertia_body=(1.0, 1.0, 1.0), assembly=own),
        lambda: QuaternionPD.tuned((1.0, 1.0, 1.0), 1.0, 1.0, assembly=own),
        lambda: RateDamping.tuned((1.0, 1.0, 1.0), 1.0, assembly=own),
    ):
        with pytest.raises(ValueError, match="inertia_body must be None with an assembly, which has its own inertia"):
            make()
    for make in (lambda: QuaternionPD.tuned(None, 1.0, 1.0), lambda: RateDamping.tuned(None, 1.0)):
        with pytest.raises(TypeError, match="inertia_body"):
            make()
    with pytest.raises(ValueError, match="actuators must be jets whose allocator was also given the assembly"):
        AttitudeHold(ship, Jets(ThrusterAllocator([bank])), assembly=own)
    assert AttitudeHold(ship, Jets(ThrusterAllocator([bank], assembly=own)), assembly=own).law.assembly is own


def test_an_assembly_of_a_removed_body_says_so():
    world, ship, _station, _weld = mated(wheels=False)
    stack = world.assembly(ship)
    world.remove_body(ship)
    with pytest.raises(ValueError, match="removed"):
        _ = stack.bodies
