"""What is compared: each makes a loop that steps so many games by random legal actions, and counts steps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from choosing import Choose
from hex import rules as hex_rules

# What steps for about so many seconds, and answers how many steps that were.
Loop = Callable[[float], int]

# Names of the games in each library; for `ludex` a bundled name.
GAMES: dict[str, dict[str, str]] = {
    "connect four": {"ludex": "connect-four", "pgx": "connect_four", "openspiel": "connect_four", "pettingzoo": "connect_four_v3"},
    "tic-tac-toe": {"ludex": "tic-tac-toe", "pgx": "tic_tac_toe", "openspiel": "tic_tac_toe", "pettingzoo": "tictactoe_v3"},
    "hex 11x11": {"ludex": "hex", "pgx": "hex", "openspiel": "hex"},
    "othello": {"ludex": "reversi", "pgx": "othello", "openspiel": "othello"},
    "breakthrough": {"ludex": "breakthrough", "openspiel": "breakthrough"},
}


def until(seconds: float, n: int, step: Callable[[], None]) -> int:
    """Steps until the time is over; how many steps of single games."""
    end = time.perf_counter() + seconds
    steps = 0
    while time.perf_counter() < end:
        step()
        steps += n
    return steps


def ludex(game: str, n: int, seed: int, *, bits: bool = True, inside: bool = False) -> Loop:
    import ludex as library

    rules = library.Game.from_text(hex_rules(11), name="hex.kif") if game == "hex" else library.Game(game)
    env = library.VectorEnv(rules, n, seed=seed, bits=bits, copy=False)
    choose = Choose(env.num_actions, n, seed)
    now = env.reset(seed)

    def step() -> None:
        nonlocal now
        if inside:
            now = env.step()
        else:
            now = env.step(choose.from_words(now.legal) if bits else choose.from_bytes(now.legal))

    return lambda seconds: until(seconds, n, step)


def rollouts(game: str, n: int, seed: int) -> Loop:
    """Whole random games from all games, without telling what happens in between: to be seen beside `ludex bench`."""
    import ludex as library

    rules = library.Game.from_text(hex_rules(11), name="hex.kif") if game == "hex" else library.Game(game)
    each = 16
    played = rules.playouts(20_000)
    env = library.VectorEnv(rules, n, seed=seed, observe=None, masks=False, copy=False)
    steps = round(n * each * played.steps / 20_000)

    def step() -> None:
        nonlocal seed
        seed += 1000
        env.random_rollouts(each, seed=seed)

    return lambda seconds: until(seconds, steps, step)


def pgx(game: str, n: int, seed: int) -> Loop:
    import jax
    import pgx as library
    from pgx.experimental import auto_reset

    env = library.make(game)
    start = jax.jit(jax.vmap(env.init))
    advance = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    keys = jax.random.split(jax.random.PRNGKey(seed), n)
    now = start(keys)
    choose = Choose(env.num_actions, n, seed)

    def step() -> None:
        nonlocal now
        now = advance(now, choose.from_bytes(np.asarray(now.legal_action_mask)), keys)
        # What a learner would read.
        np.asarray(now.observation), np.asarray(now.rewards), np.asarray(now.terminated)

    step()
    return lambda seconds: until(seconds, n, step)


def openspiel(game: str, n: int, seed: int) -> Loop:
    """One state after the other, driven from Python."""
    import pyspiel

    spiel = pyspiel.load_game(game)
    states = [spiel.new_initial_state() for _ in range(n)]
    rng = np.random.default_rng(seed)

    def step() -> None:
        drawn = rng.random(n)
        for at, state in enumerate(states):
            legal = state.legal_actions()
            state.apply_action(legal[int(drawn[at] * len(legal))])
            if state.is_terminal():
                state.returns()
                states[at] = spiel.new_initial_state()
            else:
                state.legal_actions_mask()
                state.observation_tensor()

    return lambda seconds: until(seconds, n, step)


def openspiel_vector(game: str, n: int, seed: int) -> Loop:
    """Its own vectorised environment for learning."""
    from open_spiel.python import rl_environment
    from open_spiel.python.rl_agent import StepOutput
    from open_spiel.python.vector_env import SyncVectorEnv

    env: Any = SyncVectorEnv([rl_environment.Environment(game) for _ in range(n)])
    now: Any = env.reset()
    rng = np.random.default_rng(seed)

    def step() -> None:
        nonlocal now
        drawn = rng.random(n)
        outputs = []
        for at, one in enumerate(now):
            legal = one.observations["legal_actions"][one.observations["current_player"]]
            outputs.append(StepOutput(action=legal[int(drawn[at] * len(legal))], probs=None))
        now, _, _, _ = env.step(outputs, reset_if_done=True)

    return lambda seconds: until(seconds, n, step)


def pettingzoo(game: str, n: int, seed: int) -> Loop:
    import importlib

    module = importlib.import_module(f"pettingzoo.classic.{game}")
    envs = [module.raw_env() for _ in range(n)]
    for at, env in enumerate(envs):
        env.reset(seed=seed + at)
    rng = np.random.default_rng(seed)

    def step() -> None:
        for env in envs:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation, *_ = env.last()
            env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))

    return lambda seconds: until(seconds, n, step)


CONTENDERS: dict[str, Callable[[str, int, int], Loop]] = {
    "ludex": ludex,
    "ludex, a byte for each": lambda game, n, seed: ludex(game, n, seed, bits=False),
    "ludex, random inside": lambda game, n, seed: ludex(game, n, seed, inside=True),
    "ludex, random games": rollouts,
    "pgx": pgx,
    "openspiel": openspiel,
    "openspiel vectorised": openspiel_vector,
    "pettingzoo": pettingzoo,
}
LIBRARY = {name: name.split(",")[0].split(" ")[0] for name in CONTENDERS}
# What is one state after the other gains nothing by more of them.
MOST = {"openspiel": 1, "openspiel vectorised": 64, "pettingzoo": 1}
