"""What can be measured: a job has a word, says what options it takes, and fills in a result."""

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
    """The command line asks for what there is not."""


@dataclass(frozen=True)
class Job:
    """One word of the command line."""

    name: str
    title: str
    help: str
    run: Callable[["Context", Result], None]
    # Options that it takes, by name, and what they are where nobody says.
    options: dict[str, Any] = field(default_factory=dict)
    takes_clip: bool = True


@dataclass
class Context:
    """What a job is given: its options, its clip, and a folder that goes with the run."""

    arguments: argparse.Namespace
    job: Job
    folder: Path

    def __getattr__(self, name: str) -> Any:
        """An option's value: that of the command line, or the job's own."""
        value = getattr(self.arguments, name, None)
        key = name.replace("_", "-")
        if value is None and key not in self.job.options:
            raise AttributeError(name)
        return self.job.options[key] if value is None else value

    def clip(self, frame_count: int | None = None, size: str | None = None, seconds: int = 10) -> Clip:
        """The clip of the command line, or the portrait; its first pictures where so many are wanted."""
        path = self.arguments.clip
        found = clips.opened(path, self.folder) if path else clips.portrait(size or "1280x720", seconds, self.folder)
        if size and found.size != size:
            raise CommandFailed(f"{found.name} is {found.size}, and not {size}")
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
    """Whole kbit/s, as `1500k` or `2M`; what no picture can be coded at is refused."""
    factor = {"k": 1, "M": 1000}.get(text[-1:])
    if factor is None or not text[:-1].isdigit() or not 10 <= int(text[:-1]) * factor <= 200_000:
        raise argparse.ArgumentTypeError(f"{text} is not a bitrate from 10k to 200M, such as 1500k")
    return int(text[:-1]) * factor


FLAG: dict[str, Any] = {"action": "store_true"}
OPTIONS: dict[str, dict[str, Any]] = {
    "iterations": {"type": number(1, 999), "metavar": "N", "help": "runs of each"},
    "frames": {"type": number(6, 100_000), "metavar": "N", "help": "pictures of the clip, from its beginning, at most"},
    "bitrate": {"type": kilobits, "metavar": "RATE", "help": "of the high layer, as 1500k (by its size where nobody says)"},
    "codec": {"choices": ["vp8", "vp9"], "help": "one codec alone"},
    "no-instructions": FLAG | {"help": "do not count instructions, which takes minutes"},
    "duration": {"type": duration, "metavar": "TIME", "help": "of each call, as 90s or 10min"},
    "seconds": {"type": number(1, 3600), "metavar": "N", "help": "that each load is timed, or the clip is played"},
    "rounds": {"type": number(1, 99), "metavar": "N", "help": "the middle one counts, and for the model the least"},
    "most": {"type": number(1, 100_000), "metavar": "N", "help": "senders, and participants, at most"},
    "work": {"metavar": "FILE", "help": "another build of bench-work in the place of this one"},
    "seed": {"type": number(0), "metavar": "N", "help": "of the order of the programs"},
    "seeds": {"type": number(1), "metavar": "N", "help": "how many calls over each network"},
    "workers": {"type": number(1), "metavar": "N", "help": "calls at once"},
    "row": {"metavar": "TEXT", "help": "only networks whose name contains this"},
    "quick": FLAG | {"help": "less of it, as CI does"},
    "check": {"type": number(1), "metavar": "N", "help": "make N seeds' calls with codecs too, and compare"},
    "two-way": FLAG | {"help": "the same layers come back meanwhile"},
    "real": {"type": number(1), "metavar": "N", "help": "play N traces in real time too"},
    "suite": {"action": "append", "metavar": "NAME", "help": "only this one; may be given several times"},
    "update": FLAG | {"help": "write what was measured, in the place of comparing"},
    "file": {"type": Path, "help": "the committed figures"},
    "key-frame-percentage": {"type": number(0), "metavar": "N", "help": "the low layer's limit to its key frames; 0 is none"},
    "threads": {"metavar": "LIST", "help": "FFmpeg's rows"},
    "command": {"metavar": "TEXT", "help": "what is counted, with {frames} or {seconds} where its length belongs"},
    "times": {"type": number(2), "metavar": "N", "help": "how many times longer the longer run is"},
    "top": {"type": number(1), "metavar": "N", "help": "origins that are shown"},
    "depth": {"type": number(1), "metavar": "N", "help": "callers that name an origin"},
}
