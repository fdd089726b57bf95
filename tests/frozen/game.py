"""The game that is shipped: it says the bits of its world and what was compiled."""

import logging
import os
import sys
from pathlib import Path

HERE = Path(getattr(sys, "_MEIPASS", "."))  # where a frozen program has its files
os.environ["POLHODE_CACHE_DIR"] = str(HERE / "kernels")


class Lines(logging.Handler):
    """Keeps the lines that the engine logs."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


def main():
    from engine import MassProperties, World, forces

    lines = Lines()
    logger = logging.getLogger("polhode")
    logger.addHandler(lines)
    logger.setLevel(logging.DEBUG)
    world = World(dt=1 / 60)
    world.add_body(MassProperties.box(2.0, (1.0, 2.0, 3.0)), angular_velocity_body=(0.3, 5.0, 0.2))
    world.step()
    world.add_force(forces.LinearDrag(0.1))
    world.step(59)
    print(world.state_hash())
    print(*lines.texts, sep="\n", end="")


if __name__ == "__main__":
    main()
