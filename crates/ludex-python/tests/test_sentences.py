"""Games whose rules are sentences."""

import pickle
from pathlib import Path

import pytest

import ludex


def test_what_follows_from_sentences() -> None:
    assert "lights-in-sentences" in ludex.sentence_games()
    game = ludex.SentenceGame("lights-in-sentences")
    assert game.roles == ["robot"] and game.dialect == "IGDL-II" and "role(robot)" in game.text
    answers = {tuple(one.values.values()): one.answer for one in game.ask("true(X)")}
    assert answers[("step(1)",)] == "entailed" and answers[("p",)] == "refuted"
    (lit,) = game.ask("true(p)", moves=[{"robot": "a"}])
    assert (lit.values, lit.answer) == ({}, "entailed")
    # A move that nobody knows.
    (open_,) = game.ask("true(p)", moves=[{}])
    assert open_.answer == "unknown" and repr(open_) == "<ludex.SentenceAnswer unknown>"
    # What was seen tells which it was, or that it cannot have been.
    (seen,) = game.ask("true(q)", moves=[{"robot": "a"}, {"robot": "b"}], percepts=[{"robot": []}, {}, {"robot": ["q"]}])
    assert seen.answer == "entailed"
    assert pickle.loads(pickle.dumps(game)).ask("true(X)") == game.ask("true(X)")


def test_what_cannot_be_asked(tmp_path: Path) -> None:
    game = ludex.SentenceGame("lights-in-sentences")
    for sentence in ("", "true(", "nothing(p)"):
        with pytest.raises(ValueError):
            game.ask(sentence)
    with pytest.raises(ludex.MoveError, match="`d` is no move of `robot`; moves are a, b, c"):
        game.ask("true(p)", moves=[{"robot": "d"}])
    with pytest.raises(ludex.UnknownNameError, match="no role `toaster`"):
        game.ask("true(p)", moves=[{"toaster": "a"}])
    with pytest.raises(ludex.MoveError, match="can see"):
        game.ask("true(p)", percepts=[{"robot": ["r"]}])
    with pytest.raises(ludex.MoveError, match="steps to see"):
        game.ask("true(p)", percepts=[{}, {}, {}])
    with pytest.raises(ludex.LimitError):
        game.ask("true(p)", time=0)
    with pytest.raises(ludex.UnknownNameError):
        ludex.SentenceGame("tic-tac-toe")
    with pytest.raises(ValueError, match="not sentences"):
        ludex.SentenceGame.from_text(ludex.Game("tic-tac-toe").text)
    with pytest.raises(ludex.RulesError):
        ludex.SentenceGame.from_text("role(a) => => b")
    with pytest.raises(FileNotFoundError):
        ludex.SentenceGame.from_file(tmp_path / "no-such-file")
