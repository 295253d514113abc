"""What comes of many pieces of work as tables: in memory, or in a folder of Parquet files that can be gone on with."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from ._extras import missing

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    raise ImportError(missing("pyarrow and numpy", "ray", module="distributed")) from error

__all__ = ["SCHEMAS", "Rows", "Store", "read", "table_of"]

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""What came of a piece: rows for each table."""

# Counts of paths get larger than 64 bits; numbers of 128 bits can still be added up by whatever reads them.
COUNT = pa.decimal128(38, 0)

SCHEMAS: dict[str, Any] = {
    "records": pa.schema(
        [
            ("match", pa.string()),
            ("game", pa.string()),
            ("sha256", pa.string()),
            ("seed", pa.int64()),
            ("completed", pa.bool_()),
            ("steps", pa.int32()),
            ("record", pa.string()),
        ]
    ),
    "seats": pa.schema(
        [
            ("match", pa.string()),
            ("game", pa.string()),
            ("role", pa.string()),
            ("player", pa.string()),
            ("goal", pa.int32()),
        ]
    ),
    "steps": pa.schema(
        [
            ("match", pa.string()),
            ("step", pa.int32()),
            ("role", pa.string()),
            ("move", pa.string()),
            ("seconds", pa.float64()),
        ]
    ),
    "players": pa.schema(
        [
            ("player", pa.string()),
            ("matches", pa.int32()),
            ("share", pa.float64()),
            ("rating", pa.float64()),
            ("goals", pa.float64()),
            ("share_low", pa.float64()),
            ("share_high", pa.float64()),
            ("aborted", pa.int32()),
        ]
    ),
    "searches": pa.schema(
        [
            ("game", pa.string()),
            ("player", pa.string()),
            ("settings", pa.string()),
            ("matches", pa.int32()),
            ("share", pa.float64()),
            ("share_low", pa.float64()),
            ("share_high", pa.float64()),
            ("goals", pa.float64()),
            ("aborted", pa.int32()),
        ]
    ),
    "perft": pa.schema(
        [
            ("game", pa.string()),
            ("sha256", pa.string()),
            ("depth", pa.int32()),
            ("paths", COUNT),
            ("terminals", COUNT),
        ]
    ),
    "branches": pa.schema(
        [
            ("game", pa.string()),
            ("sha256", pa.string()),
            ("moves", pa.string()),
            ("depth", pa.int32()),
            ("paths", COUNT),
            ("terminals", COUNT),
        ]
    ),
    "analyses": pa.schema(
        [
            ("game", pa.string()),
            ("sha256", pa.string()),
            ("dialect", pa.string()),
            ("well_formed", pa.bool_()),
            ("undecided", pa.bool_()),
            ("states", pa.int64()),
            ("all_states", pa.bool_()),
            ("longest", pa.int64()),
            ("goal_sum", pa.int64()),
            ("parts", pa.int32()),
            ("error", pa.string()),
            ("json", pa.string()),
        ]
    ),
}
"""The columns of each table; all may be null but those that say what a row is of."""

PARTS = "parts"
PIECES, JOB = b"ludex.pieces", b"ludex.job"

FLUSH_SECONDS = 5.0
FLUSH_PIECES = 1000


def table_of(name: str, rows: Sequence[Mapping[str, Any]]) -> Any:
    """The rows as a `pyarrow.Table` with the columns of a kind of table."""
    return pa.Table.from_pylist([dict(row) for row in rows], schema=SCHEMAS[name])


