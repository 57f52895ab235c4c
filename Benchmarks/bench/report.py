"""The results of jobs in a common form, and their output as text, JSON, Markdown and HTML pages."""

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from .figures import Cell, Figure, Rating, met


@dataclass
class Table:
    """A table; the first cell of a row is its name, and a row of one cell is a heading."""

    head: list[str]
    rows: list[list[Cell]]
    # Indexes of rows that add details to the row above.
    details: set[int] = field(default_factory=set)
    holds_words: bool = False

    def text(self) -> str:
        lines = [self.head] + [[str(cell) for cell in row] for row in self.rows]
        full = [line for line in lines if len(line) == len(self.head)]
        widths = [max(len(line[column]) for line in full) for column in range(len(self.head))]
        # Names and words are aligned left, numbers right.
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
                "ratings": [getattr(getattr(cell, "rating", None), "colour", None) for cell in row],
            }
            for index, row in enumerate(self.rows)
        ]
        return {"kind": "table", "head": self.head, "rows": rows, "holdsWords": self.holds_words}


@dataclass
class Text:
    """A paragraph; a note explains how something was measured and how to read it."""

    text: str
    is_note: bool = False

    def block(self) -> dict:
        return {"kind": "note" if self.is_note else "text", "text": self.text}


@dataclass
class Drawing:
    """A plot; only pages show it."""

    content: dict

    def block(self) -> dict:
        return self.content


Block = Table | Text | Drawing


@dataclass
class Target:
    """An acceptance target, and whether this run meets it; None if it could not be judged."""

    name: str
    finding: str
    is_met: bool | None


def target(name: str, figure: float | None, limit: float, unit: str = "", note: str = "", is_judged: bool = True) -> Target:
    """A target with an upper limit; without a measured figure it is not met."""
    if figure is None or not math.isfinite(figure):
        return Target(name, "nothing was measured", False)

    def text(value: float) -> str:
        number = f"{value:.0f}" if value == round(value) else f"{value:.3f}"
        return number + (unit if unit in ("", "×") else f" {unit}")

    finding = text(figure) + (f", at most {text(limit)}" if limit else "") + (f" ({note})" if note else "")
    return Target(name, finding, figure <= limit if is_judged else None)


@dataclass
class Comparison:
    """Rill compared with another program in one measure: the other's cost divided by Rill's, its text, and the rating."""

    where: str
    rival: str
    ratio: float
    text: str
    rating: Rating


@dataclass
class Result:
    """The result of a job."""

    job: str
    title: str
    blocks: list[Block] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    # The commands that were run, each with a title.
    commands: list[tuple[str, str]] = field(default_factory=list)
    # Errors that kept the job from finishing.
    failures: list[str] = field(default_factory=list)

    def note(self, *texts: str) -> None:
        self.blocks += [Text(text, is_note=True) for text in texts]

    @property
    def is_failed(self) -> bool:
        return bool(self.failures) or any(each.is_met is False for each in self.targets)


def targets_table(targets: Iterable[Target]) -> Table:
    rows = [[each.name, each.finding, met(each.is_met)] for each in targets]
    return Table(["target", "measured", ""], rows, holds_words=True)


