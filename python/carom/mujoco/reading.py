"""What a state of MuJoCo says of an impact, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from typing import Any

import numpy as np

from carom.arrays import Floats
from carom.errors import InputError, UsageError
from carom.mujoco.names import Names, distinct, name, names_of

DEPENDENT = 1e-12
"""Rows of constraints that depend on others up to this part of the largest singular value are none
of their own."""

TOUCH = 1e-9
"""Contacts and limits that are this near to acting, in m or rad, count: rounding decides whether
MuJoCo has them act."""

SPARE = 4
"""Copies of states that are kept for the next ones of the same models."""

_spare: list[Any] = []
_lock = Lock()


@dataclass(frozen=True, eq=False)
class Reading:
    """The numbers of a state with m contacts, of which c are contacts of geoms, and the others
    limits, without friction.

    Attributes:
        mass: M (n,n).
        frames: rows (c,3,n) of each contact of geoms: its normal and its two tangents.
        limits: normal rows (m-c,n).
        friction: mu (m).
        velocity: v (n), which keeps the constraints.
        bilateral: rows (b,n) of constraints.
        names: of contacts (m).
        planar: which tangent (c) each contact of geoms has where nothing moves along the other one,
            as in a plane; None in space.
        change: by how much the velocity was changed to keep them, in parts of |v|_M.
        notes: what a reader of the results must know.
    """

    mass: Floats
    frames: Floats
    limits: Floats
    friction: Floats
    velocity: Floats
    bilateral: Floats
    names: list[str]
    planar: Any
    change: float
    notes: list[str]

    @property
    def normal(self) -> Floats:
        """Jn (m,n)."""
        return np.concatenate([self.frames[:, 0], self.limits])

    def tangent(self, *, planar: bool) -> Floats:
        """Jt (m,n) in the plane, or (2m,n)."""
        kept = self.frames[np.arange(len(self.frames)), self.planar][:, None] if planar else self.frames[:, 1:]
        count, d, n = kept.shape
        return np.concatenate([kept.reshape(count * d, n), np.zeros((d * len(self.limits), n))])


def mujoco(model: Any, data: Any = None) -> Any:
    """The module ``mujoco``, whose model and data these are."""
    try:
        mj = import_module("mujoco")
    except ImportError as error:
        raise UsageError(f"MuJoCo cannot be imported: {error}", hint="pip install mujoco") from None
    for given, kind in ((model, mj.MjModel), (data, mj.MjData)):
        if not (isinstance(given, kind) or given is data is None):
            hint = "Gymnasium: env.unwrapped.model and .data; dm_control: physics.model.ptr and physics.data.ptr"
            raise InputError(f"expected mujoco.{kind.__name__}, found {type(given).__name__}", hint=hint)
    if data is not None and (data.qpos.shape != (model.nq,) or data.qvel.shape != (model.nv,)):
        raise InputError("data belongs to another model", "data")
    return mj


@contextmanager
def scratch(mj: Any, model: Any) -> Iterator[Any]:
    """A state of the model to compute in, which may hold anything."""
    with _lock:
        of_model = [i for i, state in enumerate(_spare) if state.model is model]
        state = _spare.pop(of_model[-1]) if of_model else None
    state = mj.MjData(model) if state is None else state
    try:
        yield state
    finally:
        with _lock:
            _spare.append(state)
            del _spare[:-SPARE]


def place(state: Any, data: Any) -> None:
    """Gives a state the positions, velocities, mocap poses and active constraints of another."""
    for array in ("qpos", "qvel", "mocap_pos", "mocap_quat", "eq_active"):
        np.copyto(getattr(state, array), getattr(data, array))


def placed(mj: Any, model: Any, state: Any, wide: Any = None) -> Any:
    """Computes the kinematics and constraints of a state, with the contacts and limits that are
    nearer to acting than ``TOUCH``. MuJoCo acts where a distance is below the margin, so not on
    what touches exactly.

    Args:
        wide: what an earlier call returned for the same model.

    Returns:
        A copy of the model with such margins, if one was needed.
    """
    mj.mj_fwdPosition(model, state)
    if not _doubtful(mj, model, state):
        return wide
    if wide is None:
        wide = copy(model)
        for name in ("geom_margin", "pair_margin", "jnt_margin", "tendon_margin", "body_margin"):
            getattr(wide, name, np.empty(0))[:] += TOUCH
        wide.opt.o_margin += TOUCH
    mj.mj_fwdPosition(wide, state)
    return wide


def _doubtful(mj: Any, model: Any, state: Any) -> bool:
    """Whether rounding may decide what acts: nothing does, or something is as near as ``TOUCH``."""
    contact, known = state.contact, names_of(mj, model)
    if not (contact.exclude == 0).any() and not np.isin(state.efc_type, known.limits).any():
        return True
    near = [contact.dist - contact.includemargin]
    joints, tendons = model.jnt_limited.nonzero()[0], model.tendon_limited.nonzero()[0]
    if len(joints):
        kinds, starts = model.jnt_type[joints], model.jnt_qposadr[joints]
        balls = kinds == mj.mjtJoint.mjJNT_BALL
        vector = np.linalg.norm([state.qpos[starts[balls] + k] for k in (1, 2, 3)], axis=0)
        turned = 2 * np.arctan2(vector, np.abs(state.qpos[starts[balls]]))
        near.append(model.jnt_range[joints[balls]].max(axis=1) - turned - model.jnt_margin[joints[balls]])
        joints, starts = joints[~balls], starts[~balls]
        ends = model.jnt_range[joints] - state.qpos[starts][:, None]
        near.append((ends * [-1, 1] - model.jnt_margin[joints][:, None]).ravel())
    if len(tendons):
        ends = model.tendon_range[tendons] - state.ten_length[tendons][:, None]
        near.append((ends * [-1, 1] - model.tendon_margin[tendons][:, None]).ravel())
    return bool((np.abs(np.concatenate(near)) <= TOUCH).any())


def read(mj: Any, model: Any, state: Any, wanted: Callable[[str], bool], margin: float | None) -> Reading | None:
    """The numbers of a state whose kinematics and constraints are computed; None where nothing
    touches. Contacts that nothing can move are left out, and all may be such ones.

    Args:
        wanted: whether a contact or a limit counts, by its name.
        margin: leaves out contacts whose geoms are farther apart than this, in m.
    """
    known, notes, contact = names_of(mj, model), list[str](), state.contact
    kinds = state.efc_type.tolist()
    near = contact.exclude == 0 if margin is None else (contact.exclude == 0) & (contact.dist <= margin)
    geoms = contact.geom.tolist()
    chosen = {i: own for i in near.nonzero()[0].tolist() if wanted(own := known.contact(geoms[i]))}
    stops = {
        i: own for i, kind in enumerate(kinds) if kind in known.limits and wanted(own := limit_name(known, state, i))
    }
    if not (chosen or stops):
        return None
    mass, frames = _mass(mj, model, state, known), _frames(mj, model, state, known, list(chosen))
    limits = bilateral = np.empty((0, model.nv))
    if stops or known.equality in kinds:
        rows = _constraints(mj, model, state)
        limits, bilateral = rows[list(stops)], rows[_equalities(mj, model, state, known)]
    moves = _movable(mass, bilateral, np.concatenate([frames[:, 0], limits]))
    if not all(moves):
        names = [*chosen.values(), *stops.values()]
        still = sorted({own for own, moved in zip(names, moves, strict=True) if not moved})
        notes.append(f"contacts that nothing can move are left out: {', '.join(still)}")
        kept, left = moves[: len(chosen)], moves[len(chosen) :]
        frames, limits = frames[kept], limits[left]
        chosen = {i: own for (i, own), moved in zip(chosen.items(), kept, strict=True) if moved}
        stops = {i: own for (i, own), moved in zip(stops.items(), left, strict=True) if moved}
    friction = _friction(contact, chosen, notes) + [0.0] * len(stops)
    velocity, change = _kept(mass, bilateral, state.qvel.copy())
    names = distinct([*chosen.values(), *stops.values()])
    return Reading(mass, frames, limits, np.array(friction), velocity, bilateral, names, _plane(frames), change, notes)


def limit_name(known: Names, state: Any, i: int) -> str:
    """The name of a constraint that is a limit."""
    return known.limit(int(state.efc_id[i]), tendon=state.efc_type[i] == known.limits[1])


def _mass(mj: Any, model: Any, state: Any, known: Names) -> Floats:
    full = np.zeros((model.nv, model.nv))
    if known.version < 4:
        mj.mj_fullM(model, full, state.qM)
    else:
        mj.mj_fullM(model, state, full)
    return full


def _frames(mj: Any, model: Any, state: Any, known: Names, chosen: list[int]) -> Floats:
    """The rows (c,3,n) of contacts, of each its normal first: the velocity of its second geom past
    its first, in the frame."""
    contact = state.contact
    _check_rigid(mj, model, contact, known, chosen)
    places, geoms, bodies = contact.pos, contact.geom.tolist(), known.bodies
    jacobians = np.zeros((len(chosen), 2, 3, model.nv))
    for (first, second), i in zip(jacobians, chosen, strict=True):
        point, geom = places[i], geoms[i]
        mj.mj_jac(model, state, first, None, point, bodies[geom[0]])
        mj.mj_jac(model, state, second, None, point, bodies[geom[1]])
    found: Floats = contact.frame[chosen].reshape(-1, 3, 3) @ (jacobians[:, 1] - jacobians[:, 0])
    return found


def _check_rigid(mj: Any, model: Any, contact: Any, known: Names, chosen: list[int]) -> None:
    """Refuses contacts of flexes and of surfaces with a velocity."""
    moving = getattr(contact, "surfacevel", None)
    if not model.nflex and (moving is None or not moving.any()):
        return
    for i in chosen:
        if (flex := int(contact.flex[i].max())) >= 0:
            own = name(mj, model, mj.mjtObj.mjOBJ_FLEX, flex)
            raise InputError(f"contact with the flex {own}: expected contacts of rigid bodies", "data.contact")
        if moving is not None and moving[i].any():
            own = known.contact(contact.geom[i].tolist())
            raise InputError(f"contact {own} has a surface velocity", "data.contact", "set it to 0")


def _plane(frames: Floats) -> Any:
    """Which tangent (c) contacts have whose other one nothing moves along; None unless all are
    such, as in a plane."""
    sizes = np.einsum("cij,cij->ci", frames, frames).tolist()
    still = [[across <= 1e-24 * max(size) for across in size[1:]] for size in sizes]
    return np.array([1 + first for first, _ in still]) if still and all(map(any, still)) else None


def _movable(mass: Floats, bilateral: Floats, normal: Floats) -> Any:
    """Which rows (m,n) a velocity that keeps the constraints (b,n) can change."""
    if not bilateral.size:
        return normal.any(axis=1)  # rows that are exactly 0, between bodies that do not move
    factor = np.linalg.cholesky(mass)
    rows = np.linalg.solve(factor, normal.T)
    before = np.linalg.norm(rows, axis=0)
    basis = _basis(factor, bilateral)
    for _ in range(2):  # again: what rounding left
        rows = rows - basis @ (basis.T @ rows)
    return np.linalg.norm(rows, axis=0) > 1e-9 * np.maximum(before, 1e-9 * before.max(initial=0.0))


def _basis(factor: Any, bilateral: Floats) -> Floats:
    """Orthonormal columns that span the constraints, in coordinates in which kinetic energy is
    |v|^2 / 2."""
    basis, sizes, _ = np.linalg.svd(np.linalg.solve(factor, bilateral.T), full_matrices=False)
    found: Floats = basis[:, sizes > DEPENDENT * sizes.max(initial=0.0)]
    return found


def _friction(contact: Any, chosen: dict[int, str], notes: list[str]) -> list[float]:
    """The coefficients of sliding friction of contacts."""
    kinds, coefficients = contact.dim.tolist(), contact.friction[:, :2].tolist()
    for i, own in chosen.items():
        first, second = coefficients[i]
        if first != second and kinds[i] > 1:
            raise InputError(
                f"contact {own} has friction {first:g} and {second:g} along its tangents",
                "data.contact",
                "give both the same value in the <pair>",
            )
    rough = sorted({own for i, own in chosen.items() if kinds[i] > 3})
    if rough:
        notes.append(f"torsional and rolling friction are left out (condim 4 and 6) at {', '.join(rough)}")
    return [0.0 if kinds[i] == 1 else coefficients[i][0] for i in chosen]


def _constraints(mj: Any, model: Any, state: Any) -> Floats:
    """The Jacobian (nefc,n) of MuJoCo's constraints, dense."""
    if not mj.mj_isSparse(model):
        return np.reshape(state.efc_J, (state.nefc, model.nv))
    rows = np.zeros((state.nefc, model.nv))
    entries, columns = np.ravel(state.efc_J), np.ravel(state.efc_J_colind)
    for row, first, count in zip(rows, state.efc_J_rowadr, state.efc_J_rownnz, strict=True):
        row[columns[first : first + count]] = entries[first : first + count]
    return rows


