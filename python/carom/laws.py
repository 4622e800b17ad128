"""Laws that are sampled, with their options; generated from ``carom schema run``.

None leaves an option at its default.
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
    """The set-valued Routh law: all orders of impulses. [HP23]

    Attributes:
        process: How it is computed. By default steps where facets are asked for, and where a planar
            problem without restitution and uncertain numbers has Lemke's solution, rates that
            persist over steps or a last step; else events for planar problems, except with
            Poisson's hypothesis; else inclusion.
        sampler: How rates are drawn: coverage (few contacts at a time, blocks of all lengths:
            fewest samples cover the set; with steps a problem's step limit counts fourfold),
            uniform (as published), sobol (uniform by scrambled Sobol points), or a mix by share,
            such as uniform:0.2,coverage:0.8. By default uniform where steps are taken as published,
            else coverage, for facets too.
        step: The impulse over which one draw of the rates lasts, in N s. A smaller step averages
            the rates and shrinks what is met; it does not refine the set. By default the largest
            that stops one contact, or about the impulse that stops the whole impact where that is
            more; with steps the problem's.
        block: The impulse over which one draw of the rates lasts, over the largest that stops one
            contact; instead of step.
        max_steps: The limit on the steps of a sample, by default the problem's, else 1000; on its
            segments with events and on its substeps with inclusion, by default 20000.
        last_step: Steps: a sample at the step limit takes one more step, in which every contact may
            accrue this impulse in N s, and is kept if no contact approaches then.
        facets: Spatial problems: facets of the friction cones, an even number from 4 to 32; by
            default cones are circular.
        persist: How many steps share one draw of the rates: step s uses draw s / N, rounded down; 1
            by default. The other processes keep rates for a block, see step.
        solution: Which solution of a step is taken where it has several.
        accuracy: How accurate the inclusion is, a part of max|u-| in (0, 0.1]; 1e-4 by default.
            Single precision reaches about 1e-5.
        hypothesis: What a coefficient of restitution is a ratio of; stronge by default.
    """

    name: ClassVar[str] = "routh"
    process: str | None = None
    sampler: str | None = None
    step: float | None = None
    block: float | None = None
    max_steps: int | None = None
    last_step: float | None = None
    facets: int | None = None
    persist: int | None = None
    solution: str | None = None
    accuracy: float | None = None
    hypothesis: str | None = None


@dataclass(frozen=True)
class Sequential(Law):
    """Single impacts with friction, one contact after the other in random order.

    Attributes:
        max_steps: The limit on single impacts of a sample; 1000 by default. The problem's own step
            limit does not apply: it counts steps of all contacts.
    """

    name: ClassVar[str] = "sequential"
    max_steps: int | None = None


@dataclass(frozen=True)
class Propagative(Law):
    """Reflections, one contact after the other in random order. [SM14]

    Attributes:
        max_steps: The limit on single impacts of a sample; 1000 by default. The problem's own step
            limit does not apply: it counts steps of all contacts.
    """

    name: ClassVar[str] = "propagative"
    max_steps: int | None = None


@dataclass(frozen=True)
class Plus(Law):
    """Rounds of compression and expansion: one outcome for each draw of uncertain numbers. [USD15]

    Attributes:
        phases: The phases of an impact. Default: rounds.
        theta_max: The largest change of a sliding direction in an interval, in rad, below pi.
            Default: 0.01.
        v_transition: A contact slides from this tangential speed on, in m/s. Default: 0.1.
        v_plastic: From this normal speed on the coefficient of restitution is the problem's, in
            m/s; slower impacts have a larger one. Default: 0.1.
        v_capture: Below this normal speed the coefficient of restitution is 0, in m/s. Default:
            0.01.
    """

    name: ClassVar[str] = "plus"
    phases: str | None = None
    theta_max: float | None = None
    v_transition: float | None = None
    v_plastic: float | None = None
    v_capture: float | None = None
