"""The tables that a notebook shows for a world, its state, its mass properties and records."""

import re

import pytest

from engine import MassProperties, Recorder, World


def cells(page):
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)[1:]]


def fleet(count):
    world = World(dt=0.5)
    for number in range(count):
        world.add_body(
            MassProperties.box(2.0, (1, 2, 3)), name=f"<ship> {number}", position=(number, 0, 0), velocity=(0, 0, 4)
        )
    return world


def test_a_world_shows_its_bodies():
    world = fleet(2)
    world.step(3)
    page = world._repr_html_()
    assert "World with 2 bodies at t = 1.5 s" in page
    assert cells(page) == [
        ["&lt;ship&gt; 0", "2", "0, 0, 6", "0, 0, 4", "0, 0, 0"],
        ["&lt;ship&gt; 1", "2", "1, 0, 6", "0, 0, 4", "0, 0, 0"],
    ]


def test_state_and_model_show_a_row_per_body():
    world = fleet(1)
    assert cells(world.state._repr_html_()) == [["&lt;ship&gt; 0", "0, 0, 0", "0, 0, 0, 1", "0, 0, 4", "0, 0, 0"]]
    inertia = ", ".join(f"{moment:.5g}" for moment in (2 * 13 / 12, 2 * 10 / 12, 2 * 5 / 12))
    assert cells(world.model._repr_html_()) == [["&lt;ship&gt; 0", "2", "0, 0, 0", f"{inertia}, 0, 0, 0"]]


def test_records_show_their_columns():
    world = fleet(1)
    record = Recorder(world, columns=["position", "mass"])
    world.step(4)
    page = record._repr_html_()
    assert "Recorder of 5 samples of 1 body, t = 0 to 2 s" in page
    assert cells(page) == [["time", "s", "", "5"], ["position", "m", "world", "5 × 1 × 3"], ["mass", "kg", "", "5 × 1"]]


@pytest.mark.parametrize("count", [0, 20, 21, 300])
def test_tables_of_many_bodies_are_cut(count):
    world = fleet(count)
    for page in (world._repr_html_(), world.state._repr_html_(), world.model._repr_html_()):
        assert page.count("&lt;ship&gt;") == min(count, 20)
        assert (f"… and {count - 20} more" in page) == (count > 20)
