"""
What an agent may be given, each within a budget: `build(name, desk)`.

A view is a module with FORMS (the first is its own), `root` and `sections`. What a section is made of is read
only when it is made, so one that fails is left out, and said, while the others appear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from nanoctx import clock
from nanoctx.disk import injections
from nanoctx.errors import NanoctxError, UsageError
from nanoctx.views.shape import Root, Section, Shaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nanoctx.views.desk import Desk

VIEWS = ("context", "prompt", "project", "combined", "startup", "memory", "query", "bundle")
FORMS = ("md", "xml", "json")


class View(Protocol):
    FORMS: Sequence[str]

    def root(self, desk: Desk) -> Root:
        """What stands around the sections."""

    def sections(self, desk: Desk) -> Sequence[Callable[[], Section]]:
        """The sections, the most important first."""


@dataclass(frozen=True, slots=True)
class Built:
    """A view, and how it came about."""

    view: str
    form: str
    text: str
    tokens: int
    budget: int
    layers: Mapping[str, int]  # what each shows
    left_out: Mapping[str, int]
    cut: bool
    failed: Mapping[str, str]
    milliseconds: int


def build(
    name: str, desk: Desk, *, budget: int | None = None, form: str = "", session: str = ""
) -> Built:
    """A view for whoever stands at the desk. A text never takes more than its budget."""
    begun = clock.elapsed()
    view = cast(View, import_module(f"nanoctx.views.{name}"))
    form = form or view.FORMS[0]
    limit = getattr(desk.settings, "page_budget" if name == "context" else f"views_{name}_budget")
    desk.budget = limit if budget is None else budget
    desk.brief = getattr(view, "BRIEF", False)
    failed: dict[str, str] = {}
    sections = list(_made(view, desk, failed))
    if any(one.forms[0] for one in sections) or name in ("project", "combined"):
        shaped = _render(form, view.root(desk), sections, desk.budget)
    else:
        shaped = Shaped("", 0, {}, {}, cut=False)  # nothing to say is said with nothing
    built = Built(
        name,
        form,
        shaped.text,
        shaped.used,
        desk.budget,
        {layer: len(entries) for layer, entries in shaped.kept.items()},
        {layer: number for layer, number in shaped.left_out.items() if number},
        shaped.cut,
        failed,
        round((clock.elapsed() - begun) * 1000),
    )
    if built.text:
        whose = {"session": session[:100]} if session else {}
        injections.note(
            desk.ws.state, {"at": f"{desk.now:%Y-%m-%dT%H:%M:%SZ}", **_logged(built), **whose}
        )
    return built


def _logged(built: Built) -> dict[str, object]:
    """What is kept of a view: not its text."""
    return {
        "view": built.view,
        "form": built.form,
        "tokens": built.tokens,
        "budget": built.budget,
        "layers": dict(built.layers),
        "left_out": dict(built.left_out),
        "failed": dict(built.failed),
        "ms": built.milliseconds,
    }


def _made(view: View, desk: Desk, failed: dict[str, str]) -> list[Section]:
    sections = []
    for number, make in enumerate(view.sections(desk), 1):
        try:
            sections.append(make())
        except UsageError:
            raise
        except Exception as error:
            name = "" if isinstance(error, NanoctxError) else f"{type(error).__name__}: "
            failed[f"layer {number}"] = f"{name}{' '.join(str(error).split())[:200]}"
    return sections


def _render(form: str, root: Root, sections: Sequence[Section], budget: int) -> Shaped:
    module = import_module("nanoctx.views." + {"md": "as_markdown", "xml": "as_xml", "json": "as_json"}[form])
    return cast(Shaped, module.render(root, sections, budget))
