"""How much the pictures are worth in time: three tiers, and which one a machine can afford.

The tumble scene, drawn and read back by Mesa's software renderer on two cores: low at 854 × 480 takes 22 ms (33 while the camera turns),
medium 43, high at 1280 × 720 130 (200).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Quality:
    """What the renderer spends."""

    name: str
    samples: int
    """Samples a pixel; 0 for one."""
    shadow_size: int
    """Pixels a side of the shadow map; 0 for no shadows."""
    bloom: bool
    sky_scale: float
    """Pixels a side of the sky and planet over those of the frame."""


LOW = Quality("low", samples=0, shadow_size=0, bloom=False, sky_scale=0.5)
MEDIUM = Quality("medium", samples=0, shadow_size=1024, bloom=True, sky_scale=0.5)
HIGH = Quality("high", samples=4, shadow_size=2048, bloom=True, sky_scale=1.0)
TIERS = {tier.name: tier for tier in (LOW, MEDIUM, HIGH)}

FRAMES_JUDGED = 12
SLOW_FRAME = 0.045
"""A tier whose first frames take longer than this [s] gives way to the one below."""


def below(tier: Quality, frame_times: Sequence[float]) -> Quality:
    """The tier to go on with after these first frames [s] at the present one."""
    tiers = list(TIERS.values())
    lower = tiers[max(tiers.index(tier) - 1, 0)]
    return lower if median(frame_times) > SLOW_FRAME else tier
