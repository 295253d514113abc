"""Games as games of OpenSpiel, for its algorithms.

    import pyspiel
    import ludex.openspiel

    game = ludex.openspiel.load("kuhn-poker")                 # or a ludex.Game, or the path of a rulesheet
    game = pyspiel.load_game("ludex(rules=kuhn-poker)")       # the same
    state = game.new_initial_state()

`pip install ludex[openspiel]` brings what this needs.

Players are the seats in their order, and actions the numbers of `Game.actions`, so chance outcomes are, too.

A game that takes turns is sequential, and any other is simultaneous; `pyspiel.convert_to_turn_based` makes it sequential.
In a step, all players with a choice choose, and then chance does, each of its legal moves with the same likelihood. A
simultaneous game has nodes of one player where only one has a choice. If in a sequential game several have a choice after
all, they choose one after the other, and none sees what the others chose in the step. Steps in which no player has a choice
are made by themselves, or are chance nodes if chance has one; with `skip_forced=False` the player in turn is asked for the
only move that it has, and so are all where none is in turn and nothing is left to chance.

Games with goal values that add up to the same in `SAMPLED_GAMES` random games of more than one player are zero-sum: a player
has the utility `(goal - sum / players) / 50`, so that a game for 100 points between two is one for -1 to 1. All others are
general-sum, and a utility is a goal value, 0 to 100. `utility=general_sum` and `utility=zero_sum` override what the games
show; an end that contradicts zero-sum raises `LudexError`.

The information state of a player is, in games of perfect information, all joint moves, and elsewhere, for each step, its own
move and what it saw; a move that it has made in a step that others have not made yet is added. So players have perfect recall.
There is no tensor of it, as it has no bounded length. The observation tensor is a vector of zeros and ones: with perfect
information, one for each of `Game.propositions` that holds; elsewhere, what the player saw since its last own choice, what it
saw ever (with a place for each of `LudexGame.percepts` and one for all that is not among them), and its last own choice (a
place for each action). The observation string says the same in words.

A game that is not over after `step_limit` steps ends: where it is zero-sum, each has 0, and elsewhere, what the goal values
are then, 0 without one.

A rulesheet that does not come with the package is part of the parameters, compressed, so that a game can be loaded from its
string in another process. States serialize as the moves that led to them.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ._extras import missing

try:
    import numpy as np
    import pyspiel
except ImportError as error:
    raise ImportError(missing("open_spiel and numpy", "openspiel")) from error

from ._ludex import Game, games
from ._match import SAMPLED_GAMES, GameLike, Layout, Match, as_game, layout
from .errors import LudexError, RulesError

__all__ = ["LudexGame", "LudexState", "load"]

TEXT = "text-"
"""How the parameter `rules` begins where it holds a rulesheet itself."""

DEFAULTS: dict[str, Any] = {
    "rules": "tic-tac-toe",
    "engine": "auto",
    "utility": "auto",
    "skip_forced": True,
    "step_limit": 10_000,
}

SAMPLED_STEPS = 1000
"""So many steps are made one by one to see what goal values add up to."""

UTILITIES = ("auto", "general_sum", "zero_sum")

REMEMBERED = 32
"""So many games are kept."""

_given: dict[tuple[str, str], Game] = {}
"""Games that were handed over, so that they need not be made again."""


def load(
    game: GameLike, *, engine: str = "auto", utility: str = "auto", skip_forced: bool = True, step_limit: int = 10_000
) -> LudexGame:
    """A game for OpenSpiel: of a `ludex.Game`, the name of one that comes with the package, or the path of a rulesheet.

    The module says what the options do. A `ludex.Game` brings its engine along.
    """
    ours = _game(game, engine) if isinstance(game, str) and game in games() else as_game(game, engine)
    name = ours.name
    if name not in games() or _game(name, ours.engine).text != ours.text:
        name = _packed(ours)
    _remember(name, ours)
    parameters = {
        "rules": name,
        "engine": ours.engine,
        "utility": utility,
        "skip_forced": skip_forced,
        "step_limit": step_limit,
    }
    # OpenSpiel ends the process on some errors in parameters; this raises them.
    return LudexGame({**DEFAULTS, **parameters})


def _packed(game: Game) -> str:
    """A game as a parameter, without any of the signs that mean something to OpenSpiel."""
    packed = zlib.compress(f"{game.name}\n{game.text}".encode(), 9)
    return TEXT + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _remember(rules: str, game: Game) -> None:
    _given[rules, game.engine] = game
    while len(_given) > REMEMBERED:
        del _given[next(iter(_given))]


@lru_cache(maxsize=REMEMBERED)
def _made(rules: str, engine: str) -> Game:
    if not rules.startswith(TEXT):
        return Game(rules, engine=engine)
    packed = rules[len(TEXT) :]
    try:
        name, text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))).decode().split("\n", 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise RulesError(f"`{rules[:20]}...` is not a rulesheet that `ludex.openspiel.load` packed") from error
    return Game.from_text(text, name=name, engine=engine)


def _game(rules: str, engine: str) -> Game:
    return _given.get((rules, engine)) or _made(rules, engine)


@lru_cache(maxsize=64)
def _goal_sum(game: Game, engine: str) -> int | None:
    """What all goal values add up to at the end of each of some random games; `None` where that differs."""
    seats = game.seats
    if len(seats) < 2:
        return None
    played = game.playouts(SAMPLED_GAMES, seed=1, step_limit=1000).goals
    means = [_mean(played[seat]) for seat in seats]
    total = sum(mean for mean in means if mean is not None)
    if None in means or total.denominator != 1:
        return None
    first, second = (played[seat] for seat in seats[:2])
    if len(seats) == 2 and {int(total) - value: count for value, count in first.items()} != second:
        return None
    # That could still be so in sum and not in each game, but games one by one are slow.
    places = layout(game)
    random = np.random.default_rng(1)
    steps = 0
    for _ in range(SAMPLED_GAMES):
        match = Match(places)
        while not match.over and steps < SAMPLED_STEPS:
            moves = {}
            for seat in match.choosers():
                legal = match.moves(seat)
                moves[seat] = legal[random.integers(len(legal))]
            match.step(moves, (), random)
            steps += 1
        if match.over and sum(match.goals()) != total:
            return None
    return int(total)


def _mean(counts: dict[int, int]) -> Fraction | None:
    games = sum(counts.values())
    return Fraction(sum(value * count for value, count in counts.items()), games) if games else None


def _zero_sum_total(game: Game, utility: str) -> int | None:
    """What goal values add up to in a zero-sum game; `None` in a general-sum game."""
    if utility == "general_sum":
        return None
    total = _goal_sum(game, game.engine)
    if utility == "zero_sum" and total is None:
        raise LudexError(f"the goal values of `{game.name}` do not add up to the same in all games")
    return total


class LudexGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types.
    """A game of OpenSpiel that is played by ludex."""

    ludex_game: Game
    """What it is to ludex."""
    percepts: list[str]
    """What can be seen, in games of incomplete information."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        values = {**DEFAULTS, **(params or {})}
        if values["utility"] not in UTILITIES:
            raise ValueError(f"utility is one of {', '.join(UTILITIES)}, not `{values['utility']}`")
        if values["step_limit"] < 1:
            raise ValueError(f"step_limit has to be at least 1, unlike {values['step_limit']}")
        rules = values["rules"]
        if rules not in games() and not rules.startswith(TEXT):
            # Files change, and are not where other processes look for them.
            named = as_game(rules, values["engine"])
            values["rules"], values["engine"] = _packed(named), named.engine
            _remember(values["rules"], named)
        game = _game(values["rules"], values["engine"])
        self.key = (str(values["rules"]), str(values["engine"]))
        self.ludex_game = game
        self.layout = layout(game)
        self.percepts = list(self.layout.percepts)
        self.skip_forced = bool(values["skip_forced"])
        self.step_limit = int(values["step_limit"])
        self.total = _zero_sum_total(game, values["utility"])
        self.first = _Play(self.layout, self.key, self.skip_forced, self.step_limit)
        players = len(game.seats)
        low, high = (self._utility(goal) for goal in (0, 100))
        super().__init__(
            _game_type(
                long_name=f"ludex: {game.name}",
                sequential=game.takes_turns,
                chance=game.random is not None,
                perfect=game.has_perfect_information,
                zero_sum=self.total is not None,
                least_players=players,
                most_players=players,
            ),
            pyspiel.GameInfo(
                num_distinct_actions=self.layout.actions,
                max_chance_outcomes=0 if game.random is None else self.layout.actions,
                num_players=players,
                min_utility=low,
                max_utility=high,
                utility_sum=None if self.total is None else 0.0,
                # In a step, every player may have a choice.
                max_game_length=self.step_limit * players,
            ),
            values,
        )

    def _utility(self, goal: int) -> float:
        if self.total is None:
            return float(goal)
        return (goal - self.total / len(self.layout.seats)) / 50

    def utilities(self, match: Match) -> list[float]:
        """What an end is worth to each player."""
        if not match.over:
            if self.total is not None:
                return [0.0] * len(self.layout.seats)
            goals = match.position.goals()
            return [float(goals[seat] or 0) for seat in self.layout.seats]
        values = match.goals()
        if self.total is not None and sum(values) != self.total:
            raise LudexError(
                f"`{self.ludex_game.name}` is not zero-sum: goal values add up to {sum(values)} here and to {self.total} in "
                "other games; load it with utility=general_sum"
            )
        return [self._utility(value) for value in values]

    def new_initial_state(self) -> LudexState:
        """The initial position, after the steps in which nobody has a choice."""
        return LudexState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """An observer as OpenSpiel asks for it: with perfect recall a string, and a string and a tensor without."""
        if params:
            raise ValueError(f"observers have no parameters: {params}")
        return _Observer(self.layout, recall=iig_obs_type is not None and iig_obs_type.perfect_recall)


