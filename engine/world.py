"""Owns bodies, forces, integrator and clock, and takes the ticks."""

from __future__ import annotations  # help() then shows them as written

import copyreg
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from . import copying, diagnostics
from .body import Body, new_body
from .calling import Callback, check_calls, identity
from .checks import FloatArray, integer, read_only, real, refuse, vector
from .clock import Clock
from .forces.force import Force, TableForce
from .forces.spring import SPRINGS
from .forces.thruster import THRUSTERS
from .integrators import Integrator, by_name
from .mass_properties import MassProperties
from .model import Model
from .new_bodies import NewBodies
from .state import State
from .store.bodies import Bodies
from .store.memory import Memory
from .store.schema import Schema
from .store.store import BETWEEN_TICKS, FORCES, MOVING, Store, hash_of, refuse_other_thread
from .store.views import TableView
from .tick.fields import Fields
from .tick.force_list import AnyForce, ForceList
from .tick.held import Held
from .tick.plan import Plan
from .tick.profile import Profile
from .tick.stages import Stages, refuse_time
from .tick.wrenches import wrench_on

DEFAULT_INTEGRATOR = "free-rotor-2"
"""Exact in free flight at any spin and step, and measured at 1.3 × the cost of "rk4" for one body stepped from Python (1.0 against
0.8 µs a tick with gravity and a thruster; 2.5 × in a long `step(n)`): `python -m tests.benchmarks`."""

_MOST_TICKS = 2**53
"""Tick counts beyond this would not have times of their own."""


