"""Programs that stand beside the workloads: bare C loops, and ours that do the same work with the same arguments."""

import subprocess
import sys
from pathlib import Path

from .measure import progress
from .workloads import PACKAGE, Workload, product

BUILD = PACKAGE / ".build"


def compile_c(*arguments: str) -> None:
    """Compiles C; the compiler says itself what is wrong."""
    BUILD.mkdir(exist_ok=True)
    step = ["clang", "-O2", "-Wall", "-Wextra", "-Wno-unknown-warning-option", *arguments]
    progress(f"building {Path(arguments[-1]).name}")
    if subprocess.run(step, stdout=sys.stderr, check=False).returncode != 0:
        sys.exit(f"this did not work: {' '.join(step)}")


def bare_loop() -> Path:
    """The library calls of the sending side and nothing else."""
    program = BUILD / "bare-loop"
    compile_c(str(PACKAGE / "BareLoop" / "bare-loop.c"), "-lvpx", "-lyuv", "-o", str(program))
    return program


def fake_camera() -> tuple[Path, Path]:
    """A camera made of a file in memory, to be preloaded, and libyuv's bare conversion of the same picture."""
    sources, library, bare = PACKAGE / "FakeCamera", BUILD / "fake-camera.so", BUILD / "bare-conversion"
    compile_c("-shared", "-fPIC", str(sources / "fake-camera.c"), "-ldl", "-o", str(library))
    compile_c(str(sources / "bare-conversion.c"), "-lyuv", "-o", str(bare))
    return library, bare


def beside(folder: Path, suites: set[str] | None = None) -> list[Workload]:
    """Workloads that are programs of their own, each behind its floor; those of `suites`, built for it, or all."""
    found = []
    if suites is None or suites & {"codec", "pipeline"}:
        found += _simulcast(folder)
    if suites is None or "image" in suites:
        found += _camera()
    return found


def _simulcast(folder: Path) -> list[Workload]:
    """Both codecs' simulcast of the material's clip, and the bare loop that does the same."""
    loop, simulcast = bare_loop(), product("simulcast")
    rates = ("1500", "45")
    found = []
    for codec in ("vp8", "vp9"):
        arguments = (codec, str(folder / "clip.y4m"), *rates)
        bare = _program(f"codec/{codec}-bare-loop", None, str(loop), *arguments)
        found += [bare, _program(f"codec/{codec}-simulcast", bare.name, str(simulcast), *arguments)]
    return found


def _camera() -> list[Workload]:
    """A frame of a camera of YUYV, and libyuv's conversion of it."""
    library, conversion = fake_camera()
    bare = _program("image/yuyv-libyuv", None, str(conversion))
    program = str(product("camera-cost"))
    return [bare, _program("image/yuyv-camera", bare.name, program, preload=library)]


def _program(name: str, floor: str | None, *arguments: str, preload: Path | None = None) -> Workload:
    """A program whose last argument is how many frames it works on. Six: every sixth has a low one beside it."""
    variables = {} if preload is None else {"LD_PRELOAD": str(preload)}
    suite = name.split("/")[0]
    return Workload(name, suite, "clipFrame", 1280 * 720, 6, floor, arguments, variables, counts_allocations=False)
