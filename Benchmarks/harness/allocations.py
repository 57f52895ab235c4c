"""Counts what a program allocates, from outside, by the library in AllocationCounter/."""

import subprocess
import sys
from pathlib import Path

from .report import REPOSITORY

PACKAGE = REPOSITORY / "Benchmarks"
LIBRARY = PACKAGE / ".build" / "allocation-counter.so"


def build() -> None:
    LIBRARY.parent.mkdir(exist_ok=True)
    source = PACKAGE / "AllocationCounter" / "allocation-counter.c"
    command = ["clang", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", str(LIBRARY), str(source)]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"this did not work: {' '.join(command)}")


def environment(result: Path, by_origin: bool = False) -> list[str]:
    """What a program's environment must say for its allocations to be written to that file, for `env`."""
    origins = str(int(by_origin))
    variables = {"LD_PRELOAD": str(LIBRARY), "ALLOCATIONS_TO": str(result), "ALLOCATIONS_BY_ORIGIN": origins}
    return [f"{name}={value}" for name, value in variables.items()]
