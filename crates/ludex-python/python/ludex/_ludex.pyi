"""What the package takes from its Rust part."""

from os import PathLike
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt

from .errors import Finding

__all__ = ["Environments", "Game", "PerftRow", "Playouts", "Position", "Runner", "__version__", "check", "games"]

__version__: str

def games() -> list[str]:
    """The names of the games that come with the package and go in steps, in alphabetical order."""

def check(text: str, *, name: str = "rules") -> tuple[Finding, ...]:
    """What the checks say of a rulesheet, ordered by place. Nothing is raised where there are errors."""

@final
class Game:
    """A game that can be run. It never changes, and threads may share it.

    Terms are texts in prefix notation, as in `(mark 2 2)`; what is read may be infix, as in `mark(2,2)`. Games are equal
    where their texts are. They can be pickled: the text is sent, and the game is made again.
    """

    def __new__(cls, name: str, *, engine: str = "auto", time: float | None = None) -> Game:
        """A game that comes with the package, by its name (`games`).

        `engine` is `rules` (a rule machine), `net` (a propositional net) or `lanes` (512 states at once), or `auto`: the
        fastest that the game can be run on. `time` limits the seconds that preparing it may take.

        Raises `UnknownNameError`, `LimitError`.
        """

    @staticmethod
    def from_text(text: str, *, name: str = "rules", engine: str = "auto", time: float | None = None) -> Game:
        """The game of a rulesheet in any dialect that goes in steps, and either notation.

        Raises `RulesError`, `LimitError`, `UnknownNameError` for the engine.
        """

    @staticmethod
    def from_file(path: str | PathLike[str], *, engine: str = "auto", time: float | None = None) -> Game:
        """The game of a file. Raises as `from_text`, and `OSError`."""

    @property
    def name(self) -> str:
        """What it is called: the name it was asked for by, or the file's without folder and ending."""

    @property
    def roles(self) -> list[str]:
        """All roles in their order, `random` included. Joint moves have one move for each of them."""

    @property
    def seats(self) -> list[str]:
        """The roles that somebody plays: all but `random`."""

    @property
    def random(self) -> str | None:
        """The role that moves at random, if there is one."""

    @property
    def actions(self) -> list[str]:
        """All moves that anybody can have, in canonical order: action `i` is the `i`-th of them.

        The rules decide what is in it, so the numbers stay the same for one rulesheet and engine.
        """

    @property
    def propositions(self) -> list[str]:
        """All facts that a state can have, in canonical order; observations have a place for each."""

    @property
    def percepts(self) -> list[str]:
        """All that any player can see in a step, in canonical order, as far as there is a net to know it from."""

    def board_planes(self) -> tuple[int, int, list[str], list[int]] | None:
        """What `ludex.board_planes` makes an array of."""

    @property
    def takes_turns(self) -> bool:
        """Whether at most one player has a choice at any time, as far as some random games show."""

    @property
    def dialect(self) -> str:
        """`GDL`, `GDL-II`, `SDL`..."""

    @property
    def engine(self) -> str:
        """The engine that runs it; never `auto`."""

    @property
    def sha256(self) -> str:
        """The SHA-256 of the text in hexadecimal."""

    @property
    def text(self) -> str:
        """The rulesheet."""

    @property
    def has_perfect_information(self) -> bool:
        """Whether everybody sees everything, and nothing is left to chance."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Warnings and notes of the checks."""

    def start(self) -> Position:
        """The initial position."""

    def playouts(
        self,
        count: int,
        *,
        seed: int = 1,
        threads: int = 1,
        step_limit: int = 10_000,
        position: Position | None = None,
    ) -> Playouts:
        """Plays so many random games to their ends, each legal move as likely as the others; from `position`, or the start.

        The same seed gives the same result on any number of threads. Other threads of Python run meanwhile, and Ctrl-C
        ends it. Raises `LimitError`, `ValueError` for a position of another game.
        """

    def perft(self, depth: int, *, time: float | None = None) -> list[PerftRow]:
        """Counts the tree of the game at each depth from 0 on; fewer where every path has ended before.

        Raises `LimitError` after `time` seconds.
        """

    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    """A state of a game with the moves that led to it. Positions are equal where their facts are."""

    @property
    def game(self) -> Game: ...
    @property
    def step(self) -> int:
        """How many joint moves were made."""

    @property
    def facts(self) -> list[str]:
        """What holds, in canonical order."""

    @property
    def terminal(self) -> bool: ...
    @property
    def moves(self) -> list[list[str]]:
        """The joint moves so far, each with one move for each role in order."""

    def legal(self, role: str) -> list[str]:
        """The legal moves of a role, in canonical order. Raises `UnknownNameError`."""

    def all_legal(self) -> dict[str, list[str]]:
        """The legal moves of all roles."""

    @property
    def turn(self) -> str | None:
        """The player that moves; `None` where several have a choice, or nobody does anything but wait.

        Where nobody has a choice, somebody is in turn whose only move is none of those with which it waits for others.
        """

    def legal_actions(self, role: str) -> list[int]:
        """The legal moves of a role as numbers of `Game.actions`, in ascending order."""

    def apply(self, actions: list[int]) -> None:
        """Makes a step by numbers of `Game.actions`, one for each role in order, `random` included.

        Raises `MoveError`, and the position is as it was.
        """

    def fact_numbers(self) -> list[int]:
        """What holds, as numbers of `Game.propositions`, in ascending order."""

    def goals(self) -> dict[str, int | None]:
        """What the state is worth to each role; `None` where the rules give no value or several."""

    def percepts(self, role: str) -> list[str]:
        """What a role saw of the last step, in games of incomplete information."""

    def play(self, moves: list[str] | dict[str, str]) -> None:
        """Makes a step: a move for each role in order, or by name for those that have a choice.

        Raises `MoveError`, and the position is as it was.
        """

    def back(self) -> bool:
        """Goes back a step; `False` at the start. What was played can be played again by `forward`."""

    def forward(self) -> bool: ...
    def jump(self, step: int) -> bool:
        """Goes to the state after so many steps; `False` where there is none."""

    def copy(self) -> Position: ...
    def svg(self) -> str:
        """The board as an SVG document. Notebooks show it by themselves."""

    def _repr_svg_(self) -> str: ...
    def __copy__(self) -> Position: ...
    def __deepcopy__(self, memo: Any, /) -> Position: ...
    def __eq__(self, value: object, /) -> bool: ...

