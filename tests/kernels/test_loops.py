"""Compiled fields, springs and point forces in the three kinds of tick: fused, in passes, and called stage by stage."""

from functools import partial

import numpy as np
import pytest

from engine import integrators
from engine.compilation.compiler import COMPILED, inlined
from engine.compilation.packed import Packed
from engine.forces import drag, gravity
from engine.integrators import Extrapolated, Substepped, compiled_forces
from engine.integrators.compiled_forces import NO_FORCES, CompiledForces, force_tables
from engine.integrators.integrator import Step
from engine.loops.allocation import from_column, zeros
from engine.loops.fields import FieldKind
from engine.loops.layout import (
    BAD,
    COUNT,
    HISTORY_ROWS,
    ORIENTATION,
    POINT_FORCE_ROWS,
    SPRING_ENABLED,
    SPRING_ROWS,
    STAGE_WRENCH,
    STATE_ROWS,
    TICKS,
    WRENCH_ROWS,
)
from engine.loops.point_forces import pulls
from engine.loops.program import AtStages, Operation, Program
from engine.store.bodies import Bodies as BodiesOfWorld

from .test_kernels import control_of, needs_numba, world_array

DT = 0.03
PITCH = 264


@inlined
def _swell(body, time, p):
    """A force that grows with the time and with the distance of the mass centre from the origin; a torque along the velocity."""
    strength = p[0] * (1.0 + time * time) + p[1]
    x, y, z = body.center_of_mass_body
    force = (strength * (body.position[0] + x), strength * (1.0 + y), strength * body.mass * z)
    return force, (p[19] * body.velocity[0], 0.0, p[18] * body.inertia_body[0])


SWELL = FieldKind("swell", _swell, 20, True)
"""Depends on the time, on the mass centre, and has as many parameters as there may be."""
KINDS = (gravity.POINT_GRAVITY, SWELL, drag.LINEAR_DRAG)


class Bodies:
    """What an integrator has to know of a world's columns."""

    may_run_in_python = False

    def __init__(self, ticks=3):
        self.array = world_array()
        self.array[40:43, :5] = np.random.default_rng(8).normal(size=(3, 5))  # mass centres
        self.control = control_of(ticks=ticks)
        self.pitch, self.count, self.padded_count = PITCH, 5, 8
        self.stores_momentum, self.freezes, self.members = False, False, 0
        self.history = None
        self._stages = np.zeros((0, PITCH))

    tick_count = BodiesOfWorld.tick_count

    @property
    def stages(self):
        return self._stages

    def stage_array(self, evaluations):
        rows = STAGE_WRENCH + WRENCH_ROWS * evaluations
        if len(self._stages) < rows:
            self._stages = np.zeros((rows, PITCH))
            self._stages[ORIENTATION + 3] = 1.0
        return self._stages

    def history_array(self):
        if self.history is None:
            self.history = np.zeros((HISTORY_ROWS, PITCH))
        return self.history

    @property
    def state(self):
        return self.array[:STATE_ROWS, :5].copy()


def layers_of(*layers):
    """Layers of kinds: parameters for each of five bodies drawn about those given, and the third body feels none of the second layer."""
    rng = np.random.default_rng(3)
    blocks = []
    for index, (kind, parameters) in enumerate(layers):
        block = np.zeros((kind.rows_per_layer, PITCH))
        block[0, :5] = 1.0
        block[1:, :5] = np.array(parameters)[:, np.newaxis] * rng.uniform(0.9, 1.1, (kind.parameter_count, 5))
        if index == 1:
            block[0, 2], block[1:, 2] = 0.0, np.nan
        blocks.append(block)
    return np.concatenate(blocks)


GRAVITY = (gravity.POINT_GRAVITY, (50.0, 9.0, 5.0, -7.0, 0.1, 0.0, 0.6, 0.8))
OTHER_GRAVITY = (gravity.POINT_GRAVITY, (30.0, -7.0, 5.0, -8.0, 0.2, 0.0, 0.6, 0.8))
SWELLING = (SWELL, (0.3, 0.1, *[0.0] * 16, 0.02, 0.4))
DRAG = (drag.LINEAR_DRAG, (0.3,))


def one_layer_each(in_passes):
    return CompiledForces(
        KINDS, layers_of(GRAVITY, SWELLING, DRAG), (1, 1, 1), np.zeros(2, np.int64), None, None, in_passes, True
    )


