"""A model that says what a test wrote down: Anthropic's Messages API on loopback, every request kept."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

SUMMARY = "Summary by the scripted model: the work so far was told in full."
_ASKS_FOR_A_SUMMARY = "create a detailed summary of"
_ASIDE = '{"title": "Scripted session"}'  # titles and the like: asked without tools, on the side


@dataclass(frozen=True, slots=True)
class Say:
    text: str
    tokens: int = 1_000  # how full the model says its window is


@dataclass(frozen=True, slots=True)
class Use:
    tool: str
    arguments: dict[str, Any]
    tokens: int = 1_000


Step = Say | Use


@dataclass(frozen=True, slots=True)
class Request:
    """What the client sent: the model sees `text` and nothing else."""

    kind: str  # turn | summary | aside
    body: dict[str, Any]

    @property
    def text(self) -> str:
        return "\n".join([_text(self.body.get("system")), *self.messages])

    @property
    def messages(self) -> list[str]:
        return [_text(message["content"]) for message in self.body["messages"]]


@dataclass
class ScriptedModel:
    """Answers each turn with the next step, and `Done.` when there is none left."""

    requests: list[Request] = field(default_factory=list)
    summary: str = SUMMARY  # what it says when it is asked for one
    _steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        model = self

        class Handler(_Handler):
            answer = staticmethod(model._answer)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def turns(self) -> list[Request]:
        return [request for request in self.requests if request.kind == "turn"]

    def plays(self, *steps: Step) -> None:
        """What comes next; whatever was left of the steps before is forgotten, and so are the requests."""
        with self._lock:
            self._steps[:] = steps
            self.requests.clear()

    def _answer(self, body: dict[str, Any]) -> dict[str, Any]:
        request = Request(_kind(body), body)
        with self._lock:
            self.requests.append(request)
            if request.kind == "turn":
                step = self._steps.pop(0) if self._steps else Say("Done.")
            else:
                step = Say(f"<summary>{self.summary}</summary>" if request.kind == "summary" else _ASIDE)
            number = next(self._numbers)
        return _message(step, number, str(body.get("model", "")))


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(map(_text, content))
    if isinstance(content, dict):
        return _text(content.get("text") or content.get("content"))
    return content if isinstance(content, str) else ""


def _kind(body: dict[str, Any]) -> str:
    if _ASKS_FOR_A_SUMMARY in _text(body["messages"][-1]["content"]):
        return "summary"
    return "turn" if body.get("tools") else "aside"


def _message(step: Step, number: int, model: str) -> dict[str, Any]:
    block: dict[str, Any]
    if isinstance(step, Say):
        block, reason = {"type": "text", "text": step.text}, "end_turn"
    else:
        block = {"type": "tool_use", "id": f"toolu_{number:024}", "name": step.tool, "input": step.arguments}
        reason = "tool_use"
    return {
        "id": f"msg_{number:024}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": step.tokens,
            "output_tokens": 40,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
        },
    }


def _events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same message as the stream of events a client reads."""
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        empty: dict[str, Any]
        if block["type"] == "text":
            empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {"input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        yield {"type": "content_block_start", "index": index, "content_block": {**block, **empty}}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": message["usage"]}
    yield {"type": "message_stop"}


class _Handler(BaseHTTPRequestHandler):
    @staticmethod
    def answer(body: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = urlsplit(self.path).path
        if path.endswith("/count_tokens"):
            self._send("application/json", json.dumps({"input_tokens": max(1, len(raw) // 4)}))
        elif path.endswith("/messages"):
            body = json.loads(raw)
            message = self.answer(body)
            if body.get("stream"):
                lines = (
                    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(message)
                )
                self._send("text/event-stream; charset=utf-8", "".join(lines))
            else:
                self._send("application/json", json.dumps(message))
        else:
            self._send("application/json", "{}", 404)

    def do_HEAD(self) -> None:
        self._send("application/json", "")

    def do_GET(self) -> None:
        self._send("application/json", '{"data": [], "has_more": false}')

    def _send(self, kind: str, text: str, status: int = 200) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        """A test's output is not the place for an access log."""
