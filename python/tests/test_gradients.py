"""Samples in PyTorch and JAX: values, gradients, batches, masks. What is not installed is skipped."""

from __future__ import annotations

import importlib.util
from typing import Any

import carom
import numpy as np
import pytest

BLOCK = carom.scene("rocking-block")
STATES = (BLOCK.mass, BLOCK.normal, BLOCK.tangent)
BEFORE = BLOCK.velocity + np.random.default_rng(1).uniform(-0.2, 0.2, (4, 3))
OPTIONS: dict[str, Any] = {"samples": 16, "seed": 3, "device": "cpu"}

INSTALLED = [name for name in ("torch", "jax") if importlib.util.find_spec(name)]
MISSING = [name for name in ("torch", "jax") if name not in INSTALLED]


@pytest.mark.parametrize("name", MISSING)
def test_without_the_library_the_error_says_what_to_install(name: str) -> None:
    module = importlib.import_module(f"carom.{name}")
    with pytest.raises(carom.UsageError, match=f"pip install {name}"):
        module.sample(*STATES, 0.7, BEFORE, samples=4)


def losses(before: Any, friction: Any = 0.7, restitution: Any = None) -> Any:
    """The sum of squares of the outcomes by NumPy, for differences."""
    out = carom.sample_batch(*STATES, friction, before, restitution=restitution, **OPTIONS)
    return np.where(out.accepted[..., None], out.velocity, 0.0).__pow__(2).sum()


def differences(function: Any, at: Any, h: float = 1e-6) -> Any:
    found = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[place] = h
        found[place] = (function(at + step) - function(at - step)) / (2 * h)
    return found


FRICTION = np.full((4, 2), 0.7) + np.arange(8).reshape(4, 2) / 50
RESTITUTION = np.full((4, 2), 0.3) + np.arange(8).reshape(4, 2) / 40


def test_torch_has_values_and_gradients() -> None:
    torch = pytest.importorskip("torch")
    import carom.torch

    v = torch.tensor(BEFORE, requires_grad=True)
    mu, e = torch.tensor(FRICTION, requires_grad=True), torch.tensor(RESTITUTION, requires_grad=True)
    out = carom.torch.sample(*STATES, mu, v, restitution=e, **OPTIONS)
    expected = carom.sample_batch(*STATES, FRICTION, BEFORE, restitution=RESTITUTION, **OPTIONS)
    assert out.shape == (4, 16, 3) and np.array_equal(out.detach().numpy(), expected.velocity)
    (out**2).sum().backward()
    for name, tensor, numbers in (("v", v, BEFORE), ("mu", mu, FRICTION), ("e", e, RESTITUTION)):
        given = {"v": BEFORE, "mu": FRICTION, "e": RESTITUTION}
        measured = differences(lambda x: losses(*({**given, name: x}).values()), numbers)  # noqa: B023
        assert np.allclose(tensor.grad.numpy(), measured, rtol=1e-5, atol=1e-5), name


def test_torch_keeps_types_axes_and_masks() -> None:
    torch = pytest.importorskip("torch")
    import carom.torch

    v = torch.tensor(BEFORE.reshape(2, 2, 3), dtype=torch.float32, requires_grad=True)
    out = carom.torch.sample(*STATES, 0.7, v, **OPTIONS)
    assert out.shape == (2, 2, 16, 3) and out.dtype == torch.float32
    out.sum().backward()
    assert v.grad.shape == v.shape and v.grad.dtype == torch.float32 and torch.isfinite(v.grad).all()
    one = carom.torch.sample(*STATES, 0.7, torch.tensor(BEFORE[0]), samples=5, seed=7)
    assert one.shape == (5, 3)
    # Samples that stop at a limit are no outcomes: they are masked, and add nothing to gradients.
    law = carom.Routh(process="steps", step=0.2, max_steps=3)
    v = torch.tensor(BEFORE, requires_grad=True)
    cut = carom.torch.sample(*STATES, 0.7, v, law=law, **OPTIONS)
    ended = ~torch.isnan(cut).any(dim=-1)
    assert 0 < ended.sum() < 64
    cut[ended].sum().backward()
    assert torch.isfinite(v.grad).all() and (v.grad != 0).any()
    with pytest.raises(carom.UsageError, match="law are options"):
        carom.torch.sample(*STATES, 0.7, v, samples=4, sampler="sobol")


