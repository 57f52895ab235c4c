"""The cost of one end of a conference: in one call with all others, in a separate call with each, and in parts."""

import base64
import os
import socket

from ..figures import Figure, count, percentile
from ..job import Context, Job
from ..process import CommandFailed, Process, build, command, meanwhile, printed, progress
from ..report import Result, Table
from .scale import CONFERENCE, Streams, name

# Each other end has its own port; the rates are in frames per second.
OTHERS, LOW_RATE, HIGH_RATE = CONFERENCE, 5, 30
TITLES = {
    "parts": "only encoders, packets, jitter buffers and decoders", "one": "one VideoCall with all of them, SRTP",
    "many": f"{OTHERS} processes with a VideoCall each, SRTP",
}


def execute(context: Context, result: Result) -> None:
    clip = context.clip(60)
    streams = Streams(context, clip, os.cpu_count() or 1, OTHERS)
    bitrate = f"{context.bitrate or clip.bitrate()}k"
    # A key for AES-128-GCM.
    key = base64.b64encode(os.urandom(28)).decode()
    words = ("--clip", clip.path, "--bitrate", bitrate, "--key", key)

    def ends(groups: list[tuple[int, int]]) -> list[dict[str, float]]:
        """Runs a process for each group of others, given by its numbers at full size and small; returns the cost of each."""
        others = free_ports(OTHERS + len(groups))
        own = range(others + OTHERS, others + OTHERS + len(groups))
        them = ("others", *words, "--at", others, "--ends", ",".join(map(str, own)), "--high", 1, "--low", OTHERS - 1)
        with meanwhile(command(streams.work, *them)):
            processes, first = [], others
            for port, (high, low) in zip(own, groups):
                line = ("conference", *words, "--at", port, "--others", first, "--high", high, "--low", low, "--seconds", context.seconds)
                processes.append(Process(command(streams.work, *line)))
                first += high + low
            return [printed(each.wait(context.seconds * 3 + 60, lambda: None, 0.1).output) for each in processes]

    figures: dict[str, list[tuple[float, float | None]]] = {title: [] for title in TITLES}
    for number in range(context.rounds):
        progress(f"conference, round {number + 1} of {context.rounds}: parts")
        parts = [streams.send(1, "both", (clip.width, clip.height)), streams.receive(1, OTHERS - 1)]
        instructions = [each.instructions for each in parts]
        figures["parts"].append((sum(each.cpu for each in parts), sum(instructions) if all(instructions) else None))
        for arrangement, groups in {"one": [(1, OTHERS - 1)], "many": [(1, 0)] + [(0, 1)] * (OTHERS - 1)}.items():
            progress(f"conference, round {number + 1} of {context.rounds}: {TITLES[arrangement]}")
            found = ends(groups)
            shown = sum(each["high"] + each["low"] for each in found)
            due = sum((HIGH_RATE * high + LOW_RATE * low) * each["wall"] for each, (high, low) in zip(found, groups))
            if shown < 0.98 * due:
                raise CommandFailed(f"{TITLES[arrangement]}: {shown:.0f} of {due:.0f} pictures were shown")
            counted = [each.get("instructions") for each in found]
            figures[arrangement].append((sum(each["cpu"] for each in found), sum(counted) if all(counted) else None))

    table = Table([f"an end among {OTHERS} others", "CPU", "min–max", "x parts", "M instructions/s", "x parts "], [])
    middles = {title: [percentile([each[place] or 0 for each in values], 0.5) for place in (0, 1)] for title, values in figures.items()}
    for title, values in figures.items():
        cpu, work = middles[title]
        seconds = [each[0] for each in values]
        ratio = Figure(f"{cpu / middles['parts'][0]:.3f}", cpu / middles["parts"][0], repeats=False)
        instructions = f"{work / middles['parts'][1]:.3f}" if work and middles["parts"][1] else "–"
        table.rows.append([
            TITLES[title], Figure(f"{100 * cpu:.1f} %", cpu, repeats=False), f"{100 * min(seconds):.1f}–{100 * max(seconds):.1f} %", ratio,
            count(work or None, ".0f", 1e6), instructions,
        ])
    result.blocks.append(table)
    result.note(
        f"The end sends {name((clip.width, clip.height))} at {bitrate} and 160x120 at 5 frames per second to all, and watches one of "
        f"them at full size and {OTHERS - 1} as thumbnails of 160x120. The parts are those of `scale`: one live sender of both layers, to "
        "one address, and one receiver of all streams, without SRTP. With a process for each of the others, only the one that watches the "
        "full size sends. CPU is relative to one hardware thread; the others run in a process that is not counted."
    )


def free_ports(number: int) -> int:
    """The first of `number` consecutive free ports."""
    for base in range(20_000, 60_000, 100):
        try:
            for port in range(base, base + number):
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return base
    raise CommandFailed(f"no {number} consecutive ports are free")


JOB = Job(
    "conference", "Cost of one end of a conference",
    f"One end among {OTHERS} others, who each send both layers: in one VideoCall, in a process for each of them, and only the parts.",
    execute, {"seconds": 8, "rounds": 3, "bitrate": None, "work": None},
)