def _equalities(mj: Any, model: Any, state: Any, known: Names) -> Any:
    """Which of MuJoCo's constraints (nefc) are equality constraints."""
    equal = state.efc_type == known.equality
    rigid = (mj.mjtEq.mjEQ_CONNECT, mj.mjtEq.mjEQ_WELD, mj.mjtEq.mjEQ_JOINT, mj.mjtEq.mjEQ_TENDON)
    for i in np.unique(state.efc_id[equal]):
        kind = mj.mjtEq(model.eq_type[i])
        if kind not in rigid:
            own = name(mj, model, mj.mjtObj.mjOBJ_EQUALITY, i)
            word = kind.name.removeprefix("mjEQ_").lower()
            hint = f"data.eq_active[{i}] = 0 leaves it out"
            raise InputError(f"{own}: an equality constraint of kind {word} has no bilateral rows", "data", hint)
    return equal


def _kept(mass: Floats, bilateral: Floats, velocity: Floats) -> tuple[Floats, float]:
    """The velocity (n) nearest in the kinetic metric that keeps the constraints (b,n), and how far
    away it is, in parts of |v|_M."""
    if not bilateral.size or not velocity.any() or not np.isfinite(velocity).all():
        return velocity, 0.0
    factor = np.linalg.cholesky(mass)
    basis = _basis(factor, bilateral)
    before = factor.T @ velocity
    after = before - basis @ (basis.T @ before)
    after -= basis @ (basis.T @ after)  # again: what rounding left
    change = float(np.linalg.norm(after - before) / np.linalg.norm(before))
    if np.linalg.norm(after) <= DEPENDENT * np.linalg.norm(before):
        return np.zeros_like(velocity), change
    kept: Floats = np.linalg.solve(factor.T, after)
    return kept, change
