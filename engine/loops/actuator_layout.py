"""The components of the tables of actuators, in the order of their schemas; a test compares the two."""

from .layout import ANGULAR_VELOCITY, POSITION, STORED_MOMENTUM, VELOCITY

BODY = 0
"""The row of the body, the first component of each of these tables."""
ENABLED = 1

# thrusters
THROTTLE = 2
POSITION_BODY = 3
DIRECTION = 6
MAX_FORCE = 9
SPECIFIC_IMPULSE = 10
"""[s]; zero if it is unknown."""
TANK = 11
"""The row of the tank, or -1."""
MIN_ON_TIME, RISE_TIME, FALL_TIME = 12, 13, 14
STUCK = 15
"""The level at which the valve is stuck, or -1."""
GIMBAL_AXES = 16
MAX_ANGLE, MAX_RATE = 22, 23
NEUTRAL = 24
COMMANDED_ANGLES = 27
ANGLES = 29
OPENS_IN, OPEN_FOR, LEVEL = 31, 32, 33
IMPULSE, SETTLED_TICK = 34, 35
"""Impulse delivered so far [N·s], and the tick up to which it contains that of the throttle, if the jet has no tank."""
PROPELLANT_USED = 36
IS_DRIVEN = 37
"""Whether the share of the thrust in a tick is the mean level of the valve, computed for each tick, and not the throttle."""
MEAN, LEAN = 38, 39
"""The mean level over the tick, and twice its mean over time, weighted with the time in ticks, minus this mean."""
NEXT_OPENS_IN, NEXT_OPEN_FOR, NEXT_LEVEL, NEXT_ANGLES = 40, 41, 42, 43
HAS_KICKED = 45
"""Whether its kick at the end of the tick was part of the step of an island."""
NEXT_JET = 46
"""The next jet of the same tank, or -1."""

# wheels
WHEEL_DRIVEN = 2
WHEEL_AXIS = 3
WHEEL_INERTIA = 6
MAX_TORQUE, MAX_SPEED, FRICTION = 7, 8, 9
TORQUE = 10
MOMENTUM = 11
APPLIED = 12
WHEEL_HAS_KICKED = 13
"""Whether its friction at the end of the tick was part of the step of an island."""
GAINED = 14
"""What it gained by that friction [N·m·s]."""

# tanks
TANK_DRIVEN = 2
TANK_POSITION = 3
SPECIFIC_INERTIA = 6
CAPACITY = 12
"""[kg]; zero if it has no limit."""
FILL = 13
"""From the outlet to the free surface of the full tank [m], body frame; zero if the propellant is not settled."""
JET_DAMPING = 16
PROPELLANT = 17
USED = 18
"""Propellant used in this tick [kg]."""
ACTING = 19
"""Propellant at the point in the tick for which the mass properties were last computed [kg]."""
UNTIL = 20
"""The time [s] in this tick at which the tank runs dry, the length of the tick if it does not, and 0 if it is empty."""
FIRST_JET, LAST_JET = 21, 22
"""The first of the jets that it feeds, or -1, and the last one."""

# driven bodies
DRY_MASS = 1
DRY_CENTER = 2
DRY_INERTIA = 5
KEPT = 11
"""What bodies have at the start of the tick of `KEPT_OF_BODIES`."""
_STARTS = POSITION, VELOCITY, ANGULAR_VELOCITY, STORED_MOMENTUM
KEPT_OF_BODIES = tuple(start + place for start in _STARTS for place in range(3))
JOINT_MASS = 23
JOINT_CENTER = 24
JOINT_INERTIA = 27
IS_FLOWING, IS_STALE = 33, 34

STANDARD_GRAVITY = 9.80665
"""[m/s²], by which specific impulse in seconds is defined."""
