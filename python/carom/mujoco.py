"""Contact problems from live states of MuJoCo, and outcomes back."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection
from importlib import import_module
from typing import Any

import numpy as np

from carom.arrays import ArrayLike, Floats, floats
from carom.errors import InputError, MujocoWarning, UsageError
from carom.problem import ContactProblem

DEPENDENT = 1e-12
"""Rows of constraints that depend on others up to this part of the largest singular value are none
of their own."""

CHANGED = 0.01
"""A velocity that breaks constraints by more than this part of |v|_M is changed with a warning."""


def from_mujoco(
    model: Any,
    data: Any,
    *,
    contacts: Collection[str] | Callable[[str], bool] | None = None,
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
      ``includemargin``), in its order, called ``GEOM1/GEOM2``. Normals go from the first geom to
      the second, so that positive velocities separate; tangents are those of ``contact.frame``.
      Friction cones are circular, whether MuJoCo's are ``elliptic`` or ``pyramidal``. ``condim`` 1
      has no friction; of 4 and 6, torsional and rolling friction are left out, with a
      ``MujocoWarning``. Where no contact can move along one of its tangents, as in a plane, the
      problem is planar.
    - *Limits* of joints and tendons that are reached come next, as contacts without friction called
      ``limit/JOINT``.
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
    mj = _mujoco()
    for given, kind in ((model, mj.MjModel), (data, mj.MjData)):
        if not isinstance(given, kind):
            hint = "Gymnasium: env.unwrapped.model and .data; dm_control: physics.model.ptr and physics.data.ptr"
            raise InputError(f"expected mujoco.{kind.__name__}, found {type(given).__name__}", hint=hint)
    if margin is not None and not np.isfinite(floats(margin, "margin", ())):
        raise InputError("margin: expected a finite distance in m", "margin")
    if data.qpos.shape != (model.nq,) or data.qvel.shape != (model.nv,):
        raise InputError("data belongs to another model", "data")
    if not np.isfinite(data.qpos).all():
        raise InputError("data.qpos is not finite", "data.qpos")
    state = mj.MjData(model)
    mj.mj_copyData(state, model, data)
    mj.mj_fwdPosition(model, state)

    n = model.nv
    mass = np.zeros((n, n))
    for column, unit in zip(mass, np.eye(n), strict=True):
        mj.mj_mulM(model, state, column, unit)
    wanted = _wanted(contacts)
    touching = [c for c in state.contact if c.exclude == 0 and (margin is None or c.dist <= margin)]
    touching = [c for c in touching if wanted(_pair(mj, model, c))]
    frames = [_frame(mj, model, state, c) for c in touching]
    kinds, rows = state.efc_type, _constraints(mj, model, state)
    stops = [mj.mjtConstraint.mjCNSTR_LIMIT_JOINT, mj.mjtConstraint.mjCNSTR_LIMIT_TENDON]
    limits = np.flatnonzero(np.isin(kinds, stops))
    limits = np.array([i for i in limits if wanted(_limit(mj, model, state, int(i)))], dtype=int)
    if not touching and not limits.size:
        raise InputError("nothing touches in this state", "data", "step until data.ncon is not 0, or set bodies down")
    bilateral = rows[_equalities(mj, model, state)]
    names = [*(_pair(mj, model, c) for c in touching), *(_limit(mj, model, state, int(i)) for i in limits)]
    moves = _movable(mass, bilateral, np.vstack([*(frame[:1] for frame in frames), rows[limits]]))
    if not moves.all():
        still = sorted({name for name, moved in zip(names, moves, strict=True) if not moved})
        warnings.warn(f"contacts that nothing can move are left out: {', '.join(still)}", MujocoWarning, stacklevel=2)
        if not moves.any():
            raise InputError("nothing that touches in this state can move", "data")
        names = [name for name, moved in zip(names, moves, strict=True) if moved]
        kept = moves[: len(touching)]
        touching = [c for c, moved in zip(touching, kept, strict=True) if moved]
        frames = [frame for frame, moved in zip(frames, kept, strict=True) if moved]
        limits = limits[moves[len(kept) :]]
    mu = [0.0 if c.dim == 1 else _friction(mj, model, c) for c in touching]
    rough = sorted({_pair(mj, model, c) for c in touching if c.dim > 3})
    if rough:
        message = f"torsional and rolling friction are left out (condim 4 and 6) at {', '.join(rough)}"
        warnings.warn(message, MujocoWarning, stacklevel=2)
    coordinates, units = _coordinates(mj, model)
    tangents = _tangents(frames)
    return ContactProblem(
        mass,
        np.vstack([*(frame[:1] for frame in frames), rows[limits]]),
        np.vstack([*tangents, np.zeros((len(tangents[0] if tangents else "12") * limits.size, n))]),
        [*mu, *[0.0] * limits.size],
        _kept(mass, bilateral, np.array(data.qvel)),
        restitution,
        bilateral=bilateral if bilateral.size else None,
        coordinates=_distinct(coordinates),
        units=units,
        contacts=_distinct(names),
        name=name or model.names.split(b"\0")[0].decode() or "MuJoCo",
    )


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


def _mujoco() -> Any:
    try:
        return import_module("mujoco")
    except ImportError as error:
        raise UsageError(f"MuJoCo cannot be imported: {error}", hint="pip install mujoco") from None


def _frame(mj: Any, model: Any, state: Any, contact: Any) -> Floats:
    """The rows (3,n) of a contact, its normal first: the velocity of its second geom past its
    first, in the frame."""
    if max(contact.flex) >= 0:
        flex = _name(mj, model, mj.mjtObj.mjOBJ_FLEX, max(contact.flex))
        raise InputError(f"contact with the flex {flex}: expected contacts of rigid bodies", "data.contact")
    if np.any(getattr(contact, "surfacevel", 0.0)):
        raise InputError(f"contact {_pair(mj, model, contact)} has a surface velocity", "data.contact", "set it to 0")
    jacobians = np.zeros((2, 3, model.nv))
    for jacobian, geom in zip(jacobians, contact.geom, strict=True):
        mj.mj_jac(model, state, jacobian, None, contact.pos, model.geom_bodyid[geom])
    rows: Floats = contact.frame.reshape(3, 3) @ (jacobians[1] - jacobians[0])
    return rows


def _wanted(contacts: Collection[str] | Callable[[str], bool] | None) -> Callable[[str], bool]:
    """Whether a contact or a limit is kept, by its name."""
    if contacts is None:
        return lambda _: True
    if callable(contacts):
        return contacts
    if isinstance(contacts, str) or not all(isinstance(name, str) for name in contacts):
        raise InputError(f"contacts: expected a list of names or a function, found {contacts!r}", "contacts")
    known = set(contacts)
    return lambda name: name in known or "/".join(reversed(name.split("/"))) in known


def _movable(mass: Floats, bilateral: Floats, normal: Floats) -> Any:
    """Which rows (m,n) a velocity that keeps the constraints (b,n) can change."""
    factor = np.linalg.cholesky(mass)
    rows = np.linalg.solve(factor, normal.T)
    before = np.linalg.norm(rows, axis=0)
    if bilateral.size:
        basis, sizes, _ = np.linalg.svd(np.linalg.solve(factor, bilateral.T), full_matrices=False)
        basis = basis[:, sizes > DEPENDENT * sizes.max(initial=0.0)]
        for _ in range(2):  # again: what rounding left
            rows = rows - basis @ (basis.T @ rows)
    return np.linalg.norm(rows, axis=0) > 1e-9 * np.maximum(before, 1e-9 * before.max(initial=0.0))


def _tangents(frames: list[Floats]) -> list[Floats]:
    """The tangent rows of contacts from their frames (3,n): one each where all contacts have one
    along which nothing moves, as in a plane."""
    sizes = [np.linalg.norm(frame, axis=1) for frame in frames]
    flat = [size[1:] <= 1e-12 * size.max() for size in sizes]
    if not frames or not all(still.any() for still in flat):
        return [frame[1:] for frame in frames]
    return [frame[1 + int(still[0])][None] for frame, still in zip(frames, flat, strict=True)]


def _friction(mj: Any, model: Any, contact: Any) -> float:
    """The coefficient of sliding friction of a contact with friction."""
    first, second = contact.friction[:2]
    if first != second:
        raise InputError(
            f"contact {_pair(mj, model, contact)} has friction {first:g} and {second:g} along its tangents",
            "data.contact",
            "give both the same value in the <pair>",
        )
    return float(first)


def _constraints(mj: Any, model: Any, state: Any) -> Floats:
    """The Jacobian (nefc,n) of MuJoCo's constraints, dense."""
    if not mj.mj_isSparse(model):
        return np.reshape(state.efc_J, (state.nefc, model.nv))
    rows = np.zeros((state.nefc, model.nv))
    entries, columns = np.ravel(state.efc_J), np.ravel(state.efc_J_colind)
    for row, first, count in zip(rows, state.efc_J_rowadr, state.efc_J_rownnz, strict=True):
        row[columns[first : first + count]] = entries[first : first + count]
    return rows