@dataclass
class Report:
    """All results of one run, with everything needed to repeat it."""

    subtitle: str
    results: list[Result]
    facts: dict[str, str]
    # The comparison with an earlier run.
    against: list[Block] = field(default_factory=list)

    @property
    def targets(self) -> list[Target]:
        return [each for result in self.results for each in result.targets]

    @property
    def comparisons(self) -> list[Comparison]:
        return [each for result in self.results for each in result.comparisons]

    def headline(self) -> str:
        """The number of comparisons in which Rill is ahead, level and behind."""
        found = [each.rating for each in self.comparisons]
        judged = [rating for rating in found if rating is not Rating.UNJUDGED]
        parts = []
        if judged:
            ahead, level, behind = (judged.count(each) for each in (Rating.AHEAD, Rating.LEVEL, Rating.BEHIND))
            things = "comparison" if len(judged) == 1 else "comparisons"
            parts.append(f"Of {len(judged)} {things} Rill is ahead in {ahead}, level in {level} and behind in {behind}.")
        if len(found) > len(judged):
            parts.append(
                f"Not judged: {len(found) - len(judged)} timings, because of fewer than 5 iterations or noise of more than 10 %."
            )
        if self.targets:
            unjudged = sum(each.is_met is None for each in self.targets)
            parts.append(
                f"Targets met: {sum(each.is_met is True for each in self.targets)} of {len(self.targets)}" + (f", {unjudged} not judged." if unjudged else ".")
            )
        return " ".join(parts)

    def shortcomings(self) -> list[str]:
        """The comparisons in which Rill is behind, worst first."""
        behind = [each for each in self.comparisons if each.rating is Rating.BEHIND]
        return [
            f"{each.where}: Rill takes {1 / each.ratio:.3g} times as much as {each.rival}"
            for each in sorted(behind, key=lambda each: each.ratio)
        ]

    def text(self) -> str:
        parts = [self.subtitle, self.headline()]
        if behind := self.shortcomings():
            parts.append("Behind:\n" + "\n".join(f"  {line}" for line in behind))
        for result in self.results:
            parts.append(f"{result.job}: {result.title}")
            parts += [each.text() if isinstance(each, Table) else each.text for each in result.blocks if not isinstance(each, Drawing)]
            if result.targets:
                parts.append(targets_table(result.targets).text())
            parts += result.failures
            if result.commands:
                parts.append("\n".join(f"{name}\n  {line}" for name, line in result.commands))
        parts += [each.text() if isinstance(each, Table) else each.text for each in self.against]
        parts.append("\n".join(f"{key}: {value}" for key, value in self.facts.items()))
        return "\n\n".join(part for part in parts if part)

    def markdown(self) -> str:
        tables = [each.markdown() for result in self.results for each in result.blocks if isinstance(each, Table)]
        targets = [targets_table(self.targets).markdown()] if self.targets else []
        return "\n\n".join(tables + targets)

    def json(self) -> str:
        results = [
            {
                "job": result.job, "title": result.title,
                "tables": [each.json() for each in result.blocks if isinstance(each, Table)],
                "targets": [vars(each) for each in result.targets],
                "comparisons": [vars(each) | {"rating": each.rating.value} for each in result.comparisons],
                "commands": dict(result.commands), "failures": result.failures,
            }
            for result in self.results
        ]
        report = {"subtitle": self.subtitle, "headline": self.headline(), "results": results, "facts": self.facts}
        return json.dumps(report, indent=2, ensure_ascii=False)

    def page(self) -> dict:
        """The content of a page: the comparisons, the targets, each job, and how to repeat the run."""
        blocks: list[dict] = [{"kind": "headline", "text": self.headline()}] if self.headline() else []
        if behind := self.shortcomings():
            blocks += [{"kind": "text", "text": "Behind, worst first:"}, {"kind": "list", "items": behind}]
        if self.comparisons:
            blocks.append(self._overview().block())
            blocks.append(Text(READING, is_note=True).block())
        if self.targets:
            blocks.append(targets_table(self.targets).block())
        if self.against:
            blocks.append({"kind": "section", "title": "Compared with an earlier run", "blocks": [each.block() for each in self.against]})
        for result in self.results:
            inside = [each.block() for each in result.blocks] + [Text(each).block() for each in result.failures]
            title = f"{result.job[0].upper()}{result.job[1:]}: {result.title[0].lower()}{result.title[1:]}"
            blocks.append({"kind": "section", "title": title, "blocks": inside})
        facts = Table(["machine and programs", ""], [[*each] for each in self.facts.items()], holds_words=True)
        blocks.append({"kind": "section", "title": "Machine and programs", "blocks": [facts.block()]})
        commands = [pair for result in self.results for pair in result.commands]
        if commands:
            codes = [{"kind": "code", "title": name, "text": line} for name, line in commands]
            blocks.append({"kind": "section", "title": "Commands", "blocks": codes})
        title = "Rill compared with others" if self.comparisons else "The cost of Rill"
        return {"kind": "blocks", "title": title, "subtitle": self.subtitle, "blocks": blocks}

    def _overview(self) -> Table:
        rows = [
            [each.where, each.rival, Figure(f"{each.text} {each.rating.value}", rating=each.rating)]
            for each in self.comparisons
        ]
        return Table(["measure", "compared with", "its cost relative to Rill's"], rows, holds_words=True)


READING = (
    "Less is better in all measures. A figure is the other program's cost divided by Rill's, per iteration (median and quartiles): "
    "above 1, Rill takes less. A difference is level if it is within the noise (the difference between two runs of one command) or "
    "if the iterations do not agree. Timings are judged only with five or more iterations and noise of at most 10 %."
)
