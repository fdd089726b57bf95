"""Who flies the lander: velocities over the ground are commanded, by the autopilot or by keys, and engine and jets follow them."""

import numpy as np

from ..drawing import Array
from .landing_craft import MASS, Craft
from .landing_grounds import Ground

TILT, ASIDE, STEEPEST, LEAST = 0.35, 0.15, 0.5, 0.25
"""The largest tilt that is commanded [rad], unless the acceleration to the side is less [m/s²]; the largest one then; and the least
acceleration upwards, over gravity."""
ACROSS, DOWN = 2.0, 2.5
"""Largest commanded speeds [m/s]."""
CLOSE, HOVER, LOW = 1.5, 9.0, 3.5
"""How near to above the site the descent begins, the height before that, and the height below which it goes on in any case [m]."""
TOUCHDOWN = 1.2
"""Speed of descent over the site [m/s], over the square root of the share of the Moon's gravity."""
BANDWIDTH = 1.6
"""Of the attitude [rad/s]."""


class LandingPilot:
    """Commands a velocity over the ground and what it needs: thrust along the axis of the stage, and a turn of this axis."""

    def __init__(self, craft: Craft, ground: Ground) -> None:
        self._craft, self._ground = craft, ground
        self.is_automatic, self.is_off = True, False
        self.wanted = np.zeros(3)
        """East, north and up [m/s]."""
        moments = np.diag(craft.stage.mass_properties.inertia_body)
        # with the legs, which turn with the stage
        self._moments = moments + craft.mass / MASS * np.array((70.0, 70.0, 90.0))

    def command(self, axis: int, step: float) -> str:
        """Add to the commanded velocity by hand."""
        if self.is_off:
            return "the engine is off"
        self.is_automatic = False
        self.wanted[axis] += step
        east, north, up = self.wanted
        return f"by hand: {east:+.2f} east, {north:+.2f} north, {up:+.2f} up m/s"

    def cut(self) -> str:
        """Shut engine and jets for good."""
        self.is_off = True
        self._craft.stop()
        return "engine off"

    def fly(self, time: float) -> None:
        """Set engine and jets for the next tick."""
        if self.is_off:
            return
        stage, ground = self._craft.stage, self._ground
        place, axes = stage.position, ground.axes_at(stage.position)
        if self.is_automatic:
            self.wanted = self._toward(axes.T @ (ground.site_at(time) - place))
        off = axes @ self.wanted + ground.velocity_at(place) - stage.velocity
        push = np.clip(0.8 * off, -1.2, 1.2) - ground.gravity_at(place)
        up = axes[:, 2]
        lift = max(float(push @ up), LEAST * ground.gravity)
        aside = push - (push @ up) * up
        size = float(np.linalg.norm(aside))
        most = min(max(np.tan(TILT) * lift, ASIDE), np.tan(STEEPEST) * lift)
        axis = lift * up + (aside if size <= most else most / size * aside)
        nose = stage.direction_to_world((0.0, 0.0, 1.0))
        self._craft.engine.throttle = min(
            max(self._craft.mass * lift / (self._craft.engine.max_force * float(nose @ up)), 0.0), 1.0
        )
        error = stage.direction_to_body(np.cross(nose, axis / np.linalg.norm(axis)))
        spin = stage.angular_velocity_body - stage.direction_to_body((0.0, 0.0, ground.spin))
        self._craft.turn(self._moments * (BANDWIDTH**2 * error - 2.0 * BANDWIDTH * spin))

    def _toward(self, away: Array) -> Array:
        """The velocity that leads to the site, given where it is: first over it, then down, more slowly near the ground."""
        far, height = float(np.hypot(*away[:2])), -away[2] - 2.0
        # what the tilt can brake in time
        most = min(0.25 * far, np.sqrt(0.5 * np.tan(TILT) * self._ground.gravity * far), ACROSS)
        level = most / max(far, 1e-9) * away[:2]
        slow = TOUCHDOWN * np.sqrt(self._ground.gravity / 1.62)
        down = min(max(0.22 * height, slow), DOWN)
        is_over = far < CLOSE + 0.25 * max(height, 0.0) or height < LOW
        return np.array((*level, -down if is_over else min(max(0.25 * (HOVER - height), -DOWN), 1.0)))
