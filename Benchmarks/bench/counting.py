"""Counts what programs execute and allocate. Counts repeat where seconds do not: they are what is compared by.

Instructions are callgrind's, allocations those of an interposed malloc (`Programs/allocation-counter.c`). What one more thing
costs in the steady state is the difference between a run of N things and one of 2N, over N: what is done once cancels.
"""

import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from .process import ENVIRONMENT, Command, CommandFailed, build_c, command, run

Program = Callable[[int], Command]
"""The command that does so many things."""


def instructions(what: Command, runs: Callable[[Command], object] = run) -> int:
    """Those that a command executes, its children's included; `runs` is how it is run."""
    with tempfile.TemporaryDirectory(prefix="rill-bench-count-") as folder:
        program = _without_debug_information(what.words[0], folder)
        valgrind = ("valgrind", "--quiet", "--tool=callgrind", "--trace-children=yes")
        # An environment of its own: where the stack begins depends on how long that is, and copies and the runtime's checks on where
        # the stack begins. By the shell's alone a packet through the parts of a session took 2652 or 2682.
        variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/"} | ENVIRONMENT | what.environment
        clean = ("env", "-i", *(f"{name}={value}" for name, value in variables.items()))
        runs(Command((*clean, *valgrind, f"--callgrind-out-file={folder}/sum-%p", program, *what.words[1:])))
        total = 0
        for path in Path(folder).glob("sum-*"):
            # A program that forks has both lines; the last number counts.
            sums = re.findall(r"^(?:summary|totals): (\d+)", path.read_text(errors="replace"), re.MULTILINE)
            if not sums:
                raise CommandFailed(f"callgrind wrote no sum for {what}")
            total += int(sums[-1])
        return total


def _without_debug_information(program: str, folder: str) -> str:
    """A copy of a program of ours for callgrind 3.19, which gives up on Swift's debug information."""
    # What is given by name alone is the system's, and a script has none.
    if "/" not in program or program.startswith("/usr/bin/") or Path(program).open("rb").read(4) != b"\x7fELF":
        return program
    copy = f"{folder}/{Path(program).name}"
    run(command("strip", "--strip-debug", "-o", copy, program))
    return copy


def steady_instructions(program: Program, count: int) -> float:
    shorter, longer = (instructions(program(times * count)) for times in (1, 2))
    return (longer - shorter) / count


def steady_allocations(program: Program, count: int) -> float:
    """Starting a process takes a few more or fewer, so nothing may come to a few less than nothing: that is nothing."""
    shorter, longer = (allocations(program(times * count))[0]["calls"] for times in (1, 2))
    return max(0, longer - shorter) / count


Stacks = dict[tuple[str, ...], Counter]
"""Calls and bytes of each call stack, a stack being `module+0xoffset` innermost first."""


def allocations(what: Command, by_origin: bool = False) -> tuple[Counter, Stacks, int]:
    """Calls, bytes and frees in all, those of each call stack, and the peak of memory."""
    with tempfile.TemporaryDirectory(prefix="rill-bench-count-") as folder:
        path = Path(folder) / "counts"
        variables = {"ALLOCATIONS_TO": str(path), "ALLOCATIONS_BY_ORIGIN": str(int(by_origin))} | what.environment
        variables["LD_PRELOAD"] = ":".join(filter(None, [build_c("allocation-counter.so"), what.environment.get("LD_PRELOAD")]))
        # Through `env`, so that nothing but the program itself is counted.
        done = run(command("env", *(f"{name}={value}" for name, value in variables.items()), *what.words))
        first, *lines = path.read_text().splitlines()
        words = first.split()
        stacks: Stacks = {}
        for line in lines:
            numbers, _, frames = line.partition(":")
            calls, _, size, _ = numbers.split()
            stacks[tuple(frames.split())] = Counter(calls=int(calls), bytes=int(size))
        return Counter({name: int(number) for name, number in zip(words[::2], words[1::2])}), stacks, done.peak


# Names in the place of addresses.

# The way from an `init` or an append into malloc: says nothing about who wanted the memory.
RUNTIME = re.compile(r"^(swift_slowAlloc|swift_allocObject|swift::|_swift_|swift_bufferAllocate|operator new|\?\?)")


def by_origin(stacks: Stacks, depth: int) -> list[tuple[str, Counter]]:
    """The stacks with names in place of addresses, those of the same innermost `depth` names in one, largest first."""
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
    """` (File.swift:12)` from addr2line's path, or nothing where it knows none."""
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
