"""Many games of one kind, stepped together by arrays."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ._ludex import Environments, Game, Position
from .errors import LudexError

__all__ = ["BoardPlanes", "Children", "Step", "VectorEnv", "board_planes"]

Rows = npt.NDArray[np.uint8] | npt.NDArray[np.uint64]


class BoardPlanes(NamedTuple):
    """The main board of a game as stacked planes of facts."""

    names: list[str]
    """What each plane is of, such as `cell x`."""
    numbers: npt.NDArray[np.int64]
    """By plane, row and column the number of the fact in `Game.propositions`; -1 where there can be none."""


def board_planes(game: Game) -> BoardPlanes | None:
    """The main board of a game as planes, where the analysis finds one.

    >>> planes = board_planes(Game("tic-tac-toe"))
    >>> planes.names, planes.numbers.shape
    (['cell b', 'cell o', 'cell x'], (3, 3, 3))
    """
    found = game.board_planes()
    if found is None:
        return None
    rows, columns, names, numbers = found
    return BoardPlanes(names, np.array(numbers, dtype=np.int64).reshape(len(names), rows, columns))


class Step(NamedTuple):
    """What is the case after a step; `n` environments, `s` players, `a` actions."""

    observations: npt.NDArray[Any] | None
    """`(n, *VectorEnv.observation_shape)`, `uint8`, 0 or 1; in bits `(n, words)`, `uint64`."""
    legal: npt.NDArray[Any] | None
    """Who may do what: `(n, a)` of the player in turn, else `(n, s, a)`, `bool`; in bits with `words` for `a`, `uint64`."""
    rewards: npt.NDArray[np.float32]
    """`(n, s)`: what was won where a game came to its end, else 0; not a number where the rules give no value."""
    terminated: npt.NDArray[np.bool_]
    """`(n,)`: where a game came to its end."""
    truncated: npt.NDArray[np.bool_]
    """`(n,)`: where a game was broken off, by `step_limit` or as somebody had no legal move."""
    players: npt.NDArray[np.uint8] | None
    """`(n,)`: who is in turn, as a number of `VectorEnv.players`; `None` where all act at once."""
    last_observations: npt.NDArray[Any] | None
    """As `observations`, of the end of the games that came to it in this step; other rows mean nothing."""


class Children(NamedTuple):
    """What actions lead to: one game for each of them."""

    parents: npt.NDArray[np.intp]
    """`(m,)`: the environment that each comes from."""
    actions: npt.NDArray[np.int32]
    """`(m,)`, or `(m, s)` where all act at once."""
    step: Step
    """What is the case in the children."""
    env: VectorEnv
    """The children, to be stepped on. They do not begin anew."""


class VectorEnv:
    """`n` games that are stepped at once by arrays of action numbers.

    A game that is over begins anew in the same step: its reward and end are told, and the observation and the legal actions are
    those of the new game (`last_observations` keeps what was observed at the end). Chance draws its moves itself.

    Actions are numbers of `Game.actions`, observations have a place for each of `Game.propositions`: both are the same for one
    rulesheet and engine.

    >>> env = VectorEnv("tic-tac-toe", 1000, seed=1)
    >>> env.players, env.num_actions, env.observation_shape
    (['white', 'black'], 10, (29,))
    >>> step = env.reset()
    >>> step.legal.shape, step.players[:3].tolist()
    ((1000, 10), [0, 0, 0])
    >>> step = env.step(np.full(1000, 5, np.int32))
    >>> step.legal[0].astype(int).tolist(), step.players[0]
    ([0, 1, 1, 1, 1, 0, 1, 1, 1, 1], np.uint8(1))

    Args:
        game: The game, or the name of a bundled one.
        n: How many.
        in_turns: Whether one player acts at a time, so that a step takes one action for each game; as the game is played where
            nothing is said. Otherwise it takes one for each game and player.
        observe: `"facts"`: all facts of the state. `"percepts"`: a row for each player of what it saw in the last step.
            `"board"`: the planes of `board_planes`. `None`: nothing. Or numbers of propositions in an array of any shape,
            -1 for a place that is always 0. Where nothing is said, facts where nothing is hidden, else percepts.
        bits: Whether observations and legal actions are bits of words, the first one lowest, instead of a byte for each:
            `numpy.unpackbits(array.view(numpy.uint8), axis=-1, bitorder="little")` makes bytes of them.
        masks: Whether legal actions are wanted.
        last_observations: Whether the last observation of a game that is over is wanted.
        step_limit: After how many steps a game is broken off, if at all.
        begins_anew: Whether games that are over begin anew. Otherwise they stay as they are, have no legal action and take any.
        rewards: What goal values of 0 and of 100 are as rewards; those in between lie in between.
        threads: How many threads work; the results are the same.
        seed: Of chance and random actions.
        copy: Whether each step makes new arrays. Otherwise the next step writes over those of the last one, which is faster.
    """

    def __init__(
        self,
        game: Game | str,
        n: int,
        *,
        in_turns: bool | None = None,
        observe: Literal["auto", "facts", "percepts", "board"] | None | npt.ArrayLike = "auto",
        bits: bool = False,
        masks: bool = True,
        last_observations: bool = False,
        step_limit: int | None = None,
        begins_anew: bool = True,
        rewards: tuple[float, float] = (0.0, 1.0),
        threads: int = 1,
        seed: int = 1,
        copy: bool = True,
    ) -> None:
        self.game = game if isinstance(game, Game) else Game(game)
        """The game."""
        self.players: list[str] = self.game.seats
        """The roles that act, in the order of `Step.players` and of rewards."""
        self.in_turns = self.game.takes_turns if in_turns is None else in_turns
        """Whether one player acts at a time."""
        numbers, percepts, shape = self._observed(observe)
        self.observation_shape: tuple[int, ...] = shape
        """The shape of one observation, as long as it is not in bits."""
        self._bits, self._masks, self._copy = bits, masks, copy
        self._observes, self._last = observe is not None, last_observations and observe is not None
        self._seed = _checked_seed(seed)
        self._selections = 0
        self._inner = Environments(
            self.game,
            n,
            in_turns=self.in_turns,
            observed=numbers,
            percepts=percepts,
            step_limit=step_limit,
            begins_anew=begins_anew,
            rewards=rewards,
            threads=threads,
        )
        self._prepare()
        self._observe()

    def _observed(
        self, observe: Literal["auto", "facts", "percepts", "board"] | None | npt.ArrayLike
    ) -> tuple[list[int], bool, tuple[int, ...]]:
        if isinstance(observe, str) and observe == "auto":
            observe = "facts" if self.game.has_perfect_information else "percepts"
        if observe is None:
            return [], False, (0,)
        if isinstance(observe, str):
            if observe == "facts":
                count = len(self.game.propositions)
                return list(range(count)), False, (count,)
            if observe == "percepts":
                seen = len(self.game.percepts)
                if not seen and not self.game.has_perfect_information:
                    raise LudexError(f"without a net it is not known beforehand what can be seen in {self.game.name}")
                return [], True, (len(self.players), seen)
            if observe != "board":
                raise ValueError(f"what is observed is facts, percepts or board, not {observe!r}")
            planes = board_planes(self.game)
            if planes is None:
                raise ValueError(f"no board was found in {self.game.name}: observe facts instead")
            observe = planes.numbers
        numbers = np.asarray(observe)
        if not np.issubdtype(numbers.dtype, np.integer):
            raise TypeError("what is observed is a name, or an array of numbers of propositions")
        if numbers.size and int(numbers.max()) >= len(self.game.propositions):
            raise ValueError(f"there is no proposition {numbers.max()}: there are {len(self.game.propositions)}")
        return [int(number) for number in numbers.ravel()], False, numbers.shape

    def _prepare(self) -> None:
        """Sizes, and arrays if they are kept."""
        n, players, rows, actions, observed = self._inner.layout
        self.num_envs: int = n
        """How many games there are."""
        self.num_actions: int = actions
        """How many actions there are: those of `Game.actions`."""
        self._rows = rows
        self._row_lengths = (-(-actions // 64), -(-observed // 64)) if self._bits else (actions, observed)
        self._kept = None if self._copy else self._make_arrays()

    def _make_rows(self, rows: int, length: int) -> Rows:
        return np.zeros((rows, length), np.uint64) if self._bits else np.zeros((rows, length), np.uint8)

    def _make_arrays(self) -> _Arrays:
        n, players, (legal, observed) = self.num_envs, len(self.players), self._row_lengths
        arrays = _Arrays()
        arrays.observations = self._make_rows(n, observed) if self._observes else None
        arrays.last_observations = self._make_rows(n, observed) if self._last else None
        arrays.legal = self._make_rows(n * self._rows, legal) if self._masks else None
        arrays.rewards = np.empty((n, players), np.float32)
        arrays.terminated, arrays.truncated = np.empty(n, np.uint8), np.empty(n, np.uint8)
        arrays.players = np.empty(n if self.in_turns else 0, np.uint8)
        arrays.step = self._step_of(arrays)
        return arrays

    def _step_of(self, arrays: _Arrays) -> Step:
        """The arrays in the shapes in which they are shown: they share memory."""

        def shaped(observations: Rows | None) -> npt.NDArray[Any] | None:
            if observations is None or self._bits:
                return observations
            return observations.reshape(self.num_envs, *self.observation_shape)

        legal: npt.NDArray[Any] | None = arrays.legal
        if arrays.legal is not None:
            if not self._bits:
                legal = arrays.legal.view(np.bool_)
            if not self.in_turns:
                legal = legal.reshape(self.num_envs, self._rows, self._row_lengths[0]) if legal is not None else None
        return Step(
            observations=shaped(arrays.observations),
            legal=legal,
            rewards=arrays.rewards,
            terminated=arrays.terminated.view(np.bool_),
            truncated=arrays.truncated.view(np.bool_),
            players=arrays.players if self.in_turns else None,
            last_observations=shaped(arrays.last_observations),
        )

    def _arrays(self) -> _Arrays:
        return self._kept if self._kept is not None else self._make_arrays()

    def _observe(self) -> Step:
        arrays = self._arrays()
        self._inner.reset(self._seed, arrays)
        return arrays.step

    def reset(self, seed: int | None = None) -> Step:
        """Begins all games anew, and chance by this seed, or by that of the last time plus 1."""
        self._seed = _checked_seed((self._seed + 1) % 2**64 if seed is None else seed)
        return self._observe()

    def step(self, actions: npt.ArrayLike | None = None) -> Step:
        """Makes a step in all games: `(n,)` actions of those in turn, else `(n, s)`; random legal ones where none are given.

        Raises `MoveError` where an action is not legal, and nothing has happened then; `LudexError` where one player is to act at a
        time and several have a choice, after the step.
        """
        given = None
        if actions is not None:
            given = np.asarray(actions)
            if not np.issubdtype(given.dtype, np.integer):
                raise TypeError(f"actions are whole numbers, not {given.dtype}")
            expected = (self.num_envs,) if self.in_turns else (self.num_envs, self._rows)
            if given.shape != expected:
                raise ValueError(f"actions have the shape {expected}, not {given.shape}")
            if given.dtype != np.int32:
                # What is too large for 32 bits stands for no action, and must not become one.
                given = np.where((given < 0) | (given > 2**31 - 1), -1, given).astype(np.int32)
            given = np.ascontiguousarray(given).reshape(-1)
        arrays = self._arrays()
        self._inner.step(given, arrays)
        return arrays.step

    def observe(self) -> Step:
        """What is the case now, without a step; rewards are 0."""
        arrays = self._arrays()
        self._inner.observe(arrays)
        return arrays.step

    def position(self, environment: int) -> Position:
        """A copy of one game as a position of its own, to look at its board or to play on."""
        return self._inner.position(environment)

    def set_position(self, environments: npt.ArrayLike, position: Position) -> None:
        """Puts games into the state of a position: numbers of games, or a mask. `observe` tells what is the case then.

        Their steps are counted anew, for the limit. A game that is over there begins anew with the next step.
        """
        self._inner.set_position(self._numbers(environments), position)

    def _numbers(self, environments: npt.ArrayLike) -> list[int]:
        """Numbers of games, from numbers or a mask."""
        given = np.asarray(environments)
        if given.dtype == np.bool_:
            if given.shape != (self.num_envs,):
                raise ValueError(f"a mask has the shape {(self.num_envs,)}, not {given.shape}")
            given = np.flatnonzero(given)
        if given.size and not np.issubdtype(given.dtype, np.integer):
            raise TypeError(f"games are named by whole numbers or a mask, not by {given.dtype}")
        if given.size and not 0 <= int(given.min()) <= int(given.max()) < self.num_envs:
            raise IndexError(f"there are {self.num_envs} games, from 0 on")
        return [int(number) for number in given.ravel()]

    def select(self, environments: npt.ArrayLike, *, seed: int | None = None) -> VectorEnv:
        """New games, each in the state of one that is named (by number, or all of a mask), as often as it is named.

        They do not begin anew, their steps are counted from 0, and one that was broken off goes on. Their chance is their own:
        it has this seed, or another one each time, which follows from that of this environment.
        """
        return self._selected(self._numbers(environments), seed)

    def _selected(self, numbers: list[int], seed: int | None) -> VectorEnv:
        if seed is None:
            self._selections += 1
            # Far from the seeds that people choose.
            mixed = np.random.SeedSequence([self._seed, self._selections]).generate_state(1, np.uint64)
            seed = int(mixed[0])
        other = object.__new__(VectorEnv)
        other.__dict__.update(self.__dict__)
        other._seed, other._selections = _checked_seed(seed), 0
        other._inner = self._inner.select(numbers, seed)
        other._prepare()
        return other

    def expand(self, environments: npt.ArrayLike | None = None, *, seed: int | None = None) -> Children:
        """What each legal action of each game leads to, as games of their own: for searches. The games stay as they are.

        Where all act at once, each combination of their actions. Chance draws once for each child, by this seed or another one
        each time.
        """
        everything = np.arange(self.num_envs)
        numbers = np.array(self._numbers(everything if environments is None else environments), dtype=np.intp)
        parents, actions = self._selected(numbers.tolist(), 1)._joint_actions()
        env = self._selected(numbers[parents].tolist(), seed)
        step = env.step(actions) if len(parents) else env.observe()
        return Children(numbers[parents], actions, step, env)

    def _joint_actions(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int32]]:
        """All that can be done in each game: the number of the game, and the action, or one for each player.

        Ordered by game and action. Games that are over have none.
        """
        legal = self._with_masks().observe().legal
        assert legal is not None
        if self.in_turns:
            games, actions = np.nonzero(legal)
            return games, actions.astype(np.int32)
        games, joint = np.arange(self.num_envs), np.empty((self.num_envs, 0), np.int32)
        for player in range(self._rows):
            # Each combination so far with each action of this player.
            rows, own = np.nonzero(legal[games, player])
            games, joint = games[rows], np.column_stack([joint[rows], own.astype(np.int32)])
        return games, joint

    def _with_masks(self) -> VectorEnv:
        """The same games, with legal actions told a byte for each."""
        other = object.__new__(VectorEnv)
        other.__dict__.update(self.__dict__)
        other._masks, other._bits, other._observes = True, False, False
        other._prepare()
        return other

    def random_rollouts(
        self, count: int, *, seed: int = 1, threads: int = 1, step_limit: int = 10_000
    ) -> npt.NDArray[np.float32]:
        """Plays so many random games on from each game to their ends: the mean of the rewards, `(n, s)`.

        The games themselves stay as they are. Not a number where no game that was played gave a value.
        """
        return self._inner.random_rollouts(count, seed, threads, step_limit)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        return f"<ludex.VectorEnv {self.num_envs} of {self.game.name}>"


def _checked_seed(seed: int) -> int:
    if not 0 <= seed < 2**64:
        raise ValueError(f"a seed is a whole number from 0 to 2**64 - 1, not {seed}")
    return int(seed)


class _Arrays:
    """What a step fills. Its names are those that the library reads."""

    __slots__ = (
        "last_observations",
        "legal",
        "observations",
        "players",
        "rewards",
        "step",
        "terminated",
        "truncated",
    )
    observations: Rows | None
    last_observations: Rows | None
    legal: Rows | None
    rewards: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.uint8]
    truncated: npt.NDArray[np.uint8]
    players: npt.NDArray[np.uint8]
    step: Step
