"""The samples of control loops, in one kernel as far as law, estimator and actuators are those of the engine."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable
from typing import Self

import numpy as np

from ..checks import FloatArray, refuse
from ..checks import components as checked_numbers
from ..compilation import background
from ..compilation.choice import Loop, StandIn, in_python, named
from ..compilation.compiler import COMPILED, address_in_python, address_of_bound, plain, without_dispatch
from ..compilation.packed import Packed
from ..kernels.attitude import error_angle
from ..store.host import Host
from ..store.rows import TableRows
from ..store.table import Table
from . import loop_kernel
from .control_loop import Actuators, ControlLaw, ControlLoop
from .driver import Driver
from .formula_law import STATE_BEFORE, FormulaLaw, FormulaSamples
from .law import Law
from .loop_kernel import FORCE, FORCE_IS_FREE, SAMPLES, WAITING
from .measured import Measured
from .reference import Reference
from .samples import combined, components
from .sensor import Sensor

_ERROR_ANGLE = loop_kernel.LOOP_ERROR_ANGLE
_NO_ESTIMATE = np.zeros((1, 1))


class LoopSamples:
    """The samples of a control loop, with the memory of its law and of its actuators; none of it is state of the world."""

    def __init__(self, loop: ControlLoop) -> None:
        """Prepare for a loop, which is a `Controlled`."""
        self._loop = loop
        self._saturated = loop._schema.row("saturated")
        self._sensor = loop._measured if isinstance(loop._measured, Sensor) else None
        self._law: ControlLaw | None = None
        self._formula: FormulaSamples | None = None
        self._actuators: object = None
        self._driver: Driver | None = None
        """What commands actuators of the engine; None for those of a user."""
        self._commander: Driver | _UsersActuators
        self._drives = False
        self._of_body = Measured(None, loop.body)
        self._seconds, self._size = 0.0, 0
        self._kernel: _Kernel | None = None

    def take(self, world: Host) -> None:
        """Take a sample: ask the reference, sample the law, and command the actuators."""
        loop = self._loop
        if loop._law is not self._law:
            self._prepare(loop._law, loop._seconds(world))
        drives = self._is_own(loop._actuators)
        formula = self._formula
        if formula is None:
            self._take_of_user(world)
            return
        table, row, kernel = loop._table, loop._slice().start, self._kernel
        if kernel is None or not kernel.fits(world, table, row):
            kernel = self._kernel = _Kernel(world, loop, formula, self._driver, self._seconds).link()
        reference, measured = loop._reference, None
        if kernel.asks_python or type(reference) is not Reference:
            measured = self._measured(world, row)
            if measured is None:
                self._wait(world, row)
                return
            if type(reference) is not Reference:
                reference = self._reference_now(world, measured)
        kernel.prepare(measured, reference)
        result, kept = kernel.run(), kernel.kept
        if result == loop_kernel.NOT_FINITE:
            formula.refuse_torque()
        if result == loop_kernel.OUT_OF_RANGE:
            assert self._driver is not None
            self._driver.refuse_command()
        if kernel.commands:
            # one write, because nobody can look between the sample and the command
            table.write(kernel.written, row, kept)
            if result == loop_kernel.COMMANDED:
                assert self._driver is not None
                self._driver.carry_out()
            return
        own = self._saturated - SAMPLES
        if result == loop_kernel.COMMANDED and drives:
            due, force = kernel.due
            kept[own:] = self._commanded(due, force, self._seconds, kept[own + 1 :].tolist())
            table.write(kernel.written, row, kept)
            return
        table.write(slice(SAMPLES, self._saturated), row, kept[:own])
        if result == loop_kernel.COMMANDED:
            self.command(*kernel.due, self._seconds, kept[own:].tolist())

    def loops(self, world: Host) -> list[Loop]:
        """The kernels that the samples need, none of which has been compiled for this."""
        loop = self._loop
        self._prepare(loop._law, loop._seconds(world))
        self._is_own(loop._actuators)
        return [] if self._formula is None else _Kernel(world, loop, self._formula, self._driver, self._seconds).loops

    def _take_of_user(self, world: Host) -> None:
        """Take a sample with a law that may be the user's."""
        loop = self._loop
        table, row, law = loop._table, loop._slice().start, loop._law
        measured = self._measured(world, row)
        if measured is None:
            self._wait(world, row)
            return
        reference = loop._reference
        if type(reference) is not Reference:
            reference = self._reference_now(world, measured)
        column: list[float] = table.array[:, row].tolist()
        delay, size = loop._delay, self._size
        first, samples = WAITING + 3 * delay, column[SAMPLES]
        before = np.array(column[first : first + size])
        if size and not column[first + size]:
            before = np.array(law.initial_state(measured.for_users, reference))
        torque, state = self._update(measured.for_users, reference, self._seconds, before)
        # the torque that is due, after the delay
        due, error = torque, _error_angle(measured, reference)
        if delay:
            waiting = column[WAITING:first] + torque
            due, state = waiting[:3], waiting[3:] + state
        kept = [min(samples + 1.0, delay + 1.0), *torque, error, *state]
        if size:
            kept.append(1.0)
        force = None if column[FORCE_IS_FREE] else column[FORCE : FORCE + 3]
        if samples >= delay and self._drives:
            kept += self._commanded(due, force, self._seconds, column[self._saturated + 1 :])
        table.write(slice(SAMPLES, SAMPLES + len(kept)), row, kept)
        if samples >= delay and not self._drives:
            self.command(due, force, self._seconds, column[self._saturated :])

    def _measured(self, world: Host, row: int) -> Measured | None:
        """What is measured now; None while the sensor has no valid reading."""
        loop, sensor = self._loop, self._sensor
        estimate = loop._measured
        if sensor is not None:
            estimate = sensor.read()
            if not estimate.is_valid:
                return None
        if estimate is not None:
            return Measured(estimate, self._of_body.body, world._bodies.array)
        # no user is given this one
        own = self._of_body
        own.array, own.column = world._bodies.array, int(loop._table.array.item(0, row))
        return own

    def _wait(self, world: Host, row: int) -> None:
        """Command no torque while the sensor has no valid reading, and have the law start again at the next one."""
        loop = self._loop
        before, first, size = loop._delay, WAITING + 3 * loop._delay, loop._law.state_size
        column: list[float] = loop._table.array[:, row].tolist()
        # delayed torques were computed from valid readings, but are as old as the last one
        kept = [column[SAMPLES], 0.0, 0.0, 0.0, column[_ERROR_ANGLE], *[0.0] * (3 * before)]
        kept += [*column[first : first + size], 0.0] if size else []
        loop._table.write(slice(SAMPLES, SAMPLES + len(kept)), row, kept)
        force = None if column[FORCE_IS_FREE] else column[FORCE : FORCE + 3]
        self.command([0.0, 0.0, 0.0], force, loop._seconds(world))

    def command(
        self,
        torque: list[float],
        force: list[float] | None,
        seconds: float,
        before: list[float] | None = None,
    ) -> None:
        """Command the actuators, and keep what they remember; `before` is the column of the loop from `saturated` on."""
        loop = self._loop
        table, row, first = loop._table, loop._slice().start, self._saturated
        if before is None:
            before = table.array[first:, row].tolist()
        self._is_own(loop._actuators)
        after = self._commanded(torque, force, seconds, before[1:])
        if len(after) > 1 or after != before:
            table.write(slice(first, first + len(after)), row, after)

    def _is_own(self, actuators: Actuators) -> bool:
        """Whether actuators, which are now to be commanded, are those of the engine, and not of a user's class."""
        if actuators is not self._actuators:
            own = vars(type(actuators)).get("_driver")  # not overridden by a user's class
            self._driver = None if own is None else own(actuators)
            self._commander = self._driver or _UsersActuators(actuators, self._loop)
            self._actuators, self._drives, self._kernel = actuators, own is not None, None
        return self._drives

    def _commanded(
        self, torque: list[float], force: list[float] | None, seconds: float, state: list[float]
    ) -> list[float]:
        """Command the actuators; return whether they are saturated, and what they remember."""
        after = self._commander.command(torque, force, seconds, state)
        return [1.0 if getattr(self._actuators, "saturated", False) else 0.0, *after]

    def _prepare(self, law: ControlLaw, seconds: float) -> None:
        self._formula = None
        # of the engine, whose laws of this kind start from zeros
        if isinstance(law, FormulaLaw) and type(law).initial_state is Law.initial_state:
            if law._is_as_defined and law._is_for_one_body:
                self._formula = FormulaSamples(law, seconds)
        self._law, self._seconds, self._size, self._kernel = law, seconds, law.state_size, None

    def _reference_now(self, world: Host, measured: Measured) -> Reference:
        loop = self._loop
        try:
            return loop._reference.at(world.time, measured.for_users)
        except ValueError as error:  # such as a target that was removed
            raise ValueError(
                f"{loop!r}: its reference gives no attitude now; assign another reference. {error}"
            ) from error

    def _update(
        self, measured: object, reference: Reference, seconds: float, state: FloatArray
    ) -> tuple[list[float], list[float]]:
        """Torque and new state of a law that may be the user's, after checks."""
        loop = self._loop
        law = loop._law
        owner = f"the law of {loop!r}"
        given = law.update(measured, reference, seconds, state)
        if not isinstance(given, tuple) or len(given) != 2:
            refuse(owner, "result of update", given, "a tuple of a torque and a state", TypeError)
        torque = checked_numbers(given[0], "torque_body", owner)
        after = checked_numbers(given[1], "state", owner, law.state_size) if law.state_size else []
        return list(torque), list(after)


