"""What one more thing costs in the steady state: the difference between a run of N things and one of 2N, over N.

What is done once (set-up, tables, pools that fill) is in both runs and cancels.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path

from .allocations import environment
from .measure import Command, count_instructions, run
from .origins import read

Program = Callable[[int], Command]
"""The command that does so many things."""


def instructions(program: Program, count: int) -> float:
    """By callgrind."""
    shorter, longer = (count_instructions(program(times * count)) for times in (1, 2))
    return (longer - shorter) / count


def allocations(program: Program, count: int) -> float:
    """By the allocation counter, which has to be built. Starting a process takes a few more or fewer, so nothing may come to
    a few less than nothing: that is nothing."""
    shorter, longer = (_calls(program(times * count)) for times in (1, 2))
    return max(0, longer - shorter) / count


def _calls(command: Command) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts.txt"
        # Through `env`, so that nothing but the program itself is counted.
        run(Command(command.name, ["env", *environment(path), *command.arguments], command.environment))
        return read(path).total.calls
