"""Contact problems from live states of MuJoCo, and outcomes back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from carom import _carom
from carom.arrays import ArrayLike, floats
from carom.errors import InputError, MujocoWarning
from carom.mujoco.names import Contacts, Names, names_of, wanted
from carom.mujoco.reading import Reading, limit_name, mujoco, place, placed, read, scratch
from carom.problem import ContactProblem, each


CHANGED = 0.01
"""A velocity that breaks constraints by more than this part of |v|_M is changed with a warning."""


def from_mujoco(
    model: Any,
    data: Any,
    *,
    contacts: Contacts | None = None,
    restitution: ArrayLike | None = None,
    margin: float | None = None,
    name: str | None = None,
) -> ContactProblem:
    """The contact problem of a state of MuJoCo: all contacts that touch strike at once.

    The state is ``data.qpos``, ``data.qvel``, mocap poses and ``data.eq_active``. Kinematics and
    collisions are computed from it on a copy, so nothing need have been called before, not even
    after ``mj_step``, where the contacts in ``data`` are still those of the state before. ``data``
    stays as it is.

    Coordinates are those of ``qvel``. Hinges and slides are called ``JOINT``. Ball joints have
    ``JOINT.rx``, ``.ry`` and ``.rz``, about the axes of the body; free joints ``BODY.x`` to
    ``BODY.z``, of the origin of the body's frame along the axes of the world, and ``BODY.rx`` to
    ``BODY.rz``, about those of the body.

    - *Contacts* are those of ``data.contact`` on which MuJoCo acts (``exclude`` is 0: closer than
      ``includemargin``) or would within 1e-9 m, as those that touch exactly, whose distance is 0.
      They have its order and are called ``GEOM1/GEOM2``. Normals go from the first geom to
      the second, so that positive velocities separate; tangents are those of ``contact.frame``.
      Friction cones are circular, whether MuJoCo's are ``elliptic`` or ``pyramidal``. ``condim`` 1
      has no friction; of 4 and 6, torsional and rolling friction are left out, with a
      ``MujocoWarning``. Where no contact can move along one of its tangents, as in a plane, the
      problem is planar.
    - *Limits* of joints and tendons that are reached, to 1e-9 rad or m, come next, as contacts
      without friction called ``limit/JOINT``. Where nothing else touches, the problem has no
      tangents.
    - Contacts and limits that nothing can move, as of bodies that are welded to mocap bodies or to
      the world, are left out, with a ``MujocoWarning``.
    - *Equality constraints* that are active (``connect``, ``weld``, ``joint``, ``tendon``) hold
      exactly, as ``bilateral`` rows. MuJoCo's are soft, so that its velocity breaks them a little:
      the nearest one in the kinetic metric that keeps them is taken, with a ``MujocoWarning`` where
      it is farther away than 1 % of |v|_M.
    - Springs, dampers, actuators, gravity and friction in joints are finite forces, which do
      nothing during an impact.

    Args:
        model, data: ``mujoco.MjModel`` and ``mujoco.MjData``.
        contacts: names of the contacts and limits to keep, such as ``"floor/foot"``, in either
            order of geoms; or a function that says so of a name. All where it is None.
        restitution: coefficients in [0, 1], which MuJoCo does not have: one for all, or one for
            each contact and limit in the order above.
        margin: leaves out contacts whose geoms are farther apart than this, in m.
        name: a name for reports; the model's where it is None.

    Raises:
        UsageError: MuJoCo cannot be imported.
        InputError: no contact; contacts or constraints of flexes; contacts whose sliding friction
            differs along their tangents, or with a surface velocity; numbers that are not finite.
    """
    mj = mujoco(model, data)
    chosen, least = wanted(contacts), margin_of(margin)
    if not np.isfinite(data.qpos).all():
        raise InputError("data.qpos is not finite", "data.qpos")
    with scratch(mj, model) as state:
        place(state, data)
        placed(mj, model, state)
        return problem_of(mj, model, state, chosen, restitution, margin=least, name=name, level=3)


def problem_of(
    mj: Any,
    model: Any,
    state: Any,
    wanted: Callable[[str], bool],
    restitution: ArrayLike | None,
    *,
    margin: float | None = None,
    name: str | None = None,
    level: int = 2,
) -> ContactProblem:
    """The contact problem of a state whose kinematics and constraints are computed; the arguments
    are those of ``from_mujoco``, and how many calls warnings are above."""
    known, found = names_of(mj, model), read(mj, model, state, wanted, margin)
    if found is None:
        raise _untouched(known, state, wanted)
    for note in found.notes + changes([found.change]):
        warnings.warn(note, MujocoWarning, stacklevel=level)
    if not found.names:
        raise InputError("nothing that touches in this state can move", "data")
    return problem_from(found, known, restitution, name, planar=found.planar is not None)


def _untouched(known: Names, state: Any, wanted: Callable[[str], bool]) -> InputError:
    """The error of a state of which no contact and no limit counts."""
    contact, hint = state.contact, "step until a contact or a limit acts, or set bodies down"
    acting = [known.contact(geoms) for geoms in contact.geom[contact.exclude == 0].tolist()]
    acting += [limit_name(known, state, i) for i, kind in enumerate(state.efc_type) if kind in known.limits]
    if left := sorted({name for name in acting if not wanted(name)}):
        return InputError(f"nothing touches of what `contacts` keeps; it leaves out {', '.join(left)}", "data")
    if not state.ncon:
        return InputError("nothing touches in this state", "data", hint)
    i = int((contact.dist - contact.includemargin).argmin())
    name, gap = known.contact(contact.geom[i].tolist()), contact.dist[i]
    what = f"nothing touches in this state: the nearest of {state.ncon} contacts, {name}, has a gap of {gap:.3g} m"
    return InputError(what, "data", f"MuJoCo acts below {contact.includemargin[i]:.3g} m, carom below `margin`, too")


def problem_from(
    found: Reading, known: Names, restitution: ArrayLike | None, name: str | None, *, planar: bool
) -> ContactProblem:
    """The contact problem of a reading, without friction where limits alone are reached."""
    m = len(found.names)
    problem = _carom.Problem.arrays(
        name or known.model or "MuJoCo",
        found.mass,
        found.normal,
        found.tangent(planar=planar) if len(found.frames) else None,
        found.friction,
        found.velocity,
        None if restitution is None else each(restitution, "restitution", m),
        found.bilateral if found.bilateral.size else None,
        known.coordinates,
        known.units,
        found.names,
    )
    return ContactProblem._of(problem)


def changes(of: list[float]) -> list[str]:
    """What to say of velocities that were changed by these parts of |v|_M, if anything."""
    most, count = max(of), sum(change > CHANGED for change in of)
    if not count:
        return []
    taken = f"that keeps them is taken, {most:.1%} of |v|_M away"
    if len(of) == 1:
        return [f"the velocity breaks equality constraints: one {taken}"]
    return [f"the velocities of {count} states break equality constraints: for each one {taken} at most"]


def to_mujoco(data: Any, velocity: ArrayLike) -> None:
    """Writes an outcome (nv) such as ``out.velocity[17]`` into ``data.qvel``. Call ``mj_forward``
    or ``mj_step`` then.

    Raises:
        InputError: another number of velocities, or one that is not finite.
    """
    if not hasattr(data, "qvel"):
        raise InputError(f"expected mujoco.MjData, found {type(data).__name__}", "data")
    v = floats(velocity, "velocity", data.qvel.shape)
    if not np.isfinite(v).all():
        raise InputError("velocity: expected finite numbers", "velocity", "out.velocity[out.accepted] are outcomes")
    data.qvel[:] = v


def margin_of(margin: Any) -> float | None:
    """The distance up to which contacts count, in m."""
    if margin is None:
        return None
    least = float(floats(margin, "margin", ()))
    if not np.isfinite(least):
        raise InputError("margin: expected a finite distance in m", "margin")
    return least
