# %% [markdown]
# # A tournament, and what came of it
#
# Some strategies of the package meet in three games, and Polars (or pandas) sums up the results. Players search by count,
# so the same seed gives the same tables on every machine.
#
#     python tournament_with_polars.py            # some minutes
#     python tournament_with_polars.py --short    # seconds

# %%
from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

import ludex

parser = argparse.ArgumentParser(description="A tournament and its tables.")
parser.add_argument("--short", action="store_true", help="one round with little thought")
parser.add_argument("--out", type=Path, default=Path("."), help="the folder for the picture")
parser.add_argument("--seed", type=int, default=1)
IN_NOTEBOOK = "ipykernel" in sys.modules  # That has arguments of its own.
options = parser.parse_args([] if IN_NOTEBOOK else None)
options.out.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## The matches
#
# In each round every two players meet in every game from both seats, after the same random opening move. `one_ahead` is a
# function: it looks for a move that wins at once.

# %%
count = 20 if options.short else 400


def one_ahead(position: ludex.Position, role: str) -> str:
    legal = position.legal(role)
    if position.turn == role:
        for move in legal:
            position.play({role: move})
            wins = position.terminal and position.goals()[role] == 100
            position.back()
            if wins:
                return move
    return legal[position.step % len(legal)]


players: dict[str, Any] = {
    "ludex": ludex.Player("ludex", playouts=count, time=math.inf),
    "uct": ludex.Player("uct", playouts=count, time=math.inf),
    "monte-carlo": ludex.Player("monte-carlo", playouts=count, time=math.inf),
    "one ahead": one_ahead,
    "random": "random",
}
games = ["tic-tac-toe", "nim", "connect-four"]
tournament = ludex.Tournament(games, players, rounds=1 if options.short else 8, opening=1, seed=options.seed, threads=2)
for match in tournament:
    # Each match comes when it is over, with its record.
    if match.faults or match.aborted:
        print(f"{match.game}, {match.players}: {match.faults} faults, {match.aborted}")
    if len(tournament) % 60 == 0:
        print(f"{len(tournament)} matches played", flush=True)
print(tournament.table())

# %% [markdown]
# ## Tables
#
# `matches` has a row for each seat of each match, and `pairings` one for any two players. What follows is said twice, once
# for each kind of data frame.

# %%
matches, pairings = tournament.table("matches"), tournament.table("pairings")
names: list[str] = tournament.table()["player"]  # Best first.
try:
    import polars
except ImportError:
    try:
        import pandas
    except ImportError:
        print("Neither polars nor pandas is there: no tables.")
        sys.exit(0)
    frame = matches.to_pandas()
    rows = pairings.to_pandas()
    wins = rows.pivot(index="player", columns="opponent", values="share").loc[names, names].round(2)
    goals = frame.groupby(["game", "role", "player"])["goal"].mean().unstack("player").round(1)
    one_row = frame.drop_duplicates("seed")
    lengths = one_row.groupby("game")["steps"].agg(["count", "min", "median", "mean", "max"]).round(1)
    pandas.set_option("display.width", 120)
    matrix = {name: wins.loc[name].to_dict() for name in wins.index}
else:
    frame = matches.to_polars()
    rows = pairings.to_polars()
    shares = rows.pivot("opponent", index="player", values="share")
    wins = shares.select("player", *(polars.col(name).round(2) for name in names))
    goals = (
        frame.group_by("game", "role", "player", maintain_order=True)
        .agg(polars.col("goal").mean().round(1))
        .pivot("player", index=["game", "role"], values="goal")
    )
    one_row = frame.unique("seed", maintain_order=True)
    steps = polars.col("steps")
    lengths = one_row.group_by("game", maintain_order=True).agg(
        steps.len().alias("count"),
        steps.min().alias("min"),
        steps.median().alias("median"),
        steps.mean().round(1).alias("mean"),
        steps.max().alias("max"),
    )
    polars.Config(tbl_rows=20, tbl_cols=10, tbl_width_chars=120, tbl_hide_dataframe_shape=True)
    matrix = {row["player"]: row for row in wins.to_dicts()}

print("\nThe share of the points of each player against each other:")
print(wins)
print("\nMean goals by game and role:")
print(goals)
print("\nSteps of a match:")
print(lengths)

# %% [markdown]
# ## A picture

# %%
try:
    import matplotlib
except ImportError:
    print("matplotlib is not there: no picture")
else:
    if not IN_NOTEBOOK:
        matplotlib.use("Agg")
    from matplotlib import pyplot

    values = [[matrix[one].get(other) if one != other else None for other in names] for one in names]
    figure, axes = pyplot.subplots(figsize=(6, 5))
    shown = axes.imshow([[math.nan if value is None else value for value in row] for row in values], vmin=0, vmax=1)
    axes.set_xticks(range(len(names)), names, rotation=30)
    axes.set_yticks(range(len(names)), names)
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            if value is not None:
                axes.text(x, y, f"{value:.2f}", ha="center", va="center", color="black" if value > 0.5 else "white")
    figure.colorbar(shown, label="share of the points")
    figure.tight_layout()
    figure.savefig(options.out / "tournament.png", dpi=120)
    print(f"\n{options.out / 'tournament.png'}: who is better than whom")
