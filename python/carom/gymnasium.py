"""A wrapper of Gymnasium's environments of MuJoCo, in which impacts have outcomes of rigid
contacts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from carom.arrays import Floats, whole
from carom.errors import UsageError
from carom.mujoco import Impact, Impacts
from carom.mujoco.reading import mujoco

try:
    import gymnasium
except ImportError as error:
    raise UsageError(f"Gymnasium cannot be imported: {error}", hint="pip install 'gymnasium[mujoco]'") from None


class Wrapper(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment of MuJoCo in which each impact has an outcome of the set instead of what soft
    contacts would make of it.

    ``info["impacts"]`` of ``step`` has the impacts that took place in it, each a
    ``carom.mujoco.Impact``. Steps last as long as those of the environment.

    Args:
        env: an environment whose ``unwrapped`` is a ``gymnasium.envs.mujoco.MujocoEnv``.
        cost: the outcome of each impact is the one with the largest cost among the samples, as of
            ``carom.mujoco.Impact.worst``; None draws an outcome. Draws and samples have the seed of
            ``reset``.
        samples: of each impact, where there is a cost.
        choose: chooses the outcome of an impact instead, ``lambda impact: impact.choose(...)``.
        options: ``threshold``, ``gap``, ``contacts`` and ``restitution`` as of
            ``carom.mujoco.Impacts``.

    Raises:
        UsageError: an environment that is none of MuJoCo, or both ``cost`` and ``choose``. Without
            Gymnasium the module cannot be imported.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        *,
        cost: str | Callable[[Floats], Any] | None = None,
        samples: int = 64,
        choose: Callable[[Impact], object] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(env)
        inner: Any = env.unwrapped
        if not hasattr(inner, "_step_mujoco_simulation"):
            raise UsageError(f"expected an environment of MuJoCo, found {type(inner).__name__}", "env")
        if cost is not None and choose is not None:
            raise UsageError("expected either a cost or a function that chooses", "choose")
        self._cost, self._samples = cost, whole(samples, "samples")
        self._choose = self._own if choose is None else choose
        self._mj = mujoco(inner.model, inner.data)
        self._impacts = Impacts(inner.model, inner.data, **options)
        self._found: list[Impact] = []
        self._rng = np.random.default_rng()
        inner._step_mujoco_simulation = self._simulate

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Resets the environment; a seed is that of the draws too."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step of the environment, with its impacts in ``info["impacts"]``."""
        self._found = []
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, truncated, {**info, "impacts": self._found}

    def _own(self, impact: Impact) -> None:
        if self._cost is None:
            impact.draw(self._rng)
        else:
            impact.worst(self._cost, self._samples, int(self._rng.integers(2**63)))

    def _simulate(self, ctrl: Any, n_frames: int) -> None:
        """Steps as the environment's own ``_step_mujoco_simulation``, with impacts."""
        inner: Any = self.unwrapped
        inner.data.ctrl[:] = ctrl
        self._found += self._impacts.step(self._choose, n_frames)
        self._mj.mj_rnePostConstraint(inner.model, inner.data)
