"""Scenes with joints: composite bodies and closed forms of mechanisms as references, long runs, far, boosted and turned scenes."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, flight, forces
from engine.compilation.compiler import COMPILED
from engine.constraints.layout import PIECE, STEP_LENGTH
from engine.joints import Ball, Capture, Distance, Hinge, JointSpring, Latch, Motor, Planar, Port, Universal, Weld
from engine.solutions import FreeAsymmetricTop

from ..benchmarks.joint_scenes import PAIR_JOINTS, chain, four_bar, gap, momenta, pair, skew_properties
from ..truth import driven_ship

every_kind = pytest.mark.parametrize("kind", PAIR_JOINTS)
SKEW = Rotation.from_euler("zyx", (0.7, -0.4, 1.1))


def rotation_of(body):
    """The orientation of a body."""
    return Rotation.from_quat(np.array(body.orientation))


def apart(a, b):
    """Angle between two rotations [rad]."""
    return float((a * b.inv()).magnitude())


# two craft that are one


def away_from_the_composite(world, body, seconds, samples=10):
    """Largest angle [rad] between a body and the closed form of the free motion of all that is rigidly joined to it."""
    whole = world.assembly(body).mass_properties
    turn = rotation_of(body)
    center = sum(other.mass * other.position for other in world.bodies) / whole.mass
    momentum = turn.inv().apply(np.array(world.angular_momentum(about=center)))
    truth = FreeAsymmetricTop(
        np.array(whole.inertia_body), np.linalg.solve(whole.inertia_body, momentum), np.array(body.orientation)
    )
    ticks = round(seconds / samples / world.dt)
    worst = 0.0
    for expected in truth.orientations(np.arange(1, samples + 1) * ticks * world.dt):
        world.step(ticks)
        worst = max(worst, apart(rotation_of(body), Rotation.from_quat(expected)))
    return worst


@pytest.mark.parametrize(("method", "most"), [("free-rotor-2", 5.5e-6), ("free-rotor-4", 2e-11)])
def test_two_tumbling_craft_on_a_weld_turn_as_their_composite(method, most):
    """Measured after 30 s: 5.3e-6 and 1.2e-11 rad, of which the second is what the tolerance of the rounds leaves."""
    world, a, _b, joint = pair("weld", integrator=method)
    world.step()
    assert away_from_the_composite(world, a, 30.0 if COMPILED else 3.0) <= most
    assert gap(joint) <= 1e-11


def ports_in_reach(rate, method="free-rotor-2", tumble=(0.13, -0.11, 0.09), **options):
    """Two craft that tumble together, whose ports are centimetres and degrees apart, with a latch."""
    world = World(1 / rate, integrator=method)
    spin = np.array(tumble)
    properties = skew_properties(20.0, (0.3, 0.5, 0.6)), skew_properties(10.0, (0.3, 0.4, 0.6))
    a = world.add_body(properties[0], name="chaser", origin=(120.0, -340.0, 55.0), orientation=SKEW.as_quat())
    turn = SKEW * Rotation.from_rotvec((0.04, -0.02, 0.012))
    b = world.add_body(properties[1], name="target", origin=a.to_world((2.05, 0.02, -0.01)), orientation=turn.as_quat())
    for body in (a, b):
        body.angular_velocity_world = spin
        body.velocity = np.cross(spin, body.position - a.position)
    ports = Port((1, 0, 0), (1, 0, 0), (0, 1, 0)), Port((-1, 0, 0), (-1, 0, 0), (0, 1, 0))
    reach = Capture(distance=0.3, angle=0.3, lateral=0.2, speed=0.5, rate=0.5)
    return world, a, world.add_joint(Latch(a, b, *ports, clocking=0.0, capture=reach, **options))


@pytest.mark.parametrize(("method", "most"), [("free-rotor-2", 5e-6), ("free-rotor-4", 5e-11)])
def test_two_tumbling_craft_on_a_locked_latch_turn_as_their_composite(method, most):
    world, a, latch = ports_in_reach(60, method, retract_time=0.5, soft=(6.0, 1.0))
    while latch.state != "hard":
        world.step()
        assert world.tick_count < 100
    world.step(3)
    before = momenta(world)
    assert away_from_the_composite(world, a, 30.0 if COMPILED else 3.0) <= most
    after = momenta(world)
    for now, then, size in zip(after[:2], before[:2], before[2:], strict=True):
        assert np.linalg.norm(now - then) <= 1e-13 * size


@pytest.mark.parametrize("retract_time", [0.5, 2.0])
def test_a_latch_that_retracts_is_of_order_two(retract_time):
    ends = {}
    for rate in (30, 60, 480):
        world, _a, latch = ports_in_reach(rate, retract_time=retract_time, soft=(0.5, 0.7))
        world.step(round(0.4 * rate))
        assert latch.state == "soft"
        ends[rate] = np.array(world.state.position), np.array(world.state.orientation)
    errors = [[np.abs(ends[rate][place] - ends[480][place]).max() for place in (0, 1)] for rate in (30, 60)]
    assert np.log2(np.divide(*errors)) == pytest.approx((2.0, 2.0), abs=0.06)


POD = (1.4, 0.3, -0.2)  # the origin of the second craft, in the axes of the first
POD_TURN = Rotation.from_euler("xyz", (0.5, -0.8, 0.3))
WHEELS = (
    driven_ship.Wheel((0.0, 0.6, 0.8), 0.4, 0.9, 0.5, 30.0),
    driven_ship.Wheel((0.8, 0.0, 0.6), 0.3, -0.7, 0.8, 20.0),
)
JETS = (((0.3, 0.1, -1.0), (0.0, 0.6, 0.8), 20.0, 1.0), ((-0.2, 0.4, 0.1), (0.8, 0.0, -0.6), 12.0, 2.0))
RATES = (0.2, -0.3, 0.15)


def rate_of_weld(a, b, weld):
    """Largest relative velocity [m/s] and angular velocity [rad/s] of the two bodies of a weld."""
    drift = a.velocity_at(weld.at_body) - b.velocity_at(weld.at_other)
    turn = a.angular_velocity_world - b.angular_velocity_world
    return float(max(np.abs(drift).max(), np.abs(turn).max()))


def craft_with_parts(dt, begin=1.0, jet_damping=False):
    """A ship with a tank, a wheel and a jet that fires a pulse from it, and a pod with a wheel and a jet without a tank."""
    world = World(dt, integrator="free-rotor-2")
    properties = skew_properties(60.0, (0.5, 0.7, 0.6)), skew_properties(25.0, (0.3, 0.2, 0.4))
    ship = world.add_body(properties[0], name="ship", origin=(0, 0, 0), angular_velocity_body=RATES)
    ship.velocity = -ship.velocity_at((0, 0, 0))
    pod = world.add_body(properties[1], name="pod", origin=POD, orientation=POD_TURN.as_quat())
    pod.angular_velocity_world = RATES
    pod.velocity = np.cross(RATES, pod.position)
    weld = world.add_joint(Weld(ship, pod, at_body=(0.7, 0.1, -0.1)))
    tank = world.add_part(flight.Tank.ball(ship, (0.2, 0.1, -0.3), 0.4, 5.0, jet_damping=jet_damping))
    for body, true in zip((ship, pod), WHEELS, strict=True):
        wheel = flight.ReactionWheel(
            body, axis=true.axis, inertia=true.inertia, max_torque=2.0, max_speed=500.0, speed=true.speed,
            viscous_friction=true.friction,
        )  # fmt: skip
        world.add_part(wheel).torque = true.torque
    for body, (point, direction, force, after), source in zip((ship, pod), JETS, (tank, None), strict=True):
        jet = forces.Thruster(
            body, position=point, direction=direction, max_force=force,
            **({} if source is None else {"tank": source, "specific_impulse": 80.0}),
        )  # fmt: skip
        world.add_force(jet).fire(0.77, delay=begin * after + 0.033)
    return world, ship, pod, weld


def test_two_craft_with_wheels_a_flowing_tank_and_pulses_move_as_their_composite_with_the_same_parts():
    """The composite by SciPy's eighth-order integration of the equations of one ship with all parts."""
    seconds = 4.0
    moved = [
        (POD + POD_TURN.apply(point), POD_TURN.apply(direction)) if place else (np.array(point), np.array(direction))
        for place, (point, direction, _force, _begin) in enumerate(JETS)
    ]
    jets = tuple(
        driven_ship.Jet(
            tuple(point), tuple(direction), force, *driven_ship.box_level(begin + 0.033, begin + 0.803), *tank
        )
        for (point, direction), (_p, _d, force, begin), tank in zip(moved, JETS, ((0, 80.0), ()), strict=True)
    )
    wheels = (WHEELS[0], replace(WHEELS[1], axis=tuple(POD_TURN.apply(WHEELS[1].axis))))
    whole = MassProperties.compound(
        [
            (skew_properties(60.0, (0.5, 0.7, 0.6)), (0, 0, 0), (0, 0, 0, 1)),
            (skew_properties(25.0, (0.3, 0.2, 0.4)), POD, POD_TURN.as_quat()),
        ]
    )
    tank = driven_ship.Tank(lambda p: np.array((0.2, 0.1, -0.3)), lambda p: 0.4 * 0.4**2 * np.eye(3), 5.0)
    truth = driven_ship.solve(
        driven_ship.Ship(
            whole.mass, np.array(whole.inertia_body), np.array(whole.center_of_mass_body), wheels, (tank,), jets
        ),
        [seconds],
        rates=RATES,
    )
    errors = []
    for ticks in (160, 320) if COMPILED else (80, 160):
        world, ship, pod, weld = craft_with_parts(seconds / ticks)
        for _ in range(ticks):
            world.step()
            assert rate_of_weld(ship, pod, weld) <= 2e-11
        assert gap(weld) <= 1e-11
        errors.append(
            (
                apart(rotation_of(ship), Rotation.from_quat(truth[2][-1])),
                np.abs(ship.origin - truth[0][-1]).max(),
                abs(world.parts[1].momentum - truth[4][-1][0]),
                abs(world.parts[2].momentum - truth[4][-1][1]),
            )
        )
        assert world.parts[0].propellant == pytest.approx(truth[5][-1][0], abs=1e-12)
    assert (np.log2(np.divide(*errors)) >= 1.95).all()
    assert max(errors[1]) <= 1e-3


