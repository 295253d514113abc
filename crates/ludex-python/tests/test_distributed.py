"""Work that is spread over the workers of a Ray cluster."""

import math
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ludex

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from ludex import distributed  # noqa: E402
from ludex.distributed import Piece, pieces_of, run, seed_of  # noqa: E402

GAMES = ["tic-tac-toe", "nim"]
COUNTED = ludex.Player("uct", playouts=10, time=math.inf)


def first(position: ludex.Position, role: str) -> str:
    return position.legal(role)[0]


def last(position: ludex.Position, role: str) -> str:
    return position.legal(role)[-1]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two workers on this machine."""
    ray = pytest.importorskip("ray")
    # On a busy machine the parts of Ray take long to find each other.
    os.environ.setdefault("RAY_agent_register_timeout_ms", "300000")
    failure: Exception | None = None
    # It gives up after half a minute, which is not enough where others are busy.
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
                break
            except Exception as error:  # What it raises has no type of its own.
                failure = error
                ray.shutdown()
    else:
        pytest.skip(f"Ray does not start on this machine: {failure}")
    yield ray
    ray.shutdown()


def play(workers: int, folder: Path | None = None, rounds: int = 1) -> dict[str, Any]:
    players = {"uct": COUNTED, "random": "random", "first": first}
    return distributed.tournament(GAMES, players, rounds=rounds, seed=7, workers=workers, folder=folder)


def test_seeds_are_of_the_pieces() -> None:
    pieces = pieces_of("abc", seed=5)
    assert [piece.work for piece in pieces] == ["a", "b", "c"] and [piece.number for piece in pieces] == [0, 1, 2]
    assert [piece.seed for piece in pieces] == [seed_of(5, number) for number in range(3)]
    assert pieces_of("abcdef", seed=5)[:3] == pieces and seed_of(5, 1) != seed_of(6, 1)
    assert all(0 <= seed_of(seed, 0) < 2**63 for seed in (-1, 0, 1, 2**70))


def test_it_is_the_same_with_one_worker_two_and_none(cluster: Any, tmp_path: Path) -> None:
    folders = [tmp_path / str(workers) for workers in range(3)]
    tables = [play(workers, folder) for workers, folder in enumerate(folders)]
    for name in ("players", "records", "seats", "steps"):
        assert all(other[name].equals(tables[0][name]) for other in tables[1:]), name
        files = [(folder / f"{name}.parquet").read_bytes() for folder in folders]
        assert files[0] == files[1] == files[2], name
    assert sorted(path.name for path in folders[0].iterdir()) == [
        "players.parquet",
        "records.parquet",
        "seats.parquet",
        "steps.parquet",
    ]


def test_pieces_of_lost_workers_are_done_again(cluster: Any, tmp_path: Path) -> None:
    def do(piece: Piece[int]) -> int:
        # The first worker with this piece ends, and so does Ray's own second try.
        for attempt in range(piece.work):
            marker = tmp_path / f"{piece.number}.{attempt}"
            if not marker.exists():
                marker.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return piece.seed

    pieces = pieces_of([0, 0, 1, 0, 3, 0])
    for batch in (1, 3):
        for marker in tmp_path.iterdir():
            marker.unlink()
        done = dict(run(pieces, do, workers=2, batch=batch))
        assert {piece.number: seed for piece, seed in done.items()} == {p.number: p.seed for p in pieces}
        assert len(list(tmp_path.iterdir())) == 4


def test_what_always_loses_its_worker_is_given_up(cluster: Any) -> None:
    def do(piece: Piece[bool]) -> None:
        if piece.work:
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ludex.LudexError, match="piece 1 was given up: 1 workers"):
        list(run(pieces_of([False, True]), do, workers=2, attempts=1))


@pytest.mark.parametrize("workers", [0, 2])
def test_exceptions_come_out(cluster: Any, workers: int) -> None:
    def do(piece: Piece[str]) -> ludex.Game:
        return ludex.Game.from_text(piece.work)

    with pytest.raises(ludex.RulesError) as raised:
        list(run(pieces_of(["(role you) (legal you (go ?x))"]), do, workers=workers))
    assert raised.value.findings[-1].severity == "error"

    def fails(position: ludex.Position, role: str) -> str:
        raise ZeroDivisionError(role)

    with pytest.raises(ZeroDivisionError, match="white"):
        distributed.self_play("tic-tac-toe", fails, 2, workers=workers)
    with pytest.raises(ludex.MoveError):
        distributed.self_play("tic-tac-toe", lambda position, role: "jump", 2, workers=workers)


def test_an_interrupt_ends_it(cluster: Any) -> None:
    def do(piece: Piece[int]) -> None:
        time.sleep(piece.work)

    results = run(pieces_of([0, 3600, 3600]), do, workers=2)
    assert next(results)[0].number == 0
    timer = threading.Timer(1, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        next(results)
    timer.join()
    assert len(list(run(pieces_of([0, 0]), do, workers=2))) == 2, "the workers are free"


def test_what_is_there_is_not_done_again(tmp_path: Path) -> None:
    played = []

    def counts(position: ludex.Position, role: str) -> str:
        if position.step < 2 and len(position.legal(role)) > 1:
            played.append(role)
            if len(played) == 4:
                raise KeyboardInterrupt
        return first(position, role)

    def go_on(matches: int, seed: int = 1) -> dict[str, Any]:
        return distributed.self_play("tic-tac-toe", counts, matches, seed=seed, folder=tmp_path, workers=0)

    with pytest.raises(KeyboardInterrupt):
        go_on(3)
    assert not (tmp_path / "records.parquet").exists()
    assert distributed.read(tmp_path)["records"]["match"].to_pylist() == ["tic-tac-toe.self.1"]
    tables = go_on(3)
    assert len(played) == 4 + 4, "the match that was broken off, and one more"
    assert tables["records"]["match"].to_pylist() == [f"tic-tac-toe.self.{number}" for number in (1, 2, 3)]
    go_on(3)
    assert len(played) == 8
    more = go_on(4)
    assert len(played) == 10 and more["records"].slice(0, 3).equals(tables["records"])
    assert distributed.read(tmp_path)["steps"].equals(more["steps"].replace_schema_metadata(None))
    whole = distributed.self_play("tic-tac-toe", counts, 4, workers=0)
    assert all(whole[name].equals(more[name]) for name in whole)
    with pytest.raises(ValueError, match="more than this"):
        go_on(3)
    with pytest.raises(ValueError, match="another job"):
        go_on(4, seed=2)


def test_parts_that_were_merged_before_do_no_harm(tmp_path: Path) -> None:
    """Writing the files can be stopped between any two of them."""
    tables = play(0, tmp_path / "whole")
    store = tmp_path / "stopped" / "parts" / "done-1"
    store.mkdir(parents=True)
    for name in ("records", "seats", "steps"):
        (store / f"{name}.parquet").write_bytes((tmp_path / "whole" / f"{name}.parquet").read_bytes())
    (tmp_path / "stopped" / "seats.parquet").write_bytes((tmp_path / "whole" / "seats.parquet").read_bytes())
    (tmp_path / "stopped" / "steps.unfinished").write_bytes(b"PAR1")
    (tmp_path / "stopped" / "parts" / "writing-1").mkdir()
    again = play(0, tmp_path / "stopped")
    assert all(again[name].equals(tables[name]) for name in tables)
    assert not (tmp_path / "stopped" / "parts").exists()


def test_tables_have_these_columns(tmp_path: Path) -> None:
    tables = play(0, tmp_path)
    columns = {
        name: [(field.name, str(field.type)) for field in pq.read_schema(tmp_path / f"{name}.parquet")]
        for name in tables
    }
    assert columns["records"] == [
        ("match", "string"),
        ("game", "string"),
        ("sha256", "string"),
        ("seed", "int64"),
        ("completed", "bool"),
        ("steps", "int32"),
        ("record", "string"),
    ]
    assert columns["seats"] == [
        ("match", "string"),
        ("game", "string"),
        ("role", "string"),
        ("player", "string"),
        ("goal", "int32"),
    ]
    assert columns["steps"] == [
        ("match", "string"),
        ("step", "int32"),
        ("role", "string"),
        ("move", "string"),
        ("seconds", "double"),
    ]
    assert columns["players"][:4] == [
        ("player", "string"),
        ("matches", "int32"),
        ("share", "double"),
        ("rating", "double"),
    ]
    for row in tables["records"].to_pylist():
        record = ludex.MatchRecord.from_json(row["record"])
        assert record.name == row["match"] and record.seed == row["seed"] and len(record) == row["steps"]
        assert record.game.sha256 == row["sha256"] and record.is_completed == row["completed"] and not record.verify()
        steps = [step for step in tables["steps"].to_pylist() if step["match"] == row["match"]]
        assert [step["move"] for step in steps] == [move for moves in record.moves for move in moves]
        assert steps[0]["step"] == 1 and steps[-1]["step"] == len(record)
        seats = [seat for seat in tables["seats"].to_pylist() if seat["match"] == row["match"]]
        assert {seat["role"]: seat["goal"] for seat in seats} == record.goals


def test_other_libraries_read_them(tmp_path: Path) -> None:
    tables = play(0, tmp_path)
    distributed.perft("nim", 3, folder=tmp_path / "perft", workers=0)
    seats, counts = tmp_path / "seats.parquet", tmp_path / "perft" / "perft.parquet"
    goals = sum(goal for goal in tables["seats"]["goal"].to_pylist())
    paths = ludex.Game("nim").perft(3)[3].paths
    read = 0
    try:
        import pandas
    except ImportError:
        pass
    else:
        read += 1
        assert pandas.read_parquet(seats)["goal"].sum() == goals
        assert pandas.read_parquet(counts)["paths"].max() == paths
    try:
        import polars
    except ImportError:
        pass
    else:
        read += 1
        assert polars.read_parquet(seats)["goal"].sum() == goals
        assert polars.read_parquet(counts)["paths"].max() == paths
    try:
        import duckdb
    except ImportError:
        pass
    else:
        read += 1
        assert duckdb.sql(f"SELECT sum(goal) FROM '{seats}'").fetchall() == [(goals,)]
        assert duckdb.sql(f"SELECT max(paths) FROM '{counts}'").fetchall() == [(paths,)]
    if not read:
        pytest.skip("neither pandas nor polars nor duckdb is installed")


def test_shares_are_those_of_the_core() -> None:
    """With players that leave nothing to chance, both play the same matches."""
    games = ["tic-tac-toe", "nim", "three-player-tic-tac-toe", "8-puzzle", "rock-paper-scissors"]
    players = {"first": first, "last": last}
    core = {row["player"]: row for row in ludex.tournament(games, players, rounds=2).table().rows}
    rows = distributed.tournament(games, players, rounds=2, workers=0)["players"].to_pylist()
    assert [row["player"] for row in rows] == sorted(core, key=lambda player: -core[player]["share"])
    for row in rows:
        for name in ("matches", "aborted"):
            assert row[name] == core[row["player"]][name]
        for name in ("share", "share_low", "share_high", "goals"):
            assert row[name] == pytest.approx(core[row["player"]][name], abs=1e-12), name


def test_matches_that_end_early_count_nowhere() -> None:
    players = distributed.tournament("connect-four", ["random", first], step_limit=3, workers=0)["players"].to_pylist()
    assert [(row["matches"], row["share"], row["aborted"]) for row in players] == [(0, None, 2)] * 2


@pytest.mark.parametrize("game", ["tic-tac-toe", "kuhn-poker", "rock-paper-scissors"])
def test_perft_is_that_of_the_game(game: str) -> None:
    expected = [(row.depth, row.paths, row.terminals) for row in ludex.Game(game).perft(3)]
    for split in (0, 1, 2, 4):
        rows = distributed.perft(game, 3, split=split, workers=0)["perft"].to_pylist()
        assert [(row["depth"], row["paths"], row["terminals"]) for row in rows] == expected, split


def test_perft_on_the_cluster(cluster: Any) -> None:
    tables = distributed.perft("tic-tac-toe", 4, split=2, workers=2, batch=8)
    assert [int(paths) for paths in tables["perft"]["paths"].to_pylist()] == [1, 9, 72, 504, 3024]
    branches = tables["branches"].to_pylist()
    assert len(branches) == 72 * 3 and branches[0]["moves"] == "(mark 1 1) noop / noop (mark 1 2)"
    assert distributed.perft("tic-tac-toe", 0, workers=0)["perft"]["paths"].to_pylist() == [1]


def test_analyses(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "wrong.kif").write_text("(role you) (legal you (go ?x))")
    (tmp_path / "notes.txt").write_text("no game")
    (tmp_path / "deep" / "ttt.gdl").write_text(ludex.Game("tic-tac-toe").text)
    rows = distributed.analyses(tmp_path, time=math.inf, workers=2)["analyses"].to_pylist()
    assert [row["game"] for row in rows] == ["deep/ttt.gdl", "wrong.kif"]
    assert rows[0]["sha256"] == ludex.Game("tic-tac-toe").sha256 and rows[0]["states"] == 5478
    assert rows[0]["well_formed"] is True and rows[0]["error"] is None and '"claims"' in rows[0]["json"]
    assert "error" in rows[1]["error"] and rows[1]["json"] is None
    with pytest.raises(NotADirectoryError):
        distributed.analyses(tmp_path / "none", workers=0)


def test_searches(cluster: Any) -> None:
    def found(workers: int) -> Any:
        return distributed.search(
            "tic-tac-toe", "uct", {"playouts": [1, 40]}, "random", fixed={"time": math.inf}, rounds=3, workers=workers
        )["searches"]

    assert found(0).equals(found(2))
    weak, strong = found(0).to_pylist()
    assert (weak["settings"], strong["settings"]) == ('{"playouts": 1}', '{"playouts": 40}')
    assert (weak["player"], strong["matches"]) == ("uct:playouts=1", 6)
    assert weak["share"] < strong["share"] and strong["share_low"] < strong["share"] <= strong["share_high"]

    def mixed(sharp: bool) -> Any:
        return last if sharp else first

    rows = distributed.search("nim", mixed, [{"sharp": False}, {"sharp": True}], first, rounds=1, workers=0)
    assert rows["searches"]["player"].to_pylist() == ["first", "last"]
    endless = distributed.search("nim", "uct", [{"playouts": 1, "time": math.inf}], first, rounds=1, workers=0)
    assert endless["searches"]["settings"].to_pylist() == ['{"playouts": 1, "time": "inf"}'], "what all can read"
    with pytest.raises(ludex.UnknownNameError):
        distributed.search("nim", "uct", [{"colour": 1}], "random", workers=0)


def test_self_play_with_a_player_for_each_role() -> None:
    players: dict[str, Any] = {"white": "random", "black": first}
    seats = distributed.self_play("nim", players, 1, workers=0)["seats"].to_pylist()
    assert [(seat["role"], seat["player"]) for seat in seats] == [("white", "random"), ("black", "first")]
    equal = {role: ludex.Player("uct", playouts=1, time=math.inf, seed=seed) for seed, role in enumerate(players)}
    seats = distributed.self_play("nim", equal, 1, workers=0)["seats"].to_pylist()
    assert [seat["player"] for seat in seats] == ["uct:playouts=1 (white)", "uct:playouts=1 (black)"]


def test_wrong_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least two"):
        distributed.tournament("nim", ["random"], workers=0)
    with pytest.raises(ValueError, match="twice"):
        distributed.tournament("nim", ["random", "random"], workers=0)
    with pytest.raises(ValueError, match="twice"):
        distributed.tournament(["nim", "nim"], ["random", first], workers=0)
    with pytest.raises(ValueError, match="is played by white, black"):
        distributed.self_play("nim", {"white": "random"}, 1, workers=0)
    with pytest.raises(ValueError, match="played alone"):
        distributed.search("8-puzzle", "random", [{}], "random", workers=0)
    with pytest.raises(ValueError, match="-1 workers"):
        run([], first, workers=-1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        distributed.perft("nim", 1, hurry=True)
    with pytest.raises(FileNotFoundError):
        distributed.read(tmp_path)
