"""What an edit was about: the names that the new text defines and speaks of, or its headings."""

from __future__ import annotations

import re
from collections import Counter

from nanoctx.core import prose

SYMBOLS = 12  # names that one edit defines
NAMES = 6  # and others that it speaks of
HEADINGS = 6
_PROSE = (".md", ".mdx", ".rst", ".txt", ".adoc")
_SYMBOL = re.compile(
    r"^\s*+(?:export |pub |public |private |async |static |default |abstract "
    r"|final )*+(?:func(?:\s*\([^)\n]*\))?|def|class|type|interface|enum|struct|trait|fn|function\*?"
    r"|record|const|module|impl)\s+([A-Za-z_]\w{3,})",
    re.MULTILINE,
)
# Letters only, neither quoted nor assigned, and only in code: a value may be a secret, a name is none.
# fooBar, foo_bar and FOO_BAR, then FooBar; sought in much text, so nothing is ever tried a second time.
_NAME = re.compile(
    r"(?<![\w\"'`=/.:@-])(?:[a-z]++(?:[A-Z][a-zA-Z]{2,}+|(?:[A-Z][a-zA-Z]*+)?_[a-zA-Z_]{3,}+)"
    r"|[A-Z](?:[a-z]++[A-Z][a-zA-Z]++|[a-zA-Z]*+_[a-zA-Z_]{3,}+))(?!\w)"
)
_ASCII_NAME = re.compile(_NAME.pattern, re.ASCII)  # nearly twice as fast, and the same where all is ASCII
_CODE = (
    ".c", ".cc", ".cpp", ".cs", ".dart", ".ex", ".exs", ".go", ".h", ".hpp", ".java", ".js", ".jsx", ".kt",
    ".lua", ".mjs", ".php", ".py", ".rb", ".rs", ".scala", ".sh", ".sql", ".svelte", ".swift", ".ts", ".tsx",
    ".vue", ".zig",
)  # fmt: skip
_OPEN = re.compile(r"^\s*[-*] \[ \] +(.{3,120})$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,4} +(.{3,80})$", re.MULTILINE)


def marks(path: str, text: str) -> dict[str, str]:
    """What is kept of a file's new text: `symbols` it defines, `names` in it; or `headings`, `open` boxes."""
    kind = path.lower()
    if kind.endswith(_PROSE):
        found = {
            "headings": " / ".join(prose.plain(title) for title in _HEADING.findall(text)[:HEADINGS]),
            "open": " / ".join(prose.plain(step) for step in _OPEN.findall(text)[:HEADINGS]),
        }
        return {key: value for key, value in found.items() if value}
    defined = symbols(text)[:SYMBOLS]
    name = _ASCII_NAME if text.isascii() else _NAME
    counted = Counter(name.findall(text)) if kind.endswith(_CODE) else Counter[str]()
    known = set(defined)
    others = [name for name, _ in counted.most_common(NAMES + len(known)) if name not in known][:NAMES]
    found = {"symbols": ",".join(defined), "names": ",".join(others)}
    return {key: value for key, value in found.items() if value}


def symbols(code: str) -> list[str]:
    """Names of functions, classes and types that the code defines, in order."""
    return list(dict.fromkeys(_SYMBOL.findall(code)))
