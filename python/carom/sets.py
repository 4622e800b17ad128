"""Sets of outcomes, and what can be asked of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from carom import _carom
from carom.arrays import ArrayLike, Floats, floats, whole
from carom.commands import arrays_in
from carom.errors import EmptyError, InputError, UsageError
from carom.outcomes import Outcome, Outcomes, Reals, as_array, fixed, frame, table
from carom.problem import ContactProblem
from carom.states import held

Velocity: TypeAlias = ArrayLike | Mapping[str, float] | str
"""A number for each coordinate: an array (n), or names with numbers, ``{"theta": 0.5}`` or
``"theta=0.5"``."""

STATUS = ("terminated", "step-limit", "unsolved", "not-finite", "budget")
"""What the codes of ``Samples.status`` mean; 0 is the outcome of an impact that has ended."""


PROOFS = ("exact", "enclosure", "bound", "missing")
"""The keys of an ``Answer`` that the exact set and proofs have, and samples have not."""


class Answer(dict[str, Any]):
    """What the samples answer to a question.

    The exact set and proofs are asked when one of their keys is read, which may take seconds:
    ``"exact"``, the answer of the exact set, which says whether it is ``"complete"``;
    ``"enclosure"`` in its place where not all of it are outcomes; ``"bound"``, a proof, where they
    are not known; ``"missing"``, why there is no exact set where there might be one. ``get`` asks
    too, ``in`` and loops do not.
    """

    def __init__(self, known: dict[str, Any], ask: Callable[[], dict[str, Any]]) -> None:
        super().__init__(known)
        self._rest: Callable[[], dict[str, Any]] | None = ask

    def __missing__(self, key: str) -> Any:
        if key not in PROOFS or self._rest is None:
            raise KeyError(key)
        rest, self._rest = self._rest(), None
        self.update({name: rest[name] for name in PROOFS if name in rest})
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class Set:
    """The accepted samples of an impact, and questions to them.

    Distances are those of the kinetic metric, |v|_M = sqrt(v' M v), over that of the velocity
    before the impact. ``support``, ``worst`` and ``distance`` are answered by the samples; with up
    to four planar contacts the exact set mostly answers as well, where its key of the ``Answer``
    is read.

    A velocity or a direction is an array (n), or names with numbers, ``{"theta": 0.5}``: what is
    left out may be anything in a velocity, and is 0 in a direction.
    """

    problem: ContactProblem
    """The problem that was sampled."""
    _set: _carom.Samples | _carom.Saved

    def _ask(self, by: str, question: str, **options: object) -> dict[str, Any]:
        """The answer of the ``samples``, of the exact ``set`` as well, or of ``proofs`` as well."""
        words = [f"--{name}={_word(value)}" for name, value in options.items()]
        answer: dict[str, Any] = json.loads(self._set.ask(by, [question, *words]))
        return {key: arrays_in(entry) for key, entry in answer.items()}

    def _answer(self, question: str, **options: object) -> Answer:
        known = self._ask("samples", question, **options)
        return Answer(known, lambda: self._ask("proofs", question, **options))

    def _vector(self, given: Velocity, name: str) -> Floats | str:
        if isinstance(given, Mapping):
            return ",".join(f"{key}={_number(value, name)!r}" for key, value in given.items())
        if isinstance(given, str):
            return given
        vector = floats(given, name, (len(self.problem.coordinates),))
        if not np.isfinite(vector).all():
            raise InputError(f"{name}: expected finite numbers", name)
        return vector

    def support(self, direction: Velocity) -> Answer:
        """The largest c.v+ of the samples for a direction c (n): ``value``, the number ``sample``
        that attains it, its ``velocity`` (n). A maximum over an array; the exact set and proofs are
        asked when ``"exact"`` or ``"bound"`` is read."""
        words = _word(self._vector(direction, "direction"))
        c = self.problem._problem.direction(words)
        return Answer(self._largest(lambda v: v @ c), lambda: self._ask("proofs", "support", direction=words))

    def worst(self, cost: str | Callable[[Floats], Any]) -> dict[str, Any]:
        """The largest cost of the samples: ``value``, ``sample``, ``velocity`` (n).

        Args:
            cost: an expression such as ``"(block.theta-1)^2 + abs(block.x)"`` in the names of the
                coordinates, with ``**`` or ``^`` for powers, of which the ``Answer`` has proofs; or
                a function from the velocities of the accepted samples (N,n) to their costs (N).
        """
        if callable(cost):
            return self._largest(cost)
        return self._answer("worst", cost=str(cost).replace("**", "^"))

    def _largest(self, value: Callable[[Floats], Any]) -> dict[str, Any]:
        numbers, velocities = self._accepted()
        if not len(numbers):
            raise EmptyError("the set is empty: no sample is accepted")
        values = floats(value(velocities), "cost", (len(numbers),))
        i = int(np.argmax(values))
        return {"value": float(values[i]), "sample": int(numbers[i]), "velocity": velocities[i]}

    def _accepted(self) -> tuple[NDArray[np.int64], Any]:
        """The numbers of the accepted samples, and their velocities."""
        raise NotImplementedError

    def distance(self, velocity: Velocity) -> Answer:
        """How far a velocity (n) is from the ``nearest`` sample and from the ``hull`` of all."""
        return self._answer("distance", velocity=self._vector(velocity, "velocity"))

    def contains(self, velocity: Velocity, eps: float = 0.01) -> bool:
        """Whether the set comes as near as eps to a velocity (n). Where no sample is as near, the
        exact set is asked, if there is one that is found within 4 s. False too where it is not
        known: where there is no such set, or where the set does not exclude it but is not tight. Of
        uncertain numbers samples alone are asked."""
        asked: dict[str, object] = {"velocity": self._vector(velocity, "velocity"), "eps": _number(eps, "eps")}
        return any(self._ask(by, "contains", **asked)["contains"] for by in ("samples", "set"))

    def extents(self) -> tuple[Floats, Floats]:
        """The least and the greatest velocity of each coordinate (n each)."""
        answer = self._ask("samples", "extents")
        return answer["min"], answer["max"]

    def mode_shares(self) -> list[dict[str, Any]]:
        """The combinations of contact modes that were met, the most frequent first, with their
        shares among the samples; after
        them, with share 0, those that only the exact set has."""
        modes: list[dict[str, Any]] = self._ask("set", "modes")["modes"]
        return modes

    def representatives(self, count: int = 8) -> dict[str, Any]:
        """A few samples that stand for all: their ``samples``, ``velocities``, and the ``radius``
        within which all others are."""
        return self._ask("samples", "representatives", count=whole(count, "count"))

    def clusters(self, gap: float = 0.05) -> dict[str, Any]:
        """The parts into which the set falls, where samples nearer than gap are in the same
        part."""
        return self._ask("samples", "clusters", gap=_number(gap, "gap"))

    def invariants(self) -> dict[str, Any]:
        """The directions of velocity in which the set is thin: what does not depend on the order of
        impulses."""
        return self._ask("set", "invariants")

    def bound(
        self,
        direction: Velocity | None = None,
        cost: str | None = None,
        kind: str | None = None,
        within: float | None = None,
    ) -> dict[str, Any]:
        """A proof of what no outcome exceeds: c.v+ for a direction c (n), or a cost. It draws no
        sample.

        Args:
            kind: ``"exact"``, ``"certified"`` or ``"conic"``; all that apply where it is None. Of
                Poisson's restitution only the exact one holds.
            within: seconds that all proofs may take together, but for the conic one, which takes
                milliseconds; the best certified bound of a direction until then.

        Returns:
            ``bounds``: the proofs, as in ``carom bound --json``, the proved ones first;
            ``sampled``: the ``value`` and the number of the sample that is farthest, None without
            an accepted one; ``before``: the value before the impact; ``missing``: kinds that apply
            and could not be found, and why; ``strongest``: the kind with the smallest proved value,
            ``"conic"`` where that is as small; ``gap``: how far that is above the sample, below 0
            where the sample exceeds it. They hold for all friction and restitution in the ranges of
            the problem.

        Raises:
            UsageError: a law, or a kind, for which no such proof holds; uncertain numbers other
                than friction and restitution.
        """
        if (direction is None) == (cost is None):
            raise UsageError("expected either a direction or a cost", "direction")
        words: dict[str, object] = {}
        if direction is not None:
            words["direction"] = _word(self._vector(direction, "direction"))
        else:
            words["cost"] = cost = str(cost).replace("**", "^")
        words |= {name: value for name, value in (("kind", kind), ("within", within)) if value is not None}
        try:
            reached = self.support(direction) if direction is not None else self._ask("samples", "worst", cost=cost)
            farthest = (float(reached["value"]), int(reached["sample"]))
        except EmptyError:
            farthest = None
        given = [f"--{name}={_word(value)}" for name, value in words.items()]
        found: dict[str, Any] = json.loads(self._set.prove(given, farthest))
        kept = ("before", "bounds", "missing", "strongest", "sampled", "gap")
        return {key: found[key] for key in kept}

    def plot(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        axes: str | Sequence[str] = (),
        size: str | None = None,
        title: str | None = None,
    ) -> Picture:
        """A picture of the set, coloured by contact modes; it shows in a notebook.

        Args:
            path: where to write it too: ``.svg``, ``.png`` or ``.pdf``.
            axes: panels instead of those chosen: ``"x,theta"``, ``"left.normal,left.tangent"``.
            size: ``"85mm"`` or ``"800x600px"``.
            title: the title.
        """
        words = [f"--axes={pair}" for pair in ([axes] if isinstance(axes, str) else axes)]
        words += [f"--{name}={value}" for name, value in (("size", size), ("title", title)) if value is not None]
        if path is not None:
            _write(path, self._set.draw(words, Path(path).name))
        return Picture(self._set.draw(words, "set.svg").decode())


class Samples(Set):
    """Samples of an impact: N outcomes, each with a status and a residual.

    Sample i is a function of problem, law or model, seed and i alone. The arrays are those of the
    engine, in the precision of the run, and read-only. They have ``__dlpack__``, so libraries that
    take read-only arrays, such as JAX, read them without a copy; ``torch.tensor(out.velocity)``
    copies.

    ``out[3]`` is an ``Outcome``; ``out[2:8]``, ``out[mask]``, ``out[numbers]`` are ``Outcomes``.
    Samples can be copied and pickled, and have ``__arrow_c_stream__``.

    Attributes:
        velocity: v+ (N,n).
        contact_velocity: u+ = J v+ (N,K), the m normals first.
        impulse: L (N,K) in N s, the m normals first, then the tangents of each contact together.
        kinetic_energy: after the impact (N), in J.
        steps: steps, segments or substeps of each sample (N).
        status: how each sample ended (N); ``carom.STATUS`` names the codes, 0 is "terminated".
        residual: by how much each sample violates the law (N), dimensionless.
        repaired: whether the sample was computed again in double precision (N).
    """

    velocity: Reals
    contact_velocity: Reals
    impulse: Reals
    kinetic_energy: Reals
    steps: NDArray[np.uint32]
    status: NDArray[np.uint8]
    residual: Reals
    repaired: NDArray[np.bool_]

    def __init__(self, samples: _carom.Samples, options: str, seed: int) -> None:
        self._set = samples
        self._samples = samples
        self._options = options
        self._seed = seed
        self.problem = ContactProblem.from_json(samples.problem())
        for name in ARRAYS:
            setattr(self, name, getattr(samples, name))

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, rows: Any) -> Any:
        return self._rows()[rows]

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._rows())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Reals:
        return as_array(self.velocity, dtype, copy)

    def _accepted(self) -> tuple[NDArray[np.int64], Any]:
        numbers = np.flatnonzero(self.accepted)
        return numbers, self.velocity if len(numbers) == len(self) else self.velocity[numbers]

    def _rows(self) -> Outcomes:
        arrays = {name: getattr(self, name) for name in ARRAYS if name != "repaired"}
        return Outcomes(sample=fixed(np.arange(len(self))), accepted=self.accepted, **arrays)

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Whether each sample is accepted (N): it ended, with a small residual."""
        accepted: NDArray[np.bool_] = fixed((self.status == 0) & (self.residual <= self._samples.tolerance))
        return accepted

    @property
    def forecast(self) -> bool:
        """Whether the velocities are forecasts of a model, not outcomes of its law alone; impulses,
        statuses and residuals are those of the outcomes."""
        return self._samples.forecast

    @property
    def modes(self) -> NDArray[np.str_]:
        """What each contact does after the impact (N,m): ``"lift"``, ``"stick"``, ``"slide"``;
        ``"slide+"`` and ``"slide-"`` in the plane. Forecasts have no modes."""
        codes, names = self._samples.modes()
        return np.array(names)[codes]

    @property
    def summary(self) -> dict[str, Any]:
        """The report of ``carom sample --json``."""
        summary: dict[str, Any] = json.loads(self._samples.summary())
        return summary

    @property
    def warnings(self) -> list[str]:
        """What a reader of the results must know."""
        return self._samples.warnings

    def jacobian(
        self,
        wrt: str = "velocity",
        *,
        hold_step: bool = False,
        kinks: str = "nan",
        first: int = 0,
        count: int | None = None,
    ) -> Floats:
        """The derivatives of the outcomes, with the draws held: dv+/dv- (N,n,n), the saltation
        matrix of its order of impulses; or with respect to friction or restitution (N,n,m), or the
        impulse step in N s (N,n,1).

        The law takes the impulse step, or the length of blocks, from the velocity unless one is
        given. The derivative is the total one, of the outcome that ``sample`` gives a velocity
        nearby.

        A sample at a kink, where an arbitrarily small change lets other contacts strike, stick or
        slip, has no derivative; nor has one at mu = 0 or e = 0 with respect to these. Computed on
        the CPU in double precision.

        Args:
            wrt: ``"velocity"``, ``"friction"`` (or ``"mu"``), ``"restitution"`` or ``"step"``.
            hold_step: whether the step keeps its value in N s while the velocity changes.
            kinks: ``"nan"``, where all entries of such a sample, and of no other, are NaN; or
                ``"branch"``, which has the derivative of a branch that the sample may take: of a
                point beside it whose outcome is near (``differentiable`` says which samples these
                are). NaN remains where there is none.
            first, count: of samples first .. first + count only; all of them by default.
        """
        return self._derivative(wrt, hold_step, kinks, first, count)[0]

    def differentiable(
        self, wrt: str = "velocity", *, hold_step: bool = False, first: int = 0, count: int | None = None
    ) -> NDArray[np.bool_]:
        """Whether each sample has the derivative that ``jacobian`` gives (N)."""
        found: NDArray[np.bool_] = self._derivative(wrt, hold_step, "nan", first, count)[1]
        return found

    def _derivative(self, wrt: str, hold_step: bool, kinks: str, first: int, count: int | None) -> tuple[Any, Any]:
        branch = held(wrt, hold_step, kinks)
        return self._samples.jacobian(str(wrt), hold_step, branch, *self._range(first, count))

    def jvp(self, direction: Velocity, *, first: int = 0, count: int | None = None) -> Floats:
        """The one-sided derivatives of the outcomes (N,n) along a change of the velocity before the
        impact (n): ``(v+(v + h d) - v+(v)) / h`` for h from above to 0, with the draws held.

        At a kink it is that of the branch in this direction; NaN where the outcome jumps. Problems
        with an uncertain pose have none.
        """
        vector = self._vector(direction, "direction")
        if isinstance(vector, str):
            vector = self._named(vector)
        return self._samples.jvp(np.asarray(vector, dtype=np.float64), *self._range(first, count))

    def _named(self, words: str) -> Floats:
        vector = np.zeros(len(self.problem.coordinates))
        for word in words.split(","):
            name, _, value = word.partition("=")
            known = [i for i, own in enumerate(self.problem.coordinates) if own == name or own.endswith(f".{name}")]
            if len(known) != 1:
                raise UsageError(f"no coordinate is called `{name}`", "direction", f"known are {', '.join(self.problem.coordinates)}")
            vector[known[0]] = float(value)
        return vector

    def _range(self, first: int, count: int | None) -> tuple[int, int]:
        if whole(first, "first", 0) > len(self):
            raise UsageError(f"first: there are {len(self)} samples, none from {first} on", "first")
        left = len(self) - first
        return first, left if count is None else min(whole(count, "count", 0), left)

    def to_parquet(self, path: str | os.PathLike[str], *, jacobian: str | None = None) -> None:
        """Writes every sample to a file of ``carom sample --out``, ``.parquet`` or ``.npz``, with
        derivatives where they are named."""
        self._samples.write(os.fspath(path), None if jacobian is None else str(jacobian))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each sample: velocities by coordinate, impulses and
        modes by contact, ``accepted``, ``status`` and the others."""
        return frame(self.problem, self._rows(), None if self.forecast else self.modes)

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with the columns of files: lists of fixed length for velocities,
        impulses and codes of contact modes, and the record of the run in the metadata."""
        modes = None if self.forecast else self._samples.modes()[0]
        return table(self._rows(), modes, self._samples.summary())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = tuple(np.array(getattr(self, name)) for name in ARRAYS)
        return restored, (self._samples.problem(), self._options, self._seed, arrays, self._samples.summary())

    def __repr__(self) -> str:
        return f"Samples({len(self)} of {self.problem.name!r}, {int(self.accepted.sum())} accepted)"


ARRAYS = ("velocity", "contact_velocity", "impulse", "kinetic_energy", "steps", "status", "residual", "repaired")
"""The arrays of samples, as the engine has them."""


def restored(problem: str, options: str, seed: int, arrays: tuple[Any, ...], report: str) -> Samples:
    """Samples that another process, or this one, has drawn."""
    given = ContactProblem.from_json(problem)._problem
    made = _carom.restored(given, _carom.Sampling(options), seed, tuple(fixed(array) for array in arrays), report)
    return Samples(made, options, seed)


class SavedSet(Set):
    """The accepted samples of a file.

    Attributes:
        velocity: v+ (N,n).
        sample: the numbers of the samples (N).
    """

    velocity: Floats
    sample: NDArray[np.int64]

    def __init__(self, saved: _carom.Saved) -> None:
        self._set = saved
        self.problem = ContactProblem.from_json(saved.problem())
        self.velocity = saved.velocity
        self.sample = saved.sample
        self._record = saved.record()

    def __len__(self) -> int:
        return len(self.sample)

    @property
    def record(self) -> dict[str, Any]:
        """How the samples came about: problem, law, seed, version, device."""
        record: dict[str, Any] = json.loads(self._record)
        return record

    def _accepted(self) -> tuple[NDArray[np.int64], Any]:
        return self.sample, self.velocity

    def __repr__(self) -> str:
        return f"SavedSet({len(self)} of {self.problem.name!r})"


def _word(value: object) -> str:
    """A value as the command line takes it; numbers keep all their digits."""
    if isinstance(value, np.ndarray):
        return ",".join(repr(float(x)) for x in value)
    return repr(value) if isinstance(value, float) else str(value)


def _number(value: float, name: str) -> float:
    return float(floats(value, name, ()))


def _write(path: str | os.PathLike[str], content: bytes) -> None:
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot write this file: {error.strerror}", os.fspath(path)) from None


class Picture:
    """A picture: text in SVG, which notebooks show.

    Attributes:
        svg: the text.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG file; ``plot(path)`` writes others too."""
        if Path(path).suffix.lower() != ".svg":
            raise UsageError(f"expected a name that ends in .svg, found {os.fspath(path)!r}", "path", "plot(path) writes .png and .pdf")
        _write(path, self.svg.encode())


def read(path: str | os.PathLike[str]) -> SavedSet:
    """Reads the accepted samples of a file of ``carom sample --out`` or ``Samples.to_parquet``,
    ``.parquet`` or ``.npz``."""
    return SavedSet(_carom.read(os.fspath(path)))
