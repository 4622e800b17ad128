"""Sampling the outcomes of impacts: one problem, many states at once, or the same problem again and
again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import _carom
from carom.arrays import ArrayLike, Floats, floats, numbers, whole
from carom.errors import InputError, UsageError
from carom.laws import Law, Routh
from carom.problem import ContactProblem, checked
from carom.sets import Samples


def sample(
    problem: ContactProblem,
    samples: int = 65536,
    seed: int = 0,
    device: str = "auto",
    precision: str | None = None,
    law: Law | None = None,
    *,
    restitution: float | None = None,
    uncertainty: str | Mapping[str, Any] | None = None,
    sampler: str | None = None,
    model: str | os.PathLike[str] | None = None,
    law_only: bool = False,
) -> Samples:
    """Samples the outcomes of an impact. The same seed gives the same samples as ``carom sample``.

    Args:
        problem: the impact.
        samples: how many, N.
        seed: of the sample streams.
        device: ``"auto"`` (a GPU if there is one, else the CPU), ``"cpu"``, ``"gpu"``, or part of
            an adapter's name.
        precision: ``"f32"`` or ``"f64"``; f32 on a GPU and f64 on the CPU where it is None. The
            arrays hold doubles in either case.
        law: ``Routh()`` where it is None.
        restitution: of all contacts, instead of the problem's.
        uncertainty: ranges that every sample draws its own numbers from,
            ``"mu=0.1..0.3,e=0.2..0.4,inertia=0.9..1.1,noise=0.01"`` or
            ``{"friction": [0.1, 0.3], ...}`` as of a ``ContactProblem``.
        sampler: how impulse rates are drawn; short for ``law=Routh(sampler=...)``.
        model: a file that ``carom identify`` wrote, instead of a law, restitution and uncertainty:
            it has its own. Samples are then its forecasts, not outcomes of the law alone:
            ``Samples.forecast``.
        law_only: the outcomes of the model's law, without what the model adds to them.

    Raises:
        UsageError, InputError: what the command line would refuse.
        DeviceError: no such device.
        KeyboardInterrupt: Ctrl-C.
    """
    if sampler is not None:
        if law is not None:
            raise UsageError("a law has its own sampler", "sampler", "give it to the law: carom.Routh(sampler=...)")
        law = Routh(sampler=sampler)
    ranges = uncertainty if uncertainty is None or isinstance(uncertainty, str) else _ranges(uncertainty)
    options = _options(law, device, precision, restitution, ranges, model, law_only)
    rows = len(checked(problem).normal) + len(problem.tangent)
    count = _fitting(samples, len(problem.coordinates) + 2 * rows + 4)
    return Samples(_carom.sample(problem._problem, options, count, whole(seed, "seed", 0)))


def _options(
    law: Law | None,
    device: str,
    precision: str | None,
    restitution: float | None = None,
    uncertainty: Any = None,
    model: str | os.PathLike[str] | None = None,
    law_only: bool = False,
) -> _carom.Sampling:
    if law is not None and not isinstance(law, Law):
        raise UsageError(f"law: expected one such as carom.Routh(), found {law!r}", "law")
    given = {"device": device, "precision": precision, "restitution": restitution, "uncertainty": uncertainty}
    given |= {"model": None if model is None else os.fspath(model), "law_only": law_only or None}
    named = {} if law is None else law.options()
    fields = named | {name: value for name, value in given.items() if value is not None}
    try:
        text = json.dumps(fields, default=_plain)
        # The file of a model may change.
        return _read(text) if model is None else _carom.Sampling(text)
    except TypeError:
        raise UsageError(f"expected numbers and words as options, found {law!r}", "law") from None


def _plain(number: Any) -> Any:
    """A number of NumPy as one of Python."""
    if isinstance(number, np.generic):
        return number.item()
    raise TypeError


def _ranges(uncertainty: Mapping[str, Any]) -> dict[str, Any]:
    """Ranges, one for all contacts or parts, and the noise."""
    if not isinstance(uncertainty, Mapping):
        raise UsageError(f"expected text or a mapping, found {uncertainty!r}", "uncertainty")
    ranges: dict[str, Any] = {}
    for name, given in uncertainty.items():
        ends = numbers(given, f"uncertainty.{name}").ravel()
        if len(ends) not in (1, 2):
            raise UsageError(f"expected a range [least, most] or a number, found {given!r}", f"uncertainty.{name}")
        low, high = float(ends[0]), float(ends[-1])
        name = {"mu": "friction", "e": "restitution"}.get(name, name)
        ranges[name] = low if name == "noise" and low == high else [[low, high]]
    return ranges


@lru_cache(maxsize=256)
def _read(fields: str) -> _carom.Sampling:
    return _carom.Sampling(fields)


def _fitting(samples: int, numbers: int, name: str = "samples") -> int:
    """A number of samples, each with so many numbers, that memory holds."""
    count = whole(samples, name)
    if hasattr(os, "sysconf"):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if 8 * count * numbers > memory:
            what = f"{name}: {8e-9 * count * numbers:.3g} GB for {count} samples, and {1e-9 * memory:.3g} GB of memory"
            raise UsageError(what, name, "`carom sample --samples N` without --out has statistics in bounded memory")
    return count


class Prepared:
    """A problem that is prepared once and sampled in a loop, on the CPU and on the caller's thread,
    with little latency.

    Its samples are those of ``sample`` up to rounding.

    Args:
        problem, seed, precision, law, restitution, model, law_only: as in ``sample``.
    """

    def __init__(
        self,
        problem: ContactProblem,
        seed: int = 0,
        precision: str | None = None,
        law: Law | None = None,
        restitution: float | None = None,
        model: str | os.PathLike[str] | None = None,
        law_only: bool = False,
    ) -> None:
        options = _options(law, "cpu", precision, restitution, None, model, law_only)
        self._prepared = _carom.Prepared(checked(problem)._problem, options, whole(seed, "seed", 0))
        self._n = len(problem.coordinates)
        self._numbers = self._n + len(problem.normal) + len(problem.tangent) + 2

    def set_velocity(self, velocity: ArrayLike) -> None:
        """Sets the velocity (n) before the impact; mass, Jacobians and coefficients stay."""
        self._prepared.set_velocity(floats(velocity, "velocity", (self._n,)))

    def sample(self, count: int = 1000, first: int = 0) -> Outcomes:
        """Samples first .. first + count."""
        if first + count > 2**63:
            raise UsageError(f"first: samples are numbered below 2^63, found {first}", "first")
        velocity, impulse, status, residual = self._prepared.sample(
            whole(first, "first", 0), _fitting(count, self._numbers, "count")
        )
        return Outcomes(velocity, impulse, status, residual)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Outcomes of a prepared problem: velocity (N,n), impulse (N,K) in N s, status codes (N),
    residual (N)."""

    velocity: Floats
    impulse: Floats
    status: NDArray[np.uint8]
    residual: Floats


