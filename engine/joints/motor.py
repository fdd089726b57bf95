"""Motors and springs that act on a degree of freedom of a joint."""

from __future__ import annotations  # help() then shows them as written

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from math import inf

import numpy as np

from ..checks import explaining_errors, real, refuse

_TWO_PI = 6.283185307179586


@explaining_errors()
@dataclass(frozen=True)
class Motor:
    """A motor on a degree of freedom of a joint, which follows a rate or an angle with a bounded torque.

    With `target_rate` alone, the motor turns at that rate, whatever the load, as long as the torque is enough. With `target_angle`, it is
    a spring and damper towards the target, to which `torque` is added::

        stiffness * (target_angle - angle) + damping * (target_rate - rate) + torque

    A `target_rate` that is left out counts as 0 here. The numbers are constant until the next motor is assigned. To follow a moving target,
    assign one at every tick, with the angle and the rate that are wanted in the middle of the tick; the torque may be that of inverse
    dynamics. On a slider or a distance joint, targets are a speed [m/s] and a distance [m], and torques are forces [N].

    Args:
        target_rate: The rate to follow [rad/s], or the rate of the target angle.
        target_angle: The angle to hold [rad].
        frequency: Natural frequency of the held position [Hz], at least 0. It is converted to a stiffness when the motor is assigned,
            with the inertia that `joint.inertia()` returns then: that of both sides of the joint, with all other joints locked. With
            `follows_inertia`, it is converted in every tick.
        damping_ratio: Damping ratio of the held position [-], at least 0.
        stiffness: Stiffness of the held position [N·m/rad], at least 0.
        damping: Damping of the held position [N·m·s/rad], at least 0.
        max_torque: Maximum of the whole torque [N·m], at least 0. It must be given.
        torque: Torque that is added to that of the held position [N·m].
        follows_inertia: Whether frequency and damping ratio stay as they are while the inertia changes, as on an arm that folds or takes up
            a load. The tick then converts them with the inertia at its start and at its end. It needs `frequency`. While the joints of a
            loop do not let the joint move, such a motor gives `torque` alone.

    Raises:
        TypeError: If an argument is not a real number, `follows_inertia` not a bool, or `max_torque` is not given.
        ValueError: If an argument is out of its range, if neither `target_rate` nor `target_angle` is given, if other numbers than
            `max_torque` are given without `target_angle`, if frequency and stiffness are both given or both left out with it, or if
            `follows_inertia` is True without `frequency`.

    Example:
        >>> Motor(target_rate=2.0, max_torque=5.0).target_rate
        2.0
        >>> Motor(target_angle=0.5, target_rate=2.0, frequency=1.0, damping_ratio=1.0, torque=0.1, max_torque=5.0).torque
        0.1
    """

    target_rate: float | None = None
    target_angle: float | None = None
    frequency: float | None = None
    damping_ratio: float | None = None
    stiffness: float | None = None
    damping: float | None = None
    max_torque: float = field(kw_only=True)
    torque: float = field(default=0.0, kw_only=True)
    follows_inertia: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        _keep_floats(self)
        _check_follows(self, "Motor")
        real(self.max_torque, "max_torque", "Motor", at_least=0.0)
        if self.target_rate is None and self.target_angle is None:
            refuse("Motor", "target_rate, target_angle or both", (None, None), "given")
        if self.target_angle is not None:
            check_spring(self.frequency, self.damping_ratio, self.stiffness, self.damping, "Motor")
            return
        numbers = self.frequency, self.damping_ratio, self.stiffness, self.damping
        if any(number is not None for number in numbers):
            rule = "left out without target_angle"
            refuse("Motor", "frequency, damping_ratio, stiffness and damping", numbers, rule)
        if self.torque != 0.0:
            refuse("Motor", "torque", self.torque, "left out without target_angle")


