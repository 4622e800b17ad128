"""Data sets on the machines of a Ray cluster, and from and to Ray Data."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from carom.datasets import DatasetPlan, Progress
from carom.errors import InputError, UsageError
from carom.stores import URL, PathLike

Recipe: TypeAlias = tuple[Callable[..., DatasetPlan], tuple[Any, ...]]
"""What makes a plan again."""


def run(
    plan: PathLike | DatasetPlan,
    directory: PathLike,
    *,
    cpus: int = 1,
    retries: int = 3,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Makes the missing files of a data set, each in a task of Ray, and finishes; the content of
    ``dataset.json``.

    The files are those of ``DatasetPlan.run``, byte by byte. An interrupted run goes on when it is
    called again.

    Args:
        plan: a plan; its file must be in a file system that all machines of the cluster have in
            common.
        directory: in such a file system, or a URL of a store that all machines reach.
        cpus: cores of a task. Connect with ``ray.init(address)`` before; otherwise Ray starts on
            this machine.
        retries: how often a file is begun again whose worker died.
        progress: is called after each file with the number of files that are there, and of all.

    Raises:
        UsageError: Ray is not installed.
        ray.exceptions.WorkerCrashedError: a worker died once more than retries allow.
        UsageError: the directory is another plan's.
    """
    ray = _imported("ray", "ray")
    plan = plan if isinstance(plan, DatasetPlan) else DatasetPlan(plan)
    # Workers have other working directories.
    out = os.fspath(directory)
    out = out if URL.match(out) else os.path.abspath(out)
    plan.claim(out)
    missing = plan.missing(out)
    if missing and not ray.is_initialized():
        ray.init(log_to_driver=False)
    task = ray.remote(num_cpus=cpus, max_retries=retries, runtime_env=_threads(cpus))(_file) if missing else None
    recipe = ray.put(_recipe(plan)) if missing else None
    left = [task.remote(recipe, plan.fingerprint, out, i) for i in missing] if task else []
    try:
        while left:
            done, left = ray.wait(left)
            try:
                ray.get(done)
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            if progress is not None:
                progress(plan.files - len(left), plan.files)
    finally:
        for reference in left:
            ray.cancel(reference)
    return plan.finish(out)


def read(plan: PathLike | DatasetPlan, *, cpus: int = 1) -> Any:
    """The rows of a data set as a ``ray.data.Dataset``, without a directory: each file is computed
    where its block is needed.

    The rows are those of the files. Lists of one length are arrays, so that ``iter_torch_batches``
    makes tensors of them.

    Args:
        plan: a plan; its file must be in a file system that all machines of the cluster have in
            common.
        cpus: cores of a task.

    Raises:
        UsageError: Ray Data or pyarrow is not installed.
    """
    data = _imported("ray.data", "ray")
    _imported("pyarrow", "ray")
    plan = plan if isinstance(plan, DatasetPlan) else DatasetPlan(plan)
    block = partial(_block, _recipe(plan), plan.fingerprint)
    numbers = data.range(plan.files, override_num_blocks=plan.files)
    return numbers.map_batches(block, batch_size=1, num_cpus=cpus, runtime_env=_threads(cpus))


def write(
    states: Any,
    directory: PathLike,
    *,
    samples: int,
    cpus: int = 1,
    retries: int = 3,
    progress: Progress | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Makes the data set of the states in a ``ray.data.Dataset``, each file in a task of Ray; the
    content of ``dataset.json``.

    Args:
        states: a data set with a row for each state and the columns ``mass`` (n,n), ``normal``
            (m,n), ``tangent`` (d m,n), ``friction`` (m), ``velocity`` (n), and perhaps
            ``restitution`` (m) and ``active`` (m); other columns are left alone. States are held in
            the memory of this process, in the order of a column ``state``. Without it they come as
            Ray delivers them, and a run that was interrupted may find them in another order.
        directory, cpus, retries, progress: as of ``run``.
        samples, options: as of ``DatasetPlan.of_states``.

    Raises:
        InputError: columns that are missing or do not fit each other.
    """
    columns = [name for name in COLUMNS if name in states.schema().names]
    lacking = [name for name in NEEDED if name not in columns]
    if lacking:
        known = ", ".join(states.schema().names)
        raise InputError(f"the column {lacking[0]} is missing; there are {known}", lacking[0])
    batches = list(states.select_columns(columns).iter_batches(batch_size=None, batch_format="numpy"))
    arrays: dict[str, Any] = {name: np.concatenate([_stacked(batch[name]) for batch in batches]) for name in columns}
    if "state" in arrays:
        order = np.argsort(arrays.pop("state"), kind="stable")
        arrays = {name: array[order] for name, array in arrays.items()}
    plan = DatasetPlan.of_states(**arrays, samples=samples, **options)
    return run(plan, directory, cpus=cpus, retries=retries, progress=progress)


NEEDED = ("mass", "normal", "tangent", "friction", "velocity")
"""Columns of states that must be there."""

COLUMNS = (*NEEDED, "restitution", "active", "state")
"""Columns of states."""


def _stacked(column: Any) -> Any:
    """The entries of a column, which may be lists, as one array."""
    return np.array([_nested(entry) for entry in column]) if column.dtype == object else column


def _nested(entry: Any) -> Any:
    return np.stack([_nested(part) for part in entry]) if getattr(entry, "dtype", None) == object else entry


def _imported(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        name = {"ray": "Ray", "ray.data": "Ray Data"}.get(module, module)
        raise UsageError(f"{name} is not installed", module, f"pip install 'carom[{extra}]'") from None


def _threads(cpus: int) -> dict[str, Any]:
    """The environment of a task with so many cores."""
    return {"env_vars": {"RAYON_NUM_THREADS": str(cpus)}}


def _recipe(plan: DatasetPlan) -> Recipe:
    make, given = plan.__reduce__()
    return make, given


KNOWN: dict[str, DatasetPlan] = {}
"""The plan that this worker has made last, by its fingerprint."""


def _plan(recipe: Recipe, fingerprint: str) -> DatasetPlan:
    """The plan in a worker, made once for all of its files."""
    if fingerprint not in KNOWN:
        make, given = recipe
        plan = make(*given)
        if plan.fingerprint != fingerprint:
            raise UsageError("the plan has changed, or this machine has another version of carom", plan.name)
        KNOWN.clear()
        KNOWN[fingerprint] = plan
    return KNOWN[fingerprint]


def _file(recipe: Recipe, fingerprint: str, directory: str, i: int) -> None:
    """Makes file i; what a worker does."""
    _plan(recipe, fingerprint).run_shard(i, directory)


def _block(recipe: Recipe, fingerprint: str, numbers: dict[str, Any]) -> Any:
    """The rows of a file, whose number is the only one of ``numbers["id"]``."""
    parquet = importlib.import_module("pyarrow.parquet")
    with tempfile.TemporaryDirectory(prefix="carom-") as name:
        file = _plan(recipe, fingerprint).run_shard(int(numbers["id"][0]), name)
        table = parquet.read_table(file)
    return {name: _entries(column.combine_chunks()) for name, column in zip(table.column_names, table.columns, strict=True)}


def _entries(column: Any) -> Any:
    """A column of Arrow as an array, with a row for each list of one length."""
    length = getattr(column.type, "list_size", None)
    flat = column if length is None else column.flatten()
    found = flat.to_numpy(zero_copy_only=False)
    return found if length is None else found.reshape(len(column), length)
