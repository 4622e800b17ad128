"""Data sets of a simulator's states: rows against those of each state alone, the files of the
command line, and what users get wrong."""

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import carom
import numpy as np
import pyarrow.parquet as pq
import pytest

SAMPLES = 16


def block(count: int) -> dict[str, Any]:
    """States of a block on two corners and at a wall, which not all of them touch."""
    rng = np.random.default_rng(3)
    mass = np.zeros((count, 3, 3))
    mass[:, [0, 1, 2], [0, 1, 2]] = rng.uniform([1, 1, 0.1], [2, 2, 0.3], (count, 3))
    normal = np.tile([[0, 1, -0.5], [0, 1, 0.5], [-1, 0, 0.1]], (count, 1, 1))
    active = rng.random((count, 3)) < 0.7
    active[1] = False
    normal[~active] = np.nan
    return {
        "mass": mass,
        "normal": normal,
        "tangent": np.array([[1, 0, 0.5], [1, 0, 0.5], [0, 1, 0.4]]),
        "friction": rng.uniform(0.2, 0.8, (count, 3)),
        "velocity": rng.uniform([-0.5, -1, -1], [0.5, -0.2, 1], (count, 3)),
        "active": active,
    }


def rows_of(directory: Path) -> dict[int, list[dict[str, Any]]]:
    """The rows of each state."""
    found: dict[int, list[dict[str, Any]]] = {}
    for file in sorted((directory / "data").iterdir()):
        for row in pq.read_table(file).to_pylist():
            found.setdefault(row["state"], []).append(row)
    return found


def content(directory: Path) -> dict[str, bytes]:
    return {str(file.relative_to(directory)): file.read_bytes() for file in directory.rglob("*") if file.is_file()}


def test_rows_are_those_of_each_state_alone(tmp_path: Path) -> None:
    states = block(7)
    plan = carom.DatasetPlan.of_states(**states, samples=SAMPLES, seed=5, rows=2 * SAMPLES, coordinates=["x", "y", "theta"])
    assert (plan.path, plan.states, plan.samples, plan.files) == (None, 7, SAMPLES, 4)
    description = plan.run(tmp_path / "set")
    assert description["problem"]["coordinates"] == ["x", "y", "theta"]
    assert description["counts"]["failed_states"] == 7 - states["active"].any(axis=1).sum()
    found = rows_of(tmp_path / "set")
    assert list(found) == [b for b in range(7) if states["active"][b].any()]
    for b, rows in found.items():
        on = states["active"][b]
        problem = carom.ContactProblem(
            states["mass"][b], states["normal"][b][on], states["tangent"][on], states["friction"][b][on], states["velocity"][b]
        )
        out = carom.sample(problem, SAMPLES, seed=rows[0]["seed"], device="cpu")
        assert np.array_equal(out.velocity, [row["velocity"] for row in rows])
        assert np.array_equal(out.impulse, [row["impulse"] for row in rows])
        assert out.accepted.tolist() == [row["accepted"] for row in rows]
        assert rows[0]["contacts"] == np.flatnonzero(on).tolist()


def test_the_arrays_stay_with_the_set_and_make_it_again(tmp_path: Path) -> None:
    states = block(5)
    plan = carom.DatasetPlan.of_states(**states, samples=SAMPLES, seed=2)
    plan.run(tmp_path / "set")
    kept = np.load(tmp_path / "set" / "problems.npz")
    assert np.array_equal(kept["mass"], states["mass"]) and np.array_equal(kept["active"], states["active"])
    np.savez(tmp_path / "states.npz", **{name: kept[name] for name in kept})
    (tmp_path / "states.toml").write_text(f'problems = "states.npz"\nsamples = {SAMPLES}\nseed = 2\n')
    command = [sys.executable, "-m", "carom", "dataset", "states.toml", "-o", "theirs"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert content(tmp_path / "theirs") == content(tmp_path / "set")


def test_a_plan_of_states_goes_to_other_processes() -> None:
    states = block(4)
    plan = carom.DatasetPlan.of_states(**states, samples=SAMPLES, law="plus")
    assert pickle.loads(pickle.dumps(plan)).fingerprint == plan.fingerprint
    states["velocity"][0] *= 2
    with pytest.raises(carom.UsageError, match="have changed"):
        copy.copy(plan)


def test_errors_of_states_say_what_and_where() -> None:
    states = block(3)

    def refused(error: type[Exception], match: str, **changes: Any) -> None:
        with pytest.raises(error, match=match):
            carom.DatasetPlan.of_states(**{**states, "samples": SAMPLES, **changes})

    refused(carom.InputError, r"mass: expected an array of shape \(3, 3, 3\)", mass=np.zeros((2, 3, 3)))
    refused(carom.InputError, r"velocity\[2\]\[0\].*NaN in state 2", velocity=[[0, -1, 0], [0, -1, 0], [np.nan, 0, 0]])
    refused(carom.InputError, r"normal\[\d\]\[\d\]\[0\]: expected a finite number", active=np.ones((3, 3), dtype=bool))
    refused(carom.InputError, "no contact is active in any state", active=np.zeros((3, 3), dtype=bool))
    refused(carom.InputError, "3 columns of `velocity`|entries", coordinates=["x"])
    refused(carom.UsageError, "below 2\\^53", seed=2**53)
    refused(carom.UsageError, "samples: expected a whole number of at least 1", samples=0)
    refused(carom.InputError, "not positive definite", mass=-np.eye(3))


MODEL = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 1"/>
    <body name="box" pos="0 0 0.499"><freejoint/><geom name="box" type="box" size="0.3 0.2 0.5" mass="1"/></body>
  </worldbody>
</mujoco>
"""


def test_states_of_mujoco_are_the_problems_of_from_mujoco(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    count = 5
    qpos, qvel = np.tile(data.qpos, (count, 1)), np.random.default_rng(1).normal(size=(count, model.nv))
    qvel[:, 2] = -1
    qpos[2, 2] = 3.0  # in the air
    qpos[3, 3:7] = [np.cos(0.02), np.sin(0.02), 0, 0]  # on an edge
    plan = carom.DatasetPlan.of_mujoco(model, qpos, qvel, samples=8, seed=4, name="box")
    description = plan.run(tmp_path / "set")
    assert description["name"] == "box" and description["problem"]["coordinates"][:3] == ["box.x", "box.y", "box.z"]
    found = rows_of(tmp_path / "set")
    assert list(found) == [0, 1, 3, 4]
    lengths = {b: len(rows[0]["mode"]) for b, rows in found.items()}
    assert lengths[0] == 4 and lengths[3] < 4
    for b, rows in found.items():
        data.qpos[:], data.qvel[:] = qpos[b], qvel[b]
        out = carom.sample(carom.from_mujoco(model, data), 8, seed=rows[0]["seed"], device="cpu")
        assert np.array_equal(out.velocity, [row["velocity"] for row in rows])
    with pytest.raises(carom.InputError, match="nothing touches in any state"):
        carom.DatasetPlan.of_mujoco(model, qpos[2:3], qvel[2:3], samples=8)
    with pytest.raises(carom.InputError, match="qvel: 4 states, and 5 of qpos"):
        carom.DatasetPlan.of_mujoco(model, qpos, qvel[:4], samples=8)


def test_the_card_says_where_the_arrays_are(tmp_path: Path) -> None:
    carom.DatasetPlan.of_states(**block(3), samples=4).run(tmp_path)
    assert "problems.npz" in (tmp_path / "README.md").read_text()
    assert json.loads((tmp_path / "dataset.json").read_text())["scene"] is None
