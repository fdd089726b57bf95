"""What a scene passes to the viewer, in float64 world coordinates and independent of how it is drawn."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from ...world import World

Array = npt.NDArray[np.float64]
Colour = tuple[float, float, float, float]
Binding = tuple[str, str, str, str]
"""Name of a key in pygame (after K_), its name in the help, the action, and its description; a second key of an action has no name."""

FRAME = 1.0 / 60.0
"""The time by which one frame without a window advances a scene or a game [s]."""
FASTEST = 8.0
"""The greatest pace that the keys set in most scenes, over the pace at which the scene begins."""

SUN = np.array([-0.05, 0.94, 0.31]) / math.sqrt(0.05**2 + 0.94**2 + 0.31**2)
"""Direction of the sun, world frame, unit: from the right of the first view and a little behind it."""

LAYERS = ("body axes", "rates", "momentum", "torques", "thrust", "trails")
"""What may be shown or hidden, in the order of the keys 1 to 6; an arrow, a line or a caption of no layer is always shown."""
HUDS = ("off", "line", "full")
"""How much of the display lies over a picture: labels and captions; title and time too; curves, numbers, lamps and gauges too."""


def _as_arrays(thing: object, *names: str) -> None:
    """Make arrays of float64 of fields that may be given as tuples or lists."""
    for name in names:
        object.__setattr__(thing, name, np.asarray(getattr(thing, name), np.float64))


@dataclass(frozen=True)
class Model:
    """A mesh of `meshes.MESHES` at a world position [m], turned (and scaled) by a matrix (3, 3) from its axes to the world frame.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Model("crate", (0.0, 0.0, 1.0), drawing.IDENTITY).opacity
        1.0
    """

    mesh: str
    position: Array
    matrix: Array
    casts_shadow: bool = True
    """False for what only explains: the shadow map then stays as sharp as the craft alone want it."""
    opacity: float = 1.0
    """Below 1 for a ghost, which casts no shadow and lets what is behind it shine through."""

    def __post_init__(self) -> None:
        _as_arrays(self, "position", "matrix")


@dataclass(frozen=True)
class Swarm:
    """One mesh drawn many times in one call.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Swarm("ball", [[0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 1.0]]).scale
        1.0
    """

    mesh: str
    positions: Array
    """World positions of the meshes' origins [m], shape (n, 3)."""
    orientations: Array
    """Unit quaternions, scalar-last (x, y, z, w), mesh axes to world, shape (n, 4)."""
    scale: float = 1.0
    throttles: Array | None = None
    """Where given, how brightly the plume behind each one burns, 0 to 1, shape (n,); plumes point along the mesh's −z."""

    def __post_init__(self) -> None:
        _as_arrays(self, "positions", "orientations")


@dataclass(frozen=True)
class Plume:
    """The exhaust of a thruster; none is drawn at throttle zero.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Plume((0.0, 0.0, -1.0), (0.0, 0.0, -1.0), radius=0.1, throttle=0.5).throttle
        0.5
    """

    position: Array
    """World position of the middle of the nozzle's exit [m]."""
    direction: Array
    """Unit vector the way the gas goes, world frame."""
    radius: float
    """Of the nozzle's exit [m]."""
    throttle: float
    """0 to 1, the engine's own."""

    def __post_init__(self) -> None:
        _as_arrays(self, "position", "direction")


@dataclass(frozen=True)
class Arrow:
    """A vector drawn from a world point [m]; `vector` is its drawn length and direction [m], world frame.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Arrow((0.0, 0.0, 0.0), (0.0, 0.0, 2.0), drawing.colours.MOMENTUM, "L", layer="momentum").label
        'L'
    """

    start: Array
    vector: Array
    colour: Colour
    label: str = ""
    thickness: float = 0.03
    """Radius of the shaft [m]."""
    layer: str = ""

    def __post_init__(self) -> None:
        _as_arrays(self, "start", "vector")


@dataclass(frozen=True)
class Line:
    """A line through world points [m], shape (n, 3); where `fades` it comes up from nothing at its first point.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Line([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], drawing.colours.PATH, fades=True).width
        2.0
    """

    points: Array
    colour: Colour
    width: float = 2.0
    """In pixels of a picture 720 high."""
    fades: bool = False
    layer: str = ""
    behind: float = 0.0
    """How much of it shines through the solids that hide it, 0 to 1."""

    def __post_init__(self) -> None:
        _as_arrays(self, "points")


@dataclass(frozen=True)
class Gauge:
    """A bar of the HUD with a name before it and a text after it.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Gauge("fuel", 0.25, "25 %", alarm=True).text
        '25 %'
    """

    name: str
    share: float
    """Length of the bar over its longest; from 0 to 1, or from −1 to 1 about the middle if it is `signed`."""
    text: str
    signed: bool = False
    alarm: bool = False
    """Whether it is drawn in the colour of a warning."""


