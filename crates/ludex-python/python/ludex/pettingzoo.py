"""Games as environments of PettingZoo: each seat is an agent.

    from ludex.pettingzoo import env

    environment = env("three-player-tic-tac-toe")
    environment.reset(seed=1)
    for agent in environment.agent_iter():
        observation, reward, terminated, truncated, info = environment.last()
        if terminated or truncated:
            action = None
        else:
            action = environment.action_space(agent).sample(observation["action_mask"])
        environment.step(action)

`pip install ludex[pettingzoo]` brings what this needs. PettingZoo from 1.27 on knows both kinds by name, too:
`pettingzoo.make("aec", "ludex/Game-v0", game="nim")`, and with `"parallel"`.

What both kinds of environment have in common:

`game` is a game, the name of one that comes with the package, or the path of a rulesheet. The agents are its seats.

The action space of each agent is `Discrete(len(game.actions))`: action `i` is the move `game.actions[i]`.

Observations are dictionaries as those of PettingZoo's classic games. `action_mask` (shape `(len(game.actions),)`, `int8`) has
a 1 for each legal move of an agent that is asked for one, and is all 0 for others. `observation` is a vector of `n` zeros and
ones (`int8`). Where there is perfect information, `n` is `len(game.propositions)`, and place `i` says whether the fact
`game.propositions[i]` holds. Elsewhere `n` is `2 * (len(environment.percepts) + 1) + len(game.actions)`: what the agent saw in
the steps since it was last asked, what it saw since the game began, and what it did when it was last asked. The first two parts
have a place for each of `environment.percepts` and one at the end for all that is not among them. All agents have the same places.

`state()` is the vector of all facts, for training with a view from above; its shape is `(len(game.propositions),)`, its type
`int8`.

Rewards are 0 until the game is over, and then the goal values, 0 to 100, mapped to `reward_range`. After `max_cycles` steps
in which somebody was asked, all agents are truncated. With `skip_forced`, steps in which no agent has a choice are made by
themselves; only where a game would be over before the first choice, its last step is left to make. Chance draws each of its
legal moves with the same likelihood, as `reset(seed=...)` decides.

An action that is not legal ends the game for all agents: who made it has the lowest reward and `illegal_action` in its info,
and the others have 0, as with PettingZoo's `TerminateIllegalWrapper`. With `illegal="raise"` it raises `MoveError` and
changes nothing. A game in which somebody has no legal move raises `StuckError`, and one that goes on and on without a choice
`LimitError`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

from ._extras import missing

try:
    import numpy as np
    import pettingzoo
    from gymnasium import spaces
    from numpy.typing import NDArray
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError(missing("pettingzoo, gymnasium and numpy", "pettingzoo")) from error

from ._ludex import Game, Position
from ._match import GameLike, Match, as_action, as_game, checked_max, layout, reward_bounds, scaled
from .errors import MoveError, UnknownNameError

__all__ = ["ENV_ID", "AECEnv", "Observation", "ParallelEnv", "env", "parallel_env", "register"]

ENV_ID = "ludex/Game-v0"
"""What `pettingzoo.make` knows the environments by; the options of `env` and `parallel_env` follow."""

Observation: TypeAlias = dict[str, NDArray[np.int8]]
"""`observation` and `action_mask`."""

Illegal: TypeAlias = Literal["end", "raise"]


class _Table:
    """What the two kinds of environment share: the spaces, and a game in play."""

    def __init__(
        self,
        game: GameLike,
        reward_range: tuple[float, float],
        skip_forced: bool,
        max_cycles: int | None,
        illegal: Illegal,
        render_mode: str | None,
    ) -> None:
        self.game = as_game(game)
        self.layout = layout(self.game)
        self.reward_range = reward_bounds(reward_range)
        self.skip_forced = skip_forced
        self.max_cycles = checked_max("max_cycles", max_cycles)
        if illegal not in ("end", "raise"):
            raise ValueError(f"illegal is `end` or `raise`, not `{illegal}`")
        self.illegal = illegal
        if render_mode not in (None, "ansi", "svg"):
            raise ValueError(f"render_mode is `ansi` or `svg`, not `{render_mode}`")
        self.render_mode = render_mode
        places = self.layout
        self.action_spaces = {seat: spaces.Discrete(places.actions) for seat in places.seats}
        self.observation_spaces = {
            seat: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (places.size,), np.int8),
                    "action_mask": spaces.Box(0, 1, (places.actions,), np.int8),
                }
            )
            for seat in places.seats
        }
        self.state_space = spaces.Box(0, 1, (places.facts,), np.int8)
        self.random: np.random.Generator | None = None
        self.match: Match | None = None
        self.cycles = 0

    def start(self, seed: int | None) -> Match:
        if self.random is None or seed is not None:
            self.random = np.random.default_rng(seed)
        self.match = Match(self.layout)
        self.cycles = 0
        if self.skip_forced:
            self.match.skip_forced(self.random, stay_in_play=True)
        return self.match

    def in_play(self) -> Match:
        if self.match is None:
            raise MoveError("the environment was not reset yet")
        return self.match

    def step(self, moves: dict[int, int]) -> bool:
        """Makes a step with the moves of those that were asked; says whether there were as many steps as may be."""
        match, random = self.in_play(), self.random
        assert random is not None, "with a match there is a generator"
        # Agents may be given the only move that they have, or not: what they see does not depend on that.
        match.step(moves, match.asked(), random)
        if self.skip_forced:
            match.skip_forced(random)
        self.cycles += 1
        return not match.over and self.max_cycles is not None and self.cycles >= self.max_cycles

    def observation(self, seat: int, *, asked: bool) -> Observation:
        match = self.in_play()
        mask = match.mask(seat) if asked else np.zeros(self.layout.actions, np.int8)
        return {"observation": match.observation(seat), "action_mask": mask}

    def rewards(self) -> list[float]:
        """The rewards at the end of a game."""
        return [scaled(goal, self.reward_range) for goal in self.in_play().goals()]

    def legal(self, seat: int, action: object) -> int | None:
        """The number of an action; `None` for one that is not legal, if it does not raise."""
        number = as_action(action, self.layout.actions)
        if number in self.in_play().moves(seat):
            return number
        if self.illegal == "raise":
            raise MoveError(f"`{self.game.actions[number]}` is not a legal move of `{self.layout.seats[seat]}`")
        return None

    def render(self) -> str | None:
        if self.render_mode is None:
            return None
        return self.in_play().text() if self.render_mode == "ansi" else self.in_play().position.svg()


class _OfTable:
    """What the two kinds of environment say in the same way."""

    game: Game
    percepts: list[str]
    possible_agents: list[str]
    agents: list[str]
    render_mode: str | None
    state_space: spaces.Box
    _table: _Table

    def _sit_down(self, table: _Table) -> None:
        self._table = table
        self.game = table.game
        self.percepts = list(table.layout.percepts)
        self.possible_agents = list(table.game.seats)
        self.agents = []
        self.render_mode = table.render_mode
        self.state_space = table.state_space

    @property
    def position(self) -> Position:
        """Where the game is: a copy, without what was chosen in a step that others have not chosen in yet."""
        return self._table.in_play().position.copy()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """`Dict` of `observation` and `action_mask`."""
        return self._table.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """`Discrete(len(game.actions))`."""
        return self._table.action_spaces[agent]

    def state(self) -> NDArray[np.int8]:
        """All facts, whoever sees them: shape `(len(game.propositions),)`."""
        return self._table.in_play().state()

    def render(self) -> str | None:
        """The board as text (`ansi`) or as an SVG document (`svg`)."""
        return self._table.render()

    def close(self) -> None:
        """There is nothing to release."""


class AECEnv(_OfTable, pettingzoo.AECEnv[str, Observation, "int | None"]):  # type: ignore[misc]  # PettingZoo has no types.
    """One agent acts after the other; the module says what it observes and gets.

    Where the game takes turns, only the agent in turn acts, which may be the same one several times. Where several agents
    have a choice in the same step, they act one after the other, in the order of the seats, and none sees what the others
    chose before all have chosen. Agents without a choice are passed over; with `skip_forced=False` the one in turn has to
    make the only move that it has, and so have all where none is in turn.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi", "svg"],
        "name": "ludex_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        game: GameLike = "tic-tac-toe",
        *,
        reward_range: tuple[float, float] = (-1.0, 1.0),
        skip_forced: bool = True,
        max_cycles: int | None = None,
        illegal: Illegal = "end",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._sit_down(_Table(game, reward_range, skip_forced, max_cycles, illegal, render_mode))
        self._waiting: list[int] = []
        self._chosen: dict[int, int] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game; options are not used."""
        match = self._table.start(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._ask(match)

    def _ask(self, match: Match) -> None:
        """Those who are asked in this step, one after the other."""
        self._chosen = {}
        self._waiting = match.asked()
        self.agent_selection = self.possible_agents[self._waiting[0]]

    def step(self, action: int | None) -> None:
        """Makes a move of the agent in turn; `None` for one whose game is over, which removes it."""
        match = self._table.in_play()
        if not self.agents:
            raise MoveError("the game is over: reset the environment")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = self._waiting[0]
        number = self._table.legal(seat, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if number is None:
            self.rewards[agent] = self._table.reward_range[0]
            self.infos[agent]["illegal_action"] = True
            self._end()
            return
        self._chosen[seat] = number
        del self._waiting[0]
        if self._waiting:
            self.agent_selection = self.possible_agents[self._waiting[0]]
            return
        truncated = self._table.step(self._chosen)
        if match.over:
            self.rewards = dict(zip(self.agents, self._table.rewards()))
            self._end()
        else:
            self._ask(match)
            if truncated:
                self._end(truncated=True)

    def _end(self, *, truncated: bool = False) -> None:
        ended = self.truncations if truncated else self.terminations
        ended.update(dict.fromkeys(self.agents, True))
        self._waiting = []
        self._accumulate_rewards()
        self._deads_step_first()

    def observe(self, agent: str) -> Observation:
        """What an agent sees. Its mask is all 0 unless it is the one that acts."""
        if agent not in self.possible_agents:
            raise UnknownNameError(f"there is no agent `{agent}` in `{self.game.name}`")
        seat = self.possible_agents.index(agent)
        return self._table.observation(seat, asked=bool(self._waiting) and self._waiting[0] == seat)


class ParallelEnv(_OfTable, pettingzoo.ParallelEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo has no types.
    """All agents act at once, in each step of the game; the module says what they observe and get.

    An agent without a choice makes the only move that it has, and its action may be left out. So this goes for games that
    take turns, too, where all but one wait, though `AECEnv` is the better fit for those.
    Only agents with a choice count as asked, or where nobody has one, whoever is in turn, or else all.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "svg"], "name": "ludex_v0", "render_fps": 1}

    def __init__(
        self,
        game: GameLike = "rock-paper-scissors",
        *,
        reward_range: tuple[float, float] = (-1.0, 1.0),
        skip_forced: bool = True,
        max_cycles: int | None = None,
        illegal: Illegal = "end",
        render_mode: str | None = None,
    ) -> None:
        self._sit_down(_Table(game, reward_range, skip_forced, max_cycles, illegal, render_mode))

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Starts a game; options are not used."""
        self._table.start(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def _observations(self) -> dict[str, Observation]:
        return {agent: self._table.observation(seat, asked=True) for seat, agent in enumerate(self.possible_agents)}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Makes a step. Agents with a choice have to have an action; what is `None` counts as left out."""
        match = self._table.in_play()
        if not self.agents:
            raise MoveError("the game is over: reset the environment")
        for agent in actions:
            if agent not in self.agents:
                raise UnknownNameError(f"there is no agent `{agent}` in `{self.game.name}`")
        agents = self.agents
        moves: dict[int, int] = {}
        wrong: list[str] = []
        for seat, agent in enumerate(self.possible_agents):
            action = actions.get(agent)
            if action is None:
                if len(match.moves(seat)) > 1:
                    raise MoveError(f"`{agent}` has a choice, and no action")
                continue
            number = self._table.legal(seat, action)
            if number is None:
                wrong.append(agent)
            else:
                moves[seat] = number
        rewards = dict.fromkeys(agents, 0.0)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        truncated = False
        if wrong:
            for agent in wrong:
                rewards[agent] = self._table.reward_range[0]
                infos[agent]["illegal_action"] = True
        else:
            truncated = self._table.step(moves)
            if match.over:
                rewards = dict(zip(agents, self._table.rewards()))
        terminated = bool(wrong) or match.over
        if terminated or truncated:
            self.agents = []
        return (
            self._observations(),
            rewards,
            dict.fromkeys(agents, terminated),
            dict.fromkeys(agents, truncated),
            infos,
        )


def env(game: GameLike = "tic-tac-toe", **options: Any) -> pettingzoo.AECEnv[str, Observation, int | None]:
    """An `AECEnv` in the wrappers that PettingZoo's own games have; the options are those of `AECEnv`.

    They check that actions are numbers of the action space, and that methods are called in order.
    """
    wrapped = wrappers.AssertOutOfBoundsWrapper(AECEnv(game, **options))
    return wrappers.OrderEnforcingWrapper(wrapped)


def parallel_env(game: GameLike = "rock-paper-scissors", **options: Any) -> ParallelEnv:
    """A `ParallelEnv` with these options."""
    return ParallelEnv(game, **options)


def register() -> None:
    """Makes `ludex/Game-v0` known to `pettingzoo.make`, where there is that; importing this module has done it."""
    for kind, function in (("aec", "env"), ("parallel", "parallel_env")):
        if hasattr(pettingzoo, "register") and ENV_ID not in getattr(pettingzoo, f"{kind}_registry"):
            pettingzoo.register(kind, ENV_ID, entry_point=f"ludex.pettingzoo:{function}")


register()
