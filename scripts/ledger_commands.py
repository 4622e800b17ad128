"""The commands of the ledger of behaviour.

Left out: `bench`, whose answers are times; `doctor`, which tells of the machine; limits in seconds
that a slow machine reaches, so exact sets and proofs are asked for where they take well under a
second; and `dataset --dry-run`, an estimate of how long a data set takes.
"""

from itertools import product

PLANAR = [
    "rocking-block",
    "compass-gait",
    "box-and-wall",
    "ramone",
    "disk-stack",
    "disk-stack-as-published",
    "newtons-cradle",
    "billiard-break",
    "tailed-runner",
    "ball-row",
    "triple-pendulum",
]
SPATIAL = [
    "cube-on-edge",
    "cube-on-face",
    "icosahedron-tetrahedron",
    "pin-ball",
    "quadruped-trot",
    "brick-on-vertex",
    "brick-flat",
]
LARGE = ["humanoid", "hand-on-box", "box-pile"]
SCENES = PLANAR + SPATIAL + LARGE

#: A direction of each scene, by the name of a coordinate.
AIMS = {
    "rocking-block": "theta",
    "compass-gait": "hip.x",
    "box-and-wall": "theta",
    "ramone": "trunk.theta",
    "disk-stack": "top.x",
    "disk-stack-as-published": "top.x",
    "newtons-cradle": "C.d",
    "billiard-break": "c.x",
    "tailed-runner": "trunk.theta",
    "ball-row": "5.d",
    "cube-on-edge": "cube.z",
    "cube-on-face": "cube.wx",
    "icosahedron-tetrahedron": "icosahedron.z",
    "pin-ball": "x",
    "quadruped-trot": "trunk.z",
    "brick-on-vertex": "brick.wx",
    "brick-flat": "brick.z",
    "triple-pendulum": "lower.theta",
    "humanoid": "pelvis.z",
    "hand-on-box": "box.z",
    "box-pile": "top.z",
}
assert sorted(AIMS) == sorted(SCENES)

#: Laws and processes of `sample`.
LAWS = [
    "",
    "--process events",
    "--process inclusion",
    "--process steps",
    "--process steps --solution lemke",
    "--facets 8",
    "--law sequential",
    "--law propagative",
    "--law plus",
]
BOUNCING = [
    "",
    "--process events",
    "--process inclusion",
    "--process inclusion --hypothesis poisson",
    "--process inclusion --hypothesis newton",
    "--process steps",
    "--process steps --hypothesis poisson",
    "--law sequential",
    "--law propagative",
    "--law plus",
]
FINITE = [
    "anitescu-potra",
    "cone-complementarity",
    "convex-relaxation",
    "sequential",
    "propagative",
    "darboux-keller",
    "plus",
    "compliant",
]
ONE_CONTACT = ["icosahedron-tetrahedron", "pin-ball", "brick-on-vertex", "triple-pendulum"]
#: Laws that refuse restitution, and the scenes that have it.
INELASTIC = ["anitescu-potra", "cone-complementarity", "convex-relaxation", "sequential"]
BOUNCY = ["cube-on-edge", "cube-on-face", "pin-ball", "brick-on-vertex", "brick-flat"]
BOUNCY += ["icosahedron-tetrahedron"]
MOTIONS = [
    "ellipsoid",
    "ellipsoid-tilted",
    "ellipsoid-union",
    "cube",
    "falling-block",
    "bouncing-rod",
    "cradle-pendulums",
    "rocking-zeno",
    "painleve-rod",
    "swerving-ball",
    "tossed-brick",
    "runner-lands",
    "quadruped-lands",
    "square.toml",
    "tossed-cube.toml",
    "sliding-rod.toml",
    "implicit.toml",
]
COMMANDS = [
    "sample",
    "resolve",
    "set",
    "simulate",
    "query",
    "replay",
    "bound",
    "guarantee",
    "design",
    "dataset",
    "merge",
    "scenes",
    "import",
    "compare",
    "reality",
    "extract",
    "identify",
    "plot",
    "gallery",
    "bench",
    "doctor",
    "schema",
    "completions",
    "manual",
    "programs",
]
QUESTIONS = [
    "support --direction {aim}=1",
    'worst --cost "abs({aim}) + 0.5*({aim}-1)^2"',
    "distance --velocity {aim}=0.3",
    "contains --velocity {aim}=0.1 --eps 0.02",
    "extents",
    "modes",
    "representatives --count 5",
    "clusters --gap 0.05",
    "invariants",
]

#: Problem files.
NUMBERS = [
    *("block.json", "three.json", "uncertain.json", "wedge.json", "smooth.json", "bound.json"),
]

NAN = float("nan")


def states() -> tuple[tuple[int, ...], str, list[float]]:
    """The masses of six states, of which the fifth has none."""
    numbers = []
    for b in range(6):
        m = -1.0 if b == 4 else 1.0 + 0.1 * b
        numbers += [m, 0.0, 0.0, 0.0, m, 0.1, 0.0, 0.1, 0.2 + 0.02 * b]
    return (6, 3, 3), "d", numbers


#: Files of arrays that commands read: the name, then arrays by shape, type and numbers.
ARRAYS = {
    "states.npz": {
        "mass": states(),
        "normal": ((3, 3), "d", [0.0, 1.0, -0.5, 0.0, 1.0, 0.5, -1.0, 0.0, 0.1]),
        "tangent": ((3, 3), "d", [1.0, 0.0, 0.5, 1.0, 0.0, 0.5, 0.0, 1.0, 0.4]),
        "friction": ((6, 3), "d", [0.5, 0.4, NAN] * 3 + [0.5, 0.4, 0.2] * 3),
        "velocity": ((6, 3), "d", [0.1 * i - 0.9 * (i % 3 == 1) for i in range(18)]),
        "active": ((6, 3), "?", [1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1, 0]),
    },
    "impact.npz": {
        "M": ((3, 3), "d", [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4167]),
        "Jn": ((2, 3), "d", [0.0, 1.0, -0.5, 0.0, 1.0, 0.5]),
        "Jt": ((2, 3), "d", [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]),
        "mu": ((2,), "d", [1.0, 1.0]),
        "v": ((3,), "d", [0.0, -0.44, 0.0]),
    },
}