@dataclass(frozen=True)
class Caption:
    """Lines of text centred below a world point [m].

    With gauges it stands on a plate. Where one has no room for its plate, all lose their gauges. Where a caption would cover another,
    it loses all but its first line. Where the display covers it, it moves down by at most its own height, or is left out.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Caption((0.0, 0.0, -1.0), ["the ship"], drawing.colours.WORDS).lines
        ['the ship']
    """

    position: Array
    lines: Sequence[str]
    colour: Colour
    layer: str = ""
    gauges: Sequence[Gauge] = ()
    scale: float = 1.0
    """Height of the text over that of other captions."""

    def __post_init__(self) -> None:
        _as_arrays(self, "position")


@dataclass(frozen=True)
class Eye:
    """A camera that is mounted on a craft.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Eye((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), reach=20.0).reach
        20.0
    """

    position: Array
    """World position [m]."""
    forward: Array
    """Unit vector of the line of sight, world frame."""
    up: Array
    """Unit vector across it, up in the picture, world frame."""
    reach: float
    """Distance of what it looks at [m], a fiftieth of which is the nearest that it sees."""

    def __post_init__(self) -> None:
        _as_arrays(self, "position", "forward", "up")


class Ray(NamedTuple):
    """A line of sight, such as that through the mouse; `World.ray_cast` takes both.

    Example:
        >>> from engine import World, shapes, viewer
        >>> world = World(dt=0.01)
        >>> crate = world.add_shape(shapes.Box((1.0, 1.0, 1.0)), name="crate")
        >>> ray = viewer.Camera(distance=10.0).ray((640, 360), (1280, 720))
        >>> world.ray_cast(ray.origin, ray.direction).shapes[0].name
        'crate'
    """

    origin: Array
    """Where it begins [m], world frame, shape (3,)."""
    direction: Array
    """Unit vector, world frame, shape (3,)."""


@dataclass(frozen=True)
class Reticle:
    """The instrument of a pilot who steers towards a target, with numbers beside it.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Reticle((0.1, -0.2), (0.0, 0.0), 0.0, [("range", "2.0 m", True)]).roll
        0.0
    """

    offset: tuple[float, float]
    """Where the target lies off the own axis, to the right and up, in units of what is allowed."""
    tilt: tuple[float, float]
    """Where the wanted line of sight points off the own one, to the right and up, in units of what is allowed."""
    roll: float
    """By which the target is rotated, anticlockwise as seen by the pilot [rad]."""
    rows: Sequence[tuple[str, str, bool]]
    """Name and value of each number, and whether it is within its limit."""


@dataclass(frozen=True)
class Inset:
    """A small picture on a plate of its own, seen from the side from which the whole picture is seen.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Inset([], [], [], (0.0, 0.0, 0.0), radius=2.0, words="the station").words
        'the station'
    """

    models: Sequence[Model]
    arrows: Sequence[Arrow]
    lines: Sequence[Line]
    middle: Array
    """World point that it looks at [m]."""
    radius: float
    """Of the sphere about the middle that it shows [m]."""
    words: str
    """What it shows; left out where there is no room."""

    def __post_init__(self) -> None:
        _as_arrays(self, "middle")


@dataclass(frozen=True)
class Picture:
    """One frame. Making it and drawing it change nothing in the world.

    Example:
        >>> from engine.viewer import drawing
        >>> ship = drawing.Model("crate", (0.0, 0.0, 0.0), drawing.IDENTITY)
        >>> drawing.Picture([ship], title="a crate", status=["at rest"]).title
        'a crate'
    """

    models: Sequence[Model] = ()
    swarms: Sequence[Swarm] = ()
    plumes: Sequence[Plume] = ()
    arrows: Sequence[Arrow] = ()
    lines: Sequence[Line] = ()
    captions: Sequence[Caption] = ()
    insets: Sequence[Inset] = ()
    lamps: Sequence[tuple[str, float]] = ()
    """Name and throttle of each jet, for the lamps of the HUD."""
    gauges: Sequence[Gauge] = ()
    title: str = ""
    status: Sequence[str] = ()
    camera_axes: Array | None = None
    """The axes in which the camera stands, as columns, world frame; None for the world's."""
    reticle: Reticle | None = None
    eye: Eye | None = None
    """The camera to look through; None for the one that moves about the target."""
    planet: Array | None = None
    """Unit vector to the middle of the planet in the backdrop, world frame, and its radius over its distance; None for the usual one."""

    def without(self, layers: Collection[str]) -> "Picture":
        """The same picture with these layers left out.

        Example:
            >>> from engine.viewer import drawing
            >>> arrow = drawing.Arrow((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), drawing.colours.RATES, layer="rates")
            >>> drawing.Picture(arrows=[arrow]).without(["rates"]).arrows
            []
        """
        return replace(
            self,
            arrows=[arrow for arrow in self.arrows if arrow.layer not in layers],
            lines=[line for line in self.lines if line.layer not in layers],
            captions=[caption for caption in self.captions if caption.layer not in layers],
            insets=[
                replace(
                    inset,
                    arrows=[arrow for arrow in inset.arrows if arrow.layer not in layers],
                    lines=[line for line in inset.lines if line.layer not in layers],
                )
                for inset in self.insets
            ],
        )


