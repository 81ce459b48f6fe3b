"""
Fit the weights of core/tokens to real tokenizers, and print how far off they are per kind of text.

The tokenizer files come from the litellm wheel; none of this is needed to use nanoctx:

    python3 -m venv /tmp/calibrate
    /tmp/calibrate/bin/pip install numpy tiktoken tokenizers
    /tmp/calibrate/bin/pip download --no-deps litellm -d /tmp/calibrate/wheel
    PYTHONPATH=. /tmp/calibrate/bin/python bench/calibrate_tokens.py /tmp/calibrate/wheel/litellm-*.whl

The texts are those of calibration_texts.py. Errors are measured on texts the fit did not see: each half is
judged by the weights of the other. `--count FILE` prints real counts (the table in tests/core/test_tokens.py
was made so); `--speed` needs no wheel and compares `count` with one `re.findall`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from calibration_texts import corpus, library_files

from nanoctx.core import tokens

# The tokenizers agree on English within a few percent and on nothing else (on Korean the factor is 1.8).
# Claude's counts most because it is mostly the highest: a budget it keeps is kept by the others too.
SHARES = {"claude": 0.75, "o200k": 0.125, "cl100k": 0.125}
CACHED = {  # the names under which tiktoken looks for its files
    "o200k": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}

Counter = Callable[[str], int]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("wheel", type=Path, nargs="?", help="a litellm wheel")
    parser.add_argument("--count", type=Path, nargs="+", metavar="FILE", help="only print real counts")
    parser.add_argument("--speed", action="store_true", help="only measure speed")
    options = parser.parse_args()
    if options.speed:
        print_speed()
        return 0
    if options.wheel is None:
        parser.error("name the litellm wheel, or pass --speed")
    counters = load_counters(options.wheel)
    for path in options.count or ():
        text = path.read_text("utf-8")
        real = {name: counter(text) for name, counter in counters.items()}
        print(path.name, real, f"blend {target(text, counters):.1f}", f"estimate {tokens.count(text)}")
    if options.count:
        return 0
    samples = corpus()
    halves = [{kind: texts[side::2] for kind, texts in samples.items()} for side in (0, 1)]
    print("WEIGHTS: Mapping[str, float] = {")
    for name, weight in fit(samples, counters).items():
        print(f'    "{name}": {weight:.3f},')
    print("}")
    print_errors(halves, [fit(other, counters) for other in reversed(halves)], counters)
    return 0


def load_counters(wheel: Path) -> dict[str, Counter]:
    """Real tokenizers from the files in the wheel, without network."""
    import tiktoken
    from tokenizers import Tokenizer

    with tempfile.TemporaryDirectory() as made, zipfile.ZipFile(wheel) as archive:
        folder = Path(made)
        for name in archive.namelist():
            if "/litellm_core_utils/tokenizers/" in name:
                (folder / Path(name).name).write_bytes(archive.read(name))
        missing = [name for name, file in CACHED.items() if not (folder / file).exists()]
        if missing:
            sys.exit(f"This wheel has no file for {', '.join(missing)}; take another version of litellm.")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
        claude = Tokenizer.from_file(str(folder / "anthropic_tokenizer.json"))
        o200k, cl100k = tiktoken.get_encoding("o200k_base"), tiktoken.get_encoding("cl100k_base")
    return {
        "claude": lambda text: len(claude.encode(text).ids),
        "o200k": lambda text: len(o200k.encode(text, disallowed_special=())),
        "cl100k": lambda text: len(cl100k.encode(text, disallowed_special=())),
    }


def target(text: str, counters: Mapping[str, Counter]) -> float:
    return sum(share * counters[name](text) for name, share in SHARES.items())


def fit(samples: Mapping[str, Sequence[str]], counters: Mapping[str, Counter]) -> dict[str, float]:
    """Least squares of the relative error, every kind of text counting the same, no weight below zero."""
    import numpy

    names = list(tokens.measure(""))
    rows, goals = [], []
    for texts in samples.values():
        pull = len(texts) ** -0.5
        for text in texts:
            goal = target(text, counters)
            rows.append([n / goal * pull for n in tokens.measure(text).values()])
            goals.append(pull)
    matrix, goal_vector = numpy.array(rows), numpy.array(goals)
    active = list(range(len(names)))
    while True:
        solved, *_ = numpy.linalg.lstsq(matrix[:, active], goal_vector, rcond=None)
        if solved.min() >= 0:
            break
        active.pop(int(solved.argmin()))
    found = dict(zip((names[i] for i in active), solved.tolist(), strict=True))
    return {name: found.get(name, 0.0) for name in names}


def print_errors(
    halves: Sequence[Mapping[str, Sequence[str]]],
    fits: Sequence[Mapping[str, float]],
    counters: Mapping[str, Counter],
) -> None:
    """Each half is judged by the weights fitted to the other."""
    real: dict[str, Callable[[str], float]] = {"blend": lambda text: target(text, counters), **counters}
    print("\nmean error in % (and bias) on texts the fit did not see")
    print("kind".ljust(10), "texts".rjust(6), *(name.rjust(14) for name in real))
    for kind in halves[0]:
        judged = [(text, weights) for half, weights in zip(halves, fits, strict=True) for text in half[kind]]
        cells = []
        for counter in real.values():
            off = [100 * estimate(text, weights) / counter(text) - 100 for text, weights in judged]
            cells.append(f"{sum(map(abs, off)) / len(off):.1f} ({sum(off) / len(off):+.1f})".rjust(14))
        print(kind.ljust(10), str(len(judged)).rjust(6), *cells)


def estimate(text: str, weights: Mapping[str, float]) -> float:
    return sum(weights[name] * n for name, n in tokens.measure(text).items())


def print_speed() -> None:
    text = "\n".join(path.read_text("utf-8", "replace") for path in library_files())
    ours, plain = (cpu_seconds(work, text) for work in (tokens.count, re.compile(r"[A-Za-z]+").findall))
    size = len(text) / 1e6
    print(f"count {size / ours:.1f} MB/s; findall of words {size / plain:.1f} MB/s; ratio {ours / plain:.2f}")


def cpu_seconds(work: Callable[[str], object], text: str) -> float:
    """The best of five: other programs on the machine only ever add."""
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        work(text)
        best = min(best, time.process_time() - start)
    return best


if __name__ == "__main__":
    sys.exit(main())
