"""The program of the view is what its source gives: three.js and `flight.js` in one file, with the licence beside it."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import engine

FOLDER = Path(engine.__file__).parent / "notebook"


def test_the_bundle_has_the_version_of_the_lock_file_and_its_licence():
    lock = json.loads((FOLDER / "source" / "package-lock.json").read_text(encoding="utf-8"))
    version = lock["packages"]["node_modules/three"]["version"]
    bundle = (FOLDER / "flight.min.js").read_text(encoding="utf-8")
    assert json.loads((FOLDER / "source" / "package.json").read_text(encoding="utf-8"))["dependencies"] == {
        "three": version
    }
    assert f'"{version.split(".")[1]}"' in bundle, "three.js calls its versions by their second number"
    assert "@license" in bundle and "SPDX-License-Identifier: MIT" in bundle
    assert (FOLDER / "LICENSE-three.txt").read_text(encoding="utf-8").startswith("The MIT License")


def test_the_bundle_cannot_end_the_script_that_holds_it():
    assert not re.search(r"</script|<!--", (FOLDER / "flight.min.js").read_text(encoding="utf-8"), re.IGNORECASE)


@pytest.mark.skipif(not (FOLDER / "source" / "node_modules").exists(), reason="the packages of npm are not installed")
def test_the_source_gives_the_bundle_byte_for_byte(tmp_path):
    source = FOLDER / "source"
    command = json.loads((source / "package.json").read_text(encoding="utf-8"))["scripts"]["build"]
    made = tmp_path / "flight.min.js"
    words = command.replace("--outfile=../flight.min.js", f"--outfile={made}").split()
    program = shutil.which(words[0], path=source / "node_modules" / ".bin")
    subprocess.run([program, *words[1:]], cwd=source, check=True, capture_output=True)
    assert made.read_bytes() == (FOLDER / "flight.min.js").read_bytes()
