"""Impacts of a simulation of MuJoCo: steps that stop where contacts strike, and outcomes of rigid
contacts in place of what soft ones would do."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from carom.arrays import ArrayLike, Floats, floats
from carom.errors import EmptyError, InputError, MujocoWarning, UsageError
from carom.mujoco.names import Contacts, names_of, wanted
from carom.mujoco.reading import limit_name, mujoco, place
from carom.mujoco.state import problem_of, to_mujoco
from carom.outcomes import Outcome, fixed
from carom.problem import ContactProblem
from carom.sampling import sample
from carom.sets import Samples

RESOLUTION = 2.0**-10
"""The part of a time step to which the moment of an impact is found."""

SHORT = 0.875
"""The part of the way to an impact that a step takes: accelerations must not lead beyond it."""

MOST = 64
"""Parts of a time step, after which MuJoCo's contacts take over."""


class Impact:
    """An impact that is about to take place. The simulation stands where the first contact touches
    and has the velocity before the impact.

    Attributes:
        problem: the contact problem of all contacts that strike, rest or slide. Its
            ``velocity`` is that before the impact.
        striking: the contacts that approach faster than the threshold; all others of the problem
            rest, slide or separate.
        time: ``data.time``, in s.
        velocity: ``data.qvel`` before the impact (nv), read-only.
        outcome: the velocity that was written in its place (nv), or None.
    """

    def __init__(self, problem: ContactProblem, data: Any, threshold: float) -> None:
        self.problem = problem
        self.time = float(data.time)
        self.velocity: Floats = fixed(np.array(data.qvel))
        self.outcome: Floats | None = None
        speeds = problem.normal @ problem.velocity
        self.striking = [name for name, u in zip(problem.contacts, speeds, strict=True) if u < -threshold]
        self._data = data
        self._threshold = threshold

    def outcomes(self, samples: int = 256, seed: int = 0, **options: Any) -> Samples:
        """The outcomes that ``carom.sample`` gives, with its options; on the CPU unless a device is
        named."""
        return sample(self.problem, samples, seed, **({"device": "cpu"} | options))

    def choose(self, velocity: ArrayLike) -> None:
        """Writes an outcome (nv), such as ``out.velocity[17]``, into the simulation.

        Raises:
            InputError: contacts would still strike, so that MuJoCo's would push a second time; or
                what ``to_mujoco`` refuses.
            UsageError: the simulation has moved on.
        """
        if self._data.time != self.time:
            raise UsageError("the simulation has moved on", "impact", "choose before the loop goes on")
        v = floats(velocity, "velocity", self.velocity.shape)
        closing = self.problem.normal @ v
        if closing.min() < -self._threshold:
            name = self.problem.contacts[int(closing.argmin())]
            hint = "out.velocity[out.accepted] are outcomes"
            raise InputError(f"velocity: {name} approaches at {-closing.min():.3g} m/s", "velocity", hint)
        to_mujoco(self._data, v)
        self.outcome = fixed(v.copy())

    def draw(self, rng: np.random.Generator, **options: Any) -> Outcome:
        """Writes an outcome that a generator of NumPy draws, and returns it.

        Raises:
            EmptyError: no sample of eight is accepted.
        """
        found = self.outcomes(8, rng=rng, **options)
        if not found.accepted.any():
            raise EmptyError("none of 8 samples is accepted", hint="impact.outcomes(...) has their statuses")
        outcome: Outcome = found[int(found.accepted.argmax())]
        self.choose(outcome.velocity)
        return outcome

    def worst(self, cost: str | Callable[[Floats], Any], samples: int = 256, seed: int = 0, **options: Any) -> Outcome:
        """Writes the outcome with the largest cost among samples, and returns it; ``cost`` is that
        of ``Samples.worst``."""
        found = self.outcomes(samples, seed, **options)
        outcome: Outcome = found[found.worst(cost)["sample"]]
        self.choose(outcome.velocity)
        return outcome

    def __repr__(self) -> str:
        return f"Impact(at {self.time:.6g} s: {', '.join(self.striking)})"


