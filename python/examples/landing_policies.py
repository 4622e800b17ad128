"""Policies for a landing, told by a simulator, by orders of impacts, by random simulators, and by the set.

A four-legged robot falls upon all feet at once. A policy sees its forward and fall speed and its roll and pitch rate,
and chooses how the legs move at touch-down; after the impact the trunk should turn slowly. All policies learn in the
same way from as many labels; what differs is who gives the labels, the cost of an outcome, and whether the policy
minimises its mean or the worst of 24. Policies are then judged in MuJoCo and in Drake, upon ground whose softness,
friction and height differ from foot to foot.

    pip install carom[mujoco] drake
    python3 landing_policies.py

Without Drake its columns are left out.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from landing_robot import FLAT, LEGS, Drake, Floats, Ground, Robot, has_drake

import carom

# The forward speed and the fall speed in m/s, the roll rate and the pitch rate in rad/s.
LOW, HIGH = np.array([0.0, 0.8, -1.0, -1.5]), np.array([1.0, 1.4, 1.0, 1.5])
# What legs can do, in m/s: all feet forward; all up; front up, hind down; left up, right down.
REACH = np.array([1.0, 0.2, 0.2, 0.2])
FASTER = 1.4  # how much faster than in training the robot lands in the last test
FRICTION = (0.4, 0.8)
SOFTNESS = (0.004, 0.03)  # s
GAP = (0.0, 0.003)  # m
DISSIPATION = (5.0, 20.0)  # s/m, of Drake
ORDERS = list(itertools.permutations(range(len(LEGS))))
HELD = "legs held still"

Random = np.random.Generator
Label = Callable[[Robot, Floats, Random], Floats]
Rows = dict[str, list[float]]  # of each policy


@dataclass(frozen=True)
class Effort:
    """How much is done."""

    labels: int = 24 * 256
    states: int = 200  # of a test in MuJoCo
    drake: int = 100  # of a test in Drake
    candidates: int = 256


QUICK = Effort(24 * 8, 8, 2, 64)


def before(robot: Robot, states: Floats, actions: Floats) -> Floats:
    """Velocities (B,n) at touch-down of states (B,4) and actions (B,4)."""
    still = np.zeros(len(states))
    twist = np.stack([states[:, 0], still, -states[:, 1], states[:, 2], states[:, 3], still], axis=1)
    signs = np.array([[1.0, np.sign(x), np.sign(y)] for x, y in LEGS.values()])
    return robot.velocities(twist, np.repeat(actions[:, :1], len(LEGS), axis=1), actions[:, 1:] @ signs.T)


def costs(turns: Floats) -> Floats:
    """The squares (...) of the trunk's rates (...,3), in (rad/s)^2."""
    return np.asarray((turns**2).sum(axis=-1))


