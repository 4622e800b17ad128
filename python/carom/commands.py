"""Functions that are commands of the command line: the same words, the same JSON, with arrays."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom import _carom
from carom.problem import ContactProblem, checked


def resolve(problem: ContactProblem, law: str, **options: Any) -> dict[str, Any]:
    """All outcomes of a law that has finitely many: the report of ``carom resolve --json``, with
    arrays.

    ``resolve(problem, "sequential", start=0, restitution=0.5)``: options are those of
    ``carom resolve --help``.
    """
    return command("resolve", problem, [f"--law={law}", *words(options)])


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
    report: dict[str, Any] = json.loads(_carom.call(["simulate", os.fspath(motion), "--json", *words(options)], ""))
    return {key: arrays_in(entry) for key, entry in report.items()}


def scenes() -> list[dict[str, str]]:
    """The built-in scenes: their names and what they are."""
    return _listed("scenes")


def motions() -> list[dict[str, str]]:
    """The built-in motions, for ``simulate``: their names and what they are."""
    return _listed("motions")


def _listed(what: str) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = json.loads(_carom.call(["scenes", "--json"], ""))[what]
    return listed


def command(name: str, problem: ContactProblem, options: Sequence[str]) -> dict[str, Any]:
    """The report of a command on a problem."""
    what, text = checked(problem)._input()
    report: dict[str, Any] = json.loads(_carom.call([name, *what, "--json", *options], text))
    return {key: arrays_in(entry) for key, entry in report.items()}


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
