"""The layout of the arrays of the island step.

Island bodies are copied out of the columns of the world into small arrays in which the bodies of an island are adjacent. The number of a
body in them is its place. `own` has the rows of `loops.layout`, `stages` those of `loops.splitting_passes`. `work` has, per place, the pose
at the start and at the end of a drift relative to a point that moves with the island, and the velocities there.
"""

from ..loops.layout import STATE_ROWS

# rows of `joints`, in the order of their schema; a test compares the two
BODY, OTHER, ENABLED, TYPE = 0, 1, 2, 3
AT_BODY, AT_OTHER = 4, 7
FRAME_BODY, FRAME_OTHER = 10, 14
"""Quaternions from the axes of the joint to those of the body and of the other body, or of the world."""
LENGTH = 18
"""The length of a rod."""
LOWER, UPPER = 19, 20
"""Limits of the freedom; an infinite one does not act."""
FRICTION = 21
"""Largest torque or force of dry friction."""
MOTOR, MOTOR_TARGET, MOTOR_STIFFNESS, MOTOR_DAMPING, MOTOR_LIMIT = 22, 23, 24, 25, 26
"""Kind of motor (0 none, 1 rate, 2 position) and its numbers; the last is its largest torque or force."""
SPRING, SPRING_STIFFNESS, SPRING_DAMPING, SPRING_REST = 27, 28, 29, 30
"""Whether there is a spring, and its numbers."""
BREAK_FORCE, BREAK_TORQUE = 31, 32
COORDINATE = 33
"""Angle of a hinge, counted over turns, or distance of a slider, at the end of the tick."""
POSITION_FORCES, VELOCITY_FORCES = 34, 46
"""Mean force of each row over the last step in the two stages, from which the next stages start."""
FORCE, TORQUE = 58, 61
"""Mean over the last tick, on the body, world axes; the torque is about the common point."""
WAS_AT_LIMIT = 64
"""Whether the joint had reached a limit when the last tick started."""
LATCH_PHASE, LATCH_SINCE, CLOSING_ENERGY = 65, 66, 67
"""Phase of a latch, the number of the tick in which it caught, and the energy that it took when it locked."""
CAUGHT_POINT, CAUGHT_FRAME = 68, 71
"""Point and frame on the other body at which a latch caught."""
JOINT_ROWS = 75
MOST_ROWS = 12
"""Rows of one joint at most."""
STATE_FIRST, STATE_LAST = COORDINATE, WAS_AT_LIMIT
"""The components that a tick changes."""

BALL, HINGE, SLIDER, WELD, ROD, UNIVERSAL, PLANAR, ROPE, OPEN, SOFT, SOFT_AXIS = range(11)
EQUALITY_ROWS = (3, 5, 5, 6, 1, 4, 3, 0, 0, 0, 0)
"""Rows that hold a joint together, by type."""

SOFT_ROWS = {SOFT: 6, SOFT_AXIS: 5}
"""Springs of a latch that has caught, by type; those of rotations have the stiffness and damping of the motor."""

NO_MOTOR, RATE_MOTOR, POSITION_MOTOR = range(3)

# kinds of rows
EQUALITY, LOWER_LIMIT, UPPER_LIMIT, MOTOR_ROW, FRICTION_ROW, DRIVE_ROW, SPRING_ROW, SOFT_ROW = range(8)
"""A drive is a motor that holds a position."""

# columns of `rows`, one row per constraint
RESIDUAL = 0
LINEAR, ANGULAR = 1, 4
"""Directions of impulse and angular impulse at the common point, world axes."""
ON_BODY, ON_OTHER = 7, 10
"""Angular impulse about the mass centre that a unit of the row gives to the body and takes from the other, in the axes of each."""
SOFTNESS = 13
"""Regularisation R of the row."""
IMPULSE = 14
MISS = 15
"""What is left of the row's equation: a relative velocity."""
IS_TURN = 16
"""Whether the residual is an angle."""
LEAST, MOST = 17, 18
"""Bounds of the impulse."""
TOTAL = 19
"""Sum of the impulses since the start of the step."""
KIND = 20
START_COORDINATE = 21
"""The freedom's coordinate at the start of the drift."""
IS_FREE = 22
"""Whether the impulse is between its bounds, so that the row is part of the matrix."""
TRIED = 23
"""The impulse for a trial change of the velocities."""
RATE, RATE_GAIN = 24, 25
"""Rate of the row for the change of the velocities so far, and for the next change."""
MISSED, GUESSED = 26, 29
"""What the row missed before this round of a position stage and the two before it, and its impulse after those two, the latest first."""
TOTAL_BEFORE = 31
"""The sum of the impulses before the second kick."""
ROW_SIZE = 32

# columns of `links`, one row per joint
JOINT, FIRST_PLACE, SECOND_PLACE, FIRST_ROW, LAST_ROW, BLOCK, IS_LATER = range(7)
"""Row of the table, places of the two bodies (-1 for the world), its rows, the block of the pair, and whether the body comes after the
other in the elimination."""
LINK_SIZE = 7

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
) = range(13)
ISLAND_SIZE = 13

# columns of `program`, one row per operation on blocks
OPERATION, TARGET, LEFT, RIGHT, PLACE, OTHER_PLACE = range(6)
FACTOR, DIVIDE, SUBTRACT = range(3)

# rows of `work`
START, END = 0, STATE_ROWS
PUSH, TWIST = 2 * STATE_ROWS, 2 * STATE_ROWS + 3
"""Sum of impulses and of angular impulses about the mass centre, world axes."""
SOLUTION = 2 * STATE_ROWS + 6
"""Change of velocity (world axes) and of angular velocity (body axes)."""
KICKED = 2 * STATE_ROWS + 12
"""Velocity after the last kick, and the sum of the impulses since, world axes."""
SUM = KICKED + 3
CHANGE = SUM + 3
"""Change of velocity (world axes) and of angular velocity (body axes) in a solve with bounds."""
WORK_ROWS = CHANGE + 6

# columns of `points`, one row per joint
ARM, OTHER_ARM = 0, 3
"""From the mass centres to the common point, world axes."""
GIVEN, TURNED = 6, 9
"""Impulse and angular impulse at the common point since the start of the tick."""
GIVEN_BEFORE = 12
"""Impulse and angular impulse before the second kick."""
POINT_SIZE = 18

# `measures`, one row per island
SIZE, BASE, DRIFT_VELOCITY, WORST, TOLERANCE, WORST_LINK, PIECE, STEP_LENGTH = 0, 1, 4, 7, 8, 9, 10, 11
MEASURES = 12
