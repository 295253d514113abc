"""What the package takes from its Rust part."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from os import PathLike
from typing import Any, Protocol, TypeAlias, final

import numpy as np
import numpy.typing as npt

from .analysis import Analysis, Solution
from .errors import Finding
from .timed import TimedEvent
from .tournaments import Table, TournamentMatch

__all__ = [
    "Belief",
    "Environments",
    "Game",
    "MatchRecord",
    "Mismatch",
    "PerftRow",
    "Player",
    "Playouts",
    "Position",
    "RatedMove",
    "Runner",
    "SentenceAnswer",
    "SentenceGame",
    "Strategy",
    "Thought",
    "TimedGame",
    "TimedRecord",
    "Timeline",
    "Tournament",
    "Trace",
    "TraceStep",
    "__version__",
    "check",
    "games",
    "sentence_games",
    "strategies",
    "timed_games",
]

__version__: str

_Game: TypeAlias = Game | str
_Seated: TypeAlias = Player | str | Callable[[Position, str], str | int] | Callable[[Belief, str], str | int]

_Time: TypeAlias = float | str | Decimal

def games() -> list[str]:
    """The names of the games that come with the package and go in steps, in alphabetical order."""

def check(text: str, *, name: str = "rules") -> tuple[Finding, ...]:
    """What the checks say of a rulesheet, ordered by place. Nothing is raised where there are errors."""

@final
class Game:
    """A game that can be run. It never changes, and threads may share it.

    Terms are texts in the notation of the rulesheet, such as `(mark 2 2)` or `mark(2,2)`; what is read may be either. Games
    are equal where their texts and engines are. They can be pickled: the text is sent, and the game is made again.
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

    def match(
        self,
        players: Mapping[str, _Seated] | Sequence[_Seated],
        *,
        seed: int = 1,
        start_clock: float | None = None,
        play_clock: float | None = None,
        step_limit: int = 10_000,
        name: str | None = None,
        ponder: bool = False,
        strict: bool = True,
        progress: bool = False,
    ) -> MatchRecord:
        """Plays a match: a player for each seat by the name of its role, or in the order of `seats`.

        Each is a `Player`, the name of a strategy with its options, or a function. A function is called with a position
        and the role, and gives back a move or the number of an action; in games in which not everybody sees everything it
        is called with a `Belief`, the same each time. It runs on the thread that asked for the match, and what it raises
        ends the match. An answer that is no legal move raises `MoveError`; with `strict=False` it is a fault, and a random
        move is made, as for every other player.

        Clocks are in seconds; without them nobody looks at the time but players who have a time of their own, and the
        same seed gives the same record where those have not. Players may think while others do if they `ponder`.

        Raises `ValueError` for a seat without a player, `UnknownNameError`, `LimitError`, and what functions raise.
        """

    def analysis(self, *, time: float = 60.0, threads: int = 1, seed: int = 1) -> Analysis:
        """What can be proved or refuted of the game within so many seconds, `math.inf` for no limit: whether it ends, who
        can win, symmetries, independent parts, boards. `ludex analyze` says the same and more."""

    def how_to_play(self, *, time: float = 10.0, seed: int = 1) -> str:
        """How the game is played, in words for people who have never seen it, as the rules and random games show it."""

    def solve(
        self,
        position: Position | None = None,
        *,
        opponents: str = "paranoid",
        time: float | None = None,
        memory: int = 1073741824,
    ) -> Solution:
        """What a position, or the game, is worth to each role with best play, and a line of it.

        `opponents` is what each role thinks that the others want: `paranoid` (to keep it low), `max-n` (their own goal) or
        `coalition` (all against one). After `time` seconds, what is not known is `None`. Raises `ValueError` where roles
        do not see everything, `UnknownNameError`.
        """

    def position(self, facts: list[str]) -> Position:
        """A position that holds these facts. What led to it is not known, so that nobody can be asked for a move there.

        Raises `ValueError` for what can be no fact of the game.
        """

    def playouts(
        self,
        count: int,
        *,
        seed: int = 1,
        threads: int = 1,
        step_limit: int = 10_000,
        position: Position | None = None,
        records: bool = False,
    ) -> Playouts:
        """Plays so many random games to their ends, each legal move as likely as the others; from `position`, or the start.

        With `records` each game is told beside the counts (`Playouts.lengths`, `Playouts.results`).

        The same seed gives the same result on any number of threads. Other threads of Python run meanwhile, and Ctrl-C
        ends it. Raises `LimitError`, `ValueError` for a position of another game.
        """

    def record_playouts(self, count: int, *, seed: int = 1, step_limit: int = 10_000) -> Trace:
        """Plays so many random games with the seeds `seed`, `seed + 1`... and records all that can be asked in every state.

        Engines are compared with each other in this way, and with other programs. Raises `LimitError`.
        """

    def perft(self, depth: int, *, time: float | None = None) -> list[PerftRow]:
        """Counts the tree of the game at each depth from 0 on; fewer where every path has ended before.

        Raises `LimitError` after `time` seconds.
        """

    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: Any, /) -> Game: ...
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

    @property
    def lengths(self) -> npt.NDArray[np.uint32] | None:
        """`(games,)`: the joint moves of each game; `None` where records were not asked for."""

    @property
    def results(self) -> npt.NDArray[np.float32] | None:
        """`(games, roles)`: the goals of each game, not a number where there is no value; `None` without records."""

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