class _Kernel:
    """The kernel of the samples of a loop, with its arguments, for the tables as they are now.

    Attributes:
        commands: Whether it commands the actuators too.
        asks_python: Whether anything that it needs beside the reference must be read in Python.
        kept: What is to be written to the table of loops from the number of samples on.
        written: The components of the table that this is.
        loops: The kernels that it needs, itself first.
    """

    def __init__(
        self, world: Host, loop: ControlLoop, formula: FormulaSamples, driver: Driver | None, seconds: float
    ) -> None:
        """Bind the kernel to the tables.

        Args:
            world: The world.
            loop: The loop, which is a `Controlled`.
            formula: The law.
            driver: What commands actuators of the engine; None for others.
            seconds: Time between two samples [s].
        """
        self._formula, self._table, self._bodies, estimate = formula, loop._table.array, world._bodies, loop._measured
        self._row, self._array, self._answered = loop._slice().start, world._bodies.array, -1
        law, size, delay = formula.law, formula.law.state_size, loop._delay
        rows, estimates, place = formula.rows_of_body(estimate is not None), _NO_ESTIMATE, (-1, 0)
        self._estimate_table: Table | None = None
        # not overridden by a user's class
        own = None if estimate is None else vars(type(estimate)).get("_attitude_place")
        if own is not None:
            assert isinstance(estimate, TableRows)
            self._estimate_table, place = estimate._table, own(estimate)
            self._numbering, estimates = estimate._table.numbering, estimate._table.array
        self._estimates = estimates
        self._reads_estimate = estimate is not None and own is None
        if self._reads_estimate:
            rows = rows[:0]
        self._follows = law._assembly is not None
        self.asks_python = self._reads_estimate or self._follows
        self.written = slice(SAMPLES, self._table.shape[0])
        self.kept, self._wanted = np.zeros(self._table.shape[0] - SAMPLES), np.zeros((7, 1))
        answer = self.kept[loop._schema.row("saturated") - SAMPLES :]
        calls, arrays = np.zeros(loop_kernel.CALLS, np.int64), (formula.inputs, formula.out)
        numbers = np.array([self._row, delay, size, *place], np.int64)
        tables = self._table, self._array, estimates, rows, *arrays, self.kept, self._wanted
        self._packed = Packed(loop_kernel.Sample(calls, numbers, *tables))
        self._driver = driver
        self._command = None if driver is None else driver.bind(self._wanted, answer, seconds)
        self.commands = self._command is not None
        self.loops = [named(loop_kernel.control_sample, self._packed), named(law._kernel, *arrays)]
        if self._command is not None:
            self.loops += [named(self._command.kernel, self._command.arguments), *filter(None, self._command.called)]

    def link(self) -> Self:
        """Write the addresses of the kernels, or those of plain Python while any is missing; Python then commands the actuators."""
        calls, command = self._packed.arguments.calls, self._command
        whole, law = self.loops[:2]
        if COMPILED and in_python(self.loops, may_stand_in=True):
            self._answered, self.commands = background.answered(), False
            calls[loop_kernel.LAW] = address_in_python(law.function)

            def link() -> None:
                calls[loop_kernel.LAW] = law.address

            self._enter: Callable[[Packed[loop_kernel.Sample]], int] = StandIn(whole, link)
            return self
        calls[loop_kernel.LAW] = law.address
        if command is not None:
            command.link()
            kernel, arguments = command.kernel, command.arguments
            if COMPILED:
                calls[loop_kernel.ACTUATORS] = named(kernel, arguments).address
                calls[loop_kernel.ACTUATOR_ARGUMENTS] = int(arguments)
            else:
                self._bound = lambda _arguments: plain(kernel)(arguments)
                calls[loop_kernel.ACTUATORS] = address_of_bound(self._bound)
        sample = loop_kernel.control_sample
        self._enter = without_dispatch(sample, self._packed) if COMPILED else plain(sample)
        return self

    def fits(self, world: Host, table: Table, row: int) -> bool:
        """Whether the tables are where they were, and no kernel has arrived for which plain Python stands in."""
        estimates = self._estimate_table
        return (
            self._table is table.array
            and self._row == row
            and self._array is world._bodies.array
            and (estimates is None or (estimates.numbering == self._numbering and estimates.array is self._estimates))
            and (self._answered < 0 or self._answered == background.answered())
            and (not self.commands or self._driver.is_bound)  # type: ignore[union-attr]
        )

    def prepare(self, measured: Measured | None, reference: object) -> None:
        """Read what only Python can read."""
        formula = self._formula
        if self._reads_estimate:
            assert measured is not None
            formula.set_estimate(measured)
        if self._follows:
            formula.set_assembly(measured)
        formula.set_reference(reference)
        if self.commands:
            self._driver.update()  # type: ignore[union-attr]

    def run(self) -> int:
        """Take the sample, as far as the kernel does; the result is one of those in `loop_kernel`."""
        if not self._formula.law.state_size:
            return self._enter(self._packed)
        self._formula.inputs[STATE_BEFORE : STATE_BEFORE + 3] = 0.0  # of a law that begins
        return self._enter(self._packed)

    @property
    def due(self) -> tuple[list[float], list[float] | None]:
        """The torque that is due, and the force; None if any will do."""
        wanted: list[float] = self._wanted[:, 0].tolist()
        return wanted[:3], None if wanted[6] else wanted[3:6]


class _UsersActuators:
    """Actuators that may be the user's, whose results are checked."""

    def __init__(self, actuators: Actuators, loop: ControlLoop) -> None:
        self._actuators, self._loop = actuators, loop

    def command(
        self, torque: list[float], force: list[float] | None, seconds: float, state: list[float]
    ) -> list[float]:
        """See `Driver`."""
        wanted = np.array(torque), None if force is None else np.array(force), seconds
        if not state:
            self._actuators.command(*wanted)
            return state
        after = self._actuators.command(*wanted, np.array(state))  # type: ignore[call-arg]  # those that remember
        return list(checked_numbers(after, "state", f"the actuators of {self._loop!r}", len(state)))


def _error_angle(measured: Measured, reference: Reference) -> float:
    q = components(measured.orientation, "measured orientation", "Controlled", 4)
    wanted = components(reference.orientation, "reference orientation", "Controlled", 4)
    return float(combined([error_angle(q, wanted)], "Controlled", "error_angle")[0])  # type: ignore[arg-type]
