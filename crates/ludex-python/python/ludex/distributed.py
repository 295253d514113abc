"""Spreads work over many machines with Ray: tournaments, self-play, perft, analyses, searches for options of players.

    import math
    import ludex
    import ludex.distributed

    tables = ludex.distributed.tournament(
        ["tic-tac-toe", "nim"],
        {"uct": ludex.Player("uct", playouts=200, time=math.inf), "random": "random"},
        rounds=10,
        folder="results",
    )
    print(tables["players"].to_pandas())

`pip install ludex[ray]` brings what this needs: Ray, and pyarrow for tables and Parquet files. Without Ray everything is
done in this process, and so it is with `workers=0`.

Work falls into pieces: a match, the tree below a move, the analysis of a game. Each has a seed of its own, made of the seed
of the job and the number of the piece. So tables are the same whoever does the pieces, in which order, and on however many
machines: as long as players do not look at the time. A player thinks for a second where nothing else is said, and then
makes what it can of that second; with `time=math.inf` its options say how much it may do (`playouts=200`), and it plays the
same everywhere.

What all jobs take:

- `seed`: decides all chances.
- `folder`: where the tables go as Parquet files, `NAME.parquet` for each. Where the work is stopped, what was done is
  kept, and the same call goes on with it; a call with more rounds or games of self-play adds to it. One process at a time.
- `workers`, `batch`, `cpus`, `attempts`, `progress`: as in `run`.

They give the tables back as a dict of `pyarrow.Table` by name, those of earlier calls for the folder included.

Functions as players go to the workers by cloudpickle. A worker gets a copy of them for each task, so they should not count on
what they remember of other matches.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _branches
from ._fixtures import (
    Fixture,
    Matches,
    Rules,
    all_games,
    compared,
    described,
    name_of,
    named,
    result_of,
    seatings,
    share,
    share_of,
)
from ._ludex import Game, Player
from ._match import GameLike, as_game
from ._pieces import Piece, pieces_of, run, seed_of
from ._results import SCHEMAS, Rows, Store, read, table_of
from .errors import LudexError

if TYPE_CHECKING:
    from ._ludex import _Seated

__all__ = [
    "SCHEMAS",
    "Piece",
    "analyses",
    "perft",
    "pieces_of",
    "read",
    "run",
    "search",
    "seed_of",
    "self_play",
    "tournament",
]

Tables = dict[str, Any]
"""`pyarrow.Table` by name."""


def _job(
    store: Store,
    pieces: Sequence[Piece[Any]],
    do: Callable[[Piece[Any]], Rows],
    summary: Callable[[Tables], Tables],
    options: Mapping[str, Any],
) -> Tables:
    """Does what is not there yet, and makes the tables of it."""
    done = store.done
    if done and max(done) >= len(pieces):
        raise ValueError(f"the folder has more than this: {len(done)} pieces, not {len(pieces)}")
    results = run([piece for piece in pieces if piece.number not in done], do, **options)
    try:
        for piece, rows in results:
            store.add(piece.number, rows)
    finally:
        # What was done before Ctrl-C, or before something failed, is not done again.
        results.close()
        store.flush()
    tables = store.tables()
    tables.update(summary(tables))
    store.finish(tables)
    return tables


def _match_options(
    start_clock: float | None, play_clock: float | None, step_limit: int, strict: bool
) -> dict[str, Any]:
    return {"start_clock": start_clock, "play_clock": play_clock, "step_limit": step_limit, "strict": strict}


def _identity(games: Sequence[Game], **more: Any) -> dict[str, Any]:
    """What a folder is for."""
    return {"games": [[game.name, game.sha256, game.engine] for game in games], **more}


def tournament(
    games: GameLike | Iterable[GameLike],
    players: Mapping[str, _Seated] | Iterable[_Seated],
    *,
    rounds: int = 1,
    seed: int = 1,
    start_clock: float | None = None,
    play_clock: float | None = None,
    step_limit: int = 1000,
    strict: bool = True,
    steps: bool = True,
    folder: str | PathLike[str] | None = None,
    **options: Any,
) -> Tables:
    """A round robin: in each round each pair of players meets in each game on each seating, as in `ludex.Tournament`.

    Games are games, names or paths; players and what concerns matches are as in `ludex.Tournament`. The tables are
    `records`, `seats`, `steps` (unless `steps` is false), and `players`, best share first. Shares and their 95 % intervals
    are those of `ludex.Tournament` for the same results; there are no ratings, so that column is null.

    Seeds are not those of `ludex.Tournament`, which can decide what to play by what was played, and so is not split.
    """
    several, seated = all_games(games), named(players)
    if len(seated) < 2 or rounds < 1:
        raise ValueError("a tournament needs at least two players and one round")
    fixtures = [
        (number, round, seating)
        for round in range(1, rounds + 1)
        for number, game in enumerate(several)
        for seating in seatings(list(seated), len(game.seats))
    ]
    work = [
        Fixture(f"{several[game].name}.{round}.{place}", game, round, seating)
        for place, (game, round, seating) in enumerate(fixtures, 1)
    ]
    matching = _match_options(start_clock, play_clock, step_limit, strict)
    tables = ("records", "seats", "steps") if steps else ("records", "seats")
    people = {name: described(player) for name, player in seated.items()}
    store = Store(folder, _identity(several, job="tournament", seed=seed, players=people, **matching), tables)
    do = Matches([Rules.of(game) for game in several], seated, matching, tables)
    return _job(
        store, pieces_of(work, seed), do, lambda tables: {"players": _standings(tables, work, list(seated))}, options
    )


def _results(tables: Tables, fixtures: Sequence[Fixture]) -> list[tuple[Fixture, bool, dict[str, float]]]:
    """Each fixture with whether it was completed, and what its players got."""
    records, seats = tables["records"], tables["seats"]
    completed = dict(zip(records["match"].to_pylist(), records["completed"].to_pylist()))
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in seats.select(["match", "player", "goal"]).to_pylist():
        rows.setdefault(row["match"], []).append(row)
    return [(fixture, completed[fixture.name], result_of(rows[fixture.name])) for fixture in fixtures]


def _standings(tables: Tables, fixtures: Sequence[Fixture], players: Sequence[str]) -> Any:
    results = _results(tables, fixtures)
    shares: dict[str, list[float]] = {player: [] for player in players}
    goals: dict[str, list[float]] = {player: [] for player in players}
    aborted = dict.fromkeys(players, 0)

    def add(first: str, own: float, second: str, other: float) -> None:
        shares[first].append(share(own, other))
        shares[second].append(share(other, own))

    compared(((fixture, got) for fixture, completed, got in results if completed), add)
    for _, completed, got in results:
        for player, goal in got.items():
            if completed:
                goals[player].append(goal)
            else:
                aborted[player] += 1
    rows: list[dict[str, Any]] = []
    for player in players:
        taken = share_of(shares[player])
        rows.append(
            {
                "player": player,
                "matches": len(goals[player]),
                "share": taken and taken.mean,
                "goals": sum(goals[player]) / len(goals[player]) if goals[player] else None,
                "share_low": taken and taken.low,
                "share_high": taken and taken.high,
                "aborted": aborted[player],
            }
        )
    rows.sort(key=lambda row: -1.0 if row["share"] is None else row["share"], reverse=True)
    return table_of("players", rows)


def self_play(
    games: GameLike | Iterable[GameLike],
    player: _Seated | Mapping[str, _Seated],
    matches: int,
    *,
    seed: int = 1,
    start_clock: float | None = None,
    play_clock: float | None = None,
    step_limit: int = 10_000,
    strict: bool = True,
    folder: str | PathLike[str] | None = None,
    **options: Any,
) -> Tables:
    """So many matches of each game in which one player has all seats, or one for each role of a dict.

    The tables are `records`, `seats` and `steps`. `ludex.MatchRecord.from_json` reads what is in `records`.
    """
    several = all_games(games)
    by_role = dict(player) if isinstance(player, Mapping) else None
    names = {role: name_of(one) for role, one in (by_role or {}).items()}
    called = {
        role: f"{name} ({role})" if list(names.values()).count(name) > 1 else name for role, name in names.items()
    }
    seated: dict[str, _Seated] = (
        {called[role]: one for role, one in by_role.items()} if by_role is not None else named([player])  # type: ignore[list-item]
    )

    def seating(game: Game) -> tuple[str, ...]:
        if by_role is None:
            return tuple(next(iter(seated)) for _ in game.seats)
        if set(by_role) != set(game.seats):
            raise ValueError(f"`{game.name}` is played by {', '.join(game.seats)}, not {', '.join(by_role)}")
        return tuple(called[role] for role in game.seats)

    taken = [seating(game) for game in several]
    work = [
        Fixture(f"{game.name}.self.{number}", place, number, taken[place])
        for number in range(1, matches + 1)
        for place, game in enumerate(several)
    ]
    matching = _match_options(start_clock, play_clock, step_limit, strict)
    people = {name: described(one) for name, one in seated.items()}
    tables = ("records", "seats", "steps")
    store = Store(folder, _identity(several, job="self-play", seed=seed, players=people, **matching), tables)
    do = Matches([Rules.of(game) for game in several], seated, matching, tables)
    return _job(store, pieces_of(work, seed), do, lambda tables: {}, options)


def _json(setting: Mapping[str, Any]) -> str:
    """Options as JSON, which has no infinity."""
    plain = {
        name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in setting.items()
    }
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, default=str)


def search(
    game: GameLike,
    player: str | Callable[..., _Seated],
    settings: Mapping[str, Sequence[Any]] | Iterable[Mapping[str, Any]],
    opponent: _Seated,
    *,
    fixed: Mapping[str, Any] | None = None,
    rounds: int = 10,
    seed: int = 1,
    start_clock: float | None = None,
    play_clock: float | None = None,
    step_limit: int = 1000,
    strict: bool = True,
    folder: str | PathLike[str] | None = None,
    **options: Any,
) -> Tables:
    """Which options a player does best with: each setting plays `rounds` rounds against the same opponent on all seats.

    `settings` is a list of options, or for each option a list of values, of which all combinations are tried. `player` is a
    strategy, or a function that makes a player of the options; `fixed` are options that are always the same, such as
    `{"time": math.inf}`.

    The tables are `records` and `seats`, and `searches` with a row for each setting, in their order: the options as JSON, the
    share against the opponent with its 95 % interval, and the mean goal. Of many settings the best did better than it is:
    play it once more with another seed.
    """
    one = as_game(game)
    if len(one.seats) < 2:
        raise ValueError(f"`{one.name}` is played alone: nobody meets an opponent in it")
    if isinstance(settings, Mapping):
        tried = [dict(zip(settings, values)) for values in product(*settings.values())]
    else:
        tried = [dict(setting) for setting in settings]
    texts = [_json(setting) for setting in tried]
    if not tried or len(set(texts)) < len(texts) or rounds < 1:
        raise ValueError("there have to be settings, each only once, and at least one round")

    def made(setting: Mapping[str, Any]) -> _Seated:
        everything = {**(fixed or {}), **setting}
        return Player(player, **everything) if isinstance(player, str) else player(**everything)

    seated: dict[str, _Seated] = {text: made(setting) for text, setting in zip(texts, tried)}
    people = {name: described(of) for name, of in seated.items()}
    rival = "opponent"
    seated[rival] = opponent
    fixtures = [
        (round, seating)
        for round in range(1, rounds + 1)
        for text in texts
        for seating in seatings([text, rival], len(one.seats))
    ]
    work = [
        Fixture(f"{one.name}.{round}.{place}", 0, round, seating) for place, (round, seating) in enumerate(fixtures, 1)
    ]
    matching = _match_options(start_clock, play_clock, step_limit, strict)
    people[rival] = described(opponent)
    tables = ("records", "seats")
    store = Store(folder, _identity([one], job="search", seed=seed, players=people, **matching), tables)
    do = Matches([Rules.of(one)], seated, matching, tables)

    def summary(tables: Tables) -> Tables:
        results = _results(tables, work)
        rows = []
        for text in texts:
            own = [(completed, got) for fixture, completed, got in results if text in fixture.seating]
            shares = [share(got[text], got[rival]) for completed, got in own if completed]
            taken, goals = share_of(shares), [got[text] for completed, got in own if completed]
            made_player = seated[text]
            rows.append(
                {
                    "game": one.name,
                    "player": made_player.name if isinstance(made_player, Player) else described(made_player),
                    "settings": text,
                    "matches": len(goals),
                    "share": taken and taken.mean,
                    "share_low": taken and taken.low,
                    "share_high": taken and taken.high,
                    "goals": sum(goals) / len(goals) if goals else None,
                    "aborted": len(own) - len(goals),
                }
            )
        return {"searches": table_of("searches", rows)}

    return _job(store, pieces_of(work, seed), do, summary, options)


@dataclass(frozen=True)
class _Perft:
    """Counts below the first moves."""

    rules: Rules
    depth: int

    def __call__(self, piece: Piece[list[list[int]]]) -> Rows:
        game = self.rules.game()
        paths, terminals = _branches.count(game, piece.work, self.depth - len(piece.work))
        moves = " / ".join(" ".join(game.actions[action] for action in joint) for joint in piece.work)
        return {
            "branches": [
                {
                    "game": game.name,
                    "sha256": game.sha256,
                    "moves": moves,
                    "depth": depth,
                    "paths": counted,
                    "terminals": over,
                }
                for depth, (counted, over) in enumerate(zip(paths, terminals), len(piece.work))
            ]
        }


def perft(
    game: GameLike,
    depth: int,
    *,
    split: int = 1,
    folder: str | PathLike[str] | None = None,
    **options: Any,
) -> Tables:
    """Counts the tree of a game at each depth from 0 on: paths and how many of them end there, as `Game.perft`.

    It is split by the joint moves of the first `split` steps. The tables are `branches`, with what there is below each of
    these beginnings (moves of all roles in order, steps with ` / ` between them), and `perft` with the sums. Counts are
    decimals of 38 digits. Distinct states are not counted: those below different moves may be the same.
    """
    one = as_game(game)
    if depth < 0 or split < 0:
        raise ValueError("depth and split cannot be below 0")
    beginnings: list[list[list[int]]] = [[]]
    shallow = [[1, int(one.start().terminal)]]
    for _ in range(min(split, depth)):
        longer = []
        ended = 0
        for beginning in beginnings:
            position = one.start()
            for joint in beginning:
                position.apply(joint)
            for joint in _branches.joint_moves(position):
                child = position.copy()
                child.apply(joint)
                ended += int(child.terminal)
                longer.append([*beginning, joint])
        beginnings = longer
        shallow.append([len(beginnings), ended])
    store = Store(folder, _identity([one], job="perft", depth=depth, split=split), ("branches",))

    def summary(tables: Tables) -> Tables:
        counts = shallow[:-1] + [[0, 0] for _ in range(len(shallow) - 1, depth + 1)]
        for row in tables["branches"].select(["depth", "paths", "terminals"]).to_pylist():
            counts[row["depth"]][0] += int(row["paths"])
            counts[row["depth"]][1] += int(row["terminals"])
        rows = [
            {"game": one.name, "sha256": one.sha256, "depth": at, "paths": paths, "terminals": terminals}
            for at, (paths, terminals) in enumerate(counts)
            if paths
        ]
        return {"perft": table_of("perft", rows)}

    return _job(store, pieces_of(beginnings), _Perft(Rules.of(one), depth), summary, options)


@dataclass(frozen=True)
class _Source:
    """A rulesheet that may be wrong."""

    name: str
    text: str


@dataclass(frozen=True)
class _Analyses:
    """Analyses rulesheets."""

    time: float

    def __call__(self, piece: Piece[_Source]) -> Rows:
        name, text = piece.work.name, piece.work.text
        row: dict[str, Any] = {"game": name, "sha256": hashlib.sha256(text.encode()).hexdigest()}
        try:
            found = Game.from_text(text, name=name).analysis(time=self.time, seed=piece.seed)
        except (LudexError, ValueError) as error:
            row["error"] = str(error)
        else:
            row.update(
                dialect=found.dialect,
                well_formed=found.well_formed,
                undecided=found.is_undecided,
                states=_in_bits(found.states),
                all_states=found.all_states,
                longest=_in_bits(found.longest),
                goal_sum=_in_bits(found.goal_sum),
                parts=len(found.factors.parts) if found.factors.reason is None else None,
                json=found.json(),
            )
        return {"analyses": [row]}


def _in_bits(number: int | None) -> int | None:
    """A number that a column of 64 bits can hold; what is larger is left to the JSON."""
    return number if number is not None and abs(number) < 2**63 else None


ENDINGS = (".gdl", ".gdl-ii", ".kif", ".sdl")
"""What files of rulesheets that go in steps are called in the end."""


def _sources(games: str | PathLike[str] | Iterable[GameLike]) -> list[_Source]:
    """The rulesheets of a list, or those under a folder, in the order of their paths."""
    if isinstance(games, (str, PathLike)):
        folder = Path(games)
        if not folder.is_dir():
            raise NotADirectoryError(f"{folder} is no folder")
        paths = sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())
        return [
            _Source(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8", errors="replace"))
            for path in paths
        ]
    return [_Source(game.name, game.text) for game in map(as_game, games)]


def analyses(
    games: str | PathLike[str] | Iterable[GameLike],
    *,
    time: float = 60.0,
    seed: int = 1,
    folder: str | PathLike[str] | None = None,
    **options: Any,
) -> Tables:
    """What can be found out about each game within so many seconds (`Game.analysis`), `math.inf` for no limit.

    `games` is a list of games, names and paths, or a folder whose rulesheets are meant, in its subfolders, too. The table
    `analyses` has a row for each: what was found as columns, and all of it as JSON. A rulesheet that cannot be run has an
    `error` instead. What could not be decided in the time depends on the machine.
    """
    sources = _sources(games)
    if not time > 0:
        raise ValueError(f"there is no analysis in {time} seconds")
    said = [[source.name, hashlib.sha256(source.text.encode()).hexdigest()] for source in sources]
    job = {"job": "analyses", "games": said, "seed": seed, "time": str(time) if math.isinf(time) else time}
    store = Store(folder, job, ("analyses",))
    return _job(store, pieces_of(sources, seed), _Analyses(time), lambda tables: {}, options)
