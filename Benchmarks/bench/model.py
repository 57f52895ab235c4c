"""Predicts what a process of many streams takes, from what streams of one kind take.

CPU: so much for each layer, packet and pixel, and more or less while the machine's other threads are at work. Pixels cost more
then, since threads share cores, caches and memory; layers and packets may cost less, since a thread that is still awake need not
be woken for the next one. With P and W, what pixels and the rest would take in a second on a machine that does nothing else, on T
hardware threads, the process takes

    C = P (1 + sharing u) + W (1 + waking u)        u = (C + F) / T

where F is what others take; it is solved for C. Instructions and bytes are the sum of the streams.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

# Where all threads are this busy, no more is promised: what is left is the system's.
FULL_LOAD = 0.95
# Less than a hundredth of the pictures left out or late is real time.
REAL_TIME = 0.99


@dataclass(frozen=True)
class Load:
    """What a process of many streams has to do in a second: streams, packets, pixels, at full size and of thumbnails."""

    high: float = 0
    low: float = 0
    packets: float = 0
    high_pixels: float = 0
    low_pixels: float = 0

    def __add__(self, other: "Load") -> "Load":
        return Load(*(a + b for a, b in zip(vars(self).values(), vars(other).values())))

    def __mul__(self, factor: float) -> "Load":
        return Load(*(factor * value for value in vars(self).values()))

    @property
    def costs(self) -> list[float]:
        """Layers, packets, pixels at full size, pixels of thumbnails: what has a cost of its own."""
        return [self.high + self.low, self.packets, self.high_pixels, self.low_pixels]


@dataclass
class Measurement:
    """What a process of many streams was seen to take."""

    load: Load
    # CPU seconds of the process in a second, and of who feeds it.
    cpu: float
    feeder: float = 0
    # In a second; None where the machine counts none.
    instructions: float | None = None
    # The most memory that was resident at once, without the pictures that a camera would have had.
    memory: float | None = None
    # Of the pictures that were due the share that was coded, or shown in time.
    in_time: float = 1
    # Of several measurements of the same load, all of them.
    rounds: list["Measurement"] = field(default_factory=list)

    @property
    def is_real_time(self) -> bool:
        return self.in_time >= REAL_TIME

    @property
    def least_cpu(self) -> float:
        """What the load takes while nobody disturbs: whoever shares caches or cores can only add to it. A round that left
        pictures out did less, and does not count."""
        return min((each.cpu for each in self.rounds if each.is_real_time), default=self.cpu)

    def spread(self, value: Callable[["Measurement"], float | None]) -> float | None:
        """How far the most of the rounds lies above the least, as a part of the middle one; None of one alone."""
        values, middle = [found for each in self.rounds if (found := value(each)) is not None], value(self)
        return (max(values) - min(values)) / middle if len(values) > 1 and middle else None

    @staticmethod
    def middle(rounds: list["Measurement"]) -> "Measurement":
        """The one in the middle of each quantity; in real time where most of them were."""

        def of(values: Sequence[float | None]) -> float | None:
            known = sorted(value for value in values if value is not None)
            return known[(len(known) - 1) // 2] if known else None

        base = sorted(rounds, key=lambda each: each.cpu)[(len(rounds) - 1) // 2]
        return Measurement(
            base.load, base.cpu, base.feeder, of([each.instructions for each in rounds]), of([each.memory for each in rounds]),
            sorted(each.in_time for each in rounds)[len(rounds) // 2], rounds if len(rounds) > 1 else [])


@dataclass(frozen=True)
class CapacityModel:
    """CPU seconds of a layer in a second, of a packet, of a pixel at full size and of a thumbnail's."""

    costs: tuple[float, float, float, float]
    # By what part pixels cost more while all threads are busy, and layers and packets; below zero, less.
    sharing: float
    waking: float
    threads: int

    def cpu(self, load: Load, feeder: float = 0) -> float:
        """In seconds a second; infinite where it is more than the threads have."""
        layers, packets, high, low = (cost * amount for cost, amount in zip(self.costs, load.costs))
        growth = (self.sharing * (high + low) + self.waking * (layers + packets)) / self.threads
        return (layers + packets + high + low + growth * feeder) / (1 - growth) if growth < 1 else math.inf

    def holds(self, load: Load, feeder: float = 0) -> bool:
        """Whether a load leaves the machine's threads something to spare."""
        return self.cpu(load, feeder) + feeder <= FULL_LOAD * self.threads

    @staticmethod
    def fit(measurements: list[Measurement], threads: int) -> "CapacityModel | None":
        """The model that comes closest to the least that was measured of each load, in parts of it; no cost is negative."""
        best, usable = None, [each for each in measurements if each.least_cpu > 0]
        # A thread that shares its core with one that never rests has half of it.
        for sharing, waking in itertools.product((step / 20 for step in range(21)), (step / 10 for step in range(-8, 11))):
            rows = []
            for each in usable:
                busy = (each.least_cpu + each.feeder) / threads
                pixels, rest = ((1 + share * busy) / each.least_cpu for share in (sharing, waking))
                rows.append([amount * factor for amount, factor in zip(each.load.costs, (rest, rest, pixels, pixels))])
            found = non_negative_fit(rows)
            # Of two that fit alike the one that assumes less.
            if found and (best is None or found[1] + 1e-6 * (sharing + abs(waking)) < best[0]):
                best = found[1] + 1e-6 * (sharing + abs(waking)), CapacityModel(tuple(found[0]), sharing, waking, threads)
        return best[1] if best else None


