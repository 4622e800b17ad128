"""Laws that are sampled, with their options.

Every option is one of ``carom sample``, where ``carom sample --help`` explains it; None leaves it
at its default.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar


@dataclass(frozen=True)
class Law:
    """A law that is sampled. Its fields are its options."""

    name: ClassVar[str]

    def options(self) -> dict[str, Any]:
        """The law and its options by the names that ``carom schema run`` has for them."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"law": self.name, **{name: value for name, value in given.items() if value is not None}}


@dataclass(frozen=True)
class Routh(Law):
    """The set-valued law of Routh: all orders of impulses.

    Attributes:
        process: ``"events"`` (planar, from event to event; ``"exact"`` is its old name),
            ``"inclusion"`` (integrated) or ``"steps"`` (as published).
        sampler: how impulse rates are drawn: ``"coverage"``, ``"uniform"``, ``"sobol"``, or a mix
            such as ``"uniform:0.2,coverage:0.8"``.
        step: the impulse over which one draw of the rates lasts, in N s.
        max_steps: the limit on the steps, segments or substeps of a sample.
        facets: an even number from 4 to 32: facets of the friction cones of spatial contacts,
            solved in steps.
        persist: draw impulse rates afresh for every so many steps only.
        solution: which solution of a step to take: ``"random"`` or ``"lemke"``.
        accuracy: how accurate the inclusion is, a part of the largest contact velocity.
        hypothesis: what restitution is a ratio of: ``"stronge"`` (energies) or ``"poisson"``
            (impulses).
    """

    name: ClassVar[str] = "routh"
    process: str | None = None
    sampler: str | None = None
    step: float | None = None
    max_steps: int | None = None
    facets: int | None = None
    persist: int | None = None
    solution: str | None = None
    accuracy: float | None = None
    hypothesis: str | None = None


@dataclass(frozen=True)
class Sequential(Law):
    """Single impacts with friction, one contact after the other, in random order.

    Attributes:
        max_steps: the limit on single impacts.
    """

    name: ClassVar[str] = "sequential"
    max_steps: int | None = None


@dataclass(frozen=True)
class Propagative(Law):
    """Reflections without friction, one contact after the other, in random order.

    Attributes:
        max_steps: the limit on reflections.
    """

    name: ClassVar[str] = "propagative"
    max_steps: int | None = None


@dataclass(frozen=True)
class Plus(Law):
    """Rounds of compression and expansion: one outcome for each draw of uncertain numbers.

    Attributes:
        theta_max: the largest turn of a sliding direction in an interval, in rad.
        v_transition: the sliding speed below which a contact may begin to roll, in m/s.
        v_plastic: the speed of approach below which impacts are inelastic, in m/s.
        v_capture: the speed of approach below which contacts do not bounce, in m/s.
    """

    name: ClassVar[str] = "plus"
    theta_max: float | None = None
    v_transition: float | None = None
    v_plastic: float | None = None
    v_capture: float | None = None
