"""Data sets on Ray: the bytes of a local run, although a worker dies."""

import contextlib
import sys
import time
from pathlib import Path

import carom
import psutil
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