def grounds(random: Random, count: int, each_foot: bool) -> list[Ground]:
    """Random ground, with numbers for each foot or the same for all."""
    feet = len(LEGS) if each_foot else 1

    def four(low: float, high: float) -> Floats:
        return np.repeat(random.uniform(low, high, (count, feet)), len(LEGS) // feet, axis=1)

    softness, friction = np.exp(four(*np.log(SOFTNESS))), four(*FRICTION)
    gap = four(*GAP) if each_foot else np.zeros((count, len(LEGS)))
    return [Ground(*numbers) for numbers in zip(softness, friction, gap, strict=True)]


def simulated(robot: Robot, velocities: Floats, random: Random) -> Floats:
    """Costs (B) of MuJoCo's own outcomes."""
    return costs(np.array([robot.land(v, FLAT) for v in velocities]))


def randomised(robot: Robot, velocities: Floats, random: Random) -> Floats:
    """Costs (B) in MuJoCo with random softness and friction of the ground."""
    drawn = grounds(random, len(velocities), each_foot=False)
    return costs(np.array([robot.land(v, ground) for v, ground in zip(velocities, drawn, strict=True)]))


def each_foot_randomised(robot: Robot, velocities: Floats, random: Random) -> Floats:
    """Costs (B) in MuJoCo with random softness, friction and height of the ground under each foot."""
    drawn = grounds(random, len(velocities), each_foot=True)
    return costs(np.array([robot.land(v, ground) for v, ground in zip(velocities, drawn, strict=True)]))


@cache
def rigid(armature: float) -> carom.ContactProblem:
    """The impact of rigid feet."""
    robot = Robot(armature)
    return carom.from_mujoco(robot.model, robot.data)


def sampled(robot: Robot, velocities: Floats, random: Random, law: carom.Law) -> Floats:
    """Costs (B) of one sample of a law for each state, with random friction; NaN where it is not accepted."""
    problem = rigid(robot.armature)
    friction = random.uniform(*FRICTION, (len(velocities), len(LEGS)))
    rows = (problem.mass, problem.normal, problem.tangent)
    out = carom.sample_batch(*rows, friction, velocities, samples=1, law=law, device="cpu", rng=random)
    found = costs(out.velocity[:, 0, 3:6])
    found[~out.accepted[:, 0]] = np.nan
    return found


def random_orders(robot: Robot, velocities: Floats, random: Random) -> Floats:
    """Costs (B) of impacts of one foot after the other in random order."""
    return sampled(robot, velocities, random, carom.Sequential())


def all_orders(robot: Robot, velocities: Floats, random: Random) -> Floats:
    """Costs (B) of impacts of one foot after the other, in each order by turns."""
    found = []
    for v, order in zip(velocities, itertools.cycle(ORDERS)):
        problem, friction = rigid(robot.armature).with_velocity(v), random.uniform(*FRICTION, len(LEGS))
        found.append(carom.resolve(problem, "sequential", order=order, friction=friction)["solutions"][0]["velocity"])
    return costs(np.array(found)[:, 3:6])


def of_the_set(robot: Robot, velocities: Floats, random: Random) -> Floats:
    """Costs (B) of samples of carom's set."""
    return sampled(robot, velocities, random, carom.Routh())


#: Who gives the labels, and how many outcomes of a state one policy is told the worst of.
TEACHERS: dict[str, tuple[Label, int]] = {
    "MuJoCo's own outcome": (simulated, 1),
    "random sequential order": (random_orders, 1),
    "all sequential orders, worst": (all_orders, len(ORDERS)),
    "domain randomisation": (randomised, 1),
    "domain randomisation, worst": (randomised, len(ORDERS)),
    "each foot randomised": (each_foot_randomised, 1),
    "each foot randomised, worst": (each_foot_randomised, len(ORDERS)),
    "carom's set": (of_the_set, 1),
    "carom's set, worst": (of_the_set, len(ORDERS)),
}


class CostModel:
    """A polynomial of state and action, of degree 2 or 3, by ridge regression with generalised cross-validation."""

    def __init__(self, states: Floats, actions: Floats, told: Floats) -> None:
        size = len(LOW) + len(REACH)
        fits = []
        for degree in (2, 3):
            self.terms = [
                list(t) for n in range(degree + 1) for t in itertools.combinations_with_replacement(range(size), n)
            ]
            left, sizes, right = np.linalg.svd(self.features(states, actions), full_matrices=False)
            along = left.T @ told
            for ridge in 10.0 ** np.arange(-4, 4):
                kept = sizes**2 / (sizes**2 + ridge)
                error = told @ told - along @ along + (((1 - kept) * along) ** 2).sum()
                free = 1 - kept.sum() / (len(told) + 1)
                fits.append((error / free**2, self.terms, right.T @ (kept / sizes * along)))
        _, self.terms, self.weights = min(fits, key=lambda fit: fit[0])

    def features(self, states: Floats, actions: Floats) -> Floats:
        x = np.hstack([2 * (states - LOW) / (HIGH - LOW) - 1, actions / REACH]).T
        found = np.empty((len(self.terms), x.shape[1]))
        for row, term in zip(found, self.terms, strict=True):
            row[:] = x[term].prod(axis=0)
        return found.T

    def choose(self, states: Floats, candidates: int) -> Floats:
        """The actions (B,4) of least cost: the best of random ones, then twice of those around it."""
        random = np.random.default_rng(0)
        best = np.zeros((len(states), len(REACH)))
        for width in (2.0, 0.3, 0.06):
            for i, state in enumerate(states):
                tried = best[i] + width * REACH * random.uniform(-1, 1, (candidates, len(REACH)))
                tried = np.vstack([best[i], np.clip(tried, -REACH, REACH)])
                found = self.features(np.tile(state, (len(tried), 1)), tried) @ self.weights
                best[i] = tried[found.argmin()]
        return best


def train(robot: Robot, name: str, labels: int, seed: int) -> CostModel:
    """The cost model that a teacher's labels lead to."""
    label, outcomes = TEACHERS[name]
    random = np.random.default_rng([seed, list(TEACHERS).index(name)])
    states = random.uniform(LOW, HIGH, (labels // outcomes, len(LOW)))
    actions = random.uniform(-REACH, REACH, (len(states), len(REACH)))
    velocities = np.repeat(before(robot, states, actions), outcomes, axis=0)
    found = label(robot, velocities, random).reshape(len(states), outcomes)
    known = np.isfinite(found).all(axis=1)
    if known.mean() < 0.99:
        raise SystemExit(f"{name}: {1 - known.mean():.1%} of the labels are not accepted")
    return CostModel(states[known], actions[known], found[known].max(axis=1))


def tested(robot: Robot, effort: Effort, seed: int, act: Callable[[str, Floats], Floats]) -> dict[str, Rows]:
    """The costs of each policy in each test. All policies meet the same states and grounds."""
    random = np.random.default_rng([seed, 1000])
    found: dict[str, Rows] = {}
    for test in tests():
        count = effort.drake if test.startswith("Drake") else effort.states
        states = random.uniform(LOW, HIGH, (count, len(LOW))) * (FASTER if test.endswith("faster") else 1)
        drawn = [FLAT] * count if test == "MuJoCo, as it is" else grounds(random, count, each_foot=True)
        landings = [partial(robot.land, ground=ground) for ground in drawn]
        if test.startswith("Drake"):
            losses = random.uniform(*DISSIPATION, (count, len(LEGS)))
            landings = [Drake(robot, *ground).land for ground in zip(drawn, losses, strict=True)]
        found[test] = {}
        for name in (HELD, *TEACHERS):
            velocities = before(robot, states, act(name, states))
            turns = [land(v) for land, v in zip(landings, velocities, strict=True)]
            found[test][name] = costs(np.array(turns)).tolist()
    return found


def tests() -> list[str]:
    """The tests: where, and on what."""
    drake = ["Drake, uneven", "Drake, uneven, faster"] if has_drake() else []
    return ["MuJoCo, as it is", "MuJoCo, uneven", *drake]


def one_seed(seed: int, armature: float, effort: Effort) -> dict[str, Rows]:
    """Everything of one seed: training and tests."""
    robot = Robot(armature)
    models = {name: train(robot, name, effort.labels, seed) for name in TEACHERS}

    def actions(name: str, states: Floats) -> Floats:
        if name == HELD:
            return np.zeros((len(states), len(REACH)))
        return models[name].choose(states, effort.candidates)

    return tested(robot, effort, seed, actions)


def interval(values: Floats) -> tuple[float, float]:
    """The 95 % interval of the mean over seeds (S), by a bootstrap."""
    drawn = np.random.default_rng(0).integers(len(values), size=(10_000, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


Summary = dict[str, dict[str, dict[str, Floats]]]
"""Over seeds (S), by statistic, test and policy."""


def summarised(seeds: list[dict[str, Rows]]) -> Summary:
    """The mean and the 95 % quantile over the states of a test, of each seed."""

    def over(statistic: Callable[[list[float]], float]) -> dict[str, dict[str, Floats]]:
        return {
            test: {name: np.array([float(statistic(seed[test][name])) for seed in seeds]) for name in rows}
            for test, rows in seeds[0].items()
        }

    return {"mean": over(np.mean), "95 % quantile": over(partial(np.quantile, q=0.95))}


def cell(values: Floats, digits: str = ".3f") -> str:
    """A mean over seeds with its interval."""
    low, high = interval(values)
    return f"{values.mean():{digits}} [{low:{digits}}, {high:{digits}}]"


def tables(summary: Summary) -> str:
    """A table of each statistic, and how carom's policies differ from the best of the others."""
    text = []
    for statistic, found in summary.items():
        names = list(next(iter(found.values())))
        text += [
            "",
            f"| {statistic} over states, (rad/s)^2 | " + " | ".join(found) + " |",
            "|---" * (len(found) + 1) + "|",
        ]
        text += [f"| {name} | " + " | ".join(cell(rows[name]) for rows in found.values()) + " |" for name in names]
        others = [name for name in names if not name.startswith("carom")]
        best = {test: min(others, key=lambda name: rows[name].mean()) for test, rows in found.items()}
        text.append("| *best without carom* | " + " | ".join(f"*{name}*" for name in best.values()) + " |")
        for name in (name for name in names if name not in others):
            gaps = (cell(rows[name] - rows[best[test]], "+.3f") for test, rows in found.items())
            text.append(f"| {name}, less that | " + " | ".join(gaps) + " |")
    return "\n".join(text[1:])


def picture(summary: Summary) -> str:
    """A panel for each test, in SVG: the mean and the 95 % quantile of each policy, with intervals."""
    tests = list(summary["mean"])
    # Legs that are held still would set the scale.
    names = [name for name in summary["mean"][tests[0]] if name != HELD]
    left, wide, row, top = 210, 190, 24, 44
    base = top + row * len(names)
    parts = []
    for panel, test in enumerate(tests):
        shown = [summary[statistic][test][name] for statistic in summary for name in names]
        limit = 1.08 * max(interval(values)[1] for values in shown)
        tick = 10.0 ** np.floor(np.log10(limit)) * (1 if limit < 4 * 10.0 ** np.floor(np.log10(limit)) else 2)
        start = left + panel * (wide + 24)
        parts.append(f'<text x="{start}" y="{top - 14}" font-weight="bold">{test}</text>')
        for mark in np.arange(0, limit, tick):
            x = start + mark / limit * wide
            parts.append(f'<path d="M{x:.1f},{top} V{base}" stroke="#ddd"/>')
            parts.append(f'<text x="{x:.1f}" y="{base + 16}" text-anchor="middle">{mark:.3g}</text>')
        for color, rows in zip(("#1f4e79", "#e07b39"), (found[test] for found in summary.values()), strict=True):
            for i, name in enumerate(names):
                y = top + row * (i + 0.5) + (-4 if color == "#1f4e79" else 4)
                low, high = (start + end / limit * wide for end in interval(rows[name]))
                middle = start + rows[name].mean() / limit * wide
                parts.append(f'<path d="M{low:.1f},{y} H{high:.1f}" stroke="{color}" stroke-width="2"/>')
                parts.append(f'<circle cx="{middle:.1f}" cy="{y}" r="3.5" fill="{color}"/>')
    for i, name in enumerate(names):
        y = top + row * (i + 0.5) + 4
        weight = ' font-weight="bold"' if name.startswith("carom") else ""
        parts.append(f'<text x="{left - 14}" y="{y}" text-anchor="end"{weight}>{name}</text>')
    text = "the trunk's rate after the impact, squared, in (rad/s)^2; bars are 95 % intervals over seeds"
    parts.append(f'<text x="{left}" y="{base + 38}">{text}</text>')
    for x, color, word in ((left, "#1f4e79", "mean over states"), (left + 150, "#e07b39", "95 % quantile over states")):
        parts.append(f'<circle cx="{x + 5}" cy="{base + 54}" r="3.5" fill="{color}"/>')
        parts.append(f'<text x="{x + 16}" y="{base + 58}">{word}</text>')
    size = f'width="{left + len(tests) * (wide + 24)}" height="{base + 70}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two seeds, few labels and states: seconds, no result")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--armature", type=float, default=0.1, help="inertia of the rotors at the joints, in kg m^2")
    parser.add_argument("-o", "--out", type=Path, default=Path("landing.svg"), help="where the picture goes")
    parser.add_argument(
        "--costs", type=Path, help="a file of the cost of every landing; seeds in it are not done again"
    )
    options = parser.parse_args()
    os.environ["RAYON_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # of each process
    effort, seeds = (QUICK, 2) if options.quick else (Effort(), options.seeds)
    start = time.perf_counter()
    found = json.loads(options.costs.read_text()) if options.costs and options.costs.exists() else []
    missing = range(len(found), seeds)
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        for one in pool.map(partial(one_seed, armature=options.armature, effort=effort), missing):
            found.append(one)
            print(f"seed {len(found) - 1}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
            if options.costs:
                options.costs.write_text(json.dumps(found))
    summary = summarised(found[:seeds])
    drake = f", Drake {version('drake')}" if has_drake() else ""
    print(
        f"carom {carom.__version__}, MuJoCo {version('mujoco')}{drake}, NumPy {np.__version__}, {os.cpu_count()} cores"
    )
    print(
        f"{seeds} seeds, {effort.labels} labels for each policy; {len(missing)} seeds in {time.perf_counter() - start:.0f} s"
    )
    print(f"\n{tables(summary)}")
    options.out.write_text(picture(summary))


if __name__ == "__main__":
    main()