def air(wrench, bodies, time):
    """Drag and its torque, which depend on the velocities, as a function that sees all bodies."""
    wrench.force_world -= 4.0 * bodies.velocity
    wrench.torque_body -= 2.0 * bodies.angular_velocity_body


@pytest.mark.parametrize("called", [False, True], ids=["compiled", "with a called force"])
@pytest.mark.filterwarnings("ignore:World. a Python force")
def test_pulses_friction_and_jet_damping_in_an_island_are_of_order_two(called):
    """Against a fine step; with a called force, all bodies take the step of islands, also the probe on no joint."""
    seconds, ends = 0.8, {}
    for ticks in (16, 32, 256 if COMPILED else 128):
        world, ship, pod, weld = craft_with_parts(seconds / ticks, begin=0.0, jet_damping=True)
        probe = world.add_body(skew_properties(3.0, (0.5, 0.7, 0.6)), position=(9, 0, 0), angular_velocity_body=RATES)
        settings = {"inertia": 0.2, "max_torque": 1.0, "max_speed": 500.0, "speed": 40.0, "viscous_friction": 0.3}
        world.add_part(flight.ReactionWheel(probe, axis=(1, 0, 0), **settings))
        if called:
            world.add_force(air)
        world.step(ticks)
        assert rate_of_weld(ship, pod, weld) <= 2e-11
        ends[ticks] = np.concatenate(
            [
                np.concatenate([np.array(body.position), np.array(body.orientation), np.array(body.velocity)])
                for body in world.bodies
            ]
            + [[part.momentum for part in world.parts[1:]]]
        )
    fine = ends.pop(max(ends))
    errors = [np.abs(end - fine).max() for end in ends.values()]
    assert np.log2(errors[0] / errors[1]) >= 1.95


