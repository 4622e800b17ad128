"""Measured impacts: events as files and as objects, identification, forecasts, recordings."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import carom
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
BLOCK: dict[str, Any] = {
    "mass": np.diag([1.0, 1.0, 0.2]),
    "normal": np.array([[0.0, 1.0, -0.5], [0.0, 1.0, 0.5]]),
    "tangent": np.array([[1.0, 0.0, 0.5], [1.0, 0.0, 0.5]]),
    "friction": np.array([0.3, 0.3]),
}
SQUARE = """
name = "square"
integrator = "midpoint"
time_step = 0.002
steps = 200
friction = 0.2
restitution = 0.5
law = "routh"
walls = [{ name = "floor", normal = [0, 1] }]
bodies = [{ name = "square", mass = 0.1, shapes = [{ box = [0.06, 0.06] }], position = [0, 0.2], angle = 0.5,
            velocity = [0.6, 0], angular_velocity = 5 }]
"""


def events(count: int) -> list[dict[str, Any]]:
    draw = np.random.default_rng(3)

    def event(i: int) -> dict[str, Any]:
        velocity = np.array([draw.uniform(-0.5, 0.5), draw.uniform(-1.5, -1), draw.uniform(-0.5, 0.5)])
        measured = velocity * [0.7, -0.2, 0.1] + draw.normal(0, 0.02, 3)
        return BLOCK | {"velocity": velocity, "measured": measured, "toss": i, "gap": np.array([0.0, 1e-3 * (i % 3)])}

    return [event(i) for i in range(count)]


def test_events_are_files_dictionaries_or_problems(tmp_path: Path) -> None:
    given = events(8)
    plain = [{key: np.asarray(of).tolist() for key, of in event.items()} for event in given]
    file = tmp_path / "events.json"
    file.write_text(json.dumps({"events": plain}))
    problems = [
        {"problem": carom.ContactProblem(**BLOCK, velocity=event["velocity"])}
        | {key: event[key] for key in ("measured", "toss", "gap")}
        for event in given
    ]
    options: dict[str, Any] = {"samples": 4, "folds": 2, "ingredients": ["numbers"]}
    found = [carom.identify(of, **options) for of in (file, str(file), given, iter(plain), problems)]
    for other in found[1:]:
        assert other["parameters"][0]["value"] == found[0]["parameters"][0]["value"]
        assert other["held_out_score"] == found[0]["held_out_score"]
    assert found[0]["events"] == found[0]["tosses"] == 8
    for parameter in found[0]["parameters"]:
        assert parameter["interval"].shape == (2,)
        low, high = parameter["interval"]
        assert low <= parameter["value"] <= high
    held_out = found[0]["held_out"]
    assert held_out["energy_score_interval"][0] <= held_out["energy_score"] <= held_out["energy_score_interval"][1]


def test_a_model_is_its_file_and_its_keys(tmp_path: Path) -> None:
    given, out = events(8), tmp_path / "model.toml"
    found = carom.identify(given, out, samples=4, folds=2, ingredients="numbers", learn_residual=True)
    assert found["held_out_learned"] is not None and "residual" in found["model"]
    scores = [
        carom.reality(given, model=model, training=given[:5], samples=8, device="cpu")
        for model in (out, found["model"])
    ]
    for report in scores:
        assert [group["contacts"] for group in report["groups"]] == ["2", "multi", "all"]
        assert report["groups"][0]["energy_score_interval"].shape == (2,)
    assert scores[0]["groups"][0]["energy_score"] == scores[1]["groups"][0]["energy_score"]
    assert "friction" in out.read_text()
    bare = carom.reality(given, samples=8, device="cpu")
    assert bare["groups"][0]["energy_score"] != scores[0]["groups"][0]["energy_score"]


def test_a_recording_becomes_events(tmp_path: Path) -> None:
    motion, table = tmp_path / "square.toml", tmp_path / "square.csv"
    motion.write_text(SQUARE)
    carom.simulate(motion, out=table)
    out = tmp_path / "events.json"
    found = carom.extract(motion, table, out, frames=4)
    assert found and found[0]["measured"].shape == (3,) and found[0]["mass"].shape == (3, 3)
    assert len(json.loads(out.read_text())["events"]) == len(found)
    names = table.read_text().split("\n")[0].split(",")
    numbers = np.loadtxt(table, delimiter=",", skiprows=1)
    columns = {name: numbers[:, i] for i, name in enumerate(names) if name in ("time", "square.x", "square.y", "square.theta")}
    again = carom.extract(motion, columns, frames=4)
    assert all(np.array_equal(a["measured"], b["measured"]) for a, b in zip(found, again, strict=True))
    carom.reality(again, samples=4, device="cpu")
    with pytest.raises(carom.InputError, match=re.escape("square.y (3,)")):
        carom.extract(motion, columns | {"square.y": np.zeros(3)})
    with pytest.raises(carom.InputError, match="no column square.theta"):
        carom.extract(motion, {key: of for key, of in columns.items() if key != "square.theta"})


def test_wrong_events_are_refused() -> None:
    given = events(4)
    with pytest.raises(carom.InputError) as refused:
        carom.identify([given[0], given[1] | {"measured": [1.0]}])
    assert refused.value.at is not None and "events[1].measured" in str(refused.value) + refused.value.at
    with pytest.raises(carom.InputError, match="expected a mapping"):
        carom.identify([3])  # type: ignore[list-item]
    with pytest.raises(carom.InputError, match="expected a ContactProblem"):
        carom.reality([{"problem": "rocking-block", "measured": [0, 0, 0]}])
    with pytest.raises(carom.InputError, match="cannot be divided into 5 folds"):
        carom.identify(given, samples=2, folds=5)
    with pytest.raises(carom.UsageError, match="is no ingredient"):
        carom.identify(given, ingredients=["salt"])
    with pytest.raises(carom.InputError):
        carom.reality(given, model={"colour": 3})
    with pytest.raises(carom.InputError):
        carom.identify("absent.json")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_ends_an_identification() -> None:
    code = "import carom; carom.identify('examples/impacts.json', samples=1000, folds=2)"
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in message
