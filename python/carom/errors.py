"""What goes wrong, in the words of the command line."""

from __future__ import annotations


class Error(Exception):
    """Base of all errors of carom.

    Attributes:
        at: where it is: a key such as ``mass[2][0]``, an option, a file; or None.
        hint: what to do about it; or None.
    """

    def __init__(self, what: str, at: str | None = None, hint: str | None = None) -> None:
        super().__init__(what)
        self.at = at
        self.hint = hint

    def __str__(self) -> str:
        what = str(self.args[0])
        return f"{what}\n{self.hint}" if self.hint else what


class UsageError(Error, ValueError):
    """A request that cannot be honoured: an option, a law, a file that cannot be written."""


class InputError(Error, ValueError):
    """A problem or a scene that says something impossible."""


class DeviceError(Error, RuntimeError):
    """No such device, or one that cannot do this, or was lost."""


class EmptyError(Error, RuntimeError):
    """A set without accepted samples."""


class MujocoWarning(UserWarning):
    """What of a state of MuJoCo a contact problem does not have, or has otherwise."""
