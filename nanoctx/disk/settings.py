"""What a person may set, per workspace and in their own config: two tables, docs/settings.md is made of."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from nanoctx.errors import SettingsError

AGENTS = (
    "claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "pi", "aider", "nanobot", "openclaw",
    "generic",
)  # fmt: skip


def _setting(default: Any, help: str, **limits: Any) -> Any:
    return field(default=default, metadata={"help": help, **limits})


@dataclass(frozen=True, slots=True)
class Settings:
    """The table. A field `page_budget` is the key `budget` in `[page]`; each view has its own section."""

    watch_agents: tuple[str, ...] = _setting(
        (), "Agents whose logs are read. Empty: every agent nanoctx knows.", choices=AGENTS
    )
    watch_ignore: tuple[str, ...] = _setting(
        (), "Folders whose sessions are left out. `~` is your home; a session below such a folder counts too."
    )
    watch_projects: tuple[str, ...] = _setting(
        (), "Folders whose sessions belong to this workspace. Empty: all. A workspace inside a repository"
        " always holds that one project."
    )  # fmt: skip
    generic_logs: tuple[str, ...] = _setting(
        (), "Logs of any other agent, as patterns such as `~/.my-agent/*.jsonl`; docs/generic-log.md says"
        " what they hold.",
    )  # fmt: skip
    observe_idle_minutes: int = _setting(
        15, "A session without a sign of life for so long counts as ended.", low=1, high=1440
    )
    observe_threshold: float = _setting(
        0.8, "How full an agent's context window gets (1.0 is full) before the page is rewritten for it.",
        low=0.1, high=1.0,
    )  # fmt: skip
    observe_reconcile_minutes: int = _setting(
        5, "How often the background process looks for what no event told it of.", low=1, high=1440
    )
    reflect_minutes: int = _setting(
        120, "How often the background process folds what sessions came to, beside the end of each.",
        low=5, high=10080,
    )  # fmt: skip
    page_budget: int = _setting(500, "Most tokens CONTEXT.md may take.", low=100, high=4000)
    page_max_characters: int = _setting(2000, "Most characters CONTEXT.md may take.", low=400, high=16000)
    page_recent: int = _setting(5, "Most lines under Recent.", low=1, high=20)
    memory_budget: int = _setting(
        4000, "Most tokens MEMORY.md may take; what has no room can still be recalled.", low=200, high=40000
    )
    hook_start: str = _setting(
        "full", "What an agent is given when a session starts: `full` (the page, rules and decisions), `page`"
        " or `off`.", choices=("full", "page", "off"),
    )  # fmt: skip
    views_prompt_budget: int = _setting(2000, "Most tokens of the lean system prompt.", low=20, high=100000)
    views_prompt_soul_cap: int = _setting(
        200, "Most of them for SOUL.md; a longer one is cut.", low=0, high=20000
    )
    views_prompt_user_cap: int = _setting(200, "Most of them for USER.md.", low=0, high=20000)
    views_prompt_memory_cap: int = _setting(200, "Most of them for what `--query` finds.", low=0, high=20000)
    views_project_budget: int = _setting(200, "Most tokens of the project's view.", low=20, high=100000)
    views_project_last_cap: int = _setting(60, "Of them for the last session.", low=0, high=20000)
    views_project_todo_cap: int = _setting(50, "For open steps.", low=0, high=20000)
    views_project_max_todos: int = _setting(3, "Most open steps.", low=0, high=200)
    views_project_files_cap: int = _setting(30, "For recent files.", low=0, high=20000)
    views_project_max_files: int = _setting(5, "Most recent files.", low=0, high=200)
    views_project_stack_cap: int = _setting(25, "For languages and build tools.", low=0, high=20000)
    views_project_other_cap: int = _setting(
        30, "For blockers, for notes, and for other projects.", low=0, high=20000
    )
    views_project_max_others: int = _setting(2, "Most blockers, and notes.", low=0, high=200)
    views_combined_budget: int = _setting(
        500, "Most tokens of person and project together.", low=20, high=100000
    )
    views_combined_user_cap: int = _setting(300, "Of them for facts about the person.", low=0, high=20000)
    views_combined_project_cap: int = _setting(200, "For the project.", low=0, high=20000)
    views_combined_min_confidence: float = _setting(
        0.5, "How sure a fact about the person must be.", low=0.0, high=1.0
    )
    views_startup_budget: int = _setting(
        2000, "Most tokens of what a session may be told when it starts.", low=20, high=100000
    )
    views_startup_session_cap: int = _setting(400, "Of them for the last sessions.", low=0, high=20000)
    views_startup_max_sessions: int = _setting(10, "Most sessions.", low=0, high=200)
    views_startup_functions_cap: int = _setting(500, "For functions that changed.", low=0, high=20000)
    views_startup_max_functions: int = _setting(30, "Most functions.", low=0, high=200)
    views_startup_learnings_cap: int = _setting(300, "For what was learned.", low=0, high=20000)
    views_startup_max_learnings: int = _setting(10, "Most learnings.", low=0, high=200)
    views_startup_observations_cap: int = _setting(
        600, "For what earlier sessions came to.", low=0, high=20000
    )
    views_startup_max_observations: int = _setting(10, "Most such lines.", low=0, high=200)
    views_startup_min_confidence: float = _setting(0.5, "How sure a learning must be.", low=0.0, high=1.0)
    views_memory_budget: int = _setting(
        2000, "Most tokens of rules, decisions and what was done.", low=20, high=100000
    )
    views_memory_universal_cap: int = _setting(
        300, "Of them for rules that hold everywhere.", low=0, high=20000
    )
    views_memory_language_cap: int = _setting(300, "For those of the project's language.", low=0, high=20000)
    views_memory_project_cap: int = _setting(400, "For those of the project.", low=0, high=20000)
    views_memory_done_cap: int = _setting(300, "For outcomes of the last sessions.", low=0, high=20000)
    views_memory_decided_cap: int = _setting(200, "For their decisions.", low=0, high=20000)
    views_memory_open_cap: int = _setting(300, "For what blocks and what comes next.", low=0, high=20000)
    views_query_budget: int = _setting(
        500, "Most tokens of what memory holds on a question.", low=20, high=100000
    )
    views_query_universal_cap: int = _setting(
        150, "Of them for facts that hold everywhere; what is not used flows on.", low=0, high=20000
    )
    views_query_language_cap: int = _setting(150, "For facts of the language.", low=0, high=20000)
    views_query_project_cap: int = _setting(200, "For facts of the project.", low=0, high=20000)
    views_bundle_budget: int = _setting(8000, "Most tokens of the bundle.", low=20, high=100000)
    views_bundle_messages: int = _setting(10, "Most of the last messages.", low=0, high=200)
    views_bundle_message_cap: int = _setting(100, "Tokens of one message.", low=0, high=20000)
    views_bundle_chunk_cap: int = _setting(200, "Tokens of one part of a document.", low=0, high=20000)
    time_zone: str = _setting(
        "", 'Time zone the page speaks, such as "Europe/Vienna". Empty: that of this machine.', zone=True
    )
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """What is taken only from the person's own config: a workspace may have come with a clone."""

    writer_command: str = _setting(
        "", "A program of yours that may reword what was distilled (docs/writer.md). Empty: none is run."
    )
    writer_seconds: int = _setting(20, "How long it may take for one session.", low=1, high=120)
    writer_max_characters: int = _setting(
        20000, "If it prints more than this, nothing of it is used.", low=100, high=1000000
    )
    warnings: tuple[str, ...] = ()


