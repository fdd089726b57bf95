"""Draw the plot of the README with the lines of Python that stand above it.

    python -m tests.benchmarks.first_plot

It runs the first example of the README, in the colours of the other pictures, and writes `demos/pictures/first-plot.png`. The lines are
stored in the picture, so that a test can tell a picture of other lines.
"""

import re
from pathlib import Path
from unittest import mock

import matplotlib

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "demos" / "pictures" / "first-plot.png"

AXES = ((1.0, 0.45, 0.40), (0.45, 0.88, 0.48), (0.42, 0.68, 1.0))
"""The colours of the body's x, y and z, as in the demos."""
STYLE = {
    "figure.figsize": (8.3, 3.0),
    "figure.constrained_layout.use": True,
    "axes.grid": True,
    "axes.titlesize": 10,
    "axes.titlecolor": (1.0, 0.86, 0.55),
    "axes.xmargin": 0.0,
    "legend.loc": "upper center",
    "legend.frameon": False,
    "lines.linewidth": 1.6,
}


def example() -> str:
    """The first lines of Python in the README."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found is not None
    return found[1]


def main() -> None:
    """Run the lines, and write what they would show."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    from . import charts

    lines = example()
    cycle = matplotlib.cycler(color=AXES)
    with matplotlib.rc_context({**charts.THEME, **STYLE, "axes.prop_cycle": cycle}), mock.patch.object(pyplot, "show"):
        exec(lines, {})
        charts.save(pyplot.gcf(), PICTURE, {"Source": lines})
    print(f"wrote {PICTURE.relative_to(ROOT).as_posix()}")


if __name__ == "__main__":
    main()