def strategies() -> list[Strategy]:
    """The strategies that players can be made of; `ludex players` lists the same."""

@final
class Strategy:
    """What there is to say of a strategy."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def options(self) -> dict[str, tuple[str, str]]:
        """What can be set: for each name the default, and what it means."""

@final
class Player:
    """A strategy with its options, and what it may use: a recipe, of which each match makes a player of its own.

    It can be called as `choose`, and pickled. Players are equal where all that was said of them is.
    """

    def __new__(
        cls,
        name: str,
        *,
        time: float | None = None,
        start_time: float | None = None,
        seed: int | None = None,
        threads: int = 1,
        memory: int = 1073741824,
        **options: str | float | bool,
    ) -> Player:
        """A player of a strategy (`strategies`); options are keywords, or follow the name as in `uct:playouts=100`.

        `time` is how many seconds it may think about a decision: 1 where nothing is said, and `math.inf` for a player whose
        options say how much it may do, so that it plays the same each time. In a match with clocks those count, unless
        `time` is shorter. `start_time` is for getting ready, as much as `time` where it is not given. `seed` decides its
        chances; where there is none it is made of that of the match. `memory` is in bytes.

        Raises `UnknownNameError` for a strategy or an option that there is not, `ValueError` for a value that means nothing.
        """

    @property
    def name(self) -> str:
        """The name of the strategy with its options."""

    @property
    def time(self) -> float | None: ...
    @property
    def start_time(self) -> float | None: ...
    @property
    def seed(self) -> int | None: ...
    def choose(self, position: Position, role: str | None = None) -> str:
        """The move that it would make for a role, or for the one whose turn it is.

        It is told what the role was told on the way to the position, not more, gets ready, and thinks. Raises `MoveError`
        where the game is over, `ValueError` where it is nobody's turn and no role is given, `LimitError`, `LudexError`.
        """

    def consider(self, position: Position, role: str | None = None) -> Thought:
        """As `choose`, with what it says about the move."""

    def __call__(self, position: Position, role: str | None = None) -> str: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

@final
class Thought:
    """A move with what a player says about it. `str` gives the move."""

    @property
    def move(self) -> str: ...
    @property
    def value(self) -> float | None:
        """What it expects of the move, 0 to 100, where it says so."""

    @property
    def entries(self) -> list[tuple[str, str]]:
        """What it has to say, by name: `playouts`, `depth`..."""

    @property
    def moves(self) -> list[RatedMove]:
        """What it thinks of its legal moves, best first."""

    @property
    def variation(self) -> list[list[str]]:
        """The joint moves that it expects from here on."""

    @property
    def policy(self) -> dict[str, float]:
        """The probabilities by which the move was drawn, where it was."""

@final
class RatedMove:
    """What a player thinks of one of its moves."""

    @property
    def move(self) -> str: ...
    @property
    def value(self) -> float | None:
        """What it expects to get, 0 to 100."""

    @property
    def visits(self) -> int:
        """How often it tried the move."""

    @property
    def proven(self) -> int | None:
        """The goal that the move surely leads to, if that was proven."""

    def __eq__(self, value: object, /) -> bool: ...

@final
class Belief:
    """What a role can know of the state by what it was told: the states that are possible, each with its probability.

    Chance and the other roles are taken to make each legal move with equal likelihood. Where there are more states than
    `limit`, a sample of them stands for all (`is_exact` is then false). It can be pickled: what was told is sent.
    Every question may be given a `time` in seconds, and raises `LimitError` after it; `LudexError` where no state fits.
    """

    def __new__(cls, game: Game, role: str, *, limit: int = 100_000, seed: int = 1) -> Belief:
        """What a role knows at the beginning: the initial state. Raises `UnknownNameError`."""

    @staticmethod
    def in_position(position: Position, role: str, *, limit: int = 100_000, seed: int = 1) -> Belief:
        """What a role knows in a position, by what it was told on the way there."""

    @property
    def game(self) -> Game: ...
    @property
    def role(self) -> str: ...
    @property
    def step(self) -> int:
        """How many steps it was told of."""

    def observe(self, moved: str | list[str], percepts: list[str] | None = None) -> None:
        """Takes notice of a step: the role's own move and all that it saw; where everybody sees everything, the joint move.

        Raises `MoveError` for what is no move of the game, `ValueError` where it is not what a role is told in this game.
        """

    @property
    def is_exact(self) -> bool:
        """Whether the states are all that are possible."""

    def count(self, *, time: float | None = None) -> int:
        """How many states are held possible."""

    def facts(self, *, time: float | None = None) -> dict[str, float]:
        """What may hold, with its probability."""

    def moves(self, *, time: float | None = None) -> dict[str, float]:
        """The role's moves that may be legal, with their probabilities."""

    def known_facts(self, *, time: float | None = None) -> list[str]:
        """What surely holds. Of a sample of the states, this is what a solver proves within the time."""

    def known_moves(self, *, time: float | None = None) -> list[str]:
        """The role's moves that are surely legal, in the same way."""

    def legal(self, role: str | None = None, *, time: float | None = None) -> list[str]:
        """The role's moves that are legal in all states held possible, in canonical order: what it can choose from.

        The role may be named, so that a function asks this of a belief as of a position. Raises `ValueError` for another.
        """

    def over(self, *, time: float | None = None) -> float:
        """The probability that the game is over."""

    def positions(self, most: int = 100, *, time: float | None = None) -> list[tuple[Position, float]]:
        """The possible states, likeliest first, with their probabilities. They begin anew: nothing led to them."""

