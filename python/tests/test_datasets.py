"""Data sets: the files of the command line, what pyarrow reads in them, and what users get wrong."""

import json
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import carom
import numpy as np
import pyarrow.parquet as pq
import pytest

SCENE = """
friction = 0.6
[parameters]
width = { value = 1.0, min = 0.1 }
[[walls]]
name = "floor"
normal = [0, 1]
[[bodies]]
name = "block"
mass = 1.0
shapes = [{ box = ["width", 1.0] }]
position = [0, 0.5]
velocity = [0.2, -0.5]
angular_velocity = 0.3
"""
PLAN = """
problem = "block.toml"
samples = 20
states = 13
seed = 5
[parameters]
width = [0.5, 2.0]
[velocity]
block.y = [-1.0, -0.1]
block.theta = -0.25
[files]
rows = 80
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "block.toml").write_text(SCENE)
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path


def content(directory: Path) -> dict[str, bytes]:
    """Every file below a directory, by name, with its bytes."""
    return {str(file.relative_to(directory)): file.read_bytes() for file in directory.rglob("*") if file.is_file()}


def test_the_files_are_those_of_the_command_line(folder: Path) -> None:
    command = [sys.executable, "-m", "carom", "dataset", "plan.toml", "-o", "theirs"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    theirs = content(folder / "theirs")
    assert len(theirs) == 6  # 13 states in fours, dataset.json, the card

    told: list[tuple[int, int]] = []
    description = carom.DatasetPlan(folder / "plan.toml").run(folder / "ours", lambda *files: told.append(files))
    assert content(folder / "ours") == theirs
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert description == json.loads(theirs["dataset.json"])
    assert carom.dataset(str(folder / "plan.toml"), folder / "short") == description
    assert content(folder / "short") == theirs


def test_files_come_in_any_order_and_stay(folder: Path) -> None:
    plan = carom.DatasetPlan(folder / "plan.toml")
    assert (plan.name, plan.states, plan.samples, plan.files) == ("plan", 13, 20, 4)
    last = plan.run_shard(3, folder / "set")
    assert last == folder / "set" / "data" / "part-00003-of-00004.parquet"
    assert plan.missing(folder / "set") == [0, 1, 2]
    made = last.stat().st_mtime_ns
    assert plan.run_shard(3, folder / "set") == last
    carom.dataset(plan, folder / "set")
    assert last.stat().st_mtime_ns == made
    plan.run(folder / "whole")
    assert content(folder / "set") == content(folder / "whole")


def test_pyarrow_reads_rows_of_fixed_length(folder: Path) -> None:
    plan = carom.DatasetPlan(folder / "plan.toml")
    description = plan.run(folder / "set")
    files = sorted((folder / "set" / "data").iterdir())
    tables = [pq.read_table(file) for file in files]
    assert [len(table) for table in tables] == [80, 80, 80, 20]
    assert description["counts"]["rows"] == 260
    schema = tables[0].schema
    quantities = ["state", "sample", "seed", "parameter_width", "velocity_before", "velocity", "impulse"]
    assert schema.names == [*quantities, "mode", "accepted", "status", "steps", "residual", "kinetic_energy"]
    assert schema.field("velocity").type.list_size == schema.field("velocity_before").type.list_size == 3
    assert {str(schema.field(name).type) for name in ("state", "sample", "seed")} == {"int64"}
    assert all(0 <= seed < 2**63 for table in tables for seed in table["seed"].to_pylist())
    assert json.loads(schema.metadata[b"carom"])["dataset"]["mode"] == ["lift", "stick", "slide+", "slide-"]
    assert str(schema.field("velocity").type.value_type) == "double"

    # A state of the data set is the problem with these numbers, sampled with this seed.
    table = tables[1].slice(20, 20)
    row = table.slice(0, 1).to_pylist()[0]
    assert row["state"] == 5 and table["sample"].to_pylist() == list(range(20))
    problem = carom.scene(folder / "block.toml", width=row["parameter_width"]).with_velocity(row["velocity_before"])
    out = carom.sample(problem, samples=20, seed=row["seed"], device="cpu")
    assert np.array_equal(out.velocity, np.array(table["velocity"].to_pylist()))
    assert table["accepted"].to_pylist() == out.accepted.tolist()
    modes = np.array(["lift", "stick", "slide+", "slide-"])[np.array(table["mode"].to_pylist())]
    assert np.array_equal(modes, out.modes)
    assert 0.5 <= row["parameter_width"] <= 2.0 and -1.0 <= row["velocity_before"][1] <= -0.1
    assert row["velocity_before"][0] == 0.2 and row["velocity_before"][2] == -0.25


def test_errors_say_what_and_where(folder: Path) -> None:
    plan = carom.DatasetPlan(folder / "plan.toml")
    with pytest.raises(carom.UsageError, match="4 files, counted from 0"):
        plan.run_shard(4, folder / "set")
    with pytest.raises(carom.UsageError, match="at least 0 .* found -1"):
        plan.run_shard(-1, folder / "set")
    plan.run_shard(1, folder / "set")
    with pytest.raises(carom.UsageError, match="3 of 4 files are missing, the first of them is 0") as missing:
        plan.finish(folder / "set")
    assert missing.value.hint

    (folder / "other.toml").write_text(PLAN.replace("seed = 5", "seed = 6"))
    other = carom.DatasetPlan(folder / "other.toml")
    for work in (other.run, lambda directory: other.run_shard(0, directory)):
        with pytest.raises(carom.UsageError, match="data set of another plan"):
            work(folder / "set")
    with pytest.raises(carom.InputError, match="no file of this data set"):
        other.finish(folder / "set")
    with pytest.raises(carom.InputError, match="does not exist"):
        carom.DatasetPlan(folder / "none.toml")
    (folder / "wrong.toml").write_text(PLAN.replace("samples", "sample"))
    with pytest.raises(carom.InputError, match="sample"):
        carom.DatasetPlan(folder / "wrong.toml")


def test_an_interrupted_run_leaves_whole_files_and_goes_on(folder: Path) -> None:
    plan = folder / "long.toml"
    plan.write_text(PLAN.replace("samples = 20", "samples = 20000").replace("rows = 80", "rows = 20000"))
    # Also where the tests run in the background of a shell, which lets Ctrl-C be ignored.
    hears = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = hears + "import carom, sys; carom.DatasetPlan(sys.argv[1]).run(sys.argv[2], lambda *_: print('file', flush=True))"
    command = [sys.executable, "-c", code, plan, folder / "set"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None and run.stdout.readline() == "file\n"
        run.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in run.communicate(timeout=20)[1]
    left = carom.DatasetPlan(plan).missing(folder / "set")
    assert 0 < len(left) < 13
    carom.dataset(plan, folder / "set")
    carom.dataset(plan, folder / "whole")
    assert content(folder / "set") == content(folder / "whole")


def test_a_plan_goes_to_other_processes(folder: Path) -> None:
    plan = pickle.loads(pickle.dumps(carom.DatasetPlan(folder / "plan.toml")))
    assert plan.fingerprint == carom.DatasetPlan(folder / "plan.toml").fingerprint
    with pytest.raises(carom.InputError, match="docs/files.md"):
        carom.DatasetPlan(folder / "none.toml")
