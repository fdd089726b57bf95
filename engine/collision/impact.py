"""The time of impact of two convex shapes that move far in a tick.

Both bodies are moved along their free motion by the gap over a speed at which it closes at most, until they touch or the tick ends
(conservative advancement: Mirtich, 1996). Free motion is a line, with the velocity after half a kick of the held force, and a rotation at
the body rates of the start of the tick.

The step of islands then starts where the mass centres are at the first impact of each body (see `constraints.late`).

A body on a joint never starts elsewhere, because its joint would be apart. It has the points of its impact, at which its gaps close by the
end of the tick. What its joints do to its motion is not known beforehand, so that it meets what it passes nearer than that may be.

Shapes of the world that move as prescribed do so exactly.
"""

from math import sqrt

from ..compilation.compiler import inlined, kernel
from ..constraints.joint_types import load
from ..constraints.layout import (
    AT_BODY,
    AT_OTHER,
    BENT,
    DRIFTS_BY,
    FORCE,
    IMPACT_TIME,
    JOINED_TO,
    MET_AT,
    NO_IMPACT,
    OPEN,
    PULLED,
    ROD,
    ROPE,
    SLOW_ARM,
    SLOW_WITHIN,
)
from ..constraints.layout import BODY as JOINT_BODY
from ..constraints.layout import ENABLED as JOINT_ENABLED
from ..constraints.layout import OTHER as JOINT_OTHER
from ..constraints.layout import TYPE as JOINT_TYPE
from ..kernels.quaternions import from_rotation_vector, multiply, normalize, rotate
from ..kernels.vectors import Vector, add, add_scaled, cross, dot, scale, subtract
from ..loops.columns import Array, Integers, load_quaternion, load_vector, store_quaternion, store_vector
from ..loops.layout import ANGULAR_VELOCITY, CENTER_OF_MASS, INVERSE_MASS, ORIENTATION, POSITION, VELOCITY, WRENCH
from .bounds import drift_velocity
from .cores import CORE_RADIUS
from .layout import BODY, LEAST_HALF, PART, REACH, SHAPE_ROWS, SHAPE_SPIN, SHAPE_VELOCITY
from .pairs import Scene, part_placed, place_shape
from .parting import TO_NEAREST
from .poses import move_shape, moves

_MOST_STEPS = 256
"""After so many steps, the shapes graze each other, and are compared where they are then."""
_MET = 1e-5
"""Share of the lesser half extent within which shapes have met."""
_NONE = (0.0, 0.0, 0.0)
PASSES = 8.0
"""What moves more than so many times its reach in a tick and misses, passes: no impact of another body on its joints brings it back."""


Advancing = tuple[Scene, Array, Array, Array, Array, tuple[Array, ...], Integers]
"""What is advanced to a time of impact: the bodies at the start of the tick, the table of shapes, and where the points of shapes are; the
boxes of shapes; the bodies at the time of impact, of which only the columns of two are written; the shapes then, of which only those of two
are written, and only if the second one moves by itself; the first impact of each body; the arguments of `part_cores`, and the addresses of
kernels, with its own at the place `PART`."""


@inlined
def is_fast(bodies: Array, bounds: Array, shape: int, body: int, dt: float) -> bool:
    """Whether a shape of a body moves more than half its least extent in a tick, at the velocity with which this begins.

    What rests does not count as fast for its weight, however thin it is.
    """
    if body < 0:
        return False
    least = float(bounds[shape, LEAST_HALF])
    velocity, rates = load_vector(bodies, VELOCITY, body), load_vector(bodies, ANGULAR_VELOCITY, body)
    arm = max(float(bounds[shape, REACH]) - least, 0.0)
    return (sqrt(dot(velocity, velocity)) + arm * sqrt(dot(rates, rates))) * dt > least


@inlined
def is_held(impacts: Array, body: int) -> bool:
    """Whether a body is on a joint; False as long as nothing was fast in this world."""
    return body >= 0 and impacts.shape[1] > 0 and impacts[JOINED_TO, body] != 0.0


@inlined
def _begin(bodies: Array, ahead: Array, body: int) -> None:
    if body >= 0:
        for row in range(bodies.shape[0]):
            ahead[row, body] = bodies[row, body]