def _equalities(mj: Any, model: Any, state: Any) -> Any:
    """Which of MuJoCo's constraints (nefc) are equality constraints."""
    equal = state.efc_type == mj.mjtConstraint.mjCNSTR_EQUALITY
    rigid = (mj.mjtEq.mjEQ_CONNECT, mj.mjtEq.mjEQ_WELD, mj.mjtEq.mjEQ_JOINT, mj.mjtEq.mjEQ_TENDON)
    for i in np.unique(state.efc_id[equal]):
        kind = mj.mjtEq(model.eq_type[i])
        if kind not in rigid:
            name = _name(mj, model, mj.mjtObj.mjOBJ_EQUALITY, i)
            word = kind.name.removeprefix("mjEQ_").lower()
            hint = f"data.eq_active[{i}] = 0 leaves it out"
            raise InputError(f"{name}: an equality constraint of kind {word} has no bilateral rows", "data", hint)
    return equal


def _kept(mass: Floats, bilateral: Floats, velocity: Floats) -> Floats:
    """The velocity (n) nearest in the kinetic metric that keeps the constraints (b,n)."""
    if not bilateral.size or not velocity.any() or not np.isfinite(velocity).all():
        return velocity
    factor = np.linalg.cholesky(mass)
    basis, sizes, _ = np.linalg.svd(np.linalg.solve(factor, bilateral.T), full_matrices=False)
    basis = basis[:, sizes > DEPENDENT * sizes.max(initial=0.0)]
    before = factor.T @ velocity
    after = before - basis @ (basis.T @ before)
    after -= basis @ (basis.T @ after)  # again: what rounding left
    change = np.linalg.norm(after - before) / np.linalg.norm(before)
    if change > CHANGED:
        message = f"the velocity breaks equality constraints: one that keeps them is taken, {change:.1%} of |v|_M away"
        warnings.warn(message, MujocoWarning, stacklevel=3)
    if np.linalg.norm(after) <= DEPENDENT * np.linalg.norm(before):
        return np.zeros_like(velocity)
    kept: Floats = np.linalg.solve(factor.T, after)
    return kept


