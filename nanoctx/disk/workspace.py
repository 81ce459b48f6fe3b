"""Which workspace a command is about, what is where in it, and how a new one is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from nanoctx.disk import files, mirror, packaged, registry, repository, settings
from nanoctx.disk.settings import Settings
from nanoctx.errors import NotAWorkspace, UsageError, WorkspaceError, WorkspaceRemoved

FOLDER = ".nanoctx"
SETTINGS = "nanoctx.toml"
PAGES = ("CONTEXT.md", "MEMORY.md")
# The settings come last: where they stand, an `init` was not cut short.
TEMPLATES = ("SOUL.md", "USER.md", "TOOLS.md", "MEMORY.md", SETTINGS)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace on disk. `kind` is `repo` (it holds one project) or `folder` (all that are watched)."""

    root: Path
    kind: str
    project_root: Path | None
    settings: Settings
    trusted: bool  # this user made it; False for one that came with a clone
    watched: tuple[Path, ...] = ()  # `[watch] projects` and `ignore` as folders
    ignored: tuple[Path, ...] = ()

    @property
    def settings_file(self) -> Path:
        return self.root / SETTINGS

    @property
    def context_page(self) -> Path:
        return self.root / "CONTEXT.md"

    @property
    def memory_page(self) -> Path:
        return self.root / "MEMORY.md"

    @property
    def observations(self) -> Path:
        return self.root / "observations"

    @property
    def conflicts(self) -> Path:
        return self.root / "conflicts"

    @property
    def projects(self) -> Path:
        return self.root / "projects"

    @property
    def state(self) -> Path:
        return self.root / ".state"

    @property
    def cursors(self) -> Path:
        return self.state / "cursors.json"

    @property
    def answers(self) -> Path:
        return self.state / "answers"

    @property
    def adopt_marker(self) -> Path:
        return self.state / "adopt"

    def adopts(self, page: Path) -> bool:
        """Whether this page stood here before `init`; until the first look its lines are all the person's."""
        return page.name in files.read(self.adopt_marker).text.split("\n")

    def adopted(self, page: Path) -> None:
        """From here on, a line of the page may be ours."""
        left = [
            name for name in files.read(self.adopt_marker).text.split("\n") if name not in ("", page.name)
        ]
        if left:
            files.write(self.adopt_marker, "".join(f"{name}\n" for name in left))
        else:
            files.remove(self.adopt_marker)

    def observation_files(self) -> list[Path]:
        """The files of all observations, oldest first."""
        return sorted(self.observations.glob("*/*/*.md"), key=lambda file: file.name)


@dataclass(frozen=True, slots=True)
class InitReport:
    """What `init` did."""

    workspace: Workspace
    created: tuple[str, ...]
    adopted: tuple[str, ...]
    registered: bool


def resolve(explicit: str | None, cwd: Path, env: Mapping[str, str]) -> Workspace:
    """The workspace meant here: the one named, else the nearest, else a registered one."""
    named = explicit or env.get("NANOCTX_WORKSPACE")
    if named:
        return _named(cwd / registry.expanded(named, env), env)
    nearest = _nearest(cwd) or _of_main_worktree(cwd)
    if nearest:
        return open_at(nearest, env)
    return _registered(cwd, env)


def open_at(root: Path, env: Mapping[str, str]) -> Workspace:
    """The workspace in this very folder, with its settings."""
    root = root.resolve()
    is_repo = root.name == FOLDER
    found = settings.load(root / SETTINGS)
    return Workspace(
        root=root,
        kind="repo" if is_repo else "folder",
        project_root=root.parent if is_repo else None,
        settings=found,
        trusted=any(entry.path == root for entry in registry.load(env)),
        watched=_folders(found.watch_projects, root, env),
        ignored=_folders(found.watch_ignore, root, env),
    )


def init(target: Path | None, cwd: Path, env: Mapping[str, str], *, anew: bool = False) -> InitReport:
    """Make a workspace, changing no byte that is there; a second time nothing is left to do."""
    root = _new_root(target, cwd, env)
    if not anew:
        _refuse_if_unmounted(root, env)
    existed = _is_workspace(root)
    adopted = () if existed else tuple(name for name in PAGES if (root / name).exists())
    created = () if existed else _furnish(root, adopted)
    registered = registry.add(root, env, may_be_default=root.name != FOLDER)
    return InitReport(open_at(root, env), created, adopted, registered)


def bring_back(removed: WorkspaceRemoved, env: Mapping[str, str]) -> Workspace:
    """Lay out anew a workspace that `git clean` took away; if nothing is kept of it, raise what is given."""
    root = removed.root
    if not (root.parent / ".git").exists() or not mirror.is_kept(root, env):
        raise removed
    _furnish(root, ())
    return open_at(root, env)