def springs_and_points():
    """Two springs, one of them with a damper and to the world, one that is off, and a force at a point; spare columns behind them."""
    springs, points = np.full((SPRING_ROWS, 5), 7.0), np.full((POINT_FORCE_ROWS, 4), 7.0)
    springs[:, 0] = (0, 2, 0.1, 0.5, 0.0, 0.0, -0.3, 0.2, 3.0, 0.0, 1.0, 1.0)
    springs[:, 1] = (1, 4, 0.1, 0.5, 0.0, 0.0, -0.3, 0.2, 300.0, 0.0, 1.0, 0.0)
    springs[:, 2] = (2, -1, 0.3, 0.0, 0.0, 1.0, 2.0, 3.0, 2.0, 0.1, 0.0, 1.0)
    points[:, 0] = (3, 0.2, 0.4, -0.6, 0.5, -1.0, 0.7, 1.0)
    points[:, 1] = (3, 0.2, 0.4, -0.6, 50.0, -1.0, 0.7, 0.0)
    return springs, points


def everything():
    return CompiledForces(
        KINDS,
        layers_of(GRAVITY, OTHER_GRAVITY, SWELLING, DRAG, DRAG),
        (2, 1, 2),
        np.array([3, 2]),
        *springs_and_points(),
        True,
        True,
    )


def program(method, bodies, forces=NO_FORCES, evaluate=None, dt=DT):
    """The program of a tick, in which `evaluate(stage, time)` is called at each stage."""

    def at_stage(stage, offset, control, step):
        def call(*_arguments):
            evaluate(stage, float(control[TICKS]) * step + offset)
            return 1

        return [Operation(call, Packed(()))]

    acting = None if evaluate is None else AtStages(at_stage, forces.depends_on_rates)
    step = Step(bodies, bodies.control, dt, True, forces, at_stages=acting)
    return Program(method._operations(step), bodies.control)


def held(method, forces, ticks=4):
    bodies = Bodies()
    run = program(method, bodies, forces).run
    assert run(1) == 1
    assert run(ticks - 1) == ticks - 1
    assert bodies.control[:4].tolist() == [3 + ticks, 8, -1, 1]
    return bodies.state


def called(method, forces, ticks=4):
    """The same, each stage's forces called in their order."""
    bodies = Bodies()
    calls, *tables = force_tables(bodies, forces)
    kinds = [FIELD_LOOP(kind, bodies, PITCH).function for kind in forces.kinds]

    def evaluate(stage, time):
        row = STAGE_WRENCH + WRENCH_ROWS * stage
        for kind, (_address, first, count) in zip(kinds, calls[1:].tolist(), strict=True):
            kind(bodies.array, bodies.control, bodies.stages, row, tables[0], first, count, 0.0, 0.0, time)
        pulls(bodies.array, bodies.stages, row, *tables[1:], 0, 0)

    run = program(method, bodies, NO_FORCES._replace(depends_on_rates=forces.depends_on_rates), evaluate).run
    assert run(ticks) == ticks
    assert bodies.control[:4].tolist() == [3 + ticks, 8, -1, 1]
    return bodies.state


def staged(method, forces, ticks=4):
    """The same, by the loop that is called for each stage and adds the forces by itself."""
    bodies = Bodies()
    assert program(method, bodies, forces, lambda stage, time: None).run(ticks) == ticks
    assert bodies.control[:4].tolist() == [3 + ticks, 8, -1, 1]
    return bodies.state


METHODS = {name: make() for name, make in integrators.by_name.items()}
METHODS["substepped"] = Substepped(integrators.FreeRotor(), 3)
METHODS["converged"] = Substepped(integrators.RungeKutta4(), tolerance=1e-9)
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


@every_method
def test_fields_give_the_same_bits_fused_in_passes_and_called(method):
    """With the time, the mass centre, 20 parameters and parameters of each body's own."""
    for loop in method._kernels(Bodies(), DT, True, one_layer_each(in_passes=False)):
        loop.compile()  # else the fused one would wait to be compiled in the background
    fused = held(method, one_layer_each(in_passes=False))
    assert np.array_equal(held(method, one_layer_each(in_passes=True)), fused)
    assert np.array_equal(called(method, one_layer_each(in_passes=True)), fused)
    assert np.array_equal(staged(method, one_layer_each(in_passes=True)), fused)
    assert not np.array_equal(held(method, CompiledForces()), fused)


