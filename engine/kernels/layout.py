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
| 61-63 | stored angular momentum (wheels) | N·m·s | body |

A second array, of the same pitch, exists while some force is evaluated at each stage: thirteen rows for the state at the stage, then
twelve rows of wrench for each evaluation in the tick (methods of kicks and drifts lay these rows out their own way: `staged_splitting`).

A third exists once a method that looks back has flown: the wrench held over the tick before (twelve rows), that of the one before it
(twelve rows), and how many of the two are known.
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
ROWS = 64

STAGE_WRENCH = 13
MOST_EVALUATIONS = 6
"""The largest number of force evaluations in a tick whose wrenches a method keeps side by side."""

LAST_WRENCH = 0
OLDER_WRENCH = 12
KNOWN_WRENCHES = 24
HISTORY_ROWS = 25
