"""Hooks in the form that Claude Code introduced: events, groups, commands, in JSON with comments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from nanoctx.clients.base import Cargo, Client, NotUnderstood, command, is_ours, says_something
from nanoctx.core import json_text

Events = Mapping[str, tuple[str, int]]
_NEW = "{\n}\n"  # open, so that what is added stands on lines of its own


class _Place(NamedTuple):
    """One hook in the settings: which group of which event it is in, and where in that."""

    event: str
    group: int
    hook: int
    command: str


class JsonHooks(Client):
    """Settings in which hooks are set."""

    # By the client's name for an event: ours, and after how long the client gives up, in its own unit.
    events: ClassVar[Events]

    def ours(self, text: str) -> tuple[str, ...]:
        return tuple(place.command for place in self._ours(self._root(text)))

    def complete(self, text: str, cargo: Cargo) -> bool:
        found = sorted((place.event, place.command) for place in self._ours(self._root(text)))
        return found == sorted((event, self._command(cargo, event)) for event in self.events)

    def connected(self, text: str, cargo: Cargo) -> str:
        for event, (_, timeout) in self.events.items():
            hook = {"type": "command", "command": self._command(cargo, event), "timeout": timeout}
            text = self._added(text, event, {"hooks": [hook]})
        return text

    def disconnected(self, text: str) -> str:
        while place := next(self._ours(self._root(text)), None):
            text = self._without(text, place)
        return text

    def _command(self, cargo: Cargo, event: str) -> str:
        return command(cargo.script, self.events[event][0], self.name)

    def _root(self, text: str) -> json_text.Node:
        root = json_object(text)
        hooks = root.member("hooks")
        if hooks and not isinstance(hooks.value, dict):
            raise NotUnderstood('not as expected ("hooks" is no object)')
        for item in hooks.items if hooks else ():
            if item.key in self.events and not isinstance(item.node.value, list):
                raise NotUnderstood(f'not as expected ("{item.key}" in "hooks" is no list)')
        return root

    def _ours(self, root: json_text.Node) -> Iterator[_Place]:
        hooks: dict[str, Any] = root.value.get("hooks", {})
        for event, groups in hooks.items():
            for group, entry in enumerate(groups if isinstance(groups, list) else []):
                entries = entry.get("hooks") if isinstance(entry, dict) else None
                for hook, one in enumerate(entries if isinstance(entries, list) else []):
                    called = one.get("command") if isinstance(one, dict) else None
                    if isinstance(called, str) and is_ours(called):
                        yield _Place(event, group, hook, called)

    def _added(self, text: str, event: str, group: dict[str, Any]) -> str:
        text = text.replace("{}", "{\n}") if text.strip() == "{}" else text
        text = text if says_something(text) else text + _NEW
        root = self._root(text)
        hooks = root.member("hooks")
        if hooks is None:
            return json_text.add(text, root, {event: [group]}, "hooks")
        groups = hooks.member(event)
        if groups is None:
            return json_text.add(text, hooks, [group], event)
        return json_text.add(text, groups, group)

    def _without(self, text: str, place: _Place) -> str:
        """Take one hook out, with the list, the event and the object that it leaves empty."""
        root = self._root(text)
        hooks = _named(root, "hooks")
        groups = _named(hooks, place.event)
        entries = _named(groups.items[place.group].node, "hooks")
        if len(entries.items) > 1:
            return json_text.remove(text, entries, place.hook)
        if len(groups.items) > 1:
            return json_text.remove(text, groups, place.group)
        if len(hooks.items) > 1:
            return json_text.remove(text, hooks, _index(hooks, place.event))
        return json_text.remove(text, root, _index(root, "hooks"))


def json_object(text: str) -> json_text.Node:
    """The object that settings are; an empty one where they say nothing."""
    try:
        root = json_text.parse(text if says_something(text) else _NEW)
    except json_text.NotJson as error:
        raise NotUnderstood(f"not valid JSON at {error}") from None
    if not isinstance(root.value, dict):
        raise NotUnderstood("not a JSON object")
    return root


def _named(node: json_text.Node, key: str) -> json_text.Node:
    found = node.member(key)
    assert found is not None
    return found


def _index(node: json_text.Node, key: str) -> int:
    return max(index for index, item in enumerate(node.items) if item.key == key)
