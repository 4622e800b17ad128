"""Environments of Gymnasium in which impacts have outcomes of rigid contacts."""

import importlib
import sys

import carom
import carom.gymnasium
import gymnasium
import numpy as np
import pytest


def hopper(**options):
    return carom.gymnasium.Wrapper(gymnasium.make("Hopper-v5"), **options)


def run(env, steps=60, seed=1):
    """Observations and impacts of an episode with random actions."""
    env.action_space.seed(seed)
    observations, impacts = [env.reset(seed=seed)[0]], []
    for _ in range(steps):
        observation, _, terminated, truncated, info = env.step(env.action_space.sample())
        observations.append(observation)
        impacts += info.get("impacts", [])
        if terminated or truncated:
            break
    return np.array(observations), impacts


def test_impacts_have_outcomes_that_are_drawn_by_the_seed():
    env = hopper()
    observations, impacts = run(env)
    assert len(impacts) >= 2
    # A step of the environment takes its own time, whatever strikes in it.
    inner = env.unwrapped
    assert inner.data.time == pytest.approx((len(observations) - 1) * inner.dt, abs=1e-9)
    for impact in impacts:
        assert impact.outcome is not None and impact.striking
        assert (impact.problem.normal @ impact.outcome).min() > -1e-5
        before = impact.problem.kinetic_energy(impact.problem.velocity)
        assert impact.problem.kinetic_energy(impact.outcome) < before
    assert (run(hopper())[0] == observations).all()
    soft = run(gymnasium.make("Hopper-v5"))[0]
    same = min(len(soft), len(observations))
    assert abs(soft[:same] - observations[:same]).max() > 0.01


def test_without_impacts_the_motion_is_that_of_the_environment():
    soft = run(gymnasium.make("Hopper-v5"))[0]
    observations, impacts = run(hopper(threshold=1e9))
    assert impacts == [] and (observations == soft).all()


def test_the_outcome_of_the_largest_cost_is_taken():
    def turn(velocity):
        return velocity[:, 4]

    for options in ({"cost": turn}, {"cost": "leg_joint"}, {"choose": lambda impact: impact.worst(turn, 64)}):
        impacts = run(carom.gymnasium.Wrapper(gymnasium.make("Walker2d-v5"), **options), 10)[1]
        assert impacts[0].problem.coordinates[4] == "leg_joint"
        spread = []
        for impact in impacts:
            costs = turn(impact.outcomes(64, seed=9).velocity)
            spread.append(np.ptp(costs))
            assert impact.outcome[4] >= np.quantile(costs, 0.9) - 1e-9
        assert max(spread) > 0.1


def test_what_cannot_be_wrapped_is_refused(monkeypatch):
    with pytest.raises(carom.UsageError, match="expected an environment of MuJoCo, found CartPoleEnv"):
        carom.gymnasium.Wrapper(gymnasium.make("CartPole-v1"))
    with pytest.raises(carom.UsageError, match="either a cost or a function"):
        hopper(cost="rooty", choose=lambda impact: None)
    with pytest.raises(carom.UsageError, match="samples"):
        hopper(samples=0)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(carom.UsageError, match=r"pip install 'gymnasium\[mujoco\]'"):
        importlib.reload(carom.gymnasium)
