"""Walking about in a game."""

import copy

import pytest

import ludex


def test_a_match_by_hand() -> None:
    position = ludex.Game("tic-tac-toe").start()
    assert position.step == 0 and not position.terminal
    assert "(cell 1 1 b)" in position.facts
    assert len(position.legal("white")) == 9 and position.legal("black") == ["noop"]
    assert position.all_legal()["black"] == ["noop"]
    position.play({"white": "mark(1,1)"})
    position.play(["noop", "(mark 2 1)"])
    before = copy.deepcopy(position)
    for move in ("(mark 1 2)", "(mark 2 2)", "(mark 1 3)"):
        position.play({["white", "black"][position.step % 2]: move})
    assert position.terminal and position.goals() == {"white": 100, "black": 0}
    assert position.moves[0] == ["(mark 1 1)", "noop"] and len(position.moves) == position.step == 5
    assert before.step == 2 and before != position
    assert position.jump(2) and position == before and len(position.moves) == 2
    assert position.forward() and position.back() and position.jump(0) and not position.back()
    assert not position.jump(6)


def test_moves_that_cannot_be_made_change_nothing() -> None:
    position = ludex.Game("tic-tac-toe").start()
    for wrong in (["(mark 9 9)", "noop"], ["noop"], [], {"black": "noop"}, {"white": "(mark"}):
        with pytest.raises(ludex.MoveError):
            position.play(wrong)
    with pytest.raises(ludex.UnknownNameError, match="green"):
        position.play({"green": "noop"})
    with pytest.raises(ludex.UnknownNameError):
        position.legal("green")
    with pytest.raises(TypeError):
        position.play(7)  # type: ignore[arg-type]
    assert position.step == 0 and position == ludex.Game("tic-tac-toe").start()
    with pytest.raises(TypeError):
        hash(position)


def test_what_a_role_sees() -> None:
    position = ludex.Game("blind-tic-tac-toe").start()
    position.play({"white": "(mark 1 1)", "black": "(mark 2 2)", "random": "(tiebreak x)"})
    assert position.percepts("white") == position.percepts("black") == ["ok"]


def test_boards_are_pictures() -> None:
    position = ludex.Game("tic-tac-toe").start()
    position.play({"white": "(mark 2 2)"})
    svg = position._repr_svg_()
    assert svg.startswith("<svg") and svg == position.svg()
    assert "x" in str(position).lower()
    assert repr(position) == "<ludex.Position of tic-tac-toe after 1 steps>"
