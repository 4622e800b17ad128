"""Contact problems from MuJoCo against closed forms, finite differences of its geometry, and imported scenes."""

import subprocess
import sys
import warnings
from pathlib import Path

import mujoco
import numpy as np
import pytest

import carom

MODELS = Path(__file__).parents[2] / "tests" / "golden" / "models"

SPHERE = """
<mujoco model="ball">
  <option {option}/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" margin="1e-6" condim="1" {geom}/>
    <body name="ball" pos="0 0 0.1">
      <freejoint/><geom name="skin" type="sphere" size="0.1" mass="2" condim="1" {geom}/>
    </body>
  </worldbody>
</mujoco>
"""

BOX = """
<mujoco model="box">
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" margin="1e-9"/>
    <body name="box"><freejoint/><geom name="block" type="box" size="0.3 0.2 0.1" mass="3" friction="0.4"/></body>
  </worldbody>
</mujoco>
"""

# Each leg ends in a bar across. The hips turn against each other; a lever at the torso holds the left shank.
WALKER = """
<mujoco model="walker">
  <option jacobian="{jacobian}"/>
  <default><joint axis="0 1 0" armature="0.01"/><geom density="500" contype="0" conaffinity="0"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" margin="1e-6" friction="0.7" contype="1"/>
    <body name="torso">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/><joint name="tilt"/>
      <geom type="box" size="0.1 0.1 0.2" pos="0 0 0.2"/>
      <body name="left thigh" pos="0 0.1 0">
        <joint name="left hip"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
        <body name="left shank" pos="0 0 -0.4">
          <joint name="left knee"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02"/>
          <geom name="left" type="capsule" fromto="0 -0.05 -0.4 0 0.05 -0.4" size="0.02" conaffinity="1"/>
        </body>
      </body>
      <body name="right thigh" pos="0 -0.1 0">
        <joint name="right hip"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
        <body name="right shank" pos="0 0 -0.4">
          <joint name="right knee"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02"/>
          <geom name="right" type="capsule" fromto="0 -0.05 -0.4 0 0.05 -0.4" size="0.02" conaffinity="1"/>
        </body>
      </body>
      <body name="lever" pos="0.3 0.1 -0.5">
        <joint name="lever"/><geom type="capsule" fromto="0 0 0 -0.3 0 0" size="0.01"/>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint name="hips" joint1="left hip" joint2="right hip" polycoef="0 -1 0 0 0"/>
    <connect name="loop" body1="lever" body2="left shank" anchor="-0.3 0 0"/>
  </equality>
</mujoco>
"""

LEG = """
<body name="{name} thigh" pos="{x} {y} 0">
  <joint name="{name} hip" axis="1 0 0"/><joint name="{name} pitch" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" contype="0" conaffinity="0"/>
  <body name="{name} shank" pos="0 0 -0.2">
    <joint name="{name} knee" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" contype="0" conaffinity="0"/>
    <geom name="{name}" type="sphere" pos="0 0 -0.2" size="0.02"/>
  </body>
</body>
"""
LEGS = {"fl": (0.2, 0.1), "fr": (0.2, -0.1), "hl": (-0.2, 0.1), "hr": (-0.2, -0.1)}
QUADRUPED = f"""
<mujoco model="quadruped">
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1" margin="1e-6"/>
    <body name="trunk">
      <freejoint/><geom type="box" size="0.25 0.1 0.05" mass="8" pos="0.02 0 0" contype="0" conaffinity="0"/>
      {"".join(LEG.format(name=name, x=x, y=y) for name, (x, y) in LEGS.items())}
    </body>
  </worldbody>
</mujoco>
"""

# A ball strikes a body on a ball joint: both move, and the one that comes first in the file is hit.
PENDULUM = """
<mujoco>
  <option gravity="0 0 0"/>
  <worldbody>
    <body name="bob" pos="0 0 1">
      <joint name="pivot" type="ball"/><geom name="bob" type="sphere" pos="0.1 0.2 -0.5" size="0.1" mass="2"/>
    </body>
    <body name="shot" pos="0.28 0.2 0.5"><freejoint/><geom name="shot" type="sphere" size="0.08" margin="1e-6"/></body>
  </worldbody>
</mujoco>
"""