@final
class Runner:
    """One current state, stepped as fast as the engine goes: no texts, no way back, and for one thread only.

    Players are numbers of `Game.seats`, actions numbers of `Game.actions`.
    """

    def __new__(cls, game: Game) -> Runner: ...
    @property
    def game(self) -> Game: ...
    @property
    def terminal(self) -> bool: ...
    @property
    def player(self) -> int | None:
        """The player in turn; `None` where several have a choice, or nobody does anything but wait."""

    def legal(self, player: int) -> list[int]:
        """The legal actions of a player, in ascending order. Raises `IndexError`."""

    def chance(self) -> list[int]:
        """The moves that chance may make, each as likely as the others; none in games without chance."""

    def step(self, player: int, action: int) -> None:
        """Makes a step in which all others, chance among them, have one legal move, which they make.

        Raises `MoveError`, and the state is as it was.
        """

    def step_all(self, actions: list[int]) -> None:
        """Makes a step: an action for each role in order, `random` included. Raises `MoveError`."""

    def goals(self) -> list[int | None]:
        """What the state is worth, player by player; `None` where the rules give no value or several."""

    def facts(self) -> list[int]:
        """What holds, as numbers of `Game.propositions`, in ascending order."""

    def reset(self) -> None:
        """Goes back to the initial state."""

    def position(self) -> Position:
        """The state as a position, to look at."""

    def set_position(self, position: Position) -> None:
        """Goes to the state of a position."""

    def copy(self) -> Runner: ...

@final
class Playouts:
    """What random games came to."""

    @property
    def finished(self) -> int:
        """Games that came to an end."""

    @property
    def stuck(self) -> int:
        """Games in which a role had no legal move."""

    @property
    def over_limit(self) -> int:
        """Games that were not over after so many steps."""

    @property
    def steps(self) -> int:
        """Joint moves in all games."""

    @property
    def goals(self) -> dict[str, dict[int, int]]:
        """For each role, how often each value was reached."""

    @property
    def mean_goals(self) -> dict[str, float | None]:
        """For each role, the mean over the games that gave it a value."""

@final
class PerftRow:
    """What there is at one depth of the tree of a game."""

    @property
    def depth(self) -> int: ...
    @property
    def paths(self) -> int:
        """Sequences of so many joint moves."""

    @property
    def distinct(self) -> int:
        """Distinct states that they lead to."""

    @property
    def terminals(self) -> int:
        """Sequences that end in a terminal state."""

    def __eq__(self, value: object, /) -> bool: ...

class _Arrays(Protocol):
    """What a step fills: rows of bits as bytes or words, or `None` where they are not wanted."""

    @property
    def observations(self) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint64] | None: ...
    @property
    def last_observations(self) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint64] | None: ...
    @property
    def legal(self) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint64] | None: ...
    @property
    def rewards(self) -> npt.NDArray[np.float32]: ...
    @property
    def terminated(self) -> npt.NDArray[np.uint8]: ...
    @property
    def truncated(self) -> npt.NDArray[np.uint8]: ...
    @property
    def players(self) -> npt.NDArray[np.uint8]: ...

@final
class Environments:
    """What `ludex.VectorEnv` stands on."""

    def __new__(
        cls,
        game: Game,
        count: int,
        *,
        in_turns: bool,
        observed: list[int],
        percepts: bool,
        step_limit: int | None,
        begins_anew: bool,
        rewards: tuple[float, float],
        threads: int,
    ) -> Environments: ...
    @property
    def layout(self) -> tuple[int, int, int, int, int]:
        """Environments, players, rows of actions for each, actions, and bits of an observation."""

    def reset(self, seed: int, arrays: _Arrays) -> None:
        """Begins all games anew, and chance by this seed."""

    def observe(self, arrays: _Arrays) -> None: ...
    def step(self, actions: npt.NDArray[np.int32] | None, arrays: _Arrays) -> None: ...
    def position(self, environment: int) -> Position: ...
    def set_position(self, environments: list[int], position: Position) -> None: ...
    def select(self, environments: list[int], seed: int) -> Environments: ...
    def random_rollouts(
        self, count: int, seed: int, threads: int, step_limit: int
    ) -> npt.NDArray[np.float32]: ...
