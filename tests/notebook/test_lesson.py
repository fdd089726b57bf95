"""The notebook for lessons runs as it is, is short, and shows what it says."""

import json
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from engine.notebook import View

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorials" / "phone-lesson.ipynb"


def code_cells():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert all(cell.get("outputs", []) == [] for cell in cells), "outputs are made when it is run"
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_it_has_at_most_thirty_lines_of_code():
    lines = [line for cell in code_cells() for line in cell.splitlines() if line.strip()]
    assert 10 < len(lines) <= 30
    assert max(map(len, lines)) <= 92


def test_it_runs_and_the_phone_turns_over():
    names, views = {}, []
    plt.close("all")  # figures of other tests
    with mpl.rc_context({"backend": "agg"}):
        for cell in code_cells():
            *before, last = cell.splitlines()
            if last.startswith("notebook.show"):
                exec("\n".join(before), names)
                views.append(eval(last, names))
            else:
                exec(cell, names)
        drawn = len(plt.get_fignums())
        plt.close("all")
    (view,) = views
    assert isinstance(view, View) and drawn == 6
    rates = names["record"].angular_velocity_body[:, 0]
    assert np.count_nonzero(np.diff(np.sign(rates[:, 1]))) >= 3, (
        "the rate about the middle axis changes its sign at each turn"
    )
    steady = names["steady"].angular_velocity_body[:, 0]
    assert steady[:, 2].min() > 7.9, "a spin about the longest axis of the tensor is steady"
