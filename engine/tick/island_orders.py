"""The islands of a world, with the order of their step in a tick that starts now and the reason why it is lower than that of the method."""

from __future__ import annotations

from collections.abc import Iterator

from ..checks import FloatArray
from ..constraints import layout
from ..constraints.graph import BODY_COUNT, ISLANDS, Graph
from ..constraints.limits import is_limit_near
from ..constraints.rows import count_limits, soft_count
from ..integrators.axis_splitting import AxisSplitting
from ..integrators.integrator import Integrator
from ..integrators.substepped import Substepped
from ..joints.island import Island
from ..joints.joint import Joint
from ..store.bodies import Bodies
from .actuators import DRIVEN
from .island_kernels import method_for


def islands_with_orders(
    graph: Graph,
    bodies: Bodies,
    table: FloatArray,
    owners: dict[int, Joint],
    integrator: Integrator,
    dt: float,
    called: bool,
    touching: frozenset[int],
) -> tuple[Island, ...]:
    """The islands in the order of their first bodies.

    Args:
        graph: The islands.
        bodies: The bodies of the world.
        table: The table of joints.
        owners: The joints by their rows.
        integrator: The method of the world.
        dt: The length of a tick [s].
        called: Whether Python forces act at the stages, which let all bodies take one step.
        touching: The rows of the bodies that had points of contact in the last tick.
    """
    while isinstance(integrator, Substepped):
        dt /= integrator.n or 1
        integrator = integrator.integrator
    order = 4 if len(method_for(integrator, False)[0]) > 1 else 2
    found = []
    assert bodies.store is not None
    driven = frozenset(bodies.store.tables[DRIVEN.name].read("body").astype(int).tolist())
    acting = bodies, table, owners, driven, touching
    columns = graph.columns[: graph.sizes[BODY_COUNT]].tolist()
    for island in graph.islands[: graph.sizes[ISLANDS]].tolist():
        rows = graph.links[island[layout.LINKS] : island[layout.LINKS_END], layout.JOINT].tolist()
        if rows:
            first, count = island[layout.COLUMNS], island[layout.BODIES_END] - island[layout.BODIES]
            own = columns[first : first + count]
            reasons = list(_reasons(*acting, own, rows, dt, limits_act=called)) if order > 2 else []
            found.append((own, reasons))
    found.sort(key=lambda each: each[0])
    is_soft = called and any(reasons for _own, reasons in found)
    islands = []
    for own, reasons in found:
        handles, reached = [bodies.handles[column] for column in own], order
        if order < integrator.order:
            step = "axis-splitting-2" if isinstance(integrator, AxisSplitting) else "free-rotor-2"
            reasons = [f"with {integrator.name}, bodies on joints move as with {step}"]
        elif reasons:
            reached = 2
        elif is_soft:
            reached, reasons = (
                2,
                ["a Python force lets all bodies take one step, and another island needs one of order 2"],
            )
        islands.append(Island(handles, reached, "; ".join(reasons)))
    return tuple(islands)


def _reasons(
    bodies: Bodies,
    table: FloatArray,
    owners: dict[int, Joint],
    driven: frozenset[int],
    touching: frozenset[int],
    columns: list[int],
    rows: list[int],
    dt: float,
    limits_act: bool,
) -> Iterator[str]:
    """Why an island does not take a tick in the parts of a method of order 4."""
    for row in rows:
        column, joint = table[:, row], owners[row]
        kind = int(column[layout.TYPE])
        freedoms = range(layout.FREEDOM_COUNTS[kind])
        if any(column[layout.MOTOR + layout.MOTOR_SIZE * each] != layout.NO_MOTOR for each in freedoms):
            yield f"{joint!r} has a motor"
        if any(column[layout.FRICTION + each] > 0.0 for each in freedoms):
            yield f"{joint!r} has friction"
        if any(column[layout.SPRING + layout.SPRING_SIZE * each] != 0.0 for each in freedoms):
            yield f"{joint!r} has a spring"
        if soft_count(column):
            yield f"{joint!r} has a spring" if kind == layout.BALL else f"{joint!r} closes by springs"
        body, other = int(column[layout.BODY]), int(column[layout.OTHER])
        if count_limits(column) and (limits_act or is_limit_near(bodies.array, table, row, body, other, dt)):
            yield (
                f"{joint!r} may reach a limit in this tick"
                if not limits_act
                else f"{joint!r} has limits, and a Python force acts"
            )
    for each in columns:
        if each in driven:
            yield f"{bodies.handles[each]} has wheels, tanks or pulses"
        if each in touching:
            yield f"{bodies.handles[each]} touches a shape, or is near one"