class World:
    """Bodies and forces, moved forward in ticks of one fixed length.

    A tick calls the functions that are due, sums the forces, and lets the integrator write the next state. It is all or nothing: when a
    function or a force raises, or the result is not finite, the world is as it was before that tick. That includes what callbacks have
    changed, and what forces and callbacks remember in `memory` or through `get_state()` and `set_state(state)`; what they keep elsewhere is
    not undone. The pose drawn after a tick that was not finite is not blended.

    Args:
        dt: Length of a tick [s], above zero; it never changes. A `Fraction` is taken exactly by the clock.
        integrator: A method from `integrators`, or its name; None is "free-rotor-2".
        game_mode: Drop ω × (I ω + h) from the equation of motion, and nothing else: a free body then keeps its body rates, and its
            angular momentum turns with it.
        max_ticks_per_frame: The most ticks that one `advance` takes; time beyond is dropped and counted.
        threads: How many threads may share a tick; a world of fewer than 4096 bodies per thread uses fewer. The results are the same to the
            last bit. Ticks in which a force has to be called at each stage are taken by one. A world itself is used by one Python thread at
            a time.

    Raises:
        TypeError: An argument is not of the right kind.
        ValueError: `dt` is not above zero, a count is below one, or no integrator has the name.

    Example:
        >>> from engine import MassProperties, World
        >>> world = World(dt=1 / 120)
        >>> ship = world.add_body(MassProperties.box(mass=1200.0, size=(2.0, 2.0, 4.0)), velocity=(1.0, 0.0, 0.0))
        >>> world.step(120)
        >>> ship.position.round(12).tolist()
        [1.0, 0.0, 0.0]
    """

    __slots__ = (
        "__weakref__",
        "_bodies",
        "_clock",
        "_dt",
        "_exact_dt",
        "_fields",
        "_forces",
        "_game_mode",
        "_held",
        "_in_frame",
        "_integrator",
        "_last_tick",
        "_memory",
        "_model",
        "_names",
        "_paused",
        "_plan",
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
        threads: int = 1,
    ) -> None:
        self._dt = real(dt, "dt", "World", above=0.0)
        self._exact_dt = dt
        self._clock = Clock(dt, max_ticks_per_frame)
        self._threads = integer(threads, "threads", "World", at_least=1)
        self._last_tick = min(_MOST_TICKS, int(min(sys.float_info.max / self._dt, float(_MOST_TICKS))))
        self._paused = self._in_frame = False
        self._names: dict[str, Body] = {}
        # state: tables, and what is held in them by name
        self._store = Store(self)
        self._bodies = Bodies(self._store, is_shared=self._threads > 1)
        self._store.tables[self._bodies.schema.name] = self._bodies
        self._memory = Memory(self._store)
        self._state = State(self._bodies)
        self._model = Model(self._bodies)
        # the tick: what is held over it, what is evaluated in it, what takes it
        self._held = Held(self._bodies, self._store)
        self._bodies.on_change = self._held.bodies_changed
        self._fields = Fields(self._bodies, self._store)
        self._plan = Plan(self._bodies, self._held, self._fields, self._dt, self._threads)
        self._forces = ForceList(self._store, self._bodies, self._plan, self._memory)
        self._stages = Stages(
            self._store, self._bodies, self._plan, self._memory, self._forces, self._dt, self._last_tick
        )
        self._store.on_change = self._stages.disturb
        self._game_mode = False
        self.integrator = DEFAULT_INTEGRATOR if integrator is None else integrator
        self.game_mode = game_mode

    def __repr__(self) -> str:
        count = self._bodies.count
        bodies = f"{count} {'body' if count == 1 else 'bodies'}"
        return f"<World with {bodies} at t = {self.time:g} s, dt = {self._dt:g} s, {self._integrator.name}>"

    # time

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""
        return self._dt

    @property
    def tick_count(self) -> int:
        """Ticks taken since the world was made."""
        return self._bodies.tick_count

    @property
    def time(self) -> float:
        """Simulated time [s]: `tick_count * dt`, never a running sum."""
        return self._bodies.tick_count * self._dt

    @property
    def alpha(self) -> float:
        """How far wall time reaches into the next tick, in [0, 1): the blend factor for drawing."""
        return self._clock.alpha

    @property
    def dropped_time(self) -> float:
        """Simulated time [s] that was due and never flown: a frame wanted more than `max_ticks_per_frame` ticks, or a tick failed."""
        return self._clock.dropped_time

    @property
    def time_scale(self) -> float:
        """Simulated over wall time, at least 0. Changes how many ticks `advance` takes, never their length."""
        return self._clock.time_scale

    @time_scale.setter
    def time_scale(self, value: float) -> None:
        self._store.before_change()
        self._store.record(setattr, self._clock, "time_scale", self._clock.exact_time_scale)
        self._clock.time_scale = value

    @property
    def paused(self) -> bool:
        """While true, `advance` takes no ticks and forgets the time it is given; `step` still steps."""
        return self._paused

    @paused.setter
    def paused(self, value: bool) -> None:
        value = _boolean(value, "paused")
        self._store.before_change()
        self._store.record(setattr, self, "_paused", self._paused)
        self._paused = value

    def advance(self, elapsed_seconds: float) -> int:
        """Take the whole ticks that fit into the wall time gone by; the rest is kept for the next call.

        Args:
            elapsed_seconds: Wall time [s] since the last call, at least 0; any frame rate.

        Returns:
            How many ticks were taken, at most `max_ticks_per_frame`.
        """
        if self._store.phase is not BETWEEN_TICKS:
            self._refuse_reentry("advance")
        if self._paused:
            real(elapsed_seconds, "elapsed_seconds", "World.advance", at_least=0.0)
            return 0
        ticks = self._clock.ticks_for(elapsed_seconds)
        before = self._bodies.tick_count
        self._in_frame = True
        try:
            self.step(ticks)
        finally:
            self._in_frame = False
            taken = self._bodies.tick_count - before
            if taken < ticks:  # some failed or came after a callback paused the world
                self._clock.drop(ticks - taken)
        return taken

    def step(self, ticks: int = 1) -> None:
        """Take ticks, whatever the wall clock says. Forces applied by `Body.apply_force` and its kin act in the first of them.

        Args:
            ticks: How many, at least 0.

        Raises:
            TypeError: `ticks` is not an integer.
            ValueError: It is below 0, or the time after so many ticks would be more than a number can hold.
            NonFiniteStateError: A tick gave numbers that are not finite; the world is as it was before that tick.
            RuntimeError: It is called from inside a tick, or while another thread steps this world.
        """
        if type(ticks) is not int or not 0 <= ticks <= 1_000_000:
            ticks = self._checked_ticks(ticks)
        store, stages = self._store, self._stages
        # Between this question and the next line CPython does not change threads: one of two that come here is refused.
        if store.phase is not BETWEEN_TICKS:
            self._refuse_reentry("step")
        store.phase = MOVING
        try:
            while ticks > 0:
                if stages.quiet >= ticks:  # nobody is called in these ticks, and nothing has changed since the last
                    if ticks <= stages.most_at_once:
                        taken = stages.run(ticks)
                        if taken != ticks:
                            stages.refuse_result()
                    else:
                        taken = stages.run_for_a_while()
                    stages.quiet -= taken
                elif self._in_frame and self._paused:
                    break
                else:
                    stages.call_callbacks()
                    stages.gather_held()
                    taken = stages.move(ticks)
                    stages.commit(taken)
                    stages.call_after_tick()
                ticks -= taken
        except BaseException as error:
            stages.take_back(error)
            raise
        finally:
            store.phase = BETWEEN_TICKS

    # how it moves

    @property
    def integrator(self) -> Integrator:
        """The method that takes the ticks; assign one, or its name."""
        return self._integrator

    @integrator.setter
    def integrator(self, value: Integrator | str) -> None:
        rule = f"an integrator or one of the names {', '.join(sorted(by_name))}"
        if isinstance(value, str):
            if value not in by_name:
                refuse("World", "integrator", value, rule)
            value = by_name[value]()
        if not isinstance(value, Integrator):
            refuse("World", "integrator", value, rule, TypeError)
        value.check_game_mode(self._game_mode)
        with self._store.all_or_nothing():
            self._store.before_change()
            if hasattr(self, "_integrator"):
                self._store.record(self._use, self._integrator, self._game_mode)
            self._use(value, self._game_mode)
            self._bodies.forget_history()

    @property
    def game_mode(self) -> bool:
        """Whether the gyroscopic term ω × (I ω + h) is left out."""
        return self._game_mode

    @game_mode.setter
    def game_mode(self, value: bool) -> None:
        value = _boolean(value, "game_mode")
        self._integrator.check_game_mode(value)
        self._store.before_change()
        self._store.record(self._use, self._integrator, self._game_mode)
        self._use(self._integrator, value)

    @property
    def threads(self) -> int:
        """How many threads may share a tick."""
        return self._threads

    # bodies

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, in the order of the rows of the world's arrays."""
        return tuple(self._bodies.handles)

    def body(self, name: str) -> Body:
        """The body of this name; `KeyError` where there is none."""
        try:
            return self._names[name]
        except KeyError:
            raise KeyError(
                f"World: no body is named {name!r}; there are {', '.join(map(repr, self._names)) or 'none'}"
            ) from None

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
            mass_properties: Its mass, inertia and mass centre; a tensor without an inverse is refused.
            name: A name that no other body of this world has; None makes one.
            position: Position of the mass centre [m], world frame, shape (3,); or
            origin: of the origin of its body axes; the world's origin where neither is given.
            orientation: Unit quaternion, scalar-last (x, y, z, w), body to world, shape (4,).
            velocity: Velocity of the mass centre [m/s], world frame, shape (3,).
            angular_velocity_body: Angular velocity [rad/s], body frame, shape (3,); or
            angular_velocity_world: in world frame; at rest where neither is given.
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

        Args are those of `add_body`, each as one row a body, shape (n, 3) or (n, 4), or as one for all, shape (3,) or (4,).
        `mass_properties` is one for all or a list of n; `names` is a list of n. What has rows says how many bodies are meant.
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

    def remove_body(self, body: Body) -> list[AnyForce]:
        """Remove a body. The forces that name it go with it and are returned; a drag on a list of bodies only loses it from the list."""
        return self._remove([body], "World.remove_body", "body")

    def remove_bodies(self, bodies: Iterable[Body]) -> list[AnyForce]:
        """Remove several bodies at once, in one move of the arrays.

        Args:
            bodies: Bodies of this world, each named once.

        Returns:
            The forces that went with them, in the order of adding.

        Raises:
            TypeError: One of them is not a body.
            ValueError: One of them is not of this world, or named twice.

        Example:
            >>> world = World(dt=0.01)
            >>> rocks = world.add_bodies(MassProperties.sphere(1.0, 0.5), [(0, 0, 0), (1, 0, 0), (2, 0, 0)])
            >>> world.remove_bodies(rocks[:2])
            []
            >>> len(world.bodies)
            1
        """
        if isinstance(bodies, str | Body) or not isinstance(bodies, Iterable):
            refuse("World.remove_bodies", "bodies", bodies, "a list of bodies of this world", TypeError)
        return self._remove(list(bodies), "World.remove_bodies", "bodies")

    @property
    def state(self) -> State:
        """What changes with time, as arrays in body order."""
        return self._state

    @property
    def model(self) -> Model:
        """The mass properties, as arrays in body order."""
        return self._model

    # forces and callbacks

    @property
    def forces(self) -> tuple[AnyForce, ...]:
        """The forces, in the order in which they were added."""
        return tuple(self._forces)

    @property
    def thrusters(self) -> TableView:
        """All thrusters, jets of banks included, as whole arrays in the order of adding: `world.thrusters.throttle = array` sets all."""
        return TableView(self._store, THRUSTERS)

    @property
    def springs(self) -> TableView:
        """All springs, as whole arrays in the order of adding."""
        return TableView(self._store, SPRINGS)

    def fields(self, kind: type[Force]) -> TableView:
        """All forces of one built-in or compiled kind, as whole arrays with one row per force, or one per body that it names.

        Args:
            kind: The class, `forces.LinearDrag` say.

        Raises:
            TypeError: It is not a class of forces that have rows.
        """
        if (
            not isinstance(kind, type)
            or not issubclass(kind, TableForce)
            or not isinstance(getattr(kind, "_schema", None), Schema)
        ):
            refuse("World.fields", "kind", kind, "a class of engine.forces, or one made by forces.compiled", TypeError)
        return TableView(self._store, kind._schema)

    @property
    def memory(self) -> Memory:
        """Named memory for anybody's Python objects: undone with a failed tick, part of the state hash, copied with the world."""
        return self._memory

    def add_force(self, force: AnyForce) -> AnyForce:
        """Add a force of `engine.forces`, an object with `apply(wrench, bodies, time)`, or a function of these arguments; returns it."""
        self._forces.add(force)
        return force

    def remove_force(self, force: AnyForce) -> None:
        """Remove a force that was added."""
        self._forces.remove(force)

    def on_tick(self, function: Callable[[World], Any] | None = None, every: int = 1) -> Any:
        """Call `function(world)` at the start of each tick whose `tick_count % every == 0`, before the forces.

        Works as a decorator, with or without arguments, and returns the function. Functions are called in the order in which they
        were added. `world.time` is then the start of the tick; pushes applied inside act in this tick.
        """
        return self._call("on_tick", function, every)

    def after_tick(self, function: Callable[[World], Any] | None = None, every: int = 1) -> Any:
        """Call `function(world)` after each tick that makes `tick_count` a multiple of `every`, once the tick is taken.

        It may read everything and change the world, for the next tick, but not step it. If it raises, the tick stays taken, no further
        one is, and what it has changed is undone. Works as a decorator, with or without arguments, and returns the function.

        Args:
            function: What is called, with the world; or None in a decorator with arguments.
            every: At which ticks, at least 1.

        Raises:
            TypeError: The function cannot be called, or is a generator or a coroutine.
            ValueError: `every` is below 1.

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
        return self._call("after_tick", function, every)

    def _call(self, when: str, function: Any, every: int) -> Any:
        every = integer(every, "every", f"World.{when}", at_least=1)
        if function is None:
            return lambda decorated: self._call(when, decorated, every)
        if not callable(function):
            refuse(f"World.{when}", "function", function, "a function of the world", TypeError)
        check_calls(function, f"World.{when}", "function", "a function of the world")
        stages = self._stages
        with self._store.all_or_nothing():
            self._store.before_change()
            self._memory.join(function)
            self._store.record(setattr, stages, when, getattr(stages, when))
            setattr(stages, when, [*getattr(stages, when), Callback(function, every)])
        return function

    def remove_callback(self, function: Callable[[World], Any]) -> None:
        """Stop calling a function that `on_tick` or `after_tick` was given."""
        key, stages = identity(function), self._stages
        kept = {
            name: [callback for callback in getattr(stages, name) if identity(callback.function) != key]
            for name in ("on_tick", "after_tick")
        }
        if all(len(kept[name]) == len(getattr(stages, name)) for name in kept):
            refuse("World.remove_callback", "function", function, "one that on_tick or after_tick was given")
        with self._store.all_or_nothing():
            self._store.before_change()
            for name, left in kept.items():
                for _ in range(len(getattr(stages, name)) - len(left)):
                    self._memory.leave(function)
                self._store.record(setattr, stages, name, getattr(stages, name))
                setattr(stages, name, left)

    # what can be read off the whole

    def interpolated_poses(self) -> tuple[FloatArray, FloatArray]:
        """World positions of the bodies' origins [m] (n, 3) and orientations (n, 4), blended by `alpha`. For drawing only."""
        return self.state.interpolated_poses(self.alpha)

    def kinetic_energy(self) -> float:
        """Σ m v²/2 + ω·Iω/2 [J]; wheels inside the bodies not counted."""
        moving = diagnostics.translational_energy(self.model.mass, self.state.velocity)
        turning = diagnostics.rotational_energy(self.model.inertia_body, self.state.angular_velocity_body)
        return math.fsum(moving) + math.fsum(turning)

    def potential_energy(self) -> float:
        """Sum of the potential energies [J] of the forces that have one; drag, thrusters and functions have none."""
        return math.fsum(math.fsum(energies) for energies in self._forces.potential_energies())

    def linear_momentum(self) -> FloatArray:
        """Σ m v [N·s], world frame, shape (3,)."""
        return _sum(self.model.mass[:, np.newaxis] * self.state.velocity)

    def angular_momentum(self, about: npt.ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """Angular momentum of all bodies, stored momentum included, about a world point [N·m·s], world frame, shape (3,)."""
        point = vector(about, "about", "World.angular_momentum")
        state, model = self.state, self.model
        spin = diagnostics.spin_angular_momentum(
            state.orientation, model.inertia_body, state.angular_velocity_body, state.stored_momentum_body
        )
        return _sum(spin + diagnostics.orbital_angular_momentum(model.mass, state.position, state.velocity, point))

    def wrench(self, body: Body, force: AnyForce | None = None) -> tuple[FloatArray, FloatArray]:
        """The force and torque on a body now, at the present state and time, pending pushes included. Nothing changes.

        The sum over all forces and the pushes is that of the whole. A force that has to be called is called once; what it remembers,
        where it has joined `world.memory`, is put back.

        Args:
            body: A body of this world.
            force: A force of this world, for its share alone; None for the whole.

        Returns:
            Net force [N], world frame, and net torque about the mass centre [N·m], body frame, each of shape (3,).

        Raises:
            RuntimeError: It is called inside a force.
            ValueError: The body or the force is not of this world.
        """
        self._own_body(body, "World.wrench", "body")
        if force is not None and not any(force is own or identity(force) == identity(own) for own in self._forces):
            refuse("World.wrench", "force", force, "a force of this world, or None")
        store = self._store
        if store.phase is not BETWEEN_TICKS and not store.is_calling_here:
            refuse_other_thread("World.wrench")
        if store.phase is FORCES:
            raise RuntimeError("World.wrench: it cannot be asked inside a force; ask in a callback or between ticks")
        phase = store.phase
        with store.trial(self._memory.objects):
            store.enter(FORCES)
            try:
                return wrench_on(
                    body.index,
                    self._plan,
                    self._bodies,
                    self._forces if force is None else [force],
                    force is None,
                    self.time,
                )
            finally:
                store.enter(phase)
                self._stages.quiet = 0

    def profile(self) -> Profile:
        """Where the time of ticks goes: `with world.profile() as profile: world.step(1000)`, then `print(profile)`."""
        return Profile(self._switch_profile)

    def state_hash(self) -> int:
        """64 bits, equal for equal states.

        Covered are bodies, tick count, forces with their parameters, commands, memory, pending pushes, integrator and game mode. Not
        covered: time owed or dropped, names, and what forces and callbacks keep outside the world.
        """
        return hash_of(self._digest())

    def _digest(self) -> Iterator[bytes]:
        yield f"{self._bodies.count} {self._bodies.tick_count} {self._integrator!r} {self._game_mode}".encode()
        yield from self._store.digest(self._held.is_pushed)
        yield from (name.encode() for name in self._forces.names())
        yield from self._memory.digest()

    # inside

    def _refuse_reentry(self, method: str) -> NoReturn:
        if self._store.is_calling_here:
            raise RuntimeError(f"World.{method} cannot be called from inside a tick (a callback or a force)")
        refuse_other_thread(f"World.{method}")

    def _checked_ticks(self, ticks: Any) -> int:
        ticks = integer(ticks, "ticks", "World.step", at_least=0)
        if ticks > self._last_tick - self._bodies.tick_count:
            refuse_time(ticks, self._bodies.tick_count, self._last_tick, self._dt)
        return ticks

    def _use(self, integrator: Integrator, game_mode: bool) -> None:
        self._integrator, self._game_mode = integrator, game_mode
        self._plan.use(integrator, not game_mode)

    def _switch_profile(self, profile: Profile | None) -> None:
        self._store.before_change()
        self._stages.time_with(profile)

    def _own_body(self, body: Body, owner: str, argument: str) -> int:
        """The row of a body of this world."""
        if not isinstance(body, Body):
            refuse(owner, argument, body, "a body of this world", TypeError)
        if body.world is not self:
            refuse(owner, argument, body, "a body of this world")
        return body.index

    def _add(self, new: NewBodies) -> list[Body]:
        store, bodies = self._store, self._bodies
        names = new.fresh_names(self._names, first_number=bodies.count)
        with store.all_or_nothing():
            first_id = bodies.append(new.columns)
            store.record(self._forget_last, bodies.count - len(names), names)
            made = [new_body(self, bodies, first_id + place, name) for place, name in enumerate(names)]
            bodies.handles.extend(made)
            bodies.mass_properties.extend(new.mass_properties)
            self._names.update((body.name, body) for body in made)
        return made

    def _forget_last(self, count: int, names: list[str]) -> None:
        del self._bodies.handles[count:], self._bodies.mass_properties[count:]
        for name in names:
            self._names.pop(name, None)

    def _remove(self, chosen: list[Any], owner: str, argument: str) -> list[AnyForce]:
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
            store.record(self._names.update, {body.name: body for body in chosen})
            for body in chosen:
                del self._names[body.name]
            store.remove_rows(bodies, rows)
            self._forces.drop(gone)
        return gone

    # copies

    def __copy__(self) -> World:
        raise TypeError("World: a shallow copy would share its arrays and move this world; use copy.deepcopy(world)")

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self),), copying.image_of(self)  # type: ignore[attr-defined]

    def __setstate__(self, image: dict[str, Any]) -> None:
        copying.restore(self, image)


def _boolean(value: Any, argument: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        refuse("World", argument, value, "True or False", TypeError)
    return bool(value)


def _sum(vectors: FloatArray) -> FloatArray:
    return read_only(np.array([math.fsum(component) for component in vectors.T]))
