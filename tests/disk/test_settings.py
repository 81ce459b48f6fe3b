"""Settings: defaults, the person's values, and one sentence when they make no sense."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.disk import packaged, settings
from nanoctx.disk.settings import Settings
from nanoctx.errors import SettingsError


def _load(folder: Path, text: str) -> Settings:
    file = folder / "nanoctx.toml"
    file.write_text(text, encoding="utf-8")
    return settings.load(file)


def _refusal(folder: Path, text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        _load(folder, text)
    assert caught.value.exit_code == 3
    assert (folder / "nanoctx.toml").read_text(encoding="utf-8") == text
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_missing_or_empty_file_means_the_defaults(tmp_path: Path) -> None:
    assert settings.load(tmp_path / "nanoctx.toml") == Settings()
    assert _load(tmp_path, "") == Settings()
    assert (Settings().observe_idle_minutes, Settings().observe_threshold) == (15, 0.8)
    assert (Settings().page_budget, Settings().page_recent, Settings().page_max_characters) == (500, 5, 2000)
    assert (Settings().watch_agents, Settings().time_zone) == ((), "")


def test_what_a_person_sets_holds(tmp_path: Path) -> None:
    found = _load(
        tmp_path,
        '[watch]\nagents = ["claude-code"]\nignore = ["~/secret"]\nprojects = ["/a", "/b"]\n'
        '[observe]\nidle_minutes = 30\nthreshold = 1\n[page]\nbudget = 300\n[time]\nzone = "Asia/Tokyo"\n',
    )
    assert found == Settings(
        watch_agents=("claude-code",), watch_ignore=("~/secret",), watch_projects=("/a", "/b"),
        observe_idle_minutes=30, observe_threshold=1.0, page_budget=300, time_zone="Asia/Tokyo",
    )  # fmt: skip
    assert isinstance(found.observe_threshold, float)


def test_settings_cannot_be_changed_in_passing() -> None:
    with pytest.raises(FrozenInstanceError):
        Settings().page_budget = 1  # type: ignore[misc]


def test_unknown_keys_are_named_and_ignored(tmp_path: Path) -> None:
    views = "[views.startup]\nbudget = 90\nbuget = 9\n"
    found = _load(tmp_path, f'colour = "red"\n[page]\nbudget = 400\nbuget = 1\n{views}')
    assert found.page_budget == 400
    unknown = ["colour", "page.buget", "views.startup.buget"]
    assert [warning.split("`")[1] for warning in found.warnings] == unknown
    assert found.views_startup_budget == 90


def test_a_byte_order_mark_and_windows_lines_are_fine(tmp_path: Path) -> None:
    (tmp_path / "nanoctx.toml").write_bytes(b"\xef\xbb\xbf[page]\r\nbudget = 300\r\n")
    assert settings.load(tmp_path / "nanoctx.toml").page_budget == 300


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[page]\nbudget = \n", "line 2"),
        ("[page\n", "line 1"),
        ('[page]\nbudget = "500"\n', "`page.budget` must be a whole number from 100 to 4000"),
        ("[page]\nbudget = true\n", "not true"),
        ("[page]\nbudget = 99\n", "not 99"),
        ("[page]\nbudget = 500.0\n", "whole number"),
        ("[observe]\nthreshold = nan\n", "observe.threshold"),
        ("[observe]\nthreshold = 80\n", "0.1 to 1.0"),
        ('[watch]\nagents = "claude-code"\n', "watch.agents"),
        ('[watch]\nagents = ["cloud-code"]\n', "claude-code, codex"),
        ("[watch]\nignore = [1]\n", "watch.ignore"),
        ('[time]\nzone = "Vienna"\n', '"Europe/Vienna"'),
        ('[time]\nzone = "../etc/passwd"\n', "time.zone"),
        ("[time]\nzone = 1\n", "time.zone"),
        ("x = " + "[" * 5000, "nested"),
    ],
)
def test_a_value_that_makes_no_sense_is_one_sentence(tmp_path: Path, text: str, named: str) -> None:
    message = _refusal(tmp_path, text)
    assert named in message
    assert str(tmp_path / "nanoctx.toml") in message


def test_bytes_that_are_no_text_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "nanoctx.toml").write_bytes(b"[page]\nbudget = 4\xff\n")
    with pytest.raises(SettingsError, match="UTF-8"):
        settings.load(tmp_path / "nanoctx.toml")


def test_a_folder_in_place_of_the_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "nanoctx.toml").mkdir()
    with pytest.raises(SettingsError, match="readable file"):
        settings.load(tmp_path / "nanoctx.toml")


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_whatever_stands_in_the_file_it_is_settings_or_a_sentence(raw: bytes) -> None:
    try:
        assert isinstance(settings.parse(raw, Path("nanoctx.toml")), Settings)
    except SettingsError as error:
        assert "\n" not in str(error)


def test_the_template_names_every_key_with_its_default() -> None:
    text = packaged.template("nanoctx.toml")
    assert settings.parse(text.encode(), Path("nanoctx.toml")) == Settings()
    uncommented = text.replace("\n# ", "\n").split("[watch]", 1)[1]
    assert settings.parse(("[watch]" + uncommented).encode(), Path("nanoctx.toml")) == Settings()
    for entry in settings.entries():
        section, _, name = settings.key(entry).rpartition(".")
        if section.startswith("views."):  # many, and few people will touch them: one stands for all
            assert "[views.startup]" in text and "docs/settings.md" in text
        else:
            assert f"# {name} = {settings.as_toml(entry.default)}" in text


def test_the_settings_of_the_example_are_understood() -> None:
    found = settings.load(packaged.folder("workspace-example") / "nanoctx.toml")
    assert found.warnings == () and found.time_zone == "Europe/Lisbon"
