"""Players by name, asked for one decision."""

import math
import os
import pickle
import signal
import threading
import time

import pytest

import ludex

CENTRE = {"white": "(mark 2 2)"}


def test_strategies_say_what_they_do() -> None:
    by_name = {strategy.name: strategy for strategy in ludex.strategies()}
    assert {"random", "uct", "ludex", "level-1"} <= set(by_name)
    assert by_name["uct"].options["playouts"][0] == "0" and by_name["random"].description


def test_a_player_is_asked_for_a_move() -> None:
    position = ludex.Game("tic-tac-toe").start()
    for moves in ({"white": "(mark 1 1)"}, {"black": "(mark 2 2)"}, {"white": "(mark 1 2)"}):
        position.play(moves)
    player = ludex.player("minimax", time=math.inf)
    assert player.choose(position) == player(position, "black") == "(mark 1 3)", "it has to"
    assert player.choose(position, "white") == "noop"
    thought = player.consider(position)
    assert str(thought) == thought.move == thought.moves[0].move and thought.value == thought.moves[0].value == 50
    assert thought.entries and thought.variation[0][1] == thought.move
    assert position.step == 3


def test_counted_work_is_the_same_each_time() -> None:
    position = ludex.Game("connect-four").start()
    player = ludex.Player("uct", playouts=200, c=0.7, reuse=False, time=math.inf, seed=4)
    assert player.name == "uct:playouts=200:c=0.7:reuse=off"
    first, second = player.consider(position), pickle.loads(pickle.dumps(player)).consider(position)
    assert (first.move, first.moves) == (second.move, second.moves)
    assert sum(rated.visits for rated in first.moves) == 200
    assert dict(first.entries)["playouts"] == "200"


def test_players_are_values() -> None:
    player = ludex.Player("uct", time=2.5, seed=3, playouts=10)
    assert player == ludex.Player("uct:playouts=10", time=2.5, seed=3) != ludex.Player("uct", playouts=10)
    assert pickle.loads(pickle.dumps(player)) == player and repr(player) == "<ludex.Player uct:playouts=10>"
    assert (player.time, player.start_time, player.seed) == (2.5, None, 3)


def test_players_that_there_cannot_be() -> None:
    with pytest.raises(ludex.UnknownNameError, match="there is no strategy `steam`; the strategies are legal, random"):
        ludex.Player("steam")
    with pytest.raises(ludex.UnknownNameError, match="`uct` has no option `pressure`; it has c, playouts"):
        ludex.Player("uct", pressure=3)
    for c in ("high", "1:playouts=3"):
        with pytest.raises(ValueError):
            ludex.Player("uct", c=c)
    for seconds in (-1, math.nan):
        with pytest.raises(ValueError):
            ludex.Player("uct", time=seconds)
    with pytest.raises(ValueError):
        ludex.Player("uct", threads=0)
    with pytest.raises(TypeError):
        ludex.Player("uct", c=[1])  # type: ignore[arg-type]


def test_questions_that_there_cannot_be() -> None:
    player = ludex.Player("legal")
    game = ludex.Game("tic-tac-toe")
    position = game.start()
    with pytest.raises(ludex.UnknownNameError):
        player.choose(position, "green")
    for moves in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"):
        position.play({["white", "black"][position.step % 2]: moves})
    with pytest.raises(ludex.MoveError, match="over"):
        player.choose(position, "white")
    with pytest.raises(ValueError, match="came about"):
        player.choose(game.position(["(cell 1 1 b)", "(control white)"]), "white")
    with pytest.raises(ValueError, match="nobody's turn"):
        player.choose(ludex.Game("blind-tic-tac-toe").start())
    with pytest.raises(ValueError, match="chance"):
        player.choose(ludex.Game("monty-hall").start(), "random")


def test_no_time_is_time_enough_for_some_move() -> None:
    position = ludex.Game("tic-tac-toe").start()
    assert ludex.Player("ludex", time=0).choose(position) in position.legal("white")


def test_control_c_ends_a_thought() -> None:
    position = ludex.Game("reversi").start()

    def interrupt() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        ludex.Player("ludex", time=60).choose(position)
