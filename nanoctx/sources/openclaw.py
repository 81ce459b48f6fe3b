"""OpenClaw's session logs: Pi's format, with people's words in the envelopes of chat programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nanoctx.model import Batch, Cursor
from nanoctx.sources.folders import began_in, entries, given
from nanoctx.sources.pi import cwd_of, read_with

NAME = "openclaw"


def find_logs(home: Path, env: Mapping[str, str], projects: Sequence[Path] | None) -> Iterator[Path]:
    """Only logs of that very name: traces, copies and sessions put away lie beside them.

    A session's folder is the workspace of its agent.
    """
    chosen = given(home, env, "OPENCLAW_STATE_DIR")
    roots = [chosen] if chosen else [home / name for name in (".openclaw", ".clawdbot", ".moltbot")]
    for root in dict.fromkeys(root.resolve() for root in roots):  # an old name may be a link to the new one
        for agent in entries(root / "agents"):
            for log in entries(agent / "sessions"):
                if _LOG.fullmatch(log.name) and log.is_file() and began_in(cwd_of(log), projects):
                    yield log


def read(log: Path, cursor: Cursor, until_line: int | None = None) -> Batch:
    return read_with(log, cursor, until_line, human, prose)


def human(text: str) -> str:
    """What the person wrote, without what the host put around it; empty if it is all the host's."""
    text = text.rpartition(_CURRENT)[2]
    for _ in range(_MOST_METADATA):
        begun = _METADATA.search(text)
        end = text.find("\n```", begun.end()) if begun else -1
        if begun is None or end < 0:
            break
        text = text[: begun.start()] + text[end + 4 :]
    text = _QUEUED.sub("", text)
    text = "\n".join(line for line in text.split("\n") if not _HOST_LINE.match(line)).strip()
    envelope = None if text.startswith(_SCHEDULED) else _ENVELOPE.match(text)
    if envelope and (_WHEN.search(envelope[1]) or envelope[1].startswith(_CHANNELS)):
        text = text[envelope.end() :].strip()
    return "" if text.startswith(_SCHEDULED) or _HEARTBEAT.search(text) else text


def prose(text: str) -> str:
    """What the agent said, without marks for the host; empty if it had nothing to say."""
    text = _MARK.sub("", text).strip()
    return "" if text in _SILENCE else text


_LOG = re.compile(r"[0-9a-f-]{36}(?:-topic-[^.]+)?\.jsonl")
_ENVELOPE = re.compile(r"\[([^\]\n]+)\]\s*")
_WHEN = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_CHANNELS = tuple(
    f"{name} "
    for name in (
        "WebChat", "WhatsApp", "Telegram", "Signal", "Slack", "Discord", "Google Chat", "iMessage", "Teams",
        "Matrix", "Zalo", "BlueBubbles",
    )
)  # fmt: skip
# Before it stands what others said in the group.
_CURRENT = "[Current message - respond to this]"
_METADATA = re.compile(r"^(?:\[[^\]\n]+\] )?[A-Z][\w ]* \(untrusted[^)\n]*\):\n```json\n", re.MULTILINE)
_MOST_METADATA = 20
_QUEUED = re.compile(r"^(?:\[Queued messages while agent was busy\]|(?:---\n)?Queued #\d+)\s*", re.MULTILINE)
_HOST_LINE = re.compile(
    r"\s*\[message_id: [^\]]*\]\s*$|System: \[|\[media attached: |To send an image back, "
)
_HEARTBEAT = re.compile(r"\breply (?:with )?HEARTBEAT_OK\b")
_SCHEDULED = (
    "[cron:",
    "Read HEARTBEAT.md",
    "[Subagent ",
    "A new session was started via /new or /reset",
    "A scheduled reminder has been triggered",
    "An async command you ran earlier has completed",
    "Pre-compaction memory flush",
)
_SILENCE = ("HEARTBEAT_OK", "NO_REPLY")
_MARK = re.compile(r"\[\[\s*reply_to[^\]]*\]\]")
