"""Tournaments and their tables."""

import gc
import math
import os
import pickle
import signal
import threading
import time
import weakref

import pytest

import ludex


def first(position: ludex.Position, role: str) -> str:
    return position.legal(role)[0]


def searcher(playouts: int) -> ludex.Player:
    return ludex.Player("uct", playouts=playouts, time=math.inf)


def test_everybody_meets_everybody() -> None:
    played = ludex.tournament(
        ["tic-tac-toe", ludex.Game("nim")], {"strong": searcher(200), "weak": "random", "first": first}, rounds=2
    )
    assert played.is_over and len(played) == 2 * 2 * 6 and played.players == ["strong", "weak", "first"]
    table = played.table()
    assert table["player"][0] == "strong" and table["rank"] == [1, 2, 3] and table["matches"] == [16, 16, 16]
    assert table["rating"][0] > 100 > abs(sum(table["rating"])) and table["faults"] == [0, 0, 0]
    assert table["rating_low"][0] < table["rating"][0] < table["rating_high"][0]
    matches = played.table("matches")
    assert len(matches["match"]) == 48 and set(matches["game"]) == {"tic-tac-toe", "nim"}
    assert matches["role"][:2] == ["white", "black"] or matches["role"][0]
    assert len(played.table("pairings")["player"]) == 6
    assert repr(played) == "<ludex.Tournament round-robin, 3 players, 24 matches played, over>"
    assert next(played, None) is None and played.play() is played


def test_matches_come_one_by_one() -> None:
    tournament = ludex.Tournament("tic-tac-toe", [searcher(20), "random"], rounds=3, seed=5)
    assert tournament and len(tournament) == 0 and not tournament.is_over and tournament.table("matches") == {}
    for number, match in enumerate(tournament, 1):
        assert len(tournament) == number and match.game == "tic-tac-toe" and match.aborted is None
        assert match.record is not None and match.record.is_completed and match.record.goals == match.goals
        assert set(match.players.values()) == {"uct:playouts=20", "random"} and match.record.seed == match.seed
        assert match.steps == len(match.record) and match.faults == 0
        assert pickle.loads(pickle.dumps(match)) == match
    assert tournament.is_over and len(tournament) == 6


@pytest.mark.parametrize("format", ["round-robin", "swiss", "single", "double-elimination", "cumulative"])
def test_formats_give_the_same_on_any_number_of_threads(format: str) -> None:
    def played(threads: int) -> ludex.Tournament:
        players = {"a": searcher(30), "b": "random", "c": "legal", "d": first}
        return ludex.tournament("tic-tac-toe", players, format=format, threads=threads, seed=3, opening=1)

    one, three = played(1), played(3)
    assert one.is_over and one.format.startswith(format) and len(one) >= 3
    assert one.table("matches") == three.table("matches") and one.table() == three.table()


def test_tables_become_data_frames() -> None:
    played = ludex.tournament("tic-tac-toe", ["random", "legal"])
    table, matches = played.table(), played.table("matches")
    assert str(table).splitlines()[0].split()[:2] == ["rank", "player"] and len(str(table).splitlines()) == 3
    assert table.rows[0]["player"] == table["player"][0] and len(matches.rows) == 4
    assert "<td>random</td>" in table._repr_html_() and pickle.loads(pickle.dumps(table)) == table
    pandas = pytest.importorskip("pandas")
    assert list(table.to_pandas()["player"]) == table["player"]
    assert matches.to_pandas().groupby("player")["goal"].mean().notna().all() and isinstance(
        matches.to_pandas(), pandas.DataFrame
    )
    pytest.importorskip("polars")
    assert matches.to_polars()["seed"].to_list() == matches["seed"]
    pytest.importorskip("pyarrow")
    assert matches.to_pyarrow().column("seed").to_pylist() == matches["seed"]
    assert table.to_pyarrow().num_rows == 2
    # What is not known, and nothing at all, are columns, too.
    aborted = ludex.tournament("tic-tac-toe", ["random", "legal"], step_limit=2).table()
    for frame in (aborted.to_pandas(), aborted.to_polars(), aborted.to_pyarrow()):
        assert len(frame["goals"]) == 2
    none = ludex.Tournament("nim", ["random", "legal"]).table("matches")
    assert len(none.to_pandas()) == len(none.to_polars()) == len(none.to_pyarrow()) == 0


