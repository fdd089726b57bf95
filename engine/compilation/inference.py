"""How the types of variables are found: as numba does it, where a step is taken again only if what it has read has changed since.

numba takes the steps of a function until nothing changes any more, so each at least twice, and looks for warnings around each step.
"""

from typing import Any

from numba.core.errors import ForceLiteralArg, TypingError
from numba.core.typeinfer import ConstraintNetwork, TypeVar
from numba.core.utils import chain_exception

from .kernel_types import Numba


class Variables(dict[str, Any]):
    """The types of the variables of one function, which notes whose types are asked for."""

    asked: list[Numba]

    def set_context(self, context: Numba) -> None:
        """Part of numba's interface."""
        self.context, self.asked = context, []

    def __getitem__(self, name: str) -> Numba:
        variable = self.get(name)
        if variable is None:
            variable = self[name] = TypeVar(self.context, name)
        self.asked.append(variable)
        return variable


class Steps(ConstraintNetwork):  # type: ignore[misc]
    """The steps that find the types of the variables of one function."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, list[tuple[Numba, Numba]]] = {}
        """What each step has read and written that did not fail: the variables with their types."""

    def propagate(self, inference: Numba) -> list[Exception]:
        """Take the steps whose variables have other types than after the last time; return what is wrong now."""
        errors: list[Exception] = []
        for place, step in enumerate(self.constraints):
            known = self._known.get(place)
            if known is not None and all(variable.type is kind for variable, kind in known):
                continue
            asked: list[Numba] = []
            inference.typevars.asked = asked
            try:
                step(inference)
            except ForceLiteralArg as error:
                errors.append(error)
            except TypingError as error:
                located = TypingError(str(error), loc=step.loc, highlighting=False)
                errors.append(chain_exception(located, error))
            else:
                self._known[place] = [(variable, variable.type) for variable in asked]
        return errors
