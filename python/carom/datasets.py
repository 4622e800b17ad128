"""Data sets: samples of many states of one problem, in Parquet files that anyone can make again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from carom import _carom
from carom.arrays import whole
from carom.errors import UsageError

PathLike: TypeAlias = str | os.PathLike[str]
Progress: TypeAlias = Callable[[int, int], None]
"""What is called after each file with the number of files that are there, and of all."""


class DatasetPlan:
    """The plan of a data set, a file in TOML or JSON whose keys ``docs/files.md`` lists.

    Each file of the data set is a function of the plan and its number: it has the same bytes
    whoever makes it, with ``carom dataset`` too.

    Args:
        path: the plan.

    Attributes:
        path: of the plan.
        name: of the data set.
        states: how many states there are.
        samples: how many samples each state has.
        files: how many files hold them.
        fingerprint: 32 hexadecimal digits that are those of no plan with other rows.

    Raises:
        InputError, UsageError: what is wrong in the plan, its scene or its table, with its place.
    """

    def __init__(self, path: PathLike) -> None:
        self._plan = _carom.Plan(os.fspath(path))
        self.path = Path(path)
        self.name: str = self._plan.name
        self.states: int = self._plan.states
        self.samples: int = self._plan.samples
        self.files: int = self._plan.files
        self.fingerprint: str = self._plan.fingerprint

    def missing(self, directory: PathLike) -> list[int]:
        """The numbers of the files that are not there yet.

        Raises:
            InputError: a file that is not this plan's.
        """
        return [i for i in range(self.files) if not self._plan.has(os.fspath(directory), i)]

    def run_shard(self, i: int, directory: PathLike) -> Path:
        """Makes file i, counted from 0, on all cores, unless it is there; where it is.

        Many processes may work in one directory at a time.

        Raises:
            UsageError: no such file, or a directory of another plan.
            KeyboardInterrupt: Ctrl-C, which leaves no part of the file.
        """
        number = whole(i, "i", 0)
        self._plan.run_file(os.fspath(directory), number)
        return Path(directory) / self._plan.file_name(number)

    def finish(self, directory: PathLike) -> dict[str, Any]:
        """Writes ``dataset.json``, which says what is in the files, and the card ``README.md``; the
        former's content.

        Raises:
            UsageError: files are missing, or the directory is another plan's.
            InputError: a file that is not this plan's.
        """
        missing = self.missing(directory)
        if missing:
            what = f"{len(missing)} of {self.files} files are missing, the first of them is {missing[0]}"
            raise UsageError(what, os.fspath(directory), "run() makes them, run_shard(i) one of them")
        self._plan.finish(os.fspath(directory))
        description: dict[str, Any] = json.loads((Path(directory) / "dataset.json").read_text())
        return description

    def run(self, directory: PathLike, progress: Progress | None = None) -> dict[str, Any]:
        """Makes the files that are missing, and finishes; the content of ``dataset.json``.

        What was interrupted or killed goes on when it is called again.
        """
        self._plan.claim(os.fspath(directory))
        missing = self.missing(directory)
        for made, i in enumerate(missing, 1):
            self.run_shard(i, directory)
            if progress is not None:
                progress(self.files - len(missing) + made, self.files)
        return self.finish(directory)

    def __reduce__(self) -> tuple[Any, ...]:
        # For other processes on this machine.
        return DatasetPlan, (self.path.absolute(),)

    def __repr__(self) -> str:
        return f"DatasetPlan({self.name!r}: {self.states} states with {self.samples} samples in {self.files} files)"


def dataset(plan: PathLike | DatasetPlan, directory: PathLike) -> dict[str, Any]:
    """Makes a data set, or what is missing of it: ``DatasetPlan(plan).run(directory)``."""
    return (plan if isinstance(plan, DatasetPlan) else DatasetPlan(plan)).run(directory)
