"""The page that shows the mutants, and the results that an earlier page has."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from . import FOLDER, Mutant

PAGE = FOLDER / "README.md"

_HEAD = """# Mutants

Each line below was broken on purpose in a copy of the repository, and the tests that should notice were run. `python -m tests.mutants`
repeats it and `--write` writes this page. The last complete run was on {date}; a row that is newer has the test that is to notice it.
Of the {all} mutants, {surviving} survive because they change no result; each has its reason at the end. [How to add one](__init__.py).
"""
_SURVIVORS = """
## Mutants that change no result

| mutant | what was changed | why it survives |
| --- | --- | --- |
"""
_ROW = re.compile(r"^\| (?P<name>.*?) \| (?P<change>`.*) \| (?P<last>.*?) \|$", flags=re.MULTILINE)


def page(mutants: Sequence[Mutant], caught_by: Mapping[str, str], date: str) -> str:
    """The whole page.

    Args:
        mutants: All mutants, by group.
        caught_by: The first test that failed, by name of mutant; without one, the page shows the first test that should fail.
        date: The day of the last complete run, as the page shows it.
    """
    must_die = [mutant for mutant in mutants if not mutant.survives]
    survivors = [mutant for mutant in mutants if mutant.survives]
    parts = [_HEAD.format(date=date, all=len(mutants), surviving=len(survivors))]
    for title, group in groupby(must_die, key=lambda mutant: mutant.group):
        parts.append(f"\n## {title}\n\n| mutant | what was changed | first test that failed |\n| --- | --- | --- |\n")
        parts += [_row(mutant, f"`{caught_by.get(mutant.name) or mutant.tests[0]}`") for mutant in group]
    return "".join([*parts, _SURVIVORS, *(_row(mutant, mutant.survives) for mutant in survivors)])


def rows(text: str) -> dict[str, tuple[str, str]]:
    """What a page says of each mutant: the change and the last column, by name."""
    return {row["name"]: (row["change"], row["last"]) for row in _ROW.finditer(text)}


def complete_run(text: str) -> str:
    """The date of the last complete run, as a page shows it."""
    return re.findall(r"complete run was on (.*?);", text)[0]


def change(mutant: Mutant) -> str:
    """The second column, with the change in one line."""
    old, new = (" ".join(text.split()).replace("|", "\\|") for text in (mutant.old, mutant.new))
    place = f"`{mutant.file.removeprefix('engine/')}`"
    return f"{place}: `{old}` → `{new}`" if new else f"{place}: `{old}` removed"


def _row(mutant: Mutant, last: str) -> str:
    return f"| {mutant.name} | {change(mutant)} | {last} |\n"
