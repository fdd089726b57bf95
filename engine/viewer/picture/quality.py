"""How much the pictures are worth in time: three tiers, and which one a machine can afford.

Milliseconds of processor time for a frame drawn and read back by Mesa's software renderer, on two cores that had other work too; a
ship under thrust, in brackets while the camera turns: low at 854 × 480 53 (81), medium 100, high at 1280 × 720 390 (600). A swarm of
20 000 craft with their plumes at 854 × 480: low 95, medium 132; with every craft a mesh and every plume in its shape it took 410 and more.
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
    speck: float
    """Radius in pixels below which a craft of a swarm is a mere dart of light."""


LOW = Quality("low", samples=0, shadow_size=0, bloom=False, sky_scale=0.5, speck=6.0)
MEDIUM = Quality("medium", samples=0, shadow_size=1024, bloom=True, sky_scale=0.5, speck=4.5)
HIGH = Quality("high", samples=4, shadow_size=2048, bloom=True, sky_scale=1.0, speck=4.5)
TIERS = {tier.name: tier for tier in (LOW, MEDIUM, HIGH)}

FRAMES_JUDGED = 12
SLOW_FRAME = 0.045
"""A tier whose first frames take longer than this [s] gives way to the one below."""


def below(tier: Quality, frame_times: Sequence[float]) -> Quality:
    """The tier to go on with after these first frames [s] at the current one."""
    tiers = list(TIERS.values())
    lower = tiers[max(tiers.index(tier) - 1, 0)]
    return lower if median(frame_times) > SLOW_FRAME else tier
