"""Measured numbers: samples, their formatting, and the rating on two of them."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

# Timings with fewer iterations than this are not judged.
FEW = 5
# If two runs of one command differ by more than this share, timings are not judged.
MOST_SCATTER = 0.1


@dataclass(frozen=True)
class Sample:
    """The values of one quantity, one for each iteration, with their median and spread."""

    values: tuple[float, ...]

    @classmethod
    def of(cls, values: Iterable[float | None]) -> "Sample | None":
        """Leaves out values that are not numbers; None if none are left."""
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
        """A quantile, interpolated linearly between two values."""
        ordered, place = sorted(self.values), share * (len(self.values) - 1)
        low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
        return low + (high - low) * (place - math.floor(place))

    @property
    def quartiles(self) -> tuple[float, float]:
        return self.quantile(0.25), self.quantile(0.75)

    @property
    def straying_from_one(self) -> float:
        """The distance of the quartiles from 1, for ratios of a command to itself."""
        return max(abs(quartile - 1) for quartile in self.quartiles)


def ratios(values: Sequence[float | None], references: Sequence[float | None]) -> Sample | None:
    """The ratio in each iteration, since a slow moment slows both. Pairs with a zero are left out."""
    pairs = zip(values, references)
    return Sample.of(a / b for a, b in pairs if a is not None and b is not None and a > 0 and b > 0)


def percentile(values: Sequence[float], share: float) -> float:
    """The percentile: the smallest value that at least this share of the values does not exceed."""
    if not values:
        return math.nan
    # Allow for rounding errors: 0.95 of 20 is 19.
    return sorted(values)[max(1, math.ceil(share * len(values) - 1e-9)) - 1]


class Rating(Enum):
    """How Rill compares in a quantity of which less is better; the values are the words in tables."""

    AHEAD = "ahead"
    LEVEL = "level"
    BEHIND = "behind"
    UNJUDGED = "not judged"

    @property
    def colour(self) -> str:
        return "level" if self is Rating.UNJUDGED else self.value


def judge(sample: Sample, scatter: float, repeats: bool) -> Rating:
    """The rating on ratios, the other's cost divided by Rill's.

    The difference is noise if the quartiles lie on both sides of 1, or if it is smaller than `scatter`, the difference between
    two runs of one command. Quantities that do not repeat (timings) are not judged with few iterations or high noise.
    """
    if not repeats and (len(sample.values) < FEW or scatter > MOST_SCATTER):
        return Rating.UNJUDGED
    low, high = sample.quartiles
    # Symmetric: a ratio of 1/(1+s) is as far from 1 as one of 1+s.
    if sample.median > 1 + scatter and low > 1:
        return Rating.AHEAD
    if sample.median * (1 + scatter) < 1 and high < 1:
        return Rating.BEHIND
    return Rating.LEVEL


@dataclass(frozen=True)
class Figure:
    """A measured number in a table: its text, and its value for comparisons with an earlier run."""

    text: str
    value: float | None = None
    # One per iteration, if there were several.
    values: tuple[float, ...] = ()
    # Whether it is repeatable, as counts are and timings are not.
    repeats: bool = True
    # Determines its color on a page.
    rating: Rating | None = None

    def __str__(self) -> str:
        return self.text


Cell = str | Figure


def count(value: float | None, form: str = ".0f", scale: float = 1, unit: str = "") -> Figure:
    """A repeatable figure, such as instructions, bytes or decibels; `–` if there is none."""
    if value is None or not math.isfinite(value):
        return Figure("–")
    return Figure(f"{value / scale:{form}}{unit}", value)


def timed(values: Iterable[float | None], form: str = ".2f", scale: float = 1, unit: str = "", spread: bool = True) -> Figure:
    """A figure that is not repeatable: the median, with minimum and maximum if there are several values."""
    sample = Sample.of(values)
    if sample is None:
        return Figure("–")

    def text(value: float) -> str:
        return f"{value / scale:{form}}"

    ends = f" ({text(sample.least)}–{text(sample.most)})" if spread and len(sample.values) > 1 else ""
    return Figure(text(sample.median) + unit + ends, sample.median, sample.values, repeats=False)


def met(is_met: bool | None) -> Figure:
    """Whether a target is met; None if it could not be judged."""
    words = {True: ("met", Rating.AHEAD), False: ("MISSED", Rating.BEHIND), None: ("not judged", Rating.UNJUDGED)}
    text, rating = words[is_met]
    return Figure(text, rating=rating)
