"""`python -m tests.site_links FOLDER` checks that each internal link and picture of a built site leads to a file, heading or name."""

import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The targets of a page's links and pictures, and the names that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.targets.append(value)
            if name in ("id", "name") and value:
                self.names.add(value)


def broken(folder: Path) -> Iterator[str]:
    """Each link that leads nowhere, with the page on which it stands."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        for target in dict.fromkeys(page.targets):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            found = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not found.is_file():
                yield f"{path.relative_to(folder.resolve())}: {target}: no such file"
            elif parts.fragment and found in pages and unquote(parts.fragment) not in pages[found].names:
                yield f"{path.relative_to(folder.resolve())}: {target}: no such heading or name"


if __name__ == "__main__":
    mistakes = list(broken(Path(sys.argv[1])))
    print("\n".join(mistakes) or "every internal link leads to something")
    sys.exit(bool(mistakes))