@every_method
def test_springs_point_forces_and_layers_give_the_same_bits_in_passes_and_called(method):
    assert np.array_equal(held(method, everything()), called(method, everything()))
    assert np.array_equal(held(method, everything()), staged(method, everything()))


@pytest.mark.skipif(not COMPILED, reason="without numba a loop is a loop")
@pytest.mark.parametrize("name", ["rk4", "rk5", "free-rotor-2", "axis-splitting-4"])
def test_the_loop_for_any_pitch_gives_the_same_bits(name, monkeypatch):
    method = METHODS[name]
    reference = held(method, everything())
    for pitch, at in ((PITCH, 1), (0, 0)):
        loops = method._kernels(Bodies(), DT, True, everything())
        assert loops[-1].made_for[-1] == 0
        monkeypatch.setattr(compiled_forces, "choose", lambda loops, at=at: loops[-1 - at])
        monkeypatch.setattr(compiled_forces, "field_loop", partial(field_loop_of, pitch))
        assert np.array_equal(held(method, everything()), reference)


@pytest.mark.parametrize("name", ["rk4", "free-rotor-2"])
def test_a_loop_in_passes_rejects_what_a_field_rejects(name, monkeypatch):
    """The kernel of a field is for another pitch: nothing is changed, and no tick is taken without that field."""
    method, bodies = METHODS[name], Bodies()
    before = bodies.array.copy()
    monkeypatch.setattr(compiled_forces, "field_loop", partial(field_loop_of, PITCH + 8))
    assert program(method, bodies, everything()).run(3) == -1
    assert np.array_equal(bodies.array, before)
    assert bodies.control[:4].tolist() == [3, 8, -1, 1]


def field_loop_of(pitch, kind, bodies, _pitch):
    return FIELD_LOOP(kind, bodies, pitch)


FIELD_LOOP = compiled_forces.field_loop


def test_a_spring_or_a_layer_that_is_switched_on_changes_the_motion():
    """Each part of the company above acts, and what is off does not."""
    reference = held(METHODS["rk4"], everything())
    for change in ("spring", "spring that is off", "point force that is off", "layer", "number of layers"):
        forces = everything()
        if change == "spring":
            forces.springs[SPRING_ENABLED, 0] = 0.0
        elif change == "spring that is off":
            forces.springs[SPRING_ENABLED, 1] = 1.0
        elif change == "point force that is off":
            forces.point_forces[7, 1] = 1.0
        elif change == "layer":
            forces.layers[0, 4] = 0.0
        else:
            forces = forces._replace(layer_counts=(2, 1, 1))
        assert not np.array_equal(held(METHODS["rk4"], forces), reference), change


def test_a_field_sees_the_times_of_its_stages():
    """dv/dt = 1 + t² on a body that feels nothing else, from t = 3 dt: RK4 integrates it as Simpson does, exactly."""
    forces = CompiledForces(
        (SWELL,), layers_of((SWELL, (1.0, *[0.0] * 19))), (1,), np.zeros(2, np.int64), None, None, False, True
    )
    bodies = Bodies()
    forces.layers[1] = 1.0
    bodies.array[26:38, :5], bodies.array[40:43, :5] = 0.0, 0.0
    before = bodies.array[8].copy()
    program(METHODS["rk4"], bodies, forces).run(10)
    start, end = 3 * DT, 13 * DT
    gain = (end + end**3 / 3.0 - start - start**3 / 3.0) * bodies.array[39, :5]
    assert np.abs(bodies.array[8, :5] - before[:5] - gain).max() < 1e-15


@needs_numba
def test_any_number_of_layers_is_the_same_kernel():
    method = METHODS["rk4"]
    for count in (1, 2, 20):
        layers = layers_of(*[DRAG] * count)
        held(method, CompiledForces((drag.LINEAR_DRAG,), layers, (count,), np.zeros(2, np.int64), None, None, True))
    for loop in (*method._kernels(Bodies(), DT, True, NO_FORCES)[1:2], FIELD_LOOP(drag.LINEAR_DRAG, Bodies(), PITCH)):
        assert loop.function.signatures == [loop.types]


