"""Contact problems from simulations of MuJoCo, and outcomes back."""

from carom.mujoco.batch import MujocoStates, from_mujoco_batch
from carom.mujoco.impacts import Impact, Impacts
from carom.mujoco.state import from_mujoco, to_mujoco

__all__ = ["Impact", "Impacts", "MujocoStates", "from_mujoco", "from_mujoco_batch", "to_mujoco"]
