"""Games that were recorded state by state."""

import json
import os
import pickle
import signal
import threading
import time
from pathlib import Path

import pytest

import ludex

DRESDEN = Path(__file__).parents[2] / "ludex-cli" / "tests" / "rulesheets" / "dresden.xml"


def test_engines_are_compared() -> None:
    rules, net = (ludex.Game("connect-four", engine=engine) for engine in ("rules", "net"))
    trace = rules.record_playouts(3, seed=5)
    assert trace == net.record_playouts(3, seed=5) != rules.record_playouts(3, seed=6)
    assert trace.verify(net) == [] == trace.verify(rules)
    assert trace.playouts == 3 and trace.roles == rules.roles and trace.game == "connect-four"
    assert trace.sha256 is None or trace.sha256 == rules.sha256
    first, last = trace[0], trace[-1]
    assert (first.playout, first.step, first.terminal) == (0, 0, False) and first.moves is not None
    assert sorted(first.legal[rules.roles[0]]) == sorted(rules.start().legal(rules.roles[0]))
    assert last.terminal and last.moves is None and sum(goal or 0 for goal in last.goals.values()) == 100
    assert [step.step for step in trace][:3] == [0, 1, 2] and len(list(trace)) == len(trace)
    with pytest.raises(IndexError):
        trace[len(trace)]
    with pytest.raises(IndexError):
        trace[-len(trace) - 1]


def test_traces_are_texts() -> None:
    game = ludex.Game("tic-tac-toe")
    trace = game.record_playouts(2)
    again = ludex.Trace.from_text(trace.text())
    assert again == trace == pickle.loads(pickle.dumps(trace)) and again[1] == trace[1]
    lines = [json.loads(line) for line in trace.text().splitlines()]
    lines[2]["state"] = ["(cell 1 1 x)"]
    changed = ludex.Trace.from_text("\n".join(map(json.dumps, lines)))
    found = changed.verify(game)
    assert found and (found[0].playout, found[0].step, found[0].what) == (0, 1, "state")
    assert ludex.Trace.from_text(trace.text()).verify(ludex.Game("nim"))


@pytest.mark.skipif(not DRESDEN.exists(), reason="the tests are not in the repository")
def test_traces_of_the_dresden_controller() -> None:
    trace = ludex.Trace.from_text(DRESDEN.read_text())
    assert trace.playouts == 1 and len(trace) > 0 and pickle.loads(pickle.dumps(trace)) == trace


@pytest.mark.parametrize("text", ["", "\n", "{}", "[]", "<a", "<step", "</step>", "\0", '{"game":"g","roles":["a"]}\n7'])
def test_texts_that_are_no_traces(text: str) -> None:
    with pytest.raises(ValueError):
        ludex.Trace.from_text(text)


def test_nothing_recorded_is_a_trace() -> None:
    trace = ludex.Game("nim").record_playouts(0)
    assert trace and len(trace) == 0 and trace.verify(ludex.Game("nim")) == []


def test_control_c_ends_the_recording() -> None:
    game = ludex.Game("tic-tac-toe")

    def interrupt() -> None:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        game.record_playouts(100_000_000)