def joined(*words: str) -> str:
    return " ".join(word for word in ("carom", *words) if word)


def applies(scene: str, law: str) -> bool:
    """Whether a law is for such a scene; a few refusals are listed apart."""
    if "events" in law:
        return scene in PLANAR
    if "facets" in law:
        return scene not in PLANAR
    if "newton" in law:
        return scene in ("pin-ball", "triple-pendulum")
    # All samples of a pile end by the limit on work, after a minute.
    return (scene, law) != ("box-pile", "--law plus")


def count(scene: str) -> str:
    """Few samples of scenes that take long."""
    return "-n 16" if scene in LARGE else "-n 256"


def sampled() -> list[str]:
    """Samples of all scenes by all laws and processes, as reports and as files."""
    lines = []
    for scene, law, precision in product(SCENES, LAWS, ["f64", "f32"]):
        if not applies(scene, law):
            continue
        file = "s.npz" if precision == "f64" else "s.parquet"
        of = f"--precision {precision} --json --out {file}"
        lines.append(joined("sample", scene, law, count(scene), of))
    bouncing = [
        *("rocking-block", "compass-gait", "disk-stack", "ball-row", "newtons-cradle"),
        *("cube-on-edge", "cube-on-face", "quadruped-trot", "pin-ball", "brick-flat"),
        "triple-pendulum",
    ]
    for scene, law, precision in product(bouncing, BOUNCING, ["f64", "f32"]):
        if not applies(scene, law):
            continue
        of = f"--precision {precision} --json --out s.npz"
        lines.append(joined("sample", scene, law, "--restitution 0.5 -n 128", of))
    samplers = ["coverage", "uniform", "sobol", "uniform:0.2,coverage:0.8", "sobol:0.5,uniform:0.5"]
    processes = ["events", "inclusion", "steps"]
    for scene in ["box-and-wall", "disk-stack", "cube-on-edge", "quadruped-trot"]:
        for process, sampler, precision in product(processes, samplers, ["f64", "f32"]):
            if process != "events" or scene in PLANAR:
                law = f"--process {process} --sampler {sampler}"
                of = f"-n 64 --precision {precision} --json --out s.npz"
                lines.append(joined("sample", scene, law, of))
    for scene in SCENES:
        lines.append(joined("sample", scene, count(scene), "--explain"))
        # Pictures of the pile take ten seconds.
        if scene != "box-pile":
            lines.append(joined("sample", scene, count(scene), "-o s.svg"))
    return lines


