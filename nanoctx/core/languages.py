"""Programming languages by how files are called, and what else tells what a project is built with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

BY_ENDING = {
    "py": "python", "pyi": "python", "js": "javascript", "jsx": "javascript", "mjs": "javascript",
    "cjs": "javascript", "ts": "typescript", "tsx": "typescript", "go": "go", "rs": "rust", "java": "java",
    "kt": "kotlin", "c": "c", "h": "c", "cc": "c++", "cpp": "c++", "hpp": "c++", "cs": "c#", "rb": "ruby",
    "php": "php", "swift": "swift", "scala": "scala", "ex": "elixir", "lua": "lua", "sh": "shell",
    "sql": "sql", "vue": "javascript", "svelte": "javascript", "zig": "zig",
}  # fmt: skip
LEAST_SHARE = 0.1  # of the files in the most used language, for another to count
_SHOWN = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "php": "PHP", "sql": "SQL",
}  # fmt: skip
_TOOLS = {
    "pyproject.toml": "pyproject", "requirements.txt": "pip", "package.json": "npm", "Cargo.toml": "Cargo",
    "go.mod": "Go modules", "pom.xml": "Maven", "build.gradle": "Gradle", "build.gradle.kts": "Gradle",
    "Gemfile": "Bundler", "composer.json": "Composer", "CMakeLists.txt": "CMake", "Makefile": "make",
    "Dockerfile": "Docker", "docker-compose.yml": "Docker Compose", "compose.yaml": "Docker Compose",
}  # fmt: skip


def language(path: str) -> str:
    """The language of a file; "" for none that we know."""
    return BY_ENDING.get(path.rpartition(".")[2].lower(), "") if "." in path else ""


def spoken(paths: Iterable[str]) -> tuple[str, ...]:
    """The languages of a project, the most used first; stray files of others do not count."""
    counts = Counter(found for path in paths if (found := language(path)))
    most = max(counts.values(), default=0)
    common = [(-count, name) for name, count in counts.items() if count >= LEAST_SHARE * most]
    return tuple(name for _, name in sorted(common))


def shown(name: str) -> str:
    """A language as people write it."""
    return _SHOWN.get(name, name[:1].upper() + name[1:])


def tools(top_level: Iterable[str]) -> tuple[str, ...]:
    """What builds and runs a project, by the files at its top."""
    return tuple(dict.fromkeys(_TOOLS[name] for name in sorted(top_level) if name in _TOOLS))
