"""The layout of the arrays, in which each component is a row and each body is a column.

The world has one array with these rows:

| rows | quantity | unit | frame |
| --- | --- | --- | --- |
| 0-2 | position of the mass centre | m | world |
| 3-6 | orientation, scalar last (x, y, z, w) | - | body to world |
| 7-9 | velocity of the mass centre | m/s | world |
| 10-12 | angular velocity | rad/s | body |
| 13-25 | the same thirteen components one tick earlier | | |
| 26-37 | wrench held over the tick: force and torque, world frame, then force and torque, body frame | N, N·m | about the mass centre |
| 38, 39 | mass and its inverse | kg, 1/kg | |
| 40-42 | mass centre, from the body's origin | m | body |
| 43-48 | inertia xx, yy, zz, xy, xz, yz about the mass centre | kg·m² | body |
| 49-54 | inverse of the inertia | 1/(kg·m²) | body |
| 55-57 | principal moments, ascending | kg·m² | |
| 58-60 | principal axes: x, y, z of the quaternion from principal to the body frame, whose w is at least 1/2 | - | principal to body |
| 61-63 | angular momentum stored in wheels, part of the state | N·m·s | body |
| 64-66 | motor torque held over the tick, the rate of change of the stored momentum | N·m | body |
| 67-69 | stored angular momentum one tick earlier | N·m·s | body |
| 70 | 1.0 for a body that is frozen and keeps its state, else 0.0 | - | |
| 71 | 1.0 for a body that was not finite in the tick that was rejected last | - | |

Whether any body of a world stores momentum is a compile-time constant of a loop. Loops for worlds without stored momentum do not access the
last eleven rows, and neither do the others outside the columns that `control` names, where these rows are zero. Worlds that freeze bodies
use all columns.

The stage array has the same pitch. It exists if a force is evaluated at each stage. It has thirteen rows for the state at the stage, then
twelve rows of wrench for each evaluation in the tick. Splitting methods use another layout after the state (see `splitting_passes`).

The history array exists once a method that uses earlier wrenches has run. It has the held wrench of the previous tick (twelve rows), that
of the tick before (twelve rows), and the number of these wrenches that are known (one row).

`layers`, of the same pitch, has the parameters of compiled force fields for each body. Each layer has a mask row, which is 1.0 if the field
acts on the body and 0.0 if it does not, and then one row per parameter. Layers of one kind are adjacent.

`control` (int64) has the number of ticks run so far, the number of columns to process, and the first column that was not finite if the last
tick was rejected, else -1, the number one, which loops read to find the floating-point mode (see `floating_point`), two numbers for
batches (see `columns.close_tick`): how many members do without each other, zero if a tick is rejected as a whole, and the number of ticks
run if some members could not run the last of them and have yet to be stopped, else zero. Then come the first and the end of the columns
between which loops for stored momentum look for it.

`springs` and `point_forces` are also component-major, with one row per quantity and one column per spring or force. `counts` (int64) has
the number of springs and the number of point forces.
"""

POSITION = 0
ORIENTATION = 3
VELOCITY = 7
ANGULAR_VELOCITY = 10
STATE_ROWS = 13

PREVIOUS = 13

WRENCH = 26
FORCE_WORLD, TORQUE_WORLD, FORCE_BODY, TORQUE_BODY = 0, 3, 6, 9
WRENCH_ROWS = 12

MASS = 38
INVERSE_MASS = 39
CENTER_OF_MASS = 40
INERTIA = 43
INVERSE_INERTIA = 49
PRINCIPAL_MOMENTS = 55
PRINCIPAL_AXES = 58
STORED_MOMENTUM = 61
MOTOR_TORQUE = 64
PREVIOUS_STORED_MOMENTUM = 67
FROZEN = 70
NOT_FINITE = 71
ROWS = 72

STAGE_WRENCH = 13

LAST_WRENCH = 0
OLDER_WRENCH = 12
KNOWN_WRENCHES = 24
HISTORY_ROWS = 25

TICKS, COUNT, BAD, ONE, APART, STOPPED, STORING = range(7)
MOST_SPANS = 32
"""The number of spans of columns in `control`, from `STORING` on, in which bodies store momentum: their starts and ends, ascending.

Those that are not used lie behind all columns. The columns between them take the passes of worlds without stored momentum.
"""
CONTROL_LENGTH = STORING + 2 * MOST_SPANS

OTHER_MODE = -2
"""The result of a loop, and the value at `BAD`, if the thread is in another floating-point mode and nothing was done."""
SKIPPED = 2
"""The result of a loop in passes at a stage whose forces need not be evaluated in this tick."""
OVERFLOWED = -3
"""The value at `BAD` if plain Python has divided by zero or overflowed, in which case it is not known for which body."""

SPRING_BODY = 0
SPRING_OTHER = 1
"""Column of the second body, or -1 for a point fixed in the world."""
SPRING_AT_BODY = 2
SPRING_AT_OTHER = 5
SPRING_STIFFNESS = 8
SPRING_DAMPING = 9
SPRING_REST_LENGTH = 10
SPRING_ENABLED = 11
SPRING_ROWS = 12

POINT_FORCE_BODY = 0
POINT_FORCE_AT_BODY = 1
POINT_FORCE_WORLD = 4
POINT_FORCE_ENABLED = 7
POINT_FORCE_ROWS = 8

SPRING_COUNT, POINT_FORCE_COUNT = 0, 1
"""Indices into `counts`."""

ANY_PITCH = 0
"""Used instead of a pitch, for kernels that accept arrays of any pitch and process one body at a time."""