def options() -> list[str]:
    """The options of `sample`, one by one."""
    lines = []
    block = [
        *("--step 0.02", "--step 0.02 --max-steps 100 --persist 15", "--block 0.25"),
        *("--process steps --step 0.05", "--process steps --max-steps 1 --last-step 0.5"),
        *("--process steps --persist 3", "--process events --max-steps 3"),
        *("--process inclusion --accuracy 1e-3", "--process inclusion --accuracy 1e-6"),
        *("--process inclusion --max-steps 20", "--seed 7", "--seed 18446744073709551615"),
        *("--first 65536", "--first 9223372036854775000", "--friction 0.2", "--friction 0.2,0.9"),
        *("--velocity theta=0.5", "--velocity 0.1,-0.5,0.2", "--set slope=10"),
        *("--set slope=-5 --set height=1.5", "--threads 1", "--threads 2", "--max-rejected 0"),
        *("--law sequential --max-steps 1", "--law propagative --max-steps 2"),
        *("--law plus --phases once", "--law plus --restitution 0.7 --v-plastic 0.05"),
        *("--law plus --theta-max 0.2 --v-transition 0.01 --v-capture 0.001",),
        *("--model model.toml", "--model model.toml --law-only", "--model model.toml --seed 3"),
        *("--model model.toml --precision f32", "--until-radius 0.2", "--explore 0.5"),
        *("--until-radius 0.1 --confidence 0.9 --mass 0.05", "--aim 0.5"),
        *("--explore 0.25 --process steps", "--explore 0.5 --precision f32"),
        *("--restitution 0.4 --hypothesis poisson", "--restitution 1", "--device cpu"),
    ]
    for option in block:
        few = "" if "until" in option else "-n 200"
        lines.append(joined("sample rocking-block", option, few, "--json --out s.npz"))
    solvers = {
        "tree": ["rocking-block"],
        "table": ["rocking-block", "box-and-wall", "ramone", "three.json", "ball-row"],
        "cache": ["ball-row"],
        "chart": ["rocking-block", "box-and-wall", "ramone", "triple-pendulum", "three.json"],
        "scalar": ["rocking-block", "box-and-wall", "ramone", "three.json", "disk-stack"],
    }
    for solver, scenes in solvers.items():
        process = "events" if solver == "chart" else "steps"
        for scene, precision in product(scenes, ["f64", "f32"]):
            law = f"--process {process} --solver {solver} -n 200 --precision {precision}"
            lines.append(joined("sample", scene, law, "--json --out s.npz"))
    for scene in ["compass-gait", "quadruped-trot", "cube-on-edge"]:
        lines.append(joined("sample", scene, "--solver scalar -n 64 --json"))
    uncertain = [
        *("mu=0.1..0.3", "e=0.2..0.4", "noise=0.02", "inertia=0.9..1.1"),
        *("mu=0.1..0.3,e=0.2..0.4,inertia=0.9..1.1,noise=0.01", "gap=1e-3,late=0.01"),
        *("attitude=0.01", "shift=1e-3", "inset=0.001..0.01", "edge=0.001..0.01"),
        *("slope=-0.05..0.05", "gap=1e-3,late=0.01,attitude=0.01,shift=1e-3,mu=0.2..0.5"),
    ]
    for scene, ranges in product(["rocking-block", "cube-on-edge", "cube-on-face"], uncertain):
        law = f"--uncertainty {ranges} -n 64"
        lines.append(joined("sample", scene, law, "--json --out s.npz"))
        lines.append(joined("sample", scene, law, "--precision f32 --json --out s.parquet"))
    for law in ["--process steps", "--process inclusion", "--law sequential", "--law plus"]:
        lines.append(joined("sample box-and-wall -n 64 --uncertainty mu=0.2..0.6", law, "--json"))
    for of, law in product(
        ["", "=velocity", "=friction", "=restitution", "=step"],
        ["", "--process steps", "--process inclusion", "--law sequential", "--restitution 0.5"],
    ):
        lines.append(joined("sample box-and-wall -n 64", law, f"--out s.npz --jacobian{of}"))
    lines += [
        "carom sample cube-on-edge -n 64 --out s.npz --jacobian",
        "carom sample cube-on-face -n 64 --out s.parquet --jacobian=friction",
        "carom sample quadruped-trot -n 16 --out s.npz --jacobian=restitution",
        "carom sample cube-on-edge --facets 8 -n 64 --out s.npz --jacobian",
        "carom sample cube-on-edge --facets 4 -n 64 --json",
        "carom sample cube-on-edge --facets 32 -n 64 --json",
        "carom sample cube-on-edge --facets 8 --restitution 0 --solution lemke -n 64 --json",
        "carom sample cube-on-edge --process steps --restitution 0 -n 64 --json",
        "carom sample cube-on-edge --explore 0.5 -n 128 --json",
        "carom sample cube-on-edge --model model-space.toml -n 64 --json --out s.npz",
        "carom sample cube-on-edge --model model-space.toml --law-only -n 64 --json",
        "carom sample quadruped-trot --until-radius 0.3 --json",
        "carom sample disk-stack --aim 0.5 -n 256 --json",
        "carom sample box-and-wall -n 100 -o s.png",
        "carom sample box-and-wall -n 100 -o s.pdf",
        "carom sample box-and-wall -n 100 -o s.svg --axes box.x,box.theta --size 85mm --title Set",
        "carom sample box-and-wall -n 100 --panels scene,velocity -o s.svg",
    ]
    for file in NUMBERS:
        for law in ["", "--process steps", "--law sequential", "--law propagative"]:
            lines.append(joined("sample", file, law, "-n 100 --json --out s.npz"))
    for file in ["leaning.toml", "wide.toml", "impact.npz", "examples/biped.npz"]:
        lines.append(joined("sample", file, "-n 100 --json --out s.parquet"))
    for robot in ["alexander", "dm-humanoid", "g1", "talos"]:
        lines.append(joined("sample", f"feet/{robot}.json", "-n 8 --json"))
        law = "--law cone-complementarity --restitution 0"
        lines.append(joined("resolve", f"feet/{robot}.json", law, "--json"))
    lines += [
        "carom sample - -n 64 --json < block.json",
        "carom sample - -n 64 < leaning.toml",
        "carom scenes ramone --json > r.json ; carom sample r.json -n 64 --json",
    ]
    for kind, law in product(["npz", "parquet"], ["", "--law sequential", "--process steps"]):
        of = f"carom sample rocking-block -n 3000 {law}".rstrip()
        parts = " ; ".join(f"{of} --shard {i}/3 --out {i}.{kind}" for i in range(3))
        lines.append(f"{parts} ; carom merge 2.{kind} 0.{kind} 1.{kind} -o all.{kind}")
    parts = " ; ".join(
        f"carom sample cube-on-edge -n 2048 --shard {i}/2 --json > {i}.json" for i in range(2)
    )
    lines += [
        f"{parts} ; carom merge 0.json 1.json",
        f"{parts} ; carom merge 1.json 0.json -o all.json",
        f"{parts} ; carom merge 1.json 1.json",
    ]
    return lines


def finite() -> list[str]:
    """Laws with finitely many outcomes."""
    lines = []
    for scene, law in product(SCENES, FINITE):
        if law != "darboux-keller" or scene in ONE_CONTACT:
            lines.append(joined("resolve", scene, f"--law {law}", "--json"))
        if law in INELASTIC and scene in BOUNCY:
            lines.append(joined("resolve", scene, f"--law {law}", "--restitution 0 --json"))
    lines += [joined("resolve", "box-and-wall", f"--law {law}") for law in FINITE]
    lines += [joined("resolve", "cube-on-edge", f"--law {law}") for law in FINITE]
    for option in [
        *("disk-stack --law sequential --start 1", "disk-stack --law sequential --order 1,0,2,4,3"),
        *("box-and-wall --law sequential --restitution 0.5",),
        *("billiard-break --law propagative --sequences minimal",),
        *("billiard-break --law propagative --sequences admissible --max-length 4",),
        *("billiard-break --law propagative --set theta=90",),
        *("newtons-cradle --law propagative --restitution 0.5",),
        *("pin-ball --law darboux-keller --hypothesis poisson",),
        *("pin-ball --law darboux-keller --hypothesis newton --restitution 0.3",),
        *("icosahedron-tetrahedron --law darboux-keller --friction 0.25",),
        *("cube-on-edge --law anitescu-potra --facets 6 --restitution 0",),
        *("cube-on-edge --law cone-complementarity --starts 3 --restitution 0",),
        *("brick-on-vertex --law plus --friction 0.125 --restitution 0.392",),
        *("brick-on-vertex --law plus --theta-max 0.15", "brick-flat --law plus"),
        *("ball-row --law plus --phases once --restitution 1", "ball-row --law plus --v-capture 1"),
        *("ball-row --law compliant --model hunt-crossley --restitution 1",),
        *("rocking-block --law compliant --stiffness 1e6,1e8",),
        *("rocking-block --law compliant --damping 0.5 --gaps 0,1e-5",),
        *("brick-on-vertex --law compliant --stribeck 0.1,1.2",),
        *("block.json --law anitescu-potra", "wedge.json --law cone-complementarity"),
        *("smooth.json --law propagative", "bound.json --law plus"),
        *("examples/biped.npz --law plus", "three.json --law plus"),
        *("rocking-block --law plus --velocity theta=0.5", "rocking-block"),
        *("rocking-block --law anitescu-potra --set slope=10 --friction 0.3",),
    ]:
        lines.append(joined("resolve", option, "--json"))
    for scene in SCENES:
        # These take ten seconds.
        if scene not in ("humanoid", "box-pile"):
            lines.append(joined("compare", scene, count(scene), "--json"))
    lines += [
        "carom compare rocking-block -n 500",
        "carom compare rocking-block -n 500 -o c.svg",
        "carom compare cube-on-edge -n 200 -o c.svg",
        "carom compare box-and-wall -n 200 --laws anitescu-potra,sequential -o c.svg",
        "carom compare box-and-wall -n 200 --on-the-way --paths 12 -o c.svg --json",
        "carom compare cube-on-edge --restitution 0 -n 100 --laws plus --on-the-way -o c.svg",
        "carom compare rocking-block -n 200 --compliant-ratios 1e-5..1e5 -o c.svg --json",
        "carom compare rocking-block -n 200 --compliant-angles -0.01..0.01 --json",
        "carom compare rocking-block -n 200 --restitution 0.5 --json",
        "carom compare rocking-block -n 200 --seed 3 --precision f32 --sampler uniform --json",
        "carom compare cube-on-edge -n 100 --facets 8 --restitution 0 --json",
        "carom sample box-and-wall -n 64 --process steps --out s.npz ; "
        "carom compare box-and-wall -n 100 --beside s.npz -o c.svg",
    ]
    return lines


