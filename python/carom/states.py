"""Many states of a simulator, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import _carom
from carom.arrays import Floats
from carom.errors import UsageError


@dataclass(frozen=True, eq=False, repr=False)
class States:
    """B states of n coordinates and m contacts with d tangents each.

    Attributes:
        mass: M (B,n,n).
        normal: Jn (B,m,n).
        tangent: Jt (B,d m,n).
        friction: mu (B,m).
        velocity: v (B,n).
        restitution: e (B,m), or None.
        active: which contacts each state has (B,m); None: all.
    """

    mass: Floats
    normal: Floats
    tangent: Floats
    friction: Floats
    velocity: Floats
    restitution: Floats | None
    active: NDArray[np.bool_] | None

    def arrays(self) -> Any:
        """The arrays, in their order."""
        return self.mass, self.normal, self.tangent, self.friction, self.velocity, self.restitution, self.active

    def derivative(
        self, options: str, samples: int, seed: NDArray[np.int64], wrt: str, hold_step: bool, kinks: str
    ) -> tuple[Any, Any]:
        """The derivatives of the first samples of each state (B,N,n,p), and whether each sample has
        one (B,N); see ``Batch.jacobian``."""
        branch = held(wrt, hold_step, kinks)
        seeds = np.asarray(seed).astype(np.uint64)
        options_of: Any = (_carom.Sampling(options), samples, seeds, str(wrt), hold_step, branch)
        return _carom.batch_jacobian(*self.arrays(), *options_of)


def held(wrt: str, hold_step: bool, kinks: str) -> bool:
    """Whether derivatives at kinks are those of the branches that samples take."""
    if hold_step and wrt != "velocity":
        raise UsageError("the step is held anyway where the velocity does not change", "hold_step")
    if kinks not in ("nan", "branch"):
        raise UsageError(f'kinks: expected "nan" or "branch", found {kinks!r}', "kinks")
    return kinks == "branch"
