"""One command line under every name."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine import __version__, command_line
from engine.command_line import main

from ..helpers import PATIENCE
from ..lengths import long_run, sized

ROOT = Path(__file__).parents[2]
NAMES = ("engine", "demos", "polhode")


def output(*arguments):
    """What a program prints, and its exit status."""
    found = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return found.stdout, found.returncode


def test_every_name_of_the_program_has_the_version(capsys):
    for name in sized(["polhode"], NAMES):
        assert output(name, "--version") == (f"polhode {__version__}\n", 0)
    assert main(["-V"]) == 0 and capsys.readouterr().out == f"polhode {__version__}\n"


@long_run
def test_every_name_of_the_program_lists_the_same_commands():
    lists = [output(name)[0].replace("  python -m demos ", "  polhode ") for name in NAMES]
    assert lists[0] == lists[1] == lists[2]
    assert all(f" {name} " in lists[0] for name in ("prepare", "tumble", "doctor"))


def test_the_program_prepares(capsys):
    """Under each name it is the same program, see above."""
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["prepare", "--help"])
    shown = capsys.readouterr().out
    assert shown.startswith("usage: polhode prepare ") and "--any-processor" in shown
    with pytest.raises(SystemExit, match=r"^2$"):
        main(["prepare", "--capacity", "0"])


def test_an_unknown_command_is_named(capsys):
    assert main(["tumbel"]) == 2
    assert "did you mean tumble?" in capsys.readouterr().err


def test_without_the_demos_prepare_is_left(capsys, monkeypatch):
    monkeypatch.setattr(command_line, "_DEMOS", "no_such_package")
    assert main(["tumble"]) == 2
    assert "the only command is `prepare`" in capsys.readouterr().err
    assert main(["--version"]) == 0
