"""
One way to fit lines into a budget, used by every view.

A view is layers. Their items stand in one fixed order of admission: first what may never be dropped, layer by
layer, then the rest, each layer until its own cap. The budget only decides how far along that order we get:
so a smaller view shows a beginning of each layer of a larger one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from nanoctx.core import tokens

Cost = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Layer:
    """A part of a view: its items, the most useful first, and how much room it may take."""

    name: str
    items: Sequence[str]  # lines or blocks, without the line end
    cap: int | None = None  # what the layer may cost by itself, its frame included
    most: int | None = None  # how many items it may show
    vital: int = 0  # this many first items may never be dropped, whatever `cap` and `most` say
    frame: str = ""  # what stands above the items, once there is one
    foot: str = ""  # and below them
    turn: int = 0  # layers with a lower one are filled first, wherever they stand


@dataclass(frozen=True, slots=True)
class Fit:
    """What a budget has room for. `kept` names only layers that show something."""

    kept: Mapping[str, tuple[str, ...]]
    text: str  # frames and items in the order of the layers, each with a line end
    used: int
    left_out: Mapping[str, int]
    cut: bool  # not even what may never be dropped fits: it stands alone, shortened with `…`


def fit(
    layers: Sequence[Layer], budget: int, cost: Cost = tokens.count, alone: Cost | None = None
) -> Fit:
    """
    Admit items until one does not fit; `cost` is asked about whole texts, never less for more.

    What a layer takes by itself, for its cap, is told by `alone`, where `cost` knows of more than the layers.
    """
    order = _admission(layers, alone or cost)
    vital = sum(_vital(layer) for layer in layers)
    room = _longest(len(order), lambda number: cost(_text(layers, _take(layers, order[:number]))) <= budget)
    if room < vital:
        return _cut(layers, order[: room + 1], budget, cost)
    return _fit(layers, _take(layers, order[:room]), cost, cut=False)


def _admission(layers: Sequence[Layer], cost: Cost) -> list[int]:
    """Which layer gives its next item, step by step; the same whatever the budget."""
    first = [place for place, layer in enumerate(layers) for _ in range(_vital(layer))]
    by_turn = sorted(enumerate(layers), key=lambda one: one[1].turn)
    rest = [place for place, layer in by_turn for _ in range(_allowed(layer, cost) - _vital(layer))]
    return first + rest


def _vital(layer: Layer) -> int:
    return min(layer.vital, len(layer.items))


def _allowed(layer: Layer, cost: Cost) -> int:
    """How many items the cap and the number of the layer allow, with all the room in the world."""
    number = len(layer.items) if layer.most is None else min(layer.most, len(layer.items))
    if (cap := layer.cap) is not None:
        number = _longest(number, lambda n: cost(_text([layer], [tuple(layer.items[:n])])) <= cap)
    return number


def _longest(number: int, fits: Callable[[int], bool]) -> int:
    """The largest n up to `number` that fits (0 always does); bisected, as each asking walks over a text."""
    low, high = 0, number
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _take(layers: Sequence[Layer], order: Sequence[int]) -> list[tuple[str, ...]]:
    shown = Counter(order)
    return [tuple(layer.items[: shown[place]]) for place, layer in enumerate(layers)]


def _text(layers: Sequence[Layer], taken: Sequence[tuple[str, ...]]) -> str:
    lines: list[str] = []
    for layer, items in zip(layers, taken, strict=True):
        if items and layer.frame:
            lines.append(layer.frame)
        lines.extend(items)
        if items and layer.foot:
            lines.append(layer.foot)
    return "".join(f"{line}\n" for line in lines)


def _cut(layers: Sequence[Layer], order: Sequence[int], budget: int, cost: Cost) -> Fit:
    """What `order` admits, its last item shortened so that all fits, or left out if nothing of it does."""
    taken = _take(layers, order)
    last = order[-1]
    *before, item = taken[last]

    def ending(words: str) -> list[tuple[str, ...]]:
        changed = (*before, words) if words else tuple(before)
        return [*taken[:last], changed, *taken[last + 1 :]]

    shortened = tokens.clip(item, budget, lambda words: cost(_text(layers, ending(words))))
    return _fit(layers, ending(shortened), cost, cut=True)


def _fit(layers: Sequence[Layer], taken: Sequence[tuple[str, ...]], cost: Cost, cut: bool) -> Fit:
    text = _text(layers, taken)
    shown = {layer.name: items for layer, items in zip(layers, taken, strict=True)}
    return Fit(
        kept={name: items for name, items in shown.items() if items},
        text=text,
        used=cost(text),
        left_out={layer.name: len(layer.items) - len(shown[layer.name]) for layer in layers},
        cut=cut,
    )
