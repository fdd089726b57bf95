"""Settings: each is one line of a table and one property, and is then in snapshots, bytes, copies, scenes and the hash."""

import copy
import pickle
from functools import partial

import pytest

from engine import MassProperties, NonFiniteStateError, Snapshot, World
from engine.checks import option
from engine.saving.settings import SETTINGS, Absent, Setting

LINE = Setting("calm", partial(option, options=("calm", "rough")), absent=Absent.DEFAULT, is_always_in_scene=False)
BESIDE = Setting("one", partial(option, options=("one", "many")), is_content=False)


class Sea(World):
    """A world with a setting more, and one that is no content."""

    @property
    def weather(self):
        return self._settings["weather"]

    @weather.setter
    def weather(self, value):
        self._settings.set("weather", value)

    @property
    def workers(self):
        return self._settings["workers"]


@pytest.fixture
def more_settings(monkeypatch):
    before = World(0.5).state_hash()
    monkeypatch.setitem(SETTINGS, "weather", LINE)
    monkeypatch.setitem(SETTINGS, "workers", BESIDE)
    return before


def test_a_line_and_a_property_are_a_setting(more_settings, tmp_path):
    world = Sea(0.5)
    assert world.state_hash() == more_settings
    calm = world.snapshot()
    world.weather = "rough"
    rough = world.snapshot()
    assert world.state_hash() != more_settings
    world.save(tmp_path / "sea.json")
    world.save(tmp_path / "scene.json", snapshot=False)
    empty = Sea(0.5)
    empty.restore(Snapshot.from_bytes(rough.to_bytes()))
    copies = [world.fork(), copy.deepcopy(world), pickle.loads(pickle.dumps(world)), empty]
    copies += [Sea.load(tmp_path / name) for name in ("sea.json", "scene.json")]
    for each in copies:
        assert each.weather == "rough" and each.state_hash() == world.state_hash()
    world.restore(calm)
    assert world.weather == "calm" and world.state_hash() == more_settings
    world.restore(Snapshot.from_bytes(rough.to_bytes()))
    assert world.weather == "rough"
    assert b"weather" not in (tmp_path / "sea.json").read_bytes().replace(b'"weather": "rough"', b"")
    with pytest.raises(ValueError, match="World: weather must be 'calm' or 'rough'; got 'fog'"):
        world.weather = "fog"
    path = tmp_path / "scene.json"
    path.write_text(path.read_text().replace("rough", "fog"))
    with pytest.raises(ValueError, match=r"World\.load: weather must be 'calm' or 'rough'; got 'fog'"):
        Sea.load(path)


def test_a_setting_is_undone_with_the_tick(more_settings):
    world = Sea(0.5)

    def change(world):
        world.weather = "rough"
        raise KeyError

    world.on_tick(change)
    with pytest.raises(KeyError):
        world.step()
    assert world.weather == "calm"


def test_what_is_no_content_stays_with_the_world_and_goes_with_its_copies(more_settings, tmp_path):
    world = Sea(0.5)
    before = world.snapshot()
    world._settings.set("workers", "many")
    world.restore(before)
    assert world.workers == "many" and world.state_hash() == more_settings
    assert world.fork().workers == "many"
    world.save(tmp_path / "sea.json")
    assert Sea.load(tmp_path / "sea.json").workers == "one"
    assert b"workers" not in (tmp_path / "sea.json").read_bytes() + world.snapshot().to_bytes()


def test_the_rules_of_settings_are_those_of_files(tmp_path):
    """A count that no file may hold is rejected at the door."""
    for world in (World(0.5, max_ticks_per_frame=2**53), World(0.5)):
        world.max_ticks_per_frame = 2**53
        world.save(tmp_path / "game.json")
        assert World.load(tmp_path / "game.json").max_ticks_per_frame == 2**53
        with pytest.raises(ValueError, match=r"World: max_ticks_per_frame must be at most 2\*\*53 ticks; got"):
            world.max_ticks_per_frame = 2**53 + 1


def test_what_happens_to_a_body_that_is_not_finite_comes_back_in_the_world_itself():
    world = World(0.5, on_non_finite="freeze")
    world.add_body(MassProperties.sphere(1.0, 0.5), position=(1.7e308, 0, 0), velocity=(1.7e308, 0, 0))
    other = World(0.5)
    other.restore(world.snapshot(), adopt=True)
    world.step()
    other.step()
    assert len(world.frozen) == len(other.frozen) == 1
    strict = World(0.5)
    other.restore(strict.snapshot(), adopt=True)
    other.add_body(MassProperties.sphere(1.0, 0.5), position=(1.7e308, 0, 0), velocity=(1.7e308, 0, 0))
    with pytest.raises(NonFiniteStateError):
        other.step()
