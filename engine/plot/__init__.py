"""Plots of flights, drawn with matplotlib from the samples of a `Recorder`.

Every function takes a `Recorder`, a record that was read from a file, or the path of such a file, and the body by its name or its place in
the record. Axes may be given; otherwise a new figure is made. The axes are returned, and no setting of matplotlib is changed. The plots
need matplotlib and SciPy (`pip install "polhode[plot]"`), and `import engine` does not import them.

    >>> from engine import MassProperties, Recorder, World
    >>> world = World(dt=0.01)
    >>> phone = MassProperties.box(mass=0.2, size=(0.15, 0.07, 0.01))
    >>> body = world.add_body(phone, angular_velocity_body=(0.01, 8, 0.01))
    >>> record = Recorder(world)
    >>> world.step(1000)
    >>> rates(record).get_ylabel()
    'angular velocity, body frame [rad/s]'
"""

from .orbits import ground_track, orbit
from .rotation import axis_path, herpolhode, polhode
from .time_series import columns, control, drift, rates

__all__ = ["axis_path", "columns", "control", "drift", "ground_track", "herpolhode", "orbit", "polhode", "rates"]
