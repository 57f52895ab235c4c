"""The beauty filter: its cost beyond reading the clip, and its share of sending."""

from ..clip import Clip, scaled
from ..contest import CPU, INSTRUCTIONS, OURS, RIVAL, Entry, Heat, hold
from ..counting import instructions
from ..figures import count, timed
from ..job import Context, Job
from ..process import Command, CommandFailed, build, command, installed, progress
from ..process import run as run_once
from ..recipes import FFMPEG
from ..report import Result, Table, target

BILATERAL = "bilateral=sigmaS=3:sigmaR=0.1:planes=1"
SIZES = ["640x360", "1280x720", "1920x1080", "2560x1440", "3840x2160"]
OPENCV = """
import sys, cv2, numpy
cv2.setNumThreads(1)
path, is_filtered, count = sys.argv[1], sys.argv[2] == "natural", 0
with open(path, "rb") as file:
    header = file.readline().split()
    width, height = (int(next(w[1:] for w in header if w[:1] == key)) for key in (b"W", b"H"))
    while file.readline():
        samples = file.read(width * height * 3 // 2)
        luma = numpy.frombuffer(samples, numpy.uint8, width * height).reshape(height, width)
        if is_filtered:
            cv2.bilateralFilter(luma, 9, 26, 3)
        count += 1
print(f"frames={count}")
"""


def run(context: Context, result: Result) -> None:
    clip, work = context.clip(context.frames), context.work or build("bench-work")

    def beautify(options: str, path=clip.path) -> Command:
        return command(work, "beautify", "--clip", path, "--beauty", options)

    read, drop = [*FFMPEG, *"-nostats -progress pipe:1 -threads 1 -filter_threads 1 -i".split(), clip.path], ["-f", "null", "-"]
    entries = [
        Entry("Rill, natural", OURS, beautify("natural"), beautify("off")),
        Entry("FFmpeg, bilateral", RIVAL, command(*read, "-vf", BILATERAL, *drop), command(*read, *drop)),
    ]
    if has_opencv():
        words = ("/usr/bin/python3", "-c", OPENCV, clip.path)
        entries.append(Entry("OpenCV, bilateralFilter", RIVAL, command(*words, "natural"), command(*words, "off")))
    else:
        result.note("OpenCV is not installed (Debian: python3-opencv).")

    heat = Heat("the filter alone", [INSTRUCTIONS, CPU], entries)
    hold(
        context, result, [heat],
        "Each program reads the clip with and without filtering it; the difference is the filter's cost. Rill's filter finds skin, "
        "smooths, lightens and reddens it, and sharpens the rest; FFmpeg's bilateral filter and OpenCV's (d = 9) smooth all of luma. "
        "One thread.",
    )
    table = Table([f"a frame of {clip.size}", "ms", "Rill relative to it"], [])
    for entry in heat.entries:
        milliseconds = [1000 * value / clip.frame_count for value in CPU.of(entry)]
        beside = next((found for other, found in heat.compared(CPU) if other is entry), None)
        table.rows.append([entry.name, timed(milliseconds), count(1 / beside.ratio if beside else None, ".3f")])
    result.blocks.append(table)
    for name, limit in (("FFmpeg", 0.20), ("OpenCV", 0.06)):
        heat.promise(result, f"beauty, CPU seconds relative to {name}", CPU, name, limit)
    if not context.quick and installed("ffmpeg"):
        sizes(context, result, clip, work)
    if not context.no_instructions and installed("valgrind"):
        sending(context, result, clip, work)


def has_opencv() -> bool:
    try:
        run_once(command("/usr/bin/python3", "-c", "import cv2"))
    except CommandFailed:
        return False
    return True


def sizes(context: Context, result: Result, clip: Clip, work: str) -> None:
    """Checks that the cost is proportional to the pixels."""
    table = Table(["size", "ns per pixel"], [])
    frames = max(6, context.frames // 4)
    for size in SIZES:
        part = scaled(clip, size, frames, context.folder)
        values = []
        for iteration in range(min(context.iterations, 5)):
            progress(f"beauty, {size}, iteration {iteration + 1}")
            whole, read = (run_once(command(work, "beautify", "--clip", part.path, "--beauty", each)) for each in ("natural", "off"))
            values.append(1e9 * (whole.cpu - read.cpu) / (part.frame_count * part.pixels))
        table.rows.append([size, timed(values)])
        part.path.unlink()
    result.blocks.append(table)


def sending(context: Context, result: Result, clip: Clip, work: str) -> None:
    """Instructions of the whole sending side with and without the filter."""
    short, counts = clip.first(30, context.folder), {}
    for options in ("natural", "off"):
        progress(f"beauty, counting: sending, {options}")
        counts[options] = instructions(command(work, "send", "--clip", short.path, "--beauty", options))
    rows = [[f"sending {short.frame_count} frames, beauty {name}", count(value, ".0f", 1e6, " M")] for name, value in counts.items()]
    result.blocks.append(Table(["", "instructions"], rows))
    result.targets.append(target("sending with beauty, instructions relative to without", counts["natural"] / counts["off"], 1.30, "×"))


JOB = Job(
    "beauty", "Smoothing faces",
    "Compares the beauty filter with FFmpeg's and OpenCV's bilateral filters, and measures its cost from 640x360 to 3840x2160 and its "
    "share of the instructions of sending. --quick skips the sizes.",
    run, {"iterations": 11, "frames": 100, "seed": 1, "no-instructions": False, "quick": False, "work": None},
)
