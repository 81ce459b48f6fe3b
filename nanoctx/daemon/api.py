"""
What programs of this user may ask over a socket: a view, a search, what bears on a prompt.

HTTP over a socket in the file system that only this user can open (0600). It reads; nothing that is asked
changes a page. Each answer is made for the folder the caller names, never for "the latest" one.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nanoctx import clock, reminding, views
from nanoctx.disk import files, registry, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.errors import NanoctxError, UsageError, WorkspaceError
from nanoctx.recall import search
from nanoctx.recall.search import Filters
from nanoctx.views.desk import Desk

LONGEST = 64 * 1024  # bytes of what is asked
LONGEST_PATH = 100  # bytes of a path that a socket may have
AT_ONCE = 32
PATIENCE = 0.5  # seconds for what is being answered when the process ends
MOST_HITS = 50


class Api:
    """The application on its socket, in a thread of its own."""

    def __init__(self, path: Path, env: Mapping[str, str], now: Callable[[], datetime]) -> None:
        self._path = path
        self._server = uvicorn.Server(
            uvicorn.Config(
                application(env, now), log_config=None, access_log=False, lifespan="off", loop="asyncio",
                http="h11", ws="none", limit_concurrency=AT_ONCE, timeout_keep_alive=5,
                timeout_graceful_shutdown=1,
            )
        )  # fmt: skip
        self._thread = threading.Thread(target=self._serve, name="api", daemon=True)

    def start(self) -> bool:
        """Listen; False where no socket can be, and nothing but the quicker answers is missed."""
        if len(os.fsencode(self._path)) > LONGEST_PATH:
            return False
        files.remove(self._path)  # of one that was killed: there is one process at a time
        mask = os.umask(0o177)
        try:
            self._listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._listening.bind(str(self._path))
            self._listening.listen(AT_ONCE)
        except OSError:
            return False
        finally:
            os.umask(mask)
        self._thread.start()
        return True

    def close(self) -> None:
        if self._thread.is_alive():
            self._server.should_exit = True
            self._thread.join(PATIENCE)
            files.remove(self._path)

    def _serve(self) -> None:
        self._server.run(sockets=[self._listening])


def application(env: Mapping[str, str], now: Callable[[], datetime]) -> Starlette:
    def route(path: str, method: str, answer: Callable[[Mapping[str, str]], dict[str, Any]]) -> Route:
        async def endpoint(request: Request) -> Response:
            return await _answered(request, answer)

        return Route(path, endpoint, methods=[method])

    return Starlette(
        routes=[
            route("/api/context", "GET", lambda asked: _context(asked, env, now())),
            route("/api/search", "GET", lambda asked: _search(asked, env, now())),
            route("/api/turn", "POST", lambda asked: _turn(asked, env, now())),
        ]
    )


async def _answered(request: Request, answer: Callable[[Mapping[str, str]], dict[str, Any]]) -> Response:
    from starlette.concurrency import run_in_threadpool

    try:
        asked = await _asked(request)
        return JSONResponse(await run_in_threadpool(answer, asked))
    except WorkspaceError as error:
        return JSONResponse({"error": str(error)}, 404)
    except UsageError as error:
        return JSONResponse({"error": str(error)}, 400)
    except (NanoctxError, ValueError, KeyError) as error:
        return JSONResponse({"error": str(error)}, 503)


async def _asked(request: Request) -> Mapping[str, str]:
    """The words of the address, or those of a JSON body."""
    if request.method == "GET":
        return dict(request.query_params)
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST:
            raise UsageError(f"what was asked is longer than {LONGEST // 1024} kB")
    try:
        found = json.loads(body)
    except ValueError as error:
        raise UsageError("the body is not JSON") from error
    if not isinstance(found, dict):
        raise UsageError("the body is not a JSON object")
    return {str(key): word for key, word in found.items() if isinstance(word, str)}


def _context(asked: Mapping[str, str], env: Mapping[str, str], now: datetime) -> dict[str, Any]:
    ws, folder = _workspace(asked, env)
    view = asked.get("view") or "context"
    if view not in views.VIEWS:
        raise UsageError(f"there is no view `{view[:40]}`: choose one of {', '.join(views.VIEWS)}")
    if view == "query" and not asked.get("query", "").strip():
        raise UsageError("nothing was asked: give query= with a few words")
    desk = Desk(ws, now=now, zone=_zone(ws), cwd=folder, query=asked.get("query", ""))
    budget = _number(asked, "budget", 0) or None
    built = views.build(view, desk, budget=budget, session=asked.get("session_id", ""))
    return {
        "context": built.text,
        "tokens": built.tokens,
        "layers": dict(built.layers),
        "build_ms": built.milliseconds,
    }


def _search(asked: Mapping[str, str], env: Mapping[str, str], now: datetime) -> dict[str, Any]:
    ws, _ = _workspace(asked, env)
    k = min(_number(asked, "k", 10), MOST_HITS)
    found = search.search(ws, asked.get("q", ""), now=now, k=k, filters=Filters())
    return {
        "hits": [search.told(hit, now) for hit in found.hits],
        "searched": found.searched,
        "remarks": list(found.remarks),
    }


def _turn(asked: Mapping[str, str], env: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """For our own hook, which found the workspace and its ready answer by itself."""
    root, ready = Path(asked.get("workspace", "")), asked.get("ready", "")
    if all(entry.path != root for entry in registry.load(env)):
        raise WorkspaceError(f"{root} is not a workspace of yours")
    state = root / ".state"
    answer = json.loads(files.read(state / "answers" / Path(ready).name).text)
    said = reminding.remind(
        state,
        asked.get("prompt", ""),
        agent=asked.get("agent", ""),
        session=asked.get("session", ""),
        ready=answer,
        now=now,
    )
    said.note()
    return {"text": said.text}


def _workspace(asked: Mapping[str, str], env: Mapping[str, str]) -> tuple[Workspace, Path]:
    given = asked.get("project_path", "")
    if not given.startswith("/"):
        raise UsageError("project_path= must be the full path of a folder")
    folder = Path(given)
    plain = {name: value for name, value in env.items() if name != "NANOCTX_WORKSPACE"}
    found = workspace.resolve(None, folder, plain)
    if not found.trusted:
        raise WorkspaceError(f"{found.root} was not made by you: run `nanoctx init` there to make it yours")
    return found, folder


def _zone(ws: Workspace) -> Any:
    return ZoneInfo(ws.settings.time_zone) if ws.settings.time_zone else clock.zone()


def _number(asked: Mapping[str, str], name: str, default: int) -> int:
    word = asked.get(name, "")
    if not word:
        return default
    if not word.isdecimal() or not 0 < int(word) <= 100_000:
        raise UsageError(f"{name}= must be a whole number above 0")
    return int(word)
