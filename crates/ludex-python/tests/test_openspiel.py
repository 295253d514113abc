"""Games as games of OpenSpiel, played by its algorithms."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ludex

pyspiel: Any = pytest.importorskip("pyspiel")

import numpy as np  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    expected_game_score,
    exploitability,
    get_all_states,
    mcts,
    outcome_sampling_mccfr,
    tabular_qlearner,
)

from ludex.openspiel import load  # noqa: E402
from rulesheets import GAMES  # noqa: E402

# Both have a choice in step 2, ben has one in step 0, and nobody in step 1.
BOTH = """
(role ann) (role ben) (init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ann (say 1)) (true (step ?n))) (<= (legal ann (say 2)) (true (step 2)))
(<= (legal ben (say 1)) (true (step ?n))) (<= (legal ben (say 2)) (true (step ?n)) (distinct ?n 1))
(<= (sees ben heard) (does ann (say 2)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (same ?x)) (does ann (say ?x)) (does ben (say ?x)) (true (step 2)))
(<= terminal (true (step 3)))
(<= (goal ann 100) (true (same ?x))) (<= (goal ann 0) (not (true (same 1))) (not (true (same 2))))
(<= (goal ben 0) (true (same ?x))) (<= (goal ben 100) (not (true (same 1))) (not (true (same 2))))
"""

# Random games do not show that after six nines both have a choice.
RARE = """
(role ann) (role ben) (init (step 0)) (init lucky)
(number 1) (number 2) (number 3) (number 4) (number 5) (number 6) (number 7) (number 8) (number 9)
(early 0 1) (early 1 2) (early 2 3) (early 3 4) (early 4 5) (early 5 6)
(<= (legal ann (say ?x)) (number ?x) (true (step ?n)) (early ?n ?m))
(<= (legal ben wait) (true (step ?n)) (early ?n ?m))
(<= (legal ?r (say ?x)) (role ?r) (number ?x) (true (step 6)) (true lucky))
(<= (legal ?r wait) (role ?r) (true (step 6)) (not (true lucky)))
(<= (next (step ?m)) (true (step ?n)) (early ?n ?m)) (<= (next (step 7)) (true (step 6)))
(<= (next lucky) (true lucky) (does ann (say 9)))
(<= (next same) (true (step 6)) (does ann (say ?x)) (does ben (say ?x)))
(<= terminal (true (step 7)))
(<= (goal ann 100) (true same)) (<= (goal ann 0) (not (true same)))
(<= (goal ben 0) (true same)) (<= (goal ben 100) (not (true same)))
"""


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("skip_forced", [True, False])
def test_openspiel_accepts_it(name: str, skip_forced: bool) -> None:
    game = load(name, skip_forced=skip_forced)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", GAMES)
def test_random_games_agree_with_the_rules(name: str) -> None:
    """The joint moves of a game lead to the same position, and utilities are what the goals say."""
    game = load(name)
    ours = ludex.Game(name)
    kind = game.get_type()
    assert (kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL) == ours.takes_turns
    assert (kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION) == ours.has_perfect_information
    random = np.random.default_rng(1)
    for _ in range(5):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_simultaneous_node():
                state.apply_actions([int(random.choice(state.legal_actions(p))) for p in range(game.num_players())])
                continue
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                assert {likelihood for _, likelihood in outcomes} == {1 / len(outcomes)} and len(outcomes) > 1
                assert [outcome for outcome, _ in outcomes] == state.position.legal_actions("random")
            else:
                role = ours.seats[state.current_player()]
                assert state.legal_actions() == state.position.legal_actions(role) and len(state.legal_actions()) > 1
            state.apply_action(int(random.choice(state.legal_actions())))
        again = ours.start()
        for joint in state.position.moves:
            again.play(joint)
        assert again.terminal and again == state.position
        goals = [again.goals()[seat] for seat in ours.seats]
        if kind.utility == pyspiel.GameType.Utility.ZERO_SUM:
            assert sum(state.returns()) == pytest.approx(0)
            share = sum(goal or 0 for goal in goals) / len(goals)
            assert state.returns() == pytest.approx([((goal or 0) - share) / 50 for goal in goals])
        else:
            assert state.returns() == goals
        restored = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1]
        assert restored.position == state.position and restored.returns() == state.returns()


def test_which_games_are_zero_sum() -> None:
    for name, zero_sum in (
        ("tic-tac-toe", True),
        ("leduc-poker", True),
        ("three-player-tic-tac-toe", True),
        ("prisoners-dilemma", False),
        ("lowest-unique", False),
        ("signals", False),
        ("8-puzzle", False),
    ):
        game = load(name)
        assert (game.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM) == zero_sum, name
    assert load("three-player-tic-tac-toe").min_utility() == pytest.approx(-2 / 3)
    general = load("tic-tac-toe", utility="general_sum")
    assert (general.min_utility(), general.max_utility()) == (0, 100)
    with pytest.raises(ludex.LudexError, match="do not add up"):
        load("prisoners-dilemma", utility="zero_sum")
    with pytest.raises(ValueError):
        load("tic-tac-toe", utility="constant")
    with pytest.raises(ValueError):
        load("tic-tac-toe", step_limit=0)
    with pytest.raises(ludex.UnknownNameError):
        load("no-such-game")


def test_games_go_by_string_to_other_processes(tmp_path: Path) -> None:
    file = tmp_path / "both, (or) neither=so.kif"
    file.write_text(BOTH)
    game = load(file)
    state = game.new_initial_state()
    state.apply_action(state.legal_actions()[1])
    name = str(game)
    text = pyspiel.serialize_game_and_state(game, state)
    script = (
        "import sys, pyspiel, ludex.openspiel\n"
        "name, text = sys.stdin.read().split('|')\n"
        "assert str(pyspiel.load_game(name)) == name\n"
        "game, state = pyspiel.deserialize_game_and_state(text)\n"
        "print(game.ludex_game.name, state.position.moves)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], input=f"{name}|{text}", capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"both, (or) neither=so {state.position.moves}"
    loaded = pyspiel.load_game("ludex(rules=goofspiel,step_limit=3)")
    assert loaded.ludex_game == ludex.Game("goofspiel") and loaded.max_game_length() == 6
    assert str(pickle.loads(pickle.dumps(loaded))) == str(loaded)
    plain = tmp_path / "plain.kif"
    for text in (BOTH, RARE):
        plain.write_text(text)
        assert pyspiel.load_game(f"ludex(rules={plain})").ludex_game.text == text, "files may change"
    with pytest.raises(ludex.UnknownNameError):
        pyspiel.load_game("ludex(rules=no-such-game)")
    with pytest.raises(ludex.RulesError):
        pyspiel.load_game("ludex(rules=text-abc)")
    assert pyspiel.load_game("ludex").ludex_game.name == "tic-tac-toe"


def test_choices_in_one_step_stay_hidden() -> None:
    """Simultaneous games have nodes of one player, and sequential ones, which random games make them, secret choices."""
    game = pyspiel.convert_to_turn_based(load(ludex.Game.from_text(BOTH, name="both")))
    pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
    state = load(ludex.Game.from_text(BOTH, name="both")).new_initial_state()
    assert state.current_player() == 1 and len(state.legal_actions()) == 2
    state.apply_action(state.legal_actions()[0])
    # Nobody has a choice in step 1, which makes itself.
    assert state.is_simultaneous_node() and state.position.step == 2
    state.apply_actions([state.legal_actions(0)[1], state.legal_actions(1)[1]])
    assert state.is_terminal() and state.position.percepts("ben") == ["heard"] and state.returns() == [1, -1]
    assert state.information_state_string(1).endswith("(say 2) -> heard; ")
    assert "heard" not in state.information_state_string(0)

    state = load(ludex.Game.from_text(RARE, name="rare")).new_initial_state()
    actions = state.get_game().ludex_game.actions
    nine, two = actions.index("(say 9)"), actions.index("(say 2)")
    for _ in range(6):
        state.apply_action(nine)
    assert not state.is_simultaneous_node() and state.current_player() == 0
    before = state.information_state_string(1)
    state.apply_action(two)
    assert state.current_player() == 1 and state.position.step == 6
    assert state.information_state_string(1) == before
    assert state.information_state_string(0).endswith("(say 2)") and "ann: (say 2)" in str(state)
    restored = pickle.loads(pickle.dumps(state))
    for each in (state, restored, state.clone()):
        each.apply_action(two)
        assert each.is_terminal() and each.returns()[0] > each.returns()[1]


def test_information_is_what_a_player_saw_and_did() -> None:
    game = load("kuhn-poker")
    state = game.new_initial_state()
    actions = game.ludex_game.actions
    assert state.is_chance_node() and state.action_to_string(-1, state.legal_actions()[0]).startswith("deal(")
    state.apply_action(actions.index("deal(king,jack)"))
    state.apply_action(actions.index("check"))
    alice, bob = (state.information_state_string(player) for player in range(2))
    assert alice == "noop -> dealt(king); check -> ; "
    assert bob == "noop -> dealt(jack); noop -> move(alice,check); "
    assert state.observation_string(1) == "now: dealt(jack) move(alice,check); ever: dealt(jack) move(alice,check); last: "
    tensor = np.array(state.observation_tensor(1))
    seen = {game.percepts[number] for number in np.flatnonzero(tensor[: len(game.percepts)])}
    assert seen == {"dealt(jack)", "move(alice,check)"} and list(tensor.shape) == game.observation_tensor_shape()
    states = get_all_states.get_all_states(game, include_chance_states=True)
    player_states = [state for state in states.values() if not state.is_chance_node() and not state.is_terminal()]
    keys = {state.information_state_string() for state in player_states}
    assert len(keys) == 12, "each of two players has three cards and two places to choose at"


def test_states_are_copied_not_shared() -> None:
    for name in ("kuhn-poker", "tic-tac-toe", "goofspiel"):
        state = load(name).new_initial_state()
        before = str(state)
        for other in (state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            if other.is_simultaneous_node():
                other.apply_actions([other.legal_actions(player)[0] for player in range(2)])
            else:
                other.apply_action(other.legal_actions()[0])
            assert str(state) == before != str(other) and state.history() == [] != other.history()
    state = load("blind-tic-tac-toe").new_initial_state()
    assert state.is_simultaneous_node()
    state.apply_actions([state.legal_actions(player)[0] for player in range(2)])
    assert state.is_chance_node() and state.position.step == 0
    restored = pickle.loads(pickle.dumps(state))
    assert str(restored) == str(state) and restored.chance_outcomes() == state.chance_outcomes()


def test_long_games_end() -> None:
    game = load("connect-four", step_limit=5)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    state = game.new_initial_state()
    for _ in range(5):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal() and state.returns() == [0, 0]


def test_games_that_cannot_go_on_say_so() -> None:
    stuck = """
    (role you) (init (step 1)) (<= (legal you (go 1)) (true (step 1))) (<= (legal you (go 2)) (true (step 1)))
    (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 3))) (goal you 100)
    """
    state = load(ludex.Game.from_text(stuck)).new_initial_state()
    with pytest.raises(ludex.StuckError):
        state.apply_action(0)
    assert not state.is_terminal() and state.position.step == 0
    state = load("tic-tac-toe").new_initial_state()
    with pytest.raises(ludex.MoveError):
        state.apply_action(0)
    assert state.position.step == 0


def test_tree_search_plays_well() -> None:
    """Against a random player, who begins wins most games, and does not lose."""
    game = load("tic-tac-toe")
    random = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    total = 0.0
    for _ in range(4):
        bot = mcts.MCTSBot(game, 2, 100, evaluator, solve=True, random_state=random)
        state = game.new_initial_state()
        while not state.is_terminal():
            action = bot.step(state) if state.current_player() == 0 else random.choice(state.legal_actions())
            state.apply_action(int(action))
        assert state.returns()[0] >= 0
        total += state.returns()[0]
    assert total >= 3


def test_regret_minimization_solves_kuhn_poker() -> None:
    """Its value is -1/18 chip to who begins, and a utility of 1 is 2 chips."""
    game = load("kuhn-poker")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    assert exploitability.exploitability(game, policy) < 0.002
    value = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    assert value[0] == pytest.approx(-1 / 36, abs=0.001) and value[1] == pytest.approx(1 / 36, abs=0.001)


def test_other_algorithms_run() -> None:
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(load("kuhn-poker"))
    np.random.seed(1)
    for _ in range(20):
        solver.iteration()
    environment = rl_environment.Environment(load("nim"), seed=1)
    count = environment.action_spec()["num_actions"]
    learners = [tabular_qlearner.QLearner(player_id=player, num_actions=count) for player in range(2)]
    for _ in range(10):
        step = environment.reset()
        while not step.last():
            chosen = learners[step.observations["current_player"]].step(step)
            step = environment.step([chosen.action])
        for learner in learners:
            learner.step(step)
    turns = pyspiel.convert_to_turn_based(load("goofspiel"))
    pyspiel.random_sim_test(turns, num_sims=2, serialize=True, verbose=False)
