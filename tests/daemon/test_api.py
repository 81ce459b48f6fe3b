"""What programs ask over the socket, asked of the real thing on a real socket."""

from __future__ import annotations

import http.client
import json
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hook_scene import Scene, command, scene, wait_for

from nanoctx import clock
from nanoctx.daemon.api import LONGEST, Api
from nanoctx.hook import places, reading, turn

__all__ = ["scene"]

ASKED = "How does the tide table compute harmonic constituents for the harbour gauge?"
NOTE = "# Harmonics\n\nThe tide table computes harmonic constituents for the harbour gauge with M2 and S2.\n"


class Line(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("nanoctx", timeout=8)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(8)
        self.sock.connect(str(self.path))


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("r")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    (folder / "nanoctx").mkdir()
    return folder / "nanoctx"


@pytest.fixture
def api(scene: Scene, runtime: Path) -> Iterator[Path]:
    (scene.workspace / "knowledge").mkdir(exist_ok=True)
    (scene.workspace / "knowledge" / "harmonics.md").write_text(NOTE)
    command("recall", "harmonic")
    made = Api(runtime / "api.sock", os.environ, clock.now)
    assert made.start()
    yield runtime / "api.sock"
    made.close()
    assert not (runtime / "api.sock").exists()


def get(path: Path, route: str, **asked: str) -> tuple[int, Any]:
    return _answered(path, "GET", f"{route}?{urlencode(asked, quote_via=quote)}", None)


def post(path: Path, route: str, body: bytes) -> tuple[int, Any]:
    return _answered(path, "POST", route, body)


def _answered(path: Path, method: str, route: str, body: bytes | None) -> tuple[int, Any]:
    line = Line(path)
    try:
        line.request(method, route, body)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        line.close()


def test_the_page_and_every_other_view_are_given_with_their_cost(scene: Scene, api: Path) -> None:
    status, told = get(api, "/api/context", project_path=str(scene.repo), session_id="s1")
    assert status == 200 and set(told) == {"context", "tokens", "layers", "build_ms"}
    assert "- Current: Thursday, 2026-02-12 10:00" in told["context"] and 0 < told["tokens"] <= 500
    for view, budget in (("startup", 2000), ("project", 200), ("memory", 2000), ("bundle", 8000)):
        status, told = get(api, "/api/context", project_path=str(scene.repo), view=view)
        assert status == 200 and told["tokens"] <= budget, view
    lines = (scene.workspace / ".state/injections.jsonl").read_text().splitlines()
    logged = [json.loads(line) for line in lines]
    assert {"context", "startup", "bundle"} <= {one["view"] for one in logged}
    assert [one["session"] for one in logged if one.get("session")] == ["s1"]


def test_a_search_answers_as_the_command_does(scene: Scene, api: Path) -> None:
    status, told = get(api, "/api/search", q="harmonic constituents", project_path=str(scene.repo), k="3")
    assert status == 200
    assert told["hits"][0]["source"] == "knowledge/harmonics.md" and len(told["hits"]) <= 3


def test_what_is_wrong_is_said_in_one_sentence(scene: Scene, api: Path, tmp_path: Path) -> None:
    here = str(scene.repo)
    for status, asked in (
        (404, get(api, "/api/context", project_path=str(tmp_path))),
        (400, get(api, "/api/context", project_path="relative/path")),
        (400, get(api, "/api/context")),
        (400, get(api, "/api/context", project_path=here, view="nonsense")),
        (400, get(api, "/api/context", project_path=here, view="query")),
        (400, get(api, "/api/context", project_path=here, budget="-5")),
        (400, get(api, "/api/search", project_path=here, q="??")),
        (400, post(api, "/api/turn", b"no json")),
        (400, post(api, "/api/turn", b"[1]")),
        (400, post(api, "/api/turn", b'"' + b"x" * LONGEST + b'"')),
        (404, post(api, "/api/turn", json.dumps({"workspace": str(tmp_path)}).encode())),
        (503, post(api, "/api/turn", json.dumps({"workspace": str(scene.workspace)}).encode())),
    ):
        assert asked[0] == status and list(asked[1]) == ["error"] and "\n" not in asked[1]["error"], asked


def test_only_this_user_can_ask(api: Path) -> None:
    assert stat.S_IMODE(api.stat().st_mode) == 0o600


def test_the_hook_asks_the_socket_and_is_told_once(scene: Scene, api: Path) -> None:
    payload = {"session_id": "s1", "cwd": str(scene.repo), "prompt": ASKED}
    root, ready, _ = places.find(str(scene.repo)) or ("", "", "")

    def ask() -> turn.Answered:
        answer = reading.json_file(ready)
        return turn.text(root, ready, answer, "claude-code", payload, clock.now().timestamp())

    assert turn.socket_path() == str(api)
    said: list[turn.Answered] = []
    wait_for(lambda: bool(said.append(ask()) or said[-1][0]), "an answer")  # type: ignore[func-returns-value]
    text, note = said[-1]
    assert "M2 and S2" in text and note is None, "it was noted by who answered"
    assert ask() == ("", None)


@pytest.mark.parametrize("what", ["nobody listens", "nobody answers", "another answers", "no socket"])
def test_without_a_process_that_answers_it_is_looked_up(scene: Scene, runtime: Path, what: str) -> None:
    (scene.workspace / "knowledge").mkdir(exist_ok=True)
    (scene.workspace / "knowledge" / "harmonics.md").write_text(NOTE)
    command("recall", "harmonic")
    path = runtime / "api.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        if what == "no socket":
            path.write_text("")
        else:
            listening.bind(str(path))
        if what in ("nobody answers", "another answers"):
            listening.listen()
        if what == "another answers":
            listening.close()
            path.unlink()
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
                other.bind(str(path))
        payload = {"session_id": "s1", "cwd": str(scene.repo), "prompt": ASKED}
        root, ready, _ = places.find(str(scene.repo)) or ("", "", "")
        answer = reading.json_file(ready)
        text, note = turn.text(root, ready, answer, "claude-code", payload, clock.now().timestamp())
    assert "M2 and S2" in text and note is not None


def test_a_socket_that_was_left_behind_is_replaced(scene: Scene, runtime: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(runtime / "api.sock"))
    made = Api(runtime / "api.sock", os.environ, clock.now)
    assert made.start()
    assert get(runtime / "api.sock", "/api/context", project_path=str(scene.repo))[0] == 200
    made.close()


def test_where_no_socket_can_be_nothing_is_made(tmp_path: Path) -> None:
    made = Api(tmp_path / ("long" * 30) / "api.sock", os.environ, clock.now)
    assert not made.start()
    made.close()
