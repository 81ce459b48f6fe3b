"""Everything a session said that may be worth a line: what it is, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from nanoctx.core import cues, hindsight, prose, shell, traces
from nanoctx.core.candidate import WIDTH, Candidate, made
from nanoctx.core.deeds import Deeds
from nanoctx.core.own_words import approves, asks, is_rule, own_words
from nanoctx.core.phrases import capital
from nanoctx.core.proposals import proposal
from nanoctx.model import Event

PARTS = 4  # lines of one part of a plan
REPORTED_WITHIN = 3  # turns in which a request is answered
_WEIGHTS = {"next": 1.2, "fail": 1.1, "impl": 1.5, "dec": 1.15, "fact": 0.5}  # of what an agent reports


def candidates(story: Sequence[Deeds], root: str = "") -> list[Candidate]:
    """`root` is the folder of the project: what is written elsewhere is never committed."""
    found: list[Candidate] = []
    for index, deeds in enumerate(story):
        found += _from_person(story, index)
        found += traces.from_commits(story, index, _told(deeds) if deeds.commits else "")
        found += _from_report(deeds, index, doubtful=hindsight.failed_since(story, index))
        found += traces.from_failures(story, index)
    found += traces.from_story(story, root)
    return _without_overruled(found, story)


# -- the person --------------------------------------------------------------------------------------------


def _from_person(story: Sequence[Deeds], index: int) -> Iterator[Candidate]:
    deeds, before = story[index], story[index - 1] if index else None
    prompt = deeds.turn.prompt
    if prompt is not None:
        # People add a word while the agent works: then a later turn reports what came of it.
        reports = (later.finished and later.worked for later in story[index : index + REPORTED_WITHIN])
        yield from _from_prompt(prompt, before, index, answered=deeds.worked and any(reports))
    for event in deeds.refused:
        what = shell.shown(event.command, 60) or prose.plain(event.path) or event.name
        message = shell.commit_message(event.command)
        what = "git commit" if message else what  # what it was to say was not done
        reason = prose.tidy(event.text)
        text = f"Rejected by the user: {what}" + (f" — {prose.cut(reason, 150)}" if reason else "")
        weight = 2.2 if reason else 0.6
        yield made(event, index, "fail", "refused", text, weight, by="user")
        if reason:
            yield made(event, index, "dec", "said", prose.cut(reason, 200), 2.4, by="user")
    for event in deeds.plans:
        yield from _from_plan(event, index)
    for event in deeds.answers:
        question = prose.cut(prose.plain(event.facts.get("question", "")), 120)
        text = f"{question} → {prose.cut(prose.plain(event.text), 100)}"
        yield made(event, index, "dec", "answer", text, 2.6, by="user")


def _from_prompt(prompt: Event, before: Deeds | None, index: int, *, answered: bool) -> Iterator[Candidate]:
    text = prompt.text.strip()
    if approves(text):
        offered = proposal(before.final.text, text) if before is not None and before.final is not None else ""
        if prose.has_words(offered, 3):
            approved = f"Approved: {prose.cut(offered, 200)}"
            yield made(prompt, index, "dec", "approved", approved, 2.3, by="user")
        return
    own = own_words(text)
    if own.heading and own.pasted and not own.sentences:
        given = f"Given a plan: {prose.cut(own.heading, 150)}"
        yield made(prompt, index, "dec", "plan", given, 1.2, by="user")
    if prompt.facts.get("plan") or cues.PLAN_TEMPLATE.match(text):
        yield from _from_plan(prompt, index)
    elif own.pasted:
        yield from _given(prompt, index)
    if not prose.has_words(own.text, 2) and own.text.isascii():
        return
    question = all(asks(sentence) for sentence in own.sentences)
    corrects = bool(cues.CORRECTION.search(text[:200])) and not own.pasted
    weight = 1.3 if question else 2.5 if cues.IMPERATIVE.search(own.text) else 1.5
    weight -= (0.8 if cues.CHORE.match(text) else 0) + (0.6 if own.pasted else 0)
    open_ended = question or bool(cues.SUPPOSES.match(text))
    sort = "asked" if open_ended else "corrected" if corrects else "answered" if answered else "said"
    for line in prose.pack(list(own.sentences), WIDTH)[:4]:
        only_asks = asks(line) and ("; " not in line)
        told = "asked" if only_asks else sort
        yield made(prompt, index, "dec", told, line, weight, by="user", quote=line)
    if not own.pasted:
        for sentence in own.sentences:
            if is_rule(sentence):
                wish = prose.cut(sentence, 200)
                yield made(prompt, index, "rule", "rule", wish, 2.5, by="user", quote=sentence)


def _given(prompt: Event, index: int) -> Iterator[Candidate]:
    """What a long prompt holds beside the person's own words: who wrote it is not known."""
    for block in prose.blocks(prose.spoken(prompt.text)):
        texts = [prose.tidy(part.text) for part in block.parts]
        lead = prose.cut(f"Given: {block.heading}" if block.heading else "Given", 90)
        for line in prose.pack([text for text in texts if prose.has_words(text, 3)], WIDTH, lead)[:PARTS]:
            yield made(prompt, index, "fact", "given", prose.cut(line, WIDTH), 0.35, by="user", quote=line)