def state(xml, position=None, velocity=None):
    """A model and a state of it."""
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    if position is not None:
        data.qpos[:] = position
    if velocity is not None:
        data.qvel[:] = velocity
    mujoco.mj_forward(model, data)
    return model, data


def box():
    """The box of half lengths 0.3, 0.2 and 0.1 m, tilted by 30 degrees about y; its edge along y touches."""
    tilt = np.pi / 6
    height = 0.3 * np.sin(tilt) + 0.1 * np.cos(tilt)
    position = [0, 0, height, np.cos(tilt / 2), 0, np.sin(tilt / 2), 0]
    return state(BOX, position, [0.4, 0.1, -1, 0.3, 0.2, -0.1])


def walker(jacobian="auto"):
    """The walker with both feet on the floor, at a velocity that keeps its constraints to about 1e-3."""
    position = [0.2, 0.8 * np.cos(0.3) + 0.02, 0, 0.3, 0, -0.3, 0, 0.2]
    model, data = state(WALKER.format(jacobian=jacobian), position)
    rows = loops(model, data)
    velocity = np.array([0.5, -0.8, 0.2, 1, 0.4, 0.6, -0.7, 0.3])
    data.qvel[:] = velocity - np.linalg.pinv(rows) @ rows @ velocity + 1e-4
    mujoco.mj_forward(model, data)
    return model, data


def moved(model, data, unit, measure, h=1e-6):
    """The derivative of a measure of the state along the direction unit (nv) of velocities."""
    found = []
    for sign in (1, -1):
        there = mujoco.MjData(model)
        there.qpos[:] = data.qpos
        mujoco.mj_integratePos(model, there.qpos, np.asarray(unit, dtype=float), sign * h)
        mujoco.mj_fwdPosition(model, there)
        found.append(np.array(measure(there)))
    return (found[0] - found[1]) / (2 * h)


def derivative(model, data, measure):
    """The derivatives (k,nv) of a measure (k) of the state."""
    return np.stack([moved(model, data, unit, measure) for unit in np.eye(model.nv)], axis=1)


def loops(model, data):
    """The walker's constraints (4,nv) from its geometry: the sum of the hips' angles, the lever's end at the shank."""

    def measure(there):
        def point(body, local):
            return there.body(body).xpos + there.body(body).xmat.reshape(3, 3) @ local

        # In the initial position the lever's end lies 0.1 m below the left knee.
        gap = point("lever", [-0.3, 0, 0]) - point("left shank", [0, 0, -0.1])
        return [there.joint("left hip").qpos[0] + there.joint("right hip").qpos[0], *gap]

    return derivative(model, data, measure)


def quadruped():
    """A quadruped on a front and a hind foot, turned in space."""
    model, data = state(QUADRUPED)
    attitude = np.zeros(4)
    mujoco.mju_euler2Quat(attitude, [0, 0, 0.5], "xyz")
    joints = {"fl": (0.1, 0.7, -1.4), "hr": (0.1, 0.7, -1.4), "fr": (0, 1, -2), "hl": (0, 1, -2)}
    data.qpos[:] = [0.3, -0.1, 1, *attitude, *(q for name in LEGS for q in joints[name])]
    mujoco.mj_forward(model, data)
    data.qpos[2] -= min(data.geom(name).xpos[2] for name in LEGS) - 0.02
    data.qvel[:] = np.random.default_rng(1).normal(size=model.nv)
    data.qvel[2] -= 2
    mujoco.mj_forward(model, data)
    return model, data


def pendulum():
    """A ball that comes from the side."""
    return state(PENDULUM, velocity=[0.1, 0.2, 0.3, -1, 0.1, 0, 0.5, 0, 2])


def kinetic_energy(model, data, velocity):
    """Kinetic energy of bodies and armatures, from differences of poses."""
    energy = 0.5 * model.dof_armature @ velocity**2
    speeds = moved(model, data, velocity, lambda there: there.xipos)
    turns = moved(model, data, velocity, lambda there: there.ximat).reshape(-1, 3, 3)
    for body in range(1, model.nbody):
        frame = data.ximat[body].reshape(3, 3)
        spin = frame.T @ turns[body]
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        energy += 0.5 * model.body_mass[body] * speeds[body] @ speeds[body] + 0.5 * model.body_inertia[body] @ omega**2
    return energy


