"""Whether joints hold at the poses of their bodies."""

from __future__ import annotations

import numpy as np

from ..checks import FloatArray, refuse
from ..constraints import layout
from ..constraints.fit import FARTHEST_POINT, misfits
from ..joints.joint import Joint, JointConflictError
from ..loops.layout import ORIENTATION, POSITION
from ..rotation import rotate
from ..store.bodies import Bodies
from ..store.store import Store
from ..store.table import Table


class JointFit:
    """Whether joints hold at poses, with which other joints they close loops, and by how much a loop misses."""

    def __init__(self, store: Store, bodies: Bodies, table: Table) -> None:
        """Look at the joints in a table."""
        self._store, self._bodies, self._table = store, bodies, table

    def owner(self, row: int) -> Joint:
        """The joint of a row, of which each member of a batch has one."""
        return self._store.world()._forces.owners_of(self._table, np.array([row]))[0]

    def require(self, joint: Joint, owner: str, argument: str, value: object) -> None:
        """Reject a joint of this world that does not hold at the current poses.

        Raises:
            JointConflictError: If the joint closes a loop with other joints.
            ValueError: If the joint closes no loop, or the poses violate one of its limits.
        """
        row = joint.rows.start
        column = self._table.array[:, row : row + 1].copy()
        # a weld that pulls its bodies together cannot do so if other welds hold them
        closes = bool(joint._type == layout.WELD and column[layout.TYPE, 0] != layout.WELD)
        if closes:
            column[layout.TYPE] = layout.WELD
        (gap,), (turn,), (near,) = misfits(self._bodies.array, column)
        holds = gap <= near and turn <= FARTHEST_POINT
        loop = [] if holds else self._path(row, only_welds=closes)
        if holds or (closes and not loop):
            broken = _broken_limit(column[:, 0])
            if broken:
                rule = (
                    "one that is within its limits" if argument == "joint" else "left False while a limit is violated"
                )
                refuse(owner, argument, value, rule, hint=broken)
            self.note_slack(joint)
            return
        miss = miss_in_words(gap, turn)
        if loop:
            columns = self._table.array[:, loop].copy()
            others = [
                f"{self.owner(each)!r} (off by {miss_in_words(*errors)})"
                for each, *errors in zip(loop, *misfits(self._bodies.array, columns)[:2], strict=True)
            ]
            raise JointConflictError(
                f"{owner}: {joint!r} is off by {miss} at the current poses, and closes a loop with {', '.join(others)}; "
                "move the bodies to poses at which all of these joints hold, or remove one of the joints"
            )
        rule = f"one that holds at the current poses, within {near:.3g} m and {FARTHEST_POINT:g} rad"
        if argument != "joint":
            rule = f"left False until it holds again, within {near:.3g} m and {FARTHEST_POINT:g} rad"
        refuse(owner, argument, value, rule, hint=f"{self._places(joint)}, and the joint is off by {miss}")

    def note_slack(self, joint: Joint) -> None:
        """Note by how much the joints of a loop that this one closes miss each other now, so that ticks ask for no better fit.

        What is rounded when poses are stored, and what the solver leaves, misfits a joint that is made for the current poses.
        """
        row, table = joint.rows.start, self._table
        slack = 0.0, 0.0
        array = table.array[:, : table.count]
        others = array[layout.BODY : layout.OTHER + 1, (array[layout.ENABLED] > 0.0) & (np.arange(table.count) != row)]
        if all((others == end).any() for end in array[layout.BODY : layout.OTHER + 1, row]):
            loop = self._path(row, only_welds=False)
            if loop:
                columns = array[:, [row, *loop]].copy()
                gaps, turns, near = misfits(self._bodies.array, columns)
                fits = (gaps <= near) & (turns <= FARTHEST_POINT)  # what is more, a joint that locks is to close
                gap, turn = float(gaps[fits].max(initial=0.0)), float(turns[fits].max(initial=0.0))
                # the solver shares what points miss among points and axes; about half of it is left to axes
                size = self._size_of(columns)
                slack = gap, max(turn, 0.5 * gap / size if size > FARTHEST_POINT else 0.0)
        if slack != tuple(array[layout.SLACK : layout.SLACK + 2, row].tolist()):
            table.write(slice(layout.SLACK, layout.SLACK + 2), row, slack)

    def _size_of(self, joints: FloatArray) -> float:
        """The largest distance from the point of the first of some joints, which are columns of their table, to that of another [m]."""
        array, bodies = self._bodies.array, joints[layout.BODY].astype(int)
        at_body = joints[layout.AT_BODY : layout.AT_BODY + 3].T
        origins = array[POSITION : POSITION + 3, bodies].T
        points = origins - origins[0] + rotate(array[ORIENTATION : ORIENTATION + 4, bodies].T, at_body)
        return float(np.sqrt(((points - points[0]) ** 2).sum(axis=1).max()))

    def _places(self, joint: Joint) -> str:
        """The two points of a joint, in words."""
        there = joint.at_other if joint.other is None else joint.other.to_world(joint.at_other)
        return f"at_body is at {joint.body.to_world(joint.at_body).tolist()} and at_other at {there.tolist()} in the world frame"

    def are_welded_without(self, joint: Joint) -> bool:
        """Whether welds and locked latches other than this joint make its bodies one."""
        return bool(self._path(joint.rows.start, only_welds=True))

    def _path(self, row: int, only_welds: bool) -> list[int]:
        """The rows of the enabled joints, or of the welds, that connect the bodies of a joint without it; empty if none do."""
        table, count = self._table.array, self._table.count
        start, end = table[layout.BODY : layout.OTHER + 1, row].astype(int).tolist()
        links: dict[int, list[tuple[int, int]]] = {}
        for other in np.flatnonzero(table[layout.ENABLED, :count]).tolist():
            kind = int(table[layout.TYPE, other])
            if other != row and (kind == layout.WELD if only_welds else layout.EQUALITY_ROWS[kind]):
                a, b = table[layout.BODY : layout.OTHER + 1, other].astype(int).tolist()
                links.setdefault(a, []).append((b, other))
                links.setdefault(b, []).append((a, other))
        paths: dict[int, list[int]] = {start: []}
        waiting = [start]
        for place in waiting:
            for next_place, other in links.get(place, ()):
                if next_place not in paths:
                    paths[next_place] = [*paths[place], other]
                    waiting.append(next_place)
        return paths.get(end, [])

    def require_poses(self, first: int, values: FloatArray, argument: str) -> None:
        """Reject poses of all bodies at which a joint does not hold.

        Args:
            first: The first component of a body that is assigned (see `loops.layout`).
            values: The new values, shape (n, size).
            argument: The name of what is assigned.

        Raises:
            ValueError: If a joint would not hold, or a limit would be violated.
        """
        rows = np.flatnonzero(self._table.array[layout.ENABLED, : self._table.count])
        if not len(rows):
            return
        bodies, joints = self._bodies.array.copy(), self._table.array[:, rows].copy()
        bodies[first : first + values.shape[1], : len(values)] = values.T
        gaps, turns, near = misfits(bodies, joints)
        for row, column, gap, turn, bound in zip(rows.tolist(), joints.T, gaps, turns, near, strict=True):
            if not (gap <= bound and turn <= FARTHEST_POINT):
                hint = f"{self.owner(row)!r} would be off by {miss_in_words(gap, turn)}"
                refuse("World.state", argument, values.tolist(), "poses at which the joints hold", hint=hint)
            broken = _broken_limit(column)
            if broken:
                hint = f"those of {self.owner(row)!r} would be violated: {broken}"
                refuse("World.state", argument, values.tolist(), "poses within the limits of the joints", hint=hint)


def _broken_limit(column: FloatArray) -> str:
    """The limits that the coordinates in a column of the table of joints violate, in words; empty if there are none."""
    words = []
    for freedom in range(layout.MOST_FREEDOMS):
        rows = (layout.LOWER, layout.UPPER, layout.COORDINATE)
        lower, upper, now = (float(column[row + freedom]) for row in rows)
        if not lower - FARTHEST_POINT <= now <= upper + FARTHEST_POINT:
            words.append(f"they are {lower:.9g} and {upper:.9g}, and the value is {now:.9g}")
    return "; ".join(words)


def miss_in_words(gap: float, turn: float) -> str:
    """An error of position and of angle, in words."""
    words = [f"{error:.3g} {unit}" for error, unit in ((gap, "m"), (turn, "rad")) if error > 0.0]
    return " and ".join(words) or "0 m"
