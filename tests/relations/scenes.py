"""Random worlds as numbers, which relations change before they are built."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from engine import MassProperties, World, flight, forces, integrators, joints

from ..truth import rotations

Array = Any
TICKS = 12


@dataclass(frozen=True)
class Ends:
    """What acts between two bodies, or between a body and nothing."""

    body: int
    other: int
    at_body: Array
    at_other: Array
    axis_body: Array
    kind: str = "ball"


@dataclass(frozen=True)
class Scene:
    """The numbers of a world; lengths in metres, everything in SI."""

    dt: float
    method: str
    mass: Array
    inertia_body: Array
    center_of_mass_body: Array
    stored_momentum_body: Array
    position: Array
    orientation: Array
    velocity: Array
    angular_velocity_body: Array
    springs: tuple[Ends, ...] = ()
    stiffness: float = 3.0
    damping: float = 0.2
    rest_length: float = 1.0
    thrusters: tuple[Ends, ...] = ()
    thrust: float = 1.0
    wheels: tuple[Ends, ...] = ()
    wheel_inertia: float = 0.02
    wheel_torque: float = 0.1
    wheel_speed: float = 20.0
    joints: tuple[Ends, ...] = ()
    acceleration: Array = field(default_factory=lambda: np.zeros(3))
    gm: float = 0.0
    center: Array = field(default_factory=lambda: np.array([9.0, -6.0, 5.0]))
    axis: Array = field(default_factory=lambda: np.array([1.0, -2.0, 2.0]) / 3.0)
    reference_radius: float = 1.0
    drag: float = 0.0
    quadratic_drag: float = 0.0
    angular_damping: float = 0.0

    @property
    def count(self) -> int:
        return len(self.mass)

    def built(self, order: Any = None, forces_first_to_last: bool = True) -> tuple[World, list[Any]]:
        """The world, and its bodies in the order of the scene, whatever their rows."""
        world, made = World(self.dt, integrator=self.method), {}
        for i in range(self.count) if order is None else order:
            made[i] = world.add_body(
                MassProperties(self.mass[i], self.inertia_body[i], self.center_of_mass_body[i]),
                name=f"body {i}",
                position=self.position[i],
                orientation=self.orientation[i],
                velocity=self.velocity[i],
                angular_velocity_body=self.angular_velocity_body[i],
            )
        bodies = [made[i] for i in range(self.count)]
        on_wheels = {wheel.body for wheel in self.wheels}
        for i, body in enumerate(bodies):
            if i not in on_wheels:
                body.stored_momentum_body = self.stored_momentum_body[i]
        for each in self.wheels:
            wheel = flight.ReactionWheel(
                bodies[each.body],
                axis=each.axis_body,
                inertia=self.wheel_inertia,
                max_torque=1e6 * self.wheel_torque,
                max_speed=1e6 * self.wheel_speed,
                speed=self.wheel_speed,
            )
            world.add_part(wheel).torque = self.wheel_torque
        for each in self.joints:
            kind = {"ball": joints.Ball, "hinge": joints.Hinge, "slider": joints.Slider, "weld": joints.Weld}[each.kind]
            axis = {"axis_body": each.axis_body} if each.kind in ("hinge", "slider") else {}
            world.add_joint(kind(bodies[each.body], bodies[each.other], at_body=each.at_body, **axis))
        members = self._forces(bodies)
        for force in members if forces_first_to_last else members[::-1]:
            world.add_force(force)
        return world, bodies

    def _forces(self, bodies: list[Any]) -> list[Any]:
        found: list[Any] = [
            forces.Spring(
                bodies[each.body],
                bodies[each.other],
                at_body=each.at_body,
                at_other=each.at_other,
                stiffness=self.stiffness,
                damping=self.damping,
                rest_length=self.rest_length,
            )
            for each in self.springs
        ]
        for each in self.thrusters:
            thruster = forces.Thruster(
                bodies[each.body], position=each.at_body, direction=each.axis_body, max_force=self.thrust
            )
            thruster.throttle = 0.75
            found.append(thruster)
        if np.any(self.acceleration):
            found.append(forces.UniformGravity(self.acceleration))
        if self.gm:
            oblate = {"j2": 0.05, "reference_radius": self.reference_radius, "axis": self.axis}
            found += [forces.PointGravity(self.gm, self.center, **oblate), forces.GravityGradient(self.gm, self.center)]
        kinds = (forces.LinearDrag, self.drag), (forces.QuadraticDrag, self.quadratic_drag)
        kinds += ((forces.AngularDamping, self.angular_damping),)
        return [*found, *(kind(value) for kind, value in kinds if value)]

    def in_units(self, mass: float, length: float, time: float) -> "Scene":
        """The same scene, with its numbers in units of which these many make a kilogram, a metre and a second."""
        momentum, force = mass * length**2 / time, mass * length / time**2

        def scaled(ends: tuple[Ends, ...]) -> tuple[Ends, ...]:
            return tuple(replace(each, at_body=length * each.at_body, at_other=length * each.at_other) for each in ends)

        return replace(
            self,
            dt=time * self.dt,
            mass=mass * self.mass,
            inertia_body=mass * length**2 * self.inertia_body,
            center_of_mass_body=length * self.center_of_mass_body,
            stored_momentum_body=momentum * self.stored_momentum_body,
            position=length * self.position,
            velocity=length / time * self.velocity,
            angular_velocity_body=self.angular_velocity_body / time,
            springs=scaled(self.springs),
            stiffness=mass / time**2 * self.stiffness,
            damping=mass / time * self.damping,
            rest_length=length * self.rest_length,
            thrusters=scaled(self.thrusters),
            thrust=force * self.thrust,
            wheels=scaled(self.wheels),
            wheel_inertia=mass * length**2 * self.wheel_inertia,
            wheel_torque=momentum / time * self.wheel_torque,
            wheel_speed=self.wheel_speed / time,
            joints=scaled(self.joints),
            acceleration=length / time**2 * self.acceleration,
            gm=length**3 / time**2 * self.gm,
            center=length * self.center,
            reference_radius=length * self.reference_radius,
            drag=mass / time * self.drag,
            quadratic_drag=mass / length * self.quadratic_drag,
            angular_damping=momentum * self.angular_damping,
        )

    def run(self, **how: Any) -> dict[str, Array]:
        world, bodies = self.built(**how)
        world.step(TICKS)
        return state(bodies)


def state(bodies: list[Any]) -> dict[str, Array]:
    """Position, orientation, velocity and rates, with a row per body."""
    names = ("position", "orientation", "velocity", "angular_velocity_body")
    return {name: np.array([getattr(body, name) for body in bodies]) for name in names}


def random_scene(
    number: int, *, fields: bool = True, links: bool = True, joints_too: bool = True, wheels: bool = True
) -> Scene:
    """The scene of this number.

    Args:
        fields: Whether forces that depend on the place and the motion in the world may act.
        links: Whether springs and joints may link bodies.
        joints_too: Whether these links may be joints.
        wheels: Whether bodies may have wheels or stored momentum.
    """
    rng = np.random.default_rng((271828, number))
    count = int(rng.integers(1, 5))
    turns = Rotation.random(count, random_state=rng).as_matrix()
    moments = rng.uniform(0.4, 1.0, (count, 1)) * (1.0 + rng.uniform(-0.25, 0.25, (count, 3)))
    tensors = np.einsum("nij,nj,nkj->nik", turns, moments, turns)

    def ends(body: int, other: int, kind: str = "ball") -> Ends:
        axis = rng.normal(size=3)
        return Ends(body, other, 0.5 * rng.normal(size=3), 0.5 * rng.normal(size=3), axis / np.linalg.norm(axis), kind)

    pairs = [(i, i + 1) for i in range(count - 1)] if links else []
    is_jointed = [joints_too and bool(rng.integers(0, 3) == 0) for _ in pairs]
    kinds = ("ball", "hinge", "slider", "weld")
    return Scene(
        dt=float(2.0 ** -rng.integers(5, 9)),
        method=sorted(integrators.by_name)[int(rng.integers(0, len(integrators.by_name)))],
        mass=rng.uniform(0.5, 3.0, count),
        inertia_body=0.5 * (tensors + tensors.transpose(0, 2, 1)),
        center_of_mass_body=0.2 * rng.normal(size=(count, 3)),
        stored_momentum_body=0.3 * rng.normal(size=(count, 3)) * (wheels and rng.integers(0, 2)),
        position=2.0 * rng.normal(size=(count, 3)) + 3.0 * np.arange(count)[:, np.newaxis],
        orientation=Rotation.random(count, random_state=rng).as_quat().reshape(count, 4),
        velocity=rng.normal(size=(count, 3)),
        angular_velocity_body=rng.normal(size=(count, 3)),
        springs=tuple(ends(*pair) for pair, jointed in zip(pairs, is_jointed, strict=True) if not jointed),
        joints=tuple(
            ends(*pair, kinds[int(rng.integers(0, 4))])
            for pair, jointed in zip(pairs, is_jointed, strict=True)
            if jointed
        ),
        thrusters=tuple(ends(int(rng.integers(0, count)), 0) for _ in range(int(rng.integers(0, 3)))),
        wheels=tuple(ends(body, body) for body in range(count) if wheels and rng.integers(0, 4) == 0),
        acceleration=rng.normal(size=3) * rng.integers(0, 2),
        gm=float(fields * rng.integers(0, 2) * 6.0),
        drag=float(fields * rng.integers(0, 2) * 0.3),
        quadratic_drag=float(fields * rng.integers(0, 2) * 0.2),
        angular_damping=float(fields * rng.integers(0, 2) * 0.1),
    )


def state_in_si(found: dict[str, Array], mass: float, length: float, time: float) -> dict[str, Array]:
    """The state of a scene that was flown by `Scene.in_units`, in kilograms, metres and seconds again."""
    return found | {
        "position": found["position"] / length,
        "velocity": found["velocity"] * (time / length),
        "angular_velocity_body": found["angular_velocity_body"] * time,
    }


def scale_of(found: dict[str, Array]) -> float:
    """The largest number of a state, at least one, by which roundings are measured."""
    return max(1.0, *(float(np.abs(found[name]).max()) for name in ("position", "velocity", "angular_velocity_body")))


def apart(a: dict[str, Array], b: dict[str, Array]) -> float:
    """The largest difference of any component, orientations as angles, over the scale of the state."""
    gaps = [np.abs(a[name] - b[name]).max() for name in ("position", "velocity", "angular_velocity_body")]
    gaps.append(rotations.angle(a["orientation"], b["orientation"]).max())
    return float(max(gaps)) / scale_of(a)


def same_bits(a: dict[str, Array], b: dict[str, Array]) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a)


def turned(scene: Scene, turn: Rotation) -> Scene:
    """The whole scene in another frame of the world."""
    return replace(
        scene,
        position=turn.apply(scene.position),
        velocity=turn.apply(scene.velocity),
        orientation=(turn * Rotation.from_quat(scene.orientation)).as_quat(),
        center=turn.apply(scene.center),
        axis=turn.apply(scene.axis),
        acceleration=turn.apply(scene.acceleration),
    )


def turned_state(found: dict[str, Array], turn: Rotation) -> dict[str, Array]:
    """The state of the turned scene, given that of the scene."""
    return found | {
        "position": turn.apply(found["position"]),
        "velocity": turn.apply(found["velocity"]),
        "orientation": (turn * Rotation.from_quat(found["orientation"])).as_quat(),
    }
