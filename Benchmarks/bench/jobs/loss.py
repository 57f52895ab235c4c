"""The share of a call's frames that is shown over bad networks: `rill loopback` in virtual time."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from statistics import mean

from ..clip import portrait
from ..figures import Figure
from ..job import Context, Job
from ..process import command, rill, run
from ..report import Result, Table

# Every network has the same delay: a key frame request takes 40 ms, and the key frame another 40 ms.
NETWORKS = {
    "no damage": "", "loss 1 %": "loss=1%,", "loss 5 %": "loss=5%,", "loss 20 %": "loss=20%,", "reordering 5 %": "reorder=5%,",
    "duplication 5 %": "duplicate=5%,",
}


def execute(context: Context, result: Result) -> None:
    clip, program = portrait("640x480", context.duration, context.folder), rill()

    def layers(damage: str, seed: int) -> list[dict]:
        words = ("loopback", clip.path, "--network", f"{damage}delay=40ms,seed={seed}", "--no-compare", "--json")
        return json.loads(run(command(program, *words)).answer)["layers"]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        calls = {title: [pool.submit(layers, damage, seed + 1) for seed in range(context.seeds)] for title, damage in NETWORKS.items()}
    table = Table(["network", *(f"{layer}: {what}" for layer in ("high", "low") for what in ("shown", "freezes"))], [])
    for title, futures in calls.items():
        row: list = [title]
        for index in (0, 1):
            found = [future.result()[index]["received"] for future in futures]
            row += [spread([100 * each["shownShare"] for each in found], ".1f", " %"), spread([each["freezeCount"] for each in found], "g", "")]
        table.rows.append(row)
    result.blocks.append(table)
    result.note("Each cell is the mean over the seeds with minimum and maximum. A freeze counts when it ends (W3C's rule).")


def spread(values: list[float], form: str, unit: str) -> Figure:
    """`98.5 % (97.0–99.8)`; only the mean if all values are the same."""
    least, most, middle = min(values), max(values), mean(values)
    text = f"{least:{form}}{unit}" if least == most else f"{middle:.1f}{unit} ({least:{form}}–{most:{form}})"
    return Figure(text, middle, tuple(values))


JOB = Job(
    "loss", "Shown frames over bad networks",
    "Sends the portrait scene over networks that lose, reorder and duplicate packets; measures the share of the encoded frames that are "
    "shown, and freezes. The same revision prints the same table on every machine with the same libvpx.",
    execute, {"seeds": 10, "duration": 20}, takes_clip=False,
)
