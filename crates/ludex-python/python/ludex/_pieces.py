"""Does many pieces of work here or on a Ray cluster. What comes of a piece depends on nothing but the piece."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from os import environ
from time import monotonic
from typing import Any, Generic, TypeAlias, TypeVar

from ._extras import missing
from ._progress import Progress
from .errors import LudexError

__all__ = ["Piece", "pieces_of", "run", "seed_of"]

Work = TypeVar("Work")
Result = TypeVar("Result")

Done: TypeAlias = Generator[tuple["Piece[Work]", Result], None, None]
"""Pieces with what came of them."""

CLUSTER_AGE = 10.0
"""After so many seconds it is asked again how many processors a cluster has: machines come and go."""


@dataclass(frozen=True)
class Piece(Generic[Work]):
    """A piece of work: plain data that can be pickled."""

    number: int
    """Its place among the pieces of the job, from 0."""
    seed: int
    """Decides its chances: made of the seed of the job and the number."""
    work: Work
    """What is to be done."""


def seed_of(seed: int, number: int) -> int:
    """The seed of a piece: 63 bits, so that a signed column can hold it."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:8], "big") >> 1


def pieces_of(work: Iterable[Work], seed: int = 1) -> list[Piece[Work]]:
    """The pieces of a job with this seed, one for each description of work."""
    return [Piece(number, seed_of(seed, number), one) for number, one in enumerate(work)]


def run(
    pieces: Iterable[Piece[Work]],
    do: Callable[[Piece[Work]], Result],
    *,
    workers: int | None = None,
    batch: int = 1,
    cpus: float = 1,
    attempts: int = 3,
    progress: bool = False,
) -> Done[Work, Result]:
    """Does all pieces by a function, and gives each with what came of it as soon as it is done, in any order.

    `workers` is how many tasks may be at work at once on the Ray cluster, 0 for this process without Ray. Where nothing is
    said, those that the cluster has processors for, or this process where Ray is not installed. A cluster that
    `ray.init` has joined is used, or that of `RAY_ADDRESS`; else one is started on this machine, and ended again. A task
    does `batch` pieces, and takes `cpus` processors.

    The pieces of a worker that is lost are done again, one by one; if `attempts` workers were lost with a piece,
    `LudexError` is raised. What the function raises is raised here, and all that is still being done is given up; so it is
    after Ctrl-C, and where the iterator is closed.
    """
    if workers is not None and workers < 0:
        raise ValueError(f"there cannot be {workers} workers")
    if batch < 1 or attempts < 1 or not cpus > 0:
        raise ValueError("batch and attempts have to be at least 1, and cpus above 0")
    wanted = list(pieces)
    results = _here(wanted, do)
    if workers != 0 and wanted:
        try:
            import ray  # noqa: F401
        except ImportError as error:
            if workers is not None:
                raise ImportError(missing("ray", "ray", module="distributed") + ", or workers=0") from error
        else:
            results = _on_ray(wanted, do, workers, batch, cpus, attempts)
    return _watched(results, Progress("pieces", len(wanted))) if progress else results


def _watched(results: Done[Work, Result], bar: Progress) -> Done[Work, Result]:
    try:
        for done, result in enumerate(results, 1):
            bar.show(done, None)
            yield result
    finally:
        results.close()
        bar.close()


def _here(pieces: Iterable[Piece[Work]], do: Callable[[Piece[Work]], Result]) -> Done[Work, Result]:
    for piece in pieces:
        yield piece, do(piece)


def _do_all(do: Callable[[Piece[Work]], Result], pieces: Sequence[Piece[Work]]) -> list[Result]:
    """What a task of Ray does."""
    return [do(piece) for piece in pieces]


def _start(workers: int | None) -> bool:
    """Joins a cluster; whether one was started for this."""
    import ray

    if ray.is_initialized():
        return False
    if environ.get("RAY_ADDRESS"):
        ray.init(log_to_driver=False)
    else:
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    return True


def _on_ray(
    pieces: Sequence[Piece[Work]],
    do: Callable[[Piece[Work]], Result],
    workers: int | None,
    batch: int,
    cpus: float,
    attempts: int,
) -> Done[Work, Result]:
    import ray
    from ray import exceptions

    lost = (
        exceptions.NodeDiedError,
        exceptions.ObjectLostError,
        exceptions.OutOfMemoryError,
        exceptions.WorkerCrashedError,
    )
    started = _start(workers)
    left = iter(pieces)
    again: deque[Piece[Work]] = deque()
    losses: dict[int, int] = {}
    running: dict[Any, list[Piece[Work]]] = {}
    try:
        # What is lost with a machine after it was done is done again by Ray itself, as long as it may try twice.
        task = ray.remote(_do_all).options(num_cpus=cpus, max_retries=1, retry_exceptions=False)
        # The function goes to the cluster once, with all that it holds.
        shared = ray.put(do)
        limit, asked = workers or 1, -CLUSTER_AGE
        while True:
            if workers is None and monotonic() - asked >= CLUSTER_AGE:
                # Twice as many as there are processors for, so that none waits and a cluster that can grow does.
                limit, asked = max(1, int(2 * ray.cluster_resources().get("CPU", 1) / cpus)), monotonic()
            while len(running) < limit:
                some = [again.popleft()] if again else list(islice(left, batch))
                if not some:
                    break
                running[task.remote(shared, some)] = some
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=1)
            done = running.pop(ready[0])
            try:
                results = ray.get(ready[0])
            except exceptions.RayTaskError as error:
                # As if it had been raised here.
                raise (error.cause if isinstance(error.cause, Exception) else error) from error
            except lost as error:
                for piece in done:
                    losses[piece.number] = losses.get(piece.number, 0) + 1
                    if losses[piece.number] >= attempts:
                        raise LudexError(f"piece {piece.number} was given up: {attempts} workers were lost") from error
                again.extend(done)
            else:
                yield from zip(done, results)
    finally:
        for reference in running:
            # A player may think for long, and does not ask whether somebody wants to stop.
            ray.cancel(reference, force=True)
        if started:
            ray.shutdown()
