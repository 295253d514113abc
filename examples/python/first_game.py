# %% [markdown]
# # A first game
#
# The rules of a game go in, and everything else comes out of them: boards, legal moves, opponents, proofs. This goes once
# around the package with a small game of its own.
#
#     python first_game.py --out pictures     # writes a board and a match to look at in a browser
#     python first_game.py --short            # the same with fewer random games

# %%
from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import ludex

parser = argparse.ArgumentParser(description="A first game with ludex.")
parser.add_argument("--short", action="store_true", help="fewer random games")
parser.add_argument("--out", type=Path, default=Path("."), help="the folder for pictures")
IN_NOTEBOOK = "ipykernel" in sys.modules  # That has arguments of its own.
options = parser.parse_args([] if IN_NOTEBOOK else None)
options.out.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The rules
#
# Three in a row on a board of three columns, into which stones are dropped. Each clause says when something holds.

# %%
RULES = """
(role blue) (role green)
(init (control blue))

; Who is in turn drops a stone into a column that is not full.
(<= (legal ?p (drop ?x)) (true (control ?p)) (index ?x) (not (filled ?x 3)))
(<= (legal ?p noop) (other ?p ?q) (true (control ?q)))
(<= (filled ?x ?y) (true (cell ?x ?y ?p)))

; It falls onto the highest one.
(<= (next (cell ?x 1 ?p)) (does ?p (drop ?x)) (not (filled ?x 1)))
(<= (next (cell ?x ?t ?p)) (does ?p (drop ?x)) (filled ?x ?y) (succ ?y ?t) (not (filled ?x ?t)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))
(<= (next (control ?p)) (other ?p ?q) (true (control ?q)))

(<= (line ?p) (index ?x) (true (cell ?x 1 ?p)) (true (cell ?x 2 ?p)) (true (cell ?x 3 ?p)))
(<= (line ?p) (index ?y) (true (cell 1 ?y ?p)) (true (cell 2 ?y ?p)) (true (cell 3 ?y ?p)))
(<= (line ?p) (true (cell 1 1 ?p)) (true (cell 2 2 ?p)) (true (cell 3 3 ?p)))
(<= (line ?p) (true (cell 1 3 ?p)) (true (cell 2 2 ?p)) (true (cell 3 1 ?p)))
(<= won (line ?p))
(<= open (index ?x) (not (filled ?x 3)))
(<= terminal won)
(<= terminal (not open))
(<= (goal ?p 100) (line ?p))
(<= (goal ?p 0) (other ?p ?q) (line ?q))
(<= (goal ?p 50) (role ?p) (not won))

(other blue green) (other green blue)
(index 1) (index 2) (index 3)
(succ 1 2) (succ 2 3)

(<= (base (cell ?x ?y ?p)) (index ?x) (index ?y) (role ?p))
(<= (base (control ?p)) (role ?p))
(<= (input ?p (drop ?x)) (role ?p) (index ?x))
(<= (input ?p noop) (role ?p))
"""

# %% [markdown]
# A slip of the pen is found, with its place and what to do about it:

# %%
WRONG = RULES.replace("(does ?p (drop ?x)) (not (filled ?x 1))", "(does ?p (drop ?x)) (not (filled ?z 1))")
for finding in ludex.check(WRONG):
    print(finding)
try:
    ludex.Game.from_text(WRONG)
except ludex.RulesError as error:
    print(error)

# %% [markdown]
# As they are meant, they are a game. Games that come with the package are made by their names: `ludex.Game("reversi")`.

# %%
game = ludex.Game.from_text(RULES, name="drop-three")
print(game)
print("actions:", game.actions)

# %% [markdown]
# ## A position
#
# A step takes the moves of those that have a choice. A notebook shows positions as boards.

# %%
position = game.start()
for role, column in [("blue", 2), ("green", 2), ("blue", 1), ("green", 3)]:
    position.play({role: f"(drop {column})"})
print(position)
print("legal:", position.all_legal())
(options.out / "board.svg").write_text(position.svg(), encoding="utf-8")
print(f"{options.out / 'board.svg'}: the board")
position

# %% [markdown]
# ## A match
#
# Players are strategies of the package, or functions. `time=math.inf` leaves it to a count how long they think, so that they
# play the same on every machine.

# %%
strong = ludex.Player("ludex", playouts=200, time=math.inf)


def last(position: ludex.Position, role: str) -> str:
    return position.legal(role)[-1]


thought = strong.consider(position)
print(f"In this position {position.turn} would play {thought.move}, worth {thought.value}")
for record in (game.match([strong, last], seed=1), game.match([strong, strong], seed=1)):
    print(f"{record.players}: {record.goals} after {len(record)} steps")
page = f"<!DOCTYPE html><meta charset='utf-8'>{record._repr_html_()}"
(options.out / "match.html").write_text(page, encoding="utf-8")
print(f"{options.out / 'match.html'}: the last match, to step through")
record

# %% [markdown]
# ## Random games, and the size of the tree

# %%
played = game.playouts(1_000 if options.short else 1_000_000, seed=1, threads=2)
print(f"{played.finished} random games, {played.steps / played.finished:.2f} steps on the average")
print("mean goals:", {role: round(mean, 2) for role, mean in played.mean_goals.items() if mean is not None})
print("depth  paths  distinct  terminal")
for row in game.perft(9):
    print(f"{row.depth:5} {row.paths:6} {row.distinct:9} {row.terminals:9}")

# %% [markdown]
# ## What can be proved
#
# What is printed here holds for all ways to play, not only for those that were tried.

# %%
print(game.analysis(time=math.inf))
solution = game.solve()
line = [move for joint in solution.variation for move in joint if move != "noop"]
print(f"With best play: {solution.values}, as in {' '.join(line)}")
print(game.how_to_play(time=math.inf))
