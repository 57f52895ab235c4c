"""Calls over recorded traces of mobile links: bits carried, waits and freezes of the pictures that are shown."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean

from ..job import Context, WrongUse
from ..process import build, command, progress, run
from ..report import Result, Table

SECONDS = 60
# Files and the seconds from which a window is played. The first two are those that were measured beside Chromium.
MAIN = [("ATT-LTE-driving.up", 0), ("ATT-LTE-driving.up", 60)]
FURTHER = [
    ("ATT-LTE-driving-2016.up", 0), ("ATT-LTE-driving-2016.up", 60),
    ("ATT-LTE-driving-2016.down", 0), ("ATT-LTE-driving-2016.down", 60),
    ("TMobile-LTE-short.up", 0), ("TMobile-LTE-short.up", 70),
    ("Verizon-LTE-short.up", 0), ("Verizon-LTE-short.up", 70),
    ("Verizon-LTE-short.down", 0), ("Verizon-LTE-short.down", 70),
]


def execute(context: Context, result: Result) -> None:
    folder = Path(context.traces)
    windows = [(name, start) for name, start in MAIN + FURTHER if context.row in f"{name} {start}" and (folder / name).is_file()]
    if not windows:
        raise WrongUse(f"no trace in {folder}: " + "; ".join(sorted({name for name, _ in MAIN + FURTHER})))
    program, clip = build("bench-calls"), context.clip()
    jobs = [(*window, seed) for window in windows for seed in range(1, context.seeds + 1)]
    made: dict[tuple[str, int], list[dict]] = {window: [] for window in windows}

    def call(job: tuple[str, int, int]) -> dict:
        name, start, seed = job
        words = ("congestion", "--trace", folder / name, "--from", start, "--seconds", SECONDS, "--seed", seed, "--clip", clip.path)
        return json.loads(run(command(program, *words)).answer)

    with ThreadPoolExecutor(context.workers) as pool:
        for number, (job, found) in enumerate(zip(jobs, pool.map(call, jobs))):
            made[job[:2]].append(found)
            progress(f"{number + 1} of {len(jobs)} calls")
    progress("")
    result.blocks.append(table(made))
    result.note(
        f"Windows of {SECONDS} s, queue 150 kB, 50 ms each way; means of {context.seeds} seeds, which move the clip and the camera's phase. Frozen: "
        "W3C's totalFreezesDuration of the high layer. Lost: dropped by the queue. PSNR: luma of the frames that were shown, in the "
        "layer's size.")


def table(made: dict[tuple[str, int], list[dict]]) -> Table:
    head = ["trace and start", "capacity, kbit/s", "carried, kbit/s", "share", "wait, ms", "95 %, ms", "lost", "frozen, s", "each seed",
            "freezes", "shown", "PSNR, dB"]
    groups = [("", [window]) for window in made]
    for title, part in (("both of ATT-LTE-driving.up", MAIN), ("the others", FURTHER)):
        found = [window for window in part if window in made]
        if len(found) > 1:
            groups.append((f"mean, {title}", found))
    rows = []
    for title, windows in groups:
        calls = [call for window in windows for call in made[window]]

        def value(name: str) -> float:
            return mean(call[name] for call in calls)

        each = " ".join(f"{call['frozenSeconds']:.1f}" for call in calls) if not title else ""
        rows.append([
            title or "{} {} s".format(*windows[0]), f"{value('capacity') / 1000:.0f}", f"{value('carried') / 1000:.0f}",
            f"{value('carried') / value('capacity'):.3f}", f"{value('waitMean'):.0f}", f"{value('wait95'):.0f}", f"{value('lost'):.1%}",
            f"{value('frozenSeconds'):.2f}", each, f"{value('freezes'):.1f}", f"{value('shown'):.0f}", f"{value('psnr'):.2f}"])
    return Table(head, rows)
