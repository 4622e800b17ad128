"""Robots with flat feet, many feet, hands and stacks: accepted samples, time, width of the set.

    python3 benches/feet.py FOLDER --carom target/release/carom   # --long: beside other options

FOLDER gets the problem files. They need `pip install numpy pin example-robot-data mujoco dm_control
gymnasium`; what is missing is named. A width is the mean over 64 random directions of the velocity,
in the kinetic metric over |v-|_M, of accepted samples; the best known one is that of all runs.
"""

import argparse
import importlib.metadata
import importlib.resources
import json
import pathlib
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent.parent
DIRECTIONS, FEW, MANY = 64, 1024, 16_384
# A step is a multiple of the default one, which takes three tenths of the time.
RUNS = {"default": "", "explore": "--explore 0.5", "uniform": "--sampler uniform",
        "block 10": "--block 10", "step x 0.25": "--step 0.25", "step x 4": "--step 4"}
Robot = dict[str, np.ndarray]


def struck(mass: np.ndarray, rows: list[np.ndarray], free: list[int]) -> Robot:
    """A robot with three rows of each contact, whose free bodies fall at 1 m/s."""
    each, n = np.array(rows), len(mass)
    fall = -np.isin(np.arange(n) - 2, free).astype(float)
    tangent = each[:, 1:].reshape(-1, n)
    return dict(mass=mass, normal=each[:, 0], tangent=tangent, velocity=fall, free=np.array(free))


def described(path: str, feet: str, sole: list, skip: int = 0, angles: dict[str, float] | None = None) -> Robot:
    """A robot of `example-robot-data` in its first posture; soles have half width, depth, ends."""
    pin: Any = importlib.import_module("pinocchio")
    package = importlib.metadata.distribution("example-robot-data")
    file = str(package.locate_file(f"cmeel.prefix/share/example-robot-data/robots/{path}.urdf"))
    model = pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer())
    for srdf in sorted(pathlib.Path(file).parent.parent.rglob("*.srdf")):
        pin.loadReferenceConfigurations(model, str(srdf), False)
    postures = [p.data() for p in model.referenceConfigurations if len(p.data()) == model.nq]
    q = np.array([*postures, pin.neutral(model)][0])
    for part, angle in (angles or {}).items():
        q[[j.idx_q for name, j in zip(model.names, model.joints) if part in name]] = angle
    corners = [np.array([x, y, -sole[1]]) for x in sole[2:] for y in (-sole[0], sole[0])][skip:]
    data, rows = model.createData(), []
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    mass = np.triu(pin.crba(model, data, q))
    for frame in map(model.getFrameId, feet.split()):
        turn = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        rows += [(turn[:3] - pin.skew(c) @ turn[3:])[[2, 0, 1]] for c in corners]
    return struck(mass + np.triu(mass, 1).T, rows, [0])


def touching(source: str, margin: float = 1e-3, *posture: float) -> Robot:
    """A text, a file or a package's path of MuJoCo; one free robot is set down on the plane."""
    mujoco: Any = importlib.import_module("mujoco")
    package, colon, path = source.partition(":")
    load = mujoco.MjModel.from_xml_string if source[0] == "<" else mujoco.MjModel.from_xml_path
    model = load(str(importlib.resources.files(package) / path) if colon else source)
    model.geom_margin[:] = margin
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[3 : 3 + len(posture)] = posture
    plane, free = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE, model.jnt_type == 0
    robot = free[0] and free.sum() == 1

    def contacts() -> list:
        mujoco.mj_fwdPosition(model, data)
        return [c for c in data.contact if not robot or plane[c.geom1] or plane[c.geom2]]

    while robot and min((c.dist for c in contacts()), default=1) > 0:
        data.qpos[2] -= 5e-4
    rows, mass, jacobian = [], np.zeros((model.nv, model.nv)), np.zeros((2, 3, model.nv))
    for contact in contacts():
        for one, geom in zip(jacobian, (contact.geom1, contact.geom2)):
            mujoco.mj_jac(model, data, one, None, contact.pos, model.geom_bodyid[geom])
        rows.append(contact.frame.reshape(3, 3) @ (jacobian[1] - jacobian[0]))
    mujoco.mj_fullM(model, data, mass)
    speed = dict(velocity=data.qvel.copy()) if data.qvel.any() else {}
    return struck(mass, rows, list(model.jnt_dofadr[free])) | speed


