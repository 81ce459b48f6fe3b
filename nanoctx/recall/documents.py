"""Documents as passages: Markdown, reStructuredText, plain text and HTML, by heading and paragraph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import NamedTuple

from nanoctx.core import escape
from nanoctx.recall.passages import Passage

ENOUGH = 350  # characters: short paragraphs below one heading are joined up to here
LONGEST = 900  # characters of one passage
MOST = 5000  # passages of one document

_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*")
_FENCE = re.compile(r"\s*(```|~~~)")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*")
_SETEXT = re.compile(r"(?:=+|-{2,})\s*")


class Block(NamedTuple):
    """A paragraph with the headings above it."""

    heading: str
    text: str
    line: int


def passages(text: str, path: str, at: float) -> Iterator[Passage]:
    """The passages of the document at `path`, in order, at most `MOST`."""
    ending = path[path.rfind(".") :].lower()
    read: Callable[[str], Iterator[Block]] = {
        ".rst": _rst, ".txt": _plain, ".html": _html, ".htm": _html,
    }.get(ending, _markdown)  # fmt: skip
    name = path.rpartition("/")[2]
    for count, block in enumerate(_pieces(_joined(read(text)))):
        if count == MOST:
            return
        about = f"{name} {block.heading}"
        yield Passage(
            block.text, "document", f"{path}:{block.line}", about, scope="universal", at=at, pos=block.line
        )


def _markdown(text: str) -> Iterator[Block]:
    return _by_lines(text, _markdown_heading)


def _rst(text: str) -> Iterator[Block]:
    return _by_lines(text, _rst_heading)


def _plain(text: str) -> Iterator[Block]:
    return _by_lines(text, lambda line, below: None)


def _markdown_heading(line: str, below: str) -> str | None:
    if titled := _HEADING.fullmatch(line):
        return titled[1]
    return (
        line.strip()
        if line.strip() and _SETEXT.fullmatch(below) and not line.startswith(("-", " "))
        else None
    )


def _rst_heading(line: str, below: str) -> str | None:
    underlined = line[:1].strip() and _UNDERLINE.fullmatch(below) and len(below.strip()) >= len(line.strip())
    return line.strip() if underlined and not _UNDERLINE.fullmatch(line) else None


def _by_lines(text: str, heading_of: Callable[[str, str], str | None]) -> Iterator[Block]:
    """Paragraphs are what blank lines, headings and bullets at the margin part; a fence is one paragraph."""
    lines = _without_front_matter(text.splitlines())
    heading, first, fence = "", 0, ""
    gathered: list[str] = []
    for number, line in lines:
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        below = lines[number - lines[0][0] + 1][1] if number < lines[-1][0] else ""
        title = None if fence else heading_of(line, below)
        if gathered and not fence and (title is not None or not line.strip()):
            yield Block(heading, "\n".join(gathered), first)
            gathered = []
        if title is not None:
            heading = escape.one_line(title, 120)
        elif line.strip() and (fence or not _UNDERLINE.fullmatch(line)):
            first = first if gathered else number
            gathered.append(line)
    if gathered:
        yield Block(heading, "\n".join(gathered), first)


def _without_front_matter(lines: list[str]) -> list[tuple[int, str]]:
    numbered = list(enumerate(lines, 1))
    if lines[:1] == ["---"] and "---" in lines[1:200]:
        return numbered[lines.index("---", 1) + 1 :]
    return numbered


def _joined(blocks: Iterator[Block]) -> Iterator[Block]:
    held: Block | None = None
    for block in blocks:
        if held and held.heading == block.heading and len(held.text) + len(block.text) < ENOUGH:
            held = held._replace(text=f"{held.text}\n{block.text}")
            continue
        if held:
            yield held
        held = block
    if held:
        yield held


def _pieces(blocks: Iterator[Block]) -> Iterator[Block]:
    """Blocks of a bounded length, on one line each."""
    for block in blocks:
        line = block.line
        rest = block.text
        while rest.strip():
            end = len(rest)
            if end > LONGEST:
                end = max(rest.rfind(sign, LONGEST // 2, LONGEST) for sign in ("\n", ". ", "。")) + 1
                end = end or rest.rfind(" ", LONGEST // 2, LONGEST) + 1 or LONGEST
            if shown := escape.one_line(rest[:end]):
                yield Block(block.heading, shown, line)
            line += rest.count("\n", 0, end)
            rest = rest[end:]


def _html(text: str) -> Iterator[Block]:
    reader = _Reader()
    reader.feed(_harmless(text))
    reader.close()
    reader.end_paragraph()
    return iter(reader.blocks)


def _harmless(text: str) -> str:
    """
    Take out, in linear time, what carries no words: comments, scripts, declarations and overlong tags.

    The parser of the standard library takes quadratic time for some that are never closed.
    """
    return _NO_WORDS.sub(lambda found: "\n" * found[0].count("\n") + " ", text)


_NO_WORDS = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|svg|template)\b.*?(?:</\1\s*>|\Z)|<[!?][^>]*(?:>|\Z)"
    r"|<(?![^<>]{0,2000}>)",
    re.DOTALL | re.IGNORECASE,
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "title"))
_BREAKS = frozenset(
    (
        *(
            "p",
            "div",
            "li",
            "ul",
            "ol",
            "dl",
            "dt",
            "dd",
            "tr",
            "td",
            "th",
            "table",
            "hr",
            "br",
            "pre",
            "nav",
        ),
        *(
            "section",
            "article",
            "header",
            "footer",
            "main",
            "aside",
            "blockquote",
            "form",
            "fieldset",
            "figure",
        ),
        *("figcaption", "body", "head", "html"),
    )
)


class _Reader(HTMLParser):
    """Gathers the words of a page and nothing else of it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[Block] = []
        self._heading = ""
        self._words: list[str] = []
        self._line = 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _HEADINGS or tag in _BREAKS:
            self.end_paragraph()

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._heading = escape.one_line(" ".join(self._words), 120) or self._heading
            self._words = []
        elif tag in _BREAKS:
            self.end_paragraph()

    def handle_data(self, data: str) -> None:
        if data.strip():
            if not self._words:
                self._line = self.getpos()[0]
            self._words.append(data)

    def end_paragraph(self) -> None:
        if self._words:
            self.blocks.append(Block(self._heading, "".join(self._words).strip(), self._line))
            self._words = []
