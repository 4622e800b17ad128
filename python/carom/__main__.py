"""The command line: ``python -m carom`` is ``carom``."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Runs the command line with the arguments of this process; its exit code."""
    # The command listens for interrupts itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from carom import _carom

    return _carom.main(["carom", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
