"""The stars: directions and light, the same ones each time."""

import numpy as np
import numpy.typing as npt

SPREAD_EVENLY, NEAR_THE_GALAXY = 8000, 12000
GALAXY_POLE = np.array([-0.490, 0.433, 0.757])
"""As in `sky.frag`, whose haze these stars lie in."""
FAINTEST, BRIGHTEST = 0.022, 5.0  # light; 1 is a white screen
COUNT_SLOPE = 1.25
"""Of the number of stars brighter than a light, against that light, both logarithmic; about as in the real sky."""
COOL, NEUTRAL, HOT = (1.0, 0.70, 0.42), (1.0, 0.96, 0.92), (0.68, 0.80, 1.0)


def stars() -> npt.NDArray[np.float32]:
    """Unit direction and linear red, green, blue of each, shape (n, 6)."""
    random = np.random.default_rng(20240607)
    count = SPREAD_EVENLY + NEAR_THE_GALAXY
    direction = random.normal(size=(count, 3))
    belt = direction[SPREAD_EVENLY:]
    belt -= 0.8 * (belt @ GALAXY_POLE)[:, np.newaxis] * GALAXY_POLE
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    light = np.minimum(FAINTEST * random.uniform(size=(count, 1)) ** (-1.0 / COUNT_SLOPE), BRIGHTEST)
    warmth = random.triangular(-1.0, 0.1, 1.0, size=(count, 1))
    tint = np.where(warmth < 0.0, mixed(NEUTRAL, COOL, -warmth), mixed(NEUTRAL, HOT, warmth))
    return np.hstack([direction, light * tint]).astype(np.float32)


def mixed(
    one: tuple[float, float, float], other: tuple[float, float, float], share: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Colours between two, shape (n, 3), for shares of the other (n, 1)."""
    return np.asarray(one) + share * np.subtract(other, one)
