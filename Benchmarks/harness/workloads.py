"""The workloads of Workloads/: built, given their material, listed, and done by the program `workload`."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .measure import Command, progress, run
from .report import REPOSITORY

PACKAGE = REPOSITORY / "Benchmarks"
RELEASE = PACKAGE / ".build" / "release"
PROGRAM = RELEASE / "workload"
# Else dictionaries lie in memory as chance has it, and counts scatter.
ENVIRONMENT = {"SWIFT_DETERMINISTIC_HASHING": "1"}


@dataclass(frozen=True)
class Workload:
    """One line of `workload list`."""

    name: str
    suite: str
    unit: str
    pixels: int
    count: int
    floor: str | None = None
    # What is run; the count is its last argument.
    arguments: tuple[str, ...] = field(default=(), compare=False)
    environment: dict[str, str] = field(default_factory=dict, compare=False)
    counts_allocations: bool = True

    def command(self, count: int) -> Command:
        return Command(self.name, [*self.arguments, str(count)], ENVIRONMENT | self.environment)


def product(name: str) -> Path:
    """Builds a program of this package; the tool says itself what is wrong."""
    progress(f"building {name}")
    command = ["swift", "build", "--package-path", str(PACKAGE), "-c", "release", "--product", name]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nthis did not work: {' '.join(command)}")
    return RELEASE / name


@contextmanager
def material(clip: Path | None = None) -> Iterator[Path]:
    """A folder with what the workloads work on, made of a clip or of the drawn portrait."""
    progress("drawing and encoding what is worked on" if clip is None else "encoding what is worked on")
    with tempfile.TemporaryDirectory(prefix="rill-workloads-") as folder:
        clips = [] if clip is None else ["--clip", str(clip)]
        run(Command("prepare", [str(PROGRAM), "prepare", "--folder", folder, *clips]))
        yield Path(folder)


def listed(folder: Path) -> list[Workload]:
    """All workloads, to be done on the material of that folder."""
    output = run(Command("list", [str(PROGRAM), "list", "--folder", str(folder)])).output
    found = []
    for line in output.splitlines():
        name, unit, pixels, count, floor = line.split()
        arguments = (str(PROGRAM), "run", name, "--folder", str(folder), "--count")
        floor = None if floor == "-" else floor
        found.append(Workload(name, name.split("/")[0], unit, int(pixels), int(count), floor, arguments))
    return found


@dataclass(frozen=True)
class Turn:
    """What one of the things counted took; None for what the machine does not count."""

    nanoseconds: float
    cycles: float | None
    instructions: float | None


def turns(name: str, folder: Path, *options: str) -> list[Turn]:
    """Does a workload and takes its times; options as `--turns 5 --turn-time 100`."""
    output = run(Command(name, [str(PROGRAM), "run", name, "--folder", str(folder), *options])).output
    found = []
    for line in output.splitlines():
        nanoseconds, cycles, instructions = (float(number) for number in line.split())
        found.append(Turn(nanoseconds, cycles or None, instructions or None))
    return found


def rotation(names: list[str], folder: Path, count: int, *options: str) -> dict[str, list[Turn]]:
    """So many turns of each, a few of one, then of the next: whatever else the machine does meets all of them alike."""
    rounds = min(10, count)
    found: dict[str, list[Turn]] = {name: [] for name in names}
    for index in range(rounds):
        # The first rounds have one more, so that all have as many as were asked for.
        length = count // rounds + (index < count % rounds)
        for name in names:
            progress(f"round {index + 1} of {rounds}: {name}")
            found[name] += turns(name, folder, "--turns", str(length), *options)
    return found


def processors() -> int:
    return os.cpu_count() or 1
