"""Tables that a notebook shows in place of the `repr` of an object."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

import numpy as np

_MOST_ROWS = 20


def html_table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """A table in HTML, of at most 20 rows and a line that says how many more there are.

    Args:
        caption: The text above it.
        headings: The text above each column.
        rows: The cells of each row; only those that are shown are read.
        count: The number of rows.
    """
    lines = [
        f"<tr>{''.join(f'<td>{escape(_shown(cell))}</td>' for cell in row)}</tr>" for row in islice(rows, _MOST_ROWS)
    ]
    if count > _MOST_ROWS:
        lines.append(f'<tr><td colspan="{len(headings)}">… and {count - _MOST_ROWS} more</td></tr>')
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    style = 'style="caption-side: top; text-align: left"'
    return (
        f"<table><caption {style}>{escape(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    )


def _shown(cell: object) -> str:
    """A number or the numbers of an array, to five digits."""
    if isinstance(cell, str):
        return cell
    return ", ".join(f"{number:.5g}" for number in np.ravel(np.asarray(cell)).tolist())
