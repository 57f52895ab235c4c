"""One simulcast layer on its own: its input pictures, its encoding, and its quality."""

import math
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .clip import RATE, Clip
from .counting import instructions
from .process import Command, CommandFailed, build, command, run


@dataclass(frozen=True)
class Layer:
    """A layer with its size in pixels and its rate in frames per second."""

    name: str
    width: int
    height: int
    rate: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}@{self.rate}"


LOW = Layer("low", 160, 120, 5)


def high(clip: Clip) -> Layer:
    """The layer that carries a clip at its full size."""
    return Layer("high", clip.width, clip.height, RATE)


@dataclass
class Frame:
    """One input frame of a layer, and its result."""

    number: int
    # 0 if the encoder dropped it: the previous picture stays on screen.
    byte_count: int
    # Mean squared error of luma, and its structural similarity.
    error: float
    ssim: float
    is_key: bool = False
    # The codec's index: 0 to 127 for VP8, 0 to 255 for VP9. None if unknown.
    quantizer: int | None = None


def psnr(frames: list[Frame]) -> float:
    """The PSNR of the mean squared error over all frames, in dB."""
    error = sum(frame.error for frame in frames) / len(frames)
    return 10 * math.log10(255 * 255 / error) if error > 0 else math.inf


def ssim(frames: list[Frame]) -> float:
    return sum(frame.ssim for frame in frames) / len(frames)


def kilobits(frames: list[Frame], rate: int) -> float:
    """The bitrate of consecutive frames, in kbit/s."""
    return 8 * sum(frame.byte_count for frame in frames) * rate / len(frames) / 1000


def work(verb: str, clip: Path, layer: Layer, *more: object) -> Command:
    return command(build("bench-work"), f"layer-{verb}", "--clip", clip, "--layer", layer, *more)


def encode_command(clip: Path, layer: Layer, codec: str, bitrate: int, output: Path, *more: object) -> Command:
    return work("encode", clip, layer, "--codec", codec, "--kilobits", bitrate, "--output", output, *more)


def encode(clip: Path, layer: Layer, codec: str, bitrate: int, output: Path, *more: object) -> dict[int, tuple[bool, int]]:
    """Encodes with Rill; returns for each encoded frame whether it is a key frame, and its quantizer."""
    text = run(encode_command(clip, layer, codec, bitrate, output, *more)).output
    lines = [[int(word) for word in line.split()] for line in text.splitlines()]
    return {number: (is_key == 1, quantizer) for number, _, is_key, quantizer in lines}


def judge(clip: Path, layer: Layer, coded: Path, *more: object) -> list[Frame]:
    """Decodes an IVF file with vpxdec and compares each frame of the layer with the picture shown at its time."""
    decoder = subprocess.Popen(["vpxdec", "--i420", "-o", "-", str(coded)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    text = run(work("judge", clip, layer, "--coded", coded, *more), stdin=decoder.stdout).output
    if decoder.wait() != 0:
        raise CommandFailed(f"vpxdec does not decode {coded}")
    fields = [line.split() for line in text.splitlines()]
    return [Frame(int(number), int(size), float(error), float(likeness)) for number, size, error, likeness in fields]


def instructions_per_frame(make, lengths: tuple[int, int], rate: int) -> float:
    """Those of a frame: of so many seconds less those of fewer, so that starting the program is in neither."""
    shorter, longer = (instructions(make(seconds)) for seconds in lengths)
    return (longer - shorter) / ((lengths[1] - lengths[0]) * rate)
