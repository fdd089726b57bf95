"""Measures torque-free rotation: the drift, the swing of the spin axis, and whether both agree with the closed form."""

import math

import numpy as np

from ..drawing import Array, Sample
from ..physics import Body, World, integrators
from .claims import claim
from .free_body import period_of_rates, swing
from .vectors import cross

LONGEST_TURN_JUDGED = 1.0  # [rad] per tick; beyond it no method of a fixed order follows the motion
EXACT = (integrators.FreeRotor, integrators.ImplicitMidpoint)  # keep energy and momentum of a free body to rounding
ROUNDING = 1e-12  # relative, a tick; measured below 1e-15 for the methods there are


class FreeMotion:
    """Keeps the first energy and momentum of a body; `remember` is to be called through the ticks."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.energy, self.momentum_world = body.kinetic_energy(), body.angular_momentum_world
        self.momentum_size = float(np.linalg.norm(self.momentum_world))
        self._rates = body.angular_velocity_body
        self.moments, axes = body.mass_properties.principal()
        shares = axes.T @ body.direction_to_body(self.momentum_world)
        self.axis = int(np.argmax(np.abs(shares)))
        """Number of the principal axis that lies closest to the angular momentum."""
        self.axis_body = axes[:, self.axis] * math.copysign(1.0, shares[self.axis])
        """The same as a unit vector in the body frame, on the side of the angular momentum."""
        self.momentum_principal = np.abs(shares)
        """Angular momentum about each principal axis, their signs chosen along it."""
        self.tilts = (math.pi, 0.0)
        """Least and greatest angle between that axis and the angular momentum so far [rad]."""
        self.departures = np.zeros(3)
        """Greatest relative departure of ω so far from the energy ellipsoid ω·Iω = 2T, from the momentum ellipsoid |Iω|² = L² (the two
        meet in the polhode) and from the invariable plane ω·L = 2T (on which lies the herpolhode), each of the start; shape (3,)."""

    @property
    def plane_height(self) -> float:
        """The part of ω along L, 2T/L [rad/s]: what makes the tip of ω stay on a plane."""
        return 2.0 * self.energy / self.momentum_size

    def remember(self) -> Array:
        """Note how far the spin axis leans and ω strays; returns the axis in the world frame."""
        self.departures = np.maximum(self.departures, self._departures())
        axis_world = self.body.direction_to_world(self.axis_body)
        tilt = math.atan2(
            float(np.linalg.norm(cross(axis_world, self.momentum_world))), float(axis_world @ self.momentum_world)
        )
        self.tilts = min(tilt, self.tilts[0]), max(tilt, self.tilts[1])
        return axis_world

    def sample(self) -> Sample:
        """Time, body rates and drift, now."""
        change = np.linalg.norm(self.body.angular_momentum_world - self.momentum_world) / self.momentum_size
        energy_drift = self.body.kinetic_energy() / self.energy - 1.0
        return Sample(self.body.world.time, self.body.angular_velocity_body, energy_drift, float(change))

    def check(self) -> list[str]:
        """Assert that L and the energy stayed and that the axis swung as the closed form says; in game mode, that the body rates stayed."""
        now, world = self.sample(), self.body.world
        if world.game_mode:
            change = float(np.linalg.norm(now.rates - self._rates) / np.linalg.norm(self._rates))
            found = f"game mode: the body rates stay, relative change {change:.1e}"
            return [claim(change < 1e-9, found)]
        # A method of order p errs by about (ω dt)^p a radian.
        fastest = self.momentum_size / float(self.moments.min())
        turn = fastest * world.dt
        if turn > LONGEST_TURN_JUDGED:
            return [f"nothing: up to {turn:.1f} rad per tick, more than any of these methods can follow"]
        allowed = ROUNDING * (1 + world.tick_count)
        if not isinstance(world.integrator, EXACT):
            allowed += fastest * now.time * turn**world.integrator.order
        found = f"momentum drift {now.momentum_drift:.1e}, energy drift {now.energy_drift:+.1e}, allowed {allowed:.1e}"
        claim(max(now.momentum_drift, abs(now.energy_drift)) <= allowed, found)
        return [found, self._check_swing(world, now), self._check_polhode(allowed, fastest)]

    def _departures(self) -> Array:
        rates = self.body.angular_velocity_body
        momentum = self.body.inertia_body @ rates
        along = self.body.angular_velocity_world @ self.momentum_world
        energy_doubled = 2.0 * self.energy
        return np.abs(
            [rates @ momentum / energy_doubled, momentum @ momentum / self.momentum_size**2, along / energy_doubled]
            - np.ones(3)
        )

    def _check_polhode(self, allowed: float, fastest: float) -> str:
        """A drift d of L is 2d + d² of L², and moves the tip of ω off the plane by |ω| d beside the height 2T/L."""
        energy, momentum, plane = self.departures
        found = f"ω stays on the ellipsoids of energy to {energy:.1e} and of momentum to {momentum:.1e}, on its plane to {plane:.1e}"
        bounds = allowed, allowed * (2.0 + allowed), allowed * (1.0 + fastest / self.plane_height)
        return claim(bool((self.departures <= bounds).all()), found)

    def _check_swing(self, world: World, now: Sample) -> str:
        least, greatest = np.degrees(swing(self.moments, self.momentum_principal, self.axis))
        low, high = np.degrees(self.tilts)
        found = f"the axis is {low:.2f} to {high:.2f} degrees from the angular momentum, by closed form {least:.2f} to {greatest:.2f}"
        # Near its bounds the angle goes with the root of what energy and momentum have drifted.
        slack = 0.05 + math.degrees(4.0 * math.sqrt(now.momentum_drift + abs(now.energy_drift)))
        claim(least - slack <= low and high <= greatest + slack, found)
        if now.time > period_of_rates(self.moments, self.momentum_principal) and slack < 1.0:
            claim(
                low <= least + slack + 1.0 and high >= greatest - slack - 1.0,
                f"{found}, and it should have covered that range",
            )
        return found
