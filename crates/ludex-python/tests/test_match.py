"""Matches between strategies and functions, and their records."""

import json
import math
import os
import pickle
import random
import re
import signal
import threading
import time

import pytest

import ludex


def first(position: ludex.Position, role: str) -> str:
    return position.legal(role)[0]


def test_strategies_play_the_same_match_by_the_same_seed() -> None:
    game = ludex.Game("connect-four")
    searching = ludex.Player("uct", playouts=50, time=math.inf)
    records = [game.match([searching, "random"], seed=seed) for seed in (7, 7, 8)]
    assert records[0] == records[1] != records[2] and records[0].json() == records[1].json()
    record = records[0]
    assert record.is_completed and record.abort_cause is None and record.faults == [] and record.seed == 7
    assert record.players == dict(zip(game.seats, ["uct:playouts=50", "random"]))
    assert sum(goal or 0 for goal in record.goals.values()) == 100 and len(record.moves) == len(record)
    thought = record.thought(0, game.seats[0])
    assert thought is not None and thought.move == record.moves[0][0] and thought.moves[0].visits > 0
    assert record.thought(0, game.seats[1]) is None and record.times is None
    assert repr(record).startswith(f"<ludex.MatchRecord of connect-four, {len(record)} steps: ")


def test_functions_play() -> None:
    game = ludex.Game("tic-tac-toe")
    thread = threading.get_ident()
    seen: list[int] = []

    def by_number(position: ludex.Position, role: str) -> int:
        assert threading.get_ident() == thread
        seen.append(position.step)
        number = random.Random(position.step).choice(position.legal_actions(role))
        position.play([position.legal(role)[0] for role in game.roles])  # a copy: it changes nothing
        return number

    record = game.match({"black": by_number, "white": first}, seed=3)
    assert record.is_completed and record.faults == []
    assert record.moves[0] == ["(mark 1 1)", "noop"] and seen == list(range(len(record)))
    assert record.players == {"white": "first", "black": "by_number"}
    # A player is something to call, too, and so is what thinks by one.
    player = ludex.Player("minimax", time=math.inf)
    record = game.match({"white": lambda position, role: player.choose(position, role), "black": player})
    assert record.goals == {"white": 50, "black": 50}


def test_functions_know_what_their_role_knows() -> None:
    told: list[int] = []

    def candidate(belief: ludex.Belief, role: str) -> str:
        assert isinstance(belief, ludex.Belief) and belief.role == role == "candidate"
        told.append(belief.step)
        return belief.legal()[-1]

    record = ludex.Game("monty-hall").match({"candidate": candidate}, seed=5)
    assert record.is_completed and record.faults == [] and told == list(range(len(record)))
    assert record.moves[-1][0] == "switch" and record.players["random"] == "random"


def test_what_functions_raise_ends_the_match() -> None:
    class Tired(Exception):
        pass

    def tired(position: ludex.Position, role: str) -> str:
        if position.step == 3:
            raise Tired(role)
        return first(position, role)

    game = ludex.Game("tic-tac-toe")
    with pytest.raises(Tired, match="black"):
        game.match({"white": "random", "black": tired})
    with pytest.raises(KeyboardInterrupt):
        game.match({"white": "random", "black": interrupted})


def interrupted(position: ludex.Position, role: str) -> str:
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        time.sleep(0.01)


@pytest.mark.parametrize("answer", ["(mark 9 9)", "(mark", "noop", "", -1, 10**9, 10**30])
def test_no_legal_move(answer: str | int) -> None:
    game = ludex.Game("tic-tac-toe")
    if answer != 10**30:
        with pytest.raises(ludex.MoveError, match="white"):
            game.match([lambda position, role: answer, "random"])
        record = game.match([lambda position, role: answer, "random"], strict=False)
        assert record.is_completed and record.faults[0][:2] == (1, "white")
    else:
        with pytest.raises((TypeError, OverflowError)):
            game.match([lambda position, role: answer, "random"])


@pytest.mark.parametrize("answer", [None, 1.5, True, ["(mark 1 1)"], b"noop"])
def test_no_move_at_all(answer: object) -> None:
    with pytest.raises(TypeError, match="text of a move"):
        ludex.Game("tic-tac-toe").match([lambda position, role: answer, "random"])  # type: ignore[list-item]


def test_seats_that_cannot_be_taken() -> None:
    game = ludex.Game("tic-tac-toe")
    with pytest.raises(ValueError, match="nobody plays `black`"):
        game.match({"white": "random"})
    with pytest.raises(ludex.UnknownNameError, match="no role `green` to play; there are white, black"):
        game.match({"white": "random", "black": "random", "green": "random"})
    with pytest.raises(ludex.UnknownNameError, match="no role `random`"):
        ludex.Game("monty-hall").match({"candidate": "random", "random": "random"})
    with pytest.raises(ValueError, match="2 roles to play, but 1"):
        game.match(["random"])
    with pytest.raises(ludex.UnknownNameError, match="steam"):
        game.match(["random", "steam"])
    for wrong in (7, "random", [7, 8], {"white": None, "black": None}):
        with pytest.raises(TypeError):
            game.match(wrong)  # type: ignore[arg-type]
    for seconds in (-1.0, math.nan):
        with pytest.raises(ValueError):
            game.match(["random", "random"], play_clock=seconds)


