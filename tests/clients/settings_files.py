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
    "crlf": b'{\r\n  "model": "opus",\r\n  "hooks": {\r\n    "Stop": []\r\n  }\r\n}\r\n',
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
FILES = {"claude-code": HOOKS, "codex": HOOKS}
