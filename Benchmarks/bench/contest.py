"""Compares Rill with other programs that do the same work.

Every iteration runs each program once, in a random order drawn from the seed, so that other load on the machine affects all of
them alike. One command runs twice per iteration; the difference between its two runs is noise. Instructions are counted
afterwards, once for each command.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from . import counting
from .figures import Cell, Figure, Rating, count, judge, ratios, timed
from .job import Context
from .process import Command, CommandFailed, Run, installed, printed, progress, run
from .recipes import PACKAGES
from .report import Comparison, Drawing, Result, Table, Text, target

OURS, RIVAL, FLOOR, AGAIN = "ours", "rival", "floor", "again"
# Encoded bytes may differ by this share, since the programs' rate controls cannot be set exactly alike.
TOLERANCE = 0.05
CALLGRIND_FACTOR = 8


@dataclass
class Work:
    """A program's output; runs whose output differs from Rill's are left out."""

    frames: int
    coded_bytes: int | None = None
    packets_lost: int = 0

    def difference(self, ours: "Work") -> str | None:
        if self.frames != ours.frames:
            return f"processed {self.frames} pictures, Rill {ours.frames}"
        if self.coded_bytes is not None and ours.coded_bytes:
            if abs(self.coded_bytes / ours.coded_bytes - 1) > TOLERANCE:
                return f"encoded to {self.coded_bytes} bytes, Rill to {ours.coded_bytes}"
        return None


@dataclass(frozen=True)
class Measure:
    """A quantity that is compared; less is better."""

    title: str
    # Reads it from an entry's runs, or from its instruction count.
    of: Callable[["Entry"], list[float]]
    # Formats it.
    form: Callable[[float], str]
    repeats: bool
    # Smaller differences are ignored, however small the noise was.
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
"""Reads the output of a program's run."""


def printed_frames(done: Run) -> Work:
    """The frame count that most programs print."""
    found = printed(done.output)
    return Work(int(found.get("frames", found.get("frame", 0))))


@dataclass
class Entry:
    """One program in a comparison, and its results."""

    name: str
    part: str
    command: Command
    # The command without the measured work; its cost is subtracted.
    baseline: Command | None = None
    look: Look = printed_frames
    runs: list[Run] = field(default_factory=list)
    instructions: int | None = None
    work: Work | None = None
    packets_lost: int = 0
    failure: str | None = None

    @property
    def again(self) -> "Entry":
        """A second entry of the same command."""
        return replace(self, name=f"{self.name}, repeated", part=AGAIN, runs=[])


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
        """The noise: how far two runs of one command differ; at least the measure's smallest."""
        for again in (each for each in self.entries if each.part == AGAIN):
            original = next(each for each in self.entries if each.command == again.command)
            found = ratios(measure.of(again), measure.of(original))
            return max(found.straying_from_one, measure.least_scatter) if found else measure.least_scatter
        return measure.least_scatter

    def void(self, entry: Entry) -> str | None:
        """Why a program is left out: how its output differs from Rill's; None if it does not."""
        if entry.part != RIVAL or entry.work is None or self.ours.work is None:
            return None
        return entry.work.difference(self.ours.work)

    def taken(self) -> list[Measure]:
        """The measures that have values."""
        return [measure for measure in self.measures if any(measure.of(each) for each in self.entries)]

    def compared(self, measure: Measure) -> list[tuple[Entry, "Beside"]]:
        """Rill compared with each other program."""
        found = []
        for entry in self.entries[1:]:
            sample = ratios(measure.of(entry), measure.of(self.ours))
            if sample and entry.part != AGAIN and entry.failure is None and not self.void(entry):
                scatter = self.scatter(measure)
                rating = None if entry.part == FLOOR else judge(sample, scatter, measure.repeats)
                found.append((entry, Beside(measure, sample.median, sample.quartiles, scatter, rating)))
        return found

    def beside(self, measure: Measure, name: str) -> "Beside | None":
        """Rill compared with the first program whose name starts like this; None if they cannot be compared."""
        return next((found for entry, found in self.compared(measure) if entry.name.startswith(name)), None)

    def promise(self, result: Result, text: str, measure: Measure, name: str, limit: float | None = None) -> None:
        """Adds a target for Rill's cost relative to another program's. Without a limit, Rill may be worse by the noise."""
        if found := self.beside(measure, name):
            limit = 1 + found.scatter if limit is None else limit
            result.targets.append(target(text, 1 / found.ratio, limit, "×", is_judged=found.rating is not Rating.UNJUDGED))


