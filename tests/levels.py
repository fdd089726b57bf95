"""The picture of the levels of the engine, with lines of code before the middle was made simpler and now: `python -m tests.levels`.

With `--count COMMIT`, prints what `BEFORE` holds for another commit.
"""

import argparse
import ast
import io
import subprocess
import tarfile
import textwrap
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

from .repository.test_architecture import ENGINE, FLOORS, ROOT

PICTURE = ROOT / "docs" / "levels.svg"
BEFORE_COMMIT = "c53be72"
BEFORE = {
    "compilation": 1183,
    "mathematics": 1705,
    "loops": 5259,
    "arguments and functions": 1708,
    "state": 2094,
    "methods, forces, joints and flight": 9331,
    "the tick": 2862,
    "what users hold": 4220,
    "batches": 0,
    "campaigns": 0,
}
"""The lines of code of each level at that commit."""

WIDTH, LEFT, NAME, BAR, ROW = 830, 20, 330, 400, 46
SHOWN = 50
"""The characters of names of files that a row has room for."""


def code_lines(source: str) -> int:
    """The lines of a file that are no blank lines, comments or docstrings."""
    described: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node):
            described |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    lines = enumerate(map(str.strip, source.splitlines()), 1)
    return sum(bool(line) and not line.startswith("#") and number not in described for number, line in lines)


def by_level(files: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The lines of code of each level, given the paths of files in the engine and their texts."""
    levels = {part: level for level, parts in FLOORS.items() for part in parts}
    counts = dict.fromkeys(FLOORS, 0)
    for path, source in files:
        first = path.split("/")[0].removesuffix(".py").replace("__init__", "")
        counts[levels.get(first, "what users hold")] += code_lines(source)
    return counts


def now() -> dict[str, int]:
    """The lines of code of each level of the files that are here."""
    return by_level(
        (path.relative_to(ENGINE).as_posix(), path.read_text(encoding="utf-8")) for path in ENGINE.rglob("*.py")
    )


def at(commit: str) -> dict[str, int]:
    """The same at a commit."""
    archive = subprocess.run(["git", "archive", commit, "engine"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        texts = [(each.name, files.extractfile(each)) for each in files if each.name.endswith(".py")]
        return by_level((name.removeprefix("engine/"), text.read().decode()) for name, text in texts if text)


def drawn(before: dict[str, int], after: dict[str, int]) -> str:
    """The picture: a row per level, the highest first, with a bar for each of the two."""
    most, lines = max(*before.values(), *after.values()), []
    text = '  <text x="{}" y="{}" class="{}">{}</text>'.format
    lines.append(text(LEFT, 28, "title", "levels, the highest first"))
    lines.append(
        text(LEFT + NAME, 28, "old", f"lines of code before the middle was made simpler ({sum(before.values())})")
    )
    lines.append(text(LEFT + NAME, 44, "new", f"and now ({sum(after.values())})"))
    for place, (level, parts) in enumerate(reversed(FLOORS.items())):
        top = 58 + ROW * place
        folders = sorted(f"{part}/" for part in parts if part and (ENGINE / part).is_dir())
        named = [*folders, *(f"{part}.py" for part in parts if (ENGINE / f"{part}.py").is_file())]
        shown = textwrap.shorten(", ".join(named), SHOWN, placeholder=" …")
        lines.append(f'  <rect x="{LEFT}" y="{top}" width="{WIDTH - 2 * LEFT}" height="{ROW - 6}" rx="4" class="box"/>')
        lines.append(text(LEFT + 10, top + 17, "name", escape(level)))
        lines.append(text(LEFT + 10, top + 33, "small", escape(shown)))
        for row, (kind, count) in enumerate((("old", before[level]), ("new", after[level]))):
            length, y = BAR * count / most, top + 7 + 15 * row
            lines.append(
                f'  <rect x="{LEFT + NAME}" y="{y}" width="{max(length, 1.0):.1f}" height="11" class="{kind}"/>'
            )
            lines.append(text(round(LEFT + NAME + length + 6), y + 10, "small", count))
    height = 58 + ROW * len(FLOORS) + 28
    lines.append(
        text(
            LEFT,
            height - 12,
            "small",
            "A module imports from its own level and from lower ones. Each level stands on those below it.",
        )
    )
    style = (
        "  <style>\n    .box { fill: #f2f5fa; stroke: #4a6fa5; stroke-width: 1 }\n    .title, .name { font-weight: bold }\n"
        "    .small { font-size: 11.5px; fill: #444 }\n    .old { fill: #9a6a4f }\n    .new { fill: #4a6fa5 }\n  </style>"
    )
    box = f'viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, sans-serif" font-size="13"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>'
    return "\n".join([head, f'  <rect width="{WIDTH}" height="{height}" fill="#ffffff"/>', style, *lines, "</svg>", ""])


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", metavar="COMMIT", help="print the lines of code of each level at a commit")
    commit = parser.parse_args().count
    if commit:
        print(at(commit))
    else:
        Path(PICTURE).write_text(drawn(BEFORE, now()), encoding="utf-8")


if __name__ == "__main__":
    main()
