"""Contact problems of many states of MuJoCo: those of each state, to the last bit."""

from pathlib import Path

import carom
import mujoco
import mujoco.rollout
import numpy as np
import pytest

MODELS = Path(__file__).parents[2] / "tests" / "golden" / "models"

# A crank turns two feet in a plane; a connecting rod closes the loop.
LOOP = """
<mujoco>
  <option jacobian="{jacobian}"/>
  <worldbody>
    <geom name="floor" type="plane" size="9 9 1" margin="1e-3"/>
    <body name="hull" pos="0 0 0.1">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
      <joint name="tilt" axis="0 1 0"/>
      <geom name="left" size="0.1" pos="-0.5 0 0" mass="1"/><geom name="right" size="0.1" pos="0.5 0 0" mass="2"/>
      <body name="crank"><joint name="crank" axis="0 1 0"/>
        <geom name="arm" type="capsule" fromto="0 0 0 0.2 0 0" size="0.01" mass="0.3" contype="0" conaffinity="0"/>
      </body>
      <body name="slide" pos="0.2 0 0.1"><joint name="slide" type="slide" axis="1 0 0" range="-0.1 0.1" limited="true"/>
        <geom name="block" size="0.02" mass="0.2" contype="0" conaffinity="0"/>
      </body>
    </body>
  </worldbody>
  <equality><joint joint1="crank" joint2="slide" polycoef="0 3 0 0 0"/></equality>
</mujoco>
"""


def states(model, data, count, seed, spread):
    """States near one, many of which touch."""
    rng = np.random.default_rng(seed)
    there = mujoco.MjData(model)
    positions = np.empty((count, model.nq))
    for position in positions:
        there.qpos[:] = data.qpos
        mujoco.mj_integratePos(model, there.qpos, rng.normal(scale=spread, size=model.nv), 1)
        position[:] = there.qpos
    return positions, rng.normal(size=(count, model.nv))


def robot(file, key, spread, margin=1e-3):
    model = mujoco.MjModel.from_xml_path(str(MODELS / file))
    model.geom_margin[:] = margin
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(key).id)
    return model, *states(model, data, 40, 1, spread)


def loop(jacobian):
    model = mujoco.MjModel.from_xml_string(LOOP.format(jacobian=jacobian))
    data = mujoco.MjData(model)
    positions, velocities = states(model, data, 40, 2, 2e-3)
    positions[:10, 4] = 0.11  # at the limit of the slide
    return model, positions, velocities


def alone(model, position, velocity, **options):
    """The problem of one state, or None where nothing touches."""
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = position, velocity
    try:
        return carom.from_mujoco(model, data, **options)
    except carom.InputError as error:
        assert "nothing touches" in str(error)
        return None


CASES = {
    "quadruped": lambda: robot("quadruped.xml", "stand", 3e-3),
    "biped": lambda: robot("biped.xml", "step", 1e-3),
    "boxes": lambda: robot("boxes.xml", "fall", 1e-3),
    "hand": lambda: robot("hand.xml", "grasp", 1e-3),
    "dense loop": lambda: loop("dense"),
    "sparse loop": lambda: loop("sparse"),
}


@pytest.mark.filterwarnings("ignore::carom.MujocoWarning")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("threads", [1, 3])
def test_states_are_those_of_each_alone_to_the_last_bit(case, threads):
    model, positions, velocities = CASES[case]()
    batch = carom.from_mujoco_batch(model, positions, velocities, restitution=0.2, threads=threads)
    problems = [alone(model, *pair) for pair in zip(positions, velocities, strict=True)]
    assert batch.row.tolist() == [b for b, problem in enumerate(problems) if problem]
    assert batch.coordinates == next(filter(None, problems)).coordinates and batch.restitution == 0.2
    counts = set()
    for b, row in enumerate(batch.row):
        problem, m = problems[row], len(problems[row].contacts)
        assert batch.contacts[b] == problem.contacts
        assert (batch.mass[b] == problem.mass).all() and (batch.velocity[b] == problem.velocity).all()
        assert (batch.normal[b, :m] == problem.normal).all() and (batch.friction[b, :m] == problem.friction).all()
        rows = len(problem.tangent)
        assert (batch.tangent[b, :rows] == problem.tangent).all()
        assert batch.active[b].tolist() == [i < m for i in range(batch.active.shape[1])]
        for array, used in ((batch.normal, m), (batch.tangent, rows), (batch.friction, m)):
            assert not array[b, used:].any()
        counts.add(m)
    assert len(counts) > 1
    assert repr(batch).startswith(f"MujocoStates({len(batch)} states of {model.nv} coordinates")
    with pytest.raises(ValueError, match="read-only"):
        batch.mass[0] = 0


