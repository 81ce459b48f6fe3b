"""Settings of agents as people have them: what they look like must not matter."""

from __future__ import annotations

from dataclasses import dataclass

JSON: dict[str, bytes | None] = {
    "no file": None,
    "empty": b"",
    "only a newline": b"\n",
    "empty object": b"{}",
    "empty object with space": b"{ \n }\n",
    "plain": b'{\n  "model": "opus",\n  "includeCoAuthoredBy": false\n}\n',
    "no newline at the end": b'{\n  "model": "opus"\n}',
    "minified": b'{"model":"opus","permissions":{"allow":["Bash(make:*)"],"deny":[]}}',
    "tabs": b'{\n\t"env": {\n\t\t"EDITOR": "vi"\n\t},\n\t"cleanupPeriodDays": 30\n}\n',
    "four spaces": b'{\n    "permissions": {\n        "allow": [\n            "Read"\n        ]\n    }\n}\n',
    "crlf": b'{\r\n  "model": "opus",\r\n  "hooks": {\r\n    "Notification": []\r\n  }\r\n}\r\n',
    "byte order mark": b'\xef\xbb\xbf{\n  "model": "opus"\n}\n',
    "comments": b'{\n  // for the weekend\n  "model": "opus", /* or not */\n  "env": {} // none\n}\n',
    "trailing commas": b'{\n  "model": "opus",\n  "env": {\n    "A": "1",\n  },\n}\n',
    "other hooks": (
        b'{\n  "hooks": {\n    "SessionStart": [\n      {\n        "matcher": "startup",\n'
        b'        "hooks": [\n          {"type": "command", "command": "date"}\n        ]\n      }\n    ],\n'
        b'    "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "make fmt"}]}]\n'
        b'  },\n  "statusLine": {"type": "command", "command": "~/bin/status"}\n}\n'
    ),
    "empty lists of hooks": b'{\n  "hooks": {\n    "SessionStart": [],\n    "SessionEnd": []\n  }\n}\n',
    "empty hooks": b'{"hooks": {}, "model": "opus"}\n',
    "a command that only sounds like ours": (
        b'{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "echo nanoctx-hook >> l"}]}]}}'
    ),
    "names in other alphabets": '{\n  "env": {"GRÜSSE": "こんにちは \\u2603"}\n}\n'.encode(),
    "bytes that are no UTF-8": b'{\n  "env": {"NAME": "Z\xfcrich"}\n}\n',
}

BROKEN_JSON: dict[str, tuple[bytes, str]] = {
    "a comma missing": (b'{\n  "model": "opus"\n  "env": {}\n}\n', "line 3, column 3"),
    "cut short": (b'{"model": "op', "line 1, column 11"),
    "a list": (b"[]\n", "not a JSON object"),
    "hooks that are a list": (b'{"hooks": []}', '"hooks" is no object'),
    "an event as an object": (b'{"hooks": {"SessionStart": {}}}', '"SessionStart" in "hooks" is no list'),
    "not text": (b"\x00\x01\x02", "line 1, column 1"),
    "another encoding": ('{"model": "opus"}'.encode("utf-16"), "line 1, column 1"),
}

