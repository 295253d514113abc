# %% [markdown]
# # A player that teaches itself
#
# A small agent in the manner of AlphaZero: a network says which moves look good and who is likely to win, a tree search
# finds out more, and the network learns from what the search found, in games of the agent against itself. All games go on
# at once, as arrays: `ludex.VectorEnv` steps them, and numpy does the rest.
#
# It learns tic-tac-toe and connect four on a board of four by four, where nobody can win against best play. So it is
# measured in two ways: in matches against `uct`, a player that comes with the package, and against *every* way to play.
#
#     python alpha_zero.py            # some minutes
#     python alpha_zero.py --short    # seconds: it plays better than chance, not more

# %%
from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import ludex

Array = npt.NDArray[Any]

CONNECT_FOUR = """
; Connect four on four columns and four rows: four of one's own in a row win, a full board is a draw.
(role red) (role yellow)
(<= (base (cell ?x ?y ?p)) (index ?x) (index ?y) (role ?p))
(<= (base (control ?p)) (role ?p))
(<= (input ?p (drop ?x)) (role ?p) (index ?x))
(<= (input ?p noop) (role ?p))
(init (control red))
(<= (legal ?p (drop ?x)) (true (control ?p)) (index ?x) (not (filled ?x 4)))
(<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
(<= (filled ?x ?y) (true (cell ?x ?y ?p)))
(<= (next (cell ?x 1 ?p)) (does ?p (drop ?x)) (not (filled ?x 1)))
(<= (next (cell ?x ?s ?p)) (does ?p (drop ?x)) (filled ?x ?y) (succ ?y ?s) (not (filled ?x ?s)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))
(<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
(<= (four ?p) (index ?x) (owns ?p ?x 1) (owns ?p ?x 2) (owns ?p ?x 3) (owns ?p ?x 4))
(<= (four ?p) (index ?y) (owns ?p 1 ?y) (owns ?p 2 ?y) (owns ?p 3 ?y) (owns ?p 4 ?y))
(<= (four ?p) (owns ?p 1 1) (owns ?p 2 2) (owns ?p 3 3) (owns ?p 4 4))
(<= (four ?p) (owns ?p 1 4) (owns ?p 2 3) (owns ?p 3 2) (owns ?p 4 1))
(<= (owns ?p ?x ?y) (true (cell ?x ?y ?p)))
(<= open (index ?x) (not (filled ?x 4)))
(<= won (four ?p))
(<= terminal won)
(<= terminal (not open))
(<= (goal ?p 100) (four ?p))
(<= (goal ?p 0) (opponent ?p ?q) (four ?q))
(<= (goal ?p 50) (role ?p) (not won))
(opponent red yellow) (opponent yellow red)
(index 1) (index 2) (index 3) (index 4)
(succ 1 2) (succ 2 3) (succ 3 4)
"""

parser = argparse.ArgumentParser(description="An agent that learns two games by playing against itself.")
parser.add_argument("--short", action="store_true", help="train for seconds only")
parser.add_argument("--out", type=Path, default=Path("."), help="the folder for the picture")
parser.add_argument("--seed", type=int, default=1)
IN_NOTEBOOK = "ipykernel" in sys.modules  # That has arguments of its own.
options = parser.parse_args([] if IN_NOTEBOOK else None)
options.out.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The network
#
# Two hidden layers; one output for each action, and one for who wins, from the view of the player in turn. What goes in are
# the planes of the board and who is in turn. The gradients are worked out by hand, and Adam takes the steps.


