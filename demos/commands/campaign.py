"""Monte Carlo campaigns: `polhode campaign status|failures|resume|plot FOLDER`, and `polhode campaign example`."""

import sys
from collections.abc import Sequence

from ..internals import PROGRAM
from ..physics import campaigns


def main(arguments: Sequence[str] = ()) -> int:
    """Run the engine's own command; the exit status is 1 where its packages are missing."""
    try:
        status: int = campaigns().main(arguments, f"{PROGRAM} campaign")
        return status
    except ImportError as error:
        print(f"{PROGRAM} campaign: {error}", file=sys.stderr)
        return 1
