"""Differentiable samples in PyTorch."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from carom import gradients
from carom.errors import UsageError

_FUNCTION: list[Any] = []
"""The function of autograd, once it is needed."""


def sample(
    mass: Any,
    normal: Any,
    tangent: Any,
    friction: Any,
    velocity: Any,
    *,
    restitution: Any = None,
    samples: int,
    seed: Any = 0,
    kinks: str = "branch",
    **options: Any,
) -> Any:
    """The outcomes v+ (..,N,n) of impacts, which are differentiable in velocity, friction and
    restitution; the draws are held, and the impulse step follows the velocity.

    Leading axes are batched; what all states share may lack them. The result has the type and the
    device of ``velocity``; float64 and float32 are computed as such. A sample that is not accepted
    is NaN: ``torch.nan_to_num``, ``nanmean`` or a mask leave it out.

    Args:
        mass: M (..,n,n).
        normal: Jn (..,m,n).
        tangent: Jt (..,d m,n), or None without friction.
        friction: mu (..,m), or one number.
        velocity: v (..,n).
        restitution: e (..,m), or one number; None leaves the law its default.
        samples: of each state, N.
        seed: one, from which each state gets one by its number; or one for each state (..).
        kinks: what the derivative of a sample is that has none, as contacts at rest may strike or
            not: ``"branch"``, that of a branch that the sample may take, as ``torch.relu`` has it,
            and 0 where there is none either; or ``"nan"``.
        options: ``device``, ``precision``, ``law`` as of ``carom.sample_batch``. The device is that
            of the computation of carom, ``"cpu"`` or ``"gpu"``.

    Raises:
        UsageError: PyTorch cannot be imported.
    """
    torch = _torch()
    v = torch.tensor(velocity) if isinstance(velocity, np.ndarray) else torch.as_tensor(velocity)
    if not v.is_floating_point():
        v = v.to(torch.get_default_dtype())
    axes, count = gradients.leading(v)
    m, n = np.shape(normal)[-2], v.shape[-1]
    rows = 0 if tangent is None else np.shape(tangent)[-2]

    def states(given: Any, *shape: int) -> Any:
        """One entry for each state; axes that are left out are shared."""
        # A copy of arrays of NumPy, which may be read-only.
        tensor = torch.tensor(given) if isinstance(given, np.ndarray) else torch.as_tensor(given)
        tensor = tensor.to(dtype=torch.float64, device=v.device)
        return tensor.expand(*axes, *shape).reshape(count, *shape)

    seeds = np.asarray(seed.cpu() if hasattr(seed, "cpu") else seed)
    shared = bool(axes) and seeds.ndim == 0
    seeds = gradients.seeds_of(seeds, count) if shared else gradients.own_seeds(seeds, count)
    options.setdefault("precision", "float32" if v.dtype == torch.float32 else "float64")
    found = _function(torch).apply(
        states(mass, n, n),
        states(normal, m, n),
        None if tangent is None else states(tangent, rows, n),
        states(friction, m),
        states(v, n),
        None if restitution is None else states(restitution, m),
        seeds,
        gradients.Request(samples, kinks, tuple(options.items())),
    )
    return found.reshape(*axes, *found.shape[1:]).to(v.dtype)


def _function(torch: Any) -> Any:
    if _FUNCTION:
        return _FUNCTION[0]

    class Sample(torch.autograd.Function):  # type: ignore[misc]
        """Outcomes of states, with the gradients of their samples."""

        @staticmethod
        def forward(ctx: Any, *arguments: Any) -> Any:
            *tensors, seeds, request = arguments
            arrays = tuple(x if x is None else x.detach().cpu().numpy() for x in tensors)
            ctx.arrays, ctx.seeds, ctx.request = arrays, seeds, request
            found = request.outcomes(arrays, seeds).astype(np.float64)
            return torch.from_numpy(found).to(tensors[4].device)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, gradient: Any) -> Any:
            slots: list[Any] = [None] * 8
            for name, place in zip(gradients.VARIABLES, (4, 3, 5), strict=True):
                if ctx.needs_input_grad[place]:
                    jacobian = ctx.request.jacobian(ctx.arrays, ctx.seeds, name)
                    found = gradients.pulled(jacobian, gradient.detach().cpu().numpy())
                    slots[place] = torch.from_numpy(found).to(gradient)
            return tuple(slots)

    _FUNCTION.append(Sample)
    return Sample


def _torch() -> Any:
    try:
        return import_module("torch")
    except ImportError as error:
        raise UsageError(f"PyTorch cannot be imported: {error}", hint="pip install torch") from None
