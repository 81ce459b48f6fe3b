"""One budget mechanism: prefix by prefix, never over, nothing vital lost, everything left out counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from nanoctx.core.layers import Fit, Layer, fit
from nanoctx.core.tokens import ELLIPSIS, count

lines = st.text(st.sampled_from("ab XY_1.,:`-—é漢📌"), max_size=30) | st.text(max_size=12)


def layer_lists(most_vital: int) -> st.SearchStrategy[list[Layer]]:
    layer = st.builds(
        Layer,
        name=st.just(""),
        items=st.lists(lines, max_size=5),
        cap=st.none() | st.integers(0, 40),
        most=st.none() | st.integers(0, 4),
        vital=st.integers(0, most_vital),
        frame=st.sampled_from(["", "## Recent", "\n## External"]),
        turn=st.integers(0, 2),
    )
    return st.lists(layer, max_size=4).map(
        lambda layers: [replace(layer, name=f"layer {place}") for place, layer in enumerate(layers)]
    )


costs = st.sampled_from([count, len, lambda text: -(-len(text) // 4)])


def begins(smaller: Fit, larger: Fit, name: str) -> bool:
    short, long = smaller.kept.get(name, ()), larger.kept.get(name, ())
    return short == long[: len(short)]


@given(layer_lists(most_vital=0), st.integers(0, 80), st.integers(0, 80), costs)
def test_a_smaller_budget_shows_a_beginning_of_each_layer(
    layers: list[Layer], budget: int, more: int, cost: Callable[[str], int]
) -> None:
    smaller, larger = fit(layers, budget, cost), fit(layers, budget + more, cost)
    assert all(begins(smaller, larger, layer.name) for layer in layers)
    assert not smaller.cut


@given(layer_lists(most_vital=3), st.integers(0, 80), st.integers(0, 80), costs)
def test_that_holds_with_vital_items_too_but_for_the_one_that_was_cut(
    layers: list[Layer], budget: int, more: int, cost: Callable[[str], int]
) -> None:
    smaller, larger = fit(layers, budget, cost), fit(layers, budget + more, cost)
    assert smaller.cut or not larger.cut
    shorter = [layer.name for layer in layers if not begins(smaller, larger, layer.name)]
    assert len(shorter) <= smaller.cut
    for name in shorter:
        *whole, cut = smaller.kept[name]
        assert tuple(whole) == larger.kept[name][: len(whole)]
        assert cut.endswith(ELLIPSIS)


@given(layer_lists(most_vital=3), st.integers(-3, 80), costs)
@example([Layer("now", ["", ""], vital=2)], 1, len)
def test_the_text_never_exceeds_the_budget_and_everything_is_shown_or_counted(
    layers: list[Layer], budget: int, cost: Callable[[str], int]
) -> None:
    found = fit(layers, budget, cost)
    assert found.used == cost(found.text) <= max(0, budget)
    for layer in layers:
        assert len(found.kept.get(layer.name, ())) + found.left_out[layer.name] == len(layer.items)
        assert all(item in found.text for item in found.kept.get(layer.name, ()))


@given(layer_lists(most_vital=3), st.integers(0, 80), costs)
def test_vital_items_are_all_shown_or_the_view_says_it_was_cut_and_shows_nothing_else(
    layers: list[Layer], budget: int, cost: Callable[[str], int]
) -> None:
    found = fit(layers, budget, cost)
    for layer in layers:
        shown, vital = found.kept.get(layer.name, ()), tuple(layer.items[: layer.vital])
        assert len(shown) <= len(vital) if found.cut else shown[: len(vital)] == vital


@given(layer_lists(most_vital=0), st.integers(0, 200))
def test_no_layer_takes_more_than_its_cap_or_its_number(layers: list[Layer], budget: int) -> None:
    for layer, shown in ((layer, fit(layers, budget, len).kept.get(layer.name, ())) for layer in layers):
        assert layer.most is None or len(shown) <= layer.most
        alone = "".join(f"{line}\n" for line in ([layer.frame] if layer.frame else []) + list(shown))
        assert layer.cap is None or not shown or len(alone) <= layer.cap


def test_a_layer_whose_turn_comes_first_is_filled_first_wherever_it_stands() -> None:
    layers = [Layer("known", ["aaaa", "bbbb"], turn=2), Layer("said", ["cccc", "dddd"])]
    found = fit(layers, 15, len)
    assert found.kept == {"known": ("aaaa",), "said": ("cccc", "dddd")}
    assert found.text == "aaaa\ncccc\ndddd\n"


def test_a_layer_that_reached_its_cap_leaves_room_to_the_next() -> None:
    layers = [Layer("time", ["aaaa", "bbbb"], cap=6), Layer("recent", ["cccc"])]
    found = fit(layers, 100, len)
    assert found.kept == {"time": ("aaaa",), "recent": ("cccc",)}
    assert found.left_out == {"time": 1, "recent": 0}


def test_an_item_too_long_for_the_budget_ends_the_view_so_that_more_budget_never_hides_a_line() -> None:
    layers = [Layer("time", ["a", "b" * 50]), Layer("recent", ["c"])]
    assert fit(layers, 20, len).kept == {"time": ("a",)}
    assert fit(layers, 60, len).kept == {"time": ("a", "b" * 50), "recent": ("c",)}


def test_vital_items_of_all_layers_come_before_the_rest_of_any() -> None:
    layers = [Layer("now", ["a", "b" * 9], vital=1), Layer("external", ["c"], vital=1)]
    assert fit(layers, 10, len).kept == {"now": ("a",), "external": ("c",)}


def test_a_vital_item_is_shown_whatever_the_cap_of_its_layer() -> None:
    assert fit([Layer("now", ["aaaa", "b"], cap=2, most=0, vital=1)], 100, len).kept == {"now": ("aaaa",)}


def test_vital_text_over_the_budget_stands_alone_cut_between_words() -> None:
    now = Layer("now", ["- Focus: make the importer resume"], vital=1, frame="## Now")
    found = fit([now, Layer("time", ["x"])], 26, len)
    assert found.text == "## Now\n- Focus: make the…\n"
    assert found.cut
    assert found.left_out == {"now": 0, "time": 1}


def test_a_frame_stands_only_above_a_layer_that_shows_something_and_counts() -> None:
    layers = [Layer("recent", [], frame="## Recent"), Layer("external", ["x"], frame="## External")]
    assert fit(layers, 100, len).text == "## External\nx\n"
    assert fit(layers, 13, len).text == ""


def test_no_layers_and_no_budget_give_an_empty_text() -> None:
    assert fit([], 500) == Fit(kept={}, text="", used=0, left_out={}, cut=False)
    assert fit([Layer("now", ["a"])], 0).text == ""