ROUNDING = 1e-12
"""A relative change of a conserved quantity that rounding alone may have made; no curve of such a change is drawn larger than it is."""


@dataclass(frozen=True)
class Curves:
    """What the two curves below the rates are, as title and number format, and how many seconds the corner of the picture shows.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Curves(first=("altitude, m", ".1f"), conserved=(False, True)).span
        20.0
    """

    first: tuple[str, str] = ("energy drift", "+.1e")
    second: tuple[str, str] = ("momentum drift", ".1e")
    span: float = 20.0
    """Seconds of the world."""
    conserved: tuple[bool, bool] = (True, True)
    """Whether each is the relative change of something that is conserved, in which less than `ROUNDING` says nothing."""
    more: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Further plots in the picture of the telemetry, each with a title and the names of its curves; their values are `Sample.more`."""


DRIFTS = Curves()


@dataclass(frozen=True)
class Sample:
    """One point of the telemetry curves.

    Example:
        >>> from engine.viewer import drawing
        >>> drawing.Sample(0.5, [0.0, 0.0, 1.0], 1e-15, 0.0).time
        0.5
    """

    time: float
    """Seconds of the world."""
    rates: Array
    """Angular velocity [rad/s], body frame, shape (3,)."""
    energy_drift: float
    """Kinetic energy over the first one, minus one."""
    momentum_drift: float
    """Length of the change of the angular momentum vector over the first one's."""
    curves: Curves = DRIFTS
    """What a scene with forces shows in place of the two drifts."""
    more: tuple[float, ...] = ()
    """The values of the further curves, in the order of `Curves.more`."""

    def __post_init__(self) -> None:
        _as_arrays(self, "rates")


@runtime_checkable
class Scene(Protocol):
    """A world with a picture of its own: arrows, curves, captions, panels, layers and keys. `view`, `Viewer` and `render` take one.

    A class made from it needs a `world`, a `radius` and a method `picture`; it inherits the rest, and replaces of it what it wants.
    The demos are such classes.

    Example:
        >>> from engine import MassProperties, World, rotation
        >>> from engine.viewer import Scene, drawing
        >>> class Spinning(Scene):
        ...     def __init__(self):
        ...         self.world, self.radius = World(dt=0.01), 2.0
        ...         box = MassProperties.box(2.0, (1, 2, 3))
        ...         self.body = self.world.add_body(box, angular_velocity_body=(0.1, 1, 0.1))
        ...     def picture(self):
        ...         origin, orientation = self.body.interpolated_pose()
        ...         rates = rotation.rotate(orientation, self.body.angular_velocity_body)
        ...         arrow = drawing.Arrow(origin, rates, drawing.colours.RATES, "ω", layer="rates")
        ...         return drawing.Picture(arrows=[arrow], title="a box that spins")
        >>> Spinning().picture().title
        'a box that spins'
    """

    world: World
    """The world, whose method `advance` the window calls."""
    radius: float
    """Of the sphere about the middle that must be seen [m]."""
    wide: float = 1.0
    """Width over height of the part that must be seen; a narrower picture shows the scene from farther away."""
    fastest: float = FASTEST
    """The greatest pace that the keys set, over the pace at which it begins; above `FASTEST`, they change it by factors of ten."""
    keys: Sequence[Binding] = ()
    """Keys of its own, whose actions `act` performs; they take the place of general actions of the same keys."""

    @property
    def target(self) -> Array:
        """World point to look at [m], shape (3,); the origin if it is not replaced."""
        return np.zeros(3)

    def picture(self) -> Picture:
        """The present frame, with interpolated poses."""
        raise NotImplementedError

    def sample(self) -> Sample:
        """The present point of the telemetry curves; zeros if it is not replaced."""
        return Sample(self.world.time, np.zeros(3), 0.0, 0.0)

    def reset(self) -> None:
        """Begin again; the integrator, game mode and pace chosen since are kept."""

    def next_case(self) -> None:
        """Begin the next case."""

    def act(self, action: str) -> str:
        """Perform the action of one of its own keys; returns what to say about it.

        Example:
            >>> class Quiet(Scene):
            ...     keys = (("f", "F", "fire", "fire the jet"),)
            >>> Quiet.act(None, "fire")
            ''
        """
        return ""

    def point(self, ray: Ray | None, is_held: bool) -> bool:
        """Take note of what the mouse points at; called before each frame of a window, and when the left button goes down.

        Args:
            ray: The line of sight under the mouse; None while it is outside the window.
            is_held: Whether the left button is down.

        Returns:
            Whether the scene is dragging something, so that the mouse does not turn the camera meanwhile.

        Example:
            >>> class Quiet(Scene):
            ...     pass
            >>> Quiet.point(None, None, False)
            False
        """
        return False

    def check(self) -> list[str]:
        """Assert the physics that it claims, on the run so far; what was found, one line per claim."""
        return []
