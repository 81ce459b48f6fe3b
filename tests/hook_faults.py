"""What can be broken when a hook is called. Each fault is made before each call, since a look may mend it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hook_scene import Scene, git

MUCH = 50 << 20  # bytes
MANY_LOGS = 5000


@dataclass(frozen=True, slots=True)
class Fault:
    """How the hook is called while something is broken."""

    payload: Any = None  # as JSON; None for what a host says usually
    data: bytes | None = None  # on standard input, in the place of a payload
    shell: str = ""  # a shell calls the script "$0" with the event "$1"
    env: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False  # nothing may be said
    told: bool = False  # the answer is as good as ever
    held: bool = False  # the host says all and never ends its input


def _answer(scene: Scene) -> Path:
    file = scene.workspace / ".state" / "answers" / "project.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def _whole(scene: Scene) -> bytes:
    """The ready answer as the last look wrote it; kept aside, since a fault takes its place."""
    kept = scene.repo.parent / "whole-answer.json"
    if not kept.exists():
        shutil.copy(_answer(scene), kept)
    return kept.read_bytes()


def _instead(scene: Scene, content: bytes) -> Fault:
    _whole(scene)
    _answer(scene).unlink(missing_ok=True)
    _answer(scene).write_bytes(content)
    return Fault()


def nothing_broken(scene: Scene) -> Fault:
    return Fault(told=True)


def stale_answer(scene: Scene) -> Fault:
    """Of an hour ago, and a session of another kind wrote its log since."""
    old = json.loads(_whole(scene))
    _instead(scene, json.dumps({**old, "made": old["made"] - 3600}).encode())
    os.utime(scene.log.path)
    return Fault(told=True)


def answer_of_another_version(scene: Scene) -> Fault:
    return _instead(scene, b'{"v": 0}')


def answer_without_its_parts(scene: Scene) -> Fault:
    return _instead(scene, json.dumps({"v": json.loads(_whole(scene))["v"]}).encode())


def answer_of_other_types(scene: Scene) -> Fault:
    return _instead(scene, json.dumps(dict.fromkeys(json.loads(_whole(scene)), 2)).encode())


def answer_cut_short(scene: Scene) -> Fault:
    return _instead(scene, _whole(scene)[:300])


def answer_is_a_pipe(scene: Scene) -> Fault:
    _instead(scene, b"")
    _answer(scene).unlink()
    os.mkfifo(_answer(scene))
    return Fault()


def answer_is_a_folder(scene: Scene) -> Fault:
    _whole(scene)
    if not _answer(scene).is_dir():
        _answer(scene).unlink()
        _answer(scene).mkdir()
    return Fault()


def answer_without_end(scene: Scene) -> Fault:
    _instead(scene, b"")
    _answer(scene).unlink()
    _answer(scene).symlink_to("/dev/zero")
    return Fault()


def full_disk(scene: Scene) -> Fault:
    return Fault(shell='exec "$0" "$1" >/dev/full', silent=True)


def no_file_may_grow(scene: Scene) -> Fault:
    return Fault(shell='ulimit -f 0; exec "$0" "$1"', told=True)


def broken_settings(scene: Scene) -> Fault:
    (scene.workspace / "nanoctx.toml").write_text("[hook\nstart = ")
    return Fault(told=True)


def broken_registry(scene: Scene) -> Fault:
    Path(os.environ["XDG_CONFIG_HOME"], "nanoctx", "workspaces.toml").write_bytes(b'path = "\xff\npath = "x')
    return Fault(silent=True)


def missing_workspace(scene: Scene) -> Fault:
    shutil.rmtree(scene.workspace, ignore_errors=True)  # a look may just be bringing it back
    return Fault()


def deleted_folder(scene: Scene) -> Fault:
    gone = scene.repo.parent / "gone"
    command = f'mkdir {gone} && cd {gone} && rmdir {gone} && exec "$0" "$1"'
    return Fault(shell=command, payload=scene.payload(cwd=str(gone)), silent=True)


def deleted_folder_and_no_payload(scene: Scene) -> Fault:
    gone = scene.repo.parent / "gone"
    return Fault(shell=f'mkdir {gone} && cd {gone} && rmdir {gone} && exec "$0" "$1"', data=b"", silent=True)


def closed_input(scene: Scene) -> Fault:
    return Fault(shell='exec "$0" "$1" <&-')


def closed_output(scene: Scene) -> Fault:
    return Fault(shell='exec "$0" "$1" >&-', silent=True)


def all_streams_closed(scene: Scene) -> Fault:
    return Fault(shell='exec "$0" "$1" <&- >&- 2>&-', silent=True)


def nobody_reads_the_answer(scene: Scene) -> Fault:
    return Fault(shell='exit $({ { "$0" "$1"; echo $? >&4; } | :; } 4>&1)', silent=True)


def endless_input(scene: Scene) -> Fault:
    return Fault(held=True)


def much_input(scene: Scene) -> Fault:
    return Fault(data=_MUCH)


def deep_input(scene: Scene) -> Fault:
    return Fault(data=b"[" * 100_000)


def not_json(scene: Scene) -> Fault:
    return Fault(data=b"\x00\xffhello")


def wrong_types(scene: Scene) -> Fault:
    return Fault(payload={"cwd": 7, "session_id": [], "source": {}, "transcript_path": 1, "reason": [2]})


def not_an_object(scene: Scene) -> Fault:
    return Fault(payload=[scene.payload()])


def impossible_paths(scene: Scene) -> Fault:
    return Fault(
        payload=scene.payload(cwd="/\udcff\0x" + "y" * 5000, transcript_path="\0" * 9, session_id="\ud800"),
        silent=True,
    )


def hostile_clone(scene: Scene) -> Fault:
    clone = scene.repo.parent / "clone"
    if not clone.exists():
        shutil.copytree(scene.repo, clone)
        (clone / ".nanoctx" / "nanoctx.toml").write_text('[writer]\ncommand = "touch sprung"\n')
    return Fault(payload=scene.payload(cwd=str(clone)), silent=True)


def broken_head(scene: Scene) -> Fault:
    (scene.repo / ".git" / "HEAD").write_bytes(b"\xff\0ref: refs/../../x\n")
    return Fault(told=True)


def head_is_a_pipe(scene: Scene) -> Fault:
    head = scene.repo / ".git" / "HEAD"
    if head.is_file():
        head.unlink()
        os.mkfifo(head)
    return Fault(told=True)


def _git_is(scene: Scene, program: str) -> Fault:
    """HEAD moved, so that git is asked; and git is this program."""
    folder = scene.repo.parent / "bin"
    if not folder.exists():
        folder.mkdir()
        git(scene.repo, "commit", "-q", "--allow-empty", "-m", "Moved")
        (folder / "git").write_text(f"#!/bin/sh\n{program}\n")
        (folder / "git").chmod(0o755)
    return Fault(env={"PATH": f"{folder}:{os.environ['PATH']}"})


def git_that_hangs(scene: Scene) -> Fault:
    return _git_is(scene, "exec sleep 30")


def git_that_never_stops_talking(scene: Scene) -> Fault:
    return _git_is(scene, "exec cat /dev/zero")


def no_environment(scene: Scene) -> Fault:
    return Fault(shell='exec env -i "$0" "$1"', silent=True)


def many_logs(scene: Scene) -> Fault:
    folder = scene.log.path.parent
    if not (folder / "log-0.jsonl").exists():
        for number in range(MANY_LOGS):
            (folder / f"log-{number}.jsonl").touch()
            os.utime(folder / f"log-{number}.jsonl", (0, 0))
    return Fault(told=True)


_MUCH = b'{"prompt":"' + b"x" * MUCH + b'"}'
FAULTS: tuple[Callable[[Scene], Fault], ...] = (
    nothing_broken, stale_answer, answer_of_another_version, answer_without_its_parts, answer_of_other_types,
    answer_cut_short, answer_is_a_pipe, answer_is_a_folder, answer_without_end, full_disk, no_file_may_grow,
    broken_settings, broken_registry, missing_workspace, deleted_folder, deleted_folder_and_no_payload,
    closed_input, closed_output, all_streams_closed, nobody_reads_the_answer, endless_input, much_input,
    deep_input, not_json, wrong_types, not_an_object, impossible_paths, hostile_clone, broken_head,
    head_is_a_pipe, git_that_hangs, git_that_never_stops_talking, no_environment, many_logs,
)  # fmt: skip
# What happens to people; each is tried as often as it takes to meet what happens now and then.
OFTEN = frozenset((
    nothing_broken, stale_answer, full_disk, no_file_may_grow, broken_settings, broken_registry,
    missing_workspace, deleted_folder, closed_input, much_input, not_json, hostile_clone,
))  # fmt: skip
NAMES = [fault.__name__ for fault in FAULTS]
