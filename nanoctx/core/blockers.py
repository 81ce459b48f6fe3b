"""What keeps a session from going on: an open question, a failure nobody mended, a refusal, a wait."""

from __future__ import annotations

from collections.abc import Sequence

from nanoctx.core import cues, prose, shell
from nanoctx.core.deeds import Deeds
from nanoctx.core.named import Named, by
from nanoctx.core.own_words import asks, own_words, substantive

BLOCKED = 185


def blocked(done: Sequence[Deeds]) -> Named | None:
    """An open question, a failure nobody has mended, a wait; None otherwise."""
    if not done:
        return None
    last = done[-1]
    event = last.last
    if event is not None and event.kind == "error":
        return by("tool", event, f"API error: {prose.plain(event.text)}", BLOCKED, event.text)
    if last.refused and event is not None and event.kind in ("reject", "interrupt"):
        refused = last.refused[-1]
        what = (
            shell.shown(refused.command, 60)
            or prose.plain(refused.path)
            or ("the plan" if refused.name == "plan" else refused.name)
        )
        reason = prose.tidy(refused.text)
        text = f"The user rejected {what}" + (f": {reason}" if reason else "; waiting for their word")
        return by("user", refused, text, BLOCKED, refused.text or text)
    if event is not None and event.kind == "interrupt" and last.turn.prompt is not None:
        prompt = last.turn.prompt.text
        asked = prose.cut(prose.tidy(own_words(prompt).text), 120) if substantive(prompt) else ""
        text = f"The user interrupted: {asked}" if asked else "The user interrupted; waiting for their word"
        return by("user", event, text, BLOCKED, asked or text)
    return failing(last) or (_waiting(last) if last.finished else None)


def failing(last: Deeds) -> Named | None:
    """A command that failed as the last thing that happened, or a failed check that nobody mended."""
    if not last.runs or last.last is None:
        return None
    run = last.runs[-1]
    if run.ok or shell.only_looks(run.command) or shell.is_misuse(run.output):
        return None
    mended = last.edits and last.edits[-1].pos > run.pos
    at_last = last.last.kind == "result" and run.pos == last.last.pos
    if not at_last and (mended or last.commits or not shell.is_check(run.command)):
        return None
    errors = shell.error_lines(run.output, 4)
    text = f"{shell.shown(run.command, 60)} fails: {'; '.join(errors)}"
    return Named(prose.cut(text, BLOCKED), run.pos, last.last.at, "tool", "; ".join(errors))


def _waiting(last: Deeds) -> Named | None:
    if last.final is None:
        return None
    end = last.final.text.strip()[-500:]
    parts = [part.text for block in prose.blocks(last.final.text) for part in block.parts]
    questions = [prose.tidy(text) for text in parts[-4:] if asks(text) and not cues.COURTESY.search(text)]
    if questions:
        text = f"Open question to the user: {' '.join(questions[-2:])}"
        return by("agent", last.final, text, BLOCKED, questions[-1])
    waits = cues.WAITING.search(prose.plain(end.replace("\n", " ; ")))
    if waits:
        return by("agent", last.final, f"Waiting: {waits[1]}", BLOCKED, waits[1])
    return None
