"""Many games at once as one environment of Gymnasium."""

from typing import Any

import pytest

import ludex

gymnasium = pytest.importorskip("gymnasium")

import numpy as np  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from ludex.gymnasium import ENV_ID, Env, VectorEnv  # noqa: E402
from rulesheets import ENDLESS, STUCK  # noqa: E402

COUNT = 7

# What `you` chooses when it begins decides whether `me` ever gets to choose.
SHORT = """
(role me) (role you) (init (step 1))
(<= (legal you (go 1)) (true (step 1))) (<= (legal you (go 2)) (true (step 1))) (<= (legal you wait) (true (step 2)))
(<= (legal me wait) (true (step 1))) (<= (legal me (go 1)) (true (step 2))) (<= (legal me (go 2)) (true (step 2)))
(<= (next (step 2)) (does you (go 1))) (<= (next (step 3)) (does you (go 2))) (<= (next (step 3)) (true (step 2)))
(<= terminal (true (step 3)))
(<= (goal me 70) (true (step 3))) (<= (goal you 30) (true (step 3)))
"""


def last_legal(position: ludex.Position, role: str) -> int:
    return position.legal_actions(role)[-1]


def last_actions(
    observations: NDArray[np.int8], masks: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.intp]:
    assert observations.dtype == np.int8 and masks.dtype == np.bool_ and len(observations) == len(masks) > 0
    assert (masks.sum(axis=1) > 1).all(), "only those who have a choice are asked"
    actions: NDArray[np.intp] = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    return actions


def sample(infos: dict[str, Any], rng: np.random.Generator) -> NDArray[np.int64]:
    mask = infos["action_mask"] == 1
    actions: NDArray[np.int64] = np.where(mask, rng.random(mask.shape), -1).argmax(axis=1)
    return actions


