"""Refuses processors that the extension module was not compiled for, which would end Python by "illegal instruction"."""

import platform

try:
    from ._architecture import ARCHITECTURE
except ImportError:  # of a package put together by other means
    ARCHITECTURE = ""

# What the levels of x86-64 demand, by the names of /proc/cpuinfo. Extensions not listed came with one of these.
LEVEL_2 = ("ssse3", "sse4_2", "popcnt")
DEMANDED = {"x86-64-v2": LEVEL_2, "x86-64-v3": (*LEVEL_2, "avx2", "fma", "bmi1", "bmi2")}


def flags_of_this_machine():
    """None where they are not to be had."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() == "flags":
                    return value.split()
    except OSError:
        pass
    return None


def require_processor():
    """Raises ImportError, in one sentence, where instructions are missing."""
    flags = flags_of_this_machine() if platform.machine() in ("x86_64", "AMD64") else None
    missing = [name for name in DEMANDED.get(ARCHITECTURE, ()) if flags is not None and name not in flags]
    if missing:
        raise ImportError(f"this processor lacks {', '.join(missing)}, which this package was compiled for ({ARCHITECTURE}); "
                          "`./talus wheel --arch x86-64-v2` in a checkout makes one for older processors")