def world(*bodies: str, floor: bool = True, speed: str = "") -> str:
    """A model of MuJoCo; `speed`, its velocity, if it does not only fall."""
    ground = '<geom type="plane" size="5 5 1"/>' if floor else ""
    key = f'<keyframe><key qvel="{speed}"/></keyframe>' if speed else ""
    return f"<mujoco><worldbody>{ground}{''.join(bodies)}</worldbody>{key}</mujoco>"


def box(at: str, size: str, mass: float, joints: str = "<freejoint/>", parts: str = "") -> str:
    """A body that is a box, with its joints and other parts."""
    return f'<body pos="{at}">{joints}{parts}<geom type="box" size="{size}" mass="{mass}"/></body>'


def walker(hips: str, joints: str, sole: float, armature: float = 0) -> str:
    """A trunk on legs with bent knees and flat feet: axes of a hip, mass of a sole."""
    line = dict(x="1 0 0", y="0 1 0", z="0 0 1")
    joint = f'<joint axis="{{}}" armature="{armature}"/>'
    hip, knee, ankle = ("".join(joint.format(line[c]) for c in axes) for axes in (joints, "y", "yx"))
    bone = '<geom type="capsule" fromto="0 0 0 {} 0 -.3" size=".03" mass="{}" contype="0" conaffinity="0"/>'
    foot = f'<geom type="box" size=".1 .05 .02" pos=".02 0 -.05" mass="{sole}"/>'
    shank = f'<body pos=".12 0 -.3">{knee}{bone.format(-0.12, 1.5)}<body pos="-.12 0 -.3">{ankle}{foot}</body></body>'
    legs = [f'<body pos="{at} -.1">{hip}{bone.format(0.12, 2.5)}{shank}</body>' for at in hips.split(",")]
    return world(box("0 0 .8", ".1 .1 .1", 6.0 * len(legs), parts="".join(legs)))


def stack(*levels: int) -> str:
    """Boxes in a row upon boxes in a row, each a little narrower than those below."""
    size = 0.1 if len(set(levels)) > 1 else 0.2
    places = [(k, 0.22 * (i - (count - 1) / 2)) for k, count in enumerate(levels) for i in range(count)]
    halves = [f"{size - 0.01 * k} {0.15 - 0.02 * k} .05" for k, _ in places]
    return world(*(box(f"{x} 0 {0.04995 + 0.0999 * k}", half, 1.0) for (k, x), half in zip(places, halves)))


