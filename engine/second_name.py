"""A second name for an imported package, under which every module is the same object as under its own name.

The wheel has the package under the name `polhode`, and `engine` is its second name (`aliases/engine.py`). An editable install has it the
other way round (`aliases/editable/polhode.py`). Without a finder for the modules inside the package, `import engine.forces` would load the
file of `polhode.forces` a second time, with classes of its own.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType


def give(name: str, package: str) -> None:
    """Give a package, and every module inside it, a second name.

    Args:
        name: The second name. If it lies inside another package, as in "polhode.demos", the package is imported when it is asked for.
        package: The package's own name, which all its classes and modules keep.

    Example:
        >>> import json.decoder
        >>> give("notation", "json")
        >>> from notation.decoder import JSONDecoder
        >>> JSONDecoder is json.decoder.JSONDecoder, JSONDecoder.__module__
        (True, 'json.decoder')
    """
    if "." not in name:
        sys.modules[name] = import_module(package)
    sys.meta_path.insert(0, _Finder(name, package))  # before the finder that would load the files again


class _Finder(MetaPathFinder):
    """Finds `name.x` where `package.x` is."""

    def __init__(self, name: str, package: str) -> None:
        self.name, self.package = name, package
        self.top_name = name.partition(".")[0]
        self.top = sys.modules[self.top_name]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not f"{fullname}.".startswith(f"{self.name}."):
            return None
        if sys.modules.get(self.top_name) is not self.top:
            return None  # a program has put another package in its place
        own = find_spec(self.package + fullname.removeprefix(self.name))
        if own is None:
            return None
        is_package = own.submodule_search_locations is not None
        return ModuleSpec(fullname, _Loader(own), origin=own.origin, is_package=is_package)


class _Loader(InspectLoader):
    """Loads a module by importing it under its own name."""

    def __init__(self, own: ModuleSpec) -> None:
        self.own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.own.name)
        self.own = module.__spec__ or self.own
        return module

    def exec_module(self, module: ModuleType) -> None:
        # the import system has just replaced it, and `reload` looks a module up by the name in it
        module.__spec__ = self.own

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the module, for `python -m`."""
        return self._of_file.get_code(self.own.name)

    def get_source(self, fullname: str) -> str | None:
        """The source of the module, for `inspect` and tracebacks."""
        return self._of_file.get_source(self.own.name)

    @property
    def _of_file(self) -> InspectLoader:
        loader: Loader | None = self.own.loader
        if not isinstance(loader, InspectLoader):
            raise ImportError(f"{self.own.name} has no source and no code", name=self.own.name)
        return loader
