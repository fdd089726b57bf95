"""The stages of a tick, in the order of `World.step`, and the recovery when one of them fails."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from threading import get_ident
from time import perf_counter
from types import FrameType
from typing import NoReturn

from ..checks import NonFiniteStateError
from ..compilation.choice import Loop, Policy
from ..compilation.kernel_types import Kernel
from ..flight.part import Place, SampledPart
from ..joints.joint import JointConflictError
from ..loops.floating_point import refuse_mode
from ..loops.layout import ANGULAR_VELOCITY, BAD, OTHER_MODE, OVERFLOWED, STOPPED, VELOCITY
from ..store.bodies import Bodies
from ..store.calling import NEVER_RUN, Callback, EventCallback, refuse_result, run_now
from ..store.host import Host
from ..store.memory import Memory
from ..store.objects import state_of
from ..store.store import BETWEEN_TICKS, CALLING, FORCES, MOVING, Entry, Store, Unfinished
from ..store.threads import TakeTicks
from .contact_events import ContactEvents
from .culprit import find_culprit
from .freezing import Freezing
from .joint_events import JointEvents
from .plan import Plan, run_nothing
from .profile import Profile

_TICKS_BETWEEN_LOOKS = 1000
"""After how many ticks at most a world with joints looks for fast rotors, of which only compiled code knows."""
_SECONDS_PER_CALL = 0.02
"""The approximate duration [s] of one compiled call, because an interrupt waits for its end."""


class Stages:
    """Calls the functions that are due, updates the held wrench, moves the bodies, and counts the ticks until the next function is due.

    Attributes:
        on_tick: The functions to call at the start of ticks.
        before: The sensors and filters, which are sampled before these functions.
        behind: The control loops, which are sampled after them.
        after_tick: The functions to call after ticks.
        observers: Functions to call after those, which read the world and do not change it; they are no part of copies and snapshots.
        freezing: Freezes bodies in place of failing ticks, if the world was made so.
        policy: Whether ticks wait for kernels that are not compiled yet.
        joint_events: What happens to joints between two ticks.
        contact_events: What happens to contacts between two ticks.
        sampling: Makes the function that samples a part.
        loops_of_parts: Finds the kernels that samples of parts call.
        run: Runs ticks that call no Python, up to `Store.quiet` of them.
        most_at_once: The largest number of ticks per call of `run`, so that an interrupt does not wait long.
        error: What was raised in the last tick that failed; None once it has been undone.
        outer: What had begun before or in the tick that failed, and the next three, for `Store.unfinished`.
        begun_in: The phase in which a tick begins.
        frame: None, because a tick that is known to the store as unfinished has failed.
        thread: The thread in which it is undone.
        call_callbacks: The first stage. While a profile is active, all five stages are timed.
        gather_held: The second stage.
        move: The third stage.
        commit: The fourth stage.
        call_after_tick: The fifth stage.
    """

    __slots__ = (
        "_bodies",
        "_culprit",
        "_dt",
        "_forces",
        "_has_raised",
        "_last_tick",
        "_left",
        "_log",
        "_mark",
        "_memory",
        "_plan",
        "_profile",
        "_reported",
        "_store",
        "_tick_start",
        "after_tick",
        "before",
        "begun_in",
        "behind",
        "call_after_tick",
        "call_callbacks",
        "commit",
        "contact_events",
        "error",
        "frame",
        "freezing",
        "gather_held",
        "joint_events",
        "loops_of_parts",
        "most_at_once",
        "move",
        "observers",
        "on_tick",
        "outer",
        "policy",
        "run",
        "sampling",
        "thread",
    )

    freezing: Freezing
    call_callbacks: Callable[[], None]
    gather_held: Callable[[], None]
    move: Callable[[int], int]
    commit: Callable[[int], None]
    call_after_tick: Callable[[], None]

    def __init__(
        self,
        store: Store,
        bodies: Bodies,
        plan: Plan,
        memory: Memory,
        forces: Iterable[object],
        dt: float,
        last_tick: int,
    ) -> None:
        self._store = store
        self._bodies = bodies
        self._plan = plan
        self._memory = memory
        self._forces = forces
        self._dt = dt
        self._last_tick = last_tick
        self.begun_in = BETWEEN_TICKS
        self.error: BaseException | None = None
        self.outer: Unfinished | None = None
        self.frame: FrameType | None = None
        self.thread = 0
        self.on_tick: list[Callback] = []
        self.after_tick: list[Callback] = []
        self.observers: list[Callback] = []
        self.before: list[Callback] = []
        self.behind: list[Callback] = []
        self.joint_events = JointEvents(store, plan.joints.latches)
        self.contact_events = ContactEvents(store, plan.joints.contacts, self.joint_events)
        self.policy = Policy()
        self.sampling: Callable[[SampledPart], Callback] = _sampling
        self.loops_of_parts: Callable[[Host, list[SampledPart]], list[Loop]] = _loops_of_parts
        self._store.quiet = 0
        self.run: TakeTicks = run_nothing
        self.most_at_once = 1
        self._tick_start = 0
        self._log: list[Entry] | None = None  # of the tick
        self._mark = 0  # the length of the log when the callbacks of the tick had been called
        self._culprit = -1  # the row of the body on which a force was not finite in the tick that failed
        self._reported = 0  # the number of the last tick after which functions were called
        self._left: list[Callback] = []  # those of them that have yet to be called
        self._has_raised = False  # whether one of them, which belongs to the user, has raised
        self._profile: Profile | None = None
        self.time_with(None)

    def time_with(self, profile: Profile | None) -> None:
        """Time the stages with a profile, or stop timing if it is None."""
        self._store.quiet = 0
        self._profile = profile
        for name, stage in self._plain().items():
            setattr(self, name, stage if profile is None else profile.timed(name, stage))

    def _plain(self) -> dict[str, Kernel]:
        return {
            "call_callbacks": self._call_callbacks,
            "gather_held": self._gather_held,
            "move": self._move,
            "commit": self._commit,
            "call_after_tick": self._call_after_tick,
        }

    def sample(self, parts: Iterable[SampledPart]) -> None:
        """Sample these parts from now on; those of one kind in this order."""
        before: list[Callback] = []
        behind: list[Callback] = []
        for part in sorted(parts, key=operator.attrgetter("_place")):
            chosen = behind if part._place is Place.CONTROL_LOOP else before
            chosen.append(self.sampling(part))
        self._store.quiet = 0
        self.before, self.behind = before, behind

    def callbacks(self) -> list[Callback | EventCallback]:
        """The functions of the user, without those that observe."""
        return [*self.on_tick, *self.after_tick, *self.joint_events.functions]

    @property
    def functions(self) -> tuple[list[Callback], list[Callback], list[EventCallback]]:
        """The functions of `on_tick`, of `after_tick` and of joints; to be kept, not to be changed."""
        return self.on_tick, self.after_tick, self.joint_events.functions

    @functions.setter
    def functions(self, value: tuple[list[Callback], list[Callback], list[EventCallback]]) -> None:
        self.on_tick, self.after_tick, self.joint_events.functions = value

    def _called(self) -> list[Callback]:
        """What is called at the start of ticks, in order."""
        if self.before or self.behind:
            return [*self.before, *self.on_tick, *self.behind]
        return self.on_tick

    def restart(self) -> None:
        """Forget the ticks that have run, because the tick count has been set by a restore."""
        self._store.quiet = 0
        self._tick_start = self._bodies.tick_count
        self.expect_reports()

    def expect_reports(self) -> None:
        """Call functions after the next tick, and not after the last one, because one was added or the tick count was set."""
        if self._store.phase is BETWEEN_TICKS:
            self._reported, self._left = self._bodies.tick_count, []

    def observe(self, callback: Callback) -> None:
        """Call a function after ticks that reads the world."""
        self._store.before_change()
        self.expect_reports()
        self.observers = [*self.observers, callback]

    def stop_observing(self, callback: Callback) -> None:
        """Call it no more."""
        self._store.before_change()
        self.observers = [other for other in self.observers if other is not callback]

    def _after(self) -> list[Callback]:
        """What is called after ticks, in order."""
        return [*self.after_tick, *self.observers] if self.observers else self.after_tick

    @property
    def _watches(self) -> bool:
        """Whether joints or contacts must be looked at in the tick that starts now."""
        return self.joint_events.is_watching or self.contact_events.is_watching

    # the stages

    def _call_callbacks(self) -> None:
        """Call the functions that are due; from here on, every change is recorded, so that it can be undone if the tick fails."""
        if self._store.unfinished is not None:
            self._store.settle()
            self._store.phase = MOVING
        self.policy.act()
        count = self._tick_start = self._bodies.tick_count
        if count >= self._last_tick:
            refuse_time(1, count, self._last_tick, self._dt)
        called = self._called()
        due = [callback for callback in called if count % callback.every == 0] if called else called
        watches_joints, watches_contacts = self.joint_events.is_watching, self.contact_events.is_watching
        self._plan.joints.latches.looked_at[0] = count
        if not due and not watches_joints and not watches_contacts and not self._plan.calls_forces:
            return
        store = self._store
        self._log = store.log = []
        if self._memory._has_objects:
            self._record_memory()
        if watches_joints:
            store.enter(CALLING)
            self.joint_events.look()
        if watches_contacts:
            store.enter(CALLING)
            self.contact_events.look()
        if due:
            store.enter(CALLING)
            world = store.world()
            before, on_tick, behind = self.before, self.on_tick, self.behind
            for callback in due:
                # skip a function that was removed by another one in this tick
                is_as_before = self.before is before and self.on_tick is on_tick and self.behind is behind
                if is_as_before or callback in self._called():
                    result = callback.function(world)
                    if type(result) in NEVER_RUN:  # as in `run_now`, whose call takes 50 ns more, in every tick
                        refuse_result(callback.function, result)
        store.enter(FORCES if self._plan.calls_forces else MOVING)
        self._mark = len(self._log)
        if self._plan.calls_forces and (self.freezing.is_on or self._plan.joints.contacts.any):
            self._record_memory()  # to be put back if the tick is tried again

    def _gather_held(self) -> None:
        """Sum weights, constant forces, thrusters and pushes into the wrench that is held over the tick."""
        plan = self._plan
        if plan.calls_forces and self._store.log is None:
            self._log = self._store.log = []
            self._mark = 0
        if plan.tick_forces or plan.held.pushes.count or not plan.held.is_settled:
            plan.gather()

    def _move(self, ticks: int) -> int:
        """Run the integrator up to the tick in which the next function is due, and return the number of ticks run."""
        self.freezing.mark()
        taken = self._attempt(ticks)
        while taken < 1:
            self._try_again()
            taken = self._attempt(1)
        return taken

    def _try_again(self) -> None:
        """Prepare another attempt at a rejected tick, with longer arrays or without the bodies because of which it was, or raise."""
        store, rejection = self._store, None if self._plan.make_room() else self._rejection()
        if self._log is None:
            self._log = store.log = []
        phase = store.phase
        failure = store.undo(self._log, self._mark)  # what Python forces have remembered
        store.log, store.phase = self._log, phase
        if failure is not None:
            raise failure
        if rejection is not None and not self.freezing.freeze(*rejection[1]):
            raise rejection[0]
        self._mark = len(self._log)
        self.freezing.mark()
        self._gather_held()

    def _rejection(self) -> tuple[Exception, tuple[int, Sequence[int], bool]]:
        """Why a tick was rejected, and what is to be frozen then; raises the error if nothing can be."""
        refused = self.freezing.take_refused()
        error = NonFiniteStateError("World: a tensor is not positive definite") if refused else self._failure()
        if not self.freezing.is_on or not isinstance(error, NonFiniteStateError | JointConflictError):
            raise error
        conflicting = self._plan.joints.conflicting if isinstance(error, JointConflictError) else refused
        return error, (self._culprit, conflicting, bool(refused))

    def _attempt(self, ticks: int) -> int:
        plan = self._plan
        if ticks > 1 and (plan.calls_forces or plan.held.is_pushed or self._watches):
            ticks = 1
        if ticks > 1:
            ticks = min(ticks, self._ticks_until_called(self._tick_start), self.most_at_once)
        return self._with_stopped(plan.move(ticks))

    def _with_stopped(self, taken: int) -> int:
        """Stop the members of a batch that could not run the tick after so many, if the others have; return the number of ticks run."""
        control = self._bodies.control
        if not control[STOPPED]:
            return taken
        if taken or self._log is None:  # what is in the log belongs to a tick that they have run
            self._log = self._store.log = []
        self._tick_start = self._bodies.tick_count - 1
        self.freezing.freeze(-1)
        control[STOPPED] = 0
        return taken + 1

    def _commit(self, taken: int) -> None:
        """Commit the ticks, which can no longer be undone."""
        store, plan = self._store, self._plan
        self._log = store.log = None
        store.phase = MOVING
        store.quiet = 0
        if plan.held.pushes.count:
            plan.held.expire()
        looks = plan.joints.count and plan.joints.looks_for_fast_rotors
        if looks:
            plan.joints.warn_of_fast_rotors()
        count = self._bodies.tick_count
        if self._profile is not None:
            self._profile.ticks += taken
            return
        if plan.calls_forces or self._watches:
            return
        if _is_due(self._called(), count) or _is_due(self._after(), count):
            return
        is_final = plan.is_final  # before the choice, which then knows of everything that has arrived
        run = plan.choose()
        if is_final and plan.held.is_settled and plan.integrator._fuses_ticks:
            if run is not self.run:
                self.run, self.most_at_once = run, max(1, 2000 // (self._bodies.count + 1))
            # the tick after which a function is called must go through all stages
            quiet = self._ticks_until_called(count) - bool(self._after())
            store.quiet = min(quiet, _TICKS_BETWEEN_LOOKS) if looks else quiet

    def _call_after_tick(self) -> None:
        """Call the functions that are due after the last tick; the changes of a function that raises are undone separately."""
        store, count = self._store, self._bodies.tick_count
        if self._reported != count:
            after = self._after()
            if not after or not _is_due(after, count):
                return
            self._left = [callback for callback in after if count % callback.every == 0]
            self._reported = count
        store.enter(CALLING)
        world = store.world()
        while self._left:
            callback = self._left[0]
            with store.all_or_nothing():
                store.record(setattr, self, "_left", self._left)
                self._left = self._left[1:]
                if callback in self._after():
                    self._record_memory()
                    self._report(world, callback)
        store.phase = MOVING

    def show_observers(self) -> None:
        """Call the observers that are due at the end of a coast."""
        store, count = self._store, self._bodies.tick_count
        with store.all_or_nothing():
            store.enter(CALLING)
            for callback in self.observers:
                if count % callback.every == 0:
                    run_now(callback.function, store.world())

    def _report(self, world: object, callback: Callback) -> None:
        try:
            run_now(callback.function, world)
        except BaseException:
            self._has_raised = callback not in self.observers
            raise

    def run_for_a_while(self) -> int:
        """Run one compiled call of limited duration, so that an interrupt does not wait long, and return the number of ticks run."""
        ticks, begin = self.most_at_once, perf_counter()
        if (taken := self.run(ticks)) != ticks:
            return self.stop_running(taken)
        spent = perf_counter() - begin
        if spent < 0.5 * _SECONDS_PER_CALL:
            self.most_at_once *= 2
        elif spent > 1.5 * _SECONDS_PER_CALL:
            self.most_at_once = max(1, self.most_at_once // 2)
        return ticks

    def stop_running(self, taken: int) -> int:
        """Have the next tick go through all stages, because it is not finite; it raises the error there, or freezes bodies."""
        self._store.quiet = max(self._with_stopped(taken), 0)
        self._log = self._store.log = None
        self._plan.held.spoil_all()  # the compiled call may have gathered it for the tick that it undid
        return self._store.quiet

    def gather_again(self) -> None:
        """Go on with the loop of the ticks before, after a change of what is held over them."""
        self.policy.act()
        self._plan.held.gather()
        self._store.quiet = -self._store.quiet

    def _record_memory(self) -> None:
        for name, object in self._memory.objects.items():
            self._store.record(object.set_state, state_of(object, name))

    def _ticks_until_called(self, count: int) -> int:
        """Return the number of ticks, from the one that starts at this count, that can run before a function is due."""
        until = self._last_tick - count
        for callback in (*self._called(), *self._after()):
            if callback.every == 1:  # as control loops mostly are
                return 1
            until = min(until, callback.every - count % callback.every)
        return until

    # when a tick fails

    def abandon(self, error: BaseException) -> None:
        """Have the tick ended that an exception has left, if the store does not know of it."""
        known = self._store.unfinished
        while known is not None and known is not self:
            known = known.outer
        if known is None:
            self.outer, self.error = self._store.unfinished, error
            self._store.unfinished = self
        self._store.settle()

    def finish(self) -> None:
        """Undo the changes of a tick that did not complete; if a tick completed before an interrupt, call the functions after it.

        If an exception arrives meanwhile, the next use of the world does this again, which does no harm.
        """
        store, bodies, plan, error = self._store, self._bodies, self._plan, self.error
        self.thread, store.quiet = get_ident(), 0
        failure: Exception | None = None
        plan.recover()
        if bodies.tick_count == self._tick_start:
            plan.held.spoil_all()  # it may have been gathered with what is undone now, such as a push
            if self._log is not None:
                failure = store.undo(self._log)
        self._log = store.log = None
        try:
            self._call_left(error)
        except (RecursionError, MemoryError):
            raise
        except Exception as raised:
            failure = failure or raised
            self._call_left(raised)
        self._has_raised = False
        store.phase = BETWEEN_TICKS
        outer = self.outer
        while outer is not None and outer.begun_in is not BETWEEN_TICKS:  # undone with the tick
            outer = outer.outer
        store.unfinished = outer
        self.error = self.outer = None
        if failure is not None:
            raise failure

    def _call_left(self, error: BaseException | None) -> None:
        """Call the functions after a tick that was completed before an exception."""
        if isinstance(error, Exception) or self._has_raised:
            # no other function of the user is called, but recordings have the tick, which stays
            self._left = [callback for callback in self._left[1:] if callback in self.observers]
            if self._left:
                self._call_after_tick()
        elif self._left or self._bodies.tick_count not in (self._tick_start, self._reported):
            self._call_after_tick()

    def _failure(self) -> Exception:
        """The error for a tick that was not finite, which is already undone; it names the body and the force that caused it, if any.

        Raises:
            RuntimeError: If the tick was rejected because of the floating-point mode of the thread.
        """
        self._culprit = -1
        if self._bodies.control[BAD] == OTHER_MODE:
            refuse_mode()
        self._plan.actuators.refuse_tensor()
        conflict = self._plan.joints.failure(self._bodies.tick_count * self._dt)
        if conflict is not None:
            return conflict
        index = int(self._bodies.control[BAD])
        if index == OVERFLOWED:
            return NonFiniteStateError(
                f"World: a state overflows in the tick from t = {self._bodies.tick_count * self._dt:g} s (dt = {self._dt:g} s); without "
                "the compiler, the body is not known. The world is as it was before that tick."
            )
        if index < 0:
            return RuntimeError("World: a compiled loop rejected the arrays of this world; no tick was run")
        body = self._bodies.handles[index]
        store, time = self._store, self._bodies.tick_count * self._dt
        culprit = None
        if self.freezing.looks_for_culprit:
            with store.trial(self._memory.objects):
                store.enter(FORCES)
                culprit = find_culprit(self._plan, self._bodies, self._forces, time)
        if culprit is not None:
            force, index = culprit
            self._culprit = index
            body = self._bodies.handles[index]
            cause = f"the force {force!r} on it is not finite"
        else:
            # not of the handle, which keeps what it needs to read, and there is one for each member of a batch
            velocity, rates = (
                self._bodies.array[row : row + 3, index].tolist() for row in (VELOCITY, ANGULAR_VELOCITY)
            )
            cause = (
                f"no single force is the cause; the body started the tick with velocity {velocity} m/s and "
                f"angular_velocity_body {rates} rad/s"
            )
        return NonFiniteStateError(
            f"{body}: its state is not finite after the tick from t = {time:g} s (dt = {self._dt:g} s); "
            f"{cause}. The world is as it was before that tick."
        )


def refuse_time(ticks: int, count: int, last_tick: int, dt: float, owner: str = "World.step") -> NoReturn:
    """Raise the error for a time that is too large for a float."""
    raise ValueError(
        f"{owner}: after {ticks} more ticks of {dt:g} s from tick {count} the time would be too large for a float; "
        f"this world can run ticks up to number {last_tick}"
    )


def _is_due(callbacks: list[Callback], count: int) -> bool:
    for callback in callbacks:  # `any` with a generator takes three times as long, in every tick
        if count % callback.every == 0:
            return True
    return False


def _loops_of_parts(world: Host, parts: list[SampledPart]) -> list[Loop]:
    """The kernels that samples of parts call."""
    return [loop for part in parts for loop in part._loops(world)]


def _sampling(part: SampledPart) -> Callback:
    """Take one sample of a part whenever it is due, and name the part in errors."""

    take, is_on = part._sampler(), part._is_on

    def sample(world: Host) -> None:
        if is_on():
            try:
                take(world)
            except Exception as error:
                error.add_note(f"raised while {part!r} was sampled at t = {world.time:g} s; the tick was undone")
                raise

    return Callback(sample, part.every)
