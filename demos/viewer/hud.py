"""The text on the picture: what the world does, what the demo shows, and the keys."""

from demos.viewer.camera import OrbitCamera
from demos.viewer.controls import help_lines
from demos.viewer.overlay import QUIET, TEXT, TITLE, Patch, block, label
from demos.viewer.scene import Picture, Scene

LABEL_GAP = 0.06  # of an arrow's length, between its tip and its label


def status_lines(scene: Scene) -> list[str]:
    """Time, drift, integrator and game mode, as text."""
    world, now = scene.world, scene.sample()
    pace = "paused" if world.paused else f"pace ×{world.time_scale:g}"
    dt = f"1/{1.0 / world.dt:.0f} s" if abs(1.0 / world.dt - round(1.0 / world.dt)) < 1e-6 else f"{world.dt:g} s"
    drifts = f"energy drift {now.energy_drift:+.1e}   momentum drift {now.momentum_drift:.1e}".replace("-", "−")
    return [
        f"time {now.time:.2f} s   {drifts}",
        f"integrator {world.integrator.name}   game mode {'on' if world.game_mode else 'off'}   tick {dt}   {pace}",
    ]


def patches(
    scene: Scene,
    picture: Picture,
    camera: OrbitCamera,
    size: tuple[int, int],
    *,
    keys: str = "",
    help_shown: bool = False,
) -> list[Patch]:
    """Everything to be laid over a frame of this size."""
    unit = max(9, round(size[1] / 45))
    margin = round(0.9 * unit)
    lines = [
        (picture.title, TITLE),
        *((line, TEXT) for line in status_lines(scene)),
        *((line, QUIET) for line in picture.status),
    ]
    found = [block(lines, unit, left=margin, top=margin)]
    for arrow in picture.arrows:
        place = camera.project(arrow.start + (1.0 + LABEL_GAP) * arrow.vector, size) if arrow.label else None
        if place is not None:
            found.append(label(arrow.label, arrow.colour, unit, place))
    bottom = []
    if help_shown:
        bottom = [(f"{key} – {meaning}", TEXT) for key, meaning in help_lines()]
    elif keys:
        bottom = [(keys, QUIET)]
    if bottom:
        help_block = block(bottom, unit if help_shown else round(0.9 * unit), left=margin, top=0)
        found.append(Patch(margin, size[1] - help_block.pixels.shape[0] - margin, help_block.pixels))
    return found
