"""Builds, lists and runs the workloads of `Workloads/`, and those that are separate programs."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .process import Command, build, build_c, command, progress, run

# Otherwise the random order of dictionaries makes counts vary.
ENVIRONMENT = {"SWIFT_DETERMINISTIC_HASHING": "1"}


@dataclass(frozen=True)
class Workload:
    """A line of `workload list`, or a program whose last argument is its number of frames."""

    name: str
    unit: str
    pixels: int
    count: int
    floor: str | None = None
    words: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, compare=False)
    is_program: bool = False
    counted: str | None = None
    """A pattern of the functions that callgrind counts alone."""

    @property
    def suite(self) -> str:
        return self.name.split("/")[0]

    def command(self, count: int) -> Command:
        return Command((*self.words, str(count)), ENVIRONMENT | self.environment)


@contextmanager
def material(clip: Path | None = None) -> Iterator[tuple[Path, list[Workload]]]:
    """A folder with the workloads' input, made from a Y4M clip of 30 frames per second or the drawn portrait, and all
    workloads."""
    program = build("workload")
    progress("encoding the workloads' input")
    with tempfile.TemporaryDirectory(prefix="rill-workloads-") as name:
        run(command(program, "prepare", "--folder", name, *(["--clip", clip] if clip else [])))
        found = []
        for line in run(command(program, "list", "--folder", name)).output.splitlines():
            title, unit, pixels, count, floor, counted = line.split()
            words = (program, "run", "--folder", name, "--name", title, "--count")
            optional = {"floor": floor, "counted": counted}
            known = {key: value for key, value in optional.items() if value != "-"}
            found.append(Workload(title, unit, int(pixels), int(count), words=words, **known))
        yield Path(name), found


def programs(folder: Path, suites: set[str] | None = None) -> list[Workload]:
    """Workloads that are separate programs, each after its floor: simulcast of the material's clip with both codecs and a bare
    C loop of the same calls, and capturing a YUYV camera frame and libyuv's conversion of it. Six frames: every sixth also has a
    low one."""
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
    """Only the library calls of the sending side."""
    return build_c("bare-loop", "-lvpx", "-lyuv")


@dataclass(frozen=True)
class Iteration:
    """The cost of one unit of work; None for quantities that the machine does not count."""

    nanoseconds: float
    cycles: float | None
    instructions: float | None


def iterate(workload: Workload, folder: Path, *options: object) -> list[Iteration]:
    """Runs a workload and times it, with options such as `--iterations 5 --time 100`."""
    program = workload.words[0]
    found = []
    for line in run(command(program, "run", "--folder", folder, "--name", workload.name, *options)).output.splitlines():
        nanoseconds, cycles, instructions = (float(number) for number in line.split())
        found.append(Iteration(nanoseconds, cycles or None, instructions or None))
    return found


def rotation(workloads: list[Workload], folder: Path, count: int, *options: object) -> dict[str, list[Iteration]]:
    """Runs `count` iterations of each workload in rotation, so that other load on the machine affects all of them alike."""
    rounds = min(10, count)
    found: dict[str, list[Iteration]] = {each.name: [] for each in workloads}
    for index in range(rounds):
        # The first rounds run one more, so that the sum is `count`.
        length = count // rounds + (index < count % rounds)
        for each in workloads:
            progress(f"round {index + 1} of {rounds}: {each.name}")
            found[each.name] += iterate(each, folder, "--iterations", length, *options)
    return found
