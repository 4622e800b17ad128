"""A quadruped lands on two feet at once: what MuJoCo makes of it, beside the set of outcomes that carom samples.

MuJoCo's contacts are soft: for about 0.02 s springs push both feet, and which foot gets how much impulse when follows
from their stiffness. Nobody knows the order of the impulses of rigid feet, and the outcome depends on it: carom samples
all orders. MuJoCo's outcome lies near that set and not quite in it: legs move on during its impact, and its contacts
give way even when they are stiff (with solimp="0.999 0.9999 0.001" it lies about half as far away).

    pip install carom[mujoco]
    python mujoco_landing.py
"""

import time

import mujoco
import numpy as np

import carom

LEG = """
<body name="{name} thigh" pos="{x} {y} 0">
  <joint name="{name} hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="1"/>
  <body name="{name} shank" pos="0 0 -0.2">
    <joint name="{name} knee" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.18" size="0.01" mass="0.2"/>
    <geom name="{name}" type="sphere" pos="0 0 -0.2" size="0.02" mass="0.05" contype="1"/>
  </body>
</body>
"""
LEGS = {"front left": (0.2, 0.1), "front right": (0.2, -0.1), "hind left": (-0.2, 0.1), "hind right": (-0.2, -0.1)}
MODEL = f"""
<mujoco model="quadruped">
  <option gravity="0 0 0" timestep="{{step}}"/>
  <default><geom contype="0" conaffinity="0" solref="{{softness}} 1"/><joint armature="0.05"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" conaffinity="1" friction="0.6" margin="1e-6"/>
    <body name="trunk">
      <freejoint/><geom type="box" size="0.25 0.1 0.05" mass="8"/>
      {"".join(LEG.format(name=name, x=x, y=y) for name, (x, y) in LEGS.items())}
    </body>
  </worldbody>
</mujoco>
"""


def touchdown(softness=0.02, step=0.002):
    """The model and its state at the moment when the front left and the hind right foot touch the floor.

    Args:
        softness: the time constant of MuJoCo's contacts, in s; 0.02 is its default.
        step: the time step, in s; 0.002 is MuJoCo's default.
    """
    # Gravity does nothing during an impact, but MuJoCo's takes long enough to feel it; so there is none.
    model = mujoco.MjModel.from_xml_string(MODEL.format(softness=softness, step=step))
    data = mujoco.MjData(model)
    stance, swing = (0.4, -0.9), (0.9, -1.9)
    data.qpos[7:] = [*stance, *swing, *swing, *stance]
    mujoco.mj_forward(model, data)
    data.qpos[2] -= data.geom("front left").xpos[2] - 0.02
    data.qvel[:3] = [0.5, 0.1, -1]  # the trunk falls at 1 m/s while it walks
    data.qvel[4] = 0.5  # and its nose goes down
    mujoco.mj_forward(model, data)
    return model, data


def simulate(model, data):
    """Steps MuJoCo until no foot sinks in at more than 1 cm/s: the time that takes, in s, and the velocity then."""
    sinking = True
    while sinking:
        before = {name: data.geom(name).xpos[2] for name in LEGS}
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        heights = {name: data.geom(name).xpos[2] for name in LEGS}
        sinking = any(heights[name] < min(0.02, before[name] - 0.01 * model.opt.timestep) for name in LEGS)
    return data.time, data.qvel.copy()


model, data = touchdown()

# Mass matrix, velocity, contacts and friction are those of MuJoCo's state; it has no coefficient of restitution.
problem = carom.from_mujoco(model, data, restitution=0)
print(problem)
print("contacts:", ", ".join(problem.contacts))

start = time.perf_counter()
out = carom.sample(problem, samples=4096, seed=1)
print(f"{out.accepted.sum()} outcomes in {time.perf_counter() - start:.1f} s")

print("\nhow far MuJoCo's outcome lies from the set, in parts of the kinetic velocity before the impact")
print(f"{'softness s':>10} {'step s':>8} {'lasts s':>8} {'nearest':>8} {'hull':>8}")
outcomes = []
for softness, step in ((0.02, 0.002), (0.005, 0.0005), (0.001, 0.0001)):
    lasted, velocity = simulate(*touchdown(softness, step))
    distance = out.distance(velocity)
    nearest, hull = (distance[which]["distance"] for which in ("nearest", "hull"))
    print(f"{softness:>10} {step:>8} {lasted:>8.4f} {nearest:>8.3f} {hull:>8.3f}")
    outcomes.append(velocity)

low, high = out.extents()
print(f"\n{'velocity after the impact':<26} {'before':>8} {'least':>8} {'greatest':>8} {'MuJoCo':>8}")
for row in zip(problem.coordinates, problem.velocity, low, high, outcomes[0], strict=True):
    print("{:<26} {:>8.3f} {:>8.3f} {:>8.3f} {:>8.3f}".format(*row))

# What may happen at the worst, and one such outcome back in MuJoCo, to go on from there.
worst = out.support(np.eye(model.nv)[4])
print(f"\nthe nose goes down with up to {worst['value']:.3f} rad/s, as in sample {worst['sample']}")
carom.to_mujoco(data, worst["velocity"])
mujoco.mj_forward(model, data)

out.plot("mujoco-landing.svg", axes=["trunk.x,trunk.ry", "trunk.rx,trunk.ry"], title="quadruped on two feet")
print("mujoco-landing.svg: the set, coloured by what the feet do")