def test_two_craft_with_wheels_on_a_weld_keep_their_momenta():
    world, _ship, _pod, weld = craft_with_parts(1 / 60)
    for force in world.forces:
        world.remove_force(force)
    world.step()
    before = momenta(world)
    world.step(300)
    after = momenta(world)
    assert gap(weld) <= 1e-11
    assert abs(world.parts[1].speed - 30.0) > 5.0
    for now, then, size in zip(after[:2], before[:2], before[2:], strict=True):
        assert np.linalg.norm(now - then) <= 1e-13 * size


# energy


def energy_swing(ticks_per_second, seconds, method="free-rotor-2"):
    """Largest difference of the energy of two bodies on a rod from its first value, as a share of it."""
    world, _a, _b, _rod = pair("rod", dt=1 / ticks_per_second, integrator=method)
    world.step()
    start, most = world.kinetic_energy(), 0.0
    for _ in range(round(seconds * ticks_per_second)):
        world.step()
        most = max(most, abs(world.kinetic_energy() - start))
    return most / start


def test_the_energy_of_bodies_on_a_rod_differs_by_the_truncation_of_the_step():
    """Proportional to the square of the tick; measured over 60 s: 1.0e-4, 2.5e-5 and 6.2e-6 at 1/30, 1/60 and 1/120 s."""
    seconds = 60.0 if COMPILED else 6.0
    coarse, fine = energy_swing(30, seconds), energy_swing(60, seconds)
    assert fine <= 2.6e-5
    assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.05)
    assert energy_swing(60, 0.1 * seconds, "free-rotor-4") <= 1e-9


# springs


def door_on_a_spring(dt, frequency=2.4, damping_ratio=0.0):
    """A door at rest, 0.3 rad from the rest of its hinge's spring."""
    world = World(dt)
    door = world.add_body(MassProperties.box(2.0, (1.0, 0.1, 0.1)), position=(0.5, 0.0, 0.0))
    spring = JointSpring(frequency=frequency, damping_ratio=damping_ratio, rest=0.3)
    return world, world.add_joint(Hinge(door, at_body=(-0.5, 0, 0), axis_body=(0, 0, 1), spring=spring))


def test_the_amplitude_of_an_undamped_spring_has_no_trend_over_a_hundred_thousand_ticks():
    """The angle swings as ``0.3 (1 − cos ω t)``, with the frequency of the midpoint rule, whose amplitude is exact: 0.3 rad."""
    world, hinge = door_on_a_spring(1 / 120)
    amplitudes, energies = [], []
    for _part in range(10):
        swings, both = [], []
        for _ in range(100):  # two periods
            world.step()
            swings.append(abs(hinge.angle - 0.3))
            both.append(world.kinetic_energy() + world.potential_energy())
        amplitudes.append(max(swings))
        energies.append(np.mean(both))
        world.step(9900 if COMPILED else 50)
    assert amplitudes == pytest.approx([0.3] * 10, rel=3e-3)  # sampled at ticks, 1 % of a period apart
    assert energies == pytest.approx([energies[0]] * 10, rel=1e-6)
    trend = np.polyfit(np.arange(10.0), energies, 1)[0]
    assert abs(trend) <= 1e-7 * energies[0]


def test_a_damped_spring_swings_as_the_closed_form_says_with_order_two():
    """``x = x₀ e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t)`` about the rest."""
    ratio, rate, seconds = 0.05, 2.0 * np.pi * 2.4, 1.5
    damped = rate * np.sqrt(1.0 - ratio**2)
    phase = damped * seconds
    expected = 0.3 - 0.3 * np.exp(-ratio * rate * seconds) * (np.cos(phase) + ratio * rate / damped * np.sin(phase))
    errors = []
    for ticks in (90, 180, 360):
        world, hinge = door_on_a_spring(seconds / ticks, damping_ratio=ratio)
        world.step(ticks)
        errors.append(abs(hinge.angle - expected))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.05)


# mechanisms


def turned_four_bar(origin=(0.0, 0.0, 0.0), turn=SKEW):
    """The four-bar linkage elsewhere, in another plane."""
    flat, _joints = four_bar()
    world = World(flat.dt)
    bars = [
        world.add_body(
            body.mass_properties,
            position=origin + turn.apply(np.array(body.position)),
            orientation=(turn * rotation_of(body)).as_quat(),
        )
        for body in flat.bodies
    ]
    crank, coupler, rocker = bars
    for body, other, end in (
        (crank, None, -0.5),
        (coupler, crank, -1.275),
        (rocker, coupler, 0.79),
        (rocker, None, -0.79),
    ):
        world.add_joint(Hinge(body, other, at_body=(end, 0, 0), axis_body=(0, 0, 1)))
    world.add_force(forces.UniformGravity(turn.apply((0.0, -9.81, 0.0))))
    return world


def test_a_four_bar_of_hinges_closes_and_keeps_its_energy_without_trend():
    """Measured over 1000 s by ``python -m tests.benchmarks joints``; the energy is compared with the swing of the kinetic energy."""
    world, joints = four_bar()
    world.step()
    rows = []
    for _ in range(480 if COMPILED else 20):
        world.step(10)
        height = sum(body.mass * body.position[1] for body in world.bodies)
        rows.append((world.kinetic_energy(), world.kinetic_energy() + 9.81 * height, max(map(gap, joints))))
    kinetic, total, gaps = np.array(rows).T
    assert gaps.max() <= 1e-9
    assert np.ptp(total) <= 1e-3 * np.ptp(kinetic)
    half = len(total) // 2
    assert abs(total[half:].mean() - total[:half].mean()) <= 2e-5 * np.ptp(kinetic)


