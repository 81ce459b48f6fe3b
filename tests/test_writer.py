"""A program of the person's own may reword lines: real programs, real files, and nothing left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from claude_log import START, ClaudeLog

from nanoctx import observer, whence
from nanoctx.cli.main import main
from nanoctx.disk import observations, workspace
from nanoctx.disk.workspace import Workspace
from nanoctx.model import Item, Observation

LATER = START + timedelta(hours=6)
SAID = "The table shows metres and feet, switched by `--unit`. All 14 tests pass."
SHORTER = "Table in metres and feet (--unit), 14 tests pass"


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "tidewatch"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    return folder.resolve()


@pytest.fixture
def ws(repo: Path) -> Workspace:
    return workspace.init(None, repo, os.environ).workspace


@pytest.fixture
def log(home: Path, repo: Path) -> ClaudeLog:
    log = ClaudeLog(home, repo)
    log.prompt("Make the tide table show heights in feet as well")
    log.edit("tide/table.py", "def in_feet(metres):\n    return metres * 3.28").shell(
        "pytest -q", "14 passed"
    )
    return log.say(SAID)


def configured(home: Path, command: object, more: str = "seconds = 2") -> None:
    file = home / ".config" / "nanoctx" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"[writer]\ncommand = {json.dumps(str(command))}\n{more}\n", encoding="utf-8")


def a_program(home: Path, body: str) -> Path:
    """A writer in Python: `lines` are the numbered lines it was given, by number."""
    file = home / "reword"
    file.write_text(
        f"#!{sys.executable}\nimport os, re, sys, time\nfrom pathlib import Path\n"
        "given = sys.stdin.read()\n"
        f"with open({str(home / 'calls')!r}, 'a') as calls: calls.write(given + '\\0')\n"
        "lines = dict(re.findall(r'^(\\d+): (.*)', given, re.M))\n"
        f"{body}\n",
        encoding="utf-8",
    )
    file.chmod(0o755)
    return file


def saying(home: Path, new: str) -> None:
    """A writer that has these words for the line about feet, and none for the others."""
    body = f"for n, text in lines.items():\n    if 'All 14' in text: print(f'{{n}}: ' + {new!r})"
    configured(home, a_program(home, body))


def calls(home: Path) -> list[str]:
    file = home / "calls"
    return file.read_text(encoding="utf-8").split("\0")[:-1] if file.exists() else []


def look(ws: Workspace, now: datetime = LATER, **more: bool) -> observer.Report:
    return observer.observe(ws, now=now, zone=UTC, **more)  # type: ignore[arg-type]


def seen(ws: Workspace) -> Observation:
    (one,) = (one for one in observations.load_all(ws.root).observations if one.session)
    return one


def outcome(ws: Workspace) -> Item:
    return next(item for item in seen(ws).items if item.kind == "impl" and "14" in item.text)


def recent(ws: Workspace) -> str:
    return ws.context_page.read_text(encoding="utf-8").split("## Recent")[1].split("## External")[0]


def everything(ws: Workspace) -> str:
    return "\n".join(
        file.read_text(encoding="utf-8", errors="replace")
        for place in (ws.root, Path(os.environ["XDG_DATA_HOME"]))
        for file in place.rglob("*")
        if file.is_file()
    )


def test_new_words_stand_in_the_observation_and_on_the_page(
    home: Path, log: ClaudeLog, ws: Workspace
) -> None:
    look(ws)
    before, plain = seen(ws), outcome(ws)
    assert "All 14 tests" in recent(ws)
    saying(home, SHORTER)
    log.leave()
    look(ws)
    after = outcome(ws)
    assert after.text == SHORTER and SHORTER in recent(ws) and "All 14" not in recent(ws)
    assert (after.kind, after.pos, after.grade, after.by) == (plain.kind, plain.pos, plain.grade, plain.by)
    assert [item.kind for item in seen(ws).items] == [item.kind for item in before.items]
    assert after.more["said"].startswith("writer:")
    assert [item for item in seen(ws).items if "said" in item.more] == [after]


def test_the_program_gets_the_lines_with_their_words_and_little_else(
    home: Path, log: ClaudeLog, ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.say("The password is DB_PASSWORD=correct7Horse!battery, and all tests pass with it.")
    monkeypatch.setenv("MY_TOKEN", "x")
    monkeypatch.setenv("LC_TIME", "C")
    told = home / "told"
    body = f"Path({str(told)!r}).write_text(' '.join(sorted(os.environ)) + chr(10) + os.getcwd())"
    configured(home, a_program(home, body))
    look(ws)
    (given,) = calls(home)
    assert given.startswith("Reword the numbered lines") and "1: Make the tide table" in given
    assert 'agent: "The table shows metres and feet' in given
    assert "correct7Horse" not in given
    names, folder = told.read_text().split("\n")
    allowed = {"PATH", "HOME", "LANG", "TZ", "LC_TIME", "LC_ALL", "LC_CTYPE"}
    assert {"HOME", "PATH", "LC_TIME"} <= set(names.split()) <= allowed
    assert Path(folder) == home


def test_why_still_shows_the_words_of_the_log(
    home: Path, log: ClaudeLog, ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    saying(home, SHORTER)
    look(ws)
    log.path.unlink()
    (told,) = whence.explain(ws, query=SHORTER, now=LATER, zone=UTC)
    log_words, distilled = told.items
    assert log_words[4] == "agent" and "metres and feet" in log_words[5]
    assert distilled[4] == "before the writer" and "All 14 tests pass" in distilled[5]
    assert main(["check", "--workspace", str(ws.root)]) == 0, capsys.readouterr().out


def test_an_unchanged_session_is_not_asked_about_again(home: Path, log: ClaudeLog, ws: Workspace) -> None:
    saying(home, SHORTER)
    look(ws)
    told = seen(ws)
    look(ws, LATER + timedelta(seconds=5))
    assert len(calls(home)) == 1 and SHORTER in recent(ws)
    for file in (ws.state / "stories").iterdir():
        file.unlink()
    look(ws, LATER + timedelta(seconds=9))
    assert len(calls(home)) == 1 and outcome(ws).text == SHORTER, "distilled anew, it is the same"
    assert seen(ws) == told


def test_the_end_of_a_session_alone_is_nothing_to_ask_about(
    home: Path, log: ClaudeLog, ws: Workspace
) -> None:
    saying(home, SHORTER)
    look(ws, log.now + timedelta(seconds=30))
    assert not seen(ws).ended and outcome(ws).text == SHORTER
    look(ws)
    assert seen(ws).ended and outcome(ws).text == SHORTER and len(calls(home)) == 1


def test_when_a_session_grows_only_what_is_new_is_asked(home: Path, log: ClaudeLog, ws: Workspace) -> None:
    saying(home, SHORTER)
    look(ws)
    log.prompt("From now on never round heights in the tide table").say("Noted, heights are not rounded.")
    look(ws, LATER + timedelta(hours=1))
    first, second = calls(home)
    assert "All 14 tests" in first and "All 14 tests" not in second and "never round" in second
    assert outcome(ws).text == SHORTER


def test_a_look_that_nobody_waits_for_asks_only_once_the_session_ended(
    home: Path, log: ClaudeLog, ws: Workspace
) -> None:
    saying(home, SHORTER)
    look(ws, log.now + timedelta(seconds=30), in_turn=True)
    assert not calls(home)
    look(ws, in_turn=True)
    assert len(calls(home)) == 1 and SHORTER in recent(ws)


@pytest.mark.parametrize(
    "new",
    [
        "The table shows metres and feet; All 15 tests pass",
        "The table shows metres and feet (tide/units.py); 14 tests pass",
        "The table shows metres and feet for Bob; 14 tests pass",
        "The table shows not metres but feet; 14 tests pass",
        "The table shows metres and feet; 14 tests pass " + "and feet " * 40,
        "",
    ],
)
def test_words_that_are_not_grounded_are_refused(home: Path, log: ClaudeLog, ws: Workspace, new: str) -> None:
    saying(home, new)
    look(ws)
    assert len(calls(home)) == 1
    assert "All 14 tests pass" in outcome(ws).text and "said" not in outcome(ws).more


def test_a_rule_keeps_its_not(home: Path, log: ClaudeLog, ws: Workspace) -> None:
    log.prompt("From now on never round heights in the tide table").say("Noted.")
    body = "for n, text in lines.items(): print(f'{n}: ' + re.sub('(?i)never |not ', '', text))"
    configured(home, a_program(home, body))
    look(ws)
    assert any("never round heights" in item.text for item in seen(ws).items)
    assert not any("now on round heights" in item.text for item in seen(ws).items)


def test_unknown_and_repeated_numbers_and_other_lines_are_ignored(
    home: Path, log: ClaudeLog, ws: Workspace
) -> None:
    body = (
        "n = next(n for n, text in lines.items() if 'All 14' in text)\n"
        f"print('Sure! Here you are', '99: feet', '0: feet', f'{{n}}: ' + {SHORTER!r},\n"
        "      f'{n}: feet in the table', '1:', sep=chr(10))"
    )
    configured(home, a_program(home, body))
    look(ws)
    assert outcome(ws).text == SHORTER
    assert len([item for item in seen(ws).items if "said" in item.more]) == 1


def test_a_secret_in_its_answer_is_redacted(home: Path, log: ClaudeLog, ws: Workspace) -> None:
    token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    body = f"for n, text in lines.items(): print(f'{{n}}: {{text}} ' + {token!r})"
    configured(home, a_program(home, body))
    look(ws)
    assert "[secret: github token]" in recent(ws) and token not in everything(ws)


def test_structure_in_its_answer_is_made_harmless(home: Path, log: ClaudeLog, ws: Workspace) -> None:
    saying(home, "# - table shows metres and feet ```` 14 tests pass 📌 ^abc")
    look(ws)
    assert outcome(ws).text == "table shows metres and feet `` 14 tests pass"


def test_the_example_of_the_documentation_works(home: Path, log: ClaudeLog, ws: Workspace) -> None:
    text = (Path(__file__).parents[1] / "docs" / "writer.md").read_text(encoding="utf-8")
    program = home / "example"
    program.write_text(text.split("```sh\n")[-1].split("```")[0])
    program.chmod(0o755)
    configured(home, "~/example")
    assert "feet, switched by --unit; All 14 tests" in text
    look(ws)
    assert "- The table shows metres and feet, switched by --unit (checked)\n" in recent(ws)


TROUBLES = {
    "hangs": ("NAP & NAP", "did not end within 1 s"),
    "closes its output and hangs": ("exec >&- 2>&-; NAP", "did not end within 1 s"),
    "crashes": ("echo '1: feet'; kill -SEGV $$", "failed"),
    "fails": ("echo '1: Make the tide table show feet'; exit 3", "failed (exit code 3)"),
    "says too much": ("head -c 10000000 /dev/zero | tr '\\0' x", "said more than 20000 characters"),
    "says too much in lines": ("yes '1: Make the tide table show feet'", "said more than 20000 characters"),
    "says garbage": ("head -c 5000 /dev/urandom", ""),
    "leaves a child": ("NAP >/dev/null 2>&1 &", ""),
}


def _alive(command: str) -> str:
    """Processes with this command; what was ended may need a moment to be gone."""
    for _ in range(20):
        found = subprocess.run(["pgrep", "-f", f"^{command}"], capture_output=True, text=True).stdout
        if not found:
            break
        time.sleep(0.05)
    return found


@pytest.mark.parametrize("name", TROUBLES)
def test_whatever_goes_wrong_the_page_is_as_without_it(
    home: Path, log: ClaudeLog, ws: Workspace, name: str
) -> None:
    script, trouble = TROUBLES[name]
    program = home / "trouble"
    naps = f"sleep 61.{os.getpid()}{list(TROUBLES).index(name)}"  # told from those of other tests
    program.write_text(f"#!/bin/sh\n{script.replace('NAP', naps)}\n")
    program.chmod(0o755)
    configured(home, program, "seconds = 1")
    begun = time.monotonic()
    report = look(ws)
    assert time.monotonic() - begun < 4
    assert report.problems == () and "All 14 tests pass" in recent(ws)
    assert not any("said" in item.more for item in seen(ws).items)
    assert json.loads((ws.state / "writer.json").read_text())["trouble"].startswith(trouble)
    assert not _alive(naps)


@pytest.mark.parametrize(
    "command", ["/no/such/program", "no-such-program-here", "~/not-executable", '"', "a\0b"]
)
def test_a_program_that_cannot_be_run_is_no_condition(
    home: Path, log: ClaudeLog, ws: Workspace, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "not-executable").write_text("#!/bin/sh\n")
    configured(home, command)
    assert look(ws).problems == () and "All 14 tests pass" in recent(ws)
    assert main(["doctor", "--workspace", str(ws.root), "--json"]) == 1
    signs = {sign["name"]: sign for sign in json.loads(capsys.readouterr().out)["signs"]}
    assert not signs["writer"]["ok"] and "was not found or may not be run" in signs["writer"]["text"]


def test_doctor_says_what_the_last_run_came_to(
    home: Path, log: ClaudeLog, ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    look(ws)
    main(["doctor", "--workspace", str(ws.root)])
    assert "writer" not in capsys.readouterr().out
    configured(home, a_program(home, "sys.exit(4)"))
    log.say("Done.")
    look(ws)
    main(["doctor", "--workspace", str(ws.root)])
    assert f"{home}/reword failed (exit code 4) at 2026-02-12 15:00 UTC" in capsys.readouterr().out
    (home / ".config/nanoctx/config.toml").write_text("[writer]\ncommand = 1\n")
    assert look(ws).problems == ()
    main(["doctor", "--workspace", str(ws.root)])
    assert "`writer.command` must be a text in quotes, not 1" in capsys.readouterr().out


def test_a_writer_that_came_with_the_workspace_is_ignored_with_a_warning(
    home: Path, log: ClaudeLog, ws: Workspace
) -> None:
    program = a_program(home, "")
    ws.settings_file.write_text(f'[writer]\ncommand = "{program}"\n', encoding="utf-8")
    opened = workspace.open_at(ws.root, os.environ)
    assert opened.settings.warnings == (
        "nanoctx.toml: `writer.command` is ignored here: it is taken only from your own config",
    )
    look(opened)
    assert not calls(home)


def test_by_default_no_process_is_started(log: ClaudeLog, ws: Workspace, home: Path, tmp_path: Path) -> None:
    """Nothing but git, and nothing is remembered of a writer."""
    trace = tmp_path / "started"
    code = (
        "import sys; started = []\n"
        "def hook(event, given):\n"
        "    if event in ('subprocess.Popen', 'os.exec', 'os.posix_spawn'): started.append(given[1])\n"
        "sys.addaudithook(hook)\n"
        "from nanoctx.cli.main import main; main(['observe'])\n"
        f"open({str(trace)!r}, 'w').write(repr([words for words in started if 'git' not in words]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ws.root.parent, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "NANOCTX_NOW": LATER.isoformat()},
    )  # fmt: skip
    assert "Looked at 1 session" in done.stdout, done.stderr
    assert trace.read_text() == "[]"
    assert not (ws.state / "writer.json").exists()


def test_a_line_that_a_person_took_out_stays_out_in_other_words(
    home: Path, log: ClaudeLog, ws: Workspace
) -> None:
    look(ws)
    lines = ws.context_page.read_text(encoding="utf-8").splitlines(keepends=True)
    ws.context_page.write_text("".join(line for line in lines if "All 14" not in line), encoding="utf-8")
    saying(home, SHORTER)
    log.shell("ls")
    look(ws, LATER + timedelta(minutes=1))
    assert outcome(ws).text == SHORTER
    assert SHORTER not in recent(ws) and "All 14" not in recent(ws)


def test_a_text_larger_than_a_pipe_is_handed_over_whole(home: Path, repo: Path) -> None:
    from nanoctx.disk import children

    given = b"feet and metres\n" * 100_000
    done = children.run(
        ["wc", "-c"], given=given, env={"PATH": os.environ["PATH"]}, cwd=home, timeout=5, limit=1000
    )
    assert done.good and int(done.out) == len(given)
    ignored = children.run(
        ["true"], given=given, env={"PATH": os.environ["PATH"]}, cwd=home, timeout=5, limit=1000
    )
    assert ignored.good and ignored.out == b""
