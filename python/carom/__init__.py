"""The set of velocities with which a robot or a pile of objects can leave a simultaneous frictional
impact.

Examples:
    >>> import carom
    >>> out = carom.sample(carom.scene("rocking-block"), samples=4096, seed=1)
    >>> out.velocity.shape
    (4096, 3)
    >>> out.support([0, 0, 1])["value"]  # doctest: +SKIP
    0.0930

A problem comes from arrays (``ContactProblem``), from a scene or a file (``scene``), or from a live
simulation (``from_mujoco``). Everything is in SI units.
"""

import os

# Mesa's device-select layer complains on stderr wherever there is no desktop session.
os.environ.setdefault("NODEVICE_SELECT", "1")

from carom import ray as ray
from carom._carom import __version__
from carom.commands import compare, exact_set, guarantee, motions, replay, resolve, scenes, simulate
from carom.datasets import DatasetPlan, dataset
from carom.errors import CaromWarning, DeviceError, EmptyError, Error, InputError, MujocoWarning, UsageError
from carom.laws import Law, Plus, Propagative, Routh, Sequential
from carom.measured import extract, identify, reality
from carom.mujoco import MujocoStates, from_mujoco, from_mujoco_batch, to_mujoco
from carom.problem import ContactProblem, scene
from carom.outcomes import Batch, Outcome, Outcomes
from carom.sampling import Prepared, sample, sample_batch
from carom.sets import STATUS, Picture, Samples, SavedSet, Set, read

__all__ = [
    "STATUS",
    "Batch",
    "CaromWarning",
    "ContactProblem",
    "DatasetPlan",
    "DeviceError",
    "EmptyError",
    "Error",
    "InputError",
    "Law",
    "MujocoStates",
    "MujocoWarning",
    "Outcome",
    "Outcomes",
    "Picture",
    "Plus",
    "Prepared",
    "Propagative",
    "Routh",
    "Samples",
    "SavedSet",
    "Sequential",
    "Set",
    "UsageError",
    "__version__",
    "compare",
    "dataset",
    "exact_set",
    "extract",
    "from_mujoco",
    "from_mujoco_batch",
    "guarantee",
    "identify",
    "motions",
    "read",
    "reality",
    "replay",
    "resolve",
    "sample",
    "sample_batch",
    "scene",
    "scenes",
    "simulate",
    "to_mujoco",
]
