"""
How git is called so that a hostile repository runs none of its code: which words, which environment.

A repository's own settings may name programs that `git status` or `git log` would start: a file monitor,
hooks, filters, text converters, a signature checker, a transport for missing objects. All are switched off
here, on the command line or in the environment, which win over any file of the repository. This module
imports nothing, so that a hook can afford it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_OFF = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("log.showSignature", "false"),
    ("safe.bareRepository", "explicit"),
    ("color.ui", "false"),
    ("diff.autoRefreshIndex", "false"),  # `git diff` would write the index, whatever it is told of locks
)
_WITHOUT_HELPERS = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
_PARTS = ("clean", "smudge", "process")
_ABBREVIATED = frozenset("0123456789abcdef")

# The tree without a file, known to every git: what there was before the first commit. By length of a name.
EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

# One record per commit, its fields parted by a character that no field holds.
FIELD = "\x1f"
COMMIT_FORMAT = FIELD.join(("%H", "%P", "%ct", "%an", "%ae", "%s"))


def status() -> list[str]:
    """The command that tells branch, HEAD, and changed and untracked files; it leaves the index as it is."""
    return _git(
        "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames",
        "--untracked-files=normal", "--ignore-submodules=all",
    )  # fmt: skip


def log(most: int, *, beyond: str = "", since: str = "") -> list[str]:
    """The command that lists at most so many commits of HEAD: not those of `beyond`, none older than `since`.

    `beyond` is a commit's name and must be one: a word that is not could be an option.
    """
    limits = [f"--since={since}"] if since else []
    return _git(
        "log", "-z", f"--format={COMMIT_FORMAT}", f"--max-count={int(most)}", "--no-show-signature",
        "--no-patch", "--no-notes", "--no-color", "--no-decorate", "--encoding=UTF-8", *_WITHOUT_HELPERS,
        *limits, *([f"^{_name_of(beyond)}"] if beyond else []), "HEAD", "--",
    )  # fmt: skip


def commit_before(moment: str) -> list[str]:
    """The command that names the last commit of HEAD made before a moment, as `git log` understands it."""
    return _git("rev-list", "--max-count=1", f"--before={moment}", "HEAD", "--")


def diff(base: str, *, whole: bool, paths: Sequence[str] = ()) -> list[str]:
    """The command that compares the files of the checkout with a commit.

    `whole` shows all of each file, so that both versions can be read off; else each change stands alone,
    below a line that says which function it is in.
    """
    if not is_commit_name(base):
        raise ValueError(f"not the name of a commit: {base[:80]!r}")
    return _git(
        "diff", f"--unified={1_000_000 if whole else 0}", "--no-renames", "--no-color",
        "--no-indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/", "--diff-algorithm=myers",
        *_WITHOUT_HELPERS, base, "--",
        *(f":(literal,top){path}" for path in paths),
    )  # fmt: skip


def sizes(base: str) -> list[str]:
    """The command that lists the files that differ from a commit, each with how many lines do."""
    if not is_commit_name(base):
        raise ValueError(f"not the name of a commit: {base[:80]!r}")
    return _git("diff", "--numstat", "-z", "--no-renames", "--no-color", *_WITHOUT_HELPERS, base, "--")


def times(base: str, most: int) -> list[str]:
    """The command that lists when each file was last committed since a commit, newest first."""
    if not is_commit_name(base):
        raise ValueError(f"not the name of a commit: {base[:80]!r}")
    return _git(
        "log", "-z", f"--format={FIELD}%ct", "--name-only", "--no-renames", f"--max-count={int(most)}",
        "--no-show-signature", "--no-notes", "--no-color", "--no-decorate", *_WITHOUT_HELPERS,
        f"^{base}", "HEAD", "--",
    )  # fmt: skip


def untracked() -> list[str]:
    """The command that lists files git does not know and is not told to ignore."""
    return _git("ls-files", "-z", "--others", "--exclude-standard", "--", ":/")


def filter_listing() -> list[str]:
    """The command that lists the filters that settings name, each with where it is set; it runs nothing."""
    pattern = rf"^filter\..*\.({'|'.join(_PARTS)}|required)$"
    return _git("config", "--includes", "--show-scope", "-z", "--name-only", "--get-regexp", pattern)


def identity() -> list[str]:
    """The command that tells who commits here: `user.name` and `user.email` as git would take them."""
    return _git("config", "--includes", "-z", "--get-regexp", r"^user\.(name|email)$")


def tracked() -> list[str]:
    """The command that lists the files git knows."""
    return _git("ls-files", "-z", "--cached")


def tree(commit: str) -> list[str]:
    """The command that lists the files of a commit."""
    return _git("ls-tree", "-r", "-z", "--name-only", "--full-tree", _name_of(commit))


def unmerged() -> list[str]:
    """The command that lists the branches of which HEAD does not have all."""
    places = ("refs/heads", "refs/remotes")
    return _git("for-each-ref", "--no-merged=HEAD", "--count=2000", "--format=%(refname)", *places)


def branches() -> list[str]:
    """The command that lists all branches."""
    return _git("for-each-ref", "--count=5000", "--format=%(refname)", "refs/heads", "refs/remotes")


def occurrences(words: Iterable[str], commit: str = "") -> list[str]:
    """The command that tells in which files words stand: of a commit, or as they are now."""
    wanted = [part for word in words for part in ("-e", word)]
    where = [_name_of(commit)] if commit else ["--untracked"]
    before = [
        "-I",
        "-z",
        "-o",
        "-w",
        "-F",
        "--no-color",
        "--no-textconv",
        "--no-recurse-submodules",
        "--full-name",
    ]
    if commit:
        return _git("grep", *before, *wanted, *where, "--")
    return _git("grep", *before, *where, *wanted, "--")


def holds(commit: str) -> list[str]:
    """The command that succeeds if the repository has a commit."""
    return _git("cat-file", "-e", f"{_name_of(commit)}^{{commit}}")


def environment(inherited: Mapping[str, str], top: str, filters: Iterable[str] = ()) -> dict[str, str]:
    """The environment for git in the checkout at `top`, whose own `filters` (see `filters_in`) are put out.

    Nothing that is inherited steers git; it looks for no repository above `top`, and for no files elsewhere.
    """
    kept = {name: value for name, value in inherited.items() if not name.startswith("GIT_")}
    settings = [
        (f"filter.{name}.{part}", "false" if part == "required" else "")
        for name in filters
        for part in (*_PARTS, "required")
    ]
    numbered = {f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in enumerate(settings)}
    numbered |= {f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(settings)}
    return {
        **kept,
        **numbered,
        "GIT_CONFIG_COUNT": str(len(settings)),
        "GIT_CEILING_DIRECTORIES": top.rpartition("/")[0] or "/",
        "GIT_WORK_TREE": top,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        # A partial clone would fetch what it lacks, by whatever program its settings name.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
        "LANGUAGE": "C",
    }


def may_name_filters(settings: Iterable[bytes | None]) -> bool:
    """Whether the filters must be listed before git compares files.

    `settings` are the bytes of the repository's `config` and of what `config.worktree` files there are; None
    is one that could not be read whole. Section names know no escapes: without these letters, no filters.
    """
    words = (b"filter", b"include")
    return any(text is None or any(word in text.lower() for word in words) for text in settings)


def filters_in(listed: bytes) -> list[str]:
    """The filters that the repository itself brings, out of what `filter_listing` printed.

    Those of the person's own settings stay: they chose them, and their large files need them.
    """
    parts = listed.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    keys = (key for scope, key in pairs if scope in ("local", "worktree"))
    return sorted({key.removeprefix("filter.").rpartition(".")[0] for key in keys})


def is_commit_name(word: str) -> bool:
    """Whether it is a commit's full or abbreviated hash, and so neither an option nor a range."""
    return 7 <= len(word) <= 64 and _ABBREVIATED.issuperset(word)


def is_refusal(code: int, told: bytes) -> bool:
    """Whether git refused because somebody else owns the repository: then there is no git for us."""
    return code == 128 and b"dubious ownership" in told


def _name_of(commit: str) -> str:
    if not is_commit_name(commit):
        raise ValueError(f"not the name of a commit: {commit[:80]!r}")
    return commit


def _git(command: str, *options: str) -> list[str]:
    settings = [word for name, value in _OFF for word in ("-c", f"{name}={value}")]
    return ["git", "--no-pager", "--no-optional-locks", *settings, command, *options]
