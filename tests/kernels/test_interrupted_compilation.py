"""Ctrl-C while kernels are compiled: the compiler is not disturbed, the exception follows, and the next attempt works."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine import MassProperties, World, forces
from engine.compilation.compiler import COMPILED, address_of, compile_for, kernel, types_of
from engine.compilation.signals import uninterrupted

from ..lengths import long_run

ROOT = Path(__file__).parents[2]

needs_alarm = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timer")


def flown():
    """A world of three bodies with a pull, a drag and a thruster."""
    world = World(1 / 256, integrator="semi-implicit-euler")  # whose kernels are compiled in the least time
    ship, *_ = world.add_bodies(MassProperties.box(2.0, (1.0, 2.0, 3.0)), [(0, 0, 0), (9, 0, 0), (0, 9, 0)])
    world.add_force(forces.LinearDrag(0.25))
    world.add_force(forces.UniformGravity((0.0, 0.0, -9.0)))
    world.add_force(forces.Thruster(ship, position=(0.1, 0.2, 0.3), direction=(1, 2, 3), max_force=2.0)).throttle = 0.5
    return world


INTERRUPTED = """
import random, signal, sys
from tests.kernels.test_interrupted_compilation import flown

lost, interrupts = [], 0
sys.unraisablehook = lambda unraisable: lost.append(str(unraisable.exc_value))

def interrupt(number, frame):
    raise KeyboardInterrupt

random.seed(2)
world = flown()
signal.signal(signal.SIGALRM, interrupt)
while world.tick_count < 3 and interrupts < 10_000:
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(0.005, 0.1))
        world.step(3 - world.tick_count)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    except KeyboardInterrupt:
        interrupts += 1
print(world.tick_count, interrupts > 0, len(lost), world.state_hash())
"""


@needs_alarm
@long_run
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled: numba is missing or switched off")
def test_interrupted_compilations_end_and_are_used(tmp_path):
    environment = os.environ | {"POLHODE_CACHE_DIR": str(tmp_path), "POLHODE_BACKGROUND": "0"}
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    world = flown()
    world.step(3)
    assert ended.stdout.split() == ["3", "True", "0", str(world.state_hash())]


@needs_alarm
def test_handlers_run_when_the_function_has_ended():
    class Interrupted(BaseException):
        pass

    told = []

    def interrupt(number, frame):
        told.append(number)
        raise Interrupted

    def work():
        signal.raise_signal(signal.SIGALRM)
        signal.raise_signal(signal.SIGALRM)
        told.append("done")

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupted):
            uninterrupted(lambda: uninterrupted(work))
        assert signal.getsignal(signal.SIGALRM) is interrupt
    finally:
        signal.signal(signal.SIGALRM, before)
    assert told == ["done", signal.SIGALRM]


def test_what_a_function_returns_or_raises_is_passed_on():
    handler = signal.getsignal(signal.SIGINT)
    assert uninterrupted(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        uninterrupted(lambda: 1 / 0)
    assert signal.getsignal(signal.SIGINT) is handler


def test_another_thread_has_no_handlers_to_hold_back():
    found = []
    thread = threading.Thread(target=lambda: found.append(uninterrupted(threading.current_thread)))
    thread.start()
    thread.join()
    assert found == [thread]


MODULE = """
from engine import MassProperties, World, forces

@forces.compiled(parameters=("strength",))
def Wind(body, time, strength):
    return (strength, 0.0, 0.0), (0.0, 0.0, 0.0)

world = World(0.5, integrator="semi-implicit-euler")
body = world.add_body(MassProperties.sphere(1.0, 1.0))
world.add_force(Wind(1.0))
world.step()
"""


def test_a_module_may_compile_while_it_is_imported(tmp_path, monkeypatch):
    """The compiler imports the module too: it must not wait for the thread that is importing it."""
    (tmp_path / "compiles_on_import.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    import compiles_on_import

    assert compiles_on_import.world.tick_count == 1


@pytest.mark.skipif(not COMPILED, reason="plain Python has no addresses of kernels")
def test_an_interrupt_waits_until_the_address_of_a_kernel_is_known_which_is_looked_up_once(monkeypatch):
    """The compiler has a lock there, which an exception would leave locked: other threads would wait for ever."""
    from numba.core.codegen import JITCodeLibrary

    @kernel("addressed")
    def addressed(x):
        return x + 1.0

    found, look_up = [], JITCodeLibrary.get_pointer_to_function

    def interrupted(library, name):
        signal.raise_signal(signal.SIGINT)
        found.append(look_up(library, name))
        return found[-1]

    types = types_of(1.0)
    compile_for(addressed, types)
    monkeypatch.setattr(JITCodeLibrary, "get_pointer_to_function", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have its children ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            address_of(addressed, types)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [address_of(addressed, types)] == found
