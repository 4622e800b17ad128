"""How often the intervals of `carom identify` contain numbers that are known, as lines of a
Markdown table.

    python3 benches/recovery.py --carom target/release/carom
    python3 benches/recovery.py --carom target/release/carom --inset 0.006

Squares are tossed by `carom simulate`, recorded with errors of a camera, and become events by
`carom extract`, whose motion file has other coefficients; `carom identify` reads the events. With
`--inset` events are outcomes of `carom sample` instead, with an error of which the size is known:
of squares that land on an edge and strike with points that lie that far inside their corners. The
event file has the corners. Repeats share nothing.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

MASS, HALF = 0.1, 0.03  # of the square, kg and m
INERTIA = MASS * (2 * HALF) ** 2 / 6
MOTION = """\
name = "square"
integrator = "midpoint"
gravity = 9.81
time_step = {pause}
steps = {steps}
law = "routh"
friction = {friction}
restitution = {restitution}
walls = [{{ name = "floor", normal = [0, 1] }}]

[[bodies]]
name = "square"
mass = {mass}
shapes = [{{ box = [{side}, {side}] }}]
position = [0, {height}]
angle = {angle}
velocity = [{speed}, 0]
angular_velocity = {turn}
"""
COLUMNS = ["square.x", "square.y", "square.theta"]


def run(carom, *arguments):
    """What a command prints."""
    done = subprocess.run([carom, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def recorded(args, draw, folder):
    """The event file of tosses that a camera saw."""
    motion, rows, errors = folder / "toss.toml", [], [args.camera, args.camera, args.camera / HALF]
    for toss in range(args.tosses):
        throw = {
            "height": draw.uniform(0.1, 0.3),
            "angle": draw.uniform(0, 2 * math.pi),
            "speed": draw.uniform(-1.5, 1.5),
            "turn": draw.uniform(-15, 15),
            "pause": args.pause / 4,
            "steps": round(2 / args.pause),
            "mass": MASS,
            "side": 2 * HALF,
        }
        motion.write_text(MOTION.format(friction=args.friction, restitution=args.restitution, **throw))
        run(args.carom, "simulate", motion, "--out", folder / "toss.csv")
        with open(folder / "toss.csv", newline="") as file:
            for row in list(csv.DictReader(file))[::4]:
                rows.append([toss, row["time"], *(float(row[name]) + draw.gauss(0, e) for name, e in zip(COLUMNS, errors))])
    motion.write_text(MOTION.format(friction=2 * args.friction, restitution=0.6 * args.restitution, **throw))
    with open(folder / "tosses.csv", "w", newline="") as file:
        csv.writer(file).writerows([["toss", "time", *COLUMNS], *rows])
    events = folder / "events.json"
    run(args.carom, "extract", motion, folder / "tosses.csv", "--frames", 8, "--speed", 0.3, "-o", events)
    return events, ["--clean", "--contacts", 1, "--ingredients", "numbers"]


def sampled(args, draw, folder):
    """The event file of outcomes of the law, with errors."""

    def problem(velocity, half, friction, restitution):
        # Corners at (-half, -HALF) and (half, -HALF) from the mass centre.
        return {
            "mass": [[MASS, 0, 0], [0, MASS, 0], [0, 0, INERTIA]],
            "normal": [[0, 1, -half], [0, 1, half]],
            "tangent": [[1, 0, HALF], [1, 0, HALF]],
            "friction": [friction] * 2,
            "restitution": [restitution] * 2,
            "velocity": velocity,
        }

    events = []
    for toss in range(args.tosses):
        velocity = [draw.uniform(-1, 1), draw.uniform(-2, -1), draw.uniform(-5, 5)]
        true, out = folder / "true.json", folder / "out.csv"
        true.write_text(json.dumps(problem(velocity, HALF - args.inset, args.friction, args.restitution)))
        report = json.loads(run(args.carom, "sample", true, "-n", 1, "--seed", draw.getrandbits(40), "--device", "cpu", "--json"))
        masses = [MASS, MASS, INERTIA]
        size = math.sqrt(sum(m * v * v for m, v in zip(masses, velocity)))
        after = [v + draw.gauss(0, args.noise) * size / math.sqrt(m) for v, m in zip(report["velocity"]["mean"], masses)]
        events.append(problem(velocity, HALF, 2 * args.friction, 0.6 * args.restitution) | {"measured": after, "toss": toss})
    path = folder / "events.json"
    path.write_text(json.dumps({"events": events}))
    return path, ["--ingredients", "numbers,inset"]


def repeat(args, number):
    """The report of one repeat."""
    draw = random.Random(number)
    with tempfile.TemporaryDirectory() as name:
        events, options = (sampled if args.inset else recorded)(args, draw, pathlib.Path(name))
        options += ["-n", args.samples, "--seed", number, "--threads", args.threads]
        return json.loads(run(args.carom, "identify", events, *options, "--json"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carom", default="carom")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--tosses", type=int, default=20)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--friction", type=float, default=0.2)
    parser.add_argument("--restitution", type=float, default=0.5)
    parser.add_argument("--pause", type=float, default=0.002, help="time between two frames, s")
    parser.add_argument("--camera", type=float, default=1e-4, help="error of a position, m; corners have that of the angle")
    parser.add_argument("--inset", type=float, default=0.0, help="of the points that strike, m")
    parser.add_argument("--noise", type=float, default=0.02, help="error of the velocity after, with --inset")
    args = parser.parse_args()
    known = {"friction": args.friction, "restitution": args.restitution}
    if args.inset:
        known |= {"noise": args.noise, "inset": args.inset}
    found = {name: [] for name in known}
    for number in range(args.repeats):
        report = repeat(args, number)
        parameters = {of["name"]: of for of in report["parameters"]}
        said = []
        for name in known:
            # What was not kept is 0, and says so.
            of = parameters.get(name, {"value": 0.0, "interval": [0.0, 0.0]})
            found[name].append((of["value"], *of["interval"]))
            said.append("{} {:.4f} [{:.4f}, {:.4f}]".format(name, *found[name][-1]))
        print(f"{number}: {report['events']} events, {report['seconds']:.1f} s;", "; ".join(said), file=sys.stderr, flush=True)
    print("| number | known | median found | median width of the intervals | contain it |\n|---|---|---|---|---|")
    for name, value in known.items():
        of = found[name]
        width = statistics.median(high - low for _, low, high in of)
        inside = sum(low <= value <= high for _, low, high in of)
        print(f"| {name} | {value} | {statistics.median(x for x, _, _ in of):.4f} | {width:.4f} | {inside} of {len(of)} |")


if __name__ == "__main__":
    main()
