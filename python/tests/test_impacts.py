"""Impacts of simulations of MuJoCo: when they are, the velocity before them, and the motion after them."""

from pathlib import Path

import carom
import mujoco
import numpy as np
import pytest
from carom.mujoco import Impact, Impacts

MODELS = Path(__file__).parents[2] / "tests" / "golden" / "models"
G = 9.81

BALL = """
<mujoco>
  <option timestep="{step}" integrator="{integrator}" cone="{cone}"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="ball" pos="0 0 0.6"><freejoint/><geom name="skin" size="0.1" mass="2" condim="{condim}"/></body>
  </worldbody>
</mujoco>
"""

BOX = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="2 2 1"/>
    <body name="box" pos="0 0 {height}" euler="{tilt}">
      <freejoint/><geom name="block" type="box" size="0.3 0.2 0.1" mass="3" friction="0.4"/>
    </body>
  </worldbody>
</mujoco>
"""


def ball(step=0.002, integrator="Euler", cone="pyramidal", condim=3):
    """A ball whose lowest point is 0.5 m above the floor."""
    xml = BALL.format(step=step, integrator=integrator, cone=cone, condim=condim)
    model = mujoco.MjModel.from_xml_string(xml)
    return model, mujoco.MjData(model)


def box(height=0.6, tilt="0 0 0"):
    model = mujoco.MjModel.from_xml_string(BOX.format(height=height, tilt=tilt))
    return model, mujoco.MjData(model)


def robot(file, key, height):
    """A robot whose joints have springs that hold it as in a keyframe, that much above it."""
    model = mujoco.MjModel.from_xml_path(str(MODELS / file))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
    hinges = model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE
    model.jnt_stiffness[hinges], model.qpos_spring[:] = 200, data.qpos
    model.dof_damping[model.jnt_dofadr[hinges]] = 5
    data.qpos[model.jnt_qposadr[0] + (2 if model.jnt_type[0] == 0 else 1)] += height
    data.qvel[:] = 0
    return model, data


def first(outcomes):
    """The first outcome of an impact, in its place."""

    def choose(impact):
        impact.choose(impact.outcomes(4, **outcomes).velocity[0])

    return choose


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast", "RK4"])
@pytest.mark.parametrize("cone, condim", [("pyramidal", 3), ("elliptic", 3), ("pyramidal", 1)])
def test_a_ball_strikes_once_with_the_speed_of_its_fall(integrator, cone, condim):
    for step in (0.004, 0.002, 0.001):
        model, data = ball(step, integrator, cone, condim)
        impacts = []
        for impact in Impacts(model, data, until=1.0):
            impacts.append(impact)
            gap = data.qpos[2] - 0.1
            impact.choose(impact.outcomes(2).velocity[0])
            assert (data.qvel == impact.outcome).all()
        [impact] = impacts
        # Euler's v^2 after a fall by z is 2 g z - g step v, and RK4 is exact; the gap is what v takes in 1/1000 of a step.
        speed = np.sqrt(2 * G * 0.5)
        assert 0 <= gap <= 2e-3 * step * speed
        late = 0 if integrator == "RK4" else 0.5 * G * step
        assert -impact.velocity[2] == pytest.approx(speed - late, abs=0.05 * G * step)
        assert impact.time == pytest.approx((speed - late) / G, abs=0.1 * step)
        assert impact.striking == impact.problem.contacts == ["floor/skin"]
        assert (impact.problem.velocity == impact.velocity).all()
        assert data.time == pytest.approx(1.0, abs=1e-9)


def test_the_soft_contact_does_not_push_a_second_time():
    model, data = ball()
    impacts = Impacts(model, data)
    while not impacts.step(first({})):
        pass
    highest = max(data.qvel[2] for _ in range(100) if impacts.step(first({})) == [])
    # A ball that overlaps by one step's way, as where contacts are first seen, is pushed up at 0.05 m/s.
    assert highest < 0.5 * G * model.opt.timestep
    model, data = ball()
    mujoco.mj_forward(model, data)
    while not data.ncon:
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
    data.qvel[:] = 0
    pushed = []
    for _ in range(100):
        mujoco.mj_step(model, data)
        pushed.append(data.qvel[2])
    assert max(pushed) > 0.05


def test_bounces_are_those_of_the_coefficient():
    model, data = ball()
    speeds = [-impact.velocity[2] for impact in bouncing(model, data, 0.5)]
    assert len(speeds) > 3
    # A bounce's own motion is that of Euler's method, which loses up to g times a step.
    assert np.array(speeds[1:]) == pytest.approx(0.5 * np.array(speeds[:-1]), abs=G * model.opt.timestep)


def bouncing(model, data, restitution):
    for impact in Impacts(model, data, until=1.5, restitution=restitution):
        impact.choose(impact.outcomes(2).velocity[0])
        assert impact.outcome[2] == pytest.approx(-restitution * impact.velocity[2])
        yield impact


def test_a_box_that_falls_flat_strikes_once_with_four_corners():
    model, data = box()
    impacts = []
    for impact in Impacts(model, data, until=3.0):
        # The calmest outcome: in others it rocks from corner to corner, which are impacts of their own.
        outcome = impact.worst(lambda v: -(v**2).sum(axis=1), 256)
        assert (outcome.velocity == impact.outcome).all() and outcome.accepted
        assert abs(outcome.velocity).max() < 0.05
        impacts.append(impact)
    assert [len(impact.striking) for impact in impacts] == [4]
    assert data.qpos[2] == pytest.approx(0.1, abs=1e-3) and abs(data.qvel).max() < 1e-6


def test_the_edge_that_a_box_rests_on_takes_part_when_the_other_one_strikes():
    model, data = box(0.6, "0 20 0")
    rng = np.random.default_rng(3)
    seen = []
    for impact in Impacts(model, data, until=3.0):
        seen.append((len(impact.striking), len(impact.problem.contacts)))
        impact.draw(rng)
    assert seen[:2] == [(2, 2), (2, 4)] and len(seen) < 6
    assert abs(data.qvel).max() < 1e-6


@pytest.mark.parametrize("file, key, feet", [("quadruped.xml", "stand", 6), ("biped.xml", "step", 4)])
def test_a_robot_lands(file, key, feet):
    """Contacts of MuJoCo rise from 0 once; impacts are few, and lose energy."""
    model, data = robot(file, key, 0.05)
    rng = np.random.default_rng(1)
    impacts = []
    for impact in Impacts(model, data, until=1.0):
        impacts.append(impact)
        before = impact.problem.kinetic_energy(impact.problem.velocity)
        outcome = impact.draw(rng)
        assert outcome.kinetic_energy < before
        assert (impact.problem.normal @ data.qvel).min() > -1e-5
        assert impact.striking and set(impact.striking) <= set(impact.problem.contacts)
    assert 1 <= len(impacts) <= 10 and len(impacts[-1].problem.contacts) <= feet
    # Until the first impact nothing but gravity and springs acted.
    model, plain = robot(file, key, 0.05)
    while plain.time + model.opt.timestep < impacts[0].time:
        mujoco.mj_step(model, plain)
    assert impacts[0].velocity == pytest.approx(
        plain.qvel, abs=0.05 * abs(plain.qvel).max() + 2 * G * model.opt.timestep
    )


def test_nothing_strikes_at_rest_and_steps_are_those_of_mujoco():
    for model, data in (box(0.0996), robot("quadruped.xml", "stand", 0)):
        mujoco.mj_step(model, data, 2000)  # what is left of its settling
        plain = mujoco.MjData(model)
        mujoco.mj_copyData(plain, model, data)
        impacts = Impacts(model, data)
        assert impacts.step(lambda impact: None, nstep=1500) == []
        mujoco.mj_step(model, plain, 1500)
        assert data.ncon > 2
        assert (data.qpos == plain.qpos).all() and (data.qvel == plain.qvel).all() and data.time == plain.time


def test_an_impact_for_which_nothing_is_chosen_is_left_to_mujoco():
    model, data = ball()
    left = list(Impacts(model, data, until=1.0))
    assert [impact.outcome for impact in left] == [None]
    plain = ball()[1]
    mujoco.mj_step(model, plain, 500)
    assert data.qpos == pytest.approx(plain.qpos, abs=1e-5)
    # Contacts that are left out are MuJoCo's too.
    model, data = ball()
    assert list(Impacts(model, data, until=1.0, contacts=lambda name: "skin" not in name)) == []


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_limits_strike(jacobian):
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option jacobian="{jacobian}"/><worldbody><body><joint name="slide" type="slide" axis="0 0 1"
        limited="true" range="-0.5 1"/><geom size="0.1" mass="1"/></body></worldbody></mujoco>"""
    )
    for chosen, count in ((None, 1), (["limit/slide"], 1), (["limit/other"], 0)):
        data = mujoco.MjData(model)
        impacts = Impacts(model, data, until=1.0, contacts=chosen)
        found = [impact for impact in impacts if impact.draw(np.random.default_rng(1))]
        assert len(found) == count
        for impact in found:
            assert impact.striking == ["limit/slide"]
            assert -impact.velocity[0] == pytest.approx(np.sqrt(G), abs=G * model.opt.timestep)
            assert impact.outcome == pytest.approx([0], abs=1e-6)


