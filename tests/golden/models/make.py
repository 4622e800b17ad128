"""Mass matrices, bias forces and contact rows of the robots in this folder, from MuJoCo: NAME_xml.json for NAME.xml, NAME_urdf.json for NAME.urdf.

pip install mujoco==4.0.0 numpy; python make.py. In each state shapes touch exactly, as MuJoCo places a contact half way into an
overlap: the states of the MJCF files are keyframes, those of the URDF files stand below.
"""

import json
import pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).parent

CASES = {
    "quadruped.xml": dict(keyframe="stand"),
    "biped.xml": dict(keyframe="step"),
    "arm.xml": dict(keyframe="reach"),
    "classes.xml": dict(keyframe="touch"),
    "humanoid.xml": dict(keyframe="landing"),
    "hand.xml": dict(keyframe="grasp"),
    "boxes.xml": dict(keyframe="fall"),
    "quadruped.urdf": dict(floating=True, ground=True),
    "arm.urdf": dict(ground=True),
}
# qpos by joint, or by what its name begins with; None: the height at which the feet touch.
STATE = {
    "quadruped.urdf": {"free": [0.1, -0.2, None, 1, 0, 0, 0], "thigh": 0.7, "shank": -1.4, "hip": 0.0},
    "arm.urdf": {"yaw": 0.3, "lift": -0.5870598107804379, "elbow": 0.4},
}


def load(name, case):
    spec = mujoco.MjSpec.from_file(str(HERE / name))
    if case.get("floating"):
        spec.worldbody.first_body().add_freejoint(name="free")
    if case.get("ground"):
        spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    return spec.compile()


def place(model, data, name, case):
    if "keyframe" in case:
        mujoco.mj_resetDataKeyframe(model, data, model.key(case["keyframe"]).id)
        return
    state = STATE[name]
    for j in range(model.njnt):
        joint = model.joint(j)
        value = state.get(joint.name, state.get(joint.name.split("_")[0]))
        at = model.jnt_qposadr[j]
        for k, x in enumerate(np.atleast_1d(value)):
            data.qpos[at + k] = 0.5 if x is None else x
    if "free" in state:  # down to the ground
        mujoco.mj_forward(model, data)
        lowest = min(data.geom_xpos[g][2] - model.geom_size[g][0] for g in range(model.ngeom)
                     if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_SPHERE)
        data.qpos[2] -= lowest


def numbers(model, data):
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    contacts = []
    for c in data.contact[: data.ncon]:
        # MuJoCo's own tolerance is wider than that of a scene.
        if c.dist > 1e-6:
            continue
        frame = np.array(c.frame).reshape(3, 3)
        rows = np.zeros((3, model.nv))
        for geom, sign in ((c.geom1, -1), (c.geom2, 1)):
            jacobian = np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, jacobian, None, c.pos, model.geom_bodyid[geom])
            rows += sign * frame @ jacobian
        contacts.append(dict(point=list(c.pos), gap=c.dist, normal=list(rows[0]),
                             tangents=[list(rows[1]), list(rows[2])],
                             friction=0.0 if c.dim == 1 else c.friction[0]))
    return mass, contacts


def joints(model, data):
    found = []
    for j in range(model.njnt):
        kind = ["free", "ball", "slide", "hinge"][model.jnt_type[j]]
        body = model.jnt_bodyid[j]
        turn = np.array(data.xmat[body]).reshape(3, 3)
        # What carries the joint: the first body before it that moves, or the world.
        carrier = model.body_weldid[model.body_parentid[body]]
        parent = np.array(data.xmat[carrier]).reshape(3, 3)
        found.append(dict(
            name=model.joint(j).name, body=model.body(body).name, kind=kind, first=int(model.jnt_dofadr[j]), turn=turn.tolist(),
            parent=parent.tolist(),
            # From the body's origin to its own mass centre, in the world.
            arm=(np.array(data.xipos[body]) - np.array(data.xpos[body])).tolist()))
    return found


for name, case in CASES.items():
    model = load(name, case)
    data = mujoco.MjData(model)
    place(model, data, name, case)
    model.geom_margin[:] = 1e-5  # shapes that touch exactly count
    mujoco.mj_forward(model, data)
    mass, contacts = numbers(model, data)
    out = dict(origin=f"MuJoCo {mujoco.__version__}, mj_fullM, qfrc_bias and mj_jac at the contacts of mj_collision; make.py",
               gravity=list(model.opt.gravity), bias=list(data.qfrc_bias), velocity=list(data.qvel), joints=joints(model, data), mass=mass.tolist(), contacts=contacts,
               position=list(data.qpos))
    (HERE / (name.replace(".", "_") + ".json")).write_text(json.dumps(out))
    print(name, "nv", model.nv, "contacts", len(contacts), [round(c["gap"], 12) for c in contacts])
