"""Reads what the allocation counter wrote, and turns addresses into names."""

import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

# The way from an `init` or an append into malloc: says nothing about who wanted the memory.
RUNTIME = re.compile(r"^(swift_slowAlloc|swift_allocObject|swift::|_swift_|swift_bufferAllocate|operator new|\?\?)")


@dataclass
class Count:
    """Calls and bytes."""

    calls: int = 0
    bytes: int = 0

    def __sub__(self, other: "Count") -> "Count":
        return Count(self.calls - other.calls, self.bytes - other.bytes)


@dataclass
class Allocations:
    """One run: the sums, and the part of each call stack, a stack being `module+0xoffset` innermost first."""

    total: Count
    frees: int
    stacks: dict[tuple[str, ...], Count] = field(default_factory=dict)


def read(path: Path) -> Allocations:
    lines = path.read_text().splitlines()
    sums = re.fullmatch(r"calls (\d+) bytes (\d+) frees (\d+)", lines[0])
    if not sums:
        raise ValueError(f"{path} was not written by the allocation counter")
    found = Allocations(Count(int(sums[1]), int(sums[2])), int(sums[3]))
    for line in lines[1:]:
        numbers, _, frames = line.partition(":")
        calls, _, size, _ = numbers.split()
        found.stacks[tuple(frames.split())] = Count(int(calls), int(size))
    return found


def growth(shorter: Allocations, longer: Allocations) -> dict[tuple[str, ...], Count]:
    """What each call stack did more often in the longer run."""
    grown = {}
    for stack, count in longer.stacks.items():
        difference = count - shorter.stacks.get(stack, Count())
        if difference.calls != 0:
            grown[stack] = difference
    return grown


def by_origin(stacks: dict[tuple[str, ...], Count], depth: int) -> list[tuple[str, Count]]:
    """The stacks with names in place of addresses, those of the same innermost `depth` names in one, largest first."""
    names = symbols({frame for stack in stacks for frame in stack})
    origins: defaultdict[str, Count] = defaultdict(Count)
    for stack, count in stacks.items():
        called = [name for frame in stack for name in names[frame] if not RUNTIME.match(name)]
        origin = origins[" < ".join(called[:depth]) or "unknown"]
        origin.calls += count.calls
        origin.bytes += count.bytes
    return sorted(origins.items(), key=lambda item: -item[1].calls)


def symbols(frames: set[str]) -> dict[str, list[str]]:
    """The functions at each address, inlined ones first, as `function (File.swift:12)`."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for frame in frames:
        module, _, offset = frame.rpartition("+")
        modules[module].append(offset)
    names: dict[str, list[str]] = {}
    for module, offsets in modules.items():
        command = ["addr2line", "-a", "-f", "-i", "-e", module] + offsets
        output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        for offset, block in zip(offsets, re.split(r"^0x[0-9a-f]+\n", output, flags=re.MULTILINE)[1:]):
            lines = block.splitlines()
            names[f"{module}+{offset}"] = [
                function + place(line) for function, line in zip(lines[0::2], lines[1::2])
            ]
    plain = demangled({name for found in names.values() for name in found})
    return {frame: [plain[name] for name in names.get(frame, [])] for frame in frames}


def place(line: str) -> str:
    """` (File.swift:12)` from addr2line's path, or nothing where it knows none."""
    found = re.search(r"([^/]+\.(?:swift|c|h)):(\d+)", line)
    return f" ({found[1]}:{found[2]})" if found else ""


def demangled(names: set[str]) -> dict[str, str]:
    ordered = sorted(names)
    output = subprocess.run(
        ["swift", "demangle", "--compact", "--simplified"],
        input="\n".join(name.replace("specialized ", "") for name in ordered) + "\n",
        capture_output=True,
        text=True,
        check=False,
    ).stdout.splitlines()
    plain = [re.sub(r"^(?:generic |merged |specialized |function signature )+", "", line) for line in output]
    return dict(zip(ordered, plain)) if len(plain) == len(ordered) else {name: name for name in ordered}
