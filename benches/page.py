"""A page of results of files that `carom bench --work N --json` wrote.

usage: python3 benches/page.py FILE.json... > results.md
"""

import json
import sys


def rows(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    for device in report["devices"]:
        for work in device.get("work", []):
            yield report, device, work


def short(x):
    for factor, prefix in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]:
        if x >= factor:
            return f"{x / factor:.3g}{prefix}"
    return f"{x:.3g}"


def page(found):
    yield "| device | driver | scene | samples | seconds | verified/s | s for 1e9 | compile, s | flop/byte | of peak | J for 1e9 | apart | hash |"
    yield "|" + "---|" * 13
    for _, device, work in sorted(found, key=lambda row: (row[2]["scene"], -row[2]["accepted_per_second"])):
        each = 1e9 / work["accepted"]
        energy = work["energy"]
        share = work["share_of_peak"]
        name = device["name"] + (" (software)" if device.get("software") else "")
        threads = device["threads"]
        yield "| " + " | ".join([
            f"{name}, {threads} threads" if threads else name,
            device["driver"] or "-",
            f"{work['scene']}, {work['precision']}",
            short(work["samples"]),
            f"{work['seconds']:.3g}",
            short(work["accepted_per_second"]),
            f"{work['seconds'] * each:.3g}",
            f"{work['compile_seconds']:.2g}",
            f"{work['flop_per_sample'] / work['bytes_per_sample']:.2g}",
            "-" if share is None else f"{100 * share:.2g} %",
            "-" if energy is None else f"{energy['joules'] * each:.3g}",
            "-" if work["check"] is None else f"{100 * work['check']['apart']:.2g} %",
            f"`{work['hash']}`",
        ]) + " |"
    yield ""
    yield "Of:"
    yield ""
    told = []
    for report, _, _ in found:
        line = f"- `{report['command']}`, {report['date']}, {report['os']}, carom {report['version']}, commit {report['commit'] or 'unknown'}"
        if line not in told:
            told.append(line)
    yield from told


def main():
    paths = sys.argv[1:]
    if paths in (["-h"], ["--help"]):
        print(__doc__.strip())
        return
    if not paths:
        sys.exit(__doc__.strip())
    found = []
    for path in paths:
        try:
            found += rows(path)
        except OSError as error:
            sys.exit(str(error))
        except (ValueError, KeyError, TypeError, AttributeError):
            # A run that ended early leaves an empty file.
            print(f"{path}: is no report of `carom bench --work N --json`", file=sys.stderr)
    if not found:
        sys.exit("no file has fixed work: `carom bench --work 1e6 --json > work.json` writes some")
    print("\n".join(page(found)))


main()
