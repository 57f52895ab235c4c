"""The pieces of work of `Workloads/`, and those that cannot be: built, given their material, listed, done."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .process import Command, build, build_c, command, progress, run

# Else dictionaries lie in memory as chance has it, and counts scatter.
ENVIRONMENT = {"SWIFT_DETERMINISTIC_HASHING": "1"}


@dataclass(frozen=True)
class Workload:
    """One line of `workload list`, or a program whose last argument is how many frames it works on."""

    name: str
    unit: str
    pixels: int
    count: int
    floor: str | None = None
    words: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, compare=False)
    is_program: bool = False

    @property
    def suite(self) -> str:
        return self.name.split("/")[0]

    def command(self, count: int) -> Command:
        return Command((*self.words, str(count)), ENVIRONMENT | self.environment)


@contextmanager
def material(clip: Path | None = None) -> Iterator[tuple[Path, list[Workload]]]:
    """A folder with what the workloads work on, made of a Y4M clip of 30 frames a second or of the drawn portrait, and all of
    them, to be done on it."""
    program = build("workload")
    progress("encoding what is worked on")
    with tempfile.TemporaryDirectory(prefix="rill-workloads-") as name:
        run(command(program, "prepare", "--folder", name, *(["--clip", clip] if clip else [])))
        found = []
        for line in run(command(program, "list", "--folder", name)).output.splitlines():
            title, unit, pixels, count, floor = line.split()
            words = (program, "run", "--folder", name, "--name", title, "--count")
            found.append(Workload(title, unit, int(pixels), int(count), None if floor == "-" else floor, words))
        yield Path(name), found


def programs(folder: Path, suites: set[str] | None = None) -> list[Workload]:
    """Workloads that are programs of their own, each behind its floor: both codecs' simulcast of the material's clip and the bare
    loop that does the same, and a frame of a camera of YUYV and libyuv's conversion of it. Six frames: every sixth has a low one
    beside it."""
    found, clip = [], str(folder / "clip.y4m")

    def add(name: str, floor: str | None, *words: object, **environment: str) -> None:
        found.append(Workload(name, "clipFrame", 1280 * 720, 6, floor, tuple(map(str, words)), environment, is_program=True))

    if suites is None or suites & {"codec", "pipeline"}:
        work = build("bench-work")
        for codec in ("vp8", "vp9"):
            add(f"codec/{codec}-bare-loop", None, bare_loop(), codec, clip, 1500, 45)
            words = ("simulcast", "--clip", clip, "--codec", codec, "--bitrate", "1500k", "--low-bitrate", "45k", "--count")
            add(f"codec/{codec}-simulcast", f"codec/{codec}-bare-loop", work, *words)
    if suites is None or "image" in suites:
        add("image/yuyv-libyuv", None, build_c("bare-conversion", "-lyuv"))
        add("image/yuyv-camera", "image/yuyv-libyuv", build("bench-work"), "camera", "--count", LD_PRELOAD=build_c("fake-camera.so", "-ldl"))
    return found


def bare_loop() -> str:
    """The library calls of the sending side and nothing else."""
    return build_c("bare-loop", "-lvpx", "-lyuv")


@dataclass(frozen=True)
class Iteration:
    """What one of the things counted took; None for what the machine does not count."""

    nanoseconds: float
    cycles: float | None
    instructions: float | None


def iterate(workload: Workload, folder: Path, *options: object) -> list[Iteration]:
    """Does a workload and takes its times; options as `--iterations 5 --time 100`."""
    program = workload.words[0]
    found = []
    for line in run(command(program, "run", "--folder", folder, "--name", workload.name, *options)).output.splitlines():
        nanoseconds, cycles, instructions = (float(number) for number in line.split())
        found.append(Iteration(nanoseconds, cycles or None, instructions or None))
    return found


def rotation(workloads: list[Workload], folder: Path, count: int, *options: object) -> dict[str, list[Iteration]]:
    """So many iterations of each, a few of one, then of the next: whatever else the machine does meets all of them alike."""
    rounds = min(10, count)
    found: dict[str, list[Iteration]] = {each.name: [] for each in workloads}
    for index in range(rounds):
        # The first rounds have one more, so that all have as many as were asked for.
        length = count // rounds + (index < count % rounds)
        for each in workloads:
            progress(f"round {index + 1} of {rounds}: {each.name}")
            found[each.name] += iterate(each, folder, "--iterations", length, *options)
    return found
