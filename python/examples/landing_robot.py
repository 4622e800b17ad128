"""A four-legged robot that lands on all feet at once, in MuJoCo and in Drake.

Both simulators have one model: the text below. They differ in what they make of contacts, and in how they integrate.
MuJoCo's contacts are soft constraints with a time constant; Drake's are Hunt-Crossley springs with regularised
friction. Every foot has a floor of its own, so that softness, friction and height of the ground may differ.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module, util
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LINK, FOOT, HIP = 0.2, 0.02, 0.7  # length of thigh and shank in m, radius of a foot in m, angle of the thigh in rad
LEGS = {"front_left": (0.2, 0.1), "front_right": (0.2, -0.1), "hind_left": (-0.2, 0.1), "hind_right": (-0.2, -0.1)}
HEIGHT = 2 * LINK * np.cos(HIP) + FOOT
SETTLED = -0.01  # m/s; the impact is over when no foot goes down faster
LONGEST = 0.08  # s; the impact is given up then

GROUND = '<body mocap="true"><geom name="ground {name}" type="plane" size="1 1 1"/></body>'
PAIR = '<pair geom1="ground {name}" geom2="{name}" condim="3" margin="1e-6" friction="0.6 0.6"/>'
LEG = """
<body name="{name} thigh" pos="{x} {y} 0">
  <joint name="{name} hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.6"/>
  <body name="{name} shank" pos="0 0 -0.2">
    <joint name="{name} knee" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.18" size="0.01" mass="0.15"/>
    <geom name="{name}" type="sphere" pos="0 0 -0.2" size="0.02" mass="0.05"/><site name="{name}" pos="0 0 -0.2"/>
  </body>
</body>
"""
MODEL = f"""
<mujoco model="quadruped">
  <option timestep="0.001" cone="elliptic"/>
  <default><geom contype="0" conaffinity="0"/><joint armature="{{armature}}"/></default>
  <worldbody>
    {"".join(GROUND.format(name=name) for name in LEGS)}
    <body name="trunk" pos="0 0 {HEIGHT}">
      <freejoint name="root"/><geom type="box" size="0.25 0.1 0.05" mass="8"/><site name="trunk"/>
      {"".join(LEG.format(name=name, x=x, y=y) for name, (x, y) in LEGS.items())}
    </body>
  </worldbody>
  <contact>{"".join(PAIR.format(name=name) for name in LEGS)}</contact>
  <sensor>
    {"".join(f'<framelinvel objtype="site" objname="{name}"/>' for name in LEGS)}<gyro site="trunk"/>
  </sensor>
</mujoco>
"""


@dataclass
class Ground:
    """What the robot does not know of the ground under its feet (4 each)."""

    softness: Floats
    """The time constant of a contact, in s, of which each simulator makes what it has."""
    friction: Floats
    gap: Floats
    """How much lower the ground is than the feet when the impact begins, in m."""


FLAT = Ground(np.full(4, 0.02), np.full(4, 0.6), np.zeros(4))
"""MuJoCo's own contacts."""


class Robot:
    """The robot in MuJoCo. Coordinates are those of MuJoCo: the trunk's place, its turn, then hip and knee of each leg.

    Args:
        armature: the inertia of the rotors at the joints, in kg m^2.
    """

    def __init__(self, armature: float) -> None:
        self.armature = armature
        self.model = mujoco.MjModel.from_xml_string(MODEL.format(armature=armature))
        self.data = mujoco.MjData(self.model)
        self.data.qpos[7:] = np.tile([HIP, -2 * HIP], len(LEGS))
        self.pose = self.data.qpos.copy()
        mujoco.mj_forward(self.model, self.data)
        self.mass = np.zeros((self.model.nv, self.model.nv))
        for column, unit in zip(self.mass, np.eye(self.model.nv), strict=True):
            mujoco.mj_mulM(self.model, self.data, column, unit)

    def velocities(self, twist: Floats, forward: Floats, up: Floats) -> Floats:
        """Velocities (B,n) of the robot in flight, whose legs are told to move.

        Legs that begin to move turn the trunk back, so that momentum stays.

        Args:
            twist: of the robot with still legs (B,6).
            forward, up: velocities of the feet (B,4) in the frame of the trunk, in m/s.
        """
        joints = np.empty((len(twist), 2 * len(LEGS)))
        # The foot is at -LINK (sin a + sin b, cos a + cos b), where a = HIP and b = -HIP are the angles of the links.
        both, apart = -forward / (LINK * np.cos(HIP)), up / (LINK * np.sin(HIP))
        joints[:, 0::2] = (both + apart) / 2
        joints[:, 1::2] = -apart
        momentum = twist @ self.mass[:6, :6]
        trunk = np.linalg.solve(self.mass[:6, :6], (momentum - joints @ self.mass[6:, :6]).T).T
        return np.hstack([trunk, joints])

    def place(self, velocity: Floats, ground: Ground) -> None:
        """Sets the robot upon a ground, with a velocity (n)."""
        self.model.pair_solref[:, 0] = ground.softness
        self.model.pair_friction[:, :2] = ground.friction[:, None]
        mujoco.mj_resetData(self.model, self.data)
        self.data.mocap_pos[:, 2] = -ground.gap
        self.data.qpos[:] = self.pose
        self.data.qvel[:] = velocity

    def land(self, velocity: Floats, ground: Ground) -> Floats:
        """The turn (3) of the trunk after the impact, in rad/s."""
        self.place(velocity, ground)
        while self.data.time < LONGEST:
            mujoco.mj_step(self.model, self.data)
            if self.data.sensordata[2:12:3].min() > SETTLED:
                break
        return self.data.sensordata[12:15].copy()