def sets() -> list[str]:
    """Exact sets, bounds, questions, paths, guarantees."""
    lines = []
    for scene in ["rocking-block", "compass-gait", "box-and-wall", "ramone", "smooth.json"]:
        lines.append(joined("set", scene, "--json"))
        lines.append(joined("set", scene, "--arithmetic doubles -o set.svg"))
    for scene in ["newtons-cradle", "billiard-break", "tailed-runner", "triple-pendulum"]:
        lines.append(joined("set", scene, "--json"))
    lines += [
        "carom set triple-pendulum --restitution 0.5 --hypothesis poisson --json",
        "carom set triple-pendulum --restitution 0.5 --hypothesis poisson --arithmetic doubles",
        "carom set rocking-block --restitution 0.5 --hypothesis stronge --json",
        "carom set box-and-wall --unchecked --out set.json",
        "carom set box-and-wall --friction 0.3 --velocity 1,-0.2,0 --json",
        "carom set box-and-wall -o set.pdf",
        "carom set brick-on-vertex --restitution 0 --facets 8 --json",
        "carom set brick-on-vertex --restitution 0 --facets 4 -o set.svg",
        "carom set wedge.json --facets 4 --json",
        "carom set block.json --json",
        "carom set leaning.toml",
        "carom set examples/biped.npz",
        "carom set disk-stack",
        "carom set cube-on-edge",
        "carom set newtons-cradle --arithmetic doubles --unchecked --json",
    ]
    for scene, kind in product(SCENES, ["conic", "certified", "exact"]):
        if kind != "exact" or scene in PLANAR:
            if (scene, kind) in SLOW_BOUNDS:
                continue
            of = f"--direction {AIMS[scene]}=1 --kind {kind}"
            lines.append(joined("bound", scene, of, count(scene), "--json"))
    for scene in ["rocking-block", "box-and-wall", "ramone", "compass-gait", "brick-on-vertex"]:
        aim = AIMS[scene]
        lines.append(joined("bound", scene, f"--direction {aim}=1 -n 256"))
        lines.append(joined("bound", scene, f'--cost "abs({aim}) + {aim}^2" -n 256 --json'))
    lines += [
        "carom bound rocking-block --direction 0,0,-1 --explore 0.5 -n 256 --json",
        "carom bound rocking-block --direction theta=1 --restitution 0.5 -n 256 --json",
        "carom bound triple-pendulum --direction lower.theta=1 --restitution 0.5 "
        "--hypothesis poisson --kind exact -n 256 --json",
        "carom bound block.json --direction q2=1 --seed 4 -n 256 --json",
        'carom bound cube-on-edge --cost "cube.wx^2" --kind conic -n 64 --json',
    ]
    for scene in ["box-and-wall", "disk-stack", "cube-on-edge", "compass-gait"]:
        for question in QUESTIONS:
            asked = question.format(aim=AIMS[scene])
            process = "--process steps" if scene == "disk-stack" else ""
            lines.append(joined("query", scene, asked, process, "-n 256 --json"))
    for kind, question in product(["npz", "parquet"], QUESTIONS):
        asked = question.format(aim="box.theta")
        made = f"carom sample box-and-wall -n 200 --seed 2 --out s.{kind}"
        lines.append(f"{made} ; carom query s.{kind} {asked}")
    lines += [
        "carom query rocking-block contains --velocity 0,0,0.9 --law sequential -n 200 --json",
        "carom query rocking-block worst --cost theta^2 --uncertainty mu=0.3..0.8 -n 200 --json",
        "carom query rocking-block extents --before theta=0.3 -n 200 --json",
        "carom query billiard-break extents --set theta=90 -n 200 --json",
        "carom query rocking-block modes --model model.toml -n 200",
        "carom query cube-on-edge contains --velocity 0,0,0,0,0,9 -n 64 --json",
    ]
    for scene, law in product(SCENES, ["", "--process steps", "--law sequential"]):
        lines.append(joined("replay", scene, law, "--sample 3 --json"))
    for law in LAWS:
        lines.append(joined("replay box-and-wall", law, "--sample 80 -o path.svg"))
    for law in BOUNCING:
        lines.append(joined("replay cube-on-edge", law, "--restitution 0.5 --sample 1 --json"))
    lines += [
        "carom replay box-and-wall --sample 80",
        "carom replay box-and-wall --sample 80 --panels energy --size 85mm -o path.pdf",
        "carom replay pin-ball --sample 0 -o path.svg",
        "carom replay rocking-block --sample 5 --model model.toml --json",
        "carom replay rocking-block --sample 5 --uncertainty mu=0.1..0.9,noise=0.02 --json",
        "carom replay cube-on-edge --sample 5 --uncertainty gap=1e-3,late=0.01,shift=1e-3 --json",
        "carom replay rocking-block --sample 5 --precision f32 --json",
    ]
    lines += [joined("guarantee", scene, "--json") for scene in SCENES]
    lines += [
        "carom guarantee rocking-block",
        "carom guarantee rocking-block --acceleration block.y=-9.81",
        "carom guarantee block.json --acceleration 0,-9.81,0 --json",
        "carom design tailed-runner -o better.toml",
        "carom design tailed-runner --json",
        "carom design billiard-break --json -o better.toml",
        "carom design billiard-break --set theta=128 --spread 0",
        "carom design disk-stack",
    ]
    return lines


