"""What can go wrong, as exceptions. All of them are a `LudexError`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Something that the checks say of a rulesheet. Lines and columns count from 1, columns in characters."""

    code: str
    """Which kind: `L` and a number; `ludex check --help` lists them."""
    severity: str
    """`error`, `warning` or `note`."""
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    hint: str | None = None
    """What to do."""

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.line}:{self.column}: {self.severity}[{self.code}]: {self.message}{hint}"


class LudexError(Exception):
    """Something cannot be done."""


class RulesError(LudexError, ValueError):
    """A rulesheet has errors, which the message shows under the text."""

    findings: tuple[Finding, ...]
    """All that the checks found, warnings and notes, too, ordered by place."""

    def __init__(self, message: str, findings: tuple[Finding, ...] = ()) -> None:
        super().__init__(message, findings)
        self.findings = findings

    def __str__(self) -> str:
        return str(self.args[0])


class MoveError(LudexError, ValueError):
    """A move that is not legal, or not one for each role that has a choice."""


class StuckError(LudexError, RuntimeError):
    """A game cannot go on, because a role has no legal move, or it ends without one value for a player."""


class UnknownNameError(LudexError, KeyError):
    """A game, a role or an engine that there is not."""

    def __str__(self) -> str:
        return str(self.args[0])


class LimitError(LudexError, RuntimeError):
    """More time, work or memory than there may be."""