def has_drake() -> bool:
    """Whether Drake is installed: ``pip install drake``."""
    return util.find_spec("pydrake") is not None


class Drake:
    """The robot in Drake upon a ground.

    The stiffness of a foot is that of a spring on which a quarter of the robot swings with the time constant of the
    ground; the dissipation is large enough that feet hardly bounce.
    """

    STEP = 5e-4  # s

    def __init__(self, robot: Robot, ground: Ground, dissipation: Floats) -> None:
        names = ("multibody.plant", "multibody.parsing", "systems.framework", "systems.analysis", "geometry", "math")
        plants, parsing, framework, analysis, self._geometry, self._math = (
            import_module(f"pydrake.{n}") for n in names
        )
        builder = framework.DiagramBuilder()
        config = plants.MultibodyPlantConfig(
            time_step=self.STEP, contact_model="point", discrete_contact_approximation="lagged"
        )
        self.plant, _ = plants.AddMultibodyPlant(config, builder)
        text = re.sub(
            r"<contact>.*</sensor>|<body mocap.*?</body>|<option[^>]*>|<site[^>]*>", "", MODEL, flags=re.DOTALL
        )
        parsing.Parser(self.plant).AddModelsFromString(text.format(armature=0), "xml")
        stiffness = robot.mass[0, 0] / len(LEGS) / ground.softness**2
        for i, (name, (x, y)) in enumerate(LEGS.items()):
            friction = plants.CoulombFriction(ground.friction[i], ground.friction[i])
            shank = self.plant.GetBodyByName(f"{name} shank")
            self._touches(shank, [0, 0, -LINK], self._geometry.Sphere(FOOT), friction, stiffness[i], dissipation[i])
            box, place = self._geometry.Box(0.19, 0.19, 1), [x, y, -0.5 - ground.gap[i]]
            self._touches(self.plant.world_body(), place, box, friction, 1e12, 0)
            for joint in (f"{name} hip", f"{name} knee"):
                motor = self.plant.AddJointActuator(joint, self.plant.GetJointByName(joint))
                motor.set_default_rotor_inertia(robot.armature)
        self.plant.Finalize()
        diagram = builder.Build()
        root = diagram.CreateDefaultContext()
        self.context = self.plant.GetMyMutableContextFromRoot(root)
        self.simulator = analysis.Simulator(diagram, root)
        self.shanks = [self.plant.GetBodyByName(f"{name} shank") for name in LEGS]
        self.pose = robot.pose

    def _touches(self, body: Any, place: list[float], shape: Any, friction: Any, stiffness: float, loss: float) -> None:
        """A shape on a body that touches others."""
        properties = self._geometry.ProximityProperties()
        self._geometry.AddContactMaterial(loss, stiffness, friction, properties=properties)
        name = f"{body.name()} {shape} {place}"
        self.plant.RegisterCollisionGeometry(body, self._math.RigidTransform(place), shape, name, properties)

    def mass(self) -> Floats:
        """The mass matrix (n,n) at the start, in the order of MuJoCo."""
        self._set(np.zeros(14))
        order = [3, 4, 5, 0, 1, 2, *range(6, 14)]
        found: Floats = self.plant.CalcMassMatrix(self.context)[np.ix_(order, order)]
        return found

    def _set(self, velocity: Floats) -> None:
        self.simulator.get_mutable_context().SetTime(0)
        self.plant.SetPositions(self.context, [*self.pose[3:7], *self.pose[:3], *self.pose[7:]])
        self.plant.SetVelocities(self.context, [*velocity[3:6], *velocity[:3], *velocity[6:]])
        self.simulator.Initialize()

    def land(self, velocity: Floats) -> Floats:
        """The turn (3) of the trunk after the impact, in rad/s."""
        self._set(velocity)
        for step in range(1, round(LONGEST / self.STEP) + 1):
            self.simulator.AdvanceTo(step * self.STEP)
            if min(self._down(shank) for shank in self.shanks) > SETTLED:
                break
        turn: Floats = self.plant.GetVelocities(self.context)[:3]
        return turn

    def _down(self, shank: Any) -> float:
        """The vertical velocity of a foot, in m/s."""
        velocity, turn = shank.EvalSpatialVelocityInWorld(self.context), shank.EvalPoseInWorld(self.context).rotation()
        x, y, _ = turn.matrix()[:, 2] * -LINK
        wx, wy, _ = velocity.rotational()
        return float(velocity.translational()[2] + wx * y - wy * x)