def _from_plan(event: Event, index: int) -> Iterator[Candidate]:
    """The parts of a plan that the agent wrote, whether laid before the person or approved by them."""
    for block in prose.blocks(prose.spoken(event.text)):
        texts = [prose.tidy(part.text) for part in block.parts]
        lead = prose.cut(f"Plan: {block.heading}" if block.heading else "Plan", 90)
        for line in prose.pack([text for text in texts if prose.has_words(text, 2)], WIDTH, lead)[:PARTS]:
            yield made(event, index, "dec", "planned", prose.cut(line, WIDTH), 0.7, quote=line)


def _told(deeds: Deeds) -> str:
    """What the agent reported at the end of a turn, in one line; not what it guesses or wants done."""
    if deeds.final is None or not deeds.finished or cues.INSTRUCTS.match(deeds.final.text):
        return ""
    line = outline(prose.blocks(deeds.final.text))
    return "" if cues.GUESS.search(line) or cues.GREETING.match(line) else line


# -- what the agent reported -------------------------------------------------------------------------------


def _from_report(deeds: Deeds, index: int, *, doubtful: bool) -> Iterator[Candidate]:
    doubtful = doubtful or deeds.contradicted
    grade = "hypothesis" if doubtful else "verified" if deeds.verified else "claimed"
    worked, mended = deeds.worked, deeds.verified or bool(deeds.commits)
    acted = worked or bool(deeds.runs)
    for say in deeds.says:
        if cues.INSTRUCTS.match(say.text):
            yield from _from_plan(say, index)
            continue
        final = say is deeds.final and (deeds.finished or deeds.turn.thin)
        if not final and _only_announces(say.text):
            continue
        parts = prose.blocks(say.text)
        if final:
            line = outline(parts)
            if prose.has_words(line, 4) and not cues.GREETING.match(line):
                kind, sort, weight = ("impl", "outline", 2.9) if worked else ("fact", "talk", 1.9)
                quality = "hypothesis" if cues.GUESS.search(line) else grade if worked else "claimed"
                yield made(say, index, kind, sort, line, weight, grade=quality)
        for block in parts:
            yield from _from_block(
                block, say, index, final=final, worked=worked, acted=acted, mended=mended, grade=grade
            )


def _only_announces(text: str) -> bool:
    """One sentence that says what the agent is about to do."""
    short = text.strip()
    return len(short) < 200 and "\n" not in short and ". " not in short and bool(cues.INTENT.match(short))


def _from_block(
    block: prose.Block,
    say: Event,
    index: int,
    *,
    final: bool,
    worked: bool,
    acted: bool,
    mended: bool,
    grade: str,
) -> Iterator[Candidate]:
    texts = [prose.tidy(part.text) for part in block.parts if not cues.INTENT.match(prose.opening(part.text))]
    texts = [
        text
        for text in texts
        if prose.has_words(text, 2)
        and not cues.LEAD_IN.match(text)
        and not asks(text)
        and (final or not cues.ANNOUNCED.search(text))
    ]
    offered = [text for text in texts if cues.IF_WANTED.match(text)]
    texts = [text for text in texts if text not in offered]
    heading = block.heading
    if heading and (cues.LEAD_IN.match(heading) or cues.INTENT.match(heading) or asks(heading)):
        heading = ""
    lines = prose.pack(texts, WIDTH, prose.cut(heading, 90))
    if heading and _denies(block):  # "Violations: none" says nothing of what else stands there
        none = prose.tidy(block.parts[0].text)
        lines = [f"{prose.cut(heading, 90)}: {none}"]
        lines += prose.pack([text for text in texts if text != none], WIDTH)
    ahead = bool(block.heading and cues.NEXT_HEADING.search(block.heading))
    proposed = bool(block.heading and cues.PROPOSES.match(block.heading))
    for line in lines if final else map(_found_out, lines):
        kind = "next" if ahead else kind_of(line)
        if kind == "impl" and not acted:
            kind = "fact"  # it may have been done, but not here
        guess = bool(cues.GUESS.search(line))
        weight = _WEIGHTS[kind] + (
            0.12 * min(5, prose.count_names(line)) + (0.5 if final and worked else 0) - (0 if final else 0.4)
        )
        quality = grade if final and (kind == "impl" or grade == "hypothesis") else "claimed"
        if guess and kind != "next":
            quality = "hypothesis"
        sort = kind if final else f"{kind}-mid"
        if kind == "fail" and mended:
            sort = "mended"
        elif cues.PROGRESS.match(line) or (not final and _thinks_aloud(line)):
            sort = "progress"  # true for as long as the agent was at it
        elif proposed:
            sort = "planned"
        if cues.TELLS_THEM.match(line):
            sort = "planned"
        if cues.REPORTED.match(line) or cues.GREETING.match(line):
            sort, weight = "reported", weight - 0.6
        short = prose.cut(line, WIDTH + 4)
        yield made(say, index, kind, sort, short, weight, grade=quality, quote=line)
    for text in offered:  # Task tells it for as long as it stands
        yield made(say, index, "next", "offered", prose.cut(text, WIDTH), _WEIGHTS["next"], quote=text)


