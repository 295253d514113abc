"""Games as environments of Gymnasium: one seat learns, somebody else plays the others.

    import gymnasium
    import ludex.gymnasium

    env = gymnasium.make("ludex/Game-v0", game="connect-four")
    observation, info = env.reset(seed=1)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated

`VectorEnv` is many games at once, in arrays. `pip install ludex[gymnasium]` brings what this needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from ._extras import missing

try:
    import gymnasium
    import numpy as np
    from gymnasium import spaces
    from numpy.typing import NDArray
except ImportError as error:
    raise ImportError(missing("gymnasium and numpy", "gymnasium")) from error

from ._gymnasium_vector import VectorEnv, VectorOpponent
from ._ludex import Position
from ._match import GameLike, Match, as_action, as_game, checked_max, layout, reward_bounds, scaled, seat_number
from .errors import MoveError

__all__ = ["ENV_ID", "Env", "Opponent", "VectorEnv", "VectorOpponent", "register"]

ENV_ID = "ludex/Game-v0"
"""What `gymnasium.make` knows the environment by; the arguments of `Env` follow."""

Opponent: TypeAlias = Callable[[Position, str], int]
"""Chooses a move for a role in a position: a number among `position.legal_actions(role)`."""


class Env(gymnasium.Env[NDArray[np.int8], np.int64]):
    """One seat of a game.

    `game` is a game, the name of one that comes with the package, or the path of a rulesheet; `role` is the seat that is
    played here, the first by default.

    The action space is `Discrete(len(game.actions))`: action `i` is the move `game.actions[i]`, and
    `info["action_mask"]` (shape `(len(game.actions),)`, `int8`) has a 1 for each that is legal now. `action_masks()` is
    the same as `bool`.

    The observation space is `MultiBinary(n)`, and observations are vectors of `n` zeros and ones (`int8`). Where there
    is perfect information, `n` is `len(game.propositions)`, and place `i` says whether the fact `game.propositions[i]`
    holds. Elsewhere `n` is `2 * (len(env.percepts) + 1) + len(game.actions)`: what the seat saw in the steps since its
    last own action, what it saw since the game began, and its last own action. The first two parts have a place for each
    of `env.percepts` and one at the end for all that is not among them. The mask is part of what the seat knows.

    `opponent` chooses for the other seats where they have a choice; it is given a copy of the position, which shows more
    than the seat sees in games of incomplete information. By default it is a legal move at random. Chance draws each of
    its legal moves with the same likelihood. `reset(seed=...)` decides both.

    The reward is 0 until the game is over, and then the goal value, 0 to 100, mapped to `reward_range`. After `max_steps`
    actions the episode is truncated. With `skip_forced`, steps in which the seat has no choice are made by themselves;
    only where a game would be over before the first choice, its last step is left to make.

    An action that is not legal ends the episode with the lowest reward and `info["illegal_action"]`, or raises
    `MoveError` with `illegal="raise"`. A game in which somebody has no legal move raises `StuckError`, and one
    that goes on and on without a choice for the seat `LimitError`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "svg"], "render_fps": 1}

    def __init__(
        self,
        game: GameLike = "tic-tac-toe",
        *,
        role: str | None = None,
        opponent: Opponent | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        skip_forced: bool = True,
        max_steps: int | None = None,
        illegal: Literal["end", "raise"] = "end",
        render_mode: str | None = None,
    ) -> None:
        self.game = as_game(game)
        self._layout = layout(self.game)
        self._seat = seat_number(self.game, role)
        self.role = self.game.seats[self._seat]
        self.percepts = list(self._layout.percepts)
        """What can be seen, in games of incomplete information: the first part of an observation."""
        self._opponent = opponent
        self.reward_range = reward_bounds(reward_range)
        self._skip_forced = skip_forced
        self._max_steps = checked_max("max_steps", max_steps)
        if illegal not in ("end", "raise"):
            raise ValueError(f"illegal is `end` or `raise`, not `{illegal}`")
        self._illegal = illegal
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode is `ansi` or `svg`, not `{render_mode}`")
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(self._layout.actions)
        self.observation_space = spaces.MultiBinary(self._layout.size)
        self._match: Match | None = None
        self._over = True
        self._steps = 0

    @property
    def position(self) -> Position:
        """Where the game is: a copy."""
        return self._in_play().position.copy()

    def _in_play(self) -> Match:
        if self._match is None:
            raise MoveError("the environment was not reset yet")
        return self._match

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Starts a game; options are not used."""
        super().reset(seed=seed)
        self._match = Match(self._layout)
        self._over, self._steps = False, 0
        if self._skip_forced:
            self._wait(self._match, stay_in_play=True)
        return self._match.observation(self._seat), self._info(self._match)

    def step(self, action: np.int64 | int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Makes a move and what follows until the seat has a choice again."""
        match = self._in_play()
        if self._over:
            raise MoveError("the episode is over: reset the environment")
        number = as_action(action, self._layout.actions)
        if number not in match.moves(self._seat):
            if self._illegal == "raise":
                raise MoveError(f"`{self.game.actions[number]}` is not a legal move of `{self.role}`")
            self._over = True
            info = self._info(match)
            info["illegal_action"] = True
            return match.observation(self._seat), self.reward_range[0], True, False, info
        self._advance(match, number)
        if self._skip_forced:
            self._wait(match)
        self._steps += 1
        truncated = not match.over and self._max_steps is not None and self._steps >= self._max_steps
        self._over = match.over or truncated
        reward = scaled(match.goals()[self._seat], self.reward_range) if match.over else 0.0
        return match.observation(self._seat), reward, match.over, truncated, self._info(match)

    def _info(self, match: Match) -> dict[str, Any]:
        return {"action_mask": match.mask(self._seat), "game_step": match.position.step}

    def _wait(self, match: Match, *, stay_in_play: bool = False) -> None:
        """Makes steps until the seat has a choice."""
        first = match.position.step
        while not match.over and len(match.moves(self._seat)) == 1:
            match.check_progress(first)
            before = match.copy() if stay_in_play else None
            self._advance(match, None)
            if before is not None and match.over:
                match.__dict__.update(before.__dict__)
                return

    def _advance(self, match: Match, action: int | None) -> None:
        """Makes one step of the game; without an action, the only one that there is."""
        moves = {} if action is None else {self._seat: action}
        for seat in match.choosers():
            if seat != self._seat:
                moves[seat] = self._choose(match, seat)
        match.step(moves, () if action is None else (self._seat,), self.np_random)

    def _choose(self, match: Match, seat: int) -> int:
        legal = match.moves(seat)
        if self._opponent is None:
            return legal[self.np_random.integers(len(legal))]
        role = self.game.seats[seat]
        number = as_action(self._opponent(match.position.copy(), role), self._layout.actions)
        if number not in legal:
            raise MoveError(f"the opponent chose `{self.game.actions[number]}`, which is not a legal move of `{role}`")
        return number

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now: shape `(len(game.actions),)`, as sb3-contrib asks for it."""
        return self._in_play().mask(self._seat).astype(np.bool_)

    def render(self) -> str | None:
        """The board as text (`ansi`) or as an SVG document (`svg`)."""
        if self.render_mode is None:
            return None
        match = self._in_play()
        return match.text() if self.render_mode == "ansi" else match.position.svg()


def register() -> None:
    """Makes `ludex/Game-v0` known to `gymnasium.make` and `make_vec`; importing this module has done it."""
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            id=ENV_ID, entry_point="ludex.gymnasium:Env", vector_entry_point="ludex.gymnasium:VectorEnv"
        )


register()
