"""Runs commands and says what they cost: instructions, CPU seconds, wall seconds, peak memory.

Instructions come from callgrind and repeat to a ten-thousandth; they are what two programs are compared by. Seconds
scatter by tens of percent from run to run on a machine that does other things too, so each command gets many turns, in
rotation with the others, and the table shows one and the same command twice: what differs there is noise.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Command:
    """One thing to measure: what the table calls it, and how it is run."""

    name: str
    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        variables = [f"{key}={value}" for key, value in self.environment.items()]
        return " ".join(variables + [quoted(argument) for argument in self.arguments])


@dataclass
class Turn:
    """One run of a command. CPU is user and system time of the process and the children it waited for."""

    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int
    output: str


class CommandFailed(Exception):
    """A command ended with an error; the text says which one, and the end of what it printed."""


def quoted(argument: str) -> str:
    return argument if re.fullmatch(r"[\w@%+=:,./-]+", argument) else "'" + argument.replace("'", "'\\''") + "'"


def run(command: Command, prefix: list[str] | None = None) -> Turn:
    """Runs a command to its end. Raises CommandFailed unless it ends well.

    The peak of memory is that of the largest process. GNU time is asked for it: a child of this Python would count
    the memory of the Python that it was before it became the command.
    """
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/output", "wb+") as output:
        begin = time.monotonic()
        process = subprocess.Popen(
            ["time", "--format=%M", f"--output={folder}/peak"] + (prefix or []) + command.arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=os.environ | command.environment,
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace")
        if process.returncode != 0:
            raise CommandFailed(f"{command}\nended with {process.returncode}:\n{text[-2000:]}")
        peak = int(Path(f"{folder}/peak").read_text().split()[-1])
    return Turn(usage.ru_utime + usage.ru_stime, wall, 1024 * peak, text)


def count_instructions(command: Command) -> int:
    """The instructions that a command executes, its children's included (one run under callgrind: a minute or so)."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = [
            "valgrind",
            "--quiet",
            "--tool=callgrind",
            "--trace-children=yes",
            f"--callgrind-out-file={folder}/sum-%p",
        ]
        program, *rest = command.arguments
        run(Command(command.name, [_without_debug_information(program, folder), *rest], command.environment), prefix)
        total = 0
        for path in Path(folder).glob("sum-*"):
            summary = re.search(r"^(?:summary|totals): (\d+)", path.read_text(errors="replace"), re.MULTILINE)
            if not summary:
                raise CommandFailed(f"callgrind wrote no sum for {command}")
            total += int(summary[1])
        return total


def _without_debug_information(program: str, folder: str) -> str:
    """A copy of a program of ours for callgrind 3.19, which gives up on Swift's debug information."""
    path = Path(program)
    # What is given by name alone is the system's, and a script has none.
    if "/" not in program or path.open("rb").read(4) != b"\x7fELF":
        return program
    copy = f"{folder}/{path.name}"
    run(Command("strip", ["strip", "--strip-debug", "-o", copy, program]))
    return copy


@dataclass
class Cost:
    """What a command costs, and beside what."""

    command: Command
    turns: list[Turn] = field(default_factory=list)
    instructions: int | None = None

    def cpu(self) -> list[float]:
        return [turn.cpu_seconds for turn in self.turns]

    def cpu_ratios(self, baseline: "Cost") -> list[float]:
        """This command's CPU seconds over the baseline's, turn by turn: what slows the machine slows both."""
        return [mine / theirs for mine, theirs in zip(self.cpu(), baseline.cpu())]

    def median_wall(self) -> float:
        return statistics.median(turn.wall_seconds for turn in self.turns)

    def peak_bytes(self) -> int:
        return max(turn.peak_bytes for turn in self.turns)


def measure(commands: list[Command], turns: int, counts_instructions: bool) -> list[Cost]:
    """Measures commands in rotation, so that whatever else the machine does meets all of them alike.

    Commands with the same arguments are counted once: instructions do not scatter.
    """
    costs = [Cost(command) for command in commands]
    for turn in range(turns):
        for index in range(len(costs)):
            # Nobody always follows the same neighbour.
            cost = costs[(index + turn) % len(costs)]
            progress(f"turn {turn + 1} of {turns}: {cost.command.name}")
            cost.turns.append(run(cost.command))
    counted: dict[str, int] = {}
    for cost in costs if counts_instructions else []:
        key = str(cost.command)
        if key not in counted:
            progress(f"counting instructions: {cost.command.name}")
            counted[key] = count_instructions(cost.command)
        cost.instructions = counted[key]
    progress("")
    return costs


def progress(text: str) -> None:
    """One line on standard error that the next one replaces; on anything but a terminal, nothing."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
