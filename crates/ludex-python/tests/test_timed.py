"""Games in real time."""

import copy
import os
import pickle
import signal
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

import ludex

TICK = """
role(you). init(1, tick). next(1, tick) :- expired(tick). legal(you, stop) :- true(T, tick).
next(infinity, done) :- does(you, stop). terminal :- true(T, done). goal(you, 50) :- terminal. goal(you, 0) :- ~terminal.
"""


def test_games_in_real_time_come_by_name_text_and_file(tmp_path: Path) -> None:
    names = ludex.timed_games()
    assert "chicken" in names and names == sorted(names) and not set(names) & set(ludex.games())
    game = ludex.TimedGame("chicken")
    assert (game.name, game.engine, game.dialect) == ("chicken", "net", "rtGDL") and game.roles == game.seats
    assert ludex.TimedGame("chicken", engine="rules").engine == "rules" and len(game.sha256) == 64
    assert repr(game).startswith("<ludex.TimedGame chicken (rtGDL, ")
    file = tmp_path / "tick.gdl"
    file.write_text(TICK)
    assert ludex.TimedGame.from_file(file) == ludex.TimedGame.from_text(TICK) != game
    again = pickle.loads(pickle.dumps(game))
    assert again == game and hash(again) == hash(game) and again.name == "chicken"


def test_what_cannot_be_played_in_real_time(tmp_path: Path) -> None:
    with pytest.raises(ludex.UnknownNameError, match="tic-tac-toe"):
        ludex.TimedGame("tic-tac-toe")
    with pytest.raises(ludex.UnknownNameError):
        ludex.TimedGame("chicken", engine="steam")
    with pytest.raises(ValueError, match="goes in steps"):
        ludex.TimedGame.from_text(ludex.Game("tic-tac-toe").text)
    with pytest.raises(ludex.RulesError):
        ludex.TimedGame.from_text("role(you). init(1, p). next(1, q(X)).")
    with pytest.raises(ludex.LudexError):
        ludex.TimedGame("chicken", engine="lanes")
    with pytest.raises(FileNotFoundError):
        ludex.TimedGame.from_file(tmp_path / "no-such-file")


def test_time_passes_when_it_is_let() -> None:
    timeline = ludex.TimedGame.from_text(TICK, name="tick.gdl").start()
    assert timeline.now == 0 and timeline.facts == [("tick", Decimal(1))] and timeline.next_expiry == 1
    timeline.advance("0.25")
    assert timeline.facts == [("tick", Decimal("0.75"))] and timeline.events == []
    assert timeline.wait() and timeline.now == 1 and timeline.events[0].expired == ["tick"]
    timeline.advance_to(Decimal("2.5"))
    before = copy.copy(timeline)
    assert timeline.legal("you") == ["stop"] and timeline.goals() == {"you": 0}
    timeline.play({"you": "stop"})
    assert timeline.is_over and timeline.goals() == {"you": 50} and not timeline.wait()
    last = timeline.events[-1]
    assert (last.time, last.moves, last.expired, last.wasted) == (Decimal("2.5"), {"you": "stop"}, [], None)
    assert not before.is_over and before.now == Decimal("2.5") and len(before.events) == 2
    again = pickle.loads(pickle.dumps(timeline))
    assert again.events == timeline.events and again.is_over and repr(again) == "<ludex.Timeline of tick at 2.5>"
    assert pickle.loads(pickle.dumps(last)) == last


def test_what_cannot_happen_changes_nothing() -> None:
    timeline = ludex.TimedGame.from_text(TICK).start()
    timeline.advance(1.5)
    for moves in ({"you": "go"}, {"you": "stop("}, {}):
        with pytest.raises(ludex.MoveError):
            timeline.play(moves)
    with pytest.raises(ludex.UnknownNameError, match="they"):
        timeline.play({"they": "stop"})
    with pytest.raises(ludex.UnknownNameError):
        timeline.legal("they")
    with pytest.raises(ValueError, match="time does not go back"):
        timeline.advance_to(1)
    for wrong in (-1, "soon", float("nan"), float("inf"), "1e5", 10**30):
        with pytest.raises(ValueError):
            timeline.advance(wrong)
    assert timeline.now == Decimal("1.5") and len(timeline.events) == 1
    timeline.play({"you": "stop"})
    with pytest.raises(ludex.MoveError, match="over"):
        timeline.play({"you": "stop"})


def test_chance_is_decided_by_the_seed() -> None:
    def course(seed: int) -> list[ludex.TimedEvent]:
        timeline = ludex.TimedGame("reaction").start(seed=seed)
        while timeline.now < 20 and timeline.wait():
            pass
        return timeline.events

    assert course(1) == course(1) and any(course(1) != course(seed) for seed in range(2, 6))
    timeline = ludex.TimedGame("reaction").start()
    with pytest.raises(ludex.MoveError, match="random"):
        timeline.play({"random": "flash"})


@pytest.mark.parametrize("name", ["timed-tic-tac-toe", "clock-auction"])
def test_random_games_are_recorded(name: str) -> None:
    rules, net = (ludex.TimedGame(name, engine=engine) for engine in ("rules", "auto"))
    records = rules.record_playouts(3, seed=4)
    assert records == net.record_playouts(3, seed=4) or [r.events for r in records] == [
        r.events for r in net.record_playouts(3, seed=4)
    ]
    for number, record in enumerate(records):
        assert record.seed == 4 + number and record.is_completed and len(record) == len(record.events) > 0
        assert record.verify(net) == [] and set(record.goals) == set(record.roles) and record.time >= 0
        again = ludex.TimedRecord.from_json(record.json())
        assert again == record == pickle.loads(pickle.dumps(record)) and record
    assert rules.record_playouts(0) == []
    short = rules.record_playouts(1, longest="0.5")[0]
    assert short.time <= Decimal("0.5") and not short.is_completed and set(short.goals.values()) == {None}
    assert records[0].verify(ludex.TimedGame("chicken"))


@pytest.mark.parametrize("text", ["", "{}", "[]", "7", '{"roles": []}'])
def test_texts_that_are_no_timed_records(text: str) -> None:
    with pytest.raises(ValueError):
        ludex.TimedRecord.from_json(text)


def test_control_c_ends_a_long_time() -> None:
    timeline = ludex.TimedGame.from_text(TICK).start()
    timeline.advance(3)

    def interrupt() -> None:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        timeline.advance(10**9)
    assert timeline.now == 3 and len(timeline.events) == 3