def gaps(data, there):
    """The distances of the contacts of `data`, found again in another state by geoms and place."""
    found = []
    for contact in data.contact:
        same = [other for other in there.contact if list(other.geom) == list(contact.geom)]
        found.append(min(same, key=lambda other: np.linalg.norm(other.pos - contact.pos)).dist)
    return found


def drift(model, data, there):
    """How far the material point of the second body has moved past that of the first, in the frame of each contact."""

    def point(geom, place):
        body = model.geom_bodyid[geom]
        local = data.xmat[body].reshape(3, 3).T @ (place - data.xpos[body])
        return there.xpos[body] + there.xmat[body].reshape(3, 3) @ local

    return [
        contact.frame.reshape(3, 3) @ (point(contact.geom[1], contact.pos) - point(contact.geom[0], contact.pos))
        for contact in data.contact
    ]


@pytest.mark.parametrize("make, contacts", [(box, 2), (quadruped, 2), (pendulum, 1), (walker, 4)])
def test_mass_and_rows_are_those_of_the_geometry(make, contacts):
    model, data = make()
    problem = carom.from_mujoco(model, data)
    assert len(problem.contacts) == contacts == data.ncon
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    assert abs(problem.mass - full).max() < 1e-12
    velocity = np.array(data.qvel)
    assert problem.kinetic_energy(velocity) == pytest.approx(kinetic_energy(model, data, velocity), rel=1e-7)

    # Constraints change the rows, but not what they say of a velocity that keeps them.
    if make is not walker:
        assert (problem.velocity == velocity).all()
    model.geom_margin[:] = 1e-3  # keeps contacts while bodies move apart
    closing = moved(model, data, problem.velocity, lambda there: gaps(data, there))
    assert problem.normal @ problem.velocity == pytest.approx(closing, abs=1e-6)
    sliding = moved(model, data, problem.velocity, lambda there: drift(model, data, there))
    assert problem.normal @ problem.velocity == pytest.approx(sliding[:, 0], abs=1e-7)
    d = len(problem.tangent) // contacts  # 1 for the walker, which moves in a plane
    assert d == (1 if make is walker else 2)
    across = sliding[:, 1:]
    if d == 1:
        across = across[range(contacts), abs(across).argmax(axis=1)]
    assert problem.tangent @ problem.velocity == pytest.approx(across.ravel(), abs=1e-7)


def test_a_box_on_its_edge_has_the_effective_mass_of_the_closed_form():
    problem = carom.from_mujoco(*box())
    m, (a, b, c), tilt = 3, (0.3, 0.2, 0.1), np.pi / 6
    turn = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    inertia = turn @ np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) @ turn.T * m / 3
    corners = [turn @ [a, side * b, -c] for side in (1, -1)]
    arms = [np.cross(corner, [0, 0, 1]) for corner in corners]
    expected = np.array([[1 / m + p @ np.linalg.solve(inertia, q) for q in arms] for p in arms])
    # Which corner comes first: its normal row has the torque about the box's x axis.
    order = [0, 1] if problem.normal[0, 3] * (turn.T @ arms[0])[0] > 0 else [1, 0]
    assert problem.delassus[:2, :2] == pytest.approx(expected[np.ix_(order, order)], rel=1e-9)
    assert problem.friction.tolist() == [1, 1]  # of both geoms the larger one
    assert problem.contacts == ["floor/block", "floor/block#2"]
    assert problem.coordinates == ["box.x", "box.y", "box.z", "box.rx", "box.ry", "box.rz"]
    assert problem.name == "box"


@pytest.mark.parametrize("make", [box, quadruped, walker])
def test_samples_balance_momentum_and_leave_the_floor(make):
    problem = carom.from_mujoco(*make())
    out = carom.sample(problem, samples=256, seed=3, device="cpu")
    assert out.accepted.all()
    change = (out.velocity - problem.velocity) @ problem.mass
    impulse = out.impulse @ np.vstack([problem.normal, problem.tangent])
    assert abs(change - impulse).max() < 1e-9 * abs(change).max()
    assert (out.velocity @ problem.normal.T).min() > -1e-5


