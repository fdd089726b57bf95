"""The layout of the arrays of the island step.

Island bodies are copied out of the columns of the world into small arrays in which the bodies of an island are adjacent. The number of a
body in them is its place. `own` has the rows of `loops.layout`, `stages` those of `loops.splitting_passes`. `work` has, per place, the pose
at the start and at the end of a drift relative to a point that moves with the island, and the velocities there.
"""

from ..loops.layout import INVERSE_INERTIA, MASS, STATE_ROWS

MODEL_FIRST, MODEL_LAST = MASS, INVERSE_INERTIA + 6
"""Rows of a body from which the matrix of an island is made."""

# rows of `joints`, in the order of their schema; a test compares the two
BODY, OTHER, ENABLED, TYPE = 0, 1, 2, 3
AT_BODY, AT_OTHER = 4, 7
FRAME_BODY, FRAME_OTHER = 10, 14
"""Quaternions from the axes of the joint to those of the body and of the other body, or of the world."""
LENGTH = 18
"""The length of a rod."""
FITTING_FIRST, FITTING_LAST = TYPE, LENGTH + 1
"""Type, points, frames and length, from which the directions of a joint without limits, motors, friction and springs are made."""
MOST_FREEDOMS = 3
"""Freedoms of one joint at most; each has the numbers that follow."""
LOWER, UPPER = 19, 22
"""Limits of each freedom; an infinite one does not act."""
FRICTION = 25
"""Largest torque or force of dry friction."""
MOTOR, MOTOR_SIZE = 28, 5
"""For each freedom the kind of motor (0 none, 1 rate, 2 position, 3 position with a frequency that follows the inertia), its target,
stiffness, damping and largest torque or force; or, if it follows the inertia, frequency and damping ratio in place of these two."""
SPRING, SPRING_SIZE = 43, 4
"""For each freedom the kind of spring (0 none, 1 of a stiffness, 2 of a frequency that follows the inertia), its stiffness and damping, or
its frequency and damping ratio, and its rest."""
BALL_SPRING = SPRING + 2 * SPRING_SIZE
"""The spring towards the rest orientation of a ball joint."""
BREAK_FORCE, BREAK_TORQUE = 55, 56
COORDINATE = 57
"""Angle, counted over turns, or distance of each freedom, at the end of the tick."""
POSITION_FORCES, VELOCITY_FORCES = 60, 78
"""Mean force of each row over the last step in the two stages, from which the next stages start."""
FORCE, TORQUE = 96, 99
"""Mean over the last tick, on the body, world frame; the torque is about the common point."""
STEPS = 102
"""The number of steps in which the island took the last tick, if more than one; else 0."""
WAS_AT_LIMIT = 103
"""Whether each freedom had reached a limit when the last tick started."""
REACHED_IN_A_STEP = 2.0
"""Added to that if the freedom reached a limit in any step of a tick that was divided into steps."""
CAPTURED_ENERGY = 106
"""Energy that the springs of a closing joint have taken from its bodies."""
LATCH_PHASE, LATCH_SINCE, CLOSING_ENERGY = 107, 108, 109
"""Phase of a latch, the number of the tick in which it caught, and the energy that it took when it locked."""
CAUGHT_POINT, CAUGHT_FRAME = 110, 113
"""Point and frame on the other body at which a latch caught."""
SLACK = 117
"""By how much the joints of a loop that this one closes missed each other when it was added, as a length and as an angle."""
DRIVE, DRIVE_SIZE = 119, 2
"""For each freedom what a motor that holds a position adds to its spring and damper: the rate of its target, and a torque or force."""
COLLIDES = 125
"""Whether the two bodies collide."""
JOINT_ROWS = 126
DECIDING = (
    *(BODY, OTHER, ENABLED, TYPE, *range(LOWER, LOWER + 3), *range(UPPER, UPPER + 3), *range(FRICTION, FRICTION + 3)),
    *(MOTOR + MOTOR_SIZE * freedom for freedom in range(3)),
    *(SPRING + SPRING_SIZE * freedom for freedom in range(3)),
    *(BREAK_FORCE, BREAK_TORQUE, LATCH_PHASE, COLLIDES),
)
"""Components from which the numbers of islands and rows follow, which joints are latches or may break, and which bodies do not collide."""
MOST_ROWS = 18
"""Rows of one joint at most."""
STATE_FIRST, STATE_LAST = COORDINATE, LATCH_PHASE
"""The components that a tick changes."""

