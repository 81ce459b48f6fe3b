"""Sections into a budget through the one mechanism, whatever the form makes of an entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from nanoctx.core import layers, tokens
from nanoctx.core.layers import Layer
from nanoctx.views.shape import Entry, Section, Shaped

Write = Callable[[Entry], str]


def fitted(
    sections: Sequence[Section],
    budget: int,
    *,
    write: Write,
    head: Callable[[Section], str],
    foot: Callable[[Section], str],
    wrap: Callable[[str], str],
    shorten: Callable[[Entry, Callable[[Entry], bool]], Entry | None],
) -> Shaped:
    """
    Choose each section's form, admit entries by the budget, and say what was left out.

    `wrap` puts the whole around the text of all sections. If not even what is vital fits, its entries are
    made shorter by `shorten` until they do; one that cannot be short enough is left out, and the rest too.
    """
    chosen = [_form(one, write, head, foot) for one in sections]
    made = [_layer(one, write, head, foot) for one in chosen]

    def cost(text: str) -> int:
        return tokens.count(wrap(text))

    if cost("") > budget:
        return Shaped("", 0, {}, {one.name: len(one.forms[0]) for one in chosen}, cut=True)
    fit = layers.fit(made, budget, cost, tokens.count)
    if not fit.cut:
        kept = {one.name: tuple(one.forms[0][: len(fit.kept.get(one.name, ()))]) for one in chosen}
        kept = {name: entries for name, entries in kept.items() if entries}
        text = wrap(fit.text)
        return Shaped(text, tokens.count(text), kept, fit.left_out, cut=False)
    # Of what may never be left out the words count, not what is known of them.
    vital = [
        replace(one, forms=(tuple(replace(entry, about={}) for entry in one.forms[0] if entry.vital),))
        for one in chosen
    ]
    short = _shortened(vital, lambda some: cost(_text(some, write, head, foot)) <= budget, shorten)
    text = wrap(_text(short, write, head, foot))
    kept = {one.name: tuple(one.forms[0]) for one in short if one.forms[0]}
    left = {one.name: len(one.forms[0]) - len(kept.get(one.name, ())) for one in chosen}
    return Shaped(text, tokens.count(text), kept, left, cut=True)


def _form(
    one: Section, write: Write, head: Callable[[Section], str], foot: Callable[[Section], str]
) -> Section:
    """The section with the first of its forms that is within its cap, else with the last."""
    for form in one.forms:
        tried = replace(one, forms=(form,))
        if one.cap is None or tokens.count(_text([tried], write, head, foot)) <= one.cap:
            return tried
    return replace(one, forms=(one.forms[-1],))


def _layer(
    one: Section, write: Write, head: Callable[[Section], str], foot: Callable[[Section], str]
) -> Layer:
    entries = one.forms[0]
    return Layer(
        one.name,
        [write(entry) for entry in entries],
        cap=one.cap,
        most=one.most,
        vital=sum(entry.vital for entry in entries),
        frame=head(one),
        foot=foot(one),
        turn=one.turn,
    )


def _text(
    some: Sequence[Section], write: Write, head: Callable[[Section], str], foot: Callable[[Section], str]
) -> str:
    lines: list[str] = []
    for one in some:
        if one.forms[0]:
            parts = [head(one), *(write(entry) for entry in one.forms[0]), foot(one)]
            lines += [part for part in parts if part]
    return "".join(f"{line}\n" for line in lines)


def _shortened(
    vital: Sequence[Section],
    fits: Callable[[Sequence[Section]], bool],
    shorten: Callable[[Entry, Callable[[Entry], bool]], Entry | None],
) -> list[Section]:
    """As many entries as fit in their order, the first that does not made shorter."""
    taken = [replace(one, forms=((),)) for one in vital]

    def fits_with(place: int, last: Entry) -> bool:
        return fits(_with(taken, place, last))

    for place, one in enumerate(vital):
        for entry in one.forms[0]:
            if fits_with(place, entry):
                taken = _with(taken, place, entry)
                continue
            short = shorten(entry, partial(fits_with, place))
            return taken if short is None else _with(taken, place, short)
    return taken


def _with(taken: Sequence[Section], place: int, entry: Entry) -> list[Section]:
    one = taken[place]
    return [*taken[:place], replace(one, forms=((*one.forms[0], entry),)), *taken[place + 1 :]]
