"""The world, which owns the bodies, the forces, the integrator and the clock, and runs the ticks."""

from __future__ import annotations  # help() then shows them as written

import copyreg
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import compress, islice
from threading import get_ident
from time import perf_counter
from types import FrameType, MappingProxyType
from typing import Any, NoReturn, TypeVar, overload

import numpy as np
import numpy.typing as npt

from . import diagnostics
from .body import Body, new_body
from .checks import (
    MOST_TICKS,
    FloatArray,
    boolean,
    bounded_ratio,
    count_of_ticks,
    encodable,
    explaining_errors,
    integer,
    members,
    option,
    read_only,
    real,
    refuse,
    suggesting_names,
    vector,
)
from .clock import Clock
from .compilation import background, choice
from .contacts import Contacts
from .flight.coast import GivenBall, KeepOut, find_obstacle, jump, keep_out_of, set_keep_out
from .flight.part import SampledPart
from .forces.constant import CONSTANT_WRENCHES
from .forces.force import Force, TableForce
from .forces.spring import SPRINGS
from .forces.valves import THRUSTERS
from .html_table import html_table
from .integrators import Integrator
from .integrators.named import method_of
from .joints.assembly import Assembly
from .joints.island import Island
from .joints.joint import End, Joint
from .joints.joint import Host as HostOfJoints
from .joints.mobility import Direction
from .kernels.vectors import Vector
from .queries import Hits, Nearest, Overlaps, Queries, kernels_of_queries
from .saving import copying, prediction, scenes, snapshots
from .saving.content import Owners, digest_of_world
from .saving.settings import Settings
from .saving.snapshots import Snapshot
from .shapes.handle import ShapeHandle
from .shapes.material import ALL, DEFAULT, Material
from .shapes.shape import Shape
from .solids.mass_properties import MassProperties
from .store.bodies import Bodies
from .store.calling import LEFT_OUT, Callback, EventCallback, check_calls, default_name, identity
from .store.host import Host
from .store.matrices import check_matrices, fill_matrices
from .store.memory import Memory
from .store.model import Model
from .store.new_bodies import NewBodies
from .store.rows import TableRows, is_body, require_body
from .store.schema import Schema
from .store.state import State
from .store.store import BETWEEN_TICKS, FORCES, MOVING, Store, Unfinished, hash_of, refuse_other_thread
from .store.views import TableView
from .tick.actuators import Actuators, refuse_actuators
from .tick.assigned import AssignedStates
from .tick.contact_events import CONTACT_EVENTS, Contact
from .tick.fields import Fields
from .tick.force_list import AnyForce, ForceList, Member, kind_of
from .tick.freezing import Freezing, Frozen
from .tick.held import Held
from .tick.island_orders import islands_with_orders
from .tick.joint_events import EVENTS
from .tick.joint_impulses import compliances, energies_of_impact
from .tick.joint_inertia import inertia_about
from .tick.joints import Joints, refuse_joints
from .tick.origin import shift_origin
from .tick.plan import Plan
from .tick.prepare import Future, Progress, chosen_kinds, chosen_methods, compile_all, kernels_for
from .tick.profile import Profile
from .tick.stages import Stages, refuse_time
from .tick.wrenches import wrench_on

DEFAULT_INTEGRATOR = "free-rotor-2"
"""Exact in free flight at any spin and step. For one body stepped from Python it costs 1.3 times as much as "rk4" (1.0 against 0.8 µs per
tick with gravity and a thruster), and 2.5 times as much in a long `step(n)`, measured by `python -m tests.benchmarks`."""

GivenForce = TypeVar("GivenForce", bound=AnyForce)
"""The type of the force given to `World.add_force`, which returns it."""
GivenPart = TypeVar("GivenPart", bound=TableRows)
"""The type of the part given to `World.add_part`, which returns it."""
GivenJoint = TypeVar("GivenJoint", bound=Joint)
"""The type of the joint given to `World.add_joint`, which returns it."""
GivenEventCallback = TypeVar("GivenEventCallback", bound=Callable[["World", Any], object])
"""The type of the function given to `World.on_joint`, which returns it."""
GivenContactCallback = TypeVar("GivenContactCallback", bound="Callable[[World, Contact], object]")
"""The type of the function given to `World.on_contact`, which returns it."""
GivenCallback = TypeVar("GivenCallback", bound=Callable[["World"], object])
"""The type of the function given to `World.on_tick` or `World.after_tick`, which return it."""

_FRAMES_PER_SECOND = 60
"""The frame rate at which ticks must keep up with the time scale, or a world with `coasting` coasts."""
_MOST_BODIES = 2**31
"""More bodies than any memory holds."""


