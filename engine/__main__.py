"""`polhode prepare` compiles kernels for the programs that will run on this machine."""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial

from . import MassProperties, World, forces
from .body import Body
from .forces.field_force import FieldForce
from .integrators import by_name
from .store.bodies import rung
from .world import DEFAULT_INTEGRATOR

FIELDS = {
    name: kind
    for name in sorted(forces.__all__)
    if isinstance(kind := getattr(forces, name), type) and issubclass(kind, FieldForce) and hasattr(kind, "_kind")
}

_FIELDS_ON: dict[str, Callable[[Body], FieldForce]] = {
    "AngularDamping": lambda body: forces.AngularDamping(1.0),
    "AtmosphericDrag": lambda body: forces.AtmosphericDrag(
        body, drag_area=1.0, at_body=(0, 0, 0), density=1.0, reference_altitude=1.0, scale_height=1.0, planet_radius=1.0
    ),
    "GravityGradient": lambda body: forces.GravityGradient(1.0),
    "LinearDrag": lambda body: forces.LinearDrag(1.0),
    "Lorentz": lambda body: forces.Lorentz(1.0),
    "PointGravity": lambda body: forces.PointGravity(1.0),
    "QuadraticDrag": lambda body: forces.QuadraticDrag(1.0),
    "RadiationPressure": lambda body: forces.RadiationPressure(
        body, area=1.0, normal_body=(1, 0, 0), at_body=(0, 0, 0), specular=0, diffuse=0, sun_direction_world=(1, 0, 0)
    ),
}
"""A force of each kind of field."""

_WORLDS = {
    "joints": "with joints",
    "contacts": "with shapes that touch",
    "queries": "that are asked about their shapes, as by ray_cast",
    "wheels": "with reaction wheels",
    "pulses": "with tanks, or thrusters that fire pulses",
}
"""The arguments of `World.prepare` that say what a world will have, with the worlds that they are for."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    parser = argparse.ArgumentParser(prog="polhode", description="A rigid-body engine.")
    commands = parser.add_subparsers(dest="command", required=True)
    prepare = commands.add_parser(
        "prepare",
        help="compile kernels before they are needed",
        description="Compile kernels and keep them on disk, so that no program has to wait for them.",
    )
    prepare.add_argument(
        "--integrator",
        dest="integrators",
        nargs="+",
        choices=sorted(by_name),
        metavar="NAME",
        default=[DEFAULT_INTEGRATOR],
        help=f"methods that will be used (default: {DEFAULT_INTEGRATOR}): {', '.join(sorted(by_name))}",
    )
    prepare.add_argument(
        "--force",
        dest="forces",
        nargs="+",
        choices=FIELDS,
        metavar="NAME",
        default=[],
        help=f"fields that act together in every tick: {', '.join(FIELDS)}",
    )
    prepare.add_argument("--capacity", type=int, default=1, help="number of bodies (default: %(default)s)")
    for argument, text in _WORLDS.items():
        prepare.add_argument(f"--{argument}", action="store_true", help=f"for worlds {text}")
    prepare.add_argument("--game-mode", action="store_true", help="for worlds without the gyroscopic term")
    prepare.add_argument(
        "--any-processor",
        action="store_true",
        help="compile for every processor of this architecture, to ship kernels with a game; set POLHODE_CACHE_DIR to their folder",
    )
    options = parser.parse_args(arguments)
    if options.any_processor and os.environ.get("NUMBA_CPU_NAME") != "generic":
        given = list(sys.argv[1:] if arguments is None else arguments)
        environment = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
        return subprocess.run([sys.executable, "-m", str(__package__), *given], env=environment, check=False).returncode
    try:
        if options.capacity < 1:
            parser.error(f"argument --capacity: must be at least 1; got {options.capacity}")
        world = World(1 / 60, game_mode=options.game_mode)
        prepare_world = partial(
            world.prepare,
            integrators=options.integrators,
            progress=_show,
            **{argument: getattr(options, argument) for argument in _WORLDS},
        )
        if options.any_processor:  # nothing is compiled where they run, not even before forces and wheels act
            world.prepare(integrators=options.integrators, progress=_show)
        if options.forces:
            body = world.add_body(MassProperties.sphere(1.0, 1.0))
            for name in options.forces:
                world.add_force(_FIELDS_ON[name](body))
        prepare_world()
        if rung(options.capacity) > rung(1):  # a program that is not prepared by itself begins with few columns
            prepare_world(capacity=options.capacity)
    except ValueError as error:
        parser.error(str(error))
    return 0


def _show(done: int, total: int, name: str) -> None:
    print(f"[{done}/{total}] {name or 'all kernels are ready'}", flush=True)


if __name__ == "__main__":
    from .command_line import main as run

    sys.exit(run())
