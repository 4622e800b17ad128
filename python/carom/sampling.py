"""Sampling the outcomes of impacts: one problem, many states at once, or the same problem again and
again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from carom import _carom
from carom.arrays import ArrayLike, Floats, drawn, floats, numbers, seeds, short, whole
from carom.errors import InputError, UsageError, warn
from carom.laws import Law, Plus, Propagative, Routh, Sequential
from carom.outcomes import Batch, Outcomes, fixed
from carom.problem import ContactProblem, checked, coefficients
from carom.sets import Samples
from carom.states import States


def sample(
    problem: ContactProblem,
    samples: int | None = None,
    seed: int = 0,
    device: str = "auto",
    precision: Precision | None = None,
    law: Law | str | None = None,
    *,
    restitution: ArrayLike | None = None,
    uncertainty: str | Mapping[str, Any] | None = None,
    sampler: str | None = None,
    rng: np.random.Generator | None = None,
    model: ModelPath | None = None,
    law_only: bool = False,
) -> Samples:
    """Samples the outcomes of an impact. The same seed gives the same samples as ``carom sample``.

    Args:
        problem: the impact.
        samples: how many, N; 65 536 where it is None, fewer with many contacts, whose samples take
            longer.
        seed: of the sample streams.
        device: ``"auto"`` (a GPU if there is one, else the CPU), ``"cpu"``, ``"gpu"``, or part of
            an adapter's name.
        precision: ``"float32"`` (``"f32"``) or ``"float64"`` (``"f64"``), which the arrays have
            too; float32 on a GPU and float64 on the CPU where it is None.
        law: ``Routh()`` where it is None; a law with its defaults by name, ``"plus"``.
        restitution: of all contacts, or of each (m), instead of the problem's.
        uncertainty: ranges that every sample draws its own numbers from,
            ``"mu=0.1..0.3,e=0.2..0.4,inertia=0.9..1.1,noise=0.01"`` or
            ``{"friction": [0.1, 0.3], ...}`` as of a ``ContactProblem``.
        sampler: how impulse rates are drawn; short for ``law=Routh(sampler=...)``.
        rng: a generator of NumPy that draws the seed instead.
        model: a file that ``carom identify`` wrote, instead of a law, restitution and uncertainty:
            it has its own. Samples are then its forecasts, not outcomes of the law alone:
            ``Samples.forecast``.
        law_only: the outcomes of the model's law, without what the model adds to them.

    Raises:
        UsageError, InputError: what the command line would refuse.
        DeviceError: no such device.
        KeyboardInterrupt: Ctrl-C.

    Warns:
        CaromWarning: what ``Samples.warnings`` says, such as that no contact approaches or that
            samples did not end; the model was fitted to no events with so many contacts.
    """
    if sampler is not None:
        if law is not None:
            raise UsageError("a law has its own sampler", "sampler", "give it to the law: carom.Routh(sampler=...)")
        law = Routh(sampler=sampler)
    if rng is not None:
        seed = drawn(rng, seed)
    ranges = ranges_of(uncertainty)
    problem, coefficient = _bouncing(checked(problem), restitution, model)
    fields = fields_of(law, device, precision, coefficient, ranges, model, law_only)
    rows = len(problem.normal) + len(problem.tangent)
    samples = problem._problem.samples if samples is None else samples
    count = _fitting(samples, len(problem.coordinates) + 2 * rows + 4)
    number = whole(seed, "seed", 0)
    drawn_samples = Samples(_carom.sample(problem._problem, _read(fields, model), count, number), fields, number)
    warn(drawn_samples.warnings)
    return drawn_samples


def _bouncing(
    problem: ContactProblem, restitution: ArrayLike | None, model: ModelPath | None
) -> tuple[ContactProblem, float | None]:
    """The problem with a coefficient of restitution of each contact, and the one that all have
    instead of the problem's."""
    if restitution is None:
        return problem, None
    if model is not None and np.ndim(restitution) > 0:
        raise UsageError("the model has its own law, with what is uncertain", "restitution", "leave it out")
    given = coefficients(restitution, "restitution", len(problem.contacts))
    return (problem, given) if isinstance(given, float) else (problem.with_restitution(given), None)


PRECISIONS = {"f32": "f32", "f64": "f64", "float32": "f32", "float64": "f64", "single": "f32", "double": "f64"}
"""The names of precisions; types of NumPy have the names of these too."""

Precision: TypeAlias = Any
"""``"float32"``, ``"float64"``, ``"f32"``, ``"f64"``, ``numpy.float32`` and so on."""

ModelPath: TypeAlias = str | os.PathLike[str]
"""The name of a model file."""


