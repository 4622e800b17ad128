"""Feedback through an impact: of all velocities, of those that no impulse changes, of those that the set hardly changes.

A reference says which velocity a robot has before and after an impact. The impact comes a little earlier or later than
planned, and its outcome is another one, since the ground differs from foot to foot. Feedback of the velocity then
answers what is no error. Impact-invariant control (Yang and Posa, Impact invariant control with applications to bipedal
locomotion, IROS 2021) feeds back, around the planned time, only those velocities that no impulse at the feet can
change. Samples of the set say in addition which ones no outcome changes by much. Five controllers are compared in
MuJoCo, on a compass gait with a motor at the hip and on the robot of landing_robot.py:

    plain      all velocities are fed back
    off        none is, around the impact
    impulses   those that no impulse at the feet changes
    outcomes   those in which outcomes of the set agree within 5 % of |v-|_M: carom's invariants
    changes    those that change by less than 5 % of |v-|_M from before the impact to samples of the set, in the root
               of the mean square

    pip install carom[mujoco]
    python invariant_control.py
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from functools import cached_property

import carom
import mujoco
import numpy as np
from landing_robot import GROUND, Floats, Robot

BEFORE, AFTER, END = 0.01, 0.03, 0.06  # s, around the planned impact: where feedback is another one, and the end
RATE = 100.0  # 1/s, at which feedback takes errors of velocity away
THIN = 0.05  # of |v-|_M

COMPASS_LEG = """
<body name="{name}">
  <joint name="{name}" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="1" diaginertia="1e-4 1e-4 1e-4"/>
  <geom name="{name}" type="sphere" size="0.01" pos="0 0 -0.99"/>
</body>
"""
COMPASS = f"""
<mujoco model="compass gait">
  <option timestep="0.0005" gravity="0 0 0" cone="elliptic"/>
  <default><geom contype="0" conaffinity="0" mass="0"/></default>
  <worldbody>
    {GROUND.format(name="leading")}{GROUND.format(name="trailing")}
    <body name="hip">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1e-3" diaginertia="1e-6 1e-6 1e-6"/>
      {COMPASS_LEG.format(name="leading")}{COMPASS_LEG.format(name="trailing")}
    </body>
  </worldbody>
  <contact>
    <pair geom1="ground leading" geom2="leading" condim="3" margin="1e-6" friction="5 5"/>
    <pair geom1="ground trailing" geom2="trailing" condim="3" margin="1e-6" friction="5 5"/>
  </contact>
</mujoco>
"""


@dataclass
class Machine:
    """A robot at the planned impact."""

    model: mujoco.MjModel
    pose: Floats
    velocity: Floats
    """Before the impact (n)."""
    motors: Floats
    """What a unit of torque of each motor does to the coordinates (n,a)."""
    gap: Floats
    """By how much the ground of each foot may be lower or higher, in m."""

    @cached_property
    def inertia(self) -> Floats:
        """What each motor moves (a), in kg m^2, where nothing touches."""
        free = self.motors.T @ np.linalg.solve(self.problem().mass, self.motors)
        return np.asarray(1.0 / np.diag(free))

    def data(self) -> mujoco.MjData:
        """The robot's state at the planned impact."""
        data = mujoco.MjData(self.model)
        data.qpos[:], data.qvel[:] = self.pose, self.velocity
        mujoco.mj_forward(self.model, data)
        return data

    def problem(self) -> carom.ContactProblem:
        """The impact of rigid feet."""
        return carom.from_mujoco(self.model, self.data())


def compass_gait() -> Machine:
    """The compass gait of [HP23], Sec. 5.4.2: legs 78 degrees off the vertical, the trailing foot stands."""
    model = mujoco.MjModel.from_xml_string(COMPASS)
    angle = np.deg2rad(78.0)
    height, turn = 0.99 * np.cos(angle) + 0.01, 0.25  # m, rad/s
    pose = np.array([0.0, height, -angle, angle])
    velocity = turn * np.array([height, -0.99 * np.sin(angle), 1.0, 1.0])
    return Machine(model, pose, velocity, np.array([[0.0], [0.0], [1.0], [-1.0]]), np.array([0.001, 0.0]))


def quadruped(armature: float) -> Machine:
    """The quadruped that falls upon four feet."""
    robot = Robot(armature)
    robot.model.opt.gravity[:] = 0
    robot.model.opt.timestep = 0.0005
    still = np.zeros((1, 4))
    velocity = robot.velocities(np.array([[0.3, 0.0, -1.1, 0.2, 0.4, 0.0]]), still, still)[0]
    return Machine(robot.model, robot.pose, velocity, np.eye(14)[:, 6:], np.full(4, 0.003))


