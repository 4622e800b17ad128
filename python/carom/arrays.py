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
        try:
            if device == 1:
                array = np.from_dlpack(array)
            else:
                # PyTorch's arrays on a GPU have `cpu`, Warp's `numpy`; JAX's are copied by NumPy.
                copy = getattr(array, "cpu", None) or getattr(array, "numpy", None)
                array = copy() if copy else np.asarray(array)
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


def seeds(given: ArrayLike, count: int) -> NDArray[np.uint64]:
    """A seed for each of so many states."""
    array = np.asarray(given)
    whole = array.dtype.kind in "iu" or array.size == 0
    if array.shape != (count,) or not whole:
        raise InputError(f"seed: expected {count} whole numbers, found {array.dtype} of shape {array.shape}", "seed")
    if array.size and (array.min() < 0 or array.max() >= 2**63):
        raise InputError("seed: expected numbers of at least 0 and below 2^63", "seed")
    return array.astype(np.uint64)


def drawn(rng: Any, seed: Any, count: int | None = None) -> Any:
    """A seed, or as many as states, from a generator of NumPy."""
    if not isinstance(rng, np.random.Generator):
        raise UsageError(f"expected a numpy.random.Generator, found {type(rng).__name__}", "rng", "numpy.random.default_rng(1) is one")
    if not (isinstance(seed, int) and seed == 0):
        raise UsageError("expected either a seed or a generator that draws it", "rng", "leave `seed` out")
    return rng.integers(2**63, size=count)


def whole(value: float, name: str, least: int = 1) -> int:
    """A whole number of at least ``least``."""
    number = isinstance(value, int | float | np.integer) and not isinstance(value, bool)
    # Integers have no need of doubles, which cannot hold all of them.
    fits = number and (not isinstance(value, float) or value.is_integer())
    if not fits or not least <= value < 2**64:
        raise UsageError(f"{name}: expected a whole number of at least {least} and below 2^64, found {short(value)}", name)
    return int(value)


def short(value: object) -> str:
    """What was found, in a line."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