def _thinks_aloud(line: str) -> bool:
    return bool(cues.ONGOING.match(line) or cues.MUSES.match(line))


def _found_out(line: str) -> str:
    """A line said in the middle of the work without the "; I'm rebuilding it now" behind it."""
    going_on = cues.GOING_ON.search(line)
    found = line[: going_on.start()] if going_on else ""
    return found if prose.has_words(found, 2) else line


def _denies(block: prose.Block) -> bool:
    return bool(block.heading and block.parts and cues.NONE.match(block.parts[0].text))


def kind_of(line: str) -> str:
    done, ahead, failed = cues.DONE.search(line), cues.NEXT.search(line), cues.FAILED.search(line)
    if ahead and not (done and done.start() < ahead.start()):
        return "next"
    if failed and not cues.REPAIRED.search(line) and not (done and done.start() < failed.start()):
        return "fail"
    if done:
        return "impl"
    return "dec" if cues.REASON.search(line) else "fact"


def outline(parts: Sequence[prose.Block], limit: int = WIDTH - 2) -> str:
    """A report in one line: its lead and the heads of its bullets."""
    lead = ""
    groups: list[tuple[str, list[str]]] = []
    for block in parts:
        if block.heading and (
            cues.NEXT_HEADING.search(block.heading)
            or cues.INTENT.match(block.heading)
            or cues.OFFER.search(block.heading)
            or cues.GUESS.search(block.heading)  # "This would:" is a plan, not a report
        ):
            continue
        for part in block.parts:
            text = "" if part.bullet or lead else prose.tidy(part.text)
            if (
                len(text) > 25
                and not cues.INTENT.match(prose.opening(part.text))
                and not cues.LEAD_IN.match(text)
                and not cues.PROGRESS.match(text)
                and not cues.IF_WANTED.match(text)
                and not asks(text)
            ):
                lead = text
        dull = not block.heading or bool(
            cues.DULL_HEADING.match(block.heading) or cues.LEAD_IN.match(block.heading)
        )
        heads = [prose.head(part.text) for part in block.parts if part.bullet]
        if _denies(block):
            heads = [f"{block.heading}: {prose.head(block.parts[0].text)}", *heads[block.parts[0].bullet :]]
            dull = True
        heads = [text.rstrip(". ") for text in heads]
        groups.append(("" if dull else block.heading, [text for text in heads if text and not asks(text)]))
    every = [text for _, heads in groups for text in heads]
    room = limit - min(130, len(lead))
    if sum(len(prose.cut(text, 90)) + 2 for text in every) > room:
        every = [
            f"{title}: " + ", ".join(prose.cut(text, 50) for text in heads[:2])
            if title
            else prose.cut(heads[0], 60)
            for title, heads in groups
            if heads
        ]
    if not every:
        return ""
    line = prose.cut(lead, 130).rstrip(":.")
    for text in every:
        text = prose.cut(text, 90)
        if len(line) + len(text) + 2 > limit:
            break
        line += f"{('; ' if ':' in line else ': ') if line else ''}{text}"
    return line


# -- after the fact ----------------------------------------------------------------------------------------


def _without_overruled(found: list[Candidate], story: Sequence[Deeds]) -> list[Candidate]:
    """What a later event refuted is not stated; what the person put right counts for less."""
    corrected, refuted, misread, lost = (
        hindsight.corrected(story),
        hindsight.refuted(story),
        hindsight.misread(story),
        hindsight.lost_commits(story),
    )
    edited = max((edit.pos for deeds in story for edit in deeds.edits), default=-1)
    gone = {name: pos for name, pos in traces.gone_for_good(story).items() if len(name) > 4}
    judged: list[Candidate] = []
    for one in found:
        if one.by == "agent":
            if one.pos < edited and cues.FAULT.search(one.text) and not cues.SETTLED.search(one.text):
                one = replace(one, sort="mended")
            if one.kind == "impl" and any(pos > one.pos and name in one.text for name, pos in gone.items()):
                one = replace(one, sort="mended")
            verdict = cues.VERDICT.match(one.text) if one.pos < edited and one.kind == "impl" else None
            if verdict is not None:  # true of what stood there then
                rest = one.text[verdict.end() :]
                said = prose.has_words(rest, 4)
                one = replace(one, text=capital(rest)) if said else replace(one, sort="mended")
            doubted = one.turn in corrected and one.kind in ("fact", "dec") and one.grade != "verified"
            if doubted or one.turn in refuted or any(sha in one.text for sha in lost):
                one = replace(one, grade="refuted")
            if one.turn in misread:
                one = replace(one, sort="misread")
            if one.turn in corrected:
                one = replace(one, weight=one.weight * 0.6)
        judged.append(one)
    return judged