class _Play:
    """A game in play with what the players know: all of a state but what OpenSpiel keeps."""

    def __init__(self, places: Layout, key: tuple[str, str], skip_forced: bool, step_limit: int) -> None:
        self.key = key
        self.skip_forced = skip_forced
        self.step_limit = step_limit
        self.match = Match(places)
        self.known = [""] * len(places.seats)
        """The information state of each player before the step that is being made."""
        self.chosen: dict[int, int] = {}
        """What was chosen in the step that is being made."""
        self.waiting: list[int] = []
        """The players that have still to choose in it."""
        self.chance = False
        """Whether chance chooses after them."""
        self._go_on()

    def __deepcopy__(self, memo: object) -> _Play:
        # Once it is part of a state, it does not change, as OpenSpiel copies states more often than it changes them.
        return self

    def copy(self) -> _Play:
        other = _Play.__new__(_Play)
        other.__dict__.update(self.__dict__)
        other.match = self.match.copy()
        other.known, other.chosen, other.waiting = list(self.known), dict(self.chosen), list(self.waiting)
        return other

    def __reduce__(self) -> tuple[object, ...]:
        # The moves are enough, and they are short; games are known by their key.
        numbers = {move: number for number, move in enumerate(self.match.layout.moves)}
        steps = [[numbers[move] for move in joint] for joint in self.match.position.moves]
        return _play_again, (self.key, self.skip_forced, self.step_limit, steps, self.chosen)

    @property
    def over(self) -> bool:
        return self.match.over or self.match.position.step >= self.step_limit

    def _go_on(self) -> None:
        """Finds out who chooses next, and makes the steps in which nobody does."""
        while not self.over:
            chance = self.match.layout.random
            self.chance = chance is not None and len(self.match.legal[chance]) > 1
            self.waiting = self.match.choosers()
            if not self.skip_forced and not self.waiting:
                asked = self.match.asked()
                # A step in which all wait for chance asks nobody.
                self.waiting = asked if len(asked) == 1 or not self.chance else []
            if self.waiting or self.chance:
                return
            self._step(None)
        self.waiting, self.chance = [], False

    def choose(self, seat: int, action: int) -> None:
        """One player's move; the last one makes the step, unless chance has still to choose."""
        self.waiting.remove(seat)
        self.chosen[seat] = action
        if not self.waiting and not self.chance:
            self._step(None)
            self._go_on()

    def draw(self, outcome: int) -> None:
        """The move of chance, which makes the step."""
        self._step(outcome)
        self._go_on()

    def _step(self, outcome: int | None) -> None:
        match, places = self.match, self.match.layout
        match.step(self.chosen, self.chosen, outcome)
        self.chosen = {}
        joint = [places.moves[move] for move in match.joint]
        if places.perfect:
            told = " ".join(joint)
            self.known = [f"{known}{told}; " for known in self.known]
            return
        for seat, role in enumerate(places.seats):
            seen = " ".join(match.position.percepts(role))
            self.known[seat] += f"{joint[places.seat_roles[seat]]} -> {seen}; "

    def information(self, seat: int) -> str:
        """All that a player knows, its own move in this step included."""
        chosen = self.chosen.get(seat)
        return self.known[seat] + ("" if chosen is None else self.match.layout.moves[chosen])

    def observation(self, seat: int) -> str:
        """What a player sees now, in words."""
        match, places = self.match, self.match.layout
        if places.perfect:
            return " ".join(match.position.facts)
        names = [*places.percepts, "something else"]
        recent, ever = (" ".join(names[number] for number in sorted(part[seat])) for part in (match.recent, match.ever))
        last = match.last[seat]
        return f"now: {recent}; ever: {ever}; last: {'' if last is None else places.moves[last]}"