class Store:
    """Tables that grow piece by piece.

    A folder has a file `NAME.parquet` for each table whose work is all done, and until then `parts` with what is done so
    far. Each file says in its metadata which pieces its rows are of: a list of numbers of pieces with their numbers of
    rows. So whatever stops the work, each piece is there wholly or not at all, and none twice. What it is a part of is
    there, too: a folder is not gone on with by another job.
    """

    def __init__(self, folder: str | os.PathLike[str] | None, job: Mapping[str, Any], names: Sequence[str]) -> None:
        self._folder = None if folder is None else Path(folder)
        self._job = json.dumps(job, sort_keys=True, ensure_ascii=False).encode()
        self._names = list(names)
        self._kept: dict[str, list[tuple[dict[int, int], Any]]] = {name: [] for name in names}
        self._pending: dict[int, Rows] = {}
        self._flushed = monotonic()
        self._read: list[Path] = []
        if self._folder is not None:
            self._load(self._folder)

    def _load(self, folder: Path) -> None:
        (folder / PARTS).mkdir(parents=True, exist_ok=True)
        parts = sorted(path for path in (folder / PARTS).iterdir() if path.name.startswith("done-"))
        self._read.extend(parts)
        for name in self._names:
            for path in (folder / f"{name}.parquet", *(part / f"{name}.parquet" for part in parts)):
                if not path.exists():
                    continue
                metadata = pq.read_schema(path).metadata or {}
                if metadata.get(JOB) != self._job:
                    raise ValueError(f"{path} is of another job: {metadata.get(JOB, b'unknown').decode()}")
                self._kept[name].append((_counts(metadata), path))

    @property
    def done(self) -> set[int]:
        """The numbers of the pieces that are there."""
        numbers = [{number for counts, _ in self._kept[name] for number in counts} for name in self._names]
        return set.intersection(*numbers) | set(self._pending)

    def add(self, number: int, rows: Rows) -> None:
        """Keeps what came of a piece. It is written within some seconds, if more pieces come, and by `flush`."""
        self._pending[number] = rows
        if len(self._pending) >= FLUSH_PIECES or monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Writes what was not written yet."""
        self._flushed = monotonic()
        if not self._pending:
            return
        pending, self._pending = self._pending, {}
        tables = {}
        for name in self._names:
            counts = {number: len(rows.get(name, ())) for number, rows in pending.items()}
            table = table_of(name, [row for rows in pending.values() for row in rows.get(name, ())])
            tables[name] = (counts, self._marked(table, counts))
        if self._folder is None:
            for name, kept in tables.items():
                self._kept[name].append(kept)
            return
        # A folder comes into being under its name when all in it is written.
        writing = Path(tempfile.mkdtemp(prefix="writing-", dir=self._folder / PARTS))
        for name, (_, table) in tables.items():
            pq.write_table(table, writing / f"{name}.parquet")
        part = writing.with_name(writing.name.replace("writing-", "done-"))
        writing.rename(part)
        self._read.append(part)
        for name, (counts, _) in tables.items():
            self._kept[name].append((counts, part / f"{name}.parquet"))

    def _marked(self, table: Any, counts: Mapping[int, int]) -> Any:
        pieces = json.dumps([[number, rows] for number, rows in counts.items()], separators=(",", ":"))
        return table.replace_schema_metadata({PIECES: pieces.encode(), JOB: self._job})

    def tables(self) -> dict[str, Any]:
        """All that is there, in the order of the pieces, whoever did them and when."""
        self.flush()
        return {name: self._merged(name) for name in self._names}

    def _merged(self, name: str) -> Any:
        merged, counts = _merge(name, self._kept[name])
        return self._marked(merged, counts)

    def finish(self, tables: Mapping[str, Any]) -> None:
        """Writes these tables, and removes what they were made of."""
        if self._folder is None:
            return
        for name, table in tables.items():
            path = self._folder / f"{name}.parquet"
            # Nobody ever sees half of a file.
            unfinished = path.with_suffix(".unfinished")
            pq.write_table(table, unfinished)
            unfinished.replace(path)
        for part in self._read:
            shutil.rmtree(part)
        for left in (self._folder / PARTS).glob("writing-*"):
            shutil.rmtree(left)
        (self._folder / PARTS).rmdir()


def _counts(metadata: Mapping[bytes, bytes]) -> dict[int, int]:
    return {number: rows for number, rows in json.loads(metadata.get(PIECES, b"[]"))}


def _merge(name: str, kept: Iterable[tuple[dict[int, int], Any]]) -> tuple[Any, dict[int, int]]:
    """One table of several, in the order of the pieces, each piece once."""
    every: dict[int, int] = {}
    tables, numbers = [SCHEMAS[name].empty_table()], [np.empty(0, np.int64)]
    for counts, place in kept:
        table = pq.read_table(place, partitioning=None) if isinstance(place, Path) else place
        pieces = np.repeat(np.array(list(counts), np.int64), list(counts.values()))
        new = [number for number in counts if number not in every]
        if len(new) < len(counts):
            mask = np.isin(pieces, new)
            table, pieces = table.filter(pa.array(mask)), pieces[mask]
        every.update((number, counts[number]) for number in new)
        tables.append(table.replace_schema_metadata(None))
        numbers.append(pieces)
    order = np.argsort(np.concatenate(numbers), kind="stable")
    merged = pa.concat_tables(tables).take(pa.array(order)).combine_chunks()
    return merged, dict(sorted(every.items()))


def read(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The tables of a folder by their names, as `pyarrow.Table`, with what is there of a job that is not done yet.

    `ludex tournament --parquet FOLDER` writes files with the same columns. Each file is plain Parquet, so that other
    programs read it without this: `polars.read_parquet("FOLDER/seats.parquet")`, `pandas.read_parquet`, or
    `SELECT * FROM 'FOLDER/seats.parquet'` in DuckDB.

    Raises `FileNotFoundError` where there is no table.
    """
    folder = Path(folder)
    paths = sorted([*folder.glob("*.parquet"), *folder.glob(f"{PARTS}/done-*/*.parquet")])
    if not paths:
        raise FileNotFoundError(f"there are no Parquet files in {folder}")
    tables = {}
    for name in sorted({path.stem for path in paths}):
        own = [path for path in paths if path.stem == name]
        if len(own) == 1 or name not in SCHEMAS:
            # A partition above this folder is no column.
            tables[name] = pq.read_table(own[0], partitioning=None).replace_schema_metadata(None)
            continue
        kept = [(_counts(pq.read_schema(path).metadata or {}), path) for path in own]
        tables[name] = _merge(name, kept)[0]
    return tables
