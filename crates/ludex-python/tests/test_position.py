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


def test_moves_by_number() -> None:
    game = ludex.Game("tic-tac-toe")
    position, noop = game.start(), game.actions.index("noop")
    assert position.turn == "white" and position.legal_actions("black") == [noop]
    position.apply([position.legal_actions("white")[4], noop])
    assert position.turn == "black" and game.actions[5] == "(mark 2 2)" and position.moves == [["(mark 2 2)", "noop"]]
    assert [game.propositions[number] for number in position.fact_numbers()] == position.facts
    for wrong in ([5, noop], [noop, 5], [-1, noop], [noop, 2**70], [noop], [noop, 10]):
        with pytest.raises(ludex.MoveError):
            position.apply(wrong)
    with pytest.raises(TypeError):
        position.apply([1.5, noop])  # type: ignore[list-item]
    for endless in (range(2**40), range(2**62)):
        with pytest.raises(ludex.MoveError):
            position.apply(endless)  # type: ignore[arg-type]
        with pytest.raises(ludex.MoveError):
            ludex.Runner(game).step_all(endless)  # type: ignore[arg-type]
    assert position.step == 1


def test_a_runner_goes_as_a_position_does() -> None:
    game = ludex.Game("reversi")
    runner, position = ludex.Runner(game), game.start()
    for step in range(200):
        assert runner.terminal == position.terminal
        if runner.terminal:
            break
        assert runner.facts() == position.fact_numbers()
        legal = [runner.legal(player) for player in range(2)]
        assert legal == [position.legal_actions(role) for role in game.roles]
        turn = None if runner.player is None else game.seats[runner.player]
        assert turn == position.turn
        player = runner.player or 0
        chosen = legal[player][step % len(legal[player])]
        joint = [legal[0][0], legal[1][0]]
        joint[player] = chosen
        runner.step(player, chosen)
        position.apply(joint)
    assert runner.terminal and runner.goals() == [position.goals()[role] for role in game.seats]
    with pytest.raises(ludex.MoveError):
        runner.step(0, 0)
    before = game.start()
    runner.reset()
    again = runner.copy()
    again.step(0, again.legal(0)[0])
    assert runner.position() == before != again.position()
    for wrong in (-1, 2**40, 64, 0):
        with pytest.raises(ludex.MoveError):
            runner.step(0, wrong)
    with pytest.raises(IndexError):
        runner.legal(2)
    runner.set_position(again.position())
    assert runner.facts() == again.facts()
    with pytest.raises(ValueError):
        runner.set_position(ludex.Game("nim").start())


def test_a_runner_with_chance_and_with_choices_of_several() -> None:
    poker = ludex.Runner(ludex.Game("kuhn-poker"))
    game = poker.game
    assert poker.player is None and len(poker.chance()) == 6
    with pytest.raises(ludex.MoveError, match="step_all"):
        poker.step(0, poker.legal(0)[0])
    joint = {game.random: poker.chance()[0], game.seats[0]: poker.legal(0)[0], game.seats[1]: poker.legal(1)[0]}
    poker.step_all([joint[role] for role in game.roles])
    assert poker.player == 0 and len(poker.legal(0)) == 2
    throw = ludex.Runner(ludex.Game("rock-paper-scissors"))
    assert throw.player is None and throw.chance() == []
    with pytest.raises(ludex.MoveError):
        throw.step(0, 0)
    throw.step_all([0, 1])
