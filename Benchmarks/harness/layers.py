"""One layer of a simulcast by itself: what it sees of a clip, what an encoder makes of it, how that looks."""

import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .measure import CommandFailed
from .report import REPOSITORY

PACKAGE = REPOSITORY / "Benchmarks"
TRIAL = PACKAGE / ".build" / "release" / "layer-trial"


@dataclass(frozen=True)
class Layer:
    """A layer of that size and rate, in pixels and frames a second."""

    name: str
    width: int
    height: int
    rate: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}@{self.rate}"


LOW = Layer("low", 160, 120, 5)


def high(clip: Path) -> Layer:
    """The layer that carries a Y4M clip at its full size."""
    with open(clip, "rb") as file:
        line = file.readline(256).decode(errors="replace")
    found = re.search(r"^YUV4MPEG2 .*?W(\d+) H(\d+)", line)
    if not found:
        raise CommandFailed(f"{clip} is no Y4M clip")
    return Layer("high", int(found[1]), int(found[2]), 30)


def high_bitrate(layer: Layer, codec: str) -> int:
    """What `Bitrate.suggested` says, in kbit/s."""
    share = 0.75 if codec == "vp9" else 1
    return round(800 * share * (layer.width * layer.height / (640 * 480)) ** 0.5722)


def build() -> None:
    """Builds layer-trial; the tool says itself what is wrong."""
    step = ["swift", "build", "--configuration", "release", "--package-path", str(PACKAGE), "--product", "layer-trial"]
    if subprocess.run(step, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        sys.exit(f"this did not work: {' '.join(step)}")


@dataclass
class Frame:
    """One frame of what a layer saw, and what became of it."""

    number: int
    # 0 where the encoder left it out: the picture before it is shown on.
    byte_count: int
    # Mean squared error of luma, and its structural similarity.
    error: float
    ssim: float
    is_key: bool = False
    # As the codec counts: 0 to 127 for VP8, 0 to 255 for VP9. `None` where nobody said.
    quantizer: int | None = None

    @property
    def psnr(self) -> float:
        return psnr([self])


def psnr(frames: list[Frame]) -> float:
    """Of the mean squared error over all frames, in dB."""
    error = sum(frame.error for frame in frames) / len(frames)
    return 10 * math.log10(255 * 255 / error) if error > 0 else math.inf


def ssim(frames: list[Frame]) -> float:
    return sum(frame.ssim for frame in frames) / len(frames)


def kilobits(frames: list[Frame], rate: int) -> float:
    """Of frames that follow one another, in kbit/s."""
    return 8 * sum(frame.byte_count for frame in frames) * rate / len(frames) / 1000


def encode_command(clip: Path, layer: Layer, codec: str, bitrate: int, output: Path, *more: str) -> list[str]:
    arguments = ["encode", "--clip", str(clip), "--layer", str(layer), "--codec", codec]
    return [str(TRIAL), *arguments, "--kilobits", str(bitrate), "--output", str(output), *more]


def encode(
    clip: Path, layer: Layer, codec: str, bitrate: int, output: Path, *more: str
) -> dict[int, tuple[bool, int]]:
    """Encodes with Rill; says of each coded frame whether it is a key frame, and its quantizer."""
    text = run(encode_command(clip, layer, codec, bitrate, output, *more))
    lines = [[int(word) for word in line.split()] for line in text.splitlines()]
    return {number: (is_key == 1, quantizer) for number, _, is_key, quantizer in lines}


def judge(clip: Path, layer: Layer, coded: Path, *more: str) -> list[Frame]:
    """Decodes an IVF file with vpxdec and compares each frame of the layer with what is shown at its time."""
    arguments = ["judge", "--clip", str(clip), "--layer", str(layer), "--coded", str(coded), *more]
    decoder = subprocess.Popen(
        ["vpxdec", "--i420", "-o", "-", str(coded)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    text = run([str(TRIAL), *arguments], decoder.stdout)
    if decoder.wait() != 0:
        raise CommandFailed(f"vpxdec does not decode {coded}")
    fields = [line.split() for line in text.splitlines()]
    return [Frame(int(number), int(size), float(error), float(ssim)) for number, size, error, ssim in fields]


def run(command: list[str], stdin=None) -> str:
    """Runs a command to its end and gives what it printed."""
    done = subprocess.run(
        command, stdin=stdin or subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
        env=os.environ | {"SWIFT_BACKTRACE": "enable=no"},
    )
    if done.returncode != 0:
        raise CommandFailed(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout
