"""What is found out about games."""

import json
import math
import os
import pickle
import signal
import threading
import time

import pytest

import ludex

SWITCHES = """
(role you) (init (off a)) (init (off b))
(<= (legal you (press ?s)) (true (off ?s))) (legal you wait)
(<= (next (on ?s)) (does you (press ?s))) (<= (next (on ?s)) (true (on ?s)))
(<= (next (off ?s)) (true (off ?s)) (not (does you (press ?s))))
(<= terminal (true (on a)) (true (on b)))
(<= (goal you 100) (true (on a)) (true (on b))) (<= (goal you 0) (not done)) (<= done (true (on a)) (true (on b)))
"""


def test_what_is_proved_of_a_game() -> None:
    found = ludex.Game("tic-tac-toe").analysis(time=math.inf)
    assert found.well_formed and (found.longest, found.goal_sum, found.states, found.all_states) == (9, 100, 5478, True)
    assert found.claim("can always move", "white").holds and found.claim("it ends").by
    win = found.claim("can win", "black")
    assert win.holds and win.moves is not None
    position = ludex.Game("tic-tac-toe").start()
    for joint in win.moves:
        position.play(joint)
    assert position.goals()["black"] == 100
    assert found.claim("wins by a strategy", "white").holds is False and not found.is_undecided
    assert (found.symmetries.order, found.symmetries.fixing_roles) == (8, 8) and found.symmetries.generators
    assert len(found.factors.parts) == 1 and found.boards[0].spots == 9 and found.boards[0].shape == "grid"
    assert "white can win: yes" in str(found) and "It has 5,478 states." in str(found)
    assert json.loads(found.json())["goal_sum"] == 100 == found.to_dict()["goal_sum"]
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(KeyError):
        found.claim("can win", "green")


def test_what_is_refuted_is_shown() -> None:
    game = ludex.Game.from_text(SWITCHES)
    found = game.analysis(time=math.inf)
    ends = found.claim("it ends")
    assert ends.holds is False and ends.moves and found.well_formed is False
    assert found.symmetries.order == 2 and found.claim("wins by a fixed sequence of moves", "you").holds
    assert {"wait"} <= {move for joint in ends.moves for move in joint}


def test_without_time_much_is_undecided() -> None:
    found = ludex.Game("reversi").analysis(time=0)
    assert found.is_undecided and found.well_formed is None and "ndecided" in str(found)
    assert found.symmetries.order is None and found.symmetries.reason
    for wrong in (-1, math.nan):
        with pytest.raises(ValueError):
            ludex.Game("nim").analysis(time=wrong)
    with pytest.raises(ValueError):
        ludex.Game("nim").analysis(threads=0)


def test_control_c_ends_an_analysis() -> None:
    game = ludex.Game("reversi")

    def interrupt() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        game.analysis(time=math.inf)


def test_a_game_in_words() -> None:
    text = ludex.Game("tic-tac-toe").how_to_play(time=math.inf)
    assert "Length\nRandom games had 5 to 9 steps" in text and text.startswith("Aim\n")
    assert text == ludex.Game("tic-tac-toe").how_to_play(time=math.inf)


def test_what_positions_are_worth() -> None:
    game = ludex.Game("tic-tac-toe")
    solved = game.solve()
    assert (solved.notion, solved.values) == ("zero-sum", {"white": 50, "black": 50}) and len(solved.variation) == 9
    position = game.start()
    for moves in ("(mark 1 1)", "(mark 1 2)", "(mark 2 2)", "(mark 2 1)"):
        position.play({["white", "black"][position.step % 2]: moves})
    won = game.solve(position)
    assert won.values["white"] == 100 and won.nodes > 0
    for joint in won.variation:
        position.play(joint)
    assert position.goals()["white"] == 100
    assert pickle.loads(pickle.dumps(won)) == won
    assert ludex.Game.from_text(SWITCHES).solve().notion == "best"
    assert game.solve(opponents="max-n").notion in {"zero-sum", "max-n"}
    assert ludex.Game("reversi").solve(time=0).notion == "undecided"
    with pytest.raises(ludex.UnknownNameError):
        game.solve(opponents="friends")
    with pytest.raises(ValueError):
        ludex.Game("kuhn-poker").solve()
    with pytest.raises(ValueError):
        ludex.Game("nim").solve(position)
