"""Follows every link inside a built site: `python docs/check_site.py SITE`. Prints those that lead nowhere, and ends with their number."""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and the anchors that it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.add(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


@cache
def page(path: Path) -> Page:
    return Page(path)


def broken(path: Path, target: str) -> bool:
    """Whether a link of a page leads nowhere; those to other sites are not followed."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return False
    place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if place.is_dir():
        place /= "index.html"
    if not place.exists():
        return True
    return bool(parts.fragment) and place.suffix == ".html" and unquote(parts.fragment) not in page(place).anchors


def main(site: Path) -> int:
    paths = sorted(path.resolve() for path in site.rglob("*.html"))
    found = [
        f"{path.relative_to(site.resolve())}: {target}" for path in paths for target in sorted(page(path).targets) if broken(path, target)
    ]
    print(*found, f"{len(paths)} pages, {sum(len(page(path).targets) for path in paths)} links, {len(found)} broken", sep="\n")
    return min(len(found), 100) if paths else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