#: Bounds that take six to sixteen seconds.
SLOW_BOUNDS = {
    ("disk-stack", "certified"),
    ("disk-stack-as-published", "certified"),
    ("cube-on-face", "certified"),
    ("brick-flat", "certified"),
}


def motions() -> list[str]:
    """Motions, recordings and what follows from them."""
    lines = []
    for motion in MOTIONS:
        steps = "--steps 300" if "quadruped" in motion else ""
        lines.append(joined("simulate", motion, steps, "--json --out m.csv"))
        lines.append(joined("simulate", motion, steps, "-o m.svg --animate a.svg"))
    for option in [
        *("cube --steps 500 --out m.parquet", "cube --steps 200 --perturb 8 --json"),
        *("cube --steps 200 --perturb 8 --shift 1e-8 --seed 3 --out m.csv",),
        *("cube --steps 200 --perturb 8 --spread 1e-3 --precision f32 --json",),
        *("cube --steps 200 --perturb 8 --threads 1 --out m.parquet",),
        *("ellipsoid-union --steps 300 --perturb 4 --json",),
        *("ellipsoid-tilted --steps 2000 --json", "ellipsoid --steps 500 -o m.pdf --size 85mm"),
        *("cube --steps 300 --beside time_step=0.005 --json",),
        *("cube --steps 300 --beside 'state.position=[0, 0, 10.00000001]' -o m.svg --json",),
        *("cradle-pendulums --beside order=argmax -o m.svg --json",),
        *("runner-lands --beside order=argmax --json", "runner-lands --set stance=0.5 --json"),
        *("bouncing-rod --beside motions/bouncing-rod.toml --json",),
        *("tossed-brick --steps 200 -o m.png",),
        *("falling-block --branch 3 --branch-samples 64 --json",),
        *("falling-block --branch 3 --max-branches 5 --branch-samples 64 --out m.csv -o m.svg",),
        *("falling-block --branch 2 --branch-samples 64 --animate a.svg",),
        *("rocking-zeno --animate a.svg --speed 0.5", "rocking-zeno --out m.parquet"),
        *("square.toml --model model.toml --json", "tossed-cube.toml --out m.parquet"),
        *("rocking-zeno --beside friction=0.3 --json", "painleve-rod --beside seed=1 --json"),
        *("sliding-rod.toml --beside law=sequential --json",),
        *("square.toml --beside integrator=inclusion --json",),
    ]:
        lines.append(joined("simulate", option))
    for law in ["sequential", "propagative", "plus", "routh", "darboux-keller", "anitescu-potra"]:
        lines.append(f"carom simulate square.toml --steps 300 --beside law={law} --json")
    lines.append("carom simulate - --steps 50 --json < square.toml")
    square = "carom simulate square.toml --out r.csv ; carom extract square.toml r.csv"
    cube = "carom simulate tossed-cube.toml --out r.csv ; carom extract tossed-cube.toml r.csv"
    lines += [
        square,
        f"{square} -o e.json ; carom reality e.json --clean -n 16 --json",
        f"{square} --frames 6 --jump 0.1 --speed 0.01 --gap 0.002",
        cube,
        f"{cube} -o e.json ; carom reality e.json -n 16 --json",
        "carom extract square.toml wrong/columns.csv",
        "carom extract cube wrong/columns.csv",
        "carom reality examples/impacts.json -n 128",
        "carom reality examples/impacts.json -n 128 --json -o r.svg",
        "carom reality events.json -n 32 --json",
        "carom reality events.json -n 32 --process steps --json",
        "carom reality events.json -n 32 --law sequential --precision f32 --json",
        "carom reality events.json -n 32 --law plus --restitution 0.2 --json",
        "carom reality events.json -n 32 --uncertainty mu=0.1..0.5,e=0.1..0.4,noise=0.01 --json",
        "carom reality events.json -n 32 --clean --training events.json --json",
        "carom reality events.json -n 32 --model model.toml --json",
        "carom reality - -n 32 --json < events.json",
        "carom reality few.json -n 16 --json",
        "carom identify events.json -n 4 --folds 2 --json -o model-new.toml",
        "carom identify events.json -n 4 --folds 2",
        "carom identify events.json -n 4 --folds 2 --score log --clean --json",
        "carom identify events.json -n 4 --folds 2 --ingredients slope,gap --json",
        "carom identify events.json -n 4 --folds 2 --ingredients middle,pose --json",
        "carom identify events.json -n 4 --folds 2 --dress --learn-residual -o n.toml --json ; "
        "carom reality events.json --model n.toml -n 16 --json",
        "carom identify events.json -n 4 --folds 2 --contacts 1 --seed 3 --threads 1 --json",
        "carom identify events.json -n 4 --folds 2 --process inclusion --ingredients numbers "
        "--json",
        "carom identify few.json -n 4 --folds 2",
    ]
    for plan in ["plan", "plan-table", "plan-space", "plan-model", "plan-arrays"]:
        lines.append(f"carom dataset {plan}.toml -o made --json")
    lines += [
        "carom dataset plan.toml -o made",
        "carom dataset plan.toml -o made --shard 1/2 --threads 1 --json ; "
        "carom dataset plan.toml -o made --json",
        "carom dataset plan.toml -o made --shard 0/2 ; carom dataset plan-space.toml -o made",
    ]
    return lines


