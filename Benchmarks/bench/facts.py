"""Facts about the machine and the programs that matter for a measurement."""

import os
import platform
import re
import subprocess
from pathlib import Path

from .process import REPOSITORY


def first_match(*words: str, pattern: str = r"(.*\S)") -> str:
    """The first match of a pattern in a program's output; `not installed` if the program is missing."""
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    except FileNotFoundError:
        return "not installed"
    found = re.search(pattern, done.stdout + done.stderr)
    return found[1] if found else "unknown"


def processor() -> str:
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return model[1] if model else platform.machine()


def versions() -> dict[str, str]:
    """The versions that instruction counts depend on besides our own code."""
    found = {name: first_match("dpkg-query", "--show", "--showformat=${Version}", f"{name}-dev") for name in ("libvpx", "libyuv")}
    found["swift"] = first_match("swift", "--version", pattern=r"Swift version (\S+)")
    return found | {"valgrind": first_match("valgrind", "--version")}


def all_facts(load_before: str) -> dict[str, str]:
    changed = first_match("git", "status", "--porcelain", "--untracked-files=no")
    system = re.search(r'PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text())
    return {
        "rill": first_match("git", "rev-parse", "--short", "HEAD") + ("" if changed == "unknown" else ", with changes"),
        "processor": f"{processor()}, {os.cpu_count()} threads",
        "memory": f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') >> 20} MiB",
        "system": f"{system[1] if system else 'unknown'}, Linux {platform.release()}",
        "load": f"{load_before} before, {load()} after",
        **versions(),
        "ffmpeg": first_match("ffmpeg", "-version", pattern=r"ffmpeg version (\S+)"),
        "gstreamer": first_match("gst-launch-1.0", "--version", pattern=r"GStreamer (\S+)"),
        "vpxenc": first_match("vpxenc", "--help", pattern=r"WebM Project VP8 Encoder (\S+)"),
    }


def load() -> str:
    """The load average over 1, 5 and 15 minutes."""
    return ", ".join(f"{value:.2f}" for value in os.getloadavg())