# Without a record nobody can tell these from what we made ourselves.
LIKE_OURS_IN_JSON = {
    "empty", "only a newline", "empty object with space", "empty lists of hooks", "empty hooks",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Files:
    """What an agent's settings can be: as they should, and not; `like_ours` are known by a record only."""

    good: dict[str, bytes | None]
    broken: dict[str, tuple[bytes, str]]
    like_ours: set[str]


HOOKS = Files(JSON, BROKEN_JSON, LIKE_OURS_IN_JSON)
# A file of our own is somebody else's as soon as it says something: what people have there says nothing.
BLANK = {
    "only a newline": b"\n", "crlf": b"\r\n", "a space": b" ", "a tab": b"\t", "blank lines": b"\n\n\n",
    "blank crlf lines": b"\r\n\r\n", "spaces and a newline": b"  \n", "tabs and a newline": b"\t\t\n",
    "byte order mark": b"\xef\xbb\xbf", "byte order mark and a newline": b"\xef\xbb\xbf\n",
}  # fmt: skip
OWN = Files(
    {"no file": None, "empty": b"", **BLANK},
    {
        "somebody else's": (b'export const Hook = "nanoctx-hook";\n', "somebody else's file"),
        "an empty object": (b"{}\n", "somebody else's file"),
        "a comment": (b"// mine\n", "somebody else's file"),
    },
    set(BLANK),
)
YAML = Files(
    {
        "no file": None,
        "empty": b"",
        "only a newline": b"\n",
        "only comments": b"# aider, at home\n# model: opus\n",
        "plain": b"model: opus\nauto-commits: false\n",
        "no newline at the end": b"model: opus\ndark-mode: true",
        "crlf": b"model: opus\r\nread:\r\n  - CONVENTIONS.md\r\n",
        "one file": b"read: CONVENTIONS.md\nmodel: opus\n",
        "nothing yet": b"read:\nmodel: opus\n",
        "nothing yet, with a comment": b"read:  # what it shall know\nmodel: opus\n",
        "a list in brackets": b"model: opus\nread: [CONVENTIONS.md, 'docs/the style.md']  # both\n",
        "a list in brackets over lines": b"read: [\n  CONVENTIONS.md,\n  docs/style.md\n]\nmodel: opus\n",
        "an empty list": b"read: []\nmodel: opus\n",
        "a list of lines": b"read:\n  # all\n  - STYLE.md  # short\n  - docs/style.md\n\nmodel: opus\n",
        "a list of lines at the end": b"model: opus\nread:\n- CONVENTIONS.md\n- docs/style.md",
        "byte order mark": b"\xef\xbb\xbfmodel: opus\n",
        "begun and ended": b"---\nmodel: opus\n...\n",
        "names in other alphabets": "model: opus\nread: [\"GRÜSSE.md\", こんにちは.md]\n".encode(),
        "a page of another kind": b"read: docs/CONTEXT.md\n",
    },
    {
        "a bracket missing": (b"model: opus\nread: [a, b\nx: 1\n", "line 3"),
        "tabs": (b"model: opus\n\tread: a\n", "line 2"),
        "a list of everything": (b"- model\n- read\n", "no keys and values"),
        "braces": (b"{model: opus}\n", "in braces"),
        "a table": (b"read:\n  a: b\n", '"read" is no list'),
        "two documents": (b"model: a\n---\nmodel: b\n", "line 2"),
        "not text": (b"\x00\x01\x02", "not valid YAML"),
        "bytes that are no UTF-8": (b"model: Z\xfcrich\n", "not valid YAML"),
    },
    {"one file", "a page of another kind", "nothing yet", "nothing yet, with a comment"},
)
MARKDOWN = Files(
    {
        "no file": None,
        "empty": b"",
        "only a newline": b"\n",
        "only blank lines": b"\n\n\n",
        "plain": b"# Agents\n\nBe brief.\n",
        "no newline at the end": b"# Agents\n\nBe brief.",
        "blank lines at the end": b"# Agents\n\nBe brief.\n\n\n",
        "crlf": b"# Agents\r\n\r\nBe brief.\r\n",
        "crlf, no newline at the end": b"# Agents\r\n\r\nBe brief.",
        "byte order mark": b"\xef\xbb\xbf# Agents\n",
        "a page of its own": b"# Context\n\n## Now\n- Focus: The gauge\n",
        "comments": b"<!-- keep -->\n# Agents\n<!-- nanobot: begin -->\n",
        "fences": b"```md\n# Context\n```\n",
        "spaces at the end": b"# Agents  \n\nBe brief.  \n  \n",
        "names in other alphabets": "# GRÜSSE\n\nこんにちは \U0001f331\n".encode(),
        "bytes that are no UTF-8": b"# Z\xfcrich\n",
    },
    {
        "a beginning alone": (b"# A\n<!-- nanoctx: begin -->\ntext\n", "not one pair"),
        "an end alone": (b"# A\n<!-- nanoctx: end -->\ntext\n", "not one pair"),
        "the wrong way round": (b"<!-- nanoctx: end -->\n<!-- nanoctx: begin -->\n", "not one pair"),
        "twice": (b"<!-- nanoctx: begin -->\n<!-- nanoctx: end -->\n" * 2, "not one pair"),
    },
    set(),
)
FILES = {
    "claude-code": HOOKS,
    "codex": HOOKS,
    "gemini": HOOKS,
    "qwen": HOOKS,
    "opencode": OWN,
    "copilot": OWN,
    "pi": OWN,
    "aider": YAML,
    "nanobot": MARKDOWN,
    "openclaw": MARKDOWN,
}
