"""Shell commands and their output: which checks, which only looks, what was committed, what went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from nanoctx.core.prose import cut, plain, without_start

_PREFIX = re.compile(r"^\s*(?:(?:cd\s+[^&;\n]+(?:&&|;)|\w+=\S+\s|sudo\s|time\s|env\s|timeout\s+\S+\s)\s*)+")
_TAIL = re.compile(r"(?:\s*(?:2>&1|2>/dev/null|\|\s*(?:tail|head|grep|tee|cat)\b.*)){1,4}\s*$", re.DOTALL)
_LOOK = re.compile(
    r"^(?:ls|cat|grep|rg|find|head|tail|sed -n|which|echo|pwd|test|stat|wc|tree|jq|awk|fd|diff|file|du"
    r"|env|printenv|type|command -v|ps|lsof|curl|sleep"
    r"|git (?:-C \S+ )?(?:status|log|diff|show|branch|remote|ls-files|ls-remote|blame|rev-parse|grep"
    r"|stash list|fetch)|gh (?:pr (?:view|list|checks|diff)|api|run (?:view|list|watch)|issue (?:view"
    r"|list)))\b"
)
_CHECK = re.compile(
    r"\b(?:tests?|pytest|unittest|jest|vitest|mocha|ctest|lint|ruff|eslint|biome|flake8|mypy|pyright"
    r"|tsc|typecheck|type-check|check|build|compile|vet|clippy|fmt|format|prettier|ci|verify|gradlew?"
    r"|mvn|e2e|cargo|go (?:test|build|vet|run)|make|tox|nox)\b"
)
_SHELL = re.compile(r"(?:\S*/)?(?:ba|z|da|k)?sh\b|(?:powershell|pwsh|cmd)\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'")
# They handle files, processes and words: what they name may well be called a test.
_NO_CHECK = re.compile(
    r"(?:git|gh|glab|rm|rmdir|cp|mv|mkdir|touch|chmod|chown|ln|tar|zip|unzip|kill|pkill|tmux|export|source|tee"
    r"|sed|perl -p?i|code|open|ssh|scp|rsync)\b"
)
_THEN = re.compile(r"&&|;|\|\|")
_TWO_WORD_TOOLS = frozenset(
    """
    mise npm pnpm yarn bun bunx uv poetry make npx python python3 go cargo docker git gh just task rake mix
    dotnet
    """.split()  # noqa: SIM905
)
_ARGUMENT = re.compile(r"-|.*[/:.=\"'*]")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?\n(.*?)\n\s*\1\b", re.DOTALL)
_MESSAGE = re.compile(r"(?:^|\s)(?:-[a-z]*m|--message)[\s=]+(\"(?:[^\"\\]|\\.)*\"|'[^']*')", re.DOTALL)
_TRAILER = re.compile(r"^(?:[A-Z][\w-]+(?:-[\w-]+)+: |.*Generated with|🤖)")
_GIT_COMMIT = re.compile(r"\bgit\b[^\n;&|]{0,200}?\bcommit\b")
_GIT_BACK = re.compile(
    r"\bgit(?:\s+-[cC]\s+\S+|\s+--[\w-]+(?:=\S+)?){0,9}\s+(reset|revert|commit)\b([^\n;&|]*)"
)
_GENERATION = re.compile(r"(?:HEAD|@)((?:~\d*|\^)*)")
_ELSEWHERE = re.compile(r"[0-9a-f]{7,40}|(?:origin|upstream)/\S+|ORIG_HEAD|\S*@\{\S+\}|\S+\.\.\S*")
_COMMITTED = re.compile(
    r"^\[([\w./#-]+|detached HEAD)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$", re.MULTILINE
)
_PUSHED = re.compile(
    r"^\s*[*+ ]?\s*(?:([0-9a-f]{6,40})\.\.\.?([0-9a-f]{6,40})|\[new (?:branch|tag)\])\s+(\S+)\s+->\s+(\S+)",
    re.MULTILINE,
)
_OPENS_PULL = re.compile(r"\b(?:gh pr|glab mr) create\b")
_PULL = re.compile(r"/(?:pull|merge_requests)/(\d+)")
_TITLE = re.compile(r"--title[\s=]+(\"(?:[^\"\\]|\\.)*\"|'[^']*')", re.DOTALL)
_ERROR = re.compile(
    r"\b(?:error|Error|ERROR|FAIL|FAILED|fatal|panic|Exception|not found|undefined|cannot|denied"
    r"|rejected|does not exist|declared and not used|[Uu]nable to|invalid|unknown|refused|mismatch"
    r"|expected|assert)\b|Error:|✗|✘"
)
_NOT_AN_ERROR = re.compile(
    r"^\s*at |\b0 (?:errors|failed|failures)|^Exit code|node_modules|^Error:?\s*$|-{3}\s*$|^\s*(?://|#|\*)"
)
_BUILD = re.compile(
    r"\b(?:go (?:build|vet)|cargo (?:build|check)|tsc|compile\w*|(?:npm|pnpm|yarn|bun) run build"
    r"|make build)\b"
)
_DRY_RUN = re.compile(r"\bpush\b[^;&|\n]*\s(?:--dry-run|-\w*n\w*)(?!\S)")
_MISUSE = (
    *(f"unknown {name}" for name in ("flag", "option", "command", "subcommand")),
    *("unrecognized option", "unrecognized argument", "no such option", "not recognized as"),
    *("invalid usage", "command not found"),
)
_COUNTED = re.compile(
    r"\b(?:\d+ (?:tests? )?(?:pass(?:ed|ing)?|ok|succeeded|issues?|errors?|problems?|warnings?|tests?)\b"
    r"|all (?:checks|tests|files) pass|0 (?:failures|failed))|test result: ok",
    re.IGNORECASE,
)
_REMOVE = re.compile(r"(?:^|[;&|\n]|&&)\s*(?:sudo )?(?:git )?rm\s+([^;&|\n]+)")
_FILE = re.compile(r"(?<![\w/.~-])(?:~?/|\./)?(?:[\w.@-]+/)*[\w@-][\w.@-]*\.[a-zA-Z]\w{0,9}(?![\w/*])")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONG_PATH = re.compile(r"(?:[A-Z]:)?(?:[\\/][\w .@+-]+)+[\\/]([\w.@+-]+)")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, push or pull request seen in a command and its output."""

    pos: int
    sha: str = ""
    subject: str = ""
    body: tuple[str, ...] = ()
    branch: str = ""
    pushed: str = ""
    pull: str = ""


