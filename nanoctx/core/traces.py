"""What the tools show of a session, whatever was said: commits, edits, checks, failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nanoctx.core import hindsight, prose, shell
from nanoctx.core.candidate import WIDTH, Candidate, made
from nanoctx.core.deeds import Deeds, Run
from nanoctx.model import Event

OPEN_EDITS = "Edited, no commit seen"
ON_THE_PAGE = 196  # characters of a line there
COMMITS = 4  # in one line
SUBJECT = 50
TITLE = 100  # of a subject: where the commit went must fit beside it
FILES = 24  # whose edits get a line of their own
FAMILIES = 8  # of checks
COMMANDS = 16  # kept to be found again
RAN = 200  # characters of one
TROUBLES = 3  # a turn


def from_story(story: Sequence[Deeds], root: str = "") -> Iterator[Candidate]:
    """What only the whole session tells: what is not committed, what each file got, which checks pass."""
    gone = _removed(story)
    yield from _earlier_commits(story)
    yield from _uncommitted(story, gone, root)
    yield from _edited(story, gone)
    yield from _open_boxes(story)
    yield from _checks(story)
    yield from _ran(story)


# -- what was committed ------------------------------------------------------------------------------------


def from_commits(story: Sequence[Deeds], index: int, report: str = "") -> Iterator[Candidate]:
    for commit in story[index].commits:
        subject = prose.cut(commit.subject, TITLE)
        text = (
            " ".join(part for part in (f"Committed {commit.sha}".strip(), subject) if part)
            if commit.subject or commit.sha
            else ""
        )
        if commit.pushed and text:
            text += f", pushed to {commit.pushed}"
        elif commit.sha and text:
            known = commit.branch not in ("", "HEAD")
            text += f"{f' on {commit.branch}' if known else ''}, no push seen"
        if commit.pull:
            text = (
                f"{prose.cut(text, 150)}; opened PR #{commit.pull}"
                if text
                else f"Opened PR #{commit.pull}: {commit.subject}"
            )
        body = "; ".join(prose.plain(line) for line in commit.body)
        if commit is story[index].commits[-1]:
            body = body or report  # what it was about, when its own message does not say
        if not text or hindsight.undone(story, index, commit):
            continue
        # Cut by itself, and short enough for the page: where the commit went must stay readable there.
        room = ON_THE_PAGE - len(text) - 2
        line = f"{text}: {prose.cut(body, room)}" if body and room > 30 else prose.cut(text, WIDTH)
        event = Event("result", commit.pos, "", text=text)
        yield made(event, index, "impl", "commit", line, 2.9, by="tool", grade="verified")


def _earlier_commits(story: Sequence[Deeds]) -> Iterator[Candidate]:
    """The commits before the last one in one line: each by its hash and the head of its subject."""
    found = [
        (index, commit)
        for index, deeds in enumerate(story)
        for commit in deeds.commits
        if commit.sha and commit.subject and not hindsight.undone(story, index, commit)
    ][:-1]
    if not found:
        return
    latest = (commit for _, commit in reversed(found[-COMMITS:]))
    told = "; ".join(f"{commit.sha[:8]} {prose.cut(commit.subject, SUBJECT)}" for commit in latest)
    index, last = found[-1]
    event = Event("result", last.pos, "", text=told)
    text = prose.cut(f"Committed before: {told}", WIDTH)
    yield made(event, index, "impl", "commits", text, 2.9, by="tool", grade="verified")


# -- what failed -------------------------------------------------------------------------------------------


def from_failures(story: Sequence[Deeds], index: int) -> Iterator[Candidate]:
    seen: set[tuple[str, str]] = set()
    for run in story[index].runs:
        if run.ok or shell.only_looks(run.command):
            continue
        errors = shell.error_lines(run.output, 4)
        key = (run.family, errors[0][:40] if errors else "")
        if not errors or key in seen:
            continue
        seen.add(key)
        cure = hindsight.cured(story, index, run)
        name = shell.shown(run.command, 60)
        text = f"Passed later: {name} first failed: " if cure else f"{name} failed: "
        event = Event("result", run.pos, "", text="; ".join(errors))
        sort = "error-cured" if cure else "error" if shell.is_check(run.command) else "error-aside"
        if shell.is_misuse(run.output):
            sort = "reported"
        line = prose.cut(text + event.text, WIDTH)
        weight = 1.2 if cure else 1.6
        yield made(event, index, "fail", sort, line, weight, by="tool", grade="verified")
    for event in story[index].troubles[:TROUBLES]:
        told = prose.cut(prose.plain(shell.error_lines(event.text, 1)[0]), 140) if event.text.strip() else ""
        what = f"{event.facts.get('tool', event.name)} {prose.plain(event.path)}".strip()
        if told:
            line = prose.cut(f"{prose.cut(what, 80)} failed: {told}", WIDTH)
            sort = "error-cured" if _came_to_nothing(story, index, event) else "trouble"
            yield made(event, index, "fail", sort, line, 0.6, by="tool", grade="verified")


def _came_to_nothing(story: Sequence[Deeds], index: int, failed: Event) -> bool:
    """A look that found nothing, or an edit that was made at the next try."""
    if failed.name in ("read", "search", "web"):
        return True
    edits = (edit for deeds in story[index:] for edit in deeds.edits)
    return any(edit.path == failed.path and edit.pos > failed.pos for edit in edits)


# -- work that no commit took up ---------------------------------------------------------------------------


def _uncommitted(story: Sequence[Deeds], gone: Mapping[str, int], root: str) -> Iterator[Candidate]:
    committed = max(
        (commit.pos for deeds in story for commit in deeds.commits if not hindsight.undone(story, 0, commit)),
        default=0,
    )
    open_edits = [
        (index, edit)
        for index, deeds in enumerate(story)
        for edit in deeds.edits
        if edit.pos > max(committed, gone.get(_base(edit.path), 0)) and _may_be_committed(edit.path, root)
    ]
    if not open_edits:
        return
    files: dict[str, list[str]] = {}
    for _, edit in open_edits[-60:]:
        name = _base(edit.path)
        symbols = files.pop(name, [])
        files[name] = symbols + [
            symbol for symbol in edit.facts.get("symbols", "").split(",") if symbol and symbol not in symbols
        ]
    index, edit = open_edits[-1]
    lead = f"{OPEN_EDITS}{_checked_since(story, edit.pos)}: "
    text = lead + _listed(files, ON_THE_PAGE - len(lead))
    quote = f"edited {edit.path}"[:400]
    yield made(edit, index, "impl", "open-edits", text, 2.6, by="tool", quote=quote)


def _checked_since(story: Sequence[Deeds], edited: int) -> str:
    """How the last check ended, if that was after the last edit; else that none came, if there were any."""
    checks = [run for deeds in story for run in deeds.runs if shell.is_check(run.command)]
    if not checks:
        return ""
    last = checks[-1]
    if last.pos < edited:
        return " (not checked since)"
    told = shell.shown(shell.last_check(last.command) if last.ok else last.command, 40)
    return f" ({told} {'passed' if last.ok else 'failed'} since)"


def _listed(files: dict[str, list[str]], room: int) -> str:
    """As many files as there is room for, last edited first, and how many more there are."""
    shown: list[str] = []
    for name, symbols in reversed(files.items()):
        more = f" and {len(files) - len(shown) - 1} more"
        for text in (_with_symbols(name, symbols), name):
            if len(", ".join([*shown, text])) + len(more) <= room:
                shown.append(text)
                break
        else:
            break
    left = len(files) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")


def _may_be_committed(path: str, root: str) -> bool:
    """A file of the project, or of a checkout beside it; no notes of the agent, nothing in passing."""
    path, root = path.replace("\\", "/"), root.replace("\\", "/").rstrip("/")
    if not root or not (path.startswith("/") or path[1:2] == ":"):
        return True
    beside = root.rpartition("/")[0] + "/"
    return path.startswith(f"{root}/") or (path.startswith(beside) and path[len(beside)] != ".")


def _with_symbols(name: str, symbols: list[str]) -> str:
    telling = [symbol for symbol in symbols if len(symbol) <= 30 and not symbol.lower().startswith("test")]
    shown = (telling or [symbol for symbol in symbols if len(symbol) <= 40])[:2]
    return f"{name} ({', '.join(shown)})" if shown else name


# -- what was done to each file, and which checks pass -----------------------------------------------------


def _edited(story: Sequence[Deeds], gone: Mapping[str, int]) -> Iterator[Candidate]:
    """A line for each file: what its edits define and speak of."""
    latest: dict[str, tuple[int, Event]] = {}
    names: dict[str, dict[str, None]] = {}
    written: set[str] = set()
    for index, deeds in enumerate(story):
        for edit in deeds.edits:
            if edit.pos <= gone.get(_base(edit.path), 0):
                continue
            latest.pop(edit.path, None)
            latest[edit.path] = (index, edit)
            named = names.setdefault(edit.path, {})
            for key, mark in (("headings", " / "), ("symbols", ","), ("names", ",")):
                named.update(dict.fromkeys(word for word in edit.facts.get(key, "").split(mark) if word))
            if edit.name == "write":
                written.add(edit.path)
    for path, (index, edit) in list(latest.items())[-FILES:]:
        verb = "Wrote" if path in written else "Edited"
        place = "/".join(path.replace("\\", "/").rsplit("/", 2)[-2:])
        listed = ", ".join(names[path])
        grade = "verified" if story[index].verified else "claimed"
        text = prose.cut(f"{verb} {place}: {listed}" if listed else f"{verb} {place}", WIDTH)
        quote, weight = f"edited {path}"[:400], 0.8 if listed else 0.3
        yield made(edit, index, "impl", "edited", text, weight, by="tool", quote=quote, grade=grade)


def _open_boxes(story: Sequence[Deeds]) -> Iterator[Candidate]:
    """Steps that a document the agent wrote leaves unticked."""
    latest: dict[str, tuple[int, Event]] = {}
    for index, deeds in enumerate(story):
        latest |= {edit.path: (index, edit) for edit in deeds.edits if edit.facts.get("open")}
    for path, (index, edit) in list(latest.items())[-2:]:
        steps = edit.facts["open"]
        text = prose.cut(f"Open in {_base(path)}: {steps.replace(' / ', '; ')}", WIDTH)
        yield made(edit, index, "next", "next", text, 1.4, quote=steps)


def _checks(story: Sequence[Deeds]) -> Iterator[Candidate]:
    """How each check ended the last time it was run, if it passed: failures have lines of their own."""
    edited = max((edit.pos for deeds in story for edit in deeds.edits), default=0)
    last: dict[str, tuple[int, Run]] = {}
    for index, deeds in enumerate(story):
        for run in deeds.runs:
            if shell.is_check(run.command):
                last.pop(run.family, None)
                last[run.family] = (index, run)
    passed = [(index, run) for index, run in list(last.values())[-FAMILIES:] if run.ok]
    for when, chosen in (
        ("Passed after the last edit", [one for one in passed if one[1].pos > edited]),
        ("Passed before the last edits", [one for one in passed if one[1].pos <= edited]),
    ):
        if chosen:
            index, run = chosen[-1]
            told = "; ".join(map(_outcome, (run for _, run in reversed(chosen))))
            event = Event("result", run.pos, "", text=told)
            text = prose.cut(f"{when}: {told}", WIDTH)
            yield made(event, index, "impl", "checks", text, 1.6, by="tool", grade="verified")


def _ran(story: Sequence[Deeds]) -> Iterator[Candidate]:
    """Commands that did something, to be found again: how it was run, on what."""
    told: dict[str, tuple[int, Run]] = {}
    for index, deeds in enumerate(story):
        for run in deeds.runs:
            # What git did has lines of its own, and may have been taken back.
            if run.ok and not shell.only_looks(run.command) and "git " not in run.command:
                told[run.family] = (index, run)
    for index, run in list(told.values())[-COMMANDS:]:
        shown = shell.shown(run.command, RAN)
        event = Event("result", run.pos, "", text=run.command)
        line = prose.cut(f"Ran {shown}", WIDTH)
        yield made(event, index, "fact", "ran", line, 0.3, by="tool", grade="verified")


def _outcome(run: Run) -> str:
    told = shell.outcome_line(run.output)
    return f"{shell.shown(run.command, 60)}{f' ({told})' if told else ''}"


def _removed(story: Sequence[Deeds]) -> dict[str, int]:
    """Files that a command took away, and when: what was done to them before is no more."""
    gone: dict[str, int] = {}
    for run in (run for deeds in story for run in deeds.runs if run.ok):
        for path in shell.removed(run.command):
            gone[_base(path)] = run.pos
    return gone


def gone_for_good(story: Sequence[Deeds]) -> dict[str, int]:
    """Those of them that were not written anew."""
    written = {_base(edit.path): edit.pos for deeds in story for edit in deeds.edits}
    return {name: pos for name, pos in _removed(story).items() if written.get(name, 0) < pos}


def _base(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
