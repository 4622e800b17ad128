"""Measured impacts: from recordings to events, how well forecasts of them are, and the model that
forecasts best."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from carom.arrays import ArrayLike, Floats
from carom.commands import arrays_in, called, words
from carom.errors import InputError
from carom.problem import ContactProblem

PathLike: TypeAlias = str | os.PathLike[str]
Event: TypeAlias = Mapping[str, Any]
"""A measured impact, with the keys of an event file (``docs/files.md``): those of a problem file or
``problem``, a ``ContactProblem``; ``measured``, the velocity after the impact (n); and ``noise``,
``clean``, ``gap`` (m), ``toss`` where they are known. Arrays may be those of NumPy."""
Events: TypeAlias = PathLike | Iterable[Event]
"""The path of an event file, or events."""
Model: TypeAlias = PathLike | Mapping[str, Any]
"""The path of a model file, or its keys: ``identify(...)["model"]``."""


class HeldOut(TypedDict):
    """Scores of events by models that have not seen their tosses, over ``|v-|_M``."""

    energy_score: float
    energy_score_interval: Floats
    """Interval of confidence .95, by a bootstrap over tosses (2)."""
    log_score: float | None
    in_50: float
    in_90: float
    """Shares of events in the regions of highest density that hold 50 and 90 %."""
    spread: float
    """Mean root mean square radius of the forecasts about their means; it is no error."""
    rms: float
    """The spread, as older versions call it."""


class HeldOutAll(HeldOut):
    """Scores of all events."""

    groups: list[HeldOutGroup]
    """Scores for each number of contacts, where there are several."""


class HeldOutGroup(HeldOut):
    """Scores of the events with one number of contacts."""

    contacts: str
    events: int


class Parameter(TypedDict):
    """A number that was identified."""

    name: str
    """With ``single`` before it: a number of problems with one contact."""
    value: float
    interval: Floats
    """Interval of confidence .95 (2)."""
    at_bound: bool
    """Whether the value lies at a bound of the search."""


class Ingredient(TypedDict):
    """What a part of the model is worth."""

    name: str
    single: bool
    """Whether it is about the numbers of problems with one contact."""
    kept: bool
    held_out_score: float | None
    gain: float | None
    gain_error: float | None
    """By how much held-out events score better with it, and the standard error over tosses."""
    why: str | None
    """Why it was not tried."""


class Identified(TypedDict):
    """The report of ``carom identify --json``, with arrays."""

    schema_version: int
    version: str
    law: str
    samples: int
    seed: int
    folds: int
    score: str
    events: int
    tosses: int
    held_out_score: float
    held_out_error: float
    held_out: HeldOutAll
    held_out_learned: HeldOutAll | None
    training_score: float
    model: dict[str, Any]
    """The keys of the model file, for ``reality(..., model=...)``."""
    parameters: list[Parameter]
    ingredients: list[Ingredient]
    complete: bool
    evaluations: int
    seconds: float
    warnings: list[str]


class Group(TypedDict):
    """Scores of the events with one number of contacts; ``multi``: two and more."""

    contacts: str
    events: int
    median: float | None
    p90: float | None
    share_2: float
    share_5: float
    share_10: float
    hull_share_5: float
    spread: float
    """Mean root mean square radius of the sets about their means; it is no error."""
    rms: float
    """The spread, as older versions call it."""
    diameter: float
    energy_score: float | None
    energy_score_interval: Floats
    variogram_score: float | None
    variogram_score_interval: Floats
    log_score: float | None
    log_score_interval: Floats
    in_50: float | None
    in_90: float | None
    spread_with_noise: float | None
    rms_with_noise: float | None
    ranks: NDArray[np.int64]
    """How many events have a rank (PIT) in each tenth (10)."""
    energy_score_difference: NotRequired[float | None]
    energy_score_difference_interval: NotRequired[Floats]
    """Only baselines have it: the set's score less their own, event by event, and its interval."""
    log_score_difference: NotRequired[float | None]
    log_score_difference_interval: NotRequired[Floats]


def identify(events: Events, out: PathLike | None = None, **options: Any) -> Identified:
    """Identifies from measured impacts what is uncertain: the report of ``carom identify --json``.

    Args:
        events: the path of an event file, or events.
        out: the model file that is written, TOML; ``report["model"]`` has its keys in any case.
        options: those of ``carom identify --help``, such as ``samples=64``, ``folds=5``,
            ``contacts=2``, ``dress=True``, ``learn_residual=True``, ``seconds=60``.

    Raises:
        InputError: what is wrong in the events, or too few tosses.
        KeyboardInterrupt: Ctrl-C; nothing is written then.
    """
    what, text = _given(events)
    written = [] if out is None else ["-o", os.fspath(out)]
    report: dict[str, Any] = json.loads(called(["identify", what, "--json", *written, *words(options)], text))
    # The model stays as it is: its keys are those of the file.
    found: Identified = {key: of if key == "model" else arrays_in(of) for key, of in report.items()}  # type: ignore[assignment]
    return found