@lru_cache(maxsize=1024)
def bare(command: str) -> str:
    """The command without `cd … &&`, variables and output plumbing."""
    command = without_start(_PREFIX, command)
    return (_TAIL.sub("", command) if "|" in command or "2>" in command else command).strip()


def shown(command: str, limit: int = 70) -> str:
    lines = [line for line in bare(command).split("\n") if line.strip() and not line.lstrip().startswith("#")]
    return cut(re.sub(r"\s+", " ", lines[0]), limit) if lines else ""


@lru_cache(maxsize=1024)
def family(command: str) -> str:
    """What makes two runs the same check: the program and its verb, without flags, paths and selections."""
    parts = [part for part in bare(command).split() if not _ARGUMENT.match(part)]
    return " ".join(parts[: 3 if parts and parts[0] in _TWO_WORD_TOOLS else 1])


@lru_cache(maxsize=1024)
def only_looks(command: str) -> bool:
    return all(_LOOK.match(part.strip()) for part in _THEN.split(bare(command)) if part.strip())


@lru_cache(maxsize=1024)
def is_check(command: str) -> bool:
    return bool(last_check(command))


@lru_cache(maxsize=1024)
def last_check(command: str) -> str:
    """The last of the commands joined in one line that checks something; "" if none does."""
    whole = bare(command)
    # What is quoted are words for somebody, unless a shell is given them to run.
    words = whole if _SHELL.match(whole) else _QUOTED.sub(lambda found: " " * len(found[0]), whole)
    ends = [found.span() for found in _THEN.finditer(words)]
    spans = zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(words)], strict=True)
    for start, end in reversed(list(spans)):
        part = words[start:end].strip()
        if not _NO_CHECK.match(part) and not _LOOK.match(part) and _CHECK.search(part.lower()):
            return whole[start:end].strip()
    return ""


def makes_commit(command: str) -> bool:
    return "commit" in command and bool(_GIT_COMMIT.search(command))