def describe_project(workspace: Workspace, slug: str) -> tuple[str, ...]:
    """Lay out the page on which people describe a project, unless it is there; returns what was made."""
    file = workspace.projects / slug / "project.md"
    if file.exists():
        return ()
    files.make_folder(file.parent)
    files.write(file, project_page(slug))
    return (str(file.relative_to(workspace.root)),)


def project_page(slug: str) -> str:
    """The page of a project as it is laid out."""
    return packaged.template("project.md").replace("- Name:", f"- Name: {slug}", 1)


def _named(given: Path, env: Mapping[str, str]) -> Workspace:
    root = given.resolve()
    if root.name != FOLDER and _is_workspace(root / FOLDER):
        root = root / FOLDER
    if _is_workspace(root):
        return open_at(root, env)
    if any(entry.path == root for entry in registry.load(env)):
        raise _gone(root)
    raise NotAWorkspace(f"{root} is not a workspace: run `nanoctx init {root}` to make it one")


def _nearest(cwd: Path) -> Path | None:
    top = repository.top_level(cwd)
    for folder in (cwd, *cwd.parents):
        # A link could lead a cloned repository's readers anywhere.
        if _is_workspace(folder / FOLDER) and not (folder / FOLDER).is_symlink():
            return folder / FOLDER
        if folder == top:
            break
    return None


def _of_main_worktree(cwd: Path) -> Path | None:
    top = repository.top_level(cwd)
    main = repository.main_worktree(top) if top else None
    return main / FOLDER if main and _is_workspace(main / FOLDER) else None


def _registered(cwd: Path, env: Mapping[str, str]) -> Workspace:
    entries = registry.load(env)
    holding = [(folder, entry.path) for entry in entries for folder in _holding(entry.path, cwd, env)]
    default = next((entry.path for entry in entries if entry.default), None)
    # The narrowest folder wins: a project inside a project is its own.
    root = max(holding, key=lambda pair: len(pair[0].parts))[1] if holding else default
    if root is None:
        raise NotAWorkspace(
            "there is no workspace here: run `nanoctx init` in your repository, or `nanoctx init DIR`"
        )
    if not _is_workspace(root):
        raise _gone(root)
    return open_at(root, env)


def _holding(root: Path, cwd: Path, env: Mapping[str, str]) -> list[Path]:
    """The folders of a registered workspace that contain `cwd`."""
    if root.name == FOLDER:
        folders = [root.parent]
    elif _is_workspace(root):
        folders = [root, *_folders(settings.load(root / SETTINGS).watch_projects, root, env)]
    else:
        folders = [root]
    return [folder for folder in folders if cwd.is_relative_to(folder)]


def _folders(names: tuple[str, ...], root: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    return tuple((root / registry.expanded(name, env)).resolve() for name in names)


def _is_workspace(root: Path) -> bool:
    try:
        return (root / SETTINGS).is_file() or (root / ".state").is_dir() or (root / "observations").is_dir()
    except OSError:  # a folder that may not be searched
        return False


def _gone(root: Path) -> NotAWorkspace:
    if root.name == FOLDER and root.parent.is_dir():
        return WorkspaceRemoved(root)
    again = f"nanoctx init --anew {root}"
    return NotAWorkspace(
        f"the workspace {root} is registered but not there: mount its drive or run `{again}`"
    )


def _new_root(target: Path | None, cwd: Path, env: Mapping[str, str]) -> Path:
    if target is not None:
        root = (cwd / registry.expanded(str(target), env)).resolve()
        if root.exists() and not root.is_dir():
            raise UsageError(f"{root} is a file: name a folder")
        return root
    top = repository.top_level(cwd)
    if top is None:
        raise UsageError(
            f"{cwd} is not in a git repository: go into one, or name a folder with `nanoctx init DIR`"
        )
    folder = (repository.main_worktree(top) or top).resolve() / FOLDER
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise WorkspaceError(f"{folder} is not a folder: move it away, then run `nanoctx init` again")
    return folder


def _refuse_if_unmounted(root: Path, env: Mapping[str, str]) -> None:
    # A repository that is there shows that its drive is: only its workspace was cleaned away.
    removed_only = root.name == FOLDER and (root.parent / ".git").exists()
    if _is_bare(root) and not removed_only and any(entry.path == root for entry in registry.load(env)):
        raise _gone(root)


def _is_bare(root: Path) -> bool:
    try:
        return not root.is_dir() or not any(root.iterdir())
    except OSError:
        return False


def _furnish(root: Path, adopted: tuple[str, ...]) -> tuple[str, ...]:
    files.make_folder(root)
    created = []
    if root.name == FOLDER and not (root / ".gitignore").exists():
        files.write(root / ".gitignore", "*\n")
        created.append(".gitignore")
    if adopted:
        files.make_folder(root / ".state")
        files.write(root / ".state" / "adopt", "".join(f"{name}\n" for name in adopted))
    for name in TEMPLATES:
        if not (root / name).exists() and not (root / name).is_symlink():
            files.write(root / name, packaged.template(name))
            created.append(name)
    return tuple(created)
