"""Contact problems: the numbers of a simultaneous impact at one configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from carom import _carom
from carom.arrays import ArrayLike, Floats, floats, numbers
from carom.errors import InputError, UsageError


class ContactProblem:
    """A checked contact problem of n coordinates and m contacts, with d tangents each: 1 in the
    plane, 2 in space, 0 without friction.

    It does not change; its arrays are read-only. Everything is in SI units. A positive normal
    velocity separates.

    Args:
        mass: mass matrix M (n,n), symmetric and positive definite.
        normal: normal Jacobian Jn (m,n).
        tangent: tangent Jacobian Jt (d m,n), the rows of one contact together; None without
            friction.
        friction: coefficients mu (m), or one for all contacts.
        velocity: velocity v before the impact (n).
        restitution: coefficients e (m) in [0, 1], or one for all; None leaves each law its default.
        bilateral: rows (b,n) of constraints J v = 0 that hold throughout the impact, such as those
            of loops of joints.
        coordinates, units, contacts: names of the coordinates, their units (``"m/s"``,
            ``"rad/s"``), names of the contacts.
        uncertainty: ranges that every sample draws its own numbers from: ``{"friction": [0.1, 0.3],
            "restitution": [0.2, 0.4], "inertia": [0.9, 1.1], "noise": 0.01}``; and an uncertain
            pose: ``gap``, ``late``, ``inset``, ``edge``, ``shift``, ``attitude``, ``slope``.
        gap: gaps of the contacts (m), for an uncertain pose.
        points: where the contacts are, as in a problem file, for an uncertain pose; the contacts of
            one free body are known.
        name: a name for reports.

    Raises:
        InputError: numbers that are impossible, with the place of the first one.
    """

    def __init__(
        self,
        mass: ArrayLike,
        normal: ArrayLike,
        tangent: ArrayLike | None,
        friction: ArrayLike | None,
        velocity: ArrayLike,
        restitution: ArrayLike | None = None,
        *,
        bilateral: ArrayLike | None = None,
        coordinates: Sequence[str] | None = None,
        units: Sequence[str] | None = None,
        contacts: Sequence[str] | None = None,
        uncertainty: Mapping[str, Any] | None = None,
        gap: ArrayLike | None = None,
        points: Mapping[str, Any] | None = None,
        name: str = "problem",
    ) -> None:
        v = floats(velocity, "velocity", (None,))
        n = len(v)
        rows = floats(normal, "normal", (None, n))
        m = len(rows)
        arrays: dict[str, Any] = {
            "mass": floats(mass, "mass", (n, n)),
            "normal": rows,
            "tangent": None if tangent is None else floats(tangent, "tangent", (None, n)),
            "friction": None if friction is None else each(friction, "friction", m),
            "velocity": v,
            "restitution": None if restitution is None else each(restitution, "restitution", m),
            "bilateral": None if bilateral is None else floats(bilateral, "bilateral", (None, n)),
        }
        _check_finite(arrays)
        given = {"coordinates": coordinates, "units": units, "contacts": contacts}
        words = {key: None if own is None else _names(own, key) for key, own in given.items()}
        if uncertainty is None and gap is None and points is None:
            self._problem = _carom.Problem.arrays(str(name), **arrays, **words)
            return
        spec: dict[str, Any] = {"name": str(name)} | {
            key: own.tolist() if isinstance(own, np.ndarray) else own
            for key, own in (arrays | words).items()
            if own is not None
        }
        if uncertainty is not None:
            spec["uncertainty"] = {key: numbers(value, key).tolist() for key, value in uncertainty.items()}
        if gap is not None:
            spec["gap"] = floats(gap, "gap", (m,)).tolist()
        if points is not None:
            spec["points"] = dict(points)
        self._problem = _carom.Problem.text(str(name), json.dumps(spec))

    @classmethod
    def _of(cls, problem: _carom.Problem) -> ContactProblem:
        made = cls.__new__(cls)
        made._problem = problem
        return made

    @classmethod
    def from_json(cls, text: str) -> ContactProblem:
        """The problem of the text of a problem file or of a scene, JSON or TOML."""
        return cls._of(_carom.Problem.text("text", text))

    def to_json(self) -> str:
        """The text of a problem file, which every command of ``carom`` reads."""
        return self._problem.json()

    def with_velocity(self, velocity: ArrayLike) -> ContactProblem:
        """The problem with another velocity (n) before the impact."""
        v = floats(velocity, "velocity", (len(self.coordinates),))
        return self._of(self._problem.with_velocity(v))

    def with_restitution(self, restitution: ArrayLike | None) -> ContactProblem:
        """The problem with other coefficients of restitution (m), or one for all; None leaves each
        law its default."""
        spec = json.loads(self.to_json())
        spec.pop("restitution", None)
        if restitution is not None:
            e = each(restitution, "restitution", len(self.contacts))
            _check_finite({"restitution": e})
            spec["restitution"] = e.tolist()
        return self._of(_carom.Problem.text(self.name, json.dumps(spec)))

    @property
    def name(self) -> str:
        """The name of the problem."""
        return self._problem.name

    @property
    def mass(self) -> Floats:
        """Mass matrix M (n,n)."""
        return _fixed(self._problem.mass)

    @property
    def normal(self) -> Floats:
        """Normal Jacobian Jn (m,n)."""
        return _fixed(self._problem.jacobian[: self._problem.contact_count])

    @property
    def tangent(self) -> Floats:
        """Tangent Jacobian Jt (d m,n)."""
        return _fixed(self._problem.jacobian[self._problem.contact_count :])

    @property
    def delassus(self) -> Floats:
        """Delassus matrix W = J M^-1 J' (K,K), K = (1+d) m, in 1/kg."""
        return _fixed(self._problem.delassus)

    @property
    def friction(self) -> Floats:
        """Coefficients of friction (m)."""
        return _fixed(self._problem.friction)

    @property
    def restitution(self) -> Floats | None:
        """Coefficients of restitution (m), or None."""
        found = self._problem.restitution
        return None if found is None else _fixed(found)

    @property
    def velocity(self) -> Floats:
        """Velocity before the impact (n)."""
        return _fixed(self._problem.velocity)

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates (n)."""
        return self._problem.coordinates

    @property
    def units(self) -> list[str | None]:
        """Units of the velocities (n), ``"m/s"`` or ``"rad/s"``; None where they are not known."""
        return self._problem.units

    @property
    def contacts(self) -> list[str]:
        """Names of the contacts (m)."""
        return self._problem.contacts

    @property
    def warnings(self) -> list[str]:
        """What a reader of the results must know."""
        return self._problem.warnings

    def kinetic_energy(self, velocity: ArrayLike) -> float:
        """v' M v / 2 of a velocity (n), in J."""
        return self._problem.kinetic_energy(floats(velocity, "velocity", (len(self.coordinates),)))

    def _input(self) -> tuple[list[str], str]:
        """What names this problem on the command line, and the text of stdin."""
        source = self._problem.source
        if source is None:
            return ["-"], self.to_json()
        what, values = source
        velocity = ",".join(repr(float(x)) for x in self.velocity)
        settings = [word for name, value in values for word in ("--set", f"{name}={value!r}")]
        return [what, *settings, f"--velocity={velocity}"], ""

    def __reduce__(self) -> tuple[Any, ...]:
        # For copies, other processes and clusters.
        return ContactProblem.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        n, m = len(self.coordinates), self._problem.contact_count
        kind = {0: "frictionless", 1: "planar", 2: "spatial"}[self._problem.tangents]
        return f"ContactProblem({self.name!r}: {n} coordinates, {m} {kind} contacts)"