def test_clocks_and_limits() -> None:
    game = ludex.Game("tic-tac-toe")

    def slow(position: ludex.Position, role: str) -> str:
        time.sleep(0.05)
        return first(position, role)

    record = game.match([slow, "random"], play_clock=0.001)
    assert record.times is not None and {what for _, role, what in record.faults if role == "white"} == {"TO"}
    assert game.match(["random", "random"], play_clock=0, start_clock=0).is_completed
    record = game.match(["random", "random"], step_limit=2)
    assert not record.is_completed and record.abort_cause and len(record) == 2
    assert record.goals == {"white": None, "black": None} and "ended early" in repr(record)
    assert game.match([first, first], step_limit=0).moves == []


def test_records_are_json(tmp_path: object) -> None:
    game = ludex.Game("tic-tac-toe", engine="rules")
    record = game.match(["random", "legal"], seed=2, name="first")
    data = json.loads(record.json())
    assert (data["matchId"], data["gameName"], data["seed"]) == ("first", "tic-tac-toe", 2)
    again = ludex.MatchRecord.from_json(record.json())
    assert again == record and again.game.sha256 == game.sha256
    assert again.game.engine == "net" and record.game.engine == "rules"
    assert pickle.loads(pickle.dumps(record)) == record
    assert record.verify() == [] and again.verify() == []
    data["moves"][0], data["moves"][1] = data["moves"][1], data["moves"][0]
    changed = ludex.MatchRecord.from_json(json.dumps(data))
    found = changed.verify()
    assert found and found[0].step == 0 and "expected" in repr(found[0])
    with pytest.raises(ludex.MoveError):
        changed.replay()
    assert "step 0 of" in changed._repr_html_()
    del data["rulesheet"], data["rulesheetSha256"]
    bare = ludex.MatchRecord.from_json(json.dumps(data))
    with pytest.raises(ValueError, match="rules"):
        bare.game
    assert ludex.MatchRecord.from_json(json.dumps(data), game=game).game == game
    assert pickle.loads(pickle.dumps(ludex.MatchRecord.from_json(json.dumps(data), game=game))).game == game


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "{}", '{"moves": 3}', '{"roles": ["a"], "moves": [[1]]}', "\0"])
def test_texts_that_are_no_records(text: str) -> None:
    with pytest.raises(ValueError):
        ludex.MatchRecord.from_json(text)


def test_records_that_say_little() -> None:
    record = ludex.MatchRecord.from_json('{"roles": ["a", "b"], "moves": [["x"]], "errors": [["TO"], []]}')
    assert (len(record), record.players, record.faults) == (1, {}, [(0, "a", "TO")])
    assert record.goals == {"a": None, "b": None} and record and "not over" in repr(record)
    assert "step 1 of 1" in record._repr_html_()
    with pytest.raises(IndexError):
        record.thought(0, "b")


def test_records_that_contradict_themselves() -> None:
    data = json.loads(ludex.Game("tic-tac-toe").match([first, first]).json())
    data.update(states=[], legalMoves=[[[]]], goalValues=[1], errors=[], playerNamesFromHost=["a"])
    data["moves"].append(["x"])
    record = ludex.MatchRecord.from_json(json.dumps(data))
    assert record.verify() and record.goals == {"white": 1, "black": None} and "goals: white 1" in record._repr_html_()
    for rules in ("(role", ludex.TimedGame("chicken").text):
        data["rulesheet"] = rules
        data.pop("rulesheetSha256", None)
        broken = ludex.MatchRecord.from_json(json.dumps(data))
        assert "<img" not in broken._repr_html_()
        with pytest.raises(ludex.LudexError):
            broken.verify()
    data["isAborted"] = True
    with pytest.raises(ValueError, match="both completed and aborted"):
        ludex.MatchRecord.from_json(json.dumps(data))


def test_positions_of_a_match() -> None:
    game = ludex.Game("tic-tac-toe")
    record = game.match([first, first])
    positions = record.positions
    assert [position.step for position in positions] == list(range(len(record) + 1))
    assert positions[-1] == record.replay() and positions[-1].terminal and positions[0] == game.start()
    assert positions[2] == record.position(2) and positions[2].moves == record.moves[:2]
    assert record.position(2).forward()
    for step in (len(record) + 1, 10**6):
        with pytest.raises(IndexError):
            record.position(step)


def test_a_match_is_something_to_step_through() -> None:
    record = ludex.Game("tic-tac-toe").match([first, first])
    page = record._repr_html_()
    assert page.count("data-step='") == page.count("<img ") == len(record) + 1
    assert page.count(" hidden>") == len(record) and "goals: white 100, black 0" in page
    assert "http" not in re.sub(r"base64,[^']*", "", page) and "id=" not in page.replace("hidden", "")


def test_names_cannot_run_in_a_page() -> None:
    attack = "<script>alert(1)</script><img src=x onerror='alert(1)'>"
    data = {"roles": [attack], "playerNamesFromHost": [attack], "moves": [[attack]], "abortCause": attack}
    page = ludex.MatchRecord.from_json(json.dumps(data))._repr_html_()
    assert "<script" not in page and "<img" not in page and "&lt;script&gt;" in page


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    record = ludex.Game("tic-tac-toe").match(["random", "random"], progress=True)
    error = capsys.readouterr().err
    assert str(len(record)) in error and "steps" in error


def test_control_c_ends_a_match() -> None:
    def interrupt() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    player = ludex.Player("ludex", time=60)
    with pytest.raises(KeyboardInterrupt):
        ludex.Game("reversi").match([player, player])


def test_matches_within_matches_end_before_the_stack_does() -> None:
    game = ludex.Game("tic-tac-toe")

    def within(position: ludex.Position, role: str) -> str:
        return game.match([within, "random"]).moves[0][0]

    with pytest.raises(RecursionError, match="nested"):
        game.match([within, "random"])
    assert game.match(["random", "random"]).is_completed
