"""Data sets on the machines of a Ray cluster."""

from __future__ import annotations

import importlib
import os
from typing import Any

from carom.datasets import DatasetPlan, PathLike, Progress
from carom.errors import UsageError


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
        plan, directory: in a file system that all machines of the cluster have in common.
        cpus: cores of a task. Connect with ``ray.init(address)`` before; otherwise Ray starts on
            this machine.
        retries: how often a file is begun again whose worker died.
        progress: is called after each file with the number of files that are there, and of all.

    Raises:
        UsageError: Ray is not installed.
        ray.exceptions.WorkerCrashedError: a worker died once more than retries allow.
        UsageError: the directory is another plan's.
    """
    try:
        ray = importlib.import_module("ray")
    except ModuleNotFoundError:
        raise UsageError("Ray is not installed", "ray", "pip install 'carom[ray]'") from None
    plan = plan if isinstance(plan, DatasetPlan) else DatasetPlan(plan)
    # Workers have other working directories.
    path, out = os.path.abspath(plan.path), os.path.abspath(directory)
    plan._plan.claim(out)
    missing = plan.missing(out)
    if missing and not ray.is_initialized():
        ray.init(log_to_driver=False)
    threads = {"env_vars": {"RAYON_NUM_THREADS": str(cpus)}}
    task = ray.remote(num_cpus=cpus, max_retries=retries, runtime_env=threads)(_file) if missing else None
    left = [task.remote(path, out, i) for i in missing] if task else []
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


def _file(path: str, directory: str, i: int) -> None:
    """Makes file i; what a worker does."""
    DatasetPlan(path).run_shard(i, directory)
