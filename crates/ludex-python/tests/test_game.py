"""Games: where they come from, what is said of bad ones, what can be counted."""

import copy
import multiprocessing
import os
import pickle
import signal
import threading
import time
from pathlib import Path

import pytest

import ludex

COIN = """
(role you) (init (side down))
(legal you turn)
(<= (next (side up)) (does you turn))
(<= terminal (true (side up)))
(<= (goal you 100) (true (side up))) (<= (goal you 0) (true (side down)))
"""


def test_games_come_by_name_text_and_file(tmp_path: Path) -> None:
    names = ludex.games()
    assert names == sorted(names) and {"tic-tac-toe", "kuhn-poker", "chess"} <= set(names)
    game = ludex.Game("tic-tac-toe")
    assert (game.name, game.dialect, game.engine) == ("tic-tac-toe", "GDL", "net")
    assert game.roles == game.seats == ["white", "black"]
    assert len(game.sha256) == 64 and "(role white)" in game.text
    assert repr(game) == "<ludex.Game tic-tac-toe (GDL, white, black)>"
    poker = ludex.Game("kuhn-poker")
    assert "random" in poker.roles and "random" not in poker.seats
    assert not poker.has_perfect_information and game.has_perfect_information

    file = tmp_path / "coin.kif"
    file.write_text(COIN)
    for coin in (ludex.Game.from_text(COIN, name="coin.kif"), ludex.Game.from_file(file)):
        assert (coin.name, coin.roles) == ("coin", ["you"])
    assert ludex.Game.from_file(str(file)) == ludex.Game.from_text(COIN)
    with pytest.raises(FileNotFoundError):
        ludex.Game.from_file(tmp_path / "no-such-file")


@pytest.mark.parametrize("engine", ["rules", "net", "lanes"])
def test_engines_agree(engine: str) -> None:
    game = ludex.Game("tic-tac-toe", engine=engine)
    assert game.engine == engine
    assert [row.paths for row in game.perft(5)] == [1, 9, 72, 504, 3024, 15120]


def test_bad_rules_raise_what_was_found() -> None:
    wrong = "(role you)\n(legal you (go ?x))\n"
    with pytest.raises(ludex.RulesError) as raised:
        ludex.Game.from_text(wrong, name="walk.kif")
    error = raised.value
    assert isinstance(error, ValueError) and "walk.kif:2:" in str(error)
    first = next(finding for finding in error.findings if finding.severity == "error" and finding.line == 2)
    assert first.code.startswith("L") and wrong.splitlines()[1][first.column - 1 : first.end_column - 1] == "?x"
    assert str(first).startswith("2:")
    # It is the same without an exception, and the exception can go to another process.
    assert ludex.check(wrong, name="walk.kif") == error.findings
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, ludex.RulesError) and again.findings == error.findings and str(again) == str(error)
    assert [f for f in ludex.check(COIN) if f.severity == "error"] == []


def test_what_there_is_not_has_its_exceptions() -> None:
    with pytest.raises(ludex.UnknownNameError, match="no game named `no-such-game`"):
        ludex.Game("no-such-game")
    with pytest.raises(KeyError):
        ludex.Game("tic-tac-toe", engine="steam")
    with pytest.raises(ValueError):
        ludex.Game("tic-tac-toe", time=-1.0)
    with pytest.raises(ludex.LimitError):
        ludex.Game("reversi").perft(40, time=0.2)


def test_random_games_are_the_same_on_any_number_of_threads() -> None:
    game = ludex.Game("connect-four")
    one, four = (game.playouts(20_000, seed=3, threads=threads) for threads in (1, 4))
    assert one.finished == 20_000 and (one.stuck, one.over_limit) == (0, 0)
    assert (one.steps, one.goals) == (four.steps, four.goals)
    assert one.goals != game.playouts(20_000, seed=4).goals
    first = one.mean_goals[game.roles[0]]
    assert first is not None and 50 < first < 60, "who begins wins more often"
    assert sum(one.goals[game.roles[0]].values()) == 20_000
    position = game.start()
    other = ludex.Game("tic-tac-toe")
    with pytest.raises(ValueError):
        other.playouts(1, position=position)
    assert game.playouts(10, step_limit=3).over_limit == 10


def test_each_random_game_is_told_on_request() -> None:
    game = ludex.Game("tic-tac-toe")
    assert game.playouts(5).lengths is None and game.playouts(5).results is None
    played = game.playouts(5_000, records=True)
    assert played.lengths is not None and played.results is not None
    assert played.lengths.sum() == played.steps and 5 <= played.lengths.min() <= played.lengths.max() == 9
    assert played.results.shape == (5_000, 2) and (played.results.sum(axis=1) == 100).all()
    assert played.results[:, 0].mean() == played.mean_goals["white"]
    with pytest.raises(ludex.LimitError):
        game.playouts(2**32 - 1, records=True)
    cut = game.playouts(3, step_limit=2, records=True)
    assert cut.results is not None and cut.results.shape == (3, 2) and (cut.results != cut.results).all()


def test_games_and_positions_go_to_other_processes() -> None:
    game = ludex.Game("tic-tac-toe", engine="rules")
    position = game.start()
    position.play(["(mark 2 2)", "noop"])
    again = pickle.loads(pickle.dumps(position))
    assert again == position and again.game == game and again.game.engine == "rules"
    assert again.moves == [["(mark 2 2)", "noop"]]
    assert hash(game) == hash(pickle.loads(pickle.dumps(game)))
    assert copy.deepcopy(game) is game and ludex.Game("tic-tac-toe") != game, "another engine"
    for how in ("fork", "spawn"):
        with multiprocessing.get_context(how).Pool(2) as pool:
            assert pool.map(legal_moves, [position, position]) == [8, 8]


def legal_moves(position: ludex.Position) -> int:
    return len(position.legal("black"))


def test_other_threads_run_meanwhile() -> None:
    game = ludex.Game("reversi")
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        while not over.is_set():
            ticks += 1
            time.sleep(0.001)

    over = threading.Event()
    other = threading.Thread(target=tick)
    other.start()
    with pytest.raises(ludex.LimitError):
        game.perft(40, time=0.5)
    over.set()
    other.join()
    assert ticks > 20


def test_control_c_ends_long_work() -> None:
    game = ludex.Game("reversi")
    sent = 0.0

    def interrupt() -> None:
        nonlocal sent
        time.sleep(0.3)
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        game.playouts(1_000_000_000, threads=2)
    assert time.monotonic() - sent < 5
