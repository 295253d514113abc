"""What can be found out about a game before it is played: see `Game.analysis` and `Game.solve`."""

import json
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Analysis", "Board", "Claim", "Factor", "Factors", "Solution", "Symmetries"]


@dataclass(frozen=True)
class Claim:
    """Something said of a game: proved, refuted, or undecided."""

    what: str
    role: str | None
    """Of whom, where it is about a role."""
    holds: bool | None
    """`None` where it is undecided."""
    by: str | None
    """The method that found the answer."""
    moves: list[list[str]] | None
    """The joint moves that show it: how it comes about, or how what should always hold does not. Of a role that wins by a
    sequence these are its own moves; of one that wins by a strategy, the first."""
    reason: str | None
    """Why it is undecided."""

    def __str__(self) -> str:
        answer = {True: "yes", False: "no", None: "undecided"}[self.holds]
        subject = f"{self.role} " if self.role is not None else ""
        why = self.reason if self.holds is None else f"by {self.by}" if self.by else None
        return f"{subject}{self.what}: {answer}" + (f" ({why})" if why else "")


@dataclass(frozen=True)
class Symmetries:
    """What can be exchanged without changing the game."""

    generators: list[list[list[str]]]
    """Exchanges that all others are made of, each as cycles: each term of one goes where the next one was."""
    order: int | None = None
    """How many there are, the one that changes nothing included; `None` where that is undecided."""
    fixing_roles: int | None = None
    """How many of them leave the roles as they are."""
    reason: str | None = None
    """Why it is undecided."""


@dataclass(frozen=True)
class Factor:
    """One of the independent games that a game is made of."""

    propositions: list[str]
    moves: dict[str, list[str]]
    """What each role can do in it."""
    matters: bool
    """Whether it has anything to do with the end or the goals."""


@dataclass(frozen=True)
class Factors:
    """The independent games that a game is made of; one, where it does not fall apart."""

    parts: list[Factor]
    clock: list[str]
    """What runs on by itself."""
    termination: str | None
    """How the end depends on the parts."""
    joint_moves: bool | None
    """Whether a move is made in several parts at once."""
    reason: str | None
    """Why it is undecided."""


@dataclass(frozen=True)
class Board:
    """A board that facts make."""

    name: str
    shape: str
    spots: int


@dataclass(frozen=True)
class Analysis:
    """What was found out about a game."""

    game: str
    dialect: str
    roles: list[str]
    well_formed: bool | None
    """Whether it ends, everybody can always move, and every role can win; `None` where that is undecided."""
    states: int | None
    """How many states were found; all that there are, or at least so many."""
    all_states: bool
    longest: int | None
    """How many steps it takes at most, where that was proved."""
    goal_sum: int | None
    """What the players' goals add up to at every end, where that was proved."""
    claims: list[Claim]
    symmetries: Symmetries
    factors: Factors
    boards: list[Board]

    def claim(self, what: str, role: str | None = None) -> Claim:
        """The claim in these words. Raises `KeyError`."""
        for claim in self.claims:
            if (claim.what, claim.role) == (what, role):
                return claim
        raise KeyError(f"{what} ({role})" if role is not None else what)

    @property
    def is_undecided(self) -> bool:
        """Whether there was not enough time for something."""
        reasons = (self.symmetries.reason, self.factors.reason)
        return any(claim.holds is None for claim in self.claims) or any(reason is not None for reason in reasons)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return asdict(self)

    def json(self) -> str:
        """All of it as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __str__(self) -> str:
        formed = {True: "It is well formed.", False: "It is not well formed.", None: "Undecided: is it well formed?"}
        lines = [f"{self.game} ({self.dialect}), roles {', '.join(self.roles)}", formed[self.well_formed]]
        if self.states is not None:
            lines.append(f"It has {'' if self.all_states else 'more than '}{self.states:,} states.")
        lines.extend(f"- {claim}" for claim in self.claims)
        if self.symmetries.order is not None:
            lines.append(f"Symmetries: {self.symmetries.order:,}.")
        if self.factors.reason is None:
            lines.append(f"Independent parts: {len(self.factors.parts)}.")
        lines.extend(f"Board {board.name}: {board.shape}, {board.spots} spots." for board in self.boards)
        return "\n".join(lines)


@dataclass(frozen=True)
class Solution:
    """What a position is worth to each role when everybody plays as well as possible."""

    notion: str
    """What the values are: `best` (the only role), `zero-sum` (neither of two can do better), `guaranteed` (what each is
    sure of), `max-n`, `against-coalition`, or `undecided` where a limit came first."""
    values: dict[str, float | None]
    variation: list[list[str]]
    """A line of best play."""
    nodes: int
    """How many states were looked at."""
