"""Random legal actions by numpy, from masks: the same for all that are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Masks are looked at in pieces of so many actions.
PIECE = 16
# Masks of no more actions than this are looked up in a smaller table, which the cache of a processor holds.
SMALL = 12


def table(actions: int) -> npt.NDArray[np.uint8]:
    """For each mask and `k` the `k`-th action that it allows; 16 places for each mask."""
    masks = np.arange(1 << actions, dtype=np.uint32)
    made = np.zeros((1 << actions, PIECE), np.uint8)
    for action in range(actions):
        allowed = masks[masks >> action & 1 == 1]
        made[allowed, np.bitwise_count(allowed & np.uint32((1 << action) - 1))] = action
    return made.ravel()


class Choose:
    """Draws an action for each row of a mask, each legal one as likely as the others (up to 2 to the power of -16)."""

    def __init__(self, actions: int, n: int, seed: int) -> None:
        self.actions, self.n = actions, n
        self.rng = np.random.Generator(np.random.SFC64(seed))
        self.table = table(min(actions, PIECE) if actions <= SMALL else PIECE)
        self.rows = np.arange(n, dtype=np.int64) * actions
        self.pieces = -(-actions // PIECE)

    def ranks(self, counts: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        """A number below each count."""
        drawn = np.frombuffer(self.rng.bytes(2 * self.n), np.uint16).astype(np.uint32)
        np.multiply(drawn, counts, out=drawn)
        return np.right_shift(drawn, 16, out=drawn)

    def look_up(self, mask: npt.NDArray[np.uint16], rank: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
        """The action of this rank that a mask allows."""
        place = mask.astype(np.uint32)
        np.left_shift(place, 4, out=place)
        np.bitwise_or(place, rank, out=place)
        return self.table[place]

    def from_words(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """From masks as words of 64 bits, `(n, words)`."""
        pieces = words.view(np.uint16)
        if self.pieces == 1:
            mask = np.ascontiguousarray(pieces[:, 0])
            return self.look_up(mask, self.ranks(np.bitwise_count(mask))).astype(np.int32)
        counts = np.bitwise_count(np.ascontiguousarray(pieces[:, : self.pieces].T))
        rank = self.ranks(counts.sum(axis=0, dtype=np.uint16)).astype(np.uint16)
        # The piece that the action is in: the ranks of those before it are taken off.
        at, open_ = np.zeros(self.n, np.uint8), np.ones(self.n, bool)
        for count in counts[:-1]:
            open_ &= rank >= count
            at += open_
            rank -= count * open_
        piece = pieces.ravel()[np.arange(0, pieces.size, pieces.shape[1]) + at]
        return self.look_up(piece, rank) + PIECE * at.astype(np.int32)

    def from_bytes(self, legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        """From masks of a byte for each action, `(n, actions)`."""
        if self.pieces == 1:
            packed = np.packbits(legal, axis=1, bitorder="little")
            mask = packed[:, 0].astype(np.uint16)
            if packed.shape[1] > 1:
                mask |= packed[:, 1].astype(np.uint16) << np.uint16(8)
            return self.look_up(mask, self.ranks(np.bitwise_count(mask))).astype(np.int32)
        # Any action, and another one where that is not legal.
        flat = legal.ravel()
        chosen = self.rng.integers(0, self.actions, self.n, dtype=np.int32)
        wrong = np.flatnonzero(~flat[self.rows + chosen])
        while len(wrong):
            again = self.rng.integers(0, self.actions, len(wrong), dtype=np.int32)
            chosen[wrong] = again
            wrong = wrong[~flat[self.rows[wrong] + again]]
        return chosen
