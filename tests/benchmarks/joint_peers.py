"""Scenes of jointed bodies in this engine and, where they are installed, in MuJoCo and pybullet, started from the same state.

MuJoCo has coordinates of the freedoms: a tree of joints cannot come apart there. Loops and rods are its soft equality constraints. In
pybullet there are constraints between free bodies, of the types that it offers: points and fixed poses; a hinge is two points.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from engine import Body, World
from engine.joints import Ball, Distance, Hinge, Joint, Slider, Universal, Weld
from engine.joints.joint import JOINTS

try:
    import mujoco
except ImportError:
    mujoco = None
try:
    import pybullet
except ImportError:
    pybullet = None

Array = npt.NDArray[np.float64]


class Motion(NamedTuple):
    """Mass centres [m], turns from the body frame to the world frame, velocities [m/s] and angular velocities [rad/s], world frame."""

    position: Array
    turn: Rotation
    velocity: Array
    rates: Array


class Scene:
    """What stays the same in a scene: masses, inertia, gravity and the points that joints hold together."""

    def __init__(self, world: World, gravity: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        self.world, self.gravity = world, np.array(gravity, float)
        self.masses = np.array([body.mass for body in world.bodies])
        self.inertia = np.array([body.inertia_body for body in world.bodies])
        self.joints = world.joints
        self.held = [joint for joint in world.joints if not isinstance(joint, Slider | Distance)]
        places = {body: number for number, body in enumerate(world.bodies)}
        self.ends = [(places[joint.body], -1 if joint.other is None else places[joint.other]) for joint in self.held]
        # from the mass centres, in the body frame
        self.points = [
            (
                from_center(joint.body, joint.at_body),
                at_other(joint) if joint.other is None else from_center(joint.other, joint.at_other),
            )
            for joint in self.held
        ]

    def momenta(self, motion: Motion) -> tuple[Array, Array, float, float]:
        """P, L about the world's origin, and the sizes Σ|m v| and Σ|L| they are compared with."""
        linear = self.masses[:, np.newaxis] * motion.velocity
        angular = np.cross(motion.position, linear) + self._spins(motion)
        sizes = float(np.linalg.norm(linear, axis=1).sum()), float(np.linalg.norm(angular, axis=1).sum())
        return linear.sum(axis=0), angular.sum(axis=0), *sizes

    def energies(self, motion: Motion) -> tuple[float, float]:
        """Kinetic and potential energy [J]."""
        linear = self.masses[:, np.newaxis] * motion.velocity
        kinetic = 0.5 * float(np.sum(linear * motion.velocity) + np.sum(self._spins(motion) * motion.rates))
        return kinetic, -float(self.masses @ (motion.position @ self.gravity))

    def gap(self, motion: Motion) -> float:
        """The largest distance between the two points of a joint [m]; of joints that hold a point."""
        largest = 0.0
        for (one, other), (mine, others) in zip(self.ends, self.points, strict=True):
            at = motion.position[one] + motion.turn[one].apply(mine)
            held = others if other < 0 else motion.position[other] + motion.turn[other].apply(others)
            largest = max(largest, float(np.linalg.norm(at - held)))
        return largest

    def _spins(self, motion: Motion) -> Array:
        body_rates = motion.turn.inv().apply(motion.rates)
        return motion.turn.apply(np.einsum("nij,nj->ni", self.inertia, body_rates))


def at_other(joint: Joint) -> Array:
    return np.array(joint.at_other)


def from_center(body: Body, point: Any) -> Array:
    """A point in the body frame, from the mass centre instead of the origin."""
    return np.array(point) - np.array(body.center_of_mass_body)


class Entrant(Protocol):
    """An engine that runs a scene."""

    def tick(self) -> object:
        """Take one tick."""

    def motion(self) -> Motion:
        """The motion now."""


class Own:
    """This engine."""

    def __init__(self, scene: Scene) -> None:
        self._world = scene.world
        self.tick: Callable[[], object] = scene.world.step

    def motion(self) -> Motion:
        state = self._world.state
        turn = Rotation.from_quat(state.orientation)
        return Motion(
            state.position.copy(), turn, state.velocity.copy(), turn.apply(np.array(state.angular_velocity_body))
        )


