"""Checks the packages of Cargo.lock against deny.toml: licences, sources, repeated packages.

It needs cargo and Python 3.11, and no other tool. What deny.toml does not allow is an error, which
says what to do. Packages that are there in several versions are counted; `--duplicates` lists them.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]


def alternatives(expression: str) -> list[frozenset[str]]:
    """The sets of licences that an SPDX expression leaves the choice of."""
    # Old manifests have a slash in place of OR.
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))
    at = 0

    def following() -> str | None:
        return words[at] if at < len(words) else None

    def take() -> str:
        nonlocal at
        if at == len(words) or words[at] in ("AND", "OR", "WITH"):
            raise ValueError(expression)
        at += 1
        return words[at - 1]

    def term() -> list[frozenset[str]]:
        nonlocal at
        name = take()
        if name == "(":
            inner = either()
            if take() != ")":
                raise ValueError(expression)
            return inner
        if name == ")":
            raise ValueError(expression)
        if following() == "WITH":
            at += 1
            name = f"{name} WITH {take()}"
        return [frozenset([name])]

    def all_of() -> list[frozenset[str]]:
        nonlocal at
        found = term()
        while following() == "AND":
            at += 1
            found = [one | other for other in term() for one in found]
        return found

    def either() -> list[frozenset[str]]:
        nonlocal at
        found = all_of()
        while following() == "OR":
            at += 1
            found = found + all_of()
        return found

    found = either()
    if following() is not None:
        raise ValueError(expression)
    return found


def licence_errors(packages: list[dict], rules: dict) -> list[str]:
    """What is wrong with licences, and which lines of deny.toml no package needs."""
    allowed = set(rules["allow"])
    exceptions = {rule["crate"]: set(rule["allow"]) for rule in rules.get("exceptions", [])}
    wrong, met = [], set()
    for package in packages:
        name, said = package["name"], package["license"]
        named = f"{name} {package['version']}"
        if not said:
            wrong.append(f"{named} names no licence. Read its files, then do without it or ask.")
            continue
        try:
            choices = alternatives(said)
        except ValueError:
            wrong.append(f"{named}: `{said}` is no SPDX expression.")
            continue
        mine = allowed | exceptions.get(name, set())
        met |= {licence for choice in choices if choice <= mine for licence in choice}
        if not any(choice <= mine for choice in choices):
            wrong.append(
                f"{named} has the licence `{said}`, which deny.toml does not allow.\n"
                f"  `cargo tree --target all --invert {name}` says who asks for it. Take another package, or,\n"
                f"  if carom may be handed out with it, add the licence to [licenses] with the reason."
            )
    names = {package["name"] for package in packages}
    wrong += [f"deny.toml allows `{x}`, which no package has: remove it." for x in allowed - met]
    wrong += [f"deny.toml excepts {x}, which is no package: remove it." for x in exceptions.keys() - names]
    return wrong


def source_errors(packages: list[dict], rules: dict) -> list[str]:
    """Packages from elsewhere than deny.toml says; those of this repository have no source."""
    known = {f"registry+{address}" for address in rules["allow-registry"]}
    known |= {f"git+{address}" for address in rules.get("allow-git", [])}
    return [
        f"{package['name']} {package['version']} comes from {package['source']}: take it from crates.io."
        for package in packages
        if package["source"] and package["source"].split("?")[0] not in known
    ]


def main(arguments: list[str]) -> int:
    """Prints what is wrong, and how many packages were checked."""
    if arguments not in ([], ["--duplicates"]):
        print(__doc__, file=sys.stderr)
        return 2
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1", "--quiet"]
    answer = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE)
    if answer.returncode != 0:
        return answer.returncode
    packages = json.loads(answer.stdout)["packages"]
    rules = tomllib.loads((ROOT / "deny.toml").read_text("utf-8"))
    versions = defaultdict(list)
    for package in packages:
        versions[package["name"]].append(package["version"])
    repeated = {name: found for name, found in versions.items() if len(found) > 1}
    wrong = licence_errors(packages, rules["licenses"]) + source_errors(packages, rules["sources"])
    print(f"{len(packages)} packages, {len(repeated)} of them in several versions")
    if arguments:
        for name, found in sorted(repeated.items()):
            print(f"  {name} {', '.join(sorted(found))}")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
