"""Picture quality by bitrate, compared with FFmpeg's and GStreamer's recommended real-time settings."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from ..clip import Clip
from ..figures import count
from ..job import Context, Job
from ..layers import LOW, Frame, Layer, encode_command, high, instructions_per_frame, judge, kilobits, psnr, ssim, work
from ..process import Command, command, progress, run
from ..recipes import FFMPEG, ffmpeg_own, gstreamer_own, gstreamer_source
from ..report import Drawing, Result, Table, Text
from .scale import mark

LOW_RATES = [30, 45, 70, 100, 150]
HIGH_SHARES = [0.2, 0.4, 0.7, 1, 1.6]
# The two clip lengths in seconds whose difference gives the instructions of a frame; both have one key frame.
COUNTED_SECONDS = {"high": (1, 2), "low": (2, 8)}
# Smaller differences are ignored.
PSNR_NOISE, SSIM_NOISE = 0.02, 0.0002
PROGRAMS = {"Rill": "blue", "FFmpeg": "orange", "GStreamer": "purple"}


@dataclass
class Source:
    """A layer's input pictures, as Y4M and as bare I420 samples."""

    layer: Layer
    clip: Path
    samples: Path

    @classmethod
    def of(cls, clip: Path, layer: Layer, stem: Path, *more: object) -> "Source":
        source = cls(layer, stem.with_suffix(".y4m"), stem.with_suffix(".yuv"))
        for output in (source.clip, source.samples):
            run(work("source", clip, layer, "--output", output, *more))
        return source

    def command(self, program: str, codec: str, rate: int, output: Path) -> Command:
        layer = self.layer
        if program == "FFmpeg":
            return command(*ffmpeg_own(self.clip, codec, rate, output))
        if program == "GStreamer":
            pictures = Clip("", self.clip, layer.width, layer.height, 0)
            return command(*gstreamer_own(gstreamer_source(pictures, self.samples, layer.rate), codec, rate, output))
        return encode_command(self.clip, layer, codec, rate, output)


@dataclass
class Curve:
    """One program's results for one layer: frames by target bitrate."""

    program: str
    rate: int
    points: dict[int, list[Frame]] = field(default_factory=dict)
    # Per frame; None if not counted.
    instructions: float | None = None

    def kilobits(self) -> list[float]:
        return [kilobits(frames, self.rate) for frames in self.points.values()]

    def at(self, rate: float, value) -> float | None:
        """PSNR or SSIM at a bitrate, interpolated over the logarithm of the bitrate; None outside of the measured range."""
        pairs = sorted((math.log(kilobits(frames, self.rate)), value(frames)) for frames in self.points.values())
        x = math.log(rate)
        for (x0, y0), (x1, y1) in zip(pairs, pairs[1:]):
            if x0 <= x <= x1:
                return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        return None


def execute(context: Context, result: Result) -> None:
    clip = context.clip()
    full = high(clip)
    sources = [Source.of(clip.path, layer, context.folder / layer.name) for layer in (full, LOW)]
    rates = [[10 * round(share * clip.bitrate() / 10) for share in HIGH_SHARES], LOW_RATES]
    lower = Table(["where Rill is lower, at equal bitrate", "kbit/s", "PSNR-Y dB", "SSIM"], [])
    for codec in [context.codec] if context.codec else ["vp8", "vp9"]:
        for source, asked in zip(sources, rates):
            curves = [trace(context, source, codec, asked, program) for program in PROGRAMS]
            name = f"{codec.upper()} {source.layer}"
            describe(result, name, curves)
            lower.rows += lower_rows(name, curves)
    result.blocks.append(lower if lower.rows else Text("Rill is nowhere lower at equal bitrate."))