def robots() -> Iterator[tuple[str, int, Callable[[], Robot]]]:
    """For each problem a name, its number among those of this robot, and how the robot is made."""
    bent = {"hip_pitch": -0.4, "knee": 0.8, "ankle_pitch": -0.4}
    talos = ["talos_data/robots/talos_reduced", "left_sole_link right_sole_link"]
    g1 = ["g1_description/urdf/g1_29dof_rev_1_0", "left_ankle_roll_link right_ankle_roll_link", [0.03, 0.035, -0.05, 0.12]]
    alexander = ["alexander_description/urdf/alexander_v1.lowerBodyOnly", "LEFT_FOOT RIGHT_FOOT"]
    by_urdf: list[Any] = [
        ("g1", 3, *g1), ("g1-crouching", 3, *g1, 0, bent), ("talos", 3, *talos, [0.065, 0, -0.105, 0.105]),
        ("icub", 3, "icub_description/robots/icub_reduced", "l_sole r_sole", [0.03, 0, -0.05, 0.11]),
        ("romeo", 2, "romeo_description/urdf/romeo_small", "l_sole r_sole", [0.05, 0, -0.09, 0.15]),
        ("alexander", 2, *alexander, [0.05, 0.06, -0.09, 0.15]),
        ("alexander-12", 2, *alexander, [0.05, 0.06, -0.09, 0.15, 0.03]),
        ("simple-humanoid", 2, "simple_humanoid_description/urdf/simple_humanoid", "l_ankle r_ankle", [0.06, 0.09, -0.08, 0.14]),
        ("bolt", 1, "bolt_description/robots/bolt", "FL_FOOT FR_FOOT", [0.01, 0.016, -0.02, 0.02]),
        ("anymal-12", 1, "anymal_b_simple_description/robots/anymal", "LF_FOOT LH_FOOT RF_FOOT RH_FOOT", [0.03, 0.031, -0.03, 0.03], 1),
        ("solo-box-feet", 2, "solo_description/robots/solo12", "FL_FOOT FR_FOOT HL_FOOT HR_FOOT", [0.008, 0.016, -0.016, 0.016]),
    ]
    for name, count, *how in by_urdf:
        yield from [(name, part, partial(described, *how)) for part in range(count)]
    leg = '<geom type="box" size=".03 .03 .2" pos="{} {} -.22" mass="1"/>'
    legs = "".join(leg.format(x, y) for x in (-0.4, 0.4) for y in (-0.3, 0.3))
    table, load = box("0 0 .4199", ".5 .4 .02", 8.0, parts=legs), box("0 0 .4898", ".1 .1 .05", 3.0)
    joints = '<joint type="slide" axis="1 0 0" armature=".05"/><joint axis="0 1 0" armature=".001"/>'
    held = [box(f"{x} 0 .1", ".03 .02 .02", 0.2, joints) for x in (-0.07995, 0.07995)]
    grip, close = [*held, box("0 0 .09995", ".05 .04 .1", 0.5)], "1 .3 -.8 .2  0 0 -.2 0 0 0"
    brick = box("0 0 .04995", ".1 .07 .05", 1.0)
    two, four, six = "0 .1,0 -.1", ".3 .15,.3 -.15,-.3 .15,-.3 -.15", ".4 .2,.4 -.2,0 .2,0 -.2,-.4 .2,-.4 -.2"
    by_mjcf: list[Any] = [
        ("dm-humanoid", 3, "dm_control:suite/humanoid.xml", 0.01),
        ("dm-humanoid-cmu", 1, "dm_control:suite/humanoid_CMU.xml", 0.01),
        ("gym-humanoid-prone", 1, "gymnasium:envs/mujoco/assets/humanoid.xml", 0.05, 0.5**0.5, 0, 0.5**0.5, 0),
        ("gym-ant", 1, "gymnasium:envs/mujoco/assets/ant.xml", 0.01, 1, 0, 0, 0, 0, 1, 0, -1, 0, -1, 0, 1),
        ("biped", 2, walker(two, "zxy", 0.8)), ("biped-armature-.001", 1, walker(two, "zxy", 0.8, 0.001)),
        ("biped-armature-.01", 1, walker(two, "zxy", 0.8, 0.01)), ("biped-light-feet", 2, walker(two, "zxy", 0.1)),
        ("quadruped-box-feet", 1, walker(four, "xy", 0.4, 0.001)), ("hexapod-box-feet", 1, walker(six, "xy", 0.4, 0.001)),
        ("hand-on-box", 2, f"{HERE}/tests/golden/models/hand.xml"),
        ("gripper", 1, world(*grip, floor=False, speed=close)), ("gripper-on-floor", 1, world(*grip, speed=close)),
        ("table", 1, world(table)), ("table-laden", 1, world(table, load)), ("box", 3, world(brick)),
        ("stack-2", 1, stack(1, 1)), ("stack-3", 2, stack(1, 1, 1)), ("stack-5", 2, stack(1, 1, 1, 1, 1)), ("pile", 1, stack(3, 2)),
    ]
    for name, count, *how in by_mjcf:
        yield from [(name, part, partial(touching, *how)) for part in range(count)]


