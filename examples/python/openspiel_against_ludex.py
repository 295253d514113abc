# %% [markdown]
# # OpenSpiel's tree search against ludex
#
# General game players are programs that answer the messages of a game manager over HTTP: it sends the rules of a game, and
# then asks for moves. Here is such a player in Python. It makes a game of the rules by `ludex.Game.from_text`, hands that to
# OpenSpiel by `ludex.openspiel`, and lets OpenSpiel's Monte Carlo tree search choose. The command `ludex match` is the
# referee, and its player `ludex` the other side.
#
#     python openspiel_against_ludex.py --ludex PATH     # the command, where it is not on the PATH; some minutes
#     python openspiel_against_ludex.py --short          # seconds
#
# It needs `pip install 'ludex[openspiel]'` and the command.

# %%
from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

import ludex
import ludex.openspiel

parser = argparse.ArgumentParser(description="OpenSpiel's tree search against ludex, over HTTP.")
parser.add_argument("--short", action="store_true", help="one small game only")
parser.add_argument("--ludex", metavar="PATH", default="ludex", help="the command")
parser.add_argument("--out", type=Path, default=Path("."), help="the folder for the last match")
parser.add_argument("--seed", type=int, default=1)
IN_NOTEBOOK = "ipykernel" in sys.modules  # That has arguments of its own.
options = parser.parse_args([] if IN_NOTEBOOK else None)
options.out.mkdir(parents=True, exist_ok=True)

command = shutil.which(options.ludex)
if command is None:
    print(f"The command `{options.ludex}` is not there, so nothing is played: build it by `cargo build --release`, and")
    print("name it by `--ludex target/release/ludex`.")
    sys.exit(2)

# %% [markdown]
# ## Messages
#
# A message is a list in prefix notation, such as `(PLAY m23 ((mark 2 2) noop))`. The rules are one of its items, and go on
# to `ludex` as they are, so only the outermost parentheses matter here.


# %%
def items(text: str) -> list[str]:
    """The items of a list in prefix notation, each as its text; none of `nil`."""
    text = text.strip()
    if not text.startswith("("):
        return []
    found, depth, item = [], 0, ""
    for sign in text[1:-1]:
        depth += (sign == "(") - (sign == ")")
        item += sign
        if depth == 0 and (sign.isspace() or sign == ")"):
            found.append(item.strip())
            item = ""
    return [item for item in [*found, item.strip()] if item]


# %% [markdown]
# ## One match
#
# OpenSpiel is asked only where there is a choice: steps in which nobody has one are made by its state on its own, and where
# the role only waits there is one legal move.


# %%
class Match:
    def __init__(self, role: str, rules: str, simulations: int, seed: int) -> None:
        self.game = ludex.Game.from_text("\n".join(items(rules)))
        self.role = role
        self.position = self.game.start()
        self.state = ludex.openspiel.load(self.game).new_initial_state()
        random = np.random.RandomState(seed)
        evaluator = mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=random)
        self.bot = mcts.MCTSBot(
            self.state.get_game(), uct_c=1.4, max_simulations=simulations, evaluator=evaluator, random_state=random
        )

    def tell(self, moves: list[str]) -> None:
        """The manager says which joint move was made, with a move for each role."""
        if moves:
            self.position.play(moves)
        played = self.position.moves
        while not self.state.is_terminal() and self.state.position.step < len(played):
            joint = dict(zip(self.game.roles, map(self.game.actions.index, played[self.state.position.step])))
            player = self.state.current_player()
            if player == pyspiel.PlayerId.SIMULTANEOUS:
                self.state.apply_actions([joint[seat] for seat in self.game.seats])
            elif player == pyspiel.PlayerId.CHANCE:
                self.state.apply_action(joint["random"])
            else:
                self.state.apply_action(joint[self.game.seats[player]])

    def move(self) -> str:
        legal = self.position.legal(self.role)
        if len(legal) == 1:
            return legal[0]
        if self.state.current_player() != self.game.seats.index(self.role):
            raise ValueError("this player goes for games in which one moves at a time")
        action: int = self.bot.step(self.state)
        return self.game.actions[action]


# %% [markdown]
# ## The player
#
# `start` brings the match, the role, the rules and two clocks in seconds; `play` what was played in the last step; `stop` the
# last step of all. Any number of matches can go on at once.


# %%
class Player(ThreadingHTTPServer):
    def __init__(self, simulations: int, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.simulations, self.seed = simulations, seed
        self.matches: dict[str, Match] = {}

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def answer(self, message: str) -> str:
        kind, *rest = items(message)
        kind = kind.lower()
        if kind == "info":
            return "((name openspiel) (status available))"
        if kind == "start":
            self.matches[rest[0]] = Match(rest[1], rest[2], self.simulations, self.seed)
            return "ready"
        match = self.matches[rest[0]]
        if kind == "play":
            match.tell(items(rest[1]))
            return match.move()
        del self.matches[rest[0]]  # Of stop and abort.
        return "done"


class Handler(BaseHTTPRequestHandler):
    server: Player

    def do_POST(self) -> None:
        message = self.rfile.read(int(self.headers["Content-Length"])).decode()
        answer = self.server.answer(message).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/acl")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *what: Any) -> None:
        """Nothing: the referee says what was played."""


player = Player(simulations=30 if options.short else 200, seed=options.seed)
threading.Thread(target=player.serve_forever, daemon=True).start()
print(f"A player over HTTP: {player.address}")

# %% [markdown]
# ## The matches
#
# Each game is played from both seats. The records are checked: the rules bear out every state, and nobody was late or made a
# move that is not legal. So that the result does not depend on the machine, both sides search by count.


# %%
def referee(game: str, players: list[str], names: list[str], seed: int) -> ludex.MatchRecord:
    assert command is not None
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.json")
        called = [command, "match", game, "--players", ",".join(players), "--names", ",".join(names)]
        called += ["--seed", str(seed), "--start-clock", "300s", "--play-clock", "300s", "--quiet", "--record", str(record)]
        subprocess.run(called, check=True, stdout=subprocess.DEVNULL, timeout=1800)
        return ludex.MatchRecord.from_json(record.read_text(encoding="utf-8"))


other = "ludex:playouts=30" if options.short else "ludex:playouts=200"
points = {"openspiel": 0, "ludex": 0}
for game in ["tic-tac-toe"] if options.short else ["tic-tac-toe", "nim", "connect-four"]:
    for number in range(1 if options.short else 2):
        for turned in (False, True):
            sides = [(player.address, "openspiel"), (other, "ludex")]
            sides = sides[::-1] if turned else sides
            record = referee(game, [side for side, _ in sides], [name for _, name in sides], options.seed + number)
            assert record.is_completed and record.verify() == [] and record.faults == [], record.faults
            result = {name: record.goals[role] or 0 for role, name in record.players.items() if name in points}
            for name, goal in result.items():
                points[name] += goal
            seats = ", ".join(f"{role} {name} {record.goals[role]}" for role, name in record.players.items())
            print(f"{game}, seed {options.seed + number}, {len(record)} steps: {seats}", flush=True)
print(f"Points: {points}")

# %% [markdown]
# The last match, to step through:

# %%
page = options.out / "openspiel_against_ludex.html"
page.write_text(f"<!DOCTYPE html><meta charset='utf-8'>{record._repr_html_()}", encoding="utf-8")
print(f"{page}: the last match")
player.shutdown()
record