@final
class MatchRecord:
    """A match that was played, with everything that happened; terms are in prefix notation.

    `len` is the number of steps. A notebook shows it as boards to step through. It can be pickled.
    """

    @staticmethod
    def from_json(text: str, *, game: Game | None = None) -> MatchRecord:
        """The record of a text, as `json`, the commands, and other programs for game playing write it.

        `game` is what was played, where the record does not hold the rules. Raises `ValueError`.
        """

    def json(self) -> str:
        """One line of JSON, as `ludex match` writes it."""

    @property
    def name(self) -> str:
        """The name of the match."""

    @property
    def game(self) -> Game:
        """What was played. Raises `ValueError` where the record does not hold the rules, and nobody gave it the game."""

    @property
    def roles(self) -> list[str]: ...
    @property
    def players(self) -> dict[str, str]:
        """Who played each role."""

    @property
    def seed(self) -> int | None: ...
    @property
    def moves(self) -> list[list[str]]:
        """The moves of all roles in each step."""

    @property
    def goals(self) -> dict[str, int | None]:
        """What came of it for each role; `None` where the match was not played to its end."""

    @property
    def is_completed(self) -> bool:
        """Whether it was played to its end."""

    @property
    def abort_cause(self) -> str | None:
        """Why it ended early, if it did."""

    @property
    def faults(self) -> list[tuple[int, str, str]]:
        """What players did wrong: after how many steps, the role, and what.

        It begins with `TO`: no move in time, `IL`: not legal, `MF`: it could not be read, `CE`: no answer, `RP`: not asked
        any more. The count is 0 for getting ready, and 1 for the first move.
        """

    @property
    def times(self) -> list[dict[str, float | None]] | None:
        """How many seconds each role took for each move, where there were clocks."""

    def thought(self, step: int, role: str) -> Thought | None:
        """What the player of a role said about its move in a step, the first being 0. Raises `IndexError`."""

    def position(self, step: int) -> Position:
        """The position after so many steps. Raises `IndexError`."""

    @property
    def positions(self) -> list[Position]:
        """All positions, from the first to the last."""

    def replay(self) -> Position:
        """The last position, after all moves were made once more. Raises `MoveError` where one was not legal."""

    def verify(self) -> list[Mismatch]:
        """What the rules do not bear out: nothing, in a record that nobody has changed."""

    def _repr_html_(self) -> str: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, value: object, /) -> bool: ...

