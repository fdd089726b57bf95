"""Random mutants of single tokens: `python -m tests.mutants.tokens [--count N] [--seed N] [part of a file …]`.

Each changes one operator, comparison, number or word of `engine/`, chosen by the seed. The tests that belong to its file are run: those
that the mutants in the data name for it, the committed bits, and those that import it; then, if none fails, those of its area. Survivors
are listed with their line; the exit status is 1 if fewer than 95 % of the mutants are caught, not counting those that `KNOWN` explains.
"""

import argparse
import ast
import io
import random
import sys
import tempfile
import time
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from . import ROOT, Mutant, every_mutant
from .__main__ import Verdict, copy_to, verdict

OTHERS = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "==": "!=",
    "!=": "==",
    "+=": "-=",
    "-=": "+=",
    "and": "or",
    "or": "and",
    "True": "False",
    "False": "True",
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
}
"""What takes the place of a token; a number n becomes n + 1."""
ALWAYS = ("kernels/test_golden_bits.py",)
"""Tests that are run for every file."""
_JOINTS = "physics/test_joints physics/test_joint_types physics/test_joint_impulses world/test_joint_conflicts world/test_joint_callbacks"
AREAS = {
    "compilation/": "kernels/test_kernel_cache kernels/test_kernel_identity kernels/test_prepare",
    "constraints/": _JOINTS,
    "joints/": _JOINTS,
    "tick/joint": _JOINTS,
    "flight/orbit": "flight/test_orbit flight/test_coast",
    "flight/": "flight/test_actuators flight/test_parts flight/test_control flight/test_reference flight/test_controlled "
    "flight/test_allocation flight/test_actuator_sets flight/test_sensors flight/test_estimation flight/test_attitude_filter",
    "forces/": "physics/test_forces flight/test_environment flight/test_actuators world/test_force_rows kernels/test_compiled_fields",
    "integrators/": "physics/test_integrators physics/test_methods physics/test_splitting physics/test_wrappers "
    "physics/test_stored_momentum",
    "kernels/": "physics/test_rotation physics/test_scalar physics/test_conventions physics/test_free_rotor physics/test_mass_properties "
    "flight/test_orbit flight/test_estimation kernels/test_noise kernels/test_rotation_paths",
    "loops/stacks": "kernels/test_rotation_paths physics/test_rotation flight/test_control flight/test_orbit",
    "loops/": "physics/test_forces physics/test_stored_momentum physics/test_wrappers flight/test_actuators flight/test_allocation "
    "flight/test_modulation flight/test_coast kernels/test_noise",
    "saving/": "world/test_snapshots world/test_scenes world/test_scene_classes world/test_rewind world/test_rollback "
    "world/test_recorder world/test_copies world/test_state_hash",
    "solids/": "physics/test_mass_properties physics/test_mesh_files",
    "": "world/test_world world/test_body world/test_clock world/test_tables world/test_force_rows world/test_undo "
    "world/test_memory_rows world/test_copies world/test_freezing world/test_rejections flight/test_actuators flight/test_parts",
}
"""The tests of each area, by the start of the path in `engine/`; those of the first start that fits are run."""
WANTED = 0.95
KNOWN = {
    change: entry["reason"]
    for entry in tomllib.loads((Path(__file__).parent / "known" / "tokens.toml").read_text(encoding="utf-8"))[
        "survivors"
    ]
    for change in entry["changes"]
}
"""Survivors that change no result, as their change and their line, each with the reason."""


class TokenMutant(NamedTuple):
    """One token of one file, and what takes its place."""

    file: str
    line: int
    column: int
    old: str
    new: str
    text: str
    """The line without the change."""
    tests: tuple[str, ...]
    compiled: bool = False
    survives: str = ""

    @property
    def name(self) -> str:
        return f"{self.file}:{self.line}:{self.column} {self.change}"

    @property
    def change(self) -> str:
        """The tokens and the line, without its place."""
        return f"{self.old} → {self.new}   {self.text}"

    def applied_to(self, text: str) -> str:
        """The text of the file with the change."""
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        assert line[self.column :].startswith(self.old), "the file has changed"
        lines[self.line - 1] = line[: self.column] + self.new + line[self.column + len(self.old) :]
        return "".join(lines)