def test_contacts_strike_together_within_the_gap():
    xml = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>{}</worldbody></mujoco>"""
    one = """<body pos="{} 0 {}"><joint type="slide" axis="0 0 1"/><geom name="g{}" size="0.1" mass="1"/></body>"""
    for gap, striking in ((5e-4, [["floor/g0"], ["floor/g1"]]), (5e-3, [["floor/g0", "floor/g1"]])):
        bodies = "".join(one.format(x, 0.3 + 2e-3 * x, x) for x in (0, 1))
        model = mujoco.MjModel.from_xml_string(xml.format(bodies))
        margins = model.geom_margin.copy()
        data, seen = mujoco.MjData(model), []
        for impact in Impacts(model, data, until=0.21, gap=gap):
            seen.append(impact.striking)
            impact.draw(np.random.default_rng(1))
        assert seen == striking
        assert (model.geom_margin == margins).all() and model.opt.timestep == 0.002


def test_the_worst_outcome_is_chosen():
    model, data = box(0.6, "0 20 0")
    [impact] = Impacts(model, data).step(lambda impact: impact.worst(lambda v: v[:, 0] + v[:, 1], 64, seed=2), 150)
    costs = impact.outcomes(64, seed=2).velocity[:, :2].sum(axis=1)
    assert impact.outcome[:2].sum() == costs.max() > costs.min() + 0.01


def test_what_cannot_be_is_refused():
    model, data = ball()
    for bad in ({"threshold": -1}, {"gap": np.nan}, {"until": np.nan}, {"gap": np.inf}):
        with pytest.raises(carom.UsageError, match=next(iter(bad))):
            Impacts(model, data, **bad)
    with pytest.raises(carom.InputError, match="expected mujoco.MjData, found MjModel"):
        Impacts(model, model)
    with pytest.raises(carom.InputError, match="another model"):
        Impacts(robot("biped.xml", "step", 0)[0], data)
    impacts = iter(Impacts(model, data, until=1.0))
    impact = next(impacts)
    assert isinstance(impact, Impact) and repr(impact) == f"Impact(at {data.time:.6g} s: floor/skin)"
    with pytest.raises(carom.InputError, match="floor/skin approaches at 3.12 m/s"):
        impact.choose(impact.velocity)
    with pytest.raises(carom.InputError, match="shape"):
        impact.choose(np.zeros(5))
    with pytest.raises(carom.UsageError, match="Generator"):
        impact.draw(1)
    impact.choose(np.zeros(6))
    assert list(impacts) == []
    with pytest.raises(carom.UsageError, match="moved on"):
        impact.choose(np.zeros(6))