@final
class Mismatch:
    """Something recorded that the rules do not bear out."""

    @property
    def playout(self) -> int:
        """In which game of a trace, the first being 0."""

    @property
    def step(self) -> int:
        """How many steps were made before."""

    @property
    def what(self) -> str:
        """What was compared, as in `legal white`."""

    @property
    def expected(self) -> str:
        """What was recorded."""

    @property
    def found(self) -> str:
        """What the rules say."""

    def __eq__(self, value: object, /) -> bool: ...

@final
class Tournament:
    """Many matches between players, as far as they were played.

    It is an iterator: each match comes when it is played, and some are played meanwhile. `play` plays all that are left.
    Ctrl-C, and what a function raises, end the matches that are being played; whoever goes on has them played anew. `len`
    is the number of matches that were played.
    """

    def __new__(
        cls,
        games: _Game | Iterable[_Game],
        players: Mapping[str, _Seated] | Iterable[_Seated],
        *,
        format: str = "round-robin",
        rounds: int | None = None,
        seed: int = 1,
        threads: int = 1,
        legs: int | None = None,
        replays: int | None = None,
        attempts: int = 1,
        opening: int = 0,
        start_clock: float | None = None,
        play_clock: float | None = None,
        step_limit: int = 1000,
        strict: bool = True,
    ) -> Tournament:
        """A tournament in which nothing was played.

        Games are games or their names. Players are as in `Game.match`, two or more with different names: those in a
        dict, or what the strategies and functions are called. `format` is one of `round-robin`, `swiss`,
        `single-elimination`, `double-elimination`, `cumulative`; `ludex tournament --help` says what `rounds`, `legs`,
        `replays`, `attempts` and `opening` mean there, and how shares and ratings are worked out. `threads` matches are
        played at once; functions are called by one thread only, the one that waits for matches. The same seed gives the
        same results on any number of threads, where players do not look at the time.

        Raises `ValueError`, `UnknownNameError`.
        """

    def play(self, *, progress: bool = False) -> Tournament:
        """Plays all matches that are left."""

    def __iter__(self) -> Tournament: ...
    def __next__(self) -> TournamentMatch: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    @property
    def is_over(self) -> bool:
        """Whether everything is decided."""

    @property
    def players(self) -> list[str]: ...
    @property
    def format(self) -> str: ...
    def table(self, what: str = "players") -> Table:
        """What came of it: `players` as they stand, `matches` with a row for each seat of each, or `pairings` of any two.

        Matches are in the order of the schedule. Ratings are in units of Elo with mean 0; intervals are of 95 %.
        """