@dataclass(frozen=True)
class Beside:
    """The other's cost divided by Rill's: median, quartiles, noise, and the rating, which a floor does not have."""

    measure: Measure
    ratio: float
    quartiles: tuple[float, float]
    scatter: float
    rating: Rating | None

    @property
    def text(self) -> str:
        def times(value: float) -> str:
            return f"{value:.{(3 if self.measure.repeats else 2) if value < 10 else 1}f}"

        low, high = map(times, self.quartiles)
        return f"{times(self.ratio)}×" + ("" if low == high else f" ({low}–{high})")


Runs = Callable[[Command, float], Run]
"""Runs a command to its end, with a time limit in seconds."""


def hold(context: Context, result: Result, heats: list[Heat], *explanation: str, runs: Runs = run) -> None:
    """Runs all programs and fills in the result."""
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
    """Leaves out programs that are not installed. For timings one command runs twice: Rill's, unless a heat has another."""
    programs = {entry.command.words[0] for heat in heats for entry in heat.entries}
    missing = [program for program in PACKAGES if program in programs and not installed(program)]
    result.note(*(PACKAGES[program] for program in missing))
    for heat in heats:
        heat.entries = [entry for entry in heat.entries if entry.command.words[0] not in missing]
        if not all(measure.repeats for measure in heat.measures) and all(each.part != AGAIN for each in heat.entries):
            heat.entries.append(heat.ours.again)


def _run(entry: Entry, runs: Runs) -> None:
    """Runs an entry once. A program that fails is left out of further iterations."""
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
    """Adds comparisons, the plot, and a table for each heat."""
    groups = []
    for heat in heats:
        for entry in heat.entries:
            who = f"{entry.name}, {heat.title}"
            result.commands += [(f"{result.job}, {who}", str(entry.command))] if entry.part != AGAIN else []
            if entry.baseline and entry.part != AGAIN:
                result.commands.append((f"{result.job}, {who}, subtracted baseline", str(entry.baseline)))
            if entry.failure:
                result.failures.append(f"{who} failed: {entry.failure}")
            elif void := heat.void(entry):
                result.note(f"{who} is left out: it {void}.")
            elif entry.packets_lost:
                result.note(f"{who}: {entry.packets_lost} datagrams were lost; their bytes are not counted.")
        for measure in heat.taken():
            compared = heat.compared(measure)
            where = f"{result.job}, {measure.title}, {heat.title}"
            result.comparisons += [
                Comparison(where, entry.name, beside.ratio, beside.text, beside.rating) for entry, beside in compared if beside.rating
            ]
            if compared:
                groups.append(_group(heat, measure, compared))
    if groups:
        caption = (
            "Bars: the median of the ratios of each iteration. Whiskers: the quartiles. Shaded: differences within the noise, which "
            "two runs of one command show, too."
        )
        title = "Cost of the others as a multiple of Rill's"
        plot = {"kind": "ratios", "title": title, "caption": caption, "reference": "Rill", "groups": groups}
        result.blocks.append(Drawing(plot))
    for heat in heats:
        result.blocks += [_table(heat), _scatter(heat)]


INKS = {Rating.AHEAD: "green", Rating.LEVEL: "grey", Rating.BEHIND: "red", Rating.UNJUDGED: "grey", None: "blue"}


def _group(heat: Heat, measure: Measure, compared: list[tuple[Entry, Beside]]) -> dict:
    rows = [
        {
            "name": entry.name, "ink": INKS[beside.rating], "ratio": beside.ratio, "range": beside.quartiles,
            "note": f"{beside.text}, " + (f"{_word(beside.rating)}" if beside.rating else "a floor: it does less work"),
        }
        for entry, beside in compared
    ]
    ours, scatter = timed(measure.of(heat.ours)).value, heat.scatter(measure)
    title = f"{measure.title}, {heat.title}: Rill takes {measure.form(ours)}"
    return {"title": title, "rows": rows, "level": [1 / (1 + scatter), 1 + scatter]}


def _word(rating: Rating) -> str:
    return f"Rill is {rating.value}" if rating in (Rating.AHEAD, Rating.BEHIND) else rating.value


def _table(heat: Heat) -> Table:
    measures = heat.taken()
    table = Table([heat.title, *(each for measure in measures for each in (measure.title, "× Rill's")), "pictures", "encoded bytes"], [])
    for entry in heat.entries:
        row: list[Cell] = [entry.name]
        spread = ["  min to max"]
        for measure in measures:
            values = measure.of(entry)
            middle = timed(values).value
            row.append(Figure(measure.form(middle), middle, tuple(values), measure.repeats) if values else Figure("–"))
            beside = next((found for other, found in heat.compared(measure) if other is entry), None)
            row.append(Figure(beside.text, beside.ratio, repeats=measure.repeats, rating=beside.rating) if beside else "")
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
    return Text(f"With {heat.title}, two runs of one command differed by: {', '.join(parts)}. Smaller differences are level.", is_note=True)
