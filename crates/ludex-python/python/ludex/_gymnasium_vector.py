"""Many games at once as one environment of Gymnasium: what `ludex.gymnasium.VectorEnv` is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from ._match import FORCED_STEPS, GameLike, as_game, checked_max, layout, reward_bounds, seat_number
from ._ludex import Position
from .errors import LimitError, MoveError, StuckError
from .vector import VectorEnv as Games

__all__ = ["VectorEnv", "VectorOpponent"]

Observations: TypeAlias = NDArray[np.int8]

VectorOpponent: TypeAlias = Callable[[Observations, NDArray[np.bool_], np.random.Generator], ArrayLike]
"""Chooses for a seat in `m` games: given observations `(m, n)`, legal actions `(m, a)` and a source of chance, `m` actions."""


def random_actions(observations: Observations, masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.intp]:
    """A legal action of each game, each as likely as the others."""
    numbers: NDArray[np.float64] = np.where(masks, rng.random(masks.shape), -1.0)
    actions: NDArray[np.intp] = numbers.argmax(axis=1)
    return actions


class VectorEnv(gymnasium.vector.VectorEnv[Observations, NDArray[np.int64], NDArray[Any]]):
    """One seat of `num_envs` games, which are stepped together in Rust.

    It is the vector of as many `ludex.gymnasium.Env` with the same arguments, but much faster; `gymnasium.make_vec` makes
    it, too: `gymnasium.make_vec("ludex/Game-v0", num_envs=1000, game="connect-four")`. With `a` actions, and observations of
    `n` places, as `Env` has them:

    - `reset` gives observations `(num_envs, n)`, `int8`, and infos.
    - `step` takes actions `(num_envs,)`, whole numbers, and gives observations, rewards `(num_envs,)`, `float64`,
      terminations and truncations `(num_envs,)`, `bool`, and infos.
    - `infos["action_mask"]` is `(num_envs, a)`, `int8`, and has a 1 for each action that is legal now;
      `infos["game_step"]` is `(num_envs,)`, `int64`.

    A game that is over begins anew in the same step (`AutoresetMode.SAME_STEP`): observations and infos are those of the
    new game. `infos["final_obs"]`, an array of objects, has the last observation of each game that is over, else `None`;
    `infos["final_info"]` is a dict of arrays such as infos are, with `illegal_action` where one was chosen. As everywhere
    in Gymnasium, `infos["_final_obs"]` and the like say which games a value is of.

    `opponent` chooses for every other seat that has a choice: a function of observations `(m, n)`, `int8`, legal actions
    `(m, a)`, `bool`, and a `numpy.random.Generator`, that gives `m` actions. It sees what the seat sees. By default each
    legal action is as likely as the others.

    `reset(seed=...)` decides chance and opponents; a list of seeds is one seed for all games together, so that no game of
    a vector is that of a single `Env` with the same seed. `reset(options={"reset_mask": mask})` begins some games anew.

    Raises as `Env`; an action that is not legal ends the episode with the lowest reward, or raises `MoveError` with
    `illegal="raise"`, and nothing has happened then. What cannot be seen by the rules of the game as a list that is known
    before raises `ValueError`: a vector of single environments goes for these games.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: GameLike = "tic-tac-toe",
        num_envs: int = 1,
        *,
        role: str | None = None,
        opponent: VectorOpponent | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        skip_forced: bool = True,
        max_steps: int | None = None,
        illegal: Literal["end", "raise"] = "end",
        threads: int = 1,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"there cannot be {num_envs} games")
        if illegal not in ("end", "raise"):
            raise ValueError(f"illegal is `end` or `raise`, not `{illegal}`")
        self.game = as_game(game)
        self._layout = layout(self.game)
        self._seat = seat_number(self.game, role)
        self.role = self.game.seats[self._seat]
        self.percepts = list(self._layout.percepts)
        """What can be seen, in games of incomplete information: the first part of an observation."""
        self._opponent = random_actions if opponent is None else opponent
        self.reward_range = reward_bounds(reward_range)
        self._skip_forced, self._illegal = skip_forced, illegal
        self._max_steps = checked_max("max_steps", max_steps)
        self.num_envs = num_envs
        self.single_action_space = spaces.Discrete(self._layout.actions)
        self.single_observation_space = spaces.MultiBinary(self._layout.size)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        known = self.game.percepts
        if not self._layout.perfect and set(known) != set(self.percepts):
            raise ValueError(f"what can be seen in `{self.game.name}` is not known before: take single environments")
        # Numbers of what is seen as the engine has them, in the order of the observation.
        self._places = [] if self._layout.perfect else [known.index(percept) for percept in self.percepts]
        self._games = Games(
            self.game,
            num_envs,
            in_turns=False,
            observe="facts" if self._layout.perfect else "percepts",
            begins_anew=False,
            rewards=(0.0, 100.0),
            threads=threads,
        )
        self._start: Position = self.game.start()
        seats = len(self.game.seats)
        self._facts: Observations = np.zeros((num_envs, self._layout.facts if self._layout.perfect else 0), np.int8)
        seen = (num_envs, seats, 0 if self._layout.perfect else len(self.percepts) + 1)
        self._recent: Observations = np.zeros(seen, np.int8)
        self._ever: Observations = np.zeros(seen, np.int8)
        self._last: NDArray[np.int64] = np.full((num_envs, seats), -1, np.int64)
        self._legal: NDArray[np.bool_] = np.zeros((num_envs, seats, self._layout.actions), np.bool_)
        self._game_steps: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._actions_made: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        self._over: NDArray[np.bool_] = np.zeros(num_envs, np.bool_)
        """Games that came to their end in this step."""
        self._began = False

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begins all games anew, or those of `options["reset_mask"]`, `(num_envs,)`, `bool`."""
        if seed is not None and not isinstance(seed, (int, np.integer)):
            seed = int(np.random.SeedSequence([int(one) for one in seed]).generate_state(1, np.uint64)[0])
        super().reset(seed=None if seed is None else int(seed))
        which: NDArray[np.intp] = np.arange(self.num_envs)
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise ValueError(f"reset_mask is an array of bool with shape ({self.num_envs},)")
            if not self._began and not mask.all():
                raise MoveError("the environment was not reset yet")
            which = np.flatnonzero(mask)
        if len(which) == self.num_envs:
            self._games.reset(self._chance())
        self._began = True
        self._begin(which)
        infos: dict[str, Any] = {}
        self._tell(infos, which)
        return self._observations(self._seat), infos

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Makes a move in every game, and what follows until the seat has a choice again."""
        if not self._began:
            raise MoveError("the environment was not reset yet")
        given = self._checked(actions)
        numbers = np.arange(self.num_envs)
        legal: NDArray[np.bool_] = self._legal[numbers, self._seat, given]
        if self._illegal == "raise" and not legal.all():
            action = self.game.actions[given[int(np.argmin(legal))]]
            raise MoveError(f"`{action}` is not a legal move of `{self.role}`")
        playing = np.flatnonzero(legal)
        rewards = np.where(legal, 0.0, self.reward_range[0])
        terminated = ~legal
        over, goals = self._advance(playing, given[playing])
        self._reward(playing[over], goals[over], rewards, terminated)
        self._actions_made[playing] += 1
        if self._skip_forced:
            which = playing[~over]
            first = self._game_steps.copy()
            while len(which := which[self._is_forced(which)]):
                self._check_progress(which, first)
                over, goals = self._advance(which)
                self._reward(which[over], goals[over], rewards, terminated)
                which = which[~over]
        truncated = np.zeros(self.num_envs, np.bool_)
        if self._max_steps is not None:
            truncated = ~terminated & (self._actions_made >= self._max_steps)
        infos: dict[str, Any] = {}
        finished = np.flatnonzero(terminated | truncated)
        if len(finished):
            self._tell_ends(infos, finished, ~legal)
            self._begin(finished)
        self._tell(infos, numbers)
        return self._observations(self._seat), rewards, terminated, truncated, infos

    def _checked(self, actions: ArrayLike) -> NDArray[np.int64]:
        given = np.asarray(actions)
        if not np.issubdtype(given.dtype, np.integer):
            raise TypeError(f"actions are whole numbers, not {given.dtype}")
        if given.shape != (self.num_envs,):
            raise ValueError(f"actions have the shape ({self.num_envs},), not {given.shape}")
        if int(given.min()) < 0 or int(given.max()) >= self._layout.actions:
            raise MoveError(f"actions are numbers from 0 to {self._layout.actions - 1}")
        return given.astype(np.int64)

    def _chance(self) -> int:
        return int(self.np_random.integers(2**63))

    def _is_forced(self, which: NDArray[np.intp]) -> NDArray[np.bool_]:
        forced: NDArray[np.bool_] = self._legal[which, self._seat].sum(axis=1) == 1
        return forced

    def _check_progress(self, which: NDArray[np.intp], first: NDArray[np.int64]) -> None:
        if (self._game_steps[which] - first[which]).max() >= FORCED_STEPS:
            raise LimitError(f"`{self.game.name}` went on for {FORCED_STEPS} steps without a choice")

    def _reward(
        self,
        ended: NDArray[np.intp],
        goals: NDArray[np.float32],
        rewards: NDArray[np.float64],
        terminated: NDArray[np.bool_],
    ) -> None:
        low, high = self.reward_range
        # Goals are whole numbers, which the numbers of 32 bits that they came as need not be.
        rewards[ended] = low + (high - low) * np.rint(goals.astype(np.float64)) / 100
        terminated[ended] = True

    def _begin(self, which: NDArray[np.intp]) -> None:
        """Begins games anew, and goes on to the first choice."""
        if not len(which):
            return
        self._games.set_position(which.tolist(), self._start)
        step = self._games.observe()
        for array in (self._recent, self._ever, self._game_steps, self._actions_made):
            array[which] = 0
        self._last[which] = -1
        self._over[which] = False
        self._see(which, step.observations, step.legal, which)
        if not self._skip_forced:
            return
        first = np.zeros(self.num_envs, np.int64)
        while len(which := which[self._is_forced(which)]):
            self._check_progress(which, first)
            over, _ = self._advance(which, stay_in_play=True)
            which = which[~over]

    def _advance(
        self, which: NDArray[np.intp], given: NDArray[np.int64] | None = None, *, stay_in_play: bool = False
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Makes a step in some games, with these actions of the seat, or the only ones that it has.

        Tells which games are over, and the goals of the seat. With `stay_in_play`, games that would be over stay as they are.
        """
        if not len(which):
            return np.zeros(0, np.bool_), np.zeros(0, np.float32)
        joint, chose = self._joint(which, given)
        # Games that are over take any action and stay as they are; the others that do not step have to stay, too.
        stays = ~self._over
        stays[which] = False
        staying = np.flatnonzero(stays)
        before = None
        if len(staying) > len(which):
            games = self._games.select(which, seed=self._chance())
            step, places = games.step(joint), np.arange(len(which))
        else:
            games = self._games
            saved = np.concatenate([staying, which]) if stay_in_play else staying
            before = games.select(saved) if len(saved) else None
            everybody = self._legal.argmax(axis=2)
            everybody[which] = joint
            step, places = games.step(everybody), which
        if step.truncated[places].any():
            raise StuckError(f"`{self.game.name}` cannot go on: a role has no legal move")
        over: NDArray[np.bool_] = step.terminated[places]
        goals: NDArray[np.float32] = step.rewards[places, self._seat]
        if np.isnan(step.rewards[places][over]).any():
            raise StuckError(f"`{self.game.name}` ends without one value for each role")
        kept: NDArray[np.intp] = np.flatnonzero(~over) if stay_in_play else np.arange(len(which))
        if games is not self._games:
            for place in kept.tolist():
                self._games.set_position(int(which[place]), games.position(place))
        elif before is not None:
            for place, number in enumerate(staying.tolist()):
                games.set_position(number, before.position(place))
            if stay_in_play:
                for place in np.flatnonzero(over).tolist():
                    games.set_position(int(which[place]), before.position(len(staying) + place))
        if not stay_in_play:
            self._over[which] = over
        assert step.observations is not None and step.legal is not None
        rows = which[kept]
        self._game_steps[rows] += 1
        acted = chose[kept]
        self._last[rows] = np.where(acted, joint[kept], self._last[rows])
        self._recent[rows] *= ~acted[:, :, None]
        self._see(rows, step.observations, step.legal, places[kept])
        return over, goals

    def _joint(
        self, which: NDArray[np.intp], given: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """An action for each seat of some games, and who chose its own."""
        legal: NDArray[np.bool_] = self._legal[which]
        joint = legal.argmax(axis=2)
        chose: NDArray[np.bool_] = legal.sum(axis=2) > 1
        chose[:, self._seat] = given is not None
        if given is not None:
            joint[:, self._seat] = given
        for seat, role in enumerate(self.game.seats):
            asked = np.flatnonzero(chose[:, seat])
            if seat == self._seat or not len(asked):
                continue
            masks = legal[asked, seat]
            actions = np.asarray(self._opponent(self._observations(seat, which[asked]), masks, self.np_random))
            if actions.shape != asked.shape or not np.issubdtype(actions.dtype, np.integer):
                raise TypeError(f"the opponent gives {len(asked)} whole numbers, not {actions.dtype} {actions.shape}")
            inside = (actions >= 0) & (actions < masks.shape[1])
            if not inside.all() or not masks[np.arange(len(asked)), actions].all():
                raise MoveError(f"the opponent chose what is not a legal move of `{role}`")
            joint[asked, seat] = actions
        return joint, chose

    def _see(self, rows: NDArray[np.intp], observations: Any, legal: Any, places: NDArray[np.intp]) -> None:
        """Takes notice of what is the case in some games after a step: `places` are their rows in the arrays."""
        self._legal[rows] = legal[places]
        if self._layout.perfect:
            self._facts[rows] = observations[places]
            return
        seen = observations[places][:, :, self._places].astype(np.int8)
        self._recent[rows, :, :-1] |= seen
        self._ever[rows, :, :-1] |= seen

    def _observations(self, seat: int, which: NDArray[np.intp] | None = None) -> Observations:
        """What a seat sees in some games, or in all: a copy, so that nobody changes what it is made of."""
        rows = np.arange(self.num_envs) if which is None else which
        if self._layout.perfect:
            facts: Observations = self._facts[rows]
            return facts
        last = self._last[rows, seat]
        own = (last[:, None] == np.arange(self._layout.actions)).astype(np.int8)
        return np.concatenate([self._recent[rows, seat], self._ever[rows, seat], own], axis=1)

    def _masks(self, which: NDArray[np.intp]) -> NDArray[np.int8]:
        """The legal actions of the seat, for some games; 0 for others."""
        masks = np.zeros((self.num_envs, self._layout.actions), np.int8)
        masks[which] = self._legal[which, self._seat]
        return masks

    def _tell(self, infos: dict[str, Any], which: NDArray[np.intp]) -> None:
        there = np.zeros(self.num_envs, np.bool_)
        there[which] = True
        infos["action_mask"], infos["_action_mask"] = self._masks(which), there
        infos["game_step"], infos["_game_step"] = np.where(there, self._game_steps, 0), there.copy()

    def _tell_ends(self, infos: dict[str, Any], finished: NDArray[np.intp], illegal: NDArray[np.bool_]) -> None:
        there = np.zeros(self.num_envs, np.bool_)
        there[finished] = True
        last = np.full(self.num_envs, None, dtype=object)
        for number, observation in zip(finished.tolist(), self._observations(self._seat, finished)):
            last[number] = observation
        infos["final_obs"], infos["_final_obs"] = last, there
        final: dict[str, Any] = {}
        self._tell(final, finished)
        if illegal.any():
            final["illegal_action"], final["_illegal_action"] = illegal.copy(), illegal.copy()
        infos["final_info"], infos["_final_info"] = final, there.copy()

    def position(self, environment: int) -> Position:
        """Where a game is: a copy, to look at its board."""
        return self._games.position(environment)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now: `(num_envs, a)`, `bool`."""
        return self._legal[:, self._seat].copy()
