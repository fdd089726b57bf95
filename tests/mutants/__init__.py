"""Lines of the engine that are broken on purpose, with the tests that must catch each: `python -m tests.mutants`.

The `.toml` files in this folder are the data, grouped by subject. Each mutant is an entry under the file that it changes:

    [["engine/kernels/rigid_body.py"]]
    name = "what is wrong, in a few words"
    old = 'text of the file that occurs exactly once'
    new = 'text that replaces it'
    tests = ["physics/test_free_body.py::test_free_body_keeps_angular_momentum[rk4]"]

`README.md` in this folder is written by `python -m tests.mutants --write`.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]


class Mutant(NamedTuple):
    """One change of one file, and what must catch it."""

    group: str
    """The title of the data file."""
    file: str
    """The file that is changed, from the root of the repository."""
    name: str
    old: str
    """Text of the file. It occurs exactly once, unless `occurrence` is given."""
    new: str
    tests: tuple[str, ...]
    """Test files or node ids, from the folder `tests`."""
    occurrence: int = 0
    """Which of several occurrences is changed, counted from 1."""
    compiled: bool = False
    """Whether the tests run compiled, for a mutant that plain Python does not show."""
    survives: str = ""
    """The reason why the change has no effect that a test could see. Without a reason, a mutant must be caught."""

    def applied_to(self, text: str) -> str:
        """The text of the file with the change.

        Raises:
            ValueError: The old text does not occur as stated, or the new text is the same.
        """
        found = text.count(self.old)
        if found == 0 or (self.occurrence == 0 and found > 1) or self.occurrence > found:
            raise ValueError(f"{self.name}: the old text occurs {found} times in {self.file}")
        if self.new == self.old:
            raise ValueError(f"{self.name}: the new text is the old one")
        before = self.old.join(text.split(self.old)[: max(self.occurrence, 1)])
        return before + self.new + text[len(before) + len(self.old) :]


def read(path: Path) -> list[Mutant]:
    """The mutants of one data file, in its order."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    title = data.pop("title")
    return [
        Mutant(title, file, **{**entry, "tests": tuple(entry["tests"])})
        for file, entries in data.items()
        for entry in entries
    ]


def every_mutant() -> list[Mutant]:
    """All mutants, by data file."""
    return [mutant for path in sorted(FOLDER.glob("*.toml")) for mutant in read(path)]
