"""The layout of the arrays of detection."""

# rows of `shapes`, in the order of their schema; a test compares the two
BODY, ENABLED, TYPE = 0, 1, 2
SIZES = 3
"""Radius of a sphere; half the edges of a box; radius, nothing and half the length of the axis of a capsule or a cylinder; half the extents
of a hull, a mesh or a field, whose points are given from the middle of its extents."""
PLACE, TURN = 6, 9
"""Position from the origin of the body, in its axes, or in the world; and orientation."""
FRICTION, RESTITUTION = 13, 14
LAYER, COLLIDES_WITH = 15, 16
"""The layer, and the lower and the upper 32 layers with which it collides, as bits."""
FINGERPRINT = 18
"""Of the points of a hull or a terrain, two numbers of 32 bits."""
SENSOR, GROUP = 20, 21
"""Whether it only reports what it overlaps, and the group of its body."""
SHAPE_VELOCITY, SHAPE_SPIN, PIVOT = 22, 25, 28
"""Of a shape of the world, the velocity of the origin of the shape of which it is a part, its angular velocity, and this origin from its
own, in its own axes."""
IS_NEW = 31
"""What the next tick begins with: a shape with which a tick has been taken, a new one whose depth in others is checked, or one that may be
deep in others, which are not checked against it either."""
HAS_BEEN, TO_BE_CHECKED, MAY_OVERLAP = 0.0, 1.0, 2.0
SHAPE_ROWS = 32

SPHERE, BOX, PLANE, CAPSULE, CYLINDER, HULL, MESH, FIELD = range(8)
"""A plane has its normal as the third axis of its orientation. Types from `CAPSULE` to `HULL` are compared as convex cores; a mesh and a
field of heights are terrains."""

# columns of `forms`, one row per shape
POINTS_OF, CORNERS_OF, FACES_OF = range(3)
"""Of a hull: the first of its points, and how many corners and faces it has."""
FIRST_CORNER, FIRST_TRIANGLE, TRIANGLE_COUNT, FIRST_NODE = range(4)
"""Of a mesh: the first of its corners, triangles and nodes, and how many triangles it has."""
FIRST_HEIGHT, GROUND_ROWS, GROUND_COLUMNS = range(3)
"""Of a field: the first of its heights, and how many rows and columns it has."""
FORM_SIZE = 4

# rows of `contacts`, in the order of their schema: one row of the table per point
FIRST_SHAPE, SECOND_SHAPE = 0, 1
AT, AT_OTHER = 2, 5
"""The cores on both bodies, from their mass centres in their axes."""
FIRST_SOLVES = 8
"""Mean forces of the first solves of both stages, world frame."""
POINT_WORLD, NORMAL_WORLD, PUSH_WORLD = 14, 17, 20
"""The common point and the normal at the end of the tick, and the impulse on the first body in it."""
GAP, CLOSING = 23, 24
"""The gap at the end of the tick, and the speed at which it closed in the tick."""
SOLVER = 25
"""What found the impulse (see `constraints.layout`)."""
CONTACT_ROWS = 26

# numbers in `counts`
SHAPES, PAIRS, POINTS, CONTACTS, EXCLUDED, SHORT, SENSED, DEEP, DEEP_IN = range(9)
"""Shapes, pairs that are compared, points and contacts of this tick, pairs that never collide, what was too short, pairs with a sensor,
which are at the end of the list of contacts, and two shapes that were placed too deep in one another."""
COUNTS = 9
(
    SHORT_OF_PAIRS,
    SHORT_OF_POINTS,
    SHORT_OF_STRUCTURES,
    SHORT_OF_ROOM,
    SHORT_OF_SPACE,
    SHORT_OF_IMPACTS,
    SHORT_OF_SEAMS,
) = range(1, 8)
"""The last two: something is fast, or an edge may be on a seam, for the first time, and the kernel and the arrays for it are missing."""
FULL = -77
"""What an operation returns if an array is too short, or shapes were placed too deep in one another; nothing was changed."""

# columns of `found`, one row per point of a pair; positions are from the mass centre of the first body, in the world frame
ON_FIRST, ON_SECOND, TO_FIRST, APART_BY, TURNS_WITH, FIRST_RADIUS, SECOND_RADIUS = 0, 3, 6, 9, 10, 11, 12
PART_OF = 13
"""The number of the contact among those of the pair; only shapes on a terrain have several."""
AT_EDGE = 14
"""Whether the normal is not that of a face."""
FOUND_SIZE = 15
MOST_FOUND = 16
MOST_POINTS = 4

# columns of `bounds`, one row per shape
LOW, HIGH, REACH, LEAST_HALF, CENTER = 0, 3, 6, 7, 8
"""The box that a shape may reach in this tick, its largest distance from the mass centre or, if it moves by itself, from the origin about
which it turns, its least half extent, and its centre."""
BOUND_SIZE = 11

# rows of the list of contacts, after those of `constraints.graph`
FIRST_OF, SECOND_OF = 5, 6
"""The two shapes."""
COMES_IN = 7
"""Whether what a sensor sees begins to overlap it in this tick, of which it may also be out again at the end."""
LIST_ROWS = 8

# places among the addresses of the kernels around islands, behind those of `step`
NUMBER, NEAR, DIRECT, TOUCH, CORES, PART, GROUND, INNER, FOUR, GROUPS, IMPACT, SEAM = range(4, 16)
"""What numbers islands; finds pairs of shapes; compares two spheres, boxes or planes, two other shapes, their placed cores, and how far
these are apart; compares a shape with a terrain, and serves that: whether a normal is due to an inner edge, four of many points, and their
groups; finds the time of an impact; and leaves out points on seams."""
