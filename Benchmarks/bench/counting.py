"""Counts the instructions and allocations of programs. Unlike timings, counts are repeatable, so comparisons use them.

Callgrind counts instructions, an interposed malloc allocations (`Programs/allocation-counter.c`). The steady-state cost of one
unit of work is the difference between a run of 2N units and one of N, divided by N: one-time costs cancel.
"""

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from .process import ENVIRONMENT, Command, CommandFailed, build_c, command, run

Program = Callable[[int], Command]
"""Returns the command for a number of units of work."""


def instructions(what: Command, runs: Callable[[Command], object] = run, counted: str | None = None) -> int:
    """The instructions that a command executes, including its children; `runs` runs it. `counted` is a pattern of functions: then only
    theirs are counted, and those of what they call."""
    with tempfile.TemporaryDirectory(prefix="rill-bench-count-") as folder:
        program = _without_debug_information(what.words[0], folder)
        valgrind = ("valgrind", "--quiet", "--tool=callgrind", "--trace-children=yes", *([f"--toggle-collect={counted}"] if counted else []))
        # A fixed environment: its length determines the start of the stack, and with it the cost of copies and of the runtime's
        # checks. With the shell's environments a packet through the parts of a session took 2652 or 2682 instructions.
        variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/"} | ENVIRONMENT | what.environment
        clean = ("env", "-i", *(f"{name}={value}" for name, value in variables.items()))
        runs(Command((*clean, *valgrind, f"--callgrind-out-file={folder}/sum-%p", program, *what.words[1:])))
        total = 0
        for path in Path(folder).glob("sum-*"):
            # A program that forks has both lines; the last number is right.
            sums = re.findall(r"^(?:summary|totals): (\d+)", path.read_text(errors="replace"), re.MULTILINE)
            if not sums:
                raise CommandFailed(f"callgrind wrote no sum for {what}")
            total += int(sums[-1])
        return total


def _without_debug_information(program: str, folder: str) -> str:
    """A stripped copy of one of our programs: callgrind 3.19 fails on Swift's debug information."""
    # Programs given by name only are the system's, and scripts have no debug information.
    if "/" not in program or program.startswith("/usr/bin/") or Path(program).open("rb").read(4) != b"\x7fELF":
        return program
    copy = f"{folder}/{Path(program).name}"
    run(command("strip", "--strip-debug", "-o", copy, program))
    return copy


def steady_instructions(program: Program, count: int, counted: str | None = None) -> float:
    shorter, longer = (instructions(program(times * count), counted=counted) for times in (1, 2))
    return (longer - shorter) / count


def steady_allocations(program: Program, count: int) -> float:
    """The allocations per unit, at least 0: starting a process takes a few more or fewer, so the difference may be negative."""
    shorter, longer = (allocations(program(times * count))[0]["calls"] for times in (1, 2))
    return max(0, longer - shorter) / count


Stacks = dict[tuple[str, ...], Counter]
"""The calls and bytes of each call stack; a stack is a tuple of `module+0xoffset`, innermost first."""


def allocations(what: Command, by_origin: bool = False) -> tuple[Counter, Stacks, int]:
    """The total calls, bytes and frees, those of each call stack, and the peak memory."""
    with tempfile.TemporaryDirectory(prefix="rill-bench-count-") as folder:
        path = Path(folder) / "counts"
        variables = {"ALLOCATIONS_TO": str(path), "ALLOCATIONS_BY_ORIGIN": str(int(by_origin))} | what.environment
        variables["LD_PRELOAD"] = ":".join(filter(None, [build_c("allocation-counter.so"), what.environment.get("LD_PRELOAD")]))
        # Run with `env`, so that only the program itself is counted.
        done = run(command("env", *(f"{name}={value}" for name, value in variables.items()), *what.words))
        first, *lines = path.read_text().splitlines()
        words = first.split()
        stacks: Stacks = {}
        for line in lines:
            numbers, _, frames = line.partition(":")
            calls, _, size, _ = numbers.split()
            stacks[tuple(frames.split())] = Counter(calls=int(calls), bytes=int(size))
        return Counter({name: int(number) for name, number in zip(words[::2], words[1::2])}), stacks, done.peak


# Names instead of addresses.

# Functions between an `init` or an append and malloc: they do not show who needed the memory.
RUNTIME = re.compile(r"^(swift_slowAlloc|swift_allocObject|swift::|_swift_|swift_bufferAllocate|operator new|\?\?)")


def by_origin(stacks: Stacks, depth: int) -> list[tuple[str, Counter]]:
    """The stacks with names instead of addresses, merged by their innermost `depth` names, largest first."""
    names = _symbols({frame for stack in stacks for frame in stack})
    origins: defaultdict[str, Counter] = defaultdict(Counter)
    for stack, count in stacks.items():
        called = [name for frame in stack for name in names[frame] if not RUNTIME.match(name)]
        origins[" < ".join(called[:depth]) or "unknown"].update(count)
    return sorted(origins.items(), key=lambda item: -item[1]["calls"])


def _symbols(frames: set[str]) -> dict[str, list[str]]:
    """The functions at each address, inlined ones first, as `function (File.swift:12)`."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for frame in frames:
        module, _, offset = frame.rpartition("+")
        modules[module].append(offset)
    names: dict[str, list[str]] = {}
    for module, offsets in modules.items():
        try:
            output = run(command("addr2line", "-a", "-f", "-i", "-e", module, *offsets)).output
        except CommandFailed:
            continue
        for offset, block in zip(offsets, re.split(r"^0x[0-9a-f]+\n", output, flags=re.MULTILINE)[1:]):
            lines = block.splitlines()
            names[f"{module}+{offset}"] = [name + _place(line) for name, line in zip(lines[0::2], lines[1::2])]
    plain = _demangled({name for found in names.values() for name in found})
    return {frame: [plain[name] for name in names.get(frame, [])] for frame in frames}


def _place(line: str) -> str:
    """` (File.swift:12)` from addr2line's path, or an empty string if it is unknown."""
    found = re.search(r"([^/]+\.(?:swift|c|h)):(\d+)", line)
    return f" ({found[1]}:{found[2]})" if found else ""


def _demangled(names: set[str]) -> dict[str, str]:
    ordered = sorted(names)
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("\n".join(name.replace("specialized ", "") for name in ordered) + "\n")
        file.flush()
        lines = run(command("swift", "demangle", "--compact", "--simplified"), stdin=open(file.name)).output.splitlines()
    plain = [re.sub(r"^(?:generic |merged |specialized |function signature )+", "", line) for line in lines]
    return dict(zip(ordered, plain)) if len(plain) == len(ordered) else {name: name for name in ordered}
