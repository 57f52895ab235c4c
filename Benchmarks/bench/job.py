"""A job: something to measure. It has a name and options, and fills in a result."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import clip as clips
from .clip import Clip
from .process import CommandFailed
from .report import Result


class WrongUse(Exception):
    """The command line is wrong."""


@dataclass(frozen=True)
class Job:
    """A job of the command line."""

    name: str
    title: str
    help: str
    run: Callable[["Context", Result], None]
    # Its options by name, with their defaults.
    options: dict[str, Any] = field(default_factory=dict)
    takes_clip: bool = True


@dataclass
class Context:
    """A job's input: its options, its clip, and the folder of the run."""

    arguments: argparse.Namespace
    job: Job
    folder: Path

    def __getattr__(self, name: str) -> Any:
        """An option's value from the command line, or the job's default."""
        value = getattr(self.arguments, name, None)
        key = name.replace("_", "-")
        if value is None and key not in self.job.options:
            raise AttributeError(name)
        return self.job.options[key] if value is None else value

    def clip(self, frame_count: int | None = None, size: str | None = None, seconds: int = 10) -> Clip:
        """The clip of the command line or the portrait, limited to its first `frame_count` pictures."""
        path = self.arguments.clip
        found = clips.opened(path, self.folder) if path else clips.portrait(size or "1280x720", seconds, self.folder)
        if size and found.size != size:
            raise CommandFailed(f"{found.name} is {found.size}, not {size}")
        return found.first(frame_count, self.folder) if frame_count and frame_count < found.frame_count else found


def number(least: int, most: int = 10**9) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not a number from {least} to {most}")
        return int(text)

    return parse


def duration(text: str) -> int:
    """Whole seconds: `90s`, `10min`."""
    for unit, seconds in (("min", 60), ("s", 1), ("", 1)):
        if text.endswith(unit) and text.removesuffix(unit).isdigit() and 0 < int(text.removesuffix(unit)) * seconds <= 86_400:
            return int(text.removesuffix(unit)) * seconds
    raise argparse.ArgumentTypeError(f"{text} is not a duration such as 90s or 10min, up to a day")


def kilobits(text: str) -> int:
    """Whole kbit/s, such as `1500k` or `2M`; rejects implausible values."""
    factor = {"k": 1, "M": 1000}.get(text[-1:])
    if factor is None or not text[:-1].isdigit() or not 10 <= int(text[:-1]) * factor <= 200_000:
        raise argparse.ArgumentTypeError(f"{text} is not a bitrate from 10k to 200M, such as 1500k")
    return int(text[:-1]) * factor


FLAG: dict[str, Any] = {"action": "store_true"}
OPTIONS: dict[str, dict[str, Any]] = {
    "iterations": {"type": number(1, 999), "metavar": "N", "help": "runs of each program or workload"},
    "frames": {"type": number(6, 100_000), "metavar": "N", "help": "use at most the first N pictures of the clip"},
    "viewers": {"type": number(1, 500), "metavar": "COUNT", "help": "viewers of the stream"},
    "bitrate": {"type": kilobits, "metavar": "RATE", "help": "bitrate of the high layer, such as 1500k (default: by its size)"},
    "codec": {"choices": ["vp8", "vp9"], "help": "only this codec"},
    "no-instructions": FLAG | {"help": "do not count instructions, which takes minutes"},
    "duration": {"type": duration, "metavar": "TIME", "help": "duration of each call, such as 90s or 10min"},
    "seconds": {"type": number(1, 3600), "metavar": "N", "help": "how long each load is timed, or the clip is played"},
    "rounds": {"type": number(1, 99), "metavar": "N", "help": "rounds; the median counts, and for the model the minimum"},
    "most": {"type": number(1, 100_000), "metavar": "N", "help": "maximum number of senders and of participants"},
    "work": {"metavar": "FILE", "help": "another build of bench-work instead of this one"},
    "seed": {"type": number(0), "metavar": "N", "help": "seed for the order of the programs"},
    "seeds": {"type": number(1), "metavar": "N", "help": "number of calls over each network"},
    "workers": {"type": number(1), "metavar": "N", "help": "number of parallel calls"},
    "row": {"metavar": "TEXT", "help": "only networks whose name contains this"},
    "quick": FLAG | {"help": "measure less, as CI does"},
    "whole": FLAG | {"help": "measure all: ten million messages"},
    "live": FLAG | {"help": "make the calls in real time, and compare with virtual time"},
    "traces": {"metavar": "FOLDER", "help": "recorded traces (mm-link's format) to make the calls over"},
    "check": {"type": number(1), "metavar": "N", "help": "also make the calls of N seeds with codecs, and compare"},
    "two-way": FLAG | {"help": "send the same layers in both directions"},
    "real": {"type": number(1), "metavar": "N", "help": "also play N traces in real time"},
    "suite": {"action": "append", "metavar": "NAME", "help": "only this suite; may be repeated"},
    "update": FLAG | {"help": "write the measured figures instead of comparing"},
    "file": {"type": Path, "help": "file of committed figures"},
    "key-frame-percentage": {"type": number(0), "metavar": "N", "help": "the low layer's limit for key frame sizes; 0 for none"},
    "clips": {"metavar": "FILES", "help": "Y4M clips, with commas between"},
    "alterations": {"metavar": "NAMES", "help": "only these alterations of clips, with commas between"},
    "rates": {"metavar": "LIST", "help": "bitrates in kbit/s, with commas between"},
    "kept": {"metavar": "FOLDER", "help": "a folder for altered clips and for figures of the usual recipe, which later runs use"},
    "threads": {"metavar": "LIST", "help": "thread counts for FFmpeg"},
    "command": {"metavar": "TEXT", "help": "the command to count, with {frames} or {seconds} for its length"},
    "times": {"type": number(2), "metavar": "N", "help": "length of the longer run relative to the shorter"},
    "top": {"type": number(1), "metavar": "N", "help": "number of origins to show"},
    "depth": {"type": number(1), "metavar": "N", "help": "number of callers that name an origin"},
}