def test_the_hinges_of_a_plane_linkage_carry_no_load_across_the_plane():
    """Loads that dependent rows could balance among themselves would have no bound: only rounding is left of them."""
    world = turned_four_bar((1e9, 0.0, 3e8))
    for _ in range(8):
        world.step()
        for joint in world.joints:
            force, torque = SKEW.inv().apply(np.array([joint.force_world, joint.torque_world]))
            assert np.linalg.norm(force) > 1.0
            assert max(abs(force[2]), abs(torque[0]), abs(torque[1])) <= 0.01


def test_the_welds_of_a_tumbling_triangle_carry_no_more_than_the_forces_of_inertia():
    """Three craft of 2 to 4 kg at up to 2 m and 0.7 rad/s pull by 4 N; six rows too many could balance any load among themselves."""
    world, spin = World(1 / 60), np.array((0.3, -0.5, 0.4))
    craft = [
        world.add_body(
            skew_properties(2.0 + place, (0.3, 0.5, 0.6)),
            origin=(120.0 + place, -340.0 + 0.3 * place * place, 55.0),
            orientation=(SKEW if place else Rotation.identity()).as_quat(),
        )
        for place in range(3)
    ]
    for body in craft:
        body.angular_velocity_world, body.velocity = spin, np.cross(spin, body.position - craft[0].position)
    welds = [world.add_joint(Weld(craft[a], craft[b], at_body=(0.2, 0.1, 0.0))) for a, b in ((0, 1), (1, 2), (2, 0))]
    for _ in range(20):
        world.step()
        assert max(np.linalg.norm(weld.force_world) for weld in welds) <= 4.0


def locked_door(hinge, seed):
    """A door on a hinge that a weld holds shut, on a tumbling hull with an antenna on a sprung ball joint."""
    random, world = np.random.default_rng(seed), World(1 / 60, integrator="free-rotor-2")
    sizes = random.uniform(0.5, 1.5, 3)
    hull = world.add_body(
        MassProperties.box(100.0, (3, 2, 2) * sizes), angular_velocity_body=0.3 * random.normal(size=3)
    )
    door = world.add_body(MassProperties.box(20.0, (0.1, 1.5, 1.5) * sizes), position=(1.6, 0, 0))
    antenna = world.add_body(MassProperties.box(5.0, (0.1, 0.1, 2)), position=(0, 0, 2) + 0.1 * random.normal(size=3))
    for body in (door, antenna):
        body.angular_velocity_world = hull.angular_velocity_world
        body.velocity = np.cross(hull.angular_velocity_world, body.position)
    world.add_joint(Hinge(door, hull, at_body=(0, -0.7, 0), axis_body=(0, 0, 1), **hinge))
    world.add_joint(Weld(door, hull, at_body=(0, 0.7, 0.1)))
    swing = JointSpring(frequency=0.3, damping_ratio=0.01)
    world.add_joint(Ball(antenna, hull, at_body=(0, 0, -1), spring=swing))
    antenna.angular_velocity_body += (0.3, 0.2, 0.0)
    return world


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "hinge",
    [
        *({"friction": friction} for friction in (0.1, 2.0, 20.0, 200.0)),
        {"motor": Motor(target_rate=0.0, max_torque=20.0)},
        *({"limits": limits} for limits in ((0.0, 1.0), (0.0, 0.0))),
    ],
    ids=str,
)
def test_friction_motors_and_limits_in_a_rigid_loop_contradict_nothing(hinge, seed):
    """The weld holds the door already. What it and the hinge could balance between them grew, and ticks failed or were cut to pieces."""
    world, plain = locked_door(hinge, seed), locked_door({}, seed)
    for _ in range(300):
        world.step()
        measures = world._joints._islands.measures[0]
        assert measures[STEP_LENGTH] <= 2.0 * measures[PIECE]
    plain.step(300)
    for body, other in zip(world.bodies, plain.bodies, strict=True):
        assert apart(rotation_of(body), rotation_of(other)) < 1e-4


@pytest.mark.parametrize("seed", [3, 6, 10, 14])
@pytest.mark.parametrize(("friction", "stops"), [(100.0, 3.0), (100.0, 1.0), (5.0, 1.0)])
def test_struts_with_friction_at_their_stops_beside_a_weld_contradict_nothing(friction, stops, seed):
    """Docked craft whose six struts can no longer move. What was to be taken back counted repeats before the last stop or slip."""
    world, place = World(1 / 60), np.array((2.2, 0.01, 0.0))
    rates = 0.3 * np.random.default_rng(seed).normal(size=3)
    station = world.add_body(MassProperties.box(1000.0, (2, 2, 2)), angular_velocity_body=rates)
    ship = world.add_body(
        MassProperties.box(300.0, (2, 2, 2)),
        position=place,
        velocity=np.cross(rates, place),
        angular_velocity_body=rates,
    )
    world.add_joint(Weld(ship, station, at_body=(-1, 0, 0)))
    for turn in np.linspace(0.0, 2.0 * np.pi, 6, endpoint=False):
        foot = np.array((-1.0, 0.8 * np.cos(turn), 0.8 * np.sin(turn)))
        top = np.array((1.0, 0.8 * np.cos(turn + 0.5), 0.8 * np.sin(turn + 0.5)))
        length = np.linalg.norm(place + foot - top)
        limits = {"min_length": length, "max_length": stops * length}
        world.add_joint(Distance(ship, station, at_body=foot, at_other=top, friction=friction, **limits))
    for _ in range(120):
        world.step()
        measures = world._joints._islands.measures[0]
        assert measures[STEP_LENGTH] <= 2.0 * measures[PIECE]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("limits", [(0.0, 1.0), (0.0, 0.0)])
def test_limits_in_a_rigid_loop_carry_no_growing_loads(limits, seed):
    """What the limit and the weld could balance between them became 1e6 N·m in a minute."""
    world = locked_door({"limits": limits}, seed)
    for _ in range(3):
        world.step(1000)
        assert max(np.linalg.norm(joint.torque_world) for joint in world.joints) < 2.0


