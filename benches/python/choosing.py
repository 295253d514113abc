"""Random legal actions by numpy, from masks: the same for all that are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

# Masks of so many actions are looked up in a table.
TABLE = 12


def table(actions: int) -> npt.NDArray[np.uint8]:
    """For each mask and `k` the `k`-th action that it allows; 16 places for each mask."""
    made = np.zeros((1 << actions, 16), np.uint8)
    for mask in range(1 << actions):
        allowed = [action for action in range(actions) if mask >> action & 1]
        made[mask, : len(allowed)] = allowed
    return made.ravel()


class Choose:
    """Draws an action for each row of a mask, each legal one as likely as the others (up to 2 to the power of -16)."""

    def __init__(self, actions: int, n: int, seed: int) -> None:
        self.actions, self.n = actions, n
        self.rng = np.random.Generator(np.random.SFC64(seed))
        self.table = table(actions) if actions <= TABLE else None
        self.rows = np.arange(n, dtype=np.int64) * actions

    def ranks(self, counts: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        """A number below each count."""
        drawn = np.frombuffer(self.rng.bytes(2 * self.n), np.uint16).astype(np.uint32)
        np.multiply(drawn, counts, out=drawn)
        return np.right_shift(drawn, 16, out=drawn)

    def from_words(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """From masks as words of 64 bits, `(n, words)`."""
        if self.table is not None:
            mask = words[:, 0].astype(np.uint32)
            rank = self.ranks(np.bitwise_count(mask))
            np.left_shift(mask, 4, out=mask)
            np.bitwise_or(mask, rank, out=mask)
            return self.table[mask].astype(np.int32)
        counts = np.bitwise_count(words).astype(np.uint32)
        rank = self.ranks(counts.sum(axis=1, dtype=np.uint32))
        word, first = words[:, 0].copy(), np.zeros(self.n, np.int32)
        if words.shape[1] > 1:
            # The word that the action is in.
            at = np.zeros(self.n, np.int64)
            open_ = np.ones(self.n, bool)
            for column in range(words.shape[1] - 1):
                open_ &= rank >= counts[:, column]
                rank -= np.where(open_, counts[:, column], 0).astype(np.uint32)
                at += open_
            word = words.ravel()[np.arange(self.n) * words.shape[1] + at]
            first = (64 * at).astype(np.int32)
        for width in (32, 16, 8, 4, 2, 1):
            low = word & np.uint64((1 << width) - 1)
            count = np.bitwise_count(low)
            above = rank >= count
            rank -= np.where(above, count, 0).astype(np.uint32)
            word = np.where(above, word >> np.uint64(width), low)
            first += above * np.int32(width)
        return first

    def from_bytes(self, legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
        """From masks of a byte for each action, `(n, actions)`."""
        if self.table is not None:
            packed = np.packbits(legal, axis=1, bitorder="little")
            mask = packed[:, 0].astype(np.uint32)
            if packed.shape[1] > 1:
                mask |= packed[:, 1].astype(np.uint32) << 8
            rank = self.ranks(np.bitwise_count(mask))
            return self.table[mask << 4 | rank].astype(np.int32)
        # Any action, and another one where that is not legal.
        flat = legal.ravel()
        chosen = self.rng.integers(0, self.actions, self.n, dtype=np.int32)
        wrong = np.flatnonzero(~flat[self.rows + chosen])
        while len(wrong):
            again = self.rng.integers(0, self.actions, len(wrong), dtype=np.int32)
            chosen[wrong] = again
            wrong = wrong[~flat[self.rows[wrong] + again]]
        return chosen
