"""Arrays of any library as arrays of NumPy."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from carom.errors import InputError, UsageError

Floats: TypeAlias = NDArray[np.float64]
ArrayLike: TypeAlias = Any
"""What NumPy takes, and what has ``__dlpack__``: arrays of PyTorch, JAX, CuPy and others."""


def numbers(array: ArrayLike, name: str) -> Floats:
    """An array of doubles of any shape; without a copy where it is one already."""
    if hasattr(array, "__dlpack__") and not isinstance(array, np.ndarray):
        if hasattr(array, "detach"):
            array = array.detach()
        device = getattr(array, "__dlpack_device__", lambda: (1, 0))()[0]
        if device != 1 and hasattr(array, "cpu"):
            array = array.cpu()
        try:
            array = np.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError) as error:
            raise InputError(f"{name}: expected an array that NumPy can read: {error}", name) from None
    try:
        found = np.asarray(array)
        if found.dtype.kind in "biufO":
            return np.asarray(found, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers: {error}", name) from None
    raise InputError(f"{name}: expected numbers, found {found.dtype}", name)


def floats(array: ArrayLike, name: str, shape: tuple[int | None, ...]) -> Floats:
    """An array of doubles with this shape, in which None stands for any number; without a copy
    where it is one already."""
    found = numbers(array, name)
    fits = found.ndim == len(shape) and all(
        wanted is None or wanted == size for wanted, size in zip(shape, found.shape, strict=True)
    )
    if not fits:
        words = ", ".join("any" if wanted is None else str(wanted) for wanted in shape)
        raise InputError(f"{name}: expected an array of shape ({words}), found {found.shape}", name)
    return found


def whole(value: float, name: str, least: int = 1) -> int:
    """A whole number of at least ``least``."""
    number = isinstance(value, int | float | np.integer) and not isinstance(value, bool)
    # Integers have no need of doubles, which cannot hold all of them.
    fits = number and (not isinstance(value, float) or value.is_integer())
    if not fits or not least <= value < 2**64:
        raise UsageError(f"{name}: expected a whole number of at least {least} and below 2^64, found {value!r}", name)
    return int(value)