def door_on_two_hinges(misfit=0.0):
    world = World(1 / 60, integrator="free-rotor-2")
    hull = world.add_body(MassProperties.box(100.0, (2, 2, 0.2)), angular_velocity_body=(0.1, 0.2, 0.3))
    motion = {"velocity": (0.0, 0.3, -0.3), "angular_velocity_body": (0.1, 0.2, 0.5)}
    door = world.add_body(MassProperties.box(20.0, (1, 2, 0.1)), position=(1.5, 0, 0), **motion)
    for side in (-0.8, 0.8):
        at_other = (1.0 + misfit * (side > 0.0), side, 0.0)
        world.add_joint(Hinge(door, hull, at_body=(-0.5, side, 0), at_other=at_other, axis_body=(0, 1, 0)))
    return world, hull


def test_a_spring_to_another_body_does_not_hide_a_loop():
    """Forces that the two hinges could balance between them grew for 40 s, until the tick failed."""
    (world, hull), (plain, _) = door_on_two_hinges(), door_on_two_hinges()
    buoy = world.add_body(MassProperties.sphere(1.0, 0.1), position=(0, 0, 5))
    world.add_force(forces.Spring(hull, buoy, stiffness=1e-9, rest_length=5.0))
    world.step(3000)
    plain.step(3000)
    for joint, other in zip(world.joints, plain.joints, strict=True):
        assert joint.force_world == pytest.approx(other.force_world, abs=1e-6)


@pytest.mark.parametrize("misfit", [1e-8, 3e-7, 9e-7])
@pytest.mark.parametrize("far", [1.0, 5.0, 20.0])
def test_a_loop_with_a_misfit_holds_however_far_its_island_reaches(misfit, far):
    world, hull = door_on_two_hinges(misfit)
    world.add_joint(
        Ball(world.add_body(MassProperties.sphere(1.0, 0.1), position=(0, 0, far)), hull, at_body=(0, 0, -far))
    )
    world.step(1000)
    assert max(map(gap, world.joints)) <= 4.0 * misfit * max(1.0, far / 1.6)


@pytest.mark.parametrize("distance", [1e6, 1e9])
def test_a_loop_through_the_world_closes_to_the_spacing_of_far_coordinates(distance):
    origin = np.array((1.0, -0.7, 0.4)) * distance
    world = turned_four_bar(origin)
    near = turned_four_bar()
    for _ in range(10):
        world.step()
        near.step()
        assert max(map(gap, world.joints)) <= 4.0 * np.spacing(distance)
    for far_body, body in zip(world.bodies, near.bodies, strict=True):
        assert apart(rotation_of(far_body), rotation_of(body)) <= 4.0 * np.spacing(distance)


@pytest.mark.parametrize("distance", [1e6, 1e9])
def test_a_loop_through_the_world_moves_as_before_after_the_origin_is_moved_far_away(distance):
    """Its two points in the world fit exactly while it is built, and are rounded apart by the move."""
    world, near = turned_four_bar(), turned_four_bar()
    world.shift_origin(np.array((1.0, -0.7, 0.4)) * distance / 3.0)
    world.step(3)
    near.step(3)
    for far_body, body in zip(world.bodies, near.bodies, strict=True):
        assert apart(rotation_of(far_body), rotation_of(body)) <= np.spacing(distance)  # found 0.09


def test_a_universal_joint_turns_a_shaft_as_the_closed_form_says():
    """Two shafts at an angle β: ``tan out = tan in / cos β``, if the cross is at right angles to their plane at first."""
    world, bend = World(1 / 120), 0.5
    along = np.array((np.cos(bend), np.sin(bend), 0.0))
    turn = Rotation.from_rotvec((0.0, 0.0, bend))
    shaft = MassProperties.box(1.0, (1.0, 0.2, 0.2))
    first = world.add_body(shaft, position=(-0.5, 0.0, 0.0))
    second = world.add_body(shaft, position=0.5 * along, orientation=turn.as_quat())
    drive = world.add_joint(Hinge(first, at_body=(-0.5, 0, 0), axis_body=(1, 0, 0)))
    driven = world.add_joint(Hinge(second, at_body=(0.5, 0, 0), axis_body=(1, 0, 0)))
    world.add_joint(Universal(first, second, at_body=(0.5, 0, 0), axis_body=(0, 1, 0), axis_other=(0, 0, 1)))
    first.angular_velocity_body = (6.0, 0.0, 0.0)
    angles = []
    for _ in range(100):
        world.step()
        angles.append((drive.angle, driven.angle))
    into, out = np.array(angles).T
    assert into[-1] > 2.0
    # the yoke of the first shaft is in the plane of the shafts at first
    expected = np.unwrap(np.arctan2(np.sin(into), np.cos(into) * np.cos(bend)))
    assert out == pytest.approx(expected, abs=1e-10)


def test_the_forces_of_two_links_between_two_supports_balance_their_weights():
    """Each of two links of mass m at the angle θ pushes the other by ``m g / (2 tan θ)``, and its support carries its weight."""
    world, slope = World(1 / 120), 0.4
    link = MassProperties.box(2.0, (1.0, 0.1, 0.1))
    bars = [
        world.add_body(
            link,
            position=(0.5 * side * np.cos(slope), 0.0, 0.5 * np.sin(slope)),
            orientation=Rotation.from_rotvec((0.0, -side * slope, 0.0)).as_quat(),
        )
        for side in (-1.0, 1.0)
    ]
    supports = [world.add_joint(Ball(bar, at_body=(0.5 * side, 0, 0))) for bar, side in zip(bars, (-1, 1), strict=True)]
    middle = world.add_joint(Hinge(*bars, at_body=(0.5, 0, 0), axis_body=(0, 1, 0)))
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
    world.step(3)
    pull = 2.0 * 9.81 / (2.0 * np.tan(slope))
    assert middle.force_world == pytest.approx((pull, 0.0, 0.0), abs=1e-8)
    for support, side in zip(supports, (-1.0, 1.0), strict=True):
        assert support.force_world == pytest.approx((side * pull, 0.0, 2.0 * 9.81), abs=1e-8)


