"""Owns bodies, forces, integrator and clock, and takes the ticks."""

from __future__ import annotations  # help() then shows them as written

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from . import diagnostics
from .body import Body
from .checkpoint import Checkpoint
from .checks import FloatArray, NonFiniteStateError, integer, read_only, real, refuse, vector
from .clock import Clock
from .columns import Columns
from .forces.force_set import AnyForce, ForceSet
from .integrators import Integrator, by_name
from .kernels.layout import PREVIOUS, STATE_ROWS
from .mass_properties import MassProperties
from .model import Model
from .new_bodies import NewBodies
from .parts import TakeTicks
from .state import State
from .stepper import Stepper

DEFAULT_INTEGRATOR = "free-rotor-2"
"""Exact in free flight at any spin and step, and measured at 1.3 × the cost of "rk4" for one body stepped from Python (1.0 against
0.8 µs a tick with gravity and a thruster; 2.5 × in a long `step(n)`): `python -m tests.benchmarks`."""

Callback = Callable[["World"], Any]


class _Phase(Enum):
    BETWEEN_TICKS = 0
    CALLBACKS = 1
    FORCES = 2


_BETWEEN_TICKS = _Phase.BETWEEN_TICKS  # looked up at every tick


class World:
    """Bodies and forces, moved forward in ticks of one fixed length.

    A tick runs the callbacks, adds up the forces, and lets the integrator write the next state. It is all or nothing: when a callback or
    a force raises, or the result is not finite, the world is as it was before that tick (callbacks' changes included; what a force or
    callback keeps outside the world is its own affair; the pose drawn after a tick that was not finite is not blended).

    Args:
        dt: Length of a tick [s], above zero; it never changes. A `Fraction` is taken exactly by the clock.
        integrator: A method from `integrators`, or its name; None is "free-rotor-2".
        game_mode: Drop ω × (I ω + h) from the equation of motion, and nothing else: a free body then keeps its body rates, and its
            angular momentum turns with it.
        max_ticks_per_frame: The most ticks that one `advance` takes; time beyond is dropped and counted.
        threads: How many threads may share a tick; a world of fewer than 4096 bodies a thread uses fewer. The results are the same to the
            last bit. Ticks in which a force has to be called at each stage are taken by one.
    """

    __slots__ = (
        "__weakref__",
        "_bodies",
        "_callbacks",
        "_checkpoint",
        "_clock",
        "_columns",
        "_dt",
        "_forces",
        "_game_mode",
        "_integrator",
        "_mass_properties",
        "_model",
        "_names",
        "_paused",
        "_phase",
        "_state",
        "_stepper",
        "_threads",
        "_tick_count",
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
        self._clock = Clock(dt, max_ticks_per_frame)
        self._threads = integer(threads, "threads", "World", at_least=1)
        self._tick_count = 0
        self._paused = False
        self._phase = _Phase.BETWEEN_TICKS
        self._columns = Columns()
        self._columns.before_change = self._before_change
        self._bodies: list[Body] = []
        self._names: dict[str, Body] = {}
        self._mass_properties: list[MassProperties] = []
        self._forces = ForceSet(self._columns, self._bodies, self._before_change)
        self._stepper = Stepper(self._columns, self._forces, self._dt, self._threads)
        self._callbacks: list[tuple[Callback, int]] = []
        self._checkpoint: Checkpoint | None = None
        self._state = State(self._columns, self._before_change)
        self._model = Model(self._columns)
        self._game_mode = False
        self.integrator = DEFAULT_INTEGRATOR if integrator is None else integrator
        self.game_mode = game_mode

    def __repr__(self) -> str:
        return f"<World of {len(self._bodies)} bodies at t = {self.time:g} s, dt = {self._dt:g} s, {self._integrator.name}>"

    # time

    @property
    def dt(self) -> float:
        """Length of a tick [s]."""
        return self._dt

    @property
    def tick_count(self) -> int:
        """Ticks taken since the world was made."""
        return self._tick_count

    @property
    def time(self) -> float:
        """Simulated time [s]: `tick_count * dt`, never a running sum."""
        return self._tick_count * self._dt

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
        self._before_change()
        self._clock.time_scale = value

    @property
    def paused(self) -> bool:
        """While true, `advance` takes no ticks and forgets the time it is given; `step` still steps."""
        return self._paused

    @paused.setter
    def paused(self, value: bool) -> None:
        value = _boolean(value, "paused")
        self._before_change()
        self._paused = value

    def advance(self, elapsed_seconds: float) -> int:
        """Take the whole ticks that fit into the wall time gone by; the rest is kept for the next call.

        Args:
            elapsed_seconds: Wall time [s] since the last call, at least 0; any frame rate.

        Returns:
            How many ticks were taken, at most `max_ticks_per_frame`.
        """
        if self._phase is not _BETWEEN_TICKS:
            self._refuse_reentry("advance")
        if self._paused:
            real(elapsed_seconds, "elapsed_seconds", "World.advance", at_least=0.0)
            return 0
        ticks = self._clock.ticks_for(elapsed_seconds)
        before = self._tick_count
        try:
            self._take(ticks, until_paused=True)
        finally:
            taken = self._tick_count - before
            if taken < ticks:  # some failed or came after a callback paused the world
                self._clock.drop(ticks - taken)
        return taken

    def step(self, ticks: int = 1) -> None:
        """Take ticks, whatever the wall clock says. Forces applied by `Body.apply_force` and its kin act in the first of them.

        Args:
            ticks: How many, at least 0.
        """
        if type(ticks) is not int or ticks < 0:
            ticks = integer(ticks, "ticks", "World.step", at_least=0)
        if self._phase is not _BETWEEN_TICKS:
            self._refuse_reentry("step")
        self._take(ticks)

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
        self._before_change()
        self._integrator = value
        self._stepper.use(value, not self._game_mode)
        self._columns.forget_history()

    @property
    def game_mode(self) -> bool:
        """Whether the gyroscopic term ω × (I ω + h) is left out."""
        return self._game_mode

    @game_mode.setter
    def game_mode(self, value: bool) -> None:
        value = _boolean(value, "game_mode")
        self._integrator.check_game_mode(value)
        self._before_change()
        self._game_mode = value
        self._stepper.use(self._integrator, not value)

    @property
    def threads(self) -> int:
        """How many threads may share a tick."""
        return self._threads

    # bodies

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, in the order of the rows of the world's arrays."""
        return tuple(self._bodies)

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
        if not isinstance(body, Body):
            refuse("World.remove_body", "body", body, "a body of this world", TypeError)
        if body.world is not self:
            refuse("World.remove_body", "body", body, "a body of this world")
        self._before_change()
        gone = self._forces.forget_body(body)
        index = body.index
        self._columns.remove(index)
        del self._bodies[index], self._mass_properties[index], self._names[body.name]
        body._index = -1
        self._renumber()
        return gone

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
        return tuple(self._forces.forces)

    def add_force(self, force: AnyForce) -> AnyForce:
        """Add a force of `engine.forces`, an object with `apply(wrench, bodies, time)`, or a function of these arguments; returns it."""
        self._before_change()
        self._forces.add(force)
        return force

    def remove_force(self, force: AnyForce) -> None:
        """Remove a force that was added."""
        self._before_change()
        self._forces.remove(force)

    def on_tick(self, function: Callback | None = None, every: int = 1) -> Any:
        """Call `function(world)` at the start of each tick whose `tick_count % every == 0`, before the forces.

        Works as a decorator, with or without arguments, and returns the function. Functions are called in the order in which they
        were added. `world.time` is then the start of the tick; pushes applied inside act in this tick.
        """
        every = integer(every, "every", "World.on_tick", at_least=1)
        if function is None:
            return lambda decorated: self.on_tick(decorated, every)
        if not callable(function):
            refuse("World.on_tick", "function", function, "a function of the world", TypeError)
        self._before_change()
        self._callbacks.append((function, every))
        return function

    def remove_callback(self, function: Callback) -> None:
        """Stop calling a function that `on_tick` was given."""
        kept = [pair for pair in self._callbacks if pair[0] != function]
        if len(kept) == len(self._callbacks):
            refuse("World.remove_callback", "function", function, "one that on_tick was given")
        self._before_change()
        self._callbacks = kept

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

    def state_hash(self) -> int:
        """64 bits, equal for equal states: bodies, tick count, forces' own memory and pending pushes.

        Not covered: time owed or dropped, settings, names, and what forces and callbacks keep outside the world.
        """
        digest = hashlib.blake2b(digest_size=8)
        digest.update(f"{len(self._bodies)} {self._tick_count}".encode())
        digest.update(self.state.hashed_bytes())
        digest.update(self._forces.memory())
        return int.from_bytes(digest.digest(), "little")

    # one tick

    def _take(self, ticks: int, until_paused: bool = False) -> None:
        take = self._stepper.steady
        if take is not None:
            self._take_held(take, ticks)
            return
        while ticks > 0 and not (until_paused and self._paused):
            take = None if self._callbacks else self._stepper.hold_still(self.time)
            ticks -= self._one_tick() if take is None else self._take_held(take, ticks)

    def _take_held(self, take: TakeTicks, ticks: int) -> int:
        """Ticks in which nobody is called."""
        ticks = ticks if self._integrator.fuses_ticks else min(ticks, 1)
        taken = take(ticks)
        self._tick_count += taken
        if taken < ticks:
            self._refuse_result()
        return ticks

    def _one_tick(self) -> int:
        try:
            self._call_callbacks()
            self._phase = _Phase.FORCES
            if not self._stepper.take_one(self.time):
                self._refuse_result()
        except BaseException:
            self._phase = _Phase.BETWEEN_TICKS
            if self._checkpoint is not None:
                self._checkpoint.restore(self)
            raise
        finally:
            self._phase = _Phase.BETWEEN_TICKS
            self._checkpoint = None
        self._forces.drop_pushes()
        self._tick_count += 1
        return 1

    def _call_callbacks(self) -> None:
        self._phase = _Phase.CALLBACKS
        for callback in tuple(self._callbacks):
            function, every = callback
            # one that another has removed in this tick is not called any more
            if self._tick_count % every == 0 and callback in self._callbacks:
                function(self)

    # when a tick fails

    def _refuse_result(self) -> None:
        """Undo a tick whose result is not finite and say which body it was and, where it can be found, which force."""
        state = self._columns.array[:STATE_ROWS, : self._columns.count]
        index = int(np.flatnonzero(~np.isfinite(state).all(axis=0))[0])
        state[:] = self._columns.array[PREVIOUS : PREVIOUS + STATE_ROWS, : self._columns.count]
        self._phase = _Phase.FORCES
        try:
            culprit = self._stepper.find_culprit(self.time)
        finally:
            self._phase = _Phase.BETWEEN_TICKS
        if culprit is not None:
            force, index = culprit
            cause = f"the force {force!r} on it is not finite"
        else:
            body = self._bodies[index]
            cause = (
                f"no single force is to blame; it started with velocity {body.velocity.tolist()} m/s and "
                f"angular_velocity_body {body.angular_velocity_body.tolist()} rad/s"
            )
        raise NonFiniteStateError(
            f"{self._bodies[index]}: its state is not finite after the tick from t = {self.time:g} s (dt = {self._dt:g} s); "
            f"{cause}. The world is as it was before that tick."
        )

    # changes by hand

    def _before_change(self) -> None:
        """Called before anything of the world is changed by hand."""
        self._stepper.steady = None
        if self._phase is _Phase.FORCES:
            raise RuntimeError(
                "World: a force may only add to its wrench; change the world in a callback (World.on_tick) instead"
            )
        if self._phase is _Phase.CALLBACKS and self._checkpoint is None:
            self._checkpoint = Checkpoint(self)

    def _refuse_reentry(self, method: str) -> None:
        if self._phase is not _Phase.BETWEEN_TICKS:
            raise RuntimeError(f"World.{method} cannot be called from inside a tick (a callback or a force)")

    def _add(self, new: NewBodies) -> list[Body]:
        names = new.fresh_names(self._names, first_number=len(self._bodies))
        self._before_change()
        bodies = [Body(self, len(self._bodies) + index, name) for index, name in enumerate(names)]
        self._columns.append(new.columns)
        self._bodies.extend(bodies)
        self._mass_properties.extend(new.mass_properties)
        self._names.update((body.name, body) for body in bodies)
        return bodies

    def _renumber(self) -> None:
        for index, body in enumerate(self._bodies):
            body._index = index


def _boolean(value: Any, argument: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        refuse("World", argument, value, "True or False", TypeError)
    return bool(value)


def _sum(vectors: FloatArray) -> FloatArray:
    return read_only(np.array([math.fsum(component) for component in vectors.T]))
