"""Tournaments as Python sees them: each match, and tables of what came of all."""

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._ludex import MatchRecord, Tournament

if TYPE_CHECKING:
    from ._ludex import _Game, _Seated

__all__ = ["Table", "Tournament", "TournamentMatch", "tournament"]


@dataclass(frozen=True)
class TournamentMatch:
    """One match of a tournament."""

    game: str
    round: int
    """The round, from 1."""
    seed: int
    """What decided its chances: no other match of the tournament has it."""
    players: dict[str, str]
    """Who played each role."""
    goals: dict[str, int | None]
    """What came of it; `None` where it was not played to its end."""
    steps: int
    faults: int
    """How often a player failed to answer with a legal move in time."""
    aborted: str | None
    """Why it ended early, if it did."""
    record: MatchRecord | None = field(repr=False)
    """Everything that happened; `None` where the match could not even begin."""


class Table(dict[str, list[Any]]):
    """Columns by their names, all of the same length. What makes a data frame of it is imported when it is asked for."""

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]]) -> "Table":
        """The table with these rows, whose columns are those of the first."""
        names = list(rows[0]) if rows else []
        return cls({name: [row[name] for row in rows] for name in names})

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The same, row by row."""
        return [dict(zip(self, values)) for values in zip(*self.values())]

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(dict(self))

    def to_polars(self) -> Any:
        """A `polars.DataFrame`."""
        import polars

        # Seeds have 64 bits, of which the first may be set.
        types = {"seed": polars.UInt64} if "seed" in self else None
        return polars.DataFrame(dict(self), schema_overrides=types)

    def to_pyarrow(self) -> Any:
        """A `pyarrow.Table`."""
        import pyarrow

        columns = {
            name: pyarrow.array(values, type=pyarrow.uint64() if name == "seed" else None)
            for name, values in self.items()
        }
        return pyarrow.table(columns)

    def __str__(self) -> str:
        """The table for people: numbers stand to the right."""
        cells = [[name, *map(_text, values)] for name, values in self.items()]
        widths = [max(map(len, column)) for column in cells]
        numbers = [any(isinstance(value, (int, float)) for value in values) for values in self.values()]
        lines = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(row, widths, numbers)
            ).rstrip()
            for row in zip(*cells)
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self)
        rows = (
            "".join(f"<td>{html.escape(_text(value))}</td>" for value in values) for values in zip(*self.values())
        )
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: Any) -> str:
    """As people read it: two places behind the point are enough."""
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def tournament(
    games: "_Game | Iterable[_Game]",
    players: "Mapping[str, _Seated] | Iterable[_Seated]",
    *,
    progress: bool = False,
    **options: Any,
) -> Tournament:
    """Plays a tournament to its end. The options are those of `Tournament`; with `progress`, one sees how far it is."""
    return Tournament(games, players, **options).play(progress=progress)