@pytest.mark.parametrize("limits", [None, (-2.0, 2.0)])
@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4", "axis-splitting-2"])
def test_dependent_joints_share_the_load_for_as_long_as_they_move(method, limits):
    """Forces that cancel each other would grow from tick to tick, to a thousand times the load within half a minute."""
    largest = {}
    for places in ((0.8, -0.8), (0.8,)):
        world = World(1 / 60, integrator=method)
        door = world.add_body(
            MassProperties.box(20.0, (1, 2, 0.05)), position=(0.5, 0, 0), angular_velocity_body=(0, 1, 0)
        )
        frame = world.add_body(
            MassProperties.box(50.0, (1, 2, 0.3)), position=(-0.5, 0, 0), angular_velocity_body=(0.2, 0.5, 0.1)
        )
        joints = [Hinge(door, frame, at_body=(-0.5, y, 0), axis_body=(0, 1, 0), limits=limits) for y in places]
        for joint in joints:
            world.add_joint(joint)
        world.step(200)
        largest[places] = 0.0
        for _ in range(300):
            world.step(10)
            largest[places] = max(largest[places], *(np.linalg.norm(joint.force_world) for joint in joints))
    both, one = largest.values()
    assert both <= 1.5 * one


def test_a_four_bar_has_no_torque_across_its_plane_for_as_long_as_it_moves():
    world, joints = four_bar()
    for _ in range(20):
        world.step(240)
        assert max(abs(joint.torque_world).max() for joint in joints) <= 1e-9


@pytest.mark.filterwarnings("ignore:World. a Python force")
@pytest.mark.parametrize("called", [False, True])
def test_friction_in_one_island_leaves_the_bits_of_another(called):
    """Its second kick depends on the rates, and is tried twice."""

    def push(wrench, bodies, time):
        wrench.force_world[:] += (0.1, 0.2, 0.3)

    push.depends_on_rates = False
    for seed in range(3, 6):
        moved = []
        for friction in (0.0, 0.01):
            world, random = World(0.02), np.random.default_rng(seed)
            for x in (0.0, 50.0):
                properties = MassProperties(3.0, random.uniform(2.0, 2.9, 3))
                options = {"angular_velocity_body": (0.1, 0.2, 0.3)}
                one = world.add_body(properties, position=(x, 0, 0), **options)
                two = world.add_body(properties, position=(x, 0, 2), velocity=(0.4, -0.2, 0), **options)
                world.add_joint(Ball(one, two, at_body=(0, 0, 1.0)))
            options = {"inertia": 0.2, "max_torque": 2.0, "max_speed": 100.0, "speed": 10.0}
            first = world.bodies[0]
            world.add_part(flight.ReactionWheel(first, axis=(1, 0.3, 1), viscous_friction=friction, **options))
            if called:
                world.add_force(push)
            world.step(60)
            moved.append(world._bodies.array[:13, :4].copy())
        assert not np.array_equal(moved[0][:, :2], moved[1][:, :2])
        assert np.array_equal(moved[0][:, 2:], moved[1][:, 2:])


@pytest.mark.filterwarnings("ignore:World. a Python force")
def test_a_called_force_that_adds_nothing_leaves_the_bits_of_jointed_bodies_with_friction():
    """All bodies are in the island, so that the two ways through its step compute the same."""

    def nothing(wrench, bodies, time):
        pass

    nothing.depends_on_rates = False
    for method in ("free-rotor-2", "free-rotor-4"):
        ends = []
        for called in (False, True):
            world = World(0.02, integrator=method)
            properties = MassProperties(3.0, (2.1, 2.5, 2.8))
            options = {"angular_velocity_body": (0.1, 0.2, 0.3)}
            one = world.add_body(properties, **options)
            two = world.add_body(properties, position=(0, 0, 2), velocity=(0.4, -0.2, 0), **options)
            world.add_joint(Ball(one, two, at_body=(0, 0, 1.0)))
            options = {"inertia": 0.2, "max_torque": 2.0, "max_speed": 100.0, "speed": 10.0}
            world.add_part(flight.ReactionWheel(one, axis=(1, 0.3, 1), viscous_friction=0.01, **options))
            if called:
                world.add_force(nothing)
            world.step(30)
            ends.append(world._bodies.array[:13, :2].copy())
        assert np.array_equal(*ends)


def test_a_rope_that_becomes_taut_takes_the_speed_along_it_and_the_pair_circles_on():
    """Until then the motion is straight; then the speed across the rope is kept, at the rate ``|r × v| / length²``."""
    length, start, speed = 0.6, np.array((0.3, 0.0, 0.0)), np.array((1.0, -0.5, 0.0))
    # |r + v t| = length
    b, c = start @ speed, start @ start - length**2
    taut = (-b + np.sqrt(b * b - speed @ speed * c)) / (speed @ speed)
    there = start + taut * speed
    rate = (there[0] * speed[1] - there[1] * speed[0]) / length**2
    for dt, most in ((0.01, 2e-3), (0.001, 2e-5)):
        world = World(dt)
        a = world.add_body(MassProperties.sphere(1.0, 0.1))
        b = world.add_body(MassProperties.sphere(2.0, 0.1), position=start, velocity=speed)
        rope = world.add_joint(Distance(b, a, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=length))
        world.step(round(0.8 / dt))
        turned = np.arctan2(there[1], there[0]) + rate * (world.time - taut)
        between = b.position - a.position
        assert rope.distance == pytest.approx(length, abs=1e-9)
        assert np.arctan2(between[1], between[0]) == pytest.approx(turned, abs=most)
        assert np.cross(between, b.velocity - a.velocity)[2] == pytest.approx(rate * length**2, rel=30.0 * most)
        # of the common motion, and of the reduced mass of 2/3 kg across the rope
        left = 0.5 * 3.0 * (4.0 / 9.0) * (speed @ speed) + 0.5 * (2.0 / 3.0) * (rate * length) ** 2
        assert world.kinetic_energy() == pytest.approx(left, rel=most)


