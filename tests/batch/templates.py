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


def with_every_field():
    """A craft on which each kind of field acts."""
    world = World(dt=DT)
    ship = world.add_body(MassProperties.box(9.0, (1.0, 1.2, 1.5)), name="ship", position=(9.0, 1.0, 0.0))
    on = {"bodies": [ship]}
    world.add_force(forces.LinearDrag(0.2, **on))
    world.add_force(forces.QuadraticDrag(0.1, **on))
    world.add_force(forces.AngularDamping(0.3, **on))
    world.add_force(forces.PointGravity(300.0, **on))
    world.add_force(forces.GravityGradient(300.0, **on))
    world.add_force(forces.UniformGravity((0.0, 0.1, -0.2), **on))
    world.add_force(forces.Lorentz(0.3, electric_field=(0.1, 0.0, 0.2), magnetic_field=(0.0, 0.5, 0.1), **on))
    air = {"density": 0.1, "reference_altitude": 1.0, "scale_height": 2.0, "planet_radius": 7.0}
    world.add_force(forces.AtmosphericDrag(ship, drag_area=0.4, at_body=(0.0, 0.1, 0.2), **air))
    plate = {"area": 2.0, "normal_body": (0, 0, 1), "at_body": (0.1, 0.0, 0.0), "specular": 0.2, "diffuse": 0.3}
    world.add_force(forces.RadiationPressure(ship, **plate, pressure=0.01, sun_direction_world=(1.0, 0.2, 0.1)))
    return world


def with_every_joint(method="rk4-body-rates"):
    """A chain of bodies on every type of joint that has a form for members, with motors, springs, limits and friction."""
    world, box = World(dt=DT, integrator=method), MassProperties.box(2.0, (0.8, 0.4, 0.3))
    bodies = [world.add_body(box, name=f"link {place}", position=(float(place), 0.0, 0.0)) for place in range(9)]
    world.add_force(forces.ConstantTorque(bodies[2], torque_world=(0.0, 0.1, 0.0)))
    at, spring = {"at_body": (0.5, 0, 0)}, joints.JointSpring(stiffness=3.0, damping=0.2)
    motor = joints.Motor(target_rate=0.4, max_torque=0.3)
    for place, (kind, given) in enumerate(
        (
            (joints.Weld, {}),
            (joints.Hinge, {"axis_body": (0, 0, 1), "motor": motor, "limits": (-0.3, 0.3)}),
            (joints.Ball, {"axis_body": (1, 0, 0), "swing_limit": 0.4, "spring": spring}),
            (joints.Slider, {"axis_body": (1, 0, 0), "limits": (-0.1, 0.1), "friction": 0.1}),
            (joints.Universal, {"axis_body": (0, 1, 0), "axis_other": (0, 0, 1), "spring_1": spring}),
            (joints.Distance, {"at_other": (-0.5, 0, 0), "max_length": 0.05}),
        )
    ):
        world.add_joint(kind(bodies[place], bodies[place + 1], **{**at, **given}))
    world.add_joint(joints.Planar(bodies[7], (0, 0, 1), bodies[8]))
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
