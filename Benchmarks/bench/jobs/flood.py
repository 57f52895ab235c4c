"""Forged STUN requests at the port of a live call with a WebRTC peer."""

from statistics import median

from ..job import Context, Job
from ..process import build, command, printed, progress, run
from ..report import Result, Table, Target, target

RATE = 50_000
LIMIT = 0.25
"""The share of a core that this rate of requests may take."""


def execute(context: Context, result: Result) -> None:
    work, seconds = context.work or build("bench-work"), context.duration
    runs = []
    for number in range(context.iterations):
        progress(f"run {number + 1} of {context.iterations}")
        words = ("flood", "--seconds", seconds, "--rate", RATE)
        runs.append(printed(run(command(work, *words)).output))
    table = Table(["run", "requests per second", "network threads, quiet", "flooded", "a request costs", "pictures per second"], [])
    shares, pictures = [], []
    for number, each in enumerate(runs):
        quiet, loud, sent = (float(each[name]) for name in ("quiet", "loud", "sent"))
        shares.append((loud - quiet) / seconds)
        pictures.append(int(each["frames"]) / seconds)
        table.rows.append([
            f"{number + 1}", f"{sent / seconds:.0f}", f"{quiet / seconds:.3f} of a core", f"{loud / seconds:.3f}",
            f"{(loud - quiet) / sent * 1e6:.1f} µs", f"{pictures[-1]:.1f}",
        ])
    result.blocks.append(table)
    result.targets.append(target(f"{RATE} forged requests a second, share of a core", median(shares), LIMIT))
    # What a full socket refuses costs nothing, so that the share would be too low.
    refused = max(each["refused"] / each["sent"] for each in runs)
    result.targets.append(target("requests that never reached the call, percent", 100 * refused, 1))
    is_whole = all(each["connected"] == 1 for each in runs) and min(pictures) >= 29
    result.targets.append(Target("the call loses no picture to them", f"{min(pictures):.1f} of 30 per second", is_whole))


JOB = Job(
    "flood", "Unknown peers at the port of a call",
    "A live call between two WebRTC peers on loopback. Strangers send STUN requests with its username and a wrong password from 64 "
    "addresses. CPU seconds are those of the calls' network threads, the kernel's part of receiving included.",
    execute, {"iterations": 3, "duration": 10, "work": None}, takes_clip=False,
)
