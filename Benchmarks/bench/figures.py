"""Numbers that were measured: samples, how they are written, and what may be said of two of them. The one verdict."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

# Fewer iterations than these are too few for seconds to be judged by.
FEW = 5
# A run in which a command strays this far from itself says nothing of seconds.
MOST_SCATTER = 0.1


@dataclass(frozen=True)
class Sample:
    """Numbers of one kind, one for each iteration: their middle, and how far they stray from it."""

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Iterable[float | None]) -> "Sample | None":
        """What is not a number is left out; None where nothing is left."""
        kept = tuple(value for value in values if value is not None and math.isfinite(value))
        return cls(kept) if kept else None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def least(self) -> float:
        return min(self.values)

    @property
    def most(self) -> float:
        return max(self.values)

    def quantile(self, share: float) -> float:
        """Between two values in proportion."""
        ordered, place = sorted(self.values), share * (len(self.values) - 1)
        low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
        return low + (high - low) * (place - math.floor(place))

    @property
    def quartiles(self) -> tuple[float, float]:
        return self.quantile(0.25), self.quantile(0.75)

    @property
    def straying_from_one(self) -> float:
        """How far the middle half strays from 1: of ratios of a command to itself."""
        return max(abs(quartile - 1) for quartile in self.quartiles)


def ratios(values: Sequence[float | None], references: Sequence[float | None]) -> Sample | None:
    """Iteration by iteration: what slows the machine slows both. Where one of them took nothing, nothing is said."""
    pairs = zip(values, references)
    return Sample.of(a / b for a, b in pairs if a is not None and b is not None and a > 0 and b > 0)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that so large a share of all does not exceed."""
    if not values:
        return math.nan
    # What is whole but for rounding is whole: 0.95 of 20 is 19.
    return sorted(values)[max(1, math.ceil(share * len(values) - 1e-9)) - 1]


class Verdict(Enum):
    """Where Rill stands in a quantity of which less is better; the words are those of tables."""

    AHEAD = "ahead"
    LEVEL = "level"
    BEHIND = "behind"
    UNJUDGED = "not judged"

    @property
    def colour(self) -> str:
        return "level" if self is Verdict.UNJUDGED else self.value


def judge(sample: Sample, scatter: float, repeats: bool) -> Verdict:
    """A verdict on ratios, the other's over Rill's.

    Where their middle half lies on both sides of 1 it is chance who is ahead, and where `scatter`, how far a command strays
    from itself in the same run, is larger than the difference too. Of what does not repeat (seconds), few iterations and a
    run that scatters allow no verdict.
    """
    if not repeats and (len(sample.values) < FEW or scatter > MOST_SCATTER):
        return Verdict.UNJUDGED
    low, high = sample.quartiles
    # Both ways alike: a ratio of 1/(1+s) is as far from 1 as one of 1+s.
    if sample.median > 1 + scatter and low > 1:
        return Verdict.AHEAD
    if sample.median * (1 + scatter) < 1 and high < 1:
        return Verdict.BEHIND
    return Verdict.LEVEL


@dataclass(frozen=True)
class Figure:
    """A measured number in a table: as it is written, and as it is compared with that of an earlier run."""

    text: str
    value: float | None = None
    # One for each iteration, where there were several.
    values: tuple[float, ...] = ()
    # Whether it comes out the same each time, as counts do and seconds do not.
    repeats: bool = True
    # What colour it has on a page.
    verdict: Verdict | None = None

    def __str__(self) -> str:
        return self.text


Cell = str | Figure


def count(value: float | None, form: str = ".0f", scale: float = 1, unit: str = "") -> Figure:
    """What repeats: instructions, bytes, decibels; `–` where there is nothing."""
    if value is None or not math.isfinite(value):
        return Figure("–")
    return Figure(f"{value / scale:{form}}{unit}", value)


def timed(values: Iterable[float | None], form: str = ".2f", scale: float = 1, unit: str = "", spread: bool = True) -> Figure:
    """What does not repeat: the median, and the least and the most of several."""
    sample = Sample.of(values)
    if sample is None:
        return Figure("–")

    def text(value: float) -> str:
        return f"{value / scale:{form}}"

    ends = f" ({text(sample.least)}–{text(sample.most)})" if spread and len(sample.values) > 1 else ""
    return Figure(text(sample.median) + unit + ends, sample.median, sample.values, repeats=False)


def met(is_met: bool | None) -> Figure:
    """What came of a bar; None where it could not be judged."""
    words = {True: ("met", Verdict.AHEAD), False: ("MISSED", Verdict.BEHIND), None: ("not judged", Verdict.UNJUDGED)}
    text, verdict = words[is_met]
    return Figure(text, verdict=verdict)
