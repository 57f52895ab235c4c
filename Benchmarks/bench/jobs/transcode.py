"""Transcoding a file from H.264 to VP8."""

import re
from pathlib import Path

from ..clip import RATE
from ..contest import CPU, INSTRUCTIONS, MEMORY, OURS, RIVAL, WALL, Entry, Heat, Work, hold
from ..figures import count, timed
from ..job import Context, Job
from ..process import CommandFailed, Run, command, installed, printed, rill
from ..process import run as run_once
from ..recipes import FFMPEG, ffmpeg_vp8
from ..report import Result, Table, target

BITRATE_TARGET, PSNR_TARGET = 0.02, 0.1


def run(context: Context, result: Result) -> None:
    clip, folder = context.clip(None if context.seconds else context.frames), context.folder
    kilobits = context.bitrate or clip.bitrate()
    source, seconds = clip.path, context.seconds or clip.frame_count / RATE
    has_ffmpeg = bool(installed("ffmpeg"))
    if has_ffmpeg:
        source = folder / "clip.mp4"
        loop = ["-stream_loop", "-1"] if context.seconds else []
        words = ["-t", seconds, *"-c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p".split(), source]
        run_once(command(*FFMPEG, "-y", *loop, "-i", clip.path, *words))

    def entry(name: str, part: str, *words: object) -> Entry:
        output = folder / (re.sub(r"\W+", "-", name) + ".webm")

        def look(_: Run) -> Work:
            # Decode the output of every program, to check that it has all pictures.
            shown = has_ffmpeg and run_once(command(*FFMPEG, "-nostats", "-progress", "pipe:1", "-i", output, "-f", "null", "-")).output
            return Work(int(printed(shown)["frame"]) if shown else clip.frame_count, output.stat().st_size)

        return Entry(name, part, command(*words, output), look=look)

    def ours(name: str, *options: str, part: str = OURS) -> Entry:
        return entry(name, part, rill(), "transcode", source, "--bitrate", f"{kilobits}k", *options)

    def theirs(threads: str) -> Entry:
        # 0 lets FFmpeg choose.
        number, name = (0, "automatic threads") if threads == "auto" else (int(threads), f"-threads {threads}")
        return entry(f"FFmpeg, {name}", RIVAL, *FFMPEG, "-y", "-i", source, "-an", *ffmpeg_vp8(kilobits, clip.speed, number))

    threads = context.threads.split(",")
    single = [ours("Rill"), *(theirs(number) for number in threads if number == "1")]
    halves, beauty = ("--segments", "2"), ("--beauty", "natural")
    double = [ours("Rill, 2 segments", *halves), *(theirs(number) for number in threads if number != "1")]
    double.append(ours("Rill, 2 segments, beauty", *halves, *beauty, part="more work"))
    heats = [Heat("one encoder thread", [INSTRUCTIONS, CPU, WALL, MEMORY], single), Heat("two at once", [CPU, WALL, MEMORY], double)]
    hold(
        context, result, heats,
        f"From {'H.264 in MP4 (libx264, crf 20)' if has_ffmpeg else 'Y4M'} to VP8 in WebM at {kilobits} kbit/s, in real-time speed "
        f"{clip.speed}, with the same rate control as `send`. FFmpeg chooses its number of decoder threads.",
        "With two segments Rill encodes two halves of the clip at once, each starting with a key frame; FFmpeg gives libvpx more "
        "threads for one picture.",
    )
    if has_ffmpeg:
        pictures(result, heats, source, seconds)


def pictures(result: Result, heats: list[Heat], source: Path, seconds: float) -> None:
    """Bitrate and PSNR of the outputs, and their targets relative to the fastest FFmpeg."""
    entries = [entry for heat in heats for entry in heat.entries if entry.runs and entry.part != "again"]
    rivals = [entry for entry in entries if entry.part == RIVAL]
    table = Table(["output", "wall s", "CPU s", "kbit/s", "PSNR-Y, dB"], [])
    made: dict[str, tuple[float, float]] = {}
    for entry in entries:
        output = next(Path(word) for word in entry.command.words if word.endswith(".webm"))
        made[entry.name] = (8 * output.stat().st_size / 1000 / seconds, psnr(output, source))
        # With beauty the pictures differ, so PSNR is meaningless.
        decibels = None if entry.part == "more work" else made[entry.name][1]
        wall, cpu = timed(WALL.of(entry)), timed(CPU.of(entry), ".1f", spread=False)
        table.rows.append([entry.name, wall, cpu, count(made[entry.name][0], ".1f"), count(decibels, ".2f")])
    result.blocks.append(table)
    if not rivals:
        return
    fastest = min(rivals, key=lambda entry: timed(WALL.of(entry)).value or 0)
    for heat, limit in zip(heats, (1.02, 0.88)):
        # Each is compared with the fastest, whatever its number of threads.
        text = f"{heat.ours.name}, wall time relative to the fastest FFmpeg ({fastest.name})"
        Heat("", [WALL], [heat.ours, fastest, *heat.entries[-1:]]).promise(result, text, WALL, fastest.name, limit)
        (rate, decibels), (other_rate, other) = made[heat.ours.name], made[fastest.name]
        result.targets.append(target(f"{heat.ours.name}, bitrate difference to FFmpeg", abs(rate / other_rate - 1), BITRATE_TARGET))
        result.targets.append(target(f"{heat.ours.name}, PSNR below FFmpeg's", max(0, other - decibels), PSNR_TARGET, "dB"))


def psnr(output: Path, source: Path) -> float:
    filters = "[0:v]settb=1/1000,setpts=N[a];[1:v]settb=1/1000,setpts=N[b];[a][b]psnr"
    words = ("ffmpeg", "-nostdin", "-i", output, "-i", source, "-lavfi", filters, "-f", "null", "-")
    found = re.search(r"PSNR y:([0-9.]+)", run_once(command(*words)).output)
    if found is None:
        raise CommandFailed(f"ffmpeg prints no PSNR for {output.name}")
    return float(found[1])


JOB = Job(
    "transcode", "Transcoding a file",
    "`rill transcode` and FFmpeg with the same encoder and settings transcode H.264 in MP4 to VP8 in WebM, with one thread and with "
    "two. With --seconds 60 the clip is looped to a minute, as for the table of Benchmarks/README.md. Targets: at most 1.02 times the "
    "wall time of the fastest FFmpeg in one piece, 0.88 times in two segments, bitrates within 2 %, PSNR at most 0.1 dB lower. On a "
    "busy machine use --threads 1: libvpx's threads wait for each other by spinning, and take minutes.",
    run,
    {"iterations": 5, "frames": 300, "seconds": None, "bitrate": None, "threads": "1,2,auto", "seed": 1, "no-instructions": False},
)
