"""Problems, samples, questions, batches, commands: shapes, reproducibility, derivatives, errors."""

import copy
import json
import multiprocessing
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import carom
import numpy as np
import pytest

GOLDEN = Path(__file__).parents[2] / "tests" / "golden"
BLOCK: dict[str, Any] = {
    "mass": np.diag([1.0, 1.0, 5.0 / 12.0]),
    "normal": np.array([[0.0, 1.0, -0.5], [0.0, 1.0, 0.5]]),
    "tangent": np.array([[1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]),
    "friction": 1.0,
    "velocity": np.array([0.0, -0.44, 0.0]),
}


class Foreign:
    """An array of another library: all that it has is DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array, dtype=float)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def batch_of(problem: carom.ContactProblem, before: Any, **options: Any) -> carom.Batch:
    each = len(before)
    rows = [np.repeat(jacobian[None], each, axis=0) for jacobian in (problem.normal, problem.tangent)]
    return carom.sample_batch(problem.mass, *rows, problem.friction, before, device="cpu", **options)


def test_a_problem_is_its_numbers() -> None:
    problem = carom.ContactProblem(**BLOCK, coordinates=["x", "y", "turn"], contacts=["l", "r"], restitution=[0.1, 0.2])
    jacobian = np.vstack([BLOCK["normal"], BLOCK["tangent"]])
    assert np.array_equal(problem.mass, BLOCK["mass"]) and np.array_equal(problem.velocity, BLOCK["velocity"])
    assert np.array_equal(np.vstack([problem.normal, problem.tangent]), jacobian)
    assert np.allclose(problem.delassus, jacobian @ np.linalg.solve(BLOCK["mass"], jacobian.T), rtol=1e-14)
    assert problem.friction.tolist() == [1.0, 1.0] and problem.restitution is not None
    assert problem.restitution.tolist() == [0.1, 0.2]
    assert problem.coordinates == ["x", "y", "turn"] and problem.contacts == ["l", "r"]
    assert problem.kinetic_energy([1.0, 2.0, 3.0]) == pytest.approx(0.5 * (1 + 4 + 9 * 5 / 12), rel=1e-14)
    assert problem.with_velocity([1, 2, 3]).velocity.tolist() == [1.0, 2.0, 3.0]
    again = carom.ContactProblem.from_json(problem.to_json())
    assert again.to_json() == problem.to_json()
    foreign = {key: value if np.ndim(value) == 0 else Foreign(value) for key, value in BLOCK.items()}
    assert carom.ContactProblem(**foreign).to_json() == carom.ContactProblem(**BLOCK).to_json()
    assert carom.scene("billiard-break", theta=90).to_json() != carom.scene("billiard-break", theta=60).to_json()


def test_samples_have_shapes_and_types() -> None:
    out = carom.sample(carom.scene("cube-on-edge"), samples=50, seed=3)
    n, m = 6, 2
    shapes = {"velocity": (50, n), "contact_velocity": (50, 3 * m), "impulse": (50, 3 * m), "kinetic_energy": (50,)}
    for name, shape in shapes.items():
        array = getattr(out, name)
        assert array.shape == shape and array.dtype == np.float64 and array.flags.c_contiguous, name
    kinds = {"steps": np.uint32, "status": np.uint8, "repaired": np.bool_, "accepted": np.bool_, "residual": np.float64}
    for name, kind in kinds.items():
        assert getattr(out, name).shape == (50,) and getattr(out, name).dtype == kind, name
    assert len(out) == 50 and out.modes.shape == (50, m) and set(out.modes.flat) <= {"lift", "stick", "slide"}
    problem = out.problem
    jacobian = np.vstack([problem.normal, problem.tangent])
    assert np.allclose(out.contact_velocity, out.velocity @ jacobian.T, atol=1e-12)
    change = np.linalg.solve(problem.mass, jacobian.T @ out.impulse.T).T
    assert np.allclose(out.velocity, problem.velocity + change, atol=1e-9)
    assert np.allclose(out.kinetic_energy, [problem.kinetic_energy(v) for v in out.velocity], rtol=1e-12)
    assert out.summary["samples"] == 50 and out.summary["accepted"] == out.accepted.sum()


@pytest.mark.parametrize("name", ["rocking-block", "quadruped-trot"])
def test_the_same_seed_gives_the_bits_of_the_command_line(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "carom", "sample", name, "--samples", "300", "--seed", "7", "--device", "cpu"]
    subprocess.run([*command, "--out", "theirs.npz"], cwd=tmp_path, check=True, capture_output=True)
    theirs = np.load(tmp_path / "theirs.npz")
    out = carom.sample(carom.scene(name), samples=300, seed=7, device="cpu")
    for key in ("velocity", "impulse", "steps", "status", "kinetic_energy"):
        assert np.array_equal(getattr(out, key), theirs[key]), key
    assert np.array_equal(out.residual.astype(np.float32), theirs["residual"])
    assert not np.array_equal(carom.sample(carom.scene(name), 300, 8, device="cpu").velocity, out.velocity)
    for file in ("ours.npz", "ours.parquet"):
        out.to_parquet(tmp_path / file)
        saved = carom.read(tmp_path / file)
        assert np.array_equal(saved.velocity, out.velocity[out.accepted]) and saved.record["seed"] == 7


def test_a_prepared_problem_gives_the_samples_of_sample() -> None:
    problem = carom.scene("compass-gait")
    prepared = carom.Prepared(problem, seed=5)
    before = problem.velocity * 1.5
    prepared.set_velocity(before)
    part = prepared.sample(30, first=20)
    out = carom.sample(problem.with_velocity(before), 50, seed=5, device="cpu")
    assert np.allclose(part.velocity, out.velocity[20:], rtol=0, atol=1e-12)
    assert np.allclose(part.impulse, out.impulse[20:], rtol=0, atol=1e-12)
    assert np.array_equal(part.status, out.status[20:]) and part.residual.shape == (30,)


def test_a_state_does_not_depend_on_its_batch() -> None:
    problem = carom.scene("rocking-block")
    random = np.random.default_rng(0)
    before = problem.velocity + random.uniform(-0.2, 0.2, (12, 3))
    batch = batch_of(problem, before, samples=40, seed=9)
    assert batch.velocity.shape == (12, 40, 3) and batch.impulse.shape == (12, 40, 4)
    assert batch.status.dtype == np.uint8 and batch.steps.dtype == np.uint32 and batch.residual.shape == (12, 40)
    order = random.permutation(12)
    shuffled = batch_of(problem, before[order], samples=40, seed=batch.seed[order])
    assert np.array_equal(shuffled.velocity, batch.velocity[order])
    assert len(set(batch.seed.tolist())) == 12 and batch.seed.dtype == np.int64
    for b in (0, 7):
        alone = carom.sample(problem.with_velocity(before[b]), 40, seed=int(batch.seed[b]), device="cpu")
        assert np.allclose(batch.velocity[b], alone.velocity, rtol=0, atol=1e-12)
        assert np.allclose(batch.kinetic_energy[b], alone.kinetic_energy, rtol=0, atol=1e-12)


def test_a_mask_is_a_list_of_fewer_contacts() -> None:
    problem = carom.scene("rocking-block")
    before = np.tile(problem.velocity, (3, 1))
    active = np.array([[True, True], [False, True], [True, False]])
    masked = batch_of(problem, before, samples=20, active=active)
    chosen = [np.flatnonzero(row) for row in active]
    normal, tangent = [problem.normal[i] for i in chosen], [problem.tangent[i] for i in chosen]
    listed = carom.sample_batch(problem.mass, normal, tangent, 1.0, before, samples=20, device="cpu")
    assert np.array_equal(masked.velocity, listed.velocity)
    assert (masked.impulse[1][:, [0, 2]] == 0).all() and (masked.impulse[2][:, [1, 3]] == 0).all()
    assert np.array_equal(masked.impulse[1][:, [1, 3]], listed.impulse[1][:, [0, 2]])
    # One corner that sticks without restitution stops; nothing else is possible.
    assert np.allclose(masked.velocity[1] @ problem.normal[1], 0, atol=1e-12)
    assert np.allclose(masked.velocity[1] @ problem.tangent[1], 0, atol=1e-12)


def test_arrays_go_out_without_a_copy() -> None:
    out = carom.sample(carom.scene("rocking-block"), 10)
    assert np.shares_memory(np.from_dlpack(out.velocity), out.velocity)
    assert out.support(Foreign([0, 0, 1]))["value"] == out.support([0, 0, 1])["value"]


def test_questions_are_answered_by_the_samples() -> None:
    out = carom.sample(carom.scene("box-and-wall"), 500, seed=2)
    kept, mass = out.velocity[out.accepted], out.problem.mass
    direction = np.array([0.3, -1.0, 0.5])
    answer = out.support(direction)
    named = dict(zip(out.problem.coordinates, direction, strict=True))
    assert out.support(named)["value"] == answer["value"]
    assert answer["value"] == pytest.approx((kept @ direction).max(), rel=1e-12)
    assert np.array_equal(answer["velocity"], out.velocity[answer["sample"]])
    worst = out.worst("(box.theta - 1)^2 + abs(box.x)")
    assert worst["value"] == pytest.approx(((kept[:, 2] - 1) ** 2 + np.abs(kept[:, 0])).max(), rel=1e-12)
    low, high = out.extents()
    assert np.array_equal(low, kept.min(axis=0)) and np.array_equal(high, kept.max(axis=0))
    point = np.array([0.5, 0.0, 0.0])
    length = np.sqrt(out.problem.velocity @ mass @ out.problem.velocity)
    gaps = np.sqrt(np.einsum("ni,ij,nj->n", kept - point, mass, kept - point)) / length
    distance = out.distance(point)
    assert distance["nearest"]["distance"] == pytest.approx(gaps.min(), rel=1e-9)
    assert distance["hull"]["distance"] <= distance["nearest"]["distance"]
    assert out.contains(kept[3], eps=1e-6) and not out.contains(point, eps=0.1)
    chosen = out.representatives(5)
    assert len(chosen["samples"]) == 5 and chosen["velocities"].shape == (5, 3)
    shares = {tuple(mode["contacts"]): mode["share"] for mode in out.mode_shares() if mode["count"]}
    modes, counts = np.unique(out.modes[out.accepted], axis=0, return_counts=True)
    assert shares == pytest.approx({tuple(map(str, m)): c / len(kept) for m, c in zip(modes, counts, strict=True)})
    bounds = {bound["kind"]: bound["value"] for bound in out.bound(direction)["bounds"]}
    assert set(bounds) == {"exact", "certified", "conic"} and min(bounds.values()) >= answer["value"] - 1e-6
    assert out.bound(direction, kind="conic")["bounds"][0]["value"] == bounds["conic"]
    soon = out.bound(direction, kind="certified", within=1e-3)["bounds"][0]
    assert soon["certified"] and soon["value"] >= bounds["certified"]
    assert out.plot(axes=["box.x,box.theta"]).svg.startswith("<svg")
    assert [part["count"] for part in out.clusters(gap=1.0)["clusters"]] == [len(kept)]
    # The box keeps to the floor whatever the order.
    kept_by_all = out.invariants()["invariants"][0]["direction"]
    assert np.allclose(np.cross(kept_by_all, out.problem.normal[0]), 0, atol=1e-9)


@pytest.mark.parametrize("step", [0.2, None])
@pytest.mark.parametrize("wrt", ["velocity", "friction", "restitution"])
def test_derivatives_are_those_of_finite_differences(wrt: str, step: float | None) -> None:
    """Also where the step follows the velocity, as it does by default."""
    problem = carom.scene("rocking-block")
    before, mu, e = np.array([0.3, -0.44, 0.07]), np.array([0.15, 0.2]), np.array([0.3, 0.5])
    bounces = e if wrt == "restitution" else None

    def at(change: np.ndarray) -> carom.Samples:
        numbers = {"velocity": before, "friction": mu, "restitution": bounces}
        given = [numbers[name] if name != wrt else numbers[name] + change for name in ("friction", "velocity", "restitution")]
        moved = carom.ContactProblem(problem.mass, problem.normal, problem.tangent, *given)
        return carom.sample(moved, 200, seed=4, device="cpu", law=carom.Routh(step=step))

    columns = 3 if wrt == "velocity" else 2
    here = at(np.zeros(columns))
    jacobian, smooth = here.jacobian(wrt), here.differentiable(wrt)
    assert jacobian.shape == (200, 3, columns)
    assert smooth.sum() > 150 and np.array_equal(smooth, ~np.isnan(jacobian).any(axis=(1, 2)))
    h = 1e-7
    for p, unit in enumerate(h * np.eye(columns)):
        measured = (at(unit).velocity - at(-unit).velocity) / (2 * h)
        assert np.abs(measured - jacobian[:, :, p])[smooth].max() < 1e-6
    branches = here.jacobian(wrt, kinks="branch")
    assert np.isfinite(branches).all() and np.array_equal(branches[smooth], jacobian[smooth])


def test_derivatives_of_a_robot_are_those_of_finite_differences() -> None:
    """In space, where the length of blocks follows the velocity of each sample."""
    problem = carom.scene("quadruped-trot")
    law = carom.Routh(accuracy=1e-6)
    out = carom.sample(problem, 8, seed=3, device="cpu", law=law)
    jacobian, smooth = out.jacobian(), out.differentiable()
    assert smooth.sum() >= 5
    random, h = np.random.default_rng(2), 1e-4
    for _ in range(3):
        change = random.normal(size=len(problem.velocity))
        change *= np.sqrt(problem.kinetic_energy(problem.velocity) / problem.kinetic_energy(change))
        ends = [carom.sample(problem.with_velocity(problem.velocity + by * change), 8, seed=3, device="cpu", law=law) for by in (h, -h)]
        measured = (ends[0].velocity - ends[1].velocity) / (2 * h)
        size = np.abs(measured).max()
        assert np.abs(measured - jacobian @ change)[smooth].max() < 0.02 * size


def test_derivatives_of_the_velocity_and_the_step_give_the_outcome_back() -> None:
    # Outcomes are homogeneous of degree one in the velocity, which the step follows: Euler's theorem.
    out = carom.sample(carom.scene("box-and-wall"), 200, seed=1, device="cpu")
    held, by_step = out.jacobian(hold_step=True), out.jacobian("step")
    again = held @ out.problem.velocity + by_step[:, :, 0] * out.summary["step"]
    smooth = ~np.isnan(again).any(axis=1)
    assert smooth.sum() > 100 and np.abs(again - out.velocity)[smooth].max() < 1e-12
    total = out.jacobian()
    again = total @ out.problem.velocity
    smooth = ~np.isnan(again).any(axis=1)
    assert smooth.sum() > 50 and np.abs(again - out.velocity)[smooth].max() < 1e-12
    assert np.array_equal(out.jacobian(first=190, count=99), total[190:], equal_nan=True)
    assert out.jacobian("mu", count=3).shape == (3, 3, 2)


def test_derivatives_along_a_direction_are_one_sided() -> None:
    """Disks that touch at rest: outcomes have kinks, and derivatives along directions nevertheless."""
    problem = carom.scene("disk-stack")
    out = carom.sample(problem, 60, seed=1, device="cpu")
    random = np.random.default_rng(5)
    for _ in range(3):
        direction = random.normal(size=9)
        found = out.jvp(direction)
        assert np.isfinite(found).all(axis=1).sum() > 20
        for h in (1e-6, 3e-7):
            moved = carom.sample(problem.with_velocity(problem.velocity + h * direction), 60, seed=1, device="cpu")
            measured = (moved.velocity - out.velocity) / h
            known = np.isfinite(found).all(axis=1)
            assert np.median(np.abs(measured - found)[known].max(axis=1)) < 1e-4
    block = carom.sample(carom.scene("box-and-wall"), 50, seed=1, device="cpu")
    smooth = block.differentiable()
    assert np.allclose(block.jvp({"theta": 2.0})[smooth], 2.0 * block.jacobian()[smooth][:, :, 2], atol=1e-9)


def test_a_batch_has_the_derivatives_of_its_states() -> None:
    problem = carom.scene("rocking-block")
    before = problem.velocity + np.random.default_rng(3).uniform(-0.2, 0.2, (5, 3))
    batch = batch_of(problem, before, samples=30, seed=2)
    jacobian, smooth = batch.jacobian(), batch.differentiable()
    assert jacobian.shape == (5, 30, 3, 3) and smooth.shape == (5, 30)
    for b in range(5):
        alone = carom.sample(problem.with_velocity(before[b]), 30, seed=int(batch.seed[b]), device="cpu")
        assert np.array_equal(alone.jacobian(), jacobian[b], equal_nan=True)
    assert batch.jacobian("friction", kinks="branch").shape == (5, 30, 3, 2)
    one = batch_of(problem, before[:2], samples=4, active=np.array([[True, True], [False, True]]))
    assert (one.jacobian("friction", kinks="branch")[1, :, :, 0] == 0).all()


def test_golden_numbers_of_other_programs() -> None:
    # The support of the set lies between a lower bound and a box: an independent sampler.
    golden = json.loads((GOLDEN / "halm_posa_expected.json").read_text())["rocking_block"]
    out = carom.sample(carom.scene("rocking-block"), 10000, device="cpu", law=carom.Routh(process="steps"))
    supports = (out.contact_velocity[out.accepted] @ np.array(golden["support_directions"]).T).max(axis=0)
    assert (supports >= golden["tolerance"]["support_lower_bound_at_10000_samples"]).all()
    low, high = golden["tolerance"]["u_outer_box"]
    assert (out.contact_velocity >= low).all() and (out.contact_velocity <= high).all()

    # Every minimal sequence of reflections: brute force.
    cases = json.loads((GOLDEN / "propagative.json").read_text())["cases"]
    case = next(case for case in cases if case["inputs"]["name"] == "P2_cradle_equal_rest")
    given, expected = case["inputs"], case["expected"]["minimal"]
    velocity = np.linalg.solve(given["M"], given["p_minus"])
    cradle = carom.ContactProblem(given["M"], given["N"], None, None, velocity)
    found = carom.resolve(cradle, "propagative", sequences="minimal")["solutions"]
    found = [solution for solution in found if solution["details"]["kind"] == "minimal"]
    assert [solution["sequence"].tolist() for solution in found] == [solution["seq"] for solution in expected]
    momenta = [np.array(given["M"]) @ solution["velocity"] for solution in found]
    assert np.allclose(momenta, [solution["p_plus"] for solution in expected], atol=1e-12)


def test_commands_return_arrays() -> None:
    problem = carom.ContactProblem(**BLOCK)
    solutions = carom.resolve(problem, "sequential", order=[1, 0])["solutions"]
    assert solutions[0]["velocity"].shape == (3,) and solutions[0]["sequence"][0] == 1
    path = carom.replay(problem, 4, seed=6, device="cpu")
    out = carom.sample(problem, 5, seed=6, device="cpu")
    assert np.allclose(path["velocity"], out.velocity[4], rtol=0, atol=1e-12)
    assert np.allclose(sum(piece["impulse"] for piece in path["path"]), out.impulse[4], atol=1e-12)
    polytopes = carom.exact_set(problem)["polytopes"]
    assert len(polytopes) == 2 and all(polytope["vertices"].shape[1] == 3 for polytope in polytopes)
    laws = {outcome["law"] for outcome in carom.compare(problem, samples=500)["outcomes"]}
    assert {"sequential", "anitescu-potra"} <= laws
    assert "schema_version" in carom.guarantee(problem)
    assert carom.simulate("cube", steps=20)["steps"] == 20
    assert "rocking-block" in {scene["name"] for scene in carom.scenes()}


@pytest.mark.parametrize("law", [carom.Sequential(), carom.Propagative(), carom.Routh(sampler="sobol"), carom.Plus()])
def test_laws_are_sampled(law: carom.Law) -> None:
    out = carom.sample(carom.scene("rocking-block"), 64, law=law, device="cpu")
    assert out.summary["law"] == law.name and out.accepted.all()
    assert (out.contact_velocity[:, :2] >= -1e-7).all()


BAD: list[tuple[Any, type[carom.Error], str]] = [
    (lambda p: carom.ContactProblem(**{**BLOCK, "mass": np.eye(2)}), carom.InputError, r"mass: .*found \(2, 2\)"),
    (lambda p: carom.ContactProblem(**{**BLOCK, "mass": -np.eye(3)}), carom.InputError, "not positive definite"),
    (lambda p: carom.ContactProblem(**{**BLOCK, "velocity": [0, np.nan, 0]}), carom.InputError, r"velocity\[1\]"),
    (lambda p: carom.ContactProblem(**{**BLOCK, "friction": "rough"}), carom.InputError, "friction: expected numbers"),
    (lambda p: carom.ContactProblem(**{**BLOCK, "friction": [1, 1, 1]}), carom.InputError, "friction: .*found"),
    (lambda p: carom.scene("rocking-blok"), carom.InputError, "did you mean `rocking-block`"),
    (lambda p: carom.scene("billiard-break", thet=9), carom.UsageError, "thet"),
    (lambda p: carom.scene("billiard-break", theta="wide"), carom.InputError, "theta: expected numbers"),
    (lambda p: carom.sample("rocking-block"), carom.UsageError, "expected a ContactProblem"),
    (lambda p: carom.sample(p, 0), carom.UsageError, "samples: expected a whole number"),
    (lambda p: carom.sample(p, 10**15), carom.UsageError, "GB of memory"),
    (lambda p: carom.sample(p, 9, law="lemke"), carom.UsageError, "expected one of routh, sequential, propagative, plus"),
    (lambda p: carom.sample(p, 9, law=3), carom.UsageError, r"carom.Routh\(\)"),
    (lambda p: carom.sample(p, 9, device="cuda"), carom.UsageError, 'device="gpu"'),
    (lambda p: carom.sample(p, 9, restitution=[0.1, 0.2, 0.3]), carom.InputError, "restitution: .*found"),
    (lambda p: carom.sample(p, 9, restitution="e"), carom.InputError, "restitution: expected numbers"),
    (lambda p: carom.sample(p, 9, seed=np.arange(100)), carom.UsageError, "found an array of int64 of shape"),
    (lambda p: carom.sample(p, 9, rng=3), carom.UsageError, "numpy.random.Generator"),
    (lambda p: carom.sample(p, 9, seed=1, rng=np.random.default_rng(1)), carom.UsageError, "either a seed or"),
    (lambda p: batch_of(p, p.velocity[None], seed=[1, 2]), carom.InputError, "seed: expected 1 whole numbers"),
    (lambda p: batch_of(p, p.velocity[None], seed=[-1]), carom.InputError, "below 2.63"),
    (lambda p: carom.sample(p, 9).jacobian(kinks="no"), carom.UsageError, '"nan" or "branch"'),
    (lambda p: carom.sample(p, 9).jacobian("friction", hold_step=True), carom.UsageError, "held anyway"),
    (lambda p: carom.sample(p, 9).jvp([1.0]), carom.InputError, "direction"),
    (lambda p: carom.sample(p, 9).jvp({"speed": 1}), carom.UsageError, "no coordinate is called `speed`"),
    (lambda p: carom.sample(p, 9).worst(lambda v: 1.0), carom.InputError, "cost: expected an array"),
    (lambda p: carom.sample(p, 9, law=carom.Plus(), sampler="sobol"), carom.UsageError, "own sampler"),
    (lambda p: carom.sample(p, 9, precision="f16"), carom.UsageError, "f16"),
    (lambda p: carom.sample(p, 9, device="no such thing"), carom.DeviceError, "no such thing"),
    (lambda p: carom.sample(p, 9).jacobian("mass"), carom.UsageError, "velocity, friction"),
    (lambda p: carom.sample(p, 9).jacobian(first=10), carom.UsageError, "none from 10"),
    (lambda p: carom.sample(p, 9).support([1, 2]), carom.InputError, r"direction: .*\(3\), found \(2,\)"),
    (lambda p: carom.sample(p, 9).support({"speed": 1}), carom.UsageError, "no coordinate is called `speed`"),
    (lambda p: carom.sample(p, 9).distance({"theta": "fast"}), carom.InputError, "velocity: expected numbers"),
    (lambda p: carom.sample(p, 9).worst("speed"), carom.UsageError, "no coordinate is called `speed`"),
    (lambda p: carom.sample(p, 9).plot("set.bmp"), carom.UsageError, "svg"),
    (lambda p: carom.resolve(p, "sequential", strat=1), carom.UsageError, r"`strat` found(?s:.*)`start`"),
    (lambda p: carom.Prepared(p).set_velocity([1]), carom.InputError, "velocity"),
    (lambda p: carom.read("none.npz"), carom.InputError, "none.npz"),
    (lambda p: batch_of(p, p.velocity[None], active=[[False, False]]), carom.InputError, "no contact is active"),
    (lambda p: batch_of(p, p.velocity[None], active=[[1, 1]]), carom.InputError, "active: expected booleans"),
    (lambda p: batch_of(p, p.velocity[None], restitution="e"), carom.InputError, "restitution: expected numbers"),
    (lambda p: batch_of(p, [[0, np.nan, 0]]), carom.InputError, "state 0"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[message for *_, message in BAD])
def test_bad_input_is_one_clear_error(call: Any, error: type[carom.Error], message: str) -> None:
    with pytest.raises(error, match=message):
        call(carom.scene("rocking-block"))


HEARS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""Ctrl-C ends a process of Python, also where the tests run in the background of a shell, which lets it be ignored."""


def test_ctrl_c_ends_a_long_run() -> None:
    code = HEARS + "import carom; p = carom.scene('quadruped-trot'); print('go', flush=True); carom.sample(p, 1_000_000)"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None and run.stdout.readline() == "go\n"
        time.sleep(1.0)
        assert run.poll() is None
        run.send_signal(signal.SIGINT)
        start = time.monotonic()
        assert "KeyboardInterrupt" in run.communicate(timeout=30)[1]
        assert time.monotonic() - start < 2.0


def test_other_threads_run_while_it_samples() -> None:
    problem = carom.scene("rocking-block")
    counted, stop = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    start, before = time.monotonic(), counted
    carom.sample(problem, 200_000, device="cpu")
    taken, during = time.monotonic() - start, counted - before
    stop.set()
    thread.join()
    assert during > 20 * taken, f"{during} counts in {taken} s"


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_other_processes_sample_too(start: str) -> None:
    """A forked process has no threads of its parent's, which has sampled before."""
    states = {**BLOCK, "normal": BLOCK["normal"][None], "tangent": BLOCK["tangent"][None], "velocity": BLOCK["velocity"][None]}
    expected = carom.sample_batch(**states, samples=5000).velocity
    with ProcessPoolExecutor(1, multiprocessing.get_context(start)) as pool:
        found = pool.submit(carom.sample_batch, **states, samples=5000).result(timeout=30)
    assert (found.velocity == expected).all()


def test_threads_share_a_problem() -> None:
    problem = carom.scene("compass-gait")

    def work(seed: int) -> tuple[Any, ...]:
        out = carom.sample(problem, 3000, seed=seed)
        listed = carom.resolve(problem, "sequential")["solutions"][0]["velocity"]
        return out.velocity, listed, out.support([1, 0, 0, 0])["value"]

    alone = [work(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for expected, found in zip(alone, pool.map(work, range(8)), strict=True):
            assert (expected[0] == found[0]).all() and (expected[1] == found[1]).all() and expected[2] == found[2]


def test_problems_can_be_copied_and_pickled() -> None:
    problem = carom.scene("cube-on-edge")
    for other in (copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert (other.mass == problem.mass).all() and other.coordinates == problem.coordinates
        assert (carom.sample(other, 100).velocity == carom.sample(problem, 100).velocity).all()


def test_a_batch_of_lists_has_coefficients_of_each_state() -> None:
    one = {key: BLOCK[key] for key in ("normal", "tangent")}
    batch = carom.sample_batch(
        BLOCK["mass"],
        [one["normal"], one["normal"][:1]],
        [one["tangent"], one["tangent"][:1]],
        [[1.0, 0.5], [0.3]],
        [BLOCK["velocity"]] * 2,
        restitution=[[0.2, 0.1], np.array([0.4])],
        samples=8,
    )
    alone = carom.ContactProblem(
        BLOCK["mass"], one["normal"][:1], one["tangent"][:1], [0.3], BLOCK["velocity"], [0.4]
    )
    assert np.abs(batch.velocity[1] - carom.sample(alone, 8).velocity).max() < 1e-12


def test_a_refused_velocity_leaves_the_last_one() -> None:
    prepared = carom.Prepared(carom.ContactProblem(**BLOCK), seed=1)
    prepared.set_velocity([0, -1, 0])
    expected = prepared.sample(50).velocity
    for bad in ([0, -1e200, 0], [0, np.nan, 0]):
        with pytest.raises(carom.InputError):
            prepared.set_velocity(bad)
        assert (prepared.sample(50).velocity == expected).all()
    with pytest.raises(carom.UsageError, match="first"):
        prepared.sample(3, first=2**64 - 2)


def test_status_codes_have_the_names_of_files(tmp_path: Path) -> None:
    file = tmp_path / "set.npz"
    carom.sample(carom.ContactProblem(**BLOCK), 10).to_parquet(file)
    assert json.loads(bytes(np.load(file)["meta"]))["status"] == list(carom.STATUS)


class OnAnotherDevice(Foreign):
    """An array that NumPy cannot reach."""

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("the array is on another device")


def test_what_is_no_array_of_numbers_is_refused_with_its_name() -> None:
    for bad in ([0, -1j, 0], ["0", "-1", "0"], [0, None, 0], [[0, -1], [0]], OnAnotherDevice([0, -1, 0])):
        with pytest.raises(carom.InputError, match=r"^velocity(\[1\])?: expected"):
            carom.ContactProblem(**{**BLOCK, "velocity": bad})
    for key, bad in (("coordinates", "abc"), ("contacts", ["left", 1]), ("units", [None, None, None])):
        with pytest.raises(carom.InputError, match=f"^{key}: expected a list of words"):
            carom.ContactProblem(**BLOCK, **{key: bad})
    with pytest.raises(carom.Error):
        carom.ContactProblem(**BLOCK, uncertainty={"friction": {0.1, 0.2}})
    assert carom.ContactProblem(**BLOCK, name=None).name == "None"  # type: ignore[arg-type]


def test_the_arrays_of_a_problem_do_not_change() -> None:
    problem = carom.ContactProblem(**BLOCK, restitution=0.5)
    for key in ("mass", "normal", "tangent", "delassus", "friction", "restitution", "velocity"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(problem, key)[0] = 1.0


def test_ranges_are_text_or_a_mapping() -> None:
    problem = carom.ContactProblem(**BLOCK)
    text = carom.sample(problem, 20, uncertainty="mu=0.1..0.3,noise=0.01")
    assert (carom.sample(problem, 20, uncertainty={"friction": [0.1, 0.3], "noise": 0.01}).velocity == text.velocity).all()
    for bad in ({"friction": [0.1, 0.2, 0.3]}, {"nonsense": 1.0}, 0.1):
        with pytest.raises(carom.UsageError, match="expected|nonsense"):
            carom.sample(problem, 20, uncertainty=bad)  # type: ignore[arg-type]


def test_motions_are_listed_and_batches_compared() -> None:
    assert {"cube", "ellipsoid"} <= {motion["name"] for motion in carom.motions()}
    batch = carom.sample_batch(*(np.asarray(BLOCK[key])[None] for key in ("mass", "normal", "tangent")), 1.0, [BLOCK["velocity"]])
    assert batch == batch


@pytest.mark.parametrize("law", [carom.Sequential(), carom.Routh(step=0.43301270189221924)])
def test_a_derivative_is_that_of_every_direction(law: carom.Law) -> None:
    # Disks that touch at rest: many samples jump under one velocity and under no other.
    problem = carom.scene("disk-stack")
    out = carom.sample(problem, 300, seed=1, law=law, device="cpu")
    jacobian = out.jacobian()
    smooth = np.isfinite(jacobian).all(axis=(1, 2))
    for axis in range(9):
        for by in (1e-7, -1e-7):
            moved = carom.sample(problem.with_velocity(problem.velocity + by * np.eye(9)[axis]), 300, seed=1, law=law, device="cpu")
            expected = out.velocity + by * np.nan_to_num(jacobian[:, :, axis])
            assert np.abs(moved.velocity - expected)[smooth].max(initial=0.0) < 1e-8, (axis, by)


def test_a_proof_is_one_of_the_set_that_is_asked() -> None:
    problem = carom.scene("rocking-block")
    out = carom.sample(problem, 300, seed=1, device="cpu")
    proof = out.bound([0, 0, 1])
    support = out.support([0, 0, 1])
    assert proof["sampled"] == {"value": support["value"], "sample": support["sample"]} and proof["before"] == 0.0
    assert {bound["kind"] for bound in proof["bounds"]} >= {"exact", "certified"}
    assert all(bound["value"] >= support["value"] - 1e-9 for bound in proof["bounds"])
    smallest = min(bound["value"] for bound in proof["bounds"])
    assert proof["strongest"] in {"exact", "certified"} and abs(proof["gap"] - (smallest - support["value"])) < 1e-9
    wide = carom.sample(problem, 300, uncertainty="mu=0.1..0.9")
    kinds = {bound["kind"]: bound["value"] for bound in wide.bound([0, 0, 1])["bounds"]}
    assert set(kinds) == {"certified", "conic"} and min(kinds.values()) >= wide.support([0, 0, 1])["value"] - 1e-9
    for other in (
        carom.sample(problem, 30, uncertainty="noise=0.1"),
        carom.sample(problem, 30, law=carom.Propagative()),
        carom.sample(problem, 30, law=carom.Plus(), uncertainty="e=0.1..0.9"),
        carom.sample(carom.scene("cube-on-edge"), 30, law=carom.Routh(facets=8), device="cpu"),
    ):
        with pytest.raises(carom.UsageError, match="^proofs hold for"):
            other.bound(np.eye(len(other.problem.coordinates))[0])
    for law in (carom.Sequential(), carom.Routh(process="steps")):
        # What the command line says of them: the conic bound alone holds.
        of_law = carom.sample(problem, 300, law=law)
        [conic] = of_law.bound([0, 0, 1])["bounds"]
        assert conic["kind"] == "conic" and of_law.support([0, 0, 1])["value"] <= conic["value"]
        with pytest.raises(carom.UsageError, match="^proofs of the kind `certified` hold for"):
            of_law.bound([0, 0, 1], kind="certified")
    with pytest.raises(carom.UsageError, match="either a direction or a cost"):
        out.bound()
    poisson = carom.sample(problem, 300, restitution=0.5, law=carom.Routh(hypothesis="poisson"))
    [exact] = poisson.bound([0, 1, 0])["bounds"]
    assert exact["kind"] == "exact" and exact["value"] >= poisson.support([0, 1, 0])["value"] - 1e-9
    found = carom.exact_set(problem, restitution=0.5, hypothesis="poisson", unchecked=True)
    assert found["tight"] and abs(found["velocity"]["max"][1] - exact["value"]) < 1e-9


def test_one_prepared_problem_serves_several_threads() -> None:
    prepared = carom.Prepared(carom.scene("compass-gait"), seed=1)
    alone = prepared.sample(20_000)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: prepared.sample(20_000), range(8)):
            assert (found.velocity == alone.velocity).all() and (found.status == alone.status).all()
    tail = prepared.sample(5_000, first=15_000)
    assert (tail.velocity == alone.velocity[15_000:]).all()


def test_a_prepared_run_hears_ctrl_c() -> None:
    code = HEARS + "import carom; p = carom.Prepared(carom.scene('disk-stack')); print('go', flush=True); p.sample(10_000_000)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None and run.stdout.readline() == "go\n"
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in run.communicate(timeout=30)[1]


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    out = carom.sample(carom.scene("rocking-block"), 500, device="cpu")
    out.to_parquet(path)
    whole = bytearray(path.read_bytes())
    at = whole.find(out.velocity[250].tobytes())
    assert at > 0
    whole[at] ^= 1
    path.write_bytes(whole)
    with pytest.raises(carom.InputError, match="has changed since it was written"):
        carom.read(path)


def test_arguments_of_another_kind_are_refused(tmp_path: Path) -> None:
    out = carom.sample(carom.scene("rocking-block"), 20, device="cpu")
    for call in (
        lambda: out.jacobian(first=1.5),
        lambda: out.jacobian(first="1"),
        lambda: out.jacobian(count=-1),
        lambda: out.jacobian(None),
        lambda: out.contains([0, 0, 0], eps="x"),
        lambda: out.support([0, 0, np.nan]),
        lambda: out.representatives(2.5),
        lambda: out.clusters(None),
        lambda: out.plot(tmp_path / "none" / "set.svg"),
        lambda: out.plot().save(tmp_path / "set.png"),
    ):
        with pytest.raises(carom.Error):
            call()
    assert out.plot(axes="block.x,block.theta").svg.startswith("<svg")


def test_samples_do_not_change() -> None:
    out = carom.sample(carom.scene("rocking-block"), 50, device="cpu")
    arrays = ("velocity", "contact_velocity", "impulse", "kinetic_energy", "steps", "status", "residual", "repaired")
    batch = batch_of(out.problem, out.problem.velocity[None], samples=3)
    for of in (out, out[:4], batch, batch[0], carom.Prepared(out.problem).sample(3)):
        for name in arrays:
            if hasattr(of, name):
                with pytest.raises(ValueError, match="read-only"):
                    getattr(of, name)[0] = 0


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_samples_can_be_copied_and_pickled(precision: str, tmp_path: Path) -> None:
    out = carom.sample(carom.scene("box-and-wall"), 300, seed=5, device="cpu", precision=precision, uncertainty="e=0.1..0.2")
    for other in (copy.copy(out), copy.deepcopy(out), pickle.loads(pickle.dumps(out))):
        assert other.velocity.dtype == np.dtype(precision) and not other.velocity.flags.writeable
        assert np.array_equal(other.velocity, out.velocity) and np.array_equal(other.modes, out.modes)
        assert other.summary == out.summary and other.warnings == out.warnings
        assert str(other.support([0, 0, 1])) == str(out.support([0, 0, 1]))
        assert np.array_equal(other.jacobian(count=5), out.jacobian(count=5), equal_nan=True)
        for name, samples in (("theirs.parquet", other), ("ours.parquet", out)):
            samples.to_parquet(tmp_path / name)
        assert (tmp_path / "theirs.parquet").read_bytes() == (tmp_path / "ours.parquet").read_bytes()
    prepared = carom.Prepared(out.problem, seed=2, law="routh")
    prepared.set_velocity([0.1, -1.0, 0.3])
    assert np.array_equal(pickle.loads(pickle.dumps(prepared)).sample(20).velocity, prepared.sample(20).velocity)


def test_rows_are_outcomes() -> None:
    out = carom.sample(carom.scene("rocking-block"), 60, seed=2, device="cpu")
    one, some = out[7], out[out.velocity[:, 2] > 0]
    assert one.sample == 7 and np.array_equal(one.velocity, out.velocity[7]) and one.accepted is True
    assert np.array_equal(some.velocity, out.velocity[some.sample]) and (some.velocity[:, 2] > 0).all()
    assert [row.sample for row in some] == some.sample.tolist() and len(list(out)) == 60
    assert np.array_equal(np.asarray(out), out.velocity) and np.asarray(out[:3]).shape == (3, 3)
    batch = batch_of(out.problem, np.tile(out.problem.velocity, (3, 1)), samples=5, seed=[1, 2, 1])
    assert len(batch) == 3 and np.array_equal(batch[1].velocity, batch.velocity[1]) and batch.accepted.all()
    assert np.array_equal(batch.velocity[0], batch.velocity[2]) and not np.array_equal(batch.velocity[0], batch.velocity[1])
    for text in map(repr, (out, one, some, batch, batch[0])):
        assert len(text) < 120 and "array" not in text


def test_samples_become_tables() -> None:
    import pandas
    import pyarrow as arrow

    out = carom.sample(carom.scene("rocking-block"), 20, device="cpu")
    frame = out.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.tolist() == list(range(20))
    assert np.array_equal(frame[out.problem.coordinates].to_numpy(), out.velocity)
    assert frame["mode.left"].tolist() == out.modes[:, 0].tolist() and frame["accepted"].all()
    assert np.array_equal(frame["impulse.right.tangent"], out.impulse[:, 3])
    table = arrow.table(out)
    assert table.schema.field("velocity").type.list_size == 3 and str(table.schema.field("sample").type) == "int64"
    assert np.array_equal(np.array(table["velocity"].to_pylist()), out.velocity)
    assert json.loads(table.schema.metadata[b"carom"])["seed"] == 0


def test_seeds_come_from_a_generator() -> None:
    problem = carom.scene("rocking-block")
    drawn = carom.sample(problem, 10, rng=np.random.default_rng(3), device="cpu")
    assert drawn.summary["seed"] == int(np.random.default_rng(3).integers(2**63))
    batch = batch_of(problem, np.tile(problem.velocity, (4, 1)), samples=2, rng=np.random.default_rng(4))
    assert batch.seed.tolist() == np.random.default_rng(4).integers(2**63, size=4).tolist()


def test_what_all_states_share_is_given_once() -> None:
    problem = carom.scene("cube-on-edge")
    before = problem.velocity * np.array([[1.0], [0.5]])
    shared = carom.sample_batch(problem.mass, problem.normal, problem.tangent, problem.friction, before, samples=5, device="cpu")
    assert np.array_equal(shared.velocity, batch_of(problem, before, samples=5).velocity)


def test_warnings_are_those_of_python() -> None:
    # Contacts that wedge each other: samples and the exact set may differ.
    problem = carom.scene("rocking-block")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = carom.compare(problem.with_velocity(-problem.velocity), samples=10)
    said = [str(warning.message) for warning in caught if issubclass(warning.category, carom.CaromWarning)]
    assert said == report["warnings"]


def test_names_of_python_are_taken() -> None:
    problem = carom.scene("rocking-block")
    one = carom.sample(problem, 20, precision="float32", law="plus", device="cpu", restitution=[0.1, 0.2])
    assert one.velocity.dtype == np.float32 and one.summary["law"] == "plus"
    assert one.problem.restitution is not None and one.problem.restitution.tolist() == [0.1, 0.2]
    assert carom.sample(problem, 5, precision=np.float64, restitution=np.array(0.3), device="cpu").summary["restitution"] == [0.3, 0.3]
    out = carom.sample(problem, 100, device="cpu")
    expected = out.worst("block.theta^2 + block.x")
    assert out.worst("block.theta**2 + block.x")["value"] == expected["value"]
    called = out.worst(lambda v: v[:, 2] ** 2 + v[:, 0])
    assert called["sample"] == expected["sample"] and called["value"] == pytest.approx(expected["value"])
    names: dict[str, Any] = {}
    exec("from carom import *", names)
    assert "ray" not in names and "sample" in names


def test_a_support_is_a_maximum_and_asks_for_proofs_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    out = carom.sample(carom.scene("box-and-wall"), 500, seed=2, device="cpu")
    asked: list[str] = []
    ask = carom.sets.Set._ask

    def counted(self: carom.Set, by: str, *question: str, **options: object) -> dict[str, Any]:
        asked.append(by)
        return ask(self, by, *question, **options)

    monkeypatch.setattr(carom.sets.Set, "_ask", counted)
    direction = np.array([0.3, -1.0, 0.5])
    answer = out.support(direction)
    assert answer["value"] == pytest.approx((out.velocity @ direction).max(), rel=1e-12)
    assert set(answer) == {"value", "sample", "velocity"} and not asked
    # An exact set has its largest value at a vertex.
    polytopes = carom.exact_set(out.problem)["polytopes"]
    most = max((np.array(part["vertices"]) @ direction).max() for part in polytopes)
    assert answer["exact"]["value"] == pytest.approx(most, rel=1e-12) and asked == ["proofs"]
    assert answer.get("bound") is None and asked == ["proofs"]
    with pytest.raises(KeyError):
        answer["hull"]
    assert pickle.loads(pickle.dumps(answer))["exact"]["value"] == answer["exact"]["value"]
    assert out.worst("box.theta")["exact"]["complete"] and out.distance([0, 0, 9])["exact"]["distance"] > 1
    asked.clear()
    assert out.contains(out.velocity[3], eps=1e-6) and asked == ["samples"]
    assert not out.contains([0, 0, 9.0]) and asked == ["samples", "samples", "set"]
    with pytest.raises(carom.UsageError, match="no direction"):
        out.support([0, 0, 0])


def test_a_proof_draws_no_sample() -> None:
    # No sample ends, and the proof is that of samples that do.
    problem = carom.scene("rocking-block")
    with pytest.warns(carom.CaromWarning, match="^no sample ended"):
        none = carom.sample(problem, 1, law=carom.Routh(max_steps=1, step=1e-4), device="cpu")
    assert not none.accepted.any()
    proof, expected = none.bound([0, 0, 1]), carom.sample(problem, 50, device="cpu").bound([0, 0, 1])
    assert proof["sampled"] == {"value": None, "sample": None} and proof["gap"] is None
    assert proof["bounds"] == expected["bounds"] and expected["gap"] is not None
    with pytest.raises(carom.EmptyError):
        none.support([0, 0, 1])


def warned(work: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught if issubclass(warning.category, carom.CaromWarning)]


def test_samples_warn_of_what_their_report_says() -> None:
    problem = carom.scene("rocking-block")
    away = problem.with_velocity(-problem.velocity)
    long = carom.ContactProblem(
        problem.mass, problem.normal * np.array([[100.0], [1.0]]), problem.tangent, problem.friction, problem.velocity
    )
    # Both ways of drawing: few samples of a problem that is kept, and many.
    for count in (50, 5000):
        for strange, words in ((away, "no contact approaches"), (long, "100.000000, 1.000000")):
            out: list[carom.Samples] = []
            said = warned(lambda: out.append(carom.sample(strange, count, device="cpu")))
            assert said == out[0].summary["warnings"] == out[0].warnings and any(words in text for text in said)
        assert not warned(lambda: carom.sample(problem, count, device="cpu"))
    assert warned(lambda: carom.Prepared(away)) == warned(lambda: carom.sample(away, 5, device="cpu"))
    prepared = carom.Prepared(problem)
    assert not warned(lambda: prepared.sample(50)) and not warned(lambda: prepared.set_velocity(problem.velocity))
    [still] = warned(lambda: prepared.set_velocity(-problem.velocity))
    assert still.startswith("no contact approaches")


def test_long_runs_say_how_long_before_they_start() -> None:
    with warnings.catch_warnings():
        # The error comes in place of the run.
        warnings.simplefilter("error", carom.CaromWarning)
        with pytest.raises(carom.CaromWarning, match="1 000 000 samples take about .* about 2 s"):
            carom.sample(carom.scene("box-pile"), samples=1_000_000, device="cpu")


def test_samples_without_an_end_are_warned_of() -> None:
    problem = carom.scene("rocking-block")
    law = carom.Routh(process="steps", step=0.05, max_steps=10)
    out = carom.sample(problem, 200, law=law, device="cpu")
    lost = int((out.status != 0).sum())
    assert 2 < lost

    def biased(work: Callable[[], Any]) -> str:
        [said] = [text for text in warned(work) if "did not end" in text]
        return said

    said = biased(lambda: carom.sample(problem, 200, law=law, device="cpu"))
    assert said in out.summary["warnings"] and f"{lost / 2:.2f} %" in said
    prepared = carom.Prepared(problem, law=law)
    assert f"{lost / 2:.2f} %" in biased(lambda: prepared.sample(200))
    states = [np.broadcast_to(array, (2, *array.shape)) for array in (problem.mass, problem.normal, problem.tangent)]
    before = np.array([problem.velocity, problem.velocity])
    biased(lambda: carom.sample_batch(*states, problem.friction, before, samples=200, law=law, device="cpu"))
    before[1] *= -1
    [still] = warned(lambda: carom.sample_batch(*states, problem.friction, before, samples=20, device="cpu"))
    assert still.startswith("state 1, the first of 1 with warnings: no contact approaches")