@pytest.mark.filterwarnings("error", "ignore:.* repeats contact")
@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_equality_constraints_hold_after_the_impact(jacobian):
    model, data = walker(jacobian)
    assert mujoco.mj_isSparse(model) == (jacobian == "sparse")
    problem = carom.from_mujoco(model, data)
    rows = loops(model, data)
    out = carom.sample(problem, samples=64, device="cpu")
    assert abs(out.velocity @ rows.T).max() < 1e-7 * abs(out.velocity).max()
    # The nearest velocity: what was taken away is M^-1 times a force of the constraints.
    force = problem.mass @ (problem.velocity - data.qvel)
    assert abs(force).max() > 1e-6
    assert rows.T @ np.linalg.lstsq(rows.T, force)[0] == pytest.approx(force, abs=1e-9)
    data.eq_active[:] = 0
    free = carom.sample(carom.from_mujoco(model, data), samples=64, device="cpu")
    assert abs(free.velocity @ rows.T).max() > 0.1


@pytest.mark.parametrize(
    "kind", ["<weld body1='left shank' body2='right shank'/>", "<tendon tendon1='rope' tendon2='other'/>"]
)
def test_welds_and_tendons_hold(kind):
    tendons = "".join(
        f"<fixed name='{name}'><joint joint='{side} hip' coef='1'/><joint joint='{side} knee' coef='2'/></fixed>"
        for name, side in (("rope", "left"), ("other", "right"))
    )
    head, rest = WALKER.format(jacobian="auto").split("<equality>")
    xml = f"{head}<tendon>{tendons}</tendon><equality>{kind}{rest[rest.index('</equality>') :]}"
    model, data = state(xml, [0, 0.82, 0, 0, 0, 0, 0, 0], [0.3, -1, 0, 1, 0, -1, 0, 0])
    with pytest.warns(carom.MujocoWarning, match="equality constraints"):
        problem = carom.from_mujoco(model, data)
    v = carom.sample(problem, samples=64, device="cpu").velocity
    left, right = v[:, 3:5], v[:, 5:7]
    held = left - right if "weld" in kind else (left - right) @ [[1], [2]]
    assert abs(held).max() < 1e-9
    assert abs(left).max() > 0.01