# %%
class Network:
    def __init__(self, inputs: int, actions: int, rng: np.random.Generator, *, width: int = 128) -> None:
        sizes = [(inputs, width), (width, width), (width, actions + 1)]
        self.weights = [rng.normal(0, math.sqrt(2 / m), (m, n)).astype(np.float32) for m, n in sizes]
        self.weights[-1] *= 0.1  # At first, all moves look much the same.
        self.weights += [np.zeros(n, np.float32) for _, n in sizes]
        self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in self.weights]
        self.steps = 0

    def forward(self, inputs: Array, legal: Array) -> tuple[Array, Array, Array, Array]:
        a, b, c, d, e, f = self.weights
        first = np.maximum(inputs @ a + d, 0)
        second = np.maximum(first @ b + e, 0)
        out = second @ c + f
        logits = np.where(legal, out[:, :-1], -1e9)
        policy = np.exp(logits - logits.max(axis=1, keepdims=True))
        return policy / policy.sum(axis=1, keepdims=True), np.tanh(out[:, -1]), first, second

    def train(self, inputs: Array, legal: Array, policy: Array, worth: Array) -> tuple[float, float]:
        """A step towards these policies and values; gives back how far away both were."""
        got, value, first, second = self.forward(inputs, legal)
        n = len(inputs)
        out = np.concatenate([got - policy, (2 * (value - worth) * (1 - value**2))[:, None]], axis=1) / n
        below = (out @ self.weights[2].T) * (second > 0)
        lowest = (below @ self.weights[1].T) * (first > 0)
        gradients = [inputs.T @ lowest, first.T @ below, second.T @ out, lowest.sum(0), below.sum(0), out.sum(0)]
        self.steps += 1
        for weight, gradient, (mean, square) in zip(self.weights, gradients, self.moments):
            gradient = gradient + 1e-4 * weight
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            weight -= 1e-3 * mean / (1 - 0.9**self.steps) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
        return float(-(policy * np.log(got + 1e-9)).sum(1).mean()), float(((value - worth) ** 2).mean())


def inputs_of(step: ludex.Step) -> Array:
    assert step.observations is not None and step.players is not None
    turn = np.eye(2, dtype=np.float32)[step.players]
    return np.concatenate([step.observations.reshape(len(turn), -1).astype(np.float32), turn], axis=1)


# %% [markdown]
# ## The search
#
# Each game has a tree of its own, but all trees grow in step: a simulation goes down in all of them at once, where `select`
# copies the games that go on, and the network judges all new leaves together. Values are those of the first player.


# %%
def search(
    env: ludex.VectorEnv, network: Network, simulations: int, *, rng: np.random.Generator | None = None
) -> tuple[Array, Array]:
    """How often each action was tried in each game, and what the games are worth; `rng` makes noise at the roots."""
    root, n = env.observe(), env.num_envs
    assert root.legal is not None and root.players is not None
    shape = (n, simulations + 1, env.num_actions)
    prior, visits, total = (np.zeros(shape, np.float32) for _ in range(3))
    legal, child = np.zeros(shape, bool), np.full(shape, -1)
    sign, worth = np.ones(shape[:2], np.float32), np.zeros(shape[:2], np.float32)
    over = np.zeros(shape[:2], bool)
    everywhere = np.arange(n)
    inputs = inputs_of(root)

    def judge(games: Array, node: int) -> None:
        """The network's word on new nodes; of the end of a game the rules have said all."""
        prior[games, node], value, _, _ = network.forward(inputs[games], legal[games, node])
        worth[games, node] = np.where(over[games, node], worth[games, node], value * sign[games, node])

    legal[:, 0], sign[:, 0] = root.legal, 1.0 - 2.0 * root.players
    judge(everywhere, 0)
    if rng is not None:
        noise = rng.gamma(0.6, size=(n, env.num_actions)) * root.legal + 1e-9 * root.legal
        prior[:, 0] = 0.75 * prior[:, 0] + 0.25 * noise / noise.sum(axis=1, keepdims=True)
    for new in range(1, simulations + 1):
        path: list[tuple[Array, Array, Array]] = []
        games, states, here = everywhere, env.select(everywhere), np.zeros(n, np.intp)
        leaf, fresh = np.zeros(n, np.intp), np.zeros(n, bool)
        while len(games):
            tried = visits[games, here]
            mean = total[games, here] / np.maximum(tried, 1) * sign[games, here, None]
            bonus = 1.5 * prior[games, here] * np.sqrt(tried.sum(axis=1, keepdims=True) + 1) / (1 + tried)
            action = np.where(legal[games, here], mean + bonus, -np.inf).argmax(axis=1)
            path.append((games, here, action))
            step = states.step(action)
            assert step.legal is not None and step.players is not None
            below = child[games, here, action]
            is_new = below < 0
            grown = games[is_new]
            child[grown, here[is_new], action[is_new]] = new
            legal[grown, new], sign[grown, new] = step.legal[is_new], 1.0 - 2.0 * step.players[is_new]
            over[grown, new], worth[grown, new] = step.terminated[is_new], step.rewards[is_new, 0]
            inputs[grown], fresh[grown] = inputs_of(step)[is_new], True
            below = np.where(is_new, new, below)
            leaf[games] = below
            on = ~is_new & ~over[games, below]
            games, here = games[on], below[on]
            if len(games):
                states = states.select(np.flatnonzero(on))
        judge(np.flatnonzero(fresh), new)
        result = worth[everywhere, leaf]
        for games, here, action in path:
            visits[games, here, action] += 1
            total[games, here, action] += result[games]
    return visits[:, 0], total[:, 0].sum(axis=1) / simulations


