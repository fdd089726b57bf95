"""Methods by name, as worlds accept them."""

from ..checks import refuse
from . import by_name
from .integrator import Integrator


def method_rule() -> str:
    """What a method given by itself or by its name must be."""
    return f"an integrator or one of the names {', '.join(sorted(by_name))}"


def method_of(value: Integrator | str, owner: str, argument: str) -> Integrator:
    """A method, given itself or by its name; rejected, in the name of who was given it, where it is neither."""
    rule = method_rule()
    if isinstance(value, str):
        if value not in by_name:
            refuse(owner, argument, value, rule)
        value = by_name[value]()
    if not isinstance(value, Integrator):
        refuse(owner, argument, value, rule, TypeError)
    return value