@explaining_errors()
@dataclass(frozen=True, kw_only=True)
class JointSpring:
    """A spring and damper on a degree of freedom of a joint; all arguments are given by name.

    Args:
        frequency: Natural frequency [Hz], at least 0. It is converted to a stiffness when the spring is assigned, with the inertia
            that `joint.inertia()` returns then: that of both sides of the joint, with all other joints locked.
        damping_ratio: Damping ratio [-], at least 0; 1 is critical.
        rest: The angle [rad] or distance [m] at which the spring exerts no torque or force.
        stiffness: Stiffness [N·m/rad or N/m], at least 0, instead of a frequency.
        damping: Damping [N·m·s/rad or N·s/m], at least 0, instead of a damping ratio.
        follows_inertia: Whether frequency and damping ratio stay as they are while the inertia changes, as for a `Motor`. It needs
            `frequency`, and the energy is not conserved while the inertia changes. A ball joint has no such spring.

    Raises:
        TypeError: If an argument is not a real number, or `follows_inertia` not a bool.
        ValueError: If an argument is out of its range, if `frequency` and `stiffness` are both given or both left out, if `damping_ratio`
            is given with `stiffness`, `damping` with `frequency`, or `follows_inertia` is True without `frequency`.

    Example:
        >>> JointSpring(frequency=2.0, damping_ratio=0.1).rest
        0.0
    """

    frequency: float | None = None
    damping_ratio: float | None = None
    rest: float = 0.0
    stiffness: float | None = None
    damping: float | None = None
    follows_inertia: bool = False

    def __post_init__(self) -> None:
        _keep_floats(self)
        _check_follows(self, "JointSpring")
        real(self.rest, "rest", "JointSpring")
        check_spring(self.frequency, self.damping_ratio, self.stiffness, self.damping, "JointSpring")


def _keep_floats(given: Motor | JointSpring) -> None:
    """Replace the given numbers by floats; arithmetic with a float16 would round to three digits."""
    for each in fields(given):
        value = getattr(given, each.name)
        if value is not None and each.name != "follows_inertia":
            object.__setattr__(given, each.name, real(value, each.name, type(given).__name__))


def _check_follows(given: Motor | JointSpring, owner: str) -> None:
    """Check the choice of a motor or spring to follow the inertia."""
    if not isinstance(given.follows_inertia, bool | np.bool_):
        refuse(owner, "follows_inertia", given.follows_inertia, "True or False", TypeError)
    object.__setattr__(given, "follows_inertia", bool(given.follows_inertia))
    if given.follows_inertia and given.frequency is None:
        refuse(owner, "follows_inertia", True, "False without frequency")


def check_spring(
    frequency: float | None, damping_ratio: float | None, stiffness: float | None, damping: float | None, owner: str
) -> None:
    """Check that a spring is described in exactly one of the two possible ways.

    Raises:
        TypeError: If an argument is not a real number.
        ValueError: If an argument is below 0, or if both ways or neither are used.
    """
    given = {"frequency": frequency, "damping_ratio": damping_ratio, "stiffness": stiffness, "damping": damping}
    for name, value in given.items():
        if value is not None:
            real(value, name, owner, at_least=0.0)
    by_frequency, by_stiffness = frequency is not None, stiffness is not None
    if (
        by_frequency == by_stiffness
        or (by_stiffness and damping_ratio is not None)
        or (by_frequency and damping is not None)
    ):
        refuse(owner, "exactly one of frequency with damping_ratio and stiffness with damping", given, "given")


def numbers_of(
    spring: Motor | JointSpring, owner: object, argument: str, inertia: Callable[[], float]
) -> tuple[float, float]:
    """Stiffness and damping of a spring or motor, or its frequency and damping ratio if it follows the inertia.

    A frequency needs the inertia [kg·m² or kg] about the degree of freedom.

    Raises:
        ValueError: If a frequency is given and the inertia is infinite.
    """
    if spring.stiffness is not None:
        return spring.stiffness, spring.damping or 0.0
    assert spring.frequency is not None
    about = inertia()  # also for one that follows it, which needs a finite one in every tick
    if about == inf:
        rule = (
            "given with stiffness instead of frequency, because the other joints of its loop keep the joint from moving"
        )
        refuse(owner, argument, spring, rule)
    if spring.follows_inertia:
        return spring.frequency, spring.damping_ratio or 0.0
    rate = _TWO_PI * spring.frequency
    return about * rate * rate, 2.0 * (spring.damping_ratio or 0.0) * about * rate
