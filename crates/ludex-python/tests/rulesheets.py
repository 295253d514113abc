"""Games that several tests play."""

# One, two and three players, in turns and at once, with chance and with hidden information.
GAMES = [
    "8-puzzle",
    "battleship",
    "blind-goofspiel",
    "blind-tic-tac-toe",
    "closed-doors",
    "connect-four",
    "goofspiel",
    "kuhn-poker",
    "leduc-poker",
    "liars-dice",
    "lowest-unique",
    "minefield-black",
    "monty-hall",
    "nim",
    "prisoners-dilemma",
    "problem-2-1",
    "ring-go",
    "rock-paper-scissors",
    "signals",
    "three-player-tic-tac-toe",
    "tic-tac-toe",
    "trading",
    "watchman",
]

# `me` is stuck after a step.
STUCK = """
(role you) (role me) (init (step 1))
(legal you (go 1)) (legal you (go 2))
(<= (legal me wait) (true (step 1)))
(<= (next (step 2)) (true (step 1)))
(<= terminal (true (step 3)))
(goal you 100) (goal me 0)
"""

# Nobody ever has a choice, and it never ends.
ENDLESS = """
(role you) (init (side 1)) (legal you turn) (<= (next (side 2)) (true (side 1))) (<= (next (side 1)) (true (side 2)))
(<= terminal (true (side 3))) (goal you 0)
"""