def test_names_cannot_run_in_a_table() -> None:
    played = ludex.tournament("tic-tac-toe", {"<script>": "random", "b": "legal"})
    assert "<script>" not in played.table()._repr_html_()


def test_functions_play_and_may_raise() -> None:
    class Tired(Exception):
        pass

    calls = 0
    thread = threading.get_ident()

    def tires(position: ludex.Position, role: str) -> str:
        nonlocal calls
        assert threading.get_ident() == thread
        calls += 1
        if calls == 8:
            raise Tired
        return first(position, role)

    tournament = ludex.Tournament("tic-tac-toe", {"t": tires, "f": first}, rounds=4, threads=2)
    with pytest.raises(Tired):
        tournament.play()
    played = len(tournament)
    assert played < 8 and not tournament.is_over
    assert len(tournament.play()) == 8, "it goes on"

    def wrong(position: ludex.Position, role: str) -> str:
        return "(mark 9 9)"

    with pytest.raises(ludex.MoveError, match="mark 9 9"):
        ludex.tournament("tic-tac-toe", {"w": wrong, "f": first})
    faults = ludex.tournament("tic-tac-toe", {"w": wrong, "f": first}, strict=False).table()
    assert faults["faults"][faults["player"].index("w")] > 0


def test_functions_in_games_with_secrets() -> None:
    def knows(belief: ludex.Belief, role: str) -> str:
        return belief.legal()[0]

    played = ludex.tournament("blind-tic-tac-toe", {"k": knows, "r": "random"}, rounds=2, threads=2)
    assert played.is_over and played.table()["faults"] == [0, 0]


def test_a_tournament_that_its_players_know_is_collected() -> None:
    class Player:
        def __init__(self) -> None:
            self.tournament: ludex.Tournament | None = None

        def __call__(self, position: ludex.Position, role: str) -> str:
            return position.legal(role)[0]

    player = Player()
    player.tournament = ludex.Tournament("tic-tac-toe", {"a": player, "b": "random"})
    next(player.tournament)
    gone = weakref.ref(player)
    del player
    gc.collect()
    assert gone() is None


def test_matches_that_end_early() -> None:
    played = ludex.tournament("tic-tac-toe", ["random", "legal"], step_limit=2)
    assert played.is_over and played.table()["aborted"] == [2, 2] and played.table()["goals"] == [None, None]
    assert all(played.table("matches")["aborted"])


def test_tournaments_that_there_cannot_be() -> None:
    two = ["random", "legal"]
    with pytest.raises(ludex.UnknownNameError, match="no format `open`; there are round-robin, swiss"):
        ludex.Tournament("nim", two, format="open")
    with pytest.raises(ludex.UnknownNameError):
        ludex.Tournament("no-such-game", two)
    with pytest.raises(ludex.UnknownNameError):
        ludex.Tournament("nim", ["random", "steam"])
    with pytest.raises(ludex.UnknownNameError, match="no table"):
        ludex.Tournament("nim", two).table("chairs")
    with pytest.raises(ValueError, match="`random` is there twice"):
        ludex.Tournament("nim", ["random", "random"])
    with pytest.raises(ValueError, match="at least two players"):
        ludex.Tournament("nim", ["random"])
    with pytest.raises(ValueError, match="at least one game"):
        ludex.Tournament([], two)
    with pytest.raises(ValueError, match="played alone"):
        ludex.Tournament("hanoi", two, format="swiss")
    with pytest.raises(ValueError, match="possible"):
        ludex.Tournament("nim", two, rounds=4_000_000_000)
    with pytest.raises(ValueError, match="threads"):
        ludex.Tournament("nim", two, threads=0)
    with pytest.raises(ValueError, match="attempts"):
        ludex.Tournament("nim", two, attempts=0)
    with pytest.raises(TypeError):
        ludex.Tournament("nim", [7, 8])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        ludex.Tournament([7], two)  # type: ignore[list-item]


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    ludex.tournament("tic-tac-toe", ["random", "legal"], rounds=2, progress=True)
    error = capsys.readouterr().err
    assert "4" in error and "matches" in error


def test_control_c_ends_a_tournament_that_goes_on() -> None:
    def interrupt() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    slow = {"a": ludex.Player("ludex", time=30), "b": ludex.Player("ludex", time=30, seed=2)}
    tournament = ludex.Tournament("reversi", slow, threads=2)
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        tournament.play()
    assert len(tournament) == 0