def test_a_hanging_chain_of_unequal_links_carries_the_weights_below_each_joint():
    world, joints = chain(5, end_ratio=1000.0, dt=1 / 60, level=False)
    world.step(2)
    for number, joint in enumerate(joints):
        assert joint.force_world == pytest.approx((0.0, 0.0, 9.81 * (4 - number + 1000.0)), rel=1e-9)


# freedoms


def relative_motions(make):
    """The relative motions that a joint lets pass, each after a tick from random velocities."""
    motions = []
    for number in range(8):
        world = World(1e-5)
        a = world.add_body(skew_properties(2.0, (0.3, 0.5, 0.6)))
        b = world.add_body(skew_properties(3.0, (0.4, 0.35, 0.6)), position=(0.9, 0.5, -0.3))
        make(world, a, b)
        rng = np.random.default_rng(number)
        for body in (a, b):
            body.velocity, body.angular_velocity_body = rng.normal(size=3), rng.normal(size=3)
        world.step()
        between = a.position - b.position
        swing = np.cross(b.angular_velocity_world, between)
        motions.append([*(a.velocity - b.velocity - swing), *(a.angular_velocity_world - b.angular_velocity_world)])
    return np.linalg.svd(np.array(motions), compute_uv=False)


def locked_latch(world, a, b):
    ports = Port((0.4, 0, 0), (1, 0, 0), (0, 1, 0)), Port((-0.5, -0.5, 0.3), (-1, 0, 0), (0, 1, 0))
    latch = world.add_joint(Latch(a, b, *ports, capture=Capture(1.0, 1.0, 1.0, 9.0, 9.0)))
    latch._catch(world)
    latch._lock()


def telescope(world, a, b):
    length = float(np.linalg.norm(a.origin - b.to_world((0.2, 0.5, 0.7))))
    rod = Distance(a, b, at_body=(0, 0, 0), at_other=(0.2, 0.5, 0.7), min_length=length, max_length=length)
    world.add_joint(rod)


