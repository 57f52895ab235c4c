"""Compares figures with the committed ones (a pure function), and reads and writes the file of committed figures."""

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

Figures = dict[str, dict[str, float]]
"""The measured figures: for each workload `instructions`, `allocations` and `ratio`, as far as it has them."""


@dataclass(frozen=True)
class Threshold:
    """A committed figure and its tolerance."""

    value: float
    # Relative to the value.
    tolerance: float = 0.0
    # Added to it, in the figure's unit: a buffer that grows once more is not an allocation per frame.
    slack: float = 0.0

    @property
    def margin(self) -> float:
        return self.tolerance * abs(self.value) + self.slack


KINDS = ("instructions", "allocations", "ratio")
# The initial tolerances of a figure; the caller adds the slack. Instructions of single-threaded work repeat to 0.01 %: more than
# one percent is a real change.
TOLERANCES = {"instructions": 0.01, "allocations": 0.0, "ratio": 0.01}
# A processor or libraries other than those of the committed figures run other kernels and another memcpy: an increase within
# this share is due to the machine, not to a change.
ELSEWHERE = 0.05
DIGITS = {"instructions": 0, "allocations": 5, "ratio": 4}


class Rating(Enum):
    KEPT = "kept"
    ELSEWHERE = "kept: another machine"
    EXCEEDED = "EXCEEDED"
    BETTER = "better: lower it"
    NEW = "NOT COMMITTED"
    GONE = "NOT MEASURED"

    @property
    def is_failure(self) -> bool:
        return self in (Rating.EXCEEDED, Rating.NEW, Rating.GONE)


def judge(measured: float | None, threshold: Threshold | None, more: float = 0.0) -> Rating:
    """The rating on a figure. NaN exceeds its threshold: nothing that cannot be compared passes.

    `more` is a share of the committed value that is allowed in addition to its margin.
    """
    if threshold is None:
        return Rating.NEW
    if measured is None:
        return Rating.GONE
    if not measured <= threshold.value + threshold.margin:
        within = measured <= threshold.value * (1 + more) + threshold.margin
        return Rating.ELSEWHERE if within and more > 0 else Rating.EXCEEDED
    return Rating.BETTER if measured < threshold.value - threshold.margin else Rating.KEPT


@dataclass(frozen=True)
class Row:
    """One figure of one workload."""

    workload: str
    kind: str
    measured: float | None
    committed: float | None
    rating: Rating

    @property
    def change(self) -> float | None:
        """The relative change; None if it is undefined."""
        if self.measured is None or not self.committed:
            return None
        return self.measured / self.committed - 1


class Committed:
    """The committed file: the figures, and the versions and processor that they were measured with."""

    def __init__(self, thresholds: dict[str, dict[str, Threshold]], made_with: dict[str, str]) -> None:
        self.thresholds = thresholds
        self.made_with = made_with

    @classmethod
    def read(cls, path: Path) -> "Committed":
        """Reads the file; without one, the result is empty."""
        if not path.exists():
            return cls({}, {})
        content = json.loads(path.read_text())
        thresholds = {
            name: {kind: Threshold(**fields) for kind, fields in kinds.items()}
            for name, kinds in content["workloads"].items()
        }
        return cls(thresholds, content["made with"])

    def text(self) -> str:
        """JSON, sorted, with a line for each workload."""
        workloads = {name: {kind: _fields(each) for kind, each in sorted(kinds.items())} for name, kinds in sorted(self.thresholds.items())}
        lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(kinds)}" for name, kinds in workloads.items())
        facts = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(self.made_with.items()))
        return f'{{\n  "made with": {{\n{facts}\n  }},\n  "workloads": {{\n{lines}\n  }}\n}}\n'

    def compare(
        self, measured: Figures, suites: set[str] | None = None, made_with: dict[str, str] | None = None
    ) -> list[Row]:
        """A row for each measured figure, and for each committed one of the suites that ran; `suites` is None for all.

        Instructions may be slightly higher if `made_with` differs from the file's. Allocations and ratios may not: both sides
        of a ratio are counted here.
        """
        more = ELSEWHERE if made_with is not None and self.differences(made_with) else 0.0
        rows = []
        expected = {name for name in self.thresholds if suites is None or name.split("/")[0] in suites}
        for name in sorted(expected | measured.keys()):
            thresholds, figures = self.thresholds.get(name, {}), measured.get(name, {})
            for kind in KINDS:
                if kind not in thresholds and kind not in figures:
                    continue
                threshold, figure = thresholds.get(kind), figures.get(kind)
                value = threshold.value if threshold else None
                extra = more if kind == "instructions" else 0.0
                rows.append(Row(name, kind, figure, value, judge(figure, threshold, extra)))
        return rows

    def updated(
        self, measured: Figures, slacks: dict[str, float], made_with: dict[str, str], suites: set[str] | None = None
    ) -> "Committed":
        """The file with the measured figures; `slacks` are those of new allocation figures.

        Tolerances and slacks are kept. Figures of a suite that ran are removed if they were not measured.
        """
        kept = {
            name: kinds
            for name, kinds in self.thresholds.items()
            if suites is not None and name.split("/")[0] not in suites
        }
        new = {}
        for name, figures in measured.items():
            old = self.thresholds.get(name, {})
            new[name] = {}
            for kind, value in figures.items():
                first = Threshold(0, TOLERANCES[kind], slacks.get(name, 0.0) if kind == "allocations" else 0.0)
                before = old.get(kind, first)
                new[name][kind] = Threshold(round(value, DIGITS[kind]), before.tolerance, before.slack)
        return Committed(kept | new, made_with)

    def differences(self, made_with: dict[str, str]) -> list[str]:
        """The versions and processor that differ from those of the committed figures."""
        return [
            f"{key}: committed with {value}, here {made_with.get(key, 'unknown')}"
            for key, value in sorted(self.made_with.items())
            if made_with.get(key) != value
        ]


def _fields(threshold: Threshold) -> dict[str, float]:
    value = int(threshold.value) if threshold.value == int(threshold.value) else threshold.value
    return {"value": value} | {key: number for key in ("tolerance", "slack") if (number := getattr(threshold, key))}