def reality(
    events: Events, model: Model | None = None, training: Events | None = None, **options: Any
) -> dict[str, Any]:
    """Scores forecasts of measured impacts, beside baselines: the report of
    ``carom reality --json``, with arrays; its ``groups`` and those of its ``baselines`` are lists
    of ``Group``.

    Args:
        events: the path of an event file, or events.
        model: the model whose forecasts are scored, instead of the law's samples.
        training: the events from which the baselines learn, instead of the other folds.
        options: those of ``carom reality --help``, such as ``samples=512``, ``clean=True``.

    Warns:
        CaromWarning: the model was fitted to no events with so many contacts.
    """
    what, text = _given(events)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = []
        if model is not None:
            files.append(f"--model={_file(model, folder / 'model.json')}")
        if training is not None:
            named = training if isinstance(training, str | os.PathLike) else {"events": _plain(training)}
            files.append(f"--training={_file(named, folder / 'training.json')}")
        report: dict[str, Any] = json.loads(called(["reality", what, "--json", *files, *words(options)], text))
    return {key: arrays_in(of) for key, of in report.items()}


def extract(
    motion: PathLike, recording: PathLike | Mapping[str, ArrayLike], out: PathLike | None = None, **options: Any
) -> list[dict[str, Any]]:
    """Finds the impacts in a recording of positions over time: the events of ``carom extract``,
    with arrays, for ``identify`` and ``reality``.

    Args:
        motion: a built-in motion, which ``motions()`` lists, or the file of one: bodies, walls.
        recording: the path of a CSV file, or its columns by name (N each): ``time`` (s), the
            motion's positions and, where there are several tosses, ``toss``.
        out: the event file that is written.
        options: those of ``carom extract --help``, such as ``frames=5``, ``gap=2e-3``.
    """
    with tempfile.TemporaryDirectory() as name:
        path = os.fspath(recording) if isinstance(recording, str | os.PathLike) else _table(recording, Path(name))
        found = json.loads(called(["extract", os.fspath(motion), path, *words(options)], ""))
    if out is not None:
        Path(out).write_text(json.dumps(found, indent=2) + "\n")
    return [{key: arrays_in(of) for key, of in event.items()} for event in found["events"]]


def _given(events: Events) -> tuple[str, str]:
    """What the command line reads events from, and the text in place of stdin."""
    if isinstance(events, str | os.PathLike):
        return os.fspath(events), ""
    return "-", json.dumps({"events": _plain(events)})


def _plain(events: Iterable[Event]) -> list[Any]:
    """Events as JSON has them."""
    plain = []
    for i, event in enumerate(events):
        if not isinstance(event, Mapping):
            raise InputError(f"expected a mapping, found {type(event).__name__}", f"events[{i}]")
        keys = {key: of for key, of in event.items() if key != "problem" and of is not None}
        problem = event.get("problem")
        if problem is not None:
            if not isinstance(problem, ContactProblem):
                raise InputError("expected a ContactProblem", f"events[{i}].problem")
            keys = {**json.loads(problem.to_json()), **keys}
        plain.append(json.loads(json.dumps(keys, default=_listed)))
    return plain


def _listed(value: Any) -> Any:
    """An array, or a number of NumPy, as JSON has it."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return np.asarray(value).tolist()


def _file(given: PathLike | Mapping[str, Any], path: Path) -> str:
    """The path of a file, which is written where keys are given."""
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    path.write_text(json.dumps(dict(given), default=_listed))
    return os.fspath(path)


def _table(columns: Mapping[str, ArrayLike], folder: Path) -> str:
    """The path of a file with these columns."""
    arrays: Sequence[Floats] = [np.asarray(of, dtype=float) for of in columns.values()]
    if any(of.ndim != 1 or of.size != arrays[0].size for of in arrays):
        sizes = ", ".join(f"{name} {np.shape(of)}" for name, of in columns.items())
        raise InputError(f"expected columns of one length, found {sizes}", "recording")
    path = folder / "recording.csv"
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(columns)
        table.writerows(zip(*(of.tolist() for of in arrays), strict=True))
    return os.fspath(path)
