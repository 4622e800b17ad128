"""What goes wrong, in the words of Python."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable

FLAG = re.compile(r"""(`carom [^`]*`)|['`]?--([a-z][a-z-]*)['`]?(?:[= ](?:([A-Z][A-Z0-9_]*|cpu|gpu)\b|<[^>]*>'?))?""")
"""A command of the command line, or an option of one, quoted or not, with its value."""


def keywords(text: str) -> str:
    """A text with arguments of Python in place of options, ``max_steps`` for ``--max-steps``,
    except in commands of the command line."""

    def keyword(found: re.Match[str]) -> str:
        command, option, value = found.groups()
        if command:
            return str(command)
        name = option.replace("-", "_")
        if value is None:
            return f"`{name}`"
        return f'{name}="{value}"' if value in ("cpu", "gpu") else f"{name}={value}"

    return FLAG.sub(keyword, text)


class Error(Exception):
    """Base of all errors of carom.

    Attributes:
        at: where it is: a key such as ``mass[2][0]``, an argument, a file; or None.
        hint: what to do about it; or None.
    """

    def __init__(self, what: str, at: str | None = None, hint: str | None = None) -> None:
        super().__init__(keywords(what))
        self.at = at
        self.hint = None if hint is None else keywords(hint)

    def __str__(self) -> str:
        what = str(self.args[0])
        return f"{what}\n{self.hint}" if self.hint else what

    def __reduce__(self) -> tuple[object, ...]:
        # For other processes, which raise it again.
        return type(self), (self.args[0], self.at, self.hint)


class UsageError(Error, ValueError):
    """A request that cannot be honoured: an option, a law, a file that cannot be written."""


class InputError(Error, ValueError):
    """A problem or a scene that says something impossible."""


class DeviceError(Error, RuntimeError):
    """No such device, or one that cannot do this, or was lost."""


class EmptyError(Error, RuntimeError):
    """A set without accepted samples."""


class CaromWarning(UserWarning):
    """What a reader of results must know."""


class MujocoWarning(CaromWarning):
    """What of a state of MuJoCo a contact problem does not have, or has otherwise."""


def warn(texts: Iterable[str], level: int = 3) -> None:
    """Warns of what a reader of results must know, at the line that called the caller."""
    for text in texts:
        warnings.warn(text, CaromWarning, stacklevel=level)