def load(path: Path) -> Settings:
    """The settings in a file. A missing file means the defaults; unknown keys are named in `warnings`."""
    raw = _bytes(path)
    return Settings() if raw is None else parse(raw, path)


def load_own(path: Path) -> OwnSettings:
    """The person's own settings, read in the same way."""
    raw = _bytes(path)
    if raw is None:
        return OwnSettings()
    values, unknown = _read(raw, path, entries(OwnSettings))
    warnings = tuple(f"{path.name}: unknown key `{name}` is ignored" for name in unknown)
    return OwnSettings(**values, warnings=warnings)


def parse(raw: bytes, path: Path) -> Settings:
    """The settings in the bytes of a file; `path` is only named in messages."""
    values, unknown = _read(raw, path, entries())
    own = {key(entry) for entry in entries(OwnSettings)}
    warnings = (
        f"{path.name}: `{name}` is ignored here: it is taken only from your own config"
        if name in own
        else f"{path.name}: unknown key `{name}` is ignored"
        for name in unknown
    )
    return Settings(**values, warnings=tuple(warnings))


def entries(table: type[Settings | OwnSettings] = Settings) -> tuple[Field[Any], ...]:
    """The rows of a table, in the order of the documentation."""
    return tuple(entry for entry in fields(table) if "help" in entry.metadata)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read ({error.strerror}): make it a readable file") from error


