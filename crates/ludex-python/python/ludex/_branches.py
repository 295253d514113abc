"""Counts the tree of a game below a position, for `ludex.distributed.perft`."""

from __future__ import annotations

from itertools import product

import numpy as np

from ._ludex import Game, Position, Runner
from .vector import VectorEnv

__all__ = ["count", "joint_moves"]

CHUNK = 4096
"""So many positions are stepped at once."""


def joint_moves(position: Position) -> list[list[int]]:
    """All joint moves of a position, as numbers of `Game.actions` in the order of the roles."""
    if position.terminal:
        return []
    return [list(joint) for joint in product(*(position.legal_actions(role) for role in position.game.roles))]


def count(game: Game, moves: list[list[int]], depth: int) -> tuple[list[int], list[int]]:
    """For each depth from 0 below what these joint moves lead to: how many paths there are, and how many of them end there."""
    position = game.start()
    for joint in moves:
        position.apply(joint)
    paths, terminals = [0] * (depth + 1), [0] * (depth + 1)
    paths[0], terminals[0] = 1, int(position.terminal)
    if depth == 0 or position.terminal:
        return paths, terminals
    if game.random is not None:
        # Environments draw the moves of chance themselves.
        runner = Runner(game)
        runner.set_position(position)
        _walk(runner, game, 1, paths, terminals)
    else:
        env = VectorEnv(game, 1, in_turns=False, observe=None, begins_anew=False)
        env.set_position(0, position)
        _expand(env, 1, paths, terminals)
    return paths, terminals


def _walk(runner: Runner, game: Game, depth: int, paths: list[int], terminals: list[int]) -> None:
    seats = iter(range(len(game.seats)))
    for joint in product(*(runner.chance() if role == game.random else runner.legal(next(seats)) for role in game.roles)):
        child = runner.copy()
        child.step_all(list(joint))
        paths[depth] += 1
        if child.terminal:
            terminals[depth] += 1
        elif depth + 1 < len(paths):
            _walk(child, game, depth + 1, paths, terminals)


def _expand(env: VectorEnv, depth: int, paths: list[int], terminals: list[int]) -> None:
    parents, actions = env._joint_actions()
    for first in range(0, len(parents), CHUNK):
        some = slice(first, first + CHUNK)
        children = env.select(parents[some])
        over = children.step(actions[some]).terminated
        paths[depth] += len(over)
        terminals[depth] += int(np.count_nonzero(over))
        if depth + 1 < len(paths):
            _expand(children, depth + 1, paths, terminals)