@pytest.mark.filterwarnings("ignore::carom.MujocoWarning")
def test_outcomes_are_those_of_each_alone():
    for case in ("biped", "dense loop"):
        model, positions, velocities = CASES[case]()
        batch = carom.from_mujoco_batch(model, positions, velocities)
        out = batch.sample(16, seed=5, device="cpu")
        assert out.velocity.shape == (len(batch), 16, model.nv) and out.accepted.mean() > 0.95
        for b in range(0, len(batch), 7):
            problem = alone(model, positions[batch.row[b]], velocities[batch.row[b]])
            expected = carom.sample(problem, 16, int(out.seed[b]), device="cpu").velocity
            assert abs(out.velocity[b] - expected).max() < 1e-7 * abs(expected).max()


def test_states_come_from_rollouts_and_with_mocap_bodies():
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><body name="hand" mocap="true"><geom name="palm" type="box" size="1 1 0.1"/></body>
        <body name="ball" pos="0 0 0.3"><freejoint/><geom name="skin" size="0.1" mass="1"/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    start = np.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state, _ = mujoco.rollout.rollout(model, data, np.stack([start, start]), nstep=200)
    qpos, qvel = state[..., 1 : 1 + model.nq], state[..., 1 + model.nq : 1 + model.nq + model.nv]
    data.mocap_pos[0] = 0, 0, 0.05  # 0.05 m higher than in the model
    batch = carom.from_mujoco_batch(model, qpos, qvel, data=data)
    heights = qpos.reshape(-1, model.nq)[:, 2]
    assert batch.row.tolist() == np.flatnonzero(heights < 0.25).tolist() and 0 < len(batch) < 400
    assert batch.contacts[0] == ["skin/palm"]
    assert carom.from_mujoco_batch(model, qpos, qvel).row.tolist() == np.flatnonzero(heights < 0.2).tolist()
    with pytest.raises(carom.InputError, match="nothing touches in any state"):
        carom.from_mujoco_batch(model, qpos[:, :40], qvel[:, :40])


class OnDevice:
    """An array on a GPU, as Warp has them: NumPy cannot read it, but there is a copy."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        raise BufferError("not on the CPU")

    def __dlpack_device__(self):
        return 2, 0

    def numpy(self):
        return self.array


def test_states_may_be_arrays_of_jax_and_on_devices():
    jax = pytest.importorskip("jax")
    model = mujoco.MjModel.from_xml_path(str(MODELS / "quadruped.xml"))
    model.geom_margin[:] = 1e-5
    # Single precision keeps these numbers.
    qpos = np.tile(model.key("stand").qpos.astype(np.float32), (3, 1))
    qvel = np.float32(0.25) * np.arange(3 * model.nv, dtype=np.float32).reshape(3, model.nv) - 4
    expected = carom.from_mujoco_batch(model, qpos, qvel)
    assert len(expected) > 0
    for kind in (jax.numpy.asarray, OnDevice):
        found = carom.from_mujoco_batch(model, kind(qpos), kind(qvel))
        assert found.row.tolist() == expected.row.tolist()
        assert (found.velocity == expected.velocity).all() and (found.normal == expected.normal).all()


def test_what_is_wrong_is_refused_with_its_state():
    model, positions, velocities = CASES["biped"]()
    for bad, message in (
        ((positions[:, 1:], velocities), r"qpos: expected an array of shape \(.., "),
        ((positions, velocities[:3]), "3 states, and 40 of qpos"),
    ):
        with pytest.raises(carom.InputError, match=message):
            carom.from_mujoco_batch(model, *bad)
    lost = velocities.copy()
    lost[7, 2] = np.inf
    with pytest.raises(carom.InputError, match="qvel of state 7 is not finite"):
        carom.from_mujoco_batch(model, positions, lost)
    with pytest.raises(carom.UsageError, match="threads"):
        carom.from_mujoco_batch(model, positions, velocities, threads=0)
    with pytest.raises(carom.InputError, match="expected mujoco.MjData"):
        carom.from_mujoco_batch(model, positions, velocities, data=model)
    uneven = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="ball"><freejoint/><geom name="skin" size="0.1"/></body></worldbody>
        <contact><pair geom1="floor" geom2="skin" friction="0.3 0.4 0 0 0"/></contact></mujoco>"""
    )
    heights = np.zeros((3, 7))
    heights[:, 2:4] = (1, 1), (0.09, 1), (0.08, 1)
    with pytest.raises(carom.InputError, match=r"state 1: contact floor/skin has friction 0.3 and 0.4"):
        carom.from_mujoco_batch(uneven, heights, np.zeros((3, 6)))


def test_a_warning_stands_for_all_states():
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="ball"><freejoint/><geom name="skin" size="0.1" condim="6"/></body></worldbody></mujoco>"""
    )
    position = [0, 0, 0.0999, 1, 0, 0, 0]
    with pytest.warns(carom.MujocoWarning, match="condim 4 and 6") as caught:
        carom.from_mujoco_batch(model, [position] * 5, np.zeros((5, 6)))
    assert len(caught) == 1 and caught[0].filename == __file__