@dataclass(frozen=True, eq=False)
class Batch:
    """Outcomes of B states, N samples each.

    Attributes:
        velocity: v+ (B,N,n).
        impulse: L (B,N,K), the m normals first, then the tangents of each contact together; 0 at
            contacts that a state does not have.
        status: how each sample ended (B,N); 0 is "terminated".
        steps: (B,N).
        residual: (B,N), dimensionless.
        kinetic_energy: after the impact (B,N), in J.
        device: the name of the device.
        seconds: in which the engine sampled, without the conversion of arrays.
    """

    velocity: Floats
    impulse: Floats
    status: NDArray[np.uint8]
    steps: NDArray[np.uint32]
    residual: Floats
    kinetic_energy: Floats
    device: str
    seconds: float


def sample_batch(
    mass: ArrayLike,
    normal: ArrayLike | Sequence[ArrayLike],
    tangent: ArrayLike | Sequence[ArrayLike] | None,
    friction: ArrayLike | Sequence[ArrayLike],
    velocity: ArrayLike,
    *,
    samples: int = 256,
    restitution: ArrayLike | Sequence[ArrayLike] | None = None,
    active: ArrayLike | None = None,
    seed: int = 0,
    device: str = "auto",
    precision: str | None = None,
    law: Law | None = None,
    model: str | os.PathLike[str] | None = None,
    law_only: bool = False,
) -> Batch:
    """Samples many states at once: on all cores, or on a GPU with one dispatch for each number of
    contacts.

    State b has the samples that ``sample`` gives it, whatever else is in the batch (on the CPU up
    to rounding, as ``Prepared``).

    Args:
        mass: M (B,n,n), or (n,n) for all states.
        normal: Jn (B,m,n); or a list with (m_b,n) for each state, as ``tangent``, ``friction`` and
            ``restitution`` then are too.
        tangent: Jt (B,d m,n), or None without friction.
        friction: mu (B,m), or (m) or one number for all states; 0 without tangents.
        velocity: v (B,n).
        samples: of each state, N.
        restitution: e (B,m), or (m) or one number for all states.
        active: which contacts each state has (B,m); all where it is None. Contacts that are not
            active may have any numbers.
        seed, device, precision, law, model, law_only: as in ``sample``.
    """
    v = floats(velocity, "velocity", (None, None))
    count, n = v.shape
    if isinstance(normal, list | tuple):
        if active is not None:
            raise UsageError("lists say themselves which contacts a state has", "active", "leave it out, or give arrays")
        normal, tangent, friction, restitution, active = _padded(normal, tangent, friction, restitution, n, count)
    rows = floats(normal, "normal", (count, None, n))
    m = rows.shape[1]
    sideways = np.zeros((count, 0, n)) if tangent is None else floats(tangent, "tangent", (count, None, n))
    if sideways.shape[1] not in (0, m, 2 * m):
        raise InputError(
            f"tangent: {sideways.shape[1]} rows for {m} contacts; expected {m} (planar), {2 * m} (spatial) or none", "tangent"
        )
    masses = numbers(mass, "mass")
    if masses.ndim == 2:
        masses = np.broadcast_to(floats(masses, "mass", (n, n)), (count, n, n))
    outcomes = _carom.sample_batch(
        floats(masses, "mass", (count, n, n)),
        rows,
        sideways,
        _each(friction, "friction", (count, m)),
        v,
        None if restitution is None else _each(restitution, "restitution", (count, m)),
        None if active is None else _mask(active, (count, m)),
        _options(law, device, precision, None, None, model, law_only),
        _fitting(samples, count * (n + rows.shape[1] + sideways.shape[1] + 4)),
        whole(seed, "seed", 0),
    )
    return Batch(*outcomes)


