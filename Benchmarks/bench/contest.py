"""Programs that do the same work, run by turns: Rill beside those that a user would pick instead.

Every iteration runs all of them once, in an order of its own drawn from the seed: whatever else the machine does meets all
alike, and nobody always follows the same neighbour. One command runs twice; what differs there is chance. Instructions are
counted afterwards, once for each command.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from . import counting
from .figures import Cell, Figure, Verdict, count, judge, ratios, timed
from .job import Context
from .process import Command, CommandFailed, Run, installed, printed, progress, run
from .recipes import PACKAGES
from .report import Comparison, Drawing, Result, Table, Text, bar

OURS, RIVAL, FLOOR, AGAIN = "ours", "rival", "floor", "again"
# Coded bytes may differ by so much: rate controls that cannot be set wholly alike.
TOLERANCE = 0.05
CALLGRIND_FACTOR = 8


@dataclass
class Work:
    """What a program made of its work; who did other work than Rill is not compared."""

    frames: int
    coded_bytes: int | None = None
    packets_lost: int = 0

    def difference(self, ours: "Work") -> str | None:
        if self.frames != ours.frames:
            return f"worked on {self.frames} pictures, Rill on {ours.frames}"
        if self.coded_bytes is not None and ours.coded_bytes:
            if abs(self.coded_bytes / ours.coded_bytes - 1) > TOLERANCE:
                return f"made {self.coded_bytes} coded bytes, Rill {ours.coded_bytes}"
        return None


@dataclass(frozen=True)
class Measure:
    """A quantity that is compared; of each, less is better."""

    title: str
    # Of what is run, or of instructions that were counted.
    of: Callable[["Entry"], list[float]]
    # How it is written.
    form: Callable[[float], str]
    repeats: bool
    # Differences below this are no differences, however little the machine scattered.
    least_scatter: float = 0.01


def _digits(value: float) -> str:
    return f"{value:.{3 if value < 10 else 2}f} s"


INSTRUCTIONS = Measure(
    "instructions", lambda entry: [entry.instructions] if entry.instructions is not None else [],
    lambda value: f"{value / 1e9:.{3 if value < 1e9 else 2}f} G", True, 0.002)
CPU = Measure("CPU seconds", lambda entry: [each.cpu for each in entry.runs], _digits, False)
WALL = Measure("wall seconds", lambda entry: [each.wall for each in entry.runs], _digits, False)
MEMORY = Measure("peak memory", lambda entry: [each.peak for each in entry.runs], lambda value: f"{value / 2**20:.1f} MiB", True)


Look = Callable[[Run], Work]
"""Looks what a run of a program has done."""


def printed_frames(done: Run) -> Work:
    """What most programs say of their work."""
    found = printed(done.output)
    return Work(int(found.get("frames", found.get("frame", 0))))


@dataclass
class Entry:
    """One program's way to do a job, and what came of it."""

    name: str
    part: str
    command: Command
    # The same without what is measured: what it takes is subtracted.
    baseline: Command | None = None
    look: Look = printed_frames
    runs: list[Run] = field(default_factory=list)
    instructions: int | None = None
    work: Work | None = None
    packets_lost: int = 0
    failure: str | None = None

    @property
    def again(self) -> "Entry":
        """The same once more."""
        return replace(self, name=f"{self.name}, the same again", part=AGAIN, runs=[])


