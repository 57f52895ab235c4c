"""The allocations of a command per frame in the steady state, and their origins."""

import shlex
from collections import Counter

from ..clip import RATE
from ..counting import allocations, by_origin
from ..figures import count
from ..job import Context, Job, WrongUse
from ..process import command, progress, rill
from ..report import Result, Table


def run(context: Context, result: Result) -> None:
    text = context.command or f"{rill()} loopback --no-compare --duration {{seconds}}s"
    if "{frames}" not in text and "{seconds}" not in text:
        raise WrongUse("the command has neither {frames} nor {seconds}")
    lengths, runs = (context.frames, context.times * context.frames), []
    for frames in lengths:
        progress(f"{frames} frames")
        words = shlex.split(text.replace("{frames}", str(frames)).replace("{seconds}", f"{frames / RATE:g}"))
        runs.append(allocations(command(*words), by_origin=True))
    result.commands.append(("command", text))
    (total, shorter, _), (longer_total, longer, _) = runs
    more = lengths[1] - lengths[0]

    def per_frame(amount: Counter) -> list:
        return [count(amount["calls"] / more, ".3f"), count(amount["bytes"] / more, ".1f")]

    def less(a: Counter, b: Counter) -> Counter:
        return Counter({key: a[key] - b[key] for key in ("calls", "bytes")})

    rows = [[f"{frames}", count(all_["calls"]), count(all_["bytes"]), count(all_["frees"]), count(peak, ".1f", 2**20)]
            for frames, (all_, _, peak) in zip(lengths, runs)]
    result.blocks.append(Table(["frames", "allocations", "bytes", "freed", "peak MiB"], rows))
    grown = {stack: difference for stack, each in longer.items() if (difference := less(each, shorter.get(stack, Counter())))["calls"]}
    progress("symbolizing the origins")
    table = Table(["origin, innermost first", "calls per frame", "bytes per frame"], [["total, in the steady state", *per_frame(less(longer_total, total))]])
    origins = by_origin(grown, context.depth)
    table.rows += [[name, *per_frame(each)] for name, each in origins[: context.top]]
    result.blocks.append(table)
    if len(origins) > context.top:
        result.note(f"And {len(origins) - context.top} more.")


JOB = Job(
    "allocations", "Allocations per frame",
    "A command runs for N and for 2N frames with malloc and related functions interposed. One-time allocations are in both runs, so the "
    "difference is the cost of the frames. Leaks show in the peak, best in a long run (--frames 1800 --times 10: minutes 1 and 10).",
    run, {"command": None, "frames": 300, "times": 2, "top": 20, "depth": 4}, takes_clip=False,
)
