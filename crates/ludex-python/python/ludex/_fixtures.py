"""Who plays whom in tournaments and searches that are spread over machines, and what comes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ._ludex import Game, MatchRecord, Player
from ._match import GameLike, as_game
from ._pieces import Piece
from ._results import Rows

if TYPE_CHECKING:
    from ._ludex import _Seated

__all__ = [
    "Fixture",
    "Matches",
    "Rules",
    "all_games",
    "compared",
    "described",
    "name_of",
    "named",
    "result_of",
    "seatings",
    "share",
    "share_of",
]

Z = 1.959963985
"""The quantile of the normal distribution that leaves 2.5 % on either side."""


class Rules(NamedTuple):
    """A game as plain data, from which each worker makes it once."""

    name: str
    text: str
    engine: str

    @classmethod
    def of(cls, game: Game) -> Rules:
        return cls(game.name, game.text, game.engine)

    def game(self) -> Game:
        return _made(self)


@lru_cache(maxsize=64)
def _made(rules: Rules) -> Game:
    return Game.from_text(rules.text, name=rules.name, engine=rules.engine)


def all_games(games: GameLike | Iterable[GameLike]) -> list[Game]:
    """The games that are meant, each with its own name."""
    several = [games] if isinstance(games, (str, Game)) or not isinstance(games, Iterable) else games
    found = [as_game(game) for game in several]
    names = [game.name for game in found]
    if not found:
        raise ValueError("there is no game")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"`{name}` is there twice")
    return found


def named(players: Mapping[str, _Seated] | Iterable[_Seated]) -> dict[str, _Seated]:
    """Players by their names: those of a dict, or what strategies and functions are called."""
    if isinstance(players, Mapping):
        return dict(players)
    found: dict[str, _Seated] = {}
    for player in players:
        name = name_of(player)
        if name in found:
            raise ValueError(f"`{name}` is there twice: name players in a dict")
        found[name] = player
    return found


def name_of(player: _Seated) -> str:
    """What a player is called where nobody gives it a name."""
    if isinstance(player, str):
        return player
    return player.name if isinstance(player, Player) else str(getattr(player, "__name__", type(player).__name__))


def described(player: _Seated) -> str:
    """What tells a player from others, as far as that can be said: of a function, its name."""
    if isinstance(player, Player):
        return repr(player.__getnewargs_ex__())
    return name_of(player)


class Fixture(NamedTuple):
    """A match that is to be played."""

    name: str
    game: int
    round: int
    """From 1."""
    seating: tuple[str, ...]
    """The name of the player of each seat."""


@dataclass(frozen=True)
class Matches:
    """Plays fixtures: what goes to the workers."""

    rules: Sequence[Rules]
    players: Mapping[str, _Seated]
    options: Mapping[str, Any]
    tables: tuple[str, ...]

    def __call__(self, piece: Piece[Fixture]) -> Rows:
        fixture = piece.work
        game = self.rules[fixture.game].game()
        seats = dict(zip(game.seats, fixture.seating))
        players = {role: self.players[player] for role, player in seats.items()}
        record = game.match(players, seed=piece.seed, name=fixture.name, **self.options)
        rows: dict[str, list[dict[str, Any]]] = {
            "records": [
                {
                    "match": fixture.name,
                    "game": game.name,
                    "sha256": game.sha256,
                    "seed": piece.seed,
                    "completed": record.is_completed,
                    "steps": len(record),
                    "record": record.json(),
                }
            ],
            "seats": [
                {
                    "match": fixture.name,
                    "game": game.name,
                    "role": role,
                    "player": player,
                    "goal": record.goals[role],
                }
                for role, player in seats.items()
            ],
            "steps": list(_steps(fixture.name, record)) if "steps" in self.tables else [],
        }
        return {name: rows[name] for name in self.tables}


def _steps(name: str, record: MatchRecord) -> Iterator[dict[str, Any]]:
    times = record.times
    for number, moves in enumerate(record.moves):
        taken = times[number] if times is not None and number < len(times) else {}
        for role, move in zip(record.roles, moves):
            yield {"match": name, "step": number + 1, "role": role, "move": move, "seconds": taken.get(role)}


def seatings(players: Sequence[str], seats: int) -> Iterator[tuple[str, ...]]:
    """Who has which seat in the matches of a round, as the round robin of `ludex.Tournament` has it.

    In games with two seats each pair of players meets on either seating. In games with more, one of the pair has one seat
    and the other has all others: each of the two has each of the seats alone once. In games with one, each plays alone.
    """
    if seats == 1:
        yield from ((player,) for player in players)
        return
    for number, first in enumerate(players):
        for second in players[number + 1 :]:
            # With two seats, to have one alone is to leave the other to the opponent.
            for one, other in [(first, second)] if seats == 2 else [(first, second), (second, first)]:
                yield from (tuple(one if s == seat else other for s in range(seats)) for seat in range(seats))


def result_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The goal of each player of a match by its seats: the mean, where it has several."""
    goals: dict[str, list[float]] = {}
    for row in rows:
        goals.setdefault(row["player"], []).append(row["goal"] or 0)
    return {player: sum(values) / len(values) for player, values in goals.items()}


def compared(
    results: Iterable[tuple[Fixture, dict[str, float]]], add: Callable[[str, float, str, float], None]
) -> None:
    """Calls `add` with two players and what each got, wherever completed matches compare them as `Tournament` does.

    That is in matches of two, and in games with one seat by what each got in the same round.
    """
    alone: dict[tuple[int, int], dict[str, float]] = {}
    for fixture, goals in results:
        if len(goals) == 2:
            (first, own), (second, other) = goals.items()
            add(first, own, second, other)
        elif len(fixture.seating) == 1:
            before = alone.setdefault((fixture.game, fixture.round), {})
            for player, own in goals.items():
                for opponent, other in before.items():
                    add(opponent, other, player, own)
                before[player] = own


class Share(NamedTuple):
    mean: float
    low: float
    high: float


def share_of(shares: Sequence[float]) -> Share | None:
    """The mean of shares with its 95 % interval after Wilson, shares taken as parts of a win; as `Tournament` has it."""
    count = len(shares)
    if not count:
        return None
    mean, square = sum(shares) / count, Z * Z
    middle = (mean + square / (2 * count)) / (1 + square / count)
    half = Z / (1 + square / count) * math.sqrt(max(0.0, mean * (1 - mean) / count + square / (4 * count * count)))
    return Share(mean, min(max(middle - half, 0.0), mean), min(max(middle + half, mean), 1.0))


def share(own: float, other: float) -> float:
    """What a player takes of the goals of a match; one half where both get nothing."""
    return own / (own + other) if own + other > 0 else 0.5
