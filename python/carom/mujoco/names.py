"""Names of the elements of a model, which are read once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any
from weakref import WeakKeyDictionary

from carom.errors import InputError

_KNOWN: WeakKeyDictionary[Any, Names] = WeakKeyDictionary()

Contacts = Collection[str] | Callable[[str], bool]
"""Names of contacts, such as ``"floor/foot"``, or a function that says whether a name counts."""


class Names:
    """Names of a model's elements, and what else of it does not change.

    Attributes:
        coordinates, units: of the velocity (nv each).
        bodies: of each geom.
        equality: the code of constraints that are equality constraints.
        limits: the codes of those that are limits of joints and of tendons.
        version: of MuJoCo, its first number.
    """

    def __init__(self, mj: Any, model: Any) -> None:
        self.geoms = {i: name(mj, model, mj.mjtObj.mjOBJ_GEOM, i) for i in range(-1, model.ngeom)}
        self.joints = [name(mj, model, mj.mjtObj.mjOBJ_JOINT, i) for i in range(model.njnt)]
        self.tendons = [name(mj, model, mj.mjtObj.mjOBJ_TENDON, i) for i in range(model.ntendon)]
        coordinates, self.units = self._coordinates(mj, model)
        self.coordinates = distinct(coordinates)
        self.bodies: list[int] = model.geom_bodyid.tolist()
        kinds = mj.mjtConstraint
        self.equality = int(kinds.mjCNSTR_EQUALITY)
        self.limits = int(kinds.mjCNSTR_LIMIT_JOINT), int(kinds.mjCNSTR_LIMIT_TENDON)
        self.version = int(mj.__version__.split(".")[0])
        self.model: str = model.names.split(b"\0")[0].decode()

    def contact(self, geoms: list[int]) -> str:
        """The name of a contact of two geoms."""
        return f"{self.geoms[geoms[0]]}/{self.geoms[geoms[1]]}"

    def limit(self, i: int, *, tendon: bool) -> str:
        """The name of the limit of a joint or a tendon."""
        return f"limit/{(self.tendons if tendon else self.joints)[i]}"

    def _coordinates(self, mj: Any, model: Any) -> tuple[list[str], list[str]]:
        axes, turns = ["x", "y", "z"], ["rx", "ry", "rz"]
        names, units = [], []
        for joint, kind, body in zip(self.joints, model.jnt_type, model.jnt_bodyid, strict=True):
            if kind == mj.mjtJoint.mjJNT_FREE:
                carrier = name(mj, model, mj.mjtObj.mjOBJ_BODY, body)
                names += [f"{carrier}.{axis}" for axis in axes + turns]
                units += ["m/s"] * 3 + ["rad/s"] * 3
            elif kind == mj.mjtJoint.mjJNT_BALL:
                names += [f"{joint}.{axis}" for axis in turns]
                units += ["rad/s"] * 3
            else:
                names.append(joint)
                units.append("m/s" if kind == mj.mjtJoint.mjJNT_SLIDE else "rad/s")
        return names, units


def names_of(mj: Any, model: Any) -> Names:
    """The names of a model."""
    if (known := _KNOWN.get(model)) is None:
        known = _KNOWN[model] = Names(mj, model)
    return known


def name(mj: Any, model: Any, kind: Any, i: int) -> str:
    """The name of an element, or what it is with its number."""
    return mj.mj_id2name(model, kind, i) or f"{kind.name.removeprefix('mjOBJ_').lower()}{i}"


def wanted(contacts: Contacts | None) -> Callable[[str], bool]:
    """Whether a contact or a limit is kept, by its name."""
    if contacts is None:
        return lambda _: True
    if callable(contacts):
        return contacts
    if isinstance(contacts, str) or not all(isinstance(name, str) for name in contacts):
        raise InputError(f"contacts: expected a list of names or a function, found {contacts!r}", "contacts")
    known = set(contacts)
    return lambda name: name in known or "/".join(reversed(name.split("/"))) in known


def distinct(names: list[str]) -> list[str]:
    """The names, with a number from the second of the same name on."""
    made: dict[str, None] = {}
    for own in names:
        count, found = 1, own
        while found in made:
            count += 1
            found = f"{own}#{count}"
        made[found] = None
    return list(made)
