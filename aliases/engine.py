"""`engine`, the second name of the package polhode.

The wheel has this file at its top. In the repository, the folder `engine` is the package itself.
"""

import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path


def _folders_of_the_project() -> ModuleSpec | None:
    """A project's own folder `engine`, where it has no `__init__.py`: Python then prefers this file, although it comes later."""
    others = [entry for entry in sys.path if entry != str(Path(__file__).parent)]
    found = PathFinder.find_spec("engine", others)
    if found is None or found.loader is not None:
        return None
    folders = [Path(folder) for folder in found.submodule_search_locations or ()]
    has_code = any(True for folder in folders for pattern in ("*.py", "*/*.py") for _ in folder.glob(pattern))
    return found if has_code else None


if __name__ == "__main__":
    from polhode.command_line import main

    sys.exit(main())
elif (project := _folders_of_the_project()) is not None:
    sys.modules[__name__] = module_from_spec(project)
else:
    from polhode import second_name

    second_name.give(__name__, "polhode")
