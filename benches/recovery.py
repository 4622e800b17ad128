"""How often the intervals of `carom identify` contain numbers that are known, as lines of a
Markdown table: tosses of a square are simulated, recorded with errors of a camera, extracted and
identified, again and again.

    python3 benches/recovery.py --carom target/release/carom

Nothing is shared between repeats: each has its own throws, errors and folds. With `--inset`, the
motion file that `carom extract` reads has a square whose corners lie farther out than those that
strike, so that impacts are found late and at the wrong places, as with rounded corners.
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

MOTION = """\
name = "square"
integrator = "inclusion"
gravity = 9.81
time_step = {pause}
steps = {steps}
law = "routh"
friction = {mu}
restitution = {e}
walls = [{{ name = "floor", normal = [0, 1] }}]

[[bodies]]
name = "square"
mass = 0.1
shapes = [{{ box = [0.06, 0.06] }}]
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


def recording(args, draw, folder):
    """The motion file of a throw, and a recording of many, with errors of a camera."""
    motion, rows = folder / "toss.toml", []
    for toss in range(args.tosses):
        numbers = {
            "height": draw.uniform(0.1, 0.3),
            "angle": draw.uniform(0, 2 * math.pi),
            "speed": draw.uniform(-1.5, 1.5),
            "turn": draw.uniform(-15, 15),
        }
        motion.write_text(
            MOTION.format(mu=args.friction, e=args.restitution, pause=args.pause, steps=round(0.5 / args.pause), **numbers)
        )
        run(args.carom, "simulate", motion, "--out", folder / "toss.csv")
        with open(folder / "toss.csv", newline="") as file:
            for row in csv.DictReader(file):
                errors = [args.camera, args.camera, args.camera / 0.03]
                places = [float(row[name]) + draw.gauss(0, error) for name, error in zip(COLUMNS, errors)]
                rows.append([toss, row["time"], *places])
    with open(folder / "tosses.csv", "w", newline="") as file:
        csv.writer(file).writerows([["toss", "time", *COLUMNS], *rows])
    return motion, folder / "tosses.csv"


def repeat(args, number):
    """What one repeat identifies: for each number its value and its interval."""
    draw = random.Random(number)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        motion, recorded = recording(args, draw, folder)
        events = folder / "events.json"
        run(args.carom, "extract", motion, recorded, "-o", events)
        options = ["--contacts", 1, "--clean", "-n", args.samples, "--seed", number, "--threads", args.threads]
        found = json.loads(run(args.carom, "identify", events, *options, "--json"))
    return {of["name"]: (of["value"], of["interval"]) for of in found["parameters"]} | {"": found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carom", default="carom")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--tosses", type=int, default=20)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--pause", type=float, default=0.002, help="time between two frames, s")
    parser.add_argument("--camera", type=float, default=1e-4, help="error of a position, m; angles have that at 3 cm")
    parser.add_argument("--friction", type=float, default=0.2)
    parser.add_argument("--restitution", type=float, default=0.5)
    args = parser.parse_args()
    known = {"friction": args.friction, "restitution": args.restitution}
    all = []
    for number in range(args.first, args.first + args.repeats):
        found = repeat(args, number)
        all.append(found)
        report = found[""]
        said = [f"{name} {found[name][0]:.4f} [{found[name][1][0]:.4f}, {found[name][1][1]:.4f}]" for name in found if name]
        print(f"{number}: {report['events']} events, {report['seconds']:.1f} s,", "; ".join(said), file=sys.stderr, flush=True)
    print("| number | known | median found | median width of the interval | contains it |\n|---|---|---|---|---|")
    for name, value in known.items():
        of = [found[name] for found in all]
        width = statistics.median(high - low for _, [low, high] in of)
        inside = sum(low <= value <= high for _, [low, high] in of)
        middle = statistics.median(value for value, _ in of)
        print(f"| {name} | {value} | {middle:.4f} | {width:.4f} | {inside} of {len(of)} |")


if __name__ == "__main__":
    main()