@final
class Trace:
    """Games recorded state by state: a sequence of `TraceStep`. Terms are in prefix notation. It can be pickled."""

    @staticmethod
    def from_text(text: str) -> Trace:
        """A trace as `text` and other programs of Ludex write it, or the XML of the Dresden Game Controller.

        Raises `ValueError`.
        """

    def text(self) -> str:
        """One line of JSON for the game, and one for each state."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def roles(self) -> list[str]: ...
    @property
    def sha256(self) -> str | None:
        """The SHA-256 of the rules it was recorded with, where that is known."""

    @property
    def playouts(self) -> int:
        """How many games there are."""

    def verify(self, game: Game) -> list[Mismatch]:
        """What the rules of a game, on its engine, do not bear out."""

    @staticmethod
    def _again(text: str, is_ordered: bool) -> Trace: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __iter__(self) -> Iterator[TraceStep]: ...
    def __getitem__(self, number: int, /) -> TraceStep: ...
    def __eq__(self, value: object, /) -> bool: ...

@final
class TraceStep:
    """One state of a recorded game, with all that was asked about it."""

    @property
    def playout(self) -> int:
        """Which game, the first being 0."""

    @property
    def step(self) -> int: ...
    @property
    def facts(self) -> list[str]: ...
    @property
    def terminal(self) -> bool: ...
    @property
    def legal(self) -> dict[str, list[str]]: ...
    @property
    def goals(self) -> dict[str, int | None]: ...
    @property
    def moves(self) -> list[str] | None:
        """The moves that were made next; `None` at the end of a game."""

    def __eq__(self, value: object, /) -> bool: ...

def timed_games() -> list[str]:
    """The names of the games that come with the package and go on in real time, in alphabetical order."""

@final
class TimedGame:
    """A game in real time (rtGDL): facts have lifetimes, and whoever has a legal move may make it at any moment.

    Times are in units of game time, and exact: they come as `decimal.Decimal`, and may be given as numbers or texts with no
    more than nine digits behind the point. Games are equal where their texts are. They can be pickled.
    """

    def __new__(cls, name: str, *, engine: str = "auto", time: float | None = None) -> TimedGame:
        """A game that comes with the package, by its name (`timed_games`). `engine` is `rules`, `net` or `auto`."""

    @staticmethod
    def from_text(text: str, *, name: str = "rules", engine: str = "auto", time: float | None = None) -> TimedGame:
        """The game of a rulesheet. Raises `RulesError`, `LudexError`, `ValueError` for a game that goes in steps."""

    @staticmethod
    def from_file(path: str | PathLike[str], *, engine: str = "auto", time: float | None = None) -> TimedGame:
        """The game of a file. Raises as `from_text`, and `OSError`."""

    @property
    def name(self) -> str: ...
    @property
    def roles(self) -> list[str]: ...
    @property
    def seats(self) -> list[str]:
        """The roles that somebody plays: all but `random`."""

    @property
    def dialect(self) -> str:
        """`rtGDL` or `rtGDL-II`."""

    @property
    def engine(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def text(self) -> str: ...
    def start(self, *, seed: int = 1) -> Timeline:
        """The game at its start; the seed decides what `random` does."""

    def record_playouts(self, count: int, *, seed: int = 1, longest: _Time | None = None) -> list[TimedRecord]:
        """Plays so many games between random players, who wait half a unit on the average, for 1000 units at most where
        `longest` says nothing else, with the seeds `seed`, `seed + 1`..."""

    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Timeline:
    """A game in real time at some moment. Nothing happens but what one lets happen. It can be pickled."""

    @property
    def game(self) -> TimedGame: ...
    @property
    def now(self) -> Decimal:
        """How long the game has lasted."""

    @property
    def is_over(self) -> bool: ...
    @property
    def facts(self) -> list[tuple[str, Decimal | None]]:
        """What holds, with what is left of its lifetime; `None` where it lasts."""

    def legal(self, role: str) -> list[str]:
        """The moves that a role could make now, in canonical order; none is a choice, too."""

    def goals(self) -> dict[str, int | None]:
        """What the state is worth to each role; `None` where the rules give no value or several."""

    @property
    def next_expiry(self) -> Decimal | None:
        """When something expires next, if nobody moves before."""

    def advance(self, time: _Time) -> None:
        """Lets so much time pass, with all that happens meanwhile and at its end.

        Raises `LimitError` where too much happens at once; then nothing has.
        """

    def advance_to(self, time: _Time) -> None:
        """Lets time pass up to a moment. Raises `ValueError` for one that is over."""

    def wait(self) -> bool:
        """Lets time pass until something happens by itself; `False` where nothing ever will."""

    def play(self, moves: dict[str, str]) -> None:
        """Some roles move now, all at once. Raises `MoveError`, and nothing has happened."""

    @property
    def events(self) -> list[TimedEvent]:
        """What has happened so far."""

    def copy(self) -> Timeline:
        """The same moment, which goes on for itself: what happened is worked out once more when it is needed."""

    def __copy__(self) -> Timeline: ...
    def __deepcopy__(self, memo: Any, /) -> Timeline: ...

@final
class TimedRecord:
    """A game in real time that was played, with terms in prefix notation. `len` is the number of events."""

    @staticmethod
    def from_json(text: str) -> TimedRecord:
        """The record of a text, as `json` and the commands write it. Raises `ValueError`."""

    def json(self) -> str: ...
    @property
    def roles(self) -> list[str]: ...
    @property
    def seed(self) -> int: ...
    @property
    def time(self) -> Decimal:
        """How long it lasted."""

    @property
    def is_completed(self) -> bool: ...
    @property
    def goals(self) -> dict[str, int | None]:
        """What came of it; `None` where it was not played to its end."""

    @property
    def events(self) -> list[TimedEvent]: ...
    def verify(self, game: TimedGame) -> list[Mismatch]:
        """What the rules of a game, on its engine, do not bear out."""

    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __eq__(self, value: object, /) -> bool: ...

def sentence_games() -> list[str]:
    """The names of the games that come with the package and are described by sentences, in alphabetical order."""

@final
class SentenceGame:
    """A game whose rules are sentences that may leave things open (IGDL). It can be asked what follows from them."""

    def __new__(cls, name: str) -> SentenceGame:
        """A game that comes with the package, by its name (`sentence_games`). Raises `UnknownNameError`."""

    @staticmethod
    def from_text(text: str, *, name: str = "rules") -> SentenceGame:
        """The game of a text. Raises `RulesError`, `ValueError` for rules that are no sentences."""

    @staticmethod
    def from_file(path: str | PathLike[str]) -> SentenceGame:
        """The game of a file. Raises as `from_text`, and `OSError`."""

    @property
    def roles(self) -> list[str]: ...
    @property
    def dialect(self) -> str: ...
    @property
    def text(self) -> str: ...
    def ask(
        self,
        sentence: str,
        *,
        moves: Sequence[dict[str, str]] | None = None,
        percepts: Sequence[dict[str, list[str]]] | None = None,
        time: float | None = None,
    ) -> list[SentenceAnswer]:
        """Whether a sentence holds after some moves: an answer for each value that its variables can have.

        `moves` has for each step the moves that are known, by role, and `percepts` for each step all that a role saw, of
        those whose percepts are known. `time` limits the seconds. Raises `ValueError` for what is no sentence,
        `MoveError` for what cannot be told, `UnknownNameError`, `LimitError`, `LudexError`.
        """

@final
class SentenceAnswer:
    """What the sentences say of an instance of a question."""

    @property
    def values(self) -> dict[str, str]:
        """The values of its variables."""

    @property
    def answer(self) -> str:
        """`entailed`, `refuted`, `unknown`, or `contradictory` where nothing is as it was told."""

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