def candidates(path: Path) -> Iterator[tuple[int, int, str, str, str]]:
    """Every token of a file that may be changed, as line, column, old and new token, and the line."""
    text = path.read_text(encoding="utf-8")
    left_out = _annotations(text)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        new = OTHERS.get(token.string) if token.type in (tokenize.OP, tokenize.NAME) else None
        if token.type == tokenize.NUMBER:
            new = f"({token.string} + 1)"
        line, column = token.start
        if new is not None and (line, column) not in left_out and not _is_unary_or_star(token):
            yield line, column, token.string, new, token.line.strip()


def _is_unary_or_star(token: tokenize.TokenInfo) -> bool:
    """Whether this is `*arguments`, `a, /` or `*,`, of which the other operator is no Python."""
    before, after = token.line[: token.start[1]].rstrip(), token.line[token.end[1] :].lstrip()
    return token.string in "*/" and (not before or before[-1] in "(,[=" or after[:1] in ",)")


def _annotations(text: str) -> set[tuple[int, int]]:
    """Places within annotations and decorators, which nothing evaluates or whose change is an error at import."""
    places: set[tuple[int, int]] = set()
    for node in ast.walk(ast.parse(text)):
        parts = [getattr(node, name, None) for name in ("annotation", "returns")]
        parts += getattr(node, "decorator_list", [])
        for part in parts:
            for inner in ast.walk(part) if isinstance(part, ast.AST) else ():
                if hasattr(inner, "lineno"):
                    places.add((inner.lineno, inner.col_offset))
    return places


@cache
def tests_for(file: str) -> tuple[str, ...]:
    """The tests that belong to a file of the engine, those that most likely fail first."""
    named = [test for mutant in _listed() if mutant.file == file for test in mutant.tests]
    module = file.removesuffix(".py").replace("/", ".")
    importers = [name for name, imported in _imported_by_tests() if module in imported]
    return tuple(dict.fromkeys([*named, *ALWAYS, *importers]))


def tests_around(file: str) -> tuple[str, ...]:
    """The tests of the area to which a file of the engine belongs."""
    path = file.removeprefix("engine/")
    tests = next(tests for start, tests in AREAS.items() if path.startswith(start))
    return tuple(f"{test}.py" for test in tests.split())


@cache
def _listed() -> list[Mutant]:
    return every_mutant()


@cache
def _imported_by_tests() -> list[tuple[str, set[str]]]:
    """Every test file with the modules that it imports, and the names that it imports from packages as modules."""
    found = []
    for path in sorted((ROOT / "tests").glob("*/test_*.py")):
        modules = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        found.append((str(path.relative_to(ROOT / "tests")), modules))
    return found


def chosen(count: int, seed: int, parts: Sequence[str] = ()) -> list[TokenMutant]:
    """That many mutants, the same for the same seed and sources."""
    generator, pool = random.Random(seed), []
    for path in sorted((ROOT / "engine").rglob("*.py")):
        file = str(path.relative_to(ROOT))
        if not parts or any(part in file for part in parts):
            pool += [(file, *each) for each in candidates(path)]
    return [TokenMutant(*each, tests_for(each[0])) for each in generator.sample(pool, min(count, len(pool)))]


def try_all(mutants: Iterable[TokenMutant]) -> list[TokenMutant]:
    """Run the tests of each mutant in a copy of the repository, and return the survivors."""
    alive = []
    with tempfile.TemporaryDirectory(prefix="tokens-") as folder:
        tree = copy_to(_new(Path(folder)))
        for mutant in mutants:
            began = time.monotonic()
            found = verdict(tree, mutant)  # type: ignore[arg-type]  # it has what `verdict` reads of a Mutant
            if found.kind == "survived":
                found = verdict(tree, mutant._replace(tests=tests_around(mutant.file)))  # type: ignore[arg-type]
                if found.detail.startswith("stopped"):  # these tests are many, and may take longer than the patience
                    found = Verdict("survived", found.detail)
            print(f"{time.monotonic() - began:5.1f} s {found.kind:9} {mutant.name}: {found.detail[:120]!r}", flush=True)
            # tests that do not end, or that cannot be collected, notice it too
            if found.kind == "survived" and mutant.change not in KNOWN:
                alive.append(mutant)
    return alive


def _new(folder: Path) -> Path:
    path = folder / "tree"
    path.mkdir()
    return path


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants.tokens", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help="part of the path of a file")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    mutants = chosen(options.count, options.seed, options.parts)
    alive = try_all(mutants)
    print(f"--seed {options.seed}: {len(mutants) - len(alive)} of {len(mutants)} caught or explained; alive:")
    print(*(mutant.name for mutant in alive), sep="\n")
    return 1 if len(alive) > (1.0 - WANTED) * len(mutants) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
