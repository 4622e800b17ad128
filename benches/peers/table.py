"""Makes the page and its table from the rows that run.sh collects, one JSON object a line.

Usage: table.py ROWS [JSON]; or table.py --sample SCENE < report of `carom sample`, or table.py --bench SCENE < report
of `carom bench`, which print rows.
"""

import json
import sys

HEAD = """# The same impulse steps, solved by others

- commit {commit}, {processor}, one core for each; {cores} cores with a load of {load} over the last five
  minutes, of which 1 is this run
- {versions}
- command: `benches/peers/run.sh`

An *LCP* is one impulse step, (75) of Halm and Posa in 5 m unknowns: {steps} and more of each scene, recorded along
carom's samples, dimensionless and with carom's row scaling, the same numbers for everyone. LCPs/s: best pass over
all of them, of at least five in each of {rounds} rounds. *samples/s* of a solver: its LCPs/s over the scene's mean steps per
sample, all else taken as free, wrong and failed answers counted in. `carom sample` is the whole command on one thread,
best of two runs in each round: draws, steps, checks, statistics, and every distinct solution of a step up to three
contacts, where the others give one. `carom kernel` is its vector kernel alone, which draws, steps, and measures every
step; what it flags is solved again later, in `carom sample`.

*failed*: the solver says so. *wrong*: it says solved, and some |min(z, M z + q)| exceeds 1e-6. `carom sample` measures
every step itself and solves again what is wrong, so what is left counts as failed; samples that reach the scene's step
limit, all steps solved, are counted apart. carom's own solvers are listed as they are before it checks and mends them.
Siconos runs with carom's pivot limit, 20 N + 100; with its own, 10000, the LCPs it cycles on take most of the time.
"""

FOOT = """
MuJoCo answers another question: one outcome per perturbed pose, under a soft contact. One *sample* is a drop of the
rocking block until nothing approaches the floor any more ({steps_per_drop} steps of 1 ms); failed: not so after 1 s.
"""


def rate(x):
    for unit, name in (1e6, " M"), (1e3, " k"):
        if x >= unit:
            return f"{x / unit:.3g}{name}"
    return f"{x:.3g}"


def share(x):
    return "-" if x is None else "0" if x == 0 else f"{100 * x:.2g} %"


def sample(scene):
    """A row from the report of `carom sample`."""
    report = json.load(sys.stdin)
    samples, limited = report["samples"], report["status"]["step-limit"]
    return {
        "scene": scene,
        "who": f"carom sample {report['precision']}",
        "samples_per_s": samples / report["seconds"]["kernel"],
        "failed": (samples - limited - report["accepted"]) / samples,
        "step_limit": limited / samples,
    }


def bench(scene):
    """Rows from the report of `carom bench`: its kernels alone."""
    for found in json.load(sys.stdin)["devices"][0]["measurements"]:
        print(json.dumps({
            "scene": scene,
            "who": f"carom kernel {found['precision']}, {found['solver']}",
            "samples_per_s": found["kernel"]["best"],
            "lcps_per_s": found["lcps_per_second"],
            "failed": None,
        }))


def page(rows):
    meta = {key: row[key] for row in rows if "commit" in row or "load" in row for key in row}
    scenes = {row["scene"]: row for row in rows if "samples" in row}
    print(HEAD.format(**meta, steps=min(row["steps"] for row in scenes.values())))
    print("| scene | who | LCPs/s | samples/s | carom f64 / it | carom f32 / it | kernel f32 / it | wrong | failed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for scene, about in scenes.items():
        mean = about["steps"] / about["samples"]
        best = {}
        for row in rows:
            if row.get("scene") == scene and "who" in row and "missing" not in row:
                row.setdefault("samples_per_s", row.get("lcps_per_s", 0) / mean)
                best[row["who"]] = max(row, best.get(row["who"], row), key=lambda row: row["samples_per_s"])
        first = f"**{scene}**, m = {about['contacts']}, {mean:.3g} steps per sample"
        ours = ["carom sample f64", "carom sample f32", next(who for who in best if who.startswith("carom kernel f32"))]
        order = sorted(best.values(), key=lambda row: not row["who"].startswith(("carom sample", "carom kernel")))
        for row in order:
            speed = row["samples_per_s"]
            ratios = [f"{best[who]['samples_per_s'] / speed:.3g}" for who in ours]
            lcps = rate(row["lcps_per_s"]) if "lcps_per_s" in row else "-"
            failed = share(row["failed"])
            if row.get("step_limit"):
                failed += f" (step limit: {share(row['step_limit'])})"
            cells = [first, row["who"], lcps, rate(speed), *ratios, share(row.get("wrong")), failed]
            print("| " + " | ".join(cells) + " |")
            first = ""
        absent = {row["who"]: row for row in rows if "missing" in row and row["scene"] in (scene, "")}
        for row in absent.values():
            print(f"|  | {row['who']} | {row['missing']} | | | | | | |")
    drops = [row for row in rows if "steps_per_drop" in row]
    if drops:
        print(FOOT.format(**drops[0]), end="")


if sys.argv[1] == "--sample":
    print(json.dumps(sample(sys.argv[2])))
elif sys.argv[1] == "--bench":
    bench(sys.argv[2])
else:
    with open(sys.argv[1]) as file:
        lines = [json.loads(line) for line in file]
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as file:
            json.dump(lines, file, indent=1)
    page(lines)
