"""Runs programs and measures each run: CPU seconds, wall seconds, peak memory."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "Benchmarks"
# Both packages are built here, so that shared code is compiled once.
SCRATCH = REPOSITORY / ".build"
# A trap ends a program instead of starting a debugger that waits.
ENVIRONMENT = {"SWIFT_BACKTRACE": "enable=no"}
# The time limit of a run in seconds.
LIMIT = 3600.0


class CommandFailed(Exception):
    """A program failed or timed out; the text has the command and the end of its output."""


@dataclass(frozen=True)
class Command:
    """A program with its arguments and additional environment variables."""

    words: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return " ".join([f"{key}={quoted(value)}" for key, value in self.environment.items()] + [*map(quoted, self.words)])


def command(*words: object, **environment: str) -> Command:
    return Command(tuple(map(str, words)), environment)


def quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else "'" + word.replace("'", "'\\''") + "'"


@dataclass
class Run:
    """The cost of one run. CPU is user and system time of the process and the children that it waited for."""

    cpu: float
    wall: float
    peak: int
    # Everything that it printed, and what it printed on standard output.
    output: str
    answer: str = ""

    def __sub__(self, part: "Run") -> "Run":
        """The difference to another run; the peak memory is not additive and stays."""
        return Run(self.cpu - part.cpu, self.wall - part.wall, self.peak, self.output, self.answer)


class Process:
    """A running program. GNU time measures its peak memory: a child of this Python would count the memory of the forked Python,
    too."""

    def __init__(self, what: Command, stdin: int | Path = subprocess.DEVNULL) -> None:
        self.what = what
        self._folder = tempfile.TemporaryDirectory(prefix="rill-bench-run-")
        self._output = open(f"{self._folder.name}/output", "wb+")
        self._errors = open(f"{self._folder.name}/errors", "wb+")
        self._begin = time.monotonic()
        self._process = subprocess.Popen(
            ["time", "--quiet", "--format=%M", f"--output={self._folder.name}/peak", *what.words],
            stdin=stdin, stdout=self._output, stderr=self._errors, env=os.environ | ENVIRONMENT | what.environment,
            start_new_session=True,
        )

    def printed(self) -> str:
        return self._answer() + Path(self._errors.name).read_text(errors="replace")

    def _answer(self) -> str:
        return Path(self._output.name).read_text(errors="replace")

    def wait(self, limit: float = LIMIT, look: Callable[[], None] | None = None, pause: float = 0.002) -> Run:
        """Waits for its end, and calls `look` every `pause` seconds."""
        status, usage = 0, None
        try:
            while True:
                child, status, usage = os.wait4(self._process.pid, os.WNOHANG if look or limit < LIMIT else 0)
                if child != 0:
                    break
                if time.monotonic() - self._begin > limit:
                    raise CommandFailed(f"{self.what}\ntimed out after {limit:.0f} s")
                if look:
                    look()
                time.sleep(pause)
        except BaseException:
            self.stop()
            raise
        wall = time.monotonic() - self._begin
        self._process.returncode = code = os.waitstatus_to_exitcode(status)
        if look:
            look()
        text = self.printed()
        if code != 0:
            raise CommandFailed(f"{self.what}\nexited with {code}:\n{text[-2000:]}")
        peak = int(Path(f"{self._folder.name}/peak").read_text().split()[-1])
        return Run(usage.ru_utime + usage.ru_stime, wall, 1024 * peak, text, self._answer())

    def interrupt(self) -> None:
        """Ctrl-C: a program of ours then ends in order, and completes what it writes."""
        os.killpg(self._process.pid, signal.SIGINT)

    def stop(self) -> None:
        if self._process.returncode is None:
            os.killpg(self._process.pid, 9)
            self._process.wait()


def run(what: Command, limit: float = LIMIT, stdin: int | Path = subprocess.DEVNULL) -> Run:
    """Runs a program to its end."""
    return Process(what, stdin).wait(limit)


@contextmanager
def meanwhile(*commands: Command):
    """Runs programs in the background, and ends them."""
    children = [Process(each) for each in commands]
    try:
        yield
    finally:
        for child in children:
            child.stop()


def printed(text: str) -> dict[str, float]:
    """The pairs `name=value` in a program's output; the last one for a repeated name."""
    return {name: float(value) for name, value in re.findall(r"(\w+)= *(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\b", text)}


def installed(program: str) -> str | None:
    """The path of a program; None if it is not installed."""
    return shutil.which(program)


def progress(text: str) -> None:
    """Prints a line on standard error that the next one replaces; only on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


# Building programs.


def build(product: str, package: Path = PACKAGE, scratch: Path = SCRATCH) -> str:
    """Builds a Swift program in release, and returns its path; swift build prints its own errors.

    Without the variable SwiftPM orders traits by a random seed, and compiles all again when the order changes.
    """
    options = os.environ.get("RILL_RELEASE_OPTIONS", "").split()
    return _built(
        product, scratch / "release" / product,
        ["env", "SWIFT_DETERMINISTIC_HASHING=1", "swift", "build", "--package-path", package, "--scratch-path", scratch, "-c", "release", "--product", product, *options],
    )


def build_c(name: str, *options: str) -> str:
    """Compiles a C program of `Programs/`, or a library if the name ends in .so."""
    output = PACKAGE / ".build" / name
    output.parent.mkdir(exist_ok=True)
    source = PACKAGE / "Programs" / (Path(name).stem + ".c")
    shared = ["-shared", "-fPIC"] if name.endswith(".so") else []
    return _built(name, output, ["clang", "-O2", "-Wall", "-Wextra", *shared, "-o", output, source, *options])


_done: set[str] = set()


def _built(name: str, path: Path, step: Sequence[object]) -> str:
    if name not in _done:
        progress(f"building {name}")
        done = subprocess.run([*map(str, step)], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\nfailed: {' '.join(map(str, step))}")
        _done.add(name)
    return str(path)


def rill() -> str:
    """The path of the program rill."""
    return build("rill", REPOSITORY)
