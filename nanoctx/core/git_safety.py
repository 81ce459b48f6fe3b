"""How git is called so that a hostile repository runs none of its code: arguments and environment.

Imports nothing, because hooks use it too. What a repository's own configuration can start, and what stops it:
a file-system monitor, hooks, signature programs and embedded bare repositories by `-c`; external diffs and
text conversion by options; filters one by one in the environment, since a filter's name may hold a `=` and
would walk past `-c`. Every inherited `GIT_*` goes.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "log.showSignature=false",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
)
_OPTIONS = {
    "status": ("--ignore-submodules=all",),
    "diff": ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all"),
    "log": ("--no-ext-diff", "--no-textconv", "--no-show-signature"),
}
# Names the filters a repository defines, in files it includes as well; this runs nothing.
LIST_FILTERS = ("config", "--local", "--includes", "-z", "--name-only", "--get-regexp", r"^filter\.")


def arguments(command: str, *more: str) -> "list[str]":
    """The words of one git call, from `git` on."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    return ["git", "--no-optional-locks", "--no-pager", *settings, command, *_OPTIONS.get(command, ()), *more]


def environment(inherited: "Mapping[str, str]", filters: "Iterable[str]" = ()) -> "dict[str, str]":
    """The environment of one git call; `filters` are keys that LIST_FILTERS gave: each is made empty."""
    env = {name: value for name, value in inherited.items() if not name.startswith("GIT_")}
    env |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    keys = list(dict.fromkeys(filters))
    env["GIT_CONFIG_COUNT"] = str(len(keys))
    for number, key in enumerate(keys):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    return env


def listed(output: str) -> "list[str]":
    """The keys in what LIST_FILTERS printed."""
    return [key for key in output.split("\0") if key]
