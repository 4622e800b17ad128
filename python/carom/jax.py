"""Differentiable samples in JAX."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from carom import gradients
from carom.errors import UsageError


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

    It works under ``jit``, ``vmap``, ``grad``, ``vjp``, ``jvp`` and ``jacobian``; the samples come
    from a callback on the host. The result has the type of ``velocity``; float32 is computed as
    such. A sample that is not accepted is NaN: ``jax.numpy.nan_to_num``, ``nanmean`` or a mask
    leave it out.

    Args:
        mass: M (..,n,n).
        normal: Jn (..,m,n).
        tangent: Jt (..,d m,n), or None without friction.
        friction: mu (..,m), or one number.
        velocity: v (..,n).
        restitution: e (..,m), or one number; None leaves the law its default.
        samples: of each state, N.
        seed: one, from which each state gets one by its number, or one for each state (..). It may
            be traced: ``jax.random.randint(key, (B,), 0, 2**31 - 1)``. Under ``vmap`` give each
            state its own, or all get the same draws.
        kinks: what the derivative of a sample is that has none, as contacts at rest may strike or
            not: ``"branch"``, that of a branch that the sample may take, and 0 where there is none
            either; or ``"nan"``, which a mask of outcomes does not keep out of gradients.
        options: ``device``, ``precision``, ``law`` as of ``carom.sample_batch``. The device is that
            of the computation of carom, ``"cpu"`` or ``"gpu"``.

    Raises:
        UsageError: JAX cannot be imported.
    """
    jax = _jax()
    numpy = jax.numpy
    v = numpy.asarray(velocity)
    if not numpy.issubdtype(v.dtype, numpy.floating):
        v = v.astype(numpy.zeros(()).dtype)
    axes, count = gradients.leading(v)
    m, n = numpy.shape(normal)[-2], v.shape[-1]
    rows = 0 if tangent is None else numpy.shape(tangent)[-2]

    def states(given: Any, *shape: int) -> Any:
        """One entry for each state; axes that are left out are shared."""
        array = numpy.asarray(given, dtype=v.dtype)
        return numpy.broadcast_to(array, (*axes, *shape)).reshape(count, *shape)

    options.setdefault("precision", "float32" if v.dtype == numpy.float32 else "float64")
    shared = bool(axes) and numpy.ndim(seed) == 0
    words = _words(jax, seed, axes, count)
    found = _differentiable(jax)(
        gradients.Request(samples, kinks, tuple(sorted(options.items()))),
        (tangent is not None, restitution is not None, shared),
        states(mass, n, n),
        states(normal, m, n),
        numpy.zeros((count, 0, n), v.dtype) if tangent is None else states(tangent, rows, n),
        states(friction, m),
        states(v, n),
        numpy.zeros((count, m), v.dtype) if restitution is None else states(restitution, m),
        words,
    )
    return found.reshape(*axes, *found.shape[1:])


def _words(jax: Any, seeds: Any, axes: tuple[int, ...], count: int) -> Any:
    """Seeds as two words of 32 bits (B,2), the low one first: JAX has no 64 bits by default."""
    numpy = jax.numpy
    if not isinstance(seeds, jax.core.Tracer):
        given = gradients.own_seeds(np.broadcast_to(seeds, axes), count)
        low, high = given & np.uint64(0xFFFFFFFF), given >> np.uint64(32)
        return numpy.asarray(np.stack([low, high], axis=-1).astype(np.uint32))
    traced = numpy.broadcast_to(numpy.asarray(seeds), axes).reshape(count)
    low = traced.astype(numpy.uint32)
    high = (traced >> 32).astype(numpy.uint32) if traced.dtype.itemsize == 8 else numpy.zeros_like(low)
    return numpy.stack([low, high], axis=-1)


def _differentiable(jax: Any) -> Any:
    """Outcomes (B,N,n) of states, with their derivatives."""

    @partial(jax.custom_jvp, nondiff_argnums=(0, 1))
    def outcomes(request: gradients.Request, present: Any, *arrays: Any) -> Any:
        return _called(jax, request, present, arrays, None)

    def rule(request: gradients.Request, present: Any, arrays: Any, tangents: Any) -> Any:
        found = outcomes(request, present, *arrays)
        total = jax.numpy.zeros_like(found)
        for name, place in zip(gradients.VARIABLES, (4, 3, 5), strict=True):
            change = tangents[place]
            if not isinstance(change, jax.custom_derivatives.SymbolicZero):
                jacobian = _called(jax, request, present, arrays, name)
                total = total + jax.numpy.einsum("bnap,bp->bna", jacobian, change)
        return found, total

    outcomes.defjvp(rule, symbolic_zeros=True)
    return outcomes


def _called(jax: Any, request: gradients.Request, present: Any, arrays: Any, wrt: str | None) -> Any:
    """The outcomes (B,N,n), or their derivatives (B,N,n,p) by a variable, from the host."""
    velocity = arrays[4]
    n = velocity.shape[1]
    tail = (request.samples, n) if wrt is None else (request.samples, n, n if wrt == "velocity" else arrays[3].shape[1])
    shape = jax.ShapeDtypeStruct((velocity.shape[0], *tail), velocity.dtype)

    def host(*arrays: Any) -> Any:
        axes = arrays[4].shape[:-1]  # with those of vmap
        flat = [np.asarray(array).reshape(-1, *array.shape[len(axes) :]) for array in arrays]
        every: Any = (flat[i] if i not in (2, 5) or present[int(i == 5)] else None for i in range(7))
        *rows, words = every
        low, high = words[:, 0].astype(np.uint64), words[:, 1].astype(np.uint64)
        seeds = low | ((high & np.uint64(0x7FFFFFFF)) << np.uint64(32))
        if present[2]:
            seeds = np.concatenate([gradients.seeds_of(one, axes[-1]) for one in seeds[:: axes[-1]]])
        found = request.outcomes(tuple(rows), seeds) if wrt is None else request.jacobian(tuple(rows), seeds, wrt)
        return np.asarray(found, dtype=velocity.dtype).reshape(*axes, *tail)

    return jax.pure_callback(host, shape, *arrays, vmap_method="broadcast_all")


def _jax() -> Any:
    try:
        jax = import_module("jax")
        import_module("jax.numpy")
        import_module("jax.custom_derivatives")
    except ImportError as error:
        raise UsageError(f"JAX cannot be imported: {error}", hint="pip install jax") from None
    return jax