BALL, HINGE, SLIDER, WELD, ROD, UNIVERSAL, PLANAR, ROPE, OPEN, SOFT, SOFT_AXIS = range(11)
EQUALITY_ROWS = (3, 5, 5, 6, 1, 4, 3, 0, 0, 0, 0)
"""Rows that hold a joint together, by type."""
_HARD_COUNT = max(EQUALITY_ROWS)
HARD_STATE = (
    (COORDINATE, POSITION_FORCES + _HARD_COUNT),
    (VELOCITY_FORCES, VELOCITY_FORCES + _HARD_COUNT),
    (FORCE, STEPS + 1),
)
"""The same where an island has equality rows only, as ranges."""
HARD_ROWS = ((FITTING_FIRST, FITTING_LAST), (BALL_SPRING, BALL_SPRING + 1), *HARD_STATE, (SLACK, SLACK + 2))
"""The components that are read there."""

FREEDOM_COUNTS = (2, 1, 1, 0, 0, 2, 3, 1, 0, 0, 0)
"""Freedoms that limits, motors, friction and springs act on, by type."""
FIRST_TURN = (0, 0, 1, 0, 1, 0, 2, 1, 0, 0, 0)
"""The first freedom of a type that is a rotation; those before it are translations."""
SOFT_ROWS = (0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 5)
"""Springs of a joint that is closing, by type; those of translations are the springs of freedom 0, those of rotations of freedom 1."""

NO_MOTOR, RATE_MOTOR, POSITION_MOTOR, FOLLOWING_MOTOR = range(4)
NO_SPRING, STIFF_SPRING, FOLLOWING_SPRING = range(3)

# kinds of rows
EQUALITY, LOWER_LIMIT, UPPER_LIMIT, RATE_ROW, SPRING_ROW = range(5)
"""A motor that follows a rate and friction are rows of a rate; springs and motors that hold a position are rows of a spring."""

# columns of `rows`, one row per constraint; those that equality rows use come first, so that they lie in few cache lines
RESIDUAL = 0
LINEAR, ANGULAR = 1, 4
"""Directions of impulse and angular impulse at the common point, world frame."""
ON_BODY, ON_OTHER = 7, 10
"""Angular impulse about the mass centre that a unit of the row gives to the body and takes from the other, in the axes of each."""
SOFTNESS = 13
"""Regularisation R of the row."""
IMPULSE = 14
MISS = 15
"""What is left of the row's equation: a relative velocity."""
IS_TURN = 16
"""Whether the residual is an angle."""
KIND = 17
START_COORDINATE = 18
"""The residual at the start of the drift."""
IS_FREE = 19
"""Whether the impulse is between its bounds, so that the row is part of the matrix."""
TRIED = 20
"""The impulse for a trial change of the velocities."""
TOTAL = 21
"""Sum of the impulses since the start of the step."""
TOTAL_BEFORE = 22
"""The sum of the impulses before the second kick."""
MISSED, GUESSED = 23, 26
"""What the row missed before this round of a position stage and the two before it, and its impulse after those two, the latest first."""
YIELDS = 28
"""Rate of the row for a unit impulse of it."""
PULLS = 18
"""In sweeps, the impulse of a point for a unit rate: along the normal, and in the second of its rows in both directions across it."""
START_TURN = 29
"""For three rows of a rotation, the vector part of the quaternion at the start of the drift."""
BEST = 30
"""The impulse of the best round of a patient stage."""
LEAST, MOST = 31, 32
"""Bounds of the impulse."""
FREEDOM = 33
"""The freedom on which the row acts."""
RATE, RATE_GAIN = 34, 35
"""Rate of the row for the change of the velocities so far, and for the next change."""
GOAL, STIFFNESS, DAMPING, BOUND = 36, 37, 38, 39
"""The limit, rate or rest of a row on a freedom, its stiffness and damping, and its largest torque or force."""
MOVED = 40
"""Motion along the row since the start of the drift."""
FEED = 41
"""Torque or force that a motor adds to its spring and damper."""
GROWTH, FOLLOWED, OWN_PUSH = 42, 43, 44
"""For a row that follows the inertia, by what that has grown in the drift, 1 for other rows; the inertia; and what the motor adds."""
ANSWERED, ROW_WAY, ROW_GAIN = 45, 46, 47
"""What a row answers to the impulses tried; what it would miss along the way on which weak rows are answered, and what it answers there."""
ROW_SIZE = 48
"""Six cache lines."""

