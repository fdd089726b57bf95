"""Lists the commands, or runs one: `python -m demos [NAME [options]]`, or `polhode [NAME [options]]` where it is installed."""

import ast
import importlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from .internals import PROGRAM, install

COMMANDS = {
    "campaign": (".commands.campaign", "Monte Carlo campaigns: status, failures, resume, plot, example."),
    "doctor": (".commands.doctor", "Checks this machine for the demos and names one fix per problem."),
    "pictures": (
        ".commands.gallery",
        "Redraws the pictures of the README, into demos/pictures or a given folder.",
    ),
    "prepare": (".commands.prepare", "Compiles kernels before they are needed."),
    "plot": (".commands.plot", "Draws a record of a flight that a Recorder has written to a file."),
    "view": (".commands.view", "Shows a scene file or a record in a window, or draws a picture of it."),
}
"""The commands that are not demos, with module and summary."""


@cache
def summaries() -> dict[str, str]:
    """Name and first docstring line of each demo, read without importing it, so that the list works if a package is missing.

    The demos are the modules of this folder that have a function `main`.
    """
    found = {}
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in module.body):
            found[path.stem] = (ast.get_docstring(module) or "").partition("\n")[0]
    return found


def listing() -> str:
    """One line per demo with the command that runs it, followed by the other commands."""
    demos, others = summaries(), {name: summary for name, (_, summary) in COMMANDS.items()}
    width = max(map(len, [*demos, *others]))
    return "\n".join(
        [
            "The demos (each takes --help):",
            *(f"  {PROGRAM} {name:{width}}   {summary}" for name, summary in demos.items()),
            "Other commands:",
            *(f"  {PROGRAM} {name:{width}}   {summary}" for name, summary in others.items()),
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line names; the exit status is 2 for a name or an option that does not exist."""
    name, *options = list(sys.argv[1:] if arguments is None else arguments) or [""]
    try:
        status = _run(name, options)
        sys.stdout.flush()  # here and not when the interpreter ends, where nobody could catch what it raises
        return status
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of the output, `head` say, has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(name: str, options: Sequence[str]) -> int:
    if name in ("-V", "--version"):
        return importlib.import_module(".physics", __package__).run_command([name])
    if name in ("", "-h", "--help", "help", "list"):
        print(listing())
        return 0
    known = [*summaries(), *COMMANDS]
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(known)}."
        print(f"{PROGRAM}: no demo is called {name!r}; {hint} `{PROGRAM}` lists them.", file=sys.stderr)
        return 2
    try:
        module = COMMANDS[name][0] if name in COMMANDS else f".{name}"
        return importlib.import_module(module, __package__).main(options)
    except ModuleNotFoundError as error:
        package = (error.name or str(error)).partition(".")[0]
        print(f"{PROGRAM} {name}: the package {package} is missing: {install('demos')}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
