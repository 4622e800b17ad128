"""How the time of a sample grows with the number of contacts, as lines of a Markdown table:
problems of 2 to 32 contacts, written as files and sampled by the command line on one thread.

    python3 benches/contacts.py --process events --carom target/release/carom

Families: `random`, rows and masses drawn; `feet`, a robot with legs of three joints and flat feet,
two points (in space four) each; `stack`, boxes one upon the other, each narrower than the one
below.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time
from math import log

SAMPLES = {"events": 200, "inclusion": 20, "steps": 200}


def randomly(m, space):
    """Contacts that all approach, in 2 m coordinates."""
    draw = random.Random(m)
    n, tangents = 2 * m, 2 if space else 1

    def row():
        return [draw.gauss(0, 1) / n**0.5 for _ in range(n)]

    factor = [row() for _ in range(n)]
    mass = [[sum(a * b for a, b in zip(x, y)) + (x is y) for y in factor] for x in factor]
    normal, tangent = [row() for _ in range(m)], [row() for _ in range(tangents * m)]
    # Minus the sum of the normal rows, and a step against those that still separate.
    velocity = [-sum(column) for column in zip(*normal)]
    for _ in range(1000):
        speeds = [sum(a * b for a, b in zip(r, velocity)) for r in normal]
        worst = max(range(m), key=lambda i: speeds[i])
        if speeds[worst] < -0.1:
            break
        size = sum(x * x for x in normal[worst])
        velocity = [v - (speeds[worst] + 0.2) / size * x for v, x in zip(velocity, normal[worst])]
    friction = [draw.uniform(0.2, 0.8) for _ in range(m)]
    found = dict(mass=mass, normal=normal, tangent=tangent, friction=friction, velocity=velocity)
    return json.dumps(found)


def vector(space, x, y, z):
    return [x, y, z] if space else [x, z]


def heading(space):
    wall = f'[[walls]]\nname = "floor"\nnormal = {vector(space, 0, 0, 1)}\n'
    return f"dimensions = {3 if space else 2}\nfriction = 0.6\n{wall}"


def body(name, mass, *lines):
    return "\n".join([f'[[bodies]]\nname = "{name}"\nmass = {mass}', *lines]) + "\n"


def feet(m, space):
    """Legs on one trunk, side by side, that land flat."""
    count = m // (4 if space else 2)
    at = lambda x, z: vector(space, x, 0, z)
    inertia = lambda size: f"inertia = {[size] * 3 if space else size}"
    spin = [0.0, 0.3, 0.0] if space else 0.3
    text = heading(space) + body(
        "trunk", 4.0 * count, inertia(0.4 * count), f"center_of_mass = {at(0, 0)}",
        f"position = {at(0, 0.65)}", f"velocity = {at(0.3, -1.0)}", f"angular_velocity = {spin}",
    )
    sole = f"shapes = [{{ box = {vector(space, 0.2, 0.08, 0.05)}, center = {at(0.03, -0.025)} }}]"
    for leg in range(count):
        parent, place = "trunk", at(0.3 * (leg - 0.5 * (count - 1)), 0)
        for part, (name, length, mass) in enumerate(
            [("thigh", 0.3, 1.0), ("shank", 0.3, 0.6), ("foot", 0.0, 0.3)]
        ):
            text += body(
                f"{name} {leg}", mass, f'parent = "{parent}"', 'joint = "revolute"',
                "axis = [0, 1, 0]" if space else "", f"anchor = {place}", inertia(0.01),
                f"center_of_mass = {at(0, -0.5 * length)}",
                f"angular_velocity = {0.2 * (part - 1) + 0.05 * leg}",
                "" if length else sole,
            )
            parent, place = f"{name} {leg}", at(0, -length)
    return text


def stack(m, space):
    """Boxes at rest, of which the highest falls."""
    count, side = m // (4 if space else 2), 0.2
    text = heading(space)
    for box in range(count):
        width, last = 1.0 - 0.03 * box, box == count - 1
        velocity = vector(space, 0.2, 0.1, -1.0) if last else vector(space, 0, 0, 0)
        spin = 0.3 * last
        text += body(
            f"box {box}", width * width,
            f"shapes = [{{ box = {vector(space, width, width, side)} }}]",
            f"position = {vector(space, 0.01 * (box % 2), 0, side * (box + 0.5))}",
            f"velocity = {velocity}",
            f"angular_velocity = {[0.1 * last, spin, 0.2 * last] if space else spin}",
        )
    return text


def measure(carom, file, process, samples, options):
    """Seconds a sample (least of 3), the share that is accepted, steps of a sample, and ends."""
    args = [carom, "sample", str(file), "--process", process, "--device", "cpu", "--json"]
    args += ["--samples", str(samples), *options]
    one = dict(os.environ, RAYON_NUM_THREADS="1")
    seconds, report = [], None
    for _ in range(3):
        start = time.time()
        done = subprocess.run(args, capture_output=True, text=True, env=one)
        if done.returncode not in (0, 1) or not done.stdout:
            return done.stderr.strip().splitlines()[0]
        report = json.loads(done.stdout)
        seconds.append(report["seconds"]["total"] / samples)
        if time.time() - start > 20:
            break
    ends = ", ".join(f"{k} {n}" for k, n in report["status"].items() if n)
    return min(seconds), report["accepted"] / samples, report["steps"]["mean"], ends


FAMILIES = {"random": randomly, "feet": feet, "stack": stack}
ENDINGS = {"random": "json", "feet": "toml", "stack": "toml"}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--carom", default="target/release/carom")
    parser.add_argument("--process", default="events", choices=list(SAMPLES))
    parser.add_argument("--space", action="store_true", help="contacts in space, not in the plane")
    parser.add_argument("--contacts", default="2,4,8,16,32")
    parser.add_argument("--families", default="random,feet,stack")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--keep", type=pathlib.Path, help="folder that the problems are left in")
    args, options = parser.parse_known_args()
    samples = args.samples or SAMPLES[args.process]
    print("| problem | contacts | ms a sample | power of m | steps | accepted | ends |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        folder = args.keep or pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        for family in args.families.split(","):
            before = None
            for m in map(int, args.contacts.split(",")):
                if args.space and m < 4 and family != "random":
                    continue
                file = folder / f"{family}-{m}{'-space' if args.space else ''}.{ENDINGS[family]}"
                file.write_text(FAMILIES[family](m, args.space))
                found = measure(args.carom, file, args.process, samples, options)
                if isinstance(found, str):
                    print(f"| {family} | {m} | {found} | | | | |", flush=True)
                    continue
                seconds, accepted, steps, ends = found
                power = ""
                if before:
                    power = f"{log(seconds / before[1]) / log(m / before[0]):.1f}"
                before = (m, seconds)
                share = f"{100 * accepted:.1f} %"
                row = [family, m, f"{1e3 * seconds:.3g}", power, f"{steps:.0f}", share, ends]
                print("|", *(f"{x} |" for x in row), flush=True)


if __name__ == "__main__":
    main()