def pictures() -> list[str]:
    """Pictures of all kinds."""
    lines = []
    for scene in SCENES:
        if scene != "box-pile":
            lines.append(joined("plot", scene, count(scene), "-o p.svg"))
    for scene in ["rocking-block", "box-and-wall", "disk-stack", "billiard-break", "ball-row"]:
        lines.append(joined("plot", scene, "-n 64 --animate a.svg --outcomes 3"))
    for scene in ["cube-on-edge", "quadruped-trot", "triple-pendulum"]:
        lines.append(joined("plot", scene, "-n 32 --animate a.svg"))
    for option in [
        *("box-and-wall -n 100 -o p.png", "box-and-wall -n 100 -o p.pdf"),
        *("box-and-wall -n 100 --axes box.x,box.y --size 85mm -o p.svg",),
        *("box-and-wall -n 100 --axes floor.tangent,floor.normal -o p.svg",),
        *("disk-stack -n 100 --panels scene,velocity --title Disks -o p.svg",),
        *("disk-stack -n 100 --panels contacts --size 800x600px -o p.png",),
        *("box-and-wall -n 100 --paths 24 -o p.svg", "box-and-wall -n 100 --on-the-way -o p.svg"),
        *("box-and-wall -n 100 --bound conic -o p.svg",),
        *("box-and-wall --law plus --uncertainty mu=0.2..1,noise=0.05 -n 100 -o p.svg",),
        *("box-and-wall --law sequential -n 100 -o p.svg", "block.json -n 100 -o p.svg"),
        *("rocking-block --process steps --precision f32 -n 100 -o p.svg",),
        *("cube-on-edge --facets 8 --restitution 0 -n 100 -o p.svg",),
        *("icosahedron-tetrahedron --law darboux-keller -o p.svg",),
        *("icosahedron-tetrahedron --law darboux-keller --panels impulse -o p.pdf",),
        *("icosahedron-tetrahedron --law darboux-keller --friction 0.25 --velocity "
          "icosahedron.x=1.16,icosahedron.z=0.23 --sweep slip=0..348 --curves 13 -o p.svg",),
        *("pin-ball --law darboux-keller --sweep friction=0.1..0.5 --curves 4 -o p.svg",),
        *("brick-on-vertex --law plus -o p.svg", "brick-flat --law compliant -o p.svg"),
        *("brick-on-vertex --law plus --beside compliant --panels tangential,impulse -o p.svg",),
        *("rocking-block --law compliant --stiffness 1e6,1e8 --beside plus -o p.svg",),
        *("billiard-break --sweep theta=60..180 -o p.svg",),
        *("newtons-cradle --sweep speed=0.1..10 --loss 1,0.7,0 -o p.svg",),
    ]:
        lines.append(joined("plot", option))
    for kind in ["npz", "parquet"]:
        made = f"carom sample disk-stack -n 100 --process steps --out s.{kind}"
        lines.append(f"{made} ; carom plot s.{kind} -o p.svg")
    lines.append("carom gallery -n 64 -o g")
    lines.append("carom gallery -n 64 --seed 1 -o g")
    return lines


def texts() -> list[str]:
    """Scenes, schemas, help, robots, programs."""
    lines = ["carom", "carom --help", "carom -h", "carom --version", "carom help sample"]
    lines += ["carom scenes", "carom scenes --json", "carom manual", "carom programs made"]
    for command in COMMANDS:
        lines += [f"carom {command} --help", f"carom {command} -h", f"carom manual {command}"]
    for question in QUESTIONS:
        lines.append(f"carom query {question.split()[0]} --help")
        lines.append(f"carom query x {question.split()[0]} --help")
    for scene in SCENES + MOTIONS[:13]:
        lines += [f"carom scenes {scene}", f"carom scenes {scene} --json"]
    for file in ["leaning.toml", "wide.toml", "block.json", "square.toml", "impact.npz"]:
        lines += [f"carom scenes {file}", f"carom scenes {file} --json"]
    lines += [
        "carom scenes rocking-block --set slope=10",
        "carom scenes rocking-block --set height=1.5 --json",
        "carom scenes runner-lands --set stance=0.5 --json",
    ]
    of = "problem scene event sample resolve bound set query replay compare reality identify"
    of += " guarantee design doctor motion simulate plan dataset bench run"
    lines += [f"carom schema {kind}" for kind in of.split()]
    lines += [
        f"carom completions {shell}" for shell in ["bash", "zsh", "fish", "elvish", "powershell"]
    ]
    for model in ["arm", "quadruped"]:
        for option in [
            *("", "--floating", "--floating --ground --set-down", "--friction 0.3"),
            *("--floating --ground --set-down --velocity z=-1 --friction 0.6",),
            *("--floating --pose z=0.5,pitch=0.1 --ground --velocity z=-1,pitch=0.2",),
        ]:
            lines.append(joined("import", f"models/{model}.urdf", option))
    for model in ["arm", "biped", "boxes", "classes", "hand", "humanoid", "quadruped"]:
        lines += [f"carom import models/{model}.xml", f"carom import models/{model}.xml --ground"]
    lines += [
        "carom import models/quadruped.urdf --floating --ground --set-down "
        "--joint 'thigh_*=0.7' --joint 'shank_*=-1.4' --velocity z=-1 -o q.toml ; "
        "carom sample q.toml -n 16 --json ; carom scenes q.toml --json",
        "carom import models/humanoid.xml --keyframe landing -o h.toml ; "
        "carom scenes h.toml --json",
        "carom import models/hand.xml --keyframe grasp -o h.toml ; carom sample h.toml -n 8 --json",
        "carom import models/boxes.xml --keyframe fall -o b.toml ; carom guarantee b.toml --json",
        "carom import models/biped.xml --keyframe step",
        "carom import models/quadruped.xml --keyframe stand -o q.toml ; "
        "carom plot q.toml -n 32 -o q.svg",
        "carom import fclib/entries.hdf5",
        "carom import fclib/columns_gzip.hdf5",
        "carom import fclib/rows_compact.hdf5 -o p.json ; carom sample p.json -n 64 --json",
        "carom import fclib/global.hdf5",
        "carom import dense.dat",
        "carom import blocks.dat -o p.json ; "
        "carom resolve p.json --law cone-complementarity --json",
    ]
    return lines