def test_a_column_in_the_middle_is_where_a_part_begins():
    """The view is of the same pitch, inside the memory of the array, and its columns are those behind."""
    array = zeros(4, PITCH, shared=True)
    array[:] = np.arange(4.0 * PITCH).reshape(4, PITCH)
    assert array.ctypes.data % 64 == 0
    part = from_column(array, 100)
    assert part.shape == array.shape
    assert part.flags.c_contiguous
    assert np.array_equal(part[:, : PITCH - 100], array[:, 100:])
    end = part.ctypes.data + part.nbytes
    assert end <= array.base.ctypes.data + array.base.nbytes
    part[3, 0] = -1.0
    assert array[3, 100] == -1.0
    assert np.array_equal(from_column(part, 7), from_column(array, 107))


def test_an_array_without_room_behind_it_is_not_looked_at_from_a_later_column():
    with pytest.raises(ValueError, match="reshape"):
        from_column(zeros(4, PITCH, shared=False), 100)


# interrupts


class Interrupted(BaseException):
    pass


@pytest.mark.parametrize("name", ["rk4", "free-rotor-2", "substepped", "converged"])
@pytest.mark.parametrize("evaluation", range(4))
def test_an_interrupt_while_forces_are_called_leaves_the_tick_before(name, evaluation):
    bodies = Bodies()
    calls, interrupts = [], []

    def evaluate(stage, time):
        calls.append(stage)
        if interrupts and len(calls) > evaluation:
            raise Interrupted

    tick = program(METHODS[name], bodies, evaluate=evaluate)
    assert tick.run(1) == 1
    before, control = bodies.array.copy(), bodies.control.copy()
    calls.clear()
    interrupts.append(True)
    if METHODS[name].evaluations_per_tick > evaluation:
        with pytest.raises(Interrupted):
            tick.run(1)
        tick.recover()
    assert np.array_equal(bodies.array[:STATE_ROWS], before[:STATE_ROWS])
    assert np.array_equal(bodies.control, control)


@pytest.mark.parametrize("method", [Substepped(integrators.RungeKutta4(), 3), METHODS["converged"]], ids=repr)
def test_steps_inside_a_tick_count_as_one_tick(method):
    """The world's count stands still while steps are taken, and the tick before is what the tick began with."""
    bodies, seen = Bodies(ticks=7), []
    start = bodies.state
    tick = program(method, bodies, evaluate=lambda stage, time: seen.append(int(bodies.control[TICKS])))
    assert tick.run(1) == 1
    assert set(seen) == {7}
    assert bodies.control[TICKS] == 8
    assert np.array_equal(bodies.array[STATE_ROWS : 2 * STATE_ROWS, :5], start)


def test_steps_inside_a_tick_that_are_not_finite_leave_the_tick_before():
    """At 8e307 m/s the position overflows in the third of four steps of one second."""
    bodies = Bodies()
    bodies.array[0:3, :5], bodies.array[7:10, :5] = 0.0, 0.0
    bodies.array[7, 2] = 8e307
    before = bodies.array.copy()
    method = Substepped(integrators.SemiImplicitEuler(), 4)
    tick = program(method, bodies, dt=4.0)
    assert tick.run(3) == 0
    assert np.array_equal(bodies.array[:STATE_ROWS], before[:STATE_ROWS])
    assert bodies.control[[TICKS, COUNT, BAD]].tolist() == [3, 8, 2]
    # the next tick has four steps again
    bodies.array[7, 2] = 1.0
    whole = Bodies()
    whole.array[:] = bodies.array
    assert tick.run(1) == program(method, whole, dt=4.0).run(1) == 1
    assert np.array_equal(bodies.state, whole.state)


def test_a_tick_that_was_counted_before_an_interrupt_is_in_the_history():
    """A function is interrupted between the end of the tick and the operation that remembers the wrench which was held."""
    bodies, interrupts = Bodies(), [True]

    class Broken(integrators.RungeKutta4):
        def _operations(self, *arguments):
            return [*super()._operations(*arguments), Operation(interrupt, Packed(()))]

    def interrupt(*_arguments):
        if interrupts and not interrupts.pop():
            return 1
        raise Interrupted

    tick = program(Extrapolated(Broken()), bodies)
    with pytest.raises(Interrupted):
        tick.run(1)
    tick.recover()
    assert bodies.control[TICKS] == 4
    assert (bodies.history[24, :5] == 1.0).all()
    assert program(Extrapolated(integrators.RungeKutta4()), bodies).run(1) == 1
    assert (bodies.history[24, :5] == 2.0).all()
