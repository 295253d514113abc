"""What the adapters for other projects share: a game in play, and what its seats see as vectors.

It needs numpy, which every one of those projects needs, too.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from functools import lru_cache
from os import PathLike, path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._ludex import Game, games
from .errors import LimitError, MoveError, StuckError, UnknownNameError

GameLike: TypeAlias = "Game | str | PathLike[str]"
"""A game, the name of one that comes with the package, or the path of a rulesheet."""

SAMPLED_GAMES = 100
"""So many random games show what can be seen where the rules do not list it."""

FORCED_STEPS = 1000
"""After so many steps without a choice, there may never be one again."""


def as_game(game: GameLike, engine: str = "auto") -> Game:
    """The game that is meant. Names go before paths, and what is no file is taken for a name.

    Raises `UnknownNameError`, `RulesError`, `LimitError`, `OSError`.
    """
    if isinstance(game, Game):
        return game
    if isinstance(game, str) and (game in games() or not path.exists(game)):
        return Game(game, engine=engine)
    return Game.from_file(game, engine=engine)


class Layout:
    """What the places of a game's vectors stand for. Made once for each game by `layout`, never changed, so shared.

    In games of perfect information an observation has a place for each of `Game.propositions`. In others it has three
    parts: what was seen since the seat's last own choice, what was seen ever, and the seat's last own choice. The first
    two have a place for each of `percepts` and one more for all that is not among them; the third has one for each of
    `Game.actions`. All seats have the same places.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.roles = game.roles
        self.seats = game.seats
        self.takes_turns = game.takes_turns
        self.moves = game.actions
        self.actions = len(self.moves)
        self.facts = len(game.propositions)
        self.perfect = game.has_perfect_information
        self.random = None if game.random is None else self.roles.index(game.random)
        self.seat_roles = [self.roles.index(seat) for seat in self.seats]
        """The place of each seat among the roles."""
        self.percepts = [] if self.perfect else _percepts(game)
        self.percept_numbers = {percept: number for number, percept in enumerate(self.percepts)}
        self.size = self.facts if self.perfect else 2 * (len(self.percepts) + 1) + self.actions
        """How long an observation is."""

    def __copy__(self) -> Layout:
        return self

    def __deepcopy__(self, memo: object) -> Layout:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return layout, (self.game,)

    def percept_set(self, percepts: Iterable[str]) -> frozenset[int]:
        other = len(self.percepts)
        return frozenset(self.percept_numbers.get(percept, other) for percept in percepts)


def layout(game: Game) -> Layout:
    """The layout of a game, made once while it is in use."""
    # Games are equal where their texts are, but the engine decides the numbers of the moves.
    return _layout(game, game.engine)


@lru_cache(maxsize=32)
def _layout(game: Game, engine: str) -> Layout:
    return Layout(game)


def _percepts(game: Game) -> list[str]:
    """What anybody can see in a game of incomplete information, as far as it can be known before.

    Where there is no net to know it from, random games with a fixed seed show it.
    """
    if game.percepts:
        return game.percepts
    found: set[str] = set()
    random = np.random.default_rng(1)
    for _ in range(SAMPLED_GAMES):
        position = game.start()
        while not position.terminal and position.step < 1000:
            legal = [position.legal_actions(role) for role in game.roles]
            if not all(legal):
                break
            position.apply([moves[random.integers(len(moves))] for moves in legal])
            found.update(percept for seat in game.seats for percept in position.percepts(seat))
    return sorted(found)


