"""Contact problems from simulations of MuJoCo, and outcomes back."""

from carom.mujoco.impacts import Impact, Impacts
from carom.mujoco.state import from_mujoco, to_mujoco

__all__ = ["Impact", "Impacts", "from_mujoco", "to_mujoco"]
