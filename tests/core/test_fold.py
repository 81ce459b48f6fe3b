"""The fold: the same in one go, in steps, in any order; and what belongs together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import permutations
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nanoctx.core import claims, facts, fold, likeness, weighing
from nanoctx.core.fold import Digest, Folded
from nanoctx.core.weighing import Weighed
from nanoctx.model import Item, Observation, Origin

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
    "Use Redis for the readings cache",
    "Indent with 2 spaces",
    "Indent with 4 spaces",
    "Indent `src/a.py` with 4 spaces",
    "The readings cache is not shared",
    "The readings cache is shared",
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


@pytest.fixture(params=[(fold.FEW, fold.CROWD), (0, fold.CROWD), (fold.FEW, 2), (2, 3)], ids=str)
def limits(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every way in which pairs are found, and subjects that begin and cease to be common words."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold, "FEW", request.param[0])
        patch.setattr(fold, "CROWD", request.param[1])
        yield


@pytest.mark.usefixtures("limits")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


NAMES = ("gauge", "tide", "moon", "reader", "never", "not", "a.py", "use", "for", "30", "n1x", "is")
sentence = st.one_of(st.sampled_from(TEXTS), st.lists(st.sampled_from(NAMES), min_size=1).map(" ".join))


@pytest.mark.usefixtures("limits")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(sentence, min_size=2, max_size=8), st.sampled_from(("rule", "dec", "learn")))
def test_no_pair_is_passed_over(texts: list[str], kind: str) -> None:
    made = Folded()
    told_ = [by_hand(text, kind, number) for number, text in enumerate(texts)]
    fold.update(made, {digest.id: digest for digest in told_})
    sayings = {claim.key: claim.saying for digest in told_ for claim in digest.claims}
    counts = Counter(frame for one in sayings.values() for frame in one.frames.split())
    for one, other in permutations(sayings.values(), 2):
        joined = other.key in made.same.get(one.key, ())
        assert likeness.same(one, other) == likeness.same(other, one) == joined
        why = "" if likeness.same(one, other) else likeness.rivals(one, other)
        assert why == likeness.rivals(other, one) or likeness.same(one, other)
        if why not in ("choice", "replaced") or all(count <= fold.CROWD for count in counts.values()):
            assert made.rivals.get(one.key, {}).get(other.key, "") == why


def by_hand(text: str, kind: str, number: int) -> Digest:
    section = {"rule": facts.RULES, "dec": facts.DECISIONS, "learn": facts.CONVENTIONS}[kind]
    claim = claims.by_hand(Origin(f"{number:012x}"), section, text, START)
    return Digest(claim.origin.observation, "claude-code", claims=(claim,))


LONG = "module for memory leaks before every release on the staging server with valgrind and a clean cache"


@pytest.mark.parametrize(
    ("one", "other", "same", "why"),
    [
        ("Never commit without asking", "Don't commit without asking me first", True, ""),
        ("Never use `console.log`", "never use console.log", True, ""),
        ("NEVER push to main", "Never push to main", True, ""),
        ("Always run lint before committing", "Run `lint` before every commit, always", True, ""),
        ("Never push", "Never push without asking", False, ""),
        ("Always commit after running the linter", "Never commit without running the linter", False, ""),
        ("Use tables", "Never use tables", False, "denied"),
        ("The cache is shared", "The cache is not shared", False, "denied"),
        ("Keep flash attention on", "Turn flash attention off", False, "denied"),
        ("Use npm, never pnpm", "Use pnpm, never npm", False, "denied"),
        ("Run lint before each commit", "Run tests before each commit", False, ""),
        ("Check src/a.py before a release", "Check src/b.py before a release", False, ""),
        (f"Check the n0x {LONG}", f"Check the n1x {LONG}", False, ""),
        (f"Check the parser {LONG}", f"Check the lexer {LONG}", False, ""),
        ("The timeout is 30 s", "The timeout is 60 s", False, "value"),
        ("Indent with 2 spaces", "Indent with 4 spaces", False, "value"),
        ("Commit messages must be in English", "Write commit messages in German", False, "choice"),
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
