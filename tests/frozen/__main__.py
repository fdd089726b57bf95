"""Build a game with PyInstaller, one folder that cannot be written, and run it: `python -m tests.frozen` (a few minutes)."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GAME = Path(__file__).with_name("game.py")
ROOT = GAME.parents[2]
PROCESSORS = ("", "x86-64", "sandybridge") if platform.machine() in ("x86_64", "AMD64") else ("",)


def build(folder: Path) -> Path:
    """Compile kernels for any processor, and ship them with the game; returns the program."""
    environment = os.environ | {"POLHODE_CACHE_DIR": str(folder / "kernels"), "PYTHONPATH": str(ROOT)}
    prepare = [sys.executable, "-m", "engine", "prepare", "--any-processor", "--force", "LinearDrag"]
    subprocess.run(prepare, cwd=folder, env=environment, check=True)
    pack = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--onedir", "--log-level", "ERROR"]
    files = ["--paths", str(ROOT), "--add-data", f"{folder / 'kernels'}{os.pathsep}kernels", str(GAME)]
    subprocess.run([*pack, *files], cwd=folder, check=True)
    shipped = folder / "dist" / "game"
    for path in [*shipped.rglob("*"), shipped]:
        path.chmod(path.stat().st_mode & ~0o222)
    return shipped / ("game.exe" if os.name == "nt" else "game")


def fly(command: list[str], processor: str) -> list[str]:
    """The lines that the game prints on a processor of this name; the name of this machine's is empty."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "POLHODE"))}
    environment["POLHODE_BACKGROUND"] = "0"
    if processor:
        environment |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True, timeout=300
    ).stdout.splitlines()


def main() -> int:
    """Say for each processor what was compiled, and whether the bits are those of the game when it is not shipped."""
    folder = Path(tempfile.mkdtemp(prefix="frozen-"))
    failures = 0
    try:
        program = build(folder)
        bits = subprocess.run(
            [sys.executable, str(GAME)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()[0]
        for processor in PROCESSORS:
            found, *compiled = fly([str(program)], processor)
            verdict = "same bits" if found == bits else f"other bits: {found}, not {bits}"
            print(f"{processor or 'this processor'}: {verdict}; {'; '.join(compiled) or 'nothing was compiled'}")
            failures += found != bits or bool(compiled)
    finally:
        for path in folder.rglob("*"):
            if path.is_dir():
                path.chmod(0o755)
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