@explaining_errors(
    {
        "dt": "create another world for another dt",
        "tick_count": "use step, or restore a snapshot",
        "time": "use step, or restore a snapshot",
        "alpha": "use advance",
        "bodies": "use add_body and remove_body",
        "forces": "use add_force and remove_force",
        "parts": "use add_part and remove_part",
        "joints": "use add_joint and remove_joint",
        "state": "assign its arrays, such as world.state.position",
        "model": "assign mass_properties of a body",
        "memory": "use memory.add",
        "thrusters": "assign its arrays, such as world.thrusters.throttle",
        "springs": "assign its arrays, such as world.springs.stiffness",
        "threads": "pass it to World(…)",
        "islands": "joints and springs determine them",
        "missing_kernels": "use prepare",
    }
)
class World:
    """A simulation of rigid bodies under forces, which advances in ticks of one fixed length.

    Each tick calls the callbacks that are due, evaluates the forces, and integrates the state of the bodies. A tick either completes or
    changes nothing: if a force or a function given to `on_tick` raises, or if the result is not finite, the world returns to its state
    before that tick. This undoes what callbacks have changed, and what forces and callbacks keep in `memory` or expose through
    `get_state()` and `set_state(state)`. Anything that they keep elsewhere is not undone. The pose drawn after a tick with a non-finite
    result is not blended.

    Args:
        dt: Length of a tick [s], above zero. It never changes. The clock uses a `Fraction` exactly. An integer above 1 is rejected,
            because it is probably a frequency; write 60.0 for ticks of one minute.
        integrator: A method from `integrators`, or its name. None selects "free-rotor-2".
        game_mode: Whether to drop the gyroscopic term ``ω × (I ω + h)`` from the equation of motion, and nothing else. A free body then
            keeps its body rates, and its angular momentum rotates with it.
        max_ticks_per_frame: Maximum number of ticks that one call of `advance` runs. Time beyond that is skipped and counted in
            `dropped_time`.
        coasting: Whether `advance` coasts at a time scale that ticks cannot keep up with; see `coasting` and `coast`.
        keep_out: A sphere ``(center, radius)`` [m], world frame, that no coasting body may enter, such as a planet; see `keep_out`.
        on_non_finite: What happens if a tick produces a state that is not finite. "raise" raises `NonFiniteStateError`; "freeze" freezes
            the bodies that caused it and all bodies that are linked to them, and islands whose joints contradict each other (see `frozen`).
        threads: Maximum number of threads that share a tick. A world with fewer than 4096 bodies per thread uses fewer. The results are bit
            for bit the same for any number. Ticks that call a force at each stage run on one thread. Only one Python thread may use a world
            at a time.
        compilation: Whether ticks wait for kernels that are not compiled yet, "auto", "wait" or "background"; see `compilation`.

    Raises:
        TypeError: If an argument has the wrong type.
        ValueError: If `dt` is not above zero, a count is below one, no integrator has this name, or `keep_out`, `on_non_finite` or
            `compilation` is invalid.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=1 / 120)
        >>> hull = MassProperties.box(mass=1200.0, size=(2.0, 2.0, 4.0))
        >>> ship = world.add_body(hull, velocity=(1.0, 0.0, 0.0))
        >>> world.step(120)
        >>> ship.position.round(12).tolist()
        [1.0, 0.0, 0.0]
    """

    __slots__ = (
        "__weakref__",
        "_actuators",
        "_bodies",
        "_clock",
        "_dt",
        "_exact_dt",
        "_fields",
        "_forces",
        "_frame",
        "_has_looked_for_state",
        "_held",
        "_in_frame",
        "_joints",
        "_known_queries",
        "_last_tick",
        "_memory",
        "_model",
        "_owners",
        "_plan",
        "_settings",
        "_stages",
        "_state",
        "_store",
        "_threads",
    )

    def __init__(
        self,
        dt: float,
        *,
        integrator: Integrator | str | None = None,
        game_mode: bool = False,
        max_ticks_per_frame: int = 8,
        coasting: bool = False,
        keep_out: GivenBall | None = None,
        on_non_finite: str = "raise",
        threads: int = 1,
        compilation: str = "auto",
    ) -> None:
        self._dt = real(bounded_ratio(dt, "dt", "World"), "dt", "World", above=0.0)
        if isinstance(dt, int | np.integer) and dt > 1:
            rule = f"the length of a tick in seconds, such as 1 / {dt} for {dt} ticks per second, or {dt}.0 for ticks of {dt} s"
            refuse("World", "dt", dt, rule)
        self._exact_dt = dt
        self._clock = Clock(dt)
        self._threads = integer(threads, "threads", "World", at_least=1)
        self._last_tick = min(MOST_TICKS, int(min(sys.float_info.max / self._dt, float(MOST_TICKS))))
        self._in_frame = False
        # state: the tables, and the named memory in them
        self._store = Store(self)
        self._settings = Settings(self._store, self._clock)
        self._frame = _Frame(self._store)
        self._bodies = Bodies(self._store, is_shared=self._threads > 1)
        self._store.tables[self._bodies.schema.name] = self._bodies
        self._memory = Memory(self._store)
        self._model = Model(self._bodies)
        # the tick: what is held over it, what is evaluated in it, what runs it
        self._held = Held(self._bodies, self._store)
        self._bodies.on_change = self._held.bodies_changed
        self._fields = Fields(self._bodies, self._store)
        self._actuators = Actuators(self._store, self._bodies, self._held)
        self._joints = Joints(self._store, self._bodies)
        self._plan = Plan(
            self._bodies, self._held, self._fields, self._actuators, self._joints, self._dt, self._threads
        )
        self._forces = ForceList(self._store, self._bodies, self._plan, self._memory)
        self._stages = Stages(
            self._store, self._bodies, self._plan, self._memory, self._forces, self._dt, self._last_tick
        )
        self._stages.freezing = Freezing(self._store, self._bodies, self._plan)
        self._state = State(self._bodies, AssignedStates(self._actuators, self._joints, self._stages))
        self._forces.on_parts_change = self._stages.sample
        self._has_looked_for_state = False
        self._known_queries = Queries(self._bodies, self._joints.contacts.shapes, self._forces.owners_of)
        self._owners = Owners(
            self._exact_dt,
            self._last_tick,
            self._threads,
            self._store,
            self._bodies,
            self._clock,
            self._settings,
            self._stages,
            self._held,
            self._memory,
            self._forces,
            self._plan,
        )
        self._settings.follow(("integrator", "game_mode"), self._use_method)
        self._settings.follow(("on_non_finite",), self._use_freezing)
        self._settings.follow(("compilation",), self._use_compilation)
        self.integrator = DEFAULT_INTEGRATOR if integrator is None else integrator
        self.game_mode = game_mode
        given = {"max_ticks_per_frame": max_ticks_per_frame, "coasting": coasting, "on_non_finite": on_non_finite}
        for name, value in {**given, "compilation": compilation}.items():
            self._settings.set(name, value)
        self.keep_out = keep_out

    def __repr__(self) -> str:
        count = self._bodies.count
        bodies = f"{count} {'body' if count == 1 else 'bodies'}"
        return f"<World with {bodies} at t = {self.time:g} s, dt = {self._dt:g} s, {self.integrator.name}>"

    def _repr_html_(self) -> str:
        headings = ("body", "mass [kg]", "position [m]", "velocity [m/s]", "angular velocity, body frame [rad/s]")
        state = self.state
        columns = (self.model.mass, state.position, state.velocity, state.angular_velocity_body)
        rows = ((body.name, *values) for body, *values in zip(self.bodies, *columns, strict=True))
        return html_table(repr(self)[1:-1], headings, rows, len(self.bodies))

    # time

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""
        return self._dt

    @property
    def tick_count(self) -> int:
        """Number of ticks run since the world was created."""
        if self._store.unfinished is not None:
            self._store.settle()
        return self._bodies.tick_count

    @property
    def time(self) -> float:
        """Simulated time [s], computed as ``tick_count * dt`` and never as a running sum."""
        return self._bodies.tick_count * self._dt

    @property
    def alpha(self) -> float:
        """Blend factor for drawing in [0, 1), the fraction of the next tick that wall time has already covered."""
        return self._clock.alpha

    @property
    def dropped_time(self) -> float:
        """Simulated time [s] that was skipped, because a frame was longer than the ticks that it may run or because a tick failed.

        A frame runs at most `max_ticks_per_frame` ticks. While plain Python stands in for kernels that are still being compiled, it runs no
        more ticks than fit into it, and at least one.
        """
        return self._clock.dropped_time

    @property
    def max_ticks_per_frame(self) -> int:
        """Maximum number of ticks that one call of `advance` runs, at least 1; the rest of a longer frame is skipped."""
        return self._clock.max_ticks_per_frame

    @max_ticks_per_frame.setter
    def max_ticks_per_frame(self, value: int) -> None:
        self._settings.set("max_ticks_per_frame", value)

    @property
    def time_scale(self) -> float:
        """Ratio of simulated time to wall time, at least 0; it changes how many ticks `advance` runs, never their length."""
        return self._clock.time_scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        self._settings.set("time_scale", value)

    @property
    def paused(self) -> bool:
        """Whether the world is paused; `advance` then runs no ticks and ignores the elapsed time, while `step` still runs."""
        paused: bool = self._settings["paused"]
        return paused

    @paused.setter
    def paused(self, value: bool) -> None:
        self._settings.set("paused", value)

    @property
    def coasting(self) -> bool:
        """Whether `advance` coasts while the time scale is above ``60 dt max_ticks_per_frame``.

        Above that, `max_ticks_per_frame` ticks in each of 60 frames per second could not keep up. Whether a frame coasts depends on nothing
        else, so a slow frame makes no difference.
        """
        coasting: bool = self._settings["coasting"]
        return coasting

    @coasting.setter
    def coasting(self, value: bool) -> None:
        self._settings.set("coasting", value)

    @property
    def keep_out(self) -> KeepOut | None:
        """The sphere that no coasting body may enter, as centre [m], world frame, shape (3,), and radius [m]; None if there is none.

        Its centre must be the centre of the gravity that acts on the bodies. `shift_origin` moves the sphere.
        """
        return keep_out_of(self._store)

    @keep_out.setter
    def keep_out(self, value: GivenBall | None) -> None:
        set_keep_out(self._store, value)

    def advance(self, elapsed_seconds: float) -> int:
        """Run the whole ticks that fit into the elapsed wall time and carry the remainder over to the next call.

        If the world coasts at its time scale (see `coasting`), it jumps over all these ticks at once, as `coast` does.

        The first frame that skips more than a second causes a warning, for example if `elapsed_seconds` was passed in milliseconds.

        Args:
            elapsed_seconds: Wall time [s] since the last call, at least 0. The frame rate may vary.

        Returns:
            The number of ticks run, at most `max_ticks_per_frame` unless the world coasts.

        Raises:
            TypeError: If `elapsed_seconds` is not a real number.
            ValueError: If `elapsed_seconds` is negative or not finite.
            NonFiniteStateError: If a tick produces a state that is not finite. The world is as it was before that tick.
            RuntimeError: If this is called inside a tick, or while another thread steps this world, or if something keeps the world from
                coasting.

        Example:
            >>> world = World(dt=0.25)
            >>> world.advance(0.625), world.alpha
            (2, 0.5)
        """
        if not self._store.is_idle:
            self._refuse_reentry("advance")
        if self.paused:
            real(elapsed_seconds, "elapsed_seconds", "World.advance", at_least=0.0)
            return 0
        coasts = self.coasting and not self._clock.keeps_up(_FRAMES_PER_SECOND)
        store, frame = self._store, self._frame
        before = frame.before = self._bodies.tick_count
        try:
            clock = self._clock._image()
            ticks = self._clock.ticks_for(elapsed_seconds, not coasts)
            if ticks > self._last_tick - before:
                self._clock._restore(clock)
                refuse_time(ticks, before, self._last_tick, self._dt, "World.advance")
            self._in_frame = choice.runs_frames = True
            if coasts:
                self.coast(ticks)
            elif ticks < 2 or abs(store.quiet) >= ticks:
                self.step(ticks)
            else:
                self._step_in_frame(ticks, float(elapsed_seconds))
            return self._end_frame(before)
        except BaseException:
            # as in `step`; a tick that is still to be undone comes first
            if store.unfinished is None:
                store.unfinished = frame
            else:
                store.unfinished.outer = frame
            store.settle()
            raise

    def _step_in_frame(self, ticks: int, elapsed: float) -> None:
        """Run the ticks of a frame; while plain Python stands in for kernels, only as many as fit into it, and at least one.

        A frame that is late because its ticks are slow would otherwise be answered with even more of them.
        """
        begin = perf_counter()
        end = begin + min(elapsed, 1.0 / _FRAMES_PER_SECOND)
        for left in reversed(range(ticks)):
            calls = choice.calls_in_python()
            self.step()
            if choice.calls_in_python() == calls:
                self.step(left)
                return
            now = perf_counter()
            if left and now + (now - begin) > end:
                choice.log_skipped_ticks()
                return
            begin = now

    def _end_frame(self, before: int) -> int:
        """Count the ticks that were handed out and not run, because one failed or a callback paused the world; return those run."""
        taken = self._bodies.tick_count - before
        self._in_frame = False
        self._clock.settle(taken)
        return taken

    def step(self, ticks: int = 1) -> None:
        """Run ticks, independently of wall time.

        Forces applied by `Body.apply_force`, `Body.apply_torque` and their variants act in the first of these ticks.

        Args:
            ticks: The number of ticks, at least 0.

        Raises:
            TypeError: If `ticks` is not an integer.
            ValueError: If `ticks` is below 0, or if the time after this many ticks would be too large for a float.
            NonFiniteStateError: If a tick produces a state that is not finite. The world is as it was before that tick.
            RuntimeError: If this is called inside a tick, or while another thread steps this world, or if another library has changed the
                floating-point mode of the thread (see `docs/tick.md`).

        Example:
            >>> world = World(dt=0.01)
            >>> world.step(150)
            >>> world.time
            1.5
        """
        if type(ticks) is not int or not 0 <= ticks <= 1_000_000:
            ticks = self._checked_ticks(ticks)
        store, stages = self._store, self._stages
        # CPython does not switch threads between this check and the next line, so one of two threads that arrive here is rejected.
        if store.phase is not BETWEEN_TICKS and not store.is_idle:
            self._refuse_reentry("step")
        try:
            try:
                store.phase = MOVING
                while ticks > 0:
                    if store.quiet >= ticks:  # these ticks call no Python, and nothing has changed since the last one
                        if ticks <= stages.most_at_once:
                            taken = stages.run(ticks)
                            if taken != ticks:
                                taken = stages.stop_running(taken)
                        else:
                            taken = stages.run_for_a_while()
                        store.quiet -= taken
                    elif self._in_frame and self.paused:
                        break
                    elif store.quiet < 0:  # only numbers have changed
                        taken = 0
                        stages.gather_again()
                    else:
                        stages.call_callbacks()
                        stages.gather_held()
                        taken = stages.move(ticks)
                        stages.commit(taken)
                        stages.call_after_tick()
                    ticks -= taken
                store.phase = BETWEEN_TICKS
            except BaseException as error:
                # no function is called before the store knows that the tick is to be undone, so that no signal can come before that
                if store.unfinished is not stages:
                    stages.outer = store.unfinished
                stages.error = error
                store.unfinished = stages
                store.settle()
                raise
        except BaseException as error:
            if store.phase is not BETWEEN_TICKS:  # a tracing function raised in the lines above, which no signal can do
                stages.abandon(error)
            raise

    def coast(self, ticks: int) -> None:
        """Jump over any number of ticks in one call, along the exact orbits and with the exact free rotation of all bodies.

        This takes as long for a year as for a tick. It requires that only gravity acts on the bodies, and that no function must be called.
        That means at most one `PointGravity` without J2 per body, whose centre stays where it is, no other force that acts (a shut thruster
        and a magnetorquer without a dipole do not act), no enabled joint, no reaction wheel, no enabled control loop or filter, no applied
        force, no stored momentum, no callback without an attribute ``skippable = True``, and no game mode. Skippable callbacks are not
        called, and sensors are not sampled. The path must not enter `keep_out`. Forces and parts may have a method `coast_obstacle()` of
        their own, which returns in words why they prevent coasting, or None.

        `tick_count` grows by `ticks`. The pose drawn afterwards is not blended with the one before.

        Args:
            ticks: The number of ticks, at least 0.

        Raises:
            TypeError: If `ticks` is not an integer.
            ValueError: If `ticks` is below 0, or if the time after this many ticks would be too large for a float.
            NonFiniteStateError: If the state at the end is not finite. The world is as it was before.
            RuntimeError: If something keeps the world from coasting (see `coast_obstacle`), or if this is called inside a tick or while
                another thread uses this world.

        Error: position and velocity as for `flight.orbit.propagate`; orientation 1e-9 rad up to 1e5 rad of rotation, and in proportion
            beyond that.

        Example:
            >>> from engine import forces
            >>> world = World(dt=1.0)
            >>> moon = world.add_body(MassProperties.sphere(1.0, 0.5), position=(1.0, 0.0, 0.0), velocity=(0.0, 0.5, 0.0))
            >>> planet = world.add_force(forces.PointGravity(gm=0.25))
            >>> world.coast(1_000_000)
            >>> world.time, round(float(np.linalg.norm(moon.position)), 9)
            (1000000.0, 1.0)
        """
        ticks = self._checked_ticks(ticks, "World.coast")
        store = self._store
        if not store.is_idle:
            self._refuse_reentry("coast")
        with store.all_or_nothing():
            store.phase = MOVING
            if ticks:
                jump(self, ticks)
        if ticks:
            self._stages.show_observers()

    def coast_obstacle(self, ticks: int = 1) -> str | None:
        """Return in words what keeps the world from coasting, or None if it can coast.

        Args:
            ticks: The number of ticks to coast, at least 0. It determines how far along its path each body is checked.

        Returns:
            The obstacle in words, or None.

        Raises:
            TypeError: If `ticks` is not an integer.
            ValueError: If `ticks` is below 0, or if the time after this many ticks would be too large for a float.

        Example:
            >>> world = World(dt=1.0, keep_out=((0.0, 0.0, 0.0), 10.0))
            >>> rock = world.add_body(MassProperties.sphere(1.0, 0.5), name="rock", position=(50, 0, 0), velocity=(-1, 0, 0))
            >>> world.coast_obstacle(30)
            >>> world.coast_obstacle(45)
            "the path of body 'rock' enters keep_out, a sphere of 10 m around [0.0, 0.0, 0.0]"
        """
        return find_obstacle(self, self._checked_ticks(ticks, "World.coast_obstacle"))

    # how it moves

    @property
    def integrator(self) -> Integrator:
        """The integration method; a method or its name may be assigned."""
        method: Integrator = self._settings["integrator"]
        return method

    @integrator.setter
    def integrator(self, value: Integrator | str) -> None:
        value = method_of(value, "World", "integrator")
        if self._actuators.any:
            refuse_actuators(value, "World")
        if self._joints.any:
            refuse_joints(value, "World")
        with self._store.all_or_nothing():
            self._settings.set("integrator", value)
            self._bodies.forget_history()

    @property
    def game_mode(self) -> bool:
        """Whether the gyroscopic term ``ω × (I ω + h)`` is dropped from the equation of motion."""
        mode: bool = self._settings["game_mode"]
        return mode

    @game_mode.setter
    def game_mode(self, value: bool) -> None:
        self._settings.set("game_mode", value)

    @property
    def on_non_finite(self) -> str:
        """What happens if a tick produces a state that is not finite, "raise" or "freeze"."""
        chosen: str = self._settings["on_non_finite"]
        return chosen

    @property
    def frozen(self) -> tuple[Frozen, ...]:
        """The bodies that are frozen, each with the tick that failed and the cause, in the order in which they were frozen.

        With ``on_non_finite="freeze"``, a body whose state is not finite after a tick keeps the state that it had before. So does every
        body that springs, joints or Python forces link to it; a Python force links all bodies, because it sees all of them. The other
        bodies move bit for bit as in a world without the frozen ones. Forces on a frozen body have no effect. A frozen body can be removed.
        When its pose, velocity or rates are assigned, it moves again, together with the frozen bodies that are linked to it. The bodies of
        an island whose joints contradict each other are frozen likewise.

        The wheels, tanks and valves of a frozen body keep their state too. A tick is rejected as with "raise" if a Python force acts in a
        world with joints.

        Example:
            >>> world = World(dt=1.0, on_non_finite="freeze")
            >>> lost, kept = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(1e308, 0, 0), (0, 0, 0)], velocity=(1e308, 0, 0))
            >>> kept.velocity = (1.0, 0.0, 0.0)
            >>> world.step(3)
            >>> kept.position.tolist(), lost.position.tolist()
            ([3.0, 0.0, 0.0], [1e+308, 0.0, 0.0])
            >>> world.frozen
            (Frozen(body=<Body 'body 0'>, tick=0, cause='its state was not finite'),)
        """
        return tuple(self._stages.freezing.frozen)

    @property
    def threads(self) -> int:
        """Maximum number of threads that share a tick."""
        return self._threads

    @property
    def compilation(self) -> str:
        """Whether ticks wait for kernels that are not compiled yet, "auto", "wait" or "background".

        "wait" compiles a missing kernel before the tick that needs it goes on, and the many of joints and contacts in several processes, as
        `prepare` does. "background" compiles it in a second process, and plain
        Python or a more general loop runs the ticks meanwhile, with the same bits. "auto" waits until a world of this program is advanced
        for the first time by `advance`, and no longer from then on: a program that only calls `step` ends earlier so, and a program with
        frames has no frame that waits. A program that draws frames and calls `step` in each of them should choose "background".

        It belongs to the program, as `threads` does: it is neither in the state hash nor in snapshots and files, and a fork keeps it.

        Example:
            >>> world = World(dt=0.01, compilation="background")
            >>> world.compilation
            'background'
        """
        mode: str = self._settings["compilation"]
        return mode

    @compilation.setter
    def compilation(self, value: str) -> None:
        self._settings.set("compilation", value)

    @property
    def missing_kernels(self) -> tuple[str, ...]:
        """The names of kernels that are needed now and are still being compiled in the background, for a spinner.

        Until this is empty, plain Python or a more general loop runs the ticks. All worlds of a process share their kernels, so this names
        those that any of them needs.

        Example:
            >>> world = World(dt=0.01)
            >>> world.step()
            >>> world.missing_kernels
            ()
        """
        return background.missing()

    # bodies

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, in the row order of the world's arrays."""
        return tuple(self._bodies.handles)

    def body(self, name: str) -> Body:
        """Return the body with this name.

        Args:
            name: The name of a body in this world.

        Returns:
            The handle of the body.

        Raises:
            TypeError: If `name` is not a string.
            KeyError: If no body has this name.

        Example:
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), name="ship")
            >>> world.body("ship") is ship
            True
        """
        if not isinstance(name, str):
            refuse("World.body", "name", name, "the name of a body", TypeError)
        try:
            return self._bodies.by_name[name]
        except KeyError:
            known = ", ".join(map(repr, islice(self._bodies.by_name, 10))) + (
                ", …" if len(self._bodies.by_name) > 10 else ""
            )
            raise KeyError(f"World: no body is named {name!r}; its bodies are {known or 'none'}") from None

    @suggesting_names
    def add_body(
        self,
        mass_properties: MassProperties,
        *,
        name: str | None = None,
        position: npt.ArrayLike | None = None,
        origin: npt.ArrayLike | None = None,
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity_body: npt.ArrayLike | None = None,
        angular_velocity_world: npt.ArrayLike | None = None,
    ) -> Body:
        """Add a body.

        Args:
            mass_properties: Mass, inertia and mass centre. A singular inertia tensor is rejected.
            name: A name that no other body of this world has. None generates one.
            position: Position of the mass centre [m], world frame, shape (3,). Give this or `origin`; the default is the world's origin.
            origin: Position of the origin of the body frame [m], world frame, shape (3,).
            orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (4,).
            velocity: Velocity of the mass centre [m/s], world frame, shape (3,).
            angular_velocity_body: Angular velocity [rad/s], body frame, shape (3,). Give this or `angular_velocity_world`; the default is
                zero.
            angular_velocity_world: Angular velocity [rad/s], world frame, shape (3,).

        Returns:
            The handle of the new body.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a value is out of range or not finite, the name is taken, the inertia is singular, or both of two alternatives
                are given.

        Example:
            >>> world = World(dt=0.01)
            >>> probe = world.add_body(MassProperties.box(80.0, (0.8, 0.9, 1.2)), name="probe", angular_velocity_body=(0.1, 0.2, 2.0))
            >>> probe
            <Body 'probe'>
        """
        return self._add(
            NewBodies.one(
                mass_properties,
                name,
                position,
                origin,
                orientation,
                velocity,
                angular_velocity_body,
                angular_velocity_world,
            )
        )[0]

    @suggesting_names
    def add_bodies(
        self,
        mass_properties: MassProperties | Sequence[MassProperties],
        position: npt.ArrayLike | None = None,
        *,
        names: Iterable[str] | None = None,
        origin: npt.ArrayLike | None = None,
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity_body: npt.ArrayLike | None = None,
        angular_velocity_world: npt.ArrayLike | None = None,
    ) -> list[Body]:
        """Add many bodies at once from arrays.

        Each array has either one row per body, shape (n, 3) or (n, 4), or one value for all bodies, shape (3,) or (4,). The arguments
        with one row per body determine n.

        Args:
            mass_properties: One `MassProperties` for all bodies, or a list of n.
            position: Positions of the mass centres [m], world frame, shape (n, 3) or (3,). Give this or `origin`.
            names: n names, all different, that no body of this world has. If None, names are generated.
            origin: Positions of the origins of the body frames [m], world frame, shape (n, 3) or (3,).
            orientation: Unit quaternions, scalar-last (x, y, z, w), body to world, shape (n, 4) or (4,).
            velocity: Velocities of the mass centres [m/s], world frame, shape (n, 3) or (3,).
            angular_velocity_body: Angular velocities [rad/s], body frame, shape (n, 3) or (3,). Give this or `angular_velocity_world`.
            angular_velocity_world: Angular velocities [rad/s], world frame, shape (n, 3) or (3,).

        Returns:
            The handles of the new bodies, in order.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If no argument has one row per body, the numbers of rows differ, or a value is rejected as by `add_body`.

        Example:
            >>> world = World(dt=0.01)
            >>> rocks = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (2, 0, 0)], velocity=(0, 0, 1))
            >>> world.state.velocity.tolist()
            [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
        """
        return self._add(
            NewBodies.many(
                mass_properties,
                names,
                position,
                origin,
                orientation,
                velocity,
                angular_velocity_body,
                angular_velocity_world,
            )
        )

    def remove_body(self, body: Body) -> list[Member]:
        """Remove a body, its parts and joints, and the forces that were created for it.

        A field that acts on a list of bodies, such as a drag, stays; the body is removed from its list.

        Args:
            body: A body of this world.

        Returns:
            The forces and parts that were removed with it, in the order in which they were added.

        Raises:
            TypeError: If `body` is not a body.
            ValueError: If `body` is not in this world.

        Example:
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
            >>> world.remove_body(ship)
            []
            >>> ship
            <Body 'body 0' (removed)>
        """
        return self._remove([body], "World.remove_body", "body")

    def remove_bodies(self, bodies: Iterable[Body]) -> list[Member]:
        """Remove several bodies at once, so that the arrays are moved only once.

        Args:
            bodies: Bodies of this world, each listed once.

        Returns:
            The forces and parts that were removed with the bodies, in the order in which they had been added.

        Raises:
            TypeError: If an entry of `bodies` is not a body.
            ValueError: If an entry of `bodies` is not in this world, or is listed twice.

        Example:
            >>> world = World(dt=0.01)
            >>> rocks = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (1, 0, 0), (2, 0, 0)])
            >>> world.remove_bodies(rocks[:2])
            []
            >>> len(world.bodies)
            1
        """
        owner = "World.remove_bodies"
        chosen = members(bodies, "bodies", owner, "a list of bodies of this world", is_body)
        return self._remove(chosen, owner, "bodies")

    @property
    def state(self) -> State:
        """The state of all bodies as arrays, one row per body."""
        return self._state

    @property
    def model(self) -> Model:
        """The mass properties of all bodies as arrays, one row per body."""
        return self._model

    # forces and callbacks

    @property
    def forces(self) -> tuple[AnyForce, ...]:
        """The forces, in the order in which they were added."""
        return self._forces.added_as("force")

    @property
    def parts(self) -> tuple[TableRows, ...]:
        """All parts of all bodies (see `add_part`), in the order in which they were added."""
        return self._forces.added_as("part")

    @property
    def thrusters(self) -> TableView:
        """All thrusters, including those of banks, as whole arrays in the order in which they were added.

        ``world.thrusters.throttle = array`` sets all throttles at once.
        """
        return TableView(self._store, THRUSTERS)

    @property
    def springs(self) -> TableView:
        """All springs as arrays, with one row per spring, in the order in which they were added."""
        return TableView(self._store, SPRINGS)

    def fields(self, kind: type[Force]) -> TableView:
        """Return all forces of one built-in or compiled class as whole arrays.

        Args:
            kind: The class, for example `forces.LinearDrag`.

        Returns:
            A view with one row per force, or one row per body that a force lists.

        Raises:
            TypeError: If `kind` is neither a class of `engine.forces` nor one made by `forces.compiled`, or if it is one of the constant
                forces and torques, whose rows lie in one table.

        Example:
            >>> from engine import forces
            >>> world = World(dt=0.01)
            >>> world.add_force(forces.LinearDrag(0.4))
            LinearDrag(0.4)
            >>> world.fields(forces.LinearDrag).coefficient.tolist()
            [0.4]
        """
        if (
            not isinstance(kind, type)
            or not issubclass(kind, TableForce)
            or not isinstance(getattr(kind, "_schema", None), Schema)
        ):
            refuse("World.fields", "kind", kind, "a class of engine.forces, or one made by forces.compiled", TypeError)
        if kind._schema is CONSTANT_WRENCHES:
            hint = "constant forces, constant torques and BodyTorque share theirs; set them one by one"
            refuse("World.fields", "kind", kind, "a class with rows of its own", TypeError, hint=hint)
        return TableView(self._store, kind._schema)

    @property
    def memory(self) -> Memory:
        """Named memory for user code, which is undone with a failed tick, hashed with the state and copied with the world."""
        return self._memory

    def add_force(self, force: GivenForce) -> GivenForce:
        """Add a force to the world.

        A spring that is too stiff or too strongly damped for the tick causes a warning with the numbers.

        Args:
            force: A force of `engine.forces`, an object with `apply(wrench, bodies, time)`, or a function with these arguments.

        Returns:
            The force, so that this can be used as a decorator.

        Raises:
            TypeError: If `force` is not a force.
            ValueError: If `force` is already in a world, or acts on a body of another world.

        Example:
            >>> from engine import forces
            >>> world = World(dt=0.01)
            >>> world.add_force(forces.UniformGravity((0.0, -9.81, 0.0)))
            UniformGravity([0.0, -9.81, 0.0])
            >>> @world.add_force
            ... def wind(wrench, bodies, time):
            ...     wrench.force_world[:, 0] += 3.0
        """
        if (kind := kind_of(force)) != "force":
            refuse(
                "World.add_force", "force", force, "a force", TypeError, hint=f"add this {kind} with World.add_{kind}"
            )
        self._stages.policy.act()
        self._forces.add(force)
        return force

    def remove_force(self, force: AnyForce) -> None:
        """Remove a force from the world.

        Args:
            force: A force of this world.

        Raises:
            ValueError: If `force` is not a force of this world.

        Example:
            >>> from engine import forces
            >>> world = World(dt=0.01)
            >>> drag = world.add_force(forces.LinearDrag(0.4))
            >>> world.remove_force(drag)
            >>> world.forces
            ()
        """
        self._forces.remove(force)

    def add_part(self, part: GivenPart) -> GivenPart:
        """Add a part of a body, which is a wheel, a tank, a magnetorquer, a sensor, a filter or a control loop of `engine.flight`.

        At the start of a tick, the parts that are due are sampled in this order: sensors, filters, the functions of `on_tick`, control
        loops; within a kind in the order in which they were added.

        Args:
            part: A part that is in no world yet, of a body of this world.

        Returns:
            The part.

        Raises:
            TypeError: If `part` is not a part.
            ValueError: If `part` is already in a world, is a part of a body of another world, or does not fit the body or its other parts.

        Example:
            >>> from engine import flight
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.box(500.0, (2.0, 2.0, 3.0)), name="ship")
            >>> limits = {"max_torque": 0.5, "max_speed": 600.0}
            >>> wheel = world.add_part(flight.ReactionWheel(ship, axis=(0, 0, 1), inertia=0.1, **limits))
            >>> wheel.torque = 0.2
            >>> world.step(100)
            >>> round(wheel.momentum, 9)
            0.2
        """
        if kind_of(part) != "part":
            rule, hint = "a part of engine.flight, such as a ReactionWheel", "forces are added with World.add_force"
            refuse("World.add_part", "part", part, rule, TypeError, hint=hint)
        self._stages.policy.act()
        self._forces.add(part)
        return part

    def remove_part(self, part: TableRows) -> None:
        """Remove a part from the world; it keeps its state and may be added again.

        Args:
            part: A part of this world.

        Raises:
            ValueError: If `part` is not a part of this world.

        Example:
            >>> from engine import flight
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(100.0, 1.0))
            >>> gyro = world.add_part(flight.Gyro(ship, seed=1))
            >>> world.remove_part(gyro)
            >>> world.parts
            ()
        """
        self._forces.remove(part, "part")

    # joints

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, in the order in which they were added."""
        return self._forces.added_as("joint")

    @property
    def islands(self) -> tuple[Island, ...]:
        """The groups of bodies that enabled joints, and springs between bodies, connect; bodies and groups are in row order.

        A group that springs alone connect moves like free bodies and is not listed.

        Each is a tuple of bodies. Its `order` is that of the step that it takes in a tick that starts now, and its `reason` says why this
        is lower than the order of the world's method: a motor, friction, a spring, a joint that closes by springs, a limit or rope that may
        act in this tick, a body with wheels, tanks or pulses, a point of contact in the last tick, a Python force, or a method that bodies
        on joints do not take. It is empty if the order is that of the method.
        """
        graph = self._joints.graph
        if graph is None:
            return ()
        owners = {joint.rows.start: joint for joint in self.joints}
        called = bool(self._plan.stage_forces)
        touching = self._joints.contacts.touching
        return islands_with_orders(
            *(graph, self._bodies, self._joints.table, owners, self.integrator, self._dt, called, touching)
        )

    def add_joint(self, joint: GivenJoint) -> GivenJoint:
        """Add a joint between two bodies of this world, or between a body and the world.

        If the bodies move relative to each other, an impulse in the next tick makes their velocities compatible with the joint. Between two
        bodies, it conserves linear and angular momentum.

        Args:
            joint: A joint of `engine.joints` that is in no world yet.

        Returns:
            The joint.

        Raises:
            TypeError: If `joint` is not a joint.
            ValueError: If the joint is already in a world or links bodies of another world, if the integrator does not support joints, or
                if the joint closes no loop and does not hold at the current poses.
            JointConflictError: If the joint closes a loop with other joints, and does not hold at the current poses.

        Example:
            >>> from engine.joints import Weld
            >>> world = World(dt=0.01)
            >>> hull, pod = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (1, 0, 0)])
            >>> hull.velocity = (2.0, 0.0, 0.0)
            >>> weld = world.add_joint(Weld(hull, pod, at_body=(0.5, 0.0, 0.0)))
            >>> world.step()
            >>> pod.velocity.round(9).tolist()
            [1.0, 0.0, 0.0]
        """
        if kind_of(joint) != "joint":
            refuse("World.add_joint", "joint", joint, "a joint of engine.joints, such as a Hinge", TypeError)
        for body in (joint.body, joint.other):
            if body is not None:
                require_body(body, "joint", "World.add_joint")
        refuse_joints(self.integrator, f"World.add_joint: {joint!r}")
        self._stages.policy.act()
        self._forces.add(joint)
        return joint

    def _compliances(self, ends: Sequence[End], directions: Sequence[Direction]) -> list[float]:
        """How bodies yield to impulses at points; see `tick.joint_impulses`."""
        return compliances(self._joints, self, ends, directions)

    def _inertia_about(
        self, joint: Joint, point: Vector, held: Sequence[Direction], others: Sequence[Direction], free: Direction
    ) -> float:
        """The inertia about a degree of freedom of a joint; see `tick.joint_inertia`."""
        return inertia_about(self._joints, self, joint, point, held, others, free)

    def _energies_of_impact(self, rows: Sequence[int]) -> list[float]:
        """Energy that the joints around each of these bodies take now; see `tick.joint_impulses`."""
        return energies_of_impact(self._joints, self, rows)

    def remove_joint(self, joint: Joint) -> None:
        """Remove a joint from the world; it keeps its settings and may be added again.

        Args:
            joint: A joint of this world.

        Raises:
            ValueError: If `joint` is not a joint of this world.

        Example:
            >>> from engine.joints import Ball
            >>> world = World(dt=0.01)
            >>> bob = world.add_body(MassProperties.sphere(1.0, 0.1))
            >>> pivot = world.add_joint(Ball(bob, at_body=(0.0, 0.5, 0.0)))
            >>> world.remove_joint(pivot)
            >>> world.joints
            ()
        """
        self._forces.remove(joint, "joint")

    # shapes

    @property
    def shapes(self) -> tuple[ShapeHandle, ...]:
        """The shapes of all bodies and of the world, in the order in which they were added."""
        return self._forces.added_as("shape")

    @property
    def contacts(self) -> Contacts:
        """The points at which bodies touched in the last tick, as read-only arrays."""
        if self._store.unfinished is not None:
            self._store.settle()
        return Contacts(self, self._joints.contacts)

    def add_shape(
        self,
        shape: Shape,
        *,
        position: npt.ArrayLike = (0.0, 0.0, 0.0),
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        material: Material = DEFAULT,
        layer: int = 0,
        collides_with: Iterable[int] = ALL,
        sensor: bool = False,
        name: str | None = None,
        velocity: npt.ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity_world: npt.ArrayLike = (0.0, 0.0, 0.0),
        allow_overlap: bool = False,
    ) -> ShapeHandle:
        """Add a shape to the world, which is at rest or moves as prescribed; bodies with shapes touch it.

        A shape that moves pushes and drags what touches it, and nothing pushes it. A plane that moves along itself is a conveyor belt, and
        a cylinder that turns about its axis a turntable.

        Args:
            shape: A shape of `engine.shapes`.
            position: Of the origin of the shape [m], world frame, shape (3,).
            orientation: Unit quaternion, scalar-last (x, y, z, w), shape to world, shape (4,).
            material: Friction and restitution.
            layer: The layer of the shape, from 0 to 63.
            collides_with: The layers of the shapes that it touches.
            sensor: Whether it only reports what it overlaps to functions of `World.on_contact`, and never pushes.
            name: Its name, which other shapes may share; None is the kind of shape.
            velocity: Of its origin [m/s], world frame, shape (3,); the handle changes it later.
            angular_velocity_world: About its origin [rad/s], world frame, shape (3,).
            allow_overlap: Whether the first tick with it may begin with bodies deep in it; see `Body.add_shape`.

        Returns:
            The handle of the shape.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a value is out of its range, or the method of the world does not support contacts.

        Example:
            >>> from engine import World, shapes
            >>> world = World(dt=1 / 60)
            >>> world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), name="ground")
            <Plane((0, 0, 1), 0) 'ground' of the world>
            >>> belt = world.add_shape(shapes.Plane((0.0, 0.0, 1.0)), position=(0.0, 0.0, 1.0), velocity=(0.5, 0.0, 0.0))
            >>> belt.velocity = (0.0, 0.0, 0.0)  # it stands still from the next tick on
        """
        options = position, orientation, material, layer, collides_with, sensor, name
        moving = velocity, angular_velocity_world, allow_overlap
        return self._add_shape(ShapeHandle(shape, None, *options, *moving, owner="World.add_shape"), "World.add_shape")

    def remove_shape(self, shape: ShapeHandle) -> None:
        """Remove a shape of the world or of a body.

        Args:
            shape: A shape of this world.

        Raises:
            ValueError: If `shape` is not a shape of this world.

        Example:
            >>> from engine import World, shapes
            >>> world = World(dt=1 / 60)
            >>> ground = world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
            >>> world.remove_shape(ground)
            >>> world.shapes
            ()
        """
        self._forces.remove(shape, "shape")

    def ignore_pair(self, a: Body, b: Body, *, ignored: bool = True) -> None:
        """Let the shapes of two bodies pass through each other from the next tick on.

        Args:
            a: A body of this world.
            b: Another body of this world.
            ignored: False to let them touch again.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a body is not in this world, or both are the same.

        Example:
            >>> from engine import MassProperties, World
            >>> world = World(dt=1 / 60)
            >>> tug, barge = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (0.9, 0, 0)])
            >>> world.ignore_pair(tug, barge)
        """
        owner, ignores = "World.ignore_pair", boolean(ignored, "ignored", "World.ignore_pair")
        for argument, body in (("a", a), ("b", b)):
            self._own_body(body, owner, argument)
        if a is b:
            refuse(owner, "b", b, "another body than a")
        table, pair = self._joints.contacts.ignored, sorted((a.index, b.index))
        first, second = table.array[:, : table.count]
        known = np.flatnonzero(((first == pair[0]) & (second == pair[1])) | ((first == pair[1]) & (second == pair[0])))
        with self._store.all_or_nothing():
            self._store.before_change()
            if ignores and not len(known):
                table.append(np.array(pair, float)[:, np.newaxis])
            elif not ignores:
                table.remove(known)

    # questions about shapes

    @property
    def _queries(self) -> Queries:
        if self._store.unfinished is not None:
            self._store.settle()
        self._stages.policy.act()
        return self._known_queries

    def ray_cast(
        self,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        max_distance: npt.ArrayLike = math.inf,
        layers: Iterable[int] = ALL,
    ) -> Hits:
        """Find what rays meet first, at the poses that the bodies have now; in a callback, those at the start of the tick.

        Rays meet enabled shapes of bodies and of the world, also sensors. A ray that begins within a shape meets it at distance 0, and the
        point is the nearest one of its surface. Of several shapes at the same distance, the one counts that was added first. Triangles of
        meshes and height fields are met from their front alone; a ray that begins within a height field meets it at distance 0.

        Args:
            origins: Where the rays begin [m], world frame, shape (3,) or (n, 3).
            directions: Their directions, world frame, vectors that are not zero, shape (3,) or (n, 3).
            max_distance: How far they go [m], above 0, infinite for no limit, one number or shape (n,).
            layers: The layers of the shapes that they meet.

        Returns:
            What each ray meets, one row per ray. What is given once holds for all rays.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a shape is wrong, a direction is zero, or a value is out of its range.

        Error: a ray ends within 1e-10 of the distance and the size of the shape from its surface; normals are within 3e-5 rad.

        Example:
            >>> from engine import World, shapes
            >>> world = World(dt=1 / 60)
            >>> _ = world.add_shape(shapes.Box((2.0, 2.0, 2.0)), name="block")
            >>> hits = world.ray_cast([(0, 0, 5), (3, 0, 5)], (0, 0, -1))
            >>> hits.distance.tolist(), hits.shapes[0].name, hits.normal_world[0].tolist()
            ([4.0, inf], 'block', [0.0, 0.0, 1.0])
        """
        at_rest = (0.0, 0.0, 0.0, 1.0)
        return self._queries.cast(None, origins, directions, at_rest, max_distance, layers, "World.ray_cast")

    def shape_cast(
        self,
        shape: Shape,
        origins: npt.ArrayLike,
        directions: npt.ArrayLike,
        max_distance: npt.ArrayLike = math.inf,
        layers: Iterable[int] = ALL,
        *,
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
    ) -> Hits:
        """Find what a shape meets first that is moved along lines without rotation, as `ray_cast` does for points.

        It meets triangles of meshes and height fields if its middle is in front of them then.

        Args:
            shape: A convex shape of `engine.shapes`, or a `Compound` of these.
            origins: Where its origin begins [m], world frame, shape (3,) or (n, 3).
            directions: Directions of the motion, world frame, vectors that are not zero, shape (3,) or (n, 3).
            max_distance: How far it goes [m], above 0, infinite for no limit, one number or shape (n,).
            layers: The layers of the shapes that it meets.
            orientation: Unit quaternions, scalar-last (x, y, z, w), shape to world, shape (4,) or (n, 4).

        Returns:
            What it meets, one row per line. Points are those on the shape that is met; where a face or an edge is met all at once, one of
            its points.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a shape is wrong, a direction is zero, or a value is out of its range.

        Example:
            >>> from engine import World, shapes
            >>> world = World(dt=1 / 60)
            >>> _ = world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
            >>> world.shape_cast(shapes.Sphere(0.5), (0, 0, 5), (0, 0, -2)).distance.round(9).tolist()
            [4.5]
        """
        owner = "World.shape_cast"
        if shape is None:
            refuse(owner, "shape", shape, "a shape of engine.shapes, such as a Box", TypeError)
        return self._queries.cast(shape, origins, directions, orientation, max_distance, layers, owner)

    def overlaps(
        self,
        shape: Shape,
        position: npt.ArrayLike,
        orientation: npt.ArrayLike = (0.0, 0.0, 0.0, 1.0),
        layers: Iterable[int] = ALL,
    ) -> Overlaps:
        """Find the shapes that a shape would overlap or touch, at the poses that the bodies have now.

        It overlaps a mesh or a height field if it overlaps a triangle in front of which its middle is, and a field also if its middle is
        within it.

        Args:
            shape: A convex shape of `engine.shapes`, or a `Compound` of these.
            position: Where its origin would be [m], world frame, shape (3,) or (n, 3).
            orientation: Unit quaternions, scalar-last (x, y, z, w), shape to world, shape (4,) or (n, 4).
            layers: The layers of the shapes that are looked at.

        Returns:
            The shapes and the numbers of the poses at which they are overlapped.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a shape is wrong or a value is out of its range.

        Example:
            >>> from engine import World, shapes
            >>> world = World(dt=1 / 60)
            >>> _ = world.add_shape(shapes.Box((2.0, 2.0, 2.0)), name="block")
            >>> world.overlaps(shapes.Sphere(0.5), [(0, 0, 1.6), (0, 0, 1.4)]).number.tolist()
            [1]
        """
        return self._queries.overlaps(shape, position, orientation, layers, "World.overlaps")

    def bodies_at(self, point: npt.ArrayLike, layers: Iterable[int] = ALL) -> tuple[tuple[Body, ...], ...]:
        """Find the bodies whose shapes contain a point, at the poses that the bodies have now.

        Args:
            point: Points [m], world frame, shape (3,) or (n, 3).
            layers: The layers of the shapes that are looked at.

        Returns:
            The bodies at each point, in the order in which their shapes were added.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a shape is wrong or a value is not finite.

        Example:
            >>> from engine import MassProperties, World, shapes
            >>> world = World(dt=1 / 60)
            >>> crate = world.add_body(MassProperties.box(10.0, (1.0, 1.0, 1.0)), name="crate")
            >>> _ = crate.add_shape(shapes.Box((1.0, 1.0, 1.0)))
            >>> world.bodies_at([(0.4, 0.4, 0.4), (0.4, 0.4, 0.6)])
            ((<Body 'crate'>,), ())
        """
        return self._queries.bodies_at(point, layers, "World.bodies_at")

    def closest_points(
        self, a: Body | ShapeHandle | Sequence[Body | ShapeHandle], b: Body | ShapeHandle | Sequence[Body | ShapeHandle]
    ) -> Nearest:
        """Find the nearest points of bodies or shapes, or how deep they overlap, at the poses that the bodies have now.

        Of a mesh or a height field, triangles count in front of which the middle of the other shape is; without any, the distance is
        infinite, and points and normals are nan. The depth in it is that in the triangle in which the other shape is deepest.

        Args:
            a: A body with enabled shapes, or an enabled shape, of this world, or a list of these.
            b: Another one, or a list; one that is given once is measured from all of the others.

        Returns:
            Distances, points and normals, one row per pair.

        Raises:
            TypeError: If an argument is neither a body nor a shape nor a list of these.
            ValueError: If one has no enabled shape, is not in this world, neither is convex, or the lists differ in length.

        Error: distances within 1e-7 of the size of the shapes, normals within 3e-5 rad.

        Example:
            >>> from engine import MassProperties, World, shapes
            >>> world = World(dt=1 / 60)
            >>> ground = world.add_shape(shapes.Plane((0.0, 0.0, 1.0)))
            >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0.0, 0.0, 2.0))
            >>> _ = ball.add_shape(shapes.Sphere(0.5))
            >>> world.closest_points(ball, ground).distance.tolist()
            [1.5]
        """
        return self._queries.closest_points(a, b, self._own_body, "World.closest_points")

    def _add_shape(self, handle: ShapeHandle, owner: str) -> ShapeHandle:
        refuse_joints(self.integrator, owner)
        self._stages.policy.act()
        if handle.body is not None:
            handle._set_group(handle.body.world._group_of(handle.body.index))
        self._forces.add(handle)
        return handle

    def _group_of(self, row: int) -> int:
        """The collision group of the body in this row."""
        table = self._joints.contacts.groups
        known = np.flatnonzero(table.array[0, : table.count] == row)
        return int(table.array[1, known[0]]) if len(known) else 0

    def _set_group(self, row: int, group: int) -> None:
        table = self._joints.contacts.groups
        known = np.flatnonzero(table.array[0, : table.count] == row)
        with self._store.all_or_nothing():
            self._store.before_change()
            table.remove(known)
            if group:
                table.append(np.array([[row], [group]], float))
            for handle in self._shapes_of(row):
                handle._set_group(group)

    def _shapes_of(self, row: int) -> tuple[ShapeHandle, ...]:
        """The shapes of the body in this row."""
        table = self._joints.contacts.shapes
        own = np.flatnonzero(table.array[0, : table.count] == row)
        _groups, first = np.unique(table.groups[own], return_index=True)
        return self._forces.owners_of(table, own[first])

    def assembly(self, body: Body) -> Assembly:
        """Return the assembly of a body and everything that is rigidly joined to it by welds and locked latches.

        The result is a handle. It describes what is joined whenever it is read, so it stays valid when a latch locks or releases. Control
        laws and `flight.ThrusterAllocator` take it as `assembly`.

        Args:
            body: A body of this world.

        Returns:
            The handle of the assembly, which also has the mass properties of the whole.

        Raises:
            TypeError: If `body` is not a body.
            ValueError: If `body` is not in this world.

        Example:
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(3.0, 0.5), name="ship")
            >>> stack = world.assembly(ship)
            >>> stack.bodies, stack.mass
            ((<Body 'ship'>,), 3.0)
        """
        self._own_body(body, "World.assembly", "body")
        return Assembly(body)

    @overload
    def on_joint(self, function: GivenEventCallback, event: str, *, name: str | None = None) -> GivenEventCallback: ...

    @overload
    def on_joint(
        self, *, event: str, name: str | None = None
    ) -> Callable[[GivenEventCallback], GivenEventCallback]: ...

    def on_joint(self, function: object = LEFT_OUT, event: str = "", *, name: str | None = None) -> object:
        """Call `function(world, joint)` after an event at a joint.

        The function is called at the start of the next tick, before the functions of `on_tick`, in the order of the joints. What it changes
        is undone if that tick fails. This works as a decorator: ``@world.on_joint(event="broken")``.

        Args:
            function: The function. Leave it out to use this as a decorator.
            event: "broken" for a joint that carried more than `break_force` or `break_torque` and has been removed, "limit" for a joint
                that has reached one of its limits, and for latches "captured", "locked", "released" and "failed".
            name: The name by which a snapshot in bytes refers to the function; None means its module and qualified name.

        Returns:
            The function.

        Raises:
            TypeError: If `function` is not callable, or is a generator function or a coroutine function.
            ValueError: If `event` is unknown.

        Example:
            >>> from engine.joints import Distance
            >>> world = World(dt=0.01)
            >>> bob = world.add_body(MassProperties.sphere(1.0, 0.1), velocity=(1.0, 0.0, 0.0))
            >>> rope = Distance(bob, at_body=(0, 0, 0), at_other=(0, 0, 0), max_length=0.5, break_force=10.0)
            >>> rope = world.add_joint(rope)
            >>> @world.on_joint(event="broken")
            ... def report(world, joint):
            ...     print(f"{joint} broke at {world.time} s")
            >>> world.step(60)
            Distance(body 'body 0', the world) broke at 0.5 s
        """
        _check_name(name, "World.on_joint")
        option(event, "event", "World.on_joint", EVENTS)
        if function is LEFT_OUT:
            return lambda decorated: self.on_joint(decorated, event, name=name)
        if not callable(function):
            refuse(
                "World.on_joint",
                "function",
                function,
                "a function with two arguments, the world and a joint",
                TypeError,
            )
        check_calls(function, "World.on_joint", "function", "a function with two arguments, the world and a joint", 2)
        events = self._stages.joint_events
        with self._store.all_or_nothing():
            self._store.before_change()
            self._memory._join(function)
            self._store.record(setattr, events, "functions", events.functions)
            if event == "limit":
                events.note_limits()
            events.functions = [*events.functions, EventCallback(function, event, name or default_name(function))]
        return function

    @overload
    def on_contact(
        self,
        function: GivenContactCallback,
        event: str = "begin",
        body: Body | None = None,
        above: float = 0.0,
        *,
        name: str | None = None,
    ) -> GivenContactCallback: ...

    @overload
    def on_contact(
        self, *, event: str = "begin", body: Body | None = None, above: float = 0.0, name: str | None = None
    ) -> Callable[[GivenContactCallback], GivenContactCallback]: ...

    def on_contact(
        self,
        function: object = LEFT_OUT,
        event: str = "begin",
        body: Body | None = None,
        above: float = 0.0,
        *,
        name: str | None = None,
    ) -> object:
        """Call `function(world, contact)` after an event at a contact of two shapes.

        The function is called at the start of the next tick, after the functions of `on_joint`, in the order of pairs of shapes. What it
        changes is undone if that tick fails. Every contact that begins also ends, if its shapes part, or one of them is removed, disabled
        or filtered by its layers. What touches already when a function is added has begun for it, and may end. This works as a decorator:
        ``@world.on_contact(event="hit", above=2.0)``.

        Args:
            function: The function. Leave it out to use this as a decorator. It gets a `Contact`.
            event: "begin" when two shapes touch first, "end" when they no longer touch, or "hit" after an impact in which they closed
                faster than their acceleration makes them within a tick. Sensors begin and end where they overlap a shape, and are not hit.
            body: A body that has one of the shapes; None for all.
            above: For "hit", the closing speed that must be exceeded [m/s], at least 0.
            name: The name by which a snapshot in bytes refers to the function; None means its module and qualified name.

        Returns:
            The function.

        Raises:
            TypeError: If `function` is not callable, or is a generator function or a coroutine function, or another argument has the wrong
                type.
            ValueError: If `event` is unknown, `body` is not in this world, or `above` is negative, or not 0 for another event than "hit".

        Example:
            >>> from engine import shapes
            >>> world = World(dt=1 / 60)
            >>> wall = world.add_shape(shapes.Plane((-1.0, 0.0, 0.0), -1.0), name="wall")
            >>> ball = world.add_body(MassProperties.sphere(1.0, 0.1), velocity=(3.0, 0.0, 0.0))
            >>> _ = ball.add_shape(shapes.Sphere(0.1))
            >>> @world.on_contact(event="hit", above=1.0)
            ... def report(world, contact):
            ...     print(f"{contact.shapes[1].name} at {contact.closing_speed:.3g} m/s")
            >>> world.step(30)
            wall at 3 m/s
        """
        owner = "World.on_contact"
        _check_name(name, owner)
        option(event, "event", owner, CONTACT_EVENTS)
        least = real(above, "above", owner, at_least=0.0)
        if least and event != "hit":
            refuse(owner, "above", above, f'0 for "{event}", since only hits are told by their speed')
        if body is not None:
            self._own_body(body, owner, "body")
        if function is LEFT_OUT:
            return lambda decorated: self.on_contact(decorated, event, body, above, name=name)
        rule = "a function with two arguments, the world and a contact"
        if not callable(function):
            refuse(owner, "function", function, rule, TypeError)
        check_calls(function, owner, "function", rule, 2)
        events = self._stages.joint_events
        with self._store.all_or_nothing():
            self._store.before_change()
            self._memory._join(function)
            self._store.record(setattr, events, "functions", events.functions)
            touching = self._stages.contact_events.touching(body) if event != "hit" else ()
            added = EventCallback(function, event, name or default_name(function), body, least, touching)
            events.functions = [*events.functions, added]
        return function

    @overload
    def on_tick(self, function: GivenCallback, every: int = 1, *, name: str | None = None) -> GivenCallback: ...

    @overload
    def on_tick(self, *, every: int = 1, name: str | None = None) -> Callable[[GivenCallback], GivenCallback]: ...

    def on_tick(self, function: object = LEFT_OUT, every: int = 1, *, name: str | None = None) -> object:
        """Call `function(world)` at the start of every tick whose `tick_count` is a multiple of `every`, before the forces.

        Inside the function, `world.time` is the start of the tick, and forces that it applies act in this tick. Functions are called in
        the order in which they were added. This works as a decorator, with or without arguments.

        Args:
            function: The function to call with the world. Leave it out to use this as a decorator with arguments.
            every: The interval in ticks, at least 1.
            name: The name by which a snapshot in bytes refers to the function; None means its module and qualified name.

        Returns:
            The function.

        Raises:
            TypeError: If `function` is not callable, or is a generator function or a coroutine function.
            ValueError: If `every` is below 1.

        Example:
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> @world.on_tick
            ... def push(world):
            ...     ship.apply_force((6.0, 0.0, 0.0))
            >>> world.step(100)
            >>> ship.velocity.round(12).tolist()
            [3.0, 0.0, 0.0]
        """
        return self._call("on_tick", function, every, name)

    @overload
    def after_tick(self, function: GivenCallback, every: int = 1, *, name: str | None = None) -> GivenCallback: ...

    @overload
    def after_tick(self, *, every: int = 1, name: str | None = None) -> Callable[[GivenCallback], GivenCallback]: ...

    def after_tick(self, function: object = LEFT_OUT, every: int = 1, *, name: str | None = None) -> object:
        """Call `function(world)` after every tick that makes `tick_count` a multiple of `every`.

        The function may read everything and may change the world for the next tick, but it must not step it. If it raises, the completed
        tick stays, its own changes are undone, and no further ticks run. This works as a decorator, with or without arguments.

        Args:
            function: The function to call with the world. Leave it out to use this as a decorator with arguments.
            every: The interval in ticks, at least 1.
            name: The name by which a snapshot in bytes refers to the function; None means its module and qualified name.

        Returns:
            The function.

        Raises:
            TypeError: If `function` is not callable, or is a generator function or a coroutine function.
            ValueError: If `every` is below 1.

        Example:
            >>> world = World(dt=0.01)
            >>> heights = []
            >>> @world.after_tick(every=10)
            ... def record(world):
            ...     heights.append(world.time)
            >>> world.step(30)
            >>> heights
            [0.1, 0.2, 0.3]
        """
        return self._call("after_tick", function, every, name)

    def _call(self, when: str, function: object, every: int, name: str | None) -> object:
        _check_name(name, f"World.{when}")
        every = count_of_ticks(every, "every", f"World.{when}")
        if function is LEFT_OUT:
            return lambda decorated: self._call(when, decorated, every, name)
        if not callable(function):
            refuse(f"World.{when}", "function", function, "a function with one argument, the world", TypeError)
        check_calls(function, f"World.{when}", "function", "a function with one argument, the world", 1)
        stages = self._stages
        with self._store.all_or_nothing():
            self._store.before_change()
            self._memory._join(function)
            stages.expect_reports()
            self._store.record(setattr, stages, when, getattr(stages, when))
            setattr(stages, when, [*getattr(stages, when), Callback(function, every, name or default_name(function))])
        return function

    def remove_callback(self, function: Callable[[World], object]) -> None:
        """Stop calling a function that was added by `on_tick`, `after_tick`, `on_joint` or `on_contact`.

        Args:
            function: The function, as it was added.

        Raises:
            ValueError: If `function` was not added.

        Example:
            >>> world = World(dt=0.01)
            >>> times = []
            >>> record = world.after_tick(lambda world: times.append(world.time))
            >>> world.step()
            >>> world.remove_callback(record)
            >>> world.step()
            >>> times
            [0.01]
        """
        key, stages = identity(function), self._stages
        kept = {
            name: [callback for callback in getattr(stages, name) if identity(callback.function) != key]
            for name in ("on_tick", "after_tick")
        }
        events = stages.joint_events
        kept_events = [callback for callback in events.functions if identity(callback.function) != key]
        if len(kept_events) == len(events.functions) and all(
            len(kept[name]) == len(getattr(stages, name)) for name in kept
        ):
            refuse(
                "World.remove_callback",
                "function",
                function,
                "one that was added by on_tick, after_tick, on_joint or on_contact",
            )
        with self._store.all_or_nothing():
            self._store.before_change()
            for name, left in kept.items():
                for _ in range(len(getattr(stages, name)) - len(left)):
                    self._memory._leave(function)
                self._store.record(setattr, stages, name, getattr(stages, name))
                setattr(stages, name, left)
            for _ in range(len(events.functions) - len(kept_events)):
                self._memory._leave(function)
            self._store.record(setattr, events, "functions", events.functions)
            events.functions = kept_events

    def shift_origin(self, shift: npt.ArrayLike) -> None:
        """Move the world's origin, so that bodies far away have small coordinates again (a floating origin).

        This subtracts `shift` from every point in the world frame: positions of the bodies, including the previous ones that are used for
        drawing, the centres of gravity, atmospheres, magnetic fields and shadows, and of the `Pointing` references of control loops, the
        ends of springs and joints that are fixed in the world, `keep_out`, and the `world_points` of compiled forces. The motion continues
        as before, up to the rounding of the new positions. A shift by a round number, such as a multiple of 1024 m, keeps differences of
        positions exact.

        Then it calls `on_origin_shift(shift)` on each force, callback and object attached to `memory` that has this method, so that they
        can subtract the shift from points of their own. A function can have it as an attribute. Python forces without it are named in a
        warning. If one of these calls raises, everything is undone: objects with `get_state()` and `set_state(state)` are restored, and the
        others are called again with the opposite shift. Points that a program keeps elsewhere, such as a camera or a trail, are not moved.

        Args:
            shift: The new origin [m], relative to the current one, world frame, shape (3,).

        Raises:
            TypeError: If `shift` is not a sequence of real numbers.
            ValueError: If `shift` has the wrong shape, is not finite, or makes a position too large for a float.
            RuntimeError: If this is called inside a force.

        Example:
            >>> from engine import forces
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), position=(7e6, 3.0, 0.0))
            >>> earth = world.add_force(forces.PointGravity(gm=3.986004418e14))
            >>> world.shift_origin(ship.position)
            >>> ship.position.tolist(), earth.center.tolist()
            ([0.0, 0.0, 0.0], [-7000000.0, -3.0, 0.0])
        """
        shift_origin(
            self._store,
            self._memory,
            self._forces,
            self.parts,
            [callback.function for callback in self._stages.callbacks()],
            vector(shift, "shift", "World.shift_origin"),
            stacklevel=2,
        )

    # totals

    def interpolated_poses(self) -> tuple[FloatArray, FloatArray]:
        """Poses of all bodies for drawing, blended between the last two ticks by `alpha`.

        Returns:
            Positions of the bodies' origins [m], world frame, shape (n, 3), and orientations, scalar-last (x, y, z, w), body to world,
            shape (n, 4).

        Example:
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
            >>> ticks = world.advance(0.75)
            >>> positions, orientations = world.interpolated_poses()
            >>> positions.tolist()
            [[0.25, 0.0, 0.0]]
        """
        return self.state.interpolated_poses(self.alpha)

    def interpolated_matrices(
        self, camera_position: npt.ArrayLike = (0.0, 0.0, 0.0), *, out: npt.NDArray[np.floating] | None = None
    ) -> npt.NDArray[np.floating]:
        """Model matrices of all bodies for drawing relative to a camera, blended between the last two ticks by `alpha`.

        Each matrix M converts column vectors, ``(x, y, z, 1)`` in the body frame, from the origin of the body, to the world frame from the
        camera: ``M[:3, :3]`` is the rotation matrix, ``M[:3, 3]`` is the origin minus `camera_position`, and ``M[3]`` is (0, 0, 0, 1). The
        difference is computed in float64, so that a float32 matrix is accurate near the camera at any distance from the world's origin.

        In memory the matrices are stored row by row, and OpenGL reads column by column. To upload them, let ``out`` be
        ``buffer.transpose(0, 2, 1)`` for a float32 array `buffer` of shape (n, 4, 4); the bytes of `buffer` are then in OpenGL's order.

        Args:
            camera_position: The point to which the matrices are relative [m], world frame, shape (3,).
            out: An array to write to, of type float32 or float64 and shape (n, 4, 4). None creates a float64 array.

        Returns:
            The matrices, shape (n, 4, 4); `out` if it was given.

        Raises:
            TypeError: If `out` is not an array of float32 or float64, or `camera_position` is not a sequence of real numbers.
            ValueError: If `out` has the wrong shape or is read-only, or if a distance is too large for its type. Nothing is then written.

        Example:
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), position=(1e9, 5.0, 0.0))
            >>> buffer = np.empty((1, 4, 4), np.float32)
            >>> matrices = world.interpolated_matrices((1e9, 0.0, 0.0), out=buffer.transpose(0, 2, 1))
            >>> buffer[0, 3].tolist()
            [0.0, 5.0, 0.0, 1.0]
        """
        owner = "World.interpolated_matrices"
        camera = vector(camera_position, "camera_position", owner)
        if out is None:
            out = np.empty((self._bodies.count, 4, 4))
        check_matrices(out, self._bodies.count, owner)
        return fill_matrices(out, *self.interpolated_poses(), camera, owner)

    def kinetic_energy(self) -> float:
        """Return the kinetic energy [J] of all bodies, ``Σ (m v²/2 + ω·Iω/2)``, plus that of their wheels about the wheel axes.

        Example:
            >>> world = World(dt=0.01)
            >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0.0, 3.0, 0.0), velocity=(0.0, 4.0, 0.0))
            >>> world.kinetic_energy()
            16.0
        """
        moving = diagnostics.translational_energy(self.model.mass, self.state.velocity)
        turning = diagnostics.rotational_energy(self.model.inertia_body, self.state.angular_velocity_body)
        wheels = self._actuators.wheel_energies(self._actuators.all_wheels)
        return math.fsum(moving) + math.fsum(turning) + math.fsum(wheels)

    def potential_energy(self) -> float:
        """Return the sum of the potential energies [J] of forces and of the springs of joints; drag, thrusters and functions have none.

        Example:
            >>> from engine import forces
            >>> world = World(dt=0.01)
            >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0.0, 3.0, 0.0))
            >>> gravity = world.add_force(forces.UniformGravity((0.0, -10.0, 0.0)))
            >>> world.potential_energy()
            60.0
        """
        springs = math.fsum(joint.potential_energy() for joint in self.joints)
        return math.fsum(math.fsum(energies) for energies in self._forces.potential_energies()) + springs

    def linear_momentum(self) -> FloatArray:
        """Return the linear momentum of all bodies [N·s], ``Σ m v``, world frame, shape (3,).

        Example:
            >>> world = World(dt=0.01)
            >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5), position=(0.0, 3.0, 0.0), velocity=(0.0, 4.0, 0.0))
            >>> world.linear_momentum().tolist()
            [0.0, 8.0, 0.0]
        """
        return _sum(self.model.mass[:, np.newaxis] * self.state.velocity)

    def angular_momentum(self, about: npt.ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """Return the angular momentum of all bodies about a point, including the momentum stored in wheels.

        Args:
            about: The point [m], world frame, shape (3,).

        Returns:
            The angular momentum [N·m·s], world frame, shape (3,).

        Example:
            >>> world = World(dt=0.01)
            >>> ball = world.add_body(MassProperties(2.0, (1.0, 2.0, 2.5)), velocity=(0, 3, 0), angular_velocity_body=(4, 0, 0))
            >>> world.angular_momentum(about=(-1.0, 0.0, 0.0)).tolist()
            [4.0, 0.0, 6.0]
        """
        point = vector(about, "about", "World.angular_momentum")
        state, model = self.state, self.model
        spin = diagnostics.spin_angular_momentum(
            state.orientation, model.inertia_body, state.angular_velocity_body, state.stored_momentum_body
        )
        return _sum(spin + diagnostics.orbital_angular_momentum(model.mass, state.position, state.velocity, point))

    def wrench(self, body: Body, force: AnyForce | None = None) -> tuple[FloatArray, FloatArray]:
        """Evaluate the force and torque on a body at the current state and time, without changing anything.

        Pending applied forces are included. The contributions of all forces and of the applied forces add up to the total. A Python force
        is called once, and any state that it keeps in `world.memory` is restored.

        Args:
            body: A body of this world.
            force: A force of this world, for its contribution alone. None for the total.

        Returns:
            Net force [N], world frame, and net torque about the mass centre [N·m], body frame, each of shape (3,).

        Raises:
            RuntimeError: If this is called inside a force.
            TypeError: If `body` is not a body.
            ValueError: If `body` or `force` is not in this world.

        Example:
            >>> from engine import forces
            >>> world = World(dt=0.01)
            >>> ball = world.add_body(MassProperties.sphere(2.0, 0.5))
            >>> gravity = world.add_force(forces.UniformGravity((0.0, -10.0, 0.0)))
            >>> force_world, torque_body = world.wrench(ball)
            >>> force_world.tolist()
            [0.0, -20.0, 0.0]
        """
        self._own_body(body, "World.wrench", "body")
        if force is not None and not any(force is own or identity(force) == identity(own) for own in self._forces):
            refuse("World.wrench", "force", force, "a force of this world, or None")
        store = self._store
        if not store.is_idle and not store.is_calling_here:
            refuse_other_thread("World.wrench")
        if store.phase is FORCES:
            raise RuntimeError("World.wrench cannot be called inside a force; call it in a callback or between ticks")
        self._store.quiet = 0
        with store.trial(self._memory.objects):
            store.enter(FORCES)
            return wrench_on(
                body.index,
                self._plan,
                self._bodies,
                self._forces if force is None else [force],
                force is None,
                self.time,
            )

    def prepare(
        self,
        *,
        integrators: Iterable[Integrator | str] | None = None,
        forces: Iterable[Force | type[Force]] | None = None,
        capacity: int | None = None,
        joints: bool = False,
        contacts: bool = False,
        queries: bool = False,
        wheels: bool = False,
        pulses: bool = False,
        game_mode: bool | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Compile everything that ticks will need and load it into this process, so that no tick has to wait for the compiler.

        Kernels are compiled in one process for each five seconds of work, and in no more than there are processor cores. The log has the
        expected and the actual time. What is being compiled in the background already is awaited and not compiled again. Compiled kernels
        are kept on disk for the next start.

        Anything that is needed later and was not prepared is compiled as `compilation` says. A loop for any forces and any number of
        bodies is always prepared, and runs the ticks meanwhile.

        Args:
            integrators: Methods, or their names, that the world will use; None means its current method.
            forces: Forces, or classes of `engine.forces`, that will act together; None means those that act now. Uniform gravity,
                throttles, applied forces and springs are always ready.
            capacity: Maximum number of bodies that the world will have, at least 1, for which memory is reserved now; None means the
                current number.
            joints: Whether the world will have joints, if it has none now.
            contacts: Whether it will have shapes, if it has none now.
            queries: Whether it will be asked about its shapes, as by `ray_cast`.
            wheels: Whether it will have reaction wheels, if it has none now.
            pulses: Whether it will have tanks or thrusters that fire pulses, if it has no tank and no thruster has fired yet. Not needed
                for thrusters that are only throttled, or that a control loop fires.
            game_mode: Whether it will be in game mode, besides the mode that it is in now; None means that it keeps its mode.
            progress: For a loading bar; called as `progress(done, total, name)` before each kernel, and at the end with an empty name.

        Raises:
            TypeError: If an argument has the wrong type, such as an entry of `forces` that is neither a force nor a force class.
            ValueError: If a name is unknown, or `capacity` is below 1, or a method does not support game mode, joints or actuators.
            RuntimeError: If this is called inside a tick.

        Example:
            >>> world = World(1 / 60)
            >>> world.prepare(integrators=["rk4"], capacity=300, joints=True)  # doctest: +SKIP
        """
        owner = "World.prepare"
        if not self._store.is_idle:
            self._refuse_reentry("prepare")
        if progress is not None and not callable(progress):
            refuse(owner, "progress", progress, "a function of done, total and name", TypeError)
        modes = [self.game_mode] if game_mode is None else [self.game_mode, boolean(game_mode, "game_mode", owner)]
        methods = chosen_methods([self.integrator] if integrators is None else integrators, modes)
        acting = self._fields.in_order(chosen_kinds(self._forces))
        kinds = acting if forces is None else self._fields.in_order(chosen_kinds(forces))
        bodies = self._bodies
        wanted = bodies.count if capacity is None else integer(capacity, "capacity", owner, at_least=1)
        if wanted > _MOST_BODIES:
            refuse(owner, "capacity", capacity, f"at most {_MOST_BODIES}")
        will_have_joints = boolean(joints, "joints", owner) or self._joints.count > 0
        will_have_contacts = boolean(contacts, "contacts", owner) or self._joints.contacts.any
        will_have_wheels = boolean(wheels, "wheels", owner) or self._actuators.any
        sampled = [part for part in self.parts if isinstance(part, SampledPart)]
        may_fire = bool(sampled) and len(self.thrusters) > 0
        will_drive = boolean(pulses, "pulses", owner) or will_have_wheels or may_fire
        for method in methods if joints or contacts or wheels or pulses else ():
            (refuse_joints if joints or contacts else refuse_actuators)(method, owner)
        bodies.make_room(wanted)
        if wheels:
            bodies.expect_wheels()
        future = Future(
            integrators=methods,
            kinds_together=list(dict.fromkeys((tuple(acting), tuple(kinds)))),
            pitch=bodies.pitch,
            members=bodies.members,
            stores_momentum=bodies.stores_momentum,
            gyroscopic=[not mode for mode in dict.fromkeys(modes)],
            in_passes=self._plan.needs_passes or not background.comes_later(),
            has_runs=self._held.has_runs,
            has_joints=will_have_joints,
            has_contacts=will_have_contacts,
            calls_at_stages=bool(self._plan.stage_forces),
            drives_actuators=will_drive,
            has_thrusters=bool(pulses) or len(self.thrusters) > 0,
            coasts=self.coasting,
        )
        asked = kernels_of_queries() if boolean(queries, "queries", owner) else []
        asked += self._stages.loops_of_parts(self, sampled)
        wanted_kernels = kernels_for(future)
        known = {loop.function for loop in wanted_kernels}
        compile_all([*wanted_kernels, *(loop for loop in asked if loop.function not in known)], progress)
        self._stages.policy.is_prepared = True

    def profile(self) -> Profile:
        """Measure the time that each stage of the ticks takes.

        Returns:
            A context manager that measures while its `with` block runs.

        Example:
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5))
            >>> with world.profile() as profile:
            ...     world.step(100)
            >>> profile.ticks, sorted(profile.seconds)[:2]
            (100, ['call_after_tick', 'call_callbacks'])
        """
        return Profile(self._switch_profile)

    def state_hash(self) -> int:
        """Return a 64-bit hash that is equal for equal states.

        It covers the bodies, the tick count, the forces, joints and parts with their parameters (for control loops, including those of the
        law and the reference), the commands, the memory, the pending applied forces, the integrator, the game mode and `on_non_finite`.
        It does not cover the clock's remainder and skipped time, names, callbacks, or what forces and callbacks store outside the world.

        Returns:
            The hash, from 0 to 2⁶⁴ − 1.

        Example:
            >>> import copy
            >>> world = World(dt=0.01)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), angular_velocity_body=(0.1, 0.2, 0.3))
            >>> copied = copy.deepcopy(world)
            >>> world.step(10)
            >>> copied.step(10)
            >>> world.state_hash() == copied.state_hash()
            True
        """
        self._store.settle()
        return hash_of(self._digest())

    def _digest(self) -> Iterator[bytes]:
        tables, is_pushed = self._store.contents(), self._held.is_pushed
        count, values, members = self._bodies.count, self._settings.values, self._forces.image()
        yield from digest_of_world(count, self.tick_count, values, tables, is_pushed, members)
        yield from self._memory._digest()

    # inside

    def _refuse_reentry(self, method: str) -> NoReturn:
        if self._store.is_calling_here:
            cure = "set a flag there, and call it after World.step or World.advance has returned"
            raise RuntimeError(f"World.{method} cannot be called from inside a tick (a callback or a force); {cure}")
        refuse_other_thread(f"World.{method}")

    def _checked_ticks(self, ticks: object, owner: str = "World.step") -> int:
        ticks = integer(ticks, "ticks", owner, at_least=0)
        if ticks > self._last_tick - self._bodies.tick_count:
            refuse_time(ticks, self._bodies.tick_count, self._last_tick, self._dt, owner)
        return ticks

    def _use_method(self) -> None:
        self._plan.use(self.integrator, not self.game_mode)

    def _use_compilation(self) -> None:
        self._stages.policy.mode = self._settings["compilation"]
        self._store.change_layout()
        self._store.quiet = 0

    def _use_freezing(self) -> None:
        self._stages.freezing.use(self.on_non_finite == "freeze")

    def _switch_profile(self, profile: Profile | None) -> None:
        self._store.before_change()
        self._stages.time_with(profile)

    def _own_body(self, body: Body, owner: str, argument: str) -> int:
        """The row of a body of this world; any other is rejected."""
        if not isinstance(body, Body):
            refuse(owner, argument, body, "a body of this world", TypeError)
        if body.world is not self:
            refuse(owner, argument, body, "a body of this world")
        return body.index

    def _add(self, new: NewBodies) -> list[Body]:
        store, bodies = self._store, self._bodies
        names = new.fresh_names(self._bodies.by_name, first_number=bodies.count)
        with store.all_or_nothing():
            first_id = bodies.append(new.columns)
            store.record(self._forget_last, bodies.count - len(names), names)
            made = [new_body(self, bodies, first_id + place, name) for place, name in enumerate(names)]
            bodies.handles.extend(made)
            bodies.mass_properties.extend(new.mass_properties)
            self._bodies.by_name.update((body.name, body) for body in made)
        return made

    def _forget_last(self, count: int, names: list[str]) -> None:
        del self._bodies.handles[count:], self._bodies.mass_properties[count:]
        for name in names:
            self._bodies.by_name.pop(name, None)

    def _remove(self, chosen: list[Body], owner: str, argument: str) -> list[Member]:
        rows = np.array(sorted(self._own_body(body, owner, argument) for body in chosen), np.int64)
        if len(set(rows.tolist())) != len(rows):
            refuse(owner, argument, chosen, "a list that names each body once")
        store, bodies = self._store, self._bodies
        with store.all_or_nothing():
            store.before_change()
            gone = self._forces.remove_rows_of(rows)
            kept = np.ones(bodies.count, np.bool_)
            kept[rows] = False
            for name in ("handles", "mass_properties"):
                store.record(setattr, bodies, name, getattr(bodies, name))
                setattr(bodies, name, list(compress(getattr(bodies, name), kept.tolist())))
            store.record(self._bodies.by_name.update, {body.name: body for body in chosen})
            for body in chosen:
                del self._bodies.by_name[body.name]
            store.remove_rows(bodies, rows)
            self._forces.drop(gone)
        return gone

    # snapshots

    def snapshot(self) -> Snapshot:
        """Return everything that determines the future of this world, to which `restore` can go back.

        It contains all tables (bodies, forces, parts, pending applied forces, memory), the tick count, the clock with its remainder, the
        method, the game mode, `on_non_finite`, the callbacks in their order, names, previous poses for drawing, and the states of attached
        objects. Other Python objects, such as the internal state of a callback, are not part of it, unless they have `get_state()` and
        `set_state(state)`. The first snapshot of a world issues a warning that names the functions and Python forces that may keep state of
        their own. The `user_data` of bodies is not part of a snapshot.

        Returns:
            The snapshot.

        Raises:
            RuntimeError: If this is called inside a force, or while another thread steps this world.

        Example:
            >>> world = World(dt=0.01)
            >>> before = world.snapshot()
            >>> world.step(5)
            >>> world.restore(before)
            >>> world.tick_count
            0
        """
        is_idle = self._store.is_idle
        if self._store.phase is FORCES:
            raise RuntimeError("World.snapshot cannot be called inside a force; call it in a callback or between ticks")
        if not is_idle and not self._store.is_calling_here:
            refuse_other_thread("World.snapshot")
        if not self._has_looked_for_state:
            self._has_looked_for_state = True
            snapshots.warn_of_hidden_state(self._owners, stacklevel=3)
        return snapshots.take(self._owners)

    def restore(self, snapshot: Snapshot, *, missing: str = "raise", adopt: bool = False) -> None:
        """Go back, or forward, to a snapshot.

        Handles of bodies, forces and parts that existed at the snapshot are valid again, even if they were removed since then. The handles
        of those added after the snapshot raise an error that says so.

        A snapshot from bytes refers to bodies, functions and attached objects by name, and to forces and parts by row, or else by class and
        bodies. Objects that this world has are used; bodies and built-in forces and parts that it lacks are created.

        Args:
            snapshot: A snapshot of this world, or one that was read from bytes.
            missing: What to do if this world lacks a function, Python force or attached object of a snapshot from bytes: "raise", or "drop"
                to continue without it.
            adopt: Whether to accept a snapshot of another world, or of one with another dt. The number of ticks is kept.

        Raises:
            TypeError: If `snapshot` is not a snapshot.
            ValueError: If the snapshot is of another world or another dt, or refers to something that is not in this world.
            RuntimeError: If this is called inside a tick, or while another thread steps this world.

        Example:
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), name="ship", velocity=(1.0, 0.0, 0.0))
            >>> data = world.snapshot().to_bytes()
            >>> other = World(dt=0.5)
            >>> other.restore(Snapshot.from_bytes(data))
            >>> other.body("ship").velocity.tolist()
            [1.0, 0.0, 0.0]
        """
        if not isinstance(snapshot, Snapshot):
            refuse("World.restore", "snapshot", snapshot, "a Snapshot", TypeError)
        if not self._store.is_idle:
            self._refuse_reentry("restore")
        option(missing, "missing", "World.restore", ("raise", "drop"))
        snapshots.restore(self._owners, snapshot, missing, boolean(adopt, "adopt", "World.restore"))

    def fork(self, callbacks: str | Mapping[object, object] = "raise") -> World:
        """Return an independent copy of this world.

        Bodies, forces and parts of the copy have handles of their own: look them up by name, or by their places in `bodies`, `forces` and
        `parts`. `copy.deepcopy(world)` and pickle are the same as ``fork("raise")``.

        Args:
            callbacks: What to do with the functions of `on_tick`, `after_tick` and `on_joint`. "raise" copies them, and raises an error if
                one refers to a handle of this world, because it would change the original. "drop" leaves all of them out. A mapping
                replaces the functions and Python forces that are its keys with its values, and treats the others like "raise".

        Returns:
            The copy.

        Raises:
            ValueError: If a function or a Python force refers to a handle of this world, or a key is not a function of this world.
            RuntimeError: If this is called inside a tick, or while another thread steps this world.

        Example:
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), name="ship", velocity=(1.0, 0.0, 0.0))
            >>> other = world.fork()
            >>> other.step(4)
            >>> other.body("ship").position.tolist(), ship.position.tolist()
            ([2.0, 0.0, 0.0], [0.0, 0.0, 0.0])
        """
        if not self._store.is_idle:
            self._refuse_reentry("fork")
        image, added = copying.forked(self._owners, callbacks)
        made: World = object.__new__(type(self))
        made.__setstate__(image)
        for new in added:
            made._memory._join(new)
        return made

    def predict(
        self, seconds: float, every: int = 1, bodies: Iterable[Body] | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Return where bodies will be, without changing the world.

        No function of `on_tick`, `after_tick` or `on_joint` is called. Throttles and other commands keep their values, pulses continue,
        pending applied forces act, and parts are sampled. Python forces are called, and what they keep in `world.memory` or expose through
        `get_state()` and `set_state(state)` is restored. The result is bit for bit that of a fork without callbacks.

        Args:
            seconds: How far to look ahead [s], at least 0, rounded to whole ticks.
            every: The number of ticks from one sample to the next, at least 1.
            bodies: Bodies of this world; None means all.

        Returns:
            Positions of the mass centres [m], world frame, shape (k, n, 3), and orientations, scalar-last (x, y, z, w), body to world,
            shape (k, n, 4). There are n bodies and k samples, one after every `every` ticks.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If a value is out of range, or a body is in another world.
            NonFiniteStateError: If the state would not stay finite.
            RuntimeError: If this is called inside a tick, or while another thread steps this world.

        Example:
            >>> world = World(dt=0.5)
            >>> ship = world.add_body(MassProperties.sphere(1.0, 0.5), velocity=(1.0, 0.0, 0.0))
            >>> positions, orientations = world.predict(2.0, every=2)
            >>> positions[:, 0].tolist(), world.time
            ([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], 0.0)
        """
        owner = "World.predict"
        ahead = real(seconds, "seconds", owner, at_least=0.0)
        every = count_of_ticks(every, "every", owner)
        rows: list[int] | None = None
        if bodies is not None:
            chosen = members(bodies, "bodies", owner, "a list of bodies of this world", is_body)
            rows = [self._own_body(body, owner, "bodies") for body in chosen]
        if not self._store.is_idle:
            self._refuse_reentry("predict")
        ticks = ahead / self._dt
        if ticks > self._last_tick - self._bodies.tick_count:
            refuse(owner, "seconds", seconds, "a time that this world can reach")
        return prediction.predict(self._owners, self.step, round(ticks) // every, every, rows)

    # files

    def save(self, path: str | os.PathLike[str], *, snapshot: bool = True) -> None:
        """Write this world to a human-readable JSON file.

        The file contains bodies, forces, parts, memory, method, and the names of functions. It is read back before it replaces the
        old file, written under a temporary name and then renamed, so that a file that exists can be loaded.

        Args:
            path: The file, which is replaced if it exists.
            snapshot: Whether to add a snapshot, with which `load` restores every bit. Without it, the file is a scene, which starts at tick
                0 with the current state.

        Raises:
            ValueError: If a force or part cannot be written, what was written could not be loaded, or a lambda that the world calls has
                no name of its own, by which `load` would find it.
            OSError: If the file cannot be written.
            RuntimeError: If this is called inside a tick, or while another thread steps this world.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> world = World(dt=0.5)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     world.save(Path(folder) / "scene.json", snapshot=False)
            ...     World.load(Path(folder) / "scene.json").dt
            0.5
        """
        if not self._store.is_idle:
            self._refuse_reentry("save")
        with_snapshot = boolean(snapshot, "snapshot", "World.save")
        scenes.save(self._owners, path, self.snapshot() if with_snapshot else None, World)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        objects: Mapping[str, object] = MappingProxyType({}),
        missing: str = "raise",
        threads: int = 1,
    ) -> World:
        """Return a world from a file that was written by `save` or by hand. No code from the file is run.

        Args:
            path: The file.
            objects: The functions, Python forces, attached objects and classes of compiled forces that the file names.
            missing: What to do if the file names a function, Python force or attached object that is not in `objects`: "raise", or "drop"
                to continue without it.
            threads: Maximum number of threads that share a tick, as in `World`.

        Returns:
            The new world.

        Raises:
            TypeError: If an argument has the wrong type.
            ValueError: If the file is not a scene. The message names the place of the error, such as ``bodies[3].orientation``.
            OSError: If the file cannot be read.

        Example:
            >>> import tempfile
            >>> from pathlib import Path
            >>> world = World(dt=1 / 60)
            >>> ship = world.add_body(MassProperties.box(1200.0, (2.0, 2.0, 4.0)), name="ship", velocity=(1.0, 0.0, 0.0))
            >>> world.step(60)
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     world.save(Path(folder) / "game.json")
            ...     other = World.load(Path(folder) / "game.json")
            >>> other.tick_count, other.state_hash() == world.state_hash()
            (60, True)
        """
        return scenes.load(partial(cls, threads=threads), path, objects, missing)

    # copies

    def __copy__(self) -> World:
        raise TypeError(
            "World: a shallow copy would share its arrays with this world, so that stepping one changes the other; use copy.deepcopy(world)"
        )

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return copyreg.__newobj__, (type(self),), copying.image_of(self._owners)  # type: ignore[attr-defined]

    def __setstate__(self, image: copying.Image) -> None:
        self.__init__(image.plain.exact_dt, threads=image.threads)  # type: ignore[misc]
        copying.fill(self._owners, image)


class _Frame:
    """The frame of `World.advance`, for `Store.unfinished`; its time is settled after an exception.

    Attributes:
        before: The tick count at its start.
    """

    __slots__ = ("_store", "before", "begun_in", "frame", "outer", "thread")

    def __init__(self, store: Store) -> None:
        self._store = store
        self.before = self.thread = 0
        self.begun_in = BETWEEN_TICKS
        self.frame: FrameType | None = None
        self.outer: Unfinished | None = None

    def finish(self) -> None:
        """Settle the time of the ticks that were handed out and not run."""
        self.thread = get_ident()
        self._store.world()._end_frame(self.before)
        self._store.unfinished, self.outer = self.outer, None


def _check_name(name: object, owner: str) -> None:
    """Reject a name of a function that is neither None nor a non-empty string."""
    if name is not None and (not isinstance(name, str) or not name):
        refuse(owner, "name", name, "a non-empty string, or None", TypeError)
    if isinstance(name, str):
        encodable(name, "name", owner)


def _sum(vectors: FloatArray) -> FloatArray:
    return read_only(np.array([math.fsum(component) for component in vectors.T]))


_HOST: type[Host] = World
_HOST_OF_JOINTS: type[HostOfJoints] = World
"""For type checkers: a world has what forces, parts and joints use of it."""
