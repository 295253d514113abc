"""General game playing: the rules of any game in, everything that can be done with it out.

>>> import ludex
>>> game = ludex.Game("tic-tac-toe")
>>> position = game.start()
>>> position.play({"white": "(mark 2 2)"})
>>> len(position.legal("black"))
8
"""

from ._ludex import Game, PerftRow, Playouts, Position, __version__, check, games
from .errors import Finding, LimitError, LudexError, MoveError, RulesError, StuckError, UnknownNameError

__all__ = [
    "Finding",
    "Game",
    "LimitError",
    "LudexError",
    "MoveError",
    "PerftRow",
    "Playouts",
    "Position",
    "RulesError",
    "StuckError",
    "UnknownNameError",
    "__version__",
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