def fields_of(
    law: Law | str | None,
    device: str,
    precision: Precision | None,
    restitution: float | None = None,
    uncertainty: Any = None,
    model: ModelPath | None = None,
    law_only: bool = False,
) -> str:
    """What differs from the defaults, as ``carom schema run`` has it."""
    own = {} if law is None else _law(law).options()
    if device == "cuda":
        raise UsageError('unknown device "cuda"', "device", 'device="gpu" takes a GPU of any maker')
    if precision is not None:
        precision = PRECISIONS.get(_type(precision), precision)
    given = {"device": device, "precision": precision, "restitution": restitution, "uncertainty": uncertainty}
    given |= {"model": None if model is None else os.fspath(model), "law_only": law_only or None}
    fields = own | {name: value for name, value in given.items() if value is not None}
    try:
        return json.dumps(fields, default=_plain)
    except TypeError:
        at = next(name for name, value in fields.items() if not _is_plain(value))
        raise UsageError(f"{at}: expected a number or a word, found {short(fields[at])}", at) from None


def _law(law: Law | str) -> Law:
    if isinstance(law, str):
        known: dict[str, type[Law]] = {kind.name: kind for kind in (Routh, Sequential, Propagative, Plus)}
        if law in known:
            return known[law]()
        hint = "carom.resolve(problem, law) finds the outcomes of laws that have finitely many"
        raise UsageError(f"law: expected one of {', '.join(known)}, found {law!r}", "law", hint)
    if not isinstance(law, Law):
        raise UsageError(f"law: expected one such as carom.Routh(), found {short(law)}", "law")
    return law


def _type(precision: Any) -> str:
    """The name of a precision, which may be a type of NumPy, of PyTorch or of JAX."""
    if isinstance(precision, str):
        return precision
    name = getattr(precision, "name", None) or getattr(precision, "__name__", None) or str(precision)
    return str(name).rpartition(".")[2]


def _options(
    law: Law | str | None,
    device: str,
    precision: Precision | None,
    restitution: float | None = None,
    model: ModelPath | None = None,
    law_only: bool = False,
) -> _carom.Sampling:
    return _read(fields_of(law, device, precision, restitution, None, model, law_only), model)


def _plain(number: Any) -> Any:
    """A number of NumPy as one of Python."""
    if isinstance(number, np.generic) or isinstance(number, np.ndarray) and number.ndim == 0:
        return number.item()
    raise TypeError


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value, default=_plain)
    except TypeError:
        return False
    return True


def ranges_of(uncertainty: str | Mapping[str, Any] | None) -> str | dict[str, Any] | None:
    """Ranges, one for all contacts or parts, and the noise; text as it is."""
    if uncertainty is None or isinstance(uncertainty, str):
        return uncertainty
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


def _read(fields: str, model: ModelPath | None) -> _carom.Sampling:
    # The file of a model may change.
    return _known(fields) if model is None else _carom.Sampling(fields)


