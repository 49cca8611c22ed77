"""The Markdown pages of the documentation: their links, anchors, code blocks and tables of contents."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# Pages outside of docs/ that the site has too, with the pages in docs/ that stand for them.
INCLUDED = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "benchmarks/RESULTS.md": "project/results.md",
    "benchmarks/GPU.md": "project/results_gpu.md",
    "benchmarks/LAYERS.md": "project/results_layers.md",
    "benchmarks/LOADERS.md": "project/results_loaders.md",
    "benchmarks/SERVING.md": "project/results_serving.md",
    "benchmarks/NETWORKS.md": "project/results_networks.md",
}

_FENCE = re.compile(r"^( *)(```+)([^\n`]*)\n(.*?)^\1\2 *$\n?", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *#*$", re.MULTILINE)


class Block(NamedTuple):
    """A code block: its line, the words after the fence, the code, and the output that the page shows for it."""

    line: int
    info: str
    code: str
    output: str | None

    @property
    def language(self) -> str:
        return self.info.partition(" ")[0]

    @property
    def mark(self) -> str:
        """The words after the language, such as `not run: needs a GPU`."""
        return self.info.partition(" ")[2]


def pages() -> list[Path]:
    """Return the README and all pages in docs/."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """Return the code blocks of a page. A block of `text` directly after a block of code shows its output."""
    found = list(_FENCE.finditer(text))
    return [_block(text, each, following) for each, following in itertools.zip_longest(found, found[1:])]


def _block(text: str, found: re.Match[str], following: re.Match[str] | None) -> Block:
    indent, _, info, code = found.groups()
    shows = following and following[3].strip() == "text" and not text[found.end() : following.start()].strip()
    lines = [line.removeprefix(indent) for line in code.splitlines(keepends=True)]
    output = following[4] if following and shows else None
    return Block(text.count("\n", 0, found.start()) + 2, info.strip(), "".join(lines), output)


def links(text: str) -> list[str]:
    """Return the targets of the links and pictures of a page, without those of code blocks."""
    return [found[3] for found in _LINK.finditer(_FENCE.sub("", text))]


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and MyST make them."""
    found: set[str] = set()
    for title in _HEADING.findall(_FENCE.sub("", text)):
        plain = _LINK.sub(r"\2", title).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.add(
            anchor
            if anchor not in found
            else next(f"{anchor}-{n}" for n in range(1, 99) if f"{anchor}-{n}" not in found)
        )
    return found


def contents(page: Path) -> Iterator[Path]:
    """Yield the pages in the tables of contents of a page, and of those pages."""
    for block in blocks(page.read_text("utf-8")):
        if block.language == "{toctree}":
            for entry in _entries(block.code):
                for path in sorted(page.parent.glob(f"{entry}.md")):
                    yield path
                    yield from contents(path)


def _entries(code: str) -> list[str]:
    lines = [line.strip() for line in code.splitlines()]
    return [re.sub(r".*<(.*)>", r"\1", line) for line in lines if line and not line.startswith(":")]


def for_site(page: Path, repository: str = "") -> str:
    """Return the text of a page for the site.

    Links are made relative to docs/. A page that stands for a file outside of docs/ has the text of that file. A link
    to another file of the repository leads to `repository`, an address; without one, only its text is left.
    """
    of_page = {DOCS / site: ROOT / path for path, site in INCLUDED.items()}
    source = of_page.get(page, page)
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    text = _FENCE.sub(keep, source.read_text("utf-8"))
    text = _LINK.sub(lambda found: _on_site(found, source.parent, repository), text)
    return re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], text)


def _on_site(link: re.Match[str], folder: Path, repository: str) -> str:
    picture, words, target = link.groups()
    path, mark, anchor = target.partition("#")
    if "://" in target or not path:
        return link[0]
    file = (folder / path).resolve()
    inside = INCLUDED.get(file.relative_to(ROOT).as_posix())
    if file.is_relative_to(DOCS):
        inside = file.relative_to(DOCS).as_posix()
    if inside:
        return f"{picture}[{words}](/{inside}{mark}{anchor})"
    return f"[{words}]({repository}/{file.relative_to(ROOT).as_posix()})" if repository else words
