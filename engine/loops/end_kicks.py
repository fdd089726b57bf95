"""What actuators do to bodies on joints at the end of a tick, before their velocities are made compatible with the joints."""

from ..compilation.compiler import kernel
from .actuator_layout import APPLIED, BODY, FRICTION, GAINED, HAS_KICKED, IS_DRIVEN, MOMENTUM, WHEEL_HAS_KICKED
from .columns import Array, Integers
from .gather import THRUSTERS, WHEELS
from .jet_kicks import damp, has_damping, lean
from .layout import VELOCITY
from .wheels import rub


@kernel("end-kicks")
def end_kicks(
    own: Array,
    stages: Array,
    places: Integers,
    thrusters: Array,
    wheels: Array,
    tanks: Array,
    counts: Integers,
    first: int,
    last: int,
    kept: int,
    each: int,
    dt: float,
) -> int:
    """Kick the bodies of islands, in a range of places, by their actuators at the end of a tick, as part of the second kick.

    These are the kicks of `settle`, which then leaves them out. Like other forces that depend on the rates, friction and jet
    damping are those of the velocities at the end of the tick, when they fit the joints, less these kicks themselves. The velocities are
    found in several tries, of which this one has the number `each`.

    Args:
        own: The bodies by place, with their velocities before the second kick, which are replaced.
        stages: The velocities after the last try, or for the first try those before the kick; replaced by those without these kicks.
        places: The place of the body in each column of the world, or -1.
        thrusters: The table of thrusters.
        wheels: The table of wheels.
        tanks: The table of tanks.
        counts: The rows of the tables; see `gather`.
        first: The first place.
        last: The place after the last one.
        kept: The row of `stages` for the change of velocity and angular velocity in the last try, and the mark of places at which any of
            these kicks depends on the rates, so that another try is necessary.
        each: The number of the try, from 0.
        dt: Length of the tick [s].

    Returns:
        Whether any place is marked.
    """
    depends_on_rates = 0
    for place in range(first, last):
        stages[kept + 6, place] = 0.0
        for row in range(6):
            if each > 0:
                stages[VELOCITY + row, place] -= stages[kept + row, place]
            stages[kept + row, place] = own[VELOCITY + row, place]
            own[VELOCITY + row, place] = stages[VELOCITY + row, place]
    for back in range(counts[THRUSTERS]):
        jet = counts[THRUSTERS] - 1 - back
        place = places[int(thrusters[BODY, jet])]
        if thrusters[IS_DRIVEN, jet] != 0.0 and first <= place < last:
            lean(own, place, thrusters, jet, 0.5 * dt)
            damp(own, place, thrusters, tanks, jet, dt)
            thrusters[HAS_KICKED, jet] = 1.0
            if has_damping(thrusters, tanks, jet):
                stages[kept + 6, place] = 1.0
                depends_on_rates = 1
    for back in range(counts[WHEELS]):
        wheel = counts[WHEELS] - 1 - back
        place = places[int(wheels[BODY, wheel])]
        if wheels[FRICTION, wheel] != 0.0 and first <= place < last:
            momentum = float(wheels[MOMENTUM, wheel]) + dt * float(wheels[APPLIED, wheel])
            wheels[GAINED, wheel] = rub(own, place, wheels, wheel, momentum, 0.5 * dt)
            wheels[WHEEL_HAS_KICKED, wheel] = 1.0
            stages[kept + 6, place] = 1.0
            depends_on_rates = 1
    for place in range(first, last):
        for row in range(6):
            before = float(stages[kept + row, place])
            stages[kept + row, place] = own[VELOCITY + row, place] - stages[VELOCITY + row, place]
            own[VELOCITY + row, place] = before + float(stages[kept + row, place])
    return depends_on_rates