def write(folder: pathlib.Path, only: str) -> Iterator[pathlib.Path]:
    """Writes problem files, with velocities, friction and restitution by turns."""
    for number, (name, part, make) in enumerate(robots()):
        turn = part if name == "box" else (number // 2 + number // 6) % 3
        mu = ((0.3, 0.8, 1.5) if name == "box" else (0.3, 0.6, 1.0))[turn]
        kind, e = ("drop", "slide", "random")[number % 3], 0.5 * (number % 2)
        file = folder / f"{name}-{kind}-{mu}-{e}.json"
        if only not in file.stem:
            continue
        try:
            robot = make()
        except (ImportError, importlib.metadata.PackageNotFoundError) as error:
            print(f"left out: {file.stem}, {error}\n")
            continue
        velocity = robot["velocity"]
        for start in robot.pop("free") if kind == "slide" else ():
            velocity[start : start + 6] += [0.5, 0.2, 0, 0, 0, 0.5]
        if kind == "random":
            velocity += np.random.default_rng(number).normal(0, 0.3, len(velocity))
        problem = {key: value.tolist() for key, value in robot.items() if key != "free"}
        file.write_text(json.dumps(problem | dict(name=file.stem, friction=mu, restitution=e)))
        yield file


def sample(args: argparse.Namespace, file: pathlib.Path, options: str, seconds: float) -> tuple[dict, np.ndarray]:
    """A report, and how far the first samples and all of them reach, in the time there is."""
    problem = json.loads(file.read_text())
    mass, before = np.array(problem["mass"]), np.array(problem["velocity"])
    ways = np.random.default_rng(0).normal(size=(len(mass), DIRECTIONS))
    ways /= np.linalg.norm(ways, axis=0) * np.sqrt(before @ mass @ before)
    fixed = f"--device cpu --threads 1 --precision f64 --max-rejected 1 --seed 0 --json {options}"
    most, spent = MANY if args.long else args.samples, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for pilot in (24, 0):
            count = str(pilot or min(most, max(48, int(24 * seconds / spent))))
            run = [args.carom, "sample", str(file), *fixed.split(), "--samples", count, "--out", f"{folder}/out.npz"]
            start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            report = json.loads(subprocess.run(run, stdout=subprocess.PIPE, check=True).stdout)
            used = max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start, 1e-3)
            spent = min(used, report["seconds"]["total"])
        saved = dict(np.load(f"{folder}/out.npz"))
    far, kept = saved["velocity"] @ np.linalg.cholesky(mass) @ ways, saved["accepted"]
    sets = far[kept & (saved["sample"] < FEW)], far[kept]
    reach = [[-x.min(0), x.max(0)] if len(x) else np.zeros((2, DIRECTIONS)) for x in sets]
    return report | dict(us=1e6 * spent / report["samples"]), np.array(reach)


def measured(args: argparse.Namespace, file: pathlib.Path) -> list:
    """A row of the table."""
    runs: list[tuple[dict, np.ndarray]] = []
    for name, options in (RUNS if args.long else {"default": ""}).items():
        if name.startswith("step"):
            options = f"--step {float(options.split()[1]) * runs[0][0]['step']}"
        share = 1 if not args.long else 0.3 if name == "default" else 0.7 / (len(RUNS) - 1)
        runs.append(sample(args, file, options, share * args.seconds))
    first, widths = runs[0][0], [reach.sum(1).mean(1) for _, reach in runs]
    ends = {"inaccurate": first["terminated"] - first["accepted"], **first["status"], "terminated": 0}
    robot, mu, e = file.stem.rsplit("-", 2)
    cells = [robot, len(first["normal_velocity"]["min"]), mu, e, first["samples"], first["accepted"]]
    cells += [", ".join(f"{n} {end}" for end, n in ends.items() if n), f"{first['us']:.0f}", f"{widths[0][0]:.2g}"]
    if args.long:
        best = np.max([reach[1] for _, reach in runs], axis=0).sum(0).mean()
        fewer = [f" of {r['samples']}" if r["samples"] < MANY else "" for r, _ in runs]
        shares = [f"{width[1] / best:.3f}{count}" for width, count in zip(widths, fewer)]
        cells += [f"{best:.2g}", f"{widths[0][0] / best:.3f}", *shares]
    return cells


def main() -> None:
    """Writes the problems, samples them, and prints a table."""
    parser = argparse.ArgumentParser(description="How carom samples robots with flat feet.")
    parser.add_argument("folder", type=pathlib.Path, help="where the problem files go")
    parser.add_argument("--carom", default="carom", help="the program")
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--only", default="", help="problems whose names have this text")
    parser.add_argument("--long", action="store_true", help="longer runs, with other options too")
    parser.add_argument("--seconds", type=float, default=90, help="processor time for a problem")
    parser.add_argument("--models-only", action="store_true", help="only write the problems")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    files = list(write(args.folder, args.only))
    if args.models_only:
        return
    heads = ["robot", "contacts", "mu", "e", "samples", "accepted", "others", "us", f"width of {FEW}"]
    heads += ["best known", f"of it {FEW}", *RUNS] if args.long else []
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)
    for file in files:
        print(f"| {' | '.join(map(str, measured(args, file)))} |", flush=True)


if __name__ == "__main__":
    main()
