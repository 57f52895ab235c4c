"""Runs programs, and says what each run took: CPU seconds, wall seconds, peak memory. The instrument for seconds."""

import os
import re
import shutil
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
# Both packages are built here: what they share is compiled once.
SCRATCH = REPOSITORY / ".build"
# A trap ends a program, and no debugger waits for anybody.
ENVIRONMENT = {"SWIFT_BACKTRACE": "enable=no"}
# Seconds that any run may take.
LIMIT = 3600.0


class CommandFailed(Exception):
    """A program ended with an error, or did not end in time; the text says which one, and the end of what it printed."""


@dataclass(frozen=True)
class Command:
    """A program and its arguments, and what it finds in its environment besides ours."""

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
    """What one run took. CPU is user and system time of the process and the children that it waited for."""

    cpu: float
    wall: float
    peak: int
    # What it printed: all of it, and on standard output alone.
    output: str
    answer: str = ""

    def __sub__(self, part: "Run") -> "Run":
        """What is left without what another run took; the peak is not a sum, and stays."""
        return Run(self.cpu - part.cpu, self.wall - part.wall, self.peak, self.output, self.answer)


class Process:
    """A program at work. GNU time is asked for its peak: a child of this Python would count the memory of the Python that it
    was before it became the program."""

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
        """Waits for its end; `look` is called meanwhile, each `pause` seconds."""
        status, usage = 0, None
        try:
            while True:
                child, status, usage = os.wait4(self._process.pid, os.WNOHANG if look or limit < LIMIT else 0)
                if child != 0:
                    break
                if time.monotonic() - self._begin > limit:
                    raise CommandFailed(f"{self.what}\nwas not done after {limit:.0f} s")
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
            raise CommandFailed(f"{self.what}\nended with {code}:\n{text[-2000:]}")
        peak = int(Path(f"{self._folder.name}/peak").read_text().split()[-1])
        return Run(usage.ru_utime + usage.ru_stime, wall, 1024 * peak, text, self._answer())

    def stop(self) -> None:
        if self._process.returncode is None:
            os.killpg(self._process.pid, 9)
            self._process.wait()


def run(what: Command, limit: float = LIMIT, stdin: int | Path = subprocess.DEVNULL) -> Run:
    """Runs a program to its end."""
    return Process(what, stdin).wait(limit)


@contextmanager
def meanwhile(*commands: Command):
    """Lets programs work, and ends them."""
    children = [Process(each) for each in commands]
    try:
        yield
    finally:
        for child in children:
            child.stop()


def printed(text: str) -> dict[str, float]:
    """The pairs `name=value` in what a program prints; of a name that stands there often, the last."""
    return {name: float(value) for name, value in re.findall(r"(\w+)= *(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\b", text)}


def installed(program: str) -> str | None:
    """Where a program is; None where it is not installed."""
    return shutil.which(program)


def progress(text: str) -> None:
    """One line on standard error that the next one replaces; on anything but a terminal, nothing."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


# Programs that are built.


def build(product: str, package: Path = PACKAGE) -> str:
    """Builds a Swift program in release, and says where it is; the tool says itself what is wrong."""
    options = os.environ.get("RILL_RELEASE_OPTIONS", "").split()
    return _built(
        product, SCRATCH / "release" / product,
        ["swift", "build", "--package-path", package, "--scratch-path", SCRATCH, "-c", "release", "--product", product, *options],
    )


def build_c(name: str, *options: str) -> str:
    """Compiles a C program of `Programs/`, or a library where it ends with .so."""
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
            sys.exit(f"{done.stdout}\nthis did not work: {' '.join(map(str, step))}")
        _done.add(name)
    return str(path)


def rill() -> str:
    """The command line."""
    return build("rill", REPOSITORY)
