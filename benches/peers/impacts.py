"""Makes the page and its tables from the rows that impacts.sh collects, one JSON object a line.

Usage: impacts.py ROWS
"""

import json
import sys

HEAD = """# The same impacts, solved by others

- commit {commit}, {processor}, one core for each; {cores} cores with a load of {load} over the last five
  minutes, of which 1 is this run
- {versions}
- command: `benches/peers/impacts.sh`

Random impacts in space, inelastic, of bodies of mass 1, with friction from 0.1 to 1: *one body* strikes the ground at all its contacts,
and its Delassus matrix is singular from two contacts on; in *a stack* each body strikes the one below, the lowest one the ground, and
the matrix is regular. {count} impacts of each kind, a tenth of it for cone complementarity with 20 contacts; both programs read the
same numbers. Microseconds per impact are best times, of three passes and more in each of {rounds} rounds, for each impact; *median* and
*mean* are over impacts. From the Delassus matrix to the impulse; in carom, the outcome with its description and residual counts too.

*failed*: the solver says so. *wrong*: it says solved, and a judge of the impulse alone finds an error above 1e-8, over `max|u-|`.
*other*: solved, but its velocity after the impact differs from carom's by more than 1e-6 of `max|u-|`.
"""

PLUS = """
## PLUS beside Simbody

Both with changes of direction up to 30 degrees, which Simbody has built in, and rolling below 0.01 m/s; a second row has carom's
default, 0.01 rad. Simbody's solver does one round, and what it returns is always `false`: the driver repeats it until no contact
approaches, as the law says, and calls failed what does not end so. Wrong is an impulse that pulls, or friction outside of its cone.
Simbody's solver is compiled without the debugging output that Debian's has. Simbody 3.7 is wrong in impending slip: impacts in
which carom finds it are *left out*, of both. Other velocities: among impulses of redundant contacts the law takes the shortest, Simbody
the one near its first guess; with sliding contacts that leads elsewhere.
"""

CONES = """
## Cone complementarity beside Siconos

`fc3d_nonsmooth_Newton_AlartCurnier` and `fc3d_nsgs` with their defaults and tolerance 1e-10, from a start at 0; carom's own is 1e-10 too.
Wrong is a residual above 1e-8: the largest of `|min(ln w, u_n)|` and `|lt w - P(lt w - u_t)|` of all contacts, with `w` their mean
diagonal entry and `P` onto the disk of radius `mu ln w`. *first solution*: `ConeComplementarity::first`, which ends with one, as the others
do. *every solution it finds*: `resolve`, from 12 starts and more. Another velocity is no error: solutions need not be unique.
"""


def share(x):
    return "-" if x is None else "0" if x == 0 else f"{100 * x:.2g} %"


def table(rows, law):
    own = [row for row in rows if row.get("law") == law]
    kinds = {(row["kind"], row["contacts"]): row for row in own if "impacts" in row}
    left = law == "plus"
    print("| impacts | who | median, us | mean, us | carom median / it | wrong | failed | other |" + " left out |" * left)
    print("|---|---|---|---|---|---|---|---|" + "---|" * left)
    for (kind, contacts), about in kinds.items():
        best = {}
        for row in own:
            if (row["kind"], row["contacts"]) == (kind, contacts) and "who" in row:
                best[row["who"]] = min(row, best.get(row["who"], row), key=lambda row: row["mean"])
        first = f"**{kind}**, m = {contacts}"
        ours = next(iter(best.values()))["median"]
        for row in best.values():
            cells = [first, row["who"], f"{row['median']:.3g}", f"{row['mean']:.3g}", f"{ours / row['median']:.3g}"]
            cells += [share(row[key]) for key in ("wrong", "failed")] + [share(row.get("other"))]
            if left:
                cells.append(share(about["left_out"] / (about["impacts"] + about["left_out"])) if first else "")
            print("| " + " | ".join(cells) + " |")
            first = ""
    for row in {row["who"]: row for row in rows if "missing" in row and row["scene"] == law}.values():
        print(f"|  | {row['who']} | {row['missing']} | | | | | |" + " |" * left)


with open(sys.argv[1]) as file:
    rows = [json.loads(line) for line in file]
names = {"body": "one body", "stack": "a stack"}
for row in rows:
    if "kind" in row:
        row["kind"] = names.get(row["kind"], row["kind"])
        row["contacts"] = int(row["contacts"])
meta = {key: row[key] for row in rows if "commit" in row or "load" in row for key in row}
print(HEAD.format(**meta), end="")
for law, text in ("plus", PLUS), ("cones", CONES):
    print(text)
    table(rows, law)