def same(one: Any, other: Any) -> bool:
    """Whether values are the same, types and shapes, too."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, np.ndarray) and one.dtype == object:
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other))
    if one is None or other is None:
        return one is other
    return one.dtype == other.dtype and one.shape == other.shape and np.array_equal(one, other)


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("8-puzzle", 0),
        ("blind-tic-tac-toe-without-random", 1),
        ("connect-four", 1),
        ("goofspiel", 1),
        ("lowest-unique", 2),
        ("rock-paper-scissors", 0),
        ("nim", 1),
        ("tic-tac-toe", 0),
        ("tic-tac-toe", 1),
    ],
)
@pytest.mark.parametrize("skip_forced", [True, False])
def test_it_is_the_vector_of_single_environments(name: str, role: int, skip_forced: bool) -> None:
    game = ludex.Game(name)
    assert game.random is None, "chance is not that of single environments"
    options: dict[str, Any] = {"role": game.seats[role], "skip_forced": skip_forced, "max_steps": 6}
    options["reward_range"] = (-1.0, 2.0)
    single = SyncVectorEnv(
        [lambda: Env(game, opponent=last_legal, **options) for _ in range(COUNT)],
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    env = VectorEnv(game, COUNT, opponent=last_actions, **options)
    assert env.single_action_space == single.single_action_space and env.action_space == single.action_space
    assert env.single_observation_space == single.single_observation_space
    assert env.observation_space == single.observation_space
    rng = np.random.default_rng(3)
    expected, found = single.reset(seed=1), env.reset(seed=1)
    assert same(expected[0], found[0]) and same(expected[1], found[1])
    ends = 0
    for step in range(25):
        actions = sample(found[1], rng)
        if step % 4 == 3:
            # Some of these are not legal.
            actions[:2] = rng.integers(0, len(game.actions), 2)
        wanted, got = single.step(actions), env.step(actions)
        for place, what in enumerate(("observations", "rewards", "terminations", "truncations", "infos")):
            assert same(wanted[place], got[place]), (step, what)
        assert got[0] in env.observation_space
        found = (got[0], got[4])
        ends += int((got[2] | got[3]).sum())
    assert ends >= COUNT
    single.close()
    env.close()


@pytest.mark.parametrize("name", ["kuhn-poker", "leduc-poker", "goofspiel", "monty-hall", "signals", "trading"])
def test_chance_and_opponents_by_seed(name: str) -> None:
    def played(seed: int) -> list[Any]:
        env = VectorEnv(name, 16, role=ludex.Game(name).seats[-1], illegal="raise")
        rng, told = np.random.default_rng(0), []
        observations, infos = env.reset(seed=seed)
        for _ in range(12):
            assert np.array_equal(env.action_masks(), infos["action_mask"] == 1)
            observations, rewards, terminated, truncated, infos = env.step(sample(infos, rng))
            assert not truncated.any() and observations in env.observation_space
            assert (rewards[~terminated] == 0).all() and infos["action_mask"].any(axis=1).all()
            told.append((observations, rewards, terminated, infos["action_mask"]))
        return told

    one, again, other = played(1), played(1), played(2)
    assert all(same(a, b) for step, copy in zip(one, again) for a, b in zip(step, copy))
    assert not all(same(a, b) for step, copy in zip(one, other) for a, b in zip(step, copy))


def test_chances_are_those_of_single_environments() -> None:
    """The mean reward of random play is the same, within what chance allows: 0.5 % at 5 standard errors."""
    means = []
    for make in (1, 2):
        rng = np.random.default_rng(make)
        rewards: list[float] = []
        env: Any = VectorEnv("kuhn-poker", 100, role="bob")
        if make == 2:
            env = SyncVectorEnv([lambda: Env("kuhn-poker", role="bob")] * 25, autoreset_mode=AutoresetMode.SAME_STEP)
        _, infos = env.reset(seed=1)
        while len(rewards) < 1000:
            _, reward, terminated, _, infos = env.step(sample(infos, rng))
            rewards.extend(reward[terminated])
        means.append((np.mean(rewards), np.std(rewards) / np.sqrt(len(rewards))))
    (one, error), (other, second) = means
    assert abs(one - other) < 5 * np.hypot(error, second)


def test_a_game_that_may_be_over_before_the_first_choice() -> None:
    """Its last step is left to make: an episode has a beginning."""
    env = VectorEnv(ludex.Game.from_text(SHORT), 64, role="me")
    _, infos = env.reset(seed=1)
    rng = np.random.default_rng(1)
    choices = infos["action_mask"].sum(axis=1)
    assert set(choices) == {1, 2}
    for _ in range(5):
        _, rewards, terminated, _, infos = env.step(sample(infos, rng))
        assert set(rewards[terminated]) == {0.7} and terminated[choices == 2].all()
        choices = infos["action_mask"].sum(axis=1)
        assert set(choices) <= {1, 2}


def test_some_games_begin_anew() -> None:
    env = VectorEnv("tic-tac-toe", 4, opponent=last_actions)
    start, infos = env.reset(seed=1)
    moved, *_, infos = env.step(sample(infos, np.random.default_rng(1)))
    mask = np.array([True, False, False, True])
    observations, infos = env.reset(options={"reset_mask": mask})
    assert np.array_equal(observations[mask], start[mask]) and np.array_equal(observations[~mask], moved[~mask])
    assert np.array_equal(infos["_action_mask"], mask) and infos["game_step"].tolist() == [0, 0, 0, 0]
    assert env.position(0).step == 0 and len(env.position(1).legal("white")) == 7
    for wrong in (np.ones(3, np.bool_), np.ones(4, np.int8), [True] * 4):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": wrong})
    again = [env.reset(seed=[1, 2, 3, 4])[0], env.step(np.full(4, 1))[0]]
    assert np.array_equal(again[1], (env.reset(seed=[1, 2, 3, 4]), env.step(np.full(4, 1)))[1][0])


def test_what_one_gets_is_ones_own() -> None:
    env = VectorEnv("tic-tac-toe", 2, opponent=last_actions)
    observations, infos = env.reset(seed=1)
    before = observations.copy()
    observations[:], infos["action_mask"][:] = 1, 0
    kept, *_ = env.step(np.array([1, 1]))
    assert env.action_masks().sum() == 14 and not np.array_equal(kept, before)
    copy = kept.copy()
    env.step(np.array([2, 2]))
    assert np.array_equal(kept, copy)


def test_wrong_actions_and_arguments() -> None:
    env = VectorEnv("tic-tac-toe", 3, illegal="raise")
    with pytest.raises(ludex.MoveError, match="not reset"):
        env.step(np.array([1, 1, 1]))
    env.reset(seed=1)
    before = [env.position(number) for number in range(3)]
    for wrong in ([1, 1, 0], [1, 1, 10], [1, 1, -1], [1, 1, 2**40]):
        with pytest.raises(ludex.MoveError):
            env.step(wrong)
    for shape in ([1, 1], [[1, 1, 1]]):
        with pytest.raises(ValueError, match="shape"):
            env.step(shape)
    with pytest.raises(TypeError):
        env.step([1.0, 1.0, 1.0])
    assert [env.position(number) for number in range(3)] == before

    def cheats(observations: Any, masks: Any, rng: Any) -> Any:
        return np.zeros(len(masks), np.int64)

    cheated = VectorEnv("tic-tac-toe", 2, opponent=cheats)
    cheated.reset(seed=1)
    with pytest.raises(ludex.MoveError, match="the opponent"):
        cheated.step([1, 1])
    strange = VectorEnv("tic-tac-toe", 2, opponent=lambda observations, masks, rng: [1.5] * len(masks))
    strange.reset(seed=1)
    with pytest.raises(TypeError, match="the opponent"):
        strange.step([1, 1])
    with pytest.raises(ValueError):
        VectorEnv("tic-tac-toe", 0)
    with pytest.raises(ValueError):
        VectorEnv("tic-tac-toe", 1, illegal="ignore")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        VectorEnv("tic-tac-toe", 1, reward_range=(1.0, 1.0))
    with pytest.raises(ludex.UnknownNameError):
        VectorEnv("tic-tac-toe", 1, role="green")


def test_games_that_cannot_go_on_and_games_without_choices() -> None:
    env = VectorEnv(ludex.Game.from_text(STUCK), 2)
    env.reset(seed=1)
    with pytest.raises(ludex.StuckError):
        env.step([env.game.actions.index("(go 1)")] * 2)
    with pytest.raises(ludex.LimitError, match="without a choice"):
        VectorEnv(ludex.Game.from_text(ENDLESS), 2).reset(seed=1)


def test_gymnasium_makes_and_wraps_it() -> None:
    env = gymnasium.make_vec(ENV_ID, num_envs=5, game="tic-tac-toe", illegal="raise")
    assert isinstance(env.unwrapped, VectorEnv) and env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    rng, ends = np.random.default_rng(1), 0
    _, infos = wrapped.reset(seed=1)
    for _ in range(12):
        _, _, terminated, _, infos = wrapped.step(sample(infos, rng))
        if terminated.any():
            ends += int(terminated.sum())
            assert (infos["episode"]["l"][terminated] <= 5).all() and infos["_episode"].tolist() == terminated.tolist()
    assert ends > 5
    wrapped.close()
    assert env.unwrapped.closed
