"""Shows how far long work is: a bar of tqdm where that is installed, otherwise a line."""

import sys
from typing import Any


class Progress:
    """What was done so far, on the standard error output."""

    def __init__(self, what: str, total: int | None) -> None:
        self._what = what
        self._total = total
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            pass
        else:
            self._bar = tqdm(total=total, unit=f" {what}")

    def show(self, done: int, total: int | None) -> None:
        """So much is done; `total` is how much there is, where more is known of that than before."""
        self._total = total if total is not None else self._total
        if self._bar is not None:
            self._bar.total = self._total
            self._bar.n = done
            self._bar.refresh()
            return
        of = "" if self._total is None else f" of {self._total}"
        print(f"\r{done}{of} {self._what}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Nothing more comes."""
        if self._bar is not None:
            self._bar.close()
        else:
            print(file=sys.stderr)
