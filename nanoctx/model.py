"""The few values that travel through nanoctx. Plain, frozen, no behaviour beyond naming."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

EVENT_KINDS = (
    "about",  # what is known of the session: `facts` holds cwd, branch, model, title, version, headless
    "prompt",  # words of a human
    "run",  # a schedule, and no human, had the agent begin another round of work
    "say",  # prose of the agent
    "tool",  # the agent called a tool: `name`, and `command` or `path`
    "result",  # what that tool gave back: `ok`, `text`
    "reject",  # a human refused a tool call; `text` is the reason, if any
    "answer",  # a human answered the agent's question; `facts["question"]`
    "plan",  # steps of the agent's plan were set (`name` = replace) or changed (`name` = merge)
    "slash",  # a command of the host: `name` = /clear, `text` = its arguments
    "interrupt",  # a human stopped the agent
    "compact",  # the host replaced the conversation by a summary (`text`)
    "usage",  # how full the context window is: `used`, `window`
    "error",  # the model's service failed
    "end",  # the session ended: `name` = exit | clear
)

# What a tool does, whatever the agent calls it.
TOOL_NAMES = ("shell", "edit", "write", "read", "search", "web", "ask", "plan", "agent", "other")


@dataclass(frozen=True, slots=True)
class Step:
    """One line of an agent's plan. In a merge, an empty text or status means unchanged."""

    id: str
    text: str
    status: str  # pending | in_progress | completed | deleted


class Event(msgspec.Struct, frozen=True, gc=False):
    """One thing a source saw happen, in the order of the log. A struct, as a look makes thousands of them."""

    kind: str
    pos: int  # line, row or message of the log, from 1
    session: str
    at: float | None = None  # seconds since the epoch
    text: str = ""
    name: str = ""
    call: str = ""  # joins a `tool` with its `result` or `reject`
    ok: bool | None = None
    command: str = ""
    path: str = ""
    uid: str = ""  # the record's own id and the one it follows: they tell a rewound branch
    parent: str = ""
    used: int = 0
    window: int = 0
    steps: tuple[Step, ...] = ()
    facts: Mapping[str, str] = msgspec.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a log was read, and what tells that it is still the same log."""

    device: int = 0
    inode: int = 0
    offset: int = 0  # bytes read, always the end of a complete line
    lines: int = 0  # complete lines read
    head: str = ""  # hash of the first bytes; a rewritten log has another


@dataclass(frozen=True, slots=True)
class Batch:
    """What one read of a log gave."""

    events: tuple[Event, ...]
    cursor: Cursor
    skipped: int = 0  # lines that could not be read: counted and shown, never fatal
    restarted: bool = False  # the log was replaced or shortened: these events start from its first line
    # Nothing complete stood behind the new cursor, so there is no need to ask again.
    at_end: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Item:
    """One line of an observation: `- kind: text  @pos grade key=value`."""

    kind: str
    text: str
    pos: int | None = None
    grade: str = ""  # verified | claimed | hypothesis | refuted
    by: str = ""  # user | agent | tool | person | machine:<name>
    more: Mapping[str, str] = field(
        default_factory=dict
    )  # scope, prio, kind and whatever a later version adds


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words an item came from, so that `why` answers when the log is gone."""

    pos: int
    at: datetime | None
    who: str
    quote: str


@dataclass(frozen=True, slots=True)
class Observation:
    """What one session, or one batch of things done by hand, amounted to. One file."""

    id: str
    agent: str
    session: str = ""
    project: str = ""
    cwd: str = ""
    branch: str = ""
    head: str = ""
    log: str = ""
    started: datetime | None = None
    ended: datetime | None = None
    ended_by: str = ""
    last: datetime | None = None  # latest record seen; kept while the session is open
    prompts: int = 0
    pattern: str = ""
    context_used: float | None = None
    summary: str = ""
    files: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    title: str = ""
    items: tuple[Item, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    notes: str = ""  # what a person wrote into the file beside our lines, kept
    more: Mapping[str, object] = field(default_factory=dict)  # frontmatter keys we do not know, kept


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a line of a page came from: an observation and a place in its log."""

    observation: str
    pos: int | None = None
    kind: str = ""
    lead: str = ""  # its first telling words: one message gives several lines


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a page, as it stands in the file, with where it came from."""

    text: str
    origins: tuple[Origin, ...] = ()
    key: str = ""  # "Focus", "Hint": lines whose value changes while their meaning stays


@dataclass(frozen=True, slots=True)
class Change:
    """What a person did to one of our sections since we last wrote it."""

    section: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit that a repository has and the last session did not see."""

    sha: str
    at: datetime | None  # when it was committed
    author: str
    subject: str
    merge: bool = False
    foreign: bool = False  # by somebody else than the person whose repository this is


@dataclass(frozen=True, slots=True)
class Changed:
    """One file that differs from the last commit."""

    path: str  # below the top of the checkout; a folder ends in a slash
    at: datetime | None = None  # when it was last written; None if it is gone
    untracked: bool = False


@dataclass(frozen=True, slots=True)
class Repository:
    """What a checkout is like right now, seen from the last session."""

    branch: str = ""  # "" when HEAD is detached
    head: str = ""  # "" before the first commit
    bare: bool = False
    doing: str = ""  # rebase, merge, cherry-pick, revert or bisect, while it is in progress
    commits: tuple[Commit, ...] = ()  # newest first
    more_commits: bool = False  # there are more than are listed
    changed: tuple[Changed, ...] = ()
    more_changed: int = 0  # files that differ as well and are not listed
    unsure: bool = False  # git did not answer in time: of commits or files nothing is known
