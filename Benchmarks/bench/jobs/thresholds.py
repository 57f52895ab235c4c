"""What each workload costs beside what is committed of it: instructions, allocations, and ratios of the two."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..committed import DIGITS, Committed, Figures, Verdict
from ..counting import steady_allocations, steady_instructions
from ..facts import processor, versions
from ..figures import Cell, Figure
from ..figures import Verdict as Colour
from ..job import Context, Job, WrongUse
from ..process import PACKAGE, build_c, progress
from ..report import Bar, Result, Table
from ..workloads import Workload, material, programs

# No encoder of full size in them: they take under a minute.
QUICK = ["image", "beauty", "rtp", "receive", "session", "security"]
# Allocations need no callgrind, so more of the steady state is looked at.
ALLOCATION_TIMES = 5
COLOURS = {Verdict.BETTER: Colour.AHEAD, Verdict.KEPT: None, Verdict.ELSEWHERE: None}


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
        result.failures.append("nothing was found to judge")
    committed, made_with = Committed.read(context.file), versions() | {"processor": processor()}
    if context.update:
        context.file.write_text(committed.updated(figures, slacks(chosen), made_with, suites).text())
        result.note(f"Written to {context.file}.")
    rows = committed.compare(figures, suites, made_with)
    table = Table(["workload", "figure", "measured", "committed", "change", "verdict"], [])
    for row in rows:
        change = f"{100 * row.change:+.2f} %" if row.change is not None else "–"
        verdict = Figure(row.verdict.value, verdict=COLOURS.get(row.verdict, Colour.BEHIND))
        table.rows.append([row.workload, row.kind, number(row.measured, row.kind), number(row.committed, row.kind), change, verdict])
    result.blocks.append(table)
    counts = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    failed = [f"{row.workload} {row.kind}" for row in rows if row.verdict.is_failure]
    told = ", ".join(f"{number} {verdict.value}" for verdict, number in counts.items() if number)
    told += f" ({', '.join(failed)})" if failed else ""
    is_met = context.update or not any(row.verdict.is_failure for row in rows)
    result.bars.append(Bar("nothing costs more than is committed of it", told, is_met))
    differences = committed.differences(made_with)
    result.note(*(f"Not as the committed figures were made: {each}" for each in differences))
    if differences:
        result.note("Instructions may differ for that reason alone; ratios and allocations should not.")


def is_in(name: str, suites: set[str] | None) -> bool:
    return suites is None or name.split("/")[0] in suites


def with_floors(workloads: list[Workload], suites: set[str] | None) -> list[Workload]:
    """Those of the suites, and those of other suites that stand under them in a ratio."""
    chosen = [each for each in workloads if is_in(each.name, suites)]
    floors = {each.floor for each in chosen}
    return chosen + [each for each in workloads if each.name in floors and each not in chosen]


def measure(workloads: list[Workload]) -> Figures:
    """Counts do not depend on what else the machine does, so as many are taken at once as there are processors."""
    done = []

    def cost(workload: Workload) -> dict[str, float]:
        figures = {"instructions": steady_instructions(workload.command, workload.count)}
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
    """What is as good as none: five allocations in all that is counted. Starting a process takes two or three more or fewer
    from one time to the next, and a buffer may grow once more."""
    return {each.name: round(5 / (ALLOCATION_TIMES * each.count), 5) for each in workloads}


def number(value: float | None, kind: str) -> Cell:
    return "–" if value is None else Figure(f"{value:.{min(4, DIGITS[kind])}f}", value)


JOB = Job(
    "thresholds", "What must not grow",
    "Every workload is run for N things and for 2N, under callgrind and under an interposed malloc; the difference over N is what one "
    "thing costs in the steady state. A ratio is that of a workload's instructions to its floor's, the least that anybody needs for the "
    "same work, both counted in this run. It fails where a figure is more than its tolerance above the committed one, has none, or is "
    f"missing. --quick takes the suites {', '.join(QUICK)}.",
    run, {"suite": None, "quick": False, "update": False, "file": PACKAGE / "thresholds.json"}, takes_clip=False,
)
