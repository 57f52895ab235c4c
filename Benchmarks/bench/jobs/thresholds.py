"""The cost of each workload compared with the committed figures: instructions, allocations, and ratios to floors."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..committed import DIGITS, Committed, Figures, Rating
from ..counting import steady_allocations, steady_instructions
from ..facts import processor, versions
from ..figures import Cell, Figure
from ..figures import Rating as Colour
from ..job import Context, Job, WrongUse
from ..process import PACKAGE, build_c, progress
from ..report import Result, Table, Target
from ..workloads import Workload, material, programs

# Without full-size encoders, so that they take under a minute.
QUICK = ["image", "beauty", "rtp", "receive", "session", "congestion", "security", "peer", "forward"]
# Allocations do not need callgrind, so more iterations are affordable.
ALLOCATION_TIMES = 5
COLOURS = {Rating.BETTER: Colour.AHEAD, Rating.KEPT: None, Rating.ELSEWHERE: None}


def run(context: Context, result: Result) -> None:
    build_c("allocation-counter.so")
    with material() as (folder, workloads):
        known = {each.suite for each in workloads}
        suites = set(QUICK if context.quick else context.suite or []) or None
        if unknown := (suites or set()) - known:
            raise WrongUse(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
        chosen = with_floors(workloads + programs(folder, suites), suites)
        figures = {name: found for name, found in measure(chosen).items() if is_in(name, suites)}
    if not figures:
        result.failures.append("there are no figures to compare")
    committed, made_with = Committed.read(context.file), versions() | {"processor": processor()}
    if context.update:
        context.file.write_text(committed.updated(figures, slacks(chosen), made_with, suites).text())
        result.note(f"Written to {context.file}.")
    rows = committed.compare(figures, suites, made_with)
    table = Table(["workload", "figure", "measured", "committed", "change", "result"], [])
    for row in rows:
        change = f"{100 * row.change:+.2f} %" if row.change is not None else "–"
        rating = Figure(row.rating.value, rating=COLOURS.get(row.rating, Colour.BEHIND))
        table.rows.append([row.workload, row.kind, number(row.measured, row.kind), number(row.committed, row.kind), change, rating])
    result.blocks.append(table)
    counts = {rating: sum(row.rating is rating for row in rows) for rating in Rating}
    failed = [f"{row.workload} {row.kind}" for row in rows if row.rating.is_failure]
    text = ", ".join(f"{number} {rating.value}" for rating, number in counts.items() if number)
    text += f" ({', '.join(failed)})" if failed else ""
    is_met = context.update or not any(row.rating.is_failure for row in rows)
    result.targets.append(Target("no figure exceeds its committed value", text, is_met))
    differences = committed.differences(made_with)
    result.note(*(f"Differs from the committed figures: {each}" for each in differences))
    if differences:
        result.note("Instructions may differ for this reason; ratios and allocations should not.")


def is_in(name: str, suites: set[str] | None) -> bool:
    return suites is None or name.split("/")[0] in suites


def with_floors(workloads: list[Workload], suites: set[str] | None) -> list[Workload]:
    """The workloads of the suites, and their floors in other suites."""
    chosen = [each for each in workloads if is_in(each.name, suites)]
    floors = {each.floor for each in chosen}
    return chosen + [each for each in workloads if each.name in floors and each not in chosen]


def measure(workloads: list[Workload]) -> Figures:
    """Counts workloads on all processors at once: counts do not depend on the machine's load."""
    done = []

    def cost(workload: Workload) -> dict[str, float]:
        figures = {"instructions": steady_instructions(workload.command, workload.count, workload.counted)}
        if not workload.is_program:
            figures["allocations"] = steady_allocations(workload.command, ALLOCATION_TIMES * workload.count)
        done.append(workload)
        progress(f"counted {len(done)} of {len(workloads)}: {workload.name}")
        return figures

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        figures = {workload.name: found for workload, found in zip(workloads, pool.map(cost, workloads))}
    for workload in workloads:
        if workload.floor in figures:
            figures[workload.name]["ratio"] = figures[workload.name]["instructions"] / figures[workload.floor]["instructions"]
    return figures


def slacks(workloads: list[Workload]) -> dict[str, float]:
    """The slack of allocations: five in a whole run. Starting a process takes two or three more or fewer each time, and a buffer
    may grow once more."""
    return {each.name: round(5 / (ALLOCATION_TIMES * each.count), 5) for each in workloads}


def number(value: float | None, kind: str) -> Cell:
    return "–" if value is None else Figure(f"{value:.{min(4, DIGITS[kind])}f}", value)


JOB = Job(
    "thresholds", "Regression thresholds",
    "Every workload runs for N and for 2N units of work, under callgrind and with an interposed malloc; the difference divided by N is the "
    "steady-state cost of a unit. A ratio compares a workload's instructions with its floor's, the minimum for the same work, both counted "
    "in this run. The job fails if a figure exceeds the committed one by more than its tolerance, is not committed, or is missing. "
    f"--quick runs the suites {', '.join(QUICK)}.",
    run, {"suite": None, "quick": False, "update": False, "file": PACKAGE / "thresholds.json"}, takes_clip=False,
)
