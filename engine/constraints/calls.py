"""The kernels of the island step that others call, by their place in `calls`, the array of their addresses."""

(
    JOINT_ROWS_CALL, MATRIX_CALL, FACTOR_CALL, SOLVE_CALL, DRIFT_CALL, POSITION_CALL, VELOCITY_CALL, KICK_CALL, MOVE_CALL, FINISH_CALL,
    BOUNDS_CALL, BOUNDED_CALL, CORRECT_CALL, PREPARE_CALL, STAGES_CALL, END_KICKS_CALL, BALANCE_CALL, DIVISION_CALL,
    POINT_ROWS_CALL, POINT_MATRIX_CALL, CONES_CALL, SWEEP_CALL, POINT_POSITION_CALL, POINT_VELOCITY_CALL,
    FOLLOW_CALL, WEAK_CALL,
) = range(26)  # fmt: skip
"""Indices into `calls`, the addresses of the kernels that others call."""
LEAVES = frozenset(
    (
        JOINT_ROWS_CALL,
        MATRIX_CALL,
        FACTOR_CALL,
        SOLVE_CALL,
        DRIFT_CALL,
        BOUNDS_CALL,
        STAGES_CALL,
        END_KICKS_CALL,
        DIVISION_CALL,
        POINT_ROWS_CALL,
        POINT_MATRIX_CALL,
        SWEEP_CALL,
    )
)
"""Those that call no other."""
POINT_CALLS = POINT_ROWS_CALL, POINT_MATRIX_CALL, CONES_CALL, SWEEP_CALL, POINT_POSITION_CALL, POINT_VELOCITY_CALL
"""Those of contacts."""
JOINT_CALLS = (
    *(JOINT_ROWS_CALL, POSITION_CALL, VELOCITY_CALL, BOUNDS_CALL, BOUNDED_CALL, CORRECT_CALL, BALANCE_CALL),
    *(FOLLOW_CALL, WEAK_CALL),
)
"""Those of joints, and of islands without contacts."""