def scene(what: str | os.PathLike[str], **parameters: float) -> ContactProblem:
    """The contact problem of a built-in scene, or of a scene or problem file, with values of its
    parameters.

    ``carom scenes`` lists the built-in ones. ``scene("billiard-break", theta=90)`` sets the
    parameter ``theta``.

    Raises:
        InputError: no such scene, a file that cannot be read, or what is wrong in it, with its
            place.
        UsageError: no such parameter, or a value out of its range.
    """
    values = [(name, float(floats(value, name, ()))) for name, value in parameters.items()]
    return ContactProblem._of(_carom.Problem.scene(os.fspath(what), values))


def coefficients(given: ArrayLike, name: str, m: int) -> list[float] | float:
    """Coefficients of m contacts: a list of them, or one for all."""
    found = numbers(given, name)
    return float(found) if found.ndim == 0 else cast("list[float]", floats(found, name, (m,)).tolist())


def _fixed(array: Floats) -> Floats:
    """The array, read-only: a change of it would not change the problem."""
    array.flags.writeable = False
    return array


def _names(given: Sequence[str], key: str) -> list[str]:
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise InputError(f"{key}: expected a list of words, found {given!r}", key)
    return list(given)


def checked(problem: ContactProblem) -> ContactProblem:
    """The problem, unless it is something else."""
    if not isinstance(problem, ContactProblem):
        raise UsageError(f"expected a ContactProblem, found {problem!r}", "problem", "carom.scene(NAME) makes one")
    return problem


def each(given: ArrayLike, name: str, m: int) -> Floats:
    """Coefficients of m contacts (m), of which one may stand for all."""
    found = coefficients(given, name, m)
    return np.full(m, found) if isinstance(found, float) else np.array(found)


def _check_finite(arrays: Mapping[str, Any]) -> None:
    """Refuses numbers that are not finite, with the place of the first one."""
    for key, array in arrays.items():
        if array is not None and not np.isfinite(array).all():
            at = key + "".join(f"[{i}]" for i in np.argwhere(~np.isfinite(array))[0])
            raise InputError(f"{at}: expected a finite number", at)
