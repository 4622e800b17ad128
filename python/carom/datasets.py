"""Data sets: samples of many states of one problem, in Parquet files that anyone can make again."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from carom import _carom
from carom.arrays import ArrayLike, whole
from carom.errors import CaromWarning, UsageError
from carom.laws import Law
from carom.mujoco import from_mujoco_batch
from carom.sampling import ModelPath, Precision, fields_of, ranges_of, states_of
from carom.stores import URL, PathLike, Store, place_of

Progress: TypeAlias = Callable[[int, int], None]
"""What is called after each file with the number of files that are there, and of all."""


class DatasetPlan:
    """The plan of a data set, a file in TOML or JSON whose keys ``docs/files.md`` lists.

    Each file of the data set is a function of the plan and its number: it has the same bytes
    whoever makes it, with ``carom dataset`` too. ``of_states`` and ``of_mujoco`` make plans of the
    states of a simulator.

    Directories are paths, or URLs of fsspec such as ``s3://bucket/set``. There, files are stored
    when they are whole, and those that are there are known by their ends.

    Args:
        path: the plan.

    Attributes:
        path: of the plan; None where it has no file.
        name: of the data set.
        states: how many states there are.
        samples: how many samples each state has.
        files: how many files hold them.
        fingerprint: 32 hexadecimal digits that are those of no plan with other rows.

    Raises:
        InputError, UsageError: what is wrong in the plan, its scene, its table or its arrays, with
            its place.

    Warns:
        CaromWarning: the plan's model was fitted to no events with so many contacts.
    """

    def __init__(self, path: PathLike) -> None:
        text = os.fspath(path)
        if URL.match(text):
            raise UsageError("a plan is a file of this machine", text, "its data set may go to a URL: plan.run(URL)")
        self.path: Path | None = Path(path)
        self._set(_carom.Plan(text))
        # What makes the plan again in other processes.
        self._recipe: tuple[Callable[..., DatasetPlan], tuple[Any, ...]] = (DatasetPlan, (self.path.absolute(),))

    def _set(self, plan: _carom.Plan) -> None:
        self._plan = plan
        self.name: str = plan.name
        self.states: int = plan.states
        self.samples: int = plan.samples
        self.files: int = plan.files
        self.fingerprint: str = plan.fingerprint
        for warning in plan.warnings:
            warnings.warn(warning, CaromWarning, stacklevel=3)

    @classmethod
    def of_states(
        cls,
        mass: ArrayLike | Sequence[ArrayLike],
        normal: ArrayLike | Sequence[ArrayLike],
        tangent: ArrayLike | Sequence[ArrayLike] | None,
        friction: ArrayLike | Sequence[ArrayLike],
        velocity: ArrayLike,
        *,
        samples: int,
        restitution: ArrayLike | Sequence[ArrayLike] | None = None,
        active: ArrayLike | None = None,
        seed: int = 0,
        precision: Precision | None = None,
        law: Law | str | None = None,
        uncertainty: str | Mapping[str, Any] | None = None,
        model: ModelPath | None = None,
        law_only: bool = False,
        coordinates: Sequence[str] | None = None,
        contacts: Sequence[str] | None = None,
        rows: int | None = None,
        name: str = "states",
    ) -> DatasetPlan:
        """The plan of states in arrays: state b is row b.

        The plan holds the arrays; the data set has them in ``problems.npz``, which a plan file
        reads by the key ``problems``. States without active contacts, or with numbers that the law
        refuses, have no rows.

        Args:
            mass, normal, tangent, friction, velocity, restitution, active: as of
                ``carom.sample_batch``.
            samples: of each state.
            seed: of the data set, below 2^53, from which each state gets one by its number.
            precision, law, uncertainty, model, law_only: as of ``carom.sample``; double precision
                where it is None.
            coordinates, contacts: names of the coordinates (n) and contacts (m).
            rows: most rows of a file, up to whole states.
            name: of the data set.

        Raises:
            InputError, UsageError: arrays that do not fit each other, numbers that are not finite,
                what the law refuses; none of the first thousand states can be sampled.
        """
        given = {key: value for key, value in locals().items() if key != "cls"}
        arrays = states_of(mass, normal, tangent, friction, velocity, restitution, active)
        fields = fields_of(law, "cpu", precision, None, ranges_of(uncertainty), model, law_only)
        names = [None if these is None else [str(one) for one in these] for these in (coordinates, contacts)]
        number = whole(seed, "seed", 0)
        if number >= 2**53:
            raise UsageError(f"seed: expected a whole number below 2^53, found {number}", "seed")
        most = None if rows is None else whole(rows, "rows")
        asked: Any = (*names, _carom.Sampling(fields), whole(samples, "samples"), number, most)
        plan = cls.__new__(cls)
        plan.path = None
        plan._set(_carom.Plan.of_arrays(str(name), *arrays.arrays(), *asked))
        plan._recipe = (_again, (given, plan.fingerprint))
        return plan

    @classmethod
    def of_mujoco(
        cls,
        model: Any,
        qpos: ArrayLike,
        qvel: ArrayLike,
        *,
        samples: int,
        data: Any = None,
        contacts: Any = None,
        restitution: float | None = None,
        margin: float | None = None,
        **options: Any,
    ) -> DatasetPlan:
        """The plan of states of MuJoCo: state b is the contact problem of ``carom.from_mujoco`` in
        row b of ``qpos`` and ``qvel``. States in which nothing touches have no rows.

        Args:
            model: ``mujoco.MjModel``.
            qpos, qvel: positions (..,nq) and velocities (..,nv), as of ``carom.from_mujoco_batch``.
            samples: of each state.
            data: has the poses of mocap bodies and ``eq_active`` of all states; those of the model
                where it is None.
            contacts, restitution, margin: as of ``carom.from_mujoco``; one coefficient for all
                contacts.
            options: ``seed``, ``precision``, ``law``, ``uncertainty``, ``rows``, ``name`` of
                ``of_states``.

        Raises:
            UsageError: MuJoCo cannot be imported.
            InputError: as of ``carom.from_mujoco``, with the number of the state; nothing touches
                in any state.
        """
        found = from_mujoco_batch(model, qpos, qvel, data=data, contacts=contacts, margin=margin)

        def all_of(entries: NDArray[Any]) -> NDArray[Any]:
            """An entry for each given state, 0 where nothing touches."""
            placed = np.zeros((math.prod(np.shape(qpos)[:-1]), *entries.shape[1:]), entries.dtype)
            placed[found.row] = entries
            return placed

        return cls.of_states(
            mass=all_of(found.mass),
            normal=all_of(found.normal),
            tangent=all_of(found.tangent),
            friction=all_of(found.friction),
            velocity=all_of(found.velocity),
            active=all_of(found.active),
            coordinates=found.coordinates,
            restitution=restitution,
            samples=samples,
            **options,
        )

    def missing(self, directory: PathLike) -> list[int]:
        """The numbers of the files that are not there yet.

        Raises:
            InputError: a file that is not this plan's.
        """
        with self._local(directory, claim=False) as (place, store):
            return self._missing(place, store)

    def run_shard(self, i: int, directory: PathLike) -> Path | str:
        """Makes file i, counted from 0, on all cores, unless it is there; its path or URL.

        Many processes may work in one directory at a time.

        Raises:
            UsageError: no such file, or a directory of another plan.
            KeyboardInterrupt: Ctrl-C, which leaves no part of the file.
        """
        number = whole(i, "i", 0)
        with self._local(directory, claim=True) as (place, store):
            if store is not None and number < self.files:
                name = self._plan.file_name(number)
                if store.ends([name], place)[0] and self._plan.listed(os.fspath(place), number):
                    return store.at(name)
            return self._make(number, place, store)

    def finish(self, directory: PathLike) -> dict[str, Any]:
        """Writes ``dataset.json``, which says what is in the files, and the card ``README.md``; the
        former's content.

        Raises:
            UsageError: files are missing, or the directory is another plan's.
            InputError: a file that is not this plan's.
        """
        with self._local(directory, claim=False) as (place, store):
            return self._finish(place, store, os.fspath(directory))

    def run(self, directory: PathLike, progress: Progress | None = None) -> dict[str, Any]:
        """Makes the files that are missing, and finishes; the content of ``dataset.json``.

        What was interrupted or killed goes on when it is called again.
        """
        with self._local(directory, claim=True) as (place, store):
            missing = self._missing(place, store)
            for made, i in enumerate(missing, 1):
                self._make(i, place, store)
                if progress is not None:
                    progress(self.files - len(missing) + made, self.files)
            return self._finish(place, store, os.fspath(directory))

    def claim(self, directory: PathLike) -> None:
        """Makes the directory that of this data set.

        Raises:
            UsageError: it is that of another one.
        """
        with self._local(directory, claim=True):
            pass

    @contextmanager
    def _local(self, directory: PathLike, claim: bool) -> Iterator[tuple[Path, Store | None]]:
        """The directory of this machine to work in, and the store for which it stands, if any."""
        place = place_of(directory)
        if isinstance(place, Path):
            if claim:
                self._plan.claim(os.fspath(place))
            yield place, None
            return
        with place.mirror() as mirror:
            if claim:
                self._claim(mirror, place)
            yield mirror, place

    def _claim(self, mirror: Path, store: Store) -> None:
        """Says in the store whose it is, unless that is said already."""
        known = store.get("dataset.json", mirror)
        if not known and store.has("README.md"):
            (mirror / "README.md").touch()
        self._plan.claim(os.fspath(mirror))
        if not known:
            store.put("dataset.json", mirror)

    def _missing(self, place: Path, store: Store | None) -> list[int]:
        if store is None:
            return [i for i in range(self.files) if not self._plan.has(os.fspath(place), i)]
        there = store.ends([self._plan.file_name(i) for i in range(self.files)], place)
        return [i for i, end in enumerate(there) if not end or not self._plan.listed(os.fspath(place), i)]

    def _make(self, i: int, place: Path, store: Store | None) -> Path | str:
        """Makes file i in a directory that is this plan's."""
        self._plan.run_file(os.fspath(place), i)
        name = self._plan.file_name(i)
        if store is None:
            return place / name
        store.put(name, place)
        (place / name).unlink()
        return store.at(name)

    def _finish(self, place: Path, store: Store | None, directory: str) -> dict[str, Any]:
        if store is not None:
            self._claim(place, store)
        missing = self._missing(place, store)
        if missing:
            what = f"{len(missing)} of {self.files} files are missing, the first of them is {missing[0]}"
            raise UsageError(what, directory, "run() makes them, run_shard(i) one of them")
        there = store is not None and store.has("problems.npz")
        if there:
            (place / "problems.npz").touch()
        self._plan.finish(os.fspath(place))
        if store is not None:
            # The card comes last, as on disk.
            for name in ("problems.npz", "dataset.json", "README.md"):
                if (place / name).exists() and not (there and name == "problems.npz"):
                    store.put(name, place)
        description: dict[str, Any] = json.loads((place / "dataset.json").read_text())
        return description

    def __reduce__(self) -> tuple[Any, ...]:
        # For other processes.
        return self._recipe

    def __repr__(self) -> str:
        return f"DatasetPlan({self.name!r}: {self.states} states with {self.samples} samples in {self.files} files)"


def _again(given: dict[str, Any], fingerprint: str) -> DatasetPlan:
    """The plan of states, made again from the same arrays."""
    plan = DatasetPlan.of_states(**given)
    if plan.fingerprint != fingerprint:
        raise UsageError("arrays of this plan have changed since it was made", hint="give it copies that stay as they are")
    return plan


def dataset(plan: PathLike | DatasetPlan, directory: PathLike) -> dict[str, Any]:
    """Makes a data set, or what is missing of it: ``DatasetPlan(plan).run(directory)``."""
    return (plan if isinstance(plan, DatasetPlan) else DatasetPlan(plan)).run(directory)
