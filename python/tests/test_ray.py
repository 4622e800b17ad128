"""Data sets on Ray: the bytes of a local run, although a worker dies; Ray Data before and behind."""

import contextlib
import importlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import carom
import numpy as np
import psutil
import pyarrow.parquet as pq
import pytest

PLAN = """
problem = "rocking-block"
samples = 40000
states = 8
[velocity]
block.theta = [-0.1, 0.1]
[files]
rows = 40000
"""


def files(directory: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in directory.rglob("*") if file.is_file()}


def kill_a_busy_worker() -> int:
    """Kills a process below this one that runs a task of ours, as soon as there is one; its number."""
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.cmdline()[:1] == ["ray::_file"]:
                    process.kill()
                    return int(process.pid)
        time.sleep(0.01)
    raise AssertionError("no worker is busy")


def test_without_ray_one_line_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(carom.UsageError, match=r"Ray is not installed\npip install 'carom\[ray\]'"):
        carom.ray.run(tmp_path / "plan.toml", tmp_path / "set")


def test_a_worker_dies_and_the_files_are_those_of_a_local_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    carom.dataset(plan, tmp_path / "local")
    killed: list[int] = []
    told: list[int] = []

    def progress(made: int, of: int) -> None:
        assert of == 8
        told.append(made)
        if not killed:
            killed.append(kill_a_busy_worker())

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with pytest.raises(ray.exceptions.WorkerCrashedError):
            carom.ray.run(plan, tmp_path / "set", retries=0, progress=progress)
        assert 0 < len(carom.DatasetPlan(plan).missing(tmp_path / "set")) < 8

        killed.clear()
        told.clear()
        description = carom.ray.run(plan, tmp_path / "set", progress=progress)
        assert killed and told == list(range(told[0], 9))
        assert description["counts"]["rows"] == 320000
    finally:
        ray.shutdown()
    assert files(tmp_path / "set") == files(tmp_path / "local")
    assert carom.ray.run(plan, tmp_path / "set") == description
    assert not ray.is_initialized()


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Ray on this machine, with two cores."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def test_ray_data_has_the_rows_of_the_files(tmp_path: Path, cluster: Any) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace("40000", "30"))
    carom.dataset(plan, tmp_path / "local")
    tables = [pq.read_table(file) for file in sorted((tmp_path / "local" / "data").iterdir())]
    rows = carom.ray.read(plan)
    blocks = sorted(rows.iter_batches(batch_size=None), key=lambda block: int(block["state"][0]))
    assert len(blocks) == len(tables) == 8
    for block, table in zip(blocks, tables, strict=True):
        assert list(block) == table.column_names and block["state"].tolist() == table["state"].to_pylist()
        assert block["velocity"].shape == (30, 3) and block["velocity"].dtype == np.float64
        for name in ("velocity", "impulse", "mode", "accepted"):
            assert np.array_equal(block[name], table[name].to_pylist())
    accepted = sum(table["accepted"].to_pylist().count(True) for table in tables)
    assert rows.filter(lambda row: row["accepted"]).count() == accepted


def test_states_of_ray_data_become_a_data_set(tmp_path: Path, cluster: Any) -> None:
    data = importlib.import_module("ray.data")
    rng = np.random.default_rng(2)
    states = [
        {
            "mass": np.diag([1.0, 1.0, 0.2]),
            "normal": np.array([[0, 1, -0.5], [0, 1, 0.5]]),
            "tangent": np.array([[1, 0, 0.5], [1, 0, 0.5]]),
            "friction": np.array([0.3, 0.6]),
            "velocity": rng.uniform([-0.5, -1, -1], [0.5, -0.2, 1]),
            "state": number,
        }
        for number in rng.permutation(6)
    ]
    description = carom.ray.write(data.from_items(states), tmp_path / "set", samples=10, seed=3, rows=20)
    ordered = sorted(states, key=lambda state: state.pop("state"))
    arrays = {name: np.stack([state[name] for state in ordered]) for name in ordered[0]}
    plan = carom.DatasetPlan.of_states(**arrays, samples=10, seed=3, rows=20)
    assert plan.run(tmp_path / "local") == description
    assert files(tmp_path / "set") == files(tmp_path / "local")
    with pytest.raises(carom.InputError, match="the column mass is missing; there are id"):
        carom.ray.write(data.range(3), tmp_path / "none", samples=10)
