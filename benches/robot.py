"""Steps per second of `carom simulate quadruped-lands` and of MuJoCo on the same model: flight, impacts, standing.

Usage: python benches/robot.py [path of carom]
MuJoCo gets the same masses, joints, springs, dampers, friction, start and time step. Both are timed three times by
turns, on one core; the best counts.
"""

import json
import pathlib
import subprocess
import sys
import time
import tomllib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent.parent
CAROM = sys.argv[1] if len(sys.argv) > 1 else "carom"
STEPS = {"flight": 20, "a second: landing and standing": 1000, "ten seconds: standing": 10_000}


def model(motion):
    """The model with the motion's springs and dampers, and its state at the start."""
    model = mujoco.MjModel.from_xml_path(str(HERE / "tests/golden/models/quadruped.xml"))
    model.opt.timestep = motion["time_step"]
    model.geom_friction[:, 0] = motion["friction"]
    for joint in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, joint)
        for drive in motion["drives"]:
            if drive["coordinate"].removeprefix("*").removesuffix(".theta") in name:
                model.jnt_stiffness[joint] = drive["stiffness"]
                model.qpos_spring[model.jnt_qposadr[joint]] = drive["rest"]
                model.dof_damping[model.jnt_dofadr[joint]] = drive["damping"]
    data = mujoco.MjData(model)
    trunk = motion["bodies"][0]
    angle = np.deg2rad(trunk["rotation_deg"][1])
    data.qpos[:7] = [*trunk["position"], np.cos(angle / 2), 0, np.sin(angle / 2), 0]
    data.qpos[7:] = [body.get("angle", 0.0) for body in motion["bodies"][1:]]
    data.qvel[:3] = trunk["velocity"]
    return model, data


def main():
    motion = tomllib.loads((HERE / "scenes/motions/quadruped-lands.toml").read_text())
    # What the program takes to start and to report is not a step.
    rows = {}
    for _ in range(3):
        for name, steps in {"start": 1, **STEPS}.items():
            begin = time.perf_counter()
            report = subprocess.run(
                [CAROM, "simulate", "quadruped-lands", "--steps", str(steps), "--json"],
                capture_output=True, check=True,
            )
            spent = time.perf_counter() - begin
            state, data = model(motion)
            begin = time.perf_counter()
            mujoco.mj_step(state, data, nstep=steps)
            other = time.perf_counter() - begin
            best = rows.get(name, [np.inf, np.inf])
            rows[name] = [min(best[0], spent), min(best[1], other)]
            assert json.loads(report.stdout)["steps"] == steps
    start = rows.pop("start")[0]
    print(f"MuJoCo {mujoco.__version__}; steps a second, carom then MuJoCo")
    for name, (ours, theirs) in rows.items():
        print(f"| {name} | {STEPS[name] / (ours - start):.0f} | {STEPS[name] / theirs:.0f} |")


main()