class Match:
    """A game in play: the position, what was seen on the way, and who has a choice."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.position = layout.game.start()
        seats = len(layout.seats)
        self.recent: list[frozenset[int]] = [frozenset()] * seats
        self.ever: list[frozenset[int]] = [frozenset()] * seats
        self.last: list[int | None] = [None] * seats
        self.joint: list[int] = []
        """The joint move that led here."""
        self.legal: list[list[int]] = []
        """The legal moves of each role; nobody has any at the end."""
        self._look()

    def _look(self) -> None:
        roles = self.layout.roles
        if self.position.terminal:
            self.legal = [[] for _ in roles]
            return
        self.legal = [self.position.legal_actions(role) for role in roles]
        for role, legal in zip(roles, self.legal):
            if not legal:
                raise StuckError(
                    f"`{self.layout.game.name}` cannot go on: `{role}` has no legal move after {self.position.step} steps"
                )

    def copy(self) -> Match:
        other = Match.__new__(Match)
        other.__dict__.update(self.__dict__)
        other.position = self.position.copy()
        other.recent, other.ever, other.last = list(self.recent), list(self.ever), list(self.last)
        return other

    def __deepcopy__(self, memo: object) -> Match:
        return self.copy()

    @property
    def over(self) -> bool:
        return self.position.terminal

    def moves(self, seat: int) -> list[int]:
        """The legal moves of a seat."""
        return self.legal[self.layout.seat_roles[seat]]

    def choosers(self) -> list[int]:
        """The seats that have a choice."""
        return [seat for seat, role in enumerate(self.layout.seat_roles) if len(self.legal[role]) > 1]

    def asked(self) -> list[int]:
        """The seats that are asked for a move: those with a choice, or else the one in turn, or else all."""
        choosers = self.choosers()
        if choosers or self.over:
            return choosers
        turn = self.position.turn
        return [self.layout.seats.index(turn)] if turn in self.layout.seats else list(range(len(self.layout.seats)))

    def step(self, moves: dict[int, int], asked: Collection[int], random: np.random.Generator | int | None) -> None:
        """Makes a step: moves of seats, the only legal move of those that have no more, and a move for chance.

        `asked` says for whom this was a choice of its own. `random` draws the move of chance, or is that move.
        """
        joint = [legal[0] for legal in self.legal]
        for seat, move in moves.items():
            joint[self.layout.seat_roles[seat]] = move
        chance = self.layout.random
        if chance is not None:
            legal = self.legal[chance]
            if isinstance(random, int):
                joint[chance] = random
            elif random is not None and len(legal) > 1:
                joint[chance] = legal[random.integers(len(legal))]
        self.position.apply(joint)
        self.joint = joint
        for seat in range(len(self.layout.seats)):
            if seat in asked:
                self.recent[seat] = frozenset()
                self.last[seat] = joint[self.layout.seat_roles[seat]]
            if not self.layout.perfect:
                seen = self.layout.percept_set(self.position.percepts(self.layout.seats[seat]))
                self.recent[seat] |= seen
                self.ever[seat] |= seen
        self._look()

    def skip_forced(self, random: np.random.Generator, *, stay_in_play: bool = False) -> None:
        """Makes steps until somebody has a choice or the game is over.

        With `stay_in_play` it stops before the step that would end the game: an episode has to have a beginning.
        Raises `LimitError` if that goes on and on.
        """
        first = self.position.step
        while not self.over and not self.choosers():
            self.check_progress(first)
            before = self.copy() if stay_in_play else None
            self.step({}, (), random)
            if before is not None and self.over:
                self.__dict__.update(before.__dict__)
                return

    def check_progress(self, first: int) -> None:
        """Raises `LimitError` where steps without a choice, which began at step `first`, do not end."""
        if self.position.step - first >= FORCED_STEPS:
            raise LimitError(f"`{self.layout.game.name}` went on for {FORCED_STEPS} steps without a choice")

    def observation(self, seat: int) -> NDArray[np.int8]:
        """What a seat sees, as `Layout` says."""
        vector = np.zeros(self.layout.size, np.int8)
        if self.layout.perfect:
            vector[self.position.fact_numbers()] = 1
            return vector
        part = len(self.layout.percepts) + 1
        vector[list(self.recent[seat])] = 1
        vector[[part + number for number in self.ever[seat]]] = 1
        last = self.last[seat]
        if last is not None:
            vector[2 * part + last] = 1
        return vector

    def mask(self, seat: int) -> NDArray[np.int8]:
        """1 for each legal move of a seat; all 0 at the end."""
        mask = np.zeros(self.layout.actions, np.int8)
        mask[self.moves(seat)] = 1
        return mask

    def state(self) -> NDArray[np.int8]:
        """All facts, whoever sees them."""
        vector = np.zeros(self.layout.facts, np.int8)
        vector[self.position.fact_numbers()] = 1
        return vector

    def goals(self) -> list[int]:
        """What the end is worth to each seat. Raises `StuckError` where the rules do not say."""
        goals = self.position.goals()
        values = []
        for seat in self.layout.seats:
            value = goals[seat]
            if value is None:
                raise StuckError(f"`{self.layout.game.name}` ends without one value for `{seat}`")
            values.append(value)
        return values

    def text(self) -> str:
        return str(self.position)


def scaled(goal: int, bounds: tuple[float, float]) -> float:
    """A goal value from 0 to 100 in another range."""
    low, high = bounds
    return low + (high - low) * goal / 100


def reward_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    low, high = (float(bound) for bound in bounds)
    if not low < high:
        raise ValueError(f"reward_range has to rise, unlike {bounds}")
    return low, high


def as_action(action: object, actions: int) -> int:
    """The number of a move. Raises `TypeError` for what is no whole number, `MoveError` for a number that no move has."""
    number = operator.index(action)  # type: ignore[arg-type]  # It raises what there is to raise.
    if not 0 <= number < actions:
        raise MoveError(f"there is no action {number}: there are {actions}")
    return number


def seat_number(game: Game, seat: str | None) -> int:
    """The place of a seat among the seats; the first where none is named."""
    if seat is None:
        return 0
    if seat not in game.seats:
        raise UnknownNameError(f"nobody plays `{seat}` in `{game.name}`: there are {', '.join(game.seats)}")
    return game.seats.index(seat)


def checked_max(name: str, value: int | None) -> int | None:
    if value is not None and value < 1:
        raise ValueError(f"{name} has to be at least 1, unlike {value}")
    return value


__all__ = [
    "GameLike",
    "Layout",
    "Match",
    "as_action",
    "as_game",
    "checked_max",
    "layout",
    "reward_bounds",
    "scaled",
    "seat_number",
]
