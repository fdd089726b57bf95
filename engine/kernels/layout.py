"""Which row of the array holds what. A component is a row, a body is a column.

`columns` rows, one array for the world:

| rows | quantity | unit | frame |
| --- | --- | --- | --- |
| 0-2 | position of the mass centre | m | world |
| 3-6 | orientation, scalar last (x, y, z, w) | - | body to world |
| 7-9 | velocity of the mass centre | m/s | world |
| 10-12 | angular velocity | rad/s | body |
| 13-25 | the same thirteen one tick earlier | | |
| 26-37 | wrench held over the tick: force world, torque world, force body, torque body | N, N·m | about the mass centre |
| 38, 39 | mass and its inverse | kg, 1/kg | |
| 40-42 | mass centre, from the body's origin | m | body |
| 43-48 | inertia xx, yy, zz, xy, xz, yz about the mass centre | kg·m² | body |
| 49-54 | its inverse | 1/(kg·m²) | body |
| 55-57 | principal moments, ascending | kg·m² | |
| 58-60 | principal axes: x, y, z of the quaternion that takes them to body axes, its w at least 1/2 | - | principal to body |
| 61-63 | stored angular momentum (wheels), part of the state | N·m·s | body |
| 64-66 | motor torque held over the tick: the rate at which the stored momentum grows | N·m | body |
| 67-69 | stored angular momentum one tick earlier | N·m·s | body |

Whether any body of a world stores momentum is known when a loop is compiled: a loop for worlds that do not reads and writes none of the
last nine rows.

A second array, of the same pitch, exists while some force is evaluated at each stage: thirteen rows for the state at the stage, then
twelve rows of wrench for each evaluation in the tick (methods of kicks and drifts lay these rows out their own way: `staged_splitting`).

A third exists once a method that looks back has run: the wrench held over the tick before (twelve rows), that of the one before it
(twelve rows), and how many of the two are known.

`layers`, of the same pitch, holds the parameters of compiled force fields, per body: for each layer one row that is 1.0 where the body
feels it and 0.0 where it does not, then one row per parameter. Layers of one kind stand together.

`control` (int64) is what a loop needs to know of the world besides, and what it reports: the ticks taken so far, how many columns to run
over, and the first column that was not finite in the last tick if that was rejected, else -1.

`springs` and `point_forces` are component-major too: one row per quantity, one column per spring or force. `counts` (int64) says how many
springs, how many point forces and, for each kind of field, how many layers there are.
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
ROWS = 70

STAGE_WRENCH = 13

LAST_WRENCH = 0
OLDER_WRENCH = 12
KNOWN_WRENCHES = 24
HISTORY_ROWS = 25

TICKS, COUNT, BAD = 0, 1, 2
CONTROL_LENGTH = 3

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
"""Places in `counts`."""

ANY_PITCH = 0
"""In place of a pitch, for kernels that take arrays of any, one body at a time."""
