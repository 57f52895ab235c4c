"""Compares this run with the JSON of an earlier one: `--against old.json`."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from .figures import FEW, MOST_SCATTER, Figure, Sample, Rating
from .report import Block, Table, Text

# Smaller changes of repeatable figures are ignored: a different link order or a longer path name causes them.
LEAST = 0.002

Key = tuple[str, str, str]
"""A job, the row of one of its tables, and the column."""


@dataclass
class Old:
    """A figure of a file."""

    text: str
    value: float
    values: list[float]
    repeats: bool


def figures(report: dict) -> Iterator[tuple[Key, Old]]:
    for result in report["results"]:
        for table in result["tables"]:
            for row in table["rows"]:
                name = row[0] if isinstance(row[0], str) else row[0]["text"]
                for column, cell in zip(table["head"][1:], row[1:]):
                    if isinstance(cell, dict) and cell.get("value") is not None:
                        key = (result["job"], f"{table['head'][0]}: {name}", column)
                        yield key, Old(cell["text"], cell["value"], cell.get("values", []), cell["repeats"])


def change(before: Old, now: Old) -> tuple[float, Rating]:
    """The relative change of a figure, and the rating on it. Whether more is better depends on the figure."""
    share = now.value / before.value - 1 if before.value else 0.0 if now.value == before.value else float("inf")
    if before.repeats and now.repeats:
        return share, Rating.LEVEL if abs(share) <= LEAST else Rating.AHEAD if share < 0 else Rating.BEHIND
    samples = [Sample.of(each.values) for each in (before, now)]
    if any(sample is None or len(sample.values) < FEW for sample in samples):
        return share, Rating.UNJUDGED
    (low, high), (other_low, other_high) = (sample.quartiles for sample in samples)
    if any((end - start) / sample.median > 2 * MOST_SCATTER for sample, (start, end) in zip(samples, ((low, high), (other_low, other_high)))):
        return share, Rating.UNJUDGED
    if high < other_low or other_high < low:
        return share, Rating.AHEAD if share < 0 else Rating.BEHIND
    return share, Rating.LEVEL


WORDS = {Rating.AHEAD: "less", Rating.BEHIND: "more", Rating.LEVEL: "the same", Rating.UNJUDGED: "not judged"}


def compare(path: str, now: str) -> list[Block]:
    """The comparison with the earlier run: every figure of both runs, and a list of those in only one."""
    with open(path, encoding="utf-8") as file:
        old = json.load(file)
    before, after = dict(figures(old)), dict(figures(json.loads(now)))
    rows, ratings = [], []
    for key in before.keys() & after.keys():
        share, rating = change(before[key], after[key])
        ratings.append(rating)
        text = "–" if share == float("inf") else f"{share:+.1%}"
        rows.append((list(after).index(key), [
            f"{key[0]}, {key[1]}", key[2], Figure(before[key].text), Figure(after[key].text),
            Figure(f"{text}, {WORDS[rating]}", rating=Rating.LEVEL if rating is Rating.UNJUDGED else None),
        ]))
    counts = ", ".join(f"{ratings.count(each)} {WORDS[each]}" for each in Rating if ratings.count(each))
    facts = {key: value for key, value in old["facts"].items() if key != "load"}
    blocks: list[Block] = [Text(
        f"Compared with {path} ({facts.get('rill', 'unknown')}, {facts.get('processor', 'unknown')}): of {len(rows)} figures {counts or 'none'}. "
        "Counts are repeatable: a change of more than 0.2 % is significant. Timings are judged only if both runs have five iterations, "
        "and are significant if the interquartile ranges are narrow and do not overlap."
    )]
    missing = [f"{key[0]}, {key[1]}, {key[2]}" for key in before.keys() ^ after.keys()]
    if missing:
        blocks.append(Text(f"In only one of the runs: {'; '.join(sorted(missing)[:12])}" + (" …" if len(missing) > 12 else ""), is_note=True))
    if rows:
        head = ["figure", "column", "before", "now", "change"]
        blocks.append(Table(head, [row for _, row in sorted(rows, key=lambda row: row[0])]))
    return blocks
