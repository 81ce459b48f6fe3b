"""The fold: the same in one go, in steps, in any order; and what belongs together."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanoctx.core import fold, likeness, weighing
from nanoctx.core.fold import Digest, Folded
from nanoctx.core.weighing import Weighed
from nanoctx.model import Item, Observation

START = datetime(2026, 2, 1, tzinfo=UTC)
NOW = START + timedelta(days=40)

TEXTS = (
    "Never commit without running the linter",
    "Please never commit without running the linter first",
    "Always commit after running the linter",
    "Use SQLite for the readings cache",
    "Use Postgres for the readings cache",
    "Use Postgres instead of SQLite",
    "The timeout must be 30 seconds",
    "The timeout must be 60 seconds",
    "Never use feet",
    "Always use feet",
    "read_level() fails when the gauge restarts",
    "read_level() only fails when the gauge restarts quickly",
    "Keep flash attention on",
    "Turn flash attention off from now on",
)
item = st.builds(
    Item,
    st.sampled_from(("rule", "dec", "learn", "fail", "fact")),
    st.sampled_from(TEXTS),
    st.integers(1, 4),
    st.sampled_from(("", "verified", "claimed", "hypothesis", "refuted")),
    st.sampled_from(("user", "agent")),
)


@st.composite
def observation(draw: st.DrawFn) -> Observation:
    number = draw(st.integers(0, 7))
    at = START + timedelta(days=draw(st.integers(0, 9)), seconds=number)
    return Observation(
        id=f"{number:012x}",
        agent="claude-code",
        project=draw(st.sampled_from(("gauge", "moon"))),
        branch=draw(st.sampled_from(("main", "side"))),
        started=at,
        last=at,
        prompts=1,
        items=tuple(draw(st.lists(item, max_size=4))),
    )


def weighed(folded: Folded, most: int | None = None) -> Weighed:
    hidden = frozenset(("side",))
    return weighing.weigh(fold.groups(folded), folded.rivals, now=NOW, hidden=hidden, most=most)


def shape(folded: Folded) -> object:
    same = {key: frozenset(others) for key, others in folded.same.items()}
    return folded.digests, same, folded.rivals, weighed(folded)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(observation(), st.integers(0, 7)), max_size=12), st.integers(0, 99))
def test_a_fold_in_steps_is_the_fold_of_all(steps: list[Observation | int], seed: int) -> None:
    stepwise = Folded()
    standing: dict[str, Digest] = {}
    for step in steps:
        if isinstance(step, int):
            standing.pop(f"{step:012x}", None)
            fold.update(stepwise, {f"{step:012x}": None})
        else:
            standing[step.id] = fold.digest(step)
            fold.update(stepwise, {step.id: standing[step.id]})
    whole = Folded()
    shuffled = list(standing.items())
    Random(seed).shuffle(shuffled)
    fold.update(whole, dict(shuffled))
    assert shape(whole) == shape(stepwise)
    foremost = weighed(whole, most=100)
    assert {fact for fact in weighed(whole).facts if fact.confidence >= weighing.LEAST} == {
        fact for fact in foremost.facts if fact.confidence >= weighing.LEAST
    }


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS), st.sampled_from(("rule", "dec", "know")))
def test_what_is_the_same_or_rival_is_never_passed_over(one: str, other: str, realm: str) -> None:
    a, b = likeness.saying(one, realm, "x"), likeness.saying(other, realm, "x")
    assert likeness.same(a, b) == likeness.same(b, a) and likeness.rivals(a, b) == likeness.rivals(b, a)
    if a.key != b.key and (likeness.same(a, b) or likeness.rivals(a, b)):
        assert set(likeness.keys(a.words)) & set(likeness.keys(b.words))
        assert likeness.near(frozenset(a.words.split()), frozenset(b.words.split()))


NAMES = ("gauge", "tide", "moon", "reader", "cache", "never", "not", "harbour", "level", "buoy", "mast")
words = st.lists(st.sampled_from(NAMES), min_size=1)


@settings(max_examples=500, deadline=None)
@given(words, words)
def test_blocks_miss_no_pair(one: list[str], other: list[str]) -> None:
    a, b = likeness.saying(" ".join(one), "rule", ""), likeness.saying(" ".join(other), "rule", "")
    if a.key != b.key and (likeness.same(a, b) or likeness.rivals(a, b)):
        assert set(likeness.keys(a.words)) & set(likeness.keys(b.words))
        assert likeness.near(frozenset(a.words.split()), frozenset(b.words.split()))


@pytest.mark.parametrize(
    ("one", "other", "same", "why"),
    [
        ("Never commit without asking", "Don't commit without asking me first", True, ""),
        ("Use tables", "Never use tables", False, "denied"),
        ("Keep flash attention on", "Turn flash attention off", False, "denied"),
        ("Use npm, never pnpm", "Use pnpm, never npm", False, "denied"),
        ("Run lint before each commit", "Run tests before each commit", False, ""),
        ("Check src/a.py before a release", "Check src/b.py before a release", False, ""),
        ("The timeout is 30 s", "The timeout is 60 s", False, "value"),
        ("Use SQLite for the cache", "Use Postgres for the cache", False, "choice"),
        ("Use SQLite for the cache", "Use Postgres for the queue", False, ""),
        ("Use SQLite for the cache", "We go with Postgres instead of SQLite", False, "replaced"),
        ("统一仅支持 zh 和 en", "不再支持 chinese", False, ""),
    ],
)
def test_pairs(one: str, other: str, same: bool, why: str) -> None:
    a, b = likeness.saying(one, "dec", "x"), likeness.saying(other, "dec", "x")
    assert (likeness.same(a, b), likeness.rivals(a, b)) == (same, why)


def told(*items_: Item, day: int = 0, project: str = "gauge", file: str = "a.py", **more: object) -> Digest:
    at = START + timedelta(days=day)
    name = f"{day:06x}{abs(hash(project)) % 16**6:06x}"
    return fold.digest(
        Observation(
            id=name, agent="claude-code", project=project, started=at, last=at, prompts=1, items=items_,
            files=(file,), more=more,
        )
    )  # fmt: skip


def folded(*digests: Digest) -> Weighed:
    made = Folded()
    fold.update(made, {digest.id: digest for digest in digests})
    return weighing.weigh(fold.groups(made), made.rivals, now=NOW)


def user(text: str, kind: str = "dec") -> Item:
    return Item(kind, text, 3, by="user")


def test_a_rule_of_several_projects_holds_everywhere() -> None:
    (fact,) = folded(
        told(user("Never use feet", "rule")),
        told(user("Never use feet", "rule"), day=1, project="moon", file="b.go"),
    ).facts
    assert (fact.scope, fact.project, fact.seen) == ("universal", "", 2)


def test_a_rule_of_several_projects_of_one_language_is_one_of_that_language() -> None:
    (fact,) = folded(
        told(user("Never use feet", "rule")), told(user("Never use feet", "rule"), day=1, project="moon")
    ).facts
    assert (fact.scope, fact.language) == ("language", "python")


def test_decisions_of_two_projects_do_not_contradict() -> None:
    found = folded(
        told(user("Use SQLite for the cache")),
        told(user("Use Postgres for the cache"), day=1, project="moon"),
    )
    assert len(found.facts) == 2 and not any(fact.superseded for fact in found.facts) and not found.questions


def test_an_agent_cannot_overrule_the_user() -> None:
    agent = Item("dec", "Decided to use Postgres for the readings cache only", 3, "verified", "agent")
    found = folded(told(user("Always use SQLite for the readings cache")), told(agent, day=2))
    assert not any(fact.superseded for fact in found.facts) and len(found.questions) == 1


def test_a_program_s_prompt_is_no_rule() -> None:
    assert not folded(told(user("Never use feet", "rule"), headless=True)).facts


def test_what_nobody_confirms_fades_and_what_is_seen_often_stays() -> None:
    lesson = Item("learn", "read_level() fails when the gauge restarts", 3, "claimed", "agent")
    once, often = folded(told(lesson)).facts[0], folded(*(told(lesson, day=day) for day in range(5))).facts[0]
    assert once.confidence < 0.4 < 0.8 < often.confidence
    assert weighing.retention(0, 1) == 1 and weighing.retention(400, 1) < 0.02


def test_a_session_that_was_forked_counts_once() -> None:
    one, other = (
        told(user("Never use feet", "rule"), day=3),
        told(user("Never use feet", "rule"), day=3, project="moon"),
    )
    assert folded(one, other).facts[0].seen == 1
