"""Contact problems of many states of MuJoCo at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.arrays import ArrayLike, Floats, floats, numbers, whole
from carom.errors import InputError, MujocoWarning
from carom.mujoco.names import Contacts, Names, names_of, wanted
from carom.mujoco.reading import Reading, mujoco, place, placed, read, scratch
from carom.mujoco.state import changes, margin_of, problem_from
from carom.outcomes import Batch, fixed
from carom.sampling import sample_batch


@dataclass(frozen=True, eq=False, repr=False)
class MujocoStates:
    """The contact problems of B states with up to m contacts: what ``carom.sample_batch`` takes.
    The arrays are read-only.

    Attributes:
        row: which of the given states these are (B), counted over all leading axes; states in which
            nothing touches, or nothing that touches can move, are left out.
        mass: M (B,n,n).
        normal: Jn (B,m,n); 0 at contacts that a state does not have.
        tangent: Jt (B,d m,n).
        friction: mu (B,m).
        velocity: v (B,n).
        restitution: e of all contacts, or None.
        active: which contacts each state has (B,m).
        contacts: their names, of each state in the order of the rows.
        coordinates: names of the coordinates (n).
    """

    row: NDArray[np.int64]
    mass: Floats
    normal: Floats
    tangent: Floats
    friction: Floats
    velocity: Floats
    restitution: float | None
    active: NDArray[np.bool_]
    contacts: list[list[str]]
    coordinates: list[str]

    def sample(self, samples: int = 256, seed: ArrayLike = 0, **options: Any) -> Batch:
        """The outcomes of all states, as of ``carom.sample_batch``, with its options. Entry b of
        the batch is of the given state ``row[b]``."""
        rows = self.mass, self.normal, self.tangent, self.friction, self.velocity
        given = {"restitution": self.restitution, "active": self.active, "samples": samples, "seed": seed}
        return sample_batch(*rows, **(given | options))

    def __len__(self) -> int:
        return len(self.row)

    def __repr__(self) -> str:
        states, m, n = self.normal.shape
        return f"MujocoStates({states} states of {n} coordinates with up to {m} contacts)"


def from_mujoco_batch(
    model: Any,
    qpos: ArrayLike,
    qvel: ArrayLike,
    *,
    data: Any = None,
    contacts: Contacts | None = None,
    restitution: float | None = None,
    margin: float | None = None,
    threads: int = 1,
) -> MujocoStates:
    """The contact problems of many states of MuJoCo, each that of ``from_mujoco`` to the last bit.

    Equality constraints are in the rows already: what they leave of a contact's row. The problems
    are planar where all of them are.

    Args:
        model: ``mujoco.MjModel``.
        qpos, qvel: positions (..,nq) and velocities (..,nv), with the same leading axes. In the
            states of ``mujoco.rollout`` they follow the time: ``state[..., 1 : 1 + model.nq]`` and
            ``state[..., 1 + model.nq : 1 + model.nq + model.nv]``.
        data: has the poses of mocap bodies and ``eq_active`` of all states; those of the model
            where it is None.
        contacts, margin: as of ``from_mujoco``.
        restitution: a coefficient in [0, 1] for all contacts.
        threads: that share the states.

    Raises:
        UsageError, InputError: as of ``from_mujoco``, with the number of the state; no state in
            which anything touches.
    """
    mj = mujoco(model, data)
    positions, velocities = _rows(qpos, "qpos", model.nq), _rows(qvel, "qvel", model.nv)
    if len(positions) != len(velocities):
        raise InputError(f"qvel: {len(velocities)} states, and {len(positions)} of qpos", "qvel")
    reader = _Reader(mj, model, data, positions, velocities, wanted(contacts), margin_of(margin))
    parts = np.array_split(np.arange(len(positions)), whole(threads, "threads"))
    if len(parts) == 1:
        found = reader.read(parts[0])
    else:
        with ThreadPoolExecutor(len(parts)) as pool:
            found = [reading for part in pool.map(reader.read, parts) for reading in part]
    touching = {b: reading for b, reading in enumerate(found) if reading and reading.names}
    notes = dict.fromkeys(note for reading in found if reading for note in reading.notes)
    for note in [*notes, *changes([reading.change for reading in touching.values()] or [0.0])]:
        warnings.warn(note, MujocoWarning, stacklevel=2)
    e = None if restitution is None else float(floats(restitution, "restitution", ()))
    return _padded(touching, names_of(mj, model), e)


@dataclass(frozen=True)
class _Reader:
    """States that are read one after the other."""

    mj: Any
    model: Any
    data: Any
    positions: Floats
    velocities: Floats
    wanted: Callable[[str], bool]
    margin: float | None

    def read(self, numbers: NDArray[np.int64]) -> list[Reading | None]:
        """The states of these numbers."""
        found: list[Reading | None] = []
        wide = None
        with scratch(self.mj, self.model) as state:
            if self.data is None:
                self.mj.mj_resetData(self.model, state)
            else:
                place(state, self.data)
            for b in numbers:
                state.qpos[:], state.qvel[:] = self.positions[b], self.velocities[b]
                wide = placed(self.mj, self.model, state, wide)
                try:
                    found.append(read(self.mj, self.model, state, self.wanted, self.margin))
                except InputError as error:
                    raise InputError(f"state {b}: {error.args[0]}", error.at, error.hint) from None
        return found


def _padded(found: dict[int, Reading], names: Names, restitution: float | None) -> MujocoStates:
    """Readings as arrays, of which all have rows for as many contacts."""
    if not found:
        raise InputError(
            "nothing touches in any state", "qpos", "give states in which bodies touch, or a model with a margin"
        )
    planar = all(reading.planar is not None for reading in found.values() if len(reading.frames))
    count, m = len(found), max(len(reading.names) for reading in found.values())
    n, d = len(names.coordinates), 1 if planar else 2
    velocity = np.zeros((count, n))
    normal, tangent = np.zeros((count, m, n)), np.zeros((count, d * m, n))
    friction, active = np.zeros((count, m)), np.zeros((count, m), dtype=np.bool_)
    for b, reading in enumerate(found.values()):
        own = len(reading.names)
        normal[b, :own], across, velocity[b] = _kept(reading, names, planar)
        tangent[b, : len(across)] = across
        friction[b, :own], active[b, :own] = reading.friction, True
    return MujocoStates(
        fixed(np.fromiter(found, dtype=np.int64)),
        fixed(np.stack([reading.mass for reading in found.values()])),
        fixed(normal),
        fixed(tangent),
        fixed(friction),
        fixed(velocity),
        restitution,
        fixed(active),
        [reading.names for reading in found.values()],
        list(names.coordinates),
    )


def _kept(reading: Reading, names: Names, planar: bool) -> tuple[Floats, Floats, Floats]:
    """Rows of normals and tangents, of which constraints are subtracted, and the velocity."""
    if not reading.bilateral.size:
        return reading.normal, reading.tangent(planar=planar), reading.velocity
    problem = problem_from(reading, names, None, None, planar=planar)
    return problem.normal, problem.tangent, problem.velocity


def _rows(given: ArrayLike, name: str, width: int) -> Floats:
    """States (B,width), from an array with any leading axes."""
    array = numbers(given, name)
    if array.ndim < 1 or array.shape[-1] != width:
        raise InputError(f"{name}: expected an array of shape (.., {width}), found {array.shape}", name)
    rows = array.reshape(-1, width)
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise InputError(f"{name} of state {bad[0]} is not finite", name)
    return rows