@dataclass
class Heat:
    """Programs with the same settings; the first is Rill."""

    title: str
    measures: list[Measure]
    entries: list[Entry]

    @property
    def ours(self) -> Entry:
        return self.entries[0]

    def scatter(self, measure: Measure) -> float:
        """How far a command strays from itself; never less than what is no difference."""
        for again in (each for each in self.entries if each.part == AGAIN):
            original = next(each for each in self.entries if each.command == again.command)
            found = ratios(measure.of(again), measure.of(original))
            return max(found.straying_from_one, measure.least_scatter) if found else measure.least_scatter
        return measure.least_scatter

    def void(self, entry: Entry) -> str | None:
        """Why a program is not compared: its work was other than Rill's."""
        if entry.part != RIVAL or entry.work is None or self.ours.work is None:
            return None
        return entry.work.difference(self.ours.work)

    def taken(self) -> list[Measure]:
        """What was measured of anybody."""
        return [measure for measure in self.measures if any(measure.of(each) for each in self.entries)]

    def compared(self, measure: Measure) -> list[tuple[Entry, "Beside"]]:
        """Rill beside each other program."""
        found = []
        for entry in self.entries[1:]:
            sample = ratios(measure.of(entry), measure.of(self.ours))
            if sample and entry.part != AGAIN and entry.failure is None and not self.void(entry):
                scatter = self.scatter(measure)
                verdict = None if entry.part == FLOOR else judge(sample, scatter, measure.repeats)
                found.append((entry, Beside(measure, sample.median, sample.quartiles, scatter, verdict)))
        return found

    def beside(self, measure: Measure, name: str) -> "Beside | None":
        """Rill beside the first program whose name begins so; None where nothing is to be said."""
        return next((found for entry, found in self.compared(measure) if entry.name.startswith(name)), None)

    def promise(self, result: Result, text: str, measure: Measure, name: str, limit: float | None = None) -> None:
        """A bar on what Rill takes over what another takes; where there is no limit, as far as a command strays from itself."""
        if found := self.beside(measure, name):
            limit = 1 + found.scatter if limit is None else limit
            result.bars.append(bar(text, 1 / found.ratio, limit, "×", is_judged=found.verdict is not Verdict.UNJUDGED))


@dataclass(frozen=True)
class Beside:
    """The other's over Rill's: the median, the middle half, what is chance, and the verdict; a floor has none."""

    measure: Measure
    ratio: float
    quartiles: tuple[float, float]
    scatter: float
    verdict: Verdict | None

    @property
    def text(self) -> str:
        def times(value: float) -> str:
            return f"{value:.{(3 if self.measure.repeats else 2) if value < 10 else 1}f}"

        low, high = map(times, self.quartiles)
        return f"{times(self.ratio)}×" + ("" if low == high else f" ({low}–{high})")


Runs = Callable[[Command, float], Run]
"""Runs a command of a program to its end."""


def hold(context: Context, result: Result, heats: list[Heat], *explanation: str, runs: Runs = run) -> None:
    """Runs all programs, and fills in the result."""
    prepare(result, heats)
    order, places = random.Random(context.seed), [(heat, entry) for heat in heats for entry in heat.entries]
    for iteration in range(context.iterations):
        for heat, entry in order.sample(places, len(places)):
            if entry.failure is None:
                progress(f"{result.job}, iteration {iteration + 1} of {context.iterations}: {entry.name}, {heat.title}")
                _run(entry, runs)
    if not context.no_instructions and installed("valgrind"):
        for heat, entry in places:
            if INSTRUCTIONS in heat.measures and entry.part != AGAIN and entry.failure is None:
                progress(f"{result.job}, counting instructions: {entry.name}")
                _count(entry, runs)
    describe(result, heats)
    result.note(*explanation)


def prepare(result: Result, heats: list[Heat]) -> None:
    """Leaves out what is not installed. Where seconds are taken one command runs twice: ours if nobody says another."""
    programs = {entry.command.words[0] for heat in heats for entry in heat.entries}
    missing = [program for program in PACKAGES if program in programs and not installed(program)]
    result.note(*(PACKAGES[program] for program in missing))
    for heat in heats:
        heat.entries = [entry for entry in heat.entries if entry.command.words[0] not in missing]
        if not all(measure.repeats for measure in heat.measures) and all(each.part != AGAIN for each in heat.entries):
            heat.entries.append(heat.ours.again)


def _run(entry: Entry, runs: Runs) -> None:
    """What goes wrong with one program is its own: it takes no further part."""
    try:
        done = runs(entry.command, 1800)
        work = entry.look(done)
        entry.work = entry.work or work
        entry.packets_lost += work.packets_lost
        entry.runs.append(done - runs(entry.baseline, 1800) if entry.baseline else done)
    except CommandFailed as failure:
        entry.failure = str(failure)


def _count(entry: Entry, runs: Runs) -> None:
    def counted(what: Command) -> int:
        return counting.instructions(what, lambda each: runs(each, 1800 * CALLGRIND_FACTOR))

    try:
        entry.instructions = counted(entry.command) - (counted(entry.baseline) if entry.baseline else 0)
    except CommandFailed as failure:
        entry.failure = str(failure)


