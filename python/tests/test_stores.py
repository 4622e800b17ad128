"""Data sets behind URLs of fsspec: the bytes of a local run, what is there stays, and what users
get wrong."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import carom
import pytest

PLAN = """
problem = "rocking-block"
samples = 20
states = 9
[velocity]
block.theta = [-0.1, 0.1]
[files]
rows = 40
"""


@pytest.fixture
def plan(tmp_path: Path) -> carom.DatasetPlan:
    (tmp_path / "plan.toml").write_text(PLAN)
    return carom.DatasetPlan(tmp_path / "plan.toml")


@pytest.fixture
def memory() -> Iterator[Any]:
    """The file system of ``memory://``, empty."""
    fsspec = pytest.importorskip("fsspec")
    found = fsspec.filesystem("memory")
    found.store.clear()
    yield found
    found.store.clear()


def stored(memory: Any, root: str = "/bucket/set") -> dict[str, bytes]:
    return {path.removeprefix(f"{root}/"): memory.cat_file(path) for path in memory.find(root)}


def content(directory: Path) -> dict[str, bytes]:
    return {str(file.relative_to(directory)): file.read_bytes() for file in directory.rglob("*") if file.is_file()}


def test_a_store_has_the_bytes_of_a_directory(plan: carom.DatasetPlan, memory: Any, tmp_path: Path) -> None:
    plan.run(tmp_path / "local")
    told: list[tuple[int, int]] = []
    description = plan.run("memory://bucket/set", lambda *files: told.append(files))
    assert told == [(made, 5) for made in range(1, 6)]
    assert description["complete"] and stored(memory) == content(tmp_path / "local")
    assert plan.run("file://" + str(tmp_path / "other")) == description
    assert content(tmp_path / "other") == content(tmp_path / "local")


def test_what_is_stored_is_not_made_again(plan: carom.DatasetPlan, memory: Any) -> None:
    url = "memory://bucket/set"
    assert plan.run_shard(3, url) == "memory://bucket/set/data/part-00003-of-00005.parquet"
    assert plan.missing(url) == [0, 1, 2, 4]
    made = memory.modified("/bucket/set/data/part-00003-of-00005.parquet")
    with pytest.raises(carom.UsageError, match="4 of 5 files are missing, the first of them is 0"):
        plan.finish(url)
    # An upload that broke off is no file.
    whole = memory.cat_file("/bucket/set/data/part-00003-of-00005.parquet")
    memory.pipe_file("/bucket/set/data/part-00001-of-00005.parquet", whole[:1000])
    assert plan.missing(url) == [0, 1, 2, 4]
    plan.run(url)
    assert memory.modified("/bucket/set/data/part-00003-of-00005.parquet") == made
    before = stored(memory)
    assert plan.missing(url) == []
    plan.run(url)
    assert stored(memory) == before


def test_arrays_are_stored_once(memory: Any) -> None:
    plan = carom.DatasetPlan.of_states([[1.0]], [[1.0]], None, 0.0, [[-1.0], [-2.0]], samples=3)
    plan.run("memory://bucket/set")
    made = memory.modified("/bucket/set/problems.npz")
    plan.run("memory://bucket/set")
    assert memory.modified("/bucket/set/problems.npz") == made


def test_errors_name_the_store(plan: carom.DatasetPlan, memory: Any, tmp_path: Path) -> None:
    url = "memory://bucket/set"
    plan.run_shard(0, url)
    (tmp_path / "other.toml").write_text(PLAN + "[law]\nname = 'plus'\n")
    other = carom.DatasetPlan(tmp_path / "other.toml")
    for work in (other.run, lambda place: other.run_shard(0, place)):
        with pytest.raises(carom.UsageError, match="another plan") as error:
            work(url)
        assert error.value.at == "memory://bucket/set/dataset.json"
    with pytest.raises(carom.InputError, match="memory://bucket/set/data/part-00000.*another plan"):
        other.missing(url)
    memory.pipe_file("/bucket/mine/README.md", b"mine")
    with pytest.raises(carom.UsageError, match="README.md"):
        plan.run("memory://bucket/mine")
    assert memory.cat_file("/bucket/mine/README.md") == b"mine"
    with pytest.raises(carom.UsageError, match="5 files, counted from 0"):
        plan.run_shard(5, url)
    with pytest.raises(carom.UsageError, match="cannot be opened"):
        plan.run("nosuch://bucket/set")
    with pytest.raises(carom.UsageError, match="a plan is a file of this machine"):
        carom.DatasetPlan("memory://bucket/plan.toml")


def test_without_fsspec_one_line_says_how_to_install_it(plan: carom.DatasetPlan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(carom.UsageError, match=r"fsspec is not installed\npip install 'carom\[fsspec\]'"):
        plan.run("s3://bucket/set")
