"""What a job found out, in one form for all jobs: text, JSON, Markdown and pages are made of it."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from .figures import Cell, Figure, Verdict, met


@dataclass
class Table:
    """Rows under a head; the first cell of a row is its name, and one alone is a heading."""

    head: list[str]
    rows: list[list[Cell]]
    # Rows by number that say more of the row above.
    details: set[int] = field(default_factory=set)
    holds_words: bool = False

    def text(self) -> str:
        lines = [self.head] + [[str(cell) for cell in row] for row in self.rows]
        full = [line for line in lines if len(line) == len(self.head)]
        widths = [max(len(line[column]) for line in full) for column in range(len(self.head))]
        # Names and words to the left, numbers to the right.
        align = [str.ljust if column == 0 or self.holds_words else str.rjust for column in range(len(self.head))]
        return "\n".join("  ".join(put(*pair) for put, *pair in zip(align, line, widths)).rstrip() for line in lines)

    def markdown(self) -> str:
        rows = [self.head, ["---"] + ["---" if self.holds_words else "--:"] * (len(self.head) - 1)]
        rows += [[str(cell) for cell in row] + [""] * (len(self.head) - len(row)) for row in self.rows]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)

    def json(self) -> dict:
        def cell(value: Cell) -> object:
            if isinstance(value, str):
                return value
            plain = {"text": value.text, "value": value.value, "values": list(value.values), "repeats": value.repeats}
            return {key: each for key, each in plain.items() if each not in (None, [])}

        return {"head": self.head, "rows": [[cell(each) for each in row] for row in self.rows]}

    def block(self) -> dict:
        rows = [
            {
                "cells": [str(cell) for cell in row], "isDetail": index in self.details,
                "verdicts": [getattr(getattr(cell, "verdict", None), "colour", None) for cell in row],
            }
            for index, row in enumerate(self.rows)
        ]
        return {"kind": "table", "head": self.head, "rows": rows, "holdsWords": self.holds_words}


@dataclass
class Text:
    """A paragraph; a note says how something was done, and how it is to be read."""

    text: str
    is_note: bool = False

    def block(self) -> dict:
        return {"kind": "note" if self.is_note else "text", "text": self.text}


@dataclass
class Drawing:
    """A plot, as `bench-page` reads it: on pages alone."""

    content: dict

    def block(self) -> dict:
        return self.content


Block = Table | Text | Drawing


@dataclass
class Bar:
    """A promise of Rill's, and whether this run keeps it; None where that could not be judged."""

    name: str
    finding: str
    is_met: bool | None


def bar(name: str, figure: float | None, limit: float, unit: str = "", note: str = "", is_judged: bool = True) -> Bar:
    """A figure may be so much at most; nothing measured keeps no promise."""
    if figure is None or not math.isfinite(figure):
        return Bar(name, "nothing was measured", False)

    def text(value: float) -> str:
        number = f"{value:.0f}" if value == round(value) else f"{value:.3f}"
        return number + (unit if unit in ("", "×") else f" {unit}")

    finding = text(figure) + (f", at most {text(limit)}" if limit else "") + (f" ({note})" if note else "")
    return Bar(name, finding, figure <= limit if is_judged else None)


@dataclass
class Comparison:
    """Rill beside another in one measure: the other's over Rill's, the verdict on it, and how it is written."""

    where: str
    rival: str
    ratio: float
    text: str
    verdict: Verdict


@dataclass
class Result:
    """What came of a job."""

    job: str
    title: str
    blocks: list[Block] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    # What was run, to be copied: what it is, and the command.
    commands: list[tuple[str, str]] = field(default_factory=list)
    # What kept the job from doing all of its work.
    failures: list[str] = field(default_factory=list)

    def note(self, *texts: str) -> None:
        self.blocks += [Text(text, is_note=True) for text in texts]

    @property
    def is_failed(self) -> bool:
        return bool(self.failures) or any(each.is_met is False for each in self.bars)


def bars_table(bars: Iterable[Bar]) -> Table:
    rows = [[each.name, each.finding, met(each.is_met)] for each in bars]
    return Table(["what Rill promises", "measured", ""], rows, holds_words=True)