# columns of `links`, one row per joint, and after these one per contact
JOINT, FIRST_PLACE, SECOND_PLACE, FIRST_ROW, LAST_ROW, BLOCK, IS_LATER, FIRST_POINT = range(8)
"""Row of the table, places of the two bodies (-1 for the world), its rows, the block of the pair, whether the body comes after the
other in the elimination, and the first point of a contact, which has three rows per point."""
LINK_SIZE = 8

# columns of `islands`
(
    BODIES,
    BODIES_END,
    LINKS,
    LINKS_END,
    ROWS,
    ROWS_END,
    PROGRAM,
    PROGRAM_END,
    BLOCKS,
    BLOCKS_END,
    IS_ANCHORED,
    IS_HARD,
    HAS_LOOP,
    IS_NEW,
    CURSOR,
    CONTACTS,
    CONTACTS_END,
    IS_SWEPT,
    HAS_LIMITS_ONLY,
    HAS_FOLLOWERS,
    TURNS_FAST,
    IS_SETTLED,
    COLUMNS,
) = range(23)
"""Places, joints, their rows, operations and blocks of an island; what it is; whether the directions and the factor that are kept may be
those of another one; a number for the kernel that numbers islands; contacts, and whether sweeps solve their equations; whether all of its
rows that are no equalities are those of limits; whether any motor or spring follows the inertia about its joint; in the row of the
first island, 1 more than the row of a joint in the table whose bodies turn too fast for the tick, or 0; and whether the models and the
settings for which directions and factor were computed last are those of this tick, so that only the pose is compared and kept; and where
its bodies begin among those of all islands, which is where its places begin unless islands share their places."""
ISLAND_SIZE = 23
SPAN = 128
"""Places of islands that take a tick one after another, so that what they need stays in the cache; an island with more is alone. Where
nothing names a place beyond its span, all spans use the same places, and the same rows and blocks for islands that keep none of these."""

# columns of `program`, one row per operation on blocks; blocks and places count from the first ones of the island
OPERATION, TARGET, LEFT, RIGHT, PLACE, OTHER_PLACE = range(6)
FACTOR, DIVIDE, SUBTRACT = range(3)

# rows of `work`
START, END = 0, STATE_ROWS
PUSH, TWIST = 2 * STATE_ROWS, 2 * STATE_ROWS + 3
"""Sum of impulses and of angular impulses about the mass centre, world frame."""
SOLUTION = 2 * STATE_ROWS + 6
"""Change of velocity (world frame) and of angular velocity (body frame)."""
KICKED = 2 * STATE_ROWS + 12
"""Velocity after the last kick, and the sum of the impulses since, world frame."""
SUM = KICKED + 3
CHANGE = SUM + 3
"""Change of velocity (world frame) and of angular velocity (body frame) in a solve with bounds."""
BEFORE_POINTS = CHANGE + 6
"""Velocity and angular velocity at the start of a drift before the impulses of points, which are held while joints take the stage."""
WAY = BEFORE_POINTS
"""Before that, the change of velocity and angular velocity along the way that sweeps have taken so far."""
ASKED = BEFORE_POINTS
"""And in Newton's method the impulse and angular impulse that are missing, from which a step is solved for."""
COMPOSITE = BEFORE_POINTS + 6
"""Mass, mass centre relative to the base and tensor about it, world frame, of a body and what hangs on it, for `sides`."""
GROUP, IS_HELD, TREE_ROOT = COMPOSITE + 10, COMPOSITE + 11, COMPOSITE + 12
"""A place that is connected with this one; whether the world holds them all; and which of them has the mass properties of all, or -1."""
DEGREE, LINK_SUM, QUEUE = COMPOSITE + 13, COMPOSITE + 14, COMPOSITE + 15
"""The joints that are left on a body, the sum of their numbers, and the places in the order in which they are taken away."""
RANK, UPPER_PLACE, UPPER_LINK, JUMP = COMPOSITE + 16, COMPOSITE + 17, COMPOSITE + 18, COMPOSITE + 19
"""When a place was taken away, what it hangs on, by which joint, and the first place above it that no loop is known to reach beyond."""
ANSWER = COMPOSITE + 20
"""Velocity and angular velocity, as in `SOLUTION`, for a unit impulse about a freedom."""
LEFT_OVER = ANSWER + 6
"""In Newton's method, what the impulses so far give beyond the velocities that were found, as an impulse and an angular impulse."""
WORK_ROWS = LEFT_OVER + 6

