"""General game playing: the rules of any game in, everything that can be done with it out.

>>> import ludex
>>> game = ludex.Game("tic-tac-toe")
>>> position = game.start()
>>> position.play({"white": "(mark 2 2)"})
>>> len(position.legal("black"))
8
"""

from ._ludex import (
    Belief,
    Game,
    MatchRecord,
    Mismatch,
    PerftRow,
    Player,
    Playouts,
    Position,
    RatedMove,
    Runner,
    SentenceAnswer,
    SentenceGame,
    Strategy,
    Thought,
    TimedGame,
    TimedRecord,
    Timeline,
    Tournament,
    Trace,
    TraceStep,
    __version__,
    check,
    games,
    sentence_games,
    strategies,
    timed_games,
)
from .analysis import Analysis, Board, Claim, Factor, Factors, Solution, Symmetries
from .errors import Finding, LimitError, LudexError, MoveError, RulesError, StuckError, UnknownNameError
from .timed import TimedEvent
from .tournaments import Table, TournamentMatch, tournament
from .vector import BoardPlanes, Children, Step, VectorEnv, board_planes

__all__ = [
    "Analysis",
    "Belief",
    "Board",
    "BoardPlanes",
    "Children",
    "Claim",
    "Factor",
    "Factors",
    "Finding",
    "Game",
    "LimitError",
    "LudexError",
    "MatchRecord",
    "Mismatch",
    "MoveError",
    "PerftRow",
    "Player",
    "Playouts",
    "Position",
    "RatedMove",
    "RulesError",
    "Runner",
    "SentenceAnswer",
    "SentenceGame",
    "Solution",
    "Step",
    "Strategy",
    "StuckError",
    "Symmetries",
    "Table",
    "Thought",
    "TimedEvent",
    "TimedGame",
    "TimedRecord",
    "Timeline",
    "Tournament",
    "TournamentMatch",
    "Trace",
    "TraceStep",
    "UnknownNameError",
    "VectorEnv",
    "__version__",
    "board_planes",
    "check",
    "games",
    "player",
    "sentence_games",
    "strategies",
    "timed_games",
    "tournament",
]

player = Player
"""As one says it: `ludex.player("uct", playouts=100)`."""


def _game_again(text: str, name: str, engine: str) -> Game:
    """A game that was pickled."""
    return Game.from_text(text, name=name, engine=engine)


def _position_again(game: Game, moves: list[list[str]], facts: list[str] | None = None) -> Position:
    """A position that was pickled: the moves lead to it once more, from the start or from these facts."""
    position = game.start() if facts is None else game.position(facts)
    for joint in moves:
        position.play(joint)
    return position


def _belief_again(
    game: Game, role: str, limit: int, seed: int, told: list[tuple[str | list[str], list[str]]]
) -> Belief:
    """A belief that was pickled: the role is told the same once more."""
    belief = Belief(game, role, limit=limit, seed=seed)
    for moved, percepts in told:
        belief.observe(moved, percepts)
    return belief


def _record_again(text: str, game: Game | None) -> MatchRecord:
    """A record that was pickled."""
    return MatchRecord.from_json(text, game=game)


def _trace_again(text: str, is_ordered: bool) -> Trace:
    """A trace that was pickled."""
    return Trace._again(text, is_ordered)


def _timed_game_again(text: str, name: str, engine: str) -> TimedGame:
    """A game in real time that was pickled."""
    return TimedGame.from_text(text, name=name, engine=engine)


def _timed_record_again(text: str) -> TimedRecord:
    """A record of a game in real time that was pickled."""
    return TimedRecord.from_json(text)


def _timeline_again(game: TimedGame, seed: int, told: list[str | dict[str, str]]) -> Timeline:
    """A timeline that was pickled: the same happens once more."""
    timeline = game.start(seed=seed)
    for happening in told:
        if isinstance(happening, str):
            timeline.advance_to(happening)
        else:
            timeline.play(happening)
    return timeline


def _sentence_game_again(text: str, name: str) -> SentenceGame:
    """A game in sentences that was pickled."""
    return SentenceGame.from_text(text, name=name)
