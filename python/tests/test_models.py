"""Samples by a model that was identified from measured impacts."""

from __future__ import annotations

import json
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path

import carom
import numpy as np
import pytest

MODEL = """
friction = [0.2, 0.4]
restitution = [0.1, 0.3]
noise = 0.05

[law]
law = "routh"
process = "events"
"""

RANGES = "mu=0.2..0.4,e=0.1..0.3"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.toml"
    path.write_text(MODEL)
    return path


def test_samples_say_that_they_are_forecasts(model: Path, tmp_path: Path) -> None:
    problem = carom.scene("rocking-block")
    out = carom.sample(problem, 2000, device="cpu", model=model)
    assert out.forecast
    assert out.summary["forecasts"] is True
    assert out.summary["model"] == str(model)
    with pytest.raises(carom.UsageError, match="forecasts"):
        _ = out.modes
    lawful = carom.sample(problem, 2000, device="cpu", model=model, law_only=True)
    assert not lawful.forecast
    by_hand = carom.sample(problem, 2000, device="cpu", law=carom.Routh(process="events"), uncertainty=RANGES)
    assert (lawful.velocity == by_hand.velocity).all()
    assert (out.impulse == lawful.impulse).all()
    assert (out.residual == lawful.residual).all()
    # The noise is the same in all directions of the kinetic metric.
    factor = np.linalg.cholesky(np.asarray(problem.mass)).T
    size = np.linalg.norm(factor @ np.asarray(problem.velocity))
    errors = (out.velocity - lawful.velocity) @ factor.T / size
    deviation = np.sqrt(np.mean(errors**2, axis=0))
    # Relative standard errors are 1 / sqrt(2 N).
    assert np.abs(deviation / 0.05 - 1).max() < 5 / np.sqrt(2 * len(out))
    out.to_parquet(tmp_path / "samples.parquet")
    assert carom.read(tmp_path / "samples.parquet").record["forecasts"] is True
    names = [name.partition(".")[0] for name in out.to_pandas().columns]
    assert "mode" not in names and "impulse" in names
    assert "mode" not in out.to_arrow().column_names


def test_forecasts_are_copied_with_their_model(model: Path) -> None:
    out = carom.sample(carom.scene("rocking-block"), 16, device="cpu", model=model)
    copied = pickle.loads(pickle.dumps(out))
    assert copied.forecast and (copied.velocity == out.velocity).all()
    assert copied.problem.to_json() == out.problem.to_json()


def test_every_way_to_sample_takes_a_model(model: Path) -> None:
    problem = carom.scene("rocking-block")
    out = carom.sample(problem, 64, device="cpu", model=model)
    prepared = carom.Prepared(problem, model=model)
    np.testing.assert_allclose(prepared.sample(64).velocity, out.velocity, atol=1e-9)
    arrays = [np.asarray(rows)[None] for rows in (problem.normal, problem.tangent, problem.friction, problem.velocity)]
    how = {"samples": 64, "seed": [0], "device": "cpu", "model": model}
    batch = carom.sample_batch(np.asarray(problem.mass), *arrays, **how)
    np.testing.assert_allclose(batch.velocity[0], out.velocity, atol=1e-9)


def test_other_numbers_of_contacts_are_warned_of(tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text("events = 9\ncontacts = [[2, 9]]\n" + MODEL)
    other = tmp_path / "other.toml"
    other.write_text("events = 9\ncontacts = [[1, 9]]\n" + MODEL)
    words = r"fitted to events with 1 contact \(9\), and is used with 2 contacts"
    problem = carom.scene("rocking-block")
    rows = [np.asarray(of)[None].repeat(2, 0) for of in (problem.normal, problem.tangent, problem.friction, problem.velocity)]
    states = (np.asarray(problem.mass), *rows)
    event = json.loads(problem.to_json()) | {"measured": [0.0, 0.1, 0.2]}

    def ways(model: Path, active: list[list[bool]]) -> list[Callable[[], object]]:
        plan = tmp_path / f"{model.stem}-plan.toml"
        plan.write_text(f'problem = "rocking-block"\nsamples = 4\nstates = 1\n[law]\nmodel = "{model.name}"\n')
        return [
            lambda: carom.sample(problem, 8, device="cpu", model=model),
            lambda: carom.Prepared(problem, model=model),
            lambda: carom.sample_batch(*states, samples=4, active=active, device="cpu", model=model),
            lambda: carom.DatasetPlan.of_states(*states, samples=4, active=active, model=model),
            lambda: carom.DatasetPlan(plan),
            lambda: carom.reality([event], model=model, samples=8),
        ]

    for way in ways(other, [[True, True], [True, True]]):
        with pytest.warns(carom.CaromWarning, match=words):
            way()
    batch, plan = ways(other, [[True, False], [True, True]])[2:4]
    with pytest.warns(carom.CaromWarning, match=words):
        batch()
    with pytest.warns(carom.CaromWarning, match=r"2 contacts \(1 of 2\)"):
        plan()
    out = carom.sample(problem, 8, device="cpu", model=known)
    assert out.warnings == [] and out.summary["warnings"] == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for way in ways(known, [[True, True], [True, True]])[:5]:
            way()
    with pytest.warns(carom.CaromWarning):
        told = carom.sample(problem, 8, device="cpu", model=other)
    assert "1 contact (9)" in told.warnings[0] and told.summary["warnings"] == told.warnings


def test_a_changed_model_is_read_again(model: Path) -> None:
    problem = carom.scene("rocking-block")
    first = carom.sample(problem, 16, device="cpu", model=model).velocity
    model.write_text(MODEL.replace("0.05", "0.5"))
    assert (carom.sample(problem, 16, device="cpu", model=model).velocity != first).any()


@pytest.mark.parametrize(
    "beside",
    [{"law": carom.Plus()}, {"sampler": "uniform"}, {"restitution": 0.5}, {"uncertainty": RANGES}],
)
def test_a_model_has_its_own_law(model: Path, beside: dict[str, object]) -> None:
    with pytest.raises(carom.UsageError, match="the model has its own law"):
        carom.sample(carom.scene("rocking-block"), 16, model=model, **beside)  # type: ignore[arg-type]


def test_commands_take_a_model(model: Path) -> None:
    path = carom.replay(carom.scene("rocking-block"), 3, model=model)
    assert path["forecasts"] is False
    motion = carom.simulate("bouncing-rod", steps=10, model=model)
    assert json.dumps(motion["forecasts"]) == "false"
