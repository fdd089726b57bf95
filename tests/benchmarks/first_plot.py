"""Draw the plot of the README with the lines of Python that stand above it.

    python -m tests.benchmarks.first_plot

It runs the first example of the README and writes what the lines show to `demos/pictures/first-plot.svg`. The lines are stored in the
picture, so that a test can tell a picture of other lines. On a dark page, black and white change places.
"""

import re
from pathlib import Path
from unittest import mock

import matplotlib

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "demos" / "pictures" / "first-plot.svg"


DARK = {
    "#ffffff": "#0d1117",
    "#000000": "#e6edf3",
    "#b0b0b0": "#333d4d",
    "#cccccc": "#5b6675",
    "#0072b2": "#40b0ff",
    "#d55e00": "#ff8a3d",
    "#00614a": "#7cf0c0",
    "#cc79a7": "#d0a0c0",
}
"""The colours of the plot on a dark page."""


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
    with mock.patch.object(pyplot, "show"):
        exec(lines, {})
        charts.save(pyplot.gcf(), PICTURE, lines, DARK)
    print(f"wrote {PICTURE.relative_to(ROOT).as_posix()}")


if __name__ == "__main__":
    main()