def trace(context: Context, source: Source, codec: str, rates: list[int], program: str) -> Curve:
    curve, layer = Curve(program, source.layer.rate), source.layer
    coded = context.folder / ("coded.webm" if program == "GStreamer" else "coded.ivf")
    for rate in rates:
        progress(f"{codec} {layer}, {program}, {rate} kbit/s")
        run(source.command(program, codec, rate, coded))
        ivf = coded
        if coded.suffix != ".ivf":
            ivf = context.folder / "copied.ivf"
            run(command(*FFMPEG, "-y", "-i", coded, "-c", "copy", "-f", "ivf", ivf))
        curve.points[rate] = judge(source.clip, layer, ivf)
    if not context.no_instructions:
        progress(f"{codec} {layer}, {program}: counting instructions")

        def part(seconds: int) -> Command:
            piece = Source.of(source.clip, layer, context.folder / "part", "--seconds", seconds)
            return piece.command(program, codec, rates[2], coded)

        curve.instructions = instructions_per_frame(part, COUNTED_SECONDS[layer.name], layer.rate)
    return curve


def describe(result: Result, name: str, curves: list[Curve]) -> None:
    for title, unit, value in (("PSNR of luma", "dB", psnr), ("SSIM of luma", "", ssim)):
        result.blocks.append(Drawing(plot(f"{name}: {title}", unit, curves, value)))
    table = Table([name, "kbit/s", "PSNR-Y dB", "SSIM", "dropped", "M instructions/frame"], [])
    for curve in curves:
        for index, (asked, frames) in enumerate(curve.points.items()):
            left_out = sum(frame.byte_count == 0 for frame in frames)
            cost = count(curve.instructions, ".2f", 1e6) if index == 2 else ""
            numbers = (count(kilobits(frames, curve.rate), ".1f"), count(psnr(frames), ".2f"), count(ssim(frames), ".4f"), count(left_out))
            table.rows.append([f"{curve.program}, target {asked}", *numbers, cost])
    result.blocks.append(table)


def plot(title: str, unit: str, curves: list[Curve], value) -> dict:
    marks, everything = [], []
    for curve in curves:
        points = sorted([kilobits(frames, curve.rate), value(frames)] for frames in curve.points.values())
        everything += points
        label = curve.program + (f" ({curve.instructions / 1e6:.1f} M instructions per frame)" if curve.instructions else "")
        marks += [mark(label, PROGRAMS[curve.program], "line", points), mark("", PROGRAMS[curve.program], "scatter", points)]
    (left, right), (low, high_) = ((min(values), max(values)) for values in zip(*everything))
    x = {"title": "actual bitrate", "unit": "kbit/s", "scale": "logarithmic", "range": [left * 0.95, right * 1.05]}
    y = {"title": title, "unit": unit, "scale": "linear", "range": [low - 0.05 * (high_ - low), high_ + 0.05 * (high_ - low)]}
    return {"kind": "plot", "title": title, "caption": "", "height": 260, "x": x, "y": y, "marks": marks}


def lower_rows(name: str, curves: list[Curve]) -> list[list]:
    """Compares at each bitrate that either program reached and both cover, at least 3 % apart."""
    ours, rows = curves[0], []
    for theirs in curves[1:]:
        last = 0.0
        for rate in sorted(ours.kilobits() + theirs.kilobits()):
            values = [curve.at(rate, value) for value in (psnr, ssim) for curve in (ours, theirs)]
            if rate <= 1.03 * last or None in values:
                continue
            last, gaps = rate, (values[0] - values[1], values[2] - values[3])
            if gaps[0] < -PSNR_NOISE or gaps[1] < -SSIM_NOISE:
                rows.append([f"{name}, {theirs.program}, {rate:.0f}", count(rate), count(gaps[0], "+.2f"), count(gaps[1], "+.4f")])
    return rows


JOB = Job(
    "quality", "Picture quality",
    "Encodes the clip at five bitrates at its full size, and at five as the low layer (160x120, 5 frames per second), with Rill's defaults "
    "and with FFmpeg's and GStreamer's recommended settings (bench/recipes.py). vpxdec decodes all of them. PSNR (of the mean squared error "
    "over all frames) and SSIM are of luma, compared with the same source at every frame; a dropped frame counts with the picture before "
    "it. Bitrates are the actual ones, not the targets. Also counts each program's instructions per frame.",
    execute, {"codec": None, "no-instructions": False},
)
