"""The how-to page of campaigns: its program runs as a file, and its other examples print what is shown."""

import subprocess
import sys

from ..helpers import PATIENCE
from ..lengths import long_run
from ..repository.test_docs import blocks
from .cluster import environment


@long_run
def test_the_examples_of_the_page_run_and_print_what_is_shown(tmp_path):
    for number, (code, shown) in enumerate(blocks("how-to/campaigns.md")):
        path = tmp_path / f"mission{number or ''}.py"
        path.write_text(code, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, path.name],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == shown
    assert number == 2
