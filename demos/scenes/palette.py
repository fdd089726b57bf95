"""The colours of vectors and paths, which mean the same in every demo."""

from ..drawing import Colour

AMBER: Colour = (1.0, 0.66, 0.16, 1.0)
"""Angular momentum."""
GREEN: Colour = (0.35, 1.0, 0.45, 1.0)
"""Angular velocity."""
BLUE: Colour = (0.32, 0.69, 1.0, 1.0)
"""Where an axis of the body goes."""
VIOLET: Colour = (0.80, 0.50, 1.0, 1.0)
"""Torque."""
FIRE: Colour = (1.0, 0.42, 0.20, 1.0)
"""Thrust."""
AXES: tuple[Colour, ...] = ((1.0, 0.30, 0.28, 1.0), (0.40, 0.90, 0.35, 1.0), (0.38, 0.55, 1.0, 1.0))
"""The body's x, y and z."""
CYAN: Colour = (0.30, 0.92, 0.95, 1.0)
"""Magnetic field."""
PINK: Colour = (1.0, 0.42, 0.68, 1.0)
"""Magnetic moment."""
QUIET: Colour = (0.55, 0.65, 0.80, 0.55)
"""What only helps to see the rest: rings, grids, the vertical."""
WORDS: Colour = (0.80, 0.86, 0.94, 1.0)
"""Captions."""
GOAL: Colour = (1.0, 0.93, 0.55, 1.0)
"""What is to be reached."""
