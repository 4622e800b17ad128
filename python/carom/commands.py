"""Functions that are commands of the command line: the same words, the same JSON, with arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import numpy as np

from carom import _carom
from carom.arrays import Floats
from carom.errors import warn
from carom.problem import ContactProblem, checked


class ResolveOptions(TypedDict, total=False):
    """The options of ``resolve``."""

    friction: Any
    velocity: Any
    restitution: float
    start: int
    order: Sequence[int]
    sequences: str
    max_length: int
    hypothesis: str
    facets: int
    starts: int
    stiffness: Any
    model: str
    damping: float
    gaps: Sequence[float]
    stribeck: Any
    phases: str
    theta_max: float
    v_transition: float
    v_plastic: float
    v_capture: float


class Solution(TypedDict):
    """An outcome of a law: ``velocity`` v+ (n), ``impulse`` L (K) in N s, ``kinetic_energy`` in J,
    ``impacts`` (single ones with an impulse), ``sequence`` of contacts, ``status``, ``residual``,
    and ``details`` of the law."""

    velocity: Floats
    impulse: Floats
    kinetic_energy: float
    impacts: int
    sequence: Any
    status: str
    residual: float
    details: dict[str, Any]


class Resolved(TypedDict):
    """What ``resolve`` finds: the problem's names, the ``law``, its ``solutions``, and
    ``warnings``."""

    schema_version: int
    version: str
    name: str
    coordinates: list[str]
    contacts: list[str]
    law: str
    kinetic_energy_before: float
    warnings: list[str]
    solutions: list[Solution]


def resolve(problem: ContactProblem, law: str, **options: Unpack[ResolveOptions]) -> Resolved:
    """All outcomes of a law that has finitely many: the report of ``carom resolve --json``, with
    arrays.

    Args:
        problem: the impact.
        law: ``"anitescu-potra"`` (all contacts at once), ``"cone-complementarity"`` (the same with
            circular friction cones), ``"convex-relaxation"``, ``"sequential"`` (one after the
            other), ``"propagative"`` (elastic reflections in every order), ``"darboux-keller"``
            (one spatial contact), ``"plus"`` (rounds of compression and expansion) or
            ``"compliant"`` (springs and dampers).
        friction, velocity, restitution: instead of the problem's; one number of restitution.
        start: sequential: the contact to begin with, from 0; each in turn where it is left out.
        order: sequential: the order in which contacts are looked at, again and again.
        sequences: propagative: ``"minimal"`` or ``"admissible"`` sequences only.
        max_length: propagative: of the longest sequence.
        hypothesis: darboux-keller: ``"stronge"``, ``"poisson"`` or ``"newton"``.
        facets: anitescu-potra, spatial: of the friction cones, 4 to 32; 16 by default.
        starts: cone-complementarity, spatial: random impulses to start from; 8 by default.
        stiffness, model, damping, gaps, stribeck: compliant: of the contacts; see
            ``carom resolve --help``.
        phases, theta_max, v_transition, v_plastic, v_capture: plus: as of ``carom.Plus``.

    Warns:
        CaromWarning: what a reader of the results must know.
    """
    found: Any = command("resolve", problem, [f"--law={law}", *words(dict(options))])
    resolved: Resolved = found
    return resolved


def compare(problem: ContactProblem, **options: Any) -> dict[str, Any]:
    """Every law that applies beside the set: the report of ``carom compare --json``, with
    arrays."""
    return command("compare", problem, words(options))


def exact_set(problem: ContactProblem, **options: Any) -> dict[str, Any]:
    """The set itself, exactly, as polytopes: the report of ``carom set --json``, with arrays."""
    return command("set", problem, words(options))


def guarantee(problem: ContactProblem, **options: Any) -> dict[str, Any]:
    """What theorems promise of the published steps: the report of ``carom guarantee --json``."""
    return command("guarantee", problem, words(options))


def replay(problem: ContactProblem, sample: int, **options: Any) -> dict[str, Any]:
    """How one sample comes about, impulse by impulse: the report of ``carom replay --json``, with
    arrays."""
    return command("replay", problem, words({"sample": sample, **options}))


def simulate(motion: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """Motion through impacts: the report of ``carom simulate --json``, with arrays.

    Args:
        motion: a built-in motion, which ``motions()`` lists, or the file of one.
        options: those of ``carom simulate --help``, such as ``steps=1000``,
            ``out="motion.parquet"``, ``animate="film.svg"``.
    """
    report: dict[str, Any] = json.loads(called(["simulate", os.fspath(motion), "--json", *words(options)], ""))
    return {key: arrays_in(entry) for key, entry in report.items()}


def scenes() -> list[dict[str, str]]:
    """The built-in scenes: their names and what they are."""
    return _listed("scenes")


def motions() -> list[dict[str, str]]:
    """The built-in motions, for ``simulate``: their names and what they are."""
    return _listed("motions")


def _listed(what: str) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = json.loads(called(["scenes", "--json"], ""))[what]
    return listed


def command(name: str, problem: ContactProblem, options: Sequence[str]) -> dict[str, Any]:
    """The report of a command on a problem."""
    what, text = checked(problem)._input()
    report: dict[str, Any] = json.loads(called([name, *what, "--json", *options], text))
    return {key: arrays_in(entry) for key, entry in report.items()}


def called(arguments: Sequence[str], text: str) -> str:
    """What a command prints; its warnings are those of Python."""
    printed, said = _carom.call(arguments, text)
    warn(said, 5)
    return printed


def words(options: dict[str, Any]) -> list[str]:
    """Keyword arguments as options: ``max_steps=5`` is ``--max-steps=5``, True a flag, a list its
    entries with commas."""
    made = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            made.append(option)
        elif value is not None and value is not False:
            listed = np.ndim(value) > 0
            made.append(f"{option}={','.join(map(_number, value)) if listed else _number(value)}")
    return made


def _number(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float | np.floating) else str(value)


def arrays_in(value: Any) -> Any:
    """JSON with arrays in place of its lists of numbers, and of lists of such lists that have one
    length."""
    if isinstance(value, dict):
        return {key: arrays_in(entry) for key, entry in value.items()}
    if not isinstance(value, list):
        return value
    entries = [arrays_in(entry) for entry in value]
    numbers = all(isinstance(entry, int | float) and not isinstance(entry, bool) for entry in entries)
    rows = all(isinstance(entry, np.ndarray) for entry in entries)
    if entries and (numbers or rows and len({entry.shape for entry in entries}) == 1):
        return np.array(entries)
    return entries
