"""General game playing: the rules of any game in, everything that can be done with it out.

>>> import ludex
>>> game = ludex.Game("tic-tac-toe")
>>> position = game.start()
>>> position.play({"white": "(mark 2 2)"})
>>> len(position.legal("black"))
8
"""

from ._ludex import Game, PerftRow, Playouts, Position, Runner, __version__, check, games
from .errors import Finding, LimitError, LudexError, MoveError, RulesError, StuckError, UnknownNameError
from .vector import BoardPlanes, Children, Step, VectorEnv, board_planes

__all__ = [
    "BoardPlanes",
    "Children",
    "Finding",
    "Game",
    "LimitError",
    "LudexError",
    "MoveError",
    "PerftRow",
    "Playouts",
    "Position",
    "RulesError",
    "Runner",
    "Step",
    "StuckError",
    "UnknownNameError",
    "VectorEnv",
    "__version__",
    "board_planes",
    "check",
    "games",
]


def _game_again(text: str, name: str, engine: str) -> Game:
    """A game that was pickled."""
    return Game.from_text(text, name=name, engine=engine)


def _position_again(game: Game, moves: list[list[str]]) -> Position:
    """A position that was pickled: the moves lead to it once more."""
    position = game.start()
    for joint in moves:
        position.play(joint)
    return position
