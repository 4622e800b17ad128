"""Feedback through an impact: of all velocities, of those that no impulse changes, of those that the set hardly changes.

A reference says which velocity a robot has before and after an impact. The impact comes a little earlier or later than
planned, and its outcome is another one, since the ground differs from foot to foot. Feedback of the velocity then
answers what is no error. Impact-invariant control (Yang and Posa, Impact invariant control with applications to bipedal
locomotion, IROS 2021) feeds back, around the planned time, only those velocities that no impulse at the feet can
change. Samples of the set say in addition which ones no outcome changes by much. Four controllers are compared in
MuJoCo, on a compass gait with a motor at the hip and on the robot of landing_robot.py:

    plain      all velocities are fed back
    off        none is, around the impact
    impulses   those that no impulse at the feet changes
    set        those that change by less than 5 % of |v-|_M in all samples of the set

    pip install carom[mujoco]
    python invariant_control.py
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import carom
import mujoco
import numpy as np
from landing_robot import Floats, Robot

BEFORE, AFTER, END = 0.01, 0.03, 0.06  # s, around the planned impact: where feedback is another one, and the end
RATE = 100.0  # 1/s, at which feedback takes errors of velocity away
THIN = 0.05  # of |v-|_M
CONTROLLERS = ("plain", "off", "impulses", "set")

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
    <geom name="ground leading" type="plane" size="1 1 1"/><geom name="ground trailing" type="plane" size="1 1 1"/>
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

    def data(self) -> mujoco.MjData:
        data = mujoco.MjData(self.model)
        data.qpos[:], data.qvel[:] = self.pose, self.velocity
        mujoco.mj_forward(self.model, data)
        return data


def compass_gait() -> Machine:
    """The compass gait of [HP23], Sec. 5.4.2: legs 78 degrees off the vertical, the trailing foot stands."""
    model = mujoco.MjModel.from_xml_string(COMPASS)
    angle = np.deg2rad(78.0)
    pose = np.array([0.0, 0.99 * np.cos(angle) + 0.01, -angle, angle])
    turn = 0.25  # rad/s, about the trailing foot
    reach = 0.99 * np.array([np.cos(angle), -np.sin(angle)])
    velocity = np.array([reach[0] * turn, reach[1] * turn, turn, turn])
    return Machine(model, pose, velocity, np.array([[0.0], [0.0], [1.0], [-1.0]]), np.array([0.001, 0.0]))


def quadruped(armature: float) -> Machine:
    """The quadruped that falls upon four feet."""
    robot = Robot(armature)
    robot.model.opt.gravity[:] = 0
    robot.model.opt.timestep = 0.0005
    still = np.zeros((1, 4))
    velocity = robot.velocities(np.array([[0.3, 0.0, -1.1, 0.2, 0.4, 0.0]]), still, still)[0]
    return Machine(robot.model, robot.pose, velocity, np.eye(14)[:, 6:], np.full(4, 0.003))