FREEDOMS = {
    "planar": (3, lambda world, a, b: world.add_joint(Planar(a, (0.6, 0.0, 0.8), b))),
    "slack rope": (6, lambda world, a, b: world.add_joint(Distance(a, b, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=9.0))),
    "rod": (5, lambda world, a, b: world.add_joint(Distance(a, b, at_body=(0.1, 0, 0), at_other=(0, 0, 0)))),
    "locked latch": (0, locked_latch),
    "telescope of one length": (5, telescope),
    "two hinges on one axis": (
        1,
        lambda world, a, b: [world.add_joint(Hinge(a, b, at_body=(0, 0, z), axis_body=(0, 0, 1))) for z in (0.0, 0.7)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FREEDOMS)
def test_a_joint_leaves_as_many_freedoms_as_its_rows_say(kind):
    count, make = FREEDOMS[kind]
    values = relative_motions(make)
    assert int((values > 1e-3 * max(values[0], 1.0)).sum()) == count


# orders, and two runs compared


@every_kind
@pytest.mark.parametrize(("method", "order"), [("free-rotor-2", 2.0), ("free-rotor-4", 4.0)])
def test_a_pair_converges_at_the_order_of_its_method(kind, method, order):
    ends = {}
    for rate in (15, 30, 240):
        world, a, b, _joint = pair(kind, dt=1 / rate, integrator=method)
        world.step(rate // 3)
        ends[rate] = rotation_of(a), rotation_of(b)
    errors = [max(map(apart, ends[rate], ends[240])) for rate in (15, 30)]
    # the finest run has an error too: (16^order − 1)/(8^order − 1) is the ratio
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


@pytest.mark.filterwarnings("ignore:World. a Python force that sees all bodies")
@pytest.mark.parametrize("called", [False, True], ids=["compiled", "python"])
@pytest.mark.parametrize("kind", ["hinge", "weld", "slider"])
@pytest.mark.parametrize(("method", "order"), [("free-rotor-2", 2.0), ("free-rotor-4", 4.0)])
def test_a_force_that_depends_on_the_rates_keeps_the_order_of_a_pair(kind, method, order, called):
    """The pair starts as one rigid body, so that no impulse brings its velocities together."""
    ends = {}
    for rate in (15, 30, 240):
        world, a, b, _joint = pair(kind, dt=1 / rate, integrator=method)
        for body in (a, b):
            body.angular_velocity_world = (0.3, -0.4, 0.5)
            body.velocity = np.cross((0.3, -0.4, 0.5), body.position - a.position)
        world.add_force(forces.UniformGravity((0.0, 0.0, -9.81)))
        if called:
            world.add_force(lambda wrench, bodies, time: wrench.add(1, force_world=-0.8 * bodies.velocity[1]))
        else:
            world.add_force(forces.LinearDrag(0.8, bodies=[b]))
        world.step(rate // 3)
        ends[rate] = rotation_of(a), rotation_of(b)
    errors = [max(map(apart, ends[rate], ends[240])) for rate in (15, 30)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def own_angular_momentum(world):
    """Angular momentum about the common mass centre, of the motion relative to it, without the cancellation of large numbers."""
    mass = world.model.mass[:, np.newaxis]
    between = world.state.position - world.state.position[0]
    relative = world.state.velocity - world.state.velocity[0]
    between, relative = (values - (mass * values).sum(axis=0) / mass.sum() for values in (between, relative))
    spins = np.array([body.angular_momentum_world for body in world.bodies])
    return (mass * np.cross(between, relative) + spins).sum(axis=0)


@every_kind
@pytest.mark.parametrize("distance", [7e6, 1e9])
def test_a_pair_far_away_holds_to_the_spacing_of_its_coordinates_and_keeps_its_momenta(kind, distance):
    """P and L change by what storing explains: half a spacing of each coordinate and velocity per tick."""
    velocity = (10.0, 7500.0, -3.0)
    world, _a, _b, joint = pair(kind, origin=(distance, -0.3 * distance, 0.2 * distance), velocity=velocity)
    near, *_ = pair(kind, origin=(0.0, 0.0, 0.0))
    before, ticks = momenta(world), 20
    turning = own_angular_momentum(world)
    for _ in range(ticks):
        world.step()
        near.step()
        if kind not in ("slider", "rod"):
            assert gap(joint) <= 4.0 * np.spacing(distance)
    after = momenta(world)
    stored = 0.5 * np.spacing(7500.0) * np.sqrt(3.0) * world.model.mass.sum()
    assert np.linalg.norm(after[0] - before[0]) <= ticks * stored
    moved = 0.5 * np.spacing(distance) * np.sqrt(3.0) * world.model.mass.sum()  # at up to 1 m/s
    assert np.linalg.norm(own_angular_momentum(world) - turning) <= ticks * (moved + stored)
    for far_body, body in zip(world.bodies, near.bodies, strict=True):
        assert apart(rotation_of(far_body), rotation_of(body)) <= 4.0 * np.spacing(distance)


@every_kind
def test_a_boosted_pair_moves_as_one_at_rest(kind):
    boost = np.array((8.0, -16.0, 4.0))
    still, *_ = pair(kind, origin=(0.0, 0.0, 0.0))
    moving, *_ = pair(kind, origin=(0.0, 0.0, 0.0), velocity=boost)
    still.step(30)
    moving.step(30)
    assert moving.state.position - 0.5 * boost == pytest.approx(still.state.position, abs=2e-11)
    assert moving.state.orientation == pytest.approx(still.state.orientation, abs=2e-11)


@every_kind
def test_a_turned_pair_moves_as_one_that_is_not_turned(kind):
    plain, *_ = pair(kind, origin=(0.0, 0.0, 0.0))
    turned, *_, joint = pair(kind, origin=(0.0, 0.0, 0.0))
    joint.enabled = False
    for body in turned.bodies:
        body.position, body.velocity = SKEW.apply(np.array([body.position, body.velocity]))
        body.orientation = (SKEW * rotation_of(body)).as_quat()
    joint.enabled = True
    plain.step(30)
    turned.step(30)
    for body, other in zip(plain.bodies, turned.bodies, strict=True):
        assert SKEW.apply(np.array(body.position)) == pytest.approx(other.position, abs=2e-11)
        assert apart(SKEW * rotation_of(body), rotation_of(other)) <= 2e-11


@every_kind
@pytest.mark.parametrize("method", ["free-rotor-2", "free-rotor-4"])
def test_every_pair_goes_back_where_it_came_from(kind, method):
    """Measured at most 2e-12 after 60 ticks there and back."""
    world, a, b, _joint = pair(kind, integrator=method)
    world.step(5)
    position, orientation = world.state.position.copy(), world.state.orientation.copy()
    world.step(15)
    for body in (a, b):
        body.velocity, body.angular_velocity_body = -body.velocity, -body.angular_velocity_body
    world.step(15)
    assert world.state.position == pytest.approx(position, abs=2e-11)
    assert world.state.orientation == pytest.approx(orientation, abs=2e-11)


@pytest.mark.parametrize("options", [{}, {"threads": 2}])
def test_an_island_has_the_same_bits_alone_and_among_many_bodies_on_any_number_of_threads(options):
    def scene(company, **options):
        world = World(1 / 60, **options)
        if company:
            world.add_bodies([MassProperties.sphere(1.0, 0.5)] * 37, [(float(place), 50.0, 0.0) for place in range(37)])
        ours = []
        for place in range(3):
            made = world.add_body(
                skew_properties(2.0 + place, (0.3, 0.5, 0.6)),
                position=(0.9 * place, 0.1, -0.2),
                angular_velocity_body=(0.3, -0.2 * place, 0.4),
            )
            ours.append(made)
            if company:
                other = world.add_body(MassProperties.sphere(1.0, 0.5), position=(3.0, 4.0 + place, 0.0))
                world.add_joint(Ball(other, at_body=(0.3, 0.0, 0.0)))
        world.add_joint(
            Hinge(ours[1], ours[0], at_body=(-0.4, 0, 0), axis_body=(0, 0, 1), limits=(-0.1, 0.1), friction=0.01)
        )
        world.add_joint(Universal(ours[2], ours[1], at_body=(-0.4, 0, 0), axis_body=(0, 0, 1), axis_other=(0, 1, 0)))
        world.add_force(forces.UniformGravity((0.0, 0.0, -1.0)))
        world.step(12)
        return [
            np.concatenate([body.position, body.orientation, body.velocity, body.angular_velocity_body])
            for body in ours
        ]

    assert np.array_equal(scene(False), scene(True, **options))


@pytest.mark.parametrize("frequency", [5.0, 15.0, 30.0, 100.0, 300.0])
def test_an_undamped_spring_of_any_stiffness_keeps_the_energy_of_a_small_swing(frequency):
    """Two tumbling bodies on a hinge that swings by 0.01 rad, at up to 0.3 rad per tick; measured 0.36 % at most, and a trend of 2e-5."""
    world, _a, _b, hinge = pair("hinge")
    world.step(2)  # the velocities of the scene are made compatible
    hinge.spring = JointSpring(frequency=frequency, damping_ratio=0.0, rest=hinge.angle + 0.01)
    energies = []
    for _ in range(1200):
        energies.append(world.kinetic_energy() + world.potential_energy())
        world.step()
    assert energies == pytest.approx([energies[0]] * 1200, rel=5e-3)
    assert np.mean(energies[600:]) == pytest.approx(np.mean(energies[:600]), rel=1e-4)
