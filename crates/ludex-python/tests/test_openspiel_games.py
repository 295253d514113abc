"""OpenSpiel's own games of the same name, move by move against our rulesheets.

What differs, and how it is bridged:

- `tic_tac_toe`, `connect_four`: nothing but the names of moves.
- `breakthrough`: black begins there, from above; here it is white, from below. The board is turned over.
- `othello`: whoever cannot place a disc passes by an own move there, and by the `noop` of those that wait here, so that nobody
  is in turn then. So forced steps are left out, and moves are called by letters.
- `nim`: who takes the last one loses there unless `is_misere` is false.
- `goofspiel`: prizes are in falling order and both see all bids, on request there. The last cards play themselves there.
- `kuhn_poker`, `leduc_poker`: there, checking and calling are one move, and so are betting and raising; cards are dealt one by
  one, but together in our Kuhn poker. Utilities are chips there, and goals here are 50 and 25 or 3 for each chip.
"""

from collections.abc import Callable
from typing import Any

import pytest

pyspiel: Any = pytest.importorskip("pyspiel")

import numpy as np  # noqa: E402

from ludex.openspiel import load  # noqa: E402

Names = Callable[[Any, int, list[str]], str]
"""What a move of OpenSpiel's game is called here: its state, the move, and our legal moves."""

RANKS = ["jack", "queen", "king"]


def cell(letters: str) -> tuple[int, int]:
    return ord(letters[0]) - ord("a") + 1, int(letters[1])


def mark(state: Any, action: int, legal: list[str]) -> str:
    return f"(mark {action // 3 + 1} {action % 3 + 1})"


def drop(state: Any, action: int, legal: list[str]) -> str:
    return f"(drop {action + 1})"


def march(state: Any, action: int, legal: list[str]) -> str:
    name = state.action_to_string(state.current_player(), action)
    (x, y), (to_x, to_y) = cell(name[:2]), cell(name[2:4])
    return f"(move {x} {9 - y} {to_x} {9 - to_y})"


def disc(state: Any, action: int, legal: list[str]) -> str:
    name = state.action_to_string(state.current_player(), action)
    if name == "pass":
        return "noop"
    x, y = cell(name)
    return f"(place {x} {y})"


def take(state: Any, action: int, legal: list[str]) -> str:
    pile, count = (part.split(":")[1] for part in state.action_to_string(0, action).rstrip(";").split(", "))
    return f"(take {'abcd'[int(pile) - 1]} {count})"


def bid(state: Any, action: int, legal: list[str]) -> str:
    return f"(bid {action + 1})"


def kuhn(state: Any, action: int, legal: list[str]) -> str:
    return (["check", "bet"] if "check" in legal else ["fold", "call"])[action]


def leduc(state: Any, action: int, legal: list[str]) -> str:
    return (["", "check", "bet"] if "check" in legal else ["fold", "call", "raise"])[action]


def names(state: Any, player: int) -> dict[str, int]:
    return {state.action_to_string(player, action): action for action in state.legal_actions(player)}


def step(theirs: Any, ours: Any, translate: Names, random: np.random.Generator) -> None:
    """One random move in both, whose legal moves are the same."""
    assert theirs.current_player() == ours.current_player()
    players = range(2) if theirs.is_simultaneous_node() else [theirs.current_player()]
    chosen = []
    for player in players:
        here = names(ours, player)
        there = {translate(theirs, action, list(here)): action for action in theirs.legal_actions(player)}
        assert sorted(there) == sorted(here), f"\n{theirs}\n{ours}"
        name = sorted(here)[random.integers(len(here))]
        chosen.append((there[name], here[name]))
    if theirs.is_simultaneous_node():
        theirs.apply_actions([there for there, _ in chosen])
        ours.apply_actions([here for _, here in chosen])
    else:
        theirs.apply_action(chosen[0][0])
        ours.apply_action(chosen[0][1])


def deal_kuhn(theirs: Any, ours: Any, random: np.random.Generator) -> None:
    cards = [int(card) for card in random.permutation(3)[:2]]
    assert len(ours.legal_actions()) == 6, "as likely as two cards of three, one after the other"
    for card in cards:
        theirs.apply_action(card)
    alice, bob = (RANKS[card] for card in cards)
    ours.apply_action(names(ours, -1)[f"deal({alice},{bob})"])


def deal_leduc(theirs: Any, ours: Any, random: np.random.Generator) -> None:
    """Cards 0 and 1 are the jacks there. As many cards of each rank are left here."""

    def count(cards: list[str]) -> dict[str, int]:
        return {rank: cards.count(rank) for rank in RANKS}

    here = names(ours, -1)
    left = [RANKS[card // 2] for card in theirs.legal_actions()]
    assert count(left) == count([name[len("deal(") : name.index(",")] for name in here])
    card = int(random.choice(theirs.legal_actions()))
    theirs.apply_action(card)
    ours.apply_action(next(action for name, action in here.items() if name.startswith(f"deal({RANKS[card // 2]},")))


@pytest.mark.parametrize(
    ("theirs", "ours", "translate", "deal", "unit", "count", "skip_forced"),
    [
        ("tic_tac_toe", "tic-tac-toe", mark, None, 1, 40, False),
        ("connect_four", "connect-four", drop, None, 1, 20, False),
        ("breakthrough(rows=8,columns=8)", "breakthrough", march, None, 1, 8, False),
        ("othello", "reversi", disc, None, 1, 6, True),
        ("nim(is_misere=False)", "nim", take, None, 1, 40, False),
        ("goofspiel(num_cards=5,imp_info=False,points_order=descending)", "goofspiel", bid, None, 1, 40, True),
        ("kuhn_poker", "kuhn-poker", kuhn, deal_kuhn, 2, 60, False),
        ("leduc_poker", "leduc-poker", leduc, deal_leduc, 50 / 3, 60, False),
    ],
)
def test_random_games_are_the_same(
    theirs: str,
    ours: str,
    translate: Names,
    deal: Callable[[Any, Any, np.random.Generator], None] | None,
    unit: float,
    count: int,
    skip_forced: bool,
) -> None:
    their_game, our_game = pyspiel.load_game(theirs), load(ours, skip_forced=skip_forced)
    random = np.random.default_rng(1)
    returns = set()
    for _ in range(count):
        there, here = their_game.new_initial_state(), our_game.new_initial_state()
        while not there.is_terminal():
            if skip_forced and not there.is_simultaneous_node() and len(there.legal_actions()) == 1:
                there.apply_action(there.legal_actions()[0])
                continue
            assert not here.is_terminal()
            if there.is_chance_node():
                assert here.is_chance_node() and deal is not None
                deal(there, here, random)
            else:
                step(there, here, translate, random)
        assert here.is_terminal(), f"\n{there}\n{here}"
        assert there.returns() == pytest.approx([unit * utility for utility in here.returns()])
        returns.add(there.returns()[0])
    assert len(returns) > 1
