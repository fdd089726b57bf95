"""Motions of rigid bodies in closed form, for teaching and for comparison with a simulation.

The solutions need SciPy (`pip install "polhode[plot]"`), and `import engine` does not import them.

Each solution is made from the state at time 0 and gives orientations, angular velocities or positions at any times. Nothing here shares
code with the tick of a world, so that the difference between the two is the error of the simulation:

    >>> from engine import MassProperties, World, rotation
    >>> world = World(dt=0.01)
    >>> body = world.add_body(MassProperties(1.0, (1.0, 2.0, 3.0)), angular_velocity_body=(0.1, 5.0, 0.1))
    >>> solution = FreeAsymmetricTop(body.inertia_body, body.angular_velocity_body)
    >>> world.step(1000)
    >>> bool(rotation.angle_between(body.orientation, solution.orientations([world.time])[0]) < 1e-9)
    True
"""

from .free_top import FreeAsymmetricTop, FreeSymmetricTop, invariable_plane
from .heavy_top import HeavySymmetricTop, steady_precession_rates
from .libration import GravityGradientLibration, small_roll_yaw_rates
from .two_body import TwoBodyMotion

__all__ = [
    "FreeAsymmetricTop",
    "FreeSymmetricTop",
    "GravityGradientLibration",
    "HeavySymmetricTop",
    "TwoBodyMotion",
    "invariable_plane",
    "small_roll_yaw_rates",
    "steady_precession_rates",
]
