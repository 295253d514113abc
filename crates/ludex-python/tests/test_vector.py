"""Many games at once."""

import itertools
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ludex


def choose(legal: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A random legal action for each row; 0 where there is none."""
    drawn = np.where(legal, rng.random(legal.shape), -1.0)
    return np.where(legal.any(axis=-1), drawn.argmax(axis=-1), 0)


def test_a_game_against_positions_move_by_move() -> None:
    game = ludex.Game("connect-four")
    env = ludex.VectorEnv(game, 3, begins_anew=False)
    assert (env.num_envs, env.num_actions, len(env)) == (3, len(game.actions), 3)
    assert env.observation_shape == (len(game.propositions),)
    positions = [game.start() for _ in range(3)]
    rng = np.random.default_rng(1)
    step = env.reset()
    for _ in range(42):
        assert step.legal is not None and step.players is not None and step.observations is not None
        for at, position in enumerate(positions):
            assert np.flatnonzero(step.observations[at]).tolist() == position.fact_numbers()
            assert bool(step.terminated[at]) == position.terminal
            if position.terminal:
                assert not step.legal[at].any()
                continue
            player = env.players[step.players[at]]
            assert player == position.turn
            assert np.flatnonzero(step.legal[at]).tolist() == position.legal_actions(player)
        actions = choose(step.legal, rng)
        before = step.terminated.copy()
        step = env.step(actions)
        for at, position in enumerate(positions):
            if before[at]:
                assert step.rewards[at].tolist() == [0.0, 0.0]
                continue
            position.play({position.turn or "": game.actions[actions[at]]})
            goals = list(position.goals().values())
            expected = [goal / 100 for goal in goals if goal is not None] if position.terminal else [0.0, 0.0]
            assert sorted(step.rewards[at].tolist()) == sorted(expected)
    assert step.terminated.all() and env.position(1) == positions[1]


def test_games_begin_anew_and_keep_their_ends() -> None:
    env = ludex.VectorEnv("tic-tac-toe", 700, last_observations=True, rewards=(-1.0, 1.0))
    rng = np.random.default_rng(1)
    step = env.reset(seed=5)
    ended, first = 0, np.flatnonzero(step.observations[0]) if step.observations is not None else None
    for _ in range(40):
        assert step.legal is not None and step.legal.any(axis=1).all(), "there is always something to do"
        step = env.step(choose(step.legal, rng))
        assert step.observations is not None and step.last_observations is not None
        for at in np.flatnonzero(step.terminated):
            ended += 1
            assert np.flatnonzero(step.observations[at]).tolist() == (first.tolist() if first is not None else None)
            assert step.last_observations[at].sum() == 10 and step.rewards[at].sum() == 0
    assert ended > 2000


def test_bits_are_the_same_as_bytes() -> None:
    for name in ("tic-tac-toe", "breakthrough", "rock-paper-scissors"):
        whole, bits = ludex.VectorEnv(name, 65), ludex.VectorEnv(name, 65, bits=True)
        rng = np.random.default_rng(1)
        one, two = whole.reset(), bits.reset()
        for _ in range(8):
            assert one.legal is not None and two.legal is not None
            assert one.observations is not None and two.observations is not None
            unpacked = np.unpackbits(two.legal.view(np.uint8), axis=-1, bitorder="little")
            assert (unpacked[..., : whole.num_actions] == one.legal).all()
            unpacked = np.unpackbits(two.observations.view(np.uint8), axis=-1, bitorder="little")
            assert (unpacked[:, : whole.observation_shape[0]] == one.observations).all()
            actions = choose(one.legal, rng)
            one, two = whole.step(actions), bits.step(actions)


def test_simultaneous_moves_take_one_action_for_each_player() -> None:
    env = ludex.VectorEnv("rock-paper-scissors", 9)
    step = env.reset()
    assert not env.in_turns and step.players is None
    assert step.legal is not None and step.legal.shape == (9, 2, 3)
    rock, scissors = env.game.actions.index("rock"), env.game.actions.index("scissors")
    while not step.terminated.any():
        step = env.step(np.array([[rock, scissors]] * 9))
    assert step.rewards.tolist() == [[1.0, 0.0]] * 9
    with pytest.raises(ludex.LudexError, match="several players have a choice"):
        ludex.VectorEnv("rock-paper-scissors", 9, in_turns=True)
    # A game in turns can be played so, too: whoever waits has one action.
    both = ludex.VectorEnv("tic-tac-toe", 2, in_turns=False)
    legal = both.reset().legal
    assert legal is not None and legal[0].sum(axis=1).tolist() == [9, 1]


def test_hidden_information_is_what_players_saw() -> None:
    game = ludex.Game("blind-tic-tac-toe")
    env = ludex.VectorEnv(game, 4)
    assert env.observation_shape == (2, len(game.percepts)) and not env.in_turns
    step = env.reset()
    assert step.observations is not None and not step.observations.any()
    first, other = game.actions.index("(mark 1 1)"), game.actions.index("(mark 2 2)")
    step = env.step(np.array([[first, other]] * 4))
    assert step.observations is not None
    assert step.observations[:, :, game.percepts.index("ok")].all()


def test_boards_are_planes() -> None:
    planes = ludex.board_planes(ludex.Game("breakthrough"))
    assert planes is not None and planes.names == ["cell black", "cell white"]
    env = ludex.VectorEnv("breakthrough", 2, observe="board")
    first = env.reset().observations
    assert first is not None and first.shape == (2, 2, 8, 8)
    # Two rows each, at opposite ends.
    assert sorted(first[0].sum(axis=2).argmax(axis=1).tolist()) == [0, 6]
    assert first[0].sum(axis=(1, 2)).tolist() == [16, 16]
    after = env.step().observations
    assert after is not None and np.abs(after[0].astype(int) - first[0]).sum() == 2, "a piece has moved by one"
    with pytest.raises(ValueError, match="no board"):
        ludex.VectorEnv("nim", 1, observe="board")
    some = ludex.VectorEnv("tic-tac-toe", 1, observe=[[0, -1], [28, 3]])
    first = some.reset().observations
    assert first is not None and first.shape == (1, 2, 2) and first[0, 0, 1] == 0
    assert ludex.VectorEnv("tic-tac-toe", 3, observe=None, masks=False).reset()[:2] == (None, None)


def test_the_same_seed_gives_the_same_games_on_any_number_of_threads() -> None:
    def played(seed: int, threads: int, copy: bool) -> list[Any]:
        env = ludex.VectorEnv("kuhn-poker", 20_000, seed=seed, threads=threads, copy=copy, observe="facts")
        steps = [env.step() for _ in range(6)]
        last = steps[-1]
        return [last.observations, last.legal, last.rewards]

    one, three = played(1, 1, True), played(1, 3, False)
    assert all((a == b).all() for a, b in zip(one, three, strict=True))
    assert not all((a == b).all() for a, b in zip(one, played(2, 1, True), strict=True))
    env = ludex.VectorEnv("kuhn-poker", 500, seed=1)
    assert (env.reset(seed=9).rewards == env.reset(seed=9).rewards).all()


def test_arrays_are_new_or_written_over() -> None:
    new, kept = ludex.VectorEnv("nim", 2), ludex.VectorEnv("nim", 2, copy=False)
    assert new.step().rewards is not new.step().rewards
    first = kept.step()
    assert kept.step() is first


def test_what_cannot_be_done_is_said_and_changes_nothing() -> None:
    env = ludex.VectorEnv("tic-tac-toe", 600)
    before = env.position(0)
    good = np.full(600, 5)
    for wrong in (0, -1, 10, 2**31, 2**40 + 5, -(2**31)):
        bad = good.copy()
        bad[599] = wrong
        with pytest.raises(ludex.MoveError, match="environment 599"):
            env.step(bad)
    for error, bad_actions in (
        (ValueError, good[:5]),
        (ValueError, np.full((600, 2), 5)),
        (TypeError, np.full(600, 5.0)),
        (TypeError, ["noop"] * 600),
    ):
        with pytest.raises(error):
            env.step(bad_actions)
    assert env.position(0) == before
    with pytest.raises(IndexError):
        env.position(600)
    with pytest.raises(ValueError, match="another game"):
        env.set_position(0, ludex.Game("nim").start())
    with pytest.raises(ludex.LimitError):
        ludex.VectorEnv("tic-tac-toe", 10**13)
    with pytest.raises((OverflowError, ValueError)):
        ludex.VectorEnv("tic-tac-toe", -1)
    with pytest.raises(ValueError):
        ludex.VectorEnv("tic-tac-toe", 1, observe="everything")
    with pytest.raises(ValueError):
        ludex.VectorEnv("tic-tac-toe", 1, observe=[29])
    assert ludex.VectorEnv("tic-tac-toe", 0).step(np.empty(0, np.int32)).rewards.shape == (0, 2)


def test_games_are_selected_and_expanded_for_searches() -> None:
    env = ludex.VectorEnv("tic-tac-toe", 3)
    position = env.game.start()
    position.play({"white": "(mark 2 2)"})
    env.set_position([1], position)
    children = env.expand()
    assert children.parents.tolist() == [0] * 9 + [1] * 8 + [2] * 9
    for at, (parent, action) in enumerate(zip(children.parents, children.actions, strict=True)):
        expected = env.position(int(parent))
        expected.play({expected.turn or "": env.game.actions[action]})
        assert children.env.position(at) == expected
    assert env.position(1) == position, "the games themselves stay"
    again = children.env.expand([0, 25])
    assert set(again.parents.tolist()) == {0, 25} and len(again.parents) == 16
    pairs = ludex.VectorEnv("rock-paper-scissors", 1).expand()
    assert sorted(map(tuple, pairs.actions.tolist())) == list(itertools.product(range(3), range(3)))


def test_random_games_from_each_game() -> None:
    env = ludex.VectorEnv("tic-tac-toe", 2, rewards=(-1.0, 1.0))
    position = env.game.start()
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"):
        position.play({position.turn or "": move})
    env.set_position(1, position)
    means = env.random_rollouts(2000, threads=2)
    assert means.dtype == np.float32 and means.shape == (2, 2)
    assert 0.2 < means[0, 0] < 0.4 and np.allclose(means.sum(axis=1), 0, atol=1e-6)
    assert (means == env.random_rollouts(2000)).all(), "on one thread as on two"
    assert env.position(1) == position


def test_a_game_without_a_net_works_the_same() -> None:
    net = ludex.VectorEnv("connect-four", 40)
    rules = ludex.VectorEnv(ludex.Game("connect-four", engine="rules"), 40)
    rng = np.random.default_rng(2)
    one, two = net.reset(), rules.reset()
    known = {name: at for at, name in enumerate(net.game.actions)}
    for _ in range(12):
        assert one.legal is not None and two.legal is not None
        actions = choose(one.legal, rng)
        other = [rules.game.actions.index(net.game.actions[action]) for action in actions]
        one, two = net.step(actions), rules.step(np.array(other))
        assert (one.rewards == two.rewards).all() and (one.terminated == two.terminated).all()
    assert one.legal is not None and two.legal is not None
    assert {a for a in known if one.legal[3][known[a]]} == {
        a for at, a in enumerate(rules.game.actions) if two.legal[3][at]
    }


def test_facts_that_are_not_known_beforehand_are_said() -> None:
    # Only a rule machine cannot tell how far it counts.
    rules = """(role you) (init (at 0)) (legal you go) (<= (next (at (s ?n))) (true (at ?n))) (base (at 0))
        (<= terminal (true (at (s (s (s ?n)))))) (goal you 50)"""
    game = ludex.Game.from_text(rules, engine="rules")
    assert game.propositions == ["(at 0)"]
    env = ludex.VectorEnv(game, 2)
    with pytest.raises(ludex.LudexError, match="environment 0: `.at .s 0..` is none of the facts"):
        env.step()
    assert ludex.VectorEnv(game, 2, observe=None).step().observations is None


def test_games_are_named_by_numbers_or_a_mask() -> None:
    env = ludex.VectorEnv("tic-tac-toe", 4)
    assert len(env.select([True, False, False, True])) == 2 and len(env.select(np.int64(1))) == 1
    assert len(env.select([])) == 0 and env.select([3, 3, 0]).observe().rewards.shape == (3, 2)
    for wrong in ([0.9], ["1"], "01", [None]):
        with pytest.raises(TypeError):
            env.select(wrong)  # type: ignore[arg-type]
    for missing in ([4], [-1]):
        with pytest.raises(IndexError):
            env.expand(missing)
    with pytest.raises(ValueError):
        env.select([True, False])
    over = ludex.VectorEnv("rock-paper-scissors", 2, begins_anew=False)
    for _ in range(3):
        over.step()
    assert len(over.expand().parents) == 0 and over.select([]).observe().rewards.shape == (0, 2)


def test_who_looks_ahead_does_not_see_what_chance_will_do() -> None:
    env = ludex.VectorEnv("kuhn-poker", 2000, observe="facts")
    first, second = env.expand().step.observations, env.expand().step.observations
    real = env.step().observations
    assert first is not None and second is not None and real is not None
    same = [(one == two).all(axis=1).mean() for one, two in ((first, real), (first, second))]
    # One of six deals.
    assert all(0.1 < share < 0.25 for share in same), same
    again = ludex.VectorEnv("kuhn-poker", 2000, observe="facts").expand().step.observations
    assert again is not None and (again == first).all(), "it follows from the seed"


def test_seeds_that_are_none_change_nothing() -> None:
    env = ludex.VectorEnv("tic-tac-toe", 2)
    for wrong in (-1, 2**64):
        with pytest.raises(ValueError, match="seed"):
            env.reset(wrong)
        with pytest.raises(ValueError, match="seed"):
            ludex.VectorEnv("tic-tac-toe", 2, seed=wrong)
    env.reset(2**64 - 1)
    assert env.reset().rewards.shape == (2, 2)


def test_percepts_want_a_net() -> None:
    with pytest.raises(ludex.LudexError, match="without a net"):
        ludex.VectorEnv(ludex.Game("kuhn-poker", engine="rules"), 2)
    assert ludex.VectorEnv(ludex.Game("kuhn-poker", engine="rules"), 2, observe="facts").step().rewards.shape == (2, 2)


def test_seeds_and_sizes_are_told() -> None:
    env = ludex.VectorEnv("tic-tac-toe", 5, step_limit=3)
    assert repr(env) == "<ludex.VectorEnv 5 of tic-tac-toe>"
    steps = [env.step() for _ in range(3)]
    assert [step.truncated.all() for step in steps] == [False, False, True]
    assert not steps[-1].terminated.any() and not steps[-1].rewards.any()
    with pytest.raises(TypeError):
        pickle.dumps(env)