def projections(problem: carom.ContactProblem) -> dict[str, Floats]:
    """What each controller makes of errors of velocity (n,n) around the impact.

    A projection keeps what lies in a subspace, and is orthogonal in the kinetic metric. With M = F F', F' v are
    coordinates in which that metric is the plain one.
    """
    n = len(problem.velocity)
    factor = np.linalg.cholesky(problem.mass)
    size = np.linalg.norm(factor.T @ problem.velocity)

    def onto(directions: Floats) -> Floats:
        found: Floats = np.linalg.solve(factor.T, directions @ directions.T @ factor.T)
        return found

    pushed, sizes, _ = np.linalg.svd(np.linalg.solve(factor, np.vstack([problem.normal, problem.tangent]).T))
    out = carom.sample(problem, samples=4096, seed=1, device="cpu")
    listed = out.invariants()["invariants"]
    agreed = np.array([entry["direction"] for entry in listed if entry["spread"] < THIN]).reshape(-1, n)
    changes = (out.velocity[out.accepted] - problem.velocity) @ factor / size
    axes = np.linalg.svd(changes, full_matrices=False)[2].T
    return {
        "plain": np.eye(n),
        "off": np.zeros((n, n)),
        "impulses": onto(pushed[:, np.count_nonzero(sizes > 1e-9 * sizes[0]) :]),
        "outcomes": onto(np.linalg.qr(np.linalg.solve(factor, agreed.T))[0]),
        "changes": onto(axes[:, np.sqrt(((changes @ axes) ** 2).mean(axis=0)) < THIN]),
    }


def run(
    machine: Machine, planned: Floats, project: Floats | None, softness: Floats, gap: Floats
) -> tuple[float, float, Floats]:
    """An impact with feedback.

    Args:
        planned: the velocity after the impact (n).
        project: what is made of errors of velocity around it (n,n); no motor does anything where it is None.
        softness, gap: of the ground under each foot.

    Returns:
        The largest torque of a motor in N m, the error of the motors' speeds in the end in rad/s (root of the mean
        square), and the velocity (n) when feedback becomes plain again.
    """
    model, data = machine.model, machine.data()
    model.pair_solref[:, 0] = softness
    data.mocap_pos[:, 2] = -gap
    mujoco.mj_integratePos(model, data.qpos, machine.velocity, -BEFORE)
    largest, away, after = 0.0, np.zeros(model.nv), machine.velocity
    for step in range(round((BEFORE + END) / model.opt.timestep)):
        now = step * model.opt.timestep - BEFORE
        wanted, place = (machine.velocity if now < 0 else planned), machine.pose.copy()
        mujoco.mj_integratePos(model, place, wanted, now)
        mujoco.mj_differentiatePos(model, away, 1.0, data.qpos, place)
        if project is not None:
            error = wanted - data.qvel
            error = project @ error if now < AFTER else error
            torque = machine.inertia * (machine.motors.T @ (RATE * error + RATE**2 / 4 * away))
            data.qfrc_applied[:] = machine.motors @ torque
            largest = max(largest, float(np.abs(torque).max()))
        mujoco.mj_step(model, data)
        if now < AFTER:
            after = data.qvel.copy()
    missed = machine.motors.T @ (planned - data.qvel)
    return largest, float(np.sqrt(np.mean(missed**2))), after


def compared(machine: Machine, draws: int) -> dict[str, Floats]:
    """The largest torques and the errors in the end (draws,2) of each controller. All meet the same ground."""
    random, feet = np.random.default_rng(0), len(machine.gap)
    planned = run(machine, machine.velocity, None, np.full(feet, 0.02), np.zeros(feet))[2]
    projects = projections(machine.problem())
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in projects}
    for _ in range(draws):
        softness = np.exp(random.uniform(*np.log((0.004, 0.03)), feet))
        gap = machine.gap * random.uniform(-1, 1, feet)
        for name, project in projects.items():
            found[name].append(run(machine, planned, project, softness, gap)[:2])
    ranks = ", ".join(f"{name} {round(np.trace(project))}" for name, project in projects.items())
    print(f"\n{machine.model.names.split(bytes(1))[0].decode()}: of {len(planned)} directions are fed back: {ranks}")
    return {name: np.array(rows) for name, rows in found.items()}


def cell(values: Floats, sign: str = "") -> str:
    """A mean over draws with its 95 % interval, by a bootstrap."""
    drawn = np.random.default_rng(0).integers(len(values), size=(4000, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975])
    return f"{values.mean():{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few draws")
    draws = 4 if parser.parse_args().quick else 200
    start = time.perf_counter()
    for machine in (compass_gait(), quadruped(0.1)):
        found = compared(machine, draws)
        print(
            "| feedback | largest torque, N m | less that of impulses | error in the end, rad/s | less that of impulses |"
        )
        print("|---|---|---|---|---|")
        for name, rows in found.items():
            gaps = rows - found["impulses"]
            print(
                f"| {name} | {cell(rows[:, 0])} | {cell(gaps[:, 0], '+')} | {cell(rows[:, 1])} | {cell(gaps[:, 1], '+')} |"
            )
    print(f"\n{draws} draws, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