@inlined
def _move(bodies: Array, ahead: Array, body: int, time: float, dt: float) -> None:
    """Move a body along its free motion from the start of the tick."""
    if body >= 0:
        turn = from_rotation_vector(scale(time, load_vector(bodies, ANGULAR_VELOCITY, body)))
        q = normalize(multiply(load_quaternion(bodies, ORIENTATION, body), turn))
        place = add_scaled(load_vector(bodies, POSITION, body), time, drift_velocity(bodies, body, dt))
        store_vector(ahead, POSITION, body, place)
        store_quaternion(ahead, ORIENTATION, body, q)


@inlined
def strays(impacts: Array, body: int, dt: float) -> float:
    """How far joints may move a body off its free motion in a tick; at least twice what they did if they act on.

    Its path is bent by what its joints must carry as they turn, and by what they carried in the last tick.
    """
    if not is_held(impacts, body):
        return 0.0
    return dt * dt * (float(impacts[BENT, _first_joined(impacts, body)]) + float(impacts[PULLED, body]))


@inlined
def _spin(bodies: Array, bounds: Array, shape: int, body: int, radius: float) -> float:
    """A speed that no point of a core exceeds in the rotation about the mass centre."""
    if body < 0:
        return 0.0
    rates = load_vector(bodies, ANGULAR_VELOCITY, body)
    return max(float(bounds[shape, REACH]) - radius, 0.0) * sqrt(dot(rates, rates))


@kernel("advance-pair")
def advance_pair(advancing: Advancing, first: int, second: int, slack: float, is_noted: int, dt: float) -> int:
    """Move the bodies of two shapes to their time of impact; 0 if they do not meet in the tick.

    Args:
        advancing: The bodies and shapes; see `Advancing`.
        first: A shape of a body.
        second: A shape of another body, or one of the world.
        slack: How near shapes that pass have met [m].
        is_noted: 1 if the impact may be one at which the step of a body starts.
        dt: Length of the tick [s].
    """
    (bodies, shapes, forms), bounds, ahead, moved, impacts, narrow, calls = advancing
    body, other = int(shapes[BODY, first]), int(shapes[BODY, second])
    within = max(_MET * min(float(bounds[first, LEAST_HALF]), float(bounds[second, LEAST_HALF])), slack)
    closing, is_moving, turns = drift_velocity(bodies, body, dt), moves(shapes, second), 0.0
    seen = moved if is_moving else shapes
    if other >= 0:
        closing = subtract(closing, drift_velocity(bodies, other, dt))
    elif is_moving:
        closing, spin = (
            subtract(closing, load_vector(shapes, SHAPE_VELOCITY, second)),
            load_vector(shapes, SHAPE_SPIN, second),
        )
        turns = float(bounds[second, REACH]) * sqrt(dot(spin, spin))
        for row in range(SHAPE_ROWS):
            moved[row, first], moved[row, second] = shapes[row, first], shapes[row, second]
    _begin(bodies, ahead, body)
    _begin(bodies, ahead, other)
    time = 0.0
    for _step in range(_MOST_STEPS):
        base = load_vector(ahead, POSITION, body)
        place_shape((ahead, seen, forms), narrow[0], 0, first, base)
        place_shape((ahead, seen, forms), narrow[0], 1, second, base)
        gap = part_placed(narrow, calls, PART)
        depth = -dot(load(narrow[7], 0, TO_NEAREST), closing) * (dt - time)
        if gap <= within:
            break
        speed = -dot(load(narrow[7], 0, TO_NEAREST), closing)
        speed += _spin(bodies, bounds, first, body, float(narrow[0][0, CORE_RADIUS]))
        speed += _spin(bodies, bounds, second, other, float(narrow[0][1, CORE_RADIUS]))
        speed += turns
        if speed * (dt - time) < gap - slack:
            return 0
        time = min(time + (gap - 0.5 * slack) / speed, dt)
        if is_moving:
            move_shape(shapes, moved, second, time)
        _move(bodies, ahead, body, time, dt)
        _move(bodies, ahead, other, time, dt)
    impacts[MET_AT, body] = time
    if is_noted == 1:
        _note(advancing, first, body, time, depth, dt, is_moving)
        _note(advancing, second, other, time, depth, dt, is_moving)
    return 1