def _read(raw: bytes, path: Path, table: tuple[Field[Any], ...]) -> tuple[dict[str, Any], list[str]]:
    """The values that the table knows, by field, and the names of all others."""
    known = {key(entry): entry for entry in table}
    values: dict[str, Any] = {}
    unknown: list[str] = []
    for name, value in _flat(_toml(raw, path)):
        if name in known:
            values[known[name].name] = _checked(known[name], value, path)
        else:
            unknown.append(name)
    return values, unknown


def key(entry: Field[Any]) -> str:
    """A row's name as a person writes it: `page.budget`, `views.startup.budget`."""
    return entry.name.replace("_", ".", 2 if entry.name.startswith("views_") else 1)


def as_toml(value: object) -> str:
    """A default as it would stand in nanoctx.toml."""
    if isinstance(value, tuple):
        return "[" + ", ".join(as_toml(part) for part in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _toml(raw: bytes, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 text: save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not valid TOML: {_sentence(error)}; mend that line") from error
    except RecursionError as error:
        raise SettingsError(f"{path} is nested too deeply: keep to the keys of docs/settings.md") from error


def _sentence(error: tomllib.TOMLDecodeError) -> str:
    text = " ".join(str(error).split())
    return text[:1].lower() + text[1:]


def _flat(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for section, content in document.items():
        if isinstance(content, dict) and content:
            for name, value in _flat(content) if section == "views" else content.items():
                yield f"{section}.{name}", value
        elif not isinstance(content, dict):
            yield section, content


def _checked(entry: Field[Any], value: Any, path: Path) -> Any:
    if not _fits(entry, value):
        wanted, found = _expected(entry), _shown(value)
        raise SettingsError(f"{path}: `{key(entry)}` must be {wanted}, not {found}; change or remove it")
    if isinstance(entry.default, tuple):
        return tuple(value)
    return float(value) if isinstance(entry.default, float) else value


def _fits(entry: Field[Any], value: Any) -> bool:
    default, limits = entry.default, entry.metadata
    if isinstance(default, tuple):
        choices = limits.get("choices")
        return isinstance(value, list) and all(
            isinstance(part, str) and (not choices or part in choices) for part in value
        )
    if isinstance(default, str) and "choices" in limits:
        return value in limits["choices"]
    if isinstance(default, str):
        return isinstance(value, str) and ("zone" not in limits or not value or _is_zone(value))
    numbers = (int, float) if isinstance(default, float) else (int,)
    # `true` is an int to Python, never to a person.
    if isinstance(value, bool) or not isinstance(value, numbers):
        return False
    return bool(limits["low"] <= value <= limits["high"])


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return False
    return True


def _expected(entry: Field[Any]) -> str:
    default, limits = entry.default, entry.metadata
    if isinstance(default, tuple):
        choices = limits.get("choices")
        return f"a list of agents ({', '.join(choices)})" if choices else "a list of texts in quotes"
    if isinstance(default, str) and "choices" in limits:
        return "one of " + ", ".join(f'"{choice}"' for choice in limits["choices"])
    if isinstance(default, str):
        return 'the name of a time zone such as "Europe/Vienna"' if "zone" in limits else "a text in quotes"
    kind = "a number" if isinstance(default, float) else "a whole number"
    return f"{kind} from {limits['low']} to {limits['high']}"


def _shown(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
