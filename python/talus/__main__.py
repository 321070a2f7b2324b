"""The program: `python -m talus COMMAND ...`, and `talus COMMAND ...` where a wheel is installed.

The commands are those of the program that CMake builds, except `reproduce`.
"""

import os
import signal
import sys

from . import _talus, pages


def main():
    """Runs the command of sys.argv and ends Python with its exit code."""
    for name in ("SIGINT", "SIGPIPE"):  # as for any program: Python would wait for the end of the command
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    folder = pages.viewer_folder()
    if folder is not None:
        os.environ["TALUS_VIEWER"] = str(folder)
    os.environ.setdefault("TALUS_PYTHON", sys.executable)  # which has matplotlib, if any
    sys.exit(_talus._run_program(["talus", *sys.argv[1:]], [sys.executable, "-m", "talus"]))


if __name__ == "__main__":
    main()
