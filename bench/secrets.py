"""Measures `core.redact` on made-up secrets in log lines: precision, recall, speed, and linear time.

Only the figures of the kinds that were held back say something about secrets nobody has thought of: they were
written when the rules were finished, and the rules were not touched for them.
Run: python bench/secrets.py [--seed N] [--count N] [--misses]; exit 1 when under the floor.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

# Run as a file, this folder stands first on the path and would hide the standard library's `secrets`.
sys.path[:] = [str(Path(__file__).resolve().parents[1]), *sys.path[1:]]

from bench.secret_cases import HARMLESS, KNOWN, WORDS, Case, Line  # noqa: E402
from bench.secret_held_back import HELD_BACK, HELD_BACK_HARMLESS  # noqa: E402
from bench.secret_learned import LEARNED, LEARNED_HARMLESS  # noqa: E402
from bench.secret_learned_later import LEARNED_LATER, LEARNED_LATER_HARMLESS  # noqa: E402
from nanoctx.core.redact import findings, redact  # noqa: E402

FLOOR_PRECISION, FLOOR_RECALL = 0.98, 0.85
FLOOR_CLEAN_MB_PER_SECOND, CEILING_MS_PER_KB = 30.0, 1.5  # the goal is 1; the rest is for noisy machines
SIZES = (1_000, 16_000, 256_000, 4_000_000)
SLACK = 12  # characters around a secret that may go with it


@dataclass(slots=True)
class Score:
    """What was found of one set of kinds."""

    made: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    wrong: int = 0
    remarks: list[str] = field(default_factory=list)

    @property
    def recall(self) -> float:
        return self.found.total() / self.made.total()

    @property
    def precision(self) -> float:
        return self.found.total() / max(1, self.found.total() + self.wrong)


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=20260212)
    options.add_argument("--count", type=int, default=40, help="secrets of each kind")
    options.add_argument("--misses", action="store_true", help="show lines that went wrong")
    args = options.parse_args(argv)
    print(f"seed {args.seed}, {args.count} of each kind")
    sets = (
        ("used in writing the rules", KNOWN, HARMLESS),
        ("held back at first, then learned from", LEARNED, LEARNED_HARMLESS),
        ("in lines of other forms, learned from later", LEARNED_LATER, LEARNED_LATER_HARMLESS),
        ("held back", HELD_BACK, HELD_BACK_HARMLESS),
    )
    score = Score()
    for title, kinds, harmless in sets:
        score = _measure(kinds, harmless, Random(args.seed), args.count)
        _show(title, score, args.misses)
    fine = score.precision >= FLOOR_PRECISION and score.recall >= FLOOR_RECALL
    return 0 if all((fine, _clean_speed(args.seed), _linear())) else 1


def _measure(
    kinds: Sequence[Callable[[Random], Case]], harmless: Sequence[Line], r: Random, count: int
) -> Score:
    score = Score()
    for make in kinds:
        for _ in range(count):
            _judge(make(r), score)
    for line in harmless:
        for _ in range(max(1, count // 4)):
            text = line(r)
            if findings(text):
                score.wrong += 1
                score.remarks.append(f"not a secret: {redact(text)!r}")
    return score


def _judge(case: Case, score: Score) -> None:
    start = case.text.index(case.secret)
    end = start + len(case.secret)
    score.made[case.kind] += 1
    whole = False
    for finding in findings(case.text):
        covers = finding.start <= start and end <= finding.end
        if covers and finding.end - finding.start <= end - start + SLACK:
            whole = True
        elif covers or finding.end <= start or end <= finding.start:
            score.wrong += 1
            score.remarks.append(f"{case.kind}, too much: {redact(case.text)!r}")
    if whole:
        score.found[case.kind] += 1
    else:
        score.remarks.append(f"{case.kind}, missed: {case.text!r}")


def _show(title: str, score: Score, misses: bool) -> None:
    print(f"\n{title}: precision {score.precision:.4f} recall {score.recall:.4f} ({len(score.made)} kinds)")
    for kind, made in score.made.items():
        print(f"  {kind:24} {score.found[kind] / made:.2f}")
    if misses:
        for remark in dict.fromkeys(score.remarks):
            print("  -", remark[:240])


def _clean_speed(seed: int) -> bool:
    """Texts of a log without secrets: prose, code, listings."""
    r = Random(seed)
    lines = (
        lambda: " ".join(r.choice(WORDS) for _ in range(14)).capitalize() + ".",
        lambda: f"    def {r.choice(WORDS)}_{r.choice(WORDS)}(self, key: str, count: int) -> None:",
        lambda: (
            f"src/{r.choice(WORDS)}/{r.choice(WORDS)}.py:{r.randint(1, 900)}: error: token is not defined"
        ),
        lambda: f'  "{r.choice(WORDS)}": {{"version": "{r.randint(0, 9)}.{r.randint(0, 30)}", "dev": true}},',
    )
    texts = ["\n".join(r.choice(lines)() for _ in range(60)) for _ in range(400)]
    size = sum(len(text) for text in texts)
    for text in texts[:40]:
        redact(text)
    start = time.process_time()
    for text in texts:
        redact(text)
    speed = size / (time.process_time() - start) / 1e6
    print(f"\nclean text: {speed:.0f} MB/s ({size / 1e6:.1f} MB in {len(texts)} texts)")
    return speed >= FLOOR_CLEAN_MB_PER_SECOND


def _linear() -> bool:
    print("\nms of CPU per kB on texts made to be slow, by size")
    print(f"  {'':22}" + "".join(f"{size // 1000:>9} kB" for size in SIZES))
    worst = 0.0
    for name, make in ADVERSARIAL.items():
        row = [_ms_per_kb(make(size)) for size in SIZES]
        worst = max(worst, *row)
        print(f"  {name:22}" + "".join(f"{ms:>12.3f}" for ms in row))
    print(f"  slowest {worst:.3f}")
    return worst <= CEILING_MS_PER_KB


def _ms_per_kb(text: str) -> float:
    rounds = max(1, 64_000 // len(text))
    start = time.process_time()
    for _ in range(rounds):
        redact(text)
    return (time.process_time() - start) / rounds / len(text) * 1e6


def _filled(unit: str) -> Callable[[int], str]:
    return lambda size: (unit * (size // len(unit) + 1))[:size]


ADVERSARIAL: dict[str, Callable[[int], str]] = {
    "one letter": _filled("a"),
    "names in a row": _filled("pw="),
    "names, blanks": _filled("password= "),
    "names, quotes": _filled("pw='"),
    "names, colons": _filled("token: x1 "),
    "options": _filled(" --password"),
    "open keys": _filled("-----BEGIN PRIVATE KEY-----"),
    "open tags": _filled("<private>"),
    "closed tags": _filled("<private></private>"),
    "urls": _filled("a://b:c@"),
    "url without end": lambda size: "https://user:" + "p@" * (size // 2),
    "escapes": _filled("\\u0061"),
    "colours": _filled("\x1b[0m"),
    "open colours": _filled("\x1b]"),
    "backslashes": _filled("\\"),
    "dots": _filled("eyJaaaaaaaa."),
    "prefixes": _filled("ghp_"),
    "commands": _filled("mysql curl sshpass openssl "),
    "cookies": _filled("cookie: a=b; "),
    "prose": _filled("the password for the password is "),
    "words": _filled("login as admin or root account "),
    "e-mail": _filled("a.a@"),
    "tokens": _filled("ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX "),
    "passwords": _filled('password="k7!mQ2x9" '),
    "versions": lambda size: "password=" + "1." * (size // 2) + "!",
    "full stops": lambda size: "token=" + "." * size + "x",
    "digits": lambda size: "the password is " + "1" * size + "!",
    "paths": lambda size: "secret: ~/" + "a/" * (size // 2) + "!",
    "colons": lambda size: "api_key=" + ":1" * (size // 2),
    "beyond ascii": _filled("пароль: é\u200b "),
}


if __name__ == "__main__":
    raise SystemExit(main())
