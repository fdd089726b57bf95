"""Contacts in a tick that a method divides into steps.

Each step finds the contacts anew. The table of contacts describes the whole tick: the impulses of a point are summed over the steps, and a
point that was pushed in an earlier step and is no longer there stays in the table until the tick ends.
"""

from ..compilation.compiler import kernel
from ..compilation.packed import Packed, unpack
from .layout import CONTACT_ROWS, KEPT_AT, STEP


@kernel("open-contact-steps")
def open_contact_steps(packed: Packed, operand: int, ticks_left: int) -> int:
    """Begin a tick; packed are the contacts with their number, those of the last tick with theirs, and the numbers of detection."""
    contacts, known_count, kept, kept_count, counts = unpack(packed)
    for row in range(CONTACT_ROWS):
        for known in range(known_count[0]):
            kept[row, known] = contacts[row, known]
    kept_count[0], counts[STEP] = known_count[0], 0
    return 1


@kernel("add-contact-step")
def add_contact_step(packed: Packed, operand: int, ticks_left: int) -> int:
    """Count the step that has just been taken."""
    _contacts, _known_count, _kept, _kept_count, counts = unpack(packed)
    counts[STEP] += 1
    return 1


@kernel("end-contact-steps")
def end_contact_steps(packed: Packed, operand: int, ticks_left: int) -> int:
    """End a tick; what was kept in its last step belongs to a step, and not to a tick."""
    _contacts, _known_count, _kept, _kept_count, counts = unpack(packed)
    counts[STEP], counts[KEPT_AT] = 0, -1
    return 1


@kernel("undo-contact-steps")
def undo_contact_steps(packed: Packed, start: int, unused: int) -> int:
    """Put the contacts of the last tick back."""
    contacts, known_count, kept, kept_count, counts = unpack(packed)
    for row in range(CONTACT_ROWS):
        for known in range(kept_count[0]):
            contacts[row, known] = kept[row, known]
    known_count[0] = kept_count[0]
    counts[STEP], counts[KEPT_AT] = 0, -1
    return 1
