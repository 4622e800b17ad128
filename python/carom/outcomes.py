"""Outcomes as rows: single ones, slices, batches, tables of other libraries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from carom.errors import UsageError
from carom.problem import ContactProblem
from carom.states import States

Reals: TypeAlias = NDArray[np.floating[Any]]
"""Numbers in the precision of a run: float64, or float32 where ``precision="f32"``."""

MODES = ("lift", "stick", "slide", "slide-")
"""What the codes of contact modes mean in files and Arrow tables; ``slide`` is ``slide+`` in the
plane."""


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """One outcome.

    Attributes:
        sample: the number of the sample.
        velocity: v+ (n).
        contact_velocity: u+ = J v+ (K), the m normals first.
        impulse: L (K) in N s, the m normals first, then the tangents of each contact together.
        kinetic_energy: after the impact, in J.
        steps: steps, segments or substeps.
        status: how the sample ended; 0 is "terminated".
        residual: by how much it violates the law, dimensionless.
        accepted: whether it ended with a small residual.
    """

    sample: int
    velocity: Reals
    contact_velocity: Reals
    impulse: Reals
    kinetic_energy: float
    steps: int
    status: int
    residual: float
    accepted: bool

    def __repr__(self) -> str:
        how = "accepted" if self.accepted else "not accepted"
        return f"Outcome({how}, velocity={np.array2string(self.velocity, precision=4, threshold=16)})"


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """Outcomes of one problem, row by row: a slice of ``Samples``, a state of a ``Batch``, what
    ``Prepared`` draws. The arrays are read-only.

    ``outcomes[3]`` is an ``Outcome``; ``outcomes[2:8]``, ``outcomes[mask]`` and
    ``outcomes[numbers]`` are ``Outcomes``.

    Attributes:
        sample: the numbers of the samples (N).
        velocity: v+ (N,n).
        contact_velocity: u+ = J v+ (N,K), the m normals first.
        impulse: L (N,K) in N s, the m normals first, then the tangents of each contact together.
        kinetic_energy: after the impact (N), in J.
        steps: steps, segments or substeps (N).
        status: how each sample ended (N); ``carom.STATUS`` names the codes, 0 is "terminated".
        residual: by how much each sample violates the law (N), dimensionless.
        accepted: whether each sample ended with a small residual (N).
    """

    sample: NDArray[np.int64]
    velocity: Reals
    contact_velocity: Reals
    impulse: Reals
    kinetic_energy: Reals
    steps: NDArray[np.uint32]
    status: NDArray[np.uint8]
    residual: Reals
    accepted: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, rows: Any) -> Any:
        chosen = {name: array[rows] for name, array in vars(self).items()}
        if np.ndim(chosen["status"]) == 0:
            plain = {name: value.item() if np.ndim(value) == 0 else value for name, value in chosen.items()}
            return Outcome(**plain)
        if chosen["status"].ndim != 1:
            raise IndexError("expected a number, a slice, a mask or a list of numbers")
        return Outcomes(**{name: fixed(array) for name, array in chosen.items()})

    def __iter__(self) -> Iterator[Outcome]:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Reals:
        return as_array(self.velocity, dtype, copy)

    def __repr__(self) -> str:
        return f"Outcomes({len(self)} of {self.velocity.shape[1]} coordinates, {int(self.accepted.sum())} accepted)"


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """Outcomes of B states, N samples each. The arrays are read-only. ``batch[b]`` are the
    ``Outcomes`` of state b.

    Attributes:
        velocity: v+ (B,N,n).
        contact_velocity: u+ = J v+ (B,N,K), the m normals first; 0 at contacts that a state does
            not have.
        impulse: L (B,N,K), the m normals first, then the tangents of each contact together; 0 at
            contacts that a state does not have.
        kinetic_energy: after the impact (B,N), in J.
        steps: (B,N).
        status: how each sample ended (B,N); 0 is "terminated".
        residual: (B,N), dimensionless.
        accepted: whether each sample ended with a small residual (B,N).
        seed: of each state (B).
        device: the name of the device.
        seconds: in which the engine sampled, without the conversion of arrays.
    """

    velocity: Reals
    contact_velocity: Reals
    impulse: Reals
    kinetic_energy: Reals
    steps: NDArray[np.uint32]
    status: NDArray[np.uint8]
    residual: Reals
    accepted: NDArray[np.bool_]
    seed: NDArray[np.int64]
    device: str
    seconds: float
    _states: States
    _options: str

    def jacobian(self, wrt: str = "velocity", *, hold_step: bool = False, kinks: str = "nan") -> NDArray[np.float64]:
        """The derivatives of the outcomes, with the draws held, as of ``Samples.jacobian``:
        dv+/dv- (B,N,n,n), or with respect to friction or restitution (B,N,n,m), or the impulse step
        (B,N,n,1). Zeros at contacts that a state does not have. Computed on the CPU in double
        precision, on all cores."""
        return self._derivative(wrt, hold_step, kinks)[0]

    def differentiable(self, wrt: str = "velocity", *, hold_step: bool = False) -> NDArray[np.bool_]:
        """Whether each sample has the derivative that ``jacobian`` gives (B,N)."""
        found: NDArray[np.bool_] = self._derivative(wrt, hold_step, "nan")[1]
        return found

    def _derivative(self, wrt: str, hold_step: bool, kinks: str) -> tuple[Any, Any]:
        return self._states.derivative(self._options, self.status.shape[1], self.seed, wrt, hold_step, kinks)

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, b: int) -> Outcomes:
        if not isinstance(b, int | np.integer):
            raise IndexError(f"expected the number of a state, found {b!r}; the arrays take slices: batch.velocity[2:4]")
        each = (name for name in Outcomes.__dataclass_fields__ if name != "sample")
        rows = {name: getattr(self, name)[b] for name in each}
        return Outcomes(sample=fixed(np.arange(len(rows["status"]))), **rows)

    def __iter__(self) -> Iterator[Outcomes]:
        return (self[b] for b in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Reals:
        return as_array(self.velocity, dtype, copy)

    def __repr__(self) -> str:
        states, samples, n = self.velocity.shape
        accepted = f"{int(self.accepted.sum())} accepted"
        return f"Batch({states} states with {samples} samples of {n} coordinates, {accepted}, on {self.device})"


def fixed(array: Any) -> Any:
    """The array, read-only."""
    array.flags.writeable = False
    return array


def as_array(array: Reals, dtype: Any, copy: bool | None) -> Reals:
    """The array as NumPy asks for it in ``__array__``."""
    if copy is False and dtype is not None and np.dtype(dtype) != array.dtype:
        raise ValueError(f"an array of {array.dtype} becomes one of {np.dtype(dtype)} by a copy only")
    if copy:
        return np.array(array, dtype=dtype)
    return np.asarray(array, dtype=dtype)


def frame(problem: ContactProblem, outcomes: Outcomes, modes: NDArray[np.str_] | None) -> Any:
    """The outcomes as a table of pandas, with a column for each coordinate and contact."""
    pandas = library("pandas")
    d = outcomes.impulse.shape[1] // max(len(problem.contacts), 1) - 1
    names = {1: ["tangent"], 2: ["tangent1", "tangent2"]}.get(d, [])
    rows = [f"{contact}.normal" for contact in problem.contacts]
    rows += [f"{contact}.{name}" for contact in problem.contacts for name in names]
    columns: dict[str, Any] = {name: outcomes.velocity[:, i] for i, name in enumerate(problem.coordinates)}
    columns |= {f"impulse.{name}": outcomes.impulse[:, i] for i, name in enumerate(rows)}
    if modes is not None:
        columns |= {f"mode.{name}": pandas.Categorical(modes[:, i]) for i, name in enumerate(problem.contacts)}
    columns |= {name: getattr(outcomes, name) for name in ("kinetic_energy", "steps", "status", "residual", "accepted")}
    return pandas.DataFrame(columns, index=pandas.Index(outcomes.sample, name="sample"))


def table(outcomes: Outcomes, modes: NDArray[np.uint8] | None, metadata: str) -> Any:
    """The outcomes as a table of Arrow, with the columns of files, and metadata under ``carom``."""
    arrow = library("pyarrow")

    def lists(array: Any) -> Any:
        flat = arrow.array(np.ascontiguousarray(array).reshape(-1))
        return arrow.FixedSizeListArray.from_arrays(flat, array.shape[1])

    columns = {
        "sample": arrow.array(outcomes.sample),
        "velocity": lists(outcomes.velocity),
        "impulse": lists(outcomes.impulse),
        **({} if modes is None else {"mode": lists(modes)}),
        **{
            name: arrow.array(getattr(outcomes, name))
            for name in ("accepted", "status", "steps", "residual", "kinetic_energy")
        },
    }
    return arrow.table(columns).replace_schema_metadata({"carom": metadata})


def library(name: str) -> Any:
    """A library that carom can do without."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(f"{name} cannot be imported: {error}", hint=f"pip install {name}") from None