def _each(given: Any, name: str, shape: tuple[int, int]) -> Floats:
    """Coefficients of every state and contact, of which the first axis or both may be left out."""
    found = numbers(given, name)
    if found.ndim == 1:
        floats(found, name, (shape[1],))
    return floats(np.broadcast_to(found, shape) if found.ndim < 2 else found, name, shape)


def _mask(active: ArrayLike, shape: tuple[int, int]) -> NDArray[np.bool_]:
    mask = np.ascontiguousarray(active)
    if mask.shape != shape or mask.dtype != np.bool_:
        raise InputError(f"active: expected booleans of shape {shape}, found {mask.dtype} of shape {mask.shape}", "active")
    return mask


def _padded(
    normal: Sequence[ArrayLike], tangent: Any, friction: Any, restitution: Any, n: int, count: int
) -> tuple[Floats, Floats | None, Floats, Floats | None, NDArray[np.bool_]]:
    """Lists with an entry for each state as arrays, and which contacts each state has."""
    if len(normal) != count:
        raise InputError(f"normal: {len(normal)} entries for {count} states", "normal")
    rows = [floats(entry, f"normal[{b}]", (None, n)) for b, entry in enumerate(normal)]
    m = max((len(entry) for entry in rows), default=0)
    active = np.array([[i < len(entry) for i in range(m)] for entry in rows])

    def coefficients(given: Any, name: str) -> Floats:
        if not isinstance(given, list | tuple) and np.ndim(given) == 0:
            return np.full((count, m), float(given))
        if len(given) != count:
            raise InputError(f"{name}: {len(given)} entries for {count} states", name)
        filled = np.zeros((count, m))
        for b, entry in enumerate(given):
            filled[b, : len(rows[b])] = floats(entry, f"{name}[{b}]", (len(rows[b]),))
        return filled

    sideways = None
    if tangent is not None:
        if len(tangent) != count:
            raise InputError(f"tangent: {len(tangent)} entries for {count} states", "tangent")
        widths = {len(np.asarray(entry)) / max(len(rows[b]), 1) for b, entry in enumerate(tangent) if len(rows[b])}
        if len(widths) > 1 or not widths <= {1.0, 2.0}:
            raise InputError("tangent: expected one row for each contact (planar) or two (spatial), in all states", "tangent")
        d = int(next(iter(widths), 1))
        sideways = np.zeros((count, d * m, n))
        for b, entry in enumerate(tangent):
            found = floats(entry, f"tangent[{b}]", (d * len(rows[b]), n))
            sideways[b, : len(found)] = found
    e = None if restitution is None else coefficients(restitution, "restitution")
    filled = np.zeros((count, m, n))
    for b, entry in enumerate(rows):
        filled[b, : len(entry)] = entry
    return filled, sideways, coefficients(friction, "friction"), e, active

