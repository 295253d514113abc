"""Games as environments of Gymnasium."""

import copy
import pickle
import warnings
from pathlib import Path

import pytest

import ludex

gymnasium = pytest.importorskip("gymnasium")

import numpy as np  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

from ludex.gymnasium import ENV_ID, Env  # noqa: E402
from rulesheets import ENDLESS, STUCK  # noqa: E402

GAMES = [
    "8-puzzle",
    "blind-goofspiel",
    "closed-doors",
    "connect-four",
    "goofspiel",
    "kuhn-poker",
    "leduc-poker",
    "lowest-unique",
    "minefield-black",
    "monty-hall",
    "problem-2-1",
    "rock-paper-scissors",
    "signals",
    "three-player-tic-tac-toe",
    "tic-tac-toe",
    "trading",
    "watchman",
]

# It is over before anybody has a choice.
SHORT = """
(role you) (init (step 1)) (legal you wait)
(<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2)))
(<= (goal you 70) (true (step 2)))
"""

@pytest.mark.parametrize("name", GAMES)
def test_gymnasium_accepts_it(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gymnasium.make(ENV_ID, game=name, disable_env_checker=True).unwrapped)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("skip_forced", [True, False])
def test_random_games_keep_to_the_spaces(name: str, skip_forced: bool) -> None:
    game = ludex.Game(name)
    for role in game.seats[:3]:
        env = Env(game, role=role, skip_forced=skip_forced, illegal="raise")
        env.action_space.seed(1)
        observation, info = env.reset(seed=1)
        over, steps, reward = False, 0, 0.0
        while not over:
            mask = info["action_mask"]
            assert mask.dtype == np.int8 and mask.shape == (len(game.actions),)
            assert np.array_equal(env.action_masks(), mask == 1)
            assert list(np.flatnonzero(mask)) == env.position.legal_actions(role)
            assert mask.sum() > 1 or not skip_forced or steps == 0
            assert observation in env.observation_space and observation.dtype == env.observation_space.dtype
            observation, reward, over, truncated, info = env.step(env.action_space.sample(mask))
            assert not truncated and (over or reward == 0)
            steps += 1
        goal = env.position.goals()[role]
        assert goal is not None and reward == goal / 100
        assert not info["action_mask"].any() and observation in env.observation_space
        with pytest.raises(ludex.MoveError, match="over"):
            env.step(0)


def test_observations_are_the_facts() -> None:
    game = ludex.Game("tic-tac-toe")
    env = Env(game, role="black", opponent=lambda position, role: position.legal_actions(role)[-1])
    observation, _ = env.reset(seed=1)
    assert env.position.moves == [["(mark 3 3)", "noop"]], "white has moved already"
    names = game.propositions
    assert [names[number] for number in np.flatnonzero(observation)] == env.position.facts
    observation, reward, over, _, _ = env.step(game.actions.index("(mark 2 2)"))
    assert (reward, over, env.position.step) == (0, False, 3)


def test_observations_are_what_a_role_saw() -> None:
    game = ludex.Game("kuhn-poker")
    env = Env(game, role="bob", opponent=lambda position, role: game.actions.index("bet"))
    part = len(env.percepts) + 1
    observation, _ = env.reset(seed=1)
    assert observation.shape == (2 * part + len(game.actions),)
    seen = {env.percepts[number] for number in np.flatnonzero(observation[: part - 1])}
    cards = {percept for percept in seen if percept.startswith("dealt(")}
    assert len(cards) == 1 and seen == cards | {"move(alice,bet)"}
    assert np.array_equal(observation[:part], observation[part : 2 * part]), "bob did nothing yet"
    observation, _, over, _, _ = env.step(game.actions.index("call"))
    assert over
    seen = {env.percepts[number] for number in np.flatnonzero(observation[: part - 1])}
    ever = {env.percepts[number] for number in np.flatnonzero(observation[part : 2 * part - 1])}
    assert not seen & cards and cards | {"move(alice,bet)"} | seen == ever, "the card was seen before, what is shown now"
    assert list(np.flatnonzero(observation[2 * part :])) == [game.actions.index("call")]


def test_percepts_are_known_before() -> None:
    """Nothing that is seen in random games falls into the place for anything else."""
    for name in ("kuhn-poker", "signals", "trading", "closed-doors", "lights-alike", "watchman"):
        env = Env(name, illegal="raise")
        env.action_space.seed(2)
        part = len(env.percepts) + 1
        for seed in range(30):
            observation, info = env.reset(seed=seed)
            over = False
            while not over:
                assert not observation[part - 1] and not observation[2 * part - 1], name
                observation, _, over, _, info = env.step(env.action_space.sample(info["action_mask"]))


