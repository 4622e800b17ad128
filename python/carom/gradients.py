"""Samples and their derivatives for libraries that differentiate: what ``carom.torch`` and
``carom.jax`` have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import _carom
from carom.arrays import Floats, seeds, whole
from carom.errors import InputError, UsageError
from carom.sampling import fields_of, sample_batch, states_of
from carom.states import held

VARIABLES = ("velocity", "friction", "restitution")
"""The arguments by which outcomes are differentiated."""


@dataclass(frozen=True)
class Request:
    """What is asked for beside the states.

    Attributes:
        samples: of each state, N.
        kinks: what derivatives are where there are none, ``"branch"`` or ``"nan"``.
        options: ``device``, ``precision`` and ``law``, with their values.
    """

    samples: int
    kinks: str
    options: tuple[tuple[str, Any], ...]

    def __post_init__(self) -> None:
        if self.samples is None:
            raise UsageError("expected a number of samples", "samples")
        whole(self.samples, "samples")
        held("velocity", False, self.kinks)
        unknown = {name for name, _ in self.options} - {"device", "precision", "law"}
        if unknown:
            raise UsageError(f"unexpected argument {min(unknown)!r}", min(unknown), "device, precision and law are options")

    def outcomes(self, inputs: tuple[Any, ...], seed: Any) -> Any:
        """The velocities of the samples (B,N,n), NaN where one is not accepted. ``inputs``: mass
        (B,n,n), normal rows (B,m,n), tangent rows (B,d m,n) or None, friction (B,m), velocity
        (B,n), restitution (B,m) or None."""
        *rows, restitution = inputs
        batch = sample_batch(
            *rows, samples=self.samples, restitution=restitution, seed=seed, **dict(self.options)
        )
        return np.where(batch.accepted[..., None], batch.velocity, np.nan)

    def jacobian(self, inputs: tuple[Any, ...], seed: Any, wrt: str) -> Floats:
        """The derivatives of the samples (B,N,n,p). Those of branches are 0 where there are
        none."""
        options = {"law": None, "device": "cpu", "precision": None} | dict(self.options) | {"device": "cpu"}
        given: Any = (*inputs, None)
        states = states_of(*given)
        found: Floats = states.derivative(fields_of(**options), self.samples, seed, wrt, False, self.kinks)[0]
        return np.nan_to_num(found) if self.kinks == "branch" else found


def pulled(jacobian: Floats, gradient: Any) -> Floats:
    """The gradient of the states (B,p) from that of the outcomes (B,N,n), to which outcomes whose
    gradient is 0 add nothing, also where their derivatives are NaN."""
    gradient = np.asarray(gradient, dtype=np.float64)
    counts = np.any(gradient != 0.0, axis=-1)
    found: Floats = np.einsum("bnap,bna->bp", np.where(counts[..., None, None], jacobian, 0.0), gradient)
    return found


def leading(velocity: Any) -> tuple[tuple[int, ...], int]:
    """The leading axes of the states, and their number."""
    shape = tuple(np.shape(velocity))
    if not shape:
        raise InputError("velocity: expected an array of shape (.., n)", "velocity")
    return shape[:-1], int(np.prod(shape[:-1], dtype=np.int64))


def own_seeds(given: Any, count: int) -> NDArray[np.uint64]:
    """A seed for each of so many states, whatever axes they have."""
    return seeds(np.reshape(given, -1), count)


def seeds_of(seed: Any, count: int) -> NDArray[np.uint64]:
    """The seeds of states that have one in common."""
    found: NDArray[np.uint64] = _carom.seeds_of_states(whole(np.asarray(seed).item(), "seed", 0), count)
    return found
