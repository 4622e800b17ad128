"""How long calls from Python take: `python benches/python.py` with the package installed; prints a page in Markdown."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable

import numpy as np

import carom


def seconds(call: Callable[[], object], repeats: int) -> list[float]:
    """The seconds that calls take, sorted; three calls before are not counted."""
    for _ in range(3):
        call()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return sorted(taken)


def row(what: str, taken: list[float]) -> None:
    """A row of the table: median, 99th percentile where there are enough calls for one, least."""
    p99 = f"{1e3 * taken[int(0.99 * len(taken))]:.3f}" if len(taken) >= 100 else ""
    print(f"| {what} | {1e3 * statistics.median(taken):.3f} | {p99} | {1e3 * taken[0]:.3f} | {len(taken)} |", flush=True)


def two_feet(count: int) -> dict[str, np.ndarray]:
    """States of a planar robot with two feet on the ground, of different mass, pose and velocity."""
    draws = np.random.default_rng(1)
    half, height = draws.uniform(0.1, 0.3, count), draws.uniform(0.4, 0.8, count)
    mass = np.zeros((count, 3, 3))
    mass[:, 0, 0] = mass[:, 1, 1] = draws.uniform(1, 10, count)
    mass[:, 2, 2] = mass[:, 0, 0] * draws.uniform(0.02, 0.2, count)
    normal, tangent = np.zeros((count, 2, 3)), np.zeros((count, 2, 3))
    normal[:, :, 1], tangent[:, :, 0] = 1, 1
    normal[:, 0, 2], normal[:, 1, 2] = -half, half
    tangent[:, :, 2] = height[:, None]
    velocity = np.stack([draws.normal(0, 0.3, count), draws.uniform(-1, -0.3, count), draws.normal(0, 0.3, count)], 1)
    return {"mass": mass, "normal": normal, "tangent": tangent, "friction": draws.uniform(0.3, 1, (count, 2)), "velocity": velocity}


def main() -> None:
    """Measures and prints."""
    print(f"carom {carom.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, {platform.platform()}, {os.cpu_count()} cores")
    print("\n| call | median ms | p99 ms | least ms | calls |\n|---|---|---|---|---|")
    for name in ("rocking-block", "compass-gait", "disk-stack"):
        problem = carom.scene(name)
        row(f"`sample({name}, 1000)`", seconds(lambda: carom.sample(problem, 1000, device="cpu"), 300))
        prepared = carom.Prepared(problem)
        row(f"`Prepared({name}).sample(1000)`", seconds(lambda: prepared.sample(1000), 300))
        v = problem.velocity
        row(
            f"`Prepared({name})`: `set_velocity`, `sample(1000)`",
            seconds(lambda: (prepared.set_velocity(v), prepared.sample(1000)), 300),
        )
        out = carom.sample(problem, 1000, device="cpu")
        row(f"`jacobian()` of 1000, {name}", seconds(out.jacobian, 10))
    for count, samples, precision in ((256, 256, "f64"), (256, 256, "f32"), (10_000, 64, "f32")):
        states = two_feet(count)

        def batch() -> carom.Batch:
            return carom.sample_batch(**states, samples=samples, precision=precision, device="cpu")

        sampling: list[float] = []
        taken = seconds(lambda: sampling.append(batch().seconds), 10 if count < 1000 else 3)
        row(f"`sample_batch` of {count} states x {samples}, {precision}", taken)
        row("of which the engine samples", sorted(sampling[3:]))


if __name__ == "__main__":
    main()
