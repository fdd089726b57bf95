"""`polhode campaign`: how far a campaign is, its failures, its picture, its continuation, and a complete example."""

import argparse
import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ..checks import file_path
from . import example
from .blocks import Row
from .campaign import Campaign, Status, success_rate_of
from .storage import Folder, Record

_MOST_SHOWN = 20
"""Failed runs that are listed for each kind of error."""


def main(arguments: Sequence[str] | None = None, program: str = "polhode campaign") -> int:
    """Run the command line.

    Args:
        arguments: What follows the name of the command; None for those of this process.
        program: The name of the command in texts.

    Returns:
        The exit status: 0, 1 if the command failed, or 2 for wrong arguments.
    """
    options = _parser(program).parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    try:
        return command(options)
    except (OSError, RuntimeError, ValueError, TypeError, ImportError, AssertionError) as error:
        print(f"{program}: {_text_of(error)}", file=sys.stderr)
        return 1


def _parser(program: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=program, description="Monte Carlo campaigns in a folder.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        added.set_defaults(command=command)
        return added

    for name, command, text in (
        ("status", _status, "show how many runs are done and how many failed"),
        ("failures", _failures, "list failed runs by their errors"),
        ("resume", _resume, "simulate the runs that are not done yet"),
        ("plot", _plot, "draw histograms of the columns, columns over draws, and the success rate"),
    ):
        added = add(name, command, text)
        added.add_argument("folder", metavar="FOLDER", help="folder of the campaign")
        if name == "resume":
            added.add_argument(
                "program",
                metavar="PROGRAM",
                help="file or module with the campaign, such as mission.py; it is not taken from the folder, in which nothing is executed",
            )
            added.add_argument("--allow-changes", action="store_true", help="go on with other code or versions")
            _add_processes(added)
        if name == "plot":
            added.add_argument("--out", metavar="FILE", help="file to write (default: plot.png in the folder)")
    added = add(
        "example",
        _example,
        "simulate a complete small campaign: 200 detumblings with wheels, a noisy gyro and a stuck jet",
    )
    added.add_argument(
        "folder", metavar="FOLDER", nargs="?", default="out/detumble-example", help="default: %(default)s"
    )
    added.add_argument("--runs", type=int, default=example.RUNS, help="number of runs (default: %(default)s)")
    _add_processes(added)
    return parser


def _add_processes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--processes", type=int, help="number of processes (default: one per processor)")
    parser.add_argument("--quiet", action="store_true", help="show no progress bar")


def _opened(path: str) -> tuple[Folder, Record]:
    folder = Folder(file_path(path, "folder", "Campaign"))
    return folder, folder.need_record()


def _status(options: argparse.Namespace) -> int:
    folder, record = _opened(options.folder)
    blocks = folder.blocks(record)
    done, failed = sum(block.last - block.first for block in blocks), sum(block.failed for block in blocks)
    status = Status(record["runs"], done, failed)
    print(f"campaign   {folder.path}")
    print(f"simulates  {record['simulate']}, seed {record['seed']}, blocks of {record['block']} runs")
    print(f"runs       {status.done} of {status.runs} done, {status.left} left, {status.failed} failed")
    if status.done:
        rate = success_rate_of(status, 0.95, folder.owner)
        print(f"success    {100 * rate.rate:.2f} %, 95 % interval {100 * rate.low:.2f} to {100 * rate.high:.2f} %")
    hashes = {name: value[:12] if len(value) == 64 else value for name, value in record["code"].items()}
    print(f"code       {', '.join(f'{name} {value}' for name, value in hashes.items())}")
    if record["earlier_code"]:
        print(f"           resumed {len(record['earlier_code'])} times with other code or versions")
    return 0


def _failures(options: argparse.Namespace) -> int:
    folder, record = _opened(options.folder)
    table = folder.failures(record).select(["run", "error", "traceback"]).to_pylist()
    if not table:
        print(f"{folder.path}: no run has failed")
        return 0
    groups: dict[str, list[Row]] = {}
    for row in table:
        groups.setdefault(row["error"].partition(":")[0], []).append(row)
    for kind, rows in sorted(groups.items(), key=lambda group: -len(group[1])):
        runs = ", ".join(str(row["run"]) for row in rows[:_MOST_SHOWN])
        print(
            f"{len(rows)} × {kind}: {'run' if len(rows) == 1 else 'runs'} {runs}{', …' if len(rows) > _MOST_SHOWN else ''}"
        )
        print(f"  {rows[0]['traceback'] or rows[0]['error']}".rstrip().replace("\n", "\n  "))
    print(f"\nTo simulate one of them alone, in a debugger: campaign.repeat({table[0]['run']}, reraise=True)")
    return 0


def _resume(options: argparse.Namespace) -> int:
    folder, record = _opened(options.folder)
    if record["simulate"] == f"{example.__name__}.{example.simulate.__qualname__}" and options.program == "example":
        campaign = example.campaign(options.folder, record["runs"])
    else:
        campaign = _campaign_of(options.program, folder)
    status = campaign.run(processes=options.processes, progress=not options.quiet, allow_changes=options.allow_changes)
    print(f"{folder.path}: {status.done} of {status.runs} runs done, {status.failed} failed")
    return 0


def _campaign_of(program: str, folder: Folder) -> Campaign:
    """The campaign with this folder in the user's program, which is imported as a worker would import it."""
    rule = f"{program}: program must be a file or module with a campaign for {folder.path}"
    if program.endswith(".py"):
        path = Path(program).resolve()
        if not path.is_file():
            raise ValueError(f"{rule}; there is no such file")
        sys.path.insert(0, str(path.parent))
        name = path.stem
    else:
        sys.path.insert(0, str(Path.cwd()))
        name = program
    if importlib.util.find_spec(name.partition(".")[0]) is None:
        raise ValueError(f"{rule}; there is no such module")
    module = importlib.import_module(name)
    found = [value for value in vars(module).values() if isinstance(value, Campaign)]
    for campaign in found:
        if campaign.folder.resolve() == folder.path.resolve():
            return campaign
    others = ", ".join(str(campaign.folder) for campaign in found) or "none"
    raise ValueError(f"{rule}; the folders of its campaigns: {others}")


def _plot(options: argparse.Namespace) -> int:
    folder, record = _opened(options.folder)
    out = options.out or folder.path / "plot.png"
    folder.plot(record, out)
    print(f"{folder.path}: {out}")
    return 0


def _example(options: argparse.Namespace) -> int:
    for line in example.run(options.folder, options.runs, options.processes, not options.quiet):
        print(line)
    return 0


def _text_of(error: BaseException) -> str:
    """The message of an error; an error of the operating system would have its number before it."""
    return str(error.strerror) if isinstance(error, OSError) and error.strerror else str(error)
