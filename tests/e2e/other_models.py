"""A model that says one text to everybody, in the forms of OpenAI and Gemini; every request is kept."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

_COUNTS = {"input_tokens": 1000, "output_tokens": 20, "total_tokens": 1020}
_CHAT_COUNTS = {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
_GEMINI_COUNTS = {"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020}


@dataclass
class TalkingModel:
    """Answers whatever it is asked with `says`."""

    says: str = "Done."
    requests: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        numbers = itertools.count(1)
        model = self

        class Handler(_Handler):
            def said(self, body: dict[str, Any]) -> tuple[str, int]:
                model.requests.append(body)
                return model.says, next(numbers)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    def __enter__(self) -> TalkingModel:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def given(self, prompt: str) -> list[str]:
        """What the model saw in the requests that a prompt of the person led to."""
        texts = ["\n".join(_strings(body)) for body in self.requests]
        return [text for text in texts if prompt in text]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)


def _responses(text: str, number: int, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed"}
    whole = {"id": f"resp_{number}", "object": "response", "model": body.get("model", ""), "error": None}
    yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}}
    place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
    yield {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}}
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    yield {"type": "response.output_text.delta", **place, "delta": text}
    yield {"type": "response.output_text.done", **place, "text": text}
    done = {**item, "content": [part]}
    yield {"type": "response.content_part.done", **place, "part": part}
    yield {"type": "response.output_item.done", "output_index": 0, "item": done}
    ended = {**whole, "status": "completed", "output": [done], "usage": _COUNTS}
    yield {"type": "response.completed", "response": ended}


def _chat(text: str, number: int, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    base = {"id": f"chatcmpl-{number}", "created": 0, "model": body.get("model", "")}
    base["object"] = "chat.completion.chunk"
    said = {"role": "assistant", "content": text}
    yield {**base, "choices": [{"index": 0, "delta": said, "finish_reason": None}]}
    yield {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {**base, "choices": [], "usage": _CHAT_COUNTS}


def _whole_chat(text: str, number: int, body: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    about = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 0}
    return {**about, "model": body.get("model", ""), "choices": choices, "usage": _CHAT_COUNTS}


def _gemini(text: str) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]}
    candidate = {"content": content, "index": 0, "finishReason": "STOP"}
    return {"candidates": [candidate], "usageMetadata": _GEMINI_COUNTS}


class _Handler(BaseHTTPRequestHandler):
    def said(self, body: dict[str, Any]) -> tuple[str, int]:
        raise NotImplementedError

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = urlsplit(self.path).path
        if path.endswith(":countTokens"):
            self._send(json.dumps({"totalTokens": 1000}))
            return
        text, number = self.said(body)
        if path.endswith("/responses"):
            self._stream(_responses(text, number, body), named=True)
        elif path.endswith("/chat/completions") and body.get("stream"):
            self._stream(_chat(text, number, body), end="data: [DONE]\n\n")
        elif path.endswith("/chat/completions"):
            self._send(json.dumps(_whole_chat(text, number, body)))
        elif path.endswith(":streamGenerateContent"):
            self._stream(iter([_gemini(text)]))
        elif path.endswith(":generateContent"):
            self._send(json.dumps(_gemini(text)))
        else:
            self._send("{}", status=404)

    def do_GET(self) -> None:
        self._send('{"object": "list", "data": []}')

    def _stream(self, events: Iterator[dict[str, Any]], *, named: bool = False, end: str = "") -> None:
        told = ((f"event: {event['type']}\n" if named else "", json.dumps(event)) for event in events)
        lines = "".join(f"{name}data: {data}\n\n" for name, data in told)
        self._send(lines + end, kind="text/event-stream")

    def _send(self, text: str, *, kind: str = "application/json", status: int = 200) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        """A test's output is not the place for an access log."""
