"""What actuators do to the bodies of islands at the end of a tick, before velocities are made compatible with the joints."""

from ..compilation.compiler import kernel
from ..compilation.packed import Packed, unpack
from ..loops.actuator_layout import APPLIED, BODY, FRICTION, GAINED, HAS_KICKED, IS_DRIVEN, MOMENTUM, WHEEL_HAS_KICKED
from ..loops.gather import THRUSTERS, WHEELS
from ..loops.jet_kicks import damp, has_damping, lean
from ..loops.layout import VELOCITY
from ..loops.wheels import rub
from .arguments import Step
from .step import END_KICKS


@kernel("end-kicks")
def end_kicks(packed: Packed[Step], first: int, last: int, each: int, dt: float) -> int:
    """Kick the bodies of islands, in a range of places, by their actuators at the end of a tick, as part of the second kick.

    These are the kicks of `settle`, which then leaves them out. Like other forces that depend on the rates, friction and jet
    damping are those of the velocities at the end of the tick, when they fit the joints, less these kicks themselves. The velocities are
    found in several tries, of which this one has the number `each`.

    The bodies have their velocities before the second kick, which are replaced. The stages have those after the last try, or for the first
    try those before the kick; they are replaced by those without these kicks.

    Returns:
        Whether any place is marked, because any of these kicks depends on the rates and another try is necessary.
    """
    stepped = unpack(packed)
    tables, acting = unpack(stepped.common), stepped.actuators
    own, stages, places, counts = tables.own, tables.stages, acting.places, acting.acting
    thrusters, wheels, tanks = acting.thrusters, acting.wheels, acting.tanks
    depends_on_rates = 0
    for place in range(first, last):
        stages[END_KICKS + 6, place] = 0.0
        for row in range(6):
            if each > 0:
                stages[VELOCITY + row, place] -= stages[END_KICKS + row, place]
            stages[END_KICKS + row, place] = own[VELOCITY + row, place]
            own[VELOCITY + row, place] = stages[VELOCITY + row, place]
    for back in range(counts[THRUSTERS]):
        jet = counts[THRUSTERS] - 1 - back
        place = places[int(thrusters[BODY, jet])]
        if thrusters[IS_DRIVEN, jet] != 0.0 and first <= place < last:
            lean(own, place, thrusters, jet, 0.5 * dt)
            damp(own, place, thrusters, tanks, jet, dt)
            thrusters[HAS_KICKED, jet] = 1.0
            if has_damping(thrusters, tanks, jet):
                stages[END_KICKS + 6, place] = 1.0
                depends_on_rates = 1
    for back in range(counts[WHEELS]):
        wheel = counts[WHEELS] - 1 - back
        place = places[int(wheels[BODY, wheel])]
        if wheels[FRICTION, wheel] != 0.0 and first <= place < last:
            momentum = float(wheels[MOMENTUM, wheel]) + dt * float(wheels[APPLIED, wheel])
            wheels[GAINED, wheel] = rub(own, place, wheels, wheel, momentum, 0.5 * dt)
            wheels[WHEEL_HAS_KICKED, wheel] = 1.0
            stages[END_KICKS + 6, place] = 1.0
            depends_on_rates = 1
    for place in range(first, last):
        for row in range(6):
            before = float(stages[END_KICKS + row, place])
            stages[END_KICKS + row, place] = own[VELOCITY + row, place] - stages[VELOCITY + row, place]
            own[VELOCITY + row, place] = before + float(stages[END_KICKS + row, place])
    return depends_on_rates