class MuJoCo:
    """MuJoCo, with bodies in a tree, each in axes at its mass centre."""

    def __init__(self, scene: Scene, integrator: str) -> None:
        world = scene.world
        self._model = mujoco.MjModel.from_xml_string(_xml(scene, integrator))
        self._data = mujoco.MjData(self._model)
        ids = [mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_BODY, f"b{body.index}") for body in world.bodies]
        self._ids = ids
        self._set_velocities(Own(scene).motion())
        self.tick = lambda: mujoco.mj_step(self._model, self._data)

    def _set_velocities(self, wanted: Motion) -> None:
        """Set the rates of the freedoms such that the bodies have these velocities, by least squares."""
        model, data = self._model, self._data
        mujoco.mj_forward(model, data)
        rows, values = [], []
        for place, number in enumerate(self._ids):
            along, about = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jacBody(model, data, along, about, number)
            rows += [along, about]
            values += [wanted.velocity[place], wanted.rates[place]]
        data.qvel[:] = np.linalg.lstsq(np.vstack(rows), np.concatenate(values), rcond=None)[0]

    def motion(self) -> Motion:
        model, data = self._model, self._data
        mujoco.mj_forward(model, data)
        found = np.zeros((len(self._ids), 6))
        for row, number in zip(found, self._ids, strict=True):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, number, row, 0)
        turn = Rotation.from_quat(data.xquat[self._ids][:, [1, 2, 3, 0]])
        return Motion(data.xpos[self._ids].copy(), turn, found[:, 3:].copy(), found[:, :3].copy())


def _words(numbers: Any) -> str:
    return " ".join(repr(float(number)) for number in np.ravel(numbers))


def _xml(scene: Scene, integrator: str) -> str:
    """The scene as a model of MuJoCo: every body hangs on the first joint that names it first, what is left closes loops."""
    world = scene.world
    parents: dict[Body, Joint] = {}
    loops = []
    for joint in scene.joints:
        if joint.body in parents or isinstance(joint, Distance):
            loops.append(joint)
        else:
            parents[joint.body] = joint

    def of(parent: Body | None) -> Iterator[str]:
        for body in world.bodies:
            joint = parents.get(body)
            if (joint.other if joint is not None else None) is not parent:
                continue
            turn, position = Rotation.from_quat(body.orientation), body.position
            if parent is not None:
                back = Rotation.from_quat(parent.orientation).inv()
                turn, position = back * turn, back.apply(position - parent.position)
            x, y, z, w = turn.as_quat()
            xx, yy, zz = np.diag(body.inertia_body)
            xy, xz, yz = body.inertia_body[0, 1], body.inertia_body[0, 2], body.inertia_body[1, 2]
            yield f'<body name="b{body.index}" pos="{_words(position)}" quat="{_words((w, x, y, z))}">'
            yield "<freejoint/>" if joint is None else "".join(_freedoms(joint))
            yield f'<inertial pos="0 0 0" mass="{body.mass!r}" fullinertia="{_words((xx, yy, zz, xy, xz, yz))}"/>'
            yield from (
                f'<site name="s{number}b{body.index}" pos="{_words(point)}"/>' for number, point in _sites(body, loops)
            )
            yield from of(body)
            yield "</body>"

    tendons, equalities = [], []
    for number, joint in enumerate(loops):
        if isinstance(joint, Distance):
            ends = "".join(
                f'<site site="s{number}b{body.index}"/>' for body in (joint.body, joint.other) if body is not None
            )
            tendons.append(f'<spatial name="t{number}">{ends}</spatial>')
            equalities.append(f'<tendon tendon1="t{number}"/>')
        else:
            point = from_center(joint.body, joint.at_body)
            equalities.append(f'<connect body1="b{joint.body.index}" body2="world" anchor="{_words(point)}"/>')
    return (
        f'<mujoco><compiler boundmass="0" boundinertia="0"/>'
        f'<option integrator="{integrator}" timestep="{world.dt!r}" gravity="{_words(scene.gravity)}" tolerance="0">'
        f'<flag contact="disable"/></option><worldbody>{"".join(of(None))}</worldbody>'
        f"<tendon>{''.join(tendons)}</tendon><equality>{''.join(equalities)}</equality></mujoco>"
    )


def _sites(body: Body, loops: Sequence[Joint]) -> Iterator[tuple[int, Array]]:
    for number, joint in enumerate(loops):
        if isinstance(joint, Distance) and body in (joint.body, joint.other):
            yield number, from_center(body, joint.at_body if body is joint.body else joint.at_other)


def _axis(joint: Joint, frame: str = "frame_body") -> Array:
    """The first axis of a joint, in the axes of its body or of the other one."""
    row = JOINTS.row(frame)
    return Rotation.from_quat(joint._table.array[row : row + 4, joint.rows.start]).apply((1.0, 0.0, 0.0))


def _freedoms(joint: Joint) -> Iterator[str]:
    """The freedoms of a joint, in the axes of its first body."""
    at = _words(from_center(joint.body, joint.at_body))
    if isinstance(joint, Ball):
        yield f'<joint type="ball" pos="{at}"/>'
    elif isinstance(joint, Hinge):
        yield f'<joint type="hinge" pos="{at}" axis="{_words(_axis(joint))}"/>'
    elif isinstance(joint, Slider):
        yield f'<joint type="slide" pos="{at}" axis="{_words(_axis(joint))}"/>'
    elif isinstance(joint, Universal):
        assert joint.other is not None
        first = joint.body.direction_to_body(joint.other.direction_to_world(_axis(joint, "frame_other")))
        yield f'<joint type="hinge" pos="{at}" axis="{_words(first)}"/><joint type="hinge" pos="{at}" axis="{_words(_axis(joint))}"/>'
    elif not isinstance(joint, Weld):
        raise TypeError(f"{joint!r} is not in these scenes")