# columns of `made`, one row per body of an island
MADE_AT, MADE_WITH = 0, 7
"""Pose and model for which the directions and the factor of a hard island were computed last."""
MADE_SIZE = MADE_WITH + MODEL_LAST - MODEL_FIRST

# columns of `points`, one row per joint
ARM, OTHER_ARM = 0, 3
"""From the mass centres to the common point, world frame."""
GIVEN, TURNED = 6, 9
"""Impulse and angular impulse at the common point since the start of the tick."""
TAKEN = 12
"""Energy that the springs of a closing joint have taken from both bodies since the start of the tick."""
GIVEN_BEFORE = 13
"""Impulse, angular impulse and energy before the second kick."""
MADE_FOR, COUNTED = 20, 20 + FITTING_LAST - FITTING_FIRST
"""Settings of the joint when its directions were computed last, and its coordinates then."""
SIDES = COUNTED + 3
"""Whether the bodies of a joint are connected by it alone."""
NO_SIDES, IS_BRIDGE, IN_LOOP = range(3)
POINT_SIZE = SIDES + 1

# `measures`, one row per island
SIZE, BASE, DRIFT_VELOCITY, WORST, TOLERANCE, WORST_LINK, PIECE, STEP_LENGTH = 0, 1, 4, 7, 8, 9, 10, 11
MADE_BASE = 12
"""The base when the directions were computed last."""
DIVISION = 15
"""The number of steps in which the island takes a step."""
KICK_TIME = 16
"""The length of the kick before a drift, or 0 if there was none."""
HEAVIEST = 17
"""The largest mass of a body."""
IN_PARTS, LIMITS = 18, 19
"""Whether the island takes this tick in the parts of the method, and its limits, if it has no other rows than these and equalities."""
LIMITS_ACT, LIMITS_AWAY, LIMITS_PASSED = 0.0, 1.0, 2.0
"""Limits act; they are too far away for that in this tick; or they were passed in spite of that, or the joints did not hold."""
ELAPSED = 20
"""The time since the start of the tick at which the last drift began, or ended if the next one has not begun."""
POINT_WORK = 21
"""The work of the impulses of points before the last drift."""
LEAST_STEPS = 22
"""The number of steps in which the island takes a step at least; negative if a joint had no force in the last tick."""
FACTOR_IS_MADE, KNOWN_PAIRS = 23, 24
"""Whether the blocks have the factor for the states of all points in this stage, and how many changes of held slips are known."""
ENERGY = 25
"""The kinetic energy before a drift [J], if nothing but contacts of the island with itself may change it, else -1."""
MEASURES = 26

# rows of `impacts`, whose columns are the bodies; there are none as long as nothing was fast
IMPACT_TIME = 0
"""The time from the start of the tick to the first impact of a fast body, at which its step starts, or `NO_IMPACT`."""
NO_IMPACT = 1e300
SLOW_WITHIN, SLOW_ARM = 1, 2
"""How far a shape may move in a tick to be slow, and its reach beyond that."""
JOINED_TO = 3
"""1 more than the number of a body with which joints connect it, at last of the one that stands for all of them; 0 without a joint. The
step of a body on a joint starts with the tick."""
BENT, PULLED = 4, 5
"""Of the body that stands for all, the sum of the accelerations that joints must undo between their points in this tick; and what the
joints of the body carried in the last one, as an acceleration."""
MET_AT = 6
"""The time since the start of the tick at which it met what it was compared with last."""
DRIFTS_BY = 7
"""The velocity with which it moves until its impact."""
IMPACT_ROWS = 10

