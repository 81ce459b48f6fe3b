"""What a prompt is answered with: asked of the background process, or looked up here if there is none."""

from __future__ import annotations

import os
import time

from nanoctx.hook import reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Answered = tuple[str, Callable[[], None] | None]

SHORTEST = 12  # characters of a prompt that can be about anything
LONGEST = 4000
MOST = 65536  # bytes of an answer
SOCKET_SECONDS = 0.1  # the rest of the time is left for looking it up here


def text(
    root: str, file: str, ready: Mapping[str, Any], client: str, payload: Mapping[str, Any], now: float
) -> Answered:
    """What memory has on the prompt of a payload, mostly nothing; and what notes that it was told."""
    prompt, session = payload.get("prompt"), payload.get("session_id")
    if not isinstance(prompt, str) or len(prompt.strip()) < SHORTEST or not isinstance(session, str):
        return "", None
    if not ready["turn_cap"]:
        return "", None
    asked = {
        "workspace": root,
        "ready": os.path.basename(file),
        "prompt": prompt[:LONGEST],
        "agent": client,
        "session": session,
    }
    said = _from_process(asked)
    return _looked_up(asked, ready, now) if said is None else (said, None)


def _from_process(asked: Mapping[str, str]) -> str | None:
    """The answer of the background process; None if there is none, or none in time."""
    path = socket_path()
    if not os.path.exists(path):
        return None
    import _socket

    body = ",".join(f"{reading.quoted(key)}:{reading.quoted(word)}" for key, word in asked.items())
    body = f"{{{body}}}"
    request = (
        "POST /api/turn HTTP/1.1\r\nHost: nanoctx\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    until = time.monotonic() + SOCKET_SECONDS
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.settimeout(SOCKET_SECONDS)
        line.connect(path)
        line.send(request.encode())
        got = b""
        while len(got) < MOST and (left := until - time.monotonic()) > 0:
            line.settimeout(left)
            if not (block := line.recv(MOST)):
                return _body(got)
            got += block
    except OSError:
        pass
    finally:
        line.close()
    return None


def _body(got: bytes) -> str | None:
    head, _, body = got.partition(b"\r\n\r\n")
    if b" 200 " not in head.partition(b"\r\n")[0]:
        return None
    said = reading.parsed(body.decode("utf-8", "replace"))
    return said["text"] if isinstance(said, dict) and isinstance(said.get("text"), str) else None


def socket_path() -> str:
    base = os.environ.get("XDG_RUNTIME_DIR", "")
    if not base.startswith("/") or not os.path.isdir(base):
        state = os.environ.get("XDG_STATE_HOME", "")
        base = state if state.startswith("/") else os.path.join(os.environ.get("HOME", "/"), ".local/state")
    return os.path.join(base, "nanoctx/api.sock")


def _looked_up(asked: Mapping[str, str], ready: Mapping[str, Any], now: float) -> Answered:
    state = os.path.join(asked["workspace"], ".state")
    if not os.path.exists(os.path.join(state, "recall/index.sqlite")):
        return "", None  # and nothing of what reads it need be loaded
    from datetime import UTC, datetime
    from pathlib import Path

    from nanoctx import reminding

    told = reminding.remind(
        Path(state),
        asked["prompt"],
        agent=asked["agent"],
        session=asked["session"],
        ready=ready,
        now=datetime.fromtimestamp(now, UTC),
    )
    return told.text, told.note