def test_what_is_not_legal_ends_it_or_raises() -> None:
    env = Env("tic-tac-toe", reward_range=(-1.0, 1.0))
    env.reset(seed=1)
    observation, reward, over, truncated, info = env.step(0)
    assert (reward, over, truncated, info["illegal_action"]) == (-1, True, False, True)
    assert observation in env.observation_space
    with pytest.raises(ludex.MoveError, match="reset"):
        env.step(1)
    env = Env("tic-tac-toe", illegal="raise")
    with pytest.raises(ludex.MoveError, match="reset"):
        env.step(1)
    env.reset(seed=1)
    before = env.position
    for wrong in (0, -1, 10, 10**30):
        with pytest.raises(ludex.MoveError):
            env.step(wrong)
    for strange in (1.5, "1", None, np.array([1, 2])):
        with pytest.raises(TypeError):
            env.step(strange)  # type: ignore[arg-type]
    assert env.position == before
    env.step(np.int64(env.position.legal_actions("white")[0]))


def test_opponents_that_cheat_are_found_out() -> None:
    env = Env("tic-tac-toe", role="black", opponent=lambda position, role: 0)
    with pytest.raises(ludex.MoveError, match="the opponent"):
        env.reset(seed=1)

    def meddle(position: ludex.Position, role: str) -> int:
        position.play({role: position.legal(role)[0]})
        return position.game.actions.index("(mark 3 3)")

    env = Env("tic-tac-toe", role="black", opponent=meddle)
    env.reset(seed=1)
    assert env.position.moves == [["(mark 3 3)", "noop"]]


def test_wrong_arguments() -> None:
    with pytest.raises(ludex.UnknownNameError):
        Env("no-such-game")
    with pytest.raises(ludex.UnknownNameError, match="green"):
        Env("tic-tac-toe", role="green")
    with pytest.raises(ludex.UnknownNameError):
        Env("kuhn-poker", role="random")
    with pytest.raises(ValueError):
        Env("tic-tac-toe", reward_range=(1.0, 1.0))
    with pytest.raises(ValueError):
        Env("tic-tac-toe", max_steps=0)
    with pytest.raises(ValueError):
        Env("tic-tac-toe", render_mode="human")
    with pytest.raises(ValueError):
        Env("tic-tac-toe", illegal="ignore")  # type: ignore[arg-type]


def test_games_that_cannot_go_on_and_games_without_choices(tmp_path: Path) -> None:
    env = Env(ludex.Game.from_text(STUCK))
    env.reset(seed=1)
    with pytest.raises(ludex.StuckError, match="`me` has no legal move after 1 steps"):
        env.step(env.game.actions.index("(go 1)"))
    with pytest.raises(ludex.LimitError, match="without a choice"):
        Env(ludex.Game.from_text(ENDLESS)).reset(seed=1)
    file = tmp_path / "short.kif"
    file.write_text(SHORT)
    env = Env(file)
    _, info = env.reset(seed=1)
    assert not env.position.terminal and info["action_mask"].sum() == 1
    assert env.step(0)[1:4] == (0.7, True, False)


def test_episodes_can_be_cut_short() -> None:
    env = Env("connect-four", max_steps=2, illegal="raise")
    env.reset(seed=1)
    assert env.step(1)[2:4] == (False, False)
    assert env.step(2)[2:4] == (False, True)
    with pytest.raises(ludex.MoveError):
        env.step(3)


def test_seeds_decide_chance_and_opponents() -> None:
    def trace(seed: int) -> list[list[str]]:
        env = Env("leduc-poker")
        env.action_space.seed(0)
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
        return env.position.moves

    assert trace(5) == trace(5)
    assert len({str(trace(seed)) for seed in range(10)}) > 5


def test_copies_and_pickles_go_their_own_way() -> None:
    env = Env("kuhn-poker")
    env.reset(seed=3)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.position == env.position and other.game == env.game
        before = env.position
        action = before.legal_actions("alice")[0]
        result = other.step(action)
        assert env.position == before != other.position
        again = copy.deepcopy(env).step(action)
        assert np.array_equal(result[0], again[0]) and result[1:4] == again[1:4]
    assert copy.deepcopy(env).game is env.game


def test_boards_and_vectors_of_environments() -> None:
    env = gymnasium.make(ENV_ID, game="tic-tac-toe", render_mode="ansi", illegal="raise")
    env.reset(seed=1)
    assert "control: white" in env.render()
    env = gymnasium.make(ENV_ID, game="tic-tac-toe", render_mode="svg")
    env.reset(seed=1)
    assert env.render().startswith("<svg")
    assert Env("tic-tac-toe").render() is None
    several = gymnasium.make_vec(ENV_ID, num_envs=3, vectorization_mode="sync", game="goofspiel")
    observations, infos = several.reset(seed=1)
    assert observations.shape == (3, len(ludex.Game("goofspiel").propositions))
    assert infos["action_mask"].shape == (3, 5)
    assert several.step(np.array([0, 1, 2]))[0].shape == observations.shape
    several.close()
