"""States of a simulator as arrays of contact problems."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from carom.arrays import ArrayLike, Floats, floats
from carom.errors import InputError, UsageError
from carom.mujoco import from_mujoco
from carom.problem import ContactProblem


def mujoco_states(model: Any, qpos: ArrayLike, qvel: ArrayLike, data: Any, kept: dict[str, Any]) -> dict[str, Any]:
    """The arrays of ``DatasetPlan.of_states`` of the rows of ``qpos`` (B,nq) and ``qvel`` (B,nv).

    States in which nothing touches have no active contact, and mass 0.
    """
    positions, velocities = floats(qpos, "qpos", (None, None)), floats(qvel, "qvel", (None, None))
    if len(positions) != len(velocities):
        raise InputError(f"qvel: {len(velocities)} states, and {len(positions)} of qpos", "qvel")
    problems = [_problem(model, data, b, positions[b], velocities[b], kept) for b in range(len(positions))]
    touching = [problem for problem in problems if problem is not None]
    if not touching:
        raise InputError("nothing touches in any state", "qpos", "give states in which bodies touch, or a model with a margin")
    count, n = velocities.shape
    m = max(len(problem.contacts) for problem in touching)
    d = max(len(problem.tangent) // len(problem.contacts) for problem in touching)
    # The mass matrix of a state in the air is not needed.
    mass, velocity = np.zeros((count, n, n)), velocities.copy()
    normal, tangent = np.zeros((count, m, n)), np.zeros((count, m, d, n))
    friction, active = np.zeros((count, m)), np.zeros((count, m), dtype=np.bool_)
    for b, problem in enumerate(problems):
        if problem is None:
            continue
        own = len(problem.contacts)
        mass[b], velocity[b], normal[b, :own] = problem.mass, problem.velocity, problem.normal
        across = problem.tangent.reshape(own, -1, n)
        tangent[b, :own, : across.shape[1]] = across
        friction[b, :own], active[b, :own] = problem.friction, True
    rows = {"mass": mass, "normal": normal, "tangent": tangent.reshape(count, d * m, n) if d else None}
    return {**rows, "friction": friction, "velocity": velocity, "active": active, "coordinates": touching[0].coordinates}


def _mujoco() -> Any:
    try:
        return import_module("mujoco")
    except ImportError as error:
        raise UsageError(f"MuJoCo cannot be imported: {error}", hint="pip install mujoco") from None


def _problem(
    model: Any, data: Any, b: int, position: Floats, velocity: Floats, kept: dict[str, Any]
) -> ContactProblem | None:
    """The problem of state b; None where nothing touches."""
    mujoco = _mujoco()
    if not isinstance(model, mujoco.MjModel):
        raise InputError(f"expected mujoco.MjModel, found {type(model).__name__}", "model")
    state = mujoco.MjData(model)
    if data is not None:
        mujoco.mj_copyData(state, model, data)
    if state.qpos.shape != position.shape or state.qvel.shape != velocity.shape:
        raise InputError(f"expected {model.nq} positions and {model.nv} velocities", "qpos")
    state.qpos[:], state.qvel[:] = position, velocity
    try:
        return from_mujoco(model, state, **kept)
    except InputError as error:
        if str(error.args[0]).startswith("nothing "):
            return None
        raise InputError(f"state {b}: {error.args[0]}", error.at, error.hint) from None
