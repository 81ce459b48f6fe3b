"""The house stays as it was drawn: arrows, one writer, one clock, one git runner, small modules."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "nanoctx"
MODULES = sorted(path for path in PACKAGE.rglob("*.py"))

# What each part of the house may import from the others. Nothing points upward.
ALLOWED = {
    "errors": set(),
    "model": set(),
    "clock": {"errors"},
    "core": {"core", "model", "errors"},
    "disk": {"disk", "core", "model", "errors", "clock"},
    "sources": {"sources", "core", "model", "errors", "disk"},
    "scenes": {"disk", "sources", "core", "model"},
    "rewriting": {"disk", "core", "model", "errors"},
    "knowledge": {"disk", "sources", "core", "model"},
    "answers": {"views", "scenes", "disk", "sources", "core", "model", "errors"},
    "publishing": {"answers", "knowledge", "scenes", "disk", "core", "model"},
    "observer": {"publishing", "rewriting", "scenes", "disk", "sources", "core", "model", "errors"},
    "overview": {"core", "disk", "errors", "model"},
    "reflector": {"core", "disk", "errors", "knowledge", "model", "overview", "publishing", "sources"},
    "byhand": {
        "core", "disk", "errors", "knowledge", "model", "overview", "publishing", "reflector", "scenes",
    },
    "forgetting": {"byhand", "core", "disk", "errors", "model", "publishing", "recall", "reflector"},
    "history": {"byhand", "core", "disk", "errors", "model", "overview", "publishing", "reflector"},
    "whence": {"core", "disk", "knowledge", "model", "reflector", "scenes"},
    "recall": {"clock", "core", "disk", "errors", "model", "recall"},
    "exporting": {"core", "disk", "errors"},
    "importing": {"core", "disk", "errors", "model", "reflector", "scenes", "sources"},
    "views": {
        "views", "knowledge", "scenes", "recall", "disk", "sources", "core", "model", "errors", "clock",
    },
    "clients": {"clients", "core", "model", "errors"},
    "connections": {"clients", "disk", "errors"},
    "reminding": {"core", "disk", "recall"},
    "hook": {"clock", "core", "disk", "hook", "reminding"},
    "mcp_server": {"mcp_server", "byhand", "whence", "views", "disk", "core", "errors"},
    "daemon": {
        "clock", "core", "daemon", "disk", "errors", "model", "observer", "recall", "reflector",
        "reminding", "sources", "views",
    },
    "__main__": {"cli"},
    "cli": {
        "byhand", "cli", "clients", "clock", "connections", "core", "daemon", "disk", "errors",
        "exporting", "forgetting", "history", "hook", "importing", "mcp_server", "model", "observer",
        "recall", "reflector", "sources", "views", "whence",
    },
}
LONGEST = 400
EMPTY_NAMES = ("util", "helper", "common", "manager", "misc")

WRITER = "disk/files.py"
# What `disk/files.py` is made of: the system calls of an exchange, and nothing that decides to write.
PARTS_OF_THE_WRITER = {WRITER, "disk/swap.py"}
WRITING = {
    "write_text", "write_bytes", "mkdir", "makedirs", "unlink", "rmdir", "rename", "renames", "replace_file",
    "symlink_to", "hardlink_to", "touch", "chmod", "copyfile", "copytree", "copy2", "rmtree", "truncate",
    "NamedTemporaryFile", "mkstemp", "symlink", "removedirs", "utime",
}  # fmt: skip
CLOCK = {"now", "utcnow", "today", "time", "time_ns", "monotonic", "monotonic_ns", "localtime", "gmtime"}
PROCESSES = {"subprocess", "multiprocessing", "git", "pty"}
NETWORK = {"socket", "ssl", "http", "ftplib", "smtplib", "requests", "httpx", "aiohttp", "asyncio"}
# Two call git by the rules of core/git_safety.py; a hook has no time to load the first. The third is what
# sees a program to its end, for git and for the writer that a person set.
STARTERS = ("sources/git_runner.py", "hook/news.py", "disk/children.py")
SOCKETS = ("daemon/control.py", "daemon/api.py")  # of this user on this machine: its kind knows no other
FILE_MODULES = {
    "os",
    "pathlib",
    "io",
    "shutil",
    "tempfile",
    "glob",
    "fcntl",
    "sys",
    "time",
    "socket",
    "subprocess",
}


@cache
def _syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _imports(path: Path) -> Iterator[str]:
    """Dotted names a module imports, anywhere in it."""
    for node in ast.walk(_syntax(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _part(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def _calls(path: Path) -> Iterator[tuple[str, str, ast.Call]]:
    """Calls as (what it is called on, name, node): `os.replace(…)` is ("os", "replace", …)."""
    for node in ast.walk(_syntax(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            yield (owner.id if isinstance(owner, ast.Name) else ""), node.func.attr, node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield "", node.func.id, node


def _each(paths: Iterable[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """One test over all modules, which names each that breaks the rule: a test apiece would take minutes."""

    def over(rule: Callable[[Path], None], modules: tuple[Path, ...] = tuple(paths)) -> Callable[[], None]:
        def test() -> None:
            assert modules
            broken = []
            for path in modules:
                try:
                    rule(path)
                except AssertionError as error:
                    broken.append(f"{path.relative_to(ROOT)}: {error}")
            assert not broken, "\n".join(broken)

        return test

    return over


@_each(MODULES)
def test_imports_only_point_downward(path: Path) -> None:
    part = _part(path)
    if part == "__init__":
        assert not [name for name in _imports(path) if name.startswith("nanoctx")]
        return
    for name in _imports(path):
        if name.startswith("nanoctx.") and name != "nanoctx.__version__":
            target = name.split(".")[1]
            assert target in ALLOWED[part], f"{part} may not import {name}"


@_each(MODULES)
def test_only_one_module_writes(path: Path) -> None:
    if str(path.relative_to(PACKAGE)) in PARTS_OF_THE_WRITER:
        return
    for owner, name, node in _calls(path):
        where = f"line {node.lineno}"
        assert name not in WRITING, f"{where}: {name}() writes; disk/files.py does that"
        assert (owner, name) not in {
            ("os", "replace"),
            ("os", "remove"),
            ("os", "write"),
            ("shutil", "move"),
        }, where
        if name == "open":
            assert not _opens_for_writing(owner, node), f"{where}: opened for writing"


def _opens_for_writing(owner: str, node: ast.Call) -> bool:
    if owner == "os":
        flags = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
        to_nowhere = "devnull" in flags
        return bool(flags & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"}) and not to_nowhere
    modes = [
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    return any(set(mode) <= set("rwaxbt+U") and set(mode) & set("wax+") for mode in modes)


@_each(MODULES)
def test_only_one_module_reads_the_clock(path: Path) -> None:
    if path == PACKAGE / "clock.py" or path.parent == PACKAGE / "hook":  # which has no time to load it
        return
    for owner, name, node in _calls(path):
        taken = owner in ("time", "datetime", "date", "pendulum") and name in CLOCK
        assert not taken, f"line {node.lineno}: {owner}.{name}() reads the clock; clock.py does that"


@_each(MODULES)
def test_no_process_is_started_but_in_three_places_and_no_network_is_used(path: Path) -> None:
    roots = {name.split(".")[0] for name in _imports(path)}
    name = str(path.relative_to(PACKAGE))
    assert not roots & (NETWORK - {"socket"} if name in SOCKETS else NETWORK)
    assert not [name for name in _imports(path) if name.startswith("urllib.request")]
    if str(path.relative_to(PACKAGE)) not in STARTERS:
        assert not roots & PROCESSES
        starting = ("system", "popen", "fork", "posix_spawn")
        started = [name for owner, name, _ in _calls(path) if owner == "os" and name in starting]
        # A hook starts a look that outlives it, and nothing else.
        assert started == (["posix_spawn"] if path == PACKAGE / "hook" / "__init__.py" else [])


def test_the_calendar_is_loaded_only_where_somebody_spoke_of_days(tmp_path: Path) -> None:
    users = {str(path.relative_to(PACKAGE)) for path in MODULES if "pendulum" in _roots(path)}
    assert users == {"core/days.py"}
    log, notes = tmp_path / "log.jsonl", tmp_path / "notes"
    said = '{"type": "prompt", "text": "the reader hangs %s", "time": "2026-02-12T09:00:00Z"}\n'
    look = ["observe", "--workspace", str(notes), "--agent", "generic", "--log", str(log)]
    steps = [
        (["init", str(notes)], "", False),
        (look, said % "on every run", False),
        (["show", "context", "--workspace", str(notes)], "", False),
        (look, said % "since yesterday", True),
    ]
    code = (
        "import sys; from pathlib import Path; from nanoctx.cli.main import main\n"
        f"for call, text, loaded in {steps!r}:\n"
        f"    if text: Path({str(log)!r}).write_text(text)\n"
        "    assert main(call) == 0, call\n"
        "    assert ('pendulum' in sys.modules) == loaded, call\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)


def _roots(path: Path) -> set[str]:
    return {name.split(".")[0] for name in _imports(path)}


@_each(path for path in MODULES if _part(path) == "core")
def test_the_core_touches_no_file_no_clock_and_no_environment(path: Path) -> None:
    roots = {name.split(".")[0] for name in _imports(path)}
    assert not roots & FILE_MODULES
    assert not [name for owner, name, _ in _calls(path) if not owner and name in ("open", "input", "print")]


@_each(MODULES)
def test_modules_can_be_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST
    assert not any(word in path.stem for word in EMPTY_NAMES)


@_each(path for path in MODULES if path.stat().st_size)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(_syntax(path))


@_each(MODULES)
def test_nothing_in_the_product_is_unfinished(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for mark in ("NotImplementedError", "# TODO", "# FIXME", "# XXX"):
        assert mark not in text


def test_commands_do_not_import_each_other_but_for_what_is_shared() -> None:
    # `tokens` counts what `show` shows, `disconnect` undoes what `connect` does, `doctor` has two parts.
    shared = {"call", "main", "show", "connecting", "connection_signs", "sign"}
    for path in (PACKAGE / "cli").glob("*.py"):
        named = {name.split(".")[2] for name in _imports(path) if name.startswith("nanoctx.cli.")}
        assert named <= shared, path.name


def test_help_loads_nothing_heavy() -> None:
    heavy = [
        "rich",
        "pendulum",
        "msgspec",
        "frontmatter",
        "yaml",
        "re2",
        "nanoctx.disk",
        "nanoctx.core",
        "nanoctx.sources",
    ]
    code = (
        "import sys; from nanoctx.cli.main import main; main(['--help']);"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