class Bullet:
    """Bullet by pybullet, with bodies in their principal axes and constraints between them."""

    def __init__(self, scene: Scene) -> None:
        self._client = client = pybullet.connect(pybullet.DIRECT)
        pybullet.setTimeStep(scene.world.dt, physicsClientId=client)
        pybullet.setGravity(*scene.gravity, physicsClientId=client)
        motion = Own(scene).motion()
        self._bodies, principal = [], []
        for place, inertia in enumerate(scene.inertia):
            moments, axes = np.linalg.eigh(inertia)
            axes[:, 2] *= np.sign(np.linalg.det(axes))
            principal.append(Rotation.from_matrix(axes))
            self._bodies.append(self._added(scene.masses[place], moments, motion, place, principal[-1]))
        self._principal = Rotation.concatenate(principal)
        for joint in scene.joints:
            self._hold(joint, scene.world)
        self.tick = lambda: pybullet.stepSimulation(physicsClientId=client)

    def _added(self, mass: float, moments: Array, motion: Motion, place: int, principal: Rotation) -> int:
        client = self._client
        turn = (motion.turn[place] * principal).as_quat().tolist()
        body: int = pybullet.createMultiBody(
            mass, basePosition=motion.position[place].tolist(), baseOrientation=turn, physicsClientId=client
        )
        free = {"linearDamping": 0.0, "angularDamping": 0.0, "maxJointVelocity": 1e9}
        pybullet.changeDynamics(body, -1, localInertiaDiagonal=moments.tolist(), physicsClientId=client, **free)
        pybullet.resetBaseVelocity(
            body, motion.velocity[place].tolist(), motion.rates[place].tolist(), physicsClientId=client
        )
        return body

    def _hold(self, joint: Joint, world: World) -> None:
        kinds = {Ball: pybullet.JOINT_POINT2POINT, Hinge: pybullet.JOINT_POINT2POINT, Weld: pybullet.JOINT_FIXED}
        kind = kinds[type(joint)]
        # a hinge is held at two points of its axis
        sides = (-0.25, 0.25) if isinstance(joint, Hinge) else (0.0,)
        along = _axis(joint) if isinstance(joint, Hinge) else np.zeros(3)
        for side in sides:
            at = np.array(joint.at_body) + side * along
            held = joint.body.to_world(at)
            one, first, turn = self._end(joint.body, held)
            other, second, other_turn = self._end(joint.other, held)
            frames = {"parentFrameOrientation": turn, "childFrameOrientation": other_turn}
            made = pybullet.createConstraint(
                one, -1, other, -1, kind, (0, 0, 0), first, second, physicsClientId=self._client, **frames
            )
            pybullet.changeConstraint(made, maxForce=1e12, physicsClientId=self._client)

    def _end(self, body: Body | None, held: Array) -> tuple[int, list[float], list[float]]:
        """The number of a body, and in its axes the point and the turn of axes that are those of the world now."""
        if body is None:
            return -1, held.tolist(), [0.0, 0.0, 0.0, 1.0]
        turn = (Rotation.from_quat(body.orientation) * self._principal[body.index]).inv()
        return self._bodies[body.index], turn.apply(held - body.position).tolist(), turn.as_quat().tolist()

    def motion(self) -> Motion:
        client = self._client
        poses = [pybullet.getBasePositionAndOrientation(body, physicsClientId=client) for body in self._bodies]
        speeds = [pybullet.getBaseVelocity(body, physicsClientId=client) for body in self._bodies]
        turn = Rotation.from_quat([turn for _position, turn in poses]) * self._principal.inv()
        position, velocity, rates = (
            [each[place] for each in found] for found, place in ((poses, 0), (speeds, 0), (speeds, 1))
        )
        return Motion(np.array(position), turn, np.array(velocity), np.array(rates))


IN_BULLET = Ball, Hinge, Weld
"""The types that `createConstraint` offers between two bodies, or that two of its constraints make."""


def entrants(scene: Scene) -> Iterator[tuple[str, Entrant | None]]:
    """This engine and the others, each at the current state of the scene; None for those that are not installed or lack its joints."""
    peers: list[tuple[str, Entrant | None]] = []
    for integrator in ("Euler", "RK4"):
        peers.append((f"MuJoCo {integrator}", MuJoCo(scene, integrator) if mujoco else None))
    can = pybullet and all(isinstance(joint, IN_BULLET) for joint in scene.joints)
    peers.append(("pybullet", Bullet(scene) if can else None))
    yield "Polhode", Own(scene)
    yield from peers


def missing() -> list[str]:
    """The other engines that are not installed."""
    return [name for name, module in (("MuJoCo", mujoco), ("pybullet", pybullet)) if module is None]
