"""Steps a second of environments: action in; observation, mask and reward out; random legal actions chosen by numpy.

    pip install . 'ludex[bench]'      (in the folder of the project)
    python benches/python/speed.py [--games NAME...] [--contenders NAME...] [--seconds 2] [--json FILE]

Each figure is measured in one process and in two at once, each with games of its own; the better one counts, and so does the
best number of games.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import os
import subprocess
import sys
from pathlib import Path

from contenders import CONTENDERS, GAMES, LIBRARY, MOST

SIZES = [1, 64, 512, 1024, 2048, 4096, 16_384, 65_536]
HERE = Path(__file__)


def measured(contender: str, game: str, n: int, seed: int, seconds: float) -> None:
    """Prints how many steps were made, in this process, once it is told to begin."""
    loop = CONTENDERS[contender](GAMES[game][LIBRARY[contender]], n, seed)
    loop(0.0)
    loop(seconds / 8)
    print("ready", flush=True)
    sys.stdin.readline()
    print(loop(seconds), flush=True)


def apart(contender: str, game: str, n: int, processes: int, seconds: float) -> float | None:
    """Steps a second of so many processes at once, each with games of its own; `None` where one fails."""
    quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}
    workers = []
    for seed in range(1, processes + 1):
        call = [sys.executable, str(HERE), "--one", contender, game, str(n), str(seed), str(seconds)]
        pipe = subprocess.PIPE
        workers.append(subprocess.Popen(call, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=quiet))
    for worker in workers:
        assert worker.stdout is not None
        worker.stdout.readline()
    steps = 0
    for worker in workers:
        if worker.stdin is not None and worker.poll() is None:
            worker.stdin.write("\n")
            worker.stdin.flush()
    for worker in workers:
        out, errors = worker.communicate()
        if worker.returncode != 0:
            reason = errors.strip().splitlines()[-1:] or [f"it ended with {worker.returncode}"]
            print(f"  {contender}, {n} games of {game}: {reason[0]}", file=sys.stderr)
            return None
        steps += int(out)
    return steps / seconds


def best(contender: str, game: str, sizes: list[int], seconds: float) -> dict[str, object] | None:
    """The best of all sizes and numbers of processes."""
    found: dict[str, object] | None = None
    for n in [size for size in sizes if size <= MOST.get(contender, size)]:
        for processes in (1, 2):
            speed = apart(contender, game, n, processes, seconds)
            if speed is None:
                return found
            print(f"  {contender}, {game}: {n} games, {processes} processes: {speed / 1e6:.3f} M", file=sys.stderr)
            if found is None or speed > float(str(found["speed"])):
                found = {"contender": contender, "game": game, "n": n, "processes": processes, "speed": speed}
    return found


def versions() -> str:
    known = []
    for name in ("ludex", "numpy", "pgx", "jax", "open_spiel", "pettingzoo"):
        try:
            known.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return ", ".join([f"Python {sys.version.split()[0]}", *known])


def table(rows: list[dict[str, object]]) -> None:
    """Millions of steps a second, and how many times as many `ludex` makes."""
    speeds = {(str(row["game"]), str(row["contender"])): row for row in rows}
    games = list(dict.fromkeys(str(row["game"]) for row in rows))
    names = list(dict.fromkeys(str(row["contender"]) for row in rows))
    print(f"\n{'':24}" + "".join(f"{game:>28}" for game in games))
    for name in names:
        line = f"{name:24}"
        for game in games:
            row, own = speeds.get((game, name)), speeds.get((game, "ludex"))
            if row is None:
                line += f"{'-':>28}"
                continue
            speed = float(str(row["speed"]))
            times = "" if own is None or name.startswith("ludex") else f", 1/{float(str(own['speed'])) / speed:.1f}"
            figure = f"{speed / 1e6:.3f} M ({row['n']} x {row['processes']}{times})"
            line += f"{figure:>28}"
        print(line)
    for name in names:
        pairs = [(float(str(speeds[g, "ludex"]["speed"])), float(str(speeds[g, name]["speed"]))) for g in games if (g, name) in speeds and (g, "ludex") in speeds]
        if pairs and not name.startswith("ludex"):
            mean = math.exp(sum(math.log(own / other) for own, other in pairs) / len(pairs))
            print(f"ludex makes {mean:.1f} times as many steps as {name} in the geometric mean, at least {min(own / other for own, other in pairs):.1f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="*", default=list(GAMES))
    parser.add_argument("--contenders", nargs="*", default=list(CONTENDERS))
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        contender, game, n, seed, seconds = chosen.one
        measured(contender, game, int(n), int(seed), float(seconds))
        return
    print(f"{versions()}; {os.cpu_count()} processors")
    rows = []
    for game in chosen.games:
        for contender in chosen.contenders:
            if LIBRARY[contender] in GAMES[game]:
                found = best(contender, game, chosen.sizes, chosen.seconds)
                rows += [found] if found else []
    table(rows)
    if chosen.json:
        chosen.json.write_text(json.dumps({"versions": versions(), "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
