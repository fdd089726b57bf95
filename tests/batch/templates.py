"""A template of batches with every kind of part that has a form for members, and numbers that differ between its members."""

import numpy as np

from engine import MassProperties, World, flight, forces, joints

DT = 1 / 50


def new_world(method="rk4-body-rates", is_driven=True, has_joint=True):
    """Two craft with jets, pulses, a gimbal, a tank that runs dry and wheels with friction, and two bodies that a hinge connects."""
    world = World(dt=DT, integrator=method)
    box, start = MassProperties.box(90.0, (1.0, 1.0, 1.5)), (0.1, -0.2, 0.3)
    ship = world.add_body(box, name="ship", angular_velocity_body=start, velocity=(0.5, 0.0, 0.0))
    ball, at = MassProperties.sphere(20.0, 0.5), (4.0, 0.0, 0.0)
    tug = world.add_body(ball, name="tug", position=at, angular_velocity_body=(0.0, 0.3, 0.1))
    world.add_force(forces.UniformGravity((0.0, 0.0, -1.5)))
    arms = [(0.1, 0.5, 0.0), (0.0, -0.5, 0.2)]
    world.add_force(forces.ThrusterBank(ship, positions=arms, directions=[(0, 0, 1)] * 2, max_forces=2.0))
    world.add_force(forces.Spring(ship, tug, stiffness=5.0, damping=0.1, rest_length=3.5))
    world.add_force(forces.LinearDrag(0.2, bodies=[ship, tug]))
    valve = {"rise_time": 0.01, "fall_time": 0.02, "min_on_time": 0.02}
    world.add_force(forces.Thruster(tug, position=(0.5, 0, 0), direction=(0, 1, 0), max_force=1.0, **valve))
    if is_driven:
        tank = world.add_part(flight.Tank.ball(tug, position=(0, 0, 0.1), radius=0.2, propellant=0.01))
        gimbal = flight.Gimbal(axis_1=(1, 0, 0), axis_2=(0, 1, 0), max_angle=0.2, max_rate=0.5)
        jet = {"position": (0, 0.1, -0.5), "direction": (0, 0, 1), "max_force": 10.0}
        world.add_force(forces.Thruster(tug, **jet, specific_impulse=100.0, tank=tank, gimbal=gimbal))
        limits = {"inertia": 0.02, "max_torque": 0.3, "max_speed": 600.0, "viscous_friction": 1e-4}
        for axis in np.eye(3):
            world.add_part(flight.ReactionWheel(ship, axis=axis, **limits))
    if has_joint:
        frame = world.add_body(MassProperties.box(50.0, (0.2, 0.2, 2.0)), name="frame", position=(7.4, 0.0, 0.0))
        door = world.add_body(MassProperties.box(5.0, (1.0, 0.1, 2.0)), name="door", position=(8.0, 0.0, 0.0))
        world.add_joint(joints.Hinge(frame, door, at_body=(0.1, 0.0, 0.0), axis_body=(0.0, 0.0, 1.0)))
    return world


def parts_of(world):
    """The handles of such a world by name."""
    found = {body.name: body for body in world.bodies}
    for number, force in enumerate([each for each in world.forces if isinstance(each, forces.Thruster)]):
        found[f"jet {number}"] = force
    for kind, name in ((forces.ThrusterBank, "bank"), (forces.Spring, "spring"), (forces.LinearDrag, "drag")):
        found[name] = next(each for each in world.forces if isinstance(each, kind))
    for number, part in enumerate([each for each in world.parts if isinstance(each, flight.ReactionWheel)]):
        found[f"wheel {number}"] = part
    for part in world.parts:
        if isinstance(part, flight.Tank):
            found["tank"] = part
    return found


class Numbers:
    """Numbers that differ between members, and how they are set in a batch and in a world alone."""

    def __init__(self, count, seed=1):
        rng = np.random.default_rng(seed)
        self.rates = rng.normal(0.0, 0.2, (count, 3))
        self.mass = rng.normal(90.0, 3.0, count)
        self.throttle = rng.random((count, 2), dtype=np.float32)
        self.burn = rng.uniform(0.2, 1.0, count)
        self.angles = rng.uniform(-0.2, 0.2, (count, 2))
        self.torque = rng.uniform(-0.3, 0.3, (count, 3))
        self.speed = rng.uniform(-50.0, 50.0, count)
        self.stiffness = rng.uniform(2.0, 6.0, count)
        self.drag = rng.uniform(0.1, 0.4, count)
        self.pulse = rng.uniform(0.05, 0.4, count)
        self.wait = rng.uniform(0.0, 0.3, count)
        self.swing = rng.normal(0.0, 0.5, count)

    def set_in(self, batch, parts):
        """Set them in all members."""
        batch[parts["ship"]].angular_velocity_body = self.rates
        batch[parts["ship"]].set_mass_properties(mass=self.mass)
        batch[parts["bank"]].throttle = self.throttle
        batch[parts["spring"]].stiffness = self.stiffness
        batch[parts["drag"]].coefficient = self.drag
        batch[parts["jet 0"]].fire(self.pulse, self.wait)
        if "tank" in parts:
            batch[parts["jet 1"]].throttle = self.burn
            batch[parts["jet 1"]].gimbal_command = self.angles
            batch[parts["wheel 0"]].speed = self.speed
            for number in range(3):
                batch[parts[f"wheel {number}"]].torque = self.torque[:, number]
        if "door" in parts:
            turning = np.zeros((len(batch), 3))
            turning[:, 2] = self.swing
            batch[parts["door"]].angular_velocity_body = turning

    def set_alone(self, world, member):
        """Set those of one member in a world alone."""
        parts = parts_of(world)
        ship = parts["ship"]
        ship.angular_velocity_body = self.rates[member]
        dry = ship.dry_mass_properties
        ship.dry_mass_properties = MassProperties(
            self.mass[member], dry.inertia_body, dry.center_of_mass_body, physical=False
        )
        parts["bank"].throttle = self.throttle[member]
        parts["spring"].stiffness = float(self.stiffness[member])
        parts["drag"].coefficient = float(self.drag[member])
        parts["jet 0"].fire(float(self.pulse[member]), float(self.wait[member]))
        if "tank" in parts:
            parts["jet 1"].throttle = float(self.burn[member])
            parts["jet 1"].gimbal_command = self.angles[member]
            parts["wheel 0"].speed = float(self.speed[member])
            for number in range(3):
                parts[f"wheel {number}"].torque = float(self.torque[member, number])
        if "door" in parts:
            parts["door"].angular_velocity_body = (0.0, 0.0, float(self.swing[member]))