# %% [markdown]
# ## Learning


# %%
class Agent:
    """What has learned a game. It can be asked as a function of a position and a role, so that it can play matches."""

    def __init__(self, game: ludex.Game, *, simulations: int, seed: int) -> None:
        self.game, self.simulations, self.rng = game, simulations, np.random.default_rng(seed)
        self.one = self.games(1, begins_anew=False)
        inputs = math.prod(self.one.observation_shape) + 2
        self.network = Network(inputs, self.one.num_actions, self.rng)

    def games(self, count: int, **more: Any) -> ludex.VectorEnv:
        return ludex.VectorEnv(self.game, count, observe="board", rewards=(-1.0, 1.0), **more)

    def __call__(self, position: ludex.Position, role: str) -> int:
        if position.turn != role:
            return position.legal_actions(role)[0]
        self.one.set_position(0, position)
        return int(self.choose(self.one)[0])

    def choose(self, env: ludex.VectorEnv) -> Array:
        visits, _ = search(env, self.network, self.simulations)
        best: Array = visits.argmax(axis=1)
        return best

    def learn(self, rounds: int, simulations: int, count: int = 128, updates: int = 64) -> list[tuple[float, ...]]:
        """Plays `count` games for eight steps in each round, and learns from those that came to their ends."""
        env = self.games(count, seed=int(self.rng.integers(1 << 31)))
        step = env.observe()
        pending: list[list[tuple[Array, ...]]] = [[] for _ in range(count)]
        memory: list[tuple[Array, ...]] = []
        curve: list[tuple[float, ...]] = []
        played, began = 0, time.perf_counter()
        for number in range(1, rounds + 1):
            for _ in range(8):
                visits, value = search(env, self.network, simulations, rng=self.rng)
                policy = visits / visits.sum(axis=1, keepdims=True)
                action = (policy.cumsum(axis=1) > self.rng.random((count, 1))).argmax(axis=1)
                assert step.legal is not None and step.players is not None
                sign = 1.0 - 2.0 * step.players
                for waiting, row in zip(pending, zip(inputs_of(step), step.legal, policy, sign, value)):
                    waiting.append(row)
                step = env.step(action)
                for at in np.flatnonzero(step.terminated):
                    # What came of the game, and what the search thought of it, in equal parts: less is left to luck.
                    result = step.rewards[at, 0]
                    memory += [(i, m, p, s * (result + v) / 2) for i, m, p, s, v in pending[at]]
                    pending[at], played = [], played + 1
            memory = memory[-20_000:]
            if memory:
                losses = []
                for _ in range(updates):
                    batch = [memory[at] for at in self.rng.integers(len(memory), size=256)]
                    losses.append(self.network.train(*map(np.array, zip(*batch))))
                policy_loss, value_loss = np.mean(losses, axis=0)
            if number == 1 or number % max(rounds // 8, 1) == 0:
                share = self.against_chance()
                curve.append((played, policy_loss, value_loss, share))
                print(
                    f"  {played:6d} games, {time.perf_counter() - began:4.0f} s:  policy loss {policy_loss:.3f}  "
                    f"value loss {value_loss:.3f}  network alone against chance {share:.3f}",
                    flush=True,
                )
        return curve

    def against_chance(self, count: int = 400) -> float:
        """The share of the points of the network without any search against random moves, from both seats."""
        env = self.games(count, begins_anew=False, seed=7)
        step, points, rng = env.observe(), np.zeros((count, 2)), np.random.default_rng(7)
        seat = np.arange(count) % 2
        while step.legal is not None and step.legal.any():
            policy, _, _, _ = self.network.forward(inputs_of(step), step.legal)
            chance = np.where(step.legal, rng.random(step.legal.shape), -1.0)
            step = env.step(np.where(step.players == seat, policy.argmax(axis=1), chance.argmax(axis=1)))
            points += step.rewards
        return float(points[np.arange(count), seat].mean() + 1) / 2


# %% [markdown]
# ## Against every way to play
#
# The agent chooses the same in the same position, so all games that anybody can play against it can be gone through:
# where the other one moves, `expand` gives what each of its moves leads to. Equal boards are looked at once only.


# %%
def against_everybody(agent: Agent, seat: int) -> dict[str, int]:
    """How many different ends of each kind there are for the agent on a seat."""
    env, ends = agent.games(1, begins_anew=False), {"won": 0, "drawn": 0, "lost": 0}
    while len(env):
        step = env.observe()
        assert step.players is not None
        if step.players[0] == seat:
            step = env.step(agent.choose(env))
        else:
            _, _, step, env = env.expand()
        assert step.observations is not None
        boards = step.observations.reshape(len(env), -1)
        _, different = np.unique(boards, axis=0, return_index=True)
        for at in different[step.terminated[different]]:
            ends[("lost", "drawn", "won")[int(np.sign(step.rewards[at, seat])) + 1]] += 1
        env = env.select(different[~step.terminated[different]])
    return ends


# %% [markdown]
# ## Results
#
# Matches against `uct` come in pairs: one random opening move, played on from both seats. So the agent also gets into
# positions that its own first move would not lead to, of which the games above say nothing.


# %%
def measure(agent: Agent, playouts: int, rounds: int) -> float:
    """The agent's share of the points against `uct` over so many pairs of matches."""
    uct = ludex.Player("uct", playouts=playouts, time=math.inf)
    played = ludex.tournament([agent.game], {"agent": agent, "uct": uct}, rounds=rounds, opening=1, seed=options.seed)
    row = played.table().rows[played.table()["player"].index("agent")]
    print(
        f"  against uct of {playouts} playouts: {row['won']} won, {row['drawn']} drawn, {row['lost']} lost; "
        f"share {row['share']:.3f} ({row['share_low']:.3f} to {row['share_high']:.3f})",
        flush=True,
    )
    return float(row["share"])


def main(game: ludex.Game, rounds: int) -> list[tuple[float, ...]]:
    print(f"{game.name}: with best play {game.solve().values}", flush=True)
    agent = Agent(game, simulations=16 if options.short else 100, seed=options.seed)
    curve = agent.learn(rounds, 16 if options.short else 32)
    assert curve[-1][-1] > 0.6, "it has to be better than chance"
    for seat, role in enumerate(game.seats):
        print(f"  as {role} against every way to play: {against_everybody(agent, seat)}", flush=True)
    for playouts in (10,) if options.short else (10, 100, 400):
        measure(agent, playouts, 2 if options.short else 30)
    return curve


curves = {
    game.name: main(game, rounds)
    for game, rounds in [
        (ludex.Game("tic-tac-toe"), 4 if options.short else 60),
        (ludex.Game.from_text(CONNECT_FOUR, name="connect-four-4x4"), 12 if options.short else 120),
    ]
}

# %%
try:
    import matplotlib
except ImportError:
    print("matplotlib is not there: no picture of the learning curves")
else:
    if not IN_NOTEBOOK:
        matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for name, curve in curves.items():
        axes.plot([row[0] for row in curve], [row[-1] for row in curve], marker="o", label=name)
    axes.set(xlabel="games played", ylabel="share of points against chance", ylim=(0.4, 1))
    axes.legend()
    figure.savefig(options.out / "alpha_zero.png", dpi=120)
    print(f"{options.out / 'alpha_zero.png'}: the learning curves")
