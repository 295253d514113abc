"""Games as environments of PettingZoo."""

import copy
import pickle
from types import SimpleNamespace

import pytest

import ludex

pettingzoo = pytest.importorskip("pettingzoo")

import numpy as np  # noqa: E402
from pettingzoo.test import (  # noqa: E402
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)
from pettingzoo.test.state_test import state_test  # noqa: E402

from ludex.pettingzoo import ENV_ID, AECEnv, ParallelEnv, env, parallel_env  # noqa: E402
from rulesheets import GAMES, STUCK  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("error::UserWarning"),
    # PettingZoo says of its own classic games what these say: agents have names, and observations are dictionaries.
    pytest.mark.filterwarnings("ignore:We recommend agents to be named"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    # Who has seen nothing observes nothing.
    pytest.mark.filterwarnings("ignore:.* numpy array is all zeros"),
]


@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo_accepts_it(name: str) -> None:
    game = ludex.Game(name)
    api_test(env(game), num_cycles=100)
    api_test(AECEnv(game, skip_forced=False), num_cycles=100)
    seed_test(lambda: env(game), num_cycles=50)
    parallel_api_test(parallel_env(game), num_cycles=100)
    parallel_api_test(ParallelEnv(game, skip_forced=False), num_cycles=100)
    parallel_seed_test(lambda: parallel_env(game), num_cycles=50)
    state_test(env(game), parallel_env(game), num_cycles=20)


def test_games_can_be_cut_short() -> None:
    # All moves are legal all the time, which this test supposes.
    module = SimpleNamespace(
        env=lambda max_cycles: env("prisoners-dilemma", max_cycles=max_cycles),
        parallel_env=lambda max_cycles: parallel_env("prisoners-dilemma", max_cycles=max_cycles),
    )
    max_cycles_test(module)


@pytest.mark.parametrize("name", GAMES)
def test_random_games_agree_with_the_rules(name: str) -> None:
    game = ludex.Game(name)
    environment = AECEnv(game, illegal="raise")
    random = np.random.default_rng(1)
    for seed in range(3):
        environment.reset(seed=seed)
        first, got = True, dict.fromkeys(game.seats, 0.0)
        for agent in environment.agent_iter():
            observation, reward, terminated, truncated, _ = environment.last()
            assert observation is not None
            got[agent] += reward
            if terminated:
                assert not observation["action_mask"].any()
                environment.step(None)
                continue
            legal = environment.position.legal_actions(agent)
            assert list(np.flatnonzero(observation["action_mask"])) == legal and (len(legal) > 1 or first)
            for other in environment.agents:
                if other != agent:
                    assert not environment.observe(other)["action_mask"].any()
            environment.step(int(random.choice(legal)))
            first = False
        goals = environment.position.goals()
        assert got == {seat: goals[seat] / 50 - 1 for seat in game.seats}  # type: ignore[operator]
        with pytest.raises(ludex.MoveError, match="reset"):
            environment.step(None)


def test_both_kinds_play_the_same_games() -> None:
    """With the same seed, chance draws the same, and so observations are the same."""
    for name in ("goofspiel", "blind-goofspiel", "kuhn-poker", "trading", "lowest-unique"):
        one, all_at_once = AECEnv(name, illegal="raise"), ParallelEnv(name, illegal="raise")
        random = np.random.default_rng(7)
        one.reset(seed=3)
        observations, _ = all_at_once.reset(seed=3)
        while all_at_once.agents:
            for agent in all_at_once.agents:
                assert np.array_equal(observations[agent]["observation"], one.observe(agent)["observation"]), name
            actions = {
                agent: int(random.choice(np.flatnonzero(observations[agent]["action_mask"]))) for agent in one.agents
            }
            step = one.position.step
            while not any(one.terminations.values()) and one.position.step == step:
                one.step(actions[one.agent_selection])
            observations, rewards, _, _, _ = all_at_once.step(actions)
            assert rewards == one.rewards and one.position == all_at_once.position


def test_simultaneous_choices_stay_hidden() -> None:
    environment = AECEnv("rock-paper-scissors", illegal="raise")
    environment.reset(seed=1)
    assert environment.agent_selection == "left"
    before = environment.observe("right")["observation"]
    environment.step(2)
    assert environment.agent_selection == "right" and environment.position.step == 0
    assert np.array_equal(before, environment.observe("right")["observation"])
    environment.step(0)
    assert environment.agent_selection == "left" and environment.position.step == 1


