"""What roles can know of what they were not told."""

import pickle

import pytest

import ludex


def test_a_role_knows_what_follows_from_what_it_saw() -> None:
    game = ludex.Game("monty-hall")
    belief = ludex.Belief(game, "candidate")
    assert (belief.role, belief.step, belief.legal()) == ("candidate", 0, ["noop"])
    belief.observe("noop")
    belief.observe("choose(1)")
    belief.observe("noop", ["opened(3)"])
    assert belief.is_exact and belief.count() == 2 and belief.step == 3
    facts = belief.facts()
    # The host opens either door where the car is behind the chosen one: that it is there is half as likely.
    assert facts["car(1)"] == pytest.approx(1 / 3) and facts["car(2)"] == pytest.approx(2 / 3)
    known = belief.known_facts()
    assert "chosen(1)" in known and "car(2)" not in known and "car(3)" not in facts
    assert belief.legal() == belief.known_moves() == sorted(belief.moves()) == ["stay", "switch"]
    assert belief.over() == 0
    (likeliest, weight), (other, _) = belief.positions()
    assert weight == pytest.approx(2 / 3) and "car(2)" in likeliest.facts and "car(1)" in other.facts
    assert likeliest.legal("candidate") == ["stay", "switch"]
    assert len(belief.positions(1)) == 1 and belief.legal("candidate") == belief.legal()
    with pytest.raises(ValueError, match="what `candidate` knows"):
        belief.legal("random")
    assert pickle.loads(pickle.dumps(likeliest)) == likeliest
    again = pickle.loads(pickle.dumps(belief))
    assert again.facts() == facts and repr(again) == "<ludex.Belief of candidate in monty-hall after 3 steps>"


def test_a_position_tells_what_a_role_was_told() -> None:
    position = ludex.Game("blind-tic-tac-toe").start()
    position.play({"white": "(mark 1 1)", "black": "(mark 2 2)", "random": "(tiebreak x)"})
    belief = ludex.Belief.in_position(position, "white")
    assert belief.step == 1 and "(cell 1 1 x)" in belief.known_facts()
    assert belief.facts()["(cell 2 2 o)"] == pytest.approx(1 / 8, abs=0.05)
    assert ludex.Belief.in_position(position, "white", limit=3).count() <= 3


def test_where_all_is_seen_there_is_one_state() -> None:
    belief = ludex.Belief(ludex.Game("tic-tac-toe"), "black")
    belief.observe(["(mark 2 2)", "noop"])
    assert belief.count() == 1 and "(cell 2 2 x)" in belief.known_facts() and len(belief.legal()) == 8


def test_what_cannot_be_is_said() -> None:
    hidden, game = ludex.Belief(ludex.Game("monty-hall"), "candidate"), ludex.Game("tic-tac-toe")
    open_ = ludex.Belief(game, "white")
    with pytest.raises(ludex.UnknownNameError):
        ludex.Belief(game, "green")
    for belief, moved in ((hidden, ["noop", "noop"]), (open_, "noop")):
        with pytest.raises(ValueError):
            belief.observe(moved)
    for moves in (["noop"], ["(mark 9 9)", "noop"], ["(mark", "noop"]):
        with pytest.raises(ludex.MoveError):
            open_.observe(moves)
    with pytest.raises(ludex.MoveError):
        hidden.observe("steal(1)")
    hidden.observe("noop", ["opened(3)"])
    with pytest.raises(ludex.LudexError, match="no state"):
        hidden.facts()
    with pytest.raises(ValueError):
        game.position(["(cell 1 1 z"])
