"""What every source of session logs has in common: the protocol, and a few rules for text and time.

A source is a module with a NAME and two functions: `find_logs` says where the logs are, `read` turns what
stands behind a cursor in one log into events. `read` remembers nothing between calls: a log read in pieces
gives the same events as the log read at once. What follows from several events is for the core to say.
All sources are asked for logs and few have any, so what turns a log into events is imported by `read` only.

* `call` joins a tool with its result, rejection or answers. Only an answer to a tool `ask` is a person's, and
  a rejection of a tool from outside (`facts["tool"]` begins with mcp__) may be that tool's own text.
* A prompt named "queued" was typed while the agent was busy. It counts only if no later prompt without that
  name has the same text: hosts log it a second time when they deliver it.
* A record whose `uid` was seen at another `pos` is a replay (a resumed session may copy old records).
* A prompt with `facts["after"]` follows the record in that line: what was said in between was taken back.
* `about` holds what is new since the batch began, so its first one may repeat known facts. The first `cwd` is
  the project's, the latest is where the agent is now. A title with `title_by` = person outranks one by the
  agent; `schedule` is what a job was told that no person started, in the record `title_pos`. `headless` = 1
  is a session run by a program, `pr` the address of its pull request.
* A session lasts from the smallest to the largest `at` of its events. An `about` without facts, at the end of
  a batch, is there only for that.
* `usage` stands before and after a `compact` and at the end of a batch; `used` = 0 is unknown, and of all
  `window`s the largest is true.
* A `compact` without text says that it happened (`name` = auto | manual). The summary follows in one of its
  own, named "summary", whose `parent` is the first one's `uid`; old hosts write only this one.
* More facts. Of a prompt: `plan` = 1 (an approved plan: the agent's words, the person's consent), `slash` =
  the command it came with. Of a tool: `tool` = the host's name for it, `background` = 1. Of a result:
  `exit` = the exit code, and = 1 if so: `background`, `interrupted`, `denied` (not by a person). Of an
  answer: `question`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from nanoctx.model import Batch, Cursor


class Source(Protocol):
    # The agent's name as users spell it: claude-code, codex …
    NAME: str

    def find_logs(
        self, home: Path, env: Mapping[str, str], projects: Sequence[Path] | None
    ) -> Iterable[Path]:
        """Logs of sessions that began in one of these folders or below; None means all logs there are."""

    def read(self, log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
        """Events behind the cursor, up to a line counted from the start of the log.

        A long log is given in parts: read again from the new cursor until it stays where it is, or until a
        batch says that it is `at_end`.
        """


def clip(text: str, limit: int) -> str:
    """At most `limit` characters: a long text keeps its head and its tail."""
    if len(text) <= limit:
        return text
    head = (limit - len(_CUT)) // 2
    return text[:head] + _CUT + text[len(text) - (limit - len(_CUT) - head) :]


def epoch(timestamp: object) -> float | None:
    """Seconds since the epoch of an ISO time (UTC unless it says otherwise) or of a count of them."""
    if isinstance(timestamp, str):
        try:
            moment = datetime.fromisoformat(timestamp)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            return None
    if isinstance(timestamp, int | float) and 0 < timestamp < _FAR_FUTURE_MS:
        return timestamp / 1000 if timestamp > _FAR_FUTURE_S else float(timestamp)
    return None


def repaired(line: bytes) -> bytes:
    """A line of JSON without what writers leave in it by mistake: broken UTF-8, half an emoji, controls."""
    text = line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").encode()
    return _CONTROL.sub(b" ", _ESCAPE.sub(_whole_escape, text))


def _whole_escape(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape.lastgroup == "half" else escape[0]


_CUT = "\n[...]\n"  # plain ASCII, or a clipped text would take twice the memory
_FAR_FUTURE_S = 1e11  # a count above this is in milliseconds
_FAR_FUTURE_MS = 1e14
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