def _coordinates(mj: Any, model: Any) -> tuple[list[str], list[str]]:
    """Names and units of the coordinates (n)."""
    axes, turns = ["x", "y", "z"], ["rx", "ry", "rz"]
    names, units = [], []
    for j, kind in enumerate(model.jnt_type):
        joint = _name(mj, model, mj.mjtObj.mjOBJ_JOINT, j)
        if kind == mj.mjtJoint.mjJNT_FREE:
            body = _name(mj, model, mj.mjtObj.mjOBJ_BODY, model.jnt_bodyid[j])
            names += [f"{body}.{axis}" for axis in axes + turns]
            units += ["m/s"] * 3 + ["rad/s"] * 3
        elif kind == mj.mjtJoint.mjJNT_BALL:
            names += [f"{joint}.{axis}" for axis in turns]
            units += ["rad/s"] * 3
        else:
            names.append(joint)
            units.append("m/s" if kind == mj.mjtJoint.mjJNT_SLIDE else "rad/s")
    return names, units


def _pair(mj: Any, model: Any, contact: Any) -> str:
    return "/".join(_name(mj, model, mj.mjtObj.mjOBJ_GEOM, geom) for geom in contact.geom)


def _limit(mj: Any, model: Any, state: Any, row: int) -> str:
    joint = state.efc_type[row] == mj.mjtConstraint.mjCNSTR_LIMIT_JOINT
    kind = mj.mjtObj.mjOBJ_JOINT if joint else mj.mjtObj.mjOBJ_TENDON
    return f"limit/{_name(mj, model, kind, state.efc_id[row])}"


def _name(mj: Any, model: Any, kind: Any, i: int) -> str:
    """The name of an element, or what it is with its number."""
    return mj.mj_id2name(model, kind, i) or f"{kind.name.removeprefix('mjOBJ_').lower()}{i}"


def _distinct(names: list[str]) -> list[str]:
    """The names, with a number from the second of the same name on."""
    made: list[str] = []
    for name in names:
        count, own = 1, name
        while own in made:
            count += 1
            own = f"{name}#{count}"
        made.append(own)
    return made