#: What is refused, most of it of a block on two corners.
REFUSED = """
integrate block.json
sample
sample block.json more
sample block.json --sample 3
sample block.json --samples
sample block.json --samples 0
sample block.json --samples -5
sample block.json --samples 1.5
sample block.json --samples 1e19
sample block.json --samples many
sample block.json --seed -1
sample block.json --seed x
sample block.json --law newton
sample block.json --law compliant
sample block.json --law anitescu-potra
sample block.json --law sequential --step 0.1
sample block.json --law sequential --solution lemke
sample block.json --law sequential --solver table
sample block.json --law sequential --restitution 0.5
sample block.json --law sequential --persist 2
sample block.json --law sequential --sampler coverage
sample block.json --law sequential --uncertainty noise=0.1
sample block.json --law sequential --facets 8
sample block.json --persist 0
sample block.json --facets 8
sample cube-on-edge --facets 7
sample cube-on-edge --persist 2
sample cube-on-edge --process events
sample cube-on-edge --process inclusion --hypothesis newton
sample cube-on-edge --restitution 0.5 --uncertainty e=0..0.5
sample block.json --sampler dice
sample block.json --sampler sobl
sample block.json --sampler uniform:x,sobol:1
sample block.json --sampler sobol:1,sobol:1
sample block.json --solution best
sample block.json --precision f16
sample block.json --device ''
sample block.json --device 'no such adapter'
sample block.json --device gpu
sample block.json --step 0
sample block.json --step nan
sample block.json --step 0.1 --block 0.5
sample block.json --max-steps 0
sample block.json --max-rejected 2
sample block.json --restitution 1.5
sample block.json --restitution 0.5 --hypothesis newton
sample block.json --uncertainty mu=0.3..0.1
sample block.json --uncertainty mass=1..2
sample block.json --uncertainty mu=0.1,mu=0.2
sample block.json --uncertainty gap=0.01
sample block.json --uncertainty noise=-1
sample block.json --law-only
sample block.json --model model.toml --law routh
sample block.json --model model.toml --restitution 0.5
sample block.json --model model.toml --explore 0.5
sample block.json --model wrong/posed.toml
sample block.json --model wrong/model.toml
sample block.json --model none.toml
sample block.json --threads 0
sample block.json --jacobian
sample block.json --out x.csv
sample block.json --out x
sample block.json --out none/x.npz
sample block.json --out a.svg -o b.svg
sample block.json --velocity 1,2
sample block.json --velocity q3=1
sample block.json --velocity -1,nan,0
sample block.json --velocity q0=1,q0=2
sample block.json --set width=1
sample block.json --shard 3/3
sample block.json --first 3 --shard 0/2
sample block.json --explore 0.5 --aim 0.5
sample block.json --max-steps 1 -n 64
sample cube-on-edge --aim 0.5 -n 64
sample absent.json
sample rocking-blok
sample models/arm.urdf
sample square.toml
sample events.json
sample wrong/key.json
sample wrong/row.json
sample wrong/mass.json
sample wrong/leaving.json -n 16
sample wrong/cut.json
sample wrong/mass.toml
sample wrong/deep.toml
sample wrong/far.toml
sample wrong/key.toml
sample wrong/set.npz
query wrong/set.npz extents
query block.json
query block.json contains --velocity 1
query block.json support --direction q9=1
query block.json worst --cost "q0 +"
query block.json worst --cost "q9^2"
query block.json contains --velocity 0,0,0 --eps -1
resolve block.json
resolve block.json --law routh
resolve block.json --law nothing
resolve block.json --law plus --start 1
resolve block.json --law sequential --start 5
resolve block.json --law darboux-keller
resolve block.json --law sequential --velocity 1e200,1,1
resolve billiard-break --law propagative --set r=1
bound block.json
bound block.json --direction 1,0
bound block.json --direction q0=1 --cost q0
bound block.json --direction q0=1 --kind best
bound cube-on-edge --direction cube.z=1 --kind exact -n 16
set cube-on-edge
set block.json --seconds 0
set block.json -o set.jpg
compare block.json -o picture.jpg
compare block.json -o nowhere/picture.svg
compare block.json --laws newton
compare block.json --beside s.npz
plot block.json -o picture
plot block.json
plot nothing -o picture.svg
plot block.json -o x.svg --law propagative --facets 8
plot block.json -o x.svg --axes q0
plot block.json -o x.svg --panels nowhere
plot block.json -o x.svg --size 3
plot block.json --animate a.svg
plot box-and-wall --sweep tilt=9..1 -o x.svg
replay block.json
replay block.json --sample -1
replay block.json --sample 3 --panels scene -o x.svg
import block.json
import wrong/robot.urdf
import wrong/robot.xml
import wrong/dense.dat
import absent.urdf
import models/arm.urdf -o r.json
import models/arm.urdf --joint nothing=1
import models/arm.xml --keyframe none
import block.json --ground
scenes rocking-blok
scenes rocking-blok --json
scenes rocking-block --json --set theta=1
scenes --set r=1
design billiard-break -o x.json
design billiard-break -o none/x.toml
design billiard-break --set theta=200
design billiard-break --set thet=90
design absent.toml
simulate rocking-block
simulate wrong/integrator.toml
simulate wrong/step.toml
simulate cube --branch 2
simulate cube --spread 1
simulate square.toml --perturb 4
simulate square.toml --out m.xlsx
simulate square.toml --beside nothing=1
dataset plan.toml
dataset wrong/plan.toml -o made
dataset absent.toml -o made
dataset plan.toml -o made --shard 2/2
merge absent.json
merge block.json block.json
merge model.toml
reality block.json
reality wrong/events.json
reality events.json --model model.toml --law plus
reality events.json --model model.toml --law-only
identify wrong/events.json
identify events.json --folds 1
identify events.json --ingredients nothing
identify events.json -n 4 --contacts 9
extract square.toml
extract square.toml absent.csv
extract rocking-block wrong/columns.csv
guarantee absent
guarantee rocking-block --acceleration z=1
schema nothing
completions tcsh
manual nothing
doctor who
bench rocking-blok
bench --seconds 0
bench --device ''
bench --quik
gallery
"""


