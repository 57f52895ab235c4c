"""The cost of sending a frame, and Rill's overhead over libvpx and libyuv, compared with a C loop of the same library calls."""

import re

from ..clip import Clip
from ..contest import CPU, FLOOR, INSTRUCTIONS, MEMORY, OURS, RIVAL, WALL, Entry, Heat, Work, hold
from ..counting import steady_instructions
from ..figures import count
from ..job import Context, Job
from ..process import Command, Run, build, build_c, command
from ..process import run as run_once
from ..report import Result, Table, target
from ..workloads import bare_loop
from .send import LOW_KILOBITS, vpxenc_alone


def send(context: Context, result: Result) -> None:
    clip, work = context.clip(), context.work or build("bench-work")
    kilobits = context.bitrate or clip.bitrate()
    rates = ("--bitrate", f"{kilobits}k", "--low-bitrate", f"{LOW_KILOBITS}k")

    def look(done: Run) -> Work:
        return Work(clip.frame_count, int(re.search(r"high=(\d+)", done.output)[1]))

    floor = vpxenc_alone(clip, kilobits, context.folder / "vpxenc.ivf")
    entries = [
        Entry("Rill, the whole sending side", OURS, command(work, "send", "--clip", clip.path, *rates), look=look),
        floor, floor.again, Entry("a C loop of the same library calls", RIVAL, loop(clip, "vp8", kilobits), look=look),
    ]
    hold(
        context, result, [Heat("one thread", [INSTRUCTIONS, CPU, WALL, MEMORY], entries)],
        "Rill in virtual time: read, scale, encode both layers, packetize. vpxenc encodes only the high layer, twice to measure the "
        "noise. All must encode the high layer to the same number of bytes, otherwise nothing is compared.",
    )
    same_bytes(result, entries)


def same_bytes(result: Result, entries: list[Entry]) -> None:
    sizes = {entry.name: entry.work.coded_bytes for entry in entries if entry.work}
    if len(set(sizes.values())) != 1:
        result.failures.append(f"the programs did not do the same work: their encoded bytes differ: {sizes}")


def loop(clip: Clip, codec: str, kilobits: int, *more: object) -> Command:
    return command(bare_loop(), codec, clip.path, kilobits, LOW_KILOBITS, *more)


def encode(context: Context, result: Result) -> None:
    work, frames = context.work or build("bench-work"), context.frames
    clip = context.clip(frames)
    kilobits = context.bitrate or 1500
    rates = ("--bitrate", f"{kilobits}k", "--low-bitrate", f"{LOW_KILOBITS}k")
    for codec in [context.codec] if context.codec else ["vp8", "vp9"]:
        files = [context.folder / f"{codec}-{name}.frames" for name in ("rill", "loop")]
        ours = command(work, "simulcast", "--clip", clip.path, "--codec", codec, *rates, "--count", frames, "--output", files[0])
        theirs = loop(clip, codec, kilobits, frames, files[1])
        for each in (ours, theirs):
            run_once(each)
        if files[0].read_bytes() != files[1].read_bytes():
            result.failures.append(f"{codec}: Rill's output differs from the bare C loop's")
        work_of_both = Work(frames, files[0].stat().st_size)
        heat = Heat(codec.upper(), [INSTRUCTIONS], [
            Entry(name, part, what, look=lambda _: work_of_both)
            for name, part, what in (("Rill, SimulcastEncoder", OURS, ours), ("a C loop of the same library calls", FLOOR, theirs))
        ])
        hold(context, result, [heat])
        heat.promise(result, f"{codec.upper()} {clip.size}, instructions relative to the loop", INSTRUCTIONS, "a C loop", 1.01)
    result.note(
        f"Scaling and both encodes of {frames} frames: the two files of encoded frames must be identical. Instructions are those of the "
        "whole processes, including the start of a Swift program."
    )


def camera(context: Context, result: Result) -> None:
    conversion, work = build_c("bare-conversion", "-lyuv"), build("bench-work")
    preload = build_c("fake-camera.so", "-ldl")
    instructions = {
        "libyuv's conversion": steady_instructions(lambda number: command(conversion, number), context.frames),
        "a frame of V4L2Camera": steady_instructions(
            lambda number: command(work, "camera", "--count", number, LD_PRELOAD=preload), context.frames),
    }
    floor, ours = instructions.values()
    rows = [[name, count(value), count(value / floor, ".3f")] for name, value in instructions.items()]
    result.blocks.append(Table(["YUYV of 1280x720", "instructions", "ratio"], rows))
    result.targets.append(target("a camera frame, instructions relative to libyuv's conversion", ours / floor, 1.1, "×"))


JOBS = [
    Job(
        "compare-send", "Cost of sending a frame", "Rill's whole sending side, vpxenc encoding only the high layer, and a bare C loop "
        "of the same library calls.", send, {"iterations": 11, "bitrate": None, "seed": 1, "no-instructions": False, "work": None},
    ),
    Job(
        "compare-encode", "Rill's overhead over libvpx and libyuv", "Scaling and both encodes through SimulcastEncoder, compared with a bare C "
        "loop, which must write the same bytes. Target: at most 1.01 times the loop's instructions.", encode,
        {"iterations": 1, "frames": 60, "bitrate": None, "codec": None, "seed": 1, "no-instructions": False, "work": None},
    ),
    Job(
        "camera", "Cost of capturing a frame", "A YUYV frame at 1280x720, from the driver's buffer to a frame of the pipeline, compared with "
        "libyuv's bare conversion of the same picture. The camera is emulated (Programs/fake-camera.c). Target: at most 1.1 times.",
        camera, {"frames": 40}, takes_clip=False,
    ),
]
