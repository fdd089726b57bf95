"""A prepared batch waits for no kernel."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine import MassProperties, World
from engine.batch import Batch
from engine.compilation.compiler import COMPILED

from ..helpers import PATIENCE
from .templates import new_world

ROOT = Path(__file__).parents[2]
RUN = """
import logging, os, sys
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
import numpy as np
from engine.batch import Batch
from engine.compilation import compiler
from tests.batch import templates, test_sensors
from tests.batch.test_loops import make_measured
from tests.benchmarks.batch_features import with_jets_of_loop

def fly(template, count=300):
    batch = Batch(template, members=count)
    batch.prepare(pulses=True)
    load, loaded = compiler._KernelCache.load_overload, []

    def noted(cache, *arguments):
        if cache.compiles:  # else nobody waits for it
            loaded.append(cache._name)
        return load(cache, *arguments)

    compiler._KernelCache.load_overload = noted
    ship = batch[template.bodies[0]]
    if len(template.bodies) == 4:
        parts = templates.parts_of(template)
        templates.Numbers(count).set_in(batch, parts)
        batch[parts["bank"]].throttle = np.zeros((count, 2))
    batch.step(3)
    ship.set([3], position=(1.79e308, 0, 0), velocity=(1.7e308, 0, 0))
    batch.step(20)
    assert batch.failed.tolist() == [member == 3 for member in range(count)]
    batch.reset([3, 4])
    for part in template.parts:
        if hasattr(batch[part], "read"):
            batch[part].read()
    before = batch.snapshot()
    batch.step(30)
    batch.restore(before)
    batch.copy().step(2)
    batch.reset()
    batch.step(2)
    batch.state_hash(2)
    return loaded

for name, make in {
    "parts": lambda: templates.new_world(),
    "sensors": lambda: test_sensors.make()[0],
    "filter": lambda: make_measured("filter", 1)[0],
    "jets of a loop": lambda: with_jets_of_loop(True),
}.items():
    if os.fork() == 0:  # a process that has loaded no kernel yet
        print(name, fly(make()), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0, name
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled: numba is missing or switched off")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked")
def test_a_prepared_batch_waits_for_no_kernel():
    """In processes of their own, where no other test has loaded any."""
    environment = os.environ | {"POLHODE_BACKGROUND": "0"}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stdout.splitlines() if line.endswith("]")]
    assert told == ["parts []", "sensors []", "filter []", "jets of a loop []"]


def test_the_loops_for_blocks_of_members_are_prepared(monkeypatch):
    names, batch = [], Batch(new_world(), members=300)
    monkeypatch.setattr("engine.world.compile_all", lambda loops, progress: names.extend(loop.name for loop in loops))
    batch.prepare()
    assert [name for name in names if name.startswith("passes-") and name.endswith("-blocks")]


def test_preparing_changes_no_member_and_tells_its_progress():
    template = World(dt=0.5)
    ship = template.add_body(MassProperties.sphere(2.0, 0.5), velocity=(1.0, 0.0, 0.0))
    batch, seen = Batch(template, members=3), []
    batch[ship].velocity = np.eye(3)
    batch.step(2)
    hashes = [batch.state_hash(member) for member in range(3)]
    batch.prepare(progress=lambda done, total, name: seen.append((done, total, name)))
    assert [batch.state_hash(member) for member in range(3)] == hashes
    assert seen[-1] == (seen[0][1], seen[0][1], "")
    batch.step()
    assert batch[ship].position.tolist() == (1.5 * np.eye(3)).tolist()


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"progress": 3}, TypeError, "Batch.prepare: progress must be a function of done, total and name"),
        ({"pulses": "yes"}, TypeError, "Batch.prepare: pulses must be"),
    ],
)
def test_arguments_of_prepare_are_checked(arguments, kind, words):
    template = World(dt=0.5)
    template.add_body(MassProperties.sphere(2.0, 0.5))
    batch, raised = Batch(template, members=2), []
    with pytest.raises(kind, match=words):
        batch.prepare(**arguments)

    @batch.on_tick
    def prepare(batch):
        with pytest.raises(RuntimeError, match=r"Batch\.prepare cannot be used from inside a tick") as found:
            batch.prepare()
        raised.append(found.value)

    batch.step()
    assert len(raised) == 1