@dataclass
class Report:
    """All results of one run, and all that is needed to do it again."""

    subtitle: str
    results: list[Result]
    facts: dict[str, str]
    # What is said of an earlier run beside this one.
    against: list[Block] = field(default_factory=list)

    @property
    def bars(self) -> list[Bar]:
        return [each for result in self.results for each in result.bars]

    @property
    def comparisons(self) -> list[Comparison]:
        return [each for result in self.results for each in result.comparisons]

    def headline(self) -> str:
        """Where Rill stands, of what could be judged."""
        found = [each.verdict for each in self.comparisons]
        judged = [verdict for verdict in found if verdict is not Verdict.UNJUDGED]
        parts = []
        if judged:
            ahead, level, behind = (judged.count(each) for each in (Verdict.AHEAD, Verdict.LEVEL, Verdict.BEHIND))
            things = "comparison" if len(judged) == 1 else "comparisons"
            parts.append(f"Of {len(judged)} {things} Rill is ahead in {ahead}, level in {level} and behind in {behind}.")
        if len(found) > len(judged):
            parts.append(
                f"Not judged: {len(found) - len(judged)} of seconds, for fewer than 5 iterations, or a command that strays "
                "from itself by more than 10 %."
            )
        if self.bars:
            unjudged = sum(each.is_met is None for each in self.bars)
            parts.append(
                f"Bars met: {sum(each.is_met is True for each in self.bars)} of {len(self.bars)}" + (f", {unjudged} not judged." if unjudged else ".")
            )
        return " ".join(parts)

    def shortcomings(self) -> list[str]:
        """Where Rill is behind, by name, worst first."""
        behind = [each for each in self.comparisons if each.verdict is Verdict.BEHIND]
        return [
            f"{each.where}: Rill takes {1 / each.ratio:.3g} times what {each.rival} takes"
            for each in sorted(behind, key=lambda each: each.ratio)
        ]

    def text(self) -> str:
        parts = [self.subtitle, self.headline()]
        if behind := self.shortcomings():
            parts.append("Behind:\n" + "\n".join(f"  {line}" for line in behind))
        for result in self.results:
            parts.append(f"{result.job}: {result.title}")
            parts += [each.text() if isinstance(each, Table) else each.text for each in result.blocks if not isinstance(each, Drawing)]
            if result.bars:
                parts.append(bars_table(result.bars).text())
            parts += result.failures
            if result.commands:
                parts.append("\n".join(f"{name}\n  {line}" for name, line in result.commands))
        parts += [each.text() if isinstance(each, Table) else each.text for each in self.against]
        parts.append("\n".join(f"{key}: {value}" for key, value in self.facts.items()))
        return "\n\n".join(part for part in parts if part)

    def markdown(self) -> str:
        tables = [each.markdown() for result in self.results for each in result.blocks if isinstance(each, Table)]
        bars = [bars_table(self.bars).markdown()] if self.bars else []
        return "\n\n".join(tables + bars)

    def json(self) -> str:
        results = [
            {
                "job": result.job, "title": result.title,
                "tables": [each.json() for each in result.blocks if isinstance(each, Table)],
                "bars": [vars(each) for each in result.bars],
                "comparisons": [vars(each) | {"verdict": each.verdict.value} for each in result.comparisons],
                "commands": dict(result.commands), "failures": result.failures,
            }
            for result in self.results
        ]
        report = {"subtitle": self.subtitle, "headline": self.headline(), "results": results, "facts": self.facts}
        return json.dumps(report, indent=2, ensure_ascii=False)

    def page(self) -> dict:
        """What `bench-page` makes a page of: where Rill stands, what it promises, then each job, then how to do it again."""
        blocks: list[dict] = [{"kind": "headline", "text": self.headline()}] if self.headline() else []
        if behind := self.shortcomings():
            blocks += [{"kind": "text", "text": "Behind, worst first:"}, {"kind": "list", "items": behind}]
        if self.comparisons:
            blocks.append(self._overview().block())
            blocks.append(Text(READING, is_note=True).block())
        if self.bars:
            blocks.append(bars_table(self.bars).block())
        if self.against:
            blocks.append({"kind": "section", "title": "Beside an earlier run", "blocks": [each.block() for each in self.against]})
        for result in self.results:
            inside = [each.block() for each in result.blocks] + [Text(each).block() for each in result.failures]
            title = f"{result.job[0].upper()}{result.job[1:]}: {result.title[0].lower()}{result.title[1:]}"
            blocks.append({"kind": "section", "title": title, "blocks": inside})
        facts = Table(["machine and programs", ""], [[*each] for each in self.facts.items()], holds_words=True)
        blocks.append({"kind": "section", "title": "Where it was measured", "blocks": [facts.block()]})
        commands = [pair for result in self.results for pair in result.commands]
        if commands:
            codes = [{"kind": "code", "title": name, "text": line} for name, line in commands]
            blocks.append({"kind": "section", "title": "The commands", "blocks": codes})
        title = "Rill beside the others" if self.comparisons else "What Rill costs"
        return {"title": title, "subtitle": self.subtitle, "blocks": blocks}

    def _overview(self) -> Table:
        rows = [
            [each.where, each.rival, Figure(f"{each.text} {each.verdict.value}", verdict=each.verdict)]
            for each in self.comparisons
        ]
        return Table(["what", "beside", "what it takes, over what Rill takes"], rows, holds_words=True)


READING = (
    "Of everything measured here less is better. A figure is what the other takes over what Rill takes, iteration by iteration "
    "(the median, and the middle half): above 1 Rill takes less. Level is what differs by no more than one and the same command "
    "differs from itself in this run, and what the iterations do not agree on. Seconds are judged only where there were five "
    "iterations or more and no command strayed from itself by more than 10 %."
)