@inlined
def _note(advancing: Advancing, shape: int, body: int, time: float, depth: float, dt: float, is_moving: bool) -> None:
    """Note an impact of a body whose mass centre would move deep into the other shape; what slides or turns needs the points alone."""
    (bodies, _shapes, _forms), bounds, _ahead, _moved, impacts, _narrow, _calls = advancing
    if body >= 0:
        velocity, least = drift_velocity(bodies, body, dt), float(bounds[shape, LEAST_HALF])
        if depth > least and sqrt(dot(velocity, velocity)) * dt > least and time < impacts[IMPACT_TIME, body]:
            store_vector(impacts, DRIFTS_BY, body, velocity)
            # what a shape that moves has met goes along with it, however fast
            impacts[IMPACT_TIME, body], impacts[SLOW_WITHIN, body] = time, NO_IMPACT if is_moving else least
            impacts[SLOW_ARM, body] = max(float(bounds[shape, REACH]) - least, 0.0)


@inlined
def forget_impacts(bodies: Array, impacts: Array, joints: Array, joint_count: int) -> None:
    """Begin a tick without impacts, and note which bodies joints connect and what these carried in the last tick and must carry in this."""
    if impacts.shape[1] == 0:
        return
    for body in range(impacts.shape[1]):
        impacts[IMPACT_TIME, body] = NO_IMPACT
        impacts[JOINED_TO, body] = impacts[BENT, body] = impacts[PULLED, body] = 0.0
    for joint in range(joint_count):
        if joints[JOINT_ENABLED, joint] != 0.0 and joints[JOINT_TYPE, joint] != OPEN:
            force = load_vector(joints, FORCE, joint)
            pull, first = sqrt(dot(force, force)), -1
            for side in range(2):
                body = int(joints[JOINT_BODY if side == 0 else JOINT_OTHER, joint])
                if body >= 0:
                    if impacts[JOINED_TO, body] == 0.0:
                        impacts[JOINED_TO, body] = body + 1.0
                    impacts[PULLED, body] += float(bodies[INVERSE_MASS, body]) * pull
                    first = _join(impacts, first, _first_joined(impacts, body))
            impacts[BENT, first] += _bend(bodies, joints, joint)


@inlined
def _first_joined(impacts: Array, body: int) -> int:
    """The body that stands for all with which joints connect a body."""
    while int(impacts[JOINED_TO, body]) != body + 1:
        body = int(impacts[JOINED_TO, body]) - 1
    return body


@inlined
def _join(impacts: Array, first: int, other: int) -> int:
    """Let one body stand for those of two, of which the first may be missing."""
    if first >= 0 and first != other:
        impacts[JOINED_TO, other] = first + 1.0
        impacts[BENT, first] += impacts[BENT, other]
    return other if first < 0 else first


@inlined
def _bend(bodies: Array, joints: Array, joint: int) -> float:
    """The acceleration between the two points of a joint that this must undo at most, but for what its torques do.

    It is what the points accelerate towards their mass centres, what the joint turns between them, and what the held forces differ by.
    """
    at, velocity, held, rate, bend = _end(bodies, joints, int(joints[JOINT_BODY, joint]), AT_BODY, joint)
    to, other_velocity, other_held, other_rate, other_bend = _end(
        bodies, joints, int(joints[JOINT_OTHER, joint]), AT_OTHER, joint
    )
    between, moves_by, differs = subtract(at, to), subtract(velocity, other_velocity), subtract(held, other_held)
    length, speed = sqrt(dot(between, between)), sqrt(dot(moves_by, moves_by))
    bend += other_bend + sqrt(dot(differs, differs))
    kind = int(joints[JOINT_TYPE, joint])
    if kind == ROD or kind == ROPE:
        return bend + (speed * speed / length if length > 0.0 else 0.0)
    turns = max(rate, other_rate)
    return bend + turns * (turns * length + 2.0 * speed)


@inlined
def _end(bodies: Array, joints: Array, body: int, row: int, joint: int) -> tuple[Vector, Vector, Vector, float, float]:
    """Of the point of a joint on a body or the world: place, velocity, acceleration by the held force, angular speed, and what bends it."""
    given = load_vector(joints, row, joint)
    if body < 0:
        return given, _NONE, _NONE, 0.0, 0.0
    q, rates = load_quaternion(bodies, ORIENTATION, body), load_vector(bodies, ANGULAR_VELOCITY, body)
    arm = subtract(given, load_vector(bodies, CENTER_OF_MASS, body))
    at = add(load_vector(bodies, POSITION, body), rotate(q, 2.0, arm))
    velocity = add(load_vector(bodies, VELOCITY, body), rotate(q, 2.0, cross(rates, arm)))
    held = scale(float(bodies[INVERSE_MASS, body]), load_vector(bodies, WRENCH, body))
    turns = dot(rates, rates)
    return at, velocity, held, sqrt(turns), turns * sqrt(dot(arm, arm))