def describe(result: Result, heats: list[Heat]) -> None:
    """Comparisons, the plot, and a table for each heat."""
    groups = []
    for heat in heats:
        for entry in heat.entries:
            who = f"{entry.name}, {heat.title}"
            result.commands += [(f"{result.job}, {who}", str(entry.command))] if entry.part != AGAIN else []
            if entry.baseline and entry.part != AGAIN:
                result.commands.append((f"{result.job}, {who}, what is subtracted", str(entry.baseline)))
            if entry.failure:
                result.failures.append(f"{who} failed: {entry.failure}")
            elif void := heat.void(entry):
                result.note(f"{who} is not compared: it {void}.")
            elif entry.packets_lost:
                result.note(f"{who}: {entry.packets_lost} datagrams were lost; what they held is not counted.")
        for measure in heat.taken():
            compared = heat.compared(measure)
            where = f"{result.job}, {measure.title}, {heat.title}"
            result.comparisons += [
                Comparison(where, entry.name, beside.ratio, beside.text, beside.verdict) for entry, beside in compared if beside.verdict
            ]
            if compared:
                groups.append(_group(heat, measure, compared))
    if groups:
        caption = (
            "Bars: the median of the ratios, iteration by iteration. Whiskers: the middle half. Shaded: what is level, because "
            "a command strays as far from itself."
        )
        title = "What the others take, as a multiple of Rill's"
        plot = {"kind": "ratios", "title": title, "caption": caption, "reference": "Rill", "groups": groups}
        result.blocks.append(Drawing(plot))
    for heat in heats:
        result.blocks += [_table(heat), _scatter(heat)]


INKS = {Verdict.AHEAD: "green", Verdict.LEVEL: "grey", Verdict.BEHIND: "red", Verdict.UNJUDGED: "grey", None: "blue"}


def _group(heat: Heat, measure: Measure, compared: list[tuple[Entry, Beside]]) -> dict:
    rows = [
        {
            "name": entry.name, "ink": INKS[beside.verdict], "ratio": beside.ratio, "range": beside.quartiles,
            "note": f"{beside.text}, " + (f"{_word(beside.verdict)}" if beside.verdict else "a floor: less work"),
        }
        for entry, beside in compared
    ]
    ours, scatter = timed(measure.of(heat.ours)).value, heat.scatter(measure)
    title = f"{measure.title}, {heat.title}: Rill takes {measure.form(ours)}"
    return {"title": title, "rows": rows, "level": [1 / (1 + scatter), 1 + scatter]}


def _word(verdict: Verdict) -> str:
    return f"Rill is {verdict.value}" if verdict in (Verdict.AHEAD, Verdict.BEHIND) else verdict.value


def _table(heat: Heat) -> Table:
    measures = heat.taken()
    table = Table([heat.title, *(each for measure in measures for each in (measure.title, "over Rill's")), "pictures", "coded bytes"], [])
    for entry in heat.entries:
        row: list[Cell] = [entry.name]
        spread = ["  least to most"]
        for measure in measures:
            values = measure.of(entry)
            middle = timed(values).value
            row.append(Figure(measure.form(middle), middle, tuple(values), measure.repeats) if values else Figure("–"))
            beside = next((found for other, found in heat.compared(measure) if other is entry), None)
            row.append(Figure(beside.text, beside.ratio, repeats=measure.repeats, verdict=beside.verdict) if beside else "")
            spread += [f"{measure.form(min(values))} – {measure.form(max(values))}" if len(values) > 1 else "", ""]
        work = entry.work
        row += [count(work.frames if work else None), count(work.coded_bytes if work else None)]
        table.rows.append(row)
        if any(spread[1:]):
            table.details.add(len(table.rows))
            table.rows.append([*spread, "", ""])
    return table


def _scatter(heat: Heat) -> Text:
    parts = [f"{measure.title} ±{heat.scatter(measure):.1%}" for measure in heat.taken()]
    return Text(f"With {heat.title} a command differed from itself by: {', '.join(parts)}. Smaller differences are level.", is_note=True)