def cpu() -> list[str]:
    """The commands on the CPU."""
    lines = sampled() + options() + finite() + sets() + motions() + pictures() + texts()
    lines += [f"carom {line}" for line in REFUSED.strip().splitlines()]
    return list(dict.fromkeys(lines))


#: Kernels of the GPU, each with what takes it. `shared` is for hardware alone; its text is in the
#: answer of `carom programs`.
KERNELS = {
    "table": [
        *("rocking-block --process steps", "compass-gait --process steps"),
        *("ramone --process steps", "box-and-wall --process steps", "three.json --process steps"),
    ],
    "pivot": [
        *("rocking-block --process steps --solution lemke", "wedge.json --facets 6"),
        *("three.json --process steps --solution lemke", "cube-on-edge --facets 4 --restitution 0"),
        *("disk-stack --process steps", "brick-flat --facets 4 --restitution 0"),
        "ball-row --process steps",
    ],
    "impacts": ["box-and-wall --law sequential", "three.json --law sequential"],
    "reflections": ["billiard-break --law propagative", "cube-on-face --law propagative"],
    "exact": [
        *("rocking-block --process events", "three.json --process events"),
        *("triple-pendulum --process events", "newtons-cradle --process events"),
        *("rocking-block --restitution 0.5", "disk-stack --process events"),
    ],
    "inclusion": [
        *("cube-on-edge", "quadruped-trot", "brick-on-vertex", "wedge.json"),
        *("rocking-block --process inclusion", "rocking-block --restitution 0.5 "
          "--process inclusion --hypothesis poisson", "pin-ball --process inclusion"),
        *("cube-on-edge --uncertainty mu=0.1..0.3,e=0.1..0.5,noise=0.01", "cube-on-face"),
    ],
}

ONCE = ["disk-stack --process events"]


def vulkan() -> list[str]:
    """The commands on an adapter: those that take each kernel."""
    lines = []
    every = [what for some in KERNELS.values() for what in some]
    for what, precision in product(every, ["f32", "f64"]):
        # Five contacts take half a minute to compile.
        if what in ONCE and precision == "f64":
            continue
        of = f"sample {what} -n 128 --device gpu --precision {precision}"
        # Without a file, statistics are reduced on the device.
        parts = ["--json", "--json --out s.npz", "--first 70000 --seed 5 --explain"]
        lines.append(" ; ".join(joined(of, part) for part in parts))
    processes = ["rocking-block --process steps", "three.json --process events", "wedge.json"]
    samplers = ["uniform", "coverage", "sobol", "uniform:0.2,coverage:0.8"]
    for process, sampler, precision in product(processes, samplers, ["f32", "f64"]):
        of = f"--sampler {sampler} -n 64 --device gpu --precision {precision} --json --out s.npz"
        lines.append(joined("sample", process, of))
    for precision in ["f32", "f64"]:
        of = f"--device gpu --precision {precision}"
        poses = "--uncertainty gap=1e-3,late=0.01,shift=1e-3,attitude=0.01"
        lines += [
            f"carom sample rocking-block {poses} -n 64 {of} --json --out s.npz",
            f"carom sample rocking-block --process steps --persist 4 --step 0.1 -n 64 {of} --json",
            f"carom sample rocking-block --explore 0.5 -n 128 {of} --json",
            f"carom sample rocking-block --until-radius 0.2 {of} --json",
            f"carom sample rocking-block -n 2048 --shard 1/2 {of} --json",
            # Means of more than a workgroup's 1024 samples differ by rounding from run to run.
            f"carom sample rocking-block -n 1000 --process steps {of} --json",
            f"carom sample box-and-wall -n 1000 {of} --json",
            f"carom sample rocking-block -n 64 {of} --out s.npz --jacobian",
            f"carom sample rocking-block -n 64 {of} --model model.toml --json",
            f"carom sample cube-on-edge -n 64 {of} --law sequential",
            f"carom sample rocking-block -n 64 {of} --uncertainty inertia=0.9..1.1",
            f"carom query box-and-wall extents -n 256 {of} --json",
            f"carom compare rocking-block -n 256 {of} --json",
            f"carom plot box-and-wall -n 100 {of} -o p.svg",
            f"carom reality events.json -n 16 --process steps {of} --json",
            f"carom reality events.json -n 16 --law sequential {of} --json",
            f"carom reality events.json -n 16 --process inclusion {of} --json",
            f"carom reality examples/impacts.json -n 16 {of} --json",
        ]
    lines += [
        f"carom sample cube-on-edge {poses} -n 32 --device gpu --json --out s.npz",
        "carom sample rocking-block --device llvmpipe -n 64 --json",
        "carom sample rocking-block --device auto -n 64 --json",
        "carom sample rocking-block --device gpu#1 -n 64",
        "carom dataset plan.toml -o made",
    ]
    return lines
