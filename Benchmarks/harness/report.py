"""Tables and JSON of what was measured, with all that is needed to repeat it."""

import os
import platform
import re
import statistics
import subprocess
from pathlib import Path

from .measure import Cost

REPOSITORY = Path(__file__).resolve().parents[2]


def first_line(*arguments: str, pattern: str = r"(.*\S)") -> str:
    """The first match of a pattern in what a program prints; `not installed` where there is no such program."""
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    except FileNotFoundError:
        return "not installed"
    found = re.search(pattern, done.stdout + done.stderr)
    return found[1] if found else "unknown"


def machine() -> dict[str, str]:
    """The machine, as far as it matters to a measurement."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return {
        "processor": f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores",
        "kernel": platform.release(),
        "load": f"{os.getloadavg()[0]:.2f} at the end",
    }


def versions() -> dict[str, str]:
    """What was measured, and with what."""

    def package(name: str) -> str:
        return first_line("dpkg-query", "--show", "--showformat=${Version}", name)

    changed = first_line("git", "status", "--porcelain", "--untracked-files=no")
    return {
        "rill": first_line("git", "rev-parse", "--short", "HEAD") + ("" if changed == "unknown" else ", with changes"),
        "swift": first_line("swift", "--version", pattern=r"Swift version (\S+)"),
        "libvpx": package("libvpx-dev"),
        "libyuv": package("libyuv-dev"),
        "vpxenc": first_line("vpxenc", "--help", pattern=r"WebM Project VP8 Encoder (\S+)"),
        "valgrind": first_line("valgrind", "--version"),
    }


def spread(values: list[float], digits: int) -> str:
    """Median, and the range from the smallest to the largest."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def table(rows: list[list[str]], text_column: int = 0) -> str:
    """Rows as aligned columns: the one with text to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if column == text_column else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def cost_table(costs: list[Cost]) -> str:
    """All commands against the first one."""
    baseline = costs[0]
    rows = [["", "instructions", "ratio", "CPU s (range)", "ratio (range)", "wall s", "peak MiB"]]
    for cost in costs:
        counted = cost.instructions is not None and baseline.instructions is not None
        rows.append(
            [
                cost.command.name,
                f"{cost.instructions / 1e9:.3f} G" if counted else "–",
                f"{cost.instructions / baseline.instructions:.4f}" if counted else "–",
                spread(cost.cpu(), 2) if cost.turns else "–",
                spread(cost.cpu_ratios(baseline), 3) if cost.turns else "–",
                f"{cost.median_wall():.2f}" if cost.turns else "–",
                f"{cost.peak_bytes() / 2**20:.1f}" if cost.turns else "–",
            ]
        )
    return table(rows)


def cost_object(costs: list[Cost]) -> list[dict]:
    """The same for machines, with every single turn."""
    baseline = costs[0]
    return [
        {
            "name": cost.command.name,
            "command": str(cost.command),
            "instructions": cost.instructions,
            "instructionRatio": cost.instructions / baseline.instructions if cost.instructions else None,
            "cpuSeconds": cost.cpu(),
            "cpuRatios": cost.cpu_ratios(baseline),
            "wallSeconds": [turn.wall_seconds for turn in cost.turns],
            "peakBytes": [turn.peak_bytes for turn in cost.turns],
        }
        for cost in costs
    ]


def details(costs: list[Cost]) -> str:
    """Machine, versions and the exact commands."""
    lines = [f"{key}: {value}" for key, value in (machine() | versions()).items()]
    commands: dict[str, str] = {}
    for cost in costs:
        commands.setdefault(str(cost.command), cost.command.name)
    lines += [f"{name}: {command}" for command, name in commands.items()]
    return "\n".join(lines)