# columns of `touching`, one row per point of a contact
OWNER = 0
"""What the normal turns with: nothing, the body, the other body, or the line between two round cores."""
BY_WORLD, BY_BODY, BY_OTHER, BY_CORES = range(4)
CORE, OTHER_CORE = 1, 4
"""The vertex or the point of the core on each body, from its mass centre, in its axes; of the world, in the world frame."""
ROUNDING, OTHER_ROUNDING = 7, 8
"""The radius around each core."""
NORMAL = 9
"""Unit normal from the other body to the body, in the axes of the owner."""
FRICTION_COEFFICIENT, RESTITUTION = 12, 13
FIRST_POSITIONS, FIRST_VELOCITIES = 14, 17
"""Mean force of the first solve of both stages in the last step, world frame, from which their next first solves start."""
GAP = 20
"""Distance at the pose for which the directions were computed last."""
GOAL_GAP, GOAL_SPEED = 21, 22
"""Distance and normal velocity at the end of the step, less which a point pushes."""
CONE = 23
"""The coefficient of friction with which the point acts in this stage; negative if it does not act."""
HELD_SLIP = 24
"""The speed by which the normal velocity is raised in a solve, ``μ|u_t|``."""
START_SPAN = 25
"""From the core of the other body to that of the body at the start of the drift, world frame."""
POINT_BEFORE = 28
"""Impulse of each row in the stage before."""
STATE_OF_POINT = 31
"""Whether the impulse of the last try is zero, inside the cone, or on it."""
APART, STICKS, SLIDES = range(3)
PUSHED, PUSHED_LAST = 32, 35
"""Impulse on the body since the start of the tick without the last velocity stage, and in this, world frame."""
CLOSING_SPEED = 38
"""Speed at which the point closed in an impact in this tick."""
SLIP_MISS = 39
"""What the held speed missed before the last solve."""
SLIDES_ALONG = 40
"""The direction of slip for which the terms were written."""
TERMS, TERM_SIZE = 42, 10
"""For three terms of the matrix the weight, and the direction of the impulse and of the angular impulses on both bodies."""
ANSWERS, ROWS_OF_CONTACT = TERMS, 12
"""In sweeps, how the rates of all rows of the contact answer to a unit impulse along each row of the point."""
RATES, SUMS = ANSWERS + 3 * ROWS_OF_CONTACT, ANSWERS + 4 * ROWS_OF_CONTACT
"""The rates and the impulses of all rows of a contact, in its first point, while a sweep is at it; the normal ones come first."""
PUSHED_BEFORE, CLOSED_BEFORE = SUMS + ROWS_OF_CONTACT, SUMS + ROWS_OF_CONTACT + 3
"""Impulse and largest closing speed in the steps of the tick before this one, if the tick is divided."""
SOLVED_BY = CLOSED_BEFORE + 1
"""What found the impulse of the point in this tick: nothing, Newton's method, its rounds short of their tolerance, or sweeps."""
BY_NOTHING, BY_NEWTON, BY_ROUNDS_ALONE, BY_SWEEPS = range(4)
IS_CARRIED = SOLVED_BY + 1
"""Whether the other core is on a shape of the world that moves."""
CARRIED_AT, CARRIED_ROUND, CARRIED_ARM = IS_CARRIED + 1, IS_CARRIED + 4, IS_CARRIED + 7
"""The velocity of the origin of that shape and its angular velocity, and the other core from that origin at the start of the tick, world
frame."""
TANGENT = CARRIED_ARM + 3
"""A unit vector across the normal at the start of the tick, world frame."""
SLIP_CHANGE, SLIP_PAIRS = TANGENT + 3, TANGENT + 4
"""The last change of the held speed, and for two changes before it the change, and that of what was missed after it."""
TOUCH_SIZE = SLIP_PAIRS + 4
