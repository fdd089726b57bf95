"""`polhode`, the second name of the package in an editable install, so that its command and `from polhode import …` work there too.

The package's own name is then that of its folder, `engine`. The wheel does not have this file.
"""

import sys
from pathlib import Path

import engine

if Path(engine.__file__ or "").parent != Path(__file__).resolve().parents[2] / "engine":
    raise ImportError(
        "polhode is installed in editable mode, where its package is the folder `engine` of the repository, but this program has a package "
        f"`engine` of its own, {engine.__file__}; install polhode without -e"
    )

if __name__ == "__main__":
    from engine.command_line import main

    sys.exit(main())
else:
    from engine import second_name

    second_name.give("polhode", "engine")
    second_name.give("polhode.demos", "demos")