def _play_again(
    key: tuple[str, str], skip_forced: bool, step_limit: int, steps: list[list[int]], chosen: dict[int, int]
) -> _Play:
    """A state that was serialized."""
    places = layout(_game(*key))
    play = _Play(places, key, skip_forced, step_limit)
    # Forced steps are among these, but make themselves.
    while play.match.position.step < len(steps):
        joint = steps[play.match.position.step]
        chance = play.chance
        for seat in list(play.waiting):
            play.choose(seat, joint[places.seat_roles[seat]])
        if chance and places.random is not None:
            play.draw(joint[places.random])
    for seat, action in chosen.items():
        play.choose(seat, action)
    return play


class LudexState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types.
    """A state of a `LudexGame`."""

    def __init__(self, game: LudexGame) -> None:
        super().__init__(game)
        # OpenSpiel copies and pickles what is here, so the game itself is not.
        self._play: _Play = game.first

    @property
    def position(self) -> Any:
        """The position as a `ludex.Position`: a copy, without what was chosen in a step that is being made."""
        return self._play.match.position.copy()

    def current_player(self) -> int:
        """The player that chooses, or one of OpenSpiel's special numbers."""
        play = self._play
        if play.over:
            return int(pyspiel.PlayerId.TERMINAL)
        if not play.waiting:
            return int(pyspiel.PlayerId.CHANCE)
        if len(play.waiting) > 1 and not play.match.layout.takes_turns:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return play.waiting[0]

    def _legal_actions(self, player: int) -> list[int]:
        return self._play.match.moves(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The legal moves of chance, each with the same likelihood."""
        chance = self._play.match.layout.random
        assert chance is not None, "only games with chance have chance nodes"
        outcomes = self._play.match.legal[chance]
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        play = self._play.copy()
        if play.waiting:
            play.choose(play.waiting[0], action)
        else:
            play.draw(action)
        self._play = play

    def _apply_actions(self, actions: list[int]) -> None:
        play = self._play.copy()
        for seat in list(play.waiting):
            play.choose(seat, actions[seat])
        self._play = play

    def _action_to_string(self, player: int, action: int) -> str:
        return self._play.match.layout.moves[action]

    def is_terminal(self) -> bool:
        """Whether the game is over, or has had as many steps as it may."""
        return self._play.over

    def returns(self) -> list[float]:
        """The utilities at the end, and 0 before."""
        if not self._play.over:
            return [0.0] * self.num_players()
        utilities: list[float] = self.get_game().utilities(self._play.match)
        return utilities

    def __str__(self) -> str:
        # The board may show less than there is, and algorithms tell states apart by this.
        play = self._play
        lines = [play.match.text().rstrip(), " ".join(play.match.position.facts)]
        moves = play.match.layout.moves
        lines += [f"{play.match.layout.seats[seat]}: {moves[action]}" for seat, action in sorted(play.chosen.items())]
        return "\n".join(lines)


class _Observer:
    """What OpenSpiel asks about the view of a player."""

    def __init__(self, places: Layout, *, recall: bool) -> None:
        self._recall = recall
        self.tensor = None if recall else np.zeros(places.size, np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: LudexState, player: int) -> None:
        """Sets the tensor to what a player sees."""
        if self.tensor is not None:
            self.tensor[:] = state._play.match.observation(player)

    def string_from(self, state: LudexState, player: int) -> str:
        """What a player sees, or with perfect recall all that it saw and did."""
        play = state._play
        return play.information(player) if self._recall else play.observation(player)


def _game_type(
    *,
    long_name: str,
    sequential: bool,
    chance: bool,
    perfect: bool,
    zero_sum: bool,
    least_players: int,
    most_players: int,
) -> Any:
    kind = pyspiel.GameType
    return kind(
        short_name="ludex",
        long_name=long_name,
        dynamics=kind.Dynamics.SEQUENTIAL if sequential else kind.Dynamics.SIMULTANEOUS,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION if perfect else kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most_players,
        min_num_players=least_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


# What games of rulesheets are like is known when one is loaded; until then, it is said of the default.
pyspiel.register_game(
    _game_type(
        long_name="ludex: any rulesheet",
        sequential=True,
        chance=False,
        perfect=True,
        zero_sum=True,
        least_players=1,
        most_players=100,
    ),
    LudexGame,
)
