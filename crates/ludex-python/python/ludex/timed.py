"""What happens in games in real time."""

from dataclasses import dataclass
from decimal import Decimal

__all__ = ["TimedEvent"]


@dataclass(frozen=True)
class TimedEvent:
    """What happened at one moment."""

    time: Decimal
    """In units of game time since the start."""
    moves: dict[str, str]
    """The moves of those who moved."""
    expired: list[str]
    """The facts whose time was over."""
    told: dict[str, list[str]]
    """What roles saw of it, in games in which not everybody sees everything."""
    wasted: str | None
    """A move of `random` that was no longer legal when its time had come; nothing else happened then."""