@lru_cache(maxsize=256)
def _known(fields: str) -> _carom.Sampling:
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

    Its samples are those of ``sample`` up to rounding. It can be copied and pickled. It warns of
    what ``sample`` warns of: where it is made, where a velocity is set, and where samples did not
    end.

    Args:
        problem, seed, precision, law, restitution, model, law_only: as in ``sample``.
    """

    def __init__(
        self,
        problem: ContactProblem,
        seed: int = 0,
        precision: Precision | None = None,
        law: Law | str | None = None,
        restitution: ArrayLike | None = None,
        model: ModelPath | None = None,
        law_only: bool = False,
    ) -> None:
        problem, coefficient = _bouncing(checked(problem), restitution, model)
        options = _options(law, "cpu", precision, coefficient, model, law_only)
        self._prepared = _carom.Prepared(problem._problem, options, whole(seed, "seed", 0))
        warn(self._prepared.warnings)
        self._given = (problem, seed, precision, law, coefficient, model, law_only)
        self._velocity: Floats | None = None
        self._n = len(problem.coordinates)
        self._numbers = self._n + 2 * (len(problem.normal) + len(problem.tangent)) + 4

    def set_velocity(self, velocity: ArrayLike) -> None:
        """Sets the velocity (n) before the impact; mass, Jacobians and coefficients stay."""
        given = floats(velocity, "velocity", (self._n,))
        warn(filter(None, [self._prepared.set_velocity(given)]))
        self._velocity = given.copy()

    def sample(self, count: int = 1000, first: int = 0) -> Outcomes:
        """Samples first .. first + count."""
        if first + count > 2**63:
            raise UsageError(f"first: samples are numbered below 2^63, found {first}", "first")
        first, count = whole(first, "first", 0), _fitting(count, self._numbers, "count")
        numbers = np.arange(first, first + count, dtype=np.int64)
        arrays = self._prepared.sample(first, count)
        ended = arrays[5] == 0
        warn(filter(None, [_carom.unfinished(int(np.count_nonzero(ended)), count)]))
        accepted = ended & (arrays[6] <= self._prepared.tolerance)
        return Outcomes(fixed(numbers), *arrays, fixed(accepted))

    def __reduce__(self) -> tuple[Any, ...]:
        return Prepared, self._given, self._velocity

    def __setstate__(self, velocity: Floats) -> None:
        self.set_velocity(velocity)

    def __repr__(self) -> str:
        return f"Prepared({self._given[0]!r})"


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
    seed: ArrayLike = 0,
    device: str = "auto",
    precision: Precision | None = None,
    law: Law | str | None = None,
    rng: np.random.Generator | None = None,
    model: ModelPath | None = None,
    law_only: bool = False,
) -> Batch:
    """Samples many states at once: on all cores, or on a GPU with one dispatch for each number of
    contacts.

    State b has the samples that ``sample`` gives it with ``seed=batch.seed[b]``, whatever else is
    in the batch (on the CPU up to rounding, as ``Prepared``).

    Args:
        mass: M (B,n,n), or (n,n) for all states.
        normal: Jn (B,m,n), or (m,n) for all states; or a list with (m_b,n) for each state, as
            ``tangent``, ``friction`` and ``restitution`` then are too.
        tangent: Jt (B,d m,n), or (d m,n) for all states; None without friction.
        friction: mu (B,m), or (m) or one number for all states; 0 without tangents.
        velocity: v (B,n).
        samples: of each state, N.
        restitution: e (B,m), or (m) or one number for all states.
        active: which contacts each state has (B,m); all where it is None. Contacts that are not
            active may have any numbers.
        seed: of each state (B); or one, from which each state gets one by its number, as in data
            sets.
        device, precision, law, model, law_only: as in ``sample``.
        rng: a generator of NumPy that draws a seed for each state instead.

    Warns:
        CaromWarning: what is strange about the first of such states, and how many there are; that
            samples did not end.
    """
    states = states_of(mass, normal, tangent, friction, velocity, restitution, active)
    count = len(states.velocity)
    if rng is not None:
        seed = drawn(rng, seed, count)
    if np.ndim(seed) == 0:
        own_seeds = _carom.seeds_of_states(whole(np.asarray(seed).item(), "seed", 0), count)
    else:
        own_seeds = seeds(seed, count)
    options = fields_of(law, device, precision, None, None, model, law_only)
    rows = states.normal.shape[1] + states.tangent.shape[1]
    each = _fitting(samples, count * (states.velocity.shape[1] + 2 * rows + 4))
    asked: Any = (_read(options, model), each, own_seeds)
    found: Any = _carom.sample_batch(*states.arrays(), *asked)
    *arrays, name, seconds, said = found
    warn(said)
    numbered: Any = (fixed(own_seeds.astype(np.int64)), name, seconds, states, options)
    return Batch(*arrays, *numbered)


def states_of(
    mass: Any, normal: Any, tangent: Any, friction: Any, velocity: Any, restitution: Any, active: Any
) -> States:
    """The states as arrays, without copies of what all of them share."""
    v = floats(velocity, "velocity", (None, None))
    count, n = v.shape
    listed = isinstance(normal, list | tuple) and np.ndim(normal[0] if normal else 0) == 2
    if listed:
        if active is not None:
            raise UsageError("lists say themselves which contacts a state has", "active", "leave it out, or give arrays")
        normal, tangent, friction, restitution, active = _padded(normal, tangent, friction, restitution, n, count)
    rows = _shared(normal, "normal", (count, None, n))
    m = rows.shape[1]
    sideways = np.zeros((count, 0, n)) if tangent is None else _shared(tangent, "tangent", (count, None, n))
    if sideways.shape[1] not in (0, m, 2 * m):
        raise InputError(
            f"tangent: {sideways.shape[1]} rows for {m} contacts; expected {m} (planar), {2 * m} (spatial) or none", "tangent"
        )
    return States(
        _shared(mass, "mass", (count, n, n)),
        rows,
        sideways,
        _each(friction, "friction", (count, m)),
        v,
        None if restitution is None else _each(restitution, "restitution", (count, m)),
        None if active is None else _mask(active, (count, m)),
    )


def _shared(given: Any, name: str, shape: tuple[int, int | None, int]) -> Floats:
    """An array with an entry for each state, or one entry for all of them, which is not copied."""
    found = numbers(given, name)
    if found.ndim == 2:
        found = floats(found, name, shape[1:])
        return np.broadcast_to(found, (shape[0], *found.shape))
    return floats(found, name, shape)


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