@lru_cache(maxsize=1024)
def _backward(command: str) -> list[tuple[str, str]]:
    return _GIT_BACK.findall(command) if "git" in command else []


def takes_back(command: str, sha: str, later: int) -> bool:
    """A reset, revert or amend that undoes this commit, which `later` others had followed by then."""
    for verb, rest in _backward(command):
        arguments = rest.split()
        if verb == "commit":
            if "--amend" in arguments and not later:
                return True
            continue
        if "--" in arguments or "--abort" in arguments:
            continue
        for name in (word.strip("\"'") for word in arguments if not word.startswith("-")):
            back = _GENERATION.fullmatch(name)
            if back:
                steps = sum(int(number or 1) for number in re.findall(r"[~^](\d*)", back[1]))
                if later == steps if verb == "revert" else later < steps:
                    return True
            elif _ELSEWHERE.fullmatch(name):
                same = bool(sha) and (sha.startswith(name) or name.startswith(sha))
                if same == (verb == "revert") or ".." in name:
                    return True
    return False


def commit_message(command: str) -> list[str]:
    """Lines of the message, trailers left out; [] if the command does not show it."""
    if not makes_commit(command):
        return []
    heredoc = _HEREDOC.search(command)
    text = heredoc[2] if heredoc else "\n".join(_unquoted(quoted) for quoted in _MESSAGE.findall(command))
    return [line.strip() for line in text.split("\n") if line.strip() and not _TRAILER.match(line.strip())]


def commits(command: str, output: str, ok: bool, pos: int) -> Iterator[Commit]:
    """Commits, pushes and pull requests that this run shows to have happened."""
    message = commit_message(command)
    may_commit = makes_commit(command) or (ok and not only_looks(command))
    made = list(_COMMITTED.finditer(output)) if may_commit and "[" in output else []
    for found in made:
        yield Commit(
            pos, sha=found[2][:12], subject=found[3].strip(), body=tuple(message[1:]), branch=found[1]
        )
    if message and ok and not made:
        yield Commit(pos, subject=message[0], body=tuple(message[1:]))
    tried = "push" in command and "->" in output and not _DRY_RUN.search(command)
    pushed = _PUSHED.search(output) if tried else None
    if pushed:
        yield Commit(pos, sha=(pushed[2] or "")[:12], pushed=pushed[4])
    if ok and "create" in command and _OPENS_PULL.search(command):
        pull, title = _PULL.search(output), _TITLE.search(command)
        if pull:
            yield Commit(pos, pull=pull[1], subject=_unquoted(title[1]) if title else "")


def error_lines(output: str, most: int = 2) -> list[str]:
    """The lines that say what went wrong, short."""
    lines = [line.strip() for line in _ANSI.sub("", output).split("\n")]
    lines = [line for line in lines if line]
    telling = [
        line for line in lines if len(line) < 400 and _ERROR.search(line) and not _NOT_AN_ERROR.search(line)
    ]
    chosen = telling or [line for line in lines if not line.startswith(("Exit code", ">", "$"))][-1:]
    short = (cut(plain(_LONG_PATH.sub(itemgetter(1), line)), 150) for line in chosen)
    return [line for line in dict.fromkeys(short) if line][:most]


def is_build(command: str) -> bool:
    return bool(_BUILD.search(bare(command)))


def is_misuse(output: str) -> bool:
    """The command was called wrongly: that says nothing of the work."""
    said = output[:2000].lower()
    return any(sign in said for sign in _MISUSE)


def outcome_line(output: str) -> str:
    """The line that counts what passed, if there is one near the end."""
    lines = (line.strip() for line in reversed(_ANSI.sub("", output).split("\n")[-40:]))
    telling = next((line for line in lines if _COUNTED.search(line)), "")
    return cut(plain(telling), 60)


def looked_at(command: str) -> list[str]:
    """Files that a command which only looks is given by name."""
    if not only_looks(command):
        return []
    return [path for path in _FILE.findall(command) if "*" not in path and "//" not in path][:6]


def removed(command: str) -> list[str]:
    """Files that the command deletes, as they are named in it."""
    found = _REMOVE.findall(command) if "rm" in command else []
    return [word.strip("\"'") for words in found for word in words.split() if not word.startswith("-")]


def _unquoted(text: str) -> str:
    return re.sub(r"\\([\"\\$`])", r"\1", text[1:-1])
