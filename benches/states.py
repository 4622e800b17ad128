"""From states of MuJoCo to outcomes: time of each part, of the quadruped of the tests that stands upon four feet.

Usage: python benches/states.py
"""

import time
from pathlib import Path

import mujoco
import numpy as np

import carom

STATES, SAMPLES = 1000, 16


def best(call, repeats=20):
    """The least time of a call in ms, and what that call returned."""
    least, kept = np.inf, None
    for _ in range(repeats):
        start = time.perf_counter()
        found = call()
        took = time.perf_counter() - start
        if took < least:
            least, kept = took, found
    return 1e3 * least, kept


def main():
    path = Path(__file__).resolve().parent.parent / "tests/golden/models/quadruped.xml"
    model = mujoco.MjModel.from_xml_path(str(path))
    model.geom_margin[:] = 1e-5
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("stand").id)
    rng = np.random.default_rng(0)
    qpos = np.tile(data.qpos, (STATES, 1))
    qvel = rng.normal(size=(STATES, model.nv)) - 1.0 * (np.arange(model.nv) == 2)
    data.qvel[:] = qvel[0]

    def positions():
        for row, data.qvel[:] in zip(qpos, qvel, strict=True):
            data.qpos[:] = row
            mujoco.mj_fwdPosition(model, data)

    one, problem = best(lambda: carom.from_mujoco(model, data), 200)
    alone, _ = best(positions)
    batch, states = best(lambda: carom.from_mujoco_batch(model, qpos, qvel))
    both, out = best(lambda: states.sample(SAMPLES, seed=1, device="cpu"), 3)
    outcomes = carom.sample(problem, samples=100, seed=1, device="cpu")
    derivative, _ = best(outcomes.jacobian, 3)
    contacts = len(problem.contacts)
    print(f"carom {carom.__version__}, MuJoCo {mujoco.__version__}, NumPy {np.__version__}")
    print(f"{model.nv} coordinates, {contacts} contacts; {len(states)} of {STATES} states touch\n")
    print("| part | ms |")
    print("|---|---|")
    print(f"| `from_mujoco` of one state | {one:.3f} |")
    print(f"| `mj_fwdPosition` of all states, MuJoCo's part of the next | {alone:.1f} |")
    print(f"| `from_mujoco_batch` of all states | {batch:.1f} |")
    print(f"| `sample` of the batch, {SAMPLES} outcomes of each | {both:.1f} |")
    print(f"| of which the engine samples | {1e3 * out.seconds:.1f} |")
    print(f"| `jacobian()` of 100 outcomes of one state | {derivative:.1f} |")


if __name__ == "__main__":
    main()
