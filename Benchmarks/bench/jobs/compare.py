"""What a frame costs to send, and what we cost on top of libvpx and libyuv: beside a bare C loop of the same library calls."""

import re

from ..clip import Clip
from ..contest import CPU, FLOOR, INSTRUCTIONS, MEMORY, OURS, RIVAL, WALL, Entry, Heat, Work, hold
from ..counting import steady_instructions
from ..figures import count
from ..job import Context, Job
from ..process import Command, Run, build, build_c, command
from ..process import run as run_once
from ..report import Result, Table, bar
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
        "Rill in virtual time: read, scale, encode both layers, packetize. vpxenc encodes the high layer alone, once more to see what "
        "chance does. All have to come to the same coded bytes of the high layer, or nothing is compared.",
    )
    same_bytes(result, entries)


def same_bytes(result: Result, entries: list[Entry]) -> None:
    sizes = {entry.name: entry.work.coded_bytes for entry in entries if entry.work}
    if len(set(sizes.values())) != 1:
        result.failures.append(f"the programs did not do the same work: their coded bytes differ: {sizes}")


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
            result.failures.append(f"{codec}: the bytes that Rill writes are not those of the bare C loop")
        work_of_both = Work(frames, files[0].stat().st_size)
        heat = Heat(codec.upper(), [INSTRUCTIONS], [
            Entry(name, part, what, look=lambda _: work_of_both)
            for name, part, what in (("Rill, SimulcastEncoder", OURS, ours), ("a C loop of the same library calls", FLOOR, theirs))
        ])
        hold(context, result, [heat])
        heat.promise(result, f"{codec.upper()} {clip.size}, instructions over the loop's", INSTRUCTIONS, "a C loop", 1.01)
    result.note(
        f"Scaling and both encodes of {frames} frames: the two files of coded frames have to be equal byte for byte. Instructions are "
        "of the whole processes, starting a Swift program included."
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
    result.bars.append(bar("a frame of a camera, instructions over libyuv's conversion", ours / floor, 1.1, "×"))


JOBS = [
    Job(
        "compare-send", "What a frame costs to send", "Rill's whole sending side, vpxenc encoding the high layer alone, and a bare C loop "
        "of the same library calls.", send, {"iterations": 11, "bitrate": None, "seed": 1, "no-instructions": False, "work": None},
    ),
    Job(
        "compare-encode", "What we cost on top of libvpx and libyuv", "Scaling and both encodes through SimulcastEncoder beside a bare C "
        "loop, which has to write the same bytes. At most 1.01 times the loop's instructions.", encode,
        {"iterations": 1, "frames": 60, "bitrate": None, "codec": None, "seed": 1, "no-instructions": False, "work": None},
    ),
    Job(
        "camera", "What a frame costs to capture", "A frame of YUYV at 1280x720, from the driver's buffer to a frame of the pipeline, beside "
        "libyuv's bare conversion of the same picture. The camera is made of a file in memory (Programs/fake-camera.c). At most 1.1.",
        camera, {"frames": 40}, takes_clip=False,
    ),
]