def test_jax_has_values_and_gradients() -> None:
    jax = pytest.importorskip("jax")
    import carom.jax

    jax.config.update("jax_enable_x64", True)
    try:
        def loss(v: Any, mu: Any, e: Any) -> Any:
            return (carom.jax.sample(*STATES, mu, v, restitution=e, **OPTIONS) ** 2).sum()

        given = (BEFORE, FRICTION, RESTITUTION)
        out = jax.jit(lambda v: carom.jax.sample(*STATES, FRICTION, v, restitution=RESTITUTION, **OPTIONS))(BEFORE)
        expected = carom.sample_batch(*STATES, FRICTION, BEFORE, restitution=RESTITUTION, **OPTIONS)
        assert out.dtype == np.float64 and np.array_equal(out, expected.velocity)
        found = jax.jit(jax.grad(loss, argnums=(0, 1, 2)))(*given)
        for i, gradient in enumerate(found):
            measured = differences(lambda x: losses(*given[:i], x, *given[i + 1 :]), given[i])  # noqa: B023
            assert np.allclose(gradient, measured, rtol=1e-5, atol=1e-5), i
        ahead = jax.jvp(lambda v: loss(v, *given[1:]), (BEFORE,), (np.ones_like(BEFORE),))[1]
        assert np.allclose(ahead, np.sum(found[0]), rtol=1e-10)
    finally:
        jax.config.update("jax_enable_x64", False)


def test_jax_leaves_out_what_is_not_accepted() -> None:
    jax = pytest.importorskip("jax")
    import carom.jax

    law = carom.Routh(process="steps", step=0.2, max_steps=3)

    def loss(v: Any) -> Any:
        out = carom.jax.sample(*STATES, 0.7, v, law=law, **OPTIONS)
        return jax.numpy.nan_to_num(out).sum()

    out = carom.jax.sample(*STATES, 0.7, BEFORE, law=law, **OPTIONS)
    ended = ~np.isnan(out).any(axis=-1)
    assert 0 < ended.sum() < 64
    gradient = jax.grad(loss)(BEFORE.astype(np.float32))
    assert np.isfinite(gradient).all() and (gradient != 0).any()


def test_jax_maps_over_states() -> None:
    jax = pytest.importorskip("jax")
    import carom.jax

    seeds = np.array([5, 6, 7, 8])

    def one(v: Any, seed: Any) -> Any:
        return carom.jax.sample(*STATES, 0.7, v, samples=8, seed=seed, device="cpu")

    before = BEFORE.astype(np.float32)
    mapped = jax.jit(jax.vmap(one))(before, seeds)
    whole = carom.jax.sample(*STATES, 0.7, before, samples=8, seed=seeds, device="cpu")
    assert mapped.shape == (4, 8, 3) and mapped.dtype == np.float32 and np.allclose(mapped, whole, atol=1e-6)
    gradients = jax.vmap(jax.grad(lambda v, seed: one(v, seed)[:, 2].sum()))(before, seeds)
    assert gradients.shape == (4, 3) and np.isfinite(gradients).all()
    jacobian = jax.jacobian(lambda v: one(v, 5))(before[0])
    expected = carom.sample(BLOCK.with_velocity(before[0]), 8, seed=5, device="cpu")
    assert jacobian.shape == (8, 3, 3)
    friction = carom.ContactProblem(*STATES, 0.7, before[0])
    expected = carom.sample(friction, 8, seed=5, device="cpu")
    assert np.allclose(jacobian, expected.jacobian(kinks="branch"), atol=1e-4)