def test_what_is_not_legal_ends_it_or_raises() -> None:
    environment = AECEnv("tic-tac-toe")
    environment.reset(seed=1)
    environment.step(0)
    assert environment.terminations == {"white": True, "black": True}
    assert environment.rewards == {"white": -1, "black": 0} and environment.infos["white"]["illegal_action"]
    for agent in environment.agent_iter():
        assert agent in ("white", "black")
        environment.step(None)
    at_once = ParallelEnv("goofspiel", reward_range=(0.0, 1.0))
    at_once.reset(seed=1)
    at_once.step({"left": 0, "right": 1})
    _, rewards, terminated, _, infos = at_once.step({"left": 0, "right": 2})
    assert rewards == {"left": 0, "right": 0} and all(terminated.values()) and not at_once.agents
    assert infos == {"left": {"illegal_action": True}, "right": {}}
    for raising in (AECEnv("tic-tac-toe", illegal="raise"), env("tic-tac-toe", illegal="raise").unwrapped):
        with pytest.raises(ludex.MoveError):
            raising.step(1)
        raising.reset(seed=1)
        for wrong in (0, -1, 10, 10**30):
            with pytest.raises(ludex.MoveError):
                raising.step(wrong)
        for strange in (None, "1", 1.0):
            with pytest.raises(TypeError):
                raising.step(strange)  # type: ignore[arg-type]
        assert raising.agent_selection == "white" and raising.position.step == 0
        with pytest.raises(ludex.UnknownNameError):
            raising.observe("green")


def test_actions_at_once_are_checked() -> None:
    environment = ParallelEnv("tic-tac-toe", illegal="raise")
    with pytest.raises(ludex.MoveError):
        environment.step({})
    environment.reset(seed=1)
    with pytest.raises(ludex.MoveError, match="`white` has a choice"):
        environment.step({"black": 0})
    with pytest.raises(ludex.UnknownNameError):
        environment.step({"green": 0, "white": 1})
    with pytest.raises(ludex.MoveError):
        environment.step({"white": 1, "black": 1})
    assert environment.position.step == 0
    environment.step({"white": 1})
    environment.step({"white": 0, "black": 2})
    assert environment.position.moves == [["(mark 1 1)", "noop"], ["noop", "(mark 1 2)"]]


def test_games_that_cannot_go_on() -> None:
    game = ludex.Game.from_text(STUCK)
    one, at_once = AECEnv(game), ParallelEnv(game)
    one.reset(seed=1)
    at_once.reset(seed=1)
    with pytest.raises(ludex.StuckError, match="me"):
        one.step(game.actions.index("(go 1)"))
    with pytest.raises(ludex.StuckError, match="me"):
        at_once.step({"you": game.actions.index("(go 2)")})
    with pytest.raises(ludex.UnknownNameError):
        AECEnv("no-such-game")
    with pytest.raises(ValueError):
        ParallelEnv("nim", max_cycles=0)


def test_copies_and_pickles_go_their_own_way() -> None:
    environment = AECEnv("blind-goofspiel", illegal="raise")
    environment.reset(seed=3)
    environment.step(environment.position.legal_actions("left")[0])
    for other in (copy.deepcopy(environment), pickle.loads(pickle.dumps(environment))):
        before = environment.position
        action = before.legal_actions("right")[1]
        other.step(action)
        assert environment.position == before != other.position and environment.agent_selection == "right"
        again = copy.deepcopy(environment)
        again.step(action)
        assert again.position == other.position and again.rewards == other.rewards
    assert copy.deepcopy(environment).game is environment.game
    at_once = ParallelEnv("goofspiel")
    at_once.reset(seed=1)
    copied = copy.deepcopy(at_once)
    copied.step({"left": 0, "right": 0})
    assert at_once.position.step == 0 and copied.position.step == 1
    assert copied.observation_space("left") is not at_once.observation_space("left")


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
def test_environments_have_a_name() -> None:
    environment = pettingzoo.make("aec", ENV_ID, game="nim", max_cycles=3)
    environment.reset(seed=1)
    assert environment.unwrapped.game.name == "nim"
    at_once = pettingzoo.make("parallel", ENV_ID, game="goofspiel")
    assert at_once.unwrapped.game.name == "goofspiel" and len(at_once.reset(seed=1)[0]) == 2


def test_boards() -> None:
    environment = env("tic-tac-toe", render_mode="ansi")
    environment.reset(seed=1)
    assert "control: white" in environment.render()
    at_once = parallel_env("goofspiel", render_mode="svg")
    at_once.reset(seed=1)
    assert str(at_once.render()).startswith("<svg")
    assert AECEnv("nim").render() is None
    with pytest.raises(ValueError):
        env("nim", render_mode="human")
