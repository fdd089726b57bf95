"""What a template may not have, because it has no form for the members of a batch."""

from __future__ import annotations

import numpy as np

from ..checks import refuse
from ..constraints.layout import BREAK_FORCE, BREAK_TORQUE
from ..flight.part import SampledPart
from ..joints.joint import Joint
from ..joints.latch import Latch
from ..saving.content import Owners
from ..shapes.handle import ShapeHandle
from ..store.calling import default_name
from ..store.rows import TableRows, columns_of

_HINT = "remove it from the template, or step separate worlds"


def refuse_template(owners: Owners, template: object) -> None:
    """Reject a template with anything that calls Python for each member, or whose rows come and go.

    Raises:
        ValueError: If there is such a thing, which the message names.
    """
    for callback in owners.stages.callbacks():
        _refuse(
            template, f"the function {default_name(callback.function)} that it calls", "without functions that it calls"
        )
    for member in owners.forces.members:
        if not isinstance(member, TableRows):
            _refuse(template, f"the Python force {default_name(member)}", "without Python forces")
        _refuse_member(member, template)
    for name in owners.memory:
        _refuse(template, f"the memory {name!r}", "without named memory and attached objects")
    if owners.held.is_pushed:
        _refuse(template, "forces that wait for its next tick", "without applied forces that wait for the next tick")
    if any(True for _ in owners.stages.freezing.frozen):
        _refuse(template, "frozen bodies", "without frozen bodies")
    if not owners.bodies.count:
        _refuse(template, "no body", "with at least one body")
    method = owners.settings["integrator"]
    if getattr(method, "tolerance", None) is not None:
        _refuse(template, f"the method {method.name}", "of a method that divides every tick alike, whatever the state")


def _refuse_member(member: TableRows, template: object) -> None:
    if isinstance(member, ShapeHandle) and (member.velocity.any() or member.angular_velocity_world.any()):
        _refuse(template, f"{member!r}, which moves", "without shapes of the world that move")
    if isinstance(member, Latch):
        _refuse(template, repr(member), "without latches")
    if isinstance(member, Joint):
        columns = columns_of(member)
        if np.isfinite(columns[[BREAK_FORCE, BREAK_TORQUE]]).any():
            _refuse(template, repr(member), "without joints that can break")
    is_sampled = isinstance(member, SampledPart) or getattr(member, "_is_sampled", False)
    if is_sampled and not getattr(member, "_has_form_for_members", False):
        _refuse(template, repr(member), "without parts that are sampled in Python for each member")


def _refuse(template: object, found: str, rule: str) -> None:
    refuse("Batch", "template", template, f"a world {rule}", hint=f"it has {found}; {_HINT}")