class Impacts:
    """Steps of MuJoCo that stop before every impact.

    Iterating steps ``data`` until ``until`` and yields each ``Impact``, of which the loop chooses
    an outcome; ``step`` takes the place of ``mj_step`` in a loop of your own. An impact for which
    nothing is chosen is left to MuJoCo's soft contacts.

    - A contact or a limit *strikes* where it touches (is closer than its ``includemargin``) and
      its normal velocity is below ``-threshold``. Whether one will is seen before the step, along
      the velocity and on a copy, so that no force of a contact has slowed it. Contacts that rest,
      slide or are pressed together approach more slowly, and MuJoCo carries them.
    - The step is cut short where the first contact touches, to a thousandth of its length. So
      velocities are those before the impact, and nothing overlaps. What remains of the step
      follows after the impact: steps end at the times at which those of ``mj_step`` do.
    - The *problem* has all contacts that touch then, or are as near to it as ``gap``: those that
      strike, and resting, sliding and separating ones, which may receive impulses too. Two feet
      that come down with a larger difference in height strike one after the other.
    - *After* the impact no contact of the problem approaches, so that the soft contacts have
      nothing to do but to carry what rests.

    ``mjcb_control`` is called in every part of a step. Without an impact the motion is that of
    ``mj_step`` to the last bit. ``opt.timestep`` is another one during parts of steps: threads that
    step states of one model at once need copies of the model.

    Args:
        model, data: ``mujoco.MjModel`` and ``mujoco.MjData``, which is stepped.
        until: the time at which iterating ends, in s.
        threshold: the normal velocity down to which contacts are MuJoCo's, in m/s (rad/s at limits
            of hinges).
        gap: contacts that are so near to touching strike together, in m (rad at limits of hinges).
            From the default height a body falls until it has the default threshold.
        contacts, restitution: as of ``from_mujoco``; contacts that are left out are MuJoCo's.

    Examples:
        >>> rng = np.random.default_rng(1)  # doctest: +SKIP
        >>> for impact in carom.mujoco.Impacts(model, data, until=2.0):
        ...     impact.draw(rng)
        >>> impacts = carom.mujoco.Impacts(model, data)
        >>> while data.time < 2.0:
        ...     data.ctrl[:] = policy(data)
        ...     impacts.step(lambda impact: impact.draw(rng))
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        *,
        until: float = math.inf,
        threshold: float = 0.1,
        gap: float = 5e-4,
        contacts: Contacts | None = None,
        restitution: float | None = None,
    ) -> None:
        self._mj = mujoco(model, data)
        self._model, self._data = model, data
        self._until = _number(until, "until", finite=False)
        self._threshold = _number(threshold, "threshold")
        self._gap = _number(gap, "gap")
        self._wanted, self._restitution = wanted(contacts), restitution
        self._all = contacts is None
        self._ahead = self._mj.MjData(model)
        self._left = False

    def __iter__(self) -> Iterator[Impact]:
        while self._data.time < self._until - 0.5 * self._model.opt.timestep:
            yield from self._step()

    def step(self, choose: Callable[[Impact], object], nstep: int = 1) -> list[Impact]:
        """Steps as ``mj_step(model, data, nstep)``, and calls ``choose`` at every impact; the
        impacts that took place."""
        impacts = []
        for _ in range(nstep):
            for impact in self._step():
                choose(impact)
                impacts.append(impact)
        return impacts

    def _step(self) -> Iterator[Impact]:
        step = left = float(self._model.opt.timestep)
        for _ in range(MOST):
            clear = self._clear(left, step)
            if clear > 0.0:
                self._advance(clear, step)
                left -= clear
            if left <= RESOLUTION * step:
                return
            if clear == 0.0:
                impact = self._impact()
                yield impact
                self._left = impact.outcome is None
        message = f"impact after impact at {self._data.time:.6g} s: MuJoCo's contacts take over"
        warnings.warn(message, MujocoWarning, stacklevel=3)
        self._left = True
        self._advance(left, step)

    def _clear(self, left: float, step: float) -> float:
        """For how long of what is left of a step nothing strikes."""
        if not self._strikes(left):
            self._left = False
            return left
        if self._left:
            return left
        least = RESOLUTION * step
        if self._strikes(least):
            return 0.0
        low, high = least, left
        while high - low > least:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._strikes(middle) else (middle, high)
        return SHORT * low

    def _strikes(self, time: float) -> bool:
        """Whether a contact strikes where the velocity leads in this time."""
        self._look(time)
        if not self._ahead.nefc:
            return False
        contacts, limits = self._fast()
        if self._all:
            return bool(len(contacts) or len(limits))
        ahead, known = self._ahead, names_of(self._mj, self._model)
        found = [known.contact(geoms) for geoms in ahead.contact.geom[contacts].tolist()]
        found += [limit_name(known, ahead, i) for i in limits.tolist()]
        return any(map(self._wanted, found))

    def _fast(self) -> tuple[Any, Any]:
        """The contacts of the copy that approach faster than the threshold, and the constraints
        that are such limits."""
        mj, ahead, contact = self._mj, self._ahead, self._ahead.contact
        speeds = np.empty(ahead.nefc)
        mj.mj_mulJacVec(self._model, ahead, speeds, self._data.qvel)
        if speeds.min() >= -self._threshold:
            # A normal velocity is that of a row, or the mean of two.
            return np.empty(0, dtype=int), np.empty(0, dtype=int)
        rows = contact.efc_address
        acting = np.flatnonzero(rows >= 0)
        rows = rows[acting]
        normal = speeds[rows]
        if self._model.opt.cone == int(mj.mjtCone.mjCONE_PYRAMIDAL):
            # The first two edges of a pyramid lie on both sides of the normal.
            edges = contact.dim[acting] > 1
            normal[edges] = 0.5 * (normal[edges] + speeds[rows[edges] + 1])
        fast = np.flatnonzero(speeds < -self._threshold)
        stops = np.isin(ahead.efc_type[fast], names_of(mj, self._model).limits)
        return acting[normal < -self._threshold], fast[stops]

    def _look(self, time: float, gap: float = 0.0) -> None:
        """Moves the copy to where the velocity leads in this time. Contacts act on it from farther
        away by the gap."""
        ahead, data, model = self._ahead, self._data, self._model
        place(ahead, data)
        self._mj.mj_integratePos(model, ahead.qpos, data.qvel, time)
        names = ("geom_margin", "pair_margin", "jnt_margin", "tendon_margin")
        margins = [getattr(model, name) for name in names if gap]
        before = [margin.copy() for margin in margins]
        try:
            for margin in margins:
                margin += gap
            self._mj.mj_fwdPosition(model, ahead)
        finally:
            for margin, own in zip(margins, before, strict=True):
                margin[:] = own

    def _advance(self, time: float, step: float) -> None:
        """A step of this length, which is the model's or a part of it."""
        try:
            self._model.opt.timestep = time
            self._mj.mj_step(self._model, self._data)
        finally:
            self._model.opt.timestep = step

    def _impact(self) -> Impact:
        self._look(RESOLUTION * self._model.opt.timestep, self._gap)
        problem = problem_of(self._mj, self._model, self._ahead, self._wanted, self._restitution)
        return Impact(problem, self._data, self._threshold)


def _number(given: Any, name: str, *, finite: bool = True) -> float:
    number = float(floats(given, name, ()))
    if not number >= 0.0 or finite and not math.isfinite(number):
        raise UsageError(f"{name}: expected a number of at least 0, found {given!r}", name)
    return number
