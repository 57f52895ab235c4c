"""Figures beside what is committed of them: pure comparison, and the file that they are committed in."""

import json
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

Figures = dict[str, dict[str, float]]
"""What was measured: for each workload `instructions`, `allocations` and `ratio`, as far as it has them."""


@dataclass(frozen=True)
class Threshold:
    """A committed figure, and how far from it is still the same."""

    value: float
    # A share of the value.
    tolerance: float = 0.0
    # On top of it, in the figure's own unit: a buffer that grows once more is no allocation a frame.
    slack: float = 0.0

    @property
    def room(self) -> float:
        return self.tolerance * abs(self.value) + self.slack


KINDS = ("instructions", "allocations", "ratio")
# What a figure is committed with at first, besides the slack that whoever measured it gives. Instructions repeat to a
# ten-thousandth where one thread does the work: more than one percent is somebody's doing.
TOLERANCES = {"instructions": 0.01, "allocations": 0.0, "ratio": 0.01}
# Where processor or libraries are others than those that a figure was committed with, other kernels and another memcpy run:
# what is within this much more is somebody's machine, not somebody's change.
ELSEWHERE = 0.05
DIGITS = {"instructions": 0, "allocations": 5, "ratio": 4}


class Verdict(Enum):
    KEPT = "kept"
    ELSEWHERE = "kept: another machine"
    EXCEEDED = "EXCEEDED"
    BETTER = "better: lower it"
    NEW = "NOT COMMITTED"
    GONE = "NOT MEASURED"

    @property
    def is_failure(self) -> bool:
        return self in (Verdict.EXCEEDED, Verdict.NEW, Verdict.GONE)


def judge(measured: float | None, threshold: Threshold | None, more: float = 0.0) -> Verdict:
    """A figure that is not a number is exceeded: nothing that cannot be compared passes.

    `more` is a share of the committed value that is allowed on top of its room.
    """
    if threshold is None:
        return Verdict.NEW
    if measured is None:
        return Verdict.GONE
    if not measured <= threshold.value + threshold.room:
        within = measured <= threshold.value * (1 + more) + threshold.room
        return Verdict.ELSEWHERE if within and more > 0 else Verdict.EXCEEDED
    return Verdict.BETTER if measured < threshold.value - threshold.room else Verdict.KEPT


@dataclass(frozen=True)
class Row:
    """One figure of one workload."""

    workload: str
    kind: str
    measured: float | None
    committed: float | None
    verdict: Verdict

    @property
    def change(self) -> float | None:
        """What it grew by, as a share; None where there is nothing to divide."""
        if self.measured is None or not self.committed:
            return None
        return self.measured / self.committed - 1


class Committed:
    """The committed file: the figures, and what they were made with."""

    def __init__(self, thresholds: dict[str, dict[str, Threshold]], made_with: dict[str, str]) -> None:
        self.thresholds = thresholds
        self.made_with = made_with

    @classmethod
    def read(cls, path: Path) -> "Committed":
        """An empty one where there is no file."""
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
        """Each figure measured, and each committed that was to be measured; `suites` are those that were run, None all.

        Instructions may be somewhat more where `made_with` is not what the file says; allocations and ratios, of which both
        sides were counted here, may not.
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
                room = more if kind == "instructions" else 0.0
                rows.append(Row(name, kind, figure, value, judge(figure, threshold, room)))
        return rows

    def updated(
        self, measured: Figures, slacks: dict[str, float], made_with: dict[str, str], suites: set[str] | None = None
    ) -> "Committed":
        """The same with what was measured in the place of what was committed; `slacks` are those of new allocations.

        Tolerances and slacks stay; what is of a suite that was run, and was not measured, goes.
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
                room = old.get(kind, first)
                new[name][kind] = Threshold(round(value, DIGITS[kind]), room.tolerance, room.slack)
        return Committed(kept | new, made_with)

    def differences(self, made_with: dict[str, str]) -> list[str]:
        """What the committed figures were made with that is another here."""
        return [
            f"{key}: committed with {value}, here {made_with.get(key, 'unknown')}"
            for key, value in sorted(self.made_with.items())
            if made_with.get(key) != value
        ]


def _fields(threshold: Threshold) -> dict[str, float]:
    value = int(threshold.value) if threshold.value == int(threshold.value) else threshold.value
    return {"value": value} | {key: number for key in ("tolerance", "slack") if (number := getattr(threshold, key))}