def instruction_row(load: Load) -> list[float]:
    """Each layer, packet and pixel has its own."""
    return load.costs


def memory_row(load: Load) -> list[float]:
    """The program's, each stream's, and pictures, which are held as long as streams last and have thirty in a second at full
    size. Thumbnails are of one size. Packets that wait have their place from the beginning."""
    return [1, load.high, load.low, load.high_pixels]


def fit_sum(measurements: list[Measurement], row: Callable[[Load], list[float]], values: list[float | None]) -> list[float] | None:
    """The costs that come closest to what was measured, in parts of each; None where it was not measured of all loads."""
    if any(not value for value in values):
        return None
    found = non_negative_fit([[amount / value for amount in row(each.load)] for each, value in zip(measurements, values)])
    return found[0] if found else None


def non_negative_fit(rows: list[list[float]]) -> tuple[list[float], float] | None:
    """Least squares of a few unknowns, none negative, by which each row sums to 1; and the sum of the squares that are left.

    Each set of unknowns that may differ from zero is solved by the normal equations, and the best that came out without negative
    ones is taken: with four unknowns there are fifteen sets.
    """
    best = None
    width = len(rows[0]) if rows else 0
    for chosen in itertools.chain.from_iterable(itertools.combinations(range(width), size) for size in range(1, width + 1)):
        solved = _least_squares([[row[place] for place in chosen] for row in rows]) if len(chosen) <= len(rows) else None
        if solved is None or min(solved) < 0:
            continue
        unknowns = [0.0] * width
        for place, value in zip(chosen, solved):
            unknowns[place] = value
        error = sum((sum(a * b for a, b in zip(row, unknowns)) - 1) ** 2 for row in rows)
        if best is None or error < best[1]:
            best = unknowns, error
    return best


def _least_squares(rows: list[list[float]]) -> list[float] | None:
    # Quantities of very different size: columns are brought to the same one first.
    width = len(rows[0])
    sizes = [max(abs(row[column]) for row in rows) for column in range(width)]
    if not all(sizes):
        return None
    scaled = [[value / size for value, size in zip(row, sizes)] for row in rows]
    equations = [[sum(row[i] * row[j] for row in scaled) for j in range(width)] + [sum(row[i] for row in scaled)] for i in range(width)]
    # Gauss and Jordan, by the largest element of each column; None where the columns depend on each other.
    for column in range(width):
        pivot = max(range(column, width), key=lambda row: abs(equations[row][column]))
        if abs(equations[pivot][column]) <= 1e-9:
            return None
        equations[column], equations[pivot] = equations[pivot], equations[column]
        for row in range(width):
            if row != column:
                factor = equations[row][column] / equations[column][column]
                equations[row] = [a - factor * b for a, b in zip(equations[row], equations[column])]
    return [equations[place][width] / equations[place][place] / sizes[place] for place in range(width)]
