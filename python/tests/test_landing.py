"""The robot that lands in the examples, its policies, and feedback through its impact."""

import sys
from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")
EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports an example."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    yield import_module
    for name in ("landing_robot", "landing_policies", "invariant_control"):
        sys.modules.pop(name, None)


def test_legs_that_move_in_flight_keep_momentum_and_move_feet_as_told(example: Any) -> None:
    landing = example("landing_robot")
    robot = landing.Robot(0.1)
    twist = np.array([[0.3, 0.1, -1.1, 0.2, 0.4, -0.1]])
    still = robot.velocities(twist, np.zeros((1, 4)), np.zeros((1, 4)))[0]
    forward, up = np.array([[0.5, -0.2, 0.1, 0.0]]), np.array([[0.1, 0.2, -0.3, 0.0]])
    moving = robot.velocities(twist, forward, up)[0]
    momenta = []
    for velocity in (still, moving):
        robot.place(velocity, landing.FLAT)
        mujoco.mj_forward(robot.model, robot.data)
        mujoco.mj_subtreeVel(robot.model, robot.data)
        momenta.append([*robot.data.subtree_linvel[1] * robot.model.body_mass.sum(), *robot.data.subtree_angmom[1]])
    np.testing.assert_allclose(momenta[1], momenta[0], rtol=0, atol=1e-12)
    # The feet relative to the trunk, from the velocities of sites in the world.
    trunk, turn = moving[:3], moving[3:6]
    for i, name in enumerate(landing.LEGS):
        arm = robot.data.site(name).xpos - robot.data.body("trunk").xpos
        relative = robot.data.sensordata[3 * i : 3 * i + 3] - trunk - np.cross(turn, arm)
        np.testing.assert_allclose(relative, [forward[0, i], 0.0, up[0, i]], rtol=0, atol=1e-12)


def test_the_ground_of_each_foot_has_its_height(example: Any) -> None:
    landing = example("landing_robot")
    robot = landing.Robot(0.1)
    falling = np.array([0.0, 0.0, -1.0, *np.zeros(11)])
    gap = np.array([0.0, 0.002, 0.004, 0.006])
    robot.place(falling, landing.Ground(landing.FLAT.softness, landing.FLAT.friction, gap))
    touched: dict[int, float] = {}
    while len(touched) < 4:
        mujoco.mj_step(robot.model, robot.data)
        for contact in robot.data.contact:
            touched.setdefault(int(contact.geom[0]), robot.data.time)
    # Feet fall at 1 m/s until they touch, and a contact is seen after a step of 1 ms; those that have touched turn the
    # trunk, which moves the others by less than a step and a half.
    times = np.array([touched[robot.model.geom(f"ground {name}").id] for name in landing.LEGS])
    np.testing.assert_allclose(times, gap + 0.001, rtol=0, atol=0.0015)


def test_the_cost_model_finds_a_cubic_and_its_minimum(example: Any) -> None:
    policies = example("landing_policies")
    random = np.random.default_rng(3)
    states = random.uniform(policies.LOW, policies.HIGH, (400, 4))
    actions = random.uniform(-policies.REACH, policies.REACH, (400, 4))

    def cost(states: Any, actions: Any) -> Any:
        aim = 0.5 * policies.REACH * (states[:, :1] - 0.5)
        return (((actions - aim) / policies.REACH) ** 2).sum(axis=1) + states[:, 1] ** 3

    model = policies.CostModel(states, actions, cost(states, actions))
    chosen = model.choose(states[:5], 256)
    found = model.features(states, actions) @ model.weights
    # A ridge of 1e-4 beside sums of squares of 400 rows.
    np.testing.assert_allclose(found, cost(states, actions), rtol=0, atol=1e-4)
    aim = 0.5 * policies.REACH * (states[:5, :1] - 0.5)
    # 256 random points of a cube of half width 0.06 in four dimensions come about 0.02 near.
    np.testing.assert_allclose(chosen / policies.REACH, aim / policies.REACH, rtol=0, atol=0.06)


def test_feedback_of_what_no_impulse_changes_does_not_see_impulses(example: Any) -> None:
    control = example("invariant_control")
    problem = control.quadruped(0.1).problem()
    projects = control.projections(problem)
    impulses = np.random.default_rng(4).normal(size=(len(problem.normal) + len(problem.tangent), 20))
    changes = np.linalg.solve(problem.mass, np.vstack([problem.normal, problem.tangent]).T) @ impulses
    assert abs(projects["impulses"] @ changes).max() < 1e-12 * abs(changes).max()
    # The feet are ten rows of rank, as no leg moves sideways by itself.
    assert round(np.trace(projects["impulses"])) == 14 - 10
    for project in projects.values():
        np.testing.assert_allclose(project @ project, project, rtol=0, atol=1e-12)
        np.testing.assert_allclose(problem.mass @ project, (problem.mass @ project).T, rtol=0, atol=1e-12)


@pytest.mark.skipif(util.find_spec("pydrake") is None, reason="Drake is not installed")
def test_drake_has_the_masses_of_mujoco(example: Any) -> None:
    landing = example("landing_robot")
    robot = landing.Robot(0.1)
    drake = landing.Drake(robot, landing.FLAT, np.full(4, 10.0))
    np.testing.assert_allclose(drake.mass(), robot.mass, rtol=0, atol=1e-12)
