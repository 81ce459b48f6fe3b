"""The text a session is given when it starts: a ready answer, with the time told and nothing said twice."""

from __future__ import annotations

import os
import time

from nanoctx.core import gaps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

VITAL = 2000  # characters that a preview shows
LONGEST = 9500  # characters: past 10,000 the host shows a preview only
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MOMENT = "\x1f"  # stands for "20 min ago" in a line of an answer
NO_NEWS = "- No git changes since last session"
LEFT_AFTER = 14 * 86400  # seconds after which a Focus is called left
SESSION = {"startup": "just started", "resume": "resumed", "clear": "just started", "compact": "continuing"}


def compose(answer: Mapping[str, Any], source: str, session: str, now: float) -> str:
    """The text for a session: after compaction and resume only what its host does not have already."""
    if answer["zone"]:
        os.environ["TZ"] = answer["zone"]
        time.tzset()
    now_lines, recent, rules = answer["now"], answer["recent"], answer["rules"]
    if source == "compact":
        now_lines, recent = [], []
    elif source == "resume":
        since = answer["sessions"].get(session, 0.0)
        now_lines, recent, rules = (
            [told for told in part if told[1] and told[1] != session and told[2] > since]
            for part in (now_lines, recent, rules)
        )
    elif source == "clear":
        cleared = f"- Before /clear: {answer['focus']}"
        now_lines = []
        if answer["focus"] and all(told[0] != cleared for told in recent):
            recent = [(cleared, "", 0.0), *recent]
    more = answer["more"] if source in ("startup", "clear") else []
    if source == "resume":
        since = answer["sessions"].get(session, 0.0)
        more = [(name, [one for one in lines if one[2] > since]) for name, lines in answer["more"]]
    if answer["start"] == "page" and source != "compact":
        rules, more = [], []
    standing = {told[0] for told in rules}
    parts = [
        ("Now", [_aged(told, answer["sessions"], now) for told in now_lines if told[0] not in standing]),
        ("Time", _time(answer, source, now)),
        ("Recent", [told[0] for told in recent if told[0] not in standing]),
        ("External", [_outside(text, moments, answer["made"], now) for text, moments in answer["external"]]),
        ("Rules", [told[0] for told in rules]),
    ]
    title = f"# Context (nanoctx, {answer['project'] or 'this project'})"
    _shorten(parts, VITAL - len(title))
    lines = [title]
    for name, content in parts:
        if content:
            lines += ["", f"## {name}", *content]
    for name, told in more:
        if told:
            lines += ["", f"## {name}", *(_moved(line, moments, now) for line, moments, _ in told)]
    if answer["own"] and source in ("startup", "clear"):
        lines += ["", answer["own"]]
    return _fitted("\n".join(lines))


def _aged(told: tuple[str, str, float], sessions: Mapping[str, float], now: float) -> str:
    """A line of Now; a Focus that nobody has worked at for long is called left."""
    line, last = told[0], sessions.get(told[1], 0.0)
    if last and now - last > LEFT_AFTER and line.startswith("- Focus: "):
        return f"- Focus (left {time.strftime('%Y-%m-%d', time.localtime(last))}): {line[9:]}"
    return line


def _outside(line: str, moments: list[float], made: float, now: float) -> str:
    """A line of External, which says how long ago at this moment, and no more than was looked at."""
    line = _moved(line, moments, now)
    looked = gap(made, now)[0]
    if line == NO_NEWS and looked != gaps.told(0, 0)[0]:
        return f"- No new commits since last session; files were last compared {looked}"
    return line


def _moved(line: str, moments: list[float], now: float) -> str:
    """A line with the moments in it told from now."""
    for moment in moments:
        line = line.replace(MOMENT, gap(moment, now)[0], 1)
    return line


def _time(answer: Mapping[str, Any], source: str, now: float) -> list[str]:
    there = time.localtime(now)
    words, hint = gap(answer["last"], now)
    live = {
        "Current": f"- Current: {WEEKDAYS[there.tm_wday]}, {time.strftime('%Y-%m-%d %H:%M', there)}",
        "Last interaction": f"- Last interaction: {words}",
        "Hint": f"- Hint: {hint}",
    }
    lines = []
    for key, text, since in answer["time"]:
        if key == "Session":
            continue
        if since:
            text = f"{text}, {gap(since, now)[0]}"
        lines.append(live.get(key, text))
        if key == "Last interaction":
            lines.append(f"- Session: {SESSION.get(source, 'just started')}")
    return lines


def gap(last: float, now: float) -> tuple[str, str]:
    return gaps.told(now - last, _day(now) - _day(last)) if last else gaps.FIRST


def _day(moment: float) -> int:
    """The number of the local day, from noon to noon so that summer time cannot shift it."""
    there = time.localtime(moment)
    return int(time.mktime((*there[:3], 12, 0, 0, 0, 0, -1)) // 86400)


def _shorten(parts: list[tuple[str, list[str]]], room: int) -> None:
    """Let all that stands before the rules fit: first the least of Recent gives way, then of External."""
    _, _, (_, recent), (_, outside), _ = parts
    for lines, fewest in ((recent, 1), (outside, 1)):
        dropped = 0
        while len(lines) > fewest and _length(parts[:-1]) + len(_more(dropped)) > room:
            lines.pop()
            dropped += 1
        if dropped:
            lines.append(_more(dropped))


def _more(dropped: int) -> str:
    return f"- (and {dropped} more: `nanoctx show context`)" if dropped else ""


def _length(parts: list[tuple[str, list[str]]]) -> int:
    return sum(len(f"\n\n## {name}\n") + len("\n".join(lines)) for name, lines in parts if lines)


def _fitted(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    note = "\n(cut; `nanoctx show context` and MEMORY.md have the rest)"
    return text[: LONGEST - len(note)].rpartition("\n")[0] + note
