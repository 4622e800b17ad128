"""What a state of MuJoCo says of an impact, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

CHANGED = 0.01
"""A velocity that breaks constraints by more than this part of |v|_M is changed with a warning."""

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
    yield state
    with _lock:
        _spare.append(state)
        del _spare[:-SPARE]


def read(mj: Any, model: Any, state: Any, wanted: Callable[[str], bool], margin: float | None) -> Reading | None:
    """The numbers of a state whose kinematics and constraints are computed; None where nothing
    touches. Contacts that nothing can move are left out, and all may be such ones.

    Args:
        wanted: whether a contact or a limit counts, by its name.
        margin: leaves out contacts whose geoms are farther apart than this, in m.
    """
    known, notes = names_of(mj, model), list[str]()
    contact = state.contact
    geoms = contact.geom
    chosen = (contact.exclude == 0) & (True if margin is None else contact.dist <= margin)
    chosen = [i for i in np.flatnonzero(chosen).tolist() if wanted(known.contact(geoms[i]))]
    stops = _limits(mj, known, state, wanted)
    names = [*(known.contact(geoms[i]) for i in chosen), *stops.values()]
    if not names:
        return None
    mass = _mass(mj, model, state)
    frames = _frames(mj, model, state, known, chosen)
    rows = _constraints(mj, model, state)
    limits, bilateral = rows[list(stops)], rows[_equalities(mj, model, state)]
    moves = _movable(mass, bilateral, np.concatenate([frames[:, 0], limits]))
    if not moves.all():
        still = sorted({own for own, moved in zip(names, moves, strict=True) if not moved})
        notes.append(f"contacts that nothing can move are left out: {', '.join(still)}")
        names = [own for own, moved in zip(names, moves, strict=True) if moved]
        kept = moves[: len(chosen)]
        frames, limits = frames[kept], limits[moves[len(chosen) :]]
        chosen = [i for i, moved in zip(chosen, kept, strict=True) if moved]
    mu = [_friction(known, contact, i) for i in chosen]
    rough = sorted({known.contact(geoms[i]) for i in chosen if contact.dim[i] > 3})
    if rough:
        notes.append(f"torsional and rolling friction are left out (condim 4 and 6) at {', '.join(rough)}")
    velocity = _kept(mass, bilateral, np.array(state.qvel), notes)
    friction = np.array(mu + [0.0] * len(limits))
    return Reading(mass, frames, limits, friction, velocity, bilateral, distinct(names), _plane(frames), notes)


def _limits(mj: Any, known: Names, state: Any, wanted: Callable[[str], bool]) -> dict[int, str]:
    """The constraints that are limits of joints and tendons, with their names."""
    reached, tendon = limits_of(mj, state)
    if not reached.any():
        return {}
    found = {i: known.limit(int(state.efc_id[i]), tendon=tendon[i]) for i in np.flatnonzero(reached).tolist()}
    return {i: own for i, own in found.items() if wanted(own)}


def limits_of(mj: Any, state: Any) -> tuple[Any, Any]:
    """Which of MuJoCo's constraints (nefc) are limits, and which of those of tendons."""
    kinds, kind = state.efc_type, mj.mjtConstraint
    tendon = kinds == int(kind.mjCNSTR_LIMIT_TENDON)
    return tendon | (kinds == int(kind.mjCNSTR_LIMIT_JOINT)), tendon


def _mass(mj: Any, model: Any, state: Any) -> Floats:
    full = np.zeros((model.nv, model.nv))
    if int(mj.__version__.split(".")[0]) < 4:
        mj.mj_fullM(model, full, state.qM)
    else:
        mj.mj_fullM(model, state, full)
    return full


def _frames(mj: Any, model: Any, state: Any, known: Names, chosen: list[int]) -> Floats:
    """The rows (c,3,n) of contacts, of each its normal first: the velocity of its second geom past
    its first, in the frame."""
    contact = state.contact
    places, geoms, flexes = contact.pos, contact.geom, contact.flex
    moving = getattr(contact, "surfacevel", None)
    jacobians = np.zeros((len(chosen), 2, 3, model.nv))
    for jacobian, i in zip(jacobians, chosen, strict=True):
        if flexes[i].max() >= 0:
            flex = name(mj, model, mj.mjtObj.mjOBJ_FLEX, flexes[i].max())
            raise InputError(f"contact with the flex {flex}: expected contacts of rigid bodies", "data.contact")
        if moving is not None and moving[i].any():
            raise InputError(f"contact {known.contact(geoms[i])} has a surface velocity", "data.contact", "set it to 0")
        for rows, body in zip(jacobian, model.geom_bodyid[geoms[i]], strict=True):
            mj.mj_jac(model, state, rows, None, places[i], body)
    found: Floats = contact.frame[chosen].reshape(-1, 3, 3) @ (jacobians[:, 1] - jacobians[:, 0])
    return found


def _plane(frames: Floats) -> Any:
    """Which tangent (c) contacts have whose other one nothing moves along; None unless all are
    such, as in a plane."""
    sizes = np.linalg.norm(frames, axis=2)
    still = sizes[:, 1:] <= 1e-12 * sizes.max(axis=1, keepdims=True, initial=0.0)
    return 1 + still[:, 0] if len(frames) and still.any(axis=1).all() else None


def _movable(mass: Floats, bilateral: Floats, normal: Floats) -> Any:
    """Which rows (m,n) a velocity that keeps the constraints (b,n) can change."""
    if not bilateral.size:
        return normal.any(axis=1)
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


def _friction(known: Names, contact: Any, i: int) -> float:
    """The coefficient of sliding friction of a contact."""
    if contact.dim[i] == 1:
        return 0.0
    first, second = contact.friction[i, :2].tolist()
    if first != second:
        raise InputError(
            f"contact {known.contact(contact.geom[i])} has friction {first:g} and {second:g} along its tangents",
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
    equal = state.efc_type == int(mj.mjtConstraint.mjCNSTR_EQUALITY)
    if not equal.any():
        return equal
    rigid = (mj.mjtEq.mjEQ_CONNECT, mj.mjtEq.mjEQ_WELD, mj.mjtEq.mjEQ_JOINT, mj.mjtEq.mjEQ_TENDON)
    for i in np.unique(state.efc_id[equal]):
        kind = mj.mjtEq(model.eq_type[i])
        if kind not in rigid:
            own = name(mj, model, mj.mjtObj.mjOBJ_EQUALITY, i)
            word = kind.name.removeprefix("mjEQ_").lower()
            hint = f"data.eq_active[{i}] = 0 leaves it out"
            raise InputError(f"{own}: an equality constraint of kind {word} has no bilateral rows", "data", hint)
    return equal


def _kept(mass: Floats, bilateral: Floats, velocity: Floats, notes: list[str]) -> Floats:
    """The velocity (n) nearest in the kinetic metric that keeps the constraints (b,n)."""
    if not bilateral.size or not velocity.any() or not np.isfinite(velocity).all():
        return velocity
    factor = np.linalg.cholesky(mass)
    basis = _basis(factor, bilateral)
    before = factor.T @ velocity
    after = before - basis @ (basis.T @ before)
    after -= basis @ (basis.T @ after)  # again: what rounding left
    change = np.linalg.norm(after - before) / np.linalg.norm(before)
    if change > CHANGED:
        taken = f"one that keeps them is taken, {change:.1%} of |v|_M away"
        notes.append(f"the velocity breaks equality constraints: {taken}")
    if np.linalg.norm(after) <= DEPENDENT * np.linalg.norm(before):
        return np.zeros_like(velocity)
    kept: Floats = np.linalg.solve(factor.T, after)
    return kept
