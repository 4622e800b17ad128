"""Contact problems from live states of MuJoCo, and outcomes back."""

from __future__ import annotations

from typing import Any

from carom.arrays import ArrayLike
from carom.problem import ContactProblem


def from_mujoco(model: Any, data: Any) -> ContactProblem:
    raise NotImplementedError


def to_mujoco(data: Any, velocity: ArrayLike) -> None:
    raise NotImplementedError