@pytest.mark.parametrize("condim", [1, 3, 4, 6])
@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_a_ball_slides_sticks_or_bounces_as_it_should(condim, cone):
    xml = SPHERE.format(option=f'cone="{cone}"', geom='friction="0.1 0.01 0.01"').replace(
        'condim="1"', f'condim="{condim}"'
    )
    model, data = state(xml, velocity=[0.6, 0.8, -1, 0, 0, 0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        problem = carom.from_mujoco(model, data)
    assert [str(w.message).split(" at ")[-1] for w in caught] == (["floor/skin"] if condim > 3 else [])
    mu = 0.1 if condim > 1 else 0
    assert problem.friction.tolist() == [mu]
    out = carom.sample(problem, samples=8, device="cpu")
    # The floor takes the normal momentum 2 kg m/s, and mu times as much along the sliding of 1 m/s.
    spin = 2 * mu * 0.1 / (0.4 * 2 * 0.1**2)
    expected = [0.6 * (1 - mu), 0.8 * (1 - mu), 0, -0.8 * spin, 0.6 * spin, 0]
    assert out.velocity == pytest.approx(np.tile(expected, (8, 1)), abs=1e-4)


def test_restitution_is_given():
    model, data = state(SPHERE.format(option="", geom=""), velocity=[0, 0, -1, 0, 0, 0])
    for given in (0.25, [0.25]):
        problem = carom.from_mujoco(model, data, restitution=given)
        assert carom.sample(problem, samples=2, device="cpu").velocity[:, 2] == pytest.approx(0.25)
    with pytest.raises(carom.InputError, match="restitution"):
        carom.from_mujoco(model, data, restitution=[0.25, 0.5])


def test_both_cones_give_the_same_problem():
    made = [
        carom.from_mujoco(*state(SPHERE.format(option=f'cone="{cone}"', geom="").replace('condim="1"', "")))
        for cone in ("elliptic", "pyramidal")
    ]
    assert made[0].to_json() == made[1].to_json()


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_limits_are_contacts_without_friction(jacobian):
    slides = "<joint name='low' type='slide' axis='1 0 0' limited='true' range='{}'/>"
    turns = "<joint name='cone' type='ball' limited='true' range='0 0.5'/>"
    body = f"<body>{slides}{turns}<geom size='0.1' mass='1'/></body>"
    xml = f"<mujoco><option jacobian='{jacobian}'/><worldbody>{body}</worldbody></mujoco>"
    half = 0.6 / 2
    for span, side in (("0.1 1", 1), ("-1 -0.1", -1)):
        model, data = state(xml.format(span), [0, np.cos(half), 0, np.sin(half), 0], [-side, 0.2, 3, 0.1])
        problem = carom.from_mujoco(model, data)
        assert problem.contacts == ["limit/low", "limit/cone"] and problem.coordinates[0] == "low"
        assert problem.normal == pytest.approx(np.array([[side, 0, 0, 0], [0, 0, -1, 0]]))
        v = carom.sample(problem, samples=4, restitution=0.5, device="cpu").velocity
        assert v == pytest.approx(np.tile([side / 2, 0.2, -1.5, 0.1], (4, 1)))


def test_a_rope_that_is_taut_is_a_contact():
    xml = """<mujoco>
      <worldbody>
        <site name="hook"/>
        <body pos="0 0 -1"><freejoint/><geom size="0.1" mass="2"/><site name="eye"/></body>
      </worldbody>
      <tendon>
        <spatial name="rope" limited="true" range="0 0.99"><site site="hook"/><site site="eye"/></spatial>
      </tendon>
    </mujoco>"""
    problem = carom.from_mujoco(*state(xml, velocity=[0.5, 0, -1, 0, 0, 0]))
    assert problem.contacts == ["limit/rope"]
    assert carom.sample(problem, samples=2, device="cpu").velocity[0] == pytest.approx([0.5, 0, 0, 0, 0, 0], abs=1e-12)


def test_a_state_that_moved_on_is_the_one_that_counts():
    model, data = quadruped()
    mujoco.mj_step(model, data)
    before = {name: np.array(getattr(data, name)) for name in ("qpos", "qvel", "qacc", "xpos", "efc_force", "efc_J")}
    problem = carom.from_mujoco(model, data)
    for name, value in before.items():
        assert (getattr(data, name) == value).all(), name
    mujoco.mj_forward(model, data)
    assert problem.to_json() == carom.from_mujoco(model, data).to_json()
    contact = data.contact[0]
    foot = data.body(model.geom_bodyid[contact.geom[1]])
    assert problem.normal[0, :3] == pytest.approx([0, 0, 1]) and foot.name == "fl shank"


def test_contacts_farther_apart_than_the_margin_are_left_out():
    model, data = box()
    model.geom_margin[:] = 1
    assert len(carom.from_mujoco(model, data).contacts) > 2
    assert len(carom.from_mujoco(model, data, margin=1e-6).contacts) == 2
    model.geom_margin[:], model.geom_gap[:] = 1e-6, 1  # MuJoCo finds the same contacts, but acts on two of them only
    mujoco.mj_forward(model, data)
    assert data.ncon > 2 and len(carom.from_mujoco(model, data).contacts) == 2


def test_an_outcome_goes_back():
    model, data = quadruped()
    out = carom.sample(carom.from_mujoco(model, data), samples=4, device="cpu")
    carom.to_mujoco(data, out.velocity[2])
    assert (data.qvel == out.velocity[2]).all()
    mujoco.mj_forward(model, data)
    assert carom.from_mujoco(model, data).velocity == pytest.approx(out.velocity[2])
    with pytest.raises(carom.InputError, match=r"shape \(18\)"):
        carom.to_mujoco(data, out.velocity)
    with pytest.raises(carom.InputError, match="finite"):
        carom.to_mujoco(data, np.full(18, np.nan))


def test_what_a_contact_problem_cannot_say_is_refused():
    plain = SPHERE.format(option="", geom="")
    model, data = state(plain, [0, 0, 1, 1, 0, 0, 0])
    with pytest.raises(carom.InputError, match="nothing touches"):
        carom.from_mujoco(model, data)
    data.qpos[2] = np.nan
    with pytest.raises(carom.InputError, match="finite"):
        carom.from_mujoco(model, data)
    with pytest.raises(carom.InputError, match="another model"):
        carom.from_mujoco(quadruped()[0], data)
    with pytest.raises(carom.InputError, match=r"expected mujoco.MjModel, found str(?s:.*)Gymnasium"):
        carom.from_mujoco("model", data)
    pair = "<contact><pair geom1='floor' geom2='skin' margin='1e-6' friction='{} 0.4 0 0 0'/></contact></mujoco>"
    with pytest.raises(carom.InputError, match=r"floor/skin has friction 0.3 and 0.4(?s:.*)<pair>"):
        carom.from_mujoco(*state(plain.replace("</mujoco>", pair.format(0.3))))
    assert carom.from_mujoco(*state(plain.replace("</mujoco>", pair.format(0.4)))).friction.tolist() == [0.4]
    cloth = """<flexcomp name="cloth" type="grid" count="3 3 1" spacing="0.1 0.1 0.1" pos="0 0 {}" radius="0.01" dim="2"
    mass="1"><edge equality="true"/></flexcomp></worldbody>"""
    with pytest.raises(carom.InputError, match="contact with the flex cloth"):
        carom.from_mujoco(*state(plain.replace("</worldbody>", cloth.format(0.005))))
    with pytest.raises(carom.InputError, match=r"of kind flex(?s:.*)eq_active\[0\]"):
        carom.from_mujoco(*state(plain.replace("</worldbody>", cloth.format(1))))


def test_without_mujoco_the_error_says_what_to_install(monkeypatch):
    model, data = box()
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(carom.UsageError, match="pip install mujoco"):
        carom.from_mujoco(model, data)


# The file, the options of `carom import` that put it where `place` does, and how many contacts touch.
IMPORTED = [
    ("quadruped.xml", ["--keyframe", "stand"], 6),
    ("biped.xml", ["--keyframe", "step"], 4),
    ("arm.xml", ["--keyframe", "reach"], 1),
    ("classes.xml", ["--keyframe", "touch"], 6),
    ("quadruped.urdf", ["--floating", "--ground", "--set-down", "--pose", "x=0.1,y=-0.2"], 4),
    ("arm.urdf", ["--ground"], 1),
]
ANGLES = {
    "quadruped.urdf": {f"{joint}_{leg}": q for leg in LEGS for joint, q in (("thigh", 0.7), ("shank", -1.4))},
    "arm.urdf": {"yaw": 0.3, "lift": -0.5870598107804379, "elbow": 0.4},
}


def place(file, options):
    """The state of a robot in MuJoCo as `carom import` with these options has it."""
    spec = mujoco.MjSpec.from_file(str(MODELS / file))
    if "--floating" in options:
        spec.worldbody.first_body().add_freejoint()
    if "--ground" in options:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    model = spec.compile()
    model.geom_margin[:] = 1e-5  # shapes that touch exactly count
    data = mujoco.MjData(model)
    if "--keyframe" in options:
        mujoco.mj_resetDataKeyframe(model, data, model.key(options[1]).id)
    for joint, angle in ANGLES.get(file, {}).items():
        data.joint(joint).qpos[0] = angle
    if "--set-down" in options:
        data.qpos[:2] = 0.1, -0.2
        mujoco.mj_forward(model, data)
        balls = model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE
        data.qpos[2] -= (data.geom_xpos[balls, 2] - model.geom_size[balls, 0]).min()
    mujoco.mj_forward(model, data)
    return model, data


def change(model, data, names):
    """The matrix that turns qvel into the velocities of an imported scene, as docs/files.md says."""
    matrix = np.zeros((model.nv, model.nv))
    for j in range(model.njnt):
        first, body = model.jnt_dofadr[j], model.jnt_bodyid[j]
        turn = data.xmat[body].reshape(3, 3)
        if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
            at = names.index(f"{model.body(body).name}.x")
            arm = data.xipos[body] - data.xpos[body]
            matrix[at : at + 3, first : first + 3] = np.eye(3)
            matrix[at : at + 3, first + 3 : first + 6] = np.cross(turn, arm, axisa=0).T
            matrix[at + 3 : at + 6, first + 3 : first + 6] = turn
        elif model.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL:
            at = names.index(f"{model.joint(j).name}.wx")
            carrier = data.xmat[model.body_weldid[model.body_parentid[body]]].reshape(3, 3)
            matrix[at : at + 3, first : first + 3] = carrier.T @ turn
        else:
            matrix[names.index(model.joint(j).name), first] = 1
    return matrix


@pytest.mark.filterwarnings("ignore::carom.MujocoWarning")
@pytest.mark.parametrize("file, options, contacts", IMPORTED)
def test_an_imported_robot_is_the_one_that_mujoco_has(file, options, contacts, tmp_path):
    words = [word for joint, angle in ANGLES.get(file, {}).items() for word in ("--joint", f"{joint}={angle}")]
    command = [sys.executable, "-m", "carom", "import", str(MODELS / file), *options, *words, "-o", "scene.toml"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    scene = carom.scene(tmp_path / "scene.toml")
    model, data = place(file, options)
    live = carom.from_mujoco(model, data, margin=1e-6)
    assert len(live.contacts) == len(scene.contacts) == contacts

    turn = change(model, data, scene.coordinates)
    assert turn.T @ scene.mass @ turn == pytest.approx(live.mass, abs=1e-9 * abs(live.mass).max())
    assert turn @ live.velocity == pytest.approx(scene.velocity, abs=1e-9)
    normals, tangents = scene.normal @ turn, (scene.tangent @ turn).reshape(contacts, 2, -1)
    left = list(range(contacts))
    for normal, pair, mu in zip(live.normal, live.tangent.reshape(contacts, -1, live.tangent.shape[1]), live.friction, strict=True):
        # Contacts may share a normal row, not also the plane of their tangents, whose directions are free.
        apart = [abs(normals[i] - normal).max() + abs(tangents[i].T @ tangents[i] - pair.T @ pair).max() for i in left]
        assert min(apart) < 1e-9
        assert scene.friction[left.pop(int(np.argmin(apart)))] == mu


PLANAR = """
<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body name="box" pos="0 0 .1"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
    <joint name="turn" axis="0 1 0"/><geom name="left" type="sphere" size=".1" pos="-.5 0 0"/>
    <geom name="right" type="sphere" size=".1" pos=".5 0 0"/></body>
</worldbody></mujoco>"""


def touching(xml, velocity):
    model = mujoco.MjModel.from_xml_string(xml)
    model.geom_margin[:] = 1e-5
    data = mujoco.MjData(model)
    data.qvel[: len(velocity)] = velocity
    return model, data


def test_what_moves_in_a_plane_is_planar():
    model, data = touching(PLANAR, [0.3, -1.0, 0.2])
    problem = carom.from_mujoco(model, data)
    assert "2 planar contacts" in repr(problem) and problem.tangent.shape == (2, 3)
    assert abs(problem.tangent[:, 0]) == pytest.approx([1.0, 1.0]) and not problem.warnings
    kinds = {bound["kind"] for bound in carom.sample(problem, 50, device="cpu").bound([0, 0, 1])["bounds"]}
    assert "certified" in kinds


def test_contacts_are_chosen_by_name_or_by_a_function():
    model, data = touching(PLANAR, [0.3, -1.0, 0.2])
    for chosen in (["right/floor"], ["floor/right"], lambda name: name.endswith("right")):
        problem = carom.from_mujoco(model, data, contacts=chosen)
        assert problem.contacts == ["floor/right"]
    with pytest.raises(carom.InputError, match="nothing touches"):
        carom.from_mujoco(model, data, contacts=[])
    for bad in ("floor/right", [1]):
        with pytest.raises(carom.InputError, match="a list of names or a function"):
            carom.from_mujoco(model, data, contacts=bad)


def test_contacts_that_nothing_can_move_are_left_out():
    held = PLANAR.replace(
        "</worldbody>",
        """<body name="hand" mocap="true" pos="2 0 .1"/>
        <body name="tool" pos="2 0 .1"><freejoint/><geom name="tip" type="sphere" size=".1"/></body></worldbody>
        <equality><weld body1="hand" body2="tool"/></equality>""",
    )
    model, data = touching(held, [0.3, -1.0, 0.2])
    with pytest.warns(carom.MujocoWarning, match="nothing can move are left out: floor/tip"):
        problem = carom.from_mujoco(model, data)
    assert problem.contacts == ["floor/left", "floor/right"]
    with pytest.raises(carom.InputError, match="nothing that touches in this state can move"):
        with pytest.warns(carom.MujocoWarning):
            carom.from_mujoco(model, data, contacts=["floor/tip"])


EXACT = """<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1'/>
  <body name='b' pos='0 0 .1'><freejoint/><geom name='g' type='{}' size='.1 .1 .1' mass='2'/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("shape", "count"), [("box", 4), ("sphere", 1)])
@pytest.mark.parametrize("off", [0.0, 1e-16, -1e-16, 5e-10])
def test_what_touches_exactly_counts(shape, count, off):
    model, data = state(EXACT.format(shape), velocity=[0.3, 0, -1, 0, 0, 0])
    data.qpos[2] += off
    problem = carom.from_mujoco(model, data)
    assert problem.contacts[0] == "floor/g" and len(problem.contacts) == count
    # The rows are those of a state with a depth on which MuJoCo acts.
    data.qpos[2] = 0.1 - 1e-9
    assert problem.normal == pytest.approx(carom.from_mujoco(model, data).normal, abs=1e-8)
    assert problem.normal @ problem.velocity == pytest.approx(np.full(count, -1.0))
    batch = carom.from_mujoco_batch(model, np.array([[0, 0, 0.1 + off, 1, 0, 0, 0], [0, 0, 0.2, 1, 0, 0, 0]]), np.zeros((2, 6)))
    assert batch.row.tolist() == [0] and len(batch.contacts[0]) == count
    assert model.geom_margin.tolist() == [0, 0]


@pytest.mark.parametrize("turn", np.arange(1, 9) * np.pi / 2)
def test_corners_that_rounding_puts_above_the_floor_count(turn):
    model, data = state(EXACT.format("box"), [0, 0, 0.1, np.cos(turn / 2), np.sin(turn / 2), 0, 0], [0, 0, -1, 0, 0, 0])
    assert len(carom.from_mujoco(model, data).contacts) == 4


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_limits_that_are_reached_exactly_count(jacobian):
    slide = "<joint name='slide' type='slide' axis='1 0 0' limited='true' range='-0.3 0.7'/>"
    hinge = "<joint name='hinge' limited='true' range='-1 2'/>"
    head = f"<compiler angle='radian'/><option jacobian='{jacobian}'/>"
    xml = f"<mujoco>{head}<worldbody><body>{slide}{hinge}<geom size='0.1'/></body></worldbody></mujoco>"
    for q, names, rows in [
        ([0.7, 0.5], ["limit/slide"], [[-1, 0]]),
        ([-0.3, 0.5], ["limit/slide"], [[1, 0]]),
        ([0.1, 2.0], ["limit/hinge"], [[0, -1]]),
        ([0.7, -1.0], ["limit/slide", "limit/hinge"], [[-1, 0], [0, 1]]),
        ([0.8, 2.0], ["limit/slide", "limit/hinge"], [[-1, 0], [0, -1]]),
    ]:
        problem = carom.from_mujoco(*state(xml, q, [1.0, 1.0]))
        assert problem.contacts == names and problem.normal == pytest.approx(np.array(rows, dtype=float))
    ball = "<joint name='cone' type='ball' limited='true' range='0 0.5'/>"
    xml = f"<mujoco>{head}<worldbody><body>{ball}<geom size='0.1' pos='0 0 1'/></body></worldbody></mujoco>"
    problem = carom.from_mujoco(*state(xml, [np.cos(0.25), 0, np.sin(0.25), 0], [0, 1, 0]))
    assert problem.contacts == ["limit/cone"] and problem.normal == pytest.approx(np.array([[0, -1.0, 0]]))
    tendon = "<tendon><fixed name='rope' limited='true' range='0 0.7'><joint joint='slide' coef='1'/></fixed></tendon>"
    free = slide.replace("limited='true' range='-0.3 0.7'", "")
    xml = f"<mujoco>{head}<worldbody><body>{free}<geom size='0.1'/></body></worldbody>{tendon}</mujoco>"
    problem = carom.from_mujoco(*state(xml, [0.7], [1.0]))
    assert problem.contacts == ["limit/rope"] and problem.normal == pytest.approx(np.array([[-1.0]]))


def test_the_error_without_contacts_tells_which_is_nearest():
    model, data = state(EXACT.format("sphere"))
    data.qpos[2] = 0.2
    with pytest.raises(carom.InputError, match="^nothing touches in this state\n") as refused:
        carom.from_mujoco(model, data)
    assert "ncon" not in str(refused.value.hint)
    model.geom_gap[:] = 0.5  # MuJoCo lists what is this near
    with pytest.raises(carom.InputError, match=r"nearest of 1 contacts, floor/g, has a gap of 0\.1 m"):
        carom.from_mujoco(model, data)
    data.qpos[2] = 0.1
    with pytest.raises(carom.InputError, match="nothing touches of what `contacts` keeps; it leaves out floor/g"):
        carom.from_mujoco(model, data, contacts=["a/b"])
